"""Random control flow: interpreted, emitted as Python, run; the traces must be equal.

    $ python -m tools.fuzz_control --count 10000 --seed 1
    10000 functions, 1432 irreducible, 289431 blocks: 0 mismatches ...

Stops at the first mismatch (or after `--failures`), prints the program and what is needed to make it again.
"""

from __future__ import annotations

import collections
import sys
import time
import traceback

import click

from futamura.analysis.cfg import ControlFlow
from futamura.analysis.loops import loops
from futamura.backend.python.emit import emit
from futamura.driver import load_program
from futamura.ir.graph import Program
from tests.fuzz.graphs import random_program
from tests.fuzz.oracles import control


def check(program: Program, seed: int, counts: collections.Counter[str], *, runs: int) -> str:
    """ "" or what is wrong with one function; adds to the counts."""
    counts["functions"] += 1
    counts["blocks"] += len(program.main.blocks)
    irreducible = not loops(ControlFlow(program.main)).reducible
    counts["irreducible"] += irreducible
    counts["with nested try"] += len(program.main.regions) > 4
    try:
        call = load_program(program, {"__name__": "fuzz"})
        emitted = emit(program)
    except Exception:
        return traceback.format_exc()
    counts["flags"] += emitted.flags
    counts["dispatchers"] += emitted.dispatchers
    if emitted.dispatchers and not irreducible:
        counts["dispatchers in reducible functions"] += emitted.dispatchers
    for run in range(runs):
        mismatch = control(program, {}, call, seed * 1000 + run)
        if mismatch is not None:
            return f"{mismatch}\n{emitted.text}"
    return ""


@click.command()
@click.option("--count", default=1000, show_default=True, help="How many functions.")
@click.option("--seed", default=1, show_default=True, help="The first seed; each function has its own.")
@click.option("--size", default=40, show_default=True, help="How many blocks at most, roughly.")
@click.option("--runs", default=3, show_default=True, help="How many runs of each function.")
@click.option("--failures", default=1, show_default=True, help="After how many mismatches to stop.")
@click.option("--brief", is_flag=True, help="One line for each mismatch.")
def main(count: int, seed: int, size: int, runs: int, failures: int, brief: bool) -> None:
    """Compare emitted functions with the interpreter on random control flow."""
    counts: collections.Counter[str] = collections.Counter()
    start = time.monotonic()
    wrong = 0
    for number in range(seed, seed + count):
        problem = check(random_program(number, size), number, counts, runs=runs)
        if problem:
            wrong += 1
            click.echo(f"seed {number}: {problem.strip().splitlines()[-1] if brief else problem}")
            if wrong >= failures:
                break
    details = ", ".join(f"{value} {name}" for name, value in sorted(counts.items()) if name != "functions")
    click.echo(f"{counts['functions']} functions ({details}): {wrong} mismatches, {time.monotonic() - start:.0f} s")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
