"""Operations that give a tuple back give the same tuple, in residuals too; of a subclass they make a new one.

t = x, n;  t[:] is t and tuple(t) is t and t * 1 is t and t + () is t
"""

# ruff: noqa: RUF005, C409

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from futamura import specialize


class Pair(NamedTuple):
    left: object
    right: object


def of_parts(n: int, x: object) -> tuple[object, ...]:
    t = (x, n)
    return (
        t[:] is t, t[0:9] is t, t[::-1] is t, t[1:] is t, tuple(t) is t, t * 1 is t, 1 * t is t, t * 2 is t,
        t + () is t, () + t is t, t + t is t, (*t,) is t,
    )  # fmt: skip


def of_named(n: int, x: object) -> tuple[object, ...]:
    t = Pair(x, n)
    return (
        t[:] is t, tuple(t) is t, t * 1 is t, t + () is t, () + t is t, type(t[:]), type(tuple(t)),
        type(t + ()), type(t * 1),
    )  # fmt: skip


def of_static(t: tuple[object, ...], x: object) -> tuple[object, ...]:
    return t[:] is t, tuple(t) is t, t * 1 is t, t + () is t, () + t is t, (x, *t)[1:] is t, tuple([x, *t])


def of_lists(n: int, x: object) -> tuple[object, ...]:
    t = [x, n]
    return t[:] is t, list(t) is t, t * 1 is t, t + [] is t, tuple(t) is tuple(t)


@pytest.mark.parametrize(
    ("function", "static"),
    [(of_parts, 3), (of_named, 3), (of_static, (1, "a")), (of_static, Pair(1, 2)), (of_lists, 3)],
)
def test_the_same_tuple(function: Callable[..., Any], static: object) -> None:
    residual = specialize(function, static)
    assert not residual.stats["fallbacks"]
    for value in (1, "a", None, [2], (1, "a")):
        assert residual(value) == function(static, value)
