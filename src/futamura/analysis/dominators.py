"""Dominators, dominance frontiers and post-dominators of a control-flow graph.

    0 -> 1 | 2; 1 -> 3; 2 -> 3      parent [0, 0, 0, 0]; frontier(1) {3}; 3 post-dominates 0
    0 -> 1; 1 -> 1                  no exit: the endless loop is given one, so that 1 post-dominates 0

Post-dominators are dominators of the reversed graph from a virtual exit, behind every block that leads nowhere and
behind one block of each endless loop (the last in reverse postorder among those that reach no exit, and so on).

Cost: that of `ir/dominance.py`, nearly linear on every graph; frontiers are linear in what they contain.
"""

from __future__ import annotations

from collections.abc import Sequence

from futamura.analysis.cfg import ControlFlow
from futamura.ir.dominance import (
    dominance_intervals,
    immediate_dominators,
    predecessor_lists,
    reverse_postorder,
)

__all__ = ["Dominators", "dominators", "post_dominators"]


class Dominators:
    """A dominator tree; `parent[node]` is the immediate dominator, the root's its own, -1 where nothing leads."""

    __slots__ = ("_first", "_last", "order", "parent", "predecessors", "root")

    def __init__(self, successors: Sequence[Sequence[int]], root: int) -> None:
        self.root = root
        self.predecessors = predecessor_lists(successors)
        self.order = reverse_postorder(successors, root)
        self.parent = immediate_dominators(successors, root)
        self._first, self._last = dominance_intervals(self.parent, self.order)

    def dominates(self, above: int, below: int) -> bool:
        """Every way from the root to `below` passes `above`; each reachable node dominates itself."""
        return self._first[above] <= self._first[below] <= self._last[above]

    def children(self) -> list[list[int]]:
        """For each node those that it dominates immediately, in reverse postorder."""
        below: list[list[int]] = [[] for _ in self.parent]
        for node in self.order:
            if node != self.root:
                below[self.parent[node]].append(node)
        return below

    def frontiers(self) -> list[list[int]]:
        """For each node the nodes where its dominance ends, in increasing order."""
        found: list[set[int]] = [set() for _ in self.parent]
        for node in self.order:
            sources = [source for source in self.predecessors[node] if self.parent[source] >= 0]
            # The root has a way in from outside, so one edge is enough there.
            if len(sources) < 2 and node != self.root:
                continue
            end = -1 if node == self.root else self.parent[node]
            for source in sources:
                while source != end:
                    found[source].add(node)
                    source = -1 if source == self.root else self.parent[source]
        return [sorted(frontier) for frontier in found]


def dominators(flow: ControlFlow) -> Dominators:
    return Dominators(flow.successors, flow.root)


def post_dominators(flow: ControlFlow) -> Dominators:
    """The dominator tree of the reversed graph; its root is the virtual exit, the node behind the last block."""
    exit = len(flow.successors)
    reached = bytearray(exit + 1)
    leaves = flow.exits()
    _reach(flow, leaves, reached)
    # What reaches no exit is an endless loop, or leads to one only.
    for node in reversed(flow.order):
        if not reached[node]:
            leaves.append(node)
            _reach(flow, [node], reached)
    reversed_graph: list[list[int]] = [list(sources) for sources in flow.predecessors]
    reversed_graph.append(sorted(leaves))
    return Dominators(reversed_graph, exit)


def _reach(flow: ControlFlow, starts: Sequence[int], reached: bytearray) -> None:
    """Mark all that leads to `starts`."""
    work = list(starts)
    for node in starts:
        reached[node] = 1
    while work:
        for source in flow.predecessors[work.pop()]:
            if not reached[source]:
                reached[source] = 1
                work.append(source)
