"""Which iterators only loops take items of, so that they need not be the iterators themselves.

    v1 = iter xs;  next v1 -> ...;  next v1 -> ...       _1 = iterated(xs)
                                                          for x in _1: ...       for x in _1: ...

A `for` statement asks what it loops over for an iterator once more; an iterator of a user's class may start again then.
What `iterated` gives is the iterator if its class is known to give itself, else something whose iterator it is. An
iterator that is used otherwise, or comes from elsewhere, is wrapped where a loop takes it: `for x in iterating(_1)`.
One that a function is given, and that several loops take items of, is wrapped where the function begins.

Invariant: a value found here is read by `next` alone, and so is whatever it is passed on as.
"""

from __future__ import annotations

from futamura.backend.python.draft import Draft, item_refs
from futamura.backend.python.trees import FusedItem
from futamura.ir.graph import Edge, Value

__all__ = ["only_looped_over"]


def only_looped_over(draft: Draft) -> frozenset[Value]:
    """The results of `iter`, and the parameters that get nothing else, which nothing but loops reads."""
    found = _Finder(draft)
    return found.values() if found.made else frozenset()


class _Finder:
    def __init__(self, draft: Draft) -> None:
        self._into: dict[Value, Value] = {}
        """A value of the same group: those that are passed on as each other."""
        self._spoiled: set[Value] = set()
        self.made: set[Value] = set()
        taken = [node.end.args[0] for node in draft.nodes.values() if node.end.name == "next"]
        self._taken = set(taken)
        if self._taken:
            self._read(draft)
            self._take_parameters(draft.nodes[0].params, taken)

    def values(self) -> frozenset[Value]:
        spoiled = {self._root(value) for value in self._spoiled}
        groups = {self._root(value) for value in self.made} - spoiled
        members = self.made | self._taken | self._into.keys()
        return frozenset(value for value in members if self._root(value) in groups)

    def _take_parameters(self, params: list[Value], taken: list[Value]) -> None:
        """Those of the function count as made by it if several loops take items of them."""
        roots = [self._root(value) for value in taken]
        for param in params:
            (self.made if roots.count(self._root(param)) > 1 else self._spoiled).add(param)

    def _read(self, draft: Draft) -> None:
        nodes = draft.nodes
        for node in nodes.values():
            for item in node.items:
                self._spoiled.update(item.args)
                if isinstance(item, FusedItem):
                    self._spoiled.update(item_refs(item))
                (self.made if item.name == "iter" else self._spoiled).update(item.results)
            if node.end.name != "next":
                self._spoiled.update(node.end.args)
            for at, edge in enumerate(node.end.edges):
                first = 1 if node.end.name == "next" and at == 0 else 0
                self._spoiled.update(nodes[edge.target].params[:first])
                self._pass(edge, nodes[edge.target].params[first:])
            if node.handler is not None:
                self._spoiled.update(node.handler.args)
                self._spoiled.update(nodes[node.handler.target].params)

    def _pass(self, edge: Edge, params: list[Value]) -> None:
        for arg, param in zip(edge.args, params, strict=True):
            one, other = self._root(arg), self._root(param)
            if one != other:
                self._into[other] = one

    def _root(self, value: Value) -> Value:
        while value in self._into:
            value = self._into[value]
        return value
