"""The way of a program of the small languages: read, lower, specialize, clean up, print back.

    specialize_flow(text of power.flow, {"y": 5})     1  frontend.flow        text to a function of the IR, with labels
                                                      2  specializer.online   the residual function, and the code cache
                                                      3  optimize.passes      those that are asked for
                                                      4  backend.flow         the text, in the spelling of the source

Invariant: the residual, run on the open inputs, does what the program does on all of them; where nothing could be
specialized it is the program itself with its static inputs filled in, and `events` says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from futamura.backend.flow.draft import NotPrintable, reading_order
from futamura.backend.flow.printing import Spelling, print_flow
from futamura.errors import diagnose
from futamura.frontend.flow.lowering import LoweredFlow, lower_flow
from futamura.frontend.flow.reading import FlowError, Reader
from futamura.frontend.flow.running import checked_inputs
from futamura.ir.graph import Function, Program
from futamura.ir.lists import literal
from futamura.optimize.binding import bound
from futamura.optimize.passes import run_passes
from futamura.specializer.online import Open, specialize_program
from futamura.specializer.policy import Budget, Event, Polyvariance, Style
from futamura.specializer.programs import Point

__all__ = ["FlowOptions", "FlowResidual", "LabelStyle", "Row", "specialize_flow"]

LabelStyle: TypeAlias = Literal["short", "numbered", "pairs"]


@dataclass(frozen=True, slots=True)
class FlowOptions:
    """How a flow-graph program is specialized and printed."""

    keep_jumps: bool = False
    """Every block is a specialization point; otherwise static jumps are followed in line."""
    trim: bool = True
    """Dead variables do not tell copies of a block apart."""
    polyvariance: Polyvariance = "auto"
    loops: Literal["meet", "parameters", "variables"] = "meet"
    passes: tuple[str, ...] = ()
    labels: LabelStyle = "short"
    budget: Budget | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the code cache: the source block, the known values, the residual block."""

    label: str
    store: tuple[tuple[str, object], ...]
    residual: str

    def __str__(self) -> str:
        known = ", ".join([f"{name} = {literal(value)}" for name, value in self.store])
        return f"{self.label:<16} {known or '-':<40} {self.residual}"


@dataclass(frozen=True, slots=True)
class FlowResidual:
    """What comes out: the text, the function behind it, and how it came about."""

    text: str
    program: Program
    rows: tuple[Row, ...]
    """The code cache in the order in which it was filled; a row whose block a pass took away has no label."""
    events: tuple[Event, ...]
    stats: Mapping[str, object]
    specialized: bool


_LABEL_BREAKERS: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "\n": " "})


def specialize_flow(
    text: str, given: Mapping[str, object], file: str = "<flow>", options: FlowOptions | None = None
) -> FlowResidual:
    """The residual of a flow-graph program for these static inputs; raises `FlowError`."""
    how = options if options is not None else FlowOptions()
    lowered = lower_flow(text, file, trim=how.trim)
    names = lowered.program.main.signature.names
    checked_inputs(given, names, file, all_of_them=False)
    for array in lowered.inputs:
        if array.array and lowered.stores and array.name in given:
            title = f"the array `{array.name}` must stay open: the program may change it"
            Reader(text, file).fail("FT505", title, array.span)
    style = Style(every_block=how.keep_jumps, trim=how.trim, loops=how.loops)
    outcome = specialize_program(
        lowered.program,
        {name: given.get(name, Open()) for name in names},
        polyvariance=how.polyvariance,
        budget=how.budget,
        style=style,
    )
    if outcome.program is None:
        function = bound(lowered.program.main, given)
        points: Sequence[Point] = ()
        labels = _source_labels(lowered, function)
    else:
        function, points = outcome.program.main, outcome.points
        labels = _labels(lowered, function, points, how.labels)
    before = function
    function, origins = run_passes(function, how.passes)
    kept = {new: labels[old] for new, old in enumerate(origins) if old in labels}
    rows = _rows(lowered, points, {old: kept[new] for new, old in enumerate(origins) if new in kept}, before)
    program = Program(function.name, (function,))
    printed = _printed(lowered, function, kept)
    return FlowResidual(printed, program, rows, outcome.events, outcome.stats, outcome.program is not None)


def _printed(lowered: LoweredFlow, function: Function, labels: Mapping[int, str]) -> str:
    arrays = frozenset([given.name for given in lowered.inputs if given.array])
    spelling = Spelling(lowered.spelling, lowered.reads, arrays, lowered.types)
    try:
        return print_flow(function, labels, spelling)
    except NotPrintable as reason:
        raise FlowError(diagnose("FT901", f"the residual cannot be printed: {reason}", file=lowered.file)) from reason


def _source_labels(lowered: LoweredFlow, function: Function) -> dict[int, str]:
    """The labels of the program itself behind the block that fills in its inputs."""
    shift = len(function.blocks) - len(lowered.labels)
    labels: dict[int, str] = {}
    for at, label in enumerate(lowered.labels):
        if label not in labels.values():
            labels[at + shift] = label
    return labels


def _labels(lowered: LoweredFlow, function: Function, points: Sequence[Point], style: LabelStyle) -> dict[int, str]:
    """The residual's labels: the source's own, numbered where there are several copies, or with the store."""
    named = [point for point in points if _counts(function, point)]
    order = reading_order(function)
    named.sort(key=lambda point: (point.number < 0, point.number, order.get(point.block, -1)))
    copies: dict[str, list[Point]] = {}
    for point in named:
        copies.setdefault(lowered.labels[point.source_block], []).append(point)
    taken = set(lowered.labels)
    found: dict[int, str] = {}
    for point in named:
        label = lowered.labels[point.source_block]
        found[point.block] = _label(label, point, copies[label], style, taken, lowered.spelling)
        taken.add(found[point.block])
    return found


def _counts(function: Function, point: Point) -> bool:
    """Arms of branches that only jump on are no blocks of their own."""
    block = function.blocks[point.block]
    code = any(op.name != "const" for op in block.ops) or block.terminator.name != "jump"
    return point.store is not None or code


def _label(label: str, point: Point, copies: Sequence[Point], style: LabelStyle, taken: set[str], spelling: str) -> str:
    if style == "short" and len(copies) == 1:
        return label
    if style == "pairs" and point.store is not None:
        store = "".join([f", {name} = {literal(value)}" for name, value in point.store])
        inner = f"{label.strip('<>')}{store}".translate(_LABEL_BREAKERS)
        if f"<{inner}>" not in taken:
            return f"<{inner}>"
    base = label.strip("<>").replace(" ", "_")
    base = base if spelling == "label" and not base[-1:].isdigit() else base + "_"
    number = 1
    while f"{base}{number}" in taken:
        number += 1
    return f"{base}{number}"


def _rows(
    lowered: LoweredFlow, points: Sequence[Point], labels: Mapping[int, str], function: Function
) -> tuple[Row, ...]:
    found = sorted([point for point in points if point.store is not None], key=lambda point: point.number)
    return tuple(
        [Row(lowered.labels[point.source_block], point.store or (), labels.get(point.block, "")) for point in found]
    )
