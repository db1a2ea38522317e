"""Known objects whose items their classes tell: enumerations, and those of classes that extend a container.

    zip(Unit, ("s", "m"))    ->    zip((Unit.SECOND, Unit.MINUTE), ("s", "m"))

Invariant: nothing is called that the program could have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from futamura.specializer.machine import Machine
from futamura.specializer.plain_copies import plainly
from futamura.specializer.purity import DICTS
from futamura.specializer.values import AbstractValue, Known

__all__ = ["WHOLES", "has_order", "holds_keys", "whole"]

WHOLES: Final[list[Callable[[Machine, object], Iterable[object] | None]]] = []
"""What gives the items of such an object, None for others."""


def has_order(value: object) -> bool:
    """Is this a set whose elements come in one order, whatever the seed of hashes is: numbers, or tuples of them?"""
    if type(value) is not set and type(value) is not frozenset:
        return False
    assert isinstance(value, (set, frozenset))
    return all(map(_hashes_alike, value))


def holds_keys(m: Machine, value: object) -> bool:
    """Is this a static dict, or a set with an order, that is believed to hold what it holds?"""
    return (type(value) in DICTS or has_order(value)) and (type(value) is frozenset or m.frozen(value))


def _hashes_alike(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_hashes_alike, value))
    return type(value) is int or type(value) is bool


def whole(m: Machine, source: AbstractValue) -> AbstractValue:
    """What is iterated over in place of such an object; `source` itself if it is none."""
    for look in WHOLES if type(source) is Known else ():
        assert type(source) is Known
        found = look(m, source.value)
        if found is not None:
            return Known(tuple(found))
    return plainly(m, source, "__iter__", "__len__", "__length_hint__")  # what a list is made of is asked for both
