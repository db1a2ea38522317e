"""What functions in `functools.lru_cache` and `functools.cache` give for known arguments, without a declaration."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import textwrap
from pathlib import Path
from typing import Any

import pytest

import futamura
from tests.specialize.twins import shown, twin

HEAD = """
import dataclasses, functools, re, typing
"""

READ = """
@dataclasses.dataclass
class Order:
    id: int
    name: str
    price: float = 1.0

@functools.lru_cache(maxsize=None)
def hints(cls):
    return typing.get_type_hints(cls)

@functools.lru_cache
def names(cls):
    return tuple(field.name for field in dataclasses.fields(cls))

def load(cls, row):
    found = hints(cls)
    made = {}
    for name in names(cls):
        if type(row[name]) is not found[name]:
            raise TypeError(name)
        made[name] = row[name]
    return cls(**made)

@functools.cache
def pattern(text):
    return re.compile(text)

def match(text, given):
    found = pattern(text).match(given)
    return found and found.group()

@functools.cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def plus(n, y):
    return fib(n) + y

class Node:
    def __init__(self, kind, left=None, right=None):
        self.kind, self.left, self.right = kind, left, right

@functools.lru_cache(maxsize=8)
def parse(text):
    found = None
    for word in text.split():
        node = Node("number", int(word)) if word.isdigit() else Node("name", word)
        found = node if found is None else Node("+", found, node)
    return found

def value(node, given):
    if node.kind == "+":
        return value(node.left, given) + value(node.right, given)
    return node.left if node.kind == "number" else given[node.left]

def calculate(text, given):
    return value(parse(text), given)

class Columns:
    def __init__(self, *names):
        self.names = names

    @functools.lru_cache(maxsize=None)
    def place(self, name):
        return self.names.index(name)

    @functools.cache
    def places(self):
        return {name: place for place, name in enumerate(self.names)}

    def get(self, name, row):
        return row[self.place(name)] + row[self.places()[name]]
"""


def module(tmp_path: Path, text: str) -> Any:
    return twin(tmp_path, HEAD + textwrap.dedent(text))


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize(
    ("name", "static", "given"),
    [
        ("load", "Order", [{"id": 1, "name": "a", "price": 2.0}, {"id": 1}, {"id": "1", "name": "a", "price": 2.0}]),
        ("match", "'a+b'", ["aab", "b", "aaabab"]),
        ("plus", "12", [1, 2.5]),
        ("calculate", "'x 3 y'", [{"x": 1, "y": 2}, {"x": 1}]),
    ],
)
def test_what_is_kept_is_known(tmp_path: Path, name: str, static: str, given: list[Any], filled: bool) -> None:
    made = module(tmp_path, READ)
    function, known = getattr(made, name), eval(static, vars(made))
    if filled:
        shown(function, known, given[0])
    residual = futamura.specialize(function, known)
    assert not residual.stats["fallbacks"]
    assert not residual.stats["notes"].get("FT307")
    for cached in ("hints", "names", "pattern", "fib", "parse"):
        assert f"{cached}(" not in residual.source
    for one in given:
        assert shown(residual, one) == shown(function, known, one)


def test_methods_are_known(tmp_path: Path) -> None:
    columns = module(tmp_path, READ).Columns("a", "b", "c")
    residual = futamura.specialize(columns.get, "b")
    assert residual.source.split() == ["def", "get(row):", "return", "row[1]", "+", "row[1]"]
    assert shown(residual, (1, 2, 3)) == shown(columns.get, "b", (1, 2, 3))
    assert shown(residual, ()) == shown(columns.get, "b", ())
    residual = futamura.specialize(columns.get, "z")
    assert shown(residual, (1, 2, 3)) == shown(columns.get, "z", (1, 2, 3))
    residual = futamura.specialize(columns.get, row=(1, 2, 3))
    assert shown(residual, "c") == shown(columns.get, "c", (1, 2, 3))


@pytest.mark.parametrize("given", ["1", "True", "1.0", "(1,)", "('a', True)", "frozenset([2.0])"])
def test_equal_arguments_of_another_class_share_what_is_kept(tmp_path: Path, given: str) -> None:
    text = """
    @functools.lru_cache
    def kind(x):
        return repr(x)

    def use(x, y):
        return kind(x), y
    """
    for earlier in ("1", "True", "1.0", "(1.0,)", "(True,)", "('a', 1)", "frozenset([2])"):
        made, other = module(tmp_path, text), module(tmp_path, text)
        residual = futamura.specialize(made.use, eval(given))
        made.kind(eval(earlier))
        other.kind(eval(earlier))
        assert residual(0) == other.use(eval(given), 0)


def test_flags_beside_other_arguments_are_left_to_the_cache(tmp_path: Path) -> None:
    text = """
    @functools.lru_cache
    def kind(name, strict):
        return name + repr(strict)

    def use(name, strict, y):
        return kind(name, strict), y
    """
    made = module(tmp_path, text)
    residual = futamura.specialize(made.use, "a", True)
    made.kind("a", 1)
    assert residual(0) == made.use("a", True, 0) == ("a1", 0)


def test_what_is_handed_out_is_what_the_cache_holds(tmp_path: Path) -> None:
    text = """
    @functools.cache
    def table(name):
        return {name: [len(name)]}

    def use(name, y):
        found = table(name)
        return found, found[name], y
    """
    made = module(tmp_path, text)
    residual = futamura.specialize(made.use, "abc")
    first = residual(1)
    assert first[0] is made.table("abc") and first[1] is made.table("abc")["abc"]
    first[0]["abc"] = 5
    assert residual(1) == made.use("abc", 1) == ({"abc": 5}, 5, 1)


CHANGED = [
    "def change(): table('abc')['x'] = 7",
    "def change(): table('abc').update(x=7)",
    "def change():\n    found = table('abc')\n    found['x'] = 7",
    "def put(into): into['x'] = 7\ndef change(): put(table('abc'))",
    "def given(): return table('abc')\ndef change(): given()['x'] = 7",
    "def change(): setattr_like(table, 'x')\ndef setattr_like(f, k): f('abc')[k] = 7",
    "class Held:\n    def __init__(self): self.rows = table('abc')\ndef change(): Held().rows['x'] = 7",
    "def change(): table('abc')['abc'].append(7)",
    "def change():\n    for row in table('abc').values(): row.append(7)",
]


@pytest.mark.parametrize("change", CHANGED)
def test_what_the_module_changes_is_read_when_the_residual_runs(tmp_path: Path, change: str) -> None:
    text = """
    @functools.cache
    def table(name):
        return {name: [len(name)]}

    def use(name, y):
        return table(name).get("x"), len(table(name)), len(table(name)[name]), y
    """
    made, other = (module(tmp_path, textwrap.dedent(text) + change) for _ in range(2))
    residual = futamura.specialize(made.use, "abc")
    assert residual(1) == other.use("abc", 1)
    made.change()
    other.change()
    assert residual(1) == other.use("abc", 1)


def test_an_open_input_may_be_what_the_cache_holds(tmp_path: Path) -> None:
    text = """
    @functools.cache
    def table(name):
        return {name: len(name)}

    def use(name, rows):
        rows[name] = "other"
        return table(name)[name], rows
    """
    made = module(tmp_path, text)
    residual = futamura.specialize(made.use, "abc")
    assert residual({}) == (3, {"abc": "other"})
    assert residual(made.table("abc"))[0] == "other"
    residual = futamura.specialize(made.use, "abcd", futamura.Dyn(dict))
    assert residual({}) == (4, {"abcd": "other"})
    assert residual(made.table("abcd"))[0] == "other"


def test_what_was_kept_under_other_circumstances_counts(tmp_path: Path) -> None:
    text = """
    MODE = "a"

    @functools.cache
    def mode(name):
        return name + MODE

    def use(name, y):
        return mode(name), y
    """
    made = module(tmp_path, text)
    made.mode("x")
    made.MODE = "b"
    residual = futamura.specialize(made.use, "x")
    assert residual(1) == made.use("x", 1) == ("xa", 1)
    made.mode.cache_clear()
    assert residual(1) == made.use("x", 1) == ("xb", 1)


@pytest.mark.parametrize("size", ["None", "2", "0"])
def test_who_asks_what_the_cache_holds_sees_the_same(tmp_path: Path, size: str) -> None:
    text = f"""
    @functools.lru_cache(maxsize={size})
    def names(text):
        return tuple(text.split())

    def use(text, y):
        if y:
            return names(text), y
        return names("z"), names.cache_info().currsize
    """
    made, other = module(tmp_path, text), module(tmp_path, text)
    residual = futamura.specialize(made.use, "a b")
    for y in (0, 1, 0, 1):
        assert residual(y) == other.use("a b", y)
        assert made.names.cache_info().currsize == other.names.cache_info().currsize


def test_effects_happen_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
    SEEN = []

    @functools.cache
    def noted(name):
        SEEN.append(name)
        print("noted", name)
        return len(name)

    @functools.cache
    def failing(name):
        if name == "bad":
            raise ValueError(name)
        return name

    @functools.cache
    def counted(name, kept=[0]):
        kept[0] += 1
        return kept[0]

    def use(name, y):
        try:
            return noted(name), failing(name), y
        except ValueError as error:
            return str(error), counted(name), y
    """
    for name in ("abc", "bad"):
        made, other = module(tmp_path, text), module(tmp_path, text)
        residual = futamura.specialize(made.use, name)
        assert not capsys.readouterr().out
        for y in (1, 2):
            ours = residual(y), capsys.readouterr().out, list(made.SEEN)
            assert ours == (other.use(name, y), capsys.readouterr().out, list(other.SEEN))


def test_globals_that_change_are_read_when_they_are_needed(tmp_path: Path) -> None:
    text = """
    COUNT = 0

    def bump():
        global COUNT
        COUNT += 1

    @functools.cache
    def counted(name):
        return name, COUNT

    @functools.cache
    def bumped(name):
        global COUNT
        COUNT += 10
        return COUNT

    def use(name, y):
        return counted(name), bumped(name), y
    """
    made, other = module(tmp_path, text), module(tmp_path, text)
    residual = futamura.specialize(made.use, "abc")
    for one in (made, other):
        one.bump()
    assert residual(1) == other.use("abc", 1)
    for one in (made, other):
        one.bump()
    assert residual(1) == other.use("abc", 1)


def test_a_cached_function_in_a_loop_over_known_names(tmp_path: Path) -> None:
    text = """
    FIELDS = ("a", "bb", "ccc")

    @functools.lru_cache(maxsize=None)
    def width(name):
        return len(name)

    def use(prefix, row):
        return [row[width(name) + width(prefix)] for name in FIELDS]
    """
    made = module(tmp_path, text)
    residual = futamura.specialize(made.use, "")
    assert "width" not in residual.source
    assert residual(range(9)) == made.use("", range(9)) == [1, 2, 3]


def test_saved_residuals_ask_the_same_cache(tmp_path: Path) -> None:
    made = module(tmp_path, READ)
    residual = futamura.specialize(made.calculate, "x 3 y")
    residual.save(tmp_path / "saved.py")
    text = (tmp_path / "saved.py").read_text()
    space: dict[str, Any] = {}
    exec(compile(text, "saved", "exec"), space)
    assert space["calculate"]({"x": 1, "y": 2}) == 6


def routed(patterns: tuple[str, ...], name: str) -> list[str]:
    return [pattern for pattern in patterns if fnmatch.fnmatchcase(name, pattern)]


def test_a_function_of_the_library_that_keeps_patterns() -> None:
    residual = futamura.specialize(routed, ("a*", "b?"))
    assert "_compile_pattern" not in residual.source
    for name in ("abc", "bc", "b", ""):
        assert residual(name) == routed(("a*", "b?"), name)


def taken(keys: list[str], row: dict[str, int], *, plus: list[int]) -> list[int]:
    return [row[key] + plus[0] for key in keys]


def called(function: Any, row: Any) -> Any:
    return function(row), function(row=row)


def test_arguments_of_a_static_partial_are_static() -> None:
    partial = functools.partial(taken, ["a", "b"], plus=[5])
    residual = futamura.specialize(called, partial)
    assert "keys" not in residual.source and "for" not in residual.source
    assert residual({"a": 1, "b": 2}) == called(partial, {"a": 1, "b": 2}) == ([6, 7], [6, 7])


ATTRIBUTES = """
class Part:
    def __init__(self, width):
        self.width = width
        self.count = 0
        self.rows = [1, 2]

    @functools.cached_property
    def table(self):
        return [place * self.width for place in range(4)]

    @functools.cached_property
    def counted(self):
        self.count += 1
        return self.count

    @functools.cached_property
    def longer(self):
        self.rows.append(self.width)
        return len(self.rows)

    @functools.cached_property
    def itself(self):
        return self

    @functools.cached_property
    def given(self):
        return KEEP(self)

def KEEP(part):
    HELD.append(part)
    return part.width

HELD = []
PARTS = {"a": Part(16), "b": Part(8)}

def table(name, x):
    part = PARTS[name]
    return part.width, part.table[x & 3] if part.width > 8 else x

def counted(name, x):
    part = PARTS[name]
    return part.count, part.counted, part.count, x

def longer(name, x):
    part = PARTS[name]
    return len(part.rows), part.longer, part.rows[-1], x

def itself(name, x):
    part = PARTS[name]
    part.itself.width = x
    return part.width

def given(name, x):
    part = PARTS[name]
    return part.given, part.width, x
"""


@pytest.mark.parametrize("name", ["table", "counted", "longer", "itself", "given"])
def test_what_a_cached_property_of_a_global_object_does_is_seen(tmp_path: Path, name: str) -> None:
    made, other = module(tmp_path, ATTRIBUTES), module(tmp_path, ATTRIBUTES)
    residual, function = futamura.specialize(getattr(made, name), "a"), getattr(other, name)
    for x in (1, 2, 3):
        assert shown(residual, x) == shown(function, "a", x)
        if name == "given":
            made.HELD[0].width = other.HELD[0].width = x
    assert repr(vars(made.PARTS["a"])).count("0x") == repr(vars(other.PARTS["a"])).count("0x")


def test_other_attributes_of_an_object_with_a_cached_property_are_known(tmp_path: Path) -> None:
    text = """
    class Part:
        def __init__(self, width):
            self.width = width

        @functools.cached_property
        def table(self):
            return [place * self.width for place in range(4)]

    PARTS = {"a": Part(16), "b": Part(8)}

    def use(name, x):
        part = PARTS[name]
        return part.width, part.table[x & 3] if part.width > 8 else x
    """
    made = module(tmp_path, text)
    residual = futamura.specialize(made.use, "a")
    assert "width" not in residual.source
    for x in (1, 2, 7):
        assert residual(x) == made.use("a", x)


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_attributes_of_a_function_stay_known_where_it_is_called(tmp_path: Path) -> None:
    text = """
    class Option:
        def __init__(self, name, value):
            self.name, self.value = name, value

    def greet(a, b):
        return a + b

    greet.options = [Option("a", 1), Option("b", 2)]

    def use(callback, given):
        values = dict(given)
        for option in callback.options:
            if option.name not in values:
                values[option.name] = option.value
        return callback(**values)
    """
    loud = text.replace("return a + b", "greet.options[0].value = a\n        return a + b")
    for written in (text, loud):
        made, other = module(tmp_path, written), module(tmp_path, written)
        residual = futamura.specialize(made.use, made.greet)
        for given in ([], [("a", 5)], [("b", 7)], []):
            assert residual(given) == other.use(other.greet, given)
        if written is text:
            assert "option" not in residual.source


HANDED_ON = [
    "def load(cls, row):\n    h = hints(cls)\n    return cls(h['id'](row['id']), h['name'](row['name']))",
    "def load(cls, row):\n    return cls(**{name: kind(row[name]) for name, kind in hints(cls).items()})",
    "def made(kind, value): return kind(value)\n"
    "def load(cls, row):\n    given = {}\n"
    "    for name, kind in hints(cls).items(): given[name] = made(kind, row[name])\n"
    "    return cls(**given)",
]


@pytest.mark.parametrize("load", HANDED_ON)
def test_what_is_in_it_is_handed_on(tmp_path: Path, load: str) -> None:
    text = """
    @dataclasses.dataclass
    class Order:
        id: int
        name: str

    @functools.lru_cache(maxsize=None)
    def hints(cls):
        return typing.get_type_hints(cls)

    """
    made = module(tmp_path, textwrap.dedent(text) + load)
    residual = futamura.specialize(made.load, made.Order)
    assert not residual.stats["notes"].get("FT307")
    assert "hints(" not in residual.source
    for row in ({"id": "1", "name": 2}, {"id": "x", "name": 2}, {"id": 1}):
        assert shown(residual, row) == shown(made.load, made.Order, row)


CHANGING = [
    "def change(keep): keep(table('abc'))",
    "def change(keep): keep(table('abc')['abc'])",
    "def change(keep): keep(**table('abc'))",
]


@pytest.mark.parametrize("change", CHANGING)
def test_what_can_be_changed_and_is_handed_on_is_read(tmp_path: Path, change: str) -> None:
    text = """
    @functools.cache
    def table(name):
        return {name: [len(name)]}

    def use(name, y):
        return len(table(name)), len(table(name)[name]), y

    """

    def keep(*held: Any, **named: Any) -> None:
        for one in (*held, *named.values()):
            one["x"] = 7 if isinstance(one, dict) else one.append(7)  # type: ignore[func-returns-value]

    made, other = (module(tmp_path, textwrap.dedent(text) + change) for _ in range(2))
    residual = futamura.specialize(made.use, "abc")
    assert residual(1) == other.use("abc", 1)
    for one in (made, other):
        with contextlib.suppress(TypeError):
            one.change(keep)
    assert residual(1) == other.use("abc", 1)


PARTS = """
from functools import cached_property

class Plan:
    def __init__(self, line):
        self.line = line

    @cached_property
    def fields(self):
        hours, days = self.line.split()
        return {"hours": [int(h) for h in hours.split(",")], "days": set(days), "names": {d: d * 2 for d in days}}

    def add(self, hour):
        self.fields["hours"].append(hour)

def due(plan, hour, day):
    return hour in plan.fields["hours"], day not in plan.fields["days"], day in plan.fields["names"]

def named(plan, at, day):
    return plan.fields["hours"][at], plan.fields["names"][day]

def given(plan, hour, day):
    return plan.fields["hours"], hour in plan.fields["hours"]

def changed(plan, hour, day):
    before = hour in plan.fields["hours"]
    plan.add(hour)
    return before, hour in plan.fields["hours"], len(plan.fields["hours"])
"""


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("name", ["due", "named", "given", "changed"])
def test_parts_of_what_a_property_keeps(tmp_path: Path, name: str, filled: bool) -> None:
    made, other = (module(tmp_path, PARTS) for _ in range(2))
    mine, theirs = made.Plan("1,2 ab"), other.Plan("1,2 ab")
    if filled:
        assert mine.fields == theirs.fields
    residual = futamura.specialize(getattr(made, name), mine)
    for one in ((1, "a"), (0, "b"), (5, "z"), (-1, []), (1.0, "b"), ("1", None), (slice(1), "a")):
        assert shown(residual, *one) == shown(getattr(other, name), theirs, *one)
    assert mine.fields == theirs.fields
    if name == "given":
        assert residual(1, "a")[0] is mine.fields["hours"]


def test_parts_of_what_a_property_keeps_are_asked(tmp_path: Path) -> None:
    made = module(tmp_path, PARTS.replace('"days": set(days)', '"days": [*days]'))
    plan = made.Plan("1,2 ab")
    residual = futamura.specialize(made.due, plan)
    assert "'hours'" not in residual.source
    for one in ((1, "a"), (0, "b"), (5, "z"), (-1, []), (1.0, None)):
        assert shown(residual, *one) == shown(made.due, plan, *one)
