"""Stores on a class that is just being made: they change no class that exists.

    class Meta(type):
        def __new__(mcs, name, bases, body):
            cls = super().__new__(mcs, name, bases, body)
            cls.fields = {...}              the class is new: `fields` of other classes stays
            return cls

    class Base:
        def __init_subclass__(cls): cls.fields = {...}

    def register(cls): cls.tag = cls.__name__; return cls       only ever used as `@register`

What is stored may be reached elsewhere too: that is not asked here (`frontend/sharing.py`).

Invariant: the receiver is bound once, to the class that Python passes to one of these hooks when it makes a class, or
to what `type.__new__` gave.  That a program calls such a hook of a class that exists is not expected.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from futamura.analysis.trees import every

__all__ = ["MAKING", "is_metaclass", "stores_on_new_classes"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
MAKING: Final = ("type", "ABCMeta", "EnumMeta")


def stores_on_new_classes(tree: ast.Module) -> set[int]:
    """The ids of the attributes (`cls.name` that is assigned) whose receiver is a class that is being made."""
    found: set[int] = set()
    for function, receiver in _hooks(tree):
        if _bindings(function, receiver) != (0 if _is_parameter(function, receiver) else 1):
            continue
        for target in _assigned(function, receiver):
            if isinstance(target, ast.Attribute) and _named(target.value, receiver):
                found.add(id(target))
    return found


def _assigned(function: _Function, name: str) -> Iterator[ast.expr]:
    """What plain assignments store to; `+=` is none, which may change what the class inherits."""
    for node in _where_it_means(function, name):
        if isinstance(node, ast.Assign):
            yield from node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield node.target


def _hooks(tree: ast.Module) -> Iterator[tuple[_Function, str]]:
    """Functions that Python calls for a class that it makes, with the name that the class has there."""
    for node in every(tree):
        if isinstance(node, ast.ClassDef):
            for function in node.body:
                if isinstance(function, ast.FunctionDef):
                    yield from _hook(function, is_metaclass(node))
    decorators = _decorators(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in decorators and (first := _first_parameter(node)):
            yield node, first


def _hook(function: ast.FunctionDef, in_metaclass: bool) -> Iterator[tuple[_Function, str]]:
    first = _first_parameter(function)
    if function.name == "__init_subclass__" or (in_metaclass and function.name == "__init__"):
        if first is not None:
            yield function, first
    elif in_metaclass and function.name == "__new__":
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and _makes_class(node.value):
                target = node.targets[0]
                if isinstance(target, ast.Name):
                    yield function, target.id


def is_metaclass(node: ast.ClassDef) -> bool:
    """Are all of its bases classes that make a new class each time?  Another one in front could give an old one."""
    return bool(node.bases) and all(any(_named(base, name) for name in MAKING) for base in node.bases)


def _makes_class(value: ast.expr) -> bool:
    """`super().__new__(...)` or `type.__new__(...)`."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "__new__"):
        return False
    receiver = value.func.value
    return _named(receiver, "type") or (isinstance(receiver, ast.Call) and _named(receiver.func, "super"))


def _decorators(tree: ast.Module) -> set[str]:
    """Names that are used as decorators of classes that the module makes, and for nothing else."""
    decorating = {
        id(decorator)
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Name)
    }
    used: dict[str, bool] = {}
    for node in every(tree):
        if isinstance(node, ast.Name):
            used[node.id] = used.get(node.id, True) and id(node) in decorating
    return {name for name, only in used.items() if only}


def _first_parameter(function: _Function) -> str | None:
    given = [*function.args.posonlyargs, *function.args.args]
    return given[0].arg if given else None


def _is_parameter(function: _Function, name: str) -> bool:
    return _first_parameter(function) == name


def _bindings(function: _Function, name: str) -> int:
    """How often the function, or one inside of it, binds this name; many if something else than a store does."""
    count = 0
    for node in _where_it_means(function, name):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            count += node.id == name
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            count += 2 * (name in node.names)
        elif isinstance(node, ast.arg):
            count += 2 * (node.arg == name and not _is_parameter(function, name))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
            count += 2 * (node.name == name and node is not function)
    return count


def _where_it_means(function: _Function, name: str) -> Iterator[ast.AST]:
    """The nodes of a function in which this name can only be that of its own variable: not the bodies of functions
    inside of it that have a variable of that name themselves."""
    work: list[ast.AST] = [function]
    while work:
        node = work.pop()
        yield node
        if node is not function and isinstance(node, _SCOPES) and _has_variable(node, name):
            defaults = [default for default in (*node.args.defaults, *node.args.kw_defaults) if default is not None]
            work += [*defaults, *([] if isinstance(node, ast.Lambda) else node.decorator_list)]
        else:
            work.extend(ast.iter_child_nodes(node))


_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _has_variable(function: _Function | ast.Lambda, name: str) -> bool:
    """Does this function bind the name as its own, which none inside of it declares?"""
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names for node in ast.walk(function)):
        return False
    if any(one is not None and one.arg == name for one in parameters):
        return True
    work: list[ast.AST] = list(function.body) if not isinstance(function, ast.Lambda) else []
    while work:
        node = work.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id == name:
            return True
        if not isinstance(node, (*_SCOPES, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            work.extend(ast.iter_child_nodes(node))
    return False


def _named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
