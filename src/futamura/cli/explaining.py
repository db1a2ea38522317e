"""`futamura explain`: why a residual looks as it does, or what a code means.

    $ futamura explain shop.py:price rate=3       the source with a mark before each line
    $ futamura explain FT204                      the entry of the registry

Invariant: a code is explained without importing anything of the user's.
"""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path
from typing import Any

import click

from futamura.cli.commands import OUTPUT, as_json, deliver
from futamura.cli.specializing import INPUTS, Settings, controls, document, find_function, made, read_and_bind, report
from futamura.codes import CODES

__all__ = ["explain"]

KINDS = {
    "yours": "the program can change it",
    "fundamental": "no other form of the program can do this",
    "not-yet": "a later version may be able to",
    "bug": "this is a fault of futamura's: please report it",
    "follow-on": "it follows from another finding",
}


@click.command(short_help="Explain a residual line by line, or a diagnostic code.")
@click.argument("target", metavar="TARGET|CODE")
@INPUTS
@OUTPUT
@controls
def explain(target: str, inputs: tuple[str, ...], output: Path | None, **options: Any) -> int:
    """Explain the residual of TARGET line by line, or what a CODE such as FT204 means."""
    if re.fullmatch(r"[fF][tT]\w+", target):
        code = target.upper()
        text = explained(code)
        if options["output_format"] == "json":
            entry = CODES[code]
            text = as_json(
                code=code, name=entry.name, level=entry.level, kind=entry.kind, explanation=entry.explanation,
                help=entry.hint,
            )  # fmt: skip
        deliver(text, output)
        return 0
    settings = Settings(**options)
    residual = made(find_function(target), read_and_bind(target, inputs), settings)
    if settings.output_format == "json":
        deliver(json.dumps({**document(residual, settings), "explanation": residual.explain()}, indent=2), output)
    else:
        deliver(residual.explain(), output)
    return report(residual, settings)


def explained(code: str) -> str:
    """The entry of a code as text."""
    if code not in CODES:
        near = difflib.get_close_matches(code, CODES, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise click.UsageError(f"there is no code {code}{hint}")
    entry = CODES[code]
    return (
        f"{code}: {entry.name}  ({entry.level}, {entry.kind}: {KINDS[entry.kind]})\n\n"
        f"{entry.explanation}\n\nhelp: {entry.hint}\n"
    )
