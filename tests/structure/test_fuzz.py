"""A slice of the trace fuzzing, and bugs that it must catch.

    sample(7) -> a shape; difference(shape) -> None, or what differs

Invariant: each planted bug changes one thing in the structurer or its result, and is found within a few hundred shapes.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable

import pytest

from futamura.backend.structure import graph, idioms, lowering, structure
from futamura.backend.structure.graph import Graph
from futamura.backend.structure.shape import Edge, Goto, Leave, Node, Shape
from futamura.backend.structure.shape import Test as Branch
from futamura.backend.structure.tree import (
    Break,
    Continue,
    For,
    Guarded,
    If,
    SetFlag,
    Statement,
    Suite,
    While,
    parts_of,
)
from tests.structure.fuzz import build, difference, sample
from tests.structure.rendering import render

SECONDS = 1.0
ENOUGH = 1500


def test_slice() -> None:
    stop = time.perf_counter() + SECONDS
    seed = 0
    while time.perf_counter() < stop or seed < 100:
        problem = difference(sample(seed), seed)
        assert problem is None, f"seed {seed}: {problem}"
        seed += 1


def test_slice_with_dispatchers() -> None:
    for seed in range(120):
        problem = difference(sample(seed), seed, lambda shape: build(shape, 0))
        assert problem is None, f"seed {seed}: {problem}"


@pytest.mark.interpreted
def test_slice_with_tight_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if CPython took 2 nested loops and 4 levels: flattened loops, arms cut off."""
    monkeypatch.setattr(structure, "BLOCK_LIMIT", 2)
    monkeypatch.setattr(structure, "INDENTATION_LIMIT", 4)
    monkeypatch.setattr(structure, "CUTS", (3, 2, 1))
    monkeypatch.setattr(structure, "LOOP_DEPTHS", (1, 0))
    for seed in range(160, 300):
        problem = difference(sample(seed), seed)
        assert problem is None, f"seed {seed}: {problem}"


def test_deep_nesting_stays_within_the_limits_of_cpython() -> None:
    for loops, arms in ((60, 1), (300, 1), (1, 400), (1, 3000), (12, 12)):
        suite = build(nested(loops, arms))
        compile("\n".join(["def f(c, t):", *render(suite, 1)]), "<test>", "exec")


def nested(loops: int, arms: int) -> Shape:
    """`while c: if c: if c: ... while c: ...`, each arm with an else."""
    nodes: dict[int, Node] = {}
    back = 1
    nodes[0] = Node(0, [], Goto(Edge(2)))
    nodes[1] = Node(1, [], Leave("return None"))
    id = 2
    for _ in range(loops):
        header = id
        nodes[header] = Node(header, [], Branch("c()", Edge(id + 1), Edge(back)))
        id += 1
        for _ in range(arms):
            nodes[id] = Node(id, [f"t({id})"], Branch("c()", Edge(id + 2), Edge(id + 1)))
            nodes[id + 1] = Node(id + 1, [f"t({id})"], Goto(Edge(header)))
            id += 2
        back = header
    nodes[id] = Node(id, ["t(0)"], Goto(Edge(back)))
    return Shape(nodes, 0)


@pytest.mark.interpreted
def test_big_unstructured_graphs_do_not_explode() -> None:
    """Calls are counted, whose number no machine changes; ten times the usual ones are an explosion."""
    rng = random.Random(3)
    count = 1000
    nodes = {}
    for id in range(count):
        first, second = Edge(rng.randrange(count)), Edge(rng.randrange(count))
        end = Branch(f"c({id})", first, second) if rng.random() < 0.7 or id < 3 else Goto(first)
        nodes[id] = Node(id, [f"t({id})"], end)
    calls: Counter[str] = Counter()
    sys.setprofile(lambda frame, event, argument: calls.update([event]))
    try:
        suite = build(Shape(nodes, 0))
    finally:
        sys.setprofile(None)
    assert 100 * count < calls["call"] + calls["c_call"] < 7000 * count
    text = render(suite, 1)
    assert len(text) < 8 * count
    compile("\n".join(["def f(c, t):", *text]), "<test>", "exec")


def test_the_output_is_deterministic_and_the_shape_unchanged() -> None:
    for seed in range(40):
        shape = sample(seed).shape
        before = repr(shape)
        assert repr(build(shape)) == repr(build(shape))
        assert repr(shape) == before


def caught(make: Callable[[Shape], Suite]) -> bool:
    return any(difference(sample(seed), seed, make) is not None for seed in range(ENOUGH))


def each_suite(suite: Suite) -> list[Suite]:
    found = [suite]
    for current in found:
        for statement in current:
            found.extend(parts_of(statement))
    return found


def in_tree(change: Callable[[Suite], None]) -> Callable[[Shape], Suite]:
    def make(shape: Shape) -> Suite:
        suite = build(shape)
        for inner in each_suite(suite):
            change(inner)
        return suite

    return make


def swap_arms(suite: Suite) -> None:
    for statement in suite:
        if isinstance(statement, If) and statement.then and statement.orelse:
            statement.negated = not statement.negated


def else_into_body(suite: Suite) -> None:
    for statement in suite:
        if isinstance(statement, Guarded) and statement.orelse:
            statement.body.extend(statement.orelse)
            statement.orelse = []


def loop_else_behind(suite: Suite) -> None:
    for place, statement in enumerate(suite):
        if isinstance(statement, (For, While)) and statement.orelse:
            suite[place + 1 : place + 1] = statement.orelse
            statement.orelse = []
            return


def forget_flags(suite: Suite) -> None:
    for statement in suite:
        if isinstance(statement, SetFlag) and statement.name.startswith("_exit"):
            statement.value = 0


def break_for_continue(suite: Suite) -> None:
    for place, statement in enumerate(suite):
        if isinstance(statement, Continue):
            suite[place] = Break()


def drop_last_handler(suite: Suite) -> None:
    for statement in suite:
        if isinstance(statement, Guarded) and len(statement.handlers) > 1:
            statement.handlers.pop()


@pytest.mark.parametrize(
    "change",
    [swap_arms, else_into_body, loop_else_behind, forget_flags, break_for_continue, drop_last_handler],
    ids=lambda change: change.__name__,
)
def test_changed_trees_are_caught(change: Callable[[Suite], None]) -> None:
    assert caught(in_tree(change))


@pytest.mark.interpreted
def test_lost_moves_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def moved(graph: Graph, extent: int, target: int, moves: tuple[object, ...]) -> int:
        return target

    monkeypatch.setattr(graph, "_moved", moved)
    assert caught(build)


@pytest.mark.interpreted
def test_threading_across_extents_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Graph, "holds", lambda self, outer, inner: True)
    assert caught(_quiet)


def _quiet(shape: Shape) -> Suite:
    """Wrong labels may also end in an error: that is caught too."""
    try:
        return build(shape)
    except (KeyError, IndexError) as error:
        raise AssertionError(str(error)) from error


@pytest.mark.interpreted
def test_stale_flags_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "reset_before_breaks", lambda loop, flag: None)
    assert caught(build)


@pytest.mark.interpreted
def test_a_forgotten_negation_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def finish(statement: If, suite: Suite, explicit: Statement | None) -> None:
        idioms.finish_if(statement, suite, explicit)
        statement.negated = False

    monkeypatch.setattr(lowering, "finish_if", finish)
    assert caught(build)


@pytest.mark.interpreted
def test_an_unrepaired_irreducible_graph_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "_reducible_flows", structure.flows)
    assert caught(_quiet)
