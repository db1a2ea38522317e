"""`!=` of values of exact builtin classes is the opposite of `==`: towers of tests are printed as `if ... elif`.

    if a != 1: (if a != 2: ... else: B) else: A     ->     if a == 1: A elif a == 2: B else: ...

Invariant: an object that defines `!=` its own way is asked what the source asks.
"""

from __future__ import annotations

import math

import pytest

import futamura
from futamura import Dyn

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def routed(routes, path):
    for name, wanted in routes:
        if path != wanted:
            continue
        return name
    return None


ROUTES = [("first", "a"), ("second", "b"), ("third", "c")]


def only(x, wanted):
    found = []
    if x != wanted:
        found.append("other")
    else:
        found.append("same")
    if not x == wanted:  # noqa: SIM201
        found.append("again")
    return found


def tower(prefix, x):
    if x != "a":
        if x != "b":
            found = prefix + x
        else:
            found = prefix * 2
    else:
        found = prefix
    return found


class Contrary:
    """Neither equal to anything nor different from it."""

    def __init__(self):
        self.asked = []

    def __eq__(self, other):
        self.asked.append(("==", other))
        return False

    def __ne__(self, other):
        self.asked.append(("!=", other))
        return False

    __hash__ = None  # type: ignore[assignment]


def test_a_tower_of_tests_is_a_chain() -> None:
    residual = futamura.specialize(tower, "p", Dyn(str))
    words = [line.strip() for line in residual.source.splitlines() if line.strip().startswith(("if", "el"))]
    assert words == ["if x == 'a':", "elif x == 'b':", "else:"], residual.source
    for x in ("a", "b", "c"):
        assert residual(x) == tower("p", x)
    assert futamura.specialize(tower, "p").source.count("!=") == 2
    residual = futamura.specialize(routed, ROUTES, Dyn(str))
    words = [line.strip() for line in residual.source.splitlines() if " if " in line]
    assert words == ["if path == 'a':", "if path == 'b':", "if path == 'c':"], residual.source
    for path in ("a", "b", "c", "d", ""):
        assert residual(path) == routed(ROUTES, path)


def test_what_an_object_of_the_user_is_asked_stays() -> None:
    residual = futamura.specialize(routed, ROUTES)
    one, other = Contrary(), Contrary()
    assert residual(one) == routed(ROUTES, other) == "first" and one.asked == other.asked == [("!=", "a")]
    residual = futamura.specialize(only, wanted=1)
    one, other = Contrary(), Contrary()
    assert residual(one) == only(other, 1) == ["same", "again"] and one.asked == other.asked


@pytest.mark.parametrize("kind", [int, float, str, bytes, bool, complex])
@pytest.mark.parametrize("wanted", [1, 0.0, math.nan, "x", b"x", True, None, 2j])
def test_both_operators_agree_for_builtin_values(kind, wanted) -> None:
    residual = futamura.specialize(only, Dyn(kind), wanted)
    for x in (1, 2, 0.0, -0.0, 1.0, math.nan, "x", "", b"x", True, False, None, 2j, 1 + 0j):
        assert residual(x) == only(x, wanted)


def checked(rules, row):
    found = []
    for name, wanted in rules:
        value = row.get(name)
        if value is not None and value in wanted:
            found.append(name)
        if not (value is None or value not in wanted or not value):
            found.append("not " + name)
        same = not (value is None or value in wanted)
        found.append(same)
    return found


def scored(rules, row):
    points = 0
    for name, wanted, count in rules:
        value = row.get(name)
        if value is not None and value in wanted:
            points += count
    return points


class Odd:
    """Its comparisons and its `in` say what they are asked, and give no bool."""

    def __init__(self, log, truth):
        self.log = log
        self.truth = truth

    def __contains__(self, item):
        self.log.append("in")
        return self.truth

    def __bool__(self):
        self.log.append("bool")
        return self.truth

    def __lt__(self, other):
        self.log.append("lt")
        return self


def odd(first, x, y):
    found = []
    if not (x is None or not x < first or not y):
        found.append(1)
    if not (not x and y is None):
        found.append(2)
    return found, not (x is None or not x), not (y is not None and not y)


def test_the_opposite_of_a_junction_is_one_of_opposites() -> None:
    residual = futamura.specialize(scored, (("a", (1, 2), 3), ("b", "xy", 5), ("c", "z", 7)))
    assert "not (" not in residual.source and " is not None and " in residual.source
    assert residual({"a": 2, "b": "z", "c": "z"}) == 10 and residual({"a": None, "b": "y"}) == 5
    residual = futamura.specialize(checked, (("a", (1, 2)), ("b", "xy")))
    for row in ({}, {"a": 1}, {"a": 3, "b": "x"}, {"a": None, "b": "q"}, {"b": ""}):
        assert residual(row) == checked((("a", (1, 2)), ("b", "xy")), row)
    residual = futamura.specialize(odd, 3)
    for truth in (True, False):
        for other in (None, 1, 0, Odd([], truth)):
            log, expected = [], []
            got = residual(Odd(log, truth), other)
            assert got == odd(3, Odd(expected, truth), other) and log == expected
            assert [type(part) for part in got] == [list, bool, bool]
