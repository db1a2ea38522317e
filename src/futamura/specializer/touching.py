"""What each operator does with the objects that its operands may be: it writes them, holds them, or gives them away.

    v2 = getitem v0, v1     v2 may be any item of what v0 may be
    setattr[n] v3, v2       the attribute `n` of each of these is stored, and may be v3 from now on

Invariant: an operator that is not named here gives its operands to code that is not known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Final, NamedTuple

from futamura.ir.attributes import FunctionAttr
from futamura.ir.constant import Constant
from futamura.ir.evaluate import BINARY, COMPARE, INPLACE, UNARY
from futamura.ir.graph import Block, Edge, Function, Operation, Program
from futamura.ir.homes import global_now
from futamura.specializer import exposure
from futamura.specializer.asking_builtins import SHOWING, SHOWN
from futamura.specializer.kept import Place
from futamura.specializer.pointing import (
    BUILTIN,
    ITEMS,
    KEYS,
    OUTSIDE,
    PUT,
    PUT_KEYS,
    Graph,
    Node,
    Site,
    above,
    class_in,
    is_foreign,
    matters,
)
from futamura.specializer.purity import DICTS, MISSING, class_lookup, stored_attribute

__all__ = ["CONTAINERS", "HOLDING", "Effects", "Operations", "Source"]

_ATOMS: Final = frozenset({"int", "float", "bool", "complex", "str", "bytes", "NoneType", "range"})
CONTAINERS: Final = {"list": list, "dict": dict, "set": set, "tuple": tuple, "frozenset": frozenset}
"""Exact builtin classes as the types of values name them."""
DISPLAYS: Final = {"list": list, "tuple": tuple, "set": set, "dict": dict}
HOLDING: Final = frozenset({*BUILTIN, tuple, frozenset, slice, None})
"""Classes of objects whose operators look into what they hold; None for iterators and the like."""
_NOTHING: Final = frozenset({"const", "global_get", "is", "is_not", "cell_del", "null", "match_sequence", "exc_match"})
_ASKED: Final = frozenset({*UNARY, "truth", "not", "format", "string", "show", "match_mapping"})
"""Operators that run code of their operands' classes at most."""
_NAMES: Final = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})  # attributes that are texts


class Source(NamedTuple):
    """A Python function of which the source is known."""

    program: Program
    function: Function
    cells: tuple[CellType, ...]
    bindings: Callable[[str], object]
    """What a global of it is assumed to be, or `MISSING`."""
    namespace: Mapping[str, object]
    """What its globals are just now: any of them may be an object that is believed under another name."""


class Effects:
    """What was found about the static objects, and numbers for the functions that are walked through."""

    def __init__(self) -> None:
        self.graph: Final = Graph()
        self.raised: Final = Node()
        self.supers: Final[dict[Site, tuple[Node, Node]]] = {}
        """What `super()` makes: the cell of the class, and the object."""
        self.graph.add(self.raised, OUTSIDE)
        self.written: Final[dict[int, object]] = {}
        self.stored: Final[dict[tuple[int, str], tuple[object, str]]] = {}
        self.residual: Program | None = None
        self._scopes: Final[dict[tuple[int, str], int]] = {}
        self._codes: Final[dict[tuple[int, frozenset[str] | None], bool]] = {}
        self.kept: Mapping[Place, object] = {}

    def scope(self, program: Program, name: str) -> int:
        """A number for a function."""
        return self._scopes.setdefault((id(program), name), len(self._scopes))

    def write(self, node: Node, how: str) -> None:
        """The operator or method `how` changes these objects."""

        def found(site: Site) -> None:
            if site.is_static and exposure.can_be_changed(type(site.value), how):
                self.written.setdefault(id(site.value), site.value)

        self.graph.watch(node, found)

    def store(self, node: Node, name: str) -> None:
        def found(site: Site) -> None:
            if site.is_static:
                self.stored.setdefault((id(site.value), name), (site.value, name))

        self.graph.watch(node, found)

    def ask(self, node: Node, names: frozenset[str] | None = None) -> None:
        """What looks at these objects, or into them, runs code of their classes only, if given: of these names."""
        seen: dict[Site, None] = {}

        def found(site: Site) -> None:
            if site in seen:
                return
            seen[site] = None
            if site.holder is not None and names is not None and not SHOWN.isdisjoint(names):
                found(site.holder)  # a method shows its object
            elif self._runs_code(site, names):
                self.graph.give_site(site)
            elif site.cls in HOLDING:
                for field in (PUT, PUT_KEYS):
                    self.graph.watch(self.graph.field(site, field), found)
            elif not site.is_static and site.cls is not None and issubclass(site.cls, BaseException):
                self.graph.watch(self.graph.field(site, "args"), found)
            elif not site.is_static and site.cls is not None and exposure.asks_parts(site.cls):
                self.graph.give_site(site)

        self.graph.watch(node, found)

    def look(self, node: Node, name: str, place: int) -> None:
        """The same for an operator with these as its operand number `place`, which may look at little of them."""
        asked = False

        def found(site: Site) -> None:
            nonlocal asked
            quiet = site.is_static and not (matters(site.value) and exposure.asks(name, place, site.value))
            if not (asked or quiet or (site.cls is not None and exposure.looks_past(name, place, site.cls))):
                asked = True
                self.ask(node, exposure.called_by(name))
                if name in SHOWING:
                    self.ask(node, SHOWN)

        self.graph.watch(node, found)

    def _runs_code(self, site: Site, names: frozenset[str] | None) -> bool:
        if not site.is_static:
            return site.cls is not None and exposure.runs_code(site.cls, names)
        value, key = site.value, (id(site.value), names)
        if key not in self._codes:
            self._codes[key] = matters(value) and type(value) is not FunctionType and exposure.holds_code(value, names)
        return self._codes[key]


class Operations(ABC):
    """The operations of one function, as what they do in the graph."""

    def __init__(self, effects: Effects, source: Source) -> None:
        self.effects: Final = effects
        self.graph: Final = effects.graph
        self.program: Final = source.program
        self.function: Final = source.function
        self.scope: Final = effects.scope(source.program, source.function.name)
        self.handling: Final[set[int]] = set()  # operations during which a caught exception is the active one
        self.makers: Final[dict[int, Operation]] = {}
        self.constants: Final[dict[int, object]] = {}
        for op in self.function.operations():
            for result in op.results:
                self.makers[result] = op
            if op.name == "const" and isinstance(op.attr, Constant):
                self.constants[op.results[0]] = op.attr.value
            elif op.name == "global_get" and isinstance(op.attr, tuple):
                elsewhere = op.attr[0] != self.function.module
                found = MISSING if elsewhere else source.bindings(str(op.attr[1]))
                if found is not MISSING:
                    self.constants[op.results[0]] = found
                else:
                    self.graph.add(self.of(op.results[0]), OUTSIDE)
                    if matters(now := global_now(*op.attr) if elsewhere else source.namespace.get(str(op.attr[1]))):
                        self.graph.add(self.of(op.results[0]), self.graph.static(now))

    def run(self) -> None:
        for value, held in self.constants.items():
            if matters(held) or issubclass(type(held), (type, BuiltinFunctionType, MethodDescriptorType)):
                self.graph.add(self.of(value), self.graph.static(held))
        for block in self.function.blocks:
            if exposure.is_handling(self.function, block):
                self.handling.update(op.id for op in block.ops)
            for op in block.ops:
                self.graph.place = self._place(block, op)
                self._operation(op)
            self.graph.place = None
            self._end(block)

    def _place(self, block: Block, op: Operation) -> object:
        """What tells where `op` stands."""
        return None

    @abstractmethod
    def _call(self, op: Operation) -> None:
        """A call of anything."""

    @abstractmethod
    def _read_property(self, op: Operation, function: FunctionType, site: Site) -> None:
        """This function gives an attribute of an object."""

    @abstractmethod
    def _enter(self, op: Operation, args: list[int], program: Program, callee: Function) -> None:
        """A call of a function of a program."""

    @abstractmethod
    def _compare_items(self, holder: int, other: int) -> None:
        """`other in holder`"""

    # -- values

    def of(self, value: int) -> Node:
        return self.graph.of(self.scope, value)

    def is_atom(self, value: int) -> bool:
        return self.function.types[value] in _ATOMS

    def is_plain(self, value: int) -> bool:
        """Is this promised to be of a builtin class, whose operators run no code but of what it holds?"""
        return self.function.types[value] in CONTAINERS or self.is_atom(value) or type(self.constants.get(value)) is str

    def made(self, op: Operation, cls: type | None, part: str = "") -> Site:
        return self.graph.made((self.scope, op.id, part), cls)

    def result(self, op: Operation, cls: type | None = None) -> Site:
        """What the operation makes, which its result is."""
        site = self.made(op, cls)
        self.graph.add(self.of(op.results[0]), site)
        return site

    def unknown(self, op: Operation) -> None:
        """Anybody may get the operands, and the results may be anything."""
        for value in op.args:
            self.graph.give(self.of(value))
            for result in op.results:
                self.graph.flow(self.of(value), self.of(result))
        for result in op.results:
            self.graph.add(self.of(result), OUTSIDE)

    def put(self, value: int, site: Site) -> None:
        """`value` becomes an item of what is made here."""
        self.graph.flow(self.of(value), self.graph.field(site, PUT))

    def pour(self, source: int, site: Site) -> None:
        """What a walk over `source` gives becomes items of what is made here."""
        self.graph.iterate(self.of(source), self.graph.field(site, PUT))

    def when_foreign(self, value: int, told: Callable[[], None]) -> None:
        """`told` is called if an operator with this operand may run code that is not known, or of the program."""
        if not self.is_plain(value):
            self.graph.watch(self.of(value), lambda site: told() if is_foreign(site) else None)

    def ask(self, value: int) -> None:
        if not self.is_atom(value):
            self.effects.ask(self.of(value))

    def look(self, value: int, name: str, place: int) -> None:
        if not self.is_atom(value):
            self.effects.look(self.of(value), name, place)

    # -- operations

    def _operation(self, op: Operation) -> None:
        name, args, results = op.name, op.args, op.results
        if name in _NOTHING:
            return
        if name in BINARY or name in INPLACE or name in COMPARE:
            self._two(op)
        elif name in _ASKED:
            for place, value in enumerate(args):
                self.look(value, name, place)
            if name in UNARY:
                self.when_foreign(args[0], lambda: self.graph.add(self.of(results[0]), OUTSIDE))
        elif name == "getattr":
            self._read(op)
        elif name in ("setattr", "delattr"):
            self._write(op)
        elif name in ("getitem", "setitem", "delitem"):
            self._item(op)
        elif name in DISPLAYS:
            self._display(op)
        elif name in ("list_append", "set_add", "dict_put"):
            self.ask(args[1])
            self.graph.store(self.of(args[0]), ITEMS, self.of(args[-1]))
            if name == "dict_put":
                self.graph.store(self.of(args[0]), KEYS, self.of(args[1]))
        elif name == "unpack":
            self._unpack(op)
        elif name == "iter":
            self.pour(args[0], self.result(op))
            self.look(args[0], name, 0)
            self.when_foreign(args[0], lambda: self.graph.add(self.of(results[0]), OUTSIDE))
        elif name in ("cell", "cell_get", "cell_set"):
            self._variable(op)
        elif name in ("copy", "car", "cdr", "cons"):
            self._list(op)
        elif name == "call":
            self._call(op)
        elif name == "invoke":
            self._enter(op, list(args), self.program, self.program[str(op.attr)])
        elif isinstance(op.attr, FunctionAttr):
            self._closure(op, op.attr)
        elif name == "slice":
            made = self.result(op, slice)
            for value in args:
                self.put(value, made)
        elif name == "super":
            made = self.result(op, super)
            self.put(args[2], made)
            self.effects.supers[made] = (self.of(args[1]), self.of(args[2]))
        else:  # global_set, imports, classes, yields, `with`, class patterns
            self.unknown(op)

    def _two(self, op: Operation) -> None:
        left, right = op.args
        for place, (one, other) in enumerate(((left, right), (right, left))):
            self.look(one, op.name, place)
            if self.is_atom(one):
                continue
            if op.name in ("in", "not_in") and one == right:
                self._compare_items(one, other)
            elif op.name in ("in", "not_in"):
                self._show_to_items(one, other)
            else:
                self.when_foreign(other, lambda one=one: self.graph.give(self.of(one)))  # type: ignore[misc]
            if (
                op.name in COMPARE
                and op.name not in ("in", "not_in")
                and not self.is_atom(other)
                and other not in self.constants
            ):
                self._give_items(one)  # they are compared with what the other one holds
        if op.name in COMPARE:
            return
        result = op.results[0]
        for value in (left, right):
            self.when_foreign(value, lambda: self.graph.add(self.of(result), OUTSIDE))
        if op.name in INPLACE:
            self.graph.flow(self.of(left), self.of(result))
            self.effects.write(self.of(left), f"__{op.name}__")
            self._pour_into(self.of(left), right)
        if not self.is_atom(result):
            made = self.result(op)
            self.graph.absorb(self.of(left), made)
            self.graph.absorb(self.of(right), made)

    def _pour_into(self, holder: Node, source: int) -> None:
        for key in (ITEMS, KEYS):
            items = Node()
            self.graph.load(self.of(source), key, items)
            self.graph.store(holder, ITEMS, items)
            self.graph.store(holder, KEYS, items)

    def _show_to_items(self, value: int, holder: int) -> None:
        """What is looked for is compared with each item of the container, which may have a say in that."""
        items = Node()
        self.graph.iterate(self.of(holder), items)

        def found(site: Site) -> None:
            if is_foreign(site) or site.cls in HOLDING:
                self.graph.give(self.of(value))

        self.graph.watch(items, found)
        self.graph.watch(self.of(holder), lambda site: self.graph.give(self.of(value)) if is_foreign(site) else None)

    def _give_items(self, value: int) -> None:
        for key in (ITEMS, KEYS):
            items = Node()
            self.graph.load(self.of(value), key, items)
            self.graph.give(items)

    def _read(self, op: Operation) -> None:
        name, holder, result = str(op.attr), op.args[0], self.of(op.results[0])

        def found(site: Site) -> None:
            if site is OUTSIDE:
                self.graph.add(result, OUTSIDE)
                return
            if site in self.effects.supers:
                self._read_above(name, result, *self.effects.supers[site])
                return
            if site.holder is not None:  # a method leads to its object: `__self__`
                self.graph.give_site(site)
                self.graph.add(result, OUTSIDE)
                return
            if site.is_static and (id(site.value), name) in self.effects.kept:
                if (kept := self.effects.kept[id(site.value), name]) is not None:
                    self.graph.add(result, self.graph.static(kept))
                return
            if name in ("__cause__", "__context__"):
                self.graph.flow(self.effects.raised, result)
            callee = MISSING if site.cls is None else class_lookup(site.cls, name)
            if callee is vars(object)["__class__"]:
                self.graph.add(result, self.graph.static(site.cls))
                return
            function = exposure.property_function(callee)
            if function is not None and site.cls and exposure.plainly_looked_up(site.cls):
                self._read_property(op, function, site)
                self.graph.flow(self.graph.field(site, name), result)
                return
            hidden = type(callee) is GetSetDescriptorType and name not in _NAMES
            if (
                name == "__dict__"
                or (site.is_static and (hidden or not exposure.reads_plainly(site.value, name)))
                or (not site.is_static and site.cls is not None and exposure.attribute_runs_code(site.cls, name))
            ):
                self.graph.give_site(site)
                self.graph.add(result, OUTSIDE)
                self.graph.flow(self.graph.field(site, name), result)
                return
            hides = site.is_static and stored_attribute(site.value, name) is not MISSING
            if callee is not MISSING and not hides and type(callee) is not MemberDescriptorType:
                if class_lookup(type(callee), "__get__") is not MISSING:
                    self.graph.add(result, self.graph.method(site, name, callee))
                elif matters(callee):
                    self.graph.add(result, self.graph.static(callee))
            self.graph.flow(self.graph.field(site, name), result)

        self.graph.watch(self.of(holder), found)

    def _read_above(self, name: str, result: Node, cell: Node, holder: Node) -> None:
        """`super().name`"""

        def found(start: object, site: Site) -> None:
            callee = above(site.cls, start, name)
            if type(callee) in (FunctionType, WrapperDescriptorType, MethodDescriptorType):
                self.graph.add(result, self.graph.method(site, name, callee))
            else:
                self.graph.give_site(site)
                self.graph.add(result, OUTSIDE)

        def started(site: Site) -> None:
            start = class_in(site.value)
            self.graph.watch(holder, lambda one: found(start, one))

        self.graph.watch(cell, started)

    def _write(self, op: Operation) -> None:
        name, holder = str(op.attr), self.of(op.args[-1])
        stores = op.name == "setattr"
        self.effects.store(holder, name)

        def found(site: Site) -> None:
            if not exposure.is_written_plainly(site.cls, name, op.name):
                self.graph.give_site(site)
                if stores:
                    self.graph.give(self.of(op.args[0]))

        self.graph.watch(holder, found)
        if stores:
            self.graph.store(holder, name, self.of(op.args[0]))

    def _item(self, op: Operation) -> None:
        stores = op.name == "setitem"
        holder, index = op.args[1 if stores else 0], op.args[2 if stores else 1]
        self.look(holder, op.name, int(stores))
        self.ask(index)
        for value in op.args:
            if value != holder and not self.is_atom(value):
                self.when_foreign(holder, lambda value=value: self.graph.give(self.of(value)))  # type: ignore[misc]
        self.when_foreign(index, lambda: self._give_keys(holder))
        maker = self.makers.get(index)
        sliced = self.function.types[index] == "slice" or (maker is not None and maker.name == "slice")
        if op.name != "getitem":
            self.effects.write(self.of(holder), op.name)
            if stores:
                self.graph.store(self.of(holder), ITEMS, self.of(op.args[0]))
                self.graph.store(self.of(holder), KEYS, self.of(index))
                if sliced or not self.is_atom(index):
                    self._pour_into(self.of(holder), op.args[0])
            return
        result = op.results[0]
        if self.is_atom(result):
            return
        self.when_foreign(holder, lambda: self.graph.add(self.of(result), OUTSIDE))
        if sliced:
            self.pour(holder, self.result(op, list))
            return
        known = self.constants.get(index)
        self.graph.load(self.of(holder), f"#{known}" if type(known) is int and known >= 0 else ITEMS, self.of(result))
        if not self.is_atom(index):  # a slice, perhaps
            self.graph.watch(self.of(index), lambda site: self._slice(op, holder) if site is OUTSIDE else None)

    def _slice(self, op: Operation, holder: int) -> None:
        self.pour(holder, self.result(op, list))

    def _give_keys(self, holder: int) -> None:
        def found(site: Site) -> None:
            if site.cls in DICTS:
                self.graph.compared(site)

        self.graph.watch(self.of(holder), found)

    def _display(self, op: Operation) -> None:
        made = self.result(op, DISPLAYS[op.name])
        starred = op.attr if isinstance(op.attr, tuple) else ()
        for at, value in enumerate(op.args):
            place = at // 2 if op.name == "dict" else at
            if op.name == "set" or (op.name == "dict" and not at % 2) or any(starred):
                self.ask(value)
            if place < len(starred) and starred[place]:
                if op.name == "dict":
                    self.graph.absorb(self.of(value), made)
                else:
                    self.pour(value, made)
            elif op.name == "dict" and not at % 2:
                self.graph.flow(self.of(value), self.graph.field(made, PUT_KEYS))
            else:
                self.put(value, made)

    def _unpack(self, op: Operation) -> None:
        holder = op.args[0]
        self.ask(holder)
        before, starred, _ = op.attr if isinstance(op.attr, tuple) else (0, True, 0)
        for at, result in enumerate(op.results):
            if starred and at == before:
                site = self.made(op, list)
                self.graph.add(self.of(result), site)
                self.pour(holder, site)
            elif starred and at > before:
                self.graph.iterate(self.of(holder), self.of(result))
            else:
                self.graph.load(self.of(holder), f"#{at}", self.of(result))
                self.graph.load(self.of(holder), KEYS, self.of(result))

    def _list(self, op: Operation) -> None:
        """Parallel copies, and the lists of the other languages."""
        for value, result in zip(op.args, op.results) if op.name == "copy" else ():
            self.graph.flow(self.of(value), self.of(result))
        if op.name == "car":
            self.graph.load(self.of(op.args[0]), ITEMS, self.of(op.results[0]))
        elif op.name == "cdr":
            self.graph.flow(self.of(op.args[0]), self.of(op.results[0]))
        elif op.name == "cons":
            made = self.result(op, tuple)
            self.put(op.args[0], made)
            self.pour(op.args[1], made)

    def _variable(self, op: Operation) -> None:
        if op.name == "cell":
            made = self.result(op, CellType)
            for value in op.args:
                self.put(value, made)
        elif op.name == "cell_set":
            self.graph.store(self.of(op.args[1]), ITEMS, self.of(op.args[0]))
            self.effects.write(self.of(op.args[1]), "cell_contents")
        else:
            self.graph.load(self.of(op.args[0]), ITEMS, self.of(op.results[0]))

    def _closure(self, op: Operation, attr: FunctionAttr) -> None:
        """A function of the program: whoever gets it may call it with anything, and gets what it returns."""
        nested = self.program[attr.name]
        count = len(nested.free)
        scope = self.effects.scope(self.program, nested.name)
        params = nested.entry.params
        names = len(nested.signature.names)
        for value, param in zip(op.args[len(op.args) - count :] if count else (), params[names:]):
            self.graph.flow(self.of(value), self.graph.of(scope, param))
        for value in op.args[: len(op.args) - count]:
            self.graph.give(self.of(value))
        for param in params[:names]:
            self.graph.add(self.graph.of(scope, param), OUTSIDE)
        for block in nested.blocks:
            if block.terminator.name == "return":
                self.graph.give(self.graph.of(scope, block.terminator.args[0]))
        self.graph.add(self.of(op.results[0]), OUTSIDE)

    # -- ends of blocks

    def _end(self, block: Block) -> None:
        end = block.terminator
        ways: list[tuple[Edge, int]] = [(edge, 0) for edge in end.edges]
        if end.name == "next":
            ways[0] = (end.edges[0], 1)
            item = self.function.blocks[end.edges[0].target].params[0]
            self.graph.load(self.of(end.args[0]), ITEMS, self.of(item))
        if block.handler is not None:
            ways.append((block.handler, 1))
            self.graph.flow(self.effects.raised, self.of(self.function.blocks[block.handler.target].params[0]))
        for edge, implicit in ways:
            for param, value in zip(self.function.blocks[edge.target].params[implicit:], edge.args):
                self.graph.flow(self.of(value), self.of(param))
        if end.name in ("raise", "reraise"):
            for value in end.args:
                self.graph.flow(self.of(value), self.effects.raised)
