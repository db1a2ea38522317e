"""Operands that have no names are computed where they are used.

    v1 = format v0 (an exact string); v2 = global_get ValueError; v3 = call v2, v1
->  v2 = global_get ValueError; v1 = format v0; v3 = call v2, v1                        raise ValueError(f"{v0}")

Passes leave operations where the order of Python's operands would not have them; the back end keeps that order by
variables.  An operand that is used once, in the same block, and neither has an effect nor reads memory, goes behind
what stands between it and its use.  So does a constant slice that is used in the next block, where a `try` begins.
A new empty container goes in front of an operand that waits for its use meanwhile:

    v1 = call items; v2 = list; v3 = iter v1        out = []
->  v2 = list; v1 = call items; v3 = iter v1        for x in items(): ...

Invariant: what moves raises nothing, has no effect and reads no memory that anybody could write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.callees import callees_first
from futamura.optimize.effects import acts
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference

__all__ = ["operands"]

_STAYING: Final = frozenset({"const", "copy", "cell", "function", "iter", "global_get"})
_CONTAINERS: Final = frozenset({"list", "dict", "set"})
_CONSTANT: Final = frozenset({"const"})
_MOST_PASSED: Final = 160
"""Operations of a block past which an operand goes."""
_MOST_NESTED: Final = 32
"""Operations between an operand and what it is part of."""
_MOST_DEEP: Final = 4
"""Operands of operands that are looked at."""


def operands(graph: FlowGraph, inference: Inference) -> bool:
    """Bring operands to their uses; did anything change?"""
    uses: Counter[Value] = Counter()
    handled: set[Value] = set()
    for _, node in graph.nodes():
        uses.update(arg for op in node.ops for arg in op.args)
        uses.update(end_uses(node.end))
        if node.handler is not None:
            handled.update(node.handler.args)
    found = _Operands(graph, inference, uses, handled)
    changed = found.slices()
    for at in inference.layout.order:
        if at in inference.reached:
            changed = found.block(graph.node(at)) or changed
            changed = callees_first(graph, inference, graph.node(at), uses, handled) or changed
    return changed


class _Operands:
    def __init__(self, graph: FlowGraph, inference: Inference, uses: Counter[Value], handled: set[Value]) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._uses: Final = uses
        self._handled: Final = handled
        self._standing: Final[dict[int, bool]] = {}
        """By the number of an operation: what `_stands` says."""

    def slices(self) -> bool:
        """Bring constant slices to the block that uses them, if it always comes next."""
        graph, layout = self._graph, self._inference.layout
        changed = False
        for at in layout.order:
            node = graph.node(at) if at in self._inference.reached else None
            if node is None or node.end.name != "jump":
                continue
            into = node.end.edges[0].target
            if into == at or into not in self._inference.reached or len(layout.entering[into]) != 1:
                continue
            used = {arg for op in graph.node(into).ops for arg in op.args}
            found = [op for op in node.ops if op.name == "slice" and used.issuperset(op.results) and self._may_move(op)]
            found = [op for op in found if all(map(self._is_constant, op.args))]
            if found:
                node.ops = [op for op in node.ops if op not in found]
                graph.node(into).ops[:0] = found
                changed = True
        return changed

    def _is_constant(self, value: Value) -> bool:
        made = self._inference.definitions.get(value)
        return made is not None and made.name == "const"

    def block(self, node: Node) -> bool:
        behind: list[Operation] = []
        moved = False
        users: dict[Value, Operation] = {}
        for op in reversed(node.ops):
            place = self._place(op, behind, users)
            if place < len(behind):
                moved = True
            behind.insert(place, op)
            users.update(dict.fromkeys(op.args, op))
        node.ops = behind[::-1]
        return self._containers_first(node) or moved

    def _containers_first(self, node: Node) -> bool:
        """Bring what makes new empty containers in front of the operands that wait for their uses there."""
        ops = node.ops
        moved = False
        users: dict[Value, int] = {arg: at for at, op in enumerate(ops) for arg in op.args}
        users.update(dict.fromkeys(node.end.args, len(ops)))
        for at in range(len(ops)):
            first = self._made_from(ops, at)
            start, waiting = first, set[Value]()
            while start > 0 and self._waits(ops[start - 1], at, users, waiting):
                start -= 1
                waiting.update(ops[start].args)
            if any(other.name not in _CONSTANT for other in ops[start:first]):
                ops[start : at + 1] = [*ops[first : at + 1], *ops[start:first]]
                moved = True
        return moved

    def _made_from(self, ops: Sequence[Operation], at: int) -> int:
        """The first of the operations that make a new empty container, which is no operand itself; 0 if they do not."""
        op = ops[at]
        if not op.results or self._uses[op.results[0]] == 1:
            return 0
        if op.name in _CONTAINERS:
            return 0 if op.args else at
        made = ops[at - 1] if op.name == "call" and at and len(op.args) == 1 else None
        if made is None or made.results != op.args or self._uses[op.args[0]] != 1:
            return 0
        value = made.attr.value if isinstance(made.attr, Constant) else None
        return at - 1 if value is list or value is dict or value is set else 0

    def _waits(self, op: Operation, at: int, users: Mapping[Value, int], waiting: Set[Value]) -> bool:
        """Is the result an operand without a name, of what comes behind this place or waits as well?"""
        if len(op.results) != 1 or self._uses[op.results[0]] != 1 or op.results[0] in self._handled:
            return False
        used = users.get(op.results[0], -1) > at or op.results[0] in waiting
        return used and self._graph.hints[op.results[0]] is None

    def _place(self, op: Operation, behind: Sequence[Operation], users: Mapping[Value, Operation]) -> int:
        """Where the operation goes in what is behind it, the last one first: before its use, or where it stands."""
        stays = len(behind)
        user = users.get(op.results[0]) if self._may_move(op) else None
        if user is None:
            return stays
        ordered = False
        anchored = any(map(self._is_anchored, op.args))
        for passed in range(min(stays, _MOST_PASSED)):
            other = behind[stays - passed - 1]
            if anchored and self._stands(other) and not self._is_part(other, user, users):
                return stays  # its own operands would need variables instead
            if other is user:
                place = stays - passed if ordered else stays
                while place < stays and self._follows(op, behind[place], user, users):
                    place += 1
                return place
            ordered = ordered or (self._stands(other) and not self._follows(op, other, user, users))
        return stays

    def _is_anchored(self, value: Value, depth: int = 0) -> bool:
        """Is it computed in the expression that the operation is now, and cannot move with it?"""
        made = self._inference.definitions.get(value)
        if made is None or made.name == "const" or self._uses[value] != 1 or self._graph.hints[value] is not None:
            return False
        if depth == _MOST_DEEP or not self._may_move(made):
            return True
        return any(self._is_anchored(arg, depth + 1) for arg in made.args)

    def _is_part(self, op: Operation, user: Operation, users: Mapping[Value, Operation]) -> bool:
        """Is it a part of the expression that the user is?"""
        for _ in range(_MOST_NESTED):
            if op is user:
                return True
            above = users.get(op.results[0]) if len(op.results) == 1 and self._uses[op.results[0]] == 1 else None
            if above is None:
                return False
            op = above
        return False

    def _stands(self, op: Operation) -> bool:
        """Is it a statement, or does the back end leave it where it stands?"""
        found = self._standing.get(op.id)
        if found is None:
            found = self._standing[op.id] = self._is_ordered(op) or self._is_assigned(op)
        return found

    def _is_ordered(self, op: Operation) -> bool:
        """Does the back end leave it where it stands?"""
        fact = self._inference.fact(op)
        return bool(fact.raises or acts(fact.effects) or fact.effects.reads or self._inference.asks(op))

    def _is_assigned(self, op: Operation) -> bool:
        """Is it a statement for a variable, because it is used several times?  What is computed before is one, too."""
        return op.name not in _STAYING and any(self._uses[result] > 1 for result in op.results)

    def _follows(self, op: Operation, other: Operation, user: Operation, users: Mapping[Value, Operation]) -> bool:
        """Does the other one belong to a later operand of what uses the operation, as it should?"""
        for _ in range(_MOST_NESTED):
            if len(other.results) != 1 or self._uses[other.results[0]] != 1:
                return False
            above = users.get(other.results[0])
            if above is user:
                return user.args.index(op.results[0]) < user.args.index(other.results[0])
            if above is None:
                return False
            other = above
        return False

    def _may_move(self, op: Operation) -> bool:
        if len(op.results) != 1 or self._graph.hints[op.results[0]] is not None:
            return False
        if self._uses[op.results[0]] != 1 or op.results[0] in self._handled:
            return False
        if op.name == "global_get":
            return op.attr in self._inference.known
        if op.name in _STAYING or self._is_ordered(op):
            return False
        return op.name != "string" or all(self._is_free(part) for part in op.args)

    def _is_free(self, part: Value) -> bool:
        """May a part of a formatted string move with it?  The two are one expression."""
        made = self._inference.definitions.get(part)
        return made is None or made.name != "format" or self._may_move(made)
