"""Filling in inputs: a function with some of its parameters replaced by constants, and otherwise as it was.

    bound(func power(y, x), {"y": 5})    ->    func power(x): b0: v1 = const 5; jump to what was b0

Invariant: nothing is evaluated; the function does what the old one does with these arguments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from futamura.ir.build import FunctionBuilder
from futamura.ir.graph import Edge, Function, Signature, Value

__all__ = ["bound", "renamed"]


def renamed(function: Function, name: str) -> Function:
    """The same function under another name; functions that call it still mean the old one."""
    return dataclasses.replace(function, name=name, qualname=name)


def bound(function: Function, given: Mapping[str, object]) -> Function:
    """`function` without the parameters that are given; its blocks follow a new entry, each with the next number."""
    names = function.signature.names
    left = tuple([name for name in names if name not in given])
    builder = FunctionBuilder(function.name, Signature(regular=left), qualname=function.qualname, file=function.file)
    entry = builder.block()
    opened = dict(zip(left, builder.params(entry, *left)))
    values: dict[Value, Value] = {}
    for block in function.blocks:
        for value in (*block.params, *(result for op in block.ops for result in op.results)):
            values[value] = builder.value(function.hints[value])
    passed = []
    for name in names:
        passed.append(opened[name] if name in opened else builder.constant(entry, given[name]))
    builder.terminate(entry, "jump", (), (Edge(1, tuple(passed)),))
    for block in function.blocks:
        made = builder.block()
        made.params.extend(values[param] for param in block.params)
        for op in block.ops:
            args, results = tuple([values[a] for a in op.args]), tuple([values[r] for r in op.results])
            builder.append(made, op.name, args, op.attr, results, op.span)
        end = block.terminator
        edges = tuple([Edge(edge.target + 1, tuple([values[a] for a in edge.args])) for edge in end.edges])
        builder.terminate(made, end.name, tuple([values[a] for a in end.args]), edges, end.attr, end.span)
    return builder.finish()
