"""Entry tests of objects whose class has a `__getattr__`: their own dict is asked, not they."""

from __future__ import annotations

from typing import Any

import futamura


class Bimap:
    def __init__(self, forward: dict[int, str]) -> None:
        self.forward = forward
        self.reverse = {text: number for number, text in forward.items()}
        self.default = None

    def __getitem__(self, key: int) -> Any:
        return self.forward.get(key, self.default)

    def __getattr__(self, name: str) -> int:
        try:
            return self.reverse[name]
        except KeyError:
            raise AttributeError(name) from None


KINDS = Bimap({1: "A", 2: "NS"})


def named(fields: tuple[tuple[str, int], ...], row: list[int]) -> list[Any]:
    return [(name, KINDS[row[at]], KINDS.NS) for name, at in fields]


FIELDS = (("a", 0), ("b", 1), ("c", 0))


def test_what_was_changed_is_seen() -> None:
    residual = futamura.specialize(named, fields=FIELDS)
    row = [1, 9]
    assert residual(row) == named(FIELDS, row)
    kept = KINDS.forward, KINDS.default
    try:
        KINDS.forward = {1: "B"}
        assert residual(row) == named(FIELDS, row)
        KINDS.forward = kept[0]
        KINDS.default = "none"  # type: ignore[assignment]
        assert residual(row) == named(FIELDS, row)
        del KINDS.__dict__["default"]
        assert _outcome(residual, row) == _outcome(lambda row: named(FIELDS, row), row)
    finally:
        KINDS.forward, KINDS.default = kept
    assert residual(row) == named(FIELDS, row)


def _outcome(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except AttributeError as error:
        return str(error)
