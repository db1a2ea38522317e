"""The offline specializer: a program, a division's options and static values in; a residual program out.

    specialize_offline(program, {"y": 5})     power with y = 5: multiplications only, `Outcome.cache` has the points

    divide (binding times)  ->  write the points of all residual functions  ->  tidy
         ^------------------------ an operation turned out to have to stay

Nothing is decided while points are written: a static operation on values that it must not be executed on (a user's
class, a result that would be large) gets the division made again, with the operation dynamic from the start.

It ends: each time around at least one more operation, object or variable is dynamic, and points are counted.  Over
budget, the variable that varies most is named; with `generalize` it becomes dynamic and the work starts again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from futamura.analysis.bindingtimes import analyse
from futamura.analysis.division import Division, Kind, Pattern, Points
from futamura.analysis.early import early_rule
from futamura.analysis.partial import Access, structures_of
from futamura.ir.build import FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Function, Program, Signature, Span, Value
from futamura.ir.verify import VerificationError
from futamura.specializer.binding import open_signature
from futamura.specializer.offline.early import Failed, Refused, Walk, advance, evaluate, is_pure
from futamura.specializer.offline.metering import MAKING, Meter, OverBudget
from futamura.specializer.offline.points import Path, StaticValues, Unit
from futamura.specializer.offline.sources import SourceFunction
from futamura.specializer.offline.structures import Forced, Shape, item_name
from futamura.specializer.offline.tidying import tidy
from futamura.specializer.offline.trace import CacheEntry, Row, Trace, named
from futamura.specializer.offline.writing import UnitWriter, Unwritable
from futamura.specializer.policy import Event
from futamura.specializer.world import World

__all__ = ["OfflineOptions", "OfflineOutcome", "specialize_offline"]

_GENERALIZED: Final = 20
"""Variables that may be given up, one after the other, before the whole specialization is."""

_NESTED: Final = 40
"""Calls that change structures, one in the other."""

_LEAST: Final = 500
"""Blocks that each attempt may process at least."""

Statement = Callable[[Function, "Span | None", str], str]


@dataclass(frozen=True, slots=True)
class OfflineOptions:
    """`follow` goes on in line at jumps that are known; `trim` leaves dead variables out of the static stores."""

    division: Kind = "safe"
    points: Points = "pointwise"
    follow: bool = True
    trim: bool = True
    budget: int = 20_000
    """Blocks processed: more than any program that a person would want to read has."""
    generalize: bool = True
    """Over budget, make the variable that varies most dynamic and start again; otherwise stop with the reason."""
    share: bool = False
    """Do not go on in line into a block with several predecessors that decides at run time: loops are not peeled."""
    tidy: bool = True
    """Drop parameters that always get one value."""
    restarts: int = 400


@dataclass(slots=True)
class OfflineOutcome:
    """The residual program, or None with the reason in `events`; the division and the tables of the work."""

    program: Program | None
    division: Division
    events: tuple[Event, ...] = ()
    cache: tuple[CacheEntry, ...] = ()
    functions: tuple[CacheEntry, ...] = ()
    """The residual functions: of each the function that it comes from, the static arguments and its name."""
    labels: dict[str, list[str]] = field(default_factory=dict)
    """For each residual function the label of each block."""
    rows: tuple[Row, ...] = ()
    blocks: int = 0
    """How many blocks were processed, and how many operations executed."""
    executed: int = 0
    restarts: int = 0


def specialize_offline(
    program: Program,
    static: Mapping[str, object],
    options: OfflineOptions | None = None,
    *,
    world: World | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    statement: Statement | None = None,
) -> OfflineOutcome:
    """Specialize `program` to the named static inputs.

    `labels` names the blocks of functions; `statement` gives the text of a place for the trace, and asks for one.
    Never raises for what the program does.
    """
    chosen = options if options is not None else OfflineOptions()
    run = _Run(program, static, chosen, world if world is not None else World(static.values()), labels, statement)
    return run.outcome()


class _Run:
    """All attempts at one specialization."""

    def __init__(
        self,
        program: Program,
        static: Mapping[str, object],
        options: OfflineOptions,
        world: World,
        labels: Mapping[str, Sequence[str]] | None,
        statement: Statement | None,
    ) -> None:
        self.program: Final = program
        self.static: Final = static
        self.options: Final = options
        self.world: Final = world
        self.labels: Final = labels or {}
        self.statement: Final = statement
        self.forced: Final[dict[tuple[str, int], str]] = {}
        self.generalized: Final[dict[tuple[str, Value], str]] = {}
        self.events: Final[list[Event]] = []
        self.attempts = 0
        self.limit = options.budget
        self.tell_cells = True
        """Cells made in two copies of one place never meet in one variable; it costs copies, and is given up first."""
        self.early: Final = early_rule(is_pure)
        self.sources: Final[dict[tuple[str, tuple[Value, ...]], SourceFunction]] = {}
        self.structures: Final = structures_of(program)
        self.whole: Final[dict[int, str]] = {}

    def outcome(self) -> OfflineOutcome:
        names = self.program.main.signature.names
        flags = [name in self.static for name in names]
        while self.attempts < self.options.restarts:
            self.attempts += 1
            division = analyse(
                self.program, flags, self.early, kind=self.options.division, points=self.options.points,
                forced=self.forced, generalized=self.generalized, structures=self.structures, whole=self.whole,
            )  # fmt: skip
            try:
                return _Attempt(self, division).outcome()
            except Forced as forced:
                self._force(forced)
            except OverBudget as over:
                self.limit = max(_LEAST, self.limit // 4)  # the work of all attempts stays in bounds
                if self.tell_cells and self._has_cells():
                    self.tell_cells = False
                    continue
                self.events.append(Event("FT401", str(over)))
                if not self.options.generalize or over.value is None or not self._generalize(over):
                    return OfflineOutcome(None, division, tuple(self.events))
            except (Unwritable, VerificationError, RecursionError) as reason:
                self.events.append(Event("FT301", f"{reason}: the original code is used"))
                return OfflineOutcome(None, division, tuple(self.events))
        self.events.append(Event("FT401", "too many operations had to be taken back: the original code is used"))
        return OfflineOutcome(None, division, tuple(self.events))

    def _force(self, forced: Forced) -> None:
        for operation in forced.operations:
            self.forced[forced.function, operation] = f"stays: {forced.reason}"
        for place in forced.structures:
            self.whole.setdefault(self.structures.web[place], forced.reason)

    def _has_cells(self) -> bool:
        return any(op.name == "cell" for function in self.program.functions for op in function.operations())

    def _generalize(self, over: OverBudget) -> bool:
        assert over.value is not None
        key = (over.function, over.value)
        if key in self.generalized or len(self.generalized) >= _GENERALIZED:
            return False
        self.generalized[key] = "varies beyond the budget"
        return True

    def source(self, name: str, kept: tuple[Value, ...]) -> SourceFunction:
        if (name, kept) not in self.sources:
            self.sources[name, kept] = SourceFunction(self.program[name], self.options.trim, kept)
        return self.sources[name, kept]

    def label(self, function: Function, block: int) -> str:
        known = self.labels.get(function.name)
        return known[block] if known is not None else f"b{block}"

    def place(self, function: Function, block: int) -> str:
        """Where something happens again and again; what begins with a function is no loop of its own."""
        if block == 0:
            return f"in the calls of `{function.qualname}`"
        return f"in the loop at {self._begin(function, block)}"

    def _begin(self, function: Function, block: int) -> str:
        if function.name in self.labels:
            return self.label(function, block)
        body = function.blocks[block]
        spans = [op.span for op in body.ops if op.span is not None]
        span = spans[0] if spans else body.terminator.span
        return f"line {span.line}" if span is not None else f"b{block}"


class _Attempt:
    """One division, obeyed to the end."""

    def __init__(self, run: _Run, division: Division) -> None:
        self.run: Final = run
        self.division: Final = division
        self.numbers: Final = StaticValues()
        self.meter: Final = Meter(run.limit, run.place)
        self.trace: Final = Trace(run.statement)
        self.cache: Final[list[CacheEntry]] = []
        self.functions: Final[list[CacheEntry]] = []
        self.units: Final[dict[tuple[Pattern, tuple[int, ...]], Unit]] = {}
        self.work: Final[list[tuple[Unit, UnitWriter]]] = []
        self.writers: Final[dict[str, UnitWriter]] = {}
        self.accesses: Final[dict[str, dict[int, Access]]] = {}
        self.counts: Final[dict[str, int]] = {}
        self.open: Final[set[str]] = set()
        self.assumed: Final[set[str]] = set()
        """The residual functions that are being written, and those that called themselves meanwhile."""
        self.depth = 0
        self.results: Final[dict[tuple[str, tuple[int, ...]], Any]] = {}

    def outcome(self) -> OfflineOutcome:
        entry = self.division.entry
        values = tuple([self.run.static[name] for name in self.run.program.main.signature.names
                        if name in self.run.static])  # fmt: skip
        self.unit(entry, values)
        done: list[Unit] = []
        while self.work:
            unit, writer = self.work.pop(0)
            if not writer.begun:
                self._write(unit.name, writer)
            done.append(unit)
        functions: list[Function] = []
        labels: dict[str, list[str]] = {}
        for unit in done:
            function = _finished(unit)
            names = _labels(unit, function)
            if self.run.options.tidy:
                known = {param: made for param, made in unit.cells.items() if param != made}
                function, kept = tidy(function, known if self.run.tell_cells else None)
                names = [names[old] for old in kept]
            functions.append(function)
            labels[function.name] = names
        functions += _nested(self.run.program, functions)
        program = Program(functions[0].name, tuple(functions))
        return OfflineOutcome(
            program, self.division, tuple(self.run.events), tuple(self.cache), tuple(self.functions), labels,
            tuple(self.trace.rows), self.meter.spent, self.meter.executed, self.run.attempts - 1,
        )  # fmt: skip

    def unit(self, pattern: Pattern, statics: tuple[Any, ...]) -> str:
        """The name of the residual function for these static arguments; a new one is put on the list."""
        key = (pattern, tuple([self.numbers.number(content) for content in statics]))
        if key in self.units:
            return self.units[key].name
        written = [at for at in sorted(pattern.partial) if (pattern.function, at) in self.division.structures.written]
        params = self.run.program[pattern.function].entry.params
        source = self.run.source(pattern.function, tuple([params[at] for at in written]))
        function = source.function
        name = self._name(function, first=not self.units)
        builder = _builder(function, pattern, statics, name, first=not self.units)
        unit = self.units[key] = Unit(name, builder, function.regions)
        if function.name not in self.accesses:
            found = {op.id: self.division.access(function.name, op) for op in function.operations()}
            self.accesses[function.name] = {at: access for at, access in found.items() if access is not None}
        writer = UnitWriter(
            unit, source, self.division, self.division.functions[pattern], world=self.run.world, numbers=self.numbers,
            meter=self.meter, follow=self.run.options.follow, share=self.run.options.share,
            tell_cells=self.run.tell_cells, labels=self.run.label,
            trace=self.trace, cache=self.cache, access=self.accesses[pattern.function], call=self.unit,
            finish=self.finish, unfold=self.unfold,
        )  # fmt: skip
        known = dict(zip([p for p, static in zip(function.entry.params, pattern.static) if static], statics))
        self.functions.append(CacheEntry(function.name, function.name, named(function, source.places, known), name))
        writer.enter(known)
        self.work.append((unit, writer))
        self.writers[name] = writer
        return name

    def finish(self, name: str) -> tuple[Shape, ...] | None:
        """The shapes that a residual function gives back; None if it never returns.

        While it is being written, so that it calls itself, they are believed to be those that it gets.
        """
        writer = self.writers[name]
        if name in self.open:
            self.assumed.add(name)
            return writer.given
        if not writer.begun:
            if len(self.open) > _NESTED:
                writer.refuse_shapes("calls are nested too deep to know what it has when")
            self._write(name, writer)
        return writer.left

    def _write(self, name: str, writer: UnitWriter) -> None:
        self.open.add(name)
        writer.run()
        self.open.discard(name)
        if name in self.assumed and writer.left is not None and not writer.same_shapes(writer.left, writer.given):
            writer.refuse_shapes("it does not have again what it had when")

    def _name(self, function: Function, *, first: bool) -> str:
        if first:
            return function.name.rpartition(".")[2] if function.name == self.run.program.entry else function.name
        base = function.name.rpartition(".")[2]
        taken = {*self.run.program.index, *(unit.name for unit in self.units.values())}
        while True:
            self.counts[base] = self.counts.get(base, 0) + 1
            name = f"{base}_{self.counts[base]}"
            if name not in taken:
                return name

    # ------------------------------------------------------------ calls that are static throughout

    def unfold(self, name: str, args: tuple[Any, ...]) -> Any:
        """The result of a function that is static throughout.  Raises `Failed`, `Forced` or `OverBudget`."""
        key = (name, tuple([self.numbers.number(arg) for arg in args]))
        if key in self.results:
            return self.results[key]
        self.depth += 1
        if self.depth > 200:
            raise Refused(f"calls of `{name}` are nested too deep")
        try:
            self.results[key] = result = self._executed(self.run.program[name], args)
        finally:
            self.depth -= 1
        return result

    def _executed(self, function: Function, args: tuple[Any, ...]) -> Any:
        values: dict[Value, Any] = dict(zip(function.entry.params, args))
        block = function.entry
        while True:
            self.meter.arrive(function, block.id, tuple([(p, self.numbers.number(values[p])) for p in block.params]))
            for operation in block.ops:
                given = tuple([values[value] for value in operation.args])
                try:
                    result = (
                        self.unfold(str(operation.attr), given)
                        if operation.name == "invoke"
                        else evaluate(operation, given, self.run.world)
                    )
                    if operation.name in MAKING:
                        self.meter.made(result)
                except Refused as refused:
                    raise Forced(function.name, [operation.id], str(refused)) from None
                results = (result,) if operation.operator.results == 1 else tuple(result or ())
                values.update(zip(operation.results, results))
            end = block.terminator
            if end.name == "return":
                return values[end.args[0]]
            if end.name not in ("jump", "branch", "switch", "next"):
                raise Failed
            edge, first = _step(end.name, end.edges, end.attr, values, end.args)
            target = function.blocks[edge.target]
            given = (*first, *(values[value] for value in edge.args))
            values.update(zip(target.params, given))
            block = target


def _step(
    name: str, edges: tuple[Edge, ...], attr: object, values: dict[Value, Any], args: tuple[Value, ...]
) -> tuple[Edge, tuple[Any, ...]]:
    if name == "jump":
        return edges[0], ()
    content = values[args[0]]
    if name == "branch":
        return edges[0 if content else 1], ()
    if name == "switch":
        assert isinstance(attr, tuple)
        wanted = Constant(content)
        return edges[attr.index(wanted) if wanted in attr else -1], ()
    assert isinstance(content, Walk)
    step = advance(content)
    if step is None:
        return edges[1], ()
    item, values[args[0]] = step
    return edges[0], (item,)


def _builder(
    function: Function, pattern: Pattern, statics: tuple[Any, ...], name: str, *, first: bool
) -> FunctionBuilder:
    names = [n for n, static in zip(function.signature.names, pattern.static) if not static]
    taken = set(function.signature.names)
    known = [n for n, static in zip(function.signature.names, pattern.static) if static]
    for base, content in zip(known, statics):
        for key in content.keys if type(content) is Shape else ():
            wanted = item_name(base, key)
            while wanted in taken:
                wanted += "_"
            taken.add(wanted)
            names.append(wanted)
    signature = open_signature(function.signature, tuple(names)) if first else Signature(regular=tuple(names))
    return FunctionBuilder(
        name, signature, qualname=function.qualname if first else name, free=function.free, kind=function.kind,
        doc=function.doc if first else None, module=function.module, file=function.file, span=function.span,
    )  # fmt: skip


def _finished(unit: Unit) -> Function:
    """The residual function; each copy of a region gets its number."""
    builder = unit.builder
    numbers: dict[Path, int] = {(): 0}
    source = unit.regions

    def number(path: Path) -> int:
        if path in numbers:
            return numbers[path]
        parent = number(path[:-1])
        region, label = path[-1]
        original = source[region]
        of = -1
        if original.kind == "except":
            of = number(label)  # type: ignore[arg-type]
        elif original.kind == "copy":
            of = number(label[1])  # type: ignore[index]
        numbers[path] = builder.region(
            original.kind, parent, flavor=original.flavor, of=of, span=original.span,
            handler=unit.handlers.get(path, -1),
        )  # fmt: skip
        return numbers[path]

    for block in builder.blocks:
        block.region = number(unit.places[block.id])
    return builder.finish()


def _labels(unit: Unit, function: Function) -> list[str]:
    labels = [""] * len(function.blocks)
    for point in unit.table.values():
        labels[point.out.id] = point.label
    return [label or f"{function.name}_{at}" for at, label in enumerate(labels)]


def _nested(program: Program, functions: Sequence[Function]) -> list[Function]:
    """The functions that residual code makes: they are taken over as they are."""
    found: dict[str, Function] = {}
    work = list(functions)
    while work:
        for operation in work.pop().operations():
            name = getattr(operation.attr, "name", None) if operation.name == "function" else None
            if isinstance(name, str) and name in program.index and name not in found:
                found[name] = program[name]
                work.append(program[name])
    return list(found.values())
