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

Invariant: a code means one thing for ever: entries of `CODES` are added, never renumbered.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from futamura.source import Place, character_column, excerpt

__all__ = ["CODES", "Because", "Code", "Diagnostic", "FutamuraError", "Kind", "UnsupportedError", "diagnose", "render"]

Kind: TypeAlias = Literal["yours", "fundamental", "not-yet", "bug", "follow-on"]
"""Whose turn it is: the program's, nobody's, ours later, ours now, or another diagnostic's."""

BECAUSE_LIMIT: Final = 5
"""Because-lines that `render` shows; more of them hide the first."""


class Code(NamedTuple):
    """One entry of the registry: what a code means, apart from the place where it came up."""

    name: str
    explanation: str
    hint: str
    kind: Kind


CODES: Final[dict[str, Code]] = {
    "FT101": Code(
        "not-a-function",
        "only functions that are written in Python can be looked into",
        "pass a plain function, method, lambda, static method, class method or property",
        "yours",
    ),
    "FT102": Code(
        "no-source",
        "the source text of the function cannot be found",
        "define the function in a file, in a notebook cell, or register its text with `linecache`",
        "yours",
    ),
    "FT103": Code(
        "frame-access",
        "the function reads its own frame, which another form of the function cannot reproduce",
        "move the call out of this function and pass it the values that it needs",
        "fundamental",
    ),
    "FT104": Code(
        "source-changed",
        "the source text does not compile to the code that the function runs",
        "reload the module, or switch off what rewrites its code while it is imported",
        "yours",
    ),
    "FT105": Code(
        "async",
        "asynchronous code is not supported",
        "keep the part to be specialized in a plain function and await around it",
        "not-yet",
    ),
    "FT106": Code(
        "except-star",
        "`except*` is not supported",
        "use `except ExceptionGroup` and split the group by hand",
        "not-yet",
    ),
    "FT107": Code(
        "class-expression",
        "this expression in the head of a nested class or generic definition is not supported",
        "bind the value to a variable before the definition",
        "not-yet",
    ),
    "FT108": Code(
        "ambiguous-lambda",
        "several lambdas begin on this line and nothing tells them apart",
        "put each lambda on a line of its own, or use `def`",
        "yours",
    ),
    "FT109": Code(
        "unknown-syntax",
        "this syntax is newer than this version of futamura",
        "rewrite the construct in an older syntax",
        "not-yet",
    ),
    "FT110": Code(
        "super-without-argument",
        "`super()` reads the first parameter, which this function deletes",
        "write `super(Class, object)` with both arguments",
        "not-yet",
    ),
    "FT501": Code(
        "program-syntax",
        "the program does not follow the grammar of its language",
        "compare with docs/flow.md and docs/functional.md",
        "yours",
    ),
    "FT502": Code(
        "unknown-label", "a jump leads to a label that no block has", "write a block with this label", "yours"
    ),
    "FT503": Code(
        "unbound-variable",
        "a variable is read where it may have no value",
        "assign it on every way that leads here, or make it an input",
        "yours",
    ),
    "FT504": Code("program-error", "an operator of the program does not take these values", "", "yours"),
    "FT505": Code(
        "wrong-inputs", "the inputs given are not those of the program", "write name=value for each input", "yours"
    ),
    "FT506": Code("empty-program", "there is nothing to run", "write at least one block or function", "yours"),
    "FT507": Code("defined-twice", "the same name is defined twice", "rename one of them", "yours"),
    "FT508": Code("out-of-fuel", "the program did not end within its fuel", "give more with --fuel", "yours"),
    "FT509": Code(
        "cyclic-definition", "a value is defined by itself", "make it a function, or break the cycle", "yours"
    ),
    "FT510": Code(
        "unknown-function",
        "a call of something that is not defined like this",
        "define it, or call it as it is defined",
        "yours",
    ),
    "FT901": Code(
        "internal",
        "futamura broke one of its own invariants",
        "please report this with the function that caused it",
        "bug",
    ),
}


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
    source: str | None = field(default=None, compare=False)
    """The line of `place`, where it is known better than through `linecache`."""

    @property
    def kind(self) -> Kind:
        return CODES[self.code].kind

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


def diagnose(
    code: str,
    title: str,
    *,
    file: str = "",
    place: tuple[int, int, int, int] | None = None,
    label: str = "",
    because: tuple[Because, ...] = (),
    help: str | None = None,
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
        source,
    )


def render(diagnostic: Diagnostic, *, verbose: bool = False) -> str:
    """The text that people see; without a newline at the end."""
    lines = [f"error[{diagnostic.code}]: {diagnostic.title}"]
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
    if diagnostic.help:
        lines.append(f"help: {diagnostic.help}")
    return "\n".join(lines)
