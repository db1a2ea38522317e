"""Stores to caches, declared ones and others, and reads of what they do not hold (`caching`).

    _hints[cls] = {"x": int}            of a declared cache: nothing is left, `_hints[cls]` is known from now on
    _hints.get(cls)                     there is no such entry: None, as long as nobody knows better
    _hints[cls]                         KeyError

Invariant: a store that disappears is of a static entry; all others stay.
"""

from __future__ import annotations

from futamura.specializer.machine import Machine, Restart
from futamura.specializer.memo_tables import fills_own, holds_static, may_be_missing, own_entry, stores_own
from futamura.specializer.memo_tables import own_attribute as own_attribute_of
from futamura.specializer.purity import MISSING, class_lookup, own_attribute
from futamura.specializer.realizing import forward_to, realized
from futamura.specializer.selfsame import lookup_key
from futamura.specializer.values import NONE, AbstractValue, Known, VObject

__all__ = [
    "entry_of", "forgotten", "is_entry", "is_missing", "lazy_attribute", "missing_entry", "note_unknown", "noted_store",
    "stored_lazily",
]  # fmt: skip


def forgotten(m: Machine, table: AbstractValue, key: AbstractValue) -> None:
    """`del table[key]`, `table.pop(key)`: of a declared cache, this entry has to be there when the residual runs."""
    key = lookup_key(m, key)
    if type(table) is Known and type(key) is Known and m.world.caches.declared(table.value):
        if m.world.caches.open(table.value, key.value):
            raise Restart("an entry of a declared cache is taken away", whole=True)


def note_unknown(m: Machine, table: AbstractValue, key: AbstractValue) -> None:
    """Say so if what is read of a table would be known but for what its module does with it."""
    if type(table) is Known and type(key) is Known and not m.world.is_frozen(table.value):
        m.frozen(table.value)


def entry_of(m: Machine, table: Known, key: Known) -> Known | None:
    """The entry of a cache, if it is there, or known."""
    if m.world.caches.is_own(table.value):
        return own_entry(m, table, key)
    found = m.world.caches.entry(table.value, key.value)
    if found is None:
        return None
    m.world.freeze(found[0])
    return Known(found[0])


def is_entry(m: Machine, table: Known, key: Known, answer: bool) -> AbstractValue | None:
    """`answer` if the cache has the entry, the contrary if it may be taken for one that is not there."""
    if entry_of(m, table, key) is not None:
        return Known(answer)
    return Known(not answer) if is_missing(m, table, key) else None


def is_missing(m: Machine, table: AbstractValue, key: AbstractValue) -> bool:
    """May this entry of a cache be taken for one that is not there?"""
    if type(table) is not Known or type(key) is not Known:
        return False
    if m.world.caches.is_own(table.value):
        return may_be_missing(m, table, key)
    return m.world.caches.missing(table.value, key.value)


def missing_entry(m: Machine, table: AbstractValue, key: AbstractValue) -> AbstractValue | None:
    """The KeyError of `table[key]`, if the entry may be taken for one that is not there."""
    if not is_missing(m, table, key):
        return None
    return m.virtual(VObject("exception", KeyError, (key,), site=("missing", "KeyError")))


def noted_store(m: Machine, table: AbstractValue, key: AbstractValue, value: AbstractValue) -> bool:
    """`table[key] = value` of a declared cache, whose entry was taken for missing before; False if the store stays."""
    key = lookup_key(m, key)
    if type(table) is not Known or type(key) is not Known:
        return False
    caches = m.world.caches
    if caches.is_own(table.value):
        return stores_own(m, table, key, value)
    if not caches.is_free(table.value, key.value):
        return False
    if caches.is_asked(table.value, key.value) and holds_static(m, value):
        real = realized(m.state, value)
        if real is not None and caches.note(table.value, key.value, real.value, [*real.made.values()]):
            m.world.freeze(real.value)
            forward_to(m.state, real)
            return True
    if caches.open(table.value, key.value):  # it is not static, or it is put there whether it was missing or not
        raise Restart("an entry of a declared cache is not static", whole=True)
    return False


def lazy_attribute(m: Machine, target: Known, name: str) -> AbstractValue | None:
    """A declared attribute that static objects fill when they first need it; None if it is read at run time."""
    table = m.world.caches.of_attribute(type(target.value), name)
    if table is None:
        return own_attribute_of(m, target, name)
    key = m.world.serial(target.value)
    found = m.world.caches.entry(table, key)
    if found is not None:
        m.world.freeze(found[0])
        return Known(found[0])
    content = _content(target.value, name)
    if type(content) is dict:
        m.world.caches.declare(content)
    return NONE if content is None and m.world.caches.missing(table, key) else None


def _content(value: object, name: str) -> object:
    """The attribute of this object, or the one of its class in its place; a descriptor if it has none."""
    own = own_attribute(value, name)
    return class_lookup(type(value), name) if own is MISSING else own


def stored_lazily(m: Machine, target: Known, name: str, value: AbstractValue) -> bool:
    """`target.name = value` of a declared attribute; False if the store has to stay."""
    table = m.world.caches.of_attribute(type(target.value), name)
    if table is None:
        return fills_own(m, target, name, value)
    return noted_store(m, Known(table), Known(m.world.serial(target.value)), value)
