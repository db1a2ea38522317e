"""Methods are looked up where they are called, and one `try` stands around what a generator did.

    place = x + 1, y            place = x + 1, y
    get = board.get      ->     if board.get(place) is None:
    if get(place) is None:

Invariant: what may raise, or be seen, keeps its order.
"""

from __future__ import annotations

import pytest

import futamura

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

STEPS = [(1, 2), (-1, 2), (2, 1)]


def moves(steps, position, board):
    x, y = position
    for dx, dy in steps:
        place = x + dx, y + dy
        if board.get(place) is None:
            yield place


def ordered(steps, position, board):
    return sorted(moves(steps, position, board))


def listed(steps, position, board):
    return list(moves(steps, position, board))


class Board:
    def __init__(self, log, stop=None):
        self.log = log
        self.stop = stop

    def __getattr__(self, name):
        self.log.append(name)
        if self.stop == name:
            raise StopIteration(name)

        def method(place):
            self.log.append(place)
            if self.stop == place:
                raise StopIteration
            return None if place[0] != 4 else 1

        return method


class Number(int):
    log: list[object] = []  # noqa: RUF012

    def __add__(self, other):
        Number.log.append(other)
        return int(self) + other


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error), type(error.__cause__)


@pytest.mark.parametrize("function", [ordered, listed])
def test_the_order_of_what_is_seen(function) -> None:
    residual = futamura.specialize(function, STEPS)
    assert residual.source.count("try:") == 1 and "board.get(" in residual.source
    for stop in (None, "get", (4, 6), (2, 6), (5, 5)):
        one: list[object] = []
        other: list[object] = []
        Number.log = one
        found = outcome(residual, (Number(3), 4), Board(one, stop))
        Number.log = other
        assert found == outcome(function, STEPS, (Number(3), 4), Board(other, stop))
        assert one == other
    for position, board in (((3, 4), {(4, 6): 1}), ((3, "a"), {}), (3, {}), ((1, 2), None)):
        assert outcome(residual, position, board) == outcome(function, STEPS, position, board)


def test_a_builtin_that_is_bound_again() -> None:
    space = {"moves": moves}
    exec("def f(steps, position, board): return sorted(moves(steps, position, board))", space)
    residual = futamura.specialize(space["f"], STEPS)  # type: ignore[arg-type]
    assert residual((3, 4), {}) == ordered(STEPS, (3, 4), {})

    def stops(items):
        raise StopIteration(len(list(items)))

    space["sorted"] = stops
    assert outcome(residual, (3, 4), {}) == (StopIteration, "3", type(None))
