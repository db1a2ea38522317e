"""Productions of what is written seldom and breaks often: late writes of captured variables, generators that are sent
values, chains and notes of exceptions, lists that grow while something else holds them, keywords in odd places.

    "captured, then written"    ->    n1 = 3
                                      func2 = lambda q: q + n1
                                      n1 += 1
                                      print(func2(1))

Invariant: as everywhere, each statement ends, and makes lists longer by bounded amounts only.
"""

from __future__ import annotations

from tests.specialize.draft import Draft, expression, statement

__all__: list[str] = []


@statement("captured, then written", 3, 4)
def late_write(p: Draft) -> None:
    value, name, function = p.i(), p.fresh("int"), p.fresh("func")
    p.line(f"{name} = {value}")
    p.line(f"{function} = lambda q{p.pick('', '=2')}: {p.pick(f'q + {name}', f'({name}, q)', f'[{name}] * 2')}")
    p.line(f"{name} {p.pick('=', '+=', '-=')} {p.i()}")
    p.line(f"print({function}({p.leaf('int')}), {name})")
    p.add("int", name)
    p.add("func", function)


@statement("counter in a closure", 2, 7)
def counter(p: Draft) -> None:
    if p.nested:
        return
    name, function, total = p.fresh("int"), p.fresh("func"), p.fresh("int")
    p.line(f"{name} = {p.i()}")
    p.line(f"def {function}(k=1):")
    p.line(f"    nonlocal {name}")
    p.line(f"    {name} {p.pick('+=', '^=', '=')} k")
    p.line(f"    return {name}")
    p.line(f"{total} = {function}() {p.pick('+', '*', '-')} {function}({p.leaf('int')}) + {name}")
    p.add("int", name)
    p.add("int", total)
    p.add("func", function)


@statement("generator that is sent values", 2, 12)
def sent(p: Draft) -> None:
    if p.nested or p.kind_of == "generator":
        return
    maker, generator, item = p.fresh("func"), p.fresh("gen"), p.target("any")
    p.line(f"def {maker}(k):")
    p.line("    try:")
    p.line(f"        got = yield {p.pick('k', '[k]', '(k, 1)')}")
    p.line(f"        {p.pick('print(got)', 'k = got', 'yield got')}")
    p.line(f"        got = yield (got, k){p.pick('', ' if k else None')}")
    p.line(p.pick("    finally:", "    except ValueError:"))
    p.line("        print('end', k)")
    p.line(f"    return {p.pick('k', 'got')}")
    p.line(f"{generator} = {maker}({p.i()})")
    thrown = f"print({generator}.throw(ValueError('t')))"
    p.line("try:")
    p.line(f"    {item} = next({generator}), {generator}.send({p.some()})")
    p.line(f"    {p.pick(thrown, f'{item} = [*{generator}]', 'pass')}")
    p.line("finally:")  # a suspended generator would run its clean-up when it is collected, wherever that is
    p.line(f"    {generator}.close()")
    p.add("any", item)


@statement("delegation with a result", 1, 5)
def delegation(p: Draft) -> None:
    if p.nested or p.kind_of == "generator":
        return
    inner, outer, name = p.fresh("func"), p.fresh("func"), p.target("list")
    p.line(f"def {inner}(k):")
    p.line(f"    yield k; yield {p.leaf('int')}; return k * 2")
    p.line(f"def {outer}(k):")
    p.line(f"    r = yield from {inner}(k); yield ('r', r)")
    p.line(f"{name} = list({outer}({p.i()}))")
    p.add("list", name)


@statement("chain of exceptions", 3, 8)
def chain(p: Draft) -> None:
    name, kept = p.fresh("err"), p.target("any")
    first, second = p.pick(*p.errors), p.pick(*p.errors)
    p.line("try:")
    p.line("    try:")
    risky = p.leaf("list")
    p.line(f"        {p.pick(f'raise {first}({p.some()})', f'{risky}[{p.i()}]', f'{{}}[{p.s()}]')}")
    p.line(f"    except {p.pick('Exception', first)} as {name}:")
    p.line(f"        {p.pick(f'{name}.add_note({p.s()})', f'print({name}.args)', 'pass')}")
    p.line(f"        raise {second}({p.s()}){p.pick('', f' from {name}', ' from None')}")
    p.line(f"except Exception as {name}:")
    p.line(
        f"    {kept} = type({name}).__name__, {name}.args, repr({name}.__cause__), repr({name}.__context__), "
        f"{name}.__suppress_context__, getattr({name}, '__notes__', ())"
    )
    p.line("else:")
    p.line(f"    {kept} = None")
    p.add("any", kept)


@statement("order of clean-up", 2, 8)
def cleanup(p: Draft) -> None:
    if p.loops:
        return
    name = p.target("int")
    p.line(f"for {name} in {p.pick('range(3)', '(1, 2)')}:")
    p.line("    try:")
    way_out = p.pick("break", "continue", "raise KeyError")
    p.line(f"        if {name} {p.pick('==', '<', '>')} {p.leaf('int')}: {way_out}")
    p.line(f"        print('body', {name})")
    p.line("    except KeyError:")
    p.line(f"        print('caught'){p.pick('', '; break', '; continue')}")
    p.line("    finally:")
    p.line(f"        print('finally', {name})")
    p.line("else:")
    p.line("    print('no break')")
    p.add("int", name)


@statement("aliases of one list", 3, 4)
def aliases(p: Draft) -> None:
    known = p.have("list")
    if not known:
        return
    one, other = p.pick(*known), p.fresh("list")
    p.line(f"{other} = {one}")
    p.line(p.pick(f"{other} += [{p.i()}]", f"{other}[:1] = [{p.some()}]", f"{other} = {other} + [{p.i()}]"))
    p.line(f"print({other} is {one}, {one}[:4], {other}[-1:])")
    p.add("list", other)


@statement("keywords and stars", 2, 4)
def keywords(p: Draft) -> None:
    if p.nested:
        return
    function, name = p.fresh("func"), p.target("any")
    p.line(f"def {function}(a, /, b=1, *rest, c={p.leaf('int')}, **more):")
    p.line("    return a, b, rest, c, more")
    p.line(
        f"{name} = {function}({p.i()}, "
        + p.pick(
            f"*{p.leaf('list')}[:2], c={p.some()})",
            f"b={p.i()}, **{{'z': {p.some()}}})",
            f"**{{'c': 2, 'b': {p.i()}}})",
            f"{p.some()}, a={p.i()})",
            f"*{p.leaf('tuple')}[:1], **{p.leaf('dict')})",
        )
    )
    p.add("any", name)


@statement("dataclass", 1, 8)
def record(p: Draft) -> None:
    if p.nested or p.loops:
        return
    cls, name, kept = p.fresh("Record"), p.fresh("rec"), p.target("any")
    p.line("from dataclasses import dataclass")
    p.line(f"@dataclass{p.pick('', '(frozen=True)', '(order=True)', '(slots=True)')}")
    p.line(f"class {cls}:")
    p.line("    a: int")
    p.line(f"    b: object = {p.leaf('int')}")
    p.line(f"{name} = {cls}({p.i()}{p.pick('', ', ' + p.some(), ', b=' + p.i())})")
    p.line(f"{kept} = {name}.a, {name}.b, {name} == {cls}({p.leaf('int')}), repr({name})")
    p.add("any", kept)


@statement("text in pieces", 2, 2)
def pieces(p: Draft) -> None:
    name = p.target("str")
    p.line(f"{name} = f'{{{p.var('int')}!r:>{{2 + 2}}}}|{{{p.var('str')}}}' '%s' % ({p.leaf('int')},)")
    p.line(f"{name} = {name}[{p.pick('1:6', ':-1', '::-1', '-4:')}]")
    p.add("str", name)


GROWING = "mutation while evaluating"
expression("int", GROWING, 1, lambda p: f"({p.var('list')}.append(7) or len({p.var('list')}))", calm=False)
expression("list", "slice with step", 1, lambda p: f"{p.var('list')}[{p.pick('::2', '1::-1', '-2:', '5:1:-1')}]")
expression("bool", "chained identity", 1, lambda p: f"{p.var('any')} is {p.var('any')} is not {p.leaf('any')}")
expression("str", "notes of nothing", 1, lambda p: f"{p.s()}.join([{p.s()}, {p.s()}])[:9]")
