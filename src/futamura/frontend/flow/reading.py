"""From text to expressions and diagnostics: what the two small languages have in common when they are read.

    Reader("x = 1 +", "f.flow").tree(grammar)   ->   error[FT501]: the program ends where a value is expected
                                                       --> f.flow:1:8
    reader.expression(tree of `car(x) + 1`)     ->   Apply("add", (Apply("car", (Variable x,)), Literal 1))

Invariant: whatever the text is, what comes out is a tree or a `FlowError` with a place; nothing else leaves.
"""

from __future__ import annotations

import difflib
import functools
import json
import linecache
import re
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn, TypeAlias

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from futamura.errors import Because, FutamuraError, diagnose
from futamura.frontend.flow.grammar import RESERVED, SPOKEN
from futamura.frontend.flow.syntax import Apply, Call, Expression, Literal, Variable
from futamura.ir.graph import Span

__all__ = ["BUILTINS", "FlowError", "Node", "Reader", "nearest", "remember"]

Node: TypeAlias = Any
"""A tree of the parser: `data` is its rule, `children` are trees, tokens and None."""


class FlowError(FutamuraError):
    """A program of one of the small languages is wrong, or went wrong (family FT5xx)."""


BUILTINS: Final[dict[str, tuple[str, int]]] = {
    "car": ("car", 1), "cdr": ("cdr", 1), "cons": ("cons", 2), "null": ("null", 1), "same": ("same", 1),
    "readlist": ("getitem", 2), "add": ("add", 2), "sub": ("sub", 2), "mul": ("mul", 2), "eq": ("eq", 2),
    "ne": ("ne", 2), "lt": ("lt", 2), "le": ("le", 2), "gt": ("gt", 2), "ge": ("ge", 2),
}  # fmt: skip
"""Operators that are written like functions: the row of the table and the number of operands."""

_SYMBOLS: Final = {
    "+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "mod", "==": "eq", "!=": "ne", "<": "lt", "<=": "le",
    ">": "gt", ">=": "ge",
}  # fmt: skip


_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


@functools.cache
def _parser(grammar: str) -> Lark:
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence that proposes a name, or nothing."""
    found = difflib.get_close_matches(name, sorted(known), 1)
    return f"did you mean `{found[0]}`?" if found else ""


class Reader:
    """One program text: its tree, the places in it, and its errors."""

    def __init__(self, text: str, file: str) -> None:
        self.text: Final = text
        self.file: Final = file
        self.lines: Final = text.split("\n")
        self._ascii: Final = text.isascii()
        self._read: Node | None = None
        self.unknown: Callable[[str, list[Expression], Span], Expression] = self._no_function

    # -- places and errors

    def _byte(self, line: int, column: int) -> int:
        """The 0-based byte column of a 1-based character column."""
        if self._ascii or line > len(self.lines):
            return column - 1
        return len(self.lines[line - 1][: column - 1].encode("utf-8", "surrogatepass"))

    def span(self, node: Node | Token) -> Span:
        """The place of a tree that has one, or of a token."""
        meta: Any = node if isinstance(node, Token) else node.meta
        return Span(
            meta.line,
            self._byte(meta.line, meta.column),
            meta.end_line,
            self._byte(meta.end_line, meta.end_column),
        )

    def fail(
        self, code: str, title: str, span: Span | None, label: str = "", help: str = "", why: str = ""
    ) -> NoReturn:
        """Raise the diagnostic; an empty `help` or `why` is the registry's."""
        source = self.lines[span.line - 1] if span is not None and span.line <= len(self.lines) else None
        raise FlowError(
            diagnose(
                code,
                title,
                file=self.file,
                place=span,
                label=label,
                because=(Because(why),) if why else (),
                help=help or None,
                source=source,
            )
        )

    # -- the tree

    def tree(self, grammar: str) -> Node:
        """The syntax tree of the whole text."""
        if not self.text.strip():
            self.fail("FT506", "the program is empty", None)
        try:
            self._read = _parser(grammar).parse(self.text)
        except UnexpectedInput as error:
            self._report(error)
        except RecursionError:
            self.too_deep()
        return self._read

    def too_deep(self) -> NoReturn:
        """Of a program that Python's own recursion limit keeps from being read: where its nesting is deepest."""
        place = None if self._read is None else _deepest(self._read)
        span = None if place is None else self.span(place)
        self.fail("FT501", "the program is nested too deeply", span, "the deepest part")

    def _report(self, error: UnexpectedInput) -> NoReturn:
        lines = self.lines
        if isinstance(error, UnexpectedToken) and error.token.type != "$END":
            token = error.token
            self._misplaced(str(token), self.span(token), error.accepts or error.expected)
        if isinstance(error, UnexpectedCharacters):
            word = _WORD.match(self.text, error.pos_in_stream or 0)
            found = error.char if word is None else word.group()
            column = self._byte(error.line, error.column)
            place = Span(error.line, column, error.line, column + len(found.encode("utf-8", "surrogatepass")))
            self._misplaced(found, place, error.allowed or ())
        last = max((at for at, line in enumerate(lines) if line.strip()), default=0)
        column = len(lines[last].rstrip().encode("utf-8", "surrogatepass"))
        terminals: Iterable[str] = ()
        if isinstance(error, UnexpectedToken):
            terminals = error.accepts or error.expected
        elif isinstance(error, UnexpectedEOF):
            terminals = error.expected
        wanted = _spoken(terminals)
        self.fail("FT501", "the program ends too early", Span(last + 1, column, last + 1, column), f"expected {wanted}")

    def _misplaced(self, found: str, place: Span, terminals: Iterable[str]) -> NoReturn:
        """What stands where it cannot: a word of the language perhaps where a name may stand."""
        title = f"`{found}` cannot stand here"
        if found == '"':
            title = "a text without an end"
        elif found in RESERVED and "NAME" in terminals:
            title = f"`{found}` is a word of the language, it cannot stand here"
        self.fail("FT501", title, place, f"expected {_spoken(terminals)}")

    def name(self, token: Token) -> str:
        """A name that is not reserved."""
        if str(token) in RESERVED:
            self.fail("FT501", f"`{token}` is a word of the language", self.span(token), "expected a name")
        return str(token)

    # -- expressions

    def expression(self, node: Node) -> Expression:
        """One expression; its nesting is limited by Python's own recursion limit."""
        kind, span = node.data, self.span(node)
        if kind == "variable":
            return Variable(self.name(node.children[0]), span)
        if kind == "number":
            return Literal(self._number(node.children[0]), span)
        if kind == "string":
            return Literal(self._string(node.children[0]), span)
        if kind in ("true", "false"):
            return Literal(kind == "true", span)
        if kind == "binary":
            left, symbol, right = node.children
            return Apply(_SYMBOLS[str(symbol)], (self.expression(left), self.expression(right)), span)
        if kind == "index":
            return Apply("getitem", self._all(node.children), span)
        if kind == "list":
            return Apply("tuple", self._all(node.children), span)
        if kind == "not_":
            return Apply("not", self._all(node.children), span)
        if kind == "negative":
            return self._negative(node, span)
        if kind == "apply":
            return self._apply(node, span)
        return self.other(node, span)

    def other(self, node: Node, span: Span) -> Expression:
        """A form that only one of the languages has."""
        raise AssertionError(node.data)

    def _all(self, nodes: Iterable[Node | None]) -> tuple[Expression, ...]:
        return tuple([self.expression(node) for node in nodes if node is not None])

    def _negative(self, node: Node, span: Span) -> Expression:
        operand = self.expression(node.children[-1])
        if isinstance(operand, Literal) and type(operand.value) is int:
            return Literal(-operand.value, span)
        return Apply("neg", (operand,), span)

    def _number(self, token: Token) -> int:
        try:
            return int(token, 0) if token[:2] in ("0x", "0X") else int(token)
        except ValueError:
            self.fail(
                "FT501", "the number has too many decimal digits", self.span(token), help="write it in base 16: 0x..."
            )

    def _string(self, token: Token) -> str:
        try:
            return str(json.loads(token, strict=False))
        except ValueError:
            self.fail(
                "FT501",
                "this text has an escape that is not known",
                self.span(token),
                'use \\", \\\\, \\n, \\t or \\u....',
            )

    def _apply(self, node: Node, span: Span) -> Expression:
        token, *rest = node.children
        operands = self._all(rest)
        name = str(token)
        if name not in BUILTINS:
            return self.unknown(name, list(operands), span)
        row, arity = BUILTINS[name]
        if len(operands) != arity:
            self.fail("FT510", f"`{name}` takes {_count(arity)}, not {len(operands)}", span)
        return operands[0] if row == "same" else Apply(row, operands, span)

    def _no_function(self, name: str, operands: list[Expression], span: Span) -> Expression:
        self.fail("FT510", f"there is no operator `{name}`", span, help=nearest(name, BUILTINS))

    def called(self, name: str, operands: list[Expression], span: Span) -> Expression:
        """A call of a function of the program."""
        return Call(name, tuple(operands), span)


def _deepest(tree: Node) -> Token | None:
    """The first token of those that stand below most others."""
    layer, token = [tree], None
    while layer:
        parts = [part for node in layer for part in node.children if part is not None]
        token = next((part for part in parts if isinstance(part, Token)), token)
        layer = [part for part in parts if not isinstance(part, Token)]
    return token


def _count(arity: int) -> str:
    return "1 operand" if arity == 1 else f"{arity} operands"


def _spoken(terminals: Iterable[str]) -> str:
    """`'then', 'goto' or a name`: what may come next, in a fixed order."""
    words = sorted({SPOKEN.get(name, f"'{name.lower()}'") for name in terminals})
    values = {"a name", "a number", "a text", "'('", "'['"}
    if values <= set(words):
        words = ["a value", *(word for word in words if word not in {*values, "'true'", "'false'", "'-'", "'not'"})]
    if not words:
        return "something else"
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def remember(file: str, text: str) -> None:
    """Let diagnostics of this file show its lines."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
