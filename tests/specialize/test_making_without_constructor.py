"""Objects that `object.__new__` makes: as virtual as those of the constructor, and as real when they escape."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import abc
import copy
import dataclasses
import enum
import fractions
import functools
import math
import typing
from typing import Any, NamedTuple

import pytest

from .specializing import source_of, specialize, stats_of, words


class Length:
    unit = "m"

    def __init__(self, value, rate):
        self.value = value
        self.rate = rate

    @classmethod
    def from_parts(cls, whole, part):
        new = cls.__new__(cls)
        new.value = whole + part
        new.rate = 2
        return new

    def raw(self, value):
        new = object.__new__(Length)
        new.value = value
        new.rate = self.rate
        return new

    def of_own_class(self, value):
        new = type(self).__new__(self.__class__)
        new.value, new.rate = value, self.rate
        return new

    def copied(self):
        new = Length.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def doubled(self):
        return self.raw(self.value * self.rate)

    def __add__(self, other):
        if not isinstance(other, Length):
            return NotImplemented
        return self.raw(self.value + other.value)

    def __eq__(self, other):
        return isinstance(other, Length) and (self.value, self.rate) == (other.value, other.rate)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self):
        return f"Length({self.value!r}, {self.rate!r})"


class Longer(Length):
    def doubled(self):
        return "longer", super().doubled()


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def moved(self, by):
        new = Slotted.__new__(Slotted)
        new.x = self.x + by
        new.y = self.y
        return new


class Half(Slotted):
    __slots__ = ("z",)


class Open(Slotted):
    pass


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Any
    y: Any = 3

    def replaced(self, x):
        new = object.__new__(type(self))
        object.__setattr__(new, "x", x)
        object.__setattr__(new, "y", self.y)
        return new


@dataclasses.dataclass
class Data:
    x: Any
    y: Any = 3


@dataclasses.dataclass
class Noted:
    x: Any
    y: Any = 3

    def __new__(cls, x, y=3):
        made = super().__new__(cls)
        LOG.append(("made", x))
        return made


LOG: list[Any] = []


class Value:
    """It cannot be changed."""

    __slots__ = ("x",)

    def __new__(cls, x):
        self = super().__new__(cls)
        object.__setattr__(self, "x", x)
        return self

    def __setattr__(self, name, value):
        raise AttributeError(f"{name} is fixed")

    def next(self):
        return Value(self.x + 1)

    def __repr__(self):
        return f"Value({self.x!r})"


class Interned:
    known: typing.ClassVar[dict[Any, Any]] = {}

    def __new__(cls, key):
        if key in cls.known:
            return cls.known[key]
        self = cls.known[key] = object.__new__(cls)
        self.key = key
        return self


class Other:
    """It gives anything."""

    def __new__(cls, x, /, *more, y=2, **named):
        if x == 1:
            return Value(x)
        if x is None:
            return None
        if x == 3:
            raise KeyError(x)
        self = object.__new__(cls)
        self.x, self.y, self.more, self.named = x, y, more, named
        return self


class Shape:
    def __new__(cls, kind, *rest):
        return object.__new__(Round if kind == "b" else cls)


class Round(Shape):
    def __init__(self, *given):
        self.given = given


class Handed:
    def __new__(cls, x):
        made = super().__new__(cls)
        made.x = x
        return made

    def next(self):
        return type(self)(self.x + 1)


class Inheriting(Handed):
    def both(self):
        return self.x, Handed(self.x).next(), super().next()


class Counting:
    def __new__(cls, x):
        LOG.append(x)
        made = super().__new__(cls)
        made.x = x + 1
        return made


class Singleton:
    only = None

    def __new__(cls):
        if cls.only is None:
            cls.only = super().__new__(cls)
        return cls.only


class Base(abc.ABC):
    @abc.abstractmethod
    def area(self): ...


class Square(Base):
    def area(self):
        return self.side * self.side  # type: ignore[attr-defined]


class Answering:
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return "no " + name


class Checked:
    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        if value is None:
            raise ValueError("nothing")
        self._x = value


class Storing:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, ("stored", value))


class Unlooked:
    def __getattribute__(self, name):
        return "looked", name


class Taking:
    def __init__(self, x):
        self.x = x


class Both:
    def __new__(cls, *args):
        return super().__new__(cls)

    def __init__(self, *args):
        self.args = args


class Meta(type):
    def __call__(cls, *args):
        return "called", args


class Called(metaclass=Meta):
    pass


class Text(str):
    pass


class Table(dict):  # type: ignore[type-arg]
    pass


class Pair(NamedTuple):
    x: Any
    y: Any


class Colour(enum.Enum):
    RED = 1


class Box(typing.Generic[typing.TypeVar("T")]):  # type: ignore[misc]
    pass


class Proto(typing.Protocol):
    x: int


VALUES: list[Any] = [
    *(0, 3, -1, True, 2.5, -0.0, math.nan, 10**30, "a", b"b", None, (), [1], {"a": 1}, 2j, object, len, int),
    *(Length(1, 2), Longer(3, 4), Slotted(1, 2), Frozen(1), Value(2)),
]


def seen(value, depth=0):
    """What can be told of an object: its class, and its attributes in their order."""
    kind = type(value)
    if depth > 4:
        return kind
    if kind in (list, tuple):
        return kind, [seen(item, depth + 1) for item in value]
    if issubclass(kind, dict):
        return kind, [(seen(key), seen(item, depth + 1)) for key, item in value.items()], _attributes(value, depth)
    if kind.__module__ == __name__:
        return kind, _attributes(value, depth)
    return kind, repr(value)


def _attributes(value, depth):
    try:
        own = [(name, seen(item, depth + 1)) for name, item in object.__getattribute__(value, "__dict__").items()]
    except AttributeError:
        own = []
    slots = [name for base in type(value).__mro__ for name in base.__dict__.get("__slots__", ())]
    for name in slots if isinstance(slots, list) else ():
        try:
            own.append((name, seen(object.__getattribute__(value, name), depth + 1)))
        except AttributeError:
            own.append((name, "unset"))
    return own


def said(function, *args):
    LOG.clear()
    try:
        found = seen(function(*args))
    except Exception as error:
        found = type(error), str(error)
    return found, list(LOG)


def store(target, **attributes):
    for name, value in attributes.items():
        object.__setattr__(target, name, value)
    return target


def built(k, t):
    new = object.__new__(Length)
    new.value = t
    new.rate = k
    if t:
        return new.doubled().doubled()
    return new


def in_loop(k, t):
    made = Length(k, 2)
    for _ in range(3):
        made = made.raw(made.value + t)
    return made.value, made


def open_loop(k, t):
    made = Length(k, 2)
    for step in t:
        made = made.raw(made.value + step)
    return made


def escapes_early(k, t):
    new = object.__new__(Length)
    LOG.append(new)
    new.value = k
    new.rate = t
    found = LOG[0].value, new == LOG[0], new.doubled()
    LOG.clear()
    return found


def holds_itself(k, t):
    new = object.__new__(Length)
    new.value = new
    new.rate = t
    return new.value is new, new.value.value.rate, new


def unset(k, t):
    new = object.__new__(Slotted)
    new.x = t
    return new.x, new.y


def unset_of_dict(k, t):
    new = object.__new__(Length)
    new.value = t
    return new.doubled()


def class_attribute(k, t):
    new = object.__new__(Length)
    before = new.unit
    new.unit = t
    return before, new.unit, Length.unit, new


def deleted(k, t):
    new = object.__new__(Length)
    new.rate = k
    new.value = t
    del new.rate
    new.rate = t
    return new


def not_in_slots(k, t):
    new = object.__new__(Slotted)
    new.z = t  # type: ignore[attr-defined]
    return new


def caught(k, t):
    new = object.__new__(Slotted)
    try:
        new.x = t + k
    except TypeError:
        LOG.append("bad")
    return new, hasattr(new, "x"), getattr(new, "x", "none")


def initialized_later(k, t):
    new = Length.__new__(Length)
    new.__init__(t, k)  # type: ignore[misc]
    return new.value, new


def initialized_twice(k, t):
    new = Length(k, k)
    Length.__init__(new, t, k)
    return new


def chosen(k, t):
    cls = Length if t else Longer
    new = cls.__new__(cls)
    new.value, new.rate = k, t
    return new.doubled()


def open_class(k, t):
    return type(object.__new__(t))


def kept_in_list(k, t):
    made = [Length.from_parts(t, n) for n in (k, k + 1)]
    return [one.doubled().value for one in made], made[0]


def identity(k, t):
    first, second = object.__new__(Length), object.__new__(Length)
    first.value = second.value = t
    first.rate = second.rate = k
    return first is second, first == second, first is first, [first, second]


def class_changed(k, t):
    new = object.__new__(Length)
    new.value, new.rate = t, k
    new.__class__ = Longer
    return new.doubled(), new


def table(k, t):
    new = Table.__new__(Table)
    new[k] = t
    new.name = t
    return new, new[k], len(new), new.name


def table_of_dict(k, t):
    new = dict.__new__(Table)
    new["a"] = t
    return new.get("a"), new


def noted(k, t):
    new = object.__new__(Noted)
    new.x = t
    new.y = k
    return new


def out_of_order(k, t):
    new = object.__new__(Data)
    new.y = t
    new.x = k
    return new, new == Data(k, t), repr(new)


def filled_by_name(k, t):
    new = object.__new__(Length)
    for name in ("value", "rate"):
        setattr(new, name, t)
    return new.doubled(), vars(new) == {"value": t, "rate": t}


def pattern(k, t):
    new = object.__new__(Frozen)
    object.__setattr__(new, "x", k)
    object.__setattr__(new, "y", t)
    match new:
        case Frozen(1, y):
            return "one", y
        case Frozen(x, y):
            return x, y, new


def frozen_store(k, t):
    new = object.__new__(Frozen)
    new.x = t  # type: ignore[misc]
    return new


def answered(k, t):
    new = object.__new__(Answering)
    before = new.name
    new.name = t
    return before, new.name, new.other, new


def answered_not(k, t):
    return object.__new__(Answering)._name


def by_property(k, t):
    new = object.__new__(Checked)
    new.x = t
    return new.x, new


def by_property_unset(k, t):
    return object.__new__(Checked).x


def stored_through(k, t):
    new = object.__new__(Storing)
    new.x = t
    return new.x, new


def unlooked(k, t):
    new = object.__new__(Unlooked)
    new.x = t
    return new.x


def generated(k, t):
    def parts():
        new = object.__new__(Length)
        new.value = t
        yield new
        new.rate = k
        yield new.doubled()

    return list(parts())


def in_closure(k, t):
    new = object.__new__(Length)
    new.rate = k

    def put(value):
        new.value = value
        return new

    return put(t).doubled(), [put(n).value for n in (t, k)], new


FUNCTIONS: list[Any] = [
    built, in_loop, open_loop, escapes_early, holds_itself, unset, unset_of_dict, class_attribute, deleted,
    not_in_slots, caught, initialized_later, initialized_twice, chosen, open_class, kept_in_list, identity,
    class_changed, table, table_of_dict, noted, out_of_order, filled_by_name, pattern, frozen_store, answered,
    answered_not, by_property, by_property_unset, stored_through, unlooked, generated, in_closure,
    lambda k, t: Length(k, 2).raw(t).doubled().value,
    lambda k, t: Length.from_parts(k, t).doubled(),
    lambda k, t: Longer.from_parts(k, t).doubled(),
    lambda k, t: Longer(k, 2).of_own_class(t).doubled(),
    lambda k, t: Length(k, t).copied() == Length(k, t),
    lambda k, t: Longer(k, t).copied(),
    lambda k, t: Length(k, 2) + Length(t, k) + Length(k, k),
    lambda k, t: Slotted(k, k).moved(t).moved(k).x,
    lambda k, t: Slotted(k, k).moved(t),
    lambda k, t: store(object.__new__(Half), z=t, y=k),
    lambda k, t: store(object.__new__(Open), x=t, w=k),
    lambda k, t: store(object.__new__(Slotted), w=t),
    lambda k, t: Frozen(k).replaced(t).replaced(k).replaced(t),
    lambda k, t: Frozen(k).replaced(t) == Frozen(t),
    lambda k, t: hash(Frozen(k).replaced(t)) == hash(Frozen(t)),
    lambda k, t: copy.copy(store(object.__new__(Length), value=t)),
    lambda k, t: store(object.__new__(Data), x=t),
    lambda k, t: store(object.__new__(Data), x=t, y=k),
    lambda k, t: store(object.__new__(Data), x=t, y=k, z=k),
    lambda k, t: Value(t).next().next(),
    lambda k, t: Value(k).next().x + t,
    lambda k, t: Value(t).__setattr__("x", k),
    lambda k, t: Value(),
    lambda k, t: Value(k, t),
    lambda k, t: Value(x=t).next(),
    lambda k, t: Value(y=t),
    lambda k, t: Value.__new__(Value, t).next(),
    lambda k, t: Inheriting(t).both(),
    lambda k, t: Inheriting(k).next().x,
    lambda k, t: (Interned(k).key, Interned(k) is Interned(k), Interned("t").key, t),
    lambda k, t: Interned(t),
    lambda k, t: (Other(k), Other(k, t), Other(k, t, t, y=t, z=k)),
    lambda k, t: (Other(t), Other(t, k), Other(t, *[k, t], y=t, q=k)),
    lambda k, t: Other(k, x=t),
    lambda k, t: Other(),
    lambda k, t: type(Other(k)) is Value,
    lambda k, t: (Shape(k, t), Shape(t, k)),
    lambda k, t: (Round(k, t), Round(t)),
    lambda k, t: (Counting(k), Counting(t)),
    lambda k, t: (Singleton() is Singleton(), type(Singleton()), t),
    lambda k, t: Singleton(t),
    lambda k, t: [Value(n).next() for n in (k, t, 1)],
    lambda k, t: list(map(Value, (k, t))),
    lambda k, t: sum([Value(n).next().x for n in range(min(t, 5))]),
    lambda k, t: Both(k, t).args,
    lambda k, t: Both.__new__(Both, k, t),
    lambda k, t: Noted(t, k),
    lambda k, t: store(object.__new__(Square), side=t).area(),
    lambda k, t: Square.__new__(Square),
    lambda k, t: object.__new__(Base),
    lambda k, t: Base.__new__(Base),
    lambda k, t: object.__new__(Length, t),
    lambda k, t: object.__new__(Length, value=t),
    lambda k, t: object.__new__(Slotted, k, t),
    lambda k, t: object.__new__(Value, t),
    lambda k, t: object.__new__(Answering, t),
    lambda k, t: Answering.__new__(Answering, t),
    lambda k, t: Taking.__new__(Taking, t),
    lambda k, t: Taking.__new__(Taking, *[t, k]),
    lambda k, t: Taking.__new__(*[Taking]),
    lambda k, t: object.__new__(int),
    lambda k, t: object.__new__(Text),
    lambda k, t: object.__new__(Table),
    lambda k, t: object.__new__(Pair),
    lambda k, t: object.__new__(type),
    lambda k, t: object.__new__(Meta),
    lambda k, t: object.__new__(ValueError),
    lambda k, t: object.__new__(functools.partial),
    lambda k, t: type(object.__new__(Colour)),
    lambda k, t: store(object.__new__(Called), x=t),
    lambda k, t: store(object.__new__(Box), x=t),
    lambda k, t: store(Box.__new__(Box), x=t),
    lambda k, t: object.__new__(Proto),
    lambda k, t: type(object.__new__(object)),
    lambda k, t: object.__new__(),
    lambda k, t: Length.__new__(),
    lambda k, t: Length.__new__(5),
    lambda k, t: Length.__new__(t),
    lambda k, t: Length.__new__(None, t),
    lambda k, t: Length.__new__(Slotted),
    lambda k, t: Length.__new__(int),
    lambda k, t: Text.__new__(Text, t),
    lambda k, t: Text.__new__(Length),
    lambda k, t: dict.__new__(Length),
    lambda k, t: dict.__new__(Table, t),
    lambda k, t: dict.__new__(dict),
    lambda k, t: object.__new__(cls=Length),
    lambda k, t: isinstance(object.__new__(Longer), Length),
    lambda k, t: type(object.__new__(Longer)).__name__ + str(t),
    lambda k, t: bool(object.__new__(Length)),
    lambda k, t: Length(t, k).of_own_class(object.__new__(Slotted)),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(FUNCTIONS)))
@pytest.mark.parametrize("k", [1, "b", None])
def test_it_is_as_the_original(at, k):
    function = FUNCTIONS[at]
    residual = specialize(function, k)
    for value in VALUES:
        assert said(residual, value) == said(function, k, value), (value, source_of(residual))


@pytest.mark.parametrize("at", range(len(FUNCTIONS)))
def test_open_from_the_start(at):
    function = FUNCTIONS[at]
    residual = specialize(function)
    for value in VALUES:
        for k in (1, 2.5, "a", None):
            assert said(residual, k, value) == said(function, k, value), (k, value, source_of(residual))


def chain_of_raw(t):
    made = Length(1, 2)
    for step in (1, 2, 3):
        made = made.raw(made.value + step).doubled()
    return made.value + t


def parts(t):
    return sum([Length.from_parts(n, t).doubled().value for n in range(6)])


def of_own_classes(t):
    made = Longer(1, 2)
    for step in (1, 2, 3):
        made = made.of_own_class(made.value * step + t)
    return made.value


def slots(t):
    made = Slotted(1, 2)
    for step in (1, 2, 3):
        made = made.moved(step * t)
    return made.x


def frozen(t):
    made = Frozen(1)
    for step in (1, 2, 3):
        made = made.replaced((made.x, step, t))
    return made.x


def added(t):
    return (Length(1, 2) + Length(t, 2) + Length(3, 4) + Length(t, t)).value


def stored(t):
    made = Value.__new__(Value, 1)
    for step in (1, 2, 3):
        made = Value.__new__(Value, made.x * step + t)
    return made.x


def called(t):
    made = Value(1)
    for step in (1, 2, 3):
        made = Value(made.x * step + t).next()
    return made.x


INSIDE = [chain_of_raw, parts, of_own_classes, slots, frozen, added, stored, called]


@pytest.mark.parametrize("function", INSIDE)
def test_nothing_is_left_of_objects_that_stay_inside(function):
    residual = specialize(function)
    source = source_of(residual)
    assert not {"__new__", "new", "Length", "Slotted", "Frozen", "Value"} & words(residual), source
    assert not stats_of(residual)["notes"] and not stats_of(residual)["fallbacks"], source
    for value in VALUES:
        assert said(residual, value) == said(function, value)


def test_it_is_made_once_and_where_it_escapes():
    residual = specialize(built, 2)
    assert source_of(residual).count("__new__") == 2, source_of(residual)
    assert "doubled" not in source_of(residual)


def test_a_left_call_gives_an_object_of_the_class():
    """The store is not believed to be one to a class, of which something was read."""

    def left(t):
        new = object.__new__(Taking, t)
        new.x = t
        return Length(1, 2).raw(t).rate, new.x

    residual = specialize(left)
    assert residual(3) == left(3) == (2, 3)
    assert "FT305" not in stats_of(residual)["notes"], source_of(residual)


def test_a_store_on_an_unknown_object_says_so():
    def stored(t):
        rate = Length(1, 2).raw(3).unit
        t.unit = "s"
        return rate, t.unit

    residual = specialize(stored)
    assert residual(Length(1, 2)) == ("m", "s")
    told = [event.reason for event in residual.events if event.code == "FT305"]  # type: ignore[attr-defined]
    assert told == ["attribute `unit` of what may be a class or a function is written after it was read"]


def test_a_finalizer_runs_in_time():
    class Closing:
        def __del__(self):
            LOG.append("closed")

    def used(t):
        new = object.__new__(Closing)
        new.x = t  # type: ignore[attr-defined]
        del new
        LOG.append(t)

    residual = specialize(used)
    assert said(residual, 3) == said(used, 3)


def called_in_turn(cls, t):
    made = cls(1)
    for step in (1, 2, 3):
        made = cls(made.x * step + t)
    return made.x


def leaf():
    class Leaf:
        def __new__(cls, x):
            made = super().__new__(cls)
            made.x = x
            return made

    return Leaf


def test_a_class_is_called_as_its_own_maker():
    Leaf = leaf()
    residual = specialize(called_in_turn, Leaf)
    assert not {"Leaf", "__new__", "cls"} & words(residual), source_of(residual)
    assert residual(3) == called_in_turn(Leaf, 3)

    class Below(Leaf):
        def __init__(self, x):
            self.x = x * 7

    change(Leaf, __new__=lambda cls, x: object.__new__(Below))
    assert said(residual, 3) == said(called_in_turn, Leaf, 3)


def test_a_subclass_that_comes_later_has_an_initializer():
    below = {}

    class Dispatching:
        def __new__(cls, x):
            made = object.__new__(below.get("class", cls))
            made.x = x
            return made

    residual = specialize(called_in_turn, Dispatching)
    assert residual(3) == called_in_turn(Dispatching, 3)

    class Below(Dispatching):
        def __init__(self, x):
            self.x = x * 7

    below["class"] = Below
    assert residual(3) == called_in_turn(Dispatching, 3)


def change(cls, **attributes):
    """The text of this module stores no `__new__`."""
    for name, value in attributes.items():
        setattr(cls, name, value)


def test_the_class_may_change_afterwards():
    class Changing:
        def __init__(self):
            self.x = 1

    def used(t):
        new = Changing.__new__(Changing)
        new.x = t
        return new.x, new.late  # type: ignore[attr-defined]

    residual = specialize(used)
    assert said(residual, 3)[0][0] is AttributeError
    change(Changing, late=5)
    assert residual(3) == (3, 5)
    change(Changing, x=property(lambda self: 9, lambda self, value: None))
    assert residual(3) == (9, 5)
    change(Changing, __new__=lambda cls: Length(4, 4))
    assert said(residual, 3) == said(used, 3)


def test_a_property_that_comes_later_under_a_name_that_is_only_stored():
    class Stored:
        pass

    def used(t):
        object.__setattr__(object.__new__(Stored), "x", t)
        return t

    residual = specialize(used)
    assert residual(3) == 3
    change(Stored, x=property(lambda self: 9))
    assert said(residual, 3) == said(used, 3)
    assert said(used, 3)[0][0] is AttributeError


def test_a_dataclass_may_get_another_constructor():
    @dataclasses.dataclass
    class Changing:
        x: Any
        y: Any

    def used(t):
        new = object.__new__(Changing)
        new.x, new.y = t, 2
        return new

    residual = specialize(used)
    assert residual(3) == Changing(3, 2)
    change(Changing, __init__=lambda self, x, y: LOG.append("constructor"))
    LOG.clear()
    assert residual(3).x == 3 and not LOG


def test_nothing_is_assumed_of_a_maker_that_stays():
    def used(t):
        return fractions.Fraction(3, t) + chain_of_raw(t)

    residual = specialize(used)
    assert residual(2) == used(2)
    assert not any("subclass" in one for one in map(str, residual.assumptions)), residual.assumptions  # type: ignore[attr-defined]
