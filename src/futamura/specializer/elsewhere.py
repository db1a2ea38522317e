"""Functions that code of another module makes and that live on: their text stands in the module of the residual.

    # lib.py                                          # the residual, in app.py
    def order(rows, name):                            _1 = lambda r: lib.clean(r['id'])
        key = lambda r: clean(r[name])                _1.__qualname__ = 'order.<locals>.<lambda>'
        return sorted(rows, key=key)                  _1.__module__ = 'lib'
                                                      return sorted(rows, key=_1)

What such a function reads of its globals, it reads as attributes of their module whenever it runs, as it always did.
Builtins are constants: that the module has no such global is an assumption.

Invariant: a function whose text would mean something else in another module stays where it is: one that binds globals,
imports relative to its package, makes classes or functions that can be seen, or asks for its namespace.
"""

from __future__ import annotations

import builtins
import dataclasses
import itertools
import sys
import types
from collections.abc import Callable
from typing import Final

from futamura.ir.attributes import ClassAttr, FunctionAttr
from futamura.ir.constant import Constant
from futamura.ir.graph import OBJECT, Block, Function, Operation, Program
from futamura.ir.ops import OPERATORS
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.machine import Machine, Unsupported

__all__ = ["moving"]

Move = Callable[[Function], Function]

_OF_THE_FRAME: Final = frozenset({"globals", "locals", "vars", "dir", "eval", "exec", "super", "__build_class__"})


def moving(m: Machine, maker: FunctionFacts, nested: FunctionFacts) -> Move | None:
    """What makes a function that `maker` defines one of the residual's module; None if that is its module already."""
    namespace = maker.namespace
    if namespace is m.home or namespace.get("__name__") == m.home.get("__name__"):
        return None
    module = sys.modules.get(str(namespace.get("__name__")))
    if type(module) is not types.ModuleType or module.__dict__ is not namespace:
        raise _stays(m, "its module cannot be named")
    _check(m, nested.program, nested.function, module)
    return lambda function: _moved(function, module)


def _stays(m: Machine, why: str) -> Unsupported:
    return Unsupported(f"a function of another module that was made during specialization escapes, and {why}", m.span)


def _check(m: Machine, program: Program, function: Function, module: types.ModuleType) -> None:
    for op in function.operations():
        attr = op.attr
        if isinstance(attr, FunctionAttr):
            if not attr.name.rpartition(".")[2].startswith("<genexpr>"):
                raise _stays(m, "it makes functions")
            _check(m, program, program[attr.name], module)
        elif op.name == "global_get":
            assert isinstance(attr, tuple)
            if not _is_readable(m, module, attr[1]):
                raise _stays(m, f"it reads `{attr[1]}`, which does not exist elsewhere")
        elif op.name in ("global_set", "global_del"):
            raise _stays(m, "it assigns a global")
        elif isinstance(attr, ClassAttr):
            raise _stays(m, "it makes a class")
        elif op.name == "import":
            assert isinstance(attr, tuple)
            if attr[2]:
                raise _stays(m, "it imports relative to its package")


def _is_readable(m: Machine, module: types.ModuleType, name: str) -> bool:
    """Is the global there, or is it a builtin?"""
    if name in _OF_THE_FRAME:
        return False
    if name in module.__dict__:
        return not name.startswith("__")
    return hasattr(builtins, name) and m.world.lookup(module.__dict__, module.__name__, name) is not None


def _moved(function: Function, module: types.ModuleType) -> Function:
    """The function with its globals read as attributes of `module`, and builtins as they are."""
    numbers = [op.id for op in function.operations()]
    numbers += [block.terminator.id for block in function.blocks]
    fresh = itertools.count(max(numbers) + 1)
    hints, kinds = list(function.hints), list(function.types)
    blocks: list[Block] = []
    for block in function.blocks:
        ops: list[Operation] = []
        for op in block.ops:
            if op.name == "global_get":
                assert isinstance(op.attr, tuple)
                name = op.attr[1]
                if name in module.__dict__:
                    ops.append(Operation(next(fresh), OPERATORS["const"], (), Constant(module), (len(hints),), op.span))
                    op = op._replace(operator=OPERATORS["getattr"], args=(len(hints),), attr=name)
                    hints.append(None)
                    kinds.append(OBJECT)
                else:
                    op = op._replace(operator=OPERATORS["const"], attr=Constant(getattr(builtins, name)))
            ops.append(op)
        blocks.append(block._replace(ops=tuple(ops)))
    return dataclasses.replace(function, blocks=tuple(blocks), hints=tuple(hints), types=tuple(kinds))
