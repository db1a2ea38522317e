"""Values that are computed from one other value, such that only finitely many others give the same.

    words[pc // 4]     the index is that of something finite, and so is `pc`: the code is told apart by both
    rom[pc : pc + 2]   the same, by way of the end
    link + 0           `link` itself: it is no older for having been computed with

Invariant: of the values that a source may have, finitely many give each result; the other operand does not vary with
the loops, so that a chain of such operations ends at a value which is finite if its last result is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from futamura.specializer.machine import Machine
from futamura.specializer.values import AbstractValue, Known

__all__ = ["note_source", "slice_of", "unchanged"]

_EITHER: Final = frozenset({"add", "sub", "mul", "iadd", "isub", "imul", "xor", "ixor"})
_MOST: Final = {"floordiv": 16, "ifloordiv": 16, "rshift": 4, "irshift": 4, "lshift": 64, "ilshift": 64}
"""Up to which right operand these are followed: what many values have in common is no reason to tell them apart."""

_ALONE: Final = frozenset({"neg", "pos", "invert"})


def note_source(m: Machine, name: str, made: Known, args: Sequence[AbstractValue]) -> None:
    """Remember what the int `made` was computed from, if that is one int with a provenance."""
    if not made.vid or type(made.value) is not int:
        return
    varying = [at for at, arg in enumerate(args) if m.state.age(arg)]
    if len(varying) != 1 or not all(type(arg) is Known and type(arg.value) is int for arg in args):
        return
    if not (name in _EITHER or name in _ALONE or (name in _MOST and varying == [0])):
        return
    source, *other = args[varying[0]], *(arg for at, arg in enumerate(args) if at != varying[0])
    assert type(source) is Known
    constants = [arg.value for arg in other if type(arg) is Known and isinstance(arg.value, int)]
    if name in ("mul", "imul") and 0 in constants:
        return
    if most := _MOST.get(name):
        if not all(0 < constant <= most for constant in constants):
            return
    m.derive(made, source)


def unchanged(m: Machine, made: object, args: Sequence[AbstractValue]) -> Known | None:
    """The operand with a provenance that is the int which came out, if there is one: nothing new was made."""
    if type(made) is not int:
        return None
    same = [arg for arg in args if type(arg) is Known and type(arg.value) is int and arg.value == made]
    return min((arg for arg in same if m.state.age(arg)), key=m.state.age, default=None)


def slice_of(m: Machine, parts: Sequence[AbstractValue], made: slice) -> Known:
    """A constant slice; what validates it validates the end, or the start if that alone varies."""
    varying = [part for part in parts[:2] if m.state.age(part)]
    if not varying:
        return Known(made)
    found, source = m.known(made, max(m.state.age(part) for part in varying)), varying[-1]
    assert type(source) is Known
    m.derive(found, source)
    return found
