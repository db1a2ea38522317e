"""Parts of modules that ordinary programs have: enumerations, named tuples, properties with setters, descriptors,
subclasses of builtins, iterators, memo tables, decorators, managers from generators, classes with a common ancestor.

    enumeration(draft)    ->    class Color3(enum.IntEnum): ...     and `Color3(i0).value` becomes an expression

Each part is written before the target, and tells the draft what may be done with it: expressions by kind
(`Draft.extras`), and statements (`Draft.deeds`).

Invariant: as everywhere, all ends, and values grow by bounded amounts; nothing prints the address of an object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.specialize import constructs
from tests.specialize.draft import EXPRESSIONS, Draft, Missing, expression, statement

__all__ = ["LIBRARY", "write_ordinary"]

LIBRARY: Final = (
    "import abc, collections, contextlib, dataclasses, enum, functools, itertools, math, operator, re, struct, futamura"
)


def put(p: Draft, text: str, **names: str) -> None:
    """Lines of a text whose indentation is that of the source, below the present one."""
    for line in text.strip("\n").splitlines():
        for name, value in names.items():
            line = line.replace(f"<{name}>", value)
        p.lines.append("    " * p.indent + line)


def may(p: Draft, kind: str, make: Callable[[Draft], str]) -> None:
    p.extras.setdefault(kind, []).append(make)


def enumeration(p: Draft) -> None:
    name, base = p.fresh("Color"), p.pick("enum.Enum", "enum.IntEnum", "enum.Enum", "str, enum.Enum")
    text = base.startswith("str")
    put(
        p,
        """
class <me>(<base>):
    RED = <a>
    GREEN = <b>
    CRIMSON = <a>
    @property
    def loud(self):
        return self.name * 2
    def next(self, k):
        members = list(type(self))
        return members[(members.index(self) + k) % len(members)]
""",
        me=name,
        base=base,
        a="'r'" if text else "1",
        b="'g'" if text else "2",
    )
    names = [f"{name}.{one}" for one in ("RED", "GREEN", "CRIMSON")]
    member: Callable[[Draft], str] = lambda p: p.pick(*names, f"{name}({p.i()})")  # noqa: E731
    may(p, "any", member)
    may(p, "any", lambda p: p.pick(f"{name}[{p.s()}]", f"{name}['RED']", f"{name}.GREEN.next({p.i()})"))
    may(p, "int", lambda p: p.pick(f"{member(p)}.value", f"len({name})", f"[{name}.RED, {name}.GREEN][{p.i()}].value"))
    may(p, "str", lambda p: p.pick(f"{member(p)}.name", f"{member(p)}.loud", f"str({member(p)})", f"f'{{{name}.RED}}'"))
    may(p, "cond", lambda p: f"{p.leaf('any')} {p.pick('is', '==', 'is not', '!=')} {member(p)}")
    may(p, "cond", lambda p: f"{member(p)} in {p.pick(f'({name}.RED,)', f'{{{name}.GREEN: 1}}', f'list({name})')}")
    may(p, "iter", lambda p: p.pick(f"[m.value for m in {name}]", name))
    may(p, "dict", lambda p: f"{{{member(p)}: {p.some()}, 'k': {p.i()}}}")


def named_tuple(p: Draft) -> None:
    name = p.fresh("Point")
    if p.chance(0.5):
        p.line(f"{name} = collections.namedtuple('{name}', 'x y', defaults=(1,))")
    else:
        put(
            p,
            """
import typing
class <me>(typing.NamedTuple):
    x: int
    y: object = 1
    def moved(self, k):
        return self._replace(x=self.x + k)
""",
            me=name,
        )
        may(p, "tuple", lambda p: f"{name}({p.i()}).moved({p.i()})")
    make: Callable[[Draft], str] = lambda p: f"{name}({p.i()}{p.pick('', ', ' + p.some(), ', y=' + p.i())})"  # noqa: E731
    may(p, "tuple", make)
    may(p, "any", make)
    may(p, "int", lambda p: f"{make(p)}.{p.pick('x', 'y', 'z', 'x.real')}")
    may(p, "int", lambda p: f"{make(p)}[{p.pick('0', '1', '-1', '2')}]")
    may(p, "dict", lambda p: f"{make(p)}._asdict()")
    may(p, "cond", lambda p: f"{make(p)} {p.pick('==', '<')} {p.pick(make(p), p.leaf('tuple'))}")
    may(p, "str", lambda p: f"str({make(p)})")


def guarded_property(p: Draft) -> None:
    name = p.fresh("Gauge")
    put(
        p,
        """
class <me>:
    made = 0
    def __init__(self, level):
        type(self).made += 1
        self.level = level
    @property
    def level(self):
        return self._level
    @level.setter
    def level(self, new):
        if new < 0:
            raise ValueError(f'{new} is negative')
        self._level = new
    @level.deleter
    def level(self):
        print('deleted')
        self._level = 0
    def __repr__(self):
        return f'<me>({self.__dict__})'
""",
        me=name,
    )

    def deed(p: Draft) -> None:
        holder, got = p.fresh("gauge"), p.target("int")
        p.line(f"{holder} = {name}({p.i()})")
        p.line(p.pick(f"{holder}.level = {p.i()}", f"{holder}.level += {p.i()}", f"del {holder}.level"))
        p.line(f"{got} = {holder}.level + {name}.made")
        p.add("int", got)
        p.add("any", holder)

    p.deeds.append(deed)
    may(p, "any", lambda p: f"{name}({p.i()})")
    may(p, "int", lambda p: f"{name}({p.i()}).level")
    may(p, "dict", lambda p: f"vars({name}({p.i()}))")
    may(p, "int", lambda p: f"getattr({name}({p.i()}), {p.pick(repr('level'), repr('made'), p.s())}, {p.i()})")


def descriptor(p: Draft) -> None:
    name, owner = p.fresh("Field"), p.fresh("Owner")
    put(
        p,
        """
class <me>:
    def __init__(self, default):
        self.default = default
    def __set_name__(self, owner, name):
        self.name = '_' + name
    def __get__(self, thing, owner=None):
        if thing is None:
            return self
        return getattr(thing, self.name, self.default)
    def __set__(self, thing, value):
        print('set', self.name, value)
        setattr(thing, self.name, value)
class <owner>:
    a = <me>(1)
    b = <me>('b')
    def __init__(self, a):
        self.a = a
    def total(self, k):
        self.b = k
        return self.a + self.b
""",
        me=name,
        owner=owner,
    )
    may(p, "int", lambda p: f"{owner}({p.i()}).{p.pick('a', 'total(' + p.i() + ')')}")
    may(p, "any", lambda p: f"{owner}({p.some()})")
    may(p, "any", lambda p: f"{owner}({p.i()}).b")


def watchful(p: Draft) -> None:
    """A class that takes part in each access to its attributes."""
    name = p.fresh("Watch")
    body = p.pick(
        """
class <me>:
    def __init__(self, n):
        self.n = n
    def __setattr__(self, key, value):
        print('write', key)
        object.__setattr__(self, key, value)
    def __delattr__(self, key):
        super().__delattr__(key)
        print('gone', key)
""",
        """
class <me>:
    def __init__(self, n):
        self.__dict__['n'] = n
    def __setattr__(self, key, value):
        self.__dict__[key] = (value, len(self.__dict__))
    def __delattr__(self, key):
        raise AttributeError(key)
""",
        """
class <me>:
    def __init__(self, n):
        self.n = n
    def __getattribute__(self, key):
        if key != '__class__':  # how often `isinstance` asks for that may differ
            print('read', key)
        return super().__getattribute__(key)
""",
    )
    put(p, body, me=name)

    def deed(p: Draft) -> None:
        holder = p.fresh("watch")
        p.line(f"{holder} = {name}({p.i()})")
        p.line(
            p.pick(
                f"{holder}.n = {p.i()}",
                f"{holder}.n += 1",
                f"{holder}.m = {p.some()}",
                f"setattr({holder}, {p.s()}, 1)",
            )
        )
        p.line(
            p.pick(
                f"print({holder}.n)",
                f"del {holder}.{p.pick('n', 'm')}",
                f"delattr({holder}, 'n')",
                f"print(hasattr({holder}, 'm'))",
            )
        )
        p.add("any", holder)

    p.deeds.append(deed)


def builtin_subclass(p: Draft) -> None:
    name, kind = p.fresh("Sub"), p.pick("dict", "list", "int", "str", "dict", "list")
    bodies = {
        "dict": "    def __missing__(self, key):\n        print('missing', key)\n        return 7",
        "list": "    def append(self, item):\n        super().append(item)\n        print('append', len(self))\n"
        "    def first(self):\n        return self[0] if self else None",
        "int": "    def __add__(self, other):\n        return <me>(int(self) + int(other) + 1)\n"
        "    def twice(self):\n        return self + self",
        "str": "    def shout(self):\n        return <me>(self.upper())\n    def __len__(self):\n        return 3",
    }
    put(p, f"class <me>({kind}):\n{bodies[kind]}", me=name)
    if kind == "dict":
        may(p, "int", lambda p: f"{name}({{'a': {p.i()}}})[{p.s()}]")
        may(p, "int", lambda p: f"{name}(a={p.i()}).get({p.s()}, 0)")
        may(p, "dict", lambda p: f"{name}({p.leaf('dict')})")
    elif kind == "list":
        may(p, "list", lambda p: f"{name}({p.xs()})")
        may(p, "any", lambda p: f"{name}([{p.i()}]).first()")
    elif kind == "int":
        may(p, "int", lambda p: f"({name}({p.i()}) + {p.i()})")
        may(p, "int", lambda p: f"{name}({p.i()}).twice()")
    else:
        may(p, "str", lambda p: f"{name}({p.s()}).shout()")
        may(p, "int", lambda p: f"len({name}({p.s()}))")


def walking(p: Draft) -> None:
    """A class that is its own iterator."""
    name = p.fresh("Walk")
    put(
        p,
        """
class <me>:
    def __init__(self, top):
        self.at = 0
        self.top = top
    def __iter__(self):
        return self
    def __next__(self):
        if self.at >= 4 or self.at >= self.top:
            raise StopIteration
        self.at += 1
        return self.at * <step>
""",
        me=name,
        step=p.pick("1", "2", "self.top"),
    )
    may(p, "iter", lambda p: f"{name}({p.i()})")
    may(p, "list", lambda p: p.pick(f"list({name}({p.i()}))", f"[*{name}(2), *{name}({p.i()})]"))
    may(
        p,
        "int",
        lambda p: p.pick(f"sum({name}({p.i()}))", f"next({name}({p.i()}), 0)", f"max({name}({p.i()}), default=0)"),
    )


def memo(p: Draft) -> None:
    name = p.fresh("memo")
    put(
        p,
        p.pick(
            """
def <me>(n, seen={}):
    if n not in seen:
        print('new', n)
        seen[n] = n * 2
    return seen[n]
""",
            """
@functools.lru_cache(maxsize=<size>)
def <me>(n):
    print('computed', n)
    return n * 2
""",
            """
def <me>(n, log=[]):
    log.append(n)
    return len(log) if len(log) < 9 else log.clear() or 0
""",
        ),
        me=name,
        size=p.pick("None", "2"),
    )
    may(p, "int", lambda p: f"{name}({p.i()})")


def decorators(p: Draft) -> None:
    """A decorator with an argument, one for classes, and what is behind them."""
    plus, name = p.fresh("plus"), p.fresh("bare")
    put(
        p,
        """
def <plus>(amount, *, label='l'):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            print(label, function.__name__, len(args), sorted(kwargs))
            return function(*args, **kwargs) + amount
        return inner
    return decorate
@<plus>(<one>)
@<plus>(2, label='m')
def <me>(a, b=3, *rest, k=1):
    return a * b + len(rest) - k
""",
        plus=plus,
        me=name,
        one=p.pick("1", "0.5", "True"),
    )
    may(p, "int", lambda p: f"{name}({p.i()}{p.pick('', ', ' + p.i(), ', b=2, k=' + p.i(), ', *' + p.leaf('tuple'))})")
    may(p, "str", lambda p: f"{name}.__name__")


def manager(p: Draft) -> None:
    name = p.fresh("scope")
    put(
        p,
        """
@contextlib.contextmanager
def <me>(label, log=None):
    print('in', label)
    try:
        yield <given>
    except <caught> as error:
        print('caught', error.args)
        <then>
    finally:
        print('out', label)
""",
        me=name,
        given=p.pick("label", "3", "[label]", "log"),
        caught=p.pick("KeyError", "LookupError", "ValueError", "Exception"),
        then=p.pick("raise", "pass", "raise TypeError('t') from error"),
    )

    def deed(p: Draft) -> None:
        holder = p.target("any")
        suppressed = p.pick("", "", f", contextlib.suppress({p.pick(*p.errors)})")
        p.line(f"with {name}({p.s()}) as {holder}{suppressed}:")
        p.add("any", holder)
        trips = p.trips
        p.block(p.number(1, 2))
        p.trips = trips

    p.deeds.append(deed)
    p.deeds.append(deed)


def diamond(p: Draft) -> None:
    """Classes with a common ancestor; each calls the next in order of resolution."""
    base, left, right, name = p.fresh("Base"), p.fresh("Left"), p.fresh("Right"), p.fresh("Both")
    put(
        p,
        """
class <base>(abc.ABC):
    kinds = []
    def __init_subclass__(cls, tag='t', **kwargs):
        super().__init_subclass__(**kwargs)
        cls.tag = tag
        <base>.kinds.append(cls.__name__)
    def __init__(self, n=0, **rest):
        self.n = n
        self.rest = rest
    @abc.abstractmethod
    def area(self, k): ...
    def show(self):
        return [self.tag, self.area(1)]
class <left>(<base>, tag='left'):
    def __init__(self, *args, width=2, **rest):
        super().__init__(*args, **rest)
        self.width = width
    def area(self, k):
        return self.n * self.width + k
class <right>(<base>):
    def area(self, k):
        return k - self.n
    def show(self):
        return super().show() + ['right']
class <me>(<left>, <right>):
    def area(self, k):
        return <left>.area(self, k) + super(<left>, self).area(k)
    def __eq__(self, other):
        return NotImplemented if not isinstance(other, <base>) else self.n == other.n
    __hash__ = None
""",
        base=base,
        left=left,
        right=right,
        me=name,
    )
    make: Callable[[Draft], str] = lambda p: f"{p.pick(left, right, name, name)}({p.pick('', p.i(), 'n=' + p.i())})"  # noqa: E731
    may(p, "int", lambda p: f"{make(p)}.area({p.i()})")
    may(p, "list", lambda p: f"{make(p)}.show()")
    may(p, "any", lambda p: p.pick(f"{name}({p.i()}, width={p.i()}, other=1)", f"{base}()", make(p)))
    may(p, "cond", lambda p: f"{make(p)} {p.pick('==', '!=')} {p.pick(make(p), p.leaf('any'))}")
    may(p, "cond", lambda p: f"isinstance({make(p)}, {p.pick(base, left, right)})")
    may(p, "cond", lambda p: f"issubclass({p.pick(left, right, name)}, {p.pick(base, left)})")


def records(p: Draft) -> None:
    name = p.fresh("Item")
    options = p.pick("", "(frozen=True)", "(order=True)", "(slots=True)", "(kw_only=True)", "(eq=False)")
    put(
        p,
        """
@dataclasses.dataclass<options>
class <me>:
    a: int
    b: list = dataclasses.field(default_factory=list)
    c: object = dataclasses.field(default=None, repr=False, compare=<compare>)
    total = 0
    def __post_init__(self):
        print('made', self.a)
        <post>
    def more(self, k):
        self.b.append(k)
        return self
""",
        me=name,
        options=options,
        compare=p.pick("True", "False"),
        post=p.pick("pass", "pass", "type(self).total += 1")
        if "frozen" in options
        else p.pick("self.a += 1", "pass", "if self.a == 3: raise ValueError(self.a)"),
    )
    first = "a=" if "kw" in options else ""
    more: Callable[[Draft], str] = lambda p: p.pick("", ", b=" + p.xs(), ", c=" + p.some())  # noqa: E731
    make: Callable[[Draft], str] = lambda p: f"{name}({first}{p.i()}{more(p)})"  # noqa: E731
    may(p, "any", make)
    may(p, "any", lambda p: f"{make(p)}.more({p.i()})")
    may(p, "int", lambda p: f"{make(p)}.a")
    may(p, "list", lambda p: f"{make(p)}.b")
    may(p, "str", lambda p: f"repr({make(p)})")
    may(p, "cond", lambda p: f"{make(p)} {p.pick('==', '<', '!=')} {make(p)}")
    may(p, "dict", lambda p: f"dataclasses.asdict({make(p)})")
    may(p, "any", lambda p: f"dataclasses.replace({make(p)}, a={p.i()})")

    def deed(p: Draft) -> None:
        holder = p.fresh("item")
        p.line(f"{holder} = {make(p)}")
        p.line(f"{holder}.{p.pick('a', 'a', 'c', 'zz')} {p.pick('=', '=', '+=')} {p.i()}")
        p.add("any", holder)

    p.deeds.append(deed)


def running_total(p: Draft) -> None:
    """A generator that takes values as long as it gets them, and one that hands them on."""
    name, outer = p.fresh("total"), p.fresh("relay")
    put(
        p,
        """
def <me>(start, top=6):
    total = start
    try:
        while top > 0:
            top -= 1
            got = yield total
            if got is None:
                continue
            total <op> got
    finally:
        print('closed', total)
    return total
def <outer>(start):
    result = yield from <me>(start, 3)
    yield ('done', result)
""",
        me=name,
        outer=outer,
        op=p.pick("+=", "-=", "="),
    )

    def deed(p: Draft) -> None:
        running, got = p.fresh("run"), p.target("any")
        p.line(f"{running} = {p.pick(name, outer)}({p.i()})")
        p.line("try:")
        p.line(f"    {got} = [next({running}), {running}.send({p.i()}), {running}.send({p.some()})]")
        p.line("    " + p.pick("pass", f"{got} += list({running})", f"{got}.extend(itertools.islice({running}, 2))"))
        p.line("finally:")  # else its clean-up would run when it is collected, wherever that is
        p.line(f"    {running}.close()")
        p.add("any", got)

    p.deeds.append(deed)
    may(p, "list", lambda p: f"list({p.pick(name, outer)}({p.i()}))")


PARTS: Final[tuple[tuple[str, Callable[[Draft], None]], ...]] = (
    ("enumeration", enumeration),
    ("named tuple", named_tuple),
    ("property with setter", guarded_property),
    ("descriptor", descriptor),
    ("__setattr__ and __getattribute__", watchful),
    ("subclass of a builtin", builtin_subclass),
    ("iterator class", walking),
    ("memo table", memo),
    ("decorator with arguments", decorators),
    ("manager from a generator", manager),
    ("multiple inheritance", diamond),
    ("dataclass of the module", records),
    ("generator as coroutine", running_total),
)


def write_ordinary(p: Draft) -> None:
    at = p.number(0, len(PARTS) + len(constructs.PARTS) - 1)
    if at < len(PARTS):
        feature, write = PARTS[at]
        write(p)
    else:
        feature, made = constructs.PARTS[at - len(PARTS)]
        made(p, put, may)
    p.use(feature)


def extra(kind: str) -> Callable[[Draft], str]:
    """An expression of the kind from a part of this module."""

    def make(p: Draft) -> str:
        rows = p.extras.get(kind)
        if not rows:
            raise Missing(kind)
        p.use("ordinary part used")
        return rows[p.number(0, len(rows) - 1)](p)

    return make


for _kind in ("int", "str", "list", "dict", "tuple", "any", "cond", "iter"):
    expression(_kind, "ordinary part", max(4, sum(row.weight for row in EXPRESSIONS[_kind]) // 8), extra(_kind))


@statement("ordinary part as statement", 16, 5)
def deed(p: Draft) -> None:
    if p.deeds:
        p.deeds[p.number(0, len(p.deeds) - 1)](p)
