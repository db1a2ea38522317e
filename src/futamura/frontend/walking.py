"""What the syntax tree of a module says of its functions: their nodes, their variables, what is used as a value.

    def f(xs, k=1):                     bound_names    xs, k, y
        y = lambda x: x + k             own_nodes      of the lambda itself, not of what is in it
        return map(y, xs)               value_nodes    y and xs, not `map`: that is called

Invariant: order is that of a walk, never that of a set.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from futamura.analysis.methods import MUTATING
from futamura.analysis.reading import bound_by
from futamura.analysis.trees import every

__all__ = [
    "SCOPES", "Scope", "acts", "assigned", "attributes_of_self", "bound_names", "by_attribute", "calls_of_fields",
    "calls_through_self", "defaults", "global_names", "implied_attributes", "imported_names", "is_given",
    "is_handed_over", "is_of_class", "members", "names_attributes", "names_in_classes", "names_of_attributes",
    "names_of_module", "own_nodes", "patterns_of", "spell_out", "unsubscripted", "value_nodes", "without_key",
]  # fmt: skip

Scope: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MATCHING: Final = (ast.MatchAs, ast.MatchStar, ast.MatchMapping)


def imported_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that imports bind, with the module or the dotted name that each stands for."""
    for node in every(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def global_names(tree: ast.Module) -> Iterator[str]:
    """The names that the module, or a function of it, binds to what may have items; those of attributes with a dot."""
    for node in every(tree):
        if isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield "." + node.attr
    work: list[ast.AST] = list(tree.body)
    while work:
        node = work.pop()
        if isinstance(node, ast.ClassDef):
            yield ".__annotations__"
            yield from ("." + name for name in global_names(ast.Module(node.body, [])))
        if isinstance(node, (*SCOPES, ast.ClassDef, ast.Constant)):
            continue
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, _MATCHING) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
            yield from bound_by(node)
        if isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        work.extend(ast.iter_child_nodes(node))


def value_nodes(tree: ast.Module) -> Iterator[ast.expr]:
    """Names and attributes that are neither called, nor looked into, nor classes that are inherited or caught, nor
    types in annotations."""
    work: list[ast.AST] = [tree]
    while work:
        node = work.pop()
        parts: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Call):
            parts.remove(node.func)
            parts.extend(ast.iter_child_nodes(node.func))
            if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
                parts = [*node.args[:1]]
        elif isinstance(node, ast.ClassDef):
            parts = [*node.body, *node.decorator_list]
        elif isinstance(node, ast.AnnAssign):
            parts = [node.target, *([node.value] if node.value is not None else [])]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parts = [*node.body, *node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]
        elif isinstance(node, ast.ExceptHandler):
            parts = list(node.body)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name):
            parts = []
        elif isinstance(node, (ast.Name, ast.Attribute)):
            if isinstance(node.ctx, ast.Load):
                yield node
            parts = [node.value] if isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Name) else []
        work.extend(parts)


def assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is assigned to what: `a, b = x, y` does it one by one."""
    kinds = (ast.Tuple, ast.List)
    if isinstance(target, kinds) and isinstance(value, kinds) and len(target.elts) == len(value.elts):
        if not any(isinstance(one, ast.Starred) for one in (*target.elts, *value.elts)):
            for pair in zip(target.elts, value.elts):
                yield from assigned(*pair)
            return
    yield target, value


def by_attribute(tree: ast.Module, named: Mapping[str, list[Scope]]) -> dict[str, list[Scope]]:
    """The functions that an attribute of a name may be: those of the module's own level are none if the text only calls
    them by their names."""
    called = {id(node.func) for node in every(tree) if isinstance(node, ast.Call)}
    names = [node for node in every(tree) if isinstance(node, ast.Name)]
    if any(node.id in ("locals", "vars", "globals") for node in names):
        return dict(named)
    asked = {node.id for node in names if id(node) not in called}
    asked |= {node.value for node in every(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    own = [one for one in tree.body if isinstance(one, SCOPES[:2]) and not one.decorator_list]
    hidden = {id(one) for one in own if one.name not in asked}
    return {name: [one for one in several if id(one) not in hidden] for name, several in named.items()}


def is_of_class(function: Scope, *kinds: str) -> bool:
    """Does a method get the class of what it is called on ("classmethod"), or nothing of it ("staticmethod")?"""
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    return any(isinstance(one, ast.Name) and one.id in (kinds or _OF_CLASS) for one in decorators)


_OF_CLASS: Final = ("classmethod", "staticmethod")


def is_handed_over(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Does a decorator get the function, which may keep it?"""
    return not set(map(_decorator, function.decorator_list)) <= _KNOWN_DECORATORS


def _decorator(node: ast.expr) -> str:
    """The name of a decorator; nothing if it is called for one, but for `lru_cache(maxsize=n)`."""
    named = node.func if isinstance(node, ast.Call) else node
    name = str(getattr(named, "id", getattr(named, "attr", "")))
    return name if named is node or name == "lru_cache" else ""


_KNOWN_DECORATORS: Final = frozenset(
    {"property", "staticmethod", "classmethod", "abstractmethod", "cached_property", "setter", "getter", "deleter"}
    | {"override", "overload", "final", "cache", "lru_cache"}
)


def is_given(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Is what is called under its name what a decorator gives, or what a property gives?"""
    return not set(map(_decorator, function.decorator_list)) <= _KNOWN_DECORATORS - {"property", "cached_property"}


def own_nodes(function: Scope) -> Iterator[ast.AST]:
    """The nodes of a function, down to nested functions, which are among them, with what is evaluated to make these."""
    work: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, SCOPES):
            work.extend(ast.iter_child_nodes(node))
            continue
        work.extend(default for _, default in defaults(node))
        work.extend([] if isinstance(node, ast.Lambda) else node.decorator_list)


def names_of_module(tree: ast.Module) -> Iterator[str]:
    """The names that the module's own level binds, or functions by `global`."""
    work: list[ast.AST] = [tree]
    while work:
        node = work.pop()
        yield from bound_by(node)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield "*"
        if not isinstance(node, (*SCOPES, ast.ClassDef)):
            work.extend(ast.iter_child_nodes(node))
    yield from (name for node in every(tree) if isinstance(node, ast.Global) for name in node.names)


def names_of_attributes(tree: ast.Module, own: Container[str]) -> Iterator[str]:
    """Names of attributes that `setattr(x, "name", value)` stores, or that `Namespace(name=value)` may, where this is
    no function of the text's `own`."""
    for node in every(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name == "setattr":
                yield from (one.value for one in node.args[1:2] if isinstance(one, ast.Constant))  # type: ignore[misc]
            elif name not in own:
                yield from (keyword.arg for keyword in node.keywords if keyword.arg is not None)


def names_attributes(call: ast.Call) -> bool:
    """Is this `attrgetter("name")`, which only reads?"""
    if getattr(call.func, "id", getattr(call.func, "attr", "")) != "attrgetter" or not call.args:
        return False
    names = [one.value for one in call.args if isinstance(one, ast.Constant)]
    return len(names) == len(call.args) and not any(str(name).rpartition(".")[2] in MUTATING for name in names)


def names_in_classes(tree: ast.Module) -> Iterator[int]:
    """By identity the names that statements in bodies of classes bind: attributes."""
    work = [part for node in every(tree) if isinstance(node, ast.ClassDef) for part in node.body]
    while work:
        node: ast.AST = work.pop()
        if isinstance(node, _MATCHING) or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)):
            yield id(node)
        if not isinstance(node, (*SCOPES, ast.ClassDef)):
            work.extend(ast.iter_child_nodes(node))  # type: ignore[arg-type]


def members(classes: Iterable[ast.ClassDef]) -> Iterator[str]:
    """The names that assignments in bodies of classes bind."""
    for target in (one for cls in classes for part in cls.body for one in getattr(part, "targets", ())):
        yield from (name for node in ast.walk(target) for name in bound_by(node))


def unsubscripted(base: ast.expr) -> ast.expr:
    """`Box` of a base class `Box[int]`."""
    return base.value if isinstance(base, ast.Subscript) else base


def patterns_of(match: ast.Match) -> Iterator[ast.AST]:
    """The nodes of its patterns."""
    for case in match.cases:
        yield from ast.walk(case.pattern)


def without_key(loop: ast.For | ast.AsyncFor | ast.comprehension, own: Container[str]) -> ast.expr:
    """The target, or that of the values of `items()`, if the text has nothing of that name of its `own`: keys are no
    containers."""
    pair, called = loop.target, loop.iter.func if isinstance(loop.iter, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr == "items" and "items" not in own:
        if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 and not isinstance(pair.elts[0], ast.Starred):
            return pair.elts[1]
    return pair


def spell_out(own: Mapping[Scope, list[ast.AST]], rebound: Container[str]) -> dict[int, ast.Call]:
    """Put calls of methods in full where these have a short name: `add(x)` becomes `rows.append(x)`, and so does
    `getattr(rows, "append")(x)`.  What each call was replaced by, by identity; `own` has the nodes of each function,
    and `rebound` builtins that are others here."""
    found = {id(call): full for function, nodes in own.items() for call, full in _shortened(function, nodes)}
    if "getattr" not in rebound:
        for nodes in own.values():
            found.update((id(node), full) for node in nodes if (full := _of_getattr(node)) is not None)
    for nodes in own.values() if found else ():
        nodes[:] = (found.get(id(node), node) for node in nodes)
    return found


def _of_getattr(node: ast.AST) -> ast.Call | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Call) or len(node.func.args) != 2:
        return None
    read, named = node.func, node.func.args[1]
    if not isinstance(read.func, ast.Name) or read.func.id != "getattr" or not isinstance(named, ast.Constant):
        return None
    return ast.Call(ast.Attribute(read.args[0], str(named.value), ast.Load()), node.args, node.keywords)


def _shortened(function: Scope, nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Call, ast.Call]]:
    """The calls of changing methods under short names, which the function, with what is in it, binds once and only
    calls itself, each with the same call in full."""
    mine = list(nodes)
    short: dict[str, ast.Attribute] = {}
    for node in mine:
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name) and isinstance(node.value, ast.Attribute):
            if node.value.attr in MUTATING:
                short[target.id] = node.value
    if not short:
        return
    whole = list(ast.walk(function))
    if any(isinstance(node, (ast.ClassDef, ast.Global, ast.Nonlocal)) or _shows_names(node) for node in whole):
        return
    bound = Counter(name for node in whole for name in bound_by(node))
    used = Counter(node.id for node in whole if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    calls: dict[str, list[ast.Call]] = {name: [] for name in short if bound[name] == 1}
    for node in mine:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in calls:
            calls[node.func.id].append(node)
    for name, found in calls.items():
        if len(found) == used[name]:
            yield from ((call, ast.Call(short[name], call.args, call.keywords)) for call in found)


def _shows_names(node: ast.AST) -> bool:
    """May this give the value of a variable by other means than its name?"""
    return getattr(node, "id", getattr(node, "attr", "")) in ("locals", "vars", "eval", "exec", "dir", "f_locals")


def calls_through_self(
    classes: Iterable[ast.ClassDef], own: Mapping[Scope, list[ast.AST]]
) -> Iterator[tuple[ast.ClassDef, ast.Call]]:
    """`self.method(...)` in methods of instances: what is passed first is not what the method is called on, as it is in
    `cls.method(self)`, where `cls` is a class, which the instances of metaclasses are, too."""
    plain = (cls for cls in classes if not any(isinstance(base, ast.Name) and base.id == "type" for base in cls.bases))
    for owner, method in ((cls, part) for cls in plain for part in cls.body if isinstance(part, SCOPES)):
        if _has_self(method):
            calls = (node for node in own[method] if isinstance(node, ast.Call))
            yield from ((owner, call) for call in calls if _is_of_self(call.func, ast.Load))


def calls_of_fields(
    calls: Sequence[tuple[ast.ClassDef, ast.Call]], own: Mapping[Scope, list[ast.AST]]
) -> Iterator[ast.Call]:
    """Those of these calls whose attribute methods of the same class store, `self.function = ...`, where all that the
    class has is written in the text: what is called is no method that another module defines."""
    stored: dict[ast.ClassDef, set[str]] = {}
    for cls in dict.fromkeys(cls for cls, _ in calls):
        methods = (part for part in cls.body if isinstance(part, SCOPES) and _has_self(part))
        nodes = (node for part in methods for node in own[part] if isinstance(node, ast.Attribute))
        written = all(isinstance(base, ast.Name) and base.id == "object" for base in cls.bases)
        stored[cls] = {node.attr for node in nodes if written and _is_of_self(node, ast.Store)}
    yield from (call for cls, call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in stored[cls])


def attributes_of_self(
    tree: ast.Module, classes: Mapping[str, ast.ClassDef], own: Mapping[Scope, list[ast.AST]]
) -> Iterator[ast.Attribute]:
    """Those `self.rows` in methods that hold nothing but what is stored under that name: all that the class has is
    written in the text, which does not get at attributes by other means."""
    if any(_reflects(node) for node in every(tree)):
        return
    plain = {name: cls for name, cls in classes.items() if not cls.keywords and not cls.decorator_list}
    written: set[str] = set()
    while more := {
        name for name, cls in plain.items() if all(getattr(base, "id", "") in written for base in cls.bases)
    } - written:
        written |= more
    for method in (part for name, cls in classes.items() if name in written for part in cls.body):
        if isinstance(method, SCOPES) and _has_self(method) and not any(map(_is_new_self, own[method])):
            yield from (node for node in own[method] if _is_of_self(node, ast.Load))  # type: ignore[misc]


def _reflects(node: ast.AST) -> bool:
    """Does this get at the attributes of objects by other means than their names, or make objects of a class that has
    no name here?"""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
        return getattr(node.func.func, "id", "") == "type"
    return getattr(node, "id", getattr(node, "attr", getattr(node, "name", ""))) in _REFLECTING


def handed_names(tree: ast.Module, on_import: Collection[ast.AST]) -> frozenset[str]:
    """The names of functions, and of attributes, that are used otherwise than to call them, or while the module is
    imported."""
    inside: set[int] = set()
    skipped = set(map(id, on_import))
    for node in every(tree):
        if isinstance(node, SCOPES[:2]) and id(node) not in skipped:
            inside.update(id(part) for one in node.body for part in ast.walk(one))
    called = {id(node.func) for node in every(tree) if isinstance(node, ast.Call) and id(node) in inside}
    read = {
        node.name
        for node in every(tree)
        if isinstance(node, SCOPES[:2]) and is_of_class(node, "property", "cached_property")
    }
    called |= {id(node) for node in every(tree) if getattr(node, "attr", "") in read and id(node) in inside}
    return frozenset(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in every(tree)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and id(node) not in called
    )


_OF_TEXTS: Final = frozenset({"str", "tuple", "StrEnum", "NamedTuple", "namedtuple", "UserString"})


def has_classes_of_texts(tree: ast.Module) -> bool:
    """Has the module classes whose objects are equal to texts or tuples?"""
    for node in every(tree):
        if isinstance(node, ast.ClassDef):
            parts = (part for base in node.bases for part in ast.walk(base))
            if any(getattr(part, "id", getattr(part, "attr", "")) in _OF_TEXTS for part in parts):
                return True
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "namedtuple":
            return True
    return False


def implied_attributes(tree: ast.AST) -> frozenset[str] | None:
    """Attributes under which objects have what no text stores there: exceptions, members of enumerations, functions.
    None if the text gets at attributes by other means than their names."""
    found = set(_IMPLIED)
    looked_at = {id(call.func) for node in every(tree) for call in _only_looked_at(node)}
    for node in every(tree):
        if id(node) in looked_at:
            continue
        named = getattr(node, "id", getattr(node, "attr", getattr(node, "name", getattr(node, "value", None))))
        if not isinstance(named, str):
            continue
        if named in _AT_LARGE:
            return None
        if named.endswith(("Enum", "Flag")) or named == "StopIteration":
            found.add("value")
        if isinstance(node, ast.Attribute) and named.startswith("_") and named.endswith("_"):
            found.add(named)
    return frozenset(found)


def _only_looked_at(node: ast.AST) -> Iterator[ast.Call]:
    """The calls `vars(x)` of which this node only takes something out."""
    taken: list[ast.expr] = []
    if isinstance(node, (ast.For, ast.comprehension)):
        taken = [node.iter]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        taken = [node.value]
    elif isinstance(node, ast.Compare):
        taken = node.comparators
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _COPYING:
        taken = node.args
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TAKING_OUT:
        taken = [node.func.value]
    for one in taken:
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "vars" and one.args:
            yield one


_COPYING: Final = frozenset({"dict", "list", "tuple", "set", "sorted", "len"})
_TAKING_OUT: Final = frozenset({"items", "keys", "values", "get", "copy"})
_AT_LARGE: Final = frozenset(
    {"__dict__", "vars", "locals", "__setattr__", "__setstate__", "__getattr__", "__getattribute__"}
)
_IMPLIED: Final = frozenset({"args", "exceptions", "func", "keywords", "obj", "_field_defaults"})
_REFLECTING: Final = frozenset({"__dict__", "vars", "__setstate__", "__new__", "__class__", "__getattr__"})


def _has_self(method: Scope) -> bool:
    first = next(iter((*method.args.posonlyargs, *method.args.args)), None)
    return first is not None and first.arg == "self" and not is_of_class(method)


def _is_new_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self" and not isinstance(node.ctx, ast.Load)


def _is_of_self(node: ast.AST, use: type[ast.expr_context]) -> bool:
    """Is this an attribute of `self`, used in this way?"""
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, use):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def defaults(function: Scope) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, and this."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults)
    return [
        *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults),
        *((one, default) for one, default in named if default is not None),
    ]


def bound_names(function: Scope, nodes: list[ast.AST]) -> Iterator[str]:
    """The names that are variables of the function."""
    arguments = function.args
    yield from (one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    yield from (one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None)
    outside = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id not in outside:
            yield node.id
        elif isinstance(node, (ast.MatchAs, ast.MatchStar, ast.ExceptHandler)):
            yield from () if node.name in (None, *outside) else (str(node.name),)
        elif isinstance(node, ast.MatchMapping):
            yield from () if node.rest in (None, *outside) else (str(node.rest),)


def dict_variables(function: Scope, nodes: Collection[ast.AST]) -> frozenset[str]:
    """The variables of a function that get nothing but dict displays, whoever assigns them."""
    arguments = function.args
    own = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    others = {one.arg for one in own if one is not None}
    displays: set[int] = set()
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                displays.update(map(id, _given_displays(target, node.value)))
    for node in (part for one in nodes for part in ([one] if not isinstance(one, SCOPES) else ast.walk(one))):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            others.update(node.names)
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            (found if id(node) in displays else others).add(node.id)
        else:
            others.update(bound_by(node))
    return frozenset(found - others)


def _given_displays(target: ast.expr, value: ast.expr) -> Iterator[ast.Name]:
    """The variables among the targets that get a dict display."""
    if isinstance(target, ast.Name) and isinstance(value, (ast.Dict, ast.DictComp)):
        yield target
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        if not any(isinstance(one, ast.Starred) for one in (*target.elts, *value.elts)):
            for inner, given in zip(target.elts, value.elts, strict=True):
                yield from _given_displays(inner, given)


_ACTING: Final = (
    *(ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension, ast.withitem),
    *(ast.Subscript, ast.Match, ast.Raise, ast.ExceptHandler, ast.Return, ast.Yield),
    *(ast.YieldFrom, ast.Call, ast.Attribute),
)


def acts(node: ast.AST) -> bool:
    """Does the node move or change values?"""
    return isinstance(node, _ACTING)
