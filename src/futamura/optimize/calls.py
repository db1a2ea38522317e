"""What calls of builtin functions do, from the exact types of their arguments: rows like those of `ir/facts.py`.

    len of (str)              an int from 0; no effect, raises nothing
    len of (list)             the same, but reads the list
    isinstance of (x, int)    a bool; no effect: to be an int is nothing that could change
    isinstance of (x, C)      a bool; reads x's class, which may be assigned

A function that is not here, or is called with keywords or stars, may do anything.

Invariant: sound for the very objects of `builtins`; the caller knows that the callee is one of them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from futamura.ir.constant import Constant, count_of
from futamura.ir.facts import PURE, SCALARS, UNKNOWN, Effects, Fact
from futamura.optimize.classtests import tested_kinds
from futamura.optimize.shapes import LONGEST, NOTHING, Shape, has_few_digits, join, known_as, of_type, truth_of

__all__ = ["Called", "call_of"]


class Called(NamedTuple):
    """The effects of a call and the shape of its result."""

    fact: Fact = UNKNOWN
    shape: Shape = NOTHING


_ANYTHING: Final = Called()
_READS_CLASS: Final = Effects(reads=frozenset({"attribute"}))
_READS_ITEMS: Final = Effects(reads=frozenset({"item"}))
_NUMBERS: Final = frozenset({"int", "bool", "float"})
_WHOLE: Final = frozenset({"int", "bool"})
_ZERO: Final = known_as(Constant(0))
_FIXED: Final = frozenset({"str", "bytes", "tuple", "frozenset", "range"})
_CHANGING: Final = frozenset({"list", "dict", "set"})


def _pure(shape: Shape, *raises: type[BaseException], effects: Effects = PURE) -> Called:
    return Called(Fact(shape.type, frozenset(raises), effects), shape)


def _len(value: Shape) -> Called:
    if value.type not in _FIXED | _CHANGING:
        return _ANYTHING
    size = Shape("int", 0, LONGEST)
    if value.constant is not None and value.type in _FIXED:
        count = count_of(value.constant.value)  # type: ignore[arg-type]
        size = known_as(Constant(count)) if count <= LONGEST else size
    if value.type == "range":
        return _pure(size, OverflowError)
    return _pure(size, effects=_READS_ITEMS if value.type in _CHANGING else PURE)


def _isinstance(value: Shape, kind: Shape) -> Called:
    """Of a class without a metaclass: no `__instancecheck__` of a program is run."""
    wanted: Any = kind.constant.value if kind.constant is not None else None
    classes = wanted if type(wanted) is tuple else (wanted,)
    if any(type(cls) is not type for cls in classes):
        return _ANYTHING
    shape = of_type("bool")
    if value.type in SCALARS or value.type in _FIXED | _CHANGING:
        cls = getattr(builtins, value.type, None) or type(None)
        if value.type != "ellipsis":
            shape = known_as(Constant(issubclass(cls, wanted)))
    decided = shape.constant is not None or tested_kinds(wanted) is not None
    return _pure(shape, effects=PURE if decided else _READS_CLASS)


def _type(value: Shape) -> Called:
    cls = getattr(builtins, value.type, None) if value.type != "object" else None
    if isinstance(cls, type):
        return _pure(known_as(Constant(cls)))
    return _pure(NOTHING, effects=_READS_CLASS)


def _abs(value: Shape) -> Called:
    if value.type not in _NUMBERS:
        return _ANYTHING
    return _pure(Shape("float") if value.type == "float" else Shape("int", 0))


def _bool(value: Shape) -> Called:
    if value.type in _CHANGING:
        return _pure(of_type("bool"), effects=_READS_ITEMS)
    if value.type not in SCALARS and value.type not in _FIXED:
        return _ANYTHING
    verdict = truth_of(value)
    return _pure(of_type("bool") if verdict is None else known_as(Constant(verdict)))


def _int(value: Shape) -> Called:
    if value.type in ("int", "bool"):
        return _pure(Shape("int", value.low, value.high))
    if value.type == "float":
        return _pure(Shape("int"), ValueError, OverflowError)
    return _pure(Shape("int"), ValueError) if value.type == "str" else _ANYTHING


def _float(value: Shape) -> Called:
    if value.type in ("float", "bool"):
        return _pure(Shape("float"))
    if value.type == "int":
        return _pure(Shape("float"), OverflowError)
    return _pure(Shape("float"), ValueError) if value.type == "str" else _ANYTHING


def _str(value: Shape) -> Called:
    if value.type not in SCALARS or value.type == "bytes":
        return _ANYTHING  # str(b"") may warn
    return _pure(Shape("str"), ValueError) if value.type == "int" and not has_few_digits(value) else _pure(Shape("str"))


def _ord(value: Shape) -> Called:
    return _pure(Shape("int", 0, 0x10FFFF), TypeError) if value.type in ("str", "bytes") else _ANYTHING


def _chr(value: Shape) -> Called:
    return _pure(Shape("str"), ValueError, OverflowError) if value.type in ("int", "bool") else _ANYTHING


def _extreme(one: Shape, other: Shape) -> Called:
    """`min` or `max` of two: one of them."""
    if {one.type, other.type} <= _NUMBERS or (one.type == other.type and one.type in ("str", "bytes")):
        both = join(one, other)
        return _pure(both._replace(constant=None))
    return _ANYTHING


def _range(*bounds: Shape) -> Called:
    if not {bound.type for bound in bounds} <= _WHOLE:
        return _ANYTHING
    step = bounds[2] if len(bounds) == 3 else known_as(Constant(1))
    errors = () if truth_of(step) else (ValueError,)
    return _pure(of_type("range"), *errors, effects=Effects(allocates=True))


def _enumerate(source: Shape, start: Shape = _ZERO) -> Called:
    known = source.type in _FIXED | _CHANGING and start.type in _WHOLE
    return _pure(NOTHING, effects=Effects(allocates=True)) if known else _ANYTHING


def _zip(*sources: Shape) -> Called:
    known = {source.type for source in sources} <= _FIXED | _CHANGING
    return _pure(NOTHING, effects=Effects(allocates=True)) if known else _ANYTHING


def _object() -> Called:
    return _pure(NOTHING, effects=Effects(allocates=True))


_ROWS: Final[dict[object, tuple[int | range, Callable[..., Called]]]] = {
    builtins.len: (1, _len),
    builtins.isinstance: (2, _isinstance),
    builtins.type: (1, _type),
    builtins.abs: (1, _abs),
    builtins.bool: (1, _bool),
    builtins.int: (1, _int),
    builtins.float: (1, _float),
    builtins.str: (1, _str),
    builtins.ord: (1, _ord),
    builtins.chr: (1, _chr),
    builtins.min: (2, _extreme),
    builtins.max: (2, _extreme),
    builtins.range: (range(1, 4), _range),
    builtins.enumerate: (range(1, 3), _enumerate),
    builtins.zip: (range(1, 9), _zip),
    builtins.object: (0, _object),
}
"""The number of arguments, or numbers, and what such a call does."""

_MAKES: Final = {
    id(maker): Called(UNKNOWN._replace(result=kind.__name__), of_type(kind.__name__))
    for kind in (int, float, bool, list, dict, tuple, set, frozenset)
    for maker in ((kind, sorted) if kind is list else (kind,))
}
"""What these give is of exactly this class, whatever they are called with: of what `__int__` and `__float__` give in
subclasses they make a copy."""
_CALLS: Final = {id(function): row for function, row in _ROWS.items()}
"""By identity: a callee of the program is not asked for its hash."""


def call_of(callee: Constant | None, attr: object, arguments: tuple[Shape, ...]) -> Called:
    """What this call does; `callee` is None where it is not known."""
    if callee is None:
        return _ANYTHING
    row = _CALLS.get(id(callee.value)) if attr is None else None
    counts = -1 if row is None else row[0]
    if row is None or (len(arguments) not in counts if isinstance(counts, range) else len(arguments) != counts):
        return _MAKES.get(id(callee.value), _ANYTHING)
    found = row[1](*arguments)
    return _MAKES.get(id(callee.value), _ANYTHING) if found is _ANYTHING else found
