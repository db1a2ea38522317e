r"""What the program calls the objects that a residual needs as they are.

    WORD = re.compile("\w+")                   _WORD.match(text)
    RULES = [(re.compile("a+"), "A"), ...]      _RULES_item.match(text)
    def parse(grammar, text): ...               _grammar(text), where `grammar` is static and no literal

An object has the name of the global, parameter or attribute that it was found under, nearest first.

Invariant: nothing here runs code of the program, or depends on the order of a set.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import functools
import gc
import re
import struct
from collections import deque
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, CellType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Final

from futamura.ir.classes import is_a
from futamura.specializer.purity import named_attributes, own_attributes

__all__ = ["Finding"]

_MOST: Final = 4000
"""So many objects are looked at."""
_CLOSED: Final = (type, ModuleType, FunctionType)
_OPENED: Final = (list, tuple, set, frozenset, deque, CellType, MappingProxyType, MethodType, functools.partial)
_KINDS: Final[dict[type, str]] = {
    ModuleType: "module",
    frozenset: "names",
    re.Pattern: "compiled",
    struct.Struct: "packer",
    decimal.Decimal: "decimal",
    datetime.date: "date",
    datetime.time: "time",
    datetime.datetime: "moment",
    datetime.timedelta: "duration",
}
"""What those are called that were made on the way."""


class Finding:
    """The names of objects, and of what can be reached from them through containers and attributes of instances."""

    def __init__(self, roots: Iterable[tuple[str, object]]) -> None:
        self._roots: Final = tuple(roots)
        self._names: dict[int, str] | None = None

    def name_of(self, value: object) -> str | None:
        """What the program calls this object, if it can be found."""
        if self._names is None:
            self._names = self._search()
        if type(type(value)) is enum.EnumMeta:
            named = (own_attributes(value) or {}).get("_name_")
            return f"{type(value).__name__}_{'0' if named is None else str(named).replace('|', '_')}"
        if type(value) is ModuleType and id(value) not in self._names:
            own = str(vars(value).get("__name__")).rpartition(".")[2]
            return own if _is_plain(own) else _KINDS[ModuleType]
        return self._names.get(id(value)) or _KINDS.get(type(value))

    def _search(self) -> dict[int, str]:
        found: dict[int, str] = {}
        level = [(name, value) for name, value in self._roots if _is_plain(name)]
        while level and len(found) < _MOST:
            new: list[tuple[str, object]] = []
            for name, value in level:
                if id(value) not in found:
                    found[id(value)] = name.lstrip("_") or name
                    new.append((name, value))
            level = [inner for name, value in new for inner in _inside(name, value)]
        return found


def _inside(name: str, value: object) -> Iterator[tuple[str, object]]:
    kind = type(value)
    if kind in _OPENED or is_a(value, BuiltinFunctionType):
        yield from ((_item_of(name), item) for item in gc.get_referents(value))
    elif kind is dict:
        held: dict[object, object] = value  # type: ignore[assignment]
        yield from ((_item_of(name), item) for item in held.values())
    elif not is_a(value, _CLOSED) and (fields := named_attributes(value)) is not None:
        yield from ((str(key), item) for key, item in fields if _is_plain(key))


def _is_plain(name: object) -> bool:
    return type(name) is str and name.isidentifier() and name.isascii()


def _item_of(name: str) -> str:
    return name if name.endswith("_item") else f"{name}_item"
