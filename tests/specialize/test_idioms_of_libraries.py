"""Idioms of public libraries that do not give away what is known: each left everything at run time once.

    if name not in self.states: raise ValueError(name)      a look-up compares keys: the values are nobody's business
    ctx.value = 3     where the class has a `__setattr__`   it is entered, like any method
    except Invalid as e: errors.append(e)                   an exception of the program that holds `self` goes nowhere

What is right for these is right where code does look: the second half of the file.
"""

from __future__ import annotations

import functools
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from futamura import Specializer, specialize
from tests.outcomes import outcome

TRUSTING = Specializer(assume="trust")


class State:
    def __init__(self, name: str, value: int) -> None:
        self.name, self.value = name, value

    def __repr__(self) -> str:
        return f"State({self.name})"


class Machine:
    def __init__(self, kind: Any = dict) -> None:
        self.states = kind((name, State(name, at)) for at, name in enumerate("abc"))
        self.names = [*self.states.values()]

    def known(self, name: Any, x: Any) -> Any:
        if name not in self.states:
            raise ValueError(name)
        return self.states["b"].value + x, self.names[2].value, bool(self.names)

    def walked(self, x: Any) -> Any:
        return [state.value + x for state in self.states.values() if state.value != x], self.states["c"].value

    def state(self, name: Any) -> Any:
        return self.states[name]

    def chosen(self, name: Any, x: Any) -> Any:
        return self.state(name).value * x


class Context(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def in_context(x: Any) -> Any:
    context = Context(a=1)
    context.b = 3
    context.c = x
    return context.a + context.b + context.c + context.get("d", 1)


def context_given(x: Any) -> Any:
    context = Context()
    context.x = x
    return context


class Checked:
    allowed = ("a", "c")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.allowed:
            raise AttributeError(name)
        object.__setattr__(self, name, value)


def checked(x: Any) -> Any:
    one = Checked()
    one.a = 3
    one.c = x
    return one.a + one.c


def checked_wrong(x: Any) -> Any:
    one = Checked()
    try:
        one.b = x
    except AttributeError as e:
        return str(e), one
    return one


class Answering:
    def __init__(self, value: Any) -> None:
        self._value = value

    @property
    def doubled(self) -> Any:
        return self._value * 2

    @property
    def missing(self) -> Any:
        return self._value.missing

    def __getattr__(self, name: str) -> Any:
        return f"no {name}"


def answered(x: Any) -> Any:
    one = Answering(3)
    return one.doubled + x, one.other, one.missing


def answered_open(x: Any) -> Any:
    one = Answering(x)
    return one.doubled, one.missing


put = object.__setattr__.__get__


class Frozen:
    __slots__ = ("items", "number")

    def __init__(self, items: Any, number: Any) -> None:
        store = put(self)
        store("items", items)
        store("number", number)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(name)


class Schema:
    def __init__(self, names: list[str]) -> None:
        self.names = names

    def frozen(self, x: Any) -> Any:
        one = Frozen(self.names, 7)
        return [x[name] for name in one.items if one.number == 7]

    def frozen_given(self, x: Any) -> Any:
        return Frozen(self.names, x)

    def check(self, x: Any) -> Any:
        if not isinstance(x, dict):
            raise Invalid("no dict", schema=self)
        return [x[name] for name in self.names]

    def one(self, x: Any) -> Any:
        if not isinstance(x, int):
            raise Invalid("no int", schema=self)
        return x

    def caught(self, data: Any) -> Any:
        errors: list[Any] = []
        for x in data:
            try:
                self.one(x)
            except Invalid as e:
                errors.append(e)
        return [error.text for error in errors], [name.upper() for name in self.names]

    def raised_again(self, data: Any) -> Any:
        found = {}
        for name in self.names:
            try:
                found[name] = self.one(data[name])
            except Invalid:
                raise
            except KeyError:
                found[name] = None
        return found


class Invalid(Exception):
    def __init__(self, text: str, schema: Any = None) -> None:
        Exception.__init__(self, text)
        self.text, self.schema = text, schema

    def __str__(self) -> str:
        return f"{self.text}!"


class Base:
    def __init_subclass__(cls) -> None:
        def evolve(self: Any) -> Any:
            cls = self.__class__
            cls.last = self
            return cls

        cls.evolve = evolve


class Sub(Base):
    def __init__(self) -> None:
        self.keys = ["a", "b"]

    def evolve_(self) -> int:
        return 3

    def look(self, x: Any) -> Any:
        return [x[key] for key in self.keys]


DICTS: list[Any] = [{"a": 1, "b": 2, "c": "x"}, {"a": None}, {}, 5, None, {"a": "x", "b": 2}]
CASES: list[tuple[str, Callable[[], Any], list[tuple[Any, ...]], tuple[str, ...]]] = [
    ("known", lambda: Machine().known, [("a", 1), ("z", 1), (1, 2), ([], 1)], ("value", "names")),
    ("known, ordered", lambda: Machine(OrderedDict).known, [("a", 1), ("z", 1), (1, 2), ([], 1)], ("value", "names")),
    ("walked", lambda: Machine().walked, [(0,), (1,), ("x",)], ("states", "value")),
    ("chosen", lambda: Machine().chosen, [("a", 2), ("c", 3), ("z", 1), ([], 1)], ("self",)),
    ("chosen, ordered", lambda: Machine(OrderedDict).chosen, [("a", 2), ("c", 3), ("z", 1), ([], 1)], ("self",)),
    ("in context", lambda: in_context, [(1,), (2.5,), ("x",)], ("Context",)),
    ("context given", lambda: context_given, [(1,), (None,)], ("__setattr__",)),
    ("checked", lambda: checked, [(1,), ("x",)], ("Checked", "allowed")),
    ("checked wrong", lambda: checked_wrong, [(1,)], ("allowed",)),
    ("answered", lambda: answered, [(1,), ("x",)], ("Answering", "_value")),
    ("answered open", lambda: answered_open, [(1,), ("x",), (None,)], ("Answering",)),
    ("frozen", lambda: Schema(["a", "b"]).frozen, [(one,) for one in DICTS], ("Frozen", "names", "for")),
    ("frozen given", lambda: Schema(["a", "b"]).frozen_given, [(3,)], ("put",)),
    ("check", lambda: Schema(["a", "b"]).check, [(one,) for one in DICTS], ("names", "for")),
    ("caught", lambda: Schema(["a", "b"]).caught, [([],), ([1, "x", None],)], ("schema.one",)),
    ("raised again", lambda: Schema(["a", "b"]).raised_again, [(one,) for one in DICTS], ("names", "for")),
    ("look", lambda: Sub().look, [(one,) for one in DICTS], ("keys", "for")),
]


def told(result: Any) -> str:
    return str(result).replace(hex(id(result)), "")


@pytest.mark.parametrize(("make", "inputs", "gone"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_nothing_is_given_away(make: Callable[[], Any], inputs: list[tuple[Any, ...]], gone: tuple[str, ...]) -> None:
    subject = make()
    for residual in (TRUSTING(make()), specialize(make())):
        assert not residual.stats["fallbacks"]
        for given in inputs:
            want, have = outcome(subject, *given), outcome(residual, *given)
            assert type(want) is type(have) and repr(want).split(" at 0x")[0] == repr(have).split(" at 0x")[0], given
    source = TRUSTING(make()).source
    assert not [name for name in gone if name in source], source


def test_what_is_made_has_its_attributes() -> None:
    made = specialize(context_given)(5)
    assert type(made) is Context and made == {"x": 5} and vars(made) == {}
    frozen = specialize(Schema(["a"]).frozen_given)(6)
    assert type(frozen) is Frozen and (frozen.items, frozen.number) == (["a"], 6)
    _, one = specialize(checked_wrong)(3)
    assert type(one) is Checked and vars(one) == {}


# -- where code does look


class Key:
    """Equal to "b", and changes the machine when asked."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def __hash__(self) -> int:
        return hash("b")

    def __eq__(self, other: object) -> bool:
        self.machine.states["b"].value += 100
        return other == "b"


class Telling:
    """A value that is asked for its truth, or compared."""

    def __init__(self, owner: list[Any]) -> None:
        self.owner = owner

    def __bool__(self) -> bool:
        self.owner[0] += 1
        return True

    def __eq__(self, other: object) -> bool:
        self.owner[0] += 10
        return False

    __hash__ = object.__hash__


def compares(held: list[Any], counts: list[Any], x: Any) -> Any:
    first = counts[0]
    found = x in held
    return first, found, counts[0]


class Counting:
    """Counts how often it is compared."""

    def __init__(self, counts: list[Any]) -> None:
        self.counts = counts

    def __eq__(self, other: object) -> bool:
        self.counts[0] += 1
        return False

    def __lt__(self, other: object) -> bool:
        self.counts[0] += 100
        return False

    def __repr__(self) -> str:
        self.counts[0] += 1000
        return "counting"

    __hash__ = object.__hash__


def inside_of_dicts(held: Any, counts: list[Any], x: Any) -> Any:
    first = counts[0]
    found = [x in (held, {"b": 1}), x == held, {"a": x["a"]} == held, f"{held}" != "", x in [held, 3]]
    return first, found, counts[0]


def largest(held: list[Any], counts: list[Any], x: Any) -> Any:
    first = counts[0]
    return first, max(held) is held[0], counts[0], [*map(str, held)], counts[0], sorted(held) == [], counts[0], x


def searched(held: list[Any], counts: list[Any], x: Any) -> Any:
    first = counts[0]
    return first, held.count(x), counts[0], {"a": held}.get("b", x), counts[0]


@pytest.mark.parametrize("subject", [inside_of_dicts, largest, searched])
def test_what_containers_compare_is_asked(subject: Any) -> None:
    def given() -> tuple[Any, list[Any]]:
        counts = [3]
        items = [Counting(counts), Counting(counts)]
        return ({"a": items[0]} if subject is inside_of_dicts else items), counts

    static, counts = given()
    residual = specialize(subject, held=static, counts=counts)
    other, others = given()
    for x in ({"a": Counting([5])}, {"a": 3}):
        assert repr(residual(x)) == repr(subject(other, others, x))


def looks_up(table: Any, counts: list[Any], x: Any) -> Any:
    first = counts[0]
    found = x in table
    return first, found, counts[0], table.get(x, 7), counts[0]


def test_keys_that_are_compared_are_asked() -> None:
    static, other = [3], [3]

    class Same:
        def __init__(self, counts: list[Any]) -> None:
            self.counts = counts

        def __hash__(self) -> int:
            return 5

        def __eq__(self, one: object) -> bool:
            self.counts[0] += 1
            return False

    residual = specialize(looks_up, table={Same(static): 1}, counts=static)
    for x in (5, 5, 6):
        assert residual(x) == looks_up({Same(other): 1}, other, x)


def asks_truth(held: list[Any], counts: list[Any], x: Any) -> Any:
    first = counts[0]
    found = [1 for one in held if one]
    return first, found, counts[0], x


def test_items_that_are_compared_or_tested_are_asked() -> None:
    for subject in (compares, asks_truth):
        given, other = [3], [3]
        residual = specialize(subject, held=[Telling(given)], counts=given)
        for x in (1, 2):
            assert residual(x) == subject([Telling(other)], other, x)


def handles(schema: Any, x: Any, f: Any) -> Any:
    before = schema.names[0]
    try:
        schema.one(x)
    except Invalid:
        f()
    return before, schema.names[0]


def handles_deeper(schema: Any, x: Any, f: Any) -> Any:
    before = schema.names[0]

    def inner(value: Any) -> Any:
        return f(), value

    try:
        schema.one(x)
    except Invalid:
        inner(x)
    return before, schema.names[0]


def gives_the_exception(schema: Any, x: Any, f: Any) -> Any:
    before = schema.names[0]
    errors: list[Any] = []
    try:
        schema.one(x)
    except Invalid as e:
        errors.append(e)
    f(errors)
    return before, schema.names[0]


def change(errors: Any = None) -> None:
    error = sys.exc_info()[1] if errors is None else errors[0] if errors else None
    if isinstance(error, Invalid):
        error.schema.names = ["changed"]


@pytest.mark.parametrize("subject", [handles, handles_deeper, gives_the_exception])
def test_who_can_get_the_exception_can_change_what_it_holds(subject: Any) -> None:
    residual = specialize(subject, schema=Schema(["a"]))
    want = Schema(["a"])
    for x in (1, "x", 2):
        assert residual(x, change) == subject(want, x, change)


class Walked:
    """Is counted when somebody walks over it."""

    def __init__(self) -> None:
        self.n = 0

    def __iter__(self) -> Any:
        self.n += 1
        return iter([self.n])


def spliced(one: Any, xs: Any, k: Any) -> Any:
    before = one.n
    xs[k:] = one
    return before, one.n, xs


def test_what_is_put_into_a_slice_is_walked_over() -> None:
    residual, other = specialize(spliced, one=Walked()), Walked()
    for _ in range(2):
        assert residual([1, 2], 1) == spliced(other, [1, 2], 1)


class Odd:
    """Special methods that are no plain functions."""

    def __init__(self) -> None:
        self.n = 0

    @property
    def __bool__(self) -> Any:
        def asked() -> bool:
            self.n += 1
            return True

        return asked

    @functools.lru_cache(maxsize=None)  # noqa: B019, UP033 - it is no plain function
    def __len__(self) -> int:
        self.n += 10
        return 3


def of_odd(table: Any, one: Any, k: Any) -> Any:
    before = one.n
    found = 1 if table[k] else 2
    return before, found, one.n


def test_special_methods_of_all_kinds_are_code() -> None:
    one, other = Odd(), Odd()
    residual = specialize(of_odd, table={"a": one}, one=one)
    for _ in range(2):
        assert residual("a") == of_odd({"a": other}, other, "a")


def of_defaults(tables: Any, k: Any, j: Any) -> Any:
    tables[k][j].append(j)
    return len(tables[0]), 5 in tables[0], tables[k][j]


def test_reading_a_dict_with_defaults_adds_to_it() -> None:
    static, other = [[defaultdict(list), defaultdict(list)] for _ in range(2)]
    residual = specialize(of_defaults, tables=static)
    for k, j in ((0, 1), (1, 5), (0, 5), (0, 5)):
        assert residual(k, j) == of_defaults(other, k, j)


class Grows:
    """Adds to what it is compared with."""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list):
            other.append(1)
        return False

    __hash__ = None  # type: ignore[assignment]


def nested(held: Any, j: Any, k: Any) -> Any:
    before = len(held[0][0][0])
    return before, [k] in held[j], len(held[0][0][0])


def test_what_is_in_a_list_that_is_looked_for_sees_the_items() -> None:
    residual, other = specialize(nested, held=[[[[1]]]]), [[[[1]]]]
    for _ in range(2):
        assert residual(0, Grows()) == nested(other, 0, Grows())


def test_classes_of_texts_have_code() -> None:
    space: dict[str, Any] = {}
    exec("class X:\n def __init__(self): self.n = 0\n def __bool__(self):\n  self.n += 1\n  return True\n", space)
    one, other = space["X"](), space["X"]()
    residual = specialize(of_odd, table={"a": one}, one=one)
    for _ in range(2):
        assert residual("a") == of_odd({"a": other}, other, "a")


BOUND = object.__setattr__.__get__


class Sealed:
    """Fills its objects as frozen classes do."""

    x: Any
    y: Any

    def __init__(self, x: Any) -> None:
        put = BOUND(self)
        put("x", x)
        put("y", x + 1)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(name)


def filled(x: Any) -> Any:
    made = Sealed(x)
    return made.x * made.y


def handed_on(use: Any, x: Any) -> Any:
    made = State("a", x)
    put = BOUND(made)
    use(put)
    return made.value, type(put)


def returned(x: Any) -> Any:
    return BOUND(State("a", x))


def test_a_bound_slot_that_is_only_called_needs_no_object() -> None:
    residual = specialize(filled)
    assert "__setattr__" not in residual.source and "Sealed" not in residual.source, residual.source
    for x in (3, 1.5, "a", None):
        assert outcome(residual, x) == outcome(filled, x)


def test_a_bound_slot_that_others_see_is_one() -> None:
    residual = specialize(handed_on)

    def use(put: Any) -> None:
        put("value", type(put).__name__)

    assert residual(use, 1) == handed_on(use, 1) == ("method-wrapper", type(object().__setattr__))
    assert type(specialize(returned)(1)) is type(returned(1))
