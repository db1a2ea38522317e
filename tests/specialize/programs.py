"""Random programs for the specializer: a module's text, a target, its static inputs and sequences of dynamic inputs.

    generate(7)   ->   Program(source="class Box1: ...", target="target",
                               static=(("xs2", "[1, 2]"),), inputs=("{'i3': 1}", ...))

Everything is text, so that a program is reproduced by its seed and printed as one self-contained file.  Each input is
an expression of a dictionary from parameter names to values; it may mention `static`, the dictionary of the static
values, and the module's globals, so arguments may alias each other, a static value or a global.  A static value may
mention the static names before it.

Invariant: the same seed gives the same program, on every version of Python and under every hash seed; each program
compiles, ends, and never iterates over a set of unknown order.
"""

from __future__ import annotations

import ast
import random
import warnings
from collections import Counter
from dataclasses import dataclass, field

from tests.specialize.draft import Draft
from tests.specialize.ordinary import LIBRARY, write_ordinary
from tests.specialize.statements import PARAMETER_KINDS
from tests.specialize.templates import (
    interpreter,
    write_class,
    write_function,
    write_globals,
    write_helper,
    write_manager,
)

__all__ = ["INPUTS", "Program", "generate"]

INPUTS = 12
VALUES: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "3", "4", "5", "7", "-1", "-3", "12", "100", "10**20"),
    "odd int": ("True", "False", "1.0", "0.0", "-0.0", "2.5", "float('nan')", "'1'", "None", "float('inf')"),
    "float": ("0.0", "-0.0", "1.0", "0.5", "-2.5", "1e300", "float('nan')", "float('inf')", "3", "True"),
    "bool": ("True", "False", "1", "0", "1.0", "None", "[]"),
    "str": ("''", "'a'", "'ab'", "'abc,d'", "'12'", "'b'", "' x '", "'A'", "None", "b'a'"),
    "list": (
        "[]",
        "[1]",
        "[1, 2, 3]",
        "[3, 1, 2]",
        "[0, True, 1.0]",
        "[2, 'a']",
        "[-1, 5, 5, 0]",
        "(1, 2)",
        "[float('nan'), -0.0]",
    ),
    "dict": ("{}", "{'a': 1}", "{'a': 1, 'b': 2}", "{1: 2, 'ab': 3}", "{'a': [1]}", "{True: 1, '': 0}"),
    "tuple": ("()", "(1,)", "(1, 2)", "(2, 'a', 0.5)", "(1, (2, 3))", "([1], 2)", "(True, 1.0)"),
    "rows": ("[[1], [2, 3]]", "[[0, 1], [1, 0]]", "[[], [0]]", "[[4]] * 2", "([1], [2])"),
    "set": ("set()", "{1, 2}", "{1, 3, 5}", "frozenset({2})"),
    "any": ("None", "0", "1", "True", "1.0", "'a'", "[1, 2]", "(1, 2)", "{'a': 1}", "-0.0", "..."),
    "acc": ("0", "1", "5", "-2", "2.5", "True", "'a'"),
    "fuel": ("0", "3", "10", "20", "25"),
}
PROMISES: dict[str, tuple[str, ...]] = {
    "int": ("Dyn(int)", "Dyn(int)", "Dyn(float)"),
    "float": ("Dyn(float)",),
    "str": ("Dyn(str)",),
    "bool": ("Dyn(bool)",),
    "list": ("Dyn(list)", "Dyn(list[int])", "Dyn(list[int], length=3)"),
    "dict": ("Dyn(dict)",),
    "tuple": ("Dyn(tuple)",),
    "acc": ("Dyn(int)",),
    "fuel": ("Dyn(int)",),
}
DULL = (ast.expr_context, ast.Module, ast.arguments, ast.arg, ast.alias, ast.Name, ast.Constant, ast.keyword)
SHARED = {"list": ("[1, 2, 3]", "[0]"), "dict": ("{'a': 1}",), "obj": (), "rows": ("[[1], [2]]",), "set": ("{1, 2}",)}


@dataclass(frozen=True, slots=True)
class Program:
    """One fuzzing case."""

    seed: int
    source: str
    target: str
    """An expression in the module's namespace: a function, a bound method, a closure."""
    positional: tuple[str, ...]
    keyword: tuple[str, ...]
    static: tuple[tuple[str, str], ...]
    inputs: tuple[str, ...]
    promises: tuple[tuple[str, str], ...] = ()
    """What is declared of open parameters; calls need not keep it."""
    features: Counter[str] = field(default_factory=Counter, compare=False)

    def text(self) -> str:
        """The case as one readable file."""
        static = ", ".join(f"{name}={value}" for name, value in (*self.static, *self.promises))
        lines = [self.source.rstrip(), "", f"# specialize({self.target}{', ' if static else ''}{static})"]
        lines.extend(f"# input {text}" for text in self.inputs)
        return "\n".join(lines) + "\n"


@dataclass(slots=True)
class Target:
    """What is known of the target while inputs are made."""

    expression: str
    parameters: list[tuple[str, str]]
    """(kind, name) of what may be given by position."""
    keyword: list[tuple[str, str]] = field(default_factory=list)
    optional: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    """The texts of static values that are not random."""


def generate(seed: int) -> Program:
    """The program of this seed; drafts that do not compile are thrown away."""
    rng = random.Random(seed)
    while True:
        draft = Draft(rng)
        target = write_module(draft)
        source = "\n".join(draft.lines) + "\n"
        tree = parsed(source)
        if tree is None:
            continue
        draft.features.update(f"ast.{type(node).__name__}" for node in ast.walk(tree) if not isinstance(node, DULL))
        static, inputs = split(draft, target)
        return Program(
            seed,
            source,
            target.expression,
            tuple(name for _, name in target.parameters),
            tuple(name for _, name in target.keyword),
            static,
            inputs,
            promise(draft, target, {name for name, _ in static}),
            draft.features,
        )


def promise(p: Draft, target: Target, given: set[str]) -> tuple[tuple[str, str], ...]:
    """Now and then a declaration of what an open parameter is; some of the inputs do not keep it."""
    if not p.chance(0.15):
        return ()
    found = []
    for kind, name in target.parameters + target.keyword:
        if name not in given and kind in PROMISES and p.chance(0.6):
            found.append((name, p.pick(*PROMISES[kind])))
    if found:
        p.use("promised parameter")
    return tuple(found)


def parsed(source: str) -> ast.Module | None:
    """The tree, or None if the text does not compile."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
            compile(tree, "draft", "exec", dont_inherit=True)
        except SyntaxError:
            return None
    return tree


def write_module(p: Draft) -> Target:
    """Globals, classes, helpers, and last the target."""
    size = p.pick("small", "small", "middle", "middle", "large")
    p.line(LIBRARY)
    if size != "small" or p.chance(0.3):
        write_globals(p)
    for _ in range({"small": p.number(0, 1), "middle": p.number(0, 2), "large": p.number(0, 2)}[size]):
        write_class(p)
    for _ in range(p.number(-1, 2)):
        write_ordinary(p)
    if size != "small" and p.chance(0.5):
        write_manager(p)
    for _ in range({"small": 0, "middle": p.number(0, 2), "large": p.number(0, 2)}[size]):
        write_helper(p)
    budget = {"small": p.number(3, 8), "middle": p.number(6, 18), "large": p.number(10, 26)}[size]
    if p.chance(0.08):
        return machine_target(p)
    return free_target(p, budget)


def machine_target(p: Draft) -> Target:
    """An interpreter whose program is static as often as not."""
    p.use("interpreter")
    name, code, _ = interpreter(p)
    return Target(name, [("code", "code"), ("acc", "acc"), ("fuel", "fuel")], values={"code": code})


def free_target(p: Draft, budget: int) -> Target:
    """A function, generator, closure or method with random parameters."""
    parameters: list[tuple[str, str]] = []
    for _ in range(p.number(1, 4)):
        kind = p.pick(*PARAMETER_KINDS)
        if kind == "obj" and not p.classes:
            kind = "int"
        parameters.append((kind, p.fresh(kind)))
    names: dict[str, list[str]] = {}
    for kind, name in parameters:
        names.setdefault(kind, []).append(name)
    target = Target("target", list(parameters))
    heads = [name for _, name in parameters]
    if p.chance(0.15):
        p.use("target with default")
        target.optional.add(heads[-1])
        heads[-1] += "=" + p.pick("None", "1", "()")
    if p.chance(0.12):
        p.use("target with keyword-only parameter")
        target.keyword.append(("int", "width"))
        names.setdefault("int", []).append("width")
        heads.append("*, width=2")
        target.optional.add("width")
    form = p.number(0, 19)
    if form == 0:
        p.use("target is a generator")
        write_function(p, f"def target({', '.join(heads)}):", names, budget, kind="generator")
    elif form <= 2 and p.classes:
        p.use("target is a method")
        names.setdefault("int", []).append("self.n")
        names.setdefault("list", []).append("self.items")
        names.setdefault("obj", []).append("self")
        p.line(f"class Host({p.classes[-1].name}):")
        write_function(p, f"def target({', '.join(['self', *heads])}):", names, budget, indent=1)
        target.expression = "Host(3, [1, 2], name='host').target"
    elif form <= 4:
        p.use("target is a closure")
        names.setdefault("int", []).append("outer")
        p.line(f"def make(outer, shared={p.pick('()', 'None', '3')}):")
        write_function(p, f"def target({', '.join(heads)}):", names, budget, indent=1)
        p.line("    return target")
        target.expression = f"make({p.pick('2', '5', 'True', '-1.5')})"
    else:
        write_function(p, f"def target({', '.join(heads)}):", names, budget)
    return target


def value(p: Draft, kind: str) -> str:
    """The text of a value, now and then of an unexpected type."""
    if kind == "obj":
        name = p.pick(*(c.name for c in p.classes))
        return p.pick(
            f"{name}({p.pick('0', '1', '2', '3')})",
            f"{name}(2, [1, 2], name='in')",
            f"{name}(1, [])",
            *(["None"] if p.chance(0.1) else []),
        )
    if kind == "int" and p.chance(0.15):
        kind = "odd int"
    return p.pick(*VALUES[kind])


def split(p: Draft, target: Target) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Which parameters are static, with their values, and the dynamic inputs."""
    everything = target.parameters + target.keyword
    roll = p.number(0, 9)
    share = 0.0 if roll == 0 else 1.0 if roll == 1 else 0.5
    static: list[tuple[str, str]] = []
    kinds = {name: kind for kind, name in everything}
    for kind, name in everything:
        if p.chance(share):
            if name in target.values:
                p.use("static program")
            text = target.values.get(name) or value(p, kind)
            twins = [other for other, _ in static if kinds[other] == kind and kind in SHARED]
            if twins and p.chance(0.4):
                p.use("aliased static values")
                text = twins[0]
            static.append((name, text))
    p.use("nothing static" if not static else "all static" if len(static) == len(everything) else "some static")
    given = {name for name, _ in static}
    opened = [(kind, name) for kind, name in everything if name not in given]
    inputs = [one_input(p, target, opened) for _ in range(INPUTS - 1)]
    inputs.append(one_input(p, target, opened, [(kinds[n], n) for n, _ in static]))
    if p.chance(0.2):
        tweak(p, inputs)
    return tuple(static), tuple(inputs)


def tweak(p: Draft, inputs: list[str]) -> None:
    """Between two calls the module changes from outside: a global, a function, an attribute of a class."""
    p.use("module changed between calls")
    for _ in range(p.number(1, 3)):
        place = p.number(1, len(inputs) - 1)
        changes = [f"module.update({p.pick('len', 'abs', 'str')}={p.pick('lambda q: 5', 'repr')})"]
        changes += [f"module.update({name}={p.pick('4', '0', 'False')})" for name in p.globals.get("int", ())]
        changes += [f"module.update({name}=[7, 8])" for name in p.globals.get("list", ())]
        changes += [f"module.update({name}={{'a': 9}})" for name in p.globals.get("dict", ())]
        changes += [f"module.update({function.name}=lambda *given, **named: 5)" for function in p.functions]
        for cls in p.classes:
            value = p.pick("9", "None", "lambda self, k: k", "property(lambda self: 3)")
            changes.append(f"setattr({cls.name}, {p.pick(repr('bonus'), repr('step'), repr('__eq__'))}, {value})")
            name = p.pick("n", "items", "name", "size", "twice", "__bool__", "__len__", "__add__", "__call__", "__lt__")
            changes.append(f"setattr({cls.name}, {name!r}, {value})")
            changes.append(f"'step' in {cls.name}.__dict__ and delattr({cls.name}, 'step')")
        inputs[place] = f"({p.pick(*changes)}, {inputs[place]})[1]"


def one_input(
    p: Draft, target: Target, opened: list[tuple[str, str]], static: list[tuple[str, str]] | None = None
) -> str:
    """One dictionary of dynamic arguments; two of them may be one object.

    With `static`, one may be a static value or a global.  Only the last input may: what is written through it
    changes places that the specializer was promised to find as they were.
    """
    values = {name: target.values.get(name) or value(p, kind) for kind, name in opened}
    for name in sorted(target.optional & values.keys()):
        if p.chance(0.4):
            p.use("default used")
            del values[name]
    shared = ""
    for kind in SHARED:
        same = [name for k, name in opened if k == kind and name in values]
        if len(same) >= 2 and p.chance(0.4):
            p.use("aliased arguments")
            shared = value(p, kind)
            values[same[0]] = values[same[1]] = "shared"
            break
    for kind, name in opened:
        if static is None or name not in values or kind not in SHARED or not p.chance(0.6):
            continue
        twins = [other for k, other in static if k == kind]
        if twins:
            p.use("argument aliases a static value")
            values[name] = f"static[{twins[0]!r}]"
        elif kind in ("list", "dict") and p.globals.get(kind):
            p.use("argument aliases a global")
            values[name] = p.pick(*p.globals[kind])
    text = "{" + ", ".join(f"{name!r}: {text}" for name, text in values.items()) + "}"
    return f"(lambda shared: {text})({shared})" if shared else text
