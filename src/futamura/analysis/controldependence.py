"""Control dependence: which decisions say whether a block is executed.

    b0: branch c -> b1 | b2; b1 -> b3; b2 -> b3      on[1] [(0, 0)], on[2] [(0, 1)], on[3] []: b3 comes either way
    b0 -> b1; b1: branch c -> b1 | b2                on[1] [(1, 0)]: how often the loop runs is decided in it

Block n depends on the edge number e of block a if n post-dominates that edge's target, but not a strictly (Ferrante,
Ottenstein and Warren 1987).  A block that reaches no exit gets a virtual edge to it: an endless loop may be left
anywhere, so all that follows a decision in it depends on that decision, and nothing is missed.  Only blocks that the
entry reaches count.

Invariant: a block from which a decision can be avoided depends on it, directly or through other blocks.  Cost: linear
in the number of dependences, which is linear in the size of graphs that come from structured programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from futamura.analysis.cfg import ControlFlow
from futamura.analysis.dominators import Dominators, behind_exit

__all__ = ["ControlDependence"]


class ControlDependence:
    """`on[block]` lists the edges (block, number of the edge) on which it depends, in order, each once."""

    __slots__ = ("_dependents", "flow", "on", "post")

    def __init__(self, flow: ControlFlow) -> None:
        self.flow: Final = flow
        self.post: Final = _post_dominators(flow)
        """The dominator tree of the reversed graph; its root is the virtual exit, the node behind the last block."""
        self.on: Final[list[list[tuple[int, int]]]] = [[] for _ in flow.successors]
        self._dependents: list[list[int]] | None = None
        on, parent = self.on, self.post.parent
        for block in sorted(flow.order):
            # A single way on decides nothing, unless leaving an endless loop there is an alternative.
            end = parent[block]
            for number, node in enumerate(flow.successors[block]):
                if node == end:
                    continue
                edge = (block, number)
                while node != end:
                    on[node].append(edge)
                    node = parent[node]

    def dependents(self, block: int) -> list[int]:
        """The blocks that depend on some edge of `block`, in increasing order."""
        return self._below()[block]

    def _below(self) -> list[list[int]]:
        """`on` the other way round."""
        if self._dependents is None:
            self._dependents = [[] for _ in self.on]
            for node, edges in enumerate(self.on):
                for block, _ in edges:
                    if self._dependents[block][-1:] != [node]:
                        self._dependents[block].append(node)
        return self._dependents

    def closure(self, blocks: Iterable[int]) -> set[int]:
        """All blocks that depend on one of `blocks`, directly or through others."""
        found: set[int] = set()
        below = self._below()
        work = sorted(set(blocks))
        while work:
            for node in below[work.pop()]:
                if node not in found:
                    found.add(node)
                    work.append(node)
        return found


def _post_dominators(flow: ControlFlow) -> Dominators:
    reaches = bytearray(len(flow.successors))
    leaves = flow.exits()
    work = list(leaves)
    for block in work:
        reaches[block] = 1
    while work:
        for source in flow.predecessors[work.pop()]:
            if not reaches[source]:
                reaches[source] = 1
                work.append(source)
    return behind_exit(flow, [*leaves, *(block for block in flow.order if not reaches[block])])
