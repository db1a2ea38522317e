"""Abstract values and virtual objects.

During specialization a value of the program is one of

    Known(value, vid)    this very Python object; `vid` names it in `State.ages` (0: no provenance)
    Virtual(oid)         an object made during specialization that nothing outside has seen: `heap[oid]`
    Dynamic(rv, type)    a value of the residual program; `type` is its exact class, if known

A virtual object is immutable; changing it replaces its entry in the heap, so a snapshot of a heap is a
copy of a dict.

    [x, 1]  ->  Virtual(7), heap[7] = VObject("list", list, items=(Dynamic(3), Known(1)))
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple, TypeAlias

from futamura.ir.constant import ordered_key

__all__ = [
    "ANY_CLASS",
    "BARE",
    "FRESH",
    "FUNCTIONS",
    "LABELLED",
    "NONE",
    "OF_SUPER",
    "SHORT",
    "WRAPPER",
    "About",
    "AbstractValue",
    "Dynamic",
    "Known",
    "Shape",
    "VObject",
    "Virtual",
    "arguments_of",
    "bare_shape",
    "has_identity",
    "slot_of_super",
    "token_key",
    "tuple_shape",
]


class Known:
    """A value that every run of this code has.

    What a test has told, and not the static inputs, was `found` in another value, which stands for it again at the
    next specialization point: it tells no copies of the code apart.
    """

    __slots__ = ("found", "value", "vid")

    def __init__(self, value: object, vid: int = 0, found: Dynamic | None = None) -> None:
        self.value: Final = value
        self.vid: Final = vid
        self.found: Final = found

    def __repr__(self) -> str:
        return f"Known({self.value!r:.40})"


class Virtual:
    """A reference to a virtual object."""

    __slots__ = ("oid",)

    def __init__(self, oid: int) -> None:
        self.oid: Final = oid

    def __repr__(self) -> str:
        return f"Virtual({self.oid})"


class Shape(NamedTuple):
    """What is known of a value beside its class.

    Of an open list or tuple, what was promised of its contents: it holds while the state is intact, that of a list's
    elements always if that was promised, too (`lasting`); `items` are the classes of a tuple's items one by one, and
    those of the keys and values of a dict, or of its view or iterator.  Of a range or an iterator over one, the items'
    class and what none is below; of an iterator over a list, the items' class while the state is intact (`passing`);
    of an int, what it is not below, or above that (`most`), and whether it is `short`: it counts things that exist, so
    its text is not long; of a pair that `enumerate` gives, that it `counts`; of a match, or an iterator over matches,
    the class of its `texts` and the `pattern` that found it; of an object that the residual makes, that it is `bare`:
    no attribute of its own hides a method of its class; of a list that it makes, that it is `fresh`: none of those of
    whose contents something was promised.
    """

    length: int | None = None
    element: type | None = None
    least: int | None = None
    iterates: bool = False
    short: bool = False
    counts: bool = False
    texts: type | None = None
    bare: bool = False
    pattern: re.Pattern[Any] | None = None
    lasting: bool = False
    items: tuple[type | None, ...] | None = None
    most: int | None = None
    passing: bool = False
    fresh: bool = False


SHORT: Final = 1 << 64
"""Ints up to here are short ones; what exists is counted by fewer."""

ANY_CLASS: Final = -1
"""Nothing is known of the class of a value; see `refinement`."""


class About(NamedTuple):
    """What a residual value says of another one, `subject`.

    isinstance   whether it is an instance of one of the classes
    exact        whether its class is one of them
    class        its class itself; `held` is what is known of it
    caught       whether an `except StopIteration` takes it
    same         whether it is `other`, both being exceptions that were caught; this is forgotten where ways meet
    filled       nothing, but of itself that it is not empty
    """

    kind: str
    subject: int
    classes: tuple[type, ...] = ()
    positive: bool = True
    held: int = ANY_CLASS
    other: int = -1


class Dynamic:
    """A value that the residual program computes; its type holds wherever it is defined, `classes` on this way."""

    __slots__ = ("classes", "rv", "shape", "type")

    def __init__(self, rv: int, type: type | None = None, shape: Shape | None = None, classes: int = ANY_CLASS) -> None:
        self.rv: Final = rv
        self.type: Final = type
        self.shape: Final = shape
        self.classes: Final = classes

    def __repr__(self) -> str:
        return f"Dynamic({self.rv}, {self.type and self.type.__name__})"


AbstractValue: TypeAlias = Known | Virtual | Dynamic

BARE: Final = Shape(bare=True)
FRESH: Final = Shape(fresh=True)


def tuple_shape(kinds: tuple[type | None, ...]) -> Shape:
    """That of a tuple whose items are of these classes."""
    same = kinds[0] if len(set(kinds)) == 1 else None
    return Shape(len(kinds), same, lasting=True, items=None if same is not None or not any(kinds) else kinds)


def bare_shape(value: Dynamic) -> Shape | None:
    """What holds of an object wherever it goes."""
    return BARE if value.shape is not None and value.shape.bare else None


NONE: Final = Known(None)


HELD: Final = ("held",)
"""The name under which an instance of a class that extends `dict` has what is in it: no attribute is named so."""
WRAPPER: Final = "wrapper"
"""The kind of virtual functions that `functools.update_wrapper` has updated."""
LABELLED: Final = "labelled"
"""The kind of those on which the program has stored attributes: `names` and `items`, behind the function itself."""
FUNCTIONS: Final = ("function", WRAPPER, LABELLED)
OF_SUPER: Final = ("super",)
"""Marks a method of `cls` that its object has not under its name: a class in front has another one."""


class VObject(NamedTuple):
    """One virtual object; what `names`, `items` and `extra` hold depends on `kind`.

    list, tuple   items
    dict          names are the keys (exact builtin atoms), items the values, in insertion order
    set           names are the elements (exact builtin atoms) in the order of addition, items placeholders
    instance      names are the attributes, items their values; cls is the class; HELD is the name of what it holds as
                  a `dict`: a virtual dict whose extra is HELD
    cell          items is empty or holds the content
    function      extra is (function, FunctionAttr); items are its operands (defaults ... cells)
    wrapper       a function that was updated: items are (the function, what it wraps), extra what was copied
    bound         items are (function, self)
    method        a method of a builtin type: items are (self,), extra its name; names is OF_SUPER if `super()` gave it
    iterator      extra is "sequence", "backwards" (over a list), "enumerate" or "zip"; items depend on it
    slice         items are (start, stop, step)
    exception     items are the arguments, then the values of attributes; cls is the class; if extra is
                  "made", it was made without `__init__`, and names are the arguments' numbers and attributes' names;
                  if it is "stopped", the last item is the StopIteration of which a generator made it
    forward       items is (Dynamic,): the object was materialized
    """

    kind: str
    cls: type
    items: tuple[AbstractValue, ...]
    names: tuple[object, ...] = ()
    site: object = None
    extra: object = None

    def with_items(self, items: tuple[AbstractValue, ...]) -> VObject:
        """The object with other items; as `_replace`, but faster."""
        return VObject(self.kind, self.cls, items, self.names, self.site, self.extra)


def arguments_of(exception: VObject) -> tuple[AbstractValue, ...]:
    """What a virtual exception was made with."""
    if exception.extra != "made":
        return exception.items[:1] if exception.extra == "stopped" else exception.items
    return tuple([item for name, item in zip(exception.names, exception.items) if type(name) is int])


def slot_of_super(entry: VObject) -> Known:
    """The function behind a method that `super()` gave."""
    return Known(entry.cls.__dict__[str(entry.extra)])


def has_identity(value: object) -> bool:
    """Is this an immutable container, of which two equal ones are told apart by `is`?"""
    return type(value) in (tuple, frozenset) and bool(value)


def token_key(value: object) -> object:
    """The part of a version's key that stands for a known value."""
    if type(value) is range:
        return (range, value.start, value.stop, value.step)
    return ordered_key(value)
