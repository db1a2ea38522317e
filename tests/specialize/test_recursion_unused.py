"""Recursive functions whose residual function calls itself: arguments that it does not use, and its own name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from futamura import opaque, specialize
from tests.outcomes import outcome


def counted_down(s: Any, a: Any, b: Any, n: Any) -> Any:
    if n <= 0:
        return None
    counted_down(s, a, a, n - 1)
    return s


def with_an_unused_result(s: Any, a: Any, b: Any, n: Any) -> Any:
    if n <= 0:
        return s, n
    made = with_an_unused_result(s, b, b, n - 1)  # noqa: F841
    with_an_unused_result(s, a, a, n - 2)
    return n


def by_a_helper(s: Any, xs: Any, a: Any, b: Any) -> Any:
    for x in xs:
        helping(s, xs[1:], x, b)
    return s


def helping(s: Any, xs: Any, a: Any, b: Any) -> None:
    by_a_helper(s, xs, b, b)
    by_a_helper(s, xs, b, b)


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (counted_down, [(1, 2, 0), (1, 2, 5), ("a", None, "x")]),
    (with_an_unused_result, [(1, 2, 0), (1, 2, 5), ("a", None, "x")]),
    (by_a_helper, [([], 1, 2), ([1, 2, 3], 1, 2), (5, 1, 2)]),
]


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize(("function", "inputs"), CASES)
def test_like_the_original(function: Callable[..., Any], inputs: list[tuple[Any, ...]], static: bool) -> None:
    residual = specialize(function, 7) if static else specialize(function)
    assert not any(event.code == "FT901" for event in residual.events), residual.events
    for values in inputs:
        expected = outcome(function, 7, *values)
        assert outcome(residual, *values) == expected if static else outcome(residual, 7, *values) == expected


KEPT: list[Any] = []


@opaque
def keep(x: Any) -> None:
    KEPT.append(x)


def naming_itself(s: Any, n: Any) -> Any:
    if n <= 0:
        return s
    keep(naming_itself)
    naming_itself(s, n - 1)
    return n


def test_the_residual_function_is_not_taken_for_the_original() -> None:
    residual = specialize(naming_itself, 7)
    KEPT.clear()
    assert residual(3) == 3
    assert [naming_itself] * 3 == KEPT
