"""What makes memories: long lists of one known int, or of known ones, and bytearrays; and what reads several items.

    [0] * 4096    program + [0] * 1000    bytearray(4096)    list(rom)        more than a virtual list has
    int.from_bytes(memory[pc:pc + 2], "big")    struct.unpack_from(">H", memory, pc)

Lists that are made of ints are memories from fewer items on, once states have turned out too large and too many to be
told apart item by item.

Invariant: shorter lists are virtual lists, whatever they hold.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.memories import LONGEST, Content, content_of, items_of, made, whole
from futamura.specializer.models import KEYWORD_MODELS, METHODS, MODELS, Keywords
from futamura.specializer.rules import SPECIAL, site
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Known, Virtual, VObject

__all__ = ["shortened_lists"]

_SHORTER: Final = ("memory", "shorter")
"""Refused in a specialization: that lists of ints are virtual up to the length to which others are."""
_SHORTEST: Final = 128
"""Shorter lists are never memories."""


def shortened_lists(m: Machine) -> bool:
    """The states are too large: from now on, lists of ints are memories where that makes them smaller.  False if they
    are already, or if there is none."""
    if m.refused.has(_SHORTER):
        return False
    held = [entry.items for entry in m.state.heap.values() if entry.kind == "list" and len(entry.items) > _SHORTEST]
    if not any(_is_of_ints(items) for items in held):
        return False
    m.refused.add(_SHORTER)
    return True


def _is_of_ints(items: Sequence[AbstractValue]) -> bool:
    """Are these mostly known ints?"""
    known = [item for item in items if type(item) is Known and type(item.value) is int]
    return 2 * len(known) > len(items)


def _longest(m: Machine) -> int:
    """So many ints may a virtual list hold that is made from one, or from known ones."""
    return _SHORTEST if _SHORTER in m.refused else m.budget.virtual_length


def _memory(m: Machine, frame: Frame, content: Content) -> AbstractValue | None:
    entry = made(m, site(frame), content)
    return None if entry is None else m.virtual(entry)


def _repeated(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`[0] * 4096`, of whose items nothing is believed: they are what a program fills."""
    for sequence, count in (args, args[::-1]):
        entry = m.state.object(sequence)
        if entry is None or entry.kind != "list" or len(entry.items) != 1 or type(count) is not Known:
            continue
        item = entry.items[0]
        if type(count.value) is int and type(item) is Known and type(item.value) is int:
            if _longest(m) < count.value <= LONGEST:
                return _memory(m, frame, Content((item.value,) * count.value, ()))
    return None


def _joined(m: Machine, left: AbstractValue, right: AbstractValue) -> Content | None:
    """What two lists of known ints hold together, if that is more than a virtual list has."""
    first, second = content_of(m, left), content_of(m, right)
    if first is None or second is None or len(first) + len(second) <= _longest(m):
        return None
    if any(frame.dynamic for frame in m.state.frames):
        return None  # it may grow and grow
    assert isinstance(first.data, tuple) and isinstance(second.data, tuple)
    shifted = [(low + len(first), high + len(first)) for low, high in second.known]
    known: list[tuple[int, int]] = []
    for low, high in (*first.known, *shifted):
        if known and known[-1][1] == low:
            known[-1] = known[-1][0], high
        else:
            known.append((low, high))
    return Content(first.data + second.data, tuple(known))


def _concatenated(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    content = _joined(m, *args)
    if content is None:
        return None
    if op.operator.name == "add":
        return _memory(m, frame, content)
    return args[0] if _becomes(m, frame, args[0], content) else None


def _becomes(m: Machine, frame: Frame, target: AbstractValue, content: Content) -> bool:
    """A list that gets long is a memory from now on."""
    entry = made(m, site(frame), content)
    if entry is None or type(target) is not Virtual:
        return False
    m.state.heap[target.oid] = entry
    return True


def _extended(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    content = _joined(m, target, args[0]) if len(args) == 1 else None
    if content is not None and _becomes(m, frame, target, content):
        return NONE
    return _other_extend(m, frame, op, target, held, args)


def _bytearray(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    if keywords or len(args) != 1 or type(args[0]) is not Known:
        return None
    given = args[0].value
    if type(given) is int and 0 < given <= LONGEST:
        return _memory(m, frame, Content(bytes(given), ()))
    return _memory(m, frame, whole(given)) if type(given) is bytes else None


def _list(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    given = args[0].value if len(args) == 1 and type(args[0]) is Known else None
    if (type(given) is bytes or type(given) is tuple) and _longest(m) < len(given) <= LONGEST:
        data: tuple[int, ...] = tuple(given)
        if set(map(type, data)) == {int} and (made := _memory(m, frame, whole(data))) is not None:
            return made
    return _other_list(m, frame, op, args)


_other_list: Final = MODELS[list]
_other_extend: Final = METHODS["list", "extend"]
MODELS[list] = _list
METHODS["list", "extend"] = _extended
KEYWORD_MODELS[bytearray] = _bytearray
SPECIAL["mul"].insert(0, _repeated)
SPECIAL["add"].insert(0, _concatenated)
SPECIAL["iadd"].insert(0, _concatenated)


# -- what reads several items


def _as_bytes(m: Machine, value: AbstractValue, bounds: slice) -> bytes | None:
    """The items of a bytearray from one place to another, if they are known."""
    entry = m.state.object(value)
    if entry is None or entry.kind != "memory" or entry.cls is not bytearray:
        return None
    items = items_of(m, entry, bounds)
    values = [item.value for item in items or () if type(item) is Known and type(item.value) is int]
    return bytes(values) if items is not None and len(values) == len(items) else None


def _from_bytes(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    data = _as_bytes(m, args[0], slice(None)) if args else None
    words = [one.value for one in (*args[1:], *(value for _, value in keywords)) if type(one) is Known]
    if data is None or len(words) != len(args) - 1 + len(keywords) or len(args) > 2:
        return None
    named = dict(zip([name for name, _ in keywords], words[len(args) - 1 :]))
    order = named.pop("byteorder", words[0] if len(args) == 2 else "big")
    signed = named.pop("signed", False)
    if named or order not in ("big", "little") or type(signed) is not bool:
        return None
    return Known(int.from_bytes(data, order, signed=signed))


def _bytes(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    data = _as_bytes(m, args[0], slice(None)) if len(args) == 1 and not keywords else None
    return None if data is None else Known(data)


def _unpack_from(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`struct.unpack_from(layout, memory, place)`, and `struct.unpack(layout, part)`."""
    if keywords or not 2 <= len(args) <= 3 or type(args[0]) is not Known or type(args[0].value) is not str:
        return None
    start = args[2].value if len(args) == 3 and type(args[2]) is Known else 0
    if type(start) is not int or start < 0 or (len(args) == 3 and type(args[2]) is not Known):
        return None
    try:
        size = struct.calcsize(args[0].value)
        data = _as_bytes(m, args[1], slice(start, start + size))
        if data is None:
            return None
        m.validate(args[-1])
        return Known(struct.unpack(args[0].value, data))
    except struct.error:
        return None


def _unpack(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    entry = m.state.object(args[1]) if len(args) == 2 else None
    if entry is None or entry.kind != "memory" or type(args[0]) is not Known or type(args[0].value) is not str:
        return None
    try:
        if struct.calcsize(args[0].value) != len(entry.extra):  # type: ignore[arg-type]
            return None
    except struct.error:
        return None
    return _unpack_from(m, frame, op, args, keywords)


for _function, _model in (
    (int.from_bytes, _from_bytes), (bytes, _bytes), (struct.unpack_from, _unpack_from), (struct.unpack, _unpack)
):  # fmt: skip
    assert _function not in KEYWORD_MODELS
    KEYWORD_MODELS[_function] = _model
