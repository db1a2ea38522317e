"""Where something may be done on the ways through a function: in blocks, and on edges that pass values on.

    A: branch v2 -> B | J(v1)         places: A, B, J, and the edge from A to J
    below(A, [the edge])              the edge: the way by B does without it

Edges that are the only way out of their blocks belong to these.  So do those that bind parameters by themselves.  A
block with a handler has two places, as the handler follows before anything is done.

Invariant: nothing here follows later changes of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from futamura.ir.dominance import dominance_intervals, immediate_dominators, reverse_postorder
from futamura.ir.nesting import loop_forest
from futamura.optimize.flowgraph import FlowGraph

__all__ = ["WayPlaces"]

_MOST_STEPS: Final = 1_000
"""Up the dominator tree."""
_MOST_USERS: Final = 64
_MOST_SEEN: Final = 200
"""Places that are looked at on the ways from one."""


class WayPlaces:
    """The places of a graph by number, with what dominates what, and the loops around them."""

    def __init__(self, graph: FlowGraph) -> None:
        count = len(graph.blocks)
        self._successors: Final[list[list[int]]] = [[] for _ in range(count)]
        self._extent: Final = [
            (-1, False) if node is None else (node.region, node.handler is not None) for node in graph.blocks
        ]
        """For each place its region, and whether what raises there is caught."""
        self._tail: Final = list(range(count))
        self.edges: Final[dict[int, tuple[int, int]]] = {}
        """By place: the block that the edge leaves, and its number there."""
        self._edge_places: Final[dict[tuple[int, int], int]] = {}
        for at, node in graph.nodes():
            if node.handler is not None:
                self._tail[at] = self._place((node.region, node.handler is not None))
                self._successors[at] = [self._tail[at], node.handler.target]
            tail = self._tail[at]
            for number, edge in enumerate(node.end.edges):
                source = tail
                if edge.args and len(node.end.edges) > 1 and not node.implicit(number):
                    source = self._place((node.region, node.handler is not None))
                    self.edges[source] = (at, number)
                    self._edge_places[at, number] = source
                    self._successors[tail].append(source)
                self._successors[source].append(edge.target)
        self.blocks: Final = {self._tail[at]: at for at, _ in graph.nodes()}
        """By place: the block whose operations are executed there."""
        order = reverse_postorder(self._successors, 0)
        self._above: Final = immediate_dominators(self._successors, 0)
        self._first, self._last = dominance_intervals(self._above, order)
        self._rank: Final = {place: position for position, place in enumerate(order)}
        self._forest: Final = loop_forest(self._successors, 0)
        self._around: Final = {at: number for number, loop in enumerate(self._forest) for at in loop.nodes}
        """The innermost loop of each place: inner ones come later."""

    def _place(self, extent: tuple[int, bool]) -> int:
        self._successors.append([])
        self._extent.append(extent)
        return len(self._successors) - 1

    def of_block(self, at: int) -> int:
        return self._tail[at]

    def of_edge(self, at: int, number: int) -> int:
        return self._edge_places.get((at, number), self._tail[at])

    def is_above(self, one: int, other: int) -> bool:
        """Does every way to the other lead through the one?"""
        return self._first[one] <= self._first[other] <= self._last[one]

    def preorder(self, place: int) -> int:
        """Its number when what is dominated comes behind what dominates it, and before all else; -1 if not reached."""
        return self._first[place]

    def below(self, here: int, users: Sequence[int], most: int) -> list[int]:
        """Where to do what is done here and needed by these only, so that some way does without; nothing if here."""
        if len(users) > _MOST_USERS:
            return []
        single = self._lifted(here, self._common(here, users))
        if len(users) > 1:
            several = sorted({self._lifted(here, user) for user in users})
            several = [one for one in several if not any(o != one and self.is_above(o, one) for o in several)]
            apart = 1 < len(several) <= most and here not in several and self._are_apart(here, several)
            if apart and self._is_avoided(single, several):
                return several
        return [single] if single != here and self._is_avoided(here, [single]) else []

    def _lifted(self, here: int, target: int) -> int:
        """The nearest place above the target that is in no other region or loop than `here`, at most there."""
        for _ in range(_MOST_STEPS):
            if target == here or self.is_fitting(here, target):
                return target
            target = self._above[target]
        return here

    def is_fitting(self, here: int, target: int) -> bool:
        """Is a place below `here` in no other region or loop, and may something stand there?"""
        if not (target in self.blocks or target in self.edges):
            return False
        if self._extent[target] not in (self._extent[here], (self._extent[here][0], True)):
            return False
        around = self._around.get(target, -1)
        return around < 0 or here in self._forest[around].nodes

    def _common(self, here: int, places: Sequence[int]) -> int:
        """The nearest place that dominates all of these; `here`, which does, if that is far."""
        found, *rest = places
        steps = 0
        for other in rest:
            while found != other:
                steps += 1
                if steps > _MOST_STEPS:
                    return here
                if self._rank[found] > self._rank[other]:
                    found = self._above[found]
                else:
                    other = self._above[other]
        return found

    def _is_avoided(self, here: int, targets: Iterable[int]) -> bool:
        """Is there a way from here that ends, or comes back, without any of the targets?"""
        seen = {here, *targets}
        work = [here]
        while work:
            place = work.pop()
            if not self._successors[place]:
                return True
            for following in self._successors[place]:
                if self.is_above(following, here):
                    return True
                if following not in seen:
                    seen.add(following)
                    work.append(following)
            if len(seen) > _MOST_SEEN:
                return False
        return False

    def _are_apart(self, here: int, targets: Sequence[int]) -> bool:
        """Does none of these lead to another one, but by way of `here`?"""
        for target in targets:
            seen = {target}
            work = [target]
            while work:
                for following in self._successors[work.pop()]:
                    if following != target and following in targets:
                        return False
                    if following not in seen and not self.is_above(following, here):
                        seen.add(following)
                        work.append(following)
                if len(seen) > _MOST_SEEN:
                    return False
        return True
