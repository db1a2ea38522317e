"""Import statements inside of functions: a module that is loaded is there, and has what it has.

    from .loader import Loader          sys.modules has the module, which has the class:
    return Loader().load(row)    ->     what `Loader` does; the statement is gone

Invariant: nothing is imported during specialization.  Where a module is not loaded as a whole, or what is taken of it
is bound anew by visible code, the statement stays.
"""

from __future__ import annotations

import builtins
import importlib.util
import sys
import types
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.assumption import Assumption
from futamura.specializer.globals import module_attribute
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.rules import hint_of, rule
from futamura.specializer.state import Frame
from futamura.specializer.values import Known

__all__: list[str] = []

_REAL: Final = ("imports", "real")
"""Refused in a specialization: that import statements are done while specialized."""


@rule("import")
def import_module(m: Machine, frame: Frame, op: Operation) -> None:
    assert isinstance(op.attr, tuple)
    name, names, level = op.attr
    absolute = _absolute(frame, name, level) if level else name
    found = None if absolute is None or _REAL in m.refused else _loaded(m, absolute, names)
    if found is not None:
        m.folded += 1
        m.set(frame, op, Known(found))
        return
    if level and frame.facts.namespace is not m.home:
        if absolute is None or not names:
            raise Unsupported("a relative import of another module", op.span)
        name, level = absolute, 0
    m.set(frame, op, m.emit("import", (), (name, names, level), hint=hint_of(frame, op)))


def _absolute(frame: Frame, name: str, level: int) -> str | None:
    """The name of a module that is named relative to the package of the running code."""
    package = frame.facts.namespace.get("__package__")
    if type(package) is not str or not package:
        return None
    try:
        return importlib.util.resolve_name("." * level + name, package)
    except ImportError:
        return None


def _loaded(m: Machine, name: str, names: tuple[str, ...] | None) -> types.ModuleType | None:
    """What the statement binds, if all of the modules that it names are loaded, and hold what it takes of them."""
    if not m.world.assumes or m.patient or not _is_plain_import():
        return None
    path = name.split(".")
    modules = [sys.modules.get(".".join(path[: at + 1])) for at in range(len(path))]
    if not all(map(_is_ready, modules)):
        return None
    found = modules[-1] if names is not None else modules[0]
    assert isinstance(found, types.ModuleType)
    if names is not None and not all(one != "*" and module_attribute(m, found, one) is not None for one in names):
        return None
    for at in range(len(path)) if names is None else (len(path) - 1,):
        part = ".".join(path[: at + 1])
        m.world.assume(Assumption("imported", part, sys.modules, part, modules[at]))
    return found


def _is_plain_import() -> bool:
    """Does an import statement do what it does by default?"""
    return type(builtins.__import__) is types.BuiltinFunctionType and type(sys.modules) is dict


def _is_ready(module: object) -> bool:
    """Is this a module that has been loaded to its end?"""
    if type(module) is not types.ModuleType:
        return False
    spec = module.__dict__.get("__spec__")
    return spec is None or not getattr(spec, "_initializing", False)


@rule("import_from")
def import_member(m: Machine, frame: Frame, op: Operation) -> None:
    args = [m.get(frame, arg) for arg in op.args]
    (module,) = args
    if type(module) is Known and type(module.value) is types.ModuleType:
        assert isinstance(op.attr, str)
        found = module_attribute(m, module.value, op.attr)
        if found is None:
            m.refuse(_REAL, "what is imported is not known")
        m.folded += 1
        m.set(frame, op, found)
        return
    m.set(frame, op, m.emit("import_from", args, op.attr, hint=hint_of(frame, op)))
