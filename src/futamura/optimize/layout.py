"""The shape of a flow graph while it stands still: order, ways in, dominator tree, loops.

    layout = Layout(graph)
    for entering, node in layout.walk(): ...      each node before those that it dominates, once more behind them

A block with a handler is two nodes: its number, where it begins, and a tail, where its operations are executed; a
handler follows the first, so that nothing which the operations define dominates it.  A walk visits a node before
its successors, but for back edges: what holds in a node can be kept on a stack for all that it dominates.

Invariant: nothing here follows later changes of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from futamura.ir.dominance import immediate_dominators, reverse_postorder
from futamura.ir.nesting import Loop, loop_forest
from futamura.optimize.flowgraph import FlowGraph

__all__ = ["Layout"]


class Layout:
    """Of the blocks that the entry reaches."""

    def __init__(self, graph: FlowGraph) -> None:
        count = len(graph.blocks)
        self._successors: Final[list[list[int]]] = [[] for _ in range(count)]
        self._owner: Final = list(range(count))
        self._blocks: Final = [[edge.target for edge in node.edges()] if node else [] for node in graph.blocks]
        for at, node in graph.nodes():
            targets = [edge.target for edge in node.end.edges]
            if node.handler is None:
                self._successors[at] = targets
            else:
                self._successors[at] = [len(self._successors), node.handler.target]
                self._successors.append(targets)
                self._owner[at] = -1
                self._owner.append(at)
        self._order: Final = reverse_postorder(self._successors, 0)
        self._parent: Final = immediate_dominators(self._successors, 0)
        self.order: Final = [node for node in self._order if node < count]
        """The blocks, each before its successors, but for back edges."""
        self.entering: Final[dict[int, list[tuple[int, int]]]] = {at: [] for at in self.order}
        """For each block the edges that lead to it: the block they leave, and their number in `Node.edges`."""
        for at in self.order:
            for number, target in enumerate(self._blocks[at]):
                self.entering[target].append((at, number))

    def executes(self, node: int) -> int:
        """The block whose operations are executed at a node, or -1."""
        return self._owner[node]

    def walk(self) -> Iterator[tuple[bool, int]]:
        """(True, node) on the way down the dominator tree, (False, node) on the way up."""
        below: dict[int, list[int]] = {}
        for node in self._order[1:]:
            below.setdefault(self._parent[node], []).append(node)
        stack = [(True, 0)]
        while stack:
            entering, node = stack.pop()
            yield entering, node
            if entering:
                stack.append((False, node))
                stack.extend((True, child) for child in reversed(below.get(node, ())))

    def loops(self) -> list[Loop]:
        """Outer loops before inner ones."""
        return loop_forest(self._blocks, 0)
