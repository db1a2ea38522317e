"""Which variables of a closure, and which attributes of a class, other functions may assign: by the source around them.

    def make(k):
        def reset(v):
            nonlocal k          the variable `k` of `read` is reassigned; without `reset` it would not be
            k = v
        def read(x): return x + k
        return read, reset

    class Box:
        made = 0
        def __init__(self):
            type(self).made += 1    the attribute `made` of a class is stored, when the module has run already
    def load():
        type.__setattr__(Box, "made", 1)        so it is here

Invariant: "no" is said of a variable only if the whole source of the outermost function (or class) around the place was
read, and no function in it declares the name `nonlocal`; a variable of the outer function itself is assigned before it
returns.  Of attributes, stores are seen whose receiver is written as a class; those of code that is specialized are
seen anyway.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from futamura.analysis.creating import MAKING, stores_on_new_classes
from futamura.analysis.trees import every
from futamura.ir.homes import file_of
from futamura.source import unwarned

__all__ = ["is_deleted", "is_reassigned", "is_stored_on_a_class", "is_stored_on_an_object"]


class _Extent(NamedTuple):
    """A statement of a module, and what the functions in it do to variables of functions around them."""

    first: int
    last: int
    assigned: frozenset[str]
    """Names that are declared `nonlocal`."""
    deleted: frozenset[str]


class _Source(NamedTuple):
    """What was found in one text."""

    extents: list[_Extent]
    stored: frozenset[str]
    """Attributes that functions store on classes."""


_known: Final[dict[str, tuple[object, _Source | None]]] = {}
_STORES: Final = re.compile(
    r"^\s*class [a-z_]|(?:set|del)attr|\(type\)|\bmetaclass\s*=|"
    r"(?:\bcls|\bklass|\btype\([^()]*\)|__class__|\b[A-Z]\w*)\.\w+[\s)\]]*(?:,|:[^=\n]*=|\W{0,3}=(?!=))"
    r"|\bdel .*\.|\bfor\b.*\.\w+[\s)\]]+in\b|\bas\b.*\.",
    re.MULTILINE,
)
"""What a text that stores an attribute on a class looks like; most texts need not be parsed."""
_CLASS_NAMES: Final = frozenset({"cls", "klass", "mcs"})


def is_reassigned(file: str, line: int, name: str) -> bool:
    """May a function of the source around this line assign or delete the variable `name` of a closure?"""
    source = _source(file)
    return source is None or any(e.first <= line <= e.last and name in e.assigned for e in source.extents)


def is_deleted(file: str, line: int, name: str) -> bool:
    """May a function of the source around this line delete the variable `name` of a closure?"""
    source = _source(file)
    return source is None or any(e.first <= line <= e.last and name in e.deleted for e in source.extents)


def is_stored_on_a_class(cls: type, name: str) -> bool:
    """Does a function of the module of this class, or of one that it inherits from, store the attribute on a class?"""
    for base in cls.__mro__:
        module = base.__dict__.get("__module__")
        if type(module) is not str or module.partition(".")[0] in sys.stdlib_module_names:
            continue
        file = file_of(base)
        source = None if file is None else _source(file)
        if source is not None and name in source.stored:
            return True
    return False


def is_stored_on_an_object(cls: type, name: str) -> bool:
    """Is the attribute stored on anything in the module of this class, or of one that it inherits from?

    `setattr` counts if it has the name as a text.
    """
    for base in cls.__mro__:
        file = file_of(base)
        if file is not None and _stored_anywhere(file, name):
            return True
    return False


_anywhere: Final[dict[str, tuple[object, frozenset[str] | None]]] = {}
_answers: Final[dict[tuple[str, str], tuple[object, bool]]] = {}


def _stored_anywhere(file: str, name: str) -> bool:
    lines = linecache.getlines(file)
    answer = _answers.get((file, name))
    if answer is None or answer[0] is not lines:
        answer = _answers[file, name] = lines, _finds_a_store(file, lines, name)
    return answer[1]


def _finds_a_store(file: str, lines: list[str], name: str) -> bool:
    text = "".join(lines)
    if re.search(rf"\.\s*{name}\b(?!\s*\()|[\"']{name}[\"']", text) is None:
        return False  # there are only calls of it
    found = _anywhere.get(file)
    if found is None or found[0] is not lines:
        found = _anywhere[file] = (lines, _stored_names(text))
    return found[1] is None or name in found[1]


def _stored_names(text: str) -> frozenset[str] | None:
    """The attributes that a text stores or deletes; None if it cannot be read."""
    try:
        with unwarned():
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    names: set[str] = set()
    for node in every(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            names.add(node.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
            names.update(str(part.value) for part in node.args[1:2] if isinstance(part, ast.Constant))
    return frozenset(names)


def _source(file: str) -> _Source | None:
    """What the text of the file says; None if it is not known."""
    lines = linecache.getlines(file)
    found = _known.get(file)
    if found is None or found[0] is not lines:
        found = _known[file] = (lines, _read("".join(lines)) if lines else None)
    return found[1]


def _read(text: str) -> _Source | None:
    captured, stores = "nonlocal" in text, _STORES.search(text) is not None
    if not captured and not stores:
        return _Source([], frozenset())
    try:
        with unwarned():
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    stored = frozenset(_stored(tree) if stores else ())
    return _Source(list(_extents(tree)) if captured else [], stored)


def _extents(tree: ast.Module) -> Iterator[_Extent]:
    for statement in tree.body:
        nodes = list(ast.walk(statement))
        assigned = frozenset(name for node in nodes if isinstance(node, ast.Nonlocal) for name in node.names)
        if assigned:
            targets = (target for node in nodes if isinstance(node, ast.Delete) for target in node.targets)
            parts = (node for target in targets for node in ast.walk(target))
            deleted = frozenset(node.id for node in parts if isinstance(node, ast.Name))
            last = statement.end_lineno or statement.lineno
            yield _Extent(_first_line(statement), last, assigned, deleted)


def _first_line(statement: ast.stmt) -> int:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return min([statement.lineno, *(one.lineno for one in statement.decorator_list)])
    return statement.lineno


def _stored(tree: ast.Module) -> Iterator[str]:
    """The attributes that functions of the module store on what is written as a class."""
    names = {node.name for node in every(tree) if isinstance(node, ast.ClassDef)} | _CLASS_NAMES
    new = stores_on_new_classes(tree)
    puts = _hands_on_setters(tree)
    of_classes = _methods_of_classes(tree)
    for function in every(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        known = names | of_classes.get(id(function), set())
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and _is_class(node.value, known):
                if id(node) not in new:
                    yield node.attr
            elif isinstance(node, ast.Call):
                for receiver, name in _put(node, puts):
                    on_class = known != names if receiver is None else _is_class(receiver, known)
                    if on_class and isinstance(name, ast.Constant):
                        yield str(name.value)


_HOOKS: Final = ("__new__", "__init__", "__prepare__")
"""What Python calls for a class that is being made."""


def _put(call: ast.Call, puts: bool) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    """On what a call stores or deletes which attribute, as far as it can do so; None is the object of a method."""
    called = call.func.id if isinstance(call.func, ast.Name) else ""
    if isinstance(call.func, ast.Attribute) and (call.func.attr in _METHODS or _is_builtin(call.func)):
        called = call.func.attr
    given: list[ast.expr | None] = [*call.args]
    if called in _METHODS and isinstance(call.func, ast.Attribute) and len(given) == _METHODS[called]:
        above = call.func.value
        if isinstance(above, ast.Call) and getattr(above.func, "id", "") == "super":
            given = [above.args[1] if len(above.args) == 2 else None, *given]
    if called in _METHODS or called in ("setattr", "delattr"):
        pairs = [*pairwise(given)][:1]
    else:
        pairs = [pair for pair in pairwise(given) if puts and isinstance(pair[1], ast.Constant)]
    for receiver, name in pairs:
        if name is not None:
            yield receiver, name


def _is_builtin(callee: ast.Attribute) -> bool:
    """Is this `builtins.setattr` or the like, and no method of that name?"""
    return isinstance(callee.value, ast.Name) and callee.value.id == "builtins"


_METHODS: Final = {"__setattr__": 2, "__delattr__": 1}
"""With so many arguments where they are methods of what `super` gives."""


def _hands_on_setters(tree: ast.Module) -> bool:
    """Does the text use what stores attributes as a value: `put = type.__setattr__`, `partial(setattr, Box)`?"""
    called = {id(node.func) for node in every(tree) if isinstance(node, ast.Call)}
    return any(
        (isinstance(node, ast.Name) and node.id in ("setattr", "delattr") and id(node) not in called)
        or (isinstance(node, ast.Attribute) and node.attr in _METHODS and id(node) not in called)
        for node in every(tree)
    )


def _methods_of_classes(tree: ast.Module) -> dict[int, set[str]]:
    """The methods of metaclasses that are called on classes which exist, each with the name of its first parameter."""
    classes = [node for node in every(tree) if isinstance(node, ast.ClassDef)]
    given = [keyword.value for node in classes for keyword in node.keywords if keyword.arg == "metaclass"]
    meta = {*MAKING, *(value.id for value in given if isinstance(value, ast.Name))}
    count = 0
    while count != len(meta):
        count = len(meta)
        meta.update(node.name for node in classes if any(getattr(base, "id", "") in meta for base in node.bases))
    found: dict[int, set[str]] = {}
    for node in classes:
        for one in node.body if node.name in meta else ():
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name not in _HOOKS:
                found[id(one)] = {first.arg for first in [*one.args.posonlyargs, *one.args.args][:1]}
    return found


def _is_class(receiver: ast.expr, names: set[str]) -> bool:
    if isinstance(receiver, ast.Name):
        return receiver.id in names
    if isinstance(receiver, ast.Attribute):
        return receiver.attr == "__class__" or receiver.attr in names
    return isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name) and receiver.func.id == "type"
