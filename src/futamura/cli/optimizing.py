"""`futamura opt`: passes of the optimizer over a function, or over a program as text.

    $ futamura opt --passes cse,dce examples/sieve.py:sieve       the function behind these two, as Python
    $ futamura opt --passes licm PROGRAM.ir                       the program behind one, as text of the IR
    $ futamura opt --passes tails --statistics PROGRAM.flow       the same for a flow-graph or a functional program

Globals are believed to mean nothing in particular: they may be bound anew at any time.  Invariant: a program that
cannot be read is a finding with its line and column, and nothing is written then.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from futamura.cli.commands import FORMAT, OUTPUT, as_json, deliver, passes_named
from futamura.cli.target import TargetError, find
from futamura.driver import emit_function
from futamura.errors import FutamuraError, diagnose
from futamura.frontend.flow.lowering import lower_flow
from futamura.frontend.functional.lowering import lower_functional
from futamura.ir.graph import Function, Program, Span
from futamura.ir.literal import ParseError
from futamura.ir.parse import parse_program
from futamura.ir.text import print_function, print_program
from futamura.ir.verify import VerificationError
from futamura.optimize.pipeline import PIPELINE, Report, optimize

__all__ = ["opt"]

_HELP = "compare with docs/ir.md, or with what `futamura ir` prints"


@click.command(short_help="Run passes of the optimizer over TARGET.")
@click.argument("target")
@click.option(
    "--passes", callback=passes_named, default="", metavar="NAMES", help="These, in order; else the pipeline."
)
@click.option("--without", callback=passes_named, default="", metavar="NAMES", help="The pipeline without these.")
@click.option(
    "--print-after", callback=passes_named, default="", metavar="NAMES", help="Show the program behind these, too."
)
@click.option("--statistics", is_flag=True, help="Time and effect of each pass, on stderr.")
@FORMAT
@OUTPUT
def opt(
    target: str,
    passes: Sequence[str],
    without: Sequence[str],
    print_after: Sequence[str],
    statistics: bool,
    form: str,
    output: Path | None,
) -> None:
    """Run passes of the optimizer over TARGET, a function or a file with a program: FILE.ir, FILE.flow or FILE.fl.

    A function is printed as Python, a program as text of the intermediate representation.
    """
    names = [name for name in passes or PIPELINE if name not in without]
    for name in print_after:
        if name not in names:
            raise click.UsageError(f"--print-after: '{name}' is not among the passes that run: {', '.join(names)}")
    for name in without:
        if passes and name not in passes:
            raise click.UsageError(f"--without: '{name}' is not among the passes of --passes")
    reports: list[Report] = []

    def watch(name: str, function: Function) -> None:
        if name in print_after:
            click.echo(f"-- behind {name}\n{print_function(function)}", err=True)

    def change(program: Program) -> Program:
        changed, report = optimize(program, names, watch=watch if print_after else None)
        reports.append(report)
        return changed

    if target.endswith((".ir", ".flow", ".fl")):
        text = print_program(change(_program(Path(target))))
    else:
        try:
            function = find(target)
        except TargetError as error:
            raise click.UsageError(str(error)) from None
        text = emit_function(function, change).text
    found = reports[0].table() if reports else []
    if statistics and form == "full":
        for row in found:
            click.echo(f"{row['pass']:12} {row['ms']:8.2f} ms  {row['removed']:6} operations removed", err=True)
    deliver(as_json(text=text, passes=found) if form == "json" else text, output)


def _program(path: Path) -> Program:
    """The program in a file.  Raises `FutamuraError` with the place of what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise click.UsageError(f"cannot read '{path}': {reason}") from None
    if path.suffix != ".ir":
        return (lower_functional if path.suffix == ".fl" else lower_flow)(text, str(path)).program
    try:
        return parse_program(text)
    except ParseError as error:
        place = Span(error.line, max(error.column - 1, 0), error.line, max(error.column, 1))
        raise FutamuraError(diagnose("FT501", str(error), file=str(path), place=place, help=_HELP)) from None
    except VerificationError as error:
        raise FutamuraError(diagnose("FT501", str(error), file=str(path), help=_HELP)) from None
