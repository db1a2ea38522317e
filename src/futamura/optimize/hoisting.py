"""Loop-invariant code motion: what is the same in every round is computed before the loop.

    b1(v2): v3 = global_get len; ... jump b1        b0: v3 = global_get len; jump b1
    b1(v2): v3 = mul v0, v1 (exact ints) ...        b0: v3 = mul v0, v1

An operation moves if its operands are made outside of the loop, what is known of them is known there already, it has no
effect, nothing in the loop writes what it reads, and either it cannot raise or the loop executes it first, before
anything that could be noticed.  Constants and globals stay where they are used: they are free.  Objects with an
identity are not moved.  The loop must be entered at its header, by one jump from a block of the same region; that
block takes the operations.

In contrast to peeling, the code does not grow, and operations from anywhere in the loop can move; what may raise in the
middle of the loop can be taken out by peeling only.

Invariant: nothing is executed that could raise or be noticed and would not have been executed.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.graph import Operation, Value
from futamura.ir.nesting import Loop
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.memory import Memory

__all__ = ["licm"]

_FREE: Final = frozenset({"const", "copy", "tuple", "global_get"})
"""Constants and globals cost no more in the loop than a variable; tuples have an identity."""


def licm(graph: FlowGraph, inference: Inference) -> bool:
    """Move what does not change out of loops, inner loops first; did anything change?"""
    memory = Memory(graph, inference)
    home = {
        value: at
        for at, node in graph.nodes()
        for value in (*node.params, *(result for op in node.ops for result in op.results))
    }
    changed = False
    for loop in reversed(inference.layout.loops()):
        if not loop.irreducible and loop.header in inference.reached:
            changed = _Hoister(graph, inference, memory, home, loop).run() or changed
    return changed


class _Hoister:
    """One loop."""

    def __init__(
        self, graph: FlowGraph, inference: Inference, memory: Memory, home: dict[Value, int], loop: Loop
    ) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._memory: Final = memory
        self._home: Final = home
        self._loop: Final = loop
        self._order: Final = [at for at in inference.layout.order if at in loop.nodes and at in inference.reached]

    def run(self) -> bool:
        before = self._before()
        if before is None:
            return False
        writes = self._writes()
        moved: list[Operation] = []
        for at in self._order:
            node = self._graph.node(at)
            if node.region != self._graph.node(before).region:
                continue
            # An exception must find the same handler there, with the same values.
            first = at == self._loop.header and node.handler == self._graph.node(before).handler
            kept: list[Operation] = []
            for op in node.ops:
                if self._moves(op, writes, first):
                    moved.append(op)
                    self._home.update(dict.fromkeys(op.results, before))
                else:
                    kept.append(op)
                    first = first and self._is_unnoticed(op)
            node.ops = kept
        target = self._graph.node(before)
        target.ops = [*target.ops, *self._with_constants(moved, before)]
        return bool(moved)

    def _before(self) -> int | None:
        """The block that takes the operations: the only one outside that leads to the loop, and leads nowhere else."""
        outside = [
            source for source, _ in self._inference.layout.entering[self._loop.header] if source not in self._loop.nodes
        ]
        if len(outside) != 1:
            return None
        node = self._graph.node(outside[0])
        same = node.region == self._graph.node(self._loop.header).region
        return outside[0] if node.end.name == "jump" and same else None

    def _writes(self) -> frozenset[str]:
        found: set[str] = set()
        for at in self._order:
            node = self._graph.node(at)
            if self._inference.steps_unknown_code(node):
                found.add("any")
            for op in node.ops:
                found.update(self._memory.kinds[kind] for kind in self._memory.writes(op))
        return frozenset(found)

    def _moves(self, op: Operation, writes: frozenset[str], first: bool) -> bool:
        if op.name in _FREE or len(op.results) != 1 or not self._holds_before(op):
            return False
        fact = self._inference.fact(op)
        effects = fact.effects
        if effects.writes or effects.calls or effects.suspends or effects.allocates:
            return False
        outside = [kind for kind in effects.reads if not kind.startswith("list ")]
        if effects.reads & writes or ("any" in effects.reads and writes) or ("any" in writes and outside):
            return False
        if fact.raises and not first:
            return False
        return all(self._is_outside(arg) for arg in op.args)

    def _holds_before(self, op: Operation) -> bool:
        """Is what is known of the operands true where they are made, not only behind a test in the loop?"""
        shapes = self._inference.shapes
        return all(shapes.get(arg) == here for arg, here in zip(op.args, self._inference.operands[op.id]))

    def _is_outside(self, value: Value) -> bool:
        made = self._inference.definitions.get(value)
        if self._home[value] not in self._loop.nodes:
            return True
        if made is None or made.name not in ("const", "global_get"):
            return False
        return made.name == "const" or made.attr in self._inference.known

    def _is_unnoticed(self, op: Operation) -> bool:
        fact = self._inference.fact(op)
        return not (fact.raises or fact.effects.writes or fact.effects.calls or fact.effects.suspends)

    def _with_constants(self, moved: list[Operation], before: int) -> list[Operation]:
        """The operations with constants and globals of their own in the place of those that were made in the loop."""
        ops: list[Operation] = []
        for op in moved:
            args: list[Value] = []
            for arg in op.args:
                if self._home[arg] in self._loop.nodes:
                    made = self._inference.definitions[arg]
                    ops.append(self._graph.operation(made.name, (), self._graph.hints[arg], made.attr))
                    arg = ops[-1].results[0]
                    self._home[arg] = before
                    self._inference.definitions[arg] = ops[-1]
                args.append(arg)
            ops.append(op._replace(args=tuple(args)))
        return ops
