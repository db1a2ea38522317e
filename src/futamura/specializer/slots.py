"""Slots of builtin classes as objects: `object.__setattr__.__get__(x)` is a method of `x`.

    put = object.__setattr__.__get__(self)         put("name", 3) is object.__setattr__(self, "name", 3)

Invariant: only the slots of `object` are meant, which no program can replace, and methods that are called and used for
nothing else: whoever looks at one sees a class of its own.
"""

from __future__ import annotations

from types import MethodWrapperType, WrapperDescriptorType

from futamura.ir.classes import is_a
from futamura.ir.graph import Function, Operation
from futamura.specializer.machine import Machine
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["bound_slot"]


def bound_slot(
    m: Machine, frame: Frame, op: Operation, function: object, args: list[AbstractValue]
) -> AbstractValue | None:
    """`object.__setattr__.__get__(x)`: the method of `x`, with which frozen classes fill new objects."""
    if not is_a(function, MethodWrapperType) or function.__name__ != "__get__" or len(args) not in (1, 2):
        return None
    slot = function.__self__
    if not is_a(slot, WrapperDescriptorType) or slot.__objclass__ is not object:
        return None
    if m.state.object(args[0]) is None or not _is_only_called(frame.facts.function, op.results[0]):
        return None
    return m.virtual(VObject("bound", object, (Known(slot), args[0]), site=site(frame)))


def _is_only_called(function: Function, value: int) -> bool:
    """Does a function nothing with this value but call it?"""
    for block in function.blocks:
        end = block.terminator
        edges = (*end.edges, *([block.handler] if block.handler is not None else []))
        if value in end.args or any(value in edge.args for edge in edges):
            return False
        if any(value in (op.args[1:] if op.name == "call" else op.args) for op in block.ops):
            return False
    return True
