"""Branches that can go only one way become jumps, and what nothing leads to any more disappears.

    branch v1 -> b1 | b2        (v1 is True)        jump b1; b2 is taken away if nothing else leads to it

Invariant: behind it, exactly the blocks that the facts say may be reached are left.
"""

from __future__ import annotations

from typing import Final

from futamura.optimize.cleaning import prune
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference

__all__ = ["DECIDED", "straighten"]

DECIDED: Final = ("decided branch", "decided switch")
"""What is counted by `FlowGraph.fire`."""


def straighten(graph: FlowGraph, inference: Inference) -> bool:
    """Make jumps of decided branches and switches; did anything change?"""
    changed = False
    for at, node in graph.nodes():
        if at not in inference.reached or node.end.name not in ("branch", "switch"):
            continue
        ways = [edge for number, edge in enumerate(node.end.edges) if inference.may_go(node, number)]
        if len(ways) == 1:
            graph.fire(f"decided {node.end.name}")
            node.end = graph.terminator("jump", (), (ways[0],))
            changed = True
    return prune(graph) or changed
