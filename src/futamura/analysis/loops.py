"""The loops of a function: nested, irreducible ones recognised.

    loops(ControlFlow(function)).around[block]    index of the innermost loop that holds the block, or -1

The forest is that of `ir/nesting.py`: strongly connected components, and again those without their headers.
"""

from __future__ import annotations

from dataclasses import dataclass

from futamura.analysis.cfg import ControlFlow
from futamura.ir.nesting import Loop, loop_forest

__all__ = ["Loop", "Loops", "loops"]


@dataclass(frozen=True, slots=True)
class Loops:
    """`forest` has outer loops before inner ones."""

    forest: tuple[Loop, ...]
    around: tuple[int, ...]

    @property
    def reducible(self) -> bool:
        return not any(loop.irreducible for loop in self.forest)

    def depth(self, block: int) -> int:
        """How many loops hold the block."""
        return self.forest[self.around[block]].depth if self.around[block] >= 0 else 0


def loops(flow: ControlFlow) -> Loops:
    forest = loop_forest(flow.successors, flow.root)
    around = [-1] * len(flow.successors)
    for index, loop in enumerate(forest):  # inner loops come later and overwrite
        for block in loop.nodes:
            around[block] = index
    return Loops(tuple(forest), tuple(around))
