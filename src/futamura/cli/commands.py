"""The commands: find the target, call the driver, print the product.

    $ futamura roundtrip examples/sieve.py:sieve -o out.py

Invariant: products go to stdout or to the file of `-o`, everything else to stderr; a file is complete or untouched.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import click

from futamura.cli.target import TargetError, find
from futamura.driver import roundtrip_source
from futamura.frontend.python import lower
from futamura.ir.text import print_program

__all__ = ["ir", "roundtrip"]


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


@click.command(short_help="Print the intermediate representation of TARGET.")
@click.argument("target", type=Target())
@OUTPUT
def ir(target: object, output: Path | None) -> None:
    """Print the intermediate representation of TARGET."""
    deliver(print_program(lower(target).program), output)


@click.command(short_help="Print TARGET as it comes back.")
@click.argument("target", type=Target())
@OUTPUT
def roundtrip(target: object, output: Path | None) -> None:
    """Print TARGET as it comes back from the intermediate representation."""
    deliver(roundtrip_source(target), output)


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
        replace_file(Path(os.path.realpath(output)), text)
    except OSError as error:
        raise click.UsageError(f"cannot write '{output}': {error.strerror or error}") from None


def replace_file(path: Path, text: str) -> None:
    """Write beside `path`, then rename: a reader sees the old file or the new one, never a part."""
    if path.is_dir():
        raise IsADirectoryError(21, "it is a directory")
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).chmod(mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The process's mask, which can be read only by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
