"""More nesting than CPython compiles: loops become local functions, and still do the same."""

from __future__ import annotations

from typing import Any

import pytest

from futamura.backend.python.emit import emit
from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.graph import Edge, Program, Signature
from futamura.ir.interp import run


def nested_loops(depth: int) -> Program:
    """`for i0 in range(n): for i1 in range(n): ... s = s + 1`, which no source of this depth could say."""
    b = FunctionBuilder("count", Signature(regular=("n",)), module="__main__")
    entry = b.block()
    (n,) = b.params(entry, "n")

    def loop(before: BlockBuilder, total: int, level: int) -> tuple[BlockBuilder, int]:
        numbers = b.emit(before, "call", (b.emit(before, "global_get", (), ("__main__", "range")), n))
        iterator = b.emit(before, "iter", (numbers,))
        header = b.block()
        (current,) = b.params(header, "s")
        b.terminate(before, "jump", (), (Edge(header.id, (total,)),))
        body, after = b.block(), b.block()
        b.params(body, f"i{level}")
        b.terminate(header, "next", (iterator,), (Edge(body.id), Edge(after.id)))
        if level == depth - 1:
            more = b.emit(body, "iadd", (current, b.constant(body, 1)), hint="s")
            b.terminate(body, "jump", (), (Edge(header.id, (more,)),))
        else:
            inner, result = loop(body, current, level + 1)
            b.terminate(inner, "jump", (), (Edge(header.id, (result,)),))
        return after, current

    last, total = loop(entry, b.constant(entry, 0, hint="s"), 0)
    b.terminate(last, "return", (total,))
    return Program("count", (b.finish(),))


@pytest.mark.parametrize("depth", [3, 19, 22, 26, 45])
def test_deep_loops_compile_and_count(depth: int) -> None:
    program = nested_loops(depth)
    emitted = emit(program)
    namespace: dict[str, Any] = {}
    exec(emitted.text, namespace)
    interpreted = run(program, (1,), globals={"range": range})
    assert namespace["count"](1) == interpreted == 1
    assert namespace["count"](0) == 0
    if depth <= 3:
        assert namespace["count"](3) == 27
    assert emitted.dispatchers == 0


def test_shallow_loops_stay_in_one_function() -> None:
    assert emit(nested_loops(10)).text.count("def ") == 1
    assert emit(nested_loops(26)).text.count("def ") > 1
