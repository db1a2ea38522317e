"""What is known of a value: its exact type, for integers a range, and the value itself if it can only be one.

    join(3, 7)                   int in 3..7
    outcome of "add" on (int in 0..9, 1)         int in 1..10
    outcome of "lt" on (int in 0..9, 10)         True
    under "lt" of (x: int, 10), the true way     x: int in ..9

A type is the name of an exact builtin class, as in `ir/facts.py`; "object" says nothing.  Ranges are of ints and bools
(False is 0), bounds are inclusive, None is no bound.

Invariant: sound for every value: a shape is left out rather than guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from futamura.ir.constant import Constant, makes_nan
from futamura.ir.facts import SCALARS
from futamura.ir.graph import OBJECT
from futamura.ir.ops import Operator

__all__ = [
    "LONGEST", "NOTHING", "Shape", "fold", "has_few_digits", "join", "known_as", "narrowed", "of_type", "outcome",
    "truth_of", "widened",
]  # fmt: skip

_WHOLE: Final = frozenset({"int", "bool"})
LONGEST: Final = 2**63 - 1
"""No sequence is longer, on any machine."""
_LEAST_LIMIT: Final = 10**640
"""No limit on digits that can be set is lower (`sys.int_info.str_digits_check_threshold`)."""
_FOLDED_BYTES: Final = 4096
"""No constant longer than this is written into the code."""


class Shape(NamedTuple):
    """What is known of a value."""

    type: str = OBJECT
    low: int | None = None
    high: int | None = None
    constant: Constant | None = None


NOTHING: Final = Shape()


def of_type(name: str) -> Shape:
    """Any value of this exact type."""
    return Shape(name, 0, 1) if name == "bool" else Shape(name)


def known_as(constant: Constant) -> Shape:
    """Exactly this value."""
    value = constant.value
    kind = type(value)
    if kind is int or kind is bool:
        assert isinstance(value, int)
        return Shape(kind.__name__, int(value), int(value), constant)
    if kind.__name__ in SCALARS or kind in (tuple, frozenset, range):
        return Shape(kind.__name__, constant=constant)
    return Shape(constant=constant)


def join(one: Shape, other: Shape) -> Shape:
    """What both have."""
    if one == other:
        return one
    if one.type != other.type:
        return NOTHING
    low = None if one.low is None or other.low is None else min(one.low, other.low)
    high = None if one.high is None or other.high is None else max(one.high, other.high)
    return Shape(one.type, low, high, one.constant if one.constant == other.constant else None)


def widened(old: Shape, new: Shape) -> Shape:
    """`new`, with bounds that moved given up: at zero and at the length of the longest list, which tests of counters
    come to, then for good.  So a sequence of these ends."""
    low = new.low if new.low == old.low else 0 if new.low is not None and new.low >= 0 else None
    high = new.high if new.high == old.high else LONGEST if new.high is not None and new.high <= LONGEST else None
    if new.type == "bool":
        low, high = new.low, new.high
    return new._replace(low=low, high=high)


def narrowed(shape: Shape, low: int | None, high: int | None) -> Shape:
    """The part of an integer's shape that lies between the bounds (unchanged if there is none: nothing runs there)."""
    low = shape.low if low is None or (shape.low is not None and shape.low > low) else low
    high = shape.high if high is None or (shape.high is not None and shape.high < high) else high
    if low is not None and high is not None:
        if low > high:
            return shape
        if low == high:
            return known_as(Constant(bool(low)) if shape.type == "bool" else Constant(low))
    return shape._replace(low=low, high=high)


def truth_of(shape: Shape) -> bool | None:
    """`bool(x)`, if it is known; runs no code of a program."""
    if shape.constant is not None and shape.type != OBJECT:
        return bool(shape.constant.value)
    if shape.type == "NoneType":
        return False
    if shape.type in _WHOLE:
        if (shape.low is not None and shape.low > 0) or (shape.high is not None and shape.high < 0):
            return True
    return None


def has_few_digits(shape: Shape) -> bool:
    """Is this an integer that is written in decimal without an error, whatever limit is set?"""
    if shape.type not in _WHOLE or shape.low is None or shape.high is None:
        return False
    return shape.low > -_LEAST_LIMIT and shape.high < _LEAST_LIMIT


# -------------------------------------------------------------------- operators


def fold(operator: Operator, shapes: Sequence[Shape], attr: object) -> Constant | None:
    """The result of the operator on constants, if it may be computed now, is small and raises nothing."""
    if operator.evaluate is None or operator.results != 1:
        return None
    for shape in shapes:
        if shape.constant is None or shape.type == OBJECT:
            return None
    if not operator.foldable(tuple([shape.type for shape in shapes]), attr):
        return None
    values = [shape.constant.value for shape in shapes if shape.constant is not None]
    if operator.fold_cost(values, attr) > _FOLDED_BYTES:
        return None
    try:
        found = operator.evaluate(values, attr)
    except Exception:  # it raises when the program runs, there
        return None
    return None if makes_nan(found, values) else Constant(found)


def outcome(operator: Operator, shapes: Sequence[Shape], attr: object, result: str) -> Shape:
    """The result of an operator whose result has this exact type, on operands of these shapes."""
    folded = fold(operator, shapes, attr)
    if folded is not None:
        return known_as(folded)
    plain = of_type(result)
    name = operator.name
    name = name[1:] if name[0] == "i" and name[1:] in _RANGES else name
    if name not in _TELLING:
        return plain
    if all(shape.type in _WHOLE for shape in shapes):
        if name in _COMPARED:
            verdict = _compared(name, *shapes)
            return plain if verdict is None else known_as(Constant(verdict))
        if name in _RANGES and result == "int":
            return narrowed(plain, *_short(*_RANGES[name](*shapes)))
    if name in ("truth", "not") and len(shapes) == 1:
        verdict = truth_of(shapes[0])
        if verdict is not None and result == "bool":
            return known_as(Constant(verdict is (name == "truth")))
    if name in ("is", "is_not"):
        one, other = shapes
        if _disjoint(one.type, other.type):
            return known_as(Constant(name == "is_not"))
        if one.constant is not None and other.constant is not None:
            classes = one.constant.value, other.constant.value
            if type(classes[0]) is type(classes[1]) is type:
                return known_as(Constant((classes[0] is classes[1]) is (name == "is")))
    return plain


def _disjoint(one: str, other: str) -> bool:
    """Two exact types that no object has both of."""
    return one != other and one in _EXACT and other in _EXACT


_EXACT: Final = SCALARS | {"tuple", "list", "dict", "set", "frozenset", "range"}

_Bounds = tuple[int | None, int | None]
_MOST_BITS: Final = 512
_HUGE: Final = 1 << _MOST_BITS - 1


def _add(a: Shape, b: Shape) -> _Bounds:
    return _plus(a.low, b.low), _plus(a.high, b.high)


def _sub(a: Shape, b: Shape) -> _Bounds:
    return _plus(a.low, _minus(b.high)), _plus(a.high, _minus(b.low))


def _mul(a: Shape, b: Shape) -> _Bounds:
    if a.low is not None and a.high is not None and b.low is not None and b.high is not None:
        corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]
        return min(corners), max(corners)
    if _natural(a) and _natural(b):
        assert a.low is not None and b.low is not None
        return a.low * b.low, None
    return None, None


def _and(a: Shape, b: Shape) -> _Bounds:
    if _natural(a) or _natural(b):
        bounds = [shape.high for shape in (a, b) if _natural(shape) and shape.high is not None]
        return 0, min(bounds, default=None)
    return None, None


def _or(a: Shape, b: Shape) -> _Bounds:
    if _natural(a) and _natural(b):
        if a.high is None or b.high is None:
            return 0, None
        return 0, (1 << max(a.high.bit_length(), b.high.bit_length())) - 1
    return None, None


def _mod(a: Shape, b: Shape) -> _Bounds:
    if b.low is not None and b.low > 0:
        small = a.low is not None and a.high is not None and a.low >= 0 and a.high < b.low
        if small:
            return a.low, a.high
        return 0, None if b.high is None else b.high - 1
    return None, None


def _floordiv(a: Shape, b: Shape) -> _Bounds:
    if b.low is not None and b.low > 0 and _natural(a):
        assert a.low is not None
        low = 0 if b.high is None else a.low // b.high
        return low, None if a.high is None else a.high // b.low
    return None, None


def _rshift(a: Shape, b: Shape) -> _Bounds:
    if _natural(a) and _natural(b):
        assert b.low is not None
        return 0, None if a.high is None else a.high >> min(b.low, 1 << 16)
    return None, None


def _neg(a: Shape) -> _Bounds:
    return _minus(a.high), _minus(a.low)


def _pos(a: Shape) -> _Bounds:
    return a.low, a.high


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _minus(a: int | None) -> int | None:
    return None if a is None else -a


def _short(low: int | None, high: int | None) -> _Bounds:
    """Bounds of many digits say no more than that a number is large: what is squared on and on is not computed."""
    if low is not None and low.bit_length() > _MOST_BITS:
        low = _HUGE if low > 0 else None
    if high is not None and high.bit_length() > _MOST_BITS:
        high = -_HUGE if high < 0 else None
    return low, high


def _natural(shape: Shape) -> bool:
    return shape.low is not None and shape.low >= 0


_RANGES: Final[dict[str, Callable[..., _Bounds]]] = {
    "add": _add, "sub": _sub, "mul": _mul, "and": _and, "or": _or, "xor": _or, "mod": _mod, "floordiv": _floordiv,
    "rshift": _rshift, "neg": _neg, "pos": _pos,
}  # fmt: skip
_COMPARED: Final = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
_TELLING: Final = _COMPARED.union(_RANGES, ("truth", "not", "is", "is_not"))
"""Operators whose results the shapes of their operands tell more of."""


def _compared(name: str, a: Shape, b: Shape) -> bool | None:
    """The comparison of two ranges, if it is the same for all their members."""
    if name == "ne":
        equal = _compared("eq", a, b)
        return None if equal is None else not equal
    if name in ("gt", "ge"):
        return _compared("lt" if name == "gt" else "le", b, a)
    if name == "eq":
        return False if _below(a, b, True) or _below(b, a, True) else None
    strict = name == "lt"
    if _below(a, b, strict):
        return True
    return False if _below(b, a, not strict) else None


def _below(a: Shape, b: Shape, strict: bool) -> bool:
    """Is every member of `a` less than (or equal to, if not strict) every member of `b`?"""
    if a.high is None or b.low is None:
        return False
    return a.high < b.low if strict else a.high <= b.low
