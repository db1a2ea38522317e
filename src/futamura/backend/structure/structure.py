"""The structurer: from a control-flow graph with protected extents to nested Python statements.

    0: [x = 0] goto 1         x = 0
    1: test "x < n" -> 2 | 3  while x < n:
    2: [x += 1] goto 1            x += 1
    3: leave "return x"       return x

The way: clean the graph up (`graph.py`), find dominators and loops of each extent (`flow.py`), make loops enter
at one vertex (`irreducible.py`), nest along the dominator tree (`nesting.py`), resolve jumps (`lowering.py`).  If
that takes too many flags somewhere, that region becomes a dispatcher (`gate.py`) and it is done again.

Invariant: the tree runs the shape's statements in the order of its control-flow graph; no statement moves into
or out of an extent, but for leaving statements that `movable` allows.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable

from futamura.backend.structure.flow import Flow, flows
from futamura.backend.structure.gate import (
    FEW_FLAGS,
    deep_loops,
    dispatch_regions,
    flatten_loops,
    jump_places,
    nested_blocks,
    too_many_flags,
)
from futamura.backend.structure.graph import Graph, prepare
from futamura.backend.structure.irreducible import make_reducible
from futamura.backend.structure.lowering import EnoughSeen, Lowering
from futamura.backend.structure.nesting import NEVER, nest
from futamura.backend.structure.outline import Names, outline
from futamura.backend.structure.selecting import select
from futamura.backend.structure.shape import Shape
from futamura.backend.structure.tree import Suite

__all__ = ["BLOCK_LIMIT", "CUTS", "GATE_ROUNDS", "INDENTATION_LIMIT", "LOOP_DEPTHS", "LOOP_NEST_LIMIT", "structure"]

GATE_ROUNDS = 5
"""How often regions may become dispatchers; what needs many flags even then keeps them."""
FLAGS_FOR_EACH = 3
"""More flagged jumps than so many for each vertex are not counted to the end: the time would grow as their square."""
BLOCK_LIMIT = 18
"""CPython compiles at most 20 nested loops, with and try statements."""
LOOP_DEPTHS = (9, 5, 2)
"""Beyond it, loops inside of so many loops are flattened."""
LOOP_NEST_LIMIT = 60
"""Loops inside of so many loops are flattened before they are nested: nesting recurses."""
INDENTATION_LIMIT = 60
"""CPython's tokenizer takes 99 levels; the text around the function needs some."""
CUTS = (30, 12, 5)
"""Beyond it, what stands so many arms deep moves behind the statement where the arms start."""


def structure(
    shape: Shape,
    *,
    movable: Callable[[object], bool] = lambda statement: False,
    implicit: Callable[[object], bool] = lambda statement: False,
    refuses: Callable[[object], bool] = lambda statement: False,
    fresh: Callable[[str], str] | None = None,
    few_flags: int = FEW_FLAGS,
    names: Names | None = None,
    parameters: Iterable[str] = (),
) -> Suite:
    """Nested statements for `shape`, which stays as it was.

    `movable(statement)`: the leaving statement means the same if it runs inside of extents that a jump would first
    leave (`return` of a constant or of a value that no clean-up changes).
    `implicit(statement)`: the leaving statement means the same as falling off the end of the function.
    `refuses(statement)`: the leaving statement reads best as a guard clause, like a failing assertion.
    `fresh(kind)`: a new name for a flag, a state variable or a local function; kind is "exit", "state", "entry",
    "rest" or "inner".
    `names`, `parameters`: if given, what is nested too deeply or too long becomes local functions (see `outline.py`).
    `few_flags`: a region with more flagged jumps may become a dispatcher.
    """
    fresh_name = fresh if fresh is not None else _Numbered()
    graph = prepare(shape, fresh_name)
    cuts = iter(CUTS)
    depths = iter(LOOP_DEPTHS)
    cut = NEVER
    rounds = GATE_ROUNDS
    flattened = False
    while True:
        found = _reducible_flows(graph)
        if not flattened and deep_loops(found, LOOP_NEST_LIMIT):
            flattened = True
            flatten_loops(graph, found, deep_loops(found, LOOP_DEPTHS[0]))
            graph.prune()
            continue
        most = FLAGS_FOR_EACH * (len(graph.vertices) + BLOCK_LIMIT) if rounds else None
        lowering = Lowering(jump_places(found), fresh_name, implicit, refuses, most)
        suite: Suite = []
        with contextlib.suppress(EnoughSeen):  # then there are regions to dispatch
            sequence = nest(graph, found, movable, cut)
            select(sequence, fresh_name)
            suite = lowering.run(sequence)
        places = too_many_flags(lowering.flags, found, few_flags) if rounds else []
        if places and dispatch_regions(graph, found, places, lowering.crossed):
            rounds -= 1
            graph.prune()
            continue
        if most is not None and lowering.flagged > most:
            rounds = 0
            continue
        if names is not None:
            suite = outline(suite, names, parameters, fresh_name, BLOCK_LIMIT)
        blocks, indentation = nested_blocks(suite)
        depth = next(depths, -1) if blocks > BLOCK_LIMIT else -1
        if depth >= 0:
            flatten_loops(graph, found, deep_loops(found, depth))
            graph.prune()
            continue
        if indentation <= INDENTATION_LIMIT:
            return suite
        cut = next(cuts, -1)
        if cut < 0:
            return suite


def _reducible_flows(graph: Graph) -> dict[int, Flow]:
    spent: dict[int, int] = {}
    rounds: dict[int, int] = {}
    while True:
        found = flows(graph)
        broken = [flow for flow in found.values() if flow.irreducible]
        if not broken:
            return found
        for flow in broken:
            make_reducible(graph, flow, spent, rounds)
        graph.prune()


class _Numbered:
    """Names like `_exit1`."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, kind: str) -> str:
        self.count += 1
        return f"_{kind}{self.count}"
