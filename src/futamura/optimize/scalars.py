"""Scalar replacement: what is taken apart where it was put together never is put together.

    v3 = tuple v1, v2; v5 = getitem v3, 1; v6, v7 = unpack v3         v5 becomes v2, v6 v1, v7 v2
    v3 = dict "a": v1; setitem v2, v3, "b"; v5 = getitem v3, "a"      cells for "a" and "b"; v5 = cell_get of the first
    v3 = list v1, v2; setitem v4, v3, 0; v5 = getitem v3, 0           the same for places

A tuple never changes, so that its parts are known wherever it goes; the tuple itself goes when nothing else needs it.
A dictionary or a list whose only uses are loads and stores at constant keys is a variable for each key: nobody else
sees it, or asks how long it is.  A key is a str or an int, so that different keys are not equal; each load must be
behind a store to its key on every way, so that none raises; an index lies in the list.  The variables are cells, of
which `cells` makes values.

Requires: nothing; finds more behind `inline`, `paste` and `parameters`.  Ensures: no operation is left on what was
replaced.
Invariant: what disappears could neither raise nor be seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.layout import Layout

__all__ = ["replace_aggregates"]

MOST_KEYS: Final = 32
"""With more it is a table, which is looked into by keys that are known by chance."""


def replace_aggregates(graph: FlowGraph) -> bool:
    """Take tuples, dictionaries and lists apart; did anything change?"""
    changed = _take_apart(graph)
    found = _candidates(graph)
    if found:
        _leave_out_unfilled(graph, found)
    if not found:
        return changed
    _rewrite(graph, found)
    return True


# -------------------------------------------------------------------- tuples


def _take_apart(graph: FlowGraph) -> bool:
    """Use the parts of tuples instead of getting them."""
    made = {op.results[0]: op for _, node in graph.nodes() for op in node.ops if op.name in ("tuple", "const")}
    confined = graph.confined()
    replaced: dict[Value, Value] = {}
    for _, node in graph.nodes():
        kept: list[Operation] = []
        for op in node.ops:
            parts = _parts(op, made)
            if parts is None or any(confined.get(part, node.region) != node.region for part in parts):
                kept.append(op)
            else:
                replaced.update(zip(op.results, parts))
                for result, part in zip(op.results, parts):
                    if graph.hints[part] is None:
                        graph.hints[part] = graph.hints[result]
        node.ops = kept
    graph.replace(replaced)
    return bool(replaced)


def _parts(op: Operation, made: dict[Value, Operation]) -> tuple[Value, ...] | None:
    """What an operation takes out of a tuple that is put together here."""
    source = made.get(op.args[0]) if op.name in ("getitem", "unpack") else None
    if source is None or source.name != "tuple" or source.attr is not None:
        return None
    if op.name == "unpack":
        return source.args if op.attr == (len(source.args), False, 0) else None
    index = made.get(op.args[1])
    if index is None or not isinstance(index.attr, Constant) or type(index.attr.value) is not int:
        return None
    at = index.attr.value
    return (source.args[at],) if -len(source.args) <= at < len(source.args) else None


# -------------------------------------------------------------------- dictionaries and lists


@dataclass(slots=True)
class _Aggregate:
    """A dictionary or a list, its keys, and the loads and stores by the ids of the operations."""

    made: Operation
    keys: dict[Constant, None] = field(default_factory=dict)
    key_of: dict[int, Constant] = field(default_factory=dict)


def _candidates(graph: FlowGraph) -> dict[Value, _Aggregate]:
    constants = {op.results[0]: op.attr for _, node in graph.nodes() for op in node.ops if op.name == "const"}
    found: dict[Value, _Aggregate] = {}
    for _, node in graph.nodes():
        for op in node.ops:
            if op.name in ("dict", "list") and not (isinstance(op.attr, tuple) and any(op.attr)):
                found[op.results[0]] = _Aggregate(op)
    for _, node in graph.nodes() if found else ():
        for op in node.ops:
            for place, arg in enumerate(op.args):
                if arg in found and not _is_access(op, place, found[arg], constants):
                    del found[arg]
        for value in (*end_uses(node.end), *(node.handler.args if node.handler is not None else ())):
            found.pop(value, None)
    return {
        value: one
        for value, one in found.items()
        if one.key_of and len(one.keys) <= MOST_KEYS and _starts_with_keys(one, constants)
    }


def _is_access(op: Operation, place: int, one: _Aggregate, constants: dict[Value, object]) -> bool:
    """Is it a load or a store at a constant key?  Notes the key."""
    if (op.name, place) not in (("getitem", 0), ("setitem", 1)) or op.args.count(op.args[place]) > 1:
        return False
    key = constants.get(op.args[-1])
    if not isinstance(key, Constant) or type(key.value) not in (str, int):
        return False
    if one.made.name == "list":
        length = len(one.made.args)
        if type(key.value) is not int or not -length <= key.value < length:
            return False
        key = Constant(key.value % length)
    one.keys.setdefault(key)
    one.key_of[op.id] = key
    return True


def _starts_with_keys(one: _Aggregate, constants: dict[Value, object]) -> bool:
    """Are the keys of the display constants too?"""
    if one.made.name == "list":
        one.keys.update(dict.fromkeys([Constant(place) for place in range(len(one.made.args))]))
        return True
    for value in one.made.args[::2]:
        key = constants.get(value)
        if not isinstance(key, Constant) or type(key.value) not in (str, int):
            return False
        one.keys.setdefault(key)
    return True


def _given(one: _Aggregate, constants: dict[Value, object]) -> dict[Constant, Value]:
    """What it holds when it is made; the last of equal keys counts."""
    if one.made.name == "list":
        return {Constant(place): value for place, value in enumerate(one.made.args)}
    pairs = zip(one.made.args[::2], one.made.args[1::2])
    return {key: value for name, value in pairs if isinstance(key := constants.get(name), Constant)}


def _leave_out_unfilled(graph: FlowGraph, found: dict[Value, _Aggregate]) -> None:
    """Leave out those of which a key may be missing where it is loaded."""
    constants = {op.results[0]: op.attr for _, node in graph.nodes() for op in node.ops if op.name == "const"}
    filled: set[tuple[Value, Constant]] = set()
    undo: list[list[tuple[Value, Constant]]] = []
    layout = Layout(graph)
    for entering, place in layout.walk():
        if not entering:
            filled.difference_update(undo.pop())
            continue
        undo.append([])
        at = layout.executes(place)
        for op in graph.node(at).ops if at >= 0 else ():
            new: list[tuple[Value, Constant]] = []
            if op.results and op.results[0] in found and found[op.results[0]].made is op:
                new = [(op.results[0], key) for key in _given(found[op.results[0]], constants)]
            elif op.name == "setitem" and op.args[1] in found:
                new = [(op.args[1], found[op.args[1]].key_of[op.id])]
            elif op.name == "getitem" and op.args[0] in found:
                if (op.args[0], found[op.args[0]].key_of[op.id]) not in filled:
                    del found[op.args[0]]
            new = [pair for pair in new if pair not in filled]
            filled.update(new)
            undo[-1].extend(new)


def _rewrite(graph: FlowGraph, found: dict[Value, _Aggregate]) -> None:
    constants = {op.results[0]: op.attr for _, node in graph.nodes() for op in node.ops if op.name == "const"}
    cells: dict[tuple[Value, Constant], Value] = {}
    for value, one in found.items():
        for key in one.keys:
            cells[value, key] = graph.value(_name(graph.hints[value], key))
    for _, node in graph.nodes():
        ops: list[Operation] = []
        for op in node.ops:
            if op.results and op.results[0] in found and found[op.results[0]].made is op:
                one = found[op.results[0]]
                given = _given(one, constants)
                for key in one.keys:
                    args = (given[key],) if key in given else ()
                    made = graph.operation("cell", args, None, _name(graph.hints[op.results[0]], key))
                    ops.append(made._replace(results=(cells[op.results[0], key],), span=op.span))
            elif op.name == "setitem" and op.args[1] in found:
                cell = cells[op.args[1], found[op.args[1]].key_of[op.id]]
                made = graph.operation("cell_set", (op.args[0], cell), None, graph.hints[cell])
                ops.append(made._replace(results=(), span=op.span))
            elif op.name == "getitem" and op.args[0] in found:
                cell = cells[op.args[0], found[op.args[0]].key_of[op.id]]
                made = graph.operation("cell_get", (cell,), None, (graph.hints[cell], "local"))
                ops.append(made._replace(id=op.id, results=op.results, span=op.span))
            else:
                ops.append(op)
        node.ops = ops


def _name(base: str | None, key: Constant) -> str:
    """A name for the variable of a key: the key itself, if it looks like one."""
    text = str(key.value)
    if isinstance(key.value, str) and text.isidentifier() and text.isascii() and not text.startswith("_"):
        return text if base is None else f"{base}_{text}"
    return f"{base or 'item'}_{text}" if text.isdigit() else f"{base or 'item'}_key"
