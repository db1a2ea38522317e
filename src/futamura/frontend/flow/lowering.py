"""From the blocks of a flow-graph program to a function of the IR.

    L1: read x  y = x + 1  goto L2        b0(v0:x): v1 = const 1; v2:y = add v0, v1; jump b1()
    L2: print y                           b1(): show v2; ...

A join has a parameter for each live variable that comes with different values; with `trim=False` every block has one
for each variable that is assigned on all ways to it, dead or not, as the classical specializers keep them.
Invariant: block `i` of the function is `labels[i]`; only an entry that is jumped to gets a block of its own before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from futamura.frontend.flow.blocks import FlowFacts
from futamura.frontend.flow.parsing import parse_flow
from futamura.frontend.flow.reading import Reader
from futamura.frontend.flow.syntax import (
    Apply,
    Assign,
    Branch,
    Expression,
    FlowProgram,
    Goto,
    Input,
    Literal,
    Print,
    Statement,
    Store,
    Variable,
)
from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Program, Signature, Value

__all__ = ["LoweredFlow", "lower_flow", "lower_flow_program"]


@dataclass(frozen=True, slots=True)
class LoweredFlow:
    """A program of the IR with what is known of the text that it comes from."""

    program: Program
    labels: tuple[str, ...]
    """The label of each block; an entry that stands before the first block has that block's label, too."""
    inputs: tuple[Input, ...]
    spelling: str
    file: str
    text: str
    stores: bool
    """Does the program change an array?"""
    reads: bool
    """Does it name its inputs?"""
    types: Mapping[str, str]
    """The declared types of the C-like spelling; "" is the function's."""


def lower_flow(text: str, file: str = "<flow>", *, trim: bool = True) -> LoweredFlow:
    """The IR of a flow-graph program; raises `FlowError`."""
    return lower_flow_program(parse_flow(text, file), trim=trim)


def lower_flow_program(source: FlowProgram, *, trim: bool = True) -> LoweredFlow:
    """The IR of a parsed program."""
    facts = FlowFacts(source)
    unbound = facts.first_unbound()
    if unbound is not None:
        title = f"`{unbound.name}` may have no value here"
        Reader(source.text, source.file).fail("FT503", title, unbound.span)
    known = {given.name: given for given in source.inputs or ()}
    nowhere = source.blocks[0].span
    inputs = tuple([known.get(name, Input(name, nowhere)) for name in facts.inputs])
    builder = FunctionBuilder(source.name, Signature(regular=tuple(facts.inputs)), file=source.file)
    labels = _Construction(facts, builder, trim).run()
    stores = any(isinstance(statement, Store) for block in facts.blocks for statement in block.statements)
    program = Program(source.name, (builder.finish(),))
    reads = source.inputs is not None
    return LoweredFlow(
        program, labels, inputs, source.spelling, source.file, source.text, stores, reads, dict(source.types)
    )


class _Construction:
    """SSA construction over blocks in reverse postorder; parameters with one value are taken away again."""

    def __init__(self, facts: FlowFacts, builder: FunctionBuilder, trim: bool) -> None:
        self.facts: Final = facts
        self.builder: Final = builder
        self.trim: Final = trim
        self.params: list[list[str]] = []
        self.starts: list[dict[str, Value]] = []
        self.ends: list[dict[str, Value]] = []
        self.replaced: dict[Value, Value] = {}

    def run(self) -> tuple[str, ...]:
        facts, builder = self.facts, self.builder
        own_entry = bool(facts.predecessors[0])
        entry = builder.block()
        given = dict(zip(facts.inputs, builder.params(entry, *facts.inputs)))
        blocks = [builder.block() if at or own_entry else entry for at in range(len(facts.blocks))]
        self._parameters(blocks, own_entry)
        for at, block in enumerate(blocks):
            self._body(at, block, given if at == 0 and not own_entry else None)
        if own_entry:
            builder.terminate(entry, "jump", (), (Edge(blocks[0].id, self._passed(0, given)),))
        ids = [block.id for block in blocks]
        for at, block in enumerate(blocks):
            self._end(at, block, ids)
        if self.trim:
            self._without_trivial(blocks)
        labels = tuple([block.label for block in facts.blocks])
        return (labels[0], *labels) if own_entry else labels

    def _parameters(self, blocks: list[BlockBuilder], own_entry: bool) -> None:
        """One parameter for each variable that a join may get with different values."""
        facts = self.facts
        names = facts.names
        for at, block in enumerate(blocks):
            wanted = facts.live[at] if self.trim else facts.assigned[at]
            if at == 0:
                kept = _members(wanted, names) if own_entry else []
            else:
                kept = _members(wanted, names) if len(facts.predecessors[at]) > 1 or not self.trim else []
            self.params.append(kept)
            self.starts.append(dict(zip(kept, self.builder.params(block, *kept))))

    def _body(self, at: int, block: BlockBuilder, given: dict[str, Value] | None) -> None:
        facts = self.facts
        if given is not None:
            environment = dict(given)
        elif at and self.trim and len(facts.predecessors[at]) == 1:
            source = facts.predecessors[at][0]
            environment = dict(self.ends[source])
        else:
            environment = dict(self.starts[at])
        for statement in facts.blocks[at].statements:
            self._statement(block, statement, environment)
        self.ends.append(environment)

    def _statement(self, block: BlockBuilder, statement: Statement, environment: dict[str, Value]) -> None:
        builder = self.builder
        if isinstance(statement, Assign):
            environment[statement.target] = self._assigned(block, statement, environment)
        elif isinstance(statement, Print):
            value = self._value(block, statement.value, environment)
            builder.append(block, "show", (value,), None, (), statement.span)
        else:
            value = self._value(block, statement.value, environment)
            array = self._value(block, statement.array, environment)
            index = self._value(block, statement.index, environment)
            builder.append(block, "setitem", (value, array, index), None, (), statement.span)

    def _assigned(self, block: BlockBuilder, statement: Assign, environment: dict[str, Value]) -> Value:
        """The value, named after the variable; a plain copy gets a value of its own, so that the name survives."""
        if isinstance(statement.value, Variable):
            (result,) = self.builder.values(1)
            self.builder.hints[result] = statement.target
            source = environment[statement.value.name]
            self.builder.append(block, "copy", (source,), None, (result,), statement.span)
            return result
        return self._value(block, statement.value, environment, statement.target)

    def _value(
        self, block: BlockBuilder, expression: Expression, environment: dict[str, Value], hint: str | None = None
    ) -> Value:
        """The operations of an expression, operands first; with an explicit stack, for nesting has no limit."""
        done: list[Value] = []
        work: list[tuple[Expression, bool]] = [(expression, False)]
        while work:
            here, ready = work.pop()
            name = hint if here is expression else None
            if isinstance(here, Variable):
                done.append(environment[here.name])
            elif isinstance(here, Literal):
                done.append(self.builder.emit(block, "const", (), Constant(here.value), hint=name, span=here.span))
            else:
                assert isinstance(here, Apply)
                if not ready:
                    work.append((here, True))
                    work.extend((operand, False) for operand in reversed(here.operands))
                    continue
                count = len(here.operands)
                args = tuple(done[len(done) - count :])
                del done[len(done) - count :]
                done.append(self.builder.emit(block, here.operator, args, hint=name, span=here.span))
        return done[0]

    def _end(self, at: int, block: BlockBuilder, ids: list[int]) -> None:
        facts, builder = self.facts, self.builder
        end = facts.blocks[at].end
        environment = self.ends[at]
        edges = tuple([Edge(ids[target], self._passed(target, environment)) for target in facts.successors[at]])
        if isinstance(end, Goto):
            builder.terminate(block, "jump", (), edges, span=end.span)
        elif isinstance(end, Branch):
            value = self._value(block, end.condition, environment)
            test = builder.emit(block, "truth", (value,), span=end.condition.span)
            builder.terminate(block, "branch", (test,), edges, span=end.span)
        else:
            result = builder.constant(block, None) if end.value is None else self._value(block, end.value, environment)
            builder.terminate(block, "return", (result,), span=end.span)

    def _passed(self, target: int, environment: dict[str, Value]) -> tuple[Value, ...]:
        return tuple([environment[name] for name in self.params[target]])

    def _without_trivial(self, blocks: list[BlockBuilder]) -> None:
        """A parameter that receives one value, besides itself, is that value."""
        by_id = {block.id: at for at, block in enumerate(blocks)}
        arguments: dict[Value, list[Value]] = {}
        users: dict[Value, list[Value]] = {}
        for block in self.builder.blocks:
            assert block.terminator is not None
            for edge in block.terminator.edges:
                for param, argument in zip(blocks[by_id[edge.target]].params, edge.args):
                    arguments.setdefault(param, []).append(argument)
                    users.setdefault(argument, []).append(param)
        work = sorted(arguments, reverse=True)
        while work:
            param = work.pop()
            if param in self.replaced or param not in arguments:
                continue
            values = {self._final(argument) for argument in arguments[param]} - {param}
            if len(values) == 1:
                value = self.replaced[param] = values.pop()
                followers = users.pop(param, [])
                users.setdefault(value, []).extend(followers)
                work.extend(follower for follower in followers if follower not in self.replaced)
        if self.replaced:
            self._rewrite(blocks)

    def _final(self, value: Value) -> Value:
        trail = []
        while value in self.replaced:
            trail.append(value)
            value = self.replaced[value]
        for step in trail:
            self.replaced[step] = value
        return value

    def _rewrite(self, blocks: list[BlockBuilder]) -> None:
        kept = {block.id: [at for at, p in enumerate(block.params) if p not in self.replaced] for block in blocks}
        for block in self.builder.blocks:
            block.ops = [op._replace(args=tuple([self._final(arg) for arg in op.args])) for op in block.ops]
            end = block.terminator
            assert end is not None
            edges = tuple(
                [Edge(e.target, tuple([self._final(e.args[at]) for at in kept[e.target]])) for e in end.edges]
            )
            block.terminator = end._replace(args=tuple([self._final(arg) for arg in end.args]), edges=edges)
        for block in blocks:
            block.params = [block.params[at] for at in kept[block.id]]
        _renumber(self.builder)


def _members(bits: int, names: list[str]) -> list[str]:
    return [name for at, name in enumerate(names) if bits >> at & 1]


def _renumber(builder: FunctionBuilder) -> None:
    """Values are dense: the ones that went away leave no holes."""
    new: dict[Value, Value] = {}
    for block in builder.blocks:
        for value in (*block.params, *(result for op in block.ops for result in op.results)):
            new[value] = len(new)
    hints: list[str | None] = [None] * len(new)
    for old, value in new.items():
        hints[value] = builder.hints[old]
    builder.hints[:] = hints
    builder.types[:] = ["object"] * len(new)
    for block in builder.blocks:
        block.params = [new[param] for param in block.params]
        block.ops = [
            op._replace(args=tuple([new[arg] for arg in op.args]), results=tuple([new[r] for r in op.results]))
            for op in block.ops
        ]
        end = block.terminator
        assert end is not None
        edges = tuple([Edge(edge.target, tuple([new[arg] for arg in edge.args])) for edge in end.edges])
        block.terminator = end._replace(args=tuple([new[arg] for arg in end.args]), edges=edges)
