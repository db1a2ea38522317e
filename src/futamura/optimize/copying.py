"""A graph in which some blocks have several copies, each with edges of its own.

    block 3, twice: as 3 and as 9            values that 3 defines and 5 uses are now parameters on the ways to 5:
    3 -> 5, 9 -> 5                           5(v12), with v4 of 3 or its copy v11 of 9

Parameters that get one value only are for `parameters` to take away.  Short ends of the function, but for that to which
most ways lead, get a copy for each way: these could not all stand behind the rest.

Invariant: blocks in regions have one copy there; copies of which it is known that they do not raise lie outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from futamura.ir.graph import Edge, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph, Node

__all__ = ["Copies", "Copy"]

MOST_AT_END: Final = 5
"""Operations of an end of the function that is copied."""


class Copy(NamedTuple):
    """A copy of block `at`: the edge that its branch always takes, whether its operations raise, if these are decided,
    and the places of the copies that the edges which are left lead to, that of the handler last."""

    at: int
    taken: int | None
    raises: bool | None
    targets: tuple[int, ...]
    skipped: bool = False
    """Nothing is left of it but the edge."""
    outside: bool = False
    """Nothing raises in it, or behind it in its region: it stands behind the region."""


class Copies:
    """Rebuilds a graph from copies of its blocks; the first is the entry's."""

    def __init__(self, graph: FlowGraph, copies: Sequence[Copy]) -> None:
        self._graph: Final = graph
        self._copies: Final = copies
        counts: dict[int, int] = {}
        for copy in copies:
            counts[copy.at] = counts.get(copy.at, 0) + 1
        self._several: Final = {at for at, count in counts.items() if count > 1}
        self._old: list[Node | None] = list(graph.blocks)
        self._numbers: Final[dict[int, int]] = {}
        self._apart: set[int] = set()
        """Short ends of the function that each edge gets its own of."""
        self._brought: Final = self._live_into()
        """By block: the values of copied blocks that its copies are passed."""

    def _live_into(self) -> dict[int, list[Value]]:
        """The values defined in copied blocks that are needed where a block begins, its own left out."""
        graph = self._graph
        home: dict[Value, int] = {}
        for at in sorted(self._several):
            node = graph.node(at)
            home.update(dict.fromkeys(node.params, at))
            home.update(dict.fromkeys([result for op in node.ops for result in op.results], at))
        uses: dict[Value, list[int]] = {}
        sources: dict[int, list[int]] = {}
        for at, node in graph.nodes():
            for edge in node.edges():
                sources.setdefault(edge.target, []).append(at)
            used = {arg for op in node.ops for arg in op.args} | set(end_uses(node.end))
            if node.handler is not None:
                used.update(node.handler.args)
            for value in used:
                if value in home and home[value] != at:
                    uses.setdefault(value, []).append(at)
        live: dict[int, list[Value]] = {}
        for value in sorted(uses):
            work = uses[value]
            seen = {home[value], *work}
            while work:
                at = work.pop()
                live.setdefault(at, []).append(value)
                for source in sources.get(at, ()):
                    if source not in seen:
                        seen.add(source)
                        work.append(source)
        return live

    def build(self) -> None:
        graph = self._graph
        graph.blocks[:] = [None] * len(graph.blocks)
        arriving = self._arriving()
        leaves = [place for place in arriving if self._is_leaf(place) and arriving[place] > 1]
        self._apart = set(leaves) - {max(leaves, key=lambda place: (arriving[place], -place), default=-1)}
        self._several.update(self._copies[place].at for place in self._apart)
        given: set[int] = set()
        for place, copy in enumerate(self._copies):
            if place in arriving and place not in self._apart:
                self._numbers[place] = copy.at if copy.at not in given else graph.add(None)
                given.add(copy.at)
        for place, number in self._numbers.items():
            graph.blocks[number] = self._copied(self._copies[place])

    def _arriving(self) -> dict[int, int]:
        """The copies that are left, and how many edges lead to each."""
        found = {0: 0}
        for place in (work := [0]):
            for target in self._copies[place].targets:
                while self._copies[target].skipped:
                    target = self._copies[target].targets[0]
                if target not in found:
                    work.append(target)
                found[target] = found.get(target, 0) + 1
        return found

    def _is_leaf(self, place: int) -> bool:
        """Does the function end in this copy, which is short?"""
        node = self._node(place)
        return not node.edges() and not node.region and len(node.ops) <= MOST_AT_END

    def _node(self, place: int) -> Node:
        node = self._old[self._copies[place].at]
        assert node is not None
        return node

    def _lead(self, names: Mapping[Value, Value], edge: Edge, place: int) -> Edge:
        """Where an edge leads, past copies of which nothing is left; `names` are those of the values before it."""
        told: dict[Value, Value] | None = None
        while True:
            copy, node = self._copies[place], self._node(place)
            if copy.skipped and not (node.params or place in self._apart):  # no value gets another name
                edge, place = node.end.edges[copy.taken or 0], copy.targets[0]
                continue
            brought = self._brought.get(copy.at, ())
            implicit = len(node.params) - len(edge.args)
            passed = [*edge.args, *brought]
            args = tuple([names.get(value, value) for value in passed])
            if place in self._apart:
                return Edge(self._graph.add(self._copied(copy)), args)
            if not copy.skipped:
                return Edge(self._numbers[place], args)
            if told is None:
                names = told = dict(names)
            told.update(zip((*node.params[implicit:], *brought), args, strict=True))
            edge = node.end.edges[copy.taken or 0]
            place = copy.targets[0]

    def _copied(self, copy: Copy) -> Node:
        graph = self._graph
        node = self._old[copy.at]
        assert node is not None
        brought = self._brought.get(copy.at, [])
        names = {value: self._fresh(value) for value in brought}
        if copy.at in self._several:
            for value in (*node.params, *(result for op in node.ops for result in op.results)):
                names[value] = self._fresh(value)

        def use(values: Sequence[Value]) -> tuple[Value, ...]:
            return tuple([names.get(value, value) for value in values])

        ops = [graph.renumbered(op)._replace(args=use(op.args), results=use(op.results)) for op in node.ops]
        params = [*use(node.params), *use(brought)]
        edges = node.end.edges if copy.taken is None else (node.end.edges[copy.taken],)
        kept = tuple([self._lead(names, edge, target) for edge, target in zip(edges, copy.targets)])
        if copy.raises:
            end = graph.terminator("unreachable")
        elif copy.taken is None:
            end = graph.renumbered_end(node.end)._replace(args=use(node.end.args), edges=kept)
        else:
            end = graph.terminator("jump", (), kept)._replace(span=node.end.span)
        if node.handler is None or copy.raises is False:
            return Node(node.origin, params, ops, end, None, 0 if copy.outside else node.region)
        handler = self._lead(names, node.handler, copy.targets[-1])
        return Node(node.origin, params, ops, end, handler, node.region)

    def _fresh(self, value: Value) -> Value:
        made = self._graph.value(self._graph.hints[value])
        self._graph.types[made] = self._graph.types[value]
        return made
