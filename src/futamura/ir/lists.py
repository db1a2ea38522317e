"""Immutable lists, as the flow-graph and the functional language have them: exact tuples, taken apart from the front.

    car [1, 2]  ->  1        cdr [1, 2]  ->  [2]        cons 0 [1]  ->  [0, 1]        null []  ->  true
    show [1, "a"]  writes the line  [1, "a"]            show "a"  writes the line  a

The operators check for an exact tuple and raise `ListError` for anything else, so that no code of a user's class can
run in them.  Invariant: nothing here changes a list.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

__all__ = ["ListError", "car", "cdr", "cons", "literal", "null", "show"]


DECIMAL_BITS = 8_000
"""Longer numbers are written in base 16: Python refuses to write thousands of decimal digits."""


class ListError(Exception):
    """A list operator met something that it does not take."""


def _checked(name: str, value: object) -> tuple[object, ...]:
    if type(value) is not tuple:
        raise ListError(f"{name} takes a list, not {literal(value)}")
    return value


def car(args: Sequence[Any], attr: Any) -> object:
    """The first item."""
    items = _checked("car", args[0])
    if not items:
        raise ListError("car of an empty list")
    return items[0]


def cdr(args: Sequence[Any], attr: Any) -> object:
    """All items but the first."""
    items = _checked("cdr", args[0])
    if not items:
        raise ListError("cdr of an empty list")
    return items[1:]


def cons(args: Sequence[Any], attr: Any) -> object:
    """The item before a list."""
    return (args[0], *_checked("cons", args[1]))


def null(args: Sequence[Any], attr: Any) -> object:
    """Is the list empty?"""
    return not _checked("null", args[0])


def show(args: Sequence[Any], attr: Any) -> None:
    """Write one line: a text as it is, anything else as it would be written in a program."""
    value = args[0]
    sys.stdout.write((value if type(value) is str else literal(value)) + "\n")


def literal(value: object) -> str:
    """How a value is written in a program of the languages; of other values, which no program has, only the class."""
    if value is True or value is False:
        return str(value).lower()
    if type(value) is str:
        return json.dumps(value, ensure_ascii=False)
    if type(value) is int and value.bit_length() > DECIMAL_BITS:
        return hex(value)
    if type(value) is tuple:
        return "[" + ", ".join([literal(item) for item in value]) + "]"
    return repr(value) if type(value) in (int, float, type(None)) else f"<{type(value).__name__}>"
