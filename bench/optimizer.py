"""How long the optimizer takes, pass by pass, and how that grows with the size of a function.

    $ python -m bench.optimizer --sizes 1000,10000,100000
    shape        operations    ms    ms/1000 operations    exponent   most in
    straight         100012  1630                  16.3        1.01   cse 31%
    ...

The shapes are what a residual may look like: a straight line of arithmetic, memory and calls; conditions one after
the other whose values meet; loops in loops; private lists; protected statements; a switch with many cases in a loop; a
chain of conditions in conditions; constants that decide what follows.  The exponent is the slope of the logarithm of
the time between the smallest and the largest size: 1.0 is linear.

Invariant: the subjects are verified functions; each size of a shape is the same code, longer.
"""

from __future__ import annotations

import gc
import json
import math
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Program, Signature, Value
from futamura.optimize.pipeline import PIPELINE, Report, optimize
from futamura.optimize.shapes import Shape

GIVEN: Final = {"a": Shape("int"), "b": Shape("int"), "n": Shape("int", 0, 1000)}
KNOWN: Final[dict[tuple[str, str], object]] = {("m", "len"): len, ("m", "range"): range, ("m", "abs"): abs}


class Writer:
    """A function of `f, a, b, n, x` under construction."""

    def __init__(self, seed: int = 1) -> None:
        self.random: Final = random.Random(seed)
        self.builder: Final = FunctionBuilder("subject", Signature(regular=("f", "a", "b", "n", "x")), module="m")
        self.block = self.builder.block()
        self.f, self.a, self.b, self.n, self.x = self.builder.params(self.block, "f", "a", "b", "n", "x")
        self.count = 0

    def emit(self, name: str, *args: Value, attr: object = None) -> Value:
        self.count += 1
        return self.builder.emit(self.block, name, args, attr)

    def do(self, name: str, *args: Value, attr: object = None) -> None:
        self.count += 1
        self.builder.append(self.block, name, args, attr)

    def constant(self, value: object) -> Value:
        return self.emit("const", attr=Constant(value))

    def known(self, name: str) -> Value:
        return self.emit("global_get", attr=("m", name))

    def fresh(self, *hints: str, region: int | None = None) -> tuple[BlockBuilder, tuple[Value, ...]]:
        block = self.builder.block(self.block.region if region is None else region)
        return block, self.builder.params(block, *hints)

    def jump(self, block: BlockBuilder, *passed: Value) -> None:
        self.builder.terminate(self.block, "jump", (), (Edge(block.id, passed),))

    def branch(self, condition: Value, then: BlockBuilder, otherwise: BlockBuilder) -> None:
        self.builder.terminate(self.block, "branch", (condition,), (Edge(then.id), Edge(otherwise.id)))

    def test(self, value: Value, bound: int) -> Value:
        return self.emit("truth", self.emit("lt", value, self.constant(bound)))

    def end(self, *values: Value) -> Program:
        made = self.emit("tuple", *values)
        self.builder.terminate(self.block, "return", (made,))
        return Program("subject", (self.builder.finish(),))


def straight(size: int) -> Program:
    """Arithmetic, attributes, globals, cells and calls, one after the other."""
    w = Writer()
    cell = w.emit("cell", w.a, attr="c")
    values = [w.a, w.b, w.n]
    while w.count < size:
        one, other = w.random.choice(values[-8:]), w.random.choice(values[-8:])
        values.append(w.emit(w.random.choice(("add", "sub", "and", "mul")), one, other))
        values[-1] = w.emit("and", values[-1], w.constant(255))
        match w.random.randrange(6):
            case 0:
                w.emit("call", w.f, w.emit("getattr", w.x, attr="y"))
            case 1:
                w.do("cell_set", values[-1], cell, attr="c")
            case 2:
                w.emit("call", w.f, w.emit("cell_get", cell, attr=("c", "local")))
            case 3:
                w.do("setattr", values[-1], w.x, attr="y")
            case 4:
                w.emit("call", w.f, w.emit("global_get", attr=("m", f"g{w.random.randrange(20)}")))
    return w.end(*values[-3:])


def joins(size: int) -> Program:
    """Conditions one after the other; what both ways computed meets."""
    w = Writer()
    one, other = w.a, w.b
    while w.count < size:
        condition = w.test(w.random.choice((one, other, w.n)), w.random.randrange(50))
        (then, _), (els, _), (after, (next_one, next_other)) = w.fresh(), w.fresh(), w.fresh("p", "q")
        w.branch(condition, then, els)
        w.block = then
        w.jump(after, w.emit("add", one, w.constant(3)), other)
        w.block = els
        w.jump(after, one, w.emit("sub", w.emit("add", other, w.constant(2)), w.constant(1)))
        w.block, one, other = after, next_one, next_other
        w.emit("call", w.f, one)
    return w.end(one, other)


def nests(size: int) -> Program:
    """Loops in loops, as deep as Python takes them, again and again."""
    w = Writer()
    total = w.a
    while w.count < size:
        total = _nest(w, total, 19)
    return w.end(total)


def _nest(w: Writer, total: Value, depth: int) -> Value:
    """Loops, each in the one before, that count to `n` and add."""
    open_loops = []
    for _ in range(depth):
        zero = w.constant(0)
        head, (i, sum_) = w.fresh("i", "s")
        w.jump(head, zero, total)
        w.block = head
        condition = w.emit("truth", w.emit("lt", i, w.n))
        (body, _), (after, _) = w.fresh(), w.fresh()
        w.branch(condition, body, after)
        w.block = body
        w.emit("mul", w.a, w.b)
        total = w.emit("add", sum_, w.emit("and", i, w.constant(7)))
        w.emit("call", w.f, total)
        open_loops.append((head, i, sum_, after))
    for head, i, sum_, after in reversed(open_loops):
        w.jump(head, w.emit("add", i, w.constant(1)), total)
        w.block, total = after, sum_
    return total


def lists(size: int) -> Program:
    """Many lists that nobody else sees, loaded from and stored to at many places."""
    w = Writer()
    total = w.a
    mine: list[Value] = []
    while w.count < size:
        if len(mine) < 40 or w.random.random() < 0.02:
            mine.append(w.emit("mul", w.emit("list", w.constant(0)), w.constant(100)))
        place = w.constant(w.random.randrange(100)) if w.random.random() < 0.7 else w.emit("and", total, w.constant(63))
        chosen = w.random.choice(mine[-40:])
        if w.random.random() < 0.5:
            w.do("setitem", w.emit("add", total, w.constant(1)), chosen, place)
        else:
            total = w.emit("and", w.emit("getitem", chosen, place), w.constant(1023))
        if w.random.random() < 0.02:
            w.emit("call", w.f, total)
    return w.end(total)


def tape(size: int) -> Program:
    """One long list and a pointer that moves: what is left of a program for a machine with a tape."""
    w = Writer()
    list_ = w.emit("mul", w.emit("list", w.constant(0)), w.constant(30000))
    pointer = w.emit("and", w.n, w.constant(1023))
    while w.count < size:
        for _ in range(w.random.randrange(4)):
            pointer = w.emit("add", pointer, w.constant(1))
        value = w.emit("getitem", list_, pointer)
        w.do("setitem", w.emit("and", w.emit("add", value, w.constant(1)), w.constant(255)), list_, pointer)
        if w.random.random() < 0.2:
            condition = w.test(w.emit("getitem", list_, pointer), 7)
            (then, _), (after, _) = w.fresh(), w.fresh()
            w.branch(condition, then, after)
            w.block = then
            w.emit("call", w.f, w.emit("getitem", list_, pointer))
            w.jump(after)
            w.block = after
    return w.end(w.emit("getitem", list_, pointer))


def handlers(size: int) -> Program:
    """Protected statements one after the other, values of which their handlers use."""
    w = Writer()
    total = w.a
    while w.count < size:
        outer = w.block.region
        tried = w.builder.region("try", outer, flavor="except")
        caught = w.builder.region("except", outer, of=tried)
        handler, (_error, kept) = w.fresh("e", "k", region=caught)
        w.builder.set_handler(tried, handler.id)
        body, _ = w.fresh(region=tried)
        body.handler = Edge(handler.id, (total,))
        after, (joined,) = w.fresh("p")
        w.jump(body)
        w.block = body
        got = w.emit("call", w.f, w.emit("add", total, w.constant(1)))
        w.emit("call", w.f, w.emit("getattr", w.x, attr="y"))
        w.jump(after, w.emit("add", total, w.constant(2)))
        del got
        w.block = handler
        w.jump(after, w.emit("sub", kept, w.constant(3)))
        w.block, total = after, joined
    return w.end(total)


def switch(size: int) -> Program:
    """A loop around a switch with a case for every twenty operations."""
    w = Writer()
    head, (state, left) = w.fresh("state", "left")
    w.jump(head, w.a, w.b)
    w.block = head
    condition = w.test(left, 100)
    (body, _), (done, _) = w.fresh(), w.fresh()
    w.branch(condition, body, done)
    count = max(2, size // 20)
    cases = [w.fresh()[0] for _ in range(count + 1)]
    w.builder.terminate(
        body, "switch", (state,), tuple([Edge(case.id) for case in cases]), tuple([Constant(k) for k in range(count)])
    )
    for number, case in enumerate(cases):
        w.block = case
        value = left
        for step in range(6):
            value = w.emit("add", w.emit("and", value, w.constant(255)), w.constant(step))
        w.emit("call", w.f, value)
        w.jump(head, w.constant(number * 7 % count), w.emit("add", left, w.constant(1)))
    w.block = done
    return w.end(state)


def ladder(size: int) -> Program:
    """Conditions in conditions: each decides among what the ones above left open, all leave to one place."""
    w = Writer()
    out, (result,) = w.fresh("r")
    at = 0
    while w.count < size:
        condition = w.emit("truth", w.emit("eq", w.a, w.constant(at)))
        (then, _), (els, _) = w.fresh(), w.fresh()
        w.branch(condition, then, els)
        w.block = then
        w.jump(out, w.emit("call", w.f, w.emit("add", w.b, w.constant(at))))
        w.block = els
        at += 1
    w.jump(out, w.b)
    w.block = out
    return w.end(result)


def decided(size: int) -> Program:
    """Branches that constants decide, each with code behind it that is never reached."""
    w = Writer()
    value = w.constant(1)
    while w.count < size:
        condition = w.test(value, 1 << 20)
        (then, _), (els, _), (after, (joined,)) = w.fresh(), w.fresh(), w.fresh("v")
        w.branch(condition, then, els)
        w.block = then
        w.jump(after, w.emit("and", w.emit("add", value, w.constant(1)), w.constant(1023)))
        w.block = els
        w.jump(after, w.emit("call", w.f, value))
        w.block, value = after, joined
    return w.end(value)


SHAPES: Final[dict[str, Callable[[int], Program]]] = {
    "straight": straight, "joins": joins, "nests": nests, "lists": lists, "tape": tape,
    "handlers": handlers, "switch": switch, "ladder": ladder, "decided": decided,
}  # fmt: skip


def measured(shape: str, size: int, passes: tuple[str, ...], repeat: int) -> tuple[int, float, Report]:
    """Operations, seconds of the processor (the best of some runs), and what each pass took in the best run."""
    program = SHAPES[shape](size)
    count = sum(1 + len(block.ops) for block in program.main.blocks)
    best: tuple[float, Report] | None = None
    for _ in range(repeat):
        gc.collect()
        gc.disable()
        started = time.process_time()
        _, report = optimize(program, passes, known=KNOWN, given=GIVEN)
        seconds = time.process_time() - started
        gc.enable()
        if best is None or seconds < best[0]:
            best = seconds, report
    assert best is not None
    return count, *best


def exponent(smaller: tuple[int, float], larger: tuple[int, float]) -> float:
    """The slope of the logarithm of the time."""
    return math.log(larger[1] / smaller[1]) / math.log(larger[0] / smaller[0])


@click.command()
@click.option("--sizes", default="1000,10000,100000", show_default=True, help="Operations, about.")
@click.option("--only", default="", help="Shapes, separated by commas; default: all.")
@click.option("--passes", default="", help="These, separated by commas, in the place of the pipeline.")
@click.option("--repeat", default=3, show_default=True, help="Runs of each size up to 10,000; the best counts.")
@click.option("--at-most", default=0.0, help="Fail if an exponent is larger.")
@click.option("--json", "raw", type=click.Path(path_type=Path), help="Write the figures here.")
@click.option("--by-pass", is_flag=True, help="A line for each pass too, with its own exponent.")
def main(sizes: str, only: str, passes: str, repeat: int, at_most: float, raw: Path | None, by_pass: bool) -> None:
    """Measure the pipeline on functions of growing size."""
    wanted = tuple(passes.split(",")) if passes else PIPELINE
    sized = [int(size) for size in sizes.split(",")]
    figures: dict[str, object] = {}
    slopes: list[float] = []
    for _ in range(3):
        measured("joins", 300, wanted, 1)  # warm
    click.echo(f"{'shape':<10}" + "".join(f"{size:>12,}" for size in sized) + "  ms; exponent, most time in")
    for shape in only.split(",") if only else SHAPES:
        rows = [measured(shape, size, wanted, repeat if size <= 10_000 else 1) for size in sized]
        slope = exponent(rows[0][:2], rows[-1][:2])
        spent = rows[-1][2].seconds
        most = max(spent, key=spent.__getitem__)
        share = spent[most] / sum(spent.values())
        times = "".join(f"{seconds * 1e3:>12,.1f}" for _, seconds, _ in rows)
        click.echo(f"{shape:<10}{times}  {slope:.2f} {most} {share:.0%}")
        if by_pass:
            for name in spent:
                each = [(count, report.seconds[name]) for count, _, report in rows]
                text = "".join(f"{seconds * 1e3:>12,.1f}" for _, seconds in each)
                click.echo(f"  {name:<8}{text}  {exponent(each[0], each[-1]):.2f}")
        slopes.append(slope)
        figures[shape] = {"exponent": slope, "rows": [(count, seconds) for count, seconds, _ in rows]}
    if raw is not None:
        raw.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if at_most and max(slopes) > at_most:
        sys.exit(1)


if __name__ == "__main__":
    main()
