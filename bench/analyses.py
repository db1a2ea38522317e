"""How many blocks a second the analyses take, and how that grows with the size of a flow graph.

    $ python -m bench.analyses --sizes 1000,10000,50000
    blocks    liveness+dominators/s    control dependence/s    binding times/s    offline/s
     12451                   120000                  200000              40000         6000

The graphs are made of nested conditions, loops and straight lines over a fixed set of variables, in SSA form with a
parameter for each variable that a block changes.  The exponent is the slope of the logarithm of the time between the
smallest and the largest size: 1.0 is linear.
"""

from __future__ import annotations

import gc
import json
import math
import random
import time
from collections.abc import Callable
from pathlib import Path

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


def _live_and_dominators(function: Function) -> None:
    Liveness(function)
    dominators(ControlFlow(function))


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
    "liveness+dominators": _live_and_dominators, "control dependence": _dependence, "binding times": _binding_times,
    "offline": _offline,
}  # fmt: skip


def measure(function: Function, subject: Callable[[Function], None], runs: int) -> float:
    """The best of some runs, in seconds of processor time, with the collector off."""
    best = math.inf
    for _ in range(runs):
        gc.collect()
        gc.disable()
        try:
            start = time.process_time()
            subject(function)
            best = min(best, time.process_time() - start)
        finally:
            gc.enable()
    return best


@click.command()
@click.option("--sizes", default="1000,3000,10000", show_default=True)
@click.option("--runs", default=3, show_default=True)
@click.option("--output", type=click.Path(path_type=Path), default=None, help="Write the raw numbers as JSON.")
def main(sizes: str, runs: int, output: Path | None) -> None:
    rows = []
    click.echo("  ".join(["blocks".rjust(8), *(f"{name}/s".rjust(22) for name in SUBJECTS)]))
    for size in (int(text) for text in sizes.split(",")):
        function = synthetic(size, 1)
        count = len(function.blocks)
        row = {name: measure(function, subject, runs) for name, subject in SUBJECTS.items()}
        rows.append({"blocks": count, **row})
        click.echo("  ".join([f"{count:8}", *(f"{count / row[name]:22.0f}" for name in SUBJECTS)]))
    if len(rows) > 1:
        span = math.log(rows[-1]["blocks"] / rows[0]["blocks"])
        slopes = [math.log(rows[-1][name] / rows[0][name]) / span for name in SUBJECTS]
        click.echo("  ".join(["exponent".rjust(8), *(f"{slope:22.2f}" for slope in slopes)]))
    if output is not None:
        output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
