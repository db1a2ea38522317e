"""Operators of classes written in Python that give NotImplemented for an operand that is not known: its class is asked
when the residual runs, as Python does, and what the program handles itself is in line.

Invariant: each method is asked once, and errors say what Python says.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import array
import collections
import decimal
import fractions
import re
from typing import Any

import pytest

from .specializing import specialize


class Money:
    def __init__(self, cents):
        self.cents = cents

    def __repr__(self):
        return f"Money({self.cents!r})"

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return Money(self.cents * other)
        return NotImplemented

    __rmul__ = __mul__

    def __add__(self, other):
        if isinstance(other, Money):
            return Money(self.cents + other.cents)
        return NotImplemented

    def __sub__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return Money(self.cents - other.cents)

    def __pow__(self, other):
        return NotImplemented

    def __mod__(self, other):
        return NotImplemented

    def __matmul__(self, other):
        return NotImplemented

    def __and__(self, other):
        return NotImplemented

    def __lshift__(self, other):
        return NotImplemented

    def __iadd__(self, other):
        if isinstance(other, int):
            self.cents += other
            return self
        return NotImplemented

    def __eq__(self, other):
        if isinstance(other, Money):
            return self.cents == other.cents
        return NotImplemented

    def __lt__(self, other):
        if isinstance(other, Money):
            return self.cents < other.cents
        return NotImplemented

    def __le__(self, other):
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]


class Right:
    __rmod__ = None
    __ge__ = None
    __hash__ = None  # type: ignore[assignment]
    __rand__ = property(lambda self: lambda other: ("property", repr(other)))
    __rlshift__ = staticmethod(lambda other: ("static", repr(other)))

    def __rmul__(self, other):
        return ("rmul", repr(other))

    def __radd__(self, other):
        return NotImplemented

    def __rsub__(self, other):
        raise KeyError("rsub")

    def __rpow__(self, other):
        other.cents = 99
        return other

    def __rmatmul__(self, other):
        return other

    def __eq__(self, other):
        return ("eq", repr(other))

    def __ne__(self, other):
        return ("ne", repr(other))

    def __gt__(self, other):
        return ("gt", repr(other))


class Whole(int):
    def __rmul__(self, other):
        return ("Whole", repr(other))


class Left:
    def __mul__(self, other):
        return "left"


class Index:
    def __index__(self):
        return 2


class Twice(list):  # type: ignore[type-arg]
    """Once one of its operators is written in Python, the class multiplies like a number."""

    def __mul__(self, other):
        return "twice"


class Failing:
    def __get__(self, instance, owner):
        raise AttributeError("late")


class Late:
    __gt__ = Failing()
    __rsub__ = Failing()


class Gone:
    @property
    def __class__(self):
        raise ReferenceError("gone")


VALUES: tuple[Any, ...] = (
    2, 2.5, True, None, "ab", b"ab", [1], (1,), {1}, {1: 2}, Right(), Whole(3), Left(), Index(), decimal.Decimal(2),
    fractions.Fraction(1, 2), Money(5), Money, range(3), collections.deque([1]), array.array("i", [1]), object(),
    NotImplemented, float("nan"), 1j, memoryview(b"ab"), bytearray(b"a"), collections.Counter("a"),
    Twice([1]), Late(), Gone(),
)  # fmt: skip


def times(k, x):
    return Money(k) * x


def plus(k, x):
    return Money(k) + x


def minus(k, x):
    return Money(k) - x


def power(k, x):
    return Money(k) ** x


def rest(k, x):
    return Money(k) % x


def product(k, x):
    return Money(k) @ x


def both(k, x):
    return Money(k) & x


def shifted(k, x):
    return Money(k) << x


def equal(k, x):
    return Money(k) == x


def unequal(k, x):
    return Money(k) != x


def less(k, x):
    return Money(k) < x


def at_most(k, x):
    return Money(k) <= x


def greater(k, x):
    return Money(k) > x


def in_place(k, x):
    money = Money(k)
    money += x
    return money


def times_in_place(k, x):
    money = Money(k)
    money *= x
    return money


def caught(k, x):
    money = Money(k)
    try:
        return money * x, money
    except TypeError as error:
        return str(error), money


def in_turn(k, x):
    total = Money(k)
    out = []
    for one in (Money(1), x, 2):
        try:
            total = total + one
        except Exception as error:
            out.append(str(error))
    return total, out


def after(k, x):
    found = Money(k) * x
    return found, found * 3, found == found


SUBJECTS = (
    times, plus, minus, power, rest, product, both, shifted, equal, unequal, less, at_most, greater, in_place,
    times_in_place, caught, in_turn, after,
)  # fmt: skip


def ended(run: Any, value: Any) -> str:
    try:
        found: Any = run(value)
    except Exception as error:
        found = error
    return re.sub("0x[0-9a-f]+", "0x", f"{type(found)} {found!r}")


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.__name__)
def test_an_operand_that_is_not_known(subject: Any) -> None:
    residual = specialize(subject, k=4)
    for value in VALUES:
        assert ended(residual, value) == ended(lambda value: subject(4, value), value), value


def priced(price, x):
    return (price * x).cents, price.cents, price == x


def test_a_static_operand() -> None:
    residual = specialize(priced, price=Money(4))
    for value in VALUES:
        assert ended(residual, value) == ended(lambda value: priced(Money(4), value), value), value


def test_what_the_program_handles_is_in_line() -> None:
    source = specialize(in_line, k=4).source
    assert "4 * x" in source and "Money" in source.rpartition("4 * x")[2], source


def in_line(k, x):
    return (Money(k) * x).cents


class Mapping:
    def __init__(self, key):
        self.key = key

    def keys(self):
        return [self.key]

    def __getitem__(self, key):
        return 7

    def __ror__(self, other):
        return "ror"


def updated(k, t):
    table = {"a": k}
    other = table
    table |= Mapping(t)
    chained = {"b": t}
    chained |= collections.ChainMap({"c": k})
    joined = {"d": k} | Mapping(t)
    some = {k}
    some |= Mapping(t)
    return table, table is other, chained, joined, some


def given(table, t):
    table |= Mapping(t)
    return table


def test_a_dict_is_updated_in_place_by_whatever_has_keys():
    residual = specialize(updated, k=1)
    for value in (1, "x", (2,)):
        assert residual(value) == updated(1, value)
    table = {1: 2}
    again = specialize(given, table=table)
    assert again(5) is table and table == {1: 2, 5: 7}
