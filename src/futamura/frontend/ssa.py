"""The second stage, second half: from a draft to a function in SSA form.

    SET x <- t1; jump L         L(x): x = L's parameter, where the edges bring different values
    SET x <- t2; jump L

Blocks are processed in reverse postorder with the current value of each variable.  At a join a parameter is
made for each live variable whose values differ; at a loop header for each live variable that the loop
assigns.  Parameters that receive only one value after all are removed at the end.

Invariant: a variable that is not a cell has a value wherever it is live (`variables.py` saw to it), and the
values that a handler needs are the same in all blocks that it protects.
"""

from __future__ import annotations

import ast
from itertools import compress
from operator import ne
from typing import Any

from futamura.frontend.draft import (
    CELL,
    CLEAR,
    DELETE,
    EXPAND,
    FRESH,
    GET,
    SET,
    SETS,
    Draft,
    DraftBlock,
)
from futamura.frontend.variables import Order
from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Span, Value
from futamura.ir.ops import OPERATORS, Operator

__all__ = ["Construction", "span_of"]

_COPY = OPERATORS["copy"]
_CONST = OPERATORS["const"]
_CELL = OPERATORS["cell"]
_CELL_GET = OPERATORS["cell_get"]
_CELL_SET = OPERATORS["cell_set"]
_CELL_DEL = OPERATORS["cell_del"]


def span_of(node: Any) -> Span:
    """The place of a syntax node; a generator expression's helper nodes have one, too."""
    return tuple.__new__(Span, (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))


class Construction:
    """Writes one draft into a function builder."""

    def __init__(self, order: Order, cells: int, builder: FunctionBuilder, parameters: tuple[str, ...]) -> None:
        self.order = order
        self.draft: Draft = order.draft
        self.builder = builder
        self.cells = cells
        self.names = order.draft.variables
        self.is_cell = [bool(cells >> index & 1) for index in range(len(self.names))]
        self.cell_of: list[Value] = [-1] * len(self.names)
        self.values: list[Value] = [-1] * order.draft.temps
        """The value of each temporary."""
        self.joins: list[DraftBlock] = []
        """Blocks with parameters for variables."""
        self.parameters = parameters
        self.spans: dict[int, Span] = {}

    def run(self) -> None:
        """Fill the builder; it is ready for `finish`."""
        self._regions()
        targets = [self.builder.block(self.region_ids[block.region]) for block in self.order.blocks]
        self._enter(targets[0])
        for block in self.order.blocks:
            self._block(block, targets[block.id])
        replaced = self._trivial_parameters(targets)
        for block in self.order.blocks:
            self._terminate(block, targets[block.id], replaced)
        if replaced:
            self._replace(targets, replaced)

    # Set-up

    def _regions(self) -> None:
        """Regions without any block are dropped."""
        draft, order = self.draft, self.order
        used = 1
        for block in order.blocks:
            used |= order.ancestors[block.region]
        self.region_ids: list[int] = [0] * len(draft.regions)
        for number, region in enumerate(draft.regions):
            if number == 0 or not used >> number & 1:
                continue
            self.region_ids[number] = self.builder.region(
                region.kind,
                self.region_ids[region.parent],
                flavor=region.flavor,
                handler=region.handler.id if region.handler is not None else -1,
                of=self.region_ids[region.of] if region.of >= 0 else -1,
                span=None if region.node is None else self.span(region.node),
            )

    def span(self, node: ast.AST) -> Span:
        return span_of(node)

    def _enter(self, entry: BlockBuilder) -> None:
        """The parameters of the function, the cells of its free names, its own cells."""
        builder, draft = self.builder, self.draft
        place = self.span(draft.scope.node)
        values = builder.params(entry, *self.parameters)
        for name, temp in draft.free.items():
            (self.values[temp],) = builder.params(entry, name)
        env = [-1] * len(self.names)
        own = len(draft.scope.locals)
        for index, value in enumerate(values):
            env[index] = value
        for index in range(own):
            if not self.is_cell[index]:
                continue
            init = (env[index],) if index < len(values) else ()
            name = self.names[index]
            self.cell_of[index] = builder.emit(entry, "cell", init, name, hint=name, span=place)
            env[index] = -1
        self.entry_env = env

    # Blocks

    def _block(self, block: DraftBlock, target: BlockBuilder) -> None:
        builder, values = self.builder, self.values
        for temp in block.params:
            (values[temp],) = builder.params(target, None)
        env = self._environment(block, target)
        block.env_in = env
        if block.writes:
            env = env.copy()
        block.env_out = env
        new_value, add = builder.value, builder.add
        for row, args, attr, results, node in block.ops:
            if row.__class__ is not Operator:
                self._variable(target, env, row, args, attr, results, node)
                continue
            fresh = tuple([new_value() for _ in results])
            for temp, value in zip(results, fresh):
                values[temp] = value
            add(target, row, tuple([values[temp] for temp in args]), attr, fresh, span_of(node))

    def _environment(self, block: DraftBlock, target: BlockBuilder) -> list[Value]:
        """The values of the variables at the start of a block; makes its parameters."""
        if block.id == 0:
            return self.entry_env
        preds = block.preds
        first = preds[0]
        if self.order.draft.regions[block.region].kind == "except" and self._is_handler(block):
            return first.env_in
        done = [pred for pred in preds if pred.id < block.id]
        base = done[0].env_out
        different: set[int] = set()
        count = len(self.names)
        for pred in done[1:]:
            if pred.env_out is not base:
                different.update(compress(range(count), map(ne, base, pred.env_out)))
        relevant = block.live & ~self.cells
        merges = [index for index in different if relevant >> index & 1]
        if len(done) < len(preds):
            assigned = self._assigned_in_loop(block) & relevant
            merges += [index for index in _members(assigned) if index not in different]
        if not merges:
            return base
        merges.sort()
        block.merges = merges
        self.joins.append(block)
        env = base.copy()
        for index, value in zip(merges, self.builder.params(target, *[self.names[index] for index in merges])):
            env[index] = value
        return env

    def _is_handler(self, block: DraftBlock) -> bool:
        region = self.draft.regions[block.region]
        return self.draft.regions[region.of].handler is block

    def _assigned_in_loop(self, header: DraftBlock) -> int:
        """What the blocks of the natural loop of `header` assign: backwards from its back edges."""
        assigned = header.writes
        seen = {header.id}
        stack = [pred for pred in header.preds if pred.id >= header.id]
        while stack:
            block = stack.pop()
            if block.id in seen:
                continue
            seen.add(block.id)
            assigned |= block.writes
            stack.extend(block.preds)
        return assigned

    # Variables

    def _variable(
        self, target: BlockBuilder, env: list[Value], kind: Any, index: Any, operand: Any, extra: Any, node: Any
    ) -> None:
        """One operation on a variable; the parts mean what `draft` says for each kind."""
        if kind == GET:
            self._get(target, env, index, operand, extra, node)
        elif kind == SET:
            self._set(target, env, index, self.values[operand], extra, node)
        elif kind == SETS:
            self._set_all(target, env, index, [self.values[temp] for temp in operand], node)
        elif kind == CELL:
            self.values[operand] = self.cell_of[index]
        elif kind == EXPAND:
            row, result = extra
            value = self.values[operand]
            if index & self.cells:
                value = self.builder.emit(target, row.name, (value,), (True,), span=span_of(node))
            self.values[result] = value
        elif kind == DELETE:
            self._effect(target, _CELL_DEL, (self.cell_of[index],), (self.names[index], "local"), node)
        elif kind == CLEAR:
            self._clear(target, env, index, extra, node)
        elif kind == FRESH:
            env[index] = -1
            if self.is_cell[index]:
                name = self.names[index]
                self.cell_of[index] = self.builder.emit(target, "cell", (), name, hint=name, span=span_of(node))
        else:
            raise AssertionError(kind)

    def _effect(
        self, target: BlockBuilder, row: Operator, args: tuple[Value, ...], attr: object, node: ast.AST
    ) -> None:
        self.builder.add(target, row, args, attr, (), span_of(node))

    def _get(self, target: BlockBuilder, env: list[Value], index: int, temp: int, flavor: str, node: ast.AST) -> None:
        if not self.is_cell[index]:
            assert env[index] >= 0, f"{self.names[index]} is read where it has no value"
            self.values[temp] = env[index]
            return
        result = self.builder.value()
        self.values[temp] = result
        attr = (self.names[index], flavor)
        self.builder.add(target, _CELL_GET, (self.cell_of[index],), attr, (result,), span_of(node))

    def _set(
        self, target: BlockBuilder, env: list[Value], index: int, value: Value, copies: bool, node: ast.AST
    ) -> None:
        name = self.names[index]
        if self.is_cell[index]:
            self._effect(target, _CELL_SET, (value, self.cell_of[index]), name, node)
            return
        hints = self.builder.hints
        if hints[value] is None and not copies:
            hints[value] = name
        elif hints[value] != name:
            copied = self.builder.value(name)
            self.builder.add(target, _COPY, (value,), None, (copied,), span_of(node))
            value = copied
        env[index] = value

    def _set_all(
        self, target: BlockBuilder, env: list[Value], indices: list[int], values: list[Value], node: ast.AST
    ) -> None:
        """A parallel assignment: what must be copied is copied by one operation."""
        copied: list[tuple[int, Value]] = []
        hints = self.builder.hints
        for index, value in zip(indices, values):
            name = self.names[index]
            if self.is_cell[index]:
                self._effect(target, _CELL_SET, (value, self.cell_of[index]), name, node)
            elif hints[value] is None:
                hints[value] = name
                env[index] = value
            elif hints[value] == name:
                env[index] = value
            else:
                copied.append((index, value))
        if not copied:
            return
        results = tuple([self.builder.value(self.names[index]) for index, _ in copied])
        self.builder.add(target, _COPY, tuple([value for _, value in copied]), None, results, span_of(node))
        for (index, _), result in zip(copied, results):
            env[index] = result

    def _clear(self, target: BlockBuilder, env: list[Value], index: int, surely: bool, node: ast.AST) -> None:
        env[index] = -1
        if not self.is_cell[index]:
            return
        cell, name = self.cell_of[index], self.names[index]
        if not surely:
            none = self.builder.value()
            self.builder.add(target, _CONST, (), Constant(None), (none,), span_of(node))
            self._effect(target, _CELL_SET, (none, cell), name, node)
        self._effect(target, _CELL_DEL, (cell,), (name, "local"), node)

    # Ends

    def _terminate(self, block: DraftBlock, target: BlockBuilder, replaced: dict[Value, Value]) -> None:
        assert block.terminator is not None
        kind, args, edges, node = block.terminator
        values, env = self.values, block.env_out
        ways = []
        for successor, temps in edges:
            passed = [values[temp] for temp in temps]
            if successor.merges:
                passed += [env[index] for index in successor.merges]
            ways.append(Edge(successor.id, tuple(passed)))
        self.builder.terminate(target, kind, tuple([values[temp] for temp in args]), tuple(ways), span=span_of(node))
        handler = self.order.handlers[block.region]
        if handler is not None:
            target.handler = Edge(handler.id)

    def _trivial_parameters(self, targets: list[BlockBuilder]) -> dict[Value, Value]:
        """Parameters that only ever receive one value, with that value; they are removed."""
        replaced: dict[Value, Value] = {}
        changed = True
        while changed:
            changed = False
            for join in self.joins:
                for index in list(join.merges):
                    if self._drop_if_trivial(join, index, targets[join.id], replaced):
                        changed = True
        return replaced

    def _drop_if_trivial(
        self, join: DraftBlock, index: int, target: BlockBuilder, replaced: dict[Value, Value]
    ) -> bool:
        own = join.env_in[index]
        sources: set[Value] = set()
        for pred in join.preds:
            value = pred.env_out[index]
            while value in replaced:
                value = replaced[value]
            if value != own:
                sources.add(value)
                if len(sources) > 1:
                    return False
        replaced[own] = sources.pop()
        join.merges.remove(index)
        target.params.remove(own)
        return True

    def _replace(self, targets: list[BlockBuilder], replaced: dict[Value, Value]) -> None:
        """Use the remaining value for each removed parameter, then close the gaps in the numbering."""
        final: dict[Value, Value] = {}
        for value in replaced:
            source = value
            while source in replaced:
                source = replaced[source]
            final[value] = source
        builder = self.builder
        number = [-1] * len(builder.hints)
        kept = [value for value in range(len(builder.hints)) if value not in final]
        for position, value in enumerate(kept):
            number[value] = position
        for value, source in final.items():
            number[value] = number[source]
        builder.hints[:] = [builder.hints[value] for value in kept]
        builder.types[:] = [builder.types[value] for value in kept]
        for target in targets:
            target.params[:] = [number[value] for value in target.params]
            target.ops[:] = [
                operation._replace(
                    args=tuple([number[value] for value in operation.args]),
                    results=tuple([number[value] for value in operation.results]),
                )
                for operation in target.ops
            ]
            end = target.terminator
            assert end is not None
            edges = tuple([Edge(edge.target, tuple([number[value] for value in edge.args])) for edge in end.edges])
            target.terminator = end._replace(args=tuple([number[value] for value in end.args]), edges=edges)


def _members(bits: int) -> list[int]:
    """The elements of a bit set, in order."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found
