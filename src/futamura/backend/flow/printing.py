"""A function of the IR as a program of the flow-graph language, in the spelling that its source had.

    func L1(valueList)                          L1:
    b0(v0:valueList):                             read valueList
      v1:valueList = cdr v0                       valueList = cdr(valueList)
      v2 = car v1; show v2                        print car(valueList)

Invariant: what is printed parses again, and means the same; what the language cannot say raises `NotPrintable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from futamura.backend.flow.draft import (
    CALL,
    Applied,
    DraftBlock,
    Expr,
    NotPrintable,
    Set,
    Show,
    Store,
    Way,
    draft,
    leaves,
)
from futamura.backend.flow.naming import Naming
from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Value
from futamura.ir.lists import literal

__all__ = ["Spelling", "expression_text", "print_flow"]


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the source was written."""

    kind: str = "label"
    reads: bool = True
    """Are inputs named by `read`?  Otherwise they are what the first block needs."""
    arrays: frozenset[str] = frozenset()
    types: Mapping[str, str] | None = None
    """The C-like spelling: the type of each declared variable; "" is the function's."""


_SYMBOLS: Final = {
    "add": ("+", 3), "sub": ("-", 3), "mul": ("*", 4), "floordiv": ("//", 4), "mod": ("%", 4), "eq": ("==", 2),
    "ne": ("!=", 2), "lt": ("<", 2), "le": ("<=", 2), "gt": (">", 2), "ge": (">=", 2),
}  # fmt: skip
_ATOM: Final = 7


def expression_text(expression: Expr, names: Mapping[Value, str], level: int = 0) -> str:
    """An expression, in parentheses if it binds less than `level`."""
    text, binds = _expression(expression, names)
    return text if binds >= level else f"({text})"


def _expression(expression: Expr, names: Mapping[Value, str]) -> tuple[str, int]:
    if isinstance(expression, Constant):
        return _constant(expression)
    if not isinstance(expression, Applied):
        return names[expression], _ATOM
    name, operands = expression.operator, expression.operands
    if name in _SYMBOLS:
        symbol, level = _SYMBOLS[name]
        left = expression_text(operands[0], names, level + 1 if level == 2 else level)
        right = expression_text(operands[1], names, level + 1)
        return f"{left} {symbol} {right}", level
    if name == "neg":
        return "-" + expression_text(operands[0], names, 6), 5
    if name == "not":
        return "not " + expression_text(operands[0], names, 1), 1
    if name == "truth":
        return "not not " + expression_text(operands[0], names, 1), 1
    if name == "getitem":
        return f"{expression_text(operands[0], names, 6)}[{expression_text(operands[1], names)}]", 6
    inside = ", ".join([expression_text(operand, names) for operand in operands])
    name = name.removeprefix(CALL)
    return (f"[{inside}]" if name == "tuple" else f"{name}({inside})"), _ATOM


def _constant(constant: Constant) -> tuple[str, int]:
    value = constant.value
    if not _sayable(value):
        raise NotPrintable(f"the constant {literal(value)}")
    return literal(value), 5 if type(value) is int and value < 0 else _ATOM


def _sayable(value: object) -> bool:
    if type(value) is tuple:
        return all(_sayable(item) for item in value)
    return type(value) in (int, bool, str)


def print_flow(function: Function, labels: Mapping[int, str], spelling: Spelling) -> str:
    """The text of a function; `labels` names blocks, and those that it does not name get names of their own."""
    blocks = draft(function, labels)
    if any(way.target == 0 for block in blocks for way in block.ending.ways):
        raise NotPrintable("a jump to the entry")
    return _Printing(function, blocks, labels, spelling).text()


class _Printing:
    """The text of one function."""

    def __init__(
        self, function: Function, blocks: list[DraftBlock], labels: Mapping[int, str], spelling: Spelling
    ) -> None:
        self.function: Final = function
        self.blocks: Final = blocks
        self.spelling: Final = spelling
        inputs = function.signature.names
        self.naming: Final = Naming(blocks, function.hints, inputs)
        self.names: Final = self.naming.names
        self.labels: Final = dict(labels)
        self._counts: dict[str, int] = {}
        self._used: Final = set(self.labels.values()) | set(self.names.values())
        for block in blocks:
            if block.id not in self.labels:
                self.labels[block.id] = self._fresh("L")
        self.c: Final = spelling.kind == "c"
        self.stop: Final = ";" if self.c else ""
        self.declared: set[str] = set(inputs) if self.c else set()
        self.extra: list[str] = []

    def _fresh(self, base: str) -> str:
        number = self._counts.get(base, 1)
        while f"{base}{number}" in self._used:
            number += 1
        self._counts[base] = number + 1
        return f"{base}{number}"

    def text(self) -> str:
        lines: list[str] = []
        for at, block in enumerate(self.blocks):
            lines.append(f"{self.labels[block.id]}:")
            if at == 0:
                lines.extend(self._reads())
            for statement in block.statements:
                lines.extend(self._statement(statement))
            following = self.blocks[at + 1].id if at + 1 < len(self.blocks) else -1
            lines.extend(self._ending(block, following))
        lines.extend(self.extra)
        if not self.c:
            return "\n".join(lines) + "\n"
        return "\n".join([*self._head(), *lines, "}"]) + "\n"

    # -- the C-like spelling

    def _type(self, name: str) -> str:
        return (self.spelling.types or {}).get(name, "int")

    def _head(self) -> list[str]:
        names = self.function.signature.names
        arrays = [f"{self._type(name)} *{name};" for name in names if name in self.spelling.arrays]
        given = ", ".join([f"{self._type(name)} {name}" for name in names if name not in self.spelling.arrays])
        return [*arrays, f"{self._type('')} {self.function.name}({given}) {{"]

    # -- statements

    def _reads(self) -> list[str]:
        names = self.function.signature.names
        if self.c or (not self.spelling.reads and self._needed() == set(names)):
            return []
        return [f"  read {name}" for name in names]

    def _needed(self) -> set[str]:
        """The inputs that the first block needs, which a program without `read` takes."""
        entry = self.blocks[0]
        return {self.names[param] for param in entry.params if self.naming.live(entry.id, param)}

    def _assignment(self, name: str, value: str) -> str:
        if not self.c or name in self.declared:
            return f"  {name} = {value}{self.stop}"
        self.declared.add(name)
        return f"  {self._type(name)} {name} = {value};"

    def _statement(self, statement: Set | Show | Store) -> list[str]:
        if isinstance(statement, Set):
            value = expression_text(statement.value, self.names)
            name = self.names[statement.target]
            return [] if value == name else [self._assignment(name, value)]
        if isinstance(statement, Show):
            value = expression_text(statement.value, self.names)
            return [f"  println({value});" if self.c else f"  print {value}"]
        if type(statement.array) is not int:
            raise NotPrintable("a store into something that is not a variable")
        array, index = self.names[statement.array], expression_text(statement.index, self.names)
        return [f"  {array}[{index}] = {expression_text(statement.value, self.names)}{self.stop}"]

    def _ending(self, block: DraftBlock, following: int) -> list[str]:
        ending = block.ending
        if not ending.ways:
            value = "" if ending.value is None else " " + expression_text(ending.value, self.names)
            return [f"  return{value}{self.stop}"]
        if ending.value is None:
            (way,) = ending.ways
            return [*self._moves(way), f"  goto {self.labels[way.target]}{self.stop}"]
        then, otherwise = (self._target(way) for way in ending.ways)
        condition = expression_text(ending.value, self.names)
        middle = " " if self.c else " then "
        return [f"  if {condition}{middle}goto {then} else goto {otherwise}{self.stop}"]

    def _target(self, way: Way) -> str:
        """The label to jump to: a block of its own if the jump assigns something."""
        moves = self._moves(way)
        if not moves:
            return self.labels[way.target]
        label = self._fresh("to_" if way.target not in self.labels else f"to_{_identifier(self.labels[way.target])}_")
        self.extra.extend([f"{label}:", *moves, f"  goto {self.labels[way.target]}{self.stop}"])
        return label

    # -- parallel assignment

    def _moves(self, way: Way) -> list[str]:
        """The assignments of a jump, one after the other; a cycle goes through a variable of its own."""
        left = [
            (self.names[param], passed)
            for param, passed in way.passed
            if self.naming.live(way.target, param) and self.names[param] != self._read(passed)
        ]
        lines: list[str] = []
        renamed: dict[str, str] = {}
        while left:
            sources = {renamed.get(name, name) for _, passed in left if (name := self._read(passed)) is not None}
            ready = next((move for move in left if move[0] not in sources), None)
            if ready is None:
                name = left[0][0]
                saved = self._fresh("saved_")
                lines.append(self._assignment(saved, name))
                renamed[name] = saved
                continue
            left.remove(ready)
            source = self._read(ready[1])
            text = expression_text(ready[1], self.names) if source is None else renamed.get(source, source)
            lines.append(self._assignment(ready[0], text))
        return lines

    def _read(self, passed: Expr) -> str | None:
        """The variable that is passed, if it is one."""
        found = leaves(passed)
        return self.names[found[0]] if found else None


def _identifier(label: str) -> str:
    return "".join([letter if letter.isalnum() else "_" for letter in label]).strip("_")
