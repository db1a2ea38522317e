"""The commands: find the target, call the driver, print the product.

    $ futamura roundtrip examples/sieve.py:sieve -o out.py

Invariant: products go to stdout or to the file of `-o`, everything else to stderr; a file is complete or untouched.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from futamura.cli.target import TargetError, find
from futamura.driver import marked_text, roundtrip_source
from futamura.frontend.python import lower
from futamura.ir.text import print_program
from futamura.optimize.pipeline import PASSES
from futamura.writing import write

__all__ = ["FORMAT", "OUTPUT", "as_json", "deliver", "ir", "passes_named", "roundtrip"]


class Target(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """path.py:function, path.py:Class.method or package.module:function."""

    name = "target"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        if not isinstance(value, str):
            return value
        try:
            return find(value)
        except TargetError as error:
            raise click.UsageError(str(error), ctx) from None


OUTPUT = click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE instead of the screen."
)


FORMAT = click.option(
    "--output-format", "form", type=click.Choice(["full", "json"]), default="full", show_default=True,
    help="As text, or as one JSON document.",
)  # fmt: skip


@click.command(short_help="Print the intermediate representation of TARGET.")
@click.argument("target", type=Target())
@click.option("--representations", "marked", is_flag=True, help="Say which values may be held unboxed, and when not.")
@FORMAT
@OUTPUT
def ir(target: object, marked: bool, form: str, output: Path | None) -> None:
    """Print the intermediate representation of TARGET.

    With --representations parameters are believed to have the classes that they are annotated with.
    """
    text = marked_text(target) if marked else print_program(lower(target).program)
    deliver(as_json(ir=text) if form == "json" else text, output)


@click.command(short_help="Print TARGET as it comes back.")
@click.argument("target", type=Target())
@FORMAT
@OUTPUT
def roundtrip(target: object, form: str, output: Path | None) -> None:
    """Print TARGET as it comes back from the intermediate representation."""
    text = roundtrip_source(target)
    deliver(as_json(source=text) if form == "json" else text, output)


def passes_named(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Callback of an option: names of passes, separated by commas."""
    names = tuple([name.strip() for name in value.split(",") if name.strip()])
    for name in names:
        if name not in PASSES:
            raise click.BadParameter(f"there is no pass '{name}'; the passes are {', '.join(PASSES)}", ctx, param)
    return names


def as_json(**content: object) -> str:
    """The one document that `--output-format json` writes."""
    return json.dumps({"schema": 1, **content}, indent=2)


def deliver(text: str, output: Path | None) -> None:
    """Print `text`, or put it into the file `output` in one step."""
    text = text.rstrip("\n") + "\n"
    if output is None or str(output) == "-":
        stream = sys.stdout
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
        return
    try:
        write(output, text)
    except OSError as error:
        raise click.UsageError(f"cannot write '{output}': {error.strerror or error}") from None
