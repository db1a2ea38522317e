"""Random stops: the interpreter's prefix and the emitted continuation together are the whole run.

    $ python -m tools.fuzz_continuations --count 10000
    10000 stops (8123 in graphs, 1877 in functions; 9412 continued, 588 ended before): 0 mismatches ...

Functions are random graphs and, for each `--every`-th stop, functions of `tests/fuzz/pool.py` by way of the front end.
"""

from __future__ import annotations

import collections
import sys
import time
import traceback

import click

from futamura.driver import load_program
from futamura.frontend.python import lower
from tests.fuzz.graphs import random_program
from tests.fuzz.oracles import Load, interpreted, stop_and_go
from tests.fuzz.pool import POOL


@click.command()
@click.option("--count", default=1000, show_default=True, help="How many stops.")
@click.option("--seed", default=1, show_default=True, help="The first seed; each stop has its own.")
@click.option("--size", default=30, show_default=True, help="How many blocks a graph has at most, roughly.")
@click.option("--every", default=3, show_default=True, help="Each n-th stop is in a function of the pool.")
@click.option("--failures", default=1, show_default=True, help="After how many mismatches to stop.")
@click.option("--interpret", is_flag=True, help="Interpret the continuations instead of emitting them.")
@click.option("--brief", is_flag=True, help="One line for each mismatch.")
def main(count: int, seed: int, size: int, every: int, failures: int, interpret: bool, brief: bool) -> None:
    """Compare stopped and continued runs with whole ones."""
    pool = [(lower(function).program, function.__globals__) for function in POOL]
    counts: collections.Counter[str] = collections.Counter()
    start = time.monotonic()
    wrong = 0
    load: Load = interpreted if interpret else load_program
    for number in range(seed, seed + count):
        real = number % every == 0
        program, globals = pool[number // every % len(pool)] if real else (random_program(number, size), {})
        counts["functions" if real else "graphs"] += 1
        try:
            found = stop_and_go(program, globals, load, number)
        except Exception:
            problem = traceback.format_exc()
        else:
            counts["continued" if found.continued else "ended"] += 1
            problem = "" if found.mismatch is None else str(found.mismatch)
        if problem:
            wrong += 1
            lines = problem.strip().splitlines()
            click.echo(f"seed {number} ({program.entry}): {lines[-1] if brief else problem}")
            if wrong >= failures:
                break
    total = counts["graphs"] + counts["functions"]
    click.echo(
        f"{total} stops ({counts['graphs']} in graphs, {counts['functions']} in functions; "
        f"{counts['continued']} continued, {counts['ended']} ended before): {wrong} mismatches, "
        f"{time.monotonic() - start:.0f} s"
    )
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
