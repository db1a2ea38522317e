"""`bisect` among a few known numbers is the comparisons that it makes.

    rates[bisect(edges, x)]    ->    if x < 20: ... rates[0] ... rates[1] ... else: ... rates[2] ...

Invariant: an open value is asked what the library asks it, in the same order, whatever it answers; what `bisect` is not
certain to do so stays a call.
"""

from __future__ import annotations

import bisect
from bisect import bisect_left, bisect_right
from typing import Any

import pytest

import futamura
from futamura import Dyn
from tests.specialize.specializing import fallbacks, source_of, specialize

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

LOG: list[object] = []


class Asked:
    """Says what it is asked, and answers with something that says when it is asked whether it is true."""

    def __init__(self, value, fails=None):
        self.value, self.fails = value, fails

    def _answer(self, name, other, found):
        LOG.append((name, other))
        if other == self.fails:
            raise ArithmeticError(name)
        return Answer(found)

    def __lt__(self, other):
        return self._answer("lt", other, self.value < other)

    def __gt__(self, other):
        return self._answer("gt", other, self.value > other)


class Answer:
    def __init__(self, found):
        self.found = found

    def __bool__(self):
        LOG.append(("bool", self.found))
        return self.found


class Silent(float):
    def __lt__(self, other):
        LOG.append(("own", other))
        return NotImplemented


def graded(edges, names, x):
    return names[bisect.bisect(edges, x)]


def before(edges, names, x):
    place = bisect_left(edges, x)
    return names[place], place


def helped(edges, names, x):
    return [graded(edges, names, x), before(edges, names, x)[1]]


def caught(edges, names, x):
    seen = 0
    try:
        seen += 1
        found = names[bisect_right(edges, x)]
        seen += 2
    except ArithmeticError as error:
        return str(error), seen
    return found, seen


def displayed(names, x):
    return names[bisect_right([1, 2.5, 4], x)]


NAMES = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
EDGES = [
    (), (10,), [10, 20.0], (10.0, 20.0, 30.0), [1, 2, 3, 4], (1, 2, 2, 2, 9), [5, 1, 4, 2, 8, 0], ("a", "k", "z"),
    [0.0, -0.0, float("nan"), 1.0, float("inf")], [1, 2, 3, 4, 5, 6, 7, 8],
]  # fmt: skip
VALUES = [
    -1, 0, 1, 1.5, 2, 3, 4.0, 10, 15.5, 20, 35, 10**400, True, float("nan"), float("inf"), -0.0, "", "k", "zz", b"a",
    None, (), Silent(3), Silent(25.0),
]  # fmt: skip


def outcome(call: Any, *args: Any) -> Any:
    LOG.clear()
    try:
        return repr(call(*args)), [*LOG]
    except Exception as error:
        return type(error), str(error), repr(error.__context__), [*LOG]


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize("edges", EDGES, ids=str)
@pytest.mark.parametrize("program", [graded, before, helped, caught])
def test_what_is_asked_and_in_which_order(program: Any, edges: Any) -> None:
    residuals = [specialize(program, edges, NAMES)]
    residuals += [specialize(program, edges, NAMES, Dyn(kind)) for kind in (float, int, str)]
    for residual in residuals:
        for x in VALUES:
            assert outcome(residual, x) == outcome(program, edges, NAMES, x), (x, source_of(residual))
        for value in (0, 2.5, 15, 40):
            for fails in (None, *edges):
                assert outcome(residual, Asked(value, fails)) == outcome(program, edges, NAMES, Asked(value, fails))
    if edges and (program is not helped or len(edges) < 4):
        assert "bisect" not in source_of(residuals[0]), source_of(residuals[0])


def test_a_display_of_edges() -> None:
    residual = specialize(displayed, NAMES)
    assert "bisect" not in source_of(residual) and "[" not in source_of(residual)
    for x in (*VALUES, Asked(2)):
        assert outcome(residual, x) == outcome(displayed, NAMES, x)


class Weight:
    """Of two of its objects the library may ask the first one twice."""

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        LOG.append(("weight", self.value))
        return NotImplemented


def bounded(edges, names, x):
    return names[bisect_right(edges, x, 1)], names[bisect_right(edges, x, key=abs)]


@pytest.mark.parametrize(
    ("program", "edges", "names"),
    [
        (bounded, [1, 2, 3], NAMES),
        (graded, [*range(17)], [*NAMES, *NAMES]),
        (graded, [Weight(1), Weight(2)], NAMES),
        (graded, [1, None], NAMES),
        (graded, [Silent(1), Silent(2)], NAMES),
    ],
    ids=["more arguments", "many", "own class", "none", "a subclass"],
)
def test_what_stays_a_call(program: Any, edges: Any, names: Any) -> None:
    residual = specialize(program, edges, names)
    assert "bisect" in source_of(residual), source_of(residual)
    for x in (*VALUES, Asked(2), Weight(1)):
        assert outcome(residual, x) == outcome(program, edges, names, x)


def long_after(edges, names, xs):
    total = []
    for x in xs:
        place = bisect_right(edges, x)
        if x in total:
            total.append(x)
        elif x > 30:
            total.extend((x, x + 1, x + 2))
        elif x > 20:
            total.extend((x, x * 2, x * 3, x * 4))
        elif x > 10:
            total.extend((x - 1, x - 2, x - 3, x - 4))
        total.append(names[place])
    return total


def nested(edges, names, row):
    one = names[bisect_right(edges, row[0])]
    two = names[bisect_right(edges, row[1])]
    three = names[bisect_right(edges, row[2])]
    return one + two + three


def test_what_stands_behind_is_not_copied_without_bound() -> None:
    edges = [5, 10, 15, 20, 25, 30, 35]
    residual = specialize(long_after, edges, NAMES)
    assert source_of(residual).count("extend(") == 3 and "bisect" in source_of(residual), source_of(residual)
    for xs in ([], [1, 12, 23, 34, 5], [30.0, 30, 3], ["a"], None):
        assert outcome(residual, xs) == outcome(long_after, edges, NAMES, xs)
    residual = specialize(nested, edges, NAMES)
    assert len(source_of(residual).splitlines()) < 60, source_of(residual)
    for row in ([1, 12, 23], [34, 5.0, 7], [1, "a", 2], [], [1]):
        assert outcome(residual, row) == outcome(nested, edges, NAMES, row)


def many(tables, row):
    return [names[bisect_right(edges, value)] for (edges, names), value in zip(tables, row)]


@pytest.mark.parametrize("count", [6, 40])
def test_searches_at_many_places(count: int) -> None:
    """Where there are too many of them, all of them stay calls."""
    tables = [([at, at + 2, at + 5, at + 9], NAMES[at % 4 :]) for at in range(count)]
    residual = specialize(many, tables)
    assert ("bisect" in source_of(residual)) == (count > 24) and not fallbacks(residual)
    for row in ([*range(count)], [3.5] * count, [7], [Asked(4)] * count, ["a"] * count):
        assert outcome(residual, row) == outcome(many, tables, row)


class Meter:
    def __init__(self, edges):
        self.edges, self.seen, self.last = edges, 0, None

    def note(self, x):
        self.seen += 1
        self.last = bisect_right(self.edges, x)
        self.seen += 10 * self.last
        return self.last


class Spy:
    """Looks at the static object, and changes it, while it is compared."""

    def __init__(self, meter):
        self.meter = meter

    def __lt__(self, other):
        LOG.append((self.meter.seen, self.meter.last))
        self.meter.seen += 100
        return other > 2


def noted(meter, x):
    return meter.note(x), meter.note(x), meter.seen, meter.last


def test_static_objects_are_seen_as_they_are() -> None:
    for make in (lambda meter: 2, lambda meter: 7.5, Spy, lambda meter: "a"):
        one, other = Meter([1, 3, 5]), Meter([1, 3, 5])
        residual = specialize(noted, one)
        for _ in range(3):
            assert outcome(residual, make(one)) == outcome(noted, other, make(other))
            assert (one.seen, one.last) == (other.seen, other.last)


LIMITS = [10, 20, 30]


def limited(x):
    return NAMES[bisect.bisect_right(LIMITS, x)]


def test_another_function_and_other_limits_in_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = futamura.specialize(limited)
    for x in (5, 15, 35):
        assert residual(x) == limited(x)
    with monkeypatch.context() as changed:
        changed.setattr(bisect, "bisect_right", lambda edges, x: 3)
        for x in (5, 15, 35):
            assert residual(x) == limited(x) == "d"
    monkeypatch.setitem(globals(), "LIMITS", [1, 2, 3])
    for x in (0, 5, 15, 35):
        assert residual(x) == limited(x)


def gathered(edges: Any, names: Any, x: Any, y: Any, z: Any) -> Any:
    out = []
    out.append(names[bisect.bisect(edges, x)])
    for least in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9):
        if y > least:
            out.append(z)
    return out


def test_what_goes_into_an_object_differs_from_there_on() -> None:
    """The list is another one on each way, and the ways would not meet while it is needed."""
    edges, names = [1, 2, 3, 4, 5, 6, 7], list("abcdefgh")
    residual = futamura.specialize(gathered, edges=edges, names=names)
    assert "bisect" in residual.source
    for x in (0, 3, 7.5):
        assert residual(x, 4, 5) == gathered(edges, names, x, 4, 5)


def between(edges, heights, x):
    place = bisect_right(edges, x)
    if place == 0:
        return heights[0]
    if place == len(edges):
        return heights[-1]
    low, high = edges[place - 1], edges[place]
    part = (x - low) / (high - low)
    return heights[place - 1] + part * (heights[place] - heights[place - 1])


def within(edges, heights, x):
    place = max(1, min(bisect_left(edges, x), len(edges) - 1))
    step = (heights[place] - heights[place - 1]) / (edges[place] - edges[place - 1])
    return heights[place - 1] + (x - edges[place - 1]) * step


def added_up(edges, rates, x):
    place = bisect.bisect(edges, x) - 1
    total = 0.0
    for at in range(place):
        total += (edges[at + 1] - edges[at]) * rates[at]
    return total + (x - edges[place]) * rates[place]


def of_many(edges, heights, xs):
    return [between(edges, heights, x) for x in xs]


STEPS = [[0.0, 1.0, 2.5, 4.0, 7.0, 10.0], [float(n * n) for n in range(15)], [1, 2, 2, 5]]


@pytest.mark.parametrize("edges", STEPS, ids=len)
@pytest.mark.parametrize("program", [between, within, added_up])
def test_what_folds_at_each_place_is_worth_a_way(program: Any, edges: Any) -> None:
    heights = [float(n * 3 % 7) for n in range(len(edges))]
    residual = specialize(program, edges, heights)
    for x in (*VALUES, Asked(2), Asked(3, edges[1])):
        assert outcome(residual, x) == outcome(program, edges, heights, x), (x, source_of(residual))
    if program is not added_up or len(edges) < 15:
        assert not any(word in source_of(residual) for word in ("bisect", "[", "for ")), source_of(residual)


def test_a_way_for_each_place_in_a_loop() -> None:
    residual = specialize(of_many, STEPS[0], STEPS[0])
    assert "bisect" not in source_of(residual)
    for xs in ((), [3.3, -1.0, 99], [1.0, "a"], VALUES[:6]):
        assert outcome(residual, xs) == outcome(of_many, STEPS[0], STEPS[0], xs)
