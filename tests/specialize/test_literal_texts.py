"""`ast.literal_eval` of known texts: what they say, a new object each time; what is refused is refused at run time."""

from __future__ import annotations

import ast
from typing import Any

import futamura

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
