"""Attributes that are read, and those that an object is known not to have.

    try: text = value.__html__              value an instance of a class without one, which nobody stores there:
    except AttributeError: text = value     ->    text = value

Invariant: only default rules of access say that there is no attribute, under assumptions; the exception is made only
where a handler catches it, and where it has to be a real one, the attribute is asked for when the residual runs.
"""

from __future__ import annotations

import enum
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.attributes import CALLED, load_attribute
from futamura.specializer.describing import is_dunder, origin_of
from futamura.specializer.emitting import LACKING
from futamura.specializer.machine import Machine
from futamura.specializer.purity import (
    HEAP_TYPE,
    MISSING,
    class_lookup,
    keeps_attributes,
    plain_reads,
    stored_attribute,
)
from futamura.specializer.raising import raise_value
from futamura.specializer.restoring import store_what_is_read
from futamura.specializer.rules import exact_type, rule, site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, VObject

__all__ = ["lacks", "raised", "read"]

_IMMUTABLE_TYPE: Final = 1 << 8
"""The flag of classes that nobody can add attributes to."""
_BARE: Final = frozenset(
    {bool, bytearray, bytes, complex, dict, float, frozenset, int, list, range, set, slice, str, tuple, type(None)}
)
"""Classes whose objects have what the class has, and nothing else."""
_MEMBERS: Final = enum.EnumMeta.__dict__.get("__getattr__", MISSING)
"""What enumerations answer for their members' names, and for no name that Python uses, up to Python 3.11."""
_LONGEST_NAME: Final = 100
"""Of a longer name of a class, errors show a part."""


@rule("getattr")
def load(m: Machine, frame: Frame, op: Operation) -> None:
    assert isinstance(op.attr, str)
    target = m.get(frame, op.args[0])
    result = load_attribute(m, frame, op, target, op.attr)
    if result is CALLED or (result is None and raised(m, frame, target, op.attr)):
        return
    if result is None:
        result = read(m, target, op.attr, frame.facts.function.hints[op.results[0]])
    else:
        m.folded += 1
    assert not isinstance(result, str)
    m.set(frame, op, result)


def read(m: Machine, target: AbstractValue, name: str, hint: str | None = None) -> Dynamic:
    """An attribute that the residual program reads."""
    store_what_is_read(m, m.world, target, name)
    found = m.world.annotated_as(exact_type(m, target), name)
    if found is None:
        made = m.emit("getattr", (target,), name, hint=hint)
        if name in ("__setattr__", "__delattr__"):
            m.setters[made.rv] = target
        return made
    made = m.emit("getattr", (target,), name, hint=hint, type=found.type)
    return Dynamic(made.rv, found.type, found.shape, found.classes)


def raised(m: Machine, frame: Frame, target: AbstractValue, name: str) -> bool:
    """Is there no such attribute, and has the exception been raised, for a handler to catch?"""
    if m.patient or m.catching_frame() is None or site(frame) in m.refused:
        return False
    cls = exact_type(m, target)
    of_class = type(target) is Known and is_a(target.value, type)
    named = target.value if of_class and type(target) is Known else cls
    if not isinstance(named, type) or not named.__flags__ & HEAP_TYPE:
        return False
    shown = named.__name__
    if not (shown.isascii() and len(shown) <= _LONGEST_NAME) or not lacks(m, target, name):
        return False
    what = f"type object '{shown}'" if of_class else f"'{shown}' object"
    text = f"{what} has no attribute '{name}'"
    m.folded += 1
    raise_value(m, m.virtual(VObject("exception", AttributeError, (Known(text),), site=site(frame), extra=LACKING)))
    return True


def lacks(m: Machine, target: AbstractValue, name: str) -> bool:
    """Is it known that an object has no such attribute?"""
    cls = exact_type(m, target)
    if cls is None or class_lookup(cls, name) is not MISSING:
        return False
    if type(target) is Known and is_a(target.value, type):
        return _missing_in_class(m, target.value, name)
    if type(target) is Known and (origin := origin_of(target.value, name)) is not None:
        return origin is MISSING or lacks(m, Known(origin), name)
    if cls in _BARE:
        return True
    if not plain_reads(cls):
        return False
    if isinstance(target, Dynamic) and cls.__dictoffset__:
        return False
    if m.world.may_be_stored(cls, name):
        return False
    for what in (name, "__getattr__"):
        m.assume_attribute(cls, what, MISSING)
    if not cls.__dictoffset__:
        return True
    entry = m.state.object(target)
    if entry is not None:
        return entry.kind == "instance" and name not in entry.names
    assert type(target) is Known
    value = target.value
    if not m.world.is_frozen(value):
        return False
    place = (m.world.serial(value), name)
    stored = stored_attribute(value, name) is not MISSING
    if place in m.world.written or not keeps_attributes(value) or stored or not m.world.contents(value):
        return False
    if not m.world.objects.is_bare(value, name):
        return False
    m.read_places.add(place)
    return True


def _missing_in_class(m: Machine, cls: type, name: str) -> bool:
    """Has neither the class such an attribute, nor what its own class would answer for it?"""
    meta = type(cls)
    if class_lookup(cls, name) is not MISSING or m.world.may_be_stored(cls, name):
        return False
    if class_lookup(meta, "__getattribute__") is not type.__dict__["__getattribute__"]:
        return False
    answers = class_lookup(meta, "__getattr__")
    if answers is not MISSING and not (answers is _MEMBERS and is_dunder(name)):
        return False
    for owner, what in ((cls, name), (meta, name), (meta, "__getattr__")):
        if not owner.__flags__ & _IMMUTABLE_TYPE:
            m.assume_attribute(owner, what, class_lookup(owner, what))
    return True
