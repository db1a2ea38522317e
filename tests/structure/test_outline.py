"""Functions beyond CPython's limits: what is outlined computes the same.

    30 nested loops      a function of 8 loops that calls a local function of 22 loops, and so on

Opaque parts are Python text; their names are found by `ast`, as the printer knows them.
Invariant: the expected value comes from a plain Python walk over the same graph.
"""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from futamura.backend.structure import outline as outlining
from futamura.backend.structure.gate import nested_blocks
from futamura.backend.structure.shape import Edge, Goto, Leave, Next, Node, Shape
from futamura.backend.structure.shape import Test as Branch
from futamura.backend.structure.structure import BLOCK_LIMIT, structure
from futamura.backend.structure.tree import Call, Initial, Outlined, Suite
from tests.structure.rendering import render

BUILT_IN = {"range", "len"}


def names(part: object) -> tuple[set[str], set[str], bool]:
    text = str(part)
    reads: set[str] = set()
    writes: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            reads.add(node.target.id)
        if isinstance(node, ast.Name) and node.id not in BUILT_IN:
            (writes if isinstance(node.ctx, ast.Store) else reads).add(node.id)
    return reads, writes, text.startswith(("return", "yield"))


class Text(str):
    """A `for` target: written, not read."""


def names_of_parts(part: object) -> tuple[set[str], set[str], bool]:
    if isinstance(part, Text):
        return set(), {str(part)}, False
    return names(part)


def counting(depth: int, counted: bool) -> Shape:
    """Nested loops that count in `s`, remember the last `k`, and look at it behind the loops."""
    nodes = {0: Node(0, ["s = 0", "k = n"], Goto(Edge(2))), 1: Node(1, [], Leave("return s * 100 + k + i1"))}
    back = 1
    id = 2
    for level in range(depth):
        times = 2 if level % 4 == 1 else 1
        if counted:
            nodes[id] = Node(id, [], Goto(Edge(id + 1)))
            end = Next(Text(f"i{level}"), f"range({times})", Edge(id + 3), Edge(back if back == 1 else back + 1))
            nodes[id + 1] = Node(id + 1, [], end)
        else:
            nodes[id] = Node(id, [f"i{level} = 0"], Goto(Edge(id + 1)))
            test = Branch(f"i{level} < {times}", Edge(id + 2), Edge(back if back == 1 else back + 1))
            nodes[id + 1] = Node(id + 1, [], test)
            nodes[id + 2] = Node(id + 2, [f"i{level} += 1"], Goto(Edge(id + 3)))
        back = id
        id += 3
    nodes[id] = Node(id, [f"s += i1 + i{depth - 1} + 1", "k = s"], Goto(Edge(back + 1)))
    return Shape(nodes, 0)


def value(suite: Suite) -> object:
    space: dict[str, object] = {}
    exec(compile("\n".join(["def f(n):", *render(suite, 1)]), "<test>", "exec"), space)
    function = space["f"]
    assert callable(function)
    return function(7)


def walked(shape: Shape) -> object:
    space: dict[str, object] = {"n": 7}
    iterators: dict[int, object] = {}
    id, before = shape.entry, -1
    while True:
        node = shape.nodes[id]
        for statement in node.statements:
            exec(str(statement), space)
        match node.end:
            case Goto(edge):
                after = edge.target
            case Branch(condition, then, orelse):
                after = (then if eval(str(condition), space) else orelse).target
            case Next(target, iterator, body, done):
                if before == id - 1:
                    iterators[id] = iter(eval(str(iterator), space))
                try:
                    space[str(target)] = next(iterators[id])  # type: ignore[call-overload]
                    after = body.target
                except StopIteration:
                    after = done.target
            case Leave(statement):
                return eval(str(statement).removeprefix("return "), space)
            case _:
                raise AssertionError(node.end)
        id, before = after, id


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("depth", [17, 19, 30, 45])
def test_deep_loops(depth: int, counted: bool) -> None:
    shape = counting(depth, counted)
    suite = structure(shape, names=names_of_parts, parameters=["n"])
    assert nested_blocks(suite)[0] <= BLOCK_LIMIT
    assert any(isinstance(statement, Outlined) for statement in suite) == (depth > BLOCK_LIMIT)
    assert value(suite) == walked(shape)


def test_each_part_is_asked_once_for_its_names() -> None:
    """What is taken out is looked through again and again; finding the names of a part takes long."""
    shape = counting(60, False)
    asked: Counter[int] = Counter()
    kept = []

    def count(part: object) -> tuple[set[str], set[str], bool]:
        kept.append(part)
        asked[id(part)] += 1
        return names_of_parts(part)

    suite = structure(shape, names=count, parameters=["n"])
    assert value(suite) == walked(shape)
    assert asked and max(asked.values()) <= 2, "once for each outline, and by the structurer itself"


def test_without_names_loops_are_flattened() -> None:
    shape = counting(30, False)
    suite = structure(shape)
    assert nested_blocks(suite)[0] <= BLOCK_LIMIT
    assert value(suite) == walked(shape)


def test_long_functions_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlining, "LONG_FUNCTION", 100)
    monkeypatch.setattr(outlining, "LONG_STRETCH", 40)
    nodes = {}
    for id in range(0, 300, 2):
        nodes[id] = Node(id, [f"a{id % 7} = {id} + n"], Branch("n > 3", Edge(id + 1), Edge(id + 2)))
        nodes[id + 1] = Node(id + 1, [f"n += a{id % 7} % 5"], Goto(Edge(id + 2)))
    nodes[300] = Node(300, [], Leave("return n + a0 + a6"))
    shape = Shape(nodes, 0)
    suite = structure(shape, names=names_of_parts, parameters=["n"])
    assert sum(isinstance(statement, Call) for statement in suite) > 3
    assert sum(isinstance(statement, Initial) for statement in suite) == 1
    assert value(suite) == walked(shape)
