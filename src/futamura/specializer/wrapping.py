"""`functools.update_wrapper` and `functools.wraps` on functions that are made during specialization.

    def logged(f):                         go = logged(step); go(x)
        @functools.wraps(f)                ->  what `w` does, in line: neither `w` nor what is copied to it is made
        def w(*args): return f(*args)
        return w

What was a virtual function is a virtual wrapper from then on: the same object, which holds the function, now under a
number of its own, and what it wraps.  Whoever gets it gets what `functools` makes: the function is made, and updated.
Updated late, it must find what it would have found in time: a function that nobody else has seen meanwhile has all its
attributes as it was made with them.  Where something else is wrapped, or somebody has got the wrapped function first,
the specialization starts again, and the wrapper is a real one from the start.

What the program stores on such a function (`w.calls = 0`, `w.__name__ = f.__name__`) is kept in the same way, by an
object that holds the function and the attributes.

Invariant: the attributes that are copied are read without running code, and each store of them succeeds.
"""

from __future__ import annotations

import functools
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final, NoReturn

from futamura.ir.attributes import FunctionAttr
from futamura.ir.graph import Function, Operation, Signature
from futamura.specializer.binding import Keywords
from futamura.specializer.callables import assume_code
from futamura.specializer.emitting import CONSTRUCTORS, CYCLE_BREAKERS, Emitter
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.functionparts import part_of_function
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS
from futamura.specializer.purity import MISSING, class_lookup
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import (
    FUNCTIONS,
    LABELLED,
    WRAPPER,
    AbstractValue,
    Dynamic,
    Known,
    Virtual,
    VObject,
)

__all__ = ["FIELDS_OF_FUNCTIONS", "function_within", "store_on_function"]

_FUNCTION: Final[Any] = functools.update_wrapper
_PARAMETERS: Final = ("wrapper", "wrapped", "assigned", "updated")
_NAMES: Final = frozenset({"__name__", "__qualname__", "__doc__"})
_TEXTS: Final = ("__name__", "__qualname__")
"""Those that only take a text."""
_COPIED: Final = _NAMES | {"__module__", "__annotations__", "__type_params__"}
"""Attributes that functions have from their birth on, or not at all, and that take what another function has there."""


def function_within(m: Machine, entry: VObject) -> VObject | None:
    """The function that a virtual wrapper, or one with attributes, is, as it was made; None if it is a real one by
    now."""
    held: VObject | None = entry
    while held is not None and held.kind in (WRAPPER, LABELLED):
        held = m.state.object(held.items[0])
    return held


def _update_wrapper(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    given = dict(zip(_PARAMETERS, args)) | dict(keywords)
    place = site(frame)
    if m.patient or not m.world.assumes or _made_at_once(place) in m.refused or len(given) < len(args) + len(keywords):
        return None
    standard = _FUNCTION.__defaults__ or ()
    complete = len(given) == len(_PARAMETERS)
    given = dict(zip(_PARAMETERS[len(_PARAMETERS) - len(standard) :], map(Known, standard))) | given
    if given.keys() != {*_PARAMETERS}:
        return None
    wrapper, wrapped, assigned, updated = (m.state.resolve(given[name]) for name in _PARAMETERS)
    copied = (_names(assigned, _COPIED), _names(updated, frozenset({"__dict__"})))
    if type(wrapper) is not Virtual or None in copied or not _is_own(m, wrapper) or not _is_plain(m, wrapper, wrapped):
        return None
    if not assume_code(m, _FUNCTION, Signature(regular=_PARAMETERS), complete=complete):
        return None
    inner = m.virtual(m.state.heap[wrapper.oid])
    m.state.heap[wrapper.oid] = VObject(WRAPPER, FunctionType, (inner, wrapped), site=place, extra=copied)
    return wrapper


def _made_at_once(place: object) -> object:
    """The mark of wrappers that are real ones from the start: where they are made, whoever made the caller run."""
    assert isinstance(place, tuple)
    return ("wrapping", place[0][-1:], *place[1:])


def _names(value: AbstractValue, among: frozenset[str]) -> tuple[str, ...] | None:
    """A known tuple of some of these names."""
    names = value.value if type(value) is Known else None
    if type(names) is not tuple or not all(type(name) is str and name in among for name in names):
        return None
    return names


def _is_own(m: Machine, wrapper: Virtual) -> bool:
    """Is this a virtual function of which nobody would miss what becomes of it: the caller of a residual function, what
    it gives, as a generator has its name, and a wrapper that has copied its attributes?"""
    entry = m.state.heap[wrapper.oid]
    if entry.kind not in FUNCTIONS:
        return False
    within = function_within(m, entry)
    if within is None or within.kind != "function" or _source(m, within).kind != "function":
        return False
    if any(one.kind == WRAPPER and _is_it(m.state.resolve(one.items[1]), wrapper) for one in m.state.heap.values()):
        return False
    lent = [active.env[slot] for active in m.state.frames for slot in active.held if slot in active.env]
    seen: set[int] = set()
    for value in lent:
        for _ in m.state.leaves(value, seen):
            pass
    return wrapper.oid not in seen


def _is_it(value: AbstractValue, wrapper: Virtual) -> bool:
    return type(value) is Virtual and value.oid == wrapper.oid


def _is_plain(m: Machine, wrapper: Virtual, wrapped: AbstractValue) -> bool:
    """Does reading the attributes of what is wrapped run no code, and raise nothing?"""
    entry = m.state.object(wrapped)
    if entry is not None:
        function = m.state.resolve(entry.items[0]) if entry.kind == "bound" else None
        of_function = function is not None and type(function) is not Virtual and _is_plain(m, wrapper, function)
        return of_function or (entry.kind in FUNCTIONS and not _is_it(wrapped, wrapper))
    value = wrapped.value if type(wrapped) is Known else None
    if type(value) is MethodType:
        value = value.__func__
    if type(value) is FunctionType:
        return type(value.__dict__) is dict and not m.world.is_stored_on_function(value, "__dict__")
    return type(value) is BuiltinFunctionType and type(value.__self__) is ModuleType


def _source(m: Machine, entry: VObject) -> Function:
    assert isinstance(entry.extra, tuple)
    maker, attr = entry.extra
    assert isinstance(maker, FunctionFacts) and isinstance(attr, FunctionAttr)
    return m.nested(maker, attr.name).function


def _part(m: Machine, entry: VObject, name: str) -> AbstractValue | None:
    """An attribute of a virtual function, which has those that it was made with; None if it has to be a real one."""
    if entry.kind == LABELLED:
        if name in entry.names:
            return m.state.resolve(entry.items[entry.names.index(name)])
        held = m.state.object(entry.items[0])
        return None if held is None else _part(m, held, name)
    if entry.kind == WRAPPER:
        assert isinstance(entry.extra, tuple)
        if name == "__wrapped__":
            return m.state.resolve(entry.items[1])
        copied = name in entry.extra[0] or (name not in _NAMES and bool(entry.extra[1]))
        of = m.state.resolve(entry.items[copied])
        if type(of) is Known and name in _NAMES:
            return _name_of_static(m, of.value, name)
        held = m.state.object(of)
        return None if held is None or not _is_known(name) or held.kind == "bound" else _part(m, held, name)
    if name not in _NAMES:
        return None
    source = _source(m, entry)
    texts = {"__name__": source.qualname.rpartition(".")[2], "__qualname__": source.qualname, "__doc__": source.doc}
    return Known(texts[name])


def _name_of_static(m: Machine, value: object, name: str) -> AbstractValue | None:
    """One of the names of what a wrapper wraps."""
    if type(value) is FunctionType:
        return part_of_function(m, value, name)
    return Known(getattr(value, name)) if type(value) is BuiltinFunctionType else None


def _is_known(name: str) -> bool:
    """Is this an attribute that functions have from the start, or only if it is stored?"""
    return name in _NAMES or class_lookup(FunctionType, name) is MISSING


def store_on_function(m: Machine, frame: Frame, target: AbstractValue, name: str, value: AbstractValue) -> bool:
    """`function.name = value`, of a function that is made during specialization, and of which nobody would miss it."""
    entry = m.state.object(target)
    if entry is None or entry.kind not in FUNCTIONS or type(target) is not Virtual or not _is_known(name):
        return False
    if name in _TEXTS and (type(value) is not Known or type(value.value) is not str):
        return False
    place = site(frame)
    if m.patient or _made_at_once(place) in m.refused or not _is_own(m, target):
        return False
    if entry.kind != LABELLED:
        entry = VObject(LABELLED, FunctionType, (m.virtual(entry),), ("",), place)
    if name in entry.names:
        at = entry.names.index(name)
        entry = entry.with_items((*entry.items[:at], value, *entry.items[at + 1 :]))
    else:
        entry = entry._replace(names=(*entry.names, name), items=(*entry.items, value))
    m.state.heap[target.oid] = entry
    return True


def _labelled_for_real(m: Emitter, entry: VObject) -> Dynamic:
    inner = m.lift(entry.items[0])
    made = Dynamic(inner, FunctionType)
    for name, value in zip(entry.names[1:], entry.items[1:], strict=True):
        m.emit("setattr", (value, made), str(name), results=0, raises=False)
    return made


def _make_at_once(m: Emitter, entry: VObject) -> NoReturn:
    """A wrapper contains itself, or has to be made later than somebody gets what it wraps."""
    m.refuse(_made_at_once(entry.site), "a function in a wrapper is seen by others before the wrapper is")


def _made_real(m: Emitter, entry: VObject) -> Dynamic:
    inner, wrapped = entry.items
    held = m.state.object(wrapped)
    if held is None or held.kind == "bound":
        _make_at_once(m, entry)
    assert isinstance(entry.extra, tuple)
    operands = (Known(_FUNCTION), inner, wrapped, *map(Known, entry.extra))
    return m.emit("call", operands, ("", *_PARAMETERS[1:]), type=FunctionType, raises=False)


KEYWORD_MODELS[_FUNCTION] = _update_wrapper
FIELDS_OF_FUNCTIONS: Final = dict.fromkeys(FUNCTIONS, _part)
CONSTRUCTORS[WRAPPER] = _made_real
CONSTRUCTORS[LABELLED] = _labelled_for_real
CYCLE_BREAKERS[WRAPPER] = _make_at_once
CYCLE_BREAKERS[LABELLED] = _make_at_once
