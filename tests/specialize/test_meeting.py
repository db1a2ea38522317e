"""Where ways meet: optional fields and defaults do not double what follows, however many there are.

    for name, default in schema: out[name] = data[name] if name in data else default      one line a field

Invariant: few ways stay apart, and each residual is compared with its original for every set of fields.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome

SCHEMA = [
    ("host", "localhost"), ("port", 80), ("debug", False), ("level", 1), ("name", None), ("ratio", 0.5), ("tag", "x"),
]  # fmt: skip


def displayed(schema: Any, data: Any) -> Any:
    out = {}
    for name, default in schema:
        out[name] = data[name] if name in data else default  # noqa: SIM401
    return out


def got(schema: Any, data: Any) -> Any:
    out = {}
    for name, default in schema:
        value = data.get(name)
        if value is None:
            value = default
        out[name] = value
    return out


class Settings:
    pass


def assigned(schema: Any, data: Any) -> Any:
    settings = Settings()
    for name, default in schema:
        if name in data:
            setattr(settings, name, data[name])
        else:
            setattr(settings, name, default)
    return vars(settings) if data is None else [settings.host, settings.port, settings.debug]  # type: ignore[attr-defined]


def variables(schema: Any, data: Any) -> Any:
    host, port, debug, level, name = "localhost", 80, False, 1, None
    if "host" in data:
        host = data["host"]
    if "port" in data:
        port = data["port"]
    if "debug" in data:
        debug = data["debug"]
    if "level" in data:
        level = data["level"]
    if "name" in data:
        name = data["name"]
    return host, port, debug, level, name, schema[0]


def required(schema: Any, data: Any) -> Any:
    out = {}
    missing = []
    for name, kind in schema:
        if name not in data:
            missing.append(name)
        elif kind is not None and not isinstance(data[name], type(kind)):
            missing.append((name, type(kind).__name__))
        else:
            out[name] = data[name]
    if missing:
        raise ValueError(missing)
    return out


PROGRAMS = [displayed, got, assigned, variables, required]


@pytest.mark.parametrize("function", PROGRAMS)
def test_what_is_left_is_as_long_as_the_schema(function: Any) -> None:
    lengths = [len(specialize(function, SCHEMA[:count]).source) for count in (5, 7)]
    longest = {variables: 1.05}.get(function, 1.75)
    assert lengths[1] < longest * lengths[0], lengths


@pytest.mark.parametrize("function", PROGRAMS)
def test_every_set_of_fields(function: Any) -> None:
    residual = specialize(function, SCHEMA)
    assert not residual.stats["fallbacks"]
    values = {"host": "h", "port": 1, "debug": True, "level": 2.5, "name": "n", "ratio": None, "tag": "t"}
    for count in range(len(SCHEMA) + 1):
        for chosen in itertools.combinations(values, count):
            data = {name: values[name] for name in chosen}
            assert outcome(residual, data) == outcome(lambda data: function(SCHEMA, data), data)


def two(schema: Any, data: Any) -> Any:
    parts = ["SELECT"]
    first = data.get("a")
    if first is not None:
        parts.append("a")
    limit = data.get("n", schema)
    return " ".join(parts) + (" LIMIT" if limit else "")


def test_few_ways_stay_apart() -> None:
    residual = specialize(two, 10)
    assert "'SELECT a'" in residual.source and "join" not in residual.source, residual.source
    for data in ({}, {"a": 1}, {"a": 1, "n": 0}, {"n": 3}):
        assert outcome(residual, data) == outcome(lambda data: two(10, data), data)


def states(table: Any, text: Any) -> Any:
    """A machine whose states are known, beside values that are known on some ways only."""
    state, best, last, seen = "start", None, None, 0
    for letter in text:
        kind = "digit" if letter.isdigit() else "other"
        state = table[state, kind]
        if state == "number":
            best = letter
        elif letter == "-":
            last = letter
        else:
            seen = 1
    return state, best, last, seen


def test_states_of_a_machine_stay_known() -> None:
    table = {
        ("start", "digit"): "number", ("start", "other"): "word", ("number", "digit"): "number",
        ("number", "other"): "word", ("word", "digit"): "word", ("word", "other"): "start",
    }  # fmt: skip
    residual = specialize(states, table)
    assert "_k[" not in residual.source and "table" not in residual.source, residual.source
    for text in ("", "1", "12a-3", "--a--1", "a1b2"):
        assert outcome(residual, text) == outcome(lambda text: states(table, text), text)
