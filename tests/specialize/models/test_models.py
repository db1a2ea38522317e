"""Each model against Python itself, over values of every type, and what it folds when enough is known.

    visited(edges, start, x)    with edges and start known    ->    no set is left, and equal results for every x

Invariant: every subject has a known input with which its model folds; fallbacks count as failures.
"""

from __future__ import annotations

import pytest

from ..comparing import compare
from ..specializing import fallbacks, folded, source_of, specialize, words
from ..table import Case, Subject
from . import aggregates, collecting, describing, dunders, iterators, libraries, matching, records, sets, texts

ROUNDS = 60
"""So many that each kind of value is met, since rounds are seeds."""

MODULES = (sets, iterators, dunders, describing, aggregates, libraries, texts, records, collecting, matching)
CASES = [
    pytest.param(subject, case, id=f"{subject.name}-{case.label}")
    for module in MODULES
    for subject in module.SUBJECTS
    for case in subject.cases
]


@pytest.mark.parametrize(("subject", "case"), CASES)
def test_model(subject: Subject, case: Case) -> None:
    residual = compare(case.make, case.inputs or subject.inputs, specialize, ROUNDS)
    assert fallbacks(residual) == {}, source_of(residual)
    assert folded(residual) > 0 or not subject.gone
    assert sorted(words(residual) & {*subject.gone, *case.gone}) == [], source_of(residual)
