"""What is written to a static object is kept aside: whoever then asks the object itself finds it there.

    other.n = 7         (so that nothing is known of `n` of any object)
    t.n -= 1
    return t.n          is read of `t`, which has it by then
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import futamura


def counters(slots: bool) -> Callable[[int], Any]:
    class Counter:
        if slots:
            __slots__ = ("m", "n")

        def __init__(self, n: int) -> None:
            self.n = n
            self.m = [n]

    return Counter


def changed(t: Any, other: Any) -> Any:
    other.n = 7
    t.n -= 1
    return t.n


def asked(t: Any, other: Any) -> Any:
    other.n = 7
    t.n -= 1
    return getattr(t, "n"), getattr(t, "n", 3), getattr(t, "q", 3), hasattr(t, "n")  # noqa: B009


def looped(t: Any, other: Any) -> Any:
    other.n = 7
    for i in range(other.m[0]):
        t.n += i
        x = t.n
        t.n = x + t.n
    return t.n, other.n


def deleted(t: Any, other: Any) -> Any:
    setattr(other, "n", 5)  # noqa: B010
    t.n = t.n + 1
    other.n = t.n
    t.n += 1
    del other.n
    try:
        t.n += other.n
    except AttributeError as error:
        return t.n, str(error)
    return t.n


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize("function", [changed, asked, looped, deleted])
def test_what_is_kept_aside_is_read(function: Callable[..., Any], slots: bool) -> None:
    make = counters(slots)
    mine, residual = make(1), futamura.specialize(function, make(1))
    for n in (4, 2):
        assert residual(make(n)) == function(mine, make(n))
