"""The same residual text under two hash seeds, in a fresh process, and after other specializations ran before.

    PYTHONHASHSEED=1  all subjects of a module        \\
    PYTHONHASHSEED=2  all subjects, the last one first /   the same texts, byte for byte, reasons included

Invariant: each run is a process of its own, so that nothing is left from the run before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .residual_texts import residual_texts
from .test_subjects import MODULES

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("numbers", "records")
"""The others take seconds each, and run with the slow tests."""


def texts_in_process(name: str, seed: str, *options: str) -> dict[str, str]:
    command = [sys.executable, "-m", "tests.specialize.residual_texts", name, *options]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=200)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
        for name in (module.__name__.rpartition(".")[2] for module in MODULES)
    ],
)
def test_the_same_text_in_every_process(name: str) -> None:
    first = texts_in_process(name, "1")
    second = texts_in_process(name, "20", "reversed")
    assert len(first) >= 3
    assert [label for label in first if first[label] != second[label]] == []


def test_the_same_text_after_everything_else() -> None:
    """This process has specialized whatever the tests before this one did."""
    here = residual_texts(["numbers"], backwards=False)
    assert texts_in_process("numbers", "3") == here == residual_texts(["numbers"], backwards=True)
