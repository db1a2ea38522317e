"""Declared caches that are calls: functions in `functools.lru_cache`, `functools.cached_property`.

    hints(Order)                 hints declared: what `hints.__wrapped__(Order)` gives, found out once
    self.parts                   parts declared, self static: what its function gives, found out once
    point.norm                   of a virtual instance: its function is called, and the instance keeps what it gives

Invariant: what is not static stays a call of the cache; so what it saves is still saved.
"""

from __future__ import annotations

import functools
import gc
from types import FunctionType

from futamura.ir.constant import exact_key
from futamura.specializer import library
from futamura.specializer.binding import Keywords
from futamura.specializer.caching import LRU, is_plain_key
from futamura.specializer.machine import Machine
from futamura.specializer.partials import Call
from futamura.specializer.purity import MISSING, class_lookup, deep, keeps_attributes, own_attributes, stored_attribute
from futamura.specializer.settled import is_refused, settling_cached_call, settling_call
from futamura.specializer.values import AbstractValue, Known

__all__ = ["cached_property_of", "call_of_cache", "may_be_entered", "see_elsewhere"]


def call_of_cache(m: Machine, function: AbstractValue, args: list[AbstractValue], keywords: Keywords) -> Call | None:
    """The call of a function in a declared `lru_cache` as one of a function in Python; None if it has to stay."""
    if type(function) is not Known or type(function.value) is not LRU:
        return None
    table = m.world.caches.inside(function.value)
    wrapped = _wrapped(function.value)
    if table is None and wrapped is not None:
        if (settling := settling_cached_call(m, function, wrapped, args, keywords)) is not None:
            return settling
    if table is None and wrapped is not None and all(type(arg) is Known for arg in args):
        m.event("FT307", f"the call of `{wrapped.__qualname__}` stays: it keeps what it gave")
    if table is None or wrapped is None:
        return None
    parts = [_part_of_key(m, value) for value in (*args, *(value for _, value in keywords))]
    if not all(parts):
        return None
    key = (*parts, *(name for name, _ in keywords))
    return _entry_or_call(m, table, key, wrapped, args, keywords)


def may_be_entered(m: Machine, cache: object, target: AbstractValue) -> bool:
    """Could the call of this cached method of `target` be one of its function?"""
    return m.world.caches.inside(cache) is not None or (type(target) is Known and not is_refused(m, cache))


def see_elsewhere(m: Machine, cache: object) -> None:
    """The code asks what a cache holds: its calls stay."""
    if m.world.caches.inside(cache) is None and not is_refused(m, cache):
        m.refuse(("settled", m.world.serial(cache)), "the code asks what a cache holds")


def _wrapped(cache: object) -> FunctionType | None:
    """The Python function behind an `lru_cache`; None if its name for it was bound anew."""
    found = (own_attributes(cache) or {}).get("__wrapped__")
    held = any(part is found for part in gc.get_referents(cache))
    return found if held and type(found) is FunctionType else None


def _part_of_key(m: Machine, value: AbstractValue) -> object:
    """What tells this argument of a cached function apart; None if that takes code of the program."""
    if type(value) is not Known:
        return None
    if deep(value.value):
        return exact_key(value.value)
    return ("object", m.world.serial(value.value)) if is_plain_key(value.value) else None


def _entry_or_call(
    m: Machine,
    table: dict[object, object],
    key: object,
    function: object,
    args: list[AbstractValue],
    keywords: Keywords,
) -> Call | None:
    """A call that gives the entry, or that finds out what it is; None if it is not static."""
    found = m.world.caches.entry(table, key)
    if found is not None:
        m.world.freeze(found[0])
        return Known(library.itself), [Known(found[0])], []
    if not m.world.caches.missing(table, key):
        return None
    return Known(library.remembered), [Known(table), Known(key), Known(function), *args], keywords


def cached_property_of(
    m: Machine, target: AbstractValue, found: functools.cached_property[object], name: str
) -> Call | None:
    """The call behind a `cached_property` that has no value yet; None if it is read at run time."""
    if type(target) is Known:
        table, stored = m.world.caches.inside(found), stored_attribute(target.value, name) is not MISSING
        place = (m.world.serial(target.value), name)
        kept = place in m.state.overlays or place in m.world.written
        if not keeps_attributes(target.value) or stored or kept:
            return None
        if table is None:
            if (settling := settling_call(m, target, found, name)) is not None:
                return settling
            m.event("FT307", f"the attribute `{name}` is read when the residual runs: it is computed when first needed")
            return None
        return _entry_or_call(m, table, m.world.serial(target.value), found.func, [target], [])
    entry = m.state.object(target)
    if entry is None or entry.kind != "instance" or name in entry.names or found.attrname != name:
        return None
    if class_lookup(entry.cls, "__setattr__") is not vars(object)["__setattr__"] or not entry.cls.__dictoffset__:
        return None
    return Known(library.kept), [target, Known(name), Known(found.func)], []
