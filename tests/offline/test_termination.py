"""With a safe or bounded division specialization ends whenever the program does, on random flow-graph programs.

Programs that run for ever, or end in an error, are left out: an operation that always fails looks to the analysis like
one that may succeed.  The budget is small and nothing is generalized, so that an endless specialization would show.
"""

from __future__ import annotations

import random

import pytest

from futamura.analysis.division import POINTS
from futamura.frontend.flow.lowering import lower_flow
from futamura.specializer.offline.offline import OfflineOptions, specialize_offline
from tests.bindingtimes.congruence import check
from tests.flow.random_flow import random_case, shown
from tests.offline.flowing import offline, output

FUEL = 3000


@pytest.mark.parametrize("start", range(0, 160, 20))
def test_safe_and_bounded_divisions_end(start: int) -> None:
    compared = 0
    for seed in range(start, start + 20):
        case = random_case(seed)
        choose = random.Random(seed)
        lowered = lower_flow(case.text, "random.flow", trim=choose.random() < 0.5)
        runs = [shown(lowered.program, {**case.static, **given}, FUEL) for given in case.rounds]
        if any(run is None or run.error is not None for run in runs):
            continue
        options = OfflineOptions(
            choose.choice(["safe", "bounded"]), choose.choice(POINTS), follow=choose.random() < 0.5, budget=600,
            generalize=False,
        )  # fmt: skip
        outcome = specialize_offline(lowered.program, case.static, options)
        check(outcome.division)
        assert outcome.program is not None, (seed, options, outcome.events)
        compared += 1
        for given, run in zip(case.rounds, runs):
            residual = shown(outcome.program, {n: given[n] for n in outcome.program.main.signature.names}, FUEL)
            assert residual == run, (seed, options)
    assert compared >= 3


GROWING = """
A:
  read d
  v = 1
  goto H
H:
  d = d - 1
  if d > 0 then goto B else goto E
B:
  v = v + 1
  goto C
C:
  goto D
D:
  goto H
E:
  print v
  return
"""


@pytest.mark.parametrize("trim", [True, False])
@pytest.mark.parametrize("points", POINTS)
def test_a_variable_that_grows_by_way_of_other_blocks_is_not_bounded(trim: bool, points: str) -> None:
    done = offline(GROWING, {}, division="bounded", points=points, trim=trim, generalize=False, budget=200)
    assert "v" not in done.statics()
    assert done.output(d=4) == ["4"]


@pytest.mark.parametrize("step", ["cons(1, t)", "[t, t]", "t + t", "t + [1]", "[t]"])
def test_tuples_that_grow_under_a_simple_division_are_left_to_the_program(step: str) -> None:
    """Nested ones grow twice as fast as they are made, and a long one is copied each time: both are bounded."""
    text = f"L: read t read d goto M M: if d then goto B else goto E B: t = {step} d = d - 1 goto M E: print t return"
    done = offline(text, {"t": (1,)}, division="simple")
    assert done.outcome.restarts and "t" not in done.statics()
    assert len(done.residual.main.blocks) < 10
    assert done.output(d=3) == output(done.lowered.program, {"t": (1,), "d": 3})


def test_a_tuple_that_is_made_once_may_be_long() -> None:
    text = "L: read d t = [] i = 0 goto M M: if i < 600 then goto B else goto E "
    text += "B: t = cons(i, t) i = i + 1 goto M E: print car(t) + d return"
    done = offline(text, {})
    assert done.names() == ["add", "show"] and done.output(d=1) == ["600"]
