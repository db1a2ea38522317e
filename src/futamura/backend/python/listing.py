"""Where the text of emitted functions can be seen: tracebacks, `pdb` and `inspect.getsource` ask `linecache`.

    name = enter("total", text)     ->  "<futamura total#1>", under which `linecache` now has the lines
    keep(name, codes, map)          ->  both go when the last of these code objects is gone
    source_map(function).place(3)   ->  ("shop.py", Span(12, 8, 12, 30))

The name looks like that of no file, and `linecache` keeps entries without a modification time, so nothing refreshes or
drops one before its code dies.  (Such a name rules out an entry that is computed on demand: `linecache` refuses those.)

Invariant: the lines of an entry are the lines of the text that was compiled under its name.
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

from futamura.ir.graph import Span

__all__ = ["SourceMap", "enter", "keep", "nested_codes", "source_map"]


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The lines of one compiled text and where they come from.  Holds no object of the program: it outlives none."""

    text: str
    """What was compiled, line for line."""
    file: str
    """The source file that the spans speak of."""
    spans: tuple[Span | None, ...]
    """One for each line of `text`."""
    constants: tuple[str, ...] = ()
    """The free names of the text that are no variables of the program: constants, and functions that it defines."""
    name: str = ""
    """The function of the text."""
    factory: str = ""
    """The function around it that binds its free names; empty if there is none."""

    def place(self, line: int) -> tuple[str, Span] | None:
        """The source of the emitted line (counted from 1): the span of its first operation."""
        if not 1 <= line <= len(self.spans):
            return None
        span = self.spans[line - 1]
        return None if span is None else (self.file, span)


_COUNTS: Final[dict[str, Iterator[int]]] = {}
"""The next number of each name."""

_MAPS: Final[dict[str, SourceMap]] = {}
"""By the file name of the code objects."""

_LIVING: Final[dict[str, int]] = {}
"""How many code objects were compiled from the text of that name and still live."""


def enter(name: str, text: str, path: Path | None = None, origin: str = "") -> str:
    """Make `text` known under a fresh file name, which is returned; with `path` it is written to that file.

    The name says where the text is from, if `origin` is given: tracebacks show it.
    """
    if path is not None:
        path.write_text(text, encoding="utf-8")
        linecache.checkcache(str(path))
        return str(path)
    numbers = _COUNTS.setdefault(name, itertools.count(1))
    # Two threads never get the same number: advancing a count is one step of the interpreter.
    listed = f"<futamura {name}#{next(numbers)}{f', {origin}' if origin else ''}>"
    lines = [line + "\n" for line in text.removesuffix("\n").split("\n")]
    linecache.cache[listed] = (len(text), None, lines, listed)
    return listed


def keep(name: str, codes: Sequence[CodeType], found: SourceMap) -> None:
    """Keep the entry `name` and its map as long as one of `codes` lives.

    A nested function may live longer than the function that made it, so each code object counts.
    """
    _MAPS[name] = found
    _LIVING[name] = _LIVING.get(name, 0) + len(codes)
    for code in codes:
        finalizer: Any = weakref.finalize(code, _release, name)
        finalizer.atexit = False


def _release(name: str) -> None:
    _LIVING[name] -= 1
    if _LIVING[name] > 0:
        return
    del _LIVING[name], _MAPS[name]
    if name.startswith("<"):
        linecache.cache.pop(name, None)


def source_map(function: FunctionType | CodeType) -> SourceMap | None:
    """The map of an emitted function or of one nested in it; None for every other function."""
    code = function if isinstance(function, CodeType) else function.__code__
    return _MAPS.get(code.co_filename)


def nested_codes(code: CodeType) -> list[CodeType]:
    """`code` and all code objects inside of it."""
    found = [code]
    for outer in found:
        found.extend(constant for constant in outer.co_consts if isinstance(constant, CodeType))
    return found
