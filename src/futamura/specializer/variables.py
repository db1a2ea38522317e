"""Variables of the residual program: which values must be variables, and what they may be called.

    cell_get v3     v3 = cell[x]          ->  the variable x
    cell_get v3     v3 a parameter        ->  two ways made one each and met: no variable can be both

Invariant: a variable that may be unbound keeps its name and scope, which the error of who reads it tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from futamura.ir.graph import ClassAttr
from futamura.specializer.assembly import Assembly, operations
from futamura.specializer.definitions import Closure
from futamura.specializer.machine import Unsupported
from futamura.specializer.residual import ResidualOperation

__all__ = ["require_variables"]

_CELL_OF: Final = {"cell_get": 0, "cell_del": 0, "cell_set": 1}


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
                raise Unsupported("a variable is bound on some ways only", op.span)
    _require_names(found, replaced)


def _require_names(found: list[ResidualOperation], replaced: dict[int, int]) -> None:
    cells = {op.results[0]: str(op.attr) for op in found if op.name == "cell"}
    empty = {op.results[0] for op in found if op.name == "cell" and not op.args}
    empty.update(replaced.get(op.args[0], op.args[0]) for op in found if op.name == "cell_del")
    for op in found:
        if op.name == "cell_get" and replaced.get(op.args[0], op.args[0]) in empty:
            cell = replaced.get(op.args[0], op.args[0])
            same = [other for other, name in cells.items() if name == cells.get(cell)]
            assert isinstance(op.attr, tuple)
            if len(same) > 1 or op.attr[1] != "local":
                raise Unsupported("a variable that may be unbound would get another name", op.span)
