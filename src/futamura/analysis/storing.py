"""Which attributes of its objects a class leaves as they were made, by the text of its module.

    class Rule:
        def __init__(self, limit):
            self.limit = limit              `limit` is stored once
        def count(self):
            self.seen += 1                  `seen` is stored at any time

A store counts if a function makes it: not `__init__` and the like on their own object, unless the text calls them as
it calls other methods, and not a function on an object that it has just made.  What the methods of descriptors store on
the object whose attribute they are counts for objects of classes with such attributes.

What functions store that only run while modules are imported can be left out (`later`): who believes what is there then
compares it whenever he uses it.

Invariant: "never" is said only of texts that were read as a whole.  `setattr` with a name that is put together counts
for every attribute; of objects of the class alone, if a method does so to its own object.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias, TypeGuard

from futamura.analysis.reading import bound_by, own_names, read_only
from futamura.analysis.registering import registering_functions
from futamura.analysis.trees import every
from futamura.ir.homes import file_of
from futamura.source import unwarned

__all__ = ["Store", "names_of_functions", "on_own_objects", "only_on_import", "owners", "store_in", "store_of"]


class Store(NamedTuple):
    """Where an attribute is stored."""

    file: str
    line: int
    """0 if the text is not known."""
    named: bool
    """Is the attribute written there?  Else it is a `setattr` with any name."""
    function: str = ""
    """What does so, `function` or `Cls.method`."""


_CONSTRUCTORS: Final = frozenset({"__init__", "__post_init__", "__new__", "__setstate__", "__set_name__"})
_SETTERS: Final = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_OPERATING: Final = (ast.BinOp, ast.Compare, ast.AugAssign)
"""What may give its operands to special methods of others."""
_ANY: Final = "any attribute"
"""Stands for all of them: a text that no program stores under, and no empty one, which calls get (`next(xs, "")`)."""
_OWNERS: Final = "@"
"""Stands for the classes that have descriptors among their attributes."""
_DESCRIBING: Final = frozenset({"__get__", "__set__", "__delete__"})
_SEEING: Final = frozenset({"vars", "locals", "dir", "globals", "eval", "exec"})
"""With these what a class has is had without its name."""
_HEAP_TYPE: Final = 1 << 9
"""The flag of classes that a class statement made."""
_SHARED: Final = "__dict__"
"""Objects that share their attributes: a store on one is a store on all."""

_Stores: TypeAlias = Mapping[str, tuple[int, str]]
"""By attribute, or by class and attribute of its own objects, the line and the function."""


class _Found(NamedTuple):
    """What functions of a text store, but for some of them."""

    stores: _Stores | None
    """None if the text is not known."""
    without: frozenset[tuple[str, int, str]]
    """The file, the line and the names of those that were left out."""


_known: Final[dict[tuple[str, ...], tuple[list[list[str]], _Found]]] = {}
"""By the text and those that use it, if it was asked for what is stored later than they are imported."""


def store_of(cls: type, name: str, users: Sequence[str] | None = None) -> Store | None:
    """A store of the attribute in the module of the class or of one that it inherits from; if `users` are given, other
    texts that use these, one that may come later than all imports."""
    classes = [*owners(cls)]
    classes += [str(base.__dict__.get("__qualname__", base.__name__)).rpartition(".")[2] for base in cls.__mro__]
    for base in cls.__mro__:
        module = base.__dict__.get("__module__")
        if type(module) is str and module.partition(".")[0] not in sys.stdlib_module_names:
            file = file_of(base)
            found = store_in(file, name, classes, users) if file is not None else Store(module, 0, False)
            if found is not None:
                return found
    return None


def owners(cls: type) -> tuple[str, ...]:
    """What to ask `store_in` for as well where a class has descriptors written in Python among its attributes."""
    found = {type(value) for base in cls.__mro__ if base.__flags__ & _HEAP_TYPE for value in base.__dict__.values()}
    own = (base for kind in found for base in kind.__mro__ if base.__flags__ & _HEAP_TYPE)
    return (_OWNERS,) if any(not _DESCRIBING.isdisjoint(base.__dict__) for base in own) else ()


def store_in(
    file: str, name: str, classes: Sequence[str] = (), users: Sequence[str] | None = None
) -> Store | None:
    """A store of the attribute in this text, on anything or by a method of a class so called on its own object.
    `classes` may also be `owners`; `users` are as for `store_of`."""
    stored = _stores(file, users).stores
    if stored is None:
        return Store(file, 0, False)
    written = "__" + name.partition("__")[2] if name.startswith("_") and "__" in name[1:] else name  # `_Cls__x`
    for key in (name, written, _SHARED, _ANY):
        for place in (key, *(f"{one}.{key}" for one in classes)):
            if place in stored:
                line, function = stored[place]
                return Store(file, line, key != _ANY, function)
    return None


def only_on_import(file: str, users: Sequence[str]) -> frozenset[tuple[str, int, str]]:
    """The functions that `store_in` leaves out if it gets `users`: the file, the line where they begin, and their
    names."""
    return _stores(file, users).without


def _stores(file: str, users: Sequence[str] | None) -> _Found:
    """What is stored in a text."""
    key = (file,) if users is None else (file, *(user for user in users if user != file), "")
    texts = [linecache.getlines(one) for one in key if one]
    found = _known.get(key)
    if found is None or any(before is not now for before, now in zip(found[0], texts, strict=True)):
        trees = [_tree("".join(lines)) for lines in texts]
        known = [tree for tree in trees if tree is not None]
        stored = _Found(None, frozenset())
        if len(known) == len(trees):
            left_out = [] if users is None else registering_functions(known[0], known[1:])
            places = frozenset((file, *_start_of(one)) for one in left_out)
            stored = _Found(_read(known[0], set(map(id, left_out))), places)
        found = _known[key] = (texts, stored)
    return found[1]


def _start_of(function: ast.AST) -> tuple[int, str]:
    """The line that the code of a function begins with, and its name."""
    if isinstance(function, _FUNCTIONS):
        return min([function.lineno, *(one.lineno for one in function.decorator_list)]), function.name
    return function.lineno, "<lambda>"  # type: ignore[attr-defined]


def _tree(text: str) -> ast.Module | None:
    try:
        with unwarned():
            return ast.parse(text) if text else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _read(tree: ast.Module, without: Container[int]) -> _Stores:
    """What functions store, but for those `without` which it is asked, by identity."""
    stored: dict[str, tuple[int, str]] = {}
    own = own_names(tree)
    nodes = (node for node in every(tree) if not isinstance(node, _OPERATING) or _compares_spaces(node))
    read = {id(part) for node in nodes for part in read_only(node, own)}
    methods, names = _methods(tree, own), names_of_functions(tree)
    passing = set() if {"super", "object"} & own else _completing(tree)
    called_here = {id(node.func) for node in every(tree) if isinstance(node, ast.Call)}
    described, asked = _described(tree)
    for function, made in _making(tree):
        if id(function) in without:
            continue
        method = methods.get(id(function), _NO_METHOD)
        for node in _of_the_function(function):
            if id(node) in passing:
                continue
            anywhere = id(node) in asked or (_is_setter(node) and id(node) not in called_here)
            name, receiver = (_ANY, None) if anywhere else _stored(node)
            if name is None or (_is_space(node) and id(node) in read):
                continue
            called = receiver.id if isinstance(receiver, ast.Name) else ""
            shared = isinstance(node, ast.Attribute) and node.attr == "__dict__" and isinstance(node.ctx, ast.Store)
            if called not in made or shared:
                name = _SHARED if shared else name
                key = f"{method.cls}.{name}" if called and called == method.itself and not method.lent else name
                key = f"{_OWNERS}.{name}" if called and called == described.get(id(function)) else key
                stored.setdefault(key, (node.lineno, names.get(id(function), "")))  # type: ignore[attr-defined]
    return stored


class _Method(NamedTuple):
    """A method of a class, or a function in one."""

    cls: str
    itself: str
    """The name by which it knows the object, or the class."""
    lent: bool
    """May other classes have it, too?"""


_NO_METHOD: Final = _Method("", "", lent=True)


def _methods(tree: ast.Module, names: Container[str]) -> dict[int, _Method]:
    """The methods of classes, and the functions in them that know the object by the same name; the text binds these
    `names`."""
    found: dict[int, _Method] = {}
    lent = _lent(tree)
    plain = [name for name in ("property", "classmethod") if name not in names]
    for cls in (node for node in every(tree) if isinstance(node, ast.ClassDef)):
        for one in cls.body:
            if isinstance(one, _FUNCTIONS) and not any(_is_static(by, plain) for by in one.decorator_list):
                first = [parameter.arg for parameter in [*one.args.posonlyargs, *one.args.args][:1]]
                inner = (node for node in ast.walk(one) if node is not one and not isinstance(node, ast.arg))
                rebound = {name for node in inner for name in bound_by(node)}
                if first and not rebound.intersection(first):
                    method = _Method(cls.name, first[0], cls.name in lent.classes or one.name in lent.functions)
                    found.update((id(inner), method) for inner in _knowing(one, first[0]))
    return found


def _knowing(function: ast.AST, name: str) -> Iterator[ast.AST]:
    """The function, and those inside of it that have no variable of this name themselves."""
    yield function
    for inner in _of_the_function(function):
        if isinstance(inner, (*_FUNCTIONS, ast.Lambda)) and name not in _parameters(inner.args):
            yield from _knowing(inner, name)


def _parameters(given: ast.arguments) -> list[str]:
    every_one = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    return [one.arg for one in every_one if one is not None]


def names_of_functions(tree: ast.Module) -> dict[int, str]:
    """What the functions of a text are called, those of classes by `Cls.method`."""
    found: dict[int, str] = {}
    work: list[tuple[ast.AST, str]] = [(tree, "")]
    while work:
        node, name = work.pop()
        own = getattr(node, "name", "<lambda>") if isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)) else ""
        if own:
            name = f"{name}.{own}" if name else own
            found[id(node)] = name
        work.extend((part, name) for part in ast.iter_child_nodes(node))
    return found


def _described(tree: ast.Module) -> tuple[dict[int, str], set[int]]:
    """The methods of descriptors that only Python calls, or one another, each with the parameter that is the object
    whose attribute this is; and where the text asks for such methods that store, to call them with any object."""
    found: dict[int, str] = {}
    passed: set[int] = set()
    for cls in (node for node in every(tree) if isinstance(node, ast.ClassDef)):
        for one in cls.body:
            if isinstance(one, ast.FunctionDef) and one.name in _DESCRIBING and not one.decorator_list:
                names = [parameter.arg for parameter in [*one.args.posonlyargs, *one.args.args][1:2]]
                bound = {node.id for node in ast.walk(one) if isinstance(node, ast.Name) and _binds(node)}
                if names and names[0] not in bound:
                    found[id(one)] = names[0]
                    passed.update(id(node.func) for node in ast.walk(one) if _passes_on(node, names[0]))
    attributes = [node for node in every(tree) if isinstance(node, ast.Attribute) and id(node) not in passed]
    asked = {id(node): node.attr for node in attributes if node.attr in _DESCRIBING}
    lent = any(_names(node) in _DESCRIBING for node in every(tree))
    return {} if lent or asked else found, {place for place, name in asked.items() if name != "__get__"}


def _names(node: ast.AST) -> object:
    """The name or constant that this is."""
    return node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else None


def _binds(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _passes_on(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    """Is this `super().__set__(name, ...)`?"""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    above = node.func.value
    by_super = isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "super"
    return by_super and isinstance(node.args[0], ast.Name) and node.args[0].id == name


class _Lent(NamedTuple):
    """What is taken without being called (`Other.load = Config.load`): other classes may have it, too."""

    classes: frozenset[str]
    """These may be any of their functions."""
    functions: frozenset[str]
    """Functions of these names, of a class that may have them from another one."""


def _lent(tree: ast.Module) -> _Lent:
    classes: dict[str, list[ast.ClassDef]] = {}
    for node in every(tree):
        if isinstance(node, ast.ClassDef):
            classes.setdefault(node.name, []).append(node)
    called = {id(node.func) for node in every(tree) if isinstance(node, ast.Call)}
    above = {id(node) for several in classes.values() for cls in several for node in _calls_of_bases(cls)}
    lending: set[str] = set()
    functions: set[str] = set()
    for node in every(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and id(node) not in above:
            of = classes.get(getattr(node.func.value, "id", ""), ())
            functions.update([node.func.attr] if any(_is_method(one, node.func.attr) for one in of) else [])
    for node in every(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and id(node) not in called:
            of = classes.get(node.value.id, ())
            functions.update([node.attr] if of else [])
            lending.update([] if all(_is_data(one, node.attr) for one in of) else [node.value.id])
    return _Lent(frozenset(lending), frozenset(functions))


def _calls_of_bases(cls: ast.ClassDef) -> Iterator[ast.Call]:
    """`Base.load(self, ...)` in methods of a class that extends this."""
    bases = {one.id for one in cls.bases if isinstance(one, ast.Name)}
    for method in cls.body:
        own = _parameters(method.args)[:1] if isinstance(method, _FUNCTIONS) else []
        for node in ast.walk(method) if own else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                if getattr(node.func.value, "id", "") in bases and getattr(node.args[0], "id", "") in own:
                    yield node


def _is_method(cls: ast.ClassDef, name: str) -> bool:
    """Is this a function of the class that gets an object first, whatever that is, if it is called by the class?"""
    functions = [one for one in cls.body if isinstance(one, _FUNCTIONS) and one.name == name]
    return any(not _is_plain(by) for one in functions for by in one.decorator_list) or any(
        not one.decorator_list for one in functions
    )


def _is_plain(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("classmethod", "staticmethod")


def _is_data(cls: ast.ClassDef, name: str) -> bool:
    """Does the class have this attribute, and is it none of its functions under another name?"""
    bodies = [one for one in cls.body if _binds_name(one, name)]
    functions = {one.name for one in cls.body if isinstance(one, _FUNCTIONS)}
    if len(bodies) != 1:
        return bool(bodies) and all(isinstance(one, _FUNCTIONS) for one in bodies)  # a property and its setter
    (one,) = bodies
    if isinstance(one, _FUNCTIONS):
        return True
    if not isinstance(one, (ast.Assign, ast.AnnAssign)) or one.value is None:
        return False
    inside = list(ast.walk(one.value))
    used = {node.id for node in inside if isinstance(node, ast.Name)}
    return used.isdisjoint(functions | _SEEING) and not any(isinstance(node, ast.Lambda) for node in inside)


def _binds_name(statement: ast.stmt, name: str) -> bool:
    """Does this statement in the body of a class give it an attribute of this name, or may it do so?"""
    if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
        return statement.name == name
    return any(name == bound for node in ast.walk(statement) for bound in bound_by(node))


def _is_static(decorator: ast.expr, plain: Sequence[str]) -> bool:
    """Does the function not get an object of the class first, nor the class?"""
    return not (isinstance(decorator, ast.Name) and decorator.id in plain) and not (
        isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter", "cached_property")
    )


def _completing(tree: ast.Module) -> set[int]:
    """What does in a `__setattr__` what it is called for, `super().__setattr__(name, value)`: the store is where it is
    called from."""
    found: set[int] = set()
    for cls in (node for node in every(tree) if isinstance(node, ast.ClassDef)):
        for one in cls.body:
            if isinstance(one, ast.FunctionDef) and one.name == "__setattr__" and not one.decorator_list:
                names = _parameters(one.args)[:2]
                bound = {node.id for node in ast.walk(one) if isinstance(node, ast.Name) and _binds(node)}
                if len(names) == 2 and bound.isdisjoint(names):
                    found.update(id(node) for node in _of_the_function(one) if _completes(node, *names))
    return found


def _completes(node: ast.AST, itself: str, name: str) -> bool:
    """Is this `super().__setattr__(name, ...)` or `object.__setattr__(self, name, ...)`?"""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "__setattr__":
        return False
    above = node.func.value
    if isinstance(above, ast.Call):
        by_super = isinstance(above.func, ast.Name) and above.func.id == "super" and not above.args
        given = node.args[:1] if by_super else []
    else:
        given = []
        if len(node.args) == 3 and isinstance(above, ast.Name) and above.id == "object":
            given = node.args[1:2] if isinstance(node.args[0], ast.Name) and node.args[0].id == itself else []
    return len(given) == 1 and isinstance(given[0], ast.Name) and given[0].id == name


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
    classes = frozenset(node.name for node in every(tree) if isinstance(node, ast.ClassDef))
    makes_others = any(
        isinstance(one, ast.FunctionDef) and one.name == "__new__"
        for cls in every(tree)
        if isinstance(cls, ast.ClassDef) and "type" not in [getattr(base, "id", "") for base in cls.bases]
        for one in cls.body
    )
    for function in every(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            constructs = id(function) in constructing
            is_new = constructs and isinstance(function, ast.FunctionDef) and function.name == "__new__"
            own = _new_objects(function, classes) if is_new or not makes_others else set()
            if constructs:
                own.update(one.arg for one in [*function.args.posonlyargs, *function.args.args][:1])
            yield function, own
        elif isinstance(function, ast.Lambda):
            yield function, set()


def _is_space(node: ast.AST) -> bool:
    """Does this give all attributes of an object: `x.__dict__`, `vars(x)`?"""
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__" and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"


def _is_setter(node: ast.AST) -> bool:
    """Does this give a function that stores any attribute, or that gives all attributes of an object?"""
    if isinstance(node, ast.Name):
        return node.id in ("setattr", "delattr", "vars") and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Constant):
        return node.value == "__dict__"
    return isinstance(node, ast.Attribute) and node.attr in ("__setattr__", "__delattr__")


def _compares_spaces(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and all(map(_is_space, (node.left, *node.comparators)))


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
        for before, part in pairwise(node.args) if called not in ("getattr", "hasattr") else ():
            if isinstance(part, ast.Constant) and type(part.value) is str and isinstance(before, ast.Name):
                return part.value, None if called == "partial" else before  # `_set(self, "name", value)`
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
    """The constructors of the classes: Python calls them, and the text only out of one another."""
    found: dict[str, list[ast.AST]] = {name: [] for name in _CONSTRUCTORS}
    for cls in every(tree):
        for one in cls.body if isinstance(cls, ast.ClassDef) else ():
            if isinstance(one, _FUNCTIONS) and one.name in found:
                found[one.name].append(one)
    inside = {
        id(node.func)
        for functions in found.values()
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and _is_of_base(node, function)
    }
    called = {
        node.attr
        for node in every(tree)
        if isinstance(node, ast.Attribute) and node.attr in found and node.attr != "__new__" and id(node) not in inside
    }
    called.update(node.value for node in every(tree) if isinstance(node, ast.Constant) and type(node.value) is str)
    return {id(one) for name, functions in found.items() if name not in called for one in functions}


def _is_of_base(call: ast.Call, constructor: ast.AST) -> bool:
    """Is this `super().__init__(...)`, or `Base.__init__(self, ...)`?"""
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        return getattr(call.func.value.func, "id", "") == "super"
    arguments = getattr(constructor, "args", None)
    first = [one.arg for one in [*arguments.posonlyargs, *arguments.args][:1]] if arguments is not None else []
    return bool(call.args) and getattr(call.args[0], "id", None) in first


def _new_objects(function: ast.FunctionDef | ast.AsyncFunctionDef, classes: frozenset[str]) -> set[str]:
    """The variables that this function gives nothing but objects that it makes there."""
    made: set[str] = set()
    bound = Counter(node.arg for node in ast.walk(function) if isinstance(node, ast.arg))
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound[node.id] += 1
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bound.update(node.names)
        else:
            others = (getattr(node, field, None) for field in ("name", "rest", "asname"))
            bound.update(name for name in others if isinstance(name, str))
            bound.update([node.name.partition(".")[0]] if isinstance(node, ast.alias) else [])
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if isinstance(node.value, ast.Call) and _makes(node.value.func, classes):
                made.add(node.targets[0].id)
    return {name for name in made if bound[name] == 1}


def _makes(callee: ast.expr, classes: frozenset[str]) -> bool:
    """Is this how objects are made: a class of the text called by its name, or `__new__`?"""
    if isinstance(callee, ast.Name):
        return callee.id in classes or callee.id == "cls"
    return isinstance(callee, ast.Attribute) and callee.attr in ("__new__", "__class__")
