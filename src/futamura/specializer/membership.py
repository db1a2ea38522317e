"""`in` and `index`: what is known of containers decides them.

    op in {"add", "sub"}      op known                    x in []       nothing is compared
    text not in seen          seen an empty set, text a str: its hash runs no code
    state in self.path        objects whose classes have no `__eq__`: equal is what is the same one

Invariant: only values whose comparison and hash run no code of the program are compared.
"""

from __future__ import annotations

import contextlib
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.dunders import own_class
from futamura.specializer.machine import Machine
from futamura.specializer.memos import is_entry, note_unknown
from futamura.specializer.models import KEYWORD_METHODS, Keywords
from futamura.specializer.plain_copies import plainly
from futamura.specializer.plainness import comparable
from futamura.specializer.purity import CHANGEABLE, class_lookup, deep
from futamura.specializer.rules import SPECIAL, exact_type, sequence_items
from futamura.specializer.selfsame import lookup_key
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject


def _member(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    item, container = lookup_key(m, args[0]), plainly(m, args[1], "__contains__")
    if type(item) is Known and type(container) is Known and m.world.caches.declared(container.value):
        return is_entry(m, container, item, op.operator.name == "in")
    entry = m.state.object(container)
    if entry is not None and _is_surely_empty(m, entry, item):
        return Known(op.operator.name == "not_in")
    if type(item) is not Known or not comparable(item.value):
        at = _place_of(m, item, container)
        if type(item) is Known and at is not None and at >= 0:
            m.validate(item)
        return None if at is None else Known((at >= 0) is (op.operator.name == "in"))
    found: bool | None = None
    if entry is not None and entry.kind in ("dict", "set"):
        with contextlib.suppress(TypeError):
            found = hash(item.value) is not None and item.value in entry.names
    elif entry is not None and entry.kind in ("list", "tuple", "deque"):
        found = _found_among(item.value, entry.items)
    elif type(container) is Known and type(container.value) is tuple:
        found = _found_among(item.value, tuple(Known(x) for x in container.value))
    elif type(container) is Known and (
        type(container.value) is frozenset
        or (type(container.value) in CHANGEABLE and m.frozen(container.value))
        or m.world.growing.reads(container.value, item.value)
    ):
        content = container.value
        assert isinstance(content, (list, dict, set, frozenset))
        if all(comparable(x) for x in content):
            with contextlib.suppress(TypeError):
                found = item.value in content
    if found is None and (at := _place_of(m, item, container)) is not None:
        found = at >= 0
    if found is None:
        note_unknown(m, container, item)
        return None
    if found:
        m.validate(item)
    return Known(found if op.operator.name == "in" else not found)


def _is_surely_empty(m: Machine, entry: VObject, item: AbstractValue) -> bool:
    """Is nothing in this container, and would looking for `item` in it find that out without any code?"""
    if entry.items or entry.names:
        return False
    if entry.kind in ("dict", "set"):
        return exact_type(m, item) in _HASHED
    return entry.kind in ("list", "tuple", "deque")


_MOST: Final = 64
"""In so many items a known one is looked for."""
_IDENTICAL: Final = vars(object)["__eq__"]
_HASHED: Final = (str, int, float, bool, bytes, complex, type(None))
"""Exact classes whose hash is always there."""


def _found_among(value: object, items: tuple[AbstractValue, ...]) -> bool | None:
    """Does `in` find a known value?  Items are compared in order, up to the first one that is it."""
    for item in items:
        if type(item) is not Known or not comparable(item.value):
            return None
        if item.value is value or item.value == value:
            return True
    return False


def _place_of(m: Machine, item: AbstractValue, container: AbstractValue) -> int | None:
    """Where a list or tuple has the first item that is this one, or equal; -1 if nowhere, None if that is not known."""
    held = sequence_items(m, container)
    if held is None or len(held[1]) > _MOST:
        return None
    classes: list[type] = []
    place = -1
    for at, other in enumerate(held[1]):
        same = _is_same(m, m.state.resolve(other), m.state.resolve(item), classes)
        if same is None:
            return None
        if same:
            place = at
            break
    for cls in classes:
        m.assume_attribute(cls, "__eq__", _IDENTICAL)
    return place


def _is_same(m: Machine, one: AbstractValue, other: AbstractValue, classes: list[type]) -> bool | None:
    """Are these the same object, or equal?  `classes` gets those that have to compare as they do now."""
    if type(one) is Virtual and type(other) is Virtual and one.oid == other.oid:
        return True
    if type(one) is Known and type(other) is Known:
        if one.value is other.value:
            return True
        if comparable(one.value) and comparable(other.value):
            return bool(one.value == other.value)
    for value in (one, other):
        cls = own_class(m, value)
        if cls is not None and type(value) is not Dynamic and class_lookup(cls, "__eq__") is _IDENTICAL:
            classes.append(cls)
        elif type(value) is not Known or not deep(value.value):
            return None
    return False


def _index(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`list.index` and `tuple.index` of an object that is there."""
    if len(args) != 1 or keywords or (type(args[0]) is Known and deep(args[0].value)):
        return None
    at = _place_of(m, args[0], target)
    if at is None or at < 0:
        return None
    if type(args[0]) is Known:
        m.validate(args[0])
    return Known(at)


for _kind in (list, tuple):
    KEYWORD_METHODS[_kind, "index"] = _index
SPECIAL.setdefault("in", []).append(_member)
SPECIAL.setdefault("not_in", []).append(_member)
