"""Stamps of classes and functions: they differ as soon as anything has changed.

    now, was = class_stamp(Derived); Base.name = 1    now != was
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from futamura.ir import stamps
from futamura.ir.stamps import class_stamp, function_stamp, restamping


class Meta(type):
    """Asked for nothing."""

    def __getattribute__(cls, name: str) -> Any:
        raise SystemExit(name)

    def __getattr__(cls, name: str) -> Any:
        raise SystemExit(name)


def family() -> tuple[Any, Any]:
    base: Any = type("Base", (), {"name": 1})
    return base, type("Derived", (base,), {})


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
    stamp = class_stamp(derived)
    assert stamp is not None and stamp.now == stamp.was
    _ = derived.name, derived().name, isinstance(derived(), base), str(derived), vars(derived)
    assert stamp.now == stamp.was
    change(base, derived)
    assert stamp.now != stamp.was
    derived.name if hasattr(derived, "name") else None  # it is numbered anew
    assert stamp.now != stamp.was
    other = class_stamp(derived)
    assert other is not None and other.now == other.was != stamp.was


def test_no_code_of_a_metaclass_runs() -> None:
    cls = Meta("cls", (), {})
    stamp = class_stamp(cls)
    assert stamp is not None and stamp.now == stamp.was
    still = restamping(stamp, cls, lambda: True)
    type.__setattr__(cls, "name", 1)
    assert stamp.now != stamp.was and still() and stamp.now == stamp.was


def test_a_function_changes() -> None:
    def function(a: int, b: int = 2, *, c: int = 3) -> int:
        return a + b + c

    changes: dict[str, object] = {
        "__code__": (lambda a, b=2, *, c=3: a).__code__, "__defaults__": (5,), "__kwdefaults__": None,
    }  # fmt: skip
    for name, value in changes.items():
        stamp = function_stamp(function)
        assert stamp is not None and stamp.now == stamp.was
        function(1), repr(function), function.__name__
        function.__doc__ = "text"
        function.extra = 1  # type: ignore[attr-defined]
        assert stamp.now == stamp.was
        setattr(function, name, value)
        assert stamp.now != stamp.was


def test_what_holds_is_stamped_anew() -> None:
    base, derived = family()
    asked: list[bool] = []
    holding = [True]

    def holds() -> bool:
        asked.append(holding[0])
        return holding[0]

    stamp = class_stamp(derived)
    assert stamp is not None
    still = restamping(stamp, derived, holds)
    assert asked == [True] and stamp.now == stamp.was
    base.other = 1
    assert stamp.now != stamp.was and still() and stamp.now == stamp.was and len(asked) == 2
    base.other = 2
    holding[0] = False
    assert not still() and stamp.now != stamp.was and not still()
    holding[0] = True
    assert still() and stamp.now == stamp.was


def test_what_does_not_hold_at_once_has_no_stamp() -> None:
    _, derived = family()

    def raises() -> bool:
        raise AttributeError("it is gone")

    for holds in (lambda: False, raises):
        stamp = class_stamp(derived)
        assert stamp is not None
        restamping(stamp, derived, holds)
        assert stamp.now != stamp.was


def test_threads_that_change_a_class_are_seen() -> None:
    base, derived = family()
    stamp = class_stamp(derived)
    assert stamp is not None
    still = restamping(stamp, derived, lambda: vars(base)["name"] == 1)
    done = threading.Event()

    def change() -> None:
        for number in range(20_000):
            base.name = number % 2
        done.set()

    thread = threading.Thread(target=change)
    thread.start()
    while not done.is_set():
        if stamp.now == stamp.was or still():
            pass
    thread.join()
    base.name = 0
    assert stamp.now != stamp.was and not still()


def test_without_such_memory_there_are_no_stamps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "_offset_of_tags", lambda: None)
    monkeypatch.setattr(stamps, "_offset_of_code", lambda: None)
    assert class_stamp(family()[0]) is None and function_stamp(family) is None  # type: ignore[arg-type]
