"""What `isinstance` with builtin classes tells of other tests on the same value: a set of kinds that it may be of.

    isinstance(x, dict) is true      x is of the kind dict; isinstance(x, (int, float)) is false
    isinstance(x, int) is false      x is no int, and no bool either
    x is None is true                x is of the kind of None

A kind is one of these classes with its subclasses, without those that are kinds themselves; `object` is the kind of
everything else.

Invariant: no object is of two kinds, for their instances exclude each other by their layout, and no assignment to
`__class__` leads from one to another.  An object of one of these classes that claims by `__class__` to be of another
may be taken for either.
"""

from __future__ import annotations

import re
from types import NoneType
from typing import Final, NamedTuple

__all__ = ["EVERYTHING", "Kinds", "kinds_of_type", "tested_kinds"]

_TABLE: Final[tuple[type, ...]] = (
    int, bool, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, NoneType, re.Match,
)  # fmt: skip
_BY_NAME: Final = {kind.__name__: kind for kind in _TABLE}


class Kinds(NamedTuple):
    """The kinds that a value may be of."""

    kinds: frozenset[type]


EVERYTHING: Final = Kinds(frozenset((*_TABLE, object)))


def tested_kinds(classes: object) -> Kinds | None:
    """The kinds that `isinstance` accepts for a class or a tuple of classes; None if they are not only kinds."""
    wanted = classes if type(classes) is tuple else (classes,)
    found: set[type] = set()
    for cls in wanted:
        # What claims to be None is not None: those who ask by `is` would be told wrongly.
        if not any(cls is kind for kind in _TABLE) or cls is NoneType:
            return None
        found.update(kind for kind in _TABLE if issubclass(kind, cls))
    return Kinds(frozenset(found))


def kinds_of_type(name: str) -> Kinds | None:
    """The kinds of a value of this exact type."""
    kind = _BY_NAME.get(name)
    return None if kind is None else Kinds(frozenset({kind}))
