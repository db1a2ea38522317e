"""Types, ranges and constants, forward over the graph, refined by the branches that lead to a place.

    b0(v0:n): v1 = lt v0, 10; branch v1 -> b1 | b2        (n: int in 0..99)
    b1(): v2 = lt v0, 20 ...                              v2 is True there: n is in 0..9

The solution is optimistic: a block is looked at when a way to it is found, a parameter is what the ways found so far
bring.  A bound that still moves at the third visit is given up, so that loops come to an end.  What holds under a
branch is on a stack along the dominator tree.

Invariant: what is recorded of an operation (`called`, `operands`) holds whenever it is executed; a block that is not in
`reached` is never entered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.facts import PURE, UNKNOWN, Effects, Fact
from futamura.ir.graph import Operation, Value
from futamura.optimize.calls import Called, call_of
from futamura.optimize.dependents import Dependents, Worklist
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.layout import Layout
from futamura.optimize.methods import called_method, searches
from futamura.optimize.private import Private, private_lists
from futamura.optimize.refining import Conditions
from futamura.optimize.shapes import (
    LONGEST,
    NOTHING,
    Shape,
    has_few_digits,
    join,
    known_as,
    narrowed,
    of_type,
    outcome,
    truth_of,
    widened,
)

__all__ = ["Inference", "Items", "Known"]

Known = Mapping[tuple[str, str], object]
"""Global names, by module, that are bound to the same object as long as the program runs."""

_PATIENCE: Final = 3
_TEXTS: Final = frozenset({"str", "bytes"})
_SLICED: Final = frozenset({"str", "bytes", "tuple", "list"})
_BOUNDS: Final = frozenset({"NoneType", "int", "bool"})
_FAR: Final = 2**200
"""No loop has as many rounds as this."""
_INDEX: Final[frozenset[type[BaseException]]] = frozenset({IndexError})
_LIST_AT: Final = {"getitem": 0, "setitem": 1, "list_append": 0, "call": 1, "truth": 0, "not": 0}
"""By the operator: which argument the list is."""
ITERABLE: Final = frozenset({"str", "bytes", "tuple", "list", "range", "set", "frozenset", "dict"})
"""Types whose iterators run no code of a program."""


class Items(NamedTuple):
    """What each item of a list is, and how many there are, if that is known."""

    shape: Shape
    length: int | None = None


class Inference:
    """The facts of one function."""

    __deletable__ = ("_conditions", "_dependents")

    def __init__(
        self,
        graph: FlowGraph,
        given: Mapping[Value, Shape] | None = None,
        known: Known | None = None,
        promised: Mapping[Value, Items] | None = None,
    ) -> None:
        """`promised` is believed of lists up to the end: the caller sees to it that nothing here writes to them."""
        self.graph: Final = graph
        self.promised: Final = promised or {}
        self.known: Final[Known] = known or {}
        self.layout: Final = Layout(graph)
        self.shapes: Final[dict[Value, Shape]] = {}
        self.reached: Final = {0}
        self.called: Final[dict[int, Called]] = {}
        """By the id of the operation: its effects and its result."""
        self.operands: Final[dict[int, tuple[Shape, ...]]] = {}
        """By the id of the operation or terminator: what is known of its arguments there."""
        self.definitions: Final = {result: op for _, node in graph.nodes() for op in node.ops for result in op.results}
        self.private: Final = private_lists(graph, self.definitions, self.callee)
        """Lists that nobody else sees; those into which something else than items may be stored are taken off."""
        self.items: Final[dict[Value, Shape]] = {}
        """What is in private lists."""
        self._counted: Final[dict[Value, Operation]] = {}
        """Items of `enumerate` and `zip`: the calls of these."""
        self._work: Final = Worklist(self.layout.order)
        self._told: Final[dict[int, dict[Value, Shape]]] = {}
        """By the block that begins scopes, what is known of values in them."""
        self._at = 0
        """The block that the solver looks at."""
        self._here: dict[Value, int] = {}
        """The scopes that are open where the solver stands."""
        self._moves: Final[dict[object, int]] = {}
        given = given or {}
        for param in graph.node(0).params:
            self.shapes[param] = given.get(param, of_type(graph.types[param]))
        self._solve()

    def _shape(self, value: Value) -> Shape:
        """What is known where the solver stands."""
        scope = self._here.get(value)
        return self.shapes.get(value, NOTHING) if scope is None else self._told[scope].get(value, NOTHING)

    def callee(self, value: Value) -> Constant | None:
        """The function that a value is, if it is always the same."""
        made = self.definitions.get(value)
        if made is not None and isinstance(made.attr, Constant):
            return made.attr
        if made is not None and made.name == "global_get" and made.attr in self.known:
            return Constant(self.known[made.attr])  # type: ignore[index]
        return self.shapes.get(value, NOTHING).constant

    def classes(self, value: Value) -> Constant | None:
        """What a value is, a tuple of known things included."""
        made = self.definitions.get(value)
        if made is None or made.name != "tuple" or made.attr is not None:
            return self.callee(value)
        parts = [self.callee(arg) for arg in made.args]
        return Constant(tuple([part.value for part in parts if part])) if all(parts) else None

    def fact(self, operation: Operation) -> Fact:
        """Effects and exceptions of an operation (unknown, if nothing leads to it)."""
        found = self.called.get(operation.id)
        return Fact() if found is None else found.fact

    # -------------------------------------------------------------------- the fixed point

    def _solve(self) -> None:
        self._conditions = Conditions(self.definitions, self._shape, self.callee)
        self._dependents = Dependents(self.graph, self.layout, self._conditions, self.definitions, self.private)
        self._work.add(0)
        while (at := self._work.take()) is not None:
            if at in self.reached:
                self._at = at
                self._enter(at)
                self._here = self._dependents.scopes(at)
                self._block(self.graph.node(at))
        del self._conditions, self._dependents  # these lead back to here: only a collection would free it all

    def _news(self, users: Iterable[int] | None, seen_by: int = -1) -> None:
        """Look at these again; the block that is looked at sees by itself what is known before it goes on."""
        for at in users or ():
            if at != seen_by:
                self._work.add(at)

    def _enter(self, at: int) -> None:
        """Believe what the only way into a block says."""
        opened = self._dependents.opened.get(at)
        if opened is None:
            return
        ((source, number),) = self.layout.entering[at]
        self._here = self._dependents.scopes(source)
        under = self._conditions.under(self.graph.node(source), number)
        told = self._told.setdefault(at, {})
        for value in opened:
            shape = under.get(value)
            if shape is None:
                shape = self._shape(value)
            if told.get(value) != shape:
                told[value] = shape
                self._news(self._dependents.inside.get((at, value)), at)

    def _block(self, node: Node) -> None:
        if node.handler is not None:
            self._pass(node, len(node.end.edges), {})
        for op in node.ops:
            self._operation(op)
        end = node.end
        self.operands[end.id] = tuple([self._shape(value) for value in end.args])
        for number in range(len(end.edges)):
            if self.may_go(node, number):
                self._pass(node, number, self._conditions.under(node, number))

    def may_go(self, node: Node, number: int) -> bool:
        """May the terminator take this edge, by what is known of its arguments there?"""
        end = node.end
        if end.name == "branch":
            verdict = truth_of(self.operands[end.id][0])
            return verdict is None or verdict is (number == 0)
        if end.name == "switch":
            constant = self.operands[end.id][0].constant
            assert isinstance(end.attr, tuple)
            if constant is not None:  # the cases are all different
                return end.attr[number] == constant if number < len(end.attr) else constant not in end.attr
        return True

    def _constant(self, op: Operation) -> None:
        """What a constant is, found out once for the graph."""
        if op.id in self.called:
            return
        known = self.graph.constants.get(op.id)
        if known is None or known[0] is not op.attr:
            assert isinstance(op.attr, Constant)
            known = self.graph.constants[op.id] = (op.attr, Called(op.operator.fact((), op.attr), known_as(op.attr)))
        self.operands[op.id] = ()
        self.called[op.id] = known[1]
        self._found(op, known[1])

    def _operation(self, op: Operation) -> None:
        name = op.operator.name
        if name == "const":
            self._constant(op)
            return
        here, told, known = self._here, self._told, self.shapes
        shapes = tuple([
            known.get(value, NOTHING) if (scope := here.get(value)) is None else told[scope].get(value, NOTHING)
            for value in op.args
        ])  # fmt: skip
        self.operands[op.id] = shapes
        if name == "copy":
            for result, shape in zip(op.results, shapes):
                self._is(result, shape)
            self.called[op.id] = Called(op.operator.fact(tuple([shape.type for shape in shapes]), op.attr))
            return
        if name == "unpack" and self._counts(op):
            return
        own = self._of_private(op, shapes) if self.private else None
        if own is not None:
            found = own
        elif name == "call":
            arguments = (*shapes[1:],)
            kind = self.classes(op.args[2]) if len(op.args) == 3 else None
            if kind is not None and arguments[1].constant is None:
                arguments = (arguments[0], Shape(constant=kind))
            made = self._of_method(op, shapes) or self._of_tuple(op)
            found = made or call_of(self.callee(op.args[0]), op.attr, arguments)
        elif name == "getitem" and self._is_part(op, shapes):
            found = Called(Fact(shapes[0].type, frozenset(), PURE), of_type(shapes[0].type))
        elif name == "getitem" and shapes[1].type == "slice" and shapes[0].type in _SLICED:
            found = Called(UNKNOWN._replace(result=shapes[0].type), of_type(shapes[0].type))  # `__index__` may be run
        elif name == "getitem" and op.args[0] in self.promised and shapes[1].type in ("int", "bool"):
            items = self.promised[op.args[0]]
            raised = frozenset[type[BaseException]]() if _lies_in(shapes[1], items.length) else _INDEX
            found = Called(Fact(items.shape.type, raised, Effects(frozenset({"item"}))), items.shape)
        elif name == "iter" and self._is_own_iterator(op.args[0]):
            found = Called(Fact("object", frozenset(), PURE))
        elif name == "exc_match" and self._names_errors(op.args[1]):
            found = Called(Fact("bool", frozenset(), PURE), of_type("bool"))
        elif name == "getattr" and searches(shapes[0], op.attr) is not None:
            found = Called(Fact("object", frozenset(), Effects(allocates=True)))
        elif name == "global_get" and op.attr in self.known:
            always = known_as(Constant(self.known[op.attr]))  # type: ignore[index]
            found = Called(Fact("object", frozenset(), Effects(frozenset({"global"}))), always)
        else:
            fact = op.operator.fact(tuple([shape.type for shape in shapes]), op.attr)
            if name == "format" and len(shapes) == 1 and has_few_digits(shapes[0]):
                fact = fact._replace(raises=frozenset())
            single = len(op.results) == 1
            shape = outcome(op.operator, shapes, op.attr, fact.result) if single else of_type(fact.result)
            found = Called(fact, shape)
        self.called[op.id] = found
        self._found(op, found)

    def _found(self, op: Operation, found: Called) -> None:
        """The results are what was found, or what their types say."""
        for result in op.results:
            shape = found.shape
            if shape == NOTHING and self.graph.types[result] != NOTHING.type:
                shape = of_type(self.graph.types[result])
            self._is(result, shape)

    def _names_errors(self, value: Value) -> bool:
        """May an except clause name this?"""
        named = self.classes(value)
        if named is None:
            return False
        classes = named.value if type(named.value) is tuple else (named.value,)
        return all(isinstance(one, type) and BaseException in one.__mro__ for one in classes)

    def _is_own_iterator(self, source: Value) -> bool:
        """Is this an `enumerate` or a `zip` of something whose iterators run no code of a program?"""
        made = self._paired(source)
        return made is not None and not self.fact(made).effects.calls

    def _paired(self, source: Value | None) -> Operation | None:
        """The call of `enumerate` or `zip` that makes a value."""
        return self.made_by(source, enumerate) or self.made_by(source, zip)

    def _is_part(self, op: Operation, shapes: tuple[Shape, ...]) -> bool:
        """Is it a slice of a text, of which nothing but a step of zero could be wrong?"""
        if shapes[0].type not in _TEXTS or shapes[1].type != "slice":
            return False
        made = self.definitions.get(op.args[1])
        if made is None or made.name != "slice":
            return False
        first, last, step = [self._shape(part) for part in made.args]
        return step.type == "NoneType" and {first.type, last.type} <= _BOUNDS

    def _counts(self, op: Operation) -> bool:
        """Takes it apart what `enumerate` or `zip` gives?  Then it is known what the items are, and that the number of
        one is small."""
        called = self._counted.get(op.args[0])
        if called is None or op.attr != (len(op.results), False, 0):
            return False
        if self.made_by(called.results[0], zip):
            if len(op.results) != len(called.args) - 1:
                return False
            self.called[op.id] = Called(Fact("object", frozenset(), PURE))
            for result, source in zip(op.results, called.args[1:]):
                self._is(result, self._inside(source))
            return True
        if len(op.results) != 2:
            return False
        start = Shape("int", 0, 0) if len(called.args) == 2 else self._shape(called.args[2])
        if start.type not in ("int", "bool"):
            return False
        self.called[op.id] = Called(Fact("object", frozenset(), PURE))
        self._is(op.results[0], narrowed(Shape("int"), start.low, None if start.high is None else start.high + _FAR))
        self._is(op.results[1], self._inside(called.args[1]))
        return True

    def _is(self, value: Value, shape: Shape) -> None:
        if self.shapes.get(value) != shape:
            self.shapes[value] = shape
            self._news(self._dependents.users.get(value), self._at)

    def _of_method(self, op: Operation, shapes: tuple[Shape, ...]) -> Called | None:
        """What a call of a method of a builtin class does."""
        made = self.definitions.get(op.args[0])
        if made is None or made.name != "getattr":
            return None
        return called_method(self._shape(made.args[0]), made.attr, op.attr, shapes[1:])

    def _of_tuple(self, op: Operation) -> Called | None:
        """The length of a tuple that is put together here."""
        callee = self.callee(op.args[0]) if len(op.args) == 2 and op.attr is None else None
        made = self.definitions.get(op.args[1]) if callee is not None and callee.value is len else None
        if made is None or made.name != "tuple" or made.attr is not None:
            return None
        return Called(Fact("int", frozenset(), PURE), known_as(Constant(len(made.args))))

    def asks(self, op: Operation) -> bool:
        """Does it ask an object for its class?  Objects that watch their attributes see how often, and when."""
        if op.name != "call" or len(op.args) < 2:
            return False
        callee = self.callee(op.args[0])
        return callee is not None and callee.value is isinstance and self.operands[op.id][1].type == NOTHING.type

    def searches(self, op: Operation) -> bool:
        """Is this a search for a pattern: does what it finds depend on nothing but its operands?"""
        made = self.definitions.get(op.args[0]) if op.name == "call" else None
        if made is None or made.name != "getattr" or self.fact(op).effects.calls:
            return False
        return searches(self.shapes.get(made.args[0], NOTHING), made.attr) is not None

    # -------------------------------------------------------------------- private lists

    def _of_private(self, op: Operation, shapes: tuple[Shape, ...]) -> Called | None:
        """What an operation on a private list does; None if it is on none."""
        at = _LIST_AT.get(op.name, -1)
        if op.results and op.results[0] in self.private and op.name in ("list", "mul"):
            return self._made(op, shapes)
        appended = self._dependents.appends.get(op.id)
        owner = appended if appended is not None else op.args[at] if 0 <= at < len(op.args) else None
        mine = None if owner is None else self.private.get(owner)
        if mine is None or op.id not in mine.ops:
            return None
        memory = frozenset({mine.kind})
        if appended is not None:
            self._store(mine, shapes[1])
            return Called(Fact("NoneType", frozenset(), Effects(frozenset(), memory)), of_type("NoneType"))
        if op.name in ("call", "truth", "not"):
            size = Shape("int", 0, LONGEST) if mine.length is None else known_as(Constant(mine.length))
            if op.name != "call":
                verdict = truth_of(size)
                size = of_type("bool") if verdict is None else known_as(Constant(verdict is (op.name == "truth")))
            return Called(Fact(size.type, frozenset(), Effects(memory if mine.length is None else frozenset())), size)
        if op.name == "list_append":
            self._store(mine, shapes[1])
            return Called(Fact("object", frozenset(), Effects(frozenset(), memory)))
        index = shapes[-1]
        if index.type not in ("int", "bool"):
            if op.name == "setitem":  # a slice, or an object that says which index it is
                self._give_up(mine)
            return None
        raises: frozenset[type[BaseException]] = frozenset() if _lies_in(index, mine.length) else _INDEX
        if op.name == "setitem":
            self._store(mine, shapes[0])
            return Called(Fact("object", raises, Effects(frozenset(), memory)))
        item = self.items.get(mine.value, NOTHING)
        return Called(Fact(item.type, raises, Effects(memory)), item)

    def _made(self, op: Operation, shapes: tuple[Shape, ...]) -> Called | None:
        mine = self.private[op.results[0]]
        if op.name == "list":
            for shape in shapes:
                self._store(mine, shape)
            return Called(Fact("list", frozenset(), Effects(allocates=True)), Shape("list"))
        source = self.private.get(op.args[0]) or self.private.get(op.args[1])
        if source is None:
            self._give_up(mine)
            return None
        if source.value in self.items:
            self._store(mine, self.items[source.value])
        reads = frozenset({source.kind})
        fact = op.operator.fact(tuple([shape.type for shape in shapes]), op.attr)
        if fact.result != "list":  # a count that is no int
            self._give_up(mine)
            return None
        return Called(fact._replace(effects=Effects(reads, allocates=True)), Shape("list"))

    def _give_up(self, mine: Private) -> None:
        del self.private[mine.value]
        self._news(self._dependents.lists.get(mine.value))

    def _store(self, mine: Private, shape: Shape) -> None:
        old = self.items.get(mine.value)
        new = shape if old is None else join(old, shape)
        if new != old:
            self._moves[mine] = moves = self._moves.get(mine, 0) + 1
            self.items[mine.value] = widened(old, new) if old is not None and moves >= _PATIENCE else new
            self._news(self._dependents.lists.get(mine.value))

    def _pass(self, node: Node, number: int, refined: Mapping[Value, Shape]) -> None:
        """Bring the arguments of an edge to the parameters of its target."""
        edge = node.edges()[number]
        params = self.graph.node(edge.target).params
        implicit = node.implicit(number)
        stepped = implicit and number < len(node.end.edges)
        if stepped and self._is_empty(node):
            return
        if edge.target not in self.reached:
            self.reached.add(edge.target)
            self._work.add(edge.target)
        if implicit:
            paired = self._paired(self._iterated(node)) if stepped else None
            if paired is not None and len(self.layout.entering[edge.target]) == 1:
                self._counted[params[0]] = paired
            self._raise(edge.target, params[0], self._item(node) if stepped else NOTHING)
        for param, value in zip(params[implicit:], edge.args):
            shape = refined.get(value)
            self._raise(edge.target, param, self._shape(value) if shape is None else shape)

    def _raise(self, at: int, param: Value, shape: Shape) -> None:
        old = self.shapes.get(param)
        new = shape if old is None else join(old, shape)
        if new == old:
            return
        if old is not None:
            self._moves[param] = moves = self._moves.get(param, 0) + 1
            new = widened(old, new) if moves >= _PATIENCE else new
        self.shapes[param] = new
        self._work.add(at)
        self._news(self._dependents.users.get(param))

    def steps_unknown_code(self, node: Node) -> bool:
        """Does the block end with a step of an iterator that may be anybody's?"""
        if node.end.name != "next":
            return False
        source = self._iterated(node)
        if self.made_by(source, range):
            return False
        if (paired := self._paired(source)) is not None:
            return self.fact(paired).effects.calls
        return source is None or self.shapes.get(source, NOTHING).type not in ITERABLE

    def _iterated(self, node: Node) -> Value | None:
        made = self.definitions.get(node.end.args[0])
        return None if made is None or made.name != "iter" else made.args[0]

    def _stepped(self, node: Node) -> Private | None:
        """The private list whose items a block steps over."""
        source = self._iterated(node) if node.end.name == "next" else None
        mine = None if source is None else self.private.get(source)
        return mine if mine is not None and node.end.id in mine.steps else None

    def _inside(self, source: Value) -> Shape:
        """What iterating over this gives."""
        if source in self.promised:
            return self.promised[source].shape
        return _item_of(self._shape(source))

    def _is_empty(self, node: Node) -> bool:
        """Does a block step over a list into which nothing was put so far?"""
        mine = self._stepped(node)
        return mine is not None and mine.value not in self.items

    def made_by(self, source: Value | None, function: object) -> Operation | None:
        """The call of a function that makes a value."""
        called = None if source is None else self.definitions.get(source)
        if called is None or called.name != "call" or called.attr is not None or len(called.args) < 2:
            return None
        callee = self.callee(called.args[0])
        return called if callee is not None and callee.value is function else None

    def _item(self, node: Node) -> Shape:
        """What a `next` gives."""
        source = self._iterated(node)
        if source is None:
            return NOTHING
        if (mine := self._stepped(node)) is not None:
            return self.items.get(mine.value, NOTHING)
        if self._paired(source):
            return Shape("tuple")
        called = self.made_by(source, range)
        if called is None:
            return self._inside(source)
        bounds = [self._shape(value) for value in called.args[1:]]
        if len(bounds) == 3 and bounds[2].low is not None and bounds[2].low > 0:
            bounds.pop()
        if len(bounds) > 2:
            return Shape("int")
        low = bounds[0].low if len(bounds) == 2 else 0
        high = bounds[-1].high
        return narrowed(Shape("int"), low, None if high is None else high - 1)


def _item_of(source: Shape) -> Shape:
    """What iterating over this gives."""
    return {"str": Shape("str"), "bytes": Shape("int", 0, 255)}.get(source.type, NOTHING)


def _lies_in(index: Shape, length: int | None) -> bool:
    """Is the index one of a list of this length, for sure?"""
    if length is None or index.low is None or index.high is None:
        return False
    return -length <= index.low and index.high < length
