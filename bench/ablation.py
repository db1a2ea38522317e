"""What each pass of the optimizer is worth: residuals of the benchmark's cases without it, against those with all.

    $ python -m bench.ablation --rounds 5
    | without | time | most         | operations | most         |
    | cse     | 1.09 | squares 1.61 | 1.21       | squares 2.02 |
    ...

"time" is the residual's time without the pass over that with all passes, the geometric mean over the cases, all in one
process and interleaved; "operations" the same for their number; "most" names the case that it matters most for.  More
than 1.0 is what the pass gains.  Residuals that are the same program are timed once: a pass that changes nothing has
exactly 1.0.  With `--json FILE` the figures are written behind each case, and cases that the file has are not measured
again.  Invariant: every residual agrees with the generic program on every input.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from bench.cases.case import Case, outcome
from bench.cases.measuring import race, timed_inputs
from bench.cases.own import own
from futamura import Specializer, driver
from futamura.ir.graph import Program
from futamura.ir.text import print_program
from futamura.optimize.pipeline import PIPELINE, Report, optimize

ALL = "all"
NONE = "none"


class Variant(NamedTuple):
    """The residual of a case without some passes: its programs as text, and how many operations the last has."""

    made: Callable[..., Any]
    text: str
    size: int


def residual_without(case: Case, left_out: Sequence[str]) -> Variant:
    """The residual of a case that did not go through these passes."""
    seen: list[Program] = []

    def some(program: Program, passes: Sequence[str] = PIPELINE, **given: Any) -> tuple[Program, Report]:
        changed, report = optimize(program, tuple([name for name in passes if name not in left_out]), **given)
        seen.append(changed)
        return changed, report

    whole = driver.__dict__["optimize"]
    driver.__dict__["optimize"] = some
    try:
        made = Specializer(assume="trust", **case.options)(case.target, **case.static, **case.declared)
    finally:
        driver.__dict__["optimize"] = whole
    text = "\n".join([print_program(program, []) for program in seen])
    if not seen or not made.stats["specialized"]:
        raise SystemExit(f"{case.name} without {', '.join(left_out)} is not specialized")
    size = sum([len(block.ops) for function in seen[-1].functions for block in function.blocks])
    return Variant(made, text, size)


def measured(case: Case, rounds: int) -> dict[str, tuple[float, int]]:
    """By what is left out: seconds and operations.  Raises SystemExit if a residual does not agree."""
    expected = [outcome(case.generic, given) for given in case.inputs]
    variants: dict[str, Variant] = {}
    for name in (ALL, *dict.fromkeys(PIPELINE), NONE):
        left_out = () if name == ALL else tuple(PIPELINE) if name == NONE else (name,)
        variants[name] = residual_without(case, left_out)
        if [outcome(variants[name].made, given) for given in case.inputs] != expected:
            raise SystemExit(f"{case.name} without {name} disagrees")
    first: dict[str, str] = {}
    for name, variant in variants.items():
        first.setdefault(variant.text, name)
    sides = {name: variants[name].made for name in first.values()}
    best = race(sides, timed_inputs(case, expected), 1 if case.once else rounds)
    return {name: (best[first[variant.text]], variant.size) for name, variant in variants.items()}


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
@click.option("--json", "raw", type=click.Path(path_type=Path), help="Write figures here; go on from what is there.")
def main(only: str, rounds: int, raw: Path | None) -> None:
    """Measure residuals without each pass in turn."""
    figures: dict[str, dict[str, tuple[float, int]]] = {}
    if raw is not None and raw.exists():
        figures = json.loads(raw.read_text(encoding="utf-8"))
    for name, make in own():
        if name not in figures and (not only or name in only.split(",")):
            figures[name] = measured(make(), rounds)
            click.echo(f"{name}: done", err=True)
            if raw is not None:
                raw.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    click.echo("| without | time | most | operations | most |\n|---|---|---|---|---|")
    for name in (*dict.fromkeys(PIPELINE), NONE):
        click.echo(f"| {' | '.join(row(name, figures))} |")


if __name__ == "__main__":
    main()
