"""Random functions of the IR that decide much: `and` and `or` of values, tests of counters, lists that grow.

    logical_program(7)     func f(t, a, b, s, xs): ... branch v8 -> b4 | b5(v7) ... for v9 in range(v3, v4): ...

The conditions are trees of `and`, `or` and `not` with blocks for their parts, as the front end makes them, so that one
value is tested by several joins in turn.  Loops go over ranges whose items are compared with constants; lists get items
by their method `append`.  There are no handlers, so that `take_shortcuts` has something to do.

Invariant: a function depends on the random source alone, and is verified.
"""

from __future__ import annotations

import random
from typing import Final

from futamura.ir.graph import Edge, Program, Value
from tests.optimize.programs import Writer

__all__ = ["logical_program"]

_COMPARE: Final = ("lt", "le", "gt", "ge", "eq", "ne")


def logical_program(seed: int, size: int = 60) -> Program:
    """A program of one function of `t, a, b, s, xs`."""
    return Program("f", (_Logical(random.Random(seed), size).write(),))


class _Logical(Writer):
    """Writes one function from top to bottom."""

    def __init__(self, number: random.Random, size: int) -> None:
        super().__init__(number, size)
        self.counters: list[Value] = []
        """The items of the ranges that are iterated where this stands."""
        self.methods: list[Value] = []
        """Methods `append` of lists, in scope everywhere."""

    # ---------------------------------------------------------------- conditions

    def condition(self) -> Value:
        if self.counters and self.random.random() < 0.6:
            made = self.counted()
        elif self.random.random() < 0.6:
            made = self.logical(self.random.randrange(1, 4))
        else:
            return super().condition()
        if self.random.random() < 0.2:
            return self.emit("not", (made,))
        return self.emit("truth", (made,))

    def counted(self) -> Value:
        """A counter, compared with a constant or as it is."""
        counter = self.random.choice(self.counters)
        if self.random.random() < 0.2:
            return counter
        pair = [counter, self.constant(self.random.randrange(-2, 5))]
        if self.random.random() < 0.3:
            pair.reverse()
        return self.emit(self.random.choice(_COMPARE), tuple(pair))

    def logical(self, depth: int) -> Value:
        """The value of `x and y` or `x or y`, whose parts may be such, too."""
        if depth == 0:
            return self.part()
        left = self.logical(depth - 1 if self.random.random() < 0.6 else 0)
        test = self.emit("truth", (left,))
        other, join = self.fresh(), self.fresh()
        (made,) = self.builder.params(join, "p")
        ways = [Edge(other.id), Edge(join.id, (left,))]
        if self.random.random() < 0.5:
            ways.reverse()
        self.builder.terminate(self.block, "branch", (test,), tuple(ways))
        scope = list(self.scope)
        self.block = other
        if self.random.random() < 0.3:
            self.operation()
        right = self.logical(depth - 1 if self.random.random() < 0.4 else 0)
        self.builder.terminate(self.block, "jump", (), (Edge(join.id, (right,)),))
        self.block, self.scope = join, [*scope, made]
        return made

    def part(self) -> Value:
        """A comparison, a test, or anything."""
        row = self.random.randrange(8)
        if row < 4:
            name = self.random.choice(_COMPARE[4:] if row else _COMPARE)
            return self.emit(name, (self.pick("int"), self.pick("int")))
        if row == 4:
            return self.emit("is", (self.pick(), self.constant(None)))
        if row == 5:
            return self.emit("not", (self.pick(),))
        return self.emit("call", (self.t, self.pick())) if row == 6 else self.pick()

    # ---------------------------------------------------------------- statements

    def protected(self, depth: int) -> None:
        self.diamond(depth)

    def loop(self, depth: int) -> None:
        """`for i in range(...)` with a value that goes around, at times left in the middle of a round."""
        bounds = [self.constant(self.random.randrange(-2, 3)), self.constant(self.random.randrange(2, 8))]
        if self.random.random() < 0.2:
            bounds.append(self.constant(self.random.choice((1, 2, -1))))
        made = self.emit("call", (self.known("range"), *bounds))
        iterator = self.emit("iter", (made,))
        header = self.fresh()
        self.builder.terminate(self.block, "jump", (), (Edge(header.id, (self.pick("int"),)),))
        (carried,) = self.builder.params(header, "q")
        body, after = self.fresh(), self.fresh()
        (counter,) = self.builder.params(body, "i")
        self.builder.terminate(header, "next", (iterator,), (Edge(body.id), Edge(after.id, (carried,))))
        scope, conditions, lists = list(self.scope), list(self.conditions), list(self.lists)
        self.kinds[counter] = "int"
        self.scope.extend((carried, counter))
        self.counters.append(counter)
        self.block = body
        if self.random.random() < 0.3:
            self.several(depth)
        for _ in range(self.random.randrange(5)):
            self.when(self.counted())
        if self.random.random() < 0.3:
            condition = self.condition()
            on = self.fresh()
            ways = (Edge(on.id), Edge(self.random.choice((header, after)).id, (self.pick("int"),)))
            self.builder.terminate(self.block, "branch", (condition,), ways)
            self.block = on
        self.builder.terminate(self.block, "jump", (), (Edge(header.id, (self.pick("int"),)),))
        self.counters.pop()
        self.block, self.scope, self.conditions, self.lists = after, scope, conditions, lists
        (left,) = self.builder.params(after, "r")
        self.scope.append(left)

    def when(self, test: Value) -> None:
        """Something that is noticed, if the test holds or else."""
        then, on = self.fresh(), self.fresh()
        ways = [Edge(then.id), Edge(on.id)]
        if self.random.random() < 0.3:
            ways.reverse()
        self.builder.terminate(self.block, "branch", (self.emit("truth", (test,)),), tuple(ways))
        self.block = then
        self.emit("call", (self.t, self.pick("int")))
        self.builder.terminate(then, "jump", (), (Edge(on.id),))
        self.block = on

    def of_list(self) -> None:
        """Something with a list; at times an item by its method, or a loop over it."""
        row = self.random.randrange(6)
        chosen = self.random.choice(self.lists)
        if row < 2:
            method = self.emit("getattr", (chosen,), "append")
            if self.random.random() < 0.1:
                self.emit("call", (self.t, method))
            for _ in range(self.random.randrange(1, 3)):
                self.emit("call", (method, self.pick("int" if self.random.random() < 0.8 else "")))
        elif row == 2:
            self.items(chosen)
        elif row == 3:
            pair = self.emit("tuple", (self.pick(), self.pick()))
            if self.random.random() < 0.5:
                self.emit("call", (self.t, pair))
            self.scope.append(self.made(self.emit("call", (self.known("len"), pair)), "int"))
        else:
            super().of_list()

    def items(self, chosen: Value) -> None:
        """Add up the items of a list, which may grow meanwhile."""
        iterator = self.emit("iter", (chosen,))
        header, body, after = self.fresh(), self.fresh(), self.fresh()
        self.builder.terminate(self.block, "jump", (), (Edge(header.id, (self.constant(0), self.constant(0))),))
        total, rounds = self.builder.params(header, "n", "k")
        self.builder.terminate(header, "next", (iterator,), (Edge(body.id), Edge(after.id)))
        (item,) = self.builder.params(body, "item")
        self.block = body
        scope = list(self.scope)
        self.scope.extend((item, total))
        if self.random.random() < 0.4:
            self.operation()
        if self.random.random() < 0.3:
            self.emit("call", (self.emit("getattr", (chosen,), "append"), self.pick("int")))
        step = self.emit("add", (item, self.constant(0)))
        total = self.emit("add", (step, self.emit("mul", (self.constant(1), item))))
        again = self.emit("add", (rounds, self.constant(1)))
        more = self.emit("truth", (self.emit("lt", (again, self.constant(6))),))
        ways = (Edge(header.id, (total, again)), Edge(after.id))
        self.builder.terminate(self.block, "branch", (more,), ways)
        self.block, self.scope = after, [*scope, *self.builder.params(after)]
