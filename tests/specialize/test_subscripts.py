# ruff: noqa: B023, C410, RUF012, RUF060, UP006, UP007, UP035, UP037, UP045
"""Annotations that the code itself writes, and `isinstance` of what `typing` calls classes; what is in nothing."""

from __future__ import annotations

import collections.abc
import typing
from collections import deque
from typing import Any, Callable, Dict, Iterable, List, Literal, Mapping, Optional, Tuple, Union

import pytest

import futamura

T = typing.TypeVar("T")


class Box(typing.Generic[T]):
    made: list[Any] = []

    def __class_getitem__(cls, item: Any) -> Any:
        cls.made.append(item)
        return super().__class_getitem__(item)  # type: ignore[misc]


class Lying:
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return list


class Unhashable:
    __hash__ = None  # type: ignore[assignment]


FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "list": lambda x, k: (List[k], list[k], k),  # type: ignore[valid-type]
    "optional": lambda x, k: Optional[List[k]],  # type: ignore[valid-type]
    "union": lambda x, k: Union[k, None, str] | None,  # type: ignore[valid-type]
    "classes": lambda x, k: (k | None, None | k, k | List[int], str | k),
    "callable": lambda x, k: (Callable[[k, int], str], Callable[..., k], collections.abc.Callable[[k], None]),  # type: ignore[valid-type]
    "mapping": lambda x, k: (Dict[str, k], Mapping[k, Any], Tuple[k, ...], tuple[k, str], Iterable["Later"]),  # type: ignore  # noqa: F821
    "literal": lambda x, k: Literal[1, "a"],
    "own": lambda x, k: (Box[k], len(Box.made) > 0),  # type: ignore[valid-type]
    "wrong": lambda x, k: Optional[k, int],  # type: ignore
    "open": lambda x, k: List[x],  # type: ignore
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("known", [int, str, None, 3])
def test_forms(name: str, known: Any) -> None:
    function = FORMS[name]
    residual = futamura.specialize(function, k=known)

    def outcome(call: Callable[[], Any]) -> Any:
        Box.made.clear()
        try:
            return repr(call())
        except Exception as error:
            return type(error), str(error)

    for x in (int, "text", 4):
        assert outcome(lambda: residual(x)) == outcome(lambda: function(x, known))
    if known is int and name in ("list", "optional", "union", "classes", "callable", "mapping"):
        assert "[" not in residual.source.partition("return")[2] and "|" not in residual.source


def annotated(xs: Any, k: Any) -> Any:
    def clean(text: Optional[str], width: "int | None" = None) -> List[str]:
        return [text or "", str(k)]

    return [clean(x) for x in xs]


def test_annotations_of_nested_functions_leave_nothing() -> None:
    residual = futamura.specialize(annotated, k=3)
    assert residual(["a", None]) == annotated(["a", None], 3)
    assert "Optional" not in residual.source and "def " not in residual.source.partition("\n")[2]


def asked(x: Any, k: Any) -> Any:
    made = [k]
    return (
        isinstance(made, List), isinstance(k, List), isinstance((k,), Tuple), isinstance({}, Mapping),
        isinstance(x, List), isinstance(x, (List, str)), isinstance(x, list), isinstance(x, Mapping),
    )  # fmt: skip


@pytest.mark.parametrize("known", [1, [1], Lying()])
def test_what_typing_calls_classes(known: Any) -> None:
    residual = futamura.specialize(asked, k=known)
    for x in ([1], "a", {}, 3, Lying(), type("Own", (list,), {})()):
        assert residual(x) == asked(x, known)


def searched(x: Any, k: Any) -> Any:
    seen: set[Any] = set()
    found = [x in [], x in (), x not in deque(), x in list(()), str(len(x)) in seen, str(len(x)) not in {}]
    try:
        found.append(x in seen)
    except TypeError as error:
        found.append(str(error))  # type: ignore[arg-type]
    return found, k


class Loud(type):
    """Whoever compares a class of this one, or asks for its name, is heard."""

    heard: list[str] = []

    def __eq__(cls, other: object) -> bool:
        Loud.heard.append("eq")
        return cls is other

    __hash__ = type.__hash__

    def __getattribute__(cls, name: str) -> Any:
        Loud.heard.append(name)
        return super().__getattribute__(name)


class Silent(metaclass=Loud):
    def __class_getitem__(cls, item: Any) -> Any:
        Loud.heard.append("item")
        return item


def bracketed(x: Any, k: Any) -> Any:
    return k[int], x


def test_classes_of_the_program_are_not_asked() -> None:
    Loud.heard.clear()
    residual = futamura.specialize(bracketed, k=Silent)
    assert "item" not in Loud.heard and "eq" not in Loud.heard
    assert residual(1) == (int, 1) and "item" in Loud.heard


def filled(x: Any, k: Any) -> Any:
    seen, table = {x}, {x: 1}
    return k in seen, k not in table, str(k) in [x], "a" in {*x}


def test_what_holds_something_open_is_not_empty() -> None:
    residual = futamura.specialize(filled, k="a")
    for x in ("a", "b", ("a", 1)):
        assert residual(x) == filled(x, "a")


def test_nothing_is_in_what_is_empty() -> None:
    residual = futamura.specialize(searched, k=1)
    for x in ("a", [], {}, (1, 2)):
        assert residual(x) == searched(x, 1)
    assert residual.source.count(" in ") == 1 and "not in" not in residual.source
