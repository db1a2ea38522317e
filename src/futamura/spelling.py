"""Values as expressions of Python: what a plain module can say of the objects that a residual holds.

    spelled((1, {"a": 2.5}), names)           (1, {'a': 2.5})
    spelled(re.compile("a+"), names)          _re.compile('a+', 32)      and names.imports has `import re as _re`
    spelled(Color.RED, names)                 _shop_Color.RED            and `from shop import Color as _shop_Color`

Invariant: the expression gives an equal object of the same class, and runs no code of the program but that of importing
its modules; what has no such expression raises `Unspeakable`, which says why.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import math
import re
import struct
import sys
import types
import uuid
from collections.abc import Callable
from typing import Any, Final

__all__ = ["Imports", "Unspeakable", "contents_spelled", "spelled"]

_PLAIN: Final = (int, str, bytes, bool, type(None), type(...))
_CONTAINERS: Final = (list, dict, set, frozenset, tuple)
_OWNERS: Final = (str, bytes, int, float, tuple, frozenset, range, re.Pattern, struct.Struct)
"""Immutable classes whose methods can be named on a value."""


class Unspeakable(Exception):
    """This has no form as source text; the message says why: `is a socket, which ...`."""


class Imports:
    """The imports that the expressions need: local name -> statement."""

    def __init__(self) -> None:
        self.taken: Final[set[str]] = set()
        """Names that stand for something else in the module."""
        self.statements: Final[dict[str, str]] = {}
        self.shared: Final[dict[int, str]] = {}
        """By the id of a container that has a name already: that name."""

    def module(self, name: str, wanted: str = "") -> str:
        local = wanted or self._free("_" + name.strip("_").replace(".", "_"))
        self.statements[local] = f"import {name}" if local == name else f"import {name} as {local}"
        return local

    def member(self, module: str, path: str, wanted: str = "") -> str:
        first, dot, rest = path.partition(".")
        local = wanted if wanted and not dot else self._free(f"_{module.strip('_').replace('.', '_')}_{first}")
        head = f"from {module} import {first}"
        self.statements[local] = head if local == first else f"{head} as {local}"
        return local + dot + rest

    def _free(self, local: str) -> str:
        while local in self.taken:
            local = f"_{local}"
        return local


def spelled(value: object, imports: Imports, wanted: str = "") -> str:
    """An expression for `value`; a named object is imported, as `wanted` if given."""
    if type(value) in _PLAIN:
        if isinstance(value, int) and value.bit_length() > 4_000:
            return hex(value)
        return "..." if value is ... else repr(value)
    if type(value) is dict and (module := _module_of(value)) is not None:
        if module == "__main__":
            raise Unspeakable("has the globals of a script, which cannot be imported")
        return f"{imports.module(module)}.__dict__"
    if type(value) in _CONTAINERS:
        return imports.shared.get(id(value)) or contents_spelled(value, imports)
    made = _MADE.get(type(value))
    if made is not None:
        return made(value, imports)
    if issubclass(type(value), enum.Enum):
        return _member_of_enum(value, imports)
    return _named(value, imports, wanted)


def _module_of(namespace: dict[Any, Any]) -> str | None:
    """The name of the module whose globals this dict is."""
    name = namespace.get("__name__")
    return name if type(name) is str and getattr(sys.modules.get(name), "__dict__", None) is namespace else None


def contents_spelled(value: object, imports: Imports) -> str:
    """A display of a container, whether it has a name or not."""
    try:
        if isinstance(value, dict):
            items = [f"{spelled(k, imports)}: {spelled(v, imports)}" for k, v in value.items()]
            return "{" + ", ".join(items) + "}"
        assert isinstance(value, (list, tuple, set, frozenset))
        texts = [spelled(item, imports) for item in value]
    except RecursionError:
        raise Unspeakable("is nested too deep") from None
    if isinstance(value, tuple):
        return "(" + ", ".join(texts) + ("," if len(texts) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(texts) + "]"
    inside = "{" + ", ".join(sorted(texts)) + "}" if texts else "()"
    return f"{type(value).__name__}({inside})" if isinstance(value, frozenset) or not texts else inside


# -- values of the standard library


def _float(value: Any, imports: Imports) -> str:
    if math.isnan(value):
        return "float('nan')" if math.copysign(1.0, value) > 0 else "-float('nan')"
    return repr(value) if math.isfinite(value) else f"float('{value}')"


def _complex(value: Any, imports: Imports) -> str:
    return f"complex({_float(value.real, imports)}, {_float(value.imag, imports)})"


def _slots(*names: str) -> Callable[[Any, Imports], str]:
    def write(value: Any, imports: Imports) -> str:
        parts = (spelled(getattr(value, name), imports) for name in names)
        return f"{type(value).__name__}({', '.join(parts)})"

    return write


def _pattern(value: Any, imports: Imports) -> str:
    if value.flags & re.DEBUG:
        raise Unspeakable("is a pattern that prints when it is compiled")
    return f"{imports.module('re')}.compile({value.pattern!r}, {int(value.flags)})"


def _struct(value: Any, imports: Imports) -> str:
    return f"{imports.module('struct')}.Struct({value.format!r})"


def _shown_by_repr(module: str) -> Callable[[Any, Imports], str]:
    """Classes whose `repr` is an expression, behind the name of the module or alone."""

    def write(value: Any, imports: Imports) -> str:
        if getattr(value, "tzinfo", None) not in (None, datetime.UTC):
            raise Unspeakable("has a time zone of the program")
        text = repr(value)
        place = imports.module(module)
        return re.sub(rf"\b{module}\.", f"{place}.", text) if text.startswith(f"{module}.") else f"{place}.{text}"

    return write


_MADE: Final[dict[type, Callable[[Any, Imports], str]]] = {
    float: _float,
    complex: _complex,
    range: _slots("start", "stop", "step"),
    slice: _slots("start", "stop", "step"),
    re.Pattern: _pattern,
    struct.Struct: _struct,
    **dict.fromkeys(
        (datetime.date, datetime.time, datetime.datetime, datetime.timedelta), _shown_by_repr("datetime")
    ),
    decimal.Decimal: _shown_by_repr("decimal"),
    fractions.Fraction: _shown_by_repr("fractions"),
    uuid.UUID: _shown_by_repr("uuid"),
}  # fmt: skip


# -- objects that have a name


def _member_of_enum(value: object, imports: Imports) -> str:
    cls = type(value)
    home = _named(cls, imports, "")
    members = cls.__dict__.get("_member_map_", {})
    name = next((name for name, member in members.items() if member is value), None)
    number = vars(value).get("_value_")
    kept = type(number) is int and cls.__dict__.get("_value2member_map_", {}).get(number) is value
    if name is None and kept and issubclass(cls, enum.Flag) and type(cls) is enum.EnumMeta:
        return f"{home}({number})"
    if name is None:
        raise Unspeakable(f"is a combination of members of {cls.__qualname__}, which has no name")
    return f"{home}.{name}" if name.isidentifier() and cls.__dict__.get(name) is not None else f"{home}[{name!r}]"


_KINDS: Final = {
    kind: name for name, kind in vars(types).items() if isinstance(kind, type) and kind.__module__ == "builtins"
}
"""Classes that only the module `types` has a name for."""


def _named(value: object, imports: Imports, wanted: str) -> str:
    """An object that can be imported again, or a method of a value: a module, a function, a class, `"-".join`."""
    if isinstance(value, types.ModuleType):
        if sys.modules.get(value.__name__) is not value:
            raise Unspeakable("is a module that is not imported under its name")
        return imports.module(value.__name__, wanted)
    if isinstance(value, types.BuiltinMethodType) and type(value.__self__) in _OWNERS:
        owner = spelled(value.__self__, imports)
        return f"({owner}).{value.__name__}" if type(value.__self__) is int else f"{owner}.{value.__name__}"
    if isinstance(value, types.BuiltinMethodType) and type(value.__self__) is type:
        if getattr(value.__self__, value.__name__, None) == value:  # `object.__new__`
            return f"{_named(value.__self__, imports, '')}.{value.__name__}"
    if (
        isinstance(value, (types.MethodDescriptorType, types.WrapperDescriptorType))
        and value.__objclass__.__module__ == "builtins"
    ):
        return f"{value.__objclass__.__qualname__}.{value.__name__}"
    if value is NotImplemented:
        return "NotImplemented"
    if isinstance(value, type) and value in _KINDS:
        return "type(None)" if value is type(None) else imports.member("types", _KINDS[value], wanted)
    module, path = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(module, str) and isinstance(path, str) and _found(module, path) is value:
        if module == "builtins":
            return path
        if module == "__main__":
            raise Unspeakable(f"is `{path}` of a script, which cannot be imported")
        return imports.member(module, path, wanted)
    name = type(value).__qualname__
    raise Unspeakable(f"is {'an' if name[:1].lower() in 'aeio' else 'a'} {name}, which has no form as source text")


def _found(module: str, path: str) -> object:
    """What is found under `module` and the dotted `path`, functions and classes only."""
    found: object = sys.modules.get(module)
    for part in path.split("."):
        if not isinstance(found, (types.ModuleType, type)) or not part.isidentifier():
            return None
        found = found.__dict__.get(part)
    return found if isinstance(found, (type, types.FunctionType, types.BuiltinFunctionType)) else None
