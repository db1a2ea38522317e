"""Productions of calls of pure functions and methods, of literals as often as of variables: `math`, `operator`,
`itertools`, `functools`, `re`, `struct`, and the methods of text, bytes, numbers, tuples, ranges and sets.

    float  "function of math"     ->    math.hypot(x3, 2.5)
    any    "method of bytes"      ->    b'aB1'.partition(b'B')

Invariant: no argument makes a result large; a call that does not fit its arguments raises, as in any program.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.specialize.draft import Draft, expression, statement

__all__: list[str] = []

OF_ONE = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "degrees", "erf", "erfc", "exp",
    "exp2", "expm1", "fabs", "factorial", "floor", "frexp", "gamma", "isfinite", "isinf", "isnan", "isqrt", "lgamma",
    "log", "log10", "log1p", "log2", "modf", "radians", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "ulp",
)  # fmt: skip
OF_TWO = (
    "atan2", "comb", "copysign", "fmod", "gcd", "hypot", "isclose", "lcm", "ldexp", "log", "nextafter", "perm", "pow",
    "remainder",
)  # fmt: skip
OF_ITEMS = ("fsum", "prod")
OPERATORS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "lshift", "rshift", "lt", "le", "eq",
    "ne", "gt", "ge", "is_", "is_not", "matmul", "concat", "contains", "getitem", "countOf", "pow",
)  # fmt: skip
UNARY = ("neg", "pos", "invert", "not_", "truth", "abs")


def number(p: Draft) -> str:
    return p.pick("0.5", "1", "2", "3", "-1.5", "0", p.expr("float"), p.leaf("int"))


def text(p: Draft) -> str:
    return p.pick("'ab'", "' aB1 '", "'Abc,d'", "'12'", "''", "'a b a'", p.leaf("str"))


def octets(p: Draft) -> str:
    return p.pick("b'ab'", "b' aB1 '", "b'a,b'", "b'12'", "b''", f"{p.leaf('str')}.encode()")


def ascii_method(p: Draft, make: Callable[[Draft], str], quote: str) -> str:
    """A method that text and bytes have in common; `quote` is the prefix of its literal arguments."""
    plain = (
        "capitalize", "expandtabs", "isalnum", "isalpha", "isascii", "isdigit", "islower", "isspace", "istitle",
        "isupper", "lower", "lstrip", "rstrip", "strip", "swapcase", "title", "upper",
    )  # fmt: skip
    of_one = (
        "count", "endswith", "find", "index", "lstrip", "partition", "removeprefix", "removesuffix", "rfind", "rindex",
        "rpartition", "rstrip", "startswith", "strip", "split", "rsplit",
    )  # fmt: skip
    argument = p.pick(f"{quote}'a'", f"{quote}'b'", f"{quote}','", make(p))
    return make(p) + p.pick(
        f".{p.pick(*plain)}()",
        f".{p.pick(*plain)}()",
        f".{p.pick(*of_one)}({argument})",
        f".{p.pick(*of_one)}({argument})",
        f".{p.pick('center', 'ljust', 'rjust')}({p.pick('5', '3')}, {quote}'*')",
        f".{p.pick('center', 'ljust', 'rjust', 'zfill')}({p.pick('6', p.leaf('int'))} & 15)",
        f".replace({quote}'a', {argument}{p.pick('', ', 1')})",
        f".find({argument}, {p.leaf('int')}, {p.pick('3', '-1')})",
        ".splitlines()",
    )


expression(
    "float",
    "function of math",
    5,
    lambda p: p.pick(
        f"math.{p.pick(*OF_ONE)}({number(p)})",
        f"math.{p.pick(*OF_ONE)}({number(p)})",
        f"math.{p.pick(*OF_TWO)}({number(p)}, {number(p)})",
        f"math.{p.pick(*OF_ITEMS)}(({number(p)}, {number(p)}))",
        f"math.dist(({number(p)}, 1), (2, {number(p)}))",
        f"math.{p.pick('factorial', 'isqrt', 'comb', 'perm')}({p.leaf('int')} & 7{p.pick('', '', ', 2')})",
        f"round({number(p)}, {p.pick('0', '1', '-1', 'None')})",
        f"abs({number(p)})",
        f"complex({number(p)}, {number(p)}).{p.pick('real', 'imag', 'conjugate()')}",
        f"({p.pick('0.5', p.expr('float'))}).{p.pick('hex()', 'is_integer()', 'as_integer_ratio()', 'conjugate()')}",
        f"float.fromhex({p.pick(repr('0x1p-2'), repr('zz'))})",
        f"sum(({number(p)}, {number(p)}), {number(p)})",
    ),
)
expression(
    "any",
    "function of operator",
    4,
    lambda p: p.pick(
        f"operator.{p.pick(*OPERATORS)}({p.pick('5', p.some())}, {p.pick('2', '1', p.leaf('int'))})",
        f"operator.{p.pick(*OPERATORS)}({p.leaf('int')}, {p.pick('2', '1', p.leaf('int'))})",
        f"operator.{p.pick('concat', 'contains', 'getitem', 'countOf')}({p.leaf(p.pick('tuple', 'str', 'list'))}, "
        f"{p.pick('0', repr('a'), p.leaf('int'))})",
        f"operator.{p.pick(*UNARY)}({p.pick('3', p.some())})",
        f"operator.itemgetter({p.pick('0', '0, 1', '-1')})({p.leaf(p.pick('tuple', 'list', 'rows'))})",
        f"operator.attrgetter({p.pick(repr('n'), repr('n') + ', ' + repr('name'), repr('zz'))})({p.leaf('obj')})",
        f"operator.methodcaller('count', {p.leaf('int')})({p.leaf('list')})",
    ),
)
expression("str", "method of text by its name", 4, lambda p: ascii_method(p, text, ""))
expression(
    "str",
    "method of text alone",
    3,
    lambda p: (
        text(p)
        + p.pick(
            ".casefold()",
            ".isidentifier()",
            ".isprintable()",
            ".isdecimal()",
            ".isnumeric()",
            ".encode()",
            ".encode('latin-1')",
            f".join({p.pick('(' + text(p) + ', ' + text(p) + ')', p.leaf('list'), text(p))})",
            f".translate({{97: {p.pick('98', 'None', repr('xy'))}}})",
            ".maketrans('ab', 'ba')",
            f".format({p.leaf('int')}, a={p.leaf('int')})",
        )
    ),
)
expression("any", "method of bytes", 3, lambda p: ascii_method(p, octets, "b"))
expression(
    "any",
    "method of bytes alone",
    2,
    lambda p: p.pick(
        f"{octets(p)}.decode({p.pick('', repr('ascii'), repr('utf-16'))})",
        f"{octets(p)}.hex({p.pick('', repr(':'))})",
        f"bytes.fromhex({p.pick(repr('61 62'), text(p))})",
        f"{octets(p)}.fromhex('6162')",
        f"b','.join(({octets(p)}, {octets(p)}))",
        f"{octets(p)}.translate(None, b'a')",
        f"{octets(p)}.translate(bytes.maketrans(b'ab', b'ba'))",
        f"{octets(p)}[{p.pick('0', '-1', '1:', '::-1', p.leaf('int'))}]",
        f"({octets(p)} + {octets(p)})[:9]",
        f"{octets(p)} * ({p.leaf('int')} & 3)",
        f"{p.pick('97', p.leaf('int'))} in {octets(p)}",
        f"{octets(p)} {p.pick('==', '<', '!=', '>=')} {octets(p)}",
        f"[*{octets(p)}]",
        f"b'%d-%s' % ({p.leaf('int')}, {octets(p)})",
        f"bytearray({octets(p)}).{p.pick('pop()', 'upper()', 'append(65)', 'hex()')}",
        f"memoryview({octets(p)}).{p.pick('tolist()', 'nbytes', 'tobytes()')}",
    ),
)
expression(
    "int",
    "method of numbers",
    3,
    lambda p: p.pick(
        f"({p.pick('5', p.leaf('int'))}).{p.pick('bit_count()', 'bit_length()', 'conjugate()', 'as_integer_ratio()')}",
        f"({p.pick('5', 'True', p.leaf('int'))}).{p.pick('real', 'imag', 'numerator', 'denominator')}",
        f"({p.pick('5', '300', p.leaf('int'))}).to_bytes(2, {p.pick(repr('big'), repr('little'))})",
        f"({p.leaf('int')} & 255).to_bytes({p.pick('1', '2')}, 'big')[-1]",
        f"int.from_bytes({octets(p)}[:3], {p.pick(repr('big'), repr('little'))})",
        f"(3).from_bytes({p.pick('b' + repr('ab'), octets(p))}, 'big')",
        f"range({p.leaf('int')} & 7).{p.pick('index', 'count')}({p.leaf('int')})",
        f"range(2, 9, 3).{p.pick('index', 'count')}({p.pick('5', p.leaf('int'))})",
        f"({p.leaf('int')}, 1, 'a').{p.pick('index', 'count')}({p.pick('1', repr('a'), p.leaf('int'))})",
        f"{p.pick('3', p.leaf('int'))} ** {p.pick('2', '0', '1', '-1')}",
        f"pow({p.pick('3', p.leaf('int'))}, {p.pick('2', '-1')}, {p.pick('7', '1', '0')})",
        f"len({p.pick('range(3)', 'b' + repr('ab'), 'frozenset((1, 2))', 'range(9, 2, -2)')})",
        f"ord({p.pick(repr('a'), 'b' + repr('z'), text(p))})",
        f"int({p.pick(repr('ff'), text(p))}, {p.pick('16', '36', '0')})",
        f"+{p.leaf('int')}",
        f"~{p.leaf('bool')}",
    ),
)
expression(
    "str",
    "number as text",
    2,
    lambda p: p.pick(
        f"{p.pick('bin', 'oct', 'hex', 'ascii', 'str', 'repr')}({p.pick('10', p.leaf('int'))})",
        f"format({p.pick('10', p.leaf('int'), p.leaf('float'))}, '{p.pick('>5', 'x', '.2f', '')}')",
        f"chr({p.pick('97', '955', p.leaf('int'))})",
        f"str({p.pick('b' + repr('ab'), p.leaf('float'), 'None')})",
        f"'%s' % {p.pick('1', '(1,)', p.leaf('tuple'), p.leaf('str'))}",
        f"'%x|%o|%c|%e' % ({p.leaf('int')}, 8, {p.pick('97', repr('b'))}, {p.leaf('float')})",
    ),
)
expression(
    "cond",
    "method of frozen sets",
    2,
    lambda p: (
        f"frozenset({p.pick('(1, 2)', p.leaf('tuple'), '()')})."
        f"{p.pick('issubset', 'issuperset', 'isdisjoint')}({p.pick('frozenset((1, 2, 3))', p.leaf('set'), '(1,)')})"
    ),
)
expression(
    "set",
    "method of sets",
    3,
    lambda p: (
        f"{p.pick('frozenset((1, 2))', p.leaf('set'), '{1, 2, 3}')}."
        f"{p.pick('union', 'intersection', 'difference', 'symmetric_difference')}"
        f"({p.pick('frozenset((2, 3))', p.leaf('set'), '(1, 5)', p.leaf('list'))})"
    ),
)
expression(
    "list",
    "iterators of the library",
    4,
    lambda p: p.pick(
        f"list(itertools.chain({p.leaf('list')}[:3], {p.leaf('tuple')}))",
        f"list(itertools.chain.from_iterable({p.leaf('rows')}))[:6]",
        f"list(itertools.islice({p.expr('iter')}, {p.pick('2', '1, 3', '0, None, 2')}))",
        f"list(itertools.pairwise({p.expr('iter')}))",
        f"list(itertools.repeat({p.some()}, {p.pick('2', p.leaf('int') + ' & 3')}))",
        f"list(itertools.zip_longest({p.leaf('list')}[:3], {p.pick('(1, 2)', p.leaf('tuple'))}, fillvalue=0))",
        f"list(itertools.accumulate({p.leaf('list')}[:4]{p.pick('', ', operator.mul')}))",
        f"list(itertools.takewhile(lambda q: q != {p.leaf('int')}, {p.leaf('list')}[:5]))",
        f"list(itertools.product({p.pick('(0, 1)', p.leaf('tuple') + '[:2]')}, {p.pick(repr('ab'), '(1,)')}))",
        f"list(itertools.{p.pick('combinations', 'permutations')}({p.pick('(1, 2, 3)', p.leaf('tuple') + '[:3]')}, 2))",
        f"[(k, len(list(g))) for k, g in itertools.groupby({p.leaf('list')}[:5])]",
        f"list(itertools.starmap(divmod, [({p.i()}, 3), (7, 2)]))",
        f"list(zip(range(3), {p.leaf('list')}[:3], {p.pick('strict=True', repr('abc'))}))",
        f"list(map({p.pick('abs', 'str', 'bool', 'operator.neg')}, {p.leaf('list')}[:4]))",
        f"list(filter(None, {p.leaf('list')}[:4]))",
    ),
)
expression(
    "any",
    "functools",
    3,
    lambda p: p.pick(
        f"functools.reduce(lambda q, w: (q, w), {p.leaf('list')}[:3]{p.pick('', ', ' + p.some())})",
        f"functools.reduce(operator.add, {p.leaf('list')}[:4], {p.i()})",
        f"functools.partial(divmod, {p.i()})({p.pick('3', p.leaf('int'))})",
        f"functools.partial(lambda q, w=1, *e, k=0: (q, w, e, k), {p.some()}, k={p.i()})({p.i()})",
        f"functools.partial(print, 'part')({p.i()})",
        f"sorted({p.leaf('list')}[:5], key=functools.cmp_to_key(lambda q, w: (q > w) - (q < w)))",
        f"{p.pick('max', 'min')}({p.leaf('list')}[:4], default={p.i()})",
        f"{p.pick('max', 'min')}({p.leaf('tuple')}, key={p.pick('str', 'lambda q: 0', 'repr')})",
        f"sorted({p.leaf('tuple')}, key={p.pick('str', 'repr')}, reverse={p.cond()})",
        f"{p.pick('any', 'all')}({p.pick('(1, 0)', p.leaf('tuple'), p.leaf('list'))})",
        f"{p.pick('callable', 'bool', 'len', 'id')}({p.leaf('func')}) and 1",
        f"list(reversed({p.leaf(p.pick('list', 'tuple', 'str'))}))",
        f"dict(sorted({p.leaf('dict')}.items(), key=lambda q: str(q[0])))",
        f"issubclass({p.pick('bool', 'int', 'KeyError')}, {p.pick('int', '(str, LookupError)', 'object')})",
        f"slice({p.i()}, None, {p.pick('1', '-1')}).indices(4)",
    ),
)
expression(
    "any",
    "patterns of text",
    2,
    lambda p: p.pick(
        f"re.match({pattern(p)}, {text(p)}) is not None",
        f"[q.group() for q in re.finditer({pattern(p)}, {text(p)})]",
        f"re.findall({pattern(p)}, {text(p)})",
        f"re.sub({pattern(p)}, {p.pick(repr('<>'), 'lambda q: q[0] * 2')}, {text(p)})",
        f"re.subn({pattern(p)}, 'x', {text(p)})",
        f"re.compile({pattern(p)}).{p.pick('fullmatch', 'search')}({text(p)}) and 1",
        f"re.split({pattern(p)}, {text(p)})",
    ),
)
expression(
    "any",
    "packed numbers",
    2,
    lambda p: p.pick(
        f"struct.pack({layout(p)}, {p.i()}, {p.i()})",
        f"struct.unpack({layout(p)}, {p.pick('bytes(4)', 'b' + repr('abcd'), octets(p))})",
        f"struct.calcsize({layout(p)})",
        f"struct.Struct({layout(p)}).{p.pick('size', 'unpack(bytes(4))', 'pack(1, 2)', 'format')}",
        f"struct.unpack_from('<H', {octets(p)} + bytes(4), {p.pick('0', '1', p.leaf('int'))})[0]",
    ),
)


TYPED = (
    (("len({list})", "ord({str}[:1] or 'a')", "int({float} > 1)"), ("0", "1", "-1", "2"), "+ - * // % ** << >> & | ^"),
    (("isinstance({any}, int)", "bool({int})", "callable({any})"), ("True", "False"), "& | ^ + -"),
    (("float({int})", "math.sqrt(abs({int}))"), ("0.0", "-0.0", "1.0", "1"), "+ - * / ** // %"),
    (("str({any})[:9]", "repr({int})", "{str}.upper()"), ("''", "'a'"), "+"),
    (("{str}.encode()", "bytes(2)"), ("b''", "b'a'"), "+"),
)
"""Values whose class is known though they are not, with constants and operators that may be neutral for it."""


def neutral(p: Draft) -> str:
    """An operation that changes nothing, or gives a constant, whatever the value is; or one that nearly does."""
    values, constants, signs = TYPED[p.number(0, len(TYPED) - 1)]
    kinds = ("list", "str", "float", "any", "int")
    value = p.pick(*values).format(**{kind: p.leaf(kind) for kind in kinds})
    sign = p.pick(*signs.split(), *signs.split(), "==", "!=", "<", "<=", ">", ">=")
    constant = p.pick(*constants)
    return f"(lambda n: {p.pick(f'n {sign} n', f'n {sign} {constant}', f'{constant} {sign} n')})({value})"


expression("any", "neutral operation", 6, neutral)
expression("int", "neutral operation", 2, neutral)


def pattern(p: Draft) -> str:
    return p.pick(r"r'\d+'", r"r'a|b'", r"r'(a)(b)?'", r"r'[a-c]*'", r"r'\s*(\w+)'", "'('")


def layout(p: Draft) -> str:
    return p.pick("'<HH'", "'>hh'", "'<BHB'", "'=Hh'")


@statement("augmented by every operator", 4, 4)
def every_operator(p: Draft) -> None:
    """`+=` to `>>=` on a number that is known, open or of the wrong kind."""
    name = p.fresh("int")
    p.line(f"{name} = {p.pick('12', '7', 'True', p.leaf('int'), p.leaf('float'))}")
    p.line("try:")
    for _ in range(p.number(1, 2)):
        operator = p.pick("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@")
        right = "2" if operator in ("**", "<<") else p.pick("2", "3", p.leaf("int"))
        p.line(f"    {name} {operator}= {right}")
    p.line("except (TypeError, ValueError, ZeroDivisionError, OverflowError) as err:")
    p.line(f"    print({name}, err)")
    p.add("int", name)


@statement("methods of containers", 5, 3)
def container_methods(p: Draft) -> None:
    """A container that is made here, what is done to it, and what it is then."""
    kind = p.pick("list", "dict", "set", "deque")
    name = p.fresh({"deque": "queue"}.get(kind, kind))
    made = {
        "list": p.pick("[]", f"[{p.i()}, {p.some()}]", "[3, 1, 2]"),
        "dict": p.pick("{}", f"{{'a': {p.some()}, 'b': 2}}", f"dict(a={p.i()})"),
        "set": p.pick("{1, 2}", "set()", f"{{1, {p.leaf('int')}}}"),
        "deque": p.pick("collections.deque()", f"collections.deque([{p.i()}, 2])", "collections.deque((1, 2), 2)"),
    }[kind]
    p.line(f"{name} = {made}")
    for _ in range(p.number(1, 3)):
        item = p.some()
        called = {
            "list": (
                f"append({item})", f"extend(({item}, 1))", f"insert({p.pick('0', '-1', '9')}, {item})", "reverse()",
                "sort(key=str)", "clear()", "pop()", f"remove({p.pick('1', p.i())})", "copy()", f"index({item})",
            ),
            "dict": (
                f"setdefault('c', {item})", f"update(b={item})", f"update({{'d': {item}}})", "pop('a')", "popitem()",
                f"pop({p.s()}, {item})", "clear()", "copy()", f"get({p.s()})", f"get('a', {item})", "keys()", "items()",
            ),
            "set": (
                f"add({p.i()})", f"discard({p.i()})", f"remove({p.pick('1', p.i())})", "clear()", "copy()",
                f"update({p.leaf('list')}[:2])", f"{p.pick('issubset', 'issuperset', 'isdisjoint')}((1, 2, 3))",
            ),
            "deque": (
                f"append({item})", f"appendleft({item})", "pop()", "popleft()", f"extend(({item}, 1))",
                f"extendleft(({item}, 1))", "rotate(1)", f"rotate({p.i()})", "reverse()", "clear()", "copy()",
            ),
        }[kind]  # fmt: skip
        call = f"{name}.{p.pick(*called)}"
        p.line(p.pick(call, call, f"print({'sorted(' + name + ', key=str)' if kind == 'set' else name}, {call})"))
    shown = f"sorted({name}, key=str)" if kind == "set" else p.pick(name, f"len({name})", f"bool({name})", f"[*{name}]")
    p.line(f"print({shown})")
    if kind != "deque":
        p.add(kind, name)


@statement("iterator taken step by step", 2, 3)
def steps(p: Draft) -> None:
    """One that raises in the middle, has an end, or has none; its source may change meanwhile."""
    name, source, seen = p.fresh("walk"), p.fresh("list"), p.fresh("seen")
    p.line(f"{source} = [*{p.leaf('list')}[:3], {p.i()}, 0]")
    made = p.pick(
        f"reversed({source})", f"map(lambda q: 6 // q, {source})", f"filter(lambda q: 6 // q, {source})",
        f"itertools.chain({source}, {p.leaf('tuple')})", f"itertools.chain.from_iterable([{source}, {source}])",
        f"itertools.takewhile(lambda q: q != {p.leaf('int')}, {source})", f"itertools.accumulate({source})",
        f"itertools.dropwhile(lambda q: 6 // q, {source})", f"itertools.cycle((1, {p.i()}))",
        f"itertools.count({p.leaf('int')})", f"itertools.starmap(divmod, [({p.i()}, {p.i()}), (7, 2)])",
        f"itertools.compress({source}, ({p.i()}, 1, 0))",
        f"itertools.islice({source}, {p.pick('2', '1, 3', '0, 9, 2')})",
        f"itertools.zip_longest({source}, ({p.i()},), fillvalue={p.some()})", f"itertools.pairwise({source})",
        f"map(lambda q, w: q // w, {source}, ({p.i()}, 2))", f"iter(collections.deque({source}, maxlen=3))",
        f"enumerate(reversed({source}), {p.i()})", f"zip(itertools.count(), reversed({source}))",
    )  # fmt: skip
    p.line(f"{name} = {made}")
    change = p.pick("pass", f"{source}.append({p.i()})", f"{source}.clear()", f"{source}.pop()", f"print({source})")
    p.line(f"for {seen} in range({p.pick('2', '3', '5', '(' + p.leaf('int') + ' & 3)')}):")
    p.line("    try:")
    p.line(f"        print(next({name}, 'end'))")
    p.line(f"        {change}")
    caught = p.pick("ZeroDivisionError", "(ZeroDivisionError, IndexError, TypeError)", "Exception")
    p.line(f"    except {caught} as error:")
    p.line(f"        print({p.pick('str(error)', 'repr(error)', 'type(error).__name__')})")
    p.add("list", source)
