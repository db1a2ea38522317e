"""What a specialization needs while it runs is freed at its end, without a collection.

    specialize(tally, rows=...), the collector disabled   ->   no version, frame or shape is alive

Circles would keep it all until the collector looks at everything that a specialization made, which takes as long as a
third of the specialization.  Invariant: objects that were there before do not count.
"""

from __future__ import annotations

import gc
from typing import Any

import futamura
from futamura.backend.python.expressing import Expressions
from futamura.optimize.inference import Inference
from futamura.optimize.shapes import Shape
from futamura.specializer.machine import Machine
from futamura.specializer.residual import ResidualBlock, Version
from futamura.specializer.state import Frame, State
from futamura.specializer.versions import Versions

WORKING = (Expressions, Frame, Inference, Machine, ResidualBlock, Shape, State, Version, Versions)


def tally(rows: list[tuple[str, int]], values: list[Any]) -> list[Any]:
    """A loop over open data inside one over static data, with what grows: it starts again on the way."""
    found: list[Any] = []
    for name, size in rows:
        for value in values:
            if value == name:
                found.append((value, size))
            elif len(found) > size:
                found.pop()
    return found


def alive() -> dict[int, object]:
    return {id(one): one for one in gc.get_objects() if type(one) in WORKING}


def test_a_specialization_leaves_nothing_to_the_collector() -> None:
    rows = [("a", 1), ("b", 2), ("c", 3)]
    futamura.specialize(tally, rows=rows)  # what is kept for good is there now
    gc.collect()
    before = alive()
    enabled = gc.isenabled()
    gc.disable()
    try:
        residual = futamura.specialize(tally, rows=rows)
        left = [type(one).__name__ for number, one in alive().items() if number not in before]
    finally:
        if enabled:
            gc.enable()
    assert residual(["a", "c", "b"]) == tally(rows, ["a", "c", "b"])
    assert residual.stats["restarts"] and residual.stats["specialized"], residual.stats
    assert left == []


def handed_over(rows: Any, k: Any, call: Any) -> Any:
    call(rows[k])
    rows[k].append(1)
    return call.seen.last[0]


def test_what_the_residual_may_change_is_forgotten_once_it_is_known() -> None:
    def objects() -> int:
        for _ in range(3):
            futamura.specialize(handed_over, rows=[[1], [2]])
        gc.collect()
        return len(gc.get_objects())

    objects()
    before = objects()
    assert objects() <= before + 20
