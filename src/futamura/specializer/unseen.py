"""Functions of the residual whose names nobody sees: `sorted`, `min` and `max` call them, with one argument each.

    key = lambda row: row[1]                              sorted(rows, key=lambda row: row[1])
    key.__qualname__ = "order.<locals>.<lambda>"    ->
    sorted(rows, key=key)

Invariant: such a function is an operand of nothing else, and takes one argument, so that no error speaks of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from futamura.ir.attributes import ClassAttr, FunctionAttr
from futamura.ir.constant import Constant
from futamura.ir.graph import Function
from futamura.specializer.assembly import Assembly, operations
from futamura.specializer.definitions import Closure

__all__ = ["unseen"]

_TAKERS: Final = (sorted, min, max)


def unseen(assembly: Assembly, replaced: dict[int, int], operands: Iterable[int]) -> frozenset[int]:
    """The residual values of such functions; `operands` are all operands of the residual function."""
    machine = assembly.machine
    named = {machine.named[id(taker)] for taker in _TAKERS if id(taker) in machine.named}
    takers: set[int] = set()
    made: set[int] = set()
    used: Counter[int] = Counter()
    found = [op for block in assembly.blocks for op in operations(assembly, block)]
    for op in found:
        constant = isinstance(op.attr, Constant) and any(op.attr.value is taker for taker in _TAKERS)
        if constant or (op.name == "global_get" and op.attr in named):
            takers.update(op.results)
        elif isinstance(op.attr, Closure) and _is_plain(machine.definitions.functions[op.attr.attr.name], op.attr):
            made.update(op.results)
    for op in found:
        if op.name == "call" and isinstance(op.attr, tuple) and "key" in op.attr and op.args[0] in takers:
            key = op.args[1 + op.attr.index("key")]
            used[replaced.get(key, key)] += 1
    if not used:
        return frozenset()
    counted = Counter(operands)
    return frozenset(rv for rv in made if rv in used and counted[rv] == used[rv])


def _is_plain(function: Function, closure: Closure) -> bool:
    """Does it take one argument, and make no function or class that has its name in its own?"""
    makes = any(isinstance(op.attr, (FunctionAttr, ClassAttr)) for op in function.operations())
    if function.kind != "function" or makes:
        return False
    signature = function.signature
    places = len(signature.posonly) + len(signature.regular)
    return not signature.kwonly and places >= 1 >= places - closure.attr.defaults
