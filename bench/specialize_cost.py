"""What specialization costs: processor time of the specializer itself, without printing and compiling, and memory.

    python -m bench.specialize_cost [--memory]

    a warm function of ten lines                     ms
    source blocks executed                           us each
    a class-based VM's programs, 100 to 5,000        ms, us per instruction, and the exponent of time against length
    memory                                           bytes per residual operation (with --memory)

Processor time is the best of several runs; the collector is off while a run is measured, and the specializer keeps it
off itself.  Invariant: every measured residual is compared with its original on one input before it counts.
"""

from __future__ import annotations

import argparse
import functools
import gc
import math
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import futamura

LENGTHS = (100, 200, 500, 1000, 2000, 5000)
RUNS = 5


def ten_lines(x: int, n: int, scale: int) -> int:
    total = 0
    for i in range(n):
        if i % 2:
            total += x * i
        else:
            total -= x
    if total < 0:
        total = -total
    return total * scale


class Machine:
    """A stack machine with handler methods, as people write it."""

    def __init__(self, program: list[tuple[Any, ...]]) -> None:
        self.program = program

    def run(self, argument: int) -> int:
        self.stack: list[int] = [argument]
        self.pc = 0
        while self.pc < len(self.program):
            instruction = self.program[self.pc]
            self.pc += 1
            getattr(self, "do_" + instruction[0])(*instruction[1:])
        return self.stack.pop()

    def do_push(self, value: int) -> None:
        self.stack.append(value)

    def do_dup(self) -> None:
        self.stack.append(self.stack[-1])

    def do_add(self) -> None:
        right = self.stack.pop()
        self.stack.append(self.stack.pop() + right)

    def do_mul(self) -> None:
        right = self.stack.pop()
        self.stack.append(self.stack.pop() * right)

    def do_jump_if_zero(self, target: int) -> None:
        if self.stack[-1] == 0:
            self.pc = target


def run_machine(program: list[tuple[Any, ...]], argument: int) -> int:
    return Machine(program).run(argument)


def run_machine_of(argument: int, program: list[tuple[Any, ...]]) -> int:
    return run_machine(program, argument)


def program_of(length: int) -> list[tuple[Any, ...]]:
    """A program of `length` instructions with a dynamic branch in every nine."""
    program: list[tuple[Any, ...]] = []
    while len(program) + 9 <= length:
        target = len(program) + 7
        program += [("push", 3), ("add",), ("dup",), ("add",), ("jump_if_zero", target)]
        program += [("push", 2), ("mul",), ("push", 1), ("add",)]
    return program


def cost(make: Callable[[], futamura.Residual], runs: int = RUNS) -> tuple[float, futamura.Residual]:
    """Seconds of processor time of the specializer alone, the best of `runs`."""
    best = math.inf
    for _ in range(runs):
        gc.collect()
        gc.disable()
        before = time.process_time()
        try:
            residual = make()
            _ = residual.stats
        finally:
            spent = time.process_time() - before
            gc.enable()
        best = min(best, residual.stats["seconds"].get("specialize", spent), spent)
    return best, residual


def check(residual: futamura.Residual, function: Callable[..., Any], argument: int, **static: Any) -> None:
    assert residual(argument) == function(argument, **static), function
    assert not residual.stats["fallbacks"], residual.stats["fallbacks"]


def measure(memory: bool) -> None:
    futamura.specialize(ten_lines, n=3, scale=2)
    seconds, residual = cost(lambda: futamura.specialize(ten_lines, n=4, scale=3))
    check(residual, ten_lines, 5, n=4, scale=3)
    print(f"ten lines, warm      {seconds * 1e3:8.2f} ms")
    points = []
    for length in LENGTHS:
        program = program_of(length)
        runs = 1 if length > 1000 else 3
        seconds, residual = cost(functools.partial(futamura.specialize, run_machine, program=program), runs)
        check(residual, run_machine_of, 2, program=program)
        stats = residual.stats
        points.append((math.log(length), math.log(seconds)))
        print(
            f"VM, {length:5} instructions {seconds * 1e3:8.1f} ms  {seconds / length * 1e6:7.1f} us per instruction"
            f"  {seconds / max(stats['source_blocks'], 1) * 1e6:6.1f} us per block"
            f"  {stats['left']} operations left, {stats['versions']} versions, {stats['restarts']} restarts,"
            f" {dict(stats['fallbacks'])} {dict(stats['notes'])}"
        )
    print(f"exponent             {slope(points):8.3f}")
    if memory:
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        residual = futamura.specialize(run_machine, program=program_of(1000))
        left = max(residual.stats["left"], 1)
        peak = tracemalloc.get_traced_memory()[1]
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        print(f"memory, 1000 instr.  {(peak - before) / left:8.0f} bytes per residual operation at the peak,")
        print(f"                     {(kept - before) / left:8.0f} kept")


def slope(points: list[tuple[float, float]]) -> float:
    """The exponent: the slope of the logarithms by least squares."""
    x_mean = sum(x for x, _ in points) / len(points)
    y_mean = sum(y for _, y in points) / len(points)
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", action="store_true")
    measure(parser.parse_args().memory)
