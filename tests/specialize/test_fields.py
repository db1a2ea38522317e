"""What dataclasses store about their fields is read now: metadata, and the bases of the classes in annotations.

    issubclass(int, Enum) and field.metadata.get("name", field.name)    leave nothing

Invariant: metadata that is no plain dict of texts, and classes that decide about subclasses themselves, stay.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import types
from collections.abc import Iterator, Mapping
from typing import Any

from futamura import specialize


class Color(enum.Enum):
    RED = 1


class Number(abc.ABC):  # noqa: B024
    pass


Number.register(int)


class Loud(Mapping[str, str]):
    def __getitem__(self, name: str) -> str:
        seen.append(name)
        return "loud"

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


seen: list[str] = []


@dataclasses.dataclass
class Point:
    x: int = dataclasses.field(metadata={"name": "X"})
    y: int = 0


@dataclasses.dataclass
class Noisy:
    x: int = dataclasses.field(default=0, metadata=Loud())


def named(cls: Any, point: Any) -> Any:
    return {field.metadata.get("name", field.name): getattr(point, field.name) for field in dataclasses.fields(cls)}


def kind(cls: Any, base: Any, value: Any) -> Any:
    return (value, 1) if issubclass(cls, base) else (value, 2)


def proxied(view: Any, key: Any, value: Any) -> Any:
    return view.get(key), view.get(key, value), value


def test_metadata_of_fields_is_static() -> None:
    residual = specialize(named, Point)
    assert "metadata" not in residual.source and ".get(" not in residual.source, residual.source
    assert residual(Point(1, 2)) == {"X": 1, "y": 2}


def test_metadata_with_code_of_its_own_is_asked_each_time() -> None:
    residual = specialize(named, Noisy)
    seen.clear()
    assert residual(Noisy(5)) == {"loud": 5} == residual(Noisy(5))
    assert seen == ["name", "name"]


def test_bases_decide_now() -> None:
    for cls, base in ((Color, enum.Enum), (int, enum.Enum), (bool, (str, int)), (int, str)):
        residual = specialize(kind, cls, base)
        assert "issubclass" not in residual.source
        assert residual(0) == kind(cls, base, 0)


def test_what_is_registered_stays_and_what_is_not_may_be_later() -> None:
    class Amount(abc.ABC):  # noqa: B024
        pass

    class Money:
        pass

    registered, other = specialize(kind, int, Number), specialize(kind, Money, Amount)
    assert "issubclass" not in registered.source + other.source
    assert registered(0) == kind(int, Number, 0) == (0, 1)
    assert other(0) == kind(Money, Amount, 0) == (0, 2)
    Amount.register(Money)
    assert registered(0) == (0, 1) and registered.holds()
    assert other(0) == kind(Money, Amount, 0) == (0, 1)


def test_a_view_that_is_a_static_input() -> None:
    view = types.MappingProxyType({"a": 1})
    for key in ("a", "b"):
        residual = specialize(proxied, view, key)
        assert residual(7) == proxied(view, key, 7)
