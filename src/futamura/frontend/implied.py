"""Special methods: what operators, statements and builtins call without naming it, and with what.

    class Log:
        def __len__(self): self.asked += 1         len(LOGS["a"]) changes that Log: one of the `changing_classes`
        def __contains__(self, row): row.clear()   row may be any operand of the module: `operands`

Invariant: methods that are only called where something is stored (`__setitem__`, `__setattr__`, `__iadd__`) are not
among those that change what they belong to: a store counts as a change wherever it stands.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from futamura.analysis.methods import BUILTINS, GIVING, MUTATING, OPERATORS, READING
from futamura.frontend.walking import Scope, is_of_class

__all__ = [
    "MAKING", "SEARCHED", "Giving", "changing_classes", "gives_anything", "is_own_class", "is_special", "operands",
    "receiver", "searched", "shifts", "special_parameters",
]  # fmt: skip

_STORING: Final = frozenset({"__setitem__", "__delitem__", "__setattr__", "__delattr__"}) | {
    f"__i{name}__" for name in OPERATORS
}
_OF_CLASSES: Final = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__", "__prepare__"})
MAKING: Final = ("__init__", "__new__", "__post_init__")


class Giving:
    """The special methods of a module whose results operators and comparisons give, and those of which come parts of
    objects."""

    def __init__(self, named: Mapping[str, Collection[Scope]]) -> None:
        self._by: Final = {
            operator: frozenset(one for side in ("", "r", "i") for one in named.get(f"__{side}{name}__", ()))
            for operator, name in _OPERATORS.items()
        }
        self.any: Final = frozenset(one for found in self._by.values() for one in found).union(
            named.get("__divmod__", ()), named.get("__rdivmod__", ())
        )
        compared = (name for name, kind in _KINDS.items() if kind == "comparison")
        self.compared: Final = frozenset(one for name in compared for one in named.get(name, ()))
        self.parts: Final = frozenset(one for name in _OF_PARTS for one in named.get(name, ()))

    def of(self, node: ast.BinOp | ast.AugAssign) -> frozenset[Scope]:
        """The methods that this operator may be."""
        return self._by[type(node.op)]


_OF_PARTS: Final = ("__getitem__", "__missing__", "__get__", "__class_getitem__")
_OPERATORS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip


_PASSED_BY: Final = {"__get__": 3, "__set__": 2, "__delete__": 2, "__exit__": 4, "__set_name__": 3}
"""So many first parameters get no operand: a class statement gives `__set_name__` its new class."""


def special_parameters(functions: Iterable[Scope]) -> Iterator[tuple[tuple[Scope, str], str]]:
    """The parameters of special methods that operands come to, with the kind of the method.  What a descriptor belongs
    to is told by its class, and what is called by its call."""
    for function in functions:
        if is_special(function):
            assert not isinstance(function, ast.Lambda)
            skipped = _PASSED_BY.get(function.name, 1)
            kind = _KINDS.get(function.name, "other")
            yield from (((function, one.arg), kind) for one in parameters(function)[skipped:] if kind != "call")
        elif getattr(function, "name", "") in MAKING:
            yield from (((function, one.arg), "metaclass") for one in parameters(function)[1:])


_KINDS: Final = {
    **{f"__{side}{name}__": "operator" for side in ("", "r", "i") for name in OPERATORS},
    **{f"__{name}__": "comparison" for name in ("eq", "ne", "lt", "le", "gt", "ge", "contains", "hash")},
    **{f"__{name}__": "item" for name in ("getitem", "setitem", "delitem", "missing", "class_getitem")},
    **{f"__{name}__": "attribute" for name in ("setattr", "set")},
    "__call__": "call",
    "__init_subclass__": "class",
}
_TOLD: Final = frozenset(
    f"__{name}__"
    for name in (
        *("repr", "str", "format", "bytes", "bool", "len", "length_hint", "hash", "index", "int", "float", "complex"),
        *("contains", "exit", "init_subclass", "set_name", "set", "delete", "del", "sizeof"),
        *("setattr", "delattr", "setitem", "delitem"),
    )
)
"""Of these nobody gets the result who does not name them, or it is a text or a number."""
_FOLLOWED: Final = frozenset({"__get__", "__call__"})
"""Of these whoever reads an attribute, or calls what has no name here, gets the result."""


def gives_anything(function: Scope, texts: Collection[object]) -> bool:
    """Is it called without being named, by somebody who may do what he likes with its result?  `texts` may be names by
    which it is called."""
    name = getattr(function, "name", "")
    return is_special(function) and (name in texts or name not in _TOLD | _FOLLOWED)


def is_special(function: Scope) -> bool:
    """May it be called without being named?  Constructors are named by their class."""
    if isinstance(function, ast.Lambda) or function.name in MAKING:
        return False
    return function.name.startswith("__") and function.name.endswith("__")


def parameters(function: Scope) -> list[ast.arg]:
    """All of them, with what collects arguments."""
    arguments = function.args
    collecting = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *collecting]


def receiver(function: Scope) -> str | None:
    """The parameter that gets what a method is called on."""
    return next((one.arg for one in (*function.args.posonlyargs, *function.args.args)), None)


def is_own_class(function: Scope, name: str, nodes: Iterable[ast.AST]) -> bool:
    """Is this the class that a class method gets, which nothing in the method binds anew?"""
    if name != receiver(function) or not is_of_class(function, "classmethod"):
        return False
    names = (node for node in nodes if isinstance(node, ast.Name) and node.id == name)
    return all(isinstance(node.ctx, ast.Load) for node in names)


def changing_classes(
    classes: Collection[ast.ClassDef], is_changed: Callable[[Scope, str], bool]
) -> tuple[frozenset[str], frozenset[str]]:
    """The classes whose special methods may change the instance, and those whose `__get__` changes whose attribute it
    is; `is_changed` tells what functions do to their parameters."""
    found: set[str] = set()
    reading: set[str] = set()
    for cls in classes:
        for method in cls.body:
            if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) or not is_special(method):
                continue
            names = [one.arg for one in parameters(method)]
            if method.name not in _STORING and method.name not in _OF_CLASSES and names:
                if is_changed(method, names[0]):
                    found.add(cls.name)
            if method.name == "__get__" and len(names) > 1 and is_changed(method, names[1]):
                reading.add(cls.name)
    return frozenset(found), frozenset(reading)


def operands(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What special methods may get besides the object that they belong to, with the kind of these methods."""
    if isinstance(node, ast.BinOp):
        yield from (("operator", one) for one in (node.left, node.right))
    elif isinstance(node, ast.AugAssign):
        yield from (("operator", one) for one in (node.target, node.value))
    elif isinstance(node, ast.Compare):
        yield from (("comparison", one) for one in _compared(node))
    elif isinstance(node, ast.Match):
        yield "comparison", node.subject
    elif isinstance(node, ast.Subscript):
        yield from (("item", node.slice), ("comparison", node.slice))
    elif isinstance(node, (ast.Dict, ast.Set)):
        keys = node.keys if isinstance(node, ast.Dict) else node.elts
        yield from (("comparison", key) for key in keys if key is not None)
    elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.For, ast.AsyncFor, ast.comprehension)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else node.iter
        parts = [part for one in targets for part in ast.walk(one)]
        if value is not None and any(isinstance(part, ast.Subscript) for part in parts):
            yield "item", value
        if value is not None and any(isinstance(part, ast.Attribute) for part in parts):
            yield "attribute", value
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.ClassDef):
        yield from ((kind, keyword.value) for kind in ("class", "metaclass") for keyword in node.keywords)


def _compared(node: ast.Compare) -> Iterator[ast.expr]:
    """The operands but for those that are only `searched`."""
    sides = [node.left, *node.comparators]
    for at, one in enumerate(sides):
        if not (at and isinstance(node.ops[at - 1], _SEARCHING)) or at < len(node.ops):
            yield one


def searched(node: ast.AST) -> Iterator[ast.expr]:
    """Of these, special methods get only what is in them: the right side of `in`, and what a method of containers is
    called on."""
    if isinstance(node, ast.Compare):
        pairs = zip(node.ops, node.comparators, strict=True)
        yield from (one for operator, one in pairs if isinstance(operator, _SEARCHING))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _OF_CONTAINERS:
        yield node.func.value


_SEARCHING: Final = (ast.In, ast.NotIn)
_OF_CONTAINERS: Final = frozenset(name for name in READING | MUTATING if not name.startswith("__"))
SEARCHED: Final = frozenset({"comparison", "other"})
"""What kinds of special methods get what is in `searched` operands."""


def _of_call(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """What a builtin, or a function of the library, may hand on."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    kinds = ("attribute",) if name == "setattr" else ("comparison", "other", *(("operator",) if _adds(call) else ()))
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if isinstance(call.func, ast.Attribute) and call.func.attr not in _OF_CONTAINERS:
        given.append(call.func.value)
    yield from ((kind, one) for kind in kinds for one in given)
    yield from (("class", keyword.value) for keyword in call.keywords)


def _adds(call: ast.Call) -> bool:
    """May this call of no function of the program be of a binary operator?  Builtins and methods of containers, which
    are named, are known."""
    if isinstance(call.func, ast.Attribute):
        plus = call.func.attr == "add" and len(call.args) == 2  # `operator.add`
        return plus or call.func.attr not in READING | MUTATING | GIVING
    return not isinstance(call.func, ast.Name) or call.func.id not in BUILTINS - {"sum", "pow", "divmod", "map"}


def shifts(call: ast.Call, callee: Scope) -> tuple[int, ...]:
    """By how many parameters arguments are moved: none, or one, behind the object that a method is called on."""
    explicit = isinstance(call.func, ast.Attribute)
    if not isinstance(callee, ast.Lambda) and callee.name in MAKING:
        if isinstance(call.func, ast.Attribute) and call.func.attr in MAKING:
            bound = getattr(getattr(call.func.value, "func", None), "id", "") == "super"
            return (0,) if callee.name == "__new__" else (1,) if bound else (0, 1)
        return (1,)  # behind the new object
    return (0, 1) if explicit or callee.args.args[:1] else (0,)


_CONTAINERS: Final = ("dict", "list", "set", "bytearray", "deque", "OrderedDict", "defaultdict", "Counter")


def made_anew(function: Scope, call: ast.Call, classes: Collection[str]) -> list[ast.expr]:
    """The container of which this calls the constructor again: `rows.__init__([])`, `dict.__init__(rows)`; not the
    object that is being made, whose class calls those that it inherits from, `classes` among them."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__" else None
    if owner is None or getattr(getattr(owner, "func", None), "id", "") == "super":
        return []
    name = getattr(owner, "id", getattr(owner, "attr", ""))
    found = call.args[:1] if name in _CONTAINERS else [] if name in classes else [owner]
    return [one for one in found if getattr(one, "id", "") != receiver(function)]
