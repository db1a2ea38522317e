"""`getattr` with a name that is computed, as ordinary Python that is inlined where it is.

    getattr(self, "do_" + command)     names.get(name) gives one of few names: an attribute like any other

Like those of `library`, the functions are only specialized, never called.

Invariant: an attribute is looked up once, and no other than the one that was asked for.
"""

from __future__ import annotations

from typing import Any

__all__ = ["attribute_named", "attribute_named_or", "looked_up", "seldom", "shown"]


def attribute_named(value: Any, name: Any, names: dict[str, str]) -> Any:
    """`getattr`; the attributes of these names are likely."""
    if type(name) is str:
        found = names.get(name)
        if found is not None:
            return getattr(value, found)
    seldom()
    return getattr(value, name)


def attribute_named_or(value: Any, name: Any, names: dict[str, str], default: Any, missing: Any) -> Any:
    """The same with a default; "" stands for names of what code gives, and `missing` for what is not there: it is no
    attribute, or the default itself."""
    if type(name) is str:
        found = names.get(name)
        if found:
            return getattr(value, found, default)
        if found is None:
            other = looked_up(value, name, missing)
            if other is missing:
                return default
            return shown(other, value)
    seldom()
    return getattr(value, name, default)


def looked_up(value: Any, name: str, default: Any) -> Any:
    """`getattr` that runs no code of the class."""
    return getattr(value, name, default)


def shown(found: Any, value: Any) -> Any:
    """What was `found`, which may lead to `value`, and is hardly ever."""
    return found


def seldom() -> None:
    """What comes next is hardly ever run."""
