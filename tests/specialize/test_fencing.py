"""What lies inside the try statements of a residual: what may raise, and no more than that.

    try: if not s.isdigit(): raise ValueError; return int(s)      ->      if s.isdigit(): try: return int(s)

Invariant: each residual is compared with its original on texts that take every way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

import futamura
from tests.specialize.specializing import source_of

INPUTS = ("", "a", "12", "²", "-1", "9" * 5000, "x1")


def converted(s: str) -> Any:
    try:
        if not (s.isascii() and s.isdigit()):
            raise ValueError(s)
        number = int(s)
    except ValueError:
        return None
    return number + 1


def asked_inside(s: str) -> Any:
    """A test between two operations that may raise stays inside."""
    try:
        first = int(s)
        if s.isascii():
            first += 1
        return first, float(s)
    except ValueError:
        return s.isascii()


def two_ways_in(s: str, t: str) -> Any:
    try:
        if s.isdigit():
            found = s + t
        elif t.isdigit():
            found = t
        else:
            found = "0" + s
        return int(found)
    except ValueError:
        return "wrong"


def nested(s: str, t: str) -> Any:
    found = []
    try:
        if s.isalpha():
            found.append(s)
        try:
            if t.isalpha():
                raise KeyError(t)
            found.append(int(t))
        except KeyError:
            found.append(t)
        if s.isdigit():
            found.append(int(t + s))
    except ValueError:
        found.append("outer")
    return found


def _tried(source: str) -> int:
    """How many statements stand directly in try statements."""
    return sum(len(node.body) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Try))


@pytest.mark.parametrize("function", [converted, asked_inside])
def test_one_text(function: Callable[..., Any]) -> None:
    residual = futamura.specialize(function, futamura.Dyn(str))
    for s in INPUTS:
        assert residual(s) == function(s), s


@pytest.mark.parametrize("function", [two_ways_in, nested])
def test_two_texts(function: Callable[..., Any]) -> None:
    residual = futamura.specialize(function, futamura.Dyn(str), futamura.Dyn(str))
    for s in INPUTS:
        for t in INPUTS:
            assert residual(s, t) == function(s, t), (s, t)


def test_what_cannot_raise_stands_outside() -> None:
    source = source_of(futamura.specialize(converted, futamura.Dyn(str)))
    assert _tried(source) == 1
    assert "while" not in source
    source = source_of(futamura.specialize(two_ways_in, futamura.Dyn(str), futamura.Dyn(str)))
    assert "while" not in source
