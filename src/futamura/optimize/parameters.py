"""Parameters of blocks that are always the same value are that value.

    b0: jump b1(v0)    b1(v2): ... jump b1(v2)         v2 becomes v0, b1 loses the parameter
    b0: jump b1(v0)    b1(v2): ... jump b1(v3)         stays

A parameter to which every edge passes one value, or itself, is that value: it is defined before every edge, so before
the block.  Replacing one may make another one the same: a worklist.  `copy` operations are looked through as well.
What is passed on out of a handler or a clean-up is left alone: code behind these cannot name it.

Invariant: the names of variables survive where the value has none.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.graph import Value
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.layout import Layout

__all__ = ["RULES", "same_parameters"]

RULES: Final = ("same parameter", "copy")
"""What is counted by `FlowGraph.fire`."""


def same_parameters(graph: FlowGraph) -> bool:
    """Replace parameters and copies that are other values; did anything change?"""
    layout = Layout(graph)
    places: dict[Value, tuple[int, int]] = {}
    """Parameter -> its block and place."""
    users: dict[Value, list[Value]] = {}
    """Value -> the parameters that it is passed to."""
    for at in layout.order[1:]:
        for place, param in enumerate(graph.node(at).params):
            if all(place >= graph.node(source).implicit(number) for source, number in layout.entering[at]):
                places[param] = (at, place)
    for at in layout.order:
        node = graph.node(at)
        for number, edge in enumerate(node.edges()):
            for param, value in zip(graph.node(edge.target).params[node.implicit(number) :], edge.args):
                users.setdefault(value, []).append(param)
    replaced: dict[Value, Value] = {}

    def final(value: Value) -> Value:
        trail = []
        while value in replaced:
            trail.append(value)
            value = replaced[value]
        replaced.update(dict.fromkeys(trail[:-1], value))
        return value

    caught = graph.confined()
    changed = _without_copies(graph, replaced, caught)
    work = list(reversed(places))
    while work:
        param = work.pop()
        if param in replaced:
            continue
        at, place = places[param]
        values: set[Value] = set()
        for source, number in layout.entering[at]:
            node = graph.node(source)
            values.add(final(node.edges()[number].args[place - node.implicit(number)]))
        values.discard(param)
        if len(values) == 1 and not _leaves(values, caught, graph.node(at).region):
            (replaced[param],) = values
            work.extend(user for user in users.get(param, ()) if user in places)
    gone = {param for param in replaced if param in places}
    graph.fire("same parameter", len(gone))
    if not gone and not changed:
        return False
    for value in sorted(replaced):
        if graph.hints[final(value)] is None:
            graph.hints[final(value)] = graph.hints[value]
    for at in layout.order:
        node = graph.node(at)
        edges = []
        for number, edge in enumerate(node.edges()):
            params = graph.node(edge.target).params[node.implicit(number) :]
            kept = [value for param, value in zip(params, edge.args, strict=True) if param not in gone]
            edges.append(edge._replace(args=tuple(kept)))
        graph.retarget(node, tuple(edges))
    for at in layout.order:
        node = graph.node(at)
        node.params = [param for param in node.params if param not in gone]
    graph.replace(replaced)
    return True


def _leaves(values: set[Value], caught: dict[Value, int], region: int) -> bool:
    (value,) = values
    return value in caught and caught[value] != region


def _without_copies(graph: FlowGraph, replaced: dict[Value, Value], caught: dict[Value, int]) -> bool:
    found = False
    for _, node in graph.nodes():
        kept = []
        for op in node.ops:
            if op.name == "copy" and caught.keys().isdisjoint(op.args):
                replaced.update(zip(op.results, op.args))
                graph.fire("copy")
                found = True
            else:
                kept.append(op)
        node.ops = kept
    return found
