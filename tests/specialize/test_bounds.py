"""Numbers that are not known: laws of exact types, lower bounds, comparisons of an int by way of another one.

    for i in range(n): if i - 3 >= 0: ...    ->   if i >= 3: ...        if i - 0 >= 0    ->   nothing is left

Invariant: the residual does what the original does for every input, also for those of other types.
"""

from __future__ import annotations

import itertools
import math

import pytest

import futamura
from futamura import Dyn

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def filtered(coefficients, xs):
    ys = []
    for i in range(len(xs)):
        acc = 0.0
        for k in range(len(coefficients)):
            if i - k >= 0:
                acc += coefficients[k] * xs[i - k]
        ys.append(acc)
    return ys


def shifted(steps, x):
    found = []
    for step in steps:
        if 5 < x + step:  # noqa: SIM300 - the int on the right
            found.append(("more", step))
        elif x - step - 1 == 2:
            found.append(("equal", step))
        elif step + x != 0 and 3 >= x:  # noqa: SIM300
            found.append(("few", step))
    return found


def bounded(low, start, stop, step):
    found = []
    for i in range(start, stop, step):
        found.append((i >= low, i < low, i == low, i * i >= 0, i % 7 < 0, i & 3 >= 0))
    return found


def over_start(low, stop):
    found = []
    for i in range(low, stop):
        found.append((i >= low, i > low - 1, i < low, i != low - 1, i - low >= 0, i + 1 > low, (i - low) // 2 >= 0))
    return found


def counted(n, stop):
    i = 0
    found = []
    while i < stop:
        if i >= 0:
            found.append(i - n >= 0)
        i += 1
    return found, i


def down(n, start):
    i = start
    found = []
    while i > n:
        found.append((i >= 0, i - 1 >= 0))
        i -= 1
    return found


def by_laws(one, x):
    return [x * one, one * x, x + (one - one), x - (one - one), x / one, x**one]


def ints_by_laws(zero, x, y):
    return [x + zero, x * zero, x | zero, x ^ x, x - x, x & x, x == x, x < x, x << zero, (x + y) * zero]


def outcome(function, *arguments):
    try:
        return repr(function(*arguments))
    except Exception as error:
        return type(error).__name__, str(error)


NUMBERS = [-7, -1, 0, 1, 2, 3, 4, 6, 9, 10**20, True, False, 2.5, -0.0, math.nan, "a", None]


def test_a_comparison_of_a_difference_compares_the_int() -> None:
    residual = futamura.specialize(filtered, [0.5, 0.25, 2.0])
    assert "if i >= 1:" in residual.source and "if i >= 2:" in residual.source
    assert residual.source.count("if ") == 3 and "i - 0" not in residual.source
    for length in range(6):
        xs = [1.0 + at for at in range(length)]
        assert residual(xs) == filtered([0.5, 0.25, 2.0], xs)
    assert outcome(residual, 3) == outcome(filtered, [0.5, 0.25, 2.0], 3)
    assert outcome(residual, ["a"]) == outcome(filtered, [0.5, 0.25, 2.0], ["a"])


@pytest.mark.parametrize("steps", [(0,), (-3, 0, 3), (7, 2, -1)])
def test_sums_of_an_int_and_a_constant(steps: tuple[int, ...]) -> None:
    for declared in (Dyn(int), futamura.DYN):
        residual = futamura.specialize(shifted, steps, declared)
        for x in NUMBERS:
            assert outcome(residual, x) == outcome(shifted, steps, x)


def test_lower_bounds_of_ranges() -> None:
    for low in (-2, 0, 3):
        residual = futamura.specialize(bounded, low)
        typed = futamura.specialize(bounded, low, Dyn(int), Dyn(int), Dyn(int))
        for values in itertools.product((-3, 0, 2, True), (-4, 0, 5), (-2, 1, 3, 0)):
            expected = outcome(bounded, low, *values)
            assert outcome(residual, *values) == outcome(typed, *values) == expected
        over = futamura.specialize(over_start, low)
        for stop in (-5, -2, 0, 4, 2.5, True):
            assert outcome(over, stop) == outcome(over_start, low, stop)
        assert "i >= " not in over.source and "!=" not in over.source


@pytest.mark.parametrize("function", [counted, down])
def test_lower_bounds_in_loops(function) -> None:
    for n in (-3, 0, 2):
        for declared in (Dyn(int), futamura.DYN):
            residual = futamura.specialize(function, n, declared)
            for value in (-5, 0, 1, 5, True):
                assert outcome(residual, value) == outcome(function, n, value)


def test_laws_hold_under_exact_types_only() -> None:
    for one in (1, 1.0, True):
        for declared in (Dyn(float), Dyn(int), futamura.DYN):
            residual = futamura.specialize(by_laws, one, declared)
            for x in NUMBERS:
                assert outcome(residual, x) == outcome(by_laws, one, x), (one, x)
    assert "*" not in futamura.specialize(by_laws, 1.0, Dyn(float)).source
    for zero in (0, False):
        for declared in (Dyn(int), Dyn(bool), futamura.DYN):
            residual = futamura.specialize(ints_by_laws, zero, declared, declared)
            for x in (*NUMBERS[:-2], "a"):
                assert outcome(residual, x, 3) == outcome(ints_by_laws, zero, x, 3), (zero, x)


def told(steps, x):
    found = []
    for step in steps:
        if x == step:
            found.append((x, type(x), x + 1, [10, 20, 30, 40][x]))
        if x != step:
            found.append(x)
        else:
            found.append((step, x is step))
    return found


def told_of_nothing(keys, x):
    found = []
    for key in keys:
        if x is key:
            found.append((x is None, x is True, x))
        elif not x:
            found.append(("empty", x))
    return found


def told_by_order(low, x):
    if x > low:
        return x >= low, x > low - 1, x <= low, -x
    if low <= x:
        return x >= low, x > low, x == low, x - 1
    return x < low, x >= low


def table_of(names, x):
    total = ""
    for name in names:
        if name == x:
            total += {"a": "1", "b": "2", "": "0"}[x] + x
    while x:
        total += x
        x = x[1:]
    return total + x


class Odd(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


def test_what_a_test_tells() -> None:
    things = [*NUMBERS[:14], Odd(3), "", b"", (), [], Odd(0), int]
    for declared in (Dyn(int), Dyn(bool), Dyn(float), futamura.DYN):
        for steps in ((0, 3), (True, 2), (0.0, -0.0), (-1,)):
            residual = futamura.specialize(told, steps, declared)
            for x in things:
                assert outcome(residual, x) == outcome(told, steps, x), (steps, x)
        residual = futamura.specialize(told_of_nothing, (None, True, int, 0), declared)
        for x in [*things, None]:
            assert outcome(residual, x) == outcome(told_of_nothing, (None, True, int, 0), x)
        for low in (-1, 0, 2):
            residual = futamura.specialize(told_by_order, low, declared)
            for x in things:
                assert outcome(residual, x) == outcome(told_by_order, low, x), (low, x)
    source = futamura.specialize(told, (0, 3), Dyn(int)).source
    assert "20" not in source and "(3, " in source


def test_what_a_test_tells_of_texts() -> None:
    residual = futamura.specialize(table_of, ("a", "b", "a", ""), Dyn(str))
    assert "{" not in residual.source
    for x in ("a", "b", "", "ab", "ba", 1):
        assert outcome(residual, x) == outcome(table_of, ("a", "b", "a", ""), x)
