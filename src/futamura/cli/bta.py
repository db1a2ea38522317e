"""The command `bta`: the source of a target with a mark for each place, and why what is dynamic is.

    $ futamura bta examples/power.py:power --static n
    power(x: dynamic, n: static)    safe, pointwise
        2 |     result = 1
          |              s
    ...
    static: n
    dynamic: result: uses `x` (line 5) <- `x` is a dynamic input

TARGET is a Python function, or a program of the flow-graph or functional language.  Invariant: nothing is run, and no
value is needed; where values are of types that cannot be computed with early, more is dynamic than is shown.
"""

from __future__ import annotations

import linecache
import types
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from futamura.analysis.bindingtimes import analyse
from futamura.analysis.division import KINDS, POINTS, Division, Kind, Points
from futamura.analysis.early import early_rule
from futamura.analysis.marking import report
from futamura.analysis.partial import structures_of
from futamura.cli.commands import FORMAT, OUTPUT, as_json, deliver
from futamura.cli.flow import read_text
from futamura.cli.target import TargetError, find
from futamura.driver import lower_for_specializer
from futamura.frontend import contents
from futamura.frontend.flow.lowering import lower_flow
from futamura.frontend.functional.lowering import lower_functional
from futamura.ir.graph import Program
from futamura.specializer.offline.early import is_pure
from futamura.specializer.offline.linking import link
from futamura.specializer.world import World

__all__ = ["bta"]

assert get_args(Kind) == KINDS
assert get_args(Points) == POINTS


@click.command(short_help="Show what of TARGET can be computed early, and why the rest cannot.")
@click.argument("target")
@click.option("--static", "names", multiple=True, metavar="NAME", help="An input that is known; several if repeated.")
@click.option("--division", type=click.Choice(KINDS), default="safe", show_default=True)
@click.option("--uniform", "points", flag_value="uniform", help="One binding time for each variable.")
@click.option("--pointwise", "points", flag_value="pointwise", default=True, help="One for each definition (default).")
@FORMAT
@OUTPUT
def bta(target: str, names: tuple[str, ...], division: Kind, points: Points, form: str, output: Path | None) -> None:
    """Show what of TARGET can be computed early, and why the rest cannot.

    TARGET is a function as elsewhere, or the name of a file that ends in .flow or .fl.  Under each line stands an `s`
    where it is computed when the program is specialized, a `d` where when it runs, and a `p` where a structure is used
    whose names are known and whose items are not.
    """
    program, lines = _program(target)
    known = program.main.signature.names
    for name in names:
        if name not in known:
            raise click.UsageError(f"'{name}' is not an input of '{target}': its inputs are {', '.join(known)}")
    found = analyse(
        program, [name in names for name in known], early_rule(is_pure), kind=division, points=points,
        structures=structures_of(program),
    )  # fmt: skip
    text = report(found, _sources(found, lines))
    deliver(as_json(target=target, static=list(names), report=text) if form == "json" else text, output)


def _program(target: str) -> tuple[Program, dict[str, Sequence[str]]]:
    if target.endswith((".flow", ".fl")):
        text = read_text(Path(target))
        flow = target.endswith(".flow")
        program = lower_flow(text, target).program if flow else lower_functional(text, target).program
        return program, {target: text.splitlines()}
    try:
        function = find(target)
    except TargetError as error:
        raise click.UsageError(str(error)) from None
    if not isinstance(function, types.FunctionType):
        raise click.UsageError(f"'{target}' is not a function written in Python")
    world = World((), contents)
    return link(function, lower_for_specializer, world).program, {}


def _sources(division: Division, known: dict[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The lines of each file that a function of the division is from."""
    found = dict(known)
    for analysed in division.functions.values():
        file = analysed.function.file
        if file not in found:
            found[file] = linecache.getlines(file)
    return found
