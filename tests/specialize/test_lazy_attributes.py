"""Attributes of static objects that are None until a method first needs them, without a declaration."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import futamura
from tests.specialize.twins import outcome, twin

SCHEMA = """
import re

class Schema:
    def __init__(self, fields, pattern):
        self.fields = fields
        self.pattern = pattern
        self._index = None
        self._regex = None
        self._words = None
        self._total: int | None = None

    @property
    def index(self):
        if self._index is None:
            self._index = {field: place for place, field in enumerate(self.fields)}
        return self._index

    def match(self, text):
        if self._regex is None:
            self._regex = re.compile(self.pattern)
        return self._regex.match(text) is not None

    def words(self):
        found = self._words
        if found is None:
            found = []
            for field in self.fields:
                found.append(field + "!")
            self._words = found
        return found

    def total(self):
        if self._total is not None:
            return self._total
        total = 0
        for field in self.fields:
            total += len(field)
        self._total = total
        return total

    def fetch(self, row):
        return [row[place] for field, place in self.index.items()], self.index["b"] * 2

    def tell(self, row):
        return ["%s%s" % (word, row) for word in self.words()], self.total(), row

    def given(self, row):
        return self.words(), row

    def same(self, row):
        return self.words() is row, len(self.words())

    def pick(self, row):
        return self.index.get(row), row
"""

SCHEMAS = {"plain": "", "reset": """
    def reset(self):
        self._index = None
        self._words = None
""", "changed": """
    def change(self):
        self.words().append("z")
        self.index["z"] = 9
""", "printed": """
    def shown(self):
        return self._index, self._words
"""}  # fmt: skip


@pytest.mark.parametrize("extra", SCHEMAS)
@pytest.mark.parametrize("name", ["fetch", "match", "tell", "given", "same", "pick"])
def test_the_object_is_left_as_the_original_leaves_it(tmp_path: Path, name: str, extra: str) -> None:
    text = SCHEMA + SCHEMAS[extra]
    for filled in (False, True):
        ours, theirs = (twin(tmp_path, text).Schema(["a", "b"], "x+") for _ in range(2))
        residual = futamura.specialize(getattr(ours, name))
        if filled:
            for one in (ours, theirs):
                one.words()
                one.index  # noqa: B018
        for row in ((5, 6), "xxy", "b", "a", 5):
            assert outcome(residual, row) == outcome(getattr(theirs, name), row)
            assert repr(vars(ours)) == repr(vars(theirs))
            for change in ("reset", "change"):
                if hasattr(ours, change):
                    getattr(ours, change)()
                    getattr(theirs, change)()


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_what_is_kept_is_known(tmp_path: Path) -> None:
    own = SCHEMA.split("    def given")[0].replace("found.append", "made.append").replace("found = []", "made = []")
    made = twin(tmp_path, own.replace("self._words = found", "found = self._words = made"))
    for name in ("fetch", "match", "tell"):
        residual = futamura.specialize(getattr(made.Schema(["a", "b"], "x+"), name))
        assert not residual.stats["notes"] and not residual.stats["fallbacks"]
        assert "for" not in residual.source and "is None" not in residual.source


def test_what_is_needed_itself_is_the_object_s(tmp_path: Path) -> None:
    schema = twin(tmp_path, SCHEMA).Schema(["a", "b"], "x+")
    residual = futamura.specialize(schema.given)
    first = residual(1)[0]
    assert first is schema.words() and first is residual(2)[0]
    residual = futamura.specialize(schema.same)
    assert residual(schema.words()) == (True, 2) and residual([]) == (False, 2)


NO_MEMOS = {
    "told": """
        if self._kept is None:
            self._kept = len(self.text)
            return self._kept, "new"
        return self._kept, "kept"
    """,
    "of the argument": """
        if self._kept is None:
            self._kept = row
        return self._kept
    """,
    "noted": """
        if self._kept is None:
            self.count += 1
            self._kept = len(self.text)
        return self._kept, self.count
    """,
    "printed": """
        if self._kept is None:
            print("computed")
            self._kept = len(self.text)
        return self._kept
    """,
    "changed before": """
        self.text = self.text + "x"
        if self._kept is None:
            self._kept = len(self.text)
        return self._kept, self.text
    """,
    "changed behind": """
        if self._kept is None:
            self._kept = [self.text]
        self._kept.append(row)
        return list(self._kept)
    """,
    "stored": """
        if self._kept is None:
            self._kept = {"a": 1}
        row.append(self._kept)
        row[0]["b"] = 2
        return dict(self._kept)
    """,
    "global": """
        if self._kept is None:
            self._kept = COUNT
        bump()
        return self._kept, COUNT
    """,
    "failing": """
        if self._kept is None:
            self._kept = int(self.text)
        return self._kept
    """,
    "none": """
        if self._kept is None:
            self._kept = {}.get(self.text)
        return self._kept, row
    """,
}


@pytest.mark.parametrize("name", NO_MEMOS)
def test_whatever_it_does_is_done(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    body = textwrap.indent(textwrap.dedent(NO_MEMOS[name]), "        ")
    text = f"""
COUNT = 0
def bump():
    global COUNT
    COUNT += 1
class Kept:
    def __init__(self, text):
        self.text = text
        self.count = 0
        self._kept = None
    def use(self, row):
{body}
"""
    ours, theirs = (twin(tmp_path, text).Kept("abc") for _ in range(2))
    residual = futamura.specialize(ours.use)
    for row in ([1], [2], [3]):
        mine = outcome(residual, list(row)), capsys.readouterr().out, repr(vars(ours))
        assert mine == (outcome(theirs.use, list(row)), capsys.readouterr().out, repr(vars(theirs)))


def test_saved_residuals_fill_it_too(tmp_path: Path) -> None:
    text = SCHEMA + "\nSCHEMA = Schema(['a', 'b'], 'x+')\n"
    made = twin(tmp_path, text)
    residual = futamura.specialize(made.Schema.tell, made.SCHEMA)
    assert residual(1) == made.Schema(["a", "b"], "x+").tell(1)


class Base:
    def __init__(self, text: str) -> None:
        self.text = text
        self._size: int | None = None

    @property
    def size(self) -> int:
        if self._size is None:
            self._size = len(self.text)
        return self._size


class Below(Base):
    def grow(self, by: int) -> int:
        self._size = (self._size or 0) + by
        return self.size


class Beside(Base):
    __slots__ = ("other",)

    def tell(self, by: int) -> tuple[int, int]:
        return self.size, by


def test_classes_below_may_use_it_too() -> None:
    for cls, name in ((Below, "grow"), (Beside, "tell")):
        ours, theirs = cls("abc"), cls("abc")
        residual = futamura.specialize(getattr(ours, name))
        for by in (1, 2, 3):
            assert residual(by) == getattr(theirs, name)(by)
            assert vars(ours) == vars(theirs)
