"""Controls that a program can contain: they do nothing when it runs, and steer its specialization.

    op = static(code[pc])       must be known here, or a diagnostic says why it is not
    depth = dynamic(0)          general from here on: the cure where specialization does not end
    state = promote(state)      tells copies of the code apart by this value, however often it changes
    for rule in unroll(rules)   one copy of the body for each item
    @pure / @opaque / @inline   of a function: may be computed early; is never looked into; is unfolded in recursion too

The specializer knows them by identity, under whatever name they are imported.  `pure` and `opaque` also take classes
and builtin functions, as calls: `pure(zlib.crc32)`.

Invariant: each function returns its argument and touches nothing else.
"""

from __future__ import annotations

import weakref
from typing import Any, Final, TypeVar

__all__ = ["dynamic", "inline", "is_marked", "opaque", "peek", "promote", "pure", "static", "unroll"]

T = TypeVar("T")

_MARKS: Final[weakref.WeakKeyDictionary[Any, frozenset[str]]] = weakref.WeakKeyDictionary()


def static(value: T, /) -> T:
    """`value`, which must be known during specialization: else FT204 says why it is not, an error under `strict`."""
    return value


def dynamic(value: T, /) -> T:
    """`value`, of which specialization forgets everything but its class: from here on it is computed at run time."""
    return value


def promote(value: T, /) -> T:
    """`value`; where it is known, code after this point is specialized to it, even if it changes from trip to trip."""
    return value


def unroll(iterable: T, /) -> T:
    """`iterable`; a loop over it is unrolled, also if its end depends on what is known at run time only."""
    return iterable


def peek(label: str, value: T, /) -> T:
    """`value`; what is known of it here is reported under `label` among the events of the residual (FT206)."""
    return value


def pure(function: T, /) -> T:
    """Mark a function as pure: no effect, and the same immutable result for equal immutable arguments.

    The specializer may then run it on known arguments.  The promise is the program's: it is not checked.
    """
    return _mark(function, "pure")


def opaque(function: T, /) -> T:
    """Mark a function or class as opaque: the specializer leaves calls of it as they are."""
    return _mark(function, "opaque")


def inline(function: T, /) -> T:
    """Mark a function that is unfolded even where it calls itself under a condition that is not known."""
    return _mark(function, "inline")


def _mark(function: T, mark: str) -> T:
    if not callable(function):
        raise TypeError(f"{mark} takes a function, not {type(function).__name__}")
    target = getattr(function, "__func__", function)
    try:
        _MARKS[target] = _MARKS.get(target, frozenset()) | {mark}
    except TypeError:
        raise TypeError(f"{function!r} cannot be marked as {mark}: wrap it in a function") from None
    return function


def is_marked(function: object, mark: str) -> bool:
    """Was this very function marked?"""
    if not _MARKS:
        return False
    try:
        return mark in _MARKS.get(function, ())
    except TypeError:  # nothing that cannot be referred to weakly, or hashed, was ever marked
        return False
