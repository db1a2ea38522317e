"""What `yield from` gives is what the iterator ended with, also of one that the specializer does not know.

    def told(it):                      list(told(gen()))  where gen returns 5:  [..., 5]
        r = yield from it
        yield r

Invariant: every kind of iterable is tried at every use of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura
from futamura import Dyn
from tests.outcomes import outcome


def told(it: Any) -> Iterator[Any]:
    r = yield from it
    yield r


def listed(it: Any) -> list[Any]:
    return list(told(it))


def summed(it: Any, k: int) -> tuple[int, Any]:
    def inner() -> Iterator[Any]:
        return (yield from it)

    def outer() -> Iterator[Any]:
        r = yield from inner()
        yield r if r is not None else k

    total = 0
    last = None
    for item in outer():
        total += 1
        last = item
    return total, last


def unneeded(it: Any) -> list[Any]:
    def inner() -> Iterator[Any]:
        yield 0
        yield from it

    return [*inner()]


def through_builtins(it: Any) -> list[Any]:
    def mapped() -> Iterator[Any]:
        yield (yield from map(str, it))

    return list(mapped())


def through_a_generator_expression(it: Any) -> list[Any]:
    def chosen() -> Iterator[Any]:
        yield (yield from (x for x in it))

    return list(chosen())


def through_enumerate(it: Any) -> list[Any]:
    def numbered() -> Iterator[Any]:
        yield (yield from enumerate(it))

    return list(numbered())


def shared_in_a_loop(xs: Any) -> Any:
    last = None
    for i in xs:

        def inner(k: Any) -> Iterator[Any]:
            yield i  # noqa: B023 - closures that share a variable of the loop
            return k

        def outer(k: Any) -> Iterator[Any]:
            yield (yield from inner(k))

        xs = list(outer(i))
        last = xs
    return last


class Ending:
    """An iterator of its own class that ends with a value."""

    def __init__(self) -> None:
        self.left = 2

    def __iter__(self) -> Ending:
        return self

    def __next__(self) -> int:
        self.left -= 1
        if self.left < 0:
            raise StopIteration("the end")
        return self.left


def _returning() -> Iterator[int]:
    yield 1
    return 5


MADE: dict[str, Callable[[], Any]] = {
    "a list": lambda: [1, 2],
    "nothing": lambda: (),
    "a text": lambda: "ab",
    "a generator": _returning,
    "a class": Ending,
    "a map over a generator": lambda: map(str, _returning()),
    "a list iterator": lambda: iter([3]),
    "the items of a dict": lambda: iter({"a": 1}.items()),
    "no iterable": lambda: 5,
}


FUNCTIONS = [
    listed,
    unneeded,
    shared_in_a_loop,
    through_builtins,
    through_a_generator_expression,
    through_enumerate,
]


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_open(function: Callable[..., Any], made: Callable[[], Any]) -> None:
    residual = futamura.specialize(function)
    assert set(residual.stats["fallbacks"]) <= {"FT302"}, residual.events
    assert outcome(residual, made()) == outcome(function, made())


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_through_two_generators(made: Callable[[], Any]) -> None:
    residual = futamura.specialize(summed, k=7)
    assert set(residual.stats["fallbacks"]) <= {"FT302"}, residual.events
    assert outcome(residual, made()) == outcome(summed, made(), 7)


def test_of_a_promised_list() -> None:
    residual = futamura.specialize(listed, it=Dyn(list))
    assert not residual.stats["fallbacks"], "the iterator of a list ends with nothing"
    assert residual([1, 2]) == [1, 2, None]
    assert residual(_returning()) == [1, 5]
