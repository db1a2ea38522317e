"""The second half of printing a flow graph: a variable for each value, so that most jumps assign nothing.

    v2:res = ...; goto b2 with v3:res <- v2      never alive together: both are `res`, and the jump is plain

Two values with the same hint share a variable unless one is assigned where the other is still needed; then the second
is `res_2`.  Invariant: where a value is assigned, no other value of the same variable is live.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from futamura.backend.flow.draft import DraftBlock, Set, Show, Store, leaves
from futamura.ir.graph import Value

__all__ = ["Naming"]


class Naming:
    """The variables of a drafted function."""

    def __init__(self, blocks: Sequence[DraftBlock], hints: Sequence[str | None], inputs: Sequence[str]) -> None:
        self._blocks: Final = blocks
        self._hints: Final = hints
        self._at: Final = {block.id: at for at, block in enumerate(blocks)}
        self._live = self._liveness()
        self._taken: Final = {hint for hint in hints if hint is not None} | set(inputs)
        self._clashes: Final[dict[Value, int]] = {}
        self._groups: Final[dict[str, int]] = {}
        for value, hint in enumerate(hints):
            if hint is not None:
                self._groups[hint] = self._groups.get(hint, 0) | 1 << value
        for at in range(len(blocks)):
            self._interference(at)
        self.names: Final[dict[Value, str]] = {}
        self._choose(inputs)

    def live(self, block: int, value: Value) -> bool:
        """Is a block's parameter ever read?"""
        return bool(self._needed[self._at[block]] >> value & 1)

    def outside(self, block: int) -> list[Value]:
        """What a block needs from before it, besides its parameters."""
        return _members(self._live[self._at[block]])

    # -- liveness

    def _liveness(self) -> list[int]:
        """The values that each block needs from before it, without its parameters."""
        predecessors: list[list[int]] = [[] for _ in self._blocks]
        for at, block in enumerate(self._blocks):
            for way in block.ending.ways:
                predecessors[self._at[way.target]].append(at)
        live = [0] * len(self._blocks)
        self._needed = [0] * len(self._blocks)
        work = deque(range(len(self._blocks) - 1, -1, -1))
        waiting = [True] * len(self._blocks)
        while work:
            at = work.popleft()
            waiting[at] = False
            now = self._before(at, live)
            if now != self._needed[at]:
                self._needed[at] = now
                live[at] = now & ~_bits(self._blocks[at].params)
                for source in predecessors[at]:
                    if not waiting[source]:
                        waiting[source] = True
                        work.append(source)
        return live

    def _end(self, at: int, live: list[int]) -> int:
        """What is live behind the last statement."""
        ending = self._blocks[at].ending
        now = _bits(leaves(ending.value))
        for way in ending.ways:
            target = self._at[way.target]
            now |= live[target]
            for param, passed in way.passed:
                if self._needed[target] >> param & 1:
                    now |= _bits(leaves(passed))
        return now

    def _before(self, at: int, live: list[int]) -> int:
        now = self._end(at, live)
        for statement in reversed(self._blocks[at].statements):
            now = _step(statement, now)
        return now

    # -- interference

    def _clash(self, value: Value, live: int) -> None:
        hint = self._hints[value]
        if hint is None:
            return
        others = live & self._groups[hint] & ~(1 << value)
        if others:
            self._clashes[value] = self._clashes.get(value, 0) | others
            for other in _members(others):
                self._clashes[other] = self._clashes.get(other, 0) | 1 << value

    def _interference(self, at: int) -> None:
        block = self._blocks[at]
        now = self._end(at, self._live)
        for statement in reversed(block.statements):
            if isinstance(statement, Set):
                self._clash(statement.target, now)
            now = _step(statement, now)
        for param in block.params:
            self._clash(param, now | _bits(block.params))

    # -- names

    def _choose(self, inputs: Sequence[str]) -> None:
        for value, name in zip(self._blocks[0].params, inputs, strict=True):
            self.names[value] = name
        temporaries = 0
        for value, hint in enumerate(self._hints):
            if value in self.names:
                continue
            if hint is None:
                temporaries += 1
                while f"t{temporaries}" in self._taken:
                    temporaries += 1
                self.names[value] = f"t{temporaries}"
                continue
            used = {self.names[other] for other in _members(self._clashes.get(value, 0)) if other in self.names}
            name, number = hint, 1
            while name in used or (number > 1 and name in self._taken):
                number += 1
                name = f"{hint}_{number}"
            self.names[value] = name


def _step(statement: Set | Show | Store, live: int) -> int:
    """Backwards over a statement."""
    if isinstance(statement, Set):
        return live & ~(1 << statement.target) | _bits(leaves(statement.value))
    if isinstance(statement, Show):
        return live | _bits(leaves(statement.value))
    return live | _bits([*leaves(statement.value), *leaves(statement.array), *leaves(statement.index)])


def _bits(values: Sequence[Value]) -> int:
    found = 0
    for value in values:
        found |= 1 << value
    return found


def _members(bits: int) -> list[Value]:
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found
