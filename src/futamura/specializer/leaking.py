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

import bisect
import builtins
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodType, ModuleType, WrapperDescriptorType
from typing import Final, NamedTuple

from futamura.analysis.methods import PURE_MODULES, WRITING
from futamura.ir.attributes import FunctionAttr
from futamura.ir.classes import is_a
from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Operation, Program
from futamura.ir.homes import global_now
from futamura.runtime import keep
from futamura.specializer.builtin_errors import exception_made_plainly, only_keeps_arguments, plain_exception_class
from futamura.specializer.caching import LRU
from futamura.specializer.elements import SETS, Elements
from futamura.specializer.kept import CachedCall, Place
from futamura.specializer.pointing import (
    BUILTIN,
    ITEMS,
    KEYS,
    OUTSIDE,
    PUT,
    Node,
    Site,
    TooMuch,
    matters,
)
from futamura.specializer.purity import HEAP_TYPE, MISSING, behind, class_lookup, deep, is_mutable
from futamura.specializer.touching import CONTAINERS, HOLDING, Effects, Operations, Source, is_foreign

__all__ = ["Changed", "changed", "holds_objects"]

_MOST_FUNCTIONS: Final = 200
_BUILTIN: Final = (*BUILTIN, tuple, frozenset)
_ASKING: Final = frozenset(
    {abs, all, any, ascii, bool, callable, chr, divmod, float, format, hash, hex, id, int, isinstance, issubclass}
    | {len, oct, ord, print, range, repr, round, str, type}
)
"""Builtins whose results hold nothing of their arguments, which they give to nobody but its own class."""
_GATHERING: Final = frozenset(
    {dict, enumerate, frozenset, iter, list, max, min, next, reversed, set, sorted, sum, tuple, zip}
)
_PAIRING: Final = frozenset({dict, enumerate, zip})
_GATHERED: Final[dict[object, type]] = {**{one: one for one in (list, tuple, set, dict, frozenset)}, sorted: list}

_GIVING: Final = frozenset({"get", "pop", "popleft", "setdefault", "__getitem__"})
_NO_QUESTIONS: Final = (BaseException.__new__, isinstance, len, type)
"""Builtin functions that do not ask which exception is handled, nor run code that does."""
_BLIND: Final = frozenset({"append", "appendleft", "clear", "reverse"})
"""Methods that look neither at what they are given nor at what the container holds."""
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
        return Changed(given=tuple(held))
    finally:
        effects.forget()
    given = tuple(site.value for site in effects.graph.given if site.is_static)
    return Changed(tuple(effects.written.values()), tuple(effects.stored.values()), given)


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


class _Function(Operations):
    """The calls of one function."""

    def __init__(self, walks: _Walks, source: Source) -> None:
        super().__init__(walks, source)
        self.walks: Final = walks

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
        if op.name in ("set", "set_add"):
            self.walks.elements.display(op, self.of)

    def _two(self, op: Operation) -> None:
        super()._two(op)
        if not any(map(self.is_atom, op.args)):
            self.walks.elements.operator(op.name, *map(self.of, op.args))

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
        for value in op.args[1:] if str(maker.attr) not in _BLIND else ():
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
        if site.value is keep:  # what an object is given to keep, it has made itself
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
        return (
            site.name == "__init__"
            and type(callee) is WrapperDescriptorType
            and only_keeps_arguments(callee.__objclass__)
        )

    def _exception_made(self, op: Operation, function: object) -> type | None:
        """The class of the exception that `BaseException.__new__` makes here."""
        cls = self.constants.get(op.args[1]) if len(op.args) > 1 and op.attr is None else None
        if function is not BaseException.__new__ or type(cls) is not type or not issubclass(cls, BaseException):
            return None
        return cls if exception_made_plainly(cls) and not issubclass(cls, StopIteration) else None

    def _keep(self, op: Operation, made: Site, first: int = 1) -> None:
        """The arguments, from this operand on, become `args` of an exception."""
        held = self.made(op, tuple, "args")
        self.graph.add(self.graph.field(made, "args"), held)
        for value in op.args[first:]:
            self.put(value, held)

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

    def _calls_back(self, op: Operation) -> bool:
        return isinstance(op.attr, tuple) and any(mark in ("*", "**", "key") for mark in op.attr)

    def _method(self, op: Operation, holder: Site, name: str, cls: type, first: int = 1) -> None:
        """A method of a container of an exact builtin class; its arguments are the operands from `first` on."""
        args = op.args[first:]
        node, result = Node(), self.of(op.results[0])
        self.graph.add(node, holder)
        if name not in _BLIND:
            self.effects.ask(node)
        for value in args:
            if name not in _BLIND:
                self.ask(value)
            if cls in SETS:
                self.walks.elements.method(node, name, self.of(value))
            if name in _PLAIN_KEY:
                self.when_foreign(value, lambda: self.graph.compared(holder))
        if name not in _READING:
            self.effects.write(node, name)
            for value in args:
                self.graph.store(node, ITEMS, self.of(value))
                self.graph.store(node, KEYS, self.of(value))
                self._pour_into(node, value)
                items = Node()
                self.graph.iterate(self.of(value), items)
                self._items_of_items(items, node)
        for value in args if name in ("get", "pop", "setdefault") else ():
            self.graph.flow(self.of(value), result)
        if name in _GIVING:
            self.graph.load(node, ITEMS, result)
        elif name in _COPYING:
            self._copied(op, node, name, args, cls)

    def _items_of_items(self, items: Node, node: Node) -> None:
        """`update` takes pairs."""
        parts = Node()
        self.graph.iterate(items, parts)
        self.graph.store(node, ITEMS, parts)
        self.graph.store(node, KEYS, parts)

    def _copied(self, op: Operation, node: Node, name: str, args: Sequence[int], cls: type) -> None:
        """What gives a new container, or a view, with the items of the old one."""
        made = self.result(op, cls if name == "copy" else None)
        if name == "copy":
            self.graph.absorb(node, made)
            return
        target = made
        if name in ("items", "popitem"):
            target = self.made(op, tuple, "pair")
            self.graph.add(self.graph.field(made, PUT), target)
        if name == "popitem":
            self.graph.add(self.of(op.results[0]), target)
        if name != "keys":
            self.graph.load(node, ITEMS, self.graph.field(target, PUT))
        if name != "values":
            self.graph.load(node, KEYS, self.graph.field(target, PUT))
        for value in args:
            self.pour(value, target)

    def _builtin(self, op: Operation, function: object) -> bool:
        """A builtin of which it is known what becomes of its arguments."""
        args = op.args[1:]
        if function in _ASKING:
            for value in args:
                self.ask(value)
            if function is type:
                for value in args:
                    self.graph.watch(self.of(value), lambda site: self._class_of(op, site))
            return True
        if function in (bisect.bisect_left, bisect.bisect_right) and args:
            for value in args:
                self.ask(value)
                self.when_foreign(value, lambda: self.graph.watch(self.of(args[0]), self.graph.compared))
            return True
        if function in _GATHERING and (len(args) == 1 or function is zip):
            self._gather(op, function)
            return True
        if function is object.__new__:
            cls = self.constants.get(args[0]) if args else None
            self.result(op, cls if is_a(cls, type) else None)
            return True
        if is_a(function, type) and _runs_init_only(function):
            self._make(op, function)
            return True
        return False

    def _class_of(self, op: Operation, site: Site) -> None:
        self.graph.add(self.of(op.results[0]), OUTSIDE if site.cls is None else self.graph.static(site.cls))

    def _make(self, op: Operation, cls: type) -> None:
        """An exception, or an object of an own class."""
        made = self.result(op, cls)
        self._keep(op, made)
        init = class_lookup(cls, "__init__")
        if type(init) is FunctionType:
            self._call_function(op, init, made)

    def _gather(self, op: Operation, function: object) -> None:
        made = self.result(op, _GATHERED.get(function))
        target = made
        if function in _PAIRING and function is not dict:
            target = self.made(op, tuple, "pair")
            self.graph.add(self.graph.field(made, PUT), target)
        for value in op.args[1:]:
            if function in SETS:
                self.walks.elements.gather(self.of(value))
            else:
                self.ask(value)
            self.pour(value, target)
            if function in (dict, sum):  # the items of the items
                self.graph.absorb(self.of(value), made)
                items, node = Node(), Node()
                self.graph.iterate(self.of(value), items)
                self.graph.add(node, made)
                self._items_of_items(items, node)
            if function in (max, min, next, sum):
                self.graph.iterate(self.of(value), self.of(op.results[0]))


def _has_slices(site: Site) -> bool:
    """May several items of this be replaced by what a walk over another object gives?"""
    return site is not OUTSIDE and not (site.cls is not None and issubclass(site.cls, dict))


def _runs_init_only(cls: type) -> bool:
    """Does a call of this class run no code but its `__init__`?"""
    if type(cls) is not type:
        return False
    if issubclass(cls, BaseException):
        if issubclass(cls, StopIteration):  # keeps its argument as `value`, too
            return False
        return plain_exception_class(cls) or exception_made_plainly(cls)
    init = class_lookup(cls, "__init__")
    return (
        cls.__new__ is object.__new__
        and cls.__module__ != "builtins"
        and class_lookup(cls, "__del__") is MISSING
        and (type(init) is FunctionType or init is object.__init__)
    )
