"""Which static objects the residual program changes, or hands to code that may, by a way that only it knows.

    def f(rows, k):              rows static, k open:
        rows[k].append(1)        one of the rows is written, which one is not known before the residual runs,
        return len(rows[0])      so no length of a row may be believed

What the specializer does itself to a static object it sees while it does it.  Here the finished program is read: each
static object in it is a constant, and what is read from a constant is followed (`pointing.py`) through variables,
containers, attributes, closures, residual functions, and functions of the source that the residual calls.

What the caller does with a result or an exception is the caller's: whoever has a static object anyway promises not to
change it while its residual is in use.

Invariant: no code of the program runs; an object that may be changed, directly or by code that is not known, is found.
"""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, CellType, FunctionType, MethodDescriptorType, MethodType
from typing import Final, NamedTuple

from futamura.analysis.methods import PURE_MODULES, WRITING
from futamura.ir.attributes import FunctionAttr
from futamura.ir.constant import Constant
from futamura.ir.evaluate import BINARY, COMPARE, INPLACE, UNARY
from futamura.ir.graph import Block, Edge, Function, Operation, Program
from futamura.specializer.exposure import holds_code, reads_plainly, runs_code
from futamura.specializer.harmless import makes_exactly
from futamura.specializer.pointing import BUILTIN, ITEMS, KEYS, OUTSIDE, PUT, Graph, Node, Site, TooMuch, matters
from futamura.specializer.purity import DICTS, MISSING, class_lookup, own_attributes

__all__ = ["Changed", "Source", "changed"]

_MOST_FUNCTIONS: Final = 200
_ATOMS: Final = frozenset({"int", "float", "bool", "complex", "str", "bytes", "NoneType", "range"})
_CONTAINERS: Final = {"list": list, "dict": dict, "set": set, "tuple": tuple, "frozenset": frozenset}
_DISPLAYS: Final = {"list": list, "tuple": tuple, "set": set, "dict": dict}
_NOTHING: Final = frozenset({"const", "global_get", "is", "is_not", "slice", "cell_del", "null", "match_sequence"})
_ASKED: Final = frozenset({*UNARY, "truth", "not", "format", "string", "show", "match_mapping", "exc_match"})
"""Operators that run code of their operands' classes at most."""

_ASKING: Final = frozenset(
    {abs, all, any, ascii, bool, callable, chr, divmod, float, format, hash, hex, id, int, isinstance, issubclass}
    | {len, oct, ord, print, range, repr, round, str, type}
)
"""Builtins whose results hold nothing of their arguments, which they give to nobody but its own class."""
_GATHERING: Final = frozenset(
    {dict, enumerate, frozenset, iter, list, max, min, next, reversed, set, sorted, sum, tuple}
)
_GATHERING_ALL: Final = frozenset({zip})
_PAIRING: Final = frozenset({dict, enumerate, zip})

_GIVING: Final = frozenset({"get", "pop", "popleft", "setdefault", "__getitem__"})
_PLAIN_KEY: Final = frozenset({"get", "pop", "setdefault", "index", "count", "remove", "__contains__", "discard"})
"""Methods that compare what they are given with keys or items."""
_COPYING: Final = frozenset(
    {"copy", "keys", "values", "items", "popitem", "difference", "intersection", "union", "symmetric_difference"}
    | {"most_common", "elements"}
)
_READING: Final = (_COPYING - {"popitem"}) | frozenset(
    {"get", "__getitem__", "__contains__", "__len__", "count", "index", "isdisjoint", "issubset", "issuperset"}
)


class Changed(NamedTuple):
    """What a residual program does to the static objects in it."""

    written: tuple[object, ...] = ()
    stored: tuple[tuple[object, str], ...] = ()
    """Attributes of objects."""
    given: tuple[object, ...] = ()
    """Code that is not known gets these: they, and all that they reach, may be written."""


class Source(NamedTuple):
    """A Python function of which the source is known."""

    program: Program
    function: Function
    cells: tuple[CellType, ...]
    bindings: Callable[[str], object]
    """What a global of it is assumed to be, or `MISSING`."""


def changed(
    program: Program, bindings: Callable[[str], object], source: Callable[[FunctionType], Source | None]
) -> Changed:
    """What `program` may change or give away.

    `bindings` gives what a global is assumed to be, or `MISSING`, and `source` the source of a function that is called.
    """
    held = [
        op.attr.value for function in program.functions for op in function.operations()
        if isinstance(op.attr, Constant) and matters(op.attr.value)
    ]  # fmt: skip
    if not held:
        return Changed()
    effects = _Effects(source)
    try:
        effects.residual = program
        effects.add(Source(program, program.main, (), bindings))
        main = effects.scope(program, program.entry)
        for param in program.main.entry.params:
            effects.graph.add(effects.graph.of(main, param), OUTSIDE)
        effects.graph.run()
    except TooMuch:
        return Changed(given=tuple(held))
    given = tuple(site.value for site in effects.graph.given if site.is_static)
    return Changed(tuple(effects.written.values()), tuple(effects.stored.values()), given)


class _Effects:
    """The functions that are walked through: those of the residual program, and those of the source that it calls."""

    def __init__(self, source: Callable[[FunctionType], Source | None]) -> None:
        self.graph: Final = Graph()
        self.raised: Final = Node()
        self.graph.add(self.raised, OUTSIDE)
        self.written: Final[dict[int, object]] = {}
        self.stored: Final[dict[tuple[int, str], tuple[object, str]]] = {}
        self.residual: Program | None = None
        self._source: Final = source
        self._scopes: Final[dict[tuple[int, str], int]] = {}
        self._known: Final[dict[int, tuple[FunctionType, Source | None]]] = {}
        self._codes: Final[dict[int, bool]] = {}

    def scope(self, program: Program, name: str) -> int:
        """A number for a function."""
        return self._scopes.setdefault((id(program), name), len(self._scopes))

    def add(self, source: Source) -> None:
        """Walk through a function, and through those of its program that it calls or makes."""
        program = source.program
        names = [source.function.name]
        for name in names:
            _Function(self, source._replace(function=program[name])).run()
            ops = list(program[name].operations())
            nested = [str(op.attr) for op in ops if op.name == "invoke"]
            nested += [op.attr.name for op in ops if isinstance(op.attr, FunctionAttr)]
            names += [other for other in dict.fromkeys(nested) if other not in names]

    def called(self, function: FunctionType) -> Source | None:
        """The source of a function that is called, if it is known."""
        found = self._known.get(id(function))
        if found is None:
            source = self._source(function) if len(self._known) < _MOST_FUNCTIONS else None
            if source is not None and source.function.kind != "function":
                source = None
            found = self._known[id(function)] = (function, source)
            if source is not None:
                scope = self.scope(source.program, source.function.name)
                cells = source.function.entry.params[len(source.function.signature.names) :]
                for cell, value in zip(cells, source.cells):
                    self.graph.add(self.graph.of(scope, cell), self.graph.static(value))
                self.add(source)
        return found[1]

    def write(self, node: Node, how: str) -> None:
        """The operator or method `how` changes these objects."""

        def found(site: Site) -> None:
            if site.is_static and _can_be_changed(type(site.value), how):
                self.written.setdefault(id(site.value), site.value)

        self.graph.watch(node, found)

    def store(self, node: Node, name: str) -> None:
        def found(site: Site) -> None:
            if site.is_static:
                self.stored.setdefault((id(site.value), name), (site.value, name))

        self.graph.watch(node, found)

    def ask(self, node: Node) -> None:
        """What looks at these objects, or into them, runs code of their classes only."""

        def found(site: Site) -> None:
            if site.is_static and self._holds_code(site.value):
                self.graph.give_site(site)
            elif site.cls in _DISPLAYS.values() and not site.is_static:
                self.graph.watch(self.graph.field(site, PUT), found)

        seen: dict[Site, None] = {}
        inner = found

        def once(site: Site) -> None:
            if site not in seen:
                seen[site] = None
                inner(site)

        found = once
        self.graph.watch(node, once)

    def _holds_code(self, value: object) -> bool:
        found = self._codes.get(id(value))
        if found is None:
            found = self._codes[id(value)] = matters(value) and type(value) is not FunctionType and holds_code(value)
        return found


def _can_be_changed(kind: type, how: str) -> bool:
    """May the operator or method `how` change an object of this class?"""
    if how in ("setitem", "delitem"):
        return kind in BUILTIN or kind not in (tuple, frozenset)
    return hasattr(kind, how)


def _is_foreign(site: Site) -> bool:
    """May an operator with this operand run code that is not known, or of the program?"""
    if site is OUTSIDE:
        return True
    return site.cls is not None and runs_code(site.cls)


class _Function:
    """The operations of one function, as what they do in the graph."""

    def __init__(self, effects: _Effects, source: Source) -> None:
        self.effects: Final = effects
        self.graph: Final = effects.graph
        self.program: Final = source.program
        self.function: Final = source.function
        self.scope: Final = effects.scope(source.program, source.function.name)
        self.makers: Final[dict[int, Operation]] = {}
        self.constants: Final[dict[int, object]] = {}
        for op in self.function.operations():
            for result in op.results:
                self.makers[result] = op
            if op.name == "const" and isinstance(op.attr, Constant):
                self.constants[op.results[0]] = op.attr.value
            elif op.name == "global_get" and isinstance(op.attr, tuple):
                found = source.bindings(str(op.attr[1]))
                if found is not MISSING:
                    self.constants[op.results[0]] = found
                else:
                    self.graph.add(self.of(op.results[0]), OUTSIDE)

    def run(self) -> None:
        for value, held in self.constants.items():
            if matters(held) or isinstance(held, (type, BuiltinFunctionType, MethodDescriptorType)):
                self.graph.add(self.of(value), self.graph.static(held))
        for block in self.function.blocks:
            for op in block.ops:
                self._operation(op)
            self._end(block)

    # -- values

    def of(self, value: int) -> Node:
        return self.graph.of(self.scope, value)

    def is_atom(self, value: int) -> bool:
        return self.function.types[value] in _ATOMS

    def is_plain(self, value: int) -> bool:
        """Is this promised to be of a builtin class, whose operators run no code but of what it holds?"""
        return self.function.types[value] in _CONTAINERS or self.is_atom(value)

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
        """The items of `source` become items of what is made here."""
        self.graph.load(self.of(source), ITEMS, self.graph.field(site, PUT))

    def when_foreign(self, value: int, told: Callable[[], None]) -> None:
        """`told` is called if an operator with this operand may run code that is not known, or of the program."""
        if not self.is_plain(value):
            self.graph.watch(self.of(value), lambda site: told() if _is_foreign(site) else None)

    def ask(self, value: int) -> None:
        if not self.is_atom(value):
            self.effects.ask(self.of(value))

    # -- operations

    def _operation(self, op: Operation) -> None:
        name, args, results = op.name, op.args, op.results
        if name in _NOTHING:
            return
        if name in BINARY or name in INPLACE or name in COMPARE:
            self._two(op)
        elif name in _ASKED:
            for value in args:
                self.ask(value)
            if name in UNARY:
                self.when_foreign(args[0], lambda: self.graph.add(self.of(results[0]), OUTSIDE))
        elif name == "getattr":
            self._read(op)
        elif name in ("setattr", "delattr"):
            self._write(op)
        elif name in ("getitem", "setitem", "delitem"):
            self._item(op)
        elif name in _DISPLAYS:
            self._display(op)
        elif name in ("list_append", "set_add", "dict_put"):
            for value in args[1:]:
                self.graph.store(self.of(args[0]), ITEMS, self.of(value))
        elif name == "unpack":
            self._unpack(op)
        elif name == "iter":
            self.pour(args[0], self.result(op))
            self.ask(args[0])
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
        else:  # global_set, imports, classes, `super`, yields, `with`, class patterns
            self.unknown(op)

    def _two(self, op: Operation) -> None:
        left, right = op.args
        for one, other in ((left, right), (right, left)):
            self.ask(one)
            if self.is_atom(one):
                continue
            if op.name in ("in", "not_in") and one == right:
                self._compare_items(one, other)
            else:
                self.when_foreign(other, lambda one=one: self.graph.give(self.of(one)))  # type: ignore[misc]
            if op.name in COMPARE and not self.is_atom(other) and other not in self.constants:
                self._give_items(one)  # they are compared with what the other one holds
        if op.name in COMPARE:
            return
        result = op.results[0]
        for value in (left, right):
            self.when_foreign(value, lambda: self.graph.add(self.of(result), OUTSIDE))
        if op.name in INPLACE:
            self.graph.flow(self.of(left), self.of(result))
            self.effects.write(self.of(left), f"__{op.name}__")
            self._pour_into(left, right)
        if not self.is_atom(result):
            made = self.result(op)
            self.pour(left, made)
            self.pour(right, made)

    def _pour_into(self, holder: int, source: int) -> None:
        items = Node()
        self.graph.load(self.of(source), ITEMS, items)
        self.graph.store(self.of(holder), ITEMS, items)

    def _give_items(self, value: int) -> None:
        items = Node()
        self.graph.load(self.of(value), ITEMS, items)
        self.graph.give(items)

    def _compare_items(self, holder: int, other: int) -> None:
        """What is looked for may be of a class that sees the items, or the keys, when it is compared with them."""

        def foreign() -> None:
            def found(site: Site) -> None:
                keyed = site.cls in (*DICTS, set, frozenset)
                self.graph.give(self.graph.field(site, KEYS if keyed and site.is_static else ITEMS))
                self.graph.give(self.graph.field(site, PUT))

            self.graph.watch(self.of(holder), found)

        self.when_foreign(other, foreign)

    def _read(self, op: Operation) -> None:
        name, holder, result = str(op.attr), op.args[0], self.of(op.results[0])

        def found(site: Site) -> None:
            if site is OUTSIDE:
                self.graph.add(result, OUTSIDE)
                return
            if name == "__dict__" or (site.is_static and not reads_plainly(site.value, name)):
                self.graph.give_site(site)
                self.graph.add(result, OUTSIDE)
                return
            callee = MISSING if site.cls is None else class_lookup(site.cls, name)
            own = own_attributes(site.value) if site.is_static else None
            if callee is not MISSING and not (own is not None and name in own):
                self.graph.add(result, self.graph.method(site, name, callee))
            self.graph.flow(self.graph.field(site, name), result)

        self.graph.watch(self.of(holder), found)

    def _write(self, op: Operation) -> None:
        name, holder = str(op.attr), self.of(op.args[-1])
        self.effects.store(holder, name)
        if op.name == "delattr":
            return
        value = self.of(op.args[0])

        def found(site: Site) -> None:
            cls = site.cls
            plain = cls is not None and (
                class_lookup(cls, "__setattr__") is object.__dict__["__setattr__"]
                and class_lookup(type(class_lookup(cls, name)), "__set__") is MISSING
            )
            if not plain:
                self.graph.give(value)

        self.graph.watch(holder, found)
        self.graph.store(holder, name, value)

    def _item(self, op: Operation) -> None:
        stores = op.name == "setitem"
        holder, index = op.args[1 if stores else 0], op.args[2 if stores else 1]
        self.ask(holder)
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
                self.graph.store(self.of(holder), ITEMS, self.of(index))
                if sliced or not self.is_atom(index):
                    self._pour_into(holder, op.args[0])
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
                self.graph.give(self.graph.field(site, KEYS if site.is_static else PUT))

        self.graph.watch(self.of(holder), found)

    def _display(self, op: Operation) -> None:
        made = self.result(op, _DISPLAYS[op.name])
        starred = op.attr if isinstance(op.attr, tuple) else ()
        for at, value in enumerate(op.args):
            place = at // 2 if op.name == "dict" else at
            if place < len(starred) and starred[place]:
                self.pour(value, made)
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
            else:
                self.graph.load(self.of(holder), ITEMS if starred and at > before else f"#{at}", self.of(result))

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

    # -- calls

    def _call(self, op: Operation) -> None:
        done: dict[Site, None] = {}

        def found(site: Site) -> None:
            if site not in done:
                done[site] = None
                self._call_of(op, site)

        maker = self.makers.get(op.args[0])
        if maker is not None and maker.name == "getattr" and self.is_plain(maker.args[0]):
            self._plain_method(op, maker)
        self.graph.watch(self.of(op.args[0]), found)

    def _plain_method(self, op: Operation, maker: Operation) -> None:
        """A method of an object whose builtin class is promised."""
        for value in op.args[1:]:
            self.ask(value)
        cls = _CONTAINERS.get(self.function.types[maker.args[0]])
        if cls is not None:
            self.graph.watch(
                self.of(maker.args[0]),
                lambda site: self._method(op, site, str(maker.attr), cls) if site.cls is None else None,
            )

    def _call_of(self, op: Operation, site: Site) -> None:
        """A call of one object that may be called here."""
        maker = self.makers.get(op.args[0])
        if site is OUTSIDE and maker is not None and maker.name == "getattr" and self.is_plain(maker.args[0]):
            return
        if site.holder is not None:
            self._call_method(op, site, site.holder)
        elif type(site.value) is FunctionType:
            self._call_function(op, site.value, None)
        elif type(site.value) is MethodType and type(site.value.__func__) is FunctionType:
            self._call_function(op, site.value.__func__, self.graph.static(site.value.__self__))
        elif type(site.value) in (type, BuiltinFunctionType) and op.attr is None and self._builtin(op, site.value):
            return
        elif type(site.value) is MethodDescriptorType and site.value.__objclass__ in (str, bytes, int, float, tuple):
            for value in op.args[1:]:
                self.ask(value)
        elif self._only_reads(op, site.value):
            made = self.result(op)
            for value in op.args[1:]:
                self.ask(value)
                self.graph.flow(self.of(value), self.of(op.results[0]))
                self.put(value, made)
                self.pour(value, made)
        elif site.cls is not None and class_lookup(site.cls, "__call__") is MISSING:
            return  # a TypeError
        else:
            self._unknown_call(op, site)

    def _unknown_call(self, op: Operation, site: Site) -> None:
        self.graph.add(self.of(op.results[0]), OUTSIDE)
        if site is not OUTSIDE and not isinstance(site.value, (type, BuiltinFunctionType)):
            self.graph.give_site(site)
        for value in op.args[1:]:
            # What becomes of a static object that the residual itself hands over was seen when the call was left.
            if self.program is not self.effects.residual or value not in self.constants:
                self.graph.give(self.of(value))
            self.graph.flow(self.of(value), self.of(op.results[0]))

    def _only_reads(self, op: Operation, function: object) -> bool:
        """Is this a function of a module whose functions change nothing, and given none to call?"""
        if type(function) not in (FunctionType, BuiltinFunctionType, type):
            return False
        module, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
        return module in PURE_MODULES - {"functools", "itertools"} and name not in WRITING and op.attr is None

    def _call_function(self, op: Operation, function: FunctionType, bound: Site | None) -> None:
        source = self.effects.called(function)
        if source is None:
            self._unknown_call(op, self.graph.static(function))
            if bound is not None:
                self.graph.give_site(bound)
            return
        first: list[Node] = []
        if bound is not None:
            first = [Node()]
            self.graph.add(first[0], bound)
        held = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        defaults = [self.graph.static(value) for value in held if matters(value)]
        self._enter(op, list(op.args[1:]), source.program, source.function, first, defaults)

    def _enter(
        self,
        op: Operation,
        args: list[int],
        program: Program,
        callee: Function,
        first: list[Node] | None = None,
        defaults: list[Site] | None = None,
    ) -> None:
        """A call of a function whose code is known."""
        scope, signature = self.effects.scope(program, callee.name), callee.signature
        params = [self.graph.of(scope, param) for param in callee.entry.params[: len(signature.names)]]
        given = [*(first or []), *map(self.of, args)]
        plain = len(signature.posonly) + len(signature.regular)
        if op.name == "invoke" or (op.attr is None and len(given) <= plain):
            for one, param in zip(given, params):
                self.graph.flow(one, param)
        else:
            made = self.made(op, None, "arguments")
            for one in given:
                self.graph.flow(one, self.graph.field(made, PUT))
                self.graph.load(one, ITEMS, self.graph.field(made, PUT))
            for param in params:
                self.graph.add(param, made)
                self.graph.flow(self.graph.field(made, PUT), param)
        for site in defaults or ():
            for param in params:
                self.graph.add(param, site)
        for block in callee.blocks:
            if block.terminator.name == "return":
                self.graph.flow(self.graph.of(scope, block.terminator.args[0]), self.of(op.results[0]))

    def _call_method(self, op: Operation, site: Site, holder: Site) -> None:
        name = site.name
        if type(site.callee) is FunctionType:
            self._call_function(op, site.callee, holder)
        elif holder.cls in (*BUILTIN, tuple, frozenset) and not self._calls_back(op):
            assert holder.cls is not None
            self._method(op, holder, name, holder.cls)
        else:
            self._unknown_call(op, site)

    def _calls_back(self, op: Operation) -> bool:
        return isinstance(op.attr, tuple) and any(mark in ("*", "**", "key") for mark in op.attr)

    def _method(self, op: Operation, holder: Site, name: str, cls: type) -> None:
        """A method of a container of an exact builtin class."""
        node, result = Node(), self.of(op.results[0])
        self.graph.add(node, holder)
        self.effects.ask(node)
        for value in op.args[1:]:
            self.ask(value)
            if name in _PLAIN_KEY and not self.is_plain(value):
                self.when_foreign(value, lambda: self._give_compared(holder))
        if name not in _READING:
            self.effects.write(node, name)
            for value in op.args[1:]:
                self.graph.store(node, ITEMS, self.of(value))
                items = Node()
                self.graph.load(self.of(value), ITEMS, items)
                self.graph.store(node, ITEMS, items)
        for value in op.args[1:] if name in ("get", "pop", "setdefault") else ():
            self.graph.flow(self.of(value), result)
        if name in _GIVING or (cls is dict and name not in _READING):
            self.graph.load(node, ITEMS, result)
        elif name in _COPYING:
            made = self.result(op, None)
            target = made
            if name == "items":
                target = self.made(op, tuple, "pair")
                self.graph.add(self.graph.field(made, PUT), target)
            self.graph.load(node, ITEMS, self.graph.field(target, PUT))
            for value in op.args[1:]:
                self.pour(value, target)

    def _give_compared(self, holder: Site) -> None:
        keyed = holder.cls in (*DICTS, set, frozenset) and holder.is_static
        self.graph.give(self.graph.field(holder, KEYS if keyed else ITEMS))
        self.graph.give(self.graph.field(holder, PUT))

    def _builtin(self, op: Operation, function: object) -> bool:
        """A builtin of which it is known what becomes of its arguments."""
        args = op.args[1:]
        if function in _ASKING:
            for value in args:
                self.ask(value)
            return True
        if function in _GATHERING and (len(args) == 1 or function is zip):
            self._gather(op, function)
            return True
        if function is object.__new__ or makes_exactly(function):
            cls = function if function is not object.__new__ else self.constants.get(args[0]) if args else None
            made = self.result(op, cls if isinstance(cls, type) else None)
            if makes_exactly(function):
                held = self.made(op, tuple, "args")
                self.graph.add(self.graph.field(made, "args"), held)
                for value in args:
                    self.put(value, held)
            return True
        return False

    def _gather(self, op: Operation, function: object) -> None:
        cls = function if function in _DISPLAYS.values() else list if function is sorted else None
        made = self.result(op, cls if isinstance(cls, type) else None)
        target = made
        if function in _PAIRING:
            target = self.made(op, tuple, "pair")
            self.graph.add(self.graph.field(made, PUT), target)
        for value in op.args[1:]:
            self.ask(value)
            self.pour(value, target)
            if function in (dict, sum):  # the items of the items
                items = Node()
                self.graph.load(self.of(value), ITEMS, items)
                self.graph.flow(items, self.graph.field(made, PUT))
                self.graph.load(items, ITEMS, self.graph.field(made, PUT))
            if function in (max, min, next, sum):
                self.graph.load(self.of(value), ITEMS, self.of(op.results[0]))

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
