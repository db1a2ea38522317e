"""`==` of tuples and lists whose items compare by a method of their own.

    (self.x, self.y) == (other.x, other.y)        the `__eq__` of what `self.x` is, then that of `self.y`

Invariant: items are compared in order; the same object is equal, and behind the first difference nothing is compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import futamura

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Unit:
    def __init__(self, name, log=None):
        self.name = name
        self.log = log

    def __eq__(self, other):
        if self.log is not None:
            self.log.append(self.name)
        return isinstance(other, Unit) and self.name == other.name

    __hash__ = None  # type: ignore[assignment]


class Never:
    def __eq__(self, other):
        return False

    __hash__ = None  # type: ignore[assignment]


class Odd:
    def __eq__(self, other):
        return "" if other == 1 else [other]

    __hash__ = None  # type: ignore[assignment]


@dataclass
class Quantity:
    value: object
    unit: Unit


METER, SECOND, NEVER, ODD, NAN = Unit("m"), Unit("s"), Never(), Odd(), float("nan")


def pairs(a, b, x):
    log = []
    first, second = Unit("one", log), Unit("two", log)
    equal = (first, second, x) == (Unit("one"), Unit("two"), 3)
    unequal = (first, x) != (Unit("other"), 3)
    return equal, unequal, log, (a, b) == (b, a), [a, x] == [b, x], [a] == [a, x], (a,) == (a, x)


def same(a, x):
    return (a, NEVER) == (a, NEVER), [NEVER, x] == [NEVER, 3], (Never(), 1) == (NEVER, 1), (NAN, a) == (NAN, a)


def odd(a, x):
    return (ODD, a) == (x, a), (x, a) != (ODD, a), [ODD, a] == [1, a]


def quantities(q, x):
    return q == Quantity(3, Unit("m")), q == Quantity(x, METER), q != Quantity(x, SECOND), Quantity(x, METER) == q


def numbers(a, x):
    return (a, 1) == (METER, True), (a, 1.0) == (METER, 1), (a, "1") == (METER, 1), (a, x) == (METER, x)


def longer(a, x):
    return (a, 1) == (a,), (a,) == (a, 1), [a, x] != [a], (a, x) == (METER, NAN)


VALUES = [0, 1, 3, 3.0, "m", None, METER, NAN, NEVER, ODD, [1]]


@pytest.mark.parametrize("function", [same, odd, numbers, longer])
@pytest.mark.parametrize("unit", [METER, SECOND, NEVER, ODD])
def test_items_are_compared_as_the_builtin_does(function, unit) -> None:
    residual, opened = futamura.specialize(function, unit), futamura.specialize(function)
    for x in VALUES:
        assert residual(x) == opened(unit, x) == function(unit, x), x


def test_the_order_of_comparisons() -> None:
    residual = futamura.specialize(pairs, METER, SECOND)
    for x in VALUES:
        assert residual(x) == pairs(METER, SECOND, x)


def test_dataclasses_of_objects() -> None:
    for q in (Quantity(3, METER), Quantity("m", SECOND), Quantity(NAN, METER)):
        residual = futamura.specialize(quantities, q)
        for x in VALUES:
            assert residual(x) == quantities(q, x)


def test_methods_are_unfolded() -> None:
    def equal(a, b, y):
        return (a, b) == (Unit("m"), Unit("s")), y

    assert "return True, y" in futamura.specialize(equal, METER, SECOND).source
    assert "return False, y" in futamura.specialize(equal, METER, METER).source
