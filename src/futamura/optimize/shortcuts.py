"""A value that was just tested is not tested again: the way behind the test leads past the tests that follow.

    A: v1 = in x, y; v2 = truth v1              A: ...; branch v2 -> B | E
       branch v2 -> B | J(v1)               ->
    J(v3): v4 = truth v3; branch v4 -> C | E

    A: v1 = gt x, y; v2 = truth v1              A: ...; branch v2 -> B | N
       branch v2 -> B | J(v1)               ->  N: v5 = is v1, False; branch v5 -> E | J'(v1)

`and` and `or` of an interpreter's sub-programs end in such joins: `(a and b) and c` passes a false `a` through two of
them.  What a comparison gives need not be a bool; where it is the very object False, which costs next to nothing to
ask, all tests of it are decided.  Otherwise control goes on in a copy J' of what was there, so that it does not lead
into the middle of the fast way.  A jump to a test of what its own block made becomes the test.

Invariant: the sequence of operations on every way is the one before, without `truth` of exact bools and with tests by
`is`; a way is shortened only if no value defined on the part left out is needed behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.dominance import immediate_dominators
from futamura.ir.evaluate import COMPARE
from futamura.ir.graph import OBJECT, Block, Edge, Function, Operation, Program, Terminator, Value
from futamura.ir.liveness import Liveness
from futamura.ir.ops import OPERATORS, TERMINATORS

__all__ = ["take_shortcuts"]

MAX_COPIED: Final = 24
"""Operations, constants not counted, in one copy of what follows a value that is no bool."""
MAX_ADDED: Final = 160
"""Operations that all copies may have together."""

_COMPARED: Final = frozenset({"lt", "le", "eq", "ne", "gt", "ge"}) & frozenset(COMPARE)
_BOOLS: Final = frozenset({"truth", "not", "is", "is_not", "in", "not_in"})
"""These give an exact bool, whatever the operands' methods return."""
_COPIED_ENDS: Final = frozenset({"jump", "branch", "return"})


def take_shortcuts(program: Program) -> Program:
    """The program with the shortcuts that there are."""
    functions = tuple(
        _Shortcuts(function).function() if _is_candidate(function) else function for function in program.functions
    )
    if all(new is old for new, old in zip(functions, program.functions)):
        return program
    return replace(program, functions=functions)


def _is_candidate(function: Function) -> bool:
    """Has it a join whose parameter is tested, and no exceptions to think of?"""
    if len(function.regions) > 1:
        return False
    params = {value for block in function.blocks[1:] for value in block.params}
    return any(_tested(block) in params for block in function.blocks)


def _tested(block: Block) -> Value:
    """The value on whose truth the block branches, if it does nothing else; -1 otherwise."""
    end = block.terminator
    if end.name != "branch" or len(block.ops) > 1:
        return -1
    if not block.ops:
        return end.args[0]
    test = block.ops[0]
    return test.args[0] if test.name == "truth" and test.results == end.args else -1


class _Way(NamedTuple):
    """Where an edge leads when joins, and tests that are decided, are left out."""

    edge: Edge
    known: Mapping[Value, Value]
    """The parameters on the part left out, and what was passed for them."""
    skipped: tuple[int, ...] = ()
    """The blocks that are left out."""
    decided: int = 0
    stuck: Value = -1
    """The value that is tested where the way ends."""


class _Shortcuts:
    def __init__(self, function: Function) -> None:
        self.old: Final = function
        self.blocks: Final = list(function.blocks)
        self.hints: Final = list(function.hints)
        self.types: Final = list(function.types)
        self.liveness: Final = Liveness(function)
        self.above: Final = immediate_dominators(
            [[edge.target for edge in block.terminator.edges] for block in function.blocks], 0
        )
        self.made: Final = {result: operation for operation in function.operations() for result in operation.results}
        self.next_id = 1 + max(
            [operation.id for operation in function.operations()] + [block.terminator.id for block in function.blocks]
        )
        self.added = 0

    def function(self) -> Function:
        changed = False
        for block in self.old.blocks:
            end = block.terminator
            if end.name == "branch":
                changed = self._branch(block, None, end) or changed
            elif end.name == "jump" and block.ops:
                changed = self._jump(block) or changed
        if not changed:
            return self.old
        return _compact(replace(self.old, blocks=tuple(self.blocks), hints=tuple(self.hints), types=tuple(self.types)))

    # -- what is known of values

    def _kind(self, value: Value) -> str:
        """ "bool": exactly one; "compared": it is likely to be one."""
        operation = self.made.get(value)
        if operation is None:
            return ""
        types = tuple(self.old.types[arg] for arg in operation.args)
        if operation.name in _BOOLS or operation.operator.result_type(types, operation.attr) == "bool":
            return "bool"
        return "compared" if operation.name in _COMPARED else ""

    def _truth(self, value: Value, facts: Mapping[Value, bool]) -> bool | None:
        if value in facts:
            return facts[value]
        operation = self.made.get(value)
        if operation is not None and operation.name == "const" and isinstance(operation.attr, Constant):
            constant = operation.attr.value
            return constant if type(constant) is bool else False if constant is None else None
        return None

    # -- ways

    def _ways(self, start: _Way, edge: Edge, facts: Mapping[Value, bool]) -> list[_Way]:
        """Follow an edge, at the end of what was left out already, through joins and decided tests: all stations."""
        known = dict(start.known)
        skipped = [*start.skipped]
        decided = 0
        passed: list[_Way] = []
        target, args = edge.target, tuple(known.get(arg, arg) for arg in edge.args)
        while True:
            block = self.old.blocks[target]
            inner = {**known, **dict(zip(block.params, args, strict=True))} if len(block.params) == len(args) else {}
            subject = _tested(block)
            subject = inner.get(subject, subject)
            taken = self._truth(subject, facts)
            joins = not block.ops and block.terminator.name == "jump"
            passed.append(_Way(Edge(target, args), known, tuple(skipped), decided, subject))
            if target in skipped or (block.params and not inner) or not (joins or taken is not None):
                return passed
            following = block.terminator.edges[0 if taken or taken is None else 1]
            skipped.append(target)
            decided += not joins
            known = inner
            target, args = following.target, tuple(inner.get(arg, arg) for arg in following.args)

    def _way(self, start: _Way, edge: Edge, facts: Mapping[Value, bool]) -> _Way | None:
        """The last station that control can be led to."""
        return next((way for way in reversed(self._ways(start, edge, facts)) if self._is_free(way)), None)

    def _is_free(self, way: _Way) -> bool:
        """Is nothing that the blocks left out define needed where the way leads?"""
        lost = {
            value
            for number in way.skipped
            for block in (self.old.blocks[number],)
            for value in (*block.params, *(result for operation in block.ops for result in operation.results))
        }
        return lost.isdisjoint(way.edge.args) and lost.isdisjoint(self.liveness.into(way.edge.target))

    def _jump(self, block: Block) -> bool:
        """A block that makes a value and passes it on to a test."""
        end = block.terminator
        way = self._ways(_Way(end.edges[0], {}), end.edges[0], {})[-1]
        if way.stuck not in {result for operation in block.ops for result in operation.results}:
            return False
        join = self.old.blocks[way.edge.target]
        known = {**way.known, **dict(zip(join.params, way.edge.args, strict=True))}
        condition = self._value("bool")
        truth = Operation(self._id(), OPERATORS["truth"], (way.stuck,), None, (condition,), end.span)
        self.made[condition] = truth
        test = Terminator(self._id(), TERMINATORS["branch"], (condition,), join.terminator.edges, None, end.span)
        after = _Way(way.edge, known, (*way.skipped, join.id))
        return self._branch(block._replace(ops=(*block.ops, truth)), after, test)

    def _branch(self, block: Block, before: _Way | None, end: Terminator) -> bool:
        """Shorten the two ways of a branch that ends the block; `before` was left out to get there."""
        condition = end.args[0]
        test = self.made.get(condition)
        subject = test.args[0] if test is not None and test.name == "truth" else condition
        kind = "bool" if subject == condition else self._kind(subject)
        start = before or _Way(end.edges[0], {})
        facts = [{condition: side, subject: side} if kind == "bool" else {condition: side} for side in (True, False)]
        edges = list(end.edges)
        changed = False
        for at in (0, 1):
            plain = self._way(start, edges[at], facts[at])
            if plain is None:
                return False
            if plain.decided or before is not None:
                edges[at] = plain.edge
                changed = changed or plain.decided > 0
        for at, side in enumerate((True, False) if kind == "compared" else ()):
            way = self._way(start, end.edges[at], {**facts[at], subject: side})
            if way is not None and way.decided > side:
                asking = self._ask(block, subject, side, way.edge, edges[at])
                changed = changed or asking is not None
                edges[at] = asking or edges[at]
        if changed:
            self.blocks[block.id] = block._replace(terminator=end._replace(edges=tuple(edges)))
        return changed

    # -- new blocks

    def _ask(self, block: Block, subject: Value, side: bool, short: Edge, long: Edge) -> Edge | None:
        """A block that asks whether the subject is the very bool; None if what is to be copied is too much."""
        copied = self._copy(block.id, long)
        if copied is None:
            return None
        constant, same = self._value("bool"), self._value("bool")
        span = block.terminator.span
        ops = (
            Operation(self._id(), OPERATORS["const"], (), Constant(side), (constant,), span),
            Operation(self._id(), OPERATORS["is"], (subject, constant), None, (same,), span),
        )
        end = Terminator(self._id(), TERMINATORS["branch"], (same,), (short, copied), None, span)
        self.blocks.append(Block(len(self.blocks), (), ops, end))
        return Edge(len(self.blocks) - 1)

    def _copy(self, source: int, edge: Edge) -> Edge | None:
        """Copies of all blocks that the edge leads to, up to those that dominate its source."""
        stops = {source}
        while self.above[source] != source:
            source = self.above[source]
            stops.add(source)
        found: dict[int, int] = {}
        work = [edge.target]
        size = 0
        while work:
            number = work.pop()
            if number in stops or number in found:
                continue
            block = self.old.blocks[number]
            size += sum(operation.name != "const" for operation in block.ops)
            if block.terminator.name not in _COPIED_ENDS or size > MAX_COPIED or self.added + size > MAX_ADDED:
                return None
            found[number] = len(self.blocks) + len(found)
            work.extend(following.target for following in block.terminator.edges)
        self.added += size
        renamed: dict[Value, Value] = {}
        for number in found:
            block = self.old.blocks[number]
            for value in (*block.params, *(result for operation in block.ops for result in operation.results)):
                renamed[value] = self._value(self.old.types[value], self.old.hints[value])
        self.blocks.extend(self._copied(self.old.blocks[number], found, renamed) for number in found)
        return Edge(found.get(edge.target, edge.target), edge.args)

    def _copied(self, block: Block, found: Mapping[int, int], renamed: Mapping[Value, Value]) -> Block:
        def use(values: tuple[Value, ...]) -> tuple[Value, ...]:
            return tuple(renamed.get(value, value) for value in values)

        ops = tuple(
            operation._replace(id=self._id(), args=use(operation.args), results=use(operation.results))
            for operation in block.ops
        )
        end = block.terminator
        edges = tuple(Edge(found.get(edge.target, edge.target), use(edge.args)) for edge in end.edges)
        end = end._replace(id=self._id(), args=use(end.args), edges=edges)
        return block._replace(id=found[block.id], params=use(block.params), ops=ops, terminator=end)

    def _id(self) -> int:
        self.next_id += 1
        return self.next_id - 1

    def _value(self, kind: str = OBJECT, hint: str | None = None) -> Value:
        self.hints.append(hint)
        self.types.append(kind)
        return len(self.hints) - 1


def _compact(function: Function) -> Function:
    """The function without the blocks that nothing leads to; blocks and values are numbered anew."""
    kept = [function.blocks[number] for number in sorted(_reached(function.blocks))]
    places = {block.id: at for at, block in enumerate(kept)}
    defined = sorted(
        value
        for block in kept
        for value in (*block.params, *(result for operation in block.ops for result in operation.results))
    )
    renamed = {value: at for at, value in enumerate(defined)}

    def use(values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(renamed[value] for value in values)

    blocks = []
    for block in kept:
        ops = tuple(
            operation._replace(args=use(operation.args), results=use(operation.results)) for operation in block.ops
        )
        end = block.terminator
        edges = tuple(Edge(places[edge.target], use(edge.args)) for edge in end.edges)
        end = end._replace(args=use(end.args), edges=edges)
        blocks.append(block._replace(id=places[block.id], params=use(block.params), ops=ops, terminator=end))
    hints = tuple(function.hints[value] for value in defined)
    types = tuple(function.types[value] for value in defined)
    return replace(function, blocks=tuple(blocks), hints=hints, types=types)


def _reached(blocks: tuple[Block, ...]) -> list[int]:
    """The blocks that the entry leads to."""
    found = {0}
    order = [0]
    for number in order:
        for edge in blocks[number].terminator.edges:
            if edge.target not in found:
                found.add(edge.target)
                order.append(edge.target)
    return order
