"""An independent check that a division is congruent: it looks at the program once.

    check(division)      AssertionError names the first place that takes a dynamic value for a static one

What has to hold: an operation with a dynamic operand has dynamic results only (a parallel copy result by result); an
edge brings no dynamic value to a static parameter; a call passes its dynamic arguments as dynamic ones, and its result
is static only where the callee, with these parameters, is static throughout; the item of a dynamic iterator is dynamic;
with uniform points all definitions of a variable agree; and each dynamic value has a reason whose chain ends.
"""

from __future__ import annotations

from futamura.analysis.cfg import ControlFlow
from futamura.analysis.division import Division, FunctionDivision, Pattern

__all__ = ["check"]


def check(division: Division) -> None:
    assert division.entry in division.functions
    for pattern, found in division.functions.items():
        assert pattern == found.pattern
        _function(division, pattern, found)


def _function(division: Division, pattern: Pattern, found: FunctionDivision) -> None:
    function = division.program[pattern.function]
    dynamic = set(found.dynamic)
    reachable = ControlFlow(function).reachable()
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
                continue
            assert not any(used) or all(made), (pattern, operation)
            if operation.name == "invoke":
                call = found.calls[operation.id]
                assert all(not (static and value in dynamic) for static, value in zip(call.static, operation.args))
                assert len(call.static) == len(operation.args)
                assert call in division.functions
                if not all(made):
                    callee = division.functions[call]
                    assert all(call.static) and not callee.dynamic and not callee.decisions and not callee.residual
        end = block.terminator
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
