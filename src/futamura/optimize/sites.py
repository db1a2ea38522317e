"""Calls whose function is known: nested functions that are called where they are made, and `invoke`.

    v4 = function[g] v3; v7 = call[("", "b")] v4, v5, v6        a site of g with the values of a, b and of g's cells
    cell_set[g] v4, v2; ...; v8 = cell_get v2; v9 = call v8     another one, if the variable holds nothing else

The arguments are bound as Python binds them, defaults included; where that would raise, takes `*` or `**`, or has to
make a tuple or a dictionary, the call is left to Python.

Invariant: the values of a site are those of the entry's parameters of the function that it calls, and are defined
before the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from futamura.ir.attributes import FunctionAttr
from futamura.ir.graph import Function, Operation, Program, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.freevars import Captures, captured_cells, settled_cells, settled_reads

__all__ = ["Made", "Site", "known_sites", "made_here", "references"]


class Site(NamedTuple):
    """A call of a known function: operation number `place` of block `at`."""

    at: int
    place: int
    op: Operation
    name: str
    values: tuple[Value, ...]
    """For each of the signature's names, then for each free name its cell."""


@dataclass(slots=True)
class Made:
    """A nested function where it is made; `escapes` if something else than a call at a `Site` may see it."""

    op: Operation
    value: Value
    sites: int = 0
    escapes: bool = False


def made_here(graph: FlowGraph, captures: Captures) -> dict[Value, Made]:
    """The nested functions of a graph, by the values that they are: their own, and those of settled reads."""
    found = {
        op.results[0]: Made(op, op.results[0])
        for _, node in graph.nodes()
        for op in node.ops
        if isinstance(op.attr, FunctionAttr)
    }
    if not found:
        return {}
    reads = settled_reads(graph, captures)
    found.update({read: found[value] for read, value in reads.items() if value in found})
    holders: dict[Value, Made] = {}
    settled = settled_cells(graph, captures)
    for _, node in graph.nodes():
        for op in node.ops:
            if op.name == "cell_set" and op.args[1] in settled and op.args[0] in found:
                holders[op.args[1]] = found[op.args[0]]
            elif op.name == "cell" and op.args and op.results[0] in settled and op.args[0] in found:
                holders[op.results[0]] = found[op.args[0]]
    for _, node in graph.nodes():
        for op in node.ops:
            _mention(op, found, holders)
        for value in (*end_uses(node.end), *(node.handler.args if node.handler is not None else ())):
            if value in found:
                found[value].escapes = True
    return found


def _mention(op: Operation, found: Mapping[Value, Made], holders: Mapping[Value, Made]) -> None:
    for place, arg in enumerate(op.args):
        if arg in found:
            cell = op.args[1] if op.name == "cell_set" else op.results[0] if op.name == "cell" else -1
            if op.name == "call" and place == 0:
                found[arg].sites += 1
            elif cell not in holders:
                found[arg].escapes = True
        if arg in holders and op.name != "cell_set" and not (op.name == "cell_get" and op.results[0] in found):
            holders[arg].escapes = True


def known_sites(graph: FlowGraph, program: Program, made: Mapping[Value, Made]) -> Iterator[Site]:
    """The calls of known functions, in order."""
    for at, node in graph.nodes():
        for place, op in enumerate(node.ops):
            if op.name == "invoke":
                yield Site(at, place, op, str(op.attr), op.args)
            elif op.name == "call" and op.args[0] in made:
                maker = made[op.args[0]].op
                assert isinstance(maker.attr, FunctionAttr)
                values = _bound(op, maker, program[maker.attr.name])
                if values is not None:
                    yield Site(at, place, op, maker.attr.name, values)


def _bound(op: Operation, maker: Operation, function: Function) -> tuple[Value, ...] | None:
    signature, attr = function.signature, maker.attr
    assert isinstance(attr, FunctionAttr)
    if signature.varargs is not None or signature.varkw is not None:
        return None
    positional = (*signature.posonly, *signature.regular)
    values: dict[str, Value] = {}
    marks = op.attr if isinstance(op.attr, tuple) else ("",) * (len(op.args) - 1)
    for place, (mark, value) in enumerate(zip(marks, op.args[1:])):
        name = mark
        if mark == "":
            if place >= len(positional):
                return None
            name = positional[place]
        elif mark not in signature.regular and mark not in signature.kwonly:
            return None
        if name in values:
            return None
        values[name] = value
    first = len(positional) - attr.defaults
    defaults = dict(zip((*positional[first:], *attr.kwdefaults), maker.args))
    bound = []
    for name in signature.names:
        given = values.get(name, defaults.get(name))
        if given is None:
            return None
        bound.append(given)
    return (*bound, *captured_cells(maker))


def references(program: Program) -> dict[str, int]:
    """How often each function is made or invoked, by all functions of the program together."""
    counts = dict.fromkeys([function.name for function in program.functions], 0)
    for function in program.functions:
        for op in function.operations():
            if isinstance(op.attr, FunctionAttr):
                counts[op.attr.name] += 1
            elif op.name == "invoke":
                counts[str(op.attr)] += 1
    return counts
