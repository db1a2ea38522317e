"""Calls of pure builtin functions on known arguments, made during specialization.

    max(3, 4)    ->    4
    pow(2, 10**6)    stays: its result is too large to be worth having

Invariant: only functions of `purity.PURE_FUNCTIONS`, and only arguments of exact builtin immutable types, so that no
code of the program runs.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable, Sequence
from typing import Final

from futamura.ir.constant import is_long, makes_nan
from futamura.specializer.failing import failed
from futamura.specializer.machine import Machine
from futamura.specializer.purity import PURE_FUNCTIONS, deep, many_digits, plain_format, stays_short, stays_small, wide
from futamura.specializer.raising import raise_value
from futamura.specializer.rules import sequence_items
from futamura.specializer.values import AbstractValue, Known

__all__ = ["HANDLED", "fail_now", "fold_call"]

HANDLED: Final = Known("a function was entered that defines the result, or an exception was raised")


def fold_call(
    m: Machine,
    function: Callable[..., object],
    args: list[AbstractValue],
    keywords: Sequence[tuple[str, AbstractValue]] = (),
) -> AbstractValue | None:
    """The result of a pure function, if all arguments are known and it is cheap to have; None if the call stays."""
    if function not in PURE_FUNCTIONS:
        return None
    if function in _OF_ITEMS and len(args) == 1 and not keywords:
        args = [_contents(m, args[0])]
    named = {name: arg.value for name, arg in keywords if type(arg) is Known}
    values = [*(arg.value for arg in args if type(arg) is Known), *named.values()]
    if len(values) != len(args) + len(keywords) or not all(
        deep(value, unordered=False) or type(value) is type for value in values
    ):
        return None
    if not _bounded(function, values) or not plain_format(function, values):
        return None
    try:
        result = function(*values[: len(args)], **named)
    except Exception as error:
        return fail_now(m, error, [*args, *(arg for _, arg in keywords)])
    if not deep(result) or makes_nan(result, _parts(values)):
        return None
    m.folded += 1
    if function is struct.unpack_from:
        m.validate(args[-1])
    age = 0 if function in (len, isinstance, bool) else max((m.state.age(arg) for arg in args), default=0)
    return m.known(result, age)


def fail_now(m: Machine, error: Exception, args: list[AbstractValue]) -> AbstractValue | None:
    """What a pure function or method raises is raised now."""
    found = failed(m, error)
    if found is None:
        return None
    for arg in args:
        m.validate(arg)
    raise_value(m, found)
    return HANDLED


_OF_ITEMS: Final = frozenset({max, min, math.fsum, math.prod})
"""Functions to which a list is the tuple of its items."""


def _contents(m: Machine, value: AbstractValue) -> AbstractValue:
    """A list or tuple of known items as a constant; other values as they are."""
    found = None if type(value) is Known and type(value.value) is tuple else sequence_items(m, value)
    if found is None or not all(type(item) is Known for item in found[1]):
        return value
    age = max((m.state.age(part) for part in (value, *found[1])), default=0)
    return m.known(tuple([item.value for item in found[1] if type(item) is Known]), age)


def _text(layout: str | bytes) -> str:
    return layout if isinstance(layout, str) else layout.decode("latin-1")


def _parts(values: list[object]) -> list[object]:
    """The arguments, and the items of those that are tuples."""
    return [*values, *(item for value in values if type(value) is tuple for item in value)]


_DIGITS: Final = 1 << 12
"""To round to more digits takes long, or gives much."""
_AT_ONCE: Final = frozenset({len, isinstance, issubclass, bool, repr, str, hash, callable, type})
"""They do not walk through a range."""


def _bounded(function: object, values: list[object]) -> bool:
    """Is the cost of folding this call small, and its result the same under all settings?"""
    if function in (str, repr, ascii, format) and values:
        if any(map(many_digits, values)) or not stays_short(getattr(function, "__name__", ""), values):
            return False
    if function is int and isinstance(values[0] if values else 0, (str, bytes)):
        return len(values[0]) < sys.int_info.str_digits_check_threshold  # type: ignore[arg-type]
    if function in (pow,) or getattr(function, "__module__", "") in ("math", "_operator"):
        if any(map(is_long, values)) or (function is math.prod and not all(map(stays_small, values))):
            return False
        return all(not isinstance(v, int) or abs(v) < 1 << 20 for v in values) and not (
            getattr(function, "__name__", "") in ("factorial", "comb", "perm", "pow", "lshift")
            and any(isinstance(v, int) and v > 300 for v in values)
        )
    if function in (struct.pack, struct.unpack, struct.unpack_from):
        return bool(values) and isinstance(values[0], (str, bytes)) and not wide(_text(values[0]))
    if function is bytes and any(isinstance(v, int) for v in values):
        return False
    if function is round and len(values) == 2 and isinstance(values[1], int):
        return abs(values[1]) <= _DIGITS
    return function in _AT_ONCE or not any(map(is_long, values))
