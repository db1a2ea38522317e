"""`getattr` with a default, `hasattr` and patterns: attributes that come and go, or that code gives.

    area = getattr(self, "_area", None)          ->          _area = getattr(_self, "_area", None)
    if area is None: self._area = ...                        (not `_self._area`, which fails the first time)

Invariant: what is stored on a static object stays there, so each call is compared with one on an object of its own.
"""

from __future__ import annotations

import copy
import functools
from typing import Any

import pytest

import futamura
from futamura import DYN
from tests.outcomes import outcome

LOG: list[str] = []


class Shape:
    def __init__(self, width: int) -> None:
        self.width = width


class Slotted:
    __slots__ = ("_area", "width")

    def __init__(self, width: int) -> None:
        self.width = width


class Defaulted(Shape):
    _area: Any = None


class Answering:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __getattr__(self, name: str) -> Any:
        LOG.append(name)
        if name in ("value", "_area"):
            raise AttributeError(name)
        return name


class Cached:
    def __init__(self, x: Any) -> None:
        self.x = x

    @functools.cached_property
    def bad(self) -> Any:
        LOG.append("bad")
        raise AttributeError("bad")

    @functools.cached_property
    def good(self) -> Any:
        return self.x


def memo(shape: Any, x: Any) -> Any:
    area = getattr(shape, "_area", None)
    if area is None:
        area = shape.width * x
        shape._area = area
    return area


def asked(shape: Any, x: Any) -> Any:
    if not hasattr(shape, "_area"):
        shape._area = shape.width * x
    return shape._area


def deleted(shape: Any, x: Any) -> Any:
    if x > 3:
        shape._area = x
    found = getattr(shape, "_area", "none")
    if "_area" in getattr(shape, "__dict__", ()):
        del shape._area
    return found, hasattr(shape, "_area"), getattr(shape, "_area", 7)


def matched(shape: Any, x: Any) -> Any:
    match shape:
        case Shape(_area=area) | Slotted(_area=area) if area is not None:
            return "found", area
        case _:
            shape._area = x
            return "stored"


@pytest.mark.parametrize("cls", [Shape, Slotted, Defaulted, Answering])
@pytest.mark.parametrize("function", [memo, asked, deleted, matched])
def test_an_attribute_that_comes_and_goes(function: Any, cls: Any) -> None:
    static, own = cls(3), cls(3)
    if cls is Answering:
        static.width = own.width = 3
    residual = futamura.specialize(function, static, DYN)
    for x in (2, 5, 2, 7, 5):
        assert outcome(residual, x) == outcome(function, own, x), residual.source
        assert getattr(static, "_area", "none") == getattr(own, "_area", "none")


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_the_rest_of_the_object_stays_known() -> None:
    residual = futamura.specialize(memo, Shape(3), DYN)
    assert "3 * x" in residual.source and "width" not in residual.source


def answering(x: Any) -> Any:
    made = Answering(x)
    return (
        *(getattr(made, "value", x), getattr(made, "x", 0), getattr(made, "other", 0)),
        *(hasattr(made, "value"), hasattr(made, "x"), hasattr(made, "other")),
    )


def answering_patterns(x: Any) -> Any:
    match Answering(x):
        case Answering(value=found):
            return found
        case Answering(x=1):
            return "one"
        case Answering(other=found):
            return found


def cached(x: Any) -> Any:
    made = Cached(x)
    return (
        *(getattr(made, "bad", x), hasattr(made, "bad"), hasattr(made, "good"), getattr(made, "good", 5)),
        *(getattr(made, "missing", 6), hasattr(made, "missing")),
    )


def cached_patterns(x: Any) -> Any:
    match Cached(x):
        case Cached(bad=found):
            return found
        case Cached(good=found):
            return "good", found


@pytest.mark.parametrize("function", [answering, answering_patterns, cached, cached_patterns])
def test_code_that_says_what_is_there(function: Any) -> None:
    residual = futamura.specialize(function, DYN)
    for x in (1, 2, "text", None):
        LOG.clear()
        wanted = copy.copy(outcome(function, x)), LOG[:]
        LOG.clear()
        assert (outcome(residual, x), LOG[:]) == wanted
