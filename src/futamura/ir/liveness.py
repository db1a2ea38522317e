"""Liveness: which values each block, and each point in a block, still needs.

    b1(v2): v3 = lt v2, v1; ... branch v4 -> b2 | b3          live into b1: v1
    liveness.at(1, 1)                                     (v1, v2, v3): defined before the point, used at or after it

Bit sets over the values that are used outside of the block that defines them: few in most programs, so that the sets
stay short.  Only for blocks that the entry reaches.  A block that may raise needs what its handler needs, from its
first operation on.

Invariant (of the verifier): definitions dominate uses; a handler uses nothing that operations of its blocks define.
"""

from __future__ import annotations

from collections.abc import Iterator

from futamura.ir.dominance import reverse_postorder
from futamura.ir.graph import Block, FrameState, Function, Terminator, Value

__all__ = ["Liveness", "end_uses"]


def end_uses(end: Terminator) -> Iterator[Value]:
    """The values that a terminator uses: its arguments, those of its edges and those of a guard's frame state."""
    yield from end.args
    for edge in end.edges:
        yield from edge.args
    state = end.attr
    while isinstance(state, FrameState):
        for _, recipe in state.values:
            yield from _recipe_values(recipe)
        state = state.parent


def _recipe_values(recipe: object) -> Iterator[Value]:
    """An integer is a value; (operator, attribute, recipes...) describes a virtual object."""
    if type(recipe) is int:
        yield recipe
    elif type(recipe) is tuple:
        for part in recipe[2:]:
            yield from _recipe_values(part)


class Liveness:
    """Live values of one function, for all blocks."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.bit: dict[Value, int] = {}
        """The bit of each value that is used outside of its own block, in order of the values."""
        self.wide: list[Value] = []
        uses = self._uses()
        self.live_in = self._solve(uses)
        """For each block the mask of the values that are live where it begins, its own parameters left out."""

    def values(self, mask: int) -> list[Value]:
        """The values of a mask, in increasing order."""
        found = []
        while mask:
            low = mask & -mask
            found.append(self.wide[low.bit_length() - 1])
            mask ^= low
        return found

    def into(self, block: int) -> list[Value]:
        """The values that are live where the block begins, its parameters left out, in increasing order."""
        return self.values(self.live_in[block])

    def at(self, block: int, index: int) -> tuple[Value, ...]:
        """The values defined before operation `index` (or the terminator) and used at or after it, in order."""
        body = self.function.blocks[block]
        live = set(end_uses(body.terminator))
        for edge in body.terminator.edges:
            live.update(self.into(edge.target))
        for operation in reversed(body.ops[index:]):
            live.difference_update(operation.results)
            live.update(operation.args)
        if body.handler is not None:
            live.update(body.handler.args)
            live.update(self.into(body.handler.target))
        return tuple(sorted(live))

    def _uses(self) -> list[set[Value]]:
        """For each block the values that it uses but does not define; gives each its bit."""
        function = self.function
        outside: list[set[Value]] = []
        for block in function.blocks:
            own = set(block.params)
            found: set[Value] = set()
            for operation in block.ops:
                found.update(operation.args)
                own.update(operation.results)
            found.update(end_uses(block.terminator))
            if block.handler is not None:
                found.update(block.handler.args)
            outside.append(found - own)
        self.wide = sorted(set().union(*outside))
        self.bit = {value: index for index, value in enumerate(self.wide)}
        return outside

    def _solve(self, uses: list[set[Value]]) -> list[int]:
        blocks = self.function.blocks
        bit = self.bit
        gen = [sum([1 << bit[value] for value in used]) for used in uses]
        keep = [~self._defined(block) for block in blocks]
        targets = [_successors(block) for block in blocks]
        live = gen[:]
        order = reverse_postorder(targets, 0)
        order.reverse()
        pending = bytearray(b"\1" * len(blocks))
        sources: list[list[int]] = [[] for _ in blocks]
        for number in order:
            for target in targets[number]:
                sources[target].append(number)
        again = True
        while again:
            again = False
            for number in order:
                if not pending[number]:
                    continue
                pending[number] = 0
                mask = 0
                for target in targets[number]:
                    mask |= live[target]
                mask = (mask & keep[number]) | gen[number]
                if mask != live[number]:
                    live[number] = mask
                    for source in sources[number]:
                        pending[source] = 1
                    again = True
        return live

    def _defined(self, block: Block) -> int:
        bit = self.bit
        mask = 0
        for value in block.params:
            if value in bit:
                mask |= 1 << bit[value]
        for operation in block.ops:
            for value in operation.results:
                if value in bit:
                    mask |= 1 << bit[value]
        return mask


def _successors(block: Block) -> list[int]:
    targets = [edge.target for edge in block.terminator.edges]
    if block.handler is not None:
        targets.append(block.handler.target)
    return targets
