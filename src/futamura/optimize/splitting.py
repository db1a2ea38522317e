"""Loops over a range in two parts: where tests of the counter are still open, and where all of them are decided.

    for i in range(n):                    it = iter(range(n))
        s += a * xs[i]                    for i in it:
        if i >= 1: s += b * xs[i - 1]         s += a * xs[i]
        if i >= 2: s += c * xs[i - 2]         if i >= 1: s += b * xs[i - 1]
                                     ->       if i >= 2: s += c * xs[i - 2]
                                              if i >= 1: break
                                          for i in it: s += a * xs[i]; s += b * xs[i - 1]; s += c * xs[i - 2]

The counter grows in each round, so a comparison with a constant that has become true (or false) stays so.  Both loops
step one iterator: a round of the first that leaves a counter from which on the next ones decide all tests goes to the
second loop.  The first also goes there when the range is used up, for a used up iterator stays so; whatever follows
the loop follows the second.

The first loop has one test more in each of its few rounds, the second has none of those that were decided.  So a loop
is split only if it is small and holds no other loop, if two tests or more are decided and these are a good part of it,
and if their constants are small: nobody knows how many rounds there are.

Invariant: each round executes what it executed, but for comparisons of integers whose answers are known.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from futamura.ir.graph import Edge, Value
from futamura.ir.nesting import Loop
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.twins import Twins, may_be_copied

__all__ = ["split"]

MAX_ROUND: Final = 120
"""Operations, blocks counted as one, of a loop that is split."""
MAX_GROWTH: Final = 240
"""Operations by which a function may grow."""
MAX_START: Final = 64
"""The first counter of the second loop."""
LEAST_TESTS: Final = 2
PART: Final = 16
"""One of so many operations must be a test that is decided."""
_SWAPPED: Final = {"ge": "le", "gt": "lt", "le": "ge", "lt": "gt", "eq": "eq", "ne": "ne"}
_LATER: Final = {
    "ge": (0, True), "gt": (1, True), "lt": (0, False), "le": (1, False), "eq": (1, False), "ne": (1, True),
}  # fmt: skip
"""How far behind the constant the counter must be, and what the comparison gives from there on."""


class _Plan(NamedTuple):
    """A loop to split: its counter, the edges back to its header, its tests, and from where on they are decided."""

    loop: Loop
    counter: Value
    latches: list[tuple[int, int]]
    decided: list[tuple[int, bool]]
    """Blocks, and what their branches are told."""
    start: int


def split(graph: FlowGraph, inference: Inference) -> bool:
    """Split the innermost loops over ranges where it pays; did anything change?"""
    twins = Twins(graph)
    growth = 0
    for loop in inference.layout.loops():
        size = sum([1 + sum([op.name != "const" for op in graph.node(at).ops]) for at in loop.nodes])
        if loop.children or loop.irreducible or size > MAX_ROUND or growth + size > MAX_GROWTH:
            continue
        plan = _plan(graph, inference, loop)
        if plan is not None and len(plan.decided) >= max(LEAST_TESTS, size / PART):
            _split(graph, twins, inference.layout.in_order(loop.nodes), plan)
            growth += size
    if growth:
        twins.finish()
    return growth > 0


def _plan(graph: FlowGraph, inference: Inference, loop: Loop) -> _Plan | None:
    header = graph.node(loop.header)
    if loop.header not in inference.reached or not may_be_copied(graph, loop.nodes):
        return None
    if header.end.name != "next" or header.ops or not _counts_up(inference, header):
        return None
    body, left = header.end.edges
    entering = inference.layout.entering
    if body.target not in loop.nodes or left.target in loop.nodes or len(entering[body.target]) != 1:
        return None
    if any(graph.node(source).implicit(number) for source, number in entering[loop.header]):
        return None
    if _is_split(graph, loop, header):
        return None
    counter = graph.node(body.target).params[0]
    told = [(at, *found) for at in sorted(loop.nodes) if (found := _told(graph, inference, at, counter)) is not None]
    decided = [(at, answer) for at, start, answer in told if start <= MAX_START]
    start = max([start for _, start, _ in told if start <= MAX_START], default=0)
    latches = [(source, number) for source, number in entering[loop.header] if source in loop.nodes]
    return _Plan(loop, counter, latches, decided, start) if start > 0 else None


def _counts_up(inference: Inference, header: Node) -> bool:
    """Is this the step of an iterator over a range, whose integers grow?"""
    made = inference.definitions.get(header.end.args[0])
    called = None if made is None or made.name != "iter" else inference.made_by(made.args[0], range)
    if called is None or len(called.args) > 4:
        return False
    return len(called.args) < 4 or _integer(inference, called.args[3], 1) > 0


def _is_split(graph: FlowGraph, loop: Loop, header: Node) -> bool:
    """Does another loop go on with the iterator?"""
    outside = [edge.target for at in loop.nodes for edge in graph.node(at).edges() if edge.target not in loop.nodes]
    ends = [graph.node(at).end for at in outside]
    return any(end.name == "next" and end.args == header.end.args for end in ends)


def _told(graph: FlowGraph, inference: Inference, at: int, counter: Value) -> tuple[int, bool] | None:
    """For a block with a branch on the counter: from which counter on it is decided, and how."""
    end = graph.node(at).end
    if end.name != "branch":
        return None
    test = inference.definitions.get(end.args[0])
    if test is not None and test.name == "truth":
        if test.args[0] == counter:
            return 1, True
        test = inference.definitions.get(test.args[0])
    if test is None or test.name not in _LATER or counter not in test.args:
        return None
    first, second = test.args
    name, other = (test.name, second) if first == counter else (_SWAPPED[test.name], first)
    constant = inference.callee(other)
    if constant is None or type(constant.value) is not int:
        return None
    behind, answer = _LATER[name]
    return constant.value + behind, answer


def _integer(inference: Inference, value: Value, least: int) -> int:
    """A constant integer, or one below `least`."""
    found = inference.callee(value)
    return found.value if found is not None and type(found.value) is int else least - 1


def _split(graph: FlowGraph, twins: Twins, order: list[int], plan: _Plan) -> None:
    """Copy the loop as its first part; both ways on from there lead to the loop itself."""
    header = plan.loop.header
    params = [graph.value(graph.hints[param], graph.types[param]) for param in graph.node(header).params]
    back = Edge(header, tuple(params))
    region = graph.node(header).region
    limit = graph.constant(plan.start - 1)
    test = graph.operation("ge", (plan.counter, limit.results[0]))
    latch = Node(-1, params, [limit, test], graph.terminator("branch", test.results, (back, back)), None, region)
    at = graph.add(latch)
    handler = graph.node(header).handler
    for source, number in plan.latches:
        node = graph.node(source)
        edges = list(node.edges())
        edges[number] = edges[number]._replace(target=at)
        graph.retarget(node, tuple(edges))
    latch.handler = handler
    blocks = [*order, at]
    first = len(graph.blocks)
    twin = twins.copy(header, blocks, plan.loop.nodes | {at})
    copies = {old: first + place for place, old in enumerate(blocks)}
    copied = graph.node(copies[at])
    on, again = copied.end.edges
    copied.end = copied.end._replace(edges=(on, again._replace(target=copies[header])))
    stepped = graph.node(copies[header])
    passed = tuple([twin[param] for param in graph.node(header).params])
    stepped.end = stepped.end._replace(edges=(stepped.end.edges[0], Edge(header, passed)))
    latch.ops, latch.end = [], graph.terminator("jump", (), (back,))
    for block, answer in plan.decided:
        node = graph.node(block)
        node.end = graph.terminator("jump", (), (node.end.edges[0 if answer else 1],))._replace(span=node.end.span)
