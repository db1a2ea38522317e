"""Tuples that are only taken apart are split, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from futamura import Specializer
from futamura.frontend.python import lower
from futamura.ir.interp import run
from futamura.specializer.offline.splitting import split_tuples


def state(n: Any, x: Any) -> Any:
    here = (0, x)
    while here[0] < n:
        here = (here[0] + 1, here[1] * x)
    return here[1]


def swapped(a: Any, b: Any) -> Any:
    pair = (a, b)
    for _ in range(3):
        left, right = pair
        pair = (right, left)
    first, second = pair
    return [first, second]


def nested(n: Any, x: Any) -> Any:
    whole = (n, (x, 1))
    count, inner = whole
    value, step = inner
    return count + value + step


def returned(a: Any, b: Any) -> Any:
    pair = (a, b)
    return pair if a else pair[0]


def measured(a: Any, b: Any) -> Any:
    pair = (a, b)
    return len(pair) + pair[0]


def beyond(a: Any, b: Any) -> Any:
    pair = (a, b)
    return pair[2] if a else pair[0]


def mixed(a: Any, b: Any) -> Any:
    pair = (a, b)
    if a:
        pair = (a, b, a)
    return pair[0] + pair[-1]


def tuples(function: Callable[..., Any]) -> int:
    return sum(operation.name == "tuple" for operation in split_tuples(lower(function).program.main).operations())


@pytest.mark.parametrize("function", [state, swapped, nested])
def test_split(function: Callable[..., Any]) -> None:
    assert tuples(function) == 0


@pytest.mark.parametrize(("function", "kept"), [(returned, 1), (measured, 1), (beyond, 1), (mixed, 2)])
def test_not_split(function: Callable[..., Any], kept: int) -> None:
    assert tuples(function) == kept


@pytest.mark.parametrize("function", [state, swapped, nested, returned, measured, mixed])
def test_the_split_function_does_the_same(function: Callable[..., Any]) -> None:
    program = lower(function).program
    split = type(program)(program.entry, (split_tuples(program.main), *program.functions[1:]))
    for a, b in ((0, 3), (2, 5), (3, -1)):
        assert run(split, (a, b), globals=function.__globals__) == function(a, b)


def test_the_static_part_of_a_tuple_is_static() -> None:
    residual = Specializer(mode="offline")(state, n=3)
    assert "while" not in residual.source
    assert [residual(x) for x in (0, 2, 5)] == [state(3, x) for x in (0, 2, 5)]
