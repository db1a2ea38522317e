"""The explanation of a residual as text: the source with a mark before each line, and why what remains had to remain.

    power (power.py:1)   static: n   open: x
      S    3 |     while n > 0:
      D    4 |         result *= x
             |             because: `x` is left open

S: done during specialization, nothing is left; D: left in the residual; M: partly; blank: not executed.  `xN` behind a
mark: N versions of the code from here on.

Invariant: the text needs no colour to be understood.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from futamura.codes import CODES
from futamura.errors import Because
from futamura.ir.graph import Span
from futamura.specializer.origins import Trace
from futamura.specializer.policy import Event

__all__ = ["explanation"]

FUNCTIONS: Final = 40
"""Functions shown: more of them are only counted."""
REASONS: Final = 4
"""Because-lines below one source line."""


def explanation(heading: str, trace: Trace | None, events: Iterable[Event], footer: Iterable[str] = ()) -> str:
    """The whole text.  `heading` names the function and its inputs, `footer` is put below."""
    lines = [heading]
    if trace is not None:
        lines.append("S static: nothing is left   D dynamic: left in the residual   M mixed   (blank) not executed")
        shown: list[tuple[str, Span]] = []
        hidden = 0
        for name, file, span in trace.functions:
            if span is None or any(file == other and _inside(span, outer) for other, outer in shown):
                continue
            if len(shown) == FUNCTIONS:
                hidden += 1
                continue
            shown.append((file, span))
            lines.extend(["", f"{name} ({Path(file).name}:{span.line})"])
            lines.extend(_function(trace, file, span))
        if hidden:
            lines.append(f"... and {hidden} more functions")
    noted = [*_notes(event for event in events if event.code in CODES)]
    if noted:
        lines.extend(["", *noted])
    rest = list(footer)
    if rest:
        lines.extend(["", *rest])
    return "\n".join(lines) + "\n"


def _notes(events: Iterable[Event]) -> Iterable[str]:
    """What was generalized, and why, each reason once."""
    said: set[str] = set()
    for event in events:
        yield f"{CODES[event.code].level}[{event.code}] {_at(event)}{event.reason}"
        new = [because for because in event.because if because.text not in said]
        said.update(because.text for because in new)
        yield from (f"    because: {because.text}{_place(because, event.file)}" for because in new)


def _place(because: Because, file: str) -> str:
    return "" if because.place is None else f"   {Path(because.file or file).name}:{because.place.line}"


def _inside(span: Span, outer: Span) -> bool:
    return outer.line <= span.line and span.end_line <= outer.end_line


def _at(event: Event) -> str:
    return f"{Path(event.file).name}:{event.line}: " if event.file and event.line else ""


def _function(trace: Trace, file: str, span: Span) -> Iterable[str]:
    said: tuple[Because, ...] = ()
    for number in range(span.line, span.end_line + 1):
        place = (file, number)
        text = linecache.getline(file, number).rstrip("\r\n")
        count = trace.versions.get(place, 0)
        times = f"x{count}" if count else ""
        yield f"  {_mark(trace, place)} {times:<4}{number:>5} | {text}".rstrip()
        left = trace.left.get(place)
        if left is None or left.because == said:
            continue
        said = left.because
        indent = " " * (len(text) - len(text.lstrip()) + 4)
        for reason in left.because[:REASONS]:
            yield f"              |{indent}because: {reason.text}{_place(reason, file)}"


def _mark(trace: Trace, place: tuple[str, int]) -> str:
    left = trace.left.get(place)
    executed = trace.executed.get(place)
    if left is None:
        if executed is None:
            return " "
        return "D" if not executed and place in trace.returned else "S"
    return "D" if executed is None or executed <= left.spans else "M"
