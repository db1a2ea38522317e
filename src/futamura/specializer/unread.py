"""Variables in cells whose content nobody reads any more before it is written again.

    for row in rows:
        try:
            value = int(row)        handlers read variables in cells; at the loop's header `value` may be unbound, or
        except ValueError:          hold what the last trip left there: nobody reads it, so these are no two states
            ...

A cell that functions capture is read where they are made; later only by what still holds it.
Invariant: what is said of the cells that are captured holds if nothing in the state but their own variable has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from futamura.ir.graph import Block, Function, Value

__all__ = ["Unread"]

_OWN: Final = frozenset({"cell", "cell_get", "cell_set", "cell_del"})


class Unread:
    """The cells of one function, and where their content is needed."""

    def __init__(self, function: Function, successors: list[tuple[int, ...]]) -> None:
        self._blocks: Final = function.blocks
        self._successors: Final = successors
        self.cells: Final = frozenset(
            op.results[0] for block in function.blocks for op in block.ops if op.name == "cell"
        ) - set(_passed_on(function))
        self.captured: Final = frozenset(
            arg for block in function.blocks for op in block.ops if op.name not in _OWN for arg in op.args
        ).intersection(self.cells)
        self._needed: Final[list[set[Value]]] = [set() for _ in self._blocks]
        """By block, the cells whose content is needed where it begins."""
        self._found: Final[dict[tuple[int, int], tuple[Value, ...]]] = {}
        if self.cells:
            self._settle()

    def at(self, block: int, index: int) -> tuple[Value, ...]:
        """The cells whose content nobody reads from operation `index` of `block` on."""
        if not self.cells:
            return ()
        key = (block, index)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = tuple(sorted(self.cells - self._before(self._blocks[block], index)))
        return found

    def _settle(self) -> None:
        changed = True
        while changed:
            changed = False
            for block in reversed(self._blocks):
                needed = self._before(block, 0)
                if needed != self._needed[block.id]:
                    self._needed[block.id] = needed
                    changed = True

    def _before(self, block: Block, index: int) -> set[Value]:
        needed: set[Value] = set()
        for successor in self._successors[block.id]:
            needed |= self._needed[successor]
        for op in reversed(block.ops[index:]):
            if op.name == "cell_set":
                needed.discard(op.args[1])
            elif op.name == "cell":
                needed.discard(op.results[0])
            else:
                needed.update(op.args)
        if block.handler is not None:  # any operation may lead there
            needed |= self._needed[block.handler.target]
        return needed & self.cells


def _passed_on(function: Function) -> Iterator[Value]:
    """The values that have other names, too, or are put into a cell."""
    for block in function.blocks:
        yield from block.terminator.args
        for edge in (*block.terminator.edges, *([] if block.handler is None else [block.handler])):
            yield from edge.args
        for op in block.ops:
            if op.name == "cell":
                yield from op.args
            elif op.name == "cell_set":
                yield op.args[0]
