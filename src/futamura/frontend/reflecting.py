"""Ways to a value that no name in the text shows: variables of frames, the parts of functions, the module itself.

    def f(rows=ROWS): ...
    f.__defaults__[0].append(1)                 ROWS is changed
    sys.modules[__name__].ROWS.append(1)        here too
    list(map(setattr, boxes, names, rows))      and any attribute may be any of these

Invariant: what is said of a text in which one of these stands holds whatever they give.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from futamura.analysis.methods import OPERATORS
from futamura.analysis.trees import every

__all__ = [
    "ABOUT_ERRORS", "INSIDE", "OPERATING", "SENDING", "fields", "gives_attributes", "hides_ways", "makes_class",
    "makes_classes",
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
    return next((getattr(node, "lineno", 1) for node in every(tree) if _hides(node, called)), 0)


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
