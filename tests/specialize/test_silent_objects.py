"""Static objects that notice every look at them: none is looked at while the specializer works.

    class Fake:
        @property
        def __class__(self): ...      `isinstance(fake, int)` would run this; the specializer asks `type(fake)`

Each operation stands in several surroundings: alone, in a try statement, in a loop, behind a match, in a with.

Invariant: the log is empty after each specialization, whatever its outcome; nothing here is ever called.
"""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import futamura

LOG: list[str] = []


class Noisy:
    """Every attribute that is read is noted."""

    def __init__(self) -> None:
        object.__setattr__(self, "n", [1, 2])

    def __getattribute__(self, name: str) -> Any:
        LOG.append(name)
        return object.__getattribute__(self, name)


class Fake:
    """It says that it is a number."""

    n = 1

    @property
    def __class__(self) -> Any:
        LOG.append("class")
        return int

    @__class__.setter
    def __class__(self, value: Any) -> None:
        LOG.append("set class")


class Slots:
    """Attributes that are missing are asked for."""

    __slots__ = ("m", "n")

    def __init__(self) -> None:
        self.n = [1]

    def __getattr__(self, name: str) -> Any:
        LOG.append(name)
        raise AttributeError(name)


EXPRESSIONS = (
    "c.n", "c.m", "c.n[0]", "c + x", "c == x", "[c]", "(c, x)", "isinstance(c, int)", "isinstance(c, (str, list))",
    "type(c)", "c is x", "c if x else 1", "f'{c}'", "str(c)", "len(c)", "callable(c)", "hasattr(c, 'n')",
    "getattr(c, 'zz', 3)", "c(x)", "[i for i in c]", "c[x]", "x in c", "{c: 1}", "{c}", "print(c)", "not c",
    "sorted([c])", "max(c, x)", "abs(c)", "c.__class__", "c.__dict__", "vars(c)", "super(object, c)", "x.append(c)",
    "c.n.append(x)", "issubclass(c, int)", "isinstance(x, c)", "bool(c)", "iter(c)", "next(c)", "dict(c)", "list(c)",
    "c.zork", "int(c)", "c < x", "-c", "c << 1", "c and x", "hash(c)", "'%s' % c", "{**c}", "[*c]", "print(*c)",
    "c.n.m", "any(c)", "dict(a=c)", "type(c)(x)", "enumerate(c)", "zip(c, x)",
)  # fmt: skip
FORMS = {
    "alone": "def f(c, x):\n return {}",
    "try": "def f(c, x):\n try:\n  return {}\n except Exception as e:\n  return type(e)",
    "loop": "def f(c, x):\n for y in [c]:\n  if x: c = y\n  z = {}\n return z",
    "match": "def f(c, x):\n match c:\n  case [k]: return k\n  case int(): return 2\n  case {{1: 1}}: x\n return {}",
    "with": "def f(c, x):\n with c as q:\n  z = {}\n return z",
    "raise": "def f(c, x):\n raise c from ({})",
    "store": "def f(c, x):\n c.n = x\n z = {}\n del c.n\n return z",
}


def function_of(text: str) -> Any:
    file = f"<silent {text}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace: dict[str, Any] = {}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    return namespace["f"]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("cls", [Noisy, Fake, Slots])
def test_nothing_is_asked(cls: type, form: str) -> None:
    for expression in EXPRESSIONS:
        function = function_of(FORMS[form].format(expression))
        thing = cls()
        LOG.clear()
        residual = futamura.specialize(function, c=thing)
        assert LOG == [], expression
        assert "FT901" not in residual.stats["fallbacks"], (expression, residual.events)


LAZY, NOISY = Fake(), Noisy()  # proxies that make their object when it is first needed do so, too
HELD: dict[str, Any] = {"a": LAZY, "b": [NOISY], "c": (LAZY, NOISY)}


class Holder:
    lazy = LAZY
    noisy = NOISY


def compared(a: Any, o: Any) -> Any:
    return o is NOISY, o is LAZY, a


def listed(a: Any, o: Any) -> Any:
    return [a, o, LAZY, NOISY]


def looked_up(a: Any, o: Any) -> Any:
    return HELD["a"] is o, HELD["b"][0], HELD["c"][1] is a


def of_class(a: Any, o: Any) -> Any:
    found = Holder()
    return found.lazy, found.noisy, Holder.lazy is o, a


def walked(a: Any, o: Any) -> Any:
    for one in HELD["c"]:
        a = (a, one, o)
    return a


def by_default(a: Any, o: Any) -> Any:
    def inner(x: Any, y: Any = LAZY) -> Any:
        return x, y, o

    return inner(a)


def chosen(a: Any, o: Any) -> Any:
    try:
        return a[o]
    except KeyError:
        return LAZY if a else NOISY


@pytest.mark.parametrize("function", [compared, listed, looked_up, of_class, walked, by_default, chosen])
def test_what_is_held_or_global_is_not_looked_at(function: Any) -> None:
    for given in (LAZY, NOISY, [LAZY], {"x": NOISY}, (LAZY, NOISY), {"y": (LAZY, [NOISY])}):
        LOG.clear()
        residual = futamura.specialize(function, o=given)
        text = residual.explain()
        assert text and not LOG, given
