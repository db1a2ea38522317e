"""Functions that nobody wrote for the offline specializer: residuals that do the same, without what was static.

The residual of `register_machine` for a program has neither the program nor its counter; see `untuned.py`.
"""

from __future__ import annotations

import inspect
import re

import pytest
from click.testing import CliRunner

from futamura import Specializer
from futamura.analysis.division import KINDS, POINTS, Kind, Points
from futamura.cli.main import cli
from tests.offline import untuned
from tests.offline.untuned import CASES, Case

NAMES = [f"{case[0].__name__}-{'-'.join(case[1])}" for case in CASES]


def outcome(function: object, *args: object, **more: object) -> str:
    try:
        return repr(function(*args, **more))  # type: ignore[operator]
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("points", POINTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_residuals_do_the_same(case: Case, kind: Kind, points: Points) -> None:
    function, static, rounds, _ = case
    residual = Specializer(mode="offline", division=kind, points=points)(function, **static)
    names = [name for name in inspect.signature(function).parameters if name not in static]
    for given in rounds:
        assert outcome(residual, *given) == outcome(function, **static, **dict(zip(names, given)))


@pytest.mark.parametrize("case", [case for case in CASES if case[3]], ids=[n for n, c in zip(NAMES, CASES) if c[3]])
def test_what_is_static_is_gone(case: Case) -> None:
    function, static, _, gone = case
    residual = Specializer(mode="offline", division="bounded")(function, **static)
    assert residual.stats["specialized"], residual.events
    assert not re.search(rf"\b{gone}\b", residual.source), residual.source


def test_marks_of_an_interpreter() -> None:
    """The tree and what is decided by it are static, the environment is not."""
    target = f"{untuned.__file__}:env_tuples"
    done = CliRunner().invoke(cli, ["bta", target, "--static", "tree", "--division", "bounded"])
    assert done.exit_code == 0, done.output
    rows = done.output.splitlines()
    assert rows[0] == "env_tuples(tree: static, x: dynamic)    bounded, pointwise"
    at = next(number for number, row in enumerate(rows) if row.endswith('if kind == "num":'))
    assert rows[at + 1].split("|")[1].strip() == "s" * len('kind == "num"')
    assert "static: tree, kind" in rows
    assert "dynamic: env: `env` is a dynamic input" in rows
