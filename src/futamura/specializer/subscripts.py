"""Annotations that the code itself writes, which nested functions evaluate wherever they are made.

    def uniq(seq: Iterable[str | None]) -> List[str]: ...      nothing is left of its annotations

Invariant: only code of the standard library is run, on forms of `typing`, builtin generic classes and abstract ones.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Sequence
from typing import Any, Final

from futamura.ir.graph import Operation
from futamura.specializer.annotations import described, is_class, plain_class
from futamura.specializer.machine import Machine
from futamura.specializer.purity import MISSING
from futamura.specializer.rules import SPECIAL, sequence_items
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known

__all__ = ["class_behind"]

_FORMS: Final = tuple(type(form) for form in (typing.Optional, typing.List, typing.Callable, typing.Tuple))  # noqa: UP006
_ALIAS: Final[type] = type(typing.List)  # noqa: UP006
_BUILTIN: Final = (list, tuple, dict, set, frozenset, type)
_JOINED: Final = (type, types.UnionType, types.GenericAlias, type(typing.List[int]), type(typing.Union[int, str]))  # noqa: UP006, UP007
_WITHOUT_CODE: Final = ("Literal", "Annotated", "Unpack")
"""Forms that may compare what they are given: these are left alone."""


def class_behind(value: Any) -> Any:
    """The class that an object is asked for by `isinstance(x, typing.List)`: `list`."""
    return value.__origin__ if _is_alias(value) and _is_of_typing(value) else value


def _is_alias(value: object) -> bool:
    return issubclass(type(value), _ALIAS)


def _is_of_typing(value: object) -> bool:
    name = getattr(value, "_name", None)
    return type(name) is str and vars(typing).get(name) is value


def _is_form(value: object) -> bool:
    """Is this something of the standard library that makes an annotation of what stands in brackets behind it?"""
    if type(value) in _FORMS:
        return _is_of_typing(value) and value._name not in _WITHOUT_CODE  # type: ignore[attr-defined]
    if not is_class(value) or not plain_class(value):
        return False
    if any(value is cls for cls in _BUILTIN):
        return True
    return value.__module__ == "collections.abc" and hasattr(value, "__class_getitem__")


def _written(m: Machine, key: AbstractValue) -> object:
    """What stands in the brackets, parameters of a `Callable` included; MISSING if that is not known."""
    if type(key) is Known:
        return key.value if described(key.value) else MISSING
    found = sequence_items(m, key)
    if found is None:
        return MISSING
    items = [_written(m, item) for item in found[1]]
    return MISSING if any(item is MISSING for item in items) else found[0](items)


def _subscript(m: Machine, frame: Frame, op: Operation, args: Sequence[AbstractValue]) -> AbstractValue | None:
    target, key = args
    if type(target) is not Known or not _is_form(target.value):
        return None
    asked = _written(m, key)
    if asked is MISSING:
        return None
    try:
        found = target.value[asked]  # type: ignore[index]
    except Exception:
        return None
    return Known(found) if described(found) else None


def _union(m: Machine, frame: Frame, op: Operation, args: Sequence[AbstractValue]) -> AbstractValue | None:
    """`int | None` of classes whose class is `type`, and of annotations."""
    sides = [arg.value for arg in args if type(arg) is Known]
    if len(sides) < len(args) or all(side is None for side in sides):
        return None
    if not all(side is None or (type(side) in _JOINED and described(side)) for side in sides):
        return None
    return Known(sides[0] | sides[1])  # type: ignore[operator]


SPECIAL.setdefault("getitem", []).append(_subscript)
SPECIAL.setdefault("or", []).append(_union)
