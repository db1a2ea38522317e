"""Versions of memory: two reads at the same version see the same contents.

    b0(): v1 = global_get x; show v1; v2 = global_get x      v1 and v2 read "global" at one version
    b0(): v1 = global_get x; call f;  v2 = global_get x      at two

Memory is told apart by kind, as the effects of operations do; each private list (`private.py`) is a kind of its own, to
which no call writes.  A version is the place of the last write that may reach:
an operation, or the block where several meet.  A loop that writes nothing of a kind leaves its version as it is.  A
handler begins with what its blocks begin with, and anew for what one of them writes: an exception may come out of the
middle.

Invariant: between two points of one version, one of which dominates the other, nothing of the kind is written.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.graph import Operation
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference

__all__ = ["Memory", "Versions"]

_KINDS: Final = ("attribute", "cell", "global", "item", "output")
"""What calls may read and write."""

Versions = tuple[object, ...]
"""For each of `Memory.kinds` its version."""


class Memory:
    """The versions with which each block begins and ends."""

    def __init__(self, graph: FlowGraph, inference: Inference) -> None:
        layout = inference.layout
        self._inference: Final = inference
        self.kinds: Final = (*_KINDS, *[mine.kind for mine in inference.private.values()])
        written = {at: self._written(graph.node(at)) for at in layout.order}
        loops = {loop.header: loop for loop in layout.loops()}
        everything = frozenset(range(len(self.kinds)))
        position = {at: number for number, at in enumerate(layout.order)}
        self.begin: Final[dict[int, Versions]] = {}
        self.end: Final[dict[int, Versions]] = {}
        for at in layout.order:
            ways = layout.entering[at]
            forward = [source for source, _ in ways if position[source] < position[at]]
            handler = any(number == len(graph.node(source).end.edges) for source, number in ways)
            loop = loops.get(at)
            fresh: frozenset[int]
            if at == 0 or (loop is not None and loop.irreducible):
                fresh = everything
            elif handler and len(forward) == len(ways):
                fresh = frozenset().union(*(written[source] for source in forward))
            elif handler:
                fresh = everything
            elif len(forward) < len(ways):
                fresh = frozenset().union(*(written[inside] for inside in loop.nodes)) if loop else everything
            else:
                fresh = frozenset()
            ends = self.begin if handler else self.end
            arriving = [ends[source] for source in forward]
            self.begin[at] = tuple([
                ("block", at) if kind in fresh or len({versions[kind] for versions in arriving}) != 1
                else arriving[0][kind]
                for kind in range(len(self.kinds))
            ])  # fmt: skip
            self.end[at] = self._after(graph.node(at), self.begin[at])

    def step(self, versions: Versions, op: Operation) -> Versions:
        """The versions behind an operation."""
        writes = self.writes(op)
        if not writes:
            return versions
        return tuple([("op", op.id) if kind in writes else version for kind, version in enumerate(versions)])

    def writes(self, op: Operation) -> frozenset[int]:
        """The kinds, by number, that an operation may write."""
        effects = self._inference.fact(op).effects
        if effects.calls or effects.suspends or "any" in effects.writes:
            return _ALL
        if not effects.writes:
            return _NONE
        return frozenset([kind for kind, name in enumerate(self.kinds) if name in effects.writes])

    def _written(self, node: Node) -> frozenset[int]:
        found = _ALL if self._inference.steps_unknown_code(node) else _NONE
        for op in node.ops:
            writes = self.writes(op)
            found = found | writes if writes else found
        return found

    def _after(self, node: Node, versions: Versions) -> Versions:
        for op in node.ops:
            versions = self.step(versions, op)
        if self._inference.steps_unknown_code(node):
            outside: list[object] = [("op", node.end.id)] * len(_KINDS)
            versions = (*outside, *versions[len(_KINDS) :])
        return versions


_ALL: Final = frozenset(range(len(_KINDS)))
_NONE: Final[frozenset[int]] = frozenset()
