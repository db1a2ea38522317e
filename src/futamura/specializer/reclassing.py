"""Objects that become objects of another class.

    row.__class__ = Closed      ->      a virtual instance of `Closed` from there on, with the same attributes

Invariant: only where Python allows it, and where nobody else has the object.
"""

from __future__ import annotations

from futamura.ir.classes import is_a
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.purity import HEAP_TYPE, class_lookup
from futamura.specializer.values import AbstractValue, Known, Virtual

__all__ = ["store_class"]


def store_class(m: Machine, value: AbstractValue, target: AbstractValue, cls: type | None) -> None:
    """`target.__class__ = value`: an object that only this code has is one of the other class from now on."""
    entry = m.state.object(target)
    alone = entry is not None and entry.kind == "instance" and type(target) is Virtual
    if not alone or cls is None or class_lookup(cls, "__setattr__") is not vars(object)["__setattr__"]:
        raise Unsupported("the class of an object is changed", m.span, whole=True)
    if type(value) is not Known or not _may_become(cls, value.value):
        raise Unsupported("the class of an object is changed", m.span, whole=True)
    assert entry is not None and isinstance(target, Virtual) and isinstance(value.value, type)
    m.state.heap[target.oid] = entry._replace(cls=value.value)


def _may_become(cls: type, other: object) -> bool:
    """Does Python let a plain object of `cls` become one of `other`, and is it as plain?"""
    if not is_a(other, type):
        return False
    assert isinstance(other, type)
    plain = all(
        one.__flags__ & HEAP_TYPE
        and type(one) is type
        and one.__dictoffset__
        and one.__basicsize__ == other.__basicsize__
        and one.__mro__[-2].__base__ is object
        and not any("__slots__" in base.__dict__ for base in one.__mro__)
        and class_lookup(one, "__class__") is vars(object)["__class__"]
        for one in (cls, other)
    )
    return plain and cls.__weakrefoffset__ == other.__weakrefoffset__
