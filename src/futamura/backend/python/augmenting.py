"""Augmented assignments among the items of a node: load, operator and store of one place.

    v1 = getattr[a] x; v2 = iadd v1, y; setattr[a] v2, x         ->     x.a += y
    v1 = getitem p, q; v2 = iadd v1, y; setitem v2, p, q         ->     p[q] += y, where p and q are evaluated once

Invariant: what such an assignment shares between its load and its store is used by nothing else.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from futamura.backend.python.trees import Expression, Item, Node
from futamura.ir.constant import Constant
from futamura.ir.evaluate import INPLACE
from futamura.ir.graph import Operation, Value

__all__ = ["INPLACE_OPERATORS", "Augmented", "augmented"]

INPLACE_OPERATORS: Final = frozenset(INPLACE)


@dataclass(slots=True)
class Augmented:
    """The augmented assignments of a node."""

    places: dict[Value, Item] = field(default_factory=dict)
    """By what is stored: the stores to attributes and items."""
    updates: dict[Value, Operation] = field(default_factory=dict)
    """By what is stored: the stores to captured and global variables, where the operator stands right before."""
    shared: set[Value] = field(default_factory=set)
    """What both the load and the store of a place need, and nothing else does."""

    def updates_variable(self, item: Item, tree: Expression) -> bool:
        """Is this `x op= y` of a captured or global variable, whose store comes next?"""
        store = self.updates.get(item.results[0])
        load = tree.kids[0] if isinstance(tree, Node) else None
        if store is None or not isinstance(load, Node):
            return False
        if store.name == "cell_set":
            return load.op.name == "cell_get" and load.op.args == store.args[1:]
        return load.op.name == "global_get" and load.op.attr == store.attr


def augmented(
    items: Sequence[Item],
    uses: Counter[Value],
    local: Counter[Value],
    constants: dict[Value, Constant],
    without: set[Value],
    hinted: Callable[[Value], bool],
) -> Augmented:
    """`uses` and `local` count the uses of each value everywhere and in this node.  Operands in `without` are not
    shared; values that are `hinted` have a variable of the program."""
    makers = {result: item for item in items for result in item.results}
    found = Augmented()
    for operation, store in itertools.pairwise(items):
        if operation.name not in INPLACE_OPERATORS or not isinstance(store, Operation):
            continue
        if store.name in ("cell_set", "global_set") and store.args[0] == operation.results[0]:
            found.updates[store.args[0]] = store

    def once(value: Value) -> bool:
        """Is `value` made here for the load and the store of one augmented assignment only?"""
        if value in constants or value not in makers or hinted(value):
            return False
        return uses[value] == 2 and local[value] == 2 and len(makers[value].results) == 1

    for item in items:
        load = _load(item, makers, uses)
        if load is None or not _same_operands(load.args, item.args[1:], constants):
            continue
        shared = [arg for arg in load.args if once(arg)]
        if without.isdisjoint((*load.results, *shared)):
            found.places[item.args[0]] = item
            found.shared.update(shared)
    return found


def _load(store: Item, makers: dict[Value, Item], uses: Counter[Value]) -> Operation | None:
    """What gives the left operand of the operator whose result is stored, if it may be a load of the same place."""
    if store.name not in ("setattr", "setitem"):
        return None
    operator = makers.get(store.args[0])
    if operator is None or operator.name not in INPLACE_OPERATORS or uses[store.args[0]] != 1:
        return None
    load = makers.get(operator.args[0])
    wanted = "getattr" if store.name == "setattr" else "getitem"
    if load is None or load.name != wanted or uses[operator.args[0]] != 1:
        return None
    if not isinstance(load, Operation) or not isinstance(store, Operation) or load.attr != store.attr:
        return None
    return load


def _same_operands(left: tuple[Value, ...], right: tuple[Value, ...], constants: dict[Value, Constant]) -> bool:
    return all(
        x == y or (x in constants and y in constants and constants[x] == constants[y])
        for x, y in zip(left, right, strict=True)
    )
