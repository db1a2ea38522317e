"""Closures, generators and partial objects that leave the residual and write to a static object later.

    def target(self):
        first = self.items[0]
        def later(): self.items.pop()
        return later, first              the next call sees what `later` did

Each program runs three times, and what it gave back is called in between.  Invariant: the residual has an object of its
own, made as that of the original was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import futamura


class Host:
    def __init__(self, items: Any) -> None:
        self.items = items
        self.n = 0

    def grow(self) -> None:
        self.items.append(7)
        self.n += 1

    def by_method(self) -> Any:
        return lambda: self.grow(), len(self.items) + self.n

    def by_attribute_named_as_a_method_of_dicts(self) -> Any:
        def later() -> None:
            self.items.append(1)

        return later, self.items[0] + len(self.items)

    def by_generator(self) -> Any:
        def steps() -> Any:
            yield self.items.append(3)

        return lambda: next(steps()), len(self.items)

    def by_class(self) -> Any:
        class Own:
            def go(own) -> None:
                self.items.append(1)

        return Own().go, len(self.items)

    def by_variable(self) -> Any:
        found = self.items
        return (lambda: found.append(1)), len(found)

    def by_default(self) -> Any:
        return (lambda found=self.items: found.append(1)), len(self.items)

    def by_partial(self) -> Any:
        return functools.partial(self.items.append, 3), len(self.items)

    def by_expression(self) -> Any:
        made = (self.items.append(x) for x in range(5))
        return made.__next__, len(self.items)

    def by_map(self) -> Any:
        return map(self.items.append, [1, 2, 3]).__next__, len(self.items)

    def by_nested(self) -> Any:
        def outer() -> Any:
            def inner() -> None:
                self.items.append(2)

            return inner

        return (lambda: outer()()), len(self.items)

    def by_dict(self) -> Any:
        held = {"host": self}
        return (lambda: held["host"].grow()), self.n

    def by_setattr(self) -> Any:
        return lambda: setattr(self, "n", self.n + 1), self.n

    def by_assignment(self) -> Any:
        def later() -> None:
            self.n += 1

        return later, self.n

    def by_exception(self) -> Any:
        error = ValueError(self)
        return (lambda: error.args[0].grow()), self.n


def by_closure(items: Any) -> Any:
    def target() -> Any:
        return (lambda: items.append(1)), len(items)

    return target


def by_object_of_closure(items: Any) -> Any:
    host = Host(items)

    def target() -> Any:
        return (lambda: host.grow()), len(host.items)

    return target


class Comparing:
    """A guest that changes what it is compared with."""

    def __eq__(self, other: object) -> Any:
        if isinstance(other, list):
            other.append(0)
        return False

    __hash__ = None  # type: ignore[assignment]

    def __radd__(self, other: Any) -> Any:
        other.append(0)
        return other


GUEST = Comparing()


class Rows:
    def __init__(self) -> None:
        self.rows = [[1], [2]]

    def by_equality(self) -> Any:
        rows = self.rows
        return (lambda guest=GUEST: rows == guest), len(rows)

    def by_search(self) -> Any:
        rows = self.rows
        return (lambda guest=GUEST: guest in rows), len(rows[0])

    def by_sum(self) -> Any:
        rows = self.rows
        return (lambda guest=GUEST: rows + guest), len(rows)


def history(target: Callable[[], Any]) -> list[Any]:
    found = []
    for _ in range(3):
        later, now = target()
        found.append(now)
        later()
    return found


PROGRAMS = {name: (Host, name) for name in vars(Host) if name.startswith("by_")}
PROGRAMS |= {name: (Rows, name) for name in vars(Rows) if name.startswith("by_")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_methods(name: str) -> None:
    cls, method = PROGRAMS[name]
    made = (lambda: cls([1, 2])) if cls is Host else cls
    want = history(getattr(made(), method))
    assert len({*want}) > 1, "the program shows nothing"
    residual = futamura.specialize(getattr(made(), method))
    assert history(residual) == want
    assert residual.stats["specialized"]


@pytest.mark.parametrize("make", [by_closure, by_object_of_closure])
def test_closures(make: Callable[[Any], Any]) -> None:
    want = history(make([1, 2]))
    assert len({*want}) > 1
    assert history(futamura.specialize(make([1, 2]))) == want


def test_what_only_looks_keeps_the_table_known() -> None:
    table = {"a": 1, "b": 2}

    def target(rows: dict[str, int], k: str) -> Any:
        size = len(rows)
        return lambda key: rows.get(key, k), size

    residual = futamura.specialize(target, rows=table)
    assert "len(" not in residual.source
    later, size = residual("none")
    assert (later("a"), later("z"), size) == (1, "none", 2)
