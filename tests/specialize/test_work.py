"""The work that a specialization may take: what gets long has half of it, until a first call is left."""

from __future__ import annotations

import bisect
from typing import Any, Final

import futamura
from futamura.specializer.policy import static_size

PROGRAM: Final = [("add", 3), ("test", 7), ("mul", 5), ("test", 2), ("add", 1), ("test", 9), ("mul", 2), ("stop", 0)]
SCALED: Final = futamura.Budget(work=0).scaled(static_size([PROGRAM])).work
"""What the program adds to the budget."""
NEVER: Final = 10**9


def run(program: Any, x: Any, y: Any) -> Any:
    pc, acc, seen = 0, x, 0
    while program[pc][0] != "stop":
        name, operand = program[pc]
        pc += 1
        if name == "add":
            acc += operand
        elif name == "mul":
            acc *= operand
        elif acc < y:
            seen += operand
            acc -= y
    return acc, seen


def fits(work: int, long: int) -> bool:
    """Does specialization come to an end with so much work, if residuals are long from so many operations on?"""
    residual = futamura.Specializer(budget=futamura.Budget(work=work - SCALED, long=long))(run, PROGRAM)
    for x in range(9):
        assert [residual(x, y) for y in range(9)] == [run(PROGRAM, x, y) for y in range(9)]
    return not any("too large and too many" in event.reason for event in residual.events)


def test_what_gets_long_has_half_of_the_work() -> None:
    needed = bisect.bisect_left(range(2_000), True, key=lambda work: fits(work, NEVER))
    assert 100 < needed < 2_000
    assert not fits(2 * needed - 2, long=1)
    assert fits(2 * needed, long=1)


def test_each_attempt_has_what_is_left_of_the_whole() -> None:
    budget = futamura.Budget()
    assert budget.allowed_work(0, attempts=0) == budget.allowed_work(10**6, attempts=1) == budget.work
    assert budget.allowed_work(10**6, attempts=0) == budget.work // 2
