"""A branch whose ways do the same is a jump, and what it tested is needed no more.

    A: v1 = is x, None; branch v1 -> B | C          A: jump J(x)
    B: jump J(None)      C: jump J(x)         ->

    A: v1 = isinstance(x, list); branch v1 -> B | J           A: jump J
    B: v2 = isinstance(x, dict); branch v2 -> J | J     ->

Two ways are the same if they come to one block with the same arguments past nothing but operations without effect, or
if their blocks do the same one by one.  Same is said under what the branch tells: where `x is None` is true, None is x;
where a bool is true, True is it.  The way that stays is the one that is right for both.

Invariant: what is left out has no effect, raises nothing and ends; what stays means on each way what the way meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Value
from futamura.optimize.dead import counts
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.shapes import NOTHING

__all__ = ["equal_arms"]

MAX_COMPARED: Final = 256
"""Operations that are compared for one branch."""
MAX_SKIPPED: Final = 24
"""Blocks that are left out for one branch."""

Term = Value | Constant
"""A value, or a constant that can be made anywhere."""
Told = Mapping[Value, Constant]
"""What a way tells of values."""


class _Way(NamedTuple):
    """Where control comes to, and with what."""

    target: int
    args: tuple[Term, ...]


def equal_arms(graph: FlowGraph, inference: Inference) -> bool:
    """Make jumps of branches whose ways do the same; did anything change?"""
    arms = _Arms(graph, inference)
    changed = False
    for at in reversed(inference.layout.order):  # what a branch leads to before the branch
        node = graph.node(at)
        if node.end.name == "branch" and at in inference.reached:
            changed = arms.branch(at, node) or changed
    return changed


class _Arms:
    def __init__(self, graph: FlowGraph, inference: Inference) -> None:
        self.graph: Final = graph
        self.inference: Final = inference
        self.outside: Final = graph.shared()
        self.skipped = 0

    def branch(self, at: int, node: Node) -> bool:
        """Look at one branch; did it become a jump?"""
        made = self.inference.definitions.get(node.end.args[0])
        if made is not None and made.name.startswith("match_"):
            return False  # only a match statement asks this, and it has ways
        told = self._told(node)
        self.skipped = 0
        ways = [self._settled(node, edge, frozenset((at,)), {}) for edge in node.end.edges]
        meeting = self._meeting(node.end.args[0], ways[0], ways[1], told)
        if meeting is None:
            first, second = node.end.edges
            if _Twins(self, told[0]).are(first, second):
                meeting = _Way(second.target, second.args)
            elif _Twins(self, told[1]).are(second, first):
                meeting = _Way(first.target, first.args)
            else:
                return False
        args = tuple([self._made(node, term) for term in meeting.args])
        node.end = self.graph.terminator("jump", (), (Edge(meeting.target, args),))
        return True

    def _made(self, node: Node, term: Term) -> Value:
        if not isinstance(term, Constant):
            return term
        node.ops = [*node.ops, self.graph.constant(term.value)]
        return node.ops[-1].results[0]

    def _told(self, node: Node) -> tuple[Told, Told]:
        """What the two ways of a branch tell: the only object that a value can be there."""
        told: tuple[dict[Value, Constant], dict[Value, Constant]] = ({}, {})
        condition, positive = node.end.args[0], True
        while True:
            for side in (0, 1):
                told[side][condition] = Constant((side == 0) is positive)
            made = self.inference.definitions.get(condition)
            if made is None or made.name not in ("not", "truth", "copy") or len(made.args) != 1:
                break
            if self.inference.shapes.get(made.args[0], NOTHING).type != "bool":
                break
            condition, positive = made.args[0], positive is (made.name != "not")
        if made is not None and made.name in ("is", "is_not"):
            side = 0 if positive is (made.name == "is") else 1
            for value, other in (made.args, made.args[::-1]):
                constant = self.constant(other)
                if constant is not None:
                    told[side][value] = constant
        return told

    def constant(self, value: Value) -> Constant | None:
        made = self.inference.definitions.get(value)
        return made.attr if made is not None and made.name == "const" and isinstance(made.attr, Constant) else None

    def term(self, value: Term, told: Told) -> Term:
        """What tells equal values: the constant, if it is one."""
        if isinstance(value, Constant):
            return value
        return self.constant(value) or told.get(value) or value

    # -------------------------------------------------------------------- ways that meet

    def _settled(self, node: Node, edge: Edge, seen: frozenset[int], known: Mapping[Value, Term]) -> _Way:
        """Where an edge leads past blocks that do nothing."""
        way = _Way(edge.target, tuple([known.get(arg, arg) for arg in edge.args]))
        target = self.graph.node(edge.target)
        self.skipped += 1
        if edge.target in seen or self.skipped > MAX_SKIPPED or not self._does_nothing(node, edge.target, target):
            return way
        inner: dict[Value, Term] = {**known, **dict(zip(target.params, way.args, strict=True))}
        own: set[Term] = set()
        for op in target.ops:
            constant = op.attr if op.name == "const" else None
            if isinstance(constant, Constant):
                inner[op.results[0]] = constant
            else:
                own.update(op.results)
        following = [self._settled(target, on, seen | {edge.target}, inner) for on in target.end.edges]
        found: _Way | None = following[0]
        if target.end.name == "branch":
            condition = target.end.args[0]
            told = self._told(target)
            sides = (_moved(told[0], inner), _moved(told[1], inner))
            found = self._meeting(inner.get(condition, condition), following[0], following[1], sides)
        return way if found is None or not own.isdisjoint(found.args) else found

    def _does_nothing(self, node: Node, at: int, target: Node) -> bool:
        """Has the block no effect, and is nothing of it needed anywhere else?"""
        if at == 0 or target.region != node.region or target.end.name not in ("jump", "branch"):
            return False
        if any(counts(op, self.inference) for op in target.ops):
            return False
        made = (*target.params, *(result for op in target.ops for result in op.results))
        return self.outside.isdisjoint(made)

    def _meeting(self, condition: Term, one: _Way, other: _Way, told: tuple[Told, Told]) -> _Way | None:
        """The one way that two are."""
        if one.target != other.target:
            return None
        found: list[Term] = []
        for first, second in zip(one.args, other.args, strict=True):
            same = [
                term
                for term in (first, second, condition)
                if self.term(term, told[0]) == self.term(first, told[0])
                and self.term(term, told[1]) == self.term(second, told[1])
            ]
            if not same:
                return None
            found.append(same[0])
        return _Way(one.target, tuple(found))


def _moved(told: Told, inner: Mapping[Value, Term]) -> Told:
    """What is told of parameters, told of what was passed for them."""
    moved = {inner.get(value, value): constant for value, constant in told.items()}
    return {value: constant for value, constant in moved.items() if not isinstance(value, Constant)}


class _Twins:
    """Do the blocks of a way, which is to be left out, do the same as those of the other one?"""

    def __init__(self, arms: _Arms, told: Told) -> None:
        self.arms: Final = arms
        self.told: Final = told
        self.paired: Final[dict[int, int]] = {}
        self.twins: Final[dict[Value, Value]] = {}
        """Values made on the way that is left out, and what takes their place."""
        self.edges: Final[list[tuple[Edge, Edge]]] = []
        self.compared = 0

    def are(self, gone: Edge, stays: Edge) -> bool:
        self.edges.append((gone, stays))
        while self.edges:
            if not self._lead_alike(*self.edges.pop()):
                return False
        return True

    def _lead_alike(self, gone: Edge, stays: Edge) -> bool:
        if not self._equal(gone.args, stays.args):
            return False
        if gone.target in self.paired or gone.target == stays.target:
            return self.paired.get(gone.target, gone.target) == stays.target
        self.paired[gone.target] = stays.target
        return self._are_twins(gone.target, stays.target)

    def _are_twins(self, first: int, second: int) -> bool:
        gone, stays = self.arms.graph.node(first), self.arms.graph.node(second)
        if not (first and second) or gone.region != stays.region or len(gone.params) != len(stays.params):
            return False
        if gone.end.name != stays.end.name or gone.end.attr != stays.end.attr:
            return False
        ops, others = [[op for op in node.ops if op.name != "const"] for node in (gone, stays)]
        edges, ways = gone.edges(), stays.edges()
        self.compared += 1 + len(ops)
        if len(ops) != len(others) or len(edges) != len(ways) or self.compared > MAX_COMPARED:
            return False
        self.twins.update(zip(gone.params, stays.params))
        for op, other in zip(ops, others):
            if op.name != other.name or op.attr != other.attr or len(op.results) != len(other.results):
                return False
            if not self._equal(op.args, other.args):
                return False
            self.twins.update(zip(op.results, other.results))
        self.edges.extend(zip(edges, ways))
        return self._equal(gone.end.args, stays.end.args)

    def _equal(self, gone: tuple[Value, ...], stays: tuple[Value, ...]) -> bool:
        term, told = self.arms.term, self.told
        return len(gone) == len(stays) and all(
            self.twins[a] == b if a in self.twins else term(a, told) == term(b, told) for a, b in zip(gone, stays)
        )
