"""Attributes of instances are read without their dictionaries, which Python only makes for those who ask, and is slower
from then on.

Invariant: what is read is what the dictionary has.
"""

from __future__ import annotations

import gc
import types
from typing import Any

import pytest

from futamura.specializer.purity import MISSING, named_attributes, own_attributes, stored_attribute
from tests.specialize.specializing import fallbacks, specialize

SHARED: Any = object()
READ: list[str] = []


def grow(self: Any) -> int:
    return 1


class Plain:
    limit = 5
    unset: Any = None
    shared = SHARED

    def __init__(self) -> None:
        self.code = [1, 2]
        self.table = {"name": SHARED}
        self.count = 0

    def method(self) -> int:
        return self.count

    @property
    def computed(self) -> int:
        READ.append("computed")
        return 3

    @staticmethod
    def alone() -> int:
        return 2

    @classmethod
    def made(cls) -> int:
        return 4


class Slotted(Plain):
    __slots__ = ("at",)

    def __init__(self) -> None:
        super().__init__()
        self.at = 7


class Asking(Plain):
    def __getattr__(self, name: str) -> Any:
        READ.append(name)
        return name


class AskingAll(Plain):
    def __getattribute__(self, name: str) -> Any:
        READ.append(name)
        return object.__getattribute__(self, name)


class Descriptor:
    def __get__(self, owner: Any, cls: Any = None) -> Any:
        READ.append("descriptor")
        return 9


class Described(Plain):
    found = Descriptor()
    bound = classmethod(Descriptor())  # type: ignore[arg-type]


class Table(dict[str, int]):
    pass


class Failure(Exception):
    level = 1


def objects() -> list[Any]:
    own: list[Any] = [one() for one in (Plain, Slotted, Asking, AskingAll, Described)]
    hiding = Plain()
    hiding.method = grow  # type: ignore[method-assign, assignment]
    hiding.limit, hiding.unset, hiding.shared = 6, None, SHARED
    hiding.alone = hiding.made = len  # type: ignore[method-assign, assignment]
    vars(hiding)["computed"] = 1
    bound = Plain()
    bound.method = bound.method  # type: ignore[method-assign]
    same = Plain()
    same.limit = 5
    same.alone = Plain.alone  # type: ignore[method-assign]
    vars(same)["found"] = SHARED
    described = Described()
    vars(described).update(found=1, bound=2)
    table, failure, module = Table(a=1), Failure("x"), types.ModuleType("m")
    table.limit = 3  # type: ignore[attr-defined]
    failure.level = 2
    module.limit = 4  # type: ignore[attr-defined]
    return [*own, hiding, bound, same, described, table, failure, module, grow, Plain, 5, None, "limit", object()]


NAMES = [
    "code", "table", "count", "limit", "unset", "shared", "method", "computed", "alone", "made", "at", "found", "bound",
    "level", "name", "missing", "__class__", "__dict__", "__init__", "__doc__", "__module__", "__name__", "args",
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(objects())))
def test_what_is_stored_is_what_the_dictionary_has(at: int) -> None:
    value = objects()[at]
    READ.clear()
    found = {name: stored_attribute(value, name) for name in NAMES}
    named = named_attributes(value)
    assert not READ, "that has run code of the program"
    held = own_attributes(value)
    assert found == {name: MISSING if held is None or name not in held else held[name] for name in NAMES}
    if held is None:
        assert named is None
    else:
        assert named is not None and set(held) >= {name for name, _ in named if name in held}
        assert all(any(one is other for _, other in named) for one in held.values())


class Machine:
    default = 1
    name: Any = None

    def __init__(self, code: Any) -> None:
        self.code = code
        self.stack: list[Any] = []
        self.at = 0
        self.name = None
        self.names = {"add": 1}

    def run(self, x: Any) -> Any:
        self.at = 0
        self.stack.append(x)
        while self.at < len(self.code):
            name, operand = self.code[self.at]
            self.at += 1
            if name == "add":
                self.stack.append(self.stack.pop() + operand + self.default)
            elif name == "keep":
                self.stack.append(self.stack[-1])
            else:
                self.jump(operand)
        return self.stack.pop()

    def jump(self, to: Any) -> None:
        self.at += to * self.names["add"]


def is_made(value: Any, names: set[str]) -> bool:
    """Has Python made the dictionary of this object?"""
    return any(type(part) is dict and set(part) == names for part in gc.get_referents(value))


def test_specializing_leaves_the_object_as_it_was() -> None:
    code = [("add", 2), ("keep", 0), ("jump", 1), ("add", 9), ("add", 3)]
    machine, asked = Machine(code), Machine(code)
    names = {*vars(asked)}
    if is_made(machine, names) or not is_made(asked, names):
        pytest.skip("this Python does not show whether it has made a dictionary")
    residual = specialize(machine.run)
    assert residual.explain() and residual.holds() and not fallbacks(residual)  # type: ignore[attr-defined]
    assert residual(4) == Machine(code).run(4)
    assert not is_made(machine, names)
    assert vars(machine)["at"] == 5
