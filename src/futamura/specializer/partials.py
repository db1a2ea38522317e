"""Callables that are made of others: `functools.partial`, `operator.itemgetter`, `operator.attrgetter`, bound methods.

    p = partial(f, 1, k=x)           a virtual object; p(2) is f(1, 2, k=x)
    get = itemgetter(1); get(row)    row[1]
    match = re.compile("a+").match   match(x), where it is known, is the method of the pattern

They are constructed as what they are if they escape.  `functools.lru_cache` is not looked into: its cache is state.

Invariant: only exact instances of these classes; what a subclass does is not known.
"""

from __future__ import annotations

import functools
import operator
import types
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.emitting import CONSTRUCTORS, Emitter
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS, MODELS
from futamura.specializer.plainness import WITH_BUILTIN_METHODS
from futamura.specializer.purity import MISSING, class_lookup, deep, own_attribute, plain_reads
from futamura.specializer.rules import exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.values import FUNCTIONS, AbstractValue, Dynamic, Known, VObject

__all__ = ["Call", "call_of_partial", "is_callable"]

Call = tuple[AbstractValue, list[AbstractValue], list[tuple[str, AbstractValue]]]
"""A function with its arguments."""

_GETTERS: Final[dict[type, object]] = {
    operator.itemgetter: library.items_at,
    operator.attrgetter: library.attributes_at,
}


def call_of_partial(
    m: Machine, function: AbstractValue, args: list[AbstractValue], keywords: list[tuple[str, AbstractValue]]
) -> Call | None:
    """What a call of one of these objects calls; None if `function` is none of them."""
    entry = m.state.object(function)
    if entry is not None and entry.kind == "partial":
        names = _keywords(entry)
        count = len(entry.items) - len(names)
        given = dict(zip(names, entry.items[count:], strict=True))
        given.update(keywords)
        return entry.items[0], [*entry.items[1:count], *args], list(given.items())
    if entry is not None and entry.kind == "getter":
        return None if keywords or len(args) != 1 else (Known(_GETTERS[entry.cls]), [*args, *entry.items], [])
    if type(function) is not Known:
        return None
    value = function.value
    if type(value) is functools.partial and (not value.keywords or m.frozen(value)):
        for part in (value.func, *value.args, *value.keywords.values()):
            m.world.found(value, part)
        held: dict[str, AbstractValue] = {name: Known(arg) for name, arg in value.keywords.items()}
        held.update(keywords)
        return Known(value.func), [*(Known(arg) for arg in value.args), *args], list(held.items())
    if type(value) in _GETTERS and not keywords and len(args) == 1:
        keys = value.__reduce__()[1]
        assert isinstance(keys, tuple)
        return Known(_GETTERS[type(value)]), [*args, *(Known(key) for key in keys)], []
    if is_a(value, types.BuiltinFunctionType) and _is_of_builtin(value):
        entry = VObject("method", type(value.__self__), (Known(value.__self__),), extra=value.__name__)
        return m.virtual(entry), args, keywords
    return None


def _is_of_builtin(function: types.BuiltinFunctionType) -> bool:
    """Is this a method of an instance of a builtin class?"""
    cls = type(function.__self__)
    found = class_lookup(cls, function.__name__) if cls in WITH_BUILTIN_METHODS else None
    return is_a(found, types.MethodDescriptorType)


def _partial(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: list[tuple[str, AbstractValue]]
) -> AbstractValue | None:
    if not args or not is_callable(m, args[0]):
        return None
    items = (*args, *(value for _, value in keywords))
    names = tuple(name for name, _ in keywords)
    return m.virtual(VObject("partial", functools.partial, items, (), site(frame), names))


def _keywords(entry: VObject) -> tuple[str, ...]:
    """The names of the trailing items of a partial object."""
    assert isinstance(entry.extra, tuple)
    return entry.extra


def is_callable(m: Machine, value: AbstractValue) -> bool:
    entry = m.state.object(value)
    if entry is not None and entry.kind != "instance":
        return entry.kind in FUNCTIONS or entry.kind in ("bound", "partial", "getter")
    known = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, *_GETTERS, functools.partial)
    if type(value) is Known and is_a(value.value, known):
        return True
    cls = exact_type(m, value)
    found = MISSING if cls is None else class_lookup(cls, "__call__")
    if type(found) is not types.FunctionType:
        return False
    assert cls is not None
    m.assume_attribute(cls, "__call__", found)
    return True


def _itemgetter(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    return m.virtual(VObject("getter", operator.itemgetter, tuple(args), site=site(frame))) if args else None


def _attrgetter(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    if not args or not all(type(arg) is Known and type(arg.value) is str and deep(arg.value) for arg in args):
        return None
    return m.virtual(VObject("getter", operator.attrgetter, tuple(args), site=site(frame)))


def _construct_partial(m: Emitter, entry: VObject) -> Dynamic:
    names = _keywords(entry)
    shape = (*("" for _ in range(len(entry.items) - len(names))), *names) if names else None
    return m.emit("call", (Known(functools.partial), *entry.items), shape, type=entry.cls, raises=False)


def _construct_getter(m: Emitter, entry: VObject) -> Dynamic:
    return m.emit("call", (Known(entry.cls), *entry.items), type=entry.cls, raises=False)


def _construct_bound(m: Emitter, entry: VObject) -> Dynamic:
    """A bound method: read from its object if that gives this very function."""
    function, target = (m.state.resolve(item) for item in entry.items)
    held = m.state.object(target)
    if held is not None and held.kind == "instance" and type(function) is Known and _is_method(held, function.value):
        return m.emit("getattr", (target,), function.value.__name__, raises=False)  # type: ignore[attr-defined]
    if type(target) is Known and type(function) is Known and type(function.value) is types.FunctionType:
        name = function.value.__name__
        if isinstance(m, Machine) and _gives(m, target.value, name, function.value):
            return m.emit("getattr", (target,), name, raises=False)
    return m.emit("call", (Known(types.MethodType), function, target), raises=False)


def _gives(m: Machine, owner: object, name: str, function: types.FunctionType) -> bool:
    """Was this method read off the static object, and is it what reading gives again?"""
    world, cls = m.world, type(owner)
    read = (world.serial(owner), name) in m.read_places and ("attribute", id(cls), name) in world.assumptions
    if not read or m.state.general or world.gave_up(owner) or not plain_reads(cls):
        return False
    return class_lookup(cls, name) is function and own_attribute(owner, name) is MISSING


def _is_method(held: VObject, function: object) -> bool:
    if type(function) is not types.FunctionType or function.__name__ in held.names:
        return False
    plain = class_lookup(held.cls, "__getattribute__") is vars(object)["__getattribute__"]
    return plain and class_lookup(held.cls, function.__name__) is function


KEYWORD_MODELS[functools.partial] = _partial
MODELS[operator.itemgetter] = _itemgetter
MODELS[operator.attrgetter] = _attrgetter
CONSTRUCTORS["bound"] = _construct_bound
CONSTRUCTORS["partial"] = _construct_partial
CONSTRUCTORS["getter"] = _construct_getter
