"""What iterators end with: builtins let the StopIteration of a source, or of what they call, through.

Invariant: whoever sees it, by `next`, `yield from` or the cause of a RuntimeError, sees its value.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.outcomes import outcome
from tests.specialize.specializing import source_of, specialize


def rows(x: Any) -> Iterator[Any]:
    yield x
    return "done"


def plain(x: Any) -> Iterator[Any]:
    yield x
    yield x


def pairs(x: Any) -> Iterator[Any]:
    yield x, 1
    return "done"


def above(x: Any) -> Any:
    return x > 0


def stopping(x: Any) -> Any:
    if x == 2:
        raise StopIteration("stopped")
    return x


def both(a: Any, b: Any) -> Any:
    return a, b


MAKERS: dict[str, Callable[[Any], Iterator[Any]]] = {
    "map": lambda x: map(above, rows(x)),
    "map of two": lambda x: map(both, (1, 2), rows(x)),
    "map of a map": lambda x: map(above, map(above, rows(x))),
    "filter": lambda x: filter(above, rows(x)),
    "zip": lambda x: zip((1, 2), rows(x)),
    "enumerate": lambda x: enumerate(rows(x)),
    "chain": lambda x: itertools.chain(rows(x), rows(x)),
    "chain of a map": lambda x: itertools.chain.from_iterable(map(rows, rows(x))),
    "takewhile": lambda x: itertools.takewhile(above, rows(x)),
    "dropwhile": lambda x: itertools.dropwhile(above, rows(x)),
    "filterfalse": lambda x: itertools.filterfalse(above, rows(x)),
    "accumulate": lambda x: itertools.accumulate(rows(x), both),
    "pairwise": lambda x: itertools.pairwise(rows(x)),
    "compress": lambda x: itertools.compress(rows(x), (1, 1, 1)),
    "islice": lambda x: itertools.islice(rows(x), 4),
    "islice to its stop": lambda x: itertools.islice(rows(x), 1),
    "zip_longest": lambda x: itertools.zip_longest(rows(x), (1,)),
    "starmap": lambda x: itertools.starmap(both, pairs(x)),
    "generator expression": lambda x: (v for v in rows(x)),
    "generator": rows,
    "map that stops": lambda x: map(stopping, (1, x, 3)),
    "filter that stops": lambda x: filter(stopping, (1, x, 3)),
    "map over lists": lambda x: map(above, [x, 1]),
    "filter over plain generators": lambda x: filter(above, plain(x)),
}


def delegating(make: Callable[[Any], Iterator[Any]], x: Any) -> Any:
    def all_of_it() -> Iterator[Any]:
        result = yield from make(x)
        yield "it gave", result

    return list(all_of_it())


def asking(make: Callable[[Any], Iterator[Any]], x: Any) -> Any:
    iterator = make(x)
    found = []
    for _ in range(4):
        try:
            found.append(next(iterator))
        except StopIteration as end:
            return found, end.value, end.args
    return found


def by_method(make: Callable[[Any], Iterator[Any]], x: Any) -> Any:
    iterator = make(x)
    for _ in iterator:
        pass
    iterator = make(x)
    try:
        return [iterator.__next__(), iterator.__next__(), iterator.__next__(), iterator.__next__()]
    except StopIteration as end:
        return end.value, str(end)


def caused(make: Callable[[Any], Iterator[Any]], x: Any) -> Any:
    def firsts() -> Iterator[Any]:
        iterator = make(x)
        while True:
            yield next(iterator)

    try:
        return list(firsts())
    except RuntimeError as error:
        cause = error.__cause__
        return cause is not None and cause.args


@pytest.mark.parametrize("function", [delegating, asking, by_method, caused])
@pytest.mark.parametrize("name", MAKERS)
def test_an_end_is_seen(name: str, function: Callable[..., Any]) -> None:
    residual = specialize(function, MAKERS[name])
    for x in (2, 0, "a"):
        assert outcome(residual, x) == outcome(function, MAKERS[name], x)


def first_above(x: Any) -> Any:
    return next(filter(above, plain(x)))


def first_listed(x: Any, xs: Any) -> Any:
    return next(map(both, [x, 1], list(xs)))


@pytest.mark.parametrize("function", [first_above, first_listed])
def test_plain_ends_are_found_in_line(function: Callable[..., Any]) -> None:
    text = source_of(specialize(function))
    assert "map" not in text and "filter" not in text
    args = (1,) if function is first_above else (1, (2,))
    assert outcome(specialize(function), *args) == outcome(function, *args)
