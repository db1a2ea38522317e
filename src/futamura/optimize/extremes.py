"""`min` and `max` of two values are a comparison: a call of a builtin takes five times as long.

    A: ...; r = call max, a, b; rest          A: ...; c = gt b, a; branch c -> T(b) | T(a)
                                       ->     T(r): rest

Both compare the second with the first, once, and give the first where that is not true: so does the branch, for any
values.  It is done in loops and for numbers: elsewhere a call reads better.

Invariant: what raises, raises in the same order, in the same region.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.graph import Edge, Operation
from futamura.ir.ops import OPERATORS
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference

__all__ = ["extremes", "may_have_extremes"]

_COMPARISONS: Final = ((min, "lt"), (max, "gt"))
_NUMBERS: Final = frozenset({"int", "bool", "float"})


def may_have_extremes(graph: FlowGraph) -> bool:
    """Is there a call of two values?"""
    operations = (op for _, node in graph.nodes() for op in node.ops)
    return any(op.name == "call" and len(op.args) == 3 and op.attr is None for op in operations)


def extremes(graph: FlowGraph, inference: Inference) -> bool:
    """Make branches of such calls; did anything change?"""
    looping = {block for loop in inference.layout.loops() for block in loop.nodes}
    changed = False
    for at, node in [*graph.nodes()]:
        work: Node | None = node
        while work is not None:
            found = next(
                (
                    (place, name)
                    for place, op in enumerate(work.ops)
                    if (name := _comparison(inference, op)) is not None
                    and (at in looping or _are_numbers(inference, op))
                ),
                None,
            )
            work = None if found is None else _branch(graph, work, *found)
            changed = changed or found is not None
    return changed


def _comparison(inference: Inference, op: Operation) -> str | None:
    """The operator that compares the second argument with the first, if this is a call of `min` or `max`."""
    if op.name != "call" or len(op.args) != 3 or op.attr is not None:
        return None
    callee = inference.callee(op.args[0])
    return None if callee is None else next((name for builtin, name in _COMPARISONS if callee.value is builtin), None)


def _are_numbers(inference: Inference, op: Operation) -> bool:
    return all(shape.type in _NUMBERS for shape in inference.operands.get(op.id, ())[1:])


def _branch(graph: FlowGraph, node: Node, place: int, name: str) -> Node:
    """Split the node at the call; the node with what comes behind it."""
    call = node.ops[place]
    first, second = call.args[1:]
    compared = Operation(
        graph.number(), OPERATORS[name], (second, first), None, (graph.value(None, "object"),), call.span
    )
    behind = Node(-1, [*call.results], node.ops[place + 1 :], node.end, node.handler, node.region)
    target = graph.add(behind)
    edges = (Edge(target, (second,)), Edge(target, (first,)))
    node.ops = [*node.ops[:place], compared]
    node.end = graph.terminator("branch", compared.results, edges)
    return behind
