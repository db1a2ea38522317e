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
from tests.offline import untuned, untuned_python
from tests.offline.untuned import Case

CASES = [*untuned.CASES, *untuned_python.CASES]

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
    assert rows[0] == "env_tuples(tree: static, x: dynamic) -> dynamic    bounded, pointwise"
    at = next(number for number, row in enumerate(rows) if row.endswith('if kind == "num":'))
    assert rows[at + 1].split("|")[1].strip() == "s" * len('kind == "num"')
    assert "static: tree, kind" in rows
    (chain,) = {row for row in rows if row.startswith("dynamic: env: `env` is a dynamic argument <- uses")}
    assert chain.endswith("`x` is a dynamic input")


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_marks_of_everything(case: Case) -> None:
    """The command prints the source of each function, with marks under it, whatever is in it."""
    function, static, _, _ = case
    target = f"{inspect.getsourcefile(function)}:{function.__name__}"
    chosen = [part for name in static for part in ("--static", name)]
    done = CliRunner().invoke(cli, ["bta", target, *chosen])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"{function.__name__}("), done.output
    marks = re.findall(r"^ +\|([ sd]+)$", done.output, re.MULTILINE)
    open_ones = set(inspect.signature(function).parameters) - set(static)
    assert marks and any("d" in row for row in marks) == bool(open_ones), done.output
