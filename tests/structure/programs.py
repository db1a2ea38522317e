"""Random structured programs as shapes, as a front end would lower them.

    while c(1): t(2)        0: [] goto 1    1: test c(1) -> 2 | 3    2: [t(2)] goto 1    3: ...

They have what people write: nested loops with else, break, continue and return anywhere, try, with and finally around
and inside of them, `for` over an iterable that is evaluated when the loop starts.

Invariant: `Program.loops` names the nodes of each `for` loop; an edge from outside of them starts the loop anew.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from futamura.backend.structure.shape import (
    Clause,
    Edge,
    End,
    Extent,
    Falls,
    Goto,
    Leave,
    Next,
    Node,
    Protected,
    Shape,
    Test,
)

__all__ = ["Program", "random_program"]


@dataclass
class Program:
    shape: Shape
    loops: dict[int, set[int]]
    lines: int


@dataclass
class _Place:
    """Where statements are lowered: their extent, and the ways out of the innermost loop, if there is one."""

    extent: int
    stop: int = -1
    again: int = -1
    depth: int = 0
    final: bool = False


@dataclass
class _Writer:
    rng: random.Random
    budget: int
    shape: Shape = field(default_factory=lambda: Shape({}, 0))
    loops: dict[int, set[int]] = field(default_factory=dict)
    open: list[set[int]] = field(default_factory=list)
    count: int = 0
    lines: int = 0

    def number(self) -> int:
        self.count += 1
        return self.count

    def node(self, extent: int) -> Node:
        made = Node(len(self.shape.nodes), [], Leave(None), extent)
        self.shape.nodes[made.id] = made
        for loop in self.open:
            loop.add(made.id)
        return made

    def extent(self, parent: int, kind: str, statement: int) -> int:
        made = Extent(len(self.shape.extents), parent, kind, statement)
        self.shape.extents.append(made)
        return made.id


def random_program(rng: random.Random, size: int) -> Program:
    writer = _Writer(rng, size)
    entry = writer.node(0)
    last = _suite(writer, entry, _Place(0), rng.randint(2, 6))
    if last is not None:
        last.end = Leave("return None")
    return Program(writer.shape, writer.loops, writer.lines)


def _suite(writer: _Writer, node: Node | None, place: _Place, count: int) -> Node | None:
    """Lower some statements from `node` on; gives the node in which control falls off, if it does."""
    for _ in range(count):
        if node is None:
            return None
        node = _statement(writer, node, place)
    return node


def _statement(writer: _Writer, node: Node, place: _Place) -> Node | None:
    rng = writer.rng
    writer.lines += 1
    writer.budget -= 1
    if writer.budget < 0 or place.depth > 6 or rng.random() < 0.3:
        node.statements.append(f"{rng.choice('ttr')}({writer.number()})")
        return node
    choice = rng.random()
    if choice < 0.35:
        return _if(writer, node, place)
    if choice < 0.6:
        return _loop(writer, node, place, rng.random() < 0.5)
    if choice < 0.8:
        return _leaving(writer, node, place)
    return rng.choice((_try, _try, _finally, _with))(writer, node, place)


def _deeper(place: _Place, extent: int | None = None) -> _Place:
    inner = place.extent if extent is None else extent
    return _Place(inner, place.stop, place.again, place.depth + 1, place.final)


def _leaving(writer: _Writer, node: Node, place: _Place) -> Node | None:
    """`if c: break`, or another way to leave."""
    rng = writer.rng
    writer.lines += 1
    leaves: list[End] = [Leave(f"return {writer.number()}"), Leave(f"return v({writer.number()})"), Leave("raise A()")]
    if place.stop >= 0:
        leaves += [Goto(Edge(place.stop)), Goto(Edge(place.again))] * 2
    arm, after = writer.node(place.extent), writer.node(place.extent)
    if rng.random() < 0.4:
        arm.statements.append(f"t({writer.number()})")
    arm.end = rng.choice(leaves)
    node.end = Test(f"c({writer.number()})", Edge(arm.id), Edge(after.id))
    return after


def _if(writer: _Writer, node: Node, place: _Place) -> Node | None:
    inner = _deeper(place)
    then, orelse = writer.node(place.extent), writer.node(place.extent)
    node.end = Test(f"c({writer.number()})", Edge(then.id), Edge(orelse.id))
    ends = [_suite(writer, then, inner, writer.rng.randint(1, 3))]
    if writer.rng.random() < 0.5:
        ends.append(_suite(writer, orelse, inner, writer.rng.randint(1, 3)))
        writer.lines += 1
    else:
        ends.append(orelse)
    falling = [end for end in ends if end is not None]
    if not falling:
        return None
    after = writer.node(place.extent)
    for end in falling:
        end.end = Goto(Edge(after.id))
    return after


def _loop(writer: _Writer, node: Node, place: _Place, counted: bool) -> Node | None:
    rng = writer.rng
    own: set[int] = set()
    done, after = writer.node(place.extent), writer.node(place.extent)
    writer.open.append(own)
    header = writer.node(place.extent)
    body = writer.node(place.extent)
    node.end = Goto(Edge(header.id))
    if counted:
        iterable = rng.random() < 0.6
        header.end = Next("_", f"{'j' if iterable else 'i'}({writer.number()})", Edge(body.id), Edge(done.id))
        if iterable:
            writer.loops[header.id] = own
    elif rng.random() < 0.8:
        header.end = Test(f"c({writer.number()})", Edge(body.id), Edge(done.id))
    else:
        header.end = Goto(Edge(body.id))
    inner = _Place(place.extent, after.id, header.id, place.depth + 1, place.final)
    last = _suite(writer, body, inner, rng.randint(1, 4))
    if last is not None:
        last.end = Goto(Edge(header.id))
    writer.open.pop()
    end: Node | None = done
    if rng.random() < 0.3:
        writer.lines += 1
        end = _suite(writer, done, _deeper(place), rng.randint(1, 2))
    if end is not None:
        end.end = Goto(Edge(after.id))
    return after


def _try(writer: _Writer, node: Node, place: _Place) -> Node | None:
    rng, shape = writer.rng, writer.shape
    statement = Protected(len(shape.statements), "try", writer.extent(place.extent, "body", len(shape.statements)))
    shape.statements.append(statement)
    body = writer.node(statement.body_extent)
    node.end = Goto(Edge(body.id))
    ends = [_suite(writer, body, _deeper(place, statement.body_extent), rng.randint(1, 3))]
    if ends[0] is not None and rng.random() < 0.4:
        writer.lines += 1
        orelse = writer.node(place.extent)
        ends[0].end = Goto(Edge(orelse.id))
        ends[0] = _suite(writer, orelse, _deeper(place), rng.randint(1, 2))
    for header in rng.choice((["A"], ["A", "B"], ["(A, B)"])):
        writer.lines += 1
        extent = writer.extent(place.extent, "clause", statement.id)
        first = writer.node(extent)
        statement.clauses.append(Clause(header, extent, first.id))
        ends.append(_suite(writer, first, _deeper(place, extent), rng.randint(1, 2)))
    return _join(writer, ends, place)


def _join(writer: _Writer, ends: list[Node | None], place: _Place) -> Node | None:
    falling = [end for end in ends if end is not None]
    if not falling:
        return None
    after = writer.node(place.extent)
    for end in falling:
        end.end = Goto(Edge(after.id))
    return after


def _finally(writer: _Writer, node: Node, place: _Place) -> Node | None:
    shape = writer.shape
    statement = Protected(len(shape.statements), "finally", writer.extent(place.extent, "body", len(shape.statements)))
    shape.statements.append(statement)
    writer.lines += 1
    body = writer.node(statement.body_extent)
    node.end = Goto(Edge(body.id))
    last = _suite(writer, body, _deeper(place, statement.body_extent), writer.rng.randint(1, 3))
    statement.final_extent = writer.extent(place.extent, "final", statement.id)
    final = writer.node(statement.final_extent)
    statement.final_entry = final.id
    end = _suite(writer, final, _deeper(place, statement.final_extent), writer.rng.randint(1, 2))
    if end is not None:
        end.end = Falls()
    return _join(writer, [last], place)


def _with(writer: _Writer, node: Node, place: _Place) -> Node | None:
    shape = writer.shape
    statement = Protected(len(shape.statements), "with", writer.extent(place.extent, "body", len(shape.statements)))
    statement.header = f"m({writer.number()})"
    shape.statements.append(statement)
    body = writer.node(statement.body_extent)
    node.end = Goto(Edge(body.id))
    last = _suite(writer, body, _deeper(place, statement.body_extent), writer.rng.randint(1, 3))
    after = writer.node(place.extent)
    statement.swallowed = after.id
    if last is not None:
        last.end = Goto(Edge(after.id))
    return after
