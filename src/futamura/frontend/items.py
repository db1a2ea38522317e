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
import functools
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from futamura.analysis.methods import MUTATING, POURING, PURE_MODULES, READING, WRITING
from futamura.analysis.reading import bound_by
from futamura.analysis.trees import every
from futamura.frontend import implied, reflecting, walking
from futamura.frontend.arguments import Arguments
from futamura.frontend.implied import MAKING, gives_anything, receiver
from futamura.frontend.possible import MODULE, STORING, result_of
from futamura.frontend.sources import (
    ANY_FIELD,
    CALLED,
    EXTENDING,
    FOREIGN,
    GIVEN,
    GIVER,
    NOTHING,
    RAISED,
    Changed,
    In,
    Left,
    Paths,
    Source,
    items_of,
    names_of_items,
)
from futamura.frontend.strangers import ANYBODY, DESCRIBING, LATER, called_arguments
from futamura.frontend.walking import SCOPES, Scope, defaults, is_of_class

__all__ = ["certainly_changed", "changed_by_functions"]

_LARGEST: Final = 6_000
"""Steps from place to place; in larger modules it is not asked anew for each object what comes out of it."""
_NO_ARGUMENTS: Final[Mapping[int, Left]] = {}
_YIELDS: Final = (ast.Yield, ast.YieldFrom)
_ASKING: Final = ("isinstance", "issubclass")


_IN_PLACE: Final[Mapping[type[ast.operator], str]] = {
    ast.Add: "__iadd__", ast.Sub: "__isub__", ast.Mult: "__imul__", ast.MatMult: "__imatmul__",
    ast.Div: "__itruediv__", ast.FloorDiv: "__ifloordiv__", ast.Mod: "__imod__", ast.Pow: "__ipow__",
    ast.LShift: "__ilshift__", ast.RShift: "__irshift__", ast.BitAnd: "__iand__", ast.BitOr: "__ior__",
    ast.BitXor: "__ixor__",
}  # fmt: skip


class Changes(NamedTuple):
    """What the functions of a module change."""

    certain: Changed
    """As far as the text says, but for functions that only run on import."""
    everything: Changed
    """With these."""
    possible: Changed
    """With what objects and functions may do that come from other modules, or that objects are given, if they do not do
    what is done here under the same name."""


def changed_by_functions(
    tree: ast.Module,
    on_import: Collection[ast.AST] = (),
    alone: Mapping[int, Left] = _NO_ARGUMENTS,
    doubtful: Collection[int] = (),
) -> Changes:
    """What the functions of a module change; some of them only run `on_import`.  `alone` are arguments, by identity,
    that other modules leave alone; what these call may not leave the `doubtful` ones of them alone."""
    return _Items(tree, on_import, alone, doubtful).run()


def certainly_changed(
    tree: ast.Module, on_import: Collection[ast.AST], alone: Mapping[int, Left], doubtful: Collection[int]
) -> Changed:
    """The first part of what `changed_by_functions` finds."""
    return _Items(tree, on_import, alone, doubtful).certain()


class _Items(Arguments):
    def certain(self) -> Changed:
        self.look_at_functions()
        return self.outcome()

    def run(self) -> Changes:
        self.look_at_functions()
        certain = self.outcome()
        self.changed |= self.on_import
        everything = self.outcome()
        self.look_at_module()
        self.look_at_import()
        self.changed |= self.doubted
        self.with_operands()
        while self.strangers.settle(self.changed):
            self.with_operands()
        return Changes(certain, everything, self.outcome())

    def look_at_functions(self) -> None:
        for one in self.loose:
            self.hold_all(one, frozenset({CALLED}))
        for function in self.functions:
            for parameter in implied.parameters(function):
                self.hold((function, parameter.arg), frozenset({GIVEN}))
            self.hold_defaults(function)
            for node in self.acting[function]:
                self.look(function, node)
            if isinstance(function, ast.Lambda):
                self.hold(function, self.of(function, function.body))
            elif function.name in ("__exit__", "__aexit__"):
                self.hold_all(function, frozenset({RAISED}))
            yields = any(isinstance(one, _YIELDS) for one in self.own[function])
            if yields or isinstance(function, ast.AsyncFunctionDef):
                self.hold(In(RAISED), frozenset({function}))  # the `value` of a StopIteration
        self.look_at_classes()

    def look_at_classes(self) -> None:
        """What is in a class, and who gets that."""
        for name, functions in self.setters.items():
            self.hold((None, "." + name), frozenset(functions))
        for _, call in reflecting.fields(self.tree):
            for keyword in call.keywords:
                self.hold((None, f".{keyword.arg}"), self.of(MODULE, keyword.value))
        for cls in self.classes.values():
            self.hold((None, ".default"), self.attributes_of([cls]))
            if reflecting.gives_attributes(cls, self.classes):
                self.hold(In((None, cls.name)), self.attributes_of([cls]))
            for method in cls.body if reflecting.makes_classes(cls) else ():
                if isinstance(method, SCOPES[:2]) and method.name in MAKING:
                    for one in implied.parameters(method)[3:]:
                        self.hold(In((method, one.arg)), self.attributes_of(self.classes.values()))

    def attributes_of(self, classes: Iterable[ast.ClassDef]) -> frozenset[Source]:
        """The places of what statements in the bodies of classes bind."""
        nodes = (one for cls in classes for one in ast.walk(cls) if isinstance(one, ast.Name))
        return frozenset((None, "." + one.id) for one in nodes if id(one) in self.in_classes)

    def outcome(self) -> Changed:
        direct = self.with_operands()
        classes, reading = implied.changing_classes(
            self.classes.values(), lambda one, name: (one, name) in direct or In((one, name)) in direct
        )
        special, untold = self.told_by_the_text
        # who calls a special method does what he likes with its result
        starts = {*self.changed, *special, *items_of(special)}
        seen = self.sources.reached(starts)
        items = names_of_items(seen)
        certainly = frozenset(seen)
        by_methods: dict[str, frozenset[str]] = {}
        for method, places in self.changed_by.items():
            found = self.sources.reached(places, without=certainly)
            seen |= found
            for name in names_of_items(found):
                by_methods[name] = by_methods.get(name, frozenset()) | {method}
        itself = frozenset(one for one in seen if isinstance(one, str))
        parameters = frozenset(self.parameters(seen))
        large = self.sources.size() > _LARGEST
        paths = None if untold is None or large else Paths(self.sources, starts, self.changed_by, untold)
        return Changed(
            itself, items, classes, reading, parameters, self.kept_by, self.giving_parameters, by_methods,
            frozenset(self.changed_results(seen)), frozenset(self.changed_results(seen, alone=True)), paths,
            self.line_of_change,
        )  # fmt: skip

    def line_of_change(self, name: str) -> int:
        """The first line where a function changes what has this name, or something in it."""
        lines = self.lines_of_changes
        return min([line for source in (name, In(name)) if (line := lines.get(source))], default=0)

    @functools.cached_property
    def lines_of_changes(self) -> dict[Source, int]:
        found: dict[Source, int] = {source: one.lineno for one in self.told_by_the_text[0] for source in (one, In(one))}
        return self.sources.lines({**found, **self.lines})

    @functools.cached_property
    def told_by_the_text(self) -> tuple[frozenset[Scope], frozenset[str] | None]:
        """The special methods that may be called by their names too, and the attributes that nothing stores."""
        texts = {node.value for node in every(self.tree) if isinstance(node, ast.Constant)}
        special = frozenset(one for one in self.functions if gives_anything(one, texts))
        return special, walking.implied_attributes(self.tree)

    def changed_results(self, seen: set[Source], *, alone: bool = False) -> Iterator[str]:
        """Functions whose results, or, unless these are asked for `alone`, what is in them, are among these sources, or
        are given by another function."""
        passed = self.sources.shared(self.functions)
        for name, function in self.by_name():
            if function in seen or (In(function) in seen and not alone) or function in passed:
                yield name

    def parameters(self, seen: set[Source]) -> Iterator[tuple[str, str]]:
        """The parameters of functions and methods that are among these sources, or what is in them."""
        for name, function in self.by_name():
            for one in implied.parameters(function):
                if (function, one.arg) in seen or In((function, one.arg)) in seen:
                    yield name, one.arg

    def kept_by(self, function: str, name: str) -> frozenset[str]:
        """What keeps a parameter of a function, or something in it, when the function has ended; or what keeps an
        attribute, which has no function, beside this."""
        scopes = [one for named, one in self.by_name() if named == function]
        own: list[Source] = [(one, name) for one in scopes] if function else [(None, "." + name)]
        others = [(one, part.arg) for one in scopes for part in implied.parameters(one) if part.arg != name]
        given = self.sources.holding(others)
        found: set[str] = set()
        for place in self.sources.holding([*own, *items_of(own)]):
            held = place.source if isinstance(place, In) else place
            if not isinstance(held, tuple) or held in own:
                continue
            if held[0] is not None:
                found.update([held[1]] if isinstance(place, In) and held in given else [])
            elif " " not in held[1]:
                found.add(held[1])
        return frozenset(found)

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
        every = self.changed.union(*self.changed_by.values())
        self.sources.spread()
        seen = self.sources.reached(every)
        waiting = [*implied.special_parameters(self.functions)]
        kinds: set[str] = set()
        while found := [(place, kind) for place, kind in waiting if place in seen or In(place) in seen]:
            self.hold_operands({kind for _, kind in found} - kinds)
            kinds.update(kind for _, kind in found)
            for place, kind in found:
                self.hold(place, frozenset({(None, f"operand of {kind}")}))
                if place[1] in {getattr(one, "arg", "") for one in (place[0].args.vararg, place[0].args.kwarg)}:
                    self.hold(In(place), frozenset({(None, f"operand of {kind}")}))
            waiting = [one for one in waiting if one not in found]
            self.sources.spread()
            seen = self.sources.reached(every)
        return seen

    def hold_operands(self, kinds: set[str]) -> None:
        """Special methods of these kinds may get any operand of theirs, and what is in it."""
        for function in self.functions if kinds else ():
            for kind, one in (pair for node in self.own[function] for pair in implied.operands(node)):
                if kind in kinds:
                    found = self.of(function, one)
                    self.hold((None, f"operand of {kind}"), found | items_of(found))
            for one in (part for node in self.own[function] for part in implied.searched(node)):
                for kind in kinds & implied.SEARCHED:
                    self.hold((None, f"operand of {kind}"), items_of(self.of(function, one)))

    def hold_defaults(self, function: Scope) -> None:
        """A parameter may be its default, which the code around the function gives."""
        for parameter, default in defaults(function):
            held = self.of(self.around.get(function, MODULE), default)
            self.hold((function, parameter.arg), held)
            self.hold((None, ".default"), held)  # of `inspect.signature(function).parameters[...]`

    # -- what a statement does

    def look(self, function: Scope, node: ast.AST) -> None:
        self.at = getattr(node, "lineno", self.at)
        if isinstance(node, ast.Assign):
            for target, value in (pair for one in node.targets for pair in walking.assigned(one, node.value)):
                self.put(function, target, self.of(function, value))
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            self.put(function, node.target, self.of(function, node.value))
        elif isinstance(node, ast.AugAssign):
            self.change_by(function, node.target, _IN_PLACE[type(node.op)])
            self.sources.read(node, EXTENDING, items_of(self.of(function, node.value)))
            self.put_in(function, node.target, self.giving.parts | {node})
            self.put(function, node.target, frozenset(self.giving.of(node)))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            target = node.target if ".items" in self.candidates else walking.without_key(node, self.named)
            self.put(function, target, self.items(function, node.iter))
            if target is not node.target and isinstance(node.iter, ast.Call):
                self.put(function, node.target, frozenset({result_of(node.iter)}))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            entered = self.of(function, node.context_expr)
            self.put(function, node.optional_vars, entered | items_of(entered))
        elif isinstance(node, ast.Match):
            subject = self.of(function, node.subject)
            read = self.openly.in_patterns(node, lambda name: self.is_builtin(MODULE, name))
            if any(isinstance(part, ast.MatchClass) for part in ast.walk(node)):
                for check in self.named.get("__instancecheck__", ()):
                    self.hold_all(check, subject | items_of(subject))
            held = subject | items_of(subject) | self.giving.parts | read
            for part in walking.patterns_of(node):
                for name in bound_by(part):
                    self.hold((self.scope_of(function, name), name), held)
                    self.hold((None, "." + name), held if id(part) in self.in_classes else NOTHING)
        elif isinstance(node, ast.Raise):
            raised = NOTHING
            for one in (node.exc, node.cause):
                raised |= self.of(function, one) | (self.given(function, one) if isinstance(one, ast.Call) else NOTHING)
            self.hold(RAISED, raised)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            self.hold((self.scope_of(function, node.name), node.name), frozenset({RAISED}))
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
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            self.change(function, node.value)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Attribute) and node.value.attr == "__dict__":
                self.change_all(function, frozenset({(None, ".__dict__")}))
                self.change(function, node.value.value)  # an attribute is stored
            else:
                self.change_by(function, node.value, "__setitem__")

    def look_at_method(self, function: Scope, node: ast.Attribute) -> None:
        """A method that is called, or may be called later."""
        if node.attr in MUTATING:
            self.change_by(function, node.value, node.attr)
        for one in self.by_attribute.get(node.attr, ()):
            own = receiver(one)
            if own is not None and not is_of_class(one):
                self.hold((one, own), self.of(function, node.value))

    def call(self, function: Scope, call: ast.Call) -> None:
        callees = self.callees(function, call)
        given = self.given(function, call) | self.sorted_by(function, call)
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(call.func, ast.Attribute):
            poured = call.func.attr in POURING and not self.by_attribute.get(call.func.attr) and not call.keywords
            self.call_method(function, call.func, items_of(given) if poured else given, known=bool(callees))
            for remade in implied.made_anew(function, call, (*self.classes, *self.imported)):
                self.change(function, remade)
                self.put_in(function, remade, given | items_of(given))
        elif isinstance(call.func, ast.Name) and call.func.id in STORING and call.args:
            self.change(function, call.args[0])
            self.set_attribute(function, call)
        elif isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) > 1:
            named = call.args[1]
            if isinstance(named, ast.Constant) and named.value in MUTATING:
                self.change(function, call.args[0])
        understood = self.is_understood(function, call)
        for argument in arguments:
            found = self.of(function, argument)
            if not understood and id(argument) not in self.alone:
                self.change_all(function, found | items_of(found))
            elif id(argument) in self.doubtful or (understood and self.is_kept(call.func)):
                self.doubted |= found | items_of(found)
        if getattr(call.func, "id", "") == "getattr" and call.args and self.asks_openly(call):
            self.doubted |= self.of(function, call.args[0])
        folded = self.hold_folded(function, call)
        for passed in arguments:
            if isinstance(passed, ast.Attribute) and passed.attr in MUTATING:  # `map(list.append, ...)`
                self.change_all(function, given | items_of(given))
            if getattr(call.func, "id", "") not in _ASKING and not (folded and passed is call.args[0]):
                self.hold_passed(function, passed, given | items_of(given))  # it is called with what is there
        for key, later in called_arguments(call):
            if self.may_be_any_function(function, key):
                self.hold(CALLED, given | items_of(given) if later else items_of(given))
        self.expect(function, call)
        passing = self.passing(function, call)
        if not self.is_unknown(function, call):
            for callee in callees:
                self.hold_arguments(passing, call, callee)
        else:
            self.hold_shared(passing, call, callees)
        if isinstance(call.func, ast.Name) and call.func.id in self.classes:
            for statement in (part for cls in self.with_bases(call.func.id) for part in cls.body):
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    self.hold((None, "." + statement.target.id), given)

    def sorted_by(self, function: Scope, call: ast.Call) -> frozenset[Source]:
        """What the key of `rows.sort(key=key)` gets."""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "sort" and call.keywords:
            return self.items(function, call.func.value) | items_of(self.all(function, call.args))
        return NOTHING

    def expect(self, function: Scope, call: ast.Call) -> None:
        """What the call does if what it calls comes from another module, or from a caller."""
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        passed = self.all(function, (one for one in arguments if id(one) not in self.alone))
        callee, result = call.func, result_of(call)
        if isinstance(callee, ast.Attribute):
            owner = callee.value
            known = self.module_of(function, owner) is not None
            if not known and not (isinstance(owner, ast.Name) and self.is_builtin(function, owner.id)):
                found = self.of(function, owner)
                own = isinstance(owner, ast.Name) and owner.id == receiver(function)
                held = NOTHING if own else items_of(found)
                self.strangers.when(found, passed | held, receiver=found, result=result)
                if self.is_kept(callee) or self.is_made(callee):
                    self.strangers.when(self.of(function, callee), passed, kinds=ANYBODY, result=result)
        elif isinstance(callee, ast.Name) and callee.id in self.classes and self.scope_of(function, callee.id) is None:
            if self.is_of_foreign_class(callee.id):
                self.doubted |= passed | items_of(passed)
        elif not isinstance(callee, ast.Lambda) and self.is_unknown(function, call):
            value = self.of(function, callee)
            self.strangers.when(value, passed, kinds=ANYBODY, receiver=value, result=result)
            self.strangers.when(value, NOTHING, kinds=(GIVER,), receiver=value, result=result)
        everything = self.given(function, call) | self.sorted_by(function, call)
        for one, later in called_arguments(call):
            self.strangers.when(self.of(function, one), everything if later else items_of(everything), kinds=ANYBODY)

    def look_at_module(self) -> None:
        """What the module's own level gives to names, and what it makes that runs later."""
        work: list[ast.AST] = list(self.tree.body)
        while work:
            node = work.pop()
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self.put(MODULE, target, self.of_module(node.value))
            for call in self.made_by_others(node):
                given = self.given(MODULE, call)
                self.doubted |= given | items_of(given)
            if isinstance(node, ast.ClassDef) and self.is_of_foreign_class(node.name):
                for part in node.body:
                    held = self.of(MODULE, part.value) if isinstance(part, (ast.Assign, ast.AnnAssign)) else NOTHING
                    self.doubted |= held | items_of(held)
                for method in (part for part in node.body if isinstance(part, SCOPES)):
                    own = receiver(method)
                    if own is not None:
                        self.hold((method, own), frozenset({FOREIGN}))
            if isinstance(node, SCOPES[:2]):
                decorators = frozenset[Source]().union(*(self.of(MODULE, one) for one in node.decorator_list))
                foreign = self.sources.past_reads(decorators) & {FOREIGN, In(FOREIGN)}
                for place in (node.name, "." + node.name) if foreign else ():
                    self.hold((None, place), frozenset({FOREIGN}))
            if not isinstance(node, SCOPES):
                work.extend(one for one in ast.iter_child_nodes(node) if isinstance(one, (ast.stmt, ast.excepthandler)))

    def look_at_import(self) -> None:
        """Where values go when the module is imported; what that changes is past."""
        changed, doubted, on_import = {*self.changed}, {*self.doubted}, {*self.on_import}
        by = {method: {*found} for method, found in self.changed_by.items()}
        with self.strangers.at_rest():
            work: list[ast.AST] = list(self.tree.body)
            while work:
                node = work.pop()
                if walking.acts(node):
                    self.look(MODULE, node)
                work.extend([] if isinstance(node, SCOPES) else ast.iter_child_nodes(node))
        self.changed, self.doubted, self.on_import = changed, doubted, on_import
        self.changed_by.clear()
        self.changed_by.update(by)

    def made_by_others(self, node: ast.AST) -> Iterator[ast.Call]:
        """The calls of functions of other modules in a statement at the module's own level."""
        if isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign)) and node.value is not None:
            for part in ast.walk(node.value):
                if isinstance(part, ast.Call) and self.is_strange_call(MODULE, part):
                    yield part

    def of_module(self, value: ast.expr | None) -> frozenset[Source]:
        """What an expression at the module's own level is, if that has another name, comes from another module, or runs
        later: an iterator, or a function with arguments."""
        if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
            return self.new(value, NOTHING.union(*map(self.of_module, value.elts)))
        if isinstance(value, ast.Dict):
            return self.new(value, NOTHING.union(*map(self.of_module, value.values)))
        if isinstance(value, ast.GeneratorExp):
            for node in ast.walk(value):
                self.look(MODULE, node)
        elif isinstance(value, ast.Attribute):
            self.look_at_method(MODULE, value)
        elif isinstance(value, ast.Call):
            own = self.named.get(value.func.id, ()) if isinstance(value.func, ast.Name) else ()
            name = getattr(value.func, "id", getattr(value.func, "attr", ""))
            later = name in LATER | DESCRIBING
            if not later and not any(isinstance(node, _YIELDS) for one in own for node in self.own[one]):
                if isinstance(value.func, ast.Attribute) and self.module_of(MODULE, value.func.value) is None:
                    return self.items(MODULE, value.func.value)
                if not self.is_strange_call(MODULE, value):
                    return NOTHING
                return self.new(value, self.given(MODULE, value)) | {FOREIGN}
            self.call(MODULE, value)
        elif not isinstance(value, (ast.Name, ast.Subscript)):
            return NOTHING
        return self.of(MODULE, value)

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
        if module is not None:
            return
        if method.attr == "__init__" and isinstance(method.value, ast.Name) and method.value.id not in self.classes:
            self.put_in(function, method.value, given | items_of(given))  # `rows.__init__(others)`
        if method.attr in MUTATING or not (known or method.attr in READING):
            self.change_by(function, method.value, method.attr)
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
            own = id(call) in self.of_fields if self.is_kept(callee) else bool(self.by_attribute.get(callee.attr))
            return own or callee.attr in READING or callee.attr in MUTATING
        if isinstance(callee, ast.Name) and self.scope_of(function, callee.id) is None:
            if callee.id in self.imported:
                module, _, name = self.imported[callee.id].rpartition(".")
                return module in PURE_MODULES and name not in WRITING
        return True

    def put(self, function: Scope, target: ast.expr, held: frozenset[Source]) -> None:
        """Store in a target: a variable, an attribute, a part of an object."""
        if isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.put(function, element, items_of(held))
        elif isinstance(target, ast.Starred):
            self.put(function, target.value, held)
        elif isinstance(target, ast.Name):
            self.hold((self.scope_of(function, target.id), target.id), held)
            if id(target) in self.in_classes:
                self.hold((None, "." + target.id), held)
        elif isinstance(target, ast.Attribute):
            self.hold((None, "." + target.attr), held)
            if target.attr == "__dict__":  # who stores an attribute puts it in there
                self.change_all(function, held | items_of(held))
                self.hold(ANY_FIELD, items_of(held))
                self.sources.put(held, self.openly.read())
            for one in self.by_attribute.get(target.attr, ()):  # a property, perhaps
                self.hold_all(one, held)
            for one in self.setters.get(target.attr, ()):
                self.hold_all(one, held)
            self.strangers.when(self.of(function, target.value), held)
        elif isinstance(target, ast.Subscript):
            self.put_in(function, target.value, held)
            self.strangers.when(self.of(function, target.value), held)

    def put_in(self, function: Scope, node: ast.AST, held: frozenset[Source]) -> None:
        """Store in the object that this expression gives."""
        self.sources.put(self.of(function, node), held)

    def change(self, function: Scope, node: ast.AST) -> None:
        """The object that this expression gives is changed."""
        self.change_all(function, self.of(function, node))

    def change_by(self, function: Scope, node: ast.AST, method: str) -> None:
        """What this expression gives is changed if it is of a class with this method."""
        found = self.of(function, node)
        if id(function) in self.only_on_import:
            self.on_import |= found
        else:
            self.changed_by.setdefault(method, set()).update(found)
            self.remember(found)

    def change_all(self, function: Scope, found: frozenset[Source]) -> None:
        if id(function) in self.only_on_import:
            self.on_import |= found
        else:
            self.changed |= found
            self.remember(found)

    def remember(self, found: frozenset[Source]) -> None:
        for one in found:
            self.lines.setdefault(one, self.at)
