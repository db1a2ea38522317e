"""Attributes stored under names that are not known, which may be those of methods.

    def run(self, name):
        setattr(self, name, other)
        return self.get()              may be `other` now

Invariant: whichever way the store is written, each call does what the original would do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from tests.specialize.specializing import source_of, specialize


def five(*args: Any) -> int:
    return 5


class Setting:
    limit = 3

    def __init__(self) -> None:
        self.n = 1

    def get(self) -> Any:
        return self.n + self.limit

    def put(self, name: str, value: Any) -> None:
        setattr(self, name, value)


class Own(Setting):
    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)


def by_setattr(target: Any, name: Any) -> None:
    setattr(target, name, five)


def by_item_of_dict(target: Any, name: Any) -> None:
    target.__dict__[name] = five


def by_vars(target: Any, name: Any) -> None:
    vars(target)[name] = five


def by_update(target: Any, name: Any) -> None:
    target.__dict__.update({name: five})


def by_union(target: Any, name: Any) -> None:
    target.__dict__ |= {name: five}


def by_another_dict(target: Any, name: Any) -> None:
    target.__dict__ = {"n": 1, name: five}


def by_name_of_dict(target: Any, name: Any) -> None:
    attributes = target.__dict__
    if name:
        attributes[name] = five


def by_object(target: Any, name: Any) -> None:
    object.__setattr__(target, name, five)


def by_method(target: Any, name: Any) -> None:
    target.__setattr__(name, five)


def by_class(target: Any, name: Any) -> None:
    type(target).__setattr__(target, name, five)  # type: ignore[call-arg]


def by_own_method(target: Any, name: Any) -> None:
    target.put(name, five)


def by_loop(target: Any, name: Any) -> None:
    for one in name.split():
        setattr(target, one, five)


def by_partial(target: Any, name: Any) -> None:
    functools.partial(setattr, target)(name, five)


def by_map(target: Any, name: Any) -> None:
    list(map(setattr, [target], [name], [five]))


def by_closure(target: Any, name: Any) -> None:
    def put(value: Any) -> None:
        setattr(target, name, value)

    put(five)


WAYS: list[Callable[[Any, Any], None]] = [
    by_setattr, by_item_of_dict, by_vars, by_update, by_union, by_another_dict, by_name_of_dict, by_object, by_method,
    by_class, by_own_method, by_loop, by_partial, by_map, by_closure,
]  # fmt: skip
NAMES = ["other", "get", "n", "get"]


def outcome(run: Callable[..., Any], *args: Any) -> Any:
    try:
        return run(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", [Setting, Own])
def test_on_a_static_object(way: Callable[[Any, Any], None], make: Callable[[], Any]) -> None:
    def behind(target: Any, name: Any) -> Any:
        way(target, name)
        return target.get()

    def around(target: Any, name: Any) -> Any:
        before = target.get(), target.limit
        way(target, name)
        return before, target.get(), target.limit

    for run in (behind, around):
        for names in (NAMES, ["limit"]):
            one, other = make(), make()
            residual = specialize(run, one)
            for name in names:
                assert outcome(residual, name) == outcome(run, other, name), source_of(residual)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", [Setting, Own])
def test_on_an_item(way: Callable[[Any, Any], None], make: Callable[[], Any]) -> None:
    def run(targets: Any, at: Any, name: Any) -> Any:
        before = targets[0].get()
        way(targets[at], name)
        return before, [target.get() for target in targets]

    one, other = [make(), make()], [make(), make()]
    residual = specialize(run, one)
    for at, name in ((1, "other"), (0, "get"), (1, "n")):
        assert outcome(residual, at, name) == outcome(run, other, at, name), source_of(residual)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", [Setting, Own])
def test_on_an_object_that_is_made_here(way: Callable[[Any, Any], None], make: Callable[[], Any]) -> None:
    def run(names: Any) -> Any:
        target = make()
        before = target.get()
        for name in names:
            way(target, name)
        return before, target.get()

    residual = specialize(run)
    for names in ([], ["other"], ["get"], ["n", "get"]):
        assert outcome(residual, names) == outcome(run, names), source_of(residual)


def test_it_is_looked_up_when_the_residual_runs() -> None:
    def run(target: Any, name: Any) -> Any:
        setattr(target, name, five)
        return target.get()

    residual: Any = specialize(run, Setting())
    assert "_target.get()" in residual.source


def test_other_objects_stay_known() -> None:
    """What is stored on one object hides nothing of another one, nor does a dict that is only looked into."""

    def run(target: Any, other: Any, name: Any) -> Any:
        setattr(target, name, five)
        return other.get(), other.__dict__.get(name)

    residual: Any = specialize(run, Setting(), Setting())
    assert residual.source.count("get") <= 2 and "_other.get(" not in residual.source
    assert residual("get") == (4, None) and residual("n") == (4, 1)


# -- on a class


def class_by_setattr(cls: Any, name: Any) -> None:
    setattr(cls, name, five)


def class_by_type(cls: Any, name: Any) -> None:
    type.__setattr__(cls, name, five)


def class_by_its_class(cls: Any, name: Any) -> None:
    type(cls).__setattr__(cls, name, five)  # type: ignore[call-arg]


def class_by_map(cls: Any, name: Any) -> None:
    list(map(setattr, [cls], [name], [five]))


def class_by_partial(cls: Any, name: Any) -> None:
    functools.partial(setattr, cls)(name, five)


def class_by_closure(cls: Any, name: Any) -> None:
    def put(value: Any) -> None:
        setattr(cls, name, value)

    put(five)


def class_by_delattr(cls: Any, name: Any) -> None:
    delattr(cls, name)


def class_by_deletion_of_type(cls: Any, name: Any) -> None:
    type.__delattr__(cls, name)


def class_by_known_name(cls: Any, name: Any) -> None:
    type.__setattr__(cls, "limit", 7)


ON_CLASSES: list[Callable[[Any, Any], None]] = [
    class_by_setattr, class_by_type, class_by_its_class, class_by_map, class_by_partial, class_by_closure,
    class_by_delattr, class_by_deletion_of_type, class_by_known_name,
]  # fmt: skip


def fresh() -> Any:
    class Changing:
        limit = 3

        def __init__(self) -> None:
            self.n = 1

        def get(self) -> Any:
            return self.n + self.limit

    return Changing


@pytest.mark.parametrize("way", ON_CLASSES)
@pytest.mark.parametrize("name", ["get", "limit", "other"])
def test_on_the_class(way: Callable[[Any, Any], None], name: str) -> None:
    def of_object(target: Any, name: Any) -> Any:
        before = target.get()
        way(type(target), name)
        return before, target.get(), target.limit

    def of_class(cls: Any, name: Any) -> Any:
        target = cls()
        before = target.get()
        way(cls, name)
        return before, target.get(), cls().get(), cls.limit

    residual = specialize(of_object, fresh()())
    assert outcome(residual, name) == outcome(of_object, fresh()(), name), source_of(residual)
    residual = specialize(of_class, fresh())
    assert outcome(residual, name) == outcome(of_class, fresh(), name), source_of(residual)
