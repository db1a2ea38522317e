"""Containers of a module that are changed by ways which few programs take: constructors called again, operators by
their methods, checks of a metaclass, a `__dict__` that is replaced.

Invariant: the residual gives what the function does after each such change, of a global table and of a memo's entry.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import futamura
from tests.specialize.twins import shown, twin

GLOBAL = """
T = {'x': {'n': 2}}
L = [[2], 3]
S = {'x': {2}}
def use(k, row): return T[k]['n'] * row, L[0][0], len(S[k])
"""
MEMO = """
KEPT = {}
def entry(k):
    found = KEPT.get(k)
    if found is None:
        found = KEPT[k] = {"n": len(k) + 1}
    return found
def use(k, row): return entry(k)["n"] * row
"""
BOX = "class Box:\n    pass\n"
WAYS = {
    "constructor": "T['x'].__init__(n=9)",
    "constructor of the class": "dict.__init__(T['x'], n=9)",
    "list made anew": "L[0].__init__([9])",
    "list by its class": "list.__init__(L[0], [9])",
    "set by its class": "set.__init__(S['x'], {9, 8})",
    "or": "dict.__ior__(T['x'], {'n': 9})",
    "or of a set": "set.__ior__(S['x'], {9})",
    "less": "set.__isub__(S['x'], {2})",
    "times": "list.__imul__(L[0], 0); L[0].append(7)",
    "dict of an object": "box = Box(); box.__dict__ = T['x']; box.n = 9",
    "in the dict of an object": "box = Box(); box.__dict__ = {'f': T['x']}; box.f['n'] = 9",
    "dict by its name": "box = Box(); setattr(box, '__dict__', T['x']); box.n = 9",
    "dict of a function": "after.__dict__ = T['x']; after.n = 9",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_global_table(tmp_path: Path, way: str) -> None:
    same(tmp_path, GLOBAL + BOX + "def after():\n    " + WAYS[way])


@pytest.mark.parametrize("way", [name for name, text in WAYS.items() if "T['x']" in text])
def test_an_entry_of_a_memo(tmp_path: Path, way: str) -> None:
    same(tmp_path, MEMO + BOX + "def after():\n    " + WAYS[way].replace("T['x']", "entry('x')"))


@pytest.mark.parametrize("head", [GLOBAL, MEMO])
def test_patterns_ask_metaclasses(tmp_path: Path, head: str) -> None:
    asked = "T['x']" if head is GLOBAL else "entry('x')"
    same(tmp_path, f"""{head}
class Meta(type):
    def __instancecheck__(cls, value):
        value["n"] = 9
        return True
class Other(metaclass=Meta):
    pass
def after():
    match {asked}:
        case Other():
            pass
""")


NEW_CLASS = {
    "by its name": "vars(cls)['rows']['n'] = 9",
    "in a loop": "for one in cls.__dict__.values():\n            if isinstance(one, dict) and 'n' in one: one['n'] = 9",
}


@pytest.mark.parametrize("head", [GLOBAL, MEMO])
@pytest.mark.parametrize("way", NEW_CLASS)
def test_what_bodies_of_classes_have_is_shown_to_init_subclass(tmp_path: Path, way: str, head: str) -> None:
    held = "T['x']" if head is GLOBAL else "entry('x')"
    same(tmp_path, f"""{head}
class Base:
    def __init_subclass__(cls):
        {NEW_CLASS[way]}
def after():
    class Made(Base):
        rows = {held}
""")


def test_objects_that_share_one_dict(tmp_path: Path) -> None:
    same(tmp_path, f"""{GLOBAL}
class Shared:
    state = {{}}
    def __init__(self):
        self.__dict__ = self.state
def after():
    Shared().found = T["x"]
    Shared.state["found"]["n"] = 9
""")


def same(tmp_path: Path, text: str) -> None:
    ours, theirs = twin(tmp_path, text), twin(tmp_path, text)
    residual = futamura.specialize(ours.use, "x")
    for row in (2, 2, 3):
        assert shown(residual, row) == shown(theirs.use, "x", row), residual.source
        assert shown(ours.after) == shown(theirs.after)


def test_constructors_that_classes_call_change_nothing_else(tmp_path: Path) -> None:
    made = twin(tmp_path, """
class Base:
    def __init__(self, rules):
        self.rules = rules
class Engine(Base):
    def __init__(self, rules):
        super().__init__(rules)
RULES = {"a": [1, 2]}
def use(k, x):
    engine = Engine(RULES)
    return [one * x for one in engine.rules[k]]
""")
    residual = futamura.Specializer(assume="trust")(made.use, "a")
    assert residual.source.strip().endswith("return [1 * x, 2 * x]"), residual.source
