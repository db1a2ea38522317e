"""Objects that a code object has among its constants where its text has a free name.

    def entry(x):                          def entry(x):
        if _type(x) is _int: ...     as        if <type>(x) is <int>: ...

Each call of a function copies all its free variables into its frame, which takes longer than most of them are good for
(a hundred of them: a third of a microsecond).  A constant of the code costs nothing.  Such code is compiled from a text
with a marked string in the place of each such name; the string is then replaced by the object.

The listed text keeps the names.  Who lowers such a function again takes the names for free variables, as in the text:
`free_names` and `closure_of` give them, with cells that hold the objects.

Invariant: the objects are no strings and no literals, can be hashed without running code of the program, as code
objects are hashed by their constants, and refer to no residual: the collector does not look into code objects, so a
cycle through one would stay forever.  Therefore only what belongs to a module as a whole is taken, and of functions
only those that hold nothing: who asks what a function holds looks into its cells.
"""

from __future__ import annotations

import weakref
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final

__all__ = ["Immediates", "closure_of", "fits", "free_names", "immediates_of", "marker", "put"]


class Immediates:
    """Among the constants of a code object: what its text calls which of them, and the text."""

    __slots__ = ("_code", "cells", "text")

    def __init__(self, text: str, values: dict[str, object]) -> None:
        self.text: Final = text
        self.cells: Final = {name: CellType(value) for name, value in values.items()}
        self._code: weakref.ref[CodeType] | None = None

    def belong_to(self, code: CodeType) -> None:
        self._code = weakref.ref(code)

    def are_of(self, code: CodeType) -> bool:
        """Is this the very code that was made with them?  Whoever changes it makes another."""
        return self._code is not None and self._code() is code


def immediates_of(code: CodeType) -> Immediates | None:
    """The immediates of a code object that has some."""
    last = code.co_consts[-1] if code.co_consts else None
    return last if type(last) is Immediates and last.are_of(code) else None


def free_names(code: CodeType) -> tuple[str, ...]:
    """The free names of the text of this code, as `closure_of` has their cells."""
    found = immediates_of(code)
    return code.co_freevars if found is None else (*code.co_freevars, *found.cells)


def closure_of(function: Any) -> tuple[CellType, ...]:
    """The cells of a Python function's free names: variables of functions around it, and immediates."""
    found = immediates_of(function.__code__)
    cells: tuple[CellType, ...] = function.__closure__ or ()
    return cells if found is None else (*cells, *found.cells.values())


_MEMBERS: Final = (MethodDescriptorType, WrapperDescriptorType, GetSetDescriptorType, MemberDescriptorType)

_QUALNAME: Final = type.__dict__["__qualname__"]


def fits(value: object) -> bool:
    """Can this object be an immediate?"""
    given: Any = value
    kind = type(given)
    if issubclass(kind, type):
        return _hashes_plainly(kind) and _is_of_module(_QUALNAME.__get__(given))
    if kind is FunctionType:
        holds = given.__closure__, given.__defaults__, given.__kwdefaults__
        return holds == (None, None, None) and _is_of_module(given.__qualname__)
    if kind is BuiltinFunctionType:
        return type(given.__self__) in (ModuleType, type, type(None))
    if kind in _MEMBERS:
        return fits(given.__objclass__)
    if kind is tuple:
        return all(issubclass(type(item), type) and fits(item) for item in given)
    return kind is ModuleType or kind is CodeType


def _hashes_plainly(metaclass: type) -> bool:
    """Are its classes hashed by their identity?"""
    return not any("__hash__" in base.__dict__ for base in type.mro(metaclass) if base is not object)


def _is_of_module(qualname: str) -> bool:
    return "<locals>" not in qualname


def marker(name: str) -> str:
    """The string that stands for the immediate of that name while its text is compiled."""
    return f"\0immediate {name}"


def put(code: CodeType, text: str, values: dict[str, object]) -> CodeType:
    """`code`, compiled with markers, with the objects in their places; `text` is the listed text."""
    marked = {marker(name): value for name, value in values.items()}
    found = Immediates(text, values)
    constants = [marked.get(item, item) if type(item) is str else item for item in code.co_consts]
    made = code.replace(co_consts=(*constants, found))
    found.belong_to(made)
    return made
