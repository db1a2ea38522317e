"""Random functions of the IR over numbers, strings, lists, cells and globals: food for the optimizer's passes.

    random_function(random.Random(7))     func f(t, a, b, s, xs): ... t(v3, v9) ... return v12

`t` records what it is called with, changes a list and a global at times, and raises at times.  Loops are counted, so
that every run ends.  Operands are chosen from all that is in scope, so that conditions repeat, expressions recur and
values are dead; mostly of a type that the operation takes, so that runs go far, but not always.

Invariant: a function depends on the random source alone, and is verified.
"""

from __future__ import annotations

import random
import types
from typing import Any, Final

from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Function, Program, Signature, Value
from tests.fuzz.graphs import leave_bare

__all__ = ["GLOBALS", "KNOWN", "Recorder", "Writer", "arguments", "random_function", "random_program"]

KNOWN: Final[dict[tuple[str, str], object]] = {
    ("m", name): function
    for name, function in (
        ("len", len), ("isinstance", isinstance), ("int", int), ("str", str), ("bool", bool), ("abs", abs),
        ("min", min), ("max", max), ("type", type), ("range", range), ("float", float), ("ord", ord), ("chr", chr),
        ("enumerate", enumerate), ("zip", zip),
    )
}  # fmt: skip
"""Global names that keep their meaning."""
GLOBALS: Final = ("g", "h")
"""Global names that do not."""

_BINARY: Final = (
    "add", "sub", "mul", "floordiv", "mod", "truediv", "and", "or", "xor", "rshift",
    "iadd", "isub", "imul", "iand", "ior", "ixor",
)  # fmt: skip
_COMPARE: Final = ("lt", "le", "gt", "ge", "eq", "ne")
_UNARY: Final = ("neg", "pos", "invert", "not", "truth")
_CONSTANTS: Final = (0, 1, 2, 3, 7, -1, 10, True, False, None, 0.0, -0.0, 1.5, "", "a", "ab")
_ONE: Final = ("len", "int", "str", "bool", "abs", "type", "float", "ord", "chr")


class Recorder:
    """The effects of a run, as seen from outside."""

    def __init__(self, seed: int, xs: list[Any], globals: dict[str, Any]) -> None:
        self.random: Final = random.Random(seed)
        self.events: Final[list[object]] = []
        self.xs: Final = xs
        self.globals: Final = globals
        self.p: object = 0
        self.q: object = "q"

    def __call__(self, *values: object) -> object:
        self.events.append(tuple([shown(value) for value in values]))
        match self.random.randrange(10):
            case 0 if self.random.random() < 0.3:
                raise ValueError(len(self.events))
            case 1 | 2 | 3:
                self.xs[self.random.randrange(len(self.xs))] = len(self.events)
            case 4 | 5:
                self.globals[self.random.choice(GLOBALS)] = len(self.events)
            case 6:
                self.p = len(self.events)
        return self.random.choice((0, 1, 5, -3, "a", True, None, 2.5))


def shown(value: object) -> str:
    """A text that tells values apart, types included."""
    if isinstance(value, types.BuiltinMethodType):
        return f"method {value.__name__}"
    return f"{type(value).__name__}:{value!r}"[:200]


def arguments(number: random.Random) -> tuple[int, int, str, list[object]]:
    """Values for a, b, s and xs."""
    whole = (number.choice((0, 1, 2, 5, -4, 300, 1 << 70)), number.randrange(-3, 12))
    return (*whole, number.choice(("", "a", "ab", "3")), [number.choice((0, 4, "a", 2.5)) for _ in range(3)])


def random_program(seed: int, size: int = 40, *, texts: bool = False) -> Program:
    """A program of one function; with `texts` some are put together in it."""
    return Program("f", (random_function(random.Random(seed), size, texts=texts),))


def random_function(number: random.Random, size: int = 40, *, texts: bool = False) -> Function:
    """A function of `t, a, b, s, xs` with about `size` operations or more."""
    return Writer(number, size, texts).write()


class Writer:
    """Writes one function from top to bottom."""

    def __init__(self, number: random.Random, size: int, texts: bool = False) -> None:
        self.random: Final = number
        self.texts: Final = texts
        self.budget = size
        self.builder: Final = FunctionBuilder("f", Signature(regular=("t", "a", "b", "s", "xs")), module="m")
        self.block = self.builder.block()
        self.scope: list[Value] = []
        self.tested: tuple[Value, object] = (-1, None)
        """The value of the last test by `is`, and what it was compared with."""
        self.conditions: list[Value] = []
        self.cells: list[Value] = []
        self.kinds: dict[Value, str] = {}
        """Of some values the type that they mostly have."""
        self.region = 0
        self.handler: BlockBuilder | None = None

    def write(self) -> Function:
        entry = self.block
        self.t, *self.scope = self.builder.params(entry, "t", "a", "b", "s", "xs")
        self.s, self.xs = self.scope[-2:]
        self.kinds.update(zip(self.scope, ("int", "int", "str", "list")))
        self.cells = [self.emit("cell", (self.pick(),), "c"), self.emit("cell", (self.pick(),), "d")]
        self.own = self.emit("mul", (self.emit("list", (self.constant(0),)), self.constant(4)))
        self.lists = [self.own]
        """Lists that nobody else sees, or not yet."""
        while self.budget > 0:
            self.statement(3)
        self.builder.terminate(self.block, "return", (self.pick(),))
        if self.random.random() < 0.5:
            leave_bare(self.builder, self.random)
        return self.builder.finish()

    # ---------------------------------------------------------------- pieces

    def emit(self, name: str, args: tuple[Value, ...] = (), attr: object = None) -> Value:
        self.budget -= 1
        return self.builder.emit(self.block, name, args, attr)

    def pick(self, kind: str = "") -> Value:
        """A value in scope or a constant, mostly of the kind."""
        if not kind or self.random.random() < 0.03:
            if self.random.random() < 0.2:
                return self.constant(self.random.choice(_CONSTANTS))
            return self.random.choice(self.scope[-6:] if self.random.random() < 0.5 else self.scope)
        fitting = [value for value in self.scope if self.kinds.get(value) == kind]
        if not fitting or self.random.random() < 0.2:
            return self.constant(self.random.choice((0, 1, 2, 3, 7, -1) if kind == "int" else ("", "a", "ab")))
        return self.random.choice(fitting[-5:] if self.random.random() < 0.5 else fitting)

    def made(self, value: Value, kind: str) -> Value:
        self.kinds[value] = kind
        return value

    def kind_of(self, values: tuple[Value, ...]) -> str:
        kinds = {self.kinds.get(value, "") for value in values}
        return kinds.pop() if len(kinds) == 1 else ""

    def constant(self, value: object) -> Value:
        return self.made(self.builder.constant(self.block, value), type(value).__name__)

    def known(self, name: str) -> Value:
        return self.emit("global_get", (), ("m", name))

    def fresh(self, region: int | None = None) -> BlockBuilder:
        """A new block, with a handler edge if it lies in a protected region."""
        block = self.builder.block(self.region if region is None else region)
        if self.handler is not None and region is None:
            slots = len(self.handler.params) - 1
            block.handler = Edge(self.handler.id, tuple([self.random.choice(self.scope) for _ in range(slots)]))
        return block

    def condition(self) -> Value:
        if self.conditions and self.random.random() < 0.4:
            return self.random.choice(self.conditions)
        kind = self.random.choice(("int", "int", "str", ""))
        if self.random.random() < 0.2:  # a test of a class, behind which more is known
            asked = self.emit("call", (self.known("type"), self.pick()))
            made = self.emit("is", (asked, self.known(self.random.choice(("int", "str")))))
        elif self.random.random() < 0.1:  # of a class, or one of two
            kinds = [self.known(self.random.choice(("int", "str", "bool"))) for _ in range(2)]
            asked = kinds[0] if self.random.random() < 0.5 else self.emit("tuple", tuple(kinds))
            made = self.emit("call", (self.known("isinstance"), self.pick(), asked))
        elif self.random.random() < 0.15:  # a number as it is
            made = self.pick("int")
        elif self.random.random() < 0.2:  # the identity of numbers and strings may change
            only, value = self.random.choice((None, True)), self.pick()
            made = self.emit(self.random.choice(("is", "is_not")), (value, self.constant(only)))
            self.tested = (value, only)
        else:
            made = self.emit(self.random.choice(_COMPARE if kind else _COMPARE[4:]), (self.pick(kind), self.pick(kind)))
        self.scope.append(made)
        if self.random.random() < 0.3:
            return self.emit("not", (made,))
        condition = self.emit("truth", (made,))
        self.conditions.append(condition)
        return condition

    # ---------------------------------------------------------------- statements

    def statement(self, depth: int) -> None:
        choice = self.random.randrange(11)
        if depth and choice == 0:
            self.diamond(depth - 1)
        elif depth and choice == 1:
            if len(self.scope) % 5 == 0:
                self.copying()
            else:
                self.loop(depth - 1)
        elif depth and choice == 2 and self.random.random() < (0.5 if self.handler is None else 0.2):
            self.protected(depth - 1)
        elif depth and choice == 3 and self.random.random() < 0.4:
            self.switch(depth - 1)
        elif depth and choice == 4 and self.random.random() < 0.4:
            self.rails()
        elif choice == 5:
            self.of_list()
        elif choice == 6 and self.random.random() < 0.5:
            self.repeated()
        elif choice == 7 and self.random.random() < 0.6:
            self.attribute()
        else:
            self.operation()

    def several(self, depth: int) -> None:
        for _ in range(self.random.randrange(1, 5)):
            self.statement(depth)

    def operation(self) -> None:
        row = self.random.randrange(20)
        if row < 5:
            name = self.random.choice(_BINARY)
            divides = name in ("floordiv", "mod", "truediv", "rshift")
            right = self.constant(self.random.choice((1, 2, 3, 7))) if divides else self.pick("int")
            made = self.emit(name, (self.pick("int"), right))
            self.kinds[made] = "int" if name != "truediv" else "float"
        elif row == 5:
            made = self.made(self.emit(self.random.choice(_UNARY), (self.pick("int"),)), "int")
        elif row == 6:
            made = self.emit("getitem", (self.xs, self.index()))
        elif row == 7:
            self.builder.append(self.block, "setitem", (self.pick(), self.xs, self.index()))
            return
        elif row == 8:
            made = self.variable()
        elif row == 9:
            name = self.random.choice(_ONE)
            made = self.emit("call", (self.known(name), self.pick("str" if name in ("len", "ord") else "int")))
        elif row == 10:
            name = self.random.choice(("isinstance", "min", "max"))
            second = self.known(self.random.choice(("int", "str"))) if name == "isinstance" else self.pick("int")
            first = self.pick() if name == "isinstance" else self.pick("int")
            made = self.made(self.emit("call", (self.known(name), first, second)), "int")
        elif row == 11 or (self.texts and row in (6, 12)):
            made = self.text() if self.texts else self.emit("format", (self.pick(),), "")
        elif row == 12:
            (made,) = self.builder.append(self.block, "copy", (self.pick(),), None, (self.builder.value("y"),)).results
        elif row == 13:
            made = self.chain()
        elif row < 16:
            place = self.place()
            if self.random.random() < 0.5:
                made = self.made(self.emit("getitem", (self.own, place)), "int")
            else:
                value = self.chain() if self.random.random() < 0.5 else self.pick("int")
                self.builder.append(self.block, "setitem", (value, self.own, place))
                return
        else:
            made = self.emit("call", (self.t, self.pick(), self.pick()))
        self.scope.append(made)

    def text(self) -> Value:
        """What is put together of texts and other values."""
        parts: list[Value] = []
        for _ in range(self.random.randrange(1, 4)):
            if self.random.random() < 0.4:
                parts.append(self.constant(self.random.choice((": ", "[", "x"))))
            elif self.random.random() < 0.3 and parts:
                self.emit("call", (self.t, self.pick()))
            else:
                kind = self.random.choice(("str", "str", "int", ""))
                spec = (self.constant(">3"),) if kind == "int" and self.random.random() < 0.2 else ()
                parts.append(self.emit("format", (self.pick(kind), *spec), self.random.choice(("", "", "r"))))
        made = self.made(self.emit("string", tuple(parts)), "str")
        if self.random.random() < 0.3:
            return self.made(self.emit("add", (self.pick("str"), made)), "str")
        return made

    def attribute(self) -> None:
        """An attribute of an object that others see."""
        name = self.random.choice("pq")
        if self.random.random() < 0.4:
            self.builder.append(self.block, "setattr", (self.pick(), self.t), name)
        else:
            self.scope.append(self.emit("getattr", (self.t,), name))

    def of_list(self) -> None:
        """Something with a list that nobody else sees, or a new one, or one that leaves."""
        row = self.random.randrange(12)
        chosen = self.random.choice(self.lists)
        if row < 2:
            items = tuple([self.pick() for _ in range(self.random.randrange(4))])
            self.lists.append(self.emit("list", items))
        elif row == 2:
            times = self.random.choice((self.constant(2), self.pick("int"), self.constant(True)))
            pair = (chosen, times) if self.random.random() < 0.7 else (times, chosen)
            self.lists.append(self.emit("mul", pair))
        elif row < 5:
            self.builder.append(self.block, "list_append", (chosen, self.pick()))
        elif row == 5:
            self.scope.append(self.made(self.emit("call", (self.known("len"), chosen)), "int"))
        elif row == 6:
            self.scope.append(self.emit(self.random.choice(("truth", "not")), (chosen,)))
        elif row == 7 and self.random.random() < 0.4:
            self.builder.append(self.block, "setitem", (self.pick(), chosen, self.pick()))
        elif row == 8 and self.random.random() < 0.4:
            self.emit("call", (self.t, chosen))
        elif row == 9 and self.random.random() < 0.4:
            self.scope.extend(self.builder.append(
                self.block, "unpack", (chosen,), (2, False, 0), (self.builder.value("u"), self.builder.value("w"))
            ).results)  # fmt: skip
        elif row == 10:
            self.builder.append(self.block, "setitem", (self.pick(), chosen, self.place()))
        else:
            self.scope.append(self.emit("getitem", (chosen, self.place())))

    def repeated(self) -> None:
        """The same steps several times, with constants that grow at times."""
        value, grows = self.pick("int"), self.random.random() < 0.5
        for turn in range(self.random.randrange(2, 7)):
            value = self.emit("add", (value, self.constant(turn if grows else 2)))
            if self.random.random() < 0.9:
                self.emit("call", (self.t, value, self.constant(7)))
        self.scope.append(self.made(value, "int"))

    def index(self) -> Value:
        """An index of the list that others see."""
        if self.random.random() < 0.2:
            return self.random.choice(self.scope[:2])
        return self.constant(self.random.choice((0, 0, 0, 1, 1, 2, -2, -3)))

    def place(self) -> Value:
        """An index of the list that nobody else sees, at times far away."""
        if self.random.random() < 0.4:
            return self.constant(self.random.choice((0, 1, 2, 3, -1, -4, True, 0, 1, 2, 3, 4)))
        low = self.emit("and", (self.random.choice(self.scope[:2]), self.constant(1)))
        if self.random.random() < 0.5:
            return low
        return self.emit(self.random.choice(("add", "sub")), (low, self.constant(self.random.randrange(3))))

    def chain(self) -> Value:
        """Steps with constants, masked at times."""
        loaded = self.random.random() < 0.3
        value = self.emit("getitem", (self.own, self.place())) if loaded else self.pick("int")
        if self.random.random() < 0.4:
            for name, other in (("and", (3, 7, 255)), ("add", (1, 5)), ("and", (1, 3, 15, 255))):
                value = self.emit(name, (value, self.constant(self.random.choice(other))))
            return self.made(value, "int")
        for _ in range(self.random.randrange(1, 5)):
            name = self.random.choice(("add", "sub", "iadd", "mul", "and", "or", "xor"))
            masks = (1, 3, 255, 254, -1) if name == "and" else (0, 1, 2, 5, -3)
            value = self.emit(name, (value, self.constant(self.random.choice(masks))))
        return self.made(value, "int")

    def variable(self) -> Value:
        name = self.random.choice(GLOBALS)
        cell = self.random.randrange(2)
        match self.random.randrange(8):
            case 0:
                self.builder.append(self.block, "cell_set", (self.pick(), self.cells[cell]), "cd"[cell])
            case 1:
                return self.emit("cell_get", (self.cells[cell],), ("cd"[cell], "local"))
            case 2:
                self.builder.append(self.block, "cell_del", (self.cells[cell],), ("cd"[cell], "local"))
                self.builder.append(self.block, "cell_set", (self.pick(), self.cells[cell]), "cd"[cell])
            case 3:
                self.builder.append(self.block, "global_set", (self.pick(),), ("m", name))
        return self.emit("global_get", (), ("m", name))

    # ---------------------------------------------------------------- control

    def diamond(self, depth: int) -> None:
        """Two ways that meet; at times the same code stands on both, or tests without any effect."""
        self.tested = (-1, None)
        condition = self.condition()
        value, only = self.tested
        scope, conditions, lists = list(self.scope), list(self.conditions), list(self.lists)
        then, otherwise = self.fresh(), self.fresh()
        self.builder.terminate(self.block, "branch", (condition,), (Edge(then.id), Edge(otherwise.id)))
        count = self.random.randrange(3)
        ends: list[tuple[BlockBuilder, tuple[Value, ...]]] = []
        alike, idle, state = len(scope) % 4 == 0, len(scope) % 7 == 0, self.random.getstate()
        for way in (then, otherwise):
            self.block, self.scope, self.conditions, self.lists = way, list(scope), list(conditions), list(lists)
            if alike:
                self.random.setstate(state)
            if not idle:
                self.several(depth)
            if alike and value in scope and (way.id + len(scope)) % 3:
                ends.append((self.block, tuple([self.constant(only), *([value] * count)][:count])))
                continue
            if alike and value in scope:
                ends.append((self.block, tuple([value] * count)))
                continue
            if self.random.random() < 0.04 and self.handler is None:
                self.builder.terminate(self.block, "return", (self.pick(),))
            else:
                ends.append((self.block, tuple([self.pick() for _ in range(count)])))
        self.scope, self.conditions, self.lists = scope, conditions, lists
        self.join(ends, count)

    def join(self, ends: list[tuple[BlockBuilder, tuple[Value, ...]]], count: int) -> None:
        """Go on where these blocks meet."""
        self.block = self.fresh()
        params = self.builder.params(self.block, *["p"] * count)
        for param, passed in zip(params, zip(*[values for _, values in ends])):
            self.kinds[param] = self.kind_of(passed)
        for block, passed in ends:
            self.builder.terminate(block, "jump", (), (Edge(self.block.id, passed),))
        self.scope.extend(params)

    def loop(self, depth: int) -> None:
        """`for i in range(K)`, by a counter or by an iterator, with values that go around."""
        count = self.random.randrange(3)
        rounds = self.random.choice((0, 1, 2, 2, 3))
        iterator = None
        width = 0
        if self.random.random() < 0.5:
            source = self.iterated(rounds)
            if self.random.random() < 0.4:
                source, width = self.paired(source, rounds)
            iterator = self.emit("iter", (source,))
        start = (self.constant(0), *[self.pick() for _ in range(count)])
        header = self.fresh()
        self.builder.terminate(self.block, "jump", (), (Edge(header.id, start),))
        self.block = header
        counter, *carried = self.builder.params(header, "i", *["q"] * count)
        self.kinds[counter] = "int"
        scope, conditions, lists = list(self.scope), list(self.conditions), list(self.lists)
        self.scope.extend((counter, *carried))
        body, after = self.fresh(), self.fresh()
        if iterator is None:
            bound = self.constant(rounds)
            test = self.emit("truth", (self.emit("lt", (counter, bound)),))
            self.builder.terminate(self.block, "branch", (test,), (Edge(body.id), Edge(after.id)))
        else:
            (item,) = self.builder.params(body, "item")
            self.scope.append(item)
            self.builder.terminate(self.block, "next", (iterator,), (Edge(body.id), Edge(after.id)))
        self.block = body
        if width:
            parts = tuple([self.builder.value("u") for _ in range(width)])
            self.scope.extend(self.builder.append(body, "unpack", (item,), (width, False, 0), parts).results)
        self.several(depth)
        again = self.emit("add", (counter, self.constant(1)))
        self.builder.terminate(
            self.block, "jump", (), (Edge(header.id, (again, *[self.pick() for _ in range(count)])),)
        )
        self.block, self.scope, self.conditions, self.lists = after, [*scope, *carried], conditions, lists

    def iterated(self, rounds: int) -> Value:
        """Something with a few items."""
        match self.random.randrange(6):
            case 0:
                return self.constant(self.random.choice(("ab", b"xy", (), (1, "a"))))
            case 1:
                return self.random.choice(self.lists)
            case 2:
                ends = [self.constant(self.random.randrange(-2, 6)), self.constant(self.random.randrange(6))]
                steps = [self.constant(self.random.choice((1, 2, -1)))] if self.random.random() < 0.5 else []
                return self.emit("call", (self.known("range"), *ends, *steps))
        return self.emit("call", (self.known("range"), self.constant(rounds)))

    def paired(self, source: Value, rounds: int) -> tuple[Value, int]:
        """The items with their numbers or with other items, at times of what has none; how many there are in one."""
        if self.random.random() < 0.4:
            start = [self.pick("int")] if self.random.random() < 0.4 else []
            return self.emit("call", (self.known("enumerate"), source, *start)), 2
        others = [self.pick("str") if self.random.random() < 0.5 else self.iterated(rounds)]
        others += [self.xs] if self.random.random() < 0.3 else []
        return self.emit("call", (self.known("zip"), source, *others)), 1 + len(others)

    def switch(self, depth: int) -> None:
        """A way for each of some constants, and one for all others."""
        kind = self.random.choice(("int", "str"))
        cases = self.random.sample((0, 1, 2, 5) if kind == "int" else ("", "a", "ab"), self.random.randrange(1, 4))
        value = self.pick(kind)
        scope, conditions, lists = list(self.scope), list(self.conditions), list(self.lists)
        ways = [self.fresh() for _ in range(len(cases))]
        ways.append(ways[0] if self.random.random() < 0.3 else self.fresh())
        edges = tuple([Edge(way.id) for way in ways])
        self.builder.terminate(self.block, "switch", (value,), edges, tuple([Constant(case) for case in cases]))
        count = self.random.randrange(2)
        ends = []
        for way in dict.fromkeys(ways):
            self.block, self.scope, self.conditions = way, list(scope), list(conditions)
            self.lists = list(lists)
            self.several(depth)
            ends.append((self.block, tuple([self.pick() for _ in range(count)])))
        self.scope, self.conditions, self.lists = scope, conditions, lists
        self.join(ends, count)

    def rails(self) -> None:
        """A loop of two blocks that is entered at either: some rounds, with a value that goes around."""
        start, condition = self.pick("int"), self.condition()
        rounds = self.constant(self.random.randrange(1, 4))
        zero = self.constant(0)
        one, other, after = self.fresh(), self.fresh(), self.fresh()
        values = {block.id: self.builder.params(block, "left", "v") for block in (one, other)}
        (passed,) = self.builder.params(after, "v")
        entry = (Edge(one.id, (rounds, start)), Edge(other.id, (rounds, start)))
        self.builder.terminate(self.block, "branch", (condition,), entry)
        scope, conditions, lists = list(self.scope), list(self.conditions), list(self.lists)
        for block, target in ((one, other), (other, one)):
            left, value = values[block.id]
            self.kinds.update({left: "int", value: "int"})
            self.block, self.scope, self.conditions = block, [*scope, left, value], list(conditions)
            self.lists = list(lists)
            for _ in range(self.random.randrange(3)):
                self.operation()
            value = self.emit(self.random.choice(("add", "sub", "and")), (value, self.pick("int")))
            left = self.emit("sub", (left, self.constant(1)))
            more = self.emit("truth", (self.emit("gt", (left, zero)),))
            edges = (Edge(target.id, (left, value)), Edge(after.id, (value,)))
            self.builder.terminate(self.block, "branch", (more,), edges)
        self.block, self.scope, self.conditions, self.lists = after, [*scope, passed], conditions, lists

    def copying(self) -> None:
        """`[item for item in xs]`, at times of something that cannot be iterated, or with an operation between."""
        source = self.random.choice((self.xs, self.xs, self.pick("str"), self.pick("int"), self.scope[-1]))
        made = self.emit("list")
        iterator = self.emit("iter", (source,))
        if self.random.random() < 0.5:
            self.operation()
        header, body, after = self.fresh(), self.fresh(), self.fresh()
        self.builder.terminate(self.block, "jump", (), (Edge(header.id),))
        self.builder.terminate(header, "next", (iterator,), (Edge(body.id), Edge(after.id)))
        (item,) = self.builder.params(body, "item")
        self.builder.append(body, "list_append", (made, item))
        self.builder.terminate(body, "jump", (), (Edge(header.id),))
        self.block = after
        self.scope.append(made)

    def protected(self, depth: int) -> None:
        """`try: ... except: ...`, with values that the handler gets; at times one block that leaves by a branch."""
        slots = self.random.randrange(3)
        region = self.builder.region("try", self.region, flavor=self.random.choice(("except", "residual")))
        inside = self.builder.region("except", self.region, of=region)
        outer, around = self.region, self.handler
        self.region = inside
        handler = self.fresh()
        self.builder.set_handler(region, handler.id)
        self.builder.params(handler, "error", *["r"] * slots)
        scope, conditions, lists = list(self.scope), list(self.conditions), list(self.lists)
        self.region, self.handler = region, handler
        first = self.fresh()
        self.builder.terminate(self.block, "jump", (), (Edge(first.id),))
        self.block = first
        ends: list[tuple[BlockBuilder, tuple[Value, ...]]] = []
        count = self.random.randrange(3)
        if self.random.random() < 0.3:
            for _ in range(self.random.randrange(1, 4)):
                self.operation()
            condition = self.condition()
            passed = [tuple([self.pick() for _ in range(count)]) for _ in range(2)]
            self.region, self.handler = outer, around
            here, self.scope = self.scope, scope
            ways = [self.fresh(), self.fresh()]
            self.scope = here
            self.builder.terminate(self.block, "branch", (condition,), (Edge(ways[0].id), Edge(ways[1].id)))
            ends.extend(zip(ways, passed))
        else:
            self.several(depth)
            ends.append((self.block, tuple([self.pick() for _ in range(count)])))
        self.region, self.handler = inside, around
        self.block, self.scope, self.conditions = handler, [*scope, *handler.params[1:]], list(conditions)
        self.lists = list(lists)
        self.several(0)
        ends.append((self.block, tuple([self.pick() for _ in range(count)])))
        self.region, self.scope, self.conditions, self.lists = outer, scope, conditions, lists
        self.join(ends, count)
