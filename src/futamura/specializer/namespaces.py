"""What a class or a static object has of its own: `vars(x)`, `x.__dict__` and `dir(x)`.

    for name, field in vars(cls).items():        unrolled: the names and attributes that the class has now
        if isinstance(field, Field): ...
    [n for n in dir(self) if n.startswith("do_")]      known

What stands for the dict is a virtual one with the same contents; it is only made where it is asked for items, and
never leaves the function.  That a class still has these attributes is tested at entry.

Invariant: no code of the program runs; whatever is stored on the class or the object by code that is specialized starts
again, and is not believed then.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import GetSetDescriptorType, ModuleType
from typing import Any, Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.annotations import plain_class
from futamura.specializer.assumption import Assumption, Filled, identities, parts
from futamura.specializer.attributes import NAMESPACES, assign_global, known_field
from futamura.specializer.class_attributes import assume_bases
from futamura.specializer.machine import Machine
from futamura.specializer.models import MODELS
from futamura.specializer.own_dicts import only_asked, own_dict
from futamura.specializer.purity import EVERY_NAME, HEAP_TYPE, class_lookup, own_attributes
from futamura.specializer.renaming import note_dict
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject

__all__: list[str] = []

_CONTAINER: Final = {"getitem": 0, "in": 1, "not_in": 1, "iter": 0}
"""The operators that ask a dict, and which operand the dict is."""
_METHODS: Final = frozenset({"get", "items", "keys", "values"})
_MOST: Final = 256
"""So many attributes are not written out one by one."""


def _namespace(m: Machine, frame: Frame, op: Operation, target: AbstractValue) -> AbstractValue | None:
    """What stands for `target.__dict__`; None if that is read at run time."""
    if type(target) is not Known or not op.results:
        return None
    if is_a(target.value, ModuleType):
        _note_globals(m, frame, op, vars(target.value))
        return None
    if not only_asked(frame.facts.function, op.results[0], _CONTAINER, _METHODS):
        return None
    found = _of_class(m, target.value) if is_a(target.value, type) else _of_object(m, target)
    if found is None:
        return None
    return m.virtual(VObject("dict", dict, tuple(found.values()), tuple(found), site=(site(frame), "attributes")))


def _note_globals(m: Machine, frame: Frame, op: Operation, namespace: Mapping[str, object]) -> None:
    """The dict of a module's globals is asked for: unless it is only read, any of them may be bound anew."""
    if op.results and not only_asked(frame.facts.function, op.results[0], _CONTAINER, _METHODS):
        assign_global(m, namespace, None)


def _globals(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    if not args:
        _note_globals(m, frame, op, frame.facts.namespace)
    return None


def _of_class(m: Machine, cls: Any) -> dict[str, AbstractValue] | None:
    """The attributes of a class by their names, in order."""
    held: Mapping[object, object] = type.__dict__["__dict__"].__get__(cls)
    if cls is object:  # nobody changes it
        return {str(name): Known(value) for name, value in held.items()}
    if not cls.__flags__ & HEAP_TYPE or not plain_class(cls) or len(held) > _MOST:
        return None
    if any(key in (0, id(cls)) for key, _ in m.world.on_classes):
        return None
    if not all(type(name) is str and not m.world.may_be_stored(cls, name) for name in held):
        return None
    filled = Filled(identities(cls), tuple(parts(cls)))
    m.world.assume(Assumption("contents", f"class {cls.__qualname__}", cls, "", filled))
    for name, value in held.items():
        m.world.found_in_class(cls, str(name), value)
    return {str(name): Known(value) for name, value in held.items()}


def _of_object(m: Machine, target: Known) -> dict[str, AbstractValue] | None:
    """The attributes that a static object has in its dict, in order."""
    value, cls = target.value, type(target.value)
    if type(class_lookup(cls, "__dict__")) is not GetSetDescriptorType or m.world.objects.compares(value):
        return None
    if not cls.__flags__ & HEAP_TYPE or not m.world.contents(value):
        return None
    held = own_attributes(value)
    serial = m.world.serial(value)
    if held is None or len(held) > _MOST or any(place[0] == serial for place in m.world.written):
        return None
    if not all(type(name) is str for name in held):
        return None
    found = {name: known_field(m, target, name) for name in held}
    m.read_places.add((serial, EVERY_NAME))
    known = {name: content for name, content in found.items() if content is not None}
    return known if len(known) == len(found) else None


def _vars(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    if len(args) != 1:
        return None
    if (own := own_dict(m, frame, op, args[0])) is not None:
        return own
    found = _namespace(m, frame, op, args[0])
    if found is None and op.results:
        note_dict(m, frame, op.results[0], args[0])
    return found


def _dir(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """The names that a class or an object shows, in the order of the alphabet."""
    target = args[0] if len(args) == 1 else None
    if type(target) is not Known:
        return None
    value: Any = target.value
    names: set[str] = set()
    cls = value if is_a(value, type) else type(value)
    if is_a(value, type):
        if class_lookup(type(value), "__dir__") is not type.__dict__["__dir__"]:
            return None
    else:
        own = _of_object(m, target)
        if own is None or class_lookup(cls, "__dir__") is not vars(object)["__dir__"]:
            return None
        if class_lookup(cls, "__class__") is not vars(object)["__class__"]:
            return None
        names.update(own)
    assume_bases(m, cls)
    for base in cls.__mro__:
        held = _of_class(m, base)
        if held is None or "__bases__" in held:
            return None
        names.update(held)
    return m.virtual(VObject("list", list, tuple(map(Known, sorted(names))), site=site(frame)))


NAMESPACES.append(_namespace)
MODELS[vars] = _vars
MODELS[globals] = _globals
MODELS[dir] = _dir
