"""The budget of a specialization: points are counted, and when there are too many, what varies most is known.

    Meter(20_000, place).arrive(function, block, store)      OverBudget: `i` takes 4711 different values in the loop ...
    meter.made(the result of (*t, 1))                        Refused, where tuples grow and grow: the operation stays

Invariant: what is named is a variable of the function that was at work when the budget ended; the items of all tuples
made early are counted, and those of one as often as they would be printed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from futamura.ir.graph import Function, Value
from futamura.specializer.offline.early import Refused
from futamura.specializer.offline.points import Store

__all__ = ["Meter", "OverBudget"]


MAKING: Final = frozenset({"tuple", "cons", "add", "mul"})
"""The operators that make tuples which no input has."""

_LARGEST: Final = 1 << 17
"""Items that one tuple may have, with those of the tuples in it."""

_ALTOGETHER: Final = 1 << 19
"""Items of all tuples that are made: a list of a thousand items can be made item by item."""

_DEEPEST: Final = 200
"""Tuples one in the other."""


class OverBudget(Exception):
    """Too many points; `value` of `function` takes a new static value again and again."""

    def __init__(self, message: str, function: str, value: Value | None) -> None:
        super().__init__(message)
        self.function: Final = function
        self.value: Final = value


class Meter:
    """Counts points and blocks against the budget, and remembers which variable varies most, and where."""

    def __init__(self, limit: int, place: Callable[[Function, int], str]) -> None:
        self.limit: Final = limit
        self.place: Final = place
        self.spent = 0
        self.executed = 0
        self._items = 0
        self._extents: Final[dict[int, tuple[object, int, int]]] = {}
        self._seen: Final[dict[tuple[str, int], dict[Value, set[int]]]] = {}

    def arrive(self, function: Function, block: int, store: Store) -> None:
        """A block is processed under a store."""
        self.spent += 1
        values = self._seen.setdefault((function.name, block), {})
        for value, number in store:
            if number >= 0:
                values.setdefault(value, set()).add(number)
        if self.spent > self.limit:
            self._stop(function)

    def made(self, result: object) -> None:
        """What an operation made early; raises `Refused` where tuples become large, or too many large ones are made."""
        if type(result) is not tuple:
            return
        self._items += len(result)
        size, depth = self._extent(result)
        if size > _LARGEST or depth > _DEEPEST or self._items > _ALTOGETHER:
            raise Refused("the tuples that are made become larger and larger")

    def _extent(self, value: tuple[object, ...]) -> tuple[int, int]:
        """Size and depth; a shared tuple counts wherever it is.  What was counted is kept, and so are its parts."""
        work = [value]
        while work:
            here = work[-1]
            inner = [item for item in here if type(item) is tuple] if tuple in set(map(type, here)) else []
            unknown = [item for item in inner if id(item) not in self._extents]
            if unknown:
                work += unknown
                continue
            work.pop()
            below = [self._extents[id(item)] for item in inner]
            size = len(here) + sum([size for _, size, _ in below])
            depth = 1 + max([depth for _, _, depth in below], default=0)
            self._extents[id(here)] = (here, min(size, _LARGEST + 1), depth)
        return self._extents[id(value)][1:]

    def _stop(self, function: Function) -> None:
        best: tuple[int, int, int] | None = None
        found = (0, 0)
        for (owner, block), values in self._seen.items():
            if owner != function.name:
                continue
            params = function.blocks[block].params
            for value, numbers in values.items():
                rank = (len(numbers), 1 if value in params else 0, -block)
                if best is None or rank > best:
                    best, found = rank, (block, value)
        if best is None:
            raise OverBudget(f"more than {self.limit} points", function.name, None)
        block, value = found
        name = function.hints[value]
        which = f"`{name}`" if name is not None else "a static value"
        raise OverBudget(
            f"more than {self.limit} points: {which} takes {best[0]} different values {self.place(function, block)}",
            function.name,
            value,
        )
