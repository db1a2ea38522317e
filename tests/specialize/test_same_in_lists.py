"""`x in objects` and `objects.index(x)` where classes have no `__eq__`: what is the same object decides.

Invariant: a class that compares its instances otherwise, now or later, is asked.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from tests.outcomes import outcome
from tests.specialize.specializing import fallbacks, source_of, specialize

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class State:
    def __init__(self, name, parent=None):
        self.name = name
        self.parent = parent

    def path(self):
        found = []
        state = self
        while state is not None:
            found.append(state)
            state = state.parent
        return found


class Chart:
    """Leaves the states that the source and the target do not share."""

    def __init__(self):
        top = State("top")
        self.states = {"top": top, "a": State("a", top), "b": State("b", top)}
        self.states["deep"] = State("deep", self.states["b"])

    def move(self, source, target, x):
        out, into = self.states[source].path(), self.states[target].path()
        left = [state.name for state in out if state not in into]
        entered = [state.name for state in reversed(into) if state not in out]
        return left, entered, into.index(self.states[target]), len(out) * x


class Loose:
    """Equal to whatever it is asked about once."""

    def __init__(self):
        self.asked = 0

    def __eq__(self, other):
        self.asked += 1
        return self.asked == 2

    __hash__ = None


@dataclasses.dataclass
class Point:
    x: Any


@pytest.mark.parametrize("source", ["top", "a", "deep"])
@pytest.mark.parametrize("target", ["top", "b", "deep"])
def test_paths_of_states(source: str, target: str) -> None:
    chart = Chart()
    residual = specialize(chart.move, source, target)
    assert not fallbacks(residual)
    assert " in " not in source_of(residual) and "index" not in source_of(residual)
    assert residual(3) == chart.move(source, target, 3)


def among(values, one, x):
    found = [one in values, one not in values, x]
    found.append(values.index(one) if one in values else -1)
    return found


def made(values, one, x):
    fresh = State("fresh")
    return fresh in values, fresh in [one, fresh], [one, fresh].index(fresh), (fresh, one).count(one), x in [fresh]


ONE, OTHER = State("one"), State("other")
VALUES: list[Callable[[], Any]] = [
    lambda: ([ONE, OTHER], OTHER),
    lambda: ([ONE, 1, "a", None, (2,)], OTHER),
    lambda: ([ONE, 1, "a", None], 1.0),
    lambda: ((1, True, OTHER), OTHER),
    lambda: ([float("nan"), OTHER], OTHER),
    lambda: ([Loose(), Loose(), ONE], OTHER),
    lambda: ([ONE], Loose()),
    lambda: ([Point(1), Point(2)], Point(2)),
    lambda: ([Point(1)], ONE),
    lambda: ([], ONE),
    lambda: ([[ONE], {1: ONE}], ONE),
]


@pytest.mark.parametrize("function", [among, made])
@pytest.mark.parametrize("at", range(len(VALUES)))
def test_values_of_all_kinds(at: int, function: Callable[..., Any]) -> None:
    values, one = VALUES[at]()
    residual = specialize(function, values, one)
    for x in (1, ONE, None):
        values, one = VALUES[at]() if at in (5, 6) else (values, one)
        if at not in (5, 6):
            assert outcome(residual, x) == outcome(function, values, one, x)
    values, one = VALUES[at]()
    residual = specialize(function, values, one)
    again, other = VALUES[at]()
    assert outcome(residual, 7) == outcome(function, again, other, 7)


def test_a_class_that_compares_otherwise_later() -> None:
    class Late:
        pass

    values, one = [Late(), Late()], Late()
    residual = specialize(among, values, one)
    assert residual(1) == [False, True, 1, -1]
    Late.__eq__ = lambda self, other: True  # type: ignore[method-assign, assignment]
    assert residual(1) == among(values, one, 1) == [True, False, 1, 0]
