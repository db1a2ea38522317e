"""The productions of simple statements, one decorated function each.

    "augmented assignment", weight 9    ->    i0 += len(xs3)

Invariant: a statement that may stand in a loop makes a list or a text longer by a bounded amount, never twice as long.
"""

from __future__ import annotations

from tests.specialize.draft import Draft, statement
from tests.specialize.expressions import method_call

__all__ = ["PARAMETER_KINDS"]

PARAMETER_KINDS = (
    "int",
    "int",
    "int",
    "str",
    "list",
    "list",
    "dict",
    "tuple",
    "rows",
    "obj",
    "float",
    "set",
    "any",
    "bool",
)
ASSIGNED = (
    "int",
    "int",
    "int",
    "float",
    "str",
    "str",
    "list",
    "list",
    "dict",
    "set",
    "tuple",
    "rows",
    "obj",
    "any",
    "bool",
)


@statement("assignment", 14)
def assign(p: Draft) -> None:
    kind = p.pick(*ASSIGNED)
    value = p.expr(kind)
    name = p.target(kind)
    p.line(f"{name} = {value}")
    p.add(kind, name)


@statement("assignment of another type", 1)
def retype(p: Draft) -> None:
    kind = p.pick("int", "str", "list", "any")
    names = p.writable(kind)
    if names:
        p.line(f"{p.pick(*names)} = {p.expr(p.pick('float', 'any', 'str', 'tuple'))}")


@statement("augmented assignment", 9)
def augment(p: Draft) -> None:
    form = p.number(0, 9)
    if form <= 3 and p.writable("int"):
        operator = p.pick("+=", "-=", "//=", "%=", "|=", "^=", ">>=", "+=", "+=", "&=")
        p.line(f"{p.pick(*p.writable('int'))} {operator} {p.i()}")
    elif form == 4 and p.writable("int") and not p.loops:
        p.line(f"{p.pick(*p.writable('int'))} {p.pick('*=', '**=', '<<=')} {p.pick('2', '3')}")
    elif form == 5 and p.writable("list"):
        more = p.pick(f"[{p.some()}]", f"{p.leaf('list')}[:2]", f"{p.leaf('str')}[:2]")
        p.line(f"{p.pick(*p.writable('list'))} += {more}")
    elif form == 6:
        p.line(f"{p.var('list')}[{p.pick('0', '-1', p.i())}] {p.pick('+=', '-=', '|=')} {p.i()}")
    elif form == 7:
        p.line(f"{p.var('dict')}[{p.pick(repr('a'), p.s())}] {p.pick('+=', '-=')} {p.i()}")
    elif form == 8 and p.have("obj"):
        p.line(f"{p.var('obj')}.n {p.pick('+=', '-=', '^=')} {p.i()}")
    elif p.writable("str"):
        p.line(f"{p.pick(*p.writable('str'))} += {p.pick(repr('z'), p.s() + '[:3]')}")


@statement("augmented float", 1)
def augment_float(p: Draft) -> None:
    if p.writable("float"):
        p.line(f"{p.pick(*p.writable('float'))} {p.pick('+=', '-=', '*=', '/=')} {p.pick('0.5', '-1', p.i())}")


@statement("augmented slice", 1)
def augment_slice(p: Draft) -> None:
    p.line(f"{p.var('list')}[{p.pick('1:', ':1', ':')}] += [{p.some()}]")


@statement("augmented object", 1)
def augment_object(p: Draft) -> None:
    if p.writable("obj"):
        p.line(f"{p.pick(*p.writable('obj'))} += {p.i()}")


@statement("item assignment", 5)
def assign_item(p: Draft) -> None:
    if p.chance(0.5):
        name = p.var("list")
        if p.chance(0.6):
            p.line(f"if {name}:")
            p.line(f"    {name}[{p.pick('0', '-1', p.leaf('int') + ' % len(' + name + ')')}] = {p.some()}")
        else:
            p.line(f"{name}[{p.pick('0', '-1', p.i())}] = {p.some()}")
    elif p.chance(0.8):
        p.line(f"{p.var('dict')}[{p.pick(repr('a'), p.s(), p.i())}] = {p.some()}")
    else:
        p.line(f"{p.var('rows')}[{p.pick('0', '-1')}][{p.pick('0', '-1')}] = {p.i()}")


@statement("slice assignment", 2)
def assign_slice(p: Draft) -> None:
    p.line(f"{p.var('list')}[{p.pick('1:2', ':1', '::2', '1:')}] = {p.xs()}[:2]")


@statement("attribute assignment", 4)
def assign_attribute(p: Draft) -> None:
    if p.have("obj"):
        p.line(f"{p.var('obj')}.{p.pick('n', 'n', 'items', 'bonus')} = {p.pick(p.i(), p.xs())}")


@statement("unpacking", 4)
def unpack(p: Draft) -> None:
    if p.loops == 0 or p.chance(0.7):
        forms = (
            (("int", "any"), "{}, {} = {}", p.pick(f"{p.i()}, {p.some()}", p.expr("tuple"), f"divmod({p.i()}, 3)")),
            (("int", "list"), "{}, *{} = {}", p.expr("iter")),
            (("list", "int"), "*{}, {} = {}", p.pick(p.expr("tuple"), p.expr("iter"))),
            (("int", "any", "int"), "({}, {}), {} = {}", p.pick("(1, 2), 3", p.expr("tuple"))),
            (("int", "int", "list"), "[{}, {}, *{}] = {}", f"[{p.i()}, {p.i()}, *{p.leaf('tuple')}]"),
        )
        kinds, frame, value = forms[p.number(0, len(forms) - 1)]
        names = [p.target(kind) for kind in kinds]
        p.line(frame.format(*names, value))
        for kind, name in zip(kinds, names):
            p.add(kind, name)


@statement("swap", 2)
def swap(p: Draft) -> None:
    names = p.writable(p.pick("int", "list", "str"))
    if len(names) >= 2:
        a, b = p.rng.sample(names, 2)
        p.line(f"{a}, {b} = {b}, {a}" if p.chance(0.7) else f"{a}, {b} = {b}, {p.i()}")


@statement("alias", 4)
def alias(p: Draft) -> None:
    kind = p.pick("list", "dict", "obj", "rows", "set")
    if p.have(kind):
        name = p.fresh(kind)
        p.line(f"{name} = {p.var(kind)}")
        p.add(kind, name)


@statement("chained assignment", 1)
def chain(p: Draft) -> None:
    value, a, b = p.xs(), p.fresh("list"), p.target("list")
    p.line(f"{a} = {b} = {value}")
    p.add("list", a)
    p.add("list", b)


@statement("mutating method", 8)
def mutate(p: Draft) -> None:
    kind = p.pick("list", "list", "list", "dict", "set", "rows")
    subject = p.var(kind)
    if kind == "list":
        p.line(
            f"{subject}."
            + p.pick(
                f"append({p.some()})",
                f"append({p.i()})",
                "pop()",
                "pop(0)",
                "reverse()",
                "sort()",
                f"insert(0, {p.some()})",
                f"remove({p.i()})",
                "clear()",
                f"extend({p.leaf('list')}[:2])",
            )
        )
    elif kind == "dict":
        p.line(
            f"{subject}."
            + p.pick(
                f"setdefault({p.s()}, {p.some()})",
                f"pop({p.s()}, None)",
                "popitem()",
                f"update({p.leaf('dict')})",
                f"setdefault({p.s()}, []).append({p.i()})",
            )
        )
    elif kind == "set":
        p.line(f"{subject}." + p.pick(f"add({p.i()})", f"discard({p.i()})", f"remove({p.i()})", "pop()"))
    else:
        p.line(f"{subject}[{p.pick('0', '-1')}].append({p.i()})")


@statement("append to attribute", 2)
def mutate_attribute(p: Draft) -> None:
    if p.have("obj"):
        p.line(f"{p.var('obj')}.items.{p.pick('append(' + p.i() + ')', 'pop()', 'reverse()')}")


@statement("result of mutating method", 1)
def taken(p: Draft) -> None:
    name = p.target("int")
    if p.chance(0.6):
        p.line(f"{name} = {p.var('list')}.{p.pick('pop()', 'pop(0)')}")
    else:
        p.line(f"{name} = {p.var('dict')}.pop({p.s()}, 0)")
    p.add("int", name)


@statement("delete", 2)
def delete(p: Draft) -> None:
    names = p.writable("int")
    if p.chance(0.3) and names:
        p.use("delete variable")
        p.line(f"del {p.pick(*names)}")
    elif p.chance(0.15) and p.have("obj"):
        p.line(f"del {p.var('obj')}.{p.pick('bonus', 'n')}")
    else:
        p.line(p.pick(f"del {p.var('list')}[{p.pick('0', '-1', ':1')}]", f"del {p.var('dict')}[{p.s()}]"))


@statement("print", 8)
def show(p: Draft) -> None:
    values = ", ".join(
        p.some() if p.chance(0.7) else p.leaf(p.pick("list", "dict", "tuple")) for _ in range(p.number(1, 2))
    )
    p.line(f"print({values}{p.pick('', '', '', ', sep=' + repr('/'), ', end=' + repr(';'))})")


@statement("call for effect", 4)
def effect(p: Draft) -> None:
    if p.functions and p.chance(0.6):
        function = p.functions[p.number(0, len(p.functions) - 1)]
        p.line(p.call(function))
    elif p.have("obj"):
        p.line(method_call(p))
    elif p.have("func"):
        p.line(f"{p.var('func')}({p.i()})")


@statement("global write", 3)
def write_global(p: Draft) -> None:
    names = [name for name in p.globals.get("int", ()) if name in p.declared]
    if names:
        p.line(f"{p.pick(*names)} {p.pick('=', '+=', '^=')} {p.i()}")


@statement("mutate global", 2)
def mutate_global(p: Draft) -> None:
    if p.globals.get("list") and p.chance(0.6):
        name = p.pick(*p.globals["list"])
        p.line(p.pick(f"{name}.append({p.i()})", f"{name}[{p.pick('0', '-1')}] = {p.i()}", f"del {name}[3:]"))
    elif p.globals.get("dict"):
        p.line(f"{p.pick(*p.globals['dict'])}[{p.pick(repr('g'), p.s())}] = {p.some()}")


@statement("import in a function", 1)
def import_inside(p: Draft) -> None:
    name = p.target("int")
    p.line(p.pick("import math", "from math import floor as floor_"))
    p.line(f"{name} = {'math.floor' if p.lines[-1].endswith('math') else 'floor_'}({p.expr('float')})")
    p.add("int", name)


@statement("generator by hand", 6, 4)
def drive_generator(p: Draft) -> None:
    functions = [f for f in p.functions if f.generator]
    if not functions:
        return
    name, item = p.fresh("gen"), p.target("any")
    p.line(f"{name} = {p.call(functions[p.number(0, len(functions) - 1)])}")
    for _ in range(p.number(1, 2)):
        p.line(f"{item} = {p.pick('next(' + name + ', None)', 'next(' + name + ')', name + '.send(None)')}")
        p.add("any", item)
    if p.chance(0.4):
        p.use("generator close or throw")
        p.line(p.pick(f"{name}.close()", f"{name}.throw(ValueError('t'))"))


@statement("annotated assignment", 1)
def annotate(p: Draft) -> None:
    value = p.i()
    name = p.target("int")
    if name in p.declared:
        return
    p.line(f"{name}: int = {value}")
    p.add("int", name)
