"""The parser of the text form that `text.py` prints; it accepts any amount of space between words and empty lines.

    parse_program("program f\\n\\nfunc f(a)\\nb0(v0:a):\\n  return v0\\n") -> Program("f", (Function(...),))

Every error is a `ParseError` with line and column.  The result is verified: a text that parses is a sound program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import (
    OBJECT,
    Block,
    Edge,
    Function,
    FunctionKind,
    Operation,
    Program,
    Region,
    RegionKind,
    Signature,
    Span,
    Terminator,
)
from futamura.ir.literal import Reader
from futamura.ir.ops import OPERATORS, TERMINATORS
from futamura.ir.verify import verify_function, verify_program

__all__ = ["parse_function", "parse_program"]

_VALUE: Final = re.compile(r"v(\d+)")
_BLOCK: Final = re.compile(r"b(\d+)(?=\()")
_HANDLER: Final = re.compile(r"b(\d+)")
_NAME: Final = re.compile(r"\w+")
_KINDS: Final[dict[str, RegionKind]] = {"body": "body", "try": "try", "except": "except", "copy": "copy"}


def parse_program(text: str, table: Sequence[object] = ()) -> Program:
    """The program that `text` says, with the objects of `table` for its `@k`."""
    lines = _lines(text, table)
    if not lines or not lines[0].take("program "):
        raise (lines[0] if lines else Reader("", 1, table)).error("'program' is missing")
    entry = lines[0].word()
    _end(lines[0])
    functions = []
    position = 1
    while position < len(lines):
        parser = _FunctionParser(lines, position)
        functions.append(parser.function())
        position = parser.position
    program = Program(entry, tuple(functions))
    verify_program(program)
    return program


def parse_function(text: str, table: Sequence[object] = ()) -> Function:
    """The one function that `text` says."""
    lines = _lines(text, table)
    parser = _FunctionParser(lines, 0)
    function = parser.function()
    if parser.position < len(lines):
        raise lines[parser.position].error("a second function")
    verify_function(function)
    return function


def _lines(text: str, table: Sequence[object]) -> list[Reader]:
    # Only "\n" ends a line: names may hold any other character that `splitlines` would split at.
    return [Reader(line, number, table) for number, line in enumerate(text.split("\n"), 1) if line.strip(" ")]


def _end(reader: Reader) -> None:
    if not reader.done():
        raise reader.error("unexpected text")


class _FunctionParser:
    """One function, from the line `position` on."""

    def __init__(self, lines: list[Reader], position: int) -> None:
        self.lines = lines
        self.position = position
        self.names: dict[int, tuple[str | None, str]] = {}
        self.next_id = 0

    def function(self) -> Function:
        if self.position >= len(self.lines):
            raise Reader("", 1, ()).error("'func' is missing")
        header = self.lines[self.position]
        self.position += 1
        header.need("func ")
        name = header.word()
        signature = _signature(header)
        extra = _extra(header)
        regions = self.regions()
        blocks = []
        while self.position < len(self.lines) and self.lines[self.position].text.startswith("b"):
            blocks.append(self.block())
        if self.position < len(self.lines) and not self.lines[self.position].text.startswith("func "):
            raise self.lines[self.position].error("a block or a function is missing")
        for value in range(len(self.names)):
            if value not in self.names:
                raise header.error(f"v{value} is not defined anywhere")
        names = [self.names[value] for value in range(len(self.names))]
        return Function(
            name=name,
            qualname=extra.qualname if extra.qualname is not None else name,
            signature=signature,
            free=extra.free,
            kind=extra.kind,
            blocks=tuple(blocks),
            regions=regions,
            hints=tuple([hint for hint, _ in names]),
            types=tuple([type for _, type in names]),
            doc=extra.doc,
            module=extra.module,
            file=extra.file,
            span=extra.span,
        )

    def regions(self) -> tuple[Region, ...]:
        found: list[Region] = []
        while self.position < len(self.lines) and self.lines[self.position].take("region "):
            found.append(_region(self.lines[self.position]))
            self.position += 1
        if not found or found[0].id != 0:
            found.insert(0, Region(0, 0, "body"))
        return tuple(found)

    def block(self) -> Block:
        reader = self.lines[self.position]
        self.position += 1
        id = _number(reader, _BLOCK, "a block")
        reader.need("(")
        params = self.definitions(reader, ")")
        region = reader.integer() if reader.take("in ") else 0
        handler = _edge(reader) if reader.take("handler ") else None
        reader.need(":")
        _end(reader)
        ops: list[Operation] = []
        while self.position < len(self.lines):
            line = self.lines[self.position]
            self.position += 1
            found = self.operation(line)
            _end(line)
            if isinstance(found, Terminator):
                return Block(id, params, tuple(ops), found, handler, region)
            ops.append(found)
        raise reader.error(f"b{id} has no terminator")

    def operation(self, reader: Reader) -> Operation | Terminator:
        id = reader.integer() if reader.take("#") else self.next_id
        self.next_id = id + 1
        results = self.definitions(reader, "=") if _VALUE.match(reader.text, reader.position) else ()
        start = reader.position
        name = reader.match(_NAME)
        if name is None:
            raise reader.error("an operator is missing")
        kind = TERMINATORS.get(name.group())
        if kind is not None and not results:
            attr, args = _operands(reader)
            return Terminator(id, kind, args, _edges(reader), attr, _span(reader))
        row = OPERATORS.get(name.group())
        if row is None:
            reader.position = start
            raise reader.error(f"unknown operator {name.group()}")
        if row.name == "const":
            return Operation(id, row, (), Constant(reader.constant()), results, _span(reader))
        attr, args = _operands(reader)
        return Operation(id, row, args, attr, results, _span(reader))

    def definitions(self, reader: Reader, end: str) -> tuple[int, ...]:
        values: list[int] = []
        while not reader.take(end):
            if values:
                reader.need(",")
            start = reader.position
            value = _number(reader, _VALUE, "a value")
            hint, type = None, OBJECT
            if reader.take(":"):
                hint = None if reader.text.startswith(":", reader.position) else reader.word()
                type = reader.word() if reader.take(":") else OBJECT
            if value in self.names:
                reader.position = start
                raise reader.error(f"v{value} is defined a second time")
            self.names[value] = (hint, type)
            values.append(value)
        return tuple(values)


class _Extra:
    """What a header says after the parameters."""

    __slots__ = ("doc", "file", "free", "kind", "module", "qualname", "span")

    def __init__(self) -> None:
        self.kind: FunctionKind = "function"
        self.free: tuple[str, ...] = ()
        self.qualname: str | None = None
        self.module = ""
        self.file = ""
        self.doc: str | None = None
        self.span: Span | None = None


def _extra(reader: Reader) -> _Extra:
    extra = _Extra()
    if reader.take("generator"):
        extra.kind = "generator"
    elif reader.take("coroutine"):
        extra.kind = "coroutine"
    if reader.take("free("):
        extra.free = _words(reader)
    if reader.take("qualname "):
        extra.qualname = reader.word()
    if reader.take("module "):
        extra.module = reader.word()
    if reader.take("file "):
        extra.file = reader.word()
    if reader.take("doc "):
        extra.doc = reader.word()
    extra.span = _span(reader)
    _end(reader)
    return extra


def _words(reader: Reader) -> tuple[str, ...]:
    names: list[str] = []
    while not reader.take(")"):
        if names:
            reader.need(",")
        names.append(reader.word())
    return tuple(names)


def _signature(reader: Reader) -> Signature:
    posonly: tuple[str, ...] = ()
    plain: list[str] = []
    regular: tuple[str, ...] | None = None
    varargs = varkw = None
    reader.need("(")
    first = True
    while not reader.take(")"):
        if not first:
            reader.need(",")
        first = False
        if reader.take("/"):
            posonly, plain = tuple(plain), []
        elif reader.take("**"):
            varkw = reader.word()
        elif reader.take("*"):
            regular, plain = tuple(plain), []
            if not reader.text.startswith((",", ")"), reader.position):
                varargs = reader.word()
        else:
            plain.append(reader.word())
    if regular is None:
        return Signature(posonly, tuple(plain), varargs, (), varkw)
    return Signature(posonly, regular, varargs, tuple(plain), varkw)


def _region(reader: Reader) -> Region:
    id = reader.integer()
    kind = reader.word()
    if kind not in _KINDS:
        raise reader.error(f"unknown kind of region {kind}")
    flavor = reader.word() if reader.take("flavor ") else ""
    reader.need("in ")
    parent = reader.integer()
    of = reader.integer() if reader.take("of ") else -1
    handler = _number(reader, _HANDLER, "a block") if reader.take("handler ") else -1
    span = _span(reader)
    _end(reader)
    return Region(id, parent, _KINDS[kind], flavor, handler, of, span)


def _number(reader: Reader, pattern: re.Pattern[str], what: str) -> int:
    found = reader.match(pattern)
    if found is None:
        raise reader.error(f"{what} is missing")
    return int(found.group(1))


def _operands(reader: Reader) -> tuple[object, tuple[int, ...]]:
    attr: object = None
    if reader.take("["):
        attr = reader.attribute()
        reader.need("]")
    values: list[int] = []
    while _VALUE.match(reader.text, reader.position):
        values.append(_number(reader, _VALUE, "a value"))
        if not reader.take(","):
            break
    return attr, tuple(values)


def _edges(reader: Reader) -> tuple[Edge, ...]:
    if not reader.take("->") and not _BLOCK.match(reader.text, reader.position):
        return ()
    edges = [_edge(reader)]
    while reader.take("|"):
        edges.append(_edge(reader))
    return tuple(edges)


def _edge(reader: Reader) -> Edge:
    target = _number(reader, _BLOCK, "a block")
    reader.need("(")
    values: list[int] = []
    while not reader.take(")"):
        if values:
            reader.need(",")
        values.append(_number(reader, _VALUE, "a value"))
    return Edge(target, tuple(values))


def _span(reader: Reader) -> Span | None:
    if not reader.take("@"):
        return None
    line = reader.integer()
    reader.need(":")
    column = reader.integer()
    reader.need("-")
    end = reader.integer()
    if reader.take(":"):
        return Span(line, column, end, reader.integer())
    return Span(line, column, line, end)
