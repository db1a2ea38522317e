"""Attributes: where a name is found on a known class, a virtual instance, a static object.

    p.x      p a virtual Point                     its field
    p.norm   p a virtual Point, norm a method      a virtual bound method
    self.pc  self static, pc written somewhere     the overlay: what the code wrote last
    s.upper  s a str                               a method of a builtin type, called in `calls`

Only lookups that run no user code are done here; properties and other descriptors are inlined as calls.
"""

from __future__ import annotations

import enum
import functools
import itertools
import sys
import types
from collections.abc import Callable, Mapping
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.builtin_errors import keeps_arguments, only_keeps_arguments
from futamura.specializer.cached_calls import cached_property_of, may_be_entered, see_elsewhere
from futamura.specializer.caching import LRU
from futamura.specializer.calls import call_value, enter
from futamura.specializer.class_attributes import (
    annotations_of,
    assume_bases,
    enter_property,
    load_from_super_of_class,
    method_of_metaclass,
)
from futamura.specializer.descriptors import (
    assume_order,
    assume_unread,
    enter_deleter,
    enter_getter,
    enter_property_or_answer,
    enter_setter,
    enter_storing,
    is_always_there,
    is_described,
    is_seen_through,
    is_slot,
    reads,
)
from futamura.specializer.extended import METHOD_NAMES, dict_held, inherited
from futamura.specializer.fixed_fields import FIXED_FIELDS, part_of_slice
from futamura.specializer.functionparts import part_of_function, part_of_method
from futamura.specializer.globals import module_attribute
from futamura.specializer.local_caches import FIELDS_OF_CACHES
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.memos import lazy_attribute, stored_lazily
from futamura.specializer.named import record_item
from futamura.specializer.overloads import overloaded_method
from futamura.specializer.own_dicts import own_dict, shows
from futamura.specializer.plain_copies import method_of_copy
from futamura.specializer.plainness import WITH_BUILTIN_METHODS, is_record, record_position
from futamura.specializer.purity import (
    DICTS,
    EVERY_NAME,
    MISSING,
    PLAIN_DELETIONS,
    PLAIN_STORES,
    class_lookup,
    is_data,
    own_attribute,
    own_attributes,
    plain_lookup,
    plain_reads,
)  # fmt: skip
from futamura.specializer.raising import own_traceback
from futamura.specializer.reclassing import store_class
from futamura.specializer.renaming import note_dict, note_renamed
from futamura.specializer.restoring import hold
from futamura.specializer.rules import exact_type, rule, site
from futamura.specializer.state import Frame
from futamura.specializer.values import (
    HELD,
    NONE,
    OF_SUPER,
    AbstractValue,
    Dynamic,
    Known,
    Virtual,
    VObject,
    arguments_of,
)
from futamura.specializer.wrapping import FIELDS_OF_FUNCTIONS, store_on_function

__all__ = [
    "CALLED", "NAMESPACES", "VIRTUAL_FIELDS", "assign_global", "assume_plain_field", "delete_attribute",
    "known_field", "load_attribute", "may_be_gone", "note_global", "store_attribute", "store_field",
]  # fmt: skip

VIRTUAL_FIELDS: Final[dict[str, Callable[[Machine, VObject, str], AbstractValue | None]]] = {
    **FIELDS_OF_CACHES,
    **FIELDS_OF_FUNCTIONS,
    "slice": part_of_slice,
}
"""The attributes of virtual objects of a kind that are no methods."""
NAMESPACES: Final[list[Callable[[Machine, Frame, Operation, AbstractValue], AbstractValue | None]]] = []
"""What stands for `__dict__` of classes and of static objects."""
_METHODS: Final = (types.MethodDescriptorType, types.WrapperDescriptorType)


CALLED: Final = "called"


def load_attribute(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, name: str
) -> AbstractValue | str | None:
    """`target.name`; None if that stays, CALLED if a property was entered that defines the result of `op`."""
    entry = m.state.object(target)
    if entry is not None and entry.kind == "super":
        return _load_super(m, frame, op, entry, name)
    if entry is not None and entry.kind in VIRTUAL_FIELDS:
        found_there = VIRTUAL_FIELDS[entry.kind](m, entry, name)
        if found_there is not None:
            return found_there
    if entry is not None and entry.kind == "bound":
        return part_of_method(m, entry.items[0], entry.items[1], name)
    cls = exact_type(m, target)
    if cls is None:
        if name == "__dict__" and op.results:
            note_dict(m, frame, op.results[0], target)
        return None
    shown = name == "__dict__" and (plain_lookup(cls) or cls is types.ModuleType)
    for standing_in in (own_dict, *NAMESPACES) if shown else ():
        if (space := standing_in(m, frame, op, target)) is not None:
            return space
    if name == "__dict__" and op.results:
        note_dict(m, frame, op.results[0], target)
    if name == "__class__" and class_lookup(cls, name) is vars(object)[name] and plain_reads(cls):
        return Known(cls)
    if type(target) is Known and name in FIXED_FIELDS.get(cls, ()):
        return Known(getattr(target.value, name))
    if cls is types.MappingProxyType and type(target) is Known:
        if (found_there := method_of_copy(m, target, name, site(frame))) is not None:
            return found_there
    if cls in WITH_BUILTIN_METHODS or (entry is not None and entry.kind in ("generator", "dict")):
        found = isinstance(class_lookup(cls, name), _METHODS)
        return m.virtual(VObject("method", cls, (target,), site=site(frame), extra=name)) if found else None
    if type(target) is Known:
        if cls in DICTS and not own_attributes(target.value) and isinstance(class_lookup(cls, name), _METHODS):
            return m.virtual(VObject("method", cls, (target,), site=site(frame), extra=name))
        if (found_there := method_of_copy(m, target, name, site(frame))) is not None:
            return found_there
        if type(target.value) is LRU and name == "cache_info":
            see_elsewhere(m, target.value)
        if is_a(target.value, types.ModuleType):
            return module_attribute(m, target.value, name)
        if is_a(target.value, type):
            return _load_class(m, frame, op, target.value, name)
        if type(target.value) is types.FunctionType:
            return part_of_function(m, target.value, name)
        if type(target.value) is types.MethodType and name != "__self__":
            return part_of_method(m, Known(target.value.__func__), target, name)
        if is_a(target.value, (types.BuiltinFunctionType, types.MethodType)):
            return None
    if entry is not None and entry.kind == "exception" and (made := _load_exception(m, frame, entry, name)) is not None:
        return made
    return _load_instance(m, frame, op, target, cls, name)


def _load_exception(m: Machine, frame: Frame, entry: VObject, name: str) -> AbstractValue | None:
    """What a virtual exception was made with."""
    if not plain_reads(entry.cls):
        return None
    if name == "args" and class_lookup(entry.cls, name) is BaseException.__dict__["args"]:
        return m.virtual(VObject("tuple", tuple, arguments_of(entry), site=site(frame)))
    if entry.extra == "stopped" and name in ("__cause__", "__context__"):
        return entry.items[1]
    if entry.cls is StopIteration and name == "value":
        return entry.items[0] if entry.items else NONE
    return None


def _load_super(m: Machine, frame: Frame, op: Operation, entry: VObject, name: str) -> AbstractValue | str | None:
    """The next definition in the method resolution order; None if only object's or a builtin descriptor is left."""
    start, target = entry.items
    cls = exact_type(m, target)
    assert cls is not None and type(start) is Known
    if type(target) is Known and is_a(target.value, type) and start.value in target.value.__mro__:
        return load_from_super_of_class(m, frame, start.value, target.value, name)
    order = cls.__mro__
    assume_bases(m, cls)
    for base in order[order.index(start.value) + 1 :]:
        found = base.__dict__.get(name, MISSING)
        if is_a(found, types.FunctionType):
            if m.world.may_be_stored(cls, name):
                return None
            m.assume_attribute(base, name, found)
            return m.virtual(VObject("bound", object, (Known(found), target), site=site(frame)))
        if is_described(found):
            return _described_above(m, frame, op, entry, base, name)
        if found is not MISSING:
            held = dict_held(m.state, target) if base is dict and is_a(found, _METHODS) else None
            if held is not None:
                return m.virtual(VObject("method", dict, (held,), site=site(frame), extra=name))
            if name == "__init__" and (base is object or only_keeps_arguments(base)):
                return m.virtual(VObject("method", base, (target,), OF_SUPER, site=site(frame), extra=name))
            return None
    return None


def _described_above(m: Machine, frame: Frame, op: Operation, entry: VObject, base: type, name: str) -> str | None:
    """What `super()` gives of a descriptor of the program's own, which `base` has."""
    start, target = entry.items
    cls = exact_type(m, target)
    assert cls is not None and type(start) is Known
    found = base.__dict__[name]
    between = cls.__mro__[cls.__mro__.index(start.value) + 1 : cls.__mro__.index(base)]
    if issubclass(cls, type) or not reads(found) or any(m.world.may_be_stored(one, name) for one in between):
        return None
    if not enter_getter(m, frame, op, base, name, found, target, Known(cls)):
        return None
    for one in between:
        m.assume_attribute(one, name, class_lookup(one, name))
    return CALLED


def _load_class(m: Machine, frame: Frame, op: Operation, cls: type, name: str) -> AbstractValue | str | None:
    meta = type(cls)
    if cls is dict and m.extended and isinstance(method := dict.__dict__.get(name), _METHODS):
        return Known(method)  # `dict.__init__(self)` in a class that extends it
    if name in ("__mro__", "__bases__", "__base__") and class_lookup(meta, name) is type.__dict__[name]:
        assume_bases(m, cls)
        return Known(type.__dict__[name].__get__(cls))
    if name in ("__name__", "__qualname__") and class_lookup(meta, name) is type.__dict__[name]:
        return Known(str(getattr(cls, name)))
    if name == "__doc__" and class_lookup(meta, name) is type.__dict__[name] and type(cls.__dict__.get(name)) is str:
        m.assume_attribute(cls, name, cls.__dict__[name])
        return Known(cls.__dict__[name])
    if name == "__annotations__" and class_lookup(meta, name) is type.__dict__.get(name):
        return annotations_of(m, cls)
    if meta.__getattribute__ is not type.__getattribute__:
        return None
    if is_data(class_lookup(meta, name)):
        return CALLED if enter_property(m, frame, op, cls, name) else None
    if not (meta is type or str(vars(meta).get("__module__")).partition(".")[0] in sys.stdlib_module_names):
        m.assume_attribute(meta, name, class_lookup(meta, name))  # a data descriptor would come first
    found = class_lookup(cls, name)
    if found is MISSING:
        return method_of_metaclass(m, frame, cls, name)
    if m.world.may_be_stored(cls, name):
        return None
    if is_a(found, types.ClassMethodDescriptorType) and cls in (int, bytes, dict, itertools.chain):
        return m.virtual(VObject("method", type, (Known(cls),), site=site(frame), extra=name))
    if is_described(found):
        return _described_on_class(m, frame, op, cls, name, found)
    m.assume_attribute(cls, name, found)
    if name == "__dataclass_fields__":
        m.world.freeze(found)  # what `dataclasses` keeps there describes the class, for good
    if is_a(found, types.WrapperDescriptorType) and (cls is object or keeps_arguments(found)):
        return Known(found)
    if is_a(found, types.MethodDescriptorType) and found.__objclass__ in WITH_BUILTIN_METHODS:
        return Known(found)
    if is_a(found, (types.FunctionType, staticmethod)):
        return Known(found.__func__ if is_a(found, staticmethod) else found)
    if is_a(found, classmethod):
        return Known(types.MethodType(found.__func__, cls))
    if hasattr(type(found), "__get__"):
        return None
    m.world.found_in_class(cls, name, found)
    return Known(found)


def _described_on_class(
    m: Machine, frame: Frame, op: Operation, cls: type, name: str, found: object
) -> AbstractValue | str | None:
    """What a class gives of a descriptor of the program's own."""
    if reads(found):
        answers = class_lookup(type(cls), "__getattr__") is not MISSING
        return CALLED if not answers and enter_getter(m, frame, op, cls, name, found, NONE, Known(cls)) else None
    return _itself(m, cls, name, found)


def _itself(m: Machine, cls: type, name: str, found: object) -> AbstractValue:
    """A descriptor whose class has no `__get__`."""
    m.assume_attribute(cls, name, found)
    assume_unread(m, found)
    m.world.found_in_class(cls, name, found)
    return Known(found)


def _load_instance(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, cls: type, name: str
) -> AbstractValue | str | None:
    member = m.world.member(cls, name)
    found = member.found
    if not member.plain:
        return None
    if member.answers and not is_always_there(found):
        if enter_property_or_answer(m, frame, op, member, target, name):
            return CALLED
        own_place = found is MISSING or (is_slot(found) and not (member.stored or m.world.is_stored(cls, name)))
        is_read = own_place and type(target) is not Dynamic and not may_be_gone(m, target, name)
        own = known_field(m, target, name) if is_read else None
        if own is not None:
            assume_plain_field(m, cls, name, found)
        return own if own is not None or not is_read else _answered(m, frame, op, target, cls, name)
    if member.stored or m.world.is_stored(cls, name):
        plain = not is_data(found) and not is_described(found)
        own = known_field(m, target, name) if plain and type(target) is not Dynamic else None
        if own is not None:
            assume_plain_field(m, cls, name, found)
        return own
    if is_described(found):
        return _described(m, frame, op, target, cls, name, found)
    if is_a(found, property):
        if is_a(found.fget, types.FunctionType):
            m.assume_attribute(cls, name, found)
            call_value(m, frame, op, Known(found.fget), [target], [])
            return CALLED
        return None
    if type(found) is functools.cached_property and (inner := cached_property_of(m, target, found, name)) is not None:
        m.assume_attribute(cls, name, found)
        call_value(m, frame, op, *inner)
        return CALLED
    if name in ("name", "value") and found is enum.Enum.__dict__[name] and type(target) is Known:
        return Known(target.value.__dict__[f"_{name}_"])
    if is_a(found, types.MemberDescriptorType):
        own = None if type(target) is Dynamic else known_field(m, target, name)
        if own is not None:
            assume_plain_field(m, cls, name, found)
        return own
    position = record_position(found)
    if position is not None and is_record(cls):
        m.assume_attribute(cls, name, found)
        return record_item(m, target, position)
    if is_data(found):
        return None
    own = None if type(target) is Dynamic else known_field(m, target, name)
    if own is not None:
        assume_plain_field(m, cls, name, found)
        return own
    if type(target) is Dynamic and (found is MISSING or not shows(m, target, cls, name, found)):
        return None
    if type(target) is Known and found is not MISSING and not is_seen_through(m, target.value, found, name):
        return None
    if (method := overloaded_method(m, found, target, cls, site(frame))) is not None:
        m.assume_attribute(cls, name, found)
        return method
    if is_a(found, types.FunctionType) or (type(found) is LRU and may_be_entered(m, found, target)):
        m.assume_attribute(cls, name, found)
        return m.virtual(VObject("bound", object, (Known(found), target), site=site(frame)))
    if is_a(found, staticmethod):
        m.assume_attribute(cls, name, found)
        return Known(found.__func__)
    if is_a(found, classmethod):
        m.assume_attribute(cls, name, found)
        return Known(types.MethodType(found.__func__, cls))
    if is_a(found, types.MethodDescriptorType) and (held := inherited(m, target, name)) is not None:
        return m.virtual(VObject("method", dict, (held[0],), site=site(frame), extra=name))
    if found is MISSING or hasattr(type(found), "__get__"):
        return None
    m.assume_attribute(cls, name, found)
    m.world.found_in_class(cls, name, found)
    if name == "__dataclass_fields__":
        m.world.freeze(found)
    return Known(found)


def _described(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, cls: type, name: str, found: object
) -> AbstractValue | str | None:
    """What an instance gives where its class has a descriptor of the program's own."""
    if not is_data(found) or not reads(found):
        if may_be_gone(m, target, name) or (type(target) is Dynamic and cls.__dictoffset__):
            return None
        own = None if type(target) is Dynamic else known_field(m, target, name)
        if own is not None:
            m.assume_attribute(cls, name, found)
            (assume_order if reads(found) else assume_unread)(m, found)
            return own
        if type(target) is Known and not is_seen_through(m, target.value, found, name):
            return None
    if reads(found):
        if not enter_getter(m, frame, op, cls, name, found, target, Known(cls)):
            return None
        assume_order(m, found)
        return CALLED
    return _itself(m, cls, name, found)


def may_be_gone(m: Machine, target: AbstractValue, name: str) -> bool:
    """Do stores and deletions decide whether this static object has the attribute now?"""
    if type(target) is not Known:
        return False
    place = (m.world.serial(target.value), name)
    return place in m.world.written and place not in m.state.overlays


def _answered(m: Machine, frame: Frame, op: Operation, target: AbstractValue, cls: type, name: str) -> str | None:
    """What `__getattr__` gives for an attribute that the object has not."""
    method = class_lookup(cls, "__getattr__")
    entry = m.state.object(target)
    if not is_a(method, types.FunctionType) or m.world.is_stored(cls, name):
        return None
    if type(target) is Known:
        if own_attribute(target.value, name) is not MISSING or not m.world.contents(target.value):
            return None
        m.read_places.add((m.world.serial(target.value), name))
    elif entry is None or entry.kind != "instance" or name in entry.names:
        return None
    m.assume_attribute(cls, "__getattr__", method)
    m.assume_attribute(cls, name, class_lookup(cls, name))
    call_value(m, frame, op, Known(method), [target, Known(name)], [])
    return CALLED


def known_field(m: Machine, target: AbstractValue, name: str) -> AbstractValue | None:
    entry = m.state.object(target)
    if entry is not None:
        if entry.kind not in ("instance", "exception") or name not in entry.names:
            return None
        if entry.kind == "instance":
            m.versions.note_read(entry.cls)
        return entry.items[entry.names.index(name)]
    assert type(target) is Known
    value = target.value
    place = (m.world.serial(value), name)
    if place not in m.state.overlays and (lazy := lazy_attribute(m, target, name)) is not None:
        return lazy
    if place in m.world.written:
        m.kept.begun.clear()
        held = m.state.overlays.get(place)
        if held is None:
            loaded = m.emit("getattr", (target,), name, hint=name)
            hold(m.state, m.world, place, (loaded, False))
            return loaded
        return m.state.resolve(held[0])
    content = own_attribute(value, name)
    if content is MISSING:
        return None
    if not m.world.objects.believes(value, name, content):
        if why := m.world.objects.why_not(value, name):
            m.event("FT306", *why)
        return None
    m.read_places.add(place)
    return Known(content)


@rule("setattr")
def store(m: Machine, frame: Frame, op: Operation) -> None:
    assert isinstance(op.attr, str)
    value, target = (m.get(frame, arg) for arg in op.args)
    store_attribute(m, frame, op, value, target, op.attr)


def store_attribute(
    m: Machine, frame: Frame, op: Operation, value: AbstractValue, target: AbstractValue, name: str
) -> None:
    """`target.name = value`."""
    if name == "__traceback__" and own_traceback(m, value, target):
        return
    cls = exact_type(m, target)
    if name == "__class__":
        store_class(m, value, target, cls)
        return
    if name == "__dict__":
        note_renamed(m, target)
    if store_on_function(m, frame, target, name, value):
        return
    if cls is not None and class_lookup(cls, "__setattr__") in PLAIN_STORES:
        found = class_lookup(cls, name)
        data, described = is_data(found), is_described(found)
        if described and data and enter_setter(m, frame, op, cls, name, target, value):
            return
        if not described and is_a(found, property) and is_a(found.fset, types.FunctionType):
            m.assume_attribute(cls, name, found)
            inner = (Known(found.fset), target, value)
            if not op.results:
                call_value(m, frame, op, inner[0], [*inner[1:]], [])
                return
            if enter(m, frame, op, library.set_by_property, [*inner]):  # `setattr(x, name, value)` gives None
                return
        fits = is_a(found, types.MemberDescriptorType) or (not data and cls.__dictoffset__ != 0)
        if fits and store_field(m, target, name, value):
            assume_plain_field(m, cls, name, found)
            if described:
                assume_order(m, found)
            return
    if cls is not None and not op.results and enter_storing(m, frame, op, cls, [target, Known(name), value]):
        return
    _note_store(m, cls, target, name)
    note_global(m, target, name)
    m.writes(target)
    m.emit("setattr", (value, target), name, results=0)


def note_global(m: Machine, target: AbstractValue, name: str | None, *, gone: bool = False) -> None:
    """An attribute of a module is a global of its functions; None: any of them."""
    if type(target) is Known and is_a(target.value, types.ModuleType):
        assign_global(m, target.value.__dict__, name, gone=gone)


def assign_global(m: Machine, namespace: Mapping[str, object], name: str | None, *, gone: bool = False) -> None:
    if m.world.assign(namespace, name, gone=gone):
        raise Restart(f"global {name or 'of a module'} is assigned", whole=True)


def assume_plain_field(m: Machine, cls: type, name: str, found: object) -> None:
    """What an instance has under `name` is its own as long as its class gets no descriptor of that name."""
    if m.world.member(cls, name).stored:
        return
    if not m.world.is_stored(cls, name):
        m.assume_attribute(cls, name, found)
    elif found is MISSING:
        m.world.assume_attribute(cls, name, found)  # so it is when the residual is called


def _note_store(m: Machine, cls: type | None, target: AbstractValue, name: str) -> None:
    """What is stored to may be a class: what was found in it is not to be believed any more.  Or it is an object that
    was believed to have no such attribute."""
    owner = target.value if type(target) is Known else None
    if type(target) is not Virtual and m.world.hides(name, owner):
        m.event("FT305", f"attribute `{name}` is stored on an object whose class had given it")
        raise Restart(f"attribute {name} of an object is stored", whole=True)
    if type(target) is Known and is_a(target.value, (type, types.FunctionType)):
        m.stores_on_class(target.value, name)
    elif type(target) is Dynamic and (cls is None or issubclass(cls, (type, types.FunctionType))):
        made = m.origins.get(target.rv)  # a function that was just made is none of those that are known
        if made is None or made.name != "closure":
            m.stores_on_class(None, name)


def store_field(m: Machine, target: AbstractValue, name: str, value: AbstractValue) -> bool:
    entry = m.state.object(target)
    if entry is not None and HELD in entry.names and name in METHOD_NAMES:
        return False
    keeps = entry is not None and (entry.kind == "instance" or (entry.kind == "exception" and entry.extra == "made"))
    if entry is not None and type(target) is Virtual and keeps:
        items = list(entry.items)
        if name in entry.names:
            items[entry.names.index(name)] = value
            m.state.heap[target.oid] = entry.with_items(tuple(items))
        else:
            m.state.heap[target.oid] = entry._replace(names=(*entry.names, name), items=(*items, value))
        m.hint(value, name, target.oid)
        return True
    if type(target) is Known and stored_lazily(m, target, name, value):
        return True
    if type(target) is Known and m.world.is_frozen(target.value) and not is_a(target.value, type):
        place = (m.world.serial(target.value), name)
        m.kept.begun.clear()
        if place not in m.world.written:
            m.world.written.add(place)
            if place in m.read_places or (place[0], EVERY_NAME) in m.read_places:
                m.event("FT305", f"attribute `{name}` of a static object is written after it was read")
                raise Restart(f"attribute {name} of a static object is written", whole=True)
        hold(m.state, m.world, place, (value, True))
        return True
    return False


@rule("delattr")
def delete(m: Machine, frame: Frame, op: Operation) -> None:
    assert isinstance(op.attr, str)
    delete_attribute(m, frame, op, m.get(frame, op.args[0]), op.attr)


def delete_attribute(m: Machine, frame: Frame, op: Operation, target: AbstractValue, name: str) -> None:
    cls = exact_type(m, target)
    if cls is not None and class_lookup(cls, "__delattr__") in PLAIN_DELETIONS:
        if is_described(class_lookup(cls, name)) and enter_deleter(m, frame, op, cls, name, target):
            return
    if _delete_field(m, target, name):
        m.folded += 1
        return
    _note_store(m, cls, target, name)
    note_global(m, target, name, gone=True)
    m.writes(target)
    m.observe()
    m.emit("delattr", (target,), name, results=0)


def _delete_field(m: Machine, target: AbstractValue, name: str) -> bool:
    """Delete an attribute that a virtual instance has."""
    entry = m.state.object(target)
    if entry is None or type(target) is not Virtual or entry.kind != "instance" or name not in entry.names:
        return False
    found = class_lookup(entry.cls, name)
    if class_lookup(entry.cls, "__delattr__") not in PLAIN_DELETIONS or is_data(found):
        return False
    assume_plain_field(m, entry.cls, name, found)
    if is_described(found):
        assume_order(m, found)
    at = entry.names.index(name)
    names, items = (*entry.names[:at], *entry.names[at + 1 :]), (*entry.items[:at], *entry.items[at + 1 :])
    m.state.heap[target.oid] = entry._replace(names=names, items=items)
    return True
