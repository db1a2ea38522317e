"""Two ways to run a shape with a stream of decisions: directly, and as the Python text of its tree.

    shape 0: [t(1)] test c(2) -> ...      events  ("t", 1), ("c", 2, True), ...

The oracle walks the control-flow graph and its extents and shares no code with the structurer.  Opaque parts are
calls: `t(n)` an event, `r(n)` an event that may raise, `c(n)` a decision, `m(n)` a manager, `i(n)` an iterator,
`j(n)` a fresh iterable, `v(n)` a value.

Invariant: decisions depend on the seed and the number of decisions so far only; both runs stop after the same fuel.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache
from types import CodeType

from futamura.backend.structure.shape import Edge, Falls, Goto, Leave, Next, Protected, Shape, Test
from futamura.backend.structure.tree import Suite
from tests.structure.rendering import render

MAX_STEPS = 3000


class Halt(BaseException):
    """The fuel is used up."""


class A(Exception):
    pass


class B(Exception):
    pass


class World:
    """What opaque parts do: note an event, take a decision."""

    def __init__(self, seed: int, fuel: int) -> None:
        self.bits = random.Random(seed)
        self.fuel = fuel
        self.events: list[object] = []
        self.halted = False

    def note(self, *event: object) -> None:
        if len(self.events) >= self.fuel:
            self.halted = True
            raise Halt
        self.events.append(event)

    def decide(self, chance: float) -> bool:
        return self.bits.random() < chance

    def h(self) -> bool:
        return self.halted

    def t(self, n: int) -> None:
        self.note("t", n)

    def v(self, n: int) -> int:
        self.note("v", n)
        return n

    def r(self, n: int) -> None:
        self.note("r", n)
        if self.decide(0.25):
            raise A() if self.decide(0.6) else B()

    def c(self, n: int) -> bool:
        answer = self.decide(0.5)
        self.note("c", n, answer)
        return answer

    def m(self, n: int) -> Manager:
        self.note("m", n)
        return Manager(self, n)

    def i(self, n: int) -> Items:
        return Items(self, n)

    def j(self, n: int) -> Items:
        self.note("j", n)
        return Items(self, n)


@dataclass
class Manager:
    world: World
    n: int

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: object) -> bool:
        if kind is Halt:
            return False
        self.world.note("exit", self.n, kind and kind.__name__)
        return kind is not None and self.world.decide(0.5)


@dataclass
class Items:
    world: World
    n: int

    def __iter__(self) -> Items:
        return self

    def __next__(self) -> int:
        answer = self.world.decide(0.6)
        self.world.note("next", self.n, answer)
        if not answer:
            raise StopIteration
        return self.n


def run_tree(suite: Suite, seed: int, fuel: int) -> list[object]:
    """The events of the tree's text, compiled and run."""
    source = "\n".join(["def f(t, r, c, m, i, j, v, h, A, B):", *render(suite, 1, "h()")])
    world = World(seed, fuel)
    space: dict[str, object] = {}
    exec(compile(source, "<tree>", "exec"), space)
    function = space["f"]
    assert callable(function)
    try:
        end: object = ("return", function(world.t, world.r, world.c, world.m, world.i, world.j, world.v, world.h, A, B))
    except Halt:
        end = "halt"
    except (A, B) as error:
        end = ("raise", type(error).__name__)
    return [*world.events, "halt" if world.halted else end]


class Endless(Exception):
    """The shape runs on without events."""


@cache
def _compiled(text: str) -> CodeType:
    return compile(text, "<opaque>", "eval")


@dataclass
class Done(Exception):
    end: object


@dataclass
class Machine:
    """Walks the shape.  `loops`: for each `next` on a fresh iterable the nodes of its loop."""

    shape: Shape
    world: World
    loops: dict[int, set[int]] = field(default_factory=dict)
    pending: dict[int, tuple[str, object]] = field(default_factory=dict)
    items: dict[int, Items] = field(default_factory=dict)
    managers: dict[int, int] = field(default_factory=dict)
    current: int = -1
    steps: int = 0
    space: dict[str, object] = field(default_factory=dict)

    def run(self) -> list[object]:
        try:
            node = self.enter(0, self.shape.entry)
            while True:
                node = self.step(node)
        except Done as done:
            return [*self.world.events, done.end]
        except Halt:
            return [*self.world.events, "halt"]

    def evaluate(self, text: object) -> object:
        if not self.space:
            self.space = {"A": A, "B": B, **{name: getattr(self.world, name) for name in "trcmijv"}}
        return eval(_compiled(str(text)), self.space)

    def step(self, id: int) -> int:
        node = self.shape.nodes[id]
        self.current = id
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Endless
        extent = node.extent
        try:
            for statement in node.statements:
                self.evaluate(statement)
            end = node.end
            match end:
                case Goto(edge):
                    completion = self.take(edge)
                case Test(condition, then, orelse):
                    completion = self.take(then if self.evaluate(condition) else orelse)
                case Next(_, _, body, done):
                    try:
                        next(self.items[id])
                        completion = self.take(body)
                    except StopIteration:
                        completion = self.take(done)
                case Leave(None):
                    raise AssertionError("unreachable")
                case Leave(statement):
                    completion = self.leave(str(statement))
                case Falls():
                    final = extent
                    while self.shape.extents[final].kind != "final":
                        final = self.shape.extents[final].parent
                    completion = ("falls", final)
        except (A, B) as error:
            completion = ("raise", error)
        return self.unwind(extent, completion)

    def take(self, edge: Edge) -> tuple[str, object]:
        for move in edge.moves:
            self.evaluate(move)
        return "jump", edge.target

    def leave(self, text: str) -> tuple[str, object]:
        word, _, rest = text.partition(" ")
        value = self.evaluate(rest)
        if word == "raise":
            assert isinstance(value, BaseException)
            return "raise", value
        return "return", value

    def owner(self, extent: int) -> Protected:
        return self.shape.statements[self.shape.extents[extent].statement]

    def unwind(self, extent: int, completion: tuple[str, object]) -> int:
        """Leave extents until the completion has come to its end; gives the next node."""
        while True:
            kind, value = completion
            if kind == "jump":
                assert isinstance(value, int)
                if self.holds(extent, self.shape.nodes[value].extent):
                    return self.enter(extent, value)
            part = self.shape.extents[extent]
            if part.kind == "function":
                raise Done((kind, type(value).__name__ if kind == "raise" else value))
            if part.kind == "final":
                before = self.pending.pop(extent)
                extent = part.parent
                if kind == "falls" and value == part.id:
                    completion = before
                continue
            parent = part.parent
            if part.kind == "body":
                owner = self.owner(extent)
                if owner.kind == "finally":
                    self.pending[owner.final_extent] = completion
                    return self.enter(owner.final_extent, owner.final_entry)
                if owner.kind == "with":
                    completion = self.close(owner, completion)
                elif kind == "raise":
                    for clause in owner.clauses:
                        if not clause.header or isinstance(value, self.evaluate(clause.header)):  # type: ignore[arg-type]
                            return self.enter(clause.extent, clause.entry)
            extent = parent

    def close(self, owner: Protected, completion: tuple[str, object]) -> tuple[str, object]:
        kind, value = completion
        number = self.managers.pop(owner.id)
        if Manager(self.world, number).__exit__(type(value) if kind == "raise" else None, None, None):  # type: ignore[arg-type]
            return "jump", owner.swallowed
        return completion

    def holds(self, outer: int, inner: int) -> bool:
        while inner != outer and inner > 0:
            inner = self.shape.extents[inner].parent
        return inner == outer

    def enter(self, extent: int, id: int) -> int:
        """Go into the extents between `extent` and the node's own."""
        path = []
        inner = self.shape.nodes[id].extent
        while inner != extent:
            path.append(inner)
            inner = self.shape.extents[inner].parent
        for inner in reversed(path):
            owner = self.owner(inner)
            if owner.kind == "with":
                manager = self.evaluate(owner.header)
                assert isinstance(manager, Manager)
                self.managers[owner.id] = manager.n
        end = self.shape.nodes[id].end
        if isinstance(end, Next) and not (id in self.loops and self.current in self.loops[id]):
            self.items[id] = self.evaluate(end.iterator)  # type: ignore[assignment]
        return id
