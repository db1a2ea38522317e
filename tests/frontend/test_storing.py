"""Which attributes a class leaves as they were made, by the text of its module.

    class Rule:                                             store_in(file, "limit")     ->  None
        def __init__(self, limit): self.limit = limit       store_in(file, "seen")      ->  line 3
        def count(self): self.seen += 1

Invariant: a store that may be made at any time is found; one on an object that nobody else has yet is none.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from futamura.analysis.storing import only_on_import, store_in

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
    "by a borrowed method of a base": "class B:\n    def f(self): self.x = 1\nclass D(B): pass\nclass A:\n    g = D.f",
    "by a borrowed setter": (
        "class B:\n    @property\n    def y(self): return 1\n    @y.setter\n    def y(self, v): self.x = v\n"
        "class A:\n    y = B.y"
    ),
    "by a method that is called by its class": "class B:\n    def f(self): self.x = 1\ndef g(a): B.f(a)",
    "by a method under another name of its class": (
        "class B:\n    def f(self): self.x = 1\n    data = {'f': f}\nclass A:\n    g = B.data['f']"
    ),
    "by a method that a class shows": (
        "class B:\n    def f(self): self.x = 1\n    data = locals()\nclass A:\n    g = B.data['f']"
    ),
    "in a function of a method": "class A:\n    def f(self): return lambda name: setattr(self, name, 1)",
    "on another self": "class B:\n    def f(self): return lambda self: setattr(self, 'x', 1)",
    "on self as an exception": "class B:\n    def f(self):\n        try: pass\n        except E as self: self.x = 1",
    "by a class method": "class A:\n    @classmethod\n    def f(cls, name): setattr(cls, name, 1)",
    "by what is called classmethod": (
        "def classmethod(f): return f\nclass B:\n    @classmethod\n    def f(cls, name): setattr(cls, name, 1)"
    ),
    "by `__setattr__` under another name": (
        "class A:\n    def __setattr__(self, name, value): super().__setattr__('_' + name, value)"
    ),
    "by `__setattr__` on another": "class B:\n    def __setattr__(self, name, value): setattr(self.a, name, value)",
    "by `__setattr__` with another name": (
        "class A:\n    def __setattr__(self, name, v):\n        name += 'x'\n        super().__setattr__(name, v)"
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
    "by a method of a class that is asked for data": (
        "class B:\n    NAMES = ('x', 'y')\n    def f(self):\n        for name in B.NAMES: setattr(self, name, 1)"
    ),
    "in a function of a method of another class": (
        "class B:\n    def f(self): return lambda name: setattr(self, name, 1)"
    ),
    "by a class method of another class": "class B:\n    @classmethod\n    def f(cls, name): setattr(cls, name, 1)",
    "by a base of another class": (
        "class B:\n    def f(self): self.x = 1\nclass D(B):\n    def f(self):\n        B.f(self)"
    ),
    "by what only completes a store": (
        "class A:\n    def __setattr__(self, name, value):\n        if name == 'y': raise AttributeError(name)\n"
        "        super().__setattr__(name, value)"
    ),
    "by what completes a store by `object`": (
        "class A:\n    def __setattr__(self, name, value): object.__setattr__(self, name, value)"
    ),
    "another name": "class A:\n    def f(self): self.y = self.x",
    "by a call with an empty text": "def f(xs, text): return next(xs, ''), text.join(xs, '')",
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
    assert store is not None and (store.line, store.named, store.function) == (6, True, "A.f")
    assert store_in(str(path), "x", ["B"]) is None
    assert store_in(str(tmp_path / "none.py"), "x") is not None


ON_IMPORT = [
    "class A: pass\ndef f(a): a.x = 1\nf(A())",
    "class A:\n    def load(self, data):\n        for k in data: setattr(self, k, data[k])\nA().load({'x': 1})",
    "class A: pass\ndef fill(a): a.x = 1\ndef f(a): fill(a)\nf(A())",
]


@pytest.mark.parametrize("text", ON_IMPORT)
def test_what_only_runs_on_import_is_left_out_if_that_is_asked_for(text: str, tmp_path: Path) -> None:
    path, user, other = (tmp_path / name for name in ("own.py", "user.py", "other.py"))
    path.write_text(text)
    user.write_text("def g(a): pass\n")
    other.write_text("def g(a):\n    a.load({}), f(a)\n")
    assert store_in(str(path), "x", ["A"]) is not None
    assert store_in(str(path), "x", ["A"], [str(path)]) is None is store_in(str(path), "x", ["A"], [str(user)])
    assert store_in(str(path), "x", ["A"], [str(other)]) is not None
    assert {name for _, _, name in only_on_import(str(path), [str(path)])} in ({"f"}, {"load"}, {"f", "fill"})
