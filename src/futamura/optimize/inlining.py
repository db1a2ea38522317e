"""Inlining: the body of a small function that is known stands where it is called.

    v5 = function[g] v3; ...; v9 = call v5, v7              ->     the blocks of g, on v7 and the cells that it captured
    def g(x): return x * k                                         v9 = mul v7, v1
    v9 = invoke[power_1] v7                                 ->     the blocks of power_1

Known are functions that are made in the function itself, by way of variables that hold nothing else too, and
functions that are called directly.  Inlined is what is called at one place, or what is so small that the call costs as
much; not what may call itself, makes functions, or reads a variable of the caller that may be empty.  Where the result
is returned at once, the body returns it; else it may return from several places, but not out of a loop: that would
have to be told apart behind the loop.

Requires nothing.  Ensures: nothing is executed that was not, in the same order, under the same handlers, so that
exceptions, their contexts and clean-ups are the same.  Not the same: tracebacks have a frame less, and the recursion
limit is reached later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from futamura.ir.attributes import FunctionAttr
from futamura.ir.graph import Edge, FrameState, Function, Operation, Program, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.freevars import Captures, filled_at
from futamura.optimize.inference import Known
from futamura.optimize.sites import Site, known_sites, made_here, references
from futamura.optimize.splicing import may_splice, return_to, splice, split

__all__ = ["inline", "without_unused"]

SMALL: Final = 12
"""Operations, constants not counted: about what a call costs."""
ROUNDS: Final = 8
"""How deep calls in what was inlined are followed."""
GROWTH: Final = 400
"""Operations that the copies in one function may have together, those of functions that are called once not counted."""


def inline(program: Program, known: Known) -> Program:
    """The program with small functions in the place of their calls."""
    if len(program.functions) == 1:
        return program  # a call of itself stays
    counts = references(program)
    recursive = _recursive(program)
    functions: dict[str, Function] = {}
    for function in program.functions:
        if FlowGraph.takes(function):
            functions[function.name] = _Inliner(program, function, counts, recursive).run()
        else:
            functions[function.name] = function
    if all(functions[function.name] is function for function in program.functions):
        return program
    return without_unused(replace(program, functions=tuple(functions.values())))


def without_unused(program: Program) -> Program:
    """The program without functions that the entry does not lead to."""
    reached = {program.entry: None}
    work = [program.entry]
    while work:
        function = program[work.pop()]
        names = [_mentioned(op) for op in function.operations()]
        for block in function.blocks:
            state = block.terminator.attr
            while isinstance(state, FrameState):
                names.append(state.function)
                state = state.parent
        for name in names:
            if name and name not in reached:
                reached[name] = None
                work.append(name)
    if len(reached) == len(program.functions):
        return program
    return replace(program, functions=tuple([one for one in program.functions if one.name in reached]))


def _mentioned(op: Operation) -> str:
    """The function that an operation makes or invokes, or ""."""
    return op.attr.name if isinstance(op.attr, FunctionAttr) else str(op.attr) if op.name == "invoke" else ""


def _recursive(program: Program) -> set[str]:
    """The functions that may lead to a call of themselves: by what they invoke, make, or find in their variables."""
    captured: dict[str, set[str]] = {function.name: set() for function in program.functions}
    for function in program.functions:
        stored: dict[Value, set[str]] = {}
        makers = [op for op in function.operations() if isinstance(op.attr, FunctionAttr)]
        named = {op.results[0]: op.attr.name for op in makers if isinstance(op.attr, FunctionAttr)}
        for op in function.operations():
            if op.name == "cell_set" and op.args[0] in named:
                stored.setdefault(op.args[1], set()).add(named[op.args[0]])
            elif op.name == "cell" and op.args and op.args[0] in named:
                stored.setdefault(op.results[0], set()).add(named[op.args[0]])
        for op in makers:
            assert isinstance(op.attr, FunctionAttr)
            for cell in op.args:
                captured[op.attr.name] |= stored.get(cell, set())
    edges = {
        function.name: {
            *captured[function.name],
            *[str(op.attr) for op in function.operations() if op.name == "invoke"],
            *[op.attr.name for op in function.operations() if isinstance(op.attr, FunctionAttr)],
        }
        for function in program.functions
    }
    return {name for name in edges if _leads_back(name, edges)}


def _leads_back(name: str, edges: Mapping[str, set[str]]) -> bool:
    seen: set[str] = set()
    work = sorted(edges[name])
    while work:
        one = work.pop()
        if one == name:
            return True
        if one not in seen:
            seen.add(one)
            work.extend(sorted(edges[one]))
    return False


class _Inliner:
    """One function, which takes the bodies of others."""

    def __init__(self, program: Program, function: Function, counts: Mapping[str, int], recursive: set[str]) -> None:
        self._program: Final = program
        self._function: Final = function
        self._counts: Final = counts
        self._recursive: Final = recursive
        self._captures: Final = Captures(program)
        self._graph: Final = FlowGraph(function)
        self._left = GROWTH

    def run(self) -> Function:
        changed = False
        for _ in range(ROUNDS):
            sites = self._chosen()
            if not sites:
                break
            for site in reversed(sites):  # the later one in a block first, so that places stay what they are
                self._take(site)
            self._without_reads({site.op.args[0] for site in sites if site.op.name == "call"})
            changed = True
        return self._graph.freeze()[0] if changed else self._function

    def _chosen(self) -> list[Site]:
        graph = self._graph
        made = made_here(graph, self._captures)
        found = list(known_sites(graph, self._program, made))
        filled = filled_at(graph, self._captures, frozenset([site.op.id for site in found])) if found else {}
        outer = frozenset(graph.node(0).params)
        chosen = []
        for site in found:
            function = self._program[site.name]
            if site.name in self._recursive or not may_splice(function, self._function.module):
                continue
            if site.name == self._function.name or not self._returns_well(function, site):
                continue
            cells = site.values[len(function.signature.names) :]
            if not all(cell in filled.get(site.op.id, ()) or cell in outer for cell in cells):
                continue
            once = self._counts[site.name] == 1
            if site.op.name == "call":
                once = once and made[site.op.args[0]].sites == 1 and not made[site.op.args[0]].escapes
            size = sum([op.name not in ("const", "copy") for op in function.operations()])
            if not once:
                if size > SMALL or size > self._left:
                    continue
                self._left -= size
            chosen.append(site)
        return chosen

    def _returns_well(self, function: Function, site: Site) -> bool:
        if self._is_last(site):
            return True
        successors = [[edge.target for edge in block.terminator.edges] for block in function.blocks]
        looping = _has_loop(successors)
        returning = [block.id for block in function.blocks if block.terminator.name == "return"]
        return len(returning) == 1 or not looping

    def _is_last(self, site: Site) -> bool:
        """Is the result of the call returned at once?"""
        node = self._graph.node(site.at)
        return site.place == len(node.ops) - 1 and node.end.name == "return" and node.end.args == site.op.results

    def _take(self, site: Site) -> None:
        graph = self._graph
        function = self._program[site.name]
        last = self._is_last(site)
        node = graph.node(site.at)
        rest = split(graph, site.at, site.place + 1)
        node.ops = node.ops[: site.place]
        count = len(function.signature.names)
        copy = splice(graph, function, site.values[count:], node.region, node.handler)
        node.end = graph.terminator("jump", (), (Edge(copy.entry, site.values[:count]),))
        if last:
            graph.blocks[rest] = None
        else:
            graph.node(rest).params = list(site.op.results)
            return_to(graph, copy, rest)

    def _without_reads(self, functions: set[Value]) -> None:
        """Take away the reads of variables that held functions, where only inlined calls needed them."""
        used = {
            value
            for _, node in self._graph.nodes()
            for value in (
                *[arg for op in node.ops for arg in op.args], *end_uses(node.end), *(node.handler or Edge(0)).args,
            )
        }  # fmt: skip
        gone = functions - used
        for _, node in self._graph.nodes():
            node.ops = [op for op in node.ops if not (op.name == "cell_get" and op.results[0] in gone)]


def _has_loop(successors: list[list[int]]) -> bool:
    """Is there a loop at all?"""
    state = [0] * len(successors)
    for root in range(len(successors)):
        if state[root]:
            continue
        stack = [(root, iter(successors[root]))]
        state[root] = 1
        while stack:
            at, rest = stack[-1]
            for target in rest:
                if state[target] == 1:
                    return True
                if not state[target]:
                    state[target] = 1
                    stack.append((target, iter(successors[target])))
                    break
            else:
                state[at] = 2
                stack.pop()
    return False
