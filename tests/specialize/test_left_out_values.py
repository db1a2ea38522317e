"""Numbers and texts that parameters are by default, and nobody mentioned: believed where they tell something.

    def encrypt(key, block, rounds=4):         for i in range(rounds): ...      rounds is 4 in calls that leave it out
    def split(text, line, sep=","):            text.split(sep)                  so is sep, where text is known

Invariant: calls that give them, equal values of other classes among them, do what the original does.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

from futamura import DYN, specialize
from tests.outcomes import outcome

TABLE = {"r": 1, "w": 2, 3: "three"}


def repeated(k: Any, x: Any, n: Any = 3) -> Any:
    return [(k, x, i) for i in range(n)]


def cut(k: Any, x: Any, sep: Any = ",") -> Any:
    return [x.get(name) for name in k.split(sep)] if isinstance(x, dict) else x


def looked_up(k: Any, x: Any, mode: Any = "r") -> Any:
    return {"r": x, "w": k, 1: "one"}[mode]


def compared(k: Any, x: Any, mode: Any = "fast") -> Any:
    return k if mode == "fast" else [x] if mode != "slow" else mode


def ordered(k: Any, x: Any, level: Any = 2) -> Any:
    return (k, x) if level > 1 else level


def member(k: Any, x: Any, flags: Any = "ab") -> Any:
    return [one for one in ("a", "b", "c") if one in flags], k, x


def asked(k: Any, x: Any, prefix: Any = "") -> Any:
    return f"{prefix}:{x}" if prefix else (x, k)


def stepped(k: Any, x: Any, letters: Any = "xyz") -> Any:
    return [(one, k, x) for one in letters]


def only_computed_with(k: Any, x: Any, factor: Any = 2) -> Any:
    return k, x, factor


def counted(k: Any, x: Any, start: Any = 1) -> Any:
    return [(at, one, x) for at, one in enumerate(k, start)]


class Text(str):
    def __eq__(self, other: object) -> bool:
        return other == "slow"

    __hash__ = str.__hash__


GIVEN: list[Any] = [3, 3.0, True, 1, 0, -1, 2.5, None, ",", "r", "w", "fast", "slow", "", "ab", Text("r"), []]
FUNCTIONS: list[tuple[Callable[..., Any], Any, bool]] = [
    (repeated, 7, True), (cut, "a,b", True), (looked_up, 7, True), (compared, 7, True), (ordered, 7, True),
    (member, 7, True), (asked, 7, True), (stepped, 7, True), (counted, "abc", True), (only_computed_with, 7, False),
]  # fmt: skip


@pytest.mark.parametrize(("function", "known", "believed"), FUNCTIONS)
def test_all_ways_to_call(function: Callable[..., Any], known: Any, believed: bool) -> None:
    residual = specialize(function, known)
    assert ("FT414" in residual.stats["notes"]) == believed, residual.source
    for x in ({"a": 1}, "x", 5):
        assert outcome(residual, x) == outcome(function, known, x)
        for value in GIVEN:
            assert outcome(residual, x, value) == outcome(function, known, x, value), (x, value)
            assert outcome(residual, x) == outcome(function, known, x)


@pytest.mark.parametrize(("function", "known", "believed"), FUNCTIONS)
def test_named_parameters_stay_open(function: Callable[..., Any], known: Any, believed: bool) -> None:
    name = function.__code__.co_varnames[2]
    residual = specialize(function, known, **{name: DYN})
    assert "FT414" not in residual.stats["notes"]
    for x, value in itertools.product(({"a": 1}, "x"), GIVEN):
        assert outcome(residual, x, value) == outcome(function, known, x, value), (x, value)


def test_what_is_believed_is_gone() -> None:
    for function, known, believed in FUNCTIONS:
        residual = specialize(function, known)
        body = residual.source.partition("\n")[2]
        name = function.__code__.co_varnames[2]
        assert bool(re.search(rf"\b{name}\b", body)) != believed, residual.source


def test_defaults_that_can_be_changed_stay_open() -> None:
    def grown(k: int, x: int, seen: list[int] = []) -> Any:  # noqa: B006
        for one in seen:
            if one == x:
                return k
        seen.append(x)
        return len(seen)

    residual = specialize(grown, 7)
    assert "FT414" not in residual.stats["notes"]
    assert [residual(1), residual(2), residual(1), residual(3, [3])] == [1, 2, 7, 7]
