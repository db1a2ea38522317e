"""Control flow that is an expression in Python becomes one operation again, bottom-up on the graph.

    A: branch v1 -> T | F;  T: jump J(v2);  F: jump J(v3);  J(v4)     ->   A: v4 = ifexp v1, v2, v3; jump J
    A: branch truth(v1) -> B | J(v1);  B: jump J(v2)                  ->   v1 and v2
    A: branch v1 -> B | F;  B: branch v2 -> T | F                     ->   A: branch (v1 and v2) -> T | F
    A: r = list; jump H;  H: next -> B | E;  B: list_append r, x ...  ->   r = [x for ...]

An arm may only hold operations that nest into the one tree that it passes on; so evaluation order is kept.  Because
the join is then reached by one way only, straight lines merge and whatever was pending around survives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from futamura.backend.python.draft import Draft, DraftNode
from futamura.backend.python.loops import comprehension_at
from futamura.backend.python.nesting import Naming, nest
from futamura.backend.python.trees import MATCHES, Expression, Fused, FusedItem, Literal, Node, Ref, named, unprintable
from futamura.ir.constant import Constant
from futamura.ir.evaluate import COMPARE
from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.ops import TERMINATORS

__all__ = ["Collapse"]

_COMPARE: Final = frozenset(COMPARE)
MAX_OPERANDS: Final = 200
"""Longer chains of `and`, `or` stay control flow: they would be one unreadable line."""
MAX_EMPTY: Final = 20
"""At most so many empty nodes in a row are led past."""


class Collapse:
    """Collapses one draft in place."""

    def __init__(
        self, draft: Draft, constants: dict[Value, Constant], expressible: Callable[[str], bool], *, named: bool
    ) -> None:
        self.draft: Final = draft
        self.named: Final = named
        """May variables get their values within expressions?"""
        self.constants: Final = constants
        self.expressible: Final = expressible
        self.uses: Counter[Value] = draft.uses()
        self.counts: dict[int, int] = draft.predecessors()

    def run(self) -> None:
        """Collapse until nothing changes; nodes in reverse order, so that inner shapes come first.

        Empty nodes are led past when that is done: until then they keep apart what belongs to different conditions.
        """
        self._collapse()
        if sum([self._skip_empty(node) for node in list(self.draft.nodes.values()) if node.id in self.draft.nodes]):
            self._collapse()
        self.draft.resolve()

    def _collapse(self) -> None:
        work = list(self.draft.nodes)
        while work:
            node = self.draft.nodes.get(work.pop())
            if node is None:
                continue
            while self._step(node):
                pass

    def _skip_empty(self, node: DraftNode) -> int:
        """A branch leads past nodes that do nothing but jump on, all within its own region."""
        skipped = 0
        if node.end.name != "branch":
            return skipped
        self.draft.resolve_node(node)
        for at in range(2):
            edge = node.end.edges[at]
            for _ in range(MAX_EMPTY):
                empty = self.draft.nodes[edge.target]
                self.draft.resolve_node(empty)
                onward = empty.end.edges[0] if empty.end.name == "jump" else edge
                if empty.items or empty.params or empty.handler is not None or empty.region != node.region:
                    break
                if onward.target in (empty.id, node.end.edges[1 - at].target, edge.target):
                    break
                if self.draft.nodes[onward.target].region != node.region:
                    break
                self._drop_edge(edge)
                if not self.counts[empty.id]:
                    self._drop_edge(onward)
                    del self.draft.nodes[empty.id]
                self.counts[onward.target] += 1
                self.uses.update(onward.args)
                edge = onward
                skipped += 1
            node.end = node.end._replace(edges=(edge, node.end.edges[1]) if at == 0 else (node.end.edges[0], edge))
        return skipped

    def _step(self, node: DraftNode) -> bool:
        self.draft.resolve_node(node)
        self._absorb_line(node)
        if node.end.name == "branch":
            if self._is_match(node):
                return False
            return (
                self._boolean_value(node) or self._condition(node) or self._choice(node) or self._chosen_condition(node)
            )
        if node.end.name == "jump":
            return self._comprehension(node)
        return False

    def _is_match(self, node: DraftNode) -> bool:
        """Does the node branch on a test that only a match statement has?"""
        return any(item.name in MATCHES and node.end.args[0] in item.results for item in reversed(node.items))

    def _absorb_line(self, node: DraftNode) -> None:
        """Merge the only successor if this is its only way in."""
        nodes = self.draft.nodes
        while node.end.name == "jump":
            edge = node.end.edges[0]
            after = nodes[edge.target]
            if after is node or self.counts[after.id] != 1 or after.region != node.region:
                return
            if after.handler != node.handler and not self.draft.same_handler(node, after):
                return
            for param, arg in zip(after.params, edge.args, strict=True):
                self._rename(param, arg)
            self.draft.resolve_node(after)
            self.draft.resolve_node(node)
            node.items.extend(after.items)
            node.end = after.end
            node.handler = node.handler if node.handler is not None else after.handler
            del nodes[after.id]

    def _rename(self, param: Value, arg: Value) -> None:
        self.draft.identify(param, arg)
        self.uses[arg] += self.uses.pop(param, 0) - 1

    def _drop_edge(self, edge: Edge) -> None:
        self.counts[edge.target] -= 1
        self.uses.subtract(edge.args)

    def _remove(self, node: DraftNode) -> None:
        for edge in node.end.edges:
            self.counts[edge.target] -= 1
        if node.handler is not None:
            self.counts[node.handler.target] -= 2
        del self.draft.nodes[node.id]

    def _absorb(self, node: DraftNode, arm: DraftNode) -> None:
        """Take an arm away that becomes part of `node`, which is left by the arm's handler edge from now on."""
        if node.handler is None and arm.handler is not None:
            node.handler = arm.handler
            self.counts[arm.handler.target] += 2
        self._remove(arm)

    # -- arms

    def _arm(self, source: DraftNode, edge: Edge) -> DraftNode | None:
        """The node behind `edge` if it is reached only from there and lies in the same region."""
        node = self.draft.nodes[edge.target]
        self.draft.resolve_node(node)
        if self.counts[node.id] != 1 or node.params or edge.args or node.region != source.region or node is source:
            return None
        if node.handler != source.handler and not self.draft.same_handler(source, node):
            return None
        return node

    def _trees(self, node: DraftNode, naming: Naming = Naming.NEVER) -> tuple[Expression, ...] | None:
        """The operand trees of a node that holds nothing but them."""
        if len(node.items) > 400:
            return None
        nested = nest(self.draft, node, self.uses, self.constants, self.expressible, naming=naming, within=True)
        if nested.statements or any(unprintable(tree) for tree in nested.operands):
            return None
        if naming is Naming.NEVER and any(True for tree in nested.operands for _ in named(tree)):
            return None
        return nested.operands

    def _passed(self, node: DraftNode, at: int) -> Expression | None:
        """The tree that a node passes as argument `at` of its jump, if that is all it does."""
        value = node.end.edges[0].args[at]
        shadow = DraftNode(
            node.id,
            [],
            node.items,
            node.end._replace(kind=TERMINATORS["branch"], args=(value,)),
            node.handler,
            node.region,
        )
        if self._holds(node, value):
            return self._one(shadow)
        if node.items and not all(item.results and item.results[0] in self.constants for item in node.items):
            return None
        return self._leaf(value)

    def _one(self, node: DraftNode) -> Expression | None:
        trees = self._trees(node, Naming.BEHIND if self.named else Naming.NEVER)
        return trees[0] if trees is not None else None

    def _holds(self, node: DraftNode, value: Value) -> bool:
        return value not in self.constants and any(value in item.results for item in node.items)

    def _leaf(self, value: Value) -> Expression:
        return Literal(self.constants[value]) if value in self.constants else Ref(value)

    # -- values: and, or, if-else

    def _boolean_value(self, node: DraftNode) -> bool:
        """`a and b`, `a or b`: one way passes the tested value on, the other computes the second operand."""
        first, second = node.end.edges
        for short, long, kind in ((second, first, "and"), (first, second, "or")):
            tested = self._tested(node)
            if tested is None:
                return False
            bare = self._arm(node, short)
            if bare is not None and (bare.items or bare.end.name != "jump"):
                bare = None
            if bare is not None:
                short = bare.end.edges[0]
            position = self._difference(node, short, long, tested)
            if position is None or (bare is not None and not self._is_operand(short, position)):
                continue
            arm = self.draft.nodes[long.target]
            right = self._passed(arm, position)
            if right is None or self._operand_count(right, kind) > MAX_OPERANDS:
                continue
            if node.end.args[0] != tested:
                node.items.pop()  # truth
                self.uses[tested] -= 1
            self.uses[node.end.args[0]] -= 1
            self._replace(node, kind, (tested,), (right,), position, short, *filter(None, (arm, bare)))
            return True
        return False

    def _is_operand(self, edge: Edge, position: int, depth: int = 4) -> bool:
        """Is what is passed here used once, by an operation that does not ask for its truth again, or returned, perhaps
        after it was passed on?"""
        target = self.draft.nodes[edge.target]
        value = target.params[position]
        users = [item for item in target.items if value in item.args]
        if not users and self.uses[value] == 1 and not target.items:
            if target.end.name == "return":
                return value in target.end.args
            onward = target.end.edges[0] if target.end.name == "jump" and depth else None
            if onward is not None and value in onward.args:
                return self._is_operand(onward, onward.args.index(value), depth - 1)
        if self.uses[value] != 1 or len(users) != 1 or isinstance(users[0], FusedItem):
            return False
        return users[0].name not in ("truth", "not")

    def _tested(self, node: DraftNode) -> Value | None:
        """The value whose truth, computed last in the node, decides its branch; or a `bool` that decides it itself."""
        condition = node.end.args[0]
        if not node.items:
            return condition
        last = node.items[-1]
        if last.name != "truth" or last.results[0] != condition:
            return condition
        return last.args[0] if self.uses[condition] == 1 else condition

    def _difference(self, node: DraftNode, short: Edge, long: Edge, tested: Value) -> int | None:
        """Where the two ways pass different values to one join: `tested` on the short way."""
        arm = self._arm(node, long)
        if arm is None or arm.end.name != "jump":
            return None
        joined = arm.end.edges[0]
        if joined.target != short.target or joined.target == node.id:
            return None
        differing = [at for at, (x, y) in enumerate(zip(short.args, joined.args, strict=True)) if x != y]
        if len(differing) != 1 or short.args[differing[0]] != tested:
            return None
        return differing[0]

    def _replace(
        self,
        node: DraftNode,
        kind: str,
        args: tuple[Value, ...],
        rest: tuple[Expression, ...],
        position: int,
        edge: Edge,
        *arms: DraftNode,
        data: object = None,
    ) -> None:
        """`node` computes the fused value itself and jumps to the join."""
        target = self.draft.nodes[edge.target]
        result = self.draft.new_value(None)
        passed = list(edge.args)
        span = node.end.span
        item = FusedItem(kind, args, (result,), rest, data, span, tuple([v for tree in rest for v in named(tree)]))
        for old in node.end.edges:
            self._drop_edge(old)
        for arm in arms:
            self.uses.subtract(arm.end.edges[0].args)
            self._absorb(node, arm)
        passed[position] = result
        self.uses.update(passed)
        self.uses.update(args)
        self.uses.update(tree.value for tree in rest if isinstance(tree, Ref))
        self.counts[target.id] += 1
        node.items.append(self._chained(node, item))
        node.end = node.end._replace(kind=TERMINATORS["jump"], args=(), edges=(Edge(edge.target, tuple(passed)),))

    def _choice(self, node: DraftNode) -> bool:
        """`x if c else y`: both ways lead to one join with one different value."""
        first, second = node.end.edges
        one, two = self._arm(node, first), self._arm(node, second)
        into_one = one.end.edges[0] if one is not None and one.end.name == "jump" else first
        into_two = two.end.edges[0] if two is not None and two.end.name == "jump" else second
        if (
            into_one.target != into_two.target
            or into_one.target == node.id
            or (into_one is first and into_two is second)
        ):
            return self._bare_choice(node, first, second)
        differing = [at for at, (x, y) in enumerate(zip(into_one.args, into_two.args, strict=True)) if x != y]
        if len(differing) != 1:
            return False
        at = differing[0]
        if self._updates(into_one, at, into_one.args[at], into_two.args[at]):
            return False
        arms = [
            arm for arm, edge, into in ((one, first, into_one), (two, second, into_two)) if arm and into is not edge
        ]
        trees = [
            self._passed(arm, at) if into is not edge and arm is not None else self._leaf(edge.args[at])
            for arm, edge, into in ((one, first, into_one), (two, second, into_two))
        ]
        left, right = trees
        if left is None or right is None:
            return False
        condition = node.end.args[0]
        self.uses[condition] -= 1
        self._replace(node, "ifexp", (condition,), (left, right), at, into_one, *arms)
        return True

    def _bare_choice(self, node: DraftNode, first: Edge, second: Edge) -> bool:
        """Both ways lead directly to one join."""
        if first.target != second.target or first.target == node.id:
            return False
        differing = [at for at, (x, y) in enumerate(zip(first.args, second.args, strict=True)) if x != y]
        if len(differing) != 1:
            return False
        one, two = first.args[differing[0]], second.args[differing[0]]
        if self._updates(first, differing[0], one, two):
            return False
        left, right = self._leaf(one), self._leaf(two)
        condition = node.end.args[0]
        self.uses[condition] -= 1
        self._replace(node, "ifexp", (condition,), (left, right), differing[0], first)
        return True

    def _updates(self, edge: Edge, at: int, *values: Value) -> bool:
        """Does the join only keep or replace one variable's value?  That reads better as a statement."""
        hints = self.draft.hints
        hint = hints[self.draft.nodes[edge.target].params[at]]
        return hint is not None and any(hints[value] == hint for value in values)

    # -- conditions

    def _condition(self, node: DraftNode) -> bool:
        """Two branches that share a way become one with `and` or `or`."""
        first, second = node.end.edges
        for long, short, kind in ((first, second, "and"), (second, first, "or")):
            arm = self._arm(node, long)
            if arm is None or arm.end.name != "branch" or arm is node:
                continue
            then, orelse = arm.end.edges
            negated = None
            if kind == "and":
                negated = False if orelse == short else True if then == short else None
            else:
                negated = False if then == short else True if orelse == short else None
            if negated is None or then == orelse:
                continue
            trees = self._trees(arm)
            if trees is None or self._operand_count(trees[0], kind) > MAX_OPERANDS:
                continue
            self._fuse_condition(node, arm, kind, negated, trees[0], long)
            return True
        return False

    def _chosen_condition(self, node: DraftNode) -> bool:
        """Two branches behind a branch that lead to the same two places become one on `x if c else y`."""
        first, second = node.end.edges
        one, two = self._arm(node, first), self._arm(node, second)
        if one is None or two is None or one.end.name != "branch" or two.end.name != "branch":
            return False
        then, orelse = one.end.edges
        if then == orelse or two.end.edges not in ((then, orelse), (orelse, then)):
            return False
        left, right = self._trees(one), self._trees(two)
        if left is None or right is None:
            return False
        other = right[0] if two.end.edges == one.end.edges else Fused("not", right, None, 1)
        self._fuse_choice(node, one, two, left[0], other)
        return True

    def _fuse_choice(
        self, node: DraftNode, one: DraftNode, two: DraftNode, left: Expression, right: Expression
    ) -> None:
        condition = node.end.args[0]
        result = self.draft.new_value(None)
        item = FusedItem("ifexp", (condition,), (result,), (left, right), "condition", node.end.span)
        for edge in node.end.edges:
            self._drop_edge(edge)
        edges = one.end.edges
        for arm in (one, two):
            self._drop_condition(arm)
            for edge in arm.end.edges:
                self.uses.subtract(edge.args)
            self._absorb(node, arm)
        for edge in edges:
            self.counts[edge.target] += 1
            self.uses.update(edge.args)
        self.uses[result] = 1
        node.items.append(item)
        node.end = node.end._replace(args=(result,), edges=edges)

    def _fuse_condition(
        self, node: DraftNode, arm: DraftNode, kind: str, negated: bool, tree: Expression, long: Edge
    ) -> None:
        condition = node.end.args[0]
        right = Fused("not", (tree,), None, 1) if negated else tree
        result = self.draft.new_value(None)
        item = FusedItem(kind, (condition,), (result,), (right,), "condition", node.end.span)
        then, orelse = arm.end.edges
        if negated:
            then, orelse = orelse, then
        for edge in node.end.edges:
            self._drop_edge(edge)
        self._drop_condition(arm)
        for edge in arm.end.edges:
            self.uses.subtract(edge.args)
        end = node.end._replace(args=(result,), edges=(then, orelse))
        self._absorb(node, arm)
        for edge in end.edges:
            self.counts[edge.target] += 1
            self.uses.update(edge.args)
        self.uses[result] = 1
        node.items.append(self._chained(node, item))
        node.end = end

    def _drop_condition(self, arm: DraftNode) -> None:
        """What the arm branches on becomes part of a tree, which still uses it if it was not computed in the arm."""
        condition = arm.end.args[0]
        if condition in self.constants or self._holds(arm, condition):
            self.uses[condition] -= 1

    def _operand_count(self, tree: Expression, kind: str) -> int:
        return len(tree.kids) if isinstance(tree, Fused) and tree.kind == kind else 1

    # -- chained comparisons

    def _chained(self, node: DraftNode, item: FusedItem) -> FusedItem:
        """`a < m and m < b` with one value m is `a < m < b`."""
        if item.kind != "and" or not node.items:
            return item
        chain = self._comparison(item.rest[0])
        compare = self._last_comparison(node, item.args[0])
        if chain is None or compare is None:
            return item
        operands, names = chain
        middle = compare.args[1]
        head = operands[0]
        if not (isinstance(head, Ref) and self.draft.value(head.value) == self.draft.value(middle)):
            return item
        while node.items[-1] is not compare:
            node.items.pop()
        node.items.pop()
        self.uses[item.args[0]] -= 1
        self.uses[middle] -= 1
        data = (compare.name, *names)
        return FusedItem("chain", compare.args, item.results, operands[1:], data, item.span, item.named)

    def _comparison(self, tree: Expression) -> tuple[tuple[Expression, ...], tuple[str, ...]] | None:
        if isinstance(tree, Node) and tree.op.name == "truth":
            tree = tree.kids[0]
        if isinstance(tree, Node) and tree.op.name in _COMPARE:
            return tree.kids, (tree.op.name,)
        if isinstance(tree, Fused) and tree.kind == "chain" and isinstance(tree.data, tuple):
            return tree.kids, tree.data
        return None

    def _last_comparison(self, node: DraftNode, value: Value) -> Operation | None:
        """The comparison that made `value` (or what its truth is), if it is what the node did last."""
        items = node.items
        last = items[-1]
        if last.name == "truth" and last.results == (value,) and len(items) > 1 and self.uses[last.args[0]] == 1:
            value, last = last.args[0], items[-2]
        if not isinstance(last, Operation) or last.name not in _COMPARE or last.results != (value,):
            return None
        return last if self.uses[value] == 1 else None

    # -- comprehensions

    def _comprehension(self, node: DraftNode) -> bool:
        found = comprehension_at(
            self.draft, node, self.uses, self.counts, self.constants, self.expressible, named=self.named
        )
        if found is None:
            return False
        item, exit_edge, removed, dropped = found
        node.items = [kept for kept in node.items if not any(kept is gone for gone in dropped)]
        node.items.append(item)
        for edge in node.end.edges:
            self._drop_edge(edge)
        for gone in removed:
            self._absorb(node, gone)
        self.counts[exit_edge.target] += 1
        self.uses[item.results[0]] -= 1
        node.end = node.end._replace(edges=(exit_edge,))
        return True
