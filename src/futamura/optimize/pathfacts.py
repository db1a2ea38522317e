"""What a branch asks, told by what it computes, and what its answer says of later branches on the same way.

    b1: v2 = getitem v0, 0; v3 = ne v2, "api"; branch v3     asks whether v0[0] is "api"
    b7: v8 = getitem v0, 0; v9 = eq v8, "api"; branch v9     asks the same, if nothing was written between

Expressions are told by their operators, operands and the versions of the memory that they read, as in `available.py`;
here one need not be executed on every way to the other.  A subject is what is asked about: the truth of a value, which
constant it equals, which singleton it is.  A fact about one is the constant that it is, or those that it is not.

Invariant: two values of one expression are equal whenever control went from one to the other without passing through a
block of `homes` again.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value
from futamura.optimize.classtests import EVERYTHING, Kinds, tested_kinds
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.memory import Memory, Versions

__all__ = ["Expressions", "Fact", "Subject", "Test", "answer", "learned", "meet"]

Fact: TypeAlias = "Constant | frozenset[Constant] | Kinds"
"""The constant that a subject is, or those that it is known not to be; of a class, the kinds that it may be."""

MOST_HOMES: Final = 16
"""What depends on more blocks is a value of its own: sets of homes would grow with chains of operations."""
MOST_EXCLUDED: Final = 256
"""Constants that a subject is known not to be: of a longer chain of comparisons, the first ones are remembered."""
_COMPARED: Final = frozenset({"int", "str", "bytes"})
"""Of two of one of these types, `==` says that they are the same constant."""
_ORDERED: Final = frozenset({"int", "str", "bytes", "bool"})
_SINGLETONS: Final = frozenset({"NoneType", "bool", "ellipsis"})
_TRUE: Final = Constant(True)
_NONE: Final = Constant(None)
_IS_NONE: Final = Kinds(frozenset({type(None)}))
_SETTINGS: Final = frozenset({"global"})
_INPLACE: Final = frozenset(
    "i" + name for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lshift", "rshift", "and", "or", "xor")
)


class Subject(NamedTuple):
    """What is asked: "truth" of an exact bool, "equal" to a constant, "same" as a singleton, of which "kind" it is;
    whether it "raises"."""

    kind: str
    expression: int


class Test(NamedTuple):
    """A branch goes its first way exactly if the subject is (or, if not `positive`, is not) the constant, or one of
    the kinds."""

    subject: Subject
    constant: Constant | Kinds
    positive: bool


def answer(test: Test, fact: Fact | None) -> bool | None:
    """Does the branch go its first way?  None if that is open."""
    if isinstance(fact, Kinds):
        assert isinstance(test.constant, Kinds)
        if fact.kinds <= test.constant.kinds:
            return test.positive
        return not test.positive if fact.kinds.isdisjoint(test.constant.kinds) else None
    if isinstance(fact, Constant):
        return (fact == test.constant) is test.positive
    if fact is not None and test.constant in fact:
        return not test.positive
    return None


def learned(test: Test, fact: Fact | None, first: bool) -> Fact:
    """What is known of the subject where the branch went its first (or second) way."""
    if isinstance(test.constant, Kinds):
        known = fact if isinstance(fact, Kinds) else EVERYTHING
        if first is test.positive:
            return Kinds(known.kinds & test.constant.kinds)
        return Kinds(known.kinds - test.constant.kinds)
    assert not isinstance(fact, Kinds)
    if first is test.positive or isinstance(fact, Constant):
        return test.constant if first is test.positive else fact  # type: ignore[return-value]
    excluded = fact or frozenset()
    return excluded if len(excluded) >= MOST_EXCLUDED else excluded | {test.constant}


def meet(one: Fact, other: Fact) -> Fact | None:
    """What both say."""
    if one == other:
        return one
    if isinstance(one, Kinds) or isinstance(other, Kinds):
        assert isinstance(one, Kinds) and isinstance(other, Kinds)
        both = Kinds(one.kinds | other.kinds)
        return None if both == EVERYTHING else both
    if isinstance(one, Constant):
        one, other = other, one
    if isinstance(one, Constant):
        return None
    left = one - {other} if isinstance(other, Constant) else one & other
    return left or None


class Expressions:
    """The expressions of a function's values, by number."""

    def __init__(self, graph: FlowGraph, inference: Inference) -> None:
        self._inference: Final = inference
        self._known: Final = inference.known
        self._memory: Final = Memory(graph, inference)
        self._numbers: Final[dict[object, int]] = {}
        self.homes: Final[list[frozenset[int]]] = []
        """By expression: the blocks whose execution may change its value."""
        self._of: Final[dict[Value, int]] = {}
        self._places: Final[dict[int, int]] = {}
        self._found: Final[set[int]] = set()
        """Expressions that give a new object each time, or None each time."""
        self._raising: Final[dict[int, int]] = {}
        """By the number of an operation: the expression that stands for whether it raises."""
        self.params: Final[dict[int, Value]] = {}
        """The expressions that are parameters of blocks."""
        for at in inference.layout.order:
            node = graph.node(at)
            self._places.update({op.id: at for op in node.ops})
            self._places[node.end.id] = at
        for at in inference.layout.order:
            self._block(at, graph.node(at))

    def of(self, value: Value) -> int:
        """The expression of a value."""
        return self._of[value]

    def _block(self, at: int, node: Node) -> None:
        for param in node.params:
            self._of[param] = self._own(param, at)
            self.params[self._of[param]] = param
        versions = self._memory.begin[at]
        for op in node.ops:
            if op.name == "copy":
                self._of.update({result: self._of[arg] for result, arg in zip(op.results, op.args)})
                continue
            number = self._expression(op, versions)
            if number is not None and self._inference.fact(op).raises:  # limits that a call may have set count, too
                self._raising[op.id] = self._computed("raises", None, [number], self._read(_SETTINGS, versions))
            versions = self._memory.step(versions, op)
            for result in op.results:
                self._of[result] = self._own(result, at) if number is None else number

    def _own(self, value: Value, at: int) -> int:
        return self._number(("value", value), frozenset((at,)))

    def _number(self, key: object, homes: frozenset[int]) -> int:
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.homes)
            self.homes.append(homes)
        return found

    def _expression(self, op: Operation, versions: Versions) -> int | None:
        """The number of what an operation computes; None if each execution may give something else."""
        if op.name == "const":
            return self._number(op.attr, frozenset())
        if op.name == "global_get" and op.attr in self._known:
            return self._number(("global", op.attr), frozenset())
        effects = self._inference.fact(op).effects
        if op.id not in self._inference.operands or len(op.results) != 1:
            return None
        if effects.writes or effects.calls or effects.suspends:
            return None
        if effects.allocates and not self._inference.searches(op):
            return None
        args = [self._of[arg] for arg in op.args]
        if op.name in ("is", "is_not") and not self._found.isdisjoint(args) and not self._is_singleton(op):
            return None
        if op.name == "call":
            args[0] = self._method(op.args[0]) or args[0]
        types = [shape.type for shape in self._inference.operands[op.id]]
        if len(args) == 2 and types[0] == types[1] and types[0] in op.operator.laws.commutative:
            args.sort()
        name = op.name[1:] if op.name in _INPLACE else op.name
        made = self._computed(name, op.attr, args, self._read(effects.reads, versions))
        if len(self.homes[made]) > MOST_HOMES:
            return None
        if effects.allocates:
            self._found.add(made)
        return made

    def _is_singleton(self, op: Operation) -> bool:
        shapes = self._inference.operands[op.id]
        return any(shape.constant is not None and shape.type in _SINGLETONS for shape in shapes)

    def _computed(self, name: str, attr: object, args: list[int], read: Versions) -> int:
        homes = frozenset[int]().union(*[self.homes[arg] for arg in args])
        for version in read:
            assert isinstance(version, tuple)
            homes |= {version[1] if version[0] == "block" else self._places[version[1]]}
        return self._number((name, attr, tuple(args), read), homes)

    def _method(self, callee: Value) -> int | None:
        made = self._inference.definitions.get(callee)
        if made is None or made.name != "getattr":
            return None
        return self._computed("method", made.attr, [self._of[made.args[0]]], ())

    def _read(self, reads: frozenset[str], versions: Versions) -> Versions:
        if not reads:
            return ()
        kinds = self._memory.kinds
        return tuple([version for kind, version in zip(kinds, versions) if kind in reads or "any" in reads])

    # -------------------------------------------------------------------- questions

    def raising(self, node: Node) -> dict[int, Subject | None]:
        """By its number, for each operation that may raise, what tells whether it does; None if nothing could."""
        found: dict[int, Subject | None] = {}
        for op in node.ops:
            if self._inference.fact(op).raises:
                number = self._raising.get(op.id)
                found[op.id] = None if number is None else Subject("raises", number)
        return found

    def test(self, node: Node) -> Test | None:
        """What the branch at the end of a block asks."""
        if node.end.name != "branch" or node.end.edges[0] == node.end.edges[1]:
            return None
        return self.condition(node.end.args[0])

    def condition(self, value: Value) -> Test:
        """What it means that an exact bool is true."""
        positive = True
        made = self._inference.definitions.get(value)
        while made is not None and made.name in ("not", "truth", "copy") and len(made.args) == 1:
            if made.name != "copy" and self._types(made)[0] != "bool":
                break
            positive = positive is not (made.name == "not")
            value = made.args[0]
            made = self._inference.definitions.get(value)
        found = None if made is None else self._asked(made)
        if found is not None:
            return found._replace(positive=found.positive is positive)
        return Test(Subject("truth", self._of[value]), _TRUE, positive)

    def _types(self, op: Operation) -> tuple[str, ...]:
        return tuple([shape.type for shape in self._inference.operands.get(op.id, ())]) or ("object",)

    def _asked(self, made: Operation) -> Test | None:
        name = made.name
        types = self._types(made)
        if name == "call":
            return self._classified(made)
        if name in ("not", "truth"):
            if not self._inference.fact(made).effects.pure:
                return None
            truth = self._computed("truth", None, [self._of[made.args[0]]], ())
            return Test(Subject("truth", truth), _TRUE, name == "truth")
        if len(types) != 2:
            return None
        if name in ("is", "is_not"):
            found = self._compared(made, "same", _SINGLETONS, name == "is")
            if found is not None and found.constant == _NONE:
                return Test(Subject("kind", found.subject.expression), _IS_NONE, found.positive)
            return found
        if types[0] != types[1]:
            return None
        if name in ("eq", "ne") and types[0] in _COMPARED:
            found = self._compared(made, "equal", _COMPARED, name == "eq")
            if found is not None:
                return found
        if types[0] not in _ORDERED:
            return None
        left, right = (self._of[arg] for arg in made.args)
        if name in ("gt", "le"):
            left, right = right, left
        plain = "eq" if name in ("eq", "ne") else "lt"
        args = sorted((left, right)) if plain == "eq" else [left, right]
        if name not in ("eq", "ne", "lt", "ge", "gt", "le"):
            return None
        truth = self._computed(plain, None, args, ())
        return Test(Subject("truth", truth), _TRUE, name in ("eq", "lt", "gt"))

    def _classified(self, made: Operation) -> Test | None:
        """A call of `isinstance`."""
        callee = self._inference.callee(made.args[0]) if len(made.args) == 3 and made.attr is None else None
        if callee is None or callee.value is not isinstance:
            return None
        classes = self._inference.classes(made.args[2])
        kinds = None if classes is None else tested_kinds(classes.value)
        return None if kinds is None else Test(Subject("kind", self._of[made.args[1]]), kinds, True)

    def _compared(self, made: Operation, kind: str, types: frozenset[str], positive: bool) -> Test | None:
        """A comparison with a constant."""
        shapes = self._inference.operands[made.id]
        for shape, other in ((shapes[1], made.args[0]), (shapes[0], made.args[1])):
            if shape.constant is not None and shape.type in types:
                return Test(Subject(kind, self._of[other]), shape.constant, positive)
        return None
