"""Objects and functions of other modules, and what callers pass: they may change what they get, whatever they are
called.

    from engine import Engine
    def use(): Engine().insert(ROWS["k"])         no list: it may change ROWS["k"]

Invariant: what the residual gives after `use` is what the function gives.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_implied import follow_module, module_of

FLAT = "ROWS = {'k': [1, 2]}\ndef f(x): return len(ROWS['k']), x\n"
DEEP = "ROWS = {'t': {'k': [1, 2]}}\ndef f(x): return len(ROWS['t']['k']), x\n"
LONG = "ROWS = {'k': [1, 2, 3, 4, 5, 6, 7, 8]}\ndef f(x): return sum(n * i for i, n in enumerate(ROWS['k'])), x\n"

OTHER = """\
KEPT = []
def grow(row):
    row.append(1)
    return 0
def growing(function):
    def inner(row):
        grow(row)
        return function(row)
    return inner
def keep(rows): KEPT.append(rows)
def kept(): return KEPT[0]
class Box:
    def __init__(self, row): self.row = row
    def go(self): self.visit(self.row)
    def visit(self, row): row.append(1)
class Base:
    def apply(self): self.rows['k'].append(1)
"""

ENGINE = """\
class E:
    def insert(self, row): row.append(1)
    def change(self, row): row.append(1)
    def find(self, row): row.append(1)
"""
"""Methods with the names of others that change nothing."""

PROGRAMS = {
    "method of an imported class": (FLAT + """\
from M1 import E
def use():
    put = E().insert
    put(ROWS['k'])
""", ENGINE,),
    "static method under a short name": (FLAT + """\
class A:
    @staticmethod
    def add(row): row.append(1)
    def go(self):
        add = self.add
        add(ROWS['k'])
def use(): A().go()
""",),
    "method of a class that type gives": (FLAT + """\
def use():
    add = type(ROWS['k']).append
    add(ROWS['k'], 3)
""",),
    "property that gives a function": (FLAT + """\
def grow(row): row.append(1)
class B:
    @property
    def add(self): return grow
def use():
    add = B().add
    add(ROWS['k'])
""",),
    "__getattr__ that gives a function": (FLAT + """\
class B:
    def __getattr__(self, name): return lambda row: row.append(1)
def use():
    add = B().add
    add(ROWS['k'])
""",),
    "namespace with a function": (FLAT + """\
import types
def grow(row): row.append(1)
HOOKS = types.SimpleNamespace(add=grow)
def use():
    add = HOOKS.add
    add(ROWS['k'])
""",),
    "named tuple with a function": (FLAT + """\
import collections
def grow(row): row.append(1)
B = collections.namedtuple('B', 'add')
def use():
    add = B(grow).add
    add(ROWS['k'])
""",),
    "function that setattr makes a method": (FLAT + """\
import collections
def grow(self, row): row.append(1)
class B: pass
setattr(B, 'add', grow)
def use():
    add = B().add
    add(ROWS['k'])
""",),
    "method that an attribute keeps": (FLAT + """\
class B:
    def __init__(self):
        self.held = []
        self.append = self.held.append
def use():
    b = B()
    put = b.append
    put(ROWS['k'])
    b.held[0].append(1)
""",),
    "module under another name": (FLAT + """\
import M1
def use():
    mod = M1
    add = mod.add
    add(ROWS['k'])
""", """\
def add(row): row.append(1)
""",),
    "list of another module that keeps it": (FLAT + """\
from M1 import keep, kept
def use():
    keep(ROWS)
    kept()[0].append(1)
""", """\
KEPT = []
def kept(): return KEPT
def keep(rows):
    add = KEPT.append
    for row in rows.values(): add(row)
""",),
    "list that another module fills": (FLAT + """\
from M1 import fill
def use():
    found = []
    fill(ROWS, found)
    found[0].append(1)
""", """\
def fill(rows, found):
    add = found.append
    for row in rows.values(): add(row)
""",),
    "static method on self": (FLAT + """\
class A:
    @staticmethod
    def change(row): row.append(1)
    def go(self): self.change(ROWS['k'])
def use(): A().go()
""",),
    "bound get in a global": (FLAT + """\
GET = ROWS.get
def use(): GET('k').append(1)
""",),
    "default of an inner function pops": (FLAT + """\
def use():
    def inner(n=ROWS['k'].pop()): return n
""",),
    "default is a bound append": (FLAT + """\
def use():
    def inner(add=ROWS['k'].append): add(1)
    inner()
""",),
    "decorator of an inner function changes": (FLAT + """\
def change(row):
    row.append(1)
    return lambda g: g
def use():
    @change(ROWS['k'])
    def inner(): pass
""",),
    "default of a lambda pops": (FLAT + """\
def use(): return lambda n=ROWS['k'].pop(): n
""",),
    "attribute of a class in a function": (FLAT + """\
def use():
    class A:
        row = ROWS['k']
    A.row.append(1)
""",),
    "partial in a global": (FLAT + """\
import functools
def change(row): row.append(1)
ADD = functools.partial(change, ROWS['k'])
def use(): ADD()
""",),
    "generator in a global that is sent to": (FLAT + """\
def fill(row):
    while True: row.append((yield))
FILL = fill(ROWS['k'])
next(FILL)
def use(): FILL.send(4)
""",),
    "generator expression in a global": (FLAT + """\
GEN = (row.append(1) for row in ROWS.values())
def use(): next(GEN)
""",),
    "map object in a global": (FLAT + """\
def change(row): row.append(1)
LAZY = map(change, ROWS.values())
def use(): list(LAZY)
""",),
    "partial in a global gives a row": (FLAT + """\
import functools
def first(rows): return rows['k']
GET = functools.partial(first, ROWS)
def use(): GET().append(1)
""",),
    "method object in a global": (FLAT + """\
import types
def change(row): row.append(1)
M = types.MethodType(change, ROWS['k'])
def use(): M()
""",),
    "imported method under a short name": (FLAT + """\
from M1 import E
def use():
    change = E().change
    change(ROWS['k'])
""", ENGINE,),
    "imported method in a global": (FLAT + """\
from M1 import E
CHANGE = E().change
def use(): CHANGE(ROWS['k'])
""", ENGINE,),
    "key of sorted is imported": (FLAT + """\
from heapq import heappop
def use(): sorted(ROWS.values(), key=heappop)
""",),
    "map of an imported function": (FLAT + """\
from M1 import change
def use(): list(map(change, ROWS.values()))
""", """\
def change(row): row.append(1)
""",),
    "map of a method under a short name": (FLAT + """\
def use():
    pop = list.pop
    list(map(pop, ROWS.values()))
""",),
    "map of a partial": (FLAT + """\
import functools
def change(n, row): row.append(n)
def use(): list(map(functools.partial(change, 3), ROWS.values()))
""",),
    "partial of an imported method": (FLAT + """\
import functools
from M1 import E
ENGINE = E()
def use(): functools.partial(ENGINE.change, ROWS['k'])()
""", ENGINE,),
    "property that gives a function, called at once": (FLAT + """\
def grow(row): row.append(1)
class A:
    @property
    def change(self): return grow
def use(): A().change(ROWS['k'])
""",),
    "variable hides a function": (FLAT + """\
def act(row): return len(row)
def grow(row): row.append(1)
HOOK = grow
def use():
    act = HOOK
    act(ROWS['k'])
""",),
    "imported class with the name of an own method": (FLAT + """\
from M1 import Box
class A:
    def first(self): return 1
def use(): Box(ROWS).first().append(1)
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def first(self): return self.rows['k']
""",),
    "items is another name of a method": (FLAT + """\
class T:
    def pairs(self): return [(ROWS['k'], 1)]
    items = pairs
def use():
    for row, n in T().items(): row.append(1)
""",),
    "items of an imported class": (FLAT + """\
from M1 import Box
def use():
    for row, n in Box(ROWS).items(): row.append(1)
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def items(self):
        for k, v in self.rows.items(): yield v, k
""",),
    "items of an imported object in a global": (FLAT + """\
from M1 import Box
BOX = Box(ROWS)
def use():
    for row, n in BOX.items(): row.append(1)
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def items(self):
        for k, v in self.rows.items(): yield v, k
""",),
    "method of type of a row": (FLAT + """\
def use(): type(ROWS['k']).append(ROWS['k'], 3)
""",),
    "method of a subclass of list, by the class": (FLAT + """\
class Stack(list): pass
ROWS['k'] = Stack([1])
def use(): Stack.append(ROWS['k'], 3)
""",),
    "method of list, by a variable": (FLAT + """\
def use():
    cls = list
    cls.append(ROWS['k'], 3)
""",),
    "getattr of a computed name": (FLAT + """\
def use():
    for how in ('append',): getattr(ROWS['k'], how)(3)
""",),
    "getattr of a constant name": (FLAT + """\
def use():
    found = []
    getattr(found, 'append')(ROWS['k'])
    found[0].append(1)
""",),
    "another module keeps the rows one by one": (FLAT + """\
from M1 import keep, kept
def use():
    keep(ROWS)
    kept()[0].append(1)
""", """\
KEPT = []
def kept(): return KEPT
def keep(rows):
    for row in rows.values(): KEPT.append(row)
""",),
    "another module fills a list with them": (FLAT + """\
from M1 import fill
def use():
    found = []
    fill(ROWS, found)
    found[0].append(1)
""", """\
def fill(rows, found):
    for row in rows.values(): found.append(row)
""",),
    "another module raises one": (FLAT + """\
from M1 import check
def use():
    try: check(ROWS)
    except ValueError as e: e.args[0].append(1)
""", """\
def check(rows):
    for row in rows.values(): raise ValueError(row)
""",),
    "another module calls an imported function": (FLAT + """\
from M1 import each
from heapq import heappop
def use(): each(ROWS, heappop)
""", """\
def each(rows, fn):
    for row in rows.values(): fn(row)
""",),
    "another module calls a lambda": (FLAT + """\
from M1 import each
def use():
    go = lambda row: row.append(1)
    each(ROWS, go)
""", """\
def each(rows, fn):
    for row in rows.values(): fn(row)
""",),
    "another module calls an own function, by a second one": (FLAT + """\
from M1 import each
def grow(row): row.append(1)
def run(fn): each(ROWS, fn)
def use(): run(grow)
""", """\
def each(rows, fn):
    for row in rows.values(): fn(row)
""",),
    "another module calls what was registered": (FLAT + """\
from M1 import run, register
@register
def grow(row): row.append(1)
def use(): run(ROWS)
""", """\
HOOKS = []
def register(fn):
    HOOKS.append(fn)
    return fn
def run(rows):
    for hook in HOOKS:
        for row in rows.values(): hook(row)
""",),
    "module as an argument": (FLAT + """\
import M1
def run(mod): mod.change(ROWS['k'])
def use(): run(M1)
""", """\
def change(row): row.append(1)
""",),
    "what a table of another module keeps": (FLAT + """\
from M1 import E
ENGINE = E()
def use(): ENGINE.find(ROWS['k'])
""", ENGINE,),
    "what is filled in full": (FLAT + """\
from M1 import E
ENGINE = E()
def use(): ENGINE.insert(ROWS['k'])
""", ENGINE,),
    "what is caught": (FLAT + """\
from M1 import Box
BOX = Box(ROWS)
def use(): BOX.go()
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def go(self): self.rows['k'].append(1)
""",),
    "lambda that is passed on": (FLAT + """\
def change(row): row.append(1)
def each(fn): list(map(fn, ROWS.values()))
def use(): each(change)
""",),
    "namespace call": (FLAT + """\
import types
def grow(row): row.append(1)
HOOKS = types.SimpleNamespace(add=grow)
def use(): HOOKS.add(ROWS['k'])
""",),
    "namespace call change": (FLAT + """\
import types
def grow(row): row.append(1)
HOOKS = types.SimpleNamespace(change=grow)
def use(): HOOKS.change(ROWS['k'])
""",),
    "object of another module that holds it": (FLAT + """\
HELD = []
print = HELD.append
def use():
    print(ROWS['k'])
    HELD[0].append(1)
""",),
    "decorated method": (DEEP + """\
from M1 import run
class B:
    def add(self, r): self.r = r
    def go(self): self.r.append(1)
def use():
    b = B()
    run(ROWS['t'], b)
    b.go()
""", """\
def run(rows, b):
    add = b.add
    for r in rows.values(): add(r)
""",),
    "get under a short name": (DEEP + """\
def use():
    get = ROWS['t'].get
    get('k').append(1)
""",),
    "values under a short name": (DEEP + """\
def use():
    rows = ROWS['t'].values
    for row in rows(): row.append(1)
""",),
    "match binds a nonlocal": (DEEP + """\
def use():
    row = None
    def inner():
        nonlocal row
        match ROWS['t']:
            case {'k': row}: pass
    inner()
    row.append(1)
""",),
    "match binds a global": (DEEP + """\
LAST = None
def more(): LAST.append(1)
def use():
    global LAST
    match ROWS['t']:
        case {'k': LAST}: pass
    more()
""",),
    "method that a decorator replaces": (DEEP + """\
def other(function): return lambda self, rows: rows['k'].append(1)
class A:
    @other
    def run(self, rows): pass
def use(): A().run(ROWS['t'])
""",),
    "attribute of an imported class is stored": (DEEP + """\
from M1 import Box
def use():
    box = Box(1)
    box.rows = ROWS['t']
    box.go()
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def go(self): self.rows['k'].append(1)
""",),
    "base class of another module": (DEEP + """\
from M1 import Box
class Mine(Box): pass
def use(): Mine(ROWS['t']).go()
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def go(self): self.rows['k'].append(1)
""",),
    "base class of another module calls a method of the own one": (DEEP + """\
from M1 import Box
class Mine(Box):
    def visit(self, row): row.append(1)
def use(): Mine(ROWS['t']).walk()
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def walk(self):
        for row in self.rows.values(): self.visit(row)
""",),
    "UserDict": (DEEP + """\
import collections
class Box(collections.UserDict):
    def __init__(self, rows): self.data = rows
def use(): Box(ROWS['t']).update(k=[])
""",),
    "map of a function of the standard library": (LONG + """\
import random
def use(): list(map(random.shuffle, ROWS.values()))
""",),
    "module attr": ("" + """\
import M1 as data
def f(x): return len(data.ROWS['k']), x
def use(): data.ROWS['k'].append(1)
""", """\
ROWS = {'k': [1, 2]}
""",),
    "key of sort": (FLAT + """\
from M1 import grow
def use():
    rows = list(ROWS.values())
    rows.sort(key=grow)
""", OTHER),
    "own key of sort": (FLAT + """\
def use():
    rows = [(1, ROWS['k'])]
    rows.sort(key=lambda pair: pair[1].append(1) or 0)
""",),
    "attribute of a class for its base": (FLAT + """\
from M1 import Base
class B(Base): rows = ROWS
def use(): B().apply()
""", OTHER),
    "attribute of a class that is stored": (FLAT + """\
from M1 import Base
class B(Base): pass
B.rows = ROWS
def use(): B().apply()
""", OTHER),
    "decorator": (FLAT + """\
import M1
@M1.growing
def act(row): return len(row)
def use(): act(ROWS['k'])
""", OTHER),
    "passed on import": (FLAT + """\
import M1
M1.keep(ROWS)
def use(): M1.kept()['k'].append(1)
""", OTHER),
    "bound on import": (FLAT + """\
import M1
BUMP = M1.Box(ROWS['k']).go
def use(): BUMP()
""", OTHER),
    "property without a decorator": (FLAT + """\
class Q: r = property(lambda s: ROWS['k'])
def use(): Q().r.append(1)
""",),
    "property of a function": (FLAT + """\
def get(s): return ROWS['k']
class Q: r = property(get)
def use(): Q().r.append(1)
""",),
    "two classes of one name": (FLAT + """\
from M1 import Box
class K(Box):
    def visit(self, row): row.append(1)
def use(): K(ROWS['k']).go()
def other():
    class K: pass
""", OTHER),
    "replace": (FLAT + """\
import dataclasses
@dataclasses.dataclass
class K: r: list
def use(): dataclasses.replace(K([]), r=ROWS['k']).r.append(1)
""",),
    "operator under a name": (FLAT + """\
import operator
def use():
    add = operator.iadd
    add(ROWS['k'], [1])
""",),
    "operators in a table": (FLAT + """\
import operator
OPS = {'+': operator.iadd}
def use(): OPS['+'](ROWS['k'], [1])
""",),
    "operator that is passed": (FLAT + """\
import functools, operator
def use(): functools.reduce(operator.iadd, [[1]], ROWS['k'])
""",),
    "operator with underscores": (FLAT + """\
import operator
def use(): operator.__iadd__(ROWS['k'], [1])
""",),
    "methodcaller": (FLAT + """\
import operator
def use(): operator.methodcaller('append', 1)(ROWS['k'])
""",),
    "methodcaller of the module": (FLAT + """\
import operator
PUT = operator.methodcaller('append', 1)
def use(): list(map(PUT, ROWS.values()))
""",),
    "exception as a container": (FLAT + """\
def use():
    error = ValueError(ROWS['k'])
    error.args[0].append(1)
""",),
    "hook of a reader": (FLAT + """\
import json
def hook(data): return ROWS['k']
def use(): json.loads('{}', object_hook=hook).append(1)
""",),
    "metaclass": (FLAT + """\
class K(type):
    def __call__(cls, r): r.append(1)
class L(metaclass=K): pass
def use(): L(ROWS['k'])
""",),
}
"""What `use` does, and the text of the module that it imports as M1."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_may_be_changed_is_looked_at(name: str, tmp_path: Path) -> None:
    text, *others = PROGRAMS[name]
    if others:
        text = text.replace("M1", module_of(others[0], tmp_path).__name__)
    follow_module(module_of(text, tmp_path))
