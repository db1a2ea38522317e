"""Descriptors of the program's own classes: the code that runs where an attribute is read, stored or deleted.

    class Bits:                                                    class Word: low = Bits(4)
        def __get__(self, word, owner=None): ...                   Word(w).low        `__get__` in line
        def __set__(self, word, value): ...                        Word(w).low = 3    `__set__` in line

What the descriptor holds is believed as what a global object holds is: compared when the residual is called.

Invariant: Python's order is kept.  What has `__set__` or `__delete__` comes before what the object itself has, all else
behind; that a class has these methods, or has them not, is an assumption.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from types import FunctionType, MemberDescriptorType, MethodDescriptorType, WrapperDescriptorType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.calls import call_value, enter
from futamura.specializer.machine import Machine
from futamura.specializer.purity import HEAP_TYPE, MISSING, class_lookup
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known
from futamura.specializer.world import Member

__all__ = [
    "assume_order", "assume_unread", "enter_deleter", "enter_getter", "enter_property_or_answer", "enter_setter",
    "enter_storing", "is_always_there", "is_described", "is_seen_through", "is_slot", "may_fail", "reads",
]  # fmt: skip

_STORING: Final = ("__set__", "__delete__")
_METHODS: Final = ("__get__", *_STORING)


def is_described(found: object) -> bool:
    """Has the class of this class attribute code of the program that decides about the attribute?"""
    kind = type(found)
    if not kind.__flags__ & HEAP_TYPE or kind.__module__.partition(".")[0] in sys.stdlib_module_names:
        return False
    methods = [class_lookup(kind, name) for name in _METHODS]
    return any(method is not MISSING and type(method) is not WrapperDescriptorType for method in methods)


def reads(found: object) -> bool:
    """Is what reading gives something else than this class attribute itself?"""
    return class_lookup(type(found), "__get__") is not MISSING


def may_fail(found: object) -> bool:
    """Does reading this class attribute run code of the program, which may say that there is none?"""
    return is_described(found) and reads(found)


def assume_order(m: Machine, found: object) -> None:
    """That Python asks this descriptor before what the object itself has, or that it does not."""
    kind = type(found)
    first = next((name for name in _STORING if class_lookup(kind, name) is not MISSING), None)
    for name in _STORING if first is None else (first,):
        m.assume_attribute(kind, name, class_lookup(kind, name))


def assume_unread(m: Machine, found: object) -> None:
    """That reading this descriptor gives itself."""
    m.assume_attribute(type(found), "__get__", MISSING)


def enter_getter(
    m: Machine,
    frame: Frame,
    op: Operation,
    holder: type,
    name: str,
    found: object,
    instance: AbstractValue,
    owner: AbstractValue,
) -> bool:
    """Read `found`, which `holder` has under `name`, through its `__get__`."""
    method = _method(m, holder, name, found, "__get__")
    if method is None:
        return False
    _assume(m, holder, name, found, "__get__", method)
    call_value(m, frame, op, Known(method), [Known(found), instance, owner], [])
    return True


def is_always_there(found: object) -> bool:
    """Does reading an attribute that the class has as this never fail, so that nobody asks `__getattr__`?"""
    if found is MISSING:
        return False
    bound = (FunctionType, MethodDescriptorType, staticmethod, classmethod)
    return type(found) in bound or not hasattr(type(found), "__get__")


def is_slot(found: object) -> bool:
    """Is this a place that `__slots__` of a class has made?  What C code keeps may be None where nothing was stored."""
    return type(found) is MemberDescriptorType and "__slots__" in found.__objclass__.__dict__


def enter_property_or_answer(
    m: Machine, frame: Frame, op: Operation, member: Member, target: AbstractValue, name: str
) -> bool:
    """Enter a property of a class with a `__getattr__`, which is asked if the property raises an AttributeError."""
    found, answer = member.found, class_lookup(member.cls, "__getattr__")
    if not is_a(found, property) or type(found.fget) is not FunctionType or type(answer) is not FunctionType:
        return False
    if member.stored or m.world.is_stored(member.cls, name) or m.world.is_stored(member.cls, "__getattr__"):
        return False
    m.assume_attribute(member.cls, name, found)
    m.assume_attribute(member.cls, "__getattr__", answer)
    return enter(m, frame, op, library.property_or_answer, [Known(found.fget), Known(answer), target, Known(name)])


def enter_storing(m: Machine, frame: Frame, op: Operation, cls: type, given: list[AbstractValue]) -> bool:
    """Enter a `__setattr__` written in Python, of the class of an object that the code makes: object, name, value."""
    method = class_lookup(cls, "__setattr__")
    if type(method) is not FunctionType or m.state.object(given[0]) is None or m.world.is_stored(cls, "__setattr__"):
        return False
    if issubclass(cls, type) or method.__code__.co_filename.startswith("<") or m.resolve(method) is None:
        return False  # that of a frozen dataclass has no source, and only raises
    m.assume_attribute(cls, "__setattr__", method)
    call_value(m, frame, op, Known(method), given, [])
    return True


def enter_setter(
    m: Machine, frame: Frame, op: Operation, holder: type, name: str, target: AbstractValue, value: AbstractValue
) -> bool:
    """Store an attribute by the `__set__` of what its class has under `name`."""
    found = class_lookup(holder, name)
    method = _method(m, holder, name, found, "__set__")
    if method is None:
        return False
    _assume(m, holder, name, found, "__set__", method)
    return enter(m, frame, op, library.set_by, [Known(method), Known(found), target, value])


def enter_deleter(m: Machine, frame: Frame, op: Operation, holder: type, name: str, target: AbstractValue) -> bool:
    """Delete an attribute by the `__delete__` of what its class has under `name`."""
    found = class_lookup(holder, name)
    method = _method(m, holder, name, found, "__delete__")
    if method is None:
        return False
    _assume(m, holder, name, found, "__delete__", method)
    return enter(m, frame, op, library.deleted_by, [Known(method), Known(found), target])


def _method(m: Machine, holder: type, name: str, found: object, which: str) -> FunctionType | None:
    """The method of a descriptor, if it is a function that can be read and nothing in sight binds it anew."""
    kind = type(found)
    method = class_lookup(kind, which)
    if type(kind) not in (type, ABCMeta) or not is_a(method, FunctionType) or not is_described(found):
        return None
    if m.world.may_be_stored(holder, name) or any(m.world.may_be_stored(kind, one) for one in _METHODS):
        return None
    return method if m.resolve(method) is not None else None


def _assume(m: Machine, holder: type, name: str, found: object, which: str, method: FunctionType) -> None:
    m.assume_attribute(holder, name, found)
    m.assume_attribute(type(found), which, method)
    m.world.found_in_class(holder, name, found)


def is_seen_through(m: Machine, value: object, found: object, name: str) -> bool:
    """Has this static object no attribute of its own in front of what its class has?  A store of one starts again.

    That unknown code puts a function in front of a method while the residual runs is not expected; data may be hidden
    by whoever has it.
    """
    m.read_places.add((m.world.serial(value), name))
    if m.world.is_renamed(type(value), value):
        return False
    if m.world.objects.compares(value):
        if m.world.objects.lacks(value, name):
            return True
        if why := m.world.objects.why_not(value, name):
            m.event("FT306", *why)
    elif m.world.contents(value):
        return m.world.objects.is_bare(value, name)
    return type(found) in (FunctionType, staticmethod, classmethod) and m.world.lacks(value, name)
