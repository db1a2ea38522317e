"""The budget of a specialization: points are counted, and when there are too many, what varies most is known.

    Meter(20_000, place).arrive(function, block, store)      OverBudget: `i` takes 4711 different values in the loop ...

Invariant: what is named is a variable of the function that was at work when the budget ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from futamura.ir.graph import Function, Value
from futamura.specializer.offline.points import Store

__all__ = ["Meter", "OverBudget"]


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
