"""Dicts, and attributes of static objects, in which the program keeps what it has computed (`futamura.frontend.memos`).

    hints = _hints.get(cls)                          answered as if it were not there, once in each attempt
    if hints is None:
        hints = _hints[cls] = get_type_hints(cls)    nothing is left: from now on, this is what `_hints.get(cls)` gives

    if self._index is None:
        self._index = {...}                          `keep(self, "_index", {...})` is left, and what is in it is known

The text says that the function goes on as if the entry had been there.  Here it is seen that what it does for a missing
key leaves nothing else, and gives something static.

Invariant: an object that stands for an entry is in no residual.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Final

from futamura.runtime import keep
from futamura.specializer.caching import changes_any, inside, is_plain_key, is_told_apart, same
from futamura.specializer.kept import CachedItem, Place
from futamura.specializer.machine import Machine
from futamura.specializer.owned import NOTHING
from futamura.specializer.purity import (
    MISSING,
    class_lookup,
    deep,
    is_mutable,
    keeps_attributes,
    plain_lookup,
    stored_attribute,
)
from futamura.specializer.realizing import Real, forward_to, realized
from futamura.specializer.residual import ResidualOperation
from futamura.specializer.values import NONE, AbstractValue, Known

__all__ = ["fills_own", "holds_static", "may_be_missing", "own_attribute", "own_entry", "stores_own"]


_OF_CONSTANTS: Final = frozenset({"typing", "types", "re", "datetime", "decimal", "fractions", "uuid", "pathlib"})
"""Modules whose objects stay as they are."""


def own_entry(m: Machine, table: Known, key: Known) -> Known | None:
    """The entry, if it is there, or if the program has put it there in this attempt."""
    place = _place(m, table, key)
    if place is None:
        return None
    assert isinstance(table.value, dict)
    if key.value in table.value:
        value = table.value[key.value]
        held = [part for part in inside(value) if not _is_constant(part)]
        if m.world.caches.may_change(table.value, value, held):
            return None
        m.world.freeze(value)
        return Known(value)
    return m.kept.values.get(place)


def may_be_missing(m: Machine, table: Known, key: Known) -> bool:
    """May the entry be taken for one that is not there?"""
    place = _place(m, table, key)
    assert isinstance(table.value, dict)
    if place is None or place in m.kept.values or key.value in table.value:
        return False
    _ask(m, place)
    return True


def stores_own(m: Machine, table: Known, key: Known, value: AbstractValue) -> bool:
    """`table[key] = value`, where the entry was taken for one that is not there; False if the store stays."""
    place = _place(m, table, key)
    if place is None or place not in m.kept.asked:
        return False

    def changes(real: Real) -> bool:
        return m.world.caches.may_change(table.value, real.value, real.made.values())

    real = _kept(m, place, value, changes)
    needed = functools.partial(_needed, m, place)
    if any(part is real.value for part in real.made.values()):
        m.kept.reads.update((id(part), needed) for part in real.made.values() if not deep(part))
    return True


def _kept(m: Machine, place: Place, value: AbstractValue, changes: Callable[[Real], bool]) -> Real:
    """What the program keeps there, with what is made for it: the same in all attempts."""
    real = realized(m.state, value) if m.kept.begun.pop(place, None) == m.emitted else None
    if real is None or not holds_static(m, value):
        m.refuse(("settled", *place), "what the program keeps is not static")
    if changes(real):
        m.refuse(("settled", *place), "what the program keeps is changed, or handed on")
    stands, parts = m.world.settled.setdefault(place, (real.value, [*real.made.values()]))
    if stands is not real.value and not (len(parts) == len(real.made) and same(stands, real.value)):
        m.refuse(("settled", *place), "what the program keeps is another thing each time")
    m.world.freeze(stands)
    m.kept.values[place] = Known(stands)
    kept = Real(stands, dict(zip(real.made, parts)))
    forward_to(m.state, kept)
    return kept


def own_attribute(m: Machine, target: Known, name: str) -> Known | None:
    """What an attribute is that a static object fills when it first needs it: None, or what it has been filled with in
    this attempt; None if it is another attribute, or read when the residual runs."""
    place = _place_of_attribute(m, target, name)
    if place is None:
        return None
    if place in m.kept.values:
        return _filled(m, target, name, m.kept.values[place])
    _ask(m, place)
    return NONE


def _ask(m: Machine, place: Place) -> None:
    """What the program does from here on is for this entry."""
    m.kept.begun[place] = m.emitted
    m.kept.asked[place] = None


def fills_own(m: Machine, target: Known, name: str, value: AbstractValue) -> bool:
    """`target.name = value`, where the attribute was taken for None; False if the store stays."""
    place = _place_of_attribute(m, target, name)
    if place is None or place not in m.kept.asked:
        return False
    entries = m.world.lazily_filled(type(target.value), name)

    def changes(real: Real) -> bool:
        made = real.made.values()
        return entries is None or changes_any(real.value, made, changed=entries.changed, inside=entries.inside)

    real = _kept(m, place, value, changes)
    stands = real.value
    if any(part is stands for part in real.made.values()) and not deep(stands):
        needed = functools.partial(_needed, m, place)
        m.kept.reads.update((id(part), needed) for part in real.made.values() if not deep(part) and part is not stands)
        m.kept.reads[id(stands)] = functools.partial(_read, m, target, name)
        m.kept.found[id(target.value), name] = stands
    _filled(m, target, name, Known(stands))
    return True


def _place_of_attribute(m: Machine, target: Known, name: str) -> Place | None:
    """What stands for an attribute that is None as yet, and is only used by the methods that fill it."""
    value, cls = target.value, type(target.value)
    place = (m.world.serial(value), name)
    if stored_attribute(value, name) is not None or place in m.world.written or ("settled", *place) in m.refused:
        return None
    plain = class_lookup(cls, "__setattr__") is vars(object)["__setattr__"] and plain_lookup(cls)
    if not plain or not keeps_attributes(value) or class_lookup(cls, name) is not MISSING:
        return None
    if m.world.is_of_a_constant(value) or not m.world.contents(value) or m.world.lazily_filled(cls, name) is None:
        return None
    if str(m.state.top.facts.namespace.get("__name__")) not in {base.__module__ for base in cls.__mro__}:
        m.refuse(("settled", *place), "code of another module sees whether an attribute is filled")
    return place


def _filled(m: Machine, target: Known, name: str, value: Known) -> Known:
    """`value`, behind what fills the attribute with it, if it is not filled."""
    reads = m.kept.reads.pop(id(value.value), None)
    operands = [m.lift(Known(keep)), m.lift(target), m.lift(Known(name)), m.lift(value)]
    if reads is not None:
        m.kept.reads[id(value.value)] = reads
    found, where = m.residual_value(), m.state.frames[-1].facts
    m.state.owned = NOTHING
    m.block.ops.append(ResidualOperation("call", tuple(operands), None, (found,), m.span, where=where))
    m.kept.made[found] = (m.world.serial(target.value), name)
    m.kept.bare[found] = []
    return value


def _read(m: Machine, target: Known, name: str) -> int:
    """What the object has kept."""
    found, where = m.residual_value(), m.state.frames[-1].facts
    m.block.ops.append(ResidualOperation("getattr", (m.lift(target),), name, (found,), m.span, where=where))
    return found


def _place(m: Machine, table: Known, key: Known) -> Place | None:
    """What stands for this entry; None if it is looked up when the residual runs."""
    assert isinstance(table.value, dict)
    texts = m.world.caches.has_texts(table.value)
    if not is_told_apart(key.value, texts) or not all(map(is_plain_key, table.value)):
        return None
    place = m.world.serial(table.value), CachedItem.of(key.value)
    return None if ("settled", *place) in m.refused else place


def _needed(m: Machine, place: Place) -> int:
    """What stands for an entry is not the entry."""
    m.refuse(("settled", *place), "what is kept in a dict is needed itself")


def holds_static(m: Machine, value: AbstractValue) -> bool:
    """Does it hold nothing that others may write?"""
    known = [leaf.value for leaf in m.state.leaves(value) if type(leaf) is Known]
    return all(_is_constant(content) or m.world.is_frozen(content) for content in known)


def _is_constant(value: object) -> bool:
    """Is this what nobody writes?"""
    return not is_mutable(value) or type(value).__module__ in _OF_CONSTANTS or type(type(value)) is enum.EnumMeta
