"""Decision trees in residuals: rules that a program tries one after the other ask each question once.

    routes get /u/<id>, put /u/<id>, list /u      ->      one look at the length, one at "u", one conversion of the id

Invariant: each residual is compared with its original, errors included.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import futamura
from futamura.frontend.python import lower
from futamura.ir.interp import run
from futamura.optimize.pathfacts import MOST_EXCLUDED
from futamura.optimize.pipeline import optimize
from futamura.optimize.shapes import Shape

RULES = (
    ("get", ("u", int), "show"),
    ("put", ("u", int), "change"),
    ("delete", ("u", int), "remove"),
    ("get", ("u",), "list"),
    ("get", ("p", int, "of", int), "part"),
    ("get", (str, "x"), "any"),
)
PATHS = ("u/1", "u/x", "u/²", "u", "p/1/of/2", "p/1/of/x", "p/1/at/2", "q/x", "u/x/y", "", "/", "u/" + 5000 * "9")
INPUTS = [(method, path) for method in ("get", "put", "delete", "patch", "") for path in PATHS]


class Refused(Exception):
    """There are rules for the path, but none for the method."""


def convert(kind: Any, text: str) -> Any:
    if kind is int:
        if not (text.isascii() and text.isdigit()):
            raise ValueError(text)
        return int(text)
    return text


def route(rules: tuple[Any, ...], method: str, path: str) -> Any:
    parts = path.split("/")
    seen = False
    for wanted, pattern, name in rules:
        if len(parts) != len(pattern):
            continue
        found = []
        for kind, part in zip(pattern, parts):
            if type(kind) is str:
                if part != kind:
                    break
            else:
                try:
                    found.append(convert(kind, part))
                except ValueError:
                    break
        else:
            if wanted == method:
                return name, found
            seen = True
    if seen:
        raise Refused(path)
    raise LookupError(path)


def outcome(function: Any, *given: str) -> Any:
    try:
        return function(*given)
    except Exception as error:
        return type(error).__name__, error.args


@pytest.fixture(scope="module")
def residual() -> Any:
    return futamura.specialize(route, RULES, futamura.Dyn(str), futamura.Dyn(str))


@pytest.mark.parametrize(("method", "path"), INPUTS)
def test_every_way(residual: Any, method: str, path: str) -> None:
    assert outcome(residual, method, path) == outcome(route, RULES, method, path)


def test_each_question_is_asked_once(residual: Any) -> None:
    source = residual.source
    assert source.count("len(") == 1
    assert source.count("'u'") <= 2  # with one part, and with two
    assert source.count("'delete' == method") == 1
    assert "while" not in source


def test_the_first_constants_of_a_long_chain_are_remembered(tmp_path: Path) -> None:
    tried = 2 * MOST_EXCLUDED
    lines = [f"    if x == {at}: return {at}\n" for at in range(tried)]
    again = [f"    if x == {at}: return -{at}\n" for at in range(tried)]
    names: dict[str, Any] = {}
    text = "".join(["def f(x):\n", *lines, "    g(x)\n", *again, "    return x\n"])
    path = tmp_path / "chain.py"
    path.write_text(text)
    exec(compile(text, str(path), "exec"), names)
    seen: list[int] = []
    names["g"] = seen.append
    program = lower(names["f"]).program
    given = {"x": Shape("int")}
    passes = ("paste", "parameters", "typefold", "decisions", "dce")
    changed, _ = optimize(program, passes, given=given)
    asked = [op for op in changed.main.operations() if op.name == "eq"]
    assert len(asked) == 2 * tried - MOST_EXCLUDED
    for x in (0, 5, MOST_EXCLUDED, tried - 1, tried, -1):
        assert run(changed, (x,), globals=names) == run(program, (x,), globals=names) == names["f"](x)
    assert len(seen) == 6
