"""Fields of a buffer that are unpacked one by one are unpacked by one call.

    v1 = unpack_from(">H", data, 0); v2 = v1[0]        if len(data) >= 6:  v2, v4 = unpack_from(">HI", data, 0)
    v3 = unpack_from(">I", data, 2); v4 = v3[0]   ->   else:               as before: here it is told what is missing

The calls are of `struct.unpack_from`, or of the method of a known `struct.Struct`, on one buffer, at constants or at
one base with constants, in rising order; or of `unpack` on slices of exact `bytes` that are as long as the fields.  The
formats are constants with a byte order, so that nothing is aligned; bytes between two fields are skipped (`x`).
Nothing between the calls may be noticed, and nothing but their fields is taken from what they give.  The first way is
for exact `bytes` that are long enough; a test of the class stands before it where that is not known.

Invariant: the one call cannot raise; what raises, does by the calls of the program, with their texts, in their order.
"""

from __future__ import annotations

import builtins
import struct
import types
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.effects import may_be_removed
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.shapes import NOTHING, Shape

__all__ = ["buffer_fields", "may_have_fields"]

_ORDERS: Final = {"<": "<", ">": ">", "!": ">", "=": "="}
"""Byte orders without alignment, and what they are called in the one call."""
_MOST_SKIPPED: Final = 64
_MOST_BYTES: Final = 4096


class _Call(NamedTuple):
    """One call: where it stands, the format without its byte order, the types of its fields, and how many bytes."""

    at: int
    op: Operation
    order: str
    codes: str
    kinds: tuple[str, ...]
    size: int
    base: Value | None
    offset: int
    data: Value
    start: Value | None
    """The operand that says where the fields are; None for the beginning."""
    method: Operation | None
    """What looks up the method that is called, if nothing else needs it."""


def buffer_fields(graph: FlowGraph, inference: Inference) -> bool:
    """Join neighbouring calls; did anything change?"""
    if not any(_reader(inference, op) for _, node in graph.nodes() for op in _calls(node)):
        return False
    fields = _Fields(graph, inference)
    changed = False
    for at in inference.layout.order:
        while at in inference.reached:
            group = fields.group(graph.node(at))
            if group is None:
                break
            at = fields.join(graph.node(at), group)
            changed = True
            inference.reached.add(at)
    return changed


def may_have_fields(graph: FlowGraph) -> bool:
    """Does a block call anything twice as fields are unpacked?"""
    return any(len(_calls(node)) > 1 for _, node in graph.nodes())


_FUNCTION: Final = struct.unpack_from
_FUNCTIONS: Final = {struct.unpack_from: "unpack_from", struct.unpack: "unpack"}


def _calls(node: Node) -> list[Operation]:
    return [op for op in node.ops if op.name == "call" and op.attr is None and 2 <= len(op.args) <= 4]


class _Reader(NamedTuple):
    """What is called: "unpack" or "unpack_from"; its format, if the callee has one, and what looks the method up."""

    name: str
    form: str | None
    method: Operation | None


def _reader(inference: Inference, op: Operation) -> _Reader | None:
    callee = op.args[0]
    made = inference.definitions.get(callee)
    if made is not None and made.name == "getattr" and _is_struct(inference, made):
        owner = inference.callee(made.args[0])
        assert owner is not None and type(owner.value) is struct.Struct and type(made.attr) is str
        return _Reader(made.attr, owner.value.format, made)
    found = inference.callee(callee)
    if found is None or type(found.value) is not types.BuiltinFunctionType:
        return None
    function: types.BuiltinFunctionType = found.value
    if type(function.__self__) is struct.Struct:
        known = function.__name__ in _FUNCTIONS.values()
        return _Reader(function.__name__, function.__self__.format, None) if known else None
    name = _FUNCTIONS.get(function)
    return None if name is None else _Reader(name, None, None)


def _is_struct(inference: Inference, op: Operation) -> bool:
    """Does it look up a method of a known `struct.Struct`, which has no other attributes than those of its class?"""
    if op.name != "getattr" or op.attr not in _FUNCTIONS.values():
        return False
    owner = inference.callee(op.args[0])
    return owner is not None and type(owner.value) is struct.Struct


def _is_natural(shape: Shape) -> bool:
    return shape.low is not None and shape.low >= 0


class _Fields:
    def __init__(self, graph: FlowGraph, inference: Inference) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._users: Final[dict[Value, list[Operation | None]]] = {}
        """What uses a value; None for what is no operation."""
        for _, node in graph.nodes():
            for op in node.ops:
                for arg in op.args:
                    self._users.setdefault(arg, []).append(op)
            others = (*end_uses(node.end), *(() if node.handler is None else node.handler.args))
            for arg in others:
                self._users.setdefault(arg, []).append(None)

    # -------------------------------------------------------------------- what belongs together

    def group(self, node: Node) -> list[_Call] | None:
        """The first calls of a block that can be one, two at least."""
        group: list[_Call] = []
        dependent: set[Value] = set()
        for at, op in enumerate(node.ops):
            call = self._call(at, op)
            if call is not None:
                if group and not self._continues(group[-1], call, dependent):
                    if len(group) > 1:
                        return group
                    group, dependent = [], set()
                group.append(call)
                dependent.update(op.results)
            elif group:
                if not self._is_unnoticed(op, group):
                    if len(group) > 1:
                        return group
                    group, dependent = [], set()
                elif not dependent.isdisjoint(op.args):
                    dependent.update(op.results)
        return group if len(group) > 1 else None

    def _call(self, at: int, op: Operation) -> _Call | None:
        if op.name != "call" or op.attr is not None or not 2 <= len(op.args) <= 4:
            return None
        reader = _reader(self._inference, op)
        if reader is None:
            return None
        form: object = reader.form
        args = op.args[1:]
        if form is None:
            form, args = self._constant(args[0]), args[1:]
        if type(form) is not str or form[:1] not in _ORDERS:
            return None
        try:
            size = struct.calcsize(form)
            fields = struct.unpack(form, bytes(size)) if size <= _MOST_BYTES else ()
        except struct.error:
            return None
        where = self._read(reader.name, args, size)
        count = len(fields)
        if where is None or not count:
            return None
        if not all(self._takes_fields(user, op, count) for user in self._users.get(op.results[0], ())):
            return None
        kinds = tuple([type(field).__name__ for field in fields])
        method = reader.method if len(self._users[op.args[0]]) == 1 else None
        return _Call(at, op, _ORDERS[form[0]], form[1:], kinds, size, *where, method)

    def _read(
        self, name: str, args: Sequence[Value], size: int
    ) -> tuple[Value | None, int, Value, Value | None] | None:
        """Where a call reads: the base and the constant, the buffer, and the operand that says so."""
        if name == "unpack_from":
            if not 1 <= len(args) <= 2:
                return None
            start = args[1] if len(args) == 2 else None
            place = (None, 0) if start is None else self._place(start)
            return None if place is None else (*place, args[0], start)
        part = self._inference.definitions.get(args[0]) if len(args) == 1 else None
        if part is None or part.name != "getitem" or self._inference.shapes.get(part.args[0], NOTHING).type != "bytes":
            return None
        cut = self._inference.definitions.get(part.args[1])
        if cut is None or cut.name != "slice" or self._constant_or(cut.args[2]) is not None:
            return None
        start = None if self._constant_or(cut.args[0]) is None else cut.args[0]
        place, end = (None, 0) if start is None else self._place(start), self._place(cut.args[1])
        if place is None or end != (place[0], place[1] + size):
            return None
        return *place, part.args[0], start

    def _constant_or(self, value: Value) -> object:
        """A constant, or the value itself."""
        found = self._inference.callee(value)
        return value if found is None else found.value

    def _constant(self, value: Value) -> object:
        found = self._inference.callee(value)
        return None if found is None else found.value

    def _place(self, value: Value) -> tuple[Value | None, int] | None:
        """An offset as a base and a constant, none of them known to be negative."""
        added = 0
        for _ in range(8):
            shape = self._inference.shapes.get(value, NOTHING)
            if shape.type != "int":
                return None
            if shape.constant is not None:
                known = shape.constant.value
                assert type(known) is int
                return (None, added + known) if known >= 0 else None
            made = self._inference.definitions.get(value)
            step = self._constant(made.args[1]) if made is not None and made.name in ("add", "iadd") else None
            if made is None or type(step) is not int or step < 0:
                break
            added += step
            value = made.args[0]
        shape = self._inference.shapes.get(value, NOTHING)
        return (value, added) if shape.type == "int" and (shape.high is None or shape.high >= 0) else None

    def _takes_fields(self, user: Operation | None, op: Operation, count: int) -> bool:
        """Does it take fields of what the call gives, and nothing else?"""
        if user is None:
            return False
        if user.name == "unpack":
            return user.attr == (count, False, 0)
        if user.name != "getitem" or user.args[0] != op.results[0] or user.args[1] == op.results[0]:
            return False
        index = self._constant(user.args[1])
        return type(index) is int and -count <= index < count

    def _continues(self, before: _Call, call: _Call, dependent: set[Value]) -> bool:
        gap = call.offset - before.offset - before.size
        return (
            before.order == call.order
            and before.base == call.base
            and before.data == call.data
            and 0 <= gap <= _MOST_SKIPPED
            and dependent.isdisjoint(call.op.args)
        )

    def _is_unnoticed(self, op: Operation, group: Sequence[_Call]) -> bool:
        """May it be done before the calls or behind them?"""
        if op.args and any(op.args[0] == call.op.results[0] for call in group):
            return True  # it takes fields
        if (op.name == "global_get" and op.attr in self._inference.known) or _is_struct(self._inference, op):
            return True
        fact = self._inference.fact(op)
        return may_be_removed(fact) and not fact.effects.reads and not self._inference.asks(op)

    # -------------------------------------------------------------------- one call

    def join(self, node: Node, group: Sequence[_Call]) -> int:
        """Rebuild the block; the block that goes on behind the calls."""
        graph = self._graph
        first, last = group[0].at, group[-1].at
        before, behind = self._sorted(node, group)
        rest = Node(-1, [], [*behind, *node.ops[last + 1 :]], node.end, node.handler, node.region)
        after = graph.add(rest)
        names = [[graph.value(None, kind) for kind in call.kinds] for call in group]
        rest.params = [name for fields in names for name in fields]
        self._take_away_accesses(group, names)
        moved = {call.method.id for call in group if call.method is not None} & {op.id for op in node.ops}
        at_once = self._at_once(node, group, after)
        one_by_one = self._one_by_one(node, group, after, moved)
        node.ops = [op for op in (*node.ops[:first], *before) if op.id not in moved]
        asking = node
        *others, long_enough = self._tests(group)
        for ops in others:
            asking.ops += ops
            deeper = Node(-1, [], [], node.end, node.handler, node.region)
            ways = (Edge(graph.add(deeper)), Edge(one_by_one))
            asking.end = graph.terminator("branch", ops[-1].results, ways)
            asking = deeper
        asking.ops += long_enough
        asking.end = graph.terminator("branch", long_enough[-1].results, (Edge(at_once), Edge(one_by_one)))
        return after

    def _tests(self, group: Sequence[_Call]) -> list[list[Operation]]:
        """What must hold for the one call, and is not known: the answers are those of the last operations."""
        graph = self._graph
        tests = []
        base = group[0].base
        if self._inference.shapes.get(group[0].data, NOTHING).type != "bytes":
            kind, wanted = self._builtin("type"), self._builtin("bytes")
            asked = graph.operation("call", (kind.results[0], group[0].data))
            tests.append([kind, asked, wanted, graph.operation("is", (asked.results[0], wanted.results[0]))])
        if base is not None and not _is_natural(self._inference.shapes.get(base, NOTHING)):
            zero = graph.constant(0)
            tests.append([zero, graph.operation("ge", (base, zero.results[0]))])
        return [*tests, self._long_enough(group)]

    def _sorted(self, node: Node, group: Sequence[_Call]) -> tuple[list[Operation], list[Operation]]:
        """The operations between the calls: those that need no field of theirs, and those that do."""
        calls = {call.op.id for call in group}
        dependent = {call.op.results[0] for call in group}
        before: list[Operation] = []
        behind: list[Operation] = []
        for op in node.ops[group[0].at : group[-1].at]:
            if op.id in calls:
                continue
            if dependent.isdisjoint(op.args):
                before.append(op)
            else:
                dependent.update(op.results)
                behind.append(op)
        return before, behind

    def _take_away_accesses(self, group: Sequence[_Call], names: Sequence[Sequence[Value]]) -> None:
        """What took a field has it by its name now."""
        graph = self._graph
        fields: dict[Value, Value] = {}
        gone: set[int] = set()
        for call, own in zip(group, names):
            for user in self._users.get(call.op.results[0], ()):
                assert user is not None
                gone.add(user.id)
                if user.name == "unpack":
                    fields.update(zip(user.results, own))
                else:
                    index = self._constant(user.args[1])
                    assert type(index) is int
                    fields[user.results[0]] = own[index]
        for value, name in fields.items():
            graph.hints[name] = graph.hints[name] or graph.hints[value]
        for _, node in graph.nodes():
            node.ops = [op for op in node.ops if op.id not in gone]
        graph.replace(fields)

    def _at_once(self, node: Node, group: Sequence[_Call], after: int) -> int:
        graph = self._graph
        codes = ""
        end = group[0].offset
        for call in group:
            gap = call.offset - end
            codes += (f"{gap}x" if gap else "") + call.codes
            end = call.offset + call.size
        form = graph.constant(group[0].order + codes)
        ops = [form]
        first = group[0]
        function = first.op.args[0]
        if self._constant(function) is not _FUNCTION:
            ops.append(graph.constant(_FUNCTION))
            function = ops[-1].results[0]
        start = () if first.start is None else (first.start,)
        called = graph.operation("call", (function, form.results[0], first.data, *start))._replace(span=first.op.span)
        ops += [called, self._taken(called, [kind for call in group for kind in call.kinds])]
        jump = graph.terminator("jump", (), (Edge(after, ops[-1].results),))
        return graph.add(Node(-1, [], ops, jump, node.handler, node.region))

    def _one_by_one(self, node: Node, group: Sequence[_Call], after: int, moved: Collection[int]) -> int:
        """The calls as they were, with the operations that are done for them alone."""
        graph = self._graph
        ops: list[Operation] = []
        fields: list[Value] = []
        for call in group:
            callee = call.op.args[0]
            if call.method is not None and call.method.id in moved:
                ops.append(call.method)
            elif self._constant(callee) is _FUNCTION is self._constant(group[0].op.args[0]):
                callee = group[0].op.args[0]
            called = call.op._replace(args=(callee, *call.op.args[1:]))
            ops += [called, self._taken(called, call.kinds)]
            fields += ops[-1].results
        end = graph.terminator("jump", (), (Edge(after, tuple(fields)),))
        return graph.add(Node(-1, [], ops, end, node.handler, node.region))

    def _taken(self, called: Operation, kinds: Sequence[str]) -> Operation:
        """The fields of what a call gives."""
        taken = self._graph.operation("unpack", called.results, None, (len(kinds), False, 0))
        return taken._replace(results=tuple([self._graph.value(None, kind) for kind in kinds]))

    def _builtin(self, name: str) -> Operation:
        """A builtin by its global name, if that keeps its meaning: as the program has it."""
        function = getattr(builtins, name)
        place = (self._graph.function.module, name)
        if self._inference.known.get(place) is function:
            return self._graph.operation("global_get", (), None, place)
        return self._graph.constant(function)

    def _long_enough(self, group: Sequence[_Call]) -> list[Operation]:
        """Is the buffer as long as the fields are?  The answer is the last one's."""
        graph = self._graph
        length, last = self._builtin("len"), group[-1]
        counted = graph.operation("call", (length.results[0], last.data))
        end = graph.constant(last.offset + last.size)
        ops = [length, counted, end]
        if last.base is not None:
            ops.append(graph.operation("add", (last.base, end.results[0])))
        return [*ops, graph.operation("ge", (counted.results[0], ops[-1].results[0]))]
