"""Static objects of classes that extend `list`, `dict`, `tuple` or `set`: what they inherit reads a plain copy.

    class Pipeline(list):                              Pipeline([("add", 1), ("mul", 2)]) as `self`:
        def apply(self, x):                            the loop goes over [("add", 1), ("mul", 2)]
            for op, k in self: ...

A copy stands for the object only while code is specialized: where it has to exist at run time, that is the object.
A copied set may have its elements in another order: nobody iterates over it.  Parts of what an object keeps, which
have no name in a residual, are asked by way of copies, too (`to_ask`).  Of a read-only view (`MappingProxyType(table)`)
the dict behind it is read, but for that of a class.

Invariant: only what the class has of its builtin base is done to the copy, and that it has is an assumption; the copy
holds what the object holds as long as that is believed, and no code of the program runs to make it.
"""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

from futamura.specializer.machine import Machine
from futamura.specializer.plainness import is_record
from futamura.specializer.purity import HEAP_TYPE, MISSING, class_lookup, deep, own_attribute
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["asked_instead", "method_of_copy", "plainly", "to_ask"]

_COPIES: Final[dict[type, Callable[[Any], Any]]] = {
    list: lambda value: [*list.__iter__(value)],
    dict: lambda value: dict(zip(dict.keys(value), dict.values(value))),
    tuple: lambda value: (*tuple.__iter__(value),),
    set: lambda value: {*set.__iter__(value)},
}
_READING: Final[dict[type, frozenset[str]]] = {
    list: frozenset({"index", "count", "copy"}),
    dict: frozenset({"get", "items", "keys", "values", "copy"}),
    tuple: frozenset({"index", "count"}),
    set: frozenset({"isdisjoint", "issubset", "issuperset", "union", "intersection", "difference", "copy"}),
}
"""Methods that look at nothing but what the base holds, and change nothing."""


def _base_of(cls: type) -> type | None:
    """The builtin container that a class of the program extends, if that is its only builtin base."""
    if not cls.__flags__ & HEAP_TYPE or is_record(cls):
        return None
    bases = [base for base in cls.__mro__[:-1] if not base.__flags__ & HEAP_TYPE]
    return bases[0] if len(bases) == 1 and bases[0] in _COPIES else None


def plainly(m: Machine, value: AbstractValue, *names: str) -> AbstractValue:
    """The copy, if the class has all of these methods of its base (or, like it, does not have them); else `value`."""
    if type(value) is not Known:
        return value
    cls = type(value.value)
    if cls is MappingProxyType:
        return _of_view(m, value)
    base = _base_of(cls) if cls.__flags__ & HEAP_TYPE else None
    if "__getitem__" in names and base is dict:
        names = (*names, "__missing__")  # `dict` has none, and asks for it
    if base is None or not all(class_lookup(cls, name) is class_lookup(base, name) for name in names):
        return value
    if base is not tuple and not m.frozen(value.value):
        return value
    copy = _copy_of(m, value.value, base)
    if base is not tuple and not m.frozen(copy):  # somebody got it
        m.escape(value)
        return value
    for name in names:
        m.assume_attribute(cls, name, class_lookup(cls, name))
    return m.known(copy, m.state.age(value))


def _of_view(m: Machine, value: Known) -> AbstractValue:
    """The dict that a view is of, or a plain copy; `value` if that is none, or the namespace of a class, in which there
    is a text about it in any case."""
    table = gc.get_referents(value.value)[0]
    if type(table) not in (dict, OrderedDict) or not m.world.plainly_keyed(table) or "__doc__" in table:
        return value
    if not m.frozen(value.value):
        return value
    m.reads(value.value, table)
    if not m.frozen(table):
        return value
    if type(table) is dict:
        return m.known(table, m.state.age(value))
    copy = _copy_of(m, value.value, dict, table)
    if not m.frozen(copy):  # somebody got it
        m.escape(value)
        return value
    return m.known(copy, m.state.age(value))


def method_of_copy(m: Machine, target: Known, name: str, site: object) -> AbstractValue | None:
    """The method of the copy, if it reads only, and the object has no such attribute of its own."""
    if type(target.value) is MappingProxyType:
        viewed = plainly(m, target) if name in _READING[dict] else target
        return None if viewed is target else m.virtual(VObject("method", dict, (viewed,), site=site, extra=name))
    base = _base_of(type(target.value)) if type(target.value).__flags__ & HEAP_TYPE else None
    if base is None or name not in _READING[base] or own_attribute(target.value, name) is not MISSING:
        return None
    place = (m.world.serial(target.value), name)
    if place in m.world.written or place in m.state.overlays or m.world.is_stored(type(target.value), name):
        return None
    m.read_places.add(place)
    copy = plainly(m, target, name, "__getattribute__", "__iter__", "__len__", "__getitem__")
    return None if copy is target else m.virtual(VObject("method", base, (copy,), site=site, extra=name))


def _copy_of(m: Machine, value: object, base: type, table: object = MISSING) -> object:
    found = m.kept.copies.get(id(value))
    if found is None:
        copy = _COPIES[base](value if table is MISSING else table)
        for item in (*dict.keys(copy), *dict.values(copy)) if base is dict else copy:
            m.reads(value if table is MISSING else table, item)
        m.world.freeze(copy)
        found = m.kept.copies[id(value)] = (copy, value)
        m.kept.reads[id(copy)] = lambda: m.lift(Known(value))
    return found[0]


def asked_instead(part: object) -> object:
    """A constant with the same plain items, which `in` and `[...]` may be asked of; None if there is none."""
    if type(part) is dict:
        return dict(part) if all(map(deep, (*part.keys(), *part.values()))) else None
    if type(part) is list or type(part) is set:
        return (list if type(part) is list else frozenset)(part) if all(map(deep, part)) else None
    return None


def to_ask(m: Machine, value: AbstractValue) -> AbstractValue:
    """That constant, of a part of what an object keeps: the part itself has no name."""
    part, instead = m.kept.parts.get(id(value.value), (None, None)) if type(value) is Known else (None, None)
    return value if instead is None or not m.frozen(part) else m.known(instead, m.state.age(value))
