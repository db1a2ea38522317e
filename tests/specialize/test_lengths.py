"""Lengths of open lists that a test has told, and the classes of what methods of strings and patterns give.

    parts = s.split(","); if len(parts) == 2: a, b = parts      no further look at the length, until something writes
    try: n = int(parts[0])                                      an exception of `int` of a str has written nothing

Invariant: each function is compared with its original on strings of several lengths; what is told ends with a write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome
from tests.specialize.specializing import source_of

INPUTS = ("", "a", "a,b", "a,b,c", "1,2", ",", "12,x,", "a,b,c,d")


def joined(s: str, sep: str) -> str:
    parts = s.split(sep)
    if len(parts) == 2:
        return "|".join([part.upper() for part in parts])
    return parts[-1]


def appended(s: str, sep: str) -> Any:
    parts = s.split(sep)
    if len(parts) == 2:
        parts.append("new")
        return len(parts), [part + "" for part in parts]
    return len(parts), parts


def by_another_name(s: str, sep: str) -> Any:
    parts = s.split(sep)
    same = parts
    if len(parts) != 2:
        return None
    same += [s]
    return len(parts), parts[len(parts) - 1]


def handed_over(s: str, sep: str, change: Callable[[list[str]], Any]) -> Any:
    parts = s.split(sep)
    if len(parts) == 2:
        change(parts)
        return [part + "" for part in parts], len(parts)
    return parts


def matched(s: str, sep: str, rules: tuple[tuple[str, ...], ...]) -> Any:
    parts = s.split(sep)
    for rule in rules:
        if len(rule) == len(parts) and all(x == y or x == "*" for x, y in zip(rule, parts)):
            return rule
    return None


def numbers(s: str, sep: str) -> Any:
    found = []
    for part in s.split(sep):
        found.append(int(part) if part.strip().isdigit() else part.find("b"))
    return found, not found


def tried(s: str, sep: str) -> Any:
    parts = s.split(sep)
    if len(parts) != 2:
        return None
    try:
        first = int(parts[0])
    except ValueError:
        return [part + "!" for part in parts]
    return first, [part + "?" for part in parts]


def tried_and_changed(s: str, sep: str) -> Any:
    parts = s.split(sep)
    if len(parts) != 2:
        return None
    try:
        parts.append("late")
        first = int(parts[0])
    except ValueError:
        return [part + "!" for part in parts]
    return first, [part + "?" for part in parts]


def tried_in_one_block(s: str, sep: str) -> Any:
    """Two operations of one try block find the handler with and without what was known."""
    parts = s.split(sep)
    if len(parts) != 2:
        return None
    try:
        first = int(parts[0])
        parts.insert(0, "0")
        second = int(parts[2])
    except ValueError:
        return [part + "!" for part in parts]
    return first, second, [part + "?" for part in parts]


WORD = re.compile("[a-z]+")


def searched(s: str, sep: str) -> Any:
    parts = s.split(sep)
    if len(parts) == 2:
        found = WORD.match(parts[0])
        if not found:
            return "none", [part + "" for part in parts]
        return found.group(), found.end() + 1, found.span(), WORD.findall(parts[1]), found is None, parts[1] + ""
    return WORD.search(s) is not None, bool(WORD.fullmatch(s))


@pytest.mark.parametrize("function", [tried, searched])
def test_nothing_was_written(function: Callable[..., Any]) -> None:
    residual = futamura.specialize(function, futamura.Dyn(str), ",")
    for s in INPUTS:
        assert residual(s) == function(s, ",")
    assert "for " not in source_of(residual)


def test_what_a_match_is_tested_for_is_asked_once() -> None:
    residual = futamura.specialize(searched, futamura.Dyn(str), ",")
    assert source_of(residual).count(" None") == 2  # those of the search, and of `not found`


@pytest.mark.parametrize("pattern", ["a+", 3, None, "["])
def test_wrong_calls_of_patterns_fail_as_they_did(pattern: Any) -> None:
    def wrong(x: Any, s: str) -> Any:
        try:
            return WORD.match(x), WORD.match(s, x), WORD.fullmatch()  # type: ignore[call-overload]
        except TypeError as error:
            return str(error)

    residual = futamura.specialize(wrong, futamura.DYN, futamura.Dyn(str))
    assert residual(pattern, "ab") == wrong(pattern, "ab")


@pytest.mark.parametrize(
    "function", [joined, appended, by_another_name, numbers, tried_and_changed, tried_in_one_block]
)
def test_alone(function: Callable[..., Any]) -> None:
    residual = futamura.specialize(function, futamura.Dyn(str), ",")
    for s in INPUTS:
        assert residual(s) == function(s, ",")


def test_what_is_told_ends_with_a_call() -> None:
    for change in (lambda x: x.append("z"), lambda x: x.clear(), lambda x: x.__setitem__(0, "5"), lambda x: None):
        residual = futamura.specialize(handed_over, futamura.Dyn(str), ",")
        for s in INPUTS:
            assert residual(s, change) == handed_over(s, ",", change)


def test_rules_are_unrolled() -> None:
    rules = (("a",), ("a", "b"), ("*", "c"), ("a", "*", "c"), ("*", "*", "*", "d"))
    residual = futamura.specialize(matched, futamura.Dyn(str), ",", rules)
    for s in INPUTS:
        assert residual(s) == matched(s, ",", rules)
    assert "zip" not in source_of(residual)
    assert "for " not in source_of(residual)


def _converted(columns, row):
    if len(row) != len(columns):
        raise ValueError(len(row))
    return {name: convert(value) for (name, convert), value in zip(columns, row)}


class _Shrinks:
    """A number that takes the rest of its row away when it is converted."""

    def __init__(self, row):
        self.row = row

    def __int__(self):
        self.row.clear()
        return 7


def test_items_of_any_class_beside_known_ones() -> None:
    columns = (("a", int), ("b", float))
    for declared in (futamura.Dyn(list), futamura.Dyn(list, length=2), futamura.Dyn(tuple)):
        residual = futamura.specialize(_converted, columns=columns, row=declared)
        assert "for " not in residual.source, residual.source
        for row in (["1", "2"], [1, "x"], [1], [], [1, 2, 3], ("1", 2), "12"):
            assert outcome(residual, row) == outcome(_converted, columns, row)
        shrinking: list = [0, "2"]
        shrinking[0] = _Shrinks(shrinking)
        assert residual(shrinking) == {"a": 7} and shrinking == []
