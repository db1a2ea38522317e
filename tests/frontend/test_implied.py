"""What operators, statements and builtins call without naming it changes things, too: these are no constants.

    ROWS = {"k": Lazy()}                f reads ROWS["k"].n, and use() asks for the length, which adds to it

Invariant: what the residual gives after `use` is what the function gives.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

import pytest

import futamura

NUMBERS = itertools.count()


def module_of(text: str, folder: Path) -> ModuleType:
    name = f"implied_{next(NUMBERS)}"
    file = folder / f"{name}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def follow(text: str, folder: Path) -> None:
    """The residual of `f` gives what `f` gives, before `use` and behind it, which makes a difference."""
    follow_module(module_of(text, folder))


def follow_module(module: ModuleType) -> None:
    residual = futamura.specialize(module.f)
    before = module.f(1)
    assert residual(1) == before
    module.use()
    assert residual(1) == module.f(1) != before


ITSELF = {
    "def __getitem__(self, i): self.n += 1": "ROWS['k'][0]",
    "def __len__(self): self.n += 1; return 1": "len(ROWS['k'])",
    "def __str__(self): self.n += 1; return 'a'": "f'{ROWS[\"k\"]}'",
    "def __eq__(self, other): self.n += 1": "ROWS['k'] == 3",
    "def __bool__(self): self.n += 1; return True": "1 if ROWS['k'] else 2",
    "def __next__(self): self.n += 1\n    def __iter__(self): return self": "[a for a, _ in zip(ROWS['k'], 'ab')]",
    "def __hash__(self): self.n += 1; return 3": "{ROWS['k']: 1}",
    "def __call__(self): self.n += 1": "ROWS['k']()",
    "def __add__(self, other): self.n += 1": "ROWS['k'] + 1",
    "def __contains__(self, other): self.more(); return True\n    def more(self): self.n += 1": "2 in ROWS['k']",
    "def __getattr__(self, name): self.__dict__['n'] = 7": "ROWS['k'].missing",
    "def __format__(self, how): self.n += 1; return how": "f'{ROWS[\"k\"]:>3}'",
    "def __lt__(self, other): self.n += 1; return True": "sorted([ROWS['k'], ROWS['k']])",
}
"""A special method that changes its own object, and what calls it."""


@pytest.mark.parametrize("method", ITSELF)
def test_a_method_that_changes_its_object(method: str, tmp_path: Path) -> None:
    follow(
        f"class Lazy:\n    n = 0\n    {method}\nclass Own(Lazy):\n    pass\nROWS = {{'k': Own()}}\n"
        f"def use(): return {ITSELF[method]}\ndef f(x): return ROWS['k'].n + x\n",
        tmp_path,
    )


def test_a_context_manager_that_changes_itself(tmp_path: Path) -> None:
    follow(
        "class Span:\n    n = 0\n    def __enter__(self): self.n += 1\n    def __exit__(self, *gone): self.n += 1\n"
        "SPANS = [Span()]\ndef use():\n    with SPANS[0]: pass\ndef f(x): return SPANS[0].n + x\n",
        tmp_path,
    )


ARGUMENTS = {
    "def __setattr__(self, name, v): v.append(2)": "ANY.x = ROWS['k']",
    "def __setitem__(self, at, v): v.append(2)": "ANY[1] = ROWS['k']",
    "def __setitem__(self, v, at): LOG.append(v)": "ANY[Row(ROWS['k'])] = 1; [one.row.append(3) for one in LOG]",
    "def __getitem__(self, v): v.append(2)": "ANY[ROWS['k']]",
    "def __contains__(self, v): v.append(2); return True": "ROWS['k'] in ANY",
    "def __add__(self, v): v.append(2)": "ANY + ROWS['k']",
    "def __radd__(self, v): v.append(2)": "ROWS['k'] + ANY",
    "def __lt__(self, v): v.append(2)": "ANY < ROWS['k']",
    "def __iadd__(self, v): v.append(2); return self": "any = ANY; any += ROWS['k']",
    "def __call__(self, v): v.append(2)": "ANY(ROWS['k'])",
    "def __class_getitem__(cls, v): v.append(2)": "Any[ROWS['k']]",
    "def __init_subclass__(cls, rows=()): rows and rows.append(2)": "type('B', (Any,), {}, rows=ROWS['k'])",
}
"""A special method that changes what it gets, and what calls it."""


@pytest.mark.parametrize("method", ARGUMENTS)
def test_a_method_that_changes_its_argument(method: str, tmp_path: Path) -> None:
    follow(
        f"LOG = []\nclass Row:\n    def __init__(self, row): self.row = row\nclass Any:\n    {method}\n"
        f"ANY = Any()\nROWS = {{'k': [1]}}\ndef use(): {ARGUMENTS[method]}\ndef f(x): return len(ROWS['k']) + x\n",
        tmp_path,
    )


@pytest.mark.parametrize("search", ["ANY in ROWS['k']", "ROWS['k'].count(ANY)", "ANY not in ROWS['k']"])
def test_a_method_that_changes_what_is_searched(search: str, tmp_path: Path) -> None:
    follow(
        f"class Any:\n    def __eq__(self, v): v.append(2)\nANY = Any()\nROWS = {{'k': [[1]]}}\n"
        f"def use(): {search}\ndef f(x): return len(ROWS['k'][0]) + x\n",
        tmp_path,
    )


@pytest.mark.parametrize(
    ("method", "reads"),
    [
        ("def __get__(self, one, cls=None): one.n += 1; return 3", "ONES[0].n"),
        ("def __get__(self, one, cls=None):\n        if one: self.n += 1\n        return self", "One.__dict__['p'].n"),
        ("def __set__(self, one, v): v.append(1)\n    def __get__(self, one, cls=None): return 1", "len(ROWS['k'])"),
    ],
)
def test_descriptors(method: str, reads: str, tmp_path: Path) -> None:
    follow(
        f"class D:\n    n = 0\n    {method}\nclass One:\n    n = 0\n    p = D()\nONES = [One()]\nROWS = {{'k': [1]}}\n"
        f"def use():\n    ONES[0].p\n    if hasattr(D, '__set__'): ONES[0].p = ROWS['k']\n"
        f"def f(x): return {reads} + x\n",
        tmp_path,
    )


DECLARING = """
class Field:
    def __init__(self, default=None): self.default = default
    def __set_name__(self, owner, name): self.name = name
    def load(self, v): return v
class Int(Field):
    def load(self, v):
        if not isinstance(v, int): raise ValueError(f"{self.name}: not an int")
        return v
class Meta(type):
    def __new__(m, name, bases, space):
        cls = super().__new__(m, name, bases, space)
        cls.fields = {k: v for k, v in space.items() if isinstance(v, Field)}
        return cls
class Model(metaclass=Meta):
    @classmethod
    def load(cls, data):
        made = cls()
        for name, field in cls.fields.items():
            setattr(made, name, field.load(data[name]) if name in data else field.default)
        return made
class User(Model):
    id = Int(1)
    name = Field()
def load_user(data): return vars(User.load(data))
LOADERS = [load_user]
"""


def test_what_a_metaclass_collects_is_known(tmp_path: Path) -> None:
    module = module_of(DECLARING, tmp_path)
    residual = futamura.specialize(module.load_user)
    assert "fields" not in residual.source and ".load" not in residual.source
    for data in ({}, {"id": 3, "name": "x"}, {"id": "y"}):
        try:
            expected: object = module.load_user(data)
        except ValueError as error:
            expected = str(error)
        try:
            found: object = residual(data)
        except ValueError as error:
            found = str(error)
        assert found == expected


def test_what_a_class_has_is_promised_with_it(tmp_path: Path) -> None:
    text = DECLARING + "def more(field): User.fields['more'] = field\n"
    module = module_of(text, tmp_path)
    assert "fields" in futamura.specialize(module.load_user).source or futamura.specialize(module.load_user).events
    residual = futamura.Specializer(frozen=[f"{module.__name__}.User"])(module.load_user)
    assert not residual.events and "fields" not in residual.source
    assert residual({"name": 2}) == module.load_user({"name": 2})


def test_any_attribute_may_be_what_setattr_stores(tmp_path: Path) -> None:
    follow(
        "ROWS = {'k': [1]}\nclass One: pass\nONE = One()\n"
        "def put(name): setattr(ONE, name, ROWS['k'])\n"
        "def use():\n    put('ro' + 'ws')\n    ONE.rows.append(2)\n"
        "def f(x): return len(ROWS['k']) + x\n",
        tmp_path,
    )


FLOWING = [
    """
class A:
    def __add__(self,o): return o
ROWS={'k':[1]}
L=A()
def use():
    x=L+ROWS['k']; x.append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class A:
    def __getitem__(self,o): return o
ROWS={'k':[1]}
L=A()
def use():
    L[ROWS['k']].append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class A:
    def __iadd__(self,o): return o
ROWS={'k':[1]}
def use():
    l=A(); l+=ROWS['k']; l.append(3)
def f(x): return len(ROWS['k'])+x
""",
    """
class V:
    def __init__(self,rows): self.rows=rows
    def __getitem__(self,i): return self.rows[i]
ROWS={'k':[1]}
VIEW=V(ROWS)
def use(): VIEW['k'].append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class V:
    def __init__(self,rows): self.rows=rows
    def __getitem__(self,i): return self.rows[i]
ROWS=[[1],[2]]
VIEW=V(ROWS)
def use():
    for v in VIEW: v.append(2)
def f(x): return len(ROWS[0])+x
""",
    """
class A:
    def __radd__(self,o): return ROWS['k']
ROWS={'k':[1]}
def use():
    x=sum([A()]); x.append(3)
def f(x): return len(ROWS['k'])+x
""",
    """
class A(dict):
    def __missing__(self,o): return ROWS['k']
ROWS={'k':[1]}
T=A()
def use():
    T[3].append(3)
def f(x): return len(ROWS['k'])+x
""",
    """
class A:
    def __mul__(self,o): return [ROWS['k']]
ROWS={'k':[1]}
T=A()
def use():
    (a,)=T*3; a.append(3)
def f(x): return len(ROWS['k'])+x
""",
    """
import functools, operator
class A:
    def __add__(self,o): return ROWS['k']
ROWS={'k':[1]}
def use():
    a=functools.reduce(operator.add,[A(),1]); a.append(3)
def f(x): return len(ROWS['k'])+x
""",
    """
class N:
    def __init__(self): self.kids=[]
    def __rshift__(self,o): o.kids.append(1); return o
A=N()
TABLE={'k':N()}
def use():
    A >> TABLE['k']
def f(x): return len(TABLE['k'].kids)+x
""",
    """
class N:
    def __init__(self): self.kids=[]
    def __rshift__(self,o): self.put(o); return o
    def put(self,o): o.kids.append(1)
A=N()
TABLE={'k':N()}
def use():
    A >> TABLE['k']
def f(x): return len(TABLE['k'].kids)+x
""",
    """
class N:
    def __init__(self): self.kids=[]
    def put(self,o): return self.more(self, o)
    def more(self, a, o): o.kids.append(1)
A=N()
TABLE={'k':N()}
def use():
    A.put(TABLE['k'])
def f(x): return len(TABLE['k'].kids)+x
""",
    """
class Meta(type):
    def put(self,o): return self.more(o)
class N(metaclass=Meta):
    def __init__(self): self.kids=[]
    def more(self): self.kids.append(1)
TABLE={'k':N()}
def use():
    N.put(TABLE['k'])
def f(x): return len(TABLE['k'].kids)+x
""",
    """
class N:
    def __init__(self): self.kids=[]
    @classmethod
    def put(cls,o): return cls.more(o)
    def more(self): self.kids.append(1)
TABLE={'k':N()}
def use():
    N.put(TABLE['k'])
def f(x): return len(TABLE['k'].kids)+x
""",
    """
class N:
    def __init__(self): self.kids=[]
    @classmethod
    def make(cls): return cls()
    def more(self): self.kids.append(1)
TABLE={'k':N.make()}
def use():
    for n in TABLE.values(): setattr(n,'kids',[1,2])
def f(x): return len(TABLE['k'].kids)+x
""",
    """
class N:
    def __init__(self): self.kids=[]
    @staticmethod
    def make(cls): return cls()
TABLE={'k':[1]}
def pick(): return TABLE['k']
def use(): N.make(pick).append(1)
def f(x): return len(TABLE['k'])+x
""",
    """
class N:
    def keep(self, v): self.rows = v
    @classmethod
    def make(cls, v):
        one = cls(); one.keep(v); return one
TABLE={'k':[1]}
def use(): N.make(TABLE['k']).rows.append(1)
def f(x): return len(TABLE['k'])+x
""",
    """
class N:
    def __init__(self, v): self.rows = v
    @classmethod
    def make(cls, v): return cls(v)
TABLE={'k':[1]}
def use(): N.make(TABLE['k']).rows.append(1)
def f(x): return len(TABLE['k'])+x
""",
    """
class A:
    def run(self, x): return 1
class B:
    def __init__(self): self.run = lambda v: v.append(2)
    def go(self, x): return self.run(x)
ROWS={'k':[1]}
def use(): B().go(ROWS['k'])
def f(x): return len(ROWS['k'])+x
""",
    """
class A:
    def run(self, x): return 1
class B: pass
def change(v): v.append(2)
ROWS={'k':[1]}
def use():
    b=B(); b.run=change; b.run(ROWS['k'])
def f(x): return len(ROWS['k'])+x
""",
    """
class A:
    def run(self, x): return 1
class B:
    def __init__(self, fn): self.run = fn
ROWS={'k':[1]}
def use():
    B(lambda v: v).run(ROWS['k']).append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class G:
    def __call__(self): return ROWS['k']
class B:
    def __init__(self): self.get_row = G()
    def use(self): self.get_row().append(2)
ROWS={'k':[1]}
def use(): B().use()
def f(x): return len(ROWS['k'])+x
""",
    """
class B:
    def __init__(self): self.get_row = lambda: ROWS['k']
    def use(self): self.get_row().append(2)
ROWS={'k':[1]}
def use(): B().use()
def f(x): return len(ROWS['k'])+x
""",
    """
def row(): return ROWS['k']
class B: pass
ROWS={'k':[1]}
def use():
    b=B(); b.get_row=row; b.get_row().append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
def row(): return ROWS['k']
ROWS={'k':[1]}
TABLE={'r': row}
def use():
    TABLE['r']().append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class G:
    def __call__(self): return ROWS['k']
GET=G()
ROWS={'k':[1]}
def use():
    GET().append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class G:
    def __call__(self, v): v.append(2)
class B:
    put = G()
ROWS={'k':[1]}
def use():
    B().put(ROWS['k'])
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __len__(self): return 1
    def __getitem__(self, i):
        if i: raise IndexError
        return ROWS['k']
ROWS={'k':[1]}
SEQ=S()
def use():
    for v in reversed(SEQ): v.append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __getitem__(self, i):
        if i: raise IndexError
        return ROWS['k']
ROWS={'k':[1]}
SEQ=S()
def use():
    [v] = SEQ
    v.append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __getitem__(self, i):
        if i: raise IndexError
        return ROWS['k']
ROWS={'k':[1]}
SEQ=S()
def put(v): v.append(2)
def use():
    list(map(put, SEQ))
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def keys(self): return ['a']
    def __getitem__(self, i): return ROWS['k']
ROWS={'k':[1]}
SEQ=S()
def put(a): a.append(2)
def use():
    put(**SEQ)
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __getitem__(self, i):
        if i: raise IndexError
        return ROWS['k']
ROWS={'k':[1]}
SEQ=S()
def put(a): a.append(2)
def use():
    put(*SEQ)
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __add__(self, o): return ROWS['k']
ROWS={'k':[1]}
class H:
    def __init__(self): self.total=S()
    def use(self):
        self.total += 1
        self.total.append(2)
def use(): H().use()
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __iadd__(self, o): return ROWS['k']
ROWS={'k':[1]}
T={'s':S()}
def use():
    t={'s':S()}
    t['s'] += 1
    t['s'].append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
import itertools
class S:
    def __add__(self, o): return ROWS['k']
ROWS={'k':[1]}
def use():
    for v in itertools.accumulate([S(), 1]):
        if type(v) is list: v.append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __enter__(self): return ROWS['k']
    def __exit__(self,*a): pass
ROWS={'k':[1]}
def use():
    with S() as v: v.append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __eq__(self, o): return ROWS['k']
ROWS={'k':[1]}
def use():
    (S()==1).append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __lt__(self, o): return ROWS['k']
ROWS={'k':[1]}
def use():
    v = S()<1
    v.append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class S:
    def __divmod__(self, o): return ROWS['k'], 1
    def __round__(self): return ROWS['k']
    def __reduce__(self): return 'x'
ROWS={'k':[1]}
def use():
    round(S()).append(2)
    divmod(S(),1)[0].append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
def change(v, w=None): v.append(2)
class B:
    def __init__(self, run): self.run = run
    def go(self, x): return self.run(x)
ROWS={'k':[1]}
def use(): B(change).go(ROWS['k'])
def f(x): return len(ROWS['k'])+x
""",
    """
class B:
    def __init__(self, run): self.run = run
    def go(self, *x): return self.run(*x)
class C(B):
    def run(self, v): v.append(2)
    def __init__(self): pass
ROWS={'k':[1]}
def use(): C().go(ROWS['k'])
def f(x): return len(ROWS['k'])+x
""",
    """
from heapq import heappush
class B:
    def __init__(self, run): self.run = run
    def go(self, x): return self.run(x, 3)
ROWS={'k':[1]}
def use(): B(heappush).go(ROWS['k'])
def f(x): return len(ROWS['k'])+x
""",
    """
class B:
    def __init__(self): self.run = self.other
    def other(self, v): v.append(2)
    def go(self, x): return self.run(x)
ROWS={'k':[1]}
def use(): B().go(ROWS['k'])
def f(x): return len(ROWS['k'])+x
""",
    """
class B:
    def __init__(self, run): self.run = run
    def go(self): return self.run(ROWS['k'])
ROWS={'k':[1]}
def use(): B(lambda v: v).go().append(2)
def f(x): return len(ROWS['k'])+x
""",
    """
class B:
    def __init__(self, run): self.run = run
    def go(self): return self.run()
ROWS={'k':[1]}
def use(): B(ROWS['k'].pop).go()
def f(x): return len(ROWS['k'])+x
""",
    """
import collections
class B(collections.UserDict):
    def __init__(self, other):
        self.data = other
    def go(self, x): return self.update(x)
class Q:
    def __init__(self): self.update = None
ROWS={'k':[1]}
def use(): B(ROWS).go({'k': []})
def f(x): return len(ROWS['k'])+x
""",
]
"""What comes out of a constant takes a way of its own, through special methods, metaclasses, `cls()`."""


@pytest.mark.parametrize("text", FLOWING)
def test_what_comes_out_of_a_constant_is_followed(text: str, tmp_path: Path) -> None:
    follow(text, tmp_path)


def test_what_is_only_read_stays_known(tmp_path: Path) -> None:
    module = module_of(
        "class Sheet:\n"
        "    def __init__(self, cells): self.cells = cells; self.seen = {}\n"
        "    def cell(self, name):\n"
        "        if name not in self.seen: self.seen[name] = self.cells[name] * 2\n"
        "        return self.seen[name]\n"
        "    def __getitem__(self, name): return self.cell(name)\n"
        "    def __add__(self, other): return Sheet({**self.cells, **other.cells})\n"
        "ROWS = {('a', 1): ['x'], ('b', 2): []}\n"
        "def total(cells): return Sheet(cells)['a'] + Sheet(cells)['b']\n"
        "def f(key, x):\n"
        "    stack = ['end']\n"
        "    stack.extend(ROWS[key, 1])\n"
        "    top = stack.pop()\n"
        "    return top, x\n",
        tmp_path,
    )
    residual = futamura.specialize(module.f, key="a")
    assert residual.source.strip().endswith("return 'x', x")


GIVEN = """
ROWS = {"a": [1, 2]}
class Op:
    def __init__(self, function): self.function = function
    def run(self): return self.function(ROWS["a"])
OP
def use(): OP.run()
def f(x): return sum(ROWS["a"]) * x
"""
MUTATORS = [
    "OP = Op(list.clear)",
    "OP = Op(getattr(list, 'cle' + 'ar'))",
    "OP = Op(list.__dict__['clear'])",
    "D = list.clear\nOP = Op(D)",
    "OP = Op(type([]).clear)",
    "from operator import methodcaller\nOP = Op(methodcaller('append', 4))",
    "import functools\nOP = Op(functools.partial(list.insert, ROWS['a'], 0) and list.clear)",
    "class Op2(Op):\n    def __init__(self): pass\n    function = property(lambda self: list.clear)\nOP = Op2()",
    "FS = []\ndef register(g):\n    FS.append(g)\n    return g\n"
    "@register\ndef more(rows): rows.append(7)\nOP = Op(FS[0])",
    "OP = Op(lambda rows: rows.append(1))",
    "class Adding:\n    def __call__(self, rows): rows.append(1)\nOP = Op(Adding())",
    "class Adding:\n    def add(self, rows): rows.append(1)\nOP = Op(Adding().add)",
    "import sys\ndef stop(rows): rows.append(1)\nOP = Op(vars(sys.modules[__name__])['stop'])",
    "def adding():\n    while True: (yield).append(1)\nOP = adding()\nnext(OP)\nOP = Op(OP.send)",
]


@pytest.mark.parametrize("made", MUTATORS)
def test_functions_that_objects_are_given(made: str, tmp_path: Path) -> None:
    follow(GIVEN.replace("\nOP\n", f"\n{made}\n"), tmp_path)


def test_functions_that_objects_are_given_elsewhere(tmp_path: Path) -> None:
    module = module_of(GIVEN.replace("\nOP\n", "\nOP = Op(len)\n"), tmp_path)
    residual = futamura.specialize(module.f)
    assert residual(2) == module.f(2) == 6
    module.Op(list.clear).run()
    assert residual(2) == module.f(2) == 0


GENERATED = """
from dataclasses import dataclass
@dataclass(frozen=True)
class Row:
    a: int
def made(cls): return lambda rows: change(cls, rows)
def change(cls, rows): cls[0][rows] = 1
def f(x): return list(Row.__annotations__), x
"""


def test_variables_of_generated_functions_are_not_those_of_the_text(tmp_path: Path) -> None:
    """The methods that a dataclass gets share a variable that is called `cls`, too."""
    module = module_of(GENERATED, tmp_path)
    residual = futamura.Specializer(assume="trust")(module.f)
    assert "['a']" in residual.source and residual(1) == module.f(1)


SHORTENED = {
    "add = found.append": "add(name)",
    "add = LOG.append": "add(name)",
    "add = found.append; more = found.extend": "add(name); more([name])",
    "found.extend(name for name, row in RULES if row)": "",
}
"""How a function names a method, and calls it for each rule: the rules stay as they are."""


@pytest.mark.parametrize("named", SHORTENED)
def test_methods_under_short_names(named: str, tmp_path: Path) -> None:
    module = module_of(
        "LOG = []\nRULES = [('a', [1, 2]), ('b', [3])]\ndef use():\n    found = []\n"
        f"    {named}\n    for name, row in RULES:\n        {SHORTENED[named] or 'pass'}\n    return found\n"
        "def f(x): return len(RULES[0][1]) + x\n",
        tmp_path,
    )
    assert futamura.specialize(module.f).source == "def f(x):\n    return 2 + x\n"


SHORT_CHANGES = [
    "add = RULES[0][1].append\n    add(3)",
    "found = []\n    add = found.append\n    add(RULES[0][1])\n    found[0].append(3)",
    "found = []\n    add = found.append\n    for name, row in RULES: add(row)\n    for row in found: row.clear()",
    "pop = RULES[0][1].pop\n    pop()",
    "pop = RULES.pop\n    name, row = pop(0)\n    row.append(3)\n    RULES.insert(0, (name, row))",
    "add = HELD.append\n    add(RULES[0][1])\n    more()",
    "add = RULES[0][1].append\n    call(add)",
    "add = RULES[0][1].append\n    def inner(): add(3)\n    inner()",
    "add = RULES[0][1].append\n    [add(n) for n in (3, 4)]",
    "add = HELD.append\n    for add in [RULES[0][1].append]: add(3)",
    "add = HELD.append\n    add = RULES[0][1].append\n    add(3)",
    "add = HELD.append\n    def inner():\n        nonlocal add\n        add = RULES[0][1].append\n"
    "    inner()\n    add(3)",
    "add = RULES[0][1].append\n    locals()['add'](3)",
    "add = Mine().append\n    add(RULES[0][1])",
    "add = HELD.append\n    add(x := RULES[0][1])\n    x.append(3)",
]


@pytest.mark.parametrize("use", SHORT_CHANGES)
def test_methods_under_short_names_change_their_objects(use: str, tmp_path: Path) -> None:
    follow(
        "HELD = []\nRULES = [('a', [1, 2]), ('b', [3])]\ndef f(x): return len(RULES[0][1]) + x\n"
        "def more(): HELD[-1].append(3)\ndef call(function): function(3)\n"
        "class Mine:\n    def append(self, row): row.append(3)\n"
        f"def use():\n    {use}\n",
        tmp_path,
    )
