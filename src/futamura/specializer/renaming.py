"""Attributes that specialized code stores under names which are not known: they may hide methods.

    for name, value in given.items():
        setattr(self, name, value)        what `self.check` is may be anything: it is looked up when the residual runs,
    self.check()                          for this object, or for all objects of its class that may be meant

Invariant: what is stored under a known name says so itself (`World.hides`).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType, ModuleType
from typing import Final

from futamura.ir.classes import is_a
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.own_dicts import only_looked_into
from futamura.specializer.purity import PLAIN_DELETIONS, PLAIN_STORES
from futamura.specializer.rules import exact_type
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual

__all__ = ["SETTERS", "note_call", "note_dict", "note_renamed"]

SETTERS: Final = (setattr, *PLAIN_STORES, vars(type)["__setattr__"])
_DELETERS: Final = (delattr, *PLAIN_DELETIONS, vars(type)["__delattr__"])


def note_renamed(m: Machine, target: AbstractValue) -> None:
    """Any attribute of this object may be stored now."""
    target = m.state.resolve(target)
    entry = m.state.object(target)
    if entry is not None and entry.kind == "super":
        target = m.state.resolve(entry.items[1])
    if type(target) is Known:
        if not is_a(target.value, (type, ModuleType, FunctionType)):
            place = m.world.serial(target.value)
            believed = any(number == place for number, _ in m.read_places)
            _note(m, ("object", place), believed or m.world.is_showing(target.value))
        return
    cls = exact_type(m, target)
    made = type(target) is Virtual or (type(target) is Dynamic and target.shape is not None and target.shape.bare)
    if cls is not None and not issubclass(cls, type):
        believed = m.world.is_showing() or (not made and bool(m.read_places))
        _note(m, ("made" if made else "class", id(cls)), believed)
    elif cls is None and not (type(target) is Dynamic and m.renames.get(target.rv, target.rv) in m.inputs):
        _note(m, ("any", 0), m.world.is_showing() or bool(m.read_places))


def _note(m: Machine, key: tuple[str, int], believed: bool) -> None:
    if key in m.world.renamed:
        return
    m.world.renamed.add(key)
    if believed:
        m.event("FT305", "attributes of an object are stored under names that are not known: any may be another")
        raise Restart("attributes are stored under names that are not known", whole=True)


def note_call(m: Machine, args: Sequence[AbstractValue]) -> None:
    """A call that stays: it may be one of `setattr`, or of what can call that."""
    callee, *given = args
    if type(callee) is Dynamic and callee.rv in m.setters:
        owner = m.setters[callee.rv]
        if type(owner) is Known and is_a(owner.value, type):  # given the object first
            owner, given = (given[0], given[1:]) if given else (owner, given)
        _stores(m, owner, given[0] if given else None)
    elif len(given) > 1 and _is_one(callee, SETTERS):
        _stores(m, given[0], given[1])
    elif len(given) > 1 and _is_one(callee, _DELETERS):
        _stores_on_class(m, given[0], given[1])
    elif any(_is_one(value, SETTERS) or _is_one(value, _DELETERS) for value in given):
        m.stores_on_class(None, None)
        _note(m, ("any", 0), m.world.is_showing() or bool(m.read_places))


def _is_one(value: AbstractValue, functions: Sequence[object]) -> bool:
    return type(value) is Known and any(value.value is one for one in functions)


def _stores(m: Machine, target: AbstractValue, name: AbstractValue | None) -> None:
    if _stores_on_class(m, target, name):
        return
    if type(name) is not Known or type(name.value) is not str:
        note_renamed(m, target)
        return
    owner = target.value if type(target) is Known else None
    if type(target) is not Virtual and m.world.hides(name.value, owner):
        raise Restart(f"attribute {name.value} of an object is stored", whole=True)


def _stores_on_class(m: Machine, target: AbstractValue, name: AbstractValue | None) -> bool:
    """The same, or a deletion, if it is one on a class; True if it is on nothing else."""
    known = name.value if type(name) is Known and type(name.value) is str else None
    cls = exact_type(m, target)
    if type(target) is Known and is_a(target.value, (type, FunctionType)):
        m.stores_on_class(target.value, known)
        return True
    if cls is not None and issubclass(cls, (type, FunctionType)):
        m.stores_on_class(None, known)
        return True
    if cls is None and known is not None:
        m.stores_on_class(None, known)
    return False


def note_dict(m: Machine, frame: Frame, result: int, target: AbstractValue) -> None:
    """`target.__dict__` is read: unless it is only looked into, any attribute may be stored."""
    if not only_looked_into(frame.facts.function, result):
        note_renamed(m, target)
