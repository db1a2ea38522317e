"""Calls that stay, of which it is known what they do not do.

    len(xs), xs an exact list      looks at its argument only
    xs.append(v), xs a list        runs no code at all
    ValueError(x)                  gives an instance of exactly ValueError, as object.__new__(C) of exactly C
    repr(x)                        gives an exact str

Invariant: a call is named here only if no code of the user can run in it.
"""

from __future__ import annotations

import abc
import bisect
import math
import re
import struct
import types
from collections import deque
from collections.abc import Sequence
from typing import Final

from futamura.ir.classes import is_a
from futamura.specializer.exposure import exposed
from futamura.specializer.machine import Machine
from futamura.specializer.purity import HEAP_TYPE, class_lookup
from futamura.specializer.rules import exact_type
from futamura.specializer.values import AbstractValue, Dynamic, Known, Shape

__all__ = ["class_of_result", "handed_over", "harmless", "makes_exactly", "runs_nothing", "unpacked_shape"]


_MOST_BYTES: Final = 4096


def unpacked_shape(args: Sequence[AbstractValue]) -> Shape | None:
    """How many items `struct.unpack` with a known layout gives."""
    callee, *given = args
    if type(callee) is not Known or not (callee.value is struct.unpack or callee.value is struct.unpack_from):
        return None
    layout = given[0].value if given and type(given[0]) is Known else None
    if type(layout) is not str and type(layout) is not bytes:
        return None
    try:
        size = struct.calcsize(layout)
        return Shape(len(struct.unpack(layout, bytes(size)))) if size <= _MOST_BYTES else None
    except struct.error:
        return None


_SILENT: Final = frozenset(
    {
        "capitalize", "casefold", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower",
        "isnumeric", "isprintable", "isspace", "istitle", "isupper", "lower", "lstrip", "rsplit", "rstrip", "split",
        "splitlines", "strip", "swapcase", "title", "upper",
    }
)  # fmt: skip
"""Methods of str that do not fail without arguments."""
_SEARCHES: Final = frozenset({"fullmatch", "match", "search"})


def runs_nothing(m: Machine, args: Sequence[AbstractValue]) -> bool:
    """`append` of an exact list, methods of an exact str without arguments, searches for a known pattern: they run no
    code, look at nothing else and do not fail; nor do `object()`, and `len` of an exact container."""
    if type(args[0]) is Known and args[0].value is object and len(args) == 1:
        return True
    if type(args[0]) is Known and args[0].value is len and len(args) == 2:
        return exact_type(m, args[1]) in _COUNTED
    entry = m.state.object(args[0])
    if entry is None or entry.kind != "method":
        return False
    if entry.cls is re.Pattern:
        return len(args) == 2 and entry.extra in _SEARCHES and _searches(entry.items[0], exact_type(m, args[1]))
    if len(args) == 1:
        return entry.extra in _SILENT and exact_type(m, entry.items[0]) is str
    if entry.extra != "append" or len(args) != 2:
        return False
    return exact_type(m, entry.items[0]) is list and type(m.state.resolve(entry.items[0])) is Dynamic


_COUNTED: Final = frozenset({list, tuple, dict, set, frozenset, str, bytes, bytearray, deque})
"""Exact classes whose `len` never fails, as that of a long range does."""


def _searches(pattern: AbstractValue, kind: type | None) -> bool:
    """Is this a known pattern for texts of this class?"""
    return type(pattern) is Known and is_a(pattern.value, re.Pattern) and type(pattern.value.pattern) is kind


def makes_exactly(cls: object) -> bool:
    """Does calling this exception class give an instance of exactly it?  (OSError looks for a subclass.)"""
    if type(cls) is not type or not issubclass(cls, BaseException) or issubclass(cls, (OSError, BaseExceptionGroup)):
        return False
    return not any("__new__" in base.__dict__ for base in cls.__mro__ if base.__flags__ & HEAP_TYPE)


_RESULTS: Final[dict[object, type]] = {
    len: int,
    str: str,
    repr: str,
    isinstance: bool,
    ord: int,
    chr: str,
    bool: bool,
    int: int,
    float: float,
    bytearray: bytearray,
    object: object,
    list: list,
    dict: dict,
    set: set,
    tuple: tuple,
    range: range,
    enumerate: enumerate,
    hash: int,
    id: int,
    callable: bool,
    issubclass: bool,
    sorted: list,
    hasattr: bool,
}


def class_of_result(m: Machine, args: Sequence[AbstractValue]) -> type | None:
    """The exact class of what a call of `args[0]` with the others gives, if it is known."""
    callee = args[0]
    if type(callee) is not Known:
        return None
    if makes_exactly(callee.value):
        assert isinstance(callee.value, type)
        return callee.value
    if callee.value is object.__new__:
        cls = args[1].value if len(args) > 1 and type(args[1]) is Known else None
        return cls if type(cls) in (type, abc.ABCMeta) and isinstance(cls, type) else None
    if type(callee.value) in (type, types.BuiltinFunctionType):
        if callee.value in (str, repr) and (len(args) != 2 or exact_type(m, args[1]) not in _PLAIN):
            return None  # `__str__` may give an instance of a subclass
        return None if callee.value is bool and len(args) > 2 else _RESULTS.get(callee.value)
    return None


def harmless(m: Machine, args: Sequence[AbstractValue]) -> bool:
    """A builtin that only looks at its arguments, and runs no code of theirs."""
    callee = args[0]
    if type(callee) is not Known:
        return False
    if callee.value is isinstance and len(args) == 3:
        return type(args[2]) is Known and _plain_classes(args[2].value) and _plain_class_of(exact_type(m, args[1]))
    if (callee.value is type and len(args) == 2) or callee.value is id or callee.value is object:
        return True
    looks = any(callee.value is function for function in (len, ord, chr, range, isinstance))
    return looks and all(exact_type(m, arg) in _PLAIN for arg in args[1:])


_LOOKING_UP: Final[dict[type, tuple[str, ...]]] = {dict: ("get",), list: ("index", "count"), tuple: ("index", "count")}
"""Methods of exact containers that show what they compare to code which is not known, and nothing else."""


_OF_SETS: Final = frozenset({"add", "discard", "remove"})
"""Methods of exact sets that hash one element, and show it to those that are in the set."""


def _is_quiet(m: Machine, value: AbstractValue, place: int) -> bool:
    """Does what a set does with this static object run no code of its own?  What it is compared with is followed in the
    finished residual (`elements`)."""
    return type(value) is Known and not exposed("in", None, place, value.value) and m.world.parting.follow()


def handed_over(m: Machine, args: Sequence[AbstractValue], shape: object = None) -> Sequence[AbstractValue]:
    """The operands of a call that stays which code that we cannot see gets.

    Looking something up in a container is no more than the operator that does it: what is found is followed in the
    finished residual (`leaking`), as is the default, which nobody but the caller gets.
    """
    callee = args[0]
    if type(callee) is Known and type(callee.value) is types.FunctionType and m.resolve(callee.value) is not None:
        return args[1:]  # what its code gets at by its own name is followed, too
    if shape is not None:
        return args
    if type(callee) is Known and type(callee.value) in (type, types.BuiltinFunctionType):
        return _looked_at(m, callee.value, args)
    entry = m.state.object(callee)
    if entry is None or entry.kind != "method" or len(args) < 2:
        return args
    holder = entry.items[0]
    kind = exact_type(m, holder)
    made = kind is set and type(m.state.resolve(holder)) is not Known
    if made and entry.extra in _OF_SETS and len(args) == 2 and _is_quiet(m, args[1], 0):
        return ()
    if kind is None or entry.extra not in _LOOKING_UP.get(kind, ()):
        return args
    m.expose("getitem" if kind is dict else "show", (holder,), None)
    return args[1:2]


_LOOKING: Final = frozenset({all, any, ascii, bool, frozenset, math.fsum, math.prod, max, min, repr, set, str})
"""Functions that let nobody but its items see what is in the one container that they are given."""
_SEARCHING: Final = frozenset({bisect.bisect_left, bisect.bisect_right})


def _looked_at(m: Machine, function: object, args: Sequence[AbstractValue]) -> Sequence[AbstractValue]:
    """The same for a builtin function without keywords."""
    kinds = (list, tuple) if function in _SEARCHING else (list, tuple, dict, set, frozenset)
    if function in _SEARCHING:
        given = args[1:2]
    else:
        given = args[1:] if function is print or (function in _LOOKING and len(args) == 2) else ()
    looked_at = [arg for arg in given if type(arg) is Known and type(arg.value) in kinds]
    if function is set or function is frozenset:
        looked_at = [arg for arg in looked_at if _is_quiet(m, arg, 1)]
    else:
        m.expose("show", looked_at, None)
    return [arg for arg in args if not any(arg is other for other in looked_at)]


_PLAIN: Final = frozenset(
    {int, float, complex, bool, str, bytes, type(None), list, tuple, dict, set, frozenset, range, slice}
)


def _plain_classes(classes: object) -> bool:
    """Does `isinstance` with these run no code of a metaclass?"""
    if type(classes) is tuple:
        return all(_plain_classes(cls) for cls in classes)
    return is_a(classes, type) and type(classes).__instancecheck__ is type.__instancecheck__


def _plain_class_of(cls: type | None) -> bool:
    """Does reading `__class__` of an instance run no code?"""
    plain = vars(object)
    names = ("__class__", "__getattribute__")
    return cls is not None and all(class_lookup(cls, name) is plain[name] for name in names)
