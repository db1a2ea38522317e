"""Cells that never change: what nested functions do with the variables that they share with the function around them.

    k = n + 1                        v1 = cell[k] v0; v2 = function[g] v1; ...; v9 = cell_get v1
    def g(x): return x * k       ->  v1 = cell[k] v0; v2 = function[g] v1; ...; v9 becomes v0

A cell that is born full, or set at one place, and that nobody deletes or passes on, holds one value as long as the
function runs; a read that the store dominates is that value, however many calls lie between.  Where the value is a
nested function, the reader knows what it calls.

Invariant: a cell is settled only if every operation on it is known, nested functions at any depth included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from futamura.ir.attributes import FunctionAttr
from futamura.ir.graph import Function, Operation, Program, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.layout import Layout

__all__ = ["Captures", "captured_cells", "filled_at", "settled_cells", "settled_reads"]

_NONE: Final[frozenset[str]] = frozenset()


def captured_cells(op: Operation) -> tuple[Value, ...]:
    """The cells that a `function` operation captures, in the order of the free names."""
    attr = op.attr
    assert isinstance(attr, FunctionAttr)
    return op.args[attr.defaults + len(attr.kwdefaults) + len(attr.annotations) :]


class Captures:
    """What the functions of a program do with each of their free variables: "get", "set", "del", "leak"."""

    def __init__(self, program: Program) -> None:
        self._program: Final = program
        self._done: Final[dict[str, tuple[frozenset[str], ...]]] = {}

    def of(self, name: str) -> tuple[frozenset[str], ...]:
        """For each free name what is done with it, by the functions nested inside too."""
        if name not in self._done:
            function = self._program[name]
            self._done[name] = (_NONE,) * len(function.free)  # functions do not make each other in a circle
            params = function.entry.params[len(function.signature.names) :]
            used = _uses(function, params, self)
            self._done[name] = tuple([frozenset(used[param]) for param in params])
        return self._done[name]


def _uses(function: Function, cells: tuple[Value, ...], captures: Captures) -> dict[Value, set[str]]:
    found: dict[Value, set[str]] = {cell: set() for cell in cells}
    for block in function.blocks:
        for op in block.ops:
            if not found.keys().isdisjoint(op.args):
                _use(op, found, captures)
        ends = [*end_uses(block.terminator), *(block.handler.args if block.handler is not None else ())]
        for value in ends:
            if value in found:
                found[value].add("leak")
    return found


_DIRECT: Final = {("cell_get", 0): "get", ("cell_set", 1): "set", ("cell_del", 0): "del"}


def _use(op: Operation, found: Mapping[Value, set[str]], captures: Captures) -> None:
    for place, arg in enumerate(op.args):
        if arg not in found:
            continue
        inner = len(op.args) - place
        if isinstance(op.attr, FunctionAttr) and inner <= len(captures.of(op.attr.name)):
            found[arg].update(captures.of(op.attr.name)[-inner])
        else:
            found[arg].add(_DIRECT.get((op.name, place), "leak"))


@dataclass(slots=True)
class _Cell:
    """What the function that makes a cell does with it."""

    born_full: bool
    uses: set[str] = field(default_factory=set)
    sets: int = 0
    made: int = 1


def settled_cells(graph: FlowGraph, captures: Captures) -> set[Value]:
    """The cells of a function that hold one value, once they hold any."""
    cells: dict[Value, _Cell] = {}
    for _, node in graph.nodes():
        for op in node.ops:
            if op.name == "cell":
                cells[op.results[0]] = _Cell(bool(op.args))
    if not cells:
        return set()
    found = {cell: one.uses for cell, one in cells.items()}
    nested: dict[Value, set[str]] = {cell: set() for cell in cells}
    for _, node in graph.nodes():
        for op in node.ops:
            if op.name == "cell_set" and op.args[1] in cells:
                cells[op.args[1]].sets += 1
            _use(op, nested if isinstance(op.attr, FunctionAttr) else found, captures)
        for edge in node.edges():
            for value in edge.args:
                if value in cells:
                    found[value].add("leak")
        for value in end_uses(node.end):
            if value in cells:
                found[value].add("leak")
    return {
        cell
        for cell, one in cells.items()
        if one.sets + one.born_full == 1
        and one.uses.isdisjoint({"del", "leak"})
        and nested[cell].isdisjoint({"set", "del", "leak"})
    }


def settled_reads(graph: FlowGraph, captures: Captures) -> dict[Value, Value]:
    """For each result of `cell_get` that is always the same value as another one, that value."""
    cells = settled_cells(graph, captures)
    if not cells:
        return {}
    confined = graph.confined()
    holds: dict[Value, Value] = {}
    found: dict[Value, Value] = {}
    undo: list[list[Value]] = []
    layout = Layout(graph)
    for entering, place in layout.walk():
        if not entering:
            for cell in undo.pop():
                del holds[cell]
            continue
        undo.append([])
        at = layout.executes(place)
        if at < 0:
            continue
        node = graph.node(at)
        for op in node.ops:
            if op.name == "cell_get":
                value = holds.get(op.args[0], -1)
                if value >= 0 and confined.get(value, node.region) == node.region:
                    found[op.results[0]] = found.get(value, value)
                continue
            cell = op.results[0] if op.name == "cell" and op.args else op.args[1] if op.name == "cell_set" else -1
            if cell in cells:
                holds[cell] = op.args[0]
                undo[-1].append(cell)
    return found


def filled_at(graph: FlowGraph, captures: Captures, operations: frozenset[int]) -> dict[int, frozenset[Value]]:
    """The cells that cannot be empty where these operations, by id, are executed."""
    emptied: set[Value] = set()
    for _, node in graph.nodes():
        for op in node.ops:
            if op.name == "cell_del":
                emptied.add(op.args[0])
            elif isinstance(op.attr, FunctionAttr):
                does = captures.of(op.attr.name)
                emptied.update([cell for cell, uses in zip(captured_cells(op), does) if not uses.isdisjoint(_EMPTYING)])
            elif op.name == "class":
                emptied.update(op.args)
    filled: dict[Value, None] = {}
    found: dict[int, frozenset[Value]] = {}
    undo: list[list[Value]] = []
    layout = Layout(graph)
    for entering, place in layout.walk():
        if not entering:
            for cell in undo.pop():
                del filled[cell]
            continue
        undo.append([])
        at = layout.executes(place)
        if at < 0:
            continue
        for op in graph.node(at).ops:
            cell = op.results[0] if op.name == "cell" and op.args else op.args[1] if op.name == "cell_set" else -1
            if cell >= 0 and cell not in emptied and cell not in filled:
                filled[cell] = None
                undo[-1].append(cell)
            if op.id in operations:
                found[op.id] = frozenset(filled)
    return found


_EMPTYING: Final = frozenset({"del", "leak"})
