"""By hand: the kernels with their coefficients in the code.  The texts are made by rule, as an expert's script would.

    power13(2.0)    gives 8192.0;   polynomial(coefficients) is a function of the places

Invariant: the operations on floats are those of the generic kernels, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["fir", "polynomial", "power13", "sparse", "transform"]


def power13(x: float) -> float:
    once = x * 1.0
    third = x * (once * once)
    sixth = third * third
    return x * (sixth * sixth)


def polynomial(coefficients: Sequence[float]) -> Callable[..., Any]:
    text = "0.0"
    for coefficient in coefficients:
        text = f"({text} * x + {coefficient!r})"
    return _made(f"def polynomial(xs):\n    return [{text} for x in xs]\n")


def fir(coefficients: Sequence[float]) -> Callable[..., Any]:
    def total(count: int, at: str) -> str:
        terms = [
            f"{coefficient!r} * samples[{at.format(lag)}]" for lag, coefficient in enumerate(coefficients[:count])
        ]
        return " + ".join(["0.0", *terms])

    full = len(coefficients)
    lines = ["def fir(samples):", "    filtered = []", "    count = len(samples)"]
    for place in range(full - 1):
        lines.append(f"    if count <= {place}:\n        return filtered")
        text = total(place + 1, "{}")
        for lag in range(place + 1):
            text = text.replace(f"samples[{lag}]", f"samples[<{place - lag}>]")
        lines.append(f"    filtered.append({text.replace('<', '').replace('>', '')})")
    lines.append(f"    for i in range({full - 1}, count):")
    lines.append(f"        filtered.append({total(full, 'i - {}').replace('i - 0', 'i')})")
    lines.append("    return filtered")
    return _made("\n".join(lines) + "\n")


def sparse(size: int, entries: Sequence[tuple[int, int, float]]) -> Callable[..., Any]:
    rows: list[list[str]] = [["0.0"] for _ in range(size)]
    for row, column, value in entries:
        rows[row].append(f"{value!r} * x{column}")
    names = ", ".join(f"x{place}" for place in range(size))
    return _made(f"def sparse(vector):\n    {names} = vector\n    return [{', '.join(map(' + '.join, rows))}]\n")


def transform(a: Sequence[float], size: int) -> Callable[..., Any]:
    names = ", ".join(f"b{place}" for place in range(size * size))
    cells = []
    for row in range(size):
        for column in range(size):
            terms = [f"{a[row * size + inner]!r} * b{inner * size + column}" for inner in range(size)]
            cells.append(" + ".join(["0.0", *terms]))
    return _made(f"def transform(b):\n    {names} = b\n    return [{', '.join(cells)}]\n")


def _made(text: str) -> Callable[..., Any]:
    space: dict[str, Any] = {}
    exec(text, space)
    del space["__builtins__"]
    (function,) = space.values()
    found: Callable[..., Any] = function
    return found
