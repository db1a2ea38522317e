"""What is known of results: each operation on objects whose methods give instances of subclasses, or odd values.

    def known(x, y): made = f"{x}"; return type(made) is str, ...      x's `__format__` gives an instance of a subclass

The classes that the residual tests for are those that the specializer and the optimizer know results by, so a result
that is taken for one of another class is seen.

Texts with a display behind `%` are left out: Python itself compiles these to f-strings, which format twice.

Invariant: each operation runs on every pair of values, open and behind a test of an operand's class.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import futamura

from .comparing import observe, outcome
from .corner_tables import BINARY

OPERATIONS = (
    *[
        f"x {symbol} y"
        for symbol in (*BINARY, "<<", ">>", ">", ">=")
    ],
    *[f"{symbol}x" for symbol in ("+", "-", "~", "not ")],
    *["f'{x}'", "f'{x!s}'", "f'{x!r}'", "f'{x!a}'", "f'{x:>3}'", "f'{x:{y}}'", "f'{x}{y}'", "f' {x}'", "f'{x}' f'{y}'"],
    *["'%s' % x", "'%d' % x", "x % (y,)"],
    *[
        "'{}'.format(x)",
        "'{0}'.format(x)",
        "'{}{}'.format(x, y)",
        "'{:>4}'.format(x)",
        "'{!r}'.format(x)",
        "'{a}'.format(a=x)",
    ],
    *["x.format(y)", "x.join(y)", "''.join([x])", "''.join((x, y))", "x.join(['a'])", "x.replace(y, x)", "x.strip(y)"],
    *[
        "x.split(y)",
        "x.upper()",
        "x.find(y)",
        "x.count(y)",
        "x.startswith(y)",
        "x.partition(y)",
        "x.encode()",
        "x.zfill(0)",
    ],
    *[
        "x.removeprefix(y)",
        "x.ljust(0)",
        "x.title()",
        "x.isdigit()",
        "x.splitlines()",
        "x.expandtabs()",
        "x.translate({})",
    ],
    *[
        f"{name}(x)"
        for name in (
            "str",
            "repr",
            "ascii",
            "format",
            "int",
            "float",
            "complex",
            "bool",
            "len",
            "hash",
            "abs",
            "round",
            "chr",
            "ord",
            "bin",
            "hex",
        )
    ],
    *[
        f"{name}(x)"
        for name in (
            "list",
            "tuple",
            "set",
            "frozenset",
            "dict",
            "bytes",
            "bytearray",
            "sorted",
            "sum",
            "max",
            "min",
            "any",
            "all",
            "iter",
        )
    ],
    *[f"{name}(x)" for name in ("type", "callable", "range", "enumerate", "reversed", "zip", "divmod")],
    *["str(x, y)", "format(x, y)", "int(x, y)", "round(x, y)", "divmod(x, y)", "pow(x, y)", "sum(x, y)", "max(x, y)"],
    *["min(x, y)", "min(x, default=y)", "isinstance(x, type(y))", "issubclass(type(x), type(y))", "hasattr(x, 'real')"],
    *["x[y]", "x[0]", "x[:]", "x[:y]", "x[0:1]", "x.real", "x.__class__", "x.__doc__", "x.__len__()", "x.copy()"],
    *["x.get(y)", "x.get(y, x)", "x.pop()", "x.index(y)", "x.keys()", "x.items()", "[*x]", "(*x, *y)", "{*x}", "{**x}"],
    *[
        "[x, y]",
        "(x, y)",
        "{x: y}",
        "{x, y}",
        "x if y else 0",
        "[q for q in x]",
        "lambda: x",
        "(q for q in x)",
        "slice(x, y)",
    ],
)
TEXTS = (
    *["x.partition(y)[0]", "x.rpartition(y)[2]", "next(iter(x))", "[q for q in x][0]", "[q for q in x.split(y)][0]"],
    *["x.split()[0]", "[q for q in x.splitlines()][0]", "re.search('(b)?', x).group()"],
    *["re.search('(b)?', x).group(1)", "re.search('(b)?', x).group(0, 1)"],
    *["re.search(b'(b)?', x).group()", "re.match('', x).group(0)"],
    *["re.findall('.?', x)[0]", "re.findall('(.)?', x)[0]", "re.findall('(.?)(.?)', x)[0]", "re.split('a', x)[0]"],
    *["[q.group() for q in re.finditer('.?', x)][0]", "[q for q in re.finditer('.?', x)][0].start()"],
    *["[q.group() for q in re.finditer(b'.?', x)][0]", "re.compile('.').sub('q', x)", "re.match('.', x)[0]"],
    *["re.match('.', x).span()", "re.match('(.)', x).groups()", "[q for q in re.findall('.', x)][0]"],
)
"""What is taken out of texts and matches."""
INPLACE = ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^=")
TESTED = ("float", "bool", "list", "tuple", "dict", "bytes")
"""Classes that an operand is known to be of in one of the ways: beside `int` and `str`, one of these in turn."""

MODULE = """
import re
class Text(str):
    def __eq__(self, other): return "equal"
    def __hash__(self): return 3
    def __len__(self): return 99
    def __add__(self, other): return Text(str.__add__(self, other))
    def __mod__(self, other): return Text("mod")
    def __format__(self, spec): return Text("text")
    def __str__(self): return Text("shown")
    def __repr__(self): return Text("a text")
class Number(int):
    def __add__(self, other): return Number(7)
    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __and__ = __rand__ = __mod__ = __rmod__ = __neg__ = __add__
    def __neg__(self): return Number(-7)
    def __lt__(self, other): return 0
    def __eq__(self, other): return [1]
    __hash__ = int.__hash__
    def __abs__(self): return Number(5)
    def __round__(self, n=0): return "round"
    def __bool__(self): return True
class Real(float):
    def __float__(self): return Real(2.0)
    def __abs__(self): return "abs"
    def __mul__(self, other): return Real(1.0)
class Row(list):
    def __getitem__(self, at): return Text("item")
    def __add__(self, other): return Row([1])
    def __iadd__(self, other): return "in place"
    def __contains__(self, item): return "yes"
    def __iter__(self): return iter((Text("q"),))
class Pair(tuple):
    def __new__(cls, *items): return tuple.__new__(cls, items)
    def __getitem__(self, at): return Pair(at)
    def __mul__(self, count): return Pair()
    def __repr__(self): return Text("a pair")
class Table(dict):
    def __missing__(self, key): return Table()
    def get(self, *given): return Text("got")
    def copy(self): return [1]
    def __or__(self, other): return Table()
class Odd:
    def __format__(self, spec): return Text("odd")
    def __str__(self): return Text("odd shown")
    def __repr__(self): return Text("an odd one")
    def __index__(self): return 1
    def __len__(self): return 2
    def __hash__(self): return Number(9)
    def __eq__(self, other): return 0
    def __lt__(self, other): return ""
    def __add__(self, other): return Number(4)
    __radd__ = __mod__ = __rmod__ = __or__ = __ror__ = __and__ = __rand__ = __add__
    def __iadd__(self, other): return "in place"
    def __invert__(self): return True
    def __divmod__(self, other): return [1]
    __rdivmod__ = __divmod__
    def __pow__(self, other): return "pow"
    def __round__(self, n=None): return ()
    def __getitem__(self, at): return (Number(1), Text("x"))[at]
    def __contains__(self, item): return 7
    def __bytes__(self): return b"odd"
    def keys(self): return [Text("k")]
def values():
    return [
        Text("x"), Number(3), Real(1.5), Row([2]), Pair(1, 2), Table(a=1), Odd(),
        "a", "{}", 0, 2, True, 1.5, None, [1], (1, 2), {"a": 1}, b"a", "1", "", {1}, int, 1j,
    ]
def told(made):
    kind = type(made)
    text = made if type(made) in (str, int, bool, float, bytes, complex) else None
    return kind.__name__, text
"""
OTHERS = (0, 1, 3, 6, 7, 10, 14, 19)
"""The second operands: a text, a number and a list of subclasses, an odd object, and some of builtin classes."""
ASKED = (
    "type(made) is str, type(made) is int, type(made) is bool, type(made) is float, type(made) is list, "
    "type(made) is tuple, type(made) is dict, isinstance(made, str), isinstance(made, int), "
    "isinstance(made, (list, tuple)), made is None, made is True, told(made)"
)


def _function(number: int, lines: list[str]) -> str:
    return "\n".join(
        [f"def f{number}(x, y):", "    try:", *lines, "    except Exception as error:", "        return type(error)"]
    )


def _open(lines: list[str]) -> list[str]:
    return [f"        {line}" for line in [*lines, f"return {ASKED}"]]


def _tested(lines: list[str], kind: str) -> list[str]:
    body = [f"            {line}" for line in [*lines, f"return {ASKED}"]]
    return [f"        if type(x) is {kind}:", *body, f"        if type(y) is {kind}:", *body]


STATEMENTS = [
    *[[f"made = {text}"] for text in (*OPERATIONS, *TEXTS)],
    *[["made = x", f"made {symbol} y"] for symbol in INPLACE],
]


@pytest.fixture(scope="module", name="module")
def _module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    functions = []
    for number, lines in enumerate(STATEMENTS):
        functions.append(_function(2 * number, _open(lines)))
        kinds = ("int", "str", TESTED[number % len(TESTED)])
        functions.append(_function(2 * number + 1, [line for kind in kinds for line in _tested(lines, kind)]))
    path: Path = tmp_path_factory.mktemp("results") / "result_classes.py"
    path.write_text("\n".join([MODULE, *functions, ""]))
    spec = importlib.util.spec_from_file_location("result_classes", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _said(function: Callable[..., Any], values: Callable[[], list[Any]], x: int, y: int) -> Any:
    """What a call gives, with what becomes of its operands."""
    given = values()
    one, other = given[x], given[y]
    return outcome(lambda: function(one, other), (one, other))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(len(STATEMENTS)), ids=lambda number: "; ".join(STATEMENTS[number]))
def test_results_are_of_the_classes_that_they_are_known_by(module: ModuleType, number: int) -> None:
    count = len(module.values())
    others = OTHERS if re.search(r"\by\b", STATEMENTS[number][-1]) else (0,)
    for function in (getattr(module, f"f{2 * number}"), getattr(module, f"f{2 * number + 1}")):
        residual = futamura.specialize(function)
        for x in range(count):
            for y in others:
                wanted = _said(function, module.values, x, y)
                found = _said(residual, module.values, x, y)
                assert found == wanted, (x, y, residual.source)


def test_what_is_observed_tells_subclasses_apart(module: ModuleType) -> None:
    assert observe(module.told(module.Text("x"))) == observe(("Text", None)) != observe(module.told("x"))
