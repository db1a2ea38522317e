"""Which attributes a class leaves as they were made, by the text of its module.

    class Rule:                                             store_in(file, "limit")     ->  None
        def __init__(self, limit): self.limit = limit       store_in(file, "seen")      ->  line 3
        def count(self): self.seen += 1

Invariant: a store that may be made at any time is found; one on an object that nobody else has yet is none.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from futamura.analysis.storing import store_in

STORED = {
    "in a method": "class A:\n    def f(self): self.x = 1",
    "augmented": "class A:\n    def f(self): self.x += 1",
    "deleted": "class A:\n    def f(self): del self.x",
    "in a loop": "class A:\n    def f(self):\n        for self.x in (1, 2): pass",
    "by a with statement": "class A:\n    def f(self):\n        with open('a') as self.x: pass",
    "unpacked": "class A:\n    def f(self): self.y, (self.x, z) = 1, (2, 3)",
    "by setattr": "class A:\n    def f(self): setattr(self, 'x', 1)",
    "by any setattr": "class A:\n    def f(self, name): setattr(self, name, 1)",
    "by object": "class A:\n    def f(self): object.__setattr__(self, 'x', 1)",
    "by super": "class A:\n    def f(self): super().__setattr__('x', 1)",
    "by the dict": "class A:\n    def f(self, **more): self.__dict__.update(more)",
    "in the dict": "class A:\n    def f(self): self.__dict__['x'] = 1",
    "by vars": "class A:\n    def f(self): vars(self)['x'] = 1",
    "by a function": "def f(a): a.x = 1",
    "by a lambda": "f = lambda a: setattr(a, 'x', 1)",
    "by a constructor of another": "class A:\n    def __init__(self, other): other.x = self",
    "later in a constructor": "class A:\n    def __init__(self):\n        def f(): self.x = 1\n        self.f = f",
    "by a public method of a constructor": (
        "class A:\n    def __init__(self): self.reset()\n    def reset(self): self.x = 1"
    ),
    "by a private method of others": (
        "class A:\n    def __init__(self): self._set()\n    def _set(self): self.x = 1\n    def g(self): self._set()"
    ),
    "by a private method that is handed on": (
        "class A:\n    def __init__(self, on): self._set(); on(self._set)\n    def _set(self): self.x = 1"
    ),
    "on what is made or not": "class A: pass\ndef f(a):\n    b = A()\n    if a: b = a\n    b.x = 1",
    "on what `__new__` gives": (
        "ONE = []\nclass A:\n    def __new__(cls): return ONE[0]\ndef f():\n    a = A()\n    a.x = 1"
    ),
    "by private methods of constructors": "class A:\n    def __init__(self): self._a()\n    def _a(self): self.x = 1",
    "by functions of the import": "class A: pass\ndef f(a): a.x = 1\nf(A())",
    "on a default": "class A: pass\ndef f(a=None):\n    if a is None: a = A()\n    a.x = 1",
    "on what a function gives": "def Look(n): return ALL[n]\ndef f():\n    a = Look(1)\n    a.x = 1",
    "by a constructor that is called again": (
        "class A:\n    def __init__(self): self.x = 1\n    def reset(self): self.__init__()"
    ),
    "by a borrowed method": "class B:\n    def f(self): self.x = 1\nclass A:\n    g = B.f",
    "under another name": "put = object.__setattr__\nclass A:\n    def f(self): put(self, 'x', 1)",
    "by another dict": "class A:\n    def __init__(self): self.__dict__ = SHARED",
    "by setattr as a value": "def f(xs): list(map(setattr, xs, ['x'], [1]))",
    "by setattr under another name": "def f(a):\n    put = setattr\n    put(a, 'x', 1)",
    "by vars under another name": "def f(a):\n    space = vars\n    space(a)['x'] = 1",
    "by the dict that getattr gives": "def f(a): getattr(a, '__dict__')['x'] = 1",
    "by a constructor that another calls": (
        "class A:\n    def __init__(self): self.x = 1\nclass B:\n    def __init__(self, a): A.__init__(a)"
    ),
    "by an operator": "class B:\n    def __ror__(self, a): a['x'] = 1\nclass A:\n    def f(self): vars(self) | B()",
    "by a comparison": "class B:\n    def __eq__(self, a): a['x'] = 1\nclass A:\n    def f(self): vars(self) == B()",
    "by a method of a builtin's name": (
        "class B:\n    def update(self, a): a['x'] = 1\nclass A:\n    def f(self): B().update(vars(self))"
    ),
    "by a function of a builtin's name": "def len(a): a['x'] = 1\nclass A:\n    def f(self): len(vars(self))",
    "a private name": "class A:\n    def f(self): self.__x = 1",
    "a text that is none": "class A(:",
}
NOT_STORED = {
    "by a constructor": "class A:\n    def __init__(self): self.x = 1",
    "behind init": "class A:\n    def __post_init__(self): self.x = 1",
    "by new": (
        "class A:\n    def __new__(cls):\n        self = super().__new__(cls)\n        self.x = 1\n        return self"
    ),
    "on import": "class A: pass\na = A()\na.x = 1",
    "on a copy": (
        "class A:\n    def copy(self):\n        made = A.__new__(A)\n        made.x = self.x\n        return made"
    ),
    "read only": (
        "class A:\n    def f(self): return self.x, getattr(self, 'x'), self.__dict__ == vars(self), {**vars(self)}"
    ),
    "by a method of another class": "class B:\n    def f(self): self.x = 1",
    "another name": "class A:\n    def f(self): self.y = self.x",
}


def found(text: str, name: str, folder: Path) -> bool:
    path = folder / "some.py"
    path.write_text(text)
    return store_in(str(path), name, ["A"]) is not None


@pytest.mark.parametrize("case", STORED)
def test_stores_are_found(case: str, tmp_path: Path) -> None:
    assert found(STORED[case], "_A__x" if case == "a private name" else "x", tmp_path)


@pytest.mark.parametrize("case", NOT_STORED)
def test_what_is_made_is_not_stored(case: str, tmp_path: Path) -> None:
    assert not found(NOT_STORED[case], "x", tmp_path)


def test_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.py"
    path.write_text("class A:\n    def __init__(self):\n        self.x = 1\n\n    def f(self):\n        self.x = 2\n")
    store = store_in(str(path), "x", ["B", "A"])
    assert store is not None and (store.line, store.named) == (6, True)
    assert store_in(str(path), "x", ["B"]) is None
    assert store_in(str(tmp_path / "none.py"), "x") is not None
