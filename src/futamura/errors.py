"""Diagnostics: what was refused, where, why, and what to do.

    error[FT103]: this function calls `eval`
      --> rules.py:7:9
        |
      7 |     return eval(text)
        |            ^^^^ needs the frame of this function
        |
        = because: `eval` reads and writes local variables by name
    help: pass the values that the text needs in a dictionary to a function outside

A diagnostic is data; `render` is the only text form.  Exceptions carry one.

Invariant: every diagnostic has a code of the registry `codes.CODES`.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from futamura.codes import CODES, Code, Kind, Level
from futamura.source import Place, character_column, excerpt

__all__ = [
    "CODES", "Because", "Code", "Diagnostic", "FutamuraError", "Kind", "Level", "SpecializationError",
    "UnsupportedError", "as_data", "concise", "diagnose", "render",
]  # fmt: skip

BECAUSE_LIMIT: Final = 5
"""Because-lines that `render` shows; more of them hide the first."""


class Because(NamedTuple):
    """One link of the chain of reasons."""

    text: str
    file: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding.  `title` is the one-line message; `label` stands at the carets."""

    code: str
    title: str
    file: str = ""
    place: Place | None = None
    label: str = ""
    because: tuple[Because, ...] = ()
    help: str = ""
    context: tuple[Because, ...] = ()
    """The calls that were being executed, innermost first."""
    source: str | None = field(default=None, compare=False)
    """The line of `place`, where it is known better than through `linecache`."""

    @property
    def kind(self) -> Kind:
        return CODES[self.code].kind

    @property
    def level(self) -> Level:
        return CODES[self.code].level

    @property
    def name(self) -> str:
        return CODES[self.code].name

    @property
    def line(self) -> int | None:
        return None if self.place is None else self.place.line

    @property
    def column(self) -> int | None:
        """The 1-based column in characters."""
        return None if self.place is None else character_column(self.text, self.place.column) + 1

    @property
    def text(self) -> str:
        """The source line of the place, or the empty string."""
        if self.source is not None:
            return self.source.rstrip("\r\n")
        if self.place is None:
            return ""
        return linecache.getline(self.file, self.place.line).rstrip("\r\n")


class FutamuraError(Exception):
    """The base of everything that futamura raises on purpose; `diagnostic` says it as data."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic

    def __str__(self) -> str:
        return render(self.diagnostic)


class UnsupportedError(FutamuraError):
    """The function uses something that is refused (family FT1xx)."""


class SpecializationError(FutamuraError):
    """Something was not specialized, and the caller asked for an error then (`strict`).

    `others` are the diagnostics behind the first.
    """

    def __init__(self, diagnostic: Diagnostic, others: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(diagnostic)
        self.others = others


def diagnose(
    code: str,
    title: str,
    *,
    file: str = "",
    place: tuple[int, int, int, int] | None = None,
    label: str = "",
    because: tuple[Because, ...] = (),
    help: str | None = None,
    context: tuple[Because, ...] = (),
    source: str | None = None,
) -> Diagnostic:
    """A diagnostic whose reason and help are the registry's unless given."""
    entry = CODES[code]
    return Diagnostic(
        code,
        title,
        file,
        None if place is None else Place(*place),
        label,
        because or (Because(entry.explanation),),
        entry.hint if help is None else help,
        context,
        source,
    )


def render(diagnostic: Diagnostic, *, verbose: bool = False) -> str:
    """The text that people see; without a newline at the end."""
    lines = [_headline(diagnostic)]
    indent = " "
    if diagnostic.place is not None:
        indent = " " * len(str(diagnostic.place.line))
        lines.append(f"{indent}--> {diagnostic.file or '<unknown>'}:{diagnostic.line}:{diagnostic.column}")
        if diagnostic.text:
            lines.append(f"{indent} |")
            lines.extend(excerpt(diagnostic.text, diagnostic.place, diagnostic.label))
            lines.append(f"{indent} |")
    elif diagnostic.file:
        lines.append(f"{indent}--> {diagnostic.file}")
    shown = diagnostic.because if verbose else diagnostic.because[:BECAUSE_LIMIT]
    for reason in shown:
        where = "" if reason.place is None else f"  {reason.file or diagnostic.file}:{reason.place.line}"
        lines.append(f"{indent} = because: {reason.text}{where}")
    if len(shown) < len(diagnostic.because):
        lines.append(f"{indent} = ... {len(diagnostic.because) - len(shown)} more, --verbose")
    for call in diagnostic.context:
        where = "" if call.place is None else f"  {call.file}:{call.place.line}"
        lines.append(f"{indent} = in: {call.text}{where}")
    if diagnostic.help:
        lines.append(f"help: {diagnostic.help}")
    return "\n".join(lines)


def concise(diagnostic: Diagnostic) -> str:
    """One line: file:line:column: level[code] title."""
    where = diagnostic.file
    if diagnostic.place is not None:
        where = f"{diagnostic.file or '<unknown>'}:{diagnostic.line}:{diagnostic.column}"
    return f"{where}: {_headline(diagnostic)}" if where else _headline(diagnostic)


def _headline(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.level}[{diagnostic.code}]: {diagnostic.title}"


def as_data(diagnostic: Diagnostic) -> dict[str, object]:
    """The diagnostic as what `json` can write; columns count characters, from 1."""
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "level": diagnostic.level,
        "kind": diagnostic.kind,
        "title": diagnostic.title,
        "file": diagnostic.file,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "because": [_link(reason, diagnostic.file) for reason in diagnostic.because],
        "context": [_link(call, call.file) for call in diagnostic.context],
        "help": diagnostic.help,
    }  # fmt: skip


def _link(reason: Because, file: str) -> dict[str, object]:
    place = reason.place
    return {"text": reason.text, "file": reason.file or file, "line": None if place is None else place.line}
