"""Commands for programs of the flow-graph language (`.flow`) and the functional language (`.fl`).

    $ futamura run examples/flow/power.flow x=2 y=5
    32
    $ futamura specialize examples/flow/power.flow y=1
    power:
      res = 1 * x
      ...

Invariant: a wrong program, a wrong input or a run that fails is a diagnostic and exit code 1; bad usage is 2.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import Any, Literal

import click
from click.core import ParameterSource

from futamura.analysis.division import KINDS, POINTS
from futamura.cli.commands import FORMAT, OUTPUT, as_json, deliver, passes_named
from futamura.errors import as_data
from futamura.frontend.flow.lowering import lower_flow
from futamura.frontend.flow.running import FUEL, read_inputs, run_program
from futamura.frontend.functional.lowering import lower_functional
from futamura.ir.lists import literal
from futamura.ir.text import print_program
from futamura.languages import (
    FlowOptions,
    FlowResidual,
    FunctionalOptions,
    FunctionalResidual,
    specialize_flow,
    specialize_functional,
)

__all__ = ["PROGRAM", "ir", "read_text", "run", "specialize"]

PROGRAM = click.argument("program", type=click.Path(path_type=Path), metavar="PROGRAM")
INPUTS = click.argument("inputs", nargs=-1, metavar="[NAME=VALUE]...")


def read_text(path: Path) -> str:
    """The text of a program; what cannot be read is bad usage."""
    if path.suffix not in (".flow", ".fl"):
        raise click.UsageError(f"'{path}' is not a program that can be read: its name must end in .flow or .fl")
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise click.UsageError(f"cannot read '{path}': {reason}") from None


@click.command(short_help="Run a program of the flow-graph or the functional language.")
@PROGRAM
@INPUTS
@click.option("--fuel", type=click.IntRange(min=1), default=FUEL, show_default=True, help="Operations at most.")
@FORMAT
def run(program: Path, inputs: tuple[str, ...], fuel: int, form: str) -> None:
    """Run PROGRAM on the inputs: numbers, "texts", true, false, [lists]."""
    text = read_text(program)
    shown: dict[str, str] = {}
    if program.suffix == ".fl":
        functional = lower_functional(text, str(program))
        result, _ = run_program(functional.program, read_inputs(inputs), text=text, file=str(program), fuel=fuel)
        click.echo(as_json(result=literal(result), printed="", arrays={}) if form == "json" else literal(result))
        return
    lowered = lower_flow(text, str(program))
    arrays = [given.name for given in lowered.inputs if given.array]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed if form == "json" else sys.stdout):
        result, changed = run_program(
            lowered.program, read_inputs(inputs), text=lowered.text, file=lowered.file, arrays=arrays, fuel=fuel
        )
    if lowered.stores:
        shown = {name: literal(value) for name, value in changed.items()}
    if form == "json":
        value = None if result is None else literal(result)
        click.echo(as_json(result=value, printed=printed.getvalue(), arrays=shown))
        return
    if result is not None:
        click.echo(literal(result))
    for name, value in shown.items():
        click.echo(f"{name} = {value}")


@click.command(short_help="Print the intermediate representation of a program.")
@PROGRAM
@FORMAT
@OUTPUT
def ir(program: Path, form: str, output: Path | None) -> None:
    """Print the intermediate representation of PROGRAM."""
    text = read_text(program)
    lower = lower_functional if program.suffix == ".fl" else lower_flow
    text = print_program(lower(text, str(program)).program)
    deliver(as_json(ir=text) if form == "json" else text, output)


def _refuse_options(*, functional: bool, online: bool) -> None:
    """Options that would change nothing are bad usage."""
    context = click.get_current_context()
    idle: dict[str, str] = {}
    if online:
        idle |= dict.fromkeys(("division", "points"), "with --offline only")
    else:
        idle |= dict.fromkeys(("polyvariance", "loops", "calls"), "without --offline only")
    if functional:
        idle |= dict.fromkeys(("keep_jumps", "trim", "loops", "passes", "labels"), "for programs in .flow only")
    else:
        idle["calls"] = "for programs in .fl only"
    for name, when in idle.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(one for one in context.command.params if one.name == name)
            raise click.UsageError(f"{' / '.join([*option.opts, *option.secondary_opts])} can be used {when}")


@click.command(short_help="Specialize a program of the flow-graph or the functional language.")
@PROGRAM
@INPUTS
@click.option("--keep-jumps/--follow-gotos", default=False, help="Every block a point of its own, or in line.")
@click.option("--trim/--no-trim", default=True, help="Do dead variables tell copies of a block apart?")
@click.option(
    "--polyvariance", type=click.Choice(["auto", "all", "none"]), default="auto", help="What tells copies apart."
)
@click.option(
    "--loops", type=click.Choice(["meet", "parameters", "variables"]), default="meet", help="At dynamic loops."
)
@click.option(
    "--calls", type=click.Choice(["unfold", "keep"]), default="unfold", help="Functional: calls with open arguments."
)
@click.option(
    "--passes", callback=passes_named, default="", metavar="NAMES", help="Passes of the optimizer, in order; see `opt`."
)
@click.option(
    "--labels", type=click.Choice(["short", "numbered", "pairs"]), default="short", help="How blocks are called."
)
@click.option("--online/--offline", default=True, help="Decide while specializing, or obey a division.")
@click.option("--division", type=click.Choice(KINDS), default="safe", help="Offline: what makes a variable dynamic.")
@click.option("--points", type=click.Choice(POINTS), default="pointwise", help="Offline: where divisions differ.")
@click.option("--trace", is_flag=True, help="Print the code cache and, offline, the table of the work, too.")
@FORMAT
@OUTPUT
def specialize(
    program: Path,
    inputs: tuple[str, ...],
    online: bool,
    trace: bool,
    calls: Literal["unfold", "keep"],
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Print PROGRAM specialized to the inputs that are given; the others stay open."""
    text, given = read_text(program), read_inputs(inputs)
    _refuse_options(functional=program.suffix == ".fl", online=online)
    mode: Literal["online", "offline"] = "online" if online else "offline"
    residual: FlowResidual | FunctionalResidual
    if program.suffix == ".fl":
        common = {name: options[name] for name in ("polyvariance", "division", "points")}
        residual = specialize_functional(text, given, str(program), FunctionalOptions(calls, mode=mode, **common))
    else:
        residual = specialize_flow(text, given, str(program), FlowOptions(mode=mode, **options))
    table = [*residual.trace.splitlines(), *map(str, residual.rows)]
    if form == "json":
        events = [as_data(event.diagnostic()) for event in residual.events]
        deliver(as_json(source=residual.text, events=events, trace=table if trace else []), output)
        return
    for event in residual.events:
        click.echo(f"note[{event.code}]: {event.reason}", err=True)
    for line in table if trace else ():
        click.echo(f"# {line}".rstrip(), err=output is not None)
    deliver(residual.text, output)
