"""Attributes with computed names that begin with a known text: the code goes on for each attribute that may be meant.

    getattr(self, "do_" + command)      self known     j = {'do_push': 0, 'do_pop': 1}.get(name, 2)
                                        name open      if j == 0: ... the body of `do_push`
                                                       elif j == 1: ... the body of `do_pop`
                                                       else: ... getattr(self, name)

Invariant: a name that is none of these, and what is no exact text, is looked up as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any, Final, TypeAlias

from futamura.ir.graph import Operation
from futamura.runtime import nothing
from futamura.specializer import by_name, library
from futamura.specializer.calls import enter
from futamura.specializer.choosing import MOST
from futamura.specializer.handing_over import hand_over
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS
from futamura.specializer.purity import MISSING, class_lookup, own_attributes, plain_reads
from futamura.specializer.rules import exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, VObject

__all__ = ["enter_by_name"]

_Keywords: TypeAlias = "list[tuple[str, AbstractValue]]"
_SHORTEST: Final = 2
"""So long is a text that tells methods of one kind from others."""


def enter_by_name(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    """`getattr(object, name)` or `getattr(object, name, default)`, in one way for each that may be meant, if
    anything is known of the object."""
    target, name = args[0], args[1]
    cls = exact_type(m, target)
    if type(name) is not Dynamic or type(target) is Dynamic or cls is None or not op.results:
        return False
    if library.is_own(frame.facts.namespace) or exact_type(m, name) not in (str, None) or not _is_plain(cls):
        return False
    if type(target) is Known and m.world.gave_up(target.value):
        return False
    own: Mapping[Any, object] | None = own_attributes(target.value) if type(target) is Known else None
    found = _attributes(cls, _beginning(m, name), own or {})
    names = [name for name, held in found.items() if _is_given(held)]
    if not 1 <= len(names) <= MOST or not any(type(held) is FunctionType for held in found.values()):
        return False
    if len(args) == 2:
        table = m.virtual(VObject("dict", dict, tuple(map(Known, names)), tuple(names), site(frame)))
        return enter(m, frame, op, by_name.attribute_named, [target, name, table])
    if type(target) is not Known or len(found) > MOST:
        return False
    likely = tuple([Known(name if _is_given(held) else "") for name, held in found.items()])
    table = m.virtual(VObject("dict", dict, likely, tuple(found), site(frame)))
    is_none = type(args[2]) is Known and args[2].value is None
    missing = NONE if is_none else Known(nothing)
    return enter(m, frame, op, by_name.attribute_named_or, [target, name, table, args[2], missing])


def _is_plain(cls: type) -> bool:
    """Is nothing but the dicts of its objects, of the class and of its bases asked for an attribute?"""
    return type(cls) is type and plain_reads(cls)


def _seldom(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: _Keywords) -> AbstractValue:
    m.block.unlikely = True
    return NONE


def _look_up(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: _Keywords) -> AbstractValue:
    return m.emit("call", (Known(getattr), *args))


def _shown(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: _Keywords) -> AbstractValue:
    m.block.unlikely = True
    hand_over(m, [args[1]])
    return args[0]


KEYWORD_MODELS[by_name.seldom] = _seldom
KEYWORD_MODELS[by_name.looked_up] = _look_up
KEYWORD_MODELS[by_name.shown] = _shown


def _beginning(m: Machine, name: Dynamic) -> str:
    """What a text begins with, as far as it is known."""
    made = m.origins.get(m.renames.get(name.rv, name.rv))
    if made is None or made.name not in ("add", "string", "mod") or not made.args:
        return ""
    first = m.held.get(made.args[0], "")
    assert isinstance(first, str)
    return first.partition("%")[0] if made.name == "mod" else first


def _attributes(cls: type, beginning: str, own: Mapping[Any, object]) -> dict[str, object]:
    """The attributes of a class, and of an object with these of its own, whose names begin so, with what the class has
    under them."""
    if len(beginning) < _SHORTEST:
        return {}
    spaces: list[Mapping[Any, object]] = [vars(type)["__dict__"].__get__(base) for base in cls.__mro__]
    every = [name for space in (*spaces, own) for name in space if type(name) is str]
    return {name: class_lookup(cls, name) for name in every if name.startswith(beginning)}


def _is_given(held: object) -> bool:
    """Does reading this attribute of a class run no code of the program?"""
    return type(held) in (FunctionType, staticmethod, classmethod) or class_lookup(type(held), "__get__") is MISSING
