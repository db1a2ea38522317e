"""Running a function of the optimizer on unknown integers, every way through it, so that z3 can prove what comes out.

    paths(lambda: _mod(a, b))     a, b: shapes with symbolic bounds     ->     (conditions, result) for each way

The function is the one that runs in the optimizer, not a copy: a `Number` stands in for an int, and whatever it decides
(`if a.low < b.high`, `min(...)`) goes both ways, as far as the conditions so far can be true.

Bits of unbounded integers, products and quotients are functions of which z3 knows only lemmas: instances of what
`word_lemmas`, `division_lemmas` and `product_lemma` say, which are proved by themselves.

Invariant: a claim that is `valid` holds for all integers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import z3

from futamura.ir.constant import Constant
from futamura.optimize.shapes import Shape

PATIENCE = 20_000
"""Milliseconds for one claim."""

AND = z3.Function("and", z3.IntSort(), z3.IntSort(), z3.IntSort())
OR = z3.Function("or", z3.IntSort(), z3.IntSort(), z3.IntSort())
XOR = z3.Function("xor", z3.IntSort(), z3.IntSort(), z3.IntSort())
SHIFTED = z3.Function("rshift", z3.IntSort(), z3.IntSort(), z3.IntSort())
POWER = z3.Function("power of two", z3.IntSort(), z3.IntSort())
TIMES = z3.Function("mul", z3.IntSort(), z3.IntSort(), z3.IntSort())
DIVIDED = z3.Function("floordiv", z3.IntSort(), z3.IntSort(), z3.IntSort())


class _Way:
    """One way through the function: what was decided, and what is known of the numbers it made."""

    def __init__(self, decided: list[bool], assumed: list[Any]) -> None:
        self.decided = decided
        self.at = 0
        self.conditions: list[Any] = list(assumed)
        self.facts: list[Any] = []
        self.open: list[list[bool]] = []
        self.exponents: list[Any] = []
        self.shifts: list[tuple[Any, Any]] = []
        self.quotients: list[tuple[Any, Any]] = []
        self.fresh = itertools.count()

    def decide(self, condition: Any) -> bool:
        if self.at < len(self.decided):
            verdict = self.decided[self.at]
        else:
            verdict = self._possible(condition)
            if verdict and self._possible(z3.Not(condition)):
                self.open.append([*self.decided, False])
            self.decided.append(verdict)
        self.at += 1
        self.conditions.append(condition if verdict else z3.Not(condition))
        return verdict

    def _possible(self, condition: Any) -> bool:
        solver = z3.Solver()
        solver.set("timeout", 2000)
        solver.add(*self.conditions, *self.facts, condition)
        return bool(solver.check() != z3.unsat)


_NOW: list[_Way] = []


class Truth:
    """A condition; asking for its truth decides it."""

    def __init__(self, condition: Any) -> None:
        self.condition = condition

    def __bool__(self) -> bool:
        return _NOW[-1].decide(self.condition)


def _of(value: object) -> Any:
    if isinstance(value, Number):
        return value.n
    return z3.IntVal(int(value)) if isinstance(value, (int, bool)) else None


class Number:
    """An unknown integer."""

    def __init__(self, n: Any) -> None:
        self.n = n

    def __repr__(self) -> str:
        return f"Number({self.n})"

    __hash__ = object.__hash__

    def _compared(self, other: object, compare: Callable[[Any, Any], Any]) -> Any:
        right = _of(other)
        return NotImplemented if right is None else Truth(compare(self.n, right))

    def __eq__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a == b)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a != b)

    def __lt__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a < b)

    def __le__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a <= b)

    def __gt__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a > b)

    def __ge__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a >= b)

    def __add__(self, other: object) -> Number:
        return Number(self.n + _of(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> Number:
        return Number(self.n - _of(other))

    def __rsub__(self, other: object) -> Number:
        return Number(_of(other) - self.n)

    def __mul__(self, other: object) -> Number:
        return Number(times(self.n, _of(other)))

    __rmul__ = __mul__

    def __neg__(self) -> Number:
        return Number(-self.n)

    def __pos__(self) -> Number:
        return self

    def __invert__(self) -> Number:
        return Number(-self.n - 1)

    def __abs__(self) -> Number:
        return -self if self < 0 else self

    def __floordiv__(self, other: object) -> Number:
        _NOW[-1].quotients.append((self.n, _of(other)))
        return Number(DIVIDED(self.n, _of(other)))

    def __rshift__(self, other: object) -> Number:
        _NOW[-1].shifts.append((self.n, _of(other)))
        return Number(SHIFTED(self.n, _of(other)))

    def __lshift__(self, other: object) -> Number:
        return self * Number(_power(_of(other)))

    def __rlshift__(self, other: object) -> Number:
        return Number(times(_of(other), _power(self.n)))

    def bit_length(self) -> Number:
        """Called on naturals only: less than this power of two."""
        way = _NOW[-1]
        length = z3.Int(f"bits {next(way.fresh)}")
        way.facts += [length >= 0, z3.Implies(self.n >= 0, self.n < _power(length))]
        return Number(length)


def times(a: Any, b: Any) -> Any:
    """A product of two unknown numbers, of which only lemmas say something; its operands have no order."""
    if z3.is_int_value(a) or z3.is_int_value(b):
        return a * b
    return TIMES(*sorted((a, b), key=str))


def _power(exponent: Any) -> Any:
    _NOW[-1].exponents.append(exponent)
    return POWER(exponent)


def paths(function: Callable[[], Any], assumed: list[Any]) -> Iterator[tuple[_Way, Any]]:
    """Each way through the function under these assumptions, and what it gives."""
    waiting: list[list[bool]] = [[]]
    while waiting:
        way = _Way(waiting.pop(), assumed)
        _NOW.append(way)
        try:
            result = function()
        finally:
            _NOW.pop()
        waiting.extend(way.open)
        yield way, result


# -------------------------------------------------------------------- what is known of bits


def lemmas(way: _Way, pairs: list[tuple[Any, Any]]) -> Iterator[Any]:
    """Instances of the lemmas for the operands of a claim, and for what the function made on its way."""
    for x, y in pairs:
        yield z3.Implies(y >= 0, z3.And(AND(x, y) >= 0, AND(x, y) <= y))
        yield z3.Implies(x >= 0, z3.And(AND(x, y) >= 0, AND(x, y) <= x))
        for bits in (OR, XOR):
            yield z3.Implies(z3.And(x >= 0, y >= 0), bits(x, y) >= 0)
            for exponent in way.exponents:
                small = z3.And(x >= 0, y >= 0, x < POWER(exponent), y < POWER(exponent))
                yield z3.Implies(small, bits(x, y) < POWER(exponent))
    for one, other in itertools.permutations(way.exponents, 2):
        yield z3.Implies(one <= other, POWER(one) <= POWER(other))
    shifts = [*way.shifts, *pairs]
    for x, s in shifts:
        yield z3.Implies(z3.And(x >= 0, s >= 0), z3.And(SHIFTED(x, s) >= 0, SHIFTED(x, s) <= x))
        yield z3.Implies(z3.And(x < 0, s >= 0), z3.And(SHIFTED(x, s) < 0, SHIFTED(x, s) >= x))
    for (x, s), (y, t) in itertools.permutations(shifts, 2):
        yield z3.Implies(z3.And(x >= 0, x <= y, s >= t, t >= 0), SHIFTED(x, s) <= SHIFTED(y, t))
    quotients = [*way.quotients, *pairs]
    for x, y in quotients:
        yield z3.Implies(z3.And(x >= 0, y > 0), z3.And(DIVIDED(x, y) >= 0, DIVIDED(x, y) <= x))
    for (x, y), (z, w) in itertools.permutations(quotients, 2):
        yield z3.Implies(z3.And(x >= 0, x <= z, y >= w, w > 0), DIVIDED(x, y) <= DIVIDED(z, w))


def word_lemmas(width: int) -> Iterator[tuple[str, Any]]:
    """The lemmas on machine words: bits beyond the sign are all the same, so that words stand for all integers."""
    x, y, s, t = z3.BitVecs("x y s t", width)
    zero = z3.BitVecVal(0, width)
    natural = z3.And(x >= 0, y >= 0)
    yield "x & y of a natural y", z3.Implies(y >= 0, z3.And(x & y >= 0, x & y <= y))
    for name, made in (("|", x | y), ("^", x ^ y)):
        yield f"x {name} y of naturals", z3.Implies(natural, made >= 0)
        power = z3.BitVec("p", width)
        small = z3.And(natural, power > 0, power & (power - 1) == zero, x < power, y < power)
        yield f"x {name} y below a power of two", z3.Implies(small, made < power)
    yield "x >> s of a natural", z3.Implies(z3.And(x >= 0, s >= 0), z3.And(x >> s >= 0, x >> s <= x))
    yield "x >> s of a negative number", z3.Implies(z3.And(x < 0, s >= 0), z3.And(x >> s < 0, x >> s >= x))
    ordered = z3.And(x >= 0, x <= y, s >= t, t >= 0)
    yield "x >> s grows with x and falls with s", z3.Implies(ordered, x >> s <= y >> t)


def division_lemmas() -> Iterator[tuple[str, Any]]:
    """x is y * q + r with 0 <= r < y: that is floor division by a positive number."""
    x, y, z, w, q, r, p, u = z3.Ints("x y z w q r p u")
    divided = z3.And(x == y * q + r, r >= 0, r < y, y > 0)
    again = z3.And(z == w * p + u, u >= 0, u < w, w > 0)
    yield "x // y of naturals", z3.Implies(z3.And(divided, x >= 0), z3.And(q >= 0, q <= x))
    # If q > p, then w * q >= w * p + w > z >= x >= y * q >= w * q.
    hints = z3.And(z3.Implies(q >= p + 1, w * q >= w * p + w), z3.Implies(q >= 0, y * q >= w * q))
    ordered = z3.And(divided, again, x >= 0, x <= z, y >= w)
    yield "the first step of the hint", z3.Implies(z3.And(w > 0, q >= p + 1), w * (q - p) >= w)
    yield "the second step of the hint", z3.Implies(z3.And(y >= w, q >= 0), (y - w) * q >= 0)
    yield "x // y grows with x and falls with y", z3.Implies(z3.And(ordered, q >= 0, hints), q <= p)


def product_lemma() -> Any:
    """Multiplication by a number keeps or turns an order: what `products` has instances of."""
    less, more, factor = z3.Ints("less more factor")
    kept = z3.Implies(factor >= 0, less * factor <= more * factor)
    turned = z3.Implies(factor <= 0, less * factor >= more * factor)
    return z3.Implies(less <= more, z3.And(kept, turned))


def products(x: Any, y: Any, one: Shape, other: Shape) -> Iterator[Any]:
    """Of x by the bounds of y and of y by the bounds of x."""
    of_one, of_other = [
        [bound.n for bound in (shape.low, shape.high) if isinstance(bound, Number)] for shape in (one, other)
    ]
    for number, bounds, factors in ((x, of_one, (y, *of_other)), (y, of_other, (x, *of_one))):
        for factor in factors:
            for less, more in itertools.permutations((number, *bounds), 2):
                low, high = times(less, factor), times(more, factor)
                yield z3.Implies(z3.And(less <= more, factor >= 0), low <= high)
                yield z3.Implies(z3.And(less <= more, factor <= 0), low >= high)


# -------------------------------------------------------------------- claims


def valid(claim: Any, *assumed: Any) -> str:
    """ "" or why the claim does not hold: a counterexample, or that it was not decided in time."""
    solver = z3.Solver()
    solver.set("timeout", PATIENCE)
    solver.add(*assumed, z3.Not(claim))
    verdict = solver.check()
    if verdict == z3.unsat:
        return ""
    return f"{solver.model()}" if verdict == z3.sat else f"not decided: {claim}"


def shape(name: str, low: bool, high: bool, type: str = "int") -> tuple[Shape, Any, list[Any]]:
    """A shape with these bounds, unknown; one of its members; and what makes it one."""
    member = z3.Int(name)
    bounds = [z3.Int(f"{name}.low") if low else None, z3.Int(f"{name}.high") if high else None]
    assumed = []
    if bounds[0] is not None:
        assumed.append(bounds[0] <= member)
    if bounds[1] is not None:
        assumed.append(member <= bounds[1])
    made = Shape(type, *[None if bound is None else Number(bound) for bound in bounds])  # type: ignore[arg-type]
    return made, member, assumed


def is_member(value: Any, found: Shape | tuple[Any, Any]) -> Any:
    """The claim that a value is in a shape, or between two bounds."""
    low, high = (found.low, found.high) if isinstance(found, Shape) else found
    claims = [z3.BoolVal(True)]
    if low is not None:
        claims.append(_of(low) <= value)
    if high is not None:
        claims.append(value <= _of(high))
    if isinstance(found, Shape) and isinstance(found.constant, Constant):
        claims.append(value == _of(found.constant.value))
    return z3.And(*claims)
