"""What residuals gain: paths and messages are put together where something raises, neighbouring fields by one call.

    check(schema, data, path) for one schema    ->    each f-string of the residual stands behind `raise`

Invariant: the residual raises what the original raises, with the same text.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest

from futamura import Dyn, specialize


class Bad(Exception):
    """What does not fit."""


def check(schema: dict[str, Any], data: Any, path: str) -> None:
    where = f"{path}"
    kind = schema["type"]
    if kind == "object":
        if not isinstance(data, dict):
            raise Bad(f"{where}: not an object")
        for key, inner in schema["properties"].items():
            if key in data:
                check(inner, data[key], f"{where}.{key}")
    elif kind == "array":
        if not isinstance(data, list):
            raise Bad(f"{where}: not an array")
        for place, item in enumerate(data):
            check(schema["items"], item, f"{where}[{place}]")
    elif not isinstance(data, str):
        raise Bad(f"{where}: not a string")


SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
}


def outcome(function: Any, *args: Any) -> object:
    try:
        return function(*args)
    except (Bad, struct.error, TypeError) as error:
        return type(error), str(error)


def test_paths_are_made_where_something_raises() -> None:
    residual = specialize(check, schema=SCHEMA, path=Dyn(str))
    lines = [line for line in residual.source.splitlines() if "f'" in line or "join" in line]
    assert len(lines) == 4
    assert all(line.strip().startswith("raise ") for line in lines), residual.source
    for data in ({}, 3, {"name": 1}, {"tags": 5}, {"tags": ["a", 2]}, {"name": "n", "tags": ["a"] * 3}):
        assert outcome(residual, data, "$") == outcome(check, SCHEMA, data, "$")


CODES = {"u8": "B", "u16": "H", "u32": "I", "f64": "d"}


def decode(layout: tuple[tuple[str, str], ...], data: Any) -> dict[str, object]:
    record: dict[str, object] = {}
    at = 0
    for name, kind in layout:
        code = ">" + CODES[kind]
        (record[name],) = struct.unpack_from(code, data, at)
        at += struct.calcsize(code)
    return record


LAYOUT = (("version", "u8"), ("serial", "u32"), ("value", "f64"))


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_fields_are_unpacked_by_one_call(kind: Any) -> None:
    residual = specialize(decode, layout=LAYOUT)
    assert "'>BId'" in residual.source
    for size in range(15):
        data = kind(bytes(range(size)))
        assert outcome(residual, data) == outcome(decode, LAYOUT, data)
    assert outcome(residual, None) == outcome(decode, LAYOUT, None)
