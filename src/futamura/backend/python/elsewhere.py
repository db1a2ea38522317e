"""Globals of other modules, whose functions were inlined: read as attributes, written as items of the module's dict.

    v1 = global_get (lib, _pos)          v1 = getattr[_pos] lib                        _lib._pos
    global_set v2, (lib, _pos)           setitem v2, lib.__dict__, '_pos'              _lib_globals['_pos'] = ...

CPython reads an attribute of a module as fast as a global, an item in twice the time; it writes an item as fast as a
global, an attribute in twice the time.  Names that classes of modules have (`__doc__`) are items always.

Until the text is written they are globals for all passes: what runs no code that is not known writes none of them.

Invariant: whoever leaves such a read in a program assumes that there is a global of this name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Operation, Program
from futamura.ir.ops import OPERATORS

__all__ = ["in_namespaces"]

_ITEMS: Final = {"global_get": "getitem", "global_set": "setitem"}
"""The operators, and what becomes of them in the dict of a module."""


def in_namespaces(program: Program) -> Program:
    """The program with such globals in their modules."""
    home = program.main.module
    if not any(_is_elsewhere(op, home) for function in program.functions for op in function.operations()):
        return program
    return Program(program.entry, tuple([_with_items(function, home) for function in program.functions]))


def _is_elsewhere(op: Operation, home: str) -> bool:
    return op.name in _ITEMS and isinstance(op.attr, tuple) and op.attr[0] != home


def _with_items(function: Function, home: str) -> Function:
    if not any(_is_elsewhere(op, home) for op in function.operations()):
        return function
    hints, types = [*function.hints], [*function.types]
    number = max(*(op.id for op in function.operations()), *(block.terminator.id for block in function.blocks))

    def constant(value: object) -> Operation:
        nonlocal number
        number += 1
        hints.append(None)
        types.append("object")
        return Operation(number, OPERATORS["const"], (), Constant(value), (len(hints) - 1,))

    def written(op: Operation) -> Iterator[Operation]:
        if not _is_elsewhere(op, home):
            yield op
            return
        assert isinstance(op.attr, tuple)
        module, name = op.attr
        if op.name == "global_get" and not name.startswith("__"):
            holder = constant(sys.modules[module])
            yield holder
            yield op._replace(operator=OPERATORS["getattr"], args=holder.results, attr=name)
            return
        place = [constant(sys.modules[module].__dict__), constant(name)]
        yield from place
        args = (*op.args, *(operand.results[0] for operand in place))
        yield op._replace(operator=OPERATORS[_ITEMS[op.name]], args=args, attr=None)

    blocks = tuple([
        block._replace(ops=tuple([made for op in block.ops for made in written(op)])) for block in function.blocks
    ])  # fmt: skip
    return replace(function, blocks=blocks, hints=tuple(hints), types=tuple(types))
