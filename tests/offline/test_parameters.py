"""Tuples that cross calls are passed as their items where nobody can tell, and whole elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from futamura import Specializer
from futamura.frontend.python import lower
from futamura.ir.graph import Program
from futamura.ir.interp import run
from futamura.ir.verify import verify_program
from futamura.specializer.offline.linking import link
from futamura.specializer.world import World


def machine(code: Any, x: Any) -> Any:
    return step(code, (0, x, (1, x)))


def step(code: Any, state: Any) -> Any:
    pc, value, (count, start) = state
    if pc == len(code):
        return [value, count, start]
    name, amount = code[pc]
    if name == "add":
        return step(code, (pc + 1, value + amount, (count + 1, start)))
    if name == "keep":
        state = (pc + 1, value, (count, value))
    else:
        state = (pc + 1, value * amount, (count, start))
    return step(code, state)


CODE = (("add", 3), ("mul", 2), ("keep", 0), ("add", 1))


def looked_at(flag: Any, x: Any) -> Any:
    return seen((1, x))


def seen(pair: Any) -> Any:
    first, second = pair
    return (first, second, pair)


def two_lengths(flag: Any, x: Any) -> Any:
    return length_of((x, 1)) + length_of((x, 1, 2))


def length_of(items: Any) -> Any:
    return items[0] + items[1]


def not_always(flag: Any, x: Any) -> Any:
    return first_of((x, 1)) if flag else first_of([x, 2])


def first_of(items: Any) -> Any:
    return items[0]


def through(flag: Any, x: Any) -> Any:
    pair = (flag, x)
    if flag:
        pair = (x, flag)
    return [outer(pair, 0), outer((x, 3), 1)]


def outer(pair: Any, depth: Any) -> Any:
    if depth > 2:
        return inner(pair)
    return outer(pair, depth + 1)


def inner(pair: Any) -> Any:
    left, right = pair
    return left - right


def beyond(flag: Any, x: Any) -> Any:
    return third((x, flag))


def third(pair: Any) -> Any:
    return pair[2] if pair[0] else pair[1]


def passed_by_name(flag: Any, x: Any) -> Any:
    return [first_of((x, 1)), list(map(first_of, [[x], (flag,)]))]


CASES = [machine, looked_at, two_lengths, not_always, through, beyond, passed_by_name]


def linked(function: Any) -> Program:
    def lowered(found: Any) -> Any:
        done = lower(found)
        return done.program, done.program.main, found.__globals__, ()

    return link(function, lowered, World()).program


def tuples(program: Program) -> int:
    return sum(operation.name == "tuple" for function in program.functions for operation in function.operations())


@pytest.mark.parametrize(
    ("function", "kept"),
    [(machine, 0), (looked_at, 2), (two_lengths, 2), (not_always, 1), (through, 0), (beyond, 1), (passed_by_name, 1)],
)
def test_tuples_that_are_left(function: Callable[..., Any], kept: int) -> None:
    program = linked(function)
    verify_program(program)
    assert tuples(program) == kept


@pytest.mark.parametrize("function", CASES)
def test_the_split_program_does_the_same(function: Callable[..., Any]) -> None:
    program = linked(function)
    for a, b in ((CODE, 2), ((), 5), ((0,), -1), ((3, 4), 0)):
        try:
            wanted: Any = function(a, b)
        except (TypeError, ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                run(program, (a, b), globals=function.__globals__)
        else:
            assert run(program, (a, b), globals=function.__globals__) == wanted


@pytest.mark.parametrize("division", ["simple", "safe", "bounded"])
def test_the_static_part_of_a_state_that_crosses_calls_is_static(division: Any) -> None:
    residual = Specializer(mode="offline", division=division)(machine, code=CODE)
    assert residual.stats["specialized"], residual.events
    assert "len(" not in residual.source and "if" not in residual.source, residual.source
    assert [residual(x) for x in (0, 2, 5)] == [machine(CODE, x) for x in (0, 2, 5)]


@pytest.mark.parametrize("function", CASES[1:])
def test_residuals(function: Callable[..., Any]) -> None:
    for flag in (0, 3):
        residual = Specializer(mode="offline")(function, flag=flag)
        for x in (0, 2, -1):
            try:
                wanted = function(flag, x)
            except (TypeError, IndexError) as error:
                with pytest.raises(type(error)):
                    residual(x)
            else:
                assert residual(x) == wanted
