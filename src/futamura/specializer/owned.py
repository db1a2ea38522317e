"""Dicts that the residual makes and that nothing else has: a store under a plain key runs no code and raises nothing.

    errors = {}                       made at run time, for its keys differ from way to way
    errors["age"] = str(problem)      no key in it runs code when it is compared: nothing can raise, nobody is told
    self.found = errors               from here on others have it, and may put into it whatever they like

`State.owned` names such dicts by their residual values.  An operation that gets one as an operand takes it away, unless
it is known to leave it where it is (`used`).

Invariant: an owned dict has keys of exact builtin classes only, no other residual value of the state is the same dict,
no object that exists at run time holds it, and every use of it in a state names it by the one residual value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Final

from futamura.specializer.plainness import comparable, hashable
from futamura.specializer.state import State
from futamura.specializer.values import HELD, OF_SUPER, AbstractValue, Dynamic, Known, Virtual, VObject

__all__ = ["NOTHING", "SCALARS", "disown", "held_by", "is_owned", "is_plain_key", "starts_owned", "used"]

NOTHING: Final[frozenset[int]] = frozenset()

SCALARS: Final = frozenset({int, float, complex, str, bytes, bool, type(None), range})
"""Builtin classes whose instances are compared, hashed and shown without running code of the program."""
_CONTAINER: Final = {"getitem": 0, "setitem": 1, "delitem": 0, "in": 1, "not_in": 1}
"""Operators that look a key up, and the place of the operand that they look into."""
_LOOKING: Final = frozenset({"truth", "not", "is", "is_not", "iter"})
_FUNCTIONS: Final = (len, bool, list, tuple, set, frozenset, dict, sorted, iter, enumerate, min, max, any, all)
"""What looks at the keys of its only argument, and keeps at most an iterator."""
_METHODS: Final = {"get": 2, "pop": 2, "setdefault": 2, "copy": 0, "clear": 0}
"""Methods that keep the dict for nobody, and at most how many arguments they take; the first one is a key.  A view
leads back to its dict, for who has it (`view.mapping == x`)."""


def is_owned(state: State, value: AbstractValue) -> bool:
    value = state.resolve(value)
    return type(value) is Dynamic and value.rv in state.owned


def is_plain_key(state: State, value: AbstractValue) -> bool:
    """Does this key compare without running code of the program?"""
    value = state.resolve(value)
    if type(value) is Known:
        return comparable(value.value) and hashable(value.value)
    return type(value) is Dynamic and value.type in SCALARS


def starts_owned(entry: VObject) -> bool:
    """Is a virtual object of this kind owned when it has been made real, if nothing that is real holds it?"""
    return entry.kind == "dict" and entry.cls is dict and entry.extra != HELD


def used(state: State, name: str, args: Sequence[AbstractValue], attr: object) -> int:
    """The owned dict that this operation uses and leaves where it is; -1 if there is none."""
    place = _CONTAINER.get(name)
    others: Sequence[AbstractValue]
    if place is not None and len(args) > place:
        subject, others = args[place], [arg for at, arg in enumerate(args) if at != place]
        key = {"setitem": 2, "getitem": 1, "delitem": 1}.get(name, 0)
        if not is_plain_key(state, args[key]):
            return -1
    elif name in _LOOKING and args:
        subject, others = args[0], args[1:]
    elif name == "call" and attr is None and args:
        found = _called(state, args)
        if found is None:
            return -1
        subject, others = found, args[1:] if state.object(args[0]) is not None else ()
    elif name in ("list", "tuple") and isinstance(attr, tuple) and len(args) == 1 and attr[0]:
        subject, others = args[0], ()
    else:
        return -1
    subject = state.resolve(subject)
    if type(subject) is not Dynamic or subject.rv not in state.owned:
        return -1
    seen: set[int] = set()
    for other in others:
        if any(type(leaf) is Dynamic and leaf.rv == subject.rv for leaf in state.leaves(other, seen)):
            return -1
    return subject.rv


def _called(state: State, args: Sequence[AbstractValue]) -> AbstractValue | None:
    """The dict that a call looks at: the only argument of a builtin function, or the object of a method."""
    entry = state.object(args[0])
    if entry is None:
        function = args[0].value if type(args[0]) is Known else None
        return args[1] if len(args) == 2 and any(function is one for one in _FUNCTIONS) else None
    if entry.kind != "method" or entry.names == OF_SUPER or _METHODS.get(str(entry.extra), -1) < len(args) - 1:
        return None
    if _is_held(state, args[0]):
        return None  # the method is real from here on, and leads back to its dict
    return entry.items[0] if len(args) == 1 or is_plain_key(state, args[1]) else None


def _is_held(state: State, method: AbstractValue) -> bool:
    """Has anything but the operation that runs now this virtual object?"""
    assert type(method) is Virtual
    last = len(state.frames) - 1
    for at, frame in enumerate(state.frames):
        for value in frame.live(True) if at == last else frame.env:
            content = frame.env.get(value)
            if type(content) is Virtual and content.oid == method.oid:
                return True
    held = [item for entry in state.heap.values() for item in entry.items]
    return any(type(item) is Virtual and item.oid == method.oid for item in held)


def disown(state: State) -> None:
    """Attributes of static objects are stored back: what they hold is no longer owned."""
    if state.owned and state.overlays:
        seen: set[int] = set()
        leaves = [leaf for content, _ in state.overlays.values() for leaf in state.leaves(content, seen)]
        state.owned -= {leaf.rv for leaf in leaves if type(leaf) is Dynamic}


def held_by(state: State, forced: Iterable[int]) -> Set[int]:
    """What these virtual objects hold, by residual value or, of virtual objects, by a number below zero."""
    found: set[int] = set()
    for oid in forced:
        for item in state.heap[oid].items:
            item = state.resolve(item)
            if type(item) is Dynamic:
                found.add(item.rv)
            elif type(item) is Virtual:
                found.add(-1 - item.oid)
    return found
