"""The pages of the diagnostic codes: one for each entry of the registry, with an example that fails as it says.

    docs/codes/FT204.md    its head is the registry's entry; its Python block is run; its text block is what comes out

`FUTAMURA_UPDATE_PAGES=1 python -m pytest tests/test_codes.py` writes heads and texts anew; read the difference.
Invariant: no code without a page, no page without a code.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
from pathlib import Path

import pytest

from futamura.cli.explaining import KINDS
from futamura.codes import CODES
from futamura.errors import FutamuraError, render

PAGES = Path(__file__).resolve().parent.parent / "docs" / "codes"
BLOCKS = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
WITHOUT_EXAMPLE = {
    "FT108": "it needs code whose positions a tool has taken away",
    "FT403": "it needs a program of many versions",
    "FT405": "it needs more depth than some machines have",
    "FT406": "it needs a program of many versions",
    "FT509": "only the functional language has definitions",
}
"""Codes whose page has no example, and why."""


def head(code: str) -> str:
    entry = CODES[code]
    hint = f"\n**What to do:** {entry.hint}.\n" if entry.hint else ""
    level = {"error": "an error", "warning": "a warning", "note": "a note"}[entry.level]
    return (
        f"# {code}: {entry.name}\n\n"
        f"{entry.explanation[0].upper()}{entry.explanation[1:]}.\n{hint}\n"
        f"It is {level}; {KINDS[entry.kind].rstrip('.')}.\n"
    )


def outcome(code: str, source: str) -> str:
    """What the example says: the diagnostic that it raises, or the first of this code of its `residual`."""
    file = f"{code}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, object] = {"__name__": code.lower()}
    limit = sys.getrecursionlimit()
    try:
        exec(compile(source, file, "exec", dont_inherit=True), space)
    except FutamuraError as error:
        return render(error.diagnostic)
    finally:
        sys.setrecursionlimit(limit)
    residual = space["residual"]
    found = next(render(item) for item in residual.diagnostics if item.code == code)  # type: ignore[attr-defined]
    return re.sub(r"\b\d+ times", "N times", found)  # depends on budgets, which are tuned


@pytest.mark.parametrize("code", sorted(CODES))
def test_page(code: str) -> None:
    file = PAGES / f"{code}.md"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    found = BLOCKS.search(text)
    if code in WITHOUT_EXAMPLE:
        wanted = f"{head(code)}\nThis page has no example: {WITHOUT_EXAMPLE[code]}.\n"
    else:
        assert found is not None, f"docs/codes/{code}.md has no example"
        source = found.group(1)
        said = outcome(code, source)
        assert f"[{code}]" in said
        wanted = f"{head(code)}\n```python\n{source}```\n\n```text\n{said}\n```\n"
    if os.environ.get("FUTAMURA_UPDATE_PAGES"):
        file.write_text(wanted, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == wanted


def test_no_page_without_a_code() -> None:
    assert {file.stem for file in PAGES.glob("FT*.md")} == set(CODES)


def test_carets_stand_below_what_they_mean_in_a_line_that_is_not_ascii() -> None:
    source = """
import futamura

def f(text):
    é = "größe"; return é + eval(text)

residual = futamura.specialize(f)
"""
    lines = outcome("FT103", source).splitlines()
    at = next(number for number, line in enumerate(lines) if "^^^^" in line)
    assert lines[at].index("^") == lines[at - 1].index("eval")
