"""Copies and parts of open lists and tuples whose length is promised: what is done with them is in line.

    points: list[float], length 4       pts = list(points); pts[i] = ...; pts[1:]; reversed(points)

Invariant: what a copy holds was there when it was made; what runs over the list itself sees what is stored meanwhile.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
# ruff: noqa: C416, RUF005, RUF007, RUF015

from __future__ import annotations

import random

import pytest

import futamura
from futamura import Dyn
from tests.specialize.specializing import source_of
from tests.specialize.twins import twin

FLOATS = Dyn(list[float], length=4)
PAIR = Dyn(tuple[float, float, float])


def casteljau(points, t):
    pts = list(points)
    while len(pts) > 1:
        pts = [(1 - t) * a + t * b for a, b in zip(pts, pts[1:])]
    return pts[0]


def in_place(points, t):
    pts = points[:]
    for r in range(1, len(pts)):
        for i in range(len(pts) - r):
            pts[i] = (1 - t) * pts[i] + t * pts[i + 1]
    return pts[0], points[0]


def halves(points, t):
    if len(points) == 1:
        return points[0]
    return (1 - t) * halves(points[:-1], t) + t * halves(points[1:], t)


def horner(coeffs, x):
    result = 0.0
    for c in reversed(coeffs):
        result = result * x + c
    return result


def joined(xs, t):
    ys = [t, *xs] + xs
    zs = xs.copy()
    zs.reverse()
    return zs + [t], xs[::-2], tuple(xs)[1], xs[7:], xs[-2:], ys[1:], sum(ys[2:7])


VALUES = [([1.0, 2.5, -1.0, 3.0], 0.25), ([0.5, 0.0, 1e300, -1e300], 2.0), ([1, 2, 3, 4], 0.5), ([1.0, 2.0], 0.5)]


def outcome(function, *args):
    args = [list(arg) if type(arg) is list else arg for arg in args]
    try:
        return function(*args), args
    except Exception as error:
        return type(error), str(error), args


@pytest.mark.parametrize("function", [casteljau, in_place, halves, horner, joined])
def test_no_loop_is_left(function):
    first, second = function.__code__.co_varnames[:2]
    residual = futamura.specialize(function, **{first: FLOATS, second: Dyn(float)})
    for given in VALUES:
        assert repr(outcome(residual, *given)) == repr(outcome(function, *given))
    source = source_of(residual)
    assert not any(word in source for word in ("for ", "while ", "list(", "reversed", "zip", "[:", ":]")), source


def of_tuple(xs, t):
    whole = xs[:]
    return whole is xs, xs[1:], tuple(xs) is xs, list(xs), [*xs, t], xs + (t,), (t,) + xs, list(reversed(xs))


def test_tuples():
    residual = futamura.specialize(of_tuple, xs=PAIR, t=Dyn(float))
    for given in (((1.0, 2.0, 3.0), 4.0), ((1.0, 2.0), 4.0), ([1.0, 2.0, 3.0], 1.0)):
        assert outcome(residual, *given) == outcome(of_tuple, *given)


def written_meanwhile(xs, f, ys):
    copy = list(xs)
    part = xs[1:]
    seen = []
    for x in reversed(xs):
        seen.append(x)
        f(xs)
    ys[0] = 7.0
    ys[2] = "a"
    last = [xs[0], xs[:2], [*xs]]
    xs.append(1.0)
    return copy, part, seen, last, list(xs), xs[1:], [y for y in reversed(ys)]


def test_what_is_written_meanwhile():
    def grow(xs):
        if len(xs) < 9:
            xs.append(float(len(xs)))

    def shrink(xs):
        if len(xs) > 2:
            xs.pop()

    residual = futamura.specialize(written_meanwhile, xs=FLOATS, ys=FLOATS)
    for f in (grow, shrink, len, lambda xs: xs.clear(), lambda xs: xs.reverse(), lambda xs: xs.insert(0, "b")):
        for alike in (True, False):
            found = []
            for function in (residual, written_meanwhile):
                xs = [1.0, 2.0, 3.0, 4.0]
                ys = xs if alike else [5.0, 6.0, 7.0, 8.0]
                try:
                    found.append((function(xs, f, ys), xs, ys))
                except Exception as error:
                    found.append((str(error), xs, ys))
            assert found[0] == found[1], source_of(residual)


def handed_on(xs, f):
    backwards = reversed(xs)
    f(xs)
    first = next(backwards, None)
    return first, list(backwards), [*xs][0], f(xs[1:])


def test_iterators_that_wait():
    residual = futamura.specialize(handed_on, xs=FLOATS)
    for f in (len, lambda xs: xs.pop(), lambda xs: xs.append(3.0), lambda xs: xs.reverse()):
        assert outcome(residual, [1.0, 2.0, 3.0, 4.0], f) == outcome(handed_on, [1.0, 2.0, 3.0, 4.0], f)


def many(xs):
    ys = list(xs)
    return len(ys), ys


def test_long_ones_are_copied():
    residual = futamura.specialize(many, xs=Dyn(list[float], length=40))
    assert "list(xs)" in source_of(residual)
    assert residual([1.0] * 40) == many([1.0] * 40)


LINES = [
    "ys = list(xs)", "ys = xs[1:]", "ys = xs[:]", "ys = [*xs, t]", "ys = xs + ys", "ys = ys[:2] + xs", "ys = xs.copy()",
    "ys = list(reversed(xs))", "ys = ys[::-1]", "xs[1] = t", "xs.append(t)", "xs[0] = ys[0] if ys else t", "f(xs)",
    "for y in reversed(xs): out.append(y)", "for y in reversed(ys): out.append(y)", "ys.reverse()", "f(ys)", "ys.pop()",
    "for y in reversed(xs): xs.append(y) if len(xs) < 7 else None", "out.extend(xs)", "t = xs[-1]", "xs.pop()",
    "if xs[0] < t: ys = xs[2:]", "for i in range(len(xs)): out.append(xs[i:i + 2])", "if t > 2: xs.append(t)",
    "for a, b in zip(xs, xs[1:]): out.append(a - b)", "it = reversed(xs)", "out.append(next(it, t))", "ys = tuple(xs)",
    "ys = [y * t for y in xs[::-1]]", "out.append(sorted(xs)[0])", "xs, zs = xs[:], xs", "zs = xs; zs[0] = t",
    "out.append(xs[:2])",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed, tmp_path):
    chosen = random.Random(seed)
    lines = [chosen.choice(LINES) for _ in range(chosen.randint(3, 9))]
    text = "def run(xs, t, f):\n    ys, out, it, zs = [t], [], iter(()), None\n"
    text += "".join(f"    {line}\n" for line in lines) + "    return xs, ys, out, t, list(it), zs\n"
    run = twin(tmp_path, text).run
    residual = futamura.specialize(run, xs=FLOATS, t=Dyn(float))
    for f in (len, lambda xs: xs.append(0.5), lambda xs: xs.pop() if xs else None):
        for given in ([1.0, 3.0, 2.0, 4.0], [4.0, 0.0, -1.0, 2.0]):
            for t in (2.0, 5.0):
                assert outcome(residual, given, t, f) == outcome(run, given, t, f), text + source_of(residual)
