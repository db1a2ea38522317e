"""Parts of the corner programs read off Python itself: each method, function and exception class, with many arguments.

    _methods("lists", list, ("[{i}, {j}]",))    ->    a part with "q = w = [{i}, {j}]", "r = q.insert({i}, {v})", ...

What the specializer has a row for is met like what it has none for, and so is what a later Python adds.

Invariant: a part depends on the version of Python alone; what asks the hash seed, the clock or an address is left out.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

__all__ = ["BINARY", "TABLES", "Part"]


class Part(NamedTuple):
    """One corner."""

    name: str
    definitions: str
    statements: tuple[str, ...]
    tweaks: tuple[str, ...]
    objects: tuple[str, ...]


_ARGUMENTS: Final = (
    (), ("{i}",), ("{s}",), ("{v}",), ("{xs}",), ("{i}", "{j}"), ("{s}", "{t}"), ("{i}", "{v}"), ("{s}", "{i}"),
    ("{xs}", "{ys}"),
    ("{s}", "{i}", "{j}"), ("{t}", "{s}", "{i}"),
)  # fmt: skip
_SKIPPED: Final = frozenset(
    {
        "popitem",
        "sort",
        "fromhex",
        "hex",
        "format_map",
        "maketrans",
        "from_bytes",
        "fromkeys",
        "most_common",
        "elements",
    }
)
"""Methods whose rows stand in other parts, or that make much of little."""


def _called(name: str, given: Sequence[str]) -> str:
    return f"{name}({', '.join(given)})"


def _methods(
    title: str, kind: type, made: Sequence[str], definitions: str = "", items: str = "q", most: int = len(_ARGUMENTS)
) -> Part:
    """Each public method on each of the objects: the result, and the object behind it."""
    names = [name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))]
    statements = []
    rounds, arguments = itertools.cycle(made), itertools.cycle(_ARGUMENTS)
    for name in names:
        for given in itertools.islice(arguments, most) if name not in _SKIPPED else ():
            statements.append(
                f"q = w = {next(rounds)}\nr = {_called(f'q.{name}', given)}\nout.append((r, {items}, w is q))"
            )
    return Part(f"methods of {title}", definitions, tuple(statements), (), ())


_FUNCTIONS: Final = (
    "abs", "all", "any", "ascii", "bin", "bool", "bytearray", "bytes", "callable", "chr", "complex", "dict", "divmod",
    "enumerate", "filter", "float", "format", "frozenset", "hex", "int", "isinstance", "issubclass", "iter", "len",
    "list", "map", "max", "min", "next", "oct", "ord", "pow", "range", "repr", "reversed", "round", "set", "slice",
    "sorted", "str", "sum", "tuple", "type", "zip",
)  # fmt: skip
_VALUES: Final = (
    "{i}", "{s}", "{v}", "{xs}", "[{i}, {s}]", "({i}, {j})", "None", "({i} for q in {xs})", "iter({ys})", "keep({i})",
)  # fmt: skip


def _functions() -> Part:
    """Each builtin function with one argument, with two, and with more."""
    statements = []
    pairs = itertools.cycle(itertools.product(_VALUES, repeat=2))
    for name in _FUNCTIONS:
        calls = [_called(name, (one,)) for one in _VALUES]
        calls += [_called(name, pair) for pair in itertools.islice(pairs, 3)]
        calls += [_called(name, (*_VALUES[:2], _VALUES[3])), f"{name}(*{{xs}})", f"{name}()"]
        for call in calls:
            statements.append(f"r = {call}\nout.append(([*r] if hasattr(r, '__next__') else r, type(r).__name__))")
    return Part("builtin functions", "", tuple(statements), (), ())


def _errors() -> Part:
    """Each builtin exception class, made, raised, caught and asked for what it holds."""
    names = sorted(
        name
        for name, kind in vars(builtins).items()
        if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, (Warning, ExceptionGroup))
    )
    statements = []
    asked = "(type(e).__name__, e.args, str(e), getattr(e, 'value', 0), getattr(e, 'errno', 0), getattr(e, 'name', 0))"
    parents = itertools.cycle(
        ("OSError", "LookupError", "ValueError", "ArithmeticError", "RuntimeError", "ImportError")
    )
    for name in names:
        for given in ("", "{i}", "{s}, {v}", "keep(2), {s}"):
            statements.append(f"e = {name}({given})\nout.append({asked})\nkeep(e)")
            statements.append(
                f"try: raise {name}({given})\nexcept {next(parents)} as e: out.append(('parent', {asked}))\n"
                f"except Exception as e: out.append({asked})"
            )
    return Part("builtin exceptions", "", tuple(statements), (), ())


BINARY: Final = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<",
    "<=", "==", "!=", "in", "is", "and", "or", "@",
)  # fmt: skip
_INPLACE: Final = ("+=", "-=", "*=", "&=", "|=", "^=", "%=")
_OPERANDS: Final = (
    "[{i}, {s}]", "({i}, {j})", "{{{i}, {j}}}", "{{{s}: {i}}}", "{s}", "{i}", "{v}", "frozenset(({i}, 1))", "True",
    "b'ab'", "range({i} & 3)", "1.5", "None", "collections.deque({xs})", "{xs}",
)  # fmt: skip


def _tried(text: str) -> str:
    return f"try: out.append({text})\nexcept TypeError as e: out.append(str(e))"


def _operators() -> Part:
    """Operators on each pair of classes, and in place, with another name for the left operand."""
    statements = []
    symbols, assigning = itertools.cycle(BINARY), itertools.cycle(_INPLACE)
    for left, right in itertools.product(_OPERANDS, repeat=2):
        chosen = ("==", "!=", "in", next(symbols), next(symbols))
        statements.append("\n".join([f"q, w = {left}, {right}", *(_tried(f"q {symbol} w") for symbol in chosen)]))
        statements.append(f"w = q = {left}\nq {next(assigning)} {right}\nout.append((q, w, q is w))")
    return Part("operators on all classes", "", tuple(statements), (), ())


_CHANGES: Final = {
    "[{i}, {j}]": ("append({i})", "pop()", "clear()", "insert(0, {i})", "extend({xs})", "reverse()"),
    "{{{s}: {i}, {t}: 2}}": ("pop({s}, 0)", "clear()", "update(z={i})", "setdefault({t}, 1)", "__setitem__({s}, 7)"),
    "{{1, 2}}": ("add({i})", "discard({i})", "clear()", "update({xs})", "add(1)"),
    "collections.deque(({i}, 2))": ("append({i})", "popleft()", "clear()", "rotate(1)", "appendleft(0)"),
    "{xs}": ("append({i})", "pop()", "clear()"),
}
_WALKS: Final = (
    "iter(q)", "enumerate(q)", "zip(q, (7, 8, 9))", "reversed([*q])", "(x for x in q)", "map(str, q)",
    "iter(q.copy())", "filter(None, q)",
)  # fmt: skip


def _iterators() -> Part:
    """Iterators over what changes between two items, behind the last item, and without a change."""
    statements = []
    for made, changes in _CHANGES.items():
        for walk, change in zip(_WALKS * 2, itertools.cycle(changes)):
            taken = "out.append(next(it, 'none'))"
            statements.append(f"q = {made}\nit = {walk}\n{taken}\nq.{change}\n{taken}\nout.append([*it])")
        for change in changes:
            walked = "out.append([*it])"
            statements.append(f"q = {made}\nit = iter(q)\n{walked}\nq.{change}\n{walked}\nout.append(q)")
            body = f"    if n == {{i}}: q.{change}\n    if n > 5: break\n    out.append(x)"
            statements.append(f"q = {made}\nfor n, x in enumerate(q):\n{body}")
    return Part("iterators over what changes", "", tuple(statements), (), ())


def _generators() -> Part:
    """Each method of a generator in each of its states, with what it gives used."""
    definitions = (
        "def plain(n):\n    got = yield n\n    out = yield got\n    return out\n"
        "def empty(n):\n    return n\n    yield\n"
        "def guarded(n):\n    try: got = yield n\n    except ValueError as e: got = yield ('caught', e.args)\n"
        "    finally: print('left', n)\n    return got\n"
        "def stubborn(n):\n    while True:\n        try: n = yield n\n        except GeneratorExit: return 'closed'\n"
        "def outer(n):\n    got = yield from guarded(n)\n    yield ('got', got)\n    return got\n"
        "def failing(n):\n    yield n\n    raise (KeyError(n), StopIteration(n))[n & 1]\n"
    )
    acts = ("next(g)", "next(g, 'none')", "g.send({v})", "g.send(None)", "g.throw(ValueError({i}))",
            "g.throw(ValueError)", "g.close()", "g.throw(GeneratorExit)", "[*g]", "g.send({i})")  # fmt: skip
    statements = []
    for at, name in enumerate(("plain", "empty", "guarded", "stubborn", "outer", "failing")):
        pairs = [pair for place, pair in enumerate(itertools.product(acts, acts)) if place % 3 == at % 3]
        for step, (first, second) in enumerate(pairs):
            given = ("{i}", "{v}", "keep({i})")[(at + step) % 3] if name != "failing" else "{i}"
            tries = [
                f"try: out.append({act})\nexcept (StopIteration, Exception) as e:"
                " out.append((type(e).__name__, e.args, getattr(e, 'value', 0)))"
                for act in (first, second)
            ]
            statements.append("\n".join([f"g = {name}({given})", *tries]))
    return Part("methods of generators", definitions, tuple(statements), (), ())


_MAKERS: Final = (
    "[{i}, {j}]",
    "({i}, {j})",
    "{{'a': {i}}}",
    "{{'b': {i}}}",
    "collections.defaultdict(list)",
    "collections.defaultdict(int)",
    "collections.defaultdict(lambda: {i})",
    "functools.partial(told, a={i})",
    "functools.partial(told, b={i})",
    "functools.partial(told, 1)",
    "functools.partial(told)",
    "operator.itemgetter(0)",
    "operator.itemgetter({i})",
    "operator.itemgetter(0, 1)",
    "operator.attrgetter('real')",
    "operator.attrgetter('imag')",
    "q.append",
    "q.count",
    "q.index",
    "q.pop",
    "d.keys()",
    "d.values()",
    "d.items()",
    "iter(q)",
    "enumerate(q)",
    "enumerate(q, 2)",
    "zip(q, q)",
    "zip(q)",
    "reversed(q)",
    "map(str, q)",
    "slice(1, 2)",
    "slice(1)",
    "{{1, 2}}",
    "{{1, 3}}",
    "lambda *a: (a, {i})",
    "lambda *a: (a, {j}, 1)",
    "One({i})",
    "Two({i})",
    "One({i}).go",
    "Two({i}).go",
    "ValueError({i})",
    "KeyError({i})",
    "counted({i} & 1)",
    "counted(2)",
    "collections.deque(({i}, 1))",
    "range(3)",
    "{s}.upper",
    "{s}.lower",
    "re.match('(a)', 'a')",
    "re.match('(b)', 'b')",
    "frozenset((1,))",
    "1",
    "1.0",
    "True",
    "(1, 2)",
    "(1, 3)",
    "None",
    "Pair(1, {i})",
    "Pair({i}, 2)",
    "keep([7])",
    "q",
    "[]",
    "()",
    "functools.partial(told, a=1, b=2)",
    "functools.partial(told, b=1, a=2)",
)
"""What two ways may bring to one place."""


def _meeting() -> Part:
    """Two ways make two objects, or two states of one: behind the place where they meet, each is what it was."""
    definitions = (
        "def told(*given, a=0, b=0): return given, a, b\n"
        "class One:\n    def __init__(self, n): self.n = n\n    def go(self, *given): return ('one', self.n)\n"
        "class Two(One):\n    def go(self, *given): return ('two', self.n)\n"
        "Pair = collections.namedtuple('Pair', 'x y')\n"
        "def counted(n):\n    for k in range(n): yield k\n    yield 'end'\n"
        "def used(w):\n    found = [type(w).__name__]\n"
        "    acts = [lambda: w(), lambda: w((5, 6, 7)), lambda: w[1], lambda: w['a'], lambda: [*w], lambda: w.n]\n"
        "    acts += [lambda: w.args, lambda: len(w), lambda: w == (1, 2), lambda: (w.start, w.stop)]\n"
        "    for act in acts:\n        try: found.append(act())\n"
        "        except Exception as e: found.append(type(e).__name__)\n    return found\n"
    )
    statements = []
    for step in (1, 2, 5):
        for one, other in zip(_MAKERS, (*_MAKERS[step:], *_MAKERS[:step])):
            statements.append(
                f"q, d = [{{i}}, 1], {{{{'a': {{i}}}}}}\nw = {one}\nif {{c}}: w = {other}\nout.append(used(w))"
            )
    return Part("what meets", definitions, tuple(statements), (), ())


def _enough(parts: Iterable[Part]) -> tuple[Part, ...]:
    return tuple(part for part in parts if part.statements)


_PATTERN: Final = "import re\nDIGITS = re.compile('[0-9]')\nLETTERS = re.compile('(a)|(b)(c)?')\n"
TABLES: Final = _enough(
    (
        _methods("lists", list, ("[{i}, {j}]", "{xs}", "[*{xs}, {v}]", "[]", "[{v}, {i}, {i}]")),
        _methods("dicts", dict, ("{{{s}: {i}}}", "{{1: {v}, {s}: 2}}", "dict(a={i}, b={v})", "{{}}")),
        _methods("sets", set, ("{{1, 'a', {i}}}", "set({xs})", "{{{i}, {j}}}", "set()"), "", "sorted(map(repr, q))"),
        _methods("texts", str, ("{s}", "'aXb1'", "({s} + {t})", "' a b '"), most=5),
        _methods("bytes", bytes, ("{s}.encode()", "b'aXb1'"), most=3),
        _methods("tuples", tuple, ("({i}, {v})", "(*{xs}, {s})", "()")),
        _methods("deques", __import__("collections").deque, (
            "collections.deque(({i}, {j}, 3))", "collections.deque({xs})", "collections.deque()")),
        _methods("patterns", type(__import__("re").compile("")), ("DIGITS", "LETTERS"), _PATTERN, "0"),
        _functions(), _errors(), _operators(), _iterators(), _meeting(), _generators(),
    )
)  # fmt: skip
