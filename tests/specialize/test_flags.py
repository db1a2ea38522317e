"""Members of `enum.Flag` and `enum.IntFlag` that are known: what operators make of them is known.

    need = Perm.R | Perm.W; return need & mode        ->    return Perm_R_W & mode

Invariant: each residual gives what the function gives, the very members; classes that say something of their operators,
or of values that no member has, are left alone.
"""

from __future__ import annotations

import enum
import importlib.util
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

import futamura

from .specializing import source_of, specialize


class Perm(enum.Flag):
    R = 1
    W = 2
    X = 4
    RW = 3


class Bits(enum.IntFlag):
    R = 1
    W = 2
    X = 4


class Mixed(enum.Flag):
    """Not in the order of the values."""

    HIGH = 4
    LOW = 1
    MIDDLE = 2


class Wide(enum.Flag, boundary=enum.KEEP):
    A = 1
    B = 8


class Thrown(enum.IntFlag, boundary=enum.EJECT):
    A = 1
    B = 2


class Conform(enum.Flag, boundary=enum.CONFORM):
    A = 1
    B = 2


class Strict(enum.IntFlag, boundary=enum.STRICT):
    A = 1
    B = 2


PLAIN = [Perm, Bits, Mixed, Wide, Thrown, Conform, Strict]


class Loud(enum.Flag):
    """Its operators say something."""

    A = 1
    B = 2

    def __or__(self, other: Any) -> Any:
        return ["or", super().__or__(other)]

    def __bool__(self) -> bool:
        return self is Loud.B

    def __contains__(self, other: Any) -> bool:
        return True

    def __invert__(self) -> Any:
        return "inverted"


class Missing(enum.IntFlag):
    """Gives another member for values that no member has."""

    A = 1
    B = 2

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.B


class Labelled(enum.Flag):
    """Members with a constructor of their own."""

    def __new__(cls, value: int, label: str = "") -> Labelled:
        made = object.__new__(cls)
        made._value_ = value
        made.label = label  # type: ignore[attr-defined]
        return made

    A = (1, "a")
    B = (2, "b")


SPECIAL = [Loud, Missing, Labelled]


def combine(p: Any, q: Any, x: Any) -> Any:
    both = p | q
    both |= p
    return [both, both & p, both ^ q, ~p, ~both, p & q, p ^ p, both == p, both == (q | p), both is (q | p), x]


def ask(p: Any, q: Any, x: Any) -> Any:
    both = p | q
    return p in both, both in p, q not in both, bool(p & q), not both, both.value, both.name, len(both), list(both), x


def branch(p: Any, q: Any, x: Any) -> Any:
    mask = p | q
    if mask & p and not (p & q):
        return [flag.name for flag in mask], x
    return "none", x


def by_value(p: Any, q: Any, x: Any) -> Any:
    cls = type(p)
    return cls(p.value | q.value), cls(p.value), cls(0), cls(p), x


def collect(p: Any, q: Any, x: Any) -> Any:
    mask = p & q
    for flag in (p, q, p):
        if x:
            mask |= flag
        else:
            mask ^= flag
    return mask


def all_of(p: Any, q: Any, x: Any) -> Any:
    return list(type(p)), tuple(type(p)), [flag.name for flag in type(p)], {p: 1, q: 2, p | q: 3}[q | p], x


FUNCTIONS = [combine, ask, branch, by_value, collect, all_of]
INPUTS: list[Any] = [0, 3, "q", None, [1]]


def outcome(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return a is b if isinstance(a, enum.Enum) else type(a) is type(b) and bool(a == b)


@pytest.mark.parametrize("cls", [*PLAIN, *SPECIAL])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_agrees(cls: Any, function: Any) -> None:
    members = list(cls)
    for p, q in ((members[0], members[1]), (members[1], members[1]), (members[0], members[-1] | members[0])):
        if not isinstance(q, cls):
            continue
        made = specialize(function, p=p, q=q)
        for x in INPUTS:
            found, wanted = outcome(made, x), outcome(function, p, q, x)
            assert same(found, wanted), (found, wanted, source_of(made))


@pytest.mark.parametrize("cls", PLAIN)
@pytest.mark.parametrize("function", [combine, branch, by_value, all_of])
def test_nothing_is_left(cls: Any, function: Any) -> None:
    first, second, *_ = cls
    text = source_of(specialize(function, p=first, q=second))
    assert text.count("\n") == 2 and not any(sign in text for sign in ("|", "&", "^", "~", "for ", "if ", "list(")), (
        text
    )


def test_the_text() -> None:
    made = specialize(combine, p=Perm.R, q=Perm.X)
    assert source_of(made).startswith(
        "def combine(x):\n    return [_Perm_R_X, _Perm_R, _Perm_R, _Perm_W_X, _Perm_W, _Perm_0,"
    )
    assert "'R|W', 2, [_Bits_R, _Bits_W]" in source_of(specialize(ask, p=Bits.R, q=Bits.W))


def arithmetic(p: Any, x: Any) -> Any:
    return p + 1, p << 2, p < 3, p * 2.5, 3 - p, -p, p | 8, 8 | p, p & 3, 5 ^ p, [4, 5, 6][p], x


def test_int_flags_are_numbers() -> None:
    made = specialize(arithmetic, p=Bits.W)
    assert same(made(3), arithmetic(Bits.W, 3))
    assert "return 3, 8, True, 5.0, 1, -2, _Bits_W_8, _Bits_W_8, _Bits_W, _Bits_R_W_X, 6, x" in source_of(made)


def open_int(p: Any, x: Any) -> Any:
    if x & p:
        return x | p, p ^ x
    return x + p, p in p


@pytest.mark.parametrize("p", [Bits.R, Perm.R, Strict.A, Thrown.B, Missing.A])
def test_open_operands_stay_operators(p: Any) -> None:
    for made in (specialize(open_int, p=p), futamura.specialize(open_int, p=p, x=futamura.Dyn(int))):
        assert "NotImplemented" not in source_of(made) and "__" not in source_of(made).replace("(__", "")
        for x in (0, 1, 2, 3, 9, -1, True, 1.5, "q", p, Perm.X, None):
            assert same(outcome(made, x), outcome(open_int, p, x)), x


def raising(p: Any, x: Any) -> Any:
    try:
        return type(p)(64), x
    except ValueError as error:
        return str(error), x


def mixing(p: Any, q: Any, x: Any) -> Any:
    try:
        return p | q, x
    except TypeError as error:
        return str(error), x


@pytest.mark.parametrize("cls", [*PLAIN, *SPECIAL])
def test_what_raises(cls: Any) -> None:
    first = next(iter(cls))
    assert same(specialize(raising, p=first)(3), raising(first, 3))
    for other in (Perm.R, Bits.W, 1, 64, "q", True, 1 << 2000):
        assert same(outcome(specialize(mixing, p=first, q=other), 3), outcome(mixing, first, other, 3))
        assert same(outcome(specialize(mixing, p=other, q=first), 3), outcome(mixing, other, first, 3))


class Rule:
    """Is combined with flags from the right."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __ror__(self, other: Any) -> Any:
        return self.n, other.value


def with_rule(p: Any, x: Any) -> Any:
    return p | Rule(x)


@pytest.mark.parametrize("p", [Perm.R, Bits.W])
def test_methods_of_the_other_operand(p: Any) -> None:
    made = specialize(with_rule, p=p)
    assert made(3) == with_rule(p, 3) == (3, p.value)


def test_an_operator_that_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(enum.Flag):
        A = 1
        B = 2

    made: Any = specialize(combine, p=Own.A, q=Own.B)
    assert made.holds() and same(made(3), combine(Own.A, Own.B, 3))
    monkeypatch.setattr(Own, "__or__", lambda self, other: Own.A)
    assert not made.holds() and same(made(3), combine(Own.A, Own.B, 3))


def test_combinations_are_saved_and_pickled(tmp_path: Path) -> None:
    made: Any = specialize(combine, p=Perm.R, q=Perm.X)
    path = tmp_path / "combined_flags.py"
    made.save(str(path))
    spec = importlib.util.spec_from_file_location("combined_flags", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert same(module.combine(3), combine(Perm.R, Perm.X, 3))
    assert same(pickle.loads(pickle.dumps(made))(3), combine(Perm.R, Perm.X, 3))
    assert sys.modules.get("combined_flags") is None
