"""What is refused, where the caret stands, and what is not refused although it looks alike."""

from __future__ import annotations

from typing import Any

import pytest

from futamura.errors import CODES, Because, Diagnostic, UnsupportedError, diagnose, render
from futamura.frontend.python import lower
from futamura.source import LONG, Place, caret_line, character_column, excerpt
from tests.frontend.test_lowering import define

REFUSED = [
    ("async def f(): yield", "FT105", 1),
    ("async def f(x):\n    return (y async for y in x)\n", "FT105", 2),
    ("async def f(x):\n    return ([z async for z in y] for y in x)\n", "FT105", 2),
    ("async def f(x):\n    return (await y for y in x)\n", "FT105", 2),
    ("async def f(x):\n    return ([await z for z in y] for y in x)\n", "FT105", 2),
    ("import types\n@types.coroutine\ndef f():\n    yield\n", "FT105", 2),
    ("def f():\n    try: pass\n    except* ValueError: pass\n", "FT106", 2),
    ("def f():\n    return eval('1')\n", "FT103", 2),
    ("def f():\n    return map(eval, [])\n", "FT103", 2),
    ("def f():\n    exec('1')\n", "FT103", 2),
    ("def f():\n    return [locals() for _ in ()]\n", "FT103", 2),
    ("def f():\n    return lambda: vars()\n", "FT103", 2),
    ("def f():\n    return dir()\n", "FT103", 2),
    ("import sys\ndef f():\n    return sys._getframe(1)\n", "FT103", 3),
    ("import sys as s\ndef f():\n    return s._getframe(1)\n", "FT103", 3),
    ("import inspect\ndef f():\n    return inspect.currentframe()\n", "FT103", 3),
    ("import inspect\ndef f():\n    return inspect.stack()\n", "FT103", 3),
    ("from inspect import stack\ndef f():\n    return stack()\n", "FT103", 3),
    ("from sys import _getframe\ndef f():\n    return _getframe()\n", "FT103", 3),
    ("def f():\n    import sys\n    return sys._getframe()\n", "FT103", 3),
    ("def f():\n    import inspect\n    return inspect.stack()\n", "FT103", 3),
    ("def f():\n    from inspect import stack\n    return stack()\n", "FT103", 2),
    ("def f():\n    class C(x := object): pass\n", "FT107", 2),
    ("class C:\n    def f(self):\n        del self\n        super()\nf = C.f", "FT110", 4),
]

ACCEPTED = [
    "def f(eval): return eval(1)",
    "eval = len\ndef f(): return eval('ab')",
    "def f(x): return vars(x), dir(x)",
    "def f(x): return x.stack, x.eval(1)",
    "def f(x):\n    locals = x\n    return locals()",
    "def f():\n    class C:\n        async def m(self): pass\n        y = locals()\n    return C",
    "class M:\n    stack = 1\ndef f(): return M.stack",
    "def f():\n    async def g(): yield\n    return g",
    "async def f(x): return (y for y in await x), [await y for y in x]",
]


@pytest.mark.parametrize(("source", "code", "line"), REFUSED)
def test_refused(source: str, code: str, line: int) -> None:
    with pytest.raises(UnsupportedError) as caught:
        lower(define(source))
    diagnostic = caught.value.diagnostic
    assert (diagnostic.code, diagnostic.line) == (code, line)
    assert diagnostic.help and diagnostic.because
    assert diagnostic.text == source.splitlines()[line - 1]


@pytest.mark.parametrize("source", ACCEPTED)
def test_accepted(source: str) -> None:
    assert lower(define(source)).program.main.blocks


def test_rendering() -> None:
    with pytest.raises(UnsupportedError) as caught:
        lower(define("def f(é):\n\tü = 'ä'; return eval(é)\n"))
    shown = str(caught.value).split("\n")
    assert shown[0] == "error[FT103]: this function uses `eval`"
    assert shown[1].startswith(" --> <lowering test") and shown[1].endswith(":2:18")
    assert shown[3] == "2 |     ü = 'ä'; return eval(é)"
    assert shown[4] == "  |                     ^^^^ needs the frame of this very function"
    assert shown[6].startswith("  = because: `eval` sees")
    assert shown[7].startswith("help: ")


def test_carets_follow_the_screen() -> None:
    assert character_column("aéz", 3) == 2
    assert caret_line("\tab", Place(1, 1, 1, 2)) == "    ^"
    assert caret_line("日本x", Place(1, 6, 1, 7)) == "    ^"
    assert caret_line("日本x", Place(1, 0, 1, 6)) == "^^^^"
    assert caret_line("abc", Place(1, 1, 2, 4)) == " ^^"
    assert caret_line("abc", Place(1, 9, 1, 9)) == "   ^"


@pytest.mark.parametrize("at", [0, 40, 5_000, 9_999])
def test_of_a_long_line_the_part_around_the_place_is_shown(at: int) -> None:
    line = "é" * at + "X" + "é" * (9_999 - at)
    text, marks = excerpt(line, Place(7, 2 * at, 7, 2 * at + 1), "here")
    assert len(text) < LONG + 20
    assert text[marks.index("^")] == "X" and marks.endswith("^ here") and marks.count("^") == 1
    assert text.startswith("7 | ...") == (at > LONG // 2)
    assert excerpt(line, Place(7, 2 * at, 8, 1))[1].count("^") <= LONG


def test_because_chain_is_cut() -> None:
    chain = tuple(Because(f"reason {number}", "m.py", Place(number, 0, number, 1)) for number in range(1, 9))
    diagnostic = Diagnostic("FT101", "title", "m.py", None, because=chain, help="do it")
    assert "reason 5  m.py:5" in render(diagnostic)
    assert "reason 6" not in render(diagnostic)
    assert "... 3 more, --verbose" in render(diagnostic)
    assert "reason 8" in render(diagnostic, verbose=True)


def test_the_registry_is_complete() -> None:
    kinds = {"yours", "fundamental", "not-yet", "bug", "follow-on"}
    for code, entry in CODES.items():
        assert code[:2] == "FT" and code[2:].isdigit()
        assert entry.kind in kinds
        assert entry.name and entry.explanation and entry.hint
        finding: Any = diagnose(code, "title")
        assert (finding.kind, finding.name, finding.help) == (entry.kind, entry.name, entry.hint)
