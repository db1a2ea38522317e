"""Algebra across steps: chains of operations with constants become one operation.

    v2 = add v1, 1; v3 = add v2, 1; v4 = sub v3, 5          v4 = sub v1, 3
    v2 = and (add v1, 1), 255; v3 = and (add v2, 1), 255    v3 = and (add v1, 2), 255
    v2 = add v1, 1; v3 = sub v2, 1                          v3 = copy v1
    v2 = add v1, "a"; v3 = add v2, "b"                      v3 = add v1, "ab"         (exact strings)
    v2 = mul -1.0, v1; v3 = add v0, v2                      v3 = sub v0, v1           (exact floats)

The rules are data (`rules.py`).  Only on exact integers, where addition is associative and a mask of low bits may be
taken once at the end, and where the table of laws says that an operator is associative.  The operations in the middle
stay if something else needs them; `dce` takes them away otherwise.

Invariant: no operation raises that did not raise before: the chains are of operations that raise nothing.
"""

from __future__ import annotations

from typing import Final, cast

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value
from futamura.ir.ops import OPERATORS
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.rules import CHAINS, MASKED, MODULAR, NEGATED, SIGNS, Rule, Term, computed, holds
from futamura.optimize.shapes import NOTHING, Shape, fold, known_as

__all__ = ["RULES", "algebra"]

_PLAIN: Final = {"iadd": "add", "isub": "sub", "iand": "and", "ior": "or", "ixor": "xor", "imul": "mul"}
RULES: Final = tuple(rule.name for rules in (CHAINS, SIGNS, MASKED, NEGATED) for rule in rules.values())
"""What is counted by `FlowGraph.fire`."""


def algebra(graph: FlowGraph, inference: Inference) -> bool:
    """Shorten chains; did anything change?"""
    chains = _Chains(graph, inference)
    changed = False
    replaced: dict[Value, Value] = {}
    for at in inference.layout.order:
        if at in inference.reached:
            node = graph.node(at)
            ops: list[Operation] = []
            for op in node.ops:
                for one in chains.shortened(op):
                    if one.name == "copy" and one is not op:
                        replaced.update(zip(one.results, one.args))
                    else:
                        ops.append(one)
            changed = changed or len(ops) != len(node.ops) or any(a is not b for a, b in zip(ops, node.ops))
            node.ops = ops
    graph.replace(replaced)
    return changed


class _Chains:
    """Operations with a constant on the right, as they stand after what was shortened."""

    def __init__(self, graph: FlowGraph, inference: Inference) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        confined = graph.confined()
        self.made: Final = {value: op for value, op in inference.definitions.items() if value not in confined}

    def shortened(self, op: Operation) -> list[Operation]:
        """The operation, or what stands in its place: a constant and the operation."""
        parts = self._parts(op)
        if parts is None:
            return [self._subtracted(op)]
        name, value, constant, kind = parts
        best = (name, value, constant)
        while True:
            further = self._step(*best, kind)
            if further is None:
                break
            best = further
        best = self._unsigned(*best, kind)
        new: list[Operation] = []
        if best[0] == "and" and kind == "int":
            new = self._unmasked(best[1], best[2])
            if new:
                best = ("and", new[-1].results[0], best[2])
        if best == (name, value, constant):
            return [op]
        name, value, constant = best
        if (kind, constant) in OPERATORS[name].laws.right_identity:  # one step forth, and one back
            found = [*new, op._replace(operator=OPERATORS["copy"], args=(value,))]
        else:
            extra = self._graph.operation("const", (), None, constant)
            found = [*new, extra, op._replace(operator=OPERATORS[name], args=(value, extra.results[0]))]
        for one in found:
            self.made.update(dict.fromkeys(one.results, one))
        return found

    def _subtracted(self, op: Operation) -> Operation:
        """A sum with `-1.0 * y` as a difference."""
        rule = NEGATED.get(_PLAIN.get(op.name, op.name))
        if rule is None or any(self._shape(arg).type != rule.type for arg in op.args):
            return op
        product = self.made.get(op.args[1])
        if product is None or _PLAIN.get(product.name, product.name) != "mul":
            return op
        shapes = [self._shape(arg) for arg in product.args]
        for at, shape in enumerate(shapes):
            if shape.constant == Constant(-1.0) and shapes[1 - at].type == rule.type:
                self._graph.fire(rule.name)
                operator, _, _ = cast("tuple[str, Term, Term]", rule.after)
                new = op._replace(operator=OPERATORS[operator], args=(op.args[0], product.args[1 - at]))
                self.made.update(dict.fromkeys(new.results, new))
                return new
        return op

    def _unmasked(self, value: Value, mask: Constant) -> list[Operation]:
        """`value` without masks that `& mask` makes superfluous: the operations that make it, or none."""
        low = mask.value
        made = self.made.get(value)
        if made is None or not isinstance(low, int) or low <= 0:
            return []
        name = _PLAIN.get(made.name, made.name)
        if name not in MODULAR or any(self._shape(arg).type != "int" for arg in made.args):
            return []
        args = [self._under_mask(MASKED[name, place], arg, low) for place, arg in enumerate(made.args)]
        if args == [*made.args]:
            return []
        op = self._graph.operation(name, (args[0], args[1]), self._graph.hints[value])._replace(span=made.span)
        self.made[op.results[0]] = op
        return self.shortened(op)

    def _under_mask(self, rule: Rule, value: Value, low: int) -> Value:
        """x, if the value is `x & m` and the rule takes it in the place of that."""
        made = self.made.get(value)
        parts = self._parts(made) if made is not None else None
        if parts is None or parts[0] != "and" or parts[3] != "int":
            return value
        if not holds(rule, {"m": parts[2].value, "k": low}):
            return value
        self._graph.fire(rule.name)
        return parts[1]

    def _parts(self, op: Operation) -> tuple[str, Value, Constant, str] | None:
        """Operator, operand, constant and type of an operation on exact values, the constant on the right."""
        if len(op.args) != 2:
            return None
        name = _PLAIN.get(op.name, op.name)
        laws = OPERATORS[name].laws
        one, other = [self._shape(arg) for arg in op.args]
        kind = one.type
        if kind != other.type or (kind not in laws.associative and not (name == "sub" and kind == "int")):
            return None
        if other.constant is not None and one.constant is None:
            return name, op.args[0], other.constant, kind
        if one.constant is not None and other.constant is None and kind in laws.commutative:
            return name, op.args[1], one.constant, kind
        return None

    def _shape(self, value: Value) -> Shape:
        made = self.made.get(value)
        if made is not None and isinstance(made.attr, Constant):
            return known_as(made.attr)
        found = self._inference.shapes.get(value)
        if found is None:  # made here, of integers
            return Shape("int") if made is not None else NOTHING
        return found

    def _step(self, name: str, value: Value, constant: Constant, kind: str) -> tuple[str, Value, Constant] | None:
        """One operation less, or None."""
        made = self.made.get(value)
        inner = self._parts(made) if made is not None else None
        if inner is None or inner[3] != kind:
            return None
        before, operand, other, _ = inner
        rule = CHAINS.get((name, before, kind))
        if rule is None:
            return None
        operator, _, (combining, *order) = cast("tuple[str, str, tuple[str, ...]]", rule.after)
        given = {"c": known_as(other), "d": known_as(constant)}
        both = fold(OPERATORS[combining], [given[one] for one in order], None)  # small enough?
        if both is None:
            return None
        self._graph.fire(rule.name)
        return operator, operand, both

    def _unsigned(self, name: str, value: Value, constant: Constant, kind: str) -> tuple[str, Value, Constant]:
        """`x - 1` for `x + -1`."""
        sign = SIGNS.get(name) if kind == "int" else None
        if sign is None or not holds(sign, {"c": constant.value}):
            return name, value, constant
        self._graph.fire(sign.name)
        operator, _, unsigned = cast("tuple[str, str, Term]", sign.after)
        return operator, value, Constant(computed(unsigned, {"c": constant.value}))
