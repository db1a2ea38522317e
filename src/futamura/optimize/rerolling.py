"""Re-rolling: the same operations several times in a row become a loop again.

    r = 1 * x; r = r * x; r = r * x       ->       r = 1; count = 3; L: r = r * x; count = count - 1; if count goto L

A group of operations repeats if each operand is the same value every time, made in the group, brought over from the
group before, or a number that grows by a fixed step.  Invariant: the loop executes the very operations of the line, in
their order; nothing but the last group's results is used after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Operation, Value
from futamura.optimize.flowgraph import FlowGraph, Node

__all__ = ["reroll"]

MIN_GROUPS = 3
MAX_PERIOD = 8


@dataclass(slots=True)
class _Roll:
    """Groups of `period` operations from `start` on."""

    start: int
    period: int
    groups: int
    carried: dict[tuple[int, int], int] = field(default_factory=dict)
    """(operation of the group, operand): which result of the group before it is."""
    growing: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """(operation, operand): the first number and the step."""


def reroll(graph: FlowGraph) -> bool:
    """Roll the best repetition of each block."""
    changed = False
    uses = _use_counts(graph)
    for at, node in list(graph.nodes()):
        constants = {op.results[0]: op.attr for op in node.ops if isinstance(op.attr, Constant)}
        line = [op for op in node.ops if op.name != "const"]
        found = _best(line, constants, uses)
        if found is not None:
            _roll(graph, at, node, line, found)
            changed = True
    return changed


def _use_counts(graph: FlowGraph) -> dict[Value, int]:
    counts: dict[Value, int] = {}
    for _, node in graph.nodes():
        used = [arg for op in node.ops for arg in op.args] + list(node.end.args)
        for arg in [*used, *(arg for edge in node.end.edges for arg in edge.args)]:
            counts[arg] = counts.get(arg, 0) + 1
    return counts


def _best(line: list[Operation], constants: dict[Value, Constant], uses: dict[Value, int]) -> _Roll | None:
    """The repetition that leaves the fewest operations; the first one of equals."""
    best: _Roll | None = None
    for period in range(1, min(MAX_PERIOD, len(line) // MIN_GROUPS) + 1):
        start = 0
        while start + MIN_GROUPS * period <= len(line):
            found = _repetition(line, start, period, constants, uses)
            if found is not None and (best is None or _gain(found) > _gain(best)):
                best = found
            start += 1 if found is None else max(1, found.groups * period - period)
    return best if best is not None and _gain(best) > 3 + len(best.growing) else None


def _gain(roll: _Roll) -> int:
    return (roll.groups - 1) * roll.period


def _repetition(
    line: list[Operation], start: int, period: int, constants: dict[Value, Constant], uses: dict[Value, int]
) -> _Roll | None:
    """The most groups from `start` on that are alike: if some are, so are these without the last one."""

    def alike(groups: int) -> _Roll | None:
        if start + groups * period > len(line) or not _same_shapes(line, start, period, groups):
            return None
        return _fits(line, start, period, groups, constants) if _closed(line, start, period, groups, uses) else None

    found, low, high = alike(MIN_GROUPS), MIN_GROUPS, MIN_GROUPS + 1
    if found is None:
        return None
    while (more := alike(high)) is not None:
        found, low, high = more, high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        more = alike(middle)
        found, low, high = (found, low, middle) if more is None else (more, middle, high)
    return found


def _same_shapes(line: list[Operation], start: int, period: int, groups: int) -> bool:
    def shape(op: Operation) -> tuple[object, ...]:
        return (op.name, op.attr, len(op.args), len(op.results))

    end = start + groups * period
    return all(shape(line[at]) == shape(line[at - period]) for at in range(start + period, end))


def _fits(
    line: list[Operation], start: int, period: int, groups: int, constants: dict[Value, Constant]
) -> _Roll | None:
    roll = _Roll(start, period, groups)
    made = [
        {r: at for at, r in enumerate(r for op in _group(line, roll, g) for r in op.results)} for g in range(groups)
    ]
    for at in range(period):
        for slot in range(len(line[start + at].args)):
            values = [line[start + g * period + at].args[slot] for g in range(groups)]
            own = [made[g].get(value) for g, value in enumerate(values)]
            if own[0] is not None:
                if any(position != own[0] for position in own):
                    return None
                continue
            before = [made[g].get(value) for g, value in enumerate(values[1:])]
            if before[0] is not None and all(position == before[0] for position in before):
                roll.carried[at, slot] = before[0]
            elif len(set(values)) > 1 and not _constants(values, constants, roll, at, slot):
                return None
    return roll


def _constants(values: list[Value], constants: dict[Value, Constant], roll: _Roll, at: int, slot: int) -> bool:
    """Are these the same constant, or numbers that grow by a fixed step?"""
    found = [constants.get(value) for value in values]
    if any(constant is None for constant in found):
        return False
    if len(set(found)) == 1:
        return True
    numbers = [constant.value for constant in found if constant is not None]
    whole = [number for number in numbers if type(number) is int]
    if len(whole) != len(numbers):
        return False
    step = whole[1] - whole[0]
    if any(b - a != step for a, b in pairwise(whole)):
        return False
    roll.growing[at, slot] = (whole[0], step)
    return True


def _group(line: list[Operation], roll: _Roll, number: int) -> list[Operation]:
    first = roll.start + number * roll.period
    return line[first : first + roll.period]


def _closed(line: list[Operation], start: int, period: int, groups: int, uses: dict[Value, int]) -> bool:
    """Is nothing but the last group's results used outside of the groups?"""
    inside: dict[Value, int] = {}
    for op in line[start : start + groups * period]:
        for arg in op.args:
            inside[arg] = inside.get(arg, 0) + 1
    early = [result for op in line[start : start + (groups - 1) * period] for result in op.results]
    return all(uses.get(result, 0) == inside.get(result, 0) for result in early)


def _roll(graph: FlowGraph, at: int, node: Node, line: list[Operation], roll: _Roll) -> None:
    """Split the block into what comes before, the loop, and what comes after."""
    group = _group(line, roll, 0)
    last = _group(line, roll, roll.groups - 1)
    gone = {id(op) for op in line[roll.start : roll.start + roll.groups * roll.period]}
    tail_start = {id(op) for op in line[roll.start + roll.groups * roll.period :]}
    before = [op for op in node.ops if id(op) not in gone and id(op) not in tail_start]
    after = [op for op in node.ops if id(op) in tail_start]
    results = [result for op in group for result in op.results]
    final = [result for op in last for result in op.results]

    number = graph.constant(roll.groups, "count")
    before.append(number)
    params: list[Value] = [graph.value("count")]
    starts: list[Value] = [number.results[0]]
    operand: dict[tuple[int, int], Value] = {}
    entering: dict[tuple[int, Value], Value] = {}
    again: list[int | Operation] = []
    for (i, slot), result in roll.carried.items():
        start = group[i].args[slot]
        if (result, start) not in entering:
            entering[result, start] = graph.value(graph.hints[final[result]])
            params.append(entering[result, start])
            starts.append(start)
            again.append(result)
        operand[i, slot] = entering[result, start]
    steps: list[Operation] = []
    for (i, slot), (_, step) in roll.growing.items():
        param = graph.value("step")
        params.append(param)
        starts.append(group[i].args[slot])
        operand[i, slot] = param
        width = graph.constant(step)
        grown = graph.operation("add", (param, width.results[0]), "step")
        steps.extend((width, grown))
        again.append(grown)
    body, fresh = _body(graph, group, operand, final)
    one = graph.constant(1)
    left = graph.operation("sub", (params[0], one.results[0]), "count")
    test = graph.operation("truth", (left.results[0],))
    passed = [fresh[results[item]] if isinstance(item, int) else item.results[0] for item in again]
    loop = graph.add(Node(-1, params, [*body, *steps, one, left, test], node.end))
    rest = graph.add(Node(-1, [], after, node.end))
    graph.node(loop).end = graph.terminator(
        "branch", test.results, (Edge(loop, (left.results[0], *passed)), Edge(rest))
    )
    node.ops = before
    node.end = graph.terminator("jump", (), (Edge(loop, tuple(starts)),))
    graph.replace({old: fresh[result] for old, result in zip(final, results)})


def _body(
    graph: FlowGraph, group: list[Operation], operand: dict[tuple[int, int], Value], final: list[Value]
) -> tuple[list[Operation], dict[Value, Value]]:
    """The operations of the loop, on new values that are called like the last group's."""
    hints = iter(final)
    fresh: dict[Value, Value] = {}
    body: list[Operation] = []
    for i, op in enumerate(group):
        args = tuple([operand.get((i, slot), fresh.get(arg, arg)) for slot, arg in enumerate(op.args)])
        made = tuple([graph.value(graph.hints[next(hints)]) for _ in op.results])
        fresh.update(zip(op.results, made))
        body.append(op._replace(args=args, results=made))
    return body, fresh
