"""`str.maketrans`, `translate`, `re.escape` and checksums of known texts, and what is told apart by `object()`."""

from __future__ import annotations

import re
import zlib
from typing import Any

import pytest

import futamura

ESCAPES = str.maketrans({"<": "&lt;", ">": None, 97: "bb", "é": 101})


def escaped(text: str, x: Any) -> Any:
    return text.translate(ESCAPES), x


def made(text: str, x: Any) -> Any:
    return text.translate(str.maketrans("ab", "cd", "z")), text.translate(str.maketrans({"a": text})), x


def of_library(text: str, x: Any) -> Any:
    return re.escape(text), zlib.crc32(text.encode()), x


def open_text(text: str, x: Any) -> Any:
    table = str.maketrans("ab", "cd")
    return text.translate(table) + str(x).translate(table), table


def failing(text: str, x: Any) -> Any:
    return x, text.translate(str.maketrans("abc", text))


class Table:
    def __getitem__(self, key: int) -> str:
        return chr(key + 1)


def own_table(text: str, x: Any) -> Any:
    return text.translate(Table()), x  # type: ignore[arg-type]


FUNCTIONS = [escaped, made, of_library, open_text, failing, own_table]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("text", ["<abz>", "", "é.a*(b)"])
def test_known_texts_are_translated(function: Any, text: str) -> None:
    residual = futamura.specialize(function, text)
    for x in (1, "ab"):
        assert outcome(residual, x) == outcome(function, text, x)
    if function in (escaped, made, of_library):
        assert not any(name in residual.source for name in (".translate(", "_escape(", "crc32("))


def outcome(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def sentinel(kind: str, xs: Any) -> Any:
    nothing = object()
    last: Any = nothing
    found = {"a": 1}.get(kind, nothing)
    for x in xs:
        if last is not nothing and x == last:
            return x
        last = x
    return None if last is nothing else last, found is nothing, nothing == last, nothing in (last, nothing)


def attributes(kind: str, xs: Any) -> Any:
    made: Any = object()
    if kind == "set":
        made.x = xs
    if kind == "get":
        return made.x
    return hasattr(made, "x"), isinstance(made, int), type(made), bool(made), hash(made) == hash(made)


def given(kind: str, xs: Any) -> Any:
    made = object()
    xs.append(made)
    return xs[-1] is made, object() is made, xs.pop() is made


@pytest.mark.parametrize("function", [sentinel, attributes, given])
@pytest.mark.parametrize("kind", ["a", "set", "get"])
def test_objects_that_are_only_told_apart(function: Any, kind: str) -> None:
    residual = futamura.specialize(function, kind)
    for xs in ([], [1, 2, 2], [3]):
        assert outcome(residual, list(xs)) == outcome(function, kind, list(xs))


def test_a_new_object_is_made_each_time() -> None:
    def made(kind: str) -> object:
        return object()

    residual = futamura.specialize(made, "a")
    assert residual() is not residual()
    assert type(residual()) is object
