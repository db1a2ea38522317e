"""`yield from` in a generator that stays: what is sent, thrown or closed gets to what it delegates to.

    def f(xs, k):
        yield from chain(xs, [k])        f([1, 2], 3).send("v")  is an AttributeError: a chain takes nothing
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura


def big(x: Any) -> bool:
    return bool(x > 1)


def pair(*args: Any) -> tuple[Any, ...]:
    return args


ITERABLES: dict[str, Callable[[Any, Any], Any]] = {
    "repeat": lambda xs, k: itertools.repeat(xs),
    "repeat few": lambda xs, k: itertools.repeat(xs, k),
    "chain": lambda xs, k: itertools.chain(xs, [k]),
    "chain of": lambda xs, k: itertools.chain.from_iterable([xs, xs]),
    "count": lambda xs, k: itertools.count(k),
    "cycle": lambda xs, k: itertools.cycle(xs),
    "compress": lambda xs, k: itertools.compress(xs, [1, 1, 1]),
    "dropwhile": lambda xs, k: itertools.dropwhile(big, xs),
    "takewhile": lambda xs, k: itertools.takewhile(big, xs),
    "filter": lambda xs, k: filter(big, xs),
    "filter false": lambda xs, k: itertools.filterfalse(big, xs),
    "map": lambda xs, k: map(pair, xs, xs),
    "starmap": lambda xs, k: itertools.starmap(pair, [*zip(xs, xs)]),
    "zip longest": lambda xs, k: itertools.zip_longest(xs, [1]),
    "accumulate": lambda xs, k: itertools.accumulate(xs),
    "pairwise": lambda xs, k: itertools.pairwise(xs),
    "islice": lambda xs, k: itertools.islice(xs, 2),
    "enumerate": lambda xs, k: enumerate(xs, k),
    "zip": lambda xs, k: zip(xs, range(k)),
    "reversed": lambda xs, k: reversed(xs),
    "list": lambda xs, k: [1, 2, k],
    "range": lambda xs, k: range(k),
    "text": lambda xs, k: "abc",
    "dict": lambda xs, k: {1: 2, 3: 4},
    "items": lambda xs, k: {1: 2, 3: 4}.items(),
    "generator": lambda xs, k: (x for x in xs),
    "asked": lambda xs, k: iter(functools.partial(int, k), 6),
}


def inner(make: Any, xs: Any, k: Any) -> Iterator[Any]:
    yield from make(xs, k)
    yield "inner"


def once(make: Any, xs: Any, k: Any) -> Iterator[Any]:
    yield from make(xs, k)
    yield "end"


def twice(make: Any, xs: Any, k: Any) -> Iterator[Any]:
    yield from inner(make, xs, k)
    yield from inner(make, xs, k)


def started(make: Any, xs: Any, k: Any) -> Iterator[Any]:
    items = iter(make(xs, k))
    yield next(items)
    yield from items


def _asked(made: Iterator[Any], ask: Callable[[Any], Any]) -> list[object]:
    seen: list[object] = [next(made)]
    for step in (lambda: ask(made), lambda: next(made), lambda: ask(made), lambda: next(made)):
        try:
            seen.append(step())
        except BaseException as error:
            seen.append((type(error), str(error)))
    return seen


@pytest.mark.parametrize("name", ITERABLES)
@pytest.mark.parametrize("function", [once, twice, started])
def test_what_gets_to_an_iterator(name: str, function: Callable[..., Iterator[Any]]) -> None:
    make = ITERABLES[name]
    residual = futamura.specialize(function, make=make, k=3)
    asks: list[Callable[[Any], Any]] = [
        lambda made: made.send("v"),
        lambda made: made.send(None),
        lambda made: made.throw(KeyError("k")),
        lambda made: made.close(),
    ]
    for ask in asks:
        assert _asked(residual([2, 3, 1]), ask) == _asked(function(make, [2, 3, 1], 3), ask)
    assert [*itertools.islice(residual([2, 3, 1]), 9)] == [*itertools.islice(function(make, [2, 3, 1], 3), 9)]
