"""The facts of a function are a fixed point: looking at every block once more brings no news.

a dependency that is forgotten    ->    a block that would be told something else than what is recorded
"""

from __future__ import annotations

import pytest

from futamura.ir.graph import Program
from futamura.optimize.dependents import Dependents
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.pipeline import optimize
from futamura.optimize.shapes import Shape
from tests.fuzz.graphs import random_program as random_control
from tests.optimize.programs import KNOWN, random_program

SHAPES = (Shape(), Shape("int"), Shape("int"), Shape("str"), Shape("list"))


def overlooked(program: Program) -> str:
    """ "" or what changes when all blocks are looked at once more."""
    graph = FlowGraph(program.main)
    facts = Inference(graph, dict(zip(program.main.entry.params, SHAPES)), KNOWN)
    before = [dict(part) for part in (facts.shapes, facts.called, facts.operands, facts.items, facts.private)]
    reached = set(facts.reached)
    for at in facts.layout.order:
        facts._work.add(at)
    facts._solve()
    after = [facts.shapes, facts.called, facts.operands, facts.items, facts.private]
    if facts.reached != reached:
        return f"{sorted(facts.reached - reached)} are reached"
    for old, new in zip(before, after):
        for key, value in new.items():
            if old.get(key) != value:
                return f"{key}: {old.get(key)} becomes {value}"
    return ""


def test_all_news_are_heard() -> None:
    for seed in range(150):
        for program in (random_program(seed, 80), random_control(seed, 25)):
            assert overlooked(program) == "", seed
            behind, _ = optimize(program, ("paste", "cse", "typefold", "algebra"), known=KNOWN)
            assert overlooked(behind) == "", seed


@pytest.mark.interpreted
@pytest.mark.parametrize("forgotten", ["users", "inside", "lists"])
def test_a_forgotten_user_is_noticed(forgotten: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Dependents.__init__

    def without(self: Dependents, *given: object) -> None:
        made(self, *given)  # type: ignore[arg-type]
        users: dict[object, list[int]] = getattr(self, forgotten)
        for key in list(users):
            users[key] = []

    monkeypatch.setattr(Dependents, "__init__", without)
    assert any(overlooked(random_program(seed, 80)) for seed in range(150))
