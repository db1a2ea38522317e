"""Methods that `dataclasses` wrote: the same function again, with a source that can be read.

@dataclass
class Point:            readable(Point, "__init__", Point.__init__)   ->   the function of
    x: int                                                                     def __init__(self, x, tags=None):
    tags: list = field(default_factory=list)                                       self.x = x
                                                                                   self.tags = ... () if tags is ...

Invariant: the text is believed only if it compiles to the very code of the method; globals, defaults and closure
are the method's own.
"""

from __future__ import annotations

import dataclasses
import linecache
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, MemberDescriptorType
from typing import Any, Final
from weakref import WeakKeyDictionary

from futamura.ir.classes import is_a
from futamura.specializer.purity import class_lookup, is_data

__all__ = ["holds_only", "is_method", "plain_fields", "readable", "stored_fields"]

_NEW: Final = sys.version_info >= (3, 12)
_FACTORY_MARK: Final = "__dataclass_HAS_DEFAULT_FACTORY__" if _NEW else "_HAS_DEFAULT_FACTORY"
_OBJECT: Final = "__dataclass_builtins_object__"
_ORDER: Final = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_MADE: Final[WeakKeyDictionary[FunctionType, FunctionType]] = WeakKeyDictionary()
_WRITTEN_FOR: Final[WeakKeyDictionary[FunctionType, FunctionType]] = WeakKeyDictionary()


def readable(cls: type, name: str, function: FunctionType) -> FunctionType:
    """`function`, or one of the same code whose source can be read, if `dataclasses` made it for `cls` or a base."""
    if function.__code__.co_filename != "<string>":
        return function
    known = _MADE.get(function)
    if known is not None and _is_as_made(known, function):
        return known
    for base in cls.__mro__:
        if base.__dict__.get(name) is function and "__dataclass_params__" in base.__dict__:
            for text in _texts(base, name):
                made = _again(function, name, text)
                if made is not None:
                    _MADE[function] = made
                    _WRITTEN_FOR[made] = function
                    return made
    return function


def written_for(function: FunctionType) -> FunctionType:
    """The function for which `readable` gave this one; any other one is itself."""
    return _WRITTEN_FOR.get(function, function)


def _is_as_made(made: FunctionType, function: FunctionType) -> bool:
    """Has nobody given the function other code or defaults?"""
    defaults = made.__defaults__ is function.__defaults__ and made.__kwdefaults__ == function.__kwdefaults__
    return defaults and _same(made.__code__, function.__code__)


def _texts(cls: type, name: str) -> Iterator[str]:
    fields: list[Any] = [f for f in cls.__dict__["__dataclass_fields__"].values() if not _is_class_variable(f)]
    if name == "__init__":
        for slots in (False, True):
            yield _init_text(cls, fields, slots)
        return
    compared = [f.name for f in fields if f.compare and f._field_type is not _INITVAR]
    if name == "__eq__":
        yield _comparison("__eq__", "==", compared)
        terms = " and ".join(f"self.{field}==other.{field}" for field in compared) or "True"
        yield (
            "def __eq__(self, other):\n if self is other:\n  return True\n"
            f" if other.__class__ is self.__class__:\n  return {terms}\n return NotImplemented\n"
        )
    elif name in _ORDER:
        yield _comparison(name, _ORDER[name], compared)


_INITVAR: Final = dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
_CLASSVAR: Final = dataclasses._FIELD_CLASSVAR  # type: ignore[attr-defined]


def _is_class_variable(field: Any) -> bool:
    return bool(field._field_type is _CLASSVAR)


def _comparison(name: str, symbol: str, fields: list[str]) -> str:
    left, right = (
        "(" + "".join(f"{who}.{field}," for field in fields) + ")" if fields else "()" for who in ("self", "other")
    )
    return (
        f"def {name}(self, other):\n if other.__class__ is self.__class__:\n  return {left}{symbol}{right}\n"
        " return NotImplemented\n"
    )


def _init_text(cls: type, fields: list[Any], slots: bool) -> str:
    this = "__dataclass_self__" if any(field.name == "self" for field in fields) else "self"
    shown = [field for field in fields if field.init]
    parameters = [_parameter(field) for field in shown if not field.kw_only]
    keyword_only = [_parameter(field) for field in shown if field.kw_only]
    if keyword_only:
        parameters += ["*", *keyword_only]
    frozen = cls.__dict__["__dataclass_params__"].frozen
    lines = [line for field in fields if (line := _assignment(field, this, frozen, slots))]
    if hasattr(cls, "__post_init__"):
        given = ",".join(field.name for field in fields if field._field_type is _INITVAR)
        lines.append(f"{this}.__post_init__({given})")
    body = "".join(f" {line}\n" for line in lines or ["pass"])
    return f"def __init__({', '.join([this, *parameters])}):\n{body}"


def _parameter(field: Any) -> str:
    missing = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    return field.name if missing else f"{field.name}=None"


def _default(field: Any) -> str:
    return f"__dataclass_dflt_{field.name}__" if _NEW else f"_dflt_{field.name}"


def _assignment(field: Any, this: str, frozen: bool, slots: bool) -> str:
    """The statement that sets one field; empty if there is none."""
    name, default = field.name, _default(field)
    if field.default_factory is not dataclasses.MISSING:
        value = f"{default}() if {name} is {_FACTORY_MARK} else {name}" if field.init else f"{default}()"
    elif field.init:
        value = name
    elif slots and field.default is not dataclasses.MISSING:
        value = default
    else:
        return ""
    if field._field_type is _INITVAR:
        return ""
    return f"{_OBJECT}.__setattr__({this},{name!r},{value})" if frozen else f"{this}.{name}={value}"


def _again(function: FunctionType, name: str, text: str) -> FunctionType | None:
    """A function with the code of `function` and `text` as its source; None if that is not its source."""
    free = function.__code__.co_freevars
    source = "".join(f" {line}\n" for line in text.splitlines())
    source = f"def made({', '.join(free)}):\n{source} return {name}\n"
    file = f"<{getattr(function, '__module__', None)}.{function.__qualname__} {len(_MADE)}>"
    try:
        module = compile(source, file, "exec", dont_inherit=True)
    except SyntaxError:
        return None
    code = _inner(_inner(module, "made"), name)
    if code is None or not _same(code, function.__code__):
        return None
    made = FunctionType(code, function.__globals__, name, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    return made


def _inner(code: CodeType | None, name: str) -> CodeType | None:
    constants = () if code is None else code.co_consts
    return next((c for c in constants if isinstance(c, CodeType) and c.co_name == name), None)


def _same(a: CodeType, b: CodeType) -> bool:
    parts = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_consts", "co_argcount")
    return all(getattr(a, part) == getattr(b, part) for part in parts) and a.co_kwonlyargcount == b.co_kwonlyargcount


def plain_fields(cls: type) -> dict[str, object] | None:
    """Fields and their defaults, if `__init__` was made by `dataclasses` and does nothing but store its arguments."""
    fields = stored_fields(cls)
    if fields is None or any(field.default_factory is not dataclasses.MISSING for field in dataclasses.fields(cls)):
        return None
    return fields


def holds_only(cls: type) -> bool:
    """Is this a class whose instances `dataclasses` makes, and that has no methods but those that it wrote?"""
    found = _HOLDING.get(cls)
    if found is None:
        own = [value for base in cls.__mro__[:-1] for value in base.__dict__.values()]
        made = not any(is_a(value, property) or is_method(value) for value in own)
        found = _HOLDING[cls] = made and stored_fields(cls) is not None
    return found


def is_method(value: object) -> bool:
    """Is this a function that `dataclasses` did not write?"""
    return is_a(value, FunctionType) and value.__code__.co_filename not in _WRITTEN


_WRITTEN: Final = frozenset({"<string>", dataclasses.fields.__code__.co_filename})
_HOLDING: Final[WeakKeyDictionary[type, bool]] = WeakKeyDictionary()


def stored_fields(cls: type) -> dict[str, object] | None:
    """Fields and their defaults, if `__init__` was made by `dataclasses` and stores an argument for each field."""
    parameters = cls.__dict__.get("__dataclass_params__")
    init = cls.__dict__.get("__init__")
    if parameters is None or not isinstance(init, FunctionType):
        return None
    code = init.__code__
    if code.co_filename != "<string>" or not parameters.init or hasattr(cls, "__post_init__"):
        return None
    if not parameters.frozen and class_lookup(cls, "__setattr__") is not vars(object)["__setattr__"]:
        return None
    found = dataclasses.fields(cls)
    names = tuple(field.name for field in found)
    simple = all(field.init for field in found)
    if not simple or code.co_varnames[1 : code.co_argcount] != names or code.co_kwonlyargcount:
        return None
    if len(names) != len(cls.__dict__["__dataclass_fields__"]) or any(_is_descriptor(cls, name) for name in names):
        return None
    return {field.name: field.default for field in found}


def _is_descriptor(cls: type, name: str) -> bool:
    """Does storing this attribute do more than storing it?"""
    found = class_lookup(cls, name)
    return is_data(found) and not is_a(found, MemberDescriptorType)
