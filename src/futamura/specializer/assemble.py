"""From versions with snapshots to a frozen residual function.

When all states are final, every lazy edge is matched against its version's state: what the state knows is
not passed, what it has as a parameter is, and virtual objects that the version does not know are
constructed on the way.  Then parameters that always receive one value and pure operations that nobody uses
are dropped, and the rest is built as IR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.graph import Edge, Function, Program, Signature
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.merge import match
from futamura.specializer.residual import Lazy, ResidualBlock, ResidualEnd, ResidualOperation, Target, Version
from futamura.specializer.state import Extent
from futamura.specializer.values import NONE, Dynamic

__all__ = ["Entry", "assemble", "parameters"]

_PURE: Final = frozenset(
    {
        "const",
        "global_get",
        "list",
        "tuple",
        "dict",
        "slice",
        "cell",
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
    }
)


class _Assembly:
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
        self.reached: dict[ResidualBlock, Version] = {}
        """The versions of the blocks that are specialization points."""

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
            if block.handler is not None:
                self.handlers[self.numbers[block]] = handler = self._catch(block, block.handler)
                work.append(handler[0])
            for at, target in enumerate(block.end.targets):
                reached, args = self._resolve(target)
                self.edges[self.numbers[block], at] = (reached, args)
                work.append(reached)

    def _called(self, op: ResidualOperation) -> list[ResidualOperation]:
        """A call of a residual function with its arguments, and what makes them."""
        if op.lazy is None:
            return [op]
        machine = self.machine
        version = op.lazy.version.final()
        if version not in self.names:
            base = version.state.top.facts.function.name.rpartition(".")[2]
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
        call = ResidualOperation("invoke", args, self.names[version], op.results, op.span)
        return [*machine.block.ops, call]

    def _catch(self, block: ResidualBlock, lazy: Lazy) -> tuple[ResidualBlock, list[int]]:
        """The handler edge of `block`: what it passes is made before the block's first operation."""
        version = lazy.version.final()
        root = version.root
        found = match(version.state, lazy.snapshot)
        params = parameters(version)
        caught = next((p for p in params if type(value := found[p]) is Dynamic and value.rv == lazy.implicit), None)
        if root not in self.params:
            first = caught if caught is not None else self.machine.residual_value()
            self.params[root] = [first, *(param for param in params if param != caught)]
            self.entered.add(root)
        machine = self.machine
        machine.state, machine.block = lazy.snapshot.copy(), ResidualBlock()
        args = [machine.lift(found[param]) for param in self.params[root][1:]]
        if machine.block.ops:
            self.before[block] = machine.block.ops
        return root, args

    def _resolve(self, target: Target) -> tuple[ResidualBlock, list[int]]:
        if isinstance(target, ResidualBlock):
            return target, []
        version = target.version.final()
        params = parameters(version)
        self.params.setdefault(version.root, params)
        self.reached[version.root] = version
        return self._passing(target, version, params)

    def _passing(self, lazy: Lazy, version: Version, params: list[int]) -> tuple[ResidualBlock, list[int]]:
        """The block that constructs what `version` expects, ending in a jump to it."""
        machine = self.machine
        snapshot = lazy.snapshot.copy()
        found = match(version.state, snapshot)
        if all(type(found[param]) is Dynamic for param in params):
            return version.root, [value.rv for param in params if type(value := found[param]) is Dynamic]
        block = ResidualBlock(place=version.root.place)
        machine.state, machine.block = snapshot, block
        args = tuple(machine.lift(found[param]) for param in params)
        block.end = ResidualEnd("jump", args, (version.root,))
        self.params.setdefault(block, [])
        return block, []


def parameters(version: Version) -> list[int]:
    """The residual values that are parameters of `version`: its dynamic leaves, in a fixed order."""
    found: dict[int, None] = {}
    state = version.state
    for frame in state.frames:
        for value in sorted(frame.env):
            for leaf in state.leaves(frame.env[value]):
                if type(leaf) is Dynamic:
                    found.setdefault(leaf.rv)
        if frame.subject is not None:
            for leaf in state.leaves(frame.subject):
                if type(leaf) is Dynamic:
                    found.setdefault(leaf.rv)
    for place in sorted(state.overlays):
        for leaf in state.leaves(state.overlays[place][0]):
            if type(leaf) is Dynamic:
                found.setdefault(leaf.rv)
    return list(found)


@dataclass(frozen=True, slots=True)
class Entry:
    """The residual function that the user calls: its name, its open parameters, and their residual values."""

    name: str
    signature: Signature
    inputs: list[int]
    source: Function


Placed = Callable[[str, int, ResidualBlock, "Version | None"], None]
"""Is told the function and number of each block of the residual program, what it was, and its version."""


def assemble(machine: Machine, root: Version, entry: Entry, placed: Placed | None = None) -> Program:
    """The residual program: the function of `root`, then the residual functions that it calls, by need."""
    names: dict[Version, str] = {root.final(): entry.name}
    functions: list[Function] = []
    waiting = [root.final()]
    while waiting:
        version = waiting.pop(0)
        assembly = _Assembly(machine, names, waiting, entry.inputs, root.final())
        if version is root.final():
            params, signature = entry.inputs, entry.signature
        else:
            params = parameters(version)
            signature = Signature(regular=_parameter_names(machine, params))
        functions.append(_function(machine, assembly, version, names[version], params, signature, entry.source, placed))
    return Program(entry.name, tuple(functions))


def _parameter_names(machine: Machine, params: list[int]) -> tuple[str, ...]:
    names: list[str] = []
    for param in params:
        hint = machine.hints[param]
        base = hint if hint is not None and hint.isidentifier() else "x"
        name, number = base, 1
        while name in names:
            number += 1
            name = f"{base}_{number}"
        names.append(name)
    return tuple(names)


def _function(
    machine: Machine,
    assembly: _Assembly,
    version: Version,
    name: str,
    params: list[int],
    signature: Signature,
    about: Function,
    placed: Placed | None,
) -> Function:
    root = version.root
    assembly.params[root] = params
    assembly.visit(root)
    for number, block in enumerate(assembly.blocks):
        assert block.end is not None
        if block.end.name == "jump" and block.end.args and (number, 0) in assembly.edges:
            target, _ = assembly.edges[number, 0]
            assembly.edges[number, 0] = (target, list(block.end.args))
    replaced = _single_valued(assembly, root)
    needed = _needed(assembly, replaced)
    _require_variables(assembly, replaced)
    kind = about.kind if version is assembly.main else "function"
    builder = FunctionBuilder(
        name,
        signature,
        kind=kind,
        qualname=about.qualname,
        doc=about.doc,
        module=about.module,
        file=about.file,
        span=about.span,
    )
    emission = _Emission(assembly, replaced, needed, root, builder)
    function = emission.build()
    if placed is not None:
        assembly.reached.setdefault(root, version)
        for block, head in emission.heads.items():
            placed(name, head.id, block, assembly.reached.get(block))
    return function


def _implicit(assembly: _Assembly, block: ResidualBlock) -> int:
    """How many first parameters of `block` its edges do not pass: the item, or the exception."""
    return 1 if block.params or block in assembly.entered else 0


def _incoming(assembly: _Assembly) -> Iterator[tuple[ResidualBlock, list[int]]]:
    for target, args in (*assembly.edges.values(), *assembly.handlers.values()):
        if not target.params:
            yield target, args


def _single_valued(assembly: _Assembly, root: ResidualBlock) -> dict[int, int]:
    """Parameters that always receive the same value, with that value."""
    replaced: dict[int, int] = {}

    def final(value: int) -> int:
        while value in replaced:
            value = replaced[value]
        return value

    arrivals: dict[ResidualBlock, list[list[int]]] = {}
    for target, args in _incoming(assembly):
        arrivals.setdefault(target, []).append(args)
    changed = True
    while changed:
        changed = False
        for block, passed in arrivals.items():
            if block is root:
                continue
            for at, param in enumerate(assembly.params[block][_implicit(assembly, block) :]):
                if param in replaced:
                    continue
                values = {final(args[at]) for args in passed} - {param}
                if len(values) == 1:
                    replaced[param] = values.pop()
                    changed = True
    return {value: final(value) for value in replaced}


def _operations(assembly: _Assembly, block: ResidualBlock) -> list[ResidualOperation]:
    return [*assembly.before.get(block, ()), *block.ops]


def _needed(assembly: _Assembly, replaced: dict[int, int]) -> set[int]:
    """Values that reach an effect or control."""
    needed: set[int] = set()
    work: list[int] = []
    sources: dict[int, list[int]] = {}

    def need(value: int) -> None:
        value = replaced.get(value, value)
        if value not in needed:
            needed.add(value)
            work.append(value)

    for block in assembly.blocks:
        for op in _operations(assembly, block):
            if _removable(op):
                for result in op.results:
                    sources.setdefault(result, []).extend(op.args)
            else:
                for arg in op.args:
                    need(arg)
        assert block.end is not None
        if block.end.name != "jump":
            for arg in block.end.args:
                need(arg)
    for target, args in _incoming(assembly):
        for param, arg in zip(assembly.params[target][_implicit(assembly, target) :], args, strict=True):
            sources.setdefault(param, []).append(arg)
    while work:
        for source in sources.get(work.pop(), ()):
            need(source)
    return needed


_CELL_OF: Final = {"cell_get": 0, "cell_del": 0, "cell_set": 1}


def _require_variables(assembly: _Assembly, replaced: dict[int, int]) -> None:
    """A variable that is bound on some ways only has no place of its own: each way made one, and they met."""
    operations = [op for block in assembly.blocks for op in _operations(assembly, block)]
    made = {result for op in operations if op.name in ("cell", "const") for result in op.results}
    for op in operations:
        at = _CELL_OF.get(op.name)
        if at is not None and replaced.get(op.args[at], op.args[at]) not in made:
            raise Unsupported("a variable is bound on some ways only", op.span)


def _removable(op: ResidualOperation) -> bool:
    return op.pure and op.name in _PURE


class _Emission:
    """Builds the IR of an assembly."""

    def __init__(
        self,
        assembly: _Assembly,
        replaced: dict[int, int],
        needed: set[int],
        root: ResidualBlock,
        builder: FunctionBuilder,
    ) -> None:
        self.assembly: Final = assembly
        self.replaced: Final = replaced
        self.needed: Final = needed
        self.root: Final = root
        self.builder: Final = builder
        self.values: dict[int, int] = {}
        self.heads: dict[ResidualBlock, BlockBuilder] = {}
        self.bodies: dict[ResidualBlock, BlockBuilder] = {}
        self.regions: dict[tuple[str, int], int] = {}
        self.parents: dict[int, int] = {}
        self.copies: dict[ResidualBlock, int] = {}
        self.outside: dict[ResidualBlock, dict[int, int]] = {}
        self._renamed: dict[int, int] = {}
        self._handler_of: dict[int, ResidualBlock] | None = None

    def build(self) -> Function:
        for block in self.assembly.blocks:
            self.heads[block] = self.bodies[block] = self.builder.block()
            starts_inside = block in self.assembly.entered and block.context not in (None, block.place)
            if starts_inside or block in self.assembly.before:
                self.bodies[block] = self.builder.block()
        for block in self.assembly.blocks:
            self._place(block)
        self._keep_exceptions()
        for block in self.assembly.blocks:
            self.heads[block].params.extend(self._value(self.assembly.params[block][at]) for at in self._kept(block))
        for number, block in enumerate(self.assembly.blocks):
            self._fill(number, block)
        return self.builder.finish()

    def _keep_exceptions(self) -> None:
        """An exception that is read where its handler has ended gets a second name: Python forgets the first."""
        for block in self.assembly.blocks:
            if block not in self.assembly.entered:
                continue
            caught = self.assembly.params[block][0]
            for number, reader in enumerate(self.assembly.blocks):
                if self._lies_in(self.bodies[reader].region, self.heads[block].region):
                    continue
                if caught in self._reads(number, reader):
                    if block not in self.copies:
                        self.copies[block] = self.assembly.machine.renamed(caught)
                    self.outside.setdefault(reader, {})[caught] = self.copies[block]

    def _lies_in(self, region: int, outer: int) -> bool:
        while region and region != outer:
            region = self.parents[region]
        return region == outer

    def _reads(self, number: int, block: ResidualBlock) -> set[int]:
        assembly = self.assembly
        assert block.end is not None
        found = [arg for op in _operations(assembly, block) for arg in op.args]
        if block.end.name != "jump":
            found.extend(block.end.args)
        for at in range(len(block.end.targets)):
            found.extend(assembly.edges[number, at][1])
        if number in assembly.handlers:
            found.extend(assembly.handlers[number][1])
        return {self.replaced.get(rv, rv) for rv in found}

    def _value(self, rv: int) -> int:
        rv = self.replaced.get(rv, rv)
        rv = self._renamed.get(rv, rv)
        if rv not in self.values:
            self.values[rv] = self.builder.value(self.assembly.machine.hints[rv])
        return self.values[rv]

    def _kept(self, block: ResidualBlock) -> list[int]:
        """The positions of the parameters that remain."""
        params = self.assembly.params[block]
        implicit = _implicit(self.assembly, block)
        if block is self.root:
            return list(range(len(params)))
        kept = [at for at, p in enumerate(params) if at >= implicit and p not in self.replaced and p in self.needed]
        return [*range(implicit), *kept]

    def _place(self, block: ResidualBlock) -> None:
        """Give the block its residual region; regions that nothing raises in do not exist."""
        body = self._innermost(block.context if block.context is not None else block.place)
        self.bodies[block].region = body
        self.heads[block].region = self._innermost(block.place) if block in self.assembly.entered else body

    def _innermost(self, context: tuple[Extent, ...]) -> int:
        region = 0
        for extent in context:
            if extent.kind != "copy" and extent.uid in self._handled():
                region = self._region(extent, region)
        return region

    def _handled(self) -> dict[int, ResidualBlock]:
        """Each try region's handler block, by the region's number."""
        if self._handler_of is None:
            self._handler_of = {}
            for number, block in enumerate(self.assembly.blocks):
                if number in self.assembly.handlers:
                    assert block.context is not None
                    extent = _innermost_try(block.context)
                    self._handler_of[extent.uid] = self.assembly.handlers[number][0]
        return self._handler_of

    def _region(self, extent: Extent, parent: int) -> int:
        found = self.regions.get((extent.kind, extent.uid))
        if found is not None:
            return found
        handler = self.heads[self._handled()[extent.uid]].id
        if extent.kind == "try":
            number = self.builder.region("try", parent, flavor="residual", handler=handler)
        else:
            of = self._region(extent._replace(kind="try"), parent)
            number = self.builder.region("except", parent, of=of)
        self.regions[extent.kind, extent.uid] = number
        self.parents[number] = parent
        return number

    def _fill(self, number: int, block: ResidualBlock) -> None:
        body = self.bodies[block]
        self._renamed = self.outside.get(block, {})
        if block in self.copies:
            caught = self._value(self.assembly.params[block][0])
            self.builder.append(self.heads[block], "copy", (caught,), None, (self._value(self.copies[block]),))
        if body is not self.heads[block]:
            for op in self.assembly.before.get(block, ()):
                self._append(self.heads[block], op)
            self.builder.terminate(self.heads[block], "jump", (), (Edge(body.id),))
        for op in block.ops:
            self._append(body, op)
        if number in self.assembly.handlers:
            handler, args = self.assembly.handlers[number]
            body.handler = self._edge(handler, args)
        end = block.end
        assert end is not None
        edges = tuple(self._edge(*self.assembly.edges[number, at]) for at in range(len(end.targets)))
        args_of = () if end.name == "jump" else tuple(self._value(arg) for arg in end.args)
        self.builder.terminate(body, end.name, args_of, edges, end.attr, end.span)

    def _edge(self, target: ResidualBlock, args: list[int]) -> Edge:
        implicit = _implicit(self.assembly, target)
        kept = [at - implicit for at in self._kept(target) if at >= implicit]
        return Edge(self.heads[target].id, tuple(self._value(args[at]) for at in kept))

    def _append(self, block: BlockBuilder, op: ResidualOperation) -> None:
        if _removable(op) and not any(result in self.needed for result in op.results):
            return
        args = tuple(self._value(arg) for arg in op.args)
        self.builder.append(block, op.name, args, op.attr, tuple(self._value(result) for result in op.results), op.span)


def _innermost_try(context: tuple[Extent, ...]) -> Extent:
    return next(extent for extent in reversed(context) if extent.kind == "try")
