"""The optimizer's passes: translation validation, faults that it must find, and the arithmetic of ranges.

    a fault in a pass (a write that is overlooked ...)    ->    `tools.fuzz_passes` finds it within 1,500 programs

The pictures of what each pass does are golden cases, `tests/cases/optimizer*.test`.
"""

from __future__ import annotations

import collections
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from futamura.cli.main import cli
from futamura.frontend.python import lower
from futamura.ir.constant import Constant
from futamura.ir.evaluate import EVALUATE
from futamura.ir.ops import OPERATORS
from futamura.ir.text import print_program
from futamura.ir.verify import VerificationError
from futamura.optimize import (
    algebra,
    arms,
    available,
    bufferfields,
    cells,
    classtests,
    closurefacts,
    contifying,
    copies,
    dead,
    deadstores,
    decisions,
    displays,
    freevars,
    hoisting,
    inference,
    inlining,
    invariance,
    lateiter,
    lifting,
    operands,
    pathfacts,
    pipeline,
    places,
    refining,
    scalars,
    shapes,
    sinking,
    sites,
    texts,
    threading,
    twins,
    wayplaces,
)
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.layout import Layout
from futamura.optimize.memory import Memory
from futamura.optimize.pipeline import NO_TIME, PASSES, PIPELINE, SHRINKING, optimize, shrink
from futamura.optimize.shapes import Shape, join, known_as, outcome, widened
from tests import golden
from tests.optimize.programs import random_program
from tests.optimize.test_loops import LOOPS, differs
from tools.fuzz_passes import check

APART = {"prune", "invert", "representations"}
"""Passes of no pipeline."""


def _cases() -> list[golden.Case]:
    return [case for file in sorted(golden.CASES.glob("optimizer*.test")) for case in golden.read_cases(file)]


@pytest.mark.parametrize("part", range(4))
def test_random_programs_mean_the_same(part: int) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(part * 1000, part * 1000 + 60):
        assert check(seed, counts, runs=2) == ""
    assert counts["changed"] > 20


def test_random_records_mean_the_same() -> None:
    counts: collections.Counter[str] = collections.Counter()
    passes = ("typefold", "fields", "cse", "typefold", "sink", "dce", "operands")
    for seed in range(800, 1000, 2):
        assert check(seed, counts, runs=2, passes=passes) == ""
    assert counts["changed"] > 20


@pytest.mark.parametrize(("seed", "passes"), [(801376, ("cells", "tails")), (650232, ("cells", "arms"))])
def test_blocks_that_nothing_leads_to_name_no_cell(seed: int, passes: tuple[str, ...]) -> None:
    assert check(seed, collections.Counter(), runs=1, passes=passes) == ""


def test_every_pass_finds_something() -> None:
    changed: collections.Counter[str] = collections.Counter()
    for seed in range(60):
        given = {"a": Shape("int"), "b": Shape("int"), "s": Shape("str"), "xs": Shape("list")}
        _, report = optimize(random_program(seed, 80), (*PIPELINE, *SHRINKING, *sorted(APART)), given=given)
        changed.update(report.changed)
    for case in _cases():
        function, _ = golden.targets_of(golden.world(case), case.target)
        known, given = golden.promises_of(function)
        _, report = optimize(lower(function).program, golden.passes_of(case), known=known, given=given)
        changed.update(report.changed)
    # What `prune` takes away, a verified function does not have: it is for the graphs of other languages; `handlers`,
    # `rethrown` and `spares` are for the try regions of residuals.
    assert {name for name in PASSES if not changed[name]} == {"prune", "handlers", "rethrown", "spares"}


def test_pipeline_is_made_of_passes() -> None:
    assert {name for name in PASSES if name not in PIPELINE and name not in SHRINKING} == APART
    assert all(row.what and row.why_here for row in PASSES.values())
    assert set(NO_TIME) <= set(PIPELINE) and all(NO_TIME.values())


@pytest.mark.interpreted
def test_long_functions_are_made_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = [case for case in _cases() if case.name == "reroll_appends"]
    function, _ = golden.targets_of(golden.world(case), case.target)
    program = lower(function).program
    assert shrink(program) is program
    monkeypatch.setattr(pipeline, "CODE_BUDGET", 10)
    shorter = shrink(program)
    assert len(list(shorter.main.operations())) < len(list(program.main.operations()))


def test_twice_is_once() -> None:
    for seed in range(40):
        once, _ = optimize(random_program(seed))
        twice, _ = optimize(once)
        again, _ = optimize(twice)
        assert print_program(again) == print_program(twice), seed


# -------------------------------------------------------------------- faults


def _patched(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, change: Callable[[Any], Any]) -> None:
    monkeypatch.setattr(owner, name, change(getattr(owner, name)))


def _without_attribute(old: Any) -> Any:
    def key(self: Any, op: Any, versions: Any) -> object:
        found = old(self, op, versions)
        return None if found is None else (found[0], None, *found[2:])

    return key


def _without_handler(old: Any) -> Any:
    def made(self: Any, loop: Any) -> int:
        at: int = old(self, loop)
        node = self._graph.node(at)
        if node.handler is not None:
            node.handler = node.handler._replace(args=node.handler.args[::-1])
        return at

    return made


def _first_stored(graph: FlowGraph, captures: object) -> dict[int, int]:
    stored: dict[int, int] = {}
    reads: dict[int, int] = {}
    for _, node in graph.nodes():
        for op in node.ops:
            if op.name == "cell_set":
                stored.setdefault(op.args[1], op.args[0])
            elif op.name == "cell" and op.args:
                stored.setdefault(op.results[0], op.args[0])
            elif op.name == "cell_get" and op.args[0] in stored:
                reads[op.results[0]] = stored[op.args[0]]
    return reads


def _closures_believe_all(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(closurefacts, "settled_cells", lambda graph, captures: {0})
    patch.setattr(closurefacts, "settled_reads", _first_stored)


FAULTS: dict[str, Callable[[pytest.MonkeyPatch], object]] = {
    "writes are overlooked": lambda patch: _patched(
        patch, Memory, "step", lambda old: lambda self, versions, op: versions
    ),
    "an addition keeps its upper bound": lambda patch: _patched(
        patch, shapes, "_RANGES", lambda old: {**old, "add": lambda a, b: (a.low, a.high)}
    ),
    "less means less or equal": lambda patch: _patched(
        patch, shapes, "_below", lambda old: lambda a, b, strict: old(a, b, False)
    ),
    "the other way of a branch": lambda patch: _patched(
        patch, inference.Inference, "may_go", lambda old: lambda self, node, number: old(self, node, number ^ 1)
        if node.end.name == "branch" else old(self, node, number)
    ),
    "what may raise is dead": lambda patch: _patched(
        patch, dead, "counts",
        lambda old: lambda op, facts: bool(facts.fact(op).effects.writes or facts.fact(op).effects.calls),
    ),
    "what has an effect is skipped": lambda patch: _patched(
        patch, arms, "counts", lambda old: lambda op, facts: bool(facts.fact(op).raises)
    ),
    "the ways of a branch are confused": lambda patch: _patched(
        patch, arms._Arms, "_told", lambda old: lambda self, node: old(self, node)[::-1]
    ),
    "operands of twins do not count": lambda patch: _patched(
        patch, arms._Twins, "_equal", lambda old: lambda self, gone, stays: len(gone) == len(stays)
    ),
    "everything is a list": lambda patch: _patched(
        patch, copies, "_COPIED", lambda old: frozenset({*old, "object", "str"})
    ),
    "what is made before the loop is not looked at": lambda patch: _patched(
        patch, lateiter, "_may_come_before", lambda old: lambda op, iterator, facts: iterator not in op.args
    ),
    "what may raise is sunk": lambda patch: _patched(
        patch, sinking._Sinking, "_reads",
        lambda old: lambda self, op: frozenset() if len(op.results) == 1 and op.name != "const" else None,
    ),
    "what is read may be sunk anywhere": lambda patch: _patched(
        patch, sinking._Sinking, "_is_unwritten", lambda old: lambda self, reads, before, target: True
    ),
    "copies keep the name of the first": lambda patch: _patched(
        patch, sinking._Sinking, "_rename", lambda old: lambda self, user, one, new: None
    ),
    "nobody reads a new container": lambda patch: _patched(
        patch, displays._Merging, "taken",
        lambda old: lambda self, value, at, op: [use for use in self._uses[value] if use.items],
    ),
    "places lead to no other": lambda patch: _patched(
        patch, wayplaces.WayPlaces, "_are_apart", lambda old: lambda self, here, targets: True
    ),
    "every text is an exact string": lambda patch: _patched(
        patch, texts._Join, "_is_text", lambda old: lambda self, value: True
    ),
    "every operand may move": lambda patch: _patched(
        patch, operands._Operands, "_may_move",
        lambda old: lambda self, op: len(op.results) == 1 and self._uses[op.results[0]] == 1,
    ),
    "every buffer is long enough": lambda patch: _patched(
        patch, bufferfields._Fields, "_one_by_one", lambda old: lambda self, node, group, after, moved:
        self._at_once(node, group, after),
    ),
    "no place is negative": lambda patch: _patched(patch, bufferfields, "_is_natural", lambda old: lambda shape: True),
    "slices cannot raise": lambda patch: _patched(
        patch, inference.Inference, "_is_part",
        lambda old: lambda self, op, shapes: shapes[0].type == "bytes" and shapes[1].type == "slice",
    ),
    "what may be of other classes is of one": lambda patch: _patched(
        patch, closurefacts, "_member", lambda old: lambda fact, asked: old(fact, asked) is not False
    ),
    "what moves between fields is not looked at": lambda patch: _patched(
        patch, bufferfields._Fields, "_is_unnoticed", lambda old: lambda self, op, group: True
    ),
    "closures are told what was stored first": _closures_believe_all,
    "tests in front of a closure failed": lambda patch: _patched(
        patch, closurefacts, "_asked",
        lambda old: lambda facts, condition, holds: old(facts, condition, not holds),
    ),
    "what may raise is moved": lambda patch: _patched(
        patch, hoisting._Hoister, "_moves",
        lambda old: lambda self, op, writes, first: old(self, op, writes, True),
    ),
    "writes in the loop are forgotten": lambda patch: _patched(
        patch, invariance.Rounds, "written", lambda old: lambda self, graph, memory, nodes: frozenset()
    ),
    "a preheader confuses what the handler gets": lambda patch: _patched(
        patch, hoisting._Motion, "_preheader", _without_handler
    ),
    "the first round executes all": lambda patch: _patched(
        patch, Layout, "on_all_ways", lambda old: lambda self, top, bottoms: self.order
    ),
    "joins are forgotten": lambda patch: _patched(patch, twins._Joins, "run", lambda old: lambda self: None),
    "attributes do not count": lambda patch: _patched(patch, available._Search, "_key", _without_attribute),
    "all masks are one": lambda patch: _patched(
        patch, algebra._Chains, "_under_mask", lambda old: lambda self, value, low: old(self, value, 0)
    ),
    "subtraction is associative": lambda patch: _patched(
        patch, algebra._Chains, "_step",
        lambda old: lambda self, name, value, constant, kind: old(self, "add", value, constant, kind),
    ),
    "different values are different places": lambda patch: _patched(
        patch, places.Places, "apart", lambda old: lambda self, one, other: one != other
    ),
    "every variable of the caller is full": lambda patch: _patched(
        patch, inlining, "filled_at",
        lambda old: lambda graph, captures, ids: dict.fromkeys(
            ids, frozenset(op.results[0] for _, node in graph.nodes() for op in node.ops if op.name == "cell")
        ),
    ),
    "nested functions write nothing": lambda patch: _patched(
        patch, freevars.Captures, "of", lambda old: lambda self, name: tuple(uses - {"set"} for uses in old(self, name))
    ),
    "a variable holds what was stored first": lambda patch: _patched(
        patch, sites, "settled_reads", lambda old: _first_stored
    ),
    "variables are passed in another order": lambda patch: _patched(
        patch, lifting, "captured_cells", lambda old: lambda op: old(op)[::-1]
    ),
    "what is called returns for its caller": lambda patch: _patched(
        patch, contifying._Contifier, "_is_last", lambda old: lambda self, site: True
    ),
    "what is caught is not looked at": lambda patch: _patched(
        patch, contifying._Contifier, "_may_go_around", lambda old: lambda self, sites: True
    ),
    "nothing is needed behind a test": lambda patch: _patched(
        patch, threading, "_needing", lambda old: lambda home, users, sources: set()
    ),
    "a test is decided the other way": lambda patch: _patched(
        patch, threading, "_computed",
        lambda old: lambda op, values: (
            Constant(not found.value) if (found := old(op, values)) and type(found.value) is bool else found
        ),
    ),
    "every key is there": lambda patch: _patched(
        patch, scalars, "_leave_out_unfilled", lambda old: lambda graph, found: None
    ),
    "parts are unpacked backwards": lambda patch: _patched(
        patch, scalars, "_parts",
        lambda old: lambda op, made: (found[::-1] if (found := old(op, made)) and op.name == "unpack" else found),
    ),
    "handlers read no variables": lambda patch: _patched(
        patch, cells, "_may_be_values", lambda old: lambda graph, live, one, layout: 0 not in live
    ),
    "a store leaves what is known of all other places": lambda patch: _patched(
        patch, available._Search, "_stamp", lambda old: lambda self: 1
    ),
    "a condition holds in the handler of its block": lambda patch: [
        _patched(
            patch, refining.Conditions, name,
            lambda old: lambda self, node, number: old(self, node, min(number, len(node.end.edges) - 1)),
        )
        for name in ("told", "under")
    ],
    "no store can raise": lambda patch: _patched(
        patch, deadstores._Search, "_safe",
        lambda old: lambda self, node: frozenset(op.id for op in node.ops if op.name == "setitem"),
    ),
    "answers survive what is written": lambda patch: _patched(
        patch, pathfacts.Expressions, "_read", lambda old: lambda self, reads, versions: ()
    ),
    "a subject that is not one constant is any other": lambda patch: _patched(
        patch, decisions, "learned", lambda old: lambda test, fact, first: old(test, fact, True)
    ),
    "no bool is an int": lambda patch: _patched(
        patch, pathfacts, "tested_kinds", lambda old: lambda classes: classtests.Kinds(frozenset({classes}))
    ),
    "what is known meets in the first arrival": lambda patch: _patched(
        patch, decisions, "meet", lambda old: lambda one, other: one
    ),
    "handlers read nothing": lambda patch: _patched(
        patch, deadstores._Search, "_behind",
        lambda old: lambda self, node, before: old(self, node, dict.fromkeys(before, self.places)),
    ),
}  # fmt: skip


def _a_case_differs() -> bool:
    """Does a golden case of the optimizer mean something else than the original?"""
    for case in _cases():
        try:
            original, result = golden.world(case), golden.replaced(case)
        except VerificationError:
            return True
        for _, line in case.runs:
            expression = line.partition(" raises ")[0]
            if golden.run(original, expression) != golden.run(result, expression):
                return True
    return False


def _a_loop_differs() -> bool:
    return any(differs(text, name) for text in LOOPS for name in ("licm", "peel", "invert"))


@pytest.mark.interpreted
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[name](monkeypatch)
    counts: collections.Counter[str] = collections.Counter()
    seeds = range(120)  # with fuel: a fault may make a loop endless
    found = any(check(seed, counts, runs=3, passes=PIPELINE if seed % 2 else ()) for seed in seeds)
    assert found or _a_case_differs() or _a_loop_differs()


# -------------------------------------------------------------------- shapes


def _shape(low: int | None, high: int | None) -> Shape:
    return Shape("int", low, high)


BOUNDS = st.tuples(st.one_of(st.none(), st.integers(-20, 20)), st.one_of(st.none(), st.integers(0, 25))).map(
    lambda pair: (pair[0], None if pair[1] is None else (pair[0] if pair[0] is not None else -9) + pair[1])
)


def _member(number: random.Random, low: int | None, high: int | None) -> int:
    first = low if low is not None else (high or 0) - number.choice((0, 5, 1 << 40))
    last = high if high is not None else first + number.choice((0, 7, 1 << 40))
    return number.choice((first, last, number.randint(min(first, last), max(first, last))))


@given(
    st.sampled_from(["add", "sub", "mul", "and", "or", "xor", "mod", "floordiv", "rshift", "lt", "le", "gt", "ge", "eq",
                     "ne", "isub", "iadd"]),
    BOUNDS, BOUNDS, st.integers(),
)  # fmt: skip
def test_ranges_hold_what_comes_out(
    name: str, one: tuple[int | None, int | None], other: tuple[int | None, int | None], seed: int
) -> None:
    number = random.Random(seed)
    left, right = _shape(*one), _shape(*other)
    fact = OPERATORS[name].fact(("int", "int"))
    found = outcome(OPERATORS[name], (left, right), None, fact.result)
    evaluate = EVALUATE[name]
    for _ in range(8):
        values = (_member(number, *one), _member(number, *other))
        try:
            result: Any = evaluate(values, None)
        except (ZeroDivisionError, ValueError, OverflowError, MemoryError):
            continue
        assert found.low is None or found.low <= result, (found, values)
        assert found.high is None or result <= found.high, (found, values)
        assert found.constant is None or found.constant == Constant(result), (found, values)


@given(BOUNDS, BOUNDS)
def test_join_and_widening_hold_both(one: tuple[int | None, int | None], other: tuple[int | None, int | None]) -> None:
    both = join(_shape(*one), _shape(*other))
    wide = widened(_shape(*one), both)
    for low, high in (one, other):
        for shape in (both, wide):
            assert shape.low is None or (low is not None and shape.low <= low)
            assert shape.high is None or (high is not None and shape.high >= high)


def test_constants_are_told_apart() -> None:
    assert join(known_as(Constant(1)), known_as(Constant(True))).constant is None
    assert join(known_as(Constant(0.0)), known_as(Constant(-0.0))).constant is None


# -------------------------------------------------------------------- the command


def test_command(tmp_path: Path) -> None:
    source = tmp_path / "subject.py"
    source.write_text("def f(x):\n    y = 1 + 2\n    return x + y\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["opt", f"{source}:f"])
    assert done.exit_code == 0 and "y = 3" in done.output
    done = CliRunner().invoke(cli, ["ir", f"{source}:f", "-o", str(tmp_path / "f.ir")])
    assert done.exit_code == 0
    done = CliRunner().invoke(cli, ["opt", "--without", "dce", str(tmp_path / "f.ir")])
    assert done.exit_code == 0 and "const 3" in done.output and "const 2" in done.output
    text = "L0:\n  read a\n  if a then goto L1 else goto L2\nL1:\n  return 7\nL2:\n  return 7\n"
    (tmp_path / "f.flow").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(cli, ["opt", "--passes", "merge", "--statistics", str(tmp_path / "f.flow")])
    assert done.exit_code == 0 and done.output.count("return") == 1 and "merge" in done.output
    done = CliRunner().invoke(cli, ["opt", "--passes", "merge", "--print-after", "dce", str(tmp_path / "f.flow")])
    assert done.exit_code == 2 and "'dce' is not among the passes that run: merge" in done.output
    done = CliRunner().invoke(cli, ["opt", "--passes", "merge", "--without", "dce", str(tmp_path / "f.flow")])
    assert done.exit_code == 2 and "'dce' is not among the passes of --passes" in done.output
    done = CliRunner().invoke(cli, ["opt", "--passes", "nothing", str(tmp_path / "f.ir")])
    assert done.exit_code == 2 and "there is no pass 'nothing'" in done.output
