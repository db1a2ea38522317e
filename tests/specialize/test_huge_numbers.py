"""Places and counts that are too large for any container are errors of the program, not of the specializer."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize

from .bounds import bounded


def inserted(at: Any, x: Any) -> Any:
    xs = [1, 2]
    xs.insert(at, x)
    return xs


def repeated(count: Any, x: Any) -> Any:
    return [1, x] * count


def repeated_tuple(count: Any, x: Any) -> Any:
    return count * (1, x)


def repeated_by_library(count: Any, x: Any) -> Any:
    return list(itertools.repeat(x, count))


def outcome(call: Callable[..., Any], *args: Any) -> Any:
    try:
        return call(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("function", [inserted, repeated, repeated_tuple, repeated_by_library])
@pytest.mark.parametrize("number", [-(10**20), -(2**63), -(2**63) + 1, -1, 0, 3, True])
def test_like_the_original(function: Callable[..., Any], number: int) -> None:
    residual = specialize(function, number)
    assert not residual.stats["fallbacks"], residual.events
    assert outcome(residual, "x") == outcome(function, number, "x"), residual.source


def test_the_largest_place() -> None:
    for at in (10**20, 2**63, 2**63 - 1):
        residual = specialize(inserted, at)
        assert not residual.stats["fallbacks"], residual.events
        assert outcome(residual, "x") == outcome(inserted, at, "x")


def in_vain(run: Callable[[int], Any], n: int, x: Any) -> Any:
    return run(n) if x else 0


HUGE = (
    lambda n: math.prod(range(1, n)),
    lambda n: math.fsum(range(n)),
    lambda n: "a" in range(n),
    lambda n: 0.5 in range(n),
    lambda n: range(n).index(0.5),
    lambda n: range(n).count(0.5),
    lambda n: operator.contains(range(n), 0.5),
    lambda n: operator.countOf(range(n), -1),
    lambda n: round(5, -n),
    lambda n: frozenset().union(range(n)),
    lambda n: (5).to_bytes(n, "big"),
    lambda n: int.to_bytes(5, n, "big"),
)


@pytest.mark.parametrize("run", HUGE, ids=range(len(HUGE)))
def test_what_would_take_for_ever_is_left(run: Callable[[int], Any]) -> None:
    """On a way that is not taken, where the original does nothing."""
    with bounded():
        residual = specialize(in_vain, run=run, n=10**11)
    assert not residual.stats["fallbacks"], residual.events
    assert residual(False) == 0 and len(residual.source) < 1000


@pytest.mark.parametrize("run", HUGE[:9], ids=range(9))
def test_small_ones_are_folded(run: Callable[[int], Any]) -> None:
    residual = specialize(in_vain, run=run, n=7)
    assert not residual.stats["fallbacks"], residual.events
    assert outcome(residual, True) == outcome(in_vain, run, 7, True)


def squared(k: int, x: Any, start: Any) -> Any:
    y = start
    if x:
        for _ in range(k):
            y = y * y
        return y > 5
    return 0


@pytest.mark.parametrize("start", [3, -3, None])
def test_bounds_of_what_is_squared_on_and_on(start: int | None) -> None:
    with bounded():
        residual = specialize(squared, k=40, **({} if start is None else {"start": start}))
    assert not residual.stats["fallbacks"], residual.events
    assert residual(False, *([] if start is not None else [7])) == 0
    assert residual(True, 1) is False if start is None else len(residual.source) < 40_000


def masked(k: int, x: Any) -> Any:
    y = (x & 255) + 2
    for _ in range(k):
        y = y * y
    return y % 1009, y > 5


def test_bounds_of_an_open_number() -> None:
    with bounded():
        residual = specialize(masked, k=12)
        specialize(masked, k=60)
    for x in (0, 1, 254, 255, -1, 10**9):
        assert residual(x) == masked(12, x)


def no_numbers(n: Any, x: Any) -> Any:
    return math.prod() if x else n


def test_a_product_of_nothing_is_an_error_of_the_program() -> None:
    residual = specialize(no_numbers, n=1)
    assert not residual.stats["fallbacks"], residual.events
    assert outcome(residual, True) == outcome(no_numbers, 1, True)
