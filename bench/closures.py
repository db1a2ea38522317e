"""What the passes over whole programs are worth: functions with closures, with these passes and without them.

    $ python -m bench.closures
    case                              over the original   over the other passes
    a call of small functions                     2.70x                   2.75x

Each function is emitted twice from its lowered form, and both are run in turn with the original in one process; the
best of all rounds of each counts.  Invariant: all three give the same results.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import click

from futamura.driver import roundtrip
from futamura.optimize.pipeline import PIPELINE, optimize

PASSES: Final = ("inline", "closures", "contify", "scalars", "cells", "thread")


def small_functions(n: int) -> int:
    """Two nested functions, one of which binds a variable of the function around it."""
    total = 0

    def twice(x: int) -> int:
        return x * 2 + n

    def count(x: int) -> None:
        nonlocal total
        total += x

    for i in range(n):
        count(twice(i))
    return total


def tail_calls(n: int) -> int:
    """A loop written as a recursion."""

    def loop(i: int, acc: int) -> int:
        if i == 0:
            return acc
        return loop(i - 1, acc + n)

    return loop(n, 0)


def circle(n: int) -> str:
    """Two functions that call each other."""

    def even(i: int) -> str:
        if i == 0:
            return "even"
        return odd(i - 1)

    def odd(i: int) -> str:
        if i == 0:
            return "odd"
        return even(i - 1)

    return even(n) + "!"


def made_each_time(xs: list[int], k: int) -> int:
    """A nested function that is too long to be inlined, called twice."""

    def scaled(x: int) -> int:
        if x < 0:
            return -x * k
        for y in range(x):
            if y * y > x:
                return y
        return x * k

    return scaled(xs[0]) + scaled(xs[1])


def record(xs: list[int]) -> int:
    """A dictionary with known keys that nobody else sees."""
    state = {"sum": 0, "odd": 0}
    for x in xs:
        state["sum"] += x
        if x % 2:
            state["odd"] += 1
    return state["sum"] * state["odd"]


def state_machine(xs: list[int]) -> int:
    """A flag that is set in one place and tested in another."""
    found = 0
    for x in xs:
        large = False
        if x > 10:
            large = True
        elif x > 5:
            large = x % 2 == 0
        if large:
            found += 1
    return found


CASES: Final[tuple[tuple[str, Callable[..., object], tuple[Any, ...]], ...]] = (
    ("small functions", small_functions, (200,)),
    ("a loop by tail calls", tail_calls, (400,)),
    ("a circle of tail calls", circle, (400,)),
    ("a function made each time", made_each_time, ([-3, 1], 2)),
    ("a dictionary as a record", record, (list(range(100)),)),
    ("a flag", state_machine, (list(range(100)),)),
)


def best(functions: list[Callable[..., object]], args: tuple[Any, ...], rounds: int, calls: int) -> list[float]:
    """The least processor time of each, in turn."""
    found = [float("inf")] * len(functions)
    for _ in range(rounds):
        for at, function in enumerate(functions):
            started = time.process_time()
            for _ in range(calls):
                function(*args)
            found[at] = min(found[at], time.process_time() - started)
    return found


@click.command()
@click.option("--rounds", default=15, show_default=True, help="Turns of each form.")
@click.option("--calls", default=300, show_default=True, help="Calls in each turn.")
def main(rounds: int, calls: int) -> None:
    """Compare functions with closures with and without the passes over whole programs."""
    others = tuple([name for name in PIPELINE if name not in PASSES])
    click.echo(f"{'case':28} over the original   over the other passes")
    for name, function, args in CASES:
        with_all = roundtrip(function, change=lambda program: optimize(program)[0])
        without = roundtrip(function, change=lambda program: optimize(program, others)[0])
        results = [one(*args) for one in (function, with_all, without)]
        if len(set(results)) != 1:
            raise click.ClickException(f"{name}: the forms disagree: {results}")
        original, changed, plain = best([function, with_all, without], args, rounds, calls)
        click.echo(f"{name:28} {original / changed:16.2f}x {plain / changed:21.2f}x")


if __name__ == "__main__":
    main()
