"""The pipeline as data: which passes run, in which order, and why there.

    optimize(program, known={("m", "len"): len})            ->   the program, and what each pass did
    optimize(program, passes=("typefold", "dce"))           ->   these two, in this order

Every function of the program is taken alone; those with guards come back as they are.  The facts (`inference.py`) are
inferred anew for a pass that uses them if one before changed what they were about.

Invariant: the result means what the program meant; it is verified when it is frozen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from futamura.ir.graph import Function, Program, Value
from futamura.optimize.algebra import algebra
from futamura.optimize.available import cse
from futamura.optimize.cleaning import paste, prune
from futamura.optimize.dead import dce
from futamura.optimize.deadstores import dead_stores
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.hoisting import licm
from futamura.optimize.inference import Inference, Known
from futamura.optimize.parameters import same_parameters
from futamura.optimize.shapes import Shape
from futamura.optimize.typefold import typefold

__all__ = ["PASSES", "PIPELINE", "Cleaning", "Report", "Row", "optimize"]


class Row(NamedTuple):
    """A pass that uses facts: what it runs, what it is for, and why it stands where it does."""

    run: Callable[[FlowGraph, Inference], bool]
    what: str
    why_here: str


class Cleaning(NamedTuple):
    """A pass that looks at the graph alone."""

    run: Callable[[FlowGraph], bool]
    what: str
    why_here: str


def _lines(graph: FlowGraph) -> bool:
    pruned = prune(graph)
    return paste(graph) or pruned


PASSES: Final[dict[str, Row | Cleaning]] = {
    "paste": Cleaning(
        _lines,
        "straight lines are one block",
        "first: passes that look at one block see more",
    ),
    "parameters": Cleaning(
        same_parameters,
        "parameters and copies that are always one value are that value",
        "early: the fewer names a value has, the more the others see",
    ),
    "typefold": Row(
        typefold,
        "constants, decided branches and neutral operations from types and ranges",
        "before cse: what it folds need not be looked up; after it once more, for conditions that became the same",
    ),
    "cse": Row(
        cse,
        "what is available on every way is not computed again",
        "before licm, which would move each copy; it leaves dead operations and decided branches",
    ),
    "algebra": Row(
        algebra,
        "chains of operations with constants become one",
        "behind cse, which connects steps that go through memory",
    ),
    "dead-stores": Row(
        dead_stores,
        "what is stored over before anybody reads it is not stored",
        "behind cse, which needs the stores no more, and algebra, which needs the values between no more",
    ),
    "licm": Row(
        licm,
        "what does not change in a loop is computed before it",
        "when all is folded, and equal operations are one",
    ),
    "dce": Row(
        dce,
        "what nothing needs is taken away",
        "last: every other pass leaves things behind",
    ),
}
PIPELINE: Final = (
    "paste", "parameters", "typefold", "cse", "typefold", "paste", "parameters", "algebra", "dead-stores", "licm",
    "dce",
)  # fmt: skip


@dataclass
class Report:
    """By the name of the pass: seconds, runs that changed something, and operations removed."""

    seconds: dict[str, float] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)

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
) -> tuple[Program, Report]:
    """The program after these passes, and what they did.

    `known` says which global names are bound to which objects as long as the program runs, `given` what is known of
    parameters of the entry, by name.  With `watch` the graph is frozen, so verified, behind each pass.  Raises
    `KeyError` for a pass that does not exist.
    """
    report = Report()
    rows = [(name, PASSES[name]) for name in passes]
    functions = []
    for function in program.functions:
        shapes = given if given and function is program.main else {}
        functions.append(_optimized(function, rows, known, shapes, report, watch))
    return replace(program, functions=tuple(functions)), report


def _optimized(
    function: Function,
    rows: Sequence[tuple[str, Row | Cleaning]],
    known: Known | None,
    given: Mapping[str, Shape],
    report: Report,
    watch: Watch | None,
) -> Function:
    if not rows or not FlowGraph.takes(function):
        return function
    graph = FlowGraph(function)
    names = function.signature.names
    shapes: dict[Value, Shape] = {
        param: given[name] for name, param in zip(names, graph.node(0).params) if name in given
    }
    changed = False
    facts: Inference | None = None
    for name, row in rows:
        started = time.perf_counter()
        before = _count(graph)
        if isinstance(row, Cleaning):
            news = row.run(graph)
        else:
            facts = facts or Inference(graph, shapes, known)
            news = row.run(graph, facts)
        if news:
            changed, facts = True, None
        report.add(name, time.perf_counter() - started, news, before - _count(graph))
        if watch is not None:
            watch(name, graph.freeze()[0])
    return graph.freeze()[0] if changed else function


def _count(graph: FlowGraph) -> int:
    return sum([len(node.ops) for _, node in graph.nodes()])
