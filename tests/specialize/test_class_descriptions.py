"""What a class says of itself: its annotations, and attributes that its metaclass has as well.

    for name, kind in cls.__annotations__.items(): ...    each field in line
    cls.__new__(cls)                                      the instance is made during specialization

Invariant: what a function of the module writes to the annotations is not believed; a class without any gets
an empty dict by the read, as in Python.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import futamura

from .specializing import specialize

SOURCE = """
class Point:
    x: int
    y: str

class Half(Point):
    z: float

class Bare(Point):
    pass

class Meta(type):
    def __call__(cls, *args):
        return ["made", *args]

class Strange(metaclass=Meta):
    x: int

def load(cls, row):
    made = cls.__new__(cls)
    for name, kind in cls.__annotations__.items():
        setattr(made, name, kind(row[name]))
    return made

def built(cls, row):
    return cls.__call__(row) if cls is Strange else cls.__init__ is object.__init__, row
"""

WRITER = """
def more(cls):
    known = cls.__annotations__
    known["z"] = complex
"""


def module(path: Path, name: str, text: str) -> Any:
    (path / f"{name}.py").write_text(textwrap.dedent(text))
    sys.path.insert(0, str(path))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(path))


@pytest.fixture(name="models")
def _models(tmp_path: Path) -> Any:
    yield module(tmp_path, "described_models", SOURCE)
    del sys.modules["described_models"]


ROW = {"x": "4", "y": 5, "z": "2.5"}

before_lazy = pytest.mark.skipif(sys.version_info >= (3, 14), reason="annotations are made when they are asked for")


@before_lazy
@pytest.mark.parametrize("name", ["Point", "Half"])
def test_fields_by_annotations(models: Any, name: str) -> None:
    cls = getattr(models, name)
    made = specialize(models.load, cls=cls)
    assert "for " not in made.source and "__new__(" in made.source and "setattr" not in made.source
    assert type(made(ROW)) is cls and vars(made(ROW)) == vars(models.load(cls, ROW))
    with pytest.raises(ValueError, match=r"invalid literal|could not convert"):
        made({"x": "q", "y": 1, "z": "q"})


@before_lazy
def test_annotations_of_its_own_only(models: Any) -> None:
    made = specialize(models.load, cls=models.Bare)
    assert vars(made(ROW)) == vars(models.load(models.Bare, ROW)) == {}


@before_lazy
def test_another_dict_of_annotations_is_noticed(models: Any) -> None:
    made = specialize(models.load, cls=models.Half)
    models.Half.__annotations__ = {"y": str}
    assert vars(made(ROW)) == {"y": "5"} and not made.holds()


@before_lazy
def test_annotations_that_the_module_writes_are_read_when_the_residual_runs(tmp_path: Path) -> None:
    models = module(tmp_path, "described_writer", SOURCE + WRITER)
    made = specialize(models.load, cls=models.Half)
    assert vars(made(ROW)) == {"z": 2.5}
    models.more(models.Half)
    assert vars(made(ROW)) == vars(models.load(models.Half, ROW)) == {"z": 2.5 + 0j}
    del sys.modules["described_writer"]


@pytest.mark.parametrize("name", ["Point", "Strange"])
def test_what_a_metaclass_has_too(models: Any, name: str) -> None:
    cls = getattr(models, name)
    made = futamura.specialize(models.built, cls=cls)
    assert made(3) == models.built(cls, 3)
