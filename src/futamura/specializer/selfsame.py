"""Operations on tuples that give one of the operands itself, not an equal tuple.

    t = x, y;  t[:] is t, t + () is t, t * 1 is t, tuple(t) is t       all True, as in CPython

Invariant: only what is exactly a tuple is given back; of a subclass the same operations make a tuple.
"""

from __future__ import annotations

from futamura.specializer.machine import Machine
from futamura.specializer.values import AbstractValue, Known

__all__ = ["is_plain_tuple", "is_whole", "joined_with_nothing"]


def is_plain_tuple(m: Machine, value: AbstractValue) -> bool:
    entry = m.state.object(value)
    if entry is not None:
        return entry.kind == "tuple" and entry.cls is tuple
    return type(value) is Known and type(value.value) is tuple


def is_whole(bounds: slice, count: int) -> bool:
    """Do these bounds take all of so many items, in order?"""
    return bounds.indices(count) == (0, count, 1)


def joined_with_nothing(
    m: Machine, left: AbstractValue, right: AbstractValue, counts: tuple[int, int]
) -> AbstractValue | None:
    """The operand that `left + right` is, if the other one has no items."""
    if not counts[0] and is_plain_tuple(m, right):
        return right
    return left if not counts[1] and is_plain_tuple(m, left) else None
