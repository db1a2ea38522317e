"""A local dispatcher: a loop that goes to one of several vertices by a state variable.

    a -> x, b -> x, c -> y     becomes     a: state = 0 -> D     D: state == 0 ? x : y
                                           b: state = 0 -> D
                                           c: state = 1 -> D

Used where structured statements do not do: entries of irreducible regions (`irreducible.py`) and regions
that would need too many flags (`gate.py`).  It costs a few comparisons a transition, in that region only.

Invariant: the edges given for a state all lie in the flow graph of the given extent.
"""

from __future__ import annotations

from typing import TypeAlias

from futamura.backend.structure.flow import Flow
from futamura.backend.structure.graph import Graph, Vertex
from futamura.backend.structure.tree import FlagTest, SetFlag

__all__ = ["CHAIN_LIMIT", "State", "dispatch", "kept_loops", "merge_states"]

CHAIN_LIMIT = 8
"""Up to so many states a chain of comparisons is fastest, beyond it a binary tree."""

State: TypeAlias = tuple[int, list[tuple[Vertex, int]]]
"""A vertex and the edges (source, slot) that now set the state and go to the dispatcher."""


def dispatch(graph: Graph, extent: int, states: list[State]) -> None:
    name = graph.fresh("state")
    hub = graph.add(extent, "goto", [])
    for number, (label, edges) in enumerate(states):
        for source, slot in edges:
            _route(graph, source, slot, SetFlag(name, number), hub.id)
        if graph.entry[extent] == label:
            graph.entry[extent] = graph.add(extent, "goto", [hub.id], [SetFlag(name, number)]).id
    hub.succ = [_select(graph, extent, name, [label for label, _ in states], 0)]


def _route(graph: Graph, source: Vertex, slot: int, mark: SetFlag, hub: int) -> None:
    if source.kind == "goto":
        source.body.append(mark)
        source.succ[slot] = hub
    else:
        source.succ[slot] = graph.add(source.extent, "goto", [hub], [mark]).id


def _select(graph: Graph, extent: int, name: str, labels: list[int], first: int) -> int:
    """The vertex that goes to `labels[state - first]`."""
    if len(labels) <= CHAIN_LIMIT:
        vertex = labels[-1]
        for place in range(len(labels) - 2, -1, -1):
            vertex = graph.add(extent, "test", [labels[place], vertex], None, FlagTest(name, "==", first + place)).id
        return vertex
    half = len(labels) // 2
    lower = _select(graph, extent, name, labels[:half], first)
    upper = _select(graph, extent, name, labels[half:], first + half)
    return graph.add(extent, "test", [lower, upper], None, FlagTest(name, "<", first + half)).id


def kept_loops(flow: Flow, members: set[int]) -> dict[int, set[int]]:
    """The natural loops in `members` whose header is a `next` with one way in: these must stay loops.

    Their iterator may be an expression that is evaluated when the loop starts.
    """
    found: dict[int, set[int]] = {}
    for header in sorted(members):
        vertex = flow.vertices[header]
        if vertex.kind != "next" or vertex.body:
            continue
        back = [source for source in flow.pred[header] if flow.dominates(header, source)]
        ways = [edge for edge in flow.edges_in[header] if not flow.dominates(header, flow.source(edge))]
        if not back or len(ways) > 1:
            continue
        body = {header}
        work = back
        while work:
            source = work.pop()
            if source not in body:
                body.add(source)
                work.extend(flow.pred[source])
        found[header] = body
    return found


def merge_states(flow: Flow, members: set[int], kept: dict[int, set[int]]) -> list[State]:
    """The vertices of `members` with several ways in, and these ways, but for what lies inside kept loops."""
    hidden: set[int] = set()
    for header, body in kept.items():
        hidden |= body - {header}
    states: list[State] = []
    for number in flow.order:
        if number not in members or number in hidden:
            continue
        edges = flow.edges_in[number]
        if number in kept:
            body = kept[number]
            edges = [edge for edge in edges if flow.source(edge) not in body]
        if len(edges) + (number == 0) > 1:
            states.append((flow.vertices[number].id, edges))
    return states
