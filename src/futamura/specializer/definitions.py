"""The nested functions of the residual program: which there are, and how they are made.

    register(program of f, "f.<locals>.g")   ->   "f.<locals>.g", or "f.<locals>.g#2" if another program has that name

    closure[Closure(g, ("x", None))] v1, v2  ->   v3 = cell[x] v1; v4 = function[g] v3, v2

A residual `closure` stays one operation until the residual function is built, for only then is known whether a loop
makes the variables anew: then a function of its own makes the closure, whose variables belong to one call of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from futamura.ir.attributes import FunctionAttr
from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import ClassAttr, Function, Operation, Program, Signature
from futamura.specializer.captures import Capture, captures
from futamura.specializer.history import Restore, shortened
from futamura.specializer.state import Unsupported

__all__ = ["Closure", "Definitions", "define"]


class Closure(NamedTuple):
    """The attribute of a residual `closure`: a `function` operation some of whose cells are still to be made, each with
    the operand that stands in its place."""

    attr: FunctionAttr
    fresh: tuple[str | None, ...]
    """For each cell the variable's name if it is to be made."""
    lasts: tuple[bool, ...]
    """For each cell: is its variable one of the residual function itself, and not of a call that was unfolded in it?"""


class Definitions:
    """The nested functions of the residual program, under names that are unique in it."""

    def __init__(self) -> None:
        self.functions: Final[dict[str, Function]] = {}
        self.modules: Final[dict[str, str]] = {}
        """The name of the module for those that another one than the residual's makes."""
        self._names: Final[dict[tuple[int, str], str]] = {}
        self._programs: Final[list[Program]] = []
        self._captures: Final[dict[int, Mapping[tuple[str, int], tuple[Capture, ...]]]] = {}

    def captures(self, program: Program, function: str, op: int) -> tuple[Capture, ...]:
        """What is known of the variables that this operation captures."""
        found = self._captures.get(id(program))
        if found is None:
            self._programs.append(program)
            found = self._captures[id(program)] = captures(program)
        return found[function, op]

    def register(self, program: Program, name: str, move: Callable[[Function], Function] | None = None) -> str:
        """The residual name of a nested function of `program`; what it defines itself comes with it.  `move` makes it
        one of the residual's module."""
        key = (id(program), name)
        if key in self._names:
            return self._names[key]
        self._programs.append(program)
        new, number = name, 1
        while new in self.functions:
            number += 1
            new = f"{name.partition('#')[0]}#{number}"
        self._names[key] = new
        source = program[name]
        if move is not None:
            self.modules[new] = source.module
            source = move(source)
        self.functions[new] = dataclasses.replace(source, name=new)
        blocks = tuple(
            block._replace(ops=tuple(self._renamed(program, op, move) for op in block.ops)) for block in source.blocks
        )
        self.functions[new] = dataclasses.replace(source, name=new, blocks=blocks)
        return new

    def _renamed(self, program: Program, op: Operation, move: Callable[[Function], Function] | None) -> Operation:
        if not isinstance(op.attr, FunctionAttr):
            return op
        return op._replace(attr=op.attr._replace(name=self.register(program, op.attr.name, move)))

    def checkpoint(self) -> Restore:
        """Takes away what will have been registered."""
        names, functions, modules = shortened(self._names), shortened(self.functions), shortened(self.modules)

        def restore() -> None:
            names()
            functions()
            modules()

        return restore

    def all(self) -> tuple[Function, ...]:
        return tuple(self.functions.values())

    def maker(self, closure: Closure, count: int, around: str) -> str:
        """A function that makes this closure, given its operands.  If some of its cells are there, it captures them, so
        that it is itself a nested function: of the one of the qualified name `around`."""
        base = closure.attr.name.rpartition(".")[2].partition("#")[0].strip("<>")
        name, number = f"make_{base}", 1
        while name in self.functions:
            number += 1
            name = f"make_{base}_{number}"
        nested = self.functions[closure.attr.name]
        free = tuple([name for name, made in zip(nested.free, closure.fresh, strict=True) if made is None])
        parameters = tuple(f"x{at}" for at in range(count - len(free)))
        outer = f"{around}.<locals>.{name}" if free else nested.qualname.rpartition(".<locals>.")[0] or name
        builder = FunctionBuilder(name, Signature(regular=parameters), qualname=outer, free=free)
        block = builder.block()
        given = iter(builder.params(block, *parameters))
        cells = iter(builder.params(block, *free))
        kept = [*[True] * (count - len(closure.fresh)), *[made is not None for made in closure.fresh]]
        operands = tuple([next(given) if one else next(cells) for one in kept])
        result = define(self, builder, block, closure, operands, builder.value(base if base.isidentifier() else None))
        builder.terminate(block, "return", (result,))
        self.functions[name] = builder.finish()
        return name


def define(
    definitions: Definitions,
    builder: FunctionBuilder,
    block: BlockBuilder,
    closure: Closure,
    args: tuple[int, ...],
    result: int,
    *,
    named: bool = True,
) -> int:
    """Emit the operations that make a closure as `result`, with the names that the source gives it if it is `named`."""
    nested = definitions.functions[closure.attr.name]
    plain = len(args) - len(closure.fresh)
    operands = list(args[:plain])
    for name, value in zip(closure.fresh, args[plain:], strict=True):
        if name is None:
            operands.append(value)
            continue
        cell = builder.value(name)
        builder.append(block, "cell", (value,), name, (cell,))
        operands.append(cell)
    builder.append(block, "function", tuple(operands), closure.attr, (result,))
    base = closure.attr.name.rpartition(".")[2].partition("#")[0]
    if base == "<genexpr>" or not named:
        return result
    if nested.qualname != f"{builder.qualname}.<locals>.{base}":
        if any(isinstance(op.attr, (FunctionAttr, ClassAttr)) and not _hidden(op) for op in nested.operations()):
            raise Unsupported("a function with nested definitions would get other qualified names")
        _assign(builder, block, result, "__qualname__", nested.qualname)
    if closure.attr.name in definitions.modules:
        _assign(builder, block, result, "__module__", definitions.modules[closure.attr.name])
    return result


def _assign(builder: FunctionBuilder, block: BlockBuilder, function: int, attribute: str, text: str) -> None:
    value = builder.value()
    builder.append(block, "const", (), Constant(text), (value,))
    builder.append(block, "setattr", (value, function), attribute, ())


def _hidden(op: Operation) -> bool:
    """Is this a function whose name nobody sees?"""
    return isinstance(op.attr, FunctionAttr) and op.attr.name.rpartition(".")[2].startswith("<genexpr>")
