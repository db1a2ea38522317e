"""Which operations a machine can do on unboxed numbers, and on what it has to give up.

    add of (int in 0..9, int in 0..9)      int64, int64 -> int64
    add of (int, int)                      int64, int64 -> int64; gives up on "overflow"
    add of (int, float)                    float64, float64 -> float64: Python converts the int in the same way
    lt of (int, float)                     float64, float64 -> bool; gives up on "inexact": Python compares exactly
    truediv of (int, int)                  the same: both must be exact as floats, and the divisor not zero

Unboxed are numbers of exact builtin classes, and buffers of bytes.  To give up is to go on in Python before the
operation, so what raises is left to Python as well: a zero divisor, an index out of range.  A bool becomes an int64
where it is computed with, and stays a bool where Python's result is one (`&`, `|`, `^` of two, `not`, comparisons).

Invariant: on operands of these shapes that fit their representations, what is computed where nothing gives up is
Python's result to the last bit: the sign of a zero and NaN included.  No float operation is reordered.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.ops import OPERATORS
from futamura.optimize.shapes import Shape, narrowed, outcome

__all__ = [
    "BOOL", "BUFFER", "FLOAT64", "INT64", "OBJECT", "Native", "clamped", "fits", "native", "native_call",
    "representation_of",
]  # fmt: skip

OBJECT: Final = "object"
INT64: Final = "int64"
FLOAT64: Final = "float64"
BOOL: Final = "bool"
BUFFER: Final = "buffer"

_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 63) - 1
_EXACT: Final = 1 << 53
"""Integers up to here are floats without rounding."""
_OF_TYPE: Final = {"int": INT64, "float": FLOAT64, "bool": BOOL, "bytes": BUFFER, "bytearray": BUFFER}
_INTEGRAL: Final = frozenset({"int", "bool"})
_NUMBERS: Final = frozenset({"int", "bool", "float"})
_COMPARED: Final = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})


class Native(NamedTuple):
    """What a native operation takes and gives, and the reasons for which it gives up."""

    takes: tuple[str, ...]
    gives: str
    gives_up: tuple[str, ...] = ()


def representation_of(shape: Shape) -> str:
    """How a value of this shape may be held."""
    return _OF_TYPE.get(shape.type, OBJECT)


def fits(shape: Shape) -> bool:
    """Is a value of this shape one that its representation holds, for sure?"""
    if shape.type != "int":
        return shape.type in _OF_TYPE
    return shape.low is not None and shape.high is not None and shape.low >= _LEAST and shape.high <= _MOST


def native(name: str, shapes: Sequence[Shape]) -> Native | None:
    """How the operator is done on operands of these shapes; None: on objects."""
    if any(_never_fits(shape) for shape in shapes):
        return None
    plain = name[1:] if name[0] == "i" and name[1:] in _BINARY else name
    if len(shapes) == 2 and {shape.type for shape in shapes} <= _NUMBERS:
        if plain in _COMPARED:
            return _compared(*shapes)
        row = _BINARY.get(plain)
        return None if row is None else row(plain, *[clamped(shape) for shape in shapes])
    if name in ("is", "is_not") and all(shape.type == "bool" for shape in shapes):
        return Native((BOOL, BOOL), BOOL)
    if name == "getitem" and shapes[0].type in ("bytes", "bytearray") and shapes[1].type in _INTEGRAL:
        return Native((BUFFER, INT64), INT64, ("index",))
    if len(shapes) == 1 and shapes[0].type in _NUMBERS:
        return _unary(name, clamped(shapes[0]))
    return None


def native_call(callee: Constant | None, attr: object, shapes: Sequence[Shape]) -> Native | None:
    """How a call of a builtin function is done, by identity."""
    if callee is None or attr is not None or any(_never_fits(shape) for shape in shapes):
        return None
    kinds = [shape.type for shape in shapes]
    function = callee.value
    if len(kinds) == 1:
        if function is builtins.len and kinds[0] in ("bytes", "bytearray"):
            return Native((BUFFER,), INT64)
        return _converted(function, clamped(shapes[0])) if kinds[0] in _NUMBERS else None
    alike = len(kinds) == 2 and kinds[0] == kinds[1] and kinds[0] in ("int", "float")
    if alike and (function is builtins.min or function is builtins.max):
        one = _OF_TYPE[kinds[0]]
        return Native((one, one), one)  # the first, unless the second is less (greater): so for NaN and -0.0 too
    return None


def _never_fits(shape: Shape) -> bool:
    return (shape.low is not None and shape.low > _MOST) or (shape.high is not None and shape.high < _LEAST)


def clamped(shape: Shape) -> Shape:
    """What is known of an int that fits."""
    return narrowed(shape, _LEAST, _MOST) if shape.type == "int" else shape


def _converted(function: object, shape: Shape) -> Native | None:
    one = _OF_TYPE[shape.type]
    if function is builtins.float:
        return Native((one,), FLOAT64)
    if function is builtins.bool:
        return Native((one,), BOOL)
    if function is builtins.int:
        return Native((one,), INT64, ("out of range",) if one == FLOAT64 else ())
    if function is builtins.abs:
        return Native((FLOAT64,), FLOAT64) if one == FLOAT64 else Native((INT64,), INT64, _negated(shape))
    return None


def _unary(name: str, shape: Shape) -> Native | None:
    one = _OF_TYPE[shape.type]
    if name in ("truth", "not"):
        return Native((one,), BOOL)
    if name in ("neg", "pos"):
        if one == FLOAT64:
            return Native((FLOAT64,), FLOAT64)
        return Native((INT64,), INT64, _negated(shape) if name == "neg" else ())
    if name == "invert" and one == INT64:  # that of a bool warns
        return Native((INT64,), INT64)
    return None


def _negated(shape: Shape) -> tuple[str, ...]:
    return () if shape.low is not None and shape.low > _LEAST else ("overflow",)


def _compared(one: Shape, other: Shape) -> Native:
    if one.type in _INTEGRAL and other.type in _INTEGRAL:
        return Native((INT64, INT64), BOOL)
    whole = all(_is_exact(shape) for shape in (one, other))
    return Native((FLOAT64, FLOAT64), BOOL, () if whole else ("inexact",))


def _is_exact(shape: Shape) -> bool:
    """Does conversion to a float keep the value?"""
    if shape.type in ("float", "bool"):
        return True
    return shape.low is not None and shape.high is not None and shape.low >= -_EXACT and shape.high <= _EXACT


def _is_float(one: Shape, other: Shape) -> bool:
    return "float" in (one.type, other.type)


def _arithmetic(name: str, one: Shape, other: Shape) -> Native:
    if _is_float(one, other):
        return Native((FLOAT64, FLOAT64), FLOAT64)
    result = outcome(OPERATORS[name], (one, other), None, "int")
    return Native((INT64, INT64), INT64, () if fits(result) else ("overflow",))


def _truediv(name: str, one: Shape, other: Shape) -> Native:
    reasons = _zero(other)
    if not _is_float(one, other) and not (_is_exact(one) and _is_exact(other)):
        reasons += ("inexact",)
    return Native((FLOAT64, FLOAT64), FLOAT64, reasons)


def _divided(name: str, one: Shape, other: Shape) -> Native:
    if _is_float(one, other):
        return Native((FLOAT64, FLOAT64), FLOAT64, _zero(other))
    reasons = _zero(other)
    least = one.low is None or one.low <= _LEAST
    minus = (other.low is None or other.low <= -1) and (other.high is None or other.high >= -1)
    if name == "floordiv" and least and minus:
        reasons += ("overflow",)
    return Native((INT64, INT64), INT64, reasons)


def _zero(shape: Shape) -> tuple[str, ...]:
    """The reason for which a division gives up, if this may be zero."""
    if shape.constant is not None:
        return () if shape.constant.value else ("zero divisor",)
    apart = (shape.low is not None and shape.low > 0) or (shape.high is not None and shape.high < 0)
    return () if apart else ("zero divisor",)


def _bits(name: str, one: Shape, other: Shape) -> Native | None:
    if _is_float(one, other):
        return None
    both = one.type == other.type == "bool"
    return Native((BOOL, BOOL), BOOL) if both else Native((INT64, INT64), INT64)


def _shifted(name: str, one: Shape, other: Shape) -> Native | None:
    """To the right, a count beyond the width leaves the sign; to the left it is too many."""
    if _is_float(one, other):
        return None
    negative = other.low is None or other.low < 0
    if name == "rshift":
        return Native((INT64, INT64), INT64, ("shift count",) if negative else ())
    many = other.high is None or other.high > 63
    reasons: tuple[str, ...] = ("shift count",) if negative or many else ()
    count = 63 if other.high is None else max(min(other.high, 63), 0)
    assert one.low is not None and one.high is not None  # clamped, or a bool
    if one.low << count < _LEAST or one.high << count > _MOST:
        reasons += ("overflow",)
    return Native((INT64, INT64), INT64, reasons)


_BINARY: Final[dict[str, Callable[[str, Shape, Shape], Native | None]]] = {
    "add": _arithmetic, "sub": _arithmetic, "mul": _arithmetic, "truediv": _truediv,
    "floordiv": _divided, "mod": _divided, "and": _bits, "or": _bits, "xor": _bits,
    "lshift": _shifted, "rshift": _shifted,
}  # fmt: skip
