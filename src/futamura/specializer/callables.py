"""Which values are code of the program, whatever they are called through.

    f, self.method, Class.method, partial(f, 1), an object whose class has a `__call__`

Invariant: nothing is called, and no code of the program runs.
"""

from __future__ import annotations

import functools
import types

from futamura.ir.classes import is_a
from futamura.specializer.machine import Machine
from futamura.specializer.purity import class_lookup
from futamura.specializer.values import AbstractValue, Known

__all__ = ["is_code"]


def is_code(m: Machine, function: AbstractValue) -> bool:
    """Is this a function that would be inlined?"""
    entry = m.state.object(function)
    if entry is not None and entry.kind == "partial":
        return is_code(m, m.state.resolve(entry.items[0]))
    if entry is not None:
        return entry.kind in ("function", "bound") or (entry.kind == "instance" and _is_called(entry.cls))
    if type(function) is not Known:
        return False
    code = function.value
    while type(code) in (types.MethodType, functools.partial):
        code = code.__func__ if type(code) is types.MethodType else code.func  # type: ignore[attr-defined]
    return is_a(code, types.FunctionType) or _is_called(type(code))


def _is_called(cls: type) -> bool:
    """Has the class a `__call__` in Python?"""
    return type(class_lookup(cls, "__call__")) is types.FunctionType
