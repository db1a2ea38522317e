"""What each pass of the optimizer is worth: residuals of the benchmark's cases without it, against those with all.

    $ python -m bench.ablation --rounds 5
    | without | time | most         | operations | most         |
    | cse     | 1.09 | squares 1.61 | 1.21       | squares 2.02 |
    ...

"time" is the residual's time without the pass over that with all passes, the geometric mean over the cases, all in one
process and interleaved; "operations" the same for their number; "most" names the case that it matters most for.  More
than 1.0 is what the pass gains.  Residuals that are the same program are timed once: a pass that changes nothing has
exactly 1.0.  `--functions` takes functions with closures and loops, and those of `gains.py`, which are optimized only.
`--without algebra,dead-stores` leaves these out together and shows each case; `--shared FOLDER` takes cases from there.
With `--json FILE` the figures are written behind each case, and cases that the file has are not measured again.

Invariant: every residual agrees with the generic program on every input.
"""

from __future__ import annotations

import builtins
import functools
import json
import math
import struct
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import click

from bench import closures, gains, loops
from bench.cases.case import Case, outcome
from bench.cases.given import given
from bench.cases.measuring import race, timed_inputs
from bench.cases.own import own
from futamura import Specializer, driver
from futamura.driver import roundtrip
from futamura.ir.facts import SCALARS
from futamura.ir.graph import Program
from futamura.ir.text import print_program
from futamura.optimize.pipeline import PIPELINE, Report, optimize
from futamura.optimize.shapes import of_type
from futamura.specializer.online import Outcome
from futamura.specializer.parting import Asked

ALL = "all"
NONE = "none"


class Variant(NamedTuple):
    """The residual of a case without some passes: its programs as text, and how many operations the last has."""

    made: Callable[..., Any]
    text: str
    size: int


class _Once(Specializer):
    """Specializes once; what was found is optimized and printed anew each time."""

    _found: Outcome | None = None

    def _outcome(
        self, function: types.FunctionType, inputs: Mapping[str, object], asked: Asked
    ) -> Outcome:
        if self._found is None:
            self._found = super()._outcome(function, inputs, asked)
        return self._found


def residual_without(case: Case, specializer: Specializer, left_out: Sequence[str]) -> Variant:
    """The residual of a case that did not go through these passes."""
    seen: list[Program] = []

    def some(program: Program, passes: Sequence[str] = PIPELINE, **given: Any) -> tuple[Program, Report]:
        changed, report = optimize(program, tuple([name for name in passes if name not in left_out]), **given)
        seen.append(changed)
        return changed, report

    whole = driver.__dict__["optimize"]
    driver.__dict__["optimize"] = some
    try:
        made = specializer(case.target, **case.static, **case.declared)
    finally:
        driver.__dict__["optimize"] = whole
    text = "\n".join([print_program(program, []) for program in seen])
    if not seen or not made.stats["specialized"]:
        raise SystemExit(f"{case.name} without {', '.join(left_out)} is not specialized")
    return Variant(made, text, operations(seen[-1]))


EACH: Final = {name: (name,) for name in dict.fromkeys(PIPELINE)} | {NONE: PIPELINE}
"""By name, what to leave out: each pass, and all."""


def measured(case: Case, rounds: int, sets: Mapping[str, Sequence[str]] = EACH) -> dict[str, tuple[float, int]]:
    """By what is left out: seconds and operations.  Raises SystemExit if a residual does not agree."""
    expected = [outcome(case.generic, given) for given in case.inputs]
    specializer = _Once(assume="trust", **case.options)

    def without(left_out: Sequence[str]) -> Variant:
        made = residual_without(case, specializer, left_out)
        if [outcome(made.made, given) for given in case.inputs] != expected:
            raise SystemExit(f"{case.name} without {', '.join(left_out)} disagrees")
        return made

    return raced(without, timed_inputs(case, expected), 1 if case.once else rounds, sets)


def measured_alone(
    function: types.FunctionType, args: tuple[Any, ...], rounds: int, sets: Mapping[str, Sequence[str]] = EACH
) -> dict[str, tuple[float, int]]:
    """The same for a function that is not specialized, with builtins and annotations taken for what they say."""
    module = function.__globals__
    known = {(module["__name__"], name): one for name, one in vars(builtins).items() if name not in module}
    known |= {(module["__name__"], name): one for name, one in module.items() if type(one) is struct.Struct}
    promised = {name: of_type(kind) for name, kind in function.__annotations__.items() if kind in SCALARS}

    def without(left_out: Sequence[str]) -> Variant:
        seen: list[Program] = []

        def change(program: Program) -> Program:
            names = [name for name in PIPELINE if name not in left_out]
            seen.append(optimize(program, names, known=known, given=promised)[0])
            return seen[-1]

        made = roundtrip(function, change=change)
        if made(*args) != function(*args):
            raise SystemExit(f"{function.__name__} without {', '.join(left_out)} disagrees")
        return Variant(made, print_program(seen[-1], []), operations(seen[-1]))

    return raced(without, [args], rounds, sets)


def raced(
    without: Callable[[Sequence[str]], Variant],
    inputs: Sequence[tuple[Any, ...]],
    rounds: int,
    sets: Mapping[str, Sequence[str]],
) -> dict[str, tuple[float, int]]:
    """Seconds and operations by what is left out; each program is timed once."""
    variants = {ALL: without(())} | {name: without(left_out) for name, left_out in sets.items()}
    first: dict[str, str] = {}
    for name, variant in variants.items():
        first.setdefault(variant.text, name)
    best = race({name: variants[name].made for name in first.values()}, inputs, rounds)
    return {name: (best[first[variant.text]], variant.size) for name, variant in variants.items()}


def operations(program: Program) -> int:
    return sum([len(block.ops) for function in program.functions for block in function.blocks])


def row(name: str, figures: dict[str, dict[str, tuple[float, int]]]) -> list[str]:
    """Time and size without a pass over those with all: means, and where they are largest."""
    cells = [name]
    for at in (0, 1):
        ratios = {case: found[name][at] / found[ALL][at] for case, found in figures.items() if found[ALL][at]}
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        most = max(ratios, key=ratios.__getitem__)
        cells += [f"{mean:.2f}", f"{most} {ratios[most]:.2f}"]
    return cells


def _measured_case(
    make: Callable[[], Case], rounds: int, sets: Mapping[str, Sequence[str]]
) -> dict[str, tuple[float, int]]:
    return measured(make(), rounds, sets)


_Measure: TypeAlias = Callable[[int, Mapping[str, Sequence[str]]], dict[str, tuple[float, int]]]


def subjects(functions: bool, shared: Path | None) -> dict[str, _Measure]:
    """What is measured, by name."""
    if not functions:
        makers = own() if shared is None else given(shared)
        return {name: functools.partial(_measured_case, make) for name, make in makers}
    alone = (*closures.CASES, *gains.GAINS)
    whole: dict[str, Any] = {name: (function, args) for name, function, args in alone}
    whole |= loops.BENCHMARKS
    return {name: functools.partial(measured_alone, function, args) for name, (function, args) in whole.items()}


_LONG: Final = ("mandelbrot",)
"""One run of one of its residuals takes minutes."""


@click.command()
@click.option("--only", default="", help="Names of cases, separated by commas; default: all but mandelbrot.")
@click.option("--rounds", default=5, show_default=True, help="Turns of each residual.")
@click.option("--json", "raw", type=click.Path(path_type=Path), help="Write figures here; go on from what is there.")
@click.option("--functions", is_flag=True, help="Functions with closures and loops in the place of residuals.")
@click.option("--shared", type=click.Path(path_type=Path, exists=True), help="A folder of cases with a cases.toml.")
@click.option("--without", default="", help="Leave these passes out together, in the place of each in turn.")
def main(only: str, rounds: int, raw: Path | None, functions: bool, shared: Path | None, without: str) -> None:
    """Measure residuals, or functions, without each pass in turn."""
    figures: dict[str, dict[str, tuple[float, int]]] = {}
    if raw is not None and raw.exists():
        figures = json.loads(raw.read_text(encoding="utf-8"))
    sets = {without: tuple(without.split(","))} if without else EACH
    unknown = [name for name in sets.get(without, ()) if name not in PIPELINE]
    if unknown:
        raise click.UsageError(f"not in the pipeline: {', '.join(unknown)}")
    for name, measure in subjects(functions, shared).items():
        wanted = name in only.split(",") if only else name not in _LONG
        if name not in figures and wanted:
            figures[name] = measure(rounds, sets)
            click.echo(f"{name}: done", err=True)
            if raw is not None:
                raw.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if without:
        click.echo(f"| without {without} | time | operations |\n|---|---|---|")
        for name, found in figures.items():
            _, time, _, size, _ = row(without, {name: found})
            click.echo(f"| {name} | {time} | {size} |")
        return
    click.echo("| without | time | most | operations | most |\n|---|---|---|---|---|")
    for name in EACH:
        click.echo(f"| {' | '.join(row(name, figures))} |")


if __name__ == "__main__":
    main()
