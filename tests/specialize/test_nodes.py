"""Each kind of syntax and each operator specializes, or gives its diagnostic; what it means stays the same.

    While, `n` static     ->     "specialized"          AsyncFor     ->     "FT105"

Invariant: the table covers the grammar of the Python that runs the test: a new kind of node fails until it is added.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import re
from pathlib import Path
from typing import Any

import pytest

from futamura.errors import CODES
from tests.specialize.nodes import NODES, SPLITS, kinds, markdown, program
from tests.specialize.oracle import BAD, Report, check

KINDS = list(kinds())
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "python-support.md"
BEGIN, END = "<!-- specialized: begin -->", "<!-- specialized: end -->"
CODE = re.compile(r"FT\d{3}")
HAVE_ENTRY = importlib.util.find_spec("futamura.api") is not None


def specialize(function: Any, **static: Any) -> Any:
    return importlib.import_module("futamura.api").specialize(function, **static)


def result(report: Report) -> str:
    """ "specialized", or the codes that say why not."""
    if report.kind == "refused":
        return report.group
    return ", ".join(sorted(report.fallbacks)) or "specialized"


def test_the_grammar_is_covered() -> None:
    assert [kind for kind in KINDS if kind not in NODES] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_snippet_has_the_node(kind: str) -> None:
    tree = ast.parse(program(kind, "nothing static").source)
    target = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "target")
    assert any(type(node).__name__ == kind for node in ast.walk(target))


@pytest.mark.skipif(not HAVE_ENTRY, reason="the specializer has no entry yet")
@pytest.mark.parametrize("split", list(SPLITS))
@pytest.mark.parametrize("kind", KINDS)
def test_specializes_or_says_why(kind: str, split: str) -> None:
    for number in range(4 if SPLITS[split] else 1):
        report = check(program(kind, split, number), specialize)
        assert report.kind not in BAD, f"{report.group}: {report.detail}"
        assert all(CODE.fullmatch(code) for code in codes_of(report)), codes_of(report)


def codes_of(report: Report) -> list[str]:
    return [*report.fallbacks, *([report.group] if report.kind == "refused" else [])]


@pytest.mark.skipif(not HAVE_ENTRY, reason="the specializer has no entry yet")
def test_every_code_is_registered() -> None:
    """What a fallback or refusal says can be looked up."""
    found = {code for kind in KINDS for split in SPLITS for code in codes_of(check(program(kind, split), specialize))}
    assert sorted(found - CODES.keys()) == []


def outcomes() -> dict[str, str]:
    """Each kind with the worst outcome of its splits, for the table of the documentation."""
    found = {}
    for kind in KINDS:
        results = {result(check(program(kind, split), specialize)) for split in SPLITS}
        results.discard("specialized")
        found[kind] = ", ".join(sorted(results)) or "specialized"
    return found


@pytest.mark.skipif(not HAVE_ENTRY, reason="the specializer has no entry yet")
def test_the_documented_table_is_true() -> None:
    """`FUTAMURA_UPDATE_DOCS=1 pytest tests/specialize/test_nodes.py` writes the table anew, with the newest Python."""
    table = markdown(outcomes())
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    shown, after = rest.split(END, 1)
    if os.environ.get("FUTAMURA_UPDATE_DOCS") == "1":
        DOCUMENT.write_text(f"{before}{BEGIN}\n{table}{END}{after}", encoding="utf-8")
        return
    assert all(f"| `{kind}` |" in table for kind in KINDS)
    assert [line for line in table.splitlines() if line not in shown.splitlines()] == []
