"""Special methods: what operators, statements and builtins call without naming it, and with what.

    class Log:
        def __len__(self): self.asked += 1         len(LOGS["a"]) changes that Log: one of the `changing_classes`
        def __contains__(self, row): row.clear()   row may be any operand of the module: `operands`

Invariant: methods that are only called where something is stored (`__setitem__`, `__setattr__`, `__iadd__`) are not
among those that change what they belong to: a store counts as a change wherever it stands.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from futamura.analysis.methods import OPERATORS
from futamura.frontend.walking import SCOPES, Scope, is_of_class

__all__ = ["MAKING", "changing_classes", "is_own_class", "is_special", "operands", "parameters", "receiver", "shifts"]

_STORING: Final = frozenset({"__setitem__", "__delitem__", "__setattr__", "__delattr__"}) | {
    f"__i{name}__" for name in OPERATORS
}
_OF_CLASSES: Final = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__", "__prepare__"})
MAKING: Final = ("__init__", "__new__", "__post_init__")


def is_special(function: Scope) -> bool:
    """May it be called without being named?  Constructors are named by their class."""
    if isinstance(function, ast.Lambda) or function.name in MAKING:
        return False
    return function.name.startswith("__") and function.name.endswith("__")


def parameters(function: Scope) -> list[ast.arg]:
    """All of them, with what collects arguments."""
    arguments = function.args
    collecting = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *collecting]


def receiver(function: Scope) -> str | None:
    """The parameter that gets what a method is called on."""
    return next((one.arg for one in (*function.args.posonlyargs, *function.args.args)), None)


def is_own_class(function: Scope, name: str, nodes: Iterable[ast.AST]) -> bool:
    """Is this the class that a class method gets, which nothing in the method binds anew?"""
    if name != receiver(function) or not is_of_class(function, "classmethod"):
        return False
    names = (node for node in nodes if isinstance(node, ast.Name) and node.id == name)
    return all(isinstance(node.ctx, ast.Load) for node in names)


def changing_classes(
    classes: Collection[ast.ClassDef], is_changed: Callable[[Scope, str], bool]
) -> tuple[frozenset[str], frozenset[str]]:
    """The classes whose special methods may change the instance, and those whose `__get__` changes whose attribute it
    is; `is_changed` tells what functions do to their parameters."""
    found: set[str] = set()
    reading: set[str] = set()
    for cls in classes:
        for method in cls.body:
            if not isinstance(method, SCOPES) or not is_special(method) or isinstance(method, ast.Lambda):
                continue
            names = [one.arg for one in parameters(method)]
            if method.name not in _STORING and method.name not in _OF_CLASSES and names:
                if is_changed(method, names[0]):
                    found.add(cls.name)
            if method.name == "__get__" and len(names) > 1 and is_changed(method, names[1]):
                reading.add(cls.name)
    return frozenset(found), frozenset(reading)


def operands(node: ast.AST) -> Iterator[ast.expr]:
    """What a special method may get besides the object that it belongs to."""
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.Subscript):
        yield node.slice
    elif isinstance(node, ast.AugAssign):
        yield from (node.target, node.value)
    elif isinstance(node, ast.Assign):
        if any(isinstance(part, (ast.Subscript, ast.Attribute)) for one in node.targets for part in ast.walk(one)):
            yield node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        if isinstance(node.target, (ast.Subscript, ast.Attribute)):
            yield node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        if isinstance(node.target, (ast.Subscript, ast.Attribute)):
            yield node.iter
    elif isinstance(node, ast.Call):
        yield from (*node.args, *(keyword.value for keyword in node.keywords))
        if isinstance(node.func, ast.Attribute):
            yield node.func.value
    elif isinstance(node, ast.ClassDef):
        yield from (keyword.value for keyword in node.keywords)
    elif isinstance(node, ast.Dict):
        yield from (key for key in node.keys if key is not None)
    elif isinstance(node, ast.Set):
        yield from node.elts
    elif isinstance(node, ast.Match):
        yield node.subject
    elif isinstance(node, ast.Yield) and node.value is not None:
        yield node.value


def shifts(call: ast.Call, callee: Scope) -> tuple[int, ...]:
    """By how many parameters arguments are moved: none, or one, behind the object that a method is called on."""
    explicit = isinstance(call.func, ast.Attribute)
    if not isinstance(callee, ast.Lambda) and callee.name in MAKING:
        if isinstance(call.func, ast.Attribute):
            bound = isinstance(call.func.value, ast.Call)  # `super().__init__(...)`
            return (0,) if callee.name == "__new__" else (1,) if bound else (0, 1)
        return (1,)  # behind the new object
    return (0, 1) if explicit or callee.args.args[:1] else (0,)
