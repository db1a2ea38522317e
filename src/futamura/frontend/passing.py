"""Which arguments are left alone by what they are passed to: functions and classes of a module's text.

    def check(order): return problems(order, SCHEMA)            SCHEMA is left alone if `problems` only reads its
    def check(order): return Validator(SCHEMA).run(order)       parameter, or passes it on to such; if `__init__` keeps
                                                                it as an attribute that all functions only read

They may be those of another module, whose text says the same of its parameters (`Callee`).

Such an object must stay: it is only asked for attributes and methods, and never gives itself away.

Invariant: order does not matter, nor does which branch is taken.  A name that the text binds more than once is no
function.  Attributes count by their names, whatever object has them.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from futamura.analysis.reading import bound_by, parts
from futamura.analysis.trees import every
from futamura.frontend.sources import Changed, Left
from futamura.frontend.walking import SCOPES, is_of_class

__all__ = ["Callee", "Elsewhere", "Parameters", "asks_by_name", "shows_variables"]

_Place: TypeAlias = "tuple[str, str]"
"""A variable: the name of its function (`Validator.__init__`) and its own; an attribute of anything: `("", "rows")`."""
_Definition: TypeAlias = "ast.FunctionDef | ast.ClassDef"


class Callee(NamedTuple):
    """What can be called by a name of a module, and what it leaves alone."""

    positions: list[str]
    """The parameters that arguments at positions fill."""
    keywords: list[str]
    """Those that are filled by name."""
    alone: Mapping[str, frozenset[str]]
    """Those whose argument is only read, with the attributes that keep it."""
    doubtful: Callable[[str], bool]
    """May one of them be changed by what comes from other modules, or be kept elsewhere?"""
    makes: bool
    """Is it a class?"""
    gives: Callable[[str], bool]
    """May results, of its methods if it is a class, be parts of what this parameter gets?"""


Elsewhere: TypeAlias = "Callable[[Mapping[str, object]], Mapping[str, Callee]]"
"""What the globals of another module are called as."""


class Parameters:
    """What the functions and classes of a text do with their arguments.

    `harmless` are the nodes that are only read where they stand; `namespace` has the text's globals.
    """

    def __init__(
        self, tree: ast.Module, harmless: set[int], namespace: Mapping[str, object], elsewhere: Elsewhere
    ) -> None:
        self._nodes: Final = every(tree)
        self._harmless: Final = harmless
        self._namespace: Final = namespace
        self._elsewhere: Final = elsewhere
        self._bound: Final = Counter(name for node in self._nodes for name in bound_by(node))
        self._definitions: Final = {
            one.name: one
            for one in tree.body
            if isinstance(one, (ast.FunctionDef, ast.ClassDef)) and self._bound[one.name] == 1 and _is_plain(one)
        }
        self._scopes: Final = dict(self._all_scopes())
        self._inside: Final = {name: list(ast.walk(scope)) for name, scope in self._scopes.items()}
        self._passed: Final[dict[int, _Place]] = {}
        """Where parts of the text go: arguments, and what variables and attributes get."""
        self._outside: Final[dict[int, tuple[Callee, str]]] = {}
        """Arguments that another module leaves alone, and where they go."""
        self._makes: Final[dict[int, tuple[ast.Call, str]]] = {}
        """Arguments of which an object is made, with the call and the class, if it is one of the text."""
        self._receivers: Final = {id(node.value) for node in self._nodes if isinstance(node, ast.Attribute)}
        self._makes_functions: Final = any(
            isinstance(node, _INNER) and node is not self._scopes[name]
            for name, inside in self._inside.items()
            for node in inside
        )
        """Does a function make others, or a generator, which may give what it was given later?"""
        self._rebinding: Final = any(_rebinds(node, namespace) for node in self._nodes)
        calls = [node for node in _in_functions(tree) if isinstance(node, ast.Call)]
        for call in sorted(calls, key=lambda call: not _passes_table(call, namespace)):
            self._pass(call)
        self._kept()
        self._uses: Final = self._all_uses()
        self._staying: Final = self._greatest(lambda use, staying: self._stays(use, staying))
        self._reading: Final = self._greatest(
            lambda use, reading: use in self._harmless or self._is_fine(use, reading)
        )

    def outside(self) -> dict[int, Left]:
        """The arguments that other modules leave alone, by identity."""
        return {
            node: Left(callee.makes, callee.gives(name))
            for node, (callee, name) in self._outside.items()
            if self._is_fine(node, self._reading)
        }

    def doubtful(self) -> set[int]:
        """Those of them that may not be left alone by what the other modules call."""
        return {node for node, (callee, name) in self._outside.items() if callee.doubtful(name)}

    def left_alone(self) -> set[int]:
        """All arguments that are left alone, by identity."""
        return {node for node in (*self._passed, *self._outside) if self._is_fine(node, self._reading)}

    def callees(self, changed: Changed, possible: Changed) -> dict[str, Callee]:
        """What other modules may call; `changed` tells which parameters are changed, and `possible` which may be."""
        found: dict[str, Callee] = {}
        for definition in self._definitions.values():
            positions, keywords = self._signature(definition)
            places = {name: self._place(definition, name) for name in (*positions, *keywords)}
            makes = isinstance(definition, ast.ClassDef)
            discreet = not isinstance(definition, ast.ClassDef) or self._is_discreet(definition)
            alone = {
                name: self._keeping(place)
                for name, place in places.items()
                if discreet and place in self._reading and not changed.has(*place)
            }
            doubtful = functools.cache(functools.partial(_is_doubtful, possible, places, alone))
            gives = functools.partial(self._gives, definition, changed)
            found[definition.name] = Callee(positions, keywords, alone, doubtful, makes, gives)
        return found

    def _gives(self, definition: _Definition, changed: Changed, name: str) -> bool:
        """May what is passed as `name`, or parts of it, come out of the function, or of methods of the class?"""
        place = self._place(definition, name)
        if not place[0] or self._makes_functions:
            return True
        functions = [definition.name]
        if isinstance(definition, ast.ClassDef):
            functions = [scope for one in self._family(definition) for scope in _methods(one)]
        return any(place in changed.giving(function) for function in functions)

    # -- functions and classes of the text

    def _all_scopes(self) -> Iterator[tuple[str, ast.FunctionDef]]:
        for one in self._definitions.values():
            if isinstance(one, ast.FunctionDef):
                yield one.name, one
            else:
                methods = [part for part in one.body if isinstance(part, ast.FunctionDef)]
                count = Counter(part.name for part in methods)
                yield from ((f"{one.name}.{part.name}", part) for part in methods if count[part.name] == 1)

    def _family(self, cls: ast.ClassDef) -> list[ast.ClassDef]:
        """The class and those that it inherits from; empty if one of them is not in the text."""
        found: list[ast.ClassDef] = []
        one: _Definition | None = cls
        while isinstance(one, ast.ClassDef) and one not in found:
            found.append(one)
            bases = [base for base in one.bases if getattr(base, "id", getattr(base, "attr", "")) not in _EMPTY]
            if not bases:
                return found
            one = self._definitions.get(bases[0].id) if len(bases) == 1 and isinstance(bases[0], ast.Name) else None
        return []

    def _maker(self, cls: ast.ClassDef) -> str | None:
        """The `__init__` that makes instances; "" if that is a dataclass's own, None if it is not known."""
        family = self._family(cls)
        names = {part.name for one in family for part in one.body if isinstance(part, SCOPES[:2])}
        if not family or names & {"__new__", "__setattr__", "__getattribute__"}:
            return None
        for one in family:
            if f"{one.name}.__init__" in self._scopes:
                return f"{one.name}.__init__"
            if one.decorator_list:
                return "" if one is cls and len(family) == 1 and _is_simple_dataclass(one) else None
        return None

    def _signature(self, definition: _Definition) -> tuple[list[str], list[str]]:
        """The parameters that positions fill, and those that keywords fill; none if that is not clear."""
        if isinstance(definition, ast.FunctionDef):
            return _of_function(definition)
        maker = self._maker(definition)
        if maker:
            return _of_method(self._scopes[maker])
        names = [] if maker is None else [getattr(one.target, "id", "") for one in _fields(definition)]
        return names, names

    def _place(self, definition: _Definition, name: str) -> _Place:
        return (definition.name if isinstance(definition, ast.FunctionDef) else self._maker(definition) or ""), name

    # -- where parts of the text go

    def _pass(self, call: ast.Call) -> None:
        """Follow what is passed to functions and classes of this module, or of another."""
        called = self._definitions.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if called is not None:
            for argument, name in _bound_to(call, *self._signature(called)):
                self._lead(parts(argument), self._place(called, name))
                if isinstance(called, ast.ClassDef):
                    self._makes.update((id(part), (call, called.name)) for part in parts(argument))
            return
        home = None if self._rebinding else _home_of(_called(call.func, self._namespace, self._bound))
        if home is not None and home[1] is not self._namespace:
            callees = self._elsewhere(home[1])
            if home[0] in callees:
                self._pass_outside(call, callees[home[0]])

    def _pass_outside(self, call: ast.Call, callee: Callee) -> None:
        for argument, name in _bound_to(call, callee.positions, callee.keywords):
            if name in callee.alone:
                self._outside.update((id(part), (callee, name)) for part in parts(argument))
                self._makes.update((id(part), (call, "")) for part in parts(argument) if callee.makes)

    def _lead(self, nodes: Iterable[ast.expr], place: _Place) -> None:
        self._passed.update((id(part), place) for part in nodes)

    def _kept(self) -> None:
        """`found = rows`, `self.rows = rows`, `super().__init__(rows)`: from now on it is a matter of that place."""
        for name, scope in self._scopes.items():
            cls = self._definitions[name.partition(".")[0]]
            own = scope.args.args[0].arg if name.endswith(".__init__") and scope.args.args else None
            names = {one for found in _of_function(scope) for one in found}
            for node in self._inside[name]:
                for value, target in _assigned(node):
                    if isinstance(target, ast.Name):
                        self._lead(parts(value), (name, target.id))
                    elif own is not None and isinstance(target, ast.Attribute) and _is_named(target.value, {own}):
                        found = [part for part in parts(value) if _is_named(part, names) or isinstance(part, ast.Call)]
                        self._lead(found, ("", target.attr))
                if own is not None and isinstance(node, ast.Call) and _is_super_init(node.func):
                    family = self._family(cls) if isinstance(cls, ast.ClassDef) else []
                    for argument, parameter in _bound_to(node, *self._signature(family[1])) if family[1:] else ():
                        found = [part for part in parts(argument) if _is_named(part, names)]
                        self._lead(found, self._place(family[1], parameter))

    # -- what is only read

    def _all_uses(self) -> dict[_Place, list[ast.AST]]:
        """The places that anything goes to, each with all that is done to what it holds; for what is not understood
        there is a node of its own."""
        uses: dict[_Place, list[ast.AST]] = {}
        for name, scope in self._scopes.items():
            uses.update(((name, one), []) for found in _of_function(scope) for one in found)
        for definition in self._definitions.values():
            uses.update((self._place(definition, name), []) for name in self._signature(definition)[0])
        uses.update((place, []) for place in self._passed.values())
        uses.update((("", kept), []) for callee, name in self._outside.values() for kept in callee.alone[name])
        for name in self._scopes:
            own = [place for place in uses if place[0] == name]
            for node in self._inside[name]:
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    uses.get((name, node.id), []).append(node)
                elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                    uses.get((name, node.target.id), []).append(_SPOILED)
                if shows_variables(node) or isinstance(node, (ast.Global, ast.Nonlocal, ast.ClassDef)):
                    for place in own:
                        uses[place].append(_SPOILED)
        self._use_attributes({name: found for (scope, name), found in uses.items() if not scope})
        return uses

    def _use_attributes(self, uses: dict[str, list[ast.AST]]) -> None:
        for node in _in_functions(self._nodes[0]):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                uses.get(node.attr, []).append(node)
            for start, whole in _spoiled(node):
                for name in [name for name in uses if name == start or (not whole and name.startswith(start))]:
                    uses[name].append(_SPOILED)
        for node in self._nodes:
            if isinstance(node, SCOPES[:2]) and node.name in ("__setattr__", "__getattribute__"):
                for found in uses.values():
                    found.append(_SPOILED)
            names = bound_by(node) if isinstance(node, SCOPES[:2]) else _descriptors(node)
            for name in names:  # a property, perhaps
                uses.get(name, []).append(_SPOILED)

    def _greatest(self, is_fine: Callable[[int, set[_Place]], bool]) -> set[_Place]:
        """The places all of whose uses are fine, if these places are."""
        found = set(self._uses)
        while wrong := {place for place in found if not all(is_fine(id(use), found) for use in self._uses[place])}:
            found -= wrong
        return found

    def _stays(self, use: int, staying: set[_Place]) -> bool:
        """Is an object only asked for what it has, here and where it goes?"""
        return use in self._receivers or (use in self._passed and self._passed[use] in staying)

    def _is_fine(self, node: int, reading: set[_Place]) -> bool:
        if node in self._makes:
            call, cls = self._makes[node]
            definition = self._definitions.get(cls)
            open_hearted = isinstance(definition, ast.ClassDef) and not self._is_discreet(definition)
            if open_hearted or not self._stays(id(call), self._staying):
                return False
        if node in self._passed:
            return self._passed[node] in reading
        return node in self._outside and all(("", kept) in reading for kept in self._keep(node))

    def _keep(self, node: int) -> frozenset[str]:
        """The attributes in which another module keeps this argument."""
        callee, name = self._outside[node]
        return callee.alone[name]

    def _is_discreet(self, cls: ast.ClassDef) -> bool:
        """Do the methods of this class never give away their object?"""
        for one in self._family(cls):
            for part in (part for part in one.body if isinstance(part, SCOPES[:2])):
                first = next(iter((*part.args.posonlyargs, *part.args.args)), None)
                own = first is None or is_of_class(part) or (f"{one.name}.{part.name}", first.arg) in self._staying
                if not own:
                    return False
        return True

    def _keeping(self, place: _Place) -> frozenset[str]:
        """The attributes that keep what is passed there."""
        seen: set[_Place] = set()
        kept: set[str] = set()
        work = [place]
        while work:
            place = work.pop()
            if place not in seen:
                seen.add(place)
                kept.update([] if place[0] else [place[1]])
                for use in self._uses[place]:
                    work.extend([self._passed[id(use)]] if id(use) in self._passed else ())
                    kept.update(self._keep(id(use)) if id(use) in self._outside else ())
        return frozenset(kept)


def _in_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are in a function, those of nested ones once."""
    work = [(part, False) for part in ast.iter_child_nodes(tree)]
    while work:
        node, inside = work.pop()
        if inside:
            yield node
        inside = inside or isinstance(node, SCOPES)
        work.extend((part, inside) for part in ast.iter_child_nodes(node))


def _passes_table(call: ast.Call, namespace: Mapping[str, object]) -> bool:
    """Is an argument a global with contents?"""
    arguments = (*call.args, *(keyword.value for keyword in call.keywords))
    names = (part.id for argument in arguments for part in parts(argument) if isinstance(part, ast.Name))
    return any(type(namespace.get(name)) in (list, dict, set) for name in names)


_INNER: Final = (*SCOPES, ast.Yield, ast.YieldFrom)
_SPOILED: Final = ast.Pass()
"""Stands for what is not understood."""
_EMPTY: Final = frozenset({"object", "ABC", "Protocol"})
"""Classes that do nothing for those that inherit from them."""


def _is_plain(definition: _Definition) -> bool:
    """Does the name stand for the function or the class that is written there?"""
    if isinstance(definition, ast.FunctionDef):
        return not definition.decorator_list
    return not definition.keywords and all(_is_dataclass(one) for one in definition.decorator_list)


def _is_dataclass(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(called, "id", getattr(called, "attr", "")) == "dataclass"


def _is_simple_dataclass(cls: ast.ClassDef) -> bool:
    """Are all fields parameters, in their order?"""
    options = {keyword.arg for one in cls.decorator_list if isinstance(one, ast.Call) for keyword in one.keywords}
    fields = _fields(cls)
    names = {name for one in fields for part in ast.walk(one.annotation) for name in _names_in(part)}
    return (
        options <= {"frozen", "slots", "eq", "order"}
        and not names & {"ClassVar", "InitVar", "KW_ONLY"}
        and all(isinstance(one.target, ast.Name) and not isinstance(one.value, ast.Call) for one in fields)
    )


def _names_in(annotation: ast.AST) -> Iterator[str]:
    yield getattr(annotation, "id", getattr(annotation, "attr", ""))
    if isinstance(annotation, ast.Constant) and type(annotation.value) is str:
        yield from re.findall(r"\w+", annotation.value)


def _fields(cls: ast.ClassDef) -> list[ast.AnnAssign]:
    return [one for one in cls.body if isinstance(one, ast.AnnAssign)]


def _methods(cls: ast.ClassDef) -> Iterator[str]:
    return (f"{cls.name}.{part.name}" for part in cls.body if isinstance(part, SCOPES[:2]))


def _of_function(function: ast.FunctionDef) -> tuple[list[str], list[str]]:
    arguments = function.args
    positions = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    return positions, [one.arg for one in (*arguments.args, *arguments.kwonlyargs)]


def _of_method(method: ast.FunctionDef) -> tuple[list[str], list[str]]:
    """The parameters behind the object that it is called on."""
    positions, keywords = _of_function(method)
    return positions[1:], [name for name in keywords if name not in positions[:1]]


def _bound_to(call: ast.Call, positions: list[str], keywords: list[str]) -> Iterator[tuple[ast.expr, str]]:
    """The arguments of which it is clear which parameter gets them."""
    for argument, name in zip(call.args, positions):
        if isinstance(argument, ast.Starred):
            break
        yield argument, name
    yield from ((one.value, one.arg) for one in call.keywords if one.arg in keywords)


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What the node gives to a variable or an attribute, and this."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        yield node.value, node.targets[0]
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.value, node.target


def _is_named(node: ast.expr, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _is_super_init(callee: ast.expr) -> bool:
    if not isinstance(callee, ast.Attribute) or callee.attr != "__init__" or not isinstance(callee.value, ast.Call):
        return False
    return _is_named(callee.value.func, {"super"}) and not callee.value.args


def _spoiled(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """Attributes that this may change, or give away, by other means than their name behind a dot: the name, or how it
    begins."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
        yield node.target.attr, True
    elif isinstance(node, ast.MatchClass):
        yield from ((name, True) for name in node.kwd_attrs)
        yield from [("", False)] if node.patterns else []
    elif asks_by_name(node) and isinstance(node, ast.Call):
        for one in node.args if getattr(node.func, "id", "") == "attrgetter" else node.args[1:2]:
            start = one.left if isinstance(one, ast.BinOp) else one.values[0] if isinstance(one, ast.JoinedStr) else one
            known = isinstance(start, ast.Constant) and type(start.value) is str
            yield (start.value, start is one) if known else ("", False)  # type: ignore[attr-defined]
    elif shows_variables(node) or getattr(node, "attr", "") == "__dict__":
        yield "", False


def _descriptors(node: ast.AST) -> Iterator[str]:
    """Names that a class gives what a call makes: `rows = Field()`."""
    for one in node.body if isinstance(node, ast.ClassDef) else ():
        for value, target in _assigned(one):
            if isinstance(target, ast.Name) and not isinstance(value, ast.Constant):
                yield target.id


def _called(callee: ast.expr, namespace: Mapping[str, object], bound: Mapping[str, int]) -> object:
    """What is called, if that is a global which is bound once, or an attribute of such a module."""
    if isinstance(callee, ast.Name) and bound.get(callee.id) == 1:
        return namespace.get(callee.id)
    if isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name) and bound.get(callee.value.id) == 1:
        module = namespace.get(callee.value.id)
        return module.__dict__.get(callee.attr) if type(module) is types.ModuleType else None
    return None


def _rebinds(node: ast.AST, namespace: Mapping[str, object]) -> bool:
    """Does this store an attribute of a module, so that its functions may be others?"""
    asked = node.value if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) else None
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("setattr", "delattr", "vars") and node.args:
        asked = node.args[0]
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        asked = node.value
    while isinstance(asked, ast.Attribute):
        asked = asked.value
    return isinstance(asked, ast.Name) and type(namespace.get(asked.id)) is types.ModuleType


def _home_of(value: object) -> tuple[str, Mapping[str, object]] | None:
    """The name of a function or class in its module, and the globals of that; not if they are Python's own."""
    if type(value) is not types.FunctionType and type(value) is not type:
        return None
    name, home = value.__name__, sys.modules.get(str(value.__module__))
    if type(home) is not types.ModuleType or home.__name__.partition(".")[0] in sys.stdlib_module_names:
        return None
    return (name, home.__dict__) if home.__dict__.get(name) is value else None


def _is_doubtful(
    possible: Changed, places: Mapping[str, _Place], alone: Mapping[str, frozenset[str]], name: str
) -> bool:
    """May this parameter, which is left `alone`, be changed, or kept by something else than these attributes?"""
    if name not in alone:
        return False
    return possible.has(*places[name]) or not possible.kept(*places[name]) <= {"." + one for one in alone[name]}


def asks_by_name(node: ast.AST) -> bool:
    """Is this a call that gets the name of an attribute as a text?"""
    called = node.func if isinstance(node, ast.Call) else None
    return getattr(called, "id", getattr(called, "attr", "")) in ("getattr", "setattr", "delattr", "attrgetter")


def shows_variables(node: ast.AST) -> bool:
    """May this give all variables of a function, or all attributes of an object?"""
    return getattr(node, "id", getattr(node, "attr", "")) in ("locals", "vars", "dir", "f_locals")
