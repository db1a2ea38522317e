"""Rows of the specializer's tables against Python: what a row says of a class, a method or an operator is tried.

    harmless._SILENT      "upper"                 called on odd texts: it never fails
    confined              [spy] * 3               performed: no method of the spy was called
    known_callees._GIVING       list.pop                a method whose result is an item of the list is in it

Invariant: rows are tried by what they say, not by a list of names of their own: one that is added is tried, too.
"""

from __future__ import annotations

import builtins
import collections
import contextlib
import enum
import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from futamura.ir.ops import OPERATORS
from futamura.specializer import (
    aliasing,
    bounds,
    builtin_errors,
    confined,
    exposure,
    harmless,
    known_callees,
    plainness,
    rules,
)
from futamura.specializer.state import State
from futamura.specializer.values import Dynamic, Shape

# -- comparisons

ALIKE = (
    0, 0.0, False, 0j, 1, 1.0, True, "", "a", b"", b"a", (), (1,), [], [1], {}, {1: 1}, set(), {1}, frozenset(),
    frozenset((1,)), range(0), range(1), range(1, 2), None, slice(None), slice(1), len, print,
    bytearray(), bytearray(b"a"), memoryview(b"a"), lambda: 0,
)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("left", "right"), [*itertools.combinations(rules._GROUPS, 2)])
def test_values_of_two_groups_are_never_equal(left: type, right: type) -> None:
    assert {left, right} <= {*map(type, ALIKE)}
    if rules._GROUPS[left] == rules._GROUPS[right]:
        return
    for one, other in itertools.product(ALIKE, repeat=2):
        if type(one) is left and type(other) is right:
            assert (one == other) is (other == one) is False and (one != other) is (other != one) is True


SPECIAL = (
    "__eq__",
    "__ne__",
    "__hash__",
    "__lt__",
    "__add__",
    "__bool__",
    "__index__",
    "__len__",
    "__getitem__",
    "__mod__",
)


@pytest.mark.parametrize("base", [enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag])
@pytest.mark.parametrize("name", SPECIAL)
def test_members_with_methods_of_their_own(base: Any, name: str) -> None:
    """Code of the program is asked, so that neither may members be compared, nor do they stand for a value."""
    calls: list[str] = []

    def method(self: object, *given: object) -> Any:
        calls.append(name)
        return 1

    namespace = enum.EnumMeta.__prepare__("Own", (base,))
    namespace[name] = method
    namespace["A"] = 1
    member: Any = enum.EnumMeta("Own", (base,), namespace).A  # type: ignore[attr-defined]
    calls.clear()
    asked: tuple[Callable[[], object], ...] = (lambda: member == 2, lambda: member != 2, lambda: hash(member))
    for ask in asked:
        with contextlib.suppress(TypeError):
            ask()
    assert not (calls and plainness.comparable(member))
    calls.clear()
    acts: tuple[Callable[[], object], ...] = (
        lambda: member < 2, lambda: member + 1, lambda: bool(member), lambda: operator.index(member), lambda: -member,
        lambda: member % 2,
    )  # fmt: skip
    for act in acts:
        with contextlib.suppress(TypeError):
            act()
    assert not calls or plainness.stands_for(member) is member


# -- exceptions

ERRORS = [kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, BaseException)]
GIVEN = ((), (1,), ("a",), (2, "text"), (1, "a", "file"), ("a", ("f", 1, 2, "x")), (None,), ((),), ("k", 1, 2, 3, 4))


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("own", [False, True])
def test_classes_of_exceptions(kind: type[BaseException], own: bool) -> None:
    cls: Any = type("Own", (kind,), {}) if own else kind
    for given in GIVEN:
        try:
            made = cls(*given)
        except (TypeError, ValueError):
            assert not builtin_errors.plain_exception_class(cls)
            continue
        if builtin_errors.plain_exception_class(cls):
            names = [name for name in dir(cls) if not name.startswith("_") and not callable(getattr(made, name))]
            held = [getattr(made, name) for name in names]
            assert type(made) is cls and made.args == given and vars(made) == {}
            assert all(value is made.args or value in (*given, None) for value in held)
        if harmless.makes_exactly(cls):
            assert type(made) is cls
        if builtin_errors.only_keeps_arguments(cls):
            again = cls.__new__(cls, *given)
            assert cls.__init__(again, *given) is None and again.args == given and vars(again) == {}


# -- methods of texts

TEXTS = ("", "a", "\ud800", "ß\0", "\u0130", "1", " \x85", "a\nb\r\n", "\U0001f600", "Aa1_" * 50, "\x7f\x80", "ǆ")


@pytest.mark.parametrize("name", sorted(harmless._SILENT))
def test_methods_that_do_not_fail(name: str) -> None:
    for text in TEXTS:
        getattr(text, name)()


# -- what methods of containers do with what they hold


class Item:
    """Nothing is equal to it but itself."""

    def __lt__(self, other: object) -> bool:
        return True


def _parts(value: object, depth: int = 2) -> Iterator[object]:
    yield value
    if depth and isinstance(value, dict):
        for pair in list(dict.items(value)):
            yield from pair
    elif depth and (isinstance(value, (list, tuple, set, frozenset, collections.deque)) or hasattr(value, "__iter__")):
        for item in list(value) if not isinstance(value, (str, bytes)) else ():
            yield from _parts(item, depth - 1)


HOLDERS = (
    list,
    dict,
    set,
    tuple,
    frozenset,
    collections.deque,
    collections.OrderedDict,
    collections.defaultdict,
    collections.Counter,
)


def _holder(kind: type, items: list[Item]) -> Any:
    if issubclass(kind, dict):
        made = kind()
        made.update({items[0]: 1, items[1]: 2} if kind is collections.Counter else {"a": items[0], items[1]: items[2]})
        return made
    return kind(items)


METHODS = [
    (kind, name)
    for kind in HOLDERS
    for name in dir(kind)
    if callable(getattr(kind, name))
    and (not name.startswith("_") or name in ("__getitem__", "__contains__", "__len__"))
]


@pytest.mark.parametrize(("kind", "name"), METHODS, ids=lambda part: getattr(part, "__name__", part))
def test_methods_of_containers(kind: type, name: str) -> None:
    """Of a method that is said to read the container stays what it was; what gives items is said to give them."""
    for shape in ("", "x", "i", "k", "xx", "ix", "kx", "l", "d"):
        items = [Item() for _ in range(4)]
        holder, new = _holder(kind, items), Item()
        before = list(_parts(holder))
        key = items[0] if kind is collections.Counter else "a"
        values = {"x": new, "i": 0, "k": key, "l": [new], "d": {new: new}}
        given = [values[one] for one in shape]
        try:
            result = getattr(holder, name)(*given)
        except Exception:
            continue
        after = list(_parts(holder))
        same = len(before) == len(after) and all(any(x is y for y in after) for x in before)
        if name in known_callees._READING:
            assert same, (name, shape)
        if kind in aliasing._READING and name in aliasing._READING[kind]:
            assert same and before[1:] == after[1:], (name, shape)
        if result is None or type(result) in (bool, int, str):
            continue
        found = [part for part in _parts(result) if any(part is item for item in items)]
        if found and kind not in (tuple, frozenset):
            known = name in known_callees._GIVING or name in known_callees._COPYING
            assert known or name not in known_callees._READING, (name, shape)
            if any(result is item for item in items):
                assert name in known_callees._GIVING or name in known_callees._COPYING, (name, shape)


LISTS = ((1, 2), ("a", "b"), (1,), ())


@pytest.mark.parametrize("function", sorted(aliasing._LOOKING, key=lambda one: one.__name__))
def test_builtins_that_write_to_no_argument(function: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for held, count in itertools.product(LISTS, (1, 2)):
        for kind in (list, set, bytearray) if not held or type(held[0]) is int else (list, set):
            value = kind(held)
            other = [value] * count
            try:
                made = function(*other)
                list(made) if hasattr(made, "__next__") else None
            except (TypeError, ValueError):
                pass
            assert value == kind(held)
    value = {1: 2}
    with contextlib.suppress(TypeError, ValueError):
        function(value)
    assert value == {1: 2}


# -- operators that run no code of the program


class Spied(Exception):
    pass


def _spied(name: str) -> Callable[..., object]:
    def method(self: object, *given: object) -> object:
        raise Spied(name)

    return method


_DUNDERS = (
    "add radd iadd sub rsub mul rmul imul truediv rtruediv floordiv rfloordiv mod rmod pow rpow lshift rlshift "
    "rshift rrshift and rand or ror xor rxor matmul rmatmul eq ne lt le gt ge bool len contains getitem setitem "
    "delitem iter next index int float str repr format neg pos abs invert reversed"
)
Spy: Any = type("Spy", (), {f"__{name}__": _spied(name) for name in _DUNDERS.split()} | {"__hash__": object.__hash__})


def _values(kind: type) -> list[Any]:
    spy = Spy()
    held: dict[type, list[Any]] = {
        list: [[spy, spy], [], [spy]], tuple: [(spy, spy), (), (spy,)], dict: [{1: spy}, {spy: 1}], set: [{spy}, set()],
        frozenset: [frozenset((spy,))], str: ["ab", "", "%s"], bytes: [b"ab", b""], bytearray: [bytearray(b"ab")],
        int: [0, 1, -1, 2], float: [0.5], bool: [True], complex: [1j], type(None): [None], range: [range(2)],
    }  # fmt: skip
    return held[kind]


KINDS = (list, tuple, dict, set, frozenset, str, bytes, bytearray, int, float, bool, type(None), range)
ONE = [name for name in confined._OPERATORS if name in OPERATORS and name in ("neg", "pos", "invert", "not", "truth")]
TWO = sorted({*confined._OPERATORS, "getitem"} - {"neg", "pos", "invert", "not", "truth", "format", "string"})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*sorted(ONE), *sorted(TWO), "setitem", "delitem", "iter", "unpack"])
def test_operators_that_stay_and_run_no_code(name: str) -> None:
    evaluate = OPERATORS[name].evaluate
    count = 1 if name in (*ONE, "iter", "unpack") else 3 if name == "setitem" else 2
    attr = (2, False, 0) if name == "unpack" else None
    for kinds in itertools.product(KINDS, repeat=count):
        args = [Dynamic(number, kind) for number, kind in enumerate(kinds)]
        if not confined.confined(State([]), name, args, attr):
            continue
        for values in itertools.product(*map(_values, kinds)):
            try:
                if name == "iter":
                    iter(*values)
                elif name == "setitem":
                    operator.setitem(values[1], values[2], values[0])
                elif name == "delitem":
                    operator.delitem(*values)
                else:
                    assert evaluate is not None
                    evaluate(values, attr)
            except Spied as spied:
                raise AssertionError(f"{name} of {kinds} calls {spied}") from spied
            except Exception:
                pass


@pytest.mark.parametrize("name", sorted(exposure._LOOKING))
def test_what_makes_no_item_of_a_dict_with_defaults(name: str) -> None:
    table = collections.defaultdict(list, {1: [2]})
    acts: dict[str, Callable[[], object]] = {
        "in": lambda: 5 in table, "not_in": lambda: 5 not in table, "iter": lambda: list(table),
        "truth": lambda: bool(table), "not": lambda: not table, "eq": lambda: table == {5: 1},
        "ne": lambda: table != {5: 1},
    }  # fmt: skip
    acts.get(name, lambda: table[5])()
    assert table == {1: [2]}


# -- bounds

NUMBERS = range(-3, 5)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "and", "or", "xor", "lshift", "rshift", "floordiv", "mod"])
def test_lower_bounds_of_results(name: str) -> None:
    evaluate = OPERATORS[name].evaluate
    assert evaluate is not None
    for low, high in itertools.product((None, *NUMBERS), repeat=2):
        shapes = [None if least is None else Shape(least=least) for least in (low, high)]
        args = [Dynamic(number, int, shape) for number, shape in enumerate(shapes)]
        found = bounds.least_of_result(name, args)
        if found is None or found.least is None:
            continue
        for left, right in itertools.product(NUMBERS, repeat=2):
            if (low is None or left >= low) and (high is None or right >= high):
                try:
                    result = evaluate((left, right), None)
                except (ValueError, ZeroDivisionError):
                    continue
                assert isinstance(result, int) and result >= found.least, (name, low, high, left, right)
