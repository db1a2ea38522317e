"""How many blocks a second the analyses take, and how that grows with the size of a flow graph.

    $ python -m bench.analyses --sizes 3000,10000,50000
    shape         blocks    yardstick/s    liveness+dominators/s    control dependence/s    binding times/s    offline/s
    structured     12451        1800000                   120000                  200000              40000         6000
    ...

`structured` is made of nested conditions, loops and straight lines over a fixed set of variables, in SSA form with a
parameter for each variable that a block changes.  The other shapes are hard ones for algorithms on graphs: a chain all
of whose blocks may leave for one join, two rails with rungs both ways (irreducible), edges to anywhere near, and a long
chain from whose end a tree spreads to blocks that are reached from the entry as well.

The exponent is the slope of the logarithm of the time between the smallest and the largest size: 1.0 is linear.  Each
time is that of as many functions as have the blocks of the largest one together, so that the processor's caches hold
as small a part of the programs at each size; the sizes take turns, and the least time of all rounds counts.
What an analysis itself works on still fits into the caches for small functions only.  The `yardstick` shows what that
makes of a pass that is linear by construction: it puts pairs into one list for each block, and reads them back.
`--lines` counts the executed lines of Python for a block instead, which neither caches nor load change.
"""

from __future__ import annotations

import gc
import itertools
import json
import math
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import click

from futamura.analysis.bindingtimes import analyse
from futamura.analysis.cfg import ControlFlow
from futamura.analysis.controldependence import ControlDependence
from futamura.analysis.dominators import dominators
from futamura.analysis.early import early_rule
from futamura.analysis.liveness import Liveness
from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.graph import Edge, Function, Program, Signature, Value
from futamura.specializer.offline.offline import OfflineOptions, specialize_offline

NAMES = tuple("abcdef")


def synthetic(blocks: int, seed: int) -> Function:
    """A structured graph of about `blocks` blocks; each block takes all variables and passes them on."""
    choose = random.Random(seed)
    b = FunctionBuilder("subject", Signature(regular=NAMES))
    entry = b.block()
    values = list(b.params(entry, *NAMES))
    end = _body(b, choose, entry, values, blocks)
    b.terminate(end, "return", (values[0],))
    return b.finish(check=False)


def _body(
    b: FunctionBuilder, choose: random.Random, at: BlockBuilder, values: list[Value], blocks: int
) -> BlockBuilder:
    """Blocks from `at` on; returns the last one, with the variables' values there in `values`."""
    budget = blocks
    while budget > 0:
        size = min(budget, choose.choice((1, 4, 4, 16, 64)))
        budget -= max(size, 3)
        x, y, z = choose.sample(range(len(NAMES)), 3)
        values[x] = b.emit(at, choose.choice(("add", "sub")), (values[y], values[z]), hint=NAMES[x])
        condition = b.emit(at, "truth", (b.emit(at, "lt", (values[x], values[z])),))
        head, body, after = b.block(), b.block(), b.block()
        inside = list(values)
        if choose.random() < 0.3:  # a loop
            b.terminate(at, "jump", (), (Edge(head.id, tuple(values)),))
            inside = list(b.params(head, *NAMES))
            test = b.emit(head, "truth", (b.emit(head, "gt", (inside[x], inside[y])),))
            out = Edge(after.id, tuple(inside))
            b.terminate(head, "branch", (test,), (Edge(body.id), out))
            last = _body(b, choose, body, inside, size - 3)
            b.terminate(last, "jump", (), (Edge(head.id, tuple(inside)),))
        else:
            b.terminate(at, "branch", (condition,), (Edge(head.id), Edge(body.id)))
            b.terminate(body, "jump", (), (Edge(after.id, tuple(values)),))
            last = _body(b, choose, head, inside, size - 3)
            b.terminate(last, "jump", (), (Edge(after.id, tuple(inside)),))
        values[:] = b.params(after, *NAMES)
        at = after
    return at


def join(size: int) -> list[list[int]]:
    """A chain; each block may leave for the last one."""
    return [*([node + 1, size - 1] for node in range(size - 2)), [size - 1], []]


def ladder(size: int) -> list[list[int]]:
    """Two rails, rungs in both directions, and an entry to both."""
    rails = [[min(node + 2, size - 1), node + 1 if node % 2 else node - 1] for node in range(1, size - 2)]
    return [[1, 2], *rails, [size - 1], []]


def scattered(size: int) -> list[list[int]]:
    """To the next block, or to one that lies near."""
    r = random.Random(size)
    near = [[node + 1, min(size - 1, max(1, node + r.randint(-3, 6)))] for node in range(size - 1)]
    return [*near, []]


def fan(size: int) -> list[list[int]]:
    """Half of the blocks are a chain; the others are leaves under a tree at its end and under one at its beginning."""
    long = size // 2
    graph = [[node + 1] for node in range(long)]
    leaves = list(range(long, long + size // 6))
    graph[-1] = []
    graph += [[] for _ in leaves]
    for root in (long - 1, 0):
        layer = leaves
        while len(layer) > 2:
            above = []
            for at in range(0, len(layer), 2):
                above.append(len(graph))
                graph.append(layer[at : at + 2])
            layer = above
        graph[root] = [*graph[root], *layer]
    return graph


def plain(successors: list[list[int]]) -> Function:
    """A function with this graph: a block decides on an input, reads two, and keeps one sum."""
    b = FunctionBuilder("subject", Signature(regular=NAMES))
    blocks = [b.block() for _ in successors]
    inputs = b.params(blocks[0], *NAMES)
    for number, (block, targets) in enumerate(zip(blocks, successors)):
        x, y = inputs[number % len(inputs)], inputs[number * 5 % len(inputs)]
        total = b.emit(block, "add", (x, y))
        edges = [Edge(target) for target in targets]
        if not edges:
            b.terminate(block, "return", (total,))
        elif len(edges) == 1:
            b.terminate(block, "jump", (), (edges[0],))
        else:
            for edge in edges[:-2]:  # more than two ways: a chain of decisions
                test, rest = b.emit(block, "truth", (x,)), b.block()
                b.terminate(block, "branch", (test,), (edge, Edge(rest.id)))
                block = rest
            test = b.emit(block, "truth", (x,))
            b.terminate(block, "branch", (test,), (edges[-2], edges[-1]))
    return b.finish(check=False)


SHAPES: dict[str, Callable[[int], Function]] = {
    "structured": lambda size: synthetic(size, 1),
    "join": lambda size: plain(join(size)),
    "ladder": lambda size: plain(ladder(size)),
    "scattered": lambda size: plain(scattered(size)),
    "fan": lambda size: plain(fan(size)),
}  # fmt: skip


def _yardstick(function: Function) -> None:
    """As many lists as there are blocks, three pairs in each, and one walk over them in another order."""
    size = len(function.blocks)
    lists: list[list[tuple[int, int]]] = [[] for _ in range(size)]
    for place in range(3):
        for number in range(size):
            lists[number].append((number, place))
    assert sum([len(lists[size - number]) for number in range(1, size + 1)]) == 3 * size


def _live_and_dominators(function: Function) -> None:
    flow = ControlFlow(function)
    assert len(flow.order) == len(function.blocks)
    Liveness(function, flow.predecessors)
    dominators(flow)


def _dependence(function: Function) -> None:
    ControlDependence(ControlFlow(function))


def _binding_times(function: Function) -> None:
    static = [index % 2 == 0 for index in range(len(NAMES))]
    analyse(Program("subject", (function,)), static, early_rule(lambda found: False))


def _offline(function: Function) -> None:
    """Half of the inputs static, every block a point."""
    static = {name: index for index, name in enumerate(NAMES) if index % 2 == 0}
    options = OfflineOptions(follow=False, budget=20 * len(function.blocks))
    assert specialize_offline(Program("subject", (function,)), static, options).program is not None


SUBJECTS: dict[str, Callable[[Function], None]] = {
    "yardstick": _yardstick, "liveness+dominators": _live_and_dominators, "control dependence": _dependence,
    "binding times": _binding_times, "offline": _offline,
}  # fmt: skip


def measure(functions: list[Function], subject: Callable[[Function], None]) -> float:
    """Seconds of processor time for a block, with the collector off."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        for function in functions:
            subject(function)
        return (time.process_time() - start) / sum([len(function.blocks) for function in functions])
    finally:
        gc.enable()


def grown(few: list[float], many: list[float], ratio: float) -> float:
    """The exponent, from the least time for a block over the rounds, in which the sizes took turns."""
    return 1 + math.log(min(many) / min(few)) / math.log(ratio)


def lines_executed(function: Function, subject: Callable[[Function], None]) -> int:
    """How many lines of Python a run takes: the same on every machine, whatever its caches and its load."""
    count = 0

    def step(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        subject(function)
    finally:
        sys.settrace(before)
    return count


@click.command()
@click.option("--sizes", default="3000,10000", show_default=True)
@click.option("--shape", "shapes", multiple=True, type=click.Choice(sorted(SHAPES)), help="Only these.")
@click.option("--runs", default=8, show_default=True)
@click.option("--lines", is_flag=True, help="Count executed lines of Python instead of seconds.")
@click.option("--output", type=click.Path(path_type=Path), default=None, help="Write the raw numbers as JSON.")
def main(sizes: str, shapes: tuple[str, ...], runs: int, lines: bool, output: Path | None) -> None:
    """Print blocks a second and the exponents of growth."""
    rows = []
    unit = ", lines" if lines else "/s"
    wanted = sorted({int(text) for text in sizes.split(",")})
    click.echo("  ".join(["shape".ljust(10), "blocks".rjust(8), *(f"{name}{unit}".rjust(22) for name in SUBJECTS)]))
    for shape in shapes or tuple(SHAPES):
        groups = [[SHAPES[shape](size) for _ in range(wanted[-1] // size)] for size in wanted]
        counts = [len(group[0].blocks) for group in groups]
        taken: dict[str, list[list[float]]] = {name: [[] for _ in wanted] for name in SUBJECTS}
        for _, (name, subject) in itertools.product(range(runs), SUBJECTS.items()):
            for group, times in zip(groups, taken[name]):
                one = group[0]
                times.append(lines_executed(one, subject) / len(one.blocks) if lines else measure(group, subject))
        for index, count in enumerate(counts):
            row = {name: min(times[index]) for name, times in taken.items()}
            rows.append({"shape": shape, "blocks": count, **{name: one * count for name, one in row.items()}})
            cells = [f"{row[name] if lines else 1 / row[name]:22.1f}" for name in SUBJECTS]
            click.echo("  ".join([f"{shape:10}", f"{count:8}", *cells]))
        if len(wanted) > 1:
            ratio = counts[-1] / counts[0]
            slopes = [grown(times[0], times[-1], ratio) for times in taken.values()]
            click.echo("  ".join([" " * 10, "exponent", *(f"{slope:22.2f}" for slope in slopes)]))
    if output is not None:
        output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
