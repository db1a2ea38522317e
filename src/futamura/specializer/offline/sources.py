"""A source function as the writers of its residual functions need it: what is live where, where ways meet.

    SourceFunction(function, trim=True).outside[3]      the values of other blocks that block 3 needs

Invariant: nothing here depends on a division but `kept`, so that all residual functions of one source share it.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from futamura.ir.graph import Function, Value
from futamura.ir.liveness import Liveness
from futamura.specializer.offline.structures import Slots
from futamura.specializer.offline.trace import first_places

__all__ = ["SourceFunction"]


class SourceFunction:
    """What is needed of a source function, once."""

    def __init__(self, function: Function, trim: bool, kept: tuple[Value, ...] = ()) -> None:
        """`kept` are parameters whose structures the caller gets back: they are needed to the end."""
        self.function: Final = function
        self.kept: Final = kept
        liveness = Liveness(function)
        self.outside: Final[list[list[Value]]] = [
            sorted({*liveness.into(block.id), *(kept if block.id else ())}) if kept else liveness.into(block.id)
            for block in function.blocks
        ]
        """For each block the values of other blocks that it needs."""
        self.live: Final[list[frozenset[Value]]] = [
            frozenset((*liveness.at(block.id, 0), *kept)) for block in function.blocks
        ]
        self.slots: Final = Slots(function)
        self.places: Final = first_places(function)
        self.trim: Final = trim
        self.implicit: Final = self._implicit()
        arrivals = Counter(edge.target for block in function.blocks for edge in block.terminator.edges)
        self.joins: Final = frozenset(target for target, count in arrivals.items() if count > 1)

    def _implicit(self) -> frozenset[int]:
        """The blocks whose first parameter an edge may bring by itself: the item of `next`, a handler's exception."""
        found: set[int] = set()
        for block in self.function.blocks:
            if block.terminator.name == "next":
                found.add(block.terminator.edges[0].target)
            if block.handler is not None:
                found.add(block.handler.target)
        return frozenset(found)

    def origins(self, value: Value) -> list[int]:
        """The operations that may have made `value`."""
        made = {result: operation.id for operation in self.function.operations() for result in operation.results}
        seen = {value}
        work = [value]
        found: list[int] = []
        while work:
            here = work.pop()
            if here in made:
                found.append(made[here])
            for block in self.function.blocks:
                for edge in block.terminator.edges:
                    for param, source in zip(self.function.blocks[edge.target].params, edge.args):
                        if param == here and source not in seen:
                            seen.add(source)
                            work.append(source)
        return sorted(found)
