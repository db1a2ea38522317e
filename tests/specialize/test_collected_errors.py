"""Validators that collect errors: what each field is checked by is known, whatever the others gave.

    for key, value in data.items():
        for check in checks.get(key, []): ...          _1 = _k.get(key, 2)
        missing.discard(key)                    ->     if _1 == 0: isinstance(value, str) ...

A known table asked for an open key tells the ways apart; what a loop only writes to, and what a loop makes anew in each
trip, does not.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome


class Invalid(Exception):
    def __init__(self, message: str, path: Any = None) -> None:
        Exception.__init__(self, message)
        self.path = path or []


class Several(Invalid):
    def __init__(self, errors: Any = None) -> None:
        self.errors = errors[:] if errors else []

    @property
    def path(self) -> Any:  # type: ignore[override]
        return self.errors[0].path

    def __str__(self) -> str:
        return "; ".join(f"{error} @ {error.path}" for error in self.errors)


def equal_to(expected: Any) -> Callable[[Any, Any], Any]:
    def check(path: Any, value: Any) -> Any:
        if value != expected:
            raise Invalid("not a valid value", path)
        return value

    return check


def of_class(kind: type) -> Callable[[Any, Any], Any]:
    def check(path: Any, value: Any) -> Any:
        if isinstance(value, kind):
            return value
        raise Invalid("expected " + kind.__name__, path)

    return check


def mapping(schema: dict[Any, Any]) -> Callable[[Any, Any, Any], Any]:
    table: dict[Any, list[Any]] = {}
    for name, inner in schema.items():
        check = mapping(inner) if isinstance(inner, dict) else of_class(inner)
        table.setdefault(name, []).append((name, (equal_to(name), check)))
    more: list[Any] = []
    required = list(schema)
    nested = {name for name, inner in schema.items() if isinstance(inner, dict)}

    def validate(path: Any, data: Any, out: Any) -> Any:
        if not isinstance(data, dict):
            raise Invalid("expected a dict", path)
        missing = dict.fromkeys(required)
        errors: list[Any] = []
        for key, value in data.items():
            key_path = [*path, key]
            error = None
            for name, (check_key, check_value) in itertools.chain(table.get(key, []), more):
                try:
                    new_key = check_key(key_path, key)
                except Invalid as e:
                    if len(e.path) > len(key_path):
                        raise
                    error = e
                    continue
                found = []
                try:
                    out[new_key] = check_value(key_path, value, {}) if name in nested else check_value(key_path, value)
                except Several as e:
                    found.extend(e.errors)
                except Invalid as e:
                    found.append(e)
                missing.pop(name, None)
                if found:
                    for one in found:
                        if len(one.path) <= len(key_path):
                            one.where = "a value"
                        errors.append(one)
                    break
                break
            else:
                errors.append(error if error else Invalid("extra keys", key_path))
        for name in missing:
            errors.append(Invalid("required", [*path, name]))
        if errors:
            raise Several(errors)
        return out

    return validate


class Schema:
    def __init__(self, schema: dict[Any, Any]) -> None:
        self.check = mapping(schema)

    def __call__(self, data: Any) -> Any:
        try:
            return self.check([], data, {})
        except Several:
            raise
        except Invalid as e:
            raise Several([e]) from None


class Odd(str):
    """Equal to everything, and nothing is equal to it."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class Broken:
    def __init__(self) -> None:
        self.items = [1]

    @property
    def __class__(self) -> Any:
        raise Invalid("asked", ["a", "b", "c"])


FLAT = {"name": str, "age": int}
WIDE = {f"field{number}": (str, int, float, list)[number % 4] for number in range(12)}
NESTED = {"id": int, "who": {"name": str, "tags": list}}
VALUES: list[Any] = [
    None, 3, {}, {"name": "a", "age": 1}, {"age": 1, "name": "a"}, {"name": 1, "age": "a"}, {"name": "a"}, {"more": 1},
    {"name": "a", "age": 1, "more": 2}, {Odd("name"): "a", "age": 1}, {Odd("age"): 1, "name": "a"}, {1: 2, None: 3},
    {"name": Broken(), "age": Broken()}, {"field1": 1, "field2": "x", "field3": []}, dict.fromkeys(WIDE, 1),
    {"field0": "a", "field1": 1, **dict.fromkeys(WIDE, 1.5)}, {"id": 1, "who": {"name": "a", "tags": []}},
    {"id": 1, "who": {"name": 1, "more": 2}}, {"id": "a", "who": 3}, {"who": {}, "id": 1}, {"id": 1, "who": Broken()},
]  # fmt: skip


def seen(result: Any) -> Any:
    """An outcome with what the errors in it say."""
    return re.sub("0x[0-9a-f]+", "", str(result))


@pytest.mark.parametrize("schema", [FLAT, WIDE, NESTED], ids=["flat", "wide", "nested"])
def test_checks_are_chosen_by_known_keys(schema: dict[Any, Any]) -> None:
    subject = Schema(schema)
    residual = specialize(subject.__call__)
    for value in VALUES:
        assert seen(outcome(residual, value)) == seen(outcome(subject, value)), value
    text = residual.source
    assert not residual.stats["fallbacks"]
    for gone in ("check_key", "check_value", "table", "_dispatch", "of_class"):
        assert not re.search(rf"\b{gone}\b", text), text
    assert len(text.splitlines()) < 80 * (len(schema) + (schema is NESTED)) + (140 if schema is NESTED else 70), text


def dropped(names: list[str], rows: list[Any]) -> Any:
    missing = set(names)
    last = dict.fromkeys(names, 0)
    for row in rows:
        for name in names:
            if row == name:
                missing.discard(name)
                last[name] = row
    return sorted(missing), last


def test_what_a_loop_only_writes_to_makes_no_copies_of_it() -> None:
    names = [f"name{number}" for number in range(14)]
    residual = specialize(dropped, names=names)
    for rows in ([], names, names[3:5], ["other", *names[::3]], [1, None]):
        assert residual(rows) == dropped(names, rows)
    assert len(residual.source.splitlines()) < 4 * len(names) + 10 and residual.stats["versions"] < 12 * len(names)


def popped(keys: Any, rows: Any) -> Any:
    left = dict.fromkeys(keys, 1)
    taken = []
    for row in rows:
        if row == 1:
            taken.append(left.pop("a", None))  # what is given is used: this is no mere write
        else:
            left.setdefault("b", row)
    return taken, left


def test_what_a_loop_takes_out_and_uses_is_right() -> None:
    residual = specialize(popped, keys=("a",))
    for rows in ([], [1], [1, 1], [2, 1, 2, 3], [3, 1, 1]):
        assert residual(rows) == popped(("a",), rows)


def three_ways(rows: Any, out: Any, get: Any) -> Any:
    for row in rows:
        kind = 0
        value = None
        try:
            value = get(row)
        except KeyError:
            kind = 1
        except ValueError:
            kind = 2
        if kind == 0:
            out.append(value)
        elif kind == 1:
            out.append(get(3))
            out.append("a")
        else:
            out.append(get(4))
            out.append("b")
    return out


def test_a_try_statement_that_is_left_to_three_places_needs_one_flag_and_no_loop() -> None:
    residual = specialize(three_ways)
    text = residual.source
    assert "while True" not in text and text.count("try:") == 1, text
    assert len(set(re.findall(r"\b(_\d+) = 0$", text, re.MULTILINE))) <= 1, text

    def get(row: Any) -> Any:
        if row == "key":
            raise KeyError(row)
        if row == "value":
            raise ValueError(row)
        if row == "other":
            raise TypeError(row)
        return row

    for rows in ([], [1, 2], ["key", 1, "value"], ["value", "value"], [1, "other", 2]):
        assert str(outcome(residual, rows, [], get)) == str(outcome(three_ways, rows, [], get))


def rejected(rows: Any, errors: Any) -> Any:
    for row in rows:
        path = [row]
        errors.append(Invalid("no", path))
    return errors


def test_exceptions_that_call_the_init_of_their_base_by_its_name() -> None:
    residual = specialize(rejected)
    assert "__init__" not in residual.source
    found = residual([1, None], [])
    assert [(error.args, error.path) for error in found] == [(("no",), [1]), (("no",), [None])]


class Renamed(Exception):
    def __init__(self, text: str, *more: Any) -> None:
        LookupError.__init__(self, text)  # type: ignore[arg-type]
        self.more = more


def renamed(rows: Any) -> Any:
    return [Renamed("a", row) for row in rows]


def test_the_init_of_another_class_complains() -> None:
    residual = specialize(renamed)
    assert str(outcome(residual, [1])) == str(outcome(renamed, [1])) and "TypeError" in str(outcome(residual, [1]))
