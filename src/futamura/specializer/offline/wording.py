"""Residual operations in words, for the trace.

    v3:res = mul v2, v0             res = res * x
    v4 = car v3; show v4            print car(valueList)
    branch v5 -> b3() | b4()        if x < 3 then goto <L3, i=1> else goto <L4, i=1>

Invariant: for reading only; names are the user's, so that two values of one variable look alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Terminator, Value
from futamura.specializer.offline.trace import short

__all__ = ["Wording"]

_SYMBOLS: Final = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "lt": "<",
    "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "in": "in", "and": "&", "or": "|", "xor": "^",
}  # fmt: skip


class Wording:
    """The expressions behind residual values, as far as they have no name."""

    def __init__(self, hints: Sequence[str | None]) -> None:
        self.hints: Final = hints
        """Those of the builder, which grow while it works."""
        self._texts: Final[dict[Value, str]] = {}

    def sentences(self, operations: Sequence[Operation]) -> list[str]:
        """What the operations do; those that only make a part of an expression are in it when it is used."""
        found = []
        for operation in operations:
            text = self._expression(operation)
            named = [self.hints[result] for result in operation.results if self.hints[result] is not None]
            if named:
                found.append(f"{', '.join(str(name) for name in named)} = {text}")
            elif operation.results:
                self._texts.update(dict.fromkeys(operation.results, text))
            else:
                found.append(text)
        return found

    def end(self, end: Terminator, labels: Mapping[int, str]) -> str:
        """What a terminator does."""
        targets = [f"goto {labels.get(edge.target, f'b{edge.target}')}" for edge in end.edges]
        values = " ".join(self._value(value) for value in end.args)
        if end.name == "jump":
            return targets[0]
        if end.name == "branch":
            return f"if {values} then {targets[0]} else {targets[1]}"
        return " ".join(part for part in (end.name, "" if values == "None" else values, *targets) if part)

    def _value(self, value: Value) -> str:
        return self.hints[value] or self._texts.get(value, f"v{value}")

    def _expression(self, operation: Operation) -> str:
        if operation.name == "const" and isinstance(operation.attr, Constant):
            return short(operation.attr.value)
        args = [self._value(value) for value in operation.args]
        if operation.name in ("copy", "truth"):
            return ", ".join(args)
        if operation.name in _SYMBOLS:
            return f"{args[0]} {_SYMBOLS[operation.name]} {args[1]}"
        if operation.name == "getitem":
            return f"{args[0]}[{args[1]}]"
        if operation.name == "show":
            return f"print {args[0]}"
        if operation.name == "invoke":
            return f"{operation.attr}({', '.join(args)})"
        return f"{operation.name}({', '.join(args)})"
