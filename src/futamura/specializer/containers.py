"""Containers: displays, items, slices, unpacking on virtual and static containers.

list x, y                        ->  a virtual list
getitem virtual list, Known 0    ->  its first item
setitem x, virtual dict, "k"     ->  the virtual dict changes, nothing is emitted
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.assumption import place_of
from futamura.specializer.choosing import branch_on_item
from futamura.specializer.confined import confined
from futamura.specializer.derived import slice_of
from futamura.specializer.dispatching import OTHER, known_parts, note_choice
from futamura.specializer.emitting import CYCLE_BREAKERS, Emitter
from futamura.specializer.failing import missing_item, wrong_count
from futamura.specializer.item_kinds import is_inside, item_for_open_key
from futamura.specializer.machine import Machine
from futamura.specializer.memories import is_memory, read, store
from futamura.specializer.memos import entry_of, forgotten, missing_entry, note_unknown, noted_store
from futamura.specializer.owned import is_owned, is_plain_key
from futamura.specializer.plain_copies import plainly, to_ask
from futamura.specializer.plainness import comparable, hashable, is_record, stands_for
from futamura.specializer.promises import promised_item, promised_length
from futamura.specializer.purity import DICTS, deep
from futamura.specializer.raising import raise_value
from futamura.specializer.rules import (
    OPERATOR_CALLS,
    SPECIAL,
    exact_type,
    extend_in_place,
    hint_of,
    may_raise,
    result_type,
    rule,
    sequence_items,
    site,
)
from futamura.specializer.selfsame import is_plain_tuple, is_whole, kept_key, lookup_key
from futamura.specializer.speculation import likely
from futamura.specializer.state import Frame
from futamura.specializer.taking import items_taken
from futamura.specializer.unpacking import TAKING, taken
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, Shape, Virtual, VObject

__all__ = [
    "dict_pairs", "load_item", "static_get", "store_item", "unpack_value", "usable_key", "view_item", "view_items",
]  # fmt: skip


@rule("tuple", "list")
def build_sequence(m: Machine, frame: Frame, op: Operation) -> None:
    args = [m.get(frame, arg) for arg in op.args]
    if not taken(m, frame, op, args):
        _build(m, frame, op, args)


ITEMS_OF: Final[list[Callable[[Machine, AbstractValue], tuple[AbstractValue, ...] | None]]] = []
"""What gives the items of a starred operand whose shape is known."""


def _build(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> None:
    items: list[AbstractValue] = []
    stars = op.attr if isinstance(op.attr, tuple) else (False,) * len(op.args)
    args = [*args]
    for at, (arg, star) in enumerate(zip(args, stars, strict=True)):
        if not star:
            items.append(arg)
            continue
        held = m.state.object(arg)
        found = next((found for look in ITEMS_OF if (found := look(m, arg)) is not None), None)
        if found is None:
            found = items_taken(m, arg)
        if found is not None and held is not None and held.kind == "iterator":  # which is exhausted now
            args[at] = m.virtual(VObject("tuple", tuple, found, site=(site(frame), "taken", at)))
        if found is None or len(items) + len(found) > m.budget.virtual_length:
            kind = list if op.operator.name == "list" else tuple
            raises = not confined(m.state, op.operator.name, args, op.attr)
            m.set(frame, op, m.emit(op.operator.name, args, op.attr, type=kind, raises=raises))
            return
        items.extend(found)
    name = op.operator.name
    if name == "tuple" and all(type(item) is Known and deep(item.value) for item in items):
        values = tuple(item.value for item in items if type(item) is Known)
        ages = [m.state.age(item) for item in items]
        ages += [m.older(arg) for arg, star in zip(args, stars, strict=True) if star and type(arg) is Known]
        m.set(frame, op, m.known(values, max(ages, default=0)))
        return
    _give(m, frame, op, VObject(name, list if name == "list" else tuple, tuple(items), site=site(frame)))


def _give(m: Machine, frame: Frame, op: Operation, entry: VObject) -> None:
    """A display is virtual, unless it will contain itself."""
    made = m.virtual(entry)
    m.set(frame, op, made)
    if ("real", entry.site) in m.refused:
        m.lift(made)


def _from_the_start(m: Emitter, entry: VObject) -> None:
    """A container that contains itself is made before it does: start again with a real one."""
    assert isinstance(m, Machine)
    if ("real", entry.site) not in m.refused:
        m.refuse(("real", entry.site), "a container contains itself")


CYCLE_BREAKERS.update(list=_from_the_start, dict=_from_the_start)


def usable_key(value: AbstractValue) -> bool:
    return type(value) is Known and comparable(value.value) and value.value == value.value and hashable(value.value)


@rule("dict")
def build_dict(m: Machine, frame: Frame, op: Operation) -> None:
    args = [m.get(frame, arg) for arg in op.args]
    pairs = _entries(m, args, op.attr)
    if pairs is None or not all(usable_key(key) for key, _ in pairs):
        m.set(frame, op, m.emit("dict", args, op.attr, type=dict))
        return
    entry: dict[object, tuple[object, AbstractValue]] = {}
    for key, value in pairs:
        assert type(key) is Known
        entry[key.value] = (entry[key.value][0] if key.value in entry else key.value, value)
    names = tuple(key for key, _ in entry.values())
    _give(m, frame, op, VObject("dict", dict, tuple(v for _, v in entry.values()), names, site(frame)))


def _entries(
    m: Machine, args: list[AbstractValue], mappings: object
) -> list[tuple[AbstractValue, AbstractValue]] | None:
    """Keys and values of a display in order; None if it merges a mapping whose items are not known."""
    pairs: list[tuple[AbstractValue, AbstractValue]] = []
    left = iter(args)
    flags = mappings if isinstance(mappings, tuple) else (False,) * (len(args) // 2)
    for mapping in flags:
        key = next(left)
        found = dict_pairs(m, key) if mapping else [(kept_key(m, key), next(left))]
        if found is None:
            return None
        pairs += found
    return pairs


def _merged(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`left | right` of two dicts of known shape."""
    if any(exact_type(m, arg) is not dict for arg in args):
        return None
    left, right = (dict_pairs(m, arg) for arg in args)
    if left is None or right is None or not all(usable_key(key) for key, _ in (*left, *right)):
        return None
    if op.operator.name == "ior":
        target = args[0]
        if type(target) is not Virtual:
            return None
    else:
        target = m.virtual(VObject("dict", dict, (), (), site(frame)))
    for key, value in (*left, *right) if op.operator.name == "or" else right:
        store_item(m, target, key, value)
    return target


SPECIAL.setdefault("or", []).append(_merged)
SPECIAL.setdefault("ior", []).append(_merged)


@rule("list_append")
def list_append(m: Machine, frame: Frame, op: Operation) -> None:
    target, item = (m.get(frame, arg) for arg in op.args)
    if extend_in_place(m, target, (item,)) is None:
        m.emit("list_append", (target, item), results=0, raises=False)


@rule("dict_put")
def put(m: Machine, frame: Frame, op: Operation) -> None:
    args = [m.get(frame, arg) for arg in op.args]
    if store_item(m, args[0], args[1], args[2]):
        return
    entry = m.state.object(args[0])
    if entry is not None and entry.kind == "dict" and frame.facts.in_dynamic_loop(frame.block):
        # Else all behind the loop is copied: with no trip, with any trip.
        m.versions.grows({entry.site}, m.state, certain=True)
    m.emit("dict_put", args, results=0)


def store_item(m: Machine, target: AbstractValue, key: AbstractValue, value: AbstractValue) -> bool:
    """`target[key] = value` on a virtual list or dict; False if it must stay."""
    entry = m.state.object(target)
    if entry is None or type(target) is not Virtual:
        return False
    if entry.kind == "list" and (bounds := _bounds(m, key)) is not None:
        return _store_slice(m, target, entry, bounds, value)
    key = kept_key(m, key) if entry.kind == "dict" else key
    if type(key) is not Known:
        return False
    if entry.kind in ("list", "deque") and type(key.value) in _INDICES and _is_inside(entry, key.value):
        assert isinstance(key.value, int)
        items = list(entry.items)
        items[key.value] = value
        m.state.heap[target.oid] = entry._replace(items=tuple(items))
    elif entry.kind == "dict" and usable_key(key):
        names, items = list(entry.names), list(entry.items)
        if key.value in names:
            items[names.index(key.value)] = value
        else:
            names.append(key.value)
            items.append(value)
        m.state.heap[target.oid] = entry._replace(items=tuple(items), names=tuple(names))
    else:
        return False
    m.validate(key)
    return True


def _store_slice(m: Machine, target: Virtual, entry: VObject, bounds: slice, value: AbstractValue) -> bool:
    """`target[1:3] = value` with known bounds and a list or tuple of known shape; other steps and values stay."""
    parts = (bounds.start, bounds.stop)
    if bounds.step not in (None, 1) or any(part is not None and type(part) is not int for part in parts):
        return False
    found = sequence_items(m, value)
    if found is None or len(found[1]) + len(entry.items) > m.budget.virtual_length:
        return False
    items = list(entry.items)
    items[bounds] = found[1]
    m.state.heap[target.oid] = entry._replace(items=tuple(items))
    return True


def _delete_slice(m: Machine, target: Virtual, entry: VObject, bounds: slice) -> bool:
    """`del target[1:]` with known bounds; a step of 0, which raises, and other bounds stay."""
    parts = (bounds.start, bounds.stop, bounds.step)
    if bounds.step == 0 or any(part is not None and type(part) is not int for part in parts):
        return False
    items = list(entry.items)
    del items[bounds]
    m.state.heap[target.oid] = entry._replace(items=tuple(items))
    return True


@rule("setitem")
def setitem(m: Machine, frame: Frame, op: Operation) -> None:
    value, target, key = (m.get(frame, arg) for arg in op.args)
    if type(target) is Virtual and is_memory(m.state.object(target)):
        if store(m, frame, op, target, key, value, _bounds(m, key)):
            return
        m.lift(target)
    if store_item(m, target, key, value):
        if type(key) is Known:
            m.hint(value, key.value)
    else:
        if OPERATOR_CALLS["setitem"](m, frame, op, [value, target, key]) or noted_store(m, target, key, value):
            return
        m.writes(target)
        raises = not (is_owned(m.state, target) and is_plain_key(m.state, key))
        m.emit("setitem", likely(m, frame, op, "setitem", (value, target, key)), results=0, raises=raises)


@rule("delitem")
def delitem(m: Machine, frame: Frame, op: Operation) -> None:
    target, key = (m.get(frame, arg) for arg in op.args)
    entry, place = m.state.object(target), lookup_key(m, key)
    bounds = None if entry is None or entry.kind != "list" else _bounds(m, key)
    if entry is not None and bounds is not None and type(target) is Virtual and _delete_slice(m, target, entry, bounds):
        return
    if entry is not None and entry.kind != "tuple" and type(target) is Virtual and type(place) is Known:
        position = _position(entry, place.value)
        if position is not None:
            items = (*entry.items[:position], *entry.items[position + 1 :])
            names = (*entry.names[:position], *entry.names[position + 1 :]) if entry.kind == "dict" else entry.names
            m.state.heap[target.oid] = entry._replace(items=items, names=names)
            return
    if OPERATOR_CALLS["delitem"](m, frame, op, [target, key]):
        return
    forgotten(m, target, key)
    m.writes(target)
    m.emit("delitem", (target, key), results=0)


_INDICES: Final = (int, bool)


def _is_inside(entry: VObject, index: object) -> bool:
    """Is there an item at this place, counted from either end?"""
    assert isinstance(index, int)
    return -len(entry.items) <= index < len(entry.items)


def _position(entry: VObject, key: object) -> int | None:
    if entry.kind in ("list", "tuple", "deque") and type(key) in _INDICES and _is_inside(entry, key):
        assert isinstance(key, int)
        return key % len(entry.items)
    if entry.kind == "dict" and comparable(key) and hashable(key) and key in entry.names:
        return entry.names.index(key)
    return None


@rule("getitem")
def getitem(m: Machine, frame: Frame, op: Operation) -> None:
    target, given = [m.get(frame, arg) for arg in op.args]
    if type(target) is Virtual and is_memory(m.state.object(target)):
        m.set(frame, op, read(m, frame, op, target, given, _bounds(m, given)))
        return
    target = plainly(m, target, "__getitem__")
    key = lookup_key(m, given)
    result = load_item(m, frame, target, key)
    for special in SPECIAL.get("getitem", ()) if result is None else ():
        result = special(m, frame, op, [target, key]) if result is None else result
    if result is None and OPERATOR_CALLS["getitem"](m, frame, op, [target, key]):
        return
    missing = missing_entry(m, target, key) or missing_item(m, target, key) if result is None else None
    if missing is not None:
        m.folded += 1
        raise_value(m, missing)
        return
    key = given
    if result is None and branch_on_item(m, frame, op, target, key):
        return
    if result is None:
        note_unknown(m, target, key)
        parts, target = known_parts(m, key), to_ask(m, target)
        if m.state.overlays:
            target, key = likely(m, frame, op, "getitem", (target, key))
        types = [exact_type(m, target), exact_type(m, key)]
        promised = promised_item(target, key, m.state.intact)
        kind, raises = promised or (result_type("getitem", types), may_raise("getitem", types))
        raises = raises and not is_inside(m, target, key)
        given_by_all = item_for_open_key(m, target, key)
        if types[0] is bytearray and types[1] in (int, bool):
            kind = int
        elif kind is None:
            kind = given_by_all.type
        shape = given_by_all.shape if kind is given_by_all.type else None
        result = m.emit("getitem", (target, key), type=kind, hint=hint_of(frame, op), raises=raises, shape=shape)
        by_key = type(target) is Known and type(target.value) is dict
        note_choice(m, target, parts, result, *(() if by_key or types[1] in (int, bool) else (OTHER,)))
    else:
        m.folded += 1
    m.set(frame, op, result)


def load_item(m: Machine, frame: Frame, target: AbstractValue, key: AbstractValue) -> AbstractValue | None:
    """`target[key]` of a container whose shape is known; None if it must stay."""
    entry = m.state.object(target)
    if entry is not None and type(key) is Known:
        position = _position(entry, key.value if entry.kind == "dict" else stands_for(key.value))
        if position is not None:
            m.validate(key)
            return entry.items[position]
    bounds = _bounds(m, key)
    if bounds is not None:
        return _slice_of(m, frame, target, key, bounds)
    if type(target) is not Known or type(key) is not Known:
        return None
    container = target.value
    kind = type(container)
    index = key.value if deep(key.value) or kind in DICTS else stands_for(key.value)
    plain = comparable(index) and m.world.plainly_keyed(container) if kind in DICTS else deep(index)
    if m.world.caches.declared(container):
        held = entry_of(m, target, key)
        return None if held is None else m.known(held.value, m.state.age(target))
    if not plain:
        return None
    if kind is list or kind in DICTS:
        if not m.frozen(container) and not m.world.growing.reads(container, index):
            if m.world.growing.holds(container):
                place = place_of(m.world.assumptions.values(), container)
                m.event("FT306", f"`{place}[{index!r}]` does not exist, and reading it makes it: do so once before")
            return None
    elif kind not in (str, bytes, tuple, range) and not is_record(kind):
        return None
    try:
        if isinstance(container, dict) and index not in container:
            return _missing(m, container)
        item = container[index]  # type: ignore[index]
    except Exception:
        return None
    m.validate(key)
    m.reads(container, item)
    return m.known(item, m.state.age(target))


def static_get(m: Machine, target: Known, args: list[AbstractValue]) -> AbstractValue | None:
    """`get` of a static dict that nobody writes, with a default of any kind; None if it must stay."""
    content, key = target.value, lookup_key(m, args[0])
    assert isinstance(content, dict)
    if not usable_key(key) or not m.world.plainly_keyed(content):
        return None
    assert type(key) is Known
    if not m.frozen(content) and not m.world.growing.reads(content, key.value):
        return None
    m.validate(key)
    if key.value not in content:
        return args[1] if len(args) == 2 else NONE
    result = content[key.value]
    m.reads(content, result)
    return m.known(result, m.state.age(target))


def _missing(m: Machine, container: object) -> AbstractValue | None:
    """What an item that a static container does not have is: of a `Counter` nothing was counted."""
    if type(container) is not Counter:
        return None
    m.assume_attribute(Counter, "__missing__", Counter.__dict__["__missing__"])
    return Known(0)


def _bounds(m: Machine, key: AbstractValue) -> slice | None:
    if type(key) is Known and type(key.value) is slice:
        return key.value
    entry = m.state.object(key)
    if entry is None or entry.kind != "slice":
        return None
    parts = [item.value for item in entry.items if type(item) is Known and type(item.value) in (int, type(None))]
    return slice(*parts) if len(parts) == 3 else None


def _slice_of(
    m: Machine, frame: Frame, target: AbstractValue, key: AbstractValue, bounds: slice
) -> AbstractValue | None:
    parts = (bounds.start, bounds.stop, bounds.step)
    if bounds.step == 0 or any(part is not None and type(part) is not int for part in parts):
        return None
    if type(target) is Dynamic and (open_items := items_taken(m, target, bounds)) is not None:
        if target.type is tuple and is_whole(bounds, promised_length(target, m.state.intact) or 0):
            return target
        kind = "tuple" if target.type is tuple else "list"
        return m.virtual(VObject(kind, tuple if kind == "tuple" else list, open_items, site=site(frame)))
    entry = m.state.object(target)
    if entry is not None and entry.kind in ("list", "tuple"):
        if is_plain_tuple(m, target) and is_whole(bounds, len(entry.items)):
            return target
        whole = list if entry.kind == "list" else tuple
        return m.virtual(entry._replace(cls=whole, items=entry.items[bounds], site=site(frame)))
    if type(target) is Known and type(target.value) in (str, bytes, tuple, range):
        part = target.value[bounds]  # type: ignore[index]
        if part:
            m.validate(key)
        for item in part if type(part) is tuple else ():
            m.reads(target.value, item)
        return m.known(part, m.state.age(target))
    if type(target) is Known and type(target.value) is list and m.frozen(target.value):
        items = target.value[bounds]
        if len(items) > m.budget.virtual_length:
            return None
        if items:
            m.validate(key)
        for item in items:
            m.reads(target.value, item)
        return m.virtual(VObject("list", list, tuple(Known(item) for item in items), site=site(frame)))
    return None


@rule("slice")
def build_slice(m: Machine, frame: Frame, op: Operation) -> None:
    args = tuple([m.get(frame, arg) for arg in op.args])
    parts = [arg.value for arg in args if type(arg) is Known and deep(arg.value)]
    if len(parts) == len(args):
        made = slice(*parts)
        m.slices[id(made)] = made
        m.set(frame, op, slice_of(m, args, made))
    else:
        m.set(frame, op, m.virtual(VObject("slice", slice, args, site=site(frame))))


@rule("unpack")
def unpack(m: Machine, frame: Frame, op: Operation) -> None:
    unpack_value(m, frame, op, m.get(frame, op.args[0]))


def unpack_value(m: Machine, frame: Frame, op: Operation, value: AbstractValue) -> None:
    """Bind the results of the unpacking `op` to the items of `value`."""
    assert isinstance(op.attr, tuple)
    before, starred, after = op.attr
    value = plainly(m, value, "__iter__", "__len__", "__length_hint__")
    found = sequence_items(m, value)
    if found is None and OPERATOR_CALLS["unpack"](m, frame, op, [value]):
        return
    if found is None and type(value) is Known and type(value.value) in (list, str, bytes, range):
        if type(value.value) is not list or m.frozen(value.value):
            for item in value.value:  # type: ignore[attr-defined]
                m.reads(value.value, item)
            found = (list, tuple(Known(item) for item in value.value))  # type: ignore[attr-defined]
    held = m.state.object(value)
    if found is None and held is not None and held.kind == "view":
        items_now = view_items(m, frame, held)
        found = None if items_now is None else (list, items_now)
    count = before + after
    if found is not None and (len(found[1]) < count or (len(found[1]) > count and not starred)):
        raised = wrong_count(m, len(found[1]), count, starred)
        if raised is not None:
            raise_value(m, raised)
            return
    if found is None or (len(found[1]) != count if not starred else len(found[1]) < count):
        _unpack_open(m, frame, op, value, None if starred else count)
        if starred:
            rest = frame.env[op.results[before]]
            assert type(rest) is Dynamic
            frame.env[op.results[before]] = Dynamic(rest.rv, list)
            m.types[rest.rv] = list
        return
    items = list(found[1])
    if starred:
        middle = tuple(items[before : len(items) - after])
        rest = m.virtual(VObject("list", list, middle, site=site(frame)))
        items = [*items[:before], rest, *items[len(items) - after :]]
    for result, item in zip(op.results, items, strict=True):
        frame.env[result] = item


TAKING.update({"tuple": _build, "list": _build})
TAKING["unpack"] = lambda m, frame, op, given: unpack_value(m, frame, op, given[0])


def _unpack_open(m: Machine, frame: Frame, op: Operation, value: AbstractValue, count: int | None) -> None:
    shape = value.shape if type(value) is Dynamic and value.type is tuple else None
    fits = shape is not None and shape.length is not None and shape.length == count
    made = m.emit_many("unpack", (value,), op.attr, results=len(op.results), raises=not fits)
    if fits and shape is not None:
        kinds = shape.items or (shape.element,) * len(made)
        made = [Dynamic(dynamic.rv, kind) for dynamic, kind in zip(made, kinds)]
        m.types.update((dynamic.rv, dynamic.type) for dynamic in made if dynamic.type is not None)
    if fits and shape is not None and shape.counts:
        made[0] = Dynamic(made[0].rv, int, Shape(least=0, short=True))
    for result, dynamic in zip(op.results, made):
        m.hints[dynamic.rv] = frame.facts.function.hints[result]
        frame.env[result] = dynamic


# -- dicts and their views


def dict_pairs(m: Machine, value: AbstractValue) -> list[tuple[AbstractValue, AbstractValue]] | None:
    """The items of a dict of known shape, in order."""
    entry = m.state.object(value)
    if entry is not None and entry.kind == "dict":
        return [(Known(name), item) for name, item in zip(entry.names, entry.items, strict=True)]
    value = plainly(m, value, "__iter__", "__len__", "keys", "__getitem__")
    if type(value) is not Known or type(value.value) not in DICTS or not m.frozen(value.value):
        return None
    assert isinstance(value.value, dict)
    if len(value.value) > m.budget.virtual_length:
        return None
    for part in (*value.value.keys(), *value.value.values()):
        m.world.found(value.value, part)
    return [(Known(name), Known(item)) for name, item in value.value.items()]


def view_items(m: Machine, frame: Frame, entry: VObject) -> tuple[AbstractValue, ...] | None:
    """What a view of a dict of known shape gives now."""
    pairs = dict_pairs(m, m.state.resolve(entry.items[0]))
    return None if pairs is None else tuple([view_item(m, frame, entry, *pair) for pair in pairs])


def view_item(m: Machine, frame: Frame, entry: VObject, key: AbstractValue, value: AbstractValue) -> AbstractValue:
    if entry.extra != "items":
        return key if entry.extra == "keys" else value
    if type(key) is Known and type(value) is Known and not m.state.age(value):
        return Known((key.value, value.value))
    return m.virtual(VObject("tuple", tuple, (key, value), site=(site(frame), "pair")))
