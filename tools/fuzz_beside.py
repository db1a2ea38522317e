"""Random machines that are called in all ways: what runs in place of a residual is seen by the next call.

    $ python -m tools.fuzz_beside --count 1000 --seed 1
    1000 machines: 0 differ

Stops at the first that differs (or after `--failures`), and prints it.
"""

from __future__ import annotations

import sys

import click

from tests.specialize.beside import differing


@click.command()
@click.option("--count", type=click.IntRange(min=1), default=1000, show_default=True, help="How many machines.")
@click.option("--seed", default=1, show_default=True, help="The first seed; each machine has its own.")
@click.option("--failures", default=1, show_default=True, help="After how many differences to stop.")
def main(count: int, seed: int, failures: int) -> None:
    """Compare residuals of machines with the machines, call for call."""
    wrong = 0
    for number in range(seed, seed + count):
        found = differing(number)
        if found:
            wrong += 1
            click.echo(f"seed {number}:\n{found}\n")
            if wrong >= failures:
                break
    click.echo(f"{number - seed + 1} machines: {wrong} differ")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
