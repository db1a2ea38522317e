"""The table of operators: evaluation against Python, and what it says about types, exceptions, folding and laws."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from futamura.ir.constant import Constant, exact_key
from futamura.ir.facts import ANYTHING, FACTS, SCALARS
from futamura.ir.laws import LAWS, Laws
from futamura.ir.ops import OPERATORS, Operator
from tests.strategies import VALUES, typed

SOURCE = {
    "add": "a + b", "sub": "a - b", "mul": "a * b", "matmul": "a @ b", "truediv": "a / b", "floordiv": "a // b",
    "mod": "a % b", "pow": "a ** b", "lshift": "a << b", "rshift": "a >> b", "and": "a & b", "or": "a | b",
    "xor": "a ^ b", "lt": "a < b", "le": "a <= b", "eq": "a == b", "ne": "a != b", "gt": "a > b", "ge": "a >= b",
    "is": "a is b", "is_not": "a is not b", "in": "a in b", "not_in": "a not in b", "neg": "-a", "pos": "+a",
    "invert": "~a", "not": "not a", "truth": "bool(a)", "getitem": "a[b]", "iter": "list(iter(a))",
}  # fmt: skip
INPLACE = {
    "i" + name: source.replace("a ", "a ").replace(" b", "= b")
    for name, source in SOURCE.items()
    if "i" + name in OPERATORS
}
TYPED = sorted({*SOURCE, *INPLACE} - {"iter"})


def outcome(thunk: Any) -> object:
    try:
        result = thunk()
    except Exception as error:
        return (type(error), str(error))
    return result


def same(left: object, right: object) -> bool:
    """Equal as constants; mutable results by what they hold."""
    if type(left) is type(right) and isinstance(left, (list, set, dict)):
        return left == right
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    if isinstance(left, complex) and isinstance(right, complex):
        return repr(left) == repr(right)
    return exact_key(left) == exact_key(right)


def affordable(row: Operator, args: tuple[Any, ...], attr: object = None) -> bool:
    return row.fold_cost(args, attr) < 10_000


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_evaluate_is_python(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(TYPED))
    row = OPERATORS[name]
    _, args = data.draw(typed(row.arity))
    assume(affordable(row, args))
    names: dict[str, Any] = dict(zip("ab", args))
    evaluate: Any = row.evaluate
    if name in SOURCE:
        expected = outcome(lambda: eval(SOURCE[name], {}, names))
    else:
        if isinstance(names["a"], (list, dict, set)):
            names["a"] = names["a"].copy()  # an in-place operator may change it
        expected = outcome(lambda: (exec(INPLACE[name], {}, names), names["a"])[1])
    found = outcome(lambda: evaluate(args, None))
    assert same(found, expected), (name, args, found, expected)


@given(st.data())
@settings(max_examples=800, deadline=None)
def test_facts_are_sound(data: st.DataObject) -> None:
    """The exception is one of those announced, the result has the type announced."""
    others = ["iter", "format", "unpack", "getattr", "setitem", "delitem", "tuple", "set"]
    name = data.draw(st.sampled_from([*TYPED, *others]))
    row = OPERATORS[name]
    types, args = data.draw(typed(row.arity if row.arity >= 0 else data.draw(st.integers(1, 2))))
    attr: Any = None
    if name == "format":
        attr = data.draw(st.sampled_from(["", "s", "r", "a"]))
    elif name == "unpack":
        attr = data.draw(st.sampled_from([(2, False, 0), (1, True, 1), (0, True, 0)]))
    elif name == "getattr":
        attr = data.draw(st.sampled_from(["real", "upper", "nothing", "append"]))
    check_fact(row, types, args, attr)


def check_fact(row: Operator, types: tuple[str, ...], args: tuple[Any, ...], attr: Any) -> None:
    assume(affordable(row, args, attr))
    fact = row.fact(types, attr)
    evaluate: Any = row.evaluate
    try:
        result = evaluate(args, attr)
    except Exception as error:
        assert fact.raises == ANYTHING or type(error) in fact.raises, (row, args, attr, error)
        return
    for item in [result] if row.results == 1 else result or ():
        assert fact.result in ("object", type(item).__name__), (row, args, attr, item)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_foldable_gives_the_same_each_time(data: st.DataObject) -> None:
    """A foldable operation on scalars gives a value (or an error) that is the same when it is executed again."""
    name = data.draw(st.sampled_from(TYPED))
    row = OPERATORS[name]
    types, args = data.draw(typed(row.arity))
    fact = row.fact(types)
    assume(fact.foldable and affordable(row, args))
    assert fact.effects.pure
    evaluate: Any = row.evaluate
    first, second = outcome(lambda: evaluate(args, None)), outcome(lambda: evaluate(args, None))
    assert same(first, second)


class Loud:
    """Every special method counts: an operation that calls one runs code of the user."""

    calls = 0

    def _called(self, *args: object) -> Any:
        Loud.calls += 1
        return NotImplemented

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _called
    __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __and__ = __rand__ = _called
    __getattr__ = _called

    def __hash__(self) -> int:
        Loud.calls += 1
        return 1

    def __bool__(self) -> bool:
        Loud.calls += 1
        return True

    def __str__(self) -> str:
        Loud.calls += 1
        return "loud"

    __repr__ = __str__

    def __index__(self) -> int:
        Loud.calls += 1
        return 0


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_no_code_of_the_user_runs_unannounced(name: str) -> None:
    """Deep: also where the user's object lies inside of a container."""
    row = OPERATORS[name]
    if row.evaluate is None or row.arity not in (1, 2) or name in ("cell_get", "cell_set", "cell_del", "with_exit"):
        pytest.skip("needs operands of its own")
    attr: Any = {"unpack": (1, False, 0), "match_class": (0, ())}.get(name, "real" if "attr" in name else None)
    loud = Loud()
    samples: dict[str, Any] = {
        "object": loud, "tuple": (loud,), "list": [loud], "dict": {1: loud}, "frozenset": frozenset([loud]), "int": 1,
        "str": "%s", "bytes": b"%d", "NoneType": None, "set": {loud}, "bool": True,
    }  # fmt: skip
    names = sorted(samples)
    for types in [(a,) for a in names] if row.arity == 1 else [(a, b) for a in names for b in names]:
        Loud.calls = 0
        outcome(lambda types=types: row.evaluate([samples[type] for type in types], attr))  # type: ignore[misc]
        if Loud.calls:
            assert row.effects(types, attr).calls, (name, types)
            assert not row.foldable(types, attr), (name, types)


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_silent_agrees_with_facts(name: str) -> None:
    row = OPERATORS[name]
    if name == "const" or name not in FACTS:
        assert name == "const" or not row.silent
        return
    attr: Any = ("x", "local") if name.startswith("cell_") else (0, False, 0) if name == "unpack" else None
    raises = row.raises(("object",) * max(row.arity, 1), attr)
    if row.silent:
        assert raises == frozenset()
    elif row.arity >= 0:
        assert raises or name in ("truth", "global_set", "function"), name


def pairs(laws: Laws) -> list[tuple[str, str, Constant]]:
    return [
        (law, type, constant)
        for law in ("left_identity", "right_identity", "left_absorbing", "right_absorbing", "same")
        for type, constant in getattr(laws, law)
    ]


@pytest.mark.parametrize("name", sorted(LAWS))
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_laws_hold(name: str, data: st.DataObject) -> None:
    laws = LAWS[name]
    row = OPERATORS[name]
    evaluate: Any = row.evaluate

    def op(left: object, right: object) -> object:
        assume(affordable(row, (left, right)))
        return outcome(lambda: evaluate((left, right), None))

    for type in laws.commutative:
        left, right = data.draw(VALUES[type]), data.draw(VALUES[type])
        assert same(op(left, right), op(right, left))
    for type in laws.associative:
        a, b, c = (data.draw(VALUES[type]) for _ in range(3))
        assert same(op(op(a, b), c), op(a, op(b, c)))
    for type in laws.idempotent:
        a = data.draw(VALUES[type])
        assert same(op(a, a), a)
    for law, type, constant in pairs(laws):
        a, k = data.draw(VALUES[type]), constant.value
        result = op(a, a) if law == "same" else op(k, a) if law.startswith("left") else op(a, k)
        assert same(result, a if law.endswith("identity") else k), (law, type, a)


def test_what_is_no_law() -> None:
    """The famous ones, each with the value that breaks it."""
    for type, law, constant, value in [
        ("float", "right_identity", 0.0, -0.0), ("bool", "right_identity", 0, True),
        ("float", "right_absorbing", 0.0, math.nan),
    ]:  # fmt: skip
        name = "mul" if law == "right_absorbing" else "add"
        assert (type, Constant(constant)) not in getattr(LAWS[name], law)
        result = value * constant if name == "mul" else value + constant
        assert not same(result, value if law == "right_identity" else constant)
    assert all(type != "float" for name in ("eq", "ne", "le", "lt") for type, _ in LAWS[name].same)


def test_costly_folds_are_seen_before() -> None:
    for name, args in [
        ("pow", (2, 10**9)), ("lshift", (1, 10**9)), ("mul", ("a", 10**9)), ("imul", (b"a", 10**9)),
        ("mod", ("%1000000000d", 1)), ("format", (1, ">1000000000")), ("format", (1, "n")), ("format", (1 << 10**6,)),
    ]:  # fmt: skip
        assert OPERATORS[name].fold_cost(args, "") > 10**8, (name, args)
    assert OPERATORS["add"].fold_cost((1, 2)) < 10


def test_scalars_are_scalars() -> None:
    assert set(VALUES) >= SCALARS
