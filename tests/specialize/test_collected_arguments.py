"""`*args` of a promised length: the arguments come one by one, and what is made of them keeps its shape.

    specialize(run, args=Dyn(tuple[int]))(7)    run(*args) with `local[: len(args)] = args` keeps `local` in variables

Invariant: a call with another number of arguments, or of other classes, runs code without the promise.
"""

from __future__ import annotations

from collections.abc import Callable
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


class Tape:
    """A machine whose cells are what `run` collects; of what these hold nothing is known."""

    def __init__(self, code: list[tuple[str, int]]) -> None:
        self.code = code
        self.pc = 0
        self.seen: list[int] = []

    def run(self, *args: Any, **names: Any) -> tuple[list[Any], int, dict[str, Any]]:
        self.pc, self.seen = 0, []
        return self.loop([*args, *[0] * 2], args, names)

    def run_sliced(self, *args: Any, **names: Any) -> tuple[list[Any], int, dict[str, Any]]:
        self.pc, self.seen = 0, []
        self.cells: list[Any] = [0] * 5
        self.cells[: len(args)] = args
        return self.loop(self.cells, args, names)

    def loop(
        self, cells: list[Any], args: tuple[Any, ...], names: dict[str, Any]
    ) -> tuple[list[Any], int, dict[str, Any]]:
        while self.pc < len(self.code):
            name, at = self.code[self.pc]
            self.pc += 1
            if name == "set":
                cells[at] = cells[at] + 1
            elif name == "item":
                cells[0] = cells[at][0]
            elif name == "len":
                cells[1] = len(names) + len(args)
        return cells, self.pc, names


class Meddling:
    """An item that looks at the machine, and moves it."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    def __getitem__(self, at: int) -> int:
        self.tape.pc = 10
        return 5

    def __add__(self, other: int) -> int:
        self.tape.seen.append(self.tape.pc)
        return 7


def _runs(tape: Tape, run: Callable[..., Any]) -> list[object]:
    found: list[object] = []
    odd = Meddling(tape)
    for args in ((1, 2, [3]), (1, 2, {0: 4}), (1, 2, odd), (odd, 1, [2]), (1, 2, "x"), (1, 2, 3), ()):
        try:
            cells, pc, names = run(*args, key=1)
            found.append((cells[:2], cells[3:], pc, names, tape.pc, tape.seen))
        except (TypeError, IndexError) as error:
            found.append((repr(error), tape.pc, tape.seen))
    return found


@pytest.mark.parametrize("name", ["run", "run_sliced"])
def test_a_machine_knows_its_state_while_its_cells_hold_anything(name: str) -> None:
    code = [("set", 0), ("len", 0), ("item", 2), ("set", 1)]
    one, other = Tape(code), Tape(code)
    residual = specialize(getattr(other, name))
    assert "_list" in residual.source and "_int" in residual.source
    assert _runs(one, getattr(one, name)) == _runs(other, residual)
