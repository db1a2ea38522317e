"""Loop inversion: the test of a `while` stands behind the round, and once before the loop.

    b1(v2): v3 = lt v2, v1                  b4(v2'): v3' = lt v2', v1; branch v3' -> b2(v2') | b3(v2')
            branch v3 -> b2 | b3     ->     b2(v4):  ... jump b1(...)
    b2():   ... jump b1(...)                b1(v2):  v3 = lt v2, v1;   branch v3  -> b2(v2)  | b3(v2)

The copied header is the guard; the loop begins with its body, which is executed in each round.  So what may raise,
first of all in the body, can be hoisted to where the loop is entered, behind the guard: before, `licm` could not move
it, because a loop may have no round.  In machine code a round has one jump less, too.

In Python it gains less than peeling, which hoists the same: the compiler of Python puts the test of a `while` behind
its round by itself, and with something between guard and loop it is printed with a `break`, which is one jump more.

A loop is inverted whose header ends with a branch out of it and does little else, if no round ends with such a branch
already.  Values of the header get joins where body and exits begin (`twins.py`).

Invariant: the test is executed as often as it was, and nothing else is repeated or moved.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.nesting import Loop
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.twins import Twins, may_be_copied

__all__ = ["invert"]

MAX_TEST: Final = 8
"""Operations of a header that is copied, constants aside."""


def invert(graph: FlowGraph, inference: Inference) -> bool:
    """Put the tests of loops behind their rounds; did anything change?"""
    twins = Twins(graph)
    changed = False
    for loop in inference.layout.loops():
        if loop.header in inference.reached and _may_be_inverted(graph, inference, loop):
            twins.copy(loop.header, (loop.header,), loop.nodes)
            changed = True
    if changed:
        twins.finish()
    return changed


def _may_be_inverted(graph: FlowGraph, inference: Inference, loop: Loop) -> bool:
    if loop.irreducible or not may_be_copied(graph, (loop.header,)):
        return False
    header = graph.node(loop.header)
    leaving = [edge for edge in header.end.edges if edge.target not in loop.nodes]
    if header.end.name != "branch" or len(leaving) != 1 or sum([op.name != "const" for op in header.ops]) > MAX_TEST:
        return False
    for source, number in inference.layout.entering[loop.header]:
        node = graph.node(source)
        if number == len(node.end.edges):
            return False
        if source in loop.nodes and any(edge.target not in loop.nodes for edge in node.end.edges):
            return False
    return True
