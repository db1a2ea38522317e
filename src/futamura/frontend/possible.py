"""What an expression of a module may be: objects that have a name, what places hold, what functions give.

    def first(rows): return rows[0]
    def use(): row = first(ROWS["a"])           row may be what is in what is in ROWS

Names are followed through assignments, loops, containers, attributes, calls of functions, methods and classes of the
module, and their results; all that comes out of a global counts as that global.

Invariant: order does not matter, nor does which branch is taken.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from futamura.analysis.methods import BUILTINS, GIVING, HOLDING, MUTATING, PASSING, PURE_MODULES, READING, WRITING
from futamura.analysis.reading import bound_by
from futamura.analysis.trees import every
from futamura.frontend import implied, reflecting, walking
from futamura.frontend.implied import MAKING, Giving, receiver
from futamura.frontend.openly import READING_OPENLY, SHOWING, Openly, start_of_name
from futamura.frontend.sources import (
    ANY_FIELD,
    FOREIGN,
    GIVER,
    NOTHING,
    OF_DICTS,
    RAISED,
    In,
    Left,
    Place,
    Source,
    Sources,
    items_of,
)
from futamura.frontend.strangers import DESCRIBING, Strangers, called_arguments
from futamura.frontend.walking import SCOPES, Scope, acts, defaults, own_nodes, value_nodes

__all__ = ["MODULE", "STORING", "Possible", "result_of"]

STORING: Final = ("setattr", "delattr")
OWN_WAYS: Final = (*STORING, "super")
_OF_KEYS: Final = ("get", "pop", "setdefault")
_STEPPING: Final = ("send", "__next__")
"""Methods of iterators that give items, as those of GIVING do of containers; what `send` gets is not only read."""
MODULE: Final = ast.Lambda(ast.arguments([], [], None, [], [], None, []), ast.Constant(None))
"""What stands for the code outside of all functions, which has no variables of its own."""


class Possible:
    """What expressions may be; `alone` are arguments, by identity, that other modules leave alone."""

    def __init__(
        self, tree: ast.Module, on_import: Collection[ast.AST], alone: Mapping[int, Left], doubtful: Collection[int]
    ) -> None:
        self.candidates: Final = frozenset(walking.global_names(tree))
        self.alone: Final = alone
        self.doubtful: Final = doubtful
        self.tree: Final = tree
        self.only_on_import: Final = set(map(id, on_import))
        self.functions: Final = [node for node in every(tree) if isinstance(node, SCOPES)]
        self.named: Final[dict[str, list[Scope]]] = {}
        for function in self.functions:
            if not isinstance(function, ast.Lambda):
                self.named.setdefault(function.name, []).append(function)
        self.by_attribute: Final = walking.by_attribute(tree, self.named)
        bound = Counter(name for node in every(tree) for name in bound_by(node))
        self.alone_named: Final = {
            one.name: one
            for one in tree.body
            if isinstance(one, ast.FunctionDef) and not one.decorator_list and bound[one.name] == 1 and not bound["*"]
        }
        """Functions of the module whose names mean nothing else in it."""
        self.classes: Final = {node.name: node for node in every(tree) if isinstance(node, ast.ClassDef)}
        self.ambiguous: Final = {name for name in self.classes if bound[name] > 1}
        self.imported: Final = dict(walking.imported_names(tree))
        self.rebound: Final = frozenset(walking.names_of_module(tree))
        """What the module's own level binds: builtins of these names are others."""
        self.giving: Final = Giving(self.named)
        self.loose: Final = list(self.loose_functions(tree))
        """Functions of the module that are used as values: any call may be one of them."""
        self.own: Final = {MODULE: [], **{function: list(own_nodes(function)) for function in self.functions}}
        self.spelled: Final = walking.spell_out(self.own, self.rebound)
        methods = {id(call.func) for call in self.spelled.values()}
        values = [node for node in value_nodes(tree) if id(node) not in methods]
        self.makes_any: Final = reflecting.gives_classes(tree, values, self.classes)
        """Is a class of the module used as a value, so that any call may make an instance?"""
        self.bound: Final = {one: frozenset(walking.bound_names(one, self.own[one])) for one in self.functions}
        self.bound[MODULE] = frozenset()
        self.dicts: Final[dict[Scope, frozenset[str]]] = {}
        """The variables of a function that are dicts."""
        self.plain: Final = set(map(id, walking.attributes_of_self(tree, self.classes, self.own)))
        through_self = list(walking.calls_through_self(self.classes.values(), self.own))
        self.through_self: Final = {id(call) for _, call in through_self}
        self.of_fields: Final = set(map(id, walking.calls_of_fields(through_self, self.own)))
        self.acting: Final = {
            function: [node for node in self.own[function] if acts(node)] for function in self.functions
        }
        self.around: Final = {
            inner: outer for outer in self.functions for inner in self.own[outer] if inner is not outer
        }
        called = walking.members(self.classes.values()) if "__call__" in self.named else ()
        self.by_keyword: Final = frozenset([*walking.names_of_attributes(tree, self.named), *called])
        """What may be attributes of objects because a call names them, and members of enumerations that are called."""
        texts = (one.value for one in every(tree) if isinstance(one, ast.Constant) and type(one.value) is str)
        self.attributes: Final = self.candidates.union("." + name for name in (*self.by_keyword, *texts))
        """With a dot what may be names of attributes that the text stores."""
        self.kept: Final = frozenset(self.kept_variables())  # their value outlives a call of the function
        self.in_classes: Final = frozenset(walking.names_in_classes(tree))
        """The nodes of names that are attributes of the class in whose body they stand."""
        self.sources: Final = Sources()
        self.openly: Final = Openly(tree, self.named, self.sources)
        self.strangers: Final = Strangers(self.sources)
        self.setters: Final[dict[str, list[Scope]]] = {}
        """The functions that are in properties and fields which the body of a class makes by a call."""
        for name, call in reflecting.fields(tree):
            parts = (one for part in ast.walk(call) for one in self.function_values(part))
            self.setters.setdefault(name, []).extend(parts)
        self.forms: Final[set[tuple[bool | str | None, ...]]] = set()
        """The forms of calls of unknown functions that were met."""
        self.at = 0
        """The line that is looked at."""
        self.lines: Final[dict[Source, int]] = {}
        """Where what is changed is, for the first time."""
        self.changed: set[Source] = set()
        self.changed_by: Final[dict[str, set[Source]]] = {}
        """By a method's name, what is changed if it has such a method."""
        self.on_import: set[Source] = set()
        """What functions change that only run on import."""
        self.doubted: set[Source] = set()
        """What may be changed if functions of other modules are called where it does not look so."""

    def of(self, function: Scope, node: ast.AST | None) -> frozenset[Source]:
        """What the value of this expression may be."""
        return self.named_as(function, node) | self.may_be(function, node)

    def named_as(self, function: Scope, node: ast.AST | None) -> frozenset[str]:
        """The name by which this expression gets at an object that outlives the call."""
        if isinstance(node, ast.Name):
            scope = self.scope_of(function, node.id)
            return frozenset({node.id}) if self.outlives(scope, node.id) else frozenset()
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and self.module_of(function, node.value) is not None:
                return frozenset({f"{node.value.id}.{node.attr}"})
            return frozenset({"." + node.attr}) & self.attributes
        if isinstance(node, ast.Call) and (read := self.attribute_of(function, node)) is not None:
            return self.named_as(function, read)
        return frozenset()

    def outlives(self, scope: Scope | None, name: str) -> bool:
        return name in self.candidates if scope is None else (scope, name) in self.kept

    def may_be(self, function: Scope, node: ast.AST | None) -> frozenset[Source]:
        """What the value may be, apart from its name here."""
        if isinstance(node, ast.Name):
            scope = self.scope_of(function, node.id)
            strange = scope is None and (self.is_strange(node.id) or self.is_of_foreign_class(node.id, own=True))
            return frozenset({(scope, node.id), FOREIGN} if strange else {(scope, node.id)})
        if isinstance(node, ast.Attribute):
            own = self.by_attribute.get(node.attr, ())  # a property, perhaps
            held = NOTHING if id(node) in self.plain else self.read(function, node)
            if node.attr == "__dict__":
                held |= self.new(node, self.openly.shown(function, [node.value])) | {OF_DICTS}
            if node.attr in MUTATING or node.attr == "__class__" or node.attr in reflecting.SENDING:
                held |= {FOREIGN}  # a method that changes, whoever calls it
            if node.attr in GIVING:
                held |= {GIVER}
            if node.attr in WRITING and self.module_of(function, node.value) is not None:
                held |= {FOREIGN}
            return held | {(None, "." + node.attr), ANY_FIELD, *own, *self.named.get("__get__", ())}
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

    def is_strange(self, name: str) -> bool:
        """Is this global a function, class or module that may change what it gets?"""
        if name in self.imported:
            module = self.imported[name]
            home, _, own = module.rpartition(".")
            return own in WRITING or not {module, home} & PURE_MODULES
        return name in _CHANGEABLE and name not in self.rebound

    def items(self, function: Scope, node: ast.AST | None) -> frozenset[Source]:
        """What is taken out of the value of this expression."""
        return items_of(self.of(function, node)) | self.giving.parts

    def read(self, function: Scope, node: ast.Attribute) -> frozenset[Source]:
        """What is taken out of an object by reading this attribute."""
        self.sources.read(node, node.attr, items_of(self.of(function, node.value)))
        return self.giving.parts | {node}

    def new(self, node: ast.AST, held: frozenset[Source], *, plain: bool = False) -> frozenset[Source]:
        """An object that the expression makes, with this in it; a plain one has the attributes that the text gives it,
        or none."""
        self.hold(In(node), held)
        if isinstance(node, ast.Call) and not plain:
            self.sources.unlike.add(node)
        return frozenset({node})

    def all(self, function: Scope, nodes: Iterable[ast.AST | None]) -> frozenset[Source]:
        return NOTHING.union(*(self.of(function, node) for node in nodes))

    def result(self, function: Scope, call: ast.Call) -> frozenset[Source]:
        call = self.spelled.get(id(call), call)
        own = receiver(function)
        if isinstance(call.func, ast.Name) and call.func.id == "super" and not call.args and own is not None:
            return frozenset({(function, own)})
        callees = self.callees(function, call)
        found = NOTHING.union(callees) | {result_of(call)}
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method in READING_OPENLY:
            found |= self.openly.read()
        found |= self.reflected(function, call)
        if walking.names_attributes(call):
            names = [part for one in call.args if isinstance(one, ast.Constant) for part in str(one.value).split(".")]
            found |= self.new(call, frozenset((None, "." + name) for name in names)) | {GIVER}
        if method in SHOWING:
            found |= self.new(call, self.openly.read())
        if method in self.named or method not in GIVING | READING:
            self.sources.unlike.add(result_of(call))
        given = self.given(function, call)
        if isinstance(call.func, ast.Attribute) and self.module_of(function, call.func.value) is None:
            if call.func.attr in GIVING or call.func.attr in _STEPPING:
                if self.is_looked_up(function, call):
                    given = self.all(function, (*call.args[1:], *(keyword.value for keyword in call.keywords)))
                owner = getattr(call.func.value, "id", "")
                parts = items_of(given) if self.is_builtin(function, owner) else NOTHING  # `dict.get(found, key)`
                return found | self.items(function, call.func.value) | given | parts
            if call.func.attr in reflecting.OPERATING and not callees:
                held = self.all(function, (call.func.value, *call.args))
                return found | held | items_of(held) | self.new(call, held | items_of(held))
            own_method = callees and id(call) in self.through_self and not self.is_kept(call.func)
            if call.func.attr in READING or own_method:
                return found
        elif isinstance(call.func, ast.Name) and self.scope_of(function, call.func.id) is None:
            if call.func.id in self.classes:
                foreign = {FOREIGN} if self.is_of_foreign_class(call.func.id) else NOTHING
                return found | self.new(call, given, plain=not foreign) | foreign
            if self.is_builtin(function, call.func.id):
                passed = self.passed_by(function, call) if call.func.id in PASSING else NOTHING
                passed |= self.functions_in(function, call) if call.func.id in ("map", "iter") else NOTHING
                if call.func.id in _EXCEPTIONS:
                    return found | self.new(call, given)
                if call.func.id in DESCRIBING:
                    found |= given | items_of(given) | self.functions_in(function, call)
                if call.func.id == "type":
                    found |= {FOREIGN}  # whose methods get what they change
                if call.func.id in HOLDING:
                    return found | self.giving.any | self.new(call, passed, plain=call.func.id in _BARE)
                return found | passed | self.giving.any | self.new(call, passed, plain=call.func.id in _BARE)
            if call.func.id in self.named:
                return found
        holder = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        made = isinstance(holder, ast.Name) and implied.is_own_class(function, holder.id, self.own[function])
        if made and holder is call.func:
            return found | given | items_of(given) | self.new(call, given)
        if not (callees and isinstance(call.func, ast.Attribute)):
            found |= self.items(function, holder)  # it may give what it holds
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        left = [one for one in arguments if id(one) in self.alone]
        if left:
            given = self.all(function, (one for one in arguments if id(one) not in self.alone))
            found |= items_of(self.all(function, (one for one in left if self.alone[id(one)] == (False, True))))
            self.new(call, self.all(function, (one for one in left if self.alone[id(one)].makes)))
        if self.is_strange_call(function, call) and (not left or any(self.alone[id(one)].gives for one in left)):
            found |= {FOREIGN}
        found |= self.functions_in(function, call)
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in SHOWING:
            given |= self.openly.read()
        return found | given | items_of(given) | self.giving.parts | self.giving.any | self.new(call, given)

    def reflected(self, function: Scope, call: ast.Call) -> frozenset[Source]:
        """What a call gives that gets at values by other ways than their names."""
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name in reflecting.ABOUT_ERRORS:
            return self.new(call, frozenset({RAISED})) | {RAISED}
        if name == "attrgetter" and not walking.names_attributes(call):
            return self.new(call, self.openly.read()) | {GIVER}
        if name == "locals" or (name == "vars" and not call.args):
            return self.new(call, frozenset(self.variables(function))) | {OF_DICTS}
        if name == "vars":
            return frozenset({OF_DICTS})
        if reflecting.makes_class(call):
            given = self.given(function, call)
            self.hold(ANY_FIELD, given | items_of(given))
        return NOTHING

    def variables(self, function: Scope) -> Iterator[Place]:
        """Those of the function, and of those around it."""
        scope: Scope | None = function
        while scope is not None:
            yield from ((scope, name) for name in self.bound[scope])
            scope = self.around.get(scope)

    def passed_by(self, function: Scope, call: ast.Call) -> frozenset[Source]:
        """What a builtin may give, or put into what it gives, of what it gets."""
        name, named = getattr(call.func, "id", ""), [one.value for one in call.keywords if one.arg != "key"]
        keywords = self.all(function, named)
        given = keywords | self.all(function, call.args)
        starred = any(isinstance(one, ast.Starred) for one in call.args)
        if name == "vars":
            return items_of(given) | self.giving.parts | self.openly.shown(function, call.args[:1])
        if name == "getattr":
            start = start_of_name(call)
            default = self.all(function, call.args if starred else call.args[2:])
            found = default | items_of(default | self.all(function, call.args[:1])) | self.giving.parts
            if start is None:
                return found
            changing = self.asks_openly(call) and not self.is_own_object(function, call.args[:1])
            return found | self.openly.read(start) | ({FOREIGN} if changing else NOTHING)
        others = keywords if name == "dict" else NOTHING
        if name in ("max", "min") and (starred or len(call.args) > 1):
            others = given
        elif name in ("max", "min", "next", "sum"):
            others = given if starred else self.all(function, call.args[1:]) | keywords
        return others | items_of(given) | self.giving.parts

    def asks_openly(self, call: ast.Call) -> bool:
        """May `getattr(x, name)` be a method that changes `x`, whose name is not known?"""
        start = start_of_name(call)
        return start is not None and any(one.startswith(start) for one in MUTATING)

    def is_own_object(self, function: Scope, nodes: Collection[ast.expr]) -> bool:
        """Is this `self` in a class all of whose methods are written here?"""
        names = [getattr(node, "id", "") for node in nodes]
        classes = (name for name, cls in self.classes.items() if function in cls.body)
        return names == [receiver(function)] and not any(map(self.is_of_foreign_class, classes))

    def is_looked_up(self, function: Scope, call: ast.Call) -> bool:
        """Is this a method of a dict that is given a key, which does not come out of it?"""
        assert isinstance(call.func, ast.Attribute)
        owner = call.func.value
        if call.func.attr not in _OF_KEYS or not isinstance(owner, ast.Name):
            return False
        if any(isinstance(one, ast.Starred) for one in call.args):
            return False
        scope = self.scope_of(function, owner.id)
        if scope is None:
            return False
        if scope not in self.dicts:
            self.dicts[scope] = walking.dict_variables(scope, self.own[scope])
        return owner.id in self.dicts[scope]

    def functions_in(self, function: Scope, call: ast.Call) -> frozenset[Source]:
        """Functions of the module that a call passes, whose results its own may be."""
        arguments = (*call.args, *(keyword.value for keyword in call.keywords))
        found = frozenset[Source](one for argument in arguments for one in self.function_values(argument))
        if any(self.may_be_any_function(function, one) for one, _ in called_arguments(call)):
            found = found.union(self.loose)
        return found | items_of(found)

    def may_be_any_function(self, function: Scope, node: ast.expr) -> bool:
        """May what is passed to be called be a function of the module that has no name there?"""
        if isinstance(node, ast.Name):
            named = node.id in self.named or node.id in self.classes or node.id in self.imported
            known = (named and not self.is_made(node)) or self.is_builtin(function, node.id)
            return not known or self.scope_of(function, node.id) is not None
        if isinstance(node, ast.Attribute):
            library = self.module_of(function, node.value) is not None or node.attr in MUTATING | READING
            builtin = isinstance(node.value, ast.Name) and self.is_builtin(function, node.value.id)
            known = bool(self.by_attribute.get(node.attr)) and not (self.is_kept(node) or self.is_made(node))
            return not (library or builtin or known)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in self.classes:
            return True
        if isinstance(node, ast.Call) and not self.callees(function, node) and not self.is_unknown(function, node):
            return any(self.may_be_any_function(function, one) for one in node.args)
        return not isinstance(node, (ast.Lambda, ast.Constant))

    def is_strange_call(self, function: Scope, call: ast.Call) -> bool:
        """Does a function of another module, or a class of it, give what this call gives?"""
        if walking.names_attributes(call):
            return False
        if isinstance(call.func, ast.Name):
            return self.scope_of(function, call.func.id) is None and self.is_strange(call.func.id)
        if not isinstance(call.func, ast.Attribute):
            return False
        module = self.module_of(function, call.func.value)
        return module is not None and (module not in PURE_MODULES or call.func.attr in WRITING)

    def is_of_foreign_class(self, name: str, *, own: bool = False) -> bool:
        """Has a class a method that another module defines?  Any other has, unless it has to be one of its `own`."""
        if own and name not in self.classes:
            return False
        work, seen = [name], set()
        while work:
            name = work.pop()
            if name in seen or name in _EMPTY_CLASSES:
                continue
            if name not in self.classes or name in self.ambiguous:
                return True
            seen.add(name)
            if any(self.calls_itself(keyword.value) for keyword in self.classes[name].keywords):
                return True
            work.extend(
                base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
                for base in map(walking.unsubscripted, self.classes[name].bases)
            )
        return False

    def with_bases(self, name: str) -> list[ast.ClassDef]:
        """The class of this name, and those of the text that it inherits from."""
        found: list[ast.ClassDef] = []
        work = [name]
        while work:
            cls = self.classes.get(work.pop())
            if cls is not None and cls not in found:
                found.append(cls)
                work.extend(getattr(base, "id", "") for base in map(walking.unsubscripted, cls.bases))
        return found

    def calls_itself(self, metaclass: ast.expr) -> bool:
        """Does a metaclass make instances in its own way?"""
        cls = self.classes.get(getattr(metaclass, "id", ""))
        return cls is not None and any(getattr(part, "name", "") == "__call__" for part in cls.body)

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

    def is_kept(self, callee: ast.expr) -> bool:
        """May what is called be any function, which an object keeps in this attribute?"""
        return isinstance(callee, ast.Attribute) and (
            "." + callee.attr in self.candidates or callee.attr in self.by_keyword
        )

    def is_builtin(self, function: Scope, name: str) -> bool:
        if name in self.rebound or name not in BUILTINS:
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
            known = known and self.scope_of(function, callee.id) is None and not self.is_made(callee)
            return not (known or callee.id in OWN_WAYS or self.is_builtin(function, callee.id))
        return not isinstance(callee, (ast.Lambda, ast.Attribute)) or self.is_kept(callee) or self.is_made(callee)

    def is_made(self, callee: ast.expr) -> bool:
        """May a property give what is called, or a decorator?"""
        own = self.named.get(getattr(callee, "id", getattr(callee, "attr", "")), ())
        if any(name in self.named for name in ("__getattr__", "__getattribute__")):
            return isinstance(callee, ast.Attribute)
        return any(not isinstance(one, ast.Lambda) and walking.is_given(one) for one in own)

    def callees(self, function: Scope, call: ast.Call) -> list[Scope]:
        callee = call.func
        if isinstance(callee, ast.Lambda):
            return [callee]
        if isinstance(callee, ast.Attribute) and callee.attr == "__class__":
            return self.constructors()
        if isinstance(callee, ast.Attribute) and callee.attr in reflecting.INSIDE:
            return [*self.function_values(callee.value), *self.named.get(callee.attr, ()), *self.loose]
        if isinstance(callee, ast.Attribute) and not self.is_kept(callee) and not self.is_made(callee):
            return self.by_attribute.get(callee.attr, [])
        variable = isinstance(callee, ast.Name) and self.scope_of(function, callee.id) is not None
        if isinstance(callee, ast.Name) and not variable and not self.is_made(callee):
            if callee.id in self.named:
                return self.named[callee.id]
            if callee.id in self.classes:
                return [*self.constructors_of(callee.id), *(self.loose if callee.id in self.ambiguous else ())]
            if self.is_builtin(function, callee.id) or callee.id in self.imported or callee.id in OWN_WAYS:
                return []
        if isinstance(callee, ast.Name) and implied.is_own_class(function, callee.id, self.own[function]):  # `cls()`
            return [*self.constructors(), *self.named.get("__call__", ())]
        own = self.function_values(callee) if isinstance(callee, (ast.Attribute, ast.Name)) else ()
        return [*own, *self.loose, *(self.constructors() if self.makes_any else ())]

    def constructors_of(self, name: str) -> list[Scope]:
        """Those of this class and of the classes that it inherits from; of all, where these are not in the module."""
        found: list[Scope] = []
        work, seen = [name], set()
        while work:
            name = work.pop()
            if name in ("Exception", "ValueError", "TypeError", "object", "type") or name in seen:
                continue
            if name not in self.classes or name in self.ambiguous:
                return self.constructors()
            seen.add(name)
            if self.classes[name].keywords:
                found.extend(self.named.get("__call__", ()))
            work.extend(base.id if isinstance(base, ast.Name) else "" for base in self.classes[name].bases)
            found.extend(one for one in self.classes[name].body if isinstance(one, SCOPES) and one.name in MAKING)
        return found

    def constructors(self) -> list[Scope]:
        return [one for name in MAKING for one in self.named.get(name, ())]

    def loose_functions(self, tree: ast.Module) -> Iterator[Scope]:
        yield from (function for function in self.functions if isinstance(function, ast.Lambda))
        yield from self.named.get("__call__", ())
        yield from (one for one in self.functions if not isinstance(one, ast.Lambda) and walking.is_handed_over(one))
        for node in value_nodes(tree):
            yield from self.function_values(node)
        calls = (node for node in every(tree) if isinstance(node, ast.Call))
        asked = {start_of_name(call) for call in calls if getattr(call.func, "id", "") == "getattr"} - {None}
        methods = [one for cls in every(tree) if isinstance(cls, ast.ClassDef) for one in cls.body]
        for one in methods if asked else ():
            if isinstance(one, SCOPES[:2]) and one.name.startswith(tuple(map(str, asked))):
                yield one

    def function_values(self, node: ast.AST) -> list[Scope]:
        """The functions of the module that this expression may be, by its name, or that make an object of the class."""
        if isinstance(node, ast.Lambda):
            return [node]
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        made = self.constructors_of(name) if name in self.classes and isinstance(node, ast.Name) else ()
        return [*self.named.get(name, ()), *made] if name is not None else []

    def hold(self, place: Source, held: frozenset[Source]) -> None:
        self.sources.add(place, held)


def result_of(call: ast.Call) -> Place:
    """What a call gives if what is called comes from another module."""
    return None, f"result {id(call)}"


_CHANGEABLE: Final = frozenset({"list", "dict", "set", "bytearray"})
"""Builtin classes whose methods get what they change, where they are called on the class."""
_BARE: Final = frozenset(
    {"list", "tuple", "set", "frozenset", "dict", "sorted", "reversed", "enumerate", "zip", "iter", "next"}
    | {"min", "max"}
)
"""Builtins that make objects without attributes that hold anything, or none at all."""
_EXCEPTIONS: Final = frozenset(
    name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)
)
_EMPTY_CLASSES: Final = frozenset(
    {"object", "ABC", "Protocol", "Generic", "NamedTuple", "TypedDict", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}
    | {"type", "str", "int", "float", "tuple", "bytes", "frozenset"}
    | _EXCEPTIONS
)
"""Classes whose methods do not change what they get."""
