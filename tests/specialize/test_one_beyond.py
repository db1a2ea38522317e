"""What holds up to a place, or for most values, asked at that place and one beyond, in a try statement.

    xs promised to have three items:    try: return xs[k]           k from -4 to 3
                                        except IndexError: ...

Invariant: each table has the last value for which a fact holds, and the first for which it does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import futamura


def item(xs, k):
    try:
        return xs[k]
    except IndexError as error:
        return str(error)


@pytest.mark.parametrize("k", range(-5, 5))
@pytest.mark.parametrize(("kind", "xs"), [(list, [7, 8, 9]), (tuple, (7, 8, 9))])
def test_an_item_of_a_promised_length(k: int, kind: type, xs: Any) -> None:
    residual = futamura.specialize(item, xs=futamura.Dyn(kind[int], length=3) if kind is list else futamura.DYN, k=k)
    assert residual(xs) == item(xs, k)


def kinds_of_error(n, text):
    error = OSError(n, text)
    return type(error).__name__, isinstance(error, FileNotFoundError), isinstance(error, OSError), error.args


@pytest.mark.parametrize("n", [0, 1, 2, 3, 13, 17, 9999, "2", None])
def test_the_class_of_an_error_of_the_system(n: object) -> None:
    residual = futamura.specialize(kinds_of_error)
    assert residual(n, "text") == kinds_of_error(n, "text")


PATTERN = re.compile(r"(a)|(b)(c)?")


def groups(text):
    found = PATTERN.match(text)
    if found is None:
        return None
    parts = found.groups()
    return parts[0] is None, parts[1] is None, parts[2] is None, isinstance(parts[0], str)


def one(text):
    found = PATTERN.match(text)
    if found is None:
        return None
    bounds = found.span()
    try:
        (a,) = bounds
    except ValueError as error:
        return str(error)
    return a


def two(text):
    found = PATTERN.match(text)
    if found is None:
        return None
    a, b = found.span()
    return a, b


def three(text):
    found = PATTERN.match(text)
    if found is None:
        return None
    bounds = found.span()
    try:
        a, b, c = bounds
    except ValueError as error:
        return str(error)
    return a, b, c


@pytest.mark.parametrize("function", [groups, one, two, three])
@pytest.mark.parametrize("text", ["a", "b", "bc", ""])
def test_what_a_match_gives(function: Callable[[str], object], text: str) -> None:
    for residual in (futamura.specialize(function), futamura.specialize(function, text=futamura.Dyn(str))):
        assert residual(text) == function(text)
