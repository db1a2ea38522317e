"""`in`: what is known of containers decides it.

    op in {"add", "sub"}      op known                    x in []       nothing is compared
    text not in seen          seen an empty set, text a str: its hash runs no code

Invariant: only values whose comparison and hash run no code of the program are compared.
"""

from __future__ import annotations

import contextlib
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.memos import is_entry, note_unknown
from futamura.specializer.plainness import comparable
from futamura.specializer.purity import CHANGEABLE
from futamura.specializer.rules import SPECIAL, exact_type
from futamura.specializer.selfsame import lookup_key
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject


def _member(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    item, container = lookup_key(m, args[0]), args[1]
    if type(item) is Known and type(container) is Known and m.world.caches.declared(container.value):
        return is_entry(m, container, item, op.operator.name == "in")
    entry = m.state.object(container)
    if entry is not None and _is_surely_empty(m, entry, item):
        return Known(op.operator.name == "not_in")
    if type(item) is not Known or not comparable(item.value):
        return None
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


SPECIAL.setdefault("in", []).append(_member)
SPECIAL.setdefault("not_in", []).append(_member)
