"""What the specializer did, as the tables of the field: the trace statement by statement, and the code cache.

    statement              block  static store     emitted
    <L1, y=5>    marked: nothing    pending: nothing
    res = x                L1     y=5              res = x
    if z goto L2 ...       L1     y=5              if z then goto <L2, y=5> else goto <L3>
    <L2, y=5>    marked: <L1, y=5>    pending: <L3>

    label  static store  residual label
    L1     y=5           L1
    L2     y=4           L2_2

Invariant: recording changes nothing; the rows stand in the order in which the work was done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from futamura.ir.graph import Function, Span, Value
from futamura.specializer.offline.structures import Shape

__all__ = [
    "CacheEntry", "Row", "Trace", "cache_table", "first_places", "in_order", "named", "short", "shown", "trace_table",
]  # fmt: skip

_LISTED: Final = 6
"""Points of the worklist, and of those that are marked, that a row shows; one more stands for the rest."""


class Row(NamedTuple):
    """One statement that was processed; a row without a statement takes a point from the worklist."""

    statement: str
    block: str
    store: str
    emitted: str
    marked: tuple[str, ...] = ()
    """Of a row that takes a point: the points done before it, the newest first, and those that wait behind it."""
    pending: tuple[str, ...] = ()


class CacheEntry(NamedTuple):
    """A specialization point: the function and block of the source, the static store, and the residual label."""

    function: str
    block: str
    store: dict[str, object]
    label: str

    def __str__(self) -> str:
        return f"<{self.block}, {shown(self.store)}>" if self.store else f"<{self.block}>"


def shown(store: Mapping[str, object]) -> str:
    """A static store on one line; long values are cut."""
    return ", ".join(f"{name}={short(value)}" for name, value in store.items())


def short(value: object, limit: int = 40) -> str:
    """A value on one line, cut."""
    text = _written(value, limit)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _written(value: object, limit: int) -> str:
    """What `repr` gives, or more than `limit` letters of its beginning: values may be large, and nest deeply."""
    kind = type(value)
    if limit <= 0:
        return "..."
    if isinstance(value, int) and value.bit_length() > 4 * limit:
        first = abs(value) >> (value.bit_length() - 4 * limit)
        return f"{'-' if value < 0 else ''}{first:#x}..."
    if isinstance(value, (str, bytes)):
        return repr(value[: limit + 1])
    if isinstance(value, Shape):
        return repr(value)
    if not isinstance(value, tuple) or kind is not tuple:
        return repr(value) if kind in (int, bool, float, type(None)) else kind.__name__
    text = "("
    for at, item in enumerate(value):
        text += (", " if at else "") + _written(item, limit - len(text))
        if len(text) > limit:
            return text
    return text + (",)" if len(value) == 1 else ")")


@dataclass(slots=True)
class Trace:
    """Rows, where they are wanted; `statement` gives the text of a place in the source."""

    statement: Callable[[Function, Span | None, str], str] | None = None
    rows: list[Row] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    pending: dict[object, str] = field(default_factory=dict)

    @property
    def wanted(self) -> bool:
        return self.statement is not None

    def found(self, point: object, text: str) -> None:
        """A new point goes to the end of the worklist."""
        if self.statement is not None:
            self.pending[point] = text

    def begin(self, point: object) -> None:
        """The point is taken from the worklist, and is marked from now on."""
        if self.statement is not None:
            text = self.pending.pop(point)
            marked, pending = self.marked[: -_LISTED - 2 : -1], islice(self.pending.values(), _LISTED + 1)
            self.rows.append(Row("", text, "", "", tuple(marked), tuple(pending)))
            self.marked.append(text)

    def step(
        self, function: Function, span: Span | None, name: str, block: str, store: str, emitted: Sequence[str]
    ) -> None:
        """One operation; operations of one statement share a row, which has the store behind the last of them."""
        if self.statement is None:
            return
        text = self.statement(function, span, name)
        code = "; ".join(emitted)
        last = self.rows[-1] if self.rows else None
        if not text and (not code or last is None or not last.statement):
            return  # made by the lowering, and nothing to see
        if not text and last is not None:
            text, block = last.statement, last.block
        if last is not None and last.statement == text and last.block == block and text:
            joined = "; ".join(part for part in (last.emitted, code) if part)
            self.rows[-1] = Row(text, block, store, joined)
        else:
            self.rows.append(Row(text, block, store, code))


def first_places(function: Function) -> dict[str, int]:
    """The variables of a function, each with the first value that has its name."""
    found: dict[str, int] = {}
    for value, hint in enumerate(function.hints):
        if hint is not None:
            found.setdefault(hint, value)
    return found


def named(function: Function, places: Mapping[str, int], store: Mapping[Value, object]) -> dict[str, object]:
    """A static store by the names of the variables; temporaries are numbered."""
    found: dict[str, object] = {}
    for value, content in store.items():
        name = function.hints[value] or f"v{value}"
        found[name if name not in found else f"{name}.{value}"] = content
    return in_order(places, found)


def in_order(places: Mapping[str, int], store: dict[str, object]) -> dict[str, object]:
    """The variables in the order in which the program first has them, temporaries behind them."""
    if len(store) < 2:
        return store
    return dict(sorted(store.items(), key=lambda item: (item[0] not in places, places.get(item[0], 0))))


def trace_table(rows: Sequence[Row]) -> str:
    """The trace as aligned text."""
    head = ("statement", "block", "static store", "emitted")
    plain = [(row.statement, row.block, row.store, row.emitted) for row in rows if row.statement]
    widths = [max([len(head[at]), *(len(cells[at]) for cells in plain)]) for at in range(3)]
    lines = [_aligned(head, widths)]
    for row in rows:
        if row.statement:
            lines.append(_aligned((row.statement, row.block, row.store, row.emitted), widths))
        else:
            lines.append(f"{row.block}    marked: {_listed(row.marked)}    pending: {_listed(row.pending)}")
    return "\n".join(lines) + "\n"


def _listed(points: Sequence[str]) -> str:
    return ", ".join([*points[:_LISTED], *(["..."] if len(points) > _LISTED else [])]) or "nothing"


def cache_table(cache: Sequence[CacheEntry]) -> str:
    """The code cache as aligned text."""
    head = ("block", "static store", "residual label")
    body = [(entry.block, shown(entry.store), entry.label) for entry in cache]
    widths = [max([len(head[at]), *(len(cells[at]) for cells in body)]) for at in range(2)]
    return "\n".join([_aligned(head, widths), *(_aligned(cells, widths) for cells in body)]) + "\n"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths)]
    return "  ".join([*padded, *cells[len(widths) :]]).rstrip()
