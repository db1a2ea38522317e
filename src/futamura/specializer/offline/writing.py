"""Polyvariant program-point specialization of the functions of a program, as a division says.

    b1(y, res):  res = res * x; y = y - 1;           <b1, y=2>:  res' = res * x; jump <b1, y=1>
                 branch y -> b1(y, res) | b2(res)    <b1, y=1>:  res' = res * x; jump <b2>

One point for each block and static store that is reached; its code is that of the block, with static operations
executed and dynamic ones copied.  A jump, and a branch on a static condition, either stays a jump to the point (`keep`)
or goes on in line (`follow`), until a point repeats that stands in the same line.

Invariant: operations that stay keep their order; a static operation that raises stays, on its constants, and nothing
after it is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final, NoReturn

from futamura.analysis.division import Division, FunctionDivision, Pattern
from futamura.analysis.partial import Access
from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Edge, Function, Operation, Terminator, Value
from futamura.specializer.offline.early import Failed, Refused, Walk, advance, evaluate, liftable
from futamura.specializer.offline.metering import MAKING, Meter
from futamura.specializer.offline.points import Path, Point, StaticValues, Store, Unit
from futamura.specializer.offline.sources import SourceFunction
from futamura.specializer.offline.structures import Forced, Shape, StructureWriter
from futamura.specializer.offline.trace import CacheEntry, Trace, in_order, named, shown
from futamura.specializer.offline.wording import Wording
from futamura.specializer.world import World

_NAMED: Final = (FunctionType, BuiltinFunctionType, ModuleType, type)

__all__ = ["UnitWriter", "Unwritable"]


class Unwritable(Exception):
    """Something that this specializer does not write."""


class UnitWriter(StructureWriter):
    """Writes the points of one residual function."""

    def __init__(
        self,
        unit: Unit,
        source: SourceFunction,
        division: Division,
        found: FunctionDivision,
        *,
        world: World,
        numbers: StaticValues,
        meter: Meter,
        follow: bool,
        share: bool,
        tell_cells: bool,
        labels: Callable[[Function, int], str],
        trace: Trace,
        cache: list[CacheEntry],
        access: Mapping[int, Access],
        call: Callable[[Pattern, tuple[Any, ...]], str],
        finish: Callable[[str], tuple[Shape, ...] | None],
        unfold: Callable[[str, tuple[Any, ...]], Any],
    ) -> None:
        super().__init__(source.function, unit.builder, source.slots)
        self.unit: Final = unit
        self.source: Final = source
        self.found: Final = found
        self.polyvariant: Final = division.points == "polyvariant"
        self.world: Final = world
        self.numbers: Final = numbers
        self.meter: Final = meter
        self.follow: Final = follow
        self.shared: Final = self.source.joins.intersection(found.decisions) if share else frozenset()
        """The blocks that are never copied into the line that leads to them."""
        self.tell_cells: Final = tell_cells
        self.labels: Final = labels
        self.trace: Final = trace
        self.cache: Final = cache
        self.access: Final = access
        self.structures: Final = division.structures
        self.call: Final = call
        self.finish: Final = finish
        self.unfold: Final = unfold
        self.lifted: dict[int, Value] = {}
        self.begun = False
        self.given: tuple[Shape, ...] = ()
        """The shapes of the structures that the caller gets back, as they come, and as they are at each return."""
        self.left: tuple[Shape, ...] | None = None
        self.wording: Final = Wording(unit.builder.hints)
        self._counts: Final[dict[str, int]] = {}

    # ------------------------------------------------------------ points

    def enter(self, statics: dict[Value, Any]) -> None:
        """The point of the entry; its residual parameters are those of the signature, then the cells."""
        body = self.function.entry
        out = self.unit.builder.block()
        open_params = [param for param in body.params if param not in statics]
        residual = self.unit.builder.params(out, *[self.function.hints[param] for param in open_params])
        kept = statics if not self.source.trim else {v: x for v, x in statics.items() if v in self.source.live[0]}
        slots = [slot for param, content in statics.items() for slot in self.slots_of(param, content)]
        items = self.unit.builder.params(out, *[self.slot_name(slot, statics) for slot in slots])
        self.given = tuple([statics[param] for param in self.source.kept])
        point = Point(0, kept, (), out, dict(zip([*open_params, *slots], [*residual, *items])))
        self.unit.places[out.id] = ()
        self._register(point, (0, (), self._key(kept, {})))

    def run(self) -> None:
        self.begun = True
        while self.unit.work:
            self._write(self.unit.work.popleft())

    def _key(self, store: dict[Value, Any], passed: dict[Value, Value]) -> Store:
        """The static values, and which `cell` operation made each cell: a cell is a variable, two make no third."""
        numbered = [(value, self.numbers.number(content)) for value, content in store.items()]
        cells = self.unit.cells
        if cells and self.tell_cells:
            numbered += [(value, -1 - cells[residual]) for value, residual in passed.items() if residual in cells]
        return tuple(sorted(numbered))

    def _register(self, point: Point, key: tuple[int, Path, Store]) -> None:
        base = self.labels(self.function, point.block)
        self._counts[base] = self._counts.get(base, 0) + 1
        point.label = f"{base}_{self._counts[base]}"
        self.unit.table[key] = point
        self.unit.work.append(point)
        entry = CacheEntry(self.function.name, base, named(self.function, self.source.places, point.store), point.label)
        self.cache.append(entry)
        self.unit.names[point.out.id] = str(entry)
        self.trace.found(point, self.unit.names[point.out.id])

    def _point(
        self, target: int, path: Path, store: dict[Value, Any], passed: dict[Value, Value], first: Value | None = None
    ) -> Point:
        """The point of a block; `first` is a parameter that the edge itself brings."""
        key = (target, path, self._key(store, passed))
        values = list(passed) if first is None else [first, *passed]
        point = self.unit.table.get(key)
        if point is None:
            out = self.unit.builder.block()
            self.unit.places[out.id] = path
            residual = self.unit.builder.params(out, *[self._hint(value, store) for value in values])
            point = Point(target, store, path, out, dict(zip(values, residual)))
            cells = self.unit.cells
            for value, given in passed.items():
                if given in cells:
                    cells[point.dynamic[value]] = cells[given]
            self._register(point, key)
        return point

    def _variables(self, values: Mapping[Value, Value]) -> list[Value]:
        return [value for value in values if value not in self.slots.places]

    def _hint(self, value: Value, store: dict[Value, Any]) -> str | None:
        return self.slot_name(value, store) if value in self.slots.places else self.function.hints[value]

    # ------------------------------------------------------------ one point

    def _write(self, point: Point) -> None:
        self.static, self.dynamic = dict(point.store), dict(point.dynamic)
        self.order = [*point.store, *self._variables(point.dynamic)]
        self.lifted = {}
        self.out, self.path = point.out, point.path
        self.trace.begin(point)
        block = self.function.blocks[point.block]
        key = (block.id, self._key(point.store, point.dynamic))
        chain = {key}
        self.meter.arrive(self.function, *key)
        while True:
            protect = self._protection(block)
            if not self._operations(block):
                self.unit.builder.terminate(self.out, "unreachable", span=block.terminator.span)
                following = None
            else:
                following = self._end(block, chain)
            if protect is not None:
                self._protect(*protect)
            if following is None:
                return
            block = following

    def _operations(self, block: Block) -> bool:
        """False if one of them raises whenever it is reached."""
        for operation in block.ops:
            before = len(self.out.ops)
            done = self._operation(operation)
            if self.trace.wanted:
                emitted = self.wording.sentences(self.out.ops[before:])
                self.trace.step(self.function, operation.span, operation.name, self.labels(self.function, block.id),
                                shown(self._view()), emitted)  # fmt: skip
            if not done:
                return False
        return True

    def _view(self) -> dict[str, object]:
        """The static variables as they stand: of several values of one variable, the one made last."""
        seen: dict[str, object] = {}
        for value in self.order:
            name = self.function.hints[value]
            if name is None:
                continue
            seen.pop(name, None)
            if value in self.static:
                seen[name] = self.static[value]
        return in_order(self.source.places, seen)

    def _operation(self, operation: Operation) -> bool:
        if operation.name == "copy":
            self._copy(operation)
            return True
        access = self.access.get(operation.id)
        if access is not None and self.touches(operation, access):
            return self.structure(operation, access)
        if self._stays(operation):
            self._emit(operation)
            return True
        args = tuple([self.static[value] for value in operation.args])
        try:
            result = self._evaluated(operation, args)
        except Refused as refused:
            raise Forced(self.function.name, [operation.id], str(refused)) from None
        except Failed:
            self._emit(operation)
            return False
        self.meter.executed += 1
        results = (result,) if operation.operator.results == 1 else tuple(result or ())
        for value, content in zip(operation.results, results):
            self._define(value, content)
        if operation.name == "const" and isinstance(result, _NAMED) and operation.results[0] in self.static:
            # At its own place each time: it may be printed as a global, whose reads have their order.
            self.lifted.pop(self.numbers.number(result), None)
            self._lift(operation.results[0])
        return True

    def _evaluated(self, operation: Operation, args: tuple[Any, ...]) -> Any:
        if operation.name == "invoke":
            return self.unfold(str(operation.attr), args)
        result = evaluate(operation, args, self.world)
        if operation.name in MAKING:
            self.meter.made(result)
        return result

    def _stays(self, operation: Operation) -> bool:
        cause = self.found.residual.get(operation.id)
        if not self.polyvariant or operation.name == "invoke":
            return cause is not None
        if cause is not None and cause.rule != "flow":
            return True
        return any(value in self.dynamic for value in operation.args)

    def _define(self, value: Value, content: Any) -> None:
        """A static result; where the division has the variable dynamic, a constant is assigned."""
        self.order.append(value)
        forced = value in self.found.forced if self.polyvariant else value in self.found.dynamic
        self.static[value] = content
        if forced:
            self.dynamic[value] = self._lift(value, fresh=True)
            del self.static[value]

    def _copy(self, operation: Operation) -> None:
        shaped = [a for a in operation.args if type(self.static.get(a)) is Shape]
        held = {a: self.items(a) for a in shaped}
        static = [(r, self.static[a], a) for a, r in zip(operation.args, operation.results) if a in self.static]
        moved = [(r, self.dynamic[a]) for a, r in zip(operation.args, operation.results) if a not in self.static]
        for result, content, value in static:
            if value in held:
                self.set_structure(result, content, held[value])
            else:
                self._define(result, content)
        if moved:
            results = tuple([self.unit.builder.value(self.function.hints[result]) for result, _ in moved])
            self.unit.builder.append(
                self.out, "copy", tuple([value for _, value in moved]), None, results, operation.span
            )
            for (result, _), value in zip(moved, results):
                self.order.append(result)
                self.dynamic[result] = value

    def _emit(self, operation: Operation) -> None:
        if operation.name == "invoke":
            self._invoke(operation)
            return
        attr = operation.attr
        args = tuple([self.residual(value) for value in operation.args])
        results = tuple([self.unit.builder.value(self.function.hints[value]) for value in operation.results])
        if operation.name == "cell" and args and args[0] not in self.unit.builder.blocks[0].params:
            self._filled_cell(args, attr, results[0], operation)
        else:
            self.unit.builder.append(self.out, operation.name, args, attr, results, operation.span)
        for value, result in zip(operation.results, results):
            self.order.append(value)
            self.dynamic[value] = result
            if operation.name == "cell":
                self.unit.cells[result] = result

    def _invoke(self, operation: Operation) -> None:
        """A call of a residual function; of structures it gets the items, and gives back those that it changes."""
        pattern = self.found.calls[operation.id]
        given = list(zip(operation.args, pattern.static))
        statics = tuple([self.static[value] for value, static in given if static])
        args = [self.residual(value) for value, static in given if not static]
        args += [item for value, static in given if static and type(self.static[value]) is Shape
                 for item in self.items(value)]  # fmt: skip
        name = self.call(pattern, statics)
        changed = [value for at, value in enumerate(operation.args)
                   if at in pattern.partial and (pattern.function, at) in self.structures.written]  # fmt: skip
        shapes = self.finish(name) if changed else None
        builder, result = self.unit.builder, operation.results[0]
        made = builder.value(self.function.hints[result])
        self.order.append(result)
        self.dynamic[result] = made
        if shapes is None:
            builder.append(self.out, "invoke", tuple(args), name, (made,), operation.span)
            return
        both = builder.emit(self.out, "invoke", tuple(args), name, span=operation.span)
        parts = [(value, shape, list(builder.values(len(shape.keys)))) for value, shape in zip(changed, shapes)]
        taken = (made, *(item for _, _, items in parts for item in items))
        builder.append(self.out, "unpack", (both,), (len(taken), False, 0), taken, operation.span)
        for value, shape, items in parts:
            self.set_structure(value, shape, items)

    def _filled_cell(self, args: tuple[Value, ...], attr: object, cell: Value, operation: Operation) -> None:
        """A variable that a parameter was, and that starts with a constant now."""
        self.unit.builder.append(self.out, "cell", (), attr, (cell,), operation.span)
        self.unit.builder.append(self.out, "cell_set", (*args, cell), attr, (), operation.span)

    # ------------------------------------------------------------ lifting

    def residual(self, value: Value) -> Value:
        """The residual value that stands for `value`: a constant if it is static."""
        found = self.dynamic.get(value)
        if found is not None:
            return found
        content = self.static[value]
        if type(content) is Shape:
            if content.kind == "tuple":
                return self.materialized(value)
            raise Forced(self.function.name, [], "it is needed as a whole", [(self.function.name, value)])
        return self._lift(value)

    def known_item(self, content: object) -> Value:
        """A residual constant for an item of a static tuple."""
        self._escape(content)
        return self.unit.builder.constant(self.out, content)

    def _lift(self, value: Value, *, fresh: bool = False) -> Value:
        content = self.static[value]
        if not liftable(content):
            raise Forced(self.function.name, self.source.origins(value), "its result is needed at run time")
        number = self.numbers.number(content)
        if fresh or number not in self.lifted:
            self._escape(content)
            hint = self.function.hints[value] if fresh else None
            made = self.unit.builder.constant(self.out, content, hint=hint)
            if fresh:
                return made
            self.lifted[number] = made
        return self.lifted[number]

    def _escape(self, content: Any) -> None:
        """Residual code gets a static object, and may change it."""
        if not isinstance(content, Walk) and self.world.escape(content):
            raise Forced(self.function.name, [], "a static object is read, and given to code that may change it")

    # ------------------------------------------------------------ arriving

    def _arrival(self, target: int, args: tuple[Value, ...], first: int) -> tuple[dict[Value, Any], dict[Value, Value]]:
        """The static store and the residual values with which `target` is reached; lifts what must be dynamic there.

        `first` parameters come from the edge itself.
        """
        source = self.source
        live = source.live[target]
        params = source.function.blocks[target].params
        store: dict[Value, Any] = {}
        passed: dict[Value, Value] = {}
        for position, (param, value) in enumerate(zip(params[first:], args), first):
            needed = param in live or (position == 0 and target in source.implicit)
            forced = param in self.found.forced if self.polyvariant else param in self.found.dynamic
            if value in self.static and not forced:
                if needed or not source.trim:
                    self._bring(param, value, store, passed)
            elif needed:
                passed[param] = self.residual(value)
        for value in source.outside[target]:
            if value in self.static:
                self._bring(value, value, store, passed)
            else:
                passed[value] = self.dynamic[value]
        return store, passed

    def _bring(self, param: Value, value: Value, store: dict[Value, Any], passed: dict[Value, Value]) -> None:
        """A static value, and with a structure its items."""
        content = store[param] = self.static[value]
        if type(content) is Shape:
            passed.update(zip(self.slots_of(param, content), self.items(value)))

    def _path(self, target: int, key: Store) -> Path:
        """The copies of regions around `target`, entered from here."""
        regions = self.function.region_path(self.function.blocks[target].region)[1:]
        common = 0
        while common < min(len(regions), len(self.path)) and self.path[common][0] == regions[common]:
            common += 1
        path = self.path[:common]
        for region in regions[common:]:
            label: object = (target, key)
            if self.function.regions[region].kind == "copy":
                of = self.function.regions[region].of
                index = next((at for at, extent in enumerate(self.path) if extent[0] == of), None)
                if index is None:
                    raise Unwritable("a clean-up is entered from outside of its statement")
                label = (label, self.path[: index + 1])
            path = (*path, (region, label))
        return path

    def _edge(self, edge: Edge, *, item: bool = False) -> Edge:
        """The residual edge to the point of `edge`; with `item` the edge itself brings the first parameter."""
        store, passed = self._arrival(edge.target, edge.args, 1 if item else 0)
        first = self.function.blocks[edge.target].params[0] if item else None
        point = self._point(edge.target, self._path(edge.target, self._key(store, passed)), store, passed, first)
        return Edge(point.out.id, tuple(passed.values()))

    def _go(
        self, edge: Edge, chain: set[tuple[int, Store]], end: Terminator, item: Value | None = None
    ) -> Block | None:
        """On to `edge`: in line if that is allowed (then its block is given back), else by a jump."""
        args = edge.args if item is None else (item, *edge.args)
        store, passed = self._arrival(edge.target, args, 0)
        key = (edge.target, self._key(store, passed))
        target = self.function.blocks[edge.target]
        here = self._region(self.path)
        plain = self.out.handler is None and target.handler is None and target.region == here
        if self.follow and plain and key not in chain and edge.target not in self.shared and not self._protected:
            chain.add(key)
            self.meter.arrive(self.function, edge.target, key[1])
            self.static, self.dynamic = store, passed
            self.order = [*store, *self._variables(passed)]
            return target
        point = self._point(edge.target, self._path(*key), store, passed)
        self.unit.builder.terminate(self.out, "jump", (), (Edge(point.out.id, tuple(passed.values())),), span=end.span)
        return None

    def _region(self, path: Path) -> int:
        return path[-1][0] if path else 0

    # ------------------------------------------------------------ ends

    def _end(self, block: Block, chain: set[tuple[int, Store]]) -> Block | None:
        end = block.terminator
        where = self.labels(self.function, block.id)
        out, before, view = self.out, len(self.out.ops), self._view() if self.trace.wanted else {}
        following = self._ended(end, chain)
        if self.trace.wanted:
            emitted = self.wording.sentences(out.ops[before:])
            if out.terminator is not None:
                emitted.append(self.wording.end(out.terminator, self.unit.names))
            self.trace.step(self.function, end.span, end.name, where, shown(view), emitted)
        return following

    def _ended(self, end: Terminator, chain: set[tuple[int, Store]]) -> Block | None:
        builder = self.unit.builder
        if end.name == "jump":
            return self._go(end.edges[0], chain, end)
        if end.name in ("branch", "switch") and end.args[0] in self.static:
            return self._go(end.edges[self._chosen(end)], chain, end)
        if end.name == "next" and end.args[0] in self.static:
            return self._next(end, chain)
        if end.name == "guard":
            raise Unwritable("a guard")
        args = self._returned(end) if end.name == "return" else tuple([self.residual(value) for value in end.args])
        edges = tuple([self._edge(edge, item=end.name == "next" and at == 0) for at, edge in enumerate(end.edges)])
        builder.terminate(self.out, end.name, args, edges, end.attr, end.span)
        return None

    def _returned(self, end: Terminator) -> tuple[Value, ...]:
        """The result; with it the items of the structures that the caller gets back."""
        value = end.args[0]
        whole = type(self.static.get(value)) is Shape
        result = self.materialized(value, end.span) if whole else self.residual(value)
        kept = self.source.kept
        if not kept:
            return (result,)
        shapes = tuple([self.static[param] for param in kept])
        if self.left is not None and not self.same_shapes(self.left, shapes):
            self.refuse_shapes("what it has is not the same wherever")
        self.left = shapes
        items = [item for param in kept for item in self.items(param)]
        return (self.unit.builder.emit(self.out, "tuple", (result, *items), span=end.span),)

    def same_shapes(self, some: tuple[Shape, ...], others: tuple[Shape, ...]) -> bool:
        return all(self.numbers.number(a) == self.numbers.number(b) for a, b in zip(some, others))

    def refuse_shapes(self, why: str) -> NoReturn:
        name = self.function.name
        raise Forced(
            name, [], f"{why} `{self.function.qualname}` returns", [(name, param) for param in self.source.kept]
        )

    def _chosen(self, end: Terminator) -> int:
        content = self.static[end.args[0]]
        if end.name == "branch":
            return 0 if content else 1
        cases = end.attr
        assert isinstance(cases, tuple)
        wanted = Constant(content)
        return cases.index(wanted) if wanted in cases else len(cases)

    def _next(self, end: Terminator, chain: set[tuple[int, Store]]) -> Block | None:
        iterator = end.args[0]
        walk = self.static[iterator]
        assert isinstance(walk, Walk)
        step = advance(walk)
        if step is None:
            return self._go(end.edges[1], chain, end)
        item, self.static[iterator] = step
        edge = end.edges[0]
        param = self.function.blocks[edge.target].params[0]
        self.static[param] = item
        return self._go(edge, chain, end, item=param)

    # ------------------------------------------------------------ protected blocks

    @property
    def _protected(self) -> bool:
        return any(self.function.regions[region].kind == "try" for region, _ in self.path)

    def _protection(self, block: Block) -> tuple[Edge, Path, dict[Value, Any], dict[Value, Value]] | None:
        """What the handler would get now.  Constants for it stand in a block of their own, before what may raise."""
        if block.handler is None:
            return None
        store, passed = self._arrival(block.handler.target, block.handler.args, 1)
        if self.out.ops:
            after = self.unit.builder.block()
            self.unit.places[after.id] = self.path
            self.unit.builder.terminate(self.out, "jump", (), (Edge(after.id),))
            self.out = after
        return block.handler, self.path, store, passed

    def _protect(self, edge: Edge, path: Path, store: dict[Value, Any], passed: dict[Value, Value]) -> None:
        """The handler edge of the block just written, if something in it may raise."""
        out = self.out
        assert out.terminator is not None
        if all(op.operator.silent for op in out.ops) and out.terminator.name not in ("next", "raise", "reraise"):
            return
        depth = max(at for at, (region, _) in enumerate(path) if self.function.regions[region].kind == "try")
        extent = path[: depth + 1]
        home = self.function.blocks[edge.target].region
        own = (*path[:depth], (home, extent))
        exception = self.function.blocks[edge.target].params[0]
        point = self._point(edge.target, own, store, passed, exception)
        out.handler = Edge(point.out.id, tuple(passed.values()))
        self.unit.handlers[extent] = point.out.id
