"""Functions of the source that stay functions of the residual, because copies of them would fold next to nothing.

    power(s, t)          normalize(...) at thirty places, all of it open: thirty copies of its hundred lines
        ->               def normalize(...): ...    one residual function, and thirty calls

While a residual is short, each call is unfolded: that costs nothing to read, and whatever is known is used.  A residual
that gets long although little folds starts again, and what is called with nothing but open values, plain constants
and what the caller was given itself (`self`) is a residual function from then on.

Invariant: whether a call is unfolded depends on what was specialized before it, never on time or addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from futamura.specializer.facts import FunctionFacts
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.marks import unfolds as is_marked_inline
from futamura.specializer.residual import blocks_of
from futamura.specializer.state import GENERAL, Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known

__all__ = ["is_plain_constant", "stays_separate", "unfolds_again"]

_SEPARATE: Final = ("separate", 0)
"""Refused in a specialization: that all calls are unfolded."""
_UNFOLDED: Final = ("unfolded", 0)
"""Refused in a specialization: that calls are not, because they would fail as residual functions."""
_DEEPER: Final = 10
"""A recursion under known control is unfolded until the residual is so many times longer than long."""
_SMALL: Final = 12
"""Functions of so many operations are shorter than what it takes to call them, or nearly."""
_PLAIN_CONSTANTS: Final = frozenset({int, float, bool, str, bytes, type(None)})


def is_plain_constant(value: AbstractValue) -> bool:
    """Does this argument bring nothing that a callee could be specialized on, but a number or a string?"""
    return type(value) is Dynamic or (type(value) is Known and type(value.value) in _PLAIN_CONSTANTS)


def stays_separate(m: Machine, frame: Frame, facts: FunctionFacts, values: Sequence[AbstractValue]) -> bool:
    """Is this a call of a residual function, although nothing keeps it from being unfolded?"""
    behind = m.state.general == GENERAL  # little folds where a test has failed, and that way is seldom taken
    if (not behind and _SEPARATE not in m.refused and not _is_long(m)) or _UNFOLDED in m.refused:
        return False
    on_stack = [active for active in m.state.frames if active.facts is facts]
    if m.emitted < _DEEPER * m.budget.long and on_stack and not any(active.dynamic for active in on_stack):
        return False
    if facts.size <= _SMALL or is_marked_inline(m, facts):
        return False
    arguments = values[: len(facts.function.signature.names)]
    if not all(is_plain_constant(value) or _was_given(frame, value) for value in arguments):
        return False
    if behind:
        return True
    if _SEPARATE not in m.refused:
        m.refused.add(_SEPARATE)
        raise Restart("it gets long although little folds", whole=True)
    m.event("FT407", f"{facts.function.qualname} is a function of its own: the residual gets long, and little folds")
    return True


def unfolds_again(m: Machine) -> bool:
    """Something failed: are there residual functions only because the residual is long?  Then they are no more."""
    if not m.refused.has(_SEPARATE) or m.refused.has(_UNFOLDED):
        return False
    m.refused.add(_UNFOLDED)
    return True


def _is_long(m: Machine) -> bool:
    """Is the residual so far long, and did less fold in it than there is left?"""
    emitted = m.emitted - m.besides
    if emitted < max(m.looked, m.budget.long, m.folded):
        return False
    m.looked = emitted + m.budget.long // 2
    versions = [version for version in m.versions.unit.table.values() if version.state.general != GENERAL]
    return sum([len(block.ops) for version in versions for block in blocks_of(version)]) > m.budget.long


def _was_given(frame: Frame, value: AbstractValue) -> bool:
    """Is this what the caller itself was called with?"""
    if type(value) is not Known:
        return False
    given = [frame.env.get(param) for param in frame.facts.function.entry.params]
    return any(type(other) is Known and other.value is value.value for other in given)
