"""Iterators over dicts of known keys that have given some items when somebody else gets them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import futamura


def taken(n: int, use: Any) -> Any:
    d = {"a": n, "b": use, "c": 3}
    steps = iter(d.items())
    first = next(steps)
    return first, use(steps), d


def keys(n: int, use: Any) -> Any:
    steps = iter({"a": n, "b": 2, "c": 3})
    for _ in range(n):
        next(steps)
    return use(steps), next(steps, "end")


def values(n: int, use: Any) -> Any:
    d = {"a": n, "b": 2}
    steps = iter(d.values())
    next(steps)
    d["b"] = 7
    return use(steps), use(d)


def changed(n: int, use: Any) -> Any:
    d = {"a": n, "b": 2, "c": 3}
    steps = iter(d)
    next(steps)
    del d["a"]
    try:
        return use(steps)
    except RuntimeError as error:
        return str(error), d


@pytest.mark.parametrize("function", [taken, keys, values, changed])
@pytest.mark.parametrize("use", [list, len, lambda steps: next(iter(steps), None), type])
def test_what_is_left_is_given(function: Callable[..., Any], use: Any) -> None:
    for n in (0, 1, 3):
        residual = futamura.specialize(function, n)
        assert outcome(residual, use) == outcome(function, n, use)
    assert function is changed or not futamura.specialize(function, 1).stats["fallbacks"]


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)
