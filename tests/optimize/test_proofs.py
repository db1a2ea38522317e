"""Proofs, by z3, that the rewrite rules of integers and booleans and the arithmetic of ranges hold for all values.

    rules.CHAINS["sub", "add", "int"]: (x + c) - d -> x + (c - d)      for all integers x, c, d
    shapes._mod of (low..high, low..high)                              x % y is in the range that it gives

The rules are the data that the passes read, the functions those that run.  Integers are unbounded.  Rules of bits alone
are proved of one bit, because each bit of the result depends on the bits of its own place only; those that mix
arithmetic and masks on words of several widths: what is below 2**k depends on what is below 2**k of the operands.
What is not of integers or booleans is listed, with why it is exact, and checked on special values.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

z3 = pytest.importorskip("z3")

from futamura.ir.constant import Constant  # noqa: E402
from futamura.optimize import inference, refining, shapes  # noqa: E402
from futamura.optimize.places import Place, Places  # noqa: E402
from futamura.optimize.rules import CHAINS, LAW_RULES, MASKED, NEGATED, SIGNS, Rule, Term, computed  # noqa: E402
from futamura.optimize.shapes import Shape, join, narrowed, widened  # noqa: E402
from tests.optimize import symbolic  # noqa: E402
from tests.optimize.symbolic import Number, is_member, lemmas, paths, shape, valid  # noqa: E402

BITS = frozenset({"and", "or", "xor", "invert"})
MODULAR = frozenset({"add", "sub", "mul", "neg"})
ORDER = {"lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__", "eq": "__eq__", "ne": "__ne__"}

NOT_INTEGERS = {
    "float": "IEEE 754: x * 1.0, x / 1.0, x ** 1.0, x - 0.0 and x + -0.0 are x for every x, -0.0, infinities and NaN "
    "included, and x + -1.0 * y is x - y (of NaN, Python shows neither sign nor payload but by struct); == and != of "
    "floats are symmetric",
    "complex": "only == and != are used, which compare both parts",
    "str": "strings under + are the free monoid; comparisons are by code points",
    "bytes": "the same as strings",
    "NoneType": "there is one value",
}
"""Why the rules of other types are exact."""


def operators(term: Term) -> set[str]:
    return {term[0]}.union(*map(operators, term[1:])) if isinstance(term, tuple) else set()


def letters(term: Term) -> set[str]:
    if isinstance(term, tuple):
        return set().union(*map(letters, term[1:]))
    return {term} if isinstance(term, str) else set()


class Arithmetic:
    """Unbounded integers, and booleans that count as 0 and 1."""

    def variable(self, name: str, type: str) -> Any:
        return z3.Bool(name) if type == "bool" else z3.Int(name)

    def constant(self, value: object) -> Any:
        return z3.BoolVal(value) if isinstance(value, bool) else z3.IntVal(value)

    def applied(self, name: str, args: list[Any]) -> Any:
        if name in ("and", "or", "xor"):
            assert all(z3.is_bool(arg) for arg in args)
            return {"and": z3.And, "or": z3.Or, "xor": z3.Xor}[name](*args)
        numbers = [z3.If(arg, z3.IntVal(1), z3.IntVal(0)) if z3.is_bool(arg) else arg for arg in args]
        left, right = numbers[0], numbers[-1]
        if name in ORDER:
            return getattr(left, ORDER[name])(right)
        if name in ("is", "is_not"):  # of objects, which z3 knows nothing of but that they are the same or not
            objects = [z3.Function("object", arg.sort(), z3.DeclareSort("Object"))(arg) for arg in args]
            return (objects[0] == objects[1]) if name == "is" else (objects[0] != objects[1])
        match name:
            case "add":
                return left + right
            case "sub":
                return left - right
            case "mul":
                return left * right
            case "neg":
                return -left
            case "floordiv":
                return z3.If(right > 0, left / right, (-left) / (-right))
            case "lshift" | "rshift" | "pow" if z3.is_int_value(right):
                number = right.as_long()
                power = z3.IntVal(2**number)
                return left * power if name == "lshift" else left / power if name == "rshift" else left**number
        raise NotImplementedError(name)


class Words:
    """The low bits of unbounded integers."""

    def __init__(self, width: int) -> None:
        self.width = width

    def variable(self, name: str, type: str) -> Any:
        assert type == "int"
        return z3.BitVec(name, self.width)

    def constant(self, value: object) -> Any:
        return z3.BitVecVal(value, self.width)

    def applied(self, name: str, args: list[Any]) -> Any:
        left, right = args[0], args[-1]
        operations = {
            "add": lambda: left + right, "sub": lambda: left - right, "mul": lambda: left * right,
            "and": lambda: left & right, "or": lambda: left | right, "xor": lambda: left ^ right,
            "neg": lambda: -left, "invert": lambda: ~left, "eq": lambda: left == right,
            "gt": lambda: left != right if z3.is_bv_value(right) and right.as_long() == 0 else None,
        }  # fmt: skip
        made = operations[name]()
        assert made is not None, "an order of words says nothing of integers"
        return made


def translated(term: Term, theory: Any, type: str) -> Any:
    match term:
        case str():
            return theory.variable(term, type)
        case Constant():
            return theory.constant(term.value)
        case (name, *args):
            return theory.applied(name, [translated(arg, theory, type) for arg in args])
    return theory.constant(term)


def refuted(rule: Rule) -> str:
    """ "" if the rule is proved."""
    used = operators(rule.before) | operators(rule.after)
    theories: list[Any] = [Arithmetic()]
    if used & BITS and rule.type == "int":
        # Of words, k > 0 only says that k is not 0; it may be all ones: a mask of all that there is.
        widths = (1, 64) if used <= BITS else (1, 2, 3, 4, 5) if "mul" in used else (1, 2, 3, 4, 8, 16)
        theories = [Words(width) for width in widths]
        assert used <= BITS | MODULAR | {"eq", "gt"}
    for theory in theories:
        before, after = translated(rule.before, theory, rule.type), translated(rule.after, theory, rule.type)
        if before.sort() != after.sort():
            return f"{before} is no {after.sort()}"
        wrong = valid(before == after, *[translated(condition, theory, rule.type) for condition in rule.when])
        if wrong:
            return wrong
    return ""


TABLES = {rule.name: rule for rules in (CHAINS, SIGNS, MASKED, NEGATED) for rule in rules.values()}
PROVED = {name: rule for name, rule in {**LAW_RULES, **TABLES}.items() if rule.type in ("int", "bool")}
EXACT = {name: rule for name, rule in {**LAW_RULES, **TABLES}.items() if name not in PROVED}


@pytest.mark.parametrize("name", PROVED)
def test_rule_of_integers_is_proved(name: str) -> None:
    assert refuted(PROVED[name]) == ""


PLANTED = (
    Rule("a sign", "int", ("sub", ("add", "x", "c"), "d"), ("add", "x", ("sub", "d", "c"))),
    Rule("no condition", "int", *MASKED["mul", 0][2:4]),
    Rule("division is no mask", "int", ("and", ("floordiv", ("and", "x", "m"), "y"), "k"), "x"),
    Rule("a bool is no int", "bool", ("add", "x", Constant(0)), "x"),
    Rule("half of the double", "int", ("mul", ("floordiv", "x", Constant(2)), Constant(2)), "x"),
    Rule("or is no sum", "int", ("or", "x", "y"), ("xor", "x", "y")),
    Rule("subtraction", "int", ("sub", ("sub", "x", "y"), "z"), ("sub", "x", ("sub", "y", "z"))),
)


@pytest.mark.parametrize("rule", PLANTED, ids=lambda rule: rule.name)
def test_wrong_rule_is_refused(rule: Rule) -> None:
    try:
        assert refuted(rule) != ""
    except (AssertionError, KeyError):
        assert operators(rule.before) - BITS - MODULAR  # it mixes what no theory takes


ALL = st.one_of(
    st.floats(), st.sampled_from([0.0, -0.0, float("nan"), float("inf"), float("-inf"), 5e-324, 2.0**1023]),
    st.complex_numbers(allow_nan=True), st.text(max_size=4), st.binary(max_size=4), st.none(),
)  # fmt: skip


@given(st.lists(ALL, min_size=3, max_size=3))
def test_rules_of_other_types_hold(values: list[object]) -> None:
    for rule in EXACT.values():
        assert rule.type in NOT_INTEGERS
        names = sorted(letters(rule.before) | letters(rule.after))
        if all(type(value).__name__ == rule.type for value in values[: len(names)]):
            given = dict(zip(names, values))
            assert Constant(computed(rule.before, given)) == Constant(computed(rule.after, given)), rule


# -------------------------------------------------------------------- lemmas


@pytest.mark.parametrize("width", [1, 2, 8, 16, 32, 64])
def test_lemmas_of_bits_hold_on_words(width: int) -> None:
    for name, lemma in symbolic.word_lemmas(width):
        assert valid(lemma) == "", name


def test_lemmas_of_division_hold() -> None:
    for name, lemma in symbolic.division_lemmas():
        assert valid(lemma) == "", name


def test_lemma_of_products_holds() -> None:
    assert valid(symbolic.product_lemma()) == ""


def test_a_mask_takes_the_low_bits() -> None:
    """`v & k` is `v mod (k + 1)`, `x & m` is x less a multiple of k + 1: so masks of any width may be left out."""
    x, y, s, power, q, r, p, u = z3.Ints("x y s power q r p u")
    twice = z3.And(power > 0, r >= 0, r < power, u >= 0, u < power, power * q + r == power * p + u)
    for more, less in ((q, p), (p, q)):  # remainders are unique: otherwise they would differ by a power or more
        hint = z3.Implies(more - less >= 1, power * (more - less) >= power)
        assert valid(z3.Implies(power > 0, hint)) == ""
        assert valid(z3.Not(more - less >= 1), twice, power * (q - p) == u - r, hint) == ""
    masked = x - power * s
    for with_mask, without in (
        (masked + y, x + y - power * s), (masked - y, x - y - power * s), (y - masked, y - x + power * s),
        (masked * y, x * y - power * (s * y)),
    ):  # fmt: skip
        assert valid(with_mask == without) == ""


# -------------------------------------------------------------------- ranges

BOUNDED = list(itertools.product((True, False), repeat=2))


def result_of(name: str, x: Any, y: Any) -> tuple[Any, Any]:
    """What an operator gives, and when it gives anything."""
    always = z3.BoolVal(True)
    if name in ("mod", "floordiv"):
        # Only of a positive y the functions say something; the proof has no rule for others.
        return (symbolic.DIVIDED(x, y), y != 0) if name == "floordiv" else (z3.Int("x mod y"), y != 0)
    return {
        "add": (x + y, always), "sub": (x - y, always), "mul": (symbolic.times(x, y), always),
        "and": (symbolic.AND(x, y), always),
        "or": (symbolic.OR(x, y), always), "xor": (symbolic.XOR(x, y), always),
        "rshift": (symbolic.SHIFTED(x, y), y >= 0), "neg": (-x, always), "pos": (x, always),
        "invert": (-x - 1, always),
    }[name]  # fmt: skip


def range_refuted(name: str, function: Any) -> str:
    """ "" if what comes out lies in the range that the function gives, for all ranges and their members."""
    single = name in ("neg", "pos", "invert")
    for (low, high), (low2, high2) in itertools.product(BOUNDED, [(True, True)] if single else BOUNDED):
        one, x, of_one = shape("x", low, high)
        other, y, of_other = shape("y", low2, high2)
        args = (one,) if single else (one, other)
        for way, found in paths(lambda args=args: function(*args), [*of_one, *of_other]):
            result, defined = result_of(name, x, y)
            more = list(lemmas(way, [(x, y)]))
            if name == "mul":
                more += symbolic.products(x, y, one, other)
            if name == "mod":  # x == y * q + r; where x is in 0..y - 1 already, q is 0
                more.append(z3.Implies(y > 0, z3.And(result >= 0, result < y)))
                more.append(z3.Implies(z3.And(x >= 0, x < y), result == x))
            wrong = valid(is_member(result, found), defined, *way.conditions, *way.facts, *more)
            if wrong:
                return f"{one}, {other} -> {found}: {wrong}"
    return ""


@pytest.mark.interpreted
@pytest.mark.parametrize("name", sorted(shapes._RANGES))
def test_ranges_are_proved(name: str) -> None:
    assert range_refuted(name, shapes._RANGES[name]) == ""


def test_a_wrong_range_is_refused() -> None:
    assert range_refuted("add", lambda a, b: (a.low, a.high)) != ""
    assert range_refuted("or", lambda a, b: (0, a.high)) != ""
    assert range_refuted("rshift", lambda a, b: (a.low, a.high)) != ""
    assert range_refuted("mul", lambda a, b: (a.low * b.low if a.low and b.low else None, None)) != ""
    assert range_refuted("mod", lambda a, b: (0, None if b.high is None else b.high - 1)) != ""


@pytest.mark.interpreted
@pytest.mark.parametrize("name", sorted(shapes._COMPARED))
def test_comparisons_are_proved(name: str) -> None:
    for (low, high), (low2, high2) in itertools.product(BOUNDED, BOUNDED):
        one, x, of_one = shape("x", low, high)
        other, y, of_other = shape("y", low2, high2)
        for way, verdict in paths(lambda a=one, b=other: shapes._compared(name, a, b), [*of_one, *of_other]):
            if verdict is not None:
                truth = getattr(x, ORDER[name])(y)
                assert valid(truth if verdict else z3.Not(truth), *way.conditions) == ""


@pytest.mark.interpreted
def test_joins_narrowing_and_widening_are_proved() -> None:
    for (low, high), (low2, high2) in itertools.product(BOUNDED, BOUNDED):
        one, x, of_one = shape("x", low, high)
        other, y, of_other = shape("y", low2, high2)
        for way, both in paths(lambda a=one, b=other: join(a, b), []):
            for member, assumed in ((x, of_one), (y, of_other)):
                assert valid(is_member(member, both), *way.conditions, *assumed) == ""
        for way, both in paths(lambda a=one, b=other: widened(a, b), []):
            assert valid(is_member(y, both), *way.conditions, *of_other) == ""
        # What is in a shape and between the bounds is in the narrowed shape.
        for way, found in paths(lambda a=one, b=other: narrowed(a, b.low, b.high), []):
            assert valid(is_member(x, found), *way.conditions, *of_one, is_member(x, other)) == ""
    for low, high in BOUNDED:
        one, x, of_one = shape("x", low, high)
        for way, verdict in paths(lambda a=one: shapes.truth_of(a), []):
            if verdict is not None:
                assert valid((x != 0) == z3.BoolVal(verdict), *way.conditions, *of_one) == ""
        number = z3.Int("number")
        for way, found in paths(lambda a=one, n=number: refining._without(a, Number(n)), []):
            assert valid(is_member(x, found), *way.conditions, *of_one, x != number) == ""


@pytest.mark.interpreted
@pytest.mark.parametrize("name", sorted(refining._MIRRORED))
def test_what_a_condition_says_is_proved(name: str) -> None:
    for (low, high), (low2, high2) in itertools.product(BOUNDED, BOUNDED):
        one, x, of_one = shape("x", low, high)
        other, y, of_other = shape("y", low2, high2)
        holds = getattr(x, ORDER[name])(y)

        def told(a: Shape = one, b: Shape = other) -> Shape:
            found: dict[int, Shape] = {}
            refining.Conditions._bounded(None, 1, a, name, b, found)  # type: ignore[arg-type]
            return found.get(1, a)

        for way, found in paths(told, []):
            assert valid(is_member(x, found), *way.conditions, *of_one, *of_other, holds) == ""
        opposite = refining._OPPOSITE[name]
        assert valid(z3.Not(holds) == getattr(x, ORDER[opposite])(y)) == ""
        assert valid(holds == getattr(y, ORDER[refining._MIRRORED[name]])(x)) == ""


# -------------------------------------------------------------------- places in lists


@pytest.mark.interpreted
def test_indices_in_range_raise_nothing() -> None:
    length = Number(z3.Int("length"))
    for low, high in BOUNDED:
        index, i, of_index = shape("i", low, high)
        for way, verdict in paths(lambda a=index: bool(inference._lies_in(a, length)), [length.n >= 0]):
            if verdict:
                assert valid(z3.And(-length.n <= i, i < length.n), *way.conditions, *of_index) == ""


@pytest.mark.interpreted
def test_different_places_are_different() -> None:
    length, base, one, other = z3.Ints("length base one other")
    private = {1: SimpleNamespace(length=Number(length))}
    places = SimpleNamespace(_inference=SimpleNamespace(private=private))
    found = 0
    for same_base in (True, False):
        first = Place(1, 7, Number(one))  # type: ignore[arg-type]
        second = Place(1, 7 if same_base else 8, Number(other))  # type: ignore[arg-type]
        for way, apart in paths(lambda a=first, b=second: bool(Places.apart(places, a, b)), [length >= 0]):
            if not apart:
                continue
            found += 1
            assert same_base
            here, there = base + one, base + other
            for index in (here, there):  # both are indices of the list
                way.conditions += [index >= -length, index < length]
            places_of = [z3.If(index < 0, index + length, index) for index in (here, there)]
            assert valid(places_of[0] != places_of[1], *way.conditions) == ""
    assert found
