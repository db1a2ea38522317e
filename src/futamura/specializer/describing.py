"""What classes and annotations say about themselves: `dataclasses`, `typing`, enumerations.

dataclasses.fields(Point)          ->    the fields, static
typing.get_type_hints(Point)       ->    a virtual dict
typing.get_origin(list[Point])     ->    list
Color("red"), Color["RED"]         ->    the member

Invariant: only what classes store is read: no annotation is evaluated that could run code of the program, and what was
read is recorded as an assumption.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
import gc
import sys
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeGuard

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_METHODS, KEYWORD_MODELS, Keywords
from futamura.specializer.purity import MISSING, class_lookup, deep
from futamura.specializer.refinement import plain_check
from futamura.specializer.rules import SPECIAL, exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Known, VObject

__all__ = ["is_class", "is_dunder", "is_plain_enum", "member_by_value", "members", "origin_of"]

_GENERIC: Final = (types.GenericAlias, types.UnionType, type(typing.List[int]), type(typing.Union[int, str]))  # noqa: UP006, UP007
_FORMS: Final = (
    *(*_GENERIC, typing.TypeVar, typing.NewType),
    *(type(typing.Any), type(typing.Optional), type(typing.List)),  # noqa: UP006
)


def _described(value: object) -> bool:
    """Is this a class or an annotation whose parts can be looked at without running code of the program?"""
    if value is None or value is Ellipsis or type(value) in (str, int, bool):
        return True
    if is_class(value):
        return _plain_class(value)
    if type(value) in _GENERIC or issubclass(type(value), _FORMS):
        return all(map(_described, getattr(value, "__args__", ())))
    return (type(value) is list or type(value) is tuple) and all(map(_described, value))


def is_dunder(name: str) -> bool:
    """Is this a name that Python itself gives a meaning to?"""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def origin_of(value: object, name: str) -> object:
    """Whom an annotation asks for an attribute that it has not itself: a class, or an annotation; MISSING if nobody,
    None if that is not known."""
    if name in _OF_ALIASES or not _described(value):
        return None
    if type(value) is types.GenericAlias:
        return value.__origin__
    if type(value) in (types.UnionType, type(typing.Optional)):
        return MISSING
    if class_lookup(type(value), "__getattr__") not in _ASKING_ORIGIN:
        return None
    own = vars(value)
    if name in own:
        return None
    return MISSING if is_dunder(name) else own.get("__origin__")


_OF_ALIASES: Final = frozenset(
    {"__args__", "__class__", "__dict__", "__doc__", "__module__", "__name__", "__origin__", "__parameters__"}
    | {"__qualname__"}
)
_ASKING_ORIGIN: Final = tuple(
    class_lookup(type(form), "__getattr__") for form in (typing.List[int], typing.Annotated[int, ""])  # noqa: UP006
)


def _plain_class(cls: type) -> bool:
    meta = type(cls)
    return meta is type or meta.__module__ in ("abc", "enum", "typing")


def is_class(value: object) -> TypeGuard[type]:
    """Is this a class?  `isinstance` would ask the value itself."""
    return issubclass(type(value), type)


def _one(args: list[AbstractValue], keywords: Keywords) -> object:
    """The one positional argument, if it is known."""
    return args[0].value if len(args) == 1 and not keywords and type(args[0]) is Known else MISSING


def _reading(function: Callable[[Any], object]) -> None:
    """`function` takes an annotation apart."""

    def model(
        m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
    ) -> AbstractValue | None:
        value = _one(args, keywords)
        if value is MISSING or not _described(value):
            return None
        found = function(value)  # that of a Callable has a list in it, a new one each time
        fresh = isinstance(found, tuple) and any(isinstance(part, list) for part in found)
        return None if fresh else Known(found)

    KEYWORD_MODELS[function] = model


def _is_dataclass(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    value = _one(args, keywords)
    if value is not MISSING and _described(value) and not is_class(value):
        return Known(dataclasses.is_dataclass(value))
    cls = value if is_class(value) else exact_type(m, args[0]) if len(args) == 1 and not keywords else None
    if not is_class(cls) or not _plain_class(cls):
        return None
    found = class_lookup(cls, "__dataclass_fields__")
    m.assume_attribute(cls, "__dataclass_fields__", found)
    return Known(found is not MISSING)


def _fields(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    value = _one(args, keywords)
    cls = value if is_class(value) else exact_type(m, args[0]) if len(args) == 1 and not keywords else None
    if not is_class(cls) or not _plain_class(cls):
        return None
    found = class_lookup(cls, "__dataclass_fields__")
    if type(found) is not dict:
        return None
    m.assume_attribute(cls, "__dataclass_fields__", found)
    described = dataclasses.fields(cls)
    for field in described:
        m.world.freeze(field)
    return Known(described)


def _type_hints(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    cls = _one(args, keywords)
    if not is_class(cls) or not _plain_class(cls):
        return None
    for base in cls.__mro__:
        annotations = base.__dict__.get("__annotations__", {})  # noqa: RUF063
        space = getattr(sys.modules.get(base.__module__), "__dict__", {})
        if type(annotations) is not dict or not all(_evaluable(value, space) for value in annotations.values()):
            return None
        m.assume_attribute(base, "__annotations__", class_lookup(base, "__annotations__"))
    try:
        hints = typing.get_type_hints(cls)
    except Exception:
        return None
    items = tuple(Known(value) for value in hints.values())
    return m.virtual(VObject("dict", dict, items, tuple(hints), site(frame)))


def _evaluable(annotation: object, space: dict[str, object]) -> bool:
    """May this annotation be evaluated now?  Texts may name classes and annotations and put them together."""
    if not isinstance(annotation, str):
        return _described(annotation)
    try:
        tree = ast.parse(annotation, mode="eval").body
    except SyntaxError:
        return False
    return _evaluable_tree(tree, space)


def _evaluable_tree(node: ast.expr, space: dict[str, object]) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None or node.value is Ellipsis or _evaluable(node.value, space)
    if isinstance(node, ast.Name):
        return _described(space.get(node.id, getattr(builtins, node.id, MISSING)))
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = space.get(node.value.id)
        return type(module) is types.ModuleType and _described(module.__dict__.get(node.attr, MISSING))
    if isinstance(node, ast.Subscript):
        return _subscripted(node.value, space) and _evaluable_tree(node.slice, space)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(_evaluable_tree(item, space) for item in node.elts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _evaluable_tree(node.left, space) and _evaluable_tree(node.right, space)
    return False


def _subscripted(node: ast.expr, space: dict[str, object]) -> bool:
    """Does `node[...]` run only code of the standard library?"""
    if not _evaluable_tree(node, space):
        return False
    if not isinstance(node, ast.Name):
        return True  # an attribute of a module that is described
    value = space.get(node.id, getattr(builtins, node.id, None))
    if not is_class(value):
        return True
    maker = class_lookup(value, "__class_getitem__")
    owner = maker.__func__ if isinstance(maker, classmethod) else maker
    return getattr(owner, "__module__", "typing") in ("typing", "builtins", None)


_reading(typing.get_origin)
_reading(typing.get_args)


def _issubclass(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """Of known classes whose bases alone decide."""
    known = [arg.value for arg in args if type(arg) is Known]
    if len(known) != 2 or len(args) != 2 or keywords or not is_class(known[0]):
        return None
    wanted = known[1] if type(known[1]) is tuple else (known[1],)
    if not _plain_class(known[0]) or not all(plain_check(cls) for cls in wanted):
        return None
    return Known(issubclass(known[0], wanted))


def _proxy_get(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`field.metadata.get(name, default)`: of a read-only view of a dict that is static."""
    if type(target) is not Known or keywords or len(args) not in (1, 2) or type(args[0]) is not Known:
        return None
    key = args[0].value
    (held,) = gc.get_referents(target.value) or [None]
    if type(key) is not str or type(held) is not dict or not all(type(name) is str for name in held):
        return None
    if not m.frozen(target.value):
        return None
    m.validate(args[0])
    if key not in held:
        return args[1] if len(args) == 2 else NONE
    m.reads(target.value, held[key])
    return m.known(held[key], m.state.age(target))


KEYWORD_METHODS[types.MappingProxyType, "get"] = _proxy_get
KEYWORD_MODELS[issubclass] = _issubclass
KEYWORD_MODELS[dataclasses.is_dataclass] = _is_dataclass
KEYWORD_MODELS[dataclasses.fields] = _fields
KEYWORD_MODELS[typing.get_type_hints] = _type_hints


# -- enumerations


_MAKER: Final = enum.Enum.__dict__["__new__"].__func__


def is_plain_enum(cls: object) -> bool:
    """An enumeration whose look-ups do what `enum` does."""
    return type(cls) is enum.EnumMeta


def member_by_value(m: Machine, cls: type, args: list[AbstractValue]) -> AbstractValue | None:
    """`Color(value)` of a value that a member has."""
    value = _one(args, [])
    table = cls.__dict__.get("_value2member_map_")
    if value is MISSING or not deep(value) or type(table) is not dict:
        return None
    maker = class_lookup(cls, "__new__")
    if getattr(maker, "__func__", maker) is not _MAKER:
        return None
    try:
        member = table.get(value, MISSING)
    except TypeError:
        return None
    if member is MISSING:
        return None
    m.assume_attribute(cls, "_value2member_map_", table)
    m.validate(args[0])
    return Known(member)


def _member_by_name(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    target, key = args
    if type(target) is not Known or type(key) is not Known or type(key.value) is not str:
        return None
    if not is_plain_enum(target.value):
        return None
    assert isinstance(target.value, type)
    member = target.value.__dict__["_member_map_"].get(key.value, MISSING)
    if member is MISSING:
        return None
    m.validate(key)
    return Known(member)


def members(cls: object) -> Iterable[object] | None:
    """What iterating over an enumeration gives."""
    if not is_plain_enum(cls) or (isinstance(cls, type) and issubclass(cls, enum.Flag)):
        return None
    assert isinstance(cls, type)
    return tuple(cls.__dict__["_member_map_"][name] for name in cls.__dict__["_member_names_"])


SPECIAL.setdefault("getitem", []).append(_member_by_name)
