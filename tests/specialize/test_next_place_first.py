"""Machines that compute the next place in the code before they fetch from this one.

    nxt = pc + 1; op, a = code[pc]; ...; pc = nxt        as good as    op, a = code[pc]; ...; nxt = pc + 1

Invariant: what was computed from a value before it selected something is as finite as what is computed from it later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import futamura


def loops(code: list[Any], n: int) -> Any:
    pc, total, count, back = 0, 0, 0, 0
    while pc < len(code):
        following = pc + 1
        op, _ = code[pc]
        if op == "add":
            total += count
        elif op == "for":
            count = 1
            back = pc + 1
        elif op == "next":
            count += 1
            if count <= n:
                following = back
        pc = following
    return total, count


def stack(code: list[Any], n: int) -> Any:
    pc, stack = 0, [n]
    while True:
        here, pc = pc, pc + 1
        op = code[here]
        if op == "dec":
            stack.append(stack.pop() - 1)
        elif op == "halt":
            return stack.pop()
        else:
            target = pc + op
            if stack[-1] > 0:
                pc = target


def bytes_of(code: bytes, n: int) -> Any:
    pc, total = 0, 0
    while pc < len(code):
        after = pc + 2
        op, argument = code[pc], code[pc + 1]
        if op == 1:
            total += argument
        elif op == 2:
            n -= 1
            if n > 0:
                after = argument
        pc = after
    return total


CASES: list[tuple[Callable[..., Any], Any]] = [
    (loops, [("for", "i"), ("add", ""), ("next", "i")]),
    (loops, [("for", "i"), ("add", ""), ("add", ""), ("next", "i"), ("add", ""), ("for", "j"), ("next", "j")]),
    (stack, ["dec", -2, "halt"]),
    (stack, ["dec", "dec", -3, "dec", "halt"]),
    (bytes_of, bytes([1, 5, 1, 7, 2, 2, 1, 100])),
]


@pytest.mark.parametrize(("function", "code"), CASES)
def test_no_dispatch_is_left(function: Callable[..., Any], code: Any) -> None:
    residual = futamura.specialize(function, code)
    assert "code" not in residual.source and "_k" not in residual.source and "pc" not in residual.source
    assert not residual.stats["fallbacks"]
    assert len(residual.source.splitlines()) < 40
    for n in (1, 2, 5):
        assert residual(n) == function(code, n)


def counting(start: int, code: list[int], n: int) -> Any:
    place, count = start, start + 1
    while n > 0:
        n -= code[place]
        count = count + 1
    return count


def growing(start: int, code: list[int], n: int) -> Any:
    place = start
    found: list[int] = []
    while n > 0:
        ahead = place + 1
        n -= code[place % len(code)]
        found.append(ahead)
        place = ahead
    return found


@pytest.mark.parametrize("function", [counting, growing])
def test_counters_end_as_loops(function: Callable[..., Any]) -> None:
    residual = futamura.specialize(function, 0, [1, 2, 3])
    assert "while" in residual.source
    assert len(residual.source.splitlines()) < 30
    for n in (0, 1, 7, 40):
        assert residual(n) == function(0, [1, 2, 3], n)
