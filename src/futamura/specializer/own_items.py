"""Items of the `__dict__` of an object that the residual makes itself (`own_dicts`).

    word.__dict__["low"]                word virtual, without it       ->      KeyError
    word.__dict__.get("low", 0)                                                0

Invariant: an attribute that lies in a slot is no item, and an item that has a slot's name is left to run time.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MemberDescriptorType

from futamura.ir.graph import Operation
from futamura.specializer.failing import missing_key
from futamura.specializer.inherited import first
from futamura.specializer.machine import Machine
from futamura.specializer.models import METHODS
from futamura.specializer.own_dicts import OWN_DICT, owner_of
from futamura.specializer.purity import class_lookup, is_data
from futamura.specializer.raising import raise_value
from futamura.specializer.rules import OPERATOR_CALLS
from futamura.specializer.splats import is_writable_name
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Known, Virtual, VObject

__all__: list[str] = []


def _place(m: Machine, space: AbstractValue, key: AbstractValue) -> tuple[Virtual, VObject, str] | None:
    """The instance, what it has, and the attribute that this key names; None if this is no such dict, or not known."""
    entry = m.state.object(space)
    if entry is None or entry.kind != OWN_DICT or type(key) is not Known or type(key.value) is not str:
        return None
    owner, held = owner_of(m, entry)
    name = key.value
    above = class_lookup(held.cls, name)
    if not is_writable_name(name) or type(above) is MemberDescriptorType or m.world.may_be_stored(held.cls, name):
        return None
    if not is_data(above):
        m.assume_attribute(held.cls, name, above)
    m.versions.note_read(held.cls)
    m.validate(key)
    return owner, held, name


def _item(found: tuple[Virtual, VObject, str]) -> AbstractValue | None:
    _, held, name = found
    return held.items[held.names.index(name)] if name in held.names else None


def _put(m: Machine, found: tuple[Virtual, VObject, str], value: AbstractValue) -> None:
    owner, held, name = found
    if name in held.names:
        at = held.names.index(name)
        m.state.heap[owner.oid] = held.with_items((*held.items[:at], value, *held.items[at + 1 :]))
    else:
        m.state.heap[owner.oid] = held._replace(names=(*held.names, name), items=(*held.items, value))
    m.hint(value, name, owner.oid)


def _drop(m: Machine, found: tuple[Virtual, VObject, str]) -> None:
    owner, held, name = found
    at = held.names.index(name)
    names, items = (*held.names[:at], *held.names[at + 1 :]), (*held.items[:at], *held.items[at + 1 :])
    m.state.heap[owner.oid] = held._replace(names=names, items=items)


# -- operators


def _get_item(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    found = _place(m, *args)
    if found is None:
        return False
    item = _item(found)
    missing = missing_key(m, found[2]) if item is None else None
    if item is None and missing is None:
        return False
    m.folded += 1
    if missing is not None:
        raise_value(m, missing)
    elif item is not None:
        m.set(frame, op, item)
    return True


def _set_item(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    value, space, key = args
    found = _place(m, space, key)
    if found is not None:
        _put(m, found, value)
    return found is not None


def _delete_item(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    found = _place(m, *args)
    if found is None:
        return False
    missing = missing_key(m, found[2]) if _item(found) is None else None
    if missing is not None:
        raise_value(m, missing)
    elif _item(found) is None:
        return False
    else:
        _drop(m, found)
    return True


def _member(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    item, space = args
    found = _place(m, space, item)
    if found is None:
        return False
    m.folded += 1
    m.set(frame, op, Known((_item(found) is not None) is (op.operator.name == "in")))
    return True


# -- methods


def _method(name: str) -> Callable[..., AbstractValue | None]:
    def model(
        m: Machine, frame: Frame, op: Operation, target: Virtual, entry: VObject, args: list[AbstractValue]
    ) -> AbstractValue | None:
        found = _place(m, target, args[0]) if 1 <= len(args) <= 2 else None
        if found is None:
            return None
        item = _item(found)
        if item is not None:
            if name == "pop":
                _drop(m, found)
            return item
        if name == "pop" and len(args) == 1:
            return None
        default = args[1] if len(args) == 2 else NONE
        if name == "setdefault":
            _put(m, found, default)
        return default

    return model


for _name in ("get", "pop", "setdefault"):
    METHODS[OWN_DICT, _name] = _method(_name)
for _name, _operator in (
    ("getitem", _get_item), ("setitem", _set_item), ("delitem", _delete_item), ("in", _member), ("not_in", _member)
):  # fmt: skip
    OPERATOR_CALLS[_name] = first(_operator, OPERATOR_CALLS[_name])
