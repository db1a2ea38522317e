"""A program of the IR as a program of the functional language.

    func f(x) b0: branch ... -> b1 | b2       f(x) =
    b1: return v1   b2: v2 = add v0, v3 ...     if x then 1 else x + 1

A block is an expression: operations in their order, `let` where a value has no place of its own, `if` for a branch.  A
block that several ways lead to becomes a function of its parameters and of what it needs from outside.
Invariant: what is printed parses again and means the same.
"""

from __future__ import annotations

from typing import Final

from futamura.backend.flow.draft import Applied, DraftBlock, Expr, NotPrintable, Set, Way, draft, leaves
from futamura.backend.flow.naming import Naming
from futamura.backend.flow.printing import expression_text
from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Program

__all__ = ["print_functional"]

WIDTH: Final = 100
NOTHING: Final = Constant(0)
"""Stands for a result that nobody uses."""


def print_functional(program: Program) -> str:
    """The text of a program, the entry first."""
    taken = {function.name for function in program.functions}
    parts: list[str] = []
    for function in _called(program):
        parts.extend(_Printing(function, taken).definitions())
    return "\n".join(parts) + "\n"


def _called(program: Program) -> list[Function]:
    """The functions that the entry leads to, in the order of the program."""
    seen = {program.entry}
    work = [program.entry]
    while work:
        for op in program[work.pop()].operations():
            if op.name == "invoke" and op.attr not in seen:
                assert isinstance(op.attr, str)
                seen.add(op.attr)
                work.append(op.attr)
    return [function for function in program.functions if function.name in seen]


class _Printing:
    """The definitions that one function becomes."""

    def __init__(self, function: Function, taken: set[str]) -> None:
        self.function: Final = function
        self.taken: Final = taken
        blocks = draft(function, {}, nest_named=True)
        self.blocks: Final = {block.id: block for block in blocks}
        self.naming: Final = Naming(blocks, function.hints, function.signature.names)
        self.names: Final = self.naming.names
        self.bound: Final = set(self.names.values())
        counts: dict[int, int] = {}
        for block in blocks:
            for way in block.ending.ways:
                counts[way.target] = counts.get(way.target, 0) + 1
        self.shared: Final = {at: "" for at, count in counts.items() if count > 1 and not self._trivial(at)}
        for at in self.shared:
            self.shared[at] = self._fresh()

    def _trivial(self, at: int) -> bool:
        """A block that only gives back what it got stands where it is reached."""
        block = self.blocks[at]
        return not block.statements and not block.ending.ways and block.ending.value is not None

    def _fresh(self) -> str:
        number = 1
        base = self.function.name
        while f"{base}_{number}" in self.taken:
            number += 1
        self.taken.add(f"{base}_{number}")
        return f"{base}_{number}"

    def definitions(self) -> list[str]:
        entry = next(iter(self.blocks.values()))
        found = [self._definition(self.function.name, list(self.function.signature.names), entry)]
        for at, name in self.shared.items():
            parameters = [self.names[value] for value in self._inputs(self.blocks[at])]
            found.append(self._definition(name, parameters, self.blocks[at]))
        return found

    def _inputs(self, block: DraftBlock) -> list[int]:
        """What a shared block is called with: its parameters that are read, then what it needs from outside."""
        params = [param for param in block.params if self.naming.live(block.id, param)]
        return [*params, *self.naming.outside(block.id)]

    def _definition(self, name: str, parameters: list[str], block: DraftBlock) -> str:
        head = f"{name}({', '.join(parameters)}) ="
        body = self._body(block)
        short = " ".join([head, *[line.strip() for line in body]])
        if len(body) == 1 and len(short) <= WIDTH:
            return short
        return "\n".join([head, *("  " + line for line in body)])

    def _body(self, block: DraftBlock) -> list[str]:
        """The expression of a block, in lines."""
        lines: list[str] = []
        last: Expr | None = None
        statements = block.statements
        ending = block.ending
        if not ending.ways and ending.value is None:  # it ends by raising: the last value is as good as any
            last = NOTHING
            if statements and isinstance(statements[-1], Set):
                statements, last = statements[:-1], statements[-1].value
        for statement in statements:
            if not isinstance(statement, Set):
                raise NotPrintable("an effect")
            value = expression_text(statement.value, self.names)
            lines.append(f"let {self.names[statement.target]} = {value} in")
        if last is not None:
            return [*lines, expression_text(last, self.names)]
        if not ending.ways:
            assert ending.value is not None
            return [*lines, expression_text(ending.value, self.names)]
        if ending.value is None:
            return [*lines, *self._reached(ending.ways[0])]
        then, otherwise = (self._reached(way) for way in ending.ways)
        condition = expression_text(ending.value, self.names)
        if len(then) == 1 and not then[0].startswith(("if ", "let ")):
            lines.append(f"if {condition} then {then[0]}")
        else:
            lines.extend([f"if {condition} then", *("  " + line for line in then)])
        return [*lines, f"else {otherwise[0]}", *otherwise[1:]]

    def _reached(self, way: Way) -> list[str]:
        """The expression behind a jump."""
        block = self.blocks[way.target]
        lines, passed = self._passed(way)
        if way.target in self.shared:
            inside = [passed.get(value, self.names[value]) for value in self._inputs(block)]
            return [*lines, f"{self.shared[way.target]}({', '.join(inside)})"]
        if self._trivial(way.target) and type(block.ending.value) is int and block.ending.value in passed:
            return [*lines, passed[block.ending.value]]
        bound = {self.names[param]: passed[param] for param in block.params if self.naming.live(block.id, param)}
        bound = {name: text for name, text in bound.items() if name != text}
        read = {self.names[value] for _, expression in way.passed for value in leaves(expression)}
        if len(bound) > 1 and read & set(bound):
            raise NotPrintable("a parallel assignment")
        lines.extend(f"let {name} = {text} in" for name, text in bound.items())
        return [*lines, *self._body(block)]

    def _passed(self, way: Way) -> tuple[list[str], dict[int, str]]:
        """The text of what each parameter receives; what may raise is evaluated even if nobody reads it."""
        dropped = [
            param for param, x in way.passed if isinstance(x, Applied) and not self.naming.live(way.target, param)
        ]
        if not dropped:
            return [], {param: expression_text(x, self.names) for param, x in way.passed}
        lines: list[str] = []
        texts: dict[int, str] = {}
        for param, x in way.passed:
            texts[param] = expression_text(x, self.names)
            if isinstance(x, Applied):
                name = self._unused()
                lines.append(f"let {name} = {texts[param]} in")
                texts[param] = name
        return lines, texts

    def _unused(self) -> str:
        """A name that no value has."""
        number = 1
        while f"t{number}" in self.bound:
            number += 1
        self.bound.add(f"t{number}")
        return f"t{number}"
