"""Variables for values: colouring in an order that visits dominators first, with the user's names as colours.

    x0 = ...; if c: x1 = ...; x2 = (x0, x1)      all of them are the variable x: no copy is left
    x0 = ...; y0 = x0; x1 = f(y0, x0)            x and y

A value takes the name that its hint asks for unless a live value holds it; parameters like the names of their
arguments, so that moves on edges vanish.  Live sets are taken after nesting: a value is read where its tree is
evaluated.

Invariant: two values that are live at one point have different names; an `except ... as` name belongs to
exceptions only, for Python unbinds it when the clause ends.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from futamura.backend.python.draft import Draft, DraftNode
from futamura.backend.python.nesting import Nested
from futamura.backend.python.trees import (
    Assign,
    Comprehension,
    Expression,
    Fused,
    Literal,
    Node,
    Ref,
    Variable,
    assigned,
    comprehensions,
    expressions,
    named,
    named_within,
    refs,
    target_values,
)
from futamura.ir.dominance import reverse_postorder
from futamura.ir.evaluate import INPLACE
from futamura.ir.graph import Edge, Value

__all__ = ["Names", "name_values"]

_INPLACE: Final = frozenset(INPLACE)


def _in_place_on(statement: object) -> Value | None:
    """The first operand of an operator in place, if the statement is one; -1 if that is no variable."""
    if not isinstance(statement, Assign) or not isinstance(statement.value, Node):
        return None
    if statement.value.op.name not in _INPLACE:
        return None
    first = statement.value.kids[0]
    return first.value if isinstance(first, Ref) else -1


@dataclass(slots=True)
class Names:
    """The variable of each value; `cells` the variable that each cell prints as."""

    values: dict[Value, str] = field(default_factory=dict)
    cells: dict[Value, str] = field(default_factory=dict)


class _Again(Exception):
    """A handler's parameter needs a name of its own."""


def name_values(
    draft: Draft,
    nested: dict[int, Nested],
    reserved: set[str],
    fixed: dict[Value, str],
    cells: dict[Value, str],
    exceptions: dict[Value, str],
    extents: dict[int, frozenset[Value]],
    resumes: dict[int, list[int]],
    iterables: dict[int, tuple[int, Value]],
) -> Names:
    """Names for all values.

    `fixed` are the parameters of the function, `exceptions` the names of `except ... as`, with `extents` the
    exceptions that are named while a node runs.  `resumes` are the nodes where control may go on after the last node
    of a `finally` part.  `iterables` are the loops whose iterable is evaluated when the loop's parameters have their
    first values already, each with the node that evaluates it.
    """
    single: set[Value] = set()
    while True:
        try:
            return _Colouring(
                draft, nested, reserved, fixed, cells, exceptions, extents, resumes, iterables, single
            ).run()
        except _Again as again:
            single.add(again.args[0])


class _Colouring:
    def __init__(
        self,
        draft: Draft,
        nested: dict[int, Nested],
        reserved: set[str],
        fixed: dict[Value, str],
        cells: dict[Value, str],
        exceptions: dict[Value, str],
        extents: dict[int, frozenset[Value]],
        resumes: dict[int, list[int]],
        iterables: dict[int, tuple[int, Value]],
        single: set[Value],
    ) -> None:
        self.draft: Final = draft
        self.nested: Final = nested
        self.reserved: Final = reserved | set(cells.values()) | set(exceptions.values())
        self.fixed: Final = fixed
        self.exceptions: Final = exceptions
        self.extents: Final = extents
        self.single: Final = single
        self.alone: Final[set[str]] = set()
        self.shared: Final[set[Value]] = set()
        """Values that get their variables in comprehensions, which are functions of their own up to Python 3.11."""
        self.resumes: Final = resumes
        self.iterables: Final = iterables
        self.names = Names(dict(exceptions), cells)
        self.colour: Final = self.names.values
        self.numbers: Final = {node: at for at, node in enumerate(draft.nodes)}
        self.order: Final = list(draft.nodes)
        self.successors: Final = [self._successors(draft.nodes[node]) for node in self.order]
        self.flows: Final = self._flows()
        self.temporaries = 0
        self.bits: dict[Value, int] = {}
        self.exposed: list[Value] = []
        self.live_in: list[int] = []

    def _successors(self, node: DraftNode) -> list[int]:
        targets = [self.numbers[edge.target] for edge in node.end.edges]
        if node.handler is not None:
            targets.append(self.numbers[node.handler.target])
        targets.extend(self.numbers[target] for target in self.resumes.get(node.id, ()) if target in self.numbers)
        return targets

    def _flows(self) -> dict[Value, list[Value]]:
        flows: dict[Value, list[Value]] = {}
        for node in self.draft.nodes.values():
            for edge, implicit in _edges(node):
                for param, arg in zip(self.draft.nodes[edge.target].params[implicit:], edge.args):
                    flows.setdefault(arg, []).append(param)
                    flows.setdefault(param, []).append(arg)
        return flows

    def run(self) -> Names:
        self.live_in, live_out = self._liveness()
        order = reverse_postorder(self.successors, 0)
        for number in order:
            self._block(number, live_out[number])
        return self.names

    # -- liveness, as bit sets over the values that some node reads before it defines them

    def _liveness(self) -> tuple[list[int], list[int]]:
        count = len(self.order)
        local = [self._local(self.draft.nodes[node]) for node in self.order]
        for read, _ in local:
            for value in read:
                if value not in self.bits:
                    self.bits[value] = 1 << len(self.exposed)
                    self.exposed.append(value)
        uses = [self._mask(read) for read, _ in local]
        defs = [self._mask(made) for _, made in local]
        live_in, live_out = list(uses), [0] * count
        predecessors: list[list[int]] = [[] for _ in range(count)]
        for number, targets in enumerate(self.successors):
            for target in targets:
                predecessors[target].append(number)
        params = [self._mask(self.draft.nodes[node].params) for node in self.order]
        work = list(reversed(reverse_postorder(self.successors, 0)))
        queued = bytearray(count)
        for number in work:
            queued[number] = 1
        at = 0
        while at < len(work):
            number = work[at]
            at += 1
            queued[number] = 0
            out = 0
            for target in self.successors[number]:
                out |= live_in[target] & ~params[target]
            live_out[number] = out
            now = uses[number] | (out & ~defs[number])
            if now != live_in[number]:
                live_in[number] = now
                for predecessor in predecessors[number]:
                    if not queued[predecessor]:
                        queued[predecessor] = 1
                        work.append(predecessor)
        return live_in, live_out

    def _mask(self, values: Iterable[Value]) -> int:
        mask = 0
        for value in values:
            mask |= self.bits.get(value, 0)
        return mask

    def _members(self, mask: int) -> list[Value]:
        """The values of a bit set, in the order in which they got their bits."""
        found = []
        while mask:
            low = mask & -mask
            found.append(self.exposed[low.bit_length() - 1])
            mask ^= low
        return found

    def _local(self, node: DraftNode) -> tuple[dict[Value, None], set[Value]]:
        """Values read before they are defined in the node (edge arguments included), and those defined."""
        nested = self.nested[node.id]
        use: dict[Value, None] = {}
        define = set(node.params)
        if node.handler is not None:
            use.update(dict.fromkeys(node.handler.args))
        if nested.target is not None:
            define.update(target_values(nested.target))
        for statement in nested.statements:
            use.update((value, None) for value in _reads(statement) if value not in define)
            define.update(_made(statement))
        use.update((value, None) for value in self._end_reads(node) if value not in define)
        return use, define

    def _end_reads(self, node: DraftNode) -> list[Value]:
        found = [value for tree in self.nested[node.id].operands for value in _outer(tree)]
        for edge in node.end.edges:
            found.extend(edge.args)
        return found

    # -- colouring

    def _block(self, number: int, live_out: int) -> None:
        node = self.draft.nodes[self.order[number]]
        nested = self.nested[node.id]
        params = self._mask(node.params)
        occupied: dict[str, Value] = {}
        for value in self._members(self.live_in[number] & ~params):
            if value in self.colour:  # not yet: an exit's value seen through a clean-up that it did not reach
                occupied[self.colour[value]] = value
        held = self._held(node, occupied)
        always = {self.exceptions[value] for value in self.extents.get(node.id, ())}
        kills, last_raising = self._kills(node, nested, live_out)
        if nested.target is None:
            late = self._needed_late(node)
            for param in node.params:
                clashes = self.colour.get(param) in held and param not in kills[0] and param not in self.single
                if clashes and not self._is_passed_on(node, param):
                    raise _Again(param)  # it got its name where the way here begins
                self._define(param, occupied, held | always | late.get(param, set()))
        else:
            for value in target_values(nested.target):
                self._define(value, occupied, held | always)
        for value in kills[0]:
            self._free(value, occupied)
        for at, statement in enumerate(nested.statements):
            needed = always
            if at < last_raising:
                needed = held | always
            elif at == last_raising and (operand := _in_place_on(statement)) is not None:
                # Its variable gets the operand's value before it raises, unless it is the operand's own.
                needed = (held - {self.colour.get(operand, "")}) | always
            self._statement(statement, kills[at + 1], occupied, needed, held | always)
        for tree in nested.operands:
            self._comprehensions(tree)

    def _held(self, node: DraftNode, occupied: dict[str, Value]) -> set[str]:
        """The names that the node's handler needs as they are."""
        if node.handler is None:
            return set()
        target = self.draft.nodes[node.handler.target]
        number = self.numbers[target.id]
        kept = self._members(self.live_in[number] & ~self._mask(target.params))
        held = {self.colour[value] for value in kept if value in self.colour}
        for param, arg in zip(target.params[1:], node.handler.args):
            if param not in self.colour:
                taken = {name: value for name, value in occupied.items() if value != arg}
                self._define(param, taken, held)
            name = self.colour[param]
            if name in occupied and occupied[name] != arg:
                raise _Again(param)
            held.add(name)
        if not target.params and target.handler is not None:
            held |= self._held(target, occupied)  # a `with`: what it raises itself comes to the handler around it
        return held

    def _is_passed_on(self, node: DraftNode, param: Value) -> bool:
        """Does the node's handler read this parameter, or get it under its own name?"""
        while node.handler is not None:
            target = self.draft.nodes[node.handler.target]
            if self.live_in[self.numbers[target.id]] & self.bits.get(param, 0):
                return True
            passed = [one for one, arg in zip(target.params[1:], node.handler.args) if arg == param]
            if any(self.colour[one] == self.colour[param] for one in passed):
                return True
            if target.params:
                break
            node = target  # the handler around a `with`
        return False

    def _needed_late(self, node: DraftNode) -> dict[Value, set[str]]:
        """The names that the iterable of the loop at `node` reads, and those that its exceptions find: a parameter
        may not take them, unless it is passed what they hold."""
        found = self.iterables.get(node.id)
        if found is None or not node.params:
            return {}
        before = self.draft.nodes[found[0]]
        read = [value for tree in self.nested[before.id].operands for value in _outer(tree)]
        held = self._held(before, {})
        return {
            param: held | {self.colour[value] for value in read if value in self.colour and value != arg}
            for param, arg in zip(node.params, before.end.edges[0].args, strict=True)
        }

    def _kills(self, node: DraftNode, nested: Nested, live_out: int) -> tuple[list[list[Value]], int]:
        """For the start and each statement: the values that nobody reads after it; where the last one raises."""
        live = {*self._members(live_out), *self._end_reads(node)}
        kills: list[list[Value]] = []
        last = -1
        for at in range(len(nested.statements) - 1, -1, -1):
            statement = nested.statements[at]
            dead: list[Value] = []
            for value in _made(statement):
                if value not in live:
                    dead.append(value)
                live.discard(value)
            for value in _reads(statement):
                if value not in live:
                    dead.append(value)
                    live.add(value)
            kills.append(dead)
            if last < 0 and not _silent(statement):
                last = at
        start = [value for value in node.params if value not in live]
        if nested.target is not None:
            start.extend(value for value in target_values(nested.target) if value not in live)
        kills.append(start)
        kills.reverse()
        return kills, last

    def _statement(
        self, statement: object, kills: list[Value], occupied: dict[str, Value], held: set[str], within: set[str]
    ) -> None:
        """Names for what a statement makes: its results take none of `held`, what gets its variable while the
        expressions are evaluated none of `within`."""
        for tree in expressions(statement):
            for found in comprehensions(tree):
                self.shared.update(named_within(found))
            for value in named(tree):  # while all that the statement reads is needed
                self._define(value, occupied, within)
        for tree in expressions(statement):
            self._comprehensions(tree)
        results = list(assigned(statement))
        late: set[Value] = set()
        if isinstance(statement, Assign) and isinstance(statement.value, Node) and statement.value.op.name in _INPLACE:
            first = statement.value.kids[0]
            keep = first.value if isinstance(first, Ref) else -1
            late = {value for value in _reads(statement) if value != keep}
            late.discard(keep)
            if isinstance(first, Ref) and any(
                value == keep for tree in statement.value.kids[1:] for value in _outer(tree)
            ):
                late.add(keep)
        for value in kills:
            if value not in results and value not in late and value not in self.shared:
                self._free(value, occupied)
        preferred = None
        if isinstance(statement, Assign) and isinstance(statement.value, Node) and statement.value.op.name in _INPLACE:
            first = statement.value.kids[0]
            preferred = self.colour.get(first.value) if isinstance(first, Ref) else None
        for value in results:
            self._define(value, occupied, held, preferred)
        for value in kills:
            self._free(value, occupied)

    def _free(self, value: Value, occupied: dict[str, Value]) -> None:
        name = self.colour.get(value)
        if name is not None and occupied.get(name) == value:
            del occupied[name]

    def _define(self, value: Value, occupied: dict[str, Value], held: set[str], preferred: str | None = None) -> None:
        if value in self.colour:
            occupied[self.colour[value]] = value
            return
        if value in self.fixed:
            name = self.fixed[value]
        else:
            name = self._choose(value, occupied, held, preferred)
        self.colour[value] = name
        occupied[name] = value

    def _choose(self, value: Value, occupied: dict[str, Value], held: set[str], preferred: str | None) -> str:
        unusable = self.reserved

        def free(name: str) -> bool:
            return name not in occupied and name not in held and name not in unusable and name not in self.alone

        if value in self.single or value in self.shared:
            taken = set(self.colour.values()) | unusable
            name = self._numbered("_h" if value in self.single else "_c", lambda name: name not in taken)
            self.alone.add(name)
            return name
        hint = self.draft.hints[value]
        candidates: list[str] = []
        if hint is not None:
            candidates.append(hint)
        elif preferred is not None:
            candidates.append(preferred)
        for other in self.flows.get(value, ()):
            if other in self.colour:
                candidates.append(self.colour[other])
            elif self.draft.hints[other] is not None:
                candidates.append(str(self.draft.hints[other]))
        for name in candidates:
            if _usable(name) and free(name):
                return name
        if hint is not None and _usable(hint):
            return self._numbered(hint + "_", free)
        return self._temporary(free)

    def _temporary(self, free) -> str:  # type: ignore[no-untyped-def]
        return self._numbered("_", free)

    def _numbered(self, stem: str, free) -> str:  # type: ignore[no-untyped-def]
        number = 1
        while not free(f"{stem}{number}"):
            number += 1
        return f"{stem}{number}"

    # -- comprehensions have variables of their own

    def _comprehensions(self, tree: Expression) -> None:
        for found in comprehensions(tree):
            outer = {self.colour[value] for value in refs(Fused("", (), found)) if value in self.colour}
            outer.update(self.names.cells.values())
            for clause in found.clauses:
                for value in target_values(clause.target):
                    self._inner(value, outer)

    def _inner(self, value: Value, taken: set[str]) -> None:
        if value in self.colour:
            return
        hint = self.draft.hints[value]

        def free(name: str) -> bool:
            return name not in taken and name not in self.reserved

        if hint is not None and _usable(hint):
            name = hint if free(hint) else self._numbered(hint + "_", free)
        else:
            name = self._numbered("_", free)
        self.colour[value] = name
        taken.add(name)


def _usable(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and name != "__debug__"


def _edges(node: DraftNode) -> Iterable[tuple[Edge, int]]:
    """The edges of a node with the number of parameters that they do not pass."""
    for at, edge in enumerate(node.end.edges):
        yield edge, 1 if node.end.name == "next" and at == 0 else 0
    if node.handler is not None:
        yield node.handler, 1


def _outer(tree: Expression) -> list[Value]:
    """The values that a tree reads from outside its own comprehensions."""
    if isinstance(tree, Ref):
        return [tree.value]
    if isinstance(tree, Literal):
        return []
    found = list(refs(tree))
    inner: set[Value] = set()
    for comprehension in comprehensions(tree):
        inner.update(_bound(comprehension))
    return [value for value in found if value not in inner] if inner else found


def _bound(comprehension: Comprehension) -> set[Value]:
    return {value for clause in comprehension.clauses for value in target_values(clause.target)}


def _reads(statement: object) -> list[Value]:
    """The values that a statement reads and does not make itself."""
    trees = list(expressions(statement))
    found = [value for tree in trees for value in _outer(tree)]
    made = {value for tree in trees for value in named(tree)}
    return [value for value in found if value not in made] if made else found


def _made(statement: object) -> list[Value]:
    return [*assigned(statement), *(value for tree in expressions(statement) for value in named(tree))]


def _silent(statement: object) -> bool:
    return (
        isinstance(statement, Assign)
        and isinstance(statement.value, (Ref, Literal))
        and all(isinstance(target, Variable) for target in statement.targets)
    )
