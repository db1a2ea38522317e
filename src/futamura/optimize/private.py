"""Lists that nobody else sees yet: made here, and only indexed, appended to, measured, tested and iterated so far.

    v1 = mul [0], 30000; ... getitem v1, v5; setitem v6, v1, v5 ...     private, 30000 long
    v1 = list; ... v2 = getattr[append] v1; call v2, v5 ...             private, of no known length
    ... getitem v1, v5 ...; return v1                                   private up to the return
    while ...: getitem v1, v5; call v0, v1                              not private: the loop comes back

A list that is passed to anything else, edges included, leaves there; from then on, it is like any other.  Where it has
not left, no call can read or write it, no other name leads to it, and what is in it is what this function puts there:
it is a kind of memory of its own.  Its length is known if nothing is appended.

Invariant: no way leads from a place where the list leaves to an operation of `Private.ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph

__all__ = ["MOST", "Private", "private_lists"]

MOST = 16
"""So many lists are told apart, those that are used most."""

_ALLOWED = frozenset(
    {("getitem", 0), ("setitem", 1), ("list_append", 0), ("iter", 0), ("truth", 0), ("not", 0), ("mul", 0), ("mul", 1)}
)


_APPEND = ("getattr", "append")


@dataclass(frozen=True, slots=True)
class Private:
    """A list while it is private; `source` is the private list whose items it repeats, `ops` are by id."""

    value: Value
    length: int | None
    source: Value | None
    iterated: bool
    ops: frozenset[int]
    appends: frozenset[int] = frozenset()
    """Those of `ops` that are calls of the list's `append`."""
    steps: frozenset[int] = frozenset()
    """Ends of blocks, by id, that step an iterator of the list which nothing else uses."""

    @property
    def kind(self) -> str:
        """The kind of memory that it is."""
        return f"list {self.value}"


@dataclass(slots=True)
class _Uses:
    """What is done with a list, by block."""

    made: Operation
    ops: dict[int, list[Operation]] = field(default_factory=dict)
    leaves: set[int] = field(default_factory=set)
    appends: set[int] = field(default_factory=set)
    steps: dict[int, int] = field(default_factory=dict)
    """By block the ids of ends that step iterators of it."""


def private_lists(
    graph: FlowGraph, definitions: Mapping[Value, Operation], callee: Callable[[Value], Constant | None]
) -> dict[Value, Private]:
    """The private lists by value, in order."""
    displays = {
        op.results[0]
        for op in definitions.values()
        if op.name == "list" and not (isinstance(op.attr, tuple) and any(op.attr))
    }
    found = {
        op.results[0]: _Uses(op)
        for op in definitions.values()
        if len(op.results) == 1
        and (op.results[0] in displays or (op.name == "mul" and not displays.isdisjoint(op.args)))
    }
    if not found:
        return {}
    _collect(graph, found, callee)
    _collect_appends(graph, found)
    most = sorted(found, key=lambda value: -sum(map(len, found[value].ops.values())))[:MOST]
    private: dict[Value, Private] = {}
    for value in sorted(most):
        mine = _private(graph, value, found[value], definitions, private)
        if mine is not None:
            private[value] = mine
    return private


def _collect(graph: FlowGraph, found: dict[Value, _Uses], callee: Callable[[Value], Constant | None]) -> None:
    for at, node in graph.nodes():
        for op in node.ops:
            for place, arg in enumerate(op.args):
                uses = found.get(arg)
                if uses is None:
                    continue
                function = callee(op.args[0]) if op.name == "call" and op.attr is None and place == 1 else None
                measured = function is not None and function.value is len and len(op.args) == 2
                if (op.name, place) in _ALLOWED or measured or (op.name, op.attr) == _APPEND:
                    uses.ops.setdefault(at, []).append(op)
                else:
                    uses.leaves.add(at)
            for result in op.results:
                if result in found:
                    found[result].ops.setdefault(at, []).append(op)
        for arg in (*end_uses(node.end), *(node.handler.args if node.handler is not None else ())):
            if arg in found:
                found[arg].leaves.add(at)


def _collect_appends(graph: FlowGraph, found: dict[Value, _Uses]) -> None:
    """The calls of `append`, and the steps of iterators; a list whose `append` is used for anything else leaves."""
    methods = {op.results[0]: (value, op) for value, op in _uses_of(found) if (op.name, op.attr) == _APPEND}
    iterators = {op.results[0]: value for value, op in _uses_of(found) if op.name == "iter"}
    calls: dict[Value, list[tuple[int, Operation]]] = {}
    passed: set[Value] = set()
    for at, node in graph.nodes() if methods or iterators else ():
        for op in node.ops:
            called = op.name == "call" and op.attr is None and len(op.args) == 2
            if called and op.args[0] in methods:
                calls.setdefault(op.args[0], []).append((at, op))
                passed.add(op.args[1])
            else:
                passed.update(op.args)
        stepped = node.end.args[:1] if node.end.name == "next" else ()
        for value in stepped:
            if value in iterators:
                found[iterators[value]].steps[at] = node.end.id
        passed.update([*end_uses(node.end)][len(stepped) :])
        passed.update(() if node.handler is None else node.handler.args)
    for method, (value, made) in methods.items():
        if method in passed:
            found[value].leaves.update(at for at, ops in found[value].ops.items() if made in ops)
            continue
        for at, op in calls.get(method, ()):
            found[value].ops.setdefault(at, []).append(op)
            found[value].appends.add(op.id)
    for iterator in passed.intersection(iterators):
        found[iterators[iterator]].steps.clear()


def _uses_of(found: Mapping[Value, _Uses]) -> list[tuple[Value, Operation]]:
    return [(value, op) for value, uses in found.items() for ops in uses.ops.values() for op in ops]


def _private(
    graph: FlowGraph, value: Value, uses: _Uses, definitions: Mapping[Value, Operation], before: Mapping[Value, Private]
) -> Private | None:
    """The list where it is private; None if that is nowhere."""
    gone = _reached(graph, uses.leaves)
    ops = [op for at, here in uses.ops.items() if at not in gone for op in here]
    made = uses.made
    if made not in ops or len(ops) == 1:
        return None
    appended = any(op.name == "list_append" or op.id in uses.appends for op in ops)
    iterated = any(op.name == "iter" for op in ops)
    ids = frozenset([op.id for op in ops])
    more = ids & uses.appends, frozenset([end for at, end in uses.steps.items() if at not in gone])
    if made.name == "list":
        return Private(value, None if appended else len(made.args), None, iterated, ids, *more)
    sources = [arg for arg in made.args if arg in before]
    if len(sources) != 1 or len(set(made.args)) != 2 or made.id not in before[sources[0]].ops:
        return None
    (count,) = [definitions.get(arg) for arg in made.args if arg != sources[0]]
    times = count.attr.value if count is not None and isinstance(count.attr, Constant) else None
    once = before[sources[0]].length
    length = max(times, 0) * once if type(times) is int and once is not None and not appended else None
    return Private(value, length, sources[0], iterated, ids, *more)


def _reached(graph: FlowGraph, starts: set[int]) -> set[int]:
    """These blocks, and all that they lead to."""
    reached = set(starts)
    work = sorted(starts)
    while work:
        for edge in graph.node(work.pop()).edges():
            if edge.target not in reached:
                reached.add(edge.target)
                work.append(edge.target)
    return reached
