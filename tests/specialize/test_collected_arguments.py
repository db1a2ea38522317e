"""`*args` of a promised length: the arguments come one by one, and what is made of them keeps its shape.

    specialize(run, args=Dyn(tuple[int]))(7)    run(*args) with `local[: len(args)] = args` keeps `local` in variables

Invariant: a call with another number of arguments, or of other classes, runs code without the promise.
"""

from __future__ import annotations

from typing import Any

import pytest

from futamura import Dyn, Specializer, specialize


def filled(program: Any, *args: Any) -> Any:
    local = [0] * 4
    local[: len(args)] = args
    for place, amount in program:
        local[place] = local[place] + amount
    return local


def sliced(bounds: Any, *args: Any) -> Any:
    local = [1, 2, 3, 4]
    start, stop = bounds
    local[start:stop] = args
    local[0:0] = local
    return local


def passed_on(n: int, *args: Any) -> Any:
    return args, len(args), n


@pytest.mark.parametrize("assume", ["check", "trust"])
@pytest.mark.parametrize("args", [(7,), (7, 8), (), (True,), ("a",), (1, 2, 3, 4, 5)])
def test_other_calls_run_code_without_the_promise(assume: str, args: tuple[Any, ...]) -> None:
    program = [(0, 5), (3, 1), (0, 2)]
    residual = Specializer(assume=assume)(filled, program=program, args=Dyn(tuple[int]))
    assert _outcome(residual, args) == _outcome(lambda *given: filled(program, *given), args)


def test_a_list_that_takes_the_arguments_stays_in_variables() -> None:
    residual = specialize(filled, program=[(0, 5), (3, 1)], args=Dyn(tuple[int]))
    assert "[:" not in residual.source and "len(" not in residual.source, residual.source
    assert residual(7) == [12, 0, 0, 1]


@pytest.mark.parametrize("bounds", [(0, 2), (1, 1), (3, 1), (-2, None), (None, None), (2, 99)])
def test_slices_are_stored_as_python_does(bounds: tuple[Any, Any]) -> None:
    residual = specialize(sliced, bounds=bounds, args=Dyn(tuple[int, str]))
    assert residual(7, "x") == sliced(bounds, 7, "x")
    assert residual(7) == sliced(bounds, 7)


def test_the_tuple_itself_can_be_used() -> None:
    residual = specialize(passed_on, n=3, args=Dyn(tuple[int, int]))
    assert residual(1, 2) == ((1, 2), 2, 3)
    assert residual(1) == ((1,), 1, 3)


def _outcome(function: Any, args: tuple[Any, ...]) -> str:
    try:
        return repr(function(*args))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
