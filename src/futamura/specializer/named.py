"""Named tuples: a virtual tuple whose class has fields.

    Point(1, x).y         ->    x
    p = Point(y=x, x=1)   ->    a virtual tuple of class `Point`, made by a call of the class where it escapes
    p._replace(x=2)       ->    Point(2, p.y), and so is Point._make((2, p.y))

Invariant: only classes whose instances do what tuples do (`plainness.is_record`) are handled, and the generated
`__new__` that makes them is an assumption.
"""

from __future__ import annotations

from collections import namedtuple
from types import CodeType, FunctionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Signature
from futamura.specializer.binding import Keywords, bind
from futamura.specializer.callables import assume_code
from futamura.specializer.machine import Machine
from futamura.specializer.partials import Call
from futamura.specializer.plainness import is_record, record_fields
from futamura.specializer.purity import MISSING, class_lookup
from futamura.specializer.rules import exact_type, sequence_items, site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["call_of_record", "make_record", "record_item"]

_Sample = namedtuple("_Sample", "field")


def _code_of(method: object) -> CodeType:
    """What all classes of named tuples share."""
    assert isinstance(method, FunctionType)
    return method.__code__


_REPLACE: Final = _code_of(_Sample._replace)
_MAKE: Final = _code_of(_Sample._make.__func__)  # type: ignore[attr-defined]


def record_item(m: Machine, target: AbstractValue, position: int) -> AbstractValue | None:
    """The item of a named tuple that one of its fields stands for."""
    entry = m.state.object(target)
    if entry is not None:
        return entry.items[position]
    if type(target) is not Known:
        return None
    assert isinstance(target.value, tuple)
    item = target.value[position]
    m.reads(target.value, item)
    return m.known(item, m.state.age(target))


def make_record(
    m: Machine, frame: Frame, cls: type, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """A new instance of the class of a named tuple; None if the arguments do not fit, or it is not such a class."""
    if not issubclass(cls, tuple) or not is_record(cls) or class_lookup(cls, "__init__") is not object.__init__:
        return None
    fields = record_fields(cls)
    given = {name: Known(default) for name, default in fields.items() if default is not MISSING}
    bound = bind(m, frame, Signature(regular=tuple(fields)), args, keywords, dict(given))
    if bound is None:
        return None
    maker, signature = class_lookup(cls, "__new__"), Signature(regular=tuple(fields))
    complete = len(args) + len(keywords) == len(fields)
    function = maker.__func__ if isinstance(maker, staticmethod) else maker
    if is_a(function, FunctionType) and not assume_code(m, function, signature, complete=complete):
        return None
    m.assume_attribute(cls, "__new__", maker)
    return m.virtual(VObject("tuple", cls, tuple(bound), site=site(frame)))


def call_of_record(m: Machine, function: AbstractValue, args: list[AbstractValue], keywords: Keywords) -> Call | None:
    """`_replace` and `_make` of a named tuple as a call of its class; None if it stays what it is."""
    code = function.value.__code__ if type(function) is Known and type(function.value) is FunctionType else None
    if code is _REPLACE and len(args) == 1:
        cls = exact_type(m, args[0])
    elif code is _MAKE and len(args) == 2 and not keywords and type(args[0]) is Known:
        cls = args[0].value if is_a(args[0].value, type) else None
    else:
        return None
    items = sequence_items(m, args[-1])
    if cls is None or items is None or not issubclass(cls, tuple) or not is_record(cls):
        return None
    _, found = items
    made = class_lookup(cls, "_make")
    fields = [*record_fields(cls)]
    if not is_a(made, classmethod) or getattr(made.__func__, "__code__", None) is not _MAKE:
        return None
    given = dict(keywords)
    if len(found) != len(fields) or len(given) != len(keywords) or not given.keys() <= set(fields):
        return None
    m.assume_attribute(cls, "_make", made)
    return Known(cls), [given.get(name, item) for name, item in zip(fields, found)], []
