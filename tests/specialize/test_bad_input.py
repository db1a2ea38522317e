"""Bad input: static values that misbehave, lie, are written although promised, or functions that cannot be read.

    v == x  with a static v whose `__eq__` has effects    ->    the same effects as in the original, none before

Invariant: an effect while specializing fails the test; a refusal carries a code and a place.
"""

from __future__ import annotations

import enum
import functools
from collections import OrderedDict, defaultdict
from typing import Any

import pytest

import futamura
from futamura.errors import FutamuraError

from .bounds import EFFECTS, bounded, right, tried
from .comparing import observe
from .specializing import fallbacks, specialize

# --- values that misbehave ---


class BadEqual:
    __hash__ = object.__hash__

    def __eq__(self, other):
        EFFECTS.append("eq")
        return 7


class BadHash:
    def __hash__(self):
        EFFECTS.append("hash")
        return 1

    def __eq__(self, other):
        EFFECTS.append("eq")
        return self is other


class RaisingHash:
    def __hash__(self):
        EFFECTS.append("hash")
        raise TypeError("no hash today")


class BadGetattr:
    def __getattr__(self, name):
        EFFECTS.append(name)
        if name.startswith("__"):
            raise AttributeError(name)
        return len(name)


class BadGetattribute:
    def __getattribute__(self, name):
        EFFECTS.append(name)
        return object.__getattribute__(self, name)


class BadBool:
    def __bool__(self):
        EFFECTS.append("bool")
        return False


class NoBool:
    def __bool__(self):
        EFFECTS.append("bool")
        return "yes"


class BadLength:
    def __len__(self):
        EFFECTS.append("len")
        return -1


class BadIterator:
    def __iter__(self):
        EFFECTS.append("iter")
        return iter([1, 2])


class BadIndex:
    def __index__(self):
        EFFECTS.append("index")
        return 1


class BadRepr:
    def __repr__(self):
        EFFECTS.append("repr")
        return "<bad>"

    __str__ = __repr__

    def __format__(self, how):
        EFFECTS.append("format")
        return "formatted"


class BadProperty:
    @property
    def value(self):
        EFFECTS.append("property")
        return 5


class BadDescriptor:
    def __get__(self, instance, owner):
        EFFECTS.append("descriptor")
        return 6


class WithDescriptor:
    value = BadDescriptor()


class BadCall:
    def __call__(self, *arguments):
        EFFECTS.append("call")
        return arguments


class BadAdd:
    def __add__(self, other):
        EFFECTS.append("add")
        return 3

    __radd__ = __mul__ = __rmul__ = __add__


class BadContains:
    def __contains__(self, item):
        EFFECTS.append("contains")
        return True


class BadInstanceCheck(type):
    def __instancecheck__(cls, instance):
        EFFECTS.append("instancecheck")
        return True


class Pretender(metaclass=BadInstanceCheck):
    pass


class BadClass:
    @property
    def __class__(self):
        EFFECTS.append("class")
        return int


def equality(v, x):
    return v == x, x == v, v != x, v in [x], [v] == [x]


def hashing(v, x):
    return {v: x}, v in {x: 1}


def attributes(v, x):
    return v.value, getattr(v, "other", x), hasattr(v, "third")


def truth(v, x):
    if v:
        return "true", x
    return not v, v and x, v or x


def length(v, x):
    return len(v), x


def iteration(v, x):
    return [item for item in v], x  # noqa: C416


def index(v, x):
    return x[v], [10, 20][v], range(v)


def text_of(v, x):
    return f"{v}{x}{v!r}{v:>3}", str(v), repr(v), "%s" % v, [v].__repr__()  # noqa: UP031


def calling(v, x):
    return v(x), v(1, 2)


def adding(v, x):
    return v + x, x + v, v * 2, sum([v, v], 0)


def containing(v, x):
    return x in v


def checking(v, x):
    return isinstance(x, v)


def class_of(v, x):
    return isinstance(v, int), v.__class__, type(v).__name__, x


MISBEHAVIOUR = [
    (BadEqual, equality), (BadHash, hashing), (BadHash, equality), (RaisingHash, hashing), (BadGetattr, attributes),
    (BadGetattribute, attributes), (BadBool, truth), (NoBool, truth), (BadLength, length), (BadLength, truth),
    (BadIterator, iteration), (BadIndex, index), (BadRepr, text_of), (BadProperty, attributes),
    (WithDescriptor, attributes), (BadCall, calling), (BadAdd, adding), (BadContains, containing), (BadClass, class_of),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "function"), MISBEHAVIOUR, ids=lambda value: value.__name__)
def test_a_static_value_that_misbehaves(kind: Any, function: Any) -> None:
    right(lambda: {"v": kind()}, function, (1,), ([4, 5, 6],), ("q",))


def test_a_static_class_that_misbehaves() -> None:
    right(lambda: {"v": Pretender}, checking, (1,), (None,))


# --- subclasses of builtin types ---


class LoudInt(int):
    def __add__(self, other):
        EFFECTS.append("add")
        return 100

    def __eq__(self, other):
        EFFECTS.append("eq")
        return True

    def __lt__(self, other):
        EFFECTS.append("lt")
        return True

    def __bool__(self):
        EFFECTS.append("bool")
        return False

    def __hash__(self):
        EFFECTS.append("hash")
        return 0

    def __index__(self):
        EFFECTS.append("index")
        return 0


class LoudList(list):
    def __getitem__(self, index):
        EFFECTS.append("getitem")
        return "item"

    def __len__(self):
        EFFECTS.append("len")
        return 77

    def __iter__(self):
        EFFECTS.append("iter")
        return iter("xyz")

    def append(self, item):
        EFFECTS.append("append")


class LoudDict(dict):
    def __missing__(self, key):
        EFFECTS.append("missing")
        return key

    def __contains__(self, key):
        EFFECTS.append("contains")
        return True

    def get(self, key, default=None):
        EFFECTS.append("get")
        return "got"


class LoudText(str):
    def __eq__(self, other):
        EFFECTS.append("eq")
        return True

    def __add__(self, other):
        EFFECTS.append("add")
        return "sum"

    __hash__ = str.__hash__

    def upper(self):
        EFFECTS.append("upper")
        return "UP"


class LoudTuple(tuple):
    def __getitem__(self, index):
        EFFECTS.append("getitem")
        return "item"

    def __iter__(self):
        EFFECTS.append("iter")
        return iter("pq")


class Weekday(enum.IntEnum):
    MONDAY = 1
    TUESDAY = 2


def use_int(v, x):
    return v + 1, v == 5, v < 5, bool(v), [10, 20, 30][v], x + v if isinstance(x, int) else x, v and 1


def use_list(v, x):
    v.append(x)
    return v[0], len(v), list(v), [*v], sum(len(item) for item in v), bool(v), v == [1, 2]


def use_dict(v, x):
    return v["missing"], x in v, v.get(1), list(v), len(v), {**v}


def use_text(v, x):
    return v == "other", v + "b", v.upper(), f"{v}", v == x, len(v), v in {"abc": 1}


def use_tuple(v, x):
    a, b = v
    return v[0], [*v], a, b, len(v), x in v


def use_day(v, x):
    return v + 1, v == 1, v.name, v is Weekday(x) if x in (1, 2) else x, f"{v}", {v: x}


def use_default(v, x):
    v[x] += 1
    return v[x], dict(v)


def use_ordered(v, x):
    v.move_to_end("a")
    return list(v), x


SUBCLASSES = [
    (lambda: LoudInt(5), use_int), (lambda: LoudList([1, 2]), use_list), (lambda: LoudDict({1: 2}), use_dict),
    (lambda: LoudText("abc"), use_text), (lambda: LoudTuple((1, 2)), use_tuple), (lambda: Weekday.MONDAY, use_day),
    (lambda: True, use_int), (lambda: defaultdict(int, {1: 5}), use_default),
    (lambda: OrderedDict(a=1, b=2), use_ordered),
]  # fmt: skip


@pytest.mark.parametrize(("make", "function"), SUBCLASSES, ids=lambda value: value.__name__)
def test_a_static_subclass_of_a_builtin_type(make: Any, function: Any) -> None:
    right(lambda: {"v": make()}, function, (1,), ("q",), (None,))


def combine(a, b):
    return a + b, a == b, [a], {b: a}, a < b, a * 0, a and b


@pytest.mark.parametrize("dynamic", [LoudInt(3), True, 2.5, Weekday.TUESDAY], ids=lambda v: type(v).__name__)
def test_a_dynamic_subclass_where_the_static_value_is_exact(dynamic: Any) -> None:
    right(lambda: {"a": 1}, combine, (dynamic,))
    right(lambda: {"b": 1}, combine, (dynamic,))


# --- promises that are broken ---


class Settings:
    def __init__(self):
        self.scale = 3
        self.values = [1, 2, 3]


def write_frozen(settings, x):
    before = settings.scale * x
    settings.scale = x
    return before, settings.scale, settings.values


def append_frozen(settings, x):
    first = len(settings.values)
    settings.values.append(x)
    return first, len(settings.values), sum(settings.values)


def clear_frozen(settings, x):
    for value in settings.values:
        if value == x:
            settings.values.clear()
    return settings.values


def rebind_item(settings, x):
    total = settings.values[0]
    settings.values[0] = x
    settings.values[:] = [*settings.values, total]
    del settings.values[1]
    return settings.values


def write_dictionary(settings, x):
    settings["a"] = settings.get("a", 0) + x
    settings.pop("b", None)
    return list(settings.items())


@pytest.mark.parametrize("function", [write_frozen, append_frozen, clear_frozen, rebind_item], ids=lambda f: f.__name__)
def test_a_write_to_a_static_object(function: Any) -> None:
    residual = tried(function, settings=(settings := Settings()))
    if residual is not None:
        twin = Settings()
        for x in (2, 5, 2):
            assert observe(residual(x)) == observe(function(twin, x))
            assert observe(settings) == observe(twin)


def test_a_write_to_a_static_dictionary() -> None:
    table, twin = {"a": 1, "b": 2}, {"a": 1, "b": 2}
    residual = tried(write_dictionary, settings=table)
    if residual is not None:
        for x in (2, 5):
            assert observe(residual(x)) == observe(write_dictionary(twin, x))
            assert observe(table) == observe(twin)


def test_a_write_to_what_is_static_already_needs_no_other_code_if_strict() -> None:
    settings, twin = Settings(), Settings()
    with bounded():
        residual = futamura.Specializer(strict=True)(write_frozen, settings=settings)
    for x in (2, 5, 2):
        assert observe(residual(x)) == observe(write_frozen(twin, x))
        assert observe(settings) == observe(twin)


# --- what cannot be read ---


def without_source() -> Any:
    space: dict[str, Any] = {}
    exec("def hidden(a, b):\n    return a * 2 + b\n", space)
    return space["hidden"]


def test_a_function_without_source() -> None:
    function = without_source()
    residual = tried(function, a=4)
    if residual is not None:
        assert fallbacks(residual) != {}
        assert residual(1) == 9
    with pytest.raises(FutamuraError), bounded():
        futamura.Specializer(strict=True)(function, a=4)


@pytest.mark.parametrize("function", [len, pow, dict.get, "abc".join, int, functools.partial(pow, 2), max])
def test_a_function_that_is_not_written_in_python(function: Any) -> None:
    with bounded():
        try:
            residual = specialize(function)
        except FutamuraError as error:
            assert error.diagnostic.code == "FT101"
        else:
            assert fallbacks(residual) != {}


@pytest.mark.parametrize("thing", [5, "f", None, [], object()], ids=repr)
def test_something_that_is_no_function(thing: Any) -> None:
    with pytest.raises((FutamuraError, TypeError)), bounded():
        specialize(thing)


def reads_its_frame(a, b):
    c = a + 1
    return locals(), b, c


def evaluates(a, b):
    return eval("a + b")


def executes(a, b):
    exec("a = 5")
    return a + b


def lists_names(a, b):
    return dir(), a, b


async def gives_items(a, b):
    yield a + b


def calls_hidden(a, b):
    return HIDDEN(a, b) + a


HIDDEN = without_source()


@pytest.mark.parametrize("function", [reads_its_frame, evaluates, executes, lists_names], ids=lambda f: f.__name__)
def test_a_function_that_reads_its_frame(function: Any) -> None:
    residual = tried(function, a=4)
    if residual is not None:
        assert fallbacks(residual) != {}
        assert observe(residual(3)) == observe(function(4, 3))
    with pytest.raises(FutamuraError) as caught, bounded():
        futamura.Specializer(strict=True)(function, a=4)
    assert caught.value.diagnostic.code == "FT103" and caught.value.diagnostic.line is not None


def test_an_asynchronous_generator() -> None:
    residual = tried(gives_items, a=4)
    if residual is not None:
        assert fallbacks(residual) != {}
    with pytest.raises(FutamuraError) as caught, bounded():
        futamura.Specializer(strict=True)(gives_items, a=4)
    assert caught.value.diagnostic.code == "FT105"


def test_a_call_of_a_function_without_source() -> None:
    residual = tried(calls_hidden, a=4)
    assert residual is not None
    assert residual(1) == 13


@pytest.mark.parametrize("names", [{"c": 1}, {"a": 1, "z": 2}])
def test_a_static_name_that_is_no_parameter(names: dict[str, int]) -> None:
    with pytest.raises((FutamuraError, TypeError)), bounded():
        specialize(combine, **names)
