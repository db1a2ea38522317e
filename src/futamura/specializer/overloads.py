"""Functions of `functools.singledispatch`: where the class of the first argument is known, what it calls is known.

    @singledispatch                         shown(Slot("a"))    calls what is registered for Slot, or for the first of
    def shown(node): ...                                        its bases for which something is registered
    @shown.register
    def _(node: Slot): ...

Invariant: only the very functions that `functools` makes, and only if no abstract class is registered, whose
`__subclasshook__` would have to be asked.  What is registered is an assumption: a new class makes it fail.
"""

from __future__ import annotations

import functools
import types

from futamura.ir.classes import is_a
from futamura.specializer.assumption import Assumption, Registered
from futamura.specializer.machine import Machine
from futamura.specializer.partials import Call
from futamura.specializer.purity import class_lookup, plain_lookup
from futamura.specializer.rules import exact_type
from futamura.specializer.values import AbstractValue, Known

__all__ = ["call_of_overload", "only_dispatches"]


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


def call_of_overload(
    m: Machine, function: AbstractValue, args: list[AbstractValue], keywords: list[tuple[str, AbstractValue]]
) -> Call | None:
    """What a call of such a function calls; None if it is none, or the class of its argument is not known."""
    if type(function) is not Known or not args or type(function.value) is not types.FunctionType:
        return None
    registry = _registry(function.value)
    cls = exact_type(m, args[0])
    if registry is None or cls is None or not plain_lookup(cls):
        return None
    if class_lookup(cls, "__class__") is not object.__dict__["__class__"]:
        return None
    if any(type(kind) is not type for kind in (*registry, *cls.__mro__)):
        return None
    kind = next((base for base in cls.__mro__ if base in registry), None)
    if kind is None:
        return None
    held = m.world.registered.setdefault((id(registry), id(kind)), Registered(registry, kind, len(registry)))
    place = f"{function.value.__qualname__}.registry[{kind.__qualname__}]"
    m.world.assume(Assumption("registered", place, held, kind.__qualname__, registry[kind]))
    return Known(registry[kind]), args, keywords


def only_dispatches(function: types.FunctionType) -> bool:
    """Did `functools.singledispatch` make the function?  If the class of its argument is not known, all that it does is
    to look for it in a table of weak references, or along the bases of a class: nothing of that can be known."""
    return function.__code__ is _WRAPPER


def _registry(function: types.FunctionType) -> dict[type, object] | None:
    """The classes for which functions are registered, if `functools.singledispatch` made the function."""
    if function.__code__ is not _WRAPPER:
        return None
    dispatch = _of_closure(function, "dispatch")
    if not isinstance(dispatch, types.FunctionType) or dispatch.__code__ is not _DISPATCH:
        return None
    registry = _of_closure(dispatch, "registry")
    return registry if is_a(registry, dict) else None
