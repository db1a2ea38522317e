"""Tables that are passed to functions and classes, of their own module or another: known where these leave them alone.

Invariant: what the residual gives after `use` is what the function gives.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import futamura

from .test_implied import follow_module, module_of

LOOKING = """
class Look:
    def __init__(self, rows, more=None):
        self.rows = rows
        self.log = []
    def find(self, key):
        self.log.append(key)
        return len(self.rows[key])
    def all(self):
        return [self.find(key) for key in self.rows]
"""
ENGINE = """
class Engine:
    def run(self, rows, key): return self.of(rows[key]) + self.all(rows)
    def of(self, row): return len(row)
    def all(self, rows): return sum(self.of(row) for row in rows.values())
"""
READING = {
    "Look(ROWS).find('a')": LOOKING,
    "Look(rows=ROWS).all()": LOOKING,
    "look = Look(ROWS)\n    return look.find('a') + look.find('b')": LOOKING,
    "return look('a', ROWS)": "def look(key, rows):\n    for name, row in rows.items():\n"
    "        if name == key: return len(row)\n",
    "return outer(ROWS)": "def outer(rows): return [inner(row) for row in rows.values()]\n"
    "def inner(row): return row[0]\n",
    "return Deep(ROWS).run('a')": LOOKING
    + "class Deep:\n    def __init__(self, rows): self.look = Look(rows)\n"
    "    def run(self, key): return self.look.find(key)\n",
    "return More(ROWS, 1).run('a')": LOOKING
    + "class More(Look):\n    def __init__(self, rows, n):\n        super().__init__(rows)\n        self.n = n\n"
    "    def run(self, key): return self.find(key) + self.n\n",
    "return Kept(1, ROWS).get('a')": "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Kept:\n"
    "    n: int\n    rows: dict\n    def get(self, key): return self.rows[key][0] + self.n\n",
    "return [*errors(ROWS)]": "def errors(rows):\n    found = []\n    for key, row in rows.items():\n"
    "        if not row: found.append((key, 'empty'))\n    return found\n",
    "found = errors(ROWS)\n    found.append(1)\n    return found": "def errors(rows):\n    found = []\n"
    "    for key, row in rows.items():\n        if not row: found.append((key, 'empty'))\n    return found\n",
}
GOING = """
class Box:
    def __init__(self, rows): self.rows = rows
    def go(self): self.rows['a'].append(1)
"""
KEPT = """
from dataclasses import dataclass
@dataclass
class Kept:
    rows: dict
    def go(self): self.rows['a'].append(1)
"""
CHANGING = {
    "change(ROWS)": "def change(rows): rows['a'].append(1)\n",
    "change(1, rows=ROWS)": "def change(x, *, rows): rows['a'] = [x]\n",
    "first(ROWS).append(1)": "def first(rows): return rows['a']\n",
    "each(ROWS)[0].append(1)": "def each(rows): return [*rows.values()]\n",
    "keep(ROWS)\n    more()": "KEPT = []\ndef keep(rows): KEPT.append(rows)\ndef more(): KEPT[0]['a'] = []\n",
    "Look(ROWS).rows['a'].append(3)": LOOKING,
    "look = Look(ROWS)\n    look.rows = look.rows['a']\n    look.rows.append(1)": LOOKING,
    "Box(ROWS).first().append(1)": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def first(self): return self.rows['a']\n",
    "Box(ROWS).fill()": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def fill(self): self.rows.setdefault('a', []).append(1)\n",
    "Box(ROWS).fill()  # augmented": "class Box:\n    def __init__(self, rows): self.rows = rows['a']\n"
    "    def fill(self): self.rows += [1]\n",
    "Box(ROWS).me().rows['a'].append(1)": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def me(self): return self\n",
    "with Box(ROWS) as box: box.rows['a'].append(1)": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def __enter__(self): return self\n    def __exit__(self, *_): pass\n",
    "Box(ROWS)\n    ALL[0].rows['a'].append(1)": "ALL = []\nclass Box:\n    def __init__(self, rows):\n"
    "        self.rows = rows\n        ALL.append(self)\n",
    "Sub(ROWS).go()": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "class Sub(Box):\n    def go(self): self.rows['a'].append(1)\n",
    "Box(ROWS).go('rows')": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def go(self, name): getattr(self, name)['a'].append(1)\n",
    "Box(ROWS).go()": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def go(self): vars(self)['rows']['a'].append(1)\n",
    "Box(ROWS).go()  # dict": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def go(self):\n        for kept in self.__dict__.values(): kept['a'].append(1)\n",
    "Box(ROWS).go()  # match": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def go(self):\n        match self:\n            case Box(rows=kept): kept['a'].append(1)\n",
    "Box(ROWS).go()  # other": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def go(self): Other(self).run()\n"
    "class Other:\n    def __init__(self, box): self.box = box\n    def run(self): self.box.rows['a'].append(1)\n",
    "Box(ROWS).go()  # alias": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def go(self):\n        first = self.rows\n        second = first\n        second['a'].append(1)\n",
    "Box(ROWS)\n    ALL[0]['a'].append(1)": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    @property\n    def rows(self): return 1\n    @rows.setter\n    def rows(self, value):\n"
    "        ALL.append(value)\nALL = []\n",
    "Box(ROWS)": "class Field:\n    def __set__(self, box, value):\n        if value != 1: value['a'].append(1)\n"
    "class Box:\n    rows = Field()\n    def __init__(self, rows): self.rows = rows\n",
    "Box(ROWS)  # setattr": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def __setattr__(self, name, value): value['a'].append(1)\n",
    "Box(ROWS)  # new": "class Box:\n    def __new__(cls, rows):\n        rows['a'].append(1)\n"
    "        return object.__new__(cls)\n    def __init__(self, rows): self.rows = rows\n",
    "Box(ROWS).update(a=[])": "import collections\nclass Box(collections.UserDict):\n"
    "    def __init__(self, rows): self.data = rows\n",
    "Kept(ROWS)": "from dataclasses import dataclass\n@dataclass\nclass Kept:\n    rows: dict\n"
    "    def __post_init__(self): self.rows['a'].append(1)\n",
    "Kept(ROWS, 1)": "from dataclasses import dataclass, InitVar\n@dataclass\nclass Kept:\n"
    "    rows: InitVar[dict]\n    n: int\n    def __post_init__(self, given): given['a'].append(1)\n",
    "apply(add, ROWS)": "def apply(function, rows): return function(rows)\ndef add(rows): rows['a'].append(1)\n",
    "run(ROWS)": "def run(rows):\n    def inner(): rows['a'].append(1)\n    inner()\n",
    "run(ROWS)  # loop": "def run(rows):\n    for row in rows.values(): row.append(1)\n",
    "run(ROWS)  # items": "def run(rows):\n    for key, row in rows.items(): row.append(1)\n",
    "run(ROWS)  # augmented": "def run(rows):\n    rows |= {'a': []}\n",
    "run(ROWS)  # star": "def run(*rows): rows[0]['a'].append(1)\n",
    "run(**{'rows': ROWS})": "def run(rows): rows['a'].append(1)\n",
    "run(ROWS)  # walrus": "def run(rows):\n    if (found := rows): found['a'].append(1)\n",
    "next(run(ROWS))": "def run(rows):\n    yield rows['a'].append(1)\n",
    "next(run(ROWS)).append(1)": "def run(rows):\n    yield rows['a']\n",
    "run(ROWS)()": "def run(rows): return lambda: rows['a'].append(1)\n",
    "[box.go() for box in map(Box, [ROWS])]": GOING,
    "Box.made(ROWS).go()": GOING + "    @classmethod\n    def made(cls, rows): return cls(rows)\n",
    "Box({'a': []}).again(ROWS).go()": GOING + "    def again(self, rows): return type(self)(rows)\n",
    "Box({'a': []}).other(ROWS).go()": GOING + "    def other(self, rows): return self.__class__(rows)\n",
    "KINDS['box'](ROWS).go()": GOING + "KINDS = {'box': Box}\n",
    "Sub(ROWS, 1).go()  # inherited": GOING + "class Sub(Box):\n    def __init__(self, rows, n):\n"
    "        super().__init__(rows)\n",
    "Sub(ROWS, 1).go()  # called": GOING + "class Sub(Box):\n    def __init__(self, rows, n):\n"
    "        Box.__init__(self, rows)\n",
    "Box(**{'rows': ROWS}).go()": GOING,
    "Box(*[ROWS]).go()": GOING,
    "Pair(ROWS).go()": "class Pair:\n    def __init__(self, rows): self.rows, self.n = rows, 1\n"
    "    def go(self): self.rows['a'].append(1)\n",
    "Pair(ROWS).go()  # loop": "class Pair:\n    def __init__(self, rows): self.all = [rows]\n"
    "    def go(self):\n        for self.rows in self.all: self.rows['a'].append(1)\n",
    "Kept(ROWS).go()": KEPT,
    "Sub(ROWS, 1).go()  # dataclass": KEPT + "@dataclass\nclass Sub(Kept):\n    n: int\n",
    "Kept(**{'rows': ROWS}).go()": KEPT,
    "Kept.made(ROWS).go()": KEPT + "    @classmethod\n    def made(cls, rows): return cls(rows)\n",
    "Box(1).fill(ROWS).go()": GOING + "    def fill(self, rows):\n        self.rows = rows\n        return self\n",
    "Box(1).set('rows', ROWS).go()": GOING + "    def set(self, name, value):\n        setattr(self, name, value)\n"
    "        return self\n",
    "box = Box(1)\n    box.rows = ROWS\n    box.go()": GOING,
    "Fast().run(ROWS, 'a')": ENGINE + "class Fast(Engine):\n    def of(self, row): return row.append(1) or 1\n",
    "Fast().run(ROWS, 'a')  # own": ENGINE + "class Fast(Engine):\n    def run(self, rows, key): rows[key].append(1)\n",
    "Engine().run(ROWS)": "class Engine:\n    def __init__(self): self.run = change\n    def run(self, rows): pass\n"
    "def change(rows): rows['a'].append(1)\n",
    "Engine().run(ROWS)  # static": "class Engine:\n    @staticmethod\n    def run(rows): rows['a'].append(1)\n",
    "Engine().run(ROWS)  # decorated": "def other(function): return lambda self, rows: rows['a'].append(1)\n"
    "class Engine:\n    @other\n    def run(self, rows): pass\n",
    "Engine().run(ROWS).append(1)": "class Engine:\n    def run(self, rows): return rows['a']\n",
    "MADE.run(ROWS)\n    MADE.go()": "class Engine:\n    def run(self, rows): self.rows = rows['a']\n"
    "    def go(self): self.rows.append(1)\nMADE = Engine()\n",
    "MADE.run(ROWS)  # later": "class Engine:\n    def run(self, rows): rows['a'].append(1)\n"
    "class Other:\n    def run(self, rows): pass\nMADE = Other()\nMADE.__class__ = Engine\n",
    "run(Engine(), ROWS)": "class Engine:\n    def run(self, rows): rows['a'].append(1)\n"
    "class Other:\n    def run(self, rows): pass\ndef run(engine, rows): engine.run(rows)\n",
    "made(ROWS)().append(4)": "def made(rows): return lambda: rows['a']\n",
    "made(ROWS)().append(5)": "def made(rows):\n    def inner(): return rows['a']\n    return inner\n",
    "made(ROWS)['g']().append(4)": "def made(rows):\n    def inner(): return rows['a']\n    return {'g': inner}\n",
    "Box(ROWS).made()().append(4)": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def made(self): return lambda: self.rows['a']\n",
    "first = Box(ROWS).first\n    first().append(1)": "class Box:\n    def __init__(self, rows): self.rows = rows\n"
    "    def first(self): return self.rows['a']\n",
    "for first in (Box(ROWS).first,): first().append(1)": "class Box:\n"
    "    def __init__(self, rows): self.rows = rows\n    def first(self): return self.rows['a']\n",
    "run(ROWS)  # partial": "import functools\ndef run(rows): functools.partial(rows['a'].append, 1)()\n",
}


@pytest.fixture(params=["one", "two", "attribute"])
def split(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def program(engine: str, use: str, split: str, folder: Path) -> ModuleType:
    """The engine and what uses it, in one module or in two."""
    text = f"ROWS = {{'a': [1, 2], 'b': [3]}}\ndef f(x): return len(ROWS.get('a', ())), x\ndef use():\n    {use}\n"
    if split == "one":
        return module_of(engine + text, folder)
    other = module_of(engine, folder)
    names = [name for name in vars(other) if not name.startswith("_")]
    if split == "two":
        return module_of(f"from {other.__name__} import {', '.join(names)}\n{text}", folder)
    for name in names:
        text = text.replace(f"    {name}(", f"    engine.{name}(").replace(f"return {name}(", f"return engine.{name}(")
    text = f"import {other.__name__} as engine\nfrom {other.__name__} import {', '.join(names)}\n{text}"
    return module_of(text, folder)


@pytest.mark.parametrize("use", READING)
def test_what_is_left_alone_is_known(use: str, split: str, tmp_path: Path) -> None:
    module = program(READING[use], use, split, tmp_path)
    residual = futamura.specialize(module.f)
    assert residual.source.strip().endswith("return 2, x"), [event.reason for event in residual.events]
    module.use()
    assert residual(1) == module.f(1)


@pytest.mark.parametrize("use", CHANGING)
def test_what_is_changed_is_followed(use: str, split: str, tmp_path: Path) -> None:
    follow_module(program(CHANGING[use], use, split, tmp_path))


GLOBAL = """
class Box:
    def __init__(self, rows): self.rows = rows
    def first(self): return self.rows["a"]
def length(rows): return len(rows["a"])
def go(rows): return length(rows)
"""
REBOUND = """
import ENGINE as engine
from ENGINE import Box
ROWS = {"a": [1, 2]}
BOX = Box(ROWS)
def f(x): return len(ROWS["a"]), x
def change(rows): rows["a"].append(1)
def use(name="length"):
    CHANGE
"""
REBINDING = [
    "BOX.first().append(1)",
    "engine.length = change; engine.go(ROWS)",
    "setattr(engine, name, change); engine.go(ROWS)",
    "vars(engine)[name] = change; engine.go(ROWS)",
    "engine.__dict__[name] = change; engine.go(ROWS)",
]


@pytest.mark.parametrize("change", REBINDING)
def test_globals_of_other_modules(change: str, tmp_path: Path) -> None:
    engine = module_of(GLOBAL, tmp_path)
    follow_module(module_of(REBOUND.replace("ENGINE", engine.__name__).replace("CHANGE", change), tmp_path))


LEFT = """
import RIGHT
ROWS = {'a': [1, 2]}
def f(x): return len(ROWS['a']), x
def look(rows): return RIGHT.find(rows)
def use(): return RIGHT.find(ROWS), look(ROWS)
"""
RIGHT = """
left = None
LINES = {'a': [1]}
def g(x): return len(LINES['a']), x
def find(rows): return len(rows['a'])
def far(rows): return left.look(rows)
def use(): return left.look(LINES), far(LINES)
"""


@pytest.mark.parametrize("order", [("f", "g"), ("g", "f")])
def test_modules_that_call_each_other(order: tuple[str, ...], tmp_path: Path) -> None:
    """What is said of one does not depend on which is read first."""
    right = module_of(RIGHT, tmp_path)
    left = module_of(LEFT.replace("RIGHT", right.__name__), tmp_path)
    vars(right)["left"] = left
    functions = {"f": left.f, "g": right.g}
    texts = {name: futamura.specialize(functions[name]).source for name in order}
    assert texts == {"f": "def f(x):\n    return 2, x\n", "g": "def g(x):\n    return 1, x\n"}
