"""What classes written in Python inherit from `dict`: operators and methods on the dict that an instance holds.

    class Env(dict):
        def find(self, name):                       env.find("a")["a"] with known keys    ->    what is held
            return self if name in self else self.outer.find(name)

Invariant: only where the class has the method of `dict` itself; a key that is not known needs the real instance.
"""

from __future__ import annotations

from collections.abc import Callable

from futamura.ir.graph import Operation
from futamura.specializer.calls import enter
from futamura.specializer.containers import load_item, store_item, usable_key
from futamura.specializer.dunders import method_of
from futamura.specializer.extended import dict_held, inherited
from futamura.specializer.failing import missing_item
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS, METHODS, MODELS, Keywords
from futamura.specializer.purity import MISSING, class_lookup
from futamura.specializer.raising import raise_value
from futamura.specializer.rules import OPERATOR_CALLS, SPECIAL
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Known, Virtual, VObject
from futamura.specializer.views import pairs_of

__all__ = ["first"]

_Operator = Callable[[Machine, Frame, Operation, list[AbstractValue]], bool]


def _entered(m: Machine, frame: Frame, op: Operation, name: str, args: list[AbstractValue]) -> bool:
    """A method of the class in front of that of `dict`, in line."""
    entry = m.state.object(args[0])
    if entry is None or dict_held(m.state, args[0]) is None:
        return False
    method = method_of(m, entry.cls, name)
    return method is not None and enter(m, frame, op, method, args)


def _get_item(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    found = inherited(m, args[0], "__getitem__")
    if found is None:
        return _entered(m, frame, op, "__getitem__", args)
    held, _ = found
    item = load_item(m, frame, held, args[1])
    if item is not None:
        m.folded += 1
        m.set(frame, op, item)
        return True
    missing = missing_item(m, held, args[1])
    if missing is None:
        return False
    entry = m.state.object(args[0])
    assert entry is not None
    if class_lookup(entry.cls, "__missing__") is not MISSING:
        method = method_of(m, entry.cls, "__missing__")
        return method is not None and enter(m, frame, op, method, args)
    m.assume_attribute(entry.cls, "__missing__", MISSING)
    m.folded += 1
    raise_value(m, missing)
    return True


def _set_item(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    value, target, key = args
    found = inherited(m, target, "__setitem__")
    if found is None:
        return _entered(m, frame, op, "__setitem__", [target, key, value])
    return store_item(m, found[0], key, value)


def _delete_item(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    target, key = args
    found = inherited(m, target, "__delitem__")
    if found is None or type(key) is not Known or not usable_key(key) or key.value not in found[1].names:
        return False
    held, entry = found
    at = entry.names.index(key.value)
    names, items = (*entry.names[:at], *entry.names[at + 1 :]), (*entry.items[:at], *entry.items[at + 1 :])
    m.state.heap[held.oid] = entry._replace(names=names, items=items)
    m.validate(key)
    return True


def _member(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    item, container = args
    found = inherited(m, container, "__contains__")
    if found is None or type(item) is not Known or not usable_key(item):
        return False
    inside = item.value in found[1].names
    if inside:
        m.validate(item)
    m.folded += 1
    m.set(frame, op, Known(inside if op.operator.name == "in" else not inside))
    return True


def _truth(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    found = inherited(m, args[0], "__len__")
    entry = m.state.object(args[0])
    if found is None or entry is None or class_lookup(entry.cls, "__bool__") is not MISSING:
        return None
    m.assume_attribute(entry.cls, "__bool__", MISSING)
    return Known(bool(found[1].items) is not (op.operator.name == "not"))


def _length(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    found = inherited(m, args[0], "__len__") if len(args) == 1 else None
    return _model_len(m, frame, op, args) if found is None else Known(len(found[1].items))


def first(new: _Operator, old: _Operator) -> _Operator:
    """`new`, and where that does nothing `old`."""
    return lambda m, frame, op, args: new(m, frame, op, args) or old(m, frame, op, args)


# -- what `super()` gives


def _super_init(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    pairs = pairs_of(m, args[0]) if len(args) == 1 else None if args else []
    if pairs is None or not all(usable_key(key) for key, _ in pairs):
        return None
    for key, value in pairs:
        store_item(m, target, key, value)
    return NONE


def _super_get(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    return load_item(m, frame, target, args[0]) if len(args) == 1 else None


def _super_set(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    return NONE if len(args) == 2 and store_item(m, target, args[0], args[1]) else None


def _called_of_dict(name: str) -> Callable[..., AbstractValue | None]:
    """`dict.get(self, key)` of an instance that extends `dict`."""

    def model(
        m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
    ) -> AbstractValue | None:
        held = dict_held(m.state, args[0]) if args else None
        if held is None or (keywords and name != "__init__"):
            return None
        made = METHODS["dict", name](m, frame, op, held, m.state.heap[held.oid], args[1:])
        for key, value in keywords if made is not None else ():
            store_item(m, held, Known(key), value)
        return made

    return model


METHODS["dict", "__init__"] = _super_init
METHODS["dict", "__getitem__"] = _super_get
METHODS["dict", "__setitem__"] = _super_set
for _name in ("__init__", "__getitem__", "__setitem__", "get", "pop", "setdefault", "update"):
    KEYWORD_MODELS[dict.__dict__[_name]] = _called_of_dict(_name)
_model_len = MODELS[len]
MODELS[len] = _length
for _name, _operator in (
    ("getitem", _get_item), ("setitem", _set_item), ("delitem", _delete_item), ("in", _member), ("not_in", _member)
):  # fmt: skip
    OPERATOR_CALLS[_name] = first(_operator, OPERATOR_CALLS[_name])
for _name in ("truth", "not"):
    SPECIAL.setdefault(_name, []).append(_truth)
