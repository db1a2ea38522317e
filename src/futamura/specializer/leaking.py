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

import builtins
from collections import defaultdict
from collections.abc import Callable, Mapping
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Final, NamedTuple

from futamura.analysis.methods import PURE_MODULES, WRITING
from futamura.ir.attributes import FunctionAttr
from futamura.ir.classes import is_a
from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Function, Operation, Program
from futamura.ir.homes import global_now
from futamura.runtime import call_in_generator, keep, raise_in_generator, raise_thrown
from futamura.specializer.builtin_errors import exception_made_plainly, only_keeps_arguments
from futamura.specializer.caching import LRU
from futamura.specializer.elements import Elements
from futamura.specializer.kept import CachedCall, Place
from futamura.specializer.known_callees import BLIND, KnownCallees
from futamura.specializer.own_dicts import only_looked_into
from futamura.specializer.pointing import (
    BUILTIN,
    ITEMS,
    OUTSIDE,
    PUT,
    Node,
    Site,
    TooMuch,
    is_foreign,
    matters,
)
from futamura.specializer.purity import (
    EVERY_NAME,
    HEAP_TYPE,
    MISSING,
    PLAIN_STORES,
    behind,
    class_lookup,
    deep,
    is_mutable,
)
from futamura.specializer.touching import CONTAINERS, HOLDING, Effects, Source

__all__ = ["At", "Changed", "changed", "holds_objects"]

_MOST_FUNCTIONS: Final = 200
_BUILTIN: Final = (*BUILTIN, tuple, frozenset)
_RAISING: Final = (raise_in_generator, raise_thrown)
"""Functions that raise what they are given, and do nothing else."""
_NO_QUESTIONS: Final = (BaseException.__new__, isinstance, len, type, *_RAISING)
"""Builtin functions that do not ask which exception is handled, nor run code that does."""


class At(NamedTuple):
    """An operation of the residual program."""

    function: str
    block: int
    op: Operation


class Changed(NamedTuple):
    """What a residual program does to the static objects in it."""

    written: tuple[object, ...] = ()
    stored: tuple[tuple[object, str], ...] = ()
    """Attributes of objects."""
    given: tuple[object, ...] = ()
    """Code that is not known gets these: they, and all that they reach, may be written."""
    places: tuple[At | None, ...] = ()
    """Where it gets each of them; None if that is not in the residual program."""


def holds_objects(program: Program) -> bool:
    """Are there objects among its constants, of whose classes more may be believed than what they hold?"""
    constants = [op.attr.value for one in program.functions for op in one.operations() if type(op.attr) is Constant]
    return any(not deep(value) and not is_a(value, type) and type(value).__flags__ & HEAP_TYPE for value in constants)


def changed(
    program: Program,
    bindings: Mapping[str, object],
    home: Mapping[str, object],
    source: Callable[[FunctionType], Source | None],
    is_static: Callable[[object], bool],
    kept: Mapping[Place, object],
) -> Changed:
    """What `program` may change or give away.

    `bindings` are what globals of `home` are assumed to be, and `source` gives the source of a function that is called;
    `is_static` says whether what an object holds is believed so far; `kept` what
    objects keep that reading an attribute, or a call, computes, by their identities: None, if that leads nowhere.
    """
    held = [
        op.attr.value for function in program.functions for op in function.operations()
        if isinstance(op.attr, Constant) and matters(op.attr.value)
    ]  # fmt: skip
    named = {
        (op.attr[0] != function.module, op.attr) for function in program.functions for op in function.operations()
        if op.name == "global_get" and isinstance(op.attr, tuple)
    }  # fmt: skip
    values = {
        attr: global_now(*attr) if elsewhere else bindings.get(attr[1], home.get(attr[1]))
        for elsewhere, attr in sorted(named)
    }
    held += [value for (_, name), value in values.items() if matters(value) and value is not vars(builtins).get(name)]
    asked = any(op.name == "getattr" for function in program.functions for op in function.operations())
    classes = asked and any(is_a(value, type) and value.__flags__ & HEAP_TYPE for value in held)
    if not classes and not any(is_mutable(value) or any(map(matters, behind(value))) for value in held):
        return Changed()
    effects = _Walks(source, is_static)
    effects.kept = kept
    try:
        effects.residual = program
        effects.add(Source(program, program.main, (), lambda name: bindings.get(name, MISSING), home))
        main = effects.scope(program, program.entry)
        for param in program.main.entry.params:
            effects.graph.add(effects.graph.of(main, param), OUTSIDE)
        effects.graph.run()
    except TooMuch:
        return Changed(given=tuple(held), places=(None,) * len(held))
    finally:
        effects.forget()
    given = [(site.value, place) for site, place in effects.graph.given.items() if site.is_static]
    places = tuple([place if is_a(place, At) else None for _, place in given])
    objects = tuple([value for value, _ in given])
    return Changed(tuple(effects.written.values()), tuple(effects.stored.values()), objects, places)


class _Walks(Effects):
    """The functions that are walked through: those of the residual program, and those of the source that it calls."""

    def __init__(self, source: Callable[[FunctionType], Source | None], is_static: Callable[[object], bool]) -> None:
        super().__init__()
        self.is_static: Final = is_static
        self.elements: Final = Elements(self)
        self._source = source
        self._known: Final[dict[int, tuple[FunctionType, Source | None]]] = {}

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

    def forget(self) -> None:
        """All is walked through: what the graph keeps in circles keeps no specialization."""
        self._source = lambda _: None
        self._known.clear()

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


class _Function(KnownCallees):
    """The calls of one function."""

    def __init__(self, walks: _Walks, source: Source) -> None:
        super().__init__(walks, source, walks.elements)
        self.walks: Final = walks

    def _place(self, block: Block, op: Operation) -> At | None:
        return At(self.function.name, block.id, op) if self.program is self.walks.residual else None

    # -- calls

    def _call(self, op: Operation) -> None:
        if self.constants.get(op.args[0]) is call_in_generator and len(op.args) > 1:
            marks = op.attr[1:] if isinstance(op.attr, tuple) else ()
            op = op._replace(args=op.args[1:], attr=marks if any(marks) else None)
        done: dict[Site, None] = {}

        def found(site: Site) -> None:
            if site not in done:
                done[site] = None
                self._call_of(op, site)

        maker = self.makers.get(op.args[0])
        if maker is not None and maker.name == "getattr" and self.is_plain(maker.args[0]):
            self._plain_method(op, maker)
        elif op.id in self.handling and not any(self.constants.get(op.args[0]) is one for one in _NO_QUESTIONS):
            self.graph.give(self.effects.raised)  # code that is called here can ask for what was caught
        self.graph.watch(self.of(op.args[0]), found)
        for value, mark in zip(op.args[1:], op.attr, strict=True) if isinstance(op.attr, tuple) else ():
            if mark in ("*", "**"):
                self.ask(value)  # it is walked over

    def _compare_items(self, holder: int, other: int) -> None:
        """What is looked for, or what it holds, may be of a class that sees the items, or the keys, when it is compared
        with them."""

        def found(site: Site) -> None:
            if is_foreign(site) or (site.cls in HOLDING and site.cls is not None):
                self.graph.watch(self.of(holder), self.graph.compared)

        if not self.is_atom(other):
            self.graph.watch(self.of(other), found)

    def _operation(self, op: Operation) -> None:
        super()._operation(op)
        if op.name in ("getattr", "setattr") and op.attr == "__dict__":
            self._note_dict(op, op.args[-1])
        if op.name in ("set", "set_add"):
            self.elements.display(op, self.of)

    def _note_dict(self, op: Operation, holder: int) -> None:
        """`holder.__dict__`: unless it is only looked into, any attribute may be stored."""
        if op.name == "setattr" or not only_looked_into(self.function, op.results[0]):
            self.effects.store(self.of(holder), EVERY_NAME)

    def _note_setter(self, op: Operation, site: Site) -> None:
        """The call of what stores an attribute whose name is an argument."""
        if site.holder is not None and site.name == "__setattr__":
            holder = Node()
            self.graph.add(holder, site.holder)
            at = 1
        elif site.value is setattr or any(site.value is one for one in PLAIN_STORES):
            holder, at = self.of(op.args[1]) if len(op.args) > 1 else Node(), 2
        else:
            return
        name = self.constants.get(op.args[at]) if len(op.args) > at else None
        self.effects.store(holder, name if type(name) is str else EVERY_NAME)

    def _two(self, op: Operation) -> None:
        super()._two(op)
        if not any(map(self.is_atom, op.args)):
            self.elements.operator(op.name, *map(self.of, op.args))

    def _item(self, op: Operation) -> None:
        super()._item(op)
        holder = op.args[op.name == "setitem"]
        if op.name == "getitem":
            self.graph.watch(
                self.of(holder), lambda site: self._makes_item(op, site) if site.cls is defaultdict else None
            )
        elif op.name == "setitem" and not self.is_atom(op.args[2]) and self.function.types[holder] != "dict":
            if self.is_plain(holder):
                self.ask(op.args[0])  # a slice may be stored to: then it is walked over
            else:
                self.graph.watch(self.of(holder), lambda site: self.ask(op.args[0]) if _has_slices(site) else None)

    def _makes_item(self, op: Operation, site: Site) -> None:
        """Reading an item of a dict with defaults may add one."""
        holder = Node()
        self.graph.add(holder, site)
        self.effects.write(holder, "setitem")
        self.graph.give_site(self.graph.static(getattr(site.value, "default_factory", None)))
        self.graph.add(self.of(op.results[0]), OUTSIDE)

    def _plain_method(self, op: Operation, maker: Operation) -> None:
        """A method of an object whose builtin class is promised."""
        for value in op.args[1:] if str(maker.attr) not in BLIND else ():
            self.ask(value)
        cls = CONTAINERS.get(self.function.types[maker.args[0]])
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
        self._note_setter(op, site)
        if site.value is vars and len(op.args) == 2:
            self._note_dict(op, op.args[1])
        if site.value is keep:  # what an object is given to keep, it has made itself
            return
        if any(site.value is one for one in _RAISING):
            for value in op.args[1:]:
                self.graph.flow(self.of(value), self.effects.raised)
            return
        if (place := self._kept_by(op, site)) is not None:
            if (kept := self.effects.kept[place]) is not None:
                self.graph.add(self.of(op.results[0]), self.graph.static(kept))
            return
        if site.holder is not None:
            self._call_method(op, site, site.holder)
        elif type(site.value) is FunctionType:
            self._call_function(op, site.value, None)
        elif type(site.value) is MethodType and type(site.value.__func__) is FunctionType:
            self._call_function(op, site.value.__func__, self.graph.static(site.value.__self__))
        elif type(site.value) in (type, BuiltinFunctionType) and op.attr is None and self._builtin(op, site.value):
            return
        elif (cls := self._exception_made(op, site.value)) is not None:
            self._keep(op, self.result(op, cls), 2)
        elif type(site.value) is BuiltinFunctionType and not isinstance(site.value.__self__, ModuleType):
            self._call_bound(op, site, site.value.__self__, site.value.__name__)
        elif type(site.value) is MethodDescriptorType and site.value.__objclass__ in (str, bytes, int, float, tuple):
            for value in op.args[1:]:
                self.ask(value)
        elif type(site.value) is MethodDescriptorType and len(op.args) > 1 and not self._calls_back(op):
            self._call_descriptor(op, site.value)
        elif self._only_reads(op, site.value):
            made = self.result(op)
            for value in op.args[1:]:
                self.ask(value)
                self.graph.watch(self.of(value), self._may_be_called)
                self.graph.flow(self.of(value), self.of(op.results[0]))
                self.put(value, made)
                self.pour(value, made)
        elif site.cls is not None and class_lookup(site.cls, "__call__") is MISSING:
            return  # a TypeError
        else:
            self._unknown_call(op, site)

    def _kept_by(self, op: Operation, site: Site) -> Place | None:
        """The call of a cached function with arguments for which it is known what it has kept, or will keep."""
        if type(site.value) is not LRU or not self.effects.kept:
            return None
        args = [self.constants.get(value, MISSING) for value in op.args[1:]]
        names = [mark for mark in op.attr if mark] if isinstance(op.attr, tuple) else []
        place = (id(site.value), CachedCall.of(args, names))
        return place if place in self.effects.kept else None

    def _unknown_call(self, op: Operation, site: Site) -> None:
        self.graph.add(self.of(op.results[0]), OUTSIDE)
        if site is not OUTSIDE:
            self.graph.give_site(site)
        result = self.of(op.results[0])
        for value in op.args[1:]:
            # What becomes of a static object that the residual itself hands over was seen when the call was left.
            if self.program is self.effects.residual and self.walks.is_static(self.constants.get(value, MISSING)):
                self.graph.iterate(self.of(value), result)
                self.graph.absorb(self.of(value), self.made(op, None))
                self.put(value, self.result(op))
            else:
                self.graph.give(self.of(value))
            self.graph.flow(self.of(value), result)

    def _may_be_called(self, site: Site) -> None:
        """Code that is not known has this: if it is a function or the like, it may call it."""
        if site.holder is not None or (site.cls is not None and class_lookup(site.cls, "__call__") is not MISSING):
            self.graph.give_site(site)

    def _only_reads(self, op: Operation, function: object) -> bool:
        """Is this a function of a module whose functions change nothing, and given none to call?"""
        if type(function) not in (FunctionType, BuiltinFunctionType, type):
            return False
        module, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
        return module in PURE_MODULES - {"functools", "itertools"} and name not in WRITING and op.attr is None

    def _call_function(self, op: Operation, function: FunctionType, bound: Site | None) -> None:
        source = self.walks.called(function)
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

    def _read_property(self, op: Operation, function: FunctionType, site: Site) -> None:
        source = self.walks.called(function)
        if source is None:
            self.graph.give_site(site)
            self.graph.add(self.of(op.results[0]), OUTSIDE)
            return
        owner = Node()
        self.graph.add(owner, site)
        self._enter(op, [], source.program, source.function, [owner])

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
                self.graph.iterate(one, self.graph.field(made, PUT))
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
        elif holder.cls in _BUILTIN and not self._calls_back(op):
            assert holder.cls is not None
            self._method(op, holder, name, holder.cls)
        elif not holder.is_static and self._keeps_arguments(site) and op.attr is None:
            self._keep(op, holder)
        else:
            self._unknown_call(op, site)

    def _keeps_arguments(self, site: Site) -> bool:
        """Is this the `__init__` of a builtin exception class?"""
        callee = site.callee
        plain = type(callee) is WrapperDescriptorType and only_keeps_arguments(callee.__objclass__)
        return site.name == "__init__" and plain

    def _exception_made(self, op: Operation, function: object) -> type | None:
        """The class of the exception that `BaseException.__new__` makes here."""
        cls = self.constants.get(op.args[1]) if len(op.args) > 1 and op.attr is None else None
        if function is not BaseException.__new__ or type(cls) is not type or not issubclass(cls, BaseException):
            return None
        return cls if exception_made_plainly(cls) and not issubclass(cls, StopIteration) else None

    def _call_bound(self, op: Operation, site: Site, holder: object, name: str) -> None:
        """`rows.append` of a static `rows`"""
        cls = type(holder)
        if cls in _BUILTIN and not self._calls_back(op):
            self._method(op, self.graph.static(holder), name, cls)
        elif deep(holder) and op.attr is None:
            for value in op.args[1:]:
                self.ask(value)
        else:
            self._unknown_call(op, site)

    def _call_descriptor(self, op: Operation, function: MethodDescriptorType) -> None:
        """`dict.items(d)`"""

        def found(site: Site) -> None:
            if site.cls is function.__objclass__ and site.cls in BUILTIN:
                self._method(op, site, function.__name__, site.cls, 2)
            elif site is not OUTSIDE or len(op.args) > 2:
                self._unknown_call(op, site)

        self.graph.add(self.of(op.results[0]), OUTSIDE)
        self.graph.watch(self.of(op.args[1]), found)


def _has_slices(site: Site) -> bool:
    """May several items of this be replaced by what a walk over another object gives?"""
    return site is not OUTSIDE and not (site.cls is not None and issubclass(site.cls, dict))
