"""Hypothesis strategies for everything that the IR is made of; each new part of it extends this file.

    CONSTANTS, ATTRIBUTES     values of constants; attributes of operations
    VALUES["int"], typed(2)   values of an exact builtin type; (types, values) for the operands of an operator
    functions()               small functions with every optional part, for the text and data forms
    GRAPHS, function_of(g)    any control flow as lists of successors, and a function that has it

Big functions that can be run are in `tests/fuzz/graphs.py`.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from hypothesis import strategies as st

from futamura.ir.attributes import ClassAttr, FunctionAttr
from futamura.ir.build import FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Function, Signature, Span

__all__ = ["ATTRIBUTES", "CONSTANTS", "GRAPHS", "VALUES", "function_of", "functions", "typed"]

ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.just(...), st.just(NotImplemented), st.text(), st.binary(),
    st.floats(allow_nan=True), st.complex_numbers(allow_nan=True),
    st.integers(0, 2**52 - 2).map(lambda bits: struct.unpack(">d", struct.pack(">Q", 0x7FF8000000000000 | bits))[0]),
    st.sampled_from([int, ValueError, len, struct, "None", "True", 1 << 5000, -(1 << 5000), -0.0, float("inf")]),
)  # fmt: skip
CONSTANTS = st.recursive(
    ATOMS, lambda inner: st.one_of(st.lists(inner).map(tuple), st.frozensets(inner, max_size=1)), max_leaves=8
)
"""Those whose text gives back all that there is: of more elements it has not the order."""
ATTRIBUTES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), CONSTANTS.map(Constant)),
    lambda inner: st.one_of(
        st.lists(inner).map(tuple),
        st.builds(FunctionAttr, st.text(), st.integers(), st.lists(st.text()).map(tuple)),
        st.builds(ClassAttr, st.text(), st.text(), st.lists(st.text()).map(tuple)),
    ),
    max_leaves=8,
)

_INTS = st.one_of(st.integers(-5, 70), st.integers(), st.sampled_from([10**400, -(10**400), 2**63]))
_FLOATS = st.one_of(
    st.floats(), st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, math.inf, -math.inf, math.nan, 1e308, 5e-324])
)
_FORMATS = ["", "%d", "%s", "%", "%5.2f", "%c", "%x", "%(a)s", "%%", ">5", "d"]
_TEXTS = st.one_of(st.text(max_size=4), st.sampled_from(_FORMATS))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int": _INTS,
    "bool": st.booleans(),
    "float": _FLOATS,
    "complex": st.builds(complex, _FLOATS, _FLOATS),
    "str": _TEXTS,
    "bytes": st.one_of(st.binary(max_size=4), st.sampled_from([b"%d", b"%s", b"%", b"%c", b"%a"])),
    "NoneType": st.none(),
    "ellipsis": st.just(...),
    "tuple": st.lists(_INTS, max_size=3).map(tuple),
    "list": st.lists(_INTS, max_size=3),
    "dict": st.dictionaries(st.text(max_size=1), _INTS, max_size=2),
    "set": st.sets(st.integers(0, 9), max_size=2),
    "frozenset": st.frozensets(st.integers(0, 9), max_size=2),
    "range": st.builds(range, st.integers(0, 5)),
}


@st.composite
def typed(draw: st.DrawFn, count: int) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    types = tuple(draw(st.sampled_from(sorted(VALUES))) for _ in range(count))
    return types, tuple(draw(VALUES[type]) for type in types)


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


GRAPHS = st.integers(1, 10).flatmap(
    lambda size: st.lists(st.lists(st.integers(1, max(1, size - 1)), max_size=3), min_size=size, max_size=size)
)


def function_of(graph: list[list[int]]) -> Function:
    """A function whose blocks lead where the lists say; nothing leads to block 0."""
    b = FunctionBuilder("f", Signature(regular=("a",)))
    blocks = [b.block() for _ in graph]
    b.params(blocks[0], "a")
    for block, targets in zip(blocks, graph):
        edges = tuple(Edge(target) for target in targets if target < len(graph))
        if not edges:
            b.terminate(block, "unreachable")
        elif len(edges) == 1:
            b.terminate(block, "jump", (), edges)
        else:
            cases = b.constant(block, None)
            b.terminate(block, "switch", (cases,), edges, tuple(Constant(case) for case in range(len(edges) - 1)))
    return b.finish()
