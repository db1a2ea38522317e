"""Expression trees and statements: what a block becomes before variables have names.

    v3 = add v1, v2; v4:x = mul v3, v1      ->      Assign((Variable(v4),), Node(mul, (Node(add, ...), Ref(v1))))

An expression refers to values that live in variables (`Ref`), constants (`Literal`), operations nested in it
(`Node`) and shapes that stood for control flow (`Fused`).  Evaluating it from left to right performs its
operations in the order in which they stood in the block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Span, Value

__all__ = [
    "Assign",
    "AugStore",
    "Clause",
    "Comprehension",
    "Delete",
    "Effect",
    "Expression",
    "FromImport",
    "Fused",
    "FusedItem",
    "Item",
    "Literal",
    "Move",
    "Node",
    "Raise",
    "Ref",
    "Return",
    "Statement",
    "Target",
    "TupleTarget",
    "Variable",
    "refs",
]


@dataclass(slots=True, frozen=True)
class Ref:
    """The variable of a value."""

    value: Value


@dataclass(slots=True, frozen=True)
class Literal:
    constant: Constant


@dataclass(slots=True, frozen=True)
class Node:
    """An operation with its operands nested in it."""

    op: Operation
    kids: tuple[Expression, ...]
    depth: int = 1


@dataclass(slots=True)
class Clause:
    """`for target in iterable if conditions` of a comprehension; the first clause's iterable is a kid."""

    target: Target
    iterable: Expression | None
    conditions: list[Expression] = field(default_factory=list)


@dataclass(slots=True)
class Comprehension:
    """`elements` is (element,) or (key, value)."""

    clauses: list[Clause]
    elements: tuple[Expression, ...]


@dataclass(slots=True, frozen=True)
class Fused:
    """Control flow that became an expression.

    and, or      kids are the operands            ifexp   kids are (condition, then, else)
    not          one kid, in a condition          chain   kids are the operands, data the comparison names
    listcomp, setcomp, dictcomp, genexp           kids are (first iterable,), data the Comprehension
    iterating                                     one kid, an iterator that a loop takes items of
    named                                         one kid, data the value whose variable it is assigned to on the way
    """

    kind: str
    kids: tuple[Expression, ...]
    data: object = None
    depth: int = 1


Expression: TypeAlias = "Ref | Literal | Node | Fused"


@dataclass(slots=True)
class FusedItem:
    """Control flow that stands among a block's operations: like one, with arguments and one result.

    `rest` are the operands that are evaluated after the arguments, already trees.
    """

    kind: str
    args: tuple[Value, ...]
    results: tuple[Value, ...]
    rest: tuple[Expression, ...] = ()
    data: object = None
    span: Span | None = None
    named: tuple[Value, ...] = ()
    """The values that get their variables while the operands are evaluated."""

    @property
    def name(self) -> str:
        return self.kind


Item: TypeAlias = Operation | FusedItem


# -- targets and statements


@dataclass(slots=True, frozen=True)
class Variable:
    value: Value


@dataclass(slots=True, frozen=True)
class Place:
    """An attribute, item, cell or global that is assigned; `kids` are the object and index."""

    op: Operation
    kids: tuple[Expression, ...]


@dataclass(slots=True, frozen=True)
class TupleTarget:
    items: tuple[Target, ...]
    star: int = -1


Target: TypeAlias = "Variable | Place | TupleTarget"


@dataclass(slots=True)
class Assign:
    """`targets[0] = targets[1] = value`."""

    targets: tuple[Target, ...]
    value: Expression
    span: Span | None = None


@dataclass(slots=True)
class Move:
    """Parallel copy of variables: `targets` receive `sources` at once."""

    targets: tuple[Value, ...]
    sources: tuple[Expression, ...]
    span: Span | None = None


@dataclass(slots=True)
class AugStore:
    """`place op= value` of an attribute or item; `place` is the load."""

    place: Node
    name: str
    value: Expression
    span: Span | None = None


@dataclass(slots=True)
class Effect:
    """An expression for its effect, or an operation without result (delete, store ...)."""

    value: Expression
    span: Span | None = None


@dataclass(slots=True)
class Delete:
    op: Operation
    kids: tuple[Expression, ...]
    span: Span | None = None


@dataclass(slots=True)
class FromImport:
    """`from module import names`: (name, target) pairs."""

    op: Operation
    names: tuple[tuple[str, Target], ...]
    span: Span | None = None


@dataclass(slots=True)
class Return:
    value: Expression
    span: Span | None = None


@dataclass(slots=True)
class Raise:
    """kind "raise" or "reraise"."""

    kind: str
    kids: tuple[Expression, ...]
    span: Span | None = None


Statement: TypeAlias = Assign | Move | AugStore | Effect | Delete | FromImport | Return | Raise


def named(expression: Expression) -> Iterator[Value]:
    """The values that get their variables while an expression is evaluated."""
    work: list[Expression] = [expression]
    while work:
        item = work.pop()
        if isinstance(item, Node):
            work.extend(item.kids)
        elif isinstance(item, Fused):
            if item.kind == "named":
                assert isinstance(item.data, int)
                yield item.data
            if isinstance(item.data, Comprehension):
                work.extend(_inside(item.data))
            work.extend(item.kids)


def named_within(comprehension: Comprehension) -> Iterator[Value]:
    """The values that get their variables in a comprehension."""
    for tree in _inside(comprehension):
        yield from named(tree)


def refs(expression: Expression) -> Iterator[Value]:
    """The values that an expression reads from variables, in order of evaluation, repeated where repeated."""
    work: list[object] = [expression]
    while work:
        item = work.pop()
        if isinstance(item, Ref):
            yield item.value
        elif isinstance(item, Node):
            work.extend(reversed(item.kids))
        elif isinstance(item, Fused):
            if isinstance(item.data, Comprehension):
                work.extend(_inside(item.data))
            work.extend(reversed(item.kids))


def _inside(comprehension: Comprehension) -> Iterator[Expression]:
    for clause in comprehension.clauses:
        if clause.iterable is not None:
            yield clause.iterable
        yield from clause.conditions
        yield from target_reads(clause.target)
    yield from comprehension.elements


def comprehensions(expression: Expression) -> Iterator[Comprehension]:
    """All comprehensions in an expression, outer ones first."""
    work: list[Expression] = [expression]
    while work:
        item = work.pop()
        if isinstance(item, (Node, Fused)):
            if isinstance(item, Fused) and isinstance(item.data, Comprehension):
                yield item.data
                work.extend(_inside(item.data))
            work.extend(item.kids)


def target_values(target: Target) -> Iterator[Value]:
    """The values that assigning to `target` defines."""
    if isinstance(target, Variable):
        yield target.value
    elif isinstance(target, TupleTarget):
        for item in target.items:
            yield from target_values(item)


def target_reads(target: Target) -> Iterator[Expression]:
    """The expressions that assigning to `target` evaluates."""
    if isinstance(target, Place):
        yield from target.kids
    elif isinstance(target, TupleTarget):
        for item in target.items:
            yield from target_reads(item)


def expressions(statement: object) -> Iterator[Expression]:
    """The expressions of a statement in order of evaluation."""
    if isinstance(statement, Assign):
        yield statement.value
        for target in statement.targets:
            yield from target_reads(target)
    elif isinstance(statement, Move):
        yield from statement.sources
    elif isinstance(statement, AugStore):
        yield statement.place
        yield statement.value
    elif isinstance(statement, (Effect, Return)):
        yield statement.value
    elif isinstance(statement, (Delete, Raise)):
        yield from statement.kids
    elif isinstance(statement, FromImport):
        for _, target in statement.names:
            yield from target_reads(target)


def assigned(statement: object) -> Iterator[Value]:
    """The values that a statement assigns when its expressions have been evaluated."""
    if isinstance(statement, Assign):
        for target in statement.targets:
            yield from target_values(target)
    elif isinstance(statement, Move):
        yield from statement.targets
    elif isinstance(statement, FromImport):
        for _, target in statement.names:
            yield from target_values(target)


def depth_of(kids: tuple[Expression, ...]) -> int:
    return 1 + max((kid.depth for kid in kids if isinstance(kid, (Node, Fused))), default=0)


MATCHES: Final = frozenset({"match_sequence", "match_mapping", "match_class"})
"""Tests that are no expressions in Python: a match statement makes them."""


def unprintable(tree: Expression) -> bool:
    """Does the tree hold a test that only a match statement can make?"""
    work: list[Expression] = [tree]
    while work:
        item = work.pop()
        if isinstance(item, Node):
            if item.op.name in MATCHES:
                return True
            work.extend(item.kids)
        elif isinstance(item, Fused):
            work.extend(item.kids)
    return False


def renamed(tree: Expression, value: Callable[[Value], Value]) -> Expression:
    """The tree with every value replaced."""
    if isinstance(tree, Ref):
        other = value(tree.value)
        return tree if other == tree.value else Ref(other)
    if isinstance(tree, Node):
        args = tuple([value(arg) for arg in tree.op.args])
        op = tree.op if args == tree.op.args else tree.op._replace(args=args)
        return Node(op, tuple([renamed(kid, value) for kid in tree.kids]), tree.depth)
    if isinstance(tree, Fused):
        data = tree.data
        if isinstance(data, Comprehension):
            data = renamed_comprehension(data, value)
        elif tree.kind == "named":
            assert isinstance(data, int)
            data = value(data)
        return Fused(tree.kind, tuple([renamed(kid, value) for kid in tree.kids]), data, tree.depth)
    return tree


def renamed_comprehension(found: Comprehension, value: Callable[[Value], Value]) -> Comprehension:
    clauses = [
        Clause(
            _renamed_target(clause.target, value),
            None if clause.iterable is None else renamed(clause.iterable, value),
            [renamed(condition, value) for condition in clause.conditions],
        )
        for clause in found.clauses
    ]
    return Comprehension(clauses, tuple([renamed(element, value) for element in found.elements]))


def _renamed_target(target: Target, value: Callable[[Value], Value]) -> Target:
    if isinstance(target, TupleTarget):
        return TupleTarget(tuple([_renamed_target(item, value) for item in target.items]), target.star)
    if isinstance(target, Place):
        op = target.op._replace(args=tuple([value(arg) for arg in target.op.args]))
        return Place(op, tuple([renamed(kid, value) for kid in target.kids]))
    return Variable(value(target.value))
