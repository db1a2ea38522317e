"""Look-ups by tuples, classes and members of enumerations that are known: nothing of the table is left.

    STEPS[state, event], state a known member of an enumeration      found when the residual is made

Invariant: each residual gives what the function gives, also for keys that are not there or cannot be hashed.
"""

from __future__ import annotations

import abc
import enum
from collections.abc import Callable
from typing import Any

import pytest

import futamura


class State(enum.Enum):
    OPEN = "open"
    SHUT = "shut"


class Shape(abc.ABC):  # noqa: B024
    pass


class Circle(Shape):
    pass


class Equal:
    """Compares as nobody expects."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


STEPS = {(State.OPEN, "push"): State.SHUT, (State.SHUT, ("pull", 1)): State.OPEN, (None, "push"): State.OPEN}
AREAS = {(Circle, "area"): 3, (Shape, len): 4, Circle: 5, State.OPEN: 6}
ODD = {(Equal(1), 1): "odd"}


def step(state: Any, event: Any, x: int) -> Any:
    return STEPS[state, event], x


def step_or(state: Any, event: Any, x: int) -> Any:
    return STEPS.get((state, event), x), (state, event) in STEPS, STEPS.get((state, event))


def area(cls: Any, what: Any, x: int) -> Any:
    return AREAS[cls, what] * x, AREAS.get(cls), (cls, what) in AREAS, {(cls, what): x}.get((cls, what))


def asked(state: Any, event: Any, x: int) -> Any:
    return AREAS.get(state, x), AREAS.get(event, 0)


def odd(key: Any, x: int) -> Any:
    return ODD.get((key, 1), x), (key, 1) in ODD


def unhashable(key: Any, x: int) -> Any:
    try:
        return STEPS.get((key, [x])), x
    except TypeError as error:
        return str(error)


def made_here(cls: Any, x: int) -> Any:
    table = {(cls, 1): x, (cls, 2): x + 1}
    found = table[cls, 1] + table.get((cls, 2), 0)
    table[cls, 3] = found
    return found, (cls, 3) in table, len(table), [key[1] for key in table]


CASES: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (step, {"state": State.OPEN, "event": "push"}, "STEPS["),
    (step, {"state": State.SHUT, "event": ("pull", 1)}, "STEPS["),
    (step_or, {"state": State.OPEN, "event": "push"}, "STEPS"),
    (step_or, {"state": State.OPEN, "event": "kick"}, "STEPS"),
    (step_or, {"state": None, "event": "push"}, "STEPS"),
    (area, {"cls": Circle, "what": "area"}, "AREAS"),
    (area, {"cls": Shape, "what": len}, "AREAS"),
    (asked, {"state": State.OPEN, "event": Circle}, "AREAS"),
    (asked, {"state": State.SHUT, "event": Shape}, "AREAS"),
    (odd, {"key": Equal(2)}, ""),
    (odd, {"key": Circle}, ""),
    (unhashable, {"key": Circle}, ""),
    (made_here, {"cls": Circle}, ""),
    (made_here, {"cls": State.OPEN}, ""),
]


@pytest.mark.parametrize(("function", "static", "gone"), CASES)
def test_known_keys(function: Callable[..., Any], static: dict[str, Any], gone: str) -> None:
    residual = futamura.specialize(function, **static)
    assert not residual.stats["fallbacks"]
    for x in (0, 5):
        assert residual(x) == function(*static.values(), x)
    if gone:
        assert gone not in residual.source


def test_a_missing_key_is_known_to_be_missing() -> None:
    with pytest.raises(KeyError) as raised:
        futamura.specialize(step, state=State.OPEN, event="kick")(1)
    assert raised.value.args == ((State.OPEN, "kick"),)


def test_members_have_names() -> None:
    assert futamura.specialize(step, state=State.OPEN, event="push").source.endswith("return _State_SHUT, x\n")


KINDS = frozenset({int, str, Circle, State})


def is_known(kind: Any, x: int) -> Any:
    return kind in KINDS, (kind, 1) in frozenset({(Circle, 1)}), x


@pytest.mark.parametrize("kind", [int, bool, Circle, Shape, State, State.OPEN])
def test_members_of_constant_sets(kind: Any) -> None:
    residual = futamura.specialize(is_known, kind=kind)
    assert residual(1) == is_known(kind, 1) and "KINDS" not in residual.source
