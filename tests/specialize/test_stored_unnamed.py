"""Stores in the middle of a call that do not look like `Cls.rate = 2`: nothing is believed of what they may change.

    type.__setattr__(Rate, "factor", 2)             a class attribute of this name
    vars(TABLE["a"]).update(factor=2)               each attribute of objects in constants

Invariant: what is stored on objects that the text makes there, or on other classes, costs nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import futamura
from tests.specialize.twins import outcome, twin

CLASSES = """
from functools import partial
class Meta(type):
    def put(self, value): self.factor = value
    def put_above(self, value): super().__setattr__("factor", value)
class Rate(metaclass=Meta):
    factor, offset = 3, 1
class Special(Rate): pass
class Other(metaclass=Meta):
    factor = 5
def run(key, x, call):
    before = Rate.factor * x
    call()
    return before, Rate.factor * x, Special.factor + x
"""
STORING = {"put": "self.factor = value", "put_above": 'super().__setattr__("factor", value)'}
"""What methods of the metaclass do."""
ON_CLASSES = {
    "type": "type.__setattr__(Rate, 'factor', 7)",
    "type, deleted": "type.__delattr__(Rate, 'factor')",
    "type, as a value": "put = type.__setattr__; put(Rate, 'factor', 7)",
    "a partial function": "partial(setattr, Rate, 'factor')(7)",
    "super": "super(Meta, Rate).__setattr__('factor', 7)",
    "super, deleted": "super(Meta, Rate).__delattr__('factor')",
    "a method of the metaclass": "Rate.put(7)",
    "a method of the metaclass, by super": "Rate.put_above(7)",
    "a comprehension": "[0 for Rate.factor in [7]]",
    "an annotation": "Rate.factor: int = 7",
    "among others": "one, *[Rate.factor] = 1, 7",
}
HARMLESS = {
    "another class": "type.__setattr__(Other, 'offset', 7)",
    "a computed name of another class": "setattr(Other, 'fact' + 'or', 7)",
    "what is stored on objects": "Rate().limit = 7; kept = Rate",
    "a class that is only named": "one = Other(); one.factor = 7; isinstance(one, Rate)",
    "an attribute that is read": "getattr(Rate, 'fact' + 'or'); Rate.__getattribute__",
}
OBJECTS = """
class Part:
    def __init__(self, factor): self.factor = factor
    def load(self, **values): vars(self).update(values)
class Box:
    def __init__(self): self.factor = 1
    def load(self, name, value): setattr(self, name, value)
TABLE, BOX = {"a": Part(3)}, Box()
def run(key, x, call):
    before = TABLE["a"].factor * x
    call()
    return before, TABLE["a"].factor * x
"""
ON_OBJECTS = {
    "vars": "vars(TABLE['a']).update(factor=66)",
    "__dict__": "TABLE['a'].__dict__['factor'] = 66",
    "setattr": "setattr(TABLE['a'], 'fact' + 'or', 66)",
    "object": "object.__setattr__(TABLE['a'], 'fact' + 'or', 66)",
    "a method": "TABLE['a'].load(factor=66)",
    "deleted": "delattr(TABLE['a'], 'fact' + 'or')",
}


def agree_in_the_middle(text: str, tmp_path: Path) -> None:
    """The residual sees what `change` stores in the middle of a call, which does change what comes out."""
    one, other = twin(tmp_path, text), twin(tmp_path, text)
    residual = futamura.specialize(one.run, key=1)
    for module, call in ((one, residual), (other, lambda *given: other.run(1, *given))):
        module.seen = [outcome(call, 2, act) for act in (int, module.change, int)]
    assert one.seen == other.seen, residual.source
    assert one.seen[0] != one.seen[1]


@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize("line", ON_CLASSES.values(), ids=ON_CLASSES)
def test_what_a_class_gets(line: str, tmp_path: Path) -> None:
    text = f"{CLASSES}def change(): {line}\n"
    for name in STORING:
        text = text if f"Rate.{name}(" in line else text.replace(STORING[name], "pass")
    agree_in_the_middle(text, tmp_path)


@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize("line", HARMLESS.values(), ids=HARMLESS)
def test_what_another_class_gets(line: str, tmp_path: Path) -> None:
    text = "class Meta(type): pass\nclass Rate" + CLASSES.partition("class Rate")[2]
    one = twin(tmp_path, f"{text}def change(): {line}\n")
    residual = futamura.specialize(one.run, key=1)
    assert "Rate" not in residual.source, residual.source
    assert residual(2, one.change) == one.run(1, 2, one.change)


@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize("line", ON_OBJECTS.values(), ids=ON_OBJECTS)
def test_what_an_object_in_a_constant_gets(line: str, tmp_path: Path) -> None:
    text = OBJECTS.replace("vars(self).update(values)", "vars(self).update(values)" if "load" in line else "pass")
    text += f"def change(): {line}\n"
    agree_in_the_middle(text, tmp_path)


@pytest.mark.usefixtures("assuming")
def test_what_methods_store_on_objects_of_another_class(tmp_path: Path) -> None:
    text = OBJECTS.replace("vars(self).update(values)", "pass") + "def change(): BOX.load('factor', 2)\n"
    one = twin(tmp_path, text)
    residual = futamura.specialize(one.run, key=1)
    assert "TABLE" not in residual.source, residual.source
    assert residual(2, one.change) == (6, 6) and one.BOX.factor == 2
