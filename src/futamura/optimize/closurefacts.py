"""What is known of a variable where a nested function is made holds in it, if the variable is never bound again.

    def f(x):                                      def f(x):
        if isinstance(x, int):                         if isinstance(x, int):
            def g(y):                        ->            def g(y):
                if isinstance(x, int): ...                     if True: ...

Three kinds of knowledge go in: the exact type of the value (`type(x) is int`, `x is None`), the value itself if it is a
known number or text (`key = "id"; lambda row: row[key]`), and the answer of `isinstance` for kinds of builtin classes.
What was read of memory (`x.size == 3`, `len(x)`) does not: it may be another when the function is called.  A function
that is made at several places knows what holds at all of them.

Requires: nothing.  Ensures: reads of such variables carry their types; those that nobody needs are gone, and with the
last read of a variable its capture.
Invariant: the variable is bound at one place, on every way to where the function is made, and nobody deletes it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from futamura.ir.attributes import FunctionAttr
from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Function, Operation, Program, Value
from futamura.ir.ops import OPERATORS
from futamura.optimize.classtests import EVERYTHING, Kinds, tested_kinds
from futamura.optimize.dead import dce
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.freevars import Captures, captured_cells, settled_cells, settled_reads
from futamura.optimize.inference import Inference, Known
from futamura.optimize.shapes import NOTHING, Shape, join
from futamura.optimize.typefold import is_single, typefold

__all__ = ["closure_facts"]

_MOST_ABOVE: Final = 64
"""Blocks above the place where a function is made that are asked what they tell."""
_MOST_CHARACTERS: Final = 60
"""A longer text reads better under its name."""
_MOST_BITS: Final = 64
"""So does a longer number."""


class _Fact(NamedTuple):
    """What is known of one variable."""

    shape: Shape = NOTHING
    answers: frozenset[tuple[Constant, bool]] = frozenset()
    """For classes, whether the value is an instance."""
    is_full: bool = False
    """Has it been bound?"""

    def both(self, other: _Fact) -> _Fact:
        return _Fact(join(self.shape, other.shape), self.answers & other.answers, self.is_full and other.is_full)

    def says(self) -> bool:
        """Is it more than that the variable is bound?"""
        return self.shape.type != NOTHING.type or bool(self.answers)


def closure_facts(program: Program, known: Known) -> Program:
    """The program with nested functions that know what holds where they are made."""
    if len(program.functions) == 1:
        return program
    captures = Captures(program)
    facts: dict[str, list[_Fact]] = {}
    for function in program.functions:
        _collect(function, captures, known, facts)
    changed = {
        function.name: new
        for function in program.functions
        if any(fact.says() for fact in facts.get(function.name, ()))
        and (new := _told(function, facts[function.name], known)) is not None
    }
    if not changed:
        return program
    told = replace(program, functions=tuple([changed.get(one.name, one) for one in program.functions]))
    return _without_unread(told, changed)


def _without_unread(program: Program, names: Collection[str]) -> Program:
    """These functions capture no variable that nothing in them asks for any more."""
    captures = Captures(program)
    kept: dict[str, list[int]] = {}
    for name in names:
        function = program[name]
        used = [bool(uses) for uses in captures.of(name)]
        if not all(used) and not any(0 in _targets(block) for block in function.blocks):
            kept[name] = [at for at, is_used in enumerate(used) if is_used]
    if not kept:
        return program
    return replace(program, functions=tuple([_capturing(one, kept) for one in program.functions]))


def _targets(block: Block) -> set[int]:
    edges = [*block.terminator.edges, *([block.handler] if block.handler is not None else ())]
    return {edge.target for edge in edges}


def _capturing(function: Function, kept: Mapping[str, Sequence[int]]) -> Function:
    """The function if those of `kept` capture only the variables of these numbers."""
    blocks = [
        block._replace(ops=tuple([_making(op, kept) for op in block.ops]))
        if any(isinstance(op.attr, FunctionAttr) and op.attr.name in kept for op in block.ops)
        else block
        for block in function.blocks
    ]
    made = replace(function, blocks=tuple(blocks))
    if function.name not in kept:
        return made
    free = tuple([function.free[at] for at in kept[function.name]])
    graph = FlowGraph(made)
    params = graph.node(0).params
    plain = len(function.signature.names)
    graph.node(0).params = [*params[:plain], *[params[plain + at] for at in kept[function.name]]]
    return graph.freeze(free)[0]


def _making(op: Operation, kept: Mapping[str, Sequence[int]]) -> Operation:
    if not isinstance(op.attr, FunctionAttr) or op.attr.name not in kept:
        return op
    cells = captured_cells(op)
    args = op.args[: len(op.args) - len(cells)]
    return op._replace(args=(*args, *[cells[at] for at in kept[op.attr.name]]))


def _collect(function: Function, captures: Captures, known: Known, facts: dict[str, list[_Fact]]) -> None:
    """Add what this function tells those that it makes; what it calls by name may come from anywhere."""
    makes = False
    for op in function.operations():
        if isinstance(op.attr, FunctionAttr):
            makes = True
        elif op.name == "invoke":
            facts[str(op.attr)] = []
    if not makes:
        return
    found = _places(function, captures, known) if FlowGraph.takes(function) else {}
    for op in function.operations():
        if isinstance(op.attr, FunctionAttr):
            here = found.get(op.id, [_Fact() for _ in captured_cells(op)])
            before = facts.get(op.attr.name)
            facts[op.attr.name] = here if before is None else [a.both(b) for a, b in zip(before, here)]


def _places(function: Function, captures: Captures, known: Known) -> dict[int, list[_Fact]]:
    """By the id of the operation that makes a function: what is known there of each variable that it captures."""
    graph = FlowGraph(function)  # only looked at
    if not settled_cells(graph, captures):
        return {}
    marks: dict[int, tuple[int, Operation]] = {}
    for at, node in graph.nodes():
        ops: list[Operation] = []
        for op in node.ops:
            if isinstance(op.attr, FunctionAttr):
                reads = [graph.operation("cell_get", (cell,), None, ("", "local")) for cell in captured_cells(op)]
                mark = graph.operation("tuple", tuple([read.results[0] for read in reads]))
                marks[op.id] = (at, mark)
                ops += [*reads, mark]
            ops.append(op)
        node.ops = ops
    values = settled_reads(graph, captures)
    graph.replace(values)
    inference = Inference(graph, {}, known)
    found: dict[int, list[_Fact]] = {}
    for made, (at, mark) in marks.items():
        if at not in inference.reached:
            continue
        answers = _answers(graph, inference, at)
        found[made] = [
            _Fact(shape, frozenset(answers.get(values[read], ())), True) if read in values else _Fact()
            for read, shape in zip(mark.args, inference.operands[mark.id])
        ]
    return found


def _answers(graph: FlowGraph, inference: Inference, at: int) -> dict[Value, list[tuple[Constant, bool]]]:
    """What the tests on the only way to a block have answered, by the value that was asked for its class."""
    found: dict[Value, list[tuple[Constant, bool]]] = {}
    for _ in range(_MOST_ABOVE):
        entering = inference.layout.entering[at]
        if len(entering) == 1 and graph.node(entering[0][0]).end.name == "branch" and entering[0][1] < 2:
            source, number = entering[0]
            asked = _asked(inference, graph.node(source).end.args[0], number == 0)
            if asked is not None:
                found.setdefault(asked[0], []).append(asked[1:])
        above = inference.layout.common_dominator([at]) if at else -1
        if above < 0:
            break
        at = above
    return found


def _asked(inference: Inference, condition: Value, holds: bool) -> tuple[Value, Constant, bool] | None:
    """The value, the classes and the answer, if a condition is whether the value is an instance of builtin kinds."""
    made = inference.definitions.get(condition)
    while made is not None and made.name in ("not", "truth", "copy") and len(made.args) == 1:
        holds = holds is not (made.name == "not")
        made = inference.definitions.get(made.args[0])
    classes = _classes(inference, made)
    return None if classes is None or made is None else (made.args[1], classes, holds)


def _classes(inference: Inference, op: Operation | None) -> Constant | None:
    """The builtin kinds that `isinstance` is asked for."""
    if op is None or op.name != "call" or op.attr is not None or len(op.args) != 3:
        return None
    if inference.callee(op.args[0]) != Constant(isinstance):
        return None
    classes = inference.classes(op.args[2])
    return classes if classes is not None and tested_kinds(classes.value) is not None else None


def _told(function: Function, facts: list[_Fact], known: Known) -> Function | None:
    """The function, with what it knows of its free variables; None if that changes nothing."""
    if not FlowGraph.takes(function):
        return None
    graph = FlowGraph(function)
    cells = dict(zip(graph.node(0).params[len(function.signature.names) :], facts, strict=True))
    inference = Inference(graph, {}, known)
    read: dict[Value, _Fact] = {
        op.results[0]: cells[op.args[0]]
        for _, node in graph.nodes()
        for op in node.ops
        if op.name == "cell_get" and op.args[0] in cells
    }
    changed = False
    for _, node in graph.nodes():
        for place, op in enumerate(node.ops):
            answer = _answer(inference, op, read)
            if answer is not None:
                node.ops[place] = op._replace(operator=OPERATORS["const"], args=(), attr=answer)
                changed = True
            elif op.name == "cell_get" and op.args[0] in cells and graph.types[op.results[0]] == NOTHING.type:
                kind = cells[op.args[0]].shape.type
                graph.types[op.results[0]] = kind
                changed = changed or kind != NOTHING.type
    if not changed:
        return None
    typefold(graph, Inference(graph, {}, known))
    dce(graph, Inference(graph, {}, known))
    _forget_reads(graph, {cell for cell, fact in cells.items() if fact.is_full})
    return graph.freeze()[0]


def _answer(inference: Inference, op: Operation, read: Mapping[Value, _Fact]) -> Constant | None:
    """The only thing that a read or a test can give."""
    if op.name == "cell_get":
        constant = read[op.results[0]].shape.constant if op.results[0] in read else None
        return constant if constant is not None and (is_single(constant.value) or _is_written(constant.value)) else None
    if op.name in ("is", "is_not") and op.args[0] in read and inference.callee(op.args[1]) == Constant(None):
        answer = _member(read[op.args[0]], Kinds(frozenset({type(None)})))
        return None if answer is None else Constant(answer is (op.name == "is"))
    classes = _classes(inference, op) if len(op.args) == 3 and op.args[1] in read else None
    asked = None if classes is None else tested_kinds(classes.value)
    answer = None if asked is None else _member(read[op.args[1]], asked)
    return None if answer is None else Constant(answer)


def _is_written(value: object) -> bool:
    """Is this a number or a short text, which any other of the same value may stand for?"""
    if type(value) is int:
        return value.bit_length() <= _MOST_BITS
    if type(value) is float:
        return value == value
    return (type(value) is str or type(value) is bytes) and len(value) <= _MOST_CHARACTERS


def _member(fact: _Fact, asked: Kinds) -> bool | None:
    """Is the value of one of these kinds, by what other tests have answered?"""
    possible = EVERYTHING.kinds
    for classes, holds in fact.answers:
        told = tested_kinds(classes.value)
        assert told is not None
        possible = possible & told.kinds if holds else possible - told.kinds
    if possible <= asked.kinds:
        return True
    return False if possible.isdisjoint(asked.kinds) else None


def _forget_reads(graph: FlowGraph, full: set[Value]) -> None:
    """Take away what reads full variables for nobody."""
    uses = graph.uses()
    for _, node in graph.nodes():
        node.ops = [op for op in node.ops if op.name != "cell_get" or op.args[0] not in full or uses[op.results[0]] > 0]
