"""The IR of one residual function, from its resolved blocks.

    invoke count_1 -> two results, both used     ->     v5 = invoke count_1; v6, v7 = unpack v5

Invariant: what nobody needs is not emitted; blocks lie in the regions whose handlers they reach.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import GeneratorType
from typing import Final

from futamura.ir.attributes import FunctionAttr
from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import OBJECT, Edge, Function
from futamura.ir.nesting import loop_forest
from futamura.specializer.assembly import Assembly, given_by, implicit, operations, removable
from futamura.specializer.definitions import Closure, define
from futamura.specializer.fencing import fenced
from futamura.specializer.passing import Flow
from futamura.specializer.residual import ResidualBlock, ResidualEnd, ResidualOperation, Version
from futamura.specializer.sinking import sink
from futamura.specializer.state import Extent
from futamura.specializer.unseen import unseen

__all__ = ["Emission"]

_TYPES: Final = {
    kind: kind.__name__
    for kind in (
        int, bool, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, type(None), GeneratorType,
    )
}  # fmt: skip
"""The classes by whose names the optimizer knows values."""


class Emission:
    """Builds the IR of an assembly."""

    def __init__(
        self,
        assembly: Assembly,
        version: Version,
        builder: FunctionBuilder,
        flow: Flow,
    ) -> None:
        self.assembly: Final = assembly
        self.version: Final = version
        self.flow: Final = flow
        self.replaced: Final = flow.replaced
        self.needed: Final = flow.needed
        self.root: Final = version.root
        self.builder: Final = builder
        self.values: dict[int, int] = {}
        self.heads: dict[ResidualBlock, BlockBuilder] = {}
        self.bodies: dict[ResidualBlock, BlockBuilder] = {}
        self.regions: dict[tuple[str, int], int] = {}
        self.parents: dict[int, int] = {}
        self.copies: dict[ResidualBlock, int] = {}
        self.outside: dict[ResidualBlock, dict[int, int]] = {}
        self._renamed: dict[int, int] = {}
        self._contexts: dict[ResidualBlock, tuple[Extent, ...]] = {}
        self._handler_of: dict[int, ResidualBlock] | None = None
        self._loops: set[int] | None = None
        self._unseen: frozenset[int] | None = None
        self._lasting: Final[dict[tuple[str, int | Constant], int]] = {}
        """Variables that all closures of a loop share, by name and value."""
        self._shared: Final[dict[tuple[int, int], int]] = {}
        """Those that all closures of a block share, by its number and by their own."""
        self._known: dict[int, Constant] | None = None
        self._positions: Final[dict[ResidualBlock, tuple[int, list[int]]]] = {}

    def build(self) -> Function:
        sink(self.assembly, self.flow, self.root)
        for block in self.assembly.blocks:
            self.heads[block] = self.bodies[block] = self.builder.block()
            starts_inside = block in self.assembly.entered and block.context not in (None, block.place)
            if starts_inside or block in self.assembly.before:
                self.bodies[block] = self.builder.block()
        self._contexts = fenced(self.assembly)
        for block in self.assembly.blocks:
            self._place(block)
        self._keep_exceptions()
        for block in self.assembly.blocks:
            self.heads[block].params.extend(self._value(self.assembly.params[block][at]) for at in self._kept(block))
        for number, block in enumerate(self.assembly.blocks):
            self._fill(number, block)
        return self.builder.finish()

    def _keep_exceptions(self) -> None:
        """An exception that is read where its handler has ended gets a second name: Python forgets the first."""
        handlers = {self.assembly.params[block][0]: block for block in self.assembly.blocks if self._is_left(block)}
        for number, reader in enumerate(self.assembly.blocks) if handlers else ():
            for caught in sorted(handlers.keys() & self._reads(number, reader)):
                block = handlers[caught]
                if self._lies_in(self.bodies[reader].region, self.heads[block].region):
                    continue
                if block not in self.copies:
                    self.copies[block] = self.assembly.machine.renamed(caught)
                self.outside.setdefault(reader, {})[caught] = self.copies[block]

    def _is_left(self, block: ResidualBlock) -> bool:
        """Is this a handler that control may leave with the exception in a variable?"""
        assert block.end is not None
        return block in self.assembly.entered and block.end.name != "reraise"

    def _lies_in(self, region: int, outer: int) -> bool:
        while region and region != outer:
            region = self.parents[region]
        return region == outer

    def _reads(self, number: int, block: ResidualBlock) -> set[int]:
        return set(self._operands(number, block))

    def _operands(self, number: int, block: ResidualBlock) -> list[int]:
        assembly = self.assembly
        assert block.end is not None
        found = [arg for op in operations(assembly, block) for arg in op.args]
        if block.end.name != "jump":
            found.extend(block.end.args)
        for at in range(len(block.end.targets)):
            found.extend(assembly.edges[number, at][1])
        if number in assembly.handlers:
            found.extend(assembly.handlers[number][1])
        return [self.replaced.get(rv, rv) for rv in found]

    def _value(self, rv: int) -> int:
        rv = self.replaced.get(rv, rv)
        if self._renamed:
            rv = self._renamed.get(rv, rv)
        found = self.values.get(rv)
        if found is None:
            machine = self.assembly.machine
            kind = _TYPES.get(machine.types.get(rv, object), OBJECT)
            found = self.values[rv] = self.builder.value(machine.hints[rv], kind)
        return found

    def _values(self, rvs: Iterable[int]) -> tuple[int, ...]:
        value = self._value
        return tuple([value(rv) for rv in rvs])

    def _kept(self, block: ResidualBlock) -> list[int]:
        """The positions of the parameters that remain."""
        params = self.assembly.params[block]
        first = implicit(self.assembly, block)
        if block is self.root:
            return self.flow.parameters(self.version)
        kept = [at for at, p in enumerate(params) if at >= first and p not in self.replaced and p in self.needed]
        return [*range(first), *kept]

    def _place(self, block: ResidualBlock) -> None:
        """Give the block its residual region; regions that nothing raises in do not exist."""
        body = self._innermost(self._contexts[block])
        self.bodies[block].region = body
        self.heads[block].region = self._innermost(block.place) if block in self.assembly.entered else body

    def _innermost(self, context: tuple[Extent, ...]) -> int:
        region = 0
        for extent in context:
            if extent.kind != "copy" and extent.uid in self._handled():
                region = self._region(extent, region)
        return region

    def _handled(self) -> dict[int, ResidualBlock]:
        """Each try region's handler block, by the region's number."""
        if self._handler_of is None:
            self._handler_of = {}
            for number, block in enumerate(self.assembly.blocks):
                if number in self.assembly.handlers:
                    assert block.context is not None
                    extent = _innermost_try(block.context)
                    self._handler_of[extent.uid] = self.assembly.handlers[number][0]
        return self._handler_of

    def _region(self, extent: Extent, parent: int) -> int:
        found = self.regions.get((extent.kind, extent.uid))
        if found is not None:
            return found
        handler = self.heads[self._handled()[extent.uid]].id
        if extent.kind == "try":
            number = self.builder.region("try", parent, flavor="residual", handler=handler)
        else:
            of = self._region(extent._replace(kind="try"), parent)
            number = self.builder.region("except", parent, of=of)
        self.regions[extent.kind, extent.uid] = number
        self.parents[number] = parent
        return number

    def _fill(self, number: int, block: ResidualBlock) -> None:
        body = self.bodies[block]
        self._renamed = self.outside.get(block, {})
        if block in self.copies:
            caught = self._value(self.assembly.params[block][0])
            self.builder.append(self.heads[block], "copy", (caught,), None, (self._value(self.copies[block]),))
        if body is not self.heads[block]:
            for op in self.assembly.before.get(block, ()):
                self._append(self.heads[block], op)
            self.builder.terminate(self.heads[block], "jump", (), (Edge(body.id),))
        for op in block.ops:
            self._append(body, op)
        if number in self.assembly.handlers:
            handler, args = self.assembly.handlers[number]
            body.handler = self._edge(handler, args)
        end = block.end
        assert end is not None
        edges = tuple([self._edge(*self.assembly.edges[number, at]) for at in range(len(end.targets))])
        if end.name == "return" and self.version is not self.flow.main:
            args_of: tuple[int, ...] = (self._result(body, end),)
        else:
            args_of = () if end.name == "jump" else self._values(end.args)
        self.builder.terminate(body, end.name, args_of, edges, end.attr, end.span)

    def _edge(self, target: ResidualBlock, args: list[int]) -> Edge:
        found = self._positions.get(target)
        if found is None:
            first = implicit(self.assembly, target)
            kept = [at - first for at in self._kept(target) if at >= first]
            found = self._positions[target] = self.heads[target].id, kept
        return Edge(found[0], self._values([args[at] for at in found[1]]))

    def _result(self, block: BlockBuilder, end: ResidualEnd) -> int:
        """What a residual function returns: its one result that is used, or a tuple of them."""
        given = [self._value(end.args[at]) for at in self.flow.results(self.version)]
        if len(given) == 1:
            return given[0]
        made = self.builder.value(None)
        if given:
            self.builder.append(block, "tuple", tuple(given), None, (made,), end.span)
        else:
            self.builder.append(block, "const", (), Constant(None), (made,), end.span)
        return made

    def _invoke(self, block: BlockBuilder, op: ResidualOperation) -> None:
        assert op.lazy is not None
        callee = op.lazy.version.final()
        if callee in self.flow.idle and not any(result in self.needed for result in op.results):
            return
        args = tuple(self._value(op.args[at]) for at in self.flow.passed(callee))
        results = [op.results[at] for at in self.flow.results(callee) if op.results]
        made = tuple(
            self.builder.value(None) if result in self.replaced or result not in self.needed else self._value(result)
            for result in results
        )
        given = made if len(made) == 1 else (self.builder.value(None),)
        self.builder.append(block, "invoke", args, op.attr, given, op.span)
        if len(made) > 1:
            self.builder.append(block, "unpack", given, (len(made), False, 0), made, op.span)

    def _append(self, block: BlockBuilder, op: ResidualOperation) -> None:
        if op.lazy is not None:
            self._invoke(block, op)
            return
        if removable(op) and self.needed.isdisjoint(given_by(op)):
            return
        args = self._values(op.args)
        if isinstance(op.attr, Closure):
            self._define(block, op, op.attr, args)
            return
        self.builder.append(block, op.name, args, op.attr, self._values(op.results), op.span)

    def _define(self, block: BlockBuilder, op: ResidualOperation, closure: Closure, args: tuple[int, ...]) -> None:
        definitions = self.assembly.machine.definitions
        result = self._value(op.results[0])
        if any(closure.fresh) and self._repeats(block) and self._begins_plainly():
            closure, args = self._with_lasting_cells(op, closure, args)
        if not any(closure.fresh) or not self._repeats(block):
            if self._unseen is None:
                reads = [rv for at, part in enumerate(self.assembly.blocks) for rv in self._operands(at, part)]
                self._unseen = unseen(self.assembly, self.replaced, reads)
            hidden = op.results[0] in self._unseen
            closure, args = self._with_shared_cells(block, op, closure, args)
            define(definitions, self.builder, block, closure, args, result, named=not hidden)
            return
        maker = definitions.maker(closure, len(args), self.builder.qualname)
        if None not in closure.fresh:
            self.builder.append(block, "invoke", args, maker, (result,), op.span)
            return
        # Some of its variables are shared by all that the loop makes, the others belong to one of them each.
        plain = len(args) - len(closure.fresh)
        shared = tuple([arg for arg, made in zip(args[plain:], closure.fresh, strict=True) if made is None])
        own = tuple([arg for arg, made in zip(args[plain:], closure.fresh, strict=True) if made is not None])
        function = self.builder.emit(block, "function", shared, FunctionAttr(maker), span=op.span)
        self.builder.append(block, "call", (function, *args[:plain], *own), None, (result,), op.span)

    def _with_lasting_cells(
        self, op: ResidualOperation, closure: Closure, args: tuple[int, ...]
    ) -> tuple[Closure, tuple[int, ...]]:
        """A closure that a loop makes, with one variable for all rounds where these give it the same value: a constant
        or a parameter of the function."""
        head = self.heads[self.root]
        fresh, operands = list(closure.fresh), list(args)
        plain = len(args) - len(fresh)
        for at, name in enumerate(fresh):
            constant = self._constants().get(self.replaced.get(op.args[plain + at], op.args[plain + at]))
            lasts = closure.lasts[at] and (constant is not None or args[plain + at] in head.params)
            if name is not None and lasts:
                fresh[at], operands[plain + at] = None, self._lasting_cell(head, name, args[plain + at], constant)
        return closure._replace(fresh=tuple(fresh)), tuple(operands)

    def _with_shared_cells(
        self, block: BlockBuilder, op: ResidualOperation, closure: Closure, args: tuple[int, ...]
    ) -> tuple[Closure, tuple[int, ...]]:
        """The closure with the variables that the block has made for others before it."""
        variables = self.assembly.machine.captured.get(op.results[0], ())
        fresh, operands = list(closure.fresh), list(args)
        plain = len(args) - len(fresh)
        for at, (name, variable) in enumerate(zip(fresh, variables)):
            if name is not None and variable >= 0:
                key = (block.id, variable)
                if key not in self._shared:
                    self._shared[key] = self.builder.emit(block, "cell", (args[plain + at],), name, hint=name)
                fresh[at], operands[plain + at] = None, self._shared[key]
        return closure._replace(fresh=tuple(fresh)), tuple(operands)

    def _constants(self) -> dict[int, Constant]:
        """The values that are always the same."""
        if self._known is None:
            ops = [op for block in self.assembly.blocks for op in block.ops if op.name == "const"]
            self._known = {op.results[0]: op.attr for op in ops if isinstance(op.attr, Constant)}
        return self._known

    def _begins_plainly(self) -> bool:
        """Is the first block run once, and does all that comes later know what it makes?  Its own handler does not."""
        number = self.assembly.numbers[self.root]
        return number not in self.assembly.handlers and not self._repeats(self.heads[self.root])

    def _lasting_cell(self, head: BlockBuilder, name: str, value: int, constant: Constant | None) -> int:
        """A variable that the function begins with."""
        key = (name, value if constant is None else constant)
        cell = self._lasting.get(key)
        if cell is None:
            before, head.ops = head.ops, []
            if constant is not None:
                value = self.builder.emit(head, "const", (), constant)
            cell = self._lasting[key] = self.builder.emit(head, "cell", (value,), name, hint=name)
            head.ops.extend(before)
        return cell

    def _repeats(self, block: BlockBuilder) -> bool:
        """Does a loop run this block again and again?"""
        if self._loops is None:
            numbers = self.assembly.numbers
            ways: list[list[int]] = [[] for _ in self.assembly.blocks]
            for (number, _), (target, _) in self.assembly.edges.items():
                ways[number].append(numbers[target])
            for number, (target, _) in self.assembly.handlers.items():
                ways[number].append(numbers[target])
            inside = {number for loop in loop_forest(ways, 0) for number in loop.nodes}
            self._loops = {
                made.id
                for number in inside
                for made in (self.heads[self.assembly.blocks[number]], self.bodies[self.assembly.blocks[number]])
            }
        return block.id in self._loops


def _innermost_try(context: tuple[Extent, ...]) -> Extent:
    return next(extent for extent in reversed(context) if extent.kind == "try")
