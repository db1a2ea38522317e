"""Runs every case of `tests/cases`: the text that comes out, and the meaning of what comes out.

    tests/cases/loops.test:while_sum    ->    test_text[loops:while_sum], test_meaning[loops:while_sum]

Invariant: nothing is rewritten unless asked (`--update-goldens` or FUTAMURA_UPDATE_GOLDENS=1).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import golden

# A generator that ignores its close is collected some time later; Python can only print that.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

ALL = [case for file in sorted(golden.CASES.rglob("*.test")) for case in golden.read_cases(file)]


def updating(config: pytest.Config) -> bool:
    return bool(config.getoption("--update-goldens")) or os.environ.get("FUTAMURA_UPDATE_GOLDENS", "") not in ("", "0")


@pytest.mark.parametrize("case", [case for case in ALL if case.out is not None], ids=lambda case: case.id)
def test_text(case: golden.Case, pytestconfig: pytest.Config) -> None:
    if not case.applies:
        pytest.skip("the case is about another version of Python")
    text = golden.act(case)
    if updating(pytestconfig):
        if text != case.out:
            assert case.out_version is not None
            golden.write_outs(case.file, {(case.name, case.out_version): text})
        return
    assert text == case.out


@pytest.mark.parametrize("case", [case for case in ALL if case.runs], ids=lambda case: case.id)
def test_meaning(case: golden.Case) -> None:
    if not case.applies:
        pytest.skip("the case is about another version of Python")
    original, result = golden.world(case), golden.replaced(case)
    for number, line in case.runs:
        expression, raises, name = line.partition(" raises ")
        expected = golden.run(original, expression)
        place = f"{case.file.name}:{number}: {line}"
        assert expected.value != "bool False", f"{place}: not true of the original"
        assert bool(expected.raised) == bool(raises), f"{place}: {expected.raised or expected.value}"
        assert expected.raised.partition(":")[0] == name.strip(), place
        assert golden.run(result, expression) == expected, place


@pytest.mark.parametrize("case", [case for case in ALL if case.runs], ids=lambda case: case.id)
def test_interpreter(case: golden.Case) -> None:
    """The same lines, with the subject run by the reference interpreter.  It has no code object to look at."""
    if not case.applies:
        pytest.skip("the case is about another version of Python")
    original, result = golden.world(case), golden.interpreted(case)
    for number, line in case.runs:
        if "__code__" in line:
            continue
        expression = line.partition(" raises ")[0]
        assert golden.run(result, expression) == golden.run(original, expression), f"{case.file.name}:{number}: {line}"


@pytest.mark.parametrize(
    "case", [case for case in ALL if case.action == "roundtrip" and case.runs], ids=lambda case: case.id
)
def test_round_trip_of_the_round_trip(case: golden.Case) -> None:
    """What comes out goes in again, and means the same."""
    if not case.applies:
        pytest.skip("the case is about another version of Python")
    original, result = golden.world(case), golden.replaced(case)
    function, put = golden.targets_of(result, case.target)
    put(golden.roundtrip(function))
    for number, line in case.runs:
        expression = line.partition(" raises ")[0]
        assert golden.run(result, expression) == golden.run(original, expression), f"{case.file.name}:{number}: {line}"


def test_there_are_cases() -> None:
    assert len(ALL) >= 150


def test_a_wrong_result_is_noticed() -> None:
    """The oracle itself: a subject that does something else must not pass."""
    case = golden.Case(golden.CASES / "planted.test", "planted", 1, "def f(x):\n    note(x)\n    return x + 1\n")
    right, wrong = golden.world(case), golden.world(case)
    exec("def f(x):\n    note(x)\n    return x + 2\n", wrong.module.__dict__)
    assert golden.run(right, "f(1)") != golden.run(wrong, "f(1)")
    exec("def f(x):\n    return x + 1\n", wrong.module.__dict__)
    assert golden.run(right, "f(1)") != golden.run(wrong, "f(1)")
    exec("def f(x):\n    note(x)\n    return x + 1.0\n", wrong.module.__dict__)
    assert golden.run(right, "f(1)") != golden.run(wrong, "f(1)")
    exec("def f(x):\n    raise ValueError\n", wrong.module.__dict__)
    assert golden.run(right, "f(1)") != golden.run(wrong, "f(1)")


def test_the_format_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "bad.test"
    file.write_text("[in]\nx\n")
    with pytest.raises(golden.CaseError, match="before the first"):
        golden.read_cases(file)
    file.write_text("stray\n")
    with pytest.raises(golden.CaseError, match="outside"):
        golden.read_cases(file)
