"""Results of cached functions that the module keeps, or hands on, while it is imported: functions may change them.

Invariant: the residual gives what the function does after any such change; equal keys of another class share an entry.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

import futamura
from tests.specialize.twins import outcome, twin

IMPORTS = "import collections, dataclasses, enum, functools, operator, types\n"
FORMS = {
    "lru": "@functools.lru_cache(maxsize=None)\ndef table(name): return {name: [len(name)]}\n",
    "memo": (
        "KEPT = {}\ndef table(name):\n    if name not in KEPT:\n        KEPT[name] = {name: [len(name)]}\n"
        "    return KEPT[name]\n"
    ),
}
USE = "def use(name, y): return len(table(name)[name]), y\n"

KEEPING = [
    "ROWS = table('abc')\ndef change(): ROWS['abc'].append(7)",
    "ROWS = [table('abc')]\ndef change(): ROWS[0]['abc'].append(7)",
    "STORE = []\nSTORE.append(table('abc'))\ndef change(): STORE[0]['abc'].append(7)",
    "for ROWS in [table('abc')]: pass\ndef change(): ROWS['abc'].append(7)",
    "if (ROWS := table('abc')): pass\ndef change(): ROWS['abc'].append(7)",
    "class H:\n    rows = table('abc')\ndef change(): H.rows['abc'].append(7)",
    "class H:\n    def __init__(self, d): self.d = d\nHH = H(table('abc'))\ndef change(): HH.d['abc'].append(7)",
    "def mk(d):\n    def change(): d['abc'].append(7)\n    return change\nchange = mk(table('abc'))",
    "class H:\n    def put(self): self.d['abc'].append(7)\nh = H(); h.d = table('abc')\nchange = h.put",
    "def change():\n    for d in map(table, ['abc']): d['abc'].append(7)",
    "@dataclasses.dataclass\nclass D:\n"
    "    d: dict = dataclasses.field(default_factory=functools.partial(table, 'abc'))\n"
    "def change(): D().d['abc'].append(7)",
    "DD = collections.defaultdict(functools.partial(table, 'abc'))\ndef change(): DD['q']['abc'].append(7)",
    "def change(d=table('abc')): d['abc'].append(7)",
    "def change(*, d=table('abc')): d['abc'].append(7)",
    "change = lambda d=table('abc'): d['abc'].append(7)",
    "G = None\ndef setup():\n    global G\n    G = table('abc')\nsetup()\ndef change(): G['abc'].append(7)",
    "class B:\n    def __init_subclass__(cls): cls.rows = table('abc')\nclass S(B): pass\n"
    "def change(): S.rows['abc'].append(7)",
    "class D:\n    def __set_name__(self, o, n): self.rows = table('abc')\nclass S:\n    d = D()\n"
    "def change(): vars(S)['d'].rows['abc'].append(7)",
    "def put(d): d['abc'].append(7)\nchange = functools.partial(put, table('abc'))",
    "change = functools.partial(table('abc')['abc'].append, 5)",
    "class M(type):\n    def __new__(m, n, b, d, r=None):\n        r['abc'].append(9)\n"
    "        return super().__new__(m, n, b, d)\n    def __init__(c, n, b, d, r=None): pass\n"
    "def change():\n    class C(metaclass=M, r=table('abc')): pass",
    "TABLES = {'t': table}\ndef change(): TABLES['t']('abc')['abc'].append(7)",
    "alias = table\ndef change(): alias('abc')['abc'].append(7)",
]
TABLE = "TAB = {'abc': [1, 2]}\ndef use(name, y): return len(TAB[name]), y\n"
GIVEN = [
    "class D:\n    def __get__(self, o, c): return TAB['abc']\nclass Q:\n    z = D()\n"
    "def change():\n    for k in ['z']: getattr(Q(), k).append(9)",
    "class D:\n    def __get__(self, o, c): return TAB['abc']\nclass Q:\n    z = D()\n"
    "def change():\n    match Q():\n        case Q(z=w): w.append(9)",
    "class D:\n    def __get__(self, o, c): return TAB['abc']\nclass Q:\n    z = D()\n"
    "def change(): operator.attrgetter('z')(Q()).append(9)",
    "class D:\n    def __get__(self, o, c): return TAB['abc']\nclass Q:\n    z = D()\ndef change(): Q().z.append(9)",
    "class Q:\n    def __str__(self): return TAB['abc']\ndef change(): operator.methodcaller('__str__')(Q()).append(9)",
    "class Q:\n    def __str__(self): return TAB['abc']\ndef change(): Q().__str__().append(9)",
]


def module(tmp_path: Path, text: str) -> Any:
    return twin(tmp_path, IMPORTS + textwrap.dedent(text))


def same(tmp_path: Path, text: str) -> None:
    ours, theirs = module(tmp_path, text), module(tmp_path, text)
    residual = futamura.specialize(ours.use, "abc")
    for _ in range(3):
        assert residual(1) == theirs.use("abc", 1)
        ours.change()
        theirs.change()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("keeping", KEEPING)
def test_what_is_kept_on_import_may_be_changed(tmp_path: Path, form: str, keeping: str) -> None:
    same(tmp_path, FORMS[form] + USE + keeping)


@pytest.mark.parametrize("given", GIVEN)
def test_what_special_methods_give_may_be_changed(tmp_path: Path, given: str) -> None:
    same(tmp_path, TABLE + given)


KEYS = [
    ("range(0)", "range(1, 1)"), ("('a',)", "NT('a')"), ("('a', ('b',))", "('a', NT('b'))"),
    ("b'a'", "memoryview(b'a')"),
    ("'a'", "E.A"), ("'a'", "Own('a')"), ("frozenset('a')", "frozenset([E.A])"), ("slice(1)", "slice(1)"),
    ("1", "True"), ("(1,)", "(True,)"), ("None", "None"), ("E.A", "'a'"),
]  # fmt: skip
OF_KEYS = {
    "lru": "@functools.lru_cache\ndef table(k): return repr(k), type(k).__name__\ndef use(k, y): return table(k), y\n",
    "method": (
        "class C:\n    @functools.lru_cache\n    def table(self, k): return repr(k), type(k).__name__\nC1 = C()\n"
        "table = C1.table\ndef use(k, y): return C1.table(k), y\n"
    ),
    "memo": (
        "KEPT = {}\ndef table(k):\n    if k not in KEPT:\n        KEPT[k] = repr(k), type(k).__name__\n"
        "    return KEPT[k]\ndef use(k, y): return table(k), y\n"
    ),
}
CLASSES = "NT = collections.namedtuple('NT', 'a')\nclass E(str, enum.Enum):\n    A = 'a'\nclass Own(str):\n    pass\n"


@pytest.mark.parametrize("form", OF_KEYS)
@pytest.mark.parametrize(("key", "earlier"), KEYS)
def test_equal_keys_share_an_entry(tmp_path: Path, form: str, key: str, earlier: str) -> None:
    text = CLASSES + OF_KEYS[form]
    ours, theirs = module(tmp_path, text), module(tmp_path, text)
    residual = futamura.specialize(ours.use, eval(key, vars(ours)))
    for one in (ours, theirs):
        outcome(one.table, eval(earlier, vars(one)))
    ours_gives, theirs_gives = outcome(residual, 1), outcome(theirs.use, eval(key, vars(theirs)), 1)
    assert str(ours_gives).split(" at 0x")[0] == str(theirs_gives).split(" at 0x")[0]


def test_the_same_text_with_another_key_is_another_filling(tmp_path: Path) -> None:
    text = """
    KEPT = {}
    def first(a, b):
        key = (a, b)
        if key not in KEPT:
            KEPT[key] = a + "/" + b
        return KEPT[key]
    def second(a, b):
        key = (b, a)
        if key not in KEPT:
            KEPT[key] = a + "/" + b
        return KEPT[key]
    def use(a, y):
        return first(a, "q"), y
    """
    ours, theirs = module(tmp_path, text), module(tmp_path, text)
    residual = futamura.specialize(ours.use, "p")
    assert ours.second("q", "p") == theirs.second("q", "p")
    assert residual(1) == theirs.use("p", 1)
