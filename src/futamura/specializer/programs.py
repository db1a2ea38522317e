"""Direct calls between the functions of one program, and what a residual program's blocks come from.

    invoke[find] Known "ann", Dynamic l     unfold: find's body continues here, as long as control stays static
                                            keep:   a call of the residual function `find_1`, as in the notes

Invariant: a call whose arguments are all known is unfolded in both styles; what does not end stays a call.
"""

from __future__ import annotations

from dataclasses import dataclass

from futamura.ir.graph import Operation
from futamura.specializer.calls import push_function
from futamura.specializer.machine import Machine
from futamura.specializer.recursion import call_unit
from futamura.specializer.residual import ResidualBlock, Version
from futamura.specializer.rules import rule
from futamura.specializer.state import Frame
from futamura.specializer.values import Dynamic, Known

__all__ = ["Point", "invoke", "name_values", "point_of"]


@dataclass(frozen=True, slots=True)
class Point:
    """Where a block of a residual program comes from: the code cache of the classical specializers, by rows.

    `store` has the variables whose values were known, by name, in order; it is None for a block that is no
    specialization point but the arm of a branch.  `number` is the order in which the points were found.
    """

    function: str
    block: int
    source_function: str
    source_block: int
    store: tuple[tuple[str, object], ...] | None
    number: int


def point_of(function: str, number: int, block: ResidualBlock, version: Version | None) -> Point | None:
    """The row of one residual block; None if nothing is known of it."""
    if version is None:
        if block.origin is None:
            return None
        facts, source = block.origin
        return Point(function, number, facts.function.name, source, None, -1)
    state = version.state
    top = state.top
    store = []
    for value in sorted(top.env):
        content = state.resolve(top.env[value])
        name = top.facts.function.hints[value] if value >= 0 else None
        if type(content) is Known and name is not None:
            store.append((name, content.value))
    return Point(function, number, top.facts.function.name, top.block, tuple(store), version.uid)


@rule("invoke")
def invoke(m: Machine, frame: Frame, op: Operation) -> None:
    assert isinstance(op.attr, str)
    facts = m.nested(frame.facts, op.attr)
    values = [m.get(frame, arg) for arg in op.args]
    known = all(type(value) is Known for value in values)
    if (known or m.style.calls == "unfold") and push_function(m, frame, op, facts, values):
        return
    result = call_unit(m, frame, op, facts, values, None)
    if result is None:
        return
    for value in op.results:
        frame.env[value] = result


def name_values(version: Version, hints: list[str | None]) -> None:
    """Give each dynamic value of a version the name of the variable that holds it, if it has none."""
    for frame in version.state.frames:
        names = frame.facts.function.hints
        for value, content in frame.env.items():
            if type(content) is Dynamic and value >= 0 and hints[content.rv] is None:
                hints[content.rv] = names[value]
