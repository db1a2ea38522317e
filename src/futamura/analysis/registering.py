"""Functions that are only there to be called while modules are imported: what they fill is complete by then.

    OPS = {}
    def op(name):                       op is used as a decorator, at module level, and nowhere else
        def deco(function):
            OPS[name] = function
            return function
        return deco

    @op("add")
    def add(stack): ...

Hooks that Python calls for a new class count as well: `__init_subclass__`, `__set_name__`; and constructors of a class
that the text makes no objects of later.

A function inside of them that is kept (a wrapper, a setter) may be called at any time: it is none of them.

Invariant: every use of the name in the text stands outside of all functions, where it is called or decorates.
That it is used so in other modules is not seen: who believes what was filled in has to test it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from futamura.analysis.reading import bound_by, parts

__all__ = ["registering_functions"]

_HOOKS: Final = frozenset({"__init_subclass__", "__set_name__"})


def registering_functions(tree: ast.Module, users: Sequence[ast.Module] = ()) -> list[ast.AST]:
    """The definitions of these functions; of functions inside of them those that do nothing but decorate.  `users` are
    other texts that use them."""
    outside = list(_outside(tree))
    everywhere = [*outside, *(node for user in users for node in _outside(user))]
    ways = _ways([tree, *users], everywhere)
    found: list[ast.AST] = []
    for node in outside:
        if isinstance(node, ast.ClassDef) and ways.get(node.name, {"used"}) <= {"called", "asked"}:
            found.extend(_making(node, tree))
        if not isinstance(node, ast.FunctionDef) or _is_suspended(node):
            continue
        used = ways.get(node.name, {"used"})
        if "called" in used and any(_partial_of(part, node.name) for part in ast.walk(node)):
            continue  # what it gives is kept
        if node.name in _HOOKS or used <= {"decorating", "decorator", "called"}:
            found.append(node)
            if used <= {"decorating", "decorator"}:
                found.extend(_given_back(node, "decorator" in used))
    return found


def _ways(texts: Sequence[ast.Module], outside: Sequence[ast.AST]) -> dict[str, set[str]]:
    """How each name is used: to decorate, with arguments or without, called at once, or only asked for what it has."""
    found: dict[int, str] = {id(node): "called" for statement in outside for node in _called(statement)}
    for statement in outside:
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            for decorator in statement.decorator_list:
                found[id(decorator)] = "decorator"
                if isinstance(decorator, ast.Call):
                    found[id(decorator.func)] = "decorating"
    ways: dict[str, set[str]] = {}
    for node, within, variables in (use for text in texts for use in _uses(text)):
        found.update((id(part), "asked") for part in _asked(node))
        found.update((id(part), "") for part in _own_uses(node, within))
        name = node.attr if isinstance(node, ast.Attribute) else ""
        if isinstance(node, ast.Name) and node.id not in variables:
            name = node.id
        if name and isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            ways.setdefault(name, set()).add(found.get(id(node), "used"))
    return {name: ways - {""} for name, ways in ways.items()}


def _uses(tree: ast.AST) -> Iterator[tuple[ast.AST, str, frozenset[str]]]:
    """The nodes, each with the function that it is in, if that is in no other, and the variables that it sees."""
    work: list[tuple[ast.AST, str, frozenset[str]]] = [(tree, "", frozenset())]
    while work:
        node, within, variables = work.pop()
        yield node, within, variables
        if isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            outer = [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]
            outer += [] if isinstance(node, ast.Lambda) else node.decorator_list
            work.extend((part, within, variables) for part in outer)
            within = "<inner>" if within else getattr(node, "name", "<inner>")
            variables = variables | frozenset(_variables(node))
            inner = [node.body] if isinstance(node, ast.Lambda) else node.body
            work.extend((part, within, variables) for part in inner)
        elif not isinstance(node, ast.AnnAssign):
            work.extend((part, within, variables) for part in ast.iter_child_nodes(node))
        elif node.value is not None:
            work.extend((part, within, variables) for part in (node.target, node.value))


def _variables(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[str]:
    """The names that the function binds for itself."""
    yield from (part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg))
    work: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    others: set[str] = set()
    names: list[str] = []
    while work:
        node = work.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            others.update(node.names)
        names.extend(bound_by(node))
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            work.extend(ast.iter_child_nodes(node))
    yield from (name for name in names if name not in others)


def _asked(node: ast.AST) -> Iterator[ast.AST]:
    """What is asked for an attribute here, or a class that something is compared with."""
    if isinstance(node, ast.Attribute):
        yield node.value
    elif isinstance(node, ast.ExceptHandler) and node.type is not None:
        yield node.type
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
        yield from node.args[1:]


def _own_uses(node: ast.AST, within: str) -> Iterator[ast.AST]:
    """The name of the function that this is in, where it calls itself, or gives back `partial(itself, ...)`."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == within:
        yield node.func
    yield from _partial_of(node, within)


def _partial_of(node: ast.AST, name: str) -> list[ast.expr]:
    """The name of a function where `partial(function, ...)` is given back."""
    given = node.value if isinstance(node, ast.Return) else None
    if not isinstance(given, ast.Call) or getattr(given.func, "id", getattr(given.func, "attr", "")) != "partial":
        return []
    return [part for part in given.args[:1] if getattr(part, "id", "") == name]


def _making(cls: ast.ClassDef, tree: ast.Module) -> Iterator[ast.AST]:
    """The constructors of a class whose objects are all made on import."""
    names = {getattr(node, "id", "") for node in ast.walk(cls)}
    shown = {getattr(node, "attr", "") for node in ast.walk(tree)}
    again = any(
        isinstance(node, ast.Attribute) and node.attr in _CONSTRUCTORS and not isinstance(node.value, ast.Call)
        for node in ast.walk(tree)
    )
    plain = all(getattr(one, "id", getattr(one, "attr", "")) == "dataclass" for one in cls.decorator_list)
    if plain and not again and not names & {"cls", "type"} and "__class__" not in shown:
        for one in cls.body:
            if isinstance(one, ast.FunctionDef) and one.name in _CONSTRUCTORS and not _is_suspended(one):
                yield one


_CONSTRUCTORS: Final = frozenset({"__init__", "__post_init__"})


def _is_suspended(function: ast.FunctionDef) -> bool:
    """Does its body run later, or another function in its place?"""
    if any(not _is_binding(decorator) for decorator in function.decorator_list):
        return True
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))


def _is_binding(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("classmethod", "staticmethod")


def _given_back(function: ast.FunctionDef, plain: bool) -> Iterator[ast.AST]:
    """The functions that this one makes only to return them, or to call them: the decorators of `@function(...)`.  If
    it is a `plain` decorator as well, what it returns there is kept: only those that it returns if it gets nothing."""
    values = [node.value for node in function.body if isinstance(node, ast.Return) and node.value is not None]
    given = [part for value in values for part in parts(value)]
    if plain:
        first = [one.arg for one in [*function.args.posonlyargs, *function.args.args][:1]]
        given = [value.body for value in values if isinstance(value, ast.IfExp) and _lacks(value.test, first)]
        tests = (node for node in function.body if isinstance(node, ast.If) and _lacks(node.test, first))
        given += [node.value for test in tests for node in test.body if isinstance(node, ast.Return) and node.value]
    returned = set(map(id, given))
    calls = {id(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
    for statement in function.body:
        if isinstance(statement, ast.FunctionDef) and not statement.decorator_list and not _is_suspended(statement):
            uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == statement.name]
            if uses and all(id(use) in returned | calls for use in uses):
                yield statement
    yield from (part for part in given if isinstance(part, ast.Lambda))


def _lacks(test: ast.expr, names: Sequence[str]) -> bool:
    """Is this `name is None`?"""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Is):
        return False
    other = test.comparators[0]
    return getattr(test.left, "id", None) in names and isinstance(other, ast.Constant) and other.value is None


_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def _outside(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that are in no function; of functions the definitions themselves and their decorators."""
    work: list[ast.AST] = list(tree.body)
    while work:
        node = work.pop()
        yield node
        if isinstance(node, _FUNCTIONS):
            work.extend(node.decorator_list)
        elif not isinstance(node, ast.Lambda):
            work.extend(ast.iter_child_nodes(node))


def _called(node: ast.AST) -> Iterator[ast.AST]:
    """The names and attributes that this node calls, or decorates with."""
    if isinstance(node, ast.Call):
        yield node.func
    elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        yield from node.decorator_list
