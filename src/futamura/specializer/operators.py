"""Functions of the module `operator` that are operators of the language.

    operator.add(x, 1)     ->     x + 1

Invariant: such a call does exactly what the operator does, whatever the operands are.
"""

from __future__ import annotations

import operator
from types import BuiltinFunctionType
from typing import Final

from futamura.ir.evaluate import UNARY
from futamura.ir.graph import Operation
from futamura.ir.ops import OPERATORS
from futamura.specializer.machine import Machine
from futamura.specializer.rules import operate
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue

__all__ = ["call_operator"]

_OPERATORS: Final[dict[object, str]] = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.matmul: "matmul",
    operator.truediv: "truediv",
    operator.floordiv: "floordiv",
    operator.mod: "mod",
    operator.pow: "pow",
    operator.lshift: "lshift",
    operator.rshift: "rshift",
    operator.and_: "and",
    operator.or_: "or",
    operator.xor: "xor",
    operator.lt: "lt",
    operator.le: "le",
    operator.eq: "eq",
    operator.ne: "ne",
    operator.gt: "gt",
    operator.ge: "ge",
    operator.is_: "is",
    operator.is_not: "is_not",
    operator.neg: "neg",
    operator.pos: "pos",
    operator.invert: "invert",
    operator.not_: "not",
    operator.truth: "truth",
}
"""Functions of `operator` that are an operator of the language, with its name."""


def call_operator(m: Machine, frame: Frame, op: Operation, function: object, args: list[AbstractValue]) -> bool:
    """Do what a call of `function` does, if it is an operator: it defines the result of `op`."""
    if type(function) is not BuiltinFunctionType or not op.results:
        return False
    name = _OPERATORS.get(function)
    if name is None or len(args) != (1 if name in UNARY else 2):
        return False
    operate(m, frame, op._replace(operator=OPERATORS[name], attr=None), args)
    return True
