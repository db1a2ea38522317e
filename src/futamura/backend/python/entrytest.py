"""The test at the entry of a residual function while it grows: terms, and the constants that they name."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CellType, CodeType, FunctionType
from typing import Any, Final

__all__ = ["EntryTest", "asking", "is_global_name", "is_written"]

_NO_GLOBALS: Final = frozenset({"__builtins__", "__debug__"})
_OWN: Final = ("_was_", "_cell_")
"""How the variables of entry tests begin."""


@dataclass(slots=True)
class EntryTest:
    """The test that grows: terms of a conjunction, and the constants that they use."""

    words: frozenset[str]
    """Of the text: all that could be a name in it."""
    constants: dict[str, object] = field(default_factory=dict)
    terms: list[str] = field(default_factory=list)
    may_fail: bool = False
    gone: str = ""
    """The name of the exceptions that it may raise."""
    leave: str = ""
    """The statement for the case that it fails."""
    unset: str = ""
    """The term that a flag is not set."""
    told: bool = False
    """Does a later test tell that as well?"""
    named: bool = False
    names: dict[int, str] = field(default_factory=dict)
    """By the identity of the constant."""

    def asked(self) -> list[str]:
        """The terms that have to be asked as long as all tests hold."""
        return self.terms if self.told else self.all_terms()

    def all_terms(self) -> list[str]:
        return [self.unset, *self.terms] if self.unset else self.terms

    def constant(self, value: object, hint: str) -> str:
        """A name for a constant that the text does not use, one for all its uses; None is written as it is."""
        if value is None:
            return "None"
        if self.named and getattr(builtins, hint, None) is value and hint not in self.words:
            return hint
        if id(value) in self.names:
            return self.names[id(value)]
        name = self.names[id(value)] = self.unused(hint)
        self.constants[name] = value
        return name

    def unused(self, hint: str) -> str:
        """A name that the text does not use."""
        base = "_" + re.sub(r"\W", "_", hint).strip("_")
        name, count = base, 1
        while name in self.constants or name in self.words:
            name, count = f"{base}_{count}", count + 1
        return name


def is_written(name: str) -> bool:
    """May it stand behind a dot?"""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def is_global_name(name: str) -> bool:
    """Does code that mentions the name read a global of that name?"""
    if name in _NO_GLOBALS or name.startswith(_OWN):
        return False
    return is_written(name)


def asking(
    namespace: dict[str, Any], terms: list[str], cells: Mapping[str, CellType], known: dict[str, object] | None = None
) -> Callable[[], bool]:
    """A function of no arguments; `known` are its builtins, if it must not have the usual ones."""
    text = f"def factory({', '.join(cells)}):\n return lambda: {' and '.join(terms)}\n"  # it has no name to be mistaken
    factory = next(item for item in compile(text, "<entry test>", "exec").co_consts if hasattr(item, "co_consts"))
    code = next(item for item in factory.co_consts if hasattr(item, "co_freevars"))
    closure = tuple(cells[name] for name in code.co_freevars)
    if known is None:
        return FunctionType(code, namespace, "holds", None, closure)
    # A function whose globals say nothing of builtins gets those of the frame that makes it.
    maker = FunctionType(_made.__code__, {"__builtins__": known, "FunctionType": FunctionType})
    made: Callable[[], bool] = maker(code, namespace, closure)
    return made


def _made(code: CodeType, namespace: dict[str, Any], closure: tuple[CellType, ...]) -> FunctionType:
    return FunctionType(code, namespace, "holds", None, closure)
