"""Specialization that goes back to where something was first asked, against starting again from the beginning.

    specialize(recursive validator, schema)    with `rewind` and without it    ->   the same text, with fewer runs

Invariant: going back saves work and changes nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import futamura
from futamura.specializer import online
from futamura.specializer.caching import Caches
from futamura.specializer.knowledge import Knowledge, Learned
from futamura.specializer.machine import Machine

from .memo_programs import memos
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


@pytest.mark.interpreted
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


def looked_up(memo: dict[Any, Any], keys: tuple[int, ...], x: int) -> list[Any]:
    """Its trial learns of three loops one after the other that they are not to be unrolled."""
    out: list[Any] = []
    for key in keys:
        found = memo.get(key)
        if found is None:
            found = memo[key] = (key, key + 1)
        out.append(found)
    while x > 0:
        x -= out[0][1]
    while x < 10:
        x += out[1][1]
    while x > 5:
        x -= out[2][1]
    return [x, *out]


def runs_of_trials(monkeypatch: pytest.MonkeyPatch, residual_of: Callable[[], futamura.Residual]) -> tuple[str, int]:
    """The text of a residual, and how many versions were executed for it."""
    runs = 0
    run_version = Machine.run_version

    def counted(self: Machine, version: Any) -> None:
        nonlocal runs
        runs += 1
        run_version(self, version)

    with monkeypatch.context() as patch:
        patch.setattr(Machine, "run_version", counted)
        return residual_of().source, runs


@pytest.mark.interpreted
def test_a_trial_of_caches_goes_back_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def residual_of() -> futamura.Residual:
        memo: dict[Any, Any] = {}
        residual = futamura.Specializer(caches=[memo])(looked_up, memo=memo, keys=(3, 1, 2))
        assert [residual(x) for x in range(-20, 20)] == [looked_up({}, (3, 1, 2), x) for x in range(-20, 20)]
        return residual

    text, runs = runs_of_trials(monkeypatch, residual_of)
    with monkeypatch.context() as patch:
        patch.setattr(online, "rewind", lambda machine, versions, knowledge: False)
        plain, more = runs_of_trials(monkeypatch, residual_of)
    assert text == plain
    assert "memo" not in text
    assert runs < more


@pytest.mark.parametrize("seed", range(0, 120, 4))
def test_random_memo_tables_do_not_depend_on_going_back(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = memos(seed)
    text = futamura.Specializer(caches=program.caches())(program.main, s=3).source
    monkeypatch.setattr(online, "rewind", lambda machine, versions, knowledge: False)
    assert futamura.Specializer(caches=program.caches())(program.main, s=3).source == text


def test_a_trial_that_found_an_entry_open_or_gave_up_starts_anew() -> None:
    caches, memo = Caches(), dict[Any, Any]()
    caches.declare(memo)
    assert caches.missing(memo, 1)
    back = caches.checkpoint()
    assert caches.missing(memo, 2) and caches.note(memo, 1, "one", []) and caches.may_go_back()
    back()
    assert caches.in_trial() and caches.is_asked(memo, 1)
    assert not caches.is_asked(memo, 2) and caches.entry(memo, 1) is None
    assert not caches.open(memo, 1)
    assert not caches.may_go_back()
    assert caches.again() and caches.may_go_back()
    assert caches.missing(memo, 2) and caches.give_up()
    assert not caches.may_go_back()
    assert not caches.missing(memo, 2)


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
