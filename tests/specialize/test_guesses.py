"""Where an operator on an open input could change a static object, the input's class is guessed: calls with it run one
residual, all others one that is made without the guess.

Invariant: no input is treated as if it had the class that was guessed, unless it has.
"""

from __future__ import annotations

import pickle
import random
import sys
from typing import Any

import pytest

import futamura
from futamura import SavingError, Specializer
from tests.specialize.specializing import fallbacks, source_of, specialize


class Machine:
    def __init__(self, code: Any) -> None:
        self.code = code
        self.at = 0
        self.total: Any = 0

    def run(self, x: Any) -> Any:
        self.at, self.total = 0, x
        while self.at < len(self.code):
            name, operand = self.code[self.at]
            self.at += 1
            getattr(self, f"do_{name}")(operand)
        return self.total

    def both(self, x: Any, y: Any) -> Any:
        self.total = x
        for name, operand in self.code:
            getattr(self, "do_" + name)(operand)
            self.total = y - self.total
        return self.total

    def do_add(self, operand: Any) -> None:
        self.total += operand

    def do_scale(self, operand: Any) -> None:
        self.total *= operand

    def do_skip(self, operand: Any) -> None:
        self.at += operand


CODE = [("add", 1), ("scale", 3), ("skip", 1), ("add", 100), ("add", 2)]


class Meddler:
    """An operand whose operators look at the machine, and change it."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine
        self.seen: list[Any] = []

    def __iadd__(self, other: Any) -> Any:
        self.seen.append((self.machine.at, other))
        if len(self.seen) < 3:
            self.machine.at = 1
        return self

    def __imul__(self, other: Any) -> Any:
        self.seen.append(("*", self.machine.at, self.machine.code[0]))
        self.machine.do_add = lambda operand: self.seen.append(operand)
        return self


INPUTS: list[Any] = [0, 5, -3, True, 2.5, "ab", b"x", [1], (1,), None, 1j, {"a": 1}, int]


def outcome(machine: Any, call: Any, *args: Any) -> Any:
    machine.at, machine.total = 0, 0
    vars(machine).pop("do_add", None)
    try:
        return call(*args), machine.at, machine.total
    except Exception as error:
        return type(error), str(error), machine.at, repr(machine.total)


def test_the_usual_class_is_specialized() -> None:
    machine, again = Machine(CODE), Machine(CODE)
    residual = specialize(machine.run)
    assert "getattr" not in source_of(residual) and "code" not in source_of(residual), source_of(residual)
    assert not fallbacks(residual) and residual.stats["notes"]["FT409"] == 1
    for given in INPUTS:
        mine = list(given) if isinstance(given, list) else given
        assert outcome(machine, residual, given) == outcome(again, again.run, mine), given


@pytest.mark.parametrize("name", ["run", "both"])
def test_operands_that_meddle(name: str) -> None:
    machine, again = Machine(CODE), Machine(CODE)
    residual = specialize(getattr(machine, name))
    others = [3] if name == "both" else []
    mine, theirs = Meddler(machine), Meddler(again)
    found = outcome(machine, residual, mine, *others)[1:2], mine.seen
    assert found == (outcome(again, getattr(again, name), theirs, *others)[1:2], theirs.seen)
    for given in INPUTS:
        for other in (4, 0.5, "y"):
            args = [given, other] if name == "both" else [given]
            if isinstance(given, list):
                continue
            assert outcome(machine, residual, *args) == outcome(again, getattr(again, name), *args), args


def test_promises_and_trust_are_no_guesses() -> None:
    for made in (
        futamura.specialize(Machine(CODE).run, futamura.Dyn(int)),
        Specializer(assume="trust")(Machine(CODE).run),
    ):
        assert "FT409" not in made.stats["notes"]
        assert made(5) == Machine(CODE).run(5)


def test_a_guess_is_kept_by_pickling_but_no_refusal_in_a_module() -> None:
    residual = specialize(Machine(CODE).run)
    again = pickle.loads(pickle.dumps(residual))
    assert [again(x) for x in (5, 2.5, True)] == [Machine(CODE).run(x) for x in (5, 2.5, True)]
    with pytest.raises(SavingError):
        residual.module_text()


def test_strict_accepts_a_guess() -> None:
    residual = Specializer(strict=True)(Machine(CODE).run)
    assert residual(7) == Machine(CODE).run(7) and "getattr" not in residual.source


class Writer:
    """What it does with an open value may look at it, and change it."""

    def __init__(self, steps: Any) -> None:
        self.steps = steps
        self.at = 0
        self.value: Any = None
        self.out: list[Any] = []

    def run(self, value: Any) -> list[Any]:
        self.at, self.value, self.out = 0, value, []
        while self.at < len(self.steps):
            step = self.steps[self.at]
            self.at += 1
            getattr(self, "do_" + step)()
        return self.out

    def do_text(self) -> None:
        self.out.append(str(self.value))

    def do_shown(self) -> None:
        self.out.append(f"<{self.value!r:>5}>")

    def do_whole(self) -> None:
        self.value = int(self.value)

    def do_size(self) -> None:
        self.out.append(abs(self.value))

    def do_kind(self) -> None:
        self.out.append(isinstance(self.value, int))

    def do_known(self) -> None:
        self.out.append(self.value in (3, 5, "x"))

    def do_next(self) -> None:
        self.value = self.value + 1


class Peeping:
    """A value that looks at the machine, and moves it, whenever something is done with it."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine
        self.seen: list[Any] = []

    def _look(self, name: str) -> None:
        machine = self.machine
        self.seen.append((name, machine.at, len(machine.out)))
        if len(self.seen) == 2:
            machine.at += 1
            machine.out.append("moved")

    def __str__(self) -> str:
        self._look("str")
        return "peeping"

    def __repr__(self) -> str:
        self._look("repr")
        return "?"

    def __int__(self) -> int:
        self._look("int")
        return 4

    def __abs__(self) -> int:
        self._look("abs")
        return 9

    def __eq__(self, other: object) -> bool:
        self._look("eq")
        return False

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> Any:
        self._look("add")
        return self


STEPS = ["text", "shown", "whole", "size", "kind", "known", "next"]


@pytest.mark.parametrize("step", STEPS)
def test_what_is_done_first_with_an_open_value(step: str) -> None:
    steps = (step, "next", "text", step)
    residual = specialize(Writer(steps).run)
    assert not fallbacks(residual)
    assert "do_" not in source_of(residual) and residual.stats["notes"]["FT409"] == 1, source_of(residual)


@pytest.mark.parametrize("seed", range(12))
def test_values_of_all_kinds(seed: int) -> None:
    choose = random.Random(seed)
    steps = tuple(choose.choice(STEPS) for _ in range(6))
    mine, theirs = Writer(steps), Writer(steps)
    residual = specialize(mine.run)

    def found(machine: Any, run: Any, value: Any) -> Any:
        try:
            return repr(run(value)), machine.at, getattr(value, "seen", None)
        except Exception as error:
            return repr(error), machine.at, repr(machine.out), getattr(value, "seen", None)

    for value in [*INPUTS, 3, "x", "12"]:
        assert found(mine, residual, value) == found(theirs, theirs.run, value), (steps, value)
    assert found(mine, residual, Peeping(mine)) == found(theirs, theirs.run, Peeping(theirs)), steps


class Keeping:
    """With a text it does something else, and remembers that."""

    def __init__(self) -> None:
        self.at, self.k = 0, 4

    def step(self, x: Any) -> Any:
        self.at = 7
        text = str(x)
        if isinstance(x, str):
            self.k = len(x)
        return text, self.k


def test_what_calls_with_other_classes_write_is_seen() -> None:
    mine, theirs = Keeping(), Keeping()
    residual = specialize(mine.step)
    assert residual.stats["notes"]["FT409"] == 1  # type: ignore[attr-defined]
    for x in (3, 5, "abcdefg", 3, 2.5, "ab", 4):
        assert residual(x) == theirs.step(x)


def test_calls_with_other_classes_that_change_nothing_are_forgotten() -> None:
    machine = Machine(CODE)
    residual: Any = specialize(machine.run)
    inner = residual.function.__code__
    assert residual(2.5) == Machine(CODE).run(2.5)
    calls = []

    def watch(frame: Any, event: str, given: Any) -> None:
        if event == "call":
            calls.append(frame.f_code)

    assert residual(5) == Machine(CODE).run(5)
    sys.setprofile(watch)
    try:
        assert residual(6) == Machine(CODE).run(6)
    finally:
        sys.setprofile(None)
    assert calls[0] is inner and [one.co_name for one in calls].count("run") == 2  # the residual, and the original's
