"""Places and counts that are too large for any container are errors of the program, not of the specializer."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize


def inserted(at: Any, x: Any) -> Any:
    xs = [1, 2]
    xs.insert(at, x)
    return xs


def repeated(count: Any, x: Any) -> Any:
    return [1, x] * count


def repeated_tuple(count: Any, x: Any) -> Any:
    return count * (1, x)


def repeated_by_library(count: Any, x: Any) -> Any:
    return list(itertools.repeat(x, count))


def outcome(call: Callable[..., Any], *args: Any) -> Any:
    try:
        return call(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("function", [inserted, repeated, repeated_tuple, repeated_by_library])
@pytest.mark.parametrize("number", [-(10**20), -(2**63), -(2**63) + 1, -1, 0, 3, True])
def test_like_the_original(function: Callable[..., Any], number: int) -> None:
    residual = specialize(function, number)
    assert not residual.stats["fallbacks"], residual.events
    assert outcome(residual, "x") == outcome(function, number, "x"), residual.source


def test_the_largest_place() -> None:
    for at in (10**20, 2**63, 2**63 - 1):
        residual = specialize(inserted, at)
        assert not residual.stats["fallbacks"], residual.events
        assert outcome(residual, "x") == outcome(inserted, at, "x")
