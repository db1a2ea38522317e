"""Control dependence and def-use chains against their definitions, on random graphs and on small programs."""

from __future__ import annotations

from hypothesis import given

from futamura.analysis.cfg import ControlFlow
from futamura.analysis.controldependence import ControlDependence
from futamura.analysis.dependence import ENTER, Dependence
from futamura.frontend.python import lower
from tests.analysis.test_graphs import reach
from tests.strategies import GRAPHS, function_of


def augmented(flow: ControlFlow) -> list[list[int]]:
    """The graph with an exit, to which also leads each block that reaches none; what nothing reaches has no edges."""
    live = flow.reachable()
    exit = len(flow.successors)
    exits = {block for block in live if not flow.successors[block]}
    found = [list(targets) if block in live else [] for block, targets in enumerate(flow.successors)]
    for block in sorted(live):
        if not reach(flow.successors, block) & exits:
            found[block].append(exit)
    for block in exits:
        found[block].append(exit)
    return [*found, []]


@given(GRAPHS)
def test_control_dependence(graph: list[list[int]]) -> None:
    flow = ControlFlow(function_of(graph))
    control = ControlDependence(flow)
    full = augmented(flow)
    exit = len(full) - 1

    def post_dominates(above: int, below: int) -> bool:
        return above == below or exit not in reach(full, below, above)

    live = sorted(flow.reachable())
    for node in live:
        expected = [
            (block, number)
            for block in live
            for number, target in enumerate(flow.successors[block])
            if post_dominates(node, target) and (node == block or not post_dominates(node, block))
        ]
        assert sorted(control.on[node]) == expected
    for block in live:
        assert control.dependents(block) == [n for n in live if any(source == block for source, _ in control.on[n])]


@given(GRAPHS)
def test_closure_is_the_least_closed_set(graph: list[list[int]]) -> None:
    control = ControlDependence(ControlFlow(function_of(graph)))
    found = control.closure([0])
    expected: set[int] = set()
    while True:
        grown = {n for n, on in enumerate(control.on) if any(source == 0 or source in expected for source, _ in on)}
        if grown == expected:
            break
        expected = grown
    assert found == expected


def test_an_endless_loop_depends_on_the_decision_that_enters_it() -> None:
    control = ControlDependence(ControlFlow(function_of([[1, 2], [1], []])))
    assert (0, 0) in control.on[1]
    assert control.on[2] == [(0, 1)]


def test_a_definition_in_front_of_another_does_not_arrive() -> None:
    def subject(a, b):  # type: ignore[no-untyped-def]
        c = a + b
        if a:
            c = b
        a = c
        return a + b

    flow, control = Dependence(lower(subject).program.main).statement_edges()
    top = subject.__code__.co_firstlineno
    assert {(source - top, target - top) for source, target, name in flow if name == "c"} == {(1, 4), (3, 4)}
    assert {(max(source - top, 0), target - top) for source, target, name in flow if name == "a"} == {
        (0, 1), (0, 2), (4, 5),
    }  # fmt: skip
    assert (top + 2, top + 3) in control
    assert (0, top + 4) in control


def test_every_origin_is_a_definition_that_a_path_brings() -> None:
    def subject(n):  # type: ignore[no-untyped-def]
        total = 0
        while n:
            total = total + n
            n = n - 1
        return total

    found = Dependence(lower(subject).program.main)
    flow, control = found.statement_edges()
    top = subject.__code__.co_firstlineno
    pairs = {(source - top if source else 0, target - top, name) for source, target, name in flow}
    assert pairs == {
        (1, 3, "total"), (3, 3, "total"), (1, 5, "total"), (3, 5, "total"),
        (0, 2, "n"), (0, 3, "n"), (0, 4, "n"), (4, 2, "n"), (4, 3, "n"), (4, 4, "n"),
    }  # fmt: skip
    assert {(top + 2, top + 2), (top + 2, top + 3), (top + 2, top + 4), (0, top + 1), (0, top + 5)} <= set(control)
    assert (ENTER, found.function.blocks[0].ops[0].id) in found.control_edges()
