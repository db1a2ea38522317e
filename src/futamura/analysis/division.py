"""Divisions: which values are static, which dynamic, and why.

    def f(n, d):                 Division of f with n static, "safe"
        while n:                 n, n - 1   static       d   dynamic: an input
            d = d * n                                    d * n   dynamic: uses d, which is dynamic: an input
            n = n - 1

A function is analysed once for each calling pattern: which of its parameters are static, and whether what it does is
decided at run time.  `Cause` is one link of the chain that explains a dynamic value; following `value`, then `block`,
gives the rest of the chain, which ends at an input, an effect or a call.

Invariant (congruence): an operation with a dynamic operand has dynamic results, and a block parameter to which some
edge brings a dynamic value is dynamic.  `FunctionDivision.dynamic` never loses a value while it is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from futamura.analysis.partial import NOTHING, Access, Structures
from futamura.ir.graph import Function, Operation, Program, Span, Value

__all__ = ["KINDS", "POINTS", "Cause", "Division", "FunctionDivision", "Kind", "Pattern", "Points"]

Kind: TypeAlias = Literal["simple", "safe", "bounded"]
"""What makes a variable dynamic besides dynamic operands: nothing; each decision at run time over what it is; such a
decision, unless the variable takes finitely many values."""

Points: TypeAlias = Literal["uniform", "pointwise", "polyvariant"]
"""One division for all places (a variable is static everywhere or nowhere); one for each definition; for each block as
many as there are combinations of static values with which it is reached."""

KINDS: Final[tuple[Kind, ...]] = ("simple", "safe", "bounded")
POINTS: Final[tuple[Points, ...]] = ("uniform", "pointwise", "polyvariant")


class Cause(NamedTuple):
    """One link: `text` says what makes it dynamic, `value` or the decision behind `block` says why that is so."""

    rule: str
    text: str
    span: Span | None = None
    value: Value | None = None
    block: int | None = None


class Pattern(NamedTuple):
    """A function as it is called: which parameters are static; `controlled` if whether it runs is decided later."""

    function: str
    static: tuple[bool, ...]
    controlled: bool = False
    partial: frozenset[int] = frozenset()
    """The static parameters that are structures of which only the shape is."""

    def __str__(self) -> str:
        marks = "".join("P" if at in self.partial else "S" if static else "D" for at, static in enumerate(self.static))
        return f"{self.function}({marks}{', controlled' if self.controlled else ''})"


@dataclass(slots=True)
class FunctionDivision:
    """One function under one calling pattern."""

    function: Function
    pattern: Pattern
    dynamic: dict[Value, Cause] = field(default_factory=dict)
    """The dynamic values, in the order in which they were found."""
    decisions: dict[int, Cause] = field(default_factory=dict)
    """The blocks behind which the way on is known at run time only."""
    controlled: dict[int, int] = field(default_factory=dict)
    """The blocks that are executed, or not, by such a decision; and the block that decides."""
    residual: dict[int, Cause] = field(default_factory=dict)
    """The operations, by id, that have to stay whatever their operands are."""
    partial: dict[Value, Cause] = field(default_factory=dict)
    """The static values that are structures of which only the shape is static; what they hold is dynamic."""
    calls: dict[int, Pattern] = field(default_factory=dict)
    """For each `invoke` how it calls."""
    lifted: dict[tuple[int, int], Cause] = field(default_factory=dict)
    """Static arguments (operation, position) of calls that are passed as dynamic ones."""
    forced: set[Value] = field(default_factory=set)
    """Dynamic for another reason than a dynamic operand: they are so in every combination."""

    def static(self, value: Value) -> bool:
        return value not in self.dynamic

    def called(self) -> list[tuple[Operation, Pattern]]:
        """Each call, with how it calls."""
        return [(op, self.calls[op.id]) for op in self.function.operations() if op.id in self.calls]

    @property
    def returns_static(self) -> bool:
        """Is what it returns known where it is called?"""
        return all(self.pattern.static) and self.wholly_static

    @property
    def wholly_static(self) -> bool:
        """It can be executed to its end at specialization time."""
        return not (self.dynamic or self.decisions or self.residual or self.lifted or self.partial)


@dataclass(slots=True)
class Division:
    """The binding times of a program; `functions` has each calling pattern that was met, the entry's first."""

    program: Program
    kind: Kind
    points: Points
    entry: Pattern
    functions: dict[Pattern, FunctionDivision] = field(default_factory=dict)
    callers: dict[Pattern, tuple[Pattern, Operation]] = field(default_factory=dict)
    """For each pattern but the entry's the first that calls so, and the call."""
    structures: Structures = NOTHING
    whole: dict[int, str] = field(default_factory=dict)
    """The webs of structures that are not split, with the reasons."""

    def splits(self, function: str, value: Value) -> bool:
        """Is the value one of the structures that may be partially static?"""
        web = self.structures.web.get((function, value))
        return web is not None and web not in self.whole

    def access(self, function: str, operation: Operation) -> Access | None:
        """What the operation does with a structure that is split."""
        found = self.structures.access.get((function, operation.id))
        if found is None or not self.splits(function, found.on):
            return None
        return found if not found.makes or self.splits(function, operation.results[0]) else None

    @property
    def main(self) -> FunctionDivision:
        return self.functions[self.entry]

    def chain(self, pattern: Pattern, value: Value) -> list[Cause]:
        """Why `value` is dynamic, from itself to an input or effect; empty if it is static.

        From a parameter it goes on in the function that calls first, which was found earlier, so that it ends.
        """
        found = self.functions[pattern]
        cause = found.dynamic.get(value)
        chain: list[Cause] = []
        seen: set[Value] = {value}
        while cause is not None:
            chain.append(cause)
            if cause.rule == "argument":
                pattern, cause, value = self._argument(pattern, value)
                found, seen = self.functions[pattern], {value}
                continue
            if cause.value is None and cause.block is not None:
                cause = found.decisions.get(cause.block)
                continue
            if cause.value is None or cause.value in seen:
                break
            value = cause.value
            seen.add(value)
            cause = found.dynamic.get(value)
        return chain

    def _argument(self, pattern: Pattern, param: Value) -> tuple[Pattern, Cause | None, Value]:
        """The caller of a function, why it passes this parameter as a dynamic one, and what it passes."""
        caller, call = self.callers[pattern]
        position = self.functions[pattern].function.entry.params.index(param)
        found = self.functions[caller]
        value = call.args[position]
        lifted = found.lifted.get((call.id, position))
        return caller, found.dynamic.get(value) if lifted is None else lifted, value

    def variables(self, pattern: Pattern | None = None) -> dict[str, bool]:
        """For each named variable: is it static at each of its definitions?"""
        found = self.functions[pattern if pattern is not None else self.entry]
        static: dict[str, bool] = {}
        for value, hint in enumerate(found.function.hints):
            if hint is not None:
                static[hint] = static.get(hint, True) and value not in found.dynamic
        return static
