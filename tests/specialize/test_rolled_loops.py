"""Loops over a known range whose variable nobody uses: they stay loops where each trip only does what the last one did.

Invariant: where a known value differs from trip to trip, or a trip leaves little, they are unrolled as before.
"""

from __future__ import annotations

from typing import Any

import pytest

from futamura import unroll
from tests.specialize.specializing import fallbacks, specialize

NET = (
    ("finish", {"busy": 1}, {"free": 1, "done": 1}),
    ("load", {"raw": 2, "free": 1}, {"busy": 1}),
    ("pack", {"done": 3}, {"box": 1}),
)


def fired(net: Any, limit: Any, state: Any) -> Any:
    log = []
    for _ in range(limit):
        for name, take, put in net:
            if all(state[place] >= n for place, n in take.items()):
                for place, n in take.items():
                    state[place] -= n
                for place, n in put.items():
                    state[place] += n
                log.append(name)
                break
        else:
            break
    return log, state


def state() -> dict[str, int]:
    return {"raw": 12, "free": 2, "busy": 0, "done": 0, "box": 0}


@pytest.mark.parametrize("limit", [0, 1, 5, 11, 12, 13, 40, 1000])
def test_a_known_limit_costs_nothing(limit: int) -> None:
    residual = specialize(fired, NET, limit)
    assert not fallbacks(residual)
    assert residual(state()) == fired(NET, limit, state())
    if limit >= 12:
        assert len(residual.source.splitlines()) < 40


def power(x: Any, n: Any) -> Any:
    result = 1
    for _ in range(n):
        result *= x
    return result


def stepped(n: Any, x: Any, v: Any) -> Any:
    """Each trip leaves much."""
    for _ in range(n):
        a = -x * 2.0 - v * 0.1
        b = a * x + v * a - x * x + a * a
        x, v = x + v * 0.1 + b * 0.001, v + a * 0.1 - b * 0.002
    return x, v


def scaled(n: Any, x: Any) -> Any:
    """A known value differs."""
    k = 1
    for _ in range(n):
        x = (x + k) * (x - k) + (x * k - k) * (x + 2 * k) - (x - 3 * k) * (x + k)
        k += 1
    return x


def used(n: Any, x: Any) -> Any:
    for i in range(n):
        x = (x + i) * (x - i) + (x * i - i) * (x + 2 * i) - (x - 3 * i) * (x + i)
    return x


def twice(n: Any, x: Any) -> Any:
    """The variable is read behind the loop."""
    for i in range(n):  # noqa: B007
        x = (x + 1) % 7 + (x * 3 - 1) % 5 + (x + 2) % 3 - (x - 1) % 11
    return x, i


def shrinking(n: Any, rows: Any) -> Any:
    """A known list gets shorter."""
    left = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    for _ in range(n):
        k = left.pop()
        rows = [row + k for row in rows if row % 2 or row % 3 or row % 5 or row % 7]
    return rows, left


def test_what_is_unrolled_as_before() -> None:
    assert "for" not in specialize(power, n=13).source
    for function in (scaled, used):
        residual = specialize(function, 16)
        assert "for" not in residual.source
        assert residual(3) == function(16, 3)


def test_much_in_each_trip() -> None:
    residual = specialize(stepped, 50)
    assert len(residual.source.splitlines()) < 20
    assert residual(1.0, 0.5) == stepped(50, 1.0, 0.5)


@pytest.mark.parametrize("n", [8, 12, 16])
def test_what_is_read_behind_it(n: int) -> None:
    assert specialize(twice, n)(3) == twice(n, 3)
    assert specialize(shrinking, n)([1, 2, 3]) == shrinking(n, [1, 2, 3])


def wanted(n: Any, x: Any, v: Any) -> Any:
    for _ in unroll(range(n)):
        a = -x * 2.0 - v * 0.1
        b = a * x + v * a - x * x + a * a
        x, v = x + v * 0.1 + b * 0.001, v + a * 0.1 - b * 0.002
    return x, v


def test_unroll_unrolls() -> None:
    residual = specialize(wanted, 16)
    assert "for" not in residual.source
    assert residual(1.0, 0.5) == wanted(16, 1.0, 0.5)
