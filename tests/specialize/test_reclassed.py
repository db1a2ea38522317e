"""Objects that become objects of another class in a function that is called: nobody goes on believing in the old one.

Invariant: a function that changes the class of an object, and cannot be entered, is no call beside which that class
is known.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .specializing import specialize


class One:
    def toggle(self):
        self.__class__ = Other


class Other(One):
    def toggle(self):
        self.__class__ = One


class Slotted:
    __slots__ = ("x",)


class Slotted2:
    __slots__ = ("x",)


def promote(one):
    one.__class__ = Other


def become(one, cls):
    one.__class__ = cls


def told(one, x):
    promote(one)
    return type(one).__name__, isinstance(one, Other), one.__class__ is Other, x


def matched(one, x):
    promote(one)
    match one:
        case Other():
            return "Other", x
        case _:
            return "One", x


def by_method(one, x):
    for _ in range(x):
        one.toggle()
    return type(one).__name__, isinstance(one, Other)


def sometimes(one, x):
    if x:
        become(one, Other)
    return type(one).__name__, isinstance(one, Other), x


def made(k, x):
    one = Slotted()
    one.x = k
    become(one, Slotted2)
    return type(one).__name__, isinstance(one, Slotted2), one.x, x


def made_open(k, x):
    one = One()
    become(one, x)
    return type(one).__name__, isinstance(one, Other), k


def in_recursion(k, x):
    one = One()

    def again(n):
        if n <= 0:
            return 0
        setattr(one, "__class__", Other)  # noqa: B010
        return again(n - 1) + 1

    return again(x), type(one).__name__, isinstance(one, Other), k


def ended(run: Callable[..., Any], *args: Any) -> Any:
    try:
        return run(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("subject", [told, matched, by_method, sometimes], ids=lambda subject: subject.__name__)
def test_a_static_object(subject: Any) -> None:
    residual, twin = specialize(subject, one=One()), One()
    for x in (1, 0, 2, 1):
        assert ended(residual, x) == ended(subject, twin, x)


@pytest.mark.parametrize("subject", [made, made_open, in_recursion], ids=lambda subject: subject.__name__)
def test_an_object_that_is_made(subject: Any) -> None:
    residual = specialize(subject, k=1)
    for x in (1, 0, Other, One, int):
        assert ended(residual, x) == ended(subject, 1, x)
