"""All passes as data: what each is for, which run, in which order, and why there.

    optimize(program, known={("m", "len"): len})            ->   the program, and what each pass did
    optimize(program, passes=("typefold", "dce"))           ->   these two, in this order
    run_passes(function, ["paste", "merge", "tails"])       ->   the function, and where its blocks come from

A pass over functions takes each function of the program alone; those with guards come back as they are, and those that
a pass cannot take (`plain`) pass by it.  A pass over programs sees all functions together.  The facts (`inference.py`)
are inferred anew for a pass that has use for them if one before changed what they were about.  A sequence that the user
names is run as it stands, once.

Invariant: the result means what the program meant; it is verified when it is frozen.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from futamura.ir.graph import Function, Program, Value
from futamura.ir.verify import verify_program
from futamura.optimize.algebra import RULES as OF_ALGEBRA
from futamura.optimize.algebra import algebra
from futamura.optimize.arms import equal_arms
from futamura.optimize.available import RULES as OF_CSE
from futamura.optimize.available import cse
from futamura.optimize.bufferfields import buffer_fields, may_have_fields
from futamura.optimize.cells import uncaptured
from futamura.optimize.cleaning import merge, paste, prune
from futamura.optimize.closedforms import RULES as OF_CLOSED_FORMS
from futamura.optimize.closedforms import closed_forms
from futamura.optimize.closurefacts import closure_facts
from futamura.optimize.contifying import contify
from futamura.optimize.copies import copies
from futamura.optimize.dead import RULES as OF_DCE
from futamura.optimize.dead import dce
from futamura.optimize.deadstores import RULES as OF_DEAD_STORES
from futamura.optimize.deadstores import dead_stores
from futamura.optimize.decisions import decisions
from futamura.optimize.displays import RULES as OF_DISPLAYS
from futamura.optimize.displays import displays, has_displays
from futamura.optimize.extremes import extremes, may_have_extremes
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.handlers import handlers, has_handlers
from futamura.optimize.hoisting import RULES as OF_LICM
from futamura.optimize.hoisting import licm
from futamura.optimize.inference import Inference, Known
from futamura.optimize.inlining import inline, without_unused
from futamura.optimize.inverting import invert
from futamura.optimize.lateiter import has_early_iterators, late_iterators
from futamura.optimize.lifting import lift
from futamura.optimize.operands import operands
from futamura.optimize.parameters import RULES as OF_PARAMETERS
from futamura.optimize.parameters import same_parameters
from futamura.optimize.peeling import peel
from futamura.optimize.representations import representations
from futamura.optimize.rerolling import reroll
from futamura.optimize.rethrown import rethrown
from futamura.optimize.scalars import replace_aggregates
from futamura.optimize.shapes import Shape
from futamura.optimize.sinking import RULES as OF_SINK
from futamura.optimize.sinking import sink
from futamura.optimize.spares import passes_to_handlers, spares
from futamura.optimize.splitting import split
from futamura.optimize.tables import constant_tables
from futamura.optimize.tails import tails
from futamura.optimize.texts import RULES as OF_TEXTS
from futamura.optimize.texts import texts
from futamura.optimize.threading import thread
from futamura.optimize.typefold import RULES as OF_TYPEFOLD
from futamura.optimize.typefold import typefold

__all__ = [
    "NO_TIME",
    "PASSES",
    "PIPELINE",
    "RULES",
    "SHRINKING",
    "Cleaning",
    "Report",
    "Row",
    "Whole",
    "optimize",
    "run_passes",
    "shrink",
]


class Row(NamedTuple):
    """A pass that uses facts: what it runs, what it is for, and why it stands where it does."""

    run: Callable[[FlowGraph, Inference], bool]
    what: str
    why_here: str
    rules: tuple[str, ...] = ()
    """What it counts with `FlowGraph.fire`; a pass without is one rule."""
    wanted: Callable[[FlowGraph], bool] | None = None
    """Is there anything that it could change?  Asked before facts are inferred for it alone."""
    takes_away: bool = False
    """It only takes operations and edges away: what was known of those that stay still holds."""
    lasting: bool = False
    """It asks only for what holds of single operations, which outlives a pass that takes others away."""
    then: tuple[str, ...] = ()
    """What finds more where it changed anything: run behind it, as far as these are in the sequence at all."""


class Cleaning(NamedTuple):
    """A pass that looks at the graph alone."""

    run: Callable[[FlowGraph], bool]
    what: str
    why_here: str
    rules: tuple[str, ...] = ()
    plain: bool = False
    """Takes only functions whose blocks may be moved and merged (`FlowGraph.is_plain`)."""


class Whole(NamedTuple):
    """A pass over all functions of a program; it gives the program itself back if it changed nothing."""

    run: Callable[[Program, Known], Program]
    what: str
    why_here: str


def _has_ways(graph: FlowGraph) -> bool:
    """Is there more than one straight line?"""
    return sum(node is not None for node in graph.blocks) > 1


def _lines(graph: FlowGraph) -> bool:
    pruned = prune(graph)
    return paste(graph) or pruned


PASSES: Final[dict[str, Row | Cleaning | Whole]] = {
    "paste": Cleaning(
        _lines,
        "straight lines are one block",
        "early: passes that look at one block see more; last, for what the others left",
    ),
    "parameters": Cleaning(
        same_parameters,
        "parameters and copies that are always one value are that value",
        "early: the fewer names a value has, the more the others see",
        OF_PARAMETERS,
    ),
    "typefold": Row(
        typefold,
        "constants, decided branches and neutral operations from types and ranges",
        "before cse: what it folds need not be looked up; after it once more, for conditions that became the same",
        OF_TYPEFOLD,
    ),
    "handlers": Row(
        handlers,
        "handlers that take nothing of what comes to them are passed by",
        "behind typefold, whose types tell what operations raise; before all that stays out of try statements",
        wanted=has_handlers,
    ),
    "rethrown": Row(
        rethrown,
        "try statements whose handlers only let the exception go on are none",
        "beside handlers, and behind the passes that find that two ways of a handler do the same",
        wanted=has_handlers,
        lasting=True,
    ),
    "decisions": Row(
        decisions,
        "what was asked on the way to a branch is not asked again: rules tried one by one become a tree",
        "behind typefold, whose types tell what a test asks; before cse, which finds what each way has computed",
        wanted=_has_ways,
    ),
    "cse": Row(
        cse,
        "what is available on every way is not computed again",
        "before licm, which would move each copy; it leaves dead operations and decided branches",
        OF_CSE,
    ),
    "fields": Row(
        buffer_fields,
        "fields of a buffer that are unpacked one by one are unpacked by one call",
        "behind typefold, which says where they are; before cse, which knows which tests of the length were made",
        wanted=may_have_fields,
    ),
    "algebra": Row(
        algebra,
        "chains of operations with constants become one",
        "behind cse, which connects steps that go through memory",
        OF_ALGEBRA,
    ),
    "dead-stores": Row(
        dead_stores,
        "what is stored over before anybody reads it is not stored",
        "behind cse, which needs the stores no more, and algebra, which needs the values between no more",
        OF_DEAD_STORES,
    ),
    "closed-forms": Row(
        closed_forms,
        "loops that add the same in each round are sums",
        "behind cse, algebra and dead-stores, which leave one load and one store of each place",
        OF_CLOSED_FORMS,
        wanted=_has_ways,
        then=(
            "thread", "paste", "parameters", "cse", "typefold", "paste", "parameters", "algebra", "dead-stores",
            "closed-forms",
        ),
    ),
    "licm": Row(
        licm,
        "what does not change in a loop is computed before it",
        "when all is folded, and equal operations are one",
        OF_LICM,
        wanted=_has_ways,
    ),
    "arms": Row(
        equal_arms,
        "branches whose ways do the same are jumps",
        "behind all that makes ways equal; what they tested is dead then",
        wanted=_has_ways,
    ),
    "copies": Row(
        copies,
        "a loop that only copies a list is one operation, the first items of a tuple are read by their places",
        "behind all that empties loops",
        wanted=_has_ways,
    ),
    "extremes": Row(
        extremes,
        "`min` and `max` of two values are comparisons",
        "late: of a call, the others know what it gives",
        wanted=may_have_extremes,
    ),
    "spares": Row(
        spares,
        "what was made for a handler is used where the handler was not needed",
        "behind all that takes handlers away",
        wanted=passes_to_handlers,
    ),
    "late-iter": Row(
        late_iterators,
        "an iterator is made where its loop starts",
        "behind licm, which puts what it hoists in front of the loop",
        wanted=has_early_iterators,
    ),
    "peel": Row(
        peel,
        "the first round of a loop stands before it, where later rounds need not repeat what it found out",
        "behind licm, which takes what it can without making the code longer",
        wanted=_has_ways,
    ),
    "split": Row(
        split,
        "loops over a range go on without the tests of their counter, once all of these are decided",
        "behind peel, whose first round may be all that has open tests",
        wanted=_has_ways,
    ),
    "sink": Row(
        sink,
        "what only some ways need is computed on these ways",
        "behind licm and peel, which take out of loops what this would leave in them",
        rules=OF_SINK,
        wanted=_has_ways,
    ),
    "displays": Row(
        displays,
        "what is put into a new container first is in it when it is made",
        "behind dead-stores and sink, which leave what is needed; the forms that copies and peel look for stay whole",
        OF_DISPLAYS,
        wanted=has_displays,
    ),
    "tables": Cleaning(
        constant_tables,
        "containers of constants that are only asked are made once",
        "behind displays, which brings together what is put into them one by one",
    ),
    "texts": Row(
        texts,
        "texts that are put together in steps are put together at once",
        "behind sink, which brings the steps together, and licm, which takes parts out of loops",
        rules=OF_TEXTS,
    ),
    "operands": Row(
        operands,
        "operands that have no names are computed where they are used",
        "behind dce, so that no dead use keeps them; the back end would need variables for them",
        lasting=True,
    ),
    "dce": Row(
        dce,
        "what nothing needs is taken away",
        "last: every other pass leaves things behind",
        OF_DCE,
        takes_away=True,
    ),
    "inline": Whole(
        inline,
        "small functions that are known stand where they are called",
        "first: all others see one function at a time",
    ),
    "closures": Whole(
        lift,
        "nested functions that are only called stand beside the function that made them",
        "behind `inline`, which takes away what is too small to be called",
    ),
    "closure-facts": Whole(
        closure_facts,
        "nested functions know what holds where they are made",
        "behind `inline` and `closures`, which leave those that somebody else calls; before typefold, which uses it",
    ),
    "contify": Whole(
        contify,
        "functions that always return to one place are blocks, calls in a circle loops",
        "behind `closures`, which makes calls direct",
    ),
    "scalars": Cleaning(
        replace_aggregates,
        "tuples, dictionaries and lists that stay here are the variables for their parts",
        "behind `inline` and `parameters`, which bring together who puts together and who takes apart",
    ),
    "cells": Cleaning(
        uncaptured,
        "variables that no nested function captures any more are values, those that nobody reads are gone",
        "behind `inline`, which takes the captures away; before all that asks what a value is",
    ),
    "invert": Row(
        invert,
        "the test of a loop stands behind the round, and once before the loop",
        "not by itself: Python compiles `while` so already, and `peel` takes what it would let `licm` take",
    ),
    "representations": Row(
        representations,
        "the types of values say which may be held unboxed",
        "not by itself: marks for a native back end, Python code does not change; when all else is done",
    ),
    "thread": Cleaning(
        thread,
        "jumps to tests that they decide go where the test would send them",
        "behind `typefold`, which says what is constant; `paste` joins the straight lines that it leaves",
    ),
    "prune": Cleaning(
        prune,
        "blocks that no jump leads to are taken away",
        "not by itself: `paste` and `dce` do it too",
    ),
    "merge": Cleaning(
        merge,
        "blocks with the same code and the same ways on are one block",
        "against code growth, and last of all where the text is the shorter for it: what is known behind one of them is"
        " not behind both",
        plain=True,
    ),
    "tails": Cleaning(
        tails,
        "the same operations at the end of several blocks stand once",
        "only against code growth, behind `merge`: each way has one jump more",
        plain=True,
    ),
    "reroll": Cleaning(
        reroll,
        "the same operations several times in a row are a loop again",
        "only against code growth, last: a loop has to count",
        plain=True,
    ),
}
RULES: Final = tuple(
    text
    for name, row in PASSES.items()
    for text in ([f"{name}: {rule}" for rule in row.rules] if not isinstance(row, Whole) and row.rules else [name])
)
"""All rewrite rules, as `Report.fired` counts them."""
PIPELINE: Final = (
    "inline", "closures", "closure-facts", "contify", "paste", "parameters", "scalars", "cells", "typefold",
    "handlers", "rethrown", "decisions", "fields", "cse", "typefold", "thread", "paste", "parameters", "algebra",
    "dead-stores", "closed-forms", "licm", "arms", "paste", "spares", "late-iter", "copies", "peel", "split", "sink",
    "displays", "tables", "texts", "extremes", "dce", "rethrown", "operands", "paste",
)  # fmt: skip
NO_TIME: Final = {
    "handlers": "a `try` that nothing comes to costs a step of the machine, but has to be read",
    "rethrown": "likewise a `try` that lets everything pass",
    "displays": "a dict that is filled field by field is one display: `unstructure` has 33 lines, without it 47",
    "operands": "operands stand where they are used: a validator has 15 lines, without it 19, for the same operations",
}
"""Passes without which `bench.ablation` finds nothing slower by more than a twentieth: why they stay."""
SHRINKING: Final = ("merge", "paste", "tails", "reroll", "paste", "parameters", "dce")
"""Against code growth, for functions of more than `CODE_BUDGET` operations: shorter, and a little slower."""
CODE_BUDGET: Final = 8_000


@dataclass
class Report:
    """By the name of the pass: seconds of the processor, runs that changed something, and operations removed."""

    seconds: dict[str, float] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    fired: Counter[str] = field(default_factory=Counter)
    """By the name in `RULES`: how often a rewrite rule was applied."""
    kept: Callable[[], Program] | None = None
    """Gives the program before the pass that `optimize` was told to keep it of, if that pass changed anything."""

    def add(self, name: str, seconds: float, changed: bool, removed: int) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self.changed[name] = self.changed.get(name, 0) + changed
        self.removed[name] = self.removed.get(name, 0) + removed

    def table(self) -> list[dict[str, object]]:
        """A row for each pass: its name, milliseconds, how often it changed something, operations removed."""
        return [
            {
                "pass": name,
                "ms": round(seconds * 1e3, 3),
                "changed": self.changed[name],
                "removed": self.removed[name],
            }
            for name, seconds in self.seconds.items()
        ]


Watch = Callable[[str, Function], None]
"""Called with the name of a pass and the function behind it."""


def optimize(
    program: Program,
    passes: Sequence[str] = PIPELINE,
    *,
    known: Known | None = None,
    given: Mapping[str, Shape] | None = None,
    watch: Watch | None = None,
    keep: str | None = None,
    nameless: bool = False,
) -> tuple[Program, Report]:
    """The program after these passes, and what they did.

    `known` says which global names are bound to which objects as long as the program runs, `given` what is known of
    parameters of the entry, by name.  With `watch` the graph is frozen, so verified, behind each pass.  `keep` names a
    pass behind all passes over programs: the report has the program as it is before that one, if it changes anything.
    `nameless` says that what is used once loses its name before anybody reads it.
    Raises `KeyError` for a pass that does not exist.
    """
    report = Report()
    run = _Run(known or {}, given or {}, report, watch, keep, nameless)
    segment: list[tuple[str, Row | Cleaning]] = []
    for name in passes:
        row = PASSES[name]
        if not isinstance(row, Whole):
            segment.append((name, row))
            continue
        program, segment = run.each(program, segment), []
        program = run.whole(program, name, row)
    return without_unused(run.each(program, segment)), report


def run_passes(function: Function, names: Sequence[str]) -> tuple[Function, list[int]]:
    """The function after these passes; for each block the block that it began as, -1 for a new one.

    Passes over programs have nothing to do with a function alone.
    """
    rows = [(name, row) for name in names if not isinstance(row := PASSES[name], Whole)]
    if not rows or not FlowGraph.takes(function):
        return function, [block.id for block in function.blocks]
    graph = FlowGraph(function)
    _Run({}, {}, Report(), None).on(graph, rows, {})
    return graph.freeze()


def shrink(program: Program, *, known: Known | None = None) -> Program:
    """The program with its functions that are longer than the code budget made shorter."""
    run = _Run(known or {}, {}, Report(), None)
    rows = [(name, row) for name in SHRINKING if not isinstance(row := PASSES[name], Whole)]
    functions = [
        run.function(function, rows, {}) if sum(len(block.ops) for block in function.blocks) > CODE_BUDGET else function
        for function in program.functions
    ]
    if all(new is old for new, old in zip(functions, program.functions)):
        return program
    return replace(program, functions=tuple(functions))


@dataclass(slots=True)
class _Run:
    """One run of some passes over a program."""

    known: Known
    given: Mapping[str, Shape]
    report: Report
    watch: Watch | None
    keep: str | None = None
    nameless: bool = False
    _before: list[Callable[[], Function]] = field(default_factory=list)
    """How to get each function as it was before the pass that is kept aside."""

    def each(self, program: Program, rows: Sequence[tuple[str, Row | Cleaning]]) -> Program:
        """The program with each function behind these passes."""
        functions = [
            self.function(function, rows, self.given if function is program.main else {})
            for function in program.functions
        ]
        if self.keep is not None and self.report.changed.get(self.keep):
            makers = tuple(self._before)
            self.report.kept = lambda: without_unused(replace(program, functions=tuple([make() for make in makers])))
        self._before.clear()
        if all(new is old for new, old in zip(functions, program.functions)):
            return program
        return replace(program, functions=tuple(functions))

    def whole(self, program: Program, name: str, row: Whole) -> Program:
        started = time.process_time()
        news = row.run(program, self.known)
        fewer = sum(map(_length, program.functions)) - sum(map(_length, news.functions))
        self.report.add(name, time.process_time() - started, news is not program, fewer)
        if news is not program:
            self.report.fired[name] += 1
        if self.watch is not None:
            verify_program(news)
            for function in news.functions:
                self.watch(name, function)
        return news

    def function(
        self, function: Function, rows: Sequence[tuple[str, Row | Cleaning]], given: Mapping[str, Shape]
    ) -> Function:
        if not rows or not FlowGraph.takes(function):
            self._before.append(lambda: function)
            return function
        graph = FlowGraph(function)
        graph.nameless = self.nameless
        return graph.freeze()[0] if self.on(graph, rows, given) else function

    def _put_aside(self, graph: FlowGraph, changed: bool) -> None:
        before = graph.copy() if changed else None
        self._before.append(lambda: graph.function if before is None else before.freeze()[0])

    def on(self, graph: FlowGraph, rows: Sequence[tuple[str, Row | Cleaning]], given: Mapping[str, Shape]) -> bool:
        """Run passes on a graph; did anything change?"""
        names = graph.function.signature.names
        shapes: dict[Value, Shape] = {
            param: given[name] for name, param in zip(names, graph.node(0).params) if name in given
        }
        plain = FlowGraph.is_plain(graph.function)
        changed = False
        facts: Inference | None = None
        older: Inference | None = None  # from before a pass that only took away
        before = _count(graph)
        started = time.process_time()
        work = [*reversed(rows)]
        while work:
            name, row = work.pop()
            if name == self.keep:
                self._put_aside(graph, changed)
            if isinstance(row, Cleaning):
                news = (plain or not row.plain) and row.run(graph)
            elif facts is None and row.wanted is not None and not row.wanted(graph):
                news = False
            else:
                known = facts or (older if row.lasting else None)
                if known is None:
                    known = facts = Inference(graph, shapes, self.known)
                news = row.run(graph, known)
            if news:
                older = facts if isinstance(row, Row) and row.takes_away else None
                changed, facts = True, None
                if isinstance(row, Row) and row.then:
                    listed = dict(rows)
                    work.extend((again, listed[again]) for again in reversed(row.then) if again in listed)
            count = _count(graph) if news else before
            ended = time.process_time()
            self.report.add(name, ended - started, news, before - count)
            started, before = ended, count
            if row.rules:
                self.report.fired.update({f"{name}: {rule}": times for rule, times in graph.fired.items()})
            elif news:
                self.report.fired[name] += 1
            graph.fired.clear()
            if self.watch is not None:
                self.watch(name, graph.freeze()[0])
                started = time.process_time()
        return changed


def _count(graph: FlowGraph) -> int:
    return sum([len(node.ops) for node in graph.blocks if node is not None])


def _length(function: Function) -> int:
    return sum([len(block.ops) for block in function.blocks])
