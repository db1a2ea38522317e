"""What is the same in every round of a loop.

    loop {b1, b2}: v3 = truediv v0, v1 (floats from before the loop)      the same
                   v4 = getitem v0, 0 (a list), and `v0[1] = ...` in b2   not: the loop writes items

An operation is the same in every round if it has no effect, allocates nothing with an identity, its operands are made
outside of the loop (constants and known globals are made anew for free), and nothing in the loop writes what it reads.
Whether it may raise is for the user of this to consider, as is whether each round executes it.

Invariant: a second execution in the same run of the loop would give the same value, or raise the same exception.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from futamura.ir.facts import Effects
from futamura.ir.graph import Operation, Value
from futamura.optimize.effects import clobbers, may_be_shared
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.memory import Memory

__all__ = ["Rounds", "homes"]

_FREE: Final = frozenset({"const", "copy", "tuple", "global_get"})
"""Constants and globals cost no more in the loop than a variable; tuples have an identity."""


def homes(graph: FlowGraph) -> dict[Value, int]:
    """For each value the block that defines it."""
    return {
        value: at
        for at, node in graph.nodes()
        for value in (*node.params, *(result for op in node.ops for result in op.results))
    }


class Rounds:
    """One loop; `home` is kept up to date by whoever moves operations."""

    def __init__(
        self,
        graph: FlowGraph,
        inference: Inference,
        memory: Memory,
        home: dict[Value, int],
        nodes: frozenset[int],
    ) -> None:
        self._inference: Final = inference
        self._home: Final = home
        self._nodes: Final = nodes
        self._writes: Final = self.written(graph, memory, nodes)

    def written(self, graph: FlowGraph, memory: Memory, nodes: Iterable[int]) -> frozenset[str]:
        """The kinds of memory that these blocks may write; "any" for those that code of others may."""
        found: set[str] = set()
        for at in nodes:
            node = graph.node(at)
            if self._inference.steps_unknown_code(node):
                found.add("any")
            for op in node.ops:
                found.update(memory.kinds[kind] for kind in memory.writes(op))
        return frozenset(found)

    def same(self, op: Operation) -> bool:
        """Is the operation worth being executed once, and is once enough?"""
        if op.name in _FREE or len(op.results) != 1 or self._is_text(op):
            return False
        effects = self._inference.fact(op).effects
        if not may_be_shared(effects) or clobbers(Effects(writes=self._writes), effects):
            return False
        return all(self.is_outside(arg) or self.is_free(arg) for arg in op.args)

    def _is_text(self, op: Operation) -> bool:
        """Is an exact string formatted, which is the string itself?"""
        shapes = self._inference.operands.get(op.id, ())
        return op.name == "format" and len(shapes) == 1 and shapes[0].type == "str"

    def is_outside(self, value: Value) -> bool:
        """Is the value made outside of the loop?"""
        return self._home[value] not in self._nodes

    def is_free(self, value: Value) -> bool:
        """Can the value be made anew anywhere?"""
        made = self._inference.definitions.get(value)
        if made is None or made.name not in ("const", "global_get"):
            return False
        return made.name == "const" or made.attr in self._inference.known
