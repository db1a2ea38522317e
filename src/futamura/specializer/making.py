"""Objects that `object.__new__` makes, without `__init__`: virtual instances that have no attributes yet.

    new = object.__new__(Length)               Length known     ->     a virtual instance
    new.value = self.value + x                                         it has the attribute `value`
    return new.doubled()                                               entered

Of `C.__new__(C)`, `cls.__new__(cls)` and `super().__new__(cls)` the attribute gives the same function.  A class with a
`__new__` in Python is called as this function: it has no `__init__` that what comes of it would be given to.

Invariant: Python makes an object of the class when it is asked here and now, and no code of the program runs in that.
What it does not make is left to fail at run time: abstract classes, classes of other builtin bases, too many arguments.
"""

from __future__ import annotations

from types import FunctionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation, Signature
from futamura.specializer.callables import assume_code
from futamura.specializer.dict_classes import empty_instance
from futamura.specializer.extended import extends_dict
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.models import KEYWORD_MODELS, Keywords
from futamura.specializer.purity import HEAP_TYPE, MISSING, class_lookup
from futamura.specializer.records import stored_fields
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known

__all__ = ["assume_own_maker", "own_maker"]


def _make(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`object.__new__(cls)`"""
    cls = _only_class(args, keywords)
    if cls is None or not _is_ordinary(cls):
        return None
    if type(class_lookup(cls, "__del__")) is FunctionType:
        raise Unsupported(f"an instance of {cls.__qualname__} has a finalizer, which must run in time", op.span)
    if site(frame) in m.refused or not _is_made(cls) or not _assume_fields(m, cls):
        return None
    return empty_instance(m, cls, site(frame))


def _make_dict(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`dict.__new__(cls)` of a class that extends `dict`"""
    cls = _only_class(args, keywords)
    if cls is None or site(frame) in m.refused or not extends_dict(cls):
        return None
    return empty_instance(m, cls, site(frame))


def own_maker(m: Machine, cls: type) -> FunctionType | None:
    """The `__new__` in Python that is all that runs when this class is called; if it is entered, that is assumed."""
    found = class_lookup(cls, "__new__") if _is_ordinary(cls) else MISSING
    if type(found) is not staticmethod or not is_a(found.__func__, FunctionType):
        return None
    if class_lookup(cls, "__init__") is not _NO_INIT or type.__subclasses__(cls):
        return None
    if any(m.world.may_be_stored(cls, name) for name in ("__new__", "__init__")) or m.resolve(found.__func__) is None:
        return None
    return found.__func__


def assume_own_maker(m: Machine, cls: type) -> None:
    """The function was entered."""
    m.assume_attribute(cls, "__new__", class_lookup(cls, "__new__"))
    m.assume_attribute(cls, "__init__", _NO_INIT)
    m.assume_no_subclass(cls)  # an instance of one might have an `__init__`


def _only_class(args: list[AbstractValue], keywords: Keywords) -> type | None:
    """The known class that is the only argument."""
    cls = args[0].value if len(args) == 1 and not keywords and type(args[0]) is Known else None
    return cls if is_a(cls, type) else None


def _is_ordinary(cls: type) -> bool:
    """Did class statements make this class and its bases but `object`, and does a call of it make an object of it?"""
    if class_lookup(type(cls), "__getattribute__") is not type.__dict__["__getattribute__"]:
        return False  # its metaclass may say anything of it
    return type(cls).__call__ is type.__call__ and all(base.__flags__ & HEAP_TYPE for base in cls.__mro__[:-1])


def _is_made(cls: type) -> bool:
    """Does Python make an object, which runs no code when it ends?"""
    if class_lookup(cls, "__del__") is not MISSING:
        return False
    try:
        object.__new__(cls)
    except TypeError:
        return False
    return True


def _assume_fields(m: Machine, cls: type) -> bool:
    """An object whose attributes are those that `dataclasses` would store may be made by a call of its class, where it
    has to be real: then that does nothing else."""
    fields = stored_fields(cls)
    if fields is None:
        return True
    init = class_lookup(cls, "__init__")
    if class_lookup(cls, "__new__") is not _NEW or not is_a(init, FunctionType):
        return False
    if not assume_code(m, init, Signature(regular=tuple(fields)), complete=True):
        return False
    m.assume_attribute(cls, "__new__", _NEW)
    m.assume_attribute(cls, "__init__", init)
    return True


_NEW: Final = object.__new__
_NO_INIT: Final = vars(object)["__init__"]

KEYWORD_MODELS[object.__new__] = _make
KEYWORD_MODELS[dict.__new__] = _make_dict
