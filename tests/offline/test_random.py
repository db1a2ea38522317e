"""Random graphs (protected statements, cells, generators, irreducible loops) mean the same after specialization.

The residual is run by the reference interpreter, and some by way of the Python back end; each division is checked for
congruence by the independent checker.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from futamura.analysis.division import KINDS, POINTS
from futamura.driver import load_program
from futamura.ir.graph import Program
from futamura.specializer.offline.offline import OfflineOptions, OfflineOutcome, specialize_offline
from tests.bindingtimes.congruence import check
from tests.fuzz.graphs import observe, random_program
from tests.fuzz.oracles import interpreted


def specialized(seed: int) -> tuple[Program, OfflineOutcome]:
    """A random program and its residual under random options, for some of its three numbers."""
    program = random_program(seed)
    choose = random.Random(seed)
    values = dict(zip(program.main.signature.names[2:], (1, 2, 3)))
    static = {name: value for name, value in values.items() if choose.random() < 0.7}
    follow, trim = choose.random() < 0.5, choose.random() < 0.7
    options = OfflineOptions(choose.choice(KINDS), choose.choice(POINTS), follow=follow, trim=trim, budget=3000)
    return program, specialize_offline(program, static, options)


def open_call(program: Program, residual: Program, call: Callable[..., Any]) -> Callable[..., Any]:
    """`call`, which takes the open inputs, as a function of all inputs."""
    names = program.main.signature.names
    wanted = residual.main.signature.names
    return lambda *args: call(*[dict(zip(names, args))[name] for name in wanted])


@pytest.mark.parametrize("seed", range(60))
def test_the_residual_does_what_the_program_does(seed: int) -> None:
    program, outcome = specialized(seed)
    check(outcome.division)
    residual = outcome.program
    assert residual is not None, outcome.events
    call = open_call(program, residual, interpreted(residual, {}))
    for run in range(4):
        assert observe(interpreted(program, {}), run) == observe(call, run)


@pytest.mark.parametrize("seed", range(300, 320))
def test_the_residual_can_be_printed_as_python(seed: int) -> None:
    program, outcome = specialized(seed)
    residual = outcome.program
    assert residual is not None, outcome.events
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        made = load_program(residual, {})
    call = open_call(program, residual, made)
    for run in range(2):
        assert observe(interpreted(program, {}), run) == observe(call, run)
