"""The option `--update-goldens`: rewrite the `[out]` parts of `tests/cases/**/*.test` with what comes out now.

    pytest tests/test_golden.py --update-goldens      or      FUTAMURA_UPDATE_GOLDENS=1 pytest tests/test_golden.py

Invariant: the `[run]` lines are checked in both modes, so a wrong result is never written as the expected one.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", default=False, help="rewrite the goldens' [out] parts")
    parser.addoption(
        "--record-pending", action="store_true", default=False, help="rewrite tests/specialize/pending.txt"
    )
