"""Random flow-graph programs: a residual, run on the open inputs, shows what the program shows on all inputs.

    $ python -m tools.fuzz_flow --count 5000 --jobs 2
    5000 programs (21422 ended, 6214 endless, 12364 failed, ...): 0 differences, 180 s

Each program is specialized online and offline, with a random style or division, random passes and random labels; the
residual is printed, parsed again and run.  Fuel and budgets, which count steps, limit each program.  `--seed N
--count 1 --show` prints program N with its residual.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import multiprocessing
import random
import sys
import time
import traceback
from collections.abc import Iterable
from typing import Literal, NamedTuple

import click

from futamura.analysis.division import KINDS, POINTS
from futamura.ir.graph import Program
from futamura.languages import FlowOptions, FlowResidual, specialize_flow
from futamura.optimize.pipeline import PASSES
from futamura.specializer.policy import Budget
from tests.flow.random_flow import Case, Shown, lowered, random_case, shown

__all__ = ["difference", "examined", "random_options"]

FUEL = 3_000


def random_options(seed: int, mode: Literal["online", "offline"] = "online") -> FlowOptions:
    """How to specialize program `seed`."""
    r = random.Random(f"options {seed} {mode}")
    keep = r.random() < 0.4
    return FlowOptions(
        keep_jumps=keep,
        trim=r.random() < 0.7,
        polyvariance=r.choice(["auto", "auto", "all", "none"]),
        loops=r.choice(["meet", "meet", "parameters", "variables"]),
        passes=tuple(r.sample(sorted(PASSES), r.randint(0, len(PASSES)))),
        labels=r.choice(["short", "numbered", "pairs"]),
        budget=Budget(steps=5_000, unrolled=1_500, operations=1_500, hard_versions_per_block=60),
        mode=mode,
        division=r.choice(KINDS),
        points=r.choice(POINTS),
        offline_budget=600,
    )


def difference(case: Case, options: FlowOptions, counts: collections.Counter[str]) -> str:
    """What a residual does otherwise than its program, or nothing."""
    residual = specialize_flow(case.text, case.static, "random.flow", options)
    counts[f"{options.mode} specialized" if residual.specialized else f"{options.mode} not specialized"] += 1
    program, again = _lowered_once(case.text), lowered(residual.text)
    for given in case.rounds:
        wanted = shown(program, {**case.static, **given}, FUEL)
        if wanted is None:
            counts["endless"] += 1
            continue
        counts["failed" if wanted.error else "ended"] += 1
        problem = _compared(residual, again, given, wanted)
        if problem:
            return problem
    return ""


@functools.lru_cache(maxsize=4)
def _lowered_once(text: str) -> Program:
    """Both specializers are compared with the same program."""
    return lowered(text)


def _compared(residual: FlowResidual, again: Program, given: dict[str, object], wanted: Shown) -> str:
    for name, program in (("residual", residual.program), ("printed residual", again)):
        inputs = program.main.signature.names
        missing = [name for name in inputs if name not in given]
        if missing:
            return f"the {name} asks for {missing}"
        found = shown(program, given, 20 * FUEL)
        if found != wanted:
            return f"{name} on {given}:\n  wanted {wanted}\n  found  {found}"
    return ""


class Outcome(NamedTuple):
    """What came out of one program."""

    number: int
    counts: collections.Counter[str]
    problems: tuple[str, ...]


def examined(number: int, show: bool = False) -> Outcome:
    """Program `number` under both specializers."""
    counts: collections.Counter[str] = collections.Counter()
    problems = []
    case = random_case(number)
    for options in (random_options(number), random_options(number, "offline")):
        if show:
            click.echo(f"{case.text}\n{case.static}\n{options}\n")
            click.echo(specialize_flow(case.text, case.static, "random.flow", options).text)
        try:
            problem = difference(case, options, counts)
        except Exception:
            problem = traceback.format_exc()
        if problem:
            problems.append(f"program {number}, {options.mode}: {problem}")
    return Outcome(number, counts, tuple(problems))


@click.command()
@click.option("--count", default=1000, show_default=True, help="How many programs.")
@click.option("--seed", default=1, show_default=True, help="The first one.")
@click.option("--failures", default=1, show_default=True, help="After how many differences to stop.")
@click.option("--jobs", default=1, show_default=True, help="Processes.")
@click.option("--show", is_flag=True, help="Print each program and its residual (in one process).")
def main(count: int, seed: int, failures: int, jobs: int, show: bool) -> None:
    """Compare residuals of random programs with the programs."""
    counts: collections.Counter[str] = collections.Counter()
    start = time.monotonic()
    wrong = done = 0
    with contextlib.ExitStack() as stack:
        numbers = range(seed, seed + count)
        if jobs > 1 and not show:
            pool = stack.enter_context(multiprocessing.get_context("spawn").Pool(jobs))
            outcomes: Iterable[Outcome] = pool.imap(examined, numbers, chunksize=20)
        else:
            outcomes = (examined(number, show) for number in numbers)
        for outcome in outcomes:
            done += 1
            counts.update(outcome.counts)
            for problem in outcome.problems:
                wrong += 1
                click.echo(problem)
            if wrong >= failures:
                break
            if done % 500 == 0:
                click.echo(f"{done} of {count}: {wrong} differences, {time.monotonic() - start:.0f} s", err=True)
    summary = ", ".join([f"{amount} {name}" for name, amount in sorted(counts.items())])
    click.echo(f"{done} programs ({summary}): {wrong} differences, {time.monotonic() - start:.0f} s")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
