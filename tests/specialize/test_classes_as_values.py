"""Classes, constructors and special methods that are called by other ways than their names, in the middle of a call.

    type(ONE)(ROWS[1], PARTS[0])        KINDS["P"](ROWS[1], PARTS[0])        __init__ = start
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.specialize.specializing import specialize
from tests.specialize.test_modules import agree_midway, module

READ = """
ROWS = [[1], [2]]
PARTS = [Part(1), Part(2)]

def read(x):
    return [len(row) * x for row in ROWS], PARTS[0].k * x, PARTS[1].n[0]

def midway(x, f):
    first = read(x)
    f()
    return first, read(x)
"""
PART = """
KINDS = {}
class Part:
    def __init__(self, n):
        self.k = n
        self.n = [n]
"""
AGAIN = """
ROWS = [[1], [2]]
class Part:
    def __init__(self, n):
        self.k = n
        self.rows = []
        self.rows.append(n)

PARTS = [Part(1), Part(2)]
ONE = Part(7)

def pick(n):
    return PARTS[n]

def read(x):
    return PARTS[0].k * x, PARTS[0].rows[0], ONE.k * x, ONE.rows[0], len(ONE.rows)

def midway(x, f):
    first = read(x)
    f()
    return first, read(x)
"""
CHANGES = ("a.append(1)", "b.k += 1", "b.n.insert(0, 5)")
MADE = "class P:\n    def __init__(self, a, b): CHANGE\n"
KEPT = "class P(Base):\n    def __init__(self, a, b): CHANGE\n"
CALL = "P(ROWS[1], PARTS[0])"
BY_CLASSES = {
    "type": (f"{MADE}OWN = P([], Part(1))\n", "type(OWN)(ROWS[1], PARTS[0])"),
    "a variable": (f"{MADE}OWN = P([], Part(1))\n", "c = type(OWN)\n    c(ROWS[1], PARTS[0])"),
    "of itself": (
        f"{MADE}    def again(self, *a): return type(self)(*a)\nOWN = P([], Part(1))\n", "OWN.again(ROWS[1], PARTS[0])",
    ),
    "the cell": (
        f"{MADE}    def again(self, *a): return __class__(*a)\nOWN = P([], Part(1))\n", "OWN.again(ROWS[1], PARTS[0])",
    ),
    "an order": (f"{MADE}class Q(P):\n    def __init__(self): pass\n", "Q.__mro__[1](ROWS[1], PARTS[0])"),
    "its bases": (f"{MADE}class Q(P):\n    def __init__(self): pass\n", "Q.__bases__[0](ROWS[1], PARTS[0])"),
    "a hook": (
        "class Base:\n    def __init_subclass__(cls): KINDS['P'] = cls\n" + KEPT, "KINDS['P'](ROWS[1], PARTS[0])",
    ),
    "a decorator": (
        "def keep(cls):\n    KINDS['P'] = cls\n    return cls\n@keep\n" + MADE, "KINDS['P'](ROWS[1], PARTS[0])",
    ),
    "a metaclass": (
        "class M(type):\n    def __new__(m, n, b, s):\n        made = super().__new__(m, n, b, s)\n"
        "        KINDS[n] = made\n        return made\n" + MADE.replace("P:", "P(metaclass=M):"),
        "KINDS['P'](ROWS[1], PARTS[0])",
    ),
    "a name": (
        "class D:\n    def __set_name__(self, owner, name): KINDS['P'] = owner\n" + MADE + "    d = D()\n",
        "KINDS['P'](ROWS[1], PARTS[0])",
    ),
    "a class method": (MADE + "    @classmethod\n    def get(cls): return cls\n", "P.get()(ROWS[1], PARTS[0])"),
    "a property": (
        MADE + "    @property\n    def kind(self): return type(self)\nOWN = P([], Part(1))\n",
        "OWN.kind(ROWS[1], PARTS[0])",
    ),
    "another class": (
        "class P:\n    def __init__(self, a, b): pass\nclass Q:\n    def __init__(self, a, b): CHANGE\n"
        "def swap():\n    global P\n    P = Q\n",
        f"swap()\n    {CALL}",
    ),
    "a metaclass's call": ("class M(type):\n    def __call__(c, a, b): CHANGE\nclass P(metaclass=M): pass\n", CALL),
    "a tuple": (
        "from collections import namedtuple\nclass P(namedtuple('P', 'a b')):\n    def __init__(self, a, b): CHANGE\n"
        "OWN = P([], Part(1))\n",
        "type(OWN)(ROWS[1], PARTS[0])",
    ),
}  # fmt: skip
BY_NAMES = {
    "a store": ("def start(self, a, b): CHANGE\nclass P: pass\nP.__init__ = start\n", CALL),
    "setattr": ("def start(self, a, b): CHANGE\nclass P: pass\nsetattr(P, '__init__', start)\n", CALL),
    "a body": ("def start(self, a, b): CHANGE\nclass P:\n    __init__ = start\n", CALL),
    "its own body": ("class P:\n    def start(self, a, b): CHANGE\n    __init__ = start\n", CALL),
    "a new object": ("def start(cls, a, b): CHANGE\nclass P:\n    __new__ = start\n", CALL),
    "an operator": (
        "class P:\n    def plus(self, a, b=PARTS): b = b[0]; CHANGE\n    __add__ = plus\n", "P() + ROWS[1]",
    ),
    "an item": ("class P:\n    def at(self, a, b=PARTS): b = b[0]; CHANGE\n    __getitem__ = at\n", "P()[ROWS[1]]"),
    "a metaclass's call": (
        "class M(type):\n    def go(c, a, b): CHANGE\n    __call__ = go\nclass P(metaclass=M): pass\n", CALL,
    ),
}  # fmt: skip
CALLS = [
    "type(ONE).__init__(ONE, 8)", "type(PARTS[0]).__init__(PARTS[0], 8)", "pick(0).__init__(9)",
    "type(ONE).__dict__['__init__'](ONE, 6)", "vars(Part)['__init__'](PARTS[0], 6)", "type(ONE).__call__(3)",
    "ONE.__getattribute__('__init__')(77)", "super(Part, ONE).__init__()", "getattr(type(ONE), '__init__')(ONE, 7)",
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("way", [*BY_CLASSES, *(f"special: {way}" for way in BY_NAMES)])
def test_constructors_and_special_methods(
    way: str, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, call = BY_NAMES[way[9:]] if way.startswith("special: ") else BY_CLASSES[way]
    text = re.sub(r"\bCHANGE\b", change, text)
    own = f"{READ}{text}" if "=PARTS" in text else f"{text}{READ}"
    agree_midway("valued_", f"{PART}{own}\ndef poke():\n    {call}\n", tmp_path, monkeypatch, "poke", 3)


@pytest.mark.parametrize("call", CALLS)
def test_a_constructor_that_is_called_again(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not only run on import."""
    agree_midway("again_", f"{AGAIN}\ndef poke():\n    {call}\n", tmp_path, monkeypatch, "poke", 3)


def test_no_object_is_asked_for_its_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "ASKED = []\nclass One:\n    def __init__(self):\n        self.k = 1\n        self.n = [1]\n"
    text += "    @property\n    def __class__(self):\n        ASKED.append(1)\n        return type\n"
    text += "ONE = One()\ndef read(x):\n    return ONE.k * x, ONE.n[0], len(ASKED)\n"
    text += "def midway(x, f):\n    first = read(x)\n    f()\n    return first, read(x)\n"
    text += "def poke():\n    ONE.n[0] = 3\n"
    agree_midway("asked_", text, tmp_path, monkeypatch, "poke", 3)


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize(
    "alias",
    [
        "__str__ = show", "__call__ = show", "__str__ = __repr__", "__radd__ = __add__", "__hash__ = Base.__hash__",
        "__slots__ = ()", "__doc__ = 'x'",
    ],
)  # fmt: skip
def test_methods_under_two_names_leave_constants(alias: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "RATES = {'a': 2, 'b': 3}\nclass Base:\n    def __hash__(self):\n        return 1\n"
    text += "class Part(Base):\n    def __repr__(self):\n        return 'part'\n"
    text += "    def __add__(self, other):\n        return other\n    def show(self):\n        return 'shown'\n"
    text += f"    {alias}\n"
    text += "def run(x):\n    return RATES['a'] * x\n"
    users: Any = module("aliased_methods_", text, tmp_path, monkeypatch)
    residual = specialize(users.run)
    assert "RATES" not in residual.source and residual(4) == 8
