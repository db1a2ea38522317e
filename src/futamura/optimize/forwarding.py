"""Values that are used once, where they are made, need no variable: they lose the name that the user gave them.

    acc1 = mul 0.0, x ; acc2 = add acc1, 0.5 ; return acc2        ->     return 0.0 * x + 0.5

A name makes the printer assign a variable.  In code that a person wrote that is what the person wants to see again; in
a residual the same variable stands for each step of a loop that was unrolled, and every step costs a store and a load.

Invariant: nothing but hints changes; the printer keeps the order of evaluation, with or without names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from futamura.ir.attributes import FunctionAttr
from futamura.ir.evaluate import INPLACE
from futamura.ir.graph import Block, Edge, Function, Operation, Program, Value

__all__ = ["forward"]

_STATEMENTS: Final = frozenset({"cell", "import", "import_from"})


def forward(program: Program) -> Program:
    """The program without the names of values that are used once on the straight line that makes them."""
    functions = [_forwarded(function) for function in program.functions]
    if all(new is old for new, old in zip(functions, program.functions)):
        return program
    return replace(program, functions=tuple(functions))


def _forwarded(function: Function) -> Function:
    uses: Counter[Value] = Counter()
    for block in function.blocks:
        for operation in block.ops:
            uses.update(operation.args)
        uses.update(block.terminator.args)
        for edge in block.terminator.edges:
            uses.update(edge.args)
        if block.handler is not None:
            uses.update(block.handler.args)
    lines = _lines(function)
    near: Counter[tuple[int, Value]] = Counter()
    updated: set[Value] = set()
    for block in function.blocks:
        for operation in block.ops:
            near.update((lines[block.id], value) for value in operation.args)
            if operation.name in INPLACE:
                updated.update((operation.args[0], *operation.results))
        near.update((lines[block.id], value) for value in block.terminator.args)
    unnamed: set[Value] = set()
    for block in function.blocks:
        for operation in block.ops:
            if operation.name in _STATEMENTS or _is_definition(operation):
                # A variable that a nested function captures is one, however often it is used; a definition has a name.
                continue
            if len(operation.results) == 1 and operation.results[0] not in updated:
                (made,) = operation.results
                if uses[made] == 1 and near[lines[block.id], made] == 1 and function.hints[made] is not None:
                    unnamed.add(made)
    if not unnamed:
        return function
    hints = tuple(None if value in unnamed else hint for value, hint in enumerate(function.hints))
    return replace(function, hints=hints)


def _is_definition(operation: Operation) -> bool:
    """Does this make a function that is not an expression?"""
    attr = operation.attr
    return isinstance(attr, FunctionAttr) and not attr.name.partition("#")[0].endswith(">")


def _lines(function: Function) -> dict[int, int]:
    """For each block the first one of the straight line that it lies on: left and entered one way."""
    entries: Counter[int] = Counter(
        edge.target for block in function.blocks for edge in (*block.terminator.edges, *_handler(block))
    )
    blocks = {block.id: block for block in function.blocks}
    before: dict[int, int] = {}
    for block in function.blocks:
        edges = block.terminator.edges
        if block.terminator.name == "jump" and entries[edges[0].target] == 1:
            if blocks[edges[0].target].region == block.region:
                before[edges[0].target] = block.id
    found: dict[int, int] = {}
    for block in function.blocks:
        trail = [block.id]
        while trail[-1] in before and before[trail[-1]] not in found and before[trail[-1]] not in trail:
            trail.append(before[trail[-1]])
        first = found.get(before.get(trail[-1], -1), trail[-1])
        found.update(dict.fromkeys(trail, first))
    return found


def _handler(block: Block) -> tuple[Edge, ...]:
    return () if block.handler is None else (block.handler,)
