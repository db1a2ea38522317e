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
