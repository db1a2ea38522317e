"""Which names a function binds, captures and reads from outside: Python's scoping on the syntax tree.

    def f(a):                          f: bound a b; captured b; free g's none
        b = [x for x in a]             listcomp: bound x (in line: its variables live in f's frame)
        return lambda: b               lambda: free b

One walk per function collects names (explicit stack: deep trees are fine), one small recursion over the
nested scopes then resolves them.  What the function must not contain (async code, access to its own
frame) is noted on the way; `refusals.py` decides.

Invariant: after `analyze`, `scope.free` and `scope.captured` of every scope are what CPython's symbol table
says, except that comprehensions are part of their function and that a nested class (or another definition
the IR does not look into) is one scope "opaque" that captures all it mentions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, TypeAlias

from futamura.ir.graph import FunctionKind

__all__ = ["COMPREHENSIONS", "FUNCTIONS", "Scope", "analyze", "is_opaque", "mangle", "parameters"]

ScopeKind: TypeAlias = Literal["function", "comprehension", "class", "opaque"]

COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp)
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

FRAME_NAMES: Final = frozenset({"eval", "exec", "locals", "_getframe", "currentframe", "stack"})
"""Functions that reach into the caller's frame however they are used."""

FRAME_CALLS: Final = frozenset({"vars", "dir"})
"""Builtins that do so when called without arguments."""

FRAME_ATTRIBUTES: Final = {"_getframe": "sys", "currentframe": "inspect", "stack": "inspect"}
"""Functions that do so, and the modules they come from."""


def mangle(private: str | None, name: str) -> str:
    """The name as Python stores it in the class `private` (None: outside of classes)."""
    if private is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = private.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


def is_opaque(node: ast.AST) -> bool:
    """Whether this definition becomes one `class` operation."""
    if isinstance(node, ast.ClassDef) or type(node).__name__ == "TypeAlias" or getattr(node, "type_params", None):
        return True
    return isinstance(node, ast.AsyncFunctionDef) and any(map(_is_refused, ast.walk(node)))


def _is_refused(node: ast.AST) -> bool:
    """Would a function that this is in be refused, if it is one that waits?  Then only its source is carried along."""
    if isinstance(node, ast.GeneratorExp):
        return any(isinstance(inner, ast.Await) or getattr(inner, "is_async", 0) for inner in ast.walk(node))
    if isinstance(node, ast.Name):
        return node.id in FRAME_NAMES or node.id in FRAME_CALLS
    if isinstance(node, ast.Attribute):
        return node.attr in FRAME_ATTRIBUTES
    if isinstance(node, ast.alias):
        return node.name in FRAME_ATTRIBUTES
    return isinstance(node, (ast.Yield, ast.YieldFrom)) or type(node).__name__ == "TryStar"


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters in the order of `co_varnames`."""
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return found + [star for star in (arguments.vararg, arguments.kwarg) if star is not None]


class Scope:
    """The names of one function, comprehension or opaque definition."""

    __slots__ = (
        "bound",
        "captured",
        "children",
        "clause_names",
        "explicit",
        "free",
        "generator",
        "kind",
        "node",
        "nonlocals",
        "parent",
        "private",
        "rebound",
        "suspects",
        "trouble",
        "unbound",
        "uses",
    )

    def __init__(self, kind: ScopeKind, node: ast.AST, private: str | None, parent: Scope | None = None) -> None:
        self.kind = kind
        self.node = node
        self.private = private
        self.parent = parent
        self.bound: dict[str, None] = {}
        self.uses: dict[str, None] = {}
        self.explicit: set[str] = set()
        self.nonlocals: set[str] = set()
        self.unbound: set[str] = set()
        """Names that `del` unbinds here."""
        self.rebound: set[str] = set()
        """Parameters that are assigned, and other names that are bound in several places."""
        self.clause_names: set[str] = set()
        self.children: dict[ast.AST, Scope] = {}
        self.free: frozenset[str] = frozenset()
        self.captured: frozenset[str] = frozenset()
        self.generator = False
        self.trouble: list[tuple[str, str, ast.AST]] = []
        """What is refused for certain: (code, what, where)."""
        self.suspects: list[tuple[str, ast.expr]] = []
        """What is refused if the name means what it says: ("name" | "call" | "attribute", expression)."""

    def bind(self, name: str) -> None:
        if name in self.bound:
            self.rebound.add(name)
        self.bound[name] = None

    def is_asynchronous(self) -> bool:
        return isinstance(self.node, ast.AsyncFunctionDef)

    def is_in_expression(self) -> bool:
        """Is this the scope of a generator expression, or of a comprehension in one?"""
        around: Scope | None = self
        while around is not None and around.kind == "comprehension":
            around = around.parent
        return around is not None and isinstance(around.node, ast.GeneratorExp)

    @property
    def function_kind(self) -> FunctionKind:
        """What a call of the function of this scope makes."""
        return "coroutine" if self.is_asynchronous() else "generator" if self.generator else "function"

    @property
    def locals(self) -> tuple[str, ...]:
        """The names that live in this scope, in the order of appearance."""
        return tuple(name for name in self.bound if name not in self.explicit and name not in self.nonlocals)

    def function_scopes(self) -> Iterable[Scope]:
        """This scope and all below it whose code is lowered."""
        pending = [self]
        while pending:
            scope = pending.pop()
            yield scope
            pending.extend(child for child in reversed(scope.children.values()) if child.kind != "opaque")


def analyze(node: ast.AST, private: str | None, visible: Iterable[str], *, stringized: bool) -> Scope:
    """The scope of the function `node`; `visible` are the names of enclosing functions.

    `stringized` says that annotations are not evaluated (`from __future__ import annotations`).
    """
    root = Scope("function", node, private)
    _Collector(stringized).function(root, node)
    _resolve(root, frozenset(visible))
    return root


def _resolve(scope: Scope, visible: frozenset[str]) -> frozenset[str]:
    """Set `free` and `captured` below `scope`; return the names that real closures below it need from outside."""
    own = frozenset(scope.locals)
    hidden: frozenset[str] = frozenset() if scope.kind == "class" else own
    inner = (visible - scope.explicit) | hidden
    if scope.kind == "class":
        inner |= {"__class__"}
    from_below: set[str] = set()
    closures: set[str] = set()
    for child in scope.children.values():
        closures |= _resolve(child, inner)
        from_below |= child.free
    needed = (scope.uses.keys() | scope.nonlocals) - own - scope.explicit
    # What a class body binds is not in view of the functions inside; they see past it.
    needed |= from_below - {"__class__"} if scope.kind == "class" else from_below - own - scope.explicit
    scope.free = frozenset(needed & visible)
    scope.captured = own & closures
    if scope.kind == "comprehension":
        return frozenset(closures - own)
    return scope.free


class _Collector:
    """Fills scopes by walking their code."""

    def __init__(self, stringized: bool) -> None:
        self.stringized = stringized
        self.stack: list[tuple[ast.AST, Scope]] = []

    def function(self, scope: Scope, node: ast.AST) -> None:
        """Walk the code of a function scope; nested scopes are queued and walked too."""
        self.enter(scope, node)
        stack, handlers, fields = self.stack, _HANDLERS, _FIELDS
        while stack:
            current, scope = stack.pop()
            kind = current.__class__
            handler = handlers.get(kind)
            if handler is not None and handler(self, scope, current):
                continue
            for name in fields[kind]:
                child = getattr(current, name, None)
                if child is None:
                    continue
                if child.__class__ is list:
                    stack.extend([(item, scope) for item in reversed(child) if item is not None])
                else:
                    stack.append((child, scope))

    def enter(self, scope: Scope, node: ast.AST) -> None:
        """Queue what runs inside the scope of `node`."""
        if isinstance(node, FUNCTIONS):
            for parameter in parameters(node.args):
                scope.bound[mangle(scope.private, parameter.arg)] = None
            body = node.body if isinstance(node.body, list) else [node.body]
            self.push(scope, body)
        elif isinstance(node, ast.ClassDef):
            self.push(scope, node.body)
        elif isinstance(node, ast.GeneratorExp):
            scope.generator = True
            scope.bound[".0"] = None
            self.comprehension(scope, node)
        else:
            self.comprehension(scope, node)

    def push(self, scope: Scope, nodes: Iterable[ast.AST | None]) -> None:
        self.stack.extend([(node, scope) for node in reversed(list(nodes)) if node is not None])

    def comprehension(self, scope: Scope, node: Any) -> None:
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner: list[ast.AST] = list(results)
        for position, clause in enumerate(node.generators):
            inner += [clause.target, *clause.ifs]
            if position:
                inner.append(clause.iter)
            if clause.is_async and scope.is_in_expression():
                scope.trouble.append(("FT105", "an asynchronous generator expression", node))
        self.push(scope, inner)

    # What each kind of node does; True: its children are dealt with.

    def name(self, scope: Scope, node: ast.Name) -> bool:
        name = mangle(scope.private, node.id)
        if isinstance(node.ctx, ast.Load):
            scope.uses[name] = None
            if name in FRAME_NAMES:
                scope.suspects.append(("name", node))
            elif name == "super" and scope.kind != "class":
                scope.uses["__class__"] = None
        else:
            scope.bind(name)
            if isinstance(node.ctx, ast.Del):
                scope.unbound.add(name)
        return True

    def leaf(self, scope: Scope, node: ast.AST) -> bool:
        return True

    def call(self, scope: Scope, node: ast.Call) -> bool:
        if not node.args and not node.keywords and isinstance(node.func, ast.Name) and node.func.id in FRAME_CALLS:
            scope.suspects.append(("call", node.func))
        return False

    def attribute(self, scope: Scope, node: ast.Attribute) -> bool:
        if node.attr in FRAME_ATTRIBUTES:
            scope.suspects.append(("attribute", node))
        return False

    def lambda_(self, scope: Scope, node: ast.Lambda) -> bool:
        self.push(scope, [*node.args.defaults, *node.args.kw_defaults])
        self.nested(scope, node, "function")
        return True

    def definition(self, scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        scope.bind(mangle(scope.private, node.name))
        if is_opaque(node):
            return self.opaque(scope, node)
        self.push(scope, [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults, *self.annotations(node)])
        self.nested(scope, node, "function")
        return True

    def annotations(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
        if self.stringized:
            return []
        found = [parameter.annotation for parameter in parameters(node.args)] + [node.returns]
        return [annotation for annotation in found if annotation is not None]

    def nested(self, scope: Scope, node: ast.AST, kind: ScopeKind) -> Scope:
        child = Scope(kind, node, scope.private, scope)
        scope.children[node] = child
        self.enter(child, node)
        return child

    def class_(self, scope: Scope, node: ast.ClassDef) -> bool:
        scope.bind(mangle(scope.private, node.name))
        return self.opaque(scope, node)

    def type_alias(self, scope: Scope, node: Any) -> bool:
        scope.bind(mangle(scope.private, node.name.id))
        child = scope.children[node] = Scope("opaque", node, scope.private, scope)
        inner = child.children[node.name] = Scope("function", node, scope.private, child)
        self.type_parameters(inner, node)
        self.push(inner, [node.value])
        return True

    def opaque(self, scope: Scope, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """The head of the definition is walked in a scope of its own: all that it mentions is captured."""
        head = scope.children[node] = Scope("opaque", node, scope.private, scope)
        generic = head
        if getattr(node, "type_params", ()):
            generic = head.children[node] = Scope("function", node, scope.private, head)
            self.type_parameters(generic, node)
        kind: ScopeKind = "class" if isinstance(node, ast.ClassDef) else "function"
        body = generic.children[node] = Scope(kind, node, scope.private, generic)
        self.push(head, node.decorator_list)
        if isinstance(node, ast.ClassDef):
            body.private = node.name
            self.push(generic, [*node.bases, *(keyword.value for keyword in node.keywords)])
        else:
            self.push(head, [*node.args.defaults, *node.args.kw_defaults])
            self.push(generic, self.annotations(node))
        self.enter(body, node)
        return True

    def type_parameters(self, scope: Scope, node: Any) -> None:
        for parameter in getattr(node, "type_params", ()):
            scope.bind(mangle(scope.private, parameter.name))
            inner = (getattr(parameter, "bound", None), getattr(parameter, "default_value", None))
            self.push(scope, inner)

    def inline(self, scope: Scope, node: Any) -> bool:
        self.push(scope, [node.generators[0].iter])
        self.nested(scope, node, "comprehension")
        return True

    def generator_expression(self, scope: Scope, node: ast.GeneratorExp) -> bool:
        self.push(scope, [node.generators[0].iter])
        self.nested(scope, node, "function")
        return True

    def walrus(self, scope: Scope, node: ast.NamedExpr) -> bool:
        """Comprehensions and generator expressions bind it in the function around them."""
        inner = scope
        name = mangle(scope.private, node.target.id)
        while scope.kind == "comprehension" or isinstance(scope.node, ast.GeneratorExp):
            scope.nonlocals.add(name)
            scope.uses[name] = None
            assert scope.parent is not None
            scope = scope.parent
        scope.bind(name)
        self.push(inner, [node.value])
        return True

    def import_(self, scope: Scope, node: ast.Import | ast.ImportFrom) -> bool:
        module = getattr(node, "module", None)
        for alias in node.names:
            if module is not None and FRAME_ATTRIBUTES.get(alias.name) == module:
                scope.trouble.append(("FT103", f"an import of `{module}.{alias.name}`", alias))
            scope.bind(mangle(scope.private, alias.asname or alias.name.partition(".")[0]))
        return True

    def global_(self, scope: Scope, node: ast.Global) -> bool:
        scope.explicit.update(mangle(scope.private, name) for name in node.names)
        return True

    def nonlocal_(self, scope: Scope, node: ast.Nonlocal) -> bool:
        scope.nonlocals.update(mangle(scope.private, name) for name in node.names)
        return True

    def clause(self, scope: Scope, node: ast.ExceptHandler) -> bool:
        if node.name is not None:
            name = mangle(scope.private, node.name)
            scope.bind(name)
            scope.clause_names.add(name)
        return False

    def capture(self, scope: Scope, node: Any) -> bool:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            scope.bind(mangle(scope.private, name))
        return False

    def annotated(self, scope: Scope, node: ast.AnnAssign) -> bool:
        """Annotations of local variables are never evaluated; a class's are.  `(x): int` alone binds nothing."""
        binds = node.simple or node.value is not None or not isinstance(node.target, ast.Name)
        found: list[ast.AST | None] = [node.target if binds else None, node.value]
        if scope.kind == "class" and not self.stringized:
            found.append(node.annotation)
        self.push(scope, found)
        return True

    def yields(self, scope: Scope, node: ast.Yield | ast.YieldFrom) -> bool:
        scope.generator = True
        if scope.is_asynchronous():
            scope.trouble.append(("FT105", "`yield` in an asynchronous function", node))
        return False

    def awaits(self, scope: Scope, node: ast.Await) -> bool:
        if scope.is_in_expression():
            scope.trouble.append(("FT105", "an asynchronous generator expression", node))
        return False

    def except_star(self, scope: Scope, node: ast.AST) -> bool:
        scope.trouble.append(("FT106", "`except*`", node))
        return False


_HANDLERS: Final[dict[type[ast.AST], Callable[[_Collector, Scope, Any], bool]]] = {
    ast.Name: _Collector.name,
    ast.Constant: _Collector.leaf,
    ast.MatchSingleton: _Collector.leaf,
    ast.Call: _Collector.call,
    ast.Attribute: _Collector.attribute,
    ast.Lambda: _Collector.lambda_,
    ast.FunctionDef: _Collector.definition,
    ast.AsyncFunctionDef: _Collector.definition,
    ast.ClassDef: _Collector.class_,
    ast.ListComp: _Collector.inline,
    ast.SetComp: _Collector.inline,
    ast.DictComp: _Collector.inline,
    ast.GeneratorExp: _Collector.generator_expression,
    ast.NamedExpr: _Collector.walrus,
    ast.Import: _Collector.import_,
    ast.ImportFrom: _Collector.import_,
    ast.Global: _Collector.global_,
    ast.Nonlocal: _Collector.nonlocal_,
    ast.ExceptHandler: _Collector.clause,
    ast.MatchAs: _Collector.capture,
    ast.MatchStar: _Collector.capture,
    ast.MatchMapping: _Collector.capture,
    ast.AnnAssign: _Collector.annotated,
    ast.Yield: _Collector.yields,
    ast.YieldFrom: _Collector.yields,
    ast.Await: _Collector.awaits,
    ast.TryStar: _Collector.except_star,
    **({ast.TypeAlias: _Collector.type_alias} if hasattr(ast, "TypeAlias") else {}),
}

_LEAVES: Final = frozenset(
    {"ctx", "op", "ops", "type_comment", "kind", "conversion", "id", "attr", "level", "simple", "is_async"}
)
"""Fields that hold no names."""


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """For each class of nodes, the fields that may hold nodes, last first; filled on demand."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        named = issubclass(kind, (ast.pattern, ast.ExceptHandler, ast.keyword))
        text = ("name", "arg", "rest", "kwd_attrs") if named else ()
        fields = tuple(name for name in reversed(kind._fields) if name not in _LEAVES and name not in text)
        self[kind] = fields
        return fields


_FIELDS: Final = _Fields()
