"""Turns the interpreter into a compiler: `run` specialized to one program, shown and timed against the interpreter.

    $ make demo            squares.b;   python examples/brainfuck/demo.py mandelbrot.b   another program

Invariant: exits with 1 if interpreter and residual ever print different things.
"""

import sys
import time
from pathlib import Path

from brainfuck import parse, run

from futamura import Specializer

FOLDER = Path(__file__).parent


def timed(call):
    """The result, and the best of three times in seconds."""
    best = None
    for _ in range(3):
        start = time.perf_counter()
        result = call()
        taken = time.perf_counter() - start
        best = taken if best is None else min(best, taken)
    return result, best


def main(name):
    program = parse((FOLDER / name).read_text(encoding="utf-8"))
    start = time.perf_counter()
    compiled = Specializer()(run, program=program, cells=30000)
    taken = time.perf_counter() - start
    print(f"# What is left of the interpreter for {name}\n")
    print(compiled.source)
    before, slow = timed(lambda: run(program, b""))
    after, fast = timed(lambda: compiled(b""))
    print(f"# specialized in {taken * 1e3:.0f} ms")
    print(f"# interpreter {slow * 1e3:.1f} ms, residual {fast * 1e3:.1f} ms: {slow / fast:.1f} times as fast")
    if before != after:
        print(f"DIFFERENT: the interpreter prints {before[:60]!r}, the residual {after[:60]!r}")
        raise SystemExit(1)
    print("# equal output:", before[:60])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "squares.b")
