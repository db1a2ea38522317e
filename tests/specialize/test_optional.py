"""Objects that only some ways make, where others have None: each such place would double what follows.

    pre = (m["letter"], int(m["number"])) if m["letter"] else None       five of these lines are five statements
    post = ("post", int(m["post"])) if m["post"] else None               of the residual, not 32 ways

What the objects are used for afterwards is as in the original: they are tested, read, written, compared and shared.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from futamura import specialize
from tests.outcomes import outcome

NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")


def tuples(names: tuple[str, ...], m: Any) -> Any:
    out: list[Any] = []
    for name in names:
        x = m.get(name)
        if x:
            out.append((name, x))
        else:
            out.append(None)
    return out


def used_afterwards(names: tuple[str, ...], m: Any) -> Any:
    made = [[m[name], 1] if name in m else None for name in names]
    total = 0
    for pair in made:
        if pair is not None:
            pair[1] += 1
            total += pair[0] * pair[1]
    return total, made


def shared(names: tuple[str, ...], m: Any) -> Any:
    first = None
    out: list[Any] = []
    for name in names:
        made = {"name": name} if m.get(name) else None
        if first is None:
            first = made
        out.append(made)
    if first is not None:
        first["first"] = True
    return out, [made is first for made in out]


class Point:
    def __init__(self, x: Any, y: Any = None) -> None:
        self.x = x
        self.y = y

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.x!r}, {self.y!r})"


def objects(names: tuple[str, ...], m: Any) -> Any:
    parts = Point(None)
    for name in names:
        setattr(parts, "at_" + name, Point(name, [m[name]]) if name in m else None)
    return repr(sorted(vars(parts).items()))


@dataclasses.dataclass
class Item:
    name: str
    value: Any


class Pair(NamedTuple):
    name: str
    value: Any


def of_several_classes(names: tuple[str, ...], m: Any) -> Any:
    out: list[Any] = []
    for name in names:
        x = m.get(name)
        if x is None:
            out.append(None)
        elif x == 0:
            out.append(())
        elif x == 1:
            out.append(Item(name, x))
        elif x == 2:
            out.append(Pair(name, x))
        else:
            out.append([name] * 3)
    return out


def letters(letter: Any, number: Any) -> Any:
    if letter:
        if number is None:
            number = 0
        letter = letter.lower()
        if letter == "alpha":
            letter = "a"
        elif letter == "beta":
            letter = "b"
        return letter, int(number)
    if number:
        return "post", int(number)
    return None


def through_a_function(names: tuple[str, ...], m: Any) -> Any:
    made = Point(0)
    for name in names:
        setattr(made, name, letters(m.get(name), m.get(name + "n")))
    return vars(made)


def in_a_loop(names: tuple[str, ...], rows: Any) -> Any:
    out: list[Any] = []
    for row in rows:
        kept: list[Any] = []
        for name in names:
            kept.append((name, row[name]) if name in row else None)
        out.append([pair[1] for pair in kept if pair is not None])
    return out


def with_an_error(names: tuple[str, ...], m: Any) -> Any:
    made: list[Any] = []
    for name in names:
        try:
            made.append([name, int(m[name])])
        except KeyError:
            made.append(None)
        except ValueError as error:
            made.append({"error": str(error)})
    return made


class Head:
    """A header whose optional parts are read again by its methods."""

    def __init__(self, m: Any) -> None:
        self.size = (m["w"], m["h"]) if "w" in m else None
        self.title = {"text": m["title"]} if "title" in m else None
        self.tags = list(m["tags"]) if "tags" in m else None
        self.parent = Item("parent", m["parent"]) if "parent" in m else None
        self.key = [*m["key"]] if "key" in m else None

    def lines(self) -> list[str]:
        out: list[str] = []
        if self.size is not None:
            out.append(f"{self.size[0]}x{self.size[1]}")
        if self.title is not None:
            out.append(self.title["text"])
        if self.tags is not None:
            self.tags.append("end")
            out.extend(self.tags)
        if self.parent is not None:
            out.append(self.parent.name + str(self.parent.value))
        if self.key:
            out.append(self.key[-1])
        return out


def headed(m: Any) -> Any:
    return Head(m).lines()


PATTERN = re.compile(
    r"(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)(?P<pl>[abc])?(?P<pn>\d+)?"
    r"(?:post(?P<post>\d+))?(?:dev(?P<dev>\d+))?(?:\+(?P<local>\w+))?"
)


class Version:
    def __init__(self, text: str) -> None:
        m = PATTERN.match(text)
        if m is None:
            raise ValueError(text)
        self.epoch = int(m["epoch"]) if m["epoch"] else 0
        self.release = tuple(int(part) for part in m["release"].split("."))
        self.pre = (m["pl"], int(m["pn"])) if m["pl"] else None
        self.post = ("post", int(m["post"])) if m["post"] else None
        self.dev = ("dev", int(m["dev"])) if m["dev"] else None
        self.local = m["local"]


def version(text: Any) -> Any:
    return vars(Version(text))


def present(names: tuple[str, ...], m: Any) -> Any:
    found = {}
    for name in names:
        if name in m:
            found[name] = m[name]
    return found


def flags(names: tuple[str, ...], m: Any) -> Any:
    found: list[str] = []
    kept: set[str] = set()
    for name in names:
        if m.get(name):
            found.append(name)
        elif name in m:
            kept.add(name)
    return " ".join(found) or "none", len(found), sorted(kept), kept or found


class Settings:
    a: Any = "none"
    b: Any = 0
    c: Any = None


def set_attributes(names: tuple[str, ...], m: Any) -> Any:
    made = Settings()
    for name in names:
        if name in m:
            setattr(made, name, [m[name]])
    return [getattr(made, name, "?") for name in names], sorted(vars(made))


def unbound_before_a_loop(names: tuple[str, ...], w: Any, c: Any, d: Any, b: Any) -> Any:
    """What is invariant in the loop is computed before it, but its handler is of the loop."""
    kept = [c]
    if b is None:
        pass
    while w.pop():
        made = [c, 1] if d is None else None
        try:  # noqa: SIM105
            made.z = kept  # type: ignore[union-attr]
        except Exception:
            pass
    if b is None:
        w.append(names[0])
    return made, w


def test_unbound_before_a_loop() -> None:
    residual = specialize(unbound_before_a_loop, NAMES)
    assert not residual.stats["fallbacks"], residual.events
    for w, d, b in itertools.product(([0], [0, 1], [0, 1, 1], [], None), (None, 5), (None, 6)):
        ours, theirs = ([*w], [*w]) if w is not None else (None, None)
        assert outcome(residual, ours, 1, d, b) == outcome(unbound_before_a_loop, NAMES, theirs, 1, d, b)


def told(names: tuple[str, ...], m: Any) -> Any:
    errors: list[str] = []
    for name in names:
        x = m.get(name)
        if not isinstance(x, int):
            errors.append(f"{name}: no number")
        elif x < 2:
            errors.append(f"{name}: too small")
    return errors


def values(count: int) -> list[dict[str, Any]]:
    """Rows in which each of the first names is there or not, with several values."""
    found: list[dict[str, Any]] = []
    for chosen in itertools.product((None, 0, 1, 2, 3), repeat=count):
        found.append({name: x for name, x in zip(NAMES, chosen, strict=False) if x is not None})
    return [*found, dict.fromkeys(NAMES, 3)]


TEXTS = [
    {},
    {"a": "alpha"},
    {"a": "beta", "an": "2", "c": "rc"},
    {"an": "3", "b": "B", "bn": None},
    {"b": 5},
    {"an": "x"},
]

GROWING: list[Callable[..., Any]] = [tuples, used_afterwards, shared, objects, of_several_classes, with_an_error]
GROWING += [present, flags, set_attributes, told]


@pytest.mark.parametrize("function", GROWING)
def test_like_the_original(function: Callable[..., Any]) -> None:
    residual = specialize(function, NAMES[:6])
    assert not residual.stats["fallbacks"], residual.events
    for row in [*values(4), {"a": "7", "b": "x"}, {"c": None}, None, {"f": [1]}]:
        assert outcome(residual, row) == outcome(function, NAMES[:6], row), row


@pytest.mark.parametrize("function", [*GROWING, through_a_function, in_a_loop])
def test_code_grows_with_the_names(function: Callable[..., Any]) -> None:
    few, more = (len(specialize(function, NAMES[:count]).source.splitlines()) for count in (4, 8))
    assert more <= 2.5 * few, "each name adds as much as the others"


def test_two_ways_to_fail_are_no_ways_of_what_follows() -> None:
    texts = {count: specialize(told, NAMES[:count]).source for count in (2, 3)}
    assert [text.count(".get(") for text in texts.values()] == [2, 3], texts


def test_through_a_function() -> None:
    residual = specialize(through_a_function, NAMES[:4])
    assert not residual.stats["fallbacks"], residual.events
    for row in [*TEXTS, *values(3)]:
        assert outcome(residual, row) == outcome(through_a_function, NAMES[:4], row), row


def test_in_a_loop() -> None:
    residual = specialize(in_a_loop, NAMES[:4])
    rows = values(3)
    assert outcome(residual, rows) == outcome(in_a_loop, NAMES[:4], rows)
    assert outcome(residual, [{}, 5]) == outcome(in_a_loop, NAMES[:4], [{}, 5])


def test_parts_of_an_object() -> None:
    residual = specialize(headed)
    assert not residual.stats["fallbacks"], residual.events
    parts: dict[str, Any] = {"w": 3, "h": 4, "title": "t", "tags": "xy", "parent": 5, "key": "k"}
    for chosen in itertools.product((True, False), repeat=len(parts)):
        row = {name: value for (name, value), kept in zip(parts.items(), chosen, strict=True) if kept}
        assert outcome(residual, row) == outcome(headed, row), row


def test_a_version_number() -> None:
    residual = specialize(version)
    assert not residual.stats["fallbacks"], residual.events
    assert residual.source.count("int(") <= 6, "each part is read once"
    for epoch, pre, *rest in itertools.product(("", "1!"), ("", "a1", "b"), ("", "post2"), ("", "dev3"), ("", "+x")):
        text = f"{epoch}1.2{pre}{''.join(rest)}"
        assert outcome(residual, text) == outcome(version, text), text
    assert outcome(residual, "x") == outcome(version, "x")


def taken_out(names: tuple[str, ...], rows: Any) -> Any:
    out = []
    for row in rows:
        made: list[Any] = []
        for name in names:
            pair = None
            if name in row:
                pair = {name: row[name]}.popitem()
            made.append(pair)
        out.append(made)
    return out


def test_objects_that_an_operation_makes_beside_its_result() -> None:
    residual = specialize(taken_out, NAMES)
    assert not residual.stats["fallbacks"], residual.events
    rows = [dict.fromkeys(chosen, 1) for count in range(4) for chosen in itertools.combinations(NAMES, count)]
    assert outcome(residual, rows) == outcome(taken_out, NAMES, rows)
    assert outcome(residual, [{}, 5]) == outcome(taken_out, NAMES, [{}, 5])
