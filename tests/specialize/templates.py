"""Parts of a random module: globals, classes, context managers, helper functions, interpreters.

    write_class(draft)     ->     class Box1: with `n`, `items`, `name`, `step(k)` and some of the special methods

Every class has the same three attributes and the method `step`, so that the productions of expressions may use any
instance; the special methods differ, and using one that is missing raises.

Invariant: recursion goes down on a fuel parameter that is at most 4, and a helper calls only helpers written before it.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.specialize.blocks import finish_function
from tests.specialize.draft import ClassInfo, Draft, FunctionInfo

__all__ = ["interpreter", "write_class", "write_function", "write_globals", "write_helper", "write_manager"]

DUNDERS: dict[str, tuple[str, ...]] = {
    "__eq__": (
        "def __eq__(self, other):",
        "    print('eq', self.n)",
        "    return isinstance(other, {me}) and self.n == other.n",
    ),
    "__hash__": ("def __hash__(self):", "    return 17"),
    "__lt__": ("def __lt__(self, other):", "    return self.n < getattr(other, 'n', 0)"),
    "__len__": ("def __len__(self):", "    return len(self.items)"),
    "__bool__": ("def __bool__(self):", "    print('bool', self.name)", "    return self.n > 1"),
    "__getitem__": ("def __getitem__(self, k):", "    return self.items[k]"),
    "__setitem__": ("def __setitem__(self, k, v):", "    print('set', k)", "    self.items[k] = v"),
    "__contains__": ("def __contains__(self, k):", "    return k == self.n or k in self.items"),
    "__iter__": ("def __iter__(self):", "    for item in self.items[:4]:", "        yield item"),
    "__call__": ("def __call__(self, k, *rest):", "    self.n += 1", "    return k + self.n + len(rest)"),
    "__repr__": ("def __repr__(self):", "    return f'{me}<{{self.n}}>'"),
    "__add__": ("def __add__(self, k):", "    return {me}(self.n + k, self.items, self.name)"),
    "__radd__": ("def __radd__(self, k):", "    print('radd', k)", "    return k + self.n"),
    "__iadd__": ("def __iadd__(self, k):", "    self.n += k", "    return self"),
    "__index__": ("def __index__(self):", "    print('index')", "    return self.n & 1"),
    "__getattr__": (
        "def __getattr__(self, name):",
        "    print('getattr', name)",
        "    if name.startswith('_'):",
        "        raise AttributeError(name)",
        "    return 40",
    ),
    "__format__": ("def __format__(self, spec):", "    return f'<{{spec}}{{self.n}}>'"),
    "__neg__": ("def __neg__(self):", "    return {me}(-self.n)"),
}
METHODS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("method", "twice", ("def twice(self, k=1):", "    return self.step(self.step(k))")),
    ("classmethod", "make", ("@classmethod", "def make(cls, k):", "    return cls(k).n + cls.bonus")),
    ("staticmethod", "plain", ("@staticmethod", "def plain(k):", "    return k - 1")),
    ("method", "push", ("def push(self, k):", "    self.items.append(k)", "    return len(self.items)")),
)
PROPERTIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("size", ("@property", "def size(self):", "    return len(self.items) + self.n")),
    ("loud", ("@property", "def loud(self):", "    print('loud', self.n)", "    return self.n")),
)


def put(p: Draft, lines: tuple[str, ...], **names: str) -> None:
    for line in lines:
        p.lines.append("    " * p.indent + (line.format(**names) if names else line))


def write_globals(p: Draft) -> None:
    """Numbers, a list and a table; some are written by the functions, some never."""
    for _ in range(p.number(0, 2)):
        name = p.fresh("LIMIT")
        p.line(f"{name} = {p.pick('3', '7', '10', 'True', '2.5')}")
        p.globals.setdefault("int", []).append(name)
    if p.chance(0.5):
        name = p.fresh("TABLE")
        p.line(f"{name} = {p.pick('[1, 2, 3]', '[5]', '[[1], 2]')}")
        p.globals.setdefault("list", []).append(name)
    if p.chance(0.4):
        name = p.fresh("CACHE")
        p.line(f"{name} = {p.pick('{}', repr({'a': 1}), '{1: 2}')}")
        p.globals.setdefault("dict", []).append(name)
    if p.chance(0.4):
        name = p.fresh("Trouble")
        p.line(f"class {name}({p.pick('Exception', 'ValueError', 'KeyError')}): pass")
        p.errors.append(name)


def write_class(p: Draft) -> None:
    """A class of its own, or a subclass of an earlier one that calls `super()`."""
    name = p.fresh("Box")
    parent = p.pick(*(c.name for c in p.classes)) if p.classes and p.chance(0.5) else ""
    p.line(f"class {name}{'(' + parent + ')' if parent else ''}:")
    p.indent += 1
    slots = not parent and p.chance(0.12)
    if slots:
        p.use("__slots__")
        p.line("__slots__ = ('n', 'items', 'name', 'extra')")
    p.line(f"bonus = {p.pick('4', '0', 'True')}")
    if parent:
        p.use("inheritance and super")
        if p.chance(0.4):
            put(
                p,
                (
                    "def __init__(self, n=1, items=None, name='sub'):",
                    "    super().__init__(n, items, name)",
                    "    self.n += 1",
                ),
            )
        put(
            p,
            ("def step(self, k):", f"    return super().step(k) {p.pick('+', '-', '*')} {p.pick('1', '2', 'self.n')}"),
        )
    else:
        put(
            p,
            (
                "def __init__(self, n=0, items=None, name='o'):",
                "    self.n = n",
                "    self.items = [] if items is None else items",
                "    self.name = name",
            ),
        )
        write_step(p)
    methods, properties = write_extras(p)
    dunders = p.rng.sample(sorted(DUNDERS), p.number(0, 3))
    for dunder in dunders:
        p.use(dunder)
        put(p, DUNDERS[dunder], me=name)
    if not parent and "__repr__" not in dunders:
        put(p, DUNDERS["__repr__"], me=name)  # an address in a text would differ from run to run
    p.indent -= 1
    p.classes.append(ClassInfo(name, tuple(methods), frozenset(dunders), tuple(properties)))


def write_extras(p: Draft) -> tuple[list[str], list[str]]:
    methods, properties = [], []
    if p.chance(0.4):
        feature, method, lines = METHODS[p.number(0, len(METHODS) - 1)]
        p.use(feature)
        put(p, lines)
        methods.append(method)
    if p.chance(0.3):
        prop, lines = PROPERTIES[p.number(0, len(PROPERTIES) - 1)]
        p.use("property")
        put(p, lines)
        properties.append(prop)
    return methods, properties


def write_step(p: Draft) -> None:
    """`step(self, k)`: a small random body on the instance's own attributes."""
    p.line("def step(self, k):")
    body(p, {"int": ["k", "self.n"], "list": ["self.items"], "str": ["self.name"]}, p.number(2, 5), "int")


def body(
    p: Draft,
    names: dict[str, list[str]],
    budget: int,
    gives: str,
    kind: str = "function",
    fuel: str = "",
) -> None:
    """An indented function body with variables `names`; it does not assign its `fuel`."""
    saved = p.names, p.frozen, p.budget, p.trips, p.kind_of, p.declared, p.loops
    p.names, p.frozen, p.budget, p.trips, p.kind_of, p.declared, p.loops = names, {fuel}, budget, 5, kind, set(), 0
    p.indent += 1
    declare_globals(p)
    for _ in range(p.number(1, 3)):
        if p.budget > 0:
            p.statement()
    if gives:
        p.line(f"return {p.expr(gives)}")
    elif kind == "generator":
        p.line(f"yield {p.i()}")
    p.indent -= 1
    p.names, p.frozen, p.budget, p.trips, p.kind_of, p.declared, p.loops = saved


def declare_globals(p: Draft) -> None:
    names = p.globals.get("int", [])
    if names and p.chance(0.35):
        name = p.pick(*names)
        p.line(f"global {name}")
        p.declared.add(name)


def write_manager(p: Draft) -> None:
    """A context manager that prints; it may swallow one kind of exception, or raise in `__exit__`."""
    name = p.fresh("Guard")
    p.line(f"class {name}:")
    put(
        p,
        (
            "    def __init__(self, label):",
            "        self.label = label",
            "    def __enter__(self):",
            "        print('enter', self.label)",
            f"        return {p.pick('self', 'self.label', '3')}",
        ),
    )
    put(p, ("    def __exit__(self, kind, error, trace):", "        print('exit', self.label, kind and kind.__name__)"))
    p.line(
        "        "
        + p.pick(
            "return False",
            "return kind is KeyError",
            "return kind is not None and issubclass(kind, LookupError)",
            "if error: raise ValueError('exit') from error",
        )
    )
    p.managers.append(name)


def plain(p: Draft) -> None:
    name, gives = p.fresh("helper"), p.pick("int", "int", "str", "list")
    kinds = tuple(p.pick("int", "int", "list", "str") for _ in range(p.number(1, 3)))
    names: dict[str, list[str]] = {}
    parameters = []
    for kind in kinds:
        parameters.append(p.fresh(kind))
        names.setdefault(kind, []).append(parameters[-1])
    extra = ""
    if p.chance(0.25):
        p.use("keyword-only parameter")
        extra = "extra"
        names.setdefault("int", []).append(extra)
        parameters.append("*, extra=2")
    elif p.chance(0.25):
        p.use("default parameter")
        parameters[-1] += "=" + {"int": "2", "list": "(1, 2)", "str": "'d'"}[kinds[-1]]
    elif p.chance(0.15):
        p.use("star parameter")
        parameters.append("*rest")
        names.setdefault("tuple", []).append("rest")
    p.line(f"def {name}({', '.join(parameters)}):")
    body(p, names, p.number(2, 6), gives)
    p.functions.append(FunctionInfo(name, kinds, gives, extra=extra))


def recursive(p: Draft) -> None:
    name = p.fresh("recur")
    p.line(f"def {name}(k, a, xs):")
    names = {"int": ["k", "a"], "list": ["xs"]}
    tail = p.pick(
        f"{name}(k - 1, a + 1, xs)",
        f"{name}(k - 1, a, xs) + k",
        f"{name}(k - 1, a, xs[1:]) + {name}(k - 2, a, xs)",
        f"{name}(k - 1, a * 2, xs + [k])",
        f"a if a in xs else {name}(k - 1, a - 1, xs)",
    )
    p.indent += 1
    put(p, ("if not k > 0:", f"    return {p.pick('a', 'len(xs)', 'a + 1')}"))
    p.indent -= 1
    body(p, names, p.number(1, 3), "", fuel="k")
    p.lines.append(f"    return {tail}")
    p.functions.append(FunctionInfo(name, ("fuel", "int", "list"), "int"))


def mutual(p: Draft) -> None:
    even, odd = p.fresh("even"), p.fresh("odd")
    put(
        p,
        (
            f"def {even}(k, a):",
            f"    return a if not k > 0 else {odd}(k - 1, a {p.pick('+ 1', '- 2', '* 2')})",
            f"def {odd}(k, a):",
            "    if not k > 0:",
            f"        return {p.pick('-a', '0', 'a + 5')}",
            f"    return {even}(k - 1, a)",
        ),
    )
    p.functions.append(FunctionInfo(even, ("fuel", "int"), "int"))


def generator(p: Draft) -> None:
    name = p.fresh("produce")
    p.line(f"def {name}(k, xs):")
    body(p, {"int": ["k"], "list": ["xs"]}, p.number(3, 7), "", kind="generator")
    p.functions.append(FunctionInfo(name, ("int", "list"), "list", generator=True))


def closure_maker(p: Draft) -> None:
    name = p.fresh("maker")
    p.line(f"def {name}(k):")
    put(
        p,
        (
            "    total = k",
            "    def run(j):",
            "        nonlocal total",
            f"        total {p.pick('+=', '-=', '^=')} j",
            f"        return {p.pick('total', 'total + k', '(k, total)[1]')}",
            "    return run",
        ),
    )
    call = FunctionInfo(name, ("int",), "func")
    p.functions.append(call)


def decorated(p: Draft) -> None:
    """A function behind a decorator that keeps a count."""
    decorator, name = p.fresh("counted"), p.fresh("wrapped")
    put(
        p,
        (
            f"def {decorator}(function):",
            "    calls = []",
            "    def inner(*args, **kwargs):",
            "        calls.append(len(args))",
            f"        return function(*args, **kwargs){p.pick('', ' + len(calls)')}",
            "    return inner",
            f"@{decorator}",
        ),
    )
    p.line(f"def {name}(a, b=1):")
    body(p, {"int": ["a", "b"]}, p.number(1, 3), "int")
    p.functions.append(FunctionInfo(name, ("int", "int"), "int"))


HELPERS: tuple[tuple[str, int, Callable[[Draft], None]], ...] = (
    ("helper", 6, plain),
    ("recursion with fuel", 3, recursive),
    ("mutual recursion", 1, mutual),
    ("generator function", 5, generator),
    ("closure maker", 2, closure_maker),
    ("decorated function", 1, decorated),
)


def write_helper(p: Draft) -> None:
    feature, _, write = p.rng.choices(HELPERS, [row[1] for row in HELPERS])[0]
    p.use(feature)
    write(p)


def write_function(
    p: Draft, head: str, names: dict[str, list[str]], budget: int, kind: str = "function", indent: int = 0
) -> None:
    """The target: a `def` line and a random body that uses everything written before."""
    p.names, p.frozen, p.budget, p.trips, p.kind_of, p.declared = names, {"outer"}, budget, 60, kind, set()
    p.indent = indent
    p.line(head)
    p.indent += 1
    declare_globals(p)
    makers = [f for f in p.functions if f.gives == "func"]
    if makers and p.chance(0.8):
        name = p.fresh("func")
        p.line(f"{name} = {p.call(makers[0])}")
        p.add("func", name)
    finish_function(p, 12)
    if kind == "generator":
        p.line(f"yield {p.i()}")
    p.indent = 0


OPERATIONS: tuple[tuple[str, str], ...] = (
    ("add", "acc += arg"),
    ("sub", "acc -= arg"),
    ("mul", "acc = acc * arg % 1009"),
    ("push", "stack.append(acc)"),
    ("pop", "acc = stack.pop()"),
    ("print", "print(acc)"),
    ("load", "acc = env.get(arg, 0)"),
    ("store", "env[arg] = acc"),
    ("neg", "acc = -acc"),
    ("swap", "stack[-1], acc = acc, stack[-1]"),
    ("cmp", "acc = acc < arg"),
)


def interpreter(p: Draft) -> tuple[str, str, str]:
    """A loop over instructions with jumps.  Gives its name, the text of a program for it, and its parameters."""
    name = p.fresh("machine")
    chosen = p.rng.sample(OPERATIONS, p.number(3, 6))
    p.line(f"def {name}(code, acc, fuel):")
    put(
        p,
        (
            "    pc = 0",
            "    stack = []",
            "    env = {}",
            "    while pc < len(code) and fuel > 0:",
            "        fuel -= 1",
            "        op, arg = code[pc]",
            "        pc += 1",
        ),
    )
    for index, (op, text) in enumerate(chosen):
        put(p, (f"        {'if' if index == 0 else 'elif'} op == {op!r}:", f"            {text}"))
    put(
        p,
        (
            "        elif op == 'jump':",
            "            pc = arg",
            "        elif op == 'branch':",
            "            if acc > 0:",
            "                pc = arg",
        ),
    )
    put(
        p,
        (
            "        else:",
            "            raise ValueError(op)",
            f"    return {p.pick('acc', 'acc, stack', 'acc, env', 'stack, env, fuel')}",
        ),
    )
    length = p.number(2, 7)
    code = []
    for _ in range(length):
        op = p.pick(*(op for op, _ in chosen), "jump", "branch", "branch")
        target = str(p.number(0, length)) if op in ("jump", "branch") else p.pick("1", "2", "3", "-1")
        code.append(f"({op!r}, {target})")
    return name, "[" + ", ".join(code) + "]", "code, acc, fuel"
