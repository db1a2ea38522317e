"""Specialization that goes back to where something was first asked, against starting again from the beginning.

    specialize(recursive validator, schema)    with `rewind` and without it    ->   the same text, with fewer runs

Invariant: going back saves work and changes nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import futamura
from futamura.specializer import online
from futamura.specializer.knowledge import Knowledge, Learned
from futamura.specializer.machine import Machine

from .table import Case, Subject

MODULES = ("automata", "evaluators", "matchers", "records", "texts", "trees")


def cases() -> list[tuple[str, Case]]:
    found = []
    for name in MODULES:
        subjects: list[Subject] = importlib.import_module(f"tests.specialize.subjects.{name}").SUBJECTS
        found.extend((f"{name}: {subject.name}-{case.label}", case) for subject in subjects for case in subject.cases)
    return found


def text_of(case: Case) -> tuple[str, tuple[Any, ...], int]:
    function, static = case.make()
    residual = futamura.specialize(function, **static)
    return residual.source, tuple((event.code, event.reason) for event in residual.events), residual.stats["restarts"]


def test_going_back_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [0, 0]
    rewinding = True
    run_version = Machine.run_version

    def counted(self: Machine, version: Any) -> None:
        runs[rewinding] += 1
        run_version(self, version)

    monkeypatch.setattr(Machine, "run_version", counted)
    chosen = cases()[::3]
    with_it = [text_of(case) for _, case in chosen]
    monkeypatch.setattr(online, "rewind", lambda machine, versions, knowledge: False)
    rewinding = False
    for (label, case), expected in zip(chosen, with_it):
        assert text_of(case) == expected, label
    assert runs[True] < runs[False]


def test_the_first_question_whose_answer_is_another_one_now() -> None:
    knowledge = Knowledge()
    numbers, letters = Learned[int](knowledge), Learned[str](knowledge)
    knowledge.now = 3
    assert 7 not in numbers
    knowledge.now = 5
    assert 7 not in numbers
    assert "a" not in letters
    assert knowledge.answers_change() is None
    letters.add("a")
    assert knowledge.answers_change() == 5
    numbers.add(7)
    assert knowledge.answers_change() == 3
    knowledge.rewind(2)
    assert knowledge.answers_change() is None
    assert 7 in numbers
    assert "a" in letters


def test_what_was_cleared_comes_back_as_far_as_the_runs_that_stand_found_it() -> None:
    knowledge = Knowledge()
    places, sites = Learned[str](knowledge), Learned[str](knowledge)
    knowledge.now = 2
    places.add("early")
    knowledge.now = 4
    assert "site" not in sites
    knowledge.now = 6
    places.add("late")
    places.clear()
    sites.add("site")
    assert knowledge.answers_change() == 4
    knowledge.rewind(3)
    assert places.has("early")
    assert not places.has("late")


def test_what_was_known_from_the_start_and_is_cleared_takes_back_whoever_used_it() -> None:
    knowledge = Knowledge()
    places = Learned[str](knowledge)
    places.add("known")
    knowledge.start()
    knowledge.now = 4
    assert "known" in places
    places.clear()
    assert knowledge.answers_change() == 4
