"""What methods of exact strings, patterns and matches give: the class of the result, and of the items of a list.

    path.split("/")      path exactly a str     ->  a list, its items exactly str
    part.isdigit()                              ->  a bool
    part.find("x")                              ->  an int
    pattern.match(path)                         ->  a match or None
    type(x)                                     ->  a class

Invariant: the class is that of every result, whatever the arguments; where a call raises there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from futamura.ir.classes import is_a
from futamura.specializer.groups import group_number, pattern_of, sure_groups
from futamura.specializer.machine import Machine
from futamura.specializer.refinement import A_CLASS, A_TEXT, NO_PLAIN_VALUE, one_of
from futamura.specializer.rules import exact_type
from futamura.specializer.values import AbstractValue, Dynamic, Known, Shape

__all__ = ["result_of_call"]

_TEXT: Final = frozenset(
    {
        "capitalize", "casefold", "center", "expandtabs", "join", "ljust", "lower", "lstrip", "removeprefix",
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
_AROUND: Final = frozenset({"partition", "rpartition"})

_FOUND: Final = one_of((type(None), re.Match))
_SEARCHES: Final = frozenset({"fullmatch", "match", "search"})
_OF_MATCH: Final[dict[str, Dynamic]] = {
    "end": Dynamic(-1, int),
    "start": Dynamic(-1, int),
    "span": Dynamic(-1, tuple, Shape(length=2, element=int)),
    "groups": Dynamic(-1, tuple),
    "groupdict": Dynamic(-1, dict),
}


def result_of_call(m: Machine, args: Sequence[AbstractValue], kind: type | None) -> Dynamic | None:
    """What is known of what this call of a method, `type` or `iter` gives, if more than its class `kind`; the number of
    the value says nothing."""
    callee = args[0]
    if kind is None and type(callee) is Known and len(args) == 2 and (callee.value is type or callee.value is iter):
        return Dynamic(-1, classes=A_CLASS if callee.value is type else NO_PLAIN_VALUE)
    entry = m.state.object(callee)
    if entry is None or entry.kind != "method":
        return None
    name = str(entry.extra)
    owner = exact_type(m, entry.items[0])
    if owner is re.Pattern:
        return _of_pattern(entry.items[0], name)
    if owner is re.Match:
        return _of_match(entry.items[0], name, args[1:])
    if owner is dict and len(args) == 1:
        return _of_dict(entry.items[0], name, kind)
    if owner is not str:
        return None
    if name == "format":
        return Dynamic(-1, classes=A_TEXT)  # one field alone is what its `__format__` gives, maybe of a subclass
    if name in _TEXT:
        return Dynamic(-1, str)
    if name in _TESTS:
        return Dynamic(-1, bool)
    if name in _PLACES:
        return Dynamic(-1, int)
    if name in _AROUND:
        return Dynamic(-1, tuple, Shape(length=3, element=str))
    return Dynamic(-1, list, Shape(element=str)) if name in _PARTS else None


def _of_dict(held: AbstractValue, name: str, kind: type | None) -> Dynamic | None:
    """What a view of a dict has, of whose keys and values the classes are promised."""
    kinds = held.shape.items if type(held) is Dynamic and held.shape is not None else None
    if kinds is None or name not in ("items", "keys", "values"):
        return None
    element = None if name == "items" else kinds[name == "values"]
    return Dynamic(-1, kind, Shape(element=element, lasting=True, items=kinds if name == "items" else None))


def _of_pattern(pattern: AbstractValue, name: str) -> Dynamic | None:
    known = pattern.value if type(pattern) is Known else None
    expression = known if isinstance(known, re.Pattern) else None
    texts = None if expression is None else str if is_a(expression.pattern, str) else bytes
    if name in _SEARCHES:
        return Dynamic(-1, shape=Shape(texts=texts, pattern=expression), classes=_FOUND)
    if name == "finditer":
        return Dynamic(-1, shape=Shape(element=re.Match, iterates=True, texts=texts, pattern=expression))
    if name == "findall":
        groups = None if expression is None else expression.groups
        return Dynamic(-1, list, Shape(element=texts if groups in (0, 1) else tuple if groups else None))
    return Dynamic(-1, list) if name == "split" else None


def _of_match(found: AbstractValue, name: str, args: Sequence[AbstractValue]) -> Dynamic | None:
    if name == "group":
        return _text_of_match(found, args)
    pattern = pattern_of(found)
    if name == "groups" and pattern is not None:
        sure = len(sure_groups(pattern)) == pattern.groups + 1
        texts = str if is_a(pattern.pattern, str) else bytes
        return Dynamic(-1, tuple, Shape(length=pattern.groups, element=texts if sure else None))
    return _OF_MATCH.get(name)


def _text_of_match(found: AbstractValue, groups: Sequence[AbstractValue]) -> Dynamic | None:
    """What `found.group(...)` gives."""
    texts = found.shape.texts if type(found) is Dynamic and found.shape is not None else None
    if len(groups) > 1:
        return Dynamic(-1, tuple, Shape(length=len(groups)))
    if texts is None:
        return None
    if not groups or (type(groups[0]) is Known and groups[0].value == 0 and type(groups[0].value) is int):
        return Dynamic(-1, texts)
    pattern = pattern_of(found)
    if pattern is not None and group_number(pattern, groups[0]) in sure_groups(pattern):
        return Dynamic(-1, texts)
    return Dynamic(-1, classes=one_of((type(None), texts)))
