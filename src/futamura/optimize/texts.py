"""Texts that are put together in steps are put together at once.

    v2 = string v0, ": "; v4 = string (format v2), "is wrong"      v4 = string v0, ": is wrong"
    v2 = string v0, ": "; v3 = add v2, v1 (exact strings)          v3 = string v0, ": ", (format v1)
    v4 = string v2, "]"   (v2: an exact string made elsewhere)     v4 = string (format v2), "]"        f"{v2}]"
    v2 = str(v1); v4 = string (format v2), "]"  (v1: int)          v4 = string (format v1), "]"        f"{v1}]"

Parts that are joined go into the text that they are a part of, if nothing else needs them, it is made in the same
block, and nothing between runs code but what formats its other parts.  A part that stands elsewhere is formatted where
it is used: an exact string formatted is itself, and the back end writes one f-string, where it would have to call
`''.join` otherwise.

Invariant: no operation that may raise or run code moves, is left out or repeated; only exact strings are looked into.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value
from futamura.ir.liveness import end_uses
from futamura.ir.ops import OPERATORS
from futamura.optimize.effects import may_be_removed
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.shapes import NOTHING

__all__ = ["RULES", "texts"]

RULES: Final = ("text of texts", "sum of texts", "neighbours", "part from elsewhere", "number")
"""What is counted by `FlowGraph.fire`."""
_NUMBERS: Final = frozenset({"int", "float", "bool"})
_LONGEST: Final = 4096
"""Characters of a constant that two become."""
_MOST_BETWEEN: Final = 32
"""Operations between the steps of a text that are looked at."""


class _Part(NamedTuple):
    """What goes into a text: a constant, or a value; `kept` is the operand that stands for it already."""

    kept: Value | None
    constant: str | None = None
    text: Value | None = None
    """The exact string that is to be formatted, if no operand stands for it."""


def texts(graph: FlowGraph, inference: Inference) -> bool:
    """Join what is joined in steps; did anything change?"""
    changed = _formatted_numbers(graph, inference)
    join = _Join(graph, inference)
    for at in inference.layout.order:
        if at in inference.reached:
            changed = join.block(graph.node(at)) or changed
    return changed


def _formatted_numbers(graph: FlowGraph, inference: Inference) -> bool:
    """Numbers that are made texts for nothing but a text of the same block are formatted, which does the same."""
    uses = graph.uses()
    replaced: dict[Value, Value] = {}
    changed = False
    for at, node in graph.nodes():
        joined = {arg for op in node.ops if op.name == "string" for arg in op.args}
        outer = {op.args[0]: op for op in node.ops if (op.name, op.attr) == ("format", "") and len(op.args) == 1}
        for place, op in enumerate(node.ops if (joined or outer) and at in inference.reached else ()):
            if op.name != "call" or op.attr is not None or uses.get(op.results[0]) != 1 or len(op.args) != 2:
                continue
            made, shapes = op.results[0], inference.operands.get(op.id, ())
            again = outer.get(made)
            if made not in joined and (again is None or again.results[0] not in joined):
                continue
            if len(shapes) == 2 and shapes[1].type in _NUMBERS and inference.callee(op.args[0]) == Constant(str):
                graph.fire("number")
                node.ops[place] = op._replace(operator=OPERATORS["format"], args=op.args[1:], attr="")
                replaced.update({} if again is None else {again.results[0]: made})
                changed = True
        node.ops = [op for op in node.ops if replaced.keys().isdisjoint(op.results)]
    graph.replace(replaced)
    return changed


class _Join:
    def __init__(self, graph: FlowGraph, inference: Inference) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._uses: Final[Counter[Value]] = Counter()
        for _, node in graph.nodes():
            self._uses.update(arg for op in node.ops for arg in op.args)
            self._uses.update(end_uses(node.end))
            if node.handler is not None:
                self._uses.update(node.handler.args)
        self._here: dict[Value, Operation] = {}
        """What the block has made so far."""
        self._order: dict[int, int] = {}
        """By the id of an operation: how many that have to keep their order stand before it."""
        self._acting: list[Operation] = []
        """These."""

    def block(self, node: Node) -> bool:
        if not any(op.name == "string" for op in node.ops):
            return False
        self._here, self._order, self._acting = {}, {}, []
        ops: list[Operation] = []
        changed = False
        for op in node.ops:
            parts = self._joined(op, ops)
            if parts is not None:
                changed = True
                op = self._put_together(op, parts, ops)
            self._note(op)
            if not may_be_removed(self._inference.fact(op)) and op.name != "string":
                self._acting.append(op)
            ops.append(op)
        node.ops = ops
        return changed

    def _note(self, op: Operation) -> None:
        self._order[op.id] = len(self._acting)
        self._here.update(dict.fromkeys(op.results, op))

    def _joined(self, op: Operation, ops: list[Operation]) -> list[_Part] | None:
        """The parts of a text, if it is to be put together in another way."""
        if op.name == "string":
            parts = self._neighbours([part for arg in op.args for part in self._parts(arg, op)])
            parts = self._in_order(parts, ops)
            return None if [part.kept for part in parts] == [*op.args] else parts
        if op.name not in ("add", "iadd") or not all(self._is_text(arg) for arg in op.args):
            return None
        if not any(self._inner(arg, op) for arg in op.args):
            return None
        self._graph.fire("sum of texts")
        parts = self._neighbours([part for arg in op.args for part in self._parts(arg, op)])
        return self._in_order(parts, ops)

    def _in_order(self, parts: list[_Part], ops: list[Operation]) -> list[_Part]:
        """The parts; strings that are formatted behind parts that follow them are formatted anew, in their place."""
        found: list[_Part] = []
        first = len(ops)
        for part in reversed(parts):
            made = None if part.kept is None else self._here.get(part.kept)
            if made is not None and made.name == "format":
                place = _place(made, ops)
                if place > first and self._is_itself(made):
                    self._graph.fire("part from elsewhere")
                    part = _Part(None, None, self._source(made.args[0]))
                first = min(first, place)
            found.append(part)
        return found[::-1]

    def _put_together(self, op: Operation, parts: list[_Part], ops: list[Operation]) -> Operation:
        """The operation that makes the text; what it needs goes into the block before it."""
        args: list[Value] = []
        place = len(ops)  # before what formats the parts behind it
        for part in reversed(parts):
            if part.kept is not None:
                made = self._here.get(part.kept)
                if made is not None and made.name == "format":
                    place = min(place, _place(made, ops))
                args.append(part.kept)
                continue
            if part.text is None:
                new, at = self._graph.constant(part.constant), len(ops)
            else:
                new, at = self._graph.operation("format", (part.text,), None, ""), place
                source = self._here.get(part.text)
                if source is not None and at <= _place(source, ops) < len(ops):
                    at = len(ops)
            ops.insert(at, new)
            self._note(new)
            args.append(new.results[0])
        self._uses.subtract(op.args)
        self._uses.update(args)
        return op._replace(operator=OPERATORS["string"], args=tuple(args[::-1]), attr=None)

    def _parts(self, value: Value, outer: Operation) -> list[_Part]:
        """What an operand brings into a text."""
        constant = self._constant(value)
        if constant is not None:
            return [_Part(value, constant)]
        inner = self._inner(value, outer)
        if inner is not None:
            self._graph.fire("text of texts")
            self._uses.subtract(inner.args)  # it is dead then
            return [_Part(arg, self._constant(arg)) for arg in inner.args]
        made = self._here.get(value)
        if not self._is_text(value) or (made is not None and made.name == "format" and self._uses[value] == 1):
            return [_Part(value)]
        self._graph.fire("part from elsewhere")
        return [_Part(None, None, self._source(value))]

    def _inner(self, value: Value, outer: Operation) -> Operation | None:
        """The operation that joins a text which nothing but this text needs."""
        made = self._here.get(value)
        if made is None or self._uses[value] != 1:
            return None
        if made.name != "string":
            return self._inner(made.args[0], outer) if self._is_itself(made) else None
        between = self._acting[self._order[made.id] : self._order[made.id] + _MOST_BETWEEN]
        if len(between) == _MOST_BETWEEN:
            return None
        parts = {*outer.args}
        for arg in outer.args:
            joined = self._here.get(arg)
            if joined is not None and joined.name == "string":
                parts.update(joined.args)
        return made if all(op.name == "format" and op.results[0] in parts for op in between) else None

    def _source(self, value: Value) -> Value:
        """The string that is formatted, as long as formatting it is the string itself."""
        made = self._inference.definitions.get(value)
        while made is not None and self._is_itself(made):
            value = made.args[0]
            made = self._inference.definitions.get(value)
        return value

    def _is_itself(self, op: Operation) -> bool:
        return op.name == "format" and len(op.args) == 1 and op.attr in ("", "s") and self._is_text(op.args[0])

    def _is_text(self, value: Value) -> bool:
        return self._inference.shapes.get(value, NOTHING).type == "str"

    def _constant(self, value: Value) -> str | None:
        made = self._here.get(value) or self._inference.definitions.get(value)
        if made is None or made.name != "const" or not isinstance(made.attr, Constant):
            return None
        found = made.attr.value
        return found if type(found) is str else None

    def _neighbours(self, parts: list[_Part]) -> list[_Part]:
        """The parts, with constants that stand side by side made one."""
        found: list[_Part] = []
        for part in parts:
            before = found[-1] if found else None
            if before is not None and before.constant is not None and part.constant is not None:
                both = before.constant + part.constant
                if len(both) <= _LONGEST:
                    self._graph.fire("neighbours")
                    found[-1] = _Part(None, both)
                    continue
            found.append(part)
        return found


def _place(op: Operation, ops: list[Operation]) -> int:
    """Where the operation stands, if that is near the end; otherwise the end."""
    for back in range(1, min(len(ops), _MOST_BETWEEN) + 1):
        if ops[-back] is op:
            return len(ops) - back
    return len(ops)
