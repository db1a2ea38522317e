"""Items that are known not to be there: the exception is raised during specialization.

    [x, y][2]               on a virtual list        ->  raise IndexError("list index out of range")
    {"a": 1}["b"]           on a static dict         ->  raise KeyError("b")

The exception is a fresh object each time, with the very arguments that the operation gives it; where a handler is known
to catch it, nothing of it is left.

Invariant: only exact builtin containers, and only keys that no code of the program compares.
"""

from __future__ import annotations

import struct
import sys
from collections import OrderedDict
from typing import Final

from futamura.specializer.machine import Machine
from futamura.specializer.purity import deep
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["failed", "missing_item", "missing_key", "nothing_to_pop", "wrong_count"]

_OUT_OF_RANGE: Final = {"list": "list index out of range", "tuple": "tuple index out of range"}


def missing_item(m: Machine, target: AbstractValue, key: AbstractValue) -> AbstractValue | None:
    """What `target[key]` raises, if it is known to be an IndexError or KeyError."""
    if m.patient:  # the small languages have no exceptions: the operation stays and raises
        return None
    if type(key) is not Known or not deep(key.value):
        return None
    entry = m.state.object(target)
    if entry is not None:
        if entry.kind in _OUT_OF_RANGE and type(key.value) is int:
            inside = -len(entry.items) <= key.value < len(entry.items)
            if inside or abs(key.value) > sys.maxsize:  # a larger one has another text
                return None
            return _made(m, IndexError, _OUT_OF_RANGE[entry.kind])
        plain = entry.kind == "dict" and entry.cls in (dict, OrderedDict)  # others may make what they do not have
        if plain and all(deep(name) for name in entry.names) and _lacks(entry.names, key.value):
            return _made(m, KeyError, key.value)
        return None
    if type(target) is not Known:
        return None
    container = target.value
    if type(container) in (list, dict) and not m.frozen(container):
        return None
    if type(container) is dict and not all(deep(name) for name in container):
        return None
    if type(container) not in (str, bytes, tuple, range, list, dict):
        return None
    try:
        container[key.value]  # type: ignore[index]
    except (IndexError, KeyError) as error:
        return _made(m, type(error), *error.args)
    except Exception:
        return None
    return None


def missing_key(m: Machine, key: str) -> AbstractValue | None:
    """What a dict raises that has no item of this name."""
    return None if m.patient else _made(m, KeyError, key)


def wrong_count(m: Machine, count: int, wanted: int, starred: bool) -> AbstractValue | None:
    """What unpacking `count` items raises where `wanted` are needed (or at least as many)."""
    if m.patient:
        return None
    if count < wanted:
        least = "at least " if starred else ""
        return _made(m, ValueError, f"not enough values to unpack (expected {least}{wanted}, got {count})")
    if sys.version_info >= (3, 14):  # the text says how many there are, for some classes
        return None
    return _made(m, ValueError, f"too many values to unpack (expected {wanted})")


def nothing_to_pop(m: Machine, held: VObject, args: list[AbstractValue]) -> AbstractValue | None:
    """What `pop` of a virtual list or dict raises, if it is known that there is no such item."""
    if m.patient or any(type(arg) is not Known or not deep(arg.value) for arg in args):
        return None
    [key] = [arg.value for arg in args if type(arg) is Known] or [-1]
    if held.kind == "list" and type(key) is int and abs(key) <= sys.maxsize:
        if not held.items:
            return _made(m, IndexError, "pop from empty list")
        if not -len(held.items) <= key < len(held.items):
            return _made(m, IndexError, "pop index out of range")
    if held.kind == "dict" and args and all(deep(name) for name in held.names) and _lacks(held.names, key):
        return _made(m, KeyError, key)
    return None


def _lacks(names: tuple[object, ...], key: object) -> bool:
    try:
        return key not in dict.fromkeys(names)
    except TypeError:
        return False


def failed(m: Machine, error: Exception) -> AbstractValue | None:
    """The exception that a pure builtin raised on known values, if it holds nothing but a text or a key."""
    plain = type(error) in _PLAIN and not vars(error) and error.__cause__ is error.__context__ is None
    return _made(m, type(error), *error.args) if plain and not m.patient else None


_PLAIN: Final = frozenset({ValueError, KeyError, IndexError, ZeroDivisionError, OverflowError, struct.error})


def _made(m: Machine, cls: type, *args: object) -> AbstractValue | None:
    if not all(deep(arg) for arg in args):
        return None
    return m.virtual(VObject("exception", cls, tuple(Known(arg) for arg in args), site=("missing", cls.__name__)))
