"""Type folding: what can have only one value becomes a constant, what can go only one way a jump.

    v1 = lt v0, 10; branch v1 -> b1 | b2     (v0: int in 0..9)     ->     v1 = const True; jump b1
    v1 = add v0, 0                           (v0: int)             ->     v0
    v1 = truth v0                            (v0: bool)            ->     v0

Runs behind anything that brings facts; dead code elimination takes away what nobody needs any more.

Invariant: an operation is replaced only if it raises nothing on the operands that can come and has no effect.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.facts import SCALARS
from futamura.ir.graph import OBJECT, Operation, Value
from futamura.ir.ops import OPERATORS
from futamura.optimize.deciding import DECIDED, straighten
from futamura.optimize.effects import acts
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.rules import LAW_RULES, law_name
from futamura.optimize.shapes import Shape

__all__ = ["RULES", "typefold"]

_ONE_SIDED: Final = ("identity", "absorbing", "same", "idempotent")
_COMPARISONS: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
RULES: Final = (
    "constant",
    "constant parameter",
    "truth of a bool",
    *DECIDED,
    *[name for name in LAW_RULES if any(f"{law} (" in name for law in _ONE_SIDED)],
)
"""What is counted by `FlowGraph.fire`."""


def typefold(graph: FlowGraph, inference: Inference) -> bool:
    """Fold operations, parameters and branches; did anything change?"""
    replaced: dict[Value, Value] = {}
    confined = graph.confined()
    shared: set[Value] | None = None
    changed = False
    for at, node in graph.nodes():
        if at not in inference.reached:
            continue
        ops: list[Operation] = []
        for param in node.params if at else ():
            constant = inference.shapes[param].constant
            if constant is None or not is_single(constant.value):
                continue
            if node.handler is not None and shared is None:
                shared = graph.shared()
            if node.handler is None or shared is None or param not in shared:  # a handler begins before all operations
                graph.fire("constant parameter")
                ops.append(graph.operation("const", (), graph.hints[param], constant))
                replaced[param] = ops[-1].results[0]
        for op in node.ops:
            same = _same(op, inference)
            folded = _folded(op, inference) if same is None or same[0] in confined else None
            if folded is not None:
                constant, rule = folded
                graph.fire(rule)
                ops.append(op._replace(operator=OPERATORS["const"], args=(), attr=constant))
            elif same is not None and same[0] not in confined:
                replaced[op.results[0]], rule = same
                graph.fire(rule)
            else:
                ops.append(op)
                if op.name in _COMPARISONS:
                    _tell(graph, inference, op)
        changed = changed or len(ops) != len(node.ops) or any(a is not b for a, b in zip(ops, node.ops))
        node.ops = ops
    for value, other in replaced.items():
        if graph.hints[other] is None:
            graph.hints[other] = graph.hints[value]
    graph.replace(replaced)
    return straighten(graph, inference) or changed


def _tell(graph: FlowGraph, inference: Inference, comparison: Operation) -> None:
    """Write down of which exact classes the operands are: who prints `not a == b` may write `a != b` then."""
    for value in comparison.args:
        shape = inference.shapes.get(value)
        if shape is not None and shape.type in SCALARS and graph.types[value] == OBJECT:
            graph.types[value] = shape.type


def is_single(value: object) -> bool:
    """Is there only one object with this value, wherever it comes from?"""
    return value is None or type(value) is bool or value is ... or (type(value) is int and -5 <= value <= 256)


def _folded(op: Operation, inference: Inference) -> tuple[Constant, str] | None:
    """The constant that the operation gives, and the rule that says so."""
    if len(op.results) != 1 or op.name in ("const", "copy"):
        return None
    shape = inference.shapes.get(op.results[0])
    operands = inference.operands.get(op.id, ())
    if len(operands) == 2 and op.args[0] == op.args[1]:
        for kind, constant in op.operator.laws.same:
            if kind == operands[0].type:
                return constant, law_name(op.name, "same", kind)
    if shape is None or shape.constant is None or shape.type not in SCALARS:
        return None
    fact = inference.fact(op)
    computed = all(operand.constant is not None for operand in operands)
    if acts(fact.effects) or (fact.raises and not computed):
        return None
    return shape.constant, "constant"


def _same(op: Operation, inference: Inference) -> tuple[Value, str] | None:
    """The operand that the operation gives back, and the law of its operator that says so."""
    shapes = inference.operands.get(op.id)
    if shapes is None or len(op.results) != 1:
        return None
    if op.name == "truth" and shapes[0].type == "bool":
        return op.args[0], "truth of a bool"
    if len(shapes) != 2:
        return None
    laws, kind = op.operator.laws, shapes[0].type
    if _holds(shapes[1], shapes[0], laws.right_identity):
        return op.args[0], law_name(op.name, "right_identity", kind)
    if _holds(shapes[0], shapes[1], laws.left_identity):
        return op.args[1], law_name(op.name, "left_identity", kind)
    if op.args[0] == op.args[1] and kind in laws.idempotent:
        return op.args[0], law_name(op.name, "idempotent", kind)
    if _holds(shapes[1], shapes[0], laws.right_absorbing):
        return op.args[1], law_name(op.name, "right_absorbing", kind)
    if _holds(shapes[0], shapes[1], laws.left_absorbing):
        return op.args[0], law_name(op.name, "left_absorbing", kind)
    return None


def _holds(shape: Shape, other: Shape, pairs: tuple[tuple[str, Constant], ...]) -> bool:
    return any(shape.constant == constant and other.type == kind for kind, constant in pairs)
