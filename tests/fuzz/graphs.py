"""Random functions of the IR: any control flow, nested protected statements, loops, cells, parallel moves.

    random_function(random.Random(7))     func f(t, m, ...): up to 40 blocks, each of which calls t(place, values...)

`t` is a `Trace`: it records its arguments and the active exception, and answers from a random stream with a small
integer or an exception; after `limit` calls it only raises `Exhausted`, so that every run ends.  `m(place)` makes a
context manager of the same trace.  Two executions of a function mean the same if their traces and outcomes are equal.

Invariant: a graph is one that Python could have: a protected statement is entered at its first block only, and each way
out of a `finally` or `with` passes through its clean-up; all else (loops with several entries too) is random.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import GeneratorType, TracebackType
from typing import Any, NamedTuple

from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Function, FunctionKind, Program, Signature

__all__ = [
    "Exhausted", "Observation", "Trace", "answer", "finish", "leave_bare", "observe", "outcome_of",
    "random_function", "random_program",
]  # fmt: skip


class Exhausted(BaseException):
    """The trace is full."""


class Observation(NamedTuple):
    """How a run ended, and all that it did before."""

    outcome: object
    events: list[object]


class Trace:
    """What a run does, as seen from outside."""

    def __init__(self, seed: int, limit: int = 60, failures: int = 5) -> None:
        self.random = random.Random(seed)
        self.limit = limit
        self.failures = failures
        self.events: list[object] = []

    def __call__(self, *what: object) -> int:
        self.record("call", *what)
        if self.random.randrange(100) < self.failures:
            raise self.random.choice((ValueError, KeyError))(len(self.events))
        return self.random.randrange(-2, 4)

    def record(self, *what: object) -> None:
        active = sys.exception()
        context = active.__context__ if active is not None else None
        self.events.append((*map(_shown, what), _shown(active), _shown(context)))
        if len(self.events) > self.limit:
            raise Exhausted(len(self.events))

    def manager(self, place: object) -> Manager:
        self.record("manager", place)
        return Manager(self, place)


class Manager:
    """A context manager that records, fails at times and swallows at times."""

    def __init__(self, trace: Trace, place: object) -> None:
        self.trace = trace
        self.place = place

    def __enter__(self) -> int:
        return self.trace("enter", self.place)

    def __exit__(self, kind: type | None, value: BaseException | None, traceback: TracebackType | None) -> object:
        return self.trace("exit", self.place, kind, value) > 2 and not isinstance(value, Exhausted)


def _shown(value: object) -> object:
    """Exceptions by what they say: each execution makes its own."""
    if isinstance(value, BaseException):
        return (type(value).__name__, value.args)
    if value is None or isinstance(value, (int, str)):
        return value
    return getattr(value, "__name__", type(value).__name__)


def observe(run: Any, seed: int, limit: int = 60) -> Observation:
    """What `run(trace, trace.manager, 1, 2, 3)` does; a generator is driven with the trace's answers."""
    trace = Trace(seed, limit)
    return Observation(outcome_of(lambda: finish(run(trace, trace.manager, 1, 2, 3), trace)), trace.events)


def outcome_of(thunk: Callable[[], object]) -> object:
    """The value, or the chain of exceptions, that a thunk ends in."""
    try:
        result = thunk()
    except BaseException as error:
        chain: list[object] = []
        current: BaseException | None = error
        while current is not None and len(chain) < 50:
            chain.append(_shown(current))
            current = current.__context__
        return ("raised", chain)
    return ("returned", result)


def finish(result: Any, trace: Trace) -> object:
    """A value as it is; a generator is run to its end with what the trace's random stream says to send and throw."""
    if not isinstance(result, GeneratorType):
        return result
    sent: object = None
    thrown: BaseException | None = None
    while True:
        try:
            item = result.send(sent) if thrown is None else result.throw(thrown)
        except StopIteration as end:
            return end.value
        sent = thrown = None
        try:
            sent = answer(trace, item)
        except BaseException as failure:
            thrown = failure


def answer(trace: Trace, item: object) -> object:
    """What is sent for an item that was yielded; what it raises is thrown."""
    trace.record("yielded", item)
    if trace.random.randrange(8) == 0:
        raise ValueError("thrown", len(trace.events))
    return trace.random.randrange(5)


_VARIABLES = ("a", "b", "c")
_CLASSES = (ValueError, KeyError, Exception)


@dataclass
class _Level:
    """The blocks that a jump may lead to: those of one region, outside of the statements in it."""

    region: int
    parent: _Level | None
    tried: int = -1
    """The try region, if this level is the body of a protected statement."""
    flavor: str = ""
    place: int = 0
    leave: int = -1
    """The exit function of the `with` statement: what enters it dominates all of it."""
    targets: list[int] = field(default_factory=list)


class _Writer:
    """One random function under construction.  Every block takes all variables, unless it has one source only."""

    def __init__(self, random: random.Random, size: int, generator: bool) -> None:
        self.random = random
        self.size = size
        kind: FunctionKind = "generator" if generator else "function"
        self.builder = FunctionBuilder("f", Signature(regular=("t", "m", *_VARIABLES)), kind=kind, module="fuzz")
        self.generator = generator
        self.places = 0
        self.cells: tuple[int, ...] = ()
        self.state: dict[int, list[int]] = {}
        self.depth = 0
        self.flat = random.random() < 0.3
        self.nested = 0.03 if self.flat else 0.25

    def function(self) -> Function:
        b = self.builder
        entry = b.block()
        values = list(b.params(entry, "t", "m", *_VARIABLES))
        self.call, self.manager = values[:2]
        self.cells = tuple(b.emit(entry, "cell", (value,), name, hint=name) for name, value in zip("xy", values[2:]))
        empty = b.constant(entry, ())
        iterator = b.emit(entry, "iter", (empty,), hint="it")
        start = [*values[2:], iterator]
        root = _Level(0, None)
        first = self.level(root)
        b.terminate(entry, "jump", (), (Edge(first, tuple(start)),))
        if self.random.random() < 0.5:
            leave_bare(b, self.random)
        return b.finish()

    # ---------------------------------------------------------------- blocks

    def place(self) -> int:
        self.places += 1
        return self.places

    def block(self, level: _Level, region: int | None = None) -> BlockBuilder:
        """A new block that takes all variables."""
        block = self.builder.block(level.region if region is None else region)
        self.state[block.id] = list(self.builder.params(block, *_VARIABLES, "it"))
        self.protect(block)
        return block

    def protect(self, block: BlockBuilder) -> None:
        """The handler edge of the innermost try region, with the variables as they are where the block begins."""
        region = block.region
        regions = self.builder.regions
        while region and regions[region].kind != "try":
            region = regions[region].parent
        if region and regions[region].handler >= 0:
            block.handler = Edge(regions[region].handler, tuple(self.state[block.id]))

    def work(self, block: BlockBuilder) -> None:
        """Some operations, and the call that makes the block visible."""
        b, random, state = self.builder, self.random, self.state[block.id]
        for _ in range(random.randrange(3)):
            self.operation(block, state)
        shown = random.sample(state[:3], random.randrange(3))
        place = b.constant(block, self.place())
        slot = random.randrange(3)
        answer = b.emit(block, "call", (self.call, place, *shown), hint=_VARIABLES[slot])
        if random.random() < 0.4:
            state[slot] = answer
        if self.generator and random.random() < 0.3:
            state[slot] = b.emit(block, "yield", (state[random.randrange(3)],), hint=_VARIABLES[slot])

    def operation(self, block: BlockBuilder, state: list[int]) -> None:
        b, random = self.builder, self.random
        slot = random.randrange(3)
        kind = random.randrange(8)
        name = _VARIABLES[slot]
        if kind < 3:
            args = (state[random.randrange(3)], state[random.randrange(3)])
            state[slot] = b.emit(block, random.choice(("add", "sub", "xor", "iadd")), args, hint=name)
        elif kind == 3:
            cell = random.randrange(2)
            b.append(block, "cell_set", (state[slot], self.cells[cell]), "xy"[cell])
        elif kind == 4:
            cell = random.randrange(2)
            state[slot] = b.emit(block, "cell_get", (self.cells[cell],), ("xy"[cell], "local"), hint=name)
        elif kind == 5:
            one, two = random.sample(range(3), 2)
            results = (b.value(_VARIABLES[one]), b.value(_VARIABLES[two]))
            b.append(block, "copy", (state[two], state[one]), None, results)
            state[one], state[two] = results
        elif kind == 6:
            items = b.constant(block, tuple(range(random.randrange(3))))
            state[3] = b.emit(block, "iter", (items,), hint="it")
        elif random.random() < 0.3:
            cell = random.randrange(2)
            b.append(block, "cell_del", (self.cells[cell],), ("xy"[cell], "local"))
        else:
            state[slot] = b.constant(block, random.randrange(3), hint=name)

    # ---------------------------------------------------------------- levels: the blocks of one region

    def level(self, level: _Level) -> int:
        """Random blocks and statements of a level, with random ways between them; gives the first block."""
        random = self.random
        self.depth += 1
        room = max(2, min(20 if self.flat else 12 if self.depth == 1 else 7, self.size - len(self.builder.blocks)))
        count = random.randrange(room // 2, room)
        plain = []
        for _ in range(count):
            if self.depth < 5 and len(self.builder.blocks) < self.size and random.random() < self.nested:
                level.targets.append(self.statement(level))
            else:
                block = self.block(level)
                plain.append(block)
                level.targets.append(block.id)
        for block in plain:
            if random.random() < 0.05:
                self.first(block, level)
                continue
            self.work(block)
            self.end(block, level)
        self.depth -= 1
        return level.targets[0]

    def statement(self, level: _Level) -> int:
        """A protected statement inside `level`; gives the block that enters it."""
        flavor = self.random.choice(("except", "except", "finally", "with"))
        b = self.builder
        head = self.block(level)
        residual = flavor == "except" and self.random.random() < 0.3
        tried = b.region("try", level.region, flavor="residual" if residual else flavor)
        caught = b.region("except", level.region, of=tried)
        body = _Level(tried, level, tried, flavor, self.place())
        handler = b.block(caught)
        (exception,) = b.params(handler, "e")
        self.state[handler.id] = list(b.params(handler, *_VARIABLES, "it"))
        b.set_handler(tried, handler.id)
        self.protect(handler)
        if flavor == "with":
            place = b.constant(head, body.place)
            manager = b.emit(head, "call", (self.manager, place))
            body.leave, value = b.value(), b.value("a")
            b.append(head, "with_enter", (manager,), None, (body.leave, value))
            self.state[head.id][0] = value
        else:
            self.work(head)
        first = self.level(body)
        b.terminate(head, "jump", (), (Edge(first, tuple(self.state[head.id])),))
        self.handler(level, body, handler, exception, caught)
        return head.id

    def handler(self, level: _Level, body: _Level, handler: BlockBuilder, exception: int, caught: int) -> None:
        b = self.builder
        if body.flavor == "finally":
            self.clean(handler, body)
            b.terminate(handler, "reraise", (exception,))
            return
        if body.flavor == "with":
            result = b.emit(handler, "with_unwind", (body.leave, exception))
            swallowed = b.emit(handler, "truth", (result,))
            again = self.small(caught, handler)
            b.terminate(again, "reraise", (exception,))
            after = self.small(caught, handler)
            self.go(after, level)
            b.terminate(handler, "branch", (swallowed,), (Edge(after.id), Edge(again.id)))
            return
        cls = b.constant(handler, self.random.choice(_CLASSES))
        matches = b.emit(handler, "exc_match", (exception, cls))
        again = self.small(caught, handler)
        b.terminate(again, "reraise", (exception,))
        inner = _Level(caught, level)
        entry = self.level(inner)
        b.terminate(handler, "branch", (matches,), (Edge(entry, tuple(self.state[handler.id])), Edge(again.id)))

    def small(self, region: int, source: BlockBuilder) -> BlockBuilder:
        """A block without parameters that only `source` leads to."""
        block = self.builder.block(region)
        self.state[block.id] = list(self.state[source.id])
        self.protect(block)
        return block

    def clean(self, block: BlockBuilder, body: _Level) -> None:
        place = self.builder.constant(block, ("finally", body.place))
        self.builder.emit(block, "call", (self.call, place))

    # ---------------------------------------------------------------- ends of blocks

    def end(self, block: BlockBuilder, level: _Level) -> None:
        b, random, state = self.builder, self.random, self.state[block.id]
        choice = random.random()
        if choice < 0.3:
            self.go(block, level)
        elif choice < 0.65:
            args = (state[random.randrange(3)], state[random.randrange(3)])
            test = b.emit(block, random.choice(("lt", "eq", "ge", "ne")), args)
            condition = b.emit(block, "truth", (test,))
            b.terminate(block, "branch", (condition,), (self.way(block, level), self.way(block, level)))
        elif choice < 0.75:
            cases = random.sample((0, 1, 2, True, 3), random.randrange(1, 4))
            edges = tuple(self.way(block, level) for _ in range(len(cases) + 1))
            b.terminate(block, "switch", (state[random.randrange(3)],), edges, tuple(Constant(case) for case in cases))
        elif choice < 0.86:
            self.next(block, level)
        elif choice < 0.9:
            cls = b.constant(block, random.choice(_CLASSES))
            message = b.constant(block, self.place())
            b.terminate(block, "raise", (b.emit(block, "call", (cls, message)),))
        elif choice < 0.91:
            b.terminate(block, "raise")
        else:
            self.leave(block, level)

    def next(self, block: BlockBuilder, level: _Level) -> None:
        b, state = self.builder, self.state[block.id]
        body = b.block(level.region)
        slot = self.random.randrange(3)
        (item,) = b.params(body, _VARIABLES[slot])
        self.state[body.id] = list(state)
        self.state[body.id][slot] = item
        self.protect_with(body, state)
        self.go(body, level)
        b.terminate(block, "next", (state[3],), (Edge(body.id), self.way(block, level)))

    def first(self, block: BlockBuilder, level: _Level) -> None:
        """Nothing but the first item of a new iterator, which nobody else has; what follows can be seen."""
        b, state = self.builder, self.state[block.id]
        iterator = b.emit(block, "iter", (b.constant(block, tuple(range(self.random.randrange(3)))),))
        body, done = b.block(level.region), self.small(level.region, block)
        slot = self.random.randrange(3)
        (item,) = b.params(body, _VARIABLES[slot])
        self.state[body.id] = list(state)
        self.state[body.id][slot] = item
        self.protect_with(body, state)
        for after in (body, done):
            self.work(after)
            self.go(after, level)
        b.terminate(block, "next", (iterator,), (Edge(body.id), Edge(done.id)))

    def protect_with(self, block: BlockBuilder, state: list[int]) -> None:
        kept, self.state[block.id] = self.state[block.id], state
        self.protect(block)
        self.state[block.id] = kept

    def way(self, block: BlockBuilder, level: _Level) -> Edge:
        """An edge to a random block of this level or one around it; clean-ups lie on the way."""
        if self.random.random() < 0.3:
            direct = self.random.choice(level.targets)
            return Edge(direct, self.moved(self.state[block.id]))
        between = self.small(level.region, block)
        self.go(between, level)
        return Edge(between.id)

    def moved(self, state: list[int]) -> tuple[int, ...]:
        """The variables, at times exchanged on the way: a parallel move."""
        if self.random.random() < 0.15:
            first, second = self.random.sample(range(3), 2)
            state = list(state)
            state[first], state[second] = state[second], state[first]
        return tuple(state)

    def go(self, block: BlockBuilder, level: _Level) -> None:
        """Jump somewhere: in this level, or out of it through the clean-ups of the statements that are left."""
        goal = level
        while goal.parent is not None and goal.parent.targets and (not goal.targets or self.random.random() < 0.35):
            goal = goal.parent
        if not goal.targets:
            self.leave(block, level)
            return
        block = self.through(block, level, goal)
        target = self.random.choice(goal.targets)
        self.builder.terminate(block, "jump", (), (Edge(target, self.moved(self.state[block.id])),))

    def leave(self, block: BlockBuilder, level: _Level) -> None:
        """Return the variables."""
        result = self.builder.emit(block, "tuple", tuple(self.state[block.id][:3]))
        block = self.through(block, level, None)
        self.builder.terminate(block, "return", (result,))

    def through(self, block: BlockBuilder, level: _Level, goal: _Level | None) -> BlockBuilder:
        """The end of the clean-ups on the way from `level` to `goal` (None: out of the function)."""
        b = self.builder
        current: _Level | None = level
        while current is not None and current is not goal:
            if current.flavor in ("finally", "with"):
                region = b.region("copy", b.regions[current.tried].parent, of=current.tried)
                copy = self.small(region, block)
                b.terminate(block, "jump", (), (Edge(copy.id),))
                if current.flavor == "finally":
                    self.clean(copy, current)
                else:
                    b.append(copy, "with_exit", (current.leave,))
                block = copy
            current = current.parent
        return block


_SILENT_ENDS = frozenset({"jump", "branch", "switch", "return", "unreachable"})


def is_silent(block: BlockBuilder, trusted: bool) -> bool:
    """Can nothing in this block raise, whatever its values are?  What the verifier believes of all operations, or, of
    those in the try regions of residual functions, which it trusts, what their facts say."""
    assert block.terminator is not None
    if block.terminator.name not in _SILENT_ENDS:
        return False
    return all(
        op.operator.silent or (trusted and not op.operator.raises(("object",) * len(op.args), op.attr))
        for op in block.ops
    )


def leave_bare(builder: FunctionBuilder, random: random.Random) -> None:
    """Blocks in which nothing can raise need no handler edge: some of them lose theirs."""
    for block in builder.blocks:
        if block.handler is not None and random.random() < 0.5:
            tried = block.handler.target
            trusted = any(region.flavor == "residual" and region.handler == tried for region in builder.regions)
            if is_silent(block, trusted):
                block.handler = None


def random_function(random: random.Random, size: int = 40, *, generator: bool | None = None) -> Function:
    """A verified random function of about `size` blocks at most."""
    made = random.randrange(4) == 0 if generator is None else generator
    return _Writer(random, random.randrange(3, size), made).function()


def random_program(seed: int, size: int = 40, *, generator: bool | None = None) -> Program:
    return Program("f", (random_function(random.Random(seed), size, generator=generator),))
