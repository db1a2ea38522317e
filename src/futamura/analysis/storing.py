"""Which attributes of its objects a class leaves as they were made, by the text of its module.

    class Rule:
        def __init__(self, limit):
            self.limit = limit              `limit` is stored once
            self._prepare()
        def _prepare(self):                 only `__init__` calls it
            self.table = {}
        def count(self):
            self.seen += 1                  `seen` is stored at any time

A store counts if a function makes it that may be called at any time: not `__init__` and the like on their own object,
not private methods that only these call, not functions that run while the module is imported, not a function on an
object that it has just made.

Invariant: "never" is said only of texts that were read as a whole.  `setattr` with a name that is put together counts
for every attribute.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from futamura.analysis.registering import registering_functions
from futamura.source import unwarned

__all__ = ["Store", "on_own_objects", "store_in", "store_of"]


class Store(NamedTuple):
    """Where an attribute is stored."""

    file: str
    line: int
    """0 if the text is not known."""
    named: bool
    """Is the attribute written there?  Else it is a `setattr` with any name."""


_CONSTRUCTORS: Final = frozenset({"__init__", "__post_init__", "__new__", "__setstate__"})
_SETTERS: Final = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_ANY: Final = ""

_known: Final[dict[str, tuple[object, Mapping[str, int] | None]]] = {}


def store_of(cls: type, name: str) -> Store | None:
    """A store of the attribute in the module of the class or of one that it inherits from."""
    classes = [str(base.__dict__.get("__qualname__", base.__name__)).rpartition(".")[2] for base in cls.__mro__]
    for base in cls.__mro__:
        module = base.__dict__.get("__module__")
        if type(module) is str and module.partition(".")[0] not in sys.stdlib_module_names:
            file = getattr(sys.modules.get(module), "__file__", None)
            found = store_in(file, name, classes) if type(file) is str else Store(module, 0, False)
            if found is not None:
                return found
    return None


def store_in(file: str, name: str, classes: Sequence[str] = ()) -> Store | None:
    """A store of the attribute in this text, on anything or by a method of a class so called on its own object."""
    lines = linecache.getlines(file)
    found = _known.get(file)
    if found is None or found[0] is not lines:
        found = _known[file] = (lines, _read("".join(lines)) if lines else None)
    stored = found[1]
    if stored is None:
        return Store(file, 0, False)
    written = "__" + name.partition("__")[2] if name.startswith("_") and "__" in name[1:] else name  # `_Cls__x`
    for key in (name, written, _ANY):
        for place in (key, *(f"{one}.{key}" for one in classes)):
            if place in stored:
                return Store(file, stored[place], key != _ANY)
    return None


def _read(text: str) -> Mapping[str, int] | None:
    try:
        with unwarned():
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    stored: dict[str, int] = {}
    imported = set(map(id, registering_functions(tree)))
    read = _read_only(tree)
    methods = _methods(tree)
    for function, own in _making(tree):
        if id(function) in imported:
            continue
        cls, itself = methods.get(id(function), ("", ""))
        for node in _of_the_function(function):
            name, receiver = _stored(node)
            called = receiver.id if isinstance(receiver, ast.Name) else ""
            if name is not None and called not in own and id(node) not in read:
                key = f"{cls}.{name}" if called and called == itself else name
                stored.setdefault(key, node.lineno)  # type: ignore[attr-defined]
    return stored


def _methods(tree: ast.Module) -> dict[int, tuple[str, str]]:
    """The methods of classes, each with its class and the name by which it knows its object."""
    found: dict[int, tuple[str, str]] = {}
    for cls in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        for one in cls.body:
            if isinstance(one, _FUNCTIONS) and not any(_is_static(decorator) for decorator in one.decorator_list):
                first = [parameter.arg for parameter in [*one.args.posonlyargs, *one.args.args][:1]]
                rebound = {
                    node.id
                    for node in ast.walk(one)
                    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
                }
                if first and not rebound.intersection(first):
                    found[id(one)] = cls.name, first[0]
    return found


def _is_static(decorator: ast.expr) -> bool:
    """Does the function not get an object of the class first?"""
    return not (isinstance(decorator, ast.Name) and decorator.id == "property") and not (
        isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter", "cached_property")
    )


def on_own_objects(tree: ast.Module) -> set[int]:
    """The attributes, as nodes, that functions ask for of objects which they make, or construct."""
    return {
        id(node)
        for function, own in _making(tree)
        for node in _of_the_function(function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in own
    }


def _making(tree: ast.Module) -> Iterator[tuple[ast.AST, set[str]]]:
    """The functions, each with the names that stand for objects which nobody else has yet."""
    constructing = _constructing(tree)
    makes_others = any(isinstance(node, ast.FunctionDef) and node.name == "__new__" for node in ast.walk(tree))
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            constructs = id(function) in constructing
            is_new = constructs and isinstance(function, ast.FunctionDef) and function.name == "__new__"
            own = _new_objects(function) if is_new or not makes_others else set()
            if constructs:
                own.update(one.arg for one in [*function.args.posonlyargs, *function.args.args][:1])
            yield function, own
        elif isinstance(function, ast.Lambda):
            yield function, set()


def _read_only(tree: ast.Module) -> set[int]:
    """Where `x.__dict__` or `vars(x)` stands to be read."""
    found: set[ast.expr] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found.update([node.value] if node.attr in _READING else [])
        elif isinstance(node, ast.Subscript):
            found.update([node.value] if isinstance(node.ctx, ast.Load) else [])
        elif isinstance(node, ast.Compare):
            found.update((node.left, *node.comparators))
        elif isinstance(node, (ast.For, ast.comprehension)):
            found.add(node.iter)
        elif isinstance(node, ast.keyword):
            found.update([node.value] if node.arg is None else [])
        elif isinstance(node, (ast.Starred, ast.FormattedValue)):
            found.add(node.value)
        elif isinstance(node, ast.Dict):
            found.update(value for key, value in zip(node.keys, node.values) if key is None)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _COPYING:
            found.update(node.args)
    return set(map(id, found))


_READING: Final = frozenset({"get", "items", "keys", "values", "copy"})
_COPYING: Final = frozenset({"dict", "list", "tuple", "set", "sorted", "len", "str", "repr", "print", "iter"})


def _stored(node: ast.AST) -> tuple[str | None, ast.expr | None]:
    """The attribute that this node stores or deletes, and of what; "" if it may be any."""
    if isinstance(node, ast.Attribute):
        if node.attr == "__dict__" or not isinstance(node.ctx, ast.Load):
            return (_ANY if node.attr == "__dict__" else node.attr), node.value
    elif isinstance(node, ast.Call):
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called == "vars" and node.args:
            return _ANY, node.args[0]
        if called in _SETTERS and node.args:
            is_method = isinstance(node.func, ast.Attribute)
            given = node.args
            if is_method and len(given) == (2 if called == "__setattr__" else 1):  # `super().__setattr__(name, value)`
                given = [node.func, *given]
            name = given[1] if len(given) > 1 else None
            return (name.value if isinstance(name, ast.Constant) and type(name.value) is str else _ANY), given[0]
    return None, None


def _of_the_function(function: ast.AST) -> Iterator[ast.AST]:
    """What is in a function, without the functions inside of it."""
    work = list(ast.iter_child_nodes(function))
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            work.extend(ast.iter_child_nodes(node))


def _constructing(tree: ast.Module) -> set[int]:
    """The constructors of the classes, and the private methods that only they call, on their own object."""
    methods: dict[str, list[ast.AST]] = {}
    found: set[int] = set()
    for cls in ast.walk(tree):
        for one in cls.body if isinstance(cls, ast.ClassDef) else ():
            if isinstance(one, _FUNCTIONS):
                methods.setdefault(one.name, []).append(one)
                if one.name in _CONSTRUCTORS:
                    found.add(id(one))
    private = {name for name in methods if name.startswith("_") and not name.startswith("__")}
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is str}
    uses = _uses(tree, private - texts)
    while True:
        more = {
            id(one)
            for name, callers in uses.items()
            if callers and callers <= found
            for one in methods[name]
            if id(one) not in found
        }
        if not more:
            return found
        found |= more


def _uses(tree: ast.Module, names: set[str]) -> dict[str, set[int]]:
    """By the names of methods the functions that call them on their first parameter; 0 for every other use."""
    found: dict[str, set[int]] = {name: set() for name in names}
    seen: set[int] = set()
    for function in ast.walk(tree):
        if not isinstance(function, _FUNCTIONS):
            continue
        first = [one.arg for one in [*function.args.posonlyargs, *function.args.args][:1]]
        for node in _of_the_function(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
                if isinstance(node.func.value, ast.Name) and [node.func.value.id] == first:
                    found[node.func.attr].add(id(function))
                    seen.add(id(node.func))
    for node in ast.walk(tree):
        name = getattr(node, "attr", getattr(node, "id", None)) if isinstance(node, (ast.Attribute, ast.Name)) else None
        if name in names and id(node) not in seen:
            found[str(name)].add(0)
    return found


def _new_objects(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The variables that this function gives nothing but objects that it makes there."""
    made: set[str] = set()
    bound: dict[str, int] = {}
    for node in _of_the_function(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound[node.id] = bound.get(node.id, 0) + 1
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bound.update(dict.fromkeys(node.names, 2))
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if isinstance(node.value, ast.Call) and _makes(node.value.func):
                made.add(node.targets[0].id)
    return {name for name in made if bound[name] == 1}


def _makes(callee: ast.expr) -> bool:
    """Is this how objects are made: a class called by its name, `__new__`, a copy?"""
    if isinstance(callee, ast.Name):
        return callee.id == "cls" or callee.id[:1].isupper()
    if isinstance(callee, ast.Attribute):
        return callee.attr in ("__new__", "__class__") or callee.attr[:1].isupper()
    return isinstance(callee, ast.Call) and isinstance(callee.func, ast.Name) and callee.func.id == "type"
