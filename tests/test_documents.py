"""Runs the Python blocks of the tour, the page on the specializer and the README in order, each document in one module.

    ```python                     the block is run, with its source known to `linecache`
    assert f(1) == 2        ->    a false assertion fails test_blocks_run[tour.md]
    ```

Invariant: a document without any block is an error, so that a block cannot drop out unnoticed.
"""

from __future__ import annotations

import linecache
import re
from pathlib import Path

import pytest

from futamura.errors import CODES

HOUSE = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["docs/tour.md", "docs/specializer.md", "README.md"])
def test_blocks_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (HOUSE / name).read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert blocks
    space: dict[str, object] = {"__name__": "document"}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        source = block.group(1)
        file = f"<{name}:{line + 1}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec", dont_inherit=True), space)


def test_every_refusal_is_documented() -> None:
    text = (HOUSE / "docs" / "python-support.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| (FT\d+) \| ([\w-]+) \|", text, re.MULTILINE))
    assert rows == {(code, entry.name) for code, entry in CODES.items() if code.startswith(("FT1", "FT9"))}
