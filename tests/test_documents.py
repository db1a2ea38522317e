"""Runs the Python blocks of the tour, the page on the specializer and the README in order, each document in one module.

    ```python                     the block is run, with its source known to `linecache`
    assert f(1) == 2        ->    a false assertion fails test_blocks_run[tour.md]
    ```

    ```text                       directly behind it: what it prints (FUTAMURA_UPDATE_PAGES=1 writes it)
    ```

Invariant: a document without any block is an error, so that a block cannot drop out unnoticed.
"""

from __future__ import annotations

import linecache
import os
import re
from pathlib import Path

import pytest

from futamura.errors import CODES

HOUSE = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["docs/tour.md", "docs/specializer.md", "README.md"])
def test_blocks_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (HOUSE / name).read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert blocks
    space: dict[str, object] = {"__name__": "document"}
    shown: dict[tuple[int, int], str] = {}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        source = block.group(1)
        file = f"<{name}:{line + 1}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec", dont_inherit=True), space)
        printed = capsys.readouterr().out.replace(file, "<" + name + ">")
        if block.group(2) is not None:
            shown[block.span(2)] = printed.rstrip("\n") + "\n"
    if os.environ.get("FUTAMURA_UPDATE_PAGES"):
        for (start, end), printed in reversed(shown.items()):
            text = text[:start] + printed + text[end:]
        (HOUSE / name).write_text(text, encoding="utf-8")
    assert [text[start:end] for start, end in shown] == list(shown.values()) or os.environ.get("FUTAMURA_UPDATE_PAGES")


def test_every_refusal_is_documented() -> None:
    text = (HOUSE / "docs" / "python-support.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| (FT\d+) \| ([\w-]+) \|", text, re.MULTILINE))
    assert rows == {(code, entry.name) for code, entry in CODES.items() if code.startswith(("FT1", "FT9"))}
