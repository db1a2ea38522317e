"""What the structurer must know to put a stretch of a function into a local function: the variables of each part.

    total += f(x)        reads total, x; writes total
    return x             must stay in its function

A part must stay if it returns, yields, waits, declares, or touches a cell: a captured variable would need a
declaration, and one that may be unbound cannot be passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from futamura.backend.python.naming import Names
from futamura.backend.python.prepare import ClauseHeader, WithHeader
from futamura.backend.python.trees import (
    Comprehension,
    Delete,
    Expression,
    Fused,
    Literal,
    Node,
    Place,
    Ref,
    Return,
    Target,
    TupleTarget,
    Variable,
    assigned,
    comprehensions,
    expressions,
    named,
    refs,
    target_reads,
    target_values,
)
from futamura.ir.attributes import ASYNC
from futamura.ir.graph import ClassAttr, FunctionAttr
from futamura.ir.ops import SUSPENDING

__all__ = ["PartNames"]

_STAY: Final = frozenset(
    {"super", "cell", "cell_get", "cell_set", "cell_del", "global_set", "global_del", *SUSPENDING}
)
_WITH: Final = frozenset({"with_enter", "with_exit", "with_unwind"})


class PartNames:
    """Called with a part of a suite: (names read, names written, must it stay)."""

    def __init__(self, names: Names, is_awaited: Callable[[str], bool]) -> None:
        """`is_awaited`: does a call of this function of the program wait?"""
        self.names: Final = names
        self._is_awaited: Final = is_awaited

    def __call__(self, part: object) -> tuple[Iterable[str], Iterable[str], bool]:
        if isinstance(part, (Ref, Literal, Node, Fused)):
            return self._reads([part]), (), self._stays(part)
        if isinstance(part, (Variable, Place, TupleTarget)):
            return self._target(part)
        if isinstance(part, ClauseHeader):
            trees = [] if part.classes is None else [part.classes]
            caught = [] if part.exception is None else [self.names.values[part.exception]]
            return self._reads(trees), caught, bool(caught) or any(self._stays(tree) for tree in trees)
        if isinstance(part, WithHeader):
            reads, writes, stay = self._target(part.target) if part.target is not None else ((), (), False)
            return [*self._reads([part.manager]), *reads], writes, stay or part.waits or self._stays(part.manager)
        trees = list(expressions(part))
        made = [*assigned(part), *(value for tree in trees for value in named(tree))]
        writes = [self.names.values[value] for value in made if value in self.names.values]
        stay = isinstance(part, (Return, Delete)) or any(self._stays(tree) for tree in trees) or _places_stay(part)
        return self._reads(trees), writes, stay or len(writes) != len(made)

    def _target(self, target: Target) -> tuple[Iterable[str], Iterable[str], bool]:
        trees = list(target_reads(target))
        writes = [self.names.values[value] for value in target_values(target)]
        return self._reads(trees), writes, _target_stays(target) or any(self._stays(tree) for tree in trees)

    def _stays(self, tree: Expression) -> bool:
        """Does something in the tree tie it to its function?"""
        work: list[Expression] = [tree]
        while work:
            item = work.pop()
            if isinstance(item, Node):
                if item.op.name in _STAY or isinstance(item.op.attr, (FunctionAttr, ClassAttr)) or self._waits(item):
                    return True
                work.extend(item.kids)
            elif isinstance(item, Fused):
                if isinstance(item.data, Comprehension):
                    return True
                work.extend(item.kids)
        return False

    def _waits(self, node: Node) -> bool:
        op = node.op
        return (op.name in _WITH and op.attr == ASYNC) or (op.name == "invoke" and self._is_awaited(str(op.attr)))

    def _reads(self, trees: Iterable[Expression]) -> list[str]:
        found: dict[str, None] = {}
        for tree in trees:
            inner = {value for comprehension in comprehensions(tree) for value in _bound(comprehension)}
            inner.update(named(tree))
            for value in refs(tree):
                if value not in inner and value in self.names.values:
                    found.setdefault(self.names.values[value])
        return list(found)


def _bound(comprehension: Comprehension) -> Iterator[int]:
    for clause in comprehension.clauses:
        yield from target_values(clause.target)


def _places_stay(part: object) -> bool:
    targets = getattr(part, "targets", ())
    return any(not isinstance(target, int) and _target_stays(target) for target in targets)


def _target_stays(target: Target) -> bool:
    if isinstance(target, TupleTarget):
        return any(_target_stays(item) for item in target.items)
    return isinstance(target, Place) and target.op.name in _STAY
