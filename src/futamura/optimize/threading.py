"""Jump threading: a jump to a test whose outcome is known where the jump stands goes where the test would send it.

    b1(): v2 = const True; jump b3(v2)                   b1(): jump b4()
    b2(): v5 = ...; jump b3(v5)                          b2(): v5 = ...; jump b3(v5)
    b3(v6): v7 = truth v6; branch v7 -> b4() | b5()      b3(v6): v7 = truth v6; branch v7 -> b4() | b5()

A flag that says how a loop ended, what `and` and `or` leave behind, a result that is None on one way: each is set in
one place and tested in another.  A block is looked through if all that it does is to compute its test, by operations
that have no effect, from what is passed to it and from constants; a way into it is led past it if the constants that
it passes decide the test.  What the block hands on is then handed on by the way itself.

Requires: nothing; finds more behind `parameters` and `typefold`.  Ensures: fewer tests on the ways; no loop
gets another entry.
Invariant: a way is led only to where nothing needs what the block defines, so that no join is needed; handler edges are
left alone.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.layout import Layout

__all__ = ["thread"]

MOST_TESTED: Final = 6
"""Operations in a block that is looked through."""
_TESTS: Final = frozenset({"truth", "not", "is", "is_not", "eq", "ne", "lt", "le", "gt", "ge"})
_TYPES: Final = frozenset({bool, int, str, float, bytes, type(None)})


def thread(graph: FlowGraph) -> bool:
    """Lead ways past tests that they decide; did anything change?"""
    tests = _tests(graph)
    if not tests:
        return False
    loops = Layout(graph).loops()
    before = [(node, node.end) for _, node in graph.nodes()]
    if not _thread(graph, tests):
        return False
    crossed = sum([loop.irreducible for loop in loops])
    if sum([loop.irreducible for loop in Layout(graph).loops()]) <= crossed:
        return True
    # A loop that can be entered at several places is worse than a test: leave the tests of loops alone.
    for node, end in before:
        node.end = end
    headers = {loop.header for loop in loops}
    changed = _thread(graph, {at: needing for at, needing in tests.items() if at not in headers})
    if sum([loop.irreducible for loop in Layout(graph).loops()]) <= crossed:
        return changed
    for node, end in before:
        node.end = end
    return False


def _thread(graph: FlowGraph, tests: dict[int, set[int]]) -> bool:
    constants = {
        op.results[0]: op.attr
        for _, node in graph.nodes()
        for op in node.ops
        if op.name == "const" and isinstance(op.attr, Constant)
    }
    changed = False
    for _, node in graph.nodes():
        edges = []
        for edge in node.end.edges:
            seen: set[int] = set()
            while edge.target in tests and edge.target not in seen and not _binds(node, edge):
                seen.add(edge.target)
                target = graph.node(edge.target)
                past = _past(target, edge, constants)
                if past is None or target.region != node.region or past.target in tests[edge.target]:
                    break
                edge, changed = past, True
            edges.append(edge)
        node.end = node.end._replace(edges=tuple(edges))
    return changed


def _binds(node: Node, edge: Edge) -> bool:
    """Is this the edge of a `next` to its body, which passes the item?"""
    return node.end.name == "next" and edge is node.end.edges[0]


def _tests(graph: FlowGraph) -> dict[int, set[int]]:
    """The blocks that do nothing but test, and for each the blocks that need a value that it defines."""
    found = {
        at
        for at, node in graph.nodes()
        if at and node.end.name == "branch" and len(node.ops) <= MOST_TESTED and all(map(_only_tests, node.ops))
    }
    home = {
        value: at
        for at in found
        for node in (graph.node(at),)
        for value in (*node.params, *[result for op in node.ops for result in op.results])
    }
    uses: dict[int, set[tuple[int, Value]]] = {at: set() for at in found}
    for at, node in graph.nodes():
        used = [arg for op in node.ops for arg in op.args]
        used.extend(end_uses(node.end))
        used.extend(node.handler.args if node.handler is not None else ())
        for value in used:
            if home.get(value, at) != at:
                uses[home[value]].add((at, value))
    sources: dict[int, list[int]] = {}
    for at, node in graph.nodes() if any(uses.values()) else ():
        for edge in node.edges():
            sources.setdefault(edge.target, []).append(at)
    return {at: _needing(at, {user for user, _ in uses[at]}, sources) for at in found}


def _needing(home: int, users: set[int], sources: dict[int, list[int]]) -> set[int]:
    """The blocks that lead to these users without passing `home` again: where its values are alive."""
    live: set[int] = set()
    work = sorted(users)
    while work:
        at = work.pop()
        if at != home and at not in live:
            live.add(at)
            work.extend(sources.get(at, ()))
    return live


def _only_tests(op: Operation) -> bool:
    return op.name == "const" or op.name in _TESTS


def _past(target: Node, edge: Edge, constants: dict[Value, Constant]) -> Edge | None:
    """Where an edge to a test would lead on; None if it does not decide the test."""
    passed = dict(zip(target.params, edge.args))
    known: dict[Value, Constant] = {}
    for op in target.ops:
        if isinstance(op.attr, Constant):
            known[op.results[0]] = op.attr
            continue
        values = []
        for arg in op.args:
            arg = passed.get(arg, arg)
            constant = known.get(arg) or constants.get(arg)
            if constant is None or type(constant.value) not in _TYPES:
                return None
            values.append(constant)
        result = _computed(op, values)
        if result is None:
            return None
        known[op.results[0]] = result
    (condition,) = target.end.args
    condition = passed.get(condition, condition)
    outcome = known.get(condition) or constants.get(condition)
    if outcome is None or type(outcome.value) is not bool:
        return None
    onward = target.end.edges[0 if outcome.value else 1]
    args = tuple([passed.get(arg, arg) for arg in onward.args])
    made = {result for op in target.ops for result in op.results}
    return None if not made.isdisjoint(args) else Edge(onward.target, args)


def _computed(op: Operation, values: list[Constant]) -> Constant | None:
    """What a test of constants gives; None if it raises, or depends on identity where that says nothing."""
    if op.name in ("is", "is_not"):
        if not any(value.value is None or type(value.value) is bool for value in values):
            return None
        same = values[0] == values[1]
        return Constant(same is (op.name == "is"))
    types = tuple([type(value.value).__name__ for value in values])
    if not op.operator.foldable(types, op.attr) or op.operator.evaluate is None:
        return None
    try:
        return Constant(op.operator.evaluate(tuple([value.value for value in values]), op.attr))
    except TypeError:
        return None
