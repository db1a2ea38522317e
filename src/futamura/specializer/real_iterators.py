"""Iterators that have to exist when the residual runs: made from what they run over, and from how far they have come.

    a virtual iterator over (1, 2, 3) that has given 1          ->    iter((2, 3)), or iter(xs) that is set to 1
    a virtual zip of two of them                                ->    iter(zip(xs, ys))

Invariant: what has been taken of an iterator is not given again, and what it runs over is looked at as late as before.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from futamura.ir.constant import Constant
from futamura.runtime import advanced
from futamura.specializer.emitting import CONSTRUCTORS, Emitter, Unsupported
from futamura.specializer.promises import promised_length
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject

_ITERATED: Final = (list, tuple, range, str, bytes)
_USED_UP: Final[dict[type, object]] = {list: None, str: "", bytes: b"", range: range(0)}
"""What an iterator that has given all of such an object runs over."""


def _construct(m: Emitter, entry: VObject) -> Dynamic:
    if entry.extra == "sequence":
        return _over_dict(m, entry) if entry.cls is dict else _over_sequence(m, entry)
    if entry.extra == "backwards":
        return _backwards(m, entry)
    if isinstance(entry.extra, tuple):
        m.refuse(entry.site, "an iterator over unknown iterators escapes")
    return _combined(m, entry)


def _combined(m: Emitter, entry: VObject) -> Dynamic:
    """A `zip` or an `enumerate`; a `for` statement takes what `iter` gives."""
    items = [_not_begun(m, item) for item in entry.items]
    if entry.extra == "enumerate" and type(items[1]) is Known and items[1].value == 0:
        del items[1]
    made = m.emit("call", (Known(zip if entry.extra == "zip" else enumerate), *items), raises=False)
    return m.emit("iter", (made,), raises=False)


def _not_begun(m: Emitter, item: AbstractValue) -> AbstractValue:
    """What an iterator runs over, if it has not begun and nothing else has this iterator: that makes another."""
    item = m.state.resolve(item)
    entry = m.state.object(item)
    if type(item) is not Virtual or entry is None or entry.extra != "sequence" or len(entry.items) != 2:
        return item
    source, position = map(m.state.resolve, entry.items)
    if type(source) is not Known or type(source.value) not in _ITERATED or entry.cls is reversed:
        return item
    begun = type(position) is not Known or position.value != 0
    return item if begun or m.state.uses(item) > 1 else source


def _over_sequence(m: Emitter, entry: VObject) -> Dynamic:
    source, position = entry.items[:2]
    if entry.cls is reversed:
        m.refuse(entry.site, "an iterator that runs backwards escapes")
    if entry.cls is deque and (type(position) is not Known or position.value):
        m.refuse(entry.site, "an iterator over a deque escapes")
    if len(entry.items) == 3 and (type(position) is not Known or position.value):
        return _advanced(m, entry)
    if type(source) is Known and isinstance(source.value, range) and type(position) is Known:
        assert isinstance(position.value, int)
        source, position = Known(source.value[position.value :]), Known(0)
    if type(source) is Known and source.value == () and entry.cls in _USED_UP:
        source = m.emit("list", (), type=list, raises=False) if entry.cls is list else Known(_USED_UP[entry.cls])
    iterator = m.emit("iter", (source,), raises=False)
    if type(position) is not Known or position.value:
        method = m.emit("getattr", (iterator,), "__setstate__", raises=False)
        m.emit("call", (method, position), raises=False)
    return iterator


def _over_dict(m: Emitter, entry: VObject) -> Dynamic:
    """An iterator over a static dict, a view of it, or a static set that has given as many items."""
    held = entry.names[0]
    assert isinstance(held, Constant) and isinstance(held.value, (dict, set, frozenset))
    made: AbstractValue = Known(held.value)
    for name in entry.names[1:]:
        made = m.emit("call", (m.emit("getattr", (made,), str(name), raises=False),), raises=False)
    iterator = m.emit("iter", (made,), raises=False)
    given, position = entry.items
    if type(given) is Known and not given.value:  # all of it was given
        position = Known(len(held.value))
    if type(position) is Known and position.value == 0:
        return iterator
    return m.emit("call", (Known(advanced), iterator, position), raises=False)


def _advanced(m: Emitter, entry: VObject) -> Dynamic:
    """An iterator over a dict that has given some of its keys, if the dict has the same ones still."""
    source, position, keys = map(m.state.resolve, entry.items)
    view = m.state.object(source)
    held = None if view is None or view.kind != "view" else m.state.object(view.items[0])
    if type(position) is not Known or type(keys) is not Known or held is None or held.names != keys.value:
        raise Unsupported("an iterator over a dict escapes", m.span)
    iterator = m.emit("iter", (source,), raises=False)
    return m.emit("call", (Known(advanced), iterator, position), raises=False)


def _backwards(m: Emitter, entry: VObject) -> Dynamic:
    """`reversed` of the list, if none of its items was taken yet."""
    source, position = map(m.state.resolve, entry.items)
    held = m.state.object(source)
    if type(source) is Known:
        return m.emit("iter", (source,), raises=False)
    count = promised_length(source, m.state.intact) if held is None else len(held.items)
    if count is None or type(position) is not Known or position.value != count - 1:
        m.refuse(entry.site, "an iterator that runs backwards escapes")
    return m.emit("call", (Known(reversed), source), raises=False)


CONSTRUCTORS["iterator"] = _construct
