"""Managers in each other that fail to enter, fail to leave, or swallow what is raised, inside `finally`.

    with m(1), m(3) as b:        the exit of m(1) may raise: the clean-up then needs the new `b`,
        ...                      or swallow: then what follows needs the old `a`, which was the old `b`

Invariant: a variable that a handler needs is not one whose value is still needed when there is none.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import futamura


class Manager:
    def __init__(self, number: int, log: list[Any], way: str) -> None:
        self.number, self.log, self.way = number, log, way

    def __enter__(self) -> int:
        self.log.append(("enter", self.number))
        if self.way == "fails to enter":
            raise KeyError(self.number)
        return self.number

    def __exit__(self, cls: Any, error: Any, traceback: Any) -> bool:
        self.log.append(("exit", self.number, cls and cls.__name__))
        if self.way == "fails to leave":
            raise ValueError(self.number)
        return self.way == "swallows"


def two(m: Any, f: Any, b: Any) -> Any:
    a = b
    try:
        with m(1), m(3) as b:
            f(b)
            a += 1
        f(a)
    finally:
        f(b)
    return a, b


def four(m: Any, f: Any, b: Any) -> Any:
    a = b
    c = 0
    try:
        with m(1) as c, m(3) as b:  # noqa: SIM117
            with m(1) as c:
                with m(2):
                    f(b)
                    a += 1
        f(a)
        b = f(a)
    finally:
        a = b
        f(a)
    return a, b, c


def looped(m: Any, f: Any, b: Any) -> Any:
    for a in (1, 2):
        with m(a) as b:
            if f(b) > 1:
                break
            with m(3):
                continue
        f(a)
    else:
        return a
    return a, b


def ended(m: Any, f: Any, b: Any) -> Any:
    with m(1) as a:
        try:
            return f(a)
        except KeyError:
            b = 3
        finally:
            with m(2):
                b = f(b)
        return a, b
    return b


def nested(k: Any) -> Any:
    """Functions that may stay as they are."""

    def final(m: Any, f: Any, b: Any) -> Any:
        """A clean-up that never goes on, in front of code that others come to."""
        try:
            with m(1) as a:
                if f(a) > b:
                    return a
            f(2)
        except KeyError:
            for x in (1, 2):
                with m(x):
                    if f(x):
                        return x
            f(4)
        finally:
            return f(k)  # noqa: B012

    def kept(m: Any, f: Any, b: Any) -> Any:
        """What the handler needs is none of what the body has made meanwhile."""
        y = f(b)
        try:
            y = f(k)
            with m(1):
                a = f(2)
                b = f(3)
                c = f(a + b)
                f(c)
            with m(2) as a:
                f(y)
        except (KeyError, ValueError):
            return y
        return y, a, b, c

    return final, kept


def outcome(function: Callable[..., Any], ways: tuple[str, ...]) -> Any:
    log: list[Any] = []
    left = itertools.chain(ways, itertools.repeat(""))

    def f(x: Any) -> Any:
        log.append(("f", x))
        return x

    try:
        return function(lambda n: Manager(n, log, next(left)), f, 0), log
    except Exception as error:
        return repr(error), log


@pytest.mark.parametrize("function", [two, four, looped, ended, *nested(7)], ids=lambda function: function.__name__)
def test_all_ways(function: Callable[..., Any]) -> None:
    residual = futamura.specialize(function)
    for ways in itertools.product(("", "fails to enter", "fails to leave", "swallows"), repeat=4):
        assert outcome(residual, ways) == outcome(function, ways), (ways, residual.source)


@pytest.mark.parametrize("at", [0, 1])
def test_all_ways_of_a_function_that_stays(at: int) -> None:
    residual = futamura.specialize(nested, k=5)
    made = residual()[at]
    for ways in itertools.product(("", "fails to enter", "fails to leave", "swallows"), repeat=4):
        assert outcome(made, ways) == outcome(nested(5)[at], ways), (ways, residual.source)


def test_with_is_written() -> None:
    residual = futamura.specialize(looped)
    assert residual.source.count("with ") == 2 and "__traceback__" not in residual.source
