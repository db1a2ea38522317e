"""Attributes with computed names (`getattr(self, "do_" + command)`): a way for each method that may be meant.

Invariant: whatever the name turns out to be, and whoever gets attributes meanwhile, every call does what the original
would do.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

import pytest

from futamura.embedding import embedded
from futamura.runtime import nothing
from tests.specialize.specializing import source_of, specialize


class Calculator:
    def __init__(self, scale: int) -> None:
        self.scale = scale
        self.rates = {"eur": 2}
        self.do_data = len

    def do_push(self, stack: Any, arg: Any) -> None:
        stack.append(arg * self.scale)

    def do_add(self, stack: Any, arg: Any) -> None:
        stack.append(stack.pop() + stack.pop())

    def do_rate(self, stack: Any, arg: Any) -> None:
        stack.append(stack.pop() * self.rates["eur"])

    def do_rescale(self, stack: Any, arg: Any) -> None:
        self.scale += 1

    def do_learn(self, stack: Any, arg: Any) -> None:
        setattr(self, f"do_{arg}", lambda stack, arg: stack.append(("learnt", arg)))

    @staticmethod
    def do_static(stack: Any, arg: Any) -> None:
        stack.append("static")

    @classmethod
    def do_class(cls, stack: Any, arg: Any) -> None:
        stack.append(cls.__name__)

    @property
    def do_property(self) -> Any:
        self.rates["eur"] += 1
        return lambda stack, arg: stack.append(self.rates["eur"])

    def unknown(self, stack: Any, arg: Any) -> None:
        stack.append(("unknown", arg, self.scale))

    def with_default(self, program: Any) -> Any:
        stack: list[Any] = []
        for name, arg in program:
            getattr(self, "do_" + name, self.unknown)(stack, arg)
        return stack, self.scale

    def with_none(self, program: Any) -> Any:
        stack: list[Any] = []
        for name, arg in program:
            handler = getattr(self, f"do_{name}", None)
            if handler is None:
                raise LookupError(name)
            handler(stack, arg)
        return stack, self.scale

    def without(self, program: Any) -> Any:
        stack: list[Any] = []
        for name, arg in program:
            getattr(self, "do_%s" % name)(stack, arg)  # noqa: UP031
        return stack, self.scale


class Kind(str):
    """Another text for who asks for a name."""

    def __radd__(self, other: str) -> Any:
        return Kind(other + str(self))

    def __format__(self, spec: str) -> str:
        return "add"


class Odd:
    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __radd__(self, other: str) -> Any:
        return 5

    def __eq__(self, other: object) -> bool:
        raise AssertionError("nobody compares it")

    __hash__ = None  # type: ignore[assignment]


PROGRAMS: list[list[Any]] = [
    [],
    [("push", 1), ("push", 2), ("add", 0), ("rate", 0)],
    [("push", 1), ("other", 5), ("push", 3)],
    [("push", 1), ("rescale", 0), ("push", 1), ("other", 0)],
    [("learn", "new"), ("new", 7), ("push", 1), ("new", 8)],
    [("learn", "push"), ("push", 7)],
    [("static", 1), ("class", 1), ("push", 1)],
    [("property", 1), ("push", 1), ("property", 2), ("rate", 0)],
    [("data", 1)],
    [(Kind("push"), 1), (Kind("other"), 2)],
    [(Odd("push"), 1), (Odd("push"), 1)],
    [(5, 1)],
    [("push", 1), ("__class__", 1)],
]


def outcome(run: Callable[..., Any], *args: Any) -> Any:
    try:
        return repr(run(*args))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", ["with_default", "with_none", "without"])
def test_whatever_the_name_is(name: str) -> None:
    one, other = Calculator(3), Calculator(3)
    residual = specialize(getattr(one, name))
    original = getattr(other, name)
    for program in [*PROGRAMS, *PROGRAMS]:
        assert outcome(residual, program) == outcome(original, program), program


@pytest.mark.parametrize("name", ["with_default", "with_none", "without"])
def test_each_alone(name: str) -> None:
    for program in PROGRAMS:
        one, other = Calculator(3), Calculator(3)
        residual = specialize(getattr(one, name))
        for again in (program, PROGRAMS[1]):
            assert outcome(residual, again) == outcome(getattr(other, name), again), program


class Plain:
    def __init__(self) -> None:
        self.step = 2

    def on_up(self, x: Any) -> Any:
        return x + self.step

    def on_down(self, x: Any) -> Any:
        return x - self.step

    def ignored(self, x: Any) -> Any:
        return x

    def run(self, events: Any, x: Any) -> Any:
        for event in events:
            x = getattr(self, f"on_{event}", self.ignored)(x)
        return x


class Below(Plain):
    def on_down(self, x: Any) -> Any:
        return super().on_down(x) * self.step


@pytest.mark.parametrize("make", [Plain, Below])
def test_the_methods_are_entered(make: type[Plain]) -> None:
    """Nothing is bound, looked up or kept from being known on the ways that are taken."""
    plain = make()
    residual: Any = specialize(plain.run)
    ways = source_of(residual).partition("_handed_over")[0]
    assert ways.count("getattr") == 1 and "_method(" not in ways and ".step" not in ways
    assert "FT308" not in residual.stats["notes"]
    for events in (["up", "down", "none", "up"], [], ["none"], [5]):
        assert residual(events, 7) == make().run(events, 7)


def test_what_objects_and_classes_get_later(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Plain(), Plain()
    residual = specialize(one.run)
    events = ["up", "left", "down"]

    def same() -> bool:
        return bool(residual(events, 7) == other.run(events, 7))

    assert same()
    monkeypatch.setattr(Plain, "on_left", lambda self, x: x * 100, raising=False)
    assert same()
    monkeypatch.setattr(Plain, "on_up", lambda self, x: x * 3)
    assert same()
    for plain in (one, other):
        plain.on_left = lambda x: -x  # type: ignore[attr-defined]
    assert same()


class Reading:
    """What is read first is believed for the ways on which nobody changes it."""

    def __init__(self) -> None:
        self.table = {"a": 1}
        self.rows = [1, 2, 3]

    def get_first(self, x: Any) -> Any:
        return self.rows[0] + x

    def get_name(self, x: Any) -> Any:
        return self.table["a"] + x

    def around(self, name: Any, x: Any) -> Any:
        before = self.rows[0]
        found = getattr(self, "get_" + name)(x)
        return before, found, self.rows[0], self.table["a"]


def test_a_method_that_unknown_code_puts_there() -> None:
    def meddle(reading: Any) -> Callable[[Any], Any]:
        def changed(x: Any) -> Any:
            reading.rows[0] += 10
            reading.table["a"] += x
            return "meddled"

        return changed

    one, other = Reading(), Reading()
    residual = specialize(one.around)
    for name in ("first", "name"):
        assert residual(name, 2) == other.around(name, 2)
    for reading in (one, other):
        reading.get_more = meddle(reading)  # type: ignore[attr-defined]
    for name in ("first", "more", "name", "more", "first"):
        assert residual(name, 2) == other.around(name, 2)


class Answering(Plain):
    def __getattr__(self, name: str) -> Any:
        if not name.startswith("on_"):
            raise AttributeError(name)
        return lambda x: (name, x)


class Narrow:
    __slots__ = ("on_slot", "step")

    def __init__(self) -> None:
        self.step = 2
        self.on_slot = abs

    def on_up(self, x: Any) -> Any:
        return x + self.step

    ignored = Plain.ignored
    run = Plain.run


class Registered(Plain, abc.ABC):
    pass


class Hiding(type):
    def __getattribute__(cls, name: str) -> Any:
        if name == "on_up":
            raise AttributeError(name)
        return super().__getattribute__(name)


class Hidden(Plain, metaclass=Hiding):
    pass


class Counting:
    """A descriptor that tells whom it was read from."""

    def __init__(self) -> None:
        self.read: list[Any] = []

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        self.read.append(owner is None)
        return lambda x: x + 1000


class Described(Plain):
    on_count = Counting()


@pytest.mark.parametrize("make", [Answering, Narrow, Registered, Hidden, Described])
def test_classes_of_all_kinds(make: type[Any]) -> None:
    residual = specialize(make().run)
    for events in (["up"], ["down"], ["none"], ["slot", "up"], ["count", "up", "count"]):
        assert outcome(residual, events, 7) == outcome(make().run, events, 7)
    if make is Described:
        assert vars(Described)["on_count"].read == [False] * 4


def test_an_object_that_is_made_here() -> None:
    def run(events: Any, x: Any) -> Any:
        plain = Plain()
        plain.step = 5
        for event in events:
            x = getattr(plain, f"on_{event}")(x)
        return x, plain.step

    residual = specialize(run)
    for events in (["up", "down", "up"], []):
        assert residual(events, 1) == run(events, 1)
    with pytest.raises(AttributeError):
        residual(["none"], 1)


def test_a_module_of_its_own_has_the_helper() -> None:
    found = embedded(nothing)
    assert found is not None
    space: dict[str, Any] = {}
    exec(found[1], space)
    assert getattr(Plain(), "on_none", space[found[0]]) is space[found[0]]


def _answers(self: Any, name: str) -> Any:
    if not name.startswith("on_"):
        raise AttributeError(name)
    return lambda x: (name, x)


def _looks_up(self: Any, name: str) -> Any:
    return _answers(self, name) if name.startswith("on_") else object.__getattribute__(self, name)


@pytest.mark.parametrize("name, method", [("__getattr__", _answers), ("__getattribute__", _looks_up)])
@pytest.mark.parametrize("meanwhile", [False, True])
def test_a_class_that_answers_for_missing_names_from_now_on(name: str, method: Any, meanwhile: bool) -> None:
    class Late(Plain):
        def on_late(self, x: Any) -> Any:
            setattr(type(self), name, method)
            return x

    class Other(Plain):
        on_late = Late.on_late

    residual, original = specialize(Late().run), Other().run
    assert residual(["none", "up"], 7) == original(["none", "up"], 7)
    if not meanwhile:
        for cls in (Late, Other):
            setattr(cls, name, method)
    events = ["late", "none"] if meanwhile else ["none"]
    assert residual(events, 7) == original(events, 7) == ("on_none", 7)


class Mixed(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.on_own = abs
        vars(self)[1] = "no name"  # type: ignore[index]

    @staticmethod
    def on_flat(x: Any) -> Any:
        return x + 1001

    @classmethod
    def on_class(cls, x: Any) -> Any:
        return cls.__name__, x + 1002

    @property
    def on_asked(self) -> Any:
        return lambda x: x + 1003 + self.step


def test_whatever_has_such_a_name_has_a_way_of_its_own() -> None:
    """Once the last way was taken all calls are slower: it is for what code gives, and what came later."""
    residual: Any = specialize(Mixed().run)
    assert all(text in residual.source for text in ("1001", "1002", "abs"))
    for events in (["up", "flat", "own"], ["class"], ["up", "none", "down"], ["asked", "own"]):
        assert residual(events, -7) == Mixed().run(events, -7)
    assert "_handed_over" in residual.source and "_asked" not in residual.source


def test_nothing_is_gained_where_nothing_is_known() -> None:
    def run(plain: Any, event: Any, x: Any, tell: Any) -> Any:
        tell(plain)
        return getattr(plain, "on_" + event, plain.ignored)(x), plain.step

    residual: Any = specialize(run, Plain())
    assert "_table" not in residual.source and "getattr(" in residual.source
    other = Plain()
    for event in ("up", "none", "down"):
        args = event, 7, lambda plain: setattr(plain, "step", plain.step + 1)
        assert residual(*args) == run(other, *args)
