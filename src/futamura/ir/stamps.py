"""Have these classes, functions, modules, variables and objects changed at all?  One comparison of memory tells.

    stamp = stamp_of([class_mark(Rule), function_mark(match), namespace_mark(vars(shop)), cell_mark(cell)])
    stamp.now == stamp.was         until an attribute of `Rule` or of a base is stored or deleted, or code or defaults
                                   of `match`, a global of `shop`, or what `cell` holds

CPython numbers anew what it has looked up in a class whenever the class or a base changes (`tp_version_tag`), numbers
the states of each dict (up to 3.12; from then on it keeps attributes in their object), keeps code and defaults of a
function side by side, and the items of a list in one place.  Where these words lie is found out by
trying, once for each process: of what is not found there are no marks, and it is tested one by one.  A view of words
that lie apart (by the `suboffsets` of Python's buffers) is compared in 25 ns and 1.3 for each word.

Invariant: memory is read, never written, and only that of objects which whoever has the stamp keeps alive, or that of
which such an object, whose words are compared before, says that it is there: the first word that differs ends it.
A stamp that differs says nothing: what was assumed is tested one by one, and if it holds, the stamp is taken anew.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import CellType, FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, Final, NamedTuple

from futamura.ir.homes import binds_globals
from futamura.ir.words import (
    INLINE_VALUES,
    MOST_VALUES,
    THERE,
    WIDTH,
    gathered,
    is_readable,
    keeps_values,
    look_up,
    offset_of_attributes,
    offset_of_children,
    offset_of_code,
    offset_of_contents,
    offset_of_tags,
    offset_of_versions,
    offsets_of_items,
    place_of_now,
    words_at,
)

__all__ = [
    "FEW_OWN_NAMES", "STAMPED", "Mark", "Stamp", "cell_mark", "class_mark", "flag_mark", "function_mark",
    "joins_the_stamp", "list_mark", "namespace_mark", "object_mark", "restamping", "stamp_of", "words_for",
]  # fmt: skip

STAMPED: Final = ("__code__", "__defaults__", "__kwdefaults__")
"""The attributes of a function that its mark stands for, in the order in which it has them."""
FEW_OWN_NAMES: Final = 6
"""So many globals of a function's own module are read one by one: the module may be a script, which binds others while
the function is called."""
_NAMES_FOR_A_STAMP: Final = (5, 2, 1)
"""So many names take longer than a look at their module, if there is no stamp otherwise; one other look-up; a stamp."""
_FIELDS: Final = len(STAMPED)
_NUMBER: Final = (1 << 32) - 1
_NOTHING: Final = (1 << 64) - 1
"""What no word is that a mark stands for."""
_HEAP_TYPE: Final = 1 << 9
"""The flag of classes that a class statement made."""
_RESTLESS: Final = 30
"""So often an object changes, or has no mark (a class that has changed too often gets no number any more, on CPython
3.13), before it is tested alone, and the others by a stamp without it."""


class Mark(NamedTuple):
    """Words of memory that change when their object does."""

    holder: Any
    addresses: tuple[int, ...]
    numbered: bool = False
    """Is it no mark while the first half of the word is 0?"""
    last: int | None = None
    """What the last word has to be; it is no mark while it is not."""
    fixed: tuple[int, ...] = ()
    """What the first words have to be: they say where the others lie.  It is a mark no more once they are not."""
    kept: object = None
    """What has some of the words, and has to live as long as the holder."""
    bits: int = 0
    """It is no mark while the first word has none of these."""

    def is_set(self, words: Sequence[int]) -> bool:
        """Would these words of the mark be others if the object had changed?"""
        if self.bits and not words[0] & self.bits:
            return False
        if self.last is not None and words[-1] != self.last:
            return False
        return not self.numbered or bool(words[0] & _NUMBER if sys.byteorder == "little" else words[0] >> 32)


class Stamp(NamedTuple):
    """The memory as it is, and as it was; they are compared."""

    now: memoryview
    was: memoryview
    marks: tuple[Mark, ...]
    pointers: Any
    """Where the words lie; the view reads it."""
    fixed: tuple[memoryview, memoryview] | None = None
    """Those that say where others lie, as they are and as they have to be: unless they are the same, nothing else is
    read."""

    def words(self) -> list[int] | None:
        """All of them as they are; None if some are not where they were.  Nothing runs before they are read."""
        now, was = self.fixed or (None, None)
        read = self.now.tobytes() if now == was else None  # bytes: making a list might run the collector first
        return None if read is None else memoryview(read).cast(self.now.format).tolist()  # type: ignore[call-overload]


def class_mark(cls: type, *, childless: bool = False) -> Mark | None:
    """The mark of a class, if it can be told; `childless`: the first subclass that it gets changes it, too."""
    offset = offset_of_tags()
    children = offset_of_children() if childless else 0
    if offset is None or children is None:
        return None
    look_up(cls)
    addresses = (id(cls) + offset, id(cls) + children)[: 1 + childless]
    mark = Mark(cls, addresses, numbered=True, last=0 if childless else None)
    return mark if mark.is_set([word for address in addresses for word in words_at(address, 1)]) else None


def function_mark(function: FunctionType) -> Mark | None:
    """The mark of a function, if it can be told."""
    offset = offset_of_code()
    if offset is None:
        return None
    first = id(function) + offset
    return Mark(function, tuple(first + WIDTH * at for at in range(_FIELDS)))


def namespace_mark(namespace: dict[str, Any]) -> Mark | None:
    """The mark of a dict, if it can be told."""
    offset = offset_of_versions()
    return None if offset is None or type(namespace) is not dict else Mark(namespace, (id(namespace) + offset,))


def cell_mark(cell: CellType) -> Mark | None:
    """The mark of a variable of closures, if it can be told."""
    offset = offset_of_contents()
    return None if offset is None else Mark(cell, (id(cell) + offset,))


def flag_mark(flag: Any) -> Mark | None:
    """The mark of an object that can be made without arguments, as long as its attribute `now` (False, True or 2) is
    False."""
    kind: Any = type(flag)
    found = place_of_now(kind)
    return None if found is None else Mark(flag, (id(flag) + found[0],), last=found[1])


def joins_the_stamp(names: int, others: int, namespace: Mapping[str, Any]) -> bool:
    """Is it faster to look at the state of a module than to read so many of its names one by one, beside so many other
    look-ups that a stamp is for?  Not if the module binds names while it runs: the stamp would differ each time."""
    few = _NAMES_FOR_A_STAMP[min(others, len(_NAMES_FOR_A_STAMP) - 1)]
    return few <= names and offset_of_versions() is not None and not binds_globals(namespace)


def object_mark(value: object, held: Sequence[object] | None) -> Mark | None:
    """The mark of an object of a class written in Python that extends `object`: it tells whether that gets another
    class, or attributes that hold these are stored or deleted; or (None) any in its dict, or others."""
    cls: Any = type(value)
    if not is_readable() or not all(base is object or base.__flags__ & _HEAP_TYPE for base in cls.__mro__):
        return None
    slots = any(type(one) is MemberDescriptorType for base in cls.__mro__ for one in base.__dict__.values())
    own = _holding(id(value), range(2, cls.__basicsize__ // WIDTH), held) if slots else ()
    kept = [base.__dict__["__dict__"] for base in cls.__mro__ if "__dict__" in base.__dict__]
    kind = id(value) + WIDTH  # behind the count of references
    if words_at(kind, 1) != [id(cls)]:
        return None
    if not kept:
        return Mark(value, (kind, *own)) if own else None
    place, version = offset_of_attributes(), offset_of_versions()
    if type(kept[0]) is not GetSetDescriptorType or place is None:
        return None  # reading it would run code, or it is not known where it is
    if cls.__flags__ & INLINE_VALUES:
        return _mark_of_values(value, held, (kind, *own))
    if version is None:
        return None
    attributes = kept[0].__get__(value)
    if type(attributes) is not dict or words_at(id(value) + place, 1) != [id(attributes)]:
        return None
    addresses = (id(value) + place, id(attributes) + version, kind, *own)
    return Mark(value, addresses, fixed=(id(attributes),), kept=attributes)


def _holding(start: int, places: Sequence[int], held: Sequence[object] | None) -> tuple[int, ...]:
    """The addresses of these words, counted from the start, as far as they lead to one of these."""
    addresses = [start + WIDTH * at for at in places]
    wanted = set(map(id, held or ()))
    return tuple(one for one in addresses if held is None or words_at(one, 1)[0] in wanted)


def _mark_of_values(value: object, held: Sequence[object] | None, slots: tuple[int, ...]) -> Mark | None:
    """The same where attributes lie behind the object itself: how many there are, and whether they still lie there, is
    what the first word tells."""
    cls: Any = type(value)
    start = id(value) + cls.__basicsize__
    if not keeps_values():
        return None
    (head,) = words_at(start, 1)
    count = head & 0xFF
    if not head & THERE or not 0 < count <= MOST_VALUES:
        return None
    return Mark(value, (start, *_holding(start, range(1, count + 1), held), *slots), bits=THERE)


def list_mark(value: list[Any]) -> Mark | None:
    """The mark of a list: what its items are, and how many."""
    found = offsets_of_items()
    if found is None or type(value) is not list:
        return None
    header = tuple(id(value) + offset for offset in found)
    count, first = (words_at(address, 1)[0] for address in header)
    return Mark(value, (*header, *(first + WIDTH * at for at in range(count))), fixed=(count, first))


def words_for(value: object) -> int:
    """How many words tell whether this container, or the attributes of this object, have changed; 0 if none do."""
    if type(value) is list:
        return len(value) + 2 if offsets_of_items() is not None else 0
    if type(value) is dict:
        return int(offset_of_versions() is not None)
    if type(value) in (set, frozenset) or offset_of_attributes() is None:
        return 0
    return 2


def stamp_of(marks: Sequence[Mark]) -> Stamp | None:
    """All these marks in one; None if Python does not give such a view."""
    addresses = [address for mark in marks for address in mark.addresses]
    made = gathered(addresses)
    if made is None:
        return None
    now, pointers = made
    fixed = [(address, word) for mark in marks for address, word in zip(mark.addresses, mark.fixed)]
    said = gathered([address for address, _ in fixed]) if fixed else None
    wanted = None if said is None else (said[0], _remembered(said[0], [word for _, word in fixed]))
    stamp = Stamp(now, _remembered(now, [_NOTHING] * len(addresses)), tuple(marks), (pointers, said), wanted)
    words = stamp.words()
    if words is None:
        return None
    _set(stamp.was, words)
    return stamp


def _remembered(view: memoryview, words: list[int]) -> memoryview:
    """A view of memory of our own that can be compared with this one."""
    made: memoryview = memoryview(bytearray(WIDTH * len(words))).cast(view.format)  # type: ignore[call-overload]
    _set(made, words)
    return made


def restamping(stamp: Stamp, holds: Callable[[Sequence[object]], Callable[[], bool]]) -> Callable[[], bool]:
    """Asks whether what was assumed of all holders still holds, and takes the stamp anew if it does; so it is asked
    now, too.  `holds` makes the function that asks this of some of the holders.  Keeps them alive."""
    return _Restamping(stamp, holds).still_holds


class _Restamping:
    """What is done where the stamp differs."""

    def __init__(self, stamp: Stamp, holds: Callable[[Sequence[object]], Callable[[], bool]]) -> None:
        self._stamp: Final = stamp
        self._holds: Final = holds
        self._all_hold: Final = holds([mark.holder for mark in stamp.marks])
        self._changes: Final = [0] * len(stamp.marks)
        self._calm: tuple[Callable[[], bool], Stamp, Callable[[], bool]] | None = None
        """Of the restless holders: whether they hold; of the others: a stamp, and what is done where it differs."""
        _set(stamp.was, [_NOTHING] * len(stamp.was))
        with contextlib.suppress(Exception):  # what was assumed may not be there any more
            self.still_holds()

    def still_holds(self) -> bool:
        if self._calm is not None:
            restless, stamp, others = self._calm
            return restless() and (stamp.now == stamp.was or others())
        for mark in self._stamp.marks:
            if mark.numbered:
                look_up(mark.holder)
        now = self._stamp.words()
        if not self._all_hold():
            return False
        if now is None:
            self._tell_moved()
            self._calm_down()
            return True
        changing, all_set = False, True
        at = 0
        for number, mark in enumerate(self._stamp.marks):
            words = now[at : at + len(mark.addresses)]
            is_set = mark.is_set(words)
            all_set = all_set and is_set
            if not is_set or words != self._stamp.was[at : at + len(words)].tolist():
                self._changes[number] += 1
                changing = changing or self._changes[number] >= _RESTLESS
            at += len(words)
        if changing:
            self._calm_down()
        elif all_set:
            _set(self._stamp.was, now)
        return True

    def _tell_moved(self) -> None:
        """The words of some objects are elsewhere by now: these are tested one by one."""
        for number, mark in enumerate(self._stamp.marks):
            if any(words_at(address, 1) != [word] for address, word in zip(mark.addresses, mark.fixed)):
                self._changes[number] = _RESTLESS

    def _calm_down(self) -> None:
        """From now on objects that change again and again are tested one by one."""
        _set(self._stamp.was, [_NOTHING] * len(self._stamp.was))
        restless = [mark.holder for mark, times in zip(self._stamp.marks, self._changes) if times >= _RESTLESS]
        marks = [mark for mark, times in zip(self._stamp.marks, self._changes) if times < _RESTLESS]
        stamp = stamp_of(marks) if marks else None
        if stamp is None:
            self._calm = (self._all_hold, self._stamp, _always)
        else:
            self._calm = (self._holds(restless), stamp, restamping(stamp, self._holds))


def _always() -> bool:
    return True


def _set(view: memoryview, words: list[int]) -> None:
    for place, word in enumerate(words):
        view[place] = word
