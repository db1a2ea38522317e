"""One function up to the point where its variables get names.

    Function -> draft -> clean-ups folded -> control collapsed into expressions -> statements nested
             -> try statements with their clauses, loops with their iterables

A `Prepared` function does not depend on the function around it; so whether a lambda prints as an expression is
known before its surroundings are printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from futamura.backend.python.collapse import Collapse
from futamura.backend.python.draft import Draft, DraftNode, item_refs
from futamura.backend.python.folding import Folded, fold
from futamura.backend.python.iterating import only_looped_over
from futamura.backend.python.loops import generator_comprehension
from futamura.backend.python.nesting import Naming, Nested, nest
from futamura.backend.python.returning import return_at_once
from futamura.backend.python.settling import settle
from futamura.backend.python.trees import (
    Assign,
    Comprehension,
    Expression,
    FusedItem,
    Node,
    Ref,
    Return,
    Target,
    TupleTarget,
    Variable,
)
from futamura.ir.attributes import ASYNC
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Function, FunctionAttr, Operation, Program, Value
from futamura.ir.ops import OPERATORS, TERMINATORS

__all__ = ["ClauseHeader", "Preparation", "Prepared", "TryParts", "WithHeader", "base_name", "nested_functions"]


@dataclass(slots=True)
class ClauseHeader:
    """`except classes as exception`; no tree: every exception."""

    classes: Expression | None
    exception: Value | None


@dataclass(slots=True)
class WithHeader:
    manager: Expression
    target: Target | None
    waits: bool
    """Is it an `async with`?"""


@dataclass(slots=True)
class TryParts:
    """The clauses of a try statement: header, first node, and the nodes of each; the chain's nodes vanish."""

    headers: list[ClauseHeader]
    entries: list[int]
    members: list[frozenset[int]]
    chain: frozenset[int]


@dataclass(slots=True, eq=False)
class Prepared:
    function: Function
    draft: Draft
    nested: dict[int, Nested]
    folded: dict[int, Folded]
    constants: dict[Value, Constant]
    """The values of unnamed constants, which have no variable."""
    tries: dict[int, TryParts] = field(default_factory=dict)
    withs: dict[int, WithHeader] = field(default_factory=dict)
    iterables: dict[int, tuple[int, Value]] = field(default_factory=dict)
    """For loop nodes: the node before, whose last operand is the iterable, and the value of the iterator."""
    resumes: dict[int, list[int]] = field(default_factory=dict)
    comprehension: Comprehension | None = None

    looped_over: frozenset[Value] | None = None
    """What `only_looped_over` has found."""

    @property
    def only_looped_over(self) -> frozenset[Value]:
        """The iterators that may be something else to loop over."""
        if self.looped_over is None:
            self.looped_over = only_looped_over(self.draft)
        return self.looped_over

    @property
    def expression(self) -> Expression | None:
        """What a lambda returns, if that is all it does."""
        if len(self.nested) != 1:
            return None
        statements = self.nested[0].statements
        last = statements[0] if len(statements) == 1 else None
        return last.value if isinstance(last, Return) else None


def base_name(name: str) -> str:
    """The last part of a function's unique name, without its number."""
    return name.rpartition(".")[2].partition("#")[0]


def nested_functions(program: Program, function: Function) -> Iterator[Function]:
    """The functions that `function` makes, and those that they make."""
    work = [function]
    while work:
        for op in work.pop().operations():
            if isinstance(op.attr, FunctionAttr):
                nested = program[op.attr.name]
                yield nested
                work.append(nested)


class Preparation:
    """Prepares the functions of one program, each once."""

    def __init__(self, program: Program) -> None:
        self.program: Final = program
        self._done: dict[str, Prepared] = {}
        self._written: dict[str, dict[int, int]] = {}

    def write_out(self, name: str, regions: set[int]) -> None:
        """Prepare the function anew, with clauses for all exceptions in these `try` statements; asked again, with
        nothing but such a clause."""
        written = self._written.setdefault(name, {})
        for region in regions:
            written[region] = written.get(region, 0) + 1
        del self._done[name]

    def __getitem__(self, name: str) -> Prepared:
        found = self._done.get(name)
        if found is None:
            found = self._done[name] = prepare(self.program[name], self.expressible, self._written.get(name))
        return found

    def expressible(self, name: str) -> bool:
        """Does the program's function `name` print as an expression?"""
        base = base_name(name)
        if base == "<lambda>":
            return self[name].expression is not None and self[name].function.kind == "function"
        return base == "<genexpr>" and self[name].comprehension is not None


def prepare(  # type: ignore[no-untyped-def]
    function: Function, expressible, written: Mapping[int, int] | None = None
) -> Prepared:
    """Everything up to naming; `expressible(name)` tells about the functions that this one makes.

    `written` says of regions that all exceptions need a clause (1), or that this is the only one (2).
    """
    draft = Draft(function)
    folded = fold(draft)
    draft.prune()
    draft.merge()
    settle(draft, folded)
    constants = _constants(draft)
    # What is an expression of the function around it would use that one's variables.
    named = base_name(function.name) not in ("<genexpr>", "<lambda>")
    Collapse(draft, constants, expressible, named=named).run()
    draft.prune()
    draft.merge()
    return_at_once(draft)
    constants |= _constants(draft)  # some were defined in an arm that is part of an expression now
    if base_name(function.name) == "<genexpr>":
        comprehension = generator_comprehension(draft, constants, expressible)
    else:
        comprehension = None
    _store_items(draft)
    uses = draft.uses()
    targets = _targets(draft, folded)
    naming = Naming.BEHIND if named else Naming.NEVER
    nested = {
        number: nest(draft, node, uses, constants, expressible, target=targets.get(number), naming=naming)
        for number, node in draft.nodes.items()
    }
    prepared = Prepared(function, draft, nested, folded, constants, comprehension=comprehension)
    _open_withs(prepared, uses)
    _find_clauses(prepared, written or {})
    _find_iterables(prepared, uses)
    _find_resumes(prepared)
    return prepared


def _store_items(draft: Draft) -> None:
    """What was put into a dict by a comprehension that is none any more is an ordinary assignment: it is always an
    exact dict."""
    for node in draft.nodes.values():
        for at, item in enumerate(node.items):
            if item.name == "dict_put" and isinstance(item, Operation):
                target, key, value = item.args
                node.items[at] = item._replace(operator=OPERATORS["setitem"], args=(value, target, key))


def _constants(draft: Draft) -> dict[Value, Constant]:
    """The values of unnamed constants: they are written where they are used."""
    found: dict[Value, Constant] = {}
    for node in draft.nodes.values():
        for item in node.items:
            if item.name == "const" and draft.hints[item.results[0]] is None and isinstance(item, Operation):
                assert isinstance(item.attr, Constant)
                found[item.results[0]] = item.attr
    return found


def _targets(draft: Draft, folded: dict[int, Folded]) -> dict[int, Value]:
    """The values that a for or with statement assigns, by the first node of its body."""
    found: dict[int, Value] = {}
    for node in draft.nodes.values():
        if node.end.name == "next":
            body = draft.nodes[node.end.edges[0].target]
            if len(body.params) == 1 and body.region == node.region:  # what is raised while it assigns is caught there
                found[body.id] = body.params[0]
    openers = _openers(draft)
    for statement in folded.values():
        opener = openers.get(statement.leaving)
        if statement.kind == "with" and opener is not None:
            found[opener.end.edges[0].target] = opener.items[-1].results[1]
    return found


def _openers(draft: Draft) -> dict[Value, DraftNode]:
    """The nodes that end by entering the manager of a with statement, by the exit function."""
    return {
        node.items[-1].results[0]: node
        for node in draft.nodes.values()
        if node.items and node.items[-1].name == "with_enter"
    }


def _open_withs(prepared: Prepared, uses) -> None:  # type: ignore[no-untyped-def]
    openers = _openers(prepared.draft)
    for region, statement in prepared.folded.items():
        opener = openers.get(statement.leaving)
        if statement.kind != "with" or opener is None:
            continue
        nested = prepared.nested[opener.id]
        last = nested.statements.pop()
        assert isinstance(last, Assign) and isinstance(last.value, Node) and isinstance(last.targets[0], TupleTarget)
        manager = last.value.kids[0]
        nested.operands = (manager,)
        value = last.targets[0].items[1]
        assert isinstance(value, Variable)
        body = prepared.nested[opener.end.edges[0].target]
        target = body.target
        if uses[value.value] == 0 and isinstance(target, Variable):
            target = body.target = None
        prepared.withs[region] = WithHeader(manager, target, last.value.op.attr == ASYNC)


# -- except clauses


def _find_clauses(prepared: Prepared, written: Mapping[int, int]) -> None:
    function = prepared.function
    inside: dict[int, set[int]] = {}
    for node in prepared.draft.nodes.values():
        for region in function.region_path(node.region):
            inside.setdefault(region, set()).add(node.id)
    handlers = [s.handler for s in prepared.folded.values() if s.kind == "try" and s.handler in prepared.draft.nodes]
    counts = prepared.draft.predecessors()
    readers = _readers(prepared.draft, {prepared.draft.nodes[number].params[0] for number in handlers})
    for region, statement in prepared.folded.items():
        if statement.kind != "try" or statement.handler not in prepared.draft.nodes:
            continue
        handler = prepared.draft.nodes[statement.handler]
        members = inside.get(handler.region, set())
        how = written.get(region, 0)
        parts = _chain(prepared, handler, members, counts, readers, ends=not how) if how < 2 else None
        prepared.tries[region] = parts if parts is not None else _one_clause(prepared, handler, members)


def _readers(draft: Draft, exceptions: set[Value]) -> dict[Value, list[int]]:
    """The nodes that read an exception other than to raise it on."""
    found: dict[Value, list[int]] = {}
    for node in draft.nodes.values():
        read: set[Value] = set()
        for item in node.items:
            read.update(exceptions.intersection(item.args))
            if isinstance(item, FusedItem):
                read.update(exceptions.intersection(item_refs(item)))
        if node.end.name != "reraise":
            read.update(exceptions.intersection(node.end.args))
        for edge in [*node.end.edges, *([node.handler] if node.handler is not None else [])]:
            read.update(exceptions.intersection(edge.args))
        for value in sorted(read):
            found.setdefault(value, []).append(node.id)
    return found


def _chain(
    prepared: Prepared,
    handler: DraftNode,
    members: set[int],
    counts: dict[int, int],
    readers: dict[Value, list[int]],
    *,
    ends: bool,
) -> TryParts | None:
    """The clauses of a chain of `exc_match` tests; None if the handler has another form.  `ends`: what none of them
    takes goes on without a clause."""
    draft = prepared.draft
    exception = handler.params[0]
    parts = TryParts([], [], [], frozenset())
    chain: list[int] = []
    node = handler
    while True:
        nested = prepared.nested[node.id]
        matched = _matched(nested, node, exception)
        if matched is None:
            break
        chain.append(node.id)
        _separate(prepared, node, members, counts)
        then, orelse = node.end.edges
        body, node = draft.nodes[then.target], draft.nodes[orelse.target]
        if body.params or counts[body.id] != 1 or body.id not in members or node.params or counts[node.id] != 1:
            return None
        parts.headers.append(ClauseHeader(matched, exception))
        parts.entries.append(body.id)
        if node.id not in members:
            return None
    last = prepared.nested[node.id].statements
    end = node.end
    if ends and end.name == "reraise" and end.args == (exception,) and len(last) == 1 and parts.entries:
        chain.append(node.id)
    elif node is handler or counts[node.id] == 1:
        parts.headers.append(ClauseHeader(None, exception))
        parts.entries.append(node.id)
    else:
        return None
    parts.chain = frozenset(chain)
    if not _divide(prepared, parts, members) or not _plain_in_chain(parts, exception, readers.get(exception, [])):
        return None
    return parts


def _separate(prepared: Prepared, node: DraftNode, members: set[int], counts: dict[int, int]) -> None:
    """Give both ways of a test of the chain a node of their own in the handler."""
    draft = prepared.draft
    edges = list(node.end.edges)
    for at, edge in enumerate(edges):
        target = draft.nodes[edge.target]
        if not edge.args and not target.params and counts[target.id] == 1 and target.id in members:
            continue
        jump = node.end._replace(kind=TERMINATORS["jump"], args=(), edges=(edge,))
        between = draft.new_node(jump, node.region)
        prepared.nested[between.id] = Nested()
        members.add(between.id)
        counts[between.id] = 1
        edges[at] = Edge(between.id)
    node.end = node.end._replace(edges=tuple(edges))


def _matched(nested: Nested, node: DraftNode, exception: Value) -> Expression | None:
    """The classes that the node's branch compares the exception with, if it does nothing else."""
    if node.end.name != "branch" or nested.statements:
        return None
    tree = nested.operands[0]
    if not isinstance(tree, Node) or tree.op.name != "exc_match" or tree.kids[0] != Ref(exception):
        return None
    return tree.kids[1]


def _divide(prepared: Prepared, parts: TryParts, members: set[int]) -> bool:
    """Each node of the handler belongs to the clause that reaches it; False if two do."""
    owner: dict[int, int] = {}
    draft = prepared.draft
    for number, entry in enumerate(parts.entries):
        work = [entry]
        while work:
            current = work.pop()
            if owner.setdefault(current, number) != number:
                return False
            node = draft.nodes[current]
            targets = [edge.target for edge in node.end.edges]
            if node.handler is not None:
                targets.append(node.handler.target)
            for target in targets:
                if target in members and owner.get(target) != number:
                    work.append(target)
    parts.members = [frozenset(n for n, o in owner.items() if o == k) for k in range(len(parts.entries))]
    return True


def _plain_in_chain(parts: TryParts, exception: Value, readers: list[int]) -> bool:
    """Only clauses whose exception is read need its name; False if anything outside of them reads it."""
    if any(number not in parts.chain and all(number not in group for group in parts.members) for number in readers):
        return False
    for header, members in zip(parts.headers, parts.members, strict=True):
        header.exception = exception if any(number in members for number in readers) else None
    return True


def _one_clause(prepared: Prepared, handler: DraftNode, members: set[int]) -> TryParts:
    """The general form: one clause for every exception, with the tests inside."""
    header = ClauseHeader(None, handler.params[0])
    return TryParts([header], [handler.id], [frozenset(members)], frozenset())


# -- loops over iterables


def _find_iterables(prepared: Prepared, uses) -> None:  # type: ignore[no-untyped-def]
    """Loops whose iterator is made right before, for this loop only: the iterable itself is printed."""
    draft = prepared.draft
    ways: dict[int, list[int]] = {}
    for node in draft.nodes.values():
        for edge in node.end.edges:
            ways.setdefault(edge.target, []).append(node.id)
    for node in draft.nodes.values():
        if node.end.name != "next" or node.items:
            continue
        if node.handler is not None and node.handler.args:
            continue  # what the handler is passed is assigned on every trip: the iterator must be made before
        iterator = node.end.args[0]
        if uses[iterator] != 1 or draft.hints[iterator] is not None:
            continue
        for before in ways.get(node.id, ()):
            nested = prepared.nested[before]
            last = nested.statements[-1] if nested.statements else None
            made = isinstance(last, Assign) and last.targets == (Variable(iterator),)
            if made and draft.nodes[before].end.name == "jump" and draft.nodes[before].region == node.region:
                assert isinstance(last, Assign)
                if not _stays_in_region(prepared, ways, node, before):
                    break
                if isinstance(last.value, Node) and last.value.op.name == "iter":
                    nested.statements.pop()
                    nested.operands = (last.value.kids[0],)
                    prepared.nested[node.id].operands = ()
                    prepared.iterables[node.id] = (before, iterator)
                break


def _stays_in_region(prepared: Prepared, ways: dict[int, list[int]], node: DraftNode, before: int) -> bool:
    """Does the loop of `node` never leave its region?  Where it does, the region's statement is entered again on each
    trip, and what is written in it is evaluated again."""
    function, nodes = prepared.function, prepared.draft.nodes
    seen = {node.id}
    work = [source for source in ways[node.id] if source != before]
    while work:
        number = work.pop()
        if number in seen:
            continue
        if number == before or node.region not in function.region_path(nodes[number].region):
            return False
        seen.add(number)
        work.extend(ways.get(number, ()))
    return True


def _find_resumes(prepared: Prepared) -> None:
    """Where control goes on behind `finally` parts: those values stay alive in them."""
    function, draft = prepared.function, prepared.draft
    finals: dict[int, list[int]] = {}
    for region, statement in prepared.folded.items():
        if statement.kind == "finally" and statement.handler in draft.nodes:
            finals.setdefault(draft.nodes[statement.handler].region, []).append(region)
    exits: dict[int, dict[int, None]] = {region: {} for regions in finals.values() for region in regions}
    ends: dict[int, list[int]] = {region: [] for region in exits}
    paths = [frozenset(function.region_path(region.id)) for region in function.regions]
    for node in draft.nodes.values():
        path = paths[node.region]
        for region in path.intersection(exits):
            for edge in node.end.edges:
                if region not in paths[draft.nodes[edge.target].region]:
                    exits[region].setdefault(edge.target)
        if node.end.name == "reraise":
            for final in path.intersection(finals):
                for region in finals[final]:
                    if region not in path:
                        ends[region].append(node.id)
    for region in prepared.folded:
        for end in ends.get(region, ()):
            prepared.resumes[end] = list(exits[region])
