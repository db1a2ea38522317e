"""Blocks that exist twice, and the joins of their values: what peeling and inversion are made of.

    b1(v2): v3 = ...; branch -> b2 | b3          b4(v5): v6 = ...; branch -> b2' | b3(v6)
    b3(): return v3                         ->   b1(v2): v3 = ...; branch -> b2 | b3(v3)
                                                 b3(v7): return v7

The copy of a loop's header takes all edges that come from outside of the loop; inside of what is copied, the copy goes
from copy to copy, but to the header it leads to the original.  A value that now has two definitions gets a parameter in
each block where these meet (the algorithm of Braun and others, 2013, with block parameters for phi functions), however
many exits the loop has.

Invariant: behind `finish`, each use sees the definition that was executed last, as it did in the original.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from futamura.ir.graph import Edge, Operation, Value
from futamura.optimize.cleaning import paste, prune
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.parameters import same_parameters

__all__ = ["Twins", "may_be_copied"]

_UNIQUE: Final = frozenset({"cell", "function", "class"})
"""A variable is one place with a name, a definition is printed once."""


def may_be_copied(graph: FlowGraph, blocks: Iterable[int]) -> bool:
    """Is there nothing in these blocks that can be there only once, and do they lie in one region?"""
    nodes = [graph.node(at) for at in blocks]
    plain = all(op.name not in _UNIQUE for node in nodes for op in node.ops)
    return plain and len({node.region for node in nodes}) == 1


class Twins:
    """The copies that were made of the blocks of one graph."""

    def __init__(self, graph: FlowGraph) -> None:
        self._graph: Final = graph
        self._values: Final[dict[Value, Value]] = {}
        self._home: Final[dict[Value, int]] = {}
        """For values with a twin, and the twins, their blocks."""
        self._settled: Final[dict[Value, frozenset[int]]] = {}
        """The blocks in which the value itself is the one meant."""
        self._moved: Final[dict[int, tuple[int, frozenset[int]]]] = {}
        """Header -> its copy, and the blocks from which edges still lead to the header."""

    def copy(self, header: int, blocks: Iterable[int], loop: frozenset[int]) -> dict[Value, Value]:
        """Copy `blocks` of `loop`, the header among them, for the first round; the twin of each value in them."""
        graph = self._graph
        chosen = tuple(blocks)
        settled = frozenset(chosen)
        twin: dict[Value, Value] = {}
        at = {old: graph.add(_empty(graph.node(old))) for old in chosen}
        for old in chosen:
            node = graph.node(old)
            for value in (*node.params, *(result for op in node.ops for result in op.results)):
                twin[value] = graph.value(graph.hints[value])
                graph.types[twin[value]] = graph.types[value]
                self._home[value], self._home[twin[value]] = old, at[old]
                self._settled[value] = settled
        for old in chosen:
            self._fill(graph.node(at[old]), graph.node(old), twin, {**at, header: header})
        self._moved[header] = at[header], loop | frozenset(at.values())
        self._values.update(twin)
        return twin

    def _fill(self, new: Node, old: Node, twin: dict[Value, Value], at: dict[int, int]) -> None:
        graph = self._graph
        new.params = [twin[param] for param in old.params]
        new.ops = [self._copied(op, twin) for op in old.ops]
        args = tuple([twin.get(arg, arg) for arg in old.end.args])
        new.end = graph.terminator(old.end.name, args, old.end.edges)._replace(attr=old.end.attr, span=old.end.span)
        new.handler = old.handler
        graph.retarget(new, tuple([
            Edge(at.get(edge.target, edge.target), tuple([twin.get(arg, arg) for arg in edge.args]))
            for edge in new.edges()
        ]))  # fmt: skip

    def _copied(self, op: Operation, twin: dict[Value, Value]) -> Operation:
        args = tuple([twin.get(arg, arg) for arg in op.args])
        results = tuple([twin[result] for result in op.results])
        return op._replace(id=self._graph.number(), args=args, results=results)

    def one(self, value: Value) -> Value:
        """Use the twin wherever the value is used, and its definition no more: it is the same in all rounds."""
        return self._values.pop(value)

    def finish(self) -> None:
        """Lead the edges from outside to the copies, and join what has two definitions."""
        graph = self._graph
        for at, node in graph.nodes():
            graph.retarget(node, tuple([self._led(at, edge) for edge in node.edges()]))
        prune(graph)
        _Joins(graph, self._values, self._home, self._settled).run()
        same_parameters(graph)
        paste(graph)

    def _led(self, at: int, edge: Edge) -> Edge:
        copy, inside = self._moved.get(edge.target, (-1, frozenset()))
        return edge if copy < 0 or at in inside else edge._replace(target=copy)


def _empty(node: Node) -> Node:
    return Node(-1, [], [], node.end, None, node.region)


class _Joins:
    """Finds for each use of a value with a twin which of them it means."""

    def __init__(
        self,
        graph: FlowGraph,
        twin: dict[Value, Value],
        home: dict[Value, int],
        settled: dict[Value, frozenset[int]],
    ) -> None:
        self._graph: Final = graph
        self._twin: Final = twin
        self._home: Final = home
        self._settled: Final = settled
        self._entering: Final[dict[int, list[tuple[int, int]]]] = {at: [] for at, _ in graph.nodes()}
        self._known: Final[dict[tuple[int, Value], Value]] = {}
        """What a value is where a block begins, if it is defined in another block."""
        self._open: Final[list[tuple[int, Value]]] = []
        """Parameters that were made: the arguments are added to all edges in this order."""

    def run(self) -> None:
        for at, node in self._graph.nodes():
            for number, edge in enumerate(node.edges()):
                self._entering[edge.target].append((at, number))
        for at, node in self._graph.nodes():
            self._uses(at, node)
        passed: dict[tuple[int, int], list[Value]] = {}
        for at, value in self._open:  # it grows
            for source, number in self._entering[at]:
                passed.setdefault((source, number), []).append(self._end(source, value))
        for (source, number), values in passed.items():
            node = self._graph.node(source)
            edges = list(node.edges())
            edges[number] = edges[number]._replace(args=(*edges[number].args, *values))
            self._graph.retarget(node, tuple(edges))

    def _uses(self, at: int, node: Node) -> None:
        def meant(value: Value) -> Value:
            return value if value not in self._twin or at in self._settled[value] else self._end(at, value)

        node.ops = [op._replace(args=tuple([meant(arg) for arg in op.args])) for op in node.ops]
        edges = [edge._replace(args=tuple([meant(arg) for arg in edge.args])) for edge in node.edges()]
        self._graph.retarget(node, tuple(edges))
        node.end = node.end._replace(args=tuple([meant(arg) for arg in node.end.args]))

    def _end(self, at: int, value: Value) -> Value:
        """What a value is where a block ends.

        A handler edge leaves before the operations, but none goes from the block that defines a value to where the
        value is used: no definition would be on that way.
        """
        for defined in (value, self._twin[value]):
            if self._home[defined] == at:
                return defined
        return self._begin(at, value)

    def _begin(self, at: int, value: Value) -> Value:
        """Of a block that does not define it, upwards along single edges.

        Where several meet there is a parameter, whose arguments are found later.
        """
        trail: list[int] = []
        while True:
            found = self._known.get((at, value))
            if found is not None:
                break
            trail.append(at)
            ways = self._entering[at]
            if len(ways) != 1:
                found = self._graph.value(self._graph.hints[value])
                self._graph.types[found] = self._graph.types[value]
                self._graph.node(at).params.append(found)
                self._open.append((at, value))
                break
            ((at, _),) = ways
            found = next((one for one in (value, self._twin[value]) if self._home[one] == at), None)
            if found is not None:
                break
        for passed in trail:
            self._known[passed, value] = found
        return found
