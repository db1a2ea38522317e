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

PROGRAMS = {
    "method of an imported class 1": (FLAT + """\
from M1 import E
def use():
    put = E().insert
    put(ROWS['k'])
""", """\
class E:
    def insert(self, row): row.append(1)
    def change(self, row): row.append(1)
    def find(self, row): row.append(1)
""",),
    "static method under a short name 2": (FLAT + """\
class A:
    @staticmethod
    def add(row): row.append(1)
    def go(self):
        add = self.add
        add(ROWS['k'])
def use(): A().go()
""",),
    "method of a class that type gives 3": (FLAT + """\
def use():
    add = type(ROWS['k']).append
    add(ROWS['k'], 3)
""",),
    "property that gives a function 4": (FLAT + """\
def grow(row): row.append(1)
class B:
    @property
    def add(self): return grow
def use():
    add = B().add
    add(ROWS['k'])
""",),
    "__getattr__ that gives a function 5": (FLAT + """\
class B:
    def __getattr__(self, name): return lambda row: row.append(1)
def use():
    add = B().add
    add(ROWS['k'])
""",),
    "namespace with a function 6": (FLAT + """\
import types
def grow(row): row.append(1)
HOOKS = types.SimpleNamespace(add=grow)
def use():
    add = HOOKS.add
    add(ROWS['k'])
""",),
    "named tuple with a function 7": (FLAT + """\
import collections
def grow(row): row.append(1)
B = collections.namedtuple('B', 'add')
def use():
    add = B(grow).add
    add(ROWS['k'])
""",),
    "function that setattr makes a method 8": (FLAT + """\
import collections
def grow(self, row): row.append(1)
class B: pass
setattr(B, 'add', grow)
def use():
    add = B().add
    add(ROWS['k'])
""",),
    "method that an attribute keeps 9": (FLAT + """\
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
    "module under another name 10": (FLAT + """\
import M1
def use():
    mod = M1
    add = mod.add
    add(ROWS['k'])
""", """\
def add(row): row.append(1)
""",),
    "list of another module that keeps it 11": (FLAT + """\
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
    "list that another module fills 12": (FLAT + """\
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
    "static 13": (FLAT + """\
class A:
    @staticmethod
    def change(row): row.append(1)
    def go(self): self.change(ROWS['k'])
def use(): A().go()
""",),
    "get module 14": (FLAT + """\
GET = ROWS.get
def use(): GET('k').append(1)
""",),
    "default 15": (FLAT + """\
def use():
    def inner(n=ROWS['k'].pop()): return n
""",),
    "default m 16": (FLAT + """\
def use():
    def inner(add=ROWS['k'].append): add(1)
    inner()
""",),
    "deco 17": (FLAT + """\
def change(row):
    row.append(1)
    return lambda g: g
def use():
    @change(ROWS['k'])
    def inner(): pass
""",),
    "lambda 18": (FLAT + """\
def use(): return lambda n=ROWS['k'].pop(): n
""",),
    "class in fn 19": (FLAT + """\
def use():
    class A:
        row = ROWS['k']
    A.row.append(1)
""",),
    "partial module 20": (FLAT + """\
import functools
def change(row): row.append(1)
ADD = functools.partial(change, ROWS['k'])
def use(): ADD()
""",),
    "gen module 21": (FLAT + """\
def fill(row):
    while True: row.append((yield))
FILL = fill(ROWS['k'])
next(FILL)
def use(): FILL.send(4)
""",),
    "genexp 22": (FLAT + """\
GEN = (row.append(1) for row in ROWS.values())
def use(): next(GEN)
""",),
    "map 23": (FLAT + """\
def change(row): row.append(1)
LAZY = map(change, ROWS.values())
def use(): list(LAZY)
""",),
    "partial first 24": (FLAT + """\
import functools
def first(rows): return rows['k']
GET = functools.partial(first, ROWS)
def use(): GET().append(1)
""",),
    "methodtype 25": (FLAT + """\
import types
def change(row): row.append(1)
M = types.MethodType(change, ROWS['k'])
def use(): M()
""",),
    "short foreign method 26": (FLAT + """\
from M1 import E
def use():
    change = E().change
    change(ROWS['k'])
""", """\
class E:
    def insert(self, row): row.append(1)
    def change(self, row): row.append(1)
    def find(self, row): row.append(1)
""",),
    "module 27": (FLAT + """\
from M1 import E
CHANGE = E().change
def use(): CHANGE(ROWS['k'])
""", """\
class E:
    def insert(self, row): row.append(1)
    def change(self, row): row.append(1)
    def find(self, row): row.append(1)
""",),
    "map heappop 28": (FLAT + """\
from heapq import heappop
def use(): sorted(ROWS.values(), key=heappop)
""",),
    "map own module 29": (FLAT + """\
from M1 import change
def use(): list(map(change, ROWS.values()))
""", """\
def change(row): row.append(1)
""",),
    "map pop 30": (FLAT + """\
def use():
    pop = list.pop
    list(map(pop, ROWS.values()))
""",),
    "map partial 31": (FLAT + """\
import functools
def change(n, row): row.append(n)
def use(): list(map(functools.partial(change, 3), ROWS.values()))
""",),
    "partial foreign 32": (FLAT + """\
import functools
from M1 import E
ENGINE = E()
def use(): functools.partial(ENGINE.change, ROWS['k'])()
""", """\
class E:
    def insert(self, row): row.append(1)
    def change(self, row): row.append(1)
    def find(self, row): row.append(1)
""",),
    "property 33": (FLAT + """\
def grow(row): row.append(1)
class A:
    @property
    def change(self): return grow
def use(): A().change(ROWS['k'])
""",),
    "shadowed 34": (FLAT + """\
def act(row): return len(row)
def grow(row): row.append(1)
HOOK = grow
def use():
    act = HOOK
    act(ROWS['k'])
""",),
    "same name 35": (FLAT + """\
from M1 import Box
class A:
    def first(self): return 1
def use(): Box(ROWS).first().append(1)
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def first(self): return self.rows['k']
""",),
    "items alias 36": (FLAT + """\
class T:
    def pairs(self): return [(ROWS['k'], 1)]
    items = pairs
def use():
    for row, n in T().items(): row.append(1)
""",),
    "items other 37": (FLAT + """\
from M1 import Box
def use():
    for row, n in Box(ROWS).items(): row.append(1)
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def items(self):
        for k, v in self.rows.items(): yield v, k
""",),
    "items other global 38": (FLAT + """\
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
    "type 39": (FLAT + """\
def use(): type(ROWS['k']).append(ROWS['k'], 3)
""",),
    "cls 40": (FLAT + """\
class Stack(list): pass
ROWS['k'] = Stack([1])
def use(): Stack.append(ROWS['k'], 3)
""",),
    "cls 41": (FLAT + """\
def use():
    cls = list
    cls.append(ROWS['k'], 3)
""",),
    "getattr 42": (FLAT + """\
def use():
    for how in ('append',): getattr(ROWS['k'], how)(3)
""",),
    "getattr 43": (FLAT + """\
def use():
    found = []
    getattr(found, 'append')(ROWS['k'])
    found[0].append(1)
""",),
    "keep 44": (FLAT + """\
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
    "fill 45": (FLAT + """\
from M1 import fill
def use():
    found = []
    fill(ROWS, found)
    found[0].append(1)
""", """\
def fill(rows, found):
    for row in rows.values(): found.append(row)
""",),
    "raise 46": (FLAT + """\
from M1 import check
def use():
    try: check(ROWS)
    except ValueError as e: e.args[0].append(1)
""", """\
def check(rows):
    for row in rows.values(): raise ValueError(row)
""",),
    "each 47": (FLAT + """\
from M1 import each
from heapq import heappop
def use(): each(ROWS, heappop)
""", """\
def each(rows, fn):
    for row in rows.values(): fn(row)
""",),
    "each lambda 48": (FLAT + """\
from M1 import each
def use():
    go = lambda row: row.append(1)
    each(ROWS, go)
""", """\
def each(rows, fn):
    for row in rows.values(): fn(row)
""",),
    "each run 49": (FLAT + """\
from M1 import each
def grow(row): row.append(1)
def run(fn): each(ROWS, fn)
def use(): run(grow)
""", """\
def each(rows, fn):
    for row in rows.values(): fn(row)
""",),
    "register 50": (FLAT + """\
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
    "modval 51": (FLAT + """\
import M1
def run(mod): mod.change(ROWS['k'])
def use(): run(M1)
""", """\
def change(row): row.append(1)
""",),
    "what a table of another module keeps 52": (FLAT + """\
from M1 import E
ENGINE = E()
def use(): ENGINE.find(ROWS['k'])
""", """\
class E:
    def insert(self, row): row.append(1)
    def change(self, row): row.append(1)
    def find(self, row): row.append(1)
""",),
    "what is filled in full 53": (FLAT + """\
from M1 import E
ENGINE = E()
def use(): ENGINE.insert(ROWS['k'])
""", """\
class E:
    def insert(self, row): row.append(1)
    def change(self, row): row.append(1)
    def find(self, row): row.append(1)
""",),
    "what is caught 54": (FLAT + """\
from M1 import Box
BOX = Box(ROWS)
def use(): BOX.go()
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def go(self): self.rows['k'].append(1)
""",),
    "lambda that is passed on 55": (FLAT + """\
def change(row): row.append(1)
def each(fn): list(map(fn, ROWS.values()))
def use(): each(change)
""",),
    "namespace call 56": (FLAT + """\
import types
def grow(row): row.append(1)
HOOKS = types.SimpleNamespace(add=grow)
def use(): HOOKS.add(ROWS['k'])
""",),
    "namespace call change 57": (FLAT + """\
import types
def grow(row): row.append(1)
HOOKS = types.SimpleNamespace(change=grow)
def use(): HOOKS.change(ROWS['k'])
""",),
    "object of another module that holds it 58": (FLAT + """\
HELD = []
print = HELD.append
def use():
    print(ROWS['k'])
    HELD[0].append(1)
""",),
    "decorated method 59": (DEEP + """\
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
    "get 60": (DEEP + """\
def use():
    get = ROWS['t'].get
    get('k').append(1)
""",),
    "values 61": (DEEP + """\
def use():
    rows = ROWS['t'].values
    for row in rows(): row.append(1)
""",),
    "match nonlocal 62": (DEEP + """\
def use():
    row = None
    def inner():
        nonlocal row
        match ROWS['t']:
            case {'k': row}: pass
    inner()
    row.append(1)
""",),
    "match global 63": (DEEP + """\
LAST = None
def more(): LAST.append(1)
def use():
    global LAST
    match ROWS['t']:
        case {'k': LAST}: pass
    more()
""",),
    "decorated 64": (DEEP + """\
def other(function): return lambda self, rows: rows['k'].append(1)
class A:
    @other
    def run(self, rows): pass
def use(): A().run(ROWS['t'])
""",),
    "box.rows 65": (DEEP + """\
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
    "subclass 66": (DEEP + """\
from M1 import Box
class Mine(Box): pass
def use(): Mine(ROWS['t']).go()
""", """\
class Box:
    def __init__(self, rows): self.rows = rows
    def go(self): self.rows['k'].append(1)
""",),
    "subclass visit 67": (DEEP + """\
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
    "UserDict 68": (DEEP + """\
import collections
class Box(collections.UserDict):
    def __init__(self, rows): self.data = rows
def use(): Box(ROWS['t']).update(k=[])
""",),
    "map imported 69": (LONG + """\
import random
def use(): list(map(random.shuffle, ROWS.values()))
""",),
    "module attr 70": ("" + """\
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
