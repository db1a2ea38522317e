"""Builtin functions that ask an object by one method of its class, entered as other methods are.

    abs(vector)          ->    the body of `Vector.__abs__`
    round(money, 2)      ->    that of `Money.__round__`
    float(celsius)       ->    that of `Celsius.__float__`; what it gives has to be a float
    next(tokens, None)   ->    that of `Tokens.__next__`, in a `try` statement

Left alone, such a call may be anything: whatever is known of the object would be lost with it.
Invariant: the methods are those that Python would call, in its order, with its errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from futamura.ir.graph import Operation
from futamura.specializer import conversions, library, views
from futamura.specializer.calls import enter
from futamura.specializer.dunders import method_of, operand_class, try_methods
from futamura.specializer.machine import Machine
from futamura.specializer.models import HANDLED, MODELS
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known

__all__: list[str] = []

_ASKED: Final[dict[Callable[..., Any], str]] = {
    abs: "__abs__",
    reversed: "__reversed__",
    math.trunc: "__trunc__",
    math.floor: "__floor__",
    math.ceil: "__ceil__",
    int: "__int__",
    float: "__float__",
    hash: "__hash__",
    next: "__next__",
}
"""The method that a function of one argument asks."""
_CHECKED: Final[dict[Callable[..., Any], tuple[Callable[..., Any], type]]] = {
    int: (library.exactly, int),
    float: (library.exactly, float),
    hash: (library.hashed, int),
}
"""What is done with its answer, which has to be of a class."""
_FIRST: Final = (conversions, views)
"""Their models are asked first."""


def _asking(function: Callable[..., Any], name: str) -> None:
    """The function is entered by way of this method where no other model says what it gives."""
    other, checked = MODELS.get(function), _CHECKED.get(function)

    def model(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
        found = None if other is None else other(m, frame, op, args)
        if found is not None or len(args) != 1:
            return found
        method = _method(m, frame, args[0], name)
        if method is None:
            return None
        if checked is None:
            return _entered(m, frame, op, method, args)
        return _entered(m, frame, op, checked[0], [Known(checked[1]), Known(method), *args])

    MODELS[function] = model


def _method(m: Machine, frame: Frame, value: AbstractValue, name: str) -> FunctionType | None:
    cls = None if site(frame) in m.refused else operand_class(m, value)
    return None if cls is None else method_of(m, cls, name)


def _entered(
    m: Machine, frame: Frame, op: Operation, function: Callable[..., Any], args: list[AbstractValue]
) -> AbstractValue | None:
    assert isinstance(function, FunctionType)
    return HANDLED if enter(m, frame, op, function, args) else None


def _round(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    method = _method(m, frame, args[0], "__round__") if len(args) in (1, 2) else None
    if method is None:
        return None
    return _entered(m, frame, op, library.rounded, [Known(method), args[0], *(args[1:] or [Known(None)])])


def _next(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """With a default, which stands for any StopIteration of the method."""
    if len(args) != 2:
        return _plain_next(m, frame, op, args)
    method = _method(m, frame, args[0], "__next__")
    return None if method is None else _entered(m, frame, op, library.next_given, [Known(method), *args])


def _divmod(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    entered = len(args) == 2 and try_methods(m, frame, op, "divmod", "divmod()", args)
    return HANDLED if entered else None


def _pow(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    entered = len(args) == 2 and try_methods(m, frame, op, "pow", "** or pow()", args)
    return HANDLED if entered else None


for _function, _name in _ASKED.items():
    _asking(_function, _name)
_plain_next = MODELS[next]
MODELS[next] = _next
MODELS[round] = _round
MODELS[divmod] = _divmod
MODELS[pow] = _pow
