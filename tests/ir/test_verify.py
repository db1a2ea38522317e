"""The verifier accepts what is sound and names what is not: one broken function for each invariant of its header."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Edge, Function, Program, Region
from futamura.ir.ops import OPERATORS, TERMINATORS
from futamura.ir.text import parse_function
from futamura.ir.verify import VerificationError, verify_function, verify_program
from tests.fuzz.graphs import random_program

SOUND = parse_function("""
func f(a, b) free(c)
  region 1 try flavor finally in 0 handler b3
  region 2 except in 0 of 1
  region 3 copy in 0 of 1
b0(v0:a, v1:b, v2:c):
  v3 = iter v0
  v4 = const 0
  jump b1(v4)
b1(v5:x) in 1 handler b3(v5):
  next v3 -> b2() | b4()
b2(v6) in 1 handler b3(v5):
  v7 = add v6, v5
  v8 = truth v7
  branch v8 -> b1(v7) | b4()
b3(v9, v10:x) in 2:
  v11 = call v1, v10
  reraise v9
b4() in 3:
  v12 = call v1, v5
  v13, v14 = copy v12, v0
  return v13
""")


def change(number: int, **parts: Any) -> Function:
    """The sound function with some fields of one block replaced."""
    blocks = tuple(block._replace(**parts) if block.id == number else block for block in SOUND.blocks)
    return replace(SOUND, blocks=blocks)


def block(number: int) -> Block:
    return SOUND.blocks[number]


def operation(number: int, index: int, **parts: Any) -> Function:
    ops = list(block(number).ops)
    ops[index] = ops[index]._replace(**parts)
    return change(number, ops=tuple(ops))


def end(number: int, **parts: Any) -> Function:
    return change(number, terminator=block(number).terminator._replace(**parts))


def region(number: int, **parts: Any) -> Function:
    regions = tuple(item._replace(**parts) if item.id == number else item for item in SOUND.regions)
    return replace(SOUND, regions=regions)


BROKEN: dict[str, tuple[Callable[[], Function], str]] = {
    "types": (lambda: replace(SOUND, types=SOUND.types[1:]), "15 hints but 14 types"),
    "no block": (lambda: replace(SOUND, blocks=()), "no block"),
    "parameters": (lambda: replace(SOUND, free=()), "entry has 3 parameters, the signature and free variables 2"),
    "names": (lambda: replace(SOUND, free=("a",)), "a name occurs twice"),
    "kind": (lambda: replace(SOUND, kind="task"), "unknown kind"),  # type: ignore[arg-type]
    "block id": (lambda: change(2, id=7), "b2: has the id 7"),
    "to the entry": (lambda: end(0, edges=(Edge(0, (0, 1, 2)),)), "leads to the entry"),
    "nowhere": (lambda: end(0, edges=(Edge(9),)), "leads to b9, which does not exist"),
    "second definition": (lambda: change(2, params=(5,)), "b2: v5 is defined a second time"),
    "no definition": (lambda: operation(4, 1, results=(13,), args=(12,)), "v14 is not defined anywhere"),
    "not a value": (lambda: operation(2, 0, args=(6, 99)), "op 0 (add): v99 is not a value"),
    "not dominated": (lambda: operation(4, 0, args=(1, 7)), "b4: op 0 (call): v7 is not defined on every path"),
    "not yet": (lambda: operation(2, 0, args=(6, 8)), "b2: op 0 (add): v8 is not defined on every path"),
    "of the edge": (lambda: end(0, edges=(Edge(1, (7,)),)), "b0: jump: v7 is not defined on every path"),
    "handler too early": (lambda: change(2, handler=Edge(3, (7,))), "b2: handler: v7 is not defined on every path"),
    "handler use": (lambda: operation(3, 0, args=(1, 7)), "b3: op 0 (call): v7 is not defined on every path"),
    "arity": (lambda: operation(2, 0, args=(6,)), "op 0 (add): takes 2 arguments, got 1"),
    "results": (lambda: operation(2, 0, operator=OPERATORS["setattr"], attr="x"), "gives 0 results, got 1"),
    "attribute": (lambda: operation(0, 1, attr=5), "the attribute must be a Constant"),
    "no attribute": (lambda: operation(2, 0, attr="x"), "takes no attribute"),
    "marks": (lambda: operation(4, 0, attr=("", "")), "2 marks for 1 arguments"),
    "mark order": (lambda: operation(4, 0, args=(1, 5, 5), attr=("k", "")), "a positional argument follows a keyword"),
    "copy": (lambda: operation(4, 1, args=(12,)), "1 arguments but 2 results"),
    "operation id": (lambda: operation(2, 0, id=0), "two operations have the same id"),
    "yield": (lambda: operation(2, 1, operator=OPERATORS["yield"]), "in a function that is no generator"),
    "await": (lambda: operation(2, 1, operator=OPERATORS["await"]), "in a function that is no coroutine"),
    "async with": (
        lambda: operation(2, 0, operator=OPERATORS["with_unwind"], args=(6, 6), attr="async"),
        "in a function that is no coroutine",
    ),
    "with": (
        lambda: operation(2, 0, operator=OPERATORS["with_unwind"], args=(6, 6), attr="x"),
        "the attribute must be 'async' if there is one",
    ),
    "terminator": (lambda: end(4, args=()), "b4: return: takes 1 arguments, got 0"),
    "edges": (lambda: end(2, edges=()), "b2: branch: has 2 edges, got 0"),
    "end attribute": (lambda: end(4, attr=1), "b4: return: takes no attribute"),
    "guard": (lambda: end(0, kind=TERMINATORS["guard"], args=(4,)), "the attribute must be a FrameState"),
    "cases": (lambda: end(2, kind=TERMINATORS["switch"], attr=(Constant(1), Constant(1))), "a case occurs twice"),
    "case count": (lambda: end(2, kind=TERMINATORS["switch"], attr=()), "has 1 edges, got 2"),
    "edge count": (lambda: end(0, edges=(Edge(1),)), "passes 0 arguments to b1, which has 1 parameters"),
    "implicit": (lambda: end(1, edges=(Edge(4), Edge(4))), "passes 1 arguments (one of them implicit) to b4"),
    "root": (lambda: region(0, kind="try"), "region 0: must be the body"),
    "region id": (lambda: region(2, id=5), "region"),
    "parent": (lambda: region(2, parent=3), "the parent 3 does not come before it"),
    "flavor": (lambda: region(1, flavor="odd"), "unknown flavor"),
    "handler block": (lambda: region(1, handler=9), "the handler b9 does not exist"),
    "handler home": (lambda: region(1, handler=4), "does not lie in the except region of this region"),
    "of": (lambda: region(3, of=2), "`of` 2 is not a try region"),
    "except parent": (
        lambda: replace(SOUND, regions=(*SOUND.regions, Region(4, 1, "copy", of=1))),
        "parent is not that of its try",
    ),
    "second except": (
        lambda: replace(SOUND, regions=(*SOUND.regions, Region(4, 0, "except", of=1))),
        "a second except region",
    ),
    "copy of except": (lambda: region(1, flavor="except"), "which has no clean-up"),
    "region of a block": (lambda: change(0, region=9), "lies in region 9, which does not exist"),
    "no handler": (lambda: change(2, handler=None), "b2: may raise and lies in try region 1, but has no handler"),
    "needless handler": (lambda: change(4, handler=Edge(3, (5,))), "has a handler edge but lies in no try region"),
    "wrong handler": (lambda: change(2, handler=Edge(4)), "its handler is b4, that of region 1 is b3"),
    "into the handler": (lambda: end(0, edges=(Edge(3, (4, 4)),)), "which only handler edges may enter"),
    "into the except": (lambda: change(1, region=2, handler=None), "enters the except region 2 at b1"),
    "into the copy": (lambda: end(0, edges=(Edge(4),)), "enters the copy region 3 from outside of its try region 1"),
}


def test_sound() -> None:
    verify_function(SOUND)


@pytest.mark.parametrize("name", list(BROKEN))
def test_broken(name: str) -> None:
    make, message = BROKEN[name]
    with pytest.raises(VerificationError) as caught:
        verify_function(make())
    assert str(caught.value).startswith("f: ")
    assert message in str(caught.value)


def test_silent_blocks_need_no_handler() -> None:
    """What cannot raise may do without: here a block that only jumps."""
    silent = change(2, handler=None, ops=(), terminator=block(0).terminator._replace(id=99, edges=(Edge(4),)))
    with pytest.raises(VerificationError, match="v7 is not defined anywhere"):
        verify_function(silent)
    blocks = list(silent.blocks)
    blocks[0] = blocks[0]._replace(ops=(*blocks[0].ops, *block(2).ops[:1], *block(2).ops[1:]))
    blocks[0] = blocks[0]._replace(ops=tuple(
        item._replace(args=tuple(4 if arg in (5, 6) else arg for arg in item.args)) for item in blocks[0].ops
    ))  # fmt: skip
    verify_function(replace(silent, blocks=tuple(blocks)))


def test_programs() -> None:
    nested = parse_function("func g() free(x)\nb0(v0:x):\n  v1 = const None\n  return v1\n")
    text = "func f(a)\nb0(v0:a):\n  v1 = cell[x]\n  v2 = function[FunctionAttr({}, {}, (), ())] v1\n  return v2\n"
    verify_program(Program("f", (parse_function(text.format("g", 0)), nested)))
    for name, defaults, message in [("h", 0, "the program has no function h"), ("g", 1, "g takes 2 arguments, got 1")]:
        with pytest.raises(VerificationError, match=message):
            verify_program(Program("f", (parse_function(text.format(name, defaults)), nested)))
    with pytest.raises(VerificationError, match="two functions are called g"):
        verify_program(Program("g", (nested, nested)))
    with pytest.raises(VerificationError, match="the entry h is not one of its functions"):
        verify_program(Program("h", (nested,)))


@given(st.integers(0, 10**6), st.data())
def test_any_wrong_value_is_found(seed: int, data: st.DataObject) -> None:
    """A use that is exchanged for a value of which no definition dominates it is never accepted."""
    function = random_program(seed, 12).main
    places = [(b.id, i) for b in function.blocks for i, op in enumerate(b.ops) if op.args]
    number, index = data.draw(st.sampled_from(places))
    body = function.blocks[number]
    value = data.draw(st.integers(0, len(function.hints) - 1))
    args = (value, *body.ops[index].args[1:])
    ops = (*body.ops[:index], body.ops[index]._replace(args=args), *body.ops[index + 1 :])
    changed = replace(function, blocks=tuple(body._replace(ops=ops) if b.id == number else b for b in function.blocks))
    expected = _defined_everywhere(function, number, index, value)
    try:
        verify_function(changed)
    except VerificationError:
        assert not expected
    else:
        assert expected


def _defined_everywhere(function: Function, number: int, index: int, value: int) -> bool:
    """The definition of the word: no way from the entry to the use avoids the definition."""
    if value in [result for op in function.blocks[number].ops[:index] for result in op.results]:
        return True
    if value in function.blocks[number].params:
        return True
    seen: set[int] = set()
    work = [] if value in function.entry.params else [0]
    while work:
        current = work.pop()
        if current in seen:
            continue
        seen.add(current)
        here = function.blocks[current]
        if here.handler is not None and value not in function.blocks[here.handler.target].params:
            work.append(here.handler.target)
        if any(value in op.results for op in here.ops):
            continue
        work.extend(edge.target for edge in here.terminator.edges if value not in function.blocks[edge.target].params)
    return number not in seen
