"""What each pass of the optimizer is worth: residuals of the benchmark's cases without it, against those with all.

    $ python -m bench.ablation --rounds 5
    without      time   most         size   most
    cse          1.09   bf 1.61      1.21   bf 2.02
    ...

"time" is the residual's time without the pass over that with all passes, the geometric mean over the cases, all in one
process and interleaved; "size" the same for operations; "most" names the case that it matters most for.  More than 1.0
is what the pass gains.  Invariant: every residual agrees with the generic program on every input.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from bench.cases.case import Case, outcome
from bench.cases.measuring import race, residual_of, timed_inputs
from bench.cases.own import own
from futamura import driver
from futamura.ir.graph import Program
from futamura.optimize.pipeline import PIPELINE, Report, optimize

ALL = "all"
NONE = "none"


def residual_without(case: Case, left_out: Sequence[str]) -> tuple[Callable[..., Any], int]:
    """The residual of a case that did not go through these passes, and how many operations it has."""
    counted: list[int] = []

    def some(program: Program, **given: Any) -> tuple[Program, Report]:
        changed, report = optimize(program, tuple([name for name in PIPELINE if name not in left_out]), **given)
        counted.append(sum([len(block.ops) for function in changed.functions for block in function.blocks]))
        return changed, report

    whole = driver.__dict__["optimize"]
    driver.__dict__["optimize"] = some
    try:
        made, _ = residual_of(case, "trusted")
    finally:
        driver.__dict__["optimize"] = whole
    return made, counted[-1] if counted else 0


def measured(case: Case, rounds: int) -> dict[str, tuple[float, int]]:
    """By what is left out: seconds and operations.  Raises SystemExit if a residual does not agree."""
    expected = [outcome(case.generic, given) for given in case.inputs]
    sides: dict[str, Callable[..., Any]] = {}
    sizes: dict[str, int] = {}
    for name in (ALL, *dict.fromkeys(PIPELINE), NONE):
        left_out = () if name == ALL else tuple(PIPELINE) if name == NONE else (name,)
        made, sizes[name] = residual_without(case, left_out)
        if [outcome(made, given) for given in case.inputs] != expected:
            raise SystemExit(f"{case.name} without {name} disagrees")
        sides[name] = made
    best = race(sides, timed_inputs(case, expected), 1 if case.once else rounds)
    return {name: (best[name], sizes[name]) for name in sides}


def row(name: str, figures: dict[str, dict[str, tuple[float, int]]]) -> list[str]:
    """Time and size without a pass over those with all: means, and where they are largest."""
    cells = [name]
    for at in (0, 1):
        ratios = {case: found[name][at] / found[ALL][at] for case, found in figures.items() if found[ALL][at]}
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        most = max(ratios, key=ratios.__getitem__)
        cells += [f"{mean:.2f}", f"{most} {ratios[most]:.2f}"]
    return cells


@click.command()
@click.option("--only", default="", help="Names of cases, separated by commas; default: all.")
@click.option("--rounds", default=5, show_default=True, help="Turns of each residual.")
@click.option("--json", "raw", type=click.Path(path_type=Path), help="Write all figures here.")
def main(only: str, rounds: int, raw: Path | None) -> None:
    """Measure residuals without each pass in turn."""
    figures: dict[str, dict[str, tuple[float, int]]] = {}
    for name, make in own():
        if not only or name in only.split(","):
            figures[name] = measured(make(), rounds)
            click.echo(f"{name}: done", err=True)
    click.echo("| without | time | most | operations | most |\n|---|---|---|---|---|")
    for name in (*dict.fromkeys(PIPELINE), NONE):
        click.echo(f"| {' | '.join(row(name, figures))} |")
    if raw is not None:
        raw.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
