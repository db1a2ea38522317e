"""Virtual deques and dicts with defaults.

    queue = deque([a]); queue.append(b); queue.popleft()    ->    a, and nothing is emitted
    groups = defaultdict(list); groups["k"].append(x)       ->    a virtual dict with a virtual list in it

A deque is a virtual object of its own kind; a `defaultdict` is a virtual dict whose `extra` is the factory.

The maximal length of a deque is its `extra`; one that is changed while a virtual iterator runs over it is a real one.

Invariant: only maximal lengths and factories that are static.
"""

from __future__ import annotations

import collections
from collections import OrderedDict, defaultdict, deque
from types import BuiltinFunctionType, FunctionType

from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.calls import enter
from futamura.specializer.containers import usable_key
from futamura.specializer.emitting import CONSTRUCTORS, Emitter
from futamura.specializer.in_python import IN_PYTHON
from futamura.specializer.machine import Machine
from futamura.specializer.models import (
    HANDLED,
    KEYWORD_MODELS,
    METHODS,
    Keywords,
    VirtualMethod,
    are_plain,
    iterable_items,
)
from futamura.specializer.raising import raise_value
from futamura.specializer.rules import OPERATOR_CALLS, site
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, Virtual, VObject
from futamura.specializer.views import pairs_of

__all__: list[str] = []


# -- deques


def _deque(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    given = [*args[1:], *(value for name, value in keywords if name == "maxlen")]
    if len(given) > 1 or len(given) != len(args[1:]) + len(keywords) or site(frame) in m.refused:
        return None
    most = given[0] if given else NONE
    if type(most) is not Known or (most.value is not None and type(most.value) is not int):
        return None
    if type(most.value) is int and not 0 <= most.value <= m.budget.virtual_length:
        return None
    items = iterable_items(m, args[0]) if args else ()
    if items is None or len(items) > m.budget.virtual_length:
        return None
    return m.virtual(VObject("deque", deque, _last(items, most.value), site=site(frame), extra=most.value))


def _last(items: tuple[AbstractValue, ...], most: object) -> tuple[AbstractValue, ...]:
    """What a deque of this maximal length keeps of these items."""
    return items[max(len(items) - most, 0) :] if isinstance(most, int) else items


def _first(items: tuple[AbstractValue, ...], most: object) -> tuple[AbstractValue, ...]:
    return items[:most] if isinstance(most, int) else items


def _changes(m: Machine, target: Virtual) -> None:
    """An iterator over a deque that has changed raises, also behind its end: one that is used again must be real."""
    found = {oid for oid, entry in m.state.heap.items() if entry.kind == "iterator" and entry.cls is deque}
    if not found:
        return
    later = m.state.copy()
    later.trim()
    for oid in sorted(found & later.heap.keys()):
        source = m.state.resolve(m.state.heap[oid].items[0])
        if isinstance(source, Virtual) and source.oid == target.oid:
            m.refuse(m.state.heap[oid].site, "a deque is changed while it is iterated over")


def _construct_deque(m: Emitter, entry: VObject) -> Dynamic:
    limited = entry.extra is not None
    given = [m.emit("list", entry.items, type=list, raises=False)] if entry.items or limited else []
    return m.emit(
        "call", (Known(deque), *given, *([Known(entry.extra)] if limited else [])), type=deque, raises=False
    )


def _adding(left: bool) -> VirtualMethod:
    def method(
        m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
    ) -> AbstractValue | None:
        if len(args) != 1 or len(held.items) >= m.budget.virtual_length:
            return None
        _changes(m, target)
        most = held.extra
        items = _first((args[0], *held.items), most) if left else _last((*held.items, args[0]), most)
        m.state.heap[target.oid] = held._replace(items=items)
        return NONE

    return method


def _taking(left: bool) -> VirtualMethod:
    def method(
        m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
    ) -> AbstractValue | None:
        if args:
            return None
        if not held.items:
            message = (Known("pop from an empty deque"),)
            raise_value(m, m.virtual(VObject("exception", IndexError, message, site=("missing", "deque"))))
            return HANDLED
        _changes(m, target)
        taken, items = (held.items[0], held.items[1:]) if left else (held.items[-1], held.items[:-1])
        m.state.heap[target.oid] = held._replace(items=items)
        return taken

    return method


def _extending(left: bool) -> VirtualMethod:
    def method(
        m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
    ) -> AbstractValue | None:
        more = iterable_items(m, args[0]) if len(args) == 1 else None
        if more is None or len(more) + len(held.items) > m.budget.virtual_length:
            return None
        _changes(m, target)
        most = held.extra
        items = _first((*more[::-1], *held.items), most) if left else _last((*held.items, *more), most)
        m.state.heap[target.oid] = held._replace(items=items)
        return NONE

    return method


def _rotate(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    steps = args[0].value if len(args) == 1 and type(args[0]) is Known else 1
    if len(args) > 1 or type(steps) is not int or (args and type(args[0]) is not Known):
        return None
    if abs(steps) >= 1 << 31:
        return None  # it may be too large for the machine's integers
    _changes(m, target)
    at = -steps % len(held.items) if held.items else 0
    m.state.heap[target.oid] = held._replace(items=(*held.items[at:], *held.items[:at]))
    return NONE


def _as_list(name: str) -> VirtualMethod:
    def method(
        m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
    ) -> AbstractValue | None:
        _changes(m, target)
        return METHODS["list", name](m, frame, op, target, held, args)

    return method


IN_PYTHON[deque] = (library.deque_of, 0)
KEYWORD_MODELS[deque] = _deque
CONSTRUCTORS["deque"] = _construct_deque
METHODS.update(
    {
        ("deque", "append"): _adding(False),
        ("deque", "appendleft"): _adding(True),
        ("deque", "pop"): _taking(False),
        ("deque", "popleft"): _taking(True),
        ("deque", "extend"): _extending(False),
        ("deque", "extendleft"): _extending(True),
        ("deque", "rotate"): _rotate,
        ("deque", "clear"): _as_list("clear"),
        ("deque", "copy"): METHODS["list", "copy"],
        ("deque", "reverse"): _as_list("reverse"),
    }
)


# -- dicts with defaults, and ordered ones


def _defaultdict(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    if keywords or not 1 <= len(args) <= 2 or type(args[0]) is not Known:
        return None
    factory = args[0].value
    if type(factory) not in (type, FunctionType, BuiltinFunctionType):
        return None
    pairs = pairs_of(m, args[1]) if len(args) == 2 else []
    if pairs is None or not all(usable_key(key) for key, _ in pairs):
        return None
    entries = {key.value: value for key, value in pairs if type(key) is Known}
    items, names = tuple(entries.values()), tuple(entries)
    return m.virtual(VObject("dict", defaultdict, items, names, site(frame), factory))


def _get_item(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    """An item of a virtual `defaultdict` that is known not to be there is made by the factory."""
    target, key = args
    entry = m.state.object(target)
    if entry is None or entry.kind != "dict" or entry.cls is not defaultdict or not usable_key(key):
        return _other_item(m, frame, op, args)
    return enter(m, frame, op, library.make_item, [target, key, Known(entry.extra)])


def _ordered(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    pairs = pairs_of(m, args[0]) if args else []
    if len(args) > 1 or pairs is None or not all(usable_key(key) for key, _ in pairs):
        return None
    entries = {key.value: value for key, value in pairs if type(key) is Known}
    entries.update(keywords)
    return m.virtual(VObject("dict", OrderedDict, tuple(entries.values()), tuple(entries), site(frame)))


def _construct_other_dict(m: Emitter, entry: VObject) -> Dynamic:
    pairs = [part for key, item in zip(entry.names, entry.items) for part in (Known(key), item)]
    given = [m.emit("dict", pairs, type=dict, raises=False)] if pairs else []
    if entry.cls is OrderedDict:
        return m.emit("call", (Known(OrderedDict), *given), type=OrderedDict, raises=False)
    return m.emit("call", (Known(defaultdict), Known(entry.extra), *given), type=defaultdict, raises=False)


KEYWORD_MODELS[defaultdict] = _defaultdict
def _counted(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """What `Counter` does with known items."""
    plain = not keywords and len(args) == 2 and are_plain(m, args[1])
    return HANDLED if plain and enter(m, frame, op, library.count_elements, args) else None


KEYWORD_MODELS[OrderedDict] = _ordered
KEYWORD_MODELS[collections._count_elements] = _counted  # type: ignore[attr-defined]
CONSTRUCTORS["dict"] = _construct_other_dict
_other_item = OPERATOR_CALLS["getitem"]
OPERATOR_CALLS["getitem"] = _get_item
