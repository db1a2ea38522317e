"""Declared contents of open inputs: how long a list is, and the class of its elements.

    xs: list[float], length 12      len(xs)  ->  Known 12        xs[3]  ->  a float; no IndexError
                                    for x in xs: unrolled

The promise is tested at entry.  A tuple's holds for good, a list's as long as nothing that stays could have written to
it: `State.intact` falls at every operation that may run code which is not visible, or that may write; `leaves_alone`
names the operations that do neither.

Invariant: while a state is intact, every list with a `Shape` has the length and the elements that it had at entry; what
is `lasting` holds in any state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from futamura.ir.evaluate import BINARY, COMPARE, INPLACE, UNARY
from futamura.specializer.values import AbstractValue, Dynamic, Known, Shape

__all__ = ["WRITERS", "has_plain_keys", "leaves_alone", "promised_item", "promised_length"]

_SCALARS: Final = frozenset({int, float, complex, str, bytes, bool, type(None)})
_INDEXED: Final = frozenset({list, tuple, str, bytes, range})
_OPERATORS: Final = frozenset({*BINARY, *INPLACE, *COMPARE, *UNARY, "not", "truth", "is", "is_not"})

WRITERS: Final = frozenset({*INPLACE, "call", "invoke", "setitem", "delitem", "setattr"})
"""Operations that may write to a list even where they raise nothing."""


def _kind(value: AbstractValue) -> type | None:
    if type(value) is Known:
        return type(value.value)
    return value.type if type(value) is Dynamic else None


def leaves_alone(name: str, args: Sequence[AbstractValue]) -> bool:
    """Does this residual operation run no code of the program, and write to no list?"""
    if name == "getitem":  # of a dict, `confined` knows more
        return _kind(args[0]) in _INDEXED and _kind(args[1]) in _SCALARS
    return name in _OPERATORS and all(_kind(arg) in _SCALARS for arg in args)


def _shape(value: AbstractValue, intact: bool) -> Shape | None:
    if type(value) is not Dynamic:
        return None
    if value.type is list and not intact and value.shape is not None and value.shape.lasting:
        return value.shape._replace(length=None)
    return value.shape if value.type is tuple or (intact and value.type is list) else None


def has_plain_keys(value: AbstractValue, intact: bool) -> bool:
    """Is this an open dict whose keys are of classes that compare without running code of the program?"""
    if type(value) is not Dynamic or value.type is not dict or value.shape is None or value.shape.items is None:
        return False
    return value.shape.items[0] in _SCALARS and (intact or value.shape.lasting)


def promised_length(value: AbstractValue, intact: bool) -> int | None:
    """The length of an input, if it was promised and still holds."""
    shape = _shape(value, intact)
    return None if shape is None else shape.length


def promised_item(value: AbstractValue, key: AbstractValue, intact: bool) -> tuple[type | None, bool] | None:
    """The class of an item and whether taking it may raise; None if nothing is promised."""
    if type(value) is Dynamic and value.type is dict and value.shape is not None and value.shape.items is not None:
        return (value.shape.items[1], True) if intact or value.shape.lasting else None
    shape = _shape(value, intact)
    if shape is None or _kind(key) not in (int, bool):
        return None
    inside = (
        shape.length is not None
        and type(key) is Known
        and isinstance(key.value, int)
        and -shape.length <= key.value < shape.length
    )
    if inside and shape.items is not None and type(key) is Known and isinstance(key.value, int):
        return shape.items[key.value], False
    return shape.element, not inside
