"""Typical shapes give the statements that a person would write.

    shape("a: x=1 -> b", ...)      the text of its tree, compared with the expected text

Nodes are written as `id@extent: statements | end`; ends are `-> n`, `c ? n : n`, `for x in it ? n : n` and
statements that leave.
Invariant: expected texts are what a reader expects, not what the structurer happens to give.
"""

from __future__ import annotations

from textwrap import dedent

import pytest

from futamura.backend.structure.shape import (
    Clause,
    Edge,
    End,
    Extent,
    Falls,
    Goto,
    Leave,
    Next,
    Node,
    Protected,
    Shape,
)
from futamura.backend.structure.shape import Test as Branch
from futamura.backend.structure.structure import structure
from tests.structure.rendering import render


def edge(text: str) -> Edge:
    """`3` or `3[i = 0; j = 1]`."""
    target, _, moves = text.strip().partition("[")
    return Edge(int(target), tuple(move.strip() for move in moves.rstrip("]").split(";")) if moves else ())


def end(text: str) -> End:
    text = text.strip()
    if text == "falls":
        return Falls()
    if text.startswith("->"):
        return Goto(edge(text[2:]))
    if "?" not in text:
        return Leave(text)
    condition, _, arms = text.partition("?")
    first, _, second = arms.partition(":")
    if condition.startswith("for "):
        target, _, iterator = condition[4:].partition(" in ")
        return Next(target.strip(), iterator.strip(), edge(first), edge(second))
    return Branch(condition.strip(), edge(first), edge(second))


def shape(text: str, extents: list[Extent] | None = None, statements: list[Protected] | None = None) -> Shape:
    """One node a line: `id@extent: statement; statement | end`."""
    nodes: dict[int, Node] = {}
    for line in dedent(text).strip().splitlines():
        head, _, rest = line.partition(":")
        body, _, way = rest.partition("|")
        id, _, extent = head.partition("@")
        found: list[object] = [part.strip() for part in body.split(";") if part.strip()]
        nodes[int(id)] = Node(int(id), found, end(way), int(extent or 0))
    return Shape(nodes, min(nodes), [Extent(0, -1, "function"), *(extents or [])], statements or [])


def text_of(made: Shape) -> str:
    return "\n".join(render(structure(made, movable=lambda s: s == "return t", implicit=lambda s: s == "return None")))


def check(made: Shape, expected: str) -> None:
    assert text_of(made) == dedent(expected).strip("\n")


TYPICAL = {
    "while": (
        "0: x = 0 | -> 1\n1: | x < n ? 2 : 3\n2: x += 1 | -> 1\n3: | return x",
        "x = 0\nwhile x < n:\n    x += 1\nreturn x",
    ),
    "while not": (
        "0: | -> 1\n1: | done ? 3 : 2\n2: step() | -> 1\n3: | return x",
        "while not (done):\n    step()\nreturn x",
    ),
    "moves run on their edge": (
        "0: | -> 1[x = 0]\n1: | x < n ? 2 : 3[y = x]\n2: | -> 1[x += 1]\n3: | return y",
        "x = 0\nwhile x < n:\n    x += 1\ny = x\nreturn y",
    ),
    "for": (
        "0: | -> 1\n1: | for x in it ? 2 : 3\n2: f(x) | -> 1\n3: | return None",
        "for x in it:\n    f(x)",
    ),
    "for with else": (
        "0: | -> 1\n1: | for x in it ? 2 : 3\n2: | f(x) ? 4 : 1\n3: g() | -> 4\n4: h() | return None",
        "for x in it:\n    if f(x):\n        break\nelse:\n    g()\nh()",
    ),
    "return inside of a loop": (
        "0: | -> 1\n1: | for x in it ? 2 : 3\n2: | f(x) ? 4 : 1\n3: | return 1\n4: | return x",
        "for x in it:\n    if f(x):\n        return x\nreturn 1",
    ),
    "guard clauses": (
        "0: | a ? 1 : 2\n1: | raise E\n2: | b ? 3 : 4\n3: | return 1\n4: x; y | return 2",
        "if a:\n    raise E\nif b:\n    return 1\nx\ny\nreturn 2",
    ),
    "elif chain": (
        "0: | a ? 1 : 2\n1: x | -> 6\n2: | b ? 3 : 4\n3: y | -> 6\n4: z | -> 6\n6: end | return None",
        "if a:\n    x\nelif b:\n    y\nelse:\n    z\nend",
    ),
    "an elif whose arm leaves": (
        "0: | a ? 1 : 2\n1: x | -> 6\n2: | b ? 3 : 4\n3: | return 1\n4: | c ? 5 : 6\n5: z | -> 6\n6: e | return None",
        "if a:\n    x\nelif b:\n    return 1\nelif c:\n    z\ne",
    ),
    "empty first arm": (
        "0: | a ? 2 : 1\n1: x | -> 2\n2: y | return 1",
        "if not (a):\n    x\ny\nreturn 1",
    ),
    "endless loop with break": (
        "0: | -> 1\n1: step() | done ? 3 : 2\n2: more() | -> 1\n3: x; y; z; u | return None",
        "while True:\n    step()\n    if done:\n        break\n    more()\nx\ny\nz\nu",
    ),
    "continue two levels up needs no flag": (
        "0: | -> 1\n1: | for x in a ? 2 : 9\n2: | -> 3\n3: | for y in b ? 4 : 6\n4: | p ? 1 : 5\n5: q | -> 3\n"
        "6: r | -> 1\n9: | return None",
        "for x in a:\n    for y in b:\n        if p:\n            break\n        q\n    else:\n        r",
    ),
    "break two levels up needs no flag": (
        "0: | -> 1\n1: | for x in a ? 2 : 9\n2: | -> 3\n3: | for y in b ? 4 : 1\n4: | p ? 9 : 5\n5: q | -> 3\n"
        "9: end | return None",
        "for x in a:\n    for y in b:\n        if p:\n            break\n        q\n    else:\n        continue\n"
        "    break\nend",
    ),
    "an item taken outside of a loop": (
        "0: a | for x in it ? 1 : 2\n1: f(x) | return x\n2: | return 0",
        "a\nfor x in it:\n    break\nelse:\n    return 0\nf(x)\nreturn x",
    ),
    "nested loops keep their headers": (
        "0: | -> 1\n1: | -> 2\n2: | a ? 3 : 4\n3: x | -> 2\n4: y | -> 1",
        "while True:\n    while a:\n        x\n    y",
    ),
}


@pytest.mark.parametrize("name", TYPICAL)
def test_typical(name: str) -> None:
    given, expected = TYPICAL[name]
    check(shape(given), expected)


def try_shape(text: str, header: str = "E") -> Shape:
    """Extents: 1 the body, 2 the clause."""
    extents = [Extent(1, 0, "body", 0), Extent(2, 0, "clause", 0)]
    made = shape(text, extents)
    first = next(node.id for node in made.nodes.values() if node.extent == 2)
    made.statements.append(Protected(0, "try", 1, None, [Clause(header, 2, first)]))
    return made


def test_try() -> None:
    check(
        try_shape("0: | -> 1\n1@1: f() | -> 3\n2@2: g() | -> 3\n3: h() | return None"),
        "try:\n    f()\nexcept E:\n    g()\nh()",
    )


def test_try_else() -> None:
    check(
        try_shape("0: | -> 1\n1@1: f() | -> 4\n2@2: g() | -> 3\n4: e() | -> 3\n3: h() | return None"),
        "try:\n    f()\nexcept E:\n    g()\nelse:\n    e()\nh()",
    )


def test_what_follows_a_try_stays_outside_of_it() -> None:
    check(
        try_shape("0: | -> 1\n1@1: x = f() | -> 3\n2@2: | return 0\n3: h(x) | return x"),
        "try:\n    x = f()\nexcept E:\n    return 0\nh(x)\nreturn x",
    )


def test_try_in_a_loop_with_continue_and_break() -> None:
    check(
        try_shape(
            "0: | -> 1\n1: | for x in it ? 2 : 9\n2@1: f(x) | c ? 4 : 5\n4@1: | -> 9\n5@1: | -> 6\n"
            "6: g(x) | -> 1\n7@2: h() | -> 1\n9: | return None"
        ),
        "for x in it:\n    try:\n        f(x)\n        if c:\n            break\n    except E:\n        h()\n"
        "        continue\n    g(x)",
    )


def test_a_movable_return_goes_into_the_body() -> None:
    made = try_shape(
        "0: | -> 1\n1@1: t = f() | c ? 3 : 4\n2@2: | -> 5\n3: | return t\n4@1: g() | -> 5\n5: h() | -> 6\n"
        "6: k() | return None"
    )
    assert "return t" in text_of(made).split("except")[0]


def test_return_in_finally() -> None:
    extents = [Extent(1, 0, "body", 0), Extent(2, 0, "final", 0)]
    made = shape("0: | -> 1\n1@1: f() | return 1\n2@2: g() | c ? 3 : 4\n3@2: | return 2\n4@2: | falls", extents)
    made.statements.append(Protected(0, "finally", 1, final_extent=2, final_entry=2))
    check(made, "try:\n    f()\n    return 1\nfinally:\n    g()\n    if c:\n        return 2")


def test_try_except_finally_is_one_statement() -> None:
    extents = [Extent(1, 0, "body", 0), Extent(2, 1, "body", 1), Extent(3, 1, "clause", 1), Extent(4, 0, "final", 0)]
    made = shape("0: | -> 1\n1@2: f() | -> 9\n2@3: g() | -> 9\n3@4: h() | falls\n9: k() | return None", extents)
    made.statements.append(Protected(0, "finally", 1, final_extent=4, final_entry=3))
    made.statements.append(Protected(1, "try", 2, None, [Clause("E", 3, 2)]))
    check(made, "try:\n    f()\nexcept E:\n    g()\nfinally:\n    h()\nk()")


def test_with() -> None:
    made = shape("0: | -> 1\n1@1: f() | -> 2\n2: g() | return None", [Extent(1, 0, "body", 0)])
    made.statements.append(Protected(0, "with", 1, "m", swallowed=2))
    check(made, "with m:\n    f()\ng()")


def test_irreducible_region_is_split() -> None:
    text = text_of(shape("0: | a ? 1 : 2\n1: x | b ? 2 : 3\n2: y | c ? 1 : 3\n3: | return None"))
    assert "_state" not in text
    assert text.count("y") + text.count("x") == 3


def test_a_copy_of_a_loop_makes_its_iterator_anew_as_well() -> None:
    made = shape(
        "0: | a ? 1 : 2\n1: | for c in x ? 4 : 3\n4: z | d ? 1 : 2\n2: y; y; y; y; y | b ? 1 : 3\n3: | return None"
    )
    first = made.nodes[1].end
    assert isinstance(first, Next)
    made.nodes[1].end = Next(first.target, first.iterator, first.body, first.done, varies=True)
    lines = [line.strip() for line in text_of(made).splitlines()]
    loops = [at for at, line in enumerate(lines) if line == "for c in x:"]
    assert len(loops) == 2
    assert [lines[at + 1] for at in loops] == ["break", "break"]


def test_long_chains_do_not_recurse() -> None:
    lines = []
    for i in range(0, 12000, 2):
        lines.append(f"{i}: | c{i} ? {i + 1} : {i + 2}\n{i + 1}: x | -> 12001")
    made = shape("\n".join([*lines, "12000: y | -> 12001", "12001: z | return None"]))
    made.nodes.pop(12001, None)
    made.nodes[12001] = Node(12001, ["z"], Leave("return None"))
    made.nodes[11999].end = Goto(Edge(12001))
    source = "\n".join(["def f():", *(f"    {line}" for line in text_of(made).splitlines())])
    compile(source, "<test>", "exec")
    assert source.count("x") >= 6000
