"""The quality gate: a region whose jumps need too many flags becomes a dispatcher.

    a loop of 40 vertices with 9 flagged jumps      becomes      while True:
                                                                     if state == 0: ...
                                                                     elif state == 1: ...
A region is a loop, or what of an extent lies in no loop.  Vertices with several ways in become states; inner loops
stay loops, and so does a `for` loop that is dispatched itself: its dispatcher stands inside of it.

Invariant: the flow graph is reducible, and stays so.  Regions dispatched together do not hold one another.
"""

from __future__ import annotations

from futamura.backend.structure.dispatch import State, dispatch, kept_loops, merge_states
from futamura.backend.structure.flow import Flow
from futamura.backend.structure.graph import Graph
from futamura.backend.structure.tree import For, Guarded, If, Outlined, Suite, While, With

__all__ = [
    "FEW_FLAGS",
    "Place",
    "deep_loops",
    "dispatch_regions",
    "flatten_loops",
    "jump_places",
    "nested_blocks",
    "too_many_flags",
]

FEW_FLAGS = 4
"""So many flagged jumps are always cheaper than a dispatcher; beyond, one for ten vertices."""

Place = tuple[int, int]
"""A region: the extent, and the label of the loop's header or -1."""


def jump_places(flows: dict[int, Flow]) -> dict[int, Place]:
    """For each label the region in which jumps to it would be states."""
    found: dict[int, Place] = {}
    for extent, flow in flows.items():
        vertices, loop = flow.vertices, flow.loop
        for number, vertex in enumerate(vertices):
            header = loop[number]
            found[vertex.id] = extent, vertices[header].id if header >= 0 else -1
    return found


def too_many_flags(flags: dict[Place, int], flows: dict[int, Flow], few: int) -> list[Place]:
    """The regions above the limit, worst first, none of which holds another."""
    chosen: list[Place] = []
    total = sum(flags.values())
    if total > 2 * few and total * 5 > sum(len(flow.vertices) for flow in flows.values()):
        few = min(few, 1)
    for place in sorted(flags, key=lambda place: (-flags[place], place)):
        if flags[place] <= few:
            break
        flow = flows.get(place[0])
        if flow is None or (place[1] >= 0 and place[1] not in flow.number):
            continue
        if flags[place] * 10 > len(_members(flow, place[1])) and not any(_related(flow, place, old) for old in chosen):
            chosen.append(place)
    return chosen


def _related(flow: Flow, a: Place, b: Place) -> bool:
    if a[0] != b[0]:
        return False
    if a[1] < 0 or b[1] < 0:
        return True
    first, second = flow.number[a[1]], flow.number[b[1]]
    return flow.inside(first, second) or flow.inside(second, first)


def _members(flow: Flow, header: int) -> set[int]:
    if header < 0:
        return set(range(len(flow.vertices)))
    return {number for number in range(len(flow.vertices)) if flow.inside(flow.number[header], number)}


def dispatch_regions(
    graph: Graph, flows: dict[int, Flow], places: list[Place], crossed: dict[Place, dict[Place, int]]
) -> bool:
    """Dispatch these regions; where that does not help, the worst region that the flagged jumps leave.

    Gives whether anything changed.
    """
    done: list[Place] = []
    for place in places:
        others = crossed.get(place, {})
        for candidate in [place, *sorted(others, key=lambda other: (-others[other], other))]:
            flow = flows[candidate[0]]
            if (candidate[1] >= 0 and candidate[1] not in flow.number) or any(
                _related(flow, candidate, old) for old in done
            ):
                continue
            states = _states(flow, candidate[1])
            if len(states) > 1:
                dispatch(graph, candidate[0], states)
                done.append(candidate)
                break
    return bool(done)


def _states(flow: Flow, label: int) -> list[State]:
    members = _members(flow, label)
    header = flow.number[label] if label >= 0 else -1
    inner = {number for number in flow.back if number != header and flow.outer[number] == header}
    bodies: dict[int, set[int]] = {number: set() for number in inner}
    direct: set[int] = set()
    for number in sorted(members):
        loop = flow.loop[number]
        while loop != header and loop not in inner and loop >= 0:
            loop = flow.outer[loop]
        if loop in inner:
            bodies[loop].add(number)
        else:
            direct.add(number)
    direct |= inner
    if header < 0:
        return merge_states(flow, direct, bodies)
    direct.discard(header)
    states = merge_states(flow, direct, bodies)
    vertex = flow.vertices[header]
    edges = flow.edges_in[header]
    if vertex.kind == "next" and not vertex.body:
        edges = [edge for edge in edges if flow.source(edge) in members]
    states.insert(0, (label, edges))
    return states + _exit_states(flow, members, header)


def _exit_states(flow: Flow, members: set[int], header: int) -> list[State]:
    """The vertices outside of a loop to which it leads by several edges.

    A `for` loop's own end is not one of these edges, otherwise it would not end there.
    """
    ends = flow.vertices[header] if flow.vertices[header].kind == "next" else None
    found: list[State] = []
    for number in flow.order:
        if number in members:
            continue
        edges = [edge for edge in flow.edges_in[number] if edge[0] is not ends and flow.source(edge) in members]
        if len(edges) > 1:
            found.append((flow.vertices[number].id, edges))
    return found


def deep_loops(flows: dict[int, Flow], depth: int) -> list[Place]:
    """The loops with `depth` loops around them in their flow graph that hold a loop themselves."""
    found: list[Place] = []
    for extent, flow in flows.items():
        holders = set(flow.outer.values())
        around: dict[int, int] = {-1: -1}
        for header in sorted(flow.outer):  # an outer loop has a smaller number
            around[header] = around[flow.outer[header]] + 1
            if around[header] == depth and header in holders:
                found.append((extent, flow.vertices[header].id))
    return found


def flatten_loops(graph: Graph, flows: dict[int, Flow], places: list[Place]) -> None:
    """Make each of these loops, inner loops included, one dispatcher; `for` loops in them stay as they are."""
    for extent, label in places:
        flow = flows[extent]
        members = _members(flow, label)
        header = flow.number[label]
        kept = {number: body for number, body in kept_loops(flow, members).items() if number != header}
        states = merge_states(flow, members - {header}, kept)
        edges = flow.edges_in[header]
        if flow.vertices[header].kind == "next" and not flow.vertices[header].body:
            edges = [edge for edge in edges if flow.source(edge) in members]
        dispatch(graph, extent, [(label, edges), *states, *_exit_states(flow, members, header)])


def nested_blocks(suite: Suite) -> tuple[int, int]:
    """The depth of nested loops, with and try statements in one function, and the depth of indentation."""
    deepest = indented = 0
    work = [(suite, 0, 0)]
    while work:
        current, blocks, indent = work.pop()
        indented = max(indented, indent)
        deepest = max(deepest, blocks)
        for statement in current:
            if isinstance(statement, If):
                work.append((statement.then, blocks, indent + 1))
                flat = len(statement.orelse) == 1 and isinstance(statement.orelse[0], If)
                work.append((statement.orelse, blocks, indent + (not flat)))
            elif isinstance(statement, (While, For)):
                work.append((statement.body, blocks + 1, indent + 1))
                work.append((statement.orelse, blocks, indent + 1))
            elif isinstance(statement, With):
                work.append((statement.body, blocks + 1, indent + 1))
            elif isinstance(statement, Outlined):
                work.append((statement.body, 0, indent + 1))
            elif isinstance(statement, Guarded):
                work.append((statement.body, blocks + 1 + bool(statement.final and statement.handlers), indent + 1))
                for handler in statement.handlers:
                    work.append((handler.body, blocks + 2, indent + 1))
                work.append((statement.orelse, blocks + 1, indent + 1))
                work.append((statement.final, blocks + 1, indent + 1))
    return deepest, indented
