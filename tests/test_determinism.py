"""The same program gives the same text, whatever the hash seed.

    PYTHONHASHSEED=1 and =2: every case of `tests/cases` prints the same IR and the same source

Invariant: each seed has a process of its own, for the seed is fixed when the interpreter starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests import golden

HOUSE = Path(__file__).resolve().parent.parent
PRINT_ALL = """
from tests import golden
from tests.golden import futamura, lower, roundtrip_source

for file in sorted(golden.CASES.rglob("*.test")):
    for case in golden.read_cases(file):
        if case.applies and case.action != "refuse":
            function, _ = golden.targets_of(golden.world(case), case.target)
            print(case.id)
            print(futamura.ir.text.print_program(lower(function).program))
            print(roundtrip_source(function))
"""


def printed(seed: str) -> str:
    path = os.pathsep.join([str(HOUSE), str(HOUSE / "src")])
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": path,
        "PYTHONIOENCODING": "utf-8:backslashreplace",
    }
    line = [sys.executable, "-c", PRINT_ALL]
    done = subprocess.run(line, cwd=HOUSE, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_output_does_not_depend_on_the_hash_seed() -> None:
    first = printed("1")
    assert len(first) > 50_000
    assert first == printed("2")


def test_printing_twice_gives_the_same(tmp_path: Path) -> None:
    """Nothing counts on from one function to the next."""
    cases = [case for case in golden.read_cases(golden.CASES / "loops.test") if case.action == "roundtrip"]
    assert [golden.act(case) for case in cases] == [golden.act(case) for case in cases]
