"""Containers of constants that are only asked are made once, not whenever the code that asks them runs.

    d = dict "a", 1, "b", 2, ...; v = getitem d, k    ->    v = getitem TABLE, k        TABLE a constant of the residual

Invariant: nothing but these questions gets the container, so that nobody can change it or tell it from a new one; its
keys are scalars that are equal to themselves, as those of the display were, and come in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import EllipsisType, NoneType
from typing import Any, Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value
from futamura.ir.liveness import end_uses
from futamura.ir.ops import OPERATORS
from futamura.optimize.flowgraph import FlowGraph

__all__ = ["constant_tables"]

LEAST: Final = 4
"""Smaller displays are easier to read where they stand, and made as fast as a global is read."""
_ASKING: Final = {"getitem": 0, "in": 1, "not_in": 1}
"""By the operation: the place of the container."""
_KEYS: Final = frozenset({int, float, complex, bool, str, bytes, NoneType, EllipsisType})
_MAKING: Final[dict[str, Callable[[list[Any]], object]]] = {
    "dict": lambda items: dict(zip(items[::2], items[1::2])),
    "list": list,
}


def constant_tables(graph: FlowGraph) -> bool:
    """Make constants of such displays; did anything change?"""
    if not any(_is_long(op) for _, node in graph.nodes() for op in node.ops):
        return False
    constants: dict[Value, object] = {}
    methods: dict[Value, Value] = {}  # by what `table.get` is: the table
    for _, node in graph.nodes():
        for op in node.ops:
            if op.name == "const" and isinstance(op.attr, Constant):
                constants[op.results[0]] = op.attr.value
            elif op.name == "getattr" and op.attr == "get":
                methods[op.results[0]] = op.args[0]
    made = {
        op.results[0]: op for _, node in graph.nodes() for op in node.ops
        if _is_long(op) and _is_constant(op, constants)
    }  # fmt: skip
    for value in _used_otherwise(graph, constants, methods):
        made.pop(value, None)
        made.pop(methods.get(value, -1), None)
    for value in made:
        graph.hints[value] = None  # a variable would only be another name
    for _, node in graph.nodes() if made else ():
        node.ops = [_constant(op, constants) if op.results and op.results[0] in made else op for op in node.ops]
    return bool(made)


def _is_long(op: Operation) -> bool:
    plain = op.name in _MAKING and not (isinstance(op.attr, tuple) and any(op.attr))
    return plain and len(op.args) >= LEAST * (2 if op.name == "dict" else 1)


def _is_constant(op: Operation, constants: dict[Value, object]) -> bool:
    keys = op.args[::2] if op.name == "dict" else ()
    return all(arg in constants for arg in op.args) and all(_is_key(constants[key]) for key in keys)


def _is_key(key: object) -> bool:
    return type(key) in _KEYS and key == key


def _used_otherwise(
    graph: FlowGraph, constants: dict[Value, object], methods: dict[Value, Value]
) -> Iterable[Value]:
    """What is used other than as a table that is asked, or as its method that is called."""
    for _, node in graph.nodes():
        for op in node.ops:
            asked = _ASKING.get(op.name, -1)
            if op.name == "call":
                asked = 0 if op.args[0] in methods else 1 if constants.get(op.args[0]) is len else -1
            elif op.name == "getattr" and op.results[0] in methods:
                asked = 0
            yield from (arg for place, arg in enumerate(op.args) if place != asked)
        yield from end_uses(node.end)
        yield from node.handler.args if node.handler is not None else ()


def _constant(op: Operation, constants: dict[Value, object]) -> Operation:
    table = _MAKING[op.name]([constants[arg] for arg in op.args])
    return op._replace(operator=OPERATORS["const"], args=(), attr=Constant(table))
