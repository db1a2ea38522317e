"""Attributes that are read otherwise than by their names: what is read there may be all that objects have.

    getattr(x, name)      getattr(x, "on_" + name)      vars(x)["rows"]      x.__dict__      case Point(x, y)

Invariant: each name that the text gives to an attribute counts, whatever object has it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from futamura.analysis.trees import every
from futamura.frontend import walking
from futamura.frontend.implied import receiver
from futamura.frontend.sources import ANY_FIELD, Place, Source, Sources
from futamura.frontend.walking import Scope

__all__ = ["READING_OPENLY", "SHOWING", "Openly", "start_of_name"]

SHOWING: Final = frozenset({"vars", "getmembers", "getmembers_static", "__getstate__", "__reduce__", "__reduce_ex__"})
"""What gives an object's attributes in a container."""
READING_OPENLY: Final = frozenset({"__getattribute__", "getattr_static"})
"""Methods, and a function, that read an attribute, by a name."""


class Openly:
    """The places of attributes that the text stores, together."""

    def __init__(self, tree: ast.Module, named: Mapping[str, Collection[Scope]], sources: Sources) -> None:
        self._tree: Final = tree
        self._named: Final = named
        self._sources: Final = sources
        self._places: Final[dict[str, Place]] = {}

    def read(self, start: str = "") -> frozenset[Source]:
        """What reading an attribute gives whose name begins so."""
        place = self._places.get(start)
        if place is None:
            place = self._places[start] = (None, f"attribute {start}")  # has a space, as no name has
            stored = {name for name in self._stored() if name.startswith(start)}
            given = {one for name, found in self._named.items() if name.startswith(start) for one in _given(found)}
            self._sources.add(place, {ANY_FIELD, *self._named.get("__get__", ()), *given})
            self._sources.add(place, {(None, "." + name) for name in stored})
        return frozenset({place})

    def of_new_class(self) -> frozenset[Source]:
        """The same of a class that is being made: it has what bodies of classes give their names."""
        place = (None, "attribute of a new class")
        in_classes = frozenset(walking.names_in_classes(self._tree))
        named = {node.id for node in every(self._tree) if isinstance(node, ast.Name) and id(node) in in_classes}
        self._sources.add(place, {(None, "." + name) for name in named.intersection(self._stored())})
        return frozenset({place})

    def shown(self, function: Scope, nodes: Collection[ast.expr]) -> frozenset[Source]:
        """What `vars(x)` shows, or `x.__dict__`, in this function."""
        made = getattr(function, "name", "") == "__init_subclass__"
        if made and [getattr(node, "id", "") for node in nodes] == [receiver(function)]:
            return self.of_new_class()
        return self.read()

    def in_patterns(self, match: ast.Match, is_builtin: Callable[[str], bool]) -> frozenset[Source]:
        """What patterns like `Box(rows=found)` read of objects."""
        found: set[Source] = set()
        for part in ast.walk(match):
            if isinstance(part, ast.MatchClass):
                found.update((None, "." + name) for name in part.kwd_attrs)
                found.update(one for name in part.kwd_attrs for one in self._named.get(name, ()))
                found.update([ANY_FIELD] if part.kwd_attrs else [])
                plain = isinstance(part.cls, ast.Name) and is_builtin(part.cls.id)
                found.update(self.read() if part.patterns and not plain else ())
        return frozenset(found)

    def _stored(self) -> Iterator[str]:
        """Names of attributes that hold something else than containers of their own, or a copy of what they held."""
        yield from walking.names_of_attributes(self._tree, self._named)
        in_classes = frozenset(walking.names_in_classes(self._tree))
        own = {
            id(target)
            for node in every(self._tree)
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if _is_own_container(node.value, getattr(target, "id", getattr(target, "attr", "")))
        }
        for node in every(self._tree):
            if id(node) in own:
                continue
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield node.attr
            elif isinstance(node, ast.Name) and id(node) in in_classes:
                yield node.id


def _is_own_container(value: ast.expr | None, name: str) -> bool:
    """Is this a constant, a new container of constants, or a copy of what this attribute held?"""
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return all(isinstance(part, ast.Constant) for part in value.elts)
    if isinstance(value, ast.Dict):
        return all(isinstance(part, ast.Constant) for part in (*value.keys, *value.values))
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("dict", "list", "set"):
        return not value.keywords and all(getattr(part, "attr", "") == name for part in value.args)
    return isinstance(value, ast.Constant)


def _given(functions: Iterable[Scope]) -> Iterator[Scope]:
    """Those of which an attribute has the result: properties."""
    return (one for one in functions if not isinstance(one, ast.Lambda) and walking.is_given(one))


def start_of_name(call: ast.Call) -> str | None:
    """What the name of `getattr(x, name)` begins with, as far as that is known; None if it is known as a whole."""
    named = call.args[1] if len(call.args) > 1 else None
    if isinstance(named, ast.Constant) and type(named.value) is str:
        return None
    start = named.left if isinstance(named, ast.BinOp) and isinstance(named.op, ast.Add) else named
    start = start.values[0] if isinstance(start, ast.JoinedStr) and start.values else start
    return start.value if isinstance(start, ast.Constant) and type(start.value) is str else ""
