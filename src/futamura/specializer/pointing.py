"""Which objects a value may be: the graph along which objects flow through variables, attributes and containers.

    x = table[k]; y.rows = x         table a static list of lists:
    table = {the list}   x = {its items}   field rows of each object in y = {its items}

An object is static (it exists while code is specialized), made by one operation, a method of one of these, or
`OUTSIDE`, which stands for all that is not known.  What an object holds as items is one field for all places, but
for tuples and lists that are static, as long as nothing is put into them.

Invariant: sets only grow, and no code of the program runs to find what a static object holds.
"""

from __future__ import annotations

import contextlib
import gc
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from types import CellType, FunctionType, MemberDescriptorType, ModuleType
from typing import Final

from futamura.ir.classes import is_a
from futamura.specializer.exposure import runs_code
from futamura.specializer.purity import DICTS, MISSING, behind, class_lookup, deep, stored_attribute

__all__ = [
    "BUILTIN", "ITEMS", "KEYS", "OUTSIDE", "PUT", "Graph", "Node", "Site", "TooMuch", "above", "class_in",
    "is_foreign", "matters",
]  # fmt: skip

ITEMS: Final = "*"
"""The items of a container or an iterator, the values of a dict, and what a variable of a closure holds."""
KEYS: Final = "keys"
"""The keys of a dict."""
PUT: Final = "put"
"""The field of the items that the program puts into an object."""
PUT_KEYS: Final = "put keys"
BUILTIN: Final = (list, dict, set, bytearray, deque, *DICTS)
_SEQUENCES: Final = (list, tuple, set, frozenset, deque)
_MOST_STEPS: Final = 400_000


class TooMuch(Exception):
    """The graph gets too large to be followed."""


def matters(value: object) -> bool:
    """May this change, have something that changes behind it, or be called?"""
    return not deep(value)


class Site:
    """One object, or all that one operation makes."""

    __slots__ = ("callee", "cls", "fields", "given", "holder", "name", "value")

    def __init__(self, cls: type | None, value: object = MISSING) -> None:
        self.cls: Final = cls
        """The exact class; None if it is not known, or of no interest."""
        self.value: Final = value
        """The static object."""
        self.fields: dict[str, Node] = {}
        self.given = False
        self.holder: Site | None = None
        """The object of a method, its name, and what the class has under that."""
        self.name = ""
        self.callee: object = None

    @property
    def is_static(self) -> bool:
        return self.value is not MISSING


OUTSIDE: Final = Site(None)
OUTSIDE.given = True


def is_foreign(site: Site) -> bool:
    """May an operator with this operand run code that is not known, or of the program?"""
    if site is OUTSIDE:
        return True
    return site.cls is not None and runs_code(site.cls)


class Node:
    """A variable or a field: the objects that it may be, and who is to know of a new one."""

    __slots__ = ("sites", "targets", "watches")

    def __init__(self) -> None:
        self.sites: dict[Site, None] = {}
        self.targets: dict[Node, None] = {}
        self.watches: list[tuple[Callable[[Site], None], object]] = []


class Graph:
    """All nodes."""

    def __init__(self) -> None:
        self._values: Final[dict[tuple[int, int], Node]] = {}
        self._static: Final[dict[int, Site]] = {}
        self._made: Final[dict[Hashable, Site]] = {}
        self._work: Final[list[tuple[Node, Site]]] = []
        self._outside: Final[dict[str, Node]] = {}
        """The fields of `OUTSIDE`, which all graphs share."""
        self._steps = 0
        self.given: Final[dict[Site, object]] = {}
        """What code that is not known gets, with where that is."""
        self.place: object = None
        """Where in the program that stands which is followed now."""

    # -- objects

    def static(self, value: object) -> Site:
        found = self._static.get(id(value))
        if found is None:
            found = self._static[id(value)] = Site(type(value), value)
        return found

    def made(self, key: Hashable, cls: type | None = None) -> Site:
        """The objects that one operation makes."""
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Site(cls)
        return found

    def method(self, holder: Site, name: str, callee: object) -> Site:
        """A method of an object: what its class has under a name."""
        found = self._made.get((holder, name, id(callee)))
        if found is None:
            found = self._made[holder, name, id(callee)] = Site(None)
            found.holder, found.name, found.callee = holder, name, callee
        return found

    # -- flow

    def of(self, scope: int, value: int) -> Node:
        found = self._values.get((scope, value))
        if found is None:
            found = self._values[scope, value] = Node()
        return found

    def add(self, node: Node, site: Site) -> None:
        if site not in node.sites:
            node.sites[site] = None
            self._work.append((node, site))

    def flow(self, source: Node, target: Node) -> None:
        """What may be `source` may be `target`."""
        if source is not target and target not in source.targets:
            source.targets[target] = None
            sites, work = target.sites, self._work
            for site in source.sites:
                if site not in sites:
                    sites[site] = None
                    work.append((target, site))

    def watch(self, node: Node, told: Callable[[Site], None]) -> None:
        """Tell of each object that may be `node`, now and later."""
        node.watches.append((told, self.place))
        for site in list(node.sites):
            told(site)

    def run(self) -> None:
        """Let everything flow."""
        work = self._work
        while work:
            node, site = work.pop()
            self._steps += 1 + len(node.targets)
            if self._steps > _MOST_STEPS:
                raise TooMuch
            for target in node.targets:
                if site not in target.sites:
                    target.sites[site] = None
                    work.append((target, site))
            if node.watches:
                for told, self.place in tuple(node.watches):
                    told(site)

    # -- what objects hold

    def field(self, site: Site, key: str) -> Node:
        fields = self._outside if site is OUTSIDE else site.fields
        found = fields.get(key)
        if found is None:
            found = fields[key] = Node()
            if site is OUTSIDE:
                self.add(found, OUTSIDE)
                return found
            if site.is_static:
                for part in _parts(site.value, key):
                    if matters(part):
                        self.add(found, self.static(part))
            if site.given:
                self.add(found, OUTSIDE)
                self.give(found)
        return found

    def load(self, holder: Node, key: str, target: Node) -> None:
        """`target` may be what an object in `holder` has under an attribute or as items."""
        put = PUT_KEYS if key == KEYS else PUT if key == ITEMS or key.startswith("#") else None

        def found(site: Site) -> None:
            self.flow(self.field(site, key), target)
            if put is not None:
                self.flow(self.field(site, put), target)

        self.watch(holder, found)

    def iterate(self, holder: Node, target: Node) -> None:
        """`target` may be what a walk over an object in `holder` gives."""

        def found(site: Site) -> None:
            for key in _walked(site):
                self.flow(self.field(site, key), target)

        self.watch(holder, found)

    def absorb(self, holder: Node, site: Site) -> None:
        """`site` may hold what an object in `holder` holds."""
        self.load(holder, ITEMS, self.field(site, PUT))
        self.load(holder, KEYS, self.field(site, PUT_KEYS))

    def compared(self, site: Site) -> None:
        """Code that is not known gets to see what is compared when something is looked for in this container."""
        for key in _walked(site):
            self.give(self.field(site, key))

    def store(self, holder: Node, key: str, value: Node) -> None:
        """What may be `value` is put into the objects in `holder`."""
        place = PUT if key == ITEMS else PUT_KEYS if key == KEYS else key

        def found(site: Site) -> None:
            if site is not OUTSIDE:
                self.flow(value, self.field(site, place))

        self.watch(holder, found)

    def give(self, node: Node) -> None:
        """Code that is not known gets these."""
        self.watch(node, self.give_site)

    def give_site(self, site: Site) -> None:
        if site.given:
            return
        site.given = True
        self.given[site] = self.place
        if site.holder is not None:
            self.give_site(site.holder)
        for part in behind(site.value):
            if matters(part):
                self.give_site(self.static(part))
        self.field(site, PUT)
        self.field(site, PUT_KEYS)
        for field in tuple(site.fields.values()):
            self.add(field, OUTSIDE)
            self.give(field)


def _walked(site: Site) -> tuple[str, ...]:
    """What a walk over an object gives."""
    return (KEYS, PUT_KEYS) if site.cls in DICTS else (ITEMS, PUT) if site.cls is not None else (ITEMS, PUT, PUT_KEYS)


def _parts(value: object, key: str) -> Iterator[object]:
    """What a static object holds under an attribute, or as items."""
    kind = type(value)
    if key in (PUT, PUT_KEYS):
        return
    if key == ITEMS or key.startswith("#"):
        yield from _items(value, kind, key)
    elif key == KEYS:
        if is_a(value, dict):
            yield from dict.keys(value)
    else:
        yield from _attribute(value, kind, key)


def _items(value: object, kind: type, key: str) -> Iterator[object]:
    if kind in (tuple, list) and key != ITEMS:
        assert isinstance(value, (tuple, list))
        at = int(key[1:])
        yield from value[at : at + 1]
    elif kind in _SEQUENCES:
        assert isinstance(value, (list, tuple, set, frozenset, deque))
        yield from value
    elif kind in DICTS:
        assert isinstance(value, dict)
        yield from value.values()
    elif kind is CellType:
        assert isinstance(value, CellType)
        with contextlib.suppress(ValueError):
            yield value.cell_contents
    elif hasattr(kind, "__iter__") or hasattr(kind, "__getitem__"):
        yield from gc.get_referents(value)


def _held_under(value: object, name: str) -> object:
    """What reading an attribute of this class, module or function gives just now, as far as no code runs for it."""
    if is_a(value, type):
        found = class_lookup(value, name)
        return found.__func__ if is_a(found, (staticmethod, classmethod)) else found
    return vars(value).get(name, MISSING) if is_a(value, (ModuleType, FunctionType)) else MISSING


def _attribute(value: object, kind: type, name: str) -> Iterator[object]:
    now = _held_under(value, name)
    if now is not MISSING:
        yield now
    own = stored_attribute(value, name)
    if own is not MISSING:
        yield own
        return
    found = class_lookup(kind, name)
    if type(found) is MemberDescriptorType:
        with contextlib.suppress(AttributeError):
            yield found.__get__(value)
    elif found is not MISSING and class_lookup(type(found), "__get__") is MISSING:
        yield found


def class_in(cell: object) -> object:
    """The class that a cell holds."""
    if type(cell) is CellType:
        with contextlib.suppress(ValueError):
            return cell.cell_contents
    return cell


def above(cls: type | None, start: object, name: str) -> object:
    """What the classes behind `start` have under `name`."""
    order = () if cls is None else cls.__mro__
    at = next((at for at, base in enumerate(order) if base is start), None)
    if at is None:
        return MISSING
    behind = order[at + 1 :]
    return next((base.__dict__[name] for base in behind if name in base.__dict__), MISSING)
