"""Instances of classes written in Python that extend `dict`: their attributes, and a dict that only they hold.

    class Env(dict): ...
    env = Env(); env.outer = outer; env["a"] = x     ->    an instance: HELD is a virtual {"a": x}, "outer" is outer

What the class inherits from `dict` is done to the dict that is held.  The two come to be at once: when the held dict
has to exist at run time, its owner is made, and both are the same residual value from there on.

Invariant: a held dict never is a value of the program's own; its site is that of its owner.
"""

from __future__ import annotations

from typing import Final, Protocol

from futamura.specializer.purity import HEAP_TYPE, MISSING, class_lookup, plain_lookup
from futamura.specializer.state import State
from futamura.specializer.values import HELD, AbstractValue, Known, Virtual, VObject

__all__ = ["METHOD_NAMES", "dict_held", "extends_dict", "inherited", "method_of_owner"]

METHOD_NAMES: Final = frozenset(dict.__dict__)


class _Asking(Protocol):
    @property
    def state(self) -> State: ...
    def assume_attribute(self, cls: type, name: str, found: object) -> None: ...


def extends_dict(cls: type) -> bool:
    """Is `dict` the only builtin base of this ordinary class, and does it leave to `dict` how instances are made?"""
    order = cls.__mro__
    if type(cls) is not type or len(order) < 3 or order[-2] is not dict or not plain_lookup(cls):
        return False
    own = all(base.__flags__ & HEAP_TYPE for base in order[:-2])
    return own and class_lookup(cls, "__new__") is dict.__dict__["__new__"] and class_lookup(cls, "__del__") is MISSING


def dict_held(state: State, value: AbstractValue) -> Virtual | None:
    """The dict that a virtual instance holds."""
    entry = state.object(value)
    if entry is None or entry.kind != "instance" or HELD not in entry.names:
        return None
    held = state.resolve(entry.items[entry.names.index(HELD)])
    return held if type(held) is Virtual else None


def method_of_owner(state: State, entry: VObject) -> tuple[Known, Virtual] | None:
    """The function of `dict` behind a method of what an instance holds, and the instance."""
    held = state.resolve(entry.items[0])
    owner = state.owner(held.oid) if type(held) is Virtual else None
    return None if owner is None else (Known(dict.__dict__[str(entry.extra)]), owner)


def inherited(m: _Asking, value: AbstractValue, name: str) -> tuple[Virtual, VObject] | None:
    """The dict that `value` holds, if its class has the method `name` of `dict`; that it has is an assumption."""
    held = dict_held(m.state, value)
    if held is None:
        return None
    entry = m.state.object(value)
    assert entry is not None
    if class_lookup(entry.cls, name) is not dict.__dict__.get(name):
        return None
    m.assume_attribute(entry.cls, name, dict.__dict__[name])
    return held, m.state.heap[held.oid]
