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
