"""Sinking: what only some ways need is computed on these ways.

    A: v1 = add s, ": " (strings); branch v2 -> B | C         A: branch v2 -> B | C
    B: raise of Error(v1)                                ->   B: v1 = add s, ": "; raise of Error(v1)
    C: ... no v1 ...                                          C: ...

    A: v1 = mul v0, 3 (ints); branch v2 -> B | J(v1)          A: branch v2 -> B | E
    B: jump J(0)                                         ->   E: v1 = mul v0, 3; jump J(v1)

An operation goes down to the nearest place that is on all ways to its uses, or to several such places, a copy to each,
if none of them leads to another.  A place is a block, or an edge that passes the value on; that gets a block of its
own.  It moves only if there is a way that does without it, not into a loop, and not into another region.  Operations
that follow one another go one after the other.

Invariant: what is moved has no effect and raises nothing; what it reads is not written before the new place; on no way
it is done more often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.cleaning import prune
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.memory import Memory, Versions
from futamura.optimize.wayplaces import WayPlaces

__all__ = ["RULES", "sink"]

RULES: Final = ("to one place", "to several places", "onto an edge")
"""What is counted by `FlowGraph.fire`."""
_STAYING: Final = frozenset({"const", "copy", "cell", "function", "iter"})
"""Constants are printed where they are used, variables and functions have their places, iterators may look at sizes."""
_MOST_COPIES: Final = 16


def sink(graph: FlowGraph, inference: Inference) -> bool:
    """Move operations down to where they are needed; did anything change?"""
    pruned = prune(graph)
    sinking = _Sinking(graph, inference)
    changed = False
    for at in reversed(inference.layout.order):
        if at in inference.reached:
            changed = sinking.block(at, graph.node(at)) or changed
    return changed or pruned


class _Sinking:
    def __init__(self, graph: FlowGraph, inference: Inference) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._places: Final = WayPlaces(graph)
        self._uses: Final[dict[Value, Counter[int]]] = {}
        """How often each place uses a value."""
        self._handled: Final[set[Value]] = set()
        """Values that a handler gets: they are needed before the first operation of a block."""
        self._made: Final[dict[int, int]] = {}
        """Blocks that edges got, by their places."""
        self._found_memory: Memory | None = None
        self._moved: Final[set[int]] = set()
        """What has come from the block that is looked at."""
        for at, node in graph.nodes():
            place = self._places.of_block(at)
            for op in node.ops:
                self._count(op.args, place, 1)
            self._count(end_uses(node.end._replace(edges=())), place, 1)
            for number, edge in enumerate(node.end.edges):
                self._count(edge.args, self._places.of_edge(at, number), 1)
            if node.handler is not None:
                self._handled.update(node.handler.args)

    @property
    def _memory(self) -> Memory:
        if self._found_memory is None:
            self._found_memory = Memory(self._graph, self._inference)
        return self._found_memory

    def _count(self, values: Iterable[Value], place: int, times: int) -> None:
        for value in values:
            self._uses.setdefault(value, Counter())[place] += times

    def block(self, at: int, node: Node) -> bool:
        """Move what may go down from one block; did anything?"""
        versions: Mapping[int, Versions] | None = None
        here = self._places.of_block(at)
        moved: set[int] = set()
        self._moved.clear()
        for op in reversed(node.ops):
            reads = self._reads(op)
            if reads is None or op.results[0] in self._handled:
                continue
            users = sorted(place for place, times in self._uses.get(op.results[0], Counter()).items() if times > 0)
            if not users or here in users:
                continue
            targets = self._places.below(here, users, _MOST_COPIES)
            if reads and targets:
                versions = versions or self._versions(at, node)
                if not all(self._is_unwritten(reads, versions[op.id], target) for target in targets):
                    continue
            if targets:
                self._move(op, here, users, targets)
                moved.add(op.id)
        node.ops = [op for op in node.ops if op.id not in moved]
        return bool(moved)

    def _reads(self, op: Operation) -> frozenset[str] | None:
        """The memory that the operation reads; None if it may not move."""
        if len(op.results) != 1 or op.name in _STAYING or self._inference.asks(op):
            return None
        if op.name == "string" and not all(self._follows(part) for part in op.args):
            return None
        fact = self._inference.fact(op)
        effects = fact.effects
        if fact.raises or effects.writes or effects.calls or effects.suspends or "any" in effects.reads:
            return None
        return frozenset() if op.name == "global_get" and op.attr in self._inference.known else effects.reads

    def _follows(self, part: Value) -> bool:
        """May a part of a formatted string move with it?  It is printed as one expression."""
        made = self._inference.definitions.get(part)
        return made is None or made.name != "format" or self._reads(made) is not None

    def _versions(self, at: int, node: Node) -> dict[int, Versions]:
        """The versions of memory before each operation of a block."""
        found: dict[int, Versions] = {}
        versions = self._memory.begin[at]
        for op in node.ops:
            found[op.id] = versions
            versions = self._memory.step(versions, op)
        return found

    def _is_unwritten(self, reads: frozenset[str], before: Versions, target: int) -> bool:
        """Are the versions of what is read still the same where the target begins?"""
        edge = self._places.edges.get(target)
        then = self._memory.begin[self._places.blocks[target]] if edge is None else self._memory.end[edge[0]]
        kinds = self._memory.kinds
        return all(kind in kinds and then[kinds.index(kind)] == before[kinds.index(kind)] for kind in reads)

    # -------------------------------------------------------------------- moving

    def _move(self, op: Operation, here: int, users: Sequence[int], targets: Sequence[int]) -> None:
        (result,) = op.results
        self._count(op.args, here, -1)
        self._graph.fire(RULES[min(len(targets), 2) - 1])
        for number, target in enumerate(targets):
            copy = op
            if number:
                made = self._graph.value(self._graph.hints[result])
                self._graph.types[made] = self._graph.types[result]
                copy = self._graph.renumbered(op)._replace(results=(made,))
                for user in users:
                    if self._places.is_above(target, user):
                        self._rename(user, result, made)
                self._inference.called[copy.id] = self._inference.called[op.id]
            self._count(op.args, target, 1)
            node = self._graph.node(self._block(target))
            first = 0
            if self._graph.hints[result] is None and not self._reads(op):  # it has no name: an operand of its first use
                first = next((at for at, other in enumerate(node.ops) if self._is_behind(copy, other)), len(node.ops))
            node.ops = [*node.ops[:first], copy, *node.ops[first:]]
            self._moved.add(copy.id)

    def _is_behind(self, op: Operation, other: Operation) -> bool:
        """Does the other use its result, or come from the same block, where it stood behind?"""
        return op.results[0] in other.args or other.id in self._moved

    def _rename(self, user: int, old: Value, new: Value) -> None:
        """Let one place use another value."""
        self._uses.setdefault(new, Counter())[user] += self._uses[old].pop(user)

        def named(values: tuple[Value, ...]) -> tuple[Value, ...]:
            return tuple([new if value == old else value for value in values])

        edges: Iterable[Edge]
        if user in self._places.edges and user not in self._made:
            at, wanted = self._places.edges[user]
            node = self._graph.node(at)
            numbers = {wanted}
        else:
            at = self._block(user)
            node = self._graph.node(at)
            node.ops = [op._replace(args=named(op.args)) for op in node.ops]
            node.end = node.end._replace(args=named(node.end.args))
            numbers = {
                number for number in range(len(node.end.edges))
                if user in self._made or self._places.of_edge(at, number) == user
            }  # fmt: skip
        edges = [
            edge._replace(args=named(edge.args)) if number in numbers else edge
            for number, edge in enumerate(node.end.edges)
        ]
        node.end = node.end._replace(edges=tuple(edges))

    def _block(self, place: int) -> int:
        """The block of a place; an edge gets one."""
        if place in self._places.blocks:
            return self._places.blocks[place]
        if place not in self._made:
            at, number = self._places.edges[place]
            node = self._graph.node(at)
            edge = node.end.edges[number]
            end = self._graph.terminator("jump", (), (edge,))
            self._graph.fire("onto an edge")
            self._made[place] = self._graph.add(Node(-1, [], [], end, node.handler, node.region))
            edges = list(node.end.edges)
            edges[number] = Edge(self._made[place], ())
            node.end = node.end._replace(edges=tuple(edges))
        return self._made[place]
