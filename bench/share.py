"""What the optimizer costs in each case of the benchmark: its time against that of the specialization itself.

    $ python -m bench.share --only power
    case     specialize  optimize  of it  print  most in
    power        1.9 ms    1.1 ms   0.58   1.2 ms  cse 17%
    in all       1.9 ms    1.1 ms   0.58   1.2 ms

"specialize" is the specializer alone, "optimize" all that the residual goes through before it is printed, "print" the
rest: text and its compilation.  Processor time, the best of some runs, warm, with the collector at rest.

Invariant: a residual that is not specialized is not counted; with `--at-most` a larger share fails.
"""

from __future__ import annotations

import functools
import gc
import sys
import time
import types
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import click

from bench.cases.case import Case
from bench.cases.given import given
from bench.cases.own import own
from futamura import Specializer, driver
from futamura.specializer.online import Outcome
from futamura.specializer.parting import Asked

__all__ = ["Spent", "spent_on"]

STEPS: Final = ("optimize", "shrink", "use_contents", "forward", "take_shortcuts")
"""What `driver.py` calls of the optimizer for a residual."""


class Spent:
    """Seconds of the processor for one specialization, by what they were spent on."""

    def __init__(self) -> None:
        self.specializing = 0.0
        self.optimizing = 0.0
        self.whole = 0.0
        self.passes: Counter[str] = Counter()
        self.specialized = False

    @property
    def share(self) -> float:
        return self.optimizing / self.specializing

    @property
    def most(self) -> str:
        """The pass that took most of the optimizer's time, with its share."""
        found = max(self.passes, key=self.passes.__getitem__, default="")
        return f"{found} {self.passes[found] / self.optimizing:.0%}" if found else ""


class _Timed(Specializer):
    """Notes how long the specializer itself takes."""

    spent: Spent

    def _outcome(
        self, function: types.FunctionType, inputs: Mapping[str, object], asked: Asked
    ) -> Outcome:
        started = time.process_time()
        try:
            return super()._outcome(function, inputs, asked)
        finally:
            self.spent.specializing += time.process_time() - started


def _timed(step: Callable[..., Any], spent: Spent) -> Callable[..., Any]:
    @functools.wraps(step)
    def timed(*args: Any, **given: Any) -> Any:
        started = time.process_time()
        found = step(*args, **given)
        spent.optimizing += time.process_time() - started
        if step.__name__ == "optimize":
            spent.passes.update(found[1].seconds)
        return found

    return timed


def once(case: Case) -> Spent:
    """Specialize a case and note what takes the time."""
    specializer = _Timed(assume="trust", **case.options)
    specializer.spent = spent = Spent()
    before = {name: driver.__dict__[name] for name in STEPS}
    for name, step in before.items():
        driver.__dict__[name] = _timed(step, spent)
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        made = specializer(case.target, **case.static, **case.declared)
        spent.whole = time.process_time() - started
    finally:
        gc.enable()
        driver.__dict__.update(before)
    spent.specialized = bool(made.stats["specialized"])
    return spent


def spent_on(case: Case, rounds: int) -> Spent | None:
    """The fastest of some runs, by the optimizer and the specializer together; None if it is not specialized."""
    runs = [once(case) for _ in range(1 if case.once else 1 + rounds)]
    best = min(runs, key=lambda run: run.optimizing + run.specializing)
    return best if best.specialized else None


def line(name: str, spent: Spent) -> str:
    rest = spent.whole - spent.specializing - spent.optimizing
    times = f"{spent.specializing * 1e3:>9.1f} ms{spent.optimizing * 1e3:>9.1f} ms{spent.share:>8.2f}"
    return f"{name:<22}{times}{rest * 1e3:>9.1f} ms  {spent.most}".rstrip()


@click.command()
@click.option("--shared", type=click.Path(path_type=Path, exists=True), help="A folder of cases with a cases.toml.")
@click.option("--only", default="", help="Names of cases, separated by commas; default: all.")
@click.option("--rounds", default=5, show_default=True, help="Runs of each case after the first; the best counts.")
@click.option("--at-most", default=0.0, help="Fail if the share of a case is larger.")
def main(shared: Path | None, only: str, rounds: int, at_most: float) -> None:
    """Measure what part of the time the optimizer takes."""
    whole = Spent()
    largest = 0.0
    click.echo(f"{'case':<22}{'specialize':>12}{'optimize':>12}{'of it':>8}{'print':>12}  most in")
    for name, make in given(shared) if shared is not None else own():
        if only and name not in only.split(","):
            continue
        spent = spent_on(make(), rounds)
        if spent is None:
            click.echo(f"{name:<22}not specialized")
            continue
        click.echo(line(name, spent))
        whole.specializing += spent.specializing
        whole.optimizing += spent.optimizing
        whole.whole += spent.whole
        largest = max(largest, spent.share)
    if whole.specializing:
        click.echo(line("in all", whole))
    if at_most and largest > at_most:
        sys.exit(1)


if __name__ == "__main__":
    main()
