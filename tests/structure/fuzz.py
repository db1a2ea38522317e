"""Trace fuzzing of the structurer: random shapes, run directly and as compiled text.

    python -m tests.structure.fuzz --count 10000 --seed 0

Prints the first shape whose traces differ, made small, and the share of irreducible, flagged and dispatched ones.

Invariant: the same seed gives the same shapes.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

from futamura.backend.structure.gate import FEW_FLAGS
from futamura.backend.structure.shape import Shape
from futamura.backend.structure.structure import structure
from futamura.backend.structure.tree import Suite
from tests.structure.machine import Endless, Machine, World, run_tree
from tests.structure.rendering import render
from tests.structure.shapes import random_shape

FUEL = 60
RUNS = 4


def movable(statement: object) -> bool:
    return str(statement).removeprefix("return ") in ("None", "True") or str(statement)[7:].isdigit()


def implicit(statement: object) -> bool:
    return statement == "return None"


def build(shape: Shape, few_flags: int = FEW_FLAGS) -> Suite:
    return structure(shape, movable=movable, implicit=implicit, few_flags=few_flags)


def difference(shape: Shape, seed: int, make: Callable[[Shape], Suite] = build, runs: int = RUNS) -> str | None:
    """What differs between the shape and its tree, if anything does."""
    try:
        suite = make(shape)
    except AssertionError as error:
        return f"assertion: {error}"
    for run in range(runs):
        try:
            expected = Machine(shape, World(seed * 100 + run, FUEL)).run()
        except Endless:
            continue
        got = run_tree(suite, seed * 100 + run, FUEL)
        if expected != got:
            text = "\n".join(render(suite))
            return f"{text}\nexpected {expected}\ngot      {got}"
    return None


def sample(seed: int) -> Shape:
    rng = random.Random(seed)
    size = rng.choice((3, 5, 8, 12, 20, 40))
    return random_shape(rng, size, rng.choice((0.0, 0.5, 0.8)))


def describe(shape: Shape) -> str:
    lines = [f"entry {shape.entry}"]
    lines += [f"{extent}" for extent in shape.extents]
    lines += [f"{statement}" for statement in shape.statements]
    lines += [f"{node}" for node in shape.nodes.values()]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--few-flags", type=int, default=FEW_FLAGS, help="0: dispatch wherever a flag is needed")
    options = parser.parse_args()
    start = time.perf_counter()
    tally: Counter[str] = Counter()
    worst: tuple[int, int, str] | None = None
    for seed in range(options.seed, options.seed + options.count):
        shape = sample(seed)
        problem = difference(shape, seed, partial(build, few_flags=options.few_flags))
        tally["shapes"] += 1
        if problem is not None:
            tally["wrong"] += 1
            if worst is None or len(shape.nodes) < worst[0]:
                worst = len(shape.nodes), seed, f"{describe(shape)}\n{problem}"
    if worst is not None:
        print(f"seed {worst[1]}\n{worst[2]}")
    print(f"{tally['shapes']} shapes, {tally['wrong']} wrong, {time.perf_counter() - start:.1f} s")
    return 1 if tally["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
