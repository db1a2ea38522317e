"""Members of `enum.Flag` and `enum.IntFlag`: what operators make of known ones is known.

    Perm.R | Perm.W, ~Perm.R, Perm(3)         ->    the combination, which the class keeps: the same object ever after
    Perm.R in mask, bool(mask), IntPerm.R + 1 ->    True, True, 2
    x & IntPerm.R, x open                     ->    stays as it is: what `enum` does for it is not entered

Invariant: only for classes that leave all of this to `enum`; what raises there stays.  The class's table of values and
the method that was used are assumptions.
"""

from __future__ import annotations

import enum
from types import MethodType
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.models import MODELS
from futamura.specializer.plainness import keeps_members
from futamura.specializer.purity import class_lookup
from futamura.specializer.rules import SPECIAL, derived_age, exact_type
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known

__all__ = ["combined_by_value", "is_plain_flag", "parts_of_flag", "with_plain_flag"]

_LEFT_TO_ENUM: Final = (
    *(f"__{prefix}{stem}__" for prefix in ("", "r", "i") for stem in ("or", "and", "xor")),
    *("__invert__", "__contains__", "__bool__", "__len__", "__iter__", "__eq__", "__ne__", "__hash__", "__class__"),
    *("__getattr__", "__getattribute__", "__setattr__", "_missing_", "_get_value", "_numeric_repr_", "_inverted_"),
    *("_iter_member_by_value_", "_iter_member_by_def_", "_value_", "_name_"),
)
_IN_ORDER: Final = enum.Flag.__dict__["_iter_member_"]
_BY_DEFINITION: Final = enum.Flag.__dict__["_iter_member_by_def_"].__func__
_MOST_BITS: Final = 1_024
"""Of what is combined with a member."""


def is_plain_flag(cls: object) -> bool:
    """Is this a class of flags that says nothing of how they are combined?"""
    if type(cls) is not enum.EnumMeta or not issubclass(cls, enum.Flag) or cls in (enum.Flag, enum.IntFlag):
        return False
    base = enum.IntFlag if issubclass(cls, enum.IntFlag) else enum.Flag
    if cls.__dict__.get("_member_type_") is not (int if base is enum.IntFlag else object) or not keeps_members(cls):
        return False
    walks = class_lookup(cls, "_iter_member_")
    if walks is not _IN_ORDER and (type(walks) is not MethodType or walks.__func__ is not _BY_DEFINITION):
        return False
    plain = all(class_lookup(cls, name) is class_lookup(base, name) for name in _LEFT_TO_ENUM)
    return plain and type(cls.__dict__.get("_member_map_")) is dict is type(cls.__dict__.get("_value2member_map_"))


def with_plain_flag(m: Machine, args: list[AbstractValue]) -> bool:
    """Is one of the operands a plain flag, known or not?"""
    return any(is_plain_flag(exact_type(m, arg)) for arg in args)


def _members(args: list[AbstractValue]) -> tuple[type, list[object]] | None:
    """The class of the flags and the operands, if all are known: flags of one class, and ints."""
    values = [arg.value for arg in args if type(arg) is Known]
    classes = {type(value) for value in values} - {int}
    if len(values) != len(args) or len(classes) != 1:
        return None
    (cls,) = classes
    small = all(type(value) is not int or value.bit_length() <= _MOST_BITS for value in values)
    return (cls, values) if small and is_plain_flag(cls) else None


def _kept(cls: type, made: object) -> bool:
    """Is this what the class gives for its value ever after, or an int that it has thrown out?"""
    return type(made) is int or (type(made) is cls and _table(cls).get(made._value_) is made)  # type: ignore[attr-defined]


def _table(cls: type) -> dict[object, object]:
    table = cls.__dict__["_value2member_map_"]
    assert type(table) is dict
    return table


def _assume(m: Machine, cls: type, *names: str) -> None:
    for name in ("_value2member_map_", *names):
        m.assume_attribute(cls, name, class_lookup(cls, name))


def _combined(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`|`, `&`, `^` and `~`, also in place."""
    found = _members(args)
    evaluate = op.operator.evaluate
    if found is None or evaluate is None:
        return None
    cls, values = found
    try:
        made = evaluate(tuple(values), None)
    except Exception:
        return None
    if not _kept(cls, made):
        return None
    stem = op.operator.name.removeprefix("i") if op.operator.name != "invert" else "invert"
    _assume(m, cls, f"__{stem}__" if type(values[0]) is cls else f"__r{stem}__")
    return m.known(made, derived_age(m, op.operator.name, tuple(values), args))


def _contained(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    found = _members(args)
    if found is None or type(found[1][0]) is not type(found[1][1]):
        return None
    cls, (item, flags) = found
    _assume(m, cls, "__contains__")
    return Known((item in flags) is (op.operator.name != "not_in"))  # type: ignore[operator]


def _truth(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    found = _members(args)
    if found is None:
        return None
    _assume(m, found[0], "__bool__")
    return Known(bool(found[1][0]) is (op.operator.name != "not"))


def combined_by_value(m: Machine, cls: type, value: object) -> Known | None:
    """`Perm(3)` of what is no member's value."""
    if type(value) is not int or value.bit_length() > _MOST_BITS or not is_plain_flag(cls):
        return None
    try:
        made: object = cls(value)
    except Exception:
        return None
    if not _kept(cls, made):
        return None
    _assume(m, cls, "_missing_")
    return Known(made)


def parts_of_flag(m: Machine, value: object) -> tuple[object, ...] | None:
    """What iterating over a combination gives."""
    cls = type(value)
    if not is_plain_flag(cls):
        return None
    _assume(m, cls, "__iter__")
    return tuple(value)  # type: ignore[arg-type]


_model_len: Final = MODELS[len]


def _length(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    found = _members(args)
    if found is None or len(args) != 1:
        return _model_len(m, frame, op, args)
    _assume(m, found[0], "__len__")
    return Known(len(found[1][0]))  # type: ignore[arg-type]


MODELS[len] = _length
for _name in ("or", "and", "xor", "ior", "iand", "ixor", "invert"):
    SPECIAL.setdefault(_name, []).insert(0, _combined)
for _name in ("in", "not_in"):
    SPECIAL[_name].insert(0, _contained)
for _name in ("truth", "not"):
    SPECIAL[_name].insert(0, _truth)
