"""Builtins that are called in line, as Python functions: where they use up an iterator that runs specialized code.

    any(x > n for x in (1, 2))     the loop of `library.any_of`, entered with the generator
    zip(vector, row)               vector a known object with an `__iter__` in Python: `zip(iter(vector), row)`

Invariant: what a builtin asks for first it asks for first in line, too.
"""

from __future__ import annotations

import functools
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
from futamura.specializer.models import iterator_over
from futamura.specializer.purity import MISSING, class_lookup
from futamura.specializer.rules import exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.stepping import is_stepping
from futamura.specializer.values import AbstractValue, Known

__all__ = ["IN_PYTHON", "in_python"]

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
    if function in _BY_ITERATOR and len(args) > (at := _BY_ITERATOR[function][1]):
        converts = function is enumerate and len(args) > 1  # its start comes first
        stays = refused or converts or site(frame) in m.refused
        if not stays and _class_with_iter(m, args[at]) is not None:
            chosen = _BY_ITERATOR[function][0]
            return (chosen, args) if isinstance(chosen, FunctionType) else None
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
    cls = _class_with_iter(m, value)
    if cls is None or any(class_lookup(cls, name) is not MISSING for name in ("__len__", "__length_hint__")):
        return False
    for name in ("__len__", "__length_hint__"):
        m.assume_attribute(cls, name, MISSING)
    return True


def _class_with_iter(m: Machine, value: AbstractValue) -> type | None:
    """The class of an object that is known, if it has an `__iter__` in Python."""
    entry = m.state.object(value)
    known = type(value) is Known if entry is None else entry.kind == "instance"
    cls = exact_type(m, value) if known else None
    return cls if cls is not None and type(class_lookup(cls, "__iter__")) is FunctionType else None


_BY_ITERATOR: Final[dict[object, tuple[Callable[..., object], int]]] = {
    zip: (iterators.zip_first, 0),
    enumerate: (iterators.enumerate_first, 0),
    map: (iterators.map_first, 1),
    filter: (iterators.filter_first, 1),
}
"""What asks an object for its iterator first: the function that does so, and the place of the object."""


def _reduces(m: Machine, frame: Frame, args: list[AbstractValue]) -> bool:
    """Is this reduction better done in line?"""
    return is_code(m, args[0]) or (_is_builtin(args[0]) and iterator_over(m, frame, args[1]) is not None)


def _is_builtin(function: AbstractValue) -> bool:
    """Is this a builtin function or a class, which is worth calling in line where the items are known?"""
    called = (type, BuiltinFunctionType, MethodDescriptorType)
    return type(function) is Known and type(function.value) in called
