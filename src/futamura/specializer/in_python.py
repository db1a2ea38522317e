"""Builtins that are called in line, as Python functions: where they use up an iterator that runs specialized code.

    any(x > n for x in (1, 2))     the loop of `library.any_of`, entered with the generator
    zip(vector, row)               vector a known object with an `__iter__` in Python: `zip(iter(vector), row)`

Invariant: what a builtin asks for first it asks for first in line, too.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer import iterators, library
from futamura.specializer.callables import is_code
from futamura.specializer.ends import asked, may_show_its_end
from futamura.specializer.generators import is_generator, is_iterator, stand_in
from futamura.specializer.machine import Machine
from futamura.specializer.models import Keywords, iterator_over
from futamura.specializer.purity import MISSING, class_lookup
from futamura.specializer.rules import exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.stepping import is_stepping
from futamura.specializer.values import AbstractValue, Known

__all__ = ["IN_PYTHON", "asking_first", "class_with_iter", "in_python", "slice_numbers"]

IN_PYTHON: Final[dict[object, tuple[Callable[..., object], int]]] = {
    any: (library.any_of, 0),
    all: (library.all_of, 0),
    list: (library.list_of, 0),
    set: (library.set_of, 0),
    frozenset: (library.frozenset_of, 0),
    dict: (library.dict_of, 0),
    tuple: (library.tuple_of, 0),
    sorted: (library.sorted_of, 0),
    max: (library.max_of, 0),
    min: (library.min_of, 0),
    functools.reduce: (library.reduce_of, 1),
}
"""Builtins that are inlined as Python functions when the argument at this place is an iterator that runs code."""

IN_PYTHON[sum] = (library.sum_of if sys.version_info < (3, 12) else library.sum_plainly, 0)


def in_python(
    m: Machine, frame: Frame, op: Operation, function: object, args: list[AbstractValue]
) -> tuple[FunctionType, list[AbstractValue]] | None:
    """The function that stands for a builtin which consumes a virtual iterator or calls a known function, and what it
    is called with; None if there is none."""
    refused = ("call", (frame.facts.uid, op.id)) in m.refused
    chosen: object = None
    if function is next and args and is_iterator(m, args[0]) and len(args) <= 2:
        if len(args) == 1 and may_show_its_end(m, args[0]):
            return None
        chosen = library.next_of if len(args) == 1 else library.next_or
    elif function in (map, filter) and refused:
        return None
    elif function in (map, filter) and len(args) == 2 and (is_code(m, args[0]) or _is_builtin(args[0])):
        made = iterator_over(m, frame, args[1])
        if made is None and not is_code(m, args[0]):
            return None
        chosen = stand_in(m, frame, op, iterators.map_of if function is map else iterators.filter_of)
        args = [args[0], made if made is not None else asked(m, args[1])]
    elif function is map and len(args) == 3 and (is_code(m, args[0]) or _is_builtin(args[0])):
        sources = [iterator_over(m, frame, arg) for arg in args[1:]]
        if sources == [None, None] and not is_code(m, args[0]):
            return None
        chosen = stand_in(m, frame, op, iterators.map_2)
        args = [args[0], *(asked(m, arg) if one is None else one for arg, one in zip(args[1:], sources))]
    elif function in IN_PYTHON:
        found, at = IN_PYTHON[function]
        given = args[at] if len(args) > at else Known(None)
        runs = is_generator(m, given) or is_stepping(m, given) or (function is not dict and _gives_items(m, given))
        if found is library.sum_plainly and site(frame) in m.refused:
            return None
        if function is frozenset and refused:
            return None
        if len(args) > at and (runs or (function is functools.reduce and _reduces(m, frame, args))):
            chosen = found
    return (chosen, args) if isinstance(chosen, FunctionType) else None


def _gives_items(m: Machine, value: AbstractValue) -> bool:
    """Is this an object whose class has an `__iter__` in Python, and nothing that is asked how many there are?"""
    cls = class_with_iter(m, value)
    if cls is None or any(class_lookup(cls, name) is not MISSING for name in ("__len__", "__length_hint__")):
        return False
    for name in ("__len__", "__length_hint__"):
        m.assume_attribute(cls, name, MISSING)
    return True


def class_with_iter(m: Machine, value: AbstractValue) -> type | None:
    """The class of an object that is known, if it has an `__iter__` in Python."""
    entry = m.state.object(value)
    known = type(value) is Known if entry is None else entry.kind == "instance"
    cls = exact_type(m, value) if known else None
    return cls if cls is not None and type(class_lookup(cls, "__iter__")) is FunctionType else None


_ITERABLES: Final[dict[object, int]] = {
    zip: 0, enumerate: 0, map: 1, filter: 1, itertools.islice: 0, itertools.takewhile: 1, itertools.dropwhile: 1,
    itertools.filterfalse: 1, itertools.starmap: 1, itertools.accumulate: 0, itertools.pairwise: 0,
    itertools.compress: 0,
}  # fmt: skip
"""What asks an object for its iterator first, and the place of the object."""
_OF_ITERABLES: Final = (zip, itertools.compress)
"""What asks all its arguments, one after the other."""
_MOST_ASKED: Final = 3


def asking_first(
    m: Machine, frame: Frame, op: Operation, function: object, args: list[AbstractValue], keywords: Keywords
) -> FunctionType | None:
    """The function that asks known objects of the program for their iterators, as this builtin does before it asks for
    any item; None if there are none, or if the builtin may find fault with its other arguments before."""
    place = _ITERABLES.get(function, sys.maxsize)
    if len(args) <= place or not all(_is_plain_option(function, *option) for option in keywords):
        return None
    chosen: object = None
    if class_with_iter(m, args[place]) is not None:
        if function is enumerate and not all(type(arg) is Known and type(arg.value) is int for arg in args[1:]):
            return None
        if function is itertools.islice and slice_numbers(args[1:]) is None:
            return None
        chosen = iterators.asking_second if place else iterators.asking_first
    elif function in _OF_ITERABLES and len(args) <= _MOST_ASKED:
        chosen = iterators.asking_all if any(class_with_iter(m, arg) is not None for arg in args) else None
    if ("call", (frame.facts.uid, op.id)) in m.refused or site(frame) in m.refused:
        return None
    return chosen if isinstance(chosen, FunctionType) else None


def _is_plain_option(function: object, name: str, value: AbstractValue) -> bool:
    """Is this `strict` of a zip, or `start` of an enumerate, which are looked at first?"""
    kind = _OPTIONS.get((function, name))
    return kind is not None and type(value) is Known and type(value.value) is kind


_OPTIONS: Final[dict[tuple[object, str], type]] = {(zip, "strict"): bool, (enumerate, "start"): int}


def slice_numbers(args: list[AbstractValue]) -> tuple[int, int, int] | None:
    """Start, stop and step of an `itertools.islice` that gives what a slice does; None if they are not known."""
    numbers = [arg.value for arg in args if type(arg) is Known]
    if not 1 <= len(args) <= 3 or len(numbers) < len(args):
        return None
    place = slice(*numbers)
    start: object = 0 if place.start is None else place.start
    stop: object = sys.maxsize if place.stop is None else place.stop
    step: object = 1 if place.step is None else place.step
    if type(start) is not int or type(stop) is not int or type(step) is not int:
        return None
    usual = 0 <= start <= stop <= sys.maxsize and 0 < step <= sys.maxsize
    return (start, stop, step) if usual else None  # where `start` is behind, all up to it is taken and nothing given


def _reduces(m: Machine, frame: Frame, args: list[AbstractValue]) -> bool:
    """Is this reduction better done in line?"""
    return is_code(m, args[0]) or (_is_builtin(args[0]) and iterator_over(m, frame, args[1]) is not None)


def _is_builtin(function: AbstractValue) -> bool:
    """Is this a builtin function or a class, which is worth calling in line where the items are known?"""
    called = (type, BuiltinFunctionType, MethodDescriptorType)
    return type(function) is Known and type(function.value) in called
