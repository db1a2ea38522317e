"""Which objects functions of a module change, by whatever name these have there.

    ROWS = {"a": [1]}
    def add(v): ROWS["a"].append(v)              an item of ROWS is changed
    def first(row): row[0] = 1
    def use(): first(ROWS["a"])                  here too
    def push(v): heappush(ROWS["a"], v)          and here: what other modules do with it is not known

Names are followed through assignments, loops, containers, attributes, calls of functions, methods and classes of the
module, and their results; all that comes out of a global counts as that global.  Order does not matter, nor does which
branch is taken.

Invariant: what the functions of one module do to an item is found if each step is written in that module.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from futamura.analysis.methods import BUILTINS, GIVING, HOLDING, MUTATING, PASSING, PURE_MODULES, READING, WRITING
from futamura.frontend import implied, walking
from futamura.frontend.implied import MAKING, Giving, is_special, receiver
from futamura.frontend.sources import ANY_FIELD, NOTHING, RAISED, Changed, In, Left, Place, Source, Sources, items_of
from futamura.frontend.walking import SCOPES, Scope, acts, defaults, is_of_class, own_nodes, value_nodes

__all__ = ["changed_by_functions"]

_NO_ARGUMENTS: Final[Mapping[int, Left]] = {}
_STORING: Final = ("setattr", "delattr")
_OWN_WAYS: Final = (*_STORING, "super")
_ASKING: Final = ("isinstance", "issubclass")
_STEPPING: Final = ("send", "__next__")
"""Methods of iterators that give items, as those of GIVING do of containers; what `send` gets is not only read."""
_MODULE: Final = ast.Lambda(ast.arguments([], [], None, [], [], None, []), ast.Constant(None))
"""What stands for the code outside of all functions, which has no variables of its own."""


class _Passing(NamedTuple):
    """What a call passes: at each position (out of what has a star), by each keyword (also behind `**`)."""

    positions: tuple[frozenset[Source], ...]
    named: tuple[frozenset[Source], ...]


def changed_by_functions(
    tree: ast.Module,
    without: Collection[ast.AST] = (),
    alone: Mapping[int, Left] = _NO_ARGUMENTS,
    *,
    compared: bool = False,
) -> Changed:
    """What the functions of a module change, but for some of them; `alone` are arguments, by identity, that other
    modules leave alone.  If what is believed is `compared` at each call, functions that objects are given count as
    functions of the module."""
    return _Items(tree, without, alone, compared).run()


class _Items:
    def __init__(self, tree: ast.Module, without: Collection[ast.AST], alone: Mapping[int, Left], lax: bool) -> None:
        self.candidates: Final = frozenset(walking.global_names(tree))
        self.alone: Final = alone
        self.silent: Final = set(map(id, without))
        self.functions: Final = [node for node in ast.walk(tree) if isinstance(node, SCOPES)]
        self.named: Final[dict[str, list[Scope]]] = {}
        for function in self.functions:
            if not isinstance(function, ast.Lambda):
                self.named.setdefault(function.name, []).append(function)
        self.classes: Final = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        self.imported: Final = dict(walking.imported_names(tree))
        self.giving: Final = Giving(self.named)
        self.loose: Final = list(self.loose_functions(tree))
        """Functions of the module that are used as values: any call may be one of them."""
        self.own: Final = {_MODULE: [], **{function: list(own_nodes(function)) for function in self.functions}}
        self.spelled: Final = walking.spell_out(self.own)
        methods = {id(call.func) for call in self.spelled.values()}
        values = [node for node in value_nodes(tree) if id(node) not in methods]
        self.makes_any: Final = any(isinstance(node, ast.Name) and node.id in self.classes for node in values)
        """Is a class of the module used as a value, so that any call may make an instance?"""
        self.foreign: Final = any(walking.is_foreign(node, self.imported) for node in values)
        self.bound: Final = {one: frozenset(walking.bound_names(one, self.own[one])) for one in self.functions}
        self.bound[_MODULE] = frozenset()
        self.plain: Final = set(map(id, walking.attributes_of_self(tree, self.classes, self.own)))
        through_self = list(walking.calls_through_self(self.classes.values(), self.own))
        self.through_self: Final = {id(call) for _, call in through_self}
        self.of_fields: Final = set(map(id, walking.calls_of_fields(through_self, self.own) if lax else ()))
        self.acting: Final = {
            function: [node for node in self.own[function] if acts(node)] for function in self.functions
        }
        self.around: Final = {
            inner: outer for outer in self.functions for inner in self.own[outer] if inner is not outer
        }
        self.kept: Final = frozenset(self.kept_variables())  # their value outlives a call of the function
        self.sources: Final = Sources()
        self.forms: Final[set[tuple[bool | str | None, ...]]] = set()
        """The forms of calls of unknown functions that were met."""
        self.itself: set[str] = set()
        self.changed: set[Source] = set()

    def run(self) -> Changed:
        for function in self.functions:
            self.hold_defaults(function)
            for node in self.acting[function]:
                self.look(function, node)
            if isinstance(function, ast.Lambda):
                self.hold(function, self.of(function, function.body))
            elif function.name in ("__exit__", "__aexit__"):
                self.hold_all(function, frozenset({RAISED}))
        direct = self.with_operands()
        classes, reading = implied.changing_classes(
            self.classes.values(), lambda one, name: (one, name) in direct or In((one, name)) in direct
        )
        for function in filter(is_special, self.functions):  # who calls it does what he likes with its result
            self.changed |= {function, In(function)}
        seen = self.sources.reached(self.changed)
        itself = self.itself.union(one for one in seen if isinstance(one, str))
        parts = (source.source for source in seen if isinstance(source, In))
        items = frozenset(source for source in parts if isinstance(source, str))
        parameters = frozenset(self.parameters(seen))
        return Changed(frozenset(itself), items, classes, reading, parameters, self.giving_parameters)

    def parameters(self, seen: set[Source]) -> Iterator[tuple[str, str]]:
        """The parameters of functions and methods that are among these sources, or what is in them."""
        for name, function in self.by_name():
            for one in (node for node in ast.walk(function.args) if isinstance(node, ast.arg)):
                if (function, one.arg) in seen or In((function, one.arg)) in seen:
                    yield name, one.arg

    def giving_parameters(self, name: str) -> frozenset[tuple[str, str]]:
        """The parameters that the results of a function may come out of."""
        starts = [function for own, function in self.by_name() if own == name]
        return frozenset(self.parameters(self.sources.reached([*starts, *items_of(starts)])))

    def by_name(self) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
        methods = {part: f"{name}." for name, cls in self.classes.items() for part in cls.body}
        for function in self.functions:
            if not isinstance(function, ast.Lambda):
                yield methods.get(function, "") + function.name, function

    def with_operands(self) -> set[Source]:
        """All that is changed, with what special methods change that get it as an operand."""
        seen = self.sources.reached(self.changed)
        waiting = [*implied.special_parameters(self.functions)]
        kinds: set[str] = set()
        while found := [(place, kind) for place, kind in waiting if place in seen or In(place) in seen]:
            self.hold_operands({kind for _, kind in found} - kinds)
            kinds.update(kind for _, kind in found)
            for place, kind in found:
                self.hold(place, frozenset({(None, f"operand of {kind}")}))
            waiting = [one for one in waiting if one not in found]
            seen = self.sources.reached(self.changed)
        return seen

    def hold_operands(self, kinds: set[str]) -> None:
        """Special methods of these kinds may get any operand of theirs, and what is in it."""
        for function in self.functions if kinds else ():
            for kind, one in (pair for node in self.own[function] for pair in implied.operands(node)):
                if kind in kinds:
                    found = self.of(function, one)
                    self.hold((None, f"operand of {kind}"), found | items_of(found))

    # -- what an expression may be

    def of(self, function: Scope, node: ast.AST | None) -> frozenset[Source]:
        """What the value of this expression may be."""
        return self.named_as(function, node) | self.may_be(function, node)

    def named_as(self, function: Scope, node: ast.AST | None) -> frozenset[str]:
        """The name by which this expression gets at an object that outlives the call."""
        if isinstance(node, ast.Name):
            scope = self.scope_of(function, node.id)
            return frozenset({node.id}) if self.outlives(scope, node.id) else frozenset()
        if isinstance(node, ast.Attribute):
            return frozenset({"." + node.attr}) & self.candidates
        if isinstance(node, ast.Call) and (read := self.attribute_of(function, node)) is not None:
            return self.named_as(function, read)
        return frozenset()

    def outlives(self, scope: Scope | None, name: str) -> bool:
        return name in self.candidates if scope is None else (scope, name) in self.kept

    def may_be(self, function: Scope, node: ast.AST | None) -> frozenset[Source]:
        """What the value may be, apart from its name here."""
        if isinstance(node, ast.Name):
            return frozenset({(self.scope_of(function, node.id), node.id)})
        if isinstance(node, ast.Attribute):
            own = self.named.get(node.attr, ())  # a property, perhaps
            held = NOTHING if id(node) in self.plain else self.items(function, node.value)
            return held | {(None, "." + node.attr), ANY_FIELD, *own}
        if isinstance(node, (ast.Await, ast.YieldFrom)):
            return self.of(function, node.value) | self.items(function, node.value)
        if isinstance(node, (ast.Subscript, ast.Starred)):
            return self.items(function, node.value)
        if isinstance(node, ast.NamedExpr):
            return self.of(function, node.value)
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return self.new(node, self.all(function, node.elts))
        if isinstance(node, ast.Dict):
            return self.new(node, self.all(function, node.values))
        if isinstance(node, ast.BoolOp):
            return self.all(function, node.values)
        if isinstance(node, ast.IfExp):
            return self.all(function, (node.body, node.orelse))
        if isinstance(node, ast.BinOp):
            return self.all(function, (node.left, node.right)) | self.giving.of(node)
        if isinstance(node, ast.Compare):
            return self.giving.compared
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return self.new(node, self.of(function, node.elt))
        if isinstance(node, ast.DictComp):
            return self.new(node, self.of(function, node.value))
        if isinstance(node, ast.Lambda):
            return frozenset({node})
        if isinstance(node, ast.Call):
            read = self.attribute_of(function, node)
            return self.result(function, node) | (self.may_be(function, read) if read is not None else NOTHING)
        return NOTHING

    def attribute_of(self, function: Scope, call: ast.Call) -> ast.Attribute | None:
        """What `getattr(x, "rows")` reads, as `x.rows`."""
        named = call.args[1] if len(call.args) > 1 else None
        if not isinstance(call.func, ast.Name) or call.func.id != "getattr" or not isinstance(named, ast.Constant):
            return None
        return (
            ast.Attribute(call.args[0], str(named.value), ast.Load()) if self.is_builtin(function, "getattr") else None
        )

    def items(self, function: Scope, node: ast.AST | None) -> frozenset[Source]:
        """What is taken out of the value of this expression."""
        return items_of(self.of(function, node)) | self.giving.parts

    def new(self, node: ast.AST, held: frozenset[Source]) -> frozenset[Source]:
        """An object that the expression makes, with this in it."""
        self.hold(In(node), held)
        return frozenset({node})

    def all(self, function: Scope, nodes: Iterable[ast.AST | None]) -> frozenset[Source]:
        return NOTHING.union(*(self.of(function, node) for node in nodes))

    def result(self, function: Scope, call: ast.Call) -> frozenset[Source]:
        call = self.spelled.get(id(call), call)
        own = receiver(function)
        if isinstance(call.func, ast.Name) and call.func.id == "super" and not call.args and own is not None:
            return frozenset({(function, own)})
        callees = self.callees(function, call)
        found = NOTHING.union(callees)
        given = self.given(function, call)
        if isinstance(call.func, ast.Attribute):
            if call.func.attr in GIVING or call.func.attr in _STEPPING:
                return found | self.items(function, call.func.value) | given
            own_method = callees and id(call) in self.through_self and not self.is_kept(call.func)
            if call.func.attr in READING or own_method:
                return found
        elif isinstance(call.func, ast.Name):
            if call.func.id in self.classes:
                return found | self.new(call, given)
            if self.is_builtin(function, call.func.id):
                passed = items_of(given) | self.giving.parts if call.func.id in PASSING else NOTHING
                if call.func.id in HOLDING:
                    return found | self.giving.any | self.new(call, passed)
                return found | passed | self.giving.any | self.new(call, passed)
            if call.func.id in self.named:
                return found
        holder = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        named = isinstance(call.func, ast.Attribute) and self.named_as(function, holder)
        if (self.alone or named) and not (callees and isinstance(call.func, ast.Attribute)):
            found |= self.items(function, holder)  # it may give what it holds
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        left = [one for one in arguments if id(one) in self.alone]
        if left:
            given = self.all(function, (one for one in arguments if id(one) not in self.alone))
            found |= items_of(self.all(function, (one for one in left if self.alone[id(one)] == (False, True))))
            self.new(call, self.all(function, (one for one in left if self.alone[id(one)].makes)))
        return found | given | items_of(given) | self.giving.parts | self.giving.any | self.new(call, given)

    def given(self, function: Scope, call: ast.Call) -> frozenset[Source]:
        """All that the callee gets."""
        return self.all(function, (*call.args, *(keyword.value for keyword in call.keywords)))

    def scope_of(self, function: Scope, name: str) -> Scope | None:
        """The function whose variable the name is; None if it is a global."""
        scope: Scope | None = function
        while scope is not None and name not in self.bound[scope]:
            scope = self.around.get(scope)
        return scope

    def kept_variables(self) -> Iterator[Place]:
        """The variables that closures share, and the parameters that have a default."""
        for function in self.functions:
            for node in self.own[function]:
                if isinstance(node, ast.Name) and node.id not in self.bound[function]:
                    scope = self.scope_of(function, node.id)
                    if scope is not None:
                        yield scope, node.id
            yield from ((function, parameter.arg) for parameter, _ in defaults(function))

    def hold_defaults(self, function: Scope) -> None:
        """A parameter may be its default, which the code around the function gives."""
        for parameter, default in defaults(function):
            self.hold((function, parameter.arg), self.of(self.around.get(function, _MODULE), default))

    # -- what a statement does

    def look(self, function: Scope, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.put(function, target, self.of(function, node.value))
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            self.put(function, node.target, self.of(function, node.value))
        elif isinstance(node, ast.AugAssign):
            self.change(function, node.target)
            self.put_in(function, node.target, self.items(function, node.value))
            self.put(function, node.target, frozenset(self.giving.of(node)))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self.put(function, walking.without_key(node, self.named), self.items(function, node.iter))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            entered = self.of(function, node.context_expr)
            self.put(function, node.optional_vars, entered | items_of(entered))
        elif isinstance(node, ast.Match):
            subject = self.of(function, node.subject)
            names = (getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(node))
            for name in names:
                if isinstance(name, str):
                    self.hold((function, name), subject | items_of(subject))
        elif isinstance(node, ast.Raise):
            raised = self.of(function, node.exc)
            if isinstance(node.exc, ast.Call):
                raised |= self.given(function, node.exc)
            self.hold(RAISED, raised)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            self.hold((function, node.name), frozenset({RAISED}))
        elif isinstance(node, ast.Return):
            self.hold(function, self.of(function, node.value))
        elif isinstance(node, ast.Yield):
            self.hold(In(function), self.of(function, node.value))
        elif isinstance(node, ast.YieldFrom):
            self.hold(In(function), self.items(function, node.value))
        elif isinstance(node, ast.Call):
            self.call(function, node)
        if isinstance(node, ast.Attribute):
            self.look_at_method(function, node)
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            self.change(function, node.value)

    def look_at_method(self, function: Scope, node: ast.Attribute) -> None:
        """A method that is called, or may be called later."""
        if node.attr in MUTATING:
            self.change(function, node.value)
        for one in self.named.get(node.attr, ()):
            own = receiver(one)
            if own is not None and not is_of_class(one):
                self.hold((one, own), self.of(function, node.value))

    def call(self, function: Scope, call: ast.Call) -> None:
        callees = self.callees(function, call)
        given = self.given(function, call)
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(call.func, ast.Attribute):
            self.call_method(function, call.func, given, known=bool(callees))
        elif isinstance(call.func, ast.Name) and call.func.id in _STORING and call.args:
            self.change(function, call.args[0])
            self.set_attribute(function, call)
        elif isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) > 1:
            named = call.args[1]
            if isinstance(named, ast.Constant) and named.value in MUTATING:
                self.change(function, call.args[0])
        if not self.is_understood(function, call):
            for argument in (one for one in arguments if id(one) not in self.alone):
                self.change(function, argument)
                if id(function) not in self.silent:
                    self.changed |= self.items(function, argument)
        for passed in arguments:
            if isinstance(passed, ast.Attribute) and passed.attr in MUTATING:  # `map(list.append, ...)`
                self.changed |= given | items_of(given)
            for one in self.function_values(passed) if getattr(call.func, "id", "") not in _ASKING else ():
                self.hold_all(one, given | items_of(given))  # it is called with what is there
        passing = self.passing(function, call)
        if not self.is_unknown(function, call):
            for callee in callees:
                self.hold_arguments(passing, call, callee)
        else:
            self.hold_shared(passing, call, callees)
        if isinstance(call.func, ast.Name) and call.func.id in self.classes:
            for statement in self.classes[call.func.id].body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    self.hold((None, "." + statement.target.id), given)

    def set_attribute(self, function: Scope, call: ast.Call) -> None:
        """`setattr(x, name, value)`: any attribute may be the value, if the name is not known."""
        held = self.all(function, call.args[2:])
        named = call.args[1] if len(call.args) > 1 else None
        if isinstance(named, ast.Constant):
            self.put(function, ast.Attribute(call.args[0], str(named.value), ast.Store()), held)
            return
        self.put_in(function, call.args[0], held)
        self.hold(ANY_FIELD, held)
        for one in self.functions:
            if not isinstance(one, ast.Lambda) and any(isinstance(by, ast.Attribute) for by in one.decorator_list):
                self.hold_all(one, held)  # the setter of a property, perhaps

    def call_method(self, function: Scope, method: ast.Attribute, given: frozenset[Source], *, known: bool) -> None:
        module = self.module_of(function, method.value)
        if module is not None or method.attr in READING:
            return
        if method.attr in MUTATING or not known:
            self.change(function, method.value)
            self.put_in(function, method.value, given)

    def is_understood(self, function: Scope, call: ast.Call) -> bool:
        """Is all that the call does to its arguments done by functions of this module, or nothing?"""
        callee = call.func
        if isinstance(callee, ast.Attribute):
            module = self.module_of(function, callee.value)
            if module is not None:
                return module in PURE_MODULES and callee.attr not in WRITING
            if isinstance(callee.value, ast.Name) and self.is_builtin(function, callee.value.id):
                return callee.attr not in MUTATING  # `list.append(rows, x)`
            own = id(call) in self.of_fields and not self.foreign if self.is_kept(callee) else callee.attr in self.named
            return own or callee.attr in READING or callee.attr in MUTATING
        if isinstance(callee, ast.Name) and self.scope_of(function, callee.id) is None:
            if callee.id in self.imported:
                module, _, name = self.imported[callee.id].rpartition(".")
                return module in PURE_MODULES and name not in WRITING
            named = callee.id in self.named or callee.id in self.classes or callee.id in _STORING
            if named or self.is_builtin(function, callee.id):
                return True
        return isinstance(callee, ast.Lambda) or not self.foreign

    def is_kept(self, callee: ast.expr) -> bool:
        """May what is called be any function, which an object keeps in this attribute?"""
        return isinstance(callee, ast.Attribute) and "." + callee.attr in self.candidates

    def is_builtin(self, function: Scope, name: str) -> bool:
        if name in self.named or name in self.classes or name in self.imported or name not in BUILTINS:
            return False
        return self.scope_of(function, name) is None

    def module_of(self, function: Scope, node: ast.expr) -> str | None:
        """The module that this expression is, if it is one."""
        if isinstance(node, ast.Name) and self.scope_of(function, node.id) is None:
            return self.imported.get(node.id)
        if isinstance(node, ast.Attribute):
            outer = self.module_of(function, node.value)
            return f"{outer}.{node.attr}" if outer is not None else None
        return None

    def is_unknown(self, function: Scope, call: ast.Call) -> bool:
        """Is what is called no function that has a name here, so that it may be any that is used as a value?"""
        callee = call.func
        if isinstance(callee, ast.Name):
            known = callee.id in self.named or callee.id in self.classes or callee.id in self.imported
            return not (known or callee.id in _OWN_WAYS or self.is_builtin(function, callee.id))
        return not isinstance(callee, (ast.Lambda, ast.Attribute)) or self.is_kept(callee)

    def callees(self, function: Scope, call: ast.Call) -> list[Scope]:
        callee = call.func
        if isinstance(callee, ast.Lambda):
            return [callee]
        if isinstance(callee, ast.Attribute) and not self.is_kept(callee):
            return self.named.get(callee.attr, [])
        if isinstance(callee, ast.Name):
            if callee.id in self.named:
                return self.named[callee.id]
            if callee.id in self.classes:
                return self.constructors_of(callee.id)
            if self.is_builtin(function, callee.id) or callee.id in self.imported or callee.id in _OWN_WAYS:
                return []
            if implied.is_own_class(function, callee.id, self.own[function]):  # `cls()`
                return self.constructors()
        own = self.named.get(callee.attr, ()) if isinstance(callee, ast.Attribute) else ()
        return [*own, *self.loose, *(self.constructors() if self.makes_any else ())]

    def constructors_of(self, name: str) -> list[Scope]:
        """Those of this class and of the classes that it inherits from; of all, where these are not in the module."""
        found: list[Scope] = []
        work, seen = [name], set()
        while work:
            name = work.pop()
            if name in ("Exception", "ValueError", "TypeError", "object", "type") or name in seen:
                continue
            if name not in self.classes:
                return self.constructors()
            seen.add(name)
            work.extend(base.id if isinstance(base, ast.Name) else "" for base in self.classes[name].bases)
            found.extend(one for one in self.classes[name].body if isinstance(one, SCOPES) and one.name in MAKING)
        return found

    def constructors(self) -> list[Scope]:
        return [one for name in MAKING for one in self.named.get(name, ())]

    def passing(self, function: Scope, call: ast.Call) -> _Passing:
        """What a call passes at its positions and by its keywords."""
        positions = (
            self.items(function, one) if isinstance(one, ast.Starred) else self.of(function, one) for one in call.args
        )
        named = (self.of(function, one.value) for one in call.keywords)
        return _Passing(tuple(positions), tuple(named))

    def hold_shared(self, passing: _Passing, call: ast.Call, callees: list[Scope]) -> None:
        """What is passed to one of many functions: calls of the same form share the places that it goes through."""
        form = (*(isinstance(one, ast.Starred) for one in call.args), *(one.arg for one in call.keywords))
        places: list[Place] = [(None, f"argument {at} of {form}") for at in range(len(form))]
        for place, held in zip(places, (*passing.positions, *passing.named)):
            self.hold(place, held)
        if form not in self.forms:
            self.forms.add(form)
            through = [frozenset[Source]({place}) for place in places]
            shared = _Passing(tuple(through[: len(call.args)]), tuple(through[len(call.args) :]))
            for callee in callees:
                self.hold_arguments(shared, call, callee)

    def hold_arguments(self, passing: _Passing, call: ast.Call, callee: Scope) -> None:
        names = [one.arg for one in (*callee.args.posonlyargs, *callee.args.args)]
        through_self = id(call) in self.through_self and not self.is_kept(call.func)
        moved = (1,) if through_self else implied.shifts(call, callee)
        for at, (argument, held) in enumerate(zip(call.args, passing.positions)):
            starred = isinstance(argument, ast.Starred)
            for shift in moved:
                if at + shift < len(names) and not starred:
                    self.hold((callee, names[at + shift]), held)
            if starred or at >= len(names):
                for name in names:
                    self.hold((callee, name), held)
            if starred or at + max(moved) >= len(names):
                self.collect(callee, callee.args.vararg, held)
        named = (*names, *(one.arg for one in callee.args.kwonlyargs))
        for keyword, held in zip(call.keywords, passing.named):
            if keyword.arg is None:
                held = items_of(held)
            for name in named if keyword.arg is None else (keyword.arg,):
                self.hold((callee, name), held)
            if keyword.arg is None or keyword.arg not in named:
                self.collect(callee, callee.args.kwarg, held)

    def hold_all(self, callee: Scope, held: frozenset[Source]) -> None:
        makes = not isinstance(callee, ast.Lambda) and callee.name in MAKING  # its object is a new one
        for one in [*callee.args.posonlyargs, *callee.args.args, *callee.args.kwonlyargs][makes:]:
            self.hold((callee, one.arg), held)
        self.collect(callee, callee.args.vararg, held)
        self.collect(callee, callee.args.kwarg, held)

    def collect(self, callee: Scope, parameter: ast.arg | None, held: frozenset[Source]) -> None:
        """Put into what a `*` or `**` parameter collects, which is as good as what was collected."""
        if parameter is not None:
            self.hold((callee, parameter.arg), held)
            self.hold(In((callee, parameter.arg)), held)

    def put(self, function: Scope, target: ast.expr, held: frozenset[Source]) -> None:
        """Store in a target: a variable, an attribute, a part of an object."""
        if isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.put(function, element, items_of(held))
        elif isinstance(target, ast.Starred):
            self.put(function, target.value, held)
        elif isinstance(target, ast.Name):
            self.hold((self.scope_of(function, target.id), target.id), held)
        elif isinstance(target, ast.Attribute):
            self.hold((None, "." + target.attr), held)
            for one in self.named.get(target.attr, ()):  # a property, perhaps
                self.hold_all(one, held)
        elif isinstance(target, ast.Subscript):
            self.put_in(function, target.value, held)

    def put_in(self, function: Scope, node: ast.AST, held: frozenset[Source]) -> None:
        """Store in the object that this expression gives."""
        for source in items_of(self.of(function, node)):
            self.hold(source, held)

    def hold(self, place: Source, held: frozenset[Source]) -> None:
        self.sources.add(place, held)

    def change(self, function: Scope, node: ast.AST) -> None:
        """The object that this expression gives is changed."""
        if id(function) in self.silent:
            return
        self.itself |= self.named_as(function, node)
        self.changed |= self.may_be(function, node)

    # -- functions as values

    def loose_functions(self, tree: ast.Module) -> Iterator[Scope]:
        yield from (function for function in self.functions if isinstance(function, ast.Lambda))
        yield from self.named.get("__call__", ())
        yield from (one for one in self.functions if not isinstance(one, ast.Lambda) and walking.is_handed_over(one))
        for node in value_nodes(tree):
            yield from self.function_values(node)

    def function_values(self, node: ast.AST) -> list[Scope]:
        """The functions of the module that this expression may be, by its name, or that make an object of the class."""
        if isinstance(node, ast.Lambda):
            return [node]
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        made = self.constructors_of(name) if name in self.classes and isinstance(node, ast.Name) else ()
        return [*self.named.get(name, ()), *made] if name is not None else []
