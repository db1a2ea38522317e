"""A slice of the standard library through all passes: CPython's own tests see no difference.

    each function of `textwrap` replaced by its optimized round trip    ->    every test of `test_textwrap` still passes

The whole is `python -m tools.stdlib_meaning --through optimized`; with `unnamed` the printer has no names to go by.
Invariant: the exceptions are those of the plain round trip, no more.
"""

from __future__ import annotations

import importlib.util

import pytest
from click.testing import CliRunner

from tools.stdlib_meaning import main


@pytest.mark.parametrize("through", ["optimized", "unnamed"])
@pytest.mark.parametrize("subject", ["textwrap", "bisect", "colorsys"])
def test_optimized_functions_pass_their_tests(subject: str, through: str) -> None:
    if importlib.util.find_spec("test") is None or importlib.util.find_spec(f"test.test_{subject}") is None:
        pytest.skip("this interpreter comes without CPython's `test` package")
    result = CliRunner().invoke(main, ["--through", through, "--only", subject])
    assert result.exit_code == 0, result.output
    _, found, whole = [line.split() for line in result.output.splitlines()[:3]]
    functions, replaced, tests, passed, accepted, new = map(int, found[1:])
    assert found[0] == subject and whole[0] == "all"
    assert functions == replaced > 0 and tests == passed > 0 and accepted == new == 0
