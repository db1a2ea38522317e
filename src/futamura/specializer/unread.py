"""Variables in cells whose content nobody reads any more before it is written again.

    for row in rows:
        try:
            value = int(row)        handlers read variables in cells; at the loop's header `value` may be unbound, or
        except ValueError:          hold what the last trip left there: nobody reads it, so these are no two states
            ...

Invariant: a cell that anything but `cell_get`, `cell_set` and `cell_del` uses is not among them.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.graph import Block, Function, Value

__all__ = ["Unread"]


class Unread:
    """The cells of one function that are read by itself only, and where their content is needed."""

    def __init__(self, function: Function, successors: list[tuple[int, ...]]) -> None:
        self._blocks: Final = function.blocks
        self._successors: Final = successors
        self.cells: Final = _own_cells(function)
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
            if op.name in ("cell_get", "cell_del"):
                needed.add(op.args[0])
            elif op.name == "cell_set":
                needed.discard(op.args[1])
            elif op.name == "cell":
                needed.discard(op.results[0])
        if block.handler is not None:  # any operation may lead there
            needed |= self._needed[block.handler.target]
        return needed & self.cells


def _own_cells(function: Function) -> frozenset[Value]:
    found: set[Value] = set()
    given: set[Value] = set()
    for block in function.blocks:
        for op in block.ops:
            if op.name == "cell":
                found.add(op.results[0])
                given.update(op.args)
            elif op.name == "cell_set":
                given.add(op.args[0])
            elif op.name not in ("cell_get", "cell_del"):
                given.update(op.args)
        given.update(block.terminator.args)
        for edge in block.terminator.edges:
            given.update(edge.args)
        if block.handler is not None:
            given.update(block.handler.args)
    return frozenset(found - given)
