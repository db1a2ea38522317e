"""Resolved blocks of residual functions: every lazy edge is a block and the arguments that it receives.

    jump -> version(i: Dynamic 4), snapshot i = Known 0     ->     a block `const 0; jump version(v9)`

Invariant: the states of all versions are final; a block is resolved once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from futamura.ir.graph import FunctionKind
from futamura.specializer import library
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.merge import contents, match
from futamura.specializer.residual import Lazy, ResidualBlock, ResidualEnd, ResidualOperation, Target, Version
from futamura.specializer.state import State
from futamura.specializer.summaries import returned_leaves
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Virtual

__all__ = [
    "Assembly", "entered_kind", "given_by", "implicit", "incoming", "makes_generator", "operations", "parameters",
    "removable",
]  # fmt: skip

MOST_MADE: Final = 3
"""So often an object is made in front of operations that may raise, for the handler, before it is made at once."""
_MADE: Final = frozenset({"instance", "list", "dict", "set"})
_PURE: Final = frozenset(
    {
        "const",
        "global_get",
        "list",
        "tuple",
        "dict",
        "slice",
        "cell",
        "closure",
        "string",
        "add",
        "sub",
        "mul",
        "and",
        "or",
        "xor",
        "is",
        "is_not",
        "lt",
        "le",
        "gt",
        "ge",
        "eq",
        "ne",
        "not",
        "truth",
        "neg",
        "mod",
        "format",
        "getitem",
    }
)


class Assembly:
    """Resolved blocks of one residual function: every edge is (block, arguments)."""

    def __init__(
        self, machine: Machine, names: dict[Version, str], waiting: list[Version], inputs: list[int], main: Version
    ) -> None:
        self.machine: Final = machine
        self.names: Final = names
        self.waiting: Final = waiting
        self.inputs: Final = inputs
        self.main: Final = main
        self.blocks: list[ResidualBlock] = []
        self.edges: dict[tuple[int, int], tuple[ResidualBlock, list[int]]] = {}
        self.handlers: dict[int, tuple[ResidualBlock, list[int]]] = {}
        self.params: dict[ResidualBlock, list[int]] = {}
        self.numbers: dict[ResidualBlock, int] = {}
        self.before: dict[ResidualBlock, list[ResidualOperation]] = {}
        self.entered: set[ResidualBlock] = set()
        self._makings: dict[tuple[int, object], int] = {}
        """How often an object of a site is made for a parameter of a handler."""
        self.free: list[int] = []
        """The closure cells of the specialized function that this function has."""
        self._parameters: Final[dict[Version, list[int]]] = {}
        self._leaves: Final[dict[Version, list[Dynamic]]] = {}
        self.reached: dict[ResidualBlock, Version] = {}
        """The versions of the blocks that are specialization points."""
        self.own: list[int] = []

    def visit(self, root: ResidualBlock) -> None:
        work = [root]
        while work:
            block = work.pop()
            if block in self.numbers:
                continue
            self.numbers[block] = len(self.blocks)
            self.blocks.append(block)
            self.params.setdefault(block, list(block.params))
            assert block.end is not None
            block.ops = [made for op in block.ops for made in self._called(op)]
            self._leave(block)
            if block.handler is not None:
                self.handlers[self.numbers[block]] = handler = self._catch(block, block.handler)
                work.append(handler[0])
            for at, target in enumerate(block.end.targets):
                reached, args = self._resolve(target)
                if block.end.name == "jump" and block.end.args:
                    args = list(block.end.args)
                self.edges[self.numbers[block], at] = (reached, args)
                work.append(reached)

    def _called(self, op: ResidualOperation) -> list[ResidualOperation]:
        """A call of a residual function with its arguments, and what makes them."""
        if op.lazy is None:
            return [op]
        machine = self.machine
        version = op.lazy.version.final()
        if version not in self.names:
            facts = version.state.top.facts
            base = facts.function.name.rpartition(".")[2]
            named = base.isidentifier() and not library.is_own(facts.namespace)
            base = base if named else "items" if makes_generator(version) else "function"
            taken = set(self.names.values())
            number = 1
            while f"{base}_{number}" in taken:
                number += 1
            self.names[version] = f"{base}_{number}"
            self.waiting.append(version)
        found = match(version.state, op.lazy.snapshot)
        machine.state, machine.block, machine.span = op.lazy.snapshot.copy(), ResidualBlock(), op.span
        params = self.inputs if version is self.main else parameters(version)
        args = tuple(machine.lift(found.get(param, NONE)) for param in params)
        call = ResidualOperation("invoke", args, self.names[version], op.results, op.span, lazy=op.lazy, lost=op.lost)
        return [*machine.block.ops, call]

    def _leave(self, block: ResidualBlock) -> None:
        """A return from a residual function passes what its callers expect."""
        end = block.end
        if end is None or end.leaving is None:
            return
        summary, left = end.leaving
        machine = self.machine
        assert summary.returned is not None
        found = match(summary.returned, left)
        machine.state, machine.block, machine.span = left.copy(), ResidualBlock(), end.span
        end.args = tuple(machine.lift(found[leaf]) for leaf in returned_leaves(summary.returned))
        block.ops = [*block.ops, *machine.block.ops]

    def _catch(self, block: ResidualBlock, lazy: Target) -> tuple[ResidualBlock, list[int]]:
        """The handler edge of `block`: what it passes is made before the block's first operation."""
        if isinstance(lazy, ResidualBlock):
            self.params.setdefault(lazy, list(lazy.params))
            self.entered.add(lazy)
            return lazy, []
        version = lazy.version.final()
        root = version.root
        found = match(version.state, lazy.snapshot)
        params = self._parameters_of(version)
        caught = next((p for p in params if type(value := found[p]) is Dynamic and value.rv == lazy.implicit), None)
        if root not in self.params:
            self._note_types(version)
            first = caught if caught is not None else self.machine.residual_value()
            self.params[root] = [first, *(param for param in params if param != caught)]
            self.entered.add(root)
        machine = self.machine
        machine.state, machine.block = lazy.snapshot.copy(), ResidualBlock()
        passed = [found[param] for param in self.params[root][1:]]
        for param, value in zip(self.params[root][1:], passed):
            entry = machine.state.object(value)
            if entry is not None and entry.kind in _MADE and entry.site is not None:
                place = (param, entry.site)
                self._makings[place] = self._makings.get(place, 0) + 1
        args = [machine.lift(value) for value in passed]
        if machine.block.ops:
            self.before[block] = machine.block.ops
        return root, args

    def check_makings(self, needed: Collection[int]) -> None:
        """What is made in front of many operations that may raise, for one handler that needs it, is made where the
        program makes it."""
        versions = self.machine.versions
        for (param, site), count in self._makings.items() if versions.polyvariance == "auto" else ():
            if count >= MOST_MADE and param in needed and not versions.noshape.has(site):
                versions.noshape.add(site)
                raise Restart("an object is made before each operation of a try statement")

    def _resolve(self, target: Target) -> tuple[ResidualBlock, list[int]]:
        if isinstance(target, ResidualBlock):
            return target, []
        version = target.version.final()
        params = self._parameters_of(version)
        if version.root not in self.params:
            self._note_types(version)
            self.params[version.root] = list(params)
        self.reached[version.root] = version
        return self._passing(target, version, params)

    def _parameters_of(self, version: Version) -> list[int]:
        """`parameters`, found once for each version."""
        params = self._parameters.get(version)
        if params is None:
            leaves = self._leaves[version] = _leaves(version.state)
            params = self._parameters[version] = list(dict.fromkeys([leaf.rv for leaf in leaves]))
        return params

    def _note_types(self, version: Version) -> None:
        """What a version is passed is of the classes that all its arrivals have."""
        types = self.machine.types
        for leaf in self._leaves[version]:
            if leaf.type is not None:
                types[leaf.rv] = leaf.type

    def _passing(self, lazy: Lazy, version: Version, params: list[int]) -> tuple[ResidualBlock, list[int]]:
        """The block that constructs what `version` expects, ending in a jump to it."""
        machine = self.machine
        found = match(version.state, lazy.snapshot)
        passed = [value.rv for param in params if type(value := found[param]) is Dynamic]
        if len(passed) == len(params):
            return version.root, passed
        block = ResidualBlock(place=version.root.place)
        machine.state, machine.block = lazy.snapshot.copy(), block
        args = tuple(machine.lift(found[param]) for param in params)
        block.end = ResidualEnd("jump", args, (version.root,))
        self.params.setdefault(block, [])
        return block, []


def makes_generator(version: Version) -> bool:
    """Does a call of the residual function with this entry give a generator?"""
    return entered_kind(version) == "generator"


def entered_kind(version: Version) -> FunctionKind:
    """The kind of the residual function with this entry."""
    return version.state.frames[0].facts.function.kind


def parameters(version: Version) -> list[int]:
    """The residual values that are parameters of `version`: its dynamic leaves, in a fixed order."""
    return list(dict.fromkeys([leaf.rv for leaf in _leaves(version.state)]))


def _leaves(state: State) -> list[Dynamic]:
    """The dynamic values of a trimmed state, with repetitions, each object looked at once."""
    found: list[Dynamic] = []
    seen: set[int] = set()
    heap = state.heap
    for content in contents(state):
        if type(content) is Dynamic:
            found.append(content)
        elif type(content) is Virtual:
            work: list[AbstractValue] = [content]
            while work:
                item = work.pop()
                if type(item) is Dynamic:
                    found.append(item)
                elif type(item) is Virtual and item.oid not in seen:
                    seen.add(item.oid)
                    work.extend(heap[item.oid].items)
    return found


def implicit(assembly: Assembly, block: ResidualBlock) -> int:
    """How many first parameters of `block` its edges do not pass: the item, or the exception."""
    return 1 if block.params or block in assembly.entered else 0


def incoming(assembly: Assembly) -> Iterator[tuple[ResidualBlock, list[int]]]:
    for target, args in (*assembly.edges.values(), *assembly.handlers.values()):
        if not target.params:
            yield target, args


def operations(assembly: Assembly, block: ResidualBlock) -> list[ResidualOperation]:
    before = assembly.before.get(block)
    return [*before, *block.ops] if before else block.ops


def removable(op: ResidualOperation) -> bool:
    """Does it go where nobody needs what it gives?"""
    return op.making is not None or (op.pure and op.name in _PURE)


def given_by(op: ResidualOperation) -> tuple[int, ...]:
    """What a removable operation is there for."""
    return op.results if op.making is None else (op.making,)
