"""Facts and what ends them, in pairs: a promise and who writes, a table and what it holds beside functions, a constant
of a module and what is asked of it.

    try: xs[i]; grow(xs)    except: len(xs)                                 xs promised to have three items

Invariant: original and residual get equal arguments of their own.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import futamura

from .comparing import outcome
from .modules import written

PROMISES = """
import futamura
@futamura.opaque
def keep(x):
    return x
@futamura.opaque
def grow(xs):
    xs.append(9)
@futamura.opaque
def fail(xs):
    xs.append(8)
    raise ValueError(len(xs))
def deep(xs, n):
    if n <= 0 or n > 5: return n
    xs.append(n)
    return deep(xs, n - 1)
def sink(xs, n):
    if n <= 0 or n > 5: raise KeyError(n)
    xs.append(n)
    return sink(xs, n - 1) + 1
"""
FIRST = (
    "xs[i]", "int(s)", "7 // i", "s.index('a')", "q = s + 1", "q = xs[i] + xs[0]",
)  # fmt: skip
SECOND = (
    "grow(xs)", "xs.append(i)", "xs.pop()", "xs += [i]", "del xs[0]", "xs[:] = []", "fail(xs)", "xs.clear()",
    "deep(xs, i)", "sink(xs, i)", "keep(grow)(xs)", "xs *= 2", "xs.insert(0, 1)",
    "[xs.append(q) for q in keep((1, 2))]", "keep(xs.append)(1)", "list.append(xs, 2)",
    "q = [xs][keep(0)]\nq.append(3)", "xs[1:] = [xs]", "xs.extend(xs)", "ys.append(1)", "for q in ys: break",
    "q = next(iter(ys))", "xs.sort(key=keep)", "xs.remove(xs[0])",
)  # fmt: skip
ASKED = (
    "len(xs)", "(len(xs), [q for q in xs])", "(len(xs), xs[2] if len(xs) > 2 else None)",
    "(len(xs), [*enumerate(xs)][-1:])", "(len(xs), xs[-1:])",
)  # fmt: skip
MEMBERS = """
class C:
    k = 1
    def __init__(self, n): self.n = n
    @property
    def p(self): return ('p', self.n)
    def go(self, x): return ('go', x)
    @classmethod
    def c(cls, x): return ('c', cls.k, x)
    @staticmethod
    def s(x): return ('s', x)
    def __add__(self, x): return ('add', x)
    def __radd__(self, x): return ('radd', x)
    def __eq__(self, x): return 'eq'
    def __lt__(self, x): return 'lt'
    def __len__(self): return 2
    def __getitem__(self, x): return ('item', x)
    def __call__(self, x): return ('call', x)
    def __iter__(self): return iter((1, 2))
    def __contains__(self, x): return True
    def __neg__(self): return 'neg'
    def __enter__(self): return 'enter'
    def __exit__(self, *given): return False
class D(C):
    def go(self, x): return ('D', super().go(x))
def other(old):
    if isinstance(old, property): return property(lambda self: 'new p')
    if isinstance(old, classmethod): return classmethod(lambda cls, *given: 'new c')
    if isinstance(old, staticmethod): return staticmethod(lambda *given: 'new s')
    if not callable(old): return 'new'
    if old.__name__ == '__iter__': return lambda self: iter('ab')
    made = {'__len__': 7, '__init__': None, '__contains__': False}.get(old.__name__, 'new')
    return lambda self, *given: made
"""
USES = (
    "C(i).k", "C(i).p", "C(i).go(x)", "C.c(x)", "C(i).c(x)", "C.s(x)", "C(i).s(x)", "C(i) + x", "x + C(i)",
    "C(i) == x", "C(i) < x", "len(C(i))", "bool(C(i))", "C(i)[x]", "C(i)(x)", "[*C(i)]", "x in C(i)", "-C(i)",
    "D(i).go(x)", "D(i).p", "D(i) + x", "D.c(x)", "C.go(C(i), x)", "C.k", "D.k", "D(i).k", "type(C(i)).k",
    "super(D, D(i)).go(x)", "[q for q in D(i)]",
)  # fmt: skip

MIXED = """
import functools
def one(x): return ('one', x)
def two(x): return ('two', x)
class Kind:
    def __init__(self, x): self.x = x
    def __repr__(self): return f'Kind({self.x})'
class Call:
    def __call__(self, x): return ('call', x)
    def go(self, x): return ('method', x)
HELD = {'one': one, 'two': two, 'len': len, 'int': 5, 'none': None, 'kind': Kind, 'call': Call(), 'method': Call().go,
        'partial': functools.partial(one), 'lambda': lambda x: ('lambda', x), 'text': 'a', 'str': str}
def called(table, k, x):
    try:
        return table[k](x)
    except (TypeError, KeyError, IndexError) as error:
        return type(error), str(error)
def got(table, k, x):
    f = table.get(k, one)
    return f(x) if callable(f) else (f, x)
"""

CONSTANTS = """
import collections
class Own(dict):
    def __missing__(self, key):
        self[key] = made = [key]
        return made
class Gives(dict):
    def __missing__(self, key): return ('none', key)
PLAIN = {'a': [1], 'b': [2]}
DEFAULT = collections.defaultdict(list, a=[1], b=[2])
ORDERED = collections.OrderedDict(a=[1], b=[2])
COUNTED = collections.Counter(a=1, b=2)
OWN = Own(a=[1], b=[2])
GIVES = Gives(a=[1], b=[2])
CHAIN = collections.ChainMap({'a': [1]}, {'b': [2]})
DEEP = {'a': collections.defaultdict(list, b=[1]), 'b': Own(b=[2])}
"""
NAMES = ("PLAIN", "DEFAULT", "ORDERED", "COUNTED", "OWN", "GIVES", "CHAIN", "DEEP")
LOOKED = (
    "len(T)", "[*T]", "'zz' in T", "T.get('zz')", "sorted(map(repr, T.values()))", "bool(T)", "T == {}",
    "str(T['a'])", "len(T.get('a') or ())",
)  # fmt: skip
ACTS = (
    "T[k]", "T.get(k)", "T[k] if k in T else 0", "T['a']", "[*T.items()]", "T['b' if k else 'a']", "T['a']['zz']",
    "T.get('b')",
)  # fmt: skip


def _same(
    residual: Callable[..., Any],
    function: Callable[..., Any],
    given: Callable[[], tuple[Any, ...]],
    *known: Any,
) -> None:
    mine, its = given(), given()
    wanted = outcome(lambda: function(*known, *mine), mine)
    found = outcome(lambda: residual(*its), its)
    assert found == wanted, residual.source  # type: ignore[attr-defined]


@pytest.fixture(scope="module", name="promises")
def _promises(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    functions = []
    for at, (first, second) in enumerate(itertools.product(FIRST, SECOND)):
        asked = ASKED[at % len(ASKED)]
        body = "\n".join(f"        {line}" for line in [first, *second.split("\n"), first])
        end = f"    except Exception as e:\n        return {asked}, type(e).__name__\n    return {asked}"
        functions.append(f"def f{at}(xs, ys, i, s):\n    try:\n{body}\n{end}")
    return written(tmp_path_factory.mktemp("later"), "later_promises", "\n".join([PROMISES, *functions, ""]))


@pytest.mark.parametrize("first", range(len(FIRST)), ids=lambda first: FIRST[first])
def test_promises_and_who_writes(promises: ModuleType, first: int) -> None:
    for at in range(first * len(SECOND), (first + 1) * len(SECOND)):
        function = getattr(promises, f"f{at}")
        # What is open may write to the list by itself when it is an operand.
        plain = {"i": futamura.Dyn(int), "s": futamura.Dyn(str)} if at % 4 else {}
        residual = futamura.specialize(function, xs=futamura.Dyn(list[int], length=3), **plain)
        for i, s in ((0, "a"), (1, "1"), (2, "b"), (5, "7"), (-1, "xa")):

            def given(i: int = i, s: str = s) -> tuple[Any, ...]:
                xs = [4, 5, 6]
                growing = (xs.append(7) or q for q in (1, 2))  # type: ignore[func-returns-value]
                return xs, xs if i == 1 else growing if i == 0 else [1], i, s

            _same(residual, function, given)


def test_members_of_classes_that_others_replace(tmp_path: Path) -> None:
    functions = [f"def f{at}(i, x):\n    return {text}" for at, text in enumerate(USES)]
    module = written(tmp_path, "later_members", "\n".join([MEMBERS, *functions, ""]))
    residuals = [futamura.specialize(getattr(module, f"f{at}"), i=1) for at in range(len(USES))]
    for name, old in [*vars(module.C).items()]:
        if name.startswith("__") and name in vars(object) and name not in ("__init__", "__eq__", "__lt__"):
            continue
        if name in ("__module__", "__dict__", "__weakref__", "__hash__", "__firstlineno__", "__static_attributes__"):
            continue
        setattr(module.C, name, module.other(old))
        for at, residual in enumerate(residuals):
            _same(residual, getattr(module, f"f{at}"), lambda: (2,), 1)
        setattr(module.C, name, old)


@pytest.fixture(scope="module", name="mixed")
def _mixed(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return written(tmp_path_factory.mktemp("later"), "later_tables", MIXED)


def test_tables_of_functions_and_other_things(mixed: ModuleType) -> None:
    for one, other in itertools.combinations(mixed.HELD, 2):
        table = {"a": mixed.HELD[one], "b": mixed.HELD[other], "c": mixed.two}
        function = mixed.called if len(one) % 2 else mixed.got
        residual = futamura.specialize(function, table=table)
        for k in ("a", "b", "c", "zz"):
            _same(residual, function, lambda k=k: (k, "ab"), table)


@pytest.fixture(scope="module", name="constants")
def _constants(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[ModuleType, ModuleType]:
    """Two of the module: one that stays as it is, and one of which the functions are specialized."""
    functions = []
    for at, (name, act) in enumerate(itertools.product(NAMES, ACTS)):
        asked = LOOKED[at % len(LOOKED)]
        lines = [
            f"n = {asked}",
            f"try: r = str({act})",
            "except Exception as e: r = type(e)",
            f"return n, r, {asked}",
        ]
        functions.append(f"def f{at}(k):\n" + "\n".join("    " + re.sub(r"\bT\b", name, line) for line in lines))
    folder = tmp_path_factory.mktemp("later")
    text = "\n".join([CONSTANTS, *functions, ""])
    return written(folder, "later_constants", text), written(folder, "later_again", text)


@pytest.mark.parametrize("name", NAMES)
def test_constants_that_reading_may_change(constants: tuple[ModuleType, ModuleType], name: str) -> None:
    plain, own = constants
    for at in range(NAMES.index(name) * len(ACTS), (NAMES.index(name) + 1) * len(ACTS)):
        residual = futamura.specialize(getattr(own, f"f{at}"))
        for k in ("a", "new", "b", "other", "", 0):
            _same(residual, getattr(plain, f"f{at}"), lambda k=k: (k,))
            assert str(vars(plain)[name]) == str(vars(own)[name])
