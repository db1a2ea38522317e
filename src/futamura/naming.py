"""Objects that options name as texts: `frozen=("shop.RATES",)`, `caches=("shop.Order._total",)`.

Invariant: a name is looked up in modules that are imported already; nothing is imported for it.
"""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any

from futamura.specializer.caching import Attribute

__all__ = ["declared", "declared_cache"]


def declared(item: object) -> object:
    """The object that `frozen` or `caches` names: "package.module.name", or the object itself."""
    if not isinstance(item, str):
        return item
    parts = item.split(".")
    for at in range(len(parts) - 1, 0, -1):
        found: Any = sys.modules.get(".".join(parts[:at]))
        if found is not None:
            for name in parts[at:]:
                if not hasattr(found, name):
                    raise ValueError(f"'{item}': there is no {name!r} in {'.'.join(parts[:at])}")
                found = getattr(found, name)
            return found
    raise ValueError(f"'{item}' names nothing in a module that was imported")


def declared_cache(item: object) -> object:
    """What `caches` names: an object, or an attribute that the instances of a class fill later."""
    if isinstance(item, str):
        place, _, name = item.rpartition(".")
        try:
            holder = declared(place)
        except ValueError:
            holder = None  # the error names the whole
        if isinstance(holder, type) and _is_filled_later(holder, name):
            return Attribute(holder, name)
    return declared(item)


def _is_filled_later(cls: type, name: str) -> bool:
    """Do instances of the class have an attribute of this name, for which the class itself has nothing?"""
    found = inspect.getattr_static(cls, name, None)
    if found is not None:
        return isinstance(found, types.MemberDescriptorType)
    functions = [one for base in cls.__mro__ for one in base.__dict__.values() if isinstance(one, types.FunctionType)]
    return any(name in one.__code__.co_names for one in functions)
