"""Variables of the residual program: which values must be variables, what they may be called, and those of closures
that existed before.

    cell_get v3     v3 = cell[x]          ->  the variable x
    cell_get v3     v3 a parameter        ->  two ways made one each and met: no variable can be both
    cell_get        a cell of the target  ->  its content, as an assumption, unless visible code assigns the variable
    cell_get        a cell of a callee    ->  the same, or the attribute `cell_contents`

Invariant: a variable that may be unbound keeps its name and scope, which the error of who reads it tells.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from types import CellType
from typing import Final

from futamura.analysis.building import is_built_once
from futamura.analysis.sharing import is_deleted, is_reassigned
from futamura.ir.graph import ClassAttr, Operation
from futamura.specializer.assembly import Assembly, operations
from futamura.specializer.assumption import Assumption
from futamura.specializer.definitions import Closure
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.purity import is_mutable
from futamura.specializer.residual import ResidualBlock, ResidualOperation
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known

__all__ = ["content_of", "is_own", "own_cell", "read_variable", "require_variables", "write_variable"]

_FILLED: Final = (list, dict, set)
_CELL_OF: Final = {"cell_get": 0, "cell_del": 0, "cell_set": 1}


def content_of(m: Machine, facts: FunctionFacts, cell: object, name: object) -> Known | None:
    """The content of a variable of a closure that nobody assigns, as an assumption; `facts` has it."""
    if not m.world.assumes or type(cell) is not CellType:
        return None
    if _may(is_reassigned, facts, name) or not m.world.contents_of_cell(cell):
        return None
    try:
        content = cell.cell_contents
    except ValueError:
        return None
    m.world.assume(Assumption("cell", str(name), cell, "cell_contents", content))
    if type(content) in _FILLED and all(map(_is_fixed, gc.get_referents(content))) and _may(is_built_once, facts, name):
        m.world.look_at(facts.namespace)
        m.world.freeze_constant(content)
    m.world.found_in_cell(cell, content)
    return Known(content)


def _is_fixed(value: object) -> bool:
    """Is there nothing in the value that somebody could change?"""
    if type(value) in (tuple, frozenset):
        return all(map(_is_fixed, gc.get_referents(value)))
    return not is_mutable(value)


def _may(question: Callable[[str, int, str], bool], facts: FunctionFacts, name: object) -> bool:
    """What the source says of the variable."""
    function = facts.function
    return question(function.file, function.span.line if function.span is not None else 0, str(name))


def _name_of(op: Operation) -> object:
    return op.attr[0] if type(op.attr) is tuple else "__class__"


def read_variable(m: Machine, frame: Frame, cell: Known, op: Operation, hint: str | None) -> AbstractValue:
    """The content of a variable of a closure that existed before."""
    content = content_of(m, frame.facts, cell.value, _name_of(op))
    if content is not None:
        return content
    if is_own(m, cell.value):
        return m.emit("cell_get", (own_cell(m, cell.value),), op.attr, hint=hint)
    if _may(is_deleted, frame.facts, _name_of(op)) or not gc.get_referents(cell.value):
        raise Unsupported("a variable of a closure that exists already may be unbound", op.span)
    return m.emit("getattr", (cell,), "cell_contents", hint=hint)


def write_variable(m: Machine, cell: AbstractValue, value: AbstractValue, op: Operation) -> None:
    """Assign a variable that is real."""
    if type(cell) is not Known:
        m.emit("cell_set", (value, cell), op.attr, results=0, raises=False)
    elif is_own(m, cell.value):
        m.emit("cell_set", (value, own_cell(m, cell.value)), op.attr, results=0, raises=False)
    else:
        m.emit("setattr", (value, cell), "cell_contents", results=0, raises=False)


def is_own(m: Machine, cell: object) -> bool:
    """Is it a closure cell of the function that is specialized?"""
    return any(own is cell for own in m.own_cells)


def own_cell(m: Machine, cell: object) -> Dynamic:
    """A closure cell of the function that is specialized: the residual function has it too."""
    place = next((at for at, own in enumerate(m.own_cells) if own is cell), None)
    if place is None:
        raise Unsupported("a function captures a variable of a closure that exists already", m.span)
    if place not in m.free:
        m.free[place] = m.residual_value(m.own_names[place])
    return Dynamic(m.free[place])


def _cells_of(op: ResidualOperation) -> Sequence[int]:
    """The operands that must be variables."""
    if isinstance(op.attr, Closure):
        cells = op.args[len(op.args) - len(op.attr.fresh) :] if op.attr.fresh else ()
        return [cell for cell, fresh in zip(cells, op.attr.fresh) if fresh is None]
    if isinstance(op.attr, ClassAttr):
        return op.args
    at = _CELL_OF.get(op.name)
    return () if at is None else (op.args[at],)


def require_variables(assembly: Assembly, replaced: dict[int, int]) -> None:
    """A variable that is bound on some ways only has no place of its own: each way made one, and they met."""
    found = [op for block in assembly.blocks for op in operations(assembly, block)]
    made = {result for op in found if op.name in ("cell", "const") for result in op.results}
    made.update(assembly.free)
    for op in found:
        for cell in _cells_of(op):
            if replaced.get(cell, cell) not in made:
                raise Unsupported("a variable is bound on some ways only", op.span, op.where)
    _require_names(assembly, found, replaced)


def _require_names(assembly: Assembly, found: list[ResidualOperation], replaced: dict[int, int]) -> None:
    cells = {op.results[0]: str(op.attr) for op in found if op.name == "cell"}
    empty = {op.results[0] for op in found if op.name == "cell" and not op.args}
    empty.update(replaced.get(op.args[0], op.args[0]) for op in found if op.name == "cell_del")
    renamed = []
    for op in found:
        if op.name == "cell_get" and replaced.get(op.args[0], op.args[0]) in empty:
            cell = replaced.get(op.args[0], op.args[0])
            same = [other for other, name in cells.items() if name == cells.get(cell)]
            assert isinstance(op.attr, tuple)
            if len(same) > 1 or op.attr[1] != "local":
                renamed.append(op)
    if not renamed:
        return
    bound = _surely_bound(assembly, empty, replaced)
    for op in renamed:
        if id(op) not in bound:
            raise Unsupported("a variable that may be unbound would get another name", op.span, op.where)


def _surely_bound(assembly: Assembly, cells: set[int], replaced: dict[int, int]) -> set[int]:
    """The reads (by identity) that an assignment comes before on every way, and no deletion after it."""
    inside = (op for function in assembly.machine.definitions.all() for op in function.operations())
    deleted = {op.attr[0] for op in inside if op.name == "cell_del" and isinstance(op.attr, tuple)}
    entry: dict[ResidualBlock, set[int]] = {assembly.blocks[0]: set()}
    bound: set[int] = set()
    work = [assembly.blocks[0]]
    while work:
        block = work.pop()
        state = set(entry[block])
        raising = set(state)
        for op in operations(assembly, block):
            if op.name != "cell" and op.name not in _CELL_OF:
                continue
            cell = op.results[0] if op.name == "cell" else op.args[_CELL_OF[op.name]]
            cell = replaced.get(cell, cell)
            if op.name == "cell_get":
                named = isinstance(op.attr, tuple) and op.attr[0] in deleted
                (bound.add if cell in state and not named else bound.discard)(id(op))
            elif cell in cells:
                (state.add if op.name == "cell_set" or (op.name == "cell" and op.args) else state.discard)(cell)
                raising &= state
        number = assembly.numbers[block]
        ways = [(target, state) for (source, _), (target, _) in assembly.edges.items() if source == number]
        if number in assembly.handlers:
            ways.append((assembly.handlers[number][0], raising))
        for target, left in ways:
            known = entry.get(target)
            met = left if known is None else known & left
            if met != known:
                entry[target] = set(met)
                work.append(target)
    return bound
