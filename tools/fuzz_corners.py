"""Fuzzes the specializer with short programs from the corners of the language (`tests/specialize/corners.py`).

    python -m tools.fuzz_corners --count 5000 --seed 1      ->      5000 programs, 0 differences

Invariant: a seed is enough to see a difference again, but for texts of Python itself that differ between its versions.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter

import futamura
from tests.specialize.corners import generate
from tests.specialize.oracle import BAD, check

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--failures", type=int, default=1, help="after how many differences to stop")
    parser.add_argument("--show", action="store_true", help="print the programs as they are")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = 0
    kinds: Counter[str] = Counter()
    for seed in range(given.seed, given.seed + given.count):
        program = generate(seed)
        if given.show:
            print(program.text())
        report = check(program, futamura.specialize)
        kinds[report.kind] += 1
        if report.kind in BAD:
            found += 1
            print(f"1 x {report.kind}: seed {seed}: {report.group}\n{program.text()}\n{report.detail}", flush=True)
            if found >= given.failures:
                break
    print(f"{sum(kinds.values())} programs, {found} differences; {dict(sorted(kinds.items()))}")
    raise SystemExit(1 if found else 0)
