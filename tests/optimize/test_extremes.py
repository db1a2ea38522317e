"""`min` and `max` of two values are comparisons, where that pays.

    min(max(x, 0), 255)        255 if 255 < (y := 0 if 0 > x else x) else y

Invariant: the second is compared with the first, once; where that is not true, the first is given.
"""

from __future__ import annotations

import math

import pytest

import futamura
from futamura import Dyn
from futamura.specializer import entry_costs

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def clamped(lo, hi, xs):
    return [min(max(x, lo), hi) for x in xs]


def once(x, y):
    return min(x, y), max(x, y)


def looped(xs, ys):
    found = []
    for x, y in zip(xs, ys):
        try:
            found.append((min(x, y), max(x, y)))
        except TypeError as error:
            found.append(str(error))
    return found


def others(xs):
    found = []
    for x in xs:
        found.append((min(x, 1, 2), max(x, 0, key=abs), min([x, 1]), max(*(x, 1)), min((x, 3), default=2)))
    return found


class Telling:
    def __init__(self, name, answer, log):
        self.name, self.answer, self.log = name, answer, log

    def __lt__(self, other):
        self.log.append((self.name, "<", getattr(other, "name", other)))
        return self.answer

    def __gt__(self, other):
        self.log.append((self.name, ">", getattr(other, "name", other)))
        return self.answer

    def __repr__(self):
        return self.name


NUMBERS = [0, 1, -1, 255, 256, True, False, 0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, 10**30]


def shown(value):
    return repr(value), type(value)


@pytest.mark.parametrize("promise", [Dyn(), Dyn(list[int]), Dyn(list[float])])
def test_clamping(promise) -> None:
    residual = futamura.specialize(clamped, 0, 255, promise)
    assert "min(" not in residual.source and "max(" not in residual.source
    assert list(map(shown, residual(NUMBERS))) == list(map(shown, clamped(0, 255, NUMBERS)))


def test_pairs_in_a_loop() -> None:
    residual = futamura.specialize(looped)
    pairs = [(x, y) for x in [*NUMBERS, "a", None, (1,)] for y in [*NUMBERS, "b", [1]]]
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    assert list(map(shown, residual(xs, ys))) == list(map(shown, looped(xs, ys)))


def test_comparisons_of_objects_are_done_once_and_in_order() -> None:
    def run(function):
        log: list[object] = []
        things = [Telling("a", True, log), Telling("b", False, log), Telling("c", [], log), Telling("d", [0], log)]
        ys = [Telling("e", True, log), Telling("f", False, log), 3, things[3]]
        return repr(function(things, ys)), log

    assert run(futamura.specialize(looped)) == run(looped)


def test_numbers_outside_of_loops_and_unknown_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_costs, "_LITTLE_FOR_NOTHING", 100)  # whatever it takes to test which `min` it is
    assert "min(" in futamura.specialize(once).source
    residual = futamura.specialize(once, Dyn(float), Dyn(int))
    assert "min(" not in residual.source
    for x in (0.0, -0.0, math.nan, 2.5):
        for y in (0, 1, 3):
            assert shown(residual(x, y)) == shown(once(x, y))


def test_other_calls_stay() -> None:
    residual = futamura.specialize(others)
    assert residual([0, 5, -3]) == others([0, 5, -3])


def test_a_name_that_is_bound_again() -> None:
    space: dict[str, object] = {}
    exec("def f(xs): return [min(x, 1) for x in xs]", space)
    residual = futamura.specialize(space["f"])  # type: ignore[arg-type]
    assert residual([0, 2]) == [0, 1]
    space["min"] = lambda x, y: "mine"
    assert residual([0, 2]) == ["mine", "mine"]
