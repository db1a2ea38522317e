"""Builtins that go over the items of a container of known shape: any, all, sum, min, max, sorted.

any([False, x, 0])                      ->    bool(x), as `any_of` would decide it
max(rows, key=lambda row: row[1])       ->    the comparisons in line
sorted(words, key=len)                  ->    a virtual list, where all keys come out known

Invariant: items are looked at in the order and number of the builtin; where a result could not be told from the keys
that were computed already, the call stays (`answering.undecided`).
"""

from __future__ import annotations

import operator
import sys
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer import answering, library
from futamura.specializer.callables import is_code
from futamura.specializer.calls import enter
from futamura.specializer.control import ends_within
from futamura.specializer.generators import is_generator
from futamura.specializer.machine import Machine
from futamura.specializer.models import HANDLED, KEYWORD_MODELS, MODELS, Keywords, Model, iterable_items
from futamura.specializer.purity import PURE_FUNCTIONS, deep
from futamura.specializer.rules import exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.stepping import is_stepping
from futamura.specializer.values import NONE, AbstractValue, Known, Virtual, VObject
from futamura.specializer.views import sorted_plainly

__all__: list[str] = []

_SHAPED: Final = ("list", "tuple", "dict", "view")
_MOST: Final = 64
"""Longer containers are left to the builtin: in line they cost more than they fold."""


def _items(m: Machine, value: AbstractValue) -> tuple[AbstractValue, ...] | None:
    """The items of a container of known shape; taking them changes nothing."""
    entry = m.state.object(value)
    if entry is not None and entry.kind not in _SHAPED:
        return None
    return iterable_items(m, value)


def _runs_code(m: Machine, value: AbstractValue) -> bool:
    """Is this an iterator whose items are computed by code that is specialized?"""
    return is_generator(m, value) or is_stepping(m, value)


def _comes_in_line(m: Machine, value: AbstractValue) -> bool:
    """Are the items taken one after the other in line: by the steps of an iterator, or from a few that are known?"""
    entry = m.state.object(value)
    if entry is not None and entry.kind == "iterator" and entry.extra == ("step", "items"):
        return ends_within(m, m.state.resolve(entry.items[0]), _MOST)
    if _runs_code(m, value):
        return True
    if entry is not None and entry.kind == "iterator":
        return ends_within(m, m.state.resolve(value), _MOST)
    items = _items(m, value)
    return items is not None and len(items) <= _MOST


def _is_code(m: Machine, function: AbstractValue) -> bool:
    entry = m.state.object(function)
    if is_code(m, function) or (entry is not None and entry.kind == "getter"):
        return True
    if entry is not None and entry.kind == "method":  # `max(counts, key=counts.get)`
        plain = any(entry.cls is one for one in (dict, list, tuple, str))
        return plain and entry.extra in ("get", "__getitem__", "index", "count", "find")
    value = function.value if type(function) is Known else None
    if type(value) in (operator.itemgetter, operator.attrgetter):
        return True
    if type(value) is MethodDescriptorType:
        return value.__objclass__ in (str, bytes, int, float, tuple)
    return type(value) in (type, BuiltinFunctionType) and value in PURE_FUNCTIONS


def _is_none(value: AbstractValue) -> bool:
    return type(value) is Known and value.value is None


def _is_callable(value: AbstractValue) -> bool:
    """Is this surely not None?"""
    return type(value) is Virtual or (type(value) is Known and value.value is not None)


def _is_of_object(m: Machine, function: AbstractValue) -> bool:
    """Is this code that belongs to an object, of which nothing would be known once the function were handed out?  Of
    classes all is known as before."""
    entry = m.state.object(function)
    if entry is not None and entry.kind == "bound":
        owner = m.state.resolve(entry.items[1])
        return not (type(owner) is Known and is_a(owner.value, type))
    if entry is not None and entry.kind == "function":
        return any(_holds_object(m, m.state.resolve(cell)) for cell in entry.items)
    if entry is not None:
        return is_code(m, function)
    value = function.value if type(function) is Known else None
    of_class = type(value) is MethodType and is_a(value.__self__, type)
    return is_code(m, function) and type(value) is not FunctionType and not of_class


def _holds_object(m: Machine, cell: AbstractValue) -> bool:
    """Is there an object in this variable of a closure, of which something is known?"""
    held = m.state.object(cell)
    content = m.state.resolve(held.items[0]) if held is not None and held.kind == "cell" and held.items else None
    return type(content) is Virtual or (type(content) is Known and not deep(content.value))


def _decided(name: str) -> Model:
    """`any` and `all`: known items in front decide or drop out."""
    stops = name == "any"

    def model(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
        items = _items(m, args[0]) if len(args) == 1 else None
        if items is None or len(items) > _MOST:
            return None
        left: list[AbstractValue] = []
        for item in items:
            if type(item) is Known and deep(item.value):
                if bool(item.value) is not stops:
                    continue
                left.append(item)
                break
            left.append(item)
        if not left or (type(left[0]) is Known and deep(left[0].value)):
            return Known(bool(left) is stops)
        if len(left) == len(items):
            return None
        rest = m.virtual(VObject("tuple", tuple, tuple(left), site=(site(frame), name)))
        return HANDLED if enter(m, frame, op, library.any_of if stops else library.all_of, [rest]) else None

    return model


_SUM: Final = library.sum_of if sys.version_info < (3, 12) else library.sum_plainly
_EXACT_SUM: Final = frozenset({int, bool, str, bytes, tuple, list})


def _sum(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    given = [*args, *(value for name, value in keywords if name == "start")]
    if len(given) - len(args) != len(keywords) or not 1 <= len(given) <= 2 or not args:
        return None
    start = given[1] if len(given) == 2 else Known(0)
    if keywords and is_generator(m, args[0]) and site(frame) not in m.refused:
        return HANDLED if enter(m, frame, op, _SUM, [args[0], start]) else None
    items = _items(m, args[0])
    if items is None or len(items) > _MOST or not any(type(item) is Known for item in items):
        return None
    types = [exact_type(m, item) for item in (start, *items)]
    if sys.version_info >= (3, 12) and not all(kind in _EXACT_SUM for kind in types):
        return None  # floats are added with compensation
    return HANDLED if enter(m, frame, op, library.sum_of, [args[0], start]) else None


_COMPENSATED: Final = (int, float, complex)
"""What `sum` adds in a way of its own, once its total is of one of these classes."""


_EXACT_FLOAT: Final = 1 << 53
"""A smaller int is a float without any error."""


def _adds_plainly(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """Is adding this item to this total, inside of `sum`, what `+` does?"""
    total, item = (exact_type(m, arg) for arg in args)
    if total is not None and (total not in _COMPENSATED or (total is int and item in (int, bool))):
        return Known(True)
    if item is float and (total is float or _is_exact_as_float(args[0])):
        return Known(False)
    return KEYWORD_MODELS[answering.undecided](m, frame, op, [], [])


def _is_exact_as_float(value: AbstractValue) -> bool:
    return type(value) is Known and type(value.value) is int and abs(value.value) < _EXACT_FLOAT


def _only_float(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    if exact_type(m, args[0]) is float:
        return args[0]
    return KEYWORD_MODELS[answering.undecided](m, frame, op, [], [])


def _extreme(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords, greater: bool
) -> AbstractValue | None:
    named = dict(keywords)
    if len(named) != len(keywords) or not named.keys() <= {"key", "default"} or not args:
        return None
    if len(args) > 1 and "default" in named:
        return None
    source, key = args[0], named.get("key", NONE)
    taken = len(args) == 1 and _runs_code(m, source)
    if _is_none(key):
        if not (taken and keywords):
            return None
    elif not (_is_code(m, key) or (taken and _is_callable(key))):
        return None
    elif len(args) > 1:
        source = m.virtual(VObject("tuple", tuple, tuple(args), site=(site(frame), "all")))
    elif not _comes_in_line(m, source) and (site(frame) in m.refused or not _is_of_object(m, key)):
        return None
    chosen = [source, key, Known("default" in named), named.get("default", NONE), Known(greater)]
    return HANDLED if enter(m, frame, op, library.extreme, chosen) else None


def _max(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    return _extreme(m, frame, op, args, keywords, True)


def _min(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    return _extreme(m, frame, op, args, keywords, False)


def _sorted(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    found = sorted_plainly(m, frame, op, args, keywords)
    named = dict(keywords)
    if found is not None or len(args) != 1 or not named.keys() <= {"key", "reverse"}:
        return found
    backwards, by = named.get("reverse", Known(False)), named.get("key", NONE)
    stays = _stays(m)
    if _runs_code(m, args[0]) and (stays or not _is_code(m, by)):
        return HANDLED if enter(m, frame, op, library.sorted_listed, [args[0], by, backwards]) else None
    if type(backwards) is not Known or type(backwards.value) is not bool:
        return None
    if stays or not _comes_in_line(m, args[0]):
        of_object = "key" in named and _is_of_object(m, named["key"])
        chosen = [args[0], named["key"], backwards] if of_object else []
        return HANDLED if of_object and enter(m, frame, op, library.sorted_with, chosen) else None
    if "key" not in named or not _is_code(m, named["key"]):
        return None
    return HANDLED if enter(m, frame, op, library.sorted_by, [args[0], named["key"], backwards]) else None


def _stays(m: Machine) -> bool:
    """Was this operation of the program tried in vain?"""
    below = (frame for frame in reversed(m.state.frames) if not library.is_own(frame.facts.namespace))
    return site(next(below, m.state.frames[0])) in m.refused


def _by_keys(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """The items in the order of their keys, if these are known."""
    items, keys = _items(m, args[0]), _items(m, args[1])
    assert type(args[2]) is Known
    values = [key.value for key in keys or () if type(key) is Known and deep(key.value, unordered=False)]
    if items is not None and keys is not None and len(values) == len(items):
        try:
            order = sorted(range(len(items)), key=values.__getitem__, reverse=bool(args[2].value))  # type: ignore[arg-type]
        except TypeError:
            order = None
        if order is not None:
            return m.virtual(VObject("list", list, tuple(items[at] for at in order), site=site(frame)))
    return KEYWORD_MODELS[answering.undecided](m, frame, op, [], [])


MODELS[any] = _decided("any")
MODELS[all] = _decided("all")
KEYWORD_MODELS[max] = _max
KEYWORD_MODELS[min] = _min
KEYWORD_MODELS[sum] = _sum
KEYWORD_MODELS[library.adds_plainly] = _adds_plainly
KEYWORD_MODELS[library.only_float] = _only_float
KEYWORD_MODELS[sorted] = _sorted
KEYWORD_MODELS[library.by_keys] = _by_keys
