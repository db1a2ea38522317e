"""The first half of printing a flow graph: operations to statements over expressions, jumps with their assignments.

    v1 = const 1; v2:res = mul v1, v0; jump b2(v2)    Set(v2, Applied("mul", (Constant 1, v0))); goto b2 with res <- v2

A nameless value that is used once, next, and in the order in which it was made stands inside the expression that uses
it; every other value is assigned.  Blocks without a label that only jump on are edges, not blocks.
Invariant: operations that may raise keep their order, for only what was made last is put inside of what comes next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Edge, Function, Operation, Value

__all__ = [
    "CALL", "Applied", "DraftBlock", "Ending", "Expr", "NotPrintable", "Set", "Show", "Store", "Way", "draft", "leaves",
    "reading_order",
]  # fmt: skip

MAX_DEPTH: Final = 30
"""Deeper expressions are cut: what stands inside gets a name."""


CALL: Final = "call "
"""What the operator of a call begins with; the function's name follows."""


class NotPrintable(Exception):
    """The program has something that the language cannot say; the message names it."""


@dataclass(frozen=True, slots=True)
class Applied:
    """An operator on expressions."""

    operator: str
    operands: tuple[Expr, ...]
    depth: int


Expr: TypeAlias = Value | Constant | Applied


@dataclass(frozen=True, slots=True)
class Set:
    target: Value
    value: Expr


@dataclass(frozen=True, slots=True)
class Show:
    value: Expr


@dataclass(frozen=True, slots=True)
class Store:
    array: Expr
    index: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Way:
    """A jump to a block, with what each of its parameters receives."""

    target: int
    passed: tuple[tuple[Value, Expr], ...]


@dataclass(slots=True)
class Ending:
    """One way: goto; two: if `value`; none: return of `value`, which is None where nothing is returned."""

    ways: list[Way]
    value: Expr | None = None


@dataclass(slots=True)
class DraftBlock:
    id: int
    params: tuple[Value, ...]
    statements: list[Set | Show | Store] = field(default_factory=list)
    ending: Ending = field(default_factory=lambda: Ending([]))


def leaves(expression: Expr | None) -> list[Value]:
    """The values that an expression reads."""
    if type(expression) is int:
        return [expression]
    found: list[Value] = []
    work = [expression]
    while work:
        here = work.pop()
        if isinstance(here, Applied):
            work.extend(here.operands)
        elif type(here) is int:
            found.append(here)
    return found


_EXPRESSIONS: Final = frozenset(
    {
        "add", "sub", "mul", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge", "not", "neg", "getitem", "tuple",
        "car", "cdr", "cons", "null", "truth",
    }
)  # fmt: skip
_PLAIN: Final = {"iadd": "add", "isub": "sub", "imul": "mul"}


def reading_order(function: Function) -> dict[int, int]:
    """The position of each reachable block in the printed text."""
    return {block: at for at, block in enumerate(_Drafting(function, {}).order(forwarding=False))}


def draft(function: Function, labels: Mapping[int, str], nest_named: bool = False) -> list[DraftBlock]:
    """The reachable blocks in an order that is good to read, the entry first.

    With `nest_named` values that the user named stand inside of expressions, too.
    """
    return _Drafting(function, labels, nest_named).run()


class _Drafting:
    """One function on its way to statements."""

    def __init__(self, function: Function, labels: Mapping[int, str], nest_named: bool = False) -> None:
        self.function: Final = function
        self.nest_named: Final = nest_named
        self.labels: Final = labels
        self.constants: Final[dict[Value, Constant]] = {}
        self.uses: Final[dict[Value, int]] = {}
        self.alone: Final[set[Value]] = set()

    def run(self) -> list[DraftBlock]:
        for block in self.function.blocks:
            for op in block.ops:
                if op.name == "const":
                    assert isinstance(op.attr, Constant)
                    self.constants[op.results[0]] = op.attr
                for arg in op.args:
                    self.uses[arg] = self.uses.get(arg, 0) + 1
            for arg in (*block.terminator.args, *(arg for edge in block.terminator.edges for arg in edge.args)):
                self.uses[arg] = self.uses.get(arg, 0) + 1
        drafts = {at: self._block(self.function.blocks[at]) for at in self.order()}
        return list(drafts.values())

    # -- jumps

    def order(self, forwarding: bool = True) -> list[int]:
        """Reverse postorder in which the first way of a branch comes first; `forwarding` skips what is an edge."""
        seen = {0}
        order: list[int] = []
        stack = [(0, self._targets(0, forwarding))]
        while stack:
            block, left = stack[-1]
            while left and left[-1] in seen:
                left.pop()
            if not left:
                order.append(block)
                stack.pop()
                continue
            target = left.pop()
            seen.add(target)
            stack.append((target, self._targets(target, forwarding)))
        order.reverse()
        return order

    def _targets(self, block: int, forwarding: bool) -> list[int]:
        """The last way is visited first, so that the first one stands first."""
        edges = self.function.blocks[block].terminator.edges
        return [(self._final(edge) if forwarding else edge).target for edge in edges]

    def _forwards(self, block: Block) -> bool:
        return (
            block.id != 0
            and block.id not in self.labels
            and block.terminator.name == "jump"
            and not block.params
            and all(op.name == "const" for op in block.ops)
        )

    def _final(self, edge: Edge) -> Edge:
        """Where an edge leads when blocks that only jump on are edges."""
        seen: set[int] = set()
        while edge.target not in seen and self._forwards(self.function.blocks[edge.target]):
            seen.add(edge.target)
            edge = self.function.blocks[edge.target].terminator.edges[0]
        return edge

    def _way(self, edge: Edge) -> Way:
        final = self._final(edge)
        params = self.function.blocks[final.target].params
        return Way(final.target, tuple([(p, self._operand(arg)) for p, arg in zip(params, final.args, strict=True)]))

    # -- expressions

    def _operand(self, value: Value) -> Expr:
        return self.constants.get(value, value)

    def _block(self, block: Block) -> DraftBlock:
        made = DraftBlock(block.id, block.params)
        pending: list[tuple[Value, Applied]] = []
        for op in block.ops:
            if op.name == "const":
                continue
            self._operation(op, made, pending)
        self._ending(block, made, pending)
        return made

    def _operation(self, op: Operation, made: DraftBlock, pending: list[tuple[Value, Applied]]) -> None:
        if op.name == "copy":
            _flush(made, pending)
            made.statements.extend(Set(r, self._operand(arg)) for r, arg in zip(op.results, op.args, strict=True))
            if len(op.results) > 1:
                raise NotPrintable("a parallel copy")
            return
        operands = self._consume(op.args, pending, made)
        if op.name == "show":
            _flush(made, pending)
            made.statements.append(Show(operands[0]))
        elif op.name == "setitem":
            value, array, index = operands
            _flush(made, pending)
            made.statements.append(Store(array, index, value))
        else:
            self._value(op, operands, made, pending)

    def _value(
        self, op: Operation, operands: list[Expr], made: DraftBlock, pending: list[tuple[Value, Applied]]
    ) -> None:
        name = _PLAIN.get(op.name, op.name)
        if name == "invoke":
            name = f"{CALL}{op.attr}"
        elif name not in _EXPRESSIONS or (name == "tuple" and op.attr is not None):
            raise NotPrintable(f"the operator {op.name}")
        depth = 1 + max([operand.depth for operand in operands if isinstance(operand, Applied)], default=0)
        result = op.results[0]
        applied = Applied(name, tuple(operands), depth)
        nameless = self.nest_named or self.function.hints[result] is None
        if nameless and self.uses.get(result) == 1 and depth < MAX_DEPTH:
            pending.append((result, applied))
        else:
            _flush(made, pending)
            made.statements.append(Set(result, applied))

    def _consume(self, args: tuple[Value, ...], pending: list[tuple[Value, Applied]], made: DraftBlock) -> list[Expr]:
        """The operands; those that are still pending stand inside, if they are the last ones, in order."""
        waiting = {value for value, _ in pending}
        wanted = [arg for arg in args if arg in waiting]
        if not wanted:
            return [self._operand(arg) for arg in args]
        tail = pending[len(pending) - len(wanted) :]
        if [value for value, _ in tail] != wanted:
            _flush(made, pending)
            return [self._operand(arg) for arg in args]
        inside: dict[Value, Expr] = dict(tail)
        del pending[len(pending) - len(wanted) :]
        return [inside.get(arg, self._operand(arg)) for arg in args]

    # -- ends

    def _ending(self, block: Block, made: DraftBlock, pending: list[tuple[Value, Applied]]) -> None:
        end = block.terminator
        if end.name == "branch":
            (condition,) = self._consume(end.args, pending, made)
            if isinstance(condition, Applied) and condition.operator == "truth":
                condition = condition.operands[0]
            _flush(made, pending)
            made.ending = Ending([self._way(edge) for edge in end.edges], condition)
        elif end.name == "return":
            (value,) = self._consume(end.args, pending, made)
            _flush(made, pending)
            nothing = isinstance(value, Constant) and value.value is None
            made.ending = Ending([], None if nothing else value)
        elif end.name == "jump":
            way = self._way(end.edges[0])
            if self.nest_named and not self._forwards(self.function.blocks[end.edges[0].target]):
                inside = self._consume(end.edges[0].args, pending, made)
                way = Way(way.target, tuple([(param, x) for (param, _), x in zip(way.passed, inside, strict=True)]))
            _flush(made, pending)
            made.ending = Ending([way])
        elif end.name == "unreachable":
            _flush(made, pending)  # one of these raises
        else:
            raise NotPrintable(f"the terminator {end.name}")


def _flush(made: DraftBlock, pending: list[tuple[Value, Applied]]) -> None:
    made.statements.extend(Set(value, applied) for value, applied in pending)
    pending.clear()
