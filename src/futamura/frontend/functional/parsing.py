"""From text to the definitions of a functional program.

    find(n, l) = if n == car(l) then l else find(n, cdr(l))    Definition("find", ("n", "l"), IfElse(...))
    names = ["susan", "john"]                                  a value: Definition("names", (), ..., value=True)

Invariant: every variable of a parsed program is a parameter, a `let` name or a value; every call names a function with
as many parameters; no value is defined by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from futamura.frontend.flow.grammar import FUNCTIONAL
from futamura.frontend.flow.reading import BUILTINS, Node, Reader, nearest, remember
from futamura.frontend.flow.syntax import Apply, Call, Expression, IfElse, Let, Variable
from futamura.ir.graph import Span

__all__ = ["Definition", "FunctionalProgram", "parse_functional"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, or (with `value`) a named value."""

    name: str
    parameters: tuple[str, ...]
    body: Expression
    span: Span
    value: bool = False


@dataclass(frozen=True, slots=True)
class FunctionalProgram:
    """`entry` is `main`, or else the first function."""

    entry: str
    definitions: tuple[Definition, ...]
    file: str
    text: str


class _Reader(Reader):
    """Reads the expressions that only this language has."""

    def other(self, node: Node, span: Span) -> Expression:
        parts = node.children
        if node.data == "if_":
            return IfElse(self.expression(parts[0]), self.expression(parts[1]), self.expression(parts[2]), span)
        assert node.data == "let", node.data
        return Let(self.name(parts[0]), self.expression(parts[1]), self.expression(parts[2]), span)


def parse_functional(text: str, file: str = "<functional>") -> FunctionalProgram:
    """The program that a text spells; raises `FlowError`."""
    reader = _Reader(text, file)
    reader.unknown = reader.called
    remember(file, text)
    try:
        return _program(reader)
    except RecursionError:
        reader.too_deep()


def _program(reader: _Reader) -> FunctionalProgram:
    found: dict[str, Definition] = {}
    for node in reader.tree(FUNCTIONAL).children:
        made = _definition(reader, node)
        if made.name in found:
            first = found[made.name].span.line
            reader.fail("FT507", f"`{made.name}` is defined twice", made.span, f"the first is in line {first}")
        found[made.name] = made
    functions = [made for made in found.values() if not made.value]
    if not functions:
        reader.fail("FT506", "the program has no function", None)
    checks = _Checks(reader, found)
    for made in found.values():
        checks.body(made)
    checks.cycles()
    entry = found["main"] if "main" in found and not found["main"].value else functions[0]
    return FunctionalProgram(entry.name, tuple(found.values()), reader.file, reader.text)


def _definition(reader: _Reader, node: Node) -> Definition:
    token, *parameters, body = node.children
    name = reader.name(token)
    span = reader.span(token)
    if name in BUILTINS:
        reader.fail("FT507", f"`{name}` is an operator of the language", span)
    names: list[str] = []
    for parameter in parameters if node.data == "function" else ():
        if parameter is None:
            continue
        found = reader.name(parameter)
        if found in names:
            reader.fail("FT507", f"two parameters are called `{found}`", reader.span(parameter))
        names.append(found)
    return Definition(name, tuple(names), reader.expression(body), span, node.data == "value")


class _Checks:
    """Names and numbers of arguments."""

    def __init__(self, reader: Reader, definitions: dict[str, Definition]) -> None:
        self.reader: Final = reader
        self.definitions: Final = definitions
        self.needs: Final[dict[str, list[Variable]]] = {}
        """The values that a value is defined by."""

    def body(self, made: Definition) -> None:
        needs = self.needs.setdefault(made.name, []) if made.value else []
        work: list[tuple[Expression, frozenset[str]]] = [(made.body, frozenset(made.parameters))]
        while work:
            here, known = work.pop()
            if isinstance(here, Variable):
                if here.name not in known:
                    self._value(here, known)
                    needs.append(here)
            elif isinstance(here, Apply):
                work.extend((operand, known) for operand in here.operands)
            elif isinstance(here, Call):
                self._call(here)
                work.extend((argument, known) for argument in here.arguments)
            elif isinstance(here, IfElse):
                work.extend((part, known) for part in (here.condition, here.then, here.otherwise))
            elif isinstance(here, Let):
                work.extend(((here.value, known), (here.body, known | {here.name})))

    def _value(self, variable: Variable, known: frozenset[str]) -> None:
        found = self.definitions.get(variable.name)
        if found is None or not found.value:
            values = {name for name, made in self.definitions.items() if made.value}
            why = "a function is called with its arguments in parentheses" if found is not None else ""
            title = f"there is no variable `{variable.name}`"
            self.reader.fail("FT503", title, variable.span, help=nearest(variable.name, known | values), why=why)

    def _call(self, call: Call) -> None:
        found = self.definitions.get(call.function)
        if found is None or found.value:
            functions = {name for name, made in self.definitions.items() if not made.value} | set(BUILTINS)
            title = f"there is no function `{call.function}`"
            self.reader.fail("FT510", title, call.span, help=nearest(call.function, functions))
        if len(found.parameters) != len(call.arguments):
            wanted = len(found.parameters)
            title = f"`{call.function}` has {wanted} parameter{'s' * (wanted != 1)}, not {len(call.arguments)}"
            self.reader.fail("FT510", title, call.span)

    def cycles(self) -> None:
        """No value may be needed for itself."""
        done: set[str] = set()
        for name in self.needs:
            trail: list[str] = []
            stack: list[tuple[str, int]] = [(name, 0)]
            while stack:
                here, at = stack.pop()
                if at == 0:
                    if here in done:
                        continue
                    trail.append(here)
                needs = self.needs[here]
                if at == len(needs):
                    done.add(here)
                    trail.pop()
                    continue
                stack.append((here, at + 1))
                needed = needs[at]
                if needed.name in trail:
                    names = " -> ".join([*trail[trail.index(needed.name) :], needed.name])
                    self.reader.fail("FT509", f"`{needed.name}` is defined by itself", needed.span, why=names)
                stack.append((needed.name, 0))
