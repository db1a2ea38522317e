"""A machine's stack of frames disappears, also where a result is kept until it is empty.

Invariant: the residual does what the machine does.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.outcomes import outcome
from tests.specialize.frame_stacks import FUNCTIONS, Machine, deep, handlers, objects
from tests.specialize.specializing import fallbacks, source_of, specialize

INPUTS: list[Any] = [0, 1, 2, 5, 9, -1, 2.5, True, "a", None]


@pytest.mark.parametrize("style", ["objects", "methods", "handlers"])
@pytest.mark.parametrize("functions", [FUNCTIONS, deep(5), deep(8)], ids=["three", "five", "eight"])
def test_frames_disappear(style: str, functions: Any) -> None:
    machine = Machine(functions)
    function: Any = {"objects": objects, "methods": machine.run, "handlers": handlers}[style]
    given = [] if style == "methods" else [functions]
    residual = specialize(function, *given)
    text = source_of(residual)
    assert not fallbacks(residual)
    for name in ("frames", "stack", "regs", "'call'", "'ret'", "functions[", ".pc"):
        assert name not in text, text
    assert text.count("while") == 1 and len(text.splitlines()) < 20, text
    for n in INPUTS:
        assert outcome(residual, n) == outcome(function, *given, n)


def gathered(rows: Any, xs: Any) -> list[tuple[int, Any]]:
    """What is only added to is no stack: it is built at run time."""
    found: list[tuple[int, Any]] = []
    at = 0
    while at < len(rows):
        if rows[at] in xs:
            found.append((at, xs[0]))
        at += 1
    return found


def test_what_is_only_gathered_makes_no_copies() -> None:
    rows = list(range(12))
    residual = specialize(gathered, rows)
    assert not fallbacks(residual)
    assert len(source_of(residual).splitlines()) < 60, source_of(residual)
    for xs in ([1], [0, 5, 11], list(range(12)), [20]):
        assert residual(xs) == gathered(rows, xs)


class Token:
    def __init__(self, kind: str, text: str) -> None:
        self.kind, self.text = kind, text


def tokens(kinds: Any, text: Any) -> list[tuple[str, str]]:
    """A list of objects whose last one is looked at grows with the text."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        kind = kinds.get(text[at], "word")
        if found and found[-1].kind == kind:
            found[-1].text += text[at]
        else:
            found.append(Token(kind, text[at]))
        at += 1
    return [(token.kind, token.text) for token in found]


def test_a_list_that_grows_with_the_input_ends() -> None:
    kinds = {" ": "space", "+": "op", "-": "op", "(": "open", ")": "close"}
    residual = specialize(tokens, kinds)
    assert residual.stats["versions"] < 120  # type: ignore[attr-defined]
    for text in ("", "ab + (c)", "((", "a--b  ", "+ +"):
        assert residual(text) == tokens(kinds, text)
