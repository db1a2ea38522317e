"""Expression trees by the pending-stack discipline.

    v1 = getattr[append] v0; v2 = call f; v3 = call v1, v2       ->     x.append(f())

The operations of a node are processed in order.  A temporary that is used once waits in a list of pending trees, in
order of evaluation.  An operation takes its operands from the end of that list if they stand there in the order of
its arguments; constants and variables are free.  Whatever is still pending when a statement comes was evaluated
before it: it is assigned to a temporary first.  A temporary that is used several times waits like the others if
something waits already: it gets its variable on the way.

    v1 = getattr[a] x; v2 = getattr[b] x; v3 = call f, v2; v4 = tuple v1, v3, v2     ->     (x.a, f(_1 := x.b), _1)

Invariant: reading the statements from left to right performs the operations in their original order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from futamura.backend.python.augmenting import INPLACE_OPERATORS, augmented
from futamura.backend.python.draft import Draft, DraftNode, node_uses
from futamura.backend.python.leading import first_named, leading, replaced
from futamura.backend.python.trees import (
    MATCHES,
    Assign,
    AugStore,
    Comprehension,
    Delete,
    Effect,
    Expression,
    FromImport,
    Fused,
    FusedItem,
    Item,
    Literal,
    Node,
    Place,
    Raise,
    Ref,
    Return,
    Statement,
    Target,
    TupleTarget,
    Variable,
    depth_of,
)
from futamura.ir.constant import Constant
from futamura.ir.graph import FunctionAttr, Operation, Span, Value
from futamura.ir.ops import OPERATORS

__all__ = ["Naming", "Nested", "nest"]

MAX_DEPTH: Final = 50
"""Deeper trees are cut by a temporary: CPython refuses 200 nested parentheses, people far fewer."""

MAX_NAMED: Final = 8
"""At most so many variables get their values within one expression."""
MAX_RETRIES: Final = 8
"""After so many nestings that did not work out, no variable gets its value within an expression."""

_STORES: Final = frozenset({"setattr", "setitem", "cell_set", "global_set"})
_DELETES: Final = frozenset({"delattr", "delitem", "cell_del", "global_del"})


@dataclass(slots=True)
class Nested:
    """A node as statements, and its end's operands as trees."""

    statements: list[Statement] = field(default_factory=list)
    operands: tuple[Expression, ...] = ()
    target: Target | None = None
    """What the node's one parameter is assigned to, if its first statements only take it apart."""


class Naming(Enum):
    """May a temporary that is used several times get its variable within an expression?"""

    NEVER = 0
    BEHIND = 1
    """If something else is evaluated before it."""
    ANYWHERE = 2


class _Retry(Exception):
    """A pattern that looked possible is not: try without it."""

    def __init__(self, value: Value) -> None:
        super().__init__(value)
        self.value = value


@dataclass(slots=True)
class _Pending:
    value: Value
    tree: Expression
    span: Span | None
    named: tuple[Value, ...] = ()
    """The values that get their variables while the tree is evaluated."""


def nest(
    draft: Draft,
    node: DraftNode,
    uses: Counter[Value],
    constants: dict[Value, Constant],
    expressible: Callable[[str], bool],
    *,
    target: Value | None = None,
    naming: Naming = Naming.NEVER,
    within: bool = False,
) -> Nested:
    """Statements and operands of `node`.  `within`: the operands become part of another expression.

    `constants` are the values of unnamed constants.  `expressible(name)` tells whether the program's function of
    that name prints as an expression.  `target` is a value that a loop or with statement assigns: the node's first
    items may be part of that.
    """
    without: set[Value] = set()
    while True:
        try:
            return _Nester(draft, node, uses, constants, expressible, without, naming, within).run(target)
        except _Retry as retry:
            without.add(retry.value)
            if len(without) > MAX_RETRIES:
                naming = Naming.NEVER


class _Nester:
    def __init__(
        self,
        draft: Draft,
        node: DraftNode,
        uses: Counter[Value],
        constants: dict[Value, Constant],
        expressible: Callable[[str], bool],
        without: set[Value],
        naming: Naming,
        within: bool,
    ) -> None:
        self.draft: Final = draft
        self.without: Final = without
        self.naming: Final = naming
        self.within: Final = within
        self.node: Final = node
        self.uses: Final = uses
        self.constants: Final = constants
        self.expressible: Final = expressible
        self.items: Final = node.items
        self.local: Final[Counter[Value]] = Counter()
        for item in node.items:
            self.local.update(item.args)
        self.local.update(node.end.args)
        self.out = Nested()
        self.pending: list[_Pending] = []
        self.waited: set[Value] = set()
        """All values that have ever been pending."""
        self.taken: dict[Value, Expression] = {}
        self.augmented: Final = augmented(
            self.items, uses, self.local, constants, without, lambda value: draft.hints[value] is not None
        )
        self.shared: Final = self.augmented.shared
        self.named: tuple[Value, ...] = ()
        """The values that get their variables in the operands found last."""
        self.names_any = False
        self.unassigned: Final[set[Value]] = set()
        """Items of the sequence that is being unpacked whose targets come later."""
        self.everywhere: Counter[Value] | None = None
        """How often this node uses each value, in trees too."""

    def run(self, target: Value | None) -> Nested:
        at = 0
        if target is not None:
            self.out.target, at = self._absorb(target, 0)
        while at < len(self.items):
            at = self._item(self.items[at], at)
        self._finish()
        if self.names_any:
            self.out.statements = [part for statement in self.out.statements for part in first_named(statement)]
        return self.out

    # -- operands

    def _operands(self, args: tuple[Value, ...], span: Span | None = None) -> tuple[Expression, ...]:
        """The trees of `args`: pending ones from the end of the list, in order; others are flushed first."""
        position = len(self.pending)
        found: list[Expression] = []
        inside: tuple[Value, ...] = ()
        for at in range(len(args) - 1, -1, -1):
            arg = args[at]
            if arg in self.constants:
                found.append(Literal(self.constants[arg]))
            elif position and self.pending[position - 1].value == arg:
                entry = self.pending[position - 1]
                if entry.named and arg in entry.named and arg in args[:at]:
                    found.append(Ref(arg))  # it gets its variable where it is read first
                    continue
                position -= 1
                found.append(entry.tree)
                inside += entry.named
            elif arg in inside:
                self._earlier(arg, found)
            else:
                index = None
                if arg in self.waited:
                    index = next((i for i in range(position) if self.pending[i].value == arg), None)
                if index is not None:
                    self._flush(index + 1)
                    position -= index + 1
                found.append(self._again(arg))
        del self.pending[position:]
        found.reverse()
        self.named = inside
        return tuple(found)

    def _earlier(self, value: Value, found: list[Expression]) -> None:
        """`value` is read left of the trees that were found: that is where it gets its variable, if nothing is
        evaluated before it there."""
        at = next(at for at in range(len(found) - 1, -1, -1) if not isinstance(found[at], (Ref, Literal)))
        first = leading(found[at])
        if first is None or first.data != value:
            raise _Retry(value)
        found[at] = replaced(found[at], first)
        found.append(first)

    def _again(self, arg: Value) -> Expression:
        """A value in a variable; the second use of a shared operand repeats its tree (never printed)."""
        return self.taken.get(arg, Ref(arg))

    def _flush(self, count: int | None = None) -> None:
        """Assign the first `count` pending trees to temporaries, in order."""
        number = len(self.pending) if count is None else count
        for entry in self.pending[:number]:
            if entry.value in self.shared:
                raise _Retry(entry.value)
            self.out.statements.append(Assign((Variable(entry.value),), _unnamed(entry), entry.span))
        del self.pending[:number]

    def _inline(self, value: Value) -> bool:
        """Is `value` a temporary that its one use in this node may contain?"""
        if self.draft.hints[value] is not None:
            return False
        if value in self.shared:
            return True
        return self.uses[value] == 1 and self.local[value] == 1

    # -- one item

    def _item(self, item: Item, at: int) -> int:
        name = item.name
        if name == "const" and item.results[0] in self.constants:
            return at + 1
        if name in _STORES:
            return self._store(item, at)
        if name == "unpack":
            return self._unpack(item, at)
        if name == "import":
            after = self._from_import(item, at)
            if after:
                return after
        if name == "copy" and len(item.args) > 1:
            self._parallel(item)
            return at + 1
        kids = self._operands(item.args)
        if isinstance(item, FusedItem):
            if self.named and isinstance(item.data, Comprehension):
                raise _Retry(self.named[0])  # Python forbids it in the iterable
            self.named += item.named
        elif self.named and name in ("iter", "with_enter"):
            kids = self._apart(item.args, kids, item.span)  # the operand becomes part of another statement's head
        if isinstance(item, Operation) and name in _DELETES:
            self._statement(Delete(item, kids, item.span))
            return at + 1
        if not item.results or len(item.results) > 1:
            return self._several(item, kids, at)
        return self._value(item, kids, at + 1)

    def _value(self, item: Item, kids: tuple[Expression, ...], after: int) -> int:
        """One operation with one result; gives where to go on: at `after`, or behind a store that it takes."""
        value = item.results[0]
        tree = self._tree(item, kids)
        if self._inline(value) and self._nestable(item, tree):
            self.pending.append(_Pending(value, tree, item.span, self.named))
            self.names_any = self.names_any or bool(self.named)
            self.waited.add(value)
            if value in self.shared:
                self.taken[value] = Ref(value)
            return after
        if value in self.shared:
            raise _Retry(value)
        if self._may_be_named(value, tree) and self._nestable(item, tree):
            fused = Fused("named", (tree,), value, depth_of((tree,)))
            self.pending.append(_Pending(value, fused, item.span, (*self.named, value)))
            self.names_any = True
            self.waited.add(value)
            return after
        unread = self.uses[value] == 0 and self.draft.hints[value] is None
        if unread and item.name not in INPLACE_OPERATORS and not self._definition(tree):
            if not (isinstance(tree, (Ref, Literal))):
                self._statement(Effect(tree, item.span))
            return after
        target: Target = Variable(value)
        if self._definition(tree):
            target, after = self._absorb(value, after)
        self._statement(Assign((target,), tree, item.span))
        return after

    def _may_be_named(self, value: Value, tree: Expression) -> bool:
        """Is `value` a temporary that this node alone uses, and may it get its variable within an expression?"""
        if self.naming is Naming.NEVER or self.draft.hints[value] is not None or value in self.without:
            return False
        if not self.pending and self.naming is not Naming.ANYWHERE:
            return False
        if isinstance(tree, (Ref, Literal)) or len(self.named) >= MAX_NAMED:
            return False
        if self.everywhere is None:
            self.everywhere = Counter(node_uses(self.node))
        return 1 < self.uses[value] == self.everywhere[value]

    def _tree(self, item: Item, kids: tuple[Expression, ...]) -> Expression:
        if isinstance(item, FusedItem):
            kids = (*kids, *item.rest)
            return Fused(item.kind, kids, item.data, depth_of(kids))
        if item.name == "const":
            assert isinstance(item.attr, Constant)
            return Literal(item.attr)
        if item.name == "copy":
            return kids[0]
        return Node(item, kids, depth_of(kids))

    def _nestable(self, item: Item, tree: Expression) -> bool:
        """May the tree stand inside another expression?"""
        if isinstance(tree, (Node, Fused)) and tree.depth > MAX_DEPTH:
            return False
        if item.name in INPLACE_OPERATORS:
            return item.results[0] in self.augmented.places or self.augmented.updates_variable(item, tree)
        if item.name in ("class", "with_enter"):
            return False
        if item.name in MATCHES:
            return self.node.end.name == "branch" and self.node.end.args[0] == item.results[0]
        if isinstance(tree, Node) and self._definition(tree):
            return not _is_lambda(tree) and self._decorated(item.results[0])
        return True

    def _definition(self, tree: Expression) -> bool:
        """Does this tree need a statement of its own: `def`, `class`?"""
        if not isinstance(tree, Node):
            return False
        if tree.op.name == "class" or not isinstance(tree.op.attr, FunctionAttr):
            return tree.op.name == "class"
        name = tree.op.attr.name
        if not self.expressible(name):
            return True
        return name.rpartition(".")[2].startswith("<genexpr>") and not self._generates(tree.op.results[0])

    def _generates(self, value: Value) -> bool:
        """Is the function of a generator expression called with `iter(...)` in the same expression?

        A statement in between (the iterable of `(x for x in a or a)` may become one) would part the two.
        """
        user = next((item for item in self.items if value in item.args), None)
        if not isinstance(user, Operation) or user.name != "call" or user.attr is not None or len(user.args) != 2:
            return False
        made = next((item for item in self.items if user.args[1] in item.results), None)
        return user.args[0] == value and made is not None and made.name == "iter" and self._inline(user.args[1])

    def _decorated(self, value: Value) -> bool:
        """Is the function that was just defined only passed to a decorator?"""
        user = next((item for item in self.items if value in item.args), None)
        return (
            isinstance(user, Operation)
            and user.name == "call"
            and user.attr is None
            and len(user.args) == 2
            and (user.args[1] == value and self._defines(user.results[0]))
        )

    def _defines(self, value: Value) -> bool:
        """Does the decorated function end up in a variable, or in another decorator?"""
        if not self._inline(value):
            return self.uses[value] > 0 or self.draft.hints[value] is not None
        user = next((item for item in self.items if value in item.args), None)
        if user is None:
            return False
        if user.name in ("cell_set", "global_set"):
            return True
        return (
            isinstance(user, Operation)
            and user.name == "call"
            and user.attr is None
            and len(user.args) == 2
            and (user.args[1] == value and self._defines(user.results[0]))
        )

    def _statement(self, statement: Statement) -> None:
        self._flush()
        self.out.statements.append(statement)

    def _several(self, item: Item, kids: tuple[Expression, ...], at: int) -> int:
        assert isinstance(item, Operation)
        node = Node(item, kids, depth_of(kids))
        if not item.results:
            self._statement(Effect(node, item.span))
        else:
            targets = TupleTarget(tuple(Variable(value) for value in item.results))
            self._statement(Assign((targets,), node, item.span))
        return at + 1

    def _parallel(self, item: Item) -> None:
        from_values = self._operands(item.args)
        targets = TupleTarget(tuple(Variable(value) for value in item.results))
        node = Node(_as_tuple(item), from_values, depth_of(from_values))
        self._statement(Assign((targets,), node, item.span))

    # -- stores

    def _store(self, item: Item, at: int) -> int:
        """`x.a = v`; several in a row whose values are pending are one tuple assignment."""
        assert isinstance(item, Operation)
        if self._is_augmented_store(item):
            return at + 1
        run = self._store_run(at)
        if run > 1:
            stores = [store for store in self.items[at : at + run] if isinstance(store, Operation)]
            values = tuple(entry.tree for entry in self.pending[-run:])
            del self.pending[-run:]
            targets = TupleTarget(tuple(self._place(store) for store in stores))
            self._statement(Assign((targets,), Node(_as_tuple(item), values, depth_of(values)), item.span))
            return at + run
        kids = self._operands(item.args)
        self._statement(Assign((Place(item, kids[1:]),), kids[0], item.span))
        return at + 1

    def _store_run(self, at: int) -> int:
        """How many stores from `at` on take the last pending values in order, with simple objects."""
        run = 0
        while at + run < len(self.items):
            item = self.items[at + run]
            if item.name not in _STORES or not all(self._simple(arg) for arg in item.args[1:]):
                break
            run += 1
        while run > 1:
            values = [entry.value for entry in self.pending[-run:]]
            if values == [item.args[0] for item in self.items[at : at + run]]:
                return run
            run -= 1
        return 1

    def _simple(self, value: Value) -> bool:
        """Is `value` a constant, or held by a variable?"""
        return value in self.constants or (
            value not in self.unassigned
            and (value not in self.waited or all(entry.value != value for entry in self.pending))
            and value not in self.taken
        )

    def _place(self, store: Operation) -> Place:
        return Place(store, tuple(self._leaf(arg) for arg in store.args[1:]))

    def _leaf(self, value: Value) -> Expression:
        return Literal(self.constants[value]) if value in self.constants else Ref(value)

    def _unpack(self, item: Item, at: int) -> int:
        assert isinstance(item, Operation)
        kids = self._operands(item.args)
        target, after = self._unpack_target(item, at + 1)
        self._flush()
        self.out.statements.append(Assign((target,), kids[0], item.span))
        return after

    def _unpack_target(self, item: Operation, at: int) -> tuple[TupleTarget, int]:
        """The target of an unpacking, with the stores behind it that only distribute its results."""
        assert isinstance(item.attr, tuple)
        before, starred, _ = item.attr
        targets: list[Target] = []
        self.unassigned.update(item.results)
        for value in item.results:
            self.unassigned.discard(value)
            found, at = self._absorb(value, at)
            targets.append(found)
        return TupleTarget(tuple(targets), before if starred else -1), at

    def _absorb(self, value: Value, at: int) -> tuple[Target, int]:
        """What a value that was just made is assigned to: a place or a nested tuple if the next item does
        nothing else with it, otherwise its variable."""
        if self.draft.hints[value] is None and self.uses[value] == 1 and at < len(self.items):
            item = self.items[at]
            if isinstance(item, Operation) and item.args[:1] == (value,):
                if item.name == "unpack":
                    return self._unpack_target(item, at + 1)
                if item.name in _STORES and all(self._simple(arg) for arg in item.args[1:]):
                    return self._place(item), at + 1
        return Variable(value), at

    # -- augmented stores: load, operator, store of one place

    def _is_augmented_store(self, item: Operation) -> bool:
        """Emit `place op= value` if the operator's tree is what is pending last."""
        if item.args[0] not in self.augmented.places or not self.pending or self.pending[-1].value != item.args[0]:
            if any(arg in self.taken for arg in item.args[1:]):
                raise _Retry(next(arg for arg in item.args[1:] if arg in self.taken))
            waiting = next((entry.tree for entry in self.pending if entry.value == item.args[0]), None)
            if item.args[0] in self.augmented.places and isinstance(waiting, Node):
                raise _Retry(waiting.op.args[0])  # something else is evaluated before the store
            return False
        tree = self.pending.pop().tree
        assert isinstance(tree, Node)
        load = tree.kids[0]
        if not isinstance(load, Node) or load.op.name not in ("getattr", "getitem"):
            raise _Retry(tree.op.args[0])
        for arg in item.args[1:]:
            self.taken.pop(arg, None)
        self._flush()
        self.out.statements.append(AugStore(load, tree.op.name, tree.kids[1], item.span))
        return True

    # -- imports

    def _from_import(self, item: Item, at: int) -> int:
        """`from m import a, b`: the import, its members and where they go; 0 if it is another form."""
        assert isinstance(item, Operation) and isinstance(item.attr, tuple)
        module = item.results[0]
        if not item.attr[1] or self.draft.hints[module] is not None:
            return 0
        names: list[tuple[str, Target]] = []
        after = at + 1
        while after < len(self.items):
            member = self.items[after]
            if member.name != "import_from" or member.args != (module,) or not isinstance(member, Operation):
                break
            target, next_at = self._absorb(member.results[0], after + 1)
            names.append((str(member.attr), target))
            after = next_at
        if len(names) != self.uses[module] or not names or item.attr[1] != tuple(name for name, _ in names):
            return 0
        self._statement(FromImport(item, tuple(names), item.span))
        return after

    # -- the end

    def _name_nothing(self) -> None:
        """No operand got a variable yet; a method, for mypy takes it to stay so behind the assignment."""
        self.named = ()

    def _finish(self) -> None:
        end = self.node.end
        name = end.name
        operands: tuple[Expression, ...] = ()
        self._name_nothing()
        if name in ("return", "raise", "reraise"):
            operands = self._operands(end.args)
            self._flush()
            if name == "return":
                self.out.statements.append(Return(operands[0], end.span))
            else:
                self.out.statements.append(Raise(name, operands, end.span))
            return
        if name == "switch" and end.attr is not None:
            self._flush()  # the value is compared several times
        if name in ("branch", "switch", "next"):
            operands = self._operands(end.args)
        self._flush()
        if self.named and not self.within:
            operands = self._apart(end.args, operands, end.span)
        self.out.operands = operands

    def _apart(
        self, args: tuple[Value, ...], kids: tuple[Expression, ...], span: Span | None
    ) -> tuple[Expression, ...]:
        """Operands in which no variable gets its value: trees where one does in an arm become statements."""
        own = next((value for value in self.named if any(value in item.results for item in self.items)), None)
        if own is not None:
            raise _Retry(own)
        self._flush()
        for value, tree in zip(args, kids, strict=True):
            if not isinstance(tree, (Ref, Literal)):
                self.out.statements.append(Assign((Variable(value),), tree, span))
        self.named = ()
        return tuple([tree if isinstance(tree, (Ref, Literal)) else Ref(v) for v, tree in zip(args, kids, strict=True)])


def _unnamed(entry: _Pending) -> Expression:
    """The tree of a statement that assigns the value of `entry`."""
    tree = entry.tree
    return tree.kids[0] if isinstance(tree, Fused) and tree.kind == "named" and tree.data == entry.value else tree


def _as_tuple(item: Item) -> Operation:
    return Operation(-1, OPERATORS["tuple"], (), None, (), item.span)


def _is_lambda(node: Node) -> bool:
    """Is this a function without a name of its own, which no decorator can stand in front of?"""
    attr = node.op.attr
    return isinstance(attr, FunctionAttr) and attr.name.rpartition(".")[2].startswith("<")
