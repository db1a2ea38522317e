"""Work that only the ways out need is done on the ways out.

    p = "[%d]" % i                              if x < 0:
    if x < 0:                         ->            raise Error("[%d]" % i, "too small")
        raise Error(p, "too small")             total = total + x
    total = total + x

A path, a position or a message is put together before it is known whether anybody will read it.  An operation that has
no effect, cannot fail and makes something immutable is moved to the blocks that use it, if all of these leave the
function, so that no way does it twice.

Invariant: on every way through the function an operation is done at most as often as before, and where its operands are
defined.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from futamura.ir.nesting import loop_forest
from futamura.specializer.assembly import Assembly, given_by, implicit, removable
from futamura.specializer.passing import Flow
from futamura.specializer.residual import ResidualBlock, ResidualOperation

__all__ = ["sink"]

_LEAVING: Final = frozenset({"raise", "reraise", "return"})
_MOVED: Final = frozenset({"string", "format", "mod", "tuple", "add", "sub", "mul"})
_IMMUTABLE: Final = frozenset({int, float, complex, bool, str, bytes, tuple})
_MOST_USES: Final = 64
_MOST_JUMPS: Final = 4


def sink(assembly: Assembly, flow: Flow, root: ResidualBlock) -> None:
    """Move operations of one residual function to where they are used."""
    if any(op.pure and op.name in _MOVED for block in assembly.blocks for op in block.ops):
        _Sinking(assembly, flow, root).run()


class _Sinking:
    def __init__(self, assembly: Assembly, flow: Flow, root: ResidualBlock) -> None:
        self._assembly: Final = assembly
        self._flow: Final = flow
        self._root: Final = root
        self._found_loops: list[frozenset[int]] | None = None
        self._users: Final[dict[int, set[int]]] = {
            op.results[0]: set() for block in assembly.blocks for op in block.ops if self._is_candidate(op)
        }
        """For each value that may be made elsewhere the blocks that use it; -1 for a use that cannot be served."""
        for number, block in enumerate(assembly.blocks):
            self._note(number, block)

    def run(self) -> None:
        for number in range(len(self._assembly.blocks)):
            block = self._assembly.blocks[number]
            for op in reversed(list(block.ops)):
                if self._is_candidate(op):
                    self._try(number, block, op)

    def _is_candidate(self, op: ResidualOperation) -> bool:
        """A sum of lists, and `(*items,)`, read them where they stand: neither is one."""
        if not op.pure or op.name not in _MOVED or len(op.results) != 1:
            return False
        if op.name == "tuple":
            return not op.attr
        return self._assembly.machine.types.get(op.results[0]) in _IMMUTABLE

    def _final(self, value: int) -> int:
        return self._flow.replaced.get(value, value)

    def _use(self, value: int, number: int) -> None:
        users = self._users.get(self._final(value))
        if users is not None:
            users.add(number)

    def _loops(self) -> list[frozenset[int]]:
        if self._found_loops is None:
            self._found_loops = _loops(self._assembly)
        return self._found_loops

    def _note(self, number: int, block: ResidualBlock) -> None:
        assembly = self._assembly
        for op in assembly.before.get(block, ()):
            for arg in self._operands(op):
                self._use(arg, -1)
        for op in block.ops:
            for arg in self._operands(op):
                self._use(arg, number)
        end = block.end
        assert end is not None
        if end.name != "jump":
            for arg in end.args:
                self._use(arg, number)
        for at in range(len(end.targets)):
            for arg in self._passed(*assembly.edges[number, at]):
                self._use(arg, number)
        if number in assembly.handlers:
            for arg in self._passed(*assembly.handlers[number]):
                self._use(arg, -1)

    def _operands(self, op: ResidualOperation) -> tuple[int, ...]:
        if removable(op) and self._flow.needed.isdisjoint(given_by(op)):
            return ()
        if op.lazy is None:
            return op.args
        return tuple([op.args[at] for at in self._flow.passed(op.lazy.version.final())])

    def _passed(self, target: ResidualBlock, args: list[int]) -> list[int]:
        """What of `args` arrives: parameters that nobody needs, or that are other values, do not exist."""
        if target.params:
            return []
        if target is self._root:
            return args
        params = self._assembly.params[target][implicit(self._assembly, target) :]
        needed, replaced = self._flow.needed, self._flow.replaced
        return [arg for param, arg in zip(params, args, strict=True) if param in needed and param not in replaced]

    def _try(self, number: int, block: ResidualBlock, op: ResidualOperation) -> None:
        (result,) = op.results
        users = self._users[result]
        if result in self._flow.replaced or result not in self._flow.needed:
            return
        if not users or -1 in users or number in users or len(users) > _MOST_USES:
            return
        loops = self._loops()
        if not all(loops[user] <= loops[number] for user in users):
            return
        ways = [self._way_out(user) for user in users]
        if not all(way is not None and users.isdisjoint(way) for way in ways):
            return
        block.ops.remove(op)
        for user in sorted(users):
            self._move(op, result, user)

    def _way_out(self, number: int) -> list[int] | None:
        """The blocks behind this one, if they are few, and the only ones on the way out of the function."""
        assembly = self._assembly
        way: list[int] = []
        while len(way) < _MOST_JUMPS:
            end = assembly.blocks[number].end
            if end is None or number in assembly.handlers:
                return None
            if end.name != "jump":
                return way if end.name in _LEAVING else None
            number = assembly.numbers[assembly.edges[number, 0][0]]
            way.append(number)
        return None

    def _move(self, op: ResidualOperation, result: int, number: int) -> None:
        """A copy of `op` before its first use in the block, under a value of its own."""
        assembly, machine = self._assembly, self._assembly.machine
        block = assembly.blocks[number]
        assert block.end is not None
        made = machine.renamed(result)
        if result in machine.types:
            machine.types[made] = machine.types[result]
        self._flow.needed.add(made)

        def renamed(args: tuple[int, ...]) -> tuple[int, ...]:
            return tuple([made if self._final(arg) == result else arg for arg in args])

        first = next((at for at, held in enumerate(block.ops) if renamed(held.args) != held.args), len(block.ops))
        used = [replace(held, args=renamed(held.args)) for held in block.ops[first:]]
        block.ops = [*block.ops[:first], replace(op, results=(made,)), *used]
        block.end.args = renamed(block.end.args)
        for at in range(len(block.end.targets)):
            target, args = assembly.edges[number, at]
            assembly.edges[number, at] = (target, list(renamed(tuple(args))))
        for arg in op.args:
            self._use(arg, number)
        self._users[made] = {number}
        machine.origins[made] = block.ops[first]


def _loops(assembly: Assembly) -> list[frozenset[int]]:
    """For each block the loops around it."""
    ways: list[list[int]] = [[] for _ in assembly.blocks]
    for (number, _), (target, _) in assembly.edges.items():
        ways[number].append(assembly.numbers[target])
    for number, (target, _) in assembly.handlers.items():
        ways[number].append(assembly.numbers[target])
    around: list[set[int]] = [set() for _ in assembly.blocks]
    for name, loop in enumerate(loop_forest(ways, 0)):
        for number in loop.nodes:
            around[number].add(name)
    return [frozenset(names) for names in around]
