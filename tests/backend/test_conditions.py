"""Conditions that become expressions: a value that two of them test is computed once, and has a variable.

    b1: branch v4 -> b2 | b3 ... b4: branch v4 -> b5 | b6     ->     _1 = callable(x); ... if _1 and ... or _1 ...

Invariant: a tree that reads a variable counts as a use of it.
"""

from __future__ import annotations

from futamura.backend.python.emit import emit
from futamura.ir.text import parse_program

TESTED_TWICE = """program f

func f(x, y)
b0(v0:x, v1:y):
  v2::bool = truth v1
  branch v2 -> b8() | b1()
b1():
  v3 = const builtins:callable
  v4::bool = call v3, v0
  branch v4 -> b2() | b3()
b2():
  v5::bool = call v3, v1
  branch v5 -> b7() | b3()
b3():
  v6::bool = call v3, v3
  branch v6 -> b5() | b4()
b4():
  branch v4 -> b5() | b6()
b5():
  v7 = const 'a'
  jump b9(v7)
b6():
  v8 = const 'b'
  jump b9(v8)
b7():
  v9 = const 'c'
  jump b9(v9)
b8():
  v10 = const 'd'
  jump b9(v10)
b9(v11):
  return v11
"""
CHOSEN = TESTED_TWICE
for before, after in (
    ("branch v4 -> b2() | b3()", "branch v4 -> b2() | b7()"),
    ("branch v5 -> b7() | b3()", "branch v5 -> b3() | b4()"),
    ("branch v6 -> b5() | b4()", "branch v6 -> b5() | b6()"),
):
    CHOSEN = CHOSEN.replace(before, after)


def test_a_value_that_a_later_condition_tests_again_has_a_variable() -> None:
    text = emit(parse_program(TESTED_TWICE)).text
    assert text.count("_callable(x)") == 1
    assert "'c' if _1 and _callable(y) else 'a' if _callable(_callable) or _1 else 'b'" in text


def test_a_value_that_is_one_of_two_conditions_has_a_variable() -> None:
    text = emit(parse_program(CHOSEN)).text
    assert text.count("_callable(x)") == 1
    assert "('a' if (_callable(_callable) if _callable(y) else _1) else 'b') if _1 else 'c'" in text
