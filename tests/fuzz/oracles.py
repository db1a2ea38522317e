"""What must be equal: a run and the same run by other means.

    control(program, globals, call, seed)         interpreter against `call`, for example the emitted function
    stop_and_go(program, globals, load, seed)     interpreter up to a random stop, then the continuation by `load`

Each gives None, or a `Mismatch` that says how to make it again.  The runs are told apart by `graphs.Trace` alone, which
knows nothing of the IR.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from types import CellType
from typing import Any, NamedTuple, TypeAlias

from futamura.ir.continuation import Continuation, continuation_program
from futamura.ir.graph import Program, Suspended
from futamura.ir.interp import Finished, run, suspend_at
from futamura.ir.text import print_program
from tests.fuzz.graphs import Observation, Trace, answer, finish, observe, outcome_of

__all__ = ["Load", "Mismatch", "Stopped", "control", "interpreted", "stop_and_go"]

Load: TypeAlias = Callable[[Program, dict[str, Any], tuple[CellType, ...]], Callable[..., Any]]
"""A program, its globals and the closure of its entry -> a callable."""


class Mismatch(NamedTuple):
    program: Program
    expected: Observation
    found: Observation
    note: str = ""

    def __str__(self) -> str:
        return f"{self.note}\nexpected {self.expected}\nfound    {self.found}\n{print_program(self.program, [])}"


def interpreted(program: Program, globals: dict[str, Any], closure: tuple[CellType, ...] = ()) -> Callable[..., Any]:
    """The interpreter in the place of a back end."""
    return lambda *args: run(program, args, globals=globals, closure=closure)


def control(program: Program, globals: dict[str, Any], call: Callable[..., Any], seed: int) -> Mismatch | None:
    """The interpreter's run of a program and that of `call`."""
    expected = observe(interpreted(program, globals), seed)
    found = observe(call, seed)
    return None if expected == found else Mismatch(program, expected, found, f"seed {seed}")


class Stopped(NamedTuple):
    """One stop: the mismatch, and whether there was a continuation at all (the run may end before the stop)."""

    mismatch: Mismatch | None
    continued: bool


def stop_and_go(program: Program, globals: dict[str, Any], load: Load, seed: int) -> Stopped:
    """Stop the interpreter somewhere at random, go on with the continuation, and compare with the whole run."""
    trace = Trace(seed)
    whole = interpreted(program, globals)
    outcome = outcome_of(lambda: finish(whole(trace, trace.manager, 1, 2, 3), trace))
    expected = Observation(outcome, trace.events)
    stop = random.Random(seed).randrange(6 * len(trace.events) + 4)
    again = Trace(seed)
    used: list[Continuation] = []

    def parts() -> object:
        args = (again, again.manager, 1, 2, 3)
        state = suspend_at(program, stop, args, globals=globals, on_yield=lambda item: answer(again, item))
        if isinstance(state, Finished):
            return state.value
        rest, made = continuation_program(program, state.function, state.block, state.index)
        used.append(made)
        return finish(_call(load, rest, made, state, globals), again)

    found = Observation(outcome_of(parts), again.events)
    note = f"seed {seed}, stop before operation {stop}"
    return Stopped(None if expected == found else Mismatch(program, expected, found, note), bool(used))


def _call(load: Load, rest: Program, made: Continuation, state: Suspended, globals: dict[str, Any]) -> object:
    cells: tuple[Any, ...] = tuple(state.environment[value] for value in made.cells)
    return load(rest, globals, cells)(*[state.environment[value] for value in made.values], *state.active)
