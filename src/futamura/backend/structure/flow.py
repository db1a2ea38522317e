"""Dominators, loops and order of the flow graph of one extent.

    0 -> 1, 1 -> 2 | 3, 2 -> 1      idom: 1 by 0, 2 and 3 by 1; the loop of 1 is {1, 2}; order 0 1 2 3

Dominators by the semi-NCA algorithm (Georgiadis 2005), loops by a union-find walk backwards from the back edges
(Tarjan 1974): both near linear.  Vertices are numbered densely by depth-first preorder; the order of
output is reverse postorder, in which the first successor of a test comes first.

Invariant: number 0 is the entry; every vertex of a flow can be reached from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from futamura.backend.structure.graph import Graph, Vertex
from futamura.ir.dominance import dominators_in_preorder

__all__ = ["Flow", "flows"]


@dataclass(slots=True)
class Flow:
    """All lists are indexed by number.  `edges_in` are the edges themselves: (source vertex, slot in its `succ`)."""

    extent: int
    vertices: list[Vertex]
    number: dict[int, int]
    succ: list[list[int]]
    pred: list[list[int]]
    edges_in: list[list[tuple[Vertex, int]]]
    order: list[int]  # numbers in reverse postorder
    rank: list[int]  # place of each number in `order`
    idom: list[int]
    low: list[int]  # intervals of the dominator tree: a dominates b if low[a] <= low[b] < high[a]
    high: list[int]
    irreducible: bool
    back: dict[int, list[int]]  # header -> sources of its back edges
    loop: list[int]  # the header of the innermost loop that holds the vertex; -1: none
    outer: dict[int, int]  # header -> header of the next outer loop, or -1
    graph: Graph

    def source(self, edge: tuple[Vertex, int]) -> int:
        """The number of the vertex from which the edge comes in this flow graph."""
        return self.number[self.graph.item(self.extent, edge[0])]

    def dominates(self, a: int, b: int) -> bool:
        return self.low[a] <= self.low[b] < self.high[a]

    def dominates_any(self, number: int) -> bool:
        """Whether the vertex dominates another one."""
        return self.high[number] > self.low[number] + 1

    def inside(self, header: int, number: int) -> bool:
        """Whether the loop of `header` holds the vertex."""
        loop = self.loop[number]
        while loop >= 0 and loop != header:
            loop = self.outer[loop]
        return loop == header


def flows(graph: Graph) -> dict[int, Flow]:
    """The flow graph of each live extent."""
    into: dict[int, list[tuple[Vertex, int]]] = {id: [] for id in graph.vertices}
    leaving: dict[int, dict[int, None]] = {}
    vertices = graph.vertices
    for vertex in vertices.values():
        for slot, label in enumerate(vertex.succ):
            target = vertices[label]
            into[label].append((vertex, slot))
            if target.extent != vertex.extent:
                leaving.setdefault(graph.item(target.extent, vertex), {})[label] = None
    return {extent: _flow(graph, extent, into, leaving) for extent in sorted(graph.entry)}


def _flow(
    graph: Graph, extent: int, into: dict[int, list[tuple[Vertex, int]]], leaving: dict[int, dict[int, None]]
) -> Flow:
    vertices = graph.vertices

    def successors(id: int) -> list[int]:
        vertex = vertices[id]
        if vertex.kind != "region":
            return [label for label in vertex.succ if vertices[label].extent == extent]
        found = dict.fromkeys(label for label in vertex.succ if vertices[label].extent == extent)
        found.update(dict.fromkeys(label for label in leaving.get(id, ()) if vertices[label].extent == extent))
        return list(found)

    members, parent, number, post, follow = _search(graph.entry[extent], successors)
    count = len(members)
    succ = [[number[label] for label in labels] for labels in follow]
    pred: list[list[int]] = [[] for _ in range(count)]
    for source, targets in enumerate(succ):
        for target in targets:
            pred[target].append(source)
    order = post[::-1]
    rank = [0] * count
    for place, vertex in enumerate(order):
        rank[vertex] = place
    idom = dominators_in_preorder(parent, pred)
    low, high = _intervals(idom)
    flow = Flow(
        extent,
        [vertices[id] for id in members],
        number,
        succ,
        pred,
        [into[id] for id in members],
        order,
        rank,
        idom,
        low,
        high,
        False,
        {},
        [-1] * count,
        {},
        graph,
    )
    _back_edges(flow)
    if not flow.irreducible and flow.back:
        _loops(flow)
    return flow


def _search(
    entry: int, successors: Callable[[int], list[int]]
) -> tuple[list[int], list[int], dict[int, int], list[int], list[list[int]]]:
    """Depth-first: the vertices in preorder, their parents, numbers, the postorder, and the successors of each.

    The last successor is visited first, so that the first one comes first in reverse postorder.
    """
    members = [entry]
    parent = [0]
    number = {entry: 0}
    follow: list[list[int]] = [successors(entry)]
    post: list[int] = []
    stack = [(0, list(follow[0]))]
    while stack:
        current, rest = stack[-1]
        if not rest:
            post.append(current)
            stack.pop()
            continue
        label = rest.pop()
        if label in number:
            continue
        new = number[label] = len(members)
        members.append(label)
        parent.append(current)
        after = successors(label)
        follow.append(after)
        stack.append((new, list(after)))
    return members, parent, number, post, follow


def _intervals(idom: list[int]) -> tuple[list[int], list[int]]:
    """Nested intervals of the dominator tree, from the sizes of its subtrees."""
    count = len(idom)
    size = [1] * count
    for vertex in range(count - 1, 0, -1):  # a dominator has a smaller preorder number
        size[idom[vertex]] += size[vertex]
    low = [0] * count
    used = [1] * count
    for vertex in range(1, count):
        above = idom[vertex]
        low[vertex] = low[above] + used[above]
        used[above] += size[vertex]
    return low, [start + length for start, length in zip(low, size)]


def _back_edges(flow: Flow) -> None:
    rank = flow.rank
    for source, targets in enumerate(flow.succ):
        for target in targets:
            if rank[target] > rank[source]:
                continue
            if flow.dominates(target, source):
                flow.back.setdefault(target, []).append(source)
            else:
                flow.irreducible = True


def _loops(flow: Flow) -> None:
    """Inner loops first: each found loop shrinks to its header."""
    head = list(range(len(flow.pred)))
    loop, outer, pred = flow.loop, flow.outer, flow.pred

    def find(vertex: int) -> int:
        while head[vertex] != vertex:
            head[vertex] = head[head[vertex]]
            vertex = head[vertex]
        return vertex

    for header in sorted(flow.back, reverse=True):
        outer[header] = -1
        loop[header] = header
        work = [find(source) for source in flow.back[header]]
        while work:
            vertex = work.pop()
            if vertex == header or head[vertex] == header:
                continue
            head[vertex] = header
            if vertex in outer:
                outer[vertex] = header
            else:
                loop[vertex] = header
            work.extend([find(source) for source in pred[vertex]])
