"""Functions that code of another module makes, and that live on.

    shop.order(rows, "id"), inlined          ->     sorted(rows, key=lambda row: shop.clean(row["id"]))

Invariant: such a function says the same of itself, and reads the globals of its module when it runs.
"""

from __future__ import annotations

import collections
import dataclasses
import types
from pathlib import Path
from typing import Any

import pytest

from futamura import DYN, Dyn, Residual, specialize
from tests.specialize.test_modules import module

SHOP = '''
import functools
from collections import deque

RATE = 2

def clean(x):
    return x * RATE

class Row:
    def __init__(self, value):
        self.value = value

def plain(rows, spec):
    return sorted(rows, key=lambda row: row[spec])

def order(rows, spec):
    return sorted(rows, key=lambda row: clean(row[spec]))

def lengths(rows, spec):
    return sorted(rows, key=lambda row: len(str(row[spec])))

def both(rows, spec):
    def key(row):
        return row[spec]
    return max(rows, key=key), key

def lazy(rows, spec):
    return map(lambda row: Row(clean(row[spec])).value, rows)

def last(rows, spec):
    return deque((clean(row[spec]) for row in rows if row), maxlen=2)

def reader(rows, spec):
    def read(row, *, name=spec):
        "Reads."
        return clean(row[name])
    return read

def measure(rows, spec):
    return lambda row: len(row[spec])

def counter(rows, spec):
    seen = 0
    def count(row):
        nonlocal seen
        seen += row[spec]
        return seen
    return count

def wrapped(rows, spec):
    @functools.wraps(clean)
    def read(row):
        return row[spec]
    return read

def fails(rows, spec):
    return list(map(lambda row: missing(row[spec]), rows))

def setter(rows, spec):
    def set(row):
        global RATE
        RATE = row[spec]
    return set

def maker(rows, spec):
    def outer(row):
        def inner():
            return row[spec]
        return inner
    return outer

def spaces(rows, spec):
    def names(row):
        return "clean" in globals(), row[spec]
    return names

def classes(rows, spec):
    def make(row):
        class Made:
            value = row[spec]
        return Made
    return make
'''

APP = """
import {shop} as shop

def run(rows, spec):
    return shop.{name}(rows, spec)
"""

ROWS = [{"a": 1}, {"a": -33}, {"a": 2}]

MOVED = ("plain", "order", "lengths", "both", "lazy", "last", "reader", "counter", "wrapped")
STAYING = ("setter", "maker", "spaces", "classes")


def shown(result: Any) -> object:
    """What is compared of a result: functions by what they say of themselves and give."""
    if isinstance(result, types.FunctionType):
        about = [getattr(result, name) for name in ("__name__", "__qualname__", "__module__", "__doc__")]
        given = [call(result, row) for row in ROWS]
        return (*about, result.__defaults__, result.__kwdefaults__, given)
    if isinstance(result, tuple):
        return tuple(map(shown, result))
    if isinstance(result, type):
        return result.__qualname__, result.__module__
    return list(result) if isinstance(result, (map, collections.deque)) else result


def call(function: Any, *args: object) -> object:
    try:
        return shown(function(*args))
    except Exception as error:
        return type(error), str(error)


@pytest.fixture(name="modules")
def made_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    shop = module("a_shop", SHOP, tmp_path, monkeypatch)

    def app(name: str) -> types.ModuleType:
        return module(f"an_app_{name}", APP.format(shop="a_shop", name=name), tmp_path, monkeypatch)

    return shop, app


def specialized(app: types.ModuleType) -> Residual:
    return specialize(app.run, DYN, "a")


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize("name", MOVED)
def test_functions_live_on(name: str, modules: Any) -> None:
    shop, app = modules
    original = app(name).run
    residual = specialized(app(name))
    assert not any(event.code in ("FT301", "FT302") for event in residual.events)
    assert f"{name}(" not in residual.source.partition("\n")[2]
    assert call(residual, ROWS) == call(original, ROWS, "a")
    shop.RATE = -5
    assert call(residual, ROWS) == call(original, ROWS, "a")
    shop.clean = lambda x: -x
    assert call(residual, ROWS) == call(original, ROWS, "a")


@pytest.mark.parametrize("name", STAYING)
def test_functions_that_mean_their_module(name: str, modules: Any) -> None:
    _, app = modules
    residual = specialized(app(name))
    assert [event.code for event in residual.events] in (["FT301"], ["FT302"])
    assert "of another module" in residual.events[0].reason
    assert call(residual, ROWS) == call(app(name).run, ROWS, "a")


def test_a_global_that_is_missing(modules: Any) -> None:
    shop, app = modules
    residual = specialized(app("fails"))
    assert call(residual, ROWS) == call(app("fails").run, ROWS, "a")
    shop.missing = abs
    assert call(residual, ROWS) == call(app("fails").run, ROWS, "a")


def test_globals_are_read_when_the_function_runs(modules: Any) -> None:
    shop, app = modules
    read = specialized(app("reader"))(ROWS)
    assert read(ROWS[0]) == 2
    shop.clean = str
    assert read(ROWS[0]) == "1"


@pytest.mark.parametrize("name", ["plain", "order", "reader", "last"])
def test_saved(name: str, modules: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, app = modules
    path = tmp_path / "saved.py"
    specialized(app(name)).save(path)
    saved = module("saved", path.read_text(), tmp_path, monkeypatch)
    assert call(saved.run, ROWS) == call(app(name).run, ROWS, "a")


def test_names_that_nobody_sees(modules: Any) -> None:
    _, app = modules
    assert specialized(app("plain")).source.count("\n") <= 4
    assert "__qualname__" not in specialized(app("order")).source
    assert "__qualname__" in specialized(app("both")).source


def test_builtins_that_a_module_gets_later(modules: Any) -> None:
    shop, app = modules
    residual = specialized(app("lengths"))
    shop.len = lambda text: -len(text)
    assert call(residual, ROWS) == call(app("lengths").run, ROWS, "a")




def test_builtins_stay_builtins_for_functions_that_live_on(modules: Any) -> None:
    _, app = modules
    made = app("measure")
    measure = specialized(made)(ROWS)
    made.len = lambda value: 100
    assert measure({"a": "four"}) == made.run(ROWS, "a")({"a": "four"}) == 4


HELD = """
import abc

def text(x, show):
    if type(x) is tuple:
        return "(" + " ".join([text(part, show) for part in x]) + ")"
    def again():
        class Shown(abc.ABC):
            name = show(x)
        return Shown
    return again().name
"""

HOLDER = """
import held

def run(x, y):
    return held.text(((1, x), (2, (3, y))), str)
"""


def test_a_call_stays_for_arguments_of_its_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails for an open part of a tree does not fail for the known ones."""
    module("held", HELD, tmp_path, monkeypatch)
    run = module("holder", HOLDER, tmp_path, monkeypatch).run
    residual = specialize(run, DYN, DYN)
    assert {event.code for event in residual.events} == {"FT302"}
    for x in (3, "word", (1, (2, 3))):
        assert residual(x, 2.5) == run(x, 2.5)
    assert "((" not in residual.source


def test_records_of_records() -> None:
    @dataclasses.dataclass
    class Point:
        x: Any
        y: int

    @dataclasses.dataclass
    class Line:
        start: Point
        points: list[Point]
        name: str = "line"

    def plain(x: Any, y: Any) -> Any:
        return dataclasses.asdict(Line(Point(x, 1), [Point(y, 2), Point(3, 4)]))

    residual = specialize(plain, DYN, DYN)
    assert not any(event.code in ("FT301", "FT302") for event in residual.events)
    for x in (3, "text", [Point(1, 2), (Point(3, 4), {"k": Point(5, 6)})]):
        assert residual(x, 2) == plain(x, 2)
        assert type(residual(x, 2)["start"]["x"]) is type(x)
    assert "asdict" not in specialize(plain, Dyn(int), Dyn(int)).source


def keeping(x: object, flag: bool) -> tuple[object, ...]:
    name = "some text with spaces"
    part = 2.5

    def inner(y: object) -> tuple[object, ...]:
        return name, part, y

    return inner, name, part


def test_known_texts_in_closures_are_the_same_object() -> None:
    residual = specialize(keeping, DYN, True)
    inner, name, part = residual(1)
    assert "return 'some text with spaces', 2.5, y" in residual.source
    assert inner(3)[0] is name and inner(3)[1] is part  # type: ignore[operator]
