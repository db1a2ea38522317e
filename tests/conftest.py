"""The option `--update-goldens`, and the check of every division that any test computes.

    pytest tests/test_golden.py --update-goldens      or      FUTAMURA_UPDATE_GOLDENS=1 pytest tests/test_golden.py

The option rewrites the `[out]` parts of `tests/cases/**/*.test` with what comes out now.  Invariants: the `[run]` lines
are checked in both modes, so a wrong result is never written as the expected one; a division that is not congruent
fails the test in which it was made, also where a specializer made it.  How long an example takes says nothing: machines
are shared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from futamura.analysis import bindingtimes
from futamura.cli.doctor import is_compiled
from tests.bindingtimes.congruence import check

settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", default=False, help="rewrite the goldens' [out] parts")
    parser.addoption(
        "--record-pending", action="store_true", default=False, help="rewrite tests/specialize/pending.txt"
    )


def pytest_configure() -> None:
    if os.environ.get("FUTAMURA_CORE") == "compiled" and not is_compiled():
        raise pytest.UsageError("the compiled core is to be tested, but another one was found")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if is_compiled():
        for item in items:
            if "interpreted" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="the core is compiled"))


INCONGRUENT: list[str] = []
"""What the checker found in this test; a specializer may have made a diagnostic of the failed assertion."""


@pytest.fixture(scope="session", autouse=True)
def _divisions_are_checked() -> Iterator[None]:
    """The independent checker runs behind each binding-time analysis."""
    solve = bindingtimes._Analysis.run

    def checked(analysis: bindingtimes._Analysis) -> None:
        solve(analysis)
        try:
            check(analysis.division)
        except AssertionError as error:
            INCONGRUENT.append(str(error))
            raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bindingtimes._Analysis, "run", checked)
        yield


@pytest.fixture(autouse=True)
def incongruent() -> Iterator[list[str]]:
    """The findings of this test, which fails if there are any."""
    INCONGRUENT.clear()
    yield INCONGRUENT
    assert not INCONGRUENT
