"""What builtin functions ask of their arguments: which special methods they may call.

    isinstance(rows[k], cls)      of a row its `__class__` only; but the metaclass of `cls` may do what it likes with it

Invariant: results of these builtins hold nothing of their arguments, which they give to nobody but their own classes,
and `isinstance` and `issubclass` to the metaclass of what they are compared with.
"""

from __future__ import annotations

import abc
from types import UnionType
from typing import Final

from futamura.specializer.purity import MISSING, class_lookup

__all__ = ["ASKING", "CHECKING", "SHOWING", "SHOWN", "asked_by", "checks_itself"]

_ANY: Final = None
_PRINTED: Final = frozenset({"__str__", "__repr__"})
ASKING: Final[dict[object, frozenset[str] | None]] = {
    **dict.fromkeys((abs, all, any, chr, divmod, float, hex, int, issubclass, oct, ord, range, round, type), _ANY),
    **dict.fromkeys((callable, id), frozenset[str]()),
    **dict.fromkeys((print, str), _PRINTED),
    **dict.fromkeys((ascii, repr), frozenset({"__repr__"})),
    bool: frozenset({"__bool__", "__len__"}),
    format: _PRINTED | {"__format__"},
    hash: frozenset({"__hash__"}),
    isinstance: frozenset({"__class__", "__getattribute__"}),
    len: frozenset({"__len__"}),
}
"""The names of what they may call of their (first) argument and of what it holds; None: whatever it has."""
SHOWN: Final = frozenset({"__repr__"})
"""What a bound method asks of its object when it is shown itself."""
SHOWING: Final = frozenset({"format", "string", "mod"})
"""Operators that do so."""
CHECKING: Final = {
    isinstance: ("__instancecheck__", (vars(type)["__instancecheck__"], vars(abc.ABCMeta)["__instancecheck__"])),
    issubclass: ("__subclasscheck__", (vars(type)["__subclasscheck__"],)),
}


def asked_by(function: object, place: int) -> frozenset[str] | None:
    """The special methods that this builtin may call of its argument number `place`; None: any of them."""
    return ASKING[function] if place == 0 else _ANY


def checks_itself(function: object, kind: type | None) -> bool:
    """May a class of this metaclass, as the second argument, do something with the first one by code that is not known?

    `kind` is None for what may be anything.
    """
    if function not in CHECKING or kind in (tuple, UnionType):
        return False
    name, plain = CHECKING[function]
    found = MISSING if kind is None else class_lookup(kind, name)
    return not any(found is one for one in plain)
