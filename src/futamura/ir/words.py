"""Where CPython keeps what changes when an object does, as words of memory.

    offset_of_tags()          of a class: the number that is another one once the class or a base has changed
    offset_of_versions()      of a dict: the number of its state
    offsets_of_items()        of a list: how many items it has, and where they lie

All is found out by trying, once for each process; None where that does not tell.

Invariant: memory is read, never written, and only that of objects that exist, or lies right before or behind them.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import weakref
from collections.abc import Callable
from types import CellType, FunctionType, ModuleType
from typing import Any, Final

try:
    import ctypes

    _MEMORY: Any = ctypes
except ImportError:  # Python can be built without it
    _MEMORY = None

__all__ = [
    "INLINE_VALUES", "MOST_VALUES", "THERE", "WIDTH", "gathered", "is_readable", "keeps_values", "look_up",
    "offset_of_attributes", "offset_of_children", "offset_of_code", "offset_of_contents", "offset_of_tags",
    "offset_of_versions", "offsets_of_items", "place_of_now", "words_at",
]  # fmt: skip

_NO_NAME: Final = "_no_such_name_"
_FIELDS: Final = 3
"""So many attributes of a function lie side by side: code and defaults."""
WIDTH: Final = 8
"""Bytes of a word; nothing is read where pointers have fewer."""
_BEFORE: Final = 6
"""So many words before an object may say where its attributes are."""
INLINE_VALUES: Final = 1 << 2
"""The flag of classes whose objects have their attributes behind them."""
MOST_VALUES: Final = 30
"""So many attributes lie there at most."""
THERE: Final = 0xFF << 24
"""The byte of the word before them that says whether they are there."""


def _always() -> bool:
    return True


def look_up(cls: type) -> None:
    """Let the class be numbered, if it is not: no code of the program runs."""
    with contextlib.suppress(AttributeError):
        type.__getattribute__(cls, _NO_NAME)


def words_at(address: int, count: int) -> list[int]:
    """So many words of memory."""
    return list((_MEMORY.c_size_t * count).from_address(address))


@functools.cache
def is_readable() -> bool:
    """Can memory be read at all, and is it known how?"""
    if _MEMORY is None or sys.implementation.name != "cpython" or sys.maxsize.bit_length() != 8 * WIDTH - 1:
        return False
    locked: Callable[[], bool] = getattr(sys, "_is_gil_enabled", _always)
    return locked()  # else other threads change what is looked at


@functools.cache
def _buffers() -> tuple[Any, Any] | None:
    """The structure of a buffer with words that lie apart, and what makes a view of it."""
    if not is_readable():
        return None
    sizes = _MEMORY.POINTER(_MEMORY.c_ssize_t)
    fields = [
        ("buf", _MEMORY.c_void_p), ("obj", _MEMORY.c_void_p), ("len", _MEMORY.c_ssize_t),
        ("itemsize", _MEMORY.c_ssize_t), ("readonly", _MEMORY.c_int), ("ndim", _MEMORY.c_int),
        ("format", _MEMORY.c_char_p), ("shape", sizes), ("strides", sizes), ("suboffsets", sizes),
        ("internal", _MEMORY.c_void_p),
    ]  # fmt: skip
    structure = type("Buffer", (_MEMORY.Structure,), {"_fields_": fields})
    try:
        make = _MEMORY.pythonapi.PyMemoryView_FromBuffer
    except AttributeError:
        return None
    make.restype, make.argtypes = _MEMORY.py_object, [_MEMORY.POINTER(structure)]
    return structure, make


def gathered(addresses: list[int]) -> tuple[memoryview, Any] | None:
    """A view of these words, and what has to be kept as long as it is used."""
    found = _buffers()
    if found is None:
        return None
    structure, make = found
    count, size = len(addresses), _MEMORY.c_ssize_t
    pointers = (_MEMORY.c_void_p * count)(*addresses)
    shape, strides, suboffsets = (size * 1)(count), (size * 1)(WIDTH), (size * 1)(0)
    buffer = structure(
        buf=_MEMORY.addressof(pointers), len=count * WIDTH, itemsize=WIDTH, readonly=1, ndim=1, format=b"N",
        shape=_MEMORY.cast(shape, _MEMORY.POINTER(size)), strides=_MEMORY.cast(strides, _MEMORY.POINTER(size)),
        suboffsets=_MEMORY.cast(suboffsets, _MEMORY.POINTER(size)),
    )  # fmt: skip
    view: memoryview = make(_MEMORY.byref(buffer))
    return view, (pointers, buffer, shape, strides, suboffsets)


@functools.cache
def offset_of_tags() -> int | None:
    """Where the number of a class lies: it is gone when a base changes, and another one after the next look-up."""
    if not is_readable():
        return None
    base: Any = type("base", (), {})
    cls: Any = type("cls", (base,), {})
    changes: list[Callable[[], object]] = [
        lambda: setattr(base, "one", 1),
        lambda: setattr(cls, "two", 2),
        lambda: setattr(base, "one", 3),
        lambda: delattr(base, "one"),
    ]
    size = int(vars(type)["__basicsize__"].__get__(type)) // WIDTH
    found = set(range(size))
    for change in changes:
        words = []
        for step in (lambda: None, change, lambda: None):
            step()
            if step is not change:
                look_up(cls)
            words.append(words_at(id(cls), size))
        before, changed, after = words
        found = {at for at in found if before[at] and not changed[at] and after[at] and after[at] != before[at]}
    return WIDTH * found.pop() if len(found) == 1 else None


@functools.cache
def offset_of_children() -> int | None:
    """Where a class keeps what its subclasses are: nothing before it has one."""
    if not is_readable():
        return None
    size = int(vars(type)["__basicsize__"].__get__(type)) // WIDTH
    found = set(range(size))
    for bases in ((), (list,), (Exception,)):
        cls: Any = type("cls", bases, {"__slots__": ()})
        quiet: list[Callable[[Any], object]] = [
            lambda cls: cls(), lambda cls: setattr(cls, "one", 1), look_up, weakref.ref, hash,
            lambda cls: isinstance(1, cls), lambda cls: cls.__subclasses__(),
        ]  # fmt: skip
        for step in quiet:
            step(cls)
            words = words_at(id(cls), size)
            found = {at for at in found if not words[at]}
        derived = type("derived", (cls,), {})
        words = words_at(id(cls), size)
        found = {at for at in found if words[at]}
        assert derived.__base__ is cls
    return WIDTH * found.pop() if len(found) == 1 else None


@functools.cache
def place_of_now(kind: Any) -> tuple[int, int] | None:
    """Where objects of a class with slots keep their attribute `now`, and what is there if that is False."""
    if not is_readable() or "__dict__" in dir(kind):
        return None
    made = kind()
    size = (kind.__basicsize__ + WIDTH - 1) // WIDTH
    states: list[list[int]] = []
    for _ in range(3):
        for value in (False, True, 2):
            made.now = value
            states.append(words_at(id(made), size))
    apart = [at for at in range(size) if len({words[at] for words in states[:3]}) == 3]
    found = [at for at in apart if all(words[at] == states[number % 3][at] for number, words in enumerate(states))]
    return (WIDTH * found[0], states[0][found[0]]) if len(found) == 1 else None


@functools.cache
def offset_of_attributes() -> int | None:
    """Where, before the object itself, a word leads to the dict of its attributes."""
    if not is_readable():
        return None
    found = set(range(1, _BEFORE))
    for slots in ((), ("__dict__", "one"), ("__dict__", "__weakref__")):
        made: Any = type("made", (), {"__slots__": slots} if slots else {})()
        made.first = 1
        for attributes in (None, {"other": 3}):
            if attributes is not None:
                made.__dict__ = attributes
            held = vars(made)
            found = {at for at in found if words_at(id(made) - WIDTH * at, 1) == [id(held)]}
    return -WIDTH * found.pop() if len(found) == 1 else None


@functools.cache
def keeps_values() -> bool:
    """Do the attributes of an object lie behind it, after a word that says how many there can be, that they are there,
    and is another one when there is one more, or none?"""
    if not is_readable() or sys.byteorder != "little":
        return False
    cls: Any = type("made", (), {})
    for at in range(3):  # what is stored in all objects has its place in each
        cls().__dict__.update({"one": at, "two": at})
    first, second, third = object(), object(), object()
    made = cls()
    made.one, made.two = first, second
    if not cls.__flags__ & INLINE_VALUES or cls.__basicsize__ % WIDTH:
        return False
    start = id(made) + cls.__basicsize__

    def words() -> list[int]:
        return words_at(start, 4)

    before = words()
    held = vars(made)
    shown = words()
    made.three = third
    more = words()
    made.two = third
    other = words()
    del made.one
    less = words()
    made.__dict__ = dict(held)
    gone = words()
    is_there = [bool(one[0] & THERE) for one in (before, shown, more, other, less, gone)]
    return (
        shown == before and before[1:3] == [id(first), id(second)] and more[0] != before[0] and more[3] == id(third)
        and other[2] == id(third) and less[1] == 0 and is_there == [True] * 5 + [False]
        and 3 <= before[0] & 0xFF <= MOST_VALUES
    )  # fmt: skip


@functools.cache
def offsets_of_items() -> tuple[int, int] | None:
    """Where a list keeps how many items it has, and where they lie."""
    if not is_readable():
        return None
    size = list.__basicsize__ // WIDTH
    counts, places = set(range(size)), set(range(size))
    for count in (5, 11, 300):
        made: list[object] = [object() for _ in range(count)]
        for items in ([], [made[0]], made[1:], made[:]):
            made.extend(items)
            made.reverse()
            words = words_at(id(made), size)
            counts = {at for at in counts if words[at] == len(made)}
            places = {at for at in places if words[at] > WIDTH**4 and not words[at] % WIDTH}
            places = {at for at in places if at > 1 and words_at(words[at], len(made)) == [*map(id, made)]}
    if len(counts) != 1 or len(places) != 1:
        return None
    return WIDTH * counts.pop(), WIDTH * places.pop()


@functools.cache
def offset_of_code() -> int | None:
    """Where a function keeps its code, with its defaults behind it."""
    if not is_readable():
        return None

    def one(a: int = 1, *, b: int = 2) -> int:
        return a + b

    def other(a: int = 3, *, b: int = 4) -> int:
        return a - b

    size = FunctionType.__basicsize__ // WIDTH
    found = set(range(size - _FIELDS))
    for fields in ((one.__code__, one.__defaults__, one.__kwdefaults__), (other.__code__, other.__defaults__, None)):
        one.__code__, one.__defaults__, one.__kwdefaults__ = fields
        words = words_at(id(one), size)
        wanted = [0 if field is None else id(field) for field in fields]
        found = {at for at in found if words[at : at + _FIELDS] == wanted}
    return WIDTH * found.pop() if len(found) == 1 else None


@functools.cache
def offset_of_contents() -> int | None:
    """Where a cell keeps what it holds."""
    if not is_readable():
        return None
    contents: list[object] = [[], {}]
    cell = CellType(contents[0])
    size = CellType.__basicsize__ // WIDTH
    found = set(range(size))
    for content in contents:
        cell.cell_contents = content
        words = words_at(id(cell), size)
        found = {at for at in found if words[at] == id(content)}
    return WIDTH * found.pop() if len(found) == 1 else None


@functools.cache
def offset_of_versions() -> int | None:
    """Where the number of a dict's state lies: another one behind each change, whatever makes it."""
    if not is_readable():
        return None
    module: Any = ModuleType("module")
    space = vars(module)
    text = "def store(n):\n global one\n one = n\ndef read():\n return one\n"
    exec(compile(text, "<stamps>", "exec", dont_inherit=True), space)

    def through_the_module(n: object) -> None:
        module.one = n

    changes: list[Callable[[], object]] = [
        lambda: space["store"](object()),
        lambda: through_the_module(object()),
        lambda: space.update(one=object()),
        lambda: space.__setitem__("two", object()),
        lambda: space.pop("two"),
        lambda: space.setdefault("two", object()),
        lambda: delattr(module, "two"),
        lambda: [space.__setitem__(f"name{at}", object()) for at in range(40)],
        lambda: space.__ior__({"one": object()}),
    ]
    size = dict.__basicsize__ // WIDTH
    found = set(range(size))
    space["store"](0)
    for _ in range(40):  # what is done often is done by other instructions later
        for change in changes:
            before = words_at(id(space), size)
            space["read"](), len(space), [*space], space.get("one"), space.copy()
            same = words_at(id(space), size)
            change()
            after = words_at(id(space), size)
            found = {at for at in found if before[at] == same[at] != after[at]}
    return WIDTH * found.pop() if len(found) == 1 else None
