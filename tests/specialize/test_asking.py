"""Builtin functions that ask one method of an object, and operators of named tuples: the methods are in line, and what
they may give is checked as Python does."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
# ruff: noqa: RUF005, UP031

from __future__ import annotations

import fractions
import math
import operator
import warnings
from typing import Any, NamedTuple

import pytest

from .specializing import specialize


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __abs__(self):
        return (self.x * self.x + self.y * self.y) ** 0.5

    def __round__(self, digits=None):
        return Vector(round(self.x, digits), round(self.y, digits))

    def __divmod__(self, other):
        if isinstance(other, Vector):
            return divmod(self.x, other.x), divmod(self.y, other.y)
        return NotImplemented

    def __rdivmod__(self, other):
        return "reflected", other, self.x

    def __pow__(self, other):
        return Vector(self.x**other, self.y)

    def __int__(self):
        return self.x

    def __float__(self):
        return self.y

    def __hash__(self):
        return self.x

    def __reversed__(self):
        return Vector(self.y, self.x)

    def __trunc__(self):
        return "trunc", self.x

    def __floor__(self):
        return "floor", self.x

    def __ceil__(self):
        return "ceil", self.x

    def __repr__(self):
        return f"Vector({self.x!r}, {self.y!r})"


class Exact:
    """It sees what it gets."""

    def __init__(self, x):
        self.x = x

    def __round__(self, *digits):
        return self.x, digits


class Bare:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return "Bare"


class Long(int):
    pass


class Real(float):
    pass


VALUES: list[Any] = [
    *(0, 3, -1, True, 2.5, -0.0, math.nan, math.inf, 10**30, "a", b"b", None, (), [1], fractions.Fraction(1, 3), 2j),
    *(Long(7), Real(1.5), Vector(1, 2), Bare(1), object, len),
]


def said(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(*args)
            return type(found), repr(found), [str(one.message) for one in caught]
        except Exception as error:
            return type(error), str(error), [str(one.message) for one in caught]


FUNCTIONS: list[Any] = [
    lambda k, t: abs(Vector(k, t)),
    lambda k, t: round(Vector(k, t)),
    lambda k, t: round(Vector(t, k), k),
    lambda k, t: round(Vector(1.25, k), t),
    lambda k, t: round(Vector(t, k), None),
    lambda k, t: round(Vector(t, k), 1, 2),
    lambda k, t: (round(Exact(t)), round(Exact(k), None), round(Exact(t), k), round(Exact(k), t)),
    lambda k, t: divmod(Vector(k, 7), t),
    lambda k, t: divmod(t, Vector(k, 7)),
    lambda k, t: divmod(Vector(t, 7), Vector(k, 2)),
    lambda k, t: divmod(Vector(k, t), k),
    lambda k, t: divmod(k, Vector(t, k)),
    lambda k, t: pow(Vector(t, k), k),
    lambda k, t: pow(Vector(1, k), t),
    lambda k, t: pow(Vector(1, k), t, 3),
    lambda k, t: int(Vector(t, k)),
    lambda k, t: int(Vector(k, t), k),
    lambda k, t: float(Vector(k, t)),
    lambda k, t: hash(Vector(t, k)) == hash(t),
    lambda k, t: {Vector(t, k): 1},
    lambda k, t: reversed(Vector(k, t)),
    lambda k, t: math.floor(Vector(k, t)),
    lambda k, t: math.ceil(Vector(t, k)),
    lambda k, t: math.trunc(Vector(t, k)),
    lambda k, t: abs(Bare(t)),
    lambda k, t: round(Bare(t)),
    lambda k, t: divmod(Bare(t), Vector(k, 1)),
    lambda k, t: divmod(Bare(t), k),
    lambda k, t: int(Bare(t)),
    lambda k, t: float(Bare(t)),
    lambda k, t: hash(Bare(t)) == 0,
    lambda k, t: reversed(Bare(t)),
    lambda k, t: math.floor(Bare(t)),
]


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_a_builtin_asks_the_method(number):
    function = FUNCTIONS[number]
    residual = specialize(function, k=3)
    for value in VALUES:
        assert said(residual, value) == said(function, 3, value), value


@pytest.mark.parametrize("index", [-1, 2**61 - 1, 2**61, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64])
def test_the_hash_of_an_object_is_what_its_method_gives(index):
    """An int has another hash from 2**61 - 1 on; an object whose `__hash__` gives one that is index-sized has that."""
    known = specialize(lambda k, t: hash(Vector(k, t)), k=index)
    opened = specialize(lambda k, t: hash(Vector(t, k)), k=0)
    assert known(0) == opened(index) == hash(Vector(index, 0))


def length(k, t):
    return abs(Vector(k, t)) + float(Vector(t, 1.5)) + round(Vector(t, k)).y + math.floor(Vector(k, t))[1]


def test_nothing_is_made_for_the_method():
    residual = specialize(length, k=3)
    assert "Vector" not in residual.source
    assert residual(4) == length(3, 4)


class Point(NamedTuple):
    x: Any
    y: Any

    def __add__(self, other):
        if isinstance(other, tuple):
            return Point(self.x + other[0], self.y + other[1])
        return NotImplemented

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Point(self.x * k, self.y * k) if isinstance(k, (int, float)) else NotImplemented

    def __rmul__(self, k):
        return Point(k * self.x, k * self.y)

    def __neg__(self):
        return Point(-self.x, -self.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __str__(self):
        return f"({self.x}, {self.y})"

    def __format__(self, spec):
        return f"<{self.x}{spec}>"


class Sized(NamedTuple):
    x: Any
    y: Any

    def __abs__(self):
        return self.x * self.x + self.y

    def __round__(self, digits=None):
        return Sized(self.x, digits)

    def __divmod__(self, other):
        return self.x // other, self.y

    def __float__(self):
        return self.x

    def __int__(self):
        return 7

    def __floor__(self):
        return "floor"

    def unit(self):
        return Sized(self.x / abs(self), self.y)


class Plain(NamedTuple):
    x: Any
    y: Any = 2

    def __sub__(self, other):
        return Plain(self.x - other[0])


class Half(NamedTuple):
    """Only one of the two methods: `3 * half` repeats it."""

    x: Any
    y: Any

    def __mul__(self, k):
        return Half(self.x, k)

    def __radd__(self, other):
        return "behind", other


RECORDS: list[Any] = [
    lambda k, t: Point(k, t) + Point(1, 2),
    lambda k, t: Point(k, 1) + t,
    lambda k, t: t + Point(k, 1),
    lambda k, t: (k, t) + Point(k, 1),
    lambda k, t: [k, t] + Point(k, 1),
    lambda k, t: Point(k, t) + (k, t),
    lambda k, t: Point(k, t) + [k, t],
    lambda k, t: Point(k, t) + Plain(t, k),
    lambda k, t: Plain(k, t) + Point(t, k),
    lambda k, t: Plain(k, t) + Plain(t, k),
    lambda k, t: Plain(k, t) + (t, k),
    lambda k, t: (t, k) + Plain(k, t),
    lambda k, t: Plain(k, t) - Plain(t, k),
    lambda k, t: Plain(k, 1) - (t, k),
    lambda k, t: (t, k) - Plain(k, t),
    lambda k, t: (Plain(k, t) + (), () + Plain(k, t), Plain(k, t) * 1, 1 * Plain(t, k), Plain(k, t) * 0),
    lambda k, t: Plain(k, t) * k,
    lambda k, t: k * Plain(k, t),
    lambda k, t: Plain(k, t) * t,
    lambda k, t: Half(k, t) * k,
    lambda k, t: k * Half(k, t),
    lambda k, t: t * Half(k, 1),
    lambda k, t: Half(k, t) + Half(t, k),
    lambda k, t: Half(k, t) + (t,),
    lambda k, t: (t,) + Half(k, t),
    lambda k, t: [t] + Half(k, t),
    lambda k, t: t + Half(k, k),
    lambda k, t: Point(k, 1) * t,
    lambda k, t: t * Point(k, 1),
    lambda k, t: "ab" * Point(k, t),
    lambda k, t: Point(k, t) * "ab",
    lambda k, t: Point(k, t) * Point(t, k),
    lambda k, t: -Point(k, t),
    lambda k, t: +Point(k, t),
    lambda k, t: abs(Point(k, t)),
    lambda k, t: (abs(Sized(k, t)), Sized(t, k).unit(), round(Sized(t, k)), round(Sized(k, t), t), int(Sized(t, k))),
    lambda k, t: (divmod(Sized(k, t), t), math.floor(Sized(t, t))),
    lambda k, t: (float(Sized(1.5, t)), math.ceil(Sized(1, t))),
    lambda k, t: float(Sized(t, k)),
    lambda k, t: divmod(t, Sized(k, t)),
    lambda k, t: complex(Sized(k, t)),
    lambda k, t: sum(map(abs, [Sized(k, t), Sized(t, k)])),
    lambda k, t: Point(k, t) @ Point(2, t),
    lambda k, t: Point(k, t) @ t,
    lambda k, t: f"{Point(k, t)} {Point(t, k)!s} {Point(t, k)!r} {Point(k, t):x}",
    lambda k, t: "%s %d" % Plain(t, k),
    lambda k, t: str(Point(k, t)) + repr(Point(k, t)),
    lambda k, t: sum([Point(k, t), Point(t, k)], Point(0, 0)),
    lambda k, t: sum((Plain(k, t), Plain(t, k)), ()),
    lambda k, t: operator.add(Point(k, t), Plain(k, t)),
    lambda k, t: operator.concat(Point(k, t), Plain(k, t)),
    lambda k, t: (Point(k, t) == (k, t), Point(k, t) < Plain(t, k), hash(Plain(k, 1)), t in Point(k, t)),
    lambda k, t: [*Point(k, t), *Plain(t), len(Point(k, t)), Point(k, t)[1], Point(k, t)[::-1]],
    lambda k, t: (Point(k, t) + Point(t, k))._replace(x=1) + (3, 4),
]


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_operators_of_named_tuples(number):
    function = RECORDS[number]
    residual = specialize(function, k=3)
    for value in [*VALUES, Point(1, 2), Plain(5), Half(1, 2)]:
        assert said(residual, value) == said(function, 3, value), value


def test_records_with_operators_are_not_made():
    def lerp(start, t):
        return (start * 4 + 2 * Point(t, 3)).x

    residual = specialize(lerp, start=Point(1, 5))
    assert "Point" not in residual.source
    assert residual(0.25) == lerp(Point(1, 5), 0.25)


def test_an_operator_that_the_class_gets_later():
    def join(k, t):
        return Plain(k, t) + Plain(t, k)

    residual = specialize(join, k=1)
    assert residual(2) == (1, 2, 2, 1)
    Plain.__add__ = lambda self, other: "added"  # type: ignore[assignment,method-assign]
    try:
        assert residual(2) == join(1, 2) == "added"
    finally:
        del Plain.__add__
    assert residual(2) == (1, 2, 2, 1)
