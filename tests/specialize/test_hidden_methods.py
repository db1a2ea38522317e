"""Attributes of objects in front of methods of their classes: they are what a call finds, whoever has the object.

Invariant: the residual gives what the function gives, with the object in the same state.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import futamura
from tests.frontend.test_implied import module_of

CLASS = """
import types
class Tax:
    rate = 2
    def of(self, x): return x * self.rate
    def twice(self, x): return self.of(x) + self.of(x)
    @staticmethod
    def plain(x): return x
    @classmethod
    def named(cls, x): return cls.__name__, x
    def __call__(self, x): return x
class Holder: pass
def other(x): return "other", x
def made(**own):
    tax = Tax()
    vars(tax).update(own)
    return tax
"""
HIDDEN = {
    "a method": "TAX = made(of=other)\ndef f(x): return TAX.of(x)",
    "a method that a method calls": "TAX = made(of=other)\ndef f(x): return TAX.twice(x)",
    "a static method": "TAX = made(plain=other)\ndef f(x): return TAX.plain(x)",
    "a class method": "TAX = made(named=other)\ndef f(x): return TAX.named(x)",
    "read first": "TAX = made(of=other)\ndef f(x):\n    g = TAX.of\n    return g(x)",
    "by getattr": "TAX = made(of=other)\ndef f(x): return getattr(TAX, 'of')(x)",
    "in an attribute": "HELD = Holder()\nHELD.tax = made(of=other)\ndef f(x): return HELD.tax.of(x)",
    "in an attribute of a class": "Holder.tax = made(of=other)\ndef f(x): return Holder.tax.of(x)",
    "in a default": "def f(x, tax=made(of=other)): return tax.of(x)",
    "in a closure": "def make(tax):\n    def g(x): return tax.of(x)\n    return g\nf = make(made(of=other))",
    "of a bound method": "f = made(of=other).twice",
    "mapped": "TAX = made(of=other)\ndef f(x): return list(map(TAX.of, [x]))",
    "special methods are not hidden": "TAX = made(__call__=other)\ndef f(x): return TAX(x)",
}
STORED = {
    "by the function": "TAX = made()\ndef f(x):\n    TAX.of = other\n    return TAX.of(x)",
    "after a call": "TAX = made()\ndef f(x):\n    a = TAX.of(x)\n    TAX.of = other\n    return a, TAX.of(x)",
    "by a method": "class Lexer:\n    def step(self, x):\n        self.step = self.rest\n        return 'first', x\n"
    "    def rest(self, x): return 'rest', x\nLEXER = Lexer()\ndef f(x): return LEXER.step(x)",
    "where nobody looks": "TAX = made()\ndef change():\n    TAX.of = other\ndef f(x):\n    if x > 3: CHANGES[0]()\n"
    "    return TAX.of(x)\nCHANGES = [change]",
    "on an open input": "TAX = made()\ndef f(x):\n    change(TAX if x > 3 else Holder(), x)\n    return TAX.of(x)\n"
    "def change(o, x):\n    o.of = other",
    "by setattr": "TAX = made()\ndef f(x):\n    setattr(TAX, 'of', other)\n    return TAX.of(x)",
    "behind an escape": "class Machine:\n    def step(self, x): return 'first', x\n"
    "    def other(self, x): return 'other', x\n    def f(self, log):\n        log.append(self)\n"
    "        a = self.step(1)\n        self.step = self.other\n        return a, self.step(2)\n"
    "def f(x): return Machine().f([])\n",
}


def results(module: ModuleType, function: Callable[..., Any]) -> list[Any]:
    return [function(x) for x in (1, 5, 2)]


@pytest.mark.parametrize("text", [*HIDDEN.values(), *STORED.values()], ids=[*HIDDEN, *STORED])
def test_what_an_object_has_of_its_own_comes_first(text: str, tmp_path: Path) -> None:
    plain, changed = module_of(CLASS + text, tmp_path), module_of(CLASS + text, tmp_path)
    residual = futamura.specialize(changed.f)
    assert results(changed, residual) == results(plain, plain.f)


def test_the_object_is_static_and_escapes(tmp_path: Path) -> None:
    text = "def f(tax, x, log):\n    log.append(tax)\n    return tax.of(x)"
    module = module_of(CLASS + text, tmp_path)
    assert futamura.specialize(module.f, tax=module.made(of=module.other))(3, []) == ("other", 3)
    tax = module.made()
    residual = futamura.specialize(module.f, tax=tax)
    assert residual(3, []) == 6
    tax.of = module.other
    assert residual(3, []) == ("other", 3)


@pytest.mark.parametrize("name", ["of", "twice", "plain", "named"])
def test_one_that_comes_later_is_noticed(name: str, tmp_path: Path) -> None:
    module = module_of(CLASS + "TAX = made()\ndef f(x): return TAX.twice(x), TAX.plain(x), TAX.named(x)", tmp_path)
    residual = futamura.specialize(module.f)
    assert "twice" not in residual.source
    assert residual(3) == module.f(3) and residual.holds()
    vars(module.TAX)[name] = module.other
    assert residual(3) == module.f(3)
    assert [str(one) for one in residual.assumptions if not one.holds()] == [
        f"an object of class Tax has no attribute `{name}` of its own"
    ]
    del vars(module.TAX)[name]
    assert residual(3) == module.f(3) and residual.holds()


def test_another_dict_is_noticed(tmp_path: Path) -> None:
    module = module_of(CLASS + "TAX = made()\ndef f(x): return TAX.of(x)", tmp_path)
    residual = futamura.specialize(module.f)
    module.TAX.__dict__ = {"of": module.other}
    assert residual(3) == ("other", 3)


def test_objects_without_a_dict_need_no_test(tmp_path: Path) -> None:
    rate = "class Rate:\n    __slots__ = ()\n    def of(self, x): return x + 1\n"
    text = rate + "RATE = Rate()\ndef f(x): return RATE.of(x)"
    residual = futamura.specialize(module_of(text, tmp_path).f)
    assert residual.source == "def f(x):\n    return x + 1\n"
    assert not any("of its own" in str(one) for one in residual.assumptions)


def test_it_is_noticed_in_another_process(tmp_path: Path) -> None:
    module = module_of(CLASS + "TAX = made()\ndef f(x): return TAX.of(x)", tmp_path)
    residual = pickle.loads(pickle.dumps(futamura.specialize(module.f)))
    assert residual(3) == 6
    module.TAX.of = module.other
    assert residual(3) == ("other", 3) and not residual.holds()


def test_a_test_of_membership_asks_itself_in_a_generator(tmp_path: Path) -> None:
    text = "class Range:\n    def __contains__(self, item): return all(part in self for part in item.parts())\n"
    text += "class Item:\n    def __init__(self, *parts): self.own = parts\n    def parts(self): return self.own\n"
    module = module_of(text, tmp_path)
    residual = futamura.specialize(module.Range().__contains__)
    assert not [event for event in residual.events if event.code == "FT901"]
    assert residual(module.Item(module.Item(), module.Item())) is True
