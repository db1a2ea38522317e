"""The text and data forms give back exactly what was written."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from futamura.ir.constant import exact_key
from futamura.ir.data import from_data, to_data
from futamura.ir.graph import Function, Operation, Program
from futamura.ir.literal import Reader, attribute_text, constant_text
from futamura.ir.text import ParseError, parse_function, parse_program, print_function, print_program
from tests.strategies import ATTRIBUTES, CONSTANTS, functions


@given(st.one_of(CONSTANTS, st.frozensets(CONSTANTS)))
def test_constants_are_exact(value: object) -> None:
    table: list[object] = []
    text = constant_text(value, table)
    assert not table
    assert "\n" not in text
    assert exact_key(Reader(text, 1, table).constant()) == exact_key(value)


@given(ATTRIBUTES)
def test_attributes_are_exact(attr: object) -> None:
    read = Reader(attribute_text(attr, []), 1, ()).attribute()
    assert read == attr
    assert type(read) is type(attr)


def test_objects_go_to_the_table() -> None:
    first, second = object(), [1]
    table: list[object] = []
    text = constant_text((first, second, first, lambda: 0), table)
    assert text == "(@0, @1, @0, @2)"
    read = Reader(text, 1, table).constant()
    assert isinstance(read, tuple)
    assert read[0] is first and read[1] is second and read[2] is first


@given(functions())
def test_round_trip(function: Function) -> None:
    program = Program(function.name, (function,))
    assert parse_function(print_function(function)) == function
    assert parse_program(print_program(program)) == program
    assert from_data(to_data(program)) == program


@given(functions(), st.integers(1, 1000))
def test_ids_survive(function: Function, distance: int) -> None:
    body = function.blocks[2]
    moved = [Operation(operation.id + 10 * distance, *operation[1:]) for operation in body.ops]
    blocks = tuple(block if block is not body else block._replace(ops=tuple(moved)) for block in function.blocks)
    changed = Program("f", (Function(**{
        field.name: getattr(function, field.name) for field in dataclasses.fields(function) if field.name != "blocks"
    } | {"name": "f", "blocks": blocks}),))  # fmt: skip
    assert parse_program(print_program(changed)) == changed
    assert from_data(to_data(changed)) == changed


BROKEN = [
    ("func f()\nb0():\n  v0 = conts 1\n  return v0\n", (3, 8), "unknown operator conts"),
    ("func f()\nb0():\n  v0 = const )\n  return v0\n", (3, 14), "a constant is missing"),
    ("func f()\nb0():\n  v0 = const 1\n  v0 = const 2\n  return v0\n", (4, 3), "v0 is defined a second time"),
    ("func f()\nb0():\n  v0 = const 1\n", (2, 6), "b0 has no terminator"),
    ("func f()\nb0():\n  v0 = const 1\n  return v0 what\n", (4, 13), "unexpected text"),
    ("func f(\n", (1, 8), "a name is missing"),
    ("func f()\nb0():\n  v0 = const @3\n  return v0\n", (3, 16), "the table has no entry 3"),
    ("func f()\nb0():\n  v0 = const nowhere:x\n  return v0\n", (3, 23), "cannot import nowhere:x"),
]


@pytest.mark.parametrize(("text", "place", "message"), BROKEN)
def test_errors_say_where(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_function(text)
    assert (caught.value.line, caught.value.column) == place
    assert message in str(caught.value)
