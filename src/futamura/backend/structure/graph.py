"""The structurer's working graph: a `Shape` with moves placed, empty nodes threaded, straight lines merged.

    0: [a] goto 1    1: [] goto 2    2: [b] leave "return"      becomes      0: [a, b] leave "return"

A try or with statement becomes one *region vertex* in the extent that holds the statement.  So every
extent has its own flow graph, in which nested statements are single vertices with several exits, and
each edge belongs to exactly one of these graphs: that of its target's extent.

Invariant: an edge leads to a vertex whose extent holds (or is) the extent of its source.  An edge into the body
of a statement leads to its region vertex; the vertex's `Region.entry` says where the body starts.  Moves
run in the extent of the edge's source, before any extent is left or entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from futamura.backend.structure.shape import Falls, Goto, Leave, Next, Protected, Shape, Test
from futamura.backend.structure.tree import FlagTest, Plain, SetFlag

__all__ = ["Graph", "Kind", "Malformed", "Region", "Straight", "Vertex", "prepare"]

Kind: TypeAlias = Literal["goto", "test", "next", "leave", "falls", "region"]
Straight: TypeAlias = Plain | SetFlag


class Malformed(ValueError):
    """The shape breaks its contract: for instance an edge into an except clause."""


@dataclass(slots=True)
class Region:
    """A try or with statement; `entry` is the vertex with which its body starts."""

    protected: Protected
    entry: int = -1


@dataclass(slots=True)
class Vertex:
    """`data`: the condition of a test, (target, iterator) of a next, the statement of a leave, a `Region`."""

    id: int
    extent: int
    body: list[Straight]
    kind: Kind
    data: object
    succ: list[int]
    varies: bool = False
    """A next whose iterator changes around the loop, or is made anew on each trip."""


@dataclass(slots=True)
class Graph:
    vertices: dict[int, Vertex]
    parent: list[int]  # of each extent
    kind: list[str]  # of each extent: function, body, clause, final
    depth: list[int]
    owner: list[int]  # the region vertex of each extent; -1: extent 0
    entry: dict[int, int] = field(default_factory=dict)  # the first vertex of each live extent
    falls: dict[int, int] = field(default_factory=dict)  # the label of "control goes on" of each final extent
    next_id: int = 0
    fresh: Callable[[str], str] = str
    kept: set[int] = field(default_factory=set)  # empty vertices that keep two loops apart

    def add(
        self, extent: int, kind: Kind, succ: list[int], body: list[Straight] | None = None, data: object = None
    ) -> Vertex:
        vertex = Vertex(self.next_id, extent, body if body is not None else [], kind, data, succ)
        self.vertices[vertex.id] = vertex
        self.next_id += 1
        return vertex

    def copy(self, vertex: Vertex) -> Vertex:
        """A vertex that does the same."""
        made = self.add(vertex.extent, vertex.kind, list(vertex.succ), list(vertex.body), vertex.data)
        made.varies = vertex.varies
        return made

    def holds(self, outer: int, inner: int) -> bool:
        """Whether extent `outer` is `inner` or holds it."""
        depth, parent = self.depth, self.parent
        limit = depth[outer]
        while depth[inner] > limit:
            inner = parent[inner]
        return inner == outer

    def common(self, a: int, b: int) -> int:
        """The innermost extent that holds both."""
        depth, parent = self.depth, self.parent
        while a != b:
            if depth[a] >= depth[b]:
                a = parent[a]
            else:
                b = parent[b]
        return a

    def item(self, extent: int, source: Vertex) -> int:
        """The vertex that stands for `source` in the flow graph of `extent`."""
        inner = source.extent
        if inner == extent:
            return source.id
        parent = self.parent
        while parent[inner] != extent:
            inner = parent[inner]
        return self.owner[inner]

    def prune(self) -> None:
        """Forget what cannot be reached any more."""
        entries: dict[int, list[int]] = {}
        for extent, first in self.entry.items():
            entries.setdefault(self.owner[extent], []).append(first)
        seen: set[int] = set()
        work = list(entries[-1])
        while work:
            id = work.pop()
            if id not in seen:
                seen.add(id)
                work.extend(self.vertices[id].succ)
                work.extend(entries.get(id, ()))
        self.vertices = {id: vertex for id, vertex in self.vertices.items() if id in seen}
        self.entry = {extent: first for extent, first in self.entry.items() if first in seen}

    def final_label(self, extent: int) -> int:
        """The label of the end of the innermost final part around `extent`."""
        while self.kind[extent] != "final":
            extent = self.parent[extent]
            if extent < 0:
                raise Malformed("an end of a final part outside of one")
        label = self.falls.get(extent)
        if label is None:
            label = self.falls[extent] = self.next_id
            self.next_id += 1
        return label


def prepare(shape: Shape, fresh: Callable[[str], str]) -> Graph:
    """Clean the shape up and give each extent its own flow graph.  The shape itself stays as it was."""
    graph = _open(shape, fresh)
    _copy_nodes(shape, graph)
    live = _Live(shape, graph)
    _thread(graph, live)
    live = _Live(shape, graph)
    _merge(graph, live)
    _single_entries(graph)
    _link(graph)
    return graph


def _open(shape: Shape, fresh: Callable[[str], str]) -> Graph:
    """An empty graph with the shape's extents and one region vertex for each statement."""
    extents = shape.extents
    depth = [0] * len(extents)
    for extent in extents[1:]:
        if not 0 <= extent.parent < extent.id:
            raise Malformed(f"extent {extent.id} does not follow its parent {extent.parent}")
        depth[extent.id] = depth[extent.parent] + 1
    parents, kinds = [extent.parent for extent in extents], [extent.kind for extent in extents]
    graph = Graph({}, parents, kinds, depth, [-1] * len(extents))
    graph.next_id = max(shape.nodes) + 1
    graph.fresh = fresh
    for protected in shape.statements:
        vertex = graph.add(extents[protected.body_extent].parent, "region", [], None, Region(protected))
        for part in _parts(protected):
            graph.owner[part] = vertex.id
    return graph


def _parts(protected: Protected) -> Iterator[int]:
    yield protected.body_extent
    for clause in protected.clauses:
        yield clause.extent
    if protected.final_extent >= 0:
        yield protected.final_extent


def _region_of(vertex: Vertex) -> Region:
    assert isinstance(vertex.data, Region)
    return vertex.data


def _copy_nodes(shape: Shape, graph: Graph) -> None:
    vertices = graph.vertices
    for node in shape.nodes.values():
        end = node.end
        body: list[Straight] = [Plain(statement) for statement in node.statements]
        vertex = vertices[node.id] = Vertex(node.id, node.extent, body, "goto", None, [])
        match end:
            case Goto(edge):
                if edge.moves:
                    body.extend([Plain(move) for move in edge.moves])
                vertex.succ = [edge.target]
            case Test(condition, then, orelse):
                vertex.kind, vertex.data = "test", condition
                vertex.succ = [_moved(graph, node.extent, edge.target, edge.moves) for edge in (then, orelse)]
            case Next(target, iterator, then, done, varies):
                vertex.kind, vertex.data, vertex.varies = "next", (target, iterator), varies
                vertex.succ = [_moved(graph, node.extent, edge.target, edge.moves) for edge in (then, done)]
            case Leave(statement):
                vertex.kind, vertex.data = "leave", statement
            case Falls():
                vertex.kind = "falls"


def _moved(graph: Graph, extent: int, target: int, moves: tuple[object, ...]) -> int:
    """The target of an edge; moves become a vertex on the way."""
    if not moves:
        return target
    return graph.add(extent, "goto", [target], [Plain(move) for move in moves]).id


class _Live:
    """The reachable vertices in a stable order, their numbers of incoming ways, and the live regions.

    Entries of the function, of clauses and of final parts count as incoming ways.  Vertices that cannot
    be reached are removed.  The entries become vertices of exactly their extent.
    """

    def __init__(self, shape: Shape, graph: Graph) -> None:
        self.graph = graph
        self.incoming: dict[int, int] = {}
        self.order: list[int] = []
        self.regions: list[Vertex] = []
        self._seen_extents = {0}
        self._stack: list[int] = []
        first = graph.entry.get(0, shape.entry)
        self._enter(0, first)
        while self._stack:
            self._visit(graph.vertices[self._stack.pop()])
        live = self.incoming.keys() | {region.id for region in self.regions}
        graph.vertices = {id: vertex for id, vertex in graph.vertices.items() if id in live}
        self.regions.sort(key=lambda region: (graph.depth[region.extent], region.id))

    def _visit(self, vertex: Vertex) -> None:
        self.order.append(vertex.id)
        extent = vertex.extent
        while extent not in self._seen_extents:
            self._seen_extents.add(extent)
            if self.graph.kind[extent] == "body":
                self._region(self.graph.vertices[self.graph.owner[extent]])
            extent = self.graph.parent[extent]
        for target in vertex.succ:
            self._reach(target)

    def _reach(self, id: int) -> None:
        count = self.incoming.get(id, 0)
        self.incoming[id] = count + 1
        if not count:
            self._stack.append(id)

    def _enter(self, extent: int, id: int) -> None:
        """Make the entry of `extent` a vertex of exactly that extent."""
        if self.graph.vertices[id].extent != extent:
            id = self.graph.add(extent, "goto", [id]).id
        self.graph.entry[extent] = id
        self._reach(id)

    def _region(self, vertex: Vertex) -> None:
        self.regions.append(vertex)
        protected = _region_of(vertex).protected
        for clause in protected.clauses:
            self._enter(clause.extent, self.graph.entry.get(clause.extent, clause.entry))
        if protected.final_extent >= 0:
            self._enter(protected.final_extent, self.graph.entry.get(protected.final_extent, protected.final_entry))
        if protected.swallowed < 0:
            return
        target = vertex.succ[0] if vertex.succ else protected.swallowed
        if not self.graph.holds(self.graph.vertices[target].extent, vertex.extent):
            target = self.graph.add(vertex.extent, "goto", [target]).id
        vertex.succ = [target]
        self._reach(target)


def _thread(graph: Graph, live: _Live) -> None:
    """Let edges jump over empty vertices, unless that would leave or enter other extents.

    The empty header of a loop stays if it leads to the header of an inner loop: the two loops stay apart.
    So does an empty vertex in front of a `for` loop.
    """
    vertices = graph.vertices
    back = _retreating(graph, live)
    headers = {target for _, target in back}
    kept: set[int] = set()
    for id in live.order:
        vertex = vertices[id]
        if vertex.kind == "goto" and not vertex.body:
            after = vertices[vertex.succ[0]]
            if (id, after.id) in back:
                continue
            if (id in headers and after.id in headers) or (after.kind == "next" and not after.body):
                kept.add(id)
    graph.kept = kept
    short: dict[int, int] = {id: id for id in kept}
    for id in reversed(live.order):
        _shorten(vertices, short, id)
    for vertex in vertices.values():
        succ = vertex.succ
        for slot, target in enumerate(succ):
            succ[slot] = _threaded(graph, vertex.extent, short.get(target, target), short, kept)


def _retreating(graph: Graph, live: _Live) -> set[tuple[int, int]]:
    """The edges to a vertex that a depth-first search is still below: the back edges, if the graph is reducible."""
    vertices, parent, kind = graph.vertices, graph.parent, graph.kind
    seen_extents = {0}

    def successors(vertex: Vertex) -> list[int]:
        found = list(vertex.succ)
        extent = vertex.extent
        while extent not in seen_extents:
            seen_extents.add(extent)
            if kind[extent] == "body":
                owner = vertices[graph.owner[extent]]
                found.extend(owner.succ)
                found.extend([graph.entry[part] for part in _parts(_region_of(owner).protected) if part in graph.entry])
            extent = parent[extent]
        return found

    found: set[tuple[int, int]] = set()
    first = live.order[0]
    seen, below = {first}, {first}
    stack = [(first, successors(vertices[first]))]
    while stack:
        id, rest = stack[-1]
        if not rest:
            below.discard(id)
            stack.pop()
            continue
        target = rest.pop()
        if target in below:
            found.add((id, target))
        elif target not in seen:
            seen.add(target)
            below.add(target)
            stack.append((target, successors(vertices[target])))
    return found


def _shorten(vertices: dict[int, Vertex], short: dict[int, int], id: int) -> None:
    """Where a way from an empty vertex leads inside of its extent; a ring of empty vertices stays."""
    path: list[int] = []
    seen: set[int] = set()
    while id not in short:
        vertex = vertices[id]
        if vertex.kind != "goto" or vertex.body or id in seen or vertices[vertex.succ[0]].extent != vertex.extent:
            break
        seen.add(id)
        path.append(id)
        id = vertex.succ[0]
    end = short.get(id, id)
    for passed in path:
        short[passed] = end


def _threaded(graph: Graph, extent: int, target: int, short: dict[int, int], kept: set[int]) -> int:
    """Follow empty vertices whose extents lie on the way from `extent` to their own target."""
    vertices = graph.vertices
    steps = len(graph.parent) + 1
    while steps and target not in kept:
        steps -= 1
        vertex = vertices[target]
        if vertex.kind != "goto" or vertex.body:
            break
        after = short.get(vertex.succ[0], vertex.succ[0])
        if after == target:
            break
        middle, end = vertex.extent, vertices[after].extent
        if middle != extent and middle != end:
            top = graph.common(extent, end)
            if not graph.holds(top, middle) or not (graph.holds(middle, extent) or graph.holds(middle, end)):
                break
        target = after
    return target


def _merge(graph: Graph, live: _Live) -> None:
    """Append a vertex to its only predecessor, if that always goes there and lies in the same extent."""
    vertices, incoming = graph.vertices, live.incoming
    for id in live.order:
        vertex = vertices.get(id)
        if vertex is None or id in graph.kept:
            continue
        while vertex.kind == "goto":
            after = vertices[vertex.succ[0]]
            if incoming[after.id] != 1 or after.extent != vertex.extent or after.kind == "region" or after is vertex:
                break
            vertex.body.extend(after.body)
            vertex.kind, vertex.data, vertex.succ = after.kind, after.data, after.succ
            vertex.varies = after.varies
            del vertices[after.id]


def _single_entries(graph: Graph) -> None:
    """Give each statement's body one entry: several are told apart by a variable set on the way in.

    Outer statements come first, because a new entry may lie in front of an inner statement.
    """
    while True:
        ways = _ways_in(graph)
        several = [owner for owner in sorted(ways) if len(ways[owner]) > 1]
        if not several:
            break
        top = min(graph.depth[graph.vertices[owner].extent] for owner in several)
        for owner in several:
            if graph.depth[graph.vertices[owner].extent] == top:
                _dispatch_entries(graph, owner, ways[owner])
    for owner, entries in ways.items():
        _region_of(graph.vertices[owner]).entry = next(iter(entries))


def _ways_in(graph: Graph) -> dict[int, dict[int, list[tuple[Vertex, int]]]]:
    """For each region vertex the entries of its body, and the edges to each."""
    vertices, parent, kind = graph.vertices, graph.parent, graph.kind
    found: dict[int, dict[int, list[tuple[Vertex, int]]]] = {}
    for vertex in vertices.values():
        extent = vertex.extent
        for slot, target in enumerate(vertex.succ):
            inner = vertices[target].extent
            if inner == extent or graph.holds(inner, extent):
                continue
            while not graph.holds(inner, extent):
                if kind[inner] != "body":
                    raise Malformed(f"an edge from extent {extent} into the {kind[inner]} extent {inner}")
                found.setdefault(graph.owner[inner], {}).setdefault(target, []).append((vertex, slot))
                inner = parent[inner]
    return found


def _dispatch_entries(graph: Graph, owner: int, ways: dict[int, list[tuple[Vertex, int]]]) -> None:
    region = _region_of(graph.vertices[owner])
    name = graph.fresh("entry")
    entries = sorted(ways)
    first = entries[-1]
    for number in range(len(entries) - 2, -1, -1):
        test = FlagTest(name, "==", number)
        first = graph.add(region.protected.body_extent, "test", [entries[number], first], None, test).id
    for number, target in enumerate(entries):
        for source, slot in ways[target]:
            source.succ[slot] = graph.add(source.extent, "goto", [first], [SetFlag(name, number)]).id


def _link(graph: Graph) -> None:
    """Let each edge into the body of a statement lead to its region vertex."""
    vertices = graph.vertices
    for vertex in list(vertices.values()):
        extent = vertex.extent
        succ = vertex.succ
        for slot, target in enumerate(succ):
            if vertices[target].extent != extent:
                succ[slot] = _label(graph, extent, target)
        if isinstance(vertex.data, Region):
            body = vertex.data.protected.body_extent
            vertex.data.entry = graph.entry[body] = _label(graph, body, vertex.data.entry)
    _skip_landings(graph)


def _skip_landings(graph: Graph) -> None:
    """Now that labels say which statement is entered, edges may jump over all other empty vertices too."""
    vertices = graph.vertices
    empty = {
        id
        for id, vertex in vertices.items()
        if vertex.kind == "goto" and not vertex.body and id not in graph.kept and vertex.succ[0] != id
    }
    skipped = False
    for vertex in vertices.values():
        succ = vertex.succ
        for slot, target in enumerate(succ):
            steps = len(empty)
            while target in empty and steps:
                target = vertices[target].succ[0]
                steps -= 1
            skipped = skipped or target != succ[slot]
            succ[slot] = target
    if skipped:
        used = {label for vertex in vertices.values() for label in vertex.succ} | set(graph.entry.values())
        graph.vertices = {id: vertex for id, vertex in vertices.items() if id not in empty or id in used}


def _label(graph: Graph, extent: int, target: int) -> int:
    """The vertex to which an edge from `extent` to the node `target` leads."""
    inner = graph.vertices[target].extent
    if graph.holds(inner, extent):
        return target
    top = graph.common(inner, extent)
    while graph.parent[inner] != top:
        inner = graph.parent[inner]
    if graph.kind[inner] != "body":
        raise Malformed(f"an edge from extent {extent} into the {graph.kind[inner]} extent {inner}")
    return graph.owner[inner]
