"""Class statements inside specialized code: the residual function executes them as the original does.

    def f(n, x):                       f(n = 3)
        class C:                ->     def f(x):
            y = n + x                      n = 3
        return C                           class C: ...

The statement is opaque: the variables that it mentions are real ones under their own names.  A function that is inlined
and has one is called instead, as a residual function, for the class belongs to one call and has its name from there.

Invariant: whatever the statement can reach may have been changed by it.
"""

from __future__ import annotations

from futamura.ir.graph import ClassAttr, Operation
from futamura.specializer.functions import make_real
from futamura.specializer.machine import Machine, Restart, Unsupported
from futamura.specializer.rules import rule
from futamura.specializer.state import Frame
from futamura.specializer.values import Known
from futamura.specializer.variables import own_cell

__all__: list[str] = []


@rule("class")
def make_class(m: Machine, frame: Frame, op: Operation) -> None:
    assert isinstance(op.attr, ClassAttr)
    if frame.facts.namespace is not m.home:
        raise Unsupported("a class statement in code of another module", op.span)
    if frame.chain:
        if ("unit", frame.facts.uid) in m.refused:
            raise Unsupported("a class statement in a function that is inlined", op.span)
        m.refused.add(("unit", frame.facts.uid))
        raise Restart("a function with a class statement is not inlined")
    cells = []
    for arg in op.args:
        cell = m.get(frame, arg)
        held = m.state.object(cell)
        if held is not None:
            make_real(m, held)
        if type(cell) is Known:
            cell = own_cell(m, cell.value)
        cells.append(cell)
    m.set(frame, op, m.emit("class", cells, op.attr))
