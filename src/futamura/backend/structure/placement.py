"""Where each vertex of a flow graph is emitted: in line, behind its dominator, or behind a loop.

    0: test c -> 1 | 2; 1 -> 2       vertex 1 in line, vertex 2 behind 0 (two ways in)
    1: test d -> 2 | 3; 2 -> 1       vertex 3 in line: the `done` part of the loop of 1

Invariant: the flow graph is reducible, so a loop's header dominates whatever is lifted behind the loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from futamura.backend.structure.flow import Flow

__all__ = ["LoopKind", "Placement", "loop_kind", "place", "put_behind"]

SMALL_EXIT = 3
"""A leaving exit with so many statements stays inside its loop, even if it is the only one."""

LoopKind: TypeAlias = Literal["forever", "while", "for"]


@dataclass(slots=True)
class Placement:
    inline: list[bool]
    behind: dict[int, list[int]] = field(default_factory=dict)  # in the order of emission
    behind_loop: dict[int, list[int]] = field(default_factory=dict)


def loop_kind(flow: Flow, header: int) -> tuple[LoopKind, int, int]:
    """The kind of loop, and which successors of its header go on and leave."""
    vertex = flow.vertices[header]
    if vertex.body or vertex.varies or vertex.kind not in ("test", "next"):
        return "forever", 0, 0
    stays = [_stays(flow, header, label) for label in vertex.succ]
    if stays == [True, False]:
        return ("for" if vertex.kind == "next" else "while"), 0, 1
    if stays == [False, True] and vertex.kind == "test":
        return "while", 1, 0
    return "forever", 0, 0


def _stays(flow: Flow, header: int, label: int) -> bool:
    number = flow.number.get(label)
    return number is not None and flow.inside(header, number)


def place(flow: Flow, absorbed: set[int]) -> Placement:
    """`absorbed`: vertices that are repeated where a jump leads to them, so that they need no place."""
    placement = Placement([False] * len(flow.vertices))
    exits: dict[int, list[int]] = {}
    for number in flow.order[1:]:
        if number in absorbed:
            continue
        loop = _left_loop(flow, number)
        if not _single_way(flow, number):
            if loop >= 0:
                placement.behind_loop.setdefault(loop, []).append(number)
            else:
                placement.behind.setdefault(flow.idom[number], []).append(number)
        elif loop >= 0:
            exits.setdefault(loop, []).append(number)
        else:
            placement.inline[number] = True
    if exits:
        size = _sizes(flow)
        for header, candidates in exits.items():
            chosen = -1
            if header not in placement.behind_loop and loop_kind(flow, header)[0] == "forever":
                chosen = _choose(flow, header, candidates, size)
            for number in candidates:
                placement.inline[number] = number != chosen
            if chosen >= 0:
                placement.behind_loop[header] = [chosen]
    return placement


def put_behind(flow: Flow, placement: Placement, lifted: dict[int, int]) -> None:
    """Emit vertices behind other dominators than `place` chose."""
    for follows in (placement.behind, placement.behind_loop):
        for number in list(follows):
            follows[number] = [follow for follow in follows[number] if follow not in lifted]
    for number, anchor in lifted.items():
        placement.inline[number] = False
        placement.behind.setdefault(anchor, []).append(number)
    for anchor in set(lifted.values()):
        placement.behind[anchor].sort(key=lambda number: flow.rank[number])


def _left_loop(flow: Flow, number: int) -> int:
    """The outermost loop that holds the vertex's dominator but not the vertex; -1: none."""
    loop = flow.loop[flow.idom[number]]
    if loop < 0 or loop == flow.loop[number]:
        return -1
    left = -1
    while loop >= 0 and not flow.inside(loop, number):
        left = loop
        loop = flow.outer[loop]
    return left


def _single_way(flow: Flow, number: int) -> bool:
    """Whether there is one edge to the vertex, back edges aside, and it comes from a vertex of this extent."""
    edges = flow.edges_in[number]
    if len(edges) != 1:
        if number not in flow.back:
            return False
        edges = [edge for edge in edges if not flow.dominates(number, flow.source(edge))]
        if len(edges) != 1:
            return False
    source = edges[0][0]
    return source.extent == flow.extent and source.kind != "region"


def _sizes(flow: Flow) -> list[int]:
    """The number of statements that each vertex dominates."""
    size = [len(vertex.body) + (10 if vertex.kind == "region" else 1) for vertex in flow.vertices]
    for number in range(len(size) - 1, 0, -1):
        size[flow.idom[number]] += size[number]
    return size


def _choose(flow: Flow, header: int, candidates: list[int], size: list[int]) -> int:
    """The exit of an endless loop that is emitted behind it, so that `break` goes there; -1: none."""
    best = -1
    for number in candidates:
        if flow.loop[flow.idom[number]] == header and (best < 0 or size[number] > size[best]):
            best = number
    if best < 0:
        return -1
    if size[best] <= SMALL_EXIT and flow.vertices[best].kind == "leave":
        return -1
    return best
