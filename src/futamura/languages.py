"""The way of a program of the small languages: read, lower, specialize, clean up, print back.

    specialize_flow(text of power.flow, {"y": 5})     1  frontend.flow        text to a function of the IR, with labels
                                                      2  specializer          the residual function, and the code cache
                                                      3  optimize.passes      those that are asked for
                                                      4  backend.flow         the text, in the spelling of the source

Invariant: the residual, run on the open inputs, does what the program does on all of them; where nothing could be
specialized it is the program itself with its static inputs filled in, and `events` says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from futamura.analysis.division import Kind, Points
from futamura.backend.flow.draft import NotPrintable, reading_order
from futamura.backend.flow.printing import Spelling, print_flow
from futamura.backend.functional.printing import print_functional
from futamura.errors import diagnose
from futamura.frontend.flow.lowering import LoweredFlow, lower_flow
from futamura.frontend.flow.parsing import expression_texts, statement_texts
from futamura.frontend.flow.reading import FlowError, Reader
from futamura.frontend.flow.running import checked_inputs
from futamura.frontend.functional.lowering import LoweredFunctional, lower_functional
from futamura.ir.graph import Function, Program, Span
from futamura.ir.lists import literal
from futamura.optimize.binding import bound, renamed
from futamura.optimize.pipeline import run_passes
from futamura.specializer.offline.offline import OfflineOptions, specialize_offline
from futamura.specializer.offline.trace import CacheEntry, shown, trace_table
from futamura.specializer.offline.trace import Row as TraceRow
from futamura.specializer.online import Open, specialize_program
from futamura.specializer.policy import Budget, Event, Polyvariance, Style
from futamura.specializer.programs import Point

__all__ = [
    "FlowOptions", "FlowResidual", "FunctionalOptions", "FunctionalResidual", "LabelStyle", "Row", "specialize_flow",
    "specialize_functional",
]  # fmt: skip

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
    mode: Literal["online", "offline"] = "online"
    division: Kind = "safe"
    """Offline: what makes a variable dynamic."""
    points: Points = "pointwise"
    """Offline: one division for the program, or one for each place."""
    offline_budget: int = 20_000
    """Offline: blocks processed."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the code cache: the source block, or function, the known values, the residual one."""

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
    trace: str = ""
    """Offline: the table of the work, statement by statement."""


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
    made = (_online if how.mode == "online" else _offline)(lowered, given, how)
    if made.program is None:
        function = bound(lowered.program.main, given)
        labels = _source_labels(lowered, function)
    else:
        function = made.program.main
        labels = _labels(lowered, function, made.points, how.labels)
    function, origins = run_passes(function, how.passes)
    first = {old: new for new, old in [*enumerate(origins)][::-1]}  # a pass may have copied a block
    kept = {new: labels[old] for old, new in first.items() if old in labels}
    rows = _rows(lowered, made.points, {old: kept[new] for old, new in first.items() if new in kept})
    program = Program(function.name, (function,))
    printed = _printed(lowered, function, kept)
    return FlowResidual(printed, program, rows, made.events, made.stats, made.program is not None, made.trace)


@dataclass(frozen=True, slots=True)
class FunctionalOptions:
    """How a functional program is specialized."""

    calls: Literal["unfold", "keep"] = "unfold"
    """Calls with an open argument: unfolded while control is known, or always a new function."""
    polyvariance: Polyvariance = "auto"
    budget: Budget | None = None
    mode: Literal["online", "offline"] = "online"
    division: Kind = "safe"
    points: Points = "pointwise"
    offline_budget: int = 20_000


@dataclass(frozen=True, slots=True)
class FunctionalResidual:
    """The text of the residual, and the program behind it."""

    text: str
    program: Program
    rows: tuple[Row, ...]
    """The residual functions in the order in which they were found; one that only passes on has no name."""
    events: tuple[Event, ...]
    specialized: bool
    trace: str = ""
    """Offline: the table of the work, expression by expression."""


_CALLS: Final = Budget(depth=400)
"""Calls of these programs are small, and a list is walked by one call for each item."""


def specialize_functional(
    text: str, given: Mapping[str, object], file: str = "<functional>", options: FunctionalOptions | None = None
) -> FunctionalResidual:
    """The residual of a functional program for these static inputs of its entry; raises `FlowError`."""
    how = options if options is not None else FunctionalOptions()
    lowered = lower_functional(text, file)
    names = lowered.program.main.signature.names
    checked_inputs(given, names, file, all_of_them=False)
    made = (_calls_online if how.mode == "online" else _calls_offline)(lowered, given, how)
    program = made.program
    if program is None:
        main = lowered.program.main
        entry = renamed(bound(main, given), f"{main.name}_open") if given else main
        program = Program(entry.name, (entry, *lowered.program.functions) if given else lowered.program.functions)
    try:
        printed = print_functional(program)
    except NotPrintable as reason:
        raise FlowError(diagnose("FT901", f"the residual cannot be printed: {reason}", file=file)) from reason
    there = {line.split("(")[0] for line in printed.splitlines()}
    rows = [
        Row(point.source_function, point.store or (), point.function if point.function in there else "")
        for point in sorted(made.points, key=lambda point: point.number)
    ]
    return FunctionalResidual(printed, program, tuple(rows), made.events, made.program is not None, made.trace)


@dataclass(frozen=True, slots=True)
class _Made:
    """What one of the specializers gave."""

    program: Program | None
    points: Sequence[Point]
    events: tuple[Event, ...]
    stats: Mapping[str, object]
    trace: str = ""


def _online(lowered: LoweredFlow, given: Mapping[str, object], how: FlowOptions) -> _Made:
    style = Style(every_block=how.keep_jumps, trim=how.trim, loops=how.loops)
    inputs = {name: given.get(name, Open()) for name in lowered.program.main.signature.names}
    found = specialize_program(lowered.program, inputs, polyvariance=how.polyvariance, budget=how.budget, style=style)
    return _Made(found.program, found.points if found.program else (), found.events, found.stats)


def _offline(lowered: LoweredFlow, given: Mapping[str, object], how: FlowOptions) -> _Made:
    options = OfflineOptions(
        how.division, how.points, follow=not how.keep_jumps, trim=how.trim, budget=how.offline_budget
    )
    statement_at = statement_texts(lowered.text, lowered.file)

    def statement(function: Function, span: Span | None, name: str) -> str:
        return "" if span is None else statement_at(span)

    entry = lowered.program.entry
    found = specialize_offline(lowered.program, given, options, labels={entry: lowered.labels}, statement=statement)
    if found.program is None:
        return _Made(None, (), found.events, {})
    labels = {label: at for at, label in enumerate(found.labels[entry])}
    points = [
        Point(entry, labels[row.label], entry, lowered.labels.index(row.block), tuple(row.store.items()), number)
        for number, row in enumerate(found.cache)
        if row.label in labels
    ]
    rows = [*found.rows[:1], *_reads(lowered, given, found.cache[0]), *found.rows[1:]]
    return _Made(found.program, points, found.events, {"points": len(found.cache)}, trace_table(rows))


def _reads(lowered: LoweredFlow, given: Mapping[str, object], first: CacheEntry) -> list[TraceRow]:
    """The inputs that the first block reads: what is known of them is there from the beginning."""
    store = shown(first.store)
    return [
        TraceRow(f"read {one.name}", first.block, store, "" if one.name in given else f"read {one.name}")
        for one in (lowered.inputs if lowered.reads else ())
    ]


def _calls_online(lowered: LoweredFunctional, given: Mapping[str, object], how: FunctionalOptions) -> _Made:
    found = specialize_program(
        lowered.program,
        {name: given.get(name, Open()) for name in lowered.program.main.signature.names},
        polyvariance=how.polyvariance,
        budget=how.budget if how.budget is not None else _CALLS,
        style=Style(calls=how.calls),
    )
    points = [point for point in found.points if point.block == 0] if found.program else []
    return _Made(found.program, points, found.events, found.stats)


_WIDEST: Final = 60
"""Letters of an expression in a trace."""


def _calls_offline(lowered: LoweredFunctional, given: Mapping[str, object], how: FunctionalOptions) -> _Made:
    """Blocks are called by their functions, the arms of conditionals also by their lines."""
    options = OfflineOptions(how.division, how.points, budget=how.offline_budget)
    expression = expression_texts(lowered.text)

    def statement(function: Function, span: Span | None, name: str) -> str:
        if span is None or name in ("const", "jump"):
            return ""
        text = expression(span)
        return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."

    labels = {function.name: _arms(function) for function in lowered.program.functions}
    found = specialize_offline(lowered.program, given, options, labels=labels, statement=statement)
    points = [
        Point(entry.label, 0, entry.function, 0, tuple(entry.store.items()), number)
        for number, entry in enumerate(found.functions)
    ]
    return _Made(found.program, points, found.events, {"points": len(found.cache)}, trace_table(found.rows))


def _arms(function: Function) -> list[str]:
    spans = [block.ops[0].span if block.ops else block.terminator.span for block in function.blocks]
    lines = [f"{function.name}, line {span.line}" if span is not None else function.name for span in spans]
    return [function.name, *lines[1:]]


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
    named.sort(key=lambda point: order.get(point.block, -1))
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


def _rows(lowered: LoweredFlow, points: Sequence[Point], labels: Mapping[int, str]) -> tuple[Row, ...]:
    found = sorted([point for point in points if point.store is not None], key=lambda point: point.number)
    return tuple(
        [Row(lowered.labels[point.source_block], point.store or (), labels.get(point.block, "")) for point in found]
    )
