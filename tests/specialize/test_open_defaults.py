"""What open variables are by default, and objects that handlers need: neither doubles what follows.

    t = t or []          one copy of what follows, whatever `t` is
    request = Request(path)                  made once, where the program makes it, not in front of
    try: ...                                 each operation that may raise
    except KeyError: ... request ...

Invariant: the residual gives and raises what the function does, with the same objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import futamura

NOTED: list[Any] = []


def note(value: Any) -> Any:
    NOTED.append(value)
    return value


def by_or(n: int, t: Any) -> Any:
    t = t or 30
    note(t)
    return [t] * n, note(t)


def by_expression(n: int, t: Any) -> Any:
    t = t if t is not None else "abc"
    note(n)
    return t, note(t)


def by_statement(n: int, t: Any) -> Any:
    if t is None:
        t = {}
    note(t)
    return {**t, "n": n} if isinstance(t, dict) else t


def by_list(n: int, t: Any) -> Any:
    held = t or []
    found = held
    note(1)
    if type(held) is list:
        held.append(n)
    return found is held, held, t


def looped(n: int, t: Any) -> Any:
    out = []
    for item in t or ():
        out.append(item)
        note(item)
    return out, n


def twice(n: int, t: Any) -> Any:
    first = t or {}
    second = first if first else [n]
    third = 5 if second is None else second
    note(third)
    return first, second, third


def asked(n: int, t: Any) -> Any:
    mode = t or "fast"
    return n if mode == "fast" else note(mode)


DEFAULTS = [by_or, by_expression, by_statement, by_list, looped, twice, asked]


class Falsy:
    def __bool__(self) -> bool:
        NOTED.append("asked")
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Falsy)

    __hash__ = None  # type: ignore[assignment]


class Failing:
    def __bool__(self) -> bool:
        raise ValueError("no truth")


@pytest.mark.parametrize("function", DEFAULTS)
def test_defaults_are_what_they_are(function: Callable[..., Any]) -> None:
    residual = futamura.specialize(function, 2)
    for given in (None, 0, 1, "", "fast", "x", [], [1, 2], {}, {"k": 1}, (), Falsy(), Failing()):
        assert run(residual, given) == run(function, 2, given)


def test_what_follows_is_there_once() -> None:
    for function in (by_or, by_expression, by_statement, looped):
        source = futamura.specialize(function, 2).source
        assert source.count("NOTED.append") <= 2, source


def run(function: Callable[..., Any], *args: Any) -> Any:
    NOTED.clear()
    try:
        return function(*args), list(NOTED)
    except Exception as error:
        return type(error), str(error), list(NOTED)


class Request:
    def __init__(self, path: Any) -> None:
        self.path = path
        self.seen: list[str] = []


def routed(keys: tuple[str, ...], path: Any, view: Any, done: Any) -> Any:
    request = Request(path)
    try:
        for key in keys:
            if path[key]:
                value = view(request)
                break
        else:
            value = path["other"]
    except KeyError as error:
        value = str(error)
    return done(request, value)


def dropped(keys: tuple[str, ...], path: Any, view: Any, done: Any) -> Any:
    request = Request(path)
    try:
        for key in keys:
            if request.path[key]:
                value = view(request)
                break
        else:
            value = request.path["other"]
    except KeyError as error:
        value = str(error)
    return value


def listed(keys: tuple[str, ...], path: Any, view: Any, done: Any) -> Any:
    found: list[Any] = []
    try:
        for key in keys:
            found.append(path[key])
            view(found)
    except KeyError as error:
        found.append(str(error))
    return found, done(found, len(found))


@pytest.mark.parametrize("function", [routed, dropped, listed])
def test_an_object_is_made_once_for_a_handler(function: Callable[..., Any]) -> None:
    keys = ("a", "b", "c")
    residual = futamura.specialize(function, keys)
    assert residual.source.count("Request)") <= (3 if function is dropped else 1)
    views = [lambda request: note(vars(request).copy() if isinstance(request, Request) else list(request)), dict]
    for path in ({}, {"a": 1}, {"a": 0, "b": 2}, {"a": 0, "b": 0, "c": 0, "other": 5}, {"a": 0, "b": 0, "c": 0}, 5):
        for view in views:
            shown = run(residual, path, view, lambda held, value: (type(held), value))
            assert shown == run(function, keys, path, view, lambda held, value: (type(held), value))
