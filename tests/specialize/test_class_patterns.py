"""A class pattern that only asks for the class of an open subject is `isinstance`.

Invariant: the subject is asked what Python asks it, in its order, and the pattern binds what it binds.
"""

from __future__ import annotations

import enum
from typing import Any

import pytest

import futamura
from tests.specialize.specializing import fallbacks


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x: Any, y: Any) -> None:
        self.x = x
        self.y = y


class Asking(type):
    def __instancecheck__(cls, instance: Any) -> Any:
        SEEN.append(("checked", type(instance).__name__))
        return type(instance) is str


class Checked(metaclass=Asking):
    pass


class Posing:
    """It says that it is an int, each time that it is asked."""

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        SEEN.append("asked")
        return int

    def __mul__(self, other: Any) -> Any:
        return "posing", other


class Failing:
    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise LookupError("class")


class Tag(enum.Enum):
    ONE = 1


SEEN: list[Any] = []
NO_CLASS = 5


def area(unit, value):  # type: ignore[no-untyped-def]
    match value:
        case int(number) | float(number):
            return number * unit
        case str(text):
            return text, unit
        case None:
            return 0
    return value


def kinds(unit, value):  # type: ignore[no-untyped-def]
    match value:
        case bool():
            return "bool", unit
        case int() | str() | Tag():
            return "plain", value, unit
        case Point():
            return "point", value.x, unit
        case dict(held) | list(held):
            return "holds", len(held), unit
    return "other", unit


def parts(unit, value):  # type: ignore[no-untyped-def]
    match value:
        case Point(0, y):
            return "axis", y, unit
        case Point(x=1):
            return "one", unit
        case Point(x, y):
            return x, y, unit
        case Checked():
            return "checked", unit
    return "other", unit


def wrong(unit, value):  # type: ignore[no-untyped-def]
    match value:
        case str():
            return unit
        case NO_CLASS():
            return 2
    return 3


VALUES: list[Any] = [
    1, True, 2.5, "ab", None, [1], {"a": 1}, (1, 2), b"x", Point(0, 2), Point(1, 1), Point(3, 4), Tag.ONE, Posing(),
    Failing(), int, Point,
]  # fmt: skip


def _result(call: Any, *args: Any) -> Any:
    SEEN.clear()
    try:
        return call(*args), list(SEEN)
    except Exception as error:
        return type(error), str(error), list(SEEN)


@pytest.mark.parametrize("function", [area, kinds, parts, wrong])
def test_open_subjects(function: Any) -> None:
    residual = futamura.specialize(function, unit=3)
    assert not fallbacks(residual)
    for value in (*VALUES, *VALUES):
        assert repr(_result(residual, value)) == repr(_result(function, 3, value)), value


def test_the_pattern_is_a_test_of_the_class() -> None:
    for function in (area, kinds):
        text = futamura.specialize(function, unit=3).source
        assert "match " not in text and "isinstance(value, " in text
