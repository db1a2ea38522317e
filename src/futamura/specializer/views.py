"""Methods of virtual dicts and lists, views of dicts, and reversed sequences.

for key, value in d.items():    d virtual     ->  its pairs, one after the other
d.pop("k"), d.update(other)     d virtual     ->  d changes, nothing is emitted
dict(zip(names, values))        known shapes  ->  a virtual dict

A view is a virtual object with the dict as its one item; what it gives is read from the dict when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

from futamura.ir.graph import Operation
from futamura.specializer.containers import dict_pairs, store_item, usable_key
from futamura.specializer.failing import nothing_to_pop
from futamura.specializer.generators import is_iterator
from futamura.specializer.machine import Machine
from futamura.specializer.models import (
    HANDLED,
    KEYWORD_METHODS,
    KEYWORD_MODELS,
    METHODS,
    MODELS,
    Keywords,
    iterable_items,
)
from futamura.specializer.promises import promised_length
from futamura.specializer.purity import MISSING, class_lookup, deep
from futamura.specializer.raising import raise_value
from futamura.specializer.rules import exact_type, sequence_items, site
from futamura.specializer.selfsame import lookup_key
from futamura.specializer.sets import sorted_set
from futamura.specializer.state import Frame
from futamura.specializer.values import FUNCTIONS, NONE, AbstractValue, Known, Virtual, VObject

__all__ = ["pairs_of", "sorted_plainly"]


def _dict_pop(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    key = lookup_key(m, args[0]) if args else NONE
    if not 1 <= len(args) <= 2 or not usable_key(key):
        return None
    assert type(key) is Known
    if key.value not in held.names:
        if len(args) == 2:
            return args[1]
        missing = nothing_to_pop(m, held, args)
        if missing is not None:
            raise_value(m, missing)
        return None if missing is None else HANDLED
    at = held.names.index(key.value)
    names, items = (*held.names[:at], *held.names[at + 1 :]), (*held.items[:at], *held.items[at + 1 :])
    m.state.heap[target.oid] = held._replace(names=names, items=items)
    m.validate(key)
    return held.items[at]


def _dict_update(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    pairs = pairs_of(m, args[0]) if len(args) == 1 else None
    if pairs is None:
        return None
    for key, value in pairs:
        store_item(m, target, key, value)
    return NONE


def _view(
    name: str, m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if args:
        return None
    return m.virtual(VObject("view", _VIEWS[name], (target,), site=site(frame), extra=name))


_VIEWS: Final[dict[str, type]] = {"items": type({}.items()), "keys": type({}.keys()), "values": type({}.values())}


def _list_remove(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    at = _place_of(held, args)
    if at is None:
        return None
    m.state.heap[target.oid] = held._replace(items=(*held.items[:at], *held.items[at + 1 :]))
    return NONE


def _list_index(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if len(args) == 2 and type(args[1]) is Known and type(args[1].value) is int:
        start = args[1].value
        at = _place_of(held, args[:1], start if start >= 0 else max(start + len(held.items), 0))
    else:
        at = _place_of(held, args)
    return None if at is None else Known(at)


def _place_of(held: VObject, args: list[AbstractValue], start: int = 0) -> int | None:
    """Where the known argument stands first from `start` on, if all items before are known too."""
    if len(args) != 1 or type(args[0]) is not Known or not deep(args[0].value):
        return None
    for at, item in enumerate(held.items[start:], start):
        if type(item) is not Known or not deep(item.value):
            return None
        if item.value is args[0].value or item.value == args[0].value:
            return at
    return None


def _update_by_name(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`d.update(other, name=value)`; without names, `_dict_update` does it."""
    held = m.state.object(target)
    if not keywords or type(target) is not Virtual or held is None or held.kind != "dict":
        return None
    pairs = [] if not args else pairs_of(m, args[0]) if len(args) == 1 else None
    if pairs is None:
        return None
    for key, value in (*pairs, *((Known(name), value) for name, value in keywords)):
        store_item(m, target, key, value)
    return NONE


def _dict_popitem(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if args or not held.items:
        return None
    pair = (m.known(held.names[-1]), held.items[-1])
    m.state.heap[target.oid] = held._replace(names=held.names[:-1], items=held.items[:-1])
    return m.virtual(VObject("tuple", tuple, pair, site=(site(frame), "pair")))


KEYWORD_METHODS[dict, "update"] = _update_by_name
METHODS.update(
    {
        ("dict", "pop"): _dict_pop,
        ("dict", "popitem"): _dict_popitem,
        ("dict", "update"): _dict_update,
        **{("dict", name): partial(_view, name) for name in _VIEWS},
        ("list", "remove"): _list_remove,
        ("list", "index"): _list_index,
    }
)


def pairs_of(m: Machine, value: AbstractValue) -> list[tuple[AbstractValue, AbstractValue]] | None:
    """Keys and values that dict() takes out of a mapping or an iterable of pairs; None if they are not known."""
    found = dict_pairs(m, value)
    if found is not None:
        return found if all(usable_key(key) for key, _ in found) else None
    source = m.state.object(value)
    if source is None:
        return None
    before = dict(m.state.heap) if source.kind == "iterator" else None
    items = iterable_items(m, value)
    pairs = None if items is None else _pairs_in(m, items)
    if pairs is None and before is not None:  # what was taken from the iterator is still in it
        m.state.heap.clear()
        m.state.heap.update(before)
    return pairs


def _pairs_in(m: Machine, items: Iterable[AbstractValue]) -> list[tuple[AbstractValue, AbstractValue]] | None:
    """These items, each of which is a pair."""
    pairs = []
    for item in items:
        entry = m.state.object(item)
        parts = None
        if entry is not None and entry.kind in ("tuple", "list"):
            parts = entry.items
        elif type(item) is Known and type(item.value) is tuple:
            parts = tuple(Known(part) for part in item.value)
        if parts is None or len(parts) != 2 or not usable_key(parts[0]):
            return None
        pairs.append((parts[0], parts[1]))
    return pairs


def _model_dict(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: list[tuple[str, AbstractValue]]
) -> AbstractValue | None:
    if len(args) > 1:
        return None
    pairs: list[tuple[AbstractValue, AbstractValue]] | None = []
    if args:
        entry = m.state.object(args[0])
        if entry is not None and entry.kind == "iterator":
            return _dict_of_iterator(m, frame, args[0], keywords)
        pairs = pairs_of(m, args[0])
    if pairs is None:
        return None
    made = m.virtual(VObject("dict", dict, (), (), site(frame)))
    for key, value in (*pairs, *((Known(name), value) for name, value in keywords)):
        store_item(m, made, key, value)
    return made


def _dict_of_iterator(
    m: Machine, frame: Frame, iterator: AbstractValue, keywords: list[tuple[str, AbstractValue]]
) -> AbstractValue | None:
    """The items go through a list: taking them out of the iterator cannot be taken back."""
    items = iterable_items(m, iterator)
    if items is None:
        return None
    taken = m.virtual(VObject("list", list, items, site=(site(frame), "items")))
    pairs = pairs_of(m, taken)
    if pairs is None:
        shape = ("", *(name for name, _ in keywords)) if keywords else None
        return m.emit("call", (Known(dict), taken, *(value for _, value in keywords)), shape, type=dict)
    made = m.virtual(VObject("dict", dict, (), (), site(frame)))
    for key, value in (*pairs, *((Known(name), value) for name, value in keywords)):
        store_item(m, made, key, value)
    return made


def _model_reversed(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """A sequence from its end: of a list, which may change meanwhile, the place is remembered."""
    entry = m.state.object(args[0]) if len(args) == 1 else None
    if len(args) != 1 or site(frame) in m.refused:
        return None
    if entry is not None and entry.kind == "list":
        last = Known(len(entry.items) - 1)
        return m.virtual(VObject("iterator", reversed, (args[0], last), site=site(frame), extra="backwards"))
    promised = promised_length(args[0], m.state.intact)
    if promised is not None and promised < m.budget.virtual_length:
        start = (args[0], Known(promised - 1))
        return m.virtual(VObject("iterator", reversed, start, site=site(frame), extra="backwards"))
    if entry is not None and entry.kind != "tuple":
        return None
    kind = exact_type(m, args[0])
    items = iterable_items(m, args[0]) if kind in (tuple, list, str, range) else None
    if items is None:
        return None
    source: AbstractValue = m.virtual(VObject("tuple", tuple, items[::-1], site=(site(frame), "reversed")))
    if all(type(item) is Known for item in items):
        source = Known(tuple(item.value for item in items[::-1] if type(item) is Known))
    return m.virtual(VObject("iterator", reversed, (source, Known(0)), site=site(frame), extra="sequence"))


def sorted_plainly(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: list[tuple[str, AbstractValue]]
) -> AbstractValue | None:
    backwards = False
    for name, value in keywords:
        if name != "reverse" or type(value) is not Known or type(value.value) is not bool:
            return None
        backwards = value.value
    entry = m.state.object(args[0]) if len(args) == 1 else None
    known = type(args[0].value) if len(args) == 1 and type(args[0]) is Known else None
    if known in (set, frozenset) or (entry is not None and entry.kind == "set"):
        return sorted_set(m, frame, args[0], backwards)
    if len(args) != 1 or (entry is not None and entry.kind not in ("list", "tuple", "dict", "view")):
        return None
    items = iterable_items(m, args[0])
    keys = None if items is None else _keys_to_sort(m, items)
    if items is None or keys is None:
        return None
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=backwards)
    except TypeError:
        return None
    return m.virtual(VObject("list", list, tuple([items[at] for at in order]), site=site(frame)))


def _keys_to_sort(m: Machine, items: Sequence[AbstractValue]) -> list[Any] | None:
    """What decides about the order of these: the items, or what tuples begin with, if these are all different."""
    known = [item.value for item in items if type(item) is Known and deep(item.value, unordered=False)]
    if len(known) == len(items):
        return known
    found = [sequence_items(m, m.state.resolve(item)) for item in items]
    firsts = [m.state.resolve(one[1][0]) for one in found if one is not None and one[0] is tuple and one[1]]
    keys = [one.value for one in firsts if type(one) is Known and deep(one.value, unordered=False)]
    return keys if len(keys) == len(items) == len(set(keys)) else None


_NOT_CALLED: Final = frozenset(
    {int, float, bool, complex, str, bytes, type(None), list, tuple, dict, set, frozenset, range, slice}
)


def _model_callable(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    entry = m.state.object(args[0]) if len(args) == 1 else None
    if entry is not None:
        if entry.kind in FUNCTIONS or entry.kind in ("bound", "method", "partial", "getter"):
            return Known(True)
        if entry.kind == "instance":
            found = class_lookup(entry.cls, "__call__")
            m.assume_attribute(entry.cls, "__call__", found)
            return Known(found is not MISSING)
        return Known(False) if entry.kind in ("list", "tuple", "dict", "set", "deque") else None
    if len(args) == 1 and exact_type(m, args[0]) in _NOT_CALLED:
        return Known(False)
    return Known(callable(args[0].value)) if len(args) == 1 and type(args[0]) is Known else None


KEYWORD_MODELS[dict] = _model_dict
MODELS[reversed] = _model_reversed
MODELS[callable] = _model_callable


def _from_keys(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`dict.fromkeys` of known keys: a virtual dict."""
    if not 1 <= len(args) <= 2 or is_iterator(m, args[0]):
        return None
    found = iterable_items(m, args[0])
    keys = [key for key in found or () if type(key) is Known and deep(key.value)]
    if found is None or len(keys) != len(found) or len(keys) > m.budget.virtual_length:
        return None
    names = tuple(dict.fromkeys([key.value for key in keys]))
    for key in keys:
        m.validate(key)
    return m.virtual(VObject("dict", dict, (args[1] if len(args) == 2 else NONE,) * len(names), names, site(frame)))


MODELS[dict.fromkeys] = _from_keys
