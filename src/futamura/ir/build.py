"""The only mutable form of a function: build it here, `finish()` freezes and verifies it.

    b = FunctionBuilder("f", Signature(regular=("a",)))
    entry = b.block()
    (a,) = b.params(entry, "a")
    one = b.emit(entry, "const", attr=Constant(1))
    b.terminate(entry, "return", (b.emit(entry, "add", (a, one)),))
    program = Program("f", (b.finish(),))

Invariant: values and operation ids are handed out in increasing order and never reused.
"""

from __future__ import annotations

from futamura.ir.constant import Constant
from futamura.ir.graph import (
    OBJECT,
    Block,
    Edge,
    Function,
    FunctionKind,
    Operation,
    Region,
    RegionKind,
    Signature,
    Span,
    Terminator,
    Value,
)
from futamura.ir.ops import OPERATORS, TERMINATORS, Operator
from futamura.ir.verify import verify_function

__all__ = ["BlockBuilder", "FunctionBuilder"]


class BlockBuilder:
    """A block under construction."""

    __slots__ = ("handler", "id", "ops", "params", "region", "terminator")

    def __init__(self, id: int, region: int) -> None:
        self.id = id
        self.region = region
        self.params: list[Value] = []
        self.ops: list[Operation] = []
        self.terminator: Terminator | None = None
        self.handler: Edge | None = None


class FunctionBuilder:
    """A function under construction."""

    def __init__(
        self,
        name: str,
        signature: Signature,
        *,
        qualname: str | None = None,
        free: tuple[str, ...] = (),
        kind: FunctionKind = "function",
        doc: str | None = None,
        module: str = "",
        file: str = "",
        span: Span | None = None,
    ) -> None:
        self.name = name
        self.signature = signature
        self.qualname = qualname if qualname is not None else name
        self.free = free
        self.kind: FunctionKind = kind
        self.doc = doc
        self.module = module
        self.file = file
        self.span = span
        self.blocks: list[BlockBuilder] = []
        self.regions: list[Region] = [Region(0, 0, "body")]
        self.hints: list[str | None] = []
        self.types: list[str] = []
        self._ids = 0

    def value(self, hint: str | None = None, type: str = OBJECT) -> Value:
        """A new value that is still to be defined."""
        self.hints.append(hint)
        self.types.append(type)
        return len(self.hints) - 1

    def values(self, count: int) -> tuple[Value, ...]:
        return tuple(self.value() for _ in range(count))

    def block(self, region: int = 0) -> BlockBuilder:
        """A new block; the first one is the entry."""
        block = BlockBuilder(len(self.blocks), region)
        self.blocks.append(block)
        return block

    def params(self, block: BlockBuilder, *hints: str | None) -> tuple[Value, ...]:
        """Append one parameter for each hint."""
        values = tuple(self.value(hint) for hint in hints)
        block.params.extend(values)
        return values

    def region(
        self,
        kind: RegionKind,
        parent: int,
        *,
        flavor: str = "",
        handler: int = -1,
        of: int = -1,
        span: Span | None = None,
    ) -> int:
        """A new region below `parent`; `handler` may be set later with `set_handler`."""
        self.regions.append(Region(len(self.regions), parent, kind, flavor, handler, of, span))
        return len(self.regions) - 1

    def set_handler(self, region: int, handler: int) -> None:
        self.regions[region] = self.regions[region]._replace(handler=handler)

    def emit(
        self,
        block: BlockBuilder,
        name: str,
        args: tuple[Value, ...] = (),
        attr: object = None,
        *,
        hint: str | None = None,
        span: Span | None = None,
    ) -> Value:
        """Append an operation with one result and return it."""
        result = self.value(hint)
        self.append(block, name, args, attr, (result,), span)
        return result

    def append(
        self,
        block: BlockBuilder,
        name: str,
        args: tuple[Value, ...] = (),
        attr: object = None,
        results: tuple[Value, ...] = (),
        span: Span | None = None,
    ) -> Operation:
        """Append an operation that defines `results`."""
        operation = Operation(self._next_id(), OPERATORS[name], args, attr, results, span)
        block.ops.append(operation)
        return operation

    def add(
        self,
        block: BlockBuilder,
        row: Operator,
        args: tuple[Value, ...],
        attr: object,
        results: tuple[Value, ...],
        span: Span | None,
    ) -> None:
        """`append` without its conveniences, for inner loops that have the operator's row at hand."""
        block.ops.append(tuple.__new__(Operation, (self._next_id(), row, args, attr, results, span)))

    def constant(
        self, block: BlockBuilder, value: object, *, hint: str | None = None, span: Span | None = None
    ) -> Value:
        return self.emit(block, "const", (), Constant(value), hint=hint, span=span)

    def terminate(
        self,
        block: BlockBuilder,
        name: str,
        args: tuple[Value, ...] = (),
        edges: tuple[Edge, ...] = (),
        attr: object = None,
        span: Span | None = None,
    ) -> None:
        assert block.terminator is None, f"b{block.id} already ends"
        block.terminator = Terminator(self._next_id(), TERMINATORS[name], args, edges, attr, span)

    def finish(self, *, check: bool = True) -> Function:
        """The frozen function; raises `VerificationError` if an invariant does not hold."""
        blocks = []
        for block in self.blocks:
            assert block.terminator is not None, f"b{block.id} has no terminator"
            blocks.append(
                Block(block.id, tuple(block.params), tuple(block.ops), block.terminator, block.handler, block.region)
            )
        function = Function(
            name=self.name,
            qualname=self.qualname,
            signature=self.signature,
            free=self.free,
            kind=self.kind,
            blocks=tuple(blocks),
            regions=tuple(self.regions),
            hints=tuple(self.hints),
            types=tuple(self.types),
            doc=self.doc,
            module=self.module,
            file=self.file,
            span=self.span,
        )
        if check:
            verify_function(function)
        return function

    def _next_id(self) -> int:
        self._ids += 1
        return self._ids - 1
