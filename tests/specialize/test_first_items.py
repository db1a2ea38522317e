"""The first items of a tuple are read by their places, those of everything else by its iterator.

    list(zip(("a", "b"), xs))    `type(xs) is tuple and not len(xs) < 2`: xs[0], xs[1]

Invariant: what is no plain tuple is asked for its items as the program asks for them, once each and in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura

LOG: list[str] = []


class Loud:
    """An iterator that starts again when it is asked for an iterator."""

    def __init__(self, *items: int) -> None:
        self.items = items
        self.at = 0

    def __iter__(self) -> Loud:
        LOG.append("iter")
        self.at = 0
        return self

    def __next__(self) -> int:
        LOG.append(f"next {self.at}")
        self.at += 1
        if self.at > len(self.items):
            raise StopIteration
        return self.items[self.at - 1]


class Pair(tuple[int, ...]):
    def __iter__(self) -> Iterator[int]:
        LOG.append("pair")
        return iter((7, 8, 9))

    def __len__(self) -> int:
        raise AssertionError("nobody asks for the length")


def named(names: tuple[str, ...], xs: Any) -> dict[str, Any]:
    return dict(zip(names, xs))


def in_a_loop(names: tuple[str, ...], rows: Any) -> list[Any]:
    found = []
    last: Any = None
    for row in rows:
        for name, x in zip(names, row):
            last = x
            found.append((name, x))
        found.append(last)
    return found


def in_a_try(names: tuple[str, ...], xs: Any) -> Any:
    try:
        return [x for _, x in zip(names, xs)]
    except TypeError:
        return "no items"


def used_on_both_ways(names: tuple[str, ...], xs: Any) -> Any:
    seen = []
    for _, x in zip(names, xs):
        seen.append(x)
    return seen, x


def sources() -> list[Callable[[], Any]]:
    return [
        tuple, lambda: (1,), lambda: (1, 2), lambda: (1, 2, 3), lambda: [1, 2, 3], lambda: [1], lambda: "xy",
        lambda: Loud(1, 2, 3), lambda: Loud(1), lambda: Pair((1, 2)), lambda: {5: 1, 6: 2}, lambda: iter([1, 2]),
        lambda: (x for x in (1, 2)), lambda: 5, lambda: None,
    ]  # fmt: skip


def outcome(work: Callable[..., Any], *inputs: Any) -> tuple[Any, list[str]]:
    LOG.clear()
    try:
        return work(*inputs), [*LOG]
    except Exception as error:
        return (type(error), str(error)), [*LOG]


@pytest.mark.parametrize("function", [named, in_a_try, used_on_both_ways])
@pytest.mark.parametrize("count", [2, 3])
def test_items_come_as_before(function: Callable[..., Any], count: int) -> None:
    names = ("a", "b", "c")[:count]
    residual = futamura.specialize(function, names=names)
    assert residual.stats["specialized"]
    for make in sources():
        assert outcome(residual, make()) == outcome(function, names, make())


def test_rows_of_a_loop() -> None:
    names = ("a", "b")
    residual = futamura.specialize(in_a_loop, names=names)
    for make in sources():
        expected = outcome(in_a_loop, names, [(1, 2), make(), (3, 4, 5)])
        assert outcome(residual, [(1, 2), make(), (3, 4, 5)]) == expected


def test_a_tuple_is_read_by_its_places() -> None:
    residual = futamura.specialize(named, names=("a", "b"))
    assert "_tuple" in residual.source and "[0]" in residual.source and "[1]" in residual.source
    assert "tuple" not in futamura.specialize(named, names=("a",)).source, "one item is not worth the tests"
    known = futamura.specialize(named, names=("a", "b"), xs=futamura.Dyn(tuple[int, ...]))
    assert known((4, 5)) == {"a": 4, "b": 5} and "_type" not in known.source
