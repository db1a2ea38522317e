"""Programs as nested tuples of strings, integers and `Constant`s: the form in which programs handle programs.

    to_data(Edge(3, (1, 2)))  ==  (3, (1, 2))         from_data(to_data(program)) == program

A program is ("program", entry, functions); a function, block, region, operation and terminator are the tuples of their
fields in the order of `graph.py`, operators and terminators by name, a span as its four numbers, an absent part as
None.  Records in attributes are tagged: ("FunctionAttr", ...).  An attribute that is a plain tuple is ("tuple", items).
"""

from __future__ import annotations

from typing import Any, Final

from futamura.ir.attributes import ClassAttr, FunctionAttr
from futamura.ir.graph import (
    Block,
    Edge,
    FrameState,
    Function,
    Operation,
    Program,
    Region,
    RegionKind,
    Signature,
    Span,
    Terminator,
)
from futamura.ir.ops import OPERATORS, TERMINATORS
from futamura.ir.verify import verify_program

__all__ = ["from_data", "to_data"]

_RECORDS: Final[dict[str, Any]] = {kind.__name__: kind for kind in (FunctionAttr, ClassAttr, FrameState)}


def to_data(program: Program) -> tuple[Any, ...]:
    """The program as nested tuples."""
    return ("program", program.entry, tuple([_function_data(function) for function in program.functions]))


def from_data(data: tuple[Any, ...]) -> Program:
    """The program that `to_data` turned into `data`; it is verified."""
    tag, entry, functions = data
    if tag != "program":
        raise ValueError(f"not a program: {tag!r}")
    program = Program(entry, tuple([_function(item) for item in functions]))
    verify_program(program)
    return program


def _function_data(function: Function) -> tuple[Any, ...]:
    return (
        function.name, function.qualname, tuple(function.signature), function.free, function.kind,
        tuple([_block_data(block) for block in function.blocks]),
        tuple([(*region[:6], _span_data(region.span)) for region in function.regions]),
        function.hints, function.types, function.doc, function.module, function.file, _span_data(function.span),
    )  # fmt: skip


def _function(data: tuple[Any, ...]) -> Function:
    name, qualname, signature, free, kind, blocks, regions, hints, types, doc, module, file, span = data
    return Function(
        name=name,
        qualname=qualname,
        signature=Signature(*signature),
        free=free,
        kind=kind,
        blocks=tuple([_block(block) for block in blocks]),
        regions=tuple([_region(*region) for region in regions]),
        hints=hints,
        types=types,
        doc=doc,
        module=module,
        file=file,
        span=_span(span),
    )


def _region(
    id: int, parent: int, kind: RegionKind, flavor: str, handler: int, of: int, span: tuple[int, int, int, int] | None
) -> Region:
    return Region(id, parent, kind, flavor, handler, of, _span(span))


def _block_data(block: Block) -> tuple[Any, ...]:
    ops = tuple([
        (id, row.name, args, _attribute_data(attr), results, _span_data(span))
        for id, row, args, attr, results, span in block.ops
    ])  # fmt: skip
    id, kind, args, edges, attr, span = block.terminator
    end = (id, kind.name, args, tuple(map(tuple, edges)), _attribute_data(attr), _span_data(span))
    return (block.id, block.params, ops, end, None if block.handler is None else tuple(block.handler), block.region)


def _block(data: tuple[Any, ...]) -> Block:
    number, params, ops, end, handler, region = data
    operations = tuple([
        Operation(id, OPERATORS[name], args, _attribute(attr), results, _span(span))
        for id, name, args, attr, results, span in ops
    ])  # fmt: skip
    id, name, args, edges, attr, span = end
    ways = tuple([Edge(*edge) for edge in edges])
    terminator = Terminator(id, TERMINATORS[name], args, ways, _attribute(attr), _span(span))
    return Block(number, params, operations, terminator, None if handler is None else Edge(*handler), region)


def _span_data(span: Span | None) -> tuple[int, ...] | None:
    return None if span is None else tuple(span)


def _span(data: tuple[int, int, int, int] | None) -> Span | None:
    return None if data is None else Span(*data)


def _attribute_data(attr: object) -> object:
    if not isinstance(attr, tuple):
        return attr
    name = type(attr).__name__
    return (name if name in _RECORDS else "tuple", *map(_attribute_data, attr))


def _attribute(data: object) -> object:
    if not isinstance(data, tuple):
        return data
    items = tuple(map(_attribute, data[1:]))
    return items if data[0] == "tuple" else _RECORDS[data[0]](*items)
