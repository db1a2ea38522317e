"""Contification: functions that always return to one place are blocks, and their calls are jumps.

    def f_go(i, acc):                                  def f(n):
        if i == 0: return acc                              i, acc, left = n, 0, 500
        return f_go(i - 1, acc + i)                        while i != 0:
    def f(n): return f_go(n, 0)                 ->             left -= 1
                                                               if not left: return f_go_further(i - 1, acc + i)
                                                               i, acc = i - 1, acc + i
                                                           return acc

A set of functions is contified if all its calls are known, those inside of the set are in tail position, and those from
outside are in one function, in one region, and go on at one place: they all return the result, or all jump to the same
block with it.  Then the bodies stand in that function once, whoever calls them, so that the code does not grow; the
functions of a set may call each other in a circle.

A circle of calls that never ends is a `RecursionError`, and must not become a loop that never ends.  So a circle counts
its rounds, and after `ROUNDS` of them goes on with a real call: the functions are kept for that, under names that end
with `_further`, by which they are known not to be contified once more.  Where a handler of the caller would see the
error, and where the circle could be entered at several places, the calls stay.

Requires: calls are `invoke` (`closures` sees to it); `inline` goes first.  Ensures: nothing is executed that was not.
Invariant: the blocks of a function dominate nothing outside of them but through the jump that stands for the return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from futamura.ir.attributes import FunctionAttr
from futamura.ir.graph import Edge, Function, Operation, Program, Value
from futamura.ir.nesting import loop_forest
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Known
from futamura.optimize.inlining import without_unused
from futamura.optimize.splicing import Copy, may_splice, splice, split

__all__ = ["ROUNDS", "contify"]

ROUNDS: Final = 500
"""About half of what the recursion limit lets through: what ended before ends now."""
_KEPT: Final = "_further"


def contify(program: Program, known: Known) -> Program:
    """The program with functions that return to one place as blocks of the function that calls them."""
    if len(program.functions) == 1:
        return program
    calls = _calls(program)
    changed = False
    for members in _sets(program, calls):
        if members[0].endswith(_KEPT):
            continue
        outside = {caller for name in members for caller in calls[name] if caller not in members}
        if len(outside) != 1:
            continue
        (caller,) = outside
        new = _Contifier(program, program[caller], members).run()
        if new:
            names = [one.name for one in new]
            left = [one for one in program.functions if one.name not in names]
            program, changed = replace(program, functions=(*left, *new)), True
            calls = _calls(program)
    return without_unused(program) if changed else program


def _calls(program: Program) -> dict[str, list[str]]:
    """For each function those that invoke it, in order; functions that are made as objects are left out."""
    found: dict[str, list[str]] = {function.name: [] for function in program.functions}
    made: set[str] = {program.entry}
    for function in program.functions:
        for op in function.operations():
            if op.name == "invoke":
                found[str(op.attr)].append(function.name)
            elif isinstance(op.attr, FunctionAttr):
                made.add(op.attr.name)
    return {name: callers for name, callers in found.items() if name not in made and callers}


def _sets(program: Program, calls: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Sets of functions that may be contified together: those that call each other in circles, callees first."""
    order = [function.name for function in program.functions if function.name in calls]
    reach = {name: _reached(name, order, calls) for name in order}
    sets: dict[str, tuple[str, ...]] = {}
    for name in order:
        together = tuple([other for other in order if other == name or (name in reach[other] and other in reach[name])])
        sets.setdefault(together[0], together)
    # A function that another one calls goes into that one first.
    return sorted(sets.values(), key=lambda members: len(reach[members[0]]))


def _reached(name: str, order: Sequence[str], calls: Mapping[str, Sequence[str]]) -> set[str]:
    """The functions that calls in this one lead to."""
    seen: set[str] = set()
    work = [name]
    while work:
        caller = work.pop()
        for other in order:
            if other not in seen and caller in calls[other]:
                seen.add(other)
                work.append(other)
    return seen


class _Site:
    """A call from outside of the set."""

    def __init__(self, at: int, place: int, op: Operation) -> None:
        self.at: Final = at
        self.place: Final = place
        self.op: Final = op


class _Contifier:
    """One set of functions, and the function that takes them."""

    def __init__(self, program: Program, caller: Function, members: tuple[str, ...]) -> None:
        self._program: Final = program
        self._caller: Final = caller
        self._members: Final = members
        self._graph: Final = FlowGraph(caller)

    def run(self) -> list[Function]:
        """The caller with the bodies in it, and the functions that are kept; nothing if they are not contified."""
        if not FlowGraph.takes(self._caller):
            return []
        bodies = [self._program[name] for name in self._members]
        if any(body.free or body.signature.names != body.signature.regular or not may_splice(body, self._caller.module)
               for body in bodies):  # fmt: skip
            return []
        if not all(self._tail_calls_only(body) for body in bodies):
            return []
        sites = self._sites()
        circle = self._is_circle()
        if not self._same_extent(sites) or (circle and not self._may_go_around(sites)):
            return []
        last = [self._is_last(site) for site in sites]
        target: int | None = None
        if not all(last):
            target = self._continued(sites[0]) if len(sites) == 1 else None if any(last) else self._joined(sites)
            if target is None:
                return []
        kept = self._kept() if circle else {}
        self._take(sites, target, {name: one.name for name, one in kept.items()})
        return [self._graph.freeze()[0], *kept.values()]

    def _kept(self) -> dict[str, Function]:
        """The functions under other names, calling each other by these."""
        taken = {one.name for one in self._program.functions}
        names: dict[str, str] = {}
        for name in self._members:
            names[name] = name + _KEPT
            while names[name] in taken:
                names[name] = f"{name}_{len(names[name])}{_KEPT}"
        kept = {}
        for name, new in names.items():
            old = self._program[name]
            blocks = [
                block._replace(ops=tuple([
                    op._replace(attr=names[str(op.attr)]) if op.name == "invoke" and op.attr in names else op
                    for op in block.ops
                ]))
                for block in old.blocks
            ]  # fmt: skip
            kept[name] = replace(old, name=new, blocks=tuple(blocks))
        return kept

    # ------------------------------------------------------------ which

    def _tail_calls_only(self, body: Function) -> bool:
        """Are the calls of the set in this function its last deeds, outside of all handlers and clean-ups?"""
        for block in body.blocks:
            for place, op in enumerate(block.ops):
                if op.name == "invoke" and op.attr in self._members:
                    end = block.terminator
                    returned = end.name == "return" and end.args == op.results
                    if place != len(block.ops) - 1 or not returned or block.region != 0:
                        return False
        return True

    def _is_circle(self) -> bool:
        return any(
            op.name == "invoke" and op.attr in self._members
            for name in self._members
            for op in self._program[name].operations()
        )

    def _may_go_around(self, sites: Sequence[_Site]) -> bool:
        """Does no handler see the calls, and is every loop that they will make entered at one place?"""
        if self._graph.node(sites[0].at).handler is not None:
            return False
        number = {name: at for at, name in enumerate(self._members, 1)}
        successors = [sorted({number[str(site.op.attr)] for site in sites})]
        for name in self._members:
            called = [op.attr for op in self._program[name].operations() if op.name == "invoke"]
            successors.append(sorted({number[str(one)] for one in called if one in number}))
        return not any(loop.irreducible for loop in loop_forest(successors, 0))

    def _sites(self) -> list[_Site]:
        return [
            _Site(at, place, op)
            for at, node in self._graph.nodes()
            for place, op in enumerate(node.ops)
            if op.name == "invoke" and op.attr in self._members
        ]

    def _is_last(self, site: _Site) -> bool:
        node = self._graph.node(site.at)
        return site.place == len(node.ops) - 1 and node.end.name == "return" and node.end.args == site.op.results

    def _same_extent(self, sites: Sequence[_Site]) -> bool:
        nodes = [self._graph.node(site.at) for site in sites]
        return all((node.region, node.handler) == (nodes[0].region, nodes[0].handler) for node in nodes)

    # ------------------------------------------------------------ where it goes on

    def _continued(self, site: _Site) -> int:
        """The rest of the block of the only call, which gets the result."""
        rest = split(self._graph, site.at, site.place + 1)
        self._graph.node(rest).params = list(site.op.results)
        return rest

    def _joined(self, sites: Sequence[_Site]) -> int | None:
        """A block that all the calls jump to with what they return, or None if they go on differently."""
        graph = self._graph
        edges = []
        for site in sites:
            node = graph.node(site.at)
            if site.place != len(node.ops) - 1 or node.end.name != "jump":
                return None
            edges.append(node.end.edges[0])
        if len({(edge.target, len(edge.args)) for edge in edges}) != 1:
            return None
        columns = list(zip(*[edge.args for edge in edges]))
        results = tuple([site.op.results[0] for site in sites])
        if any(column != results and (len(set(column)) > 1 or column[0] in results) for column in columns):
            return None  # what differs would have to go around the body
        first = graph.node(sites[0].at)
        param = graph.value(graph.hints[results[0]])
        args = tuple([param if column == results else column[0] for column in columns])
        end = graph.terminator("jump", (), (Edge(edges[0].target, args),))
        return graph.add(Node(-1, [param], [], end, first.handler, first.region))

    # ------------------------------------------------------------ how

    def _take(self, sites: Sequence[_Site], target: int | None, kept: Mapping[str, str]) -> None:
        """Put the bodies in, and let the calls jump to them."""
        graph = self._graph
        first = graph.node(sites[0].at)
        circle = bool(kept)
        copies: dict[str, Copy] = {}
        left: dict[str, Value] = {}
        for name in self._members:
            copies[name] = splice(graph, self._program[name], (), first.region, first.handler)
            if circle:
                left[name] = graph.value("left")
                graph.node(copies[name].entry).params.append(left[name])
        for site in sites:
            node = graph.node(site.at)
            node.ops = node.ops[: site.place]
            args = site.op.args
            if circle:
                rounds = graph.constant(ROUNDS, "left")
                node.ops.append(rounds)
                args = (*args, *rounds.results)
            node.end = graph.terminator("jump", (), (Edge(copies[str(site.op.attr)].entry, args),))
        for name, copy in copies.items():
            for at in copy.returns:
                node = graph.node(at)
                call = node.ops[-1] if node.ops else None
                if call is not None and call.name == "invoke" and call.attr in copies:
                    self._around(at, copies[str(call.attr)].entry, left[name], target, kept)
                elif target is not None:
                    node.end = graph.terminator("jump", (), (Edge(target, node.end.args),))

    def _around(self, at: int, entry: int, left: Value, target: int | None, kept: Mapping[str, str]) -> None:
        """A tail call: a jump as long as there are rounds left, then the call."""
        graph = self._graph
        node = graph.node(at)
        call = node.ops.pop()
        fewer = graph.operation("sub", (left, self._one(node)), "left")
        more = graph.operation("truth", fewer.results)
        node.ops.extend((fewer, more))
        end = node.end if target is None else graph.terminator("jump", (), (Edge(target, node.end.args),))
        call = call._replace(attr=kept[str(call.attr)])
        real = graph.add(Node(-1, [], [call], end, node.handler, node.region))
        again = (*call.args, *fewer.results)
        node.end = graph.terminator("branch", more.results, (Edge(entry, again), Edge(real)))

    def _one(self, node: Node) -> Value:
        one = self._graph.constant(1)
        node.ops.append(one)
        return one.results[0]
