"""Dominators, dominance frontiers and post-dominators of a control-flow graph.

    0 -> 1 | 2; 1 -> 3; 2 -> 3      parent [0, 0, 0, 0]; frontier(1) {3}; 3 post-dominates 0
    0 -> 1; 1 -> 1                  no exit: the endless loop is given one, so that 1 post-dominates 0

Post-dominators are dominators of the reversed graph from a virtual exit, behind every block that leads nowhere and
behind one block of each endless loop (the last in reverse postorder among those that reach no exit, and so on).

Cost: that of `ir/dominance.py`, nearly linear on every graph; frontiers are linear in what they contain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from futamura.analysis.cfg import ControlFlow
from futamura.ir.dominance import (
    DepthFirst,
    dominance_intervals,
    dominators_of_search,
    predecessor_lists,
)

__all__ = ["Dominators", "behind_exit", "dominators", "post_dominators"]


class Dominators:
    """A dominator tree; `parent[node]` is the immediate dominator, the root's its own, -1 where nothing leads."""

    __slots__ = ("_intervals", "order", "parent", "predecessors", "root")

    def __init__(
        self,
        successors: Sequence[Sequence[int]],
        root: int,
        predecessors: list[list[int]] | None = None,
        search: DepthFirst | None = None,
    ) -> None:
        """What the caller has already of the graph, its reversed edges or a search from the root, is not made again."""
        self.root = root
        self.predecessors = predecessor_lists(successors) if predecessors is None else predecessors
        found = DepthFirst(successors, root) if search is None else search
        self.order = found.order
        self.parent = dominators_of_search(found, self.predecessors)
        self._intervals: tuple[list[int], list[int]] | None = None

    def dominates(self, above: int, below: int) -> bool:
        """Every way from the root to `below` passes `above`; each reachable node dominates itself."""
        if self._intervals is None:
            self._intervals = dominance_intervals(self.parent, self.order)
        first, last = self._intervals
        return first[above] <= first[below] <= last[above]

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
    return Dominators(flow.successors, flow.root, flow.predecessors, flow.search)


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
    return behind_exit(flow, leaves)


def behind_exit(flow: ControlFlow, leaves: Iterable[int]) -> Dominators:
    """The dominators of the reversed graph from a virtual exit that stands behind `leaves`."""
    exit = len(flow.successors)
    ends = sorted(set(leaves))
    onward: list[list[int]] = [*flow.successors, []]
    for node in ends:
        onward[node] = [*onward[node], exit]
    return Dominators([*flow.predecessors, ends], exit, onward)


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
