"""Exact constants: keys of what is small are by value, of what is large by identity."""

from __future__ import annotations

from typing import Any

import pytest

from futamura.ir.constant import MOST_LEVELS, MOST_PARTS, Constant, exact_key, is_large


def doubled(times: int, wrap: type = tuple) -> Any:
    """A small object of very many parts: each level holds the next one twice."""
    value: Any = ()
    for _ in range(times):
        value = wrap([value, value])
    return value


def nested(levels: int) -> Any:
    value: Any = ()
    for _ in range(levels - 1):
        value = (value,)
    return value


@pytest.mark.parametrize("value", [(), (1, (2.5, "a")), frozenset([(1,)]), (0,) * MOST_PARTS, nested(MOST_LEVELS)])
def test_small_constants_are_equal_by_value(value: Any) -> None:
    again = type(value)([*value])
    assert not is_large(value)
    assert Constant(value) == Constant(again)


@pytest.mark.parametrize("value", [doubled(60), nested(MOST_LEVELS + 1), nested(100_000), (0,) * (MOST_PARTS + 1)])
def test_large_constants_are_equal_by_identity(value: Any) -> None:
    again = (*[*value],)
    assert is_large(value)
    assert Constant(value) == Constant(value)
    assert again is not value
    assert Constant(value) != Constant(again)


def test_the_numbers_that_are_equal_differ() -> None:
    keys = {exact_key((value,)) for value in (1, True, 1.0, 0.0, -0.0, 0, False)}
    assert len(keys) == 7
