"""`ast.literal_eval` of known texts: what they say, a new object each time; what is refused is refused at run time."""

from __future__ import annotations

import ast
from typing import Any

import futamura
from tests.specialize.specializing import source_of, specialize

TEXTS = ["1", "'a'", "[1,[2]]", "{'a':[1],'b':(1,[2])}", "b'x'", "-3", "1+2j", "None", "[]", "{}", "  5", "(1, (2,))"]
REFUSED = ["name", "1+", "{1,2}", "f(1)", "", "[a]"]


def read(texts: list[str], x: Any) -> list[Any]:
    found = []
    for text in texts:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError) as error:
            value = (type(error).__name__, x)
        if isinstance(value, list):
            value.append(x)
        found.append(value)
    return found


def test_nothing_of_the_texts_is_left() -> None:
    residual = futamura.specialize(read, texts=TEXTS)
    assert "literal_eval" not in residual.source
    assert "try" not in residual.source
    assert residual(3) == read(TEXTS, 3)
    first, second = residual(3), residual(4)
    assert first[2] is not second[2]
    assert first[2][1] is not second[2][1]
    assert first[3]["a"] is not second[3]["a"]


def test_what_is_refused_stays() -> None:
    residual = futamura.specialize(read, texts=REFUSED)
    assert residual.source.count("literal_eval") == len(REFUSED)
    assert residual(3) == read(REFUSED, 3)


def where(conditions: Any, ids: Any, name: Any) -> str:
    parts = []
    for column, op in conditions:
        if op == "in":
            sql = f"{column} IN ({', '.join('?' for _ in ids)})" if ids else ""
        else:
            sql = f"{column} {op} {name!r}"
        if sql:
            parts.append(sql)
    return " AND ".join(parts)


def shown(x: Any, n: Any) -> Any:
    text = f"{x}{n}"
    return (text if text else "empty"), bool(f"<{x}>"), not f"{x}", not f"{x} "


def test_a_text_with_a_constant_part_is_not_empty() -> None:
    conditions = [("id", "in"), ("name", "="), ("title", "=")]
    residual = specialize(where, conditions)
    assert source_of(residual).count("if ") == 1, source_of(residual)
    for ids in ([], [1, 2], ""):
        for name in ("a", "", None):
            assert residual(ids, name) == where(conditions, ids, name)
    for n in ("", "x"):
        made = specialize(shown, n=n)
        for x in ("", "y", 0, None):
            assert made(x) == shown(x, n)
