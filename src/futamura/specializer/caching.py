"""Declared caches: memo tables of which an entry may be there or not, and never changes.

    hints = _hints.get(cls)                             answered as if it were not there
    if hints is None:
        hints = _hints[cls] = get_type_hints(cls)       noted: this is what the table gives for that key
    ...                                                 from now on, `_hints.get(cls)` is what was noted

What a table holds when the residual is made is used as it is.  For what it does not hold, a trial, an attempt whose
code is thrown away, finds out what the program itself puts there; the attempt after it knows.  An entry that is not
static, that two stores do not agree about, or that is written later is open: it is read when the residual runs.

Invariant: the attempt that gives the residual has answered nothing as "not there".  What may change was noted by a
trial that ran to its end from the place where it was stored, so that nothing is put into it later.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Collection
from dataclasses import dataclass
from types import BuiltinFunctionType, GenericAlias, MemberDescriptorType, MethodType, UnionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.constant import exact_key
from futamura.specializer.history import Restore, copied, copied_dicts
from futamura.specializer.plainness import comparable
from futamura.specializer.purity import HEAP_TYPE, can_be_written, class_lookup, deep, is_mutable, own_attributes

__all__ = ["LRU", "Attribute", "Caches", "inside", "is_plain_key", "is_told_apart", "same"]

_MOST_TRIALS: Final = 8
"""So many attempts may ask for entries that are not there; what is asked for later stays open."""

_MOST_MISTAKES: Final = 12
"""So many entries that turn out not to be static start again; then nothing is taken for missing any more."""

LRU: Final = type(functools.lru_cache(len))
"""The class of what `functools.lru_cache` and `functools.cache` make."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """The attribute that instances of a class fill when they first need it: None, or not there, as long as they do
    not."""

    cls: type
    name: str


_LONG_KEY: Final = 100

_IDENTITY: Final = tuple((name, vars(object)[name]) for name in ("__hash__", "__eq__"))


class Caches:
    """The declared caches of one specialization, and what they would hold."""

    def __init__(self) -> None:
        self._tables: Final[dict[int, object]] = {}
        self._plain: Final[dict[int, int]] = {}
        """By the identity of a table: how many keys it had when all were plain."""
        self._inside: Final[dict[int, dict[object, object]]] = {}
        self._attributes: Final[dict[Attribute, dict[object, object]]] = {}
        self._noted: Final[dict[int, dict[object, object]]] = {}
        self._trial: Final[dict[int, dict[object, object]]] = {}
        """What this trial has noted."""
        self._asked: Final[dict[int, dict[object, None]]] = {}
        """Keys that this attempt took for missing: it is a trial."""
        self._noting: Final[dict[tuple[int, object], object]] = {}
        """By the table and the key: the version of the code in which this trial has noted the entry."""
        self._running: object = None
        self._opened = False
        self._open: Final[dict[int, dict[object, None]]] = {}
        self._used: Final[dict[int, dict[object, None]]] = {}
        """Keys of entries that were there."""
        self._parts: Final[dict[int, list[tuple[object, object]]]] = {}
        """By the identity of an object that was made for an entry: the table and the key of all that hold it."""
        self._own: Final[dict[int, tuple[bool, bool]]] = {}
        """Caches that nobody declared, and what functions do with their entries, and with what is in these."""
        self._with_texts: Final[set[int]] = set()
        self._elsewhere: Final[dict[int, object]] = {}
        self._kept: Final[list[object]] = []
        self._trials = 0
        self._mistaken = 0

    def declare(self, cache: object) -> None:
        if isinstance(cache, Attribute):
            self._attributes[cache] = self._new_table()
            return
        self._tables[id(cache)] = cache
        if isinstance(cache, (LRU, functools.cached_property)):
            self._inside[id(cache)] = self._new_table()

    def keep(self, table: dict[object, object], *, changed: bool, inside: bool, texts: bool) -> None:
        """A dict that is a cache as far as the text of its module says; functions may change its entries, or what is
        inside of these."""
        if id(table) not in self._tables and id(table) not in self._elsewhere:
            self._tables[id(table)] = table
            self._own[id(table)] = changed, inside
            if texts:
                self._with_texts.add(id(table))

    def meet_elsewhere(self, table: object) -> bool:
        """Code of another module gets at this dict: it sees whether an entry is there.  True if it was such a cache."""
        self._elsewhere[id(table)] = table
        if self._own.pop(id(table), None) is None:
            return False
        del self._tables[id(table)]
        return True

    def has_texts(self, table: object) -> bool:
        """Has the module of this cache classes of texts, or of tuples?"""
        return id(table) in self._with_texts

    def is_own(self, table: object) -> bool:
        """Is it a cache that nobody declared?"""
        return id(table) in self._own

    def may_change(self, table: object, value: object, made: Collection[object]) -> bool:
        """Do functions of the module change what this entry holds, if it is made of these?"""
        changed, inside = self._own.get(id(table), (False, False))
        return changes_any(value, made, changed=changed, inside=inside)

    def _new_table(self) -> dict[object, object]:
        table: dict[object, object] = {}
        self._tables[id(table)] = table
        return table

    def inside(self, cache: object) -> dict[object, object] | None:
        """What stands for the entries of a declared `lru_cache` function, or `cached_property`."""
        return self._inside.get(id(cache))

    def of_attribute(self, cls: type, name: str) -> dict[object, object] | None:
        """What stands for the values of this attribute of static objects, if it is a declared cache."""
        if not self._attributes:
            return None
        places = (self._attributes.get(Attribute(base, name)) for base in cls.__mro__)
        return next((found for found in places if found is not None), None)

    def are_declared(self) -> bool:
        return bool(self._tables or self._attributes)

    def declared(self, table: object) -> bool:
        return id(table) in self._tables

    def entry(self, table: object, key: object) -> tuple[object] | None:
        """The entry, if it is there or noted, and looking it up runs no code of the program; who uses it freezes
        it."""
        if not isinstance(table, dict) or not self._may_look_up(table, key):
            return None
        if key in self._open.get(id(table), {}):
            return None
        if key in table:
            self._used.setdefault(id(table), {})[key] = None
            return (table[key],)
        for noted in (self._noted.get(id(table), {}), self._trial.get(id(table), {})):
            if key in noted:
                return (noted[key],)
        return None

    def _may_look_up(self, table: dict[object, object], key: object) -> bool:
        """Does looking this key up run no code of the program?"""
        if id(table) not in self._tables or not is_plain_key(key):
            return False
        if self._plain.get(id(table)) != len(table):
            if not all(map(is_plain_key, table)):
                return False
            self._plain[id(table)] = len(table)
        return True

    def missing(self, table: object, key: object) -> bool:
        """May this attempt take the entry for one that is not there?  It is a trial from here on."""
        if not self.is_free(table, key) or self._trials >= _MOST_TRIALS or self.entry(table, key) is not None:
            return False
        self._asked.setdefault(id(table), {})[key] = None
        return True

    def are_used(self) -> bool:
        """Was an entry used as static?"""
        return any(self._used.values()) or any(self._noted.values())

    def is_asked(self, table: object, key: object) -> bool:
        """Has this attempt taken the entry for one that is not there?"""
        return key in self._asked.get(id(table), {})

    def is_free(self, table: object, key: object) -> bool:
        """Is this an entry of a declared dict that is not there, and not open?"""
        if type(table) is not dict or not self._may_look_up(table, key):
            return False
        return key not in table and key not in self._open.get(id(table), {})

    def note(self, table: object, key: object, value: object, parts: list[object]) -> bool:
        """The program stores `value`, and `parts` were made for it.  False if something else was noted."""
        for found in (self._noted, self._trial):
            if key in found.get(id(table), {}):
                return same(found[id(table)][key], value)
        self._trial.setdefault(id(table), {})[key] = value
        self._noting[id(table), key] = self._running
        self._kept.extend(parts)
        self._parts.update((id(part), []) for part in parts)
        for part in inside(value):
            if id(part) in self._parts:
                self._parts[id(part)].append((table, key))
        return True

    def open(self, table: object, key: object) -> bool:
        """The entry is not static.  True if this attempt, which is no trial, has taken it for static."""
        if not is_plain_key(key):
            return False
        trial = self.in_trial()
        self._open.setdefault(id(table), {})[key] = None
        everything = (self._asked, self._trial, self._noted, self._used)
        places = [found[id(table)] for found in everything if id(table) in found]
        believed = any(key in place for place in places)
        for place in places:
            place.pop(key, None)
        self._opened = trial
        self._mistaken += believed and not trial
        if self._mistaken >= _MOST_MISTAKES:
            self._trials = _MOST_TRIALS
        return believed and not trial

    def disturb(self, value: object) -> bool:
        """`value` may be written.  True if it is a part of an entry that this attempt, no trial, has taken for static:
        the entry is open now."""
        opened = [self.open(table, key) for table, key in self._parts.pop(id(value), ())]
        return any(opened)

    def running(self, version: object) -> None:
        """This version of the code is executed, perhaps anew: then what it noted before counts no more; None when all
        is over."""
        self._running = version
        for at, key in [place for place, noting in self._noting.items() if noting is version]:
            del self._noting[at, key]
            self._trial[at].pop(key, None)

    def may_go_back(self) -> bool:
        """May the attempt go on from one of its checkpoints?  Not a trial that found an entry open: it may have taken
        that for missing before."""
        return not self._opened

    def checkpoint(self) -> Restore:
        """What brings back what this attempt has asked for and noted by now."""
        parts = copied_dicts(self._asked), copied_dicts(self._trial), copied(self._noting)

        def restore() -> None:
            for part in parts:
                part()

        return restore

    def again(self) -> bool:
        """The attempt starts from the beginning.  True if it was a trial, of which nothing may be kept."""
        trial = self.in_trial()
        for noted in self._trial.values():
            noted.clear()
        self._noting.clear()
        self._asked.clear()
        self._opened = False
        return trial

    def give_up(self) -> bool:
        """The attempt cannot go on.  True if it was a trial: what it took for missing is open."""
        for at, keys in self._asked.items():
            self._open.setdefault(at, {}).update(keys)
        trial = self.in_trial()
        self._trials += trial
        self.again()
        self._opened = trial
        return trial

    def settle(self, reachable: Collection[object]) -> bool:
        """The attempt is at its end, and consists of these versions.  True if it was a trial: what it has noted is
        known, and what it took for missing and nobody stored is open.

        What may change is known only if nothing else was open, and the code behind its store is there.
        """
        trial = {at: dict(noted) for at, noted in self._trial.items()}
        left = {at: {key: None for key in keys if key not in trial.get(at, {})} for at, keys in self._asked.items()}
        whole = not any(left.values())
        for at, keys in left.items():
            self._open.setdefault(at, {}).update(keys)
        for at, noted in trial.items():
            for key, value in noted.items():
                if not is_mutable(value) or (whole and self._noting.get((at, key)) in reachable):
                    self._noted.setdefault(at, {})[key] = value
        self._trials += self.in_trial()
        return self.again()

    def in_trial(self) -> bool:
        """Has this attempt taken anything for missing?  Its code is thrown away."""
        return any(self._asked.values()) or any(self._trial.values()) or self._opened


def is_plain_key(key: object) -> bool:
    """Is this hashed and compared by code of Python's own?"""
    if comparable(key):
        return True
    if type(key) is tuple:
        return len(key) < _LONG_KEY and all(map(is_plain_key, key))
    return type(key) is GenericAlias or all(class_lookup(type(key), name) is found for name, found in _IDENTITY)


def is_told_apart(key: object, texts: bool) -> bool:
    """Is nothing of another class equal to this key?  True and 1.0 are equal to 1, named tuples to tuples, and objects
    of the program's own `texts`, if it has such classes, to texts."""
    if type(key) is tuple:
        return not texts and all(is_told_apart(part, texts) for part in key)
    if type(key) is str:
        return not texts
    if key is None or key is Ellipsis:
        return True
    return all(class_lookup(type(key), name) is found for name, found in _IDENTITY)


def changes_any(value: object, made: Collection[object], *, changed: bool, inside: bool) -> bool:
    """Does one who changes the entry `value`, or what is inside it, change any of what was made for it?  An entry that
    holds itself is inside it, too."""
    written = [part for part in made if can_be_written(part)]
    return any(changed or (inside and _holds_itself(part)) if part is value else inside for part in written)


def _holds_itself(value: object) -> bool:
    held: list[object] = [*value.values()] if is_a(value, dict) else [*(_fields(value) or {}).values()]
    if is_a(value, (list, tuple, set, frozenset)):
        held.extend(value)
    return any(one is value for part in held for one in inside(part))


def inside(value: object) -> list[object]:
    """The object, and all that it holds."""
    seen: dict[int, object] = {}
    work = [value]
    while work:
        item = work.pop()
        if id(item) in seen or deep(item):
            continue
        seen[id(item)] = item
        if is_a(item, (list, tuple, set, frozenset)):
            work.extend(item)
        elif is_a(item, dict):
            work.extend(item.values())
        else:
            work.extend((_fields(item) or {}).values())
    return [*seen.values()]


def same(left: object, right: object) -> bool:
    """Would a program see the same in both, but for their identity?"""
    work = [(left, right)]
    seen: set[tuple[int, int]] = set()
    while work:
        one, other = work.pop()
        if one is other or (id(one), id(other)) in seen:
            continue
        seen.add((id(one), id(other)))
        if type(one) is not type(other):
            return False
        if type(one) in (list, tuple):
            assert isinstance(one, (list, tuple)) and isinstance(other, (list, tuple))
            if len(one) != len(other):
                return False
            work.extend(zip(one, other))
        elif type(one) is dict:
            assert isinstance(other, dict)
            if [*map(exact_key, one)] != [*map(exact_key, other)]:
                return False
            work.extend(zip(one.values(), other.values()))
        elif type(one) is set:
            assert isinstance(other, set)
            if not all(map(deep, one)) or {*map(exact_key, one)} != {*map(exact_key, other)}:
                return False
        elif isinstance(one, MethodType):
            assert isinstance(other, MethodType)
            if one.__func__ is not other.__func__ or one.__self__ is not other.__self__:
                return False
        elif type(one) in (GenericAlias, UnionType):
            assert isinstance(one, (GenericAlias, UnionType)) and isinstance(other, (GenericAlias, UnionType))
            if getattr(one, "__origin__", None) is not getattr(other, "__origin__", None):
                return False
            work.append((one.__args__, other.__args__))
        elif isinstance(one, BuiltinFunctionType):
            assert isinstance(other, BuiltinFunctionType)
            if one.__self__ is not other.__self__ or one.__name__ != other.__name__:
                return False
        elif deep(one):
            if exact_key(one) != exact_key(other):
                return False
        else:
            held, there = _fields(one), _fields(other)
            if held is None or there is None or [*held] != [*there]:
                return False
            work.extend(zip(held.values(), there.values()))
    return True


def _fields(value: object) -> dict[str, object] | None:
    """The attributes of an instance of a class that a class statement made; None of everything else."""
    cls = type(value)
    if not cls.__flags__ & HEAP_TYPE or issubclass(cls, type):
        return None
    found = dict(own_attributes(value) or {})
    for base in cls.__mro__:
        for name, slot in base.__dict__.items():
            if type(slot) is MemberDescriptorType:
                with contextlib.suppress(AttributeError):
                    found[name] = slot.__get__(value)
    return found
