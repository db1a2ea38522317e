"""Static objects as elements of sets that the residual makes.

    required = set(self.fields)            only the fields themselves are shown anything: what they hold stays known
    required.discard(self.fields[0])

Invariant: what is compared with an element that may have a say in that may be changed by it, and is read again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from tests.specialize.specializing import specialize


@dataclasses.dataclass(frozen=True)
class Field:
    name: str
    kind: int


class Schema:
    def __init__(self, fields: list[Field]) -> None:
        self.fields = fields
        self.scale = 10

    def missing(self, data: Any) -> Any:
        required = set(self.fields)
        total = 0
        for field in self.fields:
            if field.name in data:
                required.discard(field)
                total += data[field.name] * self.scale * field.kind
        return total, sorted([field.name for field in required])

    def found(self, data: Any) -> Any:
        found = set()
        for field in self.fields:
            if field.name in data:
                found.add(field)
        return [data[field.name] * self.scale for field in self.fields if field in found]

    def taken(self, data: Any) -> Any:
        left = set(self.fields)
        for name in data:
            for field in self.fields:
                if field.name == name:
                    left.remove(field)
        return len(left)


DATA: list[dict[str, int]] = [{}, {"a": 1}, {"b": 2, "c": 3}, {"a": 1, "b": 2, "c": 3, "other": 4}]


@pytest.mark.parametrize("name", ["missing", "found", "taken"])
def test_what_elements_hold_stays_known(name: str) -> None:
    schema = Schema([Field("a", 1), Field("b", 2), Field("c", 3)])
    original = getattr(schema, name)
    residual = specialize(original)
    assert ".scale" not in residual.source and ".kind" not in residual.source
    assert not residual.stats["notes"].keys() & {"FT308", "FT413"}
    for data in DATA:
        assert residual(data) == original(data)
    with pytest.raises(TypeError):
        residual(None)


def test_an_element_that_is_not_there() -> None:
    residual = specialize(Schema([Field("a", 1)]).taken)
    with pytest.raises(KeyError):
        residual(["a", "a"])


@dataclasses.dataclass(unsafe_hash=True)
class Item:
    """Its number is compared, and changes; its hash does not."""

    name: str
    number: Any = dataclasses.field(default=1, hash=False)


class Meddling:
    """Has the hash of an item, and changes what it is compared with."""

    def __init__(self, item: Item) -> None:
        self.hash = hash(item)

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        if type(other) is Item:
            other.number += 10
        elif type(other) is list:
            other.append(1)
        return False


def adds(item: Any, xs: Any) -> None:
    found = set(xs)
    found.add(item)


def discards(item: Any, xs: Any) -> None:
    found = set(xs)
    found.discard(item)


def adds_later(item: Any, xs: Any) -> None:
    found = {1}
    found.add(item)
    found.add(xs[0])


def asks(item: Any, xs: Any) -> bool:
    found: set[Any] = set()
    found.add(item)
    return xs[0] in found


def updates(item: Any, xs: Any) -> None:
    found = set([item])  # noqa: C405
    found.update(xs)


def joins(item: Any, xs: Any) -> None:
    found = {item}
    found |= set(xs)


def takes_off(item: Any, xs: Any) -> Any:
    return set(xs) - set([item])  # noqa: C405


def compares(item: Any, xs: Any) -> bool:
    return set([item]) == set(xs[:1])  # noqa: C405


def is_subset(item: Any, xs: Any) -> bool:
    return frozenset([item]).issubset(xs)


def differs(item: Any, xs: Any) -> Any:
    return {item}.symmetric_difference(xs)


def copies(item: Any, xs: Any) -> None:
    found, other = set([item]), set(xs)  # noqa: C405
    for one in found:
        other.add(one)


def displays(item: Any, xs: Any) -> Any:
    return {item, xs[0]}


def comprehends(item: Any, xs: Any) -> Any:
    return {one for one in (item, xs[0])}  # noqa: C416


def hands_over(item: Any, xs: Any) -> None:
    found = set([item])  # noqa: C405
    xs[1](found)


def changes(item: Any, xs: Any) -> None:
    for one in set([item]):  # noqa: C405
        one.number += len(xs)


def _change(items: Any) -> None:
    for item in items:
        item.number += 100


USES = [
    adds, discards, adds_later, asks, updates, joins, takes_off, compares, is_subset, differs, copies, displays,
    comprehends, hands_over, changes,
]  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_elements_that_are_shown(use: Callable[[Any, Any], Any]) -> None:
    def around(item: Any, items: Any, xs: Any) -> Any:
        before = item.number
        use(item, xs)
        return before, item.number

    def of_table(table: Any, xs: Any) -> Any:
        before = table[0].number
        use(table[0], xs)
        return before, table[0].number

    item, other = Item("a"), Item("a")
    residual = specialize(around, item, None)
    assert residual([Meddling(item), _change]) == around(other, None, [Meddling(other), _change]) != (1, 1)
    item, other = Item("a"), Item("a")
    residual = specialize(of_table, [item])
    assert residual([Meddling(item), _change]) == of_table([other], [Meddling(other), _change]) != (1, 1)


def test_what_an_element_holds_is_shown() -> None:
    """A list in one item is compared with what is stored in another one."""

    def around(items: Any, x: Any) -> Any:
        first, second = items
        before = len(first.number)
        second.number = x
        found = {1}
        found.add(second)
        found.discard(first)
        return before, len(first.number)

    def made() -> list[Item]:
        return [Item("a", []), Item("a", 2)]

    residual = specialize(around, made())
    result = residual(Meddling(Item("a")))
    assert result == around(made(), Meddling(Item("a")))  # once or more often: a search may come by an entry twice
    assert result[0] == 0 < result[1]


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_rare_ways_hand_over() -> None:
    """An element gets away where hardly any call comes: the others keep what is known, and no iterator is made."""

    class Table:
        def __init__(self) -> None:
            self.items = [Item("a", 1), Item("b", 2), Item("c", 3)]

        def total(self, data: Any, seen: Any) -> Any:
            total = 0
            for item in self.items:
                if item.name not in data:
                    if len(data) > 100:
                        if data.get("x"):
                            found = set(seen)
                            found.discard(item)
                            return total, item.number, len(found)
                    total += 1
                else:
                    total += item.number
            return total

    table, other = Table(), Table()
    residual = specialize(table.total)
    assert residual.stats["notes"].get("FT413") == 1 and "__setstate__" not in residual.source
    many = dict.fromkeys(map(str, range(200)), 1) | {"x": 1}
    for data in ({"a": 1}, many, {"b": 1}, many, {"a": 1, "b": 1, "c": 1}):
        seen = [Meddling(table.items[0]), 1]
        assert residual(data, seen) == other.total(data, seen)


def test_iterators_that_are_needed_later() -> None:
    class Table:
        def __init__(self) -> None:
            self.items = [Item("a", 1), Item("b", 2), Item("c", 3)]

        def rest(self, data: Any, function: Any) -> Any:
            found = []
            items = iter(self.items)
            for item in items:
                if item.name not in data:
                    if len(data) > 100:
                        if data.get("x"):
                            function(self)
                            found.append([one.name for one in items])
                            return found
                found.append(item.number)
            return found

    def change(table: Any) -> None:
        table.items.append(Item("d", 4))
        table.items[1].name = "z"

    table, other = Table(), Table()
    residual = specialize(table.rest)
    assert residual.stats["notes"].get("FT413") == 1 and "__setstate__" in residual.source
    many = dict.fromkeys(map(str, range(200)), 1) | {"x": 1}
    for data in ({"a": 1}, many, {"a": 1}, many):
        assert residual(data, change) == other.rest(data, change)
