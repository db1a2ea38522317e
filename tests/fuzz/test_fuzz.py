"""One-second slices of the fuzzers, and planted bugs that the oracles must catch."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from futamura.driver import load_program
from futamura.frontend.python import lower
from futamura.ir.graph import Block, Edge, Function, Program
from futamura.ir.nesting import loop_forest
from futamura.ir.ops import OPERATORS
from tests.fuzz.graphs import observe, random_program
from tests.fuzz.oracles import control, interpreted, stop_and_go
from tests.fuzz.pool import POOL

SLICE = 1.0
"""Seconds for each fuzzer in the unit tests."""


def seeds() -> Iterator[int]:
    end = time.monotonic() + SLICE
    seed = 0
    while time.monotonic() < end:
        yield seed
        seed += 1


def test_graphs_are_what_is_promised() -> None:
    """At least a tenth is irreducible, all kinds of regions occur, and runs are not trivial."""
    irreducible = events = 0
    kinds: set[tuple[str, str]] = set()
    for seed in range(200):
        function = random_program(seed).main
        ways = [[edge.target for edge in _edges(block)] for block in function.blocks]
        irreducible += any(loop.irreducible for loop in loop_forest(ways, 0))
        kinds |= {(region.kind, region.flavor) for region in function.regions}
        events += len(observe(interpreted(Program("f", (function,)), {}), seed).events)
    assert irreducible >= 20
    assert {("try", "except"), ("try", "finally"), ("try", "with"), ("except", ""), ("copy", "")} <= kinds
    assert events >= 200 * 5


def _edges(block: Block) -> tuple[Edge, ...]:
    return (*block.terminator.edges, *([block.handler] if block.handler is not None else []))


@pytest.mark.parametrize("function", POOL, ids=lambda function: function.__name__)
def test_interpreter_does_what_python_does(function: Callable[..., object]) -> None:
    program = lower(function).program
    for seed in range(30):
        assert observe(interpreted(program, function.__globals__), seed) == observe(function, seed), seed


def test_continuations_of_graphs() -> None:
    for seed in seeds():
        found = stop_and_go(random_program(seed), {}, interpreted, seed)
        assert found.mismatch is None, str(found.mismatch)


def test_continuations_of_functions() -> None:
    programs = [(lower(function).program, function.__globals__) for function in POOL]
    for seed in seeds():
        program, globals = programs[seed % len(programs)]
        found = stop_and_go(program, globals, interpreted, seed)
        assert found.mismatch is None, str(found.mismatch)


def test_emitted_graphs() -> None:
    for seed in seeds():
        program = random_program(seed)
        mismatch = control(program, {}, load_program(program, {"__name__": "fuzz"}), seed)
        assert mismatch is None, str(mismatch)


def test_emitted_continuations_of_graphs() -> None:
    for seed in seeds():
        found = stop_and_go(random_program(seed), {}, load_program, seed)
        assert found.mismatch is None, str(found.mismatch)


def test_emitted_continuations_of_functions() -> None:
    programs = [(lower(function).program, function.__globals__) for function in POOL]
    for seed in seeds():
        program, globals = programs[seed % len(programs)]
        found = stop_and_go(program, globals, load_program, seed)
        assert found.mismatch is None, str(found.mismatch)


# -------------------------------------------------------------------- planted bugs


def swapped_branch(function: Function, number: random.Random) -> Block | None:
    block = number.choice(function.blocks)
    end = block.terminator
    return block._replace(terminator=end._replace(edges=end.edges[::-1])) if end.name == "branch" else None


def wrong_argument(function: Function, number: random.Random) -> Block | None:
    """One argument of an edge in the place of another: what a lost move does."""
    block = number.choice(function.blocks)
    end = block.terminator
    if not end.edges or len(end.edges[0].args) < 3:
        return None
    args = list(end.edges[0].args)
    args[0] = args[1]
    return block._replace(terminator=end._replace(edges=(end.edges[0]._replace(args=tuple(args)), *end.edges[1:])))


def lost_operation(function: Function, number: random.Random) -> Block | None:
    places = [
        (block, index)
        for block in function.blocks
        for index, operation in enumerate(block.ops)
        if not operation.results
    ]
    if not places:
        return None
    block, index = number.choice(places)
    return block._replace(ops=block.ops[:index] + block.ops[index + 1 :])


def wrong_target(function: Function, number: random.Random) -> Block | None:
    block = number.choice(function.blocks)
    if block.terminator.name != "jump":
        return None
    (edge,) = block.terminator.edges
    for other in function.blocks[1:]:
        same = len(other.params) == len(function.blocks[edge.target].params) and other.region == block.region
        if same and other.id != edge.target:
            return block._replace(terminator=block.terminator._replace(edges=(Edge(other.id, edge.args),)))
    return None


def wrong_operator(function: Function, number: random.Random) -> Block | None:
    block = number.choice(function.blocks)
    for index, operation in enumerate(block.ops):
        if operation.name in ("lt", "add"):
            other = OPERATORS["ge" if operation.name == "lt" else "sub"]
            return block._replace(ops=(*block.ops[:index], operation._replace(operator=other), *block.ops[index + 1 :]))
    return None


def lost_handler(function: Function, number: random.Random) -> Block | None:
    """The exception goes on where a handler should catch it."""
    block = number.choice(function.blocks)
    return block._replace(handler=None) if block.handler is not None else None


BUGS = [swapped_branch, wrong_argument, lost_operation, wrong_target, wrong_operator, lost_handler]


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.__name__)
def test_oracle_catches(bug: Callable[[Function, random.Random], Block | None]) -> None:
    """A run of the broken program in the place of the emitted one is told apart, by more than one seed."""
    caught = 0
    for seed in range(3000):
        program = random_program(seed, 12)
        broken = bug(program.main, random.Random(seed))
        if broken is None:
            continue
        blocks = tuple(broken if block.id == broken.id else block for block in program.main.blocks)
        wrong = Program("f", (replace(program.main, blocks=blocks),))
        caught += control(program, {}, interpreted(wrong, {}), seed) is not None
        if caught >= 3:
            return
    pytest.fail(f"{bug.__name__} was caught {caught} times")


def test_oracle_catches_a_continuation_that_forgets() -> None:
    """The continuation with its first two parameters exchanged is told apart."""

    def load(program: Program, globals: dict[str, object], closure: tuple[object, ...]) -> Callable[..., object]:
        call = interpreted(program, globals)
        return lambda *args: call(*args[:-2], *args[-1:], *args[-2:-1]) if len(args) > 3 else call(*args)

    assert any(stop_and_go(random_program(seed), {}, load, seed).mismatch for seed in range(100))
