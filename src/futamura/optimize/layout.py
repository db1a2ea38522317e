"""The shape of a flow graph while it stands still: order, ways in, dominator tree, loops.

    layout = Layout(graph)
    for entering, node in layout.walk(): ...      each node before those that it dominates, once more behind them

A block with a handler is two nodes: its number, where it begins, and a tail, where its operations are executed; a
handler follows the first, so that nothing which the operations define dominates it.  A walk visits a node before
its successors, but for back edges: what holds in a node can be kept on a stack for all that it dominates.

Invariant: nothing here follows later changes of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from futamura.ir.dominance import DepthFirst, dominators_of_search, predecessor_lists
from futamura.ir.nesting import Loop, loop_forest
from futamura.optimize.flowgraph import FlowGraph

__all__ = ["Layout"]


class Layout:
    """Of the blocks that the entry reaches."""

    def __init__(self, graph: FlowGraph) -> None:
        count = len(graph.blocks)
        self._successors: Final[list[list[int]]] = [[] for _ in range(count)]
        self._owner: Final = list(range(count))
        self._tail: Final = list(range(count))
        """For each block the node that its ways out, but that to the handler, leave."""
        self._blocks: Final = [[edge.target for edge in node.edges()] if node else [] for node in graph.blocks]
        for at, node in graph.nodes():
            targets = [edge.target for edge in node.end.edges]
            if node.handler is None:
                self._successors[at] = targets
            else:
                self._successors[at] = [len(self._successors), node.handler.target]
                self._tail[at] = len(self._successors)
                self._successors.append(targets)
                self._owner[at] = -1
                self._owner.append(at)
        search = DepthFirst(self._successors, 0)
        self._order: Final = search.order
        self._found_rank: dict[int, int] | None = None
        self._found_loops: list[Loop] | None = None
        self._parent: Final = dominators_of_search(search, predecessor_lists(self._successors))
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

    def in_order(self, blocks: Iterable[int]) -> list[int]:
        """These, in the order of all."""
        return sorted(blocks, key=self._rank.__getitem__)

    def common_dominator(self, blocks: Sequence[int]) -> int:
        """The nearest block whose operations are executed before the entry of any of these, or -1."""
        found = self._common([self._parent[at] for at in blocks])
        return self._owner[found]

    def dominates(self, top: int, block: int) -> bool:
        """Does every way to the beginning of a block go through the beginning of `top`?"""
        rank = self._rank
        while rank[block] > rank[top]:
            block = self._parent[block]
        return block == top

    def on_all_ways(self, top: int, bottoms: Sequence[int]) -> list[int]:
        """The blocks whose operations are executed on every way from `top`, which dominates, through one of these."""
        found: list[int] = []
        node = self._common([self._tail[at] for at in bottoms])
        while True:
            if self._owner[node] >= 0:
                found.append(self._owner[node])
            if node == top:
                return found[::-1]
            node = self._parent[node]

    def _common(self, nodes: Sequence[int]) -> int:
        """The nearest node that dominates all of these."""
        found, *rest = nodes
        rank = self._rank
        for other in rest:
            while found != other:
                if rank[found] > rank[other]:
                    found = self._parent[found]
                else:
                    other = self._parent[other]
        return found

    @property
    def _rank(self) -> dict[int, int]:
        if self._found_rank is None:
            self._found_rank = {node: position for position, node in enumerate(self._order)}
        return self._found_rank

    def loops(self) -> list[Loop]:
        """Outer loops before inner ones."""
        if self._found_loops is None:
            self._found_loops = loop_forest(self._blocks, 0)
        return self._found_loops
