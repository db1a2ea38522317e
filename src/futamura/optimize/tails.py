"""Common tails: the same operations at the end of several blocks are put into one block.

    A: print "lt"; r = 6 + n; return r          A: print "lt"; goto T with p = 6
    B: print "ge"; r = 7 + n; return r     ->   B: print "ge"; goto T with p = 7       T: r = p + n; return r

What the blocks bring from before their tails, where it differs, is passed.  Invariant: each way executes the same
operations in the same order, and one jump more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Operation, Value
from futamura.optimize.flowgraph import FlowGraph, Node

__all__ = ["tails"]


MAX_PASSED = 4
"""Passing more than this costs more than the tail saves."""


@dataclass(slots=True)
class _Member:
    """A block, its operations but the constants, and its constants."""

    at: int
    node: Node
    ops: list[Operation]
    constants: dict[Value, Constant]


def tails(graph: FlowGraph) -> bool:
    """Merge the longest common tails of blocks that end alike."""
    used_elsewhere = graph.shared()
    groups: dict[object, list[_Member]] = {}
    for at, node in graph.nodes():
        ops = [op for op in node.ops if op.name != "const"]
        if not ops:
            continue
        constants = {op.results[0]: op.attr for op in node.ops if isinstance(op.attr, Constant)}
        targets = tuple([(edge.target, len(edge.args)) for edge in node.end.edges])
        end = (node.end.name, node.end.attr, len(node.end.args), targets)
        key = (end, ops[-1].name, ops[-1].attr, len(ops[-1].args))
        groups.setdefault(key, []).append(_Member(at, node, ops, constants))
    changed = False
    for members in groups.values():
        if len(members) > 1:
            changed = _merge(graph, members, used_elsewhere) or changed
    return changed


def _common(members: Sequence[_Member], outside: set[Value]) -> int:
    """The length of the longest tail that all have."""
    length = 0
    shortest = min([len(member.ops) for member in members])
    while length < shortest:
        here = [member.ops[-1 - length] for member in members]
        first = here[0]
        alike = all((op.name, op.attr, len(op.args)) == (first.name, first.attr, len(first.args)) for op in here)
        if not alike or any(result in outside for op in here for result in op.results):
            break
        length += 1
    return length


def _merge(graph: FlowGraph, members: list[_Member], outside: set[Value]) -> bool:
    length = _common(members, outside)
    while length and _slots(members, length) is None:
        length -= 1
    slots = _slots(members, length) if length else None
    if slots is None or len(slots) > MAX_PASSED:
        return False
    tail, order = _tail(graph, members, length, slots)
    for position, member in enumerate(members):
        node = member.node
        gone = {id(op) for op in member.ops[len(member.ops) - length :]}
        node.ops = [op for op in node.ops if id(op) not in gone]
        node.end = graph.terminator("jump", (), (Edge(tail, tuple([slot[position] for slot in order])),))
    return True


def _operands(member: _Member, length: int) -> list[Value]:
    """Everything that the tail reads, in order: its operations, then the end of the block."""
    found = [arg for op in member.ops[len(member.ops) - length :] for arg in op.args]
    found.extend(member.node.end.args)
    found.extend(arg for edge in member.node.end.edges for arg in edge.args)
    return found


def _slots(members: Sequence[_Member], length: int) -> dict[tuple[Value, ...], bool] | None:
    """What differs: for each the values of the members.  None if the tails do not fit."""
    made = []
    for member in members:
        results = [result for op in member.ops[len(member.ops) - length :] for result in op.results]
        made.append({result: at for at, result in enumerate(results)})
    slots: dict[tuple[Value, ...], bool] = {}
    for values in zip(*[_operands(member, length) for member in members], strict=True):
        positions = {made[at].get(value, -1) for at, value in enumerate(values)}
        if len(positions) > 1:
            return None
        if positions != {-1} or len(set(values)) == 1:
            continue
        constants = [member.constants.get(value) for member, value in zip(members, values)]
        if None not in constants and len(set(constants)) == 1:
            continue
        if any(constant is not None and constant.value is None for constant in constants):
            return None
        slots[values] = True
    return slots


def _tail(
    graph: FlowGraph, members: Sequence[_Member], length: int, slots: dict[tuple[Value, ...], bool]
) -> tuple[int, list[tuple[Value, ...]]]:
    """The new block, made of the first member's tail, and what each of its parameters receives."""
    first = members[0]
    order = list(slots)
    params = {slot: graph.value(graph.hints[slot[0]]) for slot in order}
    columns = iter(zip(*[_operands(member, length) for member in members], strict=True))
    tail = first.ops[len(first.ops) - length :]
    own = {result for op in tail for result in op.results}
    renamed: dict[Value, Value] = {}
    ops: list[Operation] = []
    for value in dict.fromkeys(_operands(first, length)):
        if value in first.constants and value not in own:
            constant = graph.constant(first.constants[value].value)
            renamed[value] = constant.results[0]
            ops.append(constant)

    def operand(value: Value) -> Value:
        """The next operand: what differs between the members is told by all of their values together."""
        column = next(columns)
        return params[column] if column in params else renamed.get(value, value)

    for op in tail:
        args = tuple([operand(arg) for arg in op.args])
        results = tuple([graph.value(graph.hints[result]) for result in op.results])
        renamed.update(zip(op.results, results))
        ops.append(op._replace(args=args, results=results))
    end = first.node.end
    tested = tuple([operand(arg) for arg in end.args])
    edges = tuple([Edge(edge.target, tuple([operand(arg) for arg in edge.args])) for edge in end.edges])
    node = Node(-1, list(params.values()), ops, end._replace(args=tested, edges=edges))
    return graph.add(node), order
