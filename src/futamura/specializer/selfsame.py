"""Operations on tuples that give one of the operands itself, not an equal tuple.

    t = x, y;  t[:] is t, t + () is t, t * 1 is t, tuple(t) is t       all True, as in CPython

Invariant: only what is exactly a tuple is given back; of a subclass the same operations make a tuple.
"""

from __future__ import annotations

from futamura.specializer.machine import Machine
from futamura.specializer.plainness import comparable, is_record
from futamura.specializer.values import AbstractValue, Known, Virtual, VObject

__all__ = ["is_plain_tuple", "is_whole", "joined_with_nothing", "kept_key", "lookup_key"]


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


def lookup_key(m: Machine, value: AbstractValue) -> AbstractValue:
    """A tuple that is looked up, named or not, as the known object that equals it if all its items are known and
    compared plainly."""
    entry = m.state.object(value)
    if entry is None or entry.kind != "tuple" or type(value) is not Virtual:
        return value
    if entry.cls is not tuple and not is_record(entry.cls):
        return value
    items = [lookup_key(m, m.state.resolve(item)) for item in entry.items]
    values = tuple(item.value for item in items if type(item) is Known)
    if len(values) < len(items) or not comparable(values):
        return value
    return m.known(values, max((m.state.age(item) for item in items), default=0))


def kept_key(m: Machine, value: AbstractValue) -> AbstractValue:
    """A tuple that becomes a key, named or not, as a constant if all its items are known and compared plainly; from
    then on the tuple is this constant."""
    entry = m.state.object(value)
    if entry is None or entry.kind != "tuple" or type(value) is not Virtual:
        return value
    if entry.cls is not tuple and (not is_record(entry.cls) or entry.cls.__dictoffset__):
        return value
    items = [kept_key(m, m.state.resolve(item)) for item in entry.items]
    values = [item.value for item in items if type(item) is Known]
    if len(values) < len(items) or not all(comparable(item) for item in values):
        return value
    key = m.known(tuple.__new__(entry.cls, values), max((m.state.age(item) for item in items), default=0))
    m.state.heap[value.oid] = VObject("forward", entry.cls, (key,))
    return key
