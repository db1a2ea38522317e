"""Members of enumerations, plain ones, run no code of the program when an operator or other code looks at them.

    MISSING in `Key(default=MISSING)`     `data.keys() - self.keys.keys()` had counted as code that may change a key
    a member with a `__str__`             is asked what it is by that, as are the objects that members hold

Invariant: what `enum.Enum` itself has is no code of the program; what a class of members, or a value, has is.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import futamura
from futamura.specializer.exposure import holds_code


class Missing(enum.Enum):
    VALUE = 0


@dataclass
class Key:
    kind: type
    default: Any = Missing.VALUE

    def load(self, value: object) -> object:
        return self.kind(value)


class Section:
    def __init__(self, keys: dict[str, Key]) -> None:
        self.keys = keys

    def load(self, data: Any) -> object:
        found = {}
        for name, key in self.keys.items():
            value = data.get(name, Missing.VALUE)
            if value is Missing.VALUE:
                if key.default is Missing.VALUE:
                    raise LookupError(name)
                found[name] = key.default
            else:
                found[name] = key.load(value)
        for extra in data.keys() - self.keys.keys():
            raise ValueError(extra)
        return found


SECTION = Section({"host": Key(str, "here"), "port": Key(int)})


def outcome(function: Callable[..., object], *args: object) -> object:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    "data", [{"port": "3"}, {"host": 1, "port": 2}, {}, {"port": 1, "x": 2}, {"port": "x"}, None, [1]], ids=repr
)
def test_a_member_among_the_parts_of_what_an_operator_looks_at(data: object) -> None:
    residual = futamura.specialize(SECTION.load)
    assert "FT308" not in residual.stats["notes"]
    assert "for name" not in residual.source
    assert outcome(residual, data) == outcome(SECTION.load, data)


class Rule:
    def __init__(self) -> None:
        self.limit = 3


class Loud:
    """Who shows it changes the rule."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule

    def __repr__(self) -> str:
        self.rule.limit += 1
        return "loud"


RULE = Rule()


class Holding(enum.Enum):
    ONE = Loud(RULE)


class Said(enum.Enum):
    ONE = 1

    def __str__(self) -> str:
        return "said"


def shown(rule: Rule, members: dict[str, object], x: object) -> object:
    before = rule.limit
    made = f"{members!r} {members['one']}" if x else ""
    return before, made, rule.limit


def agree(members: dict[str, object]) -> None:
    RULE.limit = 3
    residual = futamura.specialize(shown, RULE, members)
    for x in (0, 1, 1, 0, 1):
        RULE.limit = 3
        expected = shown(RULE, members, x)
        RULE.limit = 3
        assert residual(x) == expected


def test_the_value_of_a_member_is_shown() -> None:
    assert holds_code(Holding.ONE)
    agree({"one": Holding.ONE})


class Asking(enum.EnumMeta):
    def __getattribute__(cls, name: str) -> Any:
        if name == "__name__":
            RULE.limit += 1
        return super().__getattribute__(name)


class Watched(enum.Enum, metaclass=Asking):
    ONE = 1


class Lacking(enum.Enum):
    ONE = 1

    def __getattr__(self, name: str) -> object:
        raise AttributeError(name)


class Flags(enum.Flag):
    ONE = 1


@pytest.mark.parametrize("member", [Said.ONE, Watched.ONE, Lacking.ONE, Flags.ONE], ids=repr)
def test_classes_of_members_with_code_of_their_own(member: object) -> None:
    assert holds_code(member)


def test_plain_members_have_none() -> None:
    pattern = enum.Enum("pattern", {"A": re.compile("a")})  # type: ignore[misc]
    assert not holds_code(Missing.VALUE)
    assert not holds_code({"a": Key(int)})
    assert not holds_code(pattern.A)  # type: ignore[attr-defined]
