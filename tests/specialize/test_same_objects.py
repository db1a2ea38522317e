"""Constants are the objects that they are in the original, and what runs under a handler stays there.

    for name in ("a",) + (2,): if name is x: ...        x is "a", the one object that the compiler keeps for this text

Invariant: each program runs as original and as residual, and prints the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura


def first_same(x: Any) -> Any:
    for name in ("word",) + (2,):  # noqa: RUF005
        if name is x:
            return "same"
    return None


def test_texts_of_the_source_are_the_objects_of_the_compiler() -> None:
    residual = futamura.specialize(first_same)
    assert residual("word") == first_same("word") == "same"
    assert residual("".join(["wo", "rd"])) is first_same("".join(["wo", "rd"])) is None


LOG: list[str] = []


@contextlib.contextmanager
def scope() -> Iterator[None]:
    try:
        yield
    finally:
        LOG.append("left")


def loop_condition(x: Any) -> Any:
    with scope():
        n = 5
        while n and x < 3:
            n -= 1
    return n


def loop_choice(x: Any) -> Any:
    with scope():
        n = 5
        while x < 3 if n else x > 1:
            n -= 1
    return n


def passed_on(x: Any) -> Any:
    with scope():
        n = 5
        for _ in range(3):
            n = n and n - x
    return n


@pytest.mark.parametrize("target", [loop_condition, loop_choice, passed_on])
def test_conditions_stay_under_their_handler(target: Callable[..., Any]) -> None:
    """The condition of a loop has two operands, of which only the second may raise."""
    residual = futamura.specialize(target)

    def history(run: Callable[..., Any]) -> list[str]:
        LOG.clear()
        for x in (1, 4, "text", None):
            try:
                LOG.append(repr(run(x)))
            except TypeError as error:
                LOG.append(repr(error))
        return list(LOG)

    assert history(residual) == history(target)
