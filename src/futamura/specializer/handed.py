"""What code that cannot be seen gets hold of when it is handed a function: not what the function only reads.

    rows.sort(key=lambda row: row[self.order])      `sort` calls the lambda, and that reads `self.order`, a text

Invariant: who is not handed an object cannot change it: from what is read of it no way leads back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CellType, MemberDescriptorType

from futamura.ir.attributes import FunctionAttr
from futamura.ir.graph import Value
from futamura.ir.liveness import end_uses
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.purity import MISSING, class_lookup, deep, is_data, own_attribute, plain_reads
from futamura.specializer.state import State
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["handed", "only_reads_fields"]

Nested = Callable[[FunctionFacts, str], FunctionFacts]


def handed(
    state: State, value: AbstractValue, nested: Nested, own: Sequence[CellType]
) -> Iterator[AbstractValue]:
    """All values that code gets hold of which is handed `value`, each virtual object once.  `own` are the closure cells
    of the function that is specialized: of other ones a function that is made gets what they hold, in new cells."""
    def parts(entry: VObject) -> Iterable[AbstractValue]:
        if entry.kind != "function":
            return entry.items
        return [item for item in _handed_by(state, entry, nested) if not _is_foreign(item, own)]

    return state.leaves(value, parts=parts)


def _is_foreign(item: AbstractValue, own: Sequence[CellType]) -> bool:
    return type(item) is Known and type(item.value) is CellType and all(item.value is not cell for cell in own)


def _handed_by(state: State, function: VObject, nested: Nested) -> list[AbstractValue]:
    """The operands of a function, without the cells of static objects of which it only reads plain values."""
    assert isinstance(function.extra, tuple)
    maker, attr = function.extra
    assert isinstance(maker, FunctionFacts) and isinstance(attr, FunctionAttr)
    held = [state.object(item) for item in function.items]
    static = [cell is not None and cell.kind == "cell" and _static(state, cell) is not None for cell in held]
    if not any(static):
        return [*function.items]
    facts = nested(maker, attr.name)
    count = len(facts.function.free)
    cells = facts.function.entry.params[len(facts.function.entry.params) - count :]
    kept = []
    for at, (item, cell) in enumerate(zip(function.items, held)):
        place = at - (len(function.items) - count)
        known = _static(state, cell) if cell is not None and static[at] and place >= 0 else None
        if known is None or not only_reads_fields(facts, cells[place], known.value):
            kept.append(item)
    return kept


def _static(state: State, cell: VObject) -> Known | None:
    """The static object that a cell holds."""
    content = state.resolve(cell.items[0]) if cell.kind == "cell" and cell.items else None
    return content if type(content) is Known else None


def only_reads_fields(facts: FunctionFacts, cell: Value, held: object) -> bool:
    """Does a function nothing with what this cell holds but read attributes whose values lead nowhere?"""
    names = {cell}
    objects: set[Value] = set()
    for block in facts.function.blocks:
        for op in block.ops:
            if op.name == "cell_get" and op.args[0] in names:
                objects.update(op.results)
    for block in facts.function.blocks:
        for op in block.ops:
            touched = [arg for arg in op.args if arg in names or arg in objects]
            if not touched or (op.name == "cell_get" and op.args[0] in names):
                continue
            if op.name != "getattr" or op.args[0] not in objects or not _is_plain(held, str(op.attr)):
                return False
        passed = {*end_uses(block.terminator), *(block.handler.args if block.handler is not None else ())}
        if passed & (names | objects):
            return False
    return True


def _is_plain(held: object, name: str) -> bool:
    """Is this a plain value that the object itself has under `name`, read by the default rules?"""
    cls = type(held)
    found = class_lookup(cls, name)
    slot = type(found) is MemberDescriptorType
    if not plain_reads(cls) or (found is not MISSING and is_data(found) and not slot):
        return False
    value = own_attribute(held, name)
    return value is not MISSING and deep(value)
