"""`isinstance` of abstract base classes: known for known classes, until somebody registers one.

    isinstance(schema, Mapping)      a walk over static data decides during specialization
    Mapping.register(...)            the residual runs the original, if what it relied on is no more
"""

from __future__ import annotations

import abc
import collections
import numbers
import pickle
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import futamura
from tests.outcomes import outcome


class Expr(abc.ABC):
    @abc.abstractmethod
    def value(self, env: Any) -> Any: ...


@dataclass(frozen=True)
class Number(Expr):
    number: int

    def value(self, env: Any) -> Any:
        return self.number


@dataclass(frozen=True)
class Name(Expr):
    name: str

    def value(self, env: Any) -> Any:
        return env[self.name]


@dataclass(frozen=True)
class Sum(Expr):
    parts: tuple[Any, ...]

    def value(self, env: Any) -> Any:
        total = 0
        for part in self.parts:
            total += part.value(env) if isinstance(part, Expr) else part
        return total


def evaluate(tree: Any, env: Any) -> Any:
    return tree.value(env)


def check(schema: Any, value: Any) -> bool:
    if isinstance(schema, Mapping):
        return isinstance(value, dict) and all(k in value and check(s, value[k]) for k, s in schema.items())
    if isinstance(schema, Sequence) and not isinstance(schema, (str, bytes)):
        return any(check(s, value) for s in schema)
    if isinstance(schema, type):
        return isinstance(value, schema)
    return bool(value == schema)


class Plain:
    pass


class Hooked(abc.ABC):  # noqa: B024
    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        ASKED.append(other)
        return True


ASKED: list[Any] = []


class Claiming:
    @property
    def __class__(self) -> Any:
        return dict


def kinds(n: Any, x: Any) -> Any:
    objects = (n, "a", b"", [x], {"a": x}, (x,), {1}, None, 2.5, True, Number(1), Plain(), range(3), len, Plain)
    return [
        (
            isinstance(one, Mapping), isinstance(one, Iterable), isinstance(one, Hashable), isinstance(one, Callable),
            isinstance(one, (Sized, numbers.Number)), isinstance(one, Expr), isinstance(one, (int, Sequence)),
            isinstance(one, numbers.Integral), isinstance(one, collections.abc.MutableSequence),
        )
        for one in objects
    ]  # fmt: skip


class Comparing(abc.ABCMeta):
    """Its classes run code when they are compared, and when they are asked for their hash."""

    def __eq__(cls, other: object) -> bool:
        ASKED.append(other)
        return True

    def __hash__(cls) -> int:
        ASKED.append(cls)
        return 1


class Equal(metaclass=Comparing):
    pass


class Open(abc.ABC):  # noqa: B024
    pass


Open.register(Equal)


def registered(n: Any, x: Any) -> Any:
    return isinstance(n, Open), issubclass(type(n), Open), x


def classes(n: Any, x: Any) -> Any:
    found = (issubclass(type(n), Mapping), issubclass(type(n), (Sequence, numbers.Number)), issubclass(Number, Expr))
    return found, issubclass(bool, (Mapping, int)), x


def hooked(n: Any, x: Any) -> Any:
    return isinstance(n, Hooked), isinstance(Claiming(), Mapping), isinstance(x, Hooked)


def test_nodes_of_an_abstract_class() -> None:
    tree = Sum((Number(1), Name("a"), 5, Sum((Name("b"),))))
    residual = futamura.specialize(evaluate, tree=tree)
    assert "isinstance" not in residual.source and "value" not in residual.source
    for env in ({"a": 1, "b": 2}, {"a": 1}, {}):
        assert outcome(residual, env) == outcome(evaluate, tree, env)


def test_a_walk_over_a_schema() -> None:
    schema = {"id": int, "tags": [str, None, {"deep": [1, 2]}]}
    residual = futamura.specialize(check, schema=schema)
    assert not any(gone in residual.source for gone in ("Mapping", "Sequence", "def check_1")), residual.source
    values = ({}, {"id": 1}, {"id": 1, "tags": "a"}, {"id": 1, "tags": {"deep": 2}}, {"id": 1, "tags": {"deep": 3}}, 5)
    for value in values:
        assert residual(value) is check(schema, value)


def test_each_class_with_each_abstract_one() -> None:
    for n in (3, {"a": 1}, Number(2), Plain(), "b"):
        residual = futamura.specialize(kinds, n=n)
        assert residual(1) == kinds(n, 1)
        assert residual.source.count("isinstance") < 40


def test_hooks_and_claims_are_left_alone() -> None:
    ASKED.clear()
    residual = futamura.specialize(hooked, n=3)
    assert not ASKED
    assert residual(5) == hooked(3, 5) == (True, True, True)


def test_classes_that_run_code_are_told_apart_without() -> None:
    for n in (3, Plain(), [1]):
        ASKED.clear()
        residual = futamura.specialize(registered, n=n)
        assert not ASKED
        assert residual(1)[::2] == (isinstance(n, Open), 1)


def test_subclasses_of_abstract_classes() -> None:
    for n in (3, {"a": 1}, Plain(), "b", 2.5):
        residual = futamura.specialize(classes, n=n)
        assert residual(1) == classes(n, 1)
        assert "issubclass" not in residual.source, residual.source


def test_registering_later_is_noticed() -> None:
    class Shape(abc.ABC):  # noqa: B024
        pass

    class Square:
        pass

    class Other:
        pass

    def asked(shape: Any, x: Any) -> Any:
        return (isinstance(shape, Shape), x)

    residual = futamura.specialize(asked, shape=Square())
    assert residual(1) == (False, 1) and residual.source.count("isinstance") == 0
    Shape.register(Other)
    assert residual.holds() and residual(1) == (False, 1)
    Shape.register(Square)
    assert not residual.holds() and residual(1) == (True, 1)
    again = futamura.specialize(asked, shape=Square())
    assert again(2) == (True, 2) and "isinstance" not in again.source


def test_in_another_process() -> None:
    residual = futamura.specialize(check, schema={"a": int, "b": [1, None]})
    travelled = pickle.loads(pickle.dumps(residual))
    assert travelled.holds() and travelled({"a": 1, "b": None}) and not travelled({"a": "1", "b": None})
