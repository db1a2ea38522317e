"""The productions of statements with bodies: branches, loops, protected extents, nested definitions, `match`.

    "while with fuel", weight 7    ->    fuel1 = 3
                                         while fuel1 > 0 and i0 < 7:
                                             fuel1 -= 1
                                             ...

Invariant: each loop is bounded by its own counter, which nothing else assigns, or by an iterable that its body does
not grow; the product of the trips of nested loops is at most `Draft.trips`.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.specialize import daily, exotic, library_calls, ordinary, statements
from tests.specialize.draft import Draft, statement

__all__ = ["finish_function"]

assert daily and exotic and library_calls and ordinary and statements, "imported for the rows that they add"


@statement("if", 10, 3)
def branch(p: Draft) -> None:
    p.line(f"if {p.cond()}:")
    p.block(p.number(1, 3))
    while p.chance(0.2) and p.budget > 2:
        p.use("elif")
        p.line(f"elif {p.cond()}:")
        p.block(p.number(1, 2))
    if p.chance(0.5) and p.budget > 1:
        p.use("else")
        p.line("else:")
        p.block(p.number(1, 2))


def loop_body(p: Draft, trips: int, count: int) -> None:
    """The body of a loop; afterwards perhaps its `else`."""
    before = p.loop, p.trips
    p.loop, p.trips = True, p.trips // trips
    p.loops += 1
    p.block(count)
    p.loops -= 1
    p.loop, p.trips = before
    if p.chance(0.15) and p.budget > 1:
        p.use("loop else")
        p.line("else:")
        p.block(1)


@statement("for", 8, 3)
def for_loop(p: Draft) -> None:
    if p.trips < 5:
        return
    kind = p.pick("int", "int", "any")
    name = p.target(kind)
    head, source = name, p.expr("iter")
    if p.chance(0.25):
        p.use("for with unpacking")
        index = p.fresh("int")
        head, source = p.pick(
            f"{index}, {name} in enumerate({source})",
            f"{index}, {name} in zip(range(4), {source})",
            f"{index}, ({name}, *_) in enumerate(zip({p.xs()}[:4], {p.s()}))",
        ).split(" in ", 1)
        p.add("int", index)
    start = len(p.lines)
    p.line(f"for {head} in {source}:")
    p.add(kind, name)
    with_frozen = set(p.frozen)
    if p.chance(0.7):
        p.frozen.add(name)
    loop_body(p, 5, p.number(1, 4))
    p.frozen = with_frozen
    p.lines[start] = f"{'    ' * p.indent}for {head} in {p.walked(source, ' '.join(p.lines[start + 1 :]))}:"


@statement("for over a mutated list", 1, 4)
def for_mutated(p: Draft) -> None:
    if p.trips < 8 or not p.have("list"):
        return
    subject, index, item = p.pick(*p.have("list")), p.fresh("int"), p.target("int")
    p.line(f"for {index}, {item} in enumerate({subject}):")
    p.add("int", index)
    p.add("int", item)
    p.frozen.add(index)
    p.indent += 1
    p.line(f"if {index} > 6:")
    p.line("    break")
    p.line(f"{subject}.{p.pick('append(' + item + ')', 'pop()', 'insert(0, 1)')}")
    p.indent -= 1
    loop_body(p, 8, 2)


@statement("while with fuel", 7, 4)
def while_loop(p: Draft) -> None:
    if p.trips < 6:
        return
    fuel = p.fresh("fuel")
    p.line(f"{fuel} = {p.pick('3', '4', '5', p.leaf('int') + ' % 5', 'len(' + p.leaf('list') + '[:5])')}")
    test = f"{fuel} > 0 and {p.cond()}" if p.chance(0.6) else f"{fuel} > 0"
    p.line(f"while {test}:")
    p.indent += 1
    p.line(f"{fuel} -= 1")
    p.indent -= 1
    p.add("int", fuel)
    p.frozen.add(fuel)
    loop_body(p, 5, p.number(1, 4))


@statement("while True", 2, 6)
def while_true(p: Draft) -> None:
    if p.trips < 6:
        return
    count = p.fresh("int")
    p.line(f"{count} = 0")
    p.line("while True:")
    p.frozen.add(count)
    p.indent += 1
    p.line(f"{count} += 1")
    p.line(f"if {count} > {p.pick('3', '2', '(' + p.leaf('int') + ' & 3)')}{p.pick('', ' or ' + p.cond())}:")
    p.line("    break")
    p.indent -= 1
    p.add("int", count)
    loop_body(p, 5, p.number(1, 3))


@statement("first of a new iterator", 3, 6)
def first_item(p: Draft) -> None:
    """Each trip asks the iterable anew, and takes one item."""
    if p.trips < 6:
        return
    item, count = p.target("int"), p.fresh("int")
    walked = p.pick(f"({p.xs()})[{count}:4]", f"range({count}, 4)", f"reversed({p.xs()}[{count}:4])")
    p.line(f"{item} = {count} = 0")
    p.frozen.add(count)
    if p.chance(0.3):
        p.line(f"while next(iter({walked}), 9) {p.pick('!=', '<')} {p.i()} and {count} < 4:")
        p.line(f"    {count} += 1")
    else:
        p.line("while True:")
        p.indent += 1
        p.line(f"for {item} in {walked}:")
        p.line(f"    {p.pick('break', 'break', f'{item} += 1; break', 'print(0); break')}")
        p.line("else:")
        p.line(f"    {p.pick('break', 'break', 'raise KeyError(1)')}")
        p.line(f"{count} += 1")
        p.indent -= 1
    p.add("int", count)
    p.add("int", item)
    loop_body(p, 5, p.number(1, 3))


@statement("break", 3)
def break_loop(p: Draft) -> None:
    if p.loop:
        p.line(f"if {p.cond()}:")
        p.line(f"    {p.pick('break', 'break', 'continue')}")
        p.use("continue" if p.lines[-1].endswith("continue") else "break")


@statement("plain break", 1)
def break_plain(p: Draft) -> None:
    if p.loop and p.indent > 1:
        p.line(p.pick("break", "continue"))


@statement("return", 2)
def leave(p: Draft) -> None:
    if p.kind_of == "generator":
        p.line(f"if {p.cond()}:")
        p.line(f"    return{p.pick('', ' ' + p.i())}")
    elif p.indent > 1:
        p.line(f"if {p.cond()}:")
        p.line(f"    return {p.some()}")


@statement("yield", 8)
def give(p: Draft) -> None:
    if p.kind_of == "generator":
        p.line(
            p.pick(
                f"yield {p.i()}",
                f"yield {p.some()}",
                f"print({p.s()}, (yield {p.i()}))",
                f"yield from {p.expr('iter')}",
            )
        )


@statement("raise", 3)
def throw(p: Draft) -> None:
    error = p.pick(*p.errors)
    p.line(f"if {p.cond()}:")
    if p.handler and p.chance(0.8):
        p.use("bare raise")
        p.line("    raise")
    elif p.chance(0.2):
        p.use("raise from")
        p.line(f"    raise {error}({p.s()}) from {p.pick('None', 'KeyError(1)', 'ValueError')}")
    else:
        p.line(f"    raise {p.pick(error, error + '(' + p.some() + ')')}")


@statement("assert", 1)
def check(p: Draft) -> None:
    sure = p.pick(f"{p.cond()} or True", f"isinstance({p.some()}, object)", p.cond())
    p.line(f"assert {sure}{p.pick('', ', ' + p.s())}")


def protected(p: Draft, count: int) -> None:
    loop_trips = p.trips
    p.block(count)
    p.trips = loop_trips


def risk(p: Draft) -> None:
    """Often, a first statement in the block to come that is likely to raise."""
    if not p.chance(0.6):
        return
    kind = p.pick("int", "any")
    name = p.target(kind)
    p.depth = 1
    p.lines.append(
        "    " * (p.indent + 1)
        + f"{name} = "
        + p.pick(
            f"{p.leaf('list')}[{p.i()}]",
            f"{p.leaf('dict')}[{p.i()}]",
            f"int({p.leaf('str')})",
            f"{p.i()} // {p.leaf('int')}",
            f"{p.leaf('list')}.index({p.i()})",
            f"{p.leaf('tuple')}[{p.i()}]",
            f"{p.i()} + {p.leaf('any')}",
            f"{p.leaf('dict')}.pop({p.s()})",
        )
    )
    p.add(kind, name)


@statement("try except", 7, 4)
def try_except(p: Draft) -> None:
    p.line("try:")
    risk(p)
    protected(p, p.number(1, 3))
    for _ in range(p.number(1, 2)):
        name = p.fresh("err") if p.chance(0.5) else ""
        caught = p.pick(*p.errors, "Exception", "(KeyError, IndexError)", "LookupError", "ArithmeticError")
        p.line(f"except {caught}{' as ' + name if name else ''}:")
        before = p.handler
        p.handler = True
        if name:
            p.use("except as")
            p.lines.append(
                "    " * (p.indent + 1)
                + p.pick(f"print(type({name}).__name__)", f"print({name}.args)", f"print(repr({name}))")
            )
        protected(p, p.number(1, 2))
        if p.chance(0.25):
            p.use("raise in a handler")
            p.lines.append(
                "    " * (p.indent + 1)
                + p.pick(
                    "raise", f"raise {p.pick(*p.errors)}('again')", f"raise {p.pick(*p.errors)} from {name or 'None'}"
                )
            )
        p.handler = before
        if "Exception" in caught:
            break
    if p.chance(0.25):
        p.use("try else")
        p.line("else:")
        protected(p, 1)
    if p.chance(0.25):
        p.use("try except finally")
        p.line("finally:")
        protected(p, 1)


@statement("try finally", 3, 4)
def try_finally(p: Draft) -> None:
    p.line("try:")
    if p.chance(0.4):
        risk(p)
    protected(p, p.number(1, 3))
    p.line("finally:")
    before = p.handler
    p.handler = False
    protected(p, p.number(1, 2))
    p.handler = before


@statement("kept exception", 1, 5)
def keep_exception(p: Draft) -> None:
    """The exception object outlives its handler: it is compared with its context."""
    name, kept = p.fresh("err"), p.fresh("any")
    p.line(f"{kept} = None")
    p.line("try:")
    protected(p, p.number(1, 2))
    p.line(f"except Exception as {name}:")
    p.line(f"    {kept} = {name}")
    p.add("any", kept)


@statement("with", 5, 3)
def with_block(p: Draft) -> None:
    if not p.managers:
        return
    first = f"{p.pick(*p.managers)}({p.s()})"
    if p.chance(0.4):
        name = p.target("any")
        first += f" as {name}"
        p.add("any", name)
    if p.chance(0.2):
        p.use("with two")
        first += f", {p.pick(*p.managers)}({p.s()})"
    p.line(f"with {first}:")
    protected(p, p.number(1, 3))


@statement("nested function", 4, 3)
def nested_function(p: Draft) -> None:
    if p.nested >= 1 or p.loops > 1:
        return
    name, parameter = p.fresh("func"), p.fresh("int")
    p.line(f"def {name}({parameter}{p.pick('', '=' + p.leaf('int'))}{p.pick('', '', ', k=' + p.i())}):")
    inner(p, parameter)
    p.add("func", name)


def inner(p: Draft, parameter: str) -> None:
    """The body of a nested function: it reads the outer variables, and assigns those that it declares nonlocal."""
    saved = p.frozen, p.names, p.loop, p.handler, p.kind_of, p.loops, p.declared
    p.frozen = {name for known in p.names.values() for name in known}
    p.names = {kind: list(known) for kind, known in saved[1].items()}
    p.loop, p.handler, p.kind_of, p.loops, p.declared = False, False, "function", p.loops + 1, set(p.declared)
    p.add("int", parameter)
    p.nested += 1
    p.indent += 1
    local = [
        name
        for name in p.names.get("int", [])
        if name not in saved[0] and name != parameter and name not in p.declared and "." not in name
    ]
    if local and p.chance(0.5) and p.indent > 1:
        name = p.pick(*local)
        p.use("nonlocal")
        p.line(f"nonlocal {name}")
        p.frozen.discard(name)
        p.line(f"{name} {p.pick('=', '+=')} {p.i()}")
    p.indent -= 1
    p.block(p.number(1, 2))
    p.indent += 1
    p.line(f"return {p.i()}")
    p.indent -= 1
    p.nested -= 1
    p.frozen, p.names, p.loop, p.handler, p.kind_of, p.loops, p.declared = saved


@statement("closures in a loop", 1, 4)
def closures_in_loop(p: Draft) -> None:
    name, index, function = p.fresh("list"), p.fresh("int"), p.fresh("func")
    p.line(f"{name} = []")
    p.line(f"for {index} in {p.pick('range(3)', p.expr('iter'))}:")
    p.line(f"    {name}.append(lambda q{p.pick('', ', ' + index + '=' + index)}: (q, {index}))")
    p.line(f"{function} = {name}[-1] if {name} else abs")
    p.add("func", function)


PATTERNS: tuple[Callable[[Draft, str], str], ...] = (
    lambda p, name: p.pick("0", "1", "'a'", "-1", "None", "True", "2.5"),
    lambda p, name: f"{p.pick('0', '2')} | {p.pick('3', repr('ab'))}",
    lambda p, name: f"[{p.pick('_', '1')}, {name}]",
    lambda p, name: f"[{name}, *_]",
    lambda p, name: f"(1 | 2) as {name}",
    lambda p, name: f"{{'a': {name}}}",
    lambda p, name: f"{{'a': _, **{name}}}",
    lambda p, name: f"{p.pick('int', 'str', 'list', 'float')}({p.pick('', name)})",
    lambda p, name: f"{p.pick(*(c.name for c in p.classes), 'object')}(n={name})",
    lambda p, name: f"{name} if {p.cond()}",
)


@statement("match", 4, 5)
def match_statement(p: Draft) -> None:
    p.line(f"match {p.pick(p.i(), p.some(), p.leaf('list'), p.leaf('dict'), p.leaf('tuple'), p.leaf('obj'))}:")
    p.indent += 1
    for _ in range(p.number(1, 3)):
        name = p.target("any")
        p.line(f"case {PATTERNS[p.number(0, len(PATTERNS) - 1)](p, name)}:")
        bound = name in p.lines[-1]
        if bound:
            p.use("capture pattern")
            p.add("any", name)
        p.block(1)
    if p.chance(0.5):
        p.line("case _:")
        p.block(1)
    p.indent -= 1


@statement("nested class", 1, 4)
def nested_class(p: Draft) -> None:
    if p.nested or p.loops:
        return
    name = p.fresh("Local")
    p.line(f"class {name}:")
    p.line(f"    n = {p.i()}")
    p.line("    items = []")
    p.line("    def step(self, k):")
    p.line(f"        return self.n + k + {p.var('int')}")
    holder = p.fresh("obj")
    p.line(f"{holder} = {name}()")
    p.add("obj", holder)


def finish_function(p: Draft, count: int) -> None:
    """Statements until the budget is used, then a return of what the function has made."""
    for _ in range(count):
        if p.budget <= 0:
            break
        p.statement()
    shown = [
        name
        for kind in ("int", "list", "dict", "obj", "str", "tuple", "float", "any", "func", "rows", "set")
        for name in p.have(kind)
    ]
    chosen = p.rng.sample(shown, min(len(shown), p.number(1, 5)))
    roll = p.number(0, 9)
    if roll == 0:
        return
    if roll <= 3 or not chosen:
        p.line(f"return {p.expr(p.pick('int', 'str', 'list', 'tuple', 'float', 'dict'))}")
    elif roll == 4:
        p.line(f"return [{', '.join(chosen)}]")
    else:
        p.line(f"return {', '.join(chosen)}{',' if len(chosen) == 1 else ''}")
