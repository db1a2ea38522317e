"""The residual function in which rows of a table stand for the states that name them (`automata.py`).

    v6 = getitem TABLE, v1; v8 = getitem v6, v2; return v8      v8 = getitem v1, v2; v9 = is v8, IDLE; branch v9 ...

`ways` says what becomes of an operation: a state's row is the state's own value ("row"), what takes something out of
a row ("take", "get") or looks for it ("in") stays, a look-up by a pair is one in the row ("by pair"), its pair is
"gone", a "test" asks which row it is.  Every other operation gets the states themselves.

Invariant: a linked row is made once, and is told by its identity; nothing writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.graph import OBJECT, Block, Edge, Function, Operation, Span, Terminator
from futamura.ir.ops import OPERATORS, TERMINATORS
from futamura.ir.verify import verify_function
from futamura.specializer.finite import Finite, Objects
from futamura.specializer.values import token_key

__all__ = ["TESTS", "Layout", "Linked", "relinked"]

TESTS: Final = {"is": "is", "is_not": "is_not", "eq": "is", "ne": "is_not"}
"""Comparisons, and how they ask for the row of a state."""


class Layout:
    """The linked rows: `entries` are the rows, and `names` the states, by what tells these apart.

    A state is its row, or, `pairwise`, a pair of the state and its row; a state without a row is itself.
    """

    def __init__(
        self, entries: Mapping[object, Mapping[object, object]], names: Mapping[object, object], *, pairwise: bool
    ) -> None:
        self.pairwise: Final = pairwise
        self.names: Final = names
        self.rows: Final = {token: {**row} for token, row in entries.items()}
        self._states: Final[dict[object, object]] = {
            token: (names[token], row) if pairwise else row for token, row in self.rows.items()
        }
        for row in self.rows.values():  # each is laid out in memory as the one that it stands for
            row.update((key, self.of(item)) for key, item in row.items())

    def of(self, state: object) -> object:
        """What stands for a state."""
        return self._states.get(token_key(state), state)


class Linked(NamedTuple):
    """What is to be done in a function."""

    layout: Layout
    states: frozenset[int]
    ways: Mapping[int, str]
    answer: Callable[[int, Operation], object]
    has_row: Callable[[object], bool]
    owner: Callable[[object], object]
    """The token of a state that has this row."""
    late: Mapping[int, Operation]
    """Pairs that are made where they are needed."""


def relinked(finite: Finite, linked: Linked) -> Function:
    """The function of `finite` with linked rows."""
    return _Relinking(finite, linked).run()


class _Relinking:
    def __init__(self, finite: Finite, linked: Linked) -> None:
        self._finite: Final = finite
        self._linked: Final = linked
        function = self._function = finite.function
        self._hints: Final = [*function.hints]
        self._types: Final = [*function.types]
        ids = [one.id for block in function.blocks for one in block.ops]
        ids += [block.terminator.id for block in function.blocks]
        self._next = max(ids) + 1
        self._done: Final[list[Block | None]] = [None for _ in function.blocks]
        self._block = function.blocks[0]
        """The block that is rewritten; parts of it become blocks of their own."""
        self._number = 0
        self._params: tuple[int, ...] = ()
        self._ops: list[Operation] = []
        self._told: dict[int, int] = {}
        self._constants: dict[object, int] = {}

    def run(self) -> Function:
        for value in self._linked.states:
            if self._finite.constant(value) is None:
                self._retype(value)
        for block in self._function.blocks:
            self._rewrite(block)
        blocks = tuple([block for block in self._done if block is not None])
        function = replace(self._function, blocks=blocks, hints=tuple(self._hints), types=tuple(self._types))
        verify_function(function)
        return function

    def _retype(self, value: int) -> None:
        known = self._finite.anywhere(value) or {}
        rows = all(map(self._linked.has_row, known.values()))
        self._types[value] = OBJECT if not rows else "tuple" if self._linked.layout.pairwise else "dict"
        hint = self._hints[value]
        if hint is not None and hint.isidentifier():
            self._hints[value] = f"{hint}_row"

    # -- blocks

    def _rewrite(self, block: Block) -> None:
        self._block, self._number, self._params, self._ops = block, block.id, block.params, []
        self._told, self._constants = {}, {}
        for op in block.ops:
            self._operation(op)
        end = block.terminator
        args = end.args if end.name == "jump" else self._all(end.args)
        edges: list[Edge] = []
        for at, edge in enumerate(end.edges):
            params = self._function.blocks[edge.target].params[1 if end.name == "next" and at == 0 else 0 :]
            edges.append(Edge(edge.target, self._passed(params, edge.args)))
        self._end(end._replace(args=args, edges=tuple(edges)))

    def _passed(self, params: Sequence[int], args: Sequence[int]) -> tuple[int, ...]:
        states = self._linked.states
        return tuple([self._row(arg) if param in states else self._state(arg) for param, arg in zip(params, args)])

    def _end(self, end: Terminator) -> None:
        self._done[self._number] = Block(
            self._number, self._params, tuple(self._ops), end, self._block.handler, self._block.region
        )

    def _new_block(self) -> int:
        self._done.append(None)
        return len(self._done) - 1

    def _go_on(self, number: int, *params: int) -> None:
        """What follows stands in a block of its own."""
        self._number, self._params, self._ops = number, params, []

    def _finish(self, name: str, args: tuple[int, ...], *edges: Edge, span: Span | None = None) -> None:
        self._next += 1
        self._end(Terminator(self._next - 1, TERMINATORS[name], args, edges, None, span))

    # -- operations

    def _value(self, kind: str = OBJECT, hint: str | None = None) -> int:
        self._hints.append(hint)
        self._types.append(kind)
        return len(self._hints) - 1

    def _emit(
        self, name: str, args: tuple[int, ...], attr: object = None, span: Span | None = None, *,
        kind: str = OBJECT, into: int | None = None,
    ) -> int:  # fmt: skip
        """An operation, and its result, which is new if not given."""
        result = self._value(kind) if into is None else into
        self._ops.append(Operation(self._next, OPERATORS[name], args, attr, (result,), span))
        self._next += 1
        return result

    def _constant(self, value: object, span: Span | None = None) -> int:
        return self._emit("const", (), Constant(value), span)

    def _all(self, values: Sequence[int]) -> tuple[int, ...]:
        return tuple([self._state(value) for value in values])

    def _row(self, value: int) -> int:
        """What stands for a state."""
        held = self._finite.constant(value)
        return value if held is None else self._constant(self._linked.layout.of(held.value))

    def _found(self, row: int) -> int:
        """The linked row in place of one of the table."""
        held = self._finite.constant(row)
        return row if held is None else self._constant(self._linked.layout.rows[self._linked.owner(held.value)])

    def _state(self, value: int) -> int:
        """The state itself."""
        if value in self._linked.late:
            return self._emit("tuple", self._all(self._linked.late[value].args), kind="tuple")
        if value not in self._linked.states or self._finite.constant(value) is not None:
            return value
        if value not in self._told:
            known = self._finite.of(value, self._block.id) or {}
            self._told[value] = self._item(value, 0) if self._linked.layout.pairwise else self._tell(value, known)
        return self._told[value]

    def _item(self, pair: int, at: int) -> int:
        return self._emit("getitem", (pair, self._constant(at)), kind="dict" if at else OBJECT)

    def _tell(self, value: int, known: Objects) -> int:
        """The state by the identity of its row; what has no row is itself."""
        layout = self._linked.layout
        rows = [(token, one) for token, one in known.items() if token in layout.rows]
        if not rows:
            return value
        behind, result = self._new_block(), self._value()
        last = None if len(rows) < len(known) else rows.pop()[1]
        for token, one in rows:
            state = self._constant(one)
            same = self._emit("is", (value, self._constant(layout.rows[token])), kind="bool")
            other = self._new_block()
            self._finish("branch", (same,), Edge(behind, (state,)), Edge(other))
            self._go_on(other)
        left = value if last is None else self._constant(last)
        self._finish("jump", (), Edge(behind, (left,)))
        self._go_on(behind, result)
        return result

    def _operation(self, op: Operation) -> None:
        way = self._linked.ways.get(op.id, "")
        if way == "row":
            row = self._row(op.args[1])
            if self._linked.layout.pairwise:
                self._emit("getitem", (row, self._constant(1)), None, op.span, into=op.results[0])
            else:
                self._emit("copy", (row,), None, op.span, into=op.results[0])
        elif way == "by pair":
            self._look_up_by_pair(op)
        elif way == "gone":
            self._emit("const", (), Constant(None), op.span, into=op.results[0])
        elif way == "test":
            self._test(op)
        else:
            args = self._operands(way, op)  # which may end the block
            self._ops.append(op._replace(args=args))

    def _operands(self, way: str, op: Operation) -> tuple[int, ...]:
        if way == "as it is":
            return op.args
        if way == "copy":
            states = self._linked.states
            return tuple([self._row(arg) if made in states else arg for arg, made in zip(op.args, op.results)])
        if way == "method":
            return (self._found(op.args[0]),)
        if way == "take":
            return self._found(op.args[0]), self._state(op.args[1])
        if way == "get":
            return op.args[0], self._state(op.args[1]), *map(self._row, op.args[2:])
        if way == "in":
            return self._state(op.args[0]), self._found(op.args[1])
        return self._all(op.args)

    def _test(self, op: Operation) -> None:
        layout = self._linked.layout
        token = self._linked.answer(self._block.id, op)
        if token is False:
            self._ops.append(op)
        elif layout.pairwise:
            args = self._all(op.args)
            self._ops.append(op._replace(args=args))
        elif token is True:
            self._emit(TESTS[op.name], op.args, None, op.span, into=op.results[0])
        else:
            value = next(arg for arg in op.args if self._finite.constant(arg) is None)
            row = self._constant(layout.rows[token])
            self._emit(TESTS[op.name], (value, row), None, op.span, into=op.results[0])

    def _look_up_by_pair(self, op: Operation) -> None:
        asks = op.name in ("in", "not_in")
        pair: Any = self._finite.pair(op.args[0] if asks else op.args[1])
        state, key = pair.args[0], self._state(pair.args[1])
        row = self._row(state)
        if self._linked.layout.pairwise:
            row = self._item(row, 1)
        (result,) = op.results
        if asks:
            self._emit(op.name, (key, row), None, op.span, into=result)
            return
        method = self._emit("getattr", (row,), "get", op.span)
        others = tuple([self._row(arg) for arg in op.args[2:]]) if op.name == "call" else ()
        if op.name == "call":
            self._emit("call", (method, key, *others), None, op.span, into=result)
        else:
            found = self._emit("call", (method, key), None, op.span)
            self._require(found, state, key, op.span)
            self._emit("copy", (found,), None, op.span, into=result)

    def _require(self, found: int, state: int, key: int, span: Span | None) -> None:
        """Where nothing was found, the table says what it was asked for."""
        missing = self._emit("is", (found, self._constant(None)), None, span, kind="bool")
        fails, behind = self._new_block(), self._new_block()
        self._finish("branch", (missing,), Edge(fails), Edge(behind), span=span)
        told = dict(self._told)
        self._go_on(fails)
        pair = self._emit("tuple", (self._state(state), key), None, span, kind="tuple")
        error = self._emit("call", (self._constant(KeyError), pair), None, span)
        self._finish("raise", (error,), span=span)
        self._told = told
        self._go_on(behind)
