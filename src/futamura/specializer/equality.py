"""`==` and `!=` of tuples and lists whose items are known, as far as the items decide.

    (token.kind, "(") == (Kind.OP, "(")      token.kind known      ->    True
    (1, x) == (2, y)                                               ->    False: the first items differ

Invariant: items are compared in order, as the builtin does: the same object counts as equal, and what is behind the
first pair that differs is not looked at.  A pair of which nothing is known leaves the comparison as it is.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.plainness import comparable
from futamura.specializer.rules import SPECIAL, group, sequence_items
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual

__all__: list[str] = []

_DEPTH: Final = 20


def _sequences(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    equal = _equal_items(m, args[0], args[1], _DEPTH)
    if equal is None:
        return None
    return Known(equal if op.operator.name == "eq" else not equal)


def _equal_items(m: Machine, left: AbstractValue, right: AbstractValue, depth: int) -> bool | None:
    if depth == 0 or (m.state.object(left) is None and m.state.object(right) is None):
        return None
    first, second = sequence_items(m, left), sequence_items(m, right)
    if first is None or second is None or first[0] is not second[0]:
        return None
    if first[0] is list and len(first[1]) != len(second[1]):
        return False
    for a, b in zip(first[1], second[1], strict=False):
        same = _equal(m, a, b, depth - 1)
        if not same:
            return same
    return len(first[1]) == len(second[1])


def _equal(m: Machine, left: AbstractValue, right: AbstractValue, depth: int) -> bool | None:
    """Are two items the same object, or equal?"""
    left, right = m.state.resolve(left), m.state.resolve(right)
    if type(left) is Virtual and type(right) is Virtual and left.oid == right.oid:
        return True
    if type(left) is Dynamic and type(right) is Dynamic and left.rv == right.rv:
        return True
    if type(left) is Known and type(right) is Known:
        values = (left.value, right.value)
        if not all(comparable(value) and not _unordered(value) for value in values):
            return None
        found = bool(values[0] == values[1])
        if found:
            m.validate(left)
            m.validate(right)
        return found
    kinds = group(m, left), group(m, right)
    if None not in kinds and kinds[0] != kinds[1]:
        return False
    return _equal_items(m, left, right, depth)


def _unordered(value: object) -> bool:
    """Is this, or holds it, a number that does not equal itself?"""
    if isinstance(value, (tuple, frozenset)):
        return any(_unordered(item) for item in value)
    return type(value) in (float, complex) and value != value


for _name in ("eq", "ne"):
    SPECIAL[_name].insert(0, _sequences)
