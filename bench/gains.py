"""Functions that show what single passes are worth which the cases of the benchmark do not need.

    scaled(50, 1.5, 3.0)      a division that may raise, in a short inner loop          `peel`
    checked([1, 2], "a")      the place of each item as text, for errors that are rare  `sink`
    labels("a", 100)          texts that are put together in steps                      `texts`

They are optimized, not specialized (`python -m bench.ablation --functions`).

Invariant: each gives a result that depends on the whole computation, and has no state outside of its call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

__all__ = ["GAINS"]


def scaled(rows: int, a: float, b: float) -> float:
    """What the division gives is the same in each round; it raises, if it does, in the first."""
    total = 0.0
    for _ in range(rows):
        i = 0
        while i < 20:
            total += a / b
            i += 1
    return total


def checked(values: Any, path: str) -> int:
    """Where an item stands is said only of one that is wrong."""
    good = 0
    for at, value in enumerate(values):
        where = f"{path}[{at}]"
        if value < 0:
            raise ValueError(f"{where}: negative")
        good += value
    return good


def labels(name: str, count: int) -> int:
    """A path, a key and a label, each with the text before in it."""
    size = 0
    for at in range(count):
        path = f"{name}/"
        key = f"{path}{at}"
        label = f"[{key}]"
        size += len(label)
    return size


GAINS: Final[tuple[tuple[str, Callable[..., object], tuple[Any, ...]], ...]] = (
    ("a division in a short loop", scaled, (60, 1.5, 3.0)),
    ("places for errors", checked, (list(range(300)), "order.items")),
    ("texts in steps", labels, ("order", 300)),
)
