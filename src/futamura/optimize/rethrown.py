"""Handlers that do nothing but let the exception go on, on all their ways or on some.

    b1 in 1 handler b2():  v3 = call f
    b2(v4) in 2:  v5 = exc_match v4, KeyError          ->      b1 in 0:  v3 = call f
                  branch v5 -> b3() | b4()
    b3() in 2:  reraise v4        b4() in 2:  reraise v4

    b3() in 2:  v6 = is_not v4, v7; branch v6 -> b5() | b6()          ->      b3() in 2:  reraise v4
    b5() in 2:  raise             b6() in 0:  reraise v7

A handler may ask what it likes, if the answers change nothing: the ways end with the exception that it got, past
operations without effect.  Where `v4 is v7` is true, v7 is the exception that it got.  If all ways from the handler's
first block are so, there is no try statement.  Only try regions of residuals: those of source code stand for what
somebody wrote.

Invariant: what comes out of the blocks of the region comes to the handler around it, as it did before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from futamura.ir.graph import Edge, Region, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.dead import counts
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference

__all__ = ["rethrown"]

MAX_VISITED: Final = 64
"""Blocks that are looked at from one, each once for each way to it."""


def rethrown(graph: FlowGraph, inference: Inference) -> bool:
    """Take such try regions away, and what such ways ask; did anything change?"""
    changed = False
    inside: dict[int, list[tuple[int, Node]]] = {}
    """The blocks of each region."""
    for region in graph.regions[1:]:
        if region.kind != "try" or region.flavor != "residual" or region.handler < 0:
            continue
        if graph.blocks[region.handler] is None or region.handler not in inference.reached:
            continue
        walk = _Walk(graph, inference, region)
        if not _is_copied(graph, region.id) and walk.lets_pass(region.handler) and not walk.is_named_behind():
            _take_away(graph, region.id, region.handler, walk.edge)
            changed = True
            inside.clear()
            continue
        if not inside:
            for at, node in graph.nodes():
                inside.setdefault(node.region, []).append((at, node))
        changed = _shorten(graph, inference, region, inside.get(graph.node(region.handler).region, ())) or changed
    return changed


def _is_copied(graph: FlowGraph, region: int) -> bool:
    return any(other.kind == "copy" and other.of == region for other in graph.regions)


class _Walk:
    """All ways through a part of one handler."""

    def __init__(self, graph: FlowGraph, inference: Inference, region: Region) -> None:
        self.graph: Final = graph
        self.inference: Final = inference
        self.head: Final = graph.node(region.handler)
        self.around: Final = _handler_around(graph, region.parent)
        self.visited = 0
        self.made: Final[set[Value]] = set()
        """What is made on these ways."""
        self.walked: Final[set[int]] = set()
        self.edge: Edge | None = None
        """Where the exception goes."""

    def lets_pass(self, at: int) -> bool:
        """Do all ways from a block end with the exception of the handler?"""
        return self._from(at, frozenset(self.head.params[:1]), frozenset())

    def is_named_behind(self, kept: Collection[Value] = ()) -> bool:
        """Does a block behind these ways, in the handler around, read what is made on them, but for what is kept?"""
        made = self.made.union(*[self.graph.node(at).params for at in self.walked]).difference(kept)
        return any(
            not made.isdisjoint((*(arg for op in node.ops for arg in op.args), *end_uses(node.end)))
            or (node.handler is not None and not made.isdisjoint(node.handler.args))
            for at, node in self.graph.nodes()
            if at not in self.walked
        )

    def _from(self, at: int, same: frozenset[Value], seen: frozenset[int]) -> bool:
        """Likewise, where all these values are the exception."""
        node = self.graph.node(at)
        self.visited += 1
        if at in seen or self.visited > MAX_VISITED or any(counts(op, self.inference) for op in node.ops):
            return False
        self.walked.add(at)
        self.made.update(result for op in node.ops for result in op.results)
        self.made.update(node.params if seen else node.params[:1])
        end = node.end
        if end.name == "reraise" or (end.name == "raise" and not end.args and node.region == self.head.region):
            return same.issuperset(end.args) and self._leaves(node)
        if end.name not in ("jump", "branch"):
            return False
        return all(
            self._from(edge.target, self._there(node, number, edge, same), seen | {at})
            for number, edge in enumerate(end.edges)
        )

    def _leaves(self, end: Node) -> bool:
        """Do all ways leave with what the first of them takes along, and is that there where they begin?"""
        if end.handler is None or end.handler.target != self.around:
            return end.handler is None and self.around < 0
        self.edge = self.edge or end.handler
        return self.edge == end.handler and self.made.isdisjoint(end.handler.args)

    def _there(self, node: Node, number: int, edge: Edge, same: frozenset[Value]) -> frozenset[Value]:
        """The values that are the exception behind an edge."""
        asked = self.inference.definitions.get(node.end.args[0]) if node.end.name == "branch" else None
        if asked is not None and asked.name == ("is", "is_not")[number] and not same.isdisjoint(asked.args):
            same = same.union(asked.args)
        params = self.graph.node(edge.target).params
        passed = [param for param, value in zip(params, edge.args, strict=True) if value in same]
        return same.difference(params).union(passed)


def _handler_around(graph: FlowGraph, at: int) -> int:
    """The handler of what is raised in a region; -1 if it leaves the function."""
    while at and graph.regions[at].kind != "try":
        at = graph.regions[at].parent
    return graph.regions[at].handler if at else -1


def _take_away(graph: FlowGraph, region: int, handler: int, outer: Edge | None) -> None:
    """The blocks of the region lie in the one around it, and their exceptions go where the handler let them go."""
    parent, head = graph.regions[region].parent, graph.node(handler)
    for _, node in graph.nodes():
        if node.handler is not None and node.handler.target == handler:
            given = dict(zip(head.params[1:], node.handler.args, strict=True))
            node.handler = outer and Edge(outer.target, tuple([given.get(value, value) for value in outer.args]))
        if node.region == region:
            node.region = parent
    graph.regions[:] = [
        other._replace(parent=parent)
        if other.parent == region
        else other._replace(handler=-1)
        if other.id == region
        else other
        for other in graph.regions
    ]


def _shorten(graph: FlowGraph, inference: Inference, region: Region, beside: Iterable[tuple[int, Node]]) -> bool:
    """Where nothing but the exception comes out, it goes on at once; did anything change?  `beside` are the blocks in
    the region of the handler."""
    head = graph.node(region.handler)
    changed = False
    for at, node in beside:
        if node is head or at not in inference.reached or node.end.name != "branch":
            continue
        walk = _Walk(graph, inference, region)
        if walk.lets_pass(at) and not walk.is_named_behind(node.params):
            node.ops, node.handler = [], walk.edge
            node.end = graph.terminator("reraise", (head.params[0],))
            changed = True
    return changed
