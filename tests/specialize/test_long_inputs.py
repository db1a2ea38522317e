"""Static inputs of many parts: what is a long program, and what is only much data.

    run(a program of 8,000 signs)             compiled whole, as long as each sign saves work
    search(a list of 3,000 objects, what)     stays a loop

Invariant: what is asserted is what was done, counted, not how long it took.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import futamura
from futamura.backend.structure.lowering import Lowering
from futamura.specializer.policy import LONG, static_size

from .specializing import fallbacks, folded, source_of, specialize


def test_text_counts_by_its_length() -> None:
    assert static_size(["x" * 500]) > 500
    assert static_size([{"a": b"x" * 300, "b": ["y" * 200]}]) > 500
    assert static_size(["x" * 10 * LONG]) == LONG
    assert static_size([list(range(10 * LONG))]) == LONG


def count_signs(program: str, x: int) -> int:
    at = total = 0
    while at < len(program):
        sign = program[at]
        if sign == "+":
            total += x
        elif sign == "-":
            total -= 1
        elif sign == "(":
            total *= 2
        at += 1
    return total


def test_a_long_text_is_compiled_whole() -> None:
    program = "+-( )" * 1600
    residual = specialize(count_signs, program)
    assert fallbacks(residual) == {}
    assert "while" not in source_of(residual)
    assert folded(residual) > 5 * len(program)
    assert residual(3) == count_signs(program, 3)


class Token:
    def __init__(self, kind: int, value: object) -> None:
        self.kind, self.value = kind, value


def first(tokens: list[Token], accept: Callable[[Token], bool], at: int, kind: object) -> Any:
    while at < len(tokens):
        token = tokens[at]
        if token.kind == kind or accept(token):
            return at, token.value
        at += 1
    return None


def test_many_objects_that_get_away_are_given_up_together() -> None:
    tokens = [Token(i % 7, i) for i in range(60)]
    residual = specialize(first, tokens=tokens, at=0)
    assert fallbacks(residual) == {}
    assert residual.stats["restarts"] < 20
    assert "while" not in source_of(residual)
    for kind in (3, 9):
        assert residual(lambda token: token.value == 40, kind) == first(
            tokens, lambda token: token.value == 40, 0, kind
        )


def of_kind(tokens: list[Token], kinds: Any) -> Any:
    for at, token in enumerate(tokens):
        if kinds:
            if isinstance(kinds, list):
                if any(token.kind in kind for kind in kinds):
                    return at, token
            elif token.kind in kinds:
                return at, token
    return None, None


@pytest.mark.parametrize("length", [40, 3000])
def test_much_data_is_no_program(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of each of many objects stay a loop; few of them become a chain, in which few jumps need a flag."""
    seen: list[Lowering] = []
    run = Lowering.run
    monkeypatch.setattr(Lowering, "run", lambda self, sequence: (seen.append(self), run(self, sequence))[1])
    tokens = [Token(i % 7, i) for i in range(length)]
    residual = specialize(of_kind, tokens=tokens)
    assert len(source_of(residual).splitlines()) < 30 * 40
    assert all(one.most is None or one.flagged <= one.most + 1 for one in seen)
    for kinds in ([[5], {6}], {9}, (), (6,)):
        assert residual(kinds) == of_kind(tokens, kinds)


@pytest.mark.slow
def test_mandelbrot_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).resolve().parents[2] / "examples" / "brainfuck"
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "brainfuck", raising=False)
    import brainfuck  # type: ignore[import-not-found]

    program = brainfuck.parse((folder / "mandelbrot.b").read_text())
    residual = specialize(brainfuck.run, program)
    assert fallbacks(residual) == {}
    assert residual.stats["left"] > 10_000
    assert "code" not in source_of(residual)


ENDLESS = range(10**30)
"""A range that `len` cannot measure."""


def _zipped(r: range, x: Any) -> Any:
    return [y for y, _ in zip(r, x)], dict(zip("ab", r))


def _measured(r: range, x: Any) -> Any:
    try:
        return len(r)
    except OverflowError as error:
        return str(error), x


def _listed(r: range, x: Any) -> Any:
    try:
        return [*r] if x else list(r)
    except (OverflowError, MemoryError) as error:
        return type(error).__name__


def _looped(r: range, x: Any) -> Any:
    for at, item in enumerate(r):
        if at > x:
            return item, r[-1], r[:3], x in r, bool(r), any(y > 3 for y in r), next(filter(lambda y: y > 1, r))
    return None


def _backwards(r: range, x: Any) -> Any:
    for item in reversed(r):
        if item % 2 == x % 2:
            return item
    return None


@pytest.mark.parametrize("mode", ["online", "offline"])
@pytest.mark.parametrize("function", [_zipped, _measured, _listed, _looped, _backwards])
def test_a_range_longer_than_any_list(function: Callable[..., Any], mode: str) -> None:
    residual = futamura.Specializer(mode=mode)(function, ENDLESS)
    for x in (0, 3) if function is not _zipped else ("ab", [1, 2, 3]):
        assert repr(residual(x)) == repr(function(ENDLESS, x))
    assert [event for event in residual.diagnostics if event.code.startswith("FT9")] == []
