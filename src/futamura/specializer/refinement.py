"""What tests on the class of an open value tell: the classes that it may still have, as a set of bits.

    isinstance(x, str) is true       x may be an exact str or of a subclass; isinstance(x, (int, float)) is false
    type(x) is int is false          x may still be of a subclass of int
    x is None is true                x is exactly None; x is known to have a class that runs nothing

For each of the builtin classes that exclude each other by the layout of their instances there are two bits: "exactly
this class", and "of a subclass, or with a `__class__` that says so"; one bit stands for every StopIteration, one for
everything else.  A branch on such a test, or on an except clause, leaves its two ways with two different sets; where
ways meet, the sets are united.

Invariant: the class of the value at run time is in its set, if no object is of one of these classes and claims by
`__class__` to be of another.  Sets speak of classes that no assignment to `__class__` can change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from futamura.ir.classes import is_a
from futamura.specializer.state import State
from futamura.specializer.values import ANY_CLASS, NONE, About, AbstractValue, Dynamic, Known, Virtual

__all__ = [
    "A_CLASS", "A_TEXT", "NO_PLAIN_VALUE", "NO_STOP", "about_operands", "answer", "asked_of_none", "asks_plainly",
    "called", "classes_of", "joined", "matches", "may_be_stop", "one_of", "plain_check", "refused_by", "told",
]  # fmt: skip

_TABLE: Final[tuple[type, ...]] = (
    int, bool, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, type(None), re.Match,
)  # fmt: skip
_EXACT: Final = {kind: 1 << 2 * at for at, kind in enumerate(_TABLE)}
_BY_BIT: Final = {bit: kind for kind, bit in _EXACT.items()}
_OTHER: Final = 1 << 2 * len(_TABLE)
_STOP: Final = 2 * _OTHER
"""What is of StopIteration, or of a class below, whatever it says."""
_ALL: Final = 2 * _STOP - 1
NO_STOP: Final = _ALL & ~_STOP
"""The bits of an exception that has left a generator."""
_SUBCLASSES: Final = sum(bit << 1 for bit in _EXACT.values())
_PLAIN: Final = sum(_EXACT.values())
"""What is exactly of one of these classes says by itself whether it is true."""
_TRUE_OR_NONE: Final = _EXACT[re.Match] | _EXACT[type(None)]


def _instances(kind: type) -> int:
    """The bits of what `isinstance` accepts for a class of the table."""
    return sum(bit | bit << 1 for one, bit in _EXACT.items() if issubclass(one, kind))


_ACCEPTED: Final = {kind: _instances(kind) for kind in _TABLE}
A_TEXT: Final = _ACCEPTED[str]
"""The bits of a string, maybe of a subclass."""
A_CLASS: Final = _OTHER
NO_PLAIN_VALUE: Final = _SUBCLASSES | _OTHER | _STOP
"""The bits of what is exactly of none of the classes of the table, as no iterator is."""


def plain_check(cls: object) -> bool:
    """Does `isinstance` look at nothing but the class's bases?"""
    return (
        is_a(cls, type)
        and type(cls).__instancecheck__ is type.__instancecheck__
        and (type(cls).__subclasscheck__ is type.__subclasscheck__)
    )


def _bounds(cls: type) -> tuple[int, int]:
    """The bits of values that surely are instances of `cls`, and of those that may be."""
    if cls is object:
        return _ALL, _ALL
    if cls in _ACCEPTED:
        return _ACCEPTED[cls], _ACCEPTED[cls]
    bases = [base for base in cls.__mro__ if base in _EXACT]
    if bases:
        return 0, _ACCEPTED[bases[0]] & _SUBCLASSES
    if cls in _ABOVE_STOP:
        return _STOP, _SUBCLASSES | _OTHER | _STOP
    return 0, _SUBCLASSES | _OTHER | _STOP


_ABOVE_STOP: Final = (StopIteration, Exception, BaseException)


def _accepted(classes: tuple[type, ...]) -> tuple[int, int]:
    surely = possibly = 0
    for cls in classes:
        low, high = _bounds(cls) if plain_check(cls) else (0, _ALL)
        surely |= low
        possibly |= high
    return surely, possibly


def classes_of(value: AbstractValue, state: State | None = None) -> int:
    """The bits of the classes that `value` may have."""
    kind: type | None = None
    if type(value) is Known:
        kind = type(value.value)
    elif type(value) is Dynamic:
        kind = value.type
        if kind is None:
            return value.classes & _ALL
    elif type(value) is Virtual and state is not None:
        entry = state.heap[value.oid]
        kind = entry.cls if entry.kind in ("list", "tuple", "dict", "set") else None
    if kind is None:
        return _ALL
    if BaseException in kind.__mro__:
        return _STOP if StopIteration in kind.__mro__ else NO_STOP
    return _EXACT.get(kind, _ALL)


def may_be_stop(exception: AbstractValue) -> bool:
    """May this exception be a StopIteration?"""
    return bool(classes_of(exception) & _STOP)


def _narrow(value: Dynamic, classes: int) -> Dynamic:
    """The same value, of which these classes are known."""
    classes &= _ALL
    if value.type is not None:
        return value
    kind = _BY_BIT.get(classes)
    if kind is not None:
        return Dynamic(value.rv, kind, value.shape)
    return Dynamic(value.rv, None, value.shape, ANY_CLASS if classes == _ALL else classes)


def one_of(kinds: Sequence[type]) -> int:
    """The bits of a value that is exactly of one of these classes of the table."""
    return sum([_EXACT[kind] for kind in kinds])


def asked_of_none(name: str, args: list[AbstractValue]) -> tuple[str, list[AbstractValue]]:
    """A test for truth of what is None, or true by its class, as a test for None."""
    if name in ("not", "truth") and type(args[0]) is Dynamic and not classes_of(args[0]) & ~_TRUE_OR_NONE:
        return "is" if name == "not" else "is_not", [args[0], NONE]
    return name, args


def asks_plainly(name: str, args: Sequence[AbstractValue]) -> bool:
    """Does this test for truth run no code, and raise nothing?"""
    return name in ("truth", "not") and not classes_of(args[0]) & ~_PLAIN


_MAKES_TEXT: Final = {id(function): function for function in (str, repr, format)}


def called(made: Dynamic, function: AbstractValue) -> Dynamic:
    """The result of a call of `function`: `str(x)` is a text, maybe of a subclass, whatever `x` says."""
    makes_text = type(function) is Known and id(function.value) in _MAKES_TEXT
    return _narrow(made, classes_of(made) & _ACCEPTED[str]) if makes_text else made


def joined(left: int, right: int) -> int:
    """The bits of a value that is one of two."""
    found = left | right
    return ANY_CLASS if found == _ALL else found


def answer(value: AbstractValue, classes: tuple[type, ...], *, exact: bool = False) -> bool | None:
    """Is `value` an instance of (with `exact`: exactly of) one of these classes?  None if that is open."""
    held = classes_of(value)
    if exact:
        bits = sum(_EXACT.get(cls, 0) for cls in classes)
        surely, possibly = bits, bits if all(cls in _EXACT for cls in classes) else _accepted(classes)[1]
    else:
        surely, possibly = _accepted(classes)
    if not held & ~surely:
        return True
    return None if held & possibly else False


def _learn(held: int, about: About, truth: bool) -> int:
    """The bits that remain of `held` when the test comes out as `truth`."""
    if about.kind == "caught":
        return held & (_STOP if truth else NO_STOP)
    if about.kind == "exact":
        bits = sum(_EXACT.get(cls, 0) for cls in about.classes)
        surely, possibly = bits, bits if all(cls in _EXACT for cls in about.classes) else _ALL
    else:
        surely, possibly = _accepted(about.classes)
    return held & possibly if truth is about.positive else held & ~surely


def told(state: State, about: About, truth: bool) -> None:
    """A branch on the test is taken: every place that holds the tested value knows more."""
    if about.kind == "same":
        if truth is about.positive:
            _are_one(state, about)
        return
    for frame in state.frames:
        for place, content in frame.env.items():
            if type(content) is Dynamic and content.rv == about.subject:
                frame.env[place] = _narrow(content, _learn(classes_of(content), about, truth))
    for oid, entry in state.heap.items():
        if any(type(item) is Dynamic and item.rv == about.subject for item in entry.items):
            state.heap[oid] = entry._replace(
                items=tuple(
                    _narrow(item, _learn(classes_of(item), about, truth))
                    if type(item) is Dynamic and item.rv == about.subject
                    else item
                    for item in entry.items
                )
            )


def _are_one(state: State, about: About) -> None:
    """Two exceptions that were caught are one: it has one name from here on."""
    held = [item for frame in state.frames for item in frame.env.values()]
    held += [item for entry in state.heap.values() for item in entry.items]
    one = next((item for item in held if type(item) is Dynamic and item.rv == about.other), None)
    if one is None:
        return

    def named(item: AbstractValue) -> AbstractValue:
        return one if type(item) is Dynamic and item.rv == about.subject else item

    for frame in state.frames:
        frame.env.update({place: named(item) for place, item in frame.env.items()})
    for oid, entry in state.heap.items():
        if any(named(item) is not item for item in entry.items):
            state.heap[oid] = entry.with_items(tuple([named(item) for item in entry.items]))


def matches(exception: AbstractValue, classes: tuple[type, ...]) -> bool | None:
    """Does an except clause for these classes of exceptions take what was caught?  None if that is open."""
    if BaseException in classes or (not classes_of(exception) & NO_STOP and not set(classes).isdisjoint(_ABOVE_STOP)):
        return True
    stops = all(StopIteration in cls.__mro__ for cls in classes)
    return False if stops and not may_be_stop(exception) else None


def refused_by(value: AbstractValue, constant: object) -> bool:
    """Is it known by its classes that `value` is not this very builtin constant?"""
    kind = type(constant)
    return kind in _EXACT and not classes_of(value) & _EXACT[kind]


def about_operands(state: State, name: str, args: list[AbstractValue]) -> About | None:
    """What the result of an operator that stays says of an operand."""
    if name == "not":
        about = state.abouts.get(args[0].rv) if type(args[0]) is Dynamic else None
        tested = about is not None and about.kind in ("isinstance", "exact")
        return about._replace(positive=not about.positive) if about is not None and tested else None
    if name not in ("is", "is_not"):
        return None
    known, other = (args[0], args[1]) if type(args[0]) is Known else (args[1], args[0])
    if type(known) is not Known or type(other) is not Dynamic:
        return None
    positive = name == "is"
    if known.value is None:
        return About("exact", other.rv, (type(None),), positive)
    about = state.abouts.get(other.rv)
    if about is not None and about.kind == "class" and is_a(known.value, type):
        return About("exact", about.subject, (known.value,), positive)
    return None
