"""A slice of the fuzzing with coroutines: random programs whose functions wait for one another, and stop.

    python -m tests.specialize.test_waiting 1000 500       500 programs from seed 1000 on

Invariant: the programs do stop, and most of what they call is awaited at once, so it is unfolded.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator

import futamura
from tests.specialize.oracle import BAD, Report, check, identity
from tests.specialize.programs import Program, generate
from tests.specialize.waiting import as_coroutines

SLICE = 40


def programs(seed: int) -> Iterator[Program]:
    while True:
        if (found := as_coroutines(generate(seed))) is not None:
            yield found
        seed += 1


def some(seed: int, count: int) -> list[Program]:
    return [program for _, program in zip(range(count), programs(seed))]


def found(program: Program) -> Report:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return check(program, futamura.specialize)


def test_the_programs_stop() -> None:
    text = "\n".join(program.source for program in some(0, SLICE))
    stops = text.count("await pause(")
    assert stops > SLICE and text.count("await ") - stops > SLICE / 8
    assert {check(program, identity).kind for program in some(0, SLICE // 4)} <= {"equal", "skipped"}


def test_slice() -> None:
    reports = [found(program) for program in some(2000, SLICE)]
    assert [(one.seed, one.group, one.detail) for one in reports if one.kind in BAD] == []
    assert sum(not one.fallbacks for one in reports) > 0.9 * SLICE


def main(seed: int, count: int) -> int:
    kinds = Counter[str]()
    for program in some(seed, count):
        report = found(program)
        kinds[report.kind] += 1
        if report.kind in BAD:
            print(f"seed {program.seed}: {report.group}\n{report.detail}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    return int(any(kinds[kind] for kind in BAD))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
