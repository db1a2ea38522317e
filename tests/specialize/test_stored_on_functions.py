"""Attributes of functions that the code itself stores: they are not what they were when the residual was made.

    first = g.__name__          g.__name__ is read, and g is called, when the residual runs
    g.__name__ = x
    return first, g.__name__

Invariant: stores to what may be a function count, whoever is stored to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from futamura import Specializer, specialize
from tests.outcomes import outcome


def g(a: Any = 1, *, b: Any = 2) -> Any:
    return "g", a, b


def other(a: Any = 1, *, b: Any = 2) -> Any:
    return "other", a, b


def name(k: Any, x: Any) -> Any:
    g.__name__ = f"n{k}"
    return g.__name__, k


def open_name(k: Any, x: Any) -> Any:
    first = g.__name__
    g.__name__ = str(x)
    return first, g.__name__, k


def text(k: Any, x: Any) -> Any:
    first = g.__doc__, g.__qualname__, g.__module__
    x.__doc__, x.__qualname__, x.__module__ = "doc", "q", k
    return first, g.__doc__, g.__qualname__, g.__module__


def defaults(k: Any, x: Any) -> Any:
    g.__defaults__ = (k,)
    return g(), g(b=3), g(4)


def defaults_of_what_comes(k: Any, x: Any) -> Any:
    first = g()
    x.__defaults__ = (k,)
    x.__kwdefaults__ = {"b": first}
    return first, g()


def by_name(k: Any, x: Any) -> Any:
    first = g(), g.__name__
    setattr(x, "__defaults__", (k,))  # noqa: B010
    setattr(g, "__name__", k)  # noqa: B010
    return first, g(), g.__name__


def change(function: Any, k: Any) -> None:
    function.__defaults__ = (k,)


def in_a_call(k: Any, x: Any) -> Any:
    first = g()
    change(g, k)
    second = g()
    change(x, "again")
    return first, second, g()


def deleted(k: Any, x: Any) -> Any:
    first = g()
    del x.__kwdefaults__
    return first, g(5, b=k)


def code(k: Any, x: Any) -> Any:
    first = g(k)
    g.__code__ = other.__code__
    return first, g(k)


def wrapped(k: Any, x: Any) -> Any:
    def inner() -> Any:
        return k

    inner.__name__ = g.__name__
    inner.__doc__ = x.__doc__
    return inner.__name__, g.__name__, inner()


CODE = g.__code__


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    restore()
    yield
    restore()


def restore() -> None:
    g.__defaults__, g.__kwdefaults__, g.__code__ = (1,), {"b": 2}, CODE
    g.__doc__, g.__name__, g.__qualname__, g.__module__ = None, "g", "g", __name__


FUNCTIONS: list[Callable[..., Any]] = [
    name, open_name, text, defaults, defaults_of_what_comes, by_name, in_a_call, deleted, code, wrapped,
]  # fmt: skip


@pytest.mark.parametrize("assume", ["check", "trust"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_like_the_original(function: Callable[..., Any], assume: Any) -> None:
    residual = Specializer(assume=assume)(function, "k")
    for x in (g, other):
        restore()
        found = outcome(residual, x)
        restore()
        assert found == outcome(function, "k", x), residual.source


def test_names_of_others_are_known_where_new_functions_are_named() -> None:
    assert "g.__name__" not in specialize(wrapped, "k").source


WORDS = """
def takes(count):
    def stored(function):
        function.needs = count
        return function
    return stored
@takes(1)
def double(stack):
    stack.append(2 * stack.pop())
@takes(2)
def add(stack):
    right = stack.pop()
    stack.append(stack.pop() + right)
WORDS = {"double": double, "add": add}
def run(words, x):
    stack = [x, 1]
    for word in words:
        function = WORDS[word]
        if len(stack) < function.needs:
            raise IndexError(word)
        function(stack)
    return stack
"""


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "words_with_arity.py").write_text(WORDS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "words_with_arity", raising=False)
    return __import__("words_with_arity")


def counted(words: Any, x: Any) -> Any:
    for _ in words:
        counter.count += 1
    return counter.count, x


def counter() -> None:
    pass


counter.count = 0  # type: ignore[attr-defined]


def told() -> None:
    told.times += 1  # type: ignore[attr-defined]


told.times = 0  # type: ignore[attr-defined]


def asked(words: Any, x: Any) -> Any:
    first = told.times  # type: ignore[attr-defined]
    x()
    return first, told.times, words  # type: ignore[attr-defined]


def test_what_decorators_store_is_known(words: Any) -> None:
    residual = specialize(words.run, ("double", "add"))
    assert residual.source == "def run(x):\n    return [x + 2]\n"
    assert residual(3) == words.run(("double", "add"), 3) == [5]
    assert outcome(specialize(words.run, ("add", "add")), 1) == outcome(words.run, ("add", "add"), 1)


def test_it_is_tested_at_entry(words: Any) -> None:
    residual = specialize(words.run, ("double", "add"))
    assert residual(3) == [5]
    words.double.needs = 7
    assert outcome(residual, 3) == outcome(words.run, ("double", "add"), 3)
    del words.double.needs
    assert outcome(residual, 3) == outcome(words.run, ("double", "add"), 3)
    words.double.needs = 1
    assert residual(3) == [5]


def test_counters_on_functions() -> None:
    residual = specialize(counted, ("a", "b"))
    assert [residual(5) for _ in range(2)] == [(2, 5), (4, 5)]
    assert counted(("a", "b"), 5) == (6, 5)


def test_what_a_function_of_the_module_stores_is_read() -> None:
    residual = specialize(asked, "w")
    assert residual(told) == (0, 1, "w")
    assert residual(told) == (1, 2, "w") and asked("w", told) == (2, 3, "w")
