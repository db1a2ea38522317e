"""Arithmetic with a known operand that leaves nothing to raise: no exception has to be real for its sake.

    except KeyError: memo[k] = v = 2 * x     x a float: nobody can look at the KeyError, and there is none

Invariant: what is said not to fail never does, for any value of these classes; zeros, ints too large for a float and
negative counts of bits are not said not to.
"""

from __future__ import annotations

import itertools
import operator
from typing import Any

import pytest

import futamura
from futamura import Dyn
from futamura.ir.evaluate import BINARY, INPLACE
from futamura.specializer.bounds import cannot_fail
from futamura.specializer.values import Dynamic, Known
from tests.outcomes import outcome

KNOWN = [0, 1, -1, 2, 63, 64, 65, -64, 10**6, 2**53, 2**53 + 1, -(2**53), 10**400, -(10**400), True, False]
KNOWN += [0.0, -0.0, 1.5, -2.5, 1e308, 5e-324, float("inf"), float("-inf"), float("nan"), "a", "%d", None, 2j]
OPEN = [*KNOWN, 3, 7, -8, 1e-308, 2**1024]


def test_what_cannot_fail_does_not() -> None:
    said = 0
    tables = [*BINARY.items(), *INPLACE.items()]
    for (name, function), known, kind, swapped in itertools.product(tables, KNOWN, (int, float, bool), (False, True)):
        args: list[Any] = [Dynamic(0, kind), Known(known)]
        types = [kind, type(known)]
        if swapped:
            args.reverse()
            types.reverse()
        if cannot_fail(name, args, types):
            said += 1
            for value in OPEN:
                if type(value) is kind:
                    function(*((known, value) if swapped else (value, known)))
    assert said > 200
    assert not cannot_fail("add", [Dynamic(0, int), Dynamic(1, float)], [int, float])
    assert not cannot_fail("mod", [Dynamic(0, int), Known(3)], [None, int])


def memoized(operator: Any, factor: Any, names: Any, x: Any) -> Any:
    memo: dict[Any, Any] = {}
    total = 0.0
    for name in names:
        try:
            value = memo[name]
        except KeyError:
            memo[name] = value = operator(x, factor)
        total = value
    return total


FAILING = [
    (operator.mul, 2, float, False),
    (operator.add, 2**53, float, False),
    (operator.add, 2**53 + 1, float, True),
    (operator.sub, 10**400, float, True),
    (operator.truediv, 4, float, False),
    (operator.truediv, 4, int, True),
    (operator.truediv, 0.0, float, True),
    (operator.floordiv, 3, int, False),
    (operator.mod, 0, int, True),
    (operator.mod, 2.5, float, False),
    (operator.mul, 2.5, int, True),
    (operator.rshift, 3, int, False),
    (operator.rshift, -3, int, True),
    (operator.lshift, 65, int, True),
]


@pytest.mark.parametrize(("function", "factor", "kind", "fails"), FAILING)
def test_a_handled_exception_is_real_only_for_what_may_fail(function: Any, factor: Any, kind: Any, fails: Any) -> None:
    residual = futamura.specialize(memoized, function, factor, ("a", "b", "a"), Dyn(kind))
    assert ("raise" in residual.source) == fails, residual.source
    for x in (0, 3, -5, 10**400, 2.5, 0.0, -1e308, float("inf"), True, "a", None):
        names = ("a", "b", "a")
        assert outcome(residual, x) == outcome(lambda x: memoized(function, factor, names, x), x)  # noqa: B023
        if fails:
            assert context(residual, x) == context(lambda x: memoized(function, factor, names, x), x)  # noqa: B023


def context(call: Any, x: Any) -> Any:
    try:
        return call(x) and None
    except Exception as error:
        return repr(error.__context__)


def in_turn(x: Any, y: Any) -> Any:
    """What cannot fail in place is a new value, as it is for ints."""
    x //= 4
    y *= 3
    x <<= 2
    y /= 1.5
    return x, y, x % 7, y % 7


def test_operators_in_place() -> None:
    for kinds in ((int, float), (float, int), (int, int)):
        residual = futamura.specialize(in_turn, *map(Dyn, kinds))
        for x, y in itertools.product((9, -3, 2.5, 10**400, True, "a"), repeat=2):
            assert outcome(residual, x, y) == outcome(in_turn, x, y)
