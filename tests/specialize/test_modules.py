"""Code of several modules in one residual: each finds its own globals; the library's own code as a subject.

    other.count += x, inlined from module `other`   ->   reads and writes `other.count`, not the residual's module

Invariant: the generic function and the residual run on modules of their own, which must end in the same state.
"""

from __future__ import annotations

import argparse
import importlib.util
import operator
import posixpath
import textwrap
import types
from pathlib import Path
from typing import Any

import pytest

import futamura
from tests.specialize.specializing import specialize

OTHER = """
count = 0
cache = None

def bump(x):
    global count
    count += x
    return count

def memo():
    global cache
    if cache is None:
        cache = []
    return cache

def forget():
    global temporary
    temporary = 3
    del temporary
    return temporary

def shadowed(x):
    global len
    len = x
    found = len
    del len
    return found, len
"""

MAIN = """
import {other} as other

def run(n, x):
    for _ in range(n):
        other.bump(x)
    other.memo().append(x)
    try:
        other.forget()
    except NameError as error:
        text = (str(error), error.name)
    return other.bump(0), list(other.memo()), text, other.shadowed(x)[0]
"""


def module(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(importlib.import_module("sys").modules, name, made)
    spec.loader.exec_module(made)
    return made


def agree_midway(
    name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, by: str, *given: Any, rounds: int = 3
) -> str:
    """Compare `midway(*given, f)` of a module with that of its twin, where `f` is the module's function `by`, which
    changes something in the middle of the call; gives the source of the residual."""
    own: Any = module(name, text, folder, monkeypatch)
    twin: Any = module(f"{name}twin_", text, folder, monkeypatch)
    find, residual = operator.attrgetter(by), specialize(own.midway)
    for _ in range(rounds):
        assert residual(*given, find(own)) == twin.midway(*given, find(twin)), residual.source
    return residual.source


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_globals_of_another_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others, mains = [], []
    for number in range(2):
        others.append(module(f"other_{number}", OTHER, tmp_path, monkeypatch))
        mains.append(module(f"main_{number}", MAIN.format(other=f"other_{number}"), tmp_path, monkeypatch))
    residual = futamura.specialize(mains[1].run, n=3)
    assert not residual.stats["fallbacks"], residual.events
    assert "bump" not in residual.source
    for x in (1, 5, -2):
        assert residual(x) == mains[0].run(3, x)
        assert others[0].count == others[1].count and others[0].cache == others[1].cache
    assert not hasattr(others[1], "temporary")


def test_a_module_frozen_into_the_interpreter() -> None:
    join = futamura.specialize(posixpath.join, "/usr")
    assert not join.stats["fallbacks"], join.events
    for path in ("lib", "/lib", "", "lib/"):
        assert join(path) == posixpath.join("/usr", path)
    with pytest.raises(TypeError):
        join(3)


def test_a_call_that_brings_nothing_static_and_explodes_stays() -> None:
    """`dedent` compiles a pattern from its text: the compiler of patterns is not copied into the residual."""
    dedent = futamura.specialize(textwrap.dedent)
    assert len(dedent.source.splitlines()) < 50
    for text in ("", "a", "  a\n  b", "\ta\n\t b", "  a\n\n b\n"):
        assert dedent(text) == textwrap.dedent(text)


def split(text: str, separator: object) -> list[str]:
    return text.split(separator)  # type: ignore[arg-type]


@pytest.mark.parametrize("separator", [b",", 3, ""])
def test_a_split_that_raises(separator: object) -> None:
    residual = futamura.specialize(split, "a,b", separator)
    assert not residual.stats["fallbacks"], residual.events
    with pytest.raises((TypeError, ValueError)) as expected:
        split("a,b", separator)
    with pytest.raises(type(expected.value)) as found:
        residual()
    assert str(found.value) == str(expected.value)


SENTINEL = "not given"  # as `argparse` does it: a string that is told apart by identity


class Option:
    def __init__(self, default: object) -> None:
        self.default = default


def given(options: list[Option], values: list[object], at: int) -> list[object]:
    values[at] = SENTINEL
    found = [option.default for option in options if option.default is not SENTINEL]
    return [*found, *(value for value in values if value is not SENTINEL), options[0].default is values[at]]


def test_a_string_that_is_a_sentinel() -> None:
    options = [Option(SENTINEL), Option("".join(["not", " given"])), Option(3)]
    residual = futamura.specialize(given, options)
    assert residual(["".join(["not", " given"]), 0], 1) == given(options, ["".join(["not", " given"]), 0], 1)
    assert residual([0, 0], 1)[-1] is True


def test_identity_with_a_constant_gives_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    residual = futamura.specialize(lambda marker, x: x is marker, "a b")
    assert residual("a b"[:2] + "b") is False
    assert not recwarn.list


def test_an_argument_parser() -> None:
    parser = argparse.ArgumentParser(prog="tool")
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("file", nargs="?")
    parser.add_argument("-v", action="store_true")
    residual = futamura.specialize(parser.parse_known_args)
    for words in ([], ["--count", "4"], ["name", "-v"], ["--other", "x", "y"]):
        assert residual(list(words)) == parser.parse_known_args(list(words))
