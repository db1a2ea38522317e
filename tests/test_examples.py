"""The examples: each is specialized as its README says and compared with the generic program on all its inputs.

    own()["power"]    specialize(power, n=13)(x) against power(x, 13), floats by `repr`

Invariant: results, exceptions and messages are equal.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.cases.case import outcome
from bench.cases.loading import EXAMPLES
from bench.cases.measuring import measure
from bench.cases.own import own
from futamura import Specializer

MAKERS = dict(own())
LONG = {"mandelbrot"}


@pytest.mark.parametrize("form", ["check", "trust"])
@pytest.mark.parametrize("name", [name for name in MAKERS if name not in LONG])
def test_residuals_do_what_the_examples_do(name: str, form: str) -> None:
    case = MAKERS[name]()
    given = {**case.static, **case.declared} if form == "trust" else case.static
    residual = Specializer(assume=form)(case.target, **given)
    for inputs in case.inputs[:40]:
        assert outcome(residual, inputs) == outcome(case.generic, inputs)


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in LONG])
def test_examples_are_specialized(name: str) -> None:
    case = MAKERS[name]()
    residual = Specializer(**case.options)(case.target, **case.static)
    assert residual.stats["specialized"], residual.events
    assert residual.stats["notes"].keys() <= {"FT402", "FT409"}, residual.stats["notes"]


def test_the_machine_of_methods_disappears_without_declarations() -> None:
    case = MAKERS["sieve by methods"]()
    residual = Specializer()(case.target, **case.static)
    assert residual.stats["versions"] > 20 and "_list" in residual.source
    (inputs,) = case.inputs
    assert residual(*inputs) == case.generic(*inputs)


def test_the_schema_disappears() -> None:
    case = MAKERS["schema"]()
    residual = Specializer()(case.target, **case.static)
    assert "FT406" not in residual.stats["notes"] and "maxLength" not in residual.source


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in LONG])
def test_experts_agree(name: str) -> None:
    case = MAKERS[name]()
    if case.expert is None:
        pytest.skip("no expert for this one")
    for inputs in case.inputs:
        assert outcome(case.expert, inputs) == outcome(case.generic, inputs)


def test_each_example_says_what_disappears() -> None:
    folders = sorted(path for path in EXAMPLES.iterdir() if path.is_dir() and any(path.glob("*.py")))
    assert len(folders) >= 10
    for folder in folders:
        assert "What disappears" in (folder / "README.md").read_text(encoding="utf-8"), folder


def test_figures_of_a_case() -> None:
    case = MAKERS["power"]()
    case.inputs = case.inputs[:3]
    found = measure(case, 1)
    assert found["wrong"] == []
    assert set(found["seconds"]) >= {"generic", "declared", "checked", "trusted", "expert"}
    assert found["speedup"] > 0


def test_a_wrong_expert_is_named() -> None:
    case = MAKERS["power"]()
    case.inputs = case.inputs[:3]
    case.expert = lambda x: x
    assert measure(case, 1)["wrong"] == ["expert"]


def test_the_demo_runs() -> None:
    demo = EXAMPLES / "brainfuck" / "demo.py"
    source = Path(__file__).resolve().parent.parent / "src"
    found = subprocess.run(
        [sys.executable, str(demo)], capture_output=True, text=True, env={"PYTHONPATH": str(source)}, check=False
    )
    assert found.returncode == 0, found.stderr
    assert "equal output" in found.stdout
    assert "while" in found.stdout
