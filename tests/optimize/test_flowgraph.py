"""Replacing values in a graph: as often as it takes, and never without end.

{3: 2, 2: 1}   ->   1 where 3 and 2 were         {3: 2, 2: 3}   ->   VerificationError, not an endless search
"""

from __future__ import annotations

import pytest

from futamura.ir.parse import parse_program
from futamura.ir.verify import VerificationError
from futamura.optimize.flowgraph import FlowGraph

PROGRAM = """program f

func f(a, b, c, d) module m
b0(v0:a, v1:b, v2:c, v3:d):
  v4 = tuple v3, v2, v1, v0
  return v4
"""


def replaced(given: dict[int, int]) -> tuple[int, ...]:
    graph = FlowGraph(parse_program(PROGRAM).main)
    graph.replace(given)
    return graph.node(0).ops[0].args


def test_values_are_replaced_as_often_as_it_takes() -> None:
    assert replaced({3: 2, 2: 1}) == (1, 1, 1, 0)
    assert replaced({2: 1, 3: 2}) == (1, 1, 1, 0)
    assert replaced({}) == (3, 2, 1, 0)


def test_values_that_stand_for_each_other_are_refused() -> None:
    with pytest.raises(VerificationError, match="replaced by itself"):
        replaced({0: 1, 3: 2, 2: 3})
