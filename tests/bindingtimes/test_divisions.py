"""Divisions of Python functions and of random graphs: congruent by an independent checker, and as the rules say."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from futamura import Specializer
from futamura.analysis import bindingtimes
from futamura.analysis.bindingtimes import analyse
from futamura.analysis.division import KINDS, POINTS, Division, FunctionDivision, Kind, Points
from futamura.analysis.early import early_rule
from futamura.frontend.python import lower
from tests.bindingtimes.congruence import check
from tests.fuzz.graphs import random_program

ALL = [(kind, points) for kind in KINDS for points in POINTS]


def pure(function: object) -> bool:
    return function is len


def divide(function: Callable[..., Any], *static: str, kind: Kind = "safe", points: Points = "pointwise") -> Division:
    program = lower(function).program
    names = program.main.signature.names
    division = analyse(program, [name in static for name in names], early_rule(pure), kind=kind, points=points)
    check(division)
    return division


def statics(division: Division) -> set[str]:
    return {name for name, static in division.variables().items() if static}


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_are_divided_congruently(seed: int) -> None:
    choose = random.Random(seed)
    program = random_program(seed)
    for kind, points in ALL:
        static = [choose.random() < 0.6 for _ in program.main.signature.names]
        check(analyse(program, static, early_rule(pure), kind=kind, points=points))


@pytest.mark.parametrize("seed", range(40))
def test_each_kind_keeps_what_the_stricter_one_keeps(seed: int) -> None:
    program = random_program(1000 + seed)
    static = [random.Random(seed).random() < 0.7 for _ in program.main.signature.names]
    for points in POINTS:
        simple, safe, bounded = (
            set(analyse(program, static, early_rule(pure), kind=kind, points=points).main.dynamic)
            for kind in ("simple", "safe", "bounded")
        )
        assert simple <= bounded <= safe
    for kind in KINDS:
        pointwise, uniform = (
            set(analyse(program, static, early_rule(pure), kind=kind, points=points).main.dynamic)
            for points in ("pointwise", "uniform")
        )
        assert pointwise <= uniform


def counting(n, d):  # type: ignore[no-untyped-def]
    y = 0
    while d:
        d = d - 1
        y = y + 1
    t = 1
    while n:
        n = n - 1
        t = t * 2
    return t + y


def test_safe_follows_decisions_and_simple_does_not() -> None:
    assert statics(divide(counting, "n", kind="simple")) == {"n", "y", "t"}
    for points in POINTS:
        for kind in ("safe", "bounded"):
            assert statics(divide(counting, "n", kind=kind, points=points)) == {"n", "t"}


def test_the_reason_leads_to_the_input() -> None:
    division = divide(counting, "n")
    y = [v for v, hint in enumerate(division.main.function.hints) if hint == "y" and not division.main.static(v)]
    chain = division.chain(division.entry, y[0])
    assert chain[0].rule == "control"
    assert chain[0].span is not None
    assert chain[-1].text == "`d` is a dynamic input"


def machine(code, d):  # type: ignore[no-untyped-def]
    pc = 0
    while True:
        op = code[pc]
        pc = pc + 1
        if op == 0:
            return d
        if op == 1:
            d = d + 1
        if op == 2:
            if d:
                pc = 0


def jumping(table, pc, d):  # type: ignore[no-untyped-def]
    while d:
        pc = table[pc]
        d = d - 1
    return pc


def caught(code, d):  # type: ignore[no-untyped-def]
    pc = 0
    while d:
        if pc < 3:
            op = code[pc]
            d = d - op
        pc = pc + 1
    return d


@pytest.mark.parametrize("points", POINTS)
def test_bounded_keeps_a_program_counter(points: Points) -> None:
    assert "pc" not in statics(divide(machine, "code", points=points))
    assert {"pc", "op"} <= statics(divide(machine, "code", kind="bounded", points=points))
    assert "pc" not in statics(divide(jumping, "table", "pc", points=points))
    assert "pc" in statics(divide(jumping, "table", "pc", kind="bounded", points=points))


def test_an_index_that_some_trips_leave_out_bounds_nothing() -> None:
    assert "pc" not in statics(divide(caught, "code", kind="bounded"))


def test_effects_are_dynamic_whatever_their_operands_are() -> None:
    def effects(xs, n):  # type: ignore[no-untyped-def]
        size = len(xs)
        made = [n]
        other = made.append
        seen = print
        return size, made, other, seen

    found = divide(effects, "xs", "n")
    assert statics(found) == {"xs", "n"}
    reasons = {division.text for division in found.main.residual.values()}
    assert "`list` makes a new object each time" in reasons


def test_an_iterator_that_is_passed_on_is_dynamic() -> None:
    def walks(xs):  # type: ignore[no-untyped-def]
        total = 0
        for x in xs:
            total = total + x
        return total

    assert statics(divide(walks, "xs")) == {"xs", "total", "x"}


def test_every_division_goes_through_the_checker(monkeypatch: pytest.MonkeyPatch, incongruent: list[str]) -> None:
    """An analysis that loses dynamic values is found, also where a specializer asks for the division."""
    solve = bindingtimes._Solver.solve

    def careless(solver: bindingtimes._Solver) -> FunctionDivision:
        division = solve(solver)
        for value in list(division.dynamic)[1:]:
            del division.dynamic[value]
        return division

    monkeypatch.setattr(bindingtimes._Solver, "solve", careless)
    Specializer(mode="offline")(counting, n=3)
    assert incongruent
    incongruent.clear()
