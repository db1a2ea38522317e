"""What is known of the items that `enumerate` and `zip` give, and of loops over lists whose items are promised.

    for a, b in zip(s, data): ...      s: str, data: bytes     a is a str, b an int
    for x in xs: t += w * x            xs: list[float]         t is one expression of floats

Invariant: a list that is written, or that another name leads to, keeps its items unknown.
"""

from __future__ import annotations

from typing import Any

import pytest

from futamura import Dyn, specialize
from tests.outcomes import outcome


def told(by: int, s: Any, data: Any) -> Any:
    found = []
    for a, b in zip(s, data):
        found.append("text" if isinstance(a, str) else "other")
        found.append("text" if isinstance(b, str) else "other")
        found.append(b * by)
    for a, b, c in zip(data, s, data):
        found.append((isinstance(a, int), isinstance(b, int), isinstance(c, str)))
    for i, b in enumerate(data, by):
        found.append(isinstance(i, int) and isinstance(b, int) and i * b)
    for i, a in enumerate(s):
        found.append((isinstance(a, int), isinstance(i, str), i))
    return found


def test_the_items_of_zip_and_enumerate_have_the_types_of_their_sources() -> None:
    residual = specialize(told, 3, Dyn(str), Dyn(bytes))
    assert "isinstance" not in residual.source, residual.source
    for s, data in (("abc", b"xyz"), ("", b""), ("abcd", b"q")):
        assert residual(s, data) == told(3, s, data)
    assert residual([1, "b"], [2, "c"]) == told(3, [1, "b"], [2, "c"]), "a promise is broken"


def numbered(start: Any, xs: Any) -> Any:
    return [(i, x) for i, x in enumerate(xs, start)]


@pytest.mark.parametrize("start", [0, True, -3, 2.5, "a"])
def test_an_odd_start_of_enumerate(start: Any) -> None:
    residual = specialize(numbered, start, Dyn(list))
    assert outcome(residual, [1.5, None]) == outcome(lambda xs: numbered(start, xs), [1.5, None])


def weighted(ws: Any, xs: Any) -> Any:
    total = 0.0
    for i, x in enumerate(xs):
        total += ws[0] * x
        total += ws[1] * i
    return total


def each(ws: Any, xs: Any) -> Any:
    out = []
    for x in xs:
        total = 0.0
        for w in ws:
            total += w * x
        out.append(total)
    return out


def squares(ws: Any, xs: Any) -> Any:
    total = ws[0]
    for x, y in zip(xs, xs):
        total += x * y
        total -= ws[1]
    return total


def binned(ws: Any, xs: Any) -> Any:
    bins = [0.0] * len(ws)
    for i in range(len(xs)):
        bins[i % len(ws)] += xs[i] * ws[0]
    return bins


PLAIN = [weighted, each, squares]


@pytest.mark.parametrize("function", [*PLAIN, binned])
def test_loops_over_promised_items(function: Any) -> None:
    static = [0.5, 2.0]
    residual = specialize(function, static, Dyn(list[float]))
    if function in PLAIN:
        assert "+=" not in residual.source and "-=" not in residual.source, residual.source
    else:
        assert "] += " in residual.source, "an update of an item stays one"
    for xs in ([], [1.0], [-0.0, 0.0], [1.5, float("nan"), float("-inf")], [1, 2], [True], ["a"], [1.0, "a"], (2.0,)):
        assert outcome(residual, xs) == outcome(lambda xs: function(static, xs), xs)


def renamed(ws: Any, xs: Any) -> Any:
    ys = xs
    total = 0.0
    for i in range(len(xs)):
        ys[i] = ws
        total += xs[i] if isinstance(xs[i], float) else 100.0
    return total


def appended(ws: Any, xs: Any) -> Any:
    ys = xs or []
    total = 0.0
    for i in range(len(ws)):
        ys.append(ws[i])
        total += xs[-1] if isinstance(xs[-1], float) else 100.0
    return total


def nested(ws: Any, xs: Any) -> Any:
    both = [xs, []]
    total = 0.0
    for i in range(len(xs)):
        both[ws[i % 2]].append("b")
        total += 1.0 if isinstance(xs[-1], float) else 100.0
    return total


def sliced(ws: Any, xs: Any) -> Any:
    total = 0.0
    for i in range(len(xs)):
        xs[i:] = [ws]
        total += 1.0 if isinstance(xs[i], float) else 100.0
    return total


def sorted_by(ws: Any, xs: Any) -> Any:
    total = 0.0
    xs.sort(key=lambda x: xs.append(ws))
    for x in xs:
        total += 1.0 if isinstance(x, float) else 100.0
    return total


def doubled(ws: Any, xs: Any) -> Any:
    ys = xs
    ys *= 2
    ys += ws
    total = 0.0
    for x in xs:
        total += 1.0 if isinstance(x, float) else 100.0
    return total


@pytest.mark.parametrize("function", [renamed, appended, nested, sliced, sorted_by, doubled])
def test_a_list_that_is_written_by_another_name_keeps_its_items_unknown(function: Any) -> None:
    static = ["a", "b"] if function is not nested else [0, 1]
    residual = specialize(function, static, Dyn(list[float]))
    for xs in ([1.0, 2.0, 3.0], [1.0], []):
        mine, theirs = list(xs), list(xs)
        assert outcome(residual, mine) == outcome(lambda xs: function(static, xs), theirs)
        assert mine == theirs
