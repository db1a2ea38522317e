"""How many source lines a second go to the IR and come back, and how that grows with the size of a function.

    $ python -m bench.throughput --sizes 1000,5000,20000
    lines     lower/s     both/s
     1000       12000       6100

The subjects are synthetic functions of ordinary statements: assignments, calls, nested conditions and loops, try.
Invariant: each subject is compiled and runs before it is measured, so that what is measured is real code.
"""

from __future__ import annotations

import gc
import json
import linecache
import math
import random
import sys
import time
import types
from pathlib import Path

import click

from futamura.driver import roundtrip, roundtrip_source
from futamura.frontend.python import lower

BLOCKS = (
    [
        "if {a} > {n}:",
        "    {b} = {a} - {n}",
        "    {c} = {b} * 2",
        "elif {a} == {m}:",
        "    {c} += 1",
        "else:",
        "    {b} = {c}",
    ],
    [
        "for i in range({n} % 7):",
        "    {a} += i * {b}",
        "    if {a} > 1000:",
        "        {a} = {a} % 977",
        "        continue",
        "    {c} ^= i",
    ],
    ["{a} = ({b} + {c} * {n}) % 1009", "{b} = {a} & 255 or {m}", "{c} = abs({a} - {b})"],
    ["while {a} > {n} and {b} < {m}:", "    {a} //= 2", "    {b} += 1"],
    ["try:", "    {a} = {n} // ({b} % 3)", "except ZeroDivisionError:", "    {a} = {m}"],
    ["items.append(({a}, {b}))", "{c} = len(items) % {n}", "if len(items) > 50:", "    items.clear()"],
    ["{a}, {b} = {b}, {a}", "{c} = -{a} if {b} % 2 else {m}"],
)


def synthetic(lines: int, seed: int) -> str:
    """A function of about `lines` lines."""
    choose = random.Random(seed)
    names = [f"v{k}" for k in range(12)]
    text = ["def subject(items):", *(f"    {name} = {k + 1}" for k, name in enumerate(names))]
    while len(text) < lines - 1:
        a, b, c = choose.sample(names, 3)
        fields = {"a": a, "b": b, "c": c, "n": choose.randrange(2, 100), "m": choose.randrange(2, 100)}
        text += ["    " + line.format(**fields) for line in choose.choice(BLOCKS)]
    text.append("    return " + ", ".join(names))
    return "\n".join(text) + "\n"


def subject(lines: int, seed: int) -> tuple[types.FunctionType, int]:
    source = synthetic(lines, seed)
    file = f"<synthetic {lines} {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, object] = {"__name__": "synthetic"}
    exec(compile(source, file, "exec", dont_inherit=True), space)
    function = space["subject"]
    assert isinstance(function, types.FunctionType)
    return function, source.count("\n")


def once(lines: int, seed: int) -> tuple[int, float, float]:
    """(lines, seconds for lowering, seconds for the whole way)."""
    function, count = subject(lines, seed)
    start = time.process_time()
    lower(function)
    lowered = time.process_time() - start
    function, count = subject(lines, seed + 1000)
    start = time.process_time()
    roundtrip_source(function)
    return count, lowered, time.process_time() - start


def check(lines: int) -> None:
    function, _ = subject(lines, 7)
    if roundtrip(function)([]) != function([]):
        raise SystemExit(f"the round trip of the synthetic function of {lines} lines gives another result")


@click.command()
@click.option("--sizes", default="100,1000,5000,20000", help="Lines of the synthetic functions.")
@click.option("--repeat", default=3, help="Repetitions of each size; the best counts.")
@click.option("--json", "raw", type=click.Path(path_type=Path), help="Write the raw figures here.")
def main(sizes: str, repeat: int, raw: Path | None) -> None:
    """Measure lowering, and lowering and emitting together."""
    sizes_given = [int(size) for size in sizes.split(",")]
    for warm in range(5):
        once(300, 100 + warm)
    check(min(sizes_given))
    gc.collect()
    rows = []
    click.echo(f"{'lines':>7} {'lower, lines/s':>15} {'both, lines/s':>15}")
    for size in sizes_given:
        runs = [once(size, 10 * size + turn) for turn in range(repeat)]
        count = runs[0][0]
        lowered = min(seconds / lines for lines, seconds, _ in runs)
        both = min(seconds / lines for lines, _, seconds in runs)
        rows.append({"lines": count, "lower": lowered * count, "both": both * count, "runs": runs})
        click.echo(f"{count:>7} {1 / lowered:>15,.0f} {1 / both:>15,.0f}")
    if len(sizes_given) > 1:
        first, last = runs_of(rows[0]), runs_of(rows[-1])
        exponent = math.log(last[1] / first[1]) / math.log(last[0] / first[0])
        click.echo(f"\nseconds grow with lines to the power of {exponent:.2f} on Python {sys.version.split()[0]}")
    if raw is not None:
        raw.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def runs_of(row: dict[str, object]) -> tuple[float, float]:
    lines, both = row["lines"], row["both"]
    assert isinstance(lines, int) and isinstance(both, float)
    return float(lines), both


if __name__ == "__main__":
    main()
