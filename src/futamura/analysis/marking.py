"""A division over the text of the source: a mark for each place, and a chain of reasons for each dynamic variable.

    5 |     r = r * x
      |         ddddd          d: computed when the program runs, s: when it is specialized,
                                 p: a structure whose names are known then, and its items when the program runs

    r   uses `x` (line 5) <- `x` is a dynamic input

Marks of inner places lie over those of outer ones.  Invariant: lines are those of the file, 1-based; columns of places
are counted in UTF-8 bytes, those of marks in characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from futamura.analysis.division import Cause, Division, FunctionDivision, Pattern
from futamura.ir.graph import Span

__all__ = ["marked_lines", "reasons", "report"]

STATIC: Final = "s"
DYNAMIC: Final = "d"
PARTIAL: Final = "p"
_RANK: Final = {STATIC: 0, PARTIAL: 1, DYNAMIC: 2}


def _places(found: FunctionDivision) -> Iterator[tuple[Span, str]]:
    """Each place with the mark of what happens there."""
    for block in found.function.blocks:
        for operation in block.ops:
            if operation.span is not None:
                stays = operation.id in found.residual or any(value in found.dynamic for value in operation.results)
                touched = any(value in found.partial for value in (*operation.args, *operation.results))
                yield operation.span, DYNAMIC if stays else PARTIAL if touched else STATIC
        end = block.terminator
        if end.span is not None and end.name in ("branch", "switch", "next") and block.id in found.decisions:
            yield end.span, DYNAMIC
        elif end.span is not None and end.name == "next":
            yield end.span, STATIC


def marked_lines(found: FunctionDivision, lines: Sequence[str]) -> list[tuple[int, str, str]]:
    """(number, text, marks) of each line of the function; marks are as long as the text."""
    places = sorted(set(_places(found)), key=lambda place: (_size(place[0]), place[0], _RANK[place[1]]), reverse=True)
    first, last = _extent(found, [span for span, _ in places])
    marks = {number: [" "] * len(_line(lines, number)) for number in range(first, last + 1)}
    for span, mark in places:
        for number in range(span.line, span.end_line + 1):
            row = marks.get(number)
            if row is None:
                continue
            text = _line(lines, number)
            start = _column(text, span.column) if number == span.line else len(text) - len(text.lstrip())
            end = _column(text, span.end_column) if number == span.end_line else len(text)
            row[start:end] = [mark] * (end - start)
    return [(number, _line(lines, number), "".join(marks[number]).rstrip()) for number in range(first, last + 1)]


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column


def _extent(found: FunctionDivision, spans: Sequence[Span]) -> tuple[int, int]:
    whole = [*spans, found.function.span] if found.function.span is not None else list(spans)
    if not whole:
        return 1, 0
    return min(span.line for span in whole), max(span.end_line for span in whole)


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].rstrip("\n") if 0 < number <= len(lines) else ""


def _column(text: str, column: int) -> int:
    return len(text.encode("utf-8")[:column].decode("utf-8", "replace"))


def reasons(division: Division, pattern: Pattern) -> list[tuple[str, list[Cause]]]:
    """For each variable that is dynamic somewhere: its name and the chain of its first dynamic definition."""
    found = division.functions[pattern]
    chains: dict[str, list[Cause]] = {}
    for value in sorted(found.dynamic):
        name = found.function.hints[value]
        if name is not None and name not in chains:
            chains[name] = division.chain(pattern, value)
    return list(chains.items())


def report(division: Division, sources: dict[str, Sequence[str]]) -> str:
    """All functions of a division, as text; `sources` has the lines of each file."""
    parts = [_section(division, pattern, sources) for pattern in division.functions]
    return "\n".join(parts)


def _section(division: Division, pattern: Pattern, sources: dict[str, Sequence[str]]) -> str:
    found = division.functions[pattern]
    names = (*found.function.signature.names, *found.function.free)
    flags = [*pattern.static, *[False] * (len(names) - len(pattern.static))]
    words = [("partially static" if at in pattern.partial else "static") if static else "dynamic"
             for at, static in enumerate(flags)]  # fmt: skip
    params = ", ".join(f"{name}: {word}" for name, word in zip(names, words))
    note = ", called under a decision at run time" if pattern.controlled else ""
    result = "static" if found.returns_static else "dynamic"
    head = f"{found.function.qualname}({params}) -> {result}    {division.kind}, {division.points}{note}"
    rows = [head]
    for number, text, marks in marked_lines(found, sources.get(found.function.file, ())):
        rows.append(f"{number:5} | {text}".rstrip())
        if marks:
            rows.append(f"      | {marks}")
    variables = division.variables(pattern)
    hints = {found.function.hints[value] for value in found.partial}
    partial = [name for name, is_static in variables.items() if is_static and name in hints]
    static = [name for name, is_static in variables.items() if is_static and name not in hints]
    rows.append(f"static: {', '.join(static) if static else 'nothing'}")
    if partial:
        rows.append(f"partially static: {', '.join(partial)}")
    for name, chain in reasons(division, pattern):
        rows.append(f"dynamic: {name}: " + " <- ".join(_said(cause) for cause in chain))
    return "\n".join(rows) + "\n"


def _said(cause: Cause) -> str:
    place = f" (line {cause.span.line})" if cause.span is not None and cause.rule != "input" else ""
    return cause.text + ("" if "line" in cause.text else place)
