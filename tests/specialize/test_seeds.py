"""The seeds' own examples, with the residuals that their texts show.

    f(n) with n = 1    ->    print("ge"); return 8

Each test compares behaviour first and then the shape of the source.
"""

from __future__ import annotations

import ast
from typing import Any

import pytest

import futamura

from .comparing import compare
from .seeds import bolz, notes, senioria
from .shape import branches, calls, count, loops, operators, prints, statements, stores
from .specializing import Residual, fallbacks, source_of, specialize, words
from .table import integers


def same(function: Any, inputs: Any, specializer: Any = specialize, **static: Any) -> Residual:
    """The residual, after it behaved like the original and nothing fell back."""
    residual = compare(lambda: (function, dict(static)), inputs, specializer)
    assert fallbacks(residual) == {}
    return residual


def with_policy(policy: str) -> Any:
    return futamura.Specializer(polyvariance=policy)


nothing_open = integers(0)


# --- Senioria ---


@pytest.mark.parametrize(("n", "text", "result"), [(1, "ge", 8), (5, "ge", 12), (6, "lt", 12), (-4, "ge", 3)])
def test_a_known_n_leaves_exactly_print_and_return(n: int, text: str, result: int) -> None:
    residual = same(senioria.f, nothing_open, n=n)
    assert statements(source_of(residual)) == [f"print({text!r})", f"return {result}"]


def test_an_unknown_n_leaves_two_continuations_when_everything_is_in_the_key() -> None:
    residual = same(senioria.f, integers(1), with_policy("all"))
    source = source_of(residual)
    assert sorted(prints(source)) == ["ge", "lt"]
    sums = operators(source, ast.Add)
    assert len(sums) == 2, source
    assert {text for text in sums if "6" in text or "7" in text} == set(sums), source
    assert count(source, ast.If) == 1


def test_an_unknown_n_leaves_one_continuation_when_nothing_is_in_the_key() -> None:
    source = source_of(same(senioria.f, integers(1), with_policy("none")))
    assert len(operators(source, ast.Add)) == 1, source


def test_the_loop_ends_as_one_loop() -> None:
    function = senioria.clear
    residual = specialize(function)
    source = source_of(residual)
    assert fallbacks(residual) == {}
    assert loops(source) == 1, source
    assert len(stores(source)) == 1, source
    for n in (-1, 0, 3, 20, 21):
        before = list(senioria.gv)
        results = []
        for call in (function, residual):
            senioria.gv[:] = before
            try:
                call(n)
                results.append(list(senioria.gv))
            except IndexError as error:
                results.append([str(error), *senioria.gv])
        senioria.gv[:] = [7] * 20
        assert results[0] == results[1]


@pytest.mark.parametrize("policy", ["auto", "none"])
@pytest.mark.parametrize("static", [{}, {"start": 0}, {"start": 2}], ids=str)
def test_a_static_start_does_not_peel_the_loop(policy: str, static: dict[str, int]) -> None:
    opened = 2 if static else 3
    inputs: Any = lambda r: ([1] * 9, *[r.randint(0, 10) for _ in range(opened - 1)])  # noqa: E731
    source = source_of(same(senioria.clear_from, inputs, with_policy(policy), **static))
    assert loops(source) == 1, source
    assert len(stores(source)) == 1, source


def test_a_loop_over_a_range_of_unknown_length_stays_one_loop() -> None:
    source = source_of(same(senioria.clear_argument, lambda r: ([1] * 9, r.randint(0, 10))))
    assert loops(source) == 1 and len(stores(source)) == 1, source


def test_a_loop_that_can_be_unrolled_is_unrolled_inside_of_one_that_cannot() -> None:
    residual = same(senioria.constant_loop, lambda r: ([r.randint(0, 9) for _ in range(r.randint(0, 4))],))
    source = source_of(residual)
    assert loops(source) == 1, source
    assert "factor" not in words(residual), source


# --- the notes ---

NAMES = ("susan", "john", "ann")


def values_input(random: Any) -> tuple[Any, ...]:
    return ([random.randint(0, 9) for _ in range(random.randint(0, 4))],)


@pytest.mark.parametrize(("name", "cuts"), [("susan", 0), ("john", 1), ("ann", 2)])
def test_the_search_leaves_a_straight_line(name: str, cuts: int) -> None:
    residual = same(notes.search, values_input, name=name, name_list=list(NAMES))
    source = source_of(residual)
    assert loops(source) == 0 and branches(source) == 0, source
    assert len([text for text in map(str, slices(source)) if text == "1:"]) == cuts, source
    assert len(calls(source, "print")) == 1, source
    assert words(residual) & {*NAMES, "name", "name_list"} == set()


def slices(source: str) -> list[str]:
    return [ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Slice)]


def test_a_missing_name_fails_like_the_original() -> None:
    residual = compare(lambda: (notes.search, {"name": "zoe", "name_list": list(NAMES)}), values_input, specialize)
    assert "zoe" not in words(residual)


def test_the_functional_search_unfolds() -> None:
    residual = same(notes.find, values_input, name="ann", name_list=list(NAMES))
    source = source_of(residual)
    assert branches(source) == 0 and calls(source, "find") == [] and len(slices(source)) == 2, source
    residual = same(notes.find_in, values_input)
    assert words(residual) & {"find", *NAMES} == set()


@pytest.mark.parametrize("policy", ["auto", "all", "none"])
def test_a_dead_static_variable_makes_one_copy(policy: str) -> None:
    inputs: Any = lambda r: (r.choice([0, 1, [], "x"]), r.randint(-5, 5))  # noqa: E731
    source = source_of(same(notes.dead_variable, inputs, with_policy(policy)))
    assert prints(source).count("L2") == 1, source


def test_a_live_static_variable_makes_two_copies_when_everything_is_in_the_key() -> None:
    inputs: Any = lambda r: (r.choice([0, 1, [], "x"]), r.randint(-5, 5))  # noqa: E731
    source = source_of(same(notes.live_variable, inputs, with_policy("all")))
    assert prints(source).count("L2") == 2, source
    source = source_of(same(notes.live_variable, inputs, with_policy("none")))
    assert prints(source).count("L2") == 1, source


@pytest.mark.parametrize("x", [0, 1, 2, 7])
def test_power_of_the_first_exercise(x: int) -> None:
    source = source_of(same(notes.power, integers(1), x=x))
    assert loops(source) == 0 and branches(source) == 0, source
    assert len(operators(source, ast.Mult)) == x, source


@pytest.mark.parametrize("policy", ["auto", "none"])
def test_a_congruent_but_unsafe_division_ends(policy: str) -> None:
    source = source_of(same(notes.congruent_but_unsafe, integers(1), with_policy(policy)))
    assert loops(source) == 1, source


def test_a_variable_is_static_again_after_it_was_dynamic() -> None:
    source = source_of(same(notes.pointwise, integers(1), x=10))
    assert prints(source) == ["11", "10"], source
    assert statements(source)[-1] == "return 5", source


@pytest.mark.parametrize("length", [0, 1, 4])
def test_the_alternating_sum_of_a_known_length(length: int) -> None:
    inputs: Any = lambda r: ([r.randint(-9, 9) for _ in range(r.choice([length, length, length + 1, 2]))],)  # noqa: E731
    residual = same(notes.alternate, inputs, length=length)
    source = source_of(residual)
    assert loops(source) == 0, source
    assert words(residual) & {"i", "length"} == set(), source


def test_the_alternating_sum_of_a_list() -> None:
    same(notes.alternate_list, lambda r: ([r.randint(-9, 9) for _ in range(r.randint(0, 6))],))


def test_recursion_with_a_growing_static_argument_ends() -> None:
    compare(lambda: (notes.unfold_without_end, {"y": 0}), integers(1, 0, 9), specialize)


# --- Bolz ---


@pytest.mark.parametrize("y", [0, 1, 5, 10])
def test_power_unrolls(y: int) -> None:
    residual = same(bolz.power, integers(1), y=y)
    source = source_of(residual)
    assert loops(source) == 0 and branches(source) == 0, source
    assert len(operators(source, ast.Mult)) == y, source
    assert words(residual) & {"y"} == set(), source
    printed = same(bolz.power_printed, integers(1), y=y)
    assert len(calls(source_of(printed), "print")) == 1


def test_power_of_an_unknown_exponent_stays_a_loop() -> None:
    source = source_of(same(bolz.power, integers(1, 0, 9), x=3))
    assert loops(source) == 1, source
    assert len(operators(source, ast.Mult)) == 1, source


@pytest.mark.parametrize("y", [0, 1, 5])
def test_the_interpreter_of_the_flow_graph_language_vanishes(y: int) -> None:
    residual = same(bolz.run_power, integers(1), blocks=dict(bolz.POWER), y=y)
    source = source_of(residual)
    assert loops(source) == 0 and branches(source) == 0, source
    assert len(operators(source, ast.Mult)) == y, source
    gone = {"blocks", "label", "op1", "op2", "same", "mul", "power_rec", "do_op", "resolve", "env", "isinstance"}
    assert words(residual) & gone == set(), source


def test_a_dynamic_exponent_leaves_the_blocks_as_a_loop() -> None:
    residual = same(bolz.run_power, lambda r: (r.randint(-3, 3), r.randint(0, 5)), blocks=dict(bolz.POWER))
    source = source_of(residual)
    assert loops(source) == 1, source
    assert words(residual) & {"blocks", "op2", "mul", "power_rec", "do_op", "env"} == set(), source


@pytest.mark.parametrize("n", [0, 2])
def test_a_loop_over_a_list_of_the_flow_graph_language(n: int) -> None:
    inputs: Any = lambda r: ([r.randint(0, 9) for _ in range(r.randint(0, 4))],)  # noqa: E731
    residual = same(bolz.run_loop, inputs, blocks=dict(bolz.LOOP), n=n)
    assert words(residual) & {"blocks", "readlist", "ge", "op2"} == set(), source_of(residual)
