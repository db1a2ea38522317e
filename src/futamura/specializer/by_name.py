"""`getattr` with a name that is computed, as ordinary Python that is inlined where it is.

    getattr(self, "do_" + command)     names.get(name) gives one of few names: an attribute like any other

Like those of `library`, the functions are only specialized, never called.

Invariant: an attribute is looked up once, and no other than the one that was asked for.
"""

from __future__ import annotations

from typing import Any

from futamura.runtime import lacks_attribute

__all__ = ["attribute_named", "attribute_named_or", "seldom"]


def attribute_named(value: Any, name: Any, names: dict[str, str]) -> Any:
    """`getattr`; the attributes of these names are likely."""
    if type(name) is str:
        found = names.get(name)
        if found is not None:
            return getattr(value, found)
    seldom()
    return getattr(value, name)


def attribute_named_or(value: Any, name: Any, names: dict[str, str], default: Any) -> Any:
    """The same with a default."""
    if type(name) is str:
        found = names.get(name)
        if found is not None:
            return getattr(value, found, default)
        if lacks_attribute(value, name):
            return default
    seldom()
    return getattr(value, name, default)


def seldom() -> None:
    """What comes next is hardly ever run."""
