"""An iterator that a loop starts with is made where the loop starts.

    A: i = iter xs; ys = list; jump H         A: ys = list; i = iter xs; jump H        for x in xs:
    H: next i -> B | E                   ->   H: next i -> B | E                           ...

Between the two the back end needs a variable for the iterator, and a call of `iter`.  What the iterator is made of
(`xs = data.items()`) stays with it.

Invariant: what is moved before `iter` has no effect, raises nothing, and reads nothing that anybody could write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from futamura.ir.graph import Edge, Operation, Value
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference

__all__ = ["has_early_iterators", "late_iterators"]

_MOST_BLOCKS: Final = 4
"""So many blocks lie between an iterator and its loop at most."""


def late_iterators(graph: FlowGraph, inference: Inference) -> bool:
    """Move `iter` behind what stands between it and its loop, where it may be; did anything change?"""
    changed = False
    for way, at in _early(graph):
        first = way[0]
        start = _beginning(first.ops, at)
        making = first.ops[start : at + 1]
        made = {result for op in making for result in op.results}
        passed = [*first.ops[at + 1 :], *(op for node in way[1:] for op in node.ops)]
        if all(_may_come_before(op, made, inference) for op in passed):
            first.ops = [*first.ops[:start], *passed, *making]
            for node in way[1:]:
                node.ops = []
            changed = True
    return changed


def has_early_iterators(graph: FlowGraph) -> bool:
    """Is there an iterator that is made before something else, in front of its loop?"""
    return any(True for _ in _early(graph))


def _early(graph: FlowGraph) -> Iterator[tuple[list[Node], int]]:
    """The blocks of one region on the only way from an `iter` to its loop, if they do something behind it, and where it
    stands in the first one: what may raise is protected by a handler, and what may not is often a block of its own."""
    entering = Counter(edge.target for _, node in graph.nodes() for edge in node.edges())
    for _, node in graph.nodes():
        way = [node]
        while way[-1].end.name == "jump":
            edge = way[-1].end.edges[0]
            loop = graph.node(edge.target)
            if loop.end.name == "next" and not loop.ops:
                at = _iterator(node, loop, edge)
                if at is not None and (at < len(node.ops) - 1 or any(later.ops for later in way[1:])):
                    yield way, at
                break
            if entering[edge.target] != 1 or loop.params or loop.region != node.region or len(way) == _MOST_BLOCKS:
                break
            way.append(loop)


def _iterator(node: Node, loop: Node, edge: Edge) -> int | None:
    """The place in the block where the iterator of the loop, to which the edge leads, is made."""
    source: Value = loop.end.args[0]
    if source in loop.params:
        source = edge.args[loop.params.index(source)]
    found = [at for at, op in enumerate(node.ops) if op.name == "iter" and op.results == (source,)]
    return found[0] if found else None


def _beginning(ops: list[Operation], at: int) -> int:
    """Where what the operation at this place is made of begins, as far as it stands right before it."""
    needed = set(ops[at].args)
    while at and ops[at - 1].results and needed.issuperset(ops[at - 1].results):
        at -= 1
        needed.update(ops[at].args)
    return at


def _may_come_before(op: Operation, made: set[Value], inference: Inference) -> bool:
    fact = inference.fact(op)
    effects = fact.effects
    touches = effects.reads or effects.writes or effects.calls or effects.suspends
    return not (fact.raises or touches or not made.isdisjoint(op.args))
