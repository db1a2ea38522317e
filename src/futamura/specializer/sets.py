"""Virtual sets: displays, `set()`, membership, methods and operators on sets whose elements are known.

seen = set(); seen.add("a")     ->  a virtual set, nothing emitted
"a" in seen                     ->  Known True
seen | {"b"}                    ->  a virtual set

A virtual set's `names` are its elements, in the order in which they were added; `items` are placeholders, and `extra`
says how to make it anew: so many of the first elements came from a display of constants (0: one after the other), or
None, if only a history that is gone gives the same order of iteration.

Invariant: elements are known values of exact builtin types, unequal and equal to themselves; the order of iteration is
never folded, and a set whose order could not be had again is not virtual.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.containers import usable_key
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS, METHODS, MODELS, Keywords, iterable_items
from futamura.specializer.purity import deep
from futamura.specializer.rules import SPECIAL, rule, site
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Known, Virtual, VObject

__all__ = ["sorted_elements", "sorted_set"]


def _set_of(elements: tuple[object, ...], place: object, extra: object) -> VObject:
    return VObject("set", set, (NONE,) * len(elements), elements, place, extra)


def _added(elements: tuple[object, ...], new: list[AbstractValue]) -> tuple[object, ...] | None:
    """The elements after additions; None if one of these is not known."""
    found = list(elements)
    for value in new:
        if not usable_key(value):
            return None
        assert type(value) is Known
        if value.value not in found:
            found.append(value.value)
    return tuple(found)


@rule("set")
def build_set(m: Machine, frame: Frame, op: Operation) -> None:
    args = [m.get(frame, arg) for arg in op.args]
    block = frame.facts.blocks[frame.block]
    constants = {result for other in block.ops if other.operator.name == "const" for result in other.results}
    plain = set(op.args) <= constants
    elements = _added((), args) if op.attr is None and site(frame) not in m.refused else None
    if elements is not None:
        m.set(frame, op, m.virtual(_set_of(elements, site(frame), len(elements) if plain else 0)))
        return
    values = [arg.value for arg in args if type(arg) is Known and deep(arg.value)]
    if plain and len(values) == len(args):
        m.shows(values)
    if plain or op.attr is not None or len(values) < len(args):
        m.set(frame, op, m.emit("set", args, op.attr, type=set))
    else:  # a display of constants would put them in another order
        m.set(frame, op, m.emit("call", (Known(set), Known(tuple(values))), type=set))


@rule("set_add")
def comprehension_add(m: Machine, frame: Frame, op: Operation) -> None:
    target, item = (m.get(frame, arg) for arg in op.args)
    entry = m.state.object(target)
    if entry is not None and type(target) is Virtual and _add(m, frame, op, target, entry, [item]) is not None:
        return
    m.emit("set_add", (target, item), results=0)


def _model_set(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    if len(args) > 1 or site(frame) in m.refused:
        return None
    elements: tuple[object, ...] | None = ()
    extra: int | None = 0
    if args:
        values = _elements(m, args[0])
        if values is not None:
            elements, extra = values, None
        else:
            found = m.state.object(args[0])
            if found is not None and found.kind not in ("list", "tuple"):
                return None
            items = iterable_items(m, args[0])
            elements = None if items is None else _added((), list(items))
    if elements is None or len(elements) > m.budget.virtual_length:
        return None
    return m.virtual(_set_of(elements, site(frame), extra))


def _model_frozenset(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """A constant, if the set was filled step by step with numbers, whose order no hash seed decides."""
    entry = m.state.object(args[0]) if len(args) == 1 else None
    elements: list[object] = []
    if entry is not None and entry.kind in ("list", "tuple"):
        elements = [item.value for item in map(m.state.resolve, entry.items) if type(item) is Known]
    elif entry is not None and entry.kind == "set" and entry.extra == 0:
        elements = [*entry.names]
    if entry is None or len(elements) < len(entry.items) or not all(type(one) in _NUMBERS for one in elements):
        return None
    if entry.kind != "set":
        return Known(frozenset(elements))
    made = set()
    for element in elements:
        made.add(element)
    return Known(frozenset(made))


def _frozen(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """What `frozenset` gives for items that were added one by one, if they are numbers."""
    entry = m.state.object(args[0])
    known = entry is not None and entry.kind == "set" and entry.extra == 0
    if entry is None or not known or not all(type(one) in _NUMBERS for one in entry.names):
        m.refuse(("call", frame.chain[-1]), "the elements of a frozenset are not known")
    return Known(frozenset([*entry.names]))


KEYWORD_MODELS[library.frozen_of] = _frozen
_NUMBERS: Final = (int, bool)


def _elements(m: Machine, value: AbstractValue) -> tuple[object, ...] | None:
    """The elements of a set that is virtual, constant, or static and not written."""
    entry = m.state.object(value)
    if entry is not None:
        return entry.names if entry.kind == "set" else None
    if type(value) is not Known or type(value.value) not in (set, frozenset):
        return None
    content = value.value
    assert isinstance(content, (set, frozenset))
    if len(content) > m.budget.virtual_length or (type(content) is set and not m.frozen(content)):
        return None
    if not all(usable_key(Known(item)) for item in content):
        return None
    return tuple(sorted(content, key=lambda item: (type(item).__name__, repr(item))))


# -- methods


def _add(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    elements = _added(held.names, args) if len(args) == 1 else None
    if elements is None or len(elements) > m.budget.virtual_length:
        return None
    m.validate(args[0])
    m.state.heap[target.oid] = _set_of(elements, held.site, held.extra)
    return NONE


def _remove(
    name: str, m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    """`discard`, and `remove` of an element that is there."""
    if len(args) != 1 or not usable_key(args[0]):
        return None
    assert type(args[0]) is Known
    if args[0].value not in held.names:
        return NONE if name == "discard" else None
    at = held.names.index(args[0].value)
    m.validate(args[0])
    m.state.heap[target.oid] = _set_of((*held.names[:at], *held.names[at + 1 :]), held.site, None)
    return NONE


def _clear(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if args:
        return None
    m.state.heap[target.oid] = _set_of((), held.site, 0)
    return NONE


def _update(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    elements: tuple[object, ...] | None = held.names
    extra = held.extra
    for arg in args:
        values = _elements(m, arg)
        entry = m.state.object(arg)
        if values is not None:
            extra = None  # the other's elements come in the order of its table
            items: list[AbstractValue] | None = [Known(value) for value in values]
        else:
            found = iterable_items(m, arg) if entry is None or entry.kind in ("list", "tuple") else None
            items = None if found is None else list(found)
        elements = None if items is None or elements is None else _added(elements, items)
    if elements is None or len(elements) > m.budget.virtual_length:
        return None
    m.state.heap[target.oid] = _set_of(elements, held.site, extra)
    return NONE


Combine = Callable[[tuple[object, ...], tuple[object, ...]], "tuple[object, ...] | bool"]

_COMBINE: Final[dict[str, Combine]] = {
    "union": lambda a, b: (*a, *(x for x in b if x not in a)),
    "intersection": lambda a, b: tuple(x for x in a if x in b),
    "difference": lambda a, b: tuple(x for x in a if x not in b),
    "symmetric_difference": lambda a, b: (*(x for x in a if x not in b), *(x for x in b if x not in a)),
    "issubset": lambda a, b: all(x in b for x in a),
    "issuperset": lambda a, b: all(x in a for x in b),
    "isdisjoint": lambda a, b: not any(x in b for x in a),
    "eq": lambda a, b: len(a) == len(b) and all(x in b for x in a),
    "ne": lambda a, b: not (len(a) == len(b) and all(x in b for x in a)),
    "lt": lambda a, b: len(a) < len(b) and all(x in b for x in a),
    "gt": lambda a, b: len(a) > len(b) and all(x in a for x in b),
}
_OPERATOR: Final = {
    "or": "union", "and": "intersection", "sub": "difference", "xor": "symmetric_difference",
    "le": "issubset", "ge": "issuperset", "eq": "eq", "ne": "ne", "lt": "lt", "gt": "gt",
}  # fmt: skip


def _combined(
    m: Machine, frame: Frame, name: str, left: tuple[object, ...], right: tuple[object, ...]
) -> AbstractValue | None:
    """Which of two equal elements (1 and True) an intersection keeps depends on sizes: that stays."""
    if name in ("union", "intersection", "difference", "symmetric_difference"):
        if site(frame) in m.refused or any(type(x) is not type(y) for x in left for y in right if x == y):
            return None
        made = _COMBINE[name](left, right)
        assert isinstance(made, tuple)
        return m.virtual(_set_of(made, site(frame), None)) if len(made) <= m.budget.virtual_length else None
    return Known(_COMBINE[name](left, right))


def _method(
    name: str, m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    other = None
    if len(args) == 1:
        other = _elements(m, args[0])
        entry = m.state.object(args[0])
        if other is None and (entry is None or entry.kind in ("list", "tuple")):
            items = iterable_items(m, args[0])
            other = None if items is None else _added((), list(items))
    elif name == "copy":
        return m.virtual(_set_of(held.names, site(frame), None)) if site(frame) not in m.refused else None
    return None if other is None or name == "copy" else _combined(m, frame, name, held.names, other)


def _operator(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """An operator on two sets, the left one virtual: a frozenset there would make the result one."""
    entry = m.state.object(args[0])
    name = _OPERATOR.get(op.operator.name)
    if name is None or entry is None or entry.kind != "set":
        return None
    right = _elements(m, args[1])
    return None if right is None else _combined(m, frame, name, entry.names, right)


def _union_in_place(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    target, other = args
    held = m.state.object(target)
    if held is None or held.kind != "set" or type(target) is not Virtual or _elements(m, other) is None:
        return None
    return target if _update(m, frame, op, target, held, [other]) is not None else None


def sorted_elements(m: Machine, value: AbstractValue) -> list[object] | None:
    """In increasing order, if that is total: two unequal elements always differ by `<`."""
    found = _elements(m, value)
    if found is None or not all(deep(item, unordered=False) and not _holds_nan(item) for item in found):
        return None
    try:
        return sorted(found)  # type: ignore[type-var]
    except TypeError:
        return None


def _holds_nan(value: object) -> bool:
    """Is this nothing that `<` puts anywhere, or a tuple with such a thing inside?"""
    return any(map(_holds_nan, value)) if type(value) is tuple else value != value


def sorted_set(m: Machine, frame: Frame, value: AbstractValue, backwards: bool) -> AbstractValue | None:
    found = sorted_elements(m, value)
    if found is None:
        return None
    items = tuple(Known(item) for item in (found[::-1] if backwards else found))
    return m.virtual(VObject("list", list, items, site=site(frame)))


_NO_METHODS: Final = ("eq", "ne", "lt", "gt")

METHODS.update(
    {
        ("set", "add"): _add,
        **{("set", name): partial(_remove, name) for name in ("discard", "remove")},
        ("set", "clear"): _clear,
        ("set", "update"): _update,
        **{("set", name): partial(_method, name) for name in (*_COMBINE, "copy") if name not in _NO_METHODS},
    }
)
MODELS[set] = _model_set
MODELS[frozenset] = _model_frozenset
for _name in _OPERATOR:
    SPECIAL.setdefault(_name, []).append(_operator)
SPECIAL.setdefault("ior", []).append(_union_in_place)
