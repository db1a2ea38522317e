"""Types, ranges and constants, forward over the graph, refined by the branches that lead to a place.

    b0(v0:n): v1 = lt v0, 10; branch v1 -> b1 | b2        (n: int in 0..99)
    b1(): v2 = lt v0, 20 ...                              v2 is True there: n is in 0..9

The solution is optimistic: a block is looked at when a way to it is found, a parameter is what the ways found so far
bring.  A bound that still moves at the third visit is given up, so that loops come to an end.  What holds under a
branch is on a stack along the dominator tree.

Invariant: what is recorded of an operation (`called`, `operands`) holds whenever it is executed; a block that is not in
`reached` is never entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.facts import Effects, Fact
from futamura.ir.graph import Operation, Value
from futamura.optimize.calls import Called, call_of
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.layout import Layout
from futamura.optimize.refining import Conditions
from futamura.optimize.shapes import NOTHING, Shape, join, known_as, narrowed, of_type, outcome, truth_of, widened

__all__ = ["Inference", "Known"]

Known = Mapping[tuple[str, str], object]
"""Global names, by module, that are bound to the same object as long as the program runs."""

_PATIENCE: Final = 3
ITERABLE: Final = frozenset({"str", "bytes", "tuple", "list", "range", "set", "frozenset", "dict"})
"""Types whose iterators run no code of a program."""


class Inference:
    """The facts of one function."""

    def __init__(
        self, graph: FlowGraph, given: Mapping[Value, Shape] | None = None, known: Known | None = None
    ) -> None:
        self.graph: Final = graph
        self.known: Final[Known] = known or {}
        self.layout: Final = Layout(graph)
        self.shapes: Final[dict[Value, Shape]] = {}
        self.reached: Final = {0}
        self.called: Final[dict[int, Called]] = {}
        """By the id of the operation: its effects and its result."""
        self.operands: Final[dict[int, tuple[Shape, ...]]] = {}
        """By the id of the operation or terminator: what is known of its arguments there."""
        self.definitions: Final = {result: op for _, node in graph.nodes() for op in node.ops for result in op.results}
        self._now: Final[dict[Value, Shape]] = {}
        self._conditions: Final = Conditions(self.definitions, self.shape, self.callee)
        self._moves: Final[dict[Value, int]] = {}
        given = given or {}
        for param in graph.node(0).params:
            self.shapes[param] = given.get(param, of_type(graph.types[param]))
        self._solve()

    def shape(self, value: Value) -> Shape:
        """What is known where the walk stands."""
        found = self._now.get(value)
        return self.shapes.get(value, NOTHING) if found is None else found

    def callee(self, value: Value) -> Constant | None:
        """The function that a value is, if it is always the same."""
        made = self.definitions.get(value)
        if made is not None and made.name == "global_get" and made.attr in self.known:
            return Constant(self.known[made.attr])  # type: ignore[index]
        return self.shapes.get(value, NOTHING).constant

    def fact(self, operation: Operation) -> Fact:
        """Effects and exceptions of an operation (unknown, if nothing leads to it)."""
        found = self.called.get(operation.id)
        return Fact() if found is None else found.fact

    # -------------------------------------------------------------------- the fixed point

    def _solve(self) -> None:
        changed = True
        while changed:
            changed = False
            undo: list[list[tuple[Value, Shape | None]]] = []
            for entering, at in self.layout.walk():
                if entering:
                    undo.append([])
                    if at in self.reached:  # tails of split blocks never are
                        self._enter(at, undo[-1])
                        changed = self._block(self.graph.node(at)) or changed
                else:
                    for value, old in reversed(undo.pop()):
                        if old is None:
                            del self._now[value]
                        else:
                            self._now[value] = old

    def _enter(self, at: int, undo: list[tuple[Value, Shape | None]]) -> None:
        """Believe what the only way into a block says."""
        ways = self.layout.entering[at]
        if len(ways) == 1:
            source, number = ways[0]
            for value, shape in self._conditions.under(self.graph.node(source), number).items():
                undo.append((value, self._now.get(value)))
                self._now[value] = shape

    def _block(self, node: Node) -> bool:
        changed = False
        if node.handler is not None:
            changed = self._pass(node, len(node.end.edges), {})
        for op in node.ops:
            self._operation(op)
        end = node.end
        self.operands[end.id] = tuple([self.shape(value) for value in end.args])
        for number in range(len(end.edges)):
            if self.may_go(node, number):
                changed = self._pass(node, number, self._conditions.under(node, number)) or changed
        return changed

    def may_go(self, node: Node, number: int) -> bool:
        """May the terminator take this edge, by what is known of its arguments there?"""
        end = node.end
        if end.name == "branch":
            verdict = truth_of(self.operands[end.id][0])
            return verdict is None or verdict is (number == 0)
        if end.name == "switch":
            constant = self.operands[end.id][0].constant
            assert isinstance(end.attr, tuple)
            if constant is not None:
                chosen = end.attr.index(constant) if constant in end.attr else len(end.attr)
                return number == chosen
        return True

    def _operation(self, op: Operation) -> None:
        shapes = tuple([self.shape(value) for value in op.args])
        self.operands[op.id] = shapes
        if op.name == "copy":
            for result, shape in zip(op.results, shapes):
                self.shapes[result] = shape
            self.called[op.id] = Called(op.operator.fact(tuple([shape.type for shape in shapes]), op.attr))
            return
        if op.name == "const":
            assert isinstance(op.attr, Constant)
            found = Called(op.operator.fact((), op.attr), known_as(op.attr))
        elif op.name == "call":
            arguments = (*shapes[1:],)
            kind = self.callee(op.args[2]) if len(op.args) == 3 else None
            if kind is not None and arguments[1].constant is None:
                arguments = (arguments[0], Shape(constant=kind))
            found = call_of(self.callee(op.args[0]), op.attr, arguments)
        elif op.name == "global_get" and op.attr in self.known:
            found = Called(Fact("object", frozenset(), Effects(frozenset({"global"}))), NOTHING)
        else:
            fact = op.operator.fact(tuple([shape.type for shape in shapes]), op.attr)
            single = len(op.results) == 1
            shape = outcome(op.operator, shapes, op.attr, fact.result) if single else of_type(fact.result)
            found = Called(fact, shape)
        self.called[op.id] = found
        for result in op.results:
            shape = found.shape
            if shape == NOTHING and self.graph.types[result] != NOTHING.type:
                shape = of_type(self.graph.types[result])
            self.shapes[result] = shape

    def _pass(self, node: Node, number: int, refined: Mapping[Value, Shape]) -> bool:
        """Bring the arguments of an edge to the parameters of its target; is there news?"""
        edge = node.edges()[number]
        params = self.graph.node(edge.target).params
        changed = edge.target not in self.reached
        self.reached.add(edge.target)
        implicit = node.implicit(number)
        if implicit:
            stepped = number < len(node.end.edges)
            changed = self._raise(params[0], self._item(node) if stepped else NOTHING) or changed
        for param, value in zip(params[implicit:], edge.args):
            shape = refined.get(value)
            changed = self._raise(param, self.shape(value) if shape is None else shape) or changed
        return changed

    def _raise(self, param: Value, shape: Shape) -> bool:
        old = self.shapes.get(param)
        if old is None:
            self.shapes[param] = shape
            return True
        new = join(old, shape)
        if new == old:
            return False
        self._moves[param] = moves = self._moves.get(param, 0) + 1
        self.shapes[param] = widened(old, new) if moves >= _PATIENCE else new
        return True

    def steps_unknown_code(self, node: Node) -> bool:
        """Does the block end with a step of an iterator that may be anybody's?"""
        if node.end.name != "next":
            return False
        source = self._iterated(node)
        return source is None or (self.shapes.get(source, NOTHING).type not in ITERABLE and not self._range(source))

    def _iterated(self, node: Node) -> Value | None:
        made = self.definitions.get(node.end.args[0])
        return None if made is None or made.name != "iter" else made.args[0]

    def _range(self, source: Value) -> Operation | None:
        """The call of `range` that makes a value."""
        called = self.definitions.get(source)
        if called is None or called.name != "call" or called.attr is not None:
            return None
        function = self.callee(called.args[0])
        return called if function is not None and function.value is range else None

    def _item(self, node: Node) -> Shape:
        """What a `next` gives."""
        source = self._iterated(node)
        if source is None:
            return NOTHING
        kind = self.shape(source).type
        if kind == "str":
            return Shape("str")
        if kind == "bytes":
            return Shape("int", 0, 255)
        called = self._range(source)
        if called is None:
            return NOTHING
        bounds = [self.shape(value) for value in called.args[1:]]
        if any(bound.type not in ("int", "bool") for bound in bounds):
            return NOTHING
        if len(bounds) == 3 and bounds[2].low is not None and bounds[2].low > 0:
            bounds.pop()
        if len(bounds) > 2:
            return Shape("int")
        low = bounds[0].low if len(bounds) == 2 else 0
        high = bounds[-1].high
        return narrowed(Shape("int"), low, None if high is None else high - 1)
