"""The second half of printing a flow graph: a variable for each value, so that most jumps assign nothing.

    v2:res = ...; goto b2 with v3:res <- v2      never alive together: both are `res`, and the jump is plain

Two values with the same hint share a variable unless one is assigned where the other is still needed; then the second
is `res_2`.  Invariant: where a value is assigned, no other value of the same variable is live.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
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
        self._clashes: Final[dict[Value, set[Value]]] = {}
        for at in range(len(blocks)):
            self._interference(at)
        self.names: Final[dict[Value, str]] = {}
        self._choose(inputs)

    def live(self, block: int, value: Value) -> bool:
        """Is a block's parameter ever read?"""
        return value in self._needed[self._at[block]]

    def outside(self, block: int) -> list[Value]:
        """What a block needs from before it, besides its parameters."""
        return sorted(self._live[self._at[block]])

    # -- liveness

    def _liveness(self) -> list[frozenset[Value]]:
        """The values that each block needs from before it, without its parameters."""
        predecessors: list[list[int]] = [[] for _ in self._blocks]
        for at, block in enumerate(self._blocks):
            for way in block.ending.ways:
                predecessors[self._at[way.target]].append(at)
        live: list[frozenset[Value]] = [frozenset()] * len(self._blocks)
        self._needed: list[frozenset[Value]] = live[:]
        work = deque(range(len(self._blocks) - 1, -1, -1))
        waiting = [True] * len(self._blocks)
        while work:
            at = work.popleft()
            waiting[at] = False
            now = self._before(at, live)
            if now != self._needed[at]:
                self._needed[at] = now
                live[at] = now.difference(self._blocks[at].params)
                for source in predecessors[at]:
                    if not waiting[source]:
                        waiting[source] = True
                        work.append(source)
        return live

    def _end(self, at: int, live: Sequence[frozenset[Value]]) -> set[Value]:
        """What is live behind the last statement."""
        ending = self._blocks[at].ending
        now = set(leaves(ending.value))
        for way in ending.ways:
            target = self._at[way.target]
            now |= live[target]
            needed = self._needed[target]
            for param, passed in way.passed:
                if param in needed:
                    now.update(leaves(passed))
        return now

    def _before(self, at: int, live: Sequence[frozenset[Value]]) -> frozenset[Value]:
        now = self._end(at, live)
        for statement in reversed(self._blocks[at].statements):
            _step(statement, now)
        return frozenset(now)

    # -- interference

    def _clash(self, value: Value, live: Iterable[Value]) -> None:
        hint = self._hints[value]
        if hint is None:
            return
        for other in live:
            if other != value and self._hints[other] == hint:
                self._clashes.setdefault(value, set()).add(other)
                self._clashes.setdefault(other, set()).add(value)

    def _interference(self, at: int) -> None:
        block = self._blocks[at]
        now = self._end(at, self._live)
        for statement in reversed(block.statements):
            if isinstance(statement, Set):
                self._clash(statement.target, now)
            _step(statement, now)
        now.update(block.params)
        for param in block.params:
            self._clash(param, now)

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
            used = {self.names[other] for other in self._clashes.get(value, ()) if other in self.names}
            name, number = hint, 1
            while name in used or (number > 1 and name in self._taken):
                number += 1
                name = f"{hint}_{number}"
            self.names[value] = name


def _step(statement: Set | Show | Store, live: set[Value]) -> None:
    """Backwards over a statement."""
    if isinstance(statement, Set):
        live.discard(statement.target)
    live.update(leaves(statement.value))
    if isinstance(statement, Store):
        live.update(leaves(statement.array))
        live.update(leaves(statement.index))
