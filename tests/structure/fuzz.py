"""Trace fuzzing of the structurer: random shapes, run directly and as compiled text.

    python -m tests.structure.fuzz --count 10000 --seed 0

Prints the smallest shape whose traces differ, and how many were irreducible, took a flag or a dispatcher.

Invariant: the same seed gives the same shapes.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from futamura.backend.structure.flow import flows
from futamura.backend.structure.gate import FEW_FLAGS
from futamura.backend.structure.graph import prepare
from futamura.backend.structure.shape import Shape
from futamura.backend.structure.structure import structure
from futamura.backend.structure.tree import Suite
from tests.structure.machine import Endless, Machine, World, run_tree
from tests.structure.mutants import bend
from tests.structure.programs import random_program
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


@dataclass
class Case:
    """A shape, and for each `next` on a fresh iterable the nodes of its loop."""

    shape: Shape
    loops: dict[int, set[int]]


def difference(case: Case, seed: int, make: Callable[[Shape], Suite] = build, runs: int = RUNS) -> str | None:
    """What differs between the shape and its tree, if anything does."""
    try:
        suite = make(case.shape)
    except AssertionError as error:
        return f"assertion: {error}"
    for run in range(runs):
        try:
            expected = Machine(case.shape, World(seed * 100 + run, FUEL), case.loops).run()
        except Endless:
            continue
        try:
            got = run_tree(suite, seed * 100 + run, FUEL)
        except (SyntaxError, NameError) as error:
            return f"{error!r}"
        if expected != got:
            text = "\n".join(render(suite))
            return f"{text}\nexpected {expected}\ngot      {got}"
    return None


def sample(seed: int) -> Case:
    """Six of eight are unstructured graphs, one is a structured program, one such a program with bent edges."""
    rng = random.Random(seed)
    if seed % 4 == 3:
        program = random_program(rng, rng.choice((4, 8, 12, 20, 40)))
        if seed % 8 == 7:
            program = bend(rng, program, rng.choice((1, 1, 2, 3, 5)))
        return Case(program.shape, program.loops)
    size = rng.choice((3, 5, 8, 12, 20, 40))
    return Case(random_shape(rng, size, rng.choice((0.0, 0.5, 0.8))), {})


def describe(shape: Shape) -> str:
    lines = [f"entry {shape.entry}"]
    lines += [f"{extent}" for extent in shape.extents]
    lines += [f"{statement}" for statement in shape.statements]
    lines += [f"{node}" for node in shape.nodes.values()]
    return "\n".join(lines)


def irreducible(shape: Shape) -> bool:
    return any(flow.irreducible for flow in flows(prepare(shape, str)).values())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--few-flags", type=int, default=FEW_FLAGS, help="0: dispatch wherever a flag is needed")
    options = parser.parse_args()
    start = time.perf_counter()
    tally: Counter[str] = Counter()
    worst: tuple[int, int, str] | None = None
    make = partial(build, few_flags=options.few_flags)
    for seed in range(options.seed, options.seed + options.count):
        case = sample(seed)
        problem = difference(case, seed, make)
        text = "\n".join(render(make(case.shape)))
        tally["irreducible"] += irreducible(case.shape)
        tally["flagged"] += "_exit" in text
        tally["dispatched"] += "_state" in text
        tally["with protected extents"] += bool(case.shape.statements)
        if problem is not None:
            tally["wrong"] += 1
            if worst is None or len(case.shape.nodes) < worst[0]:
                worst = len(case.shape.nodes), seed, f"{describe(case.shape)}\n{problem}"
    if worst is not None:
        print(f"seed {worst[1]}\n{worst[2]}")
    print(", ".join(f"{count} {name}" for name, count in tally.items()))
    print(f"{options.count} shapes, {tally['wrong']} wrong, {time.perf_counter() - start:.1f} s")
    return 1 if tally["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
