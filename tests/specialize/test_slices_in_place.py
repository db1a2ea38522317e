"""A slice at the head of a `try` statement is written in its brackets: making it has no effect.

    try: c = data[0:3]          ->    the same, and not `_1 = slice(0, 3, None)` in front

Invariant: a slice that a handler uses is made before what may raise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import futamura

from .specializing import source_of, specialize


class Keys:
    """Gives what it is asked for."""

    def __init__(self, failing: bool) -> None:
        self.failing = failing

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int):
            raise IndexError(key)
        if self.failing:
            raise TypeError(str(key))
        return str(key)


def constant(data: Any, n: Any) -> Any:
    try:
        c = data[0:3]
    except TypeError:
        c = n
    return c


def opened(data: Any, n: Any) -> Any:
    try:
        c = data[n:3]
    except TypeError as error:
        c = str(error)
    return c


def counted(data: Any, n: int) -> Any:
    try:
        c = data[n : n + 2]
    except TypeError:
        c = n
    return c


def stored(data: Any, n: Any) -> Any:
    try:
        data[1:2] = n
    except TypeError as error:
        return str(error)
    finally:
        n = 3
    return data, n


def deleted(data: Any, n: Any) -> Any:
    try:
        del data[n:2]
    except TypeError as error:
        return str(error)
    return data


def in_loop(data: Any, n: Any) -> Any:
    found = []
    for item in data:
        try:
            found.append(item[1:])
        except TypeError:
            found.append(n)
    return found


def nested(data: Any, n: Any) -> Any:
    try:
        try:
            return data[:2]
        except KeyError:
            return n
    except TypeError:
        return data[n:]


def handled(data: Any, n: Any) -> Any:
    part = slice(n, 3)
    try:
        c = data[part]
    except TypeError:
        c = part
    return c


def kept(data: Any, n: Any) -> Any:
    part = slice(n, 3)
    parts = [part]
    try:
        return data[part]
    except TypeError:
        return parts, parts[0] is part


PLACED = {
    constant: "data[0:3]",
    opened: "data[n:3]",
    stored: "data[1:2] = n",
    deleted: "del data[n:2]",
    in_loop: "[1:]",
    nested: "data[:2]",
}
INPUTS: list[Any] = ["abcdef", [1, 2, 3, 4], 3, None, {}, "", [], Keys(False), Keys(True), ["ab", 3, [1, 2]]]


def outcome(function: Callable[..., Any], data: Any, n: Any) -> Any:
    data = data.copy() if isinstance(data, (list, dict)) else data
    try:
        return function(data, n), data
    except Exception as error:
        return type(error), str(error), data


@pytest.mark.parametrize("function", [*PLACED, counted, handled, kept])
def test_agrees(function: Callable[..., Any]) -> None:
    promised = futamura.specialize(function, n=futamura.Dyn(int))
    for made in (specialize(function), promised):
        for data in INPUTS:
            for n in (0, 1, -1, None, "q", 1.5):
                assert outcome(made, data, n) == outcome(function, data, n)
        assert "FT901" not in {event.code for event in promised.events}


@pytest.mark.parametrize("function", PLACED)
def test_in_place(function: Callable[..., Any]) -> None:
    for made in (specialize(function), futamura.specialize(function, n=futamura.Dyn(int))):
        text = source_of(made)
        assert PLACED[function] in text and "slice(" not in text, text
        assert "try:" in text


@pytest.mark.parametrize("function", [handled, kept])
def test_made_before(function: Callable[..., Any]) -> None:
    text = source_of(specialize(function))
    assert text.index("slice(n, 3") < text.index("try:")
