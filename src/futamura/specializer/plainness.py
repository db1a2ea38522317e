"""Classes of the program whose instances behave as builtin values do: no method of theirs says otherwise.

    class Op(enum.IntEnum): ADD = 1            Op.ADD == 1, TABLE[Op.ADD], Op.ADD + 1 run no code of the program
    Point = namedtuple("Point", "x y")         p.x, p[0], x, y = p are those of a tuple

Invariant: what is asked here runs no code of the program; in doubt the answer is no.
"""

from __future__ import annotations

import collections
import enum
import re
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MappingProxyType, ModuleType
from typing import Any, Final

from futamura.ir.classes import is_a
from futamura.ir.constant import is_large
from futamura.specializer.purity import MISSING, class_lookup, deep

__all__ = [
    "WITH_BUILTIN_METHODS", "always_true", "comparable", "hashable", "is_record", "is_told_plainly", "keeps_members",
    "keeps_operator", "record_fields", "record_position", "stands_for",
]  # fmt: skip

_IDENTITIES: Final[tuple[type, ...]] = (type, FunctionType, BuiltinFunctionType, ModuleType)
_COMPARING: Final = ("__eq__", "__ne__", "__hash__")
_BASES: Final = (object, int, str, float, bytes, enum.Enum)
_PLAIN_COMPARING: Final = tuple(base.__dict__[name] for base in _BASES for name in _COMPARING if name in base.__dict__)
_MIXED: Final[dict[type, Callable[[Any], object]]] = {int: int.__int__, str: str.__str__, float: float.__float__}
"""The builtin classes that members may be instances of, with what makes an exact instance out of one."""
_NOT_OPERATORS: Final = frozenset(
    {"__new__", "__init__", "__repr__", "__str__", "__format__", "__doc__", "__getattribute__", "__getnewargs__"}
    | {"__sizeof__", "__dir__", "__reduce__", "__reduce_ex__", "__class__", "__subclasshook__", "__init_subclass__"}
)
_OF_CLASSES: Final = _NOT_OPERATORS.difference({"__class__", "__getattribute__"}) | frozenset(
    {"__module__", "__qualname__", "__slots__", "__dict__", "__weakref__", "__annotations__", "__match_args__"}
    | {"__static_attributes__", "__firstlineno__", "__annotate__", "__annotate_func__", "__annotations_cache__"}
)
"""What a class may have without that its instances behave in another way under operators."""

WITH_BUILTIN_METHODS: Final = frozenset(
    {str, bytes, int, float, bool, complex, list, dict, tuple, set, frozenset, range, slice}
    | {collections.deque, collections.defaultdict, MappingProxyType, re.Pattern, re.Match}
)
"""Builtin classes whose instances have no attributes of their own."""
_TRUTH: Final = ("__bool__", "__len__")
_IMMUTABLE: Final = 0x100
"""The flag of classes that take no attributes."""


def always_true(cls: type, assume: Callable[[type, str, object], None]) -> bool:
    """Has the class no method that could say that an instance is false?  `assume` hears what must stay so."""
    if any(class_lookup(cls, name) is not MISSING for name in _TRUTH):
        return False
    for name in _TRUTH if not cls.__flags__ & _IMMUTABLE else ():
        assume(cls, name, MISSING)
    return True


def comparable(value: object) -> bool:
    """May `==`, `hash` and `is` look at `value` without running a user's code?"""
    if is_large(value):
        return False  # that takes too long to find out
    if deep(value) or type(value) in _IDENTITIES or _is_plain_member(value) or stands_for(value) is not value:
        return True
    if is_a(value, type):
        return all(class_lookup(type(value), name) is class_lookup(type, name) for name in _COMPARING)
    if type(value) is not tuple and not (is_a(value, tuple) and is_record(type(value))):
        return False
    assert isinstance(value, tuple)
    return len(value) < 100 and all(comparable(item) for item in value)


def is_told_plainly(value: object) -> bool:
    """May a look-up compare it without code of the program?  It is `comparable`, or `==` only knows it by identity."""
    return comparable(value) or all(class_lookup(type(value), name) is vars(object)[name] for name in _COMPARING)


def hashable(value: object) -> bool:
    """Has a value that is `comparable` a hash?"""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_plain_member(value: object) -> bool:
    """Is this a member of an enumeration that compares as its base does?"""
    cls = type(value)
    if type(cls) is not enum.EnumMeta:
        return False
    found = [class_lookup(cls, name) for name in _COMPARING]
    return all(any(part is plain for plain in _PLAIN_COMPARING) for part in found)


_MAKER: Final = enum.Enum.__dict__["__new__"].__func__


def keeps_members(cls: type) -> bool:
    """Does calling this enumeration look the value up?"""
    maker = class_lookup(cls, "__new__")
    return getattr(maker, "__func__", maker) is _MAKER


_OF_FLAGS: Final = frozenset(f"__{stem}__" for stem in ("or", "ror", "and", "rand", "xor", "rxor", "invert"))
"""What `IntFlag` defines anew."""


def stands_for(value: object, bits: bool = False) -> object:
    """The number or text that operators see in a member of an enumeration like `IntEnum`, or in an instance of a class
    that extends `int`, `float` or `str` and says nothing of operators; else the value itself.

    Members of `IntFlag` are numbers for all operators but those that combine `bits`.
    """
    cls = type(value)
    base = next((base for base in _MIXED if is_a(value, base)), None)
    if base is None or cls is base or cls is bool:
        return value
    if type(cls) is not enum.EnumMeta and not _adds_no_operator(cls, base):
        return value
    apart = _NOT_OPERATORS if bits or not is_a(value, enum.IntFlag) else _NOT_OPERATORS | _OF_FLAGS
    for name, found in base.__dict__.items():
        special = name.startswith("__") and name not in apart
        if special and class_lookup(cls, name) is not found:
            return value
    plain: object = _MIXED[base](value)
    return plain if plain == plain else value  # what looks for a NaN finds the object itself


def _adds_no_operator(cls: type, base: type) -> bool:
    """Does the class say nothing of operators that its builtin base does not have?"""
    if type(cls) is not type:
        return False
    own = [one for one in cls.__mro__ if one is not base and one is not object]
    names = {name for one in own for name in one.__dict__ if name.startswith("__") and name.endswith("__")}
    return all(type(one) is type for one in own) and names <= _OF_CLASSES


# -- named tuples

_Sample = collections.namedtuple("_Sample", "field")
_FIELD: Final = type(_Sample.__dict__["field"])
_STEMS: Final = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_ALLOWED: Final = frozenset(
    {"__new__", "__repr__", "__slots__", "__match_args__", "__doc__", "__module__", "__getnewargs__", "__annotations__"}
    | {"__orig_bases__", "__replace__", "__dict__", "__static_attributes__", "__firstlineno__", "__qualname__"}
    | {"__annotate__", "__annotations_cache__", "__annotate_func__", "__class_getitem__", "__weakref__"}
    | {f"__{start}{stem}__" for stem in _STEMS for start in ("", "r")}
    | {"__neg__", "__pos__", "__invert__", "__str__", "__format__", "__divmod__", "__rdivmod__"}
    | {"__abs__", "__round__", "__trunc__", "__floor__", "__ceil__", "__int__", "__float__", "__complex__"}
)
"""What the classes of named tuples may define: it changes nothing of what a tuple does, but for `+` and `*` (see
`keeps_operator`)."""


def is_record(cls: type) -> bool:
    """Is this the class of a named tuple, whose instances are tuples in all but arithmetic operators and their text?"""
    if type(cls) is not type or cls is tuple or not issubclass(cls, tuple):
        return False
    own = [base for base in cls.__mro__ if base is not tuple and base is not object]
    if not own or any(type(base) is not type for base in own):
        return False
    for base in own:
        if any(name[:2] == "__" == name[-2:] and name not in _ALLOWED for name in base.__dict__):
            return False
    return _maker(cls) is not None


def keeps_operator(cls: type, stem: str) -> bool:
    """Does a list, a tuple or a named tuple do what these classes do for `+` ("add") or `*` ("mul")?"""
    if cls is list or cls is tuple:
        return True
    names = (f"__{stem}__", f"__r{stem}__")
    return all(class_lookup(cls, name) is class_lookup(tuple, name) for name in names)


def _maker(cls: type) -> FunctionType | None:
    """The `__new__` that `namedtuple` wrote."""
    found = class_lookup(cls, "__new__")
    found = found.__func__ if is_a(found, staticmethod) else found
    if type(found) is not FunctionType or found.__code__.co_names != ("_tuple_new",):
        return None
    known = found.__globals__.get("_tuple_new") is _Sample.__new__.__globals__["_tuple_new"]
    return found if known and found.__code__.co_filename == "<string>" else None


def record_fields(cls: type) -> dict[str, object]:
    """The fields of a named tuple's class in order, with their defaults (`MISSING`: none)."""
    maker = _maker(cls)
    assert maker is not None
    names = maker.__code__.co_varnames[1 : maker.__code__.co_argcount]
    defaults = maker.__defaults__ or ()
    missing: tuple[object, ...] = (MISSING,) * (len(names) - len(defaults))
    return dict(zip(names, (*missing, *defaults), strict=True))


def record_position(found: object) -> int | None:
    """The position of the item that a field of a named tuple stands for."""
    if type(found) is not _FIELD:
        return None
    reduced = found.__reduce__()
    assert isinstance(reduced, tuple)
    return int(reduced[1][0])
