"""How the time for a flow graph grows with its number of blocks: lowering, analysing, specializing, printing.

    $ python -m bench.flow_graphs
    shape     blocks     read    lower  specialize  print    (seconds)
    diamonds    1000     0.21     0.03        0.09   0.02
    ...
    exponents: read 1.01, lower 1.02, specialize 1.05, print 1.03

A shape is a program of n blocks over a fixed number of variables: a chain, diamonds in a row, loops in a row, and a
random graph.  One input is static.  Times are of the processor: each is the least of several rounds, in which the sizes
take turns, with as many programs of a size as have the blocks of the largest one together, so that caches and load bear
on each size alike.  The exponent is that of the least times, of the largest size against the smallest.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable

import click

from bench.analyses import grown
from futamura.backend.flow.printing import Spelling, print_flow
from futamura.frontend.flow.lowering import lower_flow_program
from futamura.frontend.flow.parsing import parse_flow
from futamura.frontend.python import collector_paused
from futamura.specializer.online import Open, specialize_program
from futamura.specializer.policy import Budget

__all__ = ["SHAPES", "measured"]

VARIABLES = 8
PHASES = ("read", "lower", "specialize", "print")


def _head() -> list[str]:
    names = [f"v{number}" for number in range(VARIABLES)]
    return ["L0:", "  read s", "  read d", *(f"  {name} = d" for name in names), "  goto L1"]


def _work(number: int) -> list[str]:
    a, b = number % VARIABLES, (number * 5 + 3) % VARIABLES
    return [f"  v{a} = v{b} + s", f"  v{b} = v{a} - {number % 7}"]


def chain(size: int) -> str:
    """Each block jumps to one of the next two on a condition that is not known."""
    lines = _head()
    for number in range(1, size):
        lines += [f"L{number}:", *_work(number), f"  if d then goto L{number + 1} else goto L{min(number + 2, size)}"]
    return "\n".join([*lines, f"L{size}:", "  print v1", "  return"])


def diamonds(size: int) -> str:
    """Ways that part and meet again, four blocks each."""
    lines = _head()
    for number in range(1, size - 3, 4):
        lines += [f"L{number}:", *_work(number), f"  if v{number % VARIABLES} then goto A{number} else goto B{number}"]
        lines += [f"A{number}:", *_work(number + 1), f"  goto J{number}"]
        lines += [f"B{number}:", *_work(number + 2), f"  goto J{number}"]
        lines += [f"J{number}:", *_work(number + 3), f"  goto L{number + 4}"]
        last = number + 4
    return "\n".join([*lines, f"L{last}:", "  print v1", "  return"])


def loops(size: int) -> str:
    """Loops in a row, two blocks each, whose number of trips is not known."""
    lines = _head()
    for number in range(1, size - 1, 2):
        lines += [f"L{number}:", f"  if v{number % VARIABLES} then goto B{number} else goto L{number + 2}"]
        lines += [f"B{number}:", *_work(number), f"  goto L{number}"]
        last = number + 2
    return "\n".join([*lines, f"L{last}:", "  print v1", "  return"])


def scattered(size: int) -> str:
    """Branches to the next block and to one that lies near: irreducible regions, no structure."""
    r = random.Random(size)
    lines = _head()
    for number in range(1, size):
        a, b = min(number + 1, size), min(max(1, number + r.randint(-3, 6)), size)
        lines += [f"L{number}:", *_work(number), f"  if v{r.randrange(VARIABLES)} then goto L{a} else goto L{b}"]
    return "\n".join([*lines, f"L{size}:", "  print v1", "  return"])


SHAPES: dict[str, Callable[[int], str]] = {"chain": chain, "diamonds": diamonds, "loops": loops, "scattered": scattered}


def measured(text: str) -> dict[str, float]:
    """The processor time of each phase."""
    found: dict[str, float] = {}
    start = time.process_time()

    def done(phase: str) -> None:
        nonlocal start
        now = time.process_time()
        found[phase], start = now - start, now

    with collector_paused():
        source = parse_flow(text)
        done("read")
        lowered = lower_flow_program(source)
        done("lower")
        inputs = {"s": 3, "d": Open()}
        budget = Budget(steps=10_000_000, unrolled=10_000_000, operations=10_000_000, work=10_000_000_000)
        outcome = specialize_program(lowered.program, inputs, budget=budget)
        assert outcome.program is not None, outcome.events
        done("specialize")
        print_flow(outcome.program.main, {}, Spelling())
        done("print")
    return found


def measured_together(texts: list[str]) -> dict[str, float]:
    """The processor time of each phase for a block, over several programs."""
    gc.collect()
    total = dict.fromkeys(PHASES, 0.0)
    for text in texts:
        for phase, seconds in measured(text).items():
            total[phase] += seconds
    blocks = sum([text.count(":\n") for text in texts])
    return {phase: seconds / blocks for phase, seconds in total.items()}


@click.command()
@click.option("--sizes", default="1250,10000", show_default=True, help="Numbers of blocks.")
@click.option("--shape", "shapes", multiple=True, type=click.Choice(sorted(SHAPES)), help="Only these.")
@click.option("--runs", default=5, show_default=True, help="Rounds; the sizes take turns in each.")
def main(sizes: str, shapes: tuple[str, ...], runs: int) -> None:
    """Print a table of times and the exponents of growth."""
    numbers = sorted({int(size) for size in sizes.split(",")})
    click.echo(f"{'shape':<10} {'blocks':>7} " + " ".join([f"{phase:>10}" for phase in PHASES]))
    for shape in shapes or tuple(SHAPES):
        groups = [[SHAPES[shape](size)] * (numbers[-1] // size) for size in numbers]
        rounds = [[measured_together(group) for group in groups] for _ in range(runs)]
        for at, size in enumerate(numbers):
            cells = [f"{min(one[at][phase] for one in rounds) * size:>10.3f}" for phase in PHASES]
            click.echo(f"{shape:<10} {size:>7} {' '.join(cells)}")
        if len(numbers) < 2:
            continue
        ratio = numbers[-1] / numbers[0]
        powers = [
            f"{phase} {grown([one[0][phase] for one in rounds], [one[-1][phase] for one in rounds], ratio):.2f}"
            for phase in PHASES
        ]
        click.echo(f"{'':<10} exponents: {', '.join(powers)}")


if __name__ == "__main__":
    main()
