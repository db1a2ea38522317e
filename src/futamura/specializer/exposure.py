"""Which operations that stay may run a user's code on a static object, and so change it.

    a = counter.n            the residual operation `x + counter` calls `Counter.__radd__`, which may write counter.n:
    b = x + counter          what was read of `counter` may not be believed any more
    return a, b, counter.n

Plain attribute access, and whatever builtin operators do with objects of builtin classes, runs no such code.

Invariant: what is asked here runs no code of the program; in doubt the answer is yes.
"""

from __future__ import annotations

import enum
import functools
import gc
from collections import defaultdict
from collections.abc import Iterator, Sequence
from types import (
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Block, Function
from futamura.specializer.purity import (
    DICTS,
    HEAP_TYPE,
    MISSING,
    PLAIN_DELETIONS,
    PLAIN_STORES,
    class_lookup,
    deep,
    is_mutable,
)
from futamura.specializer.values import AbstractValue, Dynamic, Known

__all__ = [
    "asks", "asks_parts", "attribute_runs_code", "called_by", "can_be_changed", "exposed", "holds_code", "is_handling",
    "is_written_plainly", "looked_at", "looks_past", "plainly_looked_up", "property_function", "reads_plainly",
    "runs_code", "within",
]  # fmt: skip

_UNREMARKABLE: Final = frozenset(
    {"__init__", "__new__", "__init_subclass__", "__class_getitem__", "__del__", "__post_init__", "__set_name__"}
    | {"__replace__", "__subclasshook__"}
)
"""Special methods that no operator calls on an object that exists already."""
_QUIET: Final = frozenset({"is", "is_not", "const", "cell", "cell_get", "cell_set", "global_set", "yield", "call"})
"""Operators that look into none of their operands.  Calls say themselves what they hand over."""
_LOOKING: Final = frozenset({"in", "not_in", "iter", "truth", "not", "eq", "ne"})
"""What makes no item of a dict with defaults."""
_OF_DESCRIPTORS: Final = {"setattr": "__set__", "delattr": "__delete__"}
_OF_ITEMS: Final = frozenset({"__eq__", "__ne__", "__hash__", "__index__"})
_CALLED: Final = {
    **dict.fromkeys(("truth", "not"), frozenset({"__bool__", "__len__"})),
    **dict.fromkeys(("eq", "ne"), frozenset({"__eq__", "__ne__"})),
    **dict.fromkeys(("in", "not_in"), _OF_ITEMS | {"__contains__", "__iter__", "__next__", "__getitem__", "__len__"}),
    **{name: _OF_ITEMS | {f"__{name}__", "__missing__", "__len__"} for name in ("getitem", "setitem", "delitem")},
    "iter": frozenset({"__iter__", "__next__", "__getitem__", "__len__", "__length_hint__"}),
}
_MOST: Final = 500
"""Beyond so many objects inside of an operand, any of them may have code."""


def runs_code(cls: type, names: frozenset[str] | None = None) -> bool:
    """Has the class a special method, or a property, written in Python?  If given: a special method of these names."""
    for base in cls.__mro__:
        if not base.__flags__ & HEAP_TYPE or _is_of_members(base, cls):
            continue
        for name, found in base.__dict__.items():
            special = name.startswith("__") and name.endswith("__") and name not in _UNREMARKABLE
            if (special if names is None else name in names) and _is_code(base, name, found):
                return True
            if names is None and (type(found) is property or _stores(type(found))):
                return True
    return False


def _is_of_members(base: type, cls: type) -> bool:
    """Is this what all members of enumerations have?  It asks for their name, and shows what they hold."""
    return base is enum.Enum and type(cls) is enum.EnumMeta and plainly_looked_up(cls)


def _is_code(cls: type, name: str, found: object) -> bool:
    """Is this special method of a class code of the program?  What `dataclasses` writes changes nothing."""
    if type(found) is FunctionType:
        made = found.__dict__.get("__wrapped__", found)
        written = type(made) is FunctionType and made.__code__.co_filename == "<string>"
        return not (written and name in _WRITTEN and "__dataclass_fields__" in cls.__dict__)
    if type(found) in _OF_BUILTINS:
        return False
    return callable(found) or class_lookup(type(found), "__get__") is not MISSING


_OF_BUILTINS: Final = (
    BuiltinFunctionType, WrapperDescriptorType, MethodDescriptorType, ClassMethodDescriptorType, GetSetDescriptorType,
    MemberDescriptorType, type,
)  # fmt: skip
_WRITTEN: Final = frozenset({"__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"}).union(
    ("__lt__", "__le__", "__gt__", "__ge__", "__replace__")
)


def _stores(kind: type) -> bool:
    """Is this a class of descriptors of the program that are asked to store?"""
    return type(kind) is type and kind.__module__ != "builtins" and class_lookup(kind, "__set__") is not MISSING


def called_by(name: str) -> frozenset[str] | None:
    """The special methods that this operator may call, on its operands and on what these hold; None: any of them."""
    return _CALLED.get(name)


def exposed(name: str, attr: object, place: int, value: object) -> bool:
    """May the residual operator `name` with `value` as its operand number `place` change what `value` holds?"""
    if name in _QUIET or not is_mutable(value):
        return False
    if name == "getattr":
        plain = property_function(class_lookup(type(value), str(attr))) is not None and plainly_looked_up(type(value))
        return place == 0 and not plain and attribute_runs_code(type(value), str(attr))
    if name in ("setattr", "delattr"):
        return False  # the rules of these say it
    if type(value) is defaultdict and name not in _LOOKING:
        return True  # an item that is asked for may be made
    return asks(name, place, value)


def looked_at(name: str, args: Sequence[AbstractValue]) -> list[tuple[int, AbstractValue]]:
    """The operands of an operator, with their places, but for what is stored as one item, which nobody looks at."""
    first = 0
    if name == "setitem":
        index = args[2]
        kind = type(index.value) if type(index) is Known else index.type if type(index) is Dynamic else None
        first = int(kind is not None and kind is not slice)
    return [*enumerate(args)][first:]


def asks(name: str, place: int, value: object) -> bool:
    """May this operator run code of `value`, or of what it holds?  A look-up in a dict compares its keys only."""
    kind = type(value)
    if looks_past(name, place, kind):
        return False
    if kind in DICTS and name in _OF_KEYS and place == _place_of_container(name):
        assert isinstance(value, dict)
        return any(holds_code(key, _OF_ITEMS) for key in value)
    return holds_code(value, called_by(name))


def within(name: str) -> str:
    """An operator that does with what its operand holds whatever this one may do."""
    return "show" if name in _OF_KEYS or name in _PASSING else name


def looks_past(name: str, place: int, kind: type) -> bool:
    """Does this operator look at none of the items of a container of this class, its operand number `place`?"""
    if place != _place_of_container(name):
        return False
    if kind in (list, tuple) and name in _OF_PLACES:
        return True
    return name in _PASSING and (kind in DICTS or kind in (list, tuple, set, frozenset))


def _place_of_container(name: str) -> int:
    return int(name in ("in", "not_in", "setitem"))


_OF_PLACES: Final = frozenset({"getitem", "setitem", "delitem"})
_OF_KEYS: Final = _OF_PLACES | {"in", "not_in"}
_PASSING: Final = frozenset({"iter", "truth", "not"})


def is_handling(function: Function, block: Block) -> bool:
    """Is an exception that was caught the active one in this block?"""
    region = function.regions[block.region]
    while region.kind != "except" and region.id:
        region = function.regions[region.parent]
    return region.kind == "except"


def is_written_plainly(cls: type | None, name: str, how: str) -> bool:
    """Does the operator `how` on this attribute run no code of the program?"""
    plain = PLAIN_STORES if how == "setattr" else PLAIN_DELETIONS
    if cls is None or not any(class_lookup(cls, f"__{how}__") is one for one in plain):
        return False
    found = class_lookup(cls, name)
    return type(found) is MemberDescriptorType or class_lookup(type(found), _OF_DESCRIPTORS[how]) is MISSING


def can_be_changed(kind: type, how: str) -> bool:
    """May the operator or method `how` change an object of this class?"""
    if how in ("setitem", "delitem"):
        return kind not in (tuple, frozenset)
    return hasattr(kind, how)


def property_function(found: object) -> FunctionType | None:
    """The function that a `property` or `cached_property` calls; the finished residual is searched for what it does."""
    if type(found) is property:
        return found.fget if type(found.fget) is FunctionType else None
    if type(found) is functools.cached_property:
        return found.func if type(found.func) is FunctionType else None
    return None


def plainly_looked_up(cls: type) -> bool:
    """Are attributes of instances of this class found by the default rules?"""
    plain = class_lookup(cls, "__getattribute__") is vars(object)["__getattribute__"]
    return plain and class_lookup(cls, "__getattr__") is MISSING


def reads_plainly(value: object, name: str) -> bool:
    """Does reading `value.name` of a plain object run no code of the program?"""
    return not is_a(value, (type, ModuleType)) and not attribute_runs_code(type(value), name)


def attribute_runs_code(cls: type, name: str) -> bool:
    """Does reading `name` of an instance of this class run code of the program, or give its dictionary?"""
    if name == "__dict__":
        return True  # who has the dictionary can write to it
    lookup = class_lookup(cls, "__getattribute__")
    if lookup is not vars(object)["__getattribute__"] and lookup is not vars(BaseException)["__getattribute__"]:
        return isinstance(lookup, FunctionType)
    found = class_lookup(cls, name)
    if found is MISSING or type(found) is MemberDescriptorType:  # the slot may be empty
        return class_lookup(cls, "__getattr__") is not MISSING
    if type(found) is property:
        return True
    return type(found).__module__ != "builtins" and class_lookup(type(found), "__get__") is not MISSING


def holds_code(value: object, names: frozenset[str] | None = None) -> bool:
    """Is this an object of a class with code for operators (special methods of these names, if given), or a container
    with one inside?"""
    work = [value]
    seen: dict[int, object] = {}
    while work:
        item = work.pop()
        if id(item) in seen or deep(item):
            continue
        if len(seen) > _MOST:
            return True
        seen[id(item)] = item
        kind = type(item)
        if kind in DICTS:
            assert isinstance(item, dict)
            work.extend((*item.keys(), *item.values()))
        elif kind in (list, tuple, set, frozenset):
            assert isinstance(item, (list, tuple, set, frozenset))
            work.extend(item)
        elif runs_code(kind, names):
            return True
        elif asks_parts(kind):
            work.extend(_parts_of(item))
    return False


def _parts_of(item: object) -> Iterator[object]:
    """What an object holds; what a member of an enumeration does, but for the enumeration."""
    own = object.__getattribute__(item, "__dict__") if is_a(item, enum.Enum) else {}
    yield from (part for name, part in own.items() if name != "__objclass__")
    yield from (part for part in gc.get_referents(item) if not is_a(part, (type, ModuleType)) and part is not own)


_WITHOUT_PARTS: Final = (FunctionType, BuiltinFunctionType, ModuleType, CellType, type)


def asks_parts(cls: type) -> bool:
    """Do operators of this class, though it has no code of its own, ask what an object holds?  `dataclasses` writes
    such operators, and builtin classes have them: `repr` of a named tuple, of a partial function, of a bound method."""
    if cls in _WITHOUT_PARTS or issubclass(cls, type):
        return False
    return any(class_lookup(cls, name) is not vars(object)[name] for name in _ASKING)


_ASKING: Final = ("__repr__", "__str__", "__format__", "__eq__", "__hash__", "__lt__", "__le__", "__gt__", "__ge__")
"""Operators that every object has; those of `object` look at nothing."""
