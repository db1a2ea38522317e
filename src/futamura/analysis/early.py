"""Which operations may be executed before the program runs, if their operands are known by then.

    add x y          may       it is executed on exact builtin types only, and stays where they are others
    setattr v x      may not   it changes an object
    call f x         may, if `f` is a constant that is known to be pure

The answer is the reason against it, or None.  What is allowed here is still checked against the exact types of the
values when they are there: this is the part of the check that needs no values.

Invariant: a row that is not listed may be executed only if the table of operators says how, and says it of no type
that the row writes or suspends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Operation, Value
from futamura.ir.liveness import end_uses

__all__ = ["Early", "early_rule", "iterators"]

Early: TypeAlias = Callable[[Function, Operation], "str | None"]
"""The reason why an operation cannot be executed early, or None."""

_REASONS: Final = {
    "setattr": "changes an object", "delattr": "changes an object", "setitem": "changes an object",
    "delitem": "changes an object", "list_append": "changes an object", "set_add": "changes an object",
    "dict_put": "changes an object", "list": "makes a new object each time", "set": "makes a new object each time",
    "dict": "makes a new object each time", "global_get": "reads a variable of the module",
    "global_set": "writes a variable of the module", "global_del": "writes a variable of the module",
    "import": "imports", "import_from": "imports", "cell": "makes a shared variable",
    "cell_get": "reads a shared variable", "cell_set": "writes a shared variable",
    "cell_del": "writes a shared variable", "function": "makes a new function each time",
    "class": "makes a new class each time", "yield": "suspends", "yield_from": "suspends", "await": "suspends",
    "aiter": "calls a method", "anext": "suspends",
    "super": "looks at the frame", "exc_match": "looks at an exception", "with_enter": "calls a context manager",
    "with_exit": "calls a context manager", "with_unwind": "calls a context manager",
}  # fmt: skip


def early_rule(pure: Callable[[object], bool]) -> Early:
    """The rule, where `pure` says of a constant function whether calling it on builtin values can be noticed."""
    facts: dict[int, tuple[Function, dict[Value, Constant], frozenset[Value], frozenset[Value]]] = {}

    def early(function: Function, operation: Operation) -> str | None:
        name = operation.name
        if name in _REASONS:
            return _REASONS[name]
        if id(function) not in facts:
            methods = frozenset(op.results[0] for op in function.operations() if op.name == "getattr")
            facts[id(function)] = (function, _constants(function), iterators(function), methods)
        _, known, walked, methods = facts[id(function)]
        if name == "invoke":
            return None
        if name == "unpack" and isinstance(operation.attr, tuple) and operation.attr[1]:
            return "makes a new list each time"
        if name == "iter":
            return None if operation.results[0] in walked else "makes an iterator that is used elsewhere"
        if name == "call":
            callee = known.get(operation.args[0])
            if operation.args[0] in methods and operation.attr is None:
                return None  # of a static object: which method it is, is seen when the object is there
            if callee is None or operation.attr is not None or not pure(callee.value):
                return "calls something that may have an effect"
            return None
        if operation.operator.evaluate is None:
            return "needs the running frame"
        effects = operation.operator.effects(("object",) * len(operation.args), operation.attr)
        if effects.suspends or (effects.writes and not effects.calls):
            return "has an effect"
        return None

    return early


def _constants(function: Function) -> dict[Value, Constant]:
    return {
        operation.results[0]: operation.attr
        for operation in function.operations()
        if operation.name == "const" and isinstance(operation.attr, Constant)
    }


def iterators(function: Function) -> frozenset[Value]:
    """The iterators that nothing but `next` uses: their position can be known while nobody else sees them."""
    made = {operation.results[0] for operation in function.operations() if operation.name == "iter"}
    for block in function.blocks:
        for operation in block.ops:
            made.difference_update(operation.args)
        end = block.terminator
        made.difference_update(value for value in end_uses(end) if end.name != "next" or value not in end.args)
        for edge in end.edges:
            made.difference_update(edge.args)
        if block.handler is not None:
            made.difference_update(block.handler.args)
    return frozenset(made)
