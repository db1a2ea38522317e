"""Operations that stay, may raise, and yet run no code of the program: what is known of static objects stays known.

    [0] * n            n an int: MemoryError at most
    a[i] = v           a a list, i an int: IndexError at most
    text.split(",")    a method of an exact str with plain arguments
    x + y              nothing known of x and y: some `__add__` may look at `vm.pc`, and write it

What the code wrote to attributes of static objects need not be stored back before such an operation, only where its
exception leaves (`Machine.protect`).  Finalizers of what a list lets go of run at their own time, as elsewhere.

Invariant: no operator named here calls a special method that could be written in Python, for operands of these classes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from types import BuiltinFunctionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.evaluate import BINARY, COMPARE, INPLACE, UNARY
from futamura.specializer.exposure import reads_plainly
from futamura.specializer.owned import SCALARS, is_owned, is_plain_key, used
from futamura.specializer.promises import has_plain_keys
from futamura.specializer.purity import MISSING, class_lookup, plain_lookup
from futamura.specializer.state import State
from futamura.specializer.values import AbstractValue, Dynamic, Known

__all__ = ["asked_table", "confined", "fills", "only_looks"]

_SEQUENCES: Final = frozenset({list, tuple, str, bytes, bytearray, range})
_COLLECTIONS: Final = frozenset({dict, set, frozenset})
_WRITABLE: Final = frozenset({list, bytearray})
_INDICES: Final = frozenset({int, bool, slice})
_OPERATORS: Final = frozenset({*BINARY, *INPLACE, *COMPARE, *UNARY, "not", "truth", "is", "is_not", "format", "string"})
_JOINED: Final = frozenset({"add", "iadd", "mul", "imul", "truth", "not"})
"""Operators that look at no item of a list or tuple."""

_PLAIN_LIST: Final = frozenset({"append", "pop", "insert", "clear", "reverse", "copy", "extend"})
_PLAIN_BYTEARRAY: Final = frozenset({"append", "pop", "insert", "clear", "reverse", "copy", "extend", "find", "hex"})
_TEXTS: Final = frozenset({str, bytes})
_PLAIN_SEARCHES: Final = {
    re.Pattern: frozenset({"findall", "fullmatch", "match", "search", "split"}),
    re.Match: frozenset({"end", "group", "groupdict", "groups", "span", "start"}),
}
_PLAIN_FUNCTIONS: Final = (
    abs, ascii, bin, bool, bytearray, bytes, chr, complex, divmod, float, hash, hex, int, len, list, max, min, oct, ord,
    pow, range, repr, round, str, tuple,
)  # fmt: skip


def confined(state: State, name: str, args: Sequence[AbstractValue], attr: object) -> bool:
    """Can this operation do nothing but give a result or raise?"""
    if name == "call":
        return attr is None and _plain_call(state, args[0], args[1:])
    if name == "getattr":
        # A class with lookups of its own has no attributes that are known: this one may be kept aside just now.
        return type(args[0]) is Known and _looks_up_plainly(args[0].value) and reads_plainly(args[0].value, str(attr))
    kinds = [_kind(state, arg) for arg in args]
    if name == "getitem":
        if kinds[0] is dict:
            if is_owned(state, args[0]):
                return is_plain_key(state, args[1])
            return kinds[1] in SCALARS and has_plain_keys(args[0], state.intact)
        return kinds[0] in _SEQUENCES and _is_index(state, args[1], kinds[1])
    if name == "setitem":
        value, target, index = kinds
        if index is slice:
            return target is list and value in _SEQUENCES and _is_index(state, args[2], index)
        if target is dict:
            return is_owned(state, args[1]) and is_plain_key(state, args[2])
        plain = target is list or (target is bytearray and value in SCALARS)
        return plain and index in (int, bool)
    if name == "delitem":
        if kinds[0] is dict:
            return is_owned(state, args[0]) and is_plain_key(state, args[1])
        return kinds[0] in _WRITABLE and _is_index(state, args[1], kinds[1])
    if name in ("unpack", "iter"):
        return kinds[0] in _SEQUENCES
    if name in ("list", "tuple"):
        stars = attr if isinstance(attr, tuple) else (False,) * len(kinds)
        return all(kind in _SEQUENCES or kind in _COLLECTIONS for kind, star in zip(kinds, stars) if star)
    if name in _JOINED and all(kind in _SEQUENCES or kind in SCALARS for kind in kinds):
        return not any(kind is bytearray for kind in kinds)
    if name in ("in", "not_in") and is_owned(state, args[1]):
        return is_plain_key(state, args[0])
    if name in ("truth", "not", "iter") and is_owned(state, args[0]):
        return True
    if name in ("in", "not_in") and (_holds_scalars(args[1]) or has_plain_keys(args[1], state.intact)):
        return kinds[0] in SCALARS
    return name in _OPERATORS and all(kind in SCALARS for kind in kinds)


def asked_table(state: State, name: str, args: Sequence[AbstractValue], attr: object) -> object:
    """The static dict that this operation looks a plain key up in, and does nothing else; None if there is none."""
    if name == "getitem":
        target, key = args
    elif name in ("in", "not_in"):
        key, target = args
    else:
        entry = state.object(args[0]) if name == "call" and attr is None and len(args) in (2, 3) else None
        if entry is None or entry.kind != "method" or entry.extra != "get":
            return None
        target, key = entry.items[0], args[1]
    plain = type(target) is Known and type(target.value) is dict and _kind(state, key) in SCALARS
    return target.value if plain and type(target) is Known else None


def _holds_scalars(value: AbstractValue) -> bool:
    """Is this a tuple or frozenset of scalars?"""
    held = value.value if type(value) is Known else None
    return type(held) in (tuple, frozenset) and all(type(item) in SCALARS for item in held)  # type: ignore[attr-defined]


def _looks_up_plainly(value: object) -> bool:
    return plain_lookup(type(value)) and class_lookup(type(value), "__getattr__") is MISSING


def only_looks(state: State, name: str, args: Sequence[AbstractValue], attr: object) -> bool:
    """Does this operation run no code of the program, and write to nothing?"""
    if name in ("setitem", "delitem") or name in INPLACE or not confined(state, name, args, attr):
        return False
    entry = state.object(args[0]) if name == "call" else None
    owner = None if entry is None else _kind(state, entry.items[0])
    return entry is None or owner in SCALARS or owner in _PLAIN_SEARCHES


def fills(state: State, name: str, args: Sequence[AbstractValue], attr: object) -> bool:
    """Does this operation write to nothing but a list that the residual has made, and run no code of the program?"""
    if name == "call":
        entry = state.object(args[0])
        target = entry.items[0] if entry is not None and entry.kind == "method" and entry.items else None
    else:
        target = args[1] if name == "setitem" else None
    target = None if target is None else state.resolve(target)
    fresh = type(target) is Dynamic and target.type is list and target.shape is not None and target.shape.fresh
    fresh = fresh or (target is not None and is_owned(state, target))
    return fresh and confined(state, name, args, attr)


def _kind(state: State, value: AbstractValue) -> type | None:
    """The exact class of a value of a builtin class."""
    if type(value) is Known:
        return type(value.value)
    if type(value) is Dynamic:
        return value.type
    entry = state.object(value)
    if entry is not None:
        return entry.cls if entry.kind in ("list", "tuple", "dict", "set", "slice") else None
    value = state.resolve(value)
    return value.type if type(value) is Dynamic else None


def _is_index(state: State, value: AbstractValue, kind: type | None) -> bool:
    """An integer, or a slice with plain bounds."""
    if kind is not slice:
        return kind in _INDICES
    if type(value) is Known and is_a(value.value, slice):
        bounds = (value.value.start, value.value.stop, value.value.step)
        return all(type(bound) in (int, bool, type(None)) for bound in bounds)
    entry = state.object(value)
    return entry is not None and all(_kind(state, item) in (int, bool, type(None)) for item in entry.items)


def _plain_call(state: State, callee: AbstractValue, args: Sequence[AbstractValue]) -> bool:
    kinds = [_kind(state, arg) for arg in args]
    entry = state.object(callee)
    if entry is not None and entry.kind == "method" and is_owned(state, entry.items[0]):
        return used(state, "call", (callee, *args), None) >= 0
    if entry is not None:
        return entry.kind == "method" and _plain_method(str(entry.extra), _kind(state, entry.items[0]), kinds)
    if type(callee) is not Known:
        return False
    function = callee.value
    if function is len or function is list or function is tuple:
        return all(kind in SCALARS or kind in _SEQUENCES or kind in _COLLECTIONS for kind in kinds)
    known = any(function is plain for plain in _PLAIN_FUNCTIONS)
    from_math = is_a(function, BuiltinFunctionType) and getattr(function, "__module__", None) == math.__name__
    return (known or from_math) and all(kind in SCALARS for kind in kinds)


def _plain_method(name: str, owner: type | None, kinds: Sequence[type | None]) -> bool:
    """Does this method of an exact builtin class, called so, only look at builtin objects?"""
    if name.startswith("__"):
        return False
    if owner is list:
        if name == "extend":
            return len(kinds) == 1 and kinds[0] in _SEQUENCES
        index = kinds[:1] if name in ("pop", "insert") else ()
        return name in _PLAIN_LIST and all(kind in (int, bool) for kind in index)
    if owner is bytearray:
        return name in _PLAIN_BYTEARRAY and all(kind in SCALARS for kind in kinds)
    if owner in _TEXTS and name == "join":
        return len(kinds) == 1 and kinds[0] in _SEQUENCES
    if owner in _PLAIN_SEARCHES and name not in _PLAIN_SEARCHES[owner]:
        return False
    return (owner in SCALARS or owner in _PLAIN_SEARCHES) and all(kind in SCALARS for kind in kinds)
