"""What the annotations of a class promise of the attributes of its instances.

    Declared(annotated=(Order, Item))
    order.items        annotated `list[Item]`: a list of items, at any time: what the function stores keeps to it, too
    item.price         annotated `float`: a float, and no int
    order.note         annotated `Optional[str]`: None or a str
    order.customer     annotated `Customer`, which is not among those that were named: anything

An annotation speaks of exactly its class where that is a builtin class, an enumeration, or one of those that were
named; of others, an attribute may hold an instance of a class below.

Invariant: annotations are evaluated where the promise is made (`fields_of`), and never while something is specialized.
"""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from futamura.ir.classes import is_a
from futamura.specializer.refinement import one_of
from futamura.specializer.values import ANY_CLASS, Shape, tuple_shape

__all__ = ["Content", "Fields", "fields_of", "held", "promise_of"]

_EXACT: Final = frozenset(
    {int, bool, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, type(None)}
)
_UNIONS: Final = (typing.Union, types.UnionType)


class Content(NamedTuple):
    """What an attribute holds: its exact class, what is in it, or the classes one of which it is of."""

    type: type | None = None
    shape: Shape | None = None
    classes: int = ANY_CLASS


Fields = Mapping[type, Mapping[str, Content]]
"""By the class, and by the attribute, what the instances of exactly this class hold."""


def fields_of(classes: Sequence[object]) -> dict[type, dict[str, Content]]:
    """What the annotations of these classes and of their bases say; annotations that are texts are evaluated.

    Raises ValueError for what is no class, or has annotations that cannot be evaluated.
    """
    named = [cls for cls in classes if is_a(cls, type)]
    if len(named) < len(classes):
        other = next(value for value in classes if not is_a(value, type))
        raise ValueError(f"an instance of {type(other).__name__} is no class with annotations")
    return {cls: _fields(cls, frozenset(named)) for cls in named}


def _fields(cls: type, named: frozenset[type]) -> dict[str, Content]:
    try:
        hints = typing.get_type_hints(cls)
    except Exception as error:
        raise ValueError(f"annotations of {cls.__qualname__!r} cannot be evaluated: {error}") from error
    if not hints:
        raise ValueError(f"{cls.__qualname__!r} has no annotations")
    found = {name: _content(hint, named) for name, hint in hints.items()}
    return {name: content for name, content in found.items() if content is not None}


def _content(hint: object, named: frozenset[type]) -> Content | None:
    """What holds of a value that is annotated so; None if nothing does."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if is_a(hint, typing.NewType):
        return _content(hint.__supertype__, named)
    if origin is typing.Literal:
        return _one_of({type(value) for value in arguments})
    if origin in _UNIONS:
        parts = [_exact(part, named) for part in arguments]
        return None if None in parts else _one_of({part for part in parts if part is not None})
    if origin in (typing.Final, typing.Annotated):
        return _content(arguments[0], named)
    kind = _exact(hint, named)
    return None if kind is None else Content(kind, _shape(origin, arguments, named))


def _one_of(kinds: set[type]) -> Content | None:
    if len(kinds) == 1:
        return Content(kinds.pop())
    return Content(classes=one_of([*kinds])) if kinds <= _EXACT else None


def _exact(hint: object, named: frozenset[type]) -> type | None:
    """The class of which exactly a value is that is annotated so."""
    if hint is None:
        return type(None)
    kind = typing.get_origin(hint) or hint
    if not is_a(kind, type):
        return None
    members = type(kind) is enum.EnumMeta and bool(kind.__members__)
    return kind if kind in _EXACT or kind in named or members else None


def _shape(origin: object, arguments: tuple[object, ...], named: frozenset[type]) -> Shape | None:
    """What is in it: of a list what each item is, of a tuple how many there are, too."""
    if any(typing.get_origin(part) is typing.Unpack for part in arguments):
        return None
    kinds = tuple([None if part is Ellipsis else _exact(part, named) for part in arguments])
    if origin is list or (origin is tuple and arguments[1:] == (Ellipsis,)):
        return None if kinds[0] is None else Shape(element=kinds[0], lasting=True)
    if origin is tuple:
        return tuple_shape(kinds)
    return Shape(lasting=True, items=kinds) if origin is dict else None


def held(fields: Fields, cls: type | None, name: str) -> Content | None:
    """What an instance of exactly this class holds under this name, if that was promised."""
    found = None if cls is None else fields.get(cls)
    return None if found is None else found.get(name)


def promise_of(cls: type) -> str:
    return f"attributes of `{cls.__qualname__}` hold what their annotations say"
