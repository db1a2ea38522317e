"""Stamps of classes, functions, modules and variables: they differ as soon as anything has changed.

stamp = stamp_of([class_mark(Derived)]); Base.name = 1    stamp.now != stamp.was
"""

from __future__ import annotations

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
    namespace_mark,
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
    monkeypatch.setattr(stamps, "_look_up", lambda cls: None)
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
    monkeypatch.setattr(stamps, "_look_up", lambda cls: None)
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
    for name in ("_offset_of_tags", "_offset_of_code", "_offset_of_versions", "_offset_of_contents", "_buffers"):
        monkeypatch.setattr(stamps, name, lambda: None)
    assert class_mark(family()[0]) is None and function_mark(family) is None  # type: ignore[arg-type]
    assert namespace_mark({}) is None and cell_mark(types.CellType()) is None
    assert stamp_of([Mark(int, (id(int),))]) is None
