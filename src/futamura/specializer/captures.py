"""Which captured variables have their last value when a function captures them.

    def f(x):                      x is never assigned again: a closure may have a variable of its own with its value
        y = 1
        g = lambda: x + y          y is assigned after `g` was made: `g` and `f` share a real variable
        y = 2
        return g

A variable is final at a capture if no function of the program that captures it assigns or deletes it, and the function
that it belongs to does not after the capture.  A class statement that mentions it may do anything to it.  If only the
function that it belongs to assigns it again, it rests as long as that function waits for a call to come back.  In
`fsum((d := x - mean) * d for x in xs)` the variable only passes a value on to the next operation.

Invariant: a conservative fact about source code; nothing depends on values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from futamura.ir.graph import ClassAttr, Function, FunctionAttr, Operation, Program

__all__ = ["Capture", "captures"]

_WRITES = {"cell_set": 1, "cell_del": 0}


class Capture(NamedTuple):
    """What is known of a variable that a function captures."""

    final: bool
    """Has it its last value?"""
    rests: bool
    """Does it keep its value until the function that makes the closure goes on?"""
    passing: bool
    """Does nobody read it but who has just written it?  Then each may have one of its own."""


def captures(program: Program) -> dict[tuple[str, int], tuple[Capture, ...]]:
    """For each `function` operation, by (name of its function, id): what is known of each captured cell there."""
    return _Captures(program).run()


class _Captures:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.makers: dict[str, list[tuple[Function, Operation]]] = {}
        for function in program.functions:
            for op in function.operations():
                if isinstance(op.attr, FunctionAttr):
                    self.makers.setdefault(op.attr.name, []).append((function, op))
        self.final: dict[tuple[str, int, int], bool] = {}

    def run(self) -> dict[tuple[str, int], tuple[Capture, ...]]:
        found = {}
        for function in self.program.functions:
            for op in function.operations():
                if isinstance(op.attr, FunctionAttr):
                    count = len(self.program[op.attr.name].free)
                    found[function.name, op.id] = tuple(self._capture(function, op, at) for at in range(count))
        return found

    def _capture(self, function: Function, op: Operation, at: int) -> Capture:
        final = self._is_final(function, op, at)
        cell = _cells(self.program, op)[at]
        return Capture(final, final or self._rests(function, cell), self._passes(function, cell))

    def _rests(self, function: Function, cell: int) -> bool:
        """Does nobody assign the variable but this function, which cannot go on while something else runs that it has
        called?  A class statement may keep functions that assign it."""
        if function.kind != "function" or cell in function.entry.params:
            return False
        if any(isinstance(op.attr, ClassAttr) and cell in op.args for op in function.operations()):
            return False
        return not any(self._writes(name, place) for name, place in self._captured_by(function, cell))

    def _passes(self, function: Function, cell: int) -> bool:
        """Does the variable belong to this function, and is each read of it one of what was written right before?"""
        if cell in function.entry.params or not _read_when_written(function, cell):
            return False
        for name, place in self._captured_by(function, cell):
            inner = self.program[name]
            own = inner.entry.params[len(inner.signature.names) + place]
            if not _read_when_written(inner, own) or any(self._captured_by(inner, own)):
                return False
        return True

    def _is_final(self, function: Function, op: Operation, at: int) -> bool:
        key = (function.name, op.id, at)
        if key not in self.final:
            self.final[key] = True  # of a function that captures itself on the way: the others decide
            self.final[key] = self._decide(function, op, _cells(self.program, op)[at])
        return self.final[key]

    def _decide(self, function: Function, op: Operation, cell: int) -> bool:
        if any(self._writes(name, place) for name, place in self._captured_by(function, cell)):
            return False
        own = [block.id for block in function.blocks if any(_written(other, cell) for other in block.ops)]
        parameters = function.entry.params[len(function.signature.names) :]
        if cell not in parameters:
            return not self._written_after(function, op, cell)
        if own:
            return False
        place = parameters.index(cell)
        makers = self.makers.get(function.name, [])
        return bool(makers) and all(self._is_final(maker, made, place) for maker, made in makers)

    def _captured_by(self, function: Function, cell: int) -> Iterator[tuple[str, int]]:
        """The nested functions that capture `cell` of `function`, and at which of their free variables."""
        for op in function.operations():
            if isinstance(op.attr, FunctionAttr):
                for place, other in enumerate(_cells(self.program, op)):
                    if other == cell:
                        yield op.attr.name, place

    def _writes(self, name: str, place: int) -> bool:
        """Does the nested function assign its free variable number `place`, or one that is nested in it?"""
        function = self.program[name]
        cell = function.entry.params[len(function.signature.names) + place]
        if any(_written(op, cell) for op in function.operations()):
            return True
        return any(self._writes(inner, at) for inner, at in self._captured_by(function, cell) if inner != name)

    def _written_after(self, function: Function, op: Operation, cell: int) -> bool:
        start = next(block.id for block in function.blocks if op in block.ops)
        ops = function.blocks[start].ops
        if any(_written(other, cell) for other in ops[ops.index(op) :]):
            return True
        seen: set[int] = set()
        work = [start]
        while work:
            block = function.blocks[work.pop()]
            targets = [edge.target for edge in block.terminator.edges]
            if block.handler is not None:
                targets.append(block.handler.target)
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return any(_written(other, cell) for block in seen for other in function.blocks[block].ops)


def _read_when_written(function: Function, cell: int) -> bool:
    """Does this function read the variable only behind an assignment of its own, with nothing in between?"""
    for block in function.blocks:
        fresh = False
        for op in block.ops:
            if op.name == "cell_set":
                fresh = fresh or op.args[1] == cell
            elif op.name == "cell_get":
                if op.args[0] == cell and not fresh:
                    return False
            elif cell in op.args and (op.name == "cell_del" or isinstance(op.attr, ClassAttr)):
                return False
            else:
                fresh = fresh and op.name in ("const", "copy")
    return True


def _written(op: Operation, cell: int) -> bool:
    at = _WRITES.get(op.name)
    if at is not None:
        return op.args[at] == cell
    return isinstance(op.attr, ClassAttr) and cell in op.args


def _cells(program: Program, op: Operation) -> tuple[int, ...]:
    assert isinstance(op.attr, FunctionAttr)
    count = len(program[op.attr.name].free)
    return op.args[len(op.args) - count :] if count else ()
