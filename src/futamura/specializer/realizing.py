"""Virtual objects that hold nothing but static values, made into real ones while the residual is made.

    heap[3] = VObject("dict", ..., (Known(int), Virtual(4)), ("x", "y"))      ->      {"x": int, "y": [1, 2]}
    heap[4] = VObject("list", ..., (Known(1), Known(2)))

Only for what nobody else than the residual sees, and what is not written any more: the entry of a declared cache.

Invariant: making them runs no code of the program, nor does it when they are dropped.
"""

from __future__ import annotations

import sys
from types import FunctionType, MemberDescriptorType, MethodType
from typing import NamedTuple

from futamura.specializer.plainness import WITH_BUILTIN_METHODS
from futamura.specializer.purity import HEAP_TYPE, MISSING, can_be_written, class_lookup, own_attributes, plain_lookup
from futamura.specializer.state import State
from futamura.specializer.values import HELD, OF_SUPER, AbstractValue, Known, Virtual, VObject

__all__ = ["Real", "forward_to", "realized"]


class Real(NamedTuple):
    """The real object, and those that were made on the way, by the virtual ones that they stand for."""

    value: object
    made: dict[int, object]

    def can_be_changed(self) -> bool:
        """Is there one among those that were made that somebody could write to?"""
        return any(map(can_be_written, self.made.values()))


def realized(state: State, value: AbstractValue) -> Real | None:
    """The object that `value` is in every run; None if it holds anything that differs, or cannot be made."""
    value = state.resolve(value)
    if type(value) is Known:
        return Real(value.value, {})
    parts = [part for part in state.leaves(value) if type(part) is not Virtual]
    if type(value) is not Virtual or not all(type(part) is Known for part in parts):
        return None
    made: dict[int, object] = {}
    order = _in_order(state, value)
    if order is None:
        return None
    for oid in order:
        empty = _empty(state.heap[oid])
        if empty is MISSING:
            return None
        made[oid] = empty
    for oid in order:  # a tuple is made of what it holds, so what it holds comes first; all else is filled at the end
        if state.heap[oid].kind == "tuple":
            made[oid] = tuple([_content(state, made, item) for item in state.heap[oid].items])
    for oid in order:
        if not _fill(state, made, oid):
            return None
    return Real(made[value.oid], made)


def forward_to(state: State, real: Real) -> None:
    """From here on the virtual objects are the real ones."""
    for oid, value in real.made.items():
        state.heap[oid] = VObject("forward", type(value), (Known(value),))


def _in_order(state: State, value: Virtual) -> list[int] | None:
    """The virtual objects that `value` reaches, a tuple behind the tuples that it holds; None if one holds itself."""
    order: list[int] = []
    done: set[int] = set()
    open_tuples: set[int] = set()
    work: list[tuple[int, bool]] = [(value.oid, False)]
    while work:
        oid, left = work.pop()
        if left:
            open_tuples.discard(oid)
            order.append(oid)
            continue
        if oid in done:
            if oid in open_tuples:
                return None
            continue
        done.add(oid)
        if state.heap[oid].kind == "tuple":
            open_tuples.add(oid)
        work.append((oid, True))
        for item in state.heap[oid].items:
            inner = state.resolve(item)
            if type(inner) is Virtual:
                work.append((inner.oid, False))
    return order


def _empty(entry: VObject) -> object:
    """A new object of this kind; MISSING if it has another kind than these."""
    if entry.kind in ("list", "dict", "set", "tuple"):
        kind: type = {"list": list, "dict": dict, "set": set, "tuple": tuple}[entry.kind]
        return kind() if entry.cls is kind and entry.extra is None else MISSING
    if entry.kind == "bound":
        function, owner = (item.value if type(item) is Known else MISSING for item in entry.items)
        plain = type(function) is FunctionType and owner is not MISSING
        return MethodType(function, owner) if plain else MISSING  # type: ignore[arg-type]
    if entry.kind == "method" and entry.names != OF_SUPER and type(entry.items[0]) is Known:
        owner = entry.items[0].value
        builtin = type(owner) in WITH_BUILTIN_METHODS
        return getattr(owner, str(entry.extra)) if builtin else MISSING
    if entry.kind != "instance" or HELD in entry.names or not _is_plain(entry.cls):
        return MISSING
    try:
        return object.__new__(entry.cls)
    except TypeError:
        return MISSING


def _is_plain(cls: type) -> bool:
    """Do its instances hold attributes as the default rules say, and run no code when they end?"""
    own = cls.__flags__ & HEAP_TYPE and not issubclass(cls, (type, BaseException)) and plain_lookup(cls)
    return bool(own) and class_lookup(cls, "__del__") is MISSING


def _content(state: State, made: dict[int, object], item: AbstractValue) -> object:
    item = state.resolve(item)
    if type(item) is Virtual:
        return made[item.oid]
    assert type(item) is Known
    return item.value


def _fill(state: State, made: dict[int, object], oid: int) -> bool:
    entry, target = state.heap[oid], made[oid]
    items = [_content(state, made, item) for item in entry.items]
    if isinstance(target, list):
        target.extend(items)
    elif isinstance(target, dict):
        target.update(zip(entry.names, items))
    elif isinstance(target, set):
        target.update(entry.names)
    elif entry.kind == "instance":
        return all(_store(target, str(name), item) for name, item in zip(entry.names, items))
    return True


def _store(target: object, name: str, value: object) -> bool:
    """Put an attribute where the default rules put it."""
    slot = class_lookup(type(target), name)
    if type(slot) is MemberDescriptorType:
        slot.__set__(target, value)
        return True
    attributes = own_attributes(target)
    if attributes is None:
        return False
    attributes[sys.intern(name)] = value
    return True
