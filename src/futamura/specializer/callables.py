"""Which values are code of the program, whatever they are called through.

    f, self.method, Class.method, partial(f, 1), an object whose class has a `__call__`

Invariant: nothing is called, and no code of the program runs.
"""

from __future__ import annotations

import functools
import types

from futamura.ir.classes import is_a
from futamura.ir.graph import Signature
from futamura.specializer.machine import Machine
from futamura.specializer.purity import class_lookup
from futamura.specializer.records import written_for
from futamura.specializer.values import FUNCTIONS, AbstractValue, Known

__all__ = ["assume_code", "is_code"]


def is_code(m: Machine, function: AbstractValue) -> bool:
    """Is this a function that would be inlined?"""
    entry = m.state.object(function)
    if entry is not None and entry.kind == "partial":
        return is_code(m, m.state.resolve(entry.items[0]))
    if entry is not None:
        return entry.kind in FUNCTIONS or entry.kind == "bound" or (entry.kind == "instance" and _is_called(entry.cls))
    if type(function) is not Known:
        return False
    code = function.value
    while type(code) in (types.MethodType, functools.partial):
        code = code.__func__ if type(code) is types.MethodType else code.func  # type: ignore[attr-defined]
    return is_a(code, types.FunctionType) or _is_called(type(code))


def _is_called(cls: type) -> bool:
    """Has the class a `__call__` in Python?"""
    return type(class_lookup(cls, "__call__")) is types.FunctionType


def assume_code(m: Machine, function: types.FunctionType, signature: Signature, *, complete: bool) -> bool:
    """A function is entered, and nothing but its code and, unless the arguments are `complete`, its defaults say what
    it does: they stay what they are, or the residual is not used.  False if the program stores them itself."""
    function = written_for(function)
    defaults = () if complete else ("__defaults__", "__kwdefaults__") if signature.kwonly else ("__defaults__",)
    parts = ("__code__", *defaults)
    if any(m.world.is_stored_on_function(function, part) for part in parts):
        return False
    for part in parts:
        m.world.assume_attribute(function, part, getattr(function, part))
    return True
