"""Names of functions and parameters that hide globals or functions which the code inside means.

    def walk(o): ... lambda x: walk(x, True)     the lambda means the global: the residual that calls itself is `walk_1`
    def part(len): return len(xs) + len          a residual function's parameter is called otherwise
    def total(part): return part(xs)             and the residual function itself, where a parameter has its name
    def total(len): return lambda xs: len(xs)    parameters of the entry keep their names: the global is asked for

Invariant: in the program that is returned, each global is read where no function or parameter of the text hides it.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from futamura.backend.python.prepare import nested_functions
from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Function, Operation, Program, Signature
from futamura.ir.ops import OPERATORS
from futamura.runtime import read_global

__all__ = ["apart"]

_MOST: Final = 1 << 20


def apart(program: Program) -> Program:
    """The program with such names changed."""
    called = list(dict.fromkeys(str(op.attr) for function in program.functions for op in _calls(function)))
    main = program.main
    read = {name for function in program.functions for name in _reads(function)}
    hiding = read.union(*(function.signature.names for function in program.functions))
    renamed = {name: _fresh(name, {*hiding, *program.index, *called}) for name in called if name in hiding}
    changed: dict[str, Function] = {}
    for name in called:
        if name != program.entry and (function := _with_other_parameters(program, program[name])) is not None:
            changed[name] = function
    hidden = read & set(main.signature.names)
    for function in (main, *nested_functions(program, main)) if hidden else ():
        if (asking := _asking(function, hidden)) is not None:
            changed[function.name] = asking
    if not renamed and not changed:
        return program
    functions = [_with_calls(changed.get(function.name, function), renamed) for function in program.functions]
    return Program(renamed.get(program.entry, program.entry), tuple(functions))


def _calls(function: Function) -> Iterator[Operation]:
    return (op for op in function.operations() if op.name == "invoke")


def _reads(function: Function) -> Iterator[str]:
    for op in function.operations():
        if op.name == "global_get":
            assert isinstance(op.attr, tuple)
            yield str(op.attr[1])


def _fresh(name: str, taken: Collection[str]) -> str:
    return next(made for number in range(1, _MOST) if (made := f"{name}_{number}") not in taken)


def _with_calls(function: Function, renamed: Mapping[str, str]) -> Function:
    """The function under its new name, calling others by theirs."""
    if function.name not in renamed and not any(op.attr in renamed for op in _calls(function)):
        return function
    blocks = [
        block._replace(
            ops=tuple([
                op._replace(attr=renamed.get(str(op.attr), op.attr)) if op.name == "invoke" else op for op in block.ops
            ])
        )
        for block in function.blocks
    ]  # fmt: skip
    return replace(function, name=renamed.get(function.name, function.name), blocks=tuple(blocks))


def _with_other_parameters(program: Program, function: Function) -> Function | None:
    """A residual function, which is called by positions, without parameters that hide what it reads."""
    names = function.signature.names
    read = {name for inner in (function, *nested_functions(program, function)) for name in _reads(inner)}
    if read.isdisjoint(names) or function.signature != Signature(regular=names):
        return None
    taken = {*read, *names, *(hint for hint in function.hints if hint is not None)}
    made = tuple([_fresh(name, taken) if name in read else name for name in names])
    hints = list(function.hints)
    for param, name in zip(function.entry.params, made):
        hints[param] = name
    return replace(function, signature=Signature(regular=made), hints=tuple(hints))


def _asking(function: Function, hidden: Collection[str]) -> Function | None:
    """The function with calls that ask its module for these globals."""
    module = sys.modules.get(function.module)
    if module is None or not any(name in hidden for name in _reads(function)):
        return None
    hints, types = [*function.hints], [*function.types]
    number = 1 + max((op.id for op in function.operations()), default=0)

    def constant(value: object) -> Operation:
        nonlocal number
        number += 1
        hints.append(None)
        types.append("object")
        return Operation(number, OPERATORS["const"], (), Constant(value), (len(hints) - 1,))

    def asked(op: Operation) -> Iterator[Operation]:
        assert isinstance(op.attr, tuple)
        if op.name != "global_get" or op.attr[1] not in hidden:
            yield op
            return
        operands = [constant(value) for value in (read_global, module, op.attr[1])]
        yield from operands
        args = tuple([operand.results[0] for operand in operands])
        yield op._replace(operator=OPERATORS["call"], args=args, attr=None)

    blocks: list[Block] = []
    for block in function.blocks:
        ops = [made for op in block.ops for made in (asked(op) if op.name == "global_get" else (op,))]
        blocks.append(block._replace(ops=tuple(ops)))
    return replace(function, blocks=tuple(blocks), hints=tuple(hints), types=tuple(types))
