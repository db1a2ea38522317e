"""Attributes of classes that their own dicts do not have as they are.

    class Registry(type):                       Shop.prefix     the body of the property, with the class
        @property                               Shop.make(x)    the method of the metaclass
        def prefix(cls): ...
        def make(cls, x): ...
    super().make(x)     in a class method: the method of the next class that has one, for this class

Invariant: a data descriptor of the metaclass comes before what the class has, everything else of it behind.
"""

from __future__ import annotations

from types import FunctionType

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.assumption import Assumption
from futamura.specializer.calls import call_value
from futamura.specializer.machine import Machine
from futamura.specializer.purity import MISSING, class_lookup
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["annotations_of", "assume_bases", "enter_property", "load_from_super_of_class", "method_of_metaclass"]


def annotations_of(m: Machine, cls: type) -> AbstractValue | None:
    """`__annotations__` of a class is what its own dict has; if that has none, the read makes it.

    It describes the class for good, unless a function of its module changes it.
    """
    found = cls.__dict__.get("__annotations__")  # noqa: RUF063
    if type(found) is not dict or m.world.may_be_stored(cls, "__annotations__"):
        return None
    m.assume_attribute(cls, "__annotations__", found)
    m.world.freeze_described(cls, found)
    return Known(found)


def enter_property(m: Machine, frame: Frame, op: Operation, cls: type, name: str) -> bool:
    """Go on in the function of a property that the metaclass has."""
    found = class_lookup(type(cls), name)
    if type(found) is not property or type(found.fget) is not FunctionType or m.world.may_be_stored(type(cls), name):
        return False
    m.assume_attribute(type(cls), name, found)
    call_value(m, frame, op, Known(found.fget), [Known(cls)], [])
    return True


def method_of_metaclass(m: Machine, frame: Frame, cls: type, name: str) -> AbstractValue | None:
    """A method of the metaclass, where the class has nothing of this name."""
    found = class_lookup(type(cls), name)
    if type(found) is not FunctionType or m.world.may_be_stored(type(cls), name) or m.world.may_be_stored(cls, name):
        return None
    m.assume_attribute(type(cls), name, found)
    m.assume_attribute(cls, name, class_lookup(cls, name))
    return m.virtual(VObject("bound", object, (Known(found), Known(cls)), site=site(frame)))


def assume_bases(m: Machine, cls: type) -> None:
    """The method resolution order of the class stays what it is."""
    order = type.__dict__["__mro__"].__get__(cls)
    m.world.assume(Assumption("order", f"{cls.__qualname__}.__mro__", cls, "__mro__", order))


def load_from_super_of_class(m: Machine, frame: Frame, start: object, cls: type, name: str) -> AbstractValue | None:
    """What `super(start, cls)` has under this name; None if that is found at run time."""
    order = cls.__mro__
    assert isinstance(start, type)
    base = next((one for one in order[order.index(start) + 1 :] if name in one.__dict__), None)
    if base is None or name == "__class__" or m.world.may_be_stored(cls, name):
        return None
    found = base.__dict__[name]
    if type(found) is classmethod and type(found.__func__) is FunctionType:
        made: AbstractValue = m.virtual(VObject("bound", object, (Known(found.__func__), Known(cls)), site=site(frame)))
    elif type(found) is FunctionType or type(found) is staticmethod:
        made = Known(found.__func__ if is_a(found, staticmethod) else found)
    elif class_lookup(type(found), "__get__") is MISSING:
        m.world.found_in_class(base, name, found)
        made = Known(found)
    else:
        return None
    assume_bases(m, cls)
    for one in order[order.index(start) + 1 : order.index(base) + 1]:
        m.assume_attribute(one, name, class_lookup(one, name))
    return made
