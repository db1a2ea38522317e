"""Lists that nobody else ever sees: made here, and only indexed, appended to, measured, tested and iterated here.

    v1 = mul [0], 30000; ... getitem v1, v5; setitem v6, v1, v5 ...     private, 30000 long
    v1 = list; ... return v1                                            not private: it leaves

No call can read or write such a list, no other name leads to it, and what is in it is what this function puts there.
Each is a kind of memory of its own.  Its length is known if nothing is appended.

Invariant: a list that is passed to anything else, edges included, is not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Private:
    """A private list; `source` is the private list whose items it repeats."""

    value: Value
    length: int | None
    source: Value | None
    iterated: bool

    @property
    def kind(self) -> str:
        """The kind of memory that it is."""
        return f"list {self.value}"


def private_lists(
    graph: FlowGraph, definitions: Mapping[Value, Operation], callee: Callable[[Value], Constant | None]
) -> dict[Value, Private]:
    """The private lists by value, in order."""
    made = {op.results[0]: op for op in definitions.values() if op.name == "list" and (not op.attr or not any(op.attr))}  # type: ignore[arg-type]
    repeated = {
        op.results[0]: op for op in definitions.values() if op.name == "mul" and any(arg in made for arg in op.args)
    }
    candidates = made | repeated
    appended: set[Value] = set()
    iterated: set[Value] = set()
    uses: dict[Value, int] = {}
    for _, node in graph.nodes():
        for op in node.ops:
            for place, arg in enumerate(op.args):
                if arg not in candidates:
                    continue
                uses[arg] = uses.get(arg, 0) + 1
                function = callee(op.args[0]) if op.name == "call" and op.attr is None and place == 1 else None
                measured = function is not None and function.value is len and len(op.args) == 2
                if (op.name, place) not in _ALLOWED and not measured:
                    del candidates[arg]
                elif op.name == "list_append":
                    appended.add(arg)
                elif op.name == "iter":
                    iterated.add(arg)
        for arg in end_uses(node.end):
            candidates.pop(arg, None)
        for edge in node.edges():
            for arg in edge.args:
                candidates.pop(arg, None)
    chosen = set(sorted(candidates, key=lambda value: -uses.get(value, 0))[:MOST])
    found: dict[Value, Private] = {}
    for value in sorted(chosen):
        op = candidates[value]
        length: int | None = None
        source = None
        if op.name == "list":
            length = len(op.args)
        else:
            (source,) = [arg for arg in op.args if arg in made][:1]
            if source not in chosen or len({*op.args}) != 2:
                continue
            (count,) = [definitions.get(arg) for arg in op.args if arg != source]
            times = count.attr.value if count is not None and isinstance(count.attr, Constant) else None
            if type(times) is int and source not in appended:
                length = max(times, 0) * len(made[source].args)
        found[value] = Private(value, None if value in appended else length, source, value in iterated)
    return found
