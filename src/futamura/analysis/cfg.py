"""The control-flow graph of a function, as lists of block ids.

    b0 -> b1; b1 -> b1 | b2, handler b3    successors [[1], [1, 2, 3], [], []], without handlers [[1], [1, 2], [], []]

A handler edge counts as an edge of its block, behind those of the terminator: right for everything that is true of
whole blocks.  What an operation of the block defines is not defined there (`ir/verify.py` splits blocks for that).

Invariant: edges stand in the order of the terminator, once for each edge.
"""

from __future__ import annotations

from futamura.ir.dominance import DepthFirst, predecessor_lists
from futamura.ir.graph import Function

__all__ = ["ControlFlow"]


class ControlFlow:
    """Successors, predecessors and orders; `handlers=False` leaves the handler edges out."""

    __slots__ = ("order", "predecessors", "root", "search", "successors")

    def __init__(self, function: Function, *, handlers: bool = True) -> None:
        self.root = 0
        self.successors: list[list[int]] = []
        for block in function.blocks:
            targets = [edge.target for edge in block.terminator.edges]
            if handlers and block.handler is not None:
                targets.append(block.handler.target)
            self.successors.append(targets)
        self.predecessors = predecessor_lists(self.successors)
        self.search = DepthFirst(self.successors, 0)
        self.order = self.search.order
        """The reachable blocks in reverse postorder: each before its successors, but for back edges."""

    def reachable(self) -> frozenset[int]:
        return frozenset(self.order)

    def exits(self) -> list[int]:
        """The reachable blocks that lead nowhere, in order of their ids."""
        return sorted(block for block in self.order if not self.successors[block])
