"""Containers of constants that are only asked are made once; what may be changed or given away is made each time.

Invariant: residuals, their copies in other processes and what `save` writes do the same.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from futamura import specialize


class Codec:
    def __init__(self, alphabet: str) -> None:
        self.alphabet = alphabet

    def index(self) -> dict[Any, int]:
        return {c: i for i, c in enumerate(self.alphabet)}

    def names(self) -> list[str]:
        return [c * 2 for c in self.alphabet]

    def item(self, x: Any) -> Any:
        return self.index()[x]

    def given(self, x: Any) -> Any:
        return self.index().get(x, "no")

    def member(self, x: Any) -> Any:
        return x in self.index(), x not in self.names()

    def place(self, x: Any) -> Any:
        return self.names()[x]

    def looped(self, xs: Any) -> Any:
        table = self.index()
        return [table[x] for x in xs if x in table]

    def mixed(self, x: Any) -> Any:
        return {1: "a", True: "b", 2.0: "c", 2: "d", None: "e", "x": "f"}[x]  # noqa: F601

    def stored(self, x: Any) -> Any:
        table = self.index()
        table[x] = 1
        return table

    def returned(self, x: Any) -> Any:
        table = self.index()
        return table, table[x]

    def caught(self, x: Any) -> Any:
        table = self.index()
        try:
            return table[x]
        except KeyError:
            return table

    def captured(self, x: Any) -> Any:
        table = self.index()
        return [found(x) for found in (lambda y: table[y], lambda y: table.pop(y))]

    def walked(self, x: Any) -> Any:
        table = self.names()
        return table[x], [*table], table


ASKED = ["item", "given", "member", "place", "looped", "mixed"]
CHANGED = ["stored", "returned", "caught", "captured", "walked"]
INPUTS = ["A", "Z", 0, 1, -1, 100, None, [1], True, 2.0, "AA", ["A", "Z"], slice(0, 2), "x", 5j]


def outcome(function: Any, x: Any) -> Any:
    try:
        return repr(function(x))
    except Exception as error:
        return repr(error)


@pytest.mark.parametrize("name", ASKED + CHANGED)
def test_tables(name: str, tmp_path: Path) -> None:
    call = getattr(Codec("ABCDEFGH"), name)
    residual = specialize(call)
    assert ("_table" in residual.source) is (name in ASKED)
    residual.save(tmp_path / "saved.py")
    space: dict[str, Any] = {}
    exec((tmp_path / "saved.py").read_text(), space)
    for function in (residual, pickle.loads(pickle.dumps(residual)), space[name]):
        for x in INPUTS + INPUTS:
            assert outcome(function, x) == outcome(call, x)


def test_short_tables_stand_where_they_are_asked() -> None:
    assert "_table" not in specialize(Codec("ABC").item).source


def test_a_key_that_is_not_equal_to_itself_is_no_key() -> None:
    nan = float("nan")

    def item(x: Any) -> Any:
        return {nan: 1, 2: 3, 4: 5, 6: 7}[x]

    residual = specialize(item)
    for x in (nan, 2, float("nan")):
        assert outcome(residual, x) == outcome(item, x)
