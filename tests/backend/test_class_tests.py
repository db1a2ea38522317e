"""What was assumed of the attributes of classes is tested when a residual is entered.

    specialize(shape.area)    shape.width is static: the test is that Shape has no `width` of its own

Invariant: whatever is added, replaced or deleted on a class of which many attributes were assumed, the residual does
what the program does.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest

import futamura


def made() -> types.SimpleNamespace:
    """Classes of their own for each test."""

    class Base:
        def scale(self, x: int) -> int:
            return x * 2

        def len(self) -> int:
            return 3

    class Shape(Base):
        def __init__(self, width: int, height: int, depth: int) -> None:
            self.width = width
            self.height = height
            self.depth = depth
            self.name = "box"

        def area(self, x: int) -> tuple[int, int, str]:
            return self.width * self.height + self.scale(x), self.len() + self.depth + self.more(x), self.name

        def more(self, x: int) -> int:
            return self.lift(x) + 1

        def lift(self, x: int) -> int:
            return x + 10

    return types.SimpleNamespace(Base=Base, Shape=Shape, shape=Shape(2, 3, 4))


DELETED = object()
CHANGES = {  # by tables: functions of this module that store attributes would make them unknown
    "replaced": ("Shape", "lift", lambda self, x: x + 20),
    "replaced below": ("Base", "scale", lambda self, x: x * 5),
    "added between": ("Shape", "scale", lambda self, x: x * 7),
    "a property for an attribute": ("Shape", "width", property(lambda self: 11)),
    "a property below": ("Base", "name", property(lambda self: "other")),
    "deleted": ("Shape", "more", DELETED),
    "deleted, and there is a builtin": ("Base", "len", DELETED),
    "a static method": ("Base", "scale", staticmethod(lambda x: x)),
}


def change(found: types.SimpleNamespace, place: str, name: str, value: object) -> None:
    cls = getattr(found, place)
    if value is DELETED:
        delattr(cls, name)
    else:
        setattr(cls, name, value)


def outcome(function: Callable[..., Any]) -> object:
    try:
        return function(1)
    except AttributeError as error:
        return str(error)


@pytest.mark.parametrize("name", CHANGES)
def test_a_class_changes(name: str) -> None:
    found = made()
    residual = futamura.specialize(found.shape.area)
    assert "width" not in residual.source and len(residual.assumptions) > 10
    assert residual(1) == found.shape.area(1) and residual.holds()
    change(found, *CHANGES[name])
    assert outcome(residual) == outcome(found.shape.area)
    assert not residual.holds()


def test_what_is_put_back_holds_again() -> None:
    found = made()
    residual = futamura.specialize(found.shape.area)
    before = found.Shape.lift
    change(found, *CHANGES["replaced"])
    assert residual(1) == found.shape.area(1)
    change(found, "Shape", "lift", before)
    change(found, "Shape", "unused", 1)
    assert residual(1) == found.shape.area(1) and residual.holds()
