"""The abstract interpreter: executes source code on abstract values and emits residual code.

    x = [n, 1]; return x[1] + m        (n, m dynamic)
    ->  list: a virtual object         (nothing emitted)
        getitem: Known 1
        add: emitted as `1 + m`

One `Machine` specializes one program.  `run_version` executes one version from its state to the points where
all ways have ended, branched to other versions, or left.  What an operator does to abstract values stands
in `rules.RULES`, what a call does in `calls`.

Invariant: residual operations are emitted in the order in which the source would have executed them;
materializing an object moves only its allocation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import CellType, FunctionType
from typing import Final, NoReturn

from futamura.errors import Because
from futamura.ir.graph import Edge, Operation
from futamura.specializer.assumption import Assumption
from futamura.specializer.builtin_errors import plain_exception_class
from futamura.specializer.definitions import Definitions
from futamura.specializer.emitting import Emitter, Unsupported
from futamura.specializer.endings import OutOfTime, OverBudget, Restart
from futamura.specializer.exposure import exposed, looked_at, within
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.handed import handed
from futamura.specializer.handling import classes_behind
from futamura.specializer.history import Groups
from futamura.specializer.policy import Budget, Event, Style
from futamura.specializer.residual import (
    Lazy,
    ResidualBlock,
    ResidualEnd,
    ResidualOperation,
    Target,
    Version,
    same_edge,
    taken_along,
)
from futamura.specializer.restoring import is_written, restoring_block, same_contents, store_back
from futamura.specializer.situation import located
from futamura.specializer.state import HANDED, OLDEST, Extent, Frame, State, Suspension
from futamura.specializer.table import Points
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject
from futamura.specializer.world import World

__all__ = ["BEFORE_POINTS", "GUARDED", "Machine", "OutOfTime", "OverBudget", "Restart", "Unsupported"]

GUARDED: Final = "guarded"
"""The purpose of a residual function's frame if the function is called from inside a generator."""
BEFORE_POINTS: Final[list[Callable[[Machine], None]]] = []
"""What is done where control gets open, or comes to a specialization point, if there are memories."""
WATCH_MASK: Final = 63
"""Source blocks between two looks at the clock, less one."""
ROLLED_TRIPS: Final = 500
"""A loop of fewer trips is not what makes a specialization long."""
OUTER_TRIPS: Final = 16
"""A loop of so many trips is rolled in place of one inside of it that only runs often because it does."""
MAX_ROLLED: Final = 12


def _innermost(context: tuple[Extent, ...]) -> int:
    return next(extent.uid for extent in reversed(context) if extent.kind == "try")


def _excepts(regions: tuple[Extent, ...]) -> list[Extent]:
    return [extent for extent in regions if extent.kind == "except"]


class Machine(Emitter):
    """The mutable state of one specialization: the current path and everything around it."""

    def __init__(
        self,
        rules: dict[str, Callable[[Machine, Frame, Operation], None]],
        enders: dict[str, Callable[[Machine, Frame], None]],
        versions: Points,
        budget: Budget,
        world: World,
        home: Mapping[str, object],
        resolve: Callable[[FunctionType], FunctionFacts | None],
        nested: Callable[[FunctionFacts, str], FunctionFacts],
    ) -> None:
        self.world: Final = world
        self.versions: Final = versions
        self.home: Final = home
        self.resolve: Final = resolve
        self.nested: Final = nested
        self.read_places: set[tuple[int, str]] = set()
        self.setters: Final[dict[int, AbstractValue]] = {}
        """The objects that methods `__setattr__`, which were read, store attributes on."""
        self.left = 0  # `except` clauses that generators stopped in
        self.events: dict[tuple[str, str], Event] = {}
        self.rules: Final = rules
        self.enders: Final = enders
        self.arrive: Final = versions.arrive
        self.rolled: Final = versions.rolled
        self.refused: Final = versions.refused
        """Places where keeping an object virtual, or entering a method, turned out not to be exact."""
        self.budget: Final = budget
        super().__init__()
        self.watch: Callable[[int, int, str], None] | None = None
        self.deadline: float | None = None
        self.alive = False
        self.holding: dict[int, object] = {}
        """What is kept aside of static objects where a try region's first exception is raised, by its number."""
        self.pending: list[tuple[State, ResidualBlock]] = []
        self.steps = 0
        self.unrolled: set[object] = set()
        """Iterators whose position stays known, and values that are iterated over so."""
        self.executed: dict[tuple[int, int], FunctionFacts] = {}
        self.trips: dict[tuple[int, int], int] = {}
        """How often each loop's header was passed in line."""
        self.repeating: dict[tuple[int, int], dict[object, int]] = {}
        self.looping: dict[int, FunctionFacts] = {}
        self.style, self.attempts = Style(), 0  # how often a call was left because the budget ran out
        self.extended = False  # is there an instance of a class that extends `dict`?
        self.patient = False  # go on when a loop turns out dynamic late: find all of them before starting again
        self.late = ""
        self.compared: set[object] = set()
        """The tokens of tuples that `is` was asked about."""
        self.ways: dict[tuple[int, int], set[bool]] = {}
        """Where the step of an iterator was entered under dynamic control: did it give an item, did it end?"""
        self.captured: Final[dict[int, tuple[int, ...]]] = {}
        """By the residual value of a closure: the virtual variables that it captures; -1 for those that exist."""
        self.definitions = Definitions()
        self.shared: set[str] = set()  # names of real variables
        self.own_cells: tuple[CellType, ...] = ()
        self.own_names: tuple[str, ...] = ()
        self.free: dict[int, int] = {}
        """The closure cells of the specialized function that the residual one has, by position: their values."""
        self.clean_ups = False  # was a generator suspended that has something to do when it is dropped?
        self.first: dict[int, AbstractValue] = {}
        """What the function of this specialization starts with."""
        self.unfolded: Final = Groups[object, object]()
        """The places where a recursive function was unfolded, by its arguments' key."""
        self.too_deep: dict[int, int] = {}
        self.lost: dict[int, object] = {}
        """Residual values that no code computes, with the calls that lost them."""

    running: Version

    # -- running

    def run_version(self, version: Version) -> None:
        """Execute `version` from its current state; its earlier code is dropped."""
        version.root = ResidualBlock(place=version.state.regions())
        version.runs += 1
        version.executed = self.executed = {}
        self.running = version
        if isinstance(version.key, tuple) and version.key[0] == "entry":
            self.versions.raises(version.state, version.root)  # the call itself may fail
        self.pending = [(version.state.copy(), version.root)]
        while self.pending:
            self.state, block = self.pending.pop()
            self.turn_to(block)
            self._run_path()

    def _run_path(self) -> None:
        self.alive = True
        while self.alive:
            frame = self.state.frames[-1]
            block = frame.facts.blocks[frame.block]
            if frame.index == 0:
                self.executed[frame.facts.places[frame.block]] = frame.facts
                self._count_step()
            ops = block.ops
            rules = self.rules
            while frame.index < len(ops):
                op = ops[frame.index]
                frame.index += 1
                self.span = op.span
                rules[op.operator.name](self, frame, op)
                if not self.alive or self.state.frames[-1] is not frame or not frame.index:
                    break
            else:
                self.span = block.terminator.span
                self.enders[block.terminator.kind.name](self, frame)

    def _count_step(self) -> None:
        self.steps += 1
        if not self.steps & WATCH_MASK:
            self._watch()
        if not self.steps % 1000 and self.budget.is_spent(self.steps, self.emitted, self.folded):
            self._roll()
        if self.steps > self.budget.steps or self.emitted > 20 * self.budget.operations:
            raise OverBudget(f"more than {self.budget.steps} blocks executed")
        if self.versions.work > self.budget.allowed_work(self.emitted, self.attempts):
            raise OverBudget("the states of its loops are too large and too many")

    def _watch(self) -> None:
        """Report how far the work has come, and look at the clock."""
        if self.watch is not None:
            self.watch(self.steps, self.emitted, f"{self.file}:{self.span.line}" if self.span else "")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime(f"{self.budget.seconds} s are over")

    def _roll(self) -> None:
        """A loop that runs on and on in line stays a loop: from now on its header is a specialization point."""
        loops = [(count, -uid, -block) for (uid, block), count in self.trips.items() if (uid, block) not in self.rolled]
        count, uid, block = max(loops, default=(0, 0, 0))
        if count < ROLLED_TRIPS or len(self.rolled) >= MAX_ROLLED:
            return
        count, uid, block = self._around(count, -uid, -block)
        facts = self.looping[uid]
        self.rolled.add((uid, block))
        facts.dynamic_headers.add(block)
        self.event("FT401", f"a loop of {facts.function.qualname} is not unrolled: it runs {count} times or more")
        raise Restart("a long loop is rolled")

    def _around(self, count: int, uid: int, block: int) -> tuple[int, int, int]:
        """A loop that runs often because another one does: this one, with its trips, if it runs now."""
        frames = self.state.frames
        running = [(frame.facts.uid, loop.header) for frame in frames for loop in frame.facts.loops_of[frame.block]]
        for place in running:
            trips = self.trips.get(place, 0)
            if place == (uid, block):
                break
            if trips >= OUTER_TRIPS and count < ROLLED_TRIPS * trips and place not in self.rolled:
                return trips, *place
        return count, uid, block

    # -- values of the running frame

    def get(self, frame: Frame, value: int) -> AbstractValue:
        content = frame.env[value]
        return self.state.resolve(content) if type(content) is Virtual else content

    def set(self, frame: Frame, op: Operation, value: AbstractValue) -> None:
        frame.env[op.results[0]] = value

    def end(self, name: str, args: tuple[int, ...] = (), targets: tuple[Target, ...] = (), attr: object = None) -> None:
        """End the current residual block, and with it this path."""
        self.block.end = ResidualEnd(name, args, targets, attr, self.span, self.state.frames[-1].facts)
        self.alive = False

    def protect(self, kind: type | None = None) -> None:
        """The next operation may raise (an exception of exactly class `kind`, if given): the block that it
        is emitted to gets a handler edge with the state before it."""
        self.require_real_exceptions()
        at = self.catching()
        if at is None:
            self.versions.raises(self.state, self.block)
        context = self.state.regions()
        if at is None and self.clean_ups:
            self.require_no_clean_up()
        if at is None and self.state.overlays and is_written(self.state):
            self._restore(context)
            return
        handler = None if at is None else self._handler(at, kind)
        if handler is not None and handler[1] != _innermost(context):
            context = (*context[:-1], context[-1]._replace(uid=handler[1]))
        block = self.block
        if block.context is None:
            apart = _excepts(block.place) != _excepts(context) or (handler is not None and bool(block.ops))
        else:
            apart = block.context != context or not same_edge(block.handler, handler)
        if apart:
            self.next_block(context, handler and handler[0])
        self.block.context = context
        if handler is not None and self.block.handler is None:
            snapshot, uid, exception = handler
            version = self.versions.arrive_raised(snapshot, uid)
            self.block.handler = Lazy(version, snapshot, exception.rv)

    def _restore(self, context: tuple[Extent, ...]) -> None:
        """Should the next operation raise, what was written to static objects is stored back."""
        block = self.block
        if block.restored is not None and block.context is not None and block.context[:-1] == context:
            if same_contents(block.restored, self.state):
                return
        if block.ops or block.context is not None:
            self.next_block(context, None, late=False)
        extents = self.versions.extents
        uid = extents.setdefault(("restoring", len(extents)), len(extents) + 1)
        self.block.handler = restoring_block(self, self.world, context, uid)

    def next_block(self, place: tuple[Extent, ...], handler: State | None, late: bool = True) -> None:
        """What is emitted from here on stands in a new block, reached from the current one."""
        block = ResidualBlock(place=place)
        block.constants, block.unlikely = dict(self.block.constants), self.block.unlikely
        block.ops = taken_along(self.block.ops, handler, self.types) if late else []
        self.block.end = ResidualEnd("jump", (), (block,), None, self.span)
        self.turn_to(block)

    def _handler(self, at: int, kind: type | None) -> tuple[State, int, Dynamic]:
        """The state in which the handler of frame `at` receives an exception raised now."""
        for active in self.state.frames:
            active.dynamic = True
        frame, here = self.state.frames[at], self.state.top.facts
        if frame.facts.mark_raising(frame.block):
            raise Restart("an exception leaves a loop")
        snapshot = self.state.copy()
        del snapshot.frames[at + 1 :]
        frame = snapshot.frames[at]
        edge = frame.facts.blocks[frame.block].handler
        assert edge is not None
        uid = self._holding(frame)
        exception = Dynamic(self.residual_value(), kind, classes=classes_behind(self.state.frames[at + 1 :]))
        self.origins[exception.rv] = ResidualOperation("exception", (), None, (), self.span, where=here)
        self._bind(frame, edge, exception, uid)
        snapshot.trim()
        return snapshot, uid, exception

    def _holding(self, frame: Frame) -> int:
        """The number of the try region around `frame` for the attributes of static objects that are kept aside now."""
        extent = next(extent for extent in reversed(frame.extents) if extent.kind == "try")
        held = (self.state.general, *[(place, dirty) for place, (_, dirty) in self.state.overlays.items()])
        refused = ("held", frame.facts.uid, extent.region) in self.refused
        if refused or held == self.holding.setdefault(extent.uid, held):
            return extent.uid
        if self.state.regions()[-1] != extent:
            self.refused.add(("held", frame.facts.uid, extent.region))
            raise Restart("a try statement is left with different attributes of static objects")
        return self.versions.extents.setdefault(("holding", extent.uid, held), len(self.versions.extents) + 1)

    def keeps(self) -> bool:
        """May attributes of static objects be kept aside where the next operation raises?"""
        frame = self.catching_frame()
        if frame is None:
            return True
        region = next(extent.region for extent in reversed(frame.extents) if extent.kind == "try")
        return ("held", frame.facts.uid, region) not in self.refused

    def require_no_clean_up(self) -> None:
        """Control leaves the residual function: no generator may be left that has something to do when dropped."""
        for entry in self.state.heap.values():
            if entry.kind == "generator" and isinstance(entry.extra, Suspension) and entry.extra.has_clean_up():
                raise Unsupported("a generator is dropped inside a try statement", self.span)

    def require_real_exceptions(self) -> None:
        """Something that stays may look at the active exception: it must not be one of specialization only."""
        for frame in self.state.frames:
            for extent in frame.extents:
                if extent.kind == "except" and not extent.uid:
                    self.versions.real.add((frame.facts.uid, frame.facts.function.regions[extent.region].of))
                    raise Restart("a handler needs the real exception")

    def catching(self) -> int | None:
        """The position of the innermost frame that has a handler for an exception raised now."""
        frames = self.state.frames
        for at in range(len(frames) - 1, -1, -1):
            if frames[at].facts.blocks[frames[at].block].handler is not None:
                return at
        return None

    def catching_frame(self) -> Frame | None:
        at = self.catching()
        return None if at is None else self.state.frames[at]

    def catches_for_real(self) -> bool:
        """Must the innermost handler get a real exception?"""
        frame = self.catching_frame()
        if frame is None:
            return False
        region = next(extent.region for extent in reversed(frame.extents) if extent.kind == "try")
        return (frame.facts.uid, region) in self.versions.real

    def unwind(self, exception: AbstractValue, uid: int = 0) -> None:
        """Raise `exception` statically: control goes on in the innermost handler; `uid` numbers its except region."""
        frames = self.state.frames
        while frames[-1].facts.blocks[frames[-1].block].handler is None:
            callee = frames.pop()
            frames[-1].dynamic = frames[-1].dynamic or callee.dynamic
        edge = frames[-1].facts.blocks[frames[-1].block].handler
        assert edge is not None
        self.follow(frames[-1], edge, exception, uid)

    def plain_exception(self, cls: type) -> AbstractValue | None:
        """A virtual instance of an exception class that is raised without arguments."""
        if not plain_exception_class(cls):
            return None
        return self.virtual(VObject("exception", cls, (), site=("raise", cls.__name__)))

    # -- static objects

    def frozen(self, value: object) -> bool:
        """May the contents of this static object be read now?  If its module is the reason why not, that is told."""
        if not (known := self.world.contents(value)) and (why := self.world.why_unknown(value)):
            self.event("FT306", *why)
        return known

    def has_plain_keys(self, table: object) -> bool:
        return id(table) not in self.world.filled and self.world.contents(table) and self.world.plainly_keyed(table)

    def reads(self, container: object, item: object) -> None:
        self.world.found(container, item)

    def writes(self, target: AbstractValue) -> None:
        """Code that stays writes into `target`."""
        if type(target) is Known and self.state.general != HANDED and self.world.write(target.value):
            self.event("FT305", f"the contents of a static {type(target.value).__name__} are written")
            raise Restart("a static object is written", whole=True)

    def escape(self, value: AbstractValue) -> None:
        """Code that we cannot see receives `value`."""
        for leaf in handed(self.state, value, self.nested, self.own_cells):
            if type(leaf) is Known and self.state.general != HANDED and self.world.escape(leaf.value):
                self.event("FT308", f"a static {type(leaf.value).__name__} is handed to code that is not known")
                raise Restart("a static object is handed to unknown code", whole=True)

    def expose(self, name: str, args: Sequence[AbstractValue], attr: object) -> None:
        for place, arg in looked_at(name, args):
            for leaf in self.state.leaves(arg) if type(arg) is not Dynamic else ():
                if type(leaf) is Known and exposed(name if leaf is arg else within(name), attr, place, leaf.value):
                    self.escape(leaf)

    def assume_attribute(self, cls: type, name: str, found: object) -> None:
        if self.world.on_classes and self.world.is_stored(cls, name):
            raise Unsupported(f"the attribute `{name}` of a class is stored, and needed while it is", self.span)
        self.world.assume_attribute(cls, name, found)

    def stores_on_class(self, cls: type | FunctionType | None, name: str | None) -> None:
        """An attribute of a class or function (None: of what may be one) is stored or deleted."""
        if self.world.store_on_class(cls, name):
            holder = "a class or a function" if cls is not None else "what may be a class or a function"
            self.event("FT305", f"attribute `{name or '*'}` of {holder} is written after it was read")
            raise Restart(f"attribute {name} of a class is written", whole=True)

    def assume_no_subclass(self, cls: type) -> None:
        self.world.assume(Assumption("subclasses", f"{cls.__qualname__} has no subclass", cls, "__subclasses__", None))

    def observe(self) -> None:
        """What comes next may look at static objects: store back what was written to them."""
        self.state.intact = False
        if self.state.overlays:
            store_back(self, self.world)

    def older(self, value: AbstractValue) -> int:
        """The provenance of a value that was computed from `value`."""
        return age if (age := self.state.age(value)) & 1 or age >= OLDEST else age + 1

    def refuse(self, place: object, reason: str) -> NoReturn:
        """What a model did at `place` cannot be finished: start again and leave that operation as it is."""
        if place in self.refused:
            raise Unsupported(reason, self.span)
        self.refused.add(place)
        raise Restart(reason)

    def event(self, code: str, reason: str, because: tuple[Because, ...] = ()) -> None:
        if (code, reason) not in self.events:
            self.events[code, reason] = located(Event(code, reason, because=because), self.file, self.span, self.state)

    @property
    def file(self) -> str:
        """The source file of the code that runs."""
        return self.state.frames[-1].facts.function.file if self.state.frames else ""

    # -- control

    def follow(self, frame: Frame, edge: Edge, implicit: AbstractValue | None = None, uid: int = 0) -> None:
        """Take `edge` on the current path: go on in line, or arrive at a specialization point."""
        self._bind(frame, edge, implicit, uid)
        self.place(frame)
        if self._is_point(frame):
            self.arrive_here()

    def place(self, frame: Frame) -> None:
        """The running frame has come to its block: give numbers to the try regions that it entered."""
        for region in frame.facts.paths[frame.block][len(frame.extents) :]:
            self.enter_region(frame, region)

    def enter_region(self, frame: Frame, region: int) -> None:
        """The running frame enters a try or copy region."""
        source = frame.facts.function.regions[region]
        if source.kind == "try":
            uid = self.versions.extent(self.state, region)
        else:
            uid = self._copy_uid(frame, region, source.of)
        frame.extents = (*frame.extents, Extent(region, source.kind, uid))

    def _copy_uid(self, frame: Frame, region: int, of: int) -> int:
        return self.versions.extents.setdefault(
            ("copy", frame.facts.uid, region, of, frame.chain), len(self.versions.extents) + 1
        )

    def _bind(self, frame: Frame, edge: Edge, implicit: AbstractValue | None, uid: int = 0) -> None:
        """Bind the parameters of the edge's target; `uid` numbers the except region if it is a handler."""
        path = frame.facts.paths[edge.target]
        extents = frame.extents
        while extents and extents[-1].region not in path:
            extents = extents[:-1]
        if len(extents) < len(path) and frame.facts.function.regions[path[len(extents)]].kind == "except":
            extents = (*extents, Extent(path[len(extents)], "except", uid))
        frame.extents = extents
        params = frame.facts.blocks[edge.target].params
        values = [frame.env[arg] for arg in edge.args]
        if implicit is not None:
            values.insert(0, implicit)
        frame.env.update(zip(params, values, strict=True))
        frame.block = edge.target
        frame.index = 0

    def _is_point(self, frame: Frame) -> bool:
        facts = frame.facts
        block = frame.block
        if self.style.every_block:
            return True
        if block in facts.headers:
            place = (facts.uid, block)
            self.trips[place] = self.trips.get(place, 0) + 1
            self.looping[facts.uid] = facts
            taken = None if frame.dynamic or block in facts.dynamic else facts.taking.get(block)
            if taken is not None and type(self.get(frame, taken)) is Dynamic:
                self._mark_dynamic(frame)  # as would follow, but known before the header is passed
        if block in facts.dynamic_headers:
            for active in self.state.frames:
                active.dynamic = True  # its exit will depend on a dynamic value
            return True
        if block in facts.headers:
            facts.entered.add(block)
        return frame.dynamic and facts.joins(block)

    def _mark_dynamic(self, frame: Frame) -> None:
        """Control at the end of the running block is dynamic."""
        if frame.facts.mark_dynamic(frame.block):
            self.late = f"the loop of {frame.facts.function.name} turned out dynamic"
            if not self.patient:
                raise Restart(self.late)

    def prepare(self) -> None:
        for prepare in BEFORE_POINTS if self.memories else ():
            prepare(self)

    def arrive_here(self) -> None:
        """The current state reaches a specialization point: this path ends with an edge to its version."""
        self.prepare()
        if self.state.overlays and self.versions.forgets(self.state):
            store_back(self, self.world)
        snapshot = self.state
        version = self.arrive(snapshot)
        self.end("jump", (), (Lazy(version, snapshot),))

    def split(
        self,
        frame: Frame,
        name: str,
        args: tuple[int, ...],
        edges: tuple[Edge, ...],
        implicit: Dynamic | None = None,
        attr: object = None,
        refine: Callable[[State, int], None] | None = None,
    ) -> None:
        """Control depends on a dynamic value: every edge becomes a way of its own."""
        self.prepare()
        self._mark_dynamic(frame)
        for active in self.state.frames:
            active.dynamic = True
        targets: list[Target] = []
        if self.block.context is None and self.block.place != (regions := self.state.regions()):
            self.next_block(regions, None, late=False)  # the branch may lie in a try statement without what is before
        block, state = self.block, self.state
        if self.patient:
            state.trim_large()  # both ways get a copy of it
        arms: list[tuple[State, ResidualBlock]] = []
        for position, edge in enumerate(edges):
            self.state = state.copy() if position + 1 < len(edges) else state
            here = ResidualBlock(origin=(frame.facts, edge.target))
            self.turn_to(here)
            if refine is not None:
                refine(self.state, position)
            item = implicit if position == 0 else None
            if item is not None:
                here.params.append(item.rv)
            self.alive = True
            self.follow(self.state.frames[-1], edge, item)
            here.place = self.state.regions()
            targets.append(here)
            if self.alive:
                arms.append((self.state, here))
        self.state = state
        self.turn_to(block)
        self.end(name, args, tuple(targets), attr)
        if implicit is not None:
            self.origins[implicit.rv] = ResidualOperation(name, args, attr, (), self.span, where=frame.facts)
        self.pending.extend(reversed(arms))

    def give(self, result: int | None, value: AbstractValue) -> None:
        """The running frame receives the value it was waiting for."""
        if result is not None:
            self.state.frames[-1].env[result] = value
