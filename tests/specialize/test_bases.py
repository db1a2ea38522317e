"""What the entry test asks of the bases of classes: nothing where they cannot change, and never code of a metaclass.

    class Plain: ...            `Plain.__bases__ = ...` is refused by Python: the test reads no `__mro__`
    class Derived(Base): ...    its bases may change: the test does

Invariant: a residual notices other bases wherever Python lets them change.
"""

from __future__ import annotations

from typing import Any

import pytest

from futamura import specialize
from futamura.backend.python import holding

NOTED: list[str] = []


class Noting(type):
    """A metaclass that notes who asks."""

    def __getattr__(cls, name: str) -> Any:
        NOTED.append(name)
        raise AttributeError(name)


class Scaled:
    def __init__(self, factor: int) -> None:
        self.factor = factor

    def scaled(self, x: int) -> int:
        return x * self.factor


class Other:
    def __init__(self, factor: int) -> None:
        self.factor = factor

    def scaled(self, x: int) -> int:
        return x + self.factor


class Derived(Scaled):
    pass


class Noted(Scaled, metaclass=Noting):
    pass


class Alone(metaclass=Noting):
    def __init__(self, factor: int) -> None:
        self.factor = factor

    def scaled(self, x: int) -> int:
        return x * self.factor


def used(what: Any, x: Any) -> Any:
    return what.scaled(x)


@pytest.mark.parametrize("cls", [Scaled, Derived, Noted, Alone])
def test_only_bases_that_may_change_are_asked_for(cls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where classes have no stamps, which say all of it at once."""
    monkeypatch.setattr(holding, "stamp_of", lambda marks: None)
    residual = specialize(used, cls(2))
    assert ("__mro__" in residual.function.__code__.co_names) is (cls is Derived)
    NOTED.clear()
    assert residual(4) == 8 and residual.source == "def used(x):\n    return x * 2\n"
    assert not NOTED, "the entry test runs no code of a metaclass"


@pytest.mark.parametrize("cls", [Derived, Noted])
def test_other_bases_are_noticed(cls: Any) -> None:
    residual = specialize(used, cls(2))
    assert residual(4) == 8
    cls.__bases__ = (Other,)
    try:
        assert residual(4) == 6
    finally:
        cls.__bases__ = (Scaled,)
    assert residual(4) == 8


def test_a_class_without_other_bases_keeps_them() -> None:
    """What the shortcut rests on; in a Python that allows it, the entry test asks again."""
    with pytest.raises(TypeError):
        Scaled.__bases__ = (Other,)
