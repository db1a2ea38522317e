"""Which objects a value of a residual function can be.

    b2(v3) of the edges (v1) and (v2), v1 = const 'a', v2 = const None     v3 is 'a' or None, behind `v3 is None` None

Invariant: what a test tells is known only where no other edge leads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from futamura.ir.text import parse_program
from futamura.specializer.finite import MOST, Finite

TEXT = """program f

func f(x)
b0(v0:x):
  v1 = const 'a'
  v2 = const None
  v4 = truth v0
  branch v4 -> b1(v1) | b1(v2)
b1(v3):
  v5 = is v3, v2
  branch v5 -> b2() | b3()
b2():
  branch v4 -> b4(v3) | b5()
b3():
  jump b4(v3)
b4(v6):
  return v6
b5():
  jump b6()
b6():
  v7 = truth v3
  branch v7 -> b7() | b8()
b7():
  return v3
b8():
  v8 = getitem v0, v3
  return v8
"""


def known(finite: Finite, value: int, block: int) -> list[object] | None:
    found = finite.of(value, block)
    return None if found is None else sorted(found.values(), key=repr)


def nothing(container: object) -> Mapping[object, object] | None:
    return None


def test_what_tests_tell() -> None:
    finite = Finite(parse_program(TEXT).main, nothing)
    assert known(finite, 3, 1) == ["a", None]
    assert known(finite, 3, 2) == [None] == known(finite, 3, 6)
    assert known(finite, 3, 3) == ["a"]
    assert known(finite, 3, 7) == []  # nothing comes there
    assert known(finite, 6, 4) == ["a", None]
    assert known(finite, 0, 1) is None is known(finite, 8, 8)


def test_an_edge_to_a_join_tells_nothing_there() -> None:
    text = TEXT.replace("branch v5 -> b2() | b3()", "branch v5 -> b2() | b6()")
    finite = Finite(parse_program(text).main, nothing)
    assert known(finite, 3, 2) == [None] == known(finite, 3, 5)
    assert known(finite, 3, 6) == ["a", None]
    assert known(finite, 3, 7) == ["a"] and known(finite, 3, 8) == [None]
    assert known(finite, 6, 4) == [None]


def test_items_of_containers() -> None:
    rows: dict[str, dict[object, object]] = {"a": {1: "b", 2: ("a", "c")}, "b": {1: None}}
    text = """program f

func f(x)
b0(v0:x):
  v1 = const @0
  v2 = const 'a'
  jump b1(v2)
b1(v3):
  v4 = getitem v1, v3
  v5 = getattr[get] v4
  v6 = call v5, v0
  v7 = const 'b'
  v8 = truth v0
  branch v8 -> b2() | b1(v7)
b2():
  v9, v10 = unpack[(2, False, 0)] v6
  return v9
"""
    held: dict[int, Any] = {id(row): row for row in (rows, *rows.values())}
    finite = Finite(parse_program(text, [rows]).main, lambda one: held.get(id(one)))
    assert known(finite, 3, 1) == ["a", "b"]
    assert known(finite, 4, 1) == sorted(rows.values(), key=repr)
    assert known(finite, 6, 1) == ["b", ("a", "c"), None]
    assert known(finite, 9, 2) is None  # of a text, too
    assert len(finite.consulted) == 3 and MOST > 3
