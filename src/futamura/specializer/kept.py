"""What static objects compute while the residual is made, and keep when it runs (`settled`).

    kept.found[id(schema), "by_name"] = {"age": ...}        what stands for the dict that `schema.by_name` gives
    kept.reads[id(of that dict)]()                          emits `schema.by_name`: where the dict itself is needed
    kept.found[id(hints), CachedCall((Order,))]             likewise what the call of a cached function gives

Invariant: an object that stands for another one is in no residual.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from futamura.ir.constant import exact_key
from futamura.specializer.history import Restore, copied
from futamura.specializer.residual import ResidualOperation
from futamura.specializer.values import Known

__all__ = ["CachedCall", "CachedItem", "Kept", "Named", "Place"]


@dataclass(frozen=True, slots=True)
class CachedCall:
    """The arguments of a call whose result the called function keeps; those at the end are given by these names."""

    args: tuple[object, ...] = field(compare=False)
    names: tuple[str, ...]
    key: tuple[object, ...]

    @classmethod
    def of(cls, args: Sequence[object], names: Sequence[str] = ()) -> CachedCall:
        return cls(tuple(args), tuple(names), tuple(map(exact_key, args)))


@dataclass(frozen=True, slots=True)
class CachedItem:
    """The key of an entry of a dict in which a function keeps what it has computed."""

    value: object = field(compare=False)
    key: object

    @classmethod
    def of(cls, value: object) -> CachedItem:
        return cls(value, exact_key(value))


Named: TypeAlias = str | CachedCall | CachedItem
"""An attribute of an object, a call of it, or an item."""
Place: TypeAlias = tuple[int, Named]
"""With the number of the object."""


class Kept:
    """Of one attempt."""

    def __init__(self) -> None:
        self.begun: Final[dict[Place, int]] = {}
        """By the object's number and the attribute: how many operations there were when its function was entered; empty
        as soon as an attribute that the code writes is read or written."""
        self.asked: Final[dict[Place, None]] = {}
        """Entries of dicts that were taken for missing."""
        self.found: Final[dict[Place, object]] = {}
        """What a read that stays gives, by the object's identity; None if that may be anywhere."""
        self.made: Final[dict[int, Place]] = {}
        """By its residual value: the object's number and the attribute of a read that stays."""
        self.bare: Final[dict[int, list[ResidualOperation]]] = {}
        """Residual values that nobody needs, for the read is there for what the object keeps, and the stores in front
        that are there for the order of the object's attributes."""
        self.values: Final[dict[Place, Known]] = {}
        """What the attributes have turned out to be."""
        self.reads: Final[dict[int, Callable[[], int]]] = {}
        """By the identity of an object that stands for another one: what emits the read of that one."""
        self.parts: Final[dict[int, tuple[object, object]]] = {}
        """By the identity of a part of what an object keeps, which has no name: the part, and what is asked instead."""
        self.copies: Final[dict[int, tuple[object, object]]] = {}
        """By the identity of a static object: what is read in its place, and the object."""

    def checkpoint(self) -> Restore:
        """What brings back what is known by now."""
        parts = (
            copied(self.begun), copied(self.asked), copied(self.found), copied(self.reads), copied(self.made),
            copied(self.bare), copied(self.values), copied(self.copies), copied(self.parts),
        )  # fmt: skip

        def restore() -> None:
            for part in parts:
                part()

        return restore
