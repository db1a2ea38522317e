"""The functions that one specialization looks into: lowered once each, with what is known of them.

    resolve(function)        its facts, or None if it has no source that could be lowered
    callee(function)         the same, unless the program does not want it looked into
    program(...), nested(...)   the functions of a program, and those that a function makes

Invariant: a function has one set of facts, whoever asks.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from typing import Final

from futamura.controls import is_marked
from futamura.errors import Diagnostic, UnsupportedError
from futamura.ir.graph import Function, Program
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.knowledge import Knowledge
from futamura.specializer.overloads import only_dispatches

__all__ = ["Lower", "Lowered", "Sources"]

Lowered = tuple[Program, Function, Mapping[str, object], tuple[types.CellType, ...]]
Lower = Callable[[types.FunctionType], Lowered]


class Sources:
    """Lowered functions with their facts, one for each Python function."""

    def __init__(self, lower: Lower) -> None:
        self._lower: Final = lower
        self._found: Final[dict[types.FunctionType, FunctionFacts | None]] = {}
        self._nested: Final[dict[tuple[int, str], FunctionFacts]] = {}
        self._count = 0
        self.knowledge: Final = Knowledge()
        self.refused: Final[dict[types.FunctionType, Diagnostic]] = {}
        self._program: Program | None = None
        self._trim = True

    def resolve(self, function: types.FunctionType) -> FunctionFacts | None:
        if function not in self._found:
            try:
                facts = self._found[function] = self._facts(*self._lower(function))
                facts.unfolded = is_marked(function, "inline")
            except UnsupportedError as error:
                self._found[function] = None
                self.refused[function] = error.diagnostic
        return self._found[function]

    def lowered(self, function: types.FunctionType) -> Lowered | None:
        """The code of a function that stays as it is."""
        try:
            return self._lower(function)
        except UnsupportedError:
            return None

    def callee(self, function: types.FunctionType) -> FunctionFacts | None:
        """What `resolve` finds, unless the program does not want the function looked into, nothing is in it, or it
        makes asynchronous generators, or such as can be awaited (`types.coroutine`)."""
        waits = function.__code__.co_flags & (inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR)
        left = bool(waits) or is_marked(function, "opaque") or only_dispatches(function)
        return None if left else self.resolve(function)

    def program(self, program: Program, namespace: Mapping[str, object], trim: bool) -> FunctionFacts:
        """The entry of a program whose functions call one another by name."""
        if self._program is None:
            self._program, self._trim = program, trim
            self._nested[0, program.entry] = self._facts(program, program.main, namespace, ())
        return self._nested[0, program.entry]

    def is_called(self, facts: FunctionFacts) -> bool:
        """Is this a function of its own, which residual code can call?"""
        return any(facts is known for known in self._found.values())

    def is_callee(self, facts: FunctionFacts) -> bool:
        """The same, or may it be called as one that is made when the residual runs?"""
        return self.is_called(facts) or any(facts is known for known in self._nested.values())

    def nested(self, maker: FunctionFacts, name: str) -> FunctionFacts:
        key = (0 if maker.program is self._program else maker.uid, name)
        if key not in self._nested:
            self._nested[key] = self._facts(maker.program, maker.program[name], maker.namespace, ())
        return self._nested[key]

    def _facts(
        self, program: Program, function: Function, namespace: Mapping[str, object], cells: tuple[types.CellType, ...]
    ) -> FunctionFacts:
        self._count += 1
        facts = FunctionFacts(program, function, namespace, cells, self._count, self.knowledge)
        if not self._trim:
            facts.keep_dead()
        return facts

    def all(self) -> list[FunctionFacts]:
        return [*(facts for facts in self._found.values() if facts is not None), *self._nested.values()]
