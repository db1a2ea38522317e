"""What a flow-graph program is once its spelling is forgotten: blocks with a label, statements and one way on.

    L2: if n < 3 then goto L3 else goto L4
    ->  FlowBlock("L2", (), Branch(Apply("lt", (Variable("n"), Literal(3))), "L3", "L4"))

All three surface spellings become this; so do the structured statements of the C-like one.  `Apply.operator` is the
name of a row of the table of operators.  Invariant: every block ends in exactly one `End`; places are those of `Span`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from futamura.ir.graph import Span

__all__ = [
    "Apply", "Assign", "Branch", "Call", "End", "Expression", "FlowBlock", "FlowProgram", "Goto", "IfElse", "Input",
    "Let", "Literal", "Print", "Return", "Statement", "Store", "Variable", "variables_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Literal:
    """An integer, a text, true or false."""

    value: object
    span: Span


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator of the table on its operands; "same" is the identity."""

    operator: str
    operands: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of the program: the functional language only."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class IfElse:
    """A conditional expression: the functional language only."""

    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Let:
    """A name for a value: the functional language only."""

    name: str
    value: Expression
    body: Expression
    span: Span


Expression: TypeAlias = Variable | Literal | Apply | Call | IfElse | Let


@dataclass(frozen=True, slots=True)
class Assign:
    target: str
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Print:
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Store:
    """`array[index] = value`: changes an array that was given."""

    array: Variable
    index: Expression
    value: Expression
    span: Span


Statement: TypeAlias = Assign | Print | Store


@dataclass(frozen=True, slots=True)
class Goto:
    label: str
    span: Span
    label_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Expression
    then: str
    otherwise: str
    span: Span
    then_span: Span
    otherwise_span: Span


@dataclass(frozen=True, slots=True)
class Return:
    """The end of the program; without a value, None is the result."""

    value: Expression | None
    span: Span


End: TypeAlias = Goto | Branch | Return


@dataclass(frozen=True, slots=True)
class FlowBlock:
    label: str
    statements: tuple[Statement, ...]
    end: End
    span: Span


@dataclass(frozen=True, slots=True)
class Input:
    """A variable that the program is given; `array` if it may be stored into."""

    name: str
    span: Span
    array: bool = False


@dataclass(frozen=True, slots=True)
class FlowProgram:
    """`inputs` is None where the spelling does not name them: then they are what the first block needs."""

    name: str
    spelling: str
    inputs: tuple[Input, ...] | None
    blocks: tuple[FlowBlock, ...]
    file: str
    text: str
    types: dict[str, str] = field(default_factory=dict)
    """The type of each declared variable, "" for the function's; nobody checks them."""


def variables_of(expression: Expression) -> list[Variable]:
    """The variables that an expression of the flow-graph language reads, in order."""
    found: list[Variable] = []
    work = [expression]
    while work:
        here = work.pop()
        if isinstance(here, Variable):
            found.append(here)
        elif isinstance(here, Apply):
            work.extend(reversed(here.operands))
    return found
