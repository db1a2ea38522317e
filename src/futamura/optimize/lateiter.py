"""An iterator that a loop starts with is made where the loop starts.

    A: i = iter xs; ys = list; jump H         A: ys = list; i = iter xs; jump H        for x in xs:
    H: next i -> B | E                   ->   H: next i -> B | E                           ...

Between the two the back end needs a variable for the iterator, and a call of `iter`.

Invariant: what is moved before `iter` has no effect, raises nothing, and reads nothing that anybody could write.
"""

from __future__ import annotations

from collections.abc import Iterator

from futamura.ir.graph import Operation, Value
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference

__all__ = ["has_early_iterators", "late_iterators"]


def late_iterators(graph: FlowGraph, inference: Inference) -> bool:
    """Move `iter` to the end of its block where it may be, and a loop follows; did anything change?"""
    changed = False
    for node, at in _early(graph):
        made = node.ops[at].results[0]
        if all(_may_come_before(op, made, inference) for op in node.ops[at + 1 :]):
            node.ops = [*node.ops[:at], *node.ops[at + 1 :], node.ops[at]]
            changed = True
    return changed


def has_early_iterators(graph: FlowGraph) -> bool:
    """Is there an iterator that is made before something else, in front of its loop?"""
    return any(True for _ in _early(graph))


def _early(graph: FlowGraph) -> Iterator[tuple[Node, int]]:
    """The blocks in front of loops that do something behind the `iter`, and where this stands."""
    for _, node in graph.nodes():
        if node.end.name == "jump":
            at = _iterator(node, graph.node(node.end.edges[0].target))
            if at is not None and at < len(node.ops) - 1:
                yield node, at


def _iterator(node: Node, loop: Node) -> int | None:
    """The place in the block where the iterator of the loop is made."""
    if loop.end.name != "next" or loop.ops:
        return None
    source: Value = loop.end.args[0]
    if source in loop.params:
        source = node.end.edges[0].args[loop.params.index(source)]
    found = [at for at, op in enumerate(node.ops) if op.name == "iter" and op.results == (source,)]
    return found[0] if found else None


def _may_come_before(op: Operation, iterator: Value, inference: Inference) -> bool:
    fact = inference.fact(op)
    effects = fact.effects
    touches = effects.reads or effects.writes or effects.calls or effects.suspends
    return not (fact.raises or touches or iterator in op.args)
