"""Annotations: which can be looked at, and which evaluated, without running code of the program.

    Literal["a", Color.RED], List["Point"]       looked at: nothing is asked of their parts
    x: "Optional[Literal['a', 'b']]"             evaluated: names and brackets of `typing`
    x: "Annotated[int, Unit('m')]"               not evaluated: `Unit` is code of the program

Texts name what the module of the class, the class, or `builtins` has; each name is an assumption.  A text that is met
again while it is evaluated stays as it is, as in `typing`.

Invariant: what is evaluable runs code of the standard library only, and depends on nothing but what was recorded.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import sys
import types
import typing
from collections.abc import Mapping
from typing import Final, TypeGuard

from futamura.specializer.machine import Machine
from futamura.specializer.plainness import comparable
from futamura.specializer.purity import MISSING, class_lookup

__all__ = ["Annotations", "described", "is_class", "plain_class"]

_GENERIC: Final = (types.GenericAlias, types.UnionType, type(typing.List[int]), type(typing.Union[int, str]))  # noqa: UP006, UP007
_FORMS: Final = (
    *(*_GENERIC, typing.TypeVar, typing.ParamSpec, typing.TypeVarTuple, typing.NewType, dataclasses.InitVar),
    *(type(typing.Any), type(typing.Optional), type(typing.List)),  # noqa: UP006
    *((vars(typing)["TypeAliasType"],) if "TypeAliasType" in vars(typing) else ()),  # since Python 3.12
)
_LITERAL: Final[type] = type(typing.Literal[1])
_ANNOTATED: Final[type] = type(typing.Annotated[int, ""])


def is_class(value: object) -> TypeGuard[type]:
    """Is this a class?  `isinstance` would ask the value itself."""
    return issubclass(type(value), type)


def plain_class(cls: type) -> bool:
    meta = type(cls)
    return meta is type or meta.__module__ in ("abc", "enum", "typing")


def described(value: object) -> bool:
    """Is this a class or an annotation whose parts can be looked at without running code of the program?"""
    if value is None or value is Ellipsis or type(value) in (str, int, bool, typing.ForwardRef):
        return True
    if is_class(value):
        return plain_class(value)
    if type(value) is _LITERAL:
        return all(map(comparable, value.__args__))  # type: ignore[attr-defined]
    if type(value) in _GENERIC or issubclass(type(value), _FORMS):
        return all(map(described, getattr(value, "__args__", ())))
    return (type(value) is list or type(value) is tuple) and all(map(described, value))


def _compares_plainly(value: object) -> bool:
    """Do `==` and `hash` run no code of the program, for what it is, or as they are those of `object`?"""
    plain = all(class_lookup(type(value), name) is vars(object)[name] for name in ("__eq__", "__ne__", "__hash__"))
    return plain or comparable(value)


class Annotations:
    """Those of one class, as `typing.get_type_hints` evaluates them."""

    def __init__(self, m: Machine, cls: type) -> None:
        self._m: Final = m
        self._cls: Final = cls
        self._module: Final = sys.modules.get(cls.__module__)
        self._texts: Final[set[str]] = set()
        self._globals: Final[list[tuple[types.ModuleType, str]]] = []
        self._attributes: Final[list[tuple[type, str]]] = []
        self._opaque = False

    def evaluable(self) -> bool:
        """May they be evaluated now?  What they depend on is recorded if so."""
        m, cls = self._m, self._cls
        held = cls.__dict__.get("__annotations__", {})  # noqa: RUF063
        m.assume_attribute(cls, "__annotations__", class_lookup(cls, "__annotations__"))
        if type(held) is not dict or m.world.may_be_stored(cls, "__annotations__"):
            return False
        if held:
            m.world.freeze_described(cls, held)
        if (held and not m.frozen(held)) or not all(map(self._value, held.values())) or (self._texts and self._opaque):
            return False
        for module, name in self._globals:
            if m.world.lookup(module.__dict__, module.__name__, name) is None:
                return False
        for owner, name in self._attributes:
            m.assume_attribute(owner, name, class_lookup(owner, name))
        return True

    def _value(self, value: object) -> bool:
        if type(value) is str:
            return self._text(value, None)
        if type(value) is typing.ForwardRef:
            return self._text(value.__forward_arg__, value.__forward_module__)
        if not described(value):
            return False
        if type(value) is _ANNOTATED:  # what is in unions is hashed where a text in it changes it
            self._opaque = self._opaque or not all(map(_compares_plainly, value.__metadata__))  # type: ignore[attr-defined]
        if type(value) is types.GenericAlias and not _subscripted(value.__origin__):
            return False
        holds_values = is_class(value) or type(value) is _LITERAL
        return holds_values or all(map(self._value, getattr(value, "__args__", ())))

    def _text(self, text: str, module: object) -> bool:
        if text in self._texts:
            return True
        self._texts.add(text)
        try:
            tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            return False
        return self._tree(tree, sys.modules.get(module) if isinstance(module, str) else None)

    def _tree(self, node: ast.expr, space: types.ModuleType | None) -> bool:
        if isinstance(node, ast.Constant):
            is_text = type(node.value) is str and self._text(node.value, None)
            return node.value is None or node.value is Ellipsis or is_text
        if isinstance(node, (ast.Name, ast.Attribute)):
            found = self._named(node, space)
            return found is not MISSING and self._value(found)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, space)
        if isinstance(node, (ast.Tuple, ast.List)):
            return all(self._tree(item, space) for item in node.elts)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._tree(node.left, space) and self._tree(node.right, space)
        return False

    def _subscript(self, node: ast.Subscript, space: types.ModuleType | None) -> bool:
        """Does `form[...]` run only code of the standard library?"""
        form = self._named(node.value, space)
        if form is MISSING or not self._value(form) or not _subscripted(form):
            return False
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if form is typing.Literal:
            return all(self._constant(item, space) for item in items)
        if form is typing.Annotated:
            return self._tree(items[0], space) and all(self._constant(item, space) for item in items[1:])
        return self._tree(node.slice, space)

    def _constant(self, node: ast.expr, space: types.ModuleType | None) -> bool:
        """Is this a value that `typing` keeps as it is, and may compare?"""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return isinstance(node.operand, ast.Constant) and type(node.operand.value) is int
        if isinstance(node, ast.Constant):
            return True
        found = self._named(node, space)
        return found is not MISSING and _compares_plainly(found)

    def _named(self, node: ast.expr, space: types.ModuleType | None) -> object:
        """What a name, or an attribute of a module, a class or an enumeration, is; MISSING if that is not known."""
        if isinstance(node, ast.Name):
            return self._name(node.id, space)
        owner = self._named(node.value, space) if isinstance(node, ast.Attribute) else MISSING
        if not isinstance(node, ast.Attribute) or owner is MISSING:
            return MISSING
        if type(owner) is types.ModuleType:
            self._globals.append((owner, node.attr))
            return owner.__dict__.get(node.attr, MISSING)
        if not is_class(owner) or not plain_class(owner):
            return MISSING
        members = owner.__dict__.get("_member_map_") if type(owner).__module__ == "enum" else None
        if isinstance(members, Mapping):
            return members.get(node.attr, MISSING)
        found = class_lookup(owner, node.attr)
        self._attributes.append((owner, node.attr))
        return found if is_class(found) and plain_class(found) else MISSING

    def _name(self, name: str, space: types.ModuleType | None) -> object:
        """The module of the class comes first, then the class or the module that a reference names, then `builtins`.

        A name that the module lacks and one of those has is not known: the module may get it.
        """
        first = self._module
        if first is None:
            return MISSING
        elsewhere = self._cls.__dict__ if space is None else space.__dict__
        params = [one for one in getattr(self._cls, "__type_params__", ()) if one.__name__ == name]
        if params or (name not in first.__dict__ and name in elsewhere):
            is_clear = params and name not in first.__dict__ and name not in elsewhere
            return params[0] if is_clear else MISSING
        self._globals.append((first, name))
        return first.__dict__.get(name, getattr(builtins, name, MISSING))


def _subscripted(form: object) -> bool:
    """Does `form[...]` run only code of the standard library?"""
    if not is_class(form):
        return True
    maker = class_lookup(form, "__class_getitem__")
    owner = maker.__func__ if isinstance(maker, classmethod) else maker
    return getattr(owner, "__module__", "typing") in ("typing", "builtins", "types", "collections.abc", None)
