"""What may be done with an operation, by definition: it is done, and nobody may see a difference.

    may_move_up_past(b, a) says yes      ->    a; b and b; a give the same, exceptions too, for all inputs tried

Random pairs of operations on the same operands, cells, globals, attributes and lists are executed in both orders, once
and twice, and not at all; the effects are those that the inference finds.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from futamura.ir.constant import Constant
from futamura.ir.facts import Fact
from futamura.ir.graph import Operation, Program
from futamura.optimize import effects
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.shapes import Shape
from tests.optimize.programs import KNOWN, Writer
from tools.fuzz_passes import computed

GIVEN = (Shape(), Shape("int"), Shape("int"), Shape("str"), Shape("list"))
Chosen = tuple[Operation, ...]


class _Pair(Writer):
    """A function with some operations on the same operands; what they make and what is left is returned."""

    def __init__(self, number: random.Random) -> None:
        super().__init__(number, 10)

    def start(self) -> None:
        (entry,) = [self.block]
        self.t, *self.scope = self.builder.params(entry, "t", "a", "b", "s", "xs")
        self.xs = self.scope[-1]
        self.kinds.update(zip(self.scope, ("int", "int", "str", "list")))
        self.cells = [self.emit("cell", (self.pick(),), "c"), self.emit("cell", (self.pick(),), "d")]
        self.own = self.emit("mul", (self.emit("list", (self.constant(0),)), self.constant(4)))
        self.lists = [self.own, self.emit("list", (self.scope[0], self.scope[1]))]

    def one(self) -> Operation:
        """A random operation of which all operands are there; constants that it needs stand before."""
        before, values = len(self.block.ops), len(self.builder.hints)
        scope, lists = list(self.scope), list(self.lists)
        while True:
            self.random.choice((self.operation, self.operation, self.of_list, self.attribute))()
            self.scope, self.lists = list(scope), list(lists)
            made = self.block.ops[before:]
            last = [op for op in made if op.name not in ("const", "global_get") or op is made[-1]]
            if len(last) == 1:
                return last[0]
            del self.block.ops[before:], self.builder.hints[values:], self.builder.types[values:]


def arranged(seed: int, order: Callable[[Operation, Operation], Chosen], *, second: bool = True) -> Program:
    """The program that executes two operations as `order` says, and shows what they make and what is left.

    Without `second`, what the second one makes is not shown.
    """
    writer = _Pair(random.Random(seed))
    writer.start()
    start = len(writer.block.ops)
    one, other = writer.one(), writer.one()
    constants = [op for op in writer.block.ops[start:] if op is not one and op is not other]
    writer.block.ops[start:] = constants
    done: list[Operation] = []
    for op in order(one, other):
        again = tuple([writer.builder.value() for _ in op.results]) if op in done else op.results
        writer.builder.append(writer.block, op.name, op.args, op.attr, again)
        done.append(op)
    for op in (one, other):
        if op not in done:
            for result in op.results:  # it is not shown
                writer.builder.append(writer.block, "const", (), Constant(None), (result,))
    shown = [*writer.lists, *one.results, *(other.results if second else ())]
    state = [writer.emit("call", (writer.t, value)) for value in shown]
    for name, cell in zip("cd", writer.cells):
        state.append(writer.emit("call", (writer.t, writer.emit("cell_get", (cell,), (name, "local")))))
    writer.builder.terminate(writer.block, "return", (state[0],))
    return Program("f", (writer.builder.finish(),))


def in_order(one: Operation, other: Operation) -> Chosen:
    return one, other


def facts_of(seed: int) -> tuple[Fact, Fact]:
    """What the inference finds out about the two operations, one behind the other."""
    chosen: list[Operation] = []

    def noted(one: Operation, other: Operation) -> Chosen:
        chosen.extend((one, other))
        return one, other

    graph = FlowGraph(arranged(seed, noted).main)
    inference = Inference(graph, dict(zip(graph.node(0).params, GIVEN)), KNOWN)
    first, second = [
        next(op for op in graph.node(0).ops if (op.name, op.args, op.attr) == (one.name, one.args, one.attr))
        for one in chosen
    ]
    return inference.fact(first), inference.fact(second)


def difference(seed: int, order: Callable[[Operation, Operation], Chosen], *, second: bool = True) -> str:
    """ "" if nobody sees whether the operations are executed in this way or one after the other."""
    plain, changed = arranged(seed, in_order, second=second), arranged(seed, order, second=second)
    for at in range(4):
        expected, found = computed(plain, seed * 10 + at), computed(changed, seed * 10 + at)
        if expected != found:
            return f"{expected}\n{found}"
    return ""


def swapped(one: Operation, other: Operation) -> Chosen:
    return other, one


def test_what_may_move_up_past() -> None:
    said = {True: 0, False: 0}
    seen = 0
    for seed in range(500):
        one, other = facts_of(seed)
        verdict = effects.may_move_up_past(other, one)
        said[verdict] += 1
        differs = difference(seed, swapped)
        assert not (verdict and differs), (seed, differs)
        seen += differs != ""
    assert min(said.values()) > 50 and seen > 20, (said, seen)


def test_what_may_be_removed() -> None:
    said = {True: 0, False: 0}
    seen = 0
    for seed in range(400):
        verdict = effects.may_be_removed(facts_of(seed)[1])
        said[verdict] += 1
        differs = difference(seed, lambda one, other: (one,), second=False)
        assert not (verdict and differs), (seed, differs)
        seen += differs != ""
    assert min(said.values()) > 40 and seen > 20, (said, seen)


def test_what_may_be_shared() -> None:
    """Executed twice instead of once, nobody sees it, but by what it raises."""
    said = {True: 0, False: 0}
    for seed in range(400):
        verdict = effects.may_be_shared(facts_of(seed)[1].effects)
        said[verdict] += 1
        if verdict:
            differs = difference(seed, lambda one, other: (one, other, other))
            assert differs == "", (seed, differs)
    assert min(said.values()) > 40, said


@pytest.mark.interpreted
@pytest.mark.parametrize("fault", ["clobbers", "acts"])
def test_a_wrong_answer_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effects, fault, lambda *given: False)

    def is_wrong(seed: int) -> bool:
        one, other = facts_of(seed)
        moved = effects.may_move_up_past(other, one) and difference(seed, swapped) != ""
        return moved or (
            effects.may_be_removed(other) and difference(seed, lambda one, other: (one,), second=False) != ""
        )

    assert any(is_wrong(seed) for seed in range(500))
