"""The passes over closures: random functions, and the analyses that they rely on.

    def f(t, a, b): ... def g1(x, y=2): ...      ->      through the passes, emitted and interpreted: the same events

The pictures of what each pass does are golden cases, `tests/cases/optimizer_programs.test`.
"""

from __future__ import annotations

import collections

import pytest

from futamura.driver import roundtrip
from futamura.frontend.python import lower
from futamura.ir.text import print_program
from futamura.optimize.contifying import ROUNDS
from futamura.optimize.pipeline import optimize
from tools import fuzz_passes
from tools.fuzz_closures import ABOUT_CLOSURES, check, function_of


@pytest.mark.parametrize("part", range(3))
def test_random_functions_mean_the_same(part: int) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(part * 10_000, part * 10_000 + 120):
        assert check(seed, counts) == ""
    assert {name for name in ABOUT_CLOSURES if not counts[f"changed {name}"]} <= {"contify"}  # it finds less


def test_a_circle_goes_on_by_calls_when_its_rounds_are_used_up() -> None:
    source = """
def f(t, n, k):
    def even(i):
        return True if i == 0 else odd(i - 1)
    def odd(i):
        return False if i == 0 else even(i - 1)
    found = even(n)
    return found, k
"""
    function = function_of(source, 0)
    loop = roundtrip(function, change=lambda program: optimize(program)[0])
    assert [loop(None, n, 3) for n in (0, 1, ROUNDS - 1, ROUNDS, ROUNDS + 1, ROUNDS + 301)] == [
        (n % 2 == 0, 3) for n in (0, 1, ROUNDS - 1, ROUNDS, ROUNDS + 1, ROUNDS + 301)
    ]
    for n in (-1, 10**6):
        with pytest.raises(RecursionError):
            loop(None, n, 3)
    program = lower(function).program
    once = optimize(program)[0]
    assert len(once.functions) == 3
    assert print_program(optimize(once)[0]) == print_program(once)


def test_what_is_called_by_two_functions_is_no_block_of_one() -> None:
    source = """
def f(t, n, k):
    def down(i):
        return k if i == 0 else down(i - 1)
    def first(x):
        for y in range(x):
            if y * y > x:
                return down(y)
        return down(x)
    return first(n) + first(n + 1) + down(n)
"""
    function = function_of(source, 1)
    program = optimize(lower(function).program, ("closures", "contify", "cells"))[0]
    assert sorted(one.name for one in program.functions) == ["f", "f_down", "f_first"]
    assert roundtrip(function, change=lambda _: program)(None, 4, 2) == 6


def test_variables_in_code_that_is_never_reached_leave_no_reads_behind() -> None:
    counts: collections.Counter[str] = collections.Counter()
    assert fuzz_passes.check(701_027, counts, runs=2, passes=("cells", "arms")) == ""


def test_code_that_is_never_reached_is_not_merged() -> None:
    counts: collections.Counter[str] = collections.Counter()
    passes = ("algebra", "contify", "late-iter", "parameters", "merge")
    assert fuzz_passes.check(22_002_854, counts, runs=2, passes=passes) == ""


@pytest.mark.parametrize(
    ("seed", "passes"),
    [
        (22_018_241, ("texts", "copies", "licm")),
        (22_023_305, ("reroll", "licm")),
        (22_041_139, ("dead-stores", "dce", "closure-facts", "licm", "sink", "tails")),
    ],
)
def test_what_a_type_keeps_from_raising_stays_where_a_handler_is(seed: int, passes: tuple[str, ...]) -> None:
    assert fuzz_passes.check(seed, collections.Counter(), runs=2, passes=passes) == ""
