"""Partially static structures: dicts, lists and tuples of which the shape can be known while what they hold is not.

    env = {"x": x}                       the names are known where `name` and `target` are: the specializer keeps
    for target, name in program:         one variable for each name, and no dict
        env[target] = env[name] + 1

A *web* is a set of values that flow into each other: through copies, block parameters and the parameters of functions
that are called by `invoke`.  A web may be split if each use of each of its values is understood: it reads or changes
an item, asks for the size or for a name, makes a copy, passes the structure on inside the web, or returns it for good.

Invariant: in a web that something changes each object has one name at a time, so that a change under one name is seen
by no other; what is returned, and so becomes an ordinary object, was made in the function that returns it; and where an
exception is caught, no structure is in use that the protected block changes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from futamura.analysis.dependence import arguments_of_parameters
from futamura.ir.attributes import FunctionAttr
from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Function, Operation, Program, Value
from futamura.ir.liveness import Liveness, end_uses

__all__ = ["NOTHING", "Access", "Structures", "dict_parts", "starred", "structures_of"]

_CHANGES: Final = frozenset({"store", "drop", "put", "append", "pop"})
_MAKES: Final = frozenset({"make", "cons", "rest", "copy", "add"})
"""Their results are structures."""
_ITEMS: Final = frozenset({"item", "unpack", "get", "pop"})
"""Their results are items."""

_ON_ALL: Final = {("getitem", 0): "item", ("truth", 0): "size", ("not", 0): "size"}
_ON: Final[dict[str, dict[tuple[str, int], str]]] = {
    "tuple": {
        **_ON_ALL, ("car", 0): "item", ("cdr", 0): "rest", ("cons", 1): "cons", ("null", 0): "size", ("add", 0): "add",
        ("add", 1): "add", ("unpack", 0): "unpack", ("show", 0): "shown", ("tuple", -1): "make",
    },
    "list": {
        **_ON_ALL, ("setitem", 1): "store", ("delitem", 0): "drop", ("list_append", 0): "append",
        ("unpack", 0): "unpack",
    },
    "dict": {
        **_ON_ALL, ("setitem", 1): "store", ("delitem", 0): "drop", ("dict_put", 0): "put", ("in", 1): "has",
        ("not_in", 1): "has", ("dict", -1): "make",
    },
}  # fmt: skip
"""By the kind of a structure: what an operator does to an operand at a position, -1 where it is starred."""

_METHODS: Final[dict[str, dict[str, tuple[int, int]]]] = {
    "tuple": {}, "list": {"append": (1, 1), "pop": (0, 1), "copy": (0, 0)},
    "dict": {"get": (1, 2), "pop": (1, 2), "copy": (0, 0)},
}  # fmt: skip
"""The methods that are understood, with the least and the largest number of arguments."""

_SELECTING: Final = frozenset({"copy", "const", "getitem", "car", "cdr", "unpack", "iter", "getattr"})
"""What they give is a part of their first operand, or a constant."""

_COPIES: Final[dict[str, type]] = {"dict": dict, "list": list}


class Access(NamedTuple):
    """What an operation does with a structure."""

    kind: str
    on: Value
    """The structure; the result, where one is made of nothing."""
    keys: tuple[Value, ...] = ()
    """The operands that have to be known."""
    method: str = ""

    @property
    def changes(self) -> bool:
        return self.kind in _CHANGES

    @property
    def gives_items(self) -> bool:
        return self.kind in _ITEMS

    @property
    def makes(self) -> bool:
        return self.kind in _MAKES


class Structures(NamedTuple):
    """The webs of a program that may be split."""

    web: dict[tuple[str, Value], int]
    """For each value of a function its web."""
    kind: dict[int, str]
    """For each web the class of its structures."""
    access: dict[tuple[str, int], Access]
    """For each operation of a function, by its id, what it does with a structure."""
    written: frozenset[tuple[str, int]]
    """The parameters, by position, whose structures a function changes."""
    steady: frozenset[tuple[str, int]]
    """Changes that change no shape: an item of a list, or a name that is there from the beginning and never goes."""
    few: frozenset[int]
    """The webs of dicts whose names are parts of inputs and constants: they are finitely many."""


NOTHING: Final = Structures({}, {}, {}, frozenset(), frozenset(), frozenset())


def structures_of(program: Program) -> Structures:
    """The structures of the program that may be split."""
    if not any(op.name in ("dict", "list", "tuple", "cons") for f in program.functions for op in f.operations()):
        return NOTHING
    return _Search(program).found()


class _Facts:
    """What is needed of a function."""

    def __init__(self, function: Function) -> None:
        self.function: Final = function
        self.arguments: Final = arguments_of_parameters(function)
        self.constants: Final = {
            op.results[0]: op.attr.value
            for op in function.operations()
            if op.name == "const" and isinstance(op.attr, Constant)
        }
        self.methods: Final = {op.results[0]: op for op in function.operations() if op.name == "getattr"}
        self.by_id: Final = {op.id: op for op in function.operations()}
        self.made: Final = {result: op for op in function.operations() for result in op.results}
        self.users: Final[dict[Value, list[Operation]]] = {}
        for operation in function.operations():
            for value in dict.fromkeys(operation.args):
                self.users.setdefault(value, []).append(operation)
        self.passed: Final[dict[Value, list[Value]]] = {}
        for param, sources in self.arguments.items():
            for value in dict.fromkeys(value for _, value in sources):
                self.passed.setdefault(value, []).append(param)
        self.uses: Final[dict[Value, int]] = {}
        for block in function.blocks:
            edges = [block.handler.args] if block.handler is not None else []
            for values in (*(op.args for op in block.ops), tuple(end_uses(block.terminator)), *edges):
                for value in values:
                    self.uses[value] = self.uses.get(value, 0) + 1

    def constant(self, value: Value) -> object:
        return self.constants.get(value, self)

    @functools.cached_property
    def computed(self) -> set[Value]:
        """The values that are neither parameters of the function nor constants, nor parts of these on every way."""
        below: dict[Value, list[Value]] = {}
        for block in self.function.blocks:
            end = block.terminator
            if end.name == "next":
                below.setdefault(end.args[0], []).append(self.function.blocks[end.edges[0].target].params[0])
        found: set[Value] = set()
        for op in self.function.operations():
            if op.name not in _SELECTING:
                found.update(op.results)
            for value in op.args if op.name == "copy" else op.args[:1]:
                below.setdefault(value, []).extend(op.results)
        work = sorted(found)
        while work:
            value = work.pop()
            for other in (*below.get(value, ()), *self.passed.get(value, ())):
                if other not in found:
                    found.add(other)
                    work.append(other)
        return found


def starred(operation: Operation) -> tuple[bool, ...]:
    """For each operand of a display, or for each pair of a dict's, whether it is spread."""
    flags: Any = operation.attr
    if operation.name == "dict":
        return tuple(flags) if flags else (False,) * (len(operation.args) // 2)
    return tuple(flags) if flags else (False,) * len(operation.args)


def dict_parts(operation: Operation) -> Iterator[tuple[Value | None, Value]]:
    """The (name, item) of a dict display; the name is None before a dict that is spread."""
    args = iter(operation.args)
    for star in starred(operation):
        yield (None, next(args)) if star else (next(args), next(args))


_Node = tuple[str, Value]


class _Search:
    """Values that may be structures, first optimistically; then webs with a use that is not understood go."""

    def __init__(self, program: Program) -> None:
        self.program: Final = program
        self.facts: Final = {function.name: _Facts(function) for function in program.functions}
        self.kind: Final[dict[_Node, str]] = {}
        self.parent: Final[dict[_Node, _Node]] = {}
        self.access: Final[dict[tuple[str, int], Access]] = {}
        self.bad: Final[set[_Node]] = set()
        self.work: Final[list[_Node]] = []

    def found(self) -> Structures:
        for name, facts in self.facts.items():
            for op in facts.function.operations():
                self._origin(name, facts, op)
        while self.work:
            self._follow(self.work.pop())
        for name, facts in self.facts.items():
            self._uses(name, facts)
        written = self._written()
        self._check_changes(written)
        return self._result(written)

    # ------------------------------------------------------------ webs

    def _add(self, node: _Node, kind: str) -> None:
        if node not in self.kind:
            self.kind[node] = kind
            self.parent[node] = node
            self.work.append(node)
        elif self.kind[node] != kind:
            self.bad.add(node)

    def _root(self, node: _Node) -> _Node:
        while self.parent[node] != node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def _link(self, node: _Node, other: _Node) -> None:
        self._add(other, self.kind[node])
        if self.kind[node] != self.kind[other]:
            self.bad.update((node, other))
        self.parent[self._root(other)] = self._root(node)

    def _origin(self, name: str, facts: _Facts, op: Operation) -> None:
        if op.name in ("dict", "list", "tuple") and not any(starred(op)):
            self._add((name, op.results[0]), op.name)
        elif op.name == "cons":
            self._add((name, op.results[0]), "tuple")
        elif op.name == "call" and op.attr is None and len(op.args) == 1:
            made = facts.constant(op.args[0])
            if made is dict or made is list:
                self._add((name, op.results[0]), "dict" if made is dict else "list")

    def _follow(self, node: _Node) -> None:
        """Where a structure goes from here."""
        name, value = node
        facts = self.facts[name]
        kind = self.kind[node]
        for param in facts.passed.get(value, ()):
            self._link(node, (name, param))
        for op in facts.users.get(value, ()):
            if op.name == "copy":
                for result, source in zip(op.results, op.args):
                    if source == value:
                        self._link(node, (name, result))
            elif op.name == "invoke":
                for param, source in zip(self.program[str(op.attr)].entry.params, op.args):
                    if source == value:
                        self._link(node, (str(op.attr), param))
            elif op.name == "getattr" and op.attr == "copy" and kind != "tuple":
                for call in facts.users.get(op.results[0], ()):
                    if call.name == "call" and call.args == op.results and call.attr is None:
                        self._add((name, call.results[0]), kind)
            else:
                found = self._access(facts, op, value, kind)
                if found is not None and found.makes:
                    self._add((name, op.results[0]), kind)

    # ------------------------------------------------------------ uses

    def _access(self, facts: _Facts, op: Operation, value: Value, kind: str) -> Access | None:
        """What `op` does with the structure `value`; None if that is not understood."""
        if op.name == "getattr":
            called = op.attr in _METHODS[kind] and self._is_called(facts, op)
            return Access("method", value, (), str(op.attr)) if called else None
        if op.name == "call":
            return self._called(facts, op, value, kind)
        if op.args.count(value) > 1 and op.name != "add":
            return None
        position = op.args.index(value)
        if op.name in ("tuple", "list", "dict"):
            spread = {item for (_, item), star in zip(_parts(op), starred(op)) if star}
            position = -1 if value in spread else position
        what = _ON[kind].get((op.name, position))
        if what is None:
            return None
        if what == "unpack":
            attr: Any = op.attr
            return None if attr[1] else Access(what, value)
        keys: tuple[Value, ...] = ()
        if what == "item" and op.name == "getitem":
            keys = (op.args[1],)
        elif what == "has":
            keys = (op.args[0],)
        elif what == "put" or what == "drop":
            keys = (op.args[1],)
        elif what == "store":
            keys = (op.args[2],)
        elif op.name == "dict":
            keys = tuple([key for key, _ in dict_parts(op) if key is not None])
        return Access(what, value, keys)

    def _is_called(self, facts: _Facts, op: Operation) -> bool:
        """Is a method only called, with arguments that are understood?"""
        method = op.results[0]
        kind = self.kind.get((facts.function.name, op.args[0]))
        calls = [one for one in facts.users.get(method, ()) if one.name == "call" and one.args[0] == method]
        if kind is None or facts.uses.get(method, 0) != len(calls):
            return False
        least, most = _METHODS[kind][str(op.attr)]
        return all(call.attr is None and least <= len(call.args) - 1 <= most for call in calls)

    def _called(self, facts: _Facts, op: Operation, value: Value, kind: str) -> Access | None:
        callee = facts.constant(op.args[0])
        if op.attr is not None or op.args[1:] != (value,):
            return None
        if callee is len:
            return Access("size", value)
        return Access("copy", value) if callee is _COPIES.get(kind) else None

    def _uses(self, name: str, facts: _Facts) -> None:
        """Notes what each operation does, and the structures of which a use is not understood."""
        for op in facts.function.operations():
            method = facts.methods.get(op.args[0]) if op.name == "call" else None
            if method is not None and (name, method.args[0]) in self.kind and op.args[0] not in op.args[1:]:
                self._method(name, op, method)
            if op.results and (name, op.results[0]) in self.kind:
                self._made(name, facts, op)
            for value in dict.fromkeys(op.args):
                if (name, value) not in self.kind or op.name in ("copy", "invoke"):
                    continue
                found = self._access(facts, op, value, self.kind[name, value])
                if found is None:
                    self.bad.add((name, value))
                else:
                    self._note(name, op, found)
        for block in facts.function.blocks:
            self._end(name, facts, block)

    def _note(self, name: str, op: Operation, found: Access) -> None:
        known = self.access.get((name, op.id))
        if known is not None and known.kind != "make" and known != found and op.name != "add":
            self.bad.update(((name, known.on), (name, found.on)))
        if known is None or known.kind == "make":
            keys = (*found.keys, *(known.keys if known is not None else ()))
            self.access[name, op.id] = found._replace(keys=tuple(dict.fromkeys(keys)))

    def _made(self, name: str, facts: _Facts, op: Operation) -> None:
        """A display: its starred operands are structures of the same kind; or a call of the class."""
        kind = self.kind[name, op.results[0]]
        keys = tuple([key for key, _ in dict_parts(op) if key is not None]) if op.name == "dict" else ()
        if op.name in ("dict", "list", "tuple"):
            for (_, item), star in zip(_parts(op), starred(op)):
                if star and self.kind.get((name, item)) != kind:
                    self.bad.add((name, op.results[0]))
        elif op.name != "cons" and not (op.name == "call" and facts.constant(op.args[0]) in (dict, list)):
            return
        if op.name != "call" or len(op.args) == 1:
            self._note(name, op, Access("make", op.results[0], keys))

    def _method(self, name: str, op: Operation, method: Operation) -> None:
        on = method.args[0]
        kind = self.kind[name, on]
        if method.attr not in _METHODS[kind]:
            return
        keys = op.args[1:2] if (kind == "dict" and method.attr != "copy") or method.attr == "pop" else ()
        self._note(name, op, Access(str(method.attr), on, keys, str(method.attr)))

    def _end(self, name: str, facts: _Facts, block: Block) -> None:
        end = block.terminator
        passed = {value for edge in end.edges for value in edge.args}
        for value in dict.fromkeys(end_uses(end)):
            node = (name, value)
            if node not in self.kind or (value in passed and value not in end.args):
                continue
            if end.name != "return" or (self.kind[node] != "tuple" and not self._is_local(facts, value)):
                self.bad.add(node)

    def _is_local(self, facts: _Facts, value: Value) -> bool:
        """Was the structure made in this function, on every way?"""
        seen = {value}
        work = [value]
        for here in work:  # which grows meanwhile
            op = facts.made.get(here)
            if op is not None and op.name != "copy":
                continue
            sources = [v for _, v in facts.arguments.get(here, ())]
            if op is not None:
                sources = [source for result, source in zip(op.results, op.args) if result == here]
            if not sources:
                return False
            for source in sources:
                if source not in seen:
                    seen.add(source)
                    work.append(source)
        return True

    # ------------------------------------------------------------ changes

    def _written(self) -> set[_Node]:
        """The values whose structures are changed under this name, or under one that they get later."""
        found = {(name, access.on) for (name, _), access in self.access.items() if access.changes}
        work = list(found)
        into: dict[_Node, list[_Node]] = {}
        for name, facts in self.facts.items():
            for param, sources in facts.arguments.items():
                into.setdefault((name, param), []).extend((name, value) for _, value in sources)
            for op in facts.function.operations():
                if op.name == "copy":
                    for result, source in zip(op.results, op.args):
                        into.setdefault((name, result), []).append((name, source))
                elif op.name == "invoke":
                    for param, source in zip(self.program[str(op.attr)].entry.params, op.args):
                        into.setdefault((str(op.attr), param), []).append((name, source))
        while work:
            for origin in into.get(work.pop(), ()):
                if origin not in found and origin in self.kind:
                    found.add(origin)
                    work.append(origin)
        return found

    def _check_changes(self, written: set[_Node]) -> None:
        """Structures that are changed have one name at a time; nobody else calls with them; nobody catches."""
        changed = {self._root(node) for node in written}
        outside = {op.attr.name for f in self.program.functions for op in f.operations()
                   if isinstance(op.attr, FunctionAttr)} | {self.program.entry}  # fmt: skip
        for node in list(self.kind):
            name, value = node
            function = self.facts[name].function
            if value in function.entry.params and self.kind[node] != "tuple":
                if name in outside or function.kind != "function":
                    self.bad.add(node)
        owned: dict[str, set[Value]] = {}
        for name, value in self.kind:
            owned.setdefault(name, set()).add(value)
        for name, facts in self.facts.items():
            nodes = owned.get(name)
            if nodes is None:
                continue
            mine = {value for value in nodes if self._root((name, value)) in changed}
            self._check_names(name, facts, mine)
            self._check_handlers(name, facts, nodes, written)
            for param, sources in facts.arguments.items():
                bad = self.kind.get((name, param), "tuple") != "tuple" and any(v not in nodes for _, v in sources)
                if bad:
                    self.bad.add((name, param))
        for name, facts in self.facts.items():
            for op in facts.function.operations():
                if op.name == "invoke":
                    for param, source in zip(self.program[str(op.attr)].entry.params, op.args):
                        node = (str(op.attr), param)
                        if self.kind.get(node, "tuple") != "tuple" and (name, source) not in self.kind:
                            self.bad.add(node)

    def _check_names(self, name: str, facts: _Facts, mine: set[Value]) -> None:
        function = facts.function
        if not mine:
            return
        live = Liveness(function)
        params = set(function.entry.params)
        for op in function.operations():
            if op.name == "copy":
                self.bad.update((name, v) for v in op.args if v in mine and (facts.uses[v] > 1 or v in params))
            elif op.name == "invoke":
                self.bad.update((name, v) for v in op.args if v in mine and op.args.count(v) > 1)
        for block in function.blocks:
            edges = [*block.terminator.edges, *([block.handler] if block.handler is not None else [])]
            for edge in edges:
                for value in edge.args:
                    if value in mine and (
                        edge.args.count(value) > 1 or live.enters(edge.target, value) or value in params
                    ):
                        self.bad.add((name, value))

    def _check_handlers(self, name: str, facts: _Facts, nodes: set[Value], written: set[_Node]) -> None:
        """Where a protected block changes a structure, its handler must not need it, nor a caller get it back."""
        live: Liveness | None = None
        for block in facts.function.blocks:
            if block.handler is None:
                continue
            for op in block.ops:
                for value in self._changed_by(name, op, written):
                    live = live or Liveness(facts.function)
                    needed = value in live.at(block.handler.target, 0) or value in block.handler.args
                    if value in nodes and (needed or value in facts.function.entry.params):
                        self.bad.add((name, value))

    def _changed_by(self, name: str, op: Operation, written: set[_Node]) -> list[Value]:
        if op.name == "invoke":
            params = self.program[str(op.attr)].entry.params
            return [value for param, value in zip(params, op.args) if (str(op.attr), param) in written]
        found = self.access.get((name, op.id))
        return [found.on] if found is not None and found.changes else []

    # ------------------------------------------------------------ the result

    def _result(self, written: set[_Node]) -> Structures:
        bad = {self._root(node) for node in self.bad if node in self.kind}
        self._spread_over_makers(bad)
        numbers: dict[_Node, int] = {}
        web: dict[tuple[str, Value], int] = {}
        kinds: dict[int, str] = {}
        for node in sorted(self.kind):
            root = self._root(node)
            if root not in bad:
                web[node] = numbers.setdefault(root, len(numbers))
                kinds[web[node]] = self.kind[node]
        access = {key: one for key, one in self.access.items() if (key[0], one.on) in web}
        entries = frozenset(
            (name, at)
            for name, facts in self.facts.items()
            for at, param in enumerate(facts.function.entry.params)
            if (name, param) in written and (name, param) in web
        )
        found = Structures(web, kinds, access, entries, frozenset(), frozenset())
        return found._replace(steady=self._steady(found), few=self._few(found))

    def _spread_over_makers(self, bad: set[_Node]) -> None:
        """What becomes a part of a structure that is not split is not split either."""
        pairs = [
            (self._root((name, access.on)), self._root((name, self.facts[name].by_id[number].results[0])))
            for (name, number), access in self.access.items()
            if access.makes and (name, self.facts[name].by_id[number].results[0]) in self.kind
        ]
        size = -1
        while size != len(bad):
            size = len(bad)
            bad.update([source for source, made in pairs if made in bad])

    def _steady(self, found: Structures) -> frozenset[tuple[str, int]]:
        """Stores at constant names that each display of the web has, where no name ever goes."""
        names: dict[int, set[Constant]] = {}
        losing: set[int] = set()
        for (name, number), access in found.access.items():
            web = found.web[name, access.on]
            facts = self.facts[name]
            if access.kind in ("drop", "pop"):
                losing.add(web)
            if access.makes:
                made = facts.by_id[number].results[0]
                whole = access.kind == "make" and made == access.on
                shown = {Constant(facts.constants[key]) for key in access.keys if whole and key in facts.constants}
                target = found.web.get((name, made), -1)
                names[target] = names[target] & shown if target in names else shown
        steady: set[tuple[str, int]] = set()
        for (name, number), access in found.access.items():
            web = found.web[name, access.on]
            if access.kind == "store" and found.kind[web] == "list":
                steady.add((name, number))
            elif access.kind in ("store", "put") and web not in losing:
                key = access.keys[0]
                constants = self.facts[name].constants
                if key in constants and Constant(constants[key]) in names.get(web, ()):
                    steady.add((name, number))
        return frozenset(steady)

    def _few(self, found: Structures) -> frozenset[int]:
        few = {web for web, kind in found.kind.items() if kind == "dict"}
        taken: list[tuple[int, int]] = []
        for (name, number), access in found.access.items():
            web = found.web[name, access.on]
            if access.makes:
                made = found.web.get((name, self.facts[name].by_id[number].results[0]), -1)
                taken.append((web, made))
                web = made
            if access.kind in ("make", "store", "put"):
                if not self.facts[name].computed.isdisjoint(access.keys):
                    few.discard(web)
        size = -1
        while size != len(few):
            size = len(few)
            few.difference_update([made for source, made in taken if source not in few])
        return frozenset(few)


def _parts(operation: Operation) -> Iterator[tuple[Value | None, Value]]:
    """The operands of a display with their names, where they have names."""
    if operation.name == "dict":
        yield from dict_parts(operation)
    elif operation.name in ("list", "tuple"):
        for value in operation.args:
            yield None, value
