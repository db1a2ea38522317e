"""What can be observed of values: exact types, contents, identity of what can mutate, chains of exceptions.

    observe({"result": [1, -0.0], "xs": xs})    ->    ['result', 'list#0', '2', 'int 1', 'float -0x0.0p+0', 'xs', ...]

Two runs are equal if their tokens are.  Mutable objects are numbered in the order in which they are reached, so two
places that hold one object give one number; tuples, numbers and text have no identity, for it may change in folding.

Invariant: nothing of the program runs while it is observed: no `__eq__`, `__repr__`, `__getattr__`, no property.
"""

from __future__ import annotations

import collections
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from futamura.ir.constant import is_large

__all__ = ["classes_of", "observe", "scrub", "state_of"]

ADDRESS: Final = re.compile(r"0[xX][0-9a-fA-F]{4,}")
ATOMS: Final = (type(None), bool, int, complex, bytes, type(...), type(NotImplemented), range, slice)
LARGE: Final = 10**100
"""Beyond this, Python may refuse to write a number in decimals."""
DEPTH: Final = 150
"""Nesting beyond this is not looked at: lists of lists made by loops stay far below."""


def _said(error: BaseException) -> str:
    """The text of an exception; a method of the program that makes part of it may fail."""
    try:
        return scrub(str(error))
    except Exception as failure:
        return f"[no text: {type(failure).__name__}]"


def scrub(text: str) -> str:
    """Text without the addresses of objects."""
    return ADDRESS.sub("0x", text) if "0x" in text or "0X" in text else text


def observe(roots: Mapping[str, object]) -> list[str]:
    """The tokens of everything reachable from `roots`, in their order."""
    observer = _Observer()
    for name, value in roots.items():
        observer.tokens.append(f"[{name}]")
        observer.walk(value, 0)
    return observer.tokens


def state_of(namespace: Mapping[str, object]) -> dict[str, object]:
    """The data of a module that a function may change: globals, and attributes of its classes."""
    state: dict[str, object] = {}
    for name, value in namespace.items():
        if name.startswith("__") or issubclass(type(value), (types.FunctionType, types.ModuleType)):
            continue
        if issubclass(type(value), type):
            assert isinstance(value, type)
            state.update({f"{name}.{key}": item for key, item in classes_of(value)})
        else:
            state[name] = value
    return state


def classes_of(cls: type) -> Iterator[tuple[str, object]]:
    """The data attributes of a class itself."""
    for key, item in vars(cls).items():
        if not key.startswith("__") and not callable(item) and not hasattr(type(item), "__get__"):
            yield key, item


class _Observer:
    def __init__(self) -> None:
        self.tokens: Final[list[str]] = []
        self.seen: Final[dict[int, int]] = {}
        self.kept: Final[list[object]] = []

    def walk(self, value: Any, depth: int) -> None:
        kind = type(value)
        if kind is float:
            self.tokens.append(f"float {value.hex()}")
        elif kind is str:
            self.tokens.append("str " + scrub(repr(value)))
        elif kind is int:
            self.tokens.append(f"int {value if abs(value) < LARGE else hex(value)}")
        elif kind in ATOMS:
            self.tokens.append(f"{kind.__name__} {value!r}")
        elif depth > DEPTH:
            self.tokens.append("deep")
        elif (kind is tuple or kind is frozenset) and not is_large(value):
            self.tokens.append(f"{kind.__name__} {len(value)}")
            self.each(value if kind is tuple else _ordered(value), depth)
        else:  # what has very many parts, because it holds the same ones again and again, is looked at once, too
            self.mutable(value, kind, depth)

    def each(self, values: Iterable[object], depth: int) -> None:
        for item in values:
            self.walk(item, depth + 1)

    def mutable(self, value: Any, kind: type, depth: int) -> None:
        number = self.seen.get(id(value))
        if number is not None:
            self.tokens.append(f"#{number}")
            return
        if issubclass(kind, (type, types.ModuleType, types.BuiltinFunctionType)):
            name = types.ModuleType.__name__ if issubclass(kind, types.ModuleType) else value.__qualname__
            self.tokens.append(f"{kind.__name__} {name}")
            return
        self.seen[id(value)] = number = len(self.seen)
        self.kept.append(value)
        self.tokens.append(f"{kind.__module__}.{kind.__qualname__}#{number}")
        self.contents(value, kind, depth)
        self.attributes(value, kind, depth)

    def contents(self, value: Any, kind: type, depth: int) -> None:
        """What the builtin part of the object holds; asked of the builtin class: a subclass may answer otherwise."""
        for base in (list, tuple, collections.deque, bytearray, set, frozenset):
            if issubclass(kind, base):
                items = list(base.__iter__(value))
                self.tokens.append(str(len(items)))
                self.each(_ordered(items) if base in (set, frozenset) else items, depth)
                return
        if issubclass(kind, dict):
            items = list(dict.items(value))
            self.tokens.append(str(len(items)))
            for key, item in items:
                self.walk(key, depth + 1)
                self.walk(item, depth + 1)
        elif issubclass(kind, BaseException):
            self.exception(value, depth)
        elif kind is types.MethodType:
            self.tokens.append(getattr(value.__func__, "__qualname__", "?"))
            self.walk(value.__self__, depth + 1)
        elif kind is types.FunctionType:
            self.tokens.append(value.__qualname__)
        elif issubclass(kind, (int, str, float)):
            self.tokens.append(next(base.__repr__(value) for base in (int, str, float) if issubclass(kind, base)))

    def exception(self, error: BaseException, depth: int) -> None:
        self.tokens.append(f"suppress {error.__suppress_context__}")
        self.walk(error.args, depth + 1)
        if type(error).__module__ == "builtins":
            self.tokens.append(_said(error))
        for name in ("__cause__", "__context__"):
            self.tokens.append(name)
            self.walk(getattr(error, name), depth + 1)

    def attributes(self, value: object, kind: type, depth: int) -> None:
        """The instance's own attributes, in their order; the slots of its classes."""
        if issubclass(kind, types.FunctionType) or (
            kind.__module__ == "builtins" and not issubclass(kind, BaseException)
        ):
            return
        try:
            own = object.__getattribute__(value, "__dict__")
        except AttributeError:
            own = {}
        for name, item in list(own.items()):
            self.tokens.append(f".{name}")
            self.walk(item, depth + 1)
        for owner in kind.__mro__:
            slots = vars(owner).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                self.slot(value, owner, name, depth)

    def slot(self, value: object, owner: type, name: str, depth: int) -> None:
        descriptor = vars(owner).get(name)
        if not isinstance(descriptor, types.MemberDescriptorType):
            return
        try:
            item = descriptor.__get__(value, owner)
        except AttributeError:
            return
        self.tokens.append(f".{name}")
        self.walk(item, depth + 1)


def _ordered(values: Iterable[object]) -> list[object]:
    """The members of a set in an order that depends on their contents alone."""
    values = list(values)
    if len(values) < 2:
        return values  # sets in sets in sets would be looked at twice on each level
    keyed = []
    for position, item in enumerate(values):
        keyed.append((observe({"": item}), position, item))
    return [item for _, _, item in sorted(keyed, key=lambda entry: entry[:2])]
