"""Productions of constructs that have rules of their own: patterns of match statements, groups of exceptions,
coroutines, clean-up that changes the way out, controls of the specializer, classes with every operator.

    "match on shapes"    ->    match (i1, 'a'):
                                   case [int() as v2, str(v3)] if v2 > 1: ...

Invariant: as everywhere, all ends, and nothing prints the address of an object.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.specialize.draft import Draft, statement

__all__: list[str] = []


def shape(p: Draft, names: list[str], depth: int = 2) -> str:
    """A pattern; the names that it binds are added to `names`."""

    def capture() -> str:
        name = f"m{p.number(1, 9)}_{len(names)}_{p.serial}"
        names.append(name)
        return name

    form = p.number(0, 13 if depth else 5)
    match form:
        case 0 | 1:
            return capture()
        case 2:
            return p.pick("_", "1", "'a'", "None", "True", "-0.0", "2.5", "b'a'")
        case 3:
            return p.pick("math.pi", "operator.add", "re.I")
        case 4:
            return p.pick("int()", "str()", "float()", "list()", "dict()", "bool()", "tuple()")
        case 5:
            return f"{p.pick('int', 'str', 'bool', 'list', 'tuple', 'bytes')}({capture()})"
        case 6:
            return f"[{shape(p, names, depth - 1)}, {shape(p, names, depth - 1)}]"
        case 7:
            return f"({shape(p, names, depth - 1)}, *{p.pick('_', capture())})"
        case 8:
            return f"[*_, {shape(p, names, depth - 1)}]"
        case 9:
            return f"{{'a': {shape(p, names, depth - 1)}}}"
        case 10:
            return f"{{'a': {shape(p, names, 0)}, **{capture()}}}"
        case 11:
            return f"(1 | 2 | {p.pick(repr('a'), 'None', 'int()', '[_]')}) as {capture()}"
        case 12:
            name = p.pick(*(c.name for c in p.classes), "object")
            return f"{name}({p.pick('', 'n=' + shape(p, names, 0), 'items=[*_]', 'zz=1')})"
    return f"({shape(p, names, depth - 1)})"


@statement("match on shapes", 5, 4)
def match_on_shapes(p: Draft) -> None:
    """Patterns in each other, with guards; what a pattern binds before it fails stays bound or unbound."""
    pairs = f"({p.some()}, {p.some()})"
    p.line(f"match {p.pick(p.some(), pairs, p.leaf('list'), p.leaf('dict'), p.leaf('tuple'), p.leaf('obj'), pairs)}:")
    for _ in range(p.number(1, 3)):
        names: list[str] = []
        pattern = shape(p, names)
        guard = p.pick("", "", f" if {p.cond()}", f" if {names[0]}" if names else "")
        p.line(f"    case {pattern}{guard}:")
        p.line(f"        print({', '.join((repr(pattern[:1]), *names))})")
    if p.chance(0.6):
        p.line("    case _:")
        p.line(f"        print({p.some()})")


@statement("group of exceptions", 1, 7)
def exception_group(p: Draft) -> None:
    if p.kind_of == "generator":
        return
    first, second = p.pick(*p.errors), p.pick(*p.errors)
    p.line("try:")
    p.line(f"    if {p.cond()}: raise ExceptionGroup({p.s()}, [{first}({p.some()}), {second}('b')])")
    p.line(f"    print({p.some()})")
    p.line(f"except* {p.pick(*p.errors)} as err:")
    p.line("    print('some', err.exceptions)")
    p.line("except* Exception as err:")
    p.line(f"    {p.pick('print(len(err.exceptions))', 'pass', 'raise')}")


@statement("coroutine driven by hand", 3, 10)
def coroutine(p: Draft) -> None:
    if p.nested or p.kind_of == "generator":
        return
    inner, outer, running, kept = p.fresh("func"), p.fresh("func"), p.fresh("run"), p.target("any")
    p.line(f"async def {inner}(k):")
    p.line(f"    {p.pick('print(k)', 'k = [k]', 'if not k: raise ValueError(k)')}")
    p.line(f"    return {p.pick('k', '(k, 1)')}")
    p.line(f"async def {outer}(k):")
    p.line(f"    first = await {inner}(k)")
    p.line(f"    return [first, await {inner}({p.i()}){p.pick('', ', k')}]")
    p.line(f"{running} = {outer}({p.some()})")
    p.line("try:")
    p.line(f"    {kept} = {running}.send(None)")
    p.line("except StopIteration as stop:")
    p.line(f"    {kept} = stop.value")
    p.line("finally:")
    p.line(f"    {running}.close()")
    p.add("any", kept)


@statement("clean-up that changes the way out", 3, 9)
def overriding(p: Draft) -> None:
    if p.nested:
        return
    function, kept = p.fresh("func"), p.target("any")
    p.line(f"def {function}(k):")
    p.line(f"    for step in {p.pick('range(3)', '(k, 1)', '[0, k, 2]')}:")
    p.line("        try:")
    leave = p.pick("return step", "continue", "break", "raise KeyError(k)")
    p.line(f"            if step {p.pick('==', '>', '<')} k: {leave}")
    p.line(f"            {p.pick('print(step)', 'k += 1', 'k // (step - 1)')}")
    p.line(f"        except {p.pick('KeyError', 'ZeroDivisionError', 'Exception')}:")
    p.line(f"            {p.pick('return -1', 'continue', 'break', 'raise', 'k = 0')}")
    p.line("        finally:")
    p.line(f"            {p.pick('print(k)', 'return k', 'break', 'continue', 'k -= 1', 'if k: return 8')}")
    p.line("    else:")
    p.line(f"        {p.pick('return k', 'k = 9', 'print(1)')}")
    p.line("    return 'end', k")
    p.line("try:")
    p.line(f"    {kept} = {function}({p.pick(p.i(), p.some())})")
    p.line("except Exception as err:")
    p.line(f"    {kept} = type(err).__name__")
    p.add("any", kept)


@statement("controls", 2, 3)
def controls(p: Draft) -> None:
    """What tells the specializer something and does nothing when it runs."""
    name, item = p.target("any"), p.fresh("int")
    if p.chance(0.5):
        p.line(
            f"{name} = futamura."
            + p.pick(
                f"dynamic({p.some()})",
                f"promote({p.some()})",
                f"static({p.pick('1', repr('a'), '(1, 2)', p.some())})",
                f"peek('seen', {p.some()})",
            )
        )
        p.add("any", name)
        return
    p.line(f"for {item} in futamura.unroll({p.pick(p.leaf('list') + '[:4]', '(1, 2)', p.leaf('tuple'))}):")
    p.line(f"    print({item}, {p.i()})")


@statement("marked functions", 1, 4)
def marked(p: Draft) -> None:
    if p.nested or p.kind_of == "generator":
        return
    function, name = p.fresh("func"), p.target("any")
    p.line(f"@futamura.{p.pick('pure', 'opaque', 'inline')}")
    p.line(f"def {function}(k):")
    p.line(f"    return {p.pick('(k, k)', 'k + 1', 'k if not k else str(k)')}")
    p.line(f"{name} = {function}({p.pick('2', p.some())})")
    p.add("any", name)


@statement("variables that come and go", 3, 5)
def unbound(p: Draft) -> None:
    """Deleted, bound by one way only, bound by a handler and gone behind it."""
    name, kept = p.fresh("int"), p.target("any")
    p.line(f"if {p.cond()}: {name} = {p.some()}")
    p.line("try:")
    p.line(f"    {p.pick(f'del {name}', f'print({name})', f'{name} += 1', f'raise KeyError({name})')}")
    p.line(f"    {kept} = {name}")
    p.line(f"except {p.pick('NameError', 'UnboundLocalError', 'Exception', '(KeyError, NameError)')} as {name}:")
    p.line(f"    {kept} = {p.pick(f'type({name}).__name__', f'str({name})', '0')}")
    if p.chance(0.3):
        p.line("try:")
        p.line(f"    print({name})")
        p.line("except NameError as err: print(err)")
    p.add("any", kept)


@statement("comprehensions in each other", 3, 2)
def comprehensions(p: Draft) -> None:
    name = p.target("list")
    p.line(
        f"{name} = "
        + p.pick(
            f"[(q, w) for q in {p.expr('iter')} for w in (q, {p.i()}) if w != {p.leaf('int')}][:6]",
            f"[[w for w in range(q) if w % 2 == {p.leaf('int')}] for q in range(4)]",
            f"[q for q in ({p.some()}, {p.i()}, 3) if (w := q) is not None and w]",
            f"[f(2) for f in [lambda k, q=q: (k, q) for q in {p.expr('iter')}]][:4]",
            "[f() for f in [lambda: q for q in range(3)]]",
            f"list({{q: w for q, w in enumerate({p.leaf('list')}[:4])}}.items())",
            f"sorted({{q % 3 for q in range({p.leaf('int')} & 7)}})",
            f"[*(q for q in {p.leaf('list')}[:3]), *{p.leaf('tuple')}]",
            f"[x for row in {p.leaf('rows')} for x in row if x][:6]",
            f"sum([[q] * 2 for q in {p.leaf('list')}[:3]], [])",
            f"list(zip(*{p.leaf('rows')}))",
        )
    )
    p.add("list", name)


@statement("loop with else", 3, 5)
def loop_else(p: Draft) -> None:
    if p.loops:
        return
    name, total = p.fresh("int"), p.target("int")
    p.line(f"{total} = {p.i()}")
    p.line(p.pick(f"for {name} in {p.expr('iter')}:", f"for {name}, _ in enumerate({p.leaf('list')}[:4]):"))
    p.line(f"    if {name} {p.pick('==', 'is', '!=')} {p.some()}: {p.pick('break', 'continue')}")
    p.line(f"    {total} {p.pick('+=', '-=', '=')} {p.pick('1', name)}")
    p.line("else:")
    p.line(f"    {total} = {p.pick('-1', name, p.i())}")
    p.add("int", total)


BINARY = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor",
)  # fmt: skip
SIGNS = dict(zip(BINARY, ("+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "|", "^")))
COMPARED = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


def every_operator(p: Draft, put: Callable[..., None], may: Callable[..., None]) -> None:
    """A class whose operators are methods; some answer `NotImplemented`, some say that they ran."""
    name = p.fresh("Num")
    put(p, "class <me>:\n    def __init__(self, n=1, *items):", me=name)
    put(p, "        self.n = n\n        self.items = list(items)")
    put(p, "    def __repr__(self):\n        return f'<me>({self.n})'", me=name)
    chosen = p.rng.sample(BINARY, 4)
    for one in chosen:
        form = p.pick("", "r", "i")
        answer = p.pick(
            f"{name}(1)", "self", "(self.n, other)", "NotImplemented", "print('ran') or 5",
            f"{name}(self.n) if type(other) is int else NotImplemented",
        )  # fmt: skip
        put(p, f"    def __{form}{one}__(self, other):\n        return {answer}")
    for one in p.rng.sample(sorted(COMPARED), 2):
        answer = p.pick("self.n", "NotImplemented", "self.n == getattr(other, 'n', other)", "[]", "print('asked')")
        put(p, f"    def __{one}__(self, other):\n        return {answer}")
    unary = ("neg", "pos", "invert", "abs", "int", "float", "bool", "len", "index", "hash", "round")
    for one in p.rng.sample(unary, 3):
        answer = p.pick("self.n", "2", "print(7) or 1", "len(self.items)")
        put(p, f"    def __{one}__(self, *rest):\n        return {answer}")
    for text in p.rng.sample(
        (
            "    def __getitem__(self, k):\n        return self.items[k]",
            "    def __setitem__(self, k, v):\n        self.items[k:k] = [v]",
            "    def __delitem__(self, k):\n        print('del', k)\n        del self.items[k]",
            "    def __iter__(self):\n        return iter((self.n, 'it'))",
            "    def __contains__(self, k):\n        return 'yes' if k == self.n else ''",
            "    def __reversed__(self):\n        return [self.n]",
            "    def __missing__(self, k):\n        return k",
            "    def __enter__(self):\n        return self.n\n    def __exit__(self, *gone):\n        return self.n",
            "    def __call__(self, *args, **named):\n        return (self.n, args, named)",
            "    def __str__(self):\n        return 'num'",
        ),
        3,
    ):
        put(p, text)
    make: Callable[[Draft], str] = lambda p: f"{name}({p.pick('0', '2', p.leaf('int'))}, 3)"  # noqa: E731
    sides: Callable[[Draft], tuple[str, str]] = lambda p: (  # noqa: E731
        (make(p), p.pick(p.leaf("int"), make(p), "'a'")) if p.chance(0.7) else (p.pick(p.leaf("int"), "2"), make(p))
    )

    def binary(p: Draft) -> str:
        left, right = sides(p)
        return f"({left} {SIGNS[p.pick(*chosen)] if p.chance(0.8) else p.pick(*SIGNS.values())} {right})"

    def compared(p: Draft) -> str:
        left, right = sides(p)
        return f"{left} {p.pick(*COMPARED.values())} {right}"

    may(p, "any", binary)
    may(p, "any", binary)
    may(p, "any", lambda p: f"{p.pick('-', '+', '~')}{make(p)}")
    asked = ("abs", "len", "int", "float", "bool", "str", "list", "hash", "round")
    may(p, "any", lambda p: f"{p.pick(*asked)}({make(p)})")
    may(p, "any", lambda p: f"{make(p)}[{p.pick('0', '-1', p.leaf('int'))}]")
    may(p, "cond", compared)
    may(p, "cond", lambda p: f"{p.pick('not ', '')}{make(p)}")
    may(p, "cond", lambda p: f"{p.leaf('int')} {p.pick('in', 'not in')} {make(p)}")
    may(p, "iter", lambda p: f"{p.pick('reversed', 'list', 'tuple')}({make(p)})")

    def deed(p: Draft) -> None:
        holder = p.fresh("num")
        p.line(f"{holder} = {make(p)}")
        p.line("try:")
        sign = SIGNS[p.pick(*chosen)]
        p.line(
            "    "
            + p.pick(
                f"{holder} {sign}= {p.pick(p.leaf('int'), make(p))}",
                f"{holder} {sign}= {p.pick(p.leaf('int'), make(p))}",
                f"{holder}[{p.pick('0', p.leaf('int'))}] = {p.some()}",
                f"del {holder}[{p.pick('0', p.leaf('int'))}]",
                f"first, *rest = {holder}; print(first, rest)",
                f"with {holder} as given: print(given, 1 // {p.leaf('int')})",
                f"print({holder}(1, k={p.i()}))",
            )
        )
        p.line("except Exception as err:")
        p.line("    print(type(err).__name__, err)")
        p.line(f"print({holder})")
        p.add("any", holder)

    p.deeds.extend((deed, deed, deed))


def caches(p: Draft, put: Callable[..., None], may: Callable[..., None]) -> None:
    """Properties that remember, memo functions, functions chosen by class, a counter that all share."""
    cls, memo, chosen, count = p.fresh("Lazy"), p.fresh("memo"), p.fresh("kind"), p.fresh("COUNT")
    put(
        p,
        """
<count> = 0
class <me>:
    made = 0
    def __init__(self, n):
        self.n = n
        type(self).made += 1
    @functools.cached_property
    def square(self):
        print('computed', self.n)
        return self.n * 2
    @property
    def low(self):
        return self.n - 1
    @low.setter
    def low(self, value):
        self.n = value + 1
    @low.deleter
    def low(self):
        print('gone')
@functools.lru_cache(maxsize=<size>)
def <memo>(k, *rest):
    print('memo', k)
    return (k, rest)
@functools.singledispatch
def <chosen>(x):
    return 'any'
@<chosen>.register
def _(x: int):
    return 'int', x
@<chosen>.register(list)
def _(x):
    return 'list', len(x)
def <count>_up(k=1):
    global <count>
    <count> += k
    return <count>
""",
        me=cls, memo=memo, chosen=chosen, count=count, size=p.pick("None", "2"),
    )  # fmt: skip
    may(p, "any", lambda p: f"{cls}({p.i()}).{p.pick('square', 'low', 'made')}")
    may(p, "any", lambda p: f"{memo}({p.leaf('int')}{p.pick('', ', 1')})")
    may(p, "any", lambda p: f"{chosen}({p.some()})")
    may(p, "int", lambda p: f"{count}_up({p.pick('', p.i())})")
    may(p, "int", lambda p: f"({count}_up() + {count})")

    def deed(p: Draft) -> None:
        holder = p.fresh("lazy")
        p.line(f"{holder} = {cls}({p.i()})")
        p.line(f"{holder}.low {p.pick('=', '+=')} {p.i()}")
        p.line(p.pick(f"del {holder}.low", f"print({holder}.square, {holder}.square)", f"{holder}.square = 3"))
        p.line(f"print({holder}.n, {holder}.__dict__, {cls}.made > 0)")

    p.deeds.append(deed)


def nodes(p: Draft, put: Callable[..., None], may: Callable[..., None]) -> None:
    """Classes of a small tree, a visitor that finds its methods by name, and a method that a class overrides."""
    base, name = p.fresh("Node"), p.fresh("Visit")
    put(
        p,
        """
class <base>:
    __match_args__ = ('left', 'right')
    def __init__(self, left, right=None):
        self.left, self.right = left, right
    def fold(self, k):
        return <op>
    def __repr__(self):
        return f'{type(self).__name__}({self.left!r}, {self.right!r})'
class <base>Leaf(<base>):
    def fold(self, k):
        return (self.left, k)
class <base>Pair(<base>):
    def fold(self, k):
        return [self.left.fold(k), super().fold(k)]
class <me>:
    def __init__(self, k):
        self.k = k
        self.seen = []
    def visit(self, node):
        self.seen.append(type(node).__name__)
        return getattr(self, 'visit_' + type(node).__name__[-4:], self.other)(node)
    def visit_Leaf(self, node):
        return node.left
    def visit_Pair(self, node):
        return self.visit(node.left), self.visit(node.right)
    def other(self, node):
        match node:
            case <base>(left, None):
                return left
            case <base>(<base>() as left, right):
                return self.visit(left), right
            case _:
                return self.k
""",
        base=base,
        me=name,
        op=p.pick("k", "self.right", "k if self.right is None else self.right.fold(k)"),
    )

    def tree(p: Draft, depth: int = 2) -> str:
        if not depth or p.chance(0.3):
            return f"{base}{p.pick('Leaf', 'Leaf', '')}({p.some()})"
        return f"{base}Pair({tree(p, depth - 1)}, {tree(p, depth - 1)})"

    may(p, "any", lambda p: f"{name}({p.i()}).visit({tree(p)})")
    may(p, "any", lambda p: f"{tree(p)}.fold({p.i()})")
    may(p, "str", lambda p: f"repr({tree(p, 1)})")

    def deed(p: Draft) -> None:
        holder = p.fresh("visit")
        p.line(f"{holder} = {name}({p.i()})")
        p.line(f"print({holder}.visit({tree(p)}), {holder}.seen)")

    p.deeds.append(deed)


PARTS = (
    ("class with every operator", every_operator),
    ("class with every operator", every_operator),
    ("caches and counters", caches),
    ("tree and visitor", nodes),
)
