"""Named tuples: a virtual tuple whose class has fields.

    Point(1, x).y         ->    x
    p = Point(y=x, x=1)   ->    a virtual tuple of class `Point`, made by a call of the class where it escapes

Invariant: only classes whose instances do what tuples do (`plainness.is_record`) are handled, and the generated
`__new__` that makes them is an assumption.
"""

from __future__ import annotations

from futamura.ir.graph import Signature
from futamura.specializer.binding import Keywords, bind
from futamura.specializer.machine import Machine
from futamura.specializer.plainness import is_record, record_fields
from futamura.specializer.purity import MISSING, class_lookup
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["make_record", "record_item"]


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
    m.assume_attribute(cls, "__new__", class_lookup(cls, "__new__"))
    return m.virtual(VObject("tuple", cls, tuple(bound), site=site(frame)))
