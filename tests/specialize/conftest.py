"""What is not yet as it should be: `pending.txt` names tests that fail today, one a line.

    test_subjects.py::test_residual_behaves_like_the_original[x-y]     must fail: when it passes, its line must go
    ~ test_termination.py::test_ends[z]                                 fails on some machines or runs

`python -m pytest tests/specialize --record-pending` writes the list anew; it may only get shorter.  What takes minutes
(each program in a process of its own) is marked `slow` and runs with `make slow`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from futamura.specializer import entry_costs, read_late

PENDING = Path(__file__).with_name("pending.txt")
HERE = PENDING.parent


RECORDED = sys.version_info[:2] == (3, 11)
"""The list is recorded on this version; on others a few tests more may pass."""
SLOW = ("torture", "test_termination.py", "test_bad_input.py")


def _names(item: pytest.Item) -> str:
    return f"{item.path.relative_to(HERE)}::{item.nodeid.partition('::')[2]}"


def _pending() -> dict[str, bool]:
    """Each pending test, and whether it must fail."""
    if not PENDING.exists():
        return {}
    lines = [line.strip() for line in PENDING.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {line.removeprefix("~").strip(): not line.startswith("~") for line in lines}


@pytest.fixture(name="assuming")
def whatever_it_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that can be assumed is, though testing it may take longer than what folds saves."""
    for name in ("_LITTLE", "_LITTLE_FOR_NOTHING"):
        monkeypatch.setattr(entry_costs, name, sys.maxsize)
    monkeypatch.setattr(read_late, "_LEAST", sys.maxsize)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE) and item.path.relative_to(HERE).parts[0] in SLOW:
            item.add_marker(pytest.mark.slow)
    if config.getoption("--record-pending"):
        return
    pending = _pending()
    for item in items:
        if item.path.is_relative_to(HERE) and (name := _names(item)) in pending:
            strict = pending[name] and RECORDED
            item.add_marker(pytest.mark.xfail(reason="not specialized yet as it should be", strict=strict))


_failed: list[str] = []


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    outcome = yield
    if outcome.get_result().failed and item.config.getoption("--record-pending") and item.path.is_relative_to(HERE):
        _failed.append(_names(item))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--record-pending"):
        unstable = [f"~ {name}" for name, strict in _pending().items() if not strict and name not in _failed]
        kept = [f"~ {name}" if not _pending().get(name, True) else name for name in dict.fromkeys(_failed)]
        PENDING.write_text("".join(f"{line}\n" for line in sorted([*kept, *unstable])))
