"""What an operation can do, from the exact types of its operands: result, exceptions, effects, may it be folded.

    facts of "add" on ("int", "float")   ->  float; may raise OverflowError; no effect; foldable
    facts of "add" on ("int", "object")  ->  anything: `object.__radd__` is code of the user

A type is the name of an exact builtin class ("int" excludes bool and subclasses); any other name, "object" first of
all, says nothing.  Deep: an operation on a container whose items it would compare, hash or print says nothing either.

Not counted, because nearly every operation may meet them: KeyboardInterrupt, RecursionError, and MemoryError where the
result is not bigger than the operands by more than a constant.  Finalizers of overwritten values are no effect.

Invariant: sound for every value of the given types (checked against `evaluate` by property tests).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from futamura.ir.lists import ListError

__all__ = ["ANYTHING", "FACTS", "PURE", "SCALARS", "Effects", "Fact", "Facts", "unknown"]

ANYTHING: Final[frozenset[type[BaseException]]] = frozenset({BaseException})
"""`raises` of an operation that may raise whatever it likes."""

SCALARS: Final = frozenset({"int", "bool", "float", "complex", "str", "bytes", "NoneType", "ellipsis"})
"""Immutable all the way down, and without code of the user."""

_NUMBERS: Final = {"bool": 0, "int": 1, "float": 2, "complex": 3}
_INTEGRAL: Final = frozenset({"int", "bool"})
_CONTAINERS: Final = frozenset({"tuple", "list", "dict", "set", "frozenset", "range"})
_MUTABLE: Final = frozenset({"list", "dict", "set"})


class Effects(NamedTuple):
    """Memory is told apart by kind: "cell", "attribute", "item", "global", "output", or "any" for all of them."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    allocates: bool = False
    calls: bool = False
    """May run code that is not known; then it reads and writes "any"."""
    suspends: bool = False

    @property
    def pure(self) -> bool:
        """Nobody can tell whether, when and how often it was executed (what it raises aside)."""
        return not (self.reads or self.writes or self.allocates or self.calls or self.suspends)


_NONE: Final[frozenset[str]] = frozenset()
PURE: Final = Effects()
ALLOCATES: Final = Effects(allocates=True)
CALLS: Final = Effects(frozenset({"any"}), frozenset({"any"}), True, True)
SUSPENDS: Final = CALLS._replace(suspends=True)


class Fact(NamedTuple):
    """`raises` holds the exact classes that may come out; `ANYTHING` says nothing about them."""

    result: str = "object"
    raises: frozenset[type[BaseException]] = ANYTHING
    effects: Effects = CALLS
    foldable: bool = False


Types: TypeAlias = tuple[str, ...]
Facts: TypeAlias = Callable[[Types, Any], Fact]
_Raises: TypeAlias = frozenset[type[BaseException]]

UNKNOWN: Final = Fact()
_SILENT: Final[_Raises] = frozenset()
_TYPE: Final[_Raises] = frozenset({TypeError})
_ZERO: Final[_Raises] = frozenset({ZeroDivisionError})
_OVERFLOW: Final[_Raises] = frozenset({OverflowError})
_MEMORY: Final[_Raises] = frozenset({OverflowError, MemoryError})
_WRONG: Final = Fact("object", _TYPE, PURE, True)
"""Scalars that the operator does not take: a TypeError, and nothing else, always."""


def unknown(types: Types, attr: Any) -> Fact:
    """Code of the user may run."""
    return UNKNOWN


def _pure(result: str, raises: _Raises = _SILENT) -> Fact:
    return Fact(result, raises, PURE, True)


def _all_scalars(types: Types) -> bool:
    return all(type in SCALARS for type in types)


# -------------------------------------------------------------------- arithmetic


def _wider(left: str, right: str) -> str:
    wide = left if _NUMBERS[left] > _NUMBERS[right] else right
    return "int" if wide == "bool" else wide


def _conversion(left: str, right: str) -> _Raises:
    """An int beside a float or complex number is converted, and may be too large."""
    return _OVERFLOW if "int" in (left, right) and _NUMBERS[_wider(left, right)] > 1 else _SILENT


def _numbers(name: str, left: str, right: str) -> Fact:
    wide = _wider(left, right)
    raises = _conversion(left, right)
    if name in ("add", "sub", "mul"):
        return _pure(wide, raises)
    if name == "truediv":
        integral = left in _INTEGRAL and right in _INTEGRAL
        return _pure("float" if integral else wide, raises | _ZERO | (_OVERFLOW if integral else _SILENT))
    if name in ("floordiv", "mod"):
        return _WRONG if wide == "complex" else _pure(wide, raises | _ZERO)
    if name == "pow":
        return _power(left, right)
    if left not in _INTEGRAL or right not in _INTEGRAL or name == "matmul":
        return _WRONG
    if name in ("lshift", "rshift"):
        return _pure("int", _MEMORY | {ValueError})
    return _pure("bool" if left == right == "bool" else "int")


def _power(left: str, right: str) -> Fact:
    """A negative exponent of an int gives a float, a negative base of a float a complex number."""
    wide = _wider(left, right)
    if wide == "int" and right == "bool":
        return _pure("int")
    result = "complex" if wide == "complex" else "object"
    return _pure(result, _ZERO | _MEMORY)


def _sequences(name: str, left: str, right: str) -> Fact | None:
    """str, bytes, tuple and list: joined, repeated, formatted."""
    if name == "add" and left == right:
        if left in ("str", "bytes"):
            return _pure(left)
        return Fact(left, _SILENT, ALLOCATES if left == "tuple" else _READS_ITEMS)
    if name == "mul":
        for sequence, count in ((left, right), (right, left)):
            if count in _INTEGRAL and sequence in ("str", "bytes"):
                return _pure(sequence, _MEMORY)
            if count in _INTEGRAL:
                return Fact(sequence, _MEMORY, ALLOCATES if sequence == "tuple" else _READS_ITEMS)
    if name == "mod" and left == "str" and right in SCALARS - {"bytes"}:
        return _pure("str", _MEMORY | {TypeError, ValueError})
    if name == "mod" and left == "bytes" and right in SCALARS:
        return _pure("bytes", _MEMORY | {TypeError, ValueError})
    return None


_READS_ITEMS: Final = Effects(frozenset({"item"}), _NONE, True)
_JOINED: Final = frozenset({"str", "bytes", "tuple", "list"})


def _binary(name: str) -> Facts:
    def facts(types: Types, attr: Any) -> Fact:
        left, right = types
        if left in _NUMBERS and right in _NUMBERS:
            return _numbers(name, left, right)
        if left in _JOINED or right in _JOINED:
            found = _sequences(name, left, right)
            if found is not None:
                return found
        if name == "mod" and left in ("str", "bytes"):
            return UNKNOWN
        return _WRONG if left in SCALARS and right in SCALARS else UNKNOWN

    return facts


def _inplace(name: str) -> Facts:
    plain = _binary(name[1:])

    def facts(types: Types, attr: Any) -> Fact:
        if types[0] == "list":
            if name == "iadd" and types[1] in ("list", "tuple"):
                return Fact("list", _SILENT, Effects(frozenset({"item"}), frozenset({"item"})))
            return UNKNOWN
        return plain(types, attr)

    return facts


def _equality(types: Types, attr: Any) -> Fact:
    left, right = types
    if left not in SCALARS or right not in SCALARS or {left, right} == {"str", "bytes"}:
        return UNKNOWN  # str beside bytes may warn
    return _pure("bool")


def _order(types: Types, attr: Any) -> Fact:
    left, right = types
    if left not in SCALARS or right not in SCALARS:
        return UNKNOWN
    real = left in _NUMBERS and right in _NUMBERS and "complex" not in types
    return _pure("bool") if real or left == right in ("str", "bytes") else _WRONG


def _identity(types: Types, attr: Any) -> Fact:
    """Equal numbers and strings may be one object or two: only what has one instance, or differs in type, is folded."""
    left, right = types
    known = left in SCALARS and right in SCALARS
    single = left in ("NoneType", "bool", "ellipsis")
    return Fact("bool", _SILENT, PURE, known and (left != right or single))


def _contains(types: Types, attr: Any) -> Fact:
    item, container = types
    if item not in SCALARS or container not in SCALARS:
        return UNKNOWN._replace(result="bool")  # whatever `__contains__` gives, its truth is asked for
    if item == container and container in ("str", "bytes"):
        return _pure("bool")
    if container == "bytes" and item in _INTEGRAL:
        return _pure("bool", frozenset({ValueError}))
    return _WRONG


def _sign(types: Types, attr: Any) -> Fact:
    (value,) = types
    if value in _NUMBERS:
        return _pure("int" if value == "bool" else value)
    return _WRONG if value in SCALARS else UNKNOWN


def _invert(types: Types, attr: Any) -> Fact:
    (value,) = types
    if value == "int":
        return _pure("int")
    # `~True` warns since 3.12.
    return _WRONG if value in SCALARS and value != "bool" else UNKNOWN


def _truth(types: Types, attr: Any) -> Fact:
    (value,) = types
    if value in SCALARS or value in ("tuple", "frozenset", "range"):
        return _pure("bool")
    if value in _MUTABLE:
        return Fact("bool", _SILENT, Effects(frozenset({"item"})))
    return UNKNOWN._replace(result="bool")


# -------------------------------------------------------------------- objects and displays


_NAMES: Final = {
    kind.__name__: frozenset(name for base in kind.__mro__ for name in vars(base))
    for kind in (int, bool, float, complex, str, bytes, tuple, list, dict, set, frozenset, range)
}
"""The attributes that instances of builtin classes have, by the class."""


def _getattr(types: Types, attr: Any) -> Fact:
    if types[0] in SCALARS or types[0] in _CONTAINERS:
        raises: _Raises = _SILENT if attr in _NAMES.get(types[0], ()) else frozenset({AttributeError})
        return Fact("object", raises, ALLOCATES)
    return UNKNOWN


def _getitem(types: Types, attr: Any) -> Fact:
    value, index = types
    if index in _INTEGRAL and value in ("str", "bytes", "tuple", "list"):
        result = {"str": "str", "bytes": "int"}.get(value, "object")
        effects = Effects(frozenset({"item"})) if value == "list" else PURE
        return Fact(result, frozenset({IndexError}), effects, value != "list")
    if index in SCALARS and (value in SCALARS or value in ("tuple", "list")):
        return _WRONG
    if index == "slice" and value in ("str", "bytes"):
        return UNKNOWN._replace(result=value)  # its bounds may be of any class
    return UNKNOWN


def _store_item(value: str, index: str) -> Fact:
    if value == "list" and index in _INTEGRAL:
        return Fact("object", frozenset({IndexError}), Effects(_NONE, frozenset({"item"})))
    if index in SCALARS and (value in SCALARS or value in ("tuple", "list")):
        # An index that is too large for any sequence is found before the type of the object.
        return Fact("object", _TYPE | {IndexError}, PURE)
    return UNKNOWN


def _display(result: str) -> Facts:
    def facts(types: Types, attr: Any) -> Fact:
        foldable = result == "tuple" and _all_scalars(types)
        if attr is None or not any(attr):
            return Fact(result, _SILENT, PURE if foldable else ALLOCATES, foldable)
        starred = [type for type, star in zip(types, attr) if star]
        if any(type not in ("str", "bytes", "tuple", "list") for type in starred):
            return UNKNOWN
        return Fact(result, _SILENT, _READS_ITEMS if "list" in starred else ALLOCATES)

    return facts


def _set(types: Types, attr: Any) -> Fact:
    """The items are hashed and compared."""
    plain = (attr is None or not any(attr)) and _all_scalars(types)
    return Fact("set", _SILENT, ALLOCATES) if plain else UNKNOWN._replace(result="set")


def _dict(types: Types, attr: Any) -> Fact:
    plain = (attr is None or not any(attr)) and _all_scalars(types[::2])
    return Fact("dict", _SILENT, ALLOCATES) if plain else UNKNOWN._replace(result="dict")


def _unpack(types: Types, attr: Any) -> Fact:
    (value,) = types
    if value not in ("str", "bytes", "tuple", "list"):
        return UNKNOWN
    effects = Effects(frozenset({"item"}) if value == "list" else _NONE, _NONE, bool(attr[1]))
    items = {"str": "str", "bytes": "int"}.get(value, "object") if not attr[1] else "object"
    return Fact(items, frozenset({ValueError}), effects, effects.pure)


def _format(types: Types, attr: Any) -> Fact:
    value = types[0]
    if value not in SCALARS or (value == "bytes" and attr in ("", "s")):
        return UNKNOWN  # str(b"") may warn
    if len(types) == 2:
        return _pure("str", _MEMORY | {TypeError, ValueError}) if types[1] == "str" else UNKNOWN
    # The limit on the digits of an int.
    return _pure("str", frozenset({ValueError}) if value == "int" else _SILENT)


def _iter(types: Types, attr: Any) -> Fact:
    (value,) = types
    if value in ("str", "bytes") or value in _CONTAINERS:
        return Fact("object", _SILENT, ALLOCATES)
    return _WRONG._replace(foldable=False) if value in SCALARS else UNKNOWN


# -------------------------------------------------------------------- variables


def _unbound(attr: Any) -> _Raises:
    return frozenset({UnboundLocalError if attr[1] == "local" else NameError})


def _cell_get(types: Types, attr: Any) -> Fact:
    return Fact("object", _unbound(attr), Effects(frozenset({"cell"})))


def _cell_del(types: Types, attr: Any) -> Fact:
    return Fact("object", _unbound(attr), Effects(frozenset({"cell"}), frozenset({"cell"})))


def _match_kind(types: Types, attr: Any) -> Fact:
    """A flag of the type: no code of the user runs."""
    return Fact("bool", _SILENT, PURE, types[0] in SCALARS or types[0] in _CONTAINERS)


def _always(fact: Fact) -> Facts:
    return lambda types, attr: fact


def _constant(types: Types, attr: Any) -> Fact:
    return Fact(type(attr.value).__name__, _SILENT, PURE, True)


_ARITHMETIC: Final = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor",
)  # fmt: skip
_WRITES_ITEM: Final = Effects(_NONE, frozenset({"item"}))
_LIST: Final[_Raises] = frozenset({ListError})

FACTS: Final[dict[str, Facts]] = {
    "const": _constant,
    "copy": _always(Fact("object", _SILENT, PURE, True)),
    **{name: _binary(name) for name in _ARITHMETIC},
    **{"i" + name: _inplace("i" + name) for name in _ARITHMETIC},
    "eq": _equality, "ne": _equality, "lt": _order, "le": _order, "gt": _order, "ge": _order,
    "is": _identity, "is_not": _identity, "in": _contains, "not_in": _contains,
    "neg": _sign, "pos": _sign, "invert": _invert, "not": _truth, "truth": _truth,
    "getattr": _getattr,
    "getitem": _getitem,
    "setitem": lambda types, attr: _store_item(types[1], types[2]),
    "delitem": lambda types, attr: _store_item(types[0], types[1]),
    "slice": _always(Fact("slice", _SILENT, ALLOCATES)),
    "tuple": _display("tuple"), "list": _display("list"), "set": _set, "dict": _dict,
    "list_append": _always(Fact("object", _SILENT, _WRITES_ITEM)),
    "unpack": _unpack,
    "format": _format,
    "string": lambda types, attr: Fact("str", _SILENT, PURE, all(type == "str" for type in types)),
    "iter": _iter,
    "global_get": _always(Fact("object", frozenset({NameError}), Effects(frozenset({"global"})))),
    "global_set": _always(Fact("object", _SILENT, Effects(_NONE, frozenset({"global"})))),
    "global_del": _always(Fact("object", frozenset({NameError}), Effects(_NONE, frozenset({"global"})))),
    "cell": _always(Fact("cell", _SILENT, ALLOCATES)),
    "cell_get": _cell_get,
    "cell_set": _always(Fact("object", _SILENT, Effects(_NONE, frozenset({"cell"})))),
    "cell_del": _cell_del,
    "function": _always(Fact("function", _SILENT, ALLOCATES)),
    "yield": _always(Fact("object", ANYTHING, SUSPENDS)),
    "yield_from": _always(Fact("object", ANYTHING, SUSPENDS)),
    "await": _always(Fact("object", ANYTHING, SUSPENDS)),
    "aiter": _always(Fact("object", ANYTHING, CALLS)),
    "anext": _always(Fact("object", ANYTHING, SUSPENDS)),
    "match_sequence": _match_kind, "match_mapping": _match_kind,
    "exc_match": _always(Fact("bool", _TYPE, PURE)),
    "car": _always(Fact("object", _LIST, PURE, True)), "cdr": _always(Fact("tuple", _LIST, PURE, True)),
    "cons": _always(Fact("tuple", _LIST, PURE, True)), "null": _always(Fact("bool", _LIST, PURE, True)),
    "show": _always(Fact("object", ANYTHING, Effects(_NONE, frozenset({"output"})))),
}  # fmt: skip
"""By the name of the row; a row that is not here may run code of the user."""
