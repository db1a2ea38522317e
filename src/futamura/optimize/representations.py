"""Representations: which values may be held unboxed, where they are converted, and what then gives up.

    b0(v0: float, v1: int):                              v0: float64; v1: int64, converted at the entry if it fits
      v2 = mul v1, v1                                    int64; gives up on overflow
      v3 = add v0, v2                                    float64; v2 is converted to float64 before it
      v4 = call f, v3                                    on objects: v3 is boxed before it

A value may be unboxed if its exact type is known (`native.py`); it is if that is of use: if a native operation makes it
or takes it, or a parameter that it is passed to is unboxed.  Values that are passed to each other are decided together
(union-find); what only travels stays the object that it is.  Constants are both.

True is no 1 here: a parameter which gets an int on one way and a bool on the other is an object.

The marks stand in the types of the values, for a native back end to use; Python code does not change.  `marks` gives
the operations and conversions too, `marked_text` prints them.  The time is linear, but for the inverse of Ackermann's
function.

Invariant: as long as nothing has given up, each value is what its mark says, and each native operation gives what
Python's gives (checked against runs of the interpreter).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from futamura.ir.graph import Function, Operation, Program, Value
from futamura.ir.text import print_function
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference, Known
from futamura.optimize.native import (
    BOOL,
    INT64,
    OBJECT,
    Native,
    clamped,
    fits,
    native,
    native_call,
    representation_of,
)
from futamura.optimize.shapes import NOTHING, Shape

__all__ = ["NUMERIC", "Conversion", "Marks", "marked_program", "marked_text", "marks", "representations"]

NUMERIC: Final = frozenset({"int", "float", "bool", "bytes", "bytearray"})
"""The classes whose members may be unboxed."""


class Conversion(NamedTuple):
    """A value changes its representation before an operation or terminator, on an edge, or where it comes in."""

    value: Value
    source: str
    target: str
    gives_up: tuple[str, ...] = ()


@dataclass(slots=True)
class Marks:
    """Operations and terminators by their ids."""

    values: dict[Value, str] = field(default_factory=dict)
    """Those that are not objects."""
    native: dict[int, Native] = field(default_factory=dict)
    before: dict[int, list[Conversion]] = field(default_factory=dict)
    """What is converted for the operands of an operation, or for the arguments of a terminator and its edges."""
    behind: dict[int, list[Conversion]] = field(default_factory=dict)
    """Results of operations on objects."""
    entering: dict[int, list[Conversion]] = field(default_factory=dict)
    """By block: parameters that come as objects, of the entry, or as items and exceptions."""


def representations(graph: FlowGraph, inference: Inference) -> bool:
    """Write the representations into the types of the values; is there one?"""
    found = marks(graph, inference).values
    changed = False
    for value, kind in found.items():
        changed = changed or graph.types[value] != kind
        graph.types[value] = kind
    return changed


def marks(graph: FlowGraph, inference: Inference) -> Marks:
    """The marks of one function.

    Parameters that are unboxed at the entry fit behind it: a counter below one of them does not overflow.
    """
    first = _Marking(graph, inference, {}).run()
    given = {value: inference.shapes[value] for value in graph.node(0).params}
    unboxed = {value: shape for value, shape in given.items() if first.values.get(value) == INT64}
    if not unboxed:
        return first
    given.update((value, clamped(shape)) for value, shape in unboxed.items())
    return _Marking(graph, Inference(graph, given, inference.known), unboxed).run()


class _Marking:
    """One run over one function."""

    def __init__(self, graph: FlowGraph, inference: Inference, unboxed: Mapping[Value, Shape]) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._above: Final[dict[Value, Value]] = {}
        """Union-find: values that are passed to each other."""
        self._unboxed: Final = unboxed
        """Parameters of the entry that fit behind it, with what was known of them before."""
        self._useful: Final = set(unboxed)
        self.marks: Final = Marks()

    def run(self) -> Marks:
        nodes = [(at, self._graph.node(at)) for at in self._inference.layout.order if at in self._inference.reached]
        for _, node in nodes:
            for op in node.ops:
                self._look_at(op)
            for param, value in self._passed(node):
                if self._may_be(param) != OBJECT and not self._is_constant(value):
                    self._join(param, value)
        useful = {self._root(value) for value in self._useful}
        for at, node in nodes:
            for value in (*node.params, *(result for op in node.ops for result in op.results)):
                kind = self._may_be(value)
                if kind != OBJECT and not self._is_constant(value) and self._root(value) in useful:
                    self.marks.values[value] = kind
            self._enter(at, node)
        for _, node in nodes:
            self._convert(node)
        return self.marks

    # -------------------------------------------------------------------- what may be

    def _may_be(self, value: Value) -> str:
        return representation_of(self._shape(value))

    def _shape(self, value: Value) -> Shape:
        return self._inference.shapes.get(value, NOTHING)

    def _is_constant(self, value: Value) -> bool:
        made = self._inference.definitions.get(value)
        return made is not None and made.name == "const"

    def _look_at(self, op: Operation) -> None:
        shapes = self._inference.operands[op.id]
        if op.name == "copy":
            for result, arg in zip(op.results, op.args):
                if self._may_be(result) != OBJECT and not self._is_constant(arg):
                    self._join(result, arg)
            return
        if op.name == "call":
            found = native_call(self._inference.callee(op.args[0]), op.attr, shapes[1:])
            taken: Sequence[Value] = op.args[1:]
        else:
            found = native(op.name, shapes)
            taken = op.args
        if found is None or len(op.results) != 1 or self._may_be(op.results[0]) != found.gives:
            return
        self.marks.native[op.id] = found
        self._useful.add(op.results[0])
        self._useful.update(value for value in taken if self._may_be(value) != OBJECT)

    def _passed(self, node: Node) -> Iterator[tuple[Value, Value]]:
        """The parameters that the edges bind, with what they get."""
        for number, edge in enumerate(node.edges()):
            if edge.target in self._inference.reached:
                yield from zip(self._graph.node(edge.target).params[node.implicit(number) :], edge.args)

    def _root(self, value: Value) -> Value:
        above = self._above
        while above.get(value, value) != value:
            above[value] = above.get(above[value], above[value])
            value = above[value]
        return value

    def _join(self, one: Value, other: Value) -> None:
        """Decide two values together, if they may be the same."""
        if self._may_be(one) == self._may_be(other):
            self._above[self._root(other)] = self._root(one)

    # -------------------------------------------------------------------- what is converted

    def _enter(self, at: int, node: Node) -> None:
        """Parameters that come as objects."""
        implicit = [param for place, param in enumerate(node.params) if at == 0 or (place == 0 and self._is_given(at))]
        for param in implicit:
            self._unbox(self.marks.entering, at, param)

    def _unbox(self, where: dict[int, list[Conversion]], at: int, value: Value) -> None:
        """A value comes as an object; if it is not to stay one, it is converted at once."""
        kind = self.marks.values.get(value, OBJECT)
        if kind != OBJECT:
            reasons = () if fits(self._unboxed.get(value, self._shape(value))) else ("does not fit",)
            where.setdefault(at, []).append(Conversion(value, OBJECT, kind, reasons))

    def _is_given(self, at: int) -> bool:
        ways = self._inference.layout.entering[at]
        return any(self._graph.node(source).implicit(number) for source, number in ways)

    def _convert(self, node: Node) -> None:
        for op in node.ops:
            found = self.marks.native.get(op.id)
            if found is not None:
                args = op.args[len(op.args) - len(found.takes) :]
                shapes = self._inference.operands[op.id][len(op.args) - len(found.takes) :]
                for value, shape, wanted in zip(args, shapes, found.takes):
                    self._convert_one(op.id, value, shape, wanted)
            elif op.name == "copy":
                for result, value in zip(op.results, op.args):
                    self._convert_one(op.id, value, self._shape(value), self.marks.values.get(result, OBJECT))
            else:
                for value in op.args:
                    self._convert_one(op.id, value, self._shape(value), OBJECT)
                for value in op.results:
                    self._unbox(self.marks.behind, op.id, value)
        end = node.end
        for value in end.args:
            wanted = BOOL if end.name in ("branch", "guard") else OBJECT
            if end.name == "switch" and self.marks.values.get(value) == INT64:
                wanted = INT64
            self._convert_one(end.id, value, self._shape(value), wanted)
        for param, value in self._passed(node):
            self._convert_one(end.id, value, self._shape(value), self.marks.values.get(param, OBJECT))

    def _convert_one(self, at: int, value: Value, shape: Shape, wanted: str) -> None:
        held = self.marks.values.get(value, OBJECT)
        unsure = held == OBJECT and wanted == INT64 and not fits(shape)
        if held == wanted or (self._is_constant(value) and not unsure):
            return
        reasons = ("does not fit",) if unsure else ()
        found = Conversion(value, held, wanted, reasons)
        before = self.marks.before.setdefault(at, [])
        if found not in before:
            before.append(found)


# -------------------------------------------------------------------- as text


def marked_program(program: Program, given: Mapping[str, Shape], known: Known) -> str:
    """The functions of a program with their marks; `given` is what is known of parameters of the entry, by name."""
    texts = []
    for function in program.functions:
        if not FlowGraph.takes(function):
            texts.append(print_function(function))
            continue
        graph = FlowGraph(function)
        mine = given if function is program.main else {}
        params = zip(function.signature.names, function.entry.params)
        shapes = {param: mine[name] for name, param in params if name in mine}
        texts.append(marked_text(function, marks(graph, Inference(graph, shapes, known))))
    return "\n".join(texts)


def marked_text(function: Function, found: Marks) -> str:
    """The function with its marks behind the lines; they were found in a graph of this very function."""
    lines = print_function(function).splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("b0("))
    shown = lines[:start]
    rest = iter(lines[start:])
    for block in function.blocks:
        entering = found.entering.get(block.id, ())
        come = {one.value for one in entering}
        held = [
            f"{_name(param)} {found.values[param]}"
            for param in block.params
            if param in found.values and param not in come
        ]
        shown.append(_with(next(rest), [*held, *_conversions(entering)]))
        for op in block.ops:
            notes = _conversions(found.before.get(op.id, ()))
            native_one = found.native.get(op.id)
            if native_one is not None:
                notes.append(f"{native_one.gives}{_reasons(native_one.gives_up)}")
            else:
                notes.extend(_conversions(found.behind.get(op.id, ())))
            shown.append(_with(next(rest), notes))
        shown.append(_with(next(rest), _conversions(found.before.get(block.terminator.id, ()))))
    return "\n".join(shown) + "\n"


def _name(value: Value) -> str:
    return f"v{value}"


def _reasons(reasons: tuple[str, ...]) -> str:
    return f" unless {' or '.join(reasons)}" if reasons else ""


def _conversions(found: Sequence[Conversion]) -> list[str]:
    return [f"{_name(one.value)} {one.source} to {one.target}{_reasons(one.gives_up)}" for one in found]


def _with(line: str, notes: Sequence[str]) -> str:
    return f"{line}    ; {'; '.join(notes)}" if notes else line
