"""Analyses and offline specialization take steps that are linear in the size of the graph: executed lines of Python.

    liveness and dominators of a ladder of 800 and of 6400 blocks: 55 lines a block, both times

Time would be that of caches and of whatever else runs; the count is the same everywhere.
"""

from __future__ import annotations

import math

import pytest

from bench.analyses import SHAPES, SUBJECTS, lines_executed
from tests import conftest

SIZES = {
    "liveness+dominators": (800, 6400), "control dependence": (800, 6400), "binding times": (400, 1600),
    "offline": (400, 1600),
}  # fmt: skip


@pytest.mark.parametrize("subject", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_steps_grow_with_the_size(shape: str, subject: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "check", lambda division: None)  # what it takes is not what is counted here
    counts = []
    for size in SIZES[subject]:
        function = SHAPES[shape](size)
        counts.append((len(function.blocks), lines_executed(function, SUBJECTS[subject])))
    (few, least), (many, most) = counts
    assert math.log(most / least) / math.log(many / few) < 1.03, counts
