"""Objects whose class is changed (`self.__class__ = Open`): what they do then is what the other class does.

Invariant: the residual gives what the function gives, call after call.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import futamura
from tests.frontend.test_implied import module_of

CLASSES = """
class Closed:
    def push(self, x):
        if x > 2: self.__class__ = Open
        return self.name(), x
    def name(self): return "closed"
class Open(Closed):
    def name(self): return "open"
class Slotted:
    __slots__ = ("n",)
class Careful(Closed):
    def __setattr__(self, name, value): raise TypeError(name)
"""
OWN = {
    "plainly": "def f(x):\n    d = Closed()\n    d.n = x\n    d.__class__ = Open\n"
    "    return d.name(), type(d).__name__, isinstance(d, Open), d.n",
    "in a way": "def f(x):\n    d = Closed()\n    if x > 2: d.__class__ = Open\n    return d.name(), type(d).__name__",
    "in a loop": "def f(x):\n    d = Closed()\n    a = []\n    for i in range(5):\n"
    "        a.append(d.push(i))\n    return a",
    "not the same layout": "def f(x):\n    d = Closed()\n    try:\n        d.__class__ = Slotted\n"
    "    except TypeError:\n        return d.name(), x",
    "no class": "def f(x):\n    d = Closed()\n    try:\n        d.__class__ = x\n    except TypeError:\n"
    "        return d.name()",
    "refused by its own method": "def f(x):\n    d = Careful()\n    try:\n        d.__class__ = Open\n"
    "    except TypeError as e:\n        return d.name(), str(e)",
    "by object's method": "def f(x):\n    d = Closed()\n    object.__setattr__(d, '__class__', Open)\n"
    "    return d.name()",
    "by setattr": "def f(x):\n    d = Closed()\n    setattr(d, '__class__', Open)\n    return d.name()",
    "in another function": "def g(d): d.__class__ = Open\ndef f(x):\n    d = Closed()\n    g(d)\n"
    "    return d.name(), x",
}
SHARED = {
    "a global": "DOOR = Closed()\ndef f(x): return DOOR.push(x)",
    "a bound method": "f = Closed().push",
    "elsewhere": "DOOR = Closed()\ndef change(x):\n    if x > 2: DOOR.__class__ = Open\nCHANGES = [change]\n"
    "def f(x):\n    CHANGES[0](x)\n    return DOOR.name()",
}


@pytest.mark.parametrize("text", [*OWN.values(), *SHARED.values()], ids=[*OWN, *SHARED])
def test_the_class_is_the_new_one(text: str, tmp_path: Path) -> None:
    plain, changed = module_of(CLASSES + text, tmp_path), module_of(CLASSES + text, tmp_path)
    residual = futamura.specialize(changed.f)
    assert [residual(x) for x in (1, 5, 2)] == [plain.f(x) for x in (1, 5, 2)]
    assert not [event for event in residual.events if event.code == "FT901"]


@pytest.mark.parametrize("text", [OWN["plainly"], OWN["in a loop"], OWN["by setattr"]])
def test_an_object_that_nobody_else_has_needs_no_object(text: str, tmp_path: Path) -> None:
    residual = futamura.specialize(module_of(CLASSES + text, tmp_path).f)
    assert "__class__" not in residual.source and "open" in residual.source
