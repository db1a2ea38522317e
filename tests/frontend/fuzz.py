"""The front end's fuzzer: random functions run by CPython and, from their IR, by the reference interpreter.

    $ python -m tests.frontend.fuzz --seed 1 --count 500
    500 programs, 3000 runs, 0 differences

A difference prints the seed and where the traces part; `--show SEED` prints a program.  Known differences that are not
the front end's: CPython 3.12 and 3.13 lose a free variable that an inlined comprehension shadows inside of a generator
expression, and a generator that ignores `GeneratorExit` is collected at another moment by the interpreter.
"""

from __future__ import annotations

import linecache
import sys
import warnings
from random import Random

import click

from tests.frontend.programs import generate, observe
from tests.frontend.test_lowering import define, interpreted


def differences(seed: int, runs: int) -> list[str]:
    """What the two ways to run the program of `seed` disagree on."""
    function = define(generate(Random(seed)))
    subject = interpreted(function)
    linecache.cache.pop(function.__code__.co_filename)
    found = []
    for decisions in range(runs):
        expected, actual = observe(function, decisions), observe(subject, decisions)
        if expected != actual:
            pairs = zip([*expected, "<end>"], [*actual, "<end>"])
            place = next(position for position, (left, right) in enumerate(pairs) if left != right)
            found.append(f"seed {seed}, decisions {decisions}: {expected[place:][:2]} but {actual[place:][:2]}")
    return found


@click.command()
@click.option("--seed", default=1, show_default=True)
@click.option("--count", default=200, show_default=True, help="Programs.")
@click.option("--runs", default=6, show_default=True, help="Runs of each.")
@click.option("--show", type=int, help="Print the program of this seed.")
def main(seed: int, count: int, runs: int, show: int | None) -> None:
    """Compare random functions with what the front end makes of them."""
    if show is not None:
        click.echo(generate(Random(show)))
        return
    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda _: None  # generators that ignore GeneratorExit say so when they are collected
    total = 0
    for number in range(seed, seed + count):
        found = differences(number, runs)
        total += len(found)
        for line in found:
            click.echo(line)
    click.echo(f"{count} programs, {count * runs} runs, {total} differences")
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
