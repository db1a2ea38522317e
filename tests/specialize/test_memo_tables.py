"""Dicts in which functions keep what they have computed, without a declaration."""

from __future__ import annotations

import ast
import copy
import textwrap
from pathlib import Path
from typing import Any

import pytest

import futamura
from futamura.analysis.reading import own_names
from futamura.frontend.memos import memo_tables
from tests.specialize.twins import shown, twin

HEAD = """
import dataclasses, functools, re, typing

@dataclasses.dataclass
class Order:
    id: int
    name: str

    def total(self): return self.id

class Node:
    def __init__(self, kind, *parts):
        self.kind, self.parts = kind, parts

def tokens(text):
    return [word.strip() for word in text.split("+")]

KEPT = {}
"""


def module(tmp_path: Path, text: str) -> Any:
    return twin(tmp_path, HEAD + textwrap.dedent(text))


FORMS = {
    "get": """
        found = KEPT.get(text)
        if found is None:
            found = KEPT[text] = tokens(text)
    """,
    "get, then store": """
        found = KEPT.get(text, None)
        if found is None:
            found = tokens(text)
            KEPT[text] = found
    """,
    "walrus": """
        if (found := KEPT.get(text)) is None:
            found = KEPT[text] = tokens(text)
    """,
    "not in": """
        if text not in KEPT:
            words = []
            for word in text.split("+"):
                words.append(word.strip())
            KEPT[text] = words
        found = KEPT[text]
    """,
    "in, else": """
        if text in KEPT:
            found = KEPT[text]
        else:
            found = KEPT[text] = tokens(text)
    """,
    "try": """
        try:
            found = KEPT[text]
        except KeyError:
            found = KEPT[text] = [word.strip() for word in text.split("+")]
    """,
    "tuple": """
        key = (text, "+")
        found = KEPT.get((text, text))
        if found is None:
            found = KEPT[text, text] = tokens(text)
    """,
}

RETURNING = {
    "return in": """
        if text in KEPT:
            return KEPT[text]
        words = tokens(text)
        KEPT[text] = words
        return words
    """,
    "return try": """
        try:
            return KEPT[text]
        except KeyError:
            pass
        KEPT[text] = tokens(text)
        return KEPT[text]
    """,
    "return except": """
        try:
            return KEPT[text]
        except KeyError:
            found = KEPT[text] = tokens(text)
            return found
    """,
    "return get": """
        found = KEPT.get(text)
        if found is not None:
            return found
        if text == "none":
            return []
        found = KEPT[text] = tokens(text)
        return found
    """,
    "return not in": """
        if text not in KEPT:
            KEPT[text] = tokens(text)
        return KEPT[text]
    """,
}


def using(form: str) -> str:
    body = textwrap.indent(textwrap.dedent(form), "    ")
    return f"def use(text, row):\n{body}\n    return [row[word] for word in found] + [len(found)]\n"


def split(form: str) -> str:
    body = textwrap.indent(textwrap.dedent(form), "    ")
    return f"def kept(text):\n{body}\ndef use(text, row):\n    return [row[word] for word in kept(text)]\n"


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("name", [*FORMS, *RETURNING])
def test_entries_are_known(tmp_path: Path, name: str, filled: bool) -> None:
    made = module(tmp_path, using(FORMS[name]) if name in FORMS else split(RETURNING[name]))
    if filled:
        shown(made.use, "a + b", {"a": 1, "b": 2})
    residual = futamura.specialize(made.use, "a + b")
    assert not residual.stats["fallbacks"]
    assert not residual.stats["notes"]
    assert "KEPT" not in residual.source
    assert "tokens" not in residual.source
    for row in ({"a": 1, "b": 2}, {"a": 1}, {}):
        assert shown(residual, row) == shown(made.use, "a + b", row)
        assert shown(residual, row) == shown(made.use, "a + b", row)


NO_MEMOS = {
    "told whether it was there": """
        if text in KEPT:
            return KEPT[text], "kept"
        KEPT[text] = tokens(text)
        return KEPT[text], "new"
    """,
    "told by a variable": """
        new = False
        found = KEPT.get(text)
        if found is None:
            new = True
            found = KEPT[text] = tokens(text)
        return found, new
    """,
    "told by what is left": """
        found = KEPT.get(text)
        if found is None:
            count = len(text)
            found = KEPT[text] = tokens(text)
        else:
            count = 0
        return found, count
    """,
    "another argument": """
        found = KEPT.get(text)
        if found is None:
            found = KEPT[text] = [row, text]
        return found
    """,
    "another argument, by another variable": """
        other = row
        found = KEPT.get(text)
        if found is None:
            found = KEPT[text] = [other, text]
        return found
    """,
    "computed key": """
        found = KEPT.get(len(text))
        if found is None:
            found = KEPT[len(text)] = text
        return found
    """,
    "key computed before": """
        key = len(text)
        if key not in KEPT:
            KEPT[key] = text
        return KEPT[key]
    """,
    "two stores": """
        found = KEPT.get(text)
        if found is None:
            KEPT[text] = []
            found = KEPT[text] = tokens(text)
        return found
    """,
    "something else is told": """
        found = KEPT.get(text)
        if found is None:
            KEPT[text] = tokens(text)
            found = []
        return found
    """,
    "something else is returned": """
        if text in KEPT:
            return KEPT[text]
        KEPT[text] = tokens(text)
        return []
    """,
    "only on one way": """
        if row:
            if text not in KEPT:
                KEPT[text] = tokens(text)
        return KEPT[text]
    """,
    "counted": """
        found = KEPT.get(text)
        if found is None:
            found = KEPT[text] = tokens(text)
        return found, len(KEPT)
    """,
    "stored in the argument": """
        found = KEPT.get(text)
        if found is None:
            row["new"] = text
            found = KEPT[text] = tokens(text)
        return found
    """,
    "key bound anew": """
        text = text + "+c"
        found = KEPT.get(text)
        if found is None:
            found = KEPT[text] = tokens(text)
        return found
    """,
    "returned early": """
        found = KEPT.get(text)
        if found is None:
            found = KEPT[text] = tokens(text)
            return ["first", *found]
        return found
    """,
    "default": """
        found = KEPT.get(text, 5)
        if found is None:
            found = KEPT[text] = tokens(text)
        return found
    """,
}


@pytest.mark.parametrize("name", NO_MEMOS)
def test_what_tells_whether_there_was_an_entry_is_none(tmp_path: Path, name: str) -> None:
    text = "def use(text, row):\n" + textwrap.indent(textwrap.dedent(NO_MEMOS[name]), "    ")
    tree = ast.parse(HEAD + text)
    assert "KEPT" not in memo_tables(tree, own_names(tree))
    same(tmp_path, text, [("a + b", {}), ("a + b", {"a": 1}), ("a + b", {}), ("c", {})])


def same(tmp_path: Path, text: str, calls: list[Any], static: str = "text") -> None:
    """The residual, called again and again, gives and keeps what the original does."""
    for first in range(len(calls)):
        ours, theirs = module(tmp_path, text), module(tmp_path, text)
        residual = futamura.specialize(ours.use, calls[0][0])
        for known, row in calls[first:]:
            if known == calls[0][0]:
                assert shown(residual, copy.deepcopy(row)) == shown(theirs.use, known, copy.deepcopy(row))
            else:
                assert shown(ours.use, known, row) == shown(theirs.use, known, row)
            if hasattr(ours, "after"):
                ours.after()
                theirs.after()


OTHERS = {
    "cleared": "def after(): KEPT.clear()",
    "written": "def after(): KEPT['a + b'] = ['z']",
    "changed": "def after():\n    for found in KEPT.values(): found.append('z')",
    "handed on": "def after(): kept('a + b').append('z')",
    "handed on by another": "def given(): return kept('a + b')\ndef after(): given().append('z')",
    "handed to another": "def put(words): words.append('z')\ndef after(): put(kept('a + b'))",
    "through an object": (
        "class Holder:\n    def __init__(self): self.words = kept('a + b')\ndef after(): Holder().words.append('z')"
    ),
    "assigned": "def after():\n    global KEPT\n    KEPT = {'a + b': ['z']}",
    "deleted": "def after(): KEPT.pop('a + b', None)",
    "printed": "noted = []\ndef after(): noted.append(len(KEPT))",
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_others_do_counts(tmp_path: Path, name: str) -> None:
    text = """
def kept(text):
    found = KEPT.get(text)
    if found is None:
        found = KEPT[text] = tokens(text)
    return found
def use(text, row):
    return [row.get(word) for word in kept(text)], len(kept(text))
"""
    same(tmp_path, text + OTHERS[name], [("a + b", {"a": 1}), ("a + b", {"b": 1}), ("c", {}), ("a + b", {})])


EFFECTS = {
    "print": "print('computed')",
    "list": "NOTED.append(1)",
    "global": "bump()",
    "reads": "tokens(str(COUNT))",
    "object": "OBJECT.count()",
    "attribute": "setattr(OBJECT, 'x', OBJECT.x + 1)",
}


@pytest.mark.parametrize("name", EFFECTS)
def test_effects_happen_where_the_original_has_them(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"""
NOTED = []
COUNT = 0
class Counter:
    x = 0
    def count(self): self.x += 1
OBJECT = Counter()
def bump():
    global COUNT
    COUNT += 1
def after(): bump()
def make(text):
    {EFFECTS[name]}
    return [text, COUNT, OBJECT.x]
def use(text, row):
    found = KEPT.get(text)
    if found is None:
        found = KEPT[text] = make(text)
    return found, row, NOTED, COUNT, OBJECT.x
"""
    same(tmp_path, text, [("a", 1), ("b", 2), ("a", 3), ("a", 1)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) % 2 == 0


@pytest.mark.parametrize("given", ["1", "True", "1.0", "('a', True)", "frozenset([2.0])", "'a'"])
def test_equal_keys_of_another_class_share_an_entry(tmp_path: Path, given: str) -> None:
    text = """
    def use(key, row):
        if key not in KEPT:
            KEPT[key] = repr(key)
        return KEPT[key], row
    """
    for earlier in ("1", "True", "1.0", "('a', 1)", "frozenset([2])", "'a'"):
        made, other = module(tmp_path, text), module(tmp_path, text)
        residual = futamura.specialize(made.use, eval(given))
        made.use(eval(earlier), 0)
        other.use(eval(earlier), 0)
        assert residual(0) == other.use(eval(given), 0)


def test_what_is_needed_itself_is_what_the_dict_holds(tmp_path: Path) -> None:
    text = """
    def kept(text):
        if text not in KEPT:
            KEPT[text] = {word: len(word) for word in tokens(text)}
        return KEPT[text]

    def use(text, row):
        return kept(text), row in kept(text), kept(text).get(row)

    def compared(text, row):
        return row is kept(text), kept(text)["a"]

    def changed(text, row):
        row["a"] = 7
        return kept(text)["a"], row
    """
    made = module(tmp_path, text)
    residual = futamura.specialize(made.use, "a + bb")
    assert residual("bb")[0] is made.kept("a + bb")
    assert residual("bb") == made.use("a + bb", "bb")
    made = module(tmp_path, text)
    residual = futamura.specialize(made.compared, "a + bb")
    assert residual(made.kept("a + bb")) == (True, 1)
    assert residual({}) == (False, 1)
    made = module(tmp_path, text)
    residual = futamura.specialize(made.changed, "a + bb")
    assert residual({}) == (1, {"a": 7})
    assert residual(made.kept("a + bb")) == (7, {"a": 7, "bb": 2})


def test_a_module_that_fills_one_dict_in_two_functions(tmp_path: Path) -> None:
    text = """
    def load(cls, row):
        hints = KEPT.get(cls)
        if hints is None:
            hints = KEPT[cls] = typing.get_type_hints(cls)
        return cls(**{name: kind(row[name]) for name, kind in hints.items()})

    def dump(tp, value):
        kept = KEPT.get(tp)
        if kept is None:
            kept = KEPT[tp] = typing.get_type_hints(tp)
        return {name: kind(getattr(value, name)) for name, kind in kept.items()}
    """
    made = module(tmp_path, text)
    for _ in range(2):  # the dict is filled by the call at the end of the first round
        residual = futamura.specialize(made.load, made.Order)
        assert "hints" not in residual.source and "KEPT" not in residual.source
        assert residual({"id": "3", "name": 5}) == made.load(made.Order, {"id": "3", "name": 5}) == made.Order(3, "5")
    dumped = futamura.specialize(made.dump, made.Order)
    assert "KEPT" not in dumped.source
    assert dumped(made.Order(3, "5")) == {"id": 3, "name": "5"}
    other = text.replace("kept = KEPT[tp] = typing.get_type_hints(tp)", "kept = KEPT[tp] = {}")
    made = module(tmp_path, other)
    residual = futamura.specialize(made.load, made.Order)
    assert made.dump(made.Order, made.Order(3, "5")) == {}
    assert shown(residual, {"id": "3", "name": 5}) == shown(made.load, made.Order, {"id": "3", "name": 5})


@pytest.mark.parametrize("filled", [False, True])
def test_hints_of_the_library_are_constants(tmp_path: Path, filled: bool) -> None:
    text = """
    @dataclasses.dataclass
    class Part:
        a: typing.Optional[int]
        b: list[str]
        c: typing.Union[int, str, None] = None

    def check(hint, value):
        if typing.get_origin(hint) is typing.Union:
            return any(check(one, value) for one in typing.get_args(hint))
        if typing.get_origin(hint) is list:
            return all(check(typing.get_args(hint)[0], one) for one in value)
        return isinstance(value, hint)

    def load(cls, row):
        hints = KEPT.get(cls)
        if hints is None:
            hints = KEPT[cls] = typing.get_type_hints(cls)
        return [(name, check(hint, row[name])) for name, hint in hints.items()]
    """
    made = module(tmp_path, text)
    row = {"a": 1, "b": ["x"], "c": 2.5}
    if filled:
        made.load(made.Part, row)
    residual = futamura.specialize(made.load, made.Part)
    assert "KEPT" not in residual.source and "hint" not in residual.source
    assert residual(row) == made.load(made.Part, row)


def test_what_fails_fails_each_time(tmp_path: Path) -> None:
    text = """
    def use(text, row):
        found = KEPT.get(text)
        if found is None:
            found = KEPT[text] = int(text)
        return found + row
    """
    same(tmp_path, text, [("x", 1), ("5", 2), ("x", 3)])
    same(tmp_path, text, [("5", 1), ("x", 2), ("5", 3)])


def test_none_is_computed_again(tmp_path: Path) -> None:
    text = """
    def find(text):
        return None

    def use(text, row):
        found = KEPT.get(text)
        if found is None:
            found = KEPT[text] = find(text)
        return found, row
    """
    same(tmp_path, text, [("x", 1), ("x", 3)])


def test_recursive_computing(tmp_path: Path) -> None:
    text = """
    def parse(text):
        if text in KEPT:
            return KEPT[text]
        left, plus, right = text.partition("+")
        node = Node("+", parse(left), parse(right)) if plus else Node("name", text.strip())
        KEPT[text] = node
        return node

    def value(node, row):
        if node.kind == "+":
            return value(node.parts[0], row) + value(node.parts[1], row)
        return row[node.parts[0]]

    def use(text, row):
        return value(parse(text), row)
    """
    made = module(tmp_path, text)
    residual = futamura.specialize(made.use, "a + b+c")
    assert residual.source.split("\n")[1].strip() == "return row['a'] + (row['b'] + row['c'])"
    for row in ({"a": 1, "b": 2, "c": 3}, {"a": 1}):
        assert shown(residual, row) == shown(made.use, "a + b+c", row)
