"""Continuations: parameters, peeled loops, reopened extents, cells; each is also run."""

from __future__ import annotations

from types import CellType
from typing import Any

import pytest

from futamura.frontend.python import lower
from futamura.ir.continuation import Continuation, continuation, continuation_function, continuation_program
from futamura.ir.graph import FrameState, Program, Suspended
from futamura.ir.interp import Finished, run, suspend_at
from futamura.ir.nesting import loop_forest
from futamura.ir.text import parse_function, parse_program


def nested(n: int, log: Any) -> int:
    total = 0
    for i in range(n):
        for j in range(i):
            for k in range(j):
                log((i, j, k))
                total += k
    return total


def caught(log: Any, fail: Any) -> str:
    try:
        fail(1)
    except ValueError as e:
        log("first")
        try:
            fail(2)
        except KeyError:
            log("second")
            raise
        return str(e)
    return "no"


def unbound(flag: bool, log: Any) -> int:
    if flag:
        x = 1
    log("here")
    return x


def shared(log: Any) -> Any:
    count = 0

    def add() -> int:
        nonlocal count
        count += 1
        return count

    add()
    log("here")
    count += 10
    return add() + count


def stop_at_call(function: Any, number: int, *args: Any) -> tuple[Program, Suspended]:
    """The state before the operation that makes the log's entry `number`."""
    program = lower(function).program
    for stop in range(500):
        log: list[object] = []
        rest = [log.append if arg is list.append else arg for arg in args]
        state = suspend_at(program, stop, rest, globals=function.__globals__)
        if isinstance(state, Suspended) and len(log) == number:
            return program, state
    raise AssertionError("no such stop")


def arguments(made: Continuation, state: Suspended) -> list[Any]:
    return [state.environment[value] for value in made.values] + list(state.active)


def test_loops_are_peeled() -> None:
    log: list[object] = []
    nested(6, log.append)
    program, state = stop_at_call(nested, 7, 6, list.append)
    made = continuation(program.main, state.block, state.index)
    blocks = made.function.blocks
    forest = loop_forest([[edge.target for edge in block.terminator.edges] for block in blocks], 0)
    assert sorted(loop.depth for loop in forest) == [1, 1, 1, 2, 2, 3]
    assert not any(loop.irreducible for loop in forest)
    seen: list[object] = log[:7]
    args = [seen.append if getattr(arg, "__name__", "") == "append" else arg for arg in arguments(made, state)]
    assert run(Program(made.function.name, (made.function,)), args, globals={}) == nested(6, lambda entry: None)
    assert seen == log


def test_parameters() -> None:
    program, state = stop_at_call(nested, 7, 6, list.append)
    made = continuation(program.main, state.block, state.index, avoid=("log",))
    hints = [program.main.hints[value] for value in made.values]
    assert list(made.values) == sorted(made.values)
    assert {"i", "k", "log"} <= set(hints)
    names = made.function.signature.names
    assert len(set(names)) == len(names) == len(made.values)
    assert "log" not in names and "log_2" in names
    assert continuation_function(program.main, state.block, state.index).signature.names[0] == "log"


def test_active_exceptions() -> None:
    """In the inner handler two exceptions are active, and the inner one goes on with its context."""

    def fail(number: int) -> None:
        raise ValueError("a") if number == 1 else KeyError("b")

    program, state = stop_at_call(caught, 2, list.append, fail)
    assert [type(error) for error in state.active] == [ValueError, KeyError]
    rest, made = continuation_program(program, state.function, state.block, state.index)
    assert made.active == 2
    earlier = OSError("earlier")
    state.active[0].__context__ = earlier
    with pytest.raises(KeyError) as error:
        run(rest, arguments(made, state), globals={})
    assert error.value is state.active[1]
    assert error.value.__context__ is state.active[0]
    assert state.active[0].__context__ is earlier


def test_unbound_local_stays_local() -> None:
    for flag in (True, False):
        program, state = stop_at_call(unbound, 1, flag, list.append)
        rest, made = continuation_program(program, state.function, state.block, state.index)
        assert made.function.free == ()
        if flag:
            assert run(rest, arguments(made, state), globals={}) == 1
        else:
            with pytest.raises(UnboundLocalError, match="cannot access local variable 'x'"):
                run(rest, arguments(made, state), globals={})


def test_captured_cells_are_the_closure() -> None:
    program, state = stop_at_call(shared, 1, list.append)
    rest, made = continuation_program(program, state.function, state.block, state.index)
    assert made.function.free == ("count",)
    cells = tuple(state.environment[value] for value in made.cells)
    assert [type(cell) for cell in cells] == [CellType]
    assert run(rest, arguments(made, state), globals={}, closure=cells) == 24
    assert cells[0].cell_contents == 12


def test_after_a_yield_the_sent_value_is_a_parameter() -> None:
    program = Program("g", (parse_function(
        "func g(a) generator\nb0(v0:a):\n  v1 = yield v0\n  v2:s = add v0, v1\n  v3 = yield v2\n  return v3\n"
    ),))  # fmt: skip
    rest, made = continuation_program(program, "g", 0, 1)
    assert made.function.kind == "generator"
    assert made.values == (0, 1)
    generator = run(rest, (3, 4), globals={})
    assert next(generator) == 7
    with pytest.raises(StopIteration) as end:
        generator.send("end")
    assert end.value.value == "end"


GUARDED = parse_program("""program f
func f(a)
b0(v0:a):
  v1 = const 10
  v2 = lt v0, v1
  v3 = truth v2
  guard[FrameState(h, 0, 1, ((1, 0),), FrameState(g, 0, 1, ((0, (tuple, None, 0, ='kept')), (1, 1)), None))] v3 -> b1()
b1():
  return v0
func g(x, y)
b0(v0:x, v1:y):
  v2 = call v1
  v3 = tuple v0, v2
  return v3
func h(x)
b0(v0:x):
  v1 = copy v0
  v2 = add v1, v1
  return v2
""")


def test_guard_goes_on_in_the_frames_of_its_state() -> None:
    """`g` waits for the call of `h`; a virtual tuple is made from its recipe."""
    assert isinstance(GUARDED.main.entry.terminator.attr, FrameState)
    assert run(GUARDED, (3,), globals={}) == 3
    assert run(GUARDED, (30,), globals={}) == ((30, "kept"), 60)


def test_a_run_may_end_before_the_stop() -> None:
    assert suspend_at(lower(unbound).program, 1000, (True, print), globals={}) == Finished(1)
