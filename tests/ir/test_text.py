"""The text and data forms give back exactly what was written."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from futamura.ir.attributes import ClassAttr, FunctionAttr
from futamura.ir.build import FunctionBuilder
from futamura.ir.constant import Constant, exact_key
from futamura.ir.data import from_data, to_data
from futamura.ir.graph import Edge, Function, Operation, Program, Signature, Span
from futamura.ir.literal import Reader, attribute_text, constant_text
from futamura.ir.text import ParseError, parse_function, parse_program, print_function, print_program

ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.just(...), st.just(NotImplemented), st.text(), st.binary(),
    st.floats(allow_nan=True), st.complex_numbers(allow_nan=True),
    st.integers(0, 2**52 - 2).map(lambda bits: struct.unpack(">d", struct.pack(">Q", 0x7FF8000000000000 | bits))[0]),
    st.sampled_from([int, ValueError, len, struct, "None", "True", 1 << 5000, -(1 << 5000), -0.0, float("inf")]),
)  # fmt: skip
CONSTANTS = st.recursive(
    ATOMS, lambda inner: st.one_of(st.lists(inner).map(tuple), st.frozensets(inner)), max_leaves=8
)
ATTRIBUTES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), CONSTANTS.map(Constant)),
    lambda inner: st.one_of(
        st.lists(inner).map(tuple),
        st.builds(FunctionAttr, st.text(), st.integers(), st.lists(st.text()).map(tuple)),
        st.builds(ClassAttr, st.text(), st.text(), st.lists(st.text()).map(tuple)),
    ),
    max_leaves=8,
)


@given(CONSTANTS)
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


NAMES = st.one_of(st.none(), st.text(), st.sampled_from(["a", "b.c", "<lambda>", ".0", "None", "f.<locals>.g#2"]))
SPANS = st.one_of(st.none(), st.builds(Span, *[st.integers(0, 99)] * 4))


@st.composite
def functions(draw: st.DrawFn) -> Function:
    """Small functions with every optional part of the header, hints, spans, ids and regions."""
    text = st.text(min_size=1)
    names = draw(st.lists(text, unique=True, min_size=5, max_size=5))
    signature = Signature((names[0],), (), draw(st.sampled_from([None, names[1]])), (names[2],), names[3])
    b = FunctionBuilder(
        draw(text), signature, qualname=draw(text), free=(names[4],),
        kind=draw(st.sampled_from(["function", "generator"])),
        doc=draw(st.one_of(st.none(), st.text())), module=draw(st.text()), file=draw(st.text()), span=draw(SPANS),
    )  # fmt: skip
    entry = b.block()
    params = b.params(entry, *[draw(NAMES) for _ in (*signature.names, *b.free)])
    tried, after = b.region("try", 0, flavor="except", span=draw(SPANS)), b.block()
    body, handler = b.block(tried), b.block(b.region("except", 0, of=tried))
    b.set_handler(tried, handler.id)
    (exc,) = b.params(handler, draw(NAMES))
    (joined,) = b.params(after, draw(NAMES))
    result = b.value(draw(NAMES), draw(st.sampled_from(["object", "i64", "a b"])))
    b.append(body, "add", (params[0], params[1]), None, (result,), draw(SPANS))
    body.handler = Edge(handler.id)
    made = b.constant(handler, draw(CONSTANTS), hint=draw(NAMES), span=draw(SPANS))
    b.terminate(entry, "jump", (), (Edge(body.id),))
    b.terminate(body, "jump", (), (Edge(after.id, (result,)),), span=draw(SPANS))
    b.terminate(handler, "raise", (exc, made)) if draw(st.booleans()) else b.terminate(handler, "reraise", (exc,))
    b.terminate(after, "return", (joined,))
    return b.finish()


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
        name: getattr(function, name) for name in Function.__slots__ if name != "blocks"
    } | {"name": "f", "blocks": blocks}),))  # fmt: skip
    assert parse_program(print_program(changed)) == changed
    assert from_data(to_data(changed)) == changed


BROKEN = [
    ("func f()\nb0():\n  v0 = cons 1\n  return v0\n", (3, 8), "unknown operator cons"),
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
