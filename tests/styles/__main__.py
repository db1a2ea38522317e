"""A table of the programs in many styles: how much faster the residual of each is, and what that cost.

    $ python -m tests.styles
    program                generic    residual    gain    spec.   lines  notes
    register machine       12.3 us      1.1 us   11.2x     9 ms      14

Invariant: a residual that gives anything else than its program on any input is named, and the exit code is 1 then.
"""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from futamura import Residual, specialize
from tests.test_styles import CASES, outcome


def seconds(function: Callable[..., Any], inputs: Sequence[tuple[Any, ...]], rounds: int = 5, turns: int = 40) -> float:
    """The best time for all inputs once; each call has arguments of its own."""
    best = float("inf")
    for _ in range(rounds):
        given = [copy.deepcopy(one) for _ in range(turns) for one in inputs]
        started = time.process_time()
        for arguments in given:
            try:  # noqa: SIM105 - a context manager would be measured too
                function(*arguments)
            except Exception:
                pass
        best = min(best, (time.process_time() - started) / turns)
    return best


def row(name: str) -> tuple[str, bool]:
    """One line of the table, and whether the residual agrees with its program."""
    function, static, inputs = CASES[name]

    def generic(*rest: Any) -> Any:
        return function(*static, *rest)

    specialize(function, *static)
    started = time.process_time()
    residual: Residual = specialize(function, *static)
    spent = time.process_time() - started
    same = all(outcome(residual, given) == outcome(generic, given) for given in inputs)
    before, after = seconds(generic, inputs), seconds(residual, inputs)
    notes = " ".join([*residual.stats["fallbacks"], *residual.stats["notes"]])
    text = (
        f"{name:24}{before * 1e6:8.1f} us{after * 1e6:8.1f} us{before / after:7.1f}x{spent * 1e3:6.0f} ms"
        f"{residual.source.count(chr(10)):7}  {'' if same else 'WRONG '}{notes}"
    )
    return text.rstrip(), same


def main() -> int:
    print(f"{'program':24}{'generic':>11}{'residual':>11}{'gain':>8}{'spec.':>9}{'lines':>7}  notes")
    good = True
    for name in sys.argv[1:] or CASES:
        text, same = row(name)
        print(text, flush=True)
        good = good and same
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
