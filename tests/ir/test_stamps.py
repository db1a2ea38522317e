"""Stamps of classes, functions, modules, variables, objects and lists: they differ as soon as anything has changed.

stamp = stamp_of([class_mark(Derived)]); Base.name = 1    stamp.now != stamp.was
"""

from __future__ import annotations

import contextlib
import random
import sys
import threading
import types
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from futamura.ir import stamps
from futamura.ir.stamps import (
    Mark,
    Stamp,
    cell_mark,
    class_mark,
    flag_mark,
    function_mark,
    list_mark,
    namespace_mark,
    object_mark,
    restamping,
    stamp_of,
)
from futamura.specializer.parting import HandedOver


class Meta(type):
    """Asked for nothing."""

    def __getattribute__(cls, name: str) -> Any:
        raise SystemExit(name)

    def __getattr__(cls, name: str) -> Any:
        raise SystemExit(name)


def family() -> tuple[Any, Any]:
    base: Any = type("Base", (), {"name": 1})
    return base, type("Derived", (base,), {})


def stamp(*marks: Mark | None) -> Stamp:
    assert all(mark is not None for mark in marks)
    made = stamp_of([mark for mark in marks if mark is not None])
    assert made is not None and made.now == made.was
    return made


CHANGES: list[Callable[[Any, Any], object]] = [
    lambda base, derived: setattr(base, "name", 2),
    lambda base, derived: setattr(base, "name", base.name),
    lambda base, derived: setattr(base, "other", 2),
    lambda base, derived: setattr(derived, "name", 2),
    lambda base, derived: delattr(base, "name"),
    lambda base, derived: setattr(derived, "__bases__", (type("Other", (), {}),)),
    lambda base, derived: setattr(base, "__getattr__", lambda self, name: name),
    lambda base, derived: setattr(derived, "__doc__", "text"),
    lambda base, derived: type.__setattr__(base, "name", 3),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_class_changes(change: Callable[[Any, Any], object]) -> None:
    base, derived = family()
    made = stamp(class_mark(derived), class_mark(int))
    _ = derived.name, derived().name, isinstance(derived(), base), str(derived), vars(derived)
    assert made.now == made.was
    change(base, derived)
    assert made.now != made.was
    derived.name if hasattr(derived, "name") else None  # it is numbered anew
    assert made.now != made.was
    other = stamp(class_mark(derived), class_mark(int))
    assert other.was != made.was


def test_the_first_subclass_is_seen() -> None:
    for derive in (
        lambda cls: type("Sub", (cls,), {}),
        lambda cls: setattr(type("Sub", (type("Other", (), {}),), {}), "__bases__", (cls,)),
    ):
        cls: Any = type("cls", (type("Base", (), {}),), {})
        made, plain = stamp(class_mark(cls, childless=True)), stamp(class_mark(cls))
        cls(), isinstance(1, cls), cls.__subclasses__(), type("Sister", cls.__bases__, {})
        assert made.now == made.was
        kept = derive(cls)
        assert made.now != made.was and plain.now == plain.was and cls.__subclasses__()
        assert class_mark(cls, childless=True) is None and class_mark(cls) is not None, kept


def test_a_class_with_subclasses_is_stamped_no_more() -> None:
    base, derived = family()
    made = stamp(class_mark(derived, childless=True))
    still = restamping(made, lambda holders: lambda: True)
    kept = [type("Sub", (derived,), {})]
    assert made.now != made.was and still() and made.now != made.was and kept
    base.name = 2
    assert made.now != made.was and still() and made.now != made.was


def test_a_flag_is_set_and_taken_back() -> None:
    flag = HandedOver()
    made = stamp(flag_mark(flag), flag_mark(HandedOver()))
    for value in (True, 2, 1, True):
        flag.now = value
        assert made.now != made.was
        flag.now = False
        assert made.now == made.was


def test_a_flag_that_is_set_has_no_stamp() -> None:
    flag = HandedOver()
    flag.now = True
    mark = flag_mark(flag)
    assert mark is not None
    made = stamp_of([mark])
    assert made is not None
    still = restamping(made, lambda holders: lambda: True)
    assert made.now != made.was and still() and made.now != made.was
    flag.now = False
    assert made.now != made.was and still() and made.now == made.was
    flag.doubt()
    assert made.now != made.was


def test_no_code_of_a_metaclass_runs() -> None:
    cls = Meta("cls", (), {})
    made = stamp(class_mark(cls))
    still = restamping(made, lambda holders: lambda: True)
    type.__setattr__(cls, "name", 1)
    assert made.now != made.was and still() and made.now == made.was


def test_a_function_changes() -> None:
    def function(a: int, b: int = 2, *, c: int = 3) -> int:
        return a + b + c

    def other() -> None: ...

    changes: dict[str, object] = {
        "__code__": (lambda a, b=2, *, c=3: a).__code__, "__defaults__": (5,), "__kwdefaults__": None,
    }  # fmt: skip
    for name, value in changes.items():
        made = stamp(function_mark(other), function_mark(function))
        function(1), repr(function), function.__name__
        function.__doc__ = "text"
        function.extra = 1  # type: ignore[attr-defined]
        assert made.now == made.was
        setattr(function, name, value)
        assert made.now != made.was


STORES = """
def store(n):
    global one
    one = n

def delete():
    global one
    del one

def read():
    return one

one = 0
"""


def module() -> Any:
    made = types.ModuleType("made")
    exec(compile(STORES, "<made>", "exec"), vars(made))
    return made


STORING: list[Callable[[Any], object]] = [
    lambda made: made.store(object()),
    lambda made: made.delete(),
    lambda made: setattr(made, "one", object()),
    lambda made: delattr(made, "one"),
    lambda made: vars(made).update(one=object()),
    lambda made: vars(made).pop("one"),
    lambda made: vars(made).setdefault("new", 1),
    lambda made: vars(made).__ior__({"one": object()}),
    lambda made: vars(made).clear(),
    lambda made: vars(made).popitem(),
    lambda made: [vars(made).__setitem__(f"n{at}", at) for at in range(100)],
    lambda made: exec("one = object()", vars(made)),
]


@pytest.mark.parametrize("warm", [0, 100])
@pytest.mark.parametrize("change", STORING)
def test_a_module_changes(change: Callable[[Any], object], warm: int) -> None:
    for _ in range(warm):  # the interpreter has other instructions for what is done often
        change(module())
    made = module()
    numbered = stamp(namespace_mark(vars(made)))
    made.read(), dir(made), vars(made).get("one"), vars(made).copy(), [*vars(made).items()]
    assert numbered.now == numbered.was
    change(made)
    assert numbered.now != numbered.was


REGISTERING: list[Callable[[dict[type, object]], object]] = [
    lambda registry: registry.__setitem__(int, print),
    lambda registry: registry.__setitem__(float, len),
    lambda registry: registry.update({int: print}),
    lambda registry: registry.setdefault(str, len),
    lambda registry: registry.pop(int),
    lambda registry: registry.popitem(),
    lambda registry: registry.clear(),
]


@pytest.mark.parametrize("warm", [0, 100])
@pytest.mark.parametrize("change", REGISTERING)
def test_a_registry_changes(change: Callable[[dict[type, object]], object], warm: int) -> None:
    for _ in range(warm):
        change({int: len})
    registry: dict[type, object] = {int: len}
    numbered = stamp(namespace_mark(registry))  # type: ignore[arg-type]
    registry.get(int), [*registry.values()], len(registry)
    assert numbered.now == numbered.was
    change(registry)
    assert numbered.now != numbered.was


def test_only_plain_dicts_have_marks() -> None:
    class Loud(dict[str, Any]):
        pass

    assert namespace_mark(Loud()) is None


def test_a_variable_changes() -> None:
    count = 0

    def bump() -> int:
        nonlocal count
        count += 1000
        return count

    assert bump.__closure__ is not None
    (cell,) = bump.__closure__
    made = stamp(cell_mark(cell))
    _ = cell.cell_contents, count
    assert made.now == made.was
    bump()
    assert made.now != made.was
    empty = types.CellType()
    made = stamp(cell_mark(empty))
    empty.cell_contents = 1
    assert made.now != made.was


def everything() -> tuple[Stamp, list[Callable[[], object]]]:
    """A stamp of several objects, and what changes one of them each."""
    base, derived = family()
    made, cell = module(), types.CellType(0)

    def function(a: int = 1) -> int:
        return a

    changes: list[Callable[[], object]] = [
        lambda: setattr(base, "other", object()),
        lambda: setattr(function, "__defaults__", (object(),)),
        lambda: setattr(made, "other", object()),
        lambda: setattr(cell, "cell_contents", object()),
    ]
    return (
        stamp(class_mark(derived), function_mark(function), namespace_mark(vars(made)), cell_mark(cell)), changes,
    )  # fmt: skip


def test_what_holds_is_stamped_anew() -> None:
    made, changes = everything()
    asked: list[int] = []
    holding = [True]

    def asking(holders: Sequence[object]) -> Callable[[], bool]:
        def holds() -> bool:
            asked.append(len(holders))
            return holding[0]

        return holds

    still = restamping(made, asking)
    assert asked == [4] and made.now == made.was
    for change in changes:
        asked.clear()
        change()
        assert made.now != made.was and still() and made.now == made.was and asked == [4]
        change()
        holding[0] = False
        assert not still() and made.now != made.was and not still()
        holding[0] = True
        assert still() and made.now == made.was


@pytest.mark.parametrize("restless", range(4))
def test_what_changes_again_and_again_is_tested_alone(restless: int) -> None:
    made, changes = everything()
    asked: list[int] = []
    broken: set[int] = set()
    kept = [mark.holder for mark in made.marks]

    def asking(holders: Sequence[object]) -> Callable[[], bool]:
        places = [next(at for at, one in enumerate(kept) if one is holder) for holder in holders]

        def holds() -> bool:
            asked.append(len(places))
            return broken.isdisjoint(places)

        return holds

    still = restamping(made, asking)
    for _ in range(200):
        changes[restless]()
        assert made.now != made.was
        assert still()
    asked.clear()
    assert made.now != made.was and still() and asked == [1]
    broken.add(restless)
    assert not still()
    broken.clear()
    other = (restless + 1) % 4
    changes[other]()
    asked.clear()
    assert still() and sorted(asked) == [1, 3]
    asked.clear()
    assert still() and asked == [1]
    broken.add(other)
    assert still()  # it has not changed since it was asked
    changes[other]()
    assert not still() and not still()


def test_where_all_are_restless() -> None:
    base, derived = family()
    made = stamp(class_mark(derived))
    holding = [True]
    still = restamping(made, lambda holders: lambda: holding[0])
    for number in range(100):
        base.name = number
        assert made.now != made.was and still()
    holding[0] = False
    assert made.now != made.was and not still()
    holding[0] = True
    assert made.now != made.was and still()


def test_what_does_not_hold_at_once_has_no_stamp() -> None:
    def raises() -> bool:
        raise AttributeError("it is gone")

    for holds in (lambda: False, raises):
        made, _ = everything()
        restamping(made, lambda holders, holds=holds: holds)  # type: ignore[misc]
        assert made.now != made.was


def test_a_class_without_a_number_is_always_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    base, derived = family()
    made = stamp(class_mark(derived))
    asked: list[int] = []
    still = restamping(made, lambda holders: lambda: asked.append(1) is None)
    monkeypatch.setattr(stamps, "look_up", lambda cls: None)
    base.name = 5
    for times in range(2, 50):
        assert made.now != made.was and still() and len(asked) == times


def test_a_class_without_a_number_is_tested_alone_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPython 3.13 numbers a class no more that has changed a thousand times."""
    made, changes = everything()
    asked: list[int] = []
    holding = [True]

    def asking(holders: Sequence[object]) -> Callable[[], bool]:
        return lambda: asked.append(len(holders)) is None and holding[0]

    still = restamping(made, asking)
    monkeypatch.setattr(stamps, "look_up", lambda cls: None)
    changes[0]()
    for _ in range(50):
        assert made.now != made.was and still()
    asked.clear()
    assert still() and asked == [1]
    changes[1]()
    asked.clear()
    assert still() and sorted(asked) == [1, 3]
    holding[0] = False
    assert not still()


def test_threads_that_change_a_class_are_seen() -> None:
    base, derived = family()
    made = stamp(class_mark(derived))
    still = restamping(made, lambda holders: lambda: vars(base)["name"] == 1)
    done = threading.Event()

    def change() -> None:
        for number in range(20_000):
            base.name = number % 2
        done.set()

    thread = threading.Thread(target=change)
    thread.start()
    while not done.is_set():
        if made.now == made.was or still():
            pass
    thread.join()
    base.name = 0
    assert made.now != made.was and not still()


class Plain:
    def __init__(self) -> None:
        self.one: Any = 1
        self.two: Any = [2]


class Slotted:
    __slots__ = ("one", "two")

    def __init__(self) -> None:
        self.one: Any = 1
        self.two: Any = [2]


class Both(Slotted):
    """Its objects have a dict as well."""


class Weak(Plain):
    __slots__ = ("three",)


def marked(value: Any) -> Mark | None:
    """The mark for its two attributes."""
    return object_mark(value, [value.one, value.two])


def store(value: Any, name: str, held: Any) -> None:
    setattr(value, name, held)


def stored(value: Any, held: Any) -> None:
    value.one = held


def shown(value: Any) -> None:
    vars(value)["two"] = object()


OF_OBJECTS: list[Callable[[Any], object]] = [
    lambda value: store(value, "one", object()),
    lambda value: store(value, "two", value.one if value.two is not value.one else object()),
    lambda value: stored(value, object()),
    lambda value: delattr(value, "one"),
    lambda value: object.__setattr__(value, "one", object()),
]
OF_DICTS: list[Callable[[Any], object]] = [
    shown,
    lambda value: store(value, "added", 1),
    lambda value: vars(value).update(one=object()),
    lambda value: vars(value).clear(),
    lambda value: vars(value).pop(next(iter(vars(value)))),
    lambda value: store(value, "__dict__", {}),
    lambda value: store(value, "__dict__", dict(vars(value))),
    lambda value: vars(value).update({f"name{at}": at for at in range(40)}),
]


@pytest.mark.parametrize("warm", [0, 200])
@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("cls", [Plain, Slotted, Both, Weak])
def test_an_object_changes(cls: Any, asked: bool, warm: int) -> None:
    for change in [*OF_OBJECTS, *(OF_DICTS if cls is not Slotted else [])]:
        value = cls()
        if cls is Both:
            value.extra = 1
        if asked and cls is not Slotted:
            vars(value)
        for at in range(warm):
            stored(value, at)
        made = stamp(marked(value))
        assert (value.one, value.two) and made.now == made.was
        change(value)
        assert made.now != made.was, (cls, change)


def attributes(value: Any) -> dict[str, int]:
    """The identity of each, and of the dict of those that are in one."""
    names = ["one", "two", *getattr(value, "__dict__", ())]
    return {name: id(getattr(value, name)) for name in names if hasattr(value, name)}


def test_any_change_of_an_object_is_seen() -> None:
    """One after the other, and the stamp taken anew as long as there is one."""
    dice = random.Random(7)
    seen = 0
    for cls in (Plain, Slotted, Both, Weak):
        for _ in range(60):
            value = cls()
            still = restamping(stamp(marked(value)), lambda holders: lambda: True)
            changes = [*OF_OBJECTS[:3], OF_OBJECTS[4], *(OF_DICTS if cls is not Slotted else [])]
            for _ in range(20):
                mark = object_mark(value, [getattr(value, name, None) for name in ("one", "two")])
                made = None if mark is None else stamp_of([mark])
                before = attributes(value)
                with contextlib.suppress(AttributeError, StopIteration):
                    dice.choice(changes)(value)
                seen += made is not None
                assert made is None or made.now != made.was or before == attributes(value)
                assert still()
    assert seen > 3000


@pytest.mark.parametrize("cls", [Plain, Slotted])
def test_an_object_gets_another_class(cls: Any) -> None:
    value = cls()
    made = stamp(marked(value))
    value.__class__ = type("Other", (cls,), {"__slots__": ()})
    assert made.now != made.was


def test_one_attribute_more_and_another_one_less() -> None:
    value = Plain()
    value.one = value.two = None
    made = stamp(object_mark(value, None))
    value.three = None  # type: ignore[attr-defined]
    del value.two
    assert made.now != made.was


def test_objects_of_other_kinds_have_no_marks() -> None:
    class Odd:
        @property
        def __dict__(self) -> Any:  # type: ignore[override]
            raise SystemExit

    made: list[Any] = [type("Table", (dict,), {})(), type("Text", (str,), {})(), ValueError(), Odd(), 1, "one", len]
    assert [object_mark(one, [1]) for one in made] == [None] * len(made)
    assert list_mark(type("Rows", (list,), {})()) is None


OF_LISTS: list[Callable[[Any], object]] = [
    lambda rows: rows.append(1),
    lambda rows: rows.pop(),
    lambda rows: rows.__setitem__(0, object()),
    lambda rows: rows.reverse(),
    lambda rows: rows.insert(1, object()),
    lambda rows: rows.extend(range(1000)),
    lambda rows: rows.clear(),
    lambda rows: rows.__setitem__(slice(None), [object() for _ in rows]),
]


@pytest.mark.parametrize("count", [2, 5, 40])
def test_a_list_changes(count: int) -> None:
    for change in OF_LISTS:
        rows = [object() for _ in range(count)]
        made = stamp(list_mark(rows))
        change(rows)
        assert made.now != made.was
    empty: list[int] = []
    made = stamp(list_mark(empty))
    empty.append(1)
    assert made.now != made.was


def test_items_that_moved_are_not_read() -> None:
    """The list is tested alone then, whatever it holds; the others keep a stamp."""
    asked: list[list[object]] = []

    def holds(holders: Sequence[object]) -> Callable[[], bool]:
        def ask() -> bool:
            asked.append([*holders])
            return True

        return ask

    rows, others = [object() for _ in range(5)], [1, 2]
    made = stamp(list_mark(rows), list_mark(others))
    still = restamping(made, holds)
    held = [*rows]
    rows.extend(range(100_000))
    del rows[5:]
    assert rows == held and made.now != made.was and made.words() is None
    assert still() and [rows, others] in asked
    assert still() and asked[-1] == [rows]
    assert made.now != made.was  # for good
    others.append(3)
    assert still() and [others] in asked[-2:]


def test_an_object_whose_dict_is_another_one_is_tested_alone() -> None:
    value, other = Both(), Plain()
    made = stamp(marked(value), marked(other))
    still = restamping(made, lambda holders: lambda: all(one.one == 1 for one in holders))  # type: ignore[attr-defined]
    value.__dict__ = {}
    for _ in range(40):
        assert still() and made.now != made.was
    value.one = 2
    assert not still()


def test_lists_and_objects_without_such_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("offset_of_attributes", "offsets_of_items", "offset_of_versions"):
        monkeypatch.setattr(stamps, name, lambda: None)
    assert marked(Plain()) is None and list_mark([1]) is None
    assert [stamps.words_for(one) for one in ([1], {1: 2}, {1}, Plain())] == [0] * 4
    monkeypatch.setattr(stamps, "is_readable", lambda: False)
    assert marked(Slotted()) is None


def test_threads_that_change_lists_are_seen() -> None:
    """Reading them while others move their items."""
    rows: list[object] = [object() for _ in range(10)]
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            rows.extend(range(5000))
            del rows[10:]

    worker = threading.Thread(target=work)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    worker.start()
    found = [0, 0]
    try:
        for _ in range(2000):
            mark = list_mark(rows)
            made = None if mark is None else stamp_of([mark])
            for _ in range(5 if made is not None else 0):
                assert made is not None
                same = made.now == made.was
                found[same and made.words() is not None] += 1
    finally:
        sys.setswitchinterval(interval)
        over.set()
        worker.join()
    assert all(found)
    made = stamp(list_mark(rows))
    rows[3] = None
    assert made.now != made.was


def test_what_has_a_stamp_lives_as_long_as_whoever_asks() -> None:
    import gc
    import weakref

    _, derived = family()
    gone = weakref.ref(derived)
    made = stamp(class_mark(derived))
    still = restamping(made, lambda holders: lambda: True)
    del made, derived
    gc.collect()
    assert gone() is not None and still()
    del still
    gc.collect()
    assert gone() is None


def test_without_such_memory_there_are_no_stamps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("offset_of_tags", "offset_of_code", "offset_of_versions", "offset_of_contents", "gathered"):
        monkeypatch.setattr(stamps, name, lambda *given: None)
    assert class_mark(family()[0]) is None and function_mark(family) is None  # type: ignore[arg-type]
    assert namespace_mark({}) is None and cell_mark(types.CellType()) is None
    assert stamp_of([Mark(int, (id(int),))]) is None
