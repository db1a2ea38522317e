"""What is called is read before its arguments are computed, as Python does: no variable for the argument is needed.

    v1 = mod 'bad %r', v0; v2 = global_get Error; v3 = call v2, v1
->  v2 = global_get Error; v1 = mod 'bad %r', v0; v3 = call v2, v1                      raise Error('bad %r' % v0)

A function that was inlined computed its argument before it looked for what it hands it to.  The operations that make
up one expression, each used once, by the next, are brought into the order in which Python evaluates it, if only such
as raise nothing, have no effect and read nothing that changes go past others.

What is made between a method is looked up and called, and has a name, is made before:

    v2 = getattr get v1; v3 = tuple v4, v5; v6 = call v2, v3; ... v3 ...               p = x, y; v = board.get(p); ... p

Invariant: all other operations stay in their order; a global name is read elsewhere only if it is assumed to keep its
meaning as long as the program runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from typing import Final

from futamura.ir.evaluate import INPLACE
from futamura.ir.graph import Operation, Value
from futamura.ir.ops import SUSPENDING
from futamura.optimize.effects import acts
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.runtime import call_in_generator

__all__ = ["callees_first"]

_MOST: Final = 64
"""Operations of one expression."""
_ROOTS: Final = frozenset({"call", "invoke"})
_APART: Final = frozenset({"copy", "cell", "function", "class", "iter", "aiter", "unpack", "next", *SUSPENDING})
"""Operations that are no plain part of an expression."""


def callees_first(
    graph: FlowGraph, inference: Inference, node: Node, uses: Counter[Value], handled: Set[Value]
) -> bool:
    """Order the expressions of a block; did anything change?"""
    found = _Expressions(graph, inference, node, uses, handled)
    changed = found.late_methods(node)
    at = len(node.ops) - 1
    while at > 0:
        if node.ops[at].name not in _ROOTS:
            at -= 1
            continue
        start = found.start(node.ops, at)
        ordered = found.ordered(node.ops[start : at + 1])
        if ordered is not None:
            node.ops[start : at + 1] = ordered
            changed = True
        at = start if start < at else at - 1
    return changed


class _Expressions:
    def __init__(
        self, graph: FlowGraph, inference: Inference, node: Node, uses: Counter[Value], handled: Set[Value]
    ) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._uses: Final = uses
        self._handled: Final = handled
        self._updated: Final = {op.args[0] for op in node.ops if op.name in INPLACE}
        """What operators in place update: these values keep their names."""

    def late_methods(self, node: Node) -> bool:
        """Bring look-ups of methods to their calls, past what is free and has a name; did anything change?"""
        changed = False
        ops = node.ops
        for at, root in enumerate(ops):  # only what is in front of it moves
            if root.name != "call":
                continue
            callee = self._inference.callee(root.args[0])
            guarded = callee is not None and callee.value is call_in_generator
            method = root.args[1:2] if guarded else root.args[:1]
            start = next((n for n in range(at - 1, max(at - _MOST, 0) - 1, -1) if ops[n].results == method), at)
            lookup = ops[start]
            if lookup.name != "getattr" or not self._is_part(lookup) or root.args.count(lookup.results[0]) != 1:
                continue
            between = ops[start + 1 : at]
            named = [op for op in between if op.name != "const" and not (len(op.results) == 1 and self._is_part(op))]
            passed = all(value in root.args for op in named for value in op.results)
            if not named or not passed or not all(map(self._is_free, between)):
                continue
            begin = start
            while begin and ops[begin].args and ops[begin - 1].results == ops[begin].args[:1]:
                if not self._is_part(ops[begin - 1]):
                    break
                begin -= 1
            ops[begin:at] = [*between, *ops[begin : start + 1]]
            changed = True
        return changed

    def start(self, ops: list[Operation], root: int) -> int:
        """Where the operations begin that are part of nothing but the expression that ends at `root`; `root` if one
        part has a name, which it may lose later: then it is too early to say."""
        wanted = set(ops[root].args)
        at = root
        while at > 0 and root - at < _MOST:
            op = ops[at - 1]
            if op.name != "const":
                if len(op.results) != 1 or op.results[0] not in wanted or not self._is_part(op):
                    named = any(made in wanted and self._graph.hints[made] is not None for made in op.results)
                    return root if named and not self._graph.nameless else at
                wanted.update(op.args)
            at -= 1
        return at

    def _is_part(self, op: Operation) -> bool:
        (made,) = op.results
        if op.name in _APART or self._uses[made] != 1 or made in self._handled:
            return False
        if self._graph.hints[made] is None:
            return True
        return self._graph.nameless and op.name not in INPLACE and made not in self._updated

    def ordered(self, ops: list[Operation]) -> list[Operation] | None:
        """The operations in the order in which Python evaluates the expression; None if they are, or must not be."""
        constants = [op for op in ops if op.name == "const"]
        own = {op.results[0]: op for op in ops[:-1] if op.name != "const"}
        if not own:
            return None
        found: list[Operation] = []
        self._evaluate(ops[-1], own, found)
        before = [op for op in ops if op.name != "const"]
        if len(found) != len(before) or all(new is old for new, old in zip(found, before)):
            return None
        fixed = [op.id for op in before if not self._is_free(op)]
        if fixed != [op.id for op in found if not self._is_free(op)]:
            return None
        return constants + found

    def _evaluate(self, op: Operation, own: dict[Value, Operation], found: list[Operation]) -> None:
        for arg in op.args:
            if arg in own:
                self._evaluate(own[arg], own, found)
        found.append(op)

    def _is_free(self, op: Operation) -> bool:
        """May it be executed at any time?"""
        if op.name == "global_get":
            return op.attr in self._inference.known
        fact = self._inference.fact(op)
        return not (fact.raises or acts(fact.effects) or fact.effects.reads or self._inference.asks(op))
