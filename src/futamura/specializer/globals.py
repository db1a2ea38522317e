"""Globals: what code finds in its module.

    RATE (bound once, never written by visible code)   ->  Known, with an assumption
    counter (rebound by visible code), own module       ->  a global read of the residual
    counter of another module, whose code was inlined   ->  the same, if it is there and nobody deletes it
                                                            else read_global(module, "counter")

Invariant: a global operation of inlined code works on the globals of the module where that code was written.
"""

from __future__ import annotations

import builtins
import sys
import types
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.ir.homes import module_of
from futamura.runtime import delete_global, read_global, write_global
from futamura.specializer import library
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.rules import rule
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known

__all__ = ["module_attribute"]

_NAMED: Final = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)


@rule("global_get")
def global_get(m: Machine, frame: Frame, op: Operation) -> None:
    assert isinstance(op.attr, tuple)
    module, name = op.attr
    if library.is_own(frame.facts.namespace):  # ours: nothing that a program could rebind
        own = frame.facts.namespace
        m.set(frame, op, Known(own[name] if name in own else getattr(builtins, name)))
        return
    found = m.world.lookup(frame.facts.namespace, module, name)
    if found is not None:
        if type(found[0]) is dict and m.world.keeps_elsewhere(frame.facts.namespace, name):
            _see_elsewhere(m, found[0])
        named = name != m.own_name and name not in m.hidden
        if named and frame.facts.namespace is m.home and is_a(found[0], _NAMED):
            m.named[id(found[0])] = op.attr
        m.set(frame, op, Known(found[0]))
        return
    exists = name in frame.facts.namespace or hasattr(builtins, name)
    if not exists and not m.world.is_assigned(frame.facts.namespace, name):
        m.event("FT207", f"`{module}.{name}` does not exist when the residual is made: it is looked up at run time")
    if frame.facts.namespace is m.home and name not in m.hidden:
        m.set(frame, op, m.emit("global_get", (), op.attr, hint=None))
        return
    elsewhere = _elsewhere(m, frame)
    if elsewhere is not None and m.world.present.believes(frame.facts.namespace, module, name):
        m.set(frame, op, m.emit("global_get", (), (elsewhere, name)))
        return
    call = (Known(read_global), _place_of(m, frame), Known(name))
    m.set(frame, op, m.emit("call", call, None, hint=name))


@rule("global_set", "global_del")
def assign_global(m: Machine, frame: Frame, op: Operation) -> None:
    args = [m.get(frame, arg) for arg in op.args]
    assert isinstance(op.attr, tuple)
    name = op.attr[1]
    if m.world.assign(frame.facts.namespace, name, gone=not args):
        raise Restart(f"global {name} is assigned", whole=True)
    if frame.facts.namespace is m.home and name not in m.hidden:
        m.emit_many(op.operator.name, args, op.attr, results=0)
        return
    for arg in args:
        m.escape(arg)
    elsewhere = _elsewhere(m, frame) if args else None
    if elsewhere is not None:
        m.emit_many("global_set", args, (elsewhere, name), results=0)
        return
    function = write_global if args else delete_global
    m.emit("call", (Known(function), _place_of(m, frame), Known(name), *args), None)


def _elsewhere(m: Machine, frame: Frame) -> str | None:
    """The name of the module whose globals the running code has, if that is another one than the residual's."""
    module = module_of(frame.facts.namespace)
    if module is None or frame.facts.namespace is m.home or module.__name__ == m.home.get("__name__"):
        return None
    return module.__name__


def _place_of(m: Machine, frame: Frame) -> Known:
    """Where the running code's globals are: its module, if it has one that can be named."""
    namespace = frame.facts.namespace
    found = sys.modules.get(str(namespace.get("__name__")))
    return Known(found if is_a(found, types.ModuleType) and found.__dict__ is namespace else namespace)


def module_attribute(m: Machine, module: types.ModuleType, name: str) -> AbstractValue | None:
    """What a module has under a name, if that is known."""
    if type(module) is not types.ModuleType:
        return None
    if type(module.__dict__.get(name)) in (list, dict, set):
        m.world.look_at(m.state.top.facts.namespace)  # its text may change it by this very name
    found = m.world.lookup(module.__dict__, module.__name__, name) if name in module.__dict__ else None
    if found is not None and type(found[0]) is dict:
        _see_elsewhere(m, found[0])
    return Known(found[0]) if found is not None else None


def _see_elsewhere(m: Machine, table: object) -> None:
    """This dict is not only used by the functions that keep something in it."""
    if m.world.caches.meet_elsewhere(table):
        raise Restart("another module uses a dict in which functions keep what they have computed", whole=True)
