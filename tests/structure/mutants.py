"""Structured programs with a few edges bent: mostly readable loops inside of irreducible surroundings.

    while c: a; b        with the edge of `a` bent back to `b`'s predecessor, or into another loop of the same extent

Loops over a fresh iterable that are no natural loops any more get an iterator variable instead, as the contract of
`Next` demands.  What is natural is found by taking the header out and looking at what can still be reached.

Invariant: edges are only bent inside of an extent, so the shape stays legal.
"""

from __future__ import annotations

import random
from dataclasses import replace

from futamura.backend.structure.shape import Edge, Falls, Goto, Leave, Next, Node, Shape, Test
from tests.structure.programs import Program

__all__ = ["bend"]


def bend(rng: random.Random, program: Program, bends: int) -> Program:
    shape = program.shape
    ids = list(shape.nodes)
    for _ in range(bends):
        node = shape.nodes[rng.choice(ids)]
        near = [id for id in ids if shape.nodes[id].extent == node.extent]
        moves: tuple[object, ...] = (f"t({rng.randint(500, 900)})",) if rng.random() < 0.5 else ()
        edge = Edge(rng.choice(near), moves)
        match node.end:
            case Goto():
                node.end = Goto(edge)
            case Test(condition, then, orelse):
                node.end = Test(condition, *((edge, orelse) if rng.random() < 0.5 else (then, edge)))
            case Next(target, iterator, body, done):
                node.end = Next(target, iterator, *((edge, done) if rng.random() < 0.5 else (body, edge)))
    _break_rings(shape)
    loops: dict[int, set[int]] = {}
    for id in program.loops:
        found = _natural(shape, id)
        end = shape.nodes[id].end
        assert isinstance(end, Next)
        if found is None:
            shape.nodes[id].end = replace(end, iterator=str(end.iterator).replace("j", "i"))
        else:
            loops[id] = found
    return Program(shape, loops, program.lines)


def _break_rings(shape: Shape) -> None:
    for node in shape.nodes.values():
        if isinstance(node.end, Goto) and not node.statements and node.end.edge.target <= node.id:
            node.statements.append("t(0)")


def _successors(shape: Shape) -> dict[int, list[int]]:
    """The ways out of each node: edges, and from bodies to handlers, final parts and where managers swallow."""
    found: dict[int, list[int]] = {}
    for node in shape.nodes.values():
        ways = [edge.target for edge in _edges(node)]
        extent = node.extent
        while extent > 0:
            part = shape.extents[extent]
            if part.kind == "body":
                statement = shape.statements[part.statement]
                ways += [clause.entry for clause in statement.clauses]
                ways += [id for id in (statement.final_entry, statement.swallowed) if id >= 0]
            if isinstance(node.end, Falls) and part.kind == "final":
                body = shape.statements[part.statement].body_extent
                bodies = [other for other in shape.nodes.values() if other.extent == body]
                ways += [edge.target for other in bodies for edge in _edges(other)]
            extent = part.parent
        found[node.id] = ways
    return found


def _edges(node: Node) -> list[Edge]:
    match node.end:
        case Goto(edge):
            return [edge]
        case Test(_, first, second) | Next(_, _, first, second):
            return [first, second]
        case Leave() | Falls():
            return []
    raise AssertionError(node)


def _reached(ways: dict[int, list[int]], starts: list[int], without: int) -> set[int]:
    found: set[int] = set()
    work = list(starts)
    while work:
        id = work.pop()
        if id != without and id not in found:
            found.add(id)
            work.extend(ways[id])
    return found


def _natural(shape: Shape, header: int) -> set[int] | None:
    """The nodes of the loop of `header`, if the contract allows a fresh iterable there."""
    if shape.nodes[header].statements:
        return None
    ways = _successors(shape)
    alive = _reached(ways, [shape.entry], -1)
    around = _reached(ways, [shape.entry], header)
    inside = _reached(ways, ways[header], header) - around
    into: dict[int, list[int]] = {}
    for source in sorted(inside | {header}):
        for target in ways[source]:
            into.setdefault(target, []).append(source)
    loop = _reached({id: into.get(id, []) for id in ways}, into.get(header, []), header)
    edges = [node.id for node in shape.nodes.values() for edge in _edges(node) if edge.target == header]
    outside = [id for id in edges if id in alive and id not in loop and id != header]
    implicit = [id for id in alive - loop - {header} if header in ways[id] and id not in edges]
    if header not in _reached(ways, ways[header], -1):
        return set()
    if len(edges) == 1 and edges[0] not in loop | {header} and not implicit:
        return set()
    end = shape.nodes[header].end
    assert isinstance(end, Next)
    if len(outside) != 1 or implicit or shape.entry == header:
        return None
    if end.body.target not in loop | {header} or end.done.target in loop | {header}:
        return None
    return loop | {header}
