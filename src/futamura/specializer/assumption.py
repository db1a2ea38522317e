"""What a residual relies on: a binding, an attribute, what a table held; each can be asked whether it still is so.

    global shop.RATES is this dict          attribute Rule.match is this function          shop.RULES holds what it held

Invariant: asking runs no code of the program.
"""

from __future__ import annotations

import abc
import builtins
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from futamura.ir.classes import is_a
from futamura.ir.homes import module_of
from futamura.specializer.purity import MISSING, class_lookup, own_attribute, stored_attribute

__all__ = ["Assumption", "Filled", "Registered", "Registrations", "bindings_in", "identities", "parts", "place_of"]


@dataclass(frozen=True, slots=True)
class Registered:
    """What a function of `functools.singledispatch` calls for the classes that have this one as the first that is
    registered."""

    registry: dict[type, object]
    kind: type
    count: int
    """So many classes are registered: none disappears."""

    def found(self) -> object:
        return self.registry.get(self.kind) if len(self.registry) == self.count else None


@dataclass(slots=True)
class Registrations:
    """That none of these classes counts as the abstract one beside it, which `counts` tells (None: it is not known);
    while no class is registered anywhere, nothing changes."""

    token: object
    pairs: list[tuple[type, type]]
    counts: Callable[[type, type], bool | None]

    def hold(self) -> bool:
        """Has nothing changed for these pairs?"""
        now = abc.get_cache_token()
        if now != self.token:
            if not all(self.counts(*pair) is False for pair in self.pairs):
                return False
            self.token = now
        return True


@dataclass(frozen=True, slots=True, repr=False)
class Assumption:
    """Something that was read and must still hold: a binding, an attribute, the contents of an object."""

    kind: str
    place: str
    holder: object = field(compare=False)
    name: str
    value: object = field(compare=False)

    def holds(self) -> bool:
        """Is the place still bound to the same object?"""
        missing = object()
        if self.kind == "global":
            assert isinstance(self.holder, Mapping)
            now = self.holder.get(self.name, getattr(builtins, self.name, missing))
        elif self.kind == "present":
            assert isinstance(self.holder, Mapping)
            return self.name in self.holder and module_of(self.holder) is not None
        elif self.kind == "imported":
            now = sys.modules.get(self.name, missing)
        elif self.kind == "cell":
            try:
                now = self.holder.cell_contents  # type: ignore[attr-defined]
            except ValueError:
                now = missing
        elif self.kind == "registered":
            assert isinstance(self.holder, Registered)
            now = self.holder.found()
        elif self.kind == "contents":
            return isinstance(self.value, Filled) and self.value.identities == identities(self.holder)
        elif self.kind == "own":
            return stored_attribute(self.holder, self.name) is MISSING
        elif self.kind == "field":
            now = own_attribute(self.holder, self.name)
        elif self.kind == "registrations":
            return isinstance(self.value, Registrations) and self.value.hold()
        elif self.kind == "subclasses":
            holder: Any = self.holder
            return not type.__subclasses__(holder)
        elif self.kind == "order":
            now = type.__dict__["__mro__"].__get__(self.holder)
        elif isinstance(self.holder, type):
            now = class_lookup(self.holder, self.name)
        else:
            now = getattr(self.holder, self.name, missing)
        return now is self.value

    def __repr__(self) -> str:
        if self.kind == "contents":
            return f"{self.place} holds what it held"
        if self.kind == "registrations":
            return f"{self.place} stays as it is"
        if self.kind == "present":
            return f"global {self.place} exists"
        if self.kind == "own":
            return f"{self.place} has no attribute `{self.name}` of its own"
        if self.kind == "attribute" and self.value is MISSING:
            return f"class attribute {self.place} does not exist"
        what = {"global": "global", "cell": "variable", "field": "attribute"}.get(self.kind, self.kind)
        return f"{what} {self.place} is {_named(self.value)}"


def bindings_in(namespace: object, assumptions: Iterable[Assumption]) -> dict[str, object]:
    """The globals of this module that are assumed to be bound, with what they are bound to."""
    return {entry.name: entry.value for entry in assumptions if entry.kind == "global" and entry.holder is namespace}


class Filled(NamedTuple):
    """What a table held, so that it can be told whether it still does."""

    identities: list[int]
    kept: tuple[object, ...]
    """The same objects, which keeps their identities theirs."""


def parts(table: object) -> list[object]:
    """What a table holds, or a class of its own, in order; runs no code of what is in it."""
    if isinstance(table, type):
        held: Mapping[object, object] = type.__dict__["__dict__"].__get__(table)
        return [*held, *held.values()]
    if isinstance(table, dict):
        return [*dict.keys(table), *dict.values(table)]
    assert isinstance(table, (list, set))
    return [*table]


def place_of(assumptions: Iterable[Assumption], table: object) -> str:
    """Where this table was found."""
    return next((one.place for one in assumptions if one.value is table), "a table")


def identities(table: object) -> list[int]:
    return [*map(id, parts(table))]


def _named(value: object) -> str:
    """A short name, made without running code of the program."""
    if is_a(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return f"this {'class' if is_a(value, type) else 'function'}"
    if is_a(value, types.ModuleType):
        return "this module"
    if type(value) in (int, float, bool, str, bytes, type(None)):
        text = repr(value) if type(value) is not int or abs(value) < 1 << 128 else "this integer"
        return text if len(text) <= 40 else f"this {type(value).__name__}"
    return f"this {type(value).__name__}"
