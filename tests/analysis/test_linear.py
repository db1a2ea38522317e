"""The analyses take a number of steps that is linear in the size of the graph, counted in executed lines of Python.

    liveness and dominators of a ladder of 800 and of 6400 blocks: 55 lines a block, both times

Time would be that of caches and of whatever else runs; the count is the same everywhere.
"""

from __future__ import annotations

import math

import pytest

from bench.analyses import SHAPES, SUBJECTS, lines_executed

FEW, MANY = 800, 6400


@pytest.mark.parametrize("subject", ["liveness+dominators", "control dependence"])
@pytest.mark.parametrize("shape", SHAPES)
def test_steps_grow_with_the_size(shape: str, subject: str) -> None:
    counts = []
    for size in (FEW, MANY):
        function = SHAPES[shape](size)
        counts.append((len(function.blocks), lines_executed(function, SUBJECTS[subject])))
    (few, least), (many, most) = counts
    assert math.log(most / least) / math.log(many / few) < 1.03, counts
