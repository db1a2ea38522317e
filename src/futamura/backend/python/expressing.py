"""Expression trees to text: one printing rule per operator, precedence exact, parentheses only where needed.

    Node(mul, (Node(add, (a, b)), c))   ->   "(a + b) * c"

`Expressions.text(tree, level)` puts parentheses around what binds less tightly than `level`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

from futamura.backend.python.exact import exception_matches, member_of
from futamura.backend.python.opposites import has_opposite, is_joined, is_not, opposite, truth_operand
from futamura.backend.python.trees import (
    Comprehension,
    Expression,
    Fused,
    Literal,
    Node,
    Place,
    Ref,
    Target,
    TupleTarget,
    Variable,
)
from futamura.ir.constant import Constant, is_large
from futamura.ir.graph import FunctionAttr, Value
from futamura.runtime import iterated, iterating

__all__ = ["ATOM", "AWAIT", "RULES", "TEST", "TUPLE", "Context", "Expressions", "literal"]

(TUPLE, TEST, OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, TERM, FACTOR, POWER, AWAIT, ATOM) = range(16)

_BINARY: Final[dict[str, tuple[str, int]]] = {
    "add": ("+", SUM),
    "sub": ("-", SUM),
    "mul": ("*", TERM),
    "matmul": ("@", TERM),
    "truediv": ("/", TERM),
    "floordiv": ("//", TERM),
    "mod": ("%", TERM),
    "lshift": ("<<", SHIFT),
    "rshift": (">>", SHIFT),
    "and": ("&", BITAND),
    "or": ("|", BITOR),
    "xor": ("^", BITXOR),
    "pow": ("**", POWER),
}
INPLACE_SIGNS: Final = {f"i{name}": sign + "=" for name, (sign, _) in _BINARY.items()}
_UNARY: Final = {"neg": "-", "pos": "+", "invert": "~"}
_COMPARE: Final = {
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
    "gt": ">",
    "ge": ">=",
    "is": "is",
    "is_not": "is not",
    "in": "in",
    "not_in": "not in",
}
_NAME: Final = re.compile(r"[^\W\d]\w*")
MAX_DIGITS: Final = 4000
"""Python refuses to convert longer integers from decimal text."""


class Context(Protocol):
    """What expressions need of the function that they stand in."""

    def variable(self, value: Value) -> str: ...
    def constant(self, value: object) -> str: ...
    def cell(self, value: Value) -> str: ...
    def lambda_text(self, node: Node) -> str: ...
    def generator_text(self, node: Node, iterable: str) -> str: ...
    def is_super(self, node: Node) -> bool: ...
    def only_looped_over(self, value: Value) -> bool: ...
    def exact(self, value: Value) -> str: ...
    def is_awaited(self, function: str) -> bool: ...


def literal(value: object) -> tuple[str, int] | None:
    """Text that evaluates to exactly this value, with its precedence; None if there is none, or much of it."""
    found = None if is_large(value) else _literal(value)
    return None if found is not None and type(value) is tuple and len(found[0]) > _LONGEST_TABLE else found


_LONGEST_TABLE: Final = 600
"""A tuple whose text is longer is a constant with a name."""


def _literal(value: object) -> tuple[str, int] | None:
    kind = type(value)
    if value is None or value is True or value is False:
        return repr(value), ATOM
    if value is Ellipsis:
        return "...", ATOM
    if kind is int:
        assert isinstance(value, int)
        text = repr(value) if value.bit_length() < 3 * MAX_DIGITS else hex(value)
        return text, ATOM if value >= 0 else FACTOR
    if kind is str or kind is bytes:
        return repr(value), ATOM
    if kind is float:
        assert isinstance(value, float)
        if not math.isfinite(value):
            return None
        return repr(value), FACTOR if math.copysign(1.0, value) < 0 else ATOM
    if kind is tuple:
        assert isinstance(value, tuple)
        return _tuple_literal(value)
    return None


def _tuple_literal(value: tuple[object, ...]) -> tuple[str, int] | None:
    parts = []
    for item in value:
        found = _literal(item)
        if found is None:
            return None
        parts.append(f"({found[0]})" if type(item) is tuple and found[1] == TUPLE else found[0])
    if not parts:
        return "()", ATOM
    return (parts[0] + "," if len(parts) == 1 else ", ".join(parts)), TUPLE


class Expressions:
    """Prints the expressions of one function."""

    def __init__(self, context: Context) -> None:
        self.context: Final = context
        self.inner: Final[set[str]] = set()
        """The variables that comprehensions bind."""

    def text(self, tree: Expression, level: int = TEST) -> str:
        found, precedence = self.parts(tree)
        return f"({found})" if precedence < level else found

    def parts(self, tree: Expression) -> tuple[str, int]:
        """The text of a tree and how tightly it binds."""
        if isinstance(tree, Ref):
            return self.context.variable(tree.value), ATOM
        if isinstance(tree, Literal):
            found = literal(tree.constant.value)
            return found if found is not None else (self.context.constant(tree.constant.value), ATOM)
        if isinstance(tree, Fused):
            return self._fused(tree)
        return self._node(tree)

    def condition(self, tree: Expression, negated: bool = False, level: int = TEST) -> str:
        """The text of a tree whose truth alone matters."""
        tree = truth_operand(tree)
        if not negated:
            if isinstance(tree, Fused) and tree.data == "condition":
                return self._joined(tree, level)
            if isinstance(tree, Fused) and tree.kind == "not":
                return self.condition(tree.kids[0], True, level)
            return self.text(tree, level)
        if is_not(tree):
            return self.condition(tree.kids[0], False, level)
        other = opposite(tree, self.context.exact)
        if other is not None and isinstance(tree, Node):
            return self._comparison(tree.kids, (other,), level)
        if isinstance(tree, Fused) and has_opposite(tree, self.context.exact):
            return self._joined(tree, level, negated=True)
        found = "not " + self.condition(tree, False, NOT)
        return f"({found})" if level > NOT else found

    def _joined(self, tree: Fused, level: int, *, negated: bool = False) -> str:
        """`a and b`, `a if c else b` in a condition; `not (a or b)` is `not a and not b`."""
        if tree.kind == "ifexp":
            test, then, orelse = tree.kids
            chosen = f"{self.condition(then, False, OR)} if {self.condition(test, False, OR)}"
            found = f"{chosen} else {self.condition(orelse)}"
            return f"({found})" if level > TEST else found
        kind = tree.kind if not negated else "or" if tree.kind == "and" else "and"
        own = AND if kind == "and" else OR
        found = f" {kind} ".join(
            self.condition(kid, negated, own if _is_condition(kid, tree.kind) else own + 1) for kid in tree.kids
        )
        return f"({found})" if own < level else found

    # -- fused control flow

    def _fused(self, tree: Fused) -> tuple[str, int]:
        kind = tree.kind
        if kind in ("and", "or"):
            if tree.data == "condition":
                return self._joined(tree, TUPLE), AND if kind == "and" else OR
            own = AND if kind == "and" else OR
            left = self.text(tree.kids[0], own + 1)
            # `a and (b and c)` is `a and b and c`: the same operands are evaluated, the same one is the value
            right = self.text(tree.kids[1], own if _same(tree.kids[1], kind) else own + 1)
            return f"{left} {kind} {right}", own
        if kind == "not":
            if is_joined(tree.kids[0]):  # as a value it is a bool, which its parts need not be
                return "not " + self.condition(tree.kids[0], False, NOT), NOT
            return self.condition(tree.kids[0], True), NOT
        if kind == "ifexp":
            if tree.data == "condition":
                return self._joined(tree, TUPLE), TEST
            test, then, orelse = tree.kids
            return f"{self.text(then, OR)} if {self.condition(test, False, OR)} else {self.text(orelse, TEST)}", TEST
        if kind == "chain":
            assert isinstance(tree.data, tuple)
            return self._comparison(tree.kids, tree.data, COMPARE), COMPARE
        if kind == "case":
            assert isinstance(tree.data, Constant)
            return self._case(self.text(tree.kids[0], ATOM), tree.data.value)
        if kind == "named":
            assert isinstance(tree.data, int)
            return f"({self.context.variable(tree.data)} := {self.text(tree.kids[0])})", ATOM
        if kind == "iterating":
            return f"{self.context.constant(iterating)}({self.text(tree.kids[0])})", ATOM
        assert isinstance(tree.data, Comprehension)
        return self.comprehension(tree.data, self.text(tree.kids[0], OR), kind), ATOM

    def _case(self, value: str, wanted: object) -> tuple[str, int]:
        """Is the variable `value` exactly this constant, type included?"""
        constant = self.context.constant
        found = literal(wanted)
        kind = type(wanted)
        if kind not in (int, str, bytes, float):
            shown = found[0] if found is not None and kind is not tuple else constant(wanted)
            return f"{value} is {shown}", COMPARE
        exact = f"{constant(type)}({value}) is {constant(kind)}"
        if kind is float:  # 0.0 and -0.0, and every NaN, differ as constants
            return f"{exact} and {constant(repr)}({value}) == {repr(wanted)!r}", AND
        shown = found[0] if found is not None else constant(wanted)
        return f"{exact} and {value} == {shown}", AND

    def _comparison(self, kids: tuple[Expression, ...], names: tuple[str, ...], level: int) -> str:
        same = [name in ("is", "is_not") for name in names]
        found = self._operand(kids[0], same[0])
        for at, (name, kid) in enumerate(zip(names, kids[1:], strict=True)):
            found += f" {_COMPARE[name]} {self._operand(kid, any(same[at : at + 2]))}"
        return f"({found})" if level > COMPARE else found

    def _operand(self, tree: Expression, identical: bool) -> str:
        """An operand of a comparison; a literal whose identity is asked for is a constant with a name."""
        if identical and isinstance(tree, Literal) and type(tree.constant.value) in (str, bytes, int, float, tuple):
            return self.context.constant(tree.constant.value)
        return self.text(tree, BITOR)

    def comprehension(self, found: Comprehension, first: str, kind: str) -> str:
        """A comprehension over `first` with its brackets."""
        elements = [self.text(element, TEST) for element in found.elements]
        if kind == "dictcomp":
            head = f"{elements[0]}: {elements[1]}"
        else:
            head = elements[0]
        parts = [head]
        for clause in found.clauses:
            iterable = first if clause.iterable is None else self.text(clause.iterable, OR)
            target = self.target(clause.target)
            self.inner.update(_NAME.findall(target))
            parts.append(f"for {target} in {iterable}")
            parts.extend(f"if {self.condition(condition, False, OR)}" for condition in clause.conditions)
        brackets = {"listcomp": "[]", "genexp": "()"}.get(kind, "{}")
        return brackets[0] + " ".join(parts) + brackets[1]

    # -- targets

    def target(self, target: Target, nested: bool = False) -> str:
        if isinstance(target, Variable):
            return self.context.variable(target.value)
        if isinstance(target, TupleTarget):
            items = [
                ("*" if at == target.star else "") + self.target(item, True) for at, item in enumerate(target.items)
            ]
            if not items:
                return "[]"
            found = items[0] + "," if len(items) == 1 else ", ".join(items)
            return f"({found})" if nested else found
        return self.place(target)

    def place(self, place: Place) -> str:
        name = place.op.name
        if name == "setattr":
            return f"{self._primary(place.kids[0])}.{place.op.attr}"
        if name == "setitem":
            return f"{self._primary(place.kids[0])}[{self.index(place.kids[1])}]"
        if name == "cell_set":
            return self.context.cell(place.op.args[1])
        assert isinstance(place.op.attr, tuple)
        return str(place.op.attr[1])

    def index(self, tree: Expression) -> str:
        """What stands between the brackets of a subscription."""
        if isinstance(tree, Node) and tree.op.name == "slice":
            return self._slice(tree)
        if isinstance(tree, Literal) and type(tree.constant.value) is slice:
            shown = _slice_text(tree.constant.value)
            if shown is not None:
                return shown
        if isinstance(tree, Node) and tree.op.name == "tuple" and tree.kids and not tree.op.attr:
            items = [self._slice(kid) if _is_slice(kid) else self.text(kid) for kid in tree.kids]
            return items[0] + "," if len(items) == 1 else ", ".join(items)
        return self.text(tree, TUPLE)

    def _slice(self, tree: Expression) -> str:
        assert isinstance(tree, Node)
        start, stop, step = ("" if _is_none(kid) else self.text(kid) for kid in tree.kids)
        return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"

    # -- operators

    def _node(self, tree: Node) -> tuple[str, int]:
        name = tree.op.name
        if name in _BINARY:
            return self._binary(tree)
        if name in _UNARY:
            operand = self.text(tree.kids[0], FACTOR)
            return _UNARY[name] + operand, FACTOR
        if name in _COMPARE:
            return self._comparison(tree.kids, (name,), COMPARE), COMPARE
        rule = RULES.get(name)
        if rule is None:
            raise NotImplementedError(f"no printing rule for {name}")
        return rule(self, tree)

    def _binary(self, tree: Node) -> tuple[str, int]:
        # left spines are long: `a + b + c ...`
        spine: list[Node] = []
        current: Expression = tree
        while isinstance(current, Node) and current.op.name in _BINARY and current.op.name != "pow":
            if spine and _BINARY[current.op.name][1] < _BINARY[spine[-1].op.name][1]:
                break
            spine.append(current)
            current = current.kids[0]
        if not spine:
            left, right = tree.kids
            return f"{self.text(left, ATOM)} ** {self.text(right, FACTOR)}", POWER
        found = self.text(current, _BINARY[spine[-1].op.name][1])
        for node in reversed(spine):
            sign, own = _BINARY[node.op.name]
            found += f" {sign} {self.text(node.kids[1], own + 1)}"
        return found, _BINARY[tree.op.name][1]

    def _primary(self, tree: Expression) -> str:
        """An operand of `.`, `[` or `(`."""
        found, precedence = self.parts(tree)
        number = isinstance(tree, Literal) and type(tree.constant.value) in (int, float)
        return f"({found})" if precedence < ATOM or number else found

    def items(self, tree: Node) -> list[str]:
        return [("*" + self.text(kid, BITOR)) if star else self.text(kid) for star, kid in _spliced(tree)]

    def call(self, tree: Node) -> tuple[str, int]:
        function, *args = tree.kids
        if _is_generator_call(tree):
            iterator = args[0]
            assert isinstance(iterator, Node) and isinstance(function, Node)
            return self.context.generator_text(function, self.text(iterator.kids[0], OR)), ATOM
        marks = tree.op.attr if isinstance(tree.op.attr, tuple) else ("",) * len(args)
        parts = []
        for mark, arg in _expanded(marks, args):
            if mark in ("*", "**"):
                parts.append(mark + self.text(arg, BITOR if mark == "*" else OR))
            elif mark:
                parts.append(f"{mark}={self.text(arg)}")
            else:
                text = self.text(arg)
                parts.append(text[1:-1] if isinstance(arg, Fused) and arg.kind == "named" else text)
        only = len(args) == 1 and not marks[0] and isinstance(args[0], Node) and _is_generator_call(args[0])
        inside = parts[0] if only else f"({', '.join(parts)})"
        return f"{self._primary(function)}{inside}", ATOM


def _spliced(tree: Node) -> Iterator[tuple[bool, Expression]]:
    """The items of a display, each with whether it has a star: `[*[*xs], x]` is `[*xs, x]`."""
    stars = tree.op.attr if isinstance(tree.op.attr, tuple) else (False,) * len(tree.kids)
    for at, (star, kid) in enumerate(zip(stars, tree.kids, strict=True)):
        if star and tree.op.name == "set":
            yield star, _uncopied(kid, "set", tree.kids[at + 1 :])
        elif star and isinstance(kid, Node) and kid.op.name in ("list", "tuple"):
            yield from _spliced(kid)
        else:
            yield star, kid


def _expanded(marks: Sequence[str], args: Sequence[Expression]) -> Iterator[tuple[str, Expression]]:
    """The arguments of a call, each with its mark.  A `*` that is alone is expanded last."""
    alone = sum(mark in ("", "*") for mark in marks) == 1
    for at, (mark, arg) in enumerate(zip(marks, args, strict=True)):
        if (mark == "*" and not alone) or mark == "**":
            arg = _uncopied(arg, "list" if mark == "*" else "dict", args[at + 1 :])
        yield mark, arg


def _uncopied(kid: Expression, kind: str, later: Sequence[Expression]) -> Expression:
    """What stands behind a star: it is expanded before what is computed later, so no copy has to see to that, as in
    `f(*[*xs], g())`.  Any other copy is the program's own."""
    if isinstance(kid, Node) and kid.op.name == kind and kid.op.attr == (True,):
        if any(isinstance(one, (Node, Fused)) for one in later):
            return kid.kids[0]
    return kid


def _is_generator_call(tree: Expression) -> bool:
    if not isinstance(tree, Node) or tree.op.name != "call" or tree.op.attr is not None or len(tree.kids) != 2:
        return False
    function, iterator = tree.kids
    return (
        isinstance(function, Node)
        and isinstance(function.op.attr, FunctionAttr)
        and function.op.attr.name.rpartition(".")[2].startswith("<genexpr>")
        and isinstance(iterator, Node)
        and iterator.op.name == "iter"
    )


def _is_condition(tree: Expression, kind: str) -> bool:
    tree = truth_operand(tree)
    return isinstance(tree, Fused) and tree.kind == kind and tree.data == "condition"


def _same(tree: Expression, kind: str) -> bool:
    return isinstance(tree, Fused) and tree.kind == kind and tree.data is None


def _slice_text(value: slice) -> str | None:
    """A constant slice between brackets, if its parts are integers or absent."""
    parts = (value.start, value.stop, value.step)
    if not all(part is None or type(part) is int for part in parts):
        return None
    start, stop, step = ("" if part is None else repr(part) for part in parts)
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def _is_slice(tree: Expression) -> bool:
    return isinstance(tree, Node) and tree.op.name == "slice"


def _is_none(tree: Expression) -> bool:
    return isinstance(tree, Literal) and tree.constant == Constant(None)


# -- one rule for each operator that has a form of its own

_Rule = Callable[[Expressions, Node], tuple[str, int]]


def _getattr(e: Expressions, tree: Node) -> tuple[str, int]:
    return f"{e._primary(tree.kids[0])}.{tree.op.attr}", ATOM


def _getitem(e: Expressions, tree: Node) -> tuple[str, int]:
    return f"{e._primary(tree.kids[0])}[{e.index(tree.kids[1])}]", ATOM


def _slice_object(e: Expressions, tree: Node) -> tuple[str, int]:
    return f"{e.context.constant(slice)}({', '.join(e.text(kid) for kid in tree.kids)})", ATOM


def _tuple(e: Expressions, tree: Node) -> tuple[str, int]:
    items = e.items(tree)
    if not items:
        return "()", ATOM
    return (items[0] + "," if len(items) == 1 else ", ".join(items)), TUPLE


def _list(e: Expressions, tree: Node) -> tuple[str, int]:
    return f"[{', '.join(e.items(tree))}]", ATOM


def _set(e: Expressions, tree: Node) -> tuple[str, int]:
    items = e.items(tree)
    return ("{" + ", ".join(items) + "}" if items else f"{e.context.constant(set)}()"), ATOM


def _dict(e: Expressions, tree: Node) -> tuple[str, int]:
    return "{" + ", ".join(_entries(e, tree)) + "}", ATOM


def _entries(e: Expressions, tree: Node) -> Iterator[str]:
    """The entries of a display: `{**{**x}, 'b': z}` is `{**x, 'b': z}`; what stands behind others meets them."""
    flags = tree.op.attr if isinstance(tree.op.attr, tuple) else (False,) * (len(tree.kids) // 2)
    at = 0
    for mapping in flags:
        kid = tree.kids[at]
        if mapping and at == 0 and isinstance(kid, Node) and kid.op.name == "dict" and kid.op.attr == (True,):
            yield from _entries(e, kid)
        elif mapping:
            yield "**" + e.text(_uncopied(kid, "dict", tree.kids[at + 1 :]), BITOR)
        else:
            yield f"{e.text(kid)}: {e.text(tree.kids[at + 1])}"
        at += 1 if mapping else 2


def _call(e: Expressions, tree: Node) -> tuple[str, int]:
    return e.call(tree)


def _super(e: Expressions, tree: Node) -> tuple[str, int]:
    if e.context.is_super(tree):
        return f"{e._primary(tree.kids[0])}()", ATOM
    return f"{e._primary(tree.kids[0])}({e.text(tree.kids[1])}, {e.text(tree.kids[2])})", ATOM


def _iter(e: Expressions, tree: Node) -> tuple[str, int]:
    source, results = tree.kids[0], tree.op.results
    displayed = isinstance(source, Node) and source.op.name in ("tuple", "list", "dict", "set")
    maker = iterated if not displayed and results and e.context.only_looped_over(results[0]) else iter
    return f"{e.context.constant(maker)}({e.text(tree.kids[0])})", ATOM


def _global_get(e: Expressions, tree: Node) -> tuple[str, int]:
    assert isinstance(tree.op.attr, tuple)
    return str(tree.op.attr[1]), ATOM


def _cell_get(e: Expressions, tree: Node) -> tuple[str, int]:
    return e.context.cell(tree.op.args[0]), ATOM


def _function(e: Expressions, tree: Node) -> tuple[str, int]:
    return e.context.lambda_text(tree), TEST


def _truth(e: Expressions, tree: Node) -> tuple[str, int]:
    return f"True if {e.condition(tree.kids[0], False, OR)} else False", TEST


def _not(e: Expressions, tree: Node) -> tuple[str, int]:
    return "not " + e.condition(tree.kids[0], False, NOT), NOT


def _import(e: Expressions, tree: Node) -> tuple[str, int]:
    assert isinstance(tree.op.attr, tuple)
    name, names, level = tree.op.attr
    return f"__import__({name!r}, globals(), None, {names!r}, {level!r})", ATOM


def _import_from(e: Expressions, tree: Node) -> tuple[str, int]:
    return f"{e.context.constant(member_of)}({e.text(tree.kids[0])}, {tree.op.attr!r})", ATOM


def _exc_match(e: Expressions, tree: Node) -> tuple[str, int]:
    exception, classes = (e.text(kid) for kid in tree.kids)
    return f"{e.context.constant(exception_matches)}({exception}, {classes})", ATOM


def _method(name: str, starred: bool = False) -> _Rule:
    def rule(e: Expressions, tree: Node) -> tuple[str, int]:
        return f"{e._primary(tree.kids[0])}.{name}({', '.join(e.text(kid) for kid in tree.kids[1:])})", ATOM

    return rule


RULES: Final[dict[str, _Rule]] = {
    "getattr": _getattr,
    "getitem": _getitem,
    "slice": _slice_object,
    "tuple": _tuple,
    "list": _list,
    "set": _set,
    "dict": _dict,
    "call": _call,
    "super": _super,
    "iter": _iter,
    "global_get": _global_get,
    "cell_get": _cell_get,
    "function": _function,
    "truth": _truth,
    "not": _not,
    "import": _import,
    "import_from": _import_from,
    "exc_match": _exc_match,
    "list_append": _method("append"),
    "set_add": _method("add"),
    "dict_put": _method("__setitem__"),
}
