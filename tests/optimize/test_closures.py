"""The passes over closures: random functions, and the analyses that they rely on.

    def f(t, a, b): ... def g1(x, y=2): ...      ->      through the passes, emitted and interpreted: the same events

The pictures of what each pass does are golden cases, `tests/cases/optimizer_programs.test`.
"""

from __future__ import annotations

import collections

import pytest

from tools.fuzz_closures import ABOUT_CLOSURES, check


@pytest.mark.parametrize("part", range(3))
def test_random_functions_mean_the_same(part: int) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(part * 10_000, part * 10_000 + 120):
        assert check(seed, counts) == ""
    assert {name for name in ABOUT_CLOSURES if not counts[f"changed {name}"]} == set()
