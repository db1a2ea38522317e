"""From flow graphs to nested statements with labelled jumps, along the dominator tree.

    0 -> 1; 1: test c -> 2 | 3; 2 -> 1; 3: leave      becomes      [Loop 1 while c: [body of 2, Jump 1]  done: [Exit]]

After Ramsey, "Beyond Relooper" (2022): a vertex is emitted where its dominator jumps to it if that is the only way
in; otherwise behind a `Scope` around what its dominator emits.  What a loop dominates but does not
hold is lifted behind the loop (variables have function scope, so nothing else changes), unless it has a single
way in: then it stays there, or becomes the loop's `done`, which costs no flag.

Invariant: the flow graphs are reducible.  Explicit task list, no recursion: functions may be long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from futamura.backend.structure.flow import Flow
from futamura.backend.structure.graph import Graph, Region, Vertex
from futamura.backend.structure.labelled import (
    NOWHERE,
    RETURNS,
    Cond,
    Exit,
    Jump,
    Loop,
    Managed,
    Scope,
    Sequence,
    Take,
    Try,
)
from futamura.backend.structure.placement import Placement, loop_kind, place, put_behind

__all__ = ["NEVER", "nest"]

CLONE_STATEMENTS = 2
"""A leaving vertex with up to so many statements before its return may be repeated instead of a flagged jump."""
CLONE_WAYS = 4
"""... if it has at most so many ways in.  A bare return may always be repeated."""


Follows: TypeAlias = list[int] | tuple[int, ...]


@dataclass(slots=True, eq=False)
class Barrier:
    """What decides where control falls: `label`.  `loop` is the innermost loop barrier, itself included."""

    label: int
    outside: Barrier | None  # where a loop stands
    loop: Barrier | None
    scope: Scope | None = None
    statement: Loop | None = None


@dataclass(slots=True)
class _Position:
    """Where to append.  `depth`: how many arms deep since `anchor`, a vertex that dominates what is appended.

    `anchor` -1: nothing can be placed behind it.
    """

    flow: Flow
    out: Sequence
    barrier: Barrier
    anchor: int = 0
    depth: int = 0
    nested: int = 0  # how deep `lowering.py` recurses for this place

    def arm(self, out: Sequence, nested: int = 1) -> _Position:
        return _Position(self.flow, out, self.barrier, self.anchor, self.depth + 1, self.nested + nested)


NEVER = 1 << 30
"""No arms are so deep."""
RECURSION_LIMIT = 120
"""Arms that lie deeper than this are cut at once, before the lowering recurses into them."""


def nest(graph: Graph, flows: dict[int, Flow], movable: Callable[[object], bool], cut: int = NEVER) -> Sequence:
    """`cut`: what would stand so many arms deep is placed behind the vertex where the arms start."""
    nester = _Nester(graph, flows, movable, cut)
    sequence = nester.run()
    if nester.deepest > RECURSION_LIMIT and cut == NEVER:
        return nest(graph, flows, movable, RECURSION_LIMIT // 4)
    if not nester.cuts:
        return sequence
    return _Nester(graph, flows, movable, NEVER, nester.cuts).run()


class _Nester:
    def __init__(
        self,
        graph: Graph,
        flows: dict[int, Flow],
        movable: Callable[[object], bool],
        cut: int,
        behind: dict[int, dict[int, int]] | None = None,
    ) -> None:
        self.graph = graph
        self.flows = flows
        self.movable = movable
        self.cut = cut
        self.cuts: dict[int, dict[int, int]] = {}  # extent -> vertex -> behind which vertex
        self.deepest = 0
        self.absorbed: set[int] = set()
        self.places: dict[int, Placement] = {extent: place(flow, self._absorb(flow)) for extent, flow in flows.items()}
        for extent, lifted in (behind or {}).items():
            put_behind(flows[extent], self.places[extent], lifted)
        self.home: dict[int, Barrier] = {}
        self.tasks: list[tuple[int, _Position]] = []
        self.handled = _labels_left_by_clauses(graph)

    def _absorb(self, flow: Flow) -> set[int]:
        """The bare returns outside of a statement to which a single jump out of its parts leads."""
        found: set[int] = set()
        for number, vertex in enumerate(flow.vertices):
            if vertex.kind != "leave" or vertex.body or not number:
                continue
            edges = flow.edges_in[number]
            if len(edges) != 1 or edges[0][0].extent == vertex.extent:
                continue
            if vertex.data is None or self.movable(vertex.data):
                found.add(number)
                self.absorbed.add(vertex.id)
        return found

    def run(self) -> Sequence:
        out: Sequence = []
        self.tasks.append((0, _Position(self.flows[0], out, Barrier(RETURNS, None, None))))
        while self.tasks:
            self._emit(*self.tasks.pop())
        return out

    def _emit(self, number: int, at: _Position) -> None:
        """Append the vertex and all that it dominates to `at.out`."""
        flow, placement = at.flow, self.places[at.flow.extent]
        vertex = flow.vertices[number]
        if at.depth >= self.cut and at.anchor >= 0 and placement.inline[number] and flow.dominates_any(number):
            self._cut(number, at.anchor, flow, placement)
            at = _Position(flow, at.out, at.barrier, number)
        self.deepest = max(self.deepest, at.nested)
        inner = placement.behind.get(number, ())
        if number in flow.back:
            if at.anchor == number:  # what leaves the loop cannot be placed inside of it
                at = _Position(flow, at.out, at.barrier, -1, 0, at.nested)
            at = outside = self._scopes(placement.behind_loop.get(number, ()), at)
            kind, inside, exits = loop_kind(flow, number)
            loop = Loop(vertex.id, (flow.extent, vertex.id), kind)
            at = self._loop(loop, at, number)
            if kind != "forever":
                loop.data = vertex.data
                loop.negated = kind == "while" and inside == 1
                done = _Position(flow, loop.done, outside.barrier, outside.anchor, outside.depth, outside.nested)
                self._arm(number, vertex.succ[exits], done)
                self._arm(number, vertex.succ[inside], self._scopes(inner, at))
                return
        if vertex.kind == "region":
            self._region(vertex, inner, at)
            return
        at = self._scopes(inner, at)
        at.out.extend(vertex.body)
        self._end(number, vertex, at)

    def _cut(self, number: int, anchor: int, flow: Flow, placement: Placement) -> None:
        """Place a vertex behind `anchor`, and with it all that it may jump to and that stands between them."""
        lifted = self.cuts.setdefault(flow.extent, {})
        lifted[number] = anchor
        above = flow.idom[number]
        while above != anchor:
            follows = placement.behind_loop if above in flow.back else placement.behind
            for follow in follows.get(above, ()):
                before = lifted.get(follow, anchor)
                lifted[follow] = anchor if flow.dominates(anchor, before) else before
            above = flow.idom[above]

    def _end(self, number: int, vertex: Vertex, at: _Position) -> None:
        kind, out = vertex.kind, at.out
        if kind == "goto":
            self._arm(number, vertex.succ[0], at)
        elif kind == "test":
            cond = Cond(vertex.data)
            out.append(cond)
            self._arm(number, vertex.succ[1], at.arm(cond.orelse, 0))
            self._arm(number, vertex.succ[0], at.arm(cond.then))
        elif kind == "leave":
            out.append(Exit(vertex.data))
        elif kind == "falls":
            self._jump(self.graph.final_label(vertex.extent), vertex.extent, at)
        else:
            assert kind == "next" and isinstance(vertex.data, tuple)
            target, iterator = vertex.data
            take = Take(target, iterator)
            out.append(take)
            self._arm(number, vertex.succ[0], at)
            barrier = Barrier(NOWHERE, None, at.barrier.loop)
            done = _Position(at.flow, take.done, barrier, at.anchor, at.depth + 1, at.nested + 1)
            self._arm(number, vertex.succ[1], done)

    def _scopes(self, follows: Follows, at: _Position) -> _Position:
        """Open a scope for each follow, the last one outermost; each follow is emitted behind its scope."""
        flow = at.flow
        for number in reversed(follows):
            scope = Scope(flow.vertices[number].id, self._place(flow, number))
            at.out.append(scope)
            self.tasks.append((number, at))
            at = _Position(flow, scope.body, self._open(scope, at.barrier), at.anchor, at.depth, at.nested)
        return at

    def _place(self, flow: Flow, number: int) -> tuple[int, int]:
        header = flow.loop[number]
        if number in flow.back:
            header = flow.outer[number]
        return flow.extent, flow.vertices[header].id if header >= 0 else NOWHERE

    def _open(self, scope: Scope, outside: Barrier) -> Barrier:
        barrier = self.home[scope.label] = Barrier(scope.label, outside, outside.loop, scope)
        return barrier

    def _loop(self, statement: Loop, at: _Position, number: int) -> _Position:
        """Open a loop; gives the position of its body."""
        at.out.append(statement)
        barrier = self.home[statement.label] = Barrier(statement.label, at.barrier, None, None, statement)
        barrier.loop = barrier
        return _Position(at.flow, statement.body, barrier, number, 0, at.nested + 2)

    def _arm(self, number: int, label: int, at: _Position) -> None:
        """Go to `label`: emit it here if this is the only way to it, otherwise jump."""
        flow = at.flow
        target = flow.number.get(label)
        if target is not None and self.places[flow.extent].inline[target] and not flow.dominates(target, number):
            self.tasks.append((target, at))
        else:
            self._jump(label, flow.extent, at)

    def _jump(self, label: int, extent: int, at: _Position) -> None:
        if label in self.absorbed:
            at.out.append(Exit(self.graph.vertices[label].data))
            return
        clone = self._clone(label, extent)
        at.out.append(Jump(label, clone))
        home = self.home[label]
        barrier, loop = at.barrier, at.barrier.loop
        while loop is not home.loop:
            assert loop is not None and loop.statement is not None and loop.outside is not None
            if clone is None or clone.body:
                loop.statement.exits[label] = loop.statement.exits.get(label, 0) + 1
                if clone is not None:
                    loop.statement.clones[label] = clone
            barrier = loop.outside
            loop = barrier.loop
        if home.scope is not None and barrier.label != label and clone is None:
            home.scope.far += 1

    def _clone(self, label: int, extent: int) -> Vertex | None:
        vertex = self.graph.vertices.get(label)
        if vertex is None or vertex.kind != "leave":
            return None
        if not vertex.body:
            return vertex if vertex.extent == extent or vertex.data is None or self.movable(vertex.data) else None
        if vertex.extent != extent or len(vertex.body) > CLONE_STATEMENTS:
            return None
        flow = self.flows[extent]
        return vertex if len(flow.edges_in[flow.number[label]]) <= CLONE_WAYS else None

    # Statements with parts in other extents

    def _region(self, vertex: Vertex, follows: Follows, at: _Position) -> None:
        region = vertex.data
        assert isinstance(region, Region)
        protected = region.protected
        if protected.kind == "with":
            self._managed(vertex, region, self._scopes(follows, at))
            return
        statement = Try()
        otherwise = self._wants_else(vertex, region, follows, at)
        at = self._scopes(follows[1:] if otherwise else follows, at)
        at.out.append(statement)
        body, barrier = statement.body, at.barrier
        if otherwise:
            scope = Scope(at.flow.vertices[follows[0]].id, self._place(at.flow, follows[0]))
            self.tasks.append((follows[0], at.arm(statement.orelse)))
            body.append(scope)
            body, barrier = scope.body, self._open(scope, at.barrier)
        if protected.final_extent >= 0:
            self._final(protected.final_extent, statement, at)
        for clause in protected.clauses:
            sequence: Sequence = []
            statement.handlers.append((clause.header, sequence))
            self.tasks.append((0, _Position(self.flows[clause.extent], sequence, at.barrier, nested=at.nested + 2)))
        self.tasks.append((0, _Position(self.flows[protected.body_extent], body, barrier, nested=at.nested + 2)))

    def _final(self, extent: int, statement: Try, at: _Position) -> None:
        scope = Scope(self.graph.final_label(extent), (extent, NOWHERE))
        statement.final.append(scope)
        self.tasks.append((0, _Position(self.flows[extent], scope.body, self._open(scope, at.barrier))))

    def _managed(self, vertex: Vertex, region: Region, at: _Position) -> None:
        swallowed = vertex.succ[0] if vertex.succ else NOWHERE
        statement = Managed(region.protected.header, swallowed)
        at.out.append(statement)
        barrier = at.barrier
        if swallowed != NOWHERE:
            if barrier.label != swallowed:
                barrier = Barrier(swallowed, None, barrier.loop)
            self._jump(swallowed, vertex.extent, at)
        self.tasks.append((0, _Position(self.flows[region.protected.body_extent], statement.body, barrier)))

    def _wants_else(self, vertex: Vertex, region: Region, follows: Follows, at: _Position) -> bool:
        """Whether what comes after the body must be skipped by the handlers, and only the body goes there."""
        if not follows or not region.protected.clauses:
            return False
        flow, graph = at.flow, self.graph
        left = self.handled.get(vertex.id, set())
        after = {flow.vertices[number].id for number in follows[1:]}
        if at.barrier.statement is None:  # otherwise a handler says `continue`
            after.add(at.barrier.label)
        if not left & after:
            return False
        body = region.protected.body_extent
        ways = flow.edges_in[follows[0]]
        if follows[0] in flow.back:
            ways = [edge for edge in ways if not flow.dominates(follows[0], flow.source(edge))]
        return all(graph.holds(body, source.extent) for source, _ in ways)


def _labels_left_by_clauses(graph: Graph) -> dict[int, set[int]]:
    """For each region vertex the labels outside of it to which its except clauses go."""
    found: dict[int, set[int]] = {}
    vertices, parent, kind = graph.vertices, graph.parent, graph.kind
    for vertex in vertices.values():
        if not vertex.extent:
            continue
        for label in vertex.succ:
            outer = vertices[label].extent
            inner = vertex.extent
            while inner != outer:
                if kind[inner] == "clause":
                    found.setdefault(graph.owner[inner], set()).add(label)
                inner = parent[inner]
    return found
