"""Loops as text of the IR: those that no Python has, with several entries or without one that comes first.

    an irreducible loop: b1 and b2 lead to each other, b0 to both    ->    `a * b` is computed in b0

Invariant: the interpreter sees the same results and the same calls in the same order, before and behind each pass.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from futamura.ir.interp import run
from futamura.ir.parse import parse_program
from futamura.ir.text import print_program
from futamura.ir.verify import VerificationError
from futamura.optimize.pipeline import optimize
from futamura.optimize.shapes import Shape

NUMBERS = {name: Shape("int") for name in ("a", "b", "n")}

IRREDUCIBLE = """program f

func f(t, a, b, n) module m
b0(v0:t, v1:a, v2:b, v3:n):
  v4 = const 0
  v5 = gt v1, v2
  branch v5 -> b1(v4) | b2(v4)
b1(v6:i):
  v7 = call v0, v6
  v8 = mul v1, v2
  v9 = add v6, v8
  jump b2(v9)
b2(v10:j):
  v11 = floordiv v1, v2
  v12 = add v10, v11
  v13 = lt v12, v3
  branch v13 -> b1(v12) | b3()
b3():
  return v12
"""

TWO_WAYS_IN = """program f

func f(t, a, b, n) module m
b0(v0:t, v1:a, v2:b, v3:n):
  v4 = const 0
  v5 = const 5
  v6 = gt v1, v2
  branch v6 -> b1(v4) | b2()
b1(v7:i):
  v8 = floordiv v1, v2
  v9 = call v0, v7
  v10 = add v7, v8
  v11 = lt v10, v3
  branch v11 -> b1(v10) | b3()
b2():
  v12 = call v0, v1
  jump b1(v5)
b3():
  return v10
"""

CAUGHT = """program f

func f(t, a, b, n) module m
  region 1 try flavor except in 0 handler b3
  region 2 except in 0 of 1
b0(v0:t, v1:a, v2:b, v3:n):
  v4 = const 0
  jump b1(v4)
b1(v5:i) in 1 handler b3(v5, v3):
  v6 = floordiv v1, v2
  v7 = call v0, v5
  v8 = add v5, v6
  v9 = lt v8, v3
  branch v9 -> b1(v8) | b2()
b2():
  return v8
b3(v10, v11:j, v13:k) in 2:
  v12 = tuple v11, v13
  jump b4()
b4() in 2:
  return v12
"""

CAUGHT_UNPASSED = """program f

func f(t, a, b, n) module m
  region 1 try flavor except in 0 handler b3
  region 2 except in 0 of 1
b0(v0:t, v1:a, v2:b, v3:n):
  v4 = const 0
  jump b1(v4)
b1(v5:i) in 1 handler b3():
  v6 = floordiv v1, v2
  v7 = call v0, v5
  v8 = add v5, v6
  v9 = lt v8, v3
  branch v9 -> b1(v8) | b2()
b2():
  return v8
b3(v10) in 2:
  jump b4()
b4() in 2:
  return v5
"""

EXITS = """program f

func f(t, a, b, n) module m
b0(v0:t, v1:a, v2:b, v3:n):
  v4 = const 0
  jump b1(v4)
b1(v5:i):
  v6 = call v0, v5
  v7 = lt v5, v3
  branch v7 -> b2() | b4()
b2():
  v8 = call v0, v1
  v9 = floordiv v1, v2
  v10 = add v5, v9
  v11 = gt v10, v1
  branch v11 -> b3() | b1(v10)
b3():
  v12 = add v10, v9
  jump b5(v12)
b4():
  jump b5(v5)
b5(v13):
  v14 = tuple v13, v6
  return v14
"""

WHILE = """program f

func f(t, a, b, n) module m
b0(v0:t, v1:a, v2:b, v3:n):
  v4 = const 0
  jump b1(v4)
b1(v5:i):
  v6 = sub v3, v5
  v7 = const 0
  v8 = gt v6, v7
  branch v8 -> b2() | b3()
b2():
  v9 = floordiv v1, v2
  v10 = call v0, v9
  v11 = add v5, v9
  jump b1(v11)
b3():
  v12 = tuple v5, v6
  return v12
"""

LOOPS = (IRREDUCIBLE, TWO_WAYS_IN, CAUGHT, CAUGHT_UNPASSED, EXITS, WHILE)
ARGUMENTS = ((7, 2, 30), (2, 7, 3), (2, 1, 9), (3, 0, 9), (0, 0, 0), (9, 4, 0), (1, 3, 1))


def seen(text: str, values: Sequence[int]) -> object:
    """The result, or the exception, and what `t` was called with."""
    calls: list[object] = []

    def t(value: object) -> int:
        calls.append(value)
        if len(calls) > 50:
            raise ZeroDivisionError("enough")
        return len(calls)

    try:
        return run(parse_program(text), (t, *values), globals={}, fuel=10_000), calls
    except ZeroDivisionError as error:
        return str(error), calls


def behind(text: str, *passes: str) -> str:
    """The text behind these passes, which must mean the same for some arguments."""
    result = changed(text, *passes)
    for values in ARGUMENTS:
        assert seen(text, values) == seen(result, values), values
    return result


def changed(text: str, *passes: str) -> str:
    return print_program(optimize(parse_program(text), passes, given=NUMBERS)[0], [])


def differs(text: str, *passes: str) -> bool:
    """Do the passes change what the program means?"""
    try:
        result = changed(text, *passes)
    except VerificationError:
        return True
    return any(seen(text, values) != seen(result, values) for values in ARGUMENTS)


def block(text: str, number: int) -> list[str]:
    """The lines of a block, without its head."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"b{number}("))
    end = next((at for at in range(start + 1, len(lines)) if lines[at].startswith("b")), len(lines))
    return [line.strip() for line in lines[start + 1 : end]]


def names(text: str, number: int) -> list[str]:
    """The operators of a block."""
    return [line.partition(" = ")[2].split(" ")[0] for line in block(text, number) if " = " in line]


def test_irreducible_loop_is_left_by_what_cannot_raise() -> None:
    result = behind(IRREDUCIBLE, "licm")
    assert names(result, 0) == ["const", "gt", "mul"]
    assert "floordiv" in names(result, 2) and "mul" not in names(result, 1)
    assert behind(IRREDUCIBLE, "peel") == print_program(parse_program(IRREDUCIBLE), [])


def test_two_ways_in_meet_in_a_preheader() -> None:
    result = behind(TWO_WAYS_IN, "licm")
    (preheader,) = [n for n in range(5) if names(result, n) == ["floordiv"]]
    assert block(result, preheader)[-1].startswith("jump b1(")
    assert sum(f"b{preheader}(" in line for line in result.splitlines() if " -> " in line or "jump" in line) == 2
    assert "floordiv" not in names(result, 1)


def test_what_raises_finds_its_handler_with_its_values() -> None:
    result = behind(CAUGHT, "licm")
    (preheader,) = [n for n in range(6) if names(result, n) == ["floordiv"]]
    (head,) = [line for line in result.splitlines() if line.startswith(f"b{preheader}(")]
    assert " in 1 handler b3(v" in head
    assert seen(result, (3, 0, 9)) == ((0, 9), [])


def test_what_a_handler_uses_without_being_passed_has_one_definition() -> None:
    result = behind(CAUGHT_UNPASSED, "licm")
    assert "floordiv" in names(result, 1), "a preheader would lead to the handler with no value of the loop"
    assert seen(result, (3, 0, 9)) == (0, [])
    unused = behind(CAUGHT_UNPASSED.replace("return v5", "return v1"), "licm")
    assert "floordiv" not in names(unused, 1)


def test_values_that_leave_a_peeled_loop_are_joined() -> None:
    assert behind(EXITS, "licm").count("floordiv") == 1, "a call comes before it: it stays in the loop"
    result = behind(EXITS, "peel")
    assert result.count("floordiv") == 1, "the loop uses that of the first round"
    assert result.count("call v0") == 4
    assert "b3(v13, v14):" in result and "b4(v16:i, v17):" in result, "both ways out join what they need"


def test_inversion_lets_what_may_raise_leave() -> None:
    assert names(behind(WHILE, "licm"), 2)[0] == "floordiv", "there may be no round"
    inverted = behind(WHILE, "invert")
    assert inverted.count("gt v") == 2 and inverted.count("call v0") == 1, "the test only is there twice"
    assert behind(WHILE, "invert", "invert") == inverted
    hoisted = behind(WHILE, "invert", "licm")
    blocks = [line for line in hoisted.splitlines() if line.startswith("b")]
    (guarded,) = [at for at in range(len(blocks)) if names(hoisted, at) == ["floordiv"]]
    assert block(hoisted, guarded)[-1].startswith("jump "), "a preheader behind the test"


@pytest.mark.parametrize("text", LOOPS)
def test_the_pipeline_means_the_same(text: str) -> None:
    behind(text, "licm", "peel", "dce")
    behind(text, "invert", "licm", "invert", "dce")
    behind(behind(text, "peel", "parameters", "cse", "licm"), "typefold", "peel", "dce")
