"""Exact constants: a Python value with an equality that never confuses two values.

    Constant(1) != Constant(True) != Constant(1.0)      Constant(0.0) != Constant(-0.0)
    Constant((1, 2)) == Constant((1, 2))                Constant([]) == itself only
    Constant(frozenset([0, 8])) != Constant(frozenset([8, 0])), whose elements come in another order

`exact_key` is recursive over the immutable builtin types and falls back to identity.  A key that
holds an `id` is only valid while the value lives, so a `Constant` keeps its value alive.

Invariant: a key is small.  `t = t, t` again and again is small, too, and has very many parts: what is large goes by
identity, which tells more values apart than there are and never fewer.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence
from types import EllipsisType, NoneType, NotImplementedType
from typing import Any, Final

__all__ = [
    "UNBOUND", "Constant", "count_of", "exact_key", "is_large", "is_long", "makes_nan", "ordered_key", "whole_key",
]  # fmt: skip

MOST_PARTS: Final = 1 << 12
"""Of a constant that is compared or written part by part."""
MOST_LEVELS: Final = 100
_LONG: Final = 10_000
_MOST_BITS: Final = 2_000
"""Ints of more bits are shown in hexadecimal digits."""

_ATOMS: Final = frozenset({int, bool, str, bytes, NoneType, EllipsisType, NotImplementedType})


_NUMBERS: Final = frozenset({float, complex})
_CONTAINERS: Final = frozenset({tuple, frozenset})


class Unbound:
    """The content of an empty cell in suspended states; never a value of the program."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNBOUND"


UNBOUND: Final = Unbound()


def exact_key(value: object) -> object:
    """A hashable key, equal for two values only if no Python program can tell them apart by value."""
    if type(value) in _CONTAINERS and is_large(value):
        return (type(value), "at", id(value))
    return whole_key(value)


def ordered_key(value: object) -> object:
    """`exact_key`, which also tells apart equal frozensets whose elements come in other orders."""
    key = exact_key(value)
    return (key, tuple(orders)) if type(value) in _CONTAINERS and (orders := _orders(value)) else key


def _orders(value: object) -> list[object]:
    """The elements of the frozensets in a constant that is not large, in the orders in which they come."""
    found: list[object] = []
    work = [value] if not is_large(value) else []
    for one in work:
        if type(one) in _CONTAINERS:
            work.extend(one)  # type: ignore[arg-type]
            if type(one) is frozenset and len(one) > 1:
                found.append(tuple(map(whole_key, one)))
    return found


def is_large(value: object) -> bool:
    """Has an immutable container more parts, each counted as often as it is met, or levels than are looked at?"""
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    parts = 0
    for _ in range(MOST_LEVELS):
        if not level:
            break
        parts += sum(map(len, level))
        if parts > MOST_PARTS:
            return True
        level = [item for one in level for item in one if type(item) in _CONTAINERS]
    return bool(level)


def whole_key(value: object) -> object:
    """`exact_key` of a constant of a source text, however long that is: all its parts were written there."""
    kind = type(value)
    if kind in _ATOMS:
        return (kind, value)
    if kind is float:
        return (kind, struct.pack("<d", value))
    if kind is complex:
        assert isinstance(value, complex)
        return (kind, struct.pack("<dd", value.real, value.imag))
    if kind is tuple:
        assert isinstance(value, tuple)
        return (kind, tuple(whole_key(item) for item in value))
    if kind is frozenset:
        assert isinstance(value, frozenset)
        return (kind, frozenset(whole_key(item) for item in value))
    return (kind, "at", id(value))


def makes_nan(value: object, operands: Sequence[object]) -> bool:
    """Is there a NaN in `value` that none of its operands is?  Who computes it again has another object."""
    if isinstance(value, tuple):
        return any(makes_nan(item, operands) for item in value)
    return type(value) in _NUMBERS and value != value and not any(value is operand for operand in operands)


class Constant:
    """An immutable box around one Python value, compared exactly."""

    __slots__ = ("_key", "value")

    def __init__(self, value: object) -> None:
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "_key", None)

    value: object

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Constant is immutable")

    @property
    def key(self) -> object:
        if self._key is None:
            object.__setattr__(self, "_key", ordered_key(self.value))
        return self._key

    _key: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"Constant({_shown(self.value)})"


def _shown(value: object) -> str:
    """Its `repr`, also where there is a limit for the digits of an int."""
    if type(value) is int and value.bit_length() > _MOST_BITS:
        return hex(value)
    if type(value) is tuple:
        return f"({', '.join(map(_shown, value))})"
    if type(value) is frozenset:
        return f"frozenset({sorted(map(_shown, value))})"
    return repr(value)


def is_long(value: object) -> bool:
    """Is this a range that takes long to walk through?"""
    return type(value) is range and count_of(value) > _LONG


def count_of(value: Collection[object]) -> int:
    """How many items a builtin container has, also one with more than `len` can say: a range."""
    if type(value) is range:
        return (value[-1] - value[0]) // value.step + 1 if value else 0
    return len(value)
