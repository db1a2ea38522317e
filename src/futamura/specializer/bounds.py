"""What is known of numbers that are not known: laws of exact types, lower bounds, one int by way of another.

    x * 1.0        x exactly a float                     ->  x
    i - 0 >= 0     i an item of range(n)                 ->  True
    i - 3 >= 0     i exactly an int, i - 3 not named     ->  i >= 3
    if x == "a":   x exactly a str                       ->  x is known where that is true
    n % 10, 2 * y  n exactly an int, y a float           ->  nothing is raised

A lower bound is the `least` of a `Shape`; it goes with its value, and a meet keeps only whether it is negative, so
that it changes twice at most.  `Emitter.sums` has the sums of an int and a constant that were emitted.

Invariant: a fact is used only under exact types; it holds wherever its value is defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.ops import OPERATORS
from futamura.specializer.emitting import Emitter
from futamura.specializer.state import State
from futamura.specializer.values import SHORT, AbstractValue, Dynamic, Known, Shape

__all__ = [
    "by_law",
    "cannot_fail",
    "compared",
    "is_within",
    "items_of",
    "least",
    "least_of_result",
    "note_length",
    "note_sum",
    "note_test",
    "refine",
    "shape_of_result",
]

_MIRRORED: Final = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_TOLD: Final = {**_MIRRORED, "is": "is", "is_not": "is_not"}
_OPPOSITE: Final = {
    "ne": "eq", "eq": "ne", "is_not": "is", "is": "is_not", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"
}  # fmt: skip
_FALSE: Final[dict[type | None, object]] = {int: 0, str: "", bytes: b"", bool: False}
"""Classes of which equal instances cannot be told apart, and which of them is false."""
_UNIQUE: Final = frozenset({bool, type(None), type(Ellipsis), type(NotImplemented), type, FunctionType})
"""Classes of objects that never change and of which each is known by its identity."""
_NAMED: Final[dict[type | None, str]] = {
    kind: kind.__name__ for kind in (int, bool, float, complex, str, bytes, type(None))
}


_JOINING: Final = frozenset({"add", "sub", "mul"})
_DIVIDING: Final = frozenset({"truediv", "floordiv", "mod"})
_SHIFTING: Final = frozenset({"lshift", "rshift"})
_REALS: Final = (int, bool, float)
_EXACT: Final = 1 << 53
"""Ints up to here are floats as well."""
_FEW_BITS: Final = 64


def cannot_fail(name: str, args: Sequence[AbstractValue], types: Sequence[type | None]) -> bool:
    """Does a known operand of this arithmetic operator make sure that nothing is raised?  It is no zero to divide by,
    no int that is too large for a float, and neither negative nor large where it counts bits."""
    base = name.removeprefix("i")
    if len(args) != 2 or types[0] not in _REALS or types[1] not in _REALS:
        return False
    right = args[1].value if type(args[1]) is Known else None
    if base in _SHIFTING:
        return float not in types and isinstance(right, int) and 0 <= right <= _FEW_BITS
    if base not in _JOINING and not (base in _DIVIDING and right):
        return False
    if float in types:
        return all(kind is not int or (type(arg) is Known and _is_exact(arg.value)) for arg, kind in zip(args, types))
    return base != "truediv"  # the quotient of two ints may be too large


def _is_exact(value: object) -> bool:
    return isinstance(value, int) and abs(value) <= _EXACT


def by_law(name: str, args: Sequence[AbstractValue], types: Sequence[type | None]) -> AbstractValue | None:
    """The result, if an algebraic law of the operator gives it."""
    kind = _NAMED.get(types[0])
    if kind is None or len(args) != 2 or types[0] is not types[1]:
        return None
    laws = OPERATORS[name].laws
    left, right = args
    if type(right) is Known:
        pair = (kind, Constant(right.value))
        if pair in laws.right_identity:
            return left
        if pair in laws.right_absorbing:
            return Known(right.value)
    if type(left) is Known:
        pair = (kind, Constant(left.value))
        if pair in laws.left_identity:
            return right
        if pair in laws.left_absorbing:
            return Known(left.value)
    if type(left) is Dynamic and type(right) is Dynamic and left.rv == right.rv:
        for of, constant in laws.same:
            if of == kind:
                return Known(constant.value)
        if kind in laws.idempotent:
            return left
    return None


def least(value: AbstractValue) -> int | None:
    """What an exact int is not below, if that is known."""
    if type(value) is Known:
        return value.value if type(value.value) is int else None
    if type(value) is Dynamic and value.type is int and value.shape is not None:
        return value.shape.least
    return None


_FAR: Final = 1 << 64
"""Bounds beyond say no more than this: products of products would grow for ever."""


def _near(bound: int | None) -> int | None:
    """A bound that is as good for all that programs compare, and small."""
    if bound is None or bound < -_FAR:
        return None
    return min(bound, _FAR)


def _product(left: int, right: int) -> int | None:
    return left * right if left >= 0 and right >= 0 else None


_BOUNDS: Final[dict[str, Callable[[int, int], int | None]]] = {
    "add": lambda left, right: left + right,
    "mul": _product,
    "or": lambda left, right: 0 if left >= 0 and right >= 0 else None,
    "xor": lambda left, right: 0 if left >= 0 and right >= 0 else None,
    "lshift": lambda left, right: 0 if left >= 0 else None,
    "rshift": lambda left, right: 0 if left >= 0 else None,
    "floordiv": lambda left, right: 0 if left >= 0 and right >= 0 else None,
}
"""The bound of the result by the bounds of both operands, for those that do not raise."""


def least_of_result(name: str, args: Sequence[AbstractValue]) -> Shape | None:
    """What is known of an int that arithmetic gives."""
    found: int | None = None
    bounds = [_near(least(arg)) for arg in args]
    deciding = bounds if name == "and" else bounds[1:] if name == "mod" else []
    if any(bound is not None and bound >= 0 for bound in deciding):
        found = 0
    elif name == "sub" and bounds[0] is not None and type(args[1]) is Known and bounds[1] is not None:
        found = bounds[0] - bounds[1]
    elif name in _BOUNDS and bounds[0] is not None and bounds[1] is not None:
        found = _BOUNDS[name](bounds[0], bounds[1])
    found = _near(found)
    return None if found is None else Shape(least=found, most=_most(name, args) if found == 0 else None)


def _most(name: str, args: Sequence[AbstractValue]) -> int | None:
    """What an int that is not negative is not above: a mask, or what a remainder is below."""
    known = [least(arg) if type(arg) is Known else None for arg in args]
    if name == "and":
        return min((bound for bound in known if bound is not None and bound >= 0), default=None)
    return known[1] - 1 if name == "mod" and known[1] is not None and known[1] > 0 else None


def is_within(value: AbstractValue, length: int) -> bool:
    """Is this int an index of a sequence of this length?"""
    if type(value) is Known:
        return isinstance(value.value, int) and -length <= int(value.value) < length
    lowest, shape = least(value), value.shape if type(value) is Dynamic else None
    return lowest is not None and lowest >= 0 and shape is not None and shape.most is not None and shape.most < length


def items_of_range(args: Sequence[AbstractValue]) -> Shape | None:
    """What is known of the items of `range(*args)`."""
    if not 1 <= len(args) <= 3:
        return None
    below: int | None = 0
    if len(args) > 1:
        below = least(args[0])
    if len(args) == 3:
        step = least(args[2])
        below = below if step is not None and step >= 0 else None
    return Shape(element=int, least=below)


_ITEMS: Final[dict[type, Shape]] = {str: Shape(element=str), bytes: Shape(element=int, least=0)}


def items_of(source: AbstractValue) -> Shape | None:
    """What is known of what an iterator over `source` gives, if that runs no code and fails never."""
    if type(source) is not Dynamic:
        return None
    shape = source.shape
    if source.type is range or (shape is not None and shape.iterates):
        return None if shape is None else shape._replace(iterates=True)
    if shape is not None and shape.lasting:
        if source.type is dict and shape.items is not None:
            return Shape(element=shape.items[0], lasting=True)
        if source.type in (list, tuple):
            return None if shape.element is None else Shape(element=shape.element, iterates=True)
        return shape
    if source.type in (list, tuple):
        element = None if shape is None else shape.element
        return Shape(element=element, iterates=True, passing=source.type is list)  # whatever becomes of the list
    found = None if source.type is None else _ITEMS.get(source.type)
    return None if found is None else found._replace(iterates=True)


def shape_of_result(args: Sequence[AbstractValue], kind: type | None) -> Shape | None:
    """What is known of the result of a call of `args[0]` with the others, of exactly this class, that stays."""
    callee, *given = args
    if kind is range:
        return items_of_range(given)
    if kind is enumerate:
        begin = least(given[1]) if len(given) == 2 and type(given[1]) is Known else 0 if len(given) == 1 else None
        return None if begin is None or not 0 <= begin < SHORT else Shape(counts=True)
    if kind is int and type(callee) is Known and callee.value in (len, ord):
        return Shape(least=0, short=True)
    return None


def note_sum(m: Emitter, name: str, args: Sequence[AbstractValue], types: Sequence[type | None], made: Dynamic) -> None:
    """Remember that an int without a name is another one plus a constant."""
    if name not in ("add", "sub") or types[0] is not int or types[1] is not int:
        return
    base, step = args if name == "sub" or type(args[1]) is Known else args[::-1]
    if type(base) is Dynamic and type(step) is Known and type(step.value) is int:
        m.sums[made.rv] = (base, -step.value if name == "sub" else step.value)


def compared(
    m: Emitter, name: str, args: Sequence[AbstractValue], types: Sequence[type | None]
) -> tuple[str, list[AbstractValue]] | bool | None:
    """A comparison of ints as one that costs less, or its result."""
    if name not in _MIRRORED or types[0] is not int or types[1] is not int:
        return None
    left, right = args
    if type(left) is Known:
        name, left, right = _MIRRORED[name], right, left
    if type(left) is not Dynamic or type(right) is not Known or type(right.value) is not int:
        return None
    bound = right.value
    while left.rv in m.sums:
        left, step = m.sums[left.rv]
        bound -= step
    found = _decided(name, least(left), bound)
    if found is not None:
        return found
    return (name, [left, right if bound == right.value else Known(bound)])


def note_test(
    m: Emitter, name: str, args: Sequence[AbstractValue], types: Sequence[type | None], made: Dynamic
) -> None:
    """Remember what a bool says about a value."""
    if name in ("truth", "not"):
        false = _FALSE.get(types[0])
        if false is not None and type(args[0]) is Dynamic:
            m.tests[made.rv] = ("ne" if name == "truth" else "eq", args[0], Known(false))
        return
    if len(args) != 2 or name not in _TOLD:
        return
    left, right = args
    if type(left) is Known:
        name, left, right = _TOLD[name], right, left
    if type(left) is not Dynamic or type(right) is not Known:
        return
    if name not in ("is", "is_not"):
        if types[0] is not types[1] or types[0] not in _FALSE:
            return
    elif type(right.value) not in _UNIQUE:
        return
    m.tests[made.rv] = (name, left, right)


def note_length(m: Emitter, args: Sequence[AbstractValue], made: Dynamic) -> None:
    """Remember that a number is the length of an open list, which nothing has written to so far."""
    if len(args) == 2 and type(args[0]) is Known and args[0].value is len and m.state.intact:
        fresh = type(args[1]) is Dynamic and args[1].shape is not None and args[1].shape.fresh
        if type(args[1]) is Dynamic and args[1].type is list and not fresh:  # of a fresh list, writes are not watched
            m.lengths[made.rv] = args[1].rv


def _know_length(state: State, rv: int, length: int) -> None:
    """From here on the open list `rv` is known to be so long, while nothing writes to it."""

    def better(value: AbstractValue) -> AbstractValue:
        if type(value) is not Dynamic or value.rv != rv:
            return value
        return Dynamic(rv, list, (value.shape or Shape())._replace(length=length), value.classes)

    for active in state.frames:
        active.env.update({slot: better(content) for slot, content in active.env.items()})
    for oid, entry in state.heap.items():
        if any(type(item) is Dynamic and item.rv == rv for item in entry.items):
            state.heap[oid] = entry._replace(items=tuple([better(item) for item in entry.items]))


def refine(m: Emitter, state: State, rv: int, taken: bool) -> None:
    """What the state knows where the bool `rv` is `taken`."""
    name, subject, bound = m.tests.get(rv, ("", None, None))
    if name and not taken:
        name = _OPPOSITE[name]
    lowest = None if bound is None or type(bound.value) is not int else bound.value + (name == "gt")
    if name == "eq" and subject is not None and subject.rv in m.lengths and state.intact and lowest is not None:
        _know_length(state, m.lengths[subject.rv], lowest)
    for active in state.frames:
        for value, content in active.env.items():
            if type(content) is not Dynamic:
                continue
            if content.rv == rv:
                active.env[value] = Known(taken)
            elif subject is None or bound is None or content.rv != subject.rv:
                continue
            elif name in ("eq", "is"):
                active.env[value] = Known(bound.value, bound.vid, found=content)
            elif lowest is not None and name in ("gt", "ge"):
                known = least(content)
                if known is None or known < lowest:
                    shape = content.shape or Shape()
                    active.env[value] = Dynamic(content.rv, int, shape._replace(least=lowest))


def _decided(name: str, lowest: int | None, bound: int) -> bool | None:
    """Does an int that is at least `lowest` compare so with `bound`?"""
    if lowest is None:
        return None
    if lowest > bound:
        return name in ("gt", "ge", "ne")
    if lowest == bound and name in ("ge", "lt"):
        return name == "ge"
    return None
