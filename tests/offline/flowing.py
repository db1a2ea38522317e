"""Flow-graph programs for the tests: text to residual in one step, and running both.

    done = offline(POWER, {"y": 5})      done.residual, done.outcome.cache; done.output(x=2) == ["32"]

`trim=False` lowers with a parameter for each variable, dead or not, as the classical specializers keep them.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from typing import Any

from futamura.analysis.division import FunctionDivision
from futamura.frontend.flow.lowering import LoweredFlow, lower_flow
from futamura.ir.graph import Function, Program, Span
from futamura.ir.interp import run
from futamura.specializer.offline.offline import OfflineOptions, OfflineOutcome, specialize_offline
from tests.bindingtimes.congruence import check

__all__ = ["Done", "offline", "output"]


@dataclass(frozen=True)
class Done:
    lowered: LoweredFlow
    outcome: OfflineOutcome

    @property
    def residual(self) -> Program:
        assert self.outcome.program is not None, self.outcome.events
        return self.outcome.program

    @property
    def division(self) -> FunctionDivision:
        return self.outcome.division.main

    def statics(self) -> set[str]:
        """The variables that are static at each of their definitions."""
        return {name for name, static in self.outcome.division.variables().items() if static}

    def names(self, block: int = 0) -> list[str]:
        """The operators of a residual block, constants left out."""
        return [op.name for op in self.residual.main.blocks[block].ops if op.name != "const"]

    def output(self, **given: object) -> list[str]:
        return output(self.residual, given)


def output(program: Program, given: dict[str, Any], fuel: int = 100_000) -> list[str]:
    """The lines that a run prints, and the error in which it ends, if it does."""
    lines = io.StringIO()
    args = [given[name] for name in program.main.signature.names]
    with contextlib.redirect_stdout(lines):
        try:
            run(program, args, globals={}, fuel=fuel)
        except Exception as error:
            lines.write(f"{type(error).__name__}: {error}")
    return lines.getvalue().splitlines()


def offline(text: str, static: dict[str, object], **options: Any) -> Done:
    """The residual of a flow-graph program; its division is checked for congruence."""
    chosen = OfflineOptions(**options)
    lowered = lower_flow(text, "test.flow", trim=chosen.trim)

    def statement(function: Function, span: Span | None, name: str) -> str:
        return text.splitlines()[span.line - 1].strip() if span is not None else ""

    outcome = specialize_offline(
        lowered.program, static, chosen, labels={lowered.program.entry: lowered.labels}, statement=statement
    )
    check(outcome.division)
    return Done(lowered, outcome)
