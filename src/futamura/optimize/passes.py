"""The passes by name, and running some of them.

    run_passes(function, ["paste", "merge", "tails", "reroll"])   ->   the function, and where its blocks come from

A sequence that the user names is run as it stands, once; `prune` is part of every end, because a frozen function has
only blocks that are reached.  Invariant: functions that a pass cannot take come back as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from futamura.ir.graph import Function
from futamura.optimize.cleaning import merge, paste, prune
from futamura.optimize.flowgraph import FlowGraph, Pass
from futamura.optimize.rerolling import reroll
from futamura.optimize.tails import tails

__all__ = ["PASSES", "run_passes"]

PASSES: Final[dict[str, Pass]] = {"paste": paste, "prune": prune, "merge": merge, "tails": tails, "reroll": reroll}


def run_passes(function: Function, names: Sequence[str]) -> tuple[Function, list[int]]:
    """The function after these passes; for each block the block that it began as, -1 for a new one."""
    if not names or not FlowGraph.is_plain(function):
        return function, [block.id for block in function.blocks]
    graph = FlowGraph(function)
    for name in names:
        PASSES[name](graph)
    return graph.freeze()
