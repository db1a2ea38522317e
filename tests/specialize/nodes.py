"""One small program for each kind of syntax: statements, expressions, operators, patterns.

    NODES["While"]    ->    "while n > 0:\\n    n -= 1\\nr = n"

The snippets read `n` (an int), `s` (a text), `xs` (a list) and `d` (a dict), and leave something in `r`.

Invariant: each snippet contains a node of the class under which it stands; the test checks that.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from tests.specialize.programs import Program

__all__ = ["NODES", "NO_CODE", "PREAMBLE", "kinds", "program"]

PREAMBLE = """
import math
class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x = x
        self.y = y
class Matrix:
    def __init__(self, v):
        self.v = v
    def __matmul__(self, other):
        return self.v * other.v
class Manager:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        print("enter", self.name)
        return self
    def __exit__(self, kind, error, trace):
        print("exit", self.name)
        return kind is KeyError
COUNT = 0
""".lstrip()

NO_CODE = {
    "AST", "mod", "stmt", "expr", "expr_context", "boolop", "operator", "unaryop", "cmpop", "comprehension",
    "excepthandler", "arguments", "arg", "keyword", "alias", "withitem", "match_case", "pattern", "type_ignore",
    "type_param", "Module", "Interactive", "Expression", "FunctionType", "Suite", "TypeIgnore", "AugLoad", "AugStore",
    "Param", "Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice", "slice", "Load",
    "TemplateStr", "Interpolation",
}  # fmt: skip
"""Abstract classes, parts that stand in every program, what only old versions make, and what is newer than 3.13."""

NODES: dict[str, str] = {
    # statements
    "FunctionDef": "def g(a, b=2):\n    return a + b + n\nr = g(1)",
    "AsyncFunctionDef": "async def g():\n    return n\nr = 1",
    "ClassDef": "class Local:\n    size = n\n    def get(self):\n        return self.size\nr = Local().get()",
    "Return": "if n > 1:\n    return s, n\nr = 2",
    "Delete": "del xs[0]\nt = n\ndel t\nr = xs",
    "Assign": "a = b = n\nr = a + b",
    "TypeAlias": "type Pair = tuple[int, int]\nr = n",
    "AugAssign": "n += 2\nxs[0] -= n\nxs += [n]\nr = n",
    "AnnAssign": "r: int = n + 1",
    "For": "r = 0\nfor q in xs:\n    r += n\nelse:\n    r += 1",
    "AsyncFor": "async def g():\n    async for q in n:\n        pass\nr = 1",
    "While": "r = 0\nwhile n > 0:\n    n -= 1\n    r += 2\nelse:\n    r += 1",
    "If": "if n > 2:\n    r = 1\nelif n > 1:\n    r = 2\nelse:\n    r = 3",
    "With": "with Manager('a') as m, Manager('b'):\n    r = m.name + s\n    if n > 3:\n        raise KeyError(n)",
    "AsyncWith": "async def g():\n    async with n:\n        pass\nr = 1",
    "Match": "match n:\n    case 1:\n        r = 'one'\n    case 2 | 3:\n        r = 'few'\n    case _:\n        r = s",
    "Raise": "if n > 3:\n    raise ValueError(s) from KeyError(n)\nr = 1",
    "Try": "try:\n    r = xs[n]\nexcept IndexError as e:\n    r = str(e)\nelse:\n    r += 1\nfinally:\n    print('f')",
    "TryStar": "try:\n    r = xs[n]\nexcept* IndexError:\n    r = 2",
    "Assert": "assert n < 5, s\nr = n",
    "Import": "import math as m\nr = m.floor(n + 0.5)",
    "ImportFrom": "from math import floor as f\nr = f(n + 0.5)",
    "Global": "global COUNT\nCOUNT += n\nr = COUNT",
    "Nonlocal": "t = n\ndef g():\n    nonlocal t\n    t += 1\n    return t\nr = g() + g() + t",
    "Expr": "xs.append(n)\nr = xs",
    "Pass": "pass\nr = n",
    "Break": "r = 0\nfor q in xs:\n    if q == n:\n        break\n    r += 1",
    "Continue": "r = 0\nfor q in xs:\n    if q == n:\n        continue\n    r += 1",
    "ExceptHandler": "try:\n    r = d[s]\nexcept (KeyError, TypeError) as e:\n    r = e.args",
    # expressions
    "BoolOp": "r = n and s or xs",
    "NamedExpr": "r = (t := n + 1) + t",
    "BinOp": "r = n * 2 + len(s)",
    "UnaryOp": "r = -n",
    "Lambda": "g = lambda a, *b, c=n, **k: (a, b, c, k)\nr = g(1, 2, z=3)",
    "IfExp": "r = s if n > 2 else xs",
    "Dict": "r = {s: n, **d, 'z': 1}",
    "Set": "r = sorted({n, 1, 2})",
    "ListComp": "r = [q + n for q in xs if q != n for _ in 'ab']",
    "SetComp": "r = sorted({q % 2 for q in (1, 2, n)})",
    "DictComp": "r = {q: n for q in s}",
    "GeneratorExp": "r = tuple(q * n for q in (1, 2, 3))",
    "Await": "async def g():\n    await n\nr = 1",
    "Yield": "def g():\n    t = yield n\n    yield t\nh = g()\nr = [next(h), h.send(s)]",
    "YieldFrom": "def g():\n    yield from xs\n    yield n\nr = list(g())",
    "Compare": "r = 0 < n <= 3 != len(s)",
    "Call": "r = max(*xs, n, key=lambda q: -q)",
    "FormattedValue": "r = f'{n}'",
    "JoinedStr": "r = f'{n:>{2}} {s!r} {xs}'",
    "Constant": "r = (n, 1, 2.5, 'a', b'b', None, True, ..., 3j)",
    "Attribute": "p = Point(n, s)\np.x += 1\nr = p.x, p.y",
    "Subscript": "r = xs[0], s[-1:], xs[::-1]\nxs[n % 2] = 5",
    "Starred": "a, *b = xs\nr = [*b, a, *s]",
    "Name": "r = n",
    "List": "r = [n, s, [n]]",
    "Tuple": "a, (b, c) = n, (s, xs)\nr = c, b, a",
    "Slice": "r = s[1:n], xs[:n], xs[::2]\nxs[1:2] = [7, 8]",
    "Store": "t = n\nr = t",
    "Del": "t = n\ndel t\nr = 1",
    # operators
    "And": "r = n and s",
    "Or": "r = n or s",
    "Not": "r = not n",
    "Invert": "r = ~n",
    "UAdd": "r = +n",
    "USub": "r = -n",
    "Add": "r = n + 1, s + 'b', xs + [n]",
    "Sub": "r = n - 2",
    "Mult": "r = n * 3, s * 2",
    "MatMult": "r = Matrix(n) @ Matrix(2)",
    "Div": "r = n / 2, 1 / n",
    "Mod": "r = n % 3, '%d' % n",
    "Pow": "r = n ** 2, 2 ** n",
    "LShift": "r = n << 2",
    "RShift": "r = n >> 1",
    "BitOr": "r = n | 4, d | {'z': n}",
    "BitXor": "r = n ^ 5",
    "BitAnd": "r = n & 3",
    "FloorDiv": "r = n // 2, 7 // n",
    "Eq": "r = n == 2, s == 'ab'",
    "NotEq": "r = n != 2",
    "Lt": "r = n < 3",
    "LtE": "r = n <= 2",
    "Gt": "r = n > 1",
    "GtE": "r = n >= 2",
    "Is": "r = n is None, xs is xs",
    "IsNot": "r = s is not None",
    "In": "r = n in xs, 'a' in s, s in d",
    "NotIn": "r = n not in xs",
    # patterns
    "MatchValue": "match s:\n    case 'ab':\n        r = 1\n    case 'b':\n        r = n\n    case _:\n        r = 3",
    "MatchSingleton": "match n > 2:\n    case True:\n        r = 1\n    case False:\n        r = 2",
    "MatchSequence": "match xs:\n    case []:\n        r = 0\n    case [a, b]:\n        r = a, b\n"
    "    case _:\n        r = n",
    "MatchMapping": "match d:\n    case {'a': v, **rest}:\n        r = v, rest, n\n    case _:\n        r = 3",
    "MatchClass": "match Point(n, s):\n    case Point(1, y=t):\n        r = t\n    case Point(x, y):\n        r = x, y",
    "MatchStar": "match xs:\n    case [first, *others]:\n        r = first, others, n\n    case _:\n        r = 3",
    "MatchAs": "match n:\n    case 1 | 2 as t:\n        r = t\n    case q if q > 3:\n        r = q\n    case _: r = s",
    "MatchOr": "match n:\n    case 1 | 2 | None:\n        r = s\n    case _:\n        r = 3",
    # type parameters
    "TypeVar": "def g[T](a: T) -> T:\n    return a\nr = g(n)",
    "ParamSpec": "def g[**P](a):\n    return a\nr = g(n)",
    "TypeVarTuple": "def g[*Ts](a):\n    return a\nr = g(n)",
}  # fmt: skip
_SINCE = {"TypeAlias": (3, 12), "TypeVar": (3, 12), "ParamSpec": (3, 12), "TypeVarTuple": (3, 12)}
SPLITS: dict[str, tuple[str, ...]] = {"nothing static": (), "n static": ("n",), "all static": ("n", "s", "xs", "d")}
_VALUES = {"n": ("0", "1", "2", "4"), "s": ("'ab'", "''", "'b'", "'a'"), "xs": ("[1, 2]", "[]", "[2, 3, 4]", "[4]")}
_VALUES["d"] = ("{'a': 1}", "{}", "{'ab': 2, 'a': 3}", "{'b': 0}")


def kinds() -> Iterator[str]:
    """Every class of syntax of this version of Python that can stand in a program."""
    for name in sorted(vars(ast)):
        value = getattr(ast, name)
        if isinstance(value, type) and issubclass(value, ast.AST) and name not in NO_CODE and not name.startswith("_"):
            if sys.version_info >= _SINCE.get(name, (3, 11)):
                yield name


def program(kind: str, split: str, number: int = 0) -> Program:
    """The snippet of this kind as a fuzzing program; `number` chooses the static values."""
    body = NODES[kind].replace("\n", "\n    ")
    source = f"{PREAMBLE}def target(n, s, xs, d):\n    {body}\n    return r, n, xs\n"
    names = ("n", "s", "xs", "d")
    static = tuple((name, _VALUES[name][number]) for name in SPLITS[split])
    opened = [name for name in names if name not in SPLITS[split]]
    inputs = ["{" + ", ".join(f"{name!r}: {_VALUES[name][k]}" for name in opened) + "}" for k in range(4)]
    inputs.append("{" + ", ".join(f"{name!r}: {_VALUES[name][(k + 1) % 4]}" for k, name in enumerate(opened)) + "}")
    return Program(2_000_000, source, "target", names, (), static, tuple(inputs))


def markdown(outcomes: dict[str, str]) -> str:
    """The table of the documentation: each kind with its outcome."""
    lines = ["| syntax | example | outcome |", "|---|---|---|"]
    for kind, result in outcomes.items():
        example = NODES[kind].split("\n")[0].replace("|", "\\|").replace("](", "] (")  # no link
        lines.append(f"| `{kind}` | `{example}` | {result} |")
    return "\n".join(lines) + "\n"
