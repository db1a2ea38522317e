"""Ways to a value that no name in the text shows: variables of frames, the parts of functions, the module itself.

    def f(rows=ROWS): ...
    f.__defaults__[0].append(1)                 ROWS is changed
    sys.modules[__name__].ROWS.append(1)        here too
    list(map(setattr, boxes, names, rows))      and any attribute may be any of these

Invariant: what is said of a text in which one of these stands holds whatever they give.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from futamura.analysis.methods import OPERATORS
from futamura.analysis.reading import parts
from futamura.analysis.registering import keeps_types
from futamura.analysis.trees import every

__all__ = [
    "ABOUT_ERRORS", "INSIDE", "OPERATING", "SENDING", "fields", "gives_attributes", "gives_classes", "hides_ways",
    "makes_class", "makes_classes",
]  # fmt: skip

ABOUT_ERRORS: Final = frozenset({"exc_info", "exception"})
"""What gives the exception that is being handled."""
SENDING: Final = frozenset({"send", "throw", "asend", "athrow"})
"""What gives something to a generator."""
INSIDE: Final = frozenset({"__wrapped__", "__func__", "fget", "fset", "fdel", "func"})
"""Attributes that have a function of which something else was made."""
OPERATING: Final = frozenset(
    f"__{name}__" for name in ("iter", "reversed", *(f"{side}{name}" for name in OPERATORS for side in ("", "r")))
)
"""Methods of containers that give parts of what they are called on and of what they get."""
_SHOWING_FUNCTIONS: Final = frozenset(
    {"cell_contents", "f_locals", "f_globals", "getclosurevars", "get_objects", "get_referents", "get_referrers"}
    | {"__defaults__", "__kwdefaults__", "__globals__"}
)
"""Attributes, and functions, that give what functions hold or what their variables do."""
_MAKING_FUNCTIONS: Final = frozenset({"FunctionType", "CodeType"})
_IMPORTING: Final = frozenset({"import_module", "__import__", "reload"})
_STORING: Final = ("setattr", "delattr")


def hides_ways(tree: ast.AST) -> int:
    """The line where the text gets at variables, parts of functions, or itself by ways that are not followed; 0 if it
    does not."""
    called = {id(node.func) for node in every(tree) if isinstance(node, ast.Call)}
    hiding = (getattr(node, "lineno", 1) for node in every(tree) if _hides(node, called))
    return next(hiding, 0) or next(_lent(tree), 0)


_DATA: Final = frozenset(
    f"__{name}__"
    for name in (
        *("all", "annotations", "cause", "context", "defaults", "dict", "doc", "kwdefaults", "match_args", "module"),
        *("name", "notes", "qualname", "signature", "slots", "traceback", "version", "wrapped"),
    )
)
"""Special names that nobody calls."""


def _lent(tree: ast.AST) -> Iterator[int]:
    """The lines where a function becomes a special method (`__init__ = start`, `Cls.__add__ = plus`): who calls it by
    an operator, or by its class, calls none of that name.  An operator may be another one (`__ror__ = __or__`), what
    shows an object as well (`__str__ = __repr__`), and a base class may have it (`__hash__ = Base.__hash__`)."""
    functions = {one.name for one in every(tree) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}
    for node in every(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [getattr(one, "id", getattr(one, "attr", "")) for one in targets]
            value: ast.expr = node.value
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setattr" and len(node.args) == 3:
            names, value = [getattr(node.args[1], "value", "")], node.args[2]
        else:
            continue
        special = [name for name in names if _is_special(name)]
        named = {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(value)} if special else set()
        used = named & functions
        alike = any({*special, *used} <= names for names in (OPERATING, _SHOWING_OBJECTS)) or used == {"__hash__"}
        if special and used and not alike:
            yield node.lineno


_SHOWING_OBJECTS: Final = frozenset({"__str__", "__repr__", "__unicode__"})


def _is_special(name: object) -> bool:
    return type(name) is str and name.startswith("__") and name.endswith("__") and name not in _DATA


_RELATED: Final = frozenset({"__mro__", "mro", "__base__", "__bases__", "__subclasses__"})
"""Attributes that give other classes."""
_OF_A_CLASS: Final = frozenset({"__init_subclass__", "__set_name__"})
_ABOUT_CLASSES: Final = frozenset(
    {"super", "issubclass", "isinstance", "setattr", "getattr", "hasattr", "delattr", "vars", "id", "repr", "str"}
)
"""Functions that do not keep the class that they get, nor call it."""


def gives_classes(tree: ast.Module, values: Iterable[ast.AST], classes: Collection[str]) -> bool:
    """Is one of these classes among the values, or any had without its name, for more than to look at it:
    `type(x)(rows)`, `KINDS[n] = cls`?"""
    if any(isinstance(node, ast.Name) and node.id in classes for node in values):
        return True
    nodes = every(tree)
    looked = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    looked.update(id(node.func) for node in nodes if isinstance(node, ast.Call))
    for node in nodes:
        if isinstance(node, ast.Compare):
            looked.update(map(id, (node.left, *node.comparators)))
    if keeps_types(nodes) or any(getattr(one, "attr", "") == "__class__" and id(one) not in looked for one in nodes):
        return True
    if any(getattr(node, "attr", "") in _RELATED or getattr(node, "id", "") == "__class__" for node in nodes):
        return True
    return any(_keeps(function, names) for function, names in _with_classes(nodes))


def _with_classes(nodes: Sequence[ast.AST]) -> Iterator[tuple[ast.FunctionDef, set[str]]]:
    """The functions that get a class, with the variables that hold it."""
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    decorating = {getattr(one, "id", "") for cls in classes for one in cls.decorator_list}
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name in decorating:
            yield node, {one.arg for one in node.args.args[:1]}
    for node in classes:
        for one in node.body:
            if isinstance(one, ast.FunctionDef):
                names = [part.arg for part in (*one.args.posonlyargs, *one.args.args)]
                if makes_classes(node):
                    yield one, {*names[one.name == "__new__" : 1], *_new_classes(one)}
                elif one.name in _OF_A_CLASS:
                    yield one, {*names[one.name == "__set_name__" :][:1]}
                elif any(getattr(by, "id", "") == "classmethod" for by in one.decorator_list):
                    yield one, {*names[:1]}


def _new_classes(function: ast.FunctionDef) -> Iterator[str]:
    """The variables that a metaclass gives the class that it makes."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if getattr(node.value.func, "attr", "") == "__new__":
                yield from (one.id for one in node.targets if isinstance(one, ast.Name))


def _keeps(function: ast.FunctionDef, names: set[str]) -> bool:
    """May such a class be called under another name than its variable's?"""
    looked: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute):
            looked.add(id(node.value))
        elif isinstance(node, ast.Compare):
            looked.update(map(id, (node.left, *node.comparators)))
        elif isinstance(node, ast.Call):
            looked.add(id(node.func))
            if getattr(node.func, "id", "") in _ABOUT_CLASSES or getattr(node.func, "attr", "") == "__new__":
                looked.update(map(id, node.args))
        elif isinstance(node, ast.Return) and function.name == "__new__" and node.value is not None:
            looked.update(map(id, parts(node.value)))
    own = (node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in names)
    return any(isinstance(node.ctx, ast.Load) and id(node) not in looked for node in own)


def _hides(node: ast.AST, called: set[int]) -> bool:
    name = getattr(node, "id", getattr(node, "attr", ""))
    if name in _SHOWING_FUNCTIONS or (name in _MAKING_FUNCTIONS and id(node) in called):
        return True
    if isinstance(node, ast.Name):
        return name in _STORING and id(node) not in called
    if isinstance(node, ast.Attribute):
        return name == "__code__" and not isinstance(node.ctx, ast.Load)
    return isinstance(node, (ast.Call, ast.Subscript)) and _is_own_module(node)


def _is_own_module(node: ast.Call | ast.Subscript) -> bool:
    """Is this `sys.modules[__name__]` or `import_module(__name__)`?"""
    if isinstance(node, ast.Subscript):
        asked, keys = node.value, [node.slice]
    else:
        asked, keys = node.func, node.args
        if isinstance(asked, ast.Attribute) and asked.attr in ("get", "__getitem__"):
            asked = asked.value
    known = getattr(asked, "id", getattr(asked, "attr", ""))
    return known in _IMPORTING | {"modules"} and any(getattr(key, "id", "") == "__name__" for key in keys)


def fields(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The attributes to which the body of a class gives what a call makes (a property, a field), with the call."""
    for cls in every(tree):
        for node in cls.body if isinstance(cls, ast.ClassDef) else ():
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from ((one.id, node.value) for one in targets if isinstance(one, ast.Name))


_LISTING: Final = ("Enum", "Flag", "NamedTuple")
"""How bases end whose classes have their attributes in them."""


def gives_attributes(cls: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Are the attributes of this class taken out of it as items, too, as the members of an enumeration are?"""
    work, seen = [cls], {cls}
    while work:
        for base in work.pop().bases:
            name = getattr(base, "id", getattr(base, "attr", ""))
            if name.endswith(_LISTING):
                return True
            if name in classes and classes[name] not in seen:
                seen.add(classes[name])
                work.append(classes[name])
    return False


def makes_classes(cls: ast.ClassDef) -> bool:
    """Is it a metaclass, whose methods get what is in the bodies of its classes?"""
    names = (getattr(base, "id", getattr(base, "attr", "")) for base in cls.bases)
    return any(name == "type" or name.endswith(("Meta", "Type")) for name in names)


def makes_class(call: ast.Call) -> bool:
    """Does this make a class out of what it gets: `type("Box", (), {"rows": ROWS})`?"""
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    if name == "type":
        return len(call.args) > 1 or any(isinstance(one, ast.Starred) for one in call.args)
    return name in ("new_class", "make_dataclass") or (len(call.args) > 1 and name.endswith(_LISTING))
