"""A prepared function with names as the structurer's shape.

Each node becomes a node with its statements and its end; moves on edges are parallel copies without the identical
ones; try regions become protected statements with extents for their parts.
"""

from __future__ import annotations

from typing import Final

from futamura.backend.python.naming import Names
from futamura.backend.python.prepare import Prepared
from futamura.backend.python.trees import Expression, Fused, Literal, Move, Node, Ref, Return, Variable
from futamura.backend.structure.shape import (
    Clause,
    Edge,
    End,
    Extent,
    Falls,
    Goto,
    Leave,
    Next,
    Protected,
    Shape,
    Test,
)
from futamura.backend.structure.shape import Node as ShapeNode
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge as IrEdge
from futamura.ir.graph import Terminator, Value

__all__ = ["regions_in_need", "shape_of"]


def shape_of(prepared: Prepared, names: Names) -> Shape:
    """The shape of a function whose values have names."""
    return _Shaper(prepared, names).run()


def regions_in_need(prepared: Prepared, names: Names) -> set[int]:
    """The `try` statements in which what no clause takes would leave without the values that its handler gets."""
    shaper = _Shaper(prepared, names)
    return {
        region for region, parts in prepared.tries.items() if any(shaper.moves_to_handler(one) for one in parts.chain)
    }


class _Shaper:
    def __init__(self, prepared: Prepared, names: Names) -> None:
        self.prepared: Final = prepared
        self.names: Final = names
        self.draft: Final = prepared.draft
        self.shape: Final = Shape({}, 0)
        self.bodies: dict[int, Protected] = {}
        self.clause_extents: dict[tuple[int, int], int] = {}
        self.final_extents: dict[int, int] = {}
        self.next_id = max(self.draft.nodes, default=0) + 1
        self.constants: Final = prepared.constants
        self.gone: Final = {number for parts in prepared.tries.values() for number in parts.chain}

    def run(self) -> Shape:
        for node in self.draft.nodes.values():
            if node.id in self.gone:
                self._extent(node.id)
                continue
            extent = self._extent(node.id)
            statements = [*self.moves_to_handler(node.id), *self.prepared.nested[node.id].statements]
            if node.end.name in ("return", "raise", "reraise"):
                leaving = statements.pop()
                end: End = Leave(leaving)
                if node.id in self.prepared.resumes and node.end.name == "reraise":
                    end = Falls()
                self.shape.nodes[node.id] = ShapeNode(node.id, statements, end, extent)
                continue
            shaped = ShapeNode(node.id, statements, Leave(None), extent)
            self.shape.nodes[node.id] = shaped
            shaped.end = self._end(node.id, node.end, shaped)
        return self.shape

    # -- extents

    def _extent(self, number: int) -> int:
        """The extent of a node; statements and extents are made when first needed."""
        node = self.draft.nodes[number]
        function = self.prepared.function
        current = 0
        for region in function.region_path(node.region)[1:]:
            entry = function.regions[region]
            statement = self.prepared.folded.get(region if entry.kind == "try" else entry.of)
            if statement is None or entry.kind == "copy":
                continue
            if entry.kind == "try":
                current = self._statement(region, statement.kind, current).body_extent
                continue
            owner = self._statement(entry.of, statement.kind, current)
            if statement.kind == "finally":
                current = owner.final_extent
            elif statement.kind == "try":
                current = self._clause(entry.of, number, current)
        return current

    def _statement(self, region: int, kind: str, parent: int) -> Protected:
        found = self.bodies.get(region)
        if found is not None:
            return found
        number = len(self.shape.statements)
        body = self._new_extent(parent, "body", number)
        found = Protected(number, kind, body)
        self.shape.statements.append(found)
        self.bodies[region] = found
        if kind == "finally":
            found.final_extent = self._new_extent(parent, "final", number)
            found.final_entry = self.prepared.folded[region].handler
        elif kind == "with":
            found.header = self.prepared.withs[region]
            found.swallowed = self.prepared.folded[region].swallowed
        elif region in self.prepared.tries:
            parts = self.prepared.tries[region]
            for at, header in enumerate(parts.headers):
                extent = self._new_extent(parent, "clause", number)
                self.clause_extents[region, at] = extent
                found.clauses.append(Clause(header, extent, parts.entries[at]))
        return found

    def _new_extent(self, parent: int, kind: str, statement: int) -> int:
        extent = Extent(len(self.shape.extents), parent, kind, statement)
        self.shape.extents.append(extent)
        return extent.id

    def _clause(self, region: int, number: int, current: int) -> int:
        parts = self.prepared.tries.get(region)
        if parts is None:
            return current
        for at, members in enumerate(parts.members):
            if number in members:
                return self.clause_extents[region, at]
        return current

    # -- ends and edges

    def _end(self, number: int, end: Terminator, shaped: ShapeNode) -> End:
        operands = self.prepared.nested[number].operands
        if end.name == "jump":
            edge = self._edge(end.edges[0])
            shaped.statements.extend(edge.moves)
            return Goto(Edge(edge.target))
        if end.name == "branch":
            return Test(operands[0], self._edge(end.edges[0]), self._edge(end.edges[1]))
        if end.name == "next":
            return self._next(number, end, operands)
        if end.name == "switch":
            return self._switch(shaped, end, operands[0])
        if end.name == "unreachable":  # behind a final part that never goes on, which `return` leads to, too
            return Leave(Return(Literal(Constant(None)), end.span))
        raise NotImplementedError(f"no Python for {end.name}")

    def _next(self, number: int, end: Terminator, operands: tuple[Expression, ...]) -> Next:
        body = self.prepared.nested[end.edges[0].target]
        implicit = self.draft.nodes[end.edges[0].target].params[:1]
        target = body.target if body.target is not None else Variable(implicit[0])
        iterable = self.prepared.iterables.get(number)
        if iterable is not None:
            operands = self.prepared.nested[iterable[0]].operands
        source = operands[0]
        made_here = iterable is None and not isinstance(source, Ref)  # on each way around the loop anew
        if isinstance(source, Node) and source.op.name == "iter":
            source = source.kids[0]
        elif iterable is None and not (isinstance(source, Ref) and source.value in self.prepared.only_looped_over):
            source = Fused("iterating", (source,))
        varies = made_here or (iterable is None and self._varies(number, end.args[0]))
        return Next(target, source, self._edge(end.edges[0], 1), self._edge(end.edges[1]), varies)

    def _varies(self, number: int, iterator: Value) -> bool:
        """Does a way around the loop bring another iterator?"""
        nodes = self.draft.nodes
        if iterator not in nodes[number].params:
            return False
        at = nodes[number].params.index(iterator)
        seen: set[int] = set()
        work = [number]
        while work:
            node = nodes[work.pop()]
            for place, edge in enumerate(node.end.edges):
                first = 1 if node.end.name == "next" and place == 0 else 0
                if edge.target == number and edge.args[at - first] != iterator:
                    return True
                if edge.target not in seen:
                    seen.add(edge.target)
                    work.append(edge.target)
            if node.handler is not None and node.handler.target not in seen:
                seen.add(node.handler.target)
                work.append(node.handler.target)
        return False

    def _switch(self, shaped: ShapeNode, end: Terminator, value: Expression) -> End:
        """Cases in order, each an exact comparison."""
        assert isinstance(end.attr, tuple)
        current = shaped
        for constant, edge in zip(end.attr, end.edges):
            rest = ShapeNode(self.next_id, [], Leave(None), shaped.extent)
            self.next_id += 1
            self.shape.nodes[rest.id] = rest
            condition = Fused("case", (value,), constant)
            current.end = Test(condition, self._edge(edge), Edge(rest.id))
            current = rest
        final = Goto(self._edge(end.edges[-1]))
        if current is shaped:
            return final
        current.end = final
        return shaped.end

    def _edge(self, edge: IrEdge, implicit: int = 0) -> Edge:
        params = self.draft.nodes[edge.target].params[implicit:]
        return Edge(edge.target, self._moves(params, edge.args))

    def _moves(self, params: list[Value], args: tuple[Value, ...]) -> tuple[object, ...]:
        """The parallel copy of arguments to parameters, without what is in place already."""
        names = self.names.values
        targets: list[Value] = []
        sources: list[Expression] = []
        for param, arg in zip(params, args, strict=True):
            if param not in names:
                continue  # nobody reads it
            constant = self.constants.get(arg)
            if constant is not None:
                targets.append(param)
                sources.append(Literal(constant))
            elif names.get(arg) != names[param]:
                targets.append(param)
                sources.append(Ref(arg))
        return (Move(tuple(targets), tuple(sources)),) if targets else ()

    def moves_to_handler(self, number: int) -> list[object]:
        """What the handler's parameters must hold while the node runs."""
        node = self.draft.nodes[number]
        if node.handler is None or not node.handler.args:
            return []
        params = self.draft.nodes[node.handler.target].params[1:]
        return list(self._moves(params, node.handler.args))
