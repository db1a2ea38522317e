"""An iterator is asked for its iterator as often as the source asks: it may start again, or do something then.

    zip(rows, range(n))     ->     one `__iter__` of `rows`, then one `__next__` for each item

Invariant: the log of all calls of `__iter__` and `__next__`, and the classes of iterators, are the same.
"""

# ruff: noqa: C417

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from futamura import specialize

LOG: list[str] = []


class Countdown:
    """An iterator that starts again whenever it is asked for its iterator."""

    def __init__(self, start: int) -> None:
        self.start = self.now = start

    def __iter__(self) -> Iterator[int]:
        LOG.append("iter")
        self.now = self.start
        return self

    def __next__(self) -> int:
        LOG.append("next")
        self.now -= 1
        if self.now < 0:
            raise StopIteration
        return self.now


class Rows:
    """An iterable whose iterator is another object."""

    def __iter__(self) -> Iterator[int]:
        LOG.append("rows")
        return Countdown(3)


def zipped(n: int, rows: Any) -> object:
    return list(zip(rows, range(n), strict=False)), [a + b for a, b in zip(range(n), rows, strict=False)]


def mapped(n: int, rows: Any) -> object:
    return list(map(lambda v: v + n, rows)), dict(map(lambda v: (v, n), rows)), sum(filter(lambda v: v > n, rows))


def least_of(n: int, rows: Any) -> object:
    return min(map(lambda v: v * n, rows)), max(rows, key=lambda v: -v), min((v for v in rows if v < n), default=n)


def first_and_rest(n: int, rows: Any) -> object:
    steps = iter(rows)
    for first in steps:
        if first < n:
            break
    return next(steps, n), list(steps)


def numbered(n: int, rows: Any) -> object:
    found = {}
    for at, row in enumerate(rows, n):
        found[at] = row
    return found, list(enumerate(rows, n)), [(a, b) for a in rows for b in (a, n)], next(iter(rows)), n in rows


def given_back(n: int, rows: Any) -> object:
    return [
        type(one).__name__
        for one in (map(lambda v: v + n, rows), filter(lambda v: v, rows), reversed(range(n)), reversed((n, rows)))
    ]


def steps_of(n: int, rows: Any) -> object:
    return (
        map(lambda v: v + n, rows),
        filter(lambda v: v > n, rows),
        reversed(range(n)),
        zip(rows, range(n), strict=False),
    )


def outcome(function: Callable[..., Any], *given: Any) -> object:
    LOG.clear()
    try:
        found = function(*given)
        if isinstance(found, tuple):
            found = [(type(one), list(one) if hasattr(one, "__next__") else one) for one in found]
    except Exception as error:
        found = type(error), str(error)
    return found, list(LOG)


@pytest.mark.parametrize(
    "function", [zipped, mapped, least_of, first_and_rest, numbered, given_back, steps_of], ids=lambda one: one.__name__
)
def test_iterators_are_asked_once(function: Callable[..., Any]) -> None:
    for n in (0, 2, 5):
        residual = specialize(function, n)
        assert not residual.stats["fallbacks"], residual.events
        for make in (
            Rows,
            lambda: Countdown(4),
            lambda: Countdown(0),
            lambda: [3, 1, 2],
            lambda: iter((1, 2)),
            lambda: 7,
        ):
            assert outcome(residual, make()) == outcome(function, n, make()), (n, residual.source)


def test_a_saved_module_asks_once(tmp_path: Any) -> None:
    residual = specialize(zipped, 2)
    path = residual.save(tmp_path / "steps.py")
    space: dict[str, Any] = {"__name__": "steps"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    assert "import futamura" not in path.read_text()
    assert outcome(space["zipped"], Countdown(4)) == outcome(zipped, 2, Countdown(4))
