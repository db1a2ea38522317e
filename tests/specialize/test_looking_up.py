"""Looking something up by a key that is open shows the keys to code that is not known, and nothing else.

    option = options.get(name)         options a static table: what it holds stays known

Invariant: what is changed by way of what was found, or by the key's own comparison, is seen.
"""

from __future__ import annotations

import bisect
import functools
import math
from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome


class Rule:
    def __init__(self, name: str, rate: int) -> None:
        self.name = name
        self.rate = rate


class Key:
    """A key that is found, and changes itself when it is."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked = 0

    def __repr__(self) -> str:
        return f"Key({self.name})"

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        self.asked += 1
        return self.name == getattr(other, "name", other)


class Writing(str):
    """A name that changes what it is compared with, if that can be changed."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Key):
            other.asked += 10
        return str.__eq__(self, other)


def rules() -> list[Rule]:
    return [Rule("a", 1), Rule("b", 2)]


def of_a_static_table(table: Any, name: Any) -> Any:
    found = table.get(name)
    return found, table["x"] + table["y"]


def of_a_table_made_here(known: Any, name: Any) -> Any:
    table = {}
    for rule in known:
        table[rule.name] = rule
    found = table.get(name, known[0])
    return found.name, [rule.rate * 2 for rule in known]


def place_in_a_list(names: Any, name: Any) -> Any:
    return names.count(name), names.index(name), names[0] + names[1]


def written_by_way_of_it(known: Any, name: Any) -> Any:
    table = {rule.name: rule for rule in known}
    before = known[0].rate
    found = table.get(name)
    if found is not None:
        found.rate += 1
    return before, known[0].rate, known[1].rate


def written_by_way_of_the_default(known: Any, name: Any) -> Any:
    found = {"z": 1}.get(name, known[1])
    if found != 1:
        found.rate += 1
    return known[1].rate


def given_away(known: Any, name: Any, use: Any = lambda rule: setattr(rule, "rate", 9) if rule else None) -> Any:
    table = {rule.name: rule for rule in known}
    use(table.get(name))
    return known[0].rate, known[1].rate


def keys_that_count(known: Any, name: Any) -> Any:
    table = {key: key.name for key in known}
    found = table.get(name)
    return found, [key.asked for key in known]


class Spying:
    """What it is compared with is changed, if that can be changed; it is the greatest of all."""

    def __lt__(self, other: Any) -> bool:
        if isinstance(other, Rule):
            other.rate += 1
        return False

    def __gt__(self, other: Any) -> bool:
        return not self < other

    def __repr__(self) -> str:
        return "Spying()"


class Loud:
    """Counts how often it is shown, and compared."""

    def __init__(self, shown: int) -> None:
        self.shown = shown

    def __repr__(self) -> str:
        self.shown += 1
        return f"Loud({self.shown})"

    def __bool__(self) -> bool:
        self.shown += 10
        return True

    def __lt__(self, other: Any) -> bool:
        self.shown += 100
        return self.shown < getattr(other, "shown", 0)


def graded(bounds: Any, x: Any) -> Any:
    at = bisect.bisect(bounds, x)
    return at, bounds[at % len(bounds)], bounds[0] + bounds[1]


def searched(known: Any, x: Any) -> Any:
    before = known[0].rate
    at = bisect.bisect(known, x)
    return before, at, [rule.rate for rule in known]


def shown(known: Any, x: Any) -> Any:
    before = known[0].shown
    text = str(known) + repr([x])
    print(known, x)
    return before, text, any(known), [one.shown for one in known]


def compared(known: Any, x: Any) -> Any:
    before = known[0].shown
    found = max(known)
    return before, found is known[0], [one.shown for one in known], max([*known, x]) is x


def extremes(numbers: Any, x: Any) -> Any:
    total = max(numbers) - min(numbers), math.prod(numbers), math.fsum(numbers), max(numbers[0], x)
    return total, numbers[0] + numbers[1]


def extremes_of_nothing(numbers: Any, x: Any) -> Any:
    return max(numbers), x


CASES: list[tuple[Callable[..., Any], Callable[[], Any]]] = [
    (graded, lambda: [3, 10]),
    (searched, rules),
    (shown, lambda: [Loud(1), Loud(2)]),
    (compared, lambda: [Loud(1), Loud(2)]),
    (extremes, lambda: [3, 1.5, True, 7]),
    (extremes_of_nothing, list),
    (of_a_static_table, lambda: {"x": 1, "y": 2}),
    (of_a_table_made_here, rules),
    (place_in_a_list, lambda: ["a", "b"]),
    (written_by_way_of_it, rules),
    (written_by_way_of_the_default, rules),
    (given_away, rules),
    (keys_that_count, lambda: [Key("a"), Key("b")]),
]


@pytest.mark.parametrize(("function", "made"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_like_the_original(function: Callable[..., Any], made: Callable[[], Any]) -> None:
    original, residual = functools.partial(function, made()), specialize(function, made())
    for name in ("a", "x", "z", None, 1, 2.5, Spying(), [], Key("b"), Writing("a"), Writing("b"), "b", "a"):
        mine = Key(name.name) if isinstance(name, Key) else name
        assert outcome(residual, mine) == outcome(original, name), (name, residual.source)


def test_what_the_table_holds_stays_known() -> None:
    assert specialize(of_a_static_table, {"x": 1, "y": 2}).source.endswith("return _table.get(name), 3\n")
    assert "[2, 4]" in specialize(of_a_table_made_here, rules()).source
    assert "'ab'" in specialize(place_in_a_list, ["a", "b"]).source
    assert specialize(graded, [3, 10]).source.endswith(", 13\n")
    assert "6, 31.5, 12.5" in specialize(extremes, [3, 1.5, True, 7]).source
