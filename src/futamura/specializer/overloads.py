"""Functions of `functools.singledispatch`: where the class of the first argument is known, what it calls is known.

    @singledispatch                         shown(Slot("a"))    calls what is registered for Slot, or for the first of
    def shown(node): ...                                        its bases for which something is registered
    @shown.register
    def _(node: Slot): ...

    @singledispatchmethod                   self.visit(node)    likewise: what is registered is a method of `self`
    def visit(self, node): ...

What `self.visit` gives is a virtual object, whose items are the descriptor, the instance and its class.

Invariant: only the very functions that `functools` makes, and only if the class counts as none of the abstract classes
that are registered, but for its own bases.  What is registered is an assumption: a new class makes it fail.
"""

from __future__ import annotations

import abc
import functools
import types
from typing import Final

from futamura.ir.classes import is_a
from futamura.specializer.abstract import instance_of, is_abstract
from futamura.specializer.assumption import Assumption, Registered
from futamura.specializer.emitting import CONSTRUCTORS, Emitter
from futamura.specializer.machine import Machine
from futamura.specializer.partials import Call
from futamura.specializer.purity import class_lookup, plain_lookup
from futamura.specializer.rules import exact_type
from futamura.specializer.values import AbstractValue, Dynamic, Known, VObject

__all__ = ["call_of_overload", "only_dispatches", "overloaded_method", "what_to_specialize"]

_KIND: Final = "overloads"
_READ: Final = functools.singledispatchmethod.__get__


def _of_closure(function: types.FunctionType, name: str) -> object:
    """What the function's closure variable holds."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    return cells[name].cell_contents if name in cells else None


def _sample(value: object) -> object:
    return value


def _made() -> tuple[types.CodeType, types.CodeType]:
    """The code of what `functools` makes, and of the function in it that looks for the class."""
    made: object = functools.singledispatch(_sample)
    assert isinstance(made, types.FunctionType)
    dispatch = _of_closure(made, "dispatch")
    assert isinstance(dispatch, types.FunctionType)
    return made.__code__, dispatch.__code__


_WRAPPER, _DISPATCH = _made()
_BOUND: Final[object] = functools.singledispatchmethod(_sample).__get__(None, object)
_METHOD: Final = _BOUND.__code__ if isinstance(_BOUND, types.FunctionType) else None
"""The code of what an instance gives of a method; newer versions of Python have a class for it."""


def call_of_overload(
    m: Machine, function: AbstractValue, args: list[AbstractValue], keywords: list[tuple[str, AbstractValue]]
) -> Call | None:
    """What a call of such a function calls; None if it is none, or the class of its argument is not known."""
    entry = m.state.object(function)
    if entry is not None and entry.kind == _KIND:
        return _call_of_method(m, entry, args, keywords)
    if type(function) is not Known or not args or type(function.value) is not types.FunctionType:
        return None
    chosen = _chosen(m, function.value, args[0])
    return None if chosen is None else (Known(chosen), args, keywords)


def _call_of_method(
    m: Machine, entry: VObject, args: list[AbstractValue], keywords: list[tuple[str, AbstractValue]]
) -> Call | None:
    """What is registered is bound to the instance as a method of its class would be."""
    method, target, cls = entry.items
    assert type(method) is Known and isinstance(method.value, functools.singledispatchmethod)
    dispatcher: object = method.value.dispatcher
    assert type(dispatcher) is types.FunctionType
    chosen = _chosen(m, dispatcher, args[0]) if args else None
    if type(chosen) is types.FunctionType:
        return Known(chosen), [target, *args], keywords
    if is_a(chosen, staticmethod) and type(chosen.__func__) is types.FunctionType:
        return Known(chosen.__func__), args, keywords
    if is_a(chosen, classmethod) and type(chosen.__func__) is types.FunctionType:
        return Known(chosen.__func__), [cls, *args], keywords
    return None


def overloaded_method(
    m: Machine, found: object, target: AbstractValue, cls: type, site: object
) -> AbstractValue | None:
    """What an instance gives of this attribute of its class; None if it is not what `functools` makes of functions."""
    if type(found) is not functools.singledispatchmethod or class_lookup(type(found), "__get__") is not _READ:
        return None
    dispatcher: object = found.__dict__.get("dispatcher")
    if type(dispatcher) is not types.FunctionType or type(found.__dict__.get("func")) is not types.FunctionType:
        return None
    if _registry(dispatcher) is None or dispatcher.__dict__.get("dispatch") is not _of_closure(dispatcher, "dispatch"):
        return None
    if "_method_cache" in found.__dict__ and not _has_identity(cls):
        return None
    place = f"{cls.__qualname__}.{found.func.__name__}.dispatcher"
    m.world.assume(Assumption("attribute", place, found, "dispatcher", dispatcher))
    return m.virtual(VObject(_KIND, types.FunctionType, (Known(found), target, Known(cls)), site=site))


def _has_identity(cls: type) -> bool:
    """Does a dict tell instances apart as `is` does, or not take them?  Python 3.13 keeps the methods in one."""
    hashing = class_lookup(cls, "__hash__")
    plain = hashing is object.__hash__ and class_lookup(cls, "__eq__") is object.__eq__
    return plain or hashing is None


def _construct(m: Emitter, entry: VObject) -> Dynamic:
    """Read it from the instance, if that still gives it."""
    method, target, cls = (m.state.resolve(item) for item in entry.items)
    assert type(method) is Known and isinstance(method.value, functools.singledispatchmethod) and type(cls) is Known
    name, held = method.value.func.__name__, m.state.object(target)
    hidden = held is not None and name in held.names
    if not hidden and is_a(cls.value, type) and class_lookup(cls.value, name) is method.value:
        return m.emit("getattr", (target,), name, raises=False)
    return m.emit("call", (Known(_READ), method, target, cls), raises=False)


CONSTRUCTORS[_KIND] = _construct


def _chosen(m: Machine, function: types.FunctionType, value: AbstractValue) -> object:
    """What such a function calls for a first argument; None if it is none, or that is not known."""
    registry = _registry(function)
    cls = exact_type(m, value)
    if registry is None or cls is None or not plain_lookup(cls):
        return None
    if class_lookup(cls, "__class__") is not vars(object)["__class__"]:
        return None
    if not all(type(kind) in (type, abc.ABCMeta) for kind in (*registry, *cls.__mro__)):
        return None
    strangers = [kind for kind in registry if type(kind) is not type and kind not in cls.__mro__]
    if strangers and not (all(map(is_abstract, strangers)) and instance_of(m, cls, strangers) is False):
        return None
    kind = next((base for base in cls.__mro__ if base in registry), None)
    if kind is None:
        return None
    held = m.world.registered.setdefault((id(registry), id(kind)), Registered(registry, kind, len(registry)))
    place = f"{function.__qualname__}.registry[{kind.__qualname__}]"
    m.world.assume(Assumption("registered", place, held, kind.__qualname__, registry[kind]))
    return registry[kind]


def only_dispatches(function: types.FunctionType) -> bool:
    """Did `functools.singledispatch` make the function?  If the class of its argument is not known, all that it does is
    to look for it in a table of weak references, or along the bases of a class: nothing of that can be known."""
    return function.__code__ is _WRAPPER


def what_to_specialize(function: types.FunctionType, kind: type | None) -> str:
    """What to specialize in place of this function, if `functools` made it to look for the one that is registered for
    the class of the first argument (`kind`, if that is known); else nothing."""
    name = function.__qualname__
    if function.__code__ is _WRAPPER:
        return f"`{name}.dispatch({'cls' if kind is None else kind.__qualname__})`, or a function that calls `{name}`"
    return f"a function that calls `{name}`" if function.__code__ is _METHOD else ""


def _registry(function: types.FunctionType) -> dict[type, object] | None:
    """The classes for which functions are registered, if `functools.singledispatch` made the function."""
    if function.__code__ is not _WRAPPER:
        return None
    dispatch = _of_closure(function, "dispatch")
    if not isinstance(dispatch, types.FunctionType) or dispatch.__code__ is not _DISPATCH:
        return None
    registry = _of_closure(dispatch, "registry")
    return registry if is_a(registry, dict) else None
