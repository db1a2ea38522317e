"""`__dict__` of an object that the residual makes itself, where it is asked for an item or given one.

    word.__dict__[self.name] = 3        word virtual      ->      an attribute of it, past what its class has
    self.name in word.__dict__                                    known

Invariant: what stands for the dict never leaves the expression it is read in; if its object is made at run time in the
meantime, the read is done at run time in another specialization.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import FunctionType, GetSetDescriptorType
from typing import Final

from futamura.ir.graph import Function, Operation
from futamura.specializer.emitting import CONSTRUCTORS, Emitter
from futamura.specializer.machine import Machine
from futamura.specializer.purity import class_lookup
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import HELD, AbstractValue, Dynamic, Virtual, VObject

__all__ = ["OWN_DICT", "only_asked", "only_looked_into", "own_dict", "owner_of", "shows"]

OWN_DICT: Final = "attributes"
"""The kind of these: items are (the instance,)."""
_CONTAINER: Final = {"getitem": 0, "setitem": 1, "delitem": 0, "in": 1, "not_in": 1}
"""The operators that ask a dict for an item, and which operand the dict is."""
_METHODS: Final = frozenset({"get", "pop", "setdefault"})

_LOOKING: Final = {"getitem": 0, "in": 1, "not_in": 1, "iter": 0}
_SHOWING: Final = frozenset({"copy", "get", "items", "keys", "values"})


def own_dict(m: Machine, frame: Frame, op: Operation, target: AbstractValue) -> AbstractValue | None:
    """What stands for `target.__dict__`; None if that is read at run time."""
    entry = m.state.object(target)
    if entry is None or type(target) is not Virtual or entry.kind != "instance" or HELD in entry.names:
        return None
    if type(class_lookup(entry.cls, "__dict__")) is not GetSetDescriptorType or not entry.cls.__dictoffset__:
        return None
    if op.operator.name != "getattr" or site(frame) in m.refused:
        return None
    if not only_asked(frame.facts.function, op.results[0]):
        return None
    return m.virtual(VObject(OWN_DICT, dict, (target,), site=site(frame)))


def only_asked(
    function: Function, value: int, container: Mapping[str, int] = _CONTAINER, methods: Collection[str] = _METHODS
) -> bool:
    """Is this value nothing but a dict that these operators and methods ask?"""
    for block in function.blocks:
        for op in block.ops:
            at = container.get(op.name, -1)
            if op.name == "getattr" and op.attr in methods:
                at = 0
            if any(arg == value and place != at for place, arg in enumerate(op.args)):
                return False
        edges = [*block.terminator.edges, *([block.handler] if block.handler is not None else [])]
        if value in block.terminator.args or any(value in edge.args for edge in edges):
            return False
    return True


def only_looked_into(function: Function, value: int) -> bool:
    """Is nothing stored into this dict, and is it nobody else's?"""
    return only_asked(function, value, _LOOKING, _SHOWING)


def owner_of(m: Emitter, entry: VObject) -> tuple[Virtual, VObject]:
    """The instance that has this dict."""
    target = m.state.resolve(entry.items[0])
    found = m.state.object(target)
    if type(target) is not Virtual or found is None:
        m.refuse(entry.site, "an object is made while its `__dict__` is asked for an item")
    return target, found


def _construct(m: Emitter, entry: VObject) -> Dynamic:
    owner, _ = owner_of(m, entry)
    return m.emit("getattr", (owner,), "__dict__", type=dict, raises=False)


CONSTRUCTORS[OWN_DICT] = _construct


def shows(m: Machine, target: Dynamic, cls: type, name: str, found: object) -> bool:
    """Has this object no attribute of its own in front of what its class has?  A store of one starts again."""
    if not cls.__dictoffset__:
        return True
    bare = target.shape is not None and target.shape.bare
    return bare and type(found) in (FunctionType, staticmethod, classmethod) and m.world.shows(cls, name)
