"""Random shapes: unstructured graphs with nested protected extents.

    random_shape(Random(1), 8)  ->  up to 8 nodes, any edges that stay legal

Edges go anywhere but into except clauses and final parts, so several entries into a `try` body, irreducible loops
and jumps out of everything arise by themselves.

Invariant: no ring of empty nodes (it would run without using fuel).
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

__all__ = ["random_shape"]


@dataclass
class _Maker:
    rng: random.Random
    local: float
    shape: Shape = field(default_factory=lambda: Shape({}, 0))
    count: int = 0

    def number(self) -> int:
        self.count += 1
        return self.count


def random_shape(rng: random.Random, size: int, protected: float = 0.5) -> Shape:
    """`protected`: the chance of another try or with statement, over and over."""
    maker = _Maker(rng, rng.choice((0.0, 0.5, 0.9)))
    while rng.random() < protected and len(maker.shape.extents) < 12:
        _add_statement(maker)
    _add_nodes(maker, size)
    _add_ends(maker)
    _break_rings(maker.shape)
    maker.shape.entry = _some_node(maker, 0, -1)
    return maker.shape


def _add_statement(maker: _Maker) -> None:
    shape, rng = maker.shape, maker.rng
    parent = rng.randrange(len(shape.extents))

    def extent(kind: str) -> int:
        made = Extent(len(shape.extents), parent, kind, len(shape.statements))
        shape.extents.append(made)
        return made.id

    kind = rng.choice(("try", "try", "finally", "with"))
    statement = Protected(len(shape.statements), kind, extent("body"))
    if kind == "try":
        for header in rng.choice((["A"], ["A", "B"], [""], ["(A, B)"])):
            statement.clauses.append(Clause(header, extent("clause"), -1))
    elif kind == "finally":
        statement.final_extent = extent("final")
    else:
        statement.header = f"m({maker.number()})"
    shape.statements.append(statement)


def _add_nodes(maker: _Maker, size: int) -> None:
    shape, rng = maker.shape, maker.rng
    extents = list(range(len(shape.extents)))
    chosen = extents + [rng.choice(extents) for _ in range(max(1, size - len(extents)))]
    if maker.local:
        chosen.sort()
    for id, extent in enumerate(chosen):
        count = rng.choice((0, 0, 1, 1, 2))
        statements: list[object] = [f"{rng.choice('ttr')}({maker.number()})" for _ in range(count)]
        shape.nodes[id] = Node(id, statements, Leave(None), extent)
    for statement in shape.statements:
        for clause in statement.clauses:
            clause.entry = _some_node(maker, clause.extent, clause.extent)
        if statement.final_extent >= 0:
            statement.final_entry = _some_node(maker, statement.final_extent, statement.final_extent)
        if statement.kind == "with":
            outside = shape.extents[statement.body_extent].parent
            statement.swallowed = _some_node(maker, outside, -1)


def _enterable(shape: Shape, target: int, source: int) -> bool:
    """Whether an edge may lead from one extent into another: through bodies only."""
    around = set()
    while source >= 0:
        around.add(source)
        source = shape.extents[source].parent
    while target not in around:
        if shape.extents[target].kind != "body":
            return False
        target = shape.extents[target].parent
    return True


def _holds(shape: Shape, outer: int, inner: int) -> bool:
    while inner >= 0 and inner != outer:
        inner = shape.extents[inner].parent
    return inner == outer


def _some_node(maker: _Maker, source: int, within: int) -> int:
    """A node to which an edge from the extent may lead; `within`: only inside of that extent."""
    shape = maker.shape
    fitting = [
        id
        for id, node in shape.nodes.items()
        if _enterable(shape, node.extent, source) and (within < 0 or _holds(shape, within, node.extent))
    ]
    near = [id for id in fitting if shape.nodes[id].extent == source]
    return maker.rng.choice(near if near and maker.rng.random() < maker.local else fitting)


def _add_ends(maker: _Maker) -> None:
    rng = maker.rng
    forward = rng.random() < 0.3
    for id, node in maker.shape.nodes.items():
        node.end = _end(maker, id, node, forward)


def _end(maker: _Maker, id: int, node: Node, forward: bool) -> End:
    rng, shape = maker.rng, maker.shape

    def edge() -> Edge:
        moves = tuple(f"{rng.choice('ttr')}({maker.number()})" for _ in range(rng.choice((0, 0, 0, 0, 1, 2))))
        target = _some_node(maker, node.extent, -1)
        if forward and target <= id:
            target = max(target, _some_node(maker, node.extent, -1))
        return Edge(target, moves)

    inside_final = any(extent.kind == "final" and _holds(shape, extent.id, node.extent) for extent in shape.extents)
    choice = rng.random()
    if inside_final and choice < 0.4:
        return Falls()
    if choice < 0.35:
        return Goto(edge())
    if choice < 0.75:
        return Test(f"c({maker.number()})", edge(), edge())
    if choice < 0.85:
        return Next("_", f"i({maker.number()})", edge(), edge())
    return Leave(rng.choice(("return None", f"return {maker.number()}", f"return v({maker.number()})", "raise A()")))


def _break_rings(shape: Shape) -> None:
    for id, node in shape.nodes.items():
        seen = {id}
        while isinstance(node.end, Goto) and not node.statements and not node.end.edge.moves:
            target = node.end.edge.target
            if target in seen:
                node.statements.append("t(0)")
            seen.add(target)
            node = shape.nodes[target]
