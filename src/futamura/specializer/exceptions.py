"""Exceptions that specialized code makes: what their classes do with the arguments.

    class Invalid(Exception):
        def __init__(self, text, path):          Invalid("wrong", p)     a virtual exception with arguments of its own
            Exception.__init__(self, text)                               ("wrong",), whatever it was called with
            self.path = path

Invariant: only classes are asked; no code of the program runs.
"""

from __future__ import annotations

from futamura.ir.classes import extends
from futamura.ir.graph import Operation
from futamura.specializer.builtin_errors import keeps_arguments
from futamura.specializer.machine import Machine
from futamura.specializer.raising import plain_argument, raised_at_once
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Virtual

__all__ = ["is_best_left", "keep_arguments", "set_exception_arguments"]


def set_exception_arguments(
    m: Machine, target: AbstractValue, args: list[AbstractValue], cls: type
) -> AbstractValue | None:
    """The `__init__` of a builtin exception class that only keeps the arguments, for an instance of it."""
    target = m.state.resolve(target)
    entry = m.state.object(target)
    if entry is None or entry.kind != "exception" or type(target) is not Virtual or entry.extra != "made":
        return None
    if not extends(entry.cls, cls):
        return None
    fields = [(name, item) for name, item in zip(entry.names, entry.items) if type(name) is str]
    names = (*range(len(args)), *(name for name, _ in fields))
    m.state.heap[target.oid] = entry._replace(items=(*args, *(item for _, item in fields)), names=names)
    return NONE


def keep_arguments(m: Machine, function: object, args: list[AbstractValue]) -> AbstractValue | None:
    """The same where such an `__init__` is called as a function of its class: `Exception.__init__(self, text)`."""
    if not args or not keeps_arguments(function):
        return None
    return set_exception_arguments(m, args[0], args[1:], getattr(function, "__objclass__", object))


def is_best_left(m: Machine, frame: Frame, op: Operation, given: list[AbstractValue]) -> bool:
    """Is the call of an exception's class with these arguments best left as it is, since the exception is a real one at
    once, and brings nothing static but plain values?"""
    return raised_at_once(m, frame, op, given) or _made_at_once(m, site(frame), given)


def _made_at_once(m: Machine, place: object, args: list[AbstractValue]) -> bool:
    """Will an exception that is made here be real before its `__init__` has ended?"""
    noshape = m.versions.noshape
    is_real = place in noshape or (type(place) is tuple and place[1:] in noshape)
    return is_real and all(plain_argument(m, arg) for arg in args)
