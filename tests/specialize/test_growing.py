"""Constants that reading adds to: entries of a `defaultdict` of a class or module are known, what it lacks is not.

    Schema.hooks is a defaultdict of a class      Schema.hooks["load"] is known if it is there, what it lacks is not
"""

from __future__ import annotations

import importlib
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path
from typing import Any

import pytest

import futamura

TEXT = """
from collections import defaultdict, Counter, OrderedDict

def strip(x): return x.strip()
def upper(x): return x.upper()

class Schema:
    hooks = defaultdict(list)
    names = OrderedDict(a=1, b=2)
    def run(self, tag, x):
        for hook in self.hooks[tag]:
            x = hook(x)
        return x
    def has(self, tag, x):
        return tag in self.hooks, x
    def get(self, tag, x):
        return self.hooks.get(tag, x)
    def all(self, x):
        return [tag for tag in self.hooks], len(self.hooks), x
    def name(self, key, x):
        return self.names[key], list(self.names), x

Schema.hooks["load"] += [strip, upper]
Schema.hooks["none"] = []
TABLE = defaultdict(int, a=3)
COUNTS = Counter(a=3)

def price(key, x): return TABLE[key] * x
def count(key, x): return COUNTS[key] * x
"""
CHANGING = """
def register(tag, hook): Schema.hooks[tag].append(hook)
def priced(key): TABLE[key] += 1
"""


def module(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    return importlib.import_module(name)


@pytest.mark.usefixtures("assuming")
def test_entries_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = module("growing_known", TEXT, tmp_path, monkeypatch)
    schema = made.Schema()
    residual = futamura.specialize(schema.run, "load")
    assert residual.source.split("\n")[1].strip() == "return x.strip().upper()" and residual(" a ") == "A"
    assert "for" not in futamura.specialize(schema.run, "none").source
    assert "True" in futamura.specialize(schema.has, "load").source
    assert "hooks" not in futamura.specialize(schema.get, "none").source
    assert "3 * x" in futamura.specialize(made.price, key="a").source
    assert "3 * x" in futamura.specialize(made.count, key="a").source
    named = futamura.specialize(schema.name, "b")
    assert "2, ['a', 'b']" in named.source and named(1) == (2, ["a", "b"], 1)


def test_what_is_missing_is_made_by_the_residual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = module("growing_missing", TEXT, tmp_path, monkeypatch)
    schema = made.Schema()
    residual = futamura.specialize(schema.run, "dump")
    looked, counted, listed = (futamura.specialize(f, *t) for f, t in (
        (schema.has, ("dump",)), (made.price, ("b",)), (schema.all, ())
    ))  # fmt: skip
    got = futamura.specialize(schema.get, "dump")
    assert "dump" not in schema.hooks and "b" not in made.TABLE
    assert looked(1) == (False, 1) and got(7) == 7 and listed(1) == (["load", "none"], 2, 1)
    assert residual("a") == "a" and schema.hooks["dump"] == []
    assert looked(1) == (True, 1) and got(7) == [] and listed(1) == (["load", "none", "dump"], 3, 1)
    assert counted(2) == 0 and made.TABLE["b"] == 0
    assert any("does not exist" in event.reason for event in residual.events), residual.events


def test_what_the_module_changes_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = module("growing_changing", TEXT + CHANGING, tmp_path, monkeypatch)
    schema = made.Schema()
    residual, priced = futamura.specialize(schema.run, "load"), futamura.specialize(made.price, key="a")
    assert residual(" a ") == "A" and priced(2) == 6
    made.register("load", lambda x: x * 2)
    made.priced("a")
    assert residual(" a ") == "AA" and priced(2) == 8


def rewrites(schema: Any, tag: Any, x: Any) -> Any:
    before = len(schema.hooks[tag])
    schema.hooks["load"] = [x]
    return before, len(schema.hooks[tag]), schema.hooks[tag][0]


def hands_on(schema: Any, f: Any, tag: Any) -> Any:
    before = len(schema.hooks[tag])
    f(schema.hooks)
    return before, len(schema.hooks[tag])


def test_what_specialized_code_writes_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = module("growing_written", TEXT, tmp_path, monkeypatch)
    residual = futamura.specialize(rewrites, schema=made.Schema(), tag="load")
    assert residual(5) == (2, 1, 5) and residual(6) == (1, 1, 6)
    made.Schema.hooks["load"] = [1, 2, 3]
    residual = futamura.specialize(hands_on, schema=made.Schema(), tag="load")
    assert residual(lambda hooks: hooks["load"].append(4)) == (3, 4)
    assert residual(lambda hooks: hooks["load"].clear()) == (4, 0)


@pytest.mark.parametrize("kind", [OrderedDict, Counter, dict, lambda **given: defaultdict(int, **given)])
def test_static_inputs_are_whole(kind: Any) -> None:
    def read(table: Any, key: Any, x: Any) -> Any:
        return table[key], "z" in table, [*table], x

    residual = futamura.specialize(read, table=kind(a=1, b=2), key="a")
    assert "(1, False, ['a', 'b'], x)" in residual.source or "1, False, ['a', 'b'], x" in residual.source
