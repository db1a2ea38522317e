"""Statements to text: one function's suite, line by line, each line with its source span.

While(condition, [Plain(Assign(...))])     ->     while i < n:
                                                      i += 1
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from futamura.backend.python.expressing import INPLACE_SIGNS, Expressions
from futamura.backend.python.importing import from_import_lines, import_line, member_import_line
from futamura.backend.python.naming import Names
from futamura.backend.python.opposites import equal_first
from futamura.backend.python.prepare import ClauseHeader, WithHeader
from futamura.backend.python.rotating import rotated
from futamura.backend.python.trees import (
    MATCHES,
    Assign,
    AugStore,
    Delete,
    Effect,
    Expression,
    FromImport,
    Fused,
    Literal,
    Move,
    Node,
    Place,
    Raise,
    Ref,
    Return,
    Target,
    TupleTarget,
    Variable,
    refs,
)
from futamura.backend.structure.tree import (
    Break,
    Call,
    Continue,
    FlagTest,
    For,
    Guarded,
    If,
    Initial,
    Outlined,
    Plain,
    SetFlag,
    Statement,
    Suite,
    While,
    With,
    parts_of,
)
from futamura.ir.attributes import ASYNC
from futamura.ir.constant import Constant
from futamura.ir.graph import ClassAttr, FunctionAttr, Span
from futamura.runtime import enter_async_context, enter_context

__all__ = ["Line", "Lines", "Writer", "assertion"]

Line = tuple[int, str, Span | None]
"""(indentation, text, span)"""


class Definitions(Protocol):
    """What statements need of the function that they stand in."""

    names: Names

    def definition(self, node: Node, name: str, decorators: list[str]) -> list[Line]: ...
    def class_lines(self, attr: ClassAttr) -> list[str]: ...
    def constant(self, value: object) -> str: ...
    def temporary(self) -> str: ...


class Lines:
    """The lines written so far."""

    def __init__(self) -> None:
        self.found: list[Line] = []

    def add(self, depth: int, text: str, span: Span | None = None) -> None:
        self.found.append((depth, text, span))


class Writer:
    """Writes the statements of one function."""

    def __init__(self, expressions: Expressions, definitions: Definitions) -> None:
        self.e: Final = expressions
        self.definitions: Final = definitions
        self.out: Final = Lines()
        self.globals: dict[str, None] = {}
        self.nonlocals: dict[str, None] = {}
        self.returns_value = False
        self.bound: set[str] = set()
        """The cells that the text binds as variables."""

    def suite(self, suite: Suite, depth: int) -> None:
        before = len(self.out.found)
        for statement in suite:
            self.statement(statement, depth)
        if len(self.out.found) == before:
            self.out.add(depth, "pass")

    def statement(self, statement: Statement, depth: int) -> None:
        add = self.out.add
        if isinstance(statement, Plain):
            self.plain(statement.statement, depth)
        elif isinstance(statement, If):
            self._if(statement, depth)
        elif isinstance(statement, While):
            text = "True" if statement.condition is None else self._test(statement.condition, statement.negated)
            add(depth, f"while {text}:")
            self._loop(statement.body, statement.orelse, depth)
        elif isinstance(statement, For):
            self._for(statement, depth)
        elif isinstance(statement, Guarded):
            self._guarded(statement, depth)
        elif isinstance(statement, With):
            self._with(statement, depth)
        elif isinstance(statement, SetFlag):
            add(depth, f"{statement.name} = {statement.value}")
        elif isinstance(statement, (Break, Continue)):
            add(depth, "break" if isinstance(statement, Break) else "continue")
        elif isinstance(statement, (Outlined, Call, Initial)):
            self._outlined(statement, depth)
        else:
            raise NotImplementedError(f"no text for {statement!r}")

    def _outlined(self, statement: Outlined | Call | Initial, depth: int) -> None:
        """A stretch of the function in a local one, and the call in its place."""
        if isinstance(statement, Initial):
            self.out.add(depth, " = ".join([*statement.names, "None"]))
            return
        passed = f"{statement.name}({', '.join(statement.parameters)})"
        results = ", ".join(statement.results) + ("," if len(statement.results) == 1 else "")
        if isinstance(statement, Call):
            self.out.add(depth, f"{results} = {passed}" if results else passed)
            return
        self.out.add(depth, f"def {passed}:")
        self.suite(statement.body, depth + 1)
        if results:
            self.out.add(depth + 1, f"return {results}")

    # -- compound statements

    def _test(self, condition: object, negated: bool) -> str:
        if isinstance(condition, FlagTest):
            if condition.operator == "truth":
                return f"not {condition.name}" if negated else condition.name
            opposite = {"==": "!=", "<": ">=", "eq": "!=", "lt": ">="}
            signs = opposite if negated else {"==": "==", "<": "<", "eq": "==", "lt": "<"}
            return f"{condition.name} {signs[condition.operator]} {condition.value}"
        assert isinstance(condition, (Ref, Literal, Node, Fused))
        return self.e.condition(condition, negated)

    def _if(self, statement: If, depth: int) -> None:
        word = "if"
        while True:
            if self._assert(statement, word, depth) or self._match(statement, word, depth):
                return
            statement = equal_first(statement, word == "elif", self.e.context.exact)
            text = self._test(statement.condition, statement.negated)
            body = rotated(statement, self._test) if word == "if" else None
            self.out.add(depth, f"{word if body is None else 'while'} {text}:", _span(statement.condition))
            self.suite(statement.then if body is None else body, depth + 1)
            rest = statement.orelse
            if len(rest) == 1 and isinstance(rest[0], If) and not _is_match(rest[0].condition):
                statement, word = rest[0], "elif"
                continue
            if rest:
                self.out.add(depth, "else:")
                self.suite(rest, depth + 1)
            return

    def _assert(self, statement: If, word: str, depth: int) -> bool:
        """`if not c: raise AssertionError(m)` is an assertion."""
        if word != "if" or statement.orelse or len(statement.then) != 1 or not isinstance(statement.then[0], Plain):
            return False
        raised = statement.then[0].statement
        if not isinstance(raised, Raise) or raised.kind != "raise" or len(raised.kids) != 1:
            return False
        message = assertion(raised.kids[0])
        if message is None or not __debug__:
            return False
        text = f"assert {self._test(statement.condition, not statement.negated)}"
        if message:
            text += f", {self.e.text(message[0])}"
        self.out.add(depth, text, raised.span)
        return True

    def _match(self, statement: If, word: str, depth: int) -> bool:
        """Tests that only a match statement has."""
        tree = statement.condition
        if not _is_match(tree):
            return False
        assert isinstance(tree, Node)
        then, orelse = statement.then, statement.orelse
        if statement.negated:
            then, orelse = orelse, then
        if word == "elif":
            self.out.add(depth, "else:")
            depth += 1
        pattern = self._pattern(tree, depth)
        self.out.add(depth, f"match {self.e.text(tree.kids[0])}:", tree.op.span)
        self.out.add(depth + 1, f"case {pattern}:")
        self.suite(then, depth + 2)
        if orelse:
            self.out.add(depth + 1, "case _:")
            self.suite(orelse, depth + 2)
        return True

    def _pattern(self, tree: Node, depth: int) -> str:
        if tree.op.name != "match_class":
            return {"match_sequence": "[*_]", "match_mapping": "{}"}[tree.op.name]
        name = self.e.text(tree.kids[1])
        if not all(part.isidentifier() for part in name.split(".")):
            holder = self.definitions.temporary()
            self.out.add(depth, f"{holder} = {name}", tree.op.span)
            name = holder
        return f"{name}()"

    def _loop(self, body: Suite, orelse: Suite, depth: int) -> None:
        self.suite(body, depth + 1)
        if orelse:
            self.out.add(depth, "else:")
            self.suite(orelse, depth + 1)

    def _for(self, statement: For, depth: int) -> None:
        target, iterator = statement.target, statement.iterator
        assert isinstance(target, (Variable, Place, TupleTarget)) and isinstance(iterator, (Ref, Literal, Node, Fused))
        text = self.e.text(iterator, 0) if not isinstance(iterator, Ref) else self.e.text(iterator)
        self.out.add(depth, f"{'async ' * statement.waits}for {self.target(target)} in {text}:", _span(iterator))
        self._loop(statement.body, statement.orelse, depth)

    def _guarded(self, statement: Guarded, depth: int) -> None:
        if not statement.handlers and not statement.final:  # `finally: pass`
            self.suite([*statement.body, *statement.orelse], depth)
            return
        self.out.add(depth, "try:")
        only = statement.body[0] if len(statement.body) == 1 else None
        joined = (
            statement.final
            and not statement.handlers
            and not statement.orelse
            and isinstance(only, Guarded)
            and not only.final
        )
        if joined:
            assert isinstance(only, Guarded)
            self._guarded_parts(Guarded(only.body, only.handlers, only.orelse, statement.final), depth)
        else:
            self._guarded_parts(statement, depth)

    def _guarded_parts(self, statement: Guarded, depth: int) -> None:
        add = self.out.add
        self.suite(statement.body, depth + 1)
        for handler in statement.handlers:
            header = handler.header
            text = "except"
            name = None
            if isinstance(header, ClauseHeader):
                name = self.definitions.names.values.get(header.exception) if header.exception is not None else None
                if header.classes is not None:
                    text += f" {self.e.text(header.classes)}"
                elif name is not None:
                    text += f" {self.definitions.constant(BaseException)}"
            add(depth, text + (f" as {name}:" if name is not None else ":"))
            self.suite(handler.body, depth + 1)
        if statement.orelse:
            add(depth, "else:")
            self.suite(statement.orelse, depth + 1)
        if statement.final:
            add(depth, "finally:")
            self.suite(statement.final, depth + 1)

    def _with(self, statement: With, depth: int) -> None:
        items: list[str] = []
        while True:
            header = statement.header
            assert isinstance(header, WithHeader)
            text = self.e.text(header.manager)
            if header.target is not None:
                text += f" as {self.target(header.target, True)}"
            items.append(text)
            body = statement.body
            inner = body[0] if len(body) == 1 else None
            if not isinstance(inner, With) or inner.header.waits != header.waits:  # type: ignore[attr-defined]
                break
            statement = inner
        self.out.add(depth, f"{'async ' * header.waits}with {', '.join(items)}:", _span(header.manager))
        self.suite(statement.body, depth + 1)

    # -- simple statements

    def target(self, target: Target, nested: bool = False) -> str:
        self._declare(target)
        return self.e.target(target, nested)

    def _declare(self, target: Target) -> None:
        """Assignments to globals and to an enclosing function's cells need a declaration."""
        if isinstance(target, TupleTarget):
            for item in target.items:
                self._declare(item)
        elif isinstance(target, Place):
            if target.op.name == "global_set":
                assert isinstance(target.op.attr, tuple)
                self.globals.setdefault(str(target.op.attr[1]))
            elif target.op.name == "cell_set":
                self._declare_cell(target.op.args[1])

    def _declare_cell(self, cell: int) -> None:
        name = self.definitions.names.cells[cell]
        self.bound.add(name)
        if self.is_free(cell):
            self.nonlocals.setdefault(name)

    free: frozenset[int] = frozenset()

    def is_free(self, cell: int) -> bool:
        return cell in self.free

    def plain(self, statement: object, depth: int) -> None:
        add = self.out.add
        if isinstance(statement, Assign):
            self._assign(statement, depth)
        elif isinstance(statement, Move):
            self._move(statement, depth)
        elif isinstance(statement, AugStore):
            place = self.e.text(statement.place)
            add(depth, f"{place} {INPLACE_SIGNS[statement.name]} {self._value(statement.value)}", statement.span)
        elif isinstance(statement, Effect):
            self._effect(statement, depth)
        elif isinstance(statement, Return):
            if isinstance(statement.value, Literal) and statement.value.constant == Constant(None):
                add(depth, "return None" if self.returns_value else "return", statement.span)
            else:
                # `return yield x` is no Python: here it needs the parentheses.
                yields = isinstance(statement.value, Node) and statement.value.op.name in ("yield", "yield_from")
                text = self.e.text(statement.value) if yields else self._value(statement.value)
                add(depth, f"return {text}", statement.span)
        elif isinstance(statement, Raise):
            self._raise(statement, depth)
        elif isinstance(statement, Delete):
            self._delete(statement, depth)
        elif isinstance(statement, FromImport):
            for line in from_import_lines(statement, self.target, self.definitions.temporary):
                add(depth, line, statement.span)
        else:
            raise NotImplementedError(f"no text for {statement!r}")

    def _value(self, tree: Expression) -> str:
        """A whole right-hand side: tuples and `yield` stand without parentheses."""
        if isinstance(tree, Node) and tree.op.name in ("yield", "yield_from"):
            return self.e.text(tree)[1:-1]
        if isinstance(tree, Node) and tree.op.name == "tuple" and isinstance(tree.op.attr, tuple) and any(tree.op.attr):
            return self.e.text(tree)
        return self.e.text(tree, 0)

    def _assign(self, statement: Assign, depth: int) -> None:
        value = statement.value
        if isinstance(value, Node) and self._special(statement, value, depth):
            return
        targets = [self.target(target) for target in statement.targets]
        text = self._value(value)
        if targets == [text] and isinstance(value, Ref):  # reading a cell may raise
            return
        self.out.add(depth, " = ".join([*targets, text]), statement.span)

    def _special(self, statement: Assign, value: Node, depth: int) -> bool:
        """Right-hand sides that are statements of their own kind."""
        name = value.op.name
        target = statement.targets[0]
        if name in INPLACE_SIGNS:
            self._in_place(target, value, depth)
            return True
        if name == "cell":
            self._cell(value, target, depth)
            return True
        if name in ("import", "import_from"):
            written = import_line if name == "import" else member_import_line
            return self._line(written(value, self.target(target)), depth, value.op.span)
        if name == "class":
            assert isinstance(value.op.attr, ClassAttr)
            for line in self.definitions.class_lines(value.op.attr):
                self.out.add(depth, line, value.op.span)
            wanted = self.target(target)
            if wanted != value.op.attr.name:
                self.out.add(depth, f"{wanted} = {value.op.attr.name}")
            return True
        if name == "with_enter":
            self._enter(target, value, depth)
            return True
        if name in MATCHES:
            self._match_value(statement.targets[0], value, depth)
            return True
        decorators: list[Expression] = []
        inner: Expression = value
        while isinstance(inner, Node) and inner.op.name == "call" and inner.op.attr is None and len(inner.kids) == 2:
            decorators.append(inner.kids[0])
            inner = inner.kids[1]
        if not isinstance(inner, Node) or not isinstance(inner.op.attr, FunctionAttr):
            return False
        return self._definition(statement, inner, decorators, depth)

    def _definition(self, statement: Assign, inner: Node, decorators: list[Expression], depth: int) -> bool:
        attr = inner.op.attr
        assert isinstance(attr, FunctionAttr)
        base = attr.name.rpartition(".")[2].partition("#")[0]
        lambdas = base.startswith("<")
        if lambdas and (decorators or (base == "<lambda>" and self.definitions.expressible(attr.name))):  # type: ignore[attr-defined]
            return False
        shown = [self.e.text(decorator) for decorator in decorators]
        wanted = self.target(statement.targets[0])
        variables = {*self.definitions.names.values.values(), *self.definitions.names.cells.values()}
        clash = wanted != base and wanted.isidentifier() and base in variables  # a definition assigns its name
        name = wanted if (lambdas or clash) and wanted.isidentifier() else base if not lambdas else "_lambda"
        parts = [name]
        if clash and decorators:  # they see the name, so they are called when it is right
            parts = [self.definitions.temporary() for _ in (*shown, inner)]
            for part, text in zip(parts, shown):
                self.out.add(depth, f"{part} = {text}", inner.op.span)
            shown, name = [], parts[-1]
        for indent, text, span in self.definitions.definition(inner, name, shown):
            self.out.add(depth + indent, text, span)
        if lambdas or clash:
            self.out.add(depth, f"{name}.__name__ = {base!r}")
            self.out.add(depth, f"{name}.__qualname__ = {attr.name.partition('#')[0]!r}")
        decorated = "(".join(parts) + ")" * (len(parts) - 1)
        if wanted != decorated:
            self.out.add(depth, f"{wanted} = {decorated}")
        return True

    def _in_place(self, target: Target, value: Node, depth: int) -> None:
        sign = INPLACE_SIGNS[value.op.name]
        name = self.target(target)
        left = self.e.text(value.kids[0])
        right = self._value(value.kids[1])
        if left == name:
            self.out.add(depth, f"{name} {sign} {right}", value.op.span)
            return
        # What stands on the right may still need the old value of the target.
        local = isinstance(target, Variable) and all(self.e.text(Ref(ref)) != name for ref in refs(value.kids[1]))
        result = name if local else self.definitions.temporary()
        self.out.add(depth, f"{result} = {self._value(value.kids[0])}", value.op.span)
        self.out.add(depth, f"{result} {sign} {right}", value.op.span)
        if not local:
            self.out.add(depth, f"{name} = {result}", value.op.span)

    def _cell(self, value: Node, target: Target, depth: int) -> None:
        """A cell is a variable: making it binds or unbinds the variable."""
        assert isinstance(target, Variable)
        name = self.definitions.names.cells[target.value]
        if value.kids:
            text = self._value(value.kids[0])
            self.bound.add(name)
            if text != name:
                self.out.add(depth, f"{name} = {text}", value.op.span)

    def _line(self, text: str | None, depth: int, span: Span | None) -> bool:
        if text is not None:
            self.out.add(depth, text, span)
        return text is not None

    def _enter(self, target: Target, value: Node, depth: int) -> None:
        """Entering a manager outside of a with statement."""
        assert isinstance(target, TupleTarget)
        leaving, entered = (self.target(item) for item in target.items)
        waits = value.op.attr == ASYNC
        entering = "await " * waits + self.definitions.constant(enter_async_context if waits else enter_context)
        self.out.add(depth, f"{leaving}, {entered} = {entering}({self.e.text(value.kids[0])})", value.op.span)

    def _match_value(self, target: Target, value: Node, depth: int) -> None:
        """The outcome of a test as a value."""
        if isinstance(target, TupleTarget):
            self._match_class(target, value, depth)
            return
        matched = self.target(target)
        pattern = self._pattern(value, depth)
        self.out.add(depth, f"match {self.e.text(value.kids[0])}:", value.op.span)
        self.out.add(depth + 1, f"case {pattern}:")
        self.out.add(depth + 2, f"{matched} = True")
        self.out.add(depth + 1, "case _:")
        self.out.add(depth + 2, f"{matched} = False")

    def _match_class(self, target: TupleTarget, value: Node, depth: int) -> None:
        assert isinstance(value.op.attr, tuple)
        positional, keywords = value.op.attr
        matched, *values = (self.target(item) for item in target.items)
        holder = self.definitions.temporary()
        patterns = [
            *values[:positional],
            *(f"{key}={name}" for key, name in zip(keywords, values[positional:], strict=True)),
        ]
        subject = self.e.text(value.kids[0])
        self.out.add(depth, f"{holder} = {self.e.text(value.kids[1])}", value.op.span)
        self.out.add(depth, f"match {subject}:", value.op.span)
        self.out.add(depth + 1, f"case {holder}({', '.join(patterns)}):")
        self.out.add(depth + 2, f"{matched} = True")
        self.out.add(depth + 1, "case _:")
        self.out.add(depth + 2, f"{matched} = False")
        for name in values:
            self.out.add(depth + 2, f"{name} = None")

    def _move(self, statement: Move, depth: int) -> None:
        """A parallel copy, in an order in which nothing is overwritten before it is read."""
        names = self.definitions.names.values
        todo = [(names[target], self.e.text(source)) for target, source in zip(statement.targets, statement.sources)]
        while todo:
            ready = next((m for m in todo if all(m[0] != source for other, source in todo if other != m[0])), None)
            if ready is not None:
                self.out.add(depth, f"{ready[0]} = {ready[1]}", statement.span)
                todo.remove(ready)
                continue
            cycle = [todo[0]]
            while cycle[-1][1] != cycle[0][0]:
                cycle.append(next(m for m in todo if m[0] == cycle[-1][1]))
            self.out.add(depth, f"{', '.join(m[0] for m in cycle)} = {', '.join(m[1] for m in cycle)}", statement.span)
            todo = [m for m in todo if m not in cycle]

    def _effect(self, statement: Effect, depth: int) -> None:
        value = statement.value
        name = value.op.name if isinstance(value, Node) else ""
        if isinstance(value, Node) and name == "truth":  # for what asking does
            self.out.add(depth, f"if {self.e.condition(value.kids[0])}:", statement.span)
            self.out.add(depth + 1, "pass")
        elif isinstance(value, Node) and name == "import" and isinstance(value.op.attr, tuple) and not value.op.attr[1]:
            self.out.add(depth, self.e.text(value), statement.span)
        else:
            self.out.add(depth, self._value(value), statement.span)

    def _raise(self, statement: Raise, depth: int) -> None:
        kids = statement.kids
        if statement.kind == "reraise" or not kids:
            self.out.add(depth, "raise", statement.span)
            return
        text = f"raise {self.e.text(kids[0])}"
        if len(kids) > 1:
            text += f" from {self.e.text(kids[1])}"
        self.out.add(depth, text, statement.span)

    def _delete(self, statement: Delete, depth: int) -> None:
        name = statement.op.name
        if name == "delattr":
            text = f"{self.e._primary(statement.kids[0])}.{statement.op.attr}"
        elif name == "delitem":
            text = f"{self.e._primary(statement.kids[0])}[{self.e.index(statement.kids[1])}]"
        elif name == "cell_del":
            self._declare_cell(statement.op.args[0])
            text = self.definitions.names.cells[statement.op.args[0]]
        else:
            assert isinstance(statement.op.attr, tuple)
            text = str(statement.op.attr[1])
            self.globals.setdefault(text)
        self.out.add(depth, f"del {text}", statement.span)


def _is_match(condition: object) -> bool:
    return isinstance(condition, Node) and condition.op.name in MATCHES


def assertion(tree: Expression) -> tuple[Expression, ...] | None:
    """The message of a raised AssertionError (a tuple of it, or empty); None if it is another exception."""
    error = Constant(AssertionError)
    if isinstance(tree, Literal) and tree.constant == error:
        return ()
    if isinstance(tree, Node) and tree.op.name == "call" and tree.op.attr is None and len(tree.kids) == 2:
        function = tree.kids[0]
        if isinstance(function, Literal) and function.constant == error:
            return tree.kids[1:]
    return None


def _span(tree: object) -> Span | None:
    if isinstance(tree, Node):
        return tree.op.span
    if isinstance(tree, Fused):
        return next((span for kid in tree.kids if (span := _span(kid)) is not None), None)
    return None


def statements_of(suite: Suite) -> Iterable[object]:
    """All opaque statements in a suite."""
    work = list(reversed(suite))
    while work:
        item = work.pop()
        if isinstance(item, Plain):
            yield item.statement
        else:
            work.extend([inner for part in reversed(parts_of(item)) for inner in reversed(part)])
