"""Re-rolling looks at a long line in a number of steps that is linear in its length, whether it rolls it or not.

x = x * 17; x = x * 4; x = x * 90; ...      nothing repeats: 400 lines take half as many steps as 800
"""

from __future__ import annotations

import random

import pytest

from bench.analyses import lines_executed
from futamura.frontend.flow.lowering import lower_flow
from futamura.ir.graph import Function
from futamura.ir.interp import run
from futamura.optimize.pipeline import run_passes

FEW = 100


def factors(count: int) -> str:
    r = random.Random(5)
    return "\n".join([f"x = x * {r.randint(2, 9999)}" for _ in range(count)])


def nested_lists(count: int) -> str:
    return "\n".join([f"y = cons({list(range(number % 40))}, x)" for number in range(count)] + ["x = y"])


def almost(count: int) -> str:
    """Long runs that repeat, each ended by something else."""
    return "\n".join(["x = x + y" if number % 50 else "x = x - y" for number in range(count)])


def used_later(count: int) -> str:
    """Each result is used at the end: no group is closed."""
    lines = [f"x{number + 1} = x{number} + y" for number in range(count)]
    return "\n".join(["x0 = x", *lines, f"x = [{', '.join(f'x{number}' for number in range(count))}]"])


LINES = {"factors": factors, "lists": nested_lists, "almost": almost, "used later": used_later}


def program(lines: str) -> Function:
    return lower_flow(f"L: read x read y\n{lines}\nreturn x\n", "line.flow").program.main


def rolled(function: Function) -> Function:
    return run_passes(function, ("reroll",))[0]


@pytest.mark.parametrize("name", LINES)
def test_steps(name: str) -> None:
    counts = [lines_executed(program(LINES[name](size)), lambda f: rolled(f) and None) for size in (FEW, 3 * FEW)]
    assert counts[1] < 6 * counts[0], counts


@pytest.mark.parametrize("name", LINES)
def test_meaning(name: str) -> None:
    whole = lower_flow(f"L: read x read y\n{LINES[name](60)}\nreturn x\n", "line.flow").program
    after = rolled(whole.main)
    changed = type(whole)(after.name, (after,))
    for x in ((), (1,)) if name == "lists" else (0, 3):
        assert run(changed, (x, 2), globals={}) == run(whole, (x, 2), globals={})
