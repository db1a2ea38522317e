"""Liveness: which values each block, and each point in a block, still needs.

    b1(v2): v3 = lt v2, v1; ... branch v4 -> b2 | b3          live into b1: v1
    liveness.at(1, 1)                                     (v1, v2, v3): defined before the point, used at or after it

Each value is followed from its uses up to its definition: the time is linear in the program and in what comes out,
whatever the loops are like.  Only for blocks that the entry reaches.  A block that may raise needs what its handler
needs, from its first operation on.

Invariant (of the verifier): definitions dominate uses; a handler uses nothing that operations of its blocks define.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

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

    def __init__(self, function: Function, sources: Sequence[Sequence[int]] | None = None) -> None:
        """`sources`: for each block those that lead to it or have it as handler, where all of them are reached."""
        self.function = function
        self._live: list[list[Value]] = [[] for _ in function.blocks]
        self._solve(_reached_sources(function) if sources is None else sources)

    def into(self, block: int) -> list[Value]:
        """The values that are live where the block begins, its parameters left out, in increasing order."""
        return self._live[block]

    def enters(self, block: int, value: Value) -> bool:
        """`value` is live where the block begins, and no parameter of it."""
        live = self._live[block]
        place = bisect_left(live, value)
        return place < len(live) and live[place] == value

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

    def _solve(self, sources: Sequence[Sequence[int]]) -> None:
        """Each value by itself, from its uses up to its definition."""
        uses, home = self._outside()
        live = self._live
        seen = [-1] * (len(live) + 1)  # the last place is that of a value without a definition, -1
        for value in sorted(uses):
            work = uses[value]
            seen[home[value]] = value  # the way up ends there
            for number in work:
                seen[number] = value
            for number in work:  # which grows meanwhile
                live[number].append(value)
                for source in sources[number]:
                    if seen[source] != value:
                        seen[source] = value
                        work.append(source)

    def _outside(self) -> tuple[dict[Value, list[int]], list[int]]:
        """The blocks, one after the other, that use a value of another block; and the block of each definition."""
        uses: dict[Value, list[int]] = {}
        home = [-1] * len(self.function.hints)
        for block in self.function.blocks:
            used: set[Value] = set()
            for value in block.params:
                home[value] = block.id
            for operation in block.ops:
                used.update(operation.args)
                for value in operation.results:
                    home[value] = block.id
            used.update(end_uses(block.terminator))
            if block.handler is not None:
                used.update(block.handler.args)
            for value in used:
                if home[value] != block.id:
                    uses.setdefault(value, []).append(block.id)
        return uses, home


def _reached_sources(function: Function) -> list[list[int]]:
    """For each block the blocks that lead to it and that the entry reaches."""
    targets = [_successors(block) for block in function.blocks]
    sources: list[list[int]] = [[] for _ in targets]
    for number in reverse_postorder(targets, 0):
        for target in targets[number]:
            sources[target].append(number)
    return sources


def _successors(block: Block) -> list[int]:
    targets = [edge.target for edge in block.terminator.edges]
    if block.handler is not None:
        targets.append(block.handler.target)
    return targets
