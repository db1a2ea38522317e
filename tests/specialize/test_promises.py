"""Declared contents of open lists: used until something that stays could have written to them.

    Dyn(list[float], length=3)   ->   `for x in xs` is unrolled; a list of another length runs a residual without it

Invariant: with and without the promise, kept or broken, the residual does what the original does.
"""

from __future__ import annotations

import itertools

import pytest

import futamura
from futamura import Dyn
from tests.outcomes import outcome as described

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def dot(weights, xs):
    total = 0.0
    for at in range(len(xs)):
        total += weights[at] * xs[at]
    return total


def zipped(weights, xs):
    return [w * x for w, x in zip(weights, xs)]


def summed(n, xs):
    total = n
    for x in xs:
        total += x
    return total


def numbered(n, xs):
    return [(i, x * n) for i, x in enumerate(xs)]


def grown_in_the_loop(n, xs):
    seen = 0
    for x in xs:
        seen += 1
        if seen < n:
            xs.append(x)
    return seen, len(xs)


def shrunk_through_an_alias(n, xs):
    ys = xs
    del ys[n]
    return len(xs), xs


def grown_in_place(n, xs):
    ys = xs
    ys += [1.0]
    return len(xs), xs[n], xs


def called_back(n, xs, f):
    before = len(xs)
    f(xs)
    return before, len(xs), n


def called_in_the_loop(n, xs, f):
    got = []
    for x in xs:
        f(xs)
        got.append(x * n)
    return got


def branches(n, xs, flag):
    if flag:
        xs.append(1.0)
    total = n
    for x in xs:
        total += x
    return total, len(xs)


def written_on_one_way(n, xs, f):
    if f is not None:
        f(xs)
    return len(xs) * n, xs


def written_on_the_other_way(n, xs, f):
    if f is None:
        n = n + 0
    else:
        f(xs)
    return len(xs) * n, xs


def loops(n, xs, rows):
    out = []
    for row in rows:
        out.append(len(xs) + row + n)
        if row > 2:
            xs.pop()
    return out


def beyond(n, xs):
    return xs[n]


def caught(n, xs, f):
    try:
        f(xs)
    except ValueError:
        return len(xs), n
    return -len(xs), n


def given_an_iterator(n, xs):
    it = iter(xs)
    first = next(it)
    return first * n, list(it)


def consumed(n, xs):
    return sum(xs) * n, sorted(xs, reverse=True), max(xs), tuple(xs), any(x > 1 for x in xs), list(zip(xs, xs))


def unequal(n, xs, y):
    if y == n:
        return len(xs)
    return xs


class Sneaky:
    """Its comparison writes to the list."""

    def __init__(self, xs):
        self.xs = xs

    def __eq__(self, other):
        self.xs.append(7.0)
        return True

    __hash__ = None  # type: ignore[assignment]


def appends(xs):
    if len(xs) < 9:
        xs.append(5.0)


def fails(xs):
    xs.append(5.0)
    raise ValueError


CASES = [
    (dot, {"weights": (0.5, 2.0, 1.0)}, ()), (zipped, {"weights": (0.5, 2.0, 1.0)}, ()), (summed, {"n": 1}, ()),
    (numbered, {"n": 2}, ()), (grown_in_the_loop, {"n": 4}, ()), (shrunk_through_an_alias, {"n": 1}, ()),
    (called_back, {"n": 1}, (appends,)), (called_in_the_loop, {"n": 1}, (appends,)), (branches, {"n": 1}, (True,)),
    (branches, {"n": 1}, (False,)), (loops, {"n": 1}, ([1, 3, 1],)), (beyond, {"n": 3}, ()), (beyond, {"n": -3}, ()),
    (caught, {"n": 1}, (fails,)), (caught, {"n": 1}, (appends,)), (given_an_iterator, {"n": 2}, ()),
    (written_on_one_way, {"n": 2}, (appends,)), (written_on_one_way, {"n": 2}, (None,)),
    (written_on_the_other_way, {"n": 2}, (appends,)), (written_on_the_other_way, {"n": 2}, (None,)),
    (consumed, {"n": 2}, ()), (grown_in_place, {"n": -1}, ()),
]  # fmt: skip
LISTS: list[list[object]] = [
    [1.0, 2.0, 3.0], [], [1.0], [1.0, 2.0], [1, 2.5, True], [1.0, 2.0, 3.0, 4.0], ["a", "b", "c"],
]  # fmt: skip
PROMISES = [Dyn(list), Dyn(list[float]), Dyn(list[float], length=3), Dyn(list, length=3), Dyn(list[int], length=2)]


def outcome(call, xs, rest):
    try:
        return repr(call(xs, *rest)), repr(xs)
    except Exception as error:
        return type(error).__name__, str(error), repr(xs)


@pytest.mark.parametrize(("function", "static", "rest"), CASES)
@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_with_a_promise_and_without(function, static, rest, promise) -> None:
    residual = futamura.specialize(function, xs=promise, **static)
    assert "FT901" not in residual.stats["fallbacks"]
    for values in LISTS:
        expected = outcome(lambda xs, *more: function(*static.values(), xs, *more), list(values), rest)
        assert outcome(residual, list(values), rest) == expected, residual.source


def test_a_comparison_that_writes() -> None:
    residual = futamura.specialize(unequal, n=1, xs=Dyn(list[float], length=2))
    for call in (residual, lambda xs, y: unequal(1, xs, y)):
        xs = [1.0, 2.0]
        assert call(xs, Sneaky(xs)) == 3


def test_what_is_promised_is_used() -> None:
    for function in (dot, zipped):
        residual = futamura.specialize(function, weights=(0.5, 2.0, 1.0), xs=Dyn(list[float], length=3))
        assert "for" not in residual.source and "len" not in residual.source.replace("len(xs) == 3", "")
    assert "for" not in futamura.specialize(summed, n=1, xs=Dyn(list[float], length=3)).source
    assert "len" in futamura.specialize(called_back, n=1, xs=Dyn(list, length=3)).source.partition("f(xs)")[2]


def test_tuples_too() -> None:
    residual = futamura.specialize(summed, n=1, xs=Dyn(tuple[int, int]))
    assert "for" not in residual.source
    assert [residual((1, 2)), residual((1, 2, 3)), residual([4])] == [4, 7, 5]


def test_all_orders_of_a_write_and_a_read() -> None:
    for order in itertools.permutations((lambda xs: xs.append(1.0), len, lambda xs: xs.pop())):

        def run(n, xs, steps=order):
            return [step(xs) for step in steps], len(xs) + n

        residual = futamura.specialize(run, n=1, xs=Dyn(list[float], length=2))
        assert repr(residual([1.0, 2.0])) == repr(run(1, [1.0, 2.0]))


def path(value):
    if isinstance(value, str) and "." in value:
        found = []
        for at, part in enumerate(value.split(".")):
            found.append(looked_up(part, at) if part else part)
        return found
    return [value]


def looked_up(part, at):
    if part.isdigit():
        found = []
        for one in path(at + 1):
            for other in path(one):
                found.append(other)
        return found
    return part


def depth(value, n):
    if isinstance(value, str):
        return len(value) + depth(n, value) if n else len(value)
    if value > 20:
        return 0
    return value + depth(value + n.count("a") + 1, n) + depth(n, 0)


def spread(xs, at):
    """The list is handed on as it is, or another one is."""
    if at >= len(xs):
        return 0.0
    rest = spread(xs, at + 1) + spread([1, "x"], 2)
    return xs[at] * 2.0 + rest


def halved(xs, at):
    if at >= len(xs):
        return 0
    return xs[at] + halved([float(x) for x in xs], at + 2) + halved(xs, at + 1)


CALLED_AGAIN = (
    (path, (Dyn(str),), [("a.b",), ("a.3.b",), ("1.2",), (".",), ("",), (7,)]),
    (depth, (Dyn(str), Dyn(int)), [("aab", 3), ("", 0), ("x", 7), ("a", 25), (3, "a")]),
    (spread, (Dyn(list[float]), Dyn(int)), [([1.0, 2.0], 0), ([], 0), ([1], 0), (["x"], 0)]),
    (halved, (Dyn(list[int], length=3), Dyn(int)), [([1, 2, 3], 0), ([1.5, 2, 3], 0), ([1], 0), ([True, 2, 3], 1)]),
)


@pytest.mark.parametrize(("function", "promises", "inputs"), CALLED_AGAIN)
@pytest.mark.parametrize("assume", ["check", "trust"])
def test_a_residual_that_calls_itself_with_something_else(function, promises, inputs, assume):
    residual = futamura.Specializer(assume=assume)(function, *promises)
    for args in inputs:
        assert described(residual, *args) == described(function, *args), args
