"""Has a class or a function changed at all?  Two words of memory tell, faster than any attribute can be read.

    now, was = class_stamp(Rule)       now == was    until an attribute of `Rule` or of a base is stored or deleted
    now, was = function_stamp(match)   now == was    until `__code__`, `__defaults__` or `__kwdefaults__` is stored

CPython numbers what it has looked up in a class anew whenever the class or a base changes (`tp_version_tag`), and keeps
code and defaults of a function side by side.  Where these words lie is found out by trying, once for each process:
if they are not found, there are no stamps, and everything is tested one by one.

Invariant: memory is read, never written, and only that of objects which whoever has the stamp keeps alive.  A stamp
that differs says nothing: what was assumed is tested one by one, and if it holds, the stamp is taken anew.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final, NamedTuple

from futamura.ir.classes import is_a

try:
    import ctypes

    _MEMORY: Any = ctypes
except ImportError:  # Python can be built without it
    _MEMORY = None

__all__ = ["STAMPED", "Stamp", "class_stamp", "function_stamp", "restamping"]

_NO_NAME: Final = "_no_such_name_"
STAMPED: Final = ("__code__", "__defaults__", "__kwdefaults__")
"""The attributes of a function that its stamp stands for, in the order in which it has them."""
_FIELDS: Final = len(STAMPED)


class Stamp(NamedTuple):
    """The memory as it is, and as it was; they are compared."""

    now: memoryview
    was: memoryview


def class_stamp(cls: type) -> Stamp | None:
    """The stamp of a class, if it can be told."""
    offset = _offset_of_tags()
    if offset is None:
        return None
    _look_up(cls)
    now = _view(id(cls) + offset, 1, "I")
    if now is None or not now[0]:
        return None
    return Stamp(now, _copy(now))


def function_stamp(function: FunctionType) -> Stamp | None:
    """The stamp of a function, if it can be told."""
    offset = _offset_of_code()
    now = None if offset is None else _view(id(function) + offset, _FIELDS, "N")
    return None if now is None else Stamp(now, _copy(now))


def restamping(stamp: Stamp, holder: object, holds: Callable[[], bool]) -> Callable[[], bool]:
    """Asks `holds`, and takes the stamp anew if it does; so it is asked now, too.  Keeps `holder` alive."""

    def still_holds() -> bool:
        if is_a(holder, type):
            _look_up(holder)
        now = stamp.now.tolist()
        if not holds():
            return False
        if now[0]:
            _set(stamp.was, now)
        return True

    _set(stamp.was, [(1 << 8 * stamp.was.itemsize) - 1] * len(stamp.was))  # which no class and no function has
    with contextlib.suppress(Exception):  # what was assumed may not be there any more
        still_holds()
    return still_holds


def _set(view: memoryview, words: list[int]) -> None:
    for place, word in enumerate(words):
        view[place] = word


def _look_up(cls: type) -> None:
    """Let the class be numbered, if it is not: no code of the program runs."""
    with contextlib.suppress(AttributeError):
        type.__getattribute__(cls, _NO_NAME)


def _copy(view: memoryview) -> memoryview:
    return memoryview(bytearray(view)).cast("B").cast(view.format)  # type: ignore[call-overload,no-any-return]


def _view(address: int, count: int, kind: str) -> memoryview | None:
    """So many words of memory; None where memory cannot be read."""
    if _MEMORY is None:
        return None
    word = _MEMORY.c_uint if kind == "I" else _MEMORY.c_size_t
    return memoryview((word * count).from_address(address)).cast("B").cast(kind)  # type: ignore[call-overload,no-any-return]


@functools.cache
def _offset_of_tags() -> int | None:
    """Where the number of a class lies: it is gone when a base changes, and another one after the next look-up."""
    if sys.implementation.name != "cpython":
        return None
    base: Any = type("base", (), {})
    cls: Any = type("cls", (base,), {})
    changes: list[Callable[[], object]] = [
        lambda: setattr(base, "one", 1),
        lambda: setattr(cls, "two", 2),
        lambda: setattr(base, "one", 3),
        lambda: delattr(base, "one"),
    ]
    size = int(vars(type)["__basicsize__"].__get__(type)) // 4
    found = set(range(size))
    for change in changes:
        words = []
        for step in (lambda: None, change, lambda: None):
            step()
            if step is not change:
                _look_up(cls)
            view = _view(id(cls), size, "I")
            if view is None:
                return None
            words.append(view.tolist())
        before, changed, after = words
        found = {at for at in found if before[at] and not changed[at] and after[at] and after[at] != before[at]}
    return 4 * found.pop() if len(found) == 1 else None


@functools.cache
def _offset_of_code() -> int | None:
    """Where a function keeps its code, with its defaults behind it."""
    if sys.implementation.name != "cpython":
        return None

    def one(a: int = 1, *, b: int = 2) -> int:
        return a + b

    def other(a: int = 3, *, b: int = 4) -> int:
        return a - b

    width = sys.maxsize.bit_length() // 8 + 1
    size = FunctionType.__basicsize__ // width
    found = set(range(size - _FIELDS))
    for fields in ((one.__code__, one.__defaults__, one.__kwdefaults__), (other.__code__, other.__defaults__, None)):
        one.__code__, one.__defaults__, one.__kwdefaults__ = fields
        view = _view(id(one), size, "N")
        if view is None:
            return None
        words = view.tolist()
        wanted = [0 if field is None else id(field) for field in fields]
        found = {at for at in found if words[at : at + _FIELDS] == wanted}
    return width * found.pop() if len(found) == 1 else None
