"""Generators that stand for the iterators of builtins, where their consumer is known.

    for v in chain(("a", "b"), names): ...    ->    the loops of `chain_of`, entered with its arguments

Each takes from its sources what the builtin's `__next__` would, in the same order.  Like those of `library`, these
functions are only specialized, never called.  A builtin lets the StopIteration of a function that it calls through:
those in `ENDING` end there, too, and stand in where one cannot be excluded (`ends` says where its value may be seen).

Invariant: who goes on asking behind an exception or the end gets the builtin itself, from its start.
"""

# ruff: noqa: UP028, B007
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

__all__ = [
    "ENDING",
    "accumulate_of",
    "asking_all",
    "asking_first",
    "asking_second",
    "chain_from",
    "chain_of",
    "compress_of",
    "count_of",
    "cycle_of",
    "dropwhile_of",
    "filter_of",
    "filterfalse_of",
    "front_and_rest",
    "islice_of",
    "longest_of",
    "map_2",
    "map_of",
    "own_iterator",
    "pairwise_of",
    "repeat_of",
    "starmap_of",
    "takewhile_of",
]


def map_of(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        yield function(item)


def filter_of(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        if function(item):
            yield item


def map_2(function: Callable[..., Any], iterator: Iterator[Any], second_iterator: Iterator[Any]) -> Iterator[Any]:
    for x in iterator:
        for y in second_iterator:
            break
        else:
            return
        yield function(x, y)


def chain_of(*iterables: Iterable[Any]) -> Iterator[Any]:
    for iterable in iterables:
        for item in iterable:
            yield item


def chain_from(iterator: Iterator[Iterable[Any]]) -> Iterator[Any]:
    for iterable in iterator:
        for item in iterable:
            yield item


def starmap_of(function: Callable[..., Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for args in iterator:
        yield function(*tuple(args))


def takewhile_of(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        if not function(item):
            return
        yield item


def dropwhile_of(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        if not function(item):
            yield item
            break
    else:
        return
    for item in iterator:
        yield item


def filterfalse_of(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        if not function(item):
            yield item


def accumulate_of(iterator: Iterator[Any], function: Callable[[Any, Any], Any]) -> Iterator[Any]:
    for total in iterator:
        break
    else:
        return
    yield total
    for item in iterator:
        total = function(total, item)
        yield total


def pairwise_of(iterator: Iterator[Any]) -> Iterator[Any]:
    for before in iterator:
        break
    else:
        return
    for item in iterator:
        yield before, item
        before = item


def compress_of(iterator: Iterator[Any], second_iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        for chosen in second_iterator:
            break
        else:
            return
        if chosen:
            yield item


def islice_of(iterator: Iterator[Any], start: int, stop: int, step: int) -> Iterator[Any]:
    """No item behind the last one that is given is taken, but those before `stop` are."""
    at = 0
    wanted = start
    while at < stop:
        for item in iterator:
            break
        else:
            return
        if at == wanted:
            wanted = wanted + step
            yield item
        at = at + 1


def longest_of(iterator: Iterator[Any], second_iterator: Iterator[Any], fill: Any) -> Iterator[Any]:
    for x in iterator:
        for y in second_iterator:
            break
        else:
            yield x, fill
            break
        yield x, y
    else:
        for y in second_iterator:
            yield fill, y
        return
    for x in iterator:
        yield x, fill


def count_of(start: int, step: int) -> Iterator[int]:
    while True:
        yield start
        start = start + step


def cycle_of(items: Sequence[Any]) -> Iterator[Any]:
    while items:
        for item in items:
            yield item


def repeat_of(item: Any) -> Iterator[Any]:
    while True:
        yield item


# -- builtins that ask an object for its iterator first


def own_iterator(iterator: Any) -> Any:
    """The specializer knows this function: what takes the items of an iterator that was asked for."""
    raise TypeError


def asking_first(builtin: Callable[..., Any], first: Any, *rest: Any, **options: Any) -> Any:
    return builtin(own_iterator(iter(first)), *rest, **options)


def asking_second(builtin: Callable[..., Any], function: Any, first: Any, *rest: Any) -> Any:
    return builtin(function, own_iterator(iter(first)), *rest)


def asking_all(builtin: Callable[..., Any], *iterables: Any, **options: Any) -> Any:
    return builtin(*[own_iterator(iter(iterable)) for iterable in iterables], **options)


def front_and_rest(iterable: Iterable[Any], before: int) -> list[Any]:
    """The items of an unpacking with a star: the iterator is asked for one of its own for what the star takes."""
    iterator = iter(iterable)
    front = []
    for _ in range(before):
        try:
            front.append(next(iterator))
        except StopIteration:
            return front
    return front + list(iterator)


# -- generators as above, where a function that is called may raise StopIteration


def map_ending(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        try:
            value = function(item)
        except StopIteration:
            return
        yield value


def map_2_ending(
    function: Callable[..., Any], iterator: Iterator[Any], second_iterator: Iterator[Any]
) -> Iterator[Any]:
    for x in iterator:
        for y in second_iterator:
            break
        else:
            return
        try:
            value = function(x, y)
        except StopIteration:
            return
        yield value


def filter_ending(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        try:
            if not function(item):
                continue
        except StopIteration:
            return
        yield item


def filterfalse_ending(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        try:
            if function(item):
                continue
        except StopIteration:
            return
        yield item


def starmap_ending(function: Callable[..., Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for args in iterator:
        try:
            value = function(*tuple(args))
        except StopIteration:
            return
        yield value


def takewhile_ending(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        try:
            if not function(item):
                return
        except StopIteration:
            return
        yield item


def dropwhile_ending(function: Callable[[Any], Any], iterator: Iterator[Any]) -> Iterator[Any]:
    for item in iterator:
        try:
            if function(item):
                continue
        except StopIteration:
            return
        yield item
        break
    else:
        return
    for item in iterator:
        yield item


def accumulate_ending(iterator: Iterator[Any], function: Callable[[Any, Any], Any]) -> Iterator[Any]:
    for total in iterator:
        break
    else:
        return
    yield total
    for item in iterator:
        try:
            total = function(total, item)
        except StopIteration:
            return
        yield total


ENDING: Final[dict[object, Callable[..., Iterator[Any]]]] = {
    map_of: map_ending,
    map_2: map_2_ending,
    filter_of: filter_ending,
    filterfalse_of: filterfalse_ending,
    starmap_of: starmap_ending,
    takewhile_of: takewhile_ending,
    dropwhile_of: dropwhile_ending,
    accumulate_of: accumulate_ending,
}
