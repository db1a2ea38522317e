"""Machines that keep their state in attributes of a static `self`: results, exceptions, and what is left in the object.

    vm.run(6, 0) raises ZeroDivisionError      the residual does too, and vm.pc, vm.r, vm.running are the same then

Invariant: the generic machine and the specialized one are two objects; both go through all calls in the same order.
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura
from tests.specialize.machine_styles import PROGRAMS, make
from tests.specialize.specializing import fallbacks, words

INPUTS = ((6, 3), (6, 0), (0, 0), (5, 1), (2, 9), (250, 251), (-1, 2), (3, -2), (700, 601), (True, 2))
CASES = [(style, program) for style, programs in PROGRAMS.items() for program in programs]


def _outcome(run: Any, args: tuple[Any, ...], vm: Any) -> tuple[str, str]:
    try:
        given = repr(run(*args))
    except Exception as error:
        cause = type(error.__context__).__name__
        given = f"{type(error).__name__}: {error} {vars(error)} {cause}"
    return given, repr({name: value for name, value in vars(vm).items() if name not in ("code", "table")})


def _agree(style: str, program: str, promises: dict[str, Any], inputs: tuple[tuple[Any, ...], ...]) -> Any:
    generic, static = make(style, program), make(style, program)
    residual = futamura.specialize(static.run, **promises)
    for args in (*inputs, *inputs[:2]):
        assert _outcome(residual, args, static) == _outcome(generic.run, args, generic), args
    return residual


@pytest.mark.parametrize(("style", "program"), CASES)
def test_open_arguments(style: str, program: str) -> None:
    _agree(style, program, {}, (*INPUTS, ("x", 2), (1.5, 0), (2, None)))


@pytest.mark.parametrize(("style", "program"), CASES)
def test_declared_arguments(style: str, program: str) -> None:
    whole = {"a": futamura.Dyn(int), "b": futamura.Dyn(int)}
    promises = whole if style.endswith("words") or style == "table" else {"args": futamura.Dyn(tuple[int, int])}
    residual = _agree(style, program, promises, INPUTS)
    assert not fallbacks(residual)
    if style in ("registers", "small") and program not in ("bad name", "runs off"):
        assert not {"getattr", "do_add", "code"} & words(residual), residual.source


def test_what_is_likely_is_tested() -> None:
    """An operand of unknown class: the machine stays specialized where it is a number, and is general otherwise."""
    for program in ("countdown", "underflow"):
        residual = _agree("table", program, {}, (*INPUTS, (2.0, 3), (False, True), ("x", 1), (None, 0)))
        assert " is _int" in residual.source
        assert "while" in residual.source
