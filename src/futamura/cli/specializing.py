"""`futamura specialize` and `futamura compile`: a function and some of its inputs to Python source.

    $ futamura specialize shop.py:price rate=3            prints the residual
    $ futamura compile interp.py:run hello.bf -o hello.py    a program for an interpreter, as a plain module
    specialized run(program=<str of 111>)  24 -> 9 lines  310 folded, 9 left  4 versions  8.1 ms  hello.py

Invariant: products go to stdout or to the file of `-o`, which is complete or untouched; all else goes to stderr.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from futamura.api import Specializer
from futamura.cli.commands import OUTPUT, deliver
from futamura.cli.target import TargetError, find, find_object
from futamura.cli.values import read_inputs
from futamura.cli.watching import Progress
from futamura.codes import is_fallback
from futamura.errors import Diagnostic, as_data, concise, render
from futamura.residual import Residual, SavingError
from futamura.showing import shown
from futamura.specializer.policy import Budget
from futamura.specializer.unknown import promised_in

__all__ = ["Settings", "compile_program", "controls", "made", "report", "specialize"]

BUDGET_CODES: Final = frozenset({"FT410", "FT411"})
DONE, FINDINGS, OUT_OF_BUDGET = 0, 1, 3

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that the commands share."""

    strict: bool
    assume: str
    polyvariance: str
    time_limit: float | None
    max_states: int | None
    output_format: str
    quiet: bool
    verbose: bool
    no_progress: bool
    frozen: tuple[str, ...] = ()
    bool_comparisons: bool = False
    caches: tuple[str, ...] = ()
    annotated: tuple[str, ...] = ()

    def specializer(self, watch: Progress) -> Specializer:
        standard = Budget()
        budget = Budget(
            seconds=self.time_limit,
            steps=self.max_states or standard.steps,
            unrolled=self.max_states or standard.unrolled,
        )
        for option, names in (
            ("--frozen", self.frozen), ("--caches", self.caches), ("--annotated", self.annotated),
        ):  # fmt: skip
            try:
                Specializer(**{option.removeprefix("--"): names})  # type: ignore[arg-type]
            except ValueError as error:
                raise click.UsageError(f"{option}: {error}") from None
        specializer = Specializer(
            assume=self.assume, polyvariance=self.polyvariance, budget=budget, watch=watch, frozen=self.frozen,
            caches=self.caches, bool_comparisons=self.bool_comparisons, annotated=self.annotated,
        )  # fmt: skip
        return specializer.in_one()  # what is shown is what is saved


def controls(command: Command) -> Command:
    """Add the shared options; the command receives them as one `Settings`."""
    options = [
        click.option("--strict", is_flag=True, help="Whatever is not specialized is an error."),
        click.option("--assume", type=click.Choice(["check", "trust"]), default="check", show_default=True,
                     help="Test at each call what was assumed, or trust it."),
        click.option("--polyvariance", type=click.Choice(["auto", "all", "none"]), default="auto", show_default=True,
                     help="Which known values tell copies of code apart."),
        click.option("--frozen", multiple=True, metavar="MODULE.NAME",
                     help="Nobody writes to this while the residual is in use; may be repeated."),
        click.option("--caches", multiple=True, metavar="MODULE.NAME",
                     help="An entry of this may be there or not, and never changes; may be repeated."),
        click.option("--bool-comparisons", is_flag=True,
                     help="Comparisons of values of unknown class give True or False."),
        click.option("--annotated", multiple=True, metavar="MODULE.CLASS",
                     help="Its instances hold exactly what its annotations say; may be repeated."),
        click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                     help="Give up after this time; the original code is used then."),
        click.option("--max-states", type=click.IntRange(min=1), metavar="N", help="Source blocks executed at most."),
        click.option("--output-format", type=click.Choice(["full", "concise", "json"]), default="full",
                     show_default=True, help="How findings are written; json writes one document to stdout."),
        click.option("-q", "--quiet", is_flag=True, help="No record and no notes on stderr."),
        click.option("-v", "--verbose", is_flag=True, help="Notes and whole chains of reasons, too."),
        click.option("--no-progress", is_flag=True, help="Show no progress."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


TARGET = click.argument("target", metavar="TARGET")
INPUTS = click.argument("inputs", nargs=-1, metavar="[NAME=VALUE]...")


@click.command(short_help="Print the residual of TARGET for some of its inputs.")
@TARGET
@INPUTS
@OUTPUT
@controls
def specialize(target: str, inputs: tuple[str, ...], output: Path | None, **options: Any) -> int:
    """Print the residual of TARGET for the inputs that are given.

    A VALUE is a literal of Python, @FILE (text, .json, .toml, or FILE:bytes), - for standard input, or path.py:name.
    NAME:TYPE promises the type of an input that stays open.  With -o the residual becomes a plain module.
    """
    return _product(find_function(target), read_and_bind(target, inputs), output, Settings(**options))


@click.command("compile", short_help="Compile PROGRAM by specializing the interpreter TARGET to it.")
@TARGET
@click.argument("program", metavar="PROGRAM")
@INPUTS
@click.option("--static", "name", metavar="NAME", help="The parameter that takes the program; the first one if absent.")
@OUTPUT
@controls
def compile_program(
    target: str, program: str, inputs: tuple[str, ...], name: str | None, output: Path | None, **options: Any
) -> int:
    """Compile PROGRAM, the text of a file, by specializing the interpreter TARGET to it.

    PROGRAM may also be a .json or .toml file, FILE:bytes, - for standard input, or path.py:name.
    """
    function = find_function(target)
    parameters = list(inspect.signature(function, follow_wrapped=False).parameters)
    chosen = name or next((word for word in parameters if word not in ("self", "cls")), None)
    if chosen is None:
        raise click.UsageError(f"{function.__qualname__}() has no parameter that could take a program")
    place, _, form = program.rpartition(":")
    named = form and form != "bytes" and place and not Path(program).exists()
    value = program if program == "-" or named else f"@{program}"
    return _product(function, read_and_bind(target, (f"{chosen}={value}", *inputs)), output, Settings(**options))


def find_function(target: str) -> Any:
    """The function behind TARGET, or the bound method if TARGET names an object's method."""
    try:
        return find(target)
    except TargetError as error:
        bound = _bound_method(target)
        if bound is not None:
            return bound
        raise click.UsageError(str(error)) from None


def _bound_method(target: str) -> types.MethodType | None:
    """`path.py:machine.run` where `machine` is an object."""
    owner, dot, name = target.rpartition(".")
    if not dot or ":" not in owner:
        return None
    try:
        found = find_object(owner)
    except TargetError:
        return None
    method = getattr(type(found), name, None) if name.isidentifier() else None
    return types.MethodType(method, found) if isinstance(method, types.FunctionType) else None


def read_and_bind(target: str, inputs: tuple[str, ...]) -> dict[str, object]:
    """The inputs of the command line."""
    return read_inputs(find_function(target), inputs)


def made(function: Any, given: dict[str, object], settings: Settings) -> Residual:
    """The residual; progress is shown, and an interrupted run says how far it came."""
    title = f"specializing {function.__qualname__}"
    show = not (settings.quiet or settings.no_progress)
    with Progress(title, show=show) as watch:
        try:
            return settings.specializer(watch)(function, **given)
        except KeyboardInterrupt:
            click.echo(f"interrupted: {watch.text()}", err=True)
            raise


def _product(function: Any, given: dict[str, object], output: Path | None, settings: Settings) -> int:
    started = time.perf_counter()
    residual = made(function, given, settings)
    milliseconds = (time.perf_counter() - started) * 1000
    if settings.output_format == "json":
        deliver(json.dumps(document(residual, settings), indent=2), None)
    code = report(residual, settings)
    if code in (FINDINGS, OUT_OF_BUDGET) and (settings.strict or not residual.stats["specialized"]):
        return code
    if output is not None:
        try:
            text = residual.module_text()
        except SavingError as error:
            click.echo(f"error: {error}", err=True)
            return FINDINGS
        deliver(text, output)
    elif settings.output_format != "json":
        deliver(residual.source, None)
    if not settings.quiet:
        click.echo(record(residual, milliseconds, output), err=True)
        for line in promises(residual):
            click.echo(line, err=True)
    return code


def report(residual: Residual, settings: Settings) -> int:
    """Write the findings to stderr; the exit code that they mean."""
    findings = [item for item in residual.diagnostics if settings.verbose or is_fallback(item.code)]
    if not settings.quiet and settings.output_format != "json":
        for item in findings:
            text = concise(item) if settings.output_format == "concise" else render(item, verbose=settings.verbose)
            click.echo(_coloured(text, item), err=True)
    fallbacks = [item for item in findings if is_fallback(item.code)]
    if any(item.code in BUDGET_CODES for item in fallbacks):
        return OUT_OF_BUDGET
    stopped = not residual.stats["specialized"] or (settings.strict and fallbacks)
    return FINDINGS if stopped or any(item.level == "error" for item in fallbacks) else DONE


def _coloured(text: str, item: Diagnostic) -> str:
    """The headline in bold; `click.echo` takes colours out where the stream is no terminal."""
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        return text
    head, newline, rest = text.partition("\n")
    return click.style(head, fg="red" if item.level == "error" else "yellow", bold=True) + newline + rest


_PROMISES: Final = 3
"""So many globals are named."""


def record(residual: Residual, milliseconds: float, output: Path | None) -> str:
    """The one line that says what was done."""
    stats = residual.stats
    function = getattr(residual.py_func, "__func__", residual.py_func)
    given = ", ".join(f"{name}={shown(value, 40)}" for name, value in residual.static.items())
    try:
        before = len(inspect.getsourcelines(function)[0])
    except (OSError, TypeError):
        before = 0
    after = residual.source.count("\n")
    return (
        f"specialized {residual.__qualname__}({given})  {before} -> {after} lines  {stats['folded']} folded,"
        f" {stats['left']} left  {stats['versions']} versions  {milliseconds:.1f} ms  {output or ''}"
    ).rstrip()


def promises(residual: Residual) -> list[str]:
    """What the user could promise, so that more is known: a line for each global."""
    found = dict.fromkeys(root for event in residual.events for root in promised_in(event.because))
    return [
        f"note[FT306]: what `{root}` leads to is read when the residual runs; `--frozen {root}` promises that nobody"
        " writes it"
        for root in [*found][:_PROMISES]
    ]


def document(residual: Residual, settings: Settings) -> dict[str, object]:
    """What `--output-format json` writes."""
    return {
        "schema": 1,
        "target": f"{residual.__module__}:{residual.__qualname__}",
        "static": {name: shown(value) for name, value in residual.static.items()},
        "open": list(residual.__signature__.parameters),
        "source": residual.source,
        "stats": residual.stats,
        "assumptions": [repr(assumption) for assumption in residual.assumptions],
        "events": [as_data(item) for item in residual.diagnostics],
    }
