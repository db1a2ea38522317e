"""Functions that are only there to be called while modules are imported: what they fill is complete by then.

    OPS = {}
    def op(name):                       op is used as a decorator, at module level, or by functions of this kind,
        def deco(function):             and nowhere else
            OPS[name] = function
            return function
        return deco

    @op("add")
    def add(stack): ...

    def unary(name, function):          unary is called at module level, and nowhere else
        op(name)(lambda x: function(x))

    for name in NAMES: unary(name, NAMES[name])

Hooks that Python calls for a new class count as well: `__init_subclass__`, `__set_name__`, `__new__` and `__init__` of
metaclasses; and constructors of a class that the text makes no objects of later.

A function inside of them that is kept (a wrapper, a setter) may be called at any time: it is none of them.

Invariant: each use of such a function in the text calls it, or decorates with it, outside of all functions or while
another such function runs; and something outside of all functions starts them.
That it is used so in other modules is not seen, nor that one of them which calls others is run later (`run(...)` for a
demonstration): who believes what was filled in has to test it, and to ask (`directly_registering`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from futamura.analysis.creating import is_metaclass
from futamura.analysis.reading import parts
from futamura.analysis.trees import every
from futamura.analysis.uses import FUNCTIONS, Home, Use, uses

__all__ = ["directly_registering", "keeps_types", "registering_functions"]

_HOOKS: Final = frozenset({"__init_subclass__", "__set_name__"})
_MAKING: Final = frozenset({"__new__", "__init__", "__prepare__"})
"""The hooks of metaclasses."""
_CONSTRUCTORS: Final = frozenset({"__init__", "__post_init__"})
_DEFINING: Final = (*FUNCTIONS, ast.ClassDef)
_CALLING: Final = frozenset({"decorator", "decorating", "called"})
_Definition: TypeAlias = "ast.FunctionDef | ast.Lambda"


def registering_functions(tree: ast.Module, users: Sequence[ast.Module] = ()) -> list[ast.AST]:
    """The definitions of these functions; of functions inside of them those that do nothing but decorate, or that only
    they call.  `users` are other texts that use them."""
    return _Text(tree, users).settled()


def directly_registering(tree: ast.Module) -> tuple[list[ast.AST], list[ast.AST]]:
    """Those of them that no function calls; and those that call others of them."""
    text = _Text(tree, ())
    text.settled()
    calling = text.calling()
    text.direct = True
    return text.settled(), calling


class _Candidate(NamedTuple):
    """A function that may be one of these."""

    node: _Definition
    kind: str
    """"function", "method"; "hook", which Python calls; "constructor" of a class; "inner" of another function; "given",
    a lambda that `parent` gives back."""
    uses: Sequence[Use]
    """Of its name; of that of the class, if Python calls it."""
    parent: Home


class _Given(NamedTuple):
    """What a function gives back, where that is called at once, by identity."""

    itself: frozenset[int]
    """Functions, by their names or as lambdas; also those in `partial(function, ...)`."""
    called: frozenset[int]
    """The names of functions that make what is given back."""


class _Text:
    """The functions of a text that may be such, and which of them are still believed to be."""

    def __init__(self, tree: ast.Module, users: Sequence[ast.Module]) -> None:
        self._uses: Final[dict[tuple[Home, str], list[Use]]] = {}
        for use in uses(tree):
            self._uses.setdefault((use.owner, use.name), []).append(use)
        for use in (use for user in users for use in uses(user) if use.owner is None):
            self._uses.setdefault((None, use.name), []).append(use._replace(kind="class"))
        self._asks_by_texts: Final = any(map(_asks_by_text, every(tree)))
        """Are methods called by names that are put together?"""
        self._defined: Final = frozenset(node.name for node in every(tree) if isinstance(node, _DEFINING))
        self.candidates: Final = {id(one.node): one for one in self._candidates(tree)}
        self._returned: Final = frozenset[int]().union(
            *(_given_back(one.node, self._defined, plain=False).itself for one in self.candidates.values())
        )
        self._given: Final = {
            place: _given_back(one.node, self._defined, plain=any(map(self._is_plain, one.uses)))
            for place, one in self.candidates.items()
        }
        self.believed = frozenset(self.candidates)
        """Those that are believed to run on import only."""
        self._at_once = frozenset(self.candidates)
        """Those whose results, as far as they are in `_given`, are believed to be called at once."""
        self.direct = False
        """Are only those wanted that no function calls?"""

    def settled(self) -> list[ast.AST]:
        self._settle()
        found = self.candidates.items()
        return [one.node for place, one in found if place in self.believed or self._is_made_elsewhere(one)]

    def calling(self) -> list[ast.AST]:
        """Those that call another one, or themselves."""
        found = {id(use.during) for one in self._believed() for use in one.uses if use.way in _CALLING}
        return [one.node for one in self._believed() if id(one.node) in found]

    def _believed(self) -> list[_Candidate]:
        return [one for place, one in self.candidates.items() if place in self.believed]

    def _candidates(self, tree: ast.Module) -> Iterator[_Candidate]:
        """A walk through what is outside of all functions, and from there into functions."""
        constructors = _constructors(tree)
        work: list[tuple[ast.AST, ast.ClassDef | None, Home]] = [(part, None, None) for part in tree.body]
        while work:
            node, cls, parent = work.pop()
            if isinstance(node, ast.FunctionDef):
                kind = "inner" if parent is not None else "function" if cls is None else "method"
                key = node.name
                if parent is None and id(node) in constructors:
                    kind, key = "constructor", constructors[id(node)]
                elif parent is None and (node.name in _HOOKS or (cls is not None and _is_making(node, cls))):
                    kind, key = "hook", cls.name if cls is not None and node.name not in _HOOKS else ""
                elif node.name.startswith("__") and node.name.endswith("__"):
                    continue  # it is called without its name
                if not _is_suspended(node) and not (kind == "method" and self._asks_by_texts):
                    known = self._uses.get((parent, key), ())
                    if kind == "function":  # who stores it as an attribute uses its name otherwise, too
                        known = [use for use in known if use.kind != "attribute"]
                    if kind == "hook" and not key:  # Python calls it, and `super().__init_subclass__()` does
                        known = [use for use in self._uses.get((None, node.name), ()) if not _of_super(use.node)]
                    yield _Candidate(node, kind, known, parent)
                    yield from (_Candidate(one, "given", (), node) for one in _lambdas(node))
                    work.extend((part, None, node) for part in node.body)
            elif isinstance(node, ast.ClassDef):
                work.extend((part, node, None) for part in node.body if parent is None)
            elif not isinstance(node, (*FUNCTIONS, ast.Lambda)):
                work.extend((part, cls, parent) for part in ast.iter_child_nodes(node))

    def _is_plain(self, use: Use) -> bool:
        """May what it gives here be kept, as what a decorator gives is?"""
        return use.way == "decorator" or id(use.node) in self._returned

    def _settle(self) -> None:
        """Take out what does not run on import only, until all others do if all others do and something starts them."""
        while True:
            before = self.believed, self._at_once
            at_once = (place for place in self._at_once if all(map(self._uses_at_once, self.candidates[place].uses)))
            self._at_once = frozenset(at_once)
            self.believed = frozenset(place for place in self.believed if self._is_fine(self.candidates[place]))
            if before == (self.believed, self._at_once):
                self.believed = self._started()
                if self.believed == before[0]:
                    return

    def _is_made_elsewhere(self, one: _Candidate) -> bool:
        """Is it the constructor of a class that the text only asks for what it has?"""
        return one.kind == "constructor" and bool(one.uses) and all(use.way == "asked" for use in one.uses)

    def _is_fine(self, one: _Candidate) -> bool:
        if one.kind == "given":
            return self._gives(one.parent, one.node)
        harmless = {"hook": ("asked", "base", "metaclass"), "constructor": ("asked",)}.get(one.kind, ())
        return all(use.way in harmless or self._is_start(use) for use in one.uses)

    def _is_start(self, use: Use) -> bool:
        """Does this use call the function, on import only?"""
        if use.way in _CALLING:
            return use.during is None or (id(use.during) in self.believed and not self.direct)
        return self._gives(use.during, use.node)

    def _gives(self, function: Home, node: ast.AST) -> bool:
        """Is this what a function gives back that is called at once then?"""
        place = id(function)
        return place in self.believed and place in self._at_once and id(node) in self._given[place].itself

    def _uses_at_once(self, use: Use) -> bool:
        """Is what the function gives here called at once, or kept by a decorator that got a function?"""
        if use.way in ("decorator", "decorating") or self._gives(use.during, use.node):
            return True
        place = id(use.during)
        return use.way == "called" and place in self._at_once and id(use.node) in self._given[place].called

    def _started(self) -> frozenset[int]:
        """Those believed ones that something outside of all functions starts."""
        started: set[int] = set()
        waiting = [one for place, one in self.candidates.items() if place in self.believed]
        while True:
            found = [one for one in waiting if self._is_started(one, started)]
            if not found:
                return frozenset(started)
            started.update(id(one.node) for one in found)
            waiting = [one for one in waiting if id(one.node) not in started]

    def _is_started(self, one: _Candidate, started: set[int]) -> bool:
        if one.kind in ("hook", "given"):
            return one.kind == "hook" or id(one.parent) in started
        other = {"method": "name", "function": "attribute"}.get(one.kind)
        return any(
            use.kind != other and use.way != "asked" and (use.during is None or id(use.during) in started)
            for use in one.uses
        )


def _of_super(node: ast.AST) -> bool:
    """Is this an attribute of `super()`?"""
    value = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(value, ast.Call) and getattr(value.func, "id", "") == "super"


def _asks_by_text(node: ast.AST) -> bool:
    """Is this `getattr(x, name)` with a name that the text does not say?"""
    if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "getattr" or len(node.args) < 2:
        return False
    return not isinstance(node.args[1], ast.Constant)


def _constructors(tree: ast.Module) -> Mapping[int, str]:
    """By identity the constructors of classes whose objects are only made where the class is called, with its name."""
    nodes = every(tree)
    found: dict[int, str] = {}
    copying = {name for node in nodes for name in _copying_modules(node)}
    if any(_makes_again(node, copying) for node in nodes) or keeps_types(nodes):
        return found
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    for cls in nodes:
        if isinstance(cls, ast.ClassDef) and not is_metaclass(cls):
            plain = all(getattr(one, "id", getattr(one, "attr", "")) == "dataclass" for one in cls.decorator_list)
            if plain and not any(map(_makes_own, _with_bases(cls, classes))):
                found.update((id(one), cls.name) for one in cls.body if getattr(one, "name", "") in _CONSTRUCTORS)
    return found


def _with_bases(cls: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """A class and those of the text that it extends, and its metaclass."""
    found = [cls]
    for one in found:  # it grows
        above = [*one.bases, *(word.value for word in one.keywords)]
        named = (classes.get(getattr(base, "id", "")) for base in above)
        found.extend(base for base in named if base is not None and base not in found)
    return found


def _makes_own(cls: ast.ClassDef) -> bool:
    """May a method of this class call the class, whatever that is, which it gets as its first parameter?"""
    names = {"cls", "type"}
    for method in cls.body:
        bound = any(getattr(one, "id", "") == "classmethod" for one in getattr(method, "decorator_list", ()))
        if isinstance(method, FUNCTIONS) and (is_metaclass(cls) or bound):
            names.update(one.arg for one in [*method.args.posonlyargs, *method.args.args][:1])
    return not names.isdisjoint(getattr(node, "id", "") for node in ast.walk(cls))


_REACHING: Final = frozenset(
    {"__class__", "__subclasses__", "__mro__", "mro", "__call__", "__reduce__", "__reduce_ex__"}
)
"""Attributes by which a class, or a call of it, is had without its name."""


def _copying_modules(node: ast.AST) -> Iterator[str]:
    """The names under which a text has modules whose `replace` makes an object again."""
    if isinstance(node, ast.Import):
        yield from (one.asname or one.name for one in node.names if one.name in ("dataclasses", "copy"))


def _makes_again(node: ast.AST, copying: Collection[str]) -> bool:
    """May this make an object of any class, or call a constructor of one that exists?"""
    if isinstance(node, ast.Attribute):
        return node.attr == "__class__" or (_is_reaching(node.attr) and not _of_super(node))
    if isinstance(node, ast.Constant):  # `vars(Part)["__init__"](part, 3)`
        return _is_reaching(node.value)
    if isinstance(node, ast.Name):
        return node.id == "__class__"
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute) and getattr(called.value, "id", "") not in copying:
        return False
    return getattr(called, "id", getattr(called, "attr", "")) == "replace"


def _is_reaching(name: object) -> bool:
    return type(name) is str and (name in _REACHING or name in _CONSTRUCTORS)


_LOOKING: Final = frozenset({"isinstance", "issubclass", "get", "str", "repr", "id"})


def keeps_types(nodes: Sequence[ast.AST]) -> bool:
    """Is the class of an object taken for more than to look at it, or to compare it?"""
    looked: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Compare):
            looked.update(map(id, (node.left, *node.comparators)))
        elif isinstance(node, ast.Subscript):
            looked.add(id(node.slice))
        elif isinstance(node, (ast.Attribute, ast.FormattedValue)):
            looked.add(id(node.value))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in _LOOKING:
            looked.update(map(id, node.args))
    calls = (node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "type")
    return any(
        len(call.args) == 1 and id(call) not in looked and not isinstance(call.args[0], _DISPLAYS) for call in calls
    )


_DISPLAYS: Final = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Lambda)
"""What makes objects of builtin classes: `type(None)`."""


def _is_making(function: ast.FunctionDef, cls: ast.ClassDef) -> bool:
    """Does Python call this method of a metaclass for a new class?"""
    return function.name in _MAKING and is_metaclass(cls)


def _is_suspended(function: ast.FunctionDef) -> bool:
    """Does its body run later, or another function in its place?"""
    if any(not _is_binding(decorator) for decorator in function.decorator_list):
        return True
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))


def _is_binding(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("classmethod", "staticmethod")


def _given_back(function: _Definition, defined: Collection[str], *, plain: bool) -> _Given:
    """What this function gives back; the text has these names `defined`.  If it is a `plain` decorator as well, what it
    gives back there is kept: only what it gives back if it gets nothing."""
    values = [value for node in _own_returns(function) for value in parts(node)]
    if plain:
        values = list(_without_function(function))
    calls = [value for value in values if isinstance(value, ast.Call)]
    named = ((one, getattr(one.func, "id", getattr(one.func, "attr", ""))) for one in calls)
    bound = [one for one, name in named if name == "partial" and name not in defined]
    itself = (id(value) for value in (*values, *(one for call in bound for one in call.args[:1])))
    return _Given(frozenset(itself), frozenset(id(one.func) for one in calls))


def _own_returns(function: _Definition) -> Iterator[ast.expr]:
    """What a function gives back, but for functions inside of it."""
    if isinstance(function, ast.Lambda):
        yield function.body
        return
    work: list[ast.AST] = list(function.body)
    while work:
        node = work.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.expr)):
            work.extend(ast.iter_child_nodes(node))


def _without_function(function: _Definition) -> Iterator[ast.expr]:
    """What a function gives back where its first parameter is tested to be None."""
    first = [one.arg for one in [*function.args.posonlyargs, *function.args.args][:1]]
    for node in function.body if isinstance(function, ast.FunctionDef) else ():
        if isinstance(node, ast.Return) and isinstance(node.value, ast.IfExp) and _lacks(node.value.test, first):
            yield node.value.body
        elif isinstance(node, ast.If) and _lacks(node.test, first):
            yield from (one.value for one in node.body if isinstance(one, ast.Return) and one.value is not None)


def _lambdas(function: ast.FunctionDef) -> Iterator[ast.Lambda]:
    """Those that a function gives back."""
    for value in _own_returns(function):
        yield from (part for part in parts(value) if isinstance(part, ast.Lambda))


def _lacks(test: ast.expr, names: Sequence[str]) -> bool:
    """Is this `name is None`?"""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Is):
        return False
    other = test.comparators[0]
    return getattr(test.left, "id", None) in names and isinstance(other, ast.Constant) and other.value is None
