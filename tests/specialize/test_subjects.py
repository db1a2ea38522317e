"""Every subject is specialized to every one of its static inputs and compared with itself, unspecialized.

    power_for(x, n) with n=5    ->    a residual without `n` and `range`, equal to the original on random x

Counts of versions and of operations left are recorded in `counts.json` and watched: a residual may not grow by more
than a tenth. `FUTAMURA_UPDATE_COUNTS=1 pytest tests/specialize/test_subjects.py` records them anew, where they hold.

Invariant: each subject has at least three static inputs, and there are at least forty subjects.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import futamura

from .comparing import compare
from .specializing import (
    Residual,
    constant_tests,
    fallbacks,
    folded,
    left,
    rungs,
    source_of,
    specialize,
    versions,
    words,
)
from .subjects import (
    automata,
    codecs,
    emulators,
    evaluators,
    languages,
    machine_classes,
    machines,
    matchers,
    numbers,
    records,
    texts,
    toolkits,
    trees,
)
from .table import Case, Subject

MODULES = (
    machines, machine_classes, trees, languages, matchers, records, texts, numbers, automata, codecs,
    emulators, evaluators, toolkits,
)  # fmt: skip
SUBJECTS: list[Subject] = [subject for module in MODULES for subject in module.SUBJECTS]
CASES = [
    pytest.param(subject, case, id=f"{subject.name}-{case.label}") for subject in SUBJECTS for case in subject.cases
]
ROWS = {f"{subject.name}-{case.label}": (subject, case) for subject in SUBJECTS for case in subject.cases}
COUNTS = Path(__file__).with_name("counts.json")
GROWTH = 1.1
"""A residual may have a tenth more versions or operations than recorded."""

SINCE = "since 3.12"
"""The mark of counts of a residual that is another one from this version on: `sum` adds floats with compensation."""

ROUNDS = 12


def test_the_table_is_wide_enough() -> None:
    assert len(SUBJECTS) >= 40
    assert len({subject.name for subject in SUBJECTS}) == len(SUBJECTS)
    for subject in SUBJECTS:
        assert len(subject.cases) >= 3, subject.name
        assert len({case.label for case in subject.cases}) == len(subject.cases), subject.name


@pytest.mark.parametrize(("subject", "case"), CASES)
def test_residual_behaves_like_the_original(subject: Subject, case: Case) -> None:
    compare(case.make, case.inputs or subject.inputs, specialize, ROUNDS)
    if subject.types:
        compare(case.make, case.inputs or subject.inputs, functools.partial(specialize_typed, subject), ROUNDS)


def specialize_typed(subject: Subject, function: Callable[..., Any], /, **static: Any) -> Residual:
    """Specialized with the exact types that the subject states of its open inputs."""
    return specialize(function, **static, **{name: futamura.Dyn(kind) for name, kind in subject.types})


@functools.cache
def residual_of(name: str) -> Residual:
    """The residual of one case by its name, made once for all tests that only look at it."""
    subject, case = ROWS[name]
    function, static = case.make()
    return specialize_typed(subject, function, **static)


def kept(residual: Residual, subject: Subject, case: Case) -> list[str]:
    """Words of the static program that the residual still says, and tests of constants that it still makes."""
    return [*sorted(words(residual) & {*subject.gone, *case.gone}), *constant_tests(residual)]


@pytest.mark.parametrize(("subject", "case"), CASES)
def test_residual_keeps_nothing_of_the_static_program(subject: Subject, case: Case) -> None:
    residual = residual_of(f"{subject.name}-{case.label}")
    assert fallbacks(residual) == {}
    assert folded(residual) > 0 or not case.make()[1]
    assert kept(residual, subject, case) == [], source_of(residual)


@pytest.mark.parametrize(("subject", "case"), CASES)
def test_residual_did_not_grow(subject: Subject, case: Case) -> None:
    name = f"{subject.name}-{case.label}"
    residual = residual_of(name)
    assert fallbacks(residual) == {}
    if sys.version_info >= (3, 12) and f"{name} {SINCE}" in COUNTS.read_text(encoding="utf-8"):
        name = f"{name} {SINCE}"
    found = {"versions": versions(residual), "left": left(residual), "rungs": rungs(residual)}
    recorded: dict[str, dict[str, int]] = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {}
    if os.environ.get("FUTAMURA_UPDATE_COUNTS"):
        if not fallbacks(residual) and not kept(residual, subject, case):
            recorded[name] = found
            lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(recorded.items()))
            COUNTS.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
        return
    assert name in recorded, "run with FUTAMURA_UPDATE_COUNTS=1 and look at the difference"
    for key, count in found.items():
        assert count <= recorded[name][key] * GROWTH + 1, (key, count, recorded[name][key])
