"""Functions that show what single passes are worth which the cases of the benchmark do not need.

    scaled(50, 1.5, 3.0)      a division that may raise, in a short inner loop          `peel`
    checked([1, 2], "a")      the place of each item as text, for errors that are rare  `sink`
    labels("a", 100)          texts that are put together in steps                      `texts`
    points(b"...", 8)         fields of a record that are unpacked one by one           `fields`
    weighed([1, 2], 3)        a nested function that asks what is known where it is made  `closure-facts`
    waited(range(9))          a counter that is compared with small constants           `split`

They are optimized, not specialized (`python -m bench.ablation --functions`).

Invariant: each gives a result that depends on the whole computation, and has no state outside of its call.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
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


_SHORT: Final = struct.Struct("<h")
_BYTE: Final = struct.Struct("<B")


def points(data: bytes, count: int) -> int:
    """A place and a colour, at places of their own."""
    total = 0
    for at in range(0, count * 8, 8):
        (x,) = _SHORT.unpack_from(data, at)
        (y,) = _SHORT.unpack_from(data, at + 2)
        (red,) = _BYTE.unpack_from(data, at + 5)
        (green,) = _BYTE.unpack_from(data, at + 6)
        (blue,) = _BYTE.unpack_from(data, at + 7)
        total += x * y + red + green + blue
    return total


def weighed(values: Iterable[int], limit: Any) -> int:
    """The function that `map` gets asks for each item what the limit is."""
    if not isinstance(limit, int):
        raise TypeError(limit)

    def weight(value: int) -> int:
        if limit is None or isinstance(limit, str):
            return 0
        if isinstance(limit, (list, tuple)):
            return len(limit)
        return value if value < limit else limit

    return sum(map(weight, values))


def waited(values: list[float], count: int) -> float:
    """A filter that has no values before the first."""
    total = 0.0
    for at in range(count):
        made = values[at] * 0.5
        if at >= 1:
            made += values[at - 1] * 0.25
        if at >= 2:
            made += values[at - 2] * 0.125
        if at >= 3:
            made += values[at - 3] * 0.0625
        total += made
    return total


GAINS: Final[tuple[tuple[str, Callable[..., object], tuple[Any, ...]], ...]] = (
    ("a division in a short loop", scaled, (60, 1.5, 3.0)),
    ("places for errors", checked, (list(range(300)), "order.items")),
    ("texts in steps", labels, ("order", 300)),
    ("fields of a record", points, (bytes(range(240)) * 10, 300)),
    ("a function for map", weighed, (list(range(300)), 200)),
    ("a filter", waited, ([0.5] * 300, 300)),
)
