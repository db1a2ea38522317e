"""By hand: squares.b as Python, the sieve of the stack machine, and a machine of rows that are linked with each other.

    squares()    gives b"0\\n1\\n4\\n9\\n...";   sieve(10)    gives [4];   connection(rows, "closed")(["listen"])

Invariant: the tape of `squares` wraps at 256 as the interpreter's does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["connection", "sieve", "squares"]


def sieve(limit: int) -> list[int]:
    crossed = [0] * (limit + 1)
    count = 0
    candidate = 2
    while candidate <= limit:
        if not crossed[candidate]:
            count = count + 1
            multiple = candidate * candidate
            while multiple <= limit:
                crossed[multiple] = 1
                multiple = multiple + candidate
        candidate = candidate + 1
    return [count]


def squares(text: bytes = b"") -> bytes:
    """Runs of `+` and of `>` are one step each; the tape stays a list."""
    t = [0] * 30000
    p = 0
    out: list[int] = []
    t[p] = (t[p] + 4) & 255
    while t[p]:
        t[p + 1] = (t[p + 1] + 5) & 255
        t[p] = (t[p] - 1) & 255
    p += 1
    while t[p]:
        t[p - 1] = (t[p - 1] + 5) & 255
        t[p] = (t[p] - 1) & 255
    t[p] = (t[p] + 1) & 255
    t[p - 1] = (t[p - 1] + 1) & 255
    p -= 1
    while t[p]:
        p += 1
        while t[p]:
            t[p + 1] = (t[p + 1] + 1) & 255
            t[p + 2] = (t[p + 2] + 1) & 255
            t[p] = (t[p] - 1) & 255
        t[p] = (t[p] + 2) & 255
        p += 2
        while t[p]:
            t[p - 2] = (t[p - 2] + 1) & 255
            t[p] = (t[p] - 1) & 255
        p += 3
        while t[p]:
            t[p] = (t[p] - 1) & 255
        t[p] = (t[p] + 2) & 255
        p += 1
        while t[p]:
            t[p] = (t[p] - 1) & 255
        t[p] = (t[p] + 1) & 255
        t[p + 3] = (t[p + 3] + 1) & 255
        p += 3
        while t[p]:
            while t[p]:
                t[p] = (t[p] - 1) & 255
            t[p] = (t[p] + 6) & 255
            p += 3
        p = _digits(t, p - 3, out)
        p -= 2
        while t[p]:
            p = _carry(t, p + 5)
            t[p - 2] = (t[p - 2] - 1) & 255
            p -= 2
        t[p - 2] = (t[p - 2] - 1) & 255
        p -= 2
    return bytes(out)


def _digits(t: list[int], p: int, out: list[int]) -> int:
    while t[p]:
        while t[p]:
            t[p - 1] = (t[p - 1] + 8) & 255
            t[p - 2] = (t[p - 2] + 2) & 255
            t[p] = (t[p] - 1) & 255
        t[p] = (t[p] + 1) & 255
        out.append(t[p - 1])
        p -= 2
        while t[p]:
            t[p + 1] = (t[p + 1] - 4) & 255
            t[p] = (t[p] - 1) & 255
        p -= 1
    return p


def _carry(t: list[int], p: int) -> int:
    while t[p]:
        p += 3
        while t[p]:
            t[p] = (t[p] - 1) & 255
        t[p] = (t[p] + 9) & 255
        p -= 1
        while t[p]:
            t[p + 1] = (t[p + 1] - 1) & 255
            t[p] = (t[p] - 1) & 255
        t[p] = (t[p] + 9) & 255
        p += 1
        while t[p]:
            t[p] = (t[p] - 1) & 255
            while t[p]:
                t[p - 1] = (t[p - 1] - 1) & 255
                t[p] = (t[p] - 1) & 255
            t[p] = (t[p] + 1) & 255
            while t[p]:
                p -= 3
        p -= 1
        while t[p]:
            t[p + 1] = (t[p + 1] + 1) & 255
            t[p] = (t[p] - 1) & 255
        p += 1
    return p


def connection(rows: Mapping[Any, Mapping[Any, Any]], start: Any) -> Callable[[Iterable[Any]], Any]:
    """Each row leads to rows; the states are looked up at the end."""
    linked: dict[Any, dict[Any, Any]] = {state: {} for state in rows}
    for state, row in rows.items():
        linked[state].update((event, linked[after]) for event, after in row.items())
    states = {id(row): state for state, row in linked.items()}

    def run(events: Iterable[Any]) -> Any:
        row = linked[start]
        for event in events:
            if event in row:
                row = row[event]
        return states[id(row)]

    return run
