"""What methods of exact strings give: the class of the result, and of the items of a list.

    path.split("/")      path exactly a str     ->  a list, its items exactly str
    part.isdigit()                              ->  a bool
    part.find("x")                              ->  an int

Invariant: the class is that of every result, whatever the arguments; where a call raises there is none.
"""

from __future__ import annotations

from typing import Final

from futamura.specializer.machine import Machine
from futamura.specializer.rules import exact_type
from futamura.specializer.values import AbstractValue, Shape

__all__ = ["result_of_method"]

_TEXT: Final = frozenset(
    {
        "capitalize", "casefold", "center", "expandtabs", "format", "join", "ljust", "lower", "lstrip", "removeprefix",
        "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title", "upper", "zfill",
    }
)  # fmt: skip
_TESTS: Final = frozenset(
    {
        "endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric",
        "isprintable", "isspace", "istitle", "isupper", "startswith",
    }
)  # fmt: skip
_PLACES: Final = frozenset({"count", "find", "index", "rfind", "rindex"})
_PARTS: Final = frozenset({"rsplit", "split", "splitlines"})


def result_of_method(m: Machine, callee: AbstractValue) -> tuple[type, Shape | None] | None:
    """The class and the shape of what a call of this method gives, if they are known."""
    entry = m.state.object(callee)
    if entry is None or entry.kind != "method" or exact_type(m, entry.items[0]) is not str:
        return None
    name = entry.extra
    if name in _TEXT:
        return str, None
    if name in _TESTS:
        return bool, None
    if name in _PLACES:
        return int, None
    return (list, Shape(element=str)) if name in _PARTS else None
