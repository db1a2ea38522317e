"""What classes and annotations say about themselves: `dataclasses`, `typing`, enumerations.

dataclasses.fields(Point)          ->    the fields, static
typing.get_type_hints(Point)       ->    a virtual dict
typing.get_origin(list[Point])     ->    list
Color("red"), Color["RED"]         ->    the member

Invariant: only what classes store is read: no annotation is evaluated that could run code of the program, and what was
read is recorded as an assumption.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Iterable
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.abstract import instance_of, is_abstract
from futamura.specializer.annotations import Annotations, described, is_class, plain_class
from futamura.specializer.flags import combined_by_value, parts_of_flag
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS, MODELS, Keywords, known_classes
from futamura.specializer.plainness import keeps_members
from futamura.specializer.purity import MISSING, class_lookup, deep
from futamura.specializer.refinement import plain_check
from futamura.specializer.rules import SPECIAL, exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject
from futamura.specializer.wholes import WHOLES

__all__ = ["is_dunder", "is_plain_enum", "member_by_value", "members", "origin_of"]


def is_dunder(name: str) -> bool:
    """Is this a name that Python itself gives a meaning to?"""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def origin_of(value: object, name: str) -> object:
    """Whom an annotation asks for an attribute that it has not itself: a class, or an annotation; MISSING if nobody,
    None if that is not known."""
    if name in _OF_ALIASES or not described(value):
        return None
    if type(value) is types.GenericAlias:
        return value.__origin__
    if type(value) in (types.UnionType, type(typing.Optional)):
        return MISSING
    if class_lookup(type(value), "__getattr__") not in _ASKING_ORIGIN:
        return None
    own = vars(value)
    if name in own:
        return None
    return MISSING if is_dunder(name) else own.get("__origin__")


_OF_ALIASES: Final = frozenset(
    {"__args__", "__class__", "__dict__", "__doc__", "__module__", "__name__", "__origin__", "__parameters__"}
    | {"__qualname__"}
)
_ASKING_ORIGIN: Final = tuple(
    class_lookup(type(form), "__getattr__")
    for form in (typing.List[int], typing.Annotated[int, ""])  # noqa: UP006
)


def _one(args: list[AbstractValue], keywords: Keywords) -> object:
    """The one positional argument, if it is known."""
    return args[0].value if len(args) == 1 and not keywords and type(args[0]) is Known else MISSING


def _origin(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    value = _one(args, keywords)
    return Known(typing.get_origin(value)) if value is not MISSING and described(value) else None


def _arguments(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`typing.get_args`: that of a Callable has a list in it, a new one each time."""
    value = _one(args, keywords)
    if value is MISSING or not described(value):
        return None
    found = typing.get_args(value)
    if not found or type(found[0]) is not list or found[0] is value.__args__[0]:  # type: ignore[attr-defined]
        return Known(found)
    taken = m.virtual(VObject("list", list, tuple(map(Known, found[0])), site=(site(frame), "parameters")))
    return m.virtual(VObject("tuple", tuple, (taken, *map(Known, found[1:])), site=site(frame)))


def _is_dataclass(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    value = _one(args, keywords)
    if value is not MISSING and described(value) and not is_class(value):
        return Known(dataclasses.is_dataclass(value))
    cls = value if is_class(value) else exact_type(m, args[0]) if len(args) == 1 and not keywords else None
    if not is_class(cls) or not plain_class(cls):
        return None
    found = class_lookup(cls, "__dataclass_fields__")
    m.assume_attribute(cls, "__dataclass_fields__", found)
    return Known(found is not MISSING)


def _fields(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    value = _one(args, keywords)
    cls = value if is_class(value) else exact_type(m, args[0]) if len(args) == 1 and not keywords else None
    if not is_class(cls) or not plain_class(cls):
        return None
    found = class_lookup(cls, "__dataclass_fields__")
    if type(found) is not dict:
        return None
    m.assume_attribute(cls, "__dataclass_fields__", found)
    described = dataclasses.fields(cls)
    for field in described:
        m.world.freeze(field)
    return Known(described)


def _type_hints(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """Of a class, with what is around it as its names."""
    cls, given = _one(args, []), dict(keywords)
    extras = given.pop("include_extras", Known(False))
    if type(extras) is not Known or type(extras.value) is not bool or given:
        return None
    if not is_class(cls) or not plain_class(cls):
        return None
    if not all(Annotations(m, base).evaluable() for base in cls.__mro__):
        return None
    try:
        hints = typing.get_type_hints(cls, include_extras=extras.value)
    except Exception:
        return None
    items = tuple(Known(value) for value in hints.values())
    return m.virtual(VObject("dict", dict, items, tuple(hints), site(frame)))


def _issubclass(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """Of known classes where their bases decide, or what is registered with abstract ones."""
    kind = args[0].value if len(args) == 2 and type(args[0]) is Known else None
    wanted = known_classes(m, args[1]) if kind is not None and not keywords else None
    if wanted is None or not is_class(kind) or not plain_class(kind):
        return None
    if not all(plain_check(cls) or is_abstract(cls) for cls in wanted):
        return None
    found = instance_of(m, kind, wanted)
    return None if found is None else Known(found)


def _cast(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`cast(type, value)` is the value."""
    given = dict(keywords)
    if len(args) + len(given) != 2 or not given.keys() <= {"typ", "val"} or (len(args) == 1 and "typ" in given):
        return None
    return args[1] if len(args) == 2 else given["val"]


KEYWORD_MODELS[issubclass] = _issubclass
KEYWORD_MODELS[dataclasses.is_dataclass] = _is_dataclass
KEYWORD_MODELS[dataclasses.fields] = _fields
KEYWORD_MODELS[typing.cast] = _cast
KEYWORD_MODELS[typing.get_type_hints] = _type_hints
KEYWORD_MODELS[typing.get_origin] = _origin
KEYWORD_MODELS[typing.get_args] = _arguments


# -- enumerations


def is_plain_enum(cls: object) -> bool:
    """An enumeration whose look-ups do what `enum` does."""
    return type(cls) is enum.EnumMeta


def member_by_value(m: Machine, cls: type, args: list[AbstractValue]) -> AbstractValue | None:
    """`Color(value)` of a value that a member has, or of a member."""
    value = _one(args, [])
    if type(value) is cls and keeps_members(cls):
        m.assume_attribute(cls, "__new__", class_lookup(cls, "__new__"))
        return args[0]
    table = cls.__dict__.get("_value2member_map_")
    if value is MISSING or not deep(value) or type(table) is not dict:
        return None
    if not keeps_members(cls):
        return None
    try:
        member = table.get(value, MISSING)
    except TypeError:
        return None
    made = combined_by_value(m, cls, value) if member is MISSING else Known(member)
    if made is not None:
        m.assume_attribute(cls, "_value2member_map_", table)
        m.validate(args[0])
    return made


def _member_by_name(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    target, key = args
    if type(target) is not Known or type(key) is not Known or type(key.value) is not str:
        return None
    if not is_plain_enum(target.value):
        return None
    assert isinstance(target.value, type)
    member = target.value.__dict__["_member_map_"].get(key.value, MISSING)
    if member is MISSING:
        return None
    m.validate(key)
    return Known(member)


def members(m: Machine, value: object) -> Iterable[object] | None:
    """What iterating over an enumeration gives, or over a combination of flags."""
    if not is_plain_enum(value):
        return parts_of_flag(m, value)
    assert isinstance(value, type)
    return tuple(value.__dict__["_member_map_"][name] for name in value.__dict__["_member_names_"])


def _of_members(function: type) -> None:
    """`list` and `tuple` of an enumeration, or of a combination of flags."""
    model = MODELS[function]

    def listed(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
        found = members(m, args[0].value) if len(args) == 1 and type(args[0]) is Known else None
        return model(m, frame, op, args if found is None else [Known(found)])

    MODELS[function] = listed


WHOLES.append(members)
_of_members(list)
_of_members(tuple)
SPECIAL.setdefault("getitem", []).append(_member_by_name)
