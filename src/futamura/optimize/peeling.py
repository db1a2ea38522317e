"""Loop peeling: the first round stands before the loop, and what it computed once is not computed again.

    while i < n:                         if i < n:
        t(i)                                 t(i)
        total += a / b        ->             x = a / b
        i += 1                               total += x; i += 1
                                             while i < n: t(i); total += x; i += 1

`a / b` may raise, and `t` comes before it: nothing may compute it before the loop.  In the first round it stands where
it stood, and the rest of the loop can use its result.  It must be the same in every round (`invariance.py`) and on
every way back to the header.  A branch on something that is the same, with one way that does not come back, is decided
behind the first round, and gone from the loop.

What is defined in the loop and used behind it gets joins, whatever the number of exits (`twins.py`).  In contrast to
`licm`, which leaves what may raise where it cannot be first, the code grows by one round; what need not be executed in
each round stays.  So a loop is peeled only if it is small and holds no other loop, and only for an operation that
leaves it: a test of a variable costs less than a second copy of the round.

Invariant: the first round executes what it executed; later rounds leave out only what would be the same again.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.nesting import Loop
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.invariance import Rounds, homes
from futamura.optimize.memory import Memory
from futamura.optimize.twins import Twins, may_be_copied

__all__ = ["peel"]

MAX_ROUND: Final = 40
"""Operations, blocks counted as one, of a loop that is peeled."""
MAX_GROWTH: Final = 160
"""Operations by which a function may grow."""


def peel(graph: FlowGraph, inference: Inference) -> bool:
    """Peel the innermost loops where it pays; did anything change?"""
    forest = inference.layout.loops()
    if not forest:
        return False
    memory = Memory(graph, inference)
    twins = Twins(graph)
    home = homes(graph)
    replaced: dict[Value, Value] = {}
    growth = 0
    for loop in forest:
        size = _size(graph, loop)
        if growth + size > MAX_GROWTH or not _may_be_peeled(graph, inference, loop):
            continue
        gain = _Gain(graph, inference, Rounds(graph, inference, memory, home, loop.nodes), home, loop)
        if gain.operations:
            replaced.update(_peeled(graph, twins, inference.layout.in_order(loop.nodes), loop, gain))
            growth += size
    if not growth:
        return False
    graph.replace(replaced)
    twins.finish()
    return True


def _size(graph: FlowGraph, loop: Loop) -> int:
    return sum([1 + sum([op.name != "const" for op in graph.node(at).ops]) for at in loop.nodes])


def _may_be_peeled(graph: FlowGraph, inference: Inference, loop: Loop) -> bool:
    if loop.children or loop.irreducible or loop.header not in inference.reached or _size(graph, loop) > MAX_ROUND:
        return False
    entering = inference.layout.entering[loop.header]
    caught = any(number == len(graph.node(source).end.edges) for source, number in entering)
    return not caught and may_be_copied(graph, loop.nodes)


class _Gain:
    """What the first round computes for all that follow."""

    def __init__(
        self, graph: FlowGraph, inference: Inference, rounds: Rounds, home: dict[Value, int], loop: Loop
    ) -> None:
        self.operations: Final[list[Operation]] = []
        self.branches: Final[list[tuple[int, Edge]]] = []
        """Blocks whose branches are decided, with the ways that they take."""
        layout = inference.layout
        latches = [source for source, _ in layout.entering[loop.header] if source in loop.nodes]
        for at in layout.on_all_ways(loop.header, latches):
            node = graph.node(at)
            if at not in inference.reached:
                continue
            for op in node.ops:
                if rounds.same(op):
                    self.operations.append(op)
                    home[op.results[0]] = -1
            staying = [edge for edge in node.end.edges if edge.target in loop.nodes]
            if node.end.name == "branch" and len(staying) == 1 and rounds.is_outside(node.end.args[0]):
                self.branches.append((at, staying[0]))


def _peeled(graph: FlowGraph, twins: Twins, order: list[int], loop: Loop, gain: _Gain) -> dict[Value, Value]:
    """Copy the loop as its first round; which values that of the first round stands for."""
    twins.copy(loop.header, order, loop.nodes)
    gone = {op.id for op in gain.operations}
    for at in order:
        node = graph.node(at)
        node.ops = [op for op in node.ops if op.id not in gone]
    for at, edge in gain.branches:
        graph.node(at).end = graph.terminator("jump", (), (edge,))
    return {op.results[0]: twins.one(op.results[0]) for op in gain.operations}
