"""Attributes of operations: the static part of an operation, and the form that each operator asks for.

    call[("", "*", "key")] f, a, b, c        f(a, *b, key=c): one mark for each argument after the function
    binding(("m", "x"), 0, 1) -> ""          a form answers "" or says what is wrong

Invariant: an attribute is immutable and compares exactly; values of the program occur in it only inside a
`Constant`.  A form looks at the attribute and at the counts of arguments and results, at nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from futamura.ir.constant import Constant

__all__ = ["ASYNC", "ClassAttr", "Form", "FunctionAttr"]

ASYNC: Final = "async"
"""The attribute of what `async with` does, where `with` has none."""

Form: TypeAlias = Callable[[object, int, int], str]
"""(attribute, number of arguments, number of results) -> what is wrong, or ""."""


class FunctionAttr(NamedTuple):
    """What `function` makes: the program's function `name`, its cells bound to the trailing arguments.

    The arguments are `defaults` positional defaults, one value for each name of `kwdefaults`, one for
    each name of `annotations` ("return" included), then one cell for each free name of the function.
    """

    name: str
    defaults: int = 0
    kwdefaults: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()


class ClassAttr(NamedTuple):
    """What `class` makes: `source` is one statement that defines `name` (a class, or a definition that the
    IR does not look into); the arguments are the cells of `free`, the enclosing variables that it reads."""

    name: str
    source: str
    free: tuple[str, ...] = ()


def is_name_tuple(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, str) for item in value)


def nothing(attr: object, arguments: int, results: int) -> str:
    return "" if attr is None else f"takes no attribute, got {attr!r}"


def waiting(attr: object, arguments: int, results: int) -> str:
    return "" if attr is None or attr == ASYNC else f"the attribute must be {ASYNC!r} if there is one, got {attr!r}"


def constant(attr: object, arguments: int, results: int) -> str:
    return "" if isinstance(attr, Constant) else f"the attribute must be a Constant, got {attr!r}"


def parallel(attr: object, arguments: int, results: int) -> str:
    if arguments != results:
        return f"{arguments} arguments but {results} results"
    return nothing(attr, arguments, results)


def name(attr: object, arguments: int, results: int) -> str:
    return "" if isinstance(attr, str) and attr else f"the attribute must be a name, got {attr!r}"


def binding(attr: object, arguments: int, results: int) -> str:
    """(module, name) of a global variable."""
    if is_name_tuple(attr) and isinstance(attr, tuple) and len(attr) == 2:
        return ""
    return f"the attribute must be (module, name), got {attr!r}"


def items(attr: object, arguments: int, results: int) -> str:
    """None, or one flag for each item: is it starred?"""
    if attr is None:
        return ""
    if not isinstance(attr, tuple) or any(type(flag) is not bool for flag in attr):
        return f"the attribute must be a tuple of flags, got {attr!r}"
    return "" if len(attr) == arguments else f"{len(attr)} flags for {arguments} items"


def entries(attr: object, arguments: int, results: int) -> str:
    """None, or one flag for each entry: a ** mapping takes one argument, a key and its value take two."""
    if attr is None:
        return "" if arguments % 2 == 0 else "a key without a value"
    if not isinstance(attr, tuple) or any(type(flag) is not bool for flag in attr):
        return f"the attribute must be a tuple of flags, got {attr!r}"
    wanted = sum(1 if flag else 2 for flag in attr)
    return "" if wanted == arguments else f"the entries take {wanted} arguments, got {arguments}"


def marks(attr: object, arguments: int, results: int) -> str:
    """None, or one mark for each argument after the function: "", "*", "**" or a keyword."""
    if arguments < 1:
        return "nothing to call"
    if attr is None:
        return ""
    if not is_name_tuple(attr) or not isinstance(attr, tuple):
        return f"the attribute must be a tuple of marks, got {attr!r}"
    if len(attr) != arguments - 1:
        return f"{len(attr)} marks for {arguments - 1} arguments"
    return _mark_order(attr)


def _mark_order(marks: tuple[str, ...]) -> str:
    """Python's own rule: no positional argument after a keyword, no * after **, no keyword twice."""
    seen: set[str] = set()
    for mark in marks:
        if mark == "" and seen - {"*"}:
            return "a positional argument follows a keyword"
        if mark == "*" and "**" in seen:
            return "a * argument follows a ** argument"
        if mark not in ("", "*", "**") and mark in seen:
            return f"the keyword {mark} twice"
        if mark:
            seen.add(mark)
    return ""


def conversion(attr: object, arguments: int, results: int) -> str:
    if arguments not in (1, 2):
        return f"takes a value and at most a format, got {arguments} arguments"
    return "" if attr in ("", "s", "r", "a") else f'the conversion must be "", "s", "r" or "a", got {attr!r}'


def unpacking(attr: object, arguments: int, results: int) -> str:
    """(before, starred, after): how many targets before and after a starred one."""
    if not (isinstance(attr, tuple) and len(attr) == 3):
        return f"the attribute must be (before, starred, after), got {attr!r}"
    before, starred, after = attr
    if type(before) is not int or type(starred) is not bool or type(after) is not int or min(before, after) < 0:
        return f"the attribute must be (before, starred, after), got {attr!r}"
    if after and not starred:
        return "targets after a star that is not there"
    wanted = before + starred + after
    return "" if wanted == results else f"unpacks {wanted} values into {results} results"


def module(attr: object, arguments: int, results: int) -> str:
    """(name, None | imported names, level)."""
    if isinstance(attr, tuple) and len(attr) == 3:
        name, names, level = attr
        if isinstance(name, str) and (names is None or is_name_tuple(names)) and type(level) is int and level >= 0:
            return ""
    return f"the attribute must be (name, names, level), got {attr!r}"


def new_cell(attr: object, arguments: int, results: int) -> str:
    return name(attr, arguments, results) if arguments <= 1 else f"holds at most one value, got {arguments}"


def variable(attr: object, arguments: int, results: int) -> str:
    """(name, "local" | "free"): which error an empty cell raises."""
    if isinstance(attr, tuple) and len(attr) == 2 and isinstance(attr[0], str) and attr[1] in ("local", "free"):
        return ""
    return f'the attribute must be (name, "local" | "free"), got {attr!r}'


def function(attr: object, arguments: int, results: int) -> str:
    if not isinstance(attr, FunctionAttr):
        return f"the attribute must be a FunctionAttr, got {attr!r}"
    if not (isinstance(attr.name, str) and type(attr.defaults) is int and is_name_tuple(attr.kwdefaults)):
        return f"a FunctionAttr of the wrong form: {attr!r}"
    if not is_name_tuple(attr.annotations):
        return f"a FunctionAttr of the wrong form: {attr!r}"
    least = attr.defaults + len(attr.kwdefaults) + len(attr.annotations)
    return "" if arguments >= least else f"takes at least {least} arguments, got {arguments}"


def definition(attr: object, arguments: int, results: int) -> str:
    if not (isinstance(attr, ClassAttr) and isinstance(attr.name, str) and isinstance(attr.source, str)):
        return f"the attribute must be a ClassAttr, got {attr!r}"
    if not is_name_tuple(attr.free):
        return f"a ClassAttr of the wrong form: {attr!r}"
    return "" if len(attr.free) == arguments else f"{len(attr.free)} free names but {arguments} cells"


def pattern(attr: object, arguments: int, results: int) -> str:
    """(number of positional sub-patterns, keyword names) of a class pattern."""
    if not (isinstance(attr, tuple) and len(attr) == 2 and type(attr[0]) is int and is_name_tuple(attr[1])):
        return f"the attribute must be (positional count, names), got {attr!r}"
    wanted = 1 + attr[0] + len(attr[1])
    return "" if wanted == results else f"gives {wanted} results, got {results}"
