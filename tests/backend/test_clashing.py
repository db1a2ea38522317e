"""Names of parameters and of the residual itself that globals of the code inside have, too.

Invariant: each global that inlined, nested or residual functions read is the one that they read in the program.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import futamura
from tests.frontend.test_implied import module_of

MODULE = """
import futamura
COUNT = 0
def bump():
    global COUNT
    COUNT += 1
    return COUNT
def size(x): return COUNT + len(x)
class Box:
    def __init__(self, value): self.value = value
def boxed(value): return Box(value)
def measuring(): return lambda xs: len(xs)
def counting(): return lambda: COUNT
@futamura.opaque
def sink(xs): return list(xs)
def make_lambda(x): return "mine", x

"""
PROGRAMS = {
    "a builtin": ("def f(len, n): return size(len) + n", ([1, 2],)),
    "a global that changes": ("def f(COUNT, n): return size(COUNT) + n + bump()", ([1],)),
    "a class": ("def f(Box, n): return [boxed(i).value for i in range(Box)], [type(boxed(n)).__name__]", (2,)),
    "collected arguments": ("def f(*len, n, **size_of): return size(len) + n, size(size_of)", (1, 2)),
    "of a residual function": (
        "def f(xs, n): return part(xs, n)\n"
        "def part(len, n):\n    if len: return part(len[1:], n) + size(len)\n    return n",
        ([1, 2, 3],),
    ),
    "named as a residual function": (
        "def f(part, part_1, n): return whole(part, n), part_1\ndef whole(xs, n): return part(xs, n)\n"
        "def part(xs, n): return part(xs[1:], n) + n if xs else 0",
        ([1, 2], 5),
    ),
    "a lambda of a callee": ("def f(len, n): return sink(map(measuring(), [len])), n", ([1, 2, 3],)),
    "a lambda of a callee that reads what changes": (
        "def f(COUNT, n): return sink([counting()])[0]() + n + COUNT",
        (1,),
    ),
    "a lambda that calls the function": (
        "def f(o, n):\n    if type(o) is dict: return {k: f(v, n) for k, v in o.items()}\n"
        "    return sink(map(lambda x: f(x, n), o)) if type(o) is list else o",
        ({"a": [1, 2]},),
    ),
    "a generator that calls the function": (
        "def f(o, n):\n    if type(o) is dict: return {k: sink(f(v, n)) for k, v in o.items()}\n"
        "    return (f(i, n) for i in o) if type(o) is list else o",
        ({"a": [1, 2]},),
    ),
    "the function itself as a value": (
        "def f(o, n):\n    if o == 0: return [lambda: f(0, 1)[1:]]\n    return [n] + f(o - 1, n)",
        (3,),
    ),
    "a function named as one of ours": (
        "def f(o, n):\n    if type(o) is dict: return {k: f(v, n) for k, v in o.items()}\n"
        "    return sink(map(lambda x: (make_lambda(x), n), o)) if type(o) is list else o",
        ({"a": [1, 2]},),
    ),
}


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value() if callable(value) else value


@pytest.mark.parametrize("mode", ["online", "offline"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_globals_are_read_where_they_are(name: str, mode: Any, tmp_path: Path) -> None:
    text, args = PROGRAMS[name]
    module = module_of(MODULE + text + "\n", tmp_path)
    residual = futamura.Specializer(mode=mode)(module.f, n=1)
    wanted = plain(module.f(*args, n=1) if "*" in text.split(")")[0] else module.f(*args, 1))
    module.COUNT = 0
    assert plain(residual(*args)) == wanted, residual.source
    if mode == "online":
        assert not residual.stats["fallbacks"]


def test_the_text_says_what_it_means(tmp_path: Path) -> None:
    module = module_of(MODULE + PROGRAMS["a builtin"][0], tmp_path)
    assert futamura.specialize(module.f, n=1).source == "def f(len):\n    return COUNT + _len(len) + 1\n"
    module = module_of(MODULE + PROGRAMS["the function itself as a value"][0], tmp_path)
    residual = futamura.specialize(module.f, n=1)
    assert "lambda: f(0, 1)" in residual.source and "def f_1(o)" in residual.source
    assert residual.__name__ == "f"


def saved(residual: Any, path: Path) -> Callable[..., Any]:
    residual.save(path)
    space: dict[str, Any] = {"__name__": "saved"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["f"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["a lambda of a callee", "a lambda that calls the function"])
def test_saved_modules_too(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, args = PROGRAMS[name]
    module = module_of(MODULE + text + "\n", tmp_path)
    monkeypatch.setitem(__import__("sys").modules, module.__name__, module)
    residual = futamura.specialize(module.f, n=1)
    assert saved(residual, tmp_path / "saved_one.py")(*args) == module.f(*args, 1)


OTHER = """
_EMPTY = object()
def get(structure, key, default):
    try:
        return structure[key]
    except KeyError:
        return default
def change(structure, path, value):
    found = get(structure, path, _EMPTY)
    return None if found is _EMPTY else value
"""


def test_offline_functions_of_other_modules_keep_their_globals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "clash_other.py").write_text(OTHER)
    text = "from clash_other import change\ndef f(o, n): return change(o, n, 3), n\n"
    module = module_of(text, tmp_path)
    residual = futamura.Specializer(mode="offline")(module.f, n=1)
    assert residual({1: 2}) == (3, 1) and residual({}) == (None, 1)


class Last(dict[str, list[int]]):
    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(key)[-1]


def test_offline_super_of_a_static_object() -> None:
    last = Last(a=[1, 2])
    residual = futamura.Specializer(mode="offline")(Last.__getitem__, self=last)
    assert residual("a") == 2 and "FT301" in residual.stats["fallbacks"]
