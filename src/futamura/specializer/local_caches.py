"""Functions in `functools.lru_cache` or `functools.cache` that a function makes for itself: their caches are virtual.

    @cache
    def best(i, j): ...        best(0, n), n known    ->    what it gives; of equal calls within only one is left

What a cache does other than to be called with known ints and texts makes it a real one, from the start: whoever keeps
it, asks how often it was hit, or calls it with what is open, gets what `functools` makes.

Invariant: a call runs the function if, and only if, the real cache would.
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Final, NoReturn

from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.binding import Keywords
from futamura.specializer.caching import LRU
from futamura.specializer.emitting import CONSTRUCTORS, Emitter
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS
from futamura.specializer.partials import Call
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["FIELDS_OF_CACHES", "call_of_local_cache"]

_REAL: Final = ("local caches", "real")
"""Refused in a specialization: that caches are virtual."""
_MEMOIZED: Final = "memoized"
_DECORATOR: Final = "memoizing"
_DEFAULT: Final = 128
"""So many results does `lru_cache` keep if it is not said how many."""
_EXACT: Final = (int, str)
"""Arguments of these classes are equal if they are the same value, and keys by themselves or in a tuple alike."""


def call_of_local_cache(
    m: Machine, function: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> Call | None:
    """The call of a virtual cache, or of what makes one of a function, as one of a function in Python."""
    entry = m.state.object(function)
    if entry is None or entry.kind not in (_MEMOIZED, _DECORATOR):
        return None
    if entry.kind == _DECORATOR:
        if keywords or len(args) != 1 or not _is_function(m, args[0]):
            _refuse(m)
        return Known(library.memoized), [args[0], Known(entry.extra)], []
    inner, memo = entry.items
    held = m.state.object(memo)
    values = [arg.value for arg in args if type(arg) is Known and type(arg.value) in _EXACT]
    most = m.budget.virtual_length
    if entry.extra is not None:
        assert isinstance(entry.extra, int)
        most = min(most, entry.extra)
    if keywords or len(values) < len(args) or held is None or len(held.items) >= most:
        _refuse(m)
    return Known(library.remembered), [memo, Known(tuple(values)), inner, *args], []


def _refuse(m: Machine) -> NoReturn:
    m.refuse(_REAL, "a function in a cache is more than called with known numbers and texts")


def _is_function(m: Machine, value: AbstractValue) -> bool:
    entry = m.state.object(value)
    return type(value.value) is FunctionType if type(value) is Known else entry is not None and entry.kind == "function"


def _lru_cache(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`lru_cache(None)`, `lru_cache(maxsize=64)`, and `lru_cache` as a decorator itself."""
    given = dict(zip(("maxsize", "typed"), args)) | dict(keywords)
    if m.patient or _REAL in m.refused or len(given) < len(args) + len(keywords):
        return None
    most, typed = given.pop("maxsize", Known(_DEFAULT)), given.pop("typed", Known(False))
    if given or type(typed) is not Known:
        return None
    if _is_function(m, most):
        return _memoized(m, frame, op, [most, Known(_DEFAULT)], [])
    if type(most) is not Known or not (most.value is None or (type(most.value) is int and most.value > 0)):
        return None
    return m.virtual(VObject(_DECORATOR, FunctionType, (), site=site(frame), extra=most.value))


def _memoized(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    function, most = args
    assert type(most) is Known
    memo = m.virtual(VObject("dict", dict, (), site=(site(frame), "memo")))
    return m.virtual(VObject(_MEMOIZED, LRU, (function, memo), site=site(frame), extra=most.value))


def _made_real(m: Emitter, entry: VObject) -> NoReturn:
    assert isinstance(m, Machine)
    _refuse(m)


def _asked(m: Machine, entry: VObject, name: str) -> NoReturn:
    _refuse(m)


KEYWORD_MODELS[functools.lru_cache] = _lru_cache
KEYWORD_MODELS[library.memoized] = _memoized
FIELDS_OF_CACHES: Final = {_MEMOIZED: _asked, _DECORATOR: _asked}
CONSTRUCTORS.update(dict.fromkeys(FIELDS_OF_CACHES, _made_real))
