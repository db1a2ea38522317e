"""Attributes of functions that are known: their names, and what decorators store on them.

    @takes(2)                           `takes` stores `function.arity = 2` on import: `add.arity` is 2, which is
    def add(a, b): ...                  tested at entry

Invariant: an attribute that the code itself stores, or that a function of the module may store later, is read when the
residual runs.
"""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Final

from futamura.specializer.machine import Machine
from futamura.specializer.purity import MISSING, class_lookup, deep
from futamura.specializer.values import AbstractValue, Known

__all__ = ["part_of_function", "part_of_method"]

_NAMES: Final = frozenset({"__doc__", "__module__", "__name__", "__qualname__"})


def part_of_function(m: Machine, function: FunctionType, name: str) -> AbstractValue | None:
    """The value of such an attribute; None if it is to be read."""
    if m.world.is_stored_on_function(function, name):
        return None
    if name in _NAMES:
        found = getattr(function, name)
        if type(found) not in (str, type(None)):
            return None
    else:
        found = function.__dict__.get(name, MISSING)
        if found is MISSING or class_lookup(FunctionType, name) is not MISSING:
            return None
        if not deep(found) and not m.world.is_given(function):
            return None
        if not m.world.assumes or not m.world.is_constant_attribute(function.__globals__, name, found):
            return None
    m.world.assume_attribute(function, name, found)
    m.world.found(function, found)
    return Known(found)


_PARTS: Final = ("__func__", "__self__")


def part_of_method(m: Machine, function: AbstractValue, owner: AbstractValue, name: str) -> AbstractValue | None:
    """The same for a method of an object, which has all other attributes of its function."""
    if name in _PARTS:
        return (function, owner)[_PARTS.index(name)]
    if name != "__doc__" and class_lookup(MethodType, name) is not MISSING:
        return None
    if type(function) is Known and type(function.value) is FunctionType:
        return part_of_function(m, function.value, name)
    return None
