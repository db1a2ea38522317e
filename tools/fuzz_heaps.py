"""Fuzzes what is believed of static objects: random programs over one that is shared by many ways.

    python -m tools.fuzz_heaps --count 5000 --seed 1      ->      5000 programs, 0 differences

Invariant: a seed is enough to see a difference again.
"""

from __future__ import annotations

import argparse

from tests.specialize.heaps import difference

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = 0
    for seed in range(given.seed, given.seed + given.count):
        text = difference(seed)
        if text is not None:
            found += 1
            print(text, flush=True)
    print(f"{given.count} programs, {found} differences")
    raise SystemExit(1 if found else 0)
