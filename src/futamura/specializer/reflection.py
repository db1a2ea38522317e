"""Builtins that look up attributes by name, and class patterns.

getattr(self, "op_" + name)    name known     ->  the attribute, as if it were written out
case Add(left, right):         subject known  ->  its fields

Invariant: a lookup is decided only where the default rules of attribute access hold.
"""

from __future__ import annotations

import functools
import gc
from types import CellType, FunctionType, ModuleType
from typing import Final

from futamura.ir.classes import extends, is_a
from futamura.ir.graph import Operation
from futamura.specializer.attributes import (
    CALLED,
    delete_attribute,
    load_attribute,
    may_be_gone,
    note_global,
    store_attribute,
)
from futamura.specializer.calls import call_value
from futamura.specializer.computed_names import enter_by_name
from futamura.specializer.descriptors import is_always_there, may_fail
from futamura.specializer.lacking import lacks, raised, read
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.models import HANDLED, MODELS
from futamura.specializer.purity import (
    MISSING,
    class_lookup,
    own_attribute,
)
from futamura.specializer.renaming import note_renamed
from futamura.specializer.restoring import store_what_is_read
from futamura.specializer.rules import exact_type, rule, site
from futamura.specializer.splats import is_writable_name
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, VObject
from futamura.specializer.variables import content_of
from futamura.specializer.worth import MATCHED

__all__: list[str] = []


def _known_name(args: list[AbstractValue]) -> str | None:
    name = args[1] if len(args) > 1 else None
    return name.value if type(name) is Known and type(name.value) is str and is_writable_name(name.value) else None


def _asks(m: Machine, target: AbstractValue, name: str) -> bool:
    """May looking for the attribute run code of the class of the object, which may say that there is none?"""
    cls = exact_type(m, target)
    if type(target) is Known and is_a(target.value, type):
        return may_fail(class_lookup(target.value, name))
    if cls is None or (type(target) is Known and is_a(target.value, ModuleType)):
        return False
    found = class_lookup(cls, name)
    if is_a(found, (property, functools.cached_property)) or may_fail(found):
        return True
    if class_lookup(cls, "__getattr__") is MISSING or is_always_there(found):
        return False
    entry = m.state.object(target)
    if entry is not None:
        return entry.kind != "instance" or name not in entry.names
    if type(target) is not Known or may_be_gone(m, target, name):
        return True
    return own_attribute(target.value, name) is MISSING


def _may_lack(m: Machine, target: AbstractValue, name: str) -> bool:
    """Do stores and deletions decide whether this static object has the attribute now?"""
    cls = exact_type(m, target)
    return cls is not None and may_be_gone(m, target, name) and not is_always_there(class_lookup(cls, name))


def _get_attribute(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    name = _known_name(args)
    if name is None and 2 <= len(args) <= 3 and enter_by_name(m, frame, op, args):
        return HANDLED
    if name is None or not 2 <= len(args) <= 3:
        return None
    if len(args) == 3:
        if lacks(m, args[0], name):
            return args[2]
        if _asks(m, args[0], name):
            return None  # an AttributeError of what is called asks for the default
        if _may_lack(m, args[0], name):
            store_what_is_read(m, m.world, args[0], name)
            return m.emit("call", (Known(getattr), args[0], Known(name), args[2]), hint=name, raises=False)
    found = load_attribute(m, frame, op, args[0], name)
    if found is CALLED:
        return HANDLED
    if found is None and len(args) == 2:
        if raised(m, frame, args[0], name):
            return HANDLED
        return read(m, args[0], name)
    if found is None and _is_compared(m, args[0]):
        store_what_is_read(m, m.world, args[0], name)
        return m.emit("call", (Known(getattr), args[0], Known(name), args[2]), hint=name, raises=False)
    assert found is None or not isinstance(found, str)
    return found


def _has_attribute(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    name = _known_name(args)
    if name is None or len(args) != 2:
        return None
    if lacks(m, args[0], name):
        return Known(False)
    if exact_type(m, args[0]) is None or _asks(m, args[0], name):
        return None
    if _may_lack(m, args[0], name):
        return m.emit("call", (Known(hasattr), args[0], Known(name)), type=bool, raises=False)
    found = load_attribute(m, frame, op, args[0], name)
    if found is None and _is_compared(m, args[0]):
        return m.emit("call", (Known(hasattr), args[0], Known(name)), type=bool, raises=False)
    return Known(True) if found is not None and found is not CALLED else None


def _is_compared(m: Machine, target: AbstractValue) -> bool:
    """Is this an object that a global holds, of a class whose attributes are found without running code?"""
    return type(target) is Known and m.world.objects.compares(target.value)


def _set_attribute(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    name = _known_name(args)
    if name is None or len(args) != 3:
        _note_any_global(m, args)
        if len(args) == 3:
            note_renamed(m, args[0])
        return None
    store_attribute(m, frame, op, args[2], args[0], name)
    return NONE


def _delete_attribute(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    name = _known_name(args)
    if name is None or len(args) != 2:
        _note_any_global(m, args)
        return None
    delete_attribute(m, frame, op, args[0], name)
    return NONE


def _note_any_global(m: Machine, args: list[AbstractValue]) -> None:
    """`setattr(module, name, value)` with an open name rebinds any global of the module, or attribute of the class."""
    if args:
        note_global(m, args[0], None)
        cls = exact_type(m, args[0])
        if type(args[0]) is Known and is_a(args[0].value, (type, FunctionType)):
            m.stores_on_class(args[0].value, None)
        elif cls is not None and issubclass(cls, type):
            m.stores_on_class(None, None)


def _super_model(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    return _super_object(m, frame, args[0], args[1]) if len(args) == 2 else None


def _super_object(m: Machine, frame: Frame, start: AbstractValue, target: AbstractValue) -> AbstractValue | None:
    cls = exact_type(m, target)
    if type(target) is Known and is_a(target.value, type):  # in a class method
        cls = target.value if type(start) is Known and start.value in target.value.__mro__ else cls
    if type(start) is not Known or not is_a(start.value, type) or cls is None or start.value not in cls.__mro__:
        return None
    return m.virtual(VObject("super", super, (start, target), site=site(frame)))


MODELS[getattr] = _get_attribute
MODELS[hasattr] = _has_attribute
MODELS[setattr] = _set_attribute
MODELS[delattr] = _delete_attribute
MODELS[super] = _super_model


@rule("super")
def make_super(m: Machine, frame: Frame, op: Operation) -> None:
    args = [m.get(frame, arg) for arg in op.args]
    if len(args) == 3 and type(args[0]) is Known and args[0].value is super:
        cls = _content(m, frame, op, args[1])
        made = _super_object(m, frame, cls, args[2])
        if made is None and type(cls) is Known and type(cls.value) is CellType and gc.get_referents(cls.value):
            made = m.emit("call", (args[0], m.emit("getattr", (cls,), "cell_contents"), args[2]))
        if made is None and type(cls) is Known and is_a(cls.value, type):
            made = m.emit("call", (args[0], cls, args[2]))
        if made is not None:
            m.set(frame, op, made)
            return
    if any(type(arg) is Known and type(arg.value) is CellType for arg in args):
        raise Unsupported("`super()` in a class whose `__class__` is not known", op.span)
    m.set(frame, op, m.emit("super", args))


def _content(m: Machine, frame: Frame, op: Operation, cell: AbstractValue) -> AbstractValue:
    entry = m.state.object(cell)
    if entry is not None and entry.items:
        return m.state.resolve(entry.items[0])
    content = content_of(m, frame.facts, cell.value, "__class__") if type(cell) is Known else None
    return cell if content is None else content


@rule("match_class")
def match_class(m: Machine, frame: Frame, op: Operation) -> None:
    subject, cls = (m.get(frame, arg) for arg in op.args)
    found = _class_pattern(m, frame, op, subject, cls)
    if found is not None:
        m.folded += 1
        for result, value in zip(op.results, found, strict=True):
            frame.env[result] = value
        return
    if _only_asks_for_class(cls, op.attr):
        m.saved += MATCHED
        call_value(m, frame, op, Known(isinstance), [subject, cls], [])
        frame.env.update(dict.fromkeys(op.results[1:], subject))
        return
    results = m.emit_many("match_class", (subject, cls), op.attr, results=len(op.results))
    for at, (result, dynamic) in enumerate(zip(op.results, results, strict=True)):
        frame.env[result] = Dynamic(dynamic.rv, bool) if at == 0 else dynamic


_SELF_MATCHING: Final = frozenset({bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple})


def _only_asks_for_class(cls: AbstractValue, attr: object) -> bool:
    """Is the pattern `Point()`, or `int(x)`, where the one field is the subject itself: `isinstance`, and no more?"""
    if type(cls) is not Known or not is_a(cls.value, type):
        return False
    return attr == (0, ()) or (attr == (1, ()) and cls.value in _SELF_MATCHING)


def _class_pattern(
    m: Machine, frame: Frame, op: Operation, subject: AbstractValue, cls: AbstractValue
) -> list[AbstractValue] | None:
    """The results of the pattern: does it match, and the fields; None if that must be found out later."""
    kind = exact_type(m, subject)
    if type(cls) is not Known or not is_a(cls.value, type) or kind is None:
        return None
    wanted = cls.value
    if type(wanted).__instancecheck__ is not type.__instancecheck__ or class_lookup(kind, "__class__") is not _CLASS:
        return None
    assert isinstance(op.attr, tuple)
    positional, keywords = op.attr
    if not extends(kind, wanted):
        return [Known(False), *(NONE for _ in op.results[1:])]
    own = wanted in _SELF_MATCHING and positional == 1
    names = () if own else class_lookup(wanted, "__match_args__")
    if positional and not own:
        m.assume_attribute(wanted, "__match_args__", names)
        if type(names) is not tuple or len(names) < positional or not all(type(name) is str for name in names):
            return None
    fields: list[AbstractValue] = [subject] if own else []
    chosen = (*(names[:positional] if isinstance(names, tuple) else ()), *keywords)
    if len(set(chosen)) != len(chosen):
        return None
    for name in chosen:
        if _asks(m, subject, name) or _may_lack(m, subject, name):
            return None
        found = load_attribute(m, frame, op, subject, name)
        if found is None or isinstance(found, str):
            return None
        fields.append(found)
    return [Known(True), *fields]


_CLASS: Final = vars(object)["__class__"]
