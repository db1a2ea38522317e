"""Partially static structures: interpreters lose their environments, and nobody can tell where one was split.

`run` below for a program has no dict any more; `kept` cases show what makes a structure an ordinary object again.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from futamura import Specializer
from futamura.analysis.division import KINDS, POINTS, Kind
from tests.offline import structured
from tests.offline.flowing import offline

HOUSE = Path(__file__).resolve().parents[2]
EVERY = list(itertools.product(KINDS, POINTS))


def seen(function: Callable[..., object], *args: object) -> str:
    try:
        return repr(function(*args))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(
    ("function", "static", "rounds"), structured.CASES, ids=[c[0].__name__ for c in structured.CASES]
)
def test_residuals_do_the_same(function: Any, static: Any, rounds: list[tuple[Any, ...]]) -> None:
    for division, points in EVERY:
        residual = Specializer(mode="offline", division=division, points=points)(function, **static)
        for given in rounds:
            assert seen(residual, *given) == seen(lambda *a: function(*static.values(), *a), *given), (division, points)


@pytest.mark.parametrize("name", structured.SPLIT)
def test_the_structure_is_gone(name: str) -> None:
    function, static, _ = next(case for case in structured.CASES if case[0].__name__ == name)
    residual = Specializer(mode="offline", division="bounded")(function, **static)
    assert residual.stats["specialized"], residual.events
    for part in ("{", "[", "env", "stack", "append", "lookup"):
        assert part not in residual.source, residual.source


def test_an_interpreter_of_statements_leaves_the_program() -> None:
    residual = Specializer(mode="offline", division="bounded")(structured.statements, program=structured.FACTORIAL)
    lines = [line.strip() for line in residual.source.splitlines()]
    assert lines == ["def statements(n):", "r = 1", "while n:", "r = r * n", "n = n - 1", "return r"]


@pytest.mark.parametrize("division", KINDS)
@pytest.mark.parametrize("follow", [True, False])
def test_the_environment_of_an_interpreter_in_the_flow_graph_language(division: Kind, follow: bool) -> None:
    text = (HOUSE / "examples" / "flow" / "interpreter.flow").read_text(encoding="utf-8")
    program = (("y", "*", "x", "x"), ("x", "+", "y", "x"), ("x", "*", "x", "y"))
    done = offline(text, {"program": program}, division=division, follow=follow)
    assert [name for name in done.names() if follow] == (["mul", "add", "mul", "show"] if follow else [])
    kinds = {op.name for op in done.residual.main.operations()}
    assert kinds.isdisjoint({"cons", "getitem", "tuple", "car"}), kinds
    assert done.output(x=3) == [str((9 + 3) * 9)]
    wrong = offline(text, {"program": (("y", "*", "x", "q"),)}, division=division, follow=follow)
    assert wrong.output(x=3)[0].startswith("IndexError")


@pytest.mark.parametrize("division", KINDS)
def test_growth_under_a_dynamic_test_ends(division: str) -> None:
    for function in (structured.pushing, structured.counting_names):
        residual = Specializer(mode="offline", division=division)(function)
        assert residual.stats["versions"] < 20 or division == "simple"
        for n in range(4):
            assert residual(n) == function(n)


@pytest.mark.parametrize("seed", range(60))
def test_random_structures(seed: int) -> None:
    """Each statement on dicts, lists and tuples, in any order, with aliases, handlers, loops and calls."""
    text = structured.random_module(random.Random(seed))
    function = structured.loaded(text, f"<structures {seed}>")
    division, points = EVERY[seed % len(EVERY)]
    static = {"keys": ("a", "b", 0, "c")}
    residual = Specializer(mode="offline", division=division, points=points)(function, **static)
    assert not any(event.code.startswith("FT9") for event in residual.events), (text, residual.events)
    for given in ((0, 1), (1, 0), ("x", 2), (None, ""), ([1], (2, 3))):
        wanted = seen(function, static["keys"], *given)
        assert seen(residual, *given) == wanted, f"{text}\n{residual.source}\n{given}"
