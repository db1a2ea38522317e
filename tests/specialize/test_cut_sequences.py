"""Slices of sequences whose class is known: they have that class, and with bounds that are ints none fails.

    raw = line[0:6]                      line is a str: so is raw
    convert(raw)                         convert = str.strip:  raw.strip(), which raises nothing

Invariant: slices of subclasses, bounds of other classes and a step of 0 do what they do in the original.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from futamura import Dyn, specialize
from tests.outcomes import outcome


def parse(columns: Any, line: Any) -> Any:
    record = {}
    for name, start, width, convert in columns:
        raw = line[start : start + width]
        if not raw.strip():
            raise ValueError(f"{name} is empty")
        try:
            record[name] = convert(raw)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return record


def cut(default: Any, xs: Any, start: Any, step: Any) -> Any:
    try:
        part = xs[start::step]
        return part, part[:2], isinstance(part, str), isinstance(part, list), type(part) is tuple
    except (TypeError, ValueError) as error:
        return default, str(error)


class Text(str):
    def __getitem__(self, at: Any) -> Any:
        return 5 if isinstance(at, slice) else super().__getitem__(at)


class Index:
    def __index__(self) -> int:
        return 1


class Wrong:
    def __index__(self) -> Any:
        raise ValueError("no index")


COLUMNS = (("id", 0, 4, int), ("name", 4, 6, str.strip), ("code", 10, 3, str.upper))
LINES = ["0042bob   abc", "00x2bob   abc", "0042      abc", "", Text("0042bob   abc"), 5, b"0042bob   abc"]
SEQUENCES: list[Any] = ["abcdef", b"abcdef", [1, 2, 3], (1, 2, 3), Text("abc"), range(4), 5, {}]
BOUNDS: list[Any] = [0, 1, -1, None, True, 10**30, -(10**30), 1.0, "x", Index(), Wrong()]
STEPS: list[Any] = [None, 1, -2, 0, 10**30, "x", Index()]


def test_columns_of_a_line() -> None:
    residual = specialize(parse, COLUMNS, line=Dyn(str))
    assert ".strip()" in residual.source and ".upper()" in residual.source and "_strip" not in residual.source
    assert residual.source.count("try:") == 1, residual.source
    for given in (residual, specialize(parse, COLUMNS)):
        for line in LINES:
            assert outcome(given, line) == outcome(parse, COLUMNS, line)


@pytest.mark.parametrize("kind", [None, str, bytes, list, tuple])
def test_any_bounds(kind: Any) -> None:
    promised: dict[str, Any] = {} if kind is None else {"xs": Dyn(kind)}
    residuals: list[tuple[Callable[..., Any], bool]] = [
        (specialize(cut, 7, **promised), False),
        (specialize(cut, 7, **promised, start=Dyn(int), step=Dyn(int)), False),
        (specialize(cut, 7, **promised, step=2), True),
        (specialize(cut, 7, **promised, step=0), True),
    ]
    for residual, known in residuals:
        for xs in SEQUENCES:
            for start in BOUNDS:
                for step in STEPS:
                    if not known:
                        assert outcome(residual, xs, start, step) == outcome(cut, 7, xs, start, step)
    for step in (2, 0):
        residual = residuals[2 if step else 3][0]
        for xs in SEQUENCES:
            for start in BOUNDS:
                assert outcome(residual, xs, start) == outcome(cut, 7, xs, start, step)


def test_ints_as_bounds_never_fail() -> None:
    residual = specialize(cut, 7, xs=Dyn(str), start=Dyn(int), step=2)
    assert "try" not in residual.source and "isinstance" not in residual.source, residual.source
    assert "try" in specialize(cut, 7, xs=Dyn(str), start=Dyn(int), step=Dyn(int)).source
    assert "try" in specialize(cut, 7, xs=Dyn(str), step=2).source
