"""What flow of control says about the variables of a flow-graph program: order, liveness, assignment.

    L1: x = 1 goto L2      order [L1, L2]; live into L2: x, n; assigned on every way to L2: x
    L2: print x + n

Sets of variables are bit sets over their numbers, in order of first appearance.  Blocks that nothing reaches are left
out.  Invariant: linear in blocks times the nesting depth of loops, as the worklists run in (reverse) postorder.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from futamura.frontend.flow.syntax import (
    Assign,
    Branch,
    Expression,
    FlowBlock,
    FlowProgram,
    Goto,
    Print,
    Statement,
    Variable,
    variables_of,
)

__all__ = ["FlowFacts", "reads_of"]


def reads_of(statement: Statement) -> list[Variable]:
    """The variables that a statement reads, in order."""
    if isinstance(statement, (Assign, Print)):
        return variables_of(statement.value)
    return [*variables_of(statement.value), statement.array, *variables_of(statement.index)]


def condition_of(block: FlowBlock) -> Expression | None:
    """What the end of a block reads."""
    if isinstance(block.end, Branch):
        return block.end.condition
    return None if isinstance(block.end, Goto) else block.end.value


class FlowFacts:
    """The reachable blocks of a program in reverse postorder, and what is known at the start of each."""

    def __init__(self, program: FlowProgram) -> None:
        by_label = {block.label: at for at, block in enumerate(program.blocks)}
        targets = [[by_label[label] for label in _labels(block)] for block in program.blocks]
        order = _reverse_postorder(targets)
        position = {block: at for at, block in enumerate(order)}
        self.blocks: Final = [program.blocks[at] for at in order]
        self.successors: Final = [[position[target] for target in targets[at]] for at in order]
        self.predecessors: Final[list[list[int]]] = [[] for _ in order]
        for source, reached in enumerate(self.successors):
            for target in reached:
                self.predecessors[target].append(source)
        self.numbers: Final[dict[str, int]] = {}
        for given in program.inputs or ():
            self._number(given.name)
        self.uses: Final[list[int]] = []
        self.defs: Final[list[int]] = []
        for block in self.blocks:
            self._local(block)
        self.live: Final = self._liveness()
        inputs = [given.name for given in program.inputs] if program.inputs is not None else self._needed()
        self.inputs: Final = inputs
        self.assigned: Final = self._assigned()

    @property
    def names(self) -> list[str]:
        return list(self.numbers)

    def _number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def _local(self, block: FlowBlock) -> None:
        """What the block reads before it assigns it, and what it assigns."""
        uses = defs = 0
        for statement in block.statements:
            for variable in reads_of(statement):
                uses |= ~defs & 1 << self._number(variable.name)
            if isinstance(statement, Assign):
                defs |= 1 << self._number(statement.target)
        condition = condition_of(block)
        for variable in variables_of(condition) if condition is not None else ():
            uses |= ~defs & 1 << self._number(variable.name)
        self.uses.append(uses)
        self.defs.append(defs)

    def _liveness(self) -> list[int]:
        live = list(self.uses)
        work = deque(range(len(live) - 1, -1, -1))
        waiting = [True] * len(live)
        while work:
            at = work.popleft()
            waiting[at] = False
            out = 0
            for target in self.successors[at]:
                out |= live[target]
            now = self.uses[at] | out & ~self.defs[at]
            if now != live[at]:
                live[at] = now
                for source in self.predecessors[at]:
                    if not waiting[source]:
                        waiting[source] = True
                        work.append(source)
        return live

    def _needed(self) -> list[str]:
        """The inputs of a program that does not name them, in order of first appearance."""
        return [name for name, number in self.numbers.items() if self.live[0] >> number & 1]

    def _assigned(self) -> list[int]:
        """What is assigned on every way to each block."""
        everything = (1 << len(self.numbers)) - 1
        given = 0
        for name in self.inputs:
            given |= 1 << self.numbers[name]
        known = [everything] * len(self.blocks)
        known[0] = given
        work = deque(range(len(known)))
        waiting = [True] * len(known)
        while work:
            at = work.popleft()
            waiting[at] = False
            out = known[at] | self.defs[at]
            for target in self.successors[at]:
                now = known[target] & (out | (given if target == 0 else 0))
                if now != known[target]:
                    known[target] = now
                    if not waiting[target]:
                        waiting[target] = True
                        work.append(target)
        return known

    def first_unbound(self) -> Variable | None:
        """A read of a variable that may have no value there: the first one in the order of the blocks."""
        for at, block in enumerate(self.blocks):
            if not self.uses[at] & ~self.assigned[at]:
                continue
            bound = self.assigned[at]
            for variable, target in _events(block):
                if variable is not None and not bound >> self.numbers[variable.name] & 1:
                    return variable
                if target is not None:
                    bound |= 1 << self.numbers[target]
        return None


def _events(block: FlowBlock) -> list[tuple[Variable | None, str | None]]:
    """Reads and assignments in order."""
    found: list[tuple[Variable | None, str | None]] = []
    for statement in block.statements:
        found.extend((variable, None) for variable in reads_of(statement))
        if isinstance(statement, Assign):
            found.append((None, statement.target))
    condition = condition_of(block)
    found.extend((variable, None) for variable in (variables_of(condition) if condition is not None else ()))
    return found


def _labels(block: FlowBlock) -> list[str]:
    if isinstance(block.end, Goto):
        return [block.end.label]
    return [block.end.then, block.end.otherwise] if isinstance(block.end, Branch) else []


def _reverse_postorder(targets: list[list[int]]) -> list[int]:
    seen = {0}
    order: list[int] = []
    stack = [(0, 0)]
    while stack:
        block, at = stack.pop()
        while at < len(targets[block]) and targets[block][at] in seen:
            at += 1
        if at == len(targets[block]):
            order.append(block)
            continue
        stack.append((block, at + 1))
        seen.add(targets[block][at])
        stack.append((targets[block][at], 0))
    order.reverse()
    return order
