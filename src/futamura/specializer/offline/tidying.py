"""Residual functions without the parameters that always get the same value, and without constants that nobody uses.

    b1(v4:x, v5:n): ...; jump b1(v4, v6)         b1(v5:n): ...; jump b1(v6)
    jump b1(v0, v1)                        ->    jump b1(v1)                      v0 stands for v4

A parameter to which all edges bring one value, besides itself, is that value (Braun et al. 2013): then the value
dominates the block.  Values are renumbered in the order of their definitions; blocks that nothing reaches go.

Invariant: block 0 stays the entry with all its parameters; what edges bring by themselves stays a parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from futamura.analysis.dependence import arguments_of_parameters, given_parameters
from futamura.ir.build import FunctionBuilder
from futamura.ir.graph import Block, Edge, Function, Operation, Terminator, Value

__all__ = ["tidy"]

_UNUSED: Final = frozenset({"const", "copy", "tuple", "function"})
"""Operators that are dropped when nothing uses their results: they are silent and make nothing but a value."""


def tidy(function: Function, known: Mapping[Value, Value] | None = None) -> tuple[Function, list[int]]:
    """The function without trivial parameters and unused constants, and for each of its blocks the old number.

    `known` has parameters of which it is known that they always are another value, which is no parameter.
    """
    same = _trivial(function, known or {})
    used = _used(function, same)
    return _rebuilt(function, same, used)


def _trivial(function: Function, known: Mapping[Value, Value]) -> dict[Value, Value]:
    """For each parameter that always is another value that value.

    Optimistic: parameters that only pass one value around among themselves are found, too.  A parameter is first taken
    for whatever the edges seen so far agree on, and falls to itself when they do not.
    """
    arguments = arguments_of_parameters(function)
    fixed = given_parameters(function)
    params = [param for param in arguments if param not in fixed and param not in known]
    users: dict[Value, list[Value]] = {}
    for param in params:
        for _, value in arguments[param]:
            users.setdefault(value, []).append(param)
    open_params = set(params)
    same = {param: value for param, value in known.items() if param not in fixed}
    work = list(reversed(params))
    waiting = set(params)
    while work:
        param = work.pop()
        waiting.discard(param)
        if same.get(param) == param:
            continue  # it never rises again, so that this ends
        found = param
        for _, value in arguments[param]:
            value = same.get(value, value) if value in same or value not in open_params else -1
            if value in (-1, param, found):
                continue
            if found != param:
                found = param
                break
            found = value
        if found == param and same.get(param) is None and _undecided(arguments[param], same, open_params, param):
            continue
        if same.get(param) != found:
            same[param] = found
            for user in users.get(param, ()):
                if user not in waiting:
                    waiting.add(user)
                    work.append(user)
    return {param: value for param, value in same.items() if value != param}


def _undecided(
    sources: list[tuple[int, Value]], same: dict[Value, Value], open_params: set[Value], param: Value
) -> bool:
    """Has nothing arrived yet besides the parameter itself?"""
    return all(value == param or (value in open_params and value not in same) for _, value in sources)


def _used(function: Function, same: dict[Value, Value]) -> set[Value]:
    """Values that something needs, transitively through what is dropped when unused, and through parameters."""
    made: dict[Value, Operation] = {}
    arguments = arguments_of_parameters(function)
    work: list[Value] = []
    for block in function.blocks:
        for operation in block.ops:
            for result in operation.results:
                made[result] = operation
            if operation.name not in _UNUSED or (operation.attr is not None and operation.name == "tuple"):
                work.extend(operation.args)
        work.extend(block.terminator.args)
    work.extend(given_parameters(function))
    used: set[Value] = set()
    while work:
        value = work.pop()
        value = same.get(value, value)
        if value in used:
            continue
        used.add(value)
        if value in made and made[value].name in _UNUSED:
            work.extend(made[value].args)
        work.extend(source for _, source in arguments.get(value, ()))
    return used


def _rebuilt(function: Function, same: dict[Value, Value], used: set[Value]) -> tuple[Function, list[int]]:
    order = _reachable(function)
    number = {old: at for at, old in enumerate(order)}
    new: dict[Value, Value] = {}
    b = FunctionBuilder(
        function.name, function.signature, qualname=function.qualname, free=function.free, kind=function.kind,
        doc=function.doc, module=function.module, file=function.file, span=function.span,
    )  # fmt: skip

    def keeps(value: Value) -> bool:
        return value not in same and value in used

    kept_params = {old: [p for p in function.blocks[old].params if keeps(p)] for old in order}
    kept_ops = {old: [op for op in function.blocks[old].ops if _kept(op, used)] for old in order}
    for old in order:
        for value in (*kept_params[old], *(result for op in kept_ops[old] for result in op.results)):
            new[value] = b.value(function.hints[value])

    def named(values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple([new[same.get(value, value)] for value in values])

    def edge(old: Edge, implicit: int) -> Edge:
        params = function.blocks[old.target].params[implicit:]
        return Edge(number[old.target], named(tuple([a for p, a in zip(params, old.args) if keeps(p)])))

    for region in function.regions[1:]:
        b.region(
            region.kind, region.parent, flavor=region.flavor, handler=number.get(region.handler, -1), of=region.of,
            span=region.span,
        )  # fmt: skip
    for old in order:
        source: Block = function.blocks[old]
        block = b.block(source.region)
        block.params = [new[p] for p in kept_params[old]]
        for op in kept_ops[old]:
            b.append(block, op.name, named(op.args), op.attr, tuple([new[r] for r in op.results]), op.span)
        end: Terminator = source.terminator
        edges = tuple([edge(e, 1 if at == 0 and end.name == "next" else 0) for at, e in enumerate(end.edges)])
        b.terminate(block, end.name, named(end.args), edges, end.attr, end.span)
        if source.handler is not None:
            block.handler = edge(source.handler, 1)
    return b.finish(), order


def _kept(operation: Operation, used: set[Value]) -> bool:
    if operation.name not in _UNUSED or (operation.attr is not None and operation.name == "tuple"):
        return True
    return any(result in used for result in operation.results)


def _reachable(function: Function) -> list[int]:
    seen = {0}
    work = [0]
    while work:
        block = function.blocks[work.pop()]
        edges = (*block.terminator.edges, *([block.handler] if block.handler is not None else []))
        for edge in edges:
            if edge.target not in seen:
                seen.add(edge.target)
                work.append(edge.target)
    return sorted(seen)
