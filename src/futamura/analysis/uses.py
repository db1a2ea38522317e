"""Where a text uses its functions and classes, what for, and which function is running then.

    def unary(code, fn):
        op(code)(lambda x: fn(x))       `op` is called for something that is called at once, while `unary` runs;
                                        `fn`, the variable of `unary`, is called while the lambda runs
    unary("inc", step)                  `unary` is called while the module runs; `step` is used, for whatever it be

Invariant: a use that is not understood is "used".  A name that a function binds is its variable there and in the
functions inside of it; a name that cannot be told from a global's counts as the global's.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple, TypeAlias

from futamura.analysis.reading import bound_by
from futamura.analysis.trees import every

__all__ = ["FUNCTIONS", "Home", "Use", "uses"]

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
Home: TypeAlias = "ast.AST | None"
"""A function, or a generator expression; None is the module itself."""


class Use(NamedTuple):
    """A place where a name is read."""

    node: ast.expr
    name: str
    owner: Home
    """The function whose variable it is; none of globals and attributes."""
    way: str
    """"decorator" of `@op`; "decorating" of `@op(...)`, `op(...)(f)` and `op(...)` alone, which leave nothing of the
    result; "called"; "asked" for an attribute, or whether something is of this class; "base" or "metaclass" of a class;
    else "used"."""
    during: Home
    """What is running then."""
    kind: str
    """"name", "attribute", or "class" for a name that stands in the body of a class, but in no function."""


class _Place(NamedTuple):
    """Where a part of the text stands."""

    during: Home
    variables: tuple[tuple[ast.AST, frozenset[str]], ...]
    """Those of the functions around it, the innermost last."""
    in_class: bool


def uses(tree: ast.AST) -> Iterator[Use]:
    """The uses of names and attributes in a text, annotations apart."""
    ways = dict(_ways(tree))
    consumed = set(_consumed(tree))
    work = [(tree, _Place(None, (), in_class=False))]
    while work:
        node, place = work.pop()
        work.extend(_inside(node, place, consumed))
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            name = node.id if isinstance(node, ast.Name) else node.attr
            way = ways.get(id(node), "used")
            kind = "attribute" if isinstance(node, ast.Attribute) else "class" if place.in_class else "name"
            yield Use(node, name, _owner(node, place), way, place.during, kind)
        elif isinstance(node, ast.MatchClass):
            yield from (Use(node.cls, name, None, "used", place.during, "attribute") for name in node.kwd_attrs)
        elif isinstance(node, ast.Call) and (named := _named_by(node)):
            yield Use(node, named, None, "used", place.during, "attribute")
        elif isinstance(node, ast.Call) and _shows_variables(node):
            for one, names in place.variables:
                yield from (Use(node, name, one, "used", None, "name") for name in sorted(names))


def _owner(node: ast.Name | ast.Attribute, place: _Place) -> Home:
    if isinstance(node, ast.Attribute):
        return None
    return next((one for one, names in reversed(place.variables) if node.id in names), None)


def _inside(node: ast.AST, place: _Place, consumed: Collection[int]) -> Iterator[tuple[ast.AST, _Place]]:
    """The parts of a node, and where they stand; some generators are `consumed` at once."""
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        outer = [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]
        outer += [] if isinstance(node, ast.Lambda) else node.decorator_list
        yield from ((part, place) for part in (*outer, *_called_by_annotations(node)))
        own, shared = _variables(node)
        around = tuple((one, names - shared) for one, names in place.variables)
        inner = _Place(node, (*around, (node, own)), in_class=False)
        yield from ((part, inner) for part in ([node.body] if isinstance(node, ast.Lambda) else node.body))
    elif isinstance(node, _COMPREHENSIONS):
        later = isinstance(node, ast.GeneratorExp) and id(node) not in consumed
        yield from _of_comprehension(node, place, node if later else place.during)
    elif isinstance(node, ast.ClassDef):
        yield from ((part, place) for part in (*node.bases, *node.keywords, *node.decorator_list))
        yield from ((part, place._replace(in_class=True)) for part in node.body)
    elif isinstance(node, ast.AnnAssign):
        called = (part for part in ast.walk(node.annotation) if isinstance(part, ast.Call))
        yield from ((part, place) for part in (node.target, node.value, *called) if part is not None)
    else:
        yield from ((part, place) for part in ast.iter_child_nodes(node))


def _called_by_annotations(function: ast.AST) -> Iterator[ast.Call]:
    """The calls that the annotations of a function make where it is defined."""
    arguments = getattr(function, "args", None)
    named = [part.annotation for part in ast.walk(arguments) if isinstance(part, ast.arg)] if arguments else []
    for annotation in (*named, getattr(function, "returns", None)):
        if annotation is not None:
            yield from (part for part in ast.walk(annotation) if isinstance(part, ast.Call))


_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Comprehension: TypeAlias = "ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp"
_CONSUMING: Final = frozenset(
    {"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "any", "all", "min", "max"}
)


def _consumed(tree: ast.AST) -> Iterator[int]:
    """By identity the only arguments of builtins that leave nothing of a generator."""
    own = {name for node in every(tree) for name in bound_by(node)}
    for node in every(tree):
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            called = node.func
            method = called.attr if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Constant) else ""
            if method == "join" or getattr(called, "id", "") in _CONSUMING - own:
                yield id(node.args[0])


def _of_comprehension(node: _Comprehension, place: _Place, during: Home) -> Iterator[tuple[ast.AST, _Place]]:
    """The parts of a comprehension: the first iterable is made around it."""
    first = node.generators[0]
    targets = [part for one in node.generators for part in ast.walk(one.target)]
    own = frozenset(part.id for part in targets if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    inner = place._replace(during=during, variables=(*place.variables, (node, own)))
    made = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    yield first.iter, place
    yield from ((part, inner) for part in (*made, first.target, *first.ifs, *node.generators[1:]))


def _ways(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """By identity what names and attributes are used for, the decisive way last."""
    nodes = every(tree)
    for node in nodes:
        if isinstance(node, ast.Attribute):
            yield id(node.value), "asked"
        elif isinstance(node, ast.ExceptHandler) and node.type is not None:
            yield id(node.type), "asked"
        elif isinstance(node, ast.Call):
            yield id(node.func), "called"
            asked = {"isinstance": node.args[1:], "super": node.args[:1]}.get(getattr(node.func, "id", ""), [])
            yield from ((id(part), "asked") for part in asked)
        elif isinstance(node, ast.ClassDef):
            yield from ((id(one), "base") for one in node.bases)
            yield from ((id(one.value), "metaclass") for one in node.keywords if one.arg == "metaclass")
    for node in nodes:
        if isinstance(node, (ast.Call, ast.Expr)):
            called = node.func if isinstance(node, ast.Call) else node.value
            yield from [(id(called.func), "decorating")] if isinstance(called, ast.Call) else ()
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            for decorator in node.decorator_list:
                yield id(decorator), "decorator"
                if isinstance(decorator, ast.Call):
                    yield id(decorator.func), "decorating"


def _named_by(call: ast.Call) -> str:
    """The name of an attribute that is asked for by a text."""
    called = getattr(call.func, "id", getattr(call.func, "attr", ""))
    at = {"getattr": 1, "attrgetter": 0, "methodcaller": 0}.get(called, len(call.args))
    named = call.args[at] if at < len(call.args) else None
    return named.value if isinstance(named, ast.Constant) and type(named.value) is str else ""


def _shows_variables(node: ast.Call) -> bool:
    return getattr(node.func, "id", "") in ("locals", "vars") and not node.args


def _variables(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> tuple[frozenset[str], frozenset[str]]:
    """The names that the function binds for itself, and those that it declares to be globals."""
    names = {part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)}
    work: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    shared: set[str] = set()
    others: set[str] = set()
    while work:
        node = work.pop()
        if isinstance(node, ast.Global):
            shared.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            others.update(node.names)
        names.update(bound_by(node))
        if isinstance(node, ast.comprehension):  # its target is a variable of the comprehension
            work.extend((node.iter, *node.ifs))
        elif not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            work.extend(ast.iter_child_nodes(node))
    return frozenset(names - shared - others), frozenset(shared)
