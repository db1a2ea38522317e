"""`futamura bta`: marks under the source, chains of reasons, and what wrong use looks like."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from click.testing import CliRunner

from futamura.cli.main import cli

SOURCE = """\
def power(x, n):
    r = 1
    while n:
        r = r * x
        n = n - 1
    return r


def find(name, names, values):
    if name == names[0]:
        return values[0]
    return find(name, names[1:], values[1:])
"""
FLOW = """\
L1:
  read x
  y = 0
  goto L2
L2:
  if x then goto L3 else goto L4
L3:
  x = x - 1
  y = y + 1
  goto L2
L4:
  print y
  return
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "subject_of_bta.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "count.flow").write_text(FLOW, encoding="utf-8")
    return tmp_path


def shown(*arguments: str) -> list[str]:
    done = CliRunner().invoke(cli, ["bta", *arguments])
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def test_each_line_is_marked(home: Path) -> None:
    lines = shown(f"{home}/subject_of_bta.py:power", "--static", "n")
    assert lines[0].startswith("power(x: dynamic, n: static)")
    at = lines.index("    4 |         r = r * x")
    assert lines[at + 1] == "      |             ddddd"
    at = lines.index("    5 |         n = n - 1")
    assert lines[at + 1] == "      |             sssss"
    assert "static: n" in lines
    assert "dynamic: x: `x` is a dynamic input" in lines
    (chain,) = [line for line in lines if line.startswith("dynamic: r:")]
    assert chain.endswith("`x` is a dynamic input")


def test_uniform_gives_a_variable_one_binding_time(home: Path) -> None:
    def mark(lines: list[str]) -> str:
        return lines[lines.index("    2 |     r = 1") + 1].strip(" |")

    target = f"{home}/subject_of_bta.py:power"
    assert mark(shown(target, "--static", "n")) == "s"
    assert mark(shown(target, "--static", "n", "--uniform")) == "d"


def test_calls_are_followed(home: Path) -> None:
    lines = shown(f"{home}/subject_of_bta.py:find", "--static", "name", "--static", "names")
    assert "static: name, names" in lines


@pytest.mark.parametrize(("division", "static"), [("simple", "static: y"), ("safe", "static: nothing")])
def test_flow_graph_programs(home: Path, division: str, static: str) -> None:
    lines = shown(f"{home}/count.flow", "--division", division)
    assert static in lines
    if division == "safe":
        (chain,) = [line for line in lines if line.startswith("dynamic: y:")]
        assert "decided at run time in line 6" in chain
        assert chain.endswith("`x` is a dynamic input")


def test_an_unknown_input_is_bad_usage(home: Path) -> None:
    done = CliRunner().invoke(cli, ["bta", f"{home}/count.flow", "--static", "q"])
    assert done.exit_code == 2
    assert "its inputs are x" in done.output


NOTES = """\
main(valueList) = find("ann", ["susan", "john", "ann"], valueList)
find(name, nameList, vList) =
  if name == car(nameList) then car(vList)
  else find(name, cdr(nameList), cdr(vList))
"""


@pytest.mark.parametrize("division", ["simple", "safe", "bounded"])
def test_the_division_of_the_functional_search(home: Path, division: str) -> None:
    """The lecture notes' table: what is static, and what dynamic, in `main` and in `find`."""
    (home / "search.fl").write_text(NOTES, encoding="utf-8")
    lines = shown(f"{home}/search.fl", "--division", division)
    heads = [line.split("  ")[0] for line in lines if " -> " in line]
    assert heads == [
        "main(valueList: dynamic) -> dynamic",
        "find(name: static, nameList: static, vList: dynamic) -> dynamic",
    ]
    marks = {}
    for above, below in itertools.pairwise(lines):
        if below.startswith("      | "):
            marks[above[8:].strip()] = (above[8:], below[8:])

    def mark(line: str, part: str) -> str:
        text, below = marks[line]
        at = text.index(part)
        return "".join(dict.fromkeys(below.ljust(len(text))[at : at + len(part)]))

    call, test, again = (
        NOTES.splitlines()[0],
        "if name == car(nameList) then car(vList)",
        "else " + NOTES.split("else ")[1].strip(),
    )
    assert mark(call, '"ann"') == "s" and mark(call, '["susan", "john", "ann"]') == "s"
    assert mark(call, "find(") == "d" and mark(call, " valueList)") == "d"
    assert mark(test, "name == car(nameList)") == "s" and mark(test, "car(vList)") == "d"
    assert mark(again, "cdr(nameList)") == "s"
    assert mark(again, "cdr(vList)") == "d" and mark(again, "find(") == "d"


def test_the_reason_for_a_parameter_leads_to_the_call_and_on(home: Path) -> None:
    (home / "grow.fl").write_text(
        "main(x) = f(x, 0)\nf(a, y) =\n if a == 0 then y\n else f(a - 1, y + 1)\n", encoding="utf-8"
    )
    lines = shown(f"{home}/grow.fl")
    (chain,) = [line for line in lines if line.startswith("dynamic: y:")]
    links = chain.split(": ", 2)[2].split(" <- ")
    assert links[:2] == [
        "`y` is a dynamic argument",
        "whether this recursive call happens is decided at run time (line 4)",
    ]
    assert links[-2:] == ["`a` is a dynamic argument", "`x` is a dynamic input"]
    (home / "static.fl").write_text("main(x) = f(3) + x\nf(y) = if y == 0 then 1 else f(y - 1)\n", encoding="utf-8")
    assert "f(y: static) -> static    safe, pointwise" in shown(f"{home}/static.fl")
