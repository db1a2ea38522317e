"""Expressions other than conditions and comprehensions.

    f(x, *ys, k=a.b[0])        t0 = global f;  GET x;  GET ys;  a;  getattr;  const 0;  getitem;
                               call t0, x, ys, item   with attribute ("", "*", "k")

Operations stand in the order in which CPython evaluates them.  A `*` or `**` operand is expanded where it
stands: if what follows it may notice, it is expanded at once into a list or dictionary of its own.

Invariant: lowering an expression leaves control in one block, which may differ from the one it began in.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from typing import Final

from futamura.frontend.draft import Draft, Temp, lowers
from futamura.ir.ops import OPERATORS, Operator

__all__ = ["BINARY", "call_constant", "index"]

BINARY: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}
_BINARY: Final[dict[type[ast.operator], Operator]] = {kind: OPERATORS[name] for kind, name in BINARY.items()}

_INTERNED: Final = re.compile(r"[A-Za-z0-9_]*")
"""Texts of which the compiler keeps one object only: `is` finds it."""
_GETATTR: Final = OPERATORS["getattr"]
_GETITEM: Final = OPERATORS["getitem"]
_CALL: Final = OPERATORS["call"]
_TUPLE: Final = OPERATORS["tuple"]
_LIST: Final = OPERATORS["list"]
_SET: Final = OPERATORS["set"]
_DICT: Final = OPERATORS["dict"]
_SLICE: Final = OPERATORS["slice"]
_FORMAT: Final = OPERATORS["format"]
_STRING: Final = OPERATORS["string"]
_CONVERSIONS: Final = {-1: "", 115: "s", 114: "r", 97: "a"}


def call_constant(d: Draft, function: object, args: tuple[Temp, ...], node: ast.AST) -> Temp:
    """A call of a known object, one that no name of the program can shadow."""
    return d.emit(_CALL, (d.constant(function, node), *args), None, node)


@lowers(ast.Constant)
def constant(d: Draft, node: ast.Constant) -> Temp:
    return d.constant(_literal_value(node), node)


@lowers(ast.Name)
def name(d: Draft, node: ast.Name) -> Temp:
    identifier = node.id
    if identifier[0] == "_" and identifier[:2] == "__":
        if identifier == "__debug__":
            return d.constant(d.unit.optimize == 0, node)
        identifier = d.mangled(identifier)
    return d.read(identifier, node)


@lowers(ast.Attribute)
def attribute(d: Draft, node: ast.Attribute) -> Temp:
    return d.emit(_GETATTR, (d.value(node.value),), d.mangled(node.attr), node)


def index(d: Draft, node: ast.expr) -> Temp:
    """The index of a subscript; a slice is a value of its own."""
    if isinstance(node, ast.Slice):
        return slice_(d, node)
    return d.value(node)


@lowers(ast.Slice)
def slice_(d: Draft, node: ast.Slice) -> Temp:
    parts = tuple(
        d.constant(None, node) if part is None else d.value(part) for part in (node.lower, node.upper, node.step)
    )
    return d.emit(_SLICE, parts, None, node)


@lowers(ast.Subscript)
def subscript(d: Draft, node: ast.Subscript) -> Temp:
    container = d.value(node.value)
    return d.emit(_GETITEM, (container, index(d, node.slice)), None, node)


@lowers(ast.BinOp)
def binary(d: Draft, node: ast.BinOp) -> Temp:
    """Long chains lean to the left: go down that spine without recursion."""
    spine = [node]
    while isinstance(node.left, ast.BinOp):
        node = node.left
        spine.append(node)
    left = _complex(d, node)
    if left is None:
        left = d.value(node.left)
    else:
        spine.pop()
    while spine:
        node = spine.pop()
        left = d.emit(_BINARY[node.op.__class__], (left, d.value(node.right)), None, node)
    return left


def _complex(d: Draft, node: ast.BinOp) -> Temp | None:
    """The way to write a complex number: `1 + 2j` is one constant."""
    real, sign = node.left, 1
    if isinstance(real, ast.UnaryOp) and isinstance(real.op, ast.USub):
        real, sign = real.operand, -1
    if not (isinstance(real, ast.Constant) and type(real.value) in (int, float)):
        return None
    if not (isinstance(node.right, ast.Constant) and type(node.right.value) is complex):
        return None
    assert isinstance(real.value, (int, float))
    if isinstance(node.op, ast.Add):
        return d.constant(sign * real.value + node.right.value, node)
    if isinstance(node.op, ast.Sub):
        return d.constant(sign * real.value - node.right.value, node)
    return None


# Displays


def _literal(node: ast.expr) -> bool:
    """Whether an item of a display is a constant."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Tuple) and all(map(_literal, node.elts)))


def _literal_value(node: ast.expr) -> object:
    if isinstance(node, ast.Tuple):
        return tuple(_literal_value(item) for item in node.elts)
    assert isinstance(node, ast.Constant)
    value: object = node.value
    if type(value) is str and _INTERNED.fullmatch(value):
        return sys.intern(value)
    return value


def _noticing(d: Draft, nodes: Iterable[ast.expr]) -> int | None:
    """Who may notice that these are evaluated earlier than they stand: the variables of this bit set, if they
    turn out to be cells; `None`: somebody for sure."""
    variables = 0
    for node in nodes:
        if isinstance(node, ast.Starred):
            node = node.value
        if isinstance(node, ast.Name) and node.id in d.names:
            variables |= 1 << d.names[node.id]
        elif not isinstance(node, ast.Constant):
            return None
    return variables


def _items(
    d: Draft, nodes: list[ast.expr], later: list[ast.expr], kind: Operator = _LIST
) -> tuple[list[Temp], list[bool]]:
    """Values of display items or arguments; the second list says which are starred.  What has to be expanded before
    others are computed becomes such a container."""
    temps: list[Temp] = []
    stars: list[bool] = []
    for position, node in enumerate(nodes):
        if not isinstance(node, ast.Starred):
            temps.append(d.value(node))
            stars.append(False)
            continue
        value = d.value(node.value)
        if not d.is_own_arguments(node.value):
            value = d.expand(kind, value, _noticing(d, [*nodes[position + 1 :], *later]), node)
        temps.append(value)
        stars.append(True)
    return temps, stars


def _display(d: Draft, row: Operator, node: ast.List | ast.Set | ast.Tuple) -> Temp:
    temps, stars = _items(d, node.elts, [], _SET if row is _SET else _LIST)
    return d.emit(row, tuple(temps), tuple(stars) if True in stars else None, node)


@lowers(ast.Tuple)
def tuple_(d: Draft, node: ast.Tuple) -> Temp:
    if _literal(node):
        return d.constant(_literal_value(node), node)
    return _display(d, _TUPLE, node)


@lowers(ast.List)
def list_(d: Draft, node: ast.List) -> Temp:
    return _display(d, _LIST, node)


@lowers(ast.Set)
def set_(d: Draft, node: ast.Set) -> Temp:
    return _display(d, _SET, node)


@lowers(ast.Dict)
def dict_(d: Draft, node: ast.Dict) -> Temp:
    temps: list[Temp] = []
    mappings: list[bool] = []
    for position, (key, value) in enumerate(zip(node.keys, node.values)):
        if key is not None:
            temps.append(d.value(key))
            temps.append(d.value(value))
            mappings.append(False)
            continue
        mapping = d.value(value)
        later = [part for pair in zip(node.keys[position + 1 :], node.values[position + 1 :]) for part in pair]
        noticing = _noticing(d, [part for part in later if part is not None])
        mapping = d.expand(_DICT, mapping, noticing, value)
        temps.append(mapping)
        mappings.append(True)
    return d.emit(_DICT, tuple(temps), tuple(mappings) if True in mappings else None, node)


# Calls


@lowers(ast.Call)
def call(d: Draft, node: ast.Call) -> Temp:
    if not node.args and not node.keywords:
        result = _super(d, node)
        return d.emit(_CALL, (d.value(node.func),), None, node) if result is None else result
    function = d.value(node.func)
    later = [keyword.value for keyword in node.keywords]
    if len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
        # A single `*` argument is expanded by the call itself, after the keywords were evaluated.
        temps, stars = [d.value(node.args[0].value)], [True]
    else:
        temps, stars = _items(d, node.args, later)
    if not later and True not in stars:
        return d.emit(_CALL, (function, *temps), None, node)
    form = ["*" if star else "" for star in stars]
    for position, keyword in enumerate(node.keywords):
        value = d.value(keyword.value)
        if keyword.arg is None:
            value = d.expand(_DICT, value, _noticing(d, later[position + 1 :]), keyword)
        temps.append(value)
        form.append("**" if keyword.arg is None else keyword.arg)
    return d.emit(_CALL, (function, *temps), tuple(form), node)


def _super(d: Draft, node: ast.Call) -> Temp | None:
    """`super()` without arguments reads the class cell and the first parameter of the function."""
    function = node.func
    if not (isinstance(function, ast.Name) and function.id == "super"):
        return None
    cell = d.free.get("__class__")
    if cell is None or "super" in d.names or "super" in d.free or "__class__" in d.names:
        return None
    if not d.has_first_argument():
        return None
    if not d.iterators and d.variables[0] in d.scope.unbound:
        raise d.unit.refuse("FT110", "`super()` in a function that deletes its first parameter", node)
    callee = d.value(function)
    return d.emit(OPERATORS["super"], (callee, cell, d.first_argument(node)), None, node)


# Strings, walrus, generators


@lowers(ast.JoinedStr)
def joined(d: Draft, node: ast.JoinedStr) -> Temp:
    parts = node.values
    if not parts:
        return d.constant("", node)
    if len(parts) == 1:
        return d.value(parts[0])
    return d.emit(_STRING, tuple([d.value(part) for part in parts]), None, node)


@lowers(ast.FormattedValue)
def formatted(d: Draft, node: ast.FormattedValue) -> Temp:
    parts = [node.value] if node.format_spec is None else [node.value, node.format_spec]
    return d.emit(_FORMAT, tuple([d.value(part) for part in parts]), _CONVERSIONS[node.conversion], node)


@lowers(ast.NamedExpr)
def walrus(d: Draft, node: ast.NamedExpr) -> Temp:
    value = d.value(node.value)
    d.store(d.mangled(node.target.id), value, node.target)
    return value


@lowers(ast.Yield)
def yield_(d: Draft, node: ast.Yield) -> Temp:
    value = d.constant(None, node) if node.value is None else d.value(node.value)
    return d.emit(OPERATORS["yield"], (value,), None, node)


@lowers(ast.Await)
def await_(d: Draft, node: ast.Await) -> Temp:
    return d.emit(OPERATORS["await"], (d.value(node.value),), None, node)


@lowers(ast.YieldFrom)
def yield_from(d: Draft, node: ast.YieldFrom) -> Temp:
    return d.emit(OPERATORS["yield_from"], (d.value(node.value),), None, node)
