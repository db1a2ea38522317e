"""`x, y = point` where the class has an `__iter__` in Python: its items are taken in line.

Invariant: as many are asked for as Python asks for, and what is wrong is said as Python says it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.outcomes import outcome
from tests.specialize.specializing import fallbacks, source_of, specialize

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __iter__(self):
        yield self.x
        yield self.y

    def __mul__(self, other):
        a, b = self
        c, d = other
        return Vector(a * c, b * d)


class Listed:
    """Its iterator is that of a list; it has a length, which nobody asks for."""

    def __init__(self, *items):
        self.items = list(items)

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        raise SystemExit("asked")


class Noting:
    def __init__(self, log, count):
        self.log = log
        self.count = count

    def __iter__(self):
        for at in range(self.count):
            self.log.append(at)
            yield at
        self.log.append("end")


class Refusing:
    def __iter__(self):
        return 5


def scaled(factor, x, y):
    found = Vector(*factor) * Vector(x, y)
    return found.x, found.y


def two(value, x):
    a, b = value
    return a, b, x


def starred(value, x):
    a, *b = value
    return a, b, x


def noted(count, x):
    log = []
    try:
        a, b = Noting(log, count)
        log.append((a, b))
    except ValueError as error:
        log.append(str(error))
    return log, x


def test_objects_that_the_code_makes_disappear() -> None:
    residual = specialize(scaled, (2, 3))
    assert not fallbacks(residual)
    assert "Vector" not in source_of(residual) and "__new__" not in source_of(residual)
    for x, y in ((1, 2), ("a", 0.5), (None, 1)):
        assert outcome(residual, x, y) == outcome(scaled, (2, 3), x, y)


VALUES = [Vector(1, 2), Listed(1, 2), Listed(), Listed(1, 2, 3), Listed([1]), Refusing(), Noting([], 2)]


@pytest.mark.parametrize("function", [two, starred])
@pytest.mark.parametrize("at", range(len(VALUES)))
def test_static_objects(at: int, function: Callable[..., Any]) -> None:
    residual = specialize(function, VALUES[at])
    assert outcome(residual, 5) == outcome(function, VALUES[at], 5)


@pytest.mark.parametrize("count", range(5))
def test_so_many_are_asked_for(count: int) -> None:
    assert specialize(noted, count)(1) == noted(count, 1)


class Rows:
    """An iterator that counts how often it is asked for one."""

    def __init__(self, left):
        self.left = left
        self.asked = 0

    def __iter__(self):
        self.asked += 1
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        return self.left


def front(left, x):
    rows = Rows(left)
    first, *rest = rows
    return first, rest, rows.asked, x


def both_ends(left, x):
    rows = Rows(left)
    first, second, *rest, last = rows
    return first, second, rest, last, rows.asked, x


def all_of_them(left, x):
    rows = Rows(left)
    *rest, = rows
    return rest, rows.asked, x


@pytest.mark.parametrize("left", range(5))
@pytest.mark.parametrize("function", [front, both_ends, all_of_them])
def test_an_iterator_is_asked_once_more_for_what_a_star_takes(function: Callable[..., Any], left: int) -> None:
    residual = specialize(function, left)
    assert not fallbacks(residual)
    assert outcome(residual, 7) == outcome(function, left, 7)
