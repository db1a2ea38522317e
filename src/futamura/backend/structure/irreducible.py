"""Make every loop of a flow graph enter at one vertex: by node splitting, else by a local dispatcher.

    0 -> 1 | 2, 1 -> 2, 2 -> 1 | 3     split:    2 gets a copy 2' for the way from 0: 0 -> 1 | 2', 2' -> 1 | 3
                                       dispatch: 0 and the loop go through D, D -> 1 | 2

Splitting (Janssen and Corporaal 1997) keeps full speed but can grow exponentially, hence the budgets; a dispatcher
adds one test a transition and makes progress for certain: an entry vertex that only the dispatcher enters
lies on no cycle without the dispatcher.

Invariant: `for` loops that may evaluate their iterable on entry stay whole (see `dispatch.kept_loops`).
"""

from __future__ import annotations

from futamura.backend.structure.dispatch import State, dispatch, kept_loops, merge_states
from futamura.backend.structure.flow import Flow
from futamura.backend.structure.graph import Graph, Vertex

__all__ = ["ENTRY_LIMIT", "GROWTH_LIMIT", "ROUND_LIMIT", "SPLIT_LIMIT", "make_reducible"]

SPLIT_LIMIT = 40
"""Statements and vertices that one splitting may copy."""
GROWTH_LIMIT = 1.0
"""All splittings of a flow graph copy at most this part of it (or SPLIT_LIMIT, if that is more)."""
ENTRY_LIMIT = 6
"""A region with more entries is not worth splitting."""
ROUND_LIMIT = 4
"""After so many rounds on one flow graph, what is still irreducible is dispatched as a whole."""


def make_reducible(graph: Graph, flow: Flow, spent: dict[int, int], rounds: dict[int, int]) -> None:
    """Repair the outermost irreducible regions of `flow`.  The caller computes the flows anew and calls again."""
    rounds[flow.extent] = rounds.get(flow.extent, 0) + 1
    work = [set(range(len(flow.vertices)))]
    while work:
        for component in _components(flow, work.pop()):
            entries = _entries(flow, component)
            if len(entries) == 1:
                work.append(component - set(entries))
            else:
                _repair(graph, flow, component, entries, spent, rounds[flow.extent])


def _entries(flow: Flow, component: set[int]) -> list[int]:
    return [
        number
        for number in sorted(component)
        if number == 0 or any(source not in component for source in flow.pred[number])
    ]


def _repair(
    graph: Graph, flow: Flow, component: set[int], entries: list[int], spent: dict[int, int], round: int
) -> None:
    if round > ROUND_LIMIT:
        states = merge_states(flow, component, kept_loops(flow, component))
        if len(states) > 1:
            dispatch(graph, flow.extent, states)
            return
    elif len(entries) <= ENTRY_LIMIT and _split(graph, flow, component, entries, spent):
        return
    dispatch(graph, flow.extent, [_entry_state(flow, number) for number in entries])


def _entry_state(flow: Flow, number: int) -> State:
    """All ways to an entry but the back edges of a natural loop of its own."""
    edges = [edge for edge in flow.edges_in[number] if not flow.dominates(number, flow.source(edge))]
    return flow.vertices[number].id, edges


def _split(graph: Graph, flow: Flow, component: set[int], entries: list[int], spent: dict[int, int]) -> bool:
    """Keep one entry as the header; the ways to the others go to copies of what they reach without it."""
    best: list[int] = []
    cost = SPLIT_LIMIT + 1
    for header in entries:
        reached = _reached(flow, component, [entry for entry in entries if entry != header], header)
        if any(flow.vertices[number].kind == "region" or number == 0 for number in reached):
            continue
        size = sum(1 + len(flow.vertices[number].body) for number in reached)
        if size < cost:
            best, cost = reached, size
    whole = sum(1 + len(vertex.body) for vertex in flow.vertices)
    if not best or spent.get(flow.extent, 0) + cost > max(SPLIT_LIMIT, int(whole * GROWTH_LIMIT)):
        return False
    spent[flow.extent] = spent.get(flow.extent, 0) + cost
    copies: dict[int, Vertex] = {}
    for number in best:
        copies[number] = graph.copy(flow.vertices[number])
    renamed = {flow.vertices[number].id: copy.id for number, copy in copies.items()}
    for copy in copies.values():
        copy.succ = [renamed.get(label, label) for label in copy.succ]
    for number in best:
        for source, slot in flow.edges_in[number]:
            if flow.source((source, slot)) not in component:
                source.succ[slot] = copies[number].id
    return True


def _reached(flow: Flow, component: set[int], starts: list[int], barrier: int) -> list[int]:
    found = dict.fromkeys(starts)
    work = list(starts)
    while work:
        for target in flow.succ[work.pop()]:
            if target in component and target != barrier and target not in found:
                found[target] = None
                work.append(target)
    return list(found)


def _components(flow: Flow, members: set[int]) -> list[set[int]]:
    """The strongly connected components of `members` that hold a cycle (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    waiting: set[int] = set()
    found: list[set[int]] = []
    for start in sorted(members):
        if start in index:
            continue
        path = [(start, iter(flow.succ[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        waiting.add(start)
        while path:
            vertex, rest = path[-1]
            for target in rest:
                if target not in members:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    waiting.add(target)
                    path.append((target, iter(flow.succ[target])))
                    break
                if target in waiting:
                    low[vertex] = min(low[vertex], index[target])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[vertex])
                if low[vertex] == index[vertex]:
                    component = set()
                    while vertex not in component:
                        component.add(stack.pop())
                    waiting -= component
                    if len(component) > 1 or vertex in flow.succ[vertex]:
                        found.append(component)
    return found
