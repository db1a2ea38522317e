"""The rest of a run as a function: from a point inside a function, of the values that live there.

    def f(n):                                 continuation of f before the call:
        for i in range(n):                        def f(i_iter, i):
            log(i)                                    log(i)
        return n                                      for i in i_iter: log(i)
                                                  return n

Parameters, in this order: the live-in values by increasing id; then the active exceptions, outermost first; then, as
free variables, the live-in cells.  A cell that nothing captures is an ordinary parameter that holds the cell: the
continuation has a variable of its own, with the same content, so that an unbound one raises what a local raises.

In a generator, the point after a `yield` has the value sent as one of its live-ins, and the continuation is a generator
function: its first `next` goes on from there.

A loop around the point is peeled: what is left of the current iteration is copied in front of the loop, which is
entered at its header only.  So n loops around the point give n + 1 copies of the innermost one, and every graph stays
as structured as it was.  Try regions around the point are entered where they stand.  Except regions are entered by
raising the active exception once more inside a small try region of their own; its `__context__` is put back.

Invariant: the graph of the copies takes only ways that the original could take from the point on.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.graph import Edge, Function, Program, Region, Signature, Value
from futamura.ir.liveness import Liveness
from futamura.ir.nesting import Loop, loop_forest
from futamura.ir.reconstruct import Reconstruction

__all__ = ["Continuation", "continuation", "continuation_function", "continuation_program"]

_CELL_USES = {"cell_get": 0, "cell_del": 0, "cell_set": 1}
"""Operators that look into a cell, with the position of the cell among their arguments; others let it escape."""


class Continuation(NamedTuple):
    """The function, and what to pass to it."""

    function: Function
    values: tuple[Value, ...]
    """The live-ins that are its first parameters."""
    active: int
    """How many active exceptions follow them."""
    cells: tuple[Value, ...]
    """The live-in cells that are its closure, in the order of `function.free`."""


def continuation_function(function: Function, block: int, index: int) -> Function:
    """The function that does the rest of a run which stands before operation `index` of `block`."""
    return continuation(function, block, index).function


def continuation_program(program: Program, function: str, block: int, index: int) -> tuple[Program, Continuation]:
    """A program whose entry is that function, beside the functions that it may make."""
    avoid = {name for item in program.functions for name in _global_names(item)}
    found = continuation(program[function], block, index, avoid=avoid)
    return Program(found.function.name, (found.function, *program.functions)), found


def continuation(function: Function, block: int, index: int, *, avoid: Iterable[str] = ()) -> Continuation:
    """The function that does the rest of a run; no parameter gets a name of `avoid` or of a global that it reads."""
    return _Maker(function, block, index, set(avoid)).make()


def _global_names(function: Function) -> set[str]:
    return {
        operation.attr[1]  # type: ignore[index]
        for operation in function.operations()
        if operation.name.startswith("global_")
    }


class _Maker:
    """One continuation under construction."""

    def __init__(self, function: Function, block: int, index: int, avoid: set[str]) -> None:
        self.function = function
        self.block = block
        self.index = index
        self.liveness = Liveness(function)
        self.taken = avoid | _global_names(function)
        self.path = function.region_path(function.blocks[block].region)
        self.excepts = [number for number in self.path if function.regions[number].kind == "except"]

    def make(self) -> Continuation:
        cells = _cells(self.function)
        live = self.liveness.at(self.block, self.index)
        captured = [value for value in live if value in cells and cells[value].captured]
        values = [value for value in live if value not in captured]
        free = [self.name(cells[value].name) for value in captured]
        names = [self.name(self.hint(value, cells)) for value in values]
        actives = [self.name("active") for _ in self.excepts]
        function = self.function
        self.builder = FunctionBuilder(
            f"{function.name}#b{self.block}.{self.index}",
            Signature(regular=(*names, *actives)),
            qualname=function.qualname, free=tuple(free), kind=function.kind, doc=function.doc,
            module=function.module, file=function.file, span=function.span,
        )  # fmt: skip
        self.rebuild = Reconstruction(function, self.liveness, self.builder)
        self.peeling = _Peeling(function, self.block, self.liveness)
        self.regions: dict[tuple[int, int], int] = {}
        last = self.prologue(values, names, captured, free, actives, cells)
        first = self.copies()
        self.builder.terminate(last, "jump", (), (Edge(self.rebuild.new_block(first).id),))
        self.rebuild.finish()
        self.handlers()
        return Continuation(self.builder.finish(), tuple(values), len(actives), tuple(captured))

    def name(self, wanted: str) -> str:
        """A new name for a parameter."""
        name, count = wanted, 1
        while name in self.taken:
            count += 1
            name = f"{wanted}_{count}"
        self.taken.add(name)
        return name

    def hint(self, value: Value, cells: dict[Value, _Cell]) -> str:
        if value in cells:
            return f"{cells[value].name}_cell"
        hint = self.function.hints[value]
        if hint is None or not hint.isidentifier() or keyword.iskeyword(hint):
            return f"value_{value}"
        return hint

    # ---------------------------------------------------------------- prologue

    def prologue(
        self, values: list[Value], names: list[str], captured: list[Value], free: list[str], actives: list[str],
        cells: dict[Value, _Cell],
    ) -> BlockBuilder:  # fmt: skip
        """The entry and the way into the extents; gives the block that still has to jump to the point."""
        builder, function = self.builder, self.function
        entry = builder.block()
        known = self.rebuild.prologue
        passed = []
        for value, name in zip(values, names):
            new = builder.value(name, function.types[value] if value not in cells else "object")
            entry.params.append(new)
            passed.append(new)
            known[value] = new
        exceptions = builder.params(entry, *actives)
        known.update(zip(captured, builder.params(entry, *free)))
        contexts = [builder.emit(entry, "getattr", (exception,), "__context__") for exception in exceptions]
        current = entry
        for value, new in zip(values, passed):
            if value in cells:
                known[value], current = self.own_cell(current, cells[value].name, new)
        for number, exception, context in zip(self.excepts, exceptions, contexts):
            current = self.enter(current, number, exception, context)
        return current

    def own_cell(self, current: BlockBuilder, name: str, cell: Value) -> tuple[Value, BlockBuilder]:
        """A new cell with the content of `cell`, empty if that is empty."""
        builder = self.builder
        made = builder.emit(current, "cell", (), name, hint=name)
        read, after, skip = self.protected(0)
        content = builder.emit(read, "getattr", (cell,), "cell_contents")
        builder.append(read, "cell_set", (content, made), name)
        builder.terminate(current, "jump", (), (Edge(read.id),))
        builder.terminate(read, "jump", (), (Edge(after.id),))
        builder.terminate(skip, "jump", (), (Edge(after.id),))
        return made, after

    def protected(self, parent: int) -> tuple[BlockBuilder, BlockBuilder, BlockBuilder]:
        """A block in a try region of its own, the block after it, and the handler, all below region `parent`."""
        builder = self.builder
        tried = builder.region("try", parent, flavor="except")
        body, after = builder.block(tried), builder.block(parent)
        handler = builder.block(builder.region("except", parent, of=tried))
        builder.params(handler, None)
        builder.set_handler(tried, handler.id)
        body.handler = Edge(handler.id)
        return body, after, handler

    def enter(self, current: BlockBuilder, number: int, exception: Value, context: Value) -> BlockBuilder:
        """Make `exception` active: raise it in a try region whose handler lies in the extent."""
        builder = self.builder
        parent = self.region(self.function.regions[number].parent, 0)
        tried = builder.region("try", parent, flavor="except")
        extent = builder.region("except", parent, of=tried, span=self.function.regions[number].span)
        self.regions[number, 0] = extent
        raising, handler = builder.block(tried), builder.block(extent)
        builder.set_handler(tried, handler.id)
        raising.handler = Edge(handler.id)
        builder.terminate(current, "jump", (), (Edge(raising.id),))
        builder.terminate(raising, "raise", (exception,))
        (caught,) = builder.params(handler, None)
        restore, after, skip = self.protected(extent)
        builder.append(restore, "setattr", (context, caught), "__context__")
        builder.terminate(handler, "jump", (), (Edge(restore.id),))
        builder.terminate(restore, "jump", (), (Edge(after.id),))
        builder.terminate(skip, "jump", (), (Edge(after.id),))
        return after

    # ---------------------------------------------------------------- copies of blocks and regions

    def copies(self) -> int:
        """Place all copies that the point reaches."""
        function, rebuild, peeling = self.function, self.rebuild, self.peeling
        start = function.blocks[self.block]
        first = rebuild.place(start, self.index, self.region(start.region, 0))
        places: dict[tuple[int, int], int] = {}
        self.places = places
        work = [(first, self.block, 0)]
        while work:
            copy, number, level = work.pop(0)
            block = function.blocks[number]
            found = []
            targets = [edge.target for edge in block.terminator.edges]
            if block.handler is not None:
                targets.append(block.handler.target)
            for target in targets:
                key = (target, peeling.level(level, target))
                if key not in places:
                    body = function.blocks[target]
                    places[key] = rebuild.place(body, -1, self.region(body.region, key[1]))
                    work.append((places[key], *key))
                found.append(places[key])
            handler = found.pop() if block.handler is not None else -1
            rebuild.connect(copy, found, handler)
        return first

    def region(self, number: int, level: int) -> int:
        """The new region for `number` where blocks of `level` stand."""
        if number == 0:
            return 0
        key = (number, self.peeling.instance(number, level))
        if key in self.regions:
            return self.regions[key]
        region: Region = self.function.regions[number]
        parent = self.region(region.parent, level)
        flavor = region.flavor
        reopened = key[1] == 0 and self.statement(number) in self.entered()
        if reopened and region.kind == "copy" and (number in self.path or self.flavor(region.of) == "except"):
            # The point lies in this clean-up, or its statement is no `with` any more: a plain piece of code.
            self.regions[key] = parent
            return parent
        if region.kind == "try" and reopened:
            flavor = self.flavor(number)
        of = -1 if region.of < 0 else self.region(region.of, level)
        made = self.builder.region(region.kind, parent, flavor=flavor, of=of, span=region.span)
        self.regions[key] = made
        return made

    def statement(self, number: int) -> int:
        """The try region of the statement that a region is a part of."""
        region = self.function.regions[number]
        return number if region.kind == "try" else region.of

    def entered(self) -> set[int]:
        """The statements around the point."""
        return {self.statement(number) for number in self.path[1:]}

    def flavor(self, tried: int) -> str:
        """A `with` that is entered in the middle is a `try` that calls its manager's exit by itself."""
        flavor = self.function.regions[tried].flavor
        return "except" if flavor == "with" else flavor

    def handlers(self) -> None:
        """Each new try region gets the copy of its handler."""
        by_region: dict[int, int] = {}
        for block in self.builder.blocks:
            if block.handler is not None:
                by_region[self.innermost(block.region)] = block.handler.target
        for number, target in by_region.items():
            self.builder.set_handler(number, target)

    def innermost(self, region: int) -> int:
        regions = self.builder.regions
        while regions[region].kind != "try":
            region = regions[region].parent
        return region


class _Peeling:
    """Which copy of a block, and of a region, control is in.

    With d loops around the point, level 0 is the current iteration of all of them; entering the header of the j-th loop
    from outside in (counted from 1) leads to level d - j + 1, where that loop and the loops inside it are whole.  Code
    that lies in m of these loops has no copy below level d - m.
    """

    def __init__(self, function: Function, block: int, liveness: Liveness) -> None:
        self.function = function
        self.chain = _loops_around(function, block)
        self.rank = {loop.header: index for index, loop in enumerate(self.chain, 1)}
        self.inside = self._regions_inside()
        self.depth = [self._block_depth(number) for number in range(len(function.blocks))]

    def _regions_inside(self) -> dict[int, int]:
        """For each statement (by its try region) how many of the loops it lies in, as a whole."""
        regions = self.function.regions
        counts = {region.id: 0 for region in regions if region.kind == "try"}
        for index, loop in enumerate(self.chain, 1):
            size: dict[int, int] = {}
            for number in loop.nodes:
                for region in self.function.region_path(self.function.blocks[number].region)[1:]:
                    size[region] = size.get(region, 0) + 1
            touched = {regions[region].of if regions[region].kind != "try" else region for region in size}
            # A loop that lies in one part of the statement is inside of it, not around it.
            around = {
                regions[region].of if regions[region].kind != "try" else region
                for region, count in size.items()
                if count == len(loop.nodes)
            }
            for tried in touched - around:
                counts[tried] = index
        for tried in sorted(counts):
            # What lies in a part of a statement is in its loops, even if it only leads out of them.
            if regions[tried].parent:
                outer = regions[regions[tried].parent]
                around_it = counts[outer.id if outer.kind == "try" else outer.of]
                counts[tried] = max(counts[tried], around_it)
        return counts

    def _block_depth(self, number: int) -> int:
        depth = 0
        for index, loop in enumerate(self.chain, 1):
            if number in loop.nodes:
                depth = index
        regions = self.function.regions
        for region in self.function.region_path(self.function.blocks[number].region)[1:]:
            depth = max(depth, self.inside[regions[region].of if regions[region].kind != "try" else region])
        return depth

    def level(self, level: int, target: int) -> int:
        """The level after an edge to the block `target`."""
        depth = len(self.chain)
        reached = max(level, depth - self.depth[target])
        rank = self.rank.get(target)
        return reached if rank is None else max(reached, depth - rank + 1)

    def instance(self, region: int, level: int) -> int:
        """The copy of a region: how many headers of the loops around its statement were entered since the point."""
        found = self.function.regions[region]
        around = self.inside[region if found.kind == "try" else found.of]
        depth = len(self.chain)
        return level if level > depth - around else 0


def _loops_around(function: Function, block: int) -> list[Loop]:
    """The loops that hold a block, outermost first."""
    successors = [
        [edge.target for edge in (*body.terminator.edges, *([body.handler] if body.handler else []))]
        for body in function.blocks
    ]
    return sorted((loop for loop in loop_forest(successors, 0) if block in loop.nodes), key=lambda loop: loop.depth)


@dataclass(slots=True)
class _Cell:
    name: str
    captured: bool


def _cells(function: Function) -> dict[Value, _Cell]:
    """The values that are cells; captured are those of the closure and those that a definition or an edge takes."""
    cells = {
        value: _Cell(name, True)
        for value, name in zip(function.entry.params[len(function.signature.names) :], function.free)
    }
    for operation in function.operations():
        if operation.name == "cell":
            cells[operation.results[0]] = _Cell(str(operation.attr), False)
    for block in function.blocks:
        for operation in block.ops:
            place = _CELL_USES.get(operation.name, -1)
            for position, value in enumerate(operation.args):
                if value in cells and position != place:
                    cells[value].captured = True
        edges = (*block.terminator.edges, *([block.handler] if block.handler is not None else []))
        for value in (*block.terminator.args, *[value for edge in edges for value in edge.args]):
            if value in cells:
                cells[value].captured = True
    return cells
