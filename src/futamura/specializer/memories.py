"""Memories: long lists of ints, and bytearrays, of which parts stay known although the real one exists.

    memory = bytearray(4096)                nothing is emitted, nor is anything believed of what was not stored
    memory[512:600] = rom                   these items are known
    op = memory[pc]                         known, where `pc` is
    memory[i]                         ->    the real one is made and read; what is known stays known
    memory[i] = x                     ->    if 600 <= i: memory[i] = x
                                            else: nothing is known any more, and general code goes on

A memory is a virtual object.  Its `extra` is its `Content`.  `names` has REAL in front if the real object exists, whose
value is the first item then; the rest are the numbers of known items that the program stores where control is open, and
`items` has what these hold.

All memories of one site are to be alike, or versions would multiply: what is found out on the way (that the real one is
needed, which items are stored, how far the parts go that are read) holds from the start after a restart.

Invariant: nothing else than the residual's variable refers to the real object of a memory: who wants more than to read
and store items gets it, and what was known is forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from futamura.ir.graph import Operation
from futamura.specializer.emitting import CONSTRUCTORS, Emitter
from futamura.specializer.machine import BEFORE_POINTS, Machine, Restart
from futamura.specializer.rules import exact_type, hint_of, may_raise, result_type, site
from futamura.specializer.speculation import outside
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject

__all__ = ["LONGEST", "Content", "content_of", "is_memory", "items_of", "made", "read", "store", "whole"]

REAL: Final = "real"
LONGEST: Final = 1 << 17
_MOST_ITEMS: Final = 64
"""So many known items may be stored under open control."""
_MOST_ROUNDS: Final = 16
"""Starting again more often than this for memories is not worth what they tell."""
_GAP: Final = 16
"""Stored parts that are so close to each other are one."""
_MOST_PARTS: Final = 64
_SHORT: Final = 64


class Content:
    """What a memory holds: `data`, of which the items in the `known` parts (from, to) are believed."""

    __slots__ = ("_hash", "data", "known")

    def __init__(self, data: bytes | tuple[int, ...], known: tuple[tuple[int, int], ...]) -> None:
        self.data: Final = data
        self.known: Final = known
        self._hash: Final = hash((data, known))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Content) or self._hash != other._hash or type(self.data) is not type(other.data):
            return False
        return self.known == other.known and self.data == other.data

    def __len__(self) -> int:
        return len(self.data)

    def part(self, index: int) -> tuple[int, int] | None:
        """The known part that an item lies in."""
        return next((part for part in self.known if part[0] <= index < part[1]), None)

    def storing(self, index: int, values: Sequence[int]) -> Content:
        """The content after storing known values from an index on."""
        end = index + len(values)
        new = bytes(values) if isinstance(self.data, bytes) else tuple(values)
        data = self.data[:index] + new + self.data[end:]  # type: ignore[operator]
        start, kept = index, []
        for low, high in self.known:
            if high < index or low > end:
                kept.append((low, high))
            else:
                start, end = min(start, low), max(end, high)
        return Content(data, tuple(sorted([*kept, (start, end)])))

    def parts(self) -> list[tuple[int, int]]:
        """The known parts, those that are close to each other as one."""
        found: list[tuple[int, int]] = []
        for low, high in self.known:
            if found and low - found[-1][1] < _GAP:
                found[-1] = (found[-1][0], high)
            else:
                found.append((low, high))
        return found


def is_memory(entry: VObject | None) -> bool:
    return entry is not None and entry.kind == "memory"


# -- making memories


def whole(data: bytes | tuple[int, ...]) -> Content:
    """A content all of which is believed."""
    return Content(data, ((0, len(data)),))


def made(m: Machine, place: object, content: Content) -> VObject | None:
    """A new memory that holds this, made at this place; None if it had better not be one."""
    data = content.data
    if not data or len(data) > LONGEST or ("memory", "none") in m.refused or ("memory", place) in m.refused:
        return None
    m.memories = True
    kind = bytearray if isinstance(data, bytes) else list
    names = sorted(name for name in _learned(m, "item", place) if name < len(data))
    items = tuple([Known(data[index]) for index in names])
    return VObject("memory", kind, items, tuple(names), place, content)


def content_of(m: Machine, value: AbstractValue) -> Content | None:
    """What a list of known ints holds, one that is virtual or of which there is no real object yet."""
    entry = m.state.object(value)
    if entry is None or entry.cls is not list:
        return None
    if entry.kind == "memory":
        assert isinstance(entry.extra, Content)
        return None if entry.names else entry.extra
    items = [item.value for item in entry.items if type(item) is Known and type(item.value) is int]
    return whole(tuple(items)) if entry.kind == "list" and len(items) == len(entry.items) else None


def _learned(m: Machine, what: str, place: object) -> Iterator[Any]:
    """What was found out about the memories of a site."""
    for one in m.refused.known():
        if isinstance(one, tuple) and one[:3] == ("memory", what, place):
            yield one[3]


# -- the real object


def _construct(m: Emitter, entry: VObject) -> Dynamic:
    """The real object, which is made if there is none yet."""
    if _is_real(entry):
        real = m.state.resolve(entry.items[0])
        assert type(real) is Dynamic
        return real
    content = entry.extra
    assert isinstance(content, Content)
    data: list[int] = list(content.data)
    later: list[tuple[int, AbstractValue]] = []
    for index, item in zip(entry.names, entry.items):
        assert isinstance(index, int)
        item = m.state.resolve(item)
        if type(item) is Known and type(item.value) is int:
            data[index] = item.value
        else:
            later.append((index, item))
    real = _displayed(m, entry.cls, data)
    for index, item in later:
        m.emit("setitem", (item, real, Known(index)), results=0, raises=False)
    return real


def _displayed(m: Emitter, kind: type, data: list[int]) -> Dynamic:
    """A list or bytearray of these, made in few statements: all alike first, if most are, and parts put into it."""
    filler = 0 if kind is bytearray else Counter(data).most_common(1)[0][0]
    parts = list(_differing(data, filler))
    small = kind is bytearray or all(0 <= value < 256 for value in data)
    if len(data) <= _SHORT or sum(high - low for low, high in parts) > len(data) // 2 or len(parts) > _MOST_PARTS:
        whole = Known(bytes(data) if small else tuple(data))
        return m.emit("call", (Known(kind), whole), type=kind, raises=False)
    if kind is bytearray:
        real = m.emit("call", (Known(bytearray), Known(len(data))), type=kind, raises=False)
    else:
        one = m.emit("list", (Known(filler),), type=list, raises=False)
        real = m.emit("mul", (one, Known(len(data))), type=list, raises=False)
    for low, high in parts:
        part = data[low:high]
        where = slice(low, high)
        m.slices[id(where)] = where
        given = bytes(part) if all(0 <= value < 256 for value in part) else tuple(part)
        m.emit("setitem", (Known(given), real, Known(where)), results=0, raises=False)
    return real


def _differing(data: list[int], filler: int) -> Iterator[tuple[int, int]]:
    """The parts that are not all filler."""
    low = high = -_GAP
    for index, value in enumerate(data):
        if value != filler:
            if index - high >= _GAP:
                if high > 0:
                    yield low, high
                low = index
            high = index + 1
    if high > 0:
        yield low, high


CONSTRUCTORS["memory"] = _construct


def _is_real(entry: VObject) -> bool:
    return entry.names[:1] == (REAL,)


def _under_control(m: Machine) -> bool:
    return any(frame.dynamic for frame in m.state.frames)


def _real(m: Machine, target: Virtual) -> Dynamic:
    """The real object of a memory."""
    entry = m.state.heap[target.oid]
    if not _is_real(entry):
        early = ("memory", "early", entry.site)
        if _under_control(m) and early not in m.refused:
            _again(m, early)
        _make_real(m, target.oid)
    found = m.state.resolve(target)
    return found if type(found) is Dynamic else _construct(m, m.state.heap[target.oid])


def _make_real(m: Machine, oid: int) -> None:
    entry = m.state.heap[oid]
    content = entry.extra
    assert isinstance(content, Content)
    real = _construct(m, entry)
    m.hint(real, next(filter(str.isidentifier, _names_of(m, oid)), None))
    names, items = entry.names, entry.items
    if ("memory", "stored", entry.site) in m.refused:
        low, high = _read_parts(m, entry.site)
        kept = tuple([(max(a, low), min(b, high)) for a, b in content.known if a < high and b > low])
        content = Content(content.data, kept)
        held = [(name, item) for name, item in zip(names, items) if content.part(name) is not None]  # type: ignore[arg-type]
        names, items = tuple([name for name, _ in held]), tuple([item for _, item in held])
    if content.known:
        m.state.heap[oid] = entry._replace(names=(REAL, *names), items=(real, *items), extra=content)
    else:  # nothing is worth remembering
        m.state.heap[oid] = VObject("forward", entry.cls, (real,))


def _names_of(m: Machine, oid: int) -> Iterator[str]:
    """The variables and attributes that hold it."""
    for frame in m.state.frames:
        for number, content in frame.env.items():
            if type(content) is Virtual and content.oid == oid and number >= 0:
                yield str(frame.facts.function.hints[number] or "")
    for entry in m.state.heap.values():
        if entry.kind == "instance":
            for name, item in zip(entry.names, entry.items):
                if type(item) is Virtual and item.oid == oid:
                    yield str(name)


def _settle(m: Machine) -> None:
    """Control gets open here: memories whose real object will be needed get it before."""
    if m.stored:
        m.stored = False
        _again(m)
    for oid, entry in list(m.state.heap.items()):
        if entry.kind == "memory" and not _is_real(entry) and ("memory", "early", entry.site) in m.refused:
            _make_real(m, oid)


BEFORE_POINTS.append(_settle)


def _again(m: Machine, *learned: object) -> None:
    """Start again with what was learned."""
    m.refused.update(learned)
    round_ = next(n for n in range(_MOST_ROUNDS + 1) if n == _MOST_ROUNDS or not m.refused.has(("memory", "round", n)))
    m.refused.add(("memory", "none") if round_ == _MOST_ROUNDS else ("memory", "round", round_))
    raise Restart("what a memory holds is stored or needed", whole=True)


# -- items


def _index(key: AbstractValue, length: int) -> int | None:
    """The item that a known index stands for."""
    if type(key) is not Known or type(key.value) not in (int, bool):
        return None
    at = int(key.value)  # type: ignore[call-overload]
    return int(at % length) if -length <= at < length else None


def read(
    m: Machine, frame: Frame, op: Operation, target: Virtual, key: AbstractValue, bounds: slice | None
) -> AbstractValue:
    """`target[key]`"""
    entry = m.state.heap[target.oid]
    content = entry.extra
    assert isinstance(content, Content)
    index = _index(key, len(content.data))
    found = None
    if bounds is not None:
        found = _part(m, frame, entry, bounds)
    elif index is not None:
        found = _item(m, entry, content, index)
    if found is not None:
        m.validate(key)
        m.folded += 1
        return found
    real = _real(m, target)
    types = [entry.cls, exact_type(m, key)]
    whole = types[1] in (int, bool)
    kind = int if whole and entry.cls is bytearray else None if whole else result_type("getitem", types)
    raises = index is None and may_raise("getitem", types)
    return m.emit("getitem", (real, key), type=kind, hint=hint_of(frame, op), raises=raises)


def _item(m: Machine, entry: VObject, content: Content, index: int) -> AbstractValue | None:
    if index in entry.names:
        _note_read(m, entry, content, index)
        return entry.items[entry.names.index(index)]
    if content.part(index) is None:
        if _is_real(entry) and ("memory", "stored", entry.site) in m.refused:
            _widen(m, entry, content, index)
        return None
    _note_read(m, entry, content, index)
    return Known(content.data[index])


def _note_read(m: Machine, entry: VObject, content: Content, index: int) -> None:
    """This part is read: it should stay known."""
    part = next(((low, high) for low, high in content.parts() if low <= index < high), None)
    learned = ("memory", "read", entry.site, part)
    if part is not None and not m.refused.has(learned):
        m.refused.add(learned)


def _widen(m: Machine, entry: VObject, content: Content, index: int) -> None:
    """An item is read of a part that was not kept when the real object was made: from now on it is."""
    for low, high in _learned(m, "part", entry.site):
        if low <= index < high and not m.refused.has(reads := ("memory", "read", entry.site, (low, high))):
            _again(m, reads)


def _read_parts(m: Machine, place: object) -> tuple[int, int]:
    """From where to where items of the memories of a site are read at known places."""
    parts = list(_learned(m, "read", place))
    return min((low for low, _ in parts), default=0), max((high for _, high in parts), default=0)


def items_of(m: Machine, entry: VObject, bounds: slice) -> list[AbstractValue] | None:
    """The items from one place to another, if they are known."""
    content = entry.extra
    assert isinstance(content, Content)
    if any(part is not None and type(part) is not int for part in (bounds.start, bounds.stop, bounds.step)):
        return None
    if bounds.step == 0:
        return None
    places = range(*bounds.indices(len(content.data)))
    if len(places) > m.budget.virtual_length:
        return None
    items = []
    for index in places:
        item = _item(m, entry, content, index)
        if item is None:
            return None
        items.append(item)
    return items


def _part(m: Machine, frame: Frame, entry: VObject, bounds: slice) -> AbstractValue | None:
    """Known items from one place to another, as an object of their own."""
    items = items_of(m, entry, bounds)
    if items is None:
        return None
    if entry.cls is list:
        return m.virtual(VObject("list", list, tuple(items), site=site(frame)))
    values = [item.value for item in items if type(item) is Known and type(item.value) is int]
    part = made(m, site(frame), whole(bytes(values))) if len(values) == len(items) else None
    return None if part is None else m.virtual(part)


def store(
    m: Machine,
    frame: Frame,
    op: Operation,
    target: Virtual,
    key: AbstractValue,
    value: AbstractValue,
    bounds: slice | None,
) -> bool:
    """`target[key] = value`; False if nothing is known of the memory any more, and the store is still to be done."""
    entry = m.state.heap[target.oid]
    content = entry.extra
    assert isinstance(content, Content)
    if bounds is not None:
        return _store_part(m, target, content, bounds, value)
    value = m.state.resolve(value)
    index = _index(key, len(content.data))
    if index is None:
        return _store_somewhere(m, frame, op, target, key, value)
    plain = _fits(entry, value)
    believed = content.part(index) is not None
    if plain and not _is_real(entry) and not _under_control(m):
        assert type(value) is Known
        m.validate(key)
        entry = entry._replace(extra=content.storing(index, (value.value,)))  # type: ignore[arg-type]
        m.state.heap[target.oid] = entry
        if index in entry.names:
            _put(m, target, entry, index, value)
        m.folded += 1
        return True
    # A virtual object may hold the memory.
    pending = believed and (plain or (entry.cls is list and type(value) is not Virtual))
    if _is_real(entry) or not pending:
        real = _real(m, target)
        m.emit("setitem", (value, real, key), results=0, raises=entry.cls is bytearray and not plain)
        entry = m.state.heap[target.oid]
        content = entry.extra
        if not isinstance(content, Content) or (content.part(index) is None and index not in entry.names):
            return True
        value = _held(m, entry, real, key, m.state.resolve(value))
    m.validate(key)
    _put(m, target, entry, index, value)
    return True


def _fits(entry: VObject, value: AbstractValue) -> bool:
    """Is this a known int that such a memory holds?"""
    if type(value) is not Known or type(value.value) is not int:
        return False
    return entry.cls is list or 0 <= value.value < 256


def _held(m: Machine, entry: VObject, real: Dynamic, key: AbstractValue, value: AbstractValue) -> AbstractValue:
    """What an item is after storing this in it: a bytearray makes an int of it."""
    if entry.cls is list or exact_type(m, value) is int:
        return value
    return m.emit("getitem", (real, key), type=int, raises=False)


def _put(m: Machine, target: Virtual, entry: VObject, index: int, value: AbstractValue) -> None:
    """Remember what a believed item holds."""
    if index in entry.names:
        at = entry.names.index(index)
        m.state.heap[target.oid] = entry.with_items((*entry.items[:at], value, *entry.items[at + 1 :]))
        return
    m.state.heap[target.oid] = entry._replace(names=(*entry.names, index), items=(*entry.items, value))
    learned = ("memory", "item", entry.site, index)
    if not m.refused.has(learned):
        if len(list(_learned(m, "item", entry.site))) >= _MOST_ITEMS:
            _again(m, ("memory", entry.site))
        m.refused.add(learned)
    m.stored = True


def _store_part(m: Machine, target: Virtual, content: Content, bounds: slice, value: AbstractValue) -> bool:
    """`target[2:5] = b"abc"`: known values, as many as there were, where there is no real object yet."""
    entry = m.state.heap[target.oid]
    if _is_real(entry) or _under_control(m) or bounds.step not in (None, 1):
        return False
    if any(part is not None and type(part) is not int for part in (bounds.start, bounds.stop)):
        return False
    values = _known_ints(m, value)
    start, stop, _ = bounds.indices(len(content.data))
    if values is None or len(values) != stop - start or not values:
        return False
    if not all(_fits(entry, Known(one)) for one in values):
        return False
    names = {name: at for at, name in enumerate(entry.names)}
    items = list(entry.items)
    for index, one in enumerate(values, start):
        if index in names:
            items[names[index]] = Known(one)
    m.state.heap[target.oid] = entry._replace(items=tuple(items), extra=content.storing(start, values))
    m.folded += 1
    return True


def _known_ints(m: Machine, value: AbstractValue) -> Sequence[int] | None:
    """What a container holds, if that is known to be ints."""
    entry = m.state.object(value)
    held: Sequence[object]
    if entry is not None and entry.kind == "memory":
        other = entry.extra
        assert isinstance(other, Content)
        if entry.names or other.known != ((0, len(other.data)),):
            return None
        held = other.data
    elif entry is not None:
        if entry.kind not in ("list", "tuple") or not all(type(item) is Known for item in entry.items):
            return None
        held = [item.value for item in entry.items if type(item) is Known]
    elif type(value) is Known and type(value.value) in (bytes, tuple):
        held = value.value  # type: ignore[assignment]
    elif type(value) is Known and type(value.value) is list and m.frozen(value.value):
        held = value.value
        for item in held:
            m.reads(value.value, item)
    else:
        return None
    return held if all(type(item) is int for item in held) else None  # type: ignore[return-value]


def _store_somewhere(
    m: Machine, frame: Frame, op: Operation, target: Virtual, key: AbstractValue, value: AbstractValue
) -> bool:
    """A store at an open place: what is read at known places stays known if it is not there."""
    entry = m.state.heap[target.oid]
    content = entry.extra
    assert isinstance(content, Content)
    learned = ("memory", "stored", entry.site)
    if type(key) is not Dynamic or not content.known or m.state.general:
        return False
    if learned not in m.refused:
        parts = [("memory", "part", entry.site, part) for part in content.parts()]
        if not any(_learned(m, "read", entry.site)):
            return False
        _again(m, learned, ("memory", "early", entry.site), *parts)
    real = _real(m, target)
    content = m.state.heap[target.oid].extra
    if not isinstance(content, Content):
        return False
    low, high = content.known[0][0], content.known[-1][1]
    index = outside(m, frame, op, key, (low, high, len(content.data)))
    if index is None:
        m.event("FT305", f"a {entry.cls.__name__} is written at an open place: nothing is known of its items any more")
        return False
    m.emit("setitem", (value, real, index), results=0)
    return True
