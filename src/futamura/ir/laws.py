"""Algebraic laws of the operators, each with the exact types under which it holds, and what folding would cost.

    LAWS["add"].right_identity   (("int", Constant(0)), ("str", Constant("")))     x + 0 is x for every exact int x
    fold_cost("mul", ("a", 10**9), None)                                          10**9: too big to fold

What is not here does not hold: `x + 0.0` is not `x` (-0.0), `x * 0` is not `0` for floats (NaN, -1.0), `x == x` is not
`True` (NaN), and `True + 0` is the int 1.

Invariant: equality in a law is that of `Constant`: nobody can tell the two sides apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from futamura.ir.constant import Constant

__all__ = ["LAWS", "NO_LAWS", "Laws", "fold_cost"]

Pairs: TypeAlias = tuple[tuple[str, Constant], ...]


class Laws(NamedTuple):
    """For operands of exactly the named type (both of the same)."""

    commutative: tuple[str, ...] = ()
    associative: tuple[str, ...] = ()
    left_identity: Pairs = ()
    """op(constant, x) is x."""
    right_identity: Pairs = ()
    """op(x, constant) is x."""
    left_absorbing: Pairs = ()
    """op(constant, x) is the constant."""
    right_absorbing: Pairs = ()
    """op(x, constant) is the constant."""
    idempotent: tuple[str, ...] = ()
    """op(x, x) is x."""
    same: Pairs = ()
    """op(x, x) is the constant."""


def _pairs(*pairs: tuple[str, object]) -> Pairs:
    return tuple([(type, Constant(value)) for type, value in pairs])


_ALL: Final = ("int", "bool", "float", "complex", "str", "bytes", "NoneType")
_ORDERED: Final = ("int", "bool", "str", "bytes")
_ZERO: Final = _pairs(("int", 0))
_TRUE: Final = tuple([(type, Constant(True)) for type in _ORDERED])
_FALSE: Final = tuple([(type, Constant(False)) for type in _ORDERED])
_WHOLE: Final = ("int", "bool")

NO_LAWS: Final = Laws()
LAWS: Final[dict[str, Laws]] = {
    "add": Laws(
        commutative=_WHOLE,
        associative=("int", "str", "bytes"),
        left_identity=_pairs(("int", 0), ("float", -0.0), ("str", ""), ("bytes", b"")),
        right_identity=_pairs(("int", 0), ("float", -0.0), ("str", ""), ("bytes", b"")),
    ),
    "sub": Laws(right_identity=_pairs(("int", 0), ("float", 0.0)), same=_pairs(("int", 0), ("bool", 0))),
    "mul": Laws(
        commutative=_WHOLE,
        associative=("int",),
        left_identity=_pairs(("int", 1), ("float", 1.0)),
        right_identity=_pairs(("int", 1), ("float", 1.0)),
        left_absorbing=_ZERO,
        right_absorbing=_ZERO,
    ),
    "truediv": Laws(right_identity=_pairs(("float", 1.0))),
    "floordiv": Laws(right_identity=_pairs(("int", 1))),
    "pow": Laws(right_identity=_pairs(("int", 1), ("float", 1.0))),
    "lshift": Laws(right_identity=_ZERO),
    "rshift": Laws(right_identity=_ZERO),
    "and": Laws(
        commutative=_WHOLE, associative=_WHOLE, idempotent=_WHOLE,
        left_identity=_pairs(("int", -1), ("bool", True)), right_identity=_pairs(("int", -1), ("bool", True)),
        left_absorbing=_pairs(("int", 0), ("bool", False)), right_absorbing=_pairs(("int", 0), ("bool", False)),
    ),
    "or": Laws(
        commutative=_WHOLE, associative=_WHOLE, idempotent=_WHOLE,
        left_identity=_pairs(("int", 0), ("bool", False)), right_identity=_pairs(("int", 0), ("bool", False)),
        left_absorbing=_pairs(("int", -1), ("bool", True)), right_absorbing=_pairs(("int", -1), ("bool", True)),
    ),
    "xor": Laws(
        commutative=_WHOLE, associative=_WHOLE,
        left_identity=_pairs(("int", 0), ("bool", False)), right_identity=_pairs(("int", 0), ("bool", False)),
        same=_pairs(("int", 0), ("bool", False)),
    ),
    "eq": Laws(commutative=_ALL, same=_TRUE),
    "ne": Laws(commutative=_ALL, same=_FALSE),
    "le": Laws(same=_TRUE),
    "ge": Laws(same=_TRUE),
    "lt": Laws(same=_FALSE),
    "gt": Laws(same=_FALSE),
    "is": Laws(commutative=_ALL, same=tuple([(type, Constant(True)) for type in _ALL])),
    "is_not": Laws(commutative=_ALL, same=tuple([(type, Constant(False)) for type in _ALL])),
}  # fmt: skip


# -------------------------------------------------------------------- what a fold costs


_NEVER: Final = 1 << 62
"""The cost of what must not be folded at all."""
_NUMBER: Final = re.compile(r"\d+")


def _size(value: object) -> int:
    if isinstance(value, int):
        return value.bit_length() // 8 + 1
    return len(value) if isinstance(value, (str, bytes, tuple)) else 1


def _widths(text: object) -> int:
    """The numbers in a format: widths and precisions."""
    words = text.decode("latin-1") if isinstance(text, bytes) else str(text)
    return sum([min(int(digits[:12]), _NEVER) for digits in _NUMBER.findall(words)])


def fold_cost(name: str, args: Sequence[Any], attr: object) -> int:
    """An estimate, before it is made, of the bytes that the result takes; fold only what costs little.

    Quadratic conversions count as the square; a format that depends on the locale is never folded.
    """
    base = name[1:] if name[1:] in _GROWING and name[0] == "i" else name
    size = sum(map(_size, args))
    if base == "mul":
        return _product(*args)
    if base == "pow":
        return _size(args[0]) * abs(args[1]) if isinstance(args[0], int) and isinstance(args[1], int) else size
    if base == "lshift":
        return size + (abs(args[1]) // 8 if isinstance(args[1], int) else 0)
    if base == "mod" and isinstance(args[0], (str, bytes)):
        return size + _widths(args[0]) + _digits(args[1])
    if name == "format":
        if len(args) == 2 and str(args[1]).endswith("n"):
            return _NEVER
        return size + (_widths(args[1]) if len(args) == 2 else 0) + _digits(args[0])
    return size


_GROWING: Final = frozenset({"mul", "pow", "lshift", "mod"})


def _product(left: object, right: object) -> int:
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, (str, bytes, tuple)) and isinstance(count, int):
            return _size(sequence) * max(count, 0) + 1
    return _size(left) * _size(right) if isinstance(left, int) and isinstance(right, int) else 1


def _digits(value: object) -> int:
    """An int to decimal digits takes quadratic time."""
    return _size(value) ** 2 // 64 if isinstance(value, int) else 0
