"""Calls out of generators that were inlined: what guards each of them becomes a `try` statement around them.

    part = call call_in_generator, strip            try:
    v = call call_in_generator, f, part      ->         part = part.strip(); v = f(part)
                                                    except StopIteration as stop:
                                                        raise RuntimeError("generator raised StopIteration") from stop

A statement costs nothing where nothing is raised, a call of the guard more than most of what it guards.  The statement
stands around the whole function if nothing else in it may raise StopIteration, else around runs of such calls.

Invariant: within the statement only what it guards may raise StopIteration, but for special methods (`__add__` ...).
"""

from __future__ import annotations

import re
from dataclasses import replace
from types import BuiltinFunctionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Function, Operation, Program, Region, Value
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Known
from futamura.runtime import STOPPED, call_in_generator, raise_in_generator

__all__ = ["guard_together"]

_MOST_RUNS: Final = 8
"""More statements in one function are harder to read than the calls of the guard."""
_RUNNING: Final = frozenset(
    {"class", "import", "import_from", "invoke", "with_enter", "with_exit", "with_unwind", "yield", "yield_from"}
)
"""Operations that run code which may raise anything."""
_PLAIN: Final = frozenset(
    {"str", "bytes", "int", "float", "bool", "complex", "list", "dict", "tuple", "set", "frozenset"}
)
_SEARCHES: Final = frozenset({"match", "search", "fullmatch"})
_CALLING: Final = frozenset({"sub", "subn"})


def guard_together(program: Program, known: Known | None = None) -> Program:
    """The program with such statements; `known` are the globals that are assumed to keep their meaning."""
    functions = [_guarded(function, known or {}) for function in program.functions]
    if all(new is old for new, old in zip(functions, program.functions)):
        return program
    return replace(program, functions=tuple(functions))


def _guarded(function: Function, known: Known) -> Function:
    if function.kind != "function" or not _has_guard(function) or not FlowGraph.takes(function):
        return function
    calls = _Calls(function, known)
    if not calls.guarded:
        return function
    graph = FlowGraph(function)
    if calls.alone() and len(calls.guarded) > 1:
        _around_everything(graph, calls)
    else:
        runs = [(block.id, first, last) for block in function.blocks for first, last in calls.runs(block.ops)]
        if len(runs) > _MOST_RUNS:
            return function
        for at, first, last in reversed(runs):
            _around_run(graph, calls, at, first, last)
    return graph.freeze()[0]


def _has_guard(function: Function) -> bool:
    return any(
        op.name == "const" and isinstance(op.attr, Constant) and op.attr.value is call_in_generator
        for op in function.operations()
    )


class _Calls:
    """What the calls of a function are."""

    def __init__(self, function: Function, known: Known) -> None:
        self.function: Final = function
        self._known: Final = known
        self.makers: Final = {result: op for op in function.operations() for result in op.results}
        self.items: Final[dict[Value, Value]] = {}
        """By the variable of a loop: its iterator."""
        for block in function.blocks:
            if block.terminator.name == "next":
                edge = block.terminator.edges[0]
                self.items[function.blocks[edge.target].params[0]] = block.terminator.args[0]
        self.uses: Final = FlowGraph(function).uses()
        self.guarded: Final = {op.results[0] for op in function.operations() if self._is_guarded(op)}

    def _is_guarded(self, op: Operation) -> bool:
        return op.name == "call" and bool(op.results) and self.constant(op.args[0]) is call_in_generator

    def constant(self, value: Value) -> object:
        op = self.makers.get(value)
        if op is not None and op.name == "global_get" and isinstance(op.attr, tuple):
            return self._known.get(op.attr)
        return op.attr.value if op is not None and isinstance(op.attr, Constant) else None

    def may_stop(self, op: Operation) -> bool:
        """May this operation raise StopIteration, other than by a special method or as a call that is guarded?"""
        if op.name != "call":
            return op.name in _RUNNING
        if op.results and op.results[0] in self.guarded:
            return False
        if op.results and self.function.types[op.results[0]] == "generator":
            return False  # what is called is a generator function: its code runs when it is asked for an item
        if op.attr is not None:
            return True
        callee = self.constant(op.args[0])
        if callee is None:
            return not self._is_plain_method(self.makers.get(op.args[0]))
        if callee is raise_in_generator:
            return False
        plain = is_a(callee, (type, BuiltinFunctionType)) and callee is not next
        return not plain or getattr(callee, "__module__", None) not in ("builtins", "math")

    def _is_plain_method(self, method: Operation | None) -> bool:
        """Is this a method of a builtin class that calls nothing?"""
        if method is None or method.name != "getattr" or method.attr in _CALLING:
            return False
        owner = method.args[0]
        kind = self.function.types[owner]
        return kind in _PLAIN or type(self.constant(owner)) in (str, bytes, re.Pattern) or self._is_match(owner)

    def _is_match(self, value: Value) -> bool:
        """Is this what a known pattern has found?"""
        if value in self.items:
            made = self.makers.get(self.items[value])
            return made is not None and made.name == "iter" and self._is_search(made.args[0], frozenset({"finditer"}))
        return self._is_search(value, _SEARCHES)

    def _is_search(self, value: Value, names: frozenset[str]) -> bool:
        call = self.makers.get(value)
        method = self.makers.get(call.args[0]) if call is not None and call.name == "call" else None
        if method is None or method.name != "getattr" or method.attr not in names:
            return False
        return type(self.constant(method.args[0])) is re.Pattern

    def alone(self) -> bool:
        """May nothing but the guarded calls raise StopIteration, and does no handler stand around these?"""
        for block in self.function.blocks:
            if block.terminator.name in ("raise", "reraise") and not self._raises_another(block.terminator.args[:1]):
                return False
            outside = block.region != 0 or block.handler is not None
            for op in block.ops:
                if self.may_stop(op) or (outside and op.results and op.results[0] in self.guarded):
                    return False
        return True

    def _raises_another(self, args: tuple[Value, ...]) -> bool:
        """Is what is raised made here, of another builtin class?"""
        made = self.makers.get(args[0]) if args else None
        source = made.args[0] if made is not None and made.name == "call" else args[0] if args else -1
        cls = self.constant(source)
        return is_a(cls, type) and issubclass(cls, BaseException) and not issubclass(StopIteration, cls) and not (
            issubclass(cls, StopIteration)
        )

    def runs(self, ops: tuple[Operation, ...]) -> list[tuple[int, int]]:
        """First and last places of guarded calls with nothing else between them that may raise StopIteration."""
        found: list[tuple[int, int]] = []
        is_open = False
        for at, op in enumerate(ops):
            if op.results and op.results[0] in self.guarded:
                found[-1:] = [(found[-1][0] if is_open else at, at)] if is_open else [*found[-1:], (at, at)]
                is_open = True
            elif self.may_stop(op):
                is_open = False
        return [(self._with_operands(ops, first, last), last) for first, last in found]

    def _with_operands(self, ops: tuple[Operation, ...], first: int, last: int) -> int:
        """Where what is made for this run only begins."""
        while first and not self.may_stop(ops[first - 1]):
            made = ops[first - 1].results
            inside = sum(op.args.count(value) for op in ops[first : last + 1] for value in made)
            if not made or inside != sum(self.uses[value] for value in made):
                break
            first -= 1
        return first

    def plain(self, op: Operation) -> Operation:
        """The call without its guard."""
        if not op.results or op.results[0] not in self.guarded:
            return op
        marks = op.attr[1:] if isinstance(op.attr, tuple) else ()
        return op._replace(args=op.args[1:], attr=marks if any(marks) else None)


def _around_everything(graph: FlowGraph, calls: _Calls) -> None:
    """The first region that is not the body holds all blocks but the entry."""
    for node in filter(None, graph.blocks):
        node.ops = [calls.plain(op) for op in node.ops]
        node.region += 1
    graph.regions[1:] = [
        region._replace(id=region.id + 1, parent=region.parent + 1, of=region.of + 1 if region.of >= 0 else -1)
        for region in graph.regions[1:]
    ]
    entry = graph.node(0)
    inside = graph.add(Node(entry.origin, [], entry.ops, entry.end, entry.handler, entry.region))
    entry.ops, entry.handler, entry.region = [], None, 0
    entry.end = graph.terminator("jump", (), (Edge(inside, ()),))
    protected = [node for node in graph.blocks[1:] if node is not None and node.handler is None]
    handler = _handler(graph, entry.origin, 0, len(graph.regions) + 1, None)
    graph.regions.insert(1, Region(1, 0, "try", "except", handler))
    graph.regions.append(Region(len(graph.regions), 0, "except", of=1))
    for node in protected:
        node.handler = Edge(handler, ())


def _around_run(graph: FlowGraph, calls: _Calls, at: int, first: int, last: int) -> None:
    node = graph.node(at)
    region, body = len(graph.regions), node.region
    handler = _handler(graph, node.origin, body, region + 1, node.handler)
    graph.regions.append(Region(region, body, "try", "except", handler))
    graph.regions.append(Region(region + 1, body, "except", of=region))
    behind = graph.add(Node(node.origin, [], node.ops[last + 1 :], node.end, node.handler, body))
    guarded = [calls.plain(op) for op in node.ops[first : last + 1]]
    onward = graph.terminator("jump", (), (Edge(behind, ()),))
    inside = graph.add(Node(node.origin, [], guarded, onward, Edge(handler, ()), region))
    node.ops = node.ops[:first]
    node.end = graph.terminator("jump", (), (Edge(inside, ()),))


def _handler(graph: FlowGraph, origin: int, body: int, region: int, outer: Edge | None) -> int:
    """The blocks of the `except` clause."""
    caught = graph.value("stop")
    stopped, ended, text = (graph.constant(value) for value in (StopIteration, RuntimeError, STOPPED))
    matches = graph.operation("exc_match", (caught, stopped.results[0]))
    made = graph.operation("call", (ended.results[0], text.results[0]))
    raised = graph.terminator("raise", (made.results[0], caught))
    other = graph.add(Node(origin, [], [], graph.terminator("reraise", (caught,)), outer, region))
    own = graph.add(Node(origin, [], [ended, text, made], raised, outer, region))
    branch = graph.terminator("branch", matches.results, (Edge(own, ()), Edge(other, ())))
    return graph.add(Node(origin, [caught], [stopped, matches], branch, outer, region))
