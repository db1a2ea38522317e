"""From the tree of a flow-graph program, in any of its spellings, to blocks.

    L1: read n  if n goto L1 else goto L2     FlowBlock("L1", (), Branch(...)), inputs n
    for (int i = 0; i < n; ++i) print...      a header, a body and a block after it, under labels of their own

The spelling is told by the text: "c" begins with a type and a name, "label" with a label; a "label" program without
`read` takes as inputs what its first block needs.  Invariant: blocks come out in the order of the text.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Final

from lark import Token

from futamura.frontend.flow.grammar import FLOW
from futamura.frontend.flow.reading import Node, Reader, nearest, remember
from futamura.frontend.flow.syntax import (
    Apply,
    Assign,
    Branch,
    End,
    Expression,
    FlowBlock,
    FlowProgram,
    Goto,
    Input,
    Literal,
    Print,
    Return,
    Statement,
    Store,
    Variable,
)
from futamura.ir.graph import Span

__all__ = ["expression_texts", "parse_flow", "statement_texts"]


def parse_flow(text: str, file: str = "<flow>") -> FlowProgram:
    """The program that a text spells; raises `FlowError`."""
    reader = Reader(text, file)
    remember(file, text)
    tree = reader.tree(FLOW)
    if not tree.children:
        reader.fail("FT506", "the program is empty", None)
    try:
        if tree.children[0].data in ("global", "function"):
            return _c_program(reader, tree)
        return _label_program(reader, tree)
    except RecursionError:
        reader.too_deep()


def statement_texts(text: str, file: str) -> Callable[[Span], str]:
    """A function from the place of an operation to the text of the statement that it belongs to."""
    program = parse_flow(text, file)
    spans = [part.span for block in program.blocks for part in (*block.statements, block.end)]
    spans = sorted({span for span in spans if span.end_line >= span.line})
    written = expression_texts(text)

    def find(place: Span) -> str:
        at = bisect.bisect_right(spans, (place.line, place.column, 1 << 30, 0)) - 1
        return written(spans[at] if at >= 0 else place)

    return find


def expression_texts(text: str) -> Callable[[Span], str]:
    """A function from a place to what stands there, on one line."""
    lines = [line.encode() for line in text.split("\n")]

    def find(place: Span) -> str:
        part = lines[place.line - 1 : place.end_line]
        part[-1] = part[-1][: place.end_column]
        part[0] = part[0][place.column :]
        return " ".join([line.decode("utf-8", "replace").strip() for line in part])

    return find


class _Blocks:
    """The blocks found so far, and the one that is being written."""

    def __init__(self, reader: Reader) -> None:
        self.reader: Final = reader
        self.blocks: list[FlowBlock] = []
        self.labels: dict[str, Span] = {}
        self._label: str | None = None
        self._where = Span(1, 0, 1, 0)
        self._statements: list[Statement] = []
        self._made = 0
        self.types: dict[str, str] = {}
        self.falls_through = True

    def fresh(self, base: str) -> str:
        """A label for a block that the text does not name."""
        self._made += 1
        while f"{base}_{self._made}" in self.reader.text:
            self._made += 1
        return f"{base}_{self._made}"

    def start(self, label: str, span: Span) -> None:
        """A new block; the one before it goes on to it if it has not ended."""
        if label in self.labels:
            first = self.labels[label].line
            self.reader.fail("FT507", f"two blocks are called `{label}`", span, f"the first is in line {first}")
        if self._label is not None:
            if not self.falls_through:
                title = f"the block `{self._label}` does not end in a jump"
                self.reader.fail("FT501", title, span, "expected 'goto', 'if' or 'return' before this label")
            self.end(Goto(label, span))
        self.labels[label] = span
        self._label, self._where = label, span

    def add(self, statement: Statement) -> None:
        self._open(statement.span)
        self._statements.append(statement)

    def _open(self, span: Span) -> None:
        """Statements after a jump, which nothing can reach, are read like all others."""
        if self._label is None:
            self.start(self.fresh("unreachable" if self.blocks else "entry"), span)

    def end(self, end: End) -> None:
        self._open(end.span)
        assert self._label is not None
        self.blocks.append(FlowBlock(self._label, tuple(self._statements), end, self._where))
        self._label, self._statements = None, []

    @property
    def open(self) -> bool:
        return self._label is not None

    @property
    def begun(self) -> bool:
        return bool(self._statements or self.blocks)

    def finish(self, name: str, spelling: str, inputs: tuple[Input, ...] | None) -> FlowProgram:
        if self.open:
            self.end(Return(None, self._where))
        for block in self.blocks:
            for label, span in _targets(block.end):
                if label not in self.labels:
                    self.reader.fail("FT502", f"there is no block `{label}`", span, help=nearest(label, self.labels))
        blocks = tuple(self.blocks)
        return FlowProgram(name, spelling, inputs, blocks, self.reader.file, self.reader.text, self.types)


def _targets(end: End) -> list[tuple[str, Span]]:
    if isinstance(end, Goto):
        return [(end.label, end.label_span or end.span)]
    if isinstance(end, Branch):
        return [(end.then, end.then_span), (end.otherwise, end.otherwise_span)]
    return []


# -- the label spellings


def _label_program(reader: Reader, tree: Node) -> FlowProgram:
    blocks = _Blocks(reader)
    blocks.falls_through = False
    inputs: list[Input] = []
    for node in tree.children:
        span = reader.span(node)
        if node.data == "label_line":
            blocks.start(_label(reader, node.children[0]), reader.span(node.children[0]))
        elif not blocks.open:
            reader.fail("FT501", "a statement stands outside of a block", span, "expected a label before it")
        elif node.data == "read":
            name = reader.name(node.children[0])
            if blocks.begun:
                reader.fail("FT501", "inputs are read first", span, "expected before every other statement")
            if any(known.name == name for known in inputs):
                reader.fail("FT507", f"`{name}` is read twice", span)
            inputs.append(Input(name, span))
        else:
            _statement(reader, blocks, node)
    first = blocks.blocks[0].label if blocks.blocks else "program"
    return blocks.finish(_identifier(first), "label", tuple(inputs) if inputs else None)


def _identifier(label: str) -> str:
    text = "".join(letter if letter.isalnum() else "_" for letter in label)
    return text if text.isidentifier() else f"_{text}"


def _label(reader: Reader, token: Token) -> str:
    return str(token) if token.startswith("<") else reader.name(token)


def _statement(reader: Reader, blocks: _Blocks, node: Node) -> None:
    """What both spellings have."""
    span = reader.span(node)
    kind, parts = node.data, node.children
    if kind == "assign":
        blocks.add(Assign(reader.name(parts[0]), reader.expression(parts[1]), span))
    elif kind == "store":
        array = Variable(reader.name(parts[0]), reader.span(parts[0]))
        blocks.add(Store(array, reader.expression(parts[1]), reader.expression(parts[2]), span))
    elif kind == "print":
        blocks.add(Print(reader.expression(parts[0]), span))
    elif kind == "print_and_stop":
        blocks.add(Print(reader.expression(parts[0]), span))
        blocks.end(Return(None, span))
    elif kind == "goto":
        blocks.end(Goto(_label(reader, parts[0]), span, reader.span(parts[0])))
    elif kind == "branch":
        then, otherwise = parts[1], parts[2]
        blocks.end(
            Branch(
                reader.expression(parts[0]),
                _label(reader, then),
                _label(reader, otherwise),
                span,
                reader.span(then),
                reader.span(otherwise),
            )
        )
    elif kind == "stop":
        blocks.end(Return(None, span))
    else:
        assert kind == "return_", kind
        blocks.end(Return(reader.expression(parts[0]), span))


# -- the C-like spelling


def _c_program(reader: Reader, tree: Node) -> FlowProgram:
    """Global variables are inputs, too; there is one function."""
    inputs: list[Input] = []
    types: dict[str, str] = {}
    functions = [node for node in tree.children if node.data == "function"]
    if not functions:
        reader.fail("FT506", "the program has no function", None)
    if len(functions) > 1:
        reader.fail("FT507", "a program has one function", reader.span(functions[1]), "this is the second one")
    head = [child for child in functions[0].children if isinstance(child, Token)]
    parameters = [
        c for c in functions[0].children if c is not None and not isinstance(c, Token) and c.data == "parameter"
    ]
    for node in [*(node for node in tree.children if node.data == "global"), *parameters]:
        token = node.children[-1]
        name = reader.name(token)
        if any(known.name == name for known in inputs):
            reader.fail("FT507", f"`{name}` is declared twice", reader.span(token))
        inputs.append(Input(name, reader.span(token), array=_starred(node)))
        types[name] = str(node.children[0])
    blocks = _Blocks(reader)
    blocks.types = types
    types[""] = str(head[0])
    for node in functions[0].children:
        if node is not None and not isinstance(node, Token) and node.data != "parameter":
            _c_statement(reader, blocks, node)
    if not blocks.begun and not blocks.open:
        reader.fail("FT506", "the function is empty", reader.span(functions[0]))
    return blocks.finish(reader.name(head[-1]), "c", tuple(inputs))


def _starred(node: Node) -> bool:
    return any(child is not None and str(child) == "*" for child in node.children[:-1] if isinstance(child, Token))


def _c_statement(reader: Reader, blocks: _Blocks, node: Node) -> None:
    span = reader.span(node)
    kind, parts = node.data, node.children
    if kind == "label_line":
        blocks.start(_label(reader, parts[0]), reader.span(parts[0]))
    elif kind == "declare":
        blocks.types[reader.name(parts[-2])] = str(parts[0])
        blocks.add(Assign(reader.name(parts[-2]), reader.expression(parts[-1]), span))
    elif kind == "name_only":
        for name in [part for part in parts[1:] if part is not None and str(part) != "*"]:
            blocks.types[reader.name(name)] = str(parts[0])
    elif kind in ("step", "step_before"):
        name, step = (parts[0], parts[1]) if kind == "step" else (parts[1], parts[0])
        here = Variable(reader.name(name), reader.span(name))
        operator = "add" if str(step) == "++" else "sub"
        blocks.add(Assign(here.name, Apply(operator, (here, Literal(1, span)), span), span))
    elif kind == "c_block":
        for part in parts:
            _c_statement(reader, blocks, part)
    elif kind == "c_if":
        _c_if(reader, blocks, node)
    elif kind == "c_while":
        _c_loop(reader, blocks, reader.expression(parts[0]), parts[1], None, span)
    elif kind == "c_for":
        first, condition, step, body = parts
        if first is not None:
            _c_statement(reader, blocks, first)
        test = Literal(True, span) if condition is None else reader.expression(condition)
        _c_loop(reader, blocks, test, body, step, span)
    else:
        _statement(reader, blocks, node)


def _c_if(reader: Reader, blocks: _Blocks, node: Node) -> None:
    condition, then, otherwise = node.children
    span = reader.span(node)
    test = reader.expression(condition)
    if then.data == "goto" and otherwise is not None and otherwise.data == "goto":
        yes, no = then.children[0], otherwise.children[0]
        places = (reader.span(yes), reader.span(no))
        blocks.end(Branch(test, _label(reader, yes), _label(reader, no), span, *places))
        return
    yes_label, no_label, after = blocks.fresh("then"), blocks.fresh("else"), blocks.fresh("endif")
    blocks.end(Branch(test, yes_label, no_label if otherwise is not None else after, span, span, span))
    blocks.start(yes_label, span)
    _c_statement(reader, blocks, then)
    if otherwise is not None:
        if blocks.open:
            blocks.end(Goto(after, span))
        blocks.start(no_label, span)
        _c_statement(reader, blocks, otherwise)
    blocks.start(after, span)


def _c_loop(reader: Reader, blocks: _Blocks, test: Expression, body: Node, step: Node | None, span: Span) -> None:
    header, inside, after = blocks.fresh("loop"), blocks.fresh("body"), blocks.fresh("endloop")
    blocks.start(header, span)
    blocks.end(Branch(test, inside, after, span, span, span))
    blocks.start(inside, span)
    _c_statement(reader, blocks, body)
    if step is not None:
        _c_statement(reader, blocks, step)
    if blocks.open:
        blocks.end(Goto(header, span))
    blocks.start(after, span)
