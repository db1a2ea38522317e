"""Commands for programs of the flow-graph language (`.flow`).

    $ futamura run examples/flow/power.flow x=2 y=5
    32

Invariant: a wrong program, a wrong input or a run that fails is a diagnostic and exit code 1; bad usage is 2.
"""

from __future__ import annotations

from pathlib import Path

import click

from futamura.frontend.flow.lowering import LoweredFlow, lower_flow
from futamura.frontend.flow.running import FUEL, read_inputs, run_program
from futamura.ir.lists import literal

__all__ = ["PROGRAM", "read_program", "run"]

PROGRAM = click.argument("program", type=click.Path(path_type=Path), metavar="PROGRAM")
INPUTS = click.argument("inputs", nargs=-1, metavar="[NAME=VALUE]...")


def read_program(path: Path) -> LoweredFlow:
    """The program in a file; what cannot be read is bad usage."""
    if path.suffix != ".flow":
        raise click.UsageError(f"'{path}' is not a program of the flow-graph language: its name must end in .flow")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise click.UsageError(f"cannot read '{path}': {reason}") from None
    return lower_flow(text, str(path))


@click.command(short_help="Run a program of the flow-graph language.")
@PROGRAM
@INPUTS
@click.option("--fuel", type=click.IntRange(min=1), default=FUEL, show_default=True, help="Operations at most.")
def run(program: Path, inputs: tuple[str, ...], fuel: int) -> None:
    """Run PROGRAM on the inputs: numbers, "texts", true, false, [lists]."""
    lowered = read_program(program)
    arrays = [given.name for given in lowered.inputs if given.array]
    result, changed = run_program(
        lowered.program, read_inputs(inputs), text=lowered.text, file=lowered.file, arrays=arrays, fuel=fuel
    )
    if result is not None:
        click.echo(literal(result))
    if lowered.stores:
        for name, value in changed.items():
            click.echo(f"{name} = {literal(value)}")
