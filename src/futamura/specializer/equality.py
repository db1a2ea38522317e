"""`==` and `!=` of tuples, lists and dicts whose items are known, as far as the items decide, and of methods.

    (token.kind, "(") == (Kind.OP, "(")      token.kind known      ->    True
    (1, x) == (2, y)                                               ->    False: the first items differ
    {"m": 1} == source.units                               known   ->    True or False
    mode == self.zero_page                                         ->    True or False

Invariant: items are compared in order, as the builtin does: the same object counts as equal, and what is behind the
first pair that differs is not looked at.  A pair of which nothing is known leaves the comparison as it is.
"""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Final, TypeAlias

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.plainness import comparable
from futamura.specializer.purity import deep
from futamura.specializer.rules import SPECIAL, group, sequence_items
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual

__all__: list[str] = []

_DEPTH: Final = 20
_Pairs: TypeAlias = set[tuple[object, object]]
"""Pairs of containers that are equal: in what is small and has very many parts they come again and again."""


def _sequences(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    equal = _equal_items(m, args[0], args[1], _DEPTH, set())
    if equal is None:
        return None
    return Known(equal if op.operator.name == "eq" else not equal)


def _equal_items(m: Machine, left: AbstractValue, right: AbstractValue, depth: int, done: _Pairs) -> bool | None:
    if depth == 0 or not (_has_items(m, left) or _has_items(m, right)):
        return None
    entries, others = _entries(m, left), _entries(m, right)
    if entries is not None and others is not None:
        return _equal_entries(m, entries, others, depth, done)
    first, second = sequence_items(m, left), sequence_items(m, right)
    if first is None or second is None or first[0] is not second[0]:
        return None
    if first[0] is list and len(first[1]) != len(second[1]):
        return False
    for a, b in zip(first[1], second[1], strict=False):
        same = _equal(m, a, b, depth - 1, done)
        if not same:
            return same
    return len(first[1]) == len(second[1])


def _has_items(m: Machine, value: AbstractValue) -> bool:
    """Is this a container that is not compared as a constant?"""
    return m.state.object(value) is not None or (type(value) is Known and type(value.value) in (list, dict))


def _entries(m: Machine, value: AbstractValue) -> dict[object, AbstractValue] | None:
    """The values of an exact dict by its keys, which no code of the program compares."""
    entry = m.state.object(value)
    found: dict[object, AbstractValue] | None
    if entry is not None and entry.kind == "dict" and entry.cls is dict:
        found = dict(zip(entry.names, entry.items))
    elif type(value) is Known and type(value.value) is dict and m.frozen(value.value):
        for item in value.value.values():
            m.world.found(value.value, item)
        found = {key: Known(item) for key, item in value.value.items()} if all(map(deep, value.value)) else None
    else:
        return None
    plain = found is not None and len(found) <= m.budget.virtual_length and all(map(deep, found))
    return found if plain else None


def _equal_entries(
    m: Machine, left: dict[object, AbstractValue], right: dict[object, AbstractValue], depth: int, done: _Pairs
) -> bool | None:
    if len(left) != len(right):
        return False
    for key, value in left.items():
        if key not in right:
            return False
        same = _equal(m, value, right[key], depth - 1, done)
        if not same:
            return same
    return True


def _equal(m: Machine, left: AbstractValue, right: AbstractValue, depth: int, done: _Pairs) -> bool | None:
    """Are two items the same object, or equal?"""
    left, right = m.state.resolve(left), m.state.resolve(right)
    if type(left) is Virtual and type(right) is Virtual and left.oid == right.oid:
        return True
    if type(left) is Dynamic and type(right) is Dynamic and left.rv == right.rv:
        return True
    if type(left) is Known and type(right) is Known and not (_has_items(m, left) and _has_items(m, right)):
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
    pair = (_identity(left), _identity(right))
    if pair in done:
        return True
    found_equal = _equal_items(m, left, right, depth, done)
    if found_equal:
        done.add(pair)
    return found_equal


def _identity(value: AbstractValue) -> object:
    return value.oid if type(value) is Virtual else ("constant", id(value.value)) if type(value) is Known else value


def _unordered(value: object) -> bool:
    """Is this, or holds it, a number that does not equal itself?"""
    if is_a(value, (tuple, frozenset)):
        return any(_unordered(item) for item in value)
    return type(value) in (float, complex) and value != value


def _methods(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """Methods are equal that are of one function and one object."""
    equal = _equal_methods(m, args[0], args[1])
    return None if equal is None else Known(equal if op.operator.name == "eq" else not equal)


def _method_among(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`mode in (self.absolute, self.indirect)`"""
    among = sequence_items(m, args[1]) if _method(m, args[0]) is not None else None
    answers = [None] if among is None else [_equal_methods(m, args[0], item) for item in among[1]]
    return None if None in answers else Known((True in answers) is (op.operator.name == "in"))


def _equal_methods(m: Machine, first: AbstractValue, second: AbstractValue) -> bool | None:
    left, right = _method(m, first), _method(m, second)
    if left is None or right is None:
        return None
    if left[0] is not right[0]:
        return False
    one, other = left[1], right[1]
    if type(one) is Virtual and type(other) is Virtual:
        return one.oid == other.oid
    if type(one) is Known and type(other) is Known:
        same = one.value is other.value
        return None if not same and deep(one.value) else same  # of equal constants, which is which is not known
    return None if Dynamic in (type(one), type(other)) else False


def _method(m: Machine, value: AbstractValue) -> tuple[FunctionType, AbstractValue] | None:
    """The function and the object of a bound method."""
    if type(value) is Known and type(value.value) is MethodType and type(value.value.__func__) is FunctionType:
        return value.value.__func__, Known(value.value.__self__)
    entry = m.state.object(value)
    if entry is None or entry.kind != "bound":
        return None
    function, target = entry.items
    is_plain = type(function) is Known and type(function.value) is FunctionType
    return (function.value, m.state.resolve(target)) if is_plain else None  # type: ignore[union-attr,return-value]


for _name in ("eq", "ne"):
    SPECIAL[_name][:0] = [_sequences, _methods]
for _name in ("in", "not_in"):
    SPECIAL[_name].insert(0, _method_among)
