"""Methods of objects that the residual makes: entered also where the object exists, as its class is known.

    it = Interpreter()
    for line in lines:  KEPT.append(it);  it.visit(TREE)        TREE is static: nothing is left of `visit`

Invariant: an attribute of the object that hides a method is seen, whoever stores it in sight.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from futamura import DYN, Dyn, specialize
from tests.specialize.test_modules import module

TREE = ("add", ("mul", ("num", 2), ("name", "x")), ("call", "f", ("num", 5)))
TEXT = """
KEPT = []
class Interpreter:
    def __init__(self, env): self.env = env
    def visit(self, node): return getattr(self, "visit_" + node[0])(node)
    def visit_num(self, node): return node[1]
    def visit_name(self, node): return self.env[node[1]]
    def visit_add(self, node): return self.visit(node[1]) + self.visit(node[2])
    def visit_mul(self, node): return self.visit(node[1]) * self.visit(node[2])
    def visit_call(self, node):
        old, self.env = self.env, {"x": self.visit(node[2])}
        try: return self.visit(old[node[1]])
        finally: self.env = old
    @staticmethod
    def twice(x): return x * 2
    @classmethod
    def named(cls): return cls.__name__

def run(tree, xs, f):
    out = []
    it = Interpreter({"f": f})
    for x in xs:
        it.env["x"] = x
        KEPT.append(it)
        out.append((it.visit(tree), it.twice(x), it.named()))
    return out

def other(self, node): return ("other", node)
"""
CHANGES = {
    "an attribute": "it.visit = lambda node: 7",
    "by its name": "setattr(it, 'visit', lambda node: 7)",
    "by any name": "setattr(it, 'vis' + it.env['it'], lambda node: 7)",
    "in the dict": "it.__dict__['visit'] = lambda node: 7",
    "in the dict, by any name": "it.__dict__['vis' + it.env['it']] = lambda node: 7",
    "by vars": "vars(it).update(visit=lambda node: 7)",
    "its class": "it.__class__ = Other",
    "on the class": "Interpreter.visit = other",
    "by a function": "change(it)",
    "behind a function": "KEPT[-1].visit = lambda node: 7",
    "a part of it": "it.visit_num = lambda node: 7",
}


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda text, name: module(name, text, tmp_path, monkeypatch)


def test_the_tree_is_gone(space: Any) -> None:
    made = space(TEXT, "made_one")
    residual = specialize(made.run, TREE)
    assert "mul" not in residual.source and "'num'" not in residual.source, residual.source
    program = ("mul", ("num", 3), ("name", "x"))
    for xs in ([], [1], [2, 5]):
        assert residual(xs, program) == made.run(TREE, xs, program)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("early", [False, True])
def test_what_hides_a_method_is_seen(change: str, early: bool, space: Any) -> None:
    text = TEXT + "class Other(Interpreter):\n    def visit(self, node): return 8\ndef change(it): it.visit = 9\n"
    line = f"        if x == 2: {CHANGES[change]}\n"
    place = "        KEPT.append(it)\n" if early else "        out.append("
    text = text.replace(place, line + place).replace('{"f": f}', '{"f": f, "it": "it"}')
    for number in range(2):
        made = space(text, f"made_{len(change)}_{early}_{number}")
        residual = specialize(made.run, TREE) if number else None
        found = []
        for xs in ([1], [1, 2, 3], [2, 2]):
            try:
                found.append((residual or made.run)(*([] if residual else [TREE]), xs, ("name", "x")))
            except TypeError as error:
                found.append(str(error))
        if not number:
            wanted = found
    assert found == wanted


HIDING = """
class Point:
    def __init__(self, x, area=None):
        self.x = x
        if area is not None: self.area = area
    def area(self, n): return self.x * n

def run(n, xs, area):
    point = Point(1, area)
    for x in xs:
        point.x = point.area(n) + x
    return point.x, point
"""


@pytest.mark.parametrize("area", [None, lambda n: 100])
def test_what_the_constructor_hides(area: Any, space: Any) -> None:
    made = space(HIDING, "made_hiding")
    for residual in (specialize(made.run, 3, DYN, area), specialize(made.run, 3)):
        given = [[1, 2]] if residual.source.startswith("def run(xs):") else [[1, 2], area]
        assert residual(*given)[0] == made.run(3, [1, 2], area)[0]


SLOTS = """
class Point:
    __slots__ = ("x",)
    def __init__(self, x): self.x = x
    def area(self, n): return n * self.x if n < 3 else self.area(n - 2) + self.area(2)
class Named(Point): pass
def run(point, n): return point.area(n)
"""


def test_objects_that_have_no_attributes_of_other_names(space: Any) -> None:
    made = space(SLOTS, "made_slots")
    residual = specialize(made.run, Dyn(made.Point), 5)
    assert "area" not in residual.source
    assert residual(made.Point(3)) == made.run(made.Point(3), 5) == 15
    named = made.Named(3)
    named.area = lambda n: n
    assert residual(named) == made.run(named, 5) == 5
    open_to_all = specialize(made.run, Dyn(made.Named), 5)
    assert open_to_all(named) == 5 and open_to_all(made.Named(3)) == 15
