"""Programs as text: `parse_program(print_program(p)) == p`.

    program f

    func f(a, b)
    b0(v0:a, v1:b):
      jump b1(v0)
    b1(v2:a):
      v3 = lt v2, v1                  @2:10-15
      v4 = truth v3
      branch v4 -> b2() | b3()
    b2():
      v5 = const 1
      v6:a = iadd v2, v5
      jump b1(v6)
    b3():
      return v2

A value is written with its hint and type where it is defined (`v6:a`, `v6:a:i64`, `v6::i64`).  An operation's id is
written (`#7`) only where it is not one more than the id before it; the names, attributes and constants are those of
`literal.py`.  A span ends its line: `@line:column-end_column`, or `@line:column-end_line:end_column`.

Invariant: the text depends on the program alone.  Objects that have no text go to the table, in order of appearance.
"""

from __future__ import annotations

from collections.abc import Iterator

from futamura.ir.graph import Block, Edge, Function, Operation, Program, Region, Signature, Span, Terminator
from futamura.ir.literal import ParseError, attribute_text, constant_text, word
from futamura.ir.parse import parse_function, parse_program

__all__ = ["ParseError", "parse_function", "parse_program", "print_function", "print_program"]

_SPAN_COLUMN = 36


def print_program(program: Program, table: list[object] | None = None) -> str:
    """The text of a program; objects that have no text are appended to `table` (and lost if there is none)."""
    objects = [] if table is None else table
    parts = [f"program {word(program.entry)}\n"]
    parts.extend(print_function(function, objects) for function in program.functions)
    return "\n".join(parts)


def print_function(function: Function, table: list[object] | None = None) -> str:
    """The text of a function."""
    return "".join(line + "\n" for line in _Printer(function, [] if table is None else table).lines())


class _Printer:
    """One run over one function."""

    def __init__(self, function: Function, table: list[object]) -> None:
        self.function = function
        self.table = table
        self.next_id = 0

    def lines(self) -> Iterator[str]:
        yield self.header()
        for region in self.function.regions:
            if region != Region(0, 0, "body"):
                yield _region(region)
        for block in self.function.blocks:
            yield self.block(block)
            for operation in block.ops:
                yield _with_span(self.operation(operation), operation.span)
            yield _with_span(self.terminator(block.terminator), block.terminator.span)

    def header(self) -> str:
        function = self.function
        parts = [f"func {word(function.name)}({', '.join(_parameters(function.signature))})"]
        if function.kind != "function":
            parts.append(function.kind)
        if function.free:
            parts.append(f"free({', '.join(word(name) for name in function.free)})")
        if function.qualname != function.name:
            parts.append(f"qualname {word(function.qualname)}")
        if function.module:
            parts.append(f"module {word(function.module)}")
        if function.file:
            parts.append(f"file {function.file!r}")
        if function.doc is not None:
            parts.append(f"doc {function.doc!r}")
        if function.span is not None:
            parts.append(_span(function.span))
        return " ".join(parts)

    def definition(self, value: int) -> str:
        hint, type = self.function.hints[value], self.function.types[value]
        text = f"v{value}" if hint is None else f"v{value}:{word(hint)}"
        if type == "object":
            return text
        return f"{text}:{word(type)}" if hint is not None else f"{text}::{word(type)}"

    def block(self, block: Block) -> str:
        text = f"b{block.id}({', '.join(map(self.definition, block.params))})"
        if block.region:
            text += f" in {block.region}"
        if block.handler is not None:
            text += f" handler {_edge(block.handler)}"
        return text + ":"

    def id(self, id: int) -> str:
        text = "" if id == self.next_id else f"#{id} "
        self.next_id = id + 1
        return text

    def operation(self, operation: Operation) -> str:
        text = "  " + self.id(operation.id)
        if operation.results:
            text += ", ".join(map(self.definition, operation.results)) + " = "
        text += operation.name
        if operation.name == "const":
            return f"{text} {constant_text(operation.attr.value, self.table)}"  # type: ignore[attr-defined]
        return text + self.operands(operation.attr, operation.args)

    def operands(self, attr: object, args: tuple[int, ...]) -> str:
        text = "" if attr is None else f"[{attribute_text(attr, self.table)}]"
        return f"{text} {_values(args)}" if args else text

    def terminator(self, end: Terminator) -> str:
        text = f"  {self.id(end.id)}{end.name}{self.operands(end.attr, end.args)}"
        if not end.edges:
            return text
        arrow = " " if end.name == "jump" else " -> "
        return text + arrow + " | ".join(map(_edge, end.edges))


def _parameters(signature: Signature) -> Iterator[str]:
    yield from map(word, signature.posonly)
    if signature.posonly:
        yield "/"
    yield from map(word, signature.regular)
    if signature.varargs is not None:
        yield "*" + word(signature.varargs)
    elif signature.kwonly:
        yield "*"
    yield from map(word, signature.kwonly)
    if signature.varkw is not None:
        yield "**" + word(signature.varkw)


def _region(region: Region) -> str:
    text = f"  region {region.id} {region.kind}"
    if region.flavor:
        text += f" flavor {word(region.flavor)}"
    text += f" in {region.parent}"
    if region.of != -1:
        text += f" of {region.of}"
    if region.handler != -1:
        text += f" handler b{region.handler}"
    return _with_span(text, region.span)


def _values(values: tuple[int, ...]) -> str:
    return ", ".join([f"v{value}" for value in values])


def _edge(edge: Edge) -> str:
    return f"b{edge.target}({_values(edge.args)})"


def _span(span: Span) -> str:
    if span.line == span.end_line:
        return f"@{span.line}:{span.column}-{span.end_column}"
    return f"@{span.line}:{span.column}-{span.end_line}:{span.end_column}"


def _with_span(text: str, span: Span | None) -> str:
    return text if span is None else f"{text:<{_SPAN_COLUMN}}  {_span(span)}"
