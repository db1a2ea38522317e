"""Source text: the drawing of a place in it, and compiling it without warnings.

    excerpt("\\tx = é + eval(s)", Place(7, 9, 7, 16))   ->   7 |     x = é + eval(s)
                                                               |             ^^^^^^^

A place counts columns in UTF-8 bytes, as `ast` does; people and terminals count characters, tabs and wide
characters otherwise.  Every conversion between the two stands here.

Of a line of more than `LONG` characters an excerpt shows the part around the place.

Invariant: a place that lies outside the text is clipped to it, never an error: diagnostics must always print.
"""

from __future__ import annotations

import threading
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

__all__ = ["Place", "caret_line", "character_column", "display", "excerpt", "unwarned"]

_ONE_AT_A_TIME: Final = threading.RLock()


@contextmanager
def unwarned() -> Iterator[None]:
    """Compile without warnings: what they say of the text was said when Python compiled the original.

    `warnings.catch_warnings` would make every module forget which warnings it has shown.
    """
    with _ONE_AT_A_TIME:
        kept = warnings.filters
        warnings.filters = [("ignore", None, Warning, None, 0)]
        try:
            yield
        finally:
            warnings.filters = kept


TAB_STOP: Final = 4
"""Columns of a tab in an excerpt: narrow, so that the caret stays on the screen."""


LONG: Final = 160
"""Characters of a line that an excerpt shows."""


class Place(NamedTuple):
    """1-based lines, 0-based columns in UTF-8 bytes; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


def character_column(line: str, byte_column: int) -> int:
    """The 0-based character index of a 0-based byte column of `line`."""
    if line.isascii():
        return min(max(byte_column, 0), len(line))
    return len(line.encode("utf-8", "surrogatepass")[: max(byte_column, 0)].decode("utf-8", "replace"))


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def display(line: str) -> tuple[str, list[int]]:
    """The line as it is shown (tabs expanded), and the screen column at which each character begins."""
    shown: list[str] = []
    columns: list[int] = []
    column = 0
    for character in line:
        columns.append(column)
        if character == "\t":
            step = TAB_STOP - column % TAB_STOP
            shown.append(" " * step)
            column += step
        else:
            shown.append(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}")
            column += _width(character)
    columns.append(column)
    return "".join(shown), columns


def caret_line(line: str, place: Place) -> str:
    """Spaces and carets under the part of `line` that `place` covers; at least one caret."""
    _, columns = display(line)
    start = columns[min(character_column(line, place.column), len(columns) - 1)]
    last = len(line.encode("utf-8", "surrogatepass")) if place.end_line > place.line else place.end_column
    end = columns[min(character_column(line, last), len(columns) - 1)]
    return " " * start + "^" * max(end - start, 1)


def excerpt(line: str, place: Place, label: str = "") -> list[str]:
    """The two lines that show a place: the source line with its number, and the carets with `label`."""
    line, place = _cropped(line.rstrip("\r\n"), place)
    gutter = str(place.line)
    carets = caret_line(line, place)
    mark = f"{carets} {label}" if label else carets
    return [f"{gutter} | {display(line)[0]}", f"{' ' * len(gutter)} | {mark}"]


def _cropped(line: str, place: Place) -> tuple[str, Place]:
    """The part of a very long line that has the place, and the place in it."""
    if len(line) <= LONG:
        return line, place
    column = character_column(line, place.column)
    first = max(column - LONG // 2, 0)
    part = line[first : first + LONG]
    before = "..." if first else ""
    moved = len(before) - len(line[:first].encode("utf-8", "surrogatepass"))
    shown = before + part + ("..." if first + LONG < len(line) else "")
    end = len((before + part).encode("utf-8", "surrogatepass"))
    if place.end_line == place.line:
        end = min(end, place.end_column + moved)
    return shown, Place(place.line, place.column + moved, place.line, end)
