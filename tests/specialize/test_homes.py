"""Modules that `sys.modules` does not have: files loaded by path, and modules that are taken out again."""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

import futamura

READER = '''
import dataclasses
import typing


@dataclasses.dataclass
class Point:
    x: int
    y: typing.List[int]


_hints = {}


def read(cls, value):
    hints = _hints.get(cls)
    if hints is None:
        hints = _hints[cls] = typing.get_type_hints(cls)
    given = {}
    for field in dataclasses.fields(cls):
        kind = hints[field.name]
        given[field.name] = list(value[field.name]) if typing.get_origin(kind) is list else kind(value[field.name])
    return cls(**given)
'''

SWITCH = '''
class Switch:
    limit = 3
    names = ["a"]

    def __init__(self):
        self.seen = 0

    def label(self):
        return "class"

    @staticmethod
    def turn(value):
        {store}

    def run(self, other, hook):
        before = self.limit, self.names[0], self.label()
        hook(other)
        return before, self.limit, self.names[0], self.label()


def hook(other):
    Switch.turn(other)


switch = Switch()


def ask(hook, n):
    before = switch.limit, switch.names[0], switch.label()
    hook(switch)
    return before, switch.limit, switch.names[0], switch.label(), n
'''


def _load(text: str, path: Path, name: str) -> types.ModuleType:
    """A module of this text that can be loaded, and is not in `sys.modules` afterwards."""
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module


def _other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))


@pytest.mark.parametrize("replaced", [False, True])
def test_hints_of_a_class_whose_module_is_gone_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replaced: bool
) -> None:
    reader = _load(READER, tmp_path / "reader.py", "reader_that_is_gone")
    if replaced:
        _other(reader.__name__, monkeypatch)
    residual = futamura.specialize(reader.read, cls=reader.Point)
    assert residual({"x": "4", "y": (1, 2)}) == reader.Point(4, [1, 2])
    assert "hints" not in residual.source and "for " not in residual.source
    with pytest.raises(KeyError, match="y"):
        residual({"x": "4"})


@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize(
    "store",
    [
        "Switch.limit = 4",
        "Switch.names[0] = 'b'",
        "Switch.names.insert(0, 'b')",
        "value.label = lambda: 'object'",
        "value.limit = 5",
        "value.names = ['c']",
        "Switch.label = lambda self: 'other'",
    ],
)
def test_what_its_functions_store_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str, replaced: bool
) -> None:
    def loaded() -> types.ModuleType:
        module = _load(SWITCH.format(store=store), tmp_path / "switch.py", "switch_that_is_gone")
        if replaced:
            _other(module.__name__, monkeypatch)
        return module

    def outcomes(ask: Callable[[types.ModuleType], Callable[..., object]]) -> list[object]:
        module = loaded()
        asked = ask(module)
        return [asked(module.hook, n) for n in (1, 2)]

    expected = outcomes(lambda module: module.ask)
    assert outcomes(lambda module: futamura.specialize(module.ask, futamura.DYN, futamura.DYN)) == expected

    def methods(ask: Callable[[types.ModuleType], Callable[..., object]]) -> list[object]:
        module = loaded()
        asked = ask(module)
        return [asked(module.switch, module.hook) for _ in range(2)]

    expected = methods(lambda module: module.switch.run)
    assert methods(lambda module: futamura.specialize(module.switch.run, futamura.DYN, futamura.DYN)) == expected
