"""Conversions to what a value is already, and to numbers that a known text is not.

    try: return int(token)
    except ValueError: return Symbol(token)       token = "define"    ->    Symbol("define")
    float(width)                                  width a float       ->    width

Invariant: exact classes only, and no text so long that a limit of the interpreter decides about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.models import HANDLED, MODELS
from futamura.specializer.raising import raise_value
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, VObject

__all__: list[str] = []

_LONGEST: Final = 500
"""Below `sys.int_info.str_digits_check_threshold`: no setting forbids to read so many digits."""


def _converted(convert: Callable[..., Any]) -> Callable[..., AbstractValue | None]:
    def model(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
        values = [arg.value for arg in args if type(arg) is Known]
        if m.patient or not values or len(values) < len(args) or len(args) > 2:
            return None
        text, *base = values
        if type(text) is not str or len(text) > _LONGEST or any(type(one) is not int for one in base):
            return None
        if base and convert is not int:
            return None
        try:
            convert(*values)
        except ValueError as error:
            if type(error) is not ValueError:
                return None
            given = tuple([Known(arg) for arg in error.args])
            raise_value(m, m.virtual(VObject("exception", ValueError, given, site=("missing", "ValueError"))))
            return HANDLED
        return None

    return model


def _itself(cls: type) -> None:
    """A value of this very class is what a conversion to it gives."""
    other = MODELS.get(cls)

    def model(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
        if len(args) == 1 and type(args[0]) is Dynamic and args[0].type is cls:
            return args[0]
        return None if other is None else other(m, frame, op, args)

    MODELS[cls] = model


MODELS[int] = _converted(int)
MODELS[float] = _converted(float)
for _cls in (int, float, tuple, frozenset, bytes):
    _itself(_cls)
