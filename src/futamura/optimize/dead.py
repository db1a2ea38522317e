"""Dead code: what nothing that counts depends on is taken away, parameters of blocks too.

    v2 = add v0, v1 (exact ints), not used            gone
    jump b1(v2); b1(v3): return v0                    jump b1; b1(): return v0
    v2 = add v0, v1 (any objects), not used           stays: it may run code, or raise

Alive is what has an effect or may raise, what ends blocks, and what these need: the least fixed point, so that values
which only keep each other alive around a loop disappear too.  Effects are those on the types that are known, so that a
check which cannot fail is no reason to stay.

Invariant: no effect, no exception and no result changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.deciding import DECIDED, straighten
from futamura.optimize.effects import may_be_removed
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference

__all__ = ["RULES", "alive", "counts", "dce"]

RULES: Final = ("dead operation", "dead parameter", *DECIDED)
"""What is counted by `FlowGraph.fire`."""


def dce(graph: FlowGraph, inference: Inference) -> bool:
    """Take away dead operations and parameters; did anything change?"""
    changed = straighten(graph, inference)
    live = _alive(graph, inference)
    for _, node in graph.nodes():
        kept = [op for op in node.ops if counts(op, inference) or any(result in live for result in op.results)]
        changed = changed or len(kept) != len(node.ops)
        graph.fire("dead operation", len(node.ops) - len(kept))
        node.ops = kept
    kept_params = _parameters(graph, live)
    for _, node in graph.nodes():
        graph.retarget(node, tuple([_shortened(edge, n, node, kept_params) for n, edge in enumerate(node.edges())]))
    for at, kept_places in kept_params.items():
        node = graph.node(at)
        changed = changed or len(kept_places) != len(node.params)
        graph.fire("dead parameter", len(node.params) - len(kept_places))
        node.params = [node.params[place] for place in kept_places]
    return changed


def counts(op: Operation, inference: Inference) -> bool:
    """Is the operation executed for something else than its result?"""
    return not may_be_removed(inference.fact(op))


def _alive(graph: FlowGraph, inference: Inference) -> set[Value]:
    needed: dict[Value, list[Value]] = {}
    work: list[Value] = []
    for _, node in graph.nodes():
        for op in node.ops:
            if counts(op, inference):
                work.extend(op.args)
            for result in op.results:
                needed[result] = list(op.args)
        end = node.end
        work.extend(end.args)
        work.extend(end_uses(end._replace(args=(), edges=())))
        for number, edge in enumerate(node.edges()):
            params = graph.node(edge.target).params[node.implicit(number) :]
            for param, value in zip(params, edge.args):
                needed.setdefault(param, []).append(value)
    return alive(work, needed)


def alive(work: list[Value], needed: Mapping[Value, Sequence[Value]]) -> set[Value]:
    """The values of `work`, and all that these need."""
    found: set[Value] = set()
    while work:
        value = work.pop()
        if value not in found:
            found.add(value)
            work.extend(needed.get(value, ()))
    return found


def _parameters(graph: FlowGraph, live: set[Value]) -> dict[int, list[int]]:
    """For each block but the entry the places of the parameters that stay: live ones, and the implicit ones."""
    implicit: set[int] = set()
    for _, node in graph.nodes():
        implicit.update(edge.target for number, edge in enumerate(node.edges()) if node.implicit(number))
    return {
        at: [place for place, param in enumerate(node.params) if param in live or (place == 0 and at in implicit)]
        for at, node in graph.nodes()
        if at
    }


def _shortened(edge: Edge, number: int, node: Node, kept: dict[int, list[int]]) -> Edge:
    first = node.implicit(number)
    places = kept[edge.target]
    return edge._replace(args=tuple([edge.args[place - first] for place in places if place >= first]))
