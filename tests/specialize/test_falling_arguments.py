"""Recursion behind dynamic control whose known argument falls from call to call: it ends, and is told apart.

    def det(n, m):                       minor is made by a dynamic loop, n - 1 is known
        ... det(n - 1, minor)            n = 3 is gone; from 5 on, each n has a function of its own

Invariant: what may not come to an end is not told apart: arguments that rise, that are large, or fall below 0.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome


def det(n: Any, m: Any) -> Any:
    if n == 1:
        return m[0][0]
    total = 0
    for c in range(n):
        minor = [row[:c] + row[c + 1 :] for row in m[1:]]
        total += (-1) ** c * m[0][c] * det(n - 1, minor)
    return total


def halves(depth: Any, xs: Any) -> Any:
    if depth == 0 or len(xs) < 2:
        return [sum(xs)]
    middle = [x for x in xs if x <= xs[0]]
    return halves(depth - 1, middle) + halves(depth - 1, xs[len(middle) :])


def nested(depth: Any, value: Any) -> Any:
    if isinstance(value, list):
        return "..." if depth == 0 else [nested(depth - 1, one) for one in value]
    return value


def by_two(n: Any, xs: Any) -> Any:
    found = [x + n for x in xs if x]
    return found if n <= 0 else by_two(n - 2, found)


def below_zero(n: Any, xs: Any) -> Any:
    return n if not xs else below_zero(n - 1, xs[1:])


def rising(n: Any, xs: Any) -> Any:
    return n if not xs else rising(n + 1, xs[1:])


def to_and_fro(n: Any, xs: Any) -> Any:
    return n if not xs else to_and_fro(n - 1 if n > 2 else n + 1, xs[1:])


def by_another(n: Any, xs: Any) -> Any:
    return n if not xs else other(n - 1, xs[1:])


def other(n: Any, xs: Any) -> Any:
    return n if not xs else by_another(n + 1, xs[1:])


def ackermann(m: Any, n: Any) -> Any:
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def matrix(n: int, seed: int) -> list[list[int]]:
    draw = random.Random(seed)
    return [[draw.randrange(-5, 6) for _ in range(n)] for _ in range(n)]


LISTS: list[Any] = [[], [1], [3, 1, 2, 5, 4], list(range(12)), 5]
CASES: list[tuple[Callable[..., Any], list[int], Callable[[int], list[Any]]]] = [
    (det, [1, 2, 3, 4, 5, 7, 11], lambda n: [matrix(n, n) if n < 8 else [[0] * n] * n, [[1]], []]),
    (halves, [0, 1, 4, 8, 40], lambda n: LISTS),
    (nested, [0, 1, 3, 30], lambda n: [1, [1, [2, [3, [4]]]], [[[[[[]]]]]]]),
    (by_two, [0, 1, 8, 9, 300], lambda n: LISTS),
    (below_zero, [0, 3, 8, 9], lambda n: LISTS),
    (rising, [0, 3, 8], lambda n: LISTS),
    (to_and_fro, [0, 3, 8], lambda n: LISTS),
    (by_another, [0, 3, 8], lambda n: LISTS),
    (ackermann, [0, 1, 2], lambda n: [0, 1, 2, 7, 1.0]),
    (ackermann, [3], lambda n: [0, 1, 2, 3]),
]


@pytest.mark.parametrize(("function", "numbers", "inputs"), CASES)
def test_like_the_original(
    function: Callable[..., Any], numbers: list[int], inputs: Callable[[int], list[Any]]
) -> None:
    for number in numbers:
        residual = specialize(function, number)
        for value in inputs(number) if function is not det or number < 8 else inputs(number)[1:]:
            assert outcome(residual, value) == outcome(function, number, value), residual.source


GONE = [(det, 3, "n"), (halves, 4, "depth"), (by_two, 8, "n"), (ackermann, 3, "m")]


@pytest.mark.parametrize(("function", "number", "gone"), GONE)
def test_the_argument_is_gone(function: Callable[..., Any], number: int, gone: str) -> None:
    residual = specialize(function, number)
    assert residual.stats["specialized"] and "FT401" not in residual.stats["notes"]
    assert f"{gone} -" not in residual.source and "range(" not in residual.source, residual.source


@pytest.mark.parametrize("n", [5, 6, 8, 9])
def test_where_it_gets_long_each_number_has_a_function(n: int) -> None:
    residual = specialize(det, n)
    assert residual.stats["notes"].keys() <= {"FT402", "FT407"}, residual.stats["notes"]
    assert len(residual.source.splitlines()) < 20 * n and "range(" not in residual.source
    assert residual.source.count("def ") == n - 1


@pytest.mark.parametrize("function", [below_zero, rising, to_and_fro])
def test_below_zero_it_is_an_argument(function: Callable[..., Any]) -> None:
    residual = specialize(function, 3)
    assert residual.stats["specialized"] and "FT401" not in residual.stats["notes"], residual.stats["notes"]
    assert len(residual.source.splitlines()) < 40, residual.source
