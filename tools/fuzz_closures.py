"""Random Python functions with closures through passes, emitted and run: the original must show the same.

    $ python -m tools.fuzz_closures --count 20000
    20000 functions, 61204 passes (31034 changed something): 0 mismatches, 301 s

Each function (`tests/optimize/closures.py`) is lowered, sent through the passes over closures in random company, and
both interpreted and emitted as Python; results, calls in order and exceptions with their texts are compared.
"""

from __future__ import annotations

import collections
import linecache
import random
import sys
import time
import traceback
import types
from collections.abc import Callable
from typing import Any

import click

from futamura.driver import roundtrip
from futamura.frontend.python import lower
from futamura.ir.graph import Program
from futamura.ir.interp import OutOfFuel, run
from futamura.ir.text import print_program
from futamura.optimize.pipeline import PASSES, PIPELINE, optimize
from tests.optimize.closures import closure_source

ABOUT_CLOSURES = tuple(name for name in ("inline", "contify", "closures", "cells") if name in PASSES)
FUEL = 200_000
ARGUMENTS = ((0, 1), (3, -2), (2, "x"), (1, 2.5))


class Recorder:
    """`t`: what a run does, as seen from outside."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.events: list[str] = []

    def __call__(self, *values: object) -> Any:
        self.events.append(", ".join(map(_shown, values)))
        if len(self.events) > 300:
            raise KeyError("enough")
        if self.random.random() < 0.05:
            raise ValueError(len(self.events))
        if callable(values[-1]) and self.random.random() < 0.9:
            return values[-1]
        return self.random.randrange(4)


def _shown(value: object) -> str:
    if isinstance(value, types.FunctionType):
        return f"function {value.__qualname__}"
    return f"{type(value).__name__}:{value!r}"[:200]


def observed(call: Callable[[Recorder, object, object], object], seed: int) -> list[object]:
    """All that calls with several arguments show."""
    found: list[object] = []
    for at, (a, b) in enumerate(ARGUMENTS):
        recorder = Recorder(seed * 10 + at)
        try:
            found.append(_shown(call(recorder, a, b)))
        except OutOfFuel:
            found.append("did not end")
        except RecursionError:
            found.append("recursion")
        except Exception as error:
            context = type(error.__context__).__name__
            found.append(f"raised {type(error).__name__}: {error} ({context})")
        found.append(recorder.events)
    return found


def function_of(source: str, seed: int) -> types.FunctionType:
    """The function as Python defines it."""
    name = f"<closures {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "m"}
    exec(compile(source, name, "exec", dont_inherit=True), namespace)
    made = namespace["f"]
    assert isinstance(made, types.FunctionType)
    return made


def check(seed: int, counts: collections.Counter[str], passes: tuple[str, ...] = ()) -> str:
    """ "" or what is wrong with the function of this seed; `passes` instead of random ones."""
    number = random.Random(seed)
    source = closure_source(number)
    function = function_of(source, seed)
    names = passes or _some(number)
    counts["functions"] += 1
    counts["passes"] += len(names)
    expected = observed(function, seed)
    programs: list[Program] = []

    def change(program: Program) -> Program:
        changed, report = optimize(program, names, watch=lambda name, behind: None)
        counts["changed"] += sum(report.changed.values())
        counts.update({f"changed {name}": times for name, times in report.changed.items()})
        programs.append(changed)
        return changed

    try:
        emitted = roundtrip(function, change=change)
        found = observed(emitted, seed)
        (program,) = programs
        globals = function.__globals__
        again = observed(lambda t, a, b: run(program, (t, a, b), globals=globals, fuel=FUEL), seed)
    except Exception:
        return f"seed {seed}, {','.join(names)}\n{traceback.format_exc()}\n{source}"
    finally:
        linecache.cache.pop(f"<closures {seed}>", None)
    if expected == found == again:
        return ""
    which = "emitted" if expected != found else "interpreted"
    wrong = found if expected != found else again
    shown = print_program(lower(function_of(source, seed)).program, [])
    return (
        f"seed {seed}, {','.join(names)}, {which}\nexpected {expected}\nfound    {wrong}\n{source}\n"
        f"{shown}\n{print_program(program, [])}"
    )


def _some(number: random.Random) -> tuple[str, ...]:
    if number.random() < 0.3:
        return PIPELINE
    about = [number.choice(ABOUT_CLOSURES) for _ in range(number.randrange(1, 4))]
    others = [number.choice(tuple(PASSES)) for _ in range(number.randrange(3))]
    return (*about, *others, number.choice(ABOUT_CLOSURES))


@click.command()
@click.option("--count", default=2000, show_default=True, help="How many functions.")
@click.option("--seed", default=1, show_default=True, help="The first seed; each function has its own.")
@click.option("--passes", default="", help="These, separated by commas, in the place of random sequences.")
@click.option("--failures", default=1, show_default=True, help="After how many mismatches to stop.")
def main(count: int, seed: int, passes: str, failures: int) -> None:
    """Compare functions with closures before and behind passes."""
    counts: collections.Counter[str] = collections.Counter()
    start = time.process_time()
    wrong = 0
    for at in range(seed, seed + count):
        problem = check(at, counts, tuple(passes.split(",")) if passes else ())
        if problem:
            wrong += 1
            click.echo(problem)
            if wrong >= failures:
                break
    fired = ", ".join(f"{name} {counts[f'changed {name}']}" for name in ABOUT_CLOSURES)
    click.echo(
        f"{counts['functions']} functions, {counts['passes']} passes ({counts['changed']} changed something; {fired}): "
        f"{wrong} mismatches, {time.process_time() - start:.0f} s"
    )
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
