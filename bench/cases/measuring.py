"""The clock of the benchmark: all sides of a case, interleaved in one process, the best of several rounds each.

    measure(case, rounds=7)    gives {"generic": seconds, "checked": ..., "expert": ..., "ratio": ..., ...}

The residual comes in three forms: "declared" (what is promised of the open inputs is stated and tested at entry),
"checked" (nothing stated; assumptions tested at entry) and "trusted" (declared, nothing tested).
Invariant: a side is timed only if it agreed with the generic program on every input.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from typing import Any

from bench.cases.case import Case, outcome
from futamura import Residual, Specializer

__all__ = ["FORMS", "measure", "race", "timed_inputs"]

FORMS = ("declared", "checked", "trusted")

_SLICE = 0.02
"""Seconds that one turn of a side takes."""

_WARM = 12
"""Calls of a side before it is timed: CPython 3.11 adapts a function whose loops end with their tests at its eighth."""


def residual_of(case: Case, form: str) -> tuple[Residual, float]:
    """The residual in one of its forms, and the seconds that it took, warm, with the collector at rest."""
    specializer = Specializer(assume="trust" if form == "trusted" else "check", **case.options)
    given = dict(case.static) if form == "checked" else {**case.static, **case.declared}
    start = time.process_time()
    made = specializer(case.target, **given)
    if case.once:
        return made, time.process_time() - start
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        made = specializer(case.target, **given)
        return made, time.process_time() - start
    finally:
        gc.enable()


def run_through(side: Callable[..., Any], inputs: Sequence[tuple[Any, ...]]) -> float:
    """Seconds for all inputs once."""
    start = time.process_time()
    for given in inputs:
        try:  # noqa: SIM105 - a context manager would be measured too
            side(*given)
        except Exception:
            pass
    return time.process_time() - start


def race(sides: dict[str, Callable[..., Any]], inputs: Sequence[tuple[Any, ...]], rounds: int) -> dict[str, float]:
    """The best seconds of each side for all inputs once; each round gives every side a turn."""
    for side in sides.values():
        for _ in range(-(-_WARM // len(inputs))):
            run_through(side, inputs)
    turns = {name: max(1, int(_SLICE / max(run_through(side, inputs), 1e-7))) for name, side in sides.items()}
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, side in sides.items():
            taken = sum(run_through(side, inputs) for _ in range(turns[name])) / turns[name]
            best[name] = min(best.get(name, taken), taken)
    return best


def _failure(peer: Callable[..., Any], inputs: Sequence[tuple[Any, ...]]) -> str:
    """What a library raises, if it does for all inputs that the generic program answers: it would be timed for
    giving up."""
    found = ""
    for given in inputs:
        try:
            peer(*given)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        else:
            return ""
    return found


def _answers(side: Callable[..., Any], inputs: Sequence[tuple[Any, ...]]) -> tuple[list[str], float]:
    """What a side answers to each input, and the seconds for all: the only figure of a case that runs once."""
    start = time.process_time()
    answers = [outcome(side, given) for given in inputs]
    return answers, time.process_time() - start


def is_error(text: str) -> bool:
    return "Error: " in text[:40]


def timed_inputs(case: Case, expected: Sequence[str]) -> Sequence[tuple[Any, ...]]:
    """The inputs that all sides are timed on: without those that raise, where a peer has no answer to them."""
    if case.raising_peers:
        return case.inputs
    return [given for given, text in zip(case.inputs, expected) if not is_error(text)]


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """All figures of one case.  Raises SystemExit if a residual does not agree."""
    found: dict[str, Any] = {"case": case.name, "aim": case.aim, "specialization": {}, "fallbacks": {}, "wrong": []}
    found["failing"] = {}
    expected, once = _answers(case.generic, case.inputs)
    taken = {"generic": once}
    sides: dict[str, Callable[..., Any]] = {"generic": case.generic}
    for form in ("trusted",) if case.once else FORMS:
        made, seconds = residual_of(case, form)
        found["specialization"][form] = seconds
        found["specialized"] = bool(made.stats["specialized"])
        found["fallbacks"] = made.stats["fallbacks"]
        answers, taken[form] = _answers(made, case.inputs)
        if answers != expected:
            found["wrong"].append(form)
            continue
        sides[form] = made
    if case.expert is not None:
        if [outcome(case.expert, given) for given in case.inputs] == expected:
            sides["expert"] = case.expert
        else:
            found["wrong"].append("expert")
    for name, peer in case.peers.items():
        failure = _failure(peer, [given for given, text in zip(case.inputs, expected) if not is_error(text)])
        if failure:
            found["failing"][name] = failure
        else:
            sides[name] = peer
    inputs = timed_inputs(case, expected)
    best = {side: taken[side] for side in sides} if case.once else race(sides, inputs, rounds)
    found["seconds"] = best
    found["inputs"] = len(inputs)
    ours = best.get("declared", best.get("trusted"))
    if ours is None:
        return found
    found["speedup"] = best["generic"] / ours
    found["ratios"] = {form: best[form] / best["expert"] for form in FORMS if form in best and "expert" in best}
    found["peers"] = {name: best[name] / ours for name in case.peers if name in best}
    spent = found["specialization"].get("declared", found["specialization"].get("trusted"))
    saved = (best["generic"] - ours) / len(inputs)
    found["break_even"] = spent / saved if saved > 0 else None
    return found
