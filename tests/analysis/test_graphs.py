"""Control flow, dominators, post-dominators, loops and liveness against their definitions, on random graphs."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from futamura.analysis.cfg import ControlFlow
from futamura.analysis.dominators import Dominators, dominators, post_dominators
from futamura.analysis.liveness import Liveness, end_uses
from futamura.analysis.loops import loops
from tests.fuzz.graphs import random_function
from tests.strategies import GRAPHS, function_of


def reach(successors: list[list[int]], start: int, without: int = -1) -> set[int]:
    """What `start` reaches when the node `without` is taken away."""
    if start == without:
        return set()
    seen, work = {start}, [start]
    while work:
        for target in successors[work.pop()]:
            if target not in seen and target != without:
                seen.add(target)
                work.append(target)
    return seen


@given(GRAPHS)
def test_dominators(graph: list[list[int]]) -> None:
    flow = ControlFlow(function_of(graph))
    tree = dominators(flow)
    check_tree(tree, flow.successors, 0)


def check_tree(tree: Dominators, successors: list[list[int]], root: int) -> None:
    everything = reach(successors, root)
    assert sorted(everything) == sorted(tree.order)
    strict: dict[int, set[int]] = {node: set() for node in everything}
    for above in everything:
        cut = everything - reach(successors, root, above)
        for below in everything:
            assert tree.dominates(above, below) == (below in cut)
            if below in cut and below != above:
                strict[below].add(above)
    for node in everything - {root}:
        parent = tree.parent[node]
        assert parent in strict[node]
        assert strict[node] == strict[parent] | {parent}
    for node in everything:
        expected = {
            target
            for source in everything
            for target in successors[source]
            if tree.dominates(node, source) and not (tree.dominates(node, target) and node != target)
        }
        assert set(tree.frontiers()[node]) == expected
    assert sum(len(below) for below in tree.children()) == len(everything) - 1
    for node in set(range(len(successors))) - everything:
        assert tree.parent[node] == -1
        assert not any(tree.dominates(node, other) or tree.dominates(other, node) for other in everything)


HARD = {
    "a chain whose blocks may all leave for one join": (
        lambda size: [*([node + 1, size] for node in range(size - 1)), [size], []],
        lambda size: [0, *range(size - 1), 0],
    ),
    "two rails with rungs both ways": (
        lambda size: [[1, 2], *([min(at + 2, size), at + 1 if at % 2 else at - 1] for at in range(1, size)), []],
        lambda size: [0] * (size + 1),
    ),
}


@pytest.mark.parametrize("shape", HARD)
def test_dominators_do_not_take_quadratic_time(shape: str) -> None:
    """An iteration that walks up the tree takes minutes here."""
    graph, parents = HARD[shape]
    size = 60_001
    assert Dominators(graph(size), 0).parent == parents(size)


@given(GRAPHS)
def test_post_dominators(graph: list[list[int]]) -> None:
    """Dominators of the reversed graph, all blocks included, whatever loops are endless."""
    flow = ControlFlow(function_of(graph))
    tree = post_dominators(flow)
    exit = len(graph)
    reachable = set(flow.order)
    backwards = [list(sources) for sources in flow.predecessors]
    assert reachable <= set(tree.order)
    exits = [node for node in reachable if not flow.successors[node]]
    assert all(tree.parent[node] == exit for node in exits)
    if reachable == set(range(exit)) and all(reach(flow.successors, node) & set(exits) for node in reachable):
        # No endless loop: exactly the textbook definition.
        check_tree(tree, [*backwards, sorted(exits)], exit)


@given(GRAPHS)
def test_order(graph: list[list[int]]) -> None:
    flow = ControlFlow(function_of(graph))
    rank = {node: position for position, node in enumerate(flow.order)}
    assert set(rank) == reach(flow.successors, 0)
    tree = dominators(flow)
    for node in flow.order:
        assert rank[tree.parent[node]] <= rank[node]
        assert flow.predecessors[node].count(0) == flow.successors[0].count(node)


@given(GRAPHS)
def test_loops(graph: list[list[int]]) -> None:
    flow = ControlFlow(function_of(graph))
    found = loops(flow)
    everything = reach(flow.successors, 0)
    on_cycle = {node for node in everything if any(node in reach(flow.successors, t) for t in flow.successors[node])}
    assert {node for node in everything if found.around[node] >= 0} == on_cycle
    for loop in found.forest:
        outside = {
            target for node in everything - loop.nodes for target in flow.successors[node] if target in loop.nodes
        }
        assert set(loop.entries) >= outside
        assert loop.header in loop.entries
        inside = [
            [target for target in targets if target in loop.nodes and node in loop.nodes]
            for node, targets in enumerate(flow.successors)
        ]
        assert all(reach(inside, node) == loop.nodes for node in loop.nodes)
        if loop.parent >= 0:
            outer = found.forest[loop.parent]
            assert loop.nodes < outer.nodes and outer.header not in loop.nodes
            assert loop.depth == outer.depth + 1
    # Hecht and Ullman: reducible means that every edge back in some depth-first order leads to a dominator.
    tree = dominators(flow)
    rank = {node: position for position, node in enumerate(flow.order)}
    retreating = [(a, b) for a in everything for b in flow.successors[a] if rank[b] <= rank[a]]
    assert found.reducible == all(tree.dominates(b, a) for a, b in retreating)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_liveness(seed: int) -> None:
    """A value is live at a point if some way leads from there to a use, not through its definition."""
    function = random_function(random.Random(seed), 14)
    found = Liveness(function)
    uses: list[set[int]] = []
    defined: list[set[int]] = []
    for block in function.blocks:
        own = set(block.params)
        used: set[int] = set()
        for operation in block.ops:
            used |= set(operation.args) - own
            own |= set(operation.results)
        used |= set(end_uses(block.terminator)) - own
        if block.handler is not None:
            used |= set(block.handler.args) - set(block.params)
        uses.append(used)
        defined.append(own)
    flow = ControlFlow(function)
    for block in [function.blocks[number] for number in flow.order]:
        live: set[int] = set()
        for value in range(len(function.hints)):
            seen, work = set(), [block.id]
            while work:
                node = work.pop()
                if node in seen:
                    continue
                seen.add(node)
                if value in uses[node]:
                    live.add(value)
                    break
                if value not in defined[node]:
                    work.extend(flow.successors[node])
        live -= set(block.params)
        assert found.into(block.id) == sorted(live)
        assert set(found.at(block.id, 0)) - set(block.params) == live
        after = set(found.at(block.id, len(block.ops)))
        assert set(end_uses(block.terminator)) <= after
