# ruff: noqa: C416, C417  # the builtins are what is tested
"""Builtins that our own Python stands for, with a function known and what they go through open: anything, or nothing to
iterate over.  The errors are theirs, with their texts, and without a context."""

from __future__ import annotations

import collections
import functools
import heapq
import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize


def same(y: Any) -> Any:
    return y


def pair(a: Any, b: Any = None) -> Any:
    return a, b


CALLS: list[Callable[[Any], Any]] = [
    lambda x: functools.reduce(lambda a, b: (a, b), x),
    lambda x: functools.reduce(lambda a, b: (a, b), x, 1),
    lambda x: functools.reduce(pair, map(same, x)),
    lambda x: functools.reduce(lambda a, b: [*a, b], [y for y in x], []),
    lambda x: list(map(lambda y: (y, 1), x)),
    lambda x: list(filter(lambda y: y, x)),
    lambda x: sorted(x, key=lambda y: str(y)),
    lambda x: min(x, key=lambda y: str(y)),
    lambda x: max(x, key=lambda y: str(y), default=1),
    lambda x: list(itertools.starmap(pair, x)),
    lambda x: list(itertools.accumulate(x, pair)),
    lambda x: list(itertools.accumulate(x, pair, initial=3)),
    lambda x: list(itertools.takewhile(lambda y: y, x)),
    lambda x: list(itertools.dropwhile(lambda y: y, x)),
    lambda x: list(itertools.filterfalse(lambda y: y, x)),
    lambda x: [(k, list(g)) for k, g in itertools.groupby(x, lambda y: str(y))],
    lambda x: "".join(map(lambda y: str(y), x)),
    lambda x: "-".join(x),
    lambda x: sum(map(lambda y: 1, x)),
    lambda x: dict(map(lambda y: (str(y), 1), x)),
    lambda x: list(zip(map(same, x), x, strict=False)),
    lambda x: list(map(lambda a, b: (a, b), x, (1, 2))),
    lambda x: next(filter(lambda y: y, x), None),
    lambda x: math.prod(map(lambda y: 2, x)),
    lambda x: list(itertools.chain(map(same, x), x)),
    lambda x: list(itertools.islice(map(same, x), 1)),
    lambda x: heapq.nlargest(2, x, key=lambda y: str(y)),
    lambda x: collections.Counter(str(y) for y in x),
    lambda x: [1, *x],
    lambda x: dict(x),
    lambda x: {1}.union(x),
    lambda x: [*enumerate(x)],
    lambda x: (any(x), all(x)),
]


class Bare:
    pass


class Refusing:
    def __iter__(self) -> Any:
        raise TypeError("mine")


class Lying:
    def __iter__(self) -> Any:
        return 5


class Closed:
    __iter__ = None


class Failing:
    def __iter__(self) -> Any:
        raise ValueError("v")


class Indexed:
    def __getitem__(self, at: int) -> int:
        return (3, 1)[at]


class Stepping:
    """An iterator that cannot be iterated over."""

    def __init__(self) -> None:
        self.left = [(1, 2), (3, 4)]

    def __next__(self) -> Any:
        if not self.left:
            raise StopIteration
        return self.left.pop()


class Handing:
    def __iter__(self) -> Any:
        return Stepping()


INPUTS: list[Callable[[], Any]] = [
    Bare,
    Refusing,
    Lying,
    Closed,
    Failing,
    Indexed,
    Handing,
    lambda: 5,
    lambda: None,
    lambda: [1, 2],
    lambda: "ab",
    lambda: {1: 2},
    lambda: [(1, 2)],
    lambda: (),
    lambda: iter([3, 4]),
    lambda: (y for y in (0, 1)),
]


def outcome(call: Callable[[Any], Any], x: Any) -> Any:
    try:
        return repr(call(x))
    except Exception as error:
        return repr(error), repr(error.__cause__), repr(error.__context__), error.__suppress_context__




@pytest.mark.parametrize("at", range(len(CALLS)))
def test_like_the_original(at: int) -> None:
    residual = specialize(CALLS[at])
    assert not residual.stats["fallbacks"], residual.events
    for make in INPUTS:
        assert outcome(residual, make()) == outcome(CALLS[at], make()), make
