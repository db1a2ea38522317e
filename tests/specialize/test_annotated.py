"""Attributes that are promised to hold what their annotations say.

    kind_of(Box(items=[1, 2]))     Box.items: list[int]    ->    isinstance(box.items, list) is decided

Invariant: of a class that is neither builtin, nor an enumeration, nor named, nothing is promised: an attribute may hold
an instance of a class below.
"""

from __future__ import annotations

import enum
import pickle
import typing
from dataclasses import dataclass, field

import pytest

import futamura
from futamura import Dyn

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Mood(enum.Enum):
    GOOD = "good"
    BAD = "bad"


class Base:
    def name(self):
        return "base"


class Below(Base):
    def name(self):
        return "below"


@dataclass
class Part:
    label: str
    weight: float = 1.0


@dataclass
class Box:
    count: int
    parts: list[Part]
    sizes: typing.Tuple[int, float]  # noqa: UP006
    prices: dict[str, int]
    words: "list[str]" = field(default_factory=list)  # noqa: UP037
    note: typing.Optional[str] = None  # noqa: UP045
    mood: Mood = Mood.GOOD
    owner: Base = field(default_factory=Base)
    anything: typing.Any = None
    level: typing.Literal["low", "high"] = "low"
    many: tuple[int, ...] = ()
    text: typing.Union[int, str, None] = None  # noqa: UP007
    shared: typing.ClassVar[int] = 3


def box(**values):
    given = {"count": 2, "parts": [Part("a"), Part("b", 2.5)], "sizes": (1, 2.0), "prices": {"x": 1, "y": 2}}
    return Box(**{**given, **values})


PROMISED = futamura.Specializer(annotated=[Box, Part])
ANY = [
    box(),
    box(note="n", words=["u", "v"], owner=Below(), anything=True, text=3),
    box(mood=Mood.BAD, text="t", parts=[]),
]


def flat(value):
    return value.value if isinstance(value, enum.Enum) else str(value) if isinstance(value, int) else value


def plain(value):
    """Data as a serializer makes it, by the class of each value."""
    if isinstance(value, (list, tuple)):
        return [flat(item) if not isinstance(item, Part) else (item.label, flat(item.weight)) for item in value]
    if isinstance(value, dict):
        return {flat(key): flat(item) for key, item in value.items()}
    return flat(value)


def fields_of(names, value):
    return [plain(getattr(value, name)) for name in names.split()]


def test_what_an_annotation_says_decides_and_is_right() -> None:
    names = "count parts words note mood level text prices many"
    promised, without = PROMISED(fields_of, names, Dyn(Box)), futamura.specialize(fields_of, names, Dyn(Box))
    assert promised.source.count("isinstance") == 1  # of `text`, which may be of three classes
    assert "Enum" in without.source
    for value in ANY:
        assert promised(value) == without(value) == fields_of(names, value)
    assert promised.stats["left"] < without.stats["left"]


def test_copies_of_lists_and_dicts_are_displays() -> None:
    def copied(value):
        return [word for word in value.words], {key: item for key, item in value.prices.items()}  # noqa: C416

    promised, without = PROMISED(copied, Dyn(Box)), futamura.specialize(copied, Dyn(Box))
    assert "[*value.words], {**value.prices}" in promised.source
    assert "**" not in without.source
    for value in ANY:
        (words, prices), given = promised(value), (value.words, value.prices)
        assert (words, prices) == given and words is not given[0] and prices is not given[1]
        assert list(prices) == list(given[1])


def test_a_dict_is_copied_by_its_items_where_its_keys_may_be_objects() -> None:
    class Key:
        made = 0

        def __hash__(self):
            Key.made += 1
            return 1

    @dataclass
    class Table:
        rows: dict

    Table.__annotations__ = {"rows": dict[Key, int]}

    def copied(value):
        return {key: item for key, item in value.rows.items()}  # noqa: C416

    residual = futamura.Specializer(annotated=[Table])(copied, Dyn(Table))
    assert "**" not in residual.source
    table = Table({Key(): 1})
    before = Key.made
    residual(table)
    assert Key.made == before + 1


def test_a_dict_with_other_things_in_its_loop_is_no_copy() -> None:
    def twice(value):
        made = {}
        for key, item in value.prices.items():
            made[key] = item
            made[key + key] = item
        return made

    def turned(value):
        return {item: key for key, item in value.prices.items()}

    def filled(value):
        made = {"first": 0}
        for key, item in value.prices.items():
            made[key] = item
        return made

    for function in (twice, turned, filled):
        residual = PROMISED(function, Dyn(Box))
        for value in ANY:
            assert residual(value) == function(value) and list(residual(value)) == list(function(value))


def test_a_tuple_of_known_length_is_unrolled() -> None:
    def total(value):
        found = 0.0
        for size in value.sizes:
            found += size if isinstance(size, float) else 10 * size
        return found

    residual = PROMISED(total, Dyn(Box))
    assert "for " not in residual.source and "isinstance" not in residual.source
    assert residual(box()) == total(box()) == 12.0


def test_a_class_that_is_not_named_may_be_one_below() -> None:
    def named(value):
        return value.owner.name(), type(value.owner) is Base

    residual = PROMISED(named, Dyn(Box))
    assert [residual(value) for value in ANY] == [named(value) for value in ANY]
    assert residual(ANY[1]) == ("below", False)


def test_lists_that_the_program_changes_keep_the_class_of_what_is_in_them() -> None:
    def added(value, extra):
        out = []
        for part in value.parts:
            if len(value.parts) < 4:
                value.parts.append(Part(extra))
            out.append(plain(part))
        value.words.append("w")
        return out, plain(value.words), len(value.parts)

    residual = PROMISED(added, Dyn(Box))
    for make in (box, lambda: box(parts=[]), lambda: box(words=["k"])):
        one, other = make(), make()
        assert residual(one, "e") == added(other, "e") and (one.parts, one.words) == (other.parts, other.words)


def test_a_dict_may_change_while_it_is_read() -> None:
    def growing(value, key):
        found = []
        try:
            for name in value.prices:
                found.append(name.upper())
                value.prices[key] = 0
        except RuntimeError as error:
            found.append(str(error))
        return found, value.prices[key] + 1

    residual = PROMISED(growing, Dyn(Box))
    for key in ("x", "new"):
        assert residual(box(), key) == growing(box(), key)


def test_views_and_gets() -> None:
    def asked(value, key):
        names = [name.upper() for name in value.prices.keys()]  # noqa: SIM118
        numbers = [number + 1 if isinstance(number, int) else None for number in value.prices.values()]
        return names, numbers, value.prices.get(key), sorted(value.prices)

    residual = PROMISED(asked, Dyn(Box))
    assert "isinstance" not in residual.source
    for key in ("x", "z"):
        assert residual(box(), key) == asked(box(), key)


def test_slots_and_bases() -> None:
    class Above:
        __slots__ = ("x",)
        x: int

    class Point(Above):
        __slots__ = ("y",)
        y: "list[int]"  # noqa: UP037

        def __init__(self, x, y):
            self.x, self.y = x, y

    Above.__annotations__, Point.__annotations__ = {"x": int}, {"y": list[int]}

    def read(point):
        return isinstance(point.x, int), [item + 1 if isinstance(item, int) else 0 for item in point.y]

    residual = futamura.Specializer(annotated=[Point])(read, Dyn(Point))
    assert "isinstance" not in residual.source and residual(Point(1, [2])) == (True, [3])


def test_an_object_of_a_class_below_is_not_promised() -> None:
    class More(Part):
        pass

    more = More("m")
    more.weight = "heavy"  # type: ignore[assignment]

    def weighed(part):
        return part.weight * 2 if isinstance(part.weight, float) else None

    residual = PROMISED(weighed, Dyn(Part))
    assert residual(more) is None and residual(Part("p")) == 2.0


def test_the_promise_is_told_and_travels() -> None:
    sentence = "attributes of `Box` hold what their annotations say"
    names = "count words"
    used, unused = PROMISED(fields_of, names, Dyn(Box)), PROMISED(fields_of, names)
    assert sentence in used.explain() and f"# promised, never tested: {sentence}\n" in used.module_text()
    assert sentence not in unused.explain()
    assert pickle.loads(pickle.dumps(used)).source == used.source


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (3, "an instance of int is no class with annotations"),
        (Base, "'Base' has no annotations"),
        ("nowhere.Box", "names nothing in a module that was imported"),
    ],
)
def test_what_cannot_be_promised_is_an_error(given, text) -> None:
    with pytest.raises(ValueError, match=text):
        futamura.Specializer(annotated=[given])


def test_annotations_that_name_nothing_are_an_error() -> None:
    class Lost:
        x: "Nowhere"  # type: ignore[name-defined]  # noqa: F821, UP037

    with pytest.raises(ValueError, match=r"annotations of .*Lost' cannot be evaluated: name 'Nowhere' is not defined"):
        futamura.Specializer(annotated=[Lost])


class Answering:
    word: str

    def __init__(self):
        self.hits = 0

    def __getattr__(self, name):
        self.hits += 1
        if self.hits == 1:
            raise KeyError(name)
        return "answer"


class Unset:
    k: int

    def __init__(self, k=None):
        if k is not None:
            self.k = k


def test_attributes_that_are_not_there() -> None:
    def asked(thing, name):
        before = getattr(thing, "hits", 0)
        try:
            found = thing.word if name == "word" else thing.k
        except (KeyError, AttributeError) as error:
            found = type(error)
        return before, found, getattr(thing, "hits", 0)

    def gone(thing):
        del thing.k
        try:
            return thing.k
        except AttributeError:
            return "gone"

    promised = futamura.Specializer(annotated=[Answering, Unset])
    for _ in range(2):
        assert promised(asked, Dyn(Answering), "word")(Answering()) == asked(Answering(), "word")
        assert promised(asked, Dyn(Unset), "k")(Unset()) == asked(Unset(), "k")
        assert promised(asked, Dyn(Unset), "k")(Unset(3)) == asked(Unset(3), "k")
        assert promised(gone, Dyn(Unset))(Unset(3)) == "gone"
