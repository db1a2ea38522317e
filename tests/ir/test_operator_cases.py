"""`tests/cases/operators` has a case for every row of the table, and the case really uses the row.

The cases themselves are run by `tests/test_golden.py`: in Python, in the interpreter and as emitted code.
"""

from __future__ import annotations

import pytest

from futamura.driver import load_program
from futamura.frontend.python import lower
from futamura.ir.interp import run
from futamura.ir.ops import OPERATORS
from futamura.ir.text import parse_program
from tests import golden

CASES = {
    case.name: case for file in sorted((golden.CASES / "operators").glob("*.test")) for case in golden.read_cases(file)
}


INVOKE = parse_program("""program f
func f(a, b)
b0(v0:a, v1:b):
  v2 = invoke[g] v1, v0
  v3 = invoke[g] v2, v2
  return v3
func g(x, y)
b0(v0:x, v1:y):
  v2 = sub v0, v1
  return v2
""")
"""No Python source has this row: a function of the program, called directly."""


def test_invoke() -> None:
    assert run(INVOKE, (1, 5), globals={}) == 0
    call = load_program(INVOKE, {})
    assert [call(1, 5), call(2, 2)] == [0, 0]
    for call_it in (call, lambda a, b: run(INVOKE, (a, b), globals={})):
        with pytest.raises(TypeError, match="unsupported operand"):
            call_it(1, "x")


LISTS = {"car", "cdr", "cons", "null", "show"}
"""Rows of the flow-graph and the functional language; `tests/flow` has their cases."""


@pytest.mark.parametrize("name", sorted(set(OPERATORS) - {"invoke"} - LISTS))
def test_row_has_a_case(name: str) -> None:
    case = CASES[name]
    function, _ = golden.targets_of(golden.world(case), case.target)
    program = lower(function).program
    used = {operation.name for item in program.functions for operation in item.operations()}
    assert name in used
    assert case.runs
