"""The productions of expressions, one row each.

    int   "floor division"   weight 2   ->   (i0 // 3)

Invariant: rows that could double a value are marked `calm=False` and are not used in loops; no row iterates over
something unbounded.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.specialize.draft import Draft, expression

__all__ = ["NUMBER_OPERATORS"]

NUMBER_OPERATORS = ("+", "-", "*", "&", "|", "^")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def e(kind: str, feature: str, weight: int, make: Callable[[Draft], str]) -> None:
    expression(kind, feature, weight, make)


# integers ----------------------------------------------------------------------------------------------------
e("int", "arithmetic", 6, lambda p: f"({p.i()} {p.pick('+', '-')} {p.i()})")
e("int", "multiplication", 2, lambda p: f"({p.i()} * {p.pick('2', '3', '-1')})")
e("int", "modular product", 1, lambda p: f"({p.i()} * {p.i()} % {p.pick('7', '97', '-5')})")
e("int", "bit operation", 2, lambda p: f"({p.i()} {p.pick('&', '|', '^')} {p.i()})")
e("int", "shift", 1, lambda p: f"({p.i()} {p.pick('<<', '>>')} ({p.i()} & 3))")
e("int", "floor division", 2, lambda p: f"({p.i()} // {p.pick('2', '3', '-2', p.var('int'))})")
e("int", "modulo", 2, lambda p: f"({p.i()} % {p.pick('2', '3', '5', p.var('int'))})")
e("int", "unary", 1, lambda p: f"{p.pick('-', '~', '+')}{p.expr('int')}")
e("int", "len", 3, lambda p: f"len({p.expr(p.pick('list', 'str', 'dict', 'tuple', 'set'))})")
e("int", "list item", 2, lambda p: f"{p.var('list')}[{p.pick('0', '-1', '1', p.i())}]")
e("int", "guarded item", 3, lambda p: guarded_item(p))
e("int", "tuple item", 2, lambda p: f"{p.var('tuple')}[{p.pick('0', '-1', p.var('int'))}]")
e("int", "dict item", 2, lambda p: f"{p.var('dict')}[{p.pick(repr('a'), p.s())}]")
e("int", "dict get", 2, lambda p: f"{p.var('dict')}.get({p.s()}, {p.i()})")
e("int", "row item", 1, lambda p: f"{p.var('rows')}[{p.pick('0', '1', '-1')}][{p.pick('0', '-1')}]")
e("int", "min max", 2, lambda p: f"{p.pick('min', 'max')}({p.i()}, {p.i()})")
e("int", "sum", 1, lambda p: f"sum({p.xs()})")
e("int", "abs", 1, lambda p: f"abs({p.i()})")
e("int", "int of text", 1, lambda p: f"int({p.pick(repr('12'), p.s())})")
e("int", "int of float", 1, lambda p: f"int({p.expr('float')})")
e("int", "ord", 1, lambda p: f"ord({p.s()}[0])")
e("int", "str count", 1, lambda p: f"{p.s()}.{p.pick('count', 'find', 'index')}({p.pick(repr('a'), p.s())})")
e("int", "list method", 1, lambda p: f"{p.var('list')}.{p.pick('count', 'index')}({p.i()})")
e("int", "divmod", 1, lambda p: f"divmod({p.i()}, {p.pick('3', p.i())})[{p.pick('0', '1')}]")
e("int", "pow", 1, lambda p: p.pick(f"pow({p.i()}, 2, 7)", f"({p.i()} & 7) ** 2"))
e("int", "conditional expression", 3, lambda p: f"({p.i()} if {p.cond()} else {p.i()})")
e("int", "and or value", 2, lambda p: f"({p.i()} {p.pick('and', 'or')} {p.i()})")
e("int", "generator expression", 2, lambda p: comprehension(p, "sum({})", "int"))
e("int", "immediate lambda", 1, lambda p: immediate_lambda(p))
e("int", "walrus", 2, lambda p: walrus(p))
e("int", "next of iter", 1, lambda p: f"next(iter({p.expr('iter')}), {p.i()})")
e("int", "read global", 3, lambda p: p.pick(*p.globals.get("int", ["len([])"])))
e("int", "attribute", 4, lambda p: f"{p.var('obj')}.{p.pick('n', 'n', 'n', 'bonus')}")
e("int", "method call", 4, lambda p: method_call(p))
e("int", "property", 2, lambda p: properties(p))
e("int", "helper call", 7, lambda p: call_of(p, "int"))
e("int", "closure call", 3, lambda p: f"{p.var('func')}({p.i()})")
e("int", "object length", 1, lambda p: f"len({p.var('obj')})")
e("int", "object item", 1, lambda p: f"{p.var('obj')}[{p.i()}]")
e("int", "object call", 1, lambda p: f"{p.var('obj')}({p.i()})")
e("int", "reduce in loop of zip", 1, lambda p: f"sum(p * q for p, q in zip({p.var('list')}, {p.var('list')}))")
e("int", "getattr", 1, lambda p: f"getattr({p.var('obj')}, {p.pick(repr('n'), repr('zz'))}, {p.i()})")
e("int", "bool as int", 1, lambda p: f"({p.i()} + ({p.cond()}))")

# truth values ------------------------------------------------------------------------------------------------
for kind in ("bool", "cond"):
    e(kind, "comparison", 6, lambda p: f"{p.i()} {p.pick(*COMPARISONS)} {p.i()}")
    e(kind, "chained comparison", 2, lambda p: f"{p.i()} {p.pick('<', '<=')} {p.i()} {p.pick('<', '!=')} {p.i()}")
    e(
        kind,
        "equal to constant",
        3,
        lambda p: f"{p.var(p.pick('int', 'str', 'any'))} == {p.pick('1', 'True', repr('a'), '0', 'None')}",
    )
    e(kind, "is constant", 2, lambda p: f"{p.var('any')} {p.pick('is', 'is not')} {p.pick('None', 'True', '...')}")
    e(kind, "is", 3, lambda p: same(p))
    e(
        kind,
        "membership",
        3,
        lambda p: f"{p.i()} {p.pick('in', 'not in')} {p.expr(p.pick('list', 'tuple', 'set', 'dict'))}",
    )
    e(kind, "text membership", 1, lambda p: f"{p.pick(repr('a'), p.s())} in {p.s()}")
    e(kind, "not", 2, lambda p: f"not {p.leaf(p.pick('bool', 'int', 'list', 'str', 'obj'))}")
    e(kind, "and or", 3, lambda p: f"({p.cond()} {p.pick('and', 'or')} {p.cond()})")
    e(kind, "isinstance", 3, lambda p: f"isinstance({p.some()}, {type_test(p)})")
    e(kind, "any all", 1, lambda p: comprehension(p, p.pick("any({})", "all({})"), "cond"))
    e(kind, "text comparison", 1, lambda p: f"{p.s()} {p.pick('<', '==', '!=')} {p.s()}")
    e(kind, "str test", 1, lambda p: f"{p.s()}.{p.pick('isdigit()', 'isalpha()', 'startswith(' + repr('a') + ')')}")
    e(kind, "list comparison", 1, lambda p: f"{p.xs()} {p.pick('==', '<', '!=')} {p.xs()}")
    e(kind, "object comparison", 1, lambda p: f"{p.var('obj')} {p.pick('==', '<', '!=')} {p.var('obj')}")
    e(kind, "object in", 1, lambda p: f"{p.i()} in {p.var('obj')}")
    e(kind, "tuple comparison", 1, lambda p: f"{p.expr('tuple')} {p.pick('==', '<', '>=')} {p.expr('tuple')}")
    e(kind, "type is", 1, lambda p: f"type({p.some()}) is {p.pick('int', 'bool', 'float', 'str', 'list')}")
    e(kind, "hasattr", 1, lambda p: f"hasattr({p.var('obj')}, {p.pick(repr('n'), repr('bonus'), repr('q'))})")
e("cond", "truth of a value", 4, lambda p: p.leaf(p.pick("int", "list", "str", "dict", "obj", "any", "float")))
e("bool", "bool", 1, lambda p: f"bool({p.leaf(p.pick('int', 'list', 'str', 'obj'))})")

# floats ------------------------------------------------------------------------------------------------------
e("float", "float arithmetic", 4, lambda p: f"({p.expr('float')} {p.pick('+', '-')} {p.expr(p.pick('float', 'int'))})")
e("float", "float product", 2, lambda p: f"({p.expr('float')} * {p.pick('0.5', '0', '-1', '1.0')})")
e("float", "true division", 3, lambda p: f"({p.i()} / {p.pick('2', '4', p.i(), p.expr('float'))})")
e("float", "nan and inf", 2, lambda p: p.pick("float('nan')", "float('inf')", "-float('inf')"))
e("float", "round", 1, lambda p: f"round({p.expr('float')}, 2)")
e("float", "negate float", 2, lambda p: f"-{p.leaf('float')}")
e("float", "float of", 1, lambda p: f"float({p.expr(p.pick('int', 'str'))})")
e("float", "math", 1, lambda p: f"math.{p.pick('sqrt', 'floor', 'fabs', 'copysign')}({p.expr('float')})")
e(
    "float",
    "float floor division",
    1,
    lambda p: f"({p.expr('float')} {p.pick('//', '%')} {p.pick('2', '-0.5', p.leaf('float'))})",
)
e("float", "float min", 1, lambda p: f"{p.pick('min', 'max')}({p.expr('float')}, {p.expr('float')})")

# text --------------------------------------------------------------------------------------------------------
e("str", "concatenation", 3, lambda p: f"({p.s()} + {p.s()})[:12]")
e(
    "str",
    "f-string",
    5,
    lambda p: f'f"{p.pick("", "v=")}{{{fragment(p)}{p.pick("", "!r", ":>4", ":<3", "!s:^5")}}}{p.pick("", ";")}"',
)
e("str", "f-string number", 2, lambda p: number_format(p))
e("str", "nested format", 1, lambda p: f"f'{{{simple(p, 'str')}:>{{{p.pick('3', '5')}}}}}'")
e("str", "str of", 4, lambda p: f"{p.pick('str', 'repr')}({p.some()})")
e("str", "slice of text", 3, lambda p: f"{p.s()}[{p.pick('1:', ':2', '::-1', '::2', ':' + p.var('int'))}]")
e("str", "text method", 3, lambda p: f"{p.s()}.{p.pick('upper()', 'strip()', 'title()', 'lower()', 'zfill(3)')}")
e("str", "replace", 1, lambda p: f"{p.s()}.replace('a', {p.pick(repr('b'), repr(''), repr('c'))})")
e("str", "join", 2, lambda p: f"{p.pick(repr(','), repr(''), repr('-'))}.join(map(str, {p.xs()}))")
e("str", "join of comprehension", 1, lambda p: comprehension(p, "''.join({})", "str"))
e("str", "percent format", 2, lambda p: f"('{p.pick('%s', '%r', '%5s', '%d')}-%s' % ({p.i()}, {p.some()}))")
e("str", "format method", 1, lambda p: f"'{{}}:{{:>3}}'.format({p.some()}, {p.i()})")
e("str", "character", 1, lambda p: f"chr(97 + ({p.i()}) % 26)")
e("str", "text item", 2, lambda p: f"{p.var('str')}[{p.pick('0', '-1', p.var('int'))}]")
e("str", "text repetition", 1, lambda p: f"({p.pick(repr('-'), repr('ab'))} * ({p.i()} & 3))")
e("str", "name attribute", 2, lambda p: f"{p.var('obj')}.name")
e("str", "type name", 1, lambda p: f"type({p.some()}).__name__")
e("str", "helper text", 3, lambda p: call_of(p, "str"))
e("str", "conditional text", 2, lambda p: f"({p.s()} if {p.cond()} else {p.s()})")
e("str", "repr of object", 1, lambda p: f"repr({p.var('obj') if p.have('obj') else '0'})")

# containers --------------------------------------------------------------------------------------------------
e("list", "list display", 5, lambda p: "[" + ", ".join(p.some() for _ in range(p.number(0, 3))) + "]")
e("list", "starred display", 2, lambda p: f"[*{p.var('list')}[:3], {p.i()}, *{p.pick('()', p.leaf('tuple'))}]")
e("list", "list comprehension", 5, lambda p: comprehension(p, "[{}]", "int"))
e("list", "nested comprehension", 1, lambda p: nested_comprehension(p))
e("list", "list of range", 2, lambda p: f"list({bounded_range(p)})")
e("list", "list slice", 3, lambda p: f"{p.var('list')}[{p.pick('1:', ':2', '::-1', ':', p.leaf('int') + ':')}]")
e("list", "list addition", 2, lambda p: f"({p.xs()} + {p.xs()})[:6]")
e("list", "sorted", 2, lambda p: f"sorted({p.xs()}{p.pick('', ', reverse=True', ', key=str', ', key=lambda q: -q')})")
e("list", "map filter", 2, lambda p: map_filter(p))
e("list", "split", 1, lambda p: f"{p.s()}.split({p.pick('', repr(','))})")
e("list", "list of dict", 1, lambda p: f"list({p.var('dict')}{p.pick('', '.values()', '.items()')})")
e(
    "list",
    "zip enumerate",
    1,
    lambda p: p.pick(f"list(zip({p.xs()}, {p.s()}))", f"list(enumerate({p.xs()}, {p.pick('0', '1')}))"),
)
e("list", "list of generator", 3, lambda p: generated(p))
e("list", "reversed", 1, lambda p: f"list(reversed({p.xs()}))")
e("list", "row", 2, lambda p: f"{p.var('rows')}[{p.pick('0', '1', '-1')}]")
e("list", "items attribute", 2, lambda p: f"{p.var('obj')}.items")
e("list", "helper list", 2, lambda p: call_of(p, "list"))
e("list", "read global list", 1, lambda p: p.pick(*p.globals.get("list", ["[9]"])))
e("list", "list repetition", 1, lambda p: f"([{p.some()}] * ({p.i()} & 3))")
e("iter", "iterate list", 4, lambda p: f"{p.xs()}[:5]")
e("iter", "iterate range", 4, lambda p: bounded_range(p))
e("iter", "iterate text", 2, lambda p: f"{p.s()}[:4]")
e("iter", "iterate tuple", 2, lambda p: f"{p.expr('tuple')}")
e("iter", "iterate set", 1, lambda p: in_order(p))
e("iter", "iterate dict", 2, lambda p: f"list({p.var('dict')}{p.pick('', '.values()')})[:5]")
e("iter", "iterate generator", 3, lambda p: generated(p, wrap=False))
e("iter", "iterate literal", 2, lambda p: p.pick("(1, 2, 3)", "'ab'", "range(3)", "[0, None, 2]", "range(3, 0, -1)"))
e(
    "dict",
    "dict display",
    4,
    lambda p: "{" + ", ".join(f"{p.pick(p.s(), p.leaf('int'))}: {p.some()}" for _ in range(p.number(0, 2))) + "}",
)
e("dict", "dict comprehension", 3, lambda p: comprehension(p, "{{{}}}", "pair"))
e("dict", "dict of zip", 1, lambda p: f"dict(zip({p.s()}, {p.xs()}))")
e(
    "dict",
    "dict merge",
    2,
    lambda p: p.pick(f"{{**{p.var('dict')}, {p.s()}: {p.i()}}}", f"({p.var('dict')} | {p.leaf('dict')})"),
)
e("dict", "dict call", 1, lambda p: f"dict(a={p.i()}, b={p.some()})")
e("set", "set display", 3, lambda p: "{" + f"{p.i()}, {p.i()}" + "}")
e("set", "set comprehension", 2, lambda p: comprehension(p, "{{{}}}", "int"))
e("set", "set of", 2, lambda p: f"{p.pick('set', 'frozenset')}({p.xs()})")
e("set", "set operation", 2, lambda p: f"({p.expr('set')} {p.pick('|', '&', '-', '^')} {p.expr('set')})")
e("tuple", "tuple display", 5, lambda p: "(" + "".join(p.some() + ", " for _ in range(p.number(1, 3))) + ")")
e("tuple", "nested tuple", 2, lambda p: f"(({p.i()}, {p.some()}), {p.some()})")
e("tuple", "tuple of", 2, lambda p: f"tuple({p.xs()})[:4]")
e("tuple", "tuple addition", 1, lambda p: f"({p.expr('tuple')} + {p.expr('tuple')})[:5]")
e("tuple", "tuple slice", 1, lambda p: f"{p.var('tuple')}[{p.pick('1:', ':1', '::-1')}]")
e("tuple", "divmod tuple", 1, lambda p: f"divmod({p.i()}, {p.pick('3', '-4')})")
e("tuple", "partition", 1, lambda p: f"{p.s()}.partition({p.pick(repr(','), repr('a'))})")
e("rows", "rows display", 3, lambda p: f"[{p.xs()}, {p.xs()}]")
e("rows", "rows comprehension", 2, lambda p: f"[[{p.i()}] * 2 for _ in {p.pick('range(2)', 'range(3)')}]")
e("rows", "shared row", 2, lambda p: f"[{p.var('list')}] * 2")
e("obj", "new object", 4, lambda p: new_object(p))
e("obj", "object addition", 1, lambda p: f"({p.var('obj')} + {p.i()})")
e("obj", "chained method", 1, lambda p: f"{p.var('obj')}.step({p.i()}) and {p.var('obj')}")
e("any", "None or value", 2, lambda p: f"({p.some()} or {p.pick('None', p.leaf('any'))})")
e("any", "any item", 1, lambda p: p.leaf(p.pick("list", "tuple", "obj", "dict", "func")))
e("func", "lambda", 3, lambda p: function_lambda(p))
e("func", "bound method", 2, lambda p: f"{p.var('obj')}.step")
e("func", "builtin function", 1, lambda p: p.pick("abs", "str", "bool", "len", "repr"))


# the longer ones ---------------------------------------------------------------------------------------------
def bounded_range(p: Draft) -> str:
    top = p.pick("3", "2", "4", f"min({p.leaf('int')}, 4)", f"{p.leaf('int')} % 4", f"len({p.leaf('list')}[:4])")
    return p.pick(f"range({top})", f"range({top})", f"range(1, {top})", f"range({top}, 0, -1)")


def in_order(p: Draft) -> str:
    """A set in an order of its own: nan has none, and is told from others by its address."""
    chosen = p.expr("set")
    return p.pick(f"sorted({chosen}, key=repr)[:5]", f"sorted({{q for q in {chosen} if q == q}})[:5]")


def comprehension(p: Draft, frame: str, gives: str) -> str:
    """`frame` around an element and its `for`; sometimes with a condition, or a destructuring target."""
    with p.bound(("hidden", "q")):
        source = p.expr("iter")
    name = p.fresh("q")
    with p.bound(("int", name)):
        element = f"{p.leaf('str')}: {p.i()}" if gives == "pair" and p.chance(0.3) else None
        if element is None:
            element = f"{name}: {p.i()}" if gives == "pair" else p.expr(gives)
        test = f" if {p.cond()}" if p.chance(0.35) else ""
    return frame.format(f"{element} for {name} in {p.walked(source, element + test)}{test}")


def nested_comprehension(p: Draft) -> str:
    outer, inner = p.fresh("q"), p.fresh("q")
    with p.bound(("int", outer), ("int", inner)):
        element = p.i()
    return f"[{element} for {outer} in {bounded_range(p)} for {inner} in {p.pick('(0, 1)', 'range(2)', p.leaf('str'))}]"


def immediate_lambda(p: Draft) -> str:
    name = p.fresh("q")
    argument, default = p.i(), p.pick("", f", k={p.leaf('int')}")
    with p.bound(("int", name)):
        return f"(lambda {name}{default}: {p.i()})({argument})"


def function_lambda(p: Draft) -> str:
    name = p.fresh("q")
    with p.bound(("int", name)):
        return f"(lambda {name}{p.pick('=1', '', ', *more')}: {p.i()})"


def guarded_item(p: Draft) -> str:
    name = p.var("list")
    index = p.pick("0", "-1", f"{p.leaf('int')} % len({name})")
    return f"({name}[{index}] if {name} else {p.leaf('int')})"


def walrus(p: Draft) -> str:
    """Not inside a comprehension or lambda, where it would bind something else than this scope's variable."""
    if any(name.startswith("q") for name in p.frozen) or p.kind_of == "class":
        return p.leaf("int")
    name = p.target("int")
    if "." in name:
        name = p.fresh("int")
    text = f"({name} := {p.i()})"
    p.add("int", name)
    return text


def same(p: Draft) -> str:
    kind = p.pick("list", "dict", "obj", "tuple", "any", "rows")
    known = p.have(kind)
    if not known:
        return f"{p.leaf('any')} is None"
    return f"{p.pick(*known)} {p.pick('is', 'is', 'is not')} {p.pick(*known)}"


def type_test(p: Draft) -> str:
    return p.pick("int", "(int, float)", "str", "list", "bool", "(str, tuple)", *(c.name for c in p.classes))


def method_call(p: Draft) -> str:
    methods = [m for c in p.classes for m in c.methods]
    return f"{p.var('obj')}.{p.pick('step', *methods)}({p.i()})"


def properties(p: Draft) -> str:
    names = [name for c in p.classes for name in c.properties]
    return f"{p.var('obj')}.{p.pick('n', *names)}"


def new_object(p: Draft) -> str:
    if not p.classes:
        return "None"
    name = p.pick(*(c.name for c in p.classes))
    return f"{name}({p.i()}{p.pick('', ', ' + p.xs(), ', name=' + p.s())})"


def call_of(p: Draft, gives: str) -> str:
    functions = [f for f in p.functions if f.gives == gives and not f.generator]
    if not functions:
        return p.leaf(gives)
    return p.call(functions[p.number(0, len(functions) - 1)])


def generated(p: Draft, *, wrap: bool = True) -> str:
    functions = [f for f in p.functions if f.generator]
    if not functions:
        return f"[{p.i()}, {p.i()}]"
    text = p.call(functions[p.number(0, len(functions) - 1)])
    return f"list({text})" if wrap else text


def map_filter(p: Draft) -> str:
    name = p.fresh("q")
    source = p.xs()
    with p.bound(("int", name)):
        if p.chance(0.6):
            return f"list(map(lambda {name}: {p.i()}, {source}))"
        return f"list(filter(lambda {name}: {p.cond()}, {source}))"


def simple(p: Draft, kind: str) -> str:
    """An expression without quotes or braces, so that it may stand inside an f-string of every version."""
    known = p.have(kind)
    name = p.pick(*known) if known else {"int": "3", "float": "0.5"}.get(kind, "None")
    if kind == "int" and p.chance(0.4):
        return f"({name} + {p.pick('1', '2', '-3')})"
    return name if known or kind != "str" else "chr(97)"


def number_format(p: Draft) -> str:
    whole, part = simple(p, "int"), simple(p, "float")
    return f"f'{{{whole}:{p.pick('d', '03d', 'x', '>5', ',')}}}|{{{part}:.2f}}'"


def fragment(p: Draft) -> str:
    return simple(p, p.pick("int", "str", "float", "list", "tuple", "any"))
