"""Executing one static operation, if its operands turn out to be what makes that unobservable.

    add 2 3              ->  5
    add 2 "a"            ->  Failed(TypeError): the operation stays, on its constants, and raises then
    add 2 E()            ->  Refused: it would run code of the user's class; the operation becomes dynamic
    getitem [7, 8] 1     ->  8, if nothing writes the static list

Invariant: nothing here changes an object or runs code that is not Python's own; what is given back is immutable, or a
part of a static input.
"""

from __future__ import annotations

from types import BuiltinMethodType, ModuleType
from typing import Any, Final

from futamura.ir.constant import Constant, count_of
from futamura.ir.graph import Operation
from futamura.ir.laws import fold_cost
from futamura.specializer.plainness import comparable
from futamura.specializer.purity import (
    MISSING,
    PURE_FUNCTIONS,
    PURE_METHODS,
    cheap,
    class_lookup,
    deep,
    is_data,
    plain_format,
    stored_attribute,
)
from futamura.specializer.world import World

__all__ = ["Failed", "Refused", "Walk", "advance", "evaluate", "is_pure", "liftable"]


class Failed(Exception):
    """The operation raises on these operands; `__cause__` is what it raises."""


class Refused(Exception):
    """The operation must not be executed early on these operands; the text says why."""


class Walk:
    """A static iterator: a sequence and a position in it.  Never changed: `advance` gives the next one."""

    __slots__ = ("items", "position")

    def __init__(self, items: Any, position: int = 0) -> None:
        self.items: Final = items
        self.position: Final = position


_LARGEST: Final = 1 << 20
"""Bytes: results beyond are left to the program."""

_ON_DEEP: Final = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "in", "not_in", "add", "mul", "getitem", "truth", "not"}
)
"""Operators that look into their operands: no code of the user runs where these are builtin all the way down."""

_MANY: Final = 1 << 12
_LINEAR: Final = (abs, bool, divmod, float, int, max, min, range, repr, round, str)
"""Their results are no larger than their operands, or made lazily."""


def is_pure(function: object) -> bool:
    """May calling it on builtin immutable values be noticed?"""
    try:
        return function in PURE_FUNCTIONS
    except TypeError:
        return False


def evaluate(operation: Operation, args: tuple[Any, ...], world: World) -> Any:
    """The result, or a sequence of results where there is not exactly one.  Raises `Failed` or `Refused`."""
    name = operation.name
    if name == "const":
        assert isinstance(operation.attr, Constant)
        return operation.attr.value
    if name == "copy":
        return args
    if name == "iter":
        return Walk(_items(args[0], world))
    if name == "getattr":
        return _attribute(args[0], str(operation.attr), world)
    if name == "call":
        return _call(args, world)
    if not _allowed(operation, args, world):
        raise Refused(f"`{name}` on {_kinds(args)} may run code that is not known")
    if not cheap(name, args) or fold_cost(name, args, operation.attr) > _LARGEST:
        raise Refused(f"the result of `{name}` would be large")
    result = _run(operation, args)
    if args and name == "getitem":
        world.found(args[0], result)
    return result


def _run(operation: Operation, args: tuple[Any, ...]) -> Any:
    assert operation.operator.evaluate is not None
    try:
        return operation.operator.evaluate(args, operation.attr)
    except Exception as error:
        raise Failed from error


def _kinds(args: tuple[Any, ...]) -> str:
    return " and ".join(f"`{type(arg).__name__}`" for arg in args)


def _exact(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else "object"


def _allowed(operation: Operation, args: tuple[Any, ...], world: World) -> bool:
    name = operation.name
    kinds = tuple([_exact(arg) for arg in args])
    fact = operation.operator.fact(kinds, operation.attr)
    if fact.foldable and fact.effects.pure:
        return True
    if name == "tuple":
        flags = operation.attr if isinstance(operation.attr, tuple) else ()
        return all(type(arg) in (tuple, str, bytes) for arg, star in zip(args, flags) if star)
    if name == "slice":
        return all(deep(arg) for arg in args)
    if name == "unpack":
        attr: Any = operation.attr
        return not attr[1] and (deep(args[0], unordered=False) or type(args[0]) is tuple)
    if name not in _ON_DEEP or {"str", "bytes"} <= set(kinds):
        return False
    if all(deep(arg) for arg in args):
        return True
    return _reads_contents(name, args, world)


def _reads_contents(name: str, args: tuple[Any, ...], world: World) -> bool:
    """Items and lengths of static lists, tuples and dicts, whose own items may be anything."""
    if name in ("truth", "not") and type(args[0]) in (list, tuple, dict, set):
        return type(args[0]) is tuple or world.contents(args[0])
    if name == "getitem" and type(args[0]) in (list, tuple):
        return deep(args[1]) and (type(args[0]) is tuple or (type(args[1]) is not slice and world.contents(args[0])))
    if name == "getitem" and type(args[0]) is dict:
        return deep(args[1]) and all(comparable(key) for key in args[0]) and world.contents(args[0])
    if name in ("in", "not_in") and type(args[1]) is dict:
        return deep(args[0]) and all(comparable(key) for key in args[1]) and world.contents(args[1])
    if name in ("in", "not_in") and type(args[1]) in (list, tuple):
        known = type(args[1]) is tuple or world.contents(args[1])
        return known and deep(args[0]) and all(comparable(item) for item in args[1])
    return False


def _items(value: Any, world: World) -> Any:
    """What iterating over a static value gives, as a sequence that does not change."""
    if type(value) in (tuple, str, bytes, range):
        return value
    if type(value) in (list, dict) and world.contents(value):
        items = tuple(value)
        for item in items:
            world.found(value, item)
        return items
    raise Refused(f"iterating over a `{type(value).__name__}` may run code or change it")


def advance(walk: Walk) -> tuple[Any, Walk] | None:
    """The next item and the iterator behind it; None at the end."""
    if walk.position >= len(walk.items):
        return None
    return walk.items[walk.position], Walk(walk.items, walk.position + 1)


def _attribute(value: Any, name: str, world: World) -> Any:
    """A method of a builtin value, or what stands in the dictionary of an instance of a plain class."""
    kind = type(value)
    if name in PURE_METHODS.get(kind, ()):
        found = getattr(value, name)
        if type(found) is BuiltinMethodType:
            return found
    if kind.__module__ == "builtins" or class_lookup(kind, "__getattribute__") is not object.__getattribute__:
        raise Refused(f"the attribute `{name}` of a `{kind.__name__}` may be computed")
    above = class_lookup(kind, name)
    if is_data(above):
        raise Refused(f"the attribute `{name}` of a `{kind.__name__}` may be computed")
    own = stored_attribute(value, name)
    if own is MISSING or not world.contents(value):
        raise Refused(f"the attribute `{name}` of a `{kind.__name__}` may be computed or written")
    world.found(value, own)
    return own


def _call(args: tuple[Any, ...], world: World) -> Any:
    function, *rest = args
    if function is len and len(rest) == 1 and type(rest[0]) in (list, dict, tuple):
        if type(rest[0]) is tuple or world.contents(rest[0]):
            return len(rest[0])
    method = type(function) is BuiltinMethodType and function.__name__ in PURE_METHODS.get(type(function.__self__), ())
    if not method and not is_pure(function):
        raise Refused(f"calling `{getattr(function, '__name__', type(function).__name__)}` may have an effect")
    if not all(deep(arg, unordered=False) for arg in rest) or (method and not deep(function.__self__)):
        raise Refused(f"calling `{function.__name__}` on {_kinds(tuple(rest))} may run code that is not known")
    if (function not in _LINEAR and any(type(arg) is int and abs(arg) > _MANY for arg in rest)) or len(rest) > 100:
        raise Refused(f"the result of `{function.__name__}` could be large")
    if not plain_format(function.__name__ if method else function, [function.__self__, *rest] if method else rest):
        raise Refused(f"the result of `{function.__name__}` depends on the locale, or could be large")
    if any(type(arg) is range and count_of(arg) > _MANY for arg in (*rest, function.__self__ if method else None)):
        raise Refused(f"the result of `{function.__name__}` could be large")
    try:
        result = function(*rest)
    except Exception as error:
        raise Failed from error
    if not deep(result):
        raise Refused(f"`{function.__name__}` makes a new object each time")
    return result


def liftable(value: object) -> bool:
    """Can the value stand in residual code?  Not what specialization itself made and cannot be made again."""
    if type(value) is BuiltinMethodType:
        return isinstance(value.__self__, ModuleType)
    return not isinstance(value, Walk) and type(value) is not slice
