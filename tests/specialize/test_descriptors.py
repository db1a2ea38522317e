"""Descriptors of the program's own classes: their code is entered, in Python's order of looking.

    class Word: low = Bits(0)        Word(w).low        ->      `w >> 0 & 15`

Invariant: a residual does what the original does, also if the class, the descriptor or its class are changed.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from futamura import Dyn, Specializer, specialize
from tests.outcomes import outcome
from tests.specialize.test_modules import module

PROGRAM = '''
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

class Bits:
    def __init__(self, lo): self.lo = lo
    def __get__(self, inst, owner=None):
        return self if inst is None else inst.w >> self.lo & 15
    def __set__(self, inst, value): inst.w = inst.w & ~(15 << self.lo) | value << self.lo

class Word:
    a = Bits(0)
    b = Bits(4)
    def __init__(self, w): self.w = w

class Long(Word):
    c = Bits(8)

def fields(x):
    i = Word(x)
    return i.a + i.b

def inherited(x):
    i = Long(x)
    return i.a, i.b, i.c

def stores(x):
    i = Word(0)
    i.a = x
    i.b = 3
    i.a += 1
    return i.w, i.a

def no_deleter(x):
    i = Word(x)
    del i.a

def by_name(x):
    i = Word(x)
    setattr(i, "a", 1)
    return getattr(i, "a"), getattr(i, "b", None), hasattr(i, "a"), hasattr(i, "z"), hasattr(Word, "a")

class Typed:
    def __init__(self, kind, least=None): self.kind = kind; self.least = least
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, inst, owner=None):
        if inst is None: return self
        return inst.__dict__[self.name]
    def __set__(self, inst, value):
        if not isinstance(value, self.kind): raise TypeError(f"{self.name} must be {self.kind.__name__}")
        if self.least is not None and value < self.least: raise ValueError(f"{self.name} >= {self.least}")
        inst.__dict__[self.name] = value
    def __delete__(self, inst):
        if self.least is not None: raise AttributeError(f"{self.name} stays")
        del inst.__dict__[self.name]

class Order:
    count = Typed(int, 0)
    price = Typed((int, float).__getitem__(0))
    def __init__(self, count, price): self.count = count; self.price = price

def typed(x):
    o = Order(x, 3)
    return o.count * o.price

def deletes(x):
    o = Order(x, 3)
    del o.price
    try:
        return o.price
    except KeyError as error:
        return str(error)

def refuses(x):
    o = Order(x, 3)
    del o.count

class OnlySet:
    def __set_name__(self, owner, name): self.name = name
    def __set__(self, inst, value):
        if value == 5: raise ValueError(self.name)
        inst.__dict__[self.name] = value

class Box:
    size = OnlySet()
    def __init__(self, size): self.size = size

class Empty:
    size = OnlySet()

def only_set(x):
    return Box(x).size, Empty().size is Empty.size

def only_set_deleted(x):
    b = Box(x)
    del b.size

class OnlyDelete:
    def __delete__(self, inst): inst.gone = True

class Row:
    key = OnlyDelete()
    def __init__(self, w): self.w = w

def only_delete_stored(x):
    r = Row(x)
    r.key = 3
    return r.key

class ReadAndDelete:
    def __get__(self, inst, owner=None): return "got"
    def __delete__(self, inst): inst.log.append("deleted")

class Logged:
    key = ReadAndDelete()
    def __init__(self): self.log = []

def read_and_delete_stored(x):
    r = Logged()
    r.key = x

class NonData:
    def __init__(self, by): self.by = by
    def __get__(self, inst, owner=None):
        if inst is None: return owner.__name__, self.by
        return inst.w * self.by

class Scaled:
    twice = NonData(2)
    def __init__(self, w): self.w = w

class Deeper(Scaled):
    thrice = NonData(3)

def non_data(x):
    s = Deeper(x)
    return s.twice, s.thrice, Scaled.twice, Deeper.twice

def hidden(x):
    s = Scaled(x)
    before = s.twice
    s.twice = "own"
    after = s.twice
    del s.twice
    return before, after, s.twice

def hidden_sometimes(x):
    s = Scaled(x)
    if x:
        s.twice = "own"
    return s.twice

class Lazy:
    def __init__(self, function): self.function = function
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, inst, owner=None):
        if inst is None: return self
        value = inst.__dict__[self.name] = self.function(inst)
        return value

class Circle:
    def __init__(self, r): self.r = r; self.asked = 0
    @Lazy
    def area(self):
        self.asked += 1
        return self.r * self.r * 3

def lazy(x):
    c = Circle(x)
    return c.area + c.area, c.asked

class Memo:
    def __init__(self, function): self.function = function; self.name = function.__name__
    def __get__(self, inst, owner=None):
        if self.name not in inst.__dict__:
            inst.__dict__[self.name + "_"] = inst.__dict__.get(self.name + "_", 0) + self.function(inst)
        return inst.__dict__[self.name + "_"]

class Sum:
    def __init__(self, w): self.w = w
    @Memo
    def total(self): return self.w + 1

class Private:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, inst, owner=None): return self if inst is None else getattr(inst, self.name, "nothing")
    def __set__(self, inst, value): setattr(inst, self.name, value)
    def __delete__(self, inst): delattr(inst, self.name)

class Note:
    text = Private()

def private(x):
    n = Note()
    before = n.text
    n.text = x
    after = n.text
    del n.text
    return before, after, n.text

def private_missing(x):
    n = Note()
    del n.text

class Validator(ABC):
    def __set_name__(self, owner, name): self.private = "_" + name
    def __get__(self, obj, objtype=None): return getattr(obj, self.private)
    def __set__(self, obj, value):
        self.validate(value)
        setattr(obj, self.private, value)
    @abstractmethod
    def validate(self, value): ...

class OneOf(Validator):
    def __init__(self, *options): self.options = options
    def validate(self, value):
        if value not in self.options: raise ValueError(f"{value!r} not in {self.options}")

class Number(Validator):
    def __init__(self, most): self.most = most
    def validate(self, value):
        if not isinstance(value, (int, float)): raise TypeError("no number")
        if value > self.most: raise ValueError("too large")

class Component:
    kind = OneOf("wood", "metal")
    amount = Number(100)
    def __init__(self, kind, amount): self.kind = kind; self.amount = amount

def component(x):
    c = Component("wood", x)
    return c.kind, c.amount

def component_kind(x):
    return Component(x, 1).kind

class Slotted:
    __slots__ = ("_v", "w")
    v = Private()
    twice = NonData(2)
    def __init__(self, v): self.v = v; self.w = v

def slotted(x):
    s = Slotted(x)
    return s.v, s.twice

def slotted_read_only(x):
    s = Slotted(x)
    s.twice = 3

class Front:
    def __init__(self, w): self.w = w
    def __getattr__(self, name): return "answered " + name

class Failing:
    def __get__(self, inst, owner=None):
        if inst.w == 0: raise AttributeError("zero")
        if inst.w == 5: raise ValueError("five")
        return 100 // inst.w
    def __set__(self, inst, value): raise AttributeError("read only")

class Answering(Front):
    x = Failing()

class Plain:
    x = Failing()
    def __init__(self, w): self.w = w

def answering(x):
    return Answering(x).x

def failing(x):
    return Plain(x).x

def failing_default(x):
    return getattr(Plain(x), "x", "default")

def failing_asked(x):
    return hasattr(Plain(x), "x")

def failing_store(x):
    p = Plain(x)
    try:
        p.x = 3
    except AttributeError as error:
        return str(error)

class Own(property):
    def __get__(self, inst, owner=None): return self if inst is None else (super().__get__(inst, owner), "own")

class Stat(staticmethod):
    def __get__(self, inst, owner=None): return ("static", owner.__name__)

class Odd:
    def __init__(self, w): self.w = w
    @Own
    def p(self): return self.w
    @Own
    def q(self): return self.w
    @q.setter
    def q(self, value): self.w = value
    @Stat
    def s(): return 3
    @property
    def plain(self): return self.w + 1
    upper = str.upper

def odd(x):
    o = Odd(x)
    o.q = 4
    return o.p, o.q, o.s, Odd.s, o.plain

class Giving:
    def __init__(self): self.w = 1
    def _set(self, value): self.w = value; return "not None"
    p = property(None, _set)

def given(x):
    g = Giving()
    return setattr(g, "p", x), setattr(Word(0), "a", 3), g.w

class TwoParameters:
    def __get__(self, inst): return 1

class Wrong:
    x = TwoParameters()

def wrong(x):
    return Wrong().x

class Meta(type):
    shown = NonData(1)
    w = 7

class Described(metaclass=Meta):
    a = Bits(0)
    def __init__(self, w): self.w = w

def described(x):
    return Described.shown, Described(x).a, Described.a.lo

class Base:
    v = NonData(2)
    k = Bits(0)

class Over(Base):
    v = NonData(5)
    def __init__(self, w): self.w = w
    def both(self): return self.v, super().v, super().k

def by_super(x):
    return Over(x).both()

class Counted:
    def __init__(self): self.reads = 0
    def __get__(self, inst, owner=None):
        self.reads += 1
        return self.reads

class Counting:
    n = Counted()

class Upper(Typed):
    def __set__(self, inst, value):
        super().__set__(inst, value.upper())

class Named:
    name = Upper(str)
    def __init__(self, name): self.name = name

def upper(x):
    return Named(x).name

class Field:
    def __init__(self, default): self.default = default
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, inst, owner=None):
        if inst is None: return self.default
        return inst.__dict__.get(self.name, self.default)
    def __set__(self, inst, value): inst.__dict__[self.name] = value

@dataclass
class Config:
    port: int = Field(80)
    host: str = Field("here")

def config(x):
    c = Config(host=x)
    return c.port, c.host, c == Config(80, x), Config.port

class Machine:
    pc = Private()
    step = NonData(2)
    def __init__(self, code): self.code = code; self.w = 0
    def run(self, x):
        self.pc = 0
        while self.pc < len(self.code):
            x = x + self.code[self.pc] * self.step + 1
            self.pc += 1
        return x, self.w

class Table:
    rows = OneOf("wood")
    def __init__(self, names): self.names = names
    def get(self, x): return [getattr(self, name, x) for name in self.names]

def matched(x):
    match Word(x):
        case Word(a=1, b=b): return b
        case Word(a=0): return "zero"
    return "none"
'''
CORNERS = '''
def of_class(x):
    return Word.a is Word.__dict__["a"], Word.b.lo + x, Long.c.lo

def escapes(x):
    o = Order(x, 3)
    return sorted(vars(o).items()), o

def only_set_itself(x):
    return Box(x).size, Empty().size is Empty.__dict__["size"], Empty.size is Empty.__dict__["size"]

def only_delete(x):
    r = Row(x)
    r.__dict__["key"] = x
    first = r.key
    del r.key
    return first, r.gone, r.key

def read_and_delete(x):
    r = Logged()
    r.__dict__["key"] = x
    del r.key
    return r.key, r.log

def lazy_dict(x):
    c = Circle(x)
    return c.area + c.area, c.asked, "area" in c.__dict__

def memo(x):
    s = Sum(x)
    return s.total + s.total, s.__dict__

def counts(x):
    Counting.__dict__["n"].reads = 0
    c = Counting()
    return c.n, c.n, c.n

def space(x):
    n = Note()
    n.__dict__["a"] = x
    n.__dict__["b c"] = 1
    found = n.__dict__.pop("a"), "a" in n.__dict__, n.__dict__.setdefault("z", x)
    return found, sorted(n.__dict__), n.__dict__ is n.__dict__

def space_missing(x):
    return Note().__dict__["z"]

def space_slot(x):
    class Both(Slotted): pass
    b = Both(x)
    b.__dict__["w"] = "own"
    return b.w, b.__dict__

def space_rebound(x):
    n = Note()
    n.z = 1
    def other():
        n.__dict__ = {"z": 5}
        return "z"
    return n.__dict__[other()], n.z
'''
INPUTS: list[Any] = [0, 1, 5, 7, -3, 255, 300, "wood", "a", None, 2.5]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    return module("described_", PROGRAM, tmp_path, monkeypatch)


@pytest.fixture
def corners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """With functions that store anything on anything, so that nothing of a descriptor is believed."""
    return module("described_", PROGRAM + CORNERS, tmp_path, monkeypatch)


def cases(text: str) -> list[str]:
    return [line[4:].partition("(")[0] for line in text.splitlines() if line.startswith("def ")]


def shown(function: Callable[..., Any], *inputs: Any) -> str:
    """The outcome without addresses."""
    return re.sub(" at 0x[0-9a-f]+", "", outcome(function, *inputs))


@pytest.mark.parametrize("name", cases(PROGRAM))
def test_does_what_the_original_does(program: types.ModuleType, name: str) -> None:
    _compare(getattr(program, name))


@pytest.mark.parametrize("name", cases(PROGRAM + CORNERS))
def test_corners(corners: types.ModuleType, name: str) -> None:
    _compare(getattr(corners, name))


def _compare(function: Callable[[Any], Any]) -> None:
    residual = specialize(function)
    for x in INPUTS:
        assert shown(residual, x) == shown(function, x), (x, residual.source)
        assert shown(specialize(function, x=x)) == shown(function, x), x


ENTERED = (
    "fields", "inherited", "stores", "typed", "non_data", "hidden", "lazy", "private", "component", "slotted",
    "by_super", "upper", "failing", "only_set", "config",
)  # fmt: skip


@pytest.mark.parametrize("name", ENTERED)
def test_nothing_is_left_of_the_objects(program: types.ModuleType, name: str) -> None:
    residual = specialize(getattr(program, name))
    assert "__new__" not in residual.source, residual.source
    assert "__dict__" not in residual.source, residual.source
    if name != "config" or sys.version_info < (3, 13):  # there `__eq__` compares the fields one by one
        assert "_k" not in residual.source, residual.source
    assert residual.stats["fallbacks"] == {}


def test_what_a_residual_looks_like(program: types.ModuleType) -> None:
    assert "return (x >> 0 & 15) + (x >> 4 & 15)" in specialize(program.fields).source
    assert "raise TypeError('count must be int')" in specialize(program.typed).source


CHANGES: list[tuple[str, str, Callable[[Any], None]]] = [
    ("fields", "the field of a descriptor", lambda p: setattr(p.Word.__dict__["a"], "lo", 8)),
    ("fields", "another descriptor", lambda p: setattr(p.Word, "a", p.Bits(2))),
    ("fields", "no descriptor", lambda p: setattr(p.Word, "a", 3)),
    ("fields", "another getter", lambda p: setattr(p.Bits, "__get__", lambda s, i, o=None: 1)),
    ("fields", "no getter", lambda p: delattr(p.Bits, "__get__")),
    ("fields", "a getter's code", lambda p: setattr(p.Bits.__get__, "__code__", (lambda s, i, o=None: 2).__code__)),
    ("fields", "getattr", lambda p: setattr(p.Word, "__getattr__", lambda s, n: 1)),
    ("inherited", "in front", lambda p: setattr(p.Long, "a", 9)),
    ("stores", "another setter", lambda p: setattr(p.Bits, "__set__", lambda s, i, v: None)),
    ("stores", "no setter", lambda p: delattr(p.Bits, "__set__")),
    ("of_class", "the field of a descriptor", lambda p: setattr(p.Word.__dict__["b"], "lo", 8)),
    ("hidden", "a setter", lambda p: setattr(p.NonData, "__set__", lambda s, i, v: None)),
    ("hidden", "a deleter", lambda p: setattr(p.NonData, "__delete__", lambda s, i: None)),
    ("only_set", "a getter", lambda p: setattr(p.OnlySet, "__get__", lambda s, i, o=None: 6)),
    ("deletes", "another deleter", lambda p: setattr(p.Typed, "__delete__", lambda s, i: None)),
    ("typed", "what is checked", lambda p: setattr(p.Order.__dict__["count"], "least", 6)),
    ("typed", "the class checked", lambda p: setattr(p.Order.__dict__["count"], "kind", str)),
    ("typed", "the name", lambda p: setattr(p.Order.__dict__["count"], "name", "c")),
    ("typed", "a name in the class", lambda p: setattr(p.Typed, "least", p.Bits(1))),
    ("component_kind", "the options", lambda p: setattr(p.Component.__dict__["kind"], "options", ("a",))),
    ("lazy", "the function", lambda p: setattr(p.Circle.__dict__["area"], "function", lambda s: 1)),
    ("lazy", "data", lambda p: setattr(p.Lazy, "__set__", lambda s, i, v: None)),
    ("by_super", "in between", lambda p: setattr(p.Over, "k", 3)),
    ("by_super", "below", lambda p: setattr(p.Base, "v", 3)),
    ("odd", "a property's getter", lambda p: setattr(p.Own, "__get__", lambda s, i, o=None: 3)),
    ("space", "a slot", lambda p: setattr(p.Note, "z", p.Bits(3))),
]


@pytest.mark.parametrize(("name", "what", "change"), CHANGES, ids=[f"{name}-{what}" for name, what, _ in CHANGES])
@pytest.mark.parametrize("place", ["program", "corners"])
def test_changes_are_noticed(
    request: pytest.FixtureRequest, place: str, name: str, what: str, change: Callable[[Any], None]
) -> None:
    program = request.getfixturevalue(place)
    function = getattr(program, name, None)
    if function is None:
        return
    residual = specialize(function)
    for x in INPUTS:
        assert shown(residual, x) == shown(function, x)
    change(program)
    for x in INPUTS:
        assert shown(residual, x) == shown(function, x), (x, residual.source)


def test_static_objects(program: types.ModuleType) -> None:
    for code in ([], [1], [3, 4, 5]):
        made, same = program.Machine(code), program.Machine(code)
        residual = specialize(made.run)
        for x in (0, 5, 2.5, "a"):
            assert outcome(residual, x) == outcome(same.run, x), residual.source
            assert vars(made) == vars(same)
    residual = specialize(program.Machine([1, 2]).run, Dyn(int))
    assert "while" not in residual.source and "_self._pc = 2" in residual.source, residual.source


def test_objects_whose_class_is_promised(program: types.ModuleType) -> None:
    def read(i: Any) -> Any:
        i.a = 3
        return i.a, i.b

    residual = specialize(read, Dyn(program.Word))
    for w in (0, 77, 255):
        one, other = program.Word(w), program.Word(w)
        assert outcome(residual, one) == outcome(read, other)
        assert one.w == other.w
    assert ">> 4" in residual.source and "i.b" not in residual.source, residual.source


def test_hidden_on_open_objects(program: types.ModuleType) -> None:
    def read(s: Any) -> Any:
        return s.twice

    residual = specialize(read, Dyn(program.Scaled))
    plain, hiding = program.Scaled(4), program.Scaled(4)
    hiding.twice = "own"
    assert (residual(plain), residual(hiding)) == (8, "own")


def test_hidden_on_static_objects(program: types.ModuleType) -> None:
    def read(s: Any, x: Any) -> Any:
        if x:
            s.twice = x
        first = s.twice
        s.w += 1
        return first, s.twice

    for inputs in ([0, 0], [0, 1], [1, 0], [0, 2, 0]):
        one, other = program.Scaled(4), program.Scaled(4)
        residual = specialize(read, s=one)
        for x in inputs:
            assert outcome(residual, x) == outcome(read, other, x), residual.source
            assert vars(one) == vars(other)


OTHER_WAYS = '''
class Set:
    def __init__(self, name): self.name = name
    def __set__(self, inst, value): inst.__dict__[self.name] = value

class Own:
    a = Set("a")

class Rate:
    def __init__(self, n): self.n = n

RATE = Rate(3)

def asked(x):
    return RATE.n * x * 2 + RATE.n * 3 + RATE.n * 5 + RATE.n * 7 + RATE.n * 9 + RATE.n * 11
'''


def test_stores_of_descriptors_are_on_their_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are no stores on other objects, unless the text calls such a method itself."""
    for number, more in enumerate(("", "def other(x): Set('n').__set__(RATE, x)", "Own.other = Set.__set__")):
        made = module(f"owners_{number}", OTHER_WAYS + more, tmp_path, monkeypatch)
        residual = specialize(made.asked)
        assert residual(2) == made.asked(2)
        assert ("RATE" in residual.source) is bool(more), residual.source


def test_without_tests(program: types.ModuleType) -> None:
    residual = Specializer(assume="trust")(program.typed)
    assert [outcome(residual, x) for x in INPUTS] == [outcome(program.typed, x) for x in INPUTS]
