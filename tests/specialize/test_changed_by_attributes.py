"""What comes out of a table by its objects' attributes: numbers and texts, with which nobody changes the table.

    class Op: name, cycles, run
    OPS = {1: Op("inc", 2, inc)}
    cpu.cycles += op.cycles          whoever gets cpu gets no part of OPS by that: OPS is known
    cpu.last = op.history            this is a list: who gets cpu may add to it

Invariant: whatever a function of the module does change is read when the residual runs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import futamura
from tests.specialize.test_changed_by_methods import written

KNOWN = {
    "an emulator": """
class Op:
    def __init__(self, name, cycles, run): self.name, self.cycles, self.run = name, cycles, run
class Cpu:
    def __init__(self): self.acc, self.pc, self.cycles, self.last = 0, 0, 0, ""
def inc(cpu): cpu.acc += 1
def double(cpu): cpu.acc *= 2
RULES = {1: Op("inc", 2, inc), 2: Op("double", 3, double)}
def run(key, x):
    cpu = Cpu()
    cpu.acc = x
    while cpu.pc < len(key):
        op = RULES[key[cpu.pc]]
        op.run(cpu)
        cpu.cycles += op.cycles
        cpu.last = op.name
        cpu.pc += 1
    return cpu.acc, cpu.cycles, cpu.last
""",
    "a table of dataclasses, and methods": """
from dataclasses import dataclass
from typing import Callable
@dataclass(frozen=True)
class Op:
    name: str
    size: int
    cycles: int
class Cpu:
    RULES = {1: Op("inc", 1, 2), 2: Op("double", 1, 3)}
    def __init__(self, acc): self.acc, self.pc, self.cycles, self.trace = acc, 0, 0, []
    def inc(self): self.acc += 1
    def double(self): self.acc *= 2
    def step(self, code):
        op = self.RULES[code[self.pc]]
        getattr(self, op.name)()
        self.pc += op.size
        self.cycles += op.cycles
        self.trace.append(op.name)
    def run(self, code):
        while self.pc < len(code): self.step(code)
        return self.acc, self.cycles, self.trace
def run(key, x):
    return Cpu(x).run(key)
""",
    "an emulator with tuples": """
class Cpu:
    def __init__(self): self.acc, self.pc, self.cycles, self.last = 0, 0, 0, ""
def inc(cpu): cpu.acc += 1
def double(cpu): cpu.acc *= 2
RULES = {1: ("inc", 2, inc), 2: ("double", 3, double)}
def run(key, x):
    cpu = Cpu()
    cpu.acc = x
    while cpu.pc < len(key):
        name, cycles, go = RULES[key[cpu.pc]]
        go(cpu)
        cpu.cycles += cycles
        cpu.last += name
        cpu.pc += 1
    return cpu.acc, cpu.cycles, cpu.last
""",
    "prices": """
from dataclasses import dataclass
@dataclass
class Rule:
    rate: float
    limit: int
RULES = {1: Rule(0.5, 10), 2: Rule(0.25, 3)}
class Basket:
    def __init__(self): self.total, self.rate = 0.0, 0.0
def show(basket, out): out(basket)
def run(key, x):
    basket = Basket()
    for one in key:
        rule = RULES[one]
        if x > rule.limit:
            basket.rate = rule.rate
            basket.total = basket.total + x * rule.rate
    show(basket, lambda one: one)
    return basket.total, basket.rate
""",
}

CLASSES = """
from dataclasses import dataclass
from typing import NamedTuple
class Op:
    def __init__(self, name, held): self.name, self.held, self.size = name, held, 1
class Box:
    def __init__(self, ref): self.ref = ref
RULES = {1: Op("a", [1]), 2: Op("b", [2])}
def run(key, x):
    return [(RULES[one].name, len(RULES[one].held), RULES[one].size) for one in key], x
"""

CHANGED = {
    "a list in an attribute": "def change(): RULES[1].held.append(2)",
    "a list that another object gets": """
def change():
    box = Box(None)
    box.ref = RULES[1].held
    box.ref += [2]
""",
    "an attribute": "def change(): RULES[1].size = 7",
    "an object in the attribute of another": """
def change():
    box = Box(RULES[1])
    box.ref.size += 5
""",
    "an object in the attribute of another, which others store": """
def put(box): box.ref = RULES[1]
def change():
    box = Box(None)
    put(box)
    box.ref.name = "c"
""",
    "an object in a namespace": """
from types import SimpleNamespace
def change():
    box = SimpleNamespace(size=RULES[1])
    box.size.size = 4
""",
    "an object in a namespace, later": """
from types import SimpleNamespace
def change():
    box = SimpleNamespace()
    box.size = RULES[1]
    for one in [box]: one.size.size = 4
""",
    "an object in a named tuple": """
from collections import namedtuple
P = namedtuple("P", "size")
def change(): P(RULES[1]).size.size = 4
""",
    "an object in a class of tuples": """
class P(NamedTuple):
    size: object
def change():
    p = P(RULES[1])
    p.size.size = 4
""",
    "an object in a dataclass": """
@dataclass
class P:
    size: object
def change():
    p = P(RULES[1])
    p.size.size = 4
""",
    "an object in a partial": """
from functools import partial
def change(): partial(print, RULES[1]).args[0].size = 4
""",
    "an object in an exception": """
class Failed(Exception): pass
def change():
    try: raise Failed(RULES[1])
    except Failed as error: error.args[0].size = 4
""",
    "an object in a member": """
import enum
class Kind(enum.Enum):
    A = RULES[1]
def change(): Kind.A.value.size = 4
""",
    "an object that a property gives": """
class View:
    def __init__(self, at): self.at = at
    @property
    def size(self): return RULES[self.at]
def change(): View(1).size.size = 4
""",
    "an object that a class has": """
class View:
    size = RULES[1]
def change(): View.size.size = 4
""",
    "an object that an instance has of its class": """
class View:
    size = RULES[1]
def change(): View().size.size = 4
""",
    "an object by setattr": """
def change():
    box = Box(None)
    setattr(box, "si" + "ze", RULES[1])
    box.size.size = 4
""",
    "an object by the dict of another": """
def change():
    box = Box(None)
    box.__dict__["size"] = RULES[1]
    box.size.size = 4
""",
    "an object by the variables of another": """
def change():
    box = Box(None)
    vars(box).update(size=RULES[1])
    box.size.size = 4
""",
    "an object by getattr": """
def change():
    box = Box(RULES[1])
    getattr(box, "ref").size = 4
""",
    "an object by a getter": """
from operator import attrgetter
def change():
    box = Box(RULES[1])
    attrgetter("ref")(box).size = 4
""",
    "an object by a pattern": """
def change():
    match Box(RULES[1]):
        case Box(ref=one): one.size = 4
""",
    "what a method gives": """
class View:
    def __init__(self, ref): self.ref = ref
    def get(self): return self.ref
def change(): View(RULES[1]).get().size = 4
""",
    "a bound method": """
class Own(Op):
    def grow(self): self.size += 1
RULES[1] = Own("a", [1])
def change():
    grow = RULES[1].grow
    grow()
""",
    "a bound method of a list": """
def change():
    add = RULES[1].held.append
    add(3)
""",
    "deep in objects": """
def change():
    box = Box(Box(Box(RULES[1])))
    box.ref.ref.ref.size = 4
""",
    "a list in a list": """
def change():
    rows = [Box(one) for one in RULES.values()]
    for row in rows: row.ref.held.append(1)
""",
    "a copy that holds the same": """
import copy
def change():
    one = copy.copy(RULES[1])
    one.held.append(1)
""",
    "what another module gets": """
import weakref
class Seen: pass
def change():
    box = Box(RULES[1])
    box.ref.held.sort(key=lambda one: box.ref.held.append)
    box.ref.held.__iadd__([1])
""",
    "an attribute of an attribute": """
class Node:
    def __init__(self, size): self.size = size
RULES[1] = Op(Node(1), [1])
def run(key, x): return [RULES[one].name.size for one in (1,)], x
def change(): RULES[1].name.size = 5
""",
    "a shared object": """
SHARED = Box([1])
RULES[1] = Op("a", SHARED.ref)
def change():
    one = SHARED.ref
    one.append(1)
""",
    "an item that is kept aside": """
KEPT = []
def keep(): KEPT.append(RULES[1])
def change():
    keep()
    for one in KEPT: one.size = 3
""",
    "an item that an object keeps in a list": """
class Store:
    def __init__(self): self.size = []
    def put(self, one): self.size.append(one)
def change():
    store = Store()
    store.put(RULES[1])
    store.size[0].size = 3
""",
    "an item in a dict of an object": """
class Store:
    def __init__(self): self.size = {}
def change():
    store = Store()
    store.size["a"] = RULES[1]
    store.size["a"].size = 3
""",
    "a class that extends a list": """
class Rows(list):
    pass
def change():
    rows = Rows([RULES[1]])
    rows.size = RULES[2]
    rows.size.size = 3
    rows[0].size = 4
""",
    "a class of its own kind": """
class Meta(type):
    def __call__(cls, one):
        made = super().__call__()
        made.size = one
        return made
class View(metaclass=Meta): pass
def change(): View(RULES[1]).size.size = 3
""",
    "a class method that makes one": """
class View:
    @classmethod
    def of(cls, one):
        made = cls()
        made.size = one
        return made
def change(): View.of(RULES[1]).size.size = 3
""",
    "a class method with a constructor": """
class View:
    def __init__(self, size): self.size = size
    @classmethod
    def of(cls, one): return cls(one)
def change(): View.of(RULES[1]).size.size = 3
""",
    "a generator's attribute": """
class View:
    def __init__(self, size): self.size = size
def views():
    for one in RULES.values(): yield View(one)
def change():
    for view in views(): view.size.size = 3
""",
    "an attribute of a function": """
def holder(): pass
def change():
    holder.size = RULES[1]
    holder.size.size = 3
""",
    "an attribute of a module": """
import math
def change():
    math.size_of_rules = RULES[1]
    math.size_of_rules.size = 3
    del math.size_of_rules
""",
    "a slice of a list": """
class View:
    def __init__(self, *size): self.size = size
def change():
    for one in View(*RULES.values()).size[:1]: one.size = 3
""",
    "a keyword": """
class View:
    def __init__(self, **size): self.size = size
def change(): View(one=RULES[1]).size["one"].size = 3
""",
    "slots": """
class View:
    __slots__ = ("size",)
    def __init__(self, size): self.size = size
def change(): View(RULES[1]).size.size = 3
""",
    "a descriptor": """
class Kept:
    def __init__(self): self.all = {}
    def __get__(self, one, cls=None): return self.all[id(one)]
    def __set__(self, one, value): self.all[id(one)] = value
class View:
    size = Kept()
def change():
    view = View()
    view.size = RULES[1]
    view.size.size = 3
""",
    "a comparison with an operand": """
class View:
    def __init__(self, size): self.size = size
    def __add__(self, other): return View(other)
def change(): (View(0) + RULES[1]).size.size = 3
""",
    "an iterator of an object": """
class View:
    def __init__(self, size): self.size = size
    def __iter__(self): return iter([self.size])
def change():
    for one in View(RULES[1]): one.size = 3
""",
    "a context": """
class View:
    def __init__(self, size): self.size = size
    def __enter__(self): return self.size
    def __exit__(self, *exc): return False
def change():
    with View(RULES[1]) as one: one.size = 3
""",
    "an item that extends a list": """
def change():
    rows = []
    rows += [RULES[1]]
    for row in rows: row.size = 3
""",
    "the table extends a list": """
def change():
    rows = []
    rows += RULES.values()
    for row in rows: row.size = 3
""",
    "an item's list extends a list": """
RULES[3] = Op("c", [[1]])
def run(key, x): return len(RULES[3].held[0]), x
def change():
    rows = []
    rows += RULES[3].held
    rows[0].append(3)
""",
    "a tuple in the table extends a list": """
RULES[3] = ([1], [2])
def run(key, x): return len(RULES[3][0]), x
def change():
    rows = []
    rows += RULES[3]
    rows[0].append(3)
""",
    "an object that gives an item extends a list": """
class Giving:
    def __init__(self, one): self.one = one
    def __iter__(self): yield self.one
def change():
    rows = []
    rows += Giving(RULES[1])
    rows[0].size = 3
""",
    "lists in lists": """
def change():
    inner = [[RULES[1]]]
    rows = []
    rows += inner[0]
    rows[0].size = 3
""",
    "lists by a function": """
def both(rows, more):
    rows += more
    return rows
def change():
    both([], [RULES[1]])[0].size = 3
""",
    "lists in attributes": """
class Two:
    def __init__(self): self.a, self.b = [], [RULES[1]]
def change():
    two = Two()
    two.a += two.b
    two.a[0].size = 3
""",
    "a set": """
def change():
    found = set()
    found |= {RULES[1]}
    for one in found: one.size = 3
""",
    "a dict of the table": """
RULES[3] = {"a": RULES[1]}
def change():
    found = {}
    found |= RULES[3]
    found["a"].size = 3
""",
    "a dict": """
def change():
    found = {}
    found |= {"a": RULES[1]}
    found["a"].size = 3
""",
    "what a function that nobody knows gives": """
import functools
def change():
    rows = []
    rows += functools.reduce(lambda a, b: [a, b], RULES.values())
    rows[0].size = 3
""",
    "an object whose attribute is none in some": """
RULES[3] = Op(RULES[1], [])
def change():
    one = RULES[3]
    one.name.size = 3
""",
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("code", [(1, 2, 1), (2,), (1, 1, 1, 2, 2)])
def test_what_cannot_be_changed_is_known(
    name: str, code: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = written(name, KNOWN[name], tmp_path, monkeypatch)
    residual = futamura.specialize(module.run, key=code)
    assert not any(event.code == "FT306" for event in residual.events), residual.events
    assert "RULES" not in residual.source and "_k" not in residual.source, residual.source
    for x in (3, 0, 20):
        assert residual(x) == module.run(code, x)


@pytest.mark.parametrize("name", CHANGED)
def test_what_is_changed_is_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = written(name, CLASSES + CHANGED[name], tmp_path, monkeypatch)
    residual = futamura.specialize(module.run, key=(1, 2))
    before = module.run((1, 2), 5)
    assert residual(5) == before
    module.change()
    assert residual(5) == module.run((1, 2), 5), residual.source
    assert before != module.run((1, 2), 5)
