"""Code of other modules, specialized along, that sees whether something is kept: it is then kept by the residual.

Invariant: the residual gives, call by call, what the function does with a home module of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import futamura
from tests.specialize.twins import outcome, twin

HOME = """
import functools, re
KEPT = {}
def table(key):
    if key not in KEPT:
        KEPT[key] = key.split("+")
    return KEPT[key]

@functools.lru_cache(maxsize=None)
def words(key):
    return tuple(key.split("+"))

class Pattern:
    def __init__(self, text):
        self.text = text
        self._regex = None
    def match(self, given):
        if self._regex is None:
            self._regex = re.compile(self.text)
        return self._regex.match(given) is not None

PATTERN = Pattern("a")
"""

USERS = {
    "asked before": "def use(key, y):\n    before = home.KEPT.get(key)\n    return before, len(home.table(key)), y",
    "asked behind": "def use(key, y):\n    n = home.table(key)\n    return home.KEPT[key], key in home.KEPT, n, y",
    "counted": "def use(key, y):\n    n = len(home.table(key))\n    return len(home.KEPT), n, y",
    "handed on": "def use(key, y):\n    n = len(home.table(key))\n    y = [home.KEPT]\n    return n, y",
    "imported": "KEPT = home.KEPT\ndef use(key, y):\n    n = key in KEPT\n    return n, len(home.table(key)), y",
    "in a helper": "def has(key): return key in home.KEPT\ndef use(key, y): return has(key), home.table(key), has(key)",
    "emptied": "def use(key, y):\n    n = len(home.table(key))\n    home.KEPT.clear()\n    return n, len(home.KEPT), y",
    "information": "def use(key, y):\n    n = home.words(key)\n    return n, home.words.cache_info().currsize, y",
    "attribute": "def use(key, y):\n    n = home.PATTERN._regex is None\n    return n, home.PATTERN.match(y), y",
}  # fmt: skip


@pytest.mark.parametrize("name", USERS)
def test_what_is_seen_elsewhere_is_there(tmp_path: Path, name: str) -> None:
    ours, theirs = (_pair(tmp_path, USERS[name]) for _ in range(2))
    residual = futamura.specialize(ours.use, "a+b")
    for y in ("a", "b", "a"):
        assert str(outcome(residual, y)) == str(outcome(theirs.use, "a+b", y))


ATTRIBUTE = """
def use(pattern, y):
    before = pattern._regex is None
    return before, pattern.match(y), pattern._regex is None
"""


def test_an_attribute_that_another_module_looks_at_is_read(tmp_path: Path) -> None:
    ours, theirs = (_pair(tmp_path, ATTRIBUTE) for _ in range(2))
    mine, other = ours.home.Pattern("a"), theirs.home.Pattern("a")
    residual = futamura.specialize(ours.use, mine)
    for y in ("a", "b", "a"):
        assert residual(y) == theirs.use(other, y)
        assert repr(vars(mine)) == repr(vars(other))


def test_nothing_is_kept_where_nobody_sees_it(tmp_path: Path) -> None:
    ours = _pair(tmp_path, "def use(key, y): return len(home.table(key)), home.words(key), y")
    residual = futamura.specialize(ours.use, "a+b")
    assert residual.source.split("\n")[1].strip() == "return 2, ('a', 'b'), y"
    assert residual(1) == (2, ("a", "b"), 1)


def _pair(tmp_path: Path, user: str) -> Any:
    """A module that uses a home module of its own."""
    home = twin(tmp_path, HOME)
    return twin(tmp_path, f"import {home.__name__} as home\n{user}")
