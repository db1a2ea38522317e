"""Sets and frozensets: equal ones may come in other orders, and those of numbers come in one order under any hash seed.

    a, b = frozenset([0, 8]), frozenset([8, 0])        list(a) == [0, 8], list(b) == [8, 0]

Invariant: what is iterated over comes in the order of the very set that the original has there.
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura
from tests.outcomes import outcome

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

FIRST, SECOND = frozenset([0, 8]), frozenset([8, 0])
NUMBERS = {5, -3, 1 << 70, 40, 8, 0, 16}
PAIRS = frozenset({(0, 1), (1, 0), (-1, 0), (0, -1)})
NAMES = {"b", "a", "c"}


def chosen(x):
    found = FIRST if x else SECOND
    return list(found), [one + 1 for one in found]


def made(x):
    found = frozenset([0, 8]) if x else frozenset([8, 0])
    return list(found)


def pooled(x):
    return [i + x for i in FIRST | {x}], [i + x for i in SECOND ^ {16}], [i + x for i in SECOND | {16}], FIRST == SECOND


def in_line(numbers, x):
    return [one * x for one in numbers], list(numbers), tuple(numbers), [*numbers], sorted(numbers), max(numbers)


def counted(numbers, x):
    return [(at, one, x) for at, one in enumerate(numbers)], dict(zip(numbers, "abcdefg")), sum(numbers), len(numbers)


def left(numbers, x):
    for one in numbers:
        if one == x:
            break
    else:
        return "none"
    return one


def moves(pairs, x, y):
    return [(x + dx, y + dy) for dx, dy in pairs if x + dx >= 0]


def begun(numbers, x):
    found = iter(numbers)
    first = next(found)
    return type(found).__name__, found.__length_hint__(), first, list(found), x


def changed(numbers, x):
    for one in numbers:
        if one == x:
            numbers.add(one + 100)
    return sorted(numbers)


def unpacked(pair, x):
    a, b = pair
    first, *rest = pair
    return a, b, first, rest, x


def named(names, row):
    return [row[name] for name in sorted(names)], {name for name in names if name in row}


@pytest.mark.parametrize("function", [chosen, made, pooled])
def test_equal_sets_of_other_orders(function: Any) -> None:
    residual = futamura.specialize(function)
    for x in (0, 1, 16):
        assert outcome(residual, x) == outcome(function, x)


@pytest.mark.parametrize("function", [in_line, counted, left, begun])
@pytest.mark.parametrize("numbers", [NUMBERS, frozenset(NUMBERS), {8, 0}, {0, 8}, frozenset(), {True, 3}])
def test_numbers_come_in_their_order(function: Any, numbers: Any) -> None:
    residual = futamura.specialize(function, numbers=numbers)
    for x in (0, 3, 8, -3):
        assert outcome(residual, x) == outcome(function, numbers, x)
    if function is in_line and len(numbers) > 2:
        assert "for" not in residual.source, residual.source


def test_what_is_unrolled() -> None:
    residual = futamura.specialize(moves, pairs=PAIRS)
    assert "for" not in residual.source, residual.source
    for x, y in ((0, 0), (3, -1), (-1, 1.5)):
        assert residual(x, y) == moves(PAIRS, x, y)
    residual = futamura.specialize(unpacked, pair=frozenset({24, 8}))
    assert residual(1) == unpacked(frozenset({24, 8}), 1)


def test_a_set_that_changes_meanwhile() -> None:
    for x in (8, 7):
        mine, theirs = set(NUMBERS), set(NUMBERS)
        residual = futamura.specialize(changed, numbers=mine)
        assert outcome(residual, x) == outcome(changed, theirs, x)
        assert mine == theirs


def test_texts_have_no_order() -> None:
    residual = futamura.specialize(named, names=NAMES)
    row = {"a": 1, "b": 2, "c": 3}
    assert residual(row) == named(NAMES, row)
    assert "for name in" in residual.source


class Loud:
    """It tells when it is hashed."""

    def __init__(self, log, number):
        self.log, self.number = log, number

    def __hash__(self):
        self.log.append(("hash", self.number))
        return self.number


def noted(log, number):
    log.append(("made", number))
    return number


def gathered(steps, x, log):
    return len(frozenset(noted(log, step) if step < 3 else x for step in steps))


def unhashable(steps, x, log):
    try:
        return frozenset([noted(log, step), x][step] for step in steps)
    except (IndexError, TypeError) as error:
        return type(error).__name__


def known_numbers(steps, x, log):
    found = frozenset(step * 8 for step in steps if step != x)
    return [one + x for one in found], len(found)


@pytest.mark.parametrize("function", [gathered, unhashable, known_numbers])
@pytest.mark.parametrize("steps", [(0, 1, 2, 3), (1, 3, 0, 5), (3, 2), ()])
def test_items_are_hashed_one_by_one(function: Any, steps: Any) -> None:
    residual = futamura.specialize(function, steps=steps)
    for make in (lambda log: 1, lambda log: [], lambda log: Loud(log, 4), lambda log: 2.5, lambda log: 3):
        mine: list[Any] = []
        theirs: list[Any] = []
        assert outcome(residual, make(mine), mine) == outcome(function, steps, make(theirs), theirs)
        assert mine == theirs
