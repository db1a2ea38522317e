"""An independent check that a division is congruent: it looks at the program once.

    check(division)      AssertionError names the first place that takes a dynamic value for a static one

What has to hold: an operation with a dynamic operand has dynamic results only (a parallel copy result by result); an
edge brings no dynamic value to a static parameter; a call passes its dynamic arguments as dynamic ones, and its result
is static only where the callee, with these parameters, is static throughout; the item of a dynamic iterator is dynamic;
with uniform points all definitions of a variable agree; and each dynamic value has a reason whose chain ends.

A partially static structure is no dynamic value: it is made of dynamic items under static names, used with static names
and indices only, its items are dynamic, and where it goes it is partially static again.
"""

from __future__ import annotations

from futamura.analysis.cfg import ControlFlow
from futamura.analysis.division import Division, FunctionDivision, Pattern
from futamura.ir.graph import Function, Operation

__all__ = ["check"]


def check(division: Division) -> None:
    assert division.entry in division.functions
    for pattern, found in division.functions.items():
        assert pattern == found.pattern
        _function(division, pattern, found)


def _function(division: Division, pattern: Pattern, found: FunctionDivision) -> None:
    function = division.program[pattern.function]
    dynamic = set(found.dynamic)
    assert dynamic.isdisjoint(found.partial)
    assert found.partial.keys() >= {function.entry.params[at] for at in pattern.partial}
    reachable = ControlFlow(function).reachable()
    methods = {op.results[0]: op.args[0] for op in function.operations() if op.name == "getattr"}
    for param, static in zip(function.entry.params, pattern.static):
        assert static or param in dynamic, (pattern, param)
    for block in function.blocks:
        if block.id not in reachable:
            continue
        for operation in block.ops:
            used = [value in dynamic for value in operation.args]
            made = [value in dynamic for value in operation.results]
            if operation.name == "copy":
                assert all(not a or b for a, b in zip(used, made)), (pattern, operation)
                assert all(
                    (a in found.partial) == (r in found.partial) for a, r in zip(operation.args, operation.results)
                )
                continue
            method = [methods[value] for value in operation.args[:1] if value in methods]
            touched = {*operation.args, *operation.results, *method}
            if operation.name != "invoke" and touched & found.partial.keys():
                _structure(function, found, operation)
                continue
            assert not any(used) or all(made), (pattern, operation)
            if operation.name == "invoke":
                call = found.calls[operation.id]
                assert all(not (static and value in dynamic) for static, value in zip(call.static, operation.args))
                assert len(call.static) == len(operation.args)
                assert call in division.functions
                assert call.partial == {at for at, value in enumerate(operation.args) if value in found.partial}
                assert not call.partial or all(made)
                if not all(made):
                    callee = division.functions[call]
                    assert all(call.static) and not callee.dynamic and not callee.decisions and not callee.residual
        end = block.terminator
        assert end.name == "return" or not set(end.args) & found.partial.keys()
        for edge in (*end.edges, *([block.handler] if block.handler is not None else [])):
            implicit = edge is block.handler or (end.name == "next" and edge is end.edges[0])
            params = function.blocks[edge.target].params[1 if implicit else 0 :]
            assert all(a not in found.partial or p in found.partial for a, p in zip(edge.args, params)), (pattern, edge)
        if len(end.edges) > 1 and any(value in dynamic for value in end.args):
            assert block.id in found.decisions, (pattern, block.id)
        for position, edge in enumerate(end.edges):
            params = function.blocks[edge.target].params
            if end.name == "next" and position == 0:
                assert end.args[0] not in dynamic or params[0] in dynamic
                params = params[1:]
            assert all(a not in dynamic or p in dynamic for a, p in zip(edge.args, params)), (pattern, edge)
        if block.handler is not None:
            params = function.blocks[block.handler.target].params
            assert params[0] in dynamic
            assert all(a not in dynamic or p in dynamic for a, p in zip(block.handler.args, params[1:]))
    if division.points == "uniform":
        for name in set(function.hints) - {None}:
            values = [value for value, hint in enumerate(function.hints) if hint == name]
            assert len({value in dynamic for value in values}) == 1, (pattern, name)
    for value in found.dynamic:
        chain = division.chain(pattern, value)
        assert chain and chain[-1].rule in {"input", "effect", "call", "control", "handler"}, (pattern, value, chain)


_MAKING = {"dict", "list", "tuple", "cons", "cdr", "add", "call"}
_ITEMS = {"getitem", "car", "unpack"}
_ASKING = {"truth", "not", "null", "in", "not_in"}
_CHANGING = {"setitem", "delitem", "list_append", "dict_put"}
_NAMES_AT = {"getitem": 1, "setitem": 2, "delitem": 1, "dict_put": 1, "in": 0, "not_in": 0}
"""The operand that is a name or an index."""
_METHODS = {"append": (), "pop": (1,), "copy": (), "get": (1,)}
"""By method the operands of the call that are names."""


def _structure(function: Function, found: FunctionDivision, operation: Operation) -> None:
    """An operation on structures: what has to be known is, and what comes out is a structure, an item or known."""
    partial, dynamic, args = found.partial, found.dynamic, operation.args
    results = operation.results
    if results and results[0] in partial:
        assert operation.name in _MAKING, operation
        starred = operation.attr if isinstance(operation.attr, tuple) else ()
        if operation.name == "dict":
            place = 0
            for star in starred or (False,) * (len(args) // 2):
                assert args[place] not in dynamic and (star or args[place] not in partial), operation
                assert star or args[place + 1] not in partial, operation
                place += 1 if star else 2
        elif operation.name in ("list", "tuple"):
            for value, star in zip(args, starred or (False,) * len(args)):
                assert value not in (dynamic if star else partial), operation
        elif operation.name == "cons":
            assert args[0] not in partial and args[1] not in dynamic, operation
        else:
            assert not any(value in dynamic for value in args), operation
        return
    method = next((op for op in function.operations() if op.results == args[:1] and op.name == "getattr"), None)
    if operation.name == "call" and method is not None and method.args[0] in partial:
        assert not any(value in partial for value in args), operation
        assert not any(args[at] in dynamic for at in _METHODS[str(method.attr)] if at < len(args)), operation
        assert (method.attr in ("pop", "get")) == (results[0] in dynamic), operation
        return
    assert sum(value in partial for value in args) == 1, operation
    if operation.name in _NAMES_AT:
        name = args[_NAMES_AT[operation.name]]
        assert name not in partial and name not in dynamic, operation
    assert operation.name in (*_ITEMS, *_ASKING, *_CHANGING, "getattr", "call", "show"), operation
    assert (operation.name in _ITEMS) == any(result in dynamic for result in results), operation
