"""Globals that functions of another module bind anew, where these functions are inlined.

    lib.step(data), inlined          ->     data[_lib.pos]; _lib_globals['pos'] = _lib.pos + 1

Invariant: the residual reads and writes what the function reads and writes, in the module where that was written, and
says the same where a global is missing.
"""

from __future__ import annotations

import builtins
import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from futamura import specialize
from tests.specialize.test_modules import module

LIB = """
pos = 0
kept = []
current = None
copyright = 3

def step(data):
    global pos
    item = data[pos]
    pos += 1
    return item

def go(place):
    global pos
    pos = place

def around(function):
    global pos
    pos = 10
    function()
    return pos

def swap(item):
    global kept
    before = kept
    kept = [item]
    kept.append(item)
    return before, kept

def stop(data):
    global pos
    pos = 7
    data[1]
    pos = 8

def places(count):
    global pos
    for i in range(count):
        pos += i
        yield pos

def most():
    global copyright
    copyright = copyright + 1
    return copyright

def use(table):
    global current
    current = table

def push(item):
    current.append(item)
    return len(current)

def count():
    return pos
"""
APP = """
import lib_of_globals as lib

pos = "of the app"
current = [5]
TABLE = [1, 2]

def steps(n, data):
    lib.go(0)
    return [lib.step(data) for _ in range(n)], pos

def by_attribute(n, data):
    a = lib.pos
    x = lib.step(data)
    b = lib.pos
    lib.pos = 2
    y = lib.step(data)
    lib.go(n)
    return a, x, b, y, lib.pos

def around(n, function):
    return lib.around(function) + n

def swap(n, item):
    before, now = lib.swap(item)
    now.append(n)
    return before, now, lib.kept is now

def stop(n, data):
    lib.go(n)
    lib.stop(data)

def places(n, count):
    return [*lib.places(count), n]

def most(n):
    return lib.most() + n

def push(n, item):
    return n, len(TABLE), lib.push(item), len(TABLE), len(current)

def deletes(n):
    lib.go(n)
    before = lib.count()
    del lib.pos
    return before, lib.count()
"""
DELETING = """
pos = 0

def forget():
    global pos
    del pos

def bump():
    global pos
    pos = pos + 1
    return pos
"""


@pytest.fixture
def lib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return module("lib_of_globals", LIB, tmp_path, monkeypatch)


@pytest.fixture
def app(lib: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return module("app_of_globals", APP, tmp_path, monkeypatch)


def _state(lib: ModuleType) -> dict[str, Any]:
    return {name: vars(lib).get(name, "missing") for name in ("pos", "kept", "current", "copyright")}


def _same(lib: ModuleType, function: Any, residual: Any, *args: Any) -> Any:
    """What the function gives, or raises, which the residual does too, and leaves the module so."""
    before = _state(lib)
    found = []
    for call in (lambda: function(3, *args), lambda: residual(*args)):
        for name, value in before.items():
            if value == "missing":
                vars(lib).pop(name, None)
            else:
                setattr(lib, name, value)
        try:
            outcome: Any = call()
        except Exception as error:
            outcome = type(error), str(error), error.__context__
        found.append((outcome, _state(lib)))
    assert found[0] == found[1]
    return found[0][0]


def test_read_and_written_in_place(lib: ModuleType, app: ModuleType) -> None:
    residual = specialize(app.steps, n=3)
    assert "_lib_of_globals_globals['pos'] = " in residual.source and "_global(" not in residual.source
    assert "_lib.pos" in residual.source
    assert _same(lib, app.steps, residual, "abcd") == (["a", "b", "c"], "of the app")
    assert _same(lib, app.steps, residual, "a")[0] is IndexError
    assert "global lib_of_globals.pos exists" in residual.explain()


def test_what_was_stored_is_read_again(lib: ModuleType, app: ModuleType) -> None:
    residual = specialize(app.swap, n=3)
    assert residual.source.count("['kept']") <= 3
    assert _same(lib, app.swap, residual, 4)[2] is True
    residual = specialize(app.around, n=3)
    assert _same(lib, app.around, residual, lambda: None) == 13
    assert _same(lib, app.around, residual, lambda: lib.go(20)) == 23


def test_the_same_global_as_an_attribute(lib: ModuleType, app: ModuleType) -> None:
    assert _same(lib, app.by_attribute, specialize(app.by_attribute, n=3), "abcd") == (0, "a", 1, "c", 3)


def test_exceptions_and_generators(lib: ModuleType, app: ModuleType) -> None:
    assert _same(lib, app.stop, specialize(app.stop, n=3), "a")[0] is IndexError
    lib.pos = 0
    assert _same(lib, app.places, specialize(app.places, n=3), 4) == [0, 1, 3, 6, 3]


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_missing_when_it_is_called(lib: ModuleType, app: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    residual = specialize(app.steps, n=3)
    most = specialize(app.most, n=3)
    assert "_lib_of_globals_globals['copyright'] = " in most.source
    assert _same(lib, app.most, most) == 7
    monkeypatch.setattr(builtins, "copyright", 20, raising=False)
    del lib.copyright
    assert _same(lib, app.most, most) == 24
    del lib.pos
    assert _same(lib, app.steps, residual, "abcd") == (["a", "b", "c"], "of the app")
    del lib.pos
    around = specialize(app.around, n=3)
    assert "_read_global" in around.source
    assert _same(lib, app.around, around, lambda: delattr(lib, "pos"))[0] is NameError


class WithProperty(ModuleType):
    @property
    def pos(self) -> int:
        return 500


def test_a_module_that_gets_a_class_of_its_own(lib: ModuleType, app: ModuleType) -> None:
    """Its functions read its globals, whatever the class has under their names."""
    residual = specialize(app.steps, n=3)
    assert "_lib.pos" in residual.source and residual.holds()
    lib.__class__ = WithProperty
    assert not residual.holds()
    for given in ("abcd", "a"):
        vars(lib)["pos"] = 0
        found = []
        for call in (residual, lambda text: app.steps(3, text)):
            vars(lib)["pos"] = 0
            try:
                found.append(call(given))
            except IndexError as error:
                found.append(str(error))
        assert found[0] == found[1]
    lib.__class__ = ModuleType
    assert residual.holds()


def test_globals_that_are_deleted(
    lib: ModuleType, app: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    residual = specialize(app.deletes, n=3)
    assert _same(lib, app.deletes, residual)[:2] == (NameError, "name 'pos' is not defined")
    assert _same(lib, app.deletes, residual)[:2] == (NameError, "name 'pos' is not defined")
    other = module("lib_that_deletes", DELETING, tmp_path, monkeypatch)
    user = module(
        "app_that_deletes",
        "import lib_that_deletes as lib\n"
        "def run(n, function):\n    a = lib.bump()\n    function()\n    return a, lib.bump()\n"
        "def drop(n):\n    a = lib.bump()\n    lib.forget()\n    return a, lib.bump()\n",
        tmp_path, monkeypatch,
    )  # fmt: skip
    run = specialize(user.run, n=3)
    assert run(lambda: None) == (1, 2)
    with pytest.raises(NameError, match="name 'pos' is not defined"):
        run(other.forget)
    other.pos = 0
    with pytest.raises(NameError, match="name 'pos' is not defined"):
        specialize(user.drop, n=3)()


def test_names_that_the_residual_has_too(lib: ModuleType, app: ModuleType) -> None:
    """`pos` and `current` are globals of both modules; what one holds now is a list that the other one believes."""
    lib.use(app.TABLE)
    residual = specialize(app.push, n=3)
    for _ in range(3):
        expected = len(app.TABLE)
        assert residual(9) == (3, expected, expected + 1, expected + 1, 1)


def test_saved_and_pickled(lib: ModuleType, app: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    residual = specialize(app.steps, n=3)
    again = pickle.loads(pickle.dumps(residual))
    assert again.source == residual.source and again.holds()
    assert _same(lib, app.steps, again, "abcd") == (["a", "b", "c"], "of the app")
    assert lib.pos == 3
    path = residual.save(tmp_path / "steps_saved.py")
    text = path.read_text(encoding="utf-8")
    assert "_lib_of_globals_globals = _lib_of_globals.__dict__" in text and "copy" not in text
    (tmp_path / "again").mkdir()
    saved = module("steps_saved", text, tmp_path / "again", monkeypatch)
    assert _same(lib, app.steps, saved.steps, "abcd") == (["a", "b", "c"], "of the app")
    del lib.pos
    assert not again.holds()


def test_a_module_that_gets_at_its_globals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = DELETING.replace("    del pos", "    globals().pop('pos')")
    other = module("lib_by_names", text, tmp_path, monkeypatch)
    user = module(
        "app_by_names",
        "import lib_by_names as lib\n"
        "def run(n, function):\n    a = lib.bump()\n    function()\n    return a, lib.bump()\n",
        tmp_path, monkeypatch,
    )  # fmt: skip
    run = specialize(user.run, n=3)
    assert run(lambda: None) == (1, 2)
    with pytest.raises(NameError, match="name 'pos' is not defined"):
        run(other.forget)
