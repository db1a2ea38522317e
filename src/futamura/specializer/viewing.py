"""Views of dicts of known shape where only their items count: the items are handed over, and the dict stays as it is.

    max(prices.values())                max((3, x)): `prices` need not be real
    ", ".join(row.keys())               "a, b"
    schema.keys() <= {"a", "b"}         True

Invariant: what is handed over gives the same items in the same order, and who gets it asks for nothing else.
"""

from __future__ import annotations

import math
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.binding import Keywords
from futamura.specializer.containers import dict_pairs, usable_key, view_items
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_METHODS, iterable_items
from futamura.specializer.purity import deep
from futamura.specializer.rules import SPECIAL, site
from futamura.specializer.sets import sorted_elements
from futamura.specializer.state import Frame
from futamura.specializer.taking import items_taken
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["with_items"]

_TAKING: Final = (max, min, sum, set, frozenset, any, all, math.fsum, math.prod)
_METHODS: Final = ((str, "join"), (list, "extend"), (set, "update"), (set, "union"), (set, "difference"))


def with_items(
    m: Machine, frame: Frame, function: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> list[AbstractValue]:
    """The arguments of a call, with the items in place of a view that the callee only iterates over; those of a set, if
    their order makes no difference."""
    if len(args) == 1 and type(args[0]) is Known and type(args[0].value) in (set, frozenset):
        extreme = type(function) is Known and (function.value is max or function.value is min) and not keywords
        found = sorted_elements(m, args[0]) if extreme else None
        return args if found is None else [Known(tuple(found))]
    entry = m.state.object(args[0]) if args else None
    if entry is None or entry.kind != "view":
        return args
    called = m.state.object(function)
    if type(function) is Known:
        alone = len(args) == 1 or not (function.value is max or function.value is min)  # else it is an item itself
        takes = alone and any(function.value is one for one in _TAKING)
    else:
        takes = called is not None and called.kind == "method" and any(
            called.cls is cls and called.extra == name for cls, name in _METHODS
        )  # fmt: skip
    items = view_items(m, frame, entry) if takes else None
    if items is None or len(items) > m.budget.virtual_length:
        return args
    if all(type(item) is Known for item in items):
        age = max((m.state.age(item) for item in items), default=0)
        return [m.known(tuple([item.value for item in items if type(item) is Known]), age), *args[1:]]
    return [m.virtual(VObject("tuple", tuple, items, site=(site(frame), "items"))), *args[1:]]


def _copied(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`copy` of a static list or dict, or of an open list of promised length: a new one, of which all is known."""
    if not args and not keywords and (taken := items_taken(m, target)) is not None:
        return m.virtual(VObject("list", list, taken, site=site(frame)))
    if type(target) is not Known or args or keywords:
        return None
    content = target.value
    if not is_a(content, (list, dict)) or len(content) > m.budget.virtual_length or not m.frozen(content):
        return None
    if isinstance(content, list):
        items = iterable_items(m, target)
        return None if items is None else m.virtual(VObject("list", list, items, site=site(frame)))
    pairs = dict_pairs(m, target)
    if pairs is None or not all(type(key) is Known and usable_key(key) for key, _ in pairs):
        return None
    names = tuple([key.value for key, _ in pairs if type(key) is Known])
    return m.virtual(VObject("dict", dict, tuple([value for _, value in pairs]), names, site(frame)))


KEYWORD_METHODS[list, "copy"] = _copied
KEYWORD_METHODS[dict, "copy"] = _copied

_COMPARE: Final = {
    "eq": frozenset.__eq__, "ne": frozenset.__ne__, "le": frozenset.__le__, "lt": frozenset.__lt__,
    "ge": frozenset.__ge__, "gt": frozenset.__gt__,
}  # fmt: skip


def _compared(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """Views of keys and sets, compared with each other."""
    left, right = (_keys(m, frame, arg) for arg in args)
    if left is None or right is None:
        return None
    return Known(bool(_COMPARE[op.operator.name](left, right)))


def _keys(m: Machine, frame: Frame, value: AbstractValue) -> frozenset[object] | None:
    """The items of a view of keys, or of a set, if all are known; their comparison runs no code of the program."""
    entry = m.state.object(value)
    found: list[object] | None = None
    if entry is not None and entry.kind == "view" and entry.extra == "keys":
        items = view_items(m, frame, entry)
        if items is not None and all(type(item) is Known for item in items):
            found = [item.value for item in items if type(item) is Known]
    elif entry is not None and entry.kind == "set":
        found = list(entry.names)
    elif type(value) is Known and type(value.value) in (set, frozenset):
        if type(value.value) is frozenset or m.frozen(value.value):
            found = list(value.value)  # type: ignore[call-overload]
    return frozenset(found) if found is not None and all(map(deep, found)) else None


for _name in _COMPARE:
    SPECIAL.setdefault(_name, []).insert(0, _compared)
