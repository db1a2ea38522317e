"""The speed of round-tripped functions against the originals, interleaved in one process.

    $ python -m bench.roundtrip_speed --repeat 40
    sieve        1.912 ms   1.920 ms   0.996

The module of subject programs is loaded twice; in the second copy every function and method is replaced by its round
trip.  Each repetition times both sides once, in alternating order; a side's time is the minimum over all repetitions.
A ratio above 1 means that the round trip is faster.  Invariant: both sides gave equal results before anything is timed.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import math
import platform
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from futamura.driver import roundtrip
from tools.standard_modules import members

SUBJECTS = Path(__file__).resolve().parent / "loops.py"


def load(name: str) -> Any:
    """A fresh copy of the subject programs."""
    spec = importlib.util.spec_from_file_location(name, SUBJECTS)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def replaced(name: str) -> Any:
    """A copy in which every function is its round trip, also in the table of benchmarks."""
    module = load(name)
    old: dict[str, types.FunctionType] = {}
    for member in members(module):
        member.replace(roundtrip(member.function))
        old[member.path] = member.function
    module.BENCHMARKS = {
        key: (getattr(module, function.__name__), arguments) for key, (function, arguments) in module.BENCHMARKS.items()
    }
    for key, (function, _) in module.BENCHMARKS.items():
        if function is old[function.__name__] or function.__code__ is old[function.__name__].__code__:
            raise AssertionError(f"{key} was not replaced")
    return module


def seconds(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def race(
    a: Callable[..., Any], b: Callable[..., Any], arguments: tuple[Any, ...], repeat: int
) -> tuple[list[float], list[float]]:
    """Raw times of both, in turns; who goes first alternates."""
    ours: list[float] = []
    theirs: list[float] = []
    for turn in range(repeat):
        if turn % 2:
            theirs.append(seconds(b, arguments))
            ours.append(seconds(a, arguments))
        else:
            ours.append(seconds(a, arguments))
            theirs.append(seconds(b, arguments))
    return ours, theirs


def measure(only: list[str], repeat: int) -> dict[str, dict[str, Any]]:
    original, changed = load("subjects_original"), replaced("subjects_changed")
    figures: dict[str, dict[str, Any]] = {}
    for name in only or list(original.BENCHMARKS):
        before, arguments = original.BENCHMARKS[name]
        after, _ = changed.BENCHMARKS[name]
        expected, result = before(*arguments), after(*arguments)
        if repr(expected) != repr(result):
            raise SystemExit(f"{name}: the round trip gives another result")
        for _ in range(3):  # warm-up: CPython specializes its instructions after a few calls
            before(*arguments), after(*arguments)
        old, new = race(before, after, arguments, repeat)
        figures[name] = {"original": old, "round trip": new, "ratio": min(old) / min(new)}
    return figures


@click.command()
@click.option("--repeat", default=40, help="Repetitions of each loop.")
@click.option("--only", default="", help="Loops, separated by commas; default: all.")
@click.option("--json", "raw", type=click.Path(path_type=Path), help="Write all raw times here.")
def main(repeat: int, only: str, raw: Path | None) -> None:
    """Race round trips against their originals."""
    gc.disable()
    figures = measure([name for name in only.split(",") if name], repeat)
    click.echo(f"{'loop':<18} {'original':>12} {'round trip':>12} {'ratio':>7}")
    for name, figure in figures.items():
        old, new = min(figure["original"]) * 1e3, min(figure["round trip"]) * 1e3
        click.echo(f"{name:<18} {old:>9.3f} ms {new:>9.3f} ms {figure['ratio']:>7.3f}")
    ratios = [figure["ratio"] for figure in figures.values()]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    click.echo(
        f"\n{len(ratios)} loops on Python {platform.python_version()}:"
        f" geometric mean {mean:.3f}, lowest {min(ratios):.3f}"
    )
    if raw is not None:
        raw.write_text(
            json.dumps({"python": platform.python_version(), "mean": mean, "loops": figures}, indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
