"""Tables that helpers fill which the module calls at its own level, whatever these call in turn, are known as well.

    def unary(code, fn): op(code)(lambda x: fn(x))
    unary("add", plus)                              run(program, x) has no look-up left
    def later(f): unary("add", f)                   it has, if anything may call the helper in the middle of a call

Invariant: each module is made anew, and registers after its residual was made.
"""

from __future__ import annotations

import importlib
import textwrap
from pathlib import Path
from typing import Any

import pytest

import futamura

OP = """
    OPS = {}
    def op(code):
        def register(fn):
            OPS[code] = fn
            return fn
        return register
"""
RUN = """
    def run(program, x, f=None):
        for name in program:
            x = OPS[name](x)
            if x == 8 and f is not None: f()
        return x
"""
UNARY = """
    def unary(code, fn):
        OPS[code] = lambda x: fn(x)
"""
HANDLERS = """
    def add(x): return x + 3
    def double(x): return x * 2
    THEM = [("add", add), ("double", double)]
"""
TABLE = "    OPS = {}\n" + HANDLERS
DIRECTLY = "    unary('add', add)\n    unary('double', double)\n"
DECORATED = """
    @named("add")
    def add(x): return x + 3
    @named("double")
    def double(x): return x * 2
"""
SEVERAL_DEEP = """
    def fill(them):
        for n, f in them: unary(n, f)
    def set_up(): fill(THEM)
    set_up()
"""
EACH_OTHER = """
    def put(n, f, more):
        OPS[n] = f
        put_all(more)
    def put_all(them):
        for n, f in them[:1]: put(n, f, them[1:])
    put_all(THEM)
"""
IN_A_DECORATOR = """
    def named(code):
        def deco(fn):
            @op(code)
            def made(x): return fn(x)
            return fn
        return deco
"""
OPTIONAL = """
    def on(code, fn=None):
        def deco(fn):
            OPS[code] = fn
            return fn
        return deco if fn is None else deco(fn)
    on("add", add)
    @on("double")
    def twice(x): return x * 2
"""
METHODS = """
    class Kit:
        def op(self, code):
            def register(fn): OPS[code] = fn
            return register
        def unary(self, code, fn): self.op(code)(fn)
    KIT = Kit()
    for n, f in THEM: KIT.unary(n, f)
"""
INSIDE = """
    def set_up():
        def put(n, f): OPS[n] = f
        for n, f in THEM: put(n, f)
    set_up()
"""
OBJECTS = """
    class Step:
        def __init__(self, n, f): OPS[n] = f
    def step(n, f): return Step(n, f)
    for n, f in THEM: step(n, f)
"""
KNOWN = {
    "a function": TABLE + UNARY + DIRECTLY,
    "it calls one": OP + HANDLERS + "    def unary(code, fn): op(code)(lambda x: fn(x))\n" + DIRECTLY,
    "it decorates with one": OP
    + HANDLERS
    + "    def unary(code, fn):\n        @op(code)\n        def made(x): return fn(x)\n"
    + DIRECTLY,
    "a loop": OP + HANDLERS + "    for n, f in THEM:\n        op(n)(f)\n",
    "a comprehension": TABLE + UNARY + "    [unary(n, f) for n, f in THEM]\n",
    "a generator that is used up": TABLE + UNARY + "    DONE = tuple(unary(n, f) for n, f in THEM)\n",
    "several deep": TABLE + UNARY + SEVERAL_DEEP,
    "they call each other": TABLE + EACH_OTHER,
    "it gives one back": OP + "    def named(code): return op(code)\n" + DECORATED,
    "a decorator in a decorator": OP + IN_A_DECORATOR + DECORATED,
    "with and without a function": TABLE + OPTIONAL,
    "methods": TABLE + METHODS,
    "inside of one": TABLE + INSIDE,
    "objects that announce themselves": TABLE + OBJECTS,
}


def module(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (folder / f"{name}.py").write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(folder)
    return importlib.import_module(name)


@pytest.mark.parametrize("at", range(len(KNOWN)), ids=KNOWN)
def test_what_helpers_fill_is_known(at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = module(f"helped_{at}", list(KNOWN.values())[at] + RUN, tmp_path, monkeypatch)
    program = ("add", "double", "add")
    residual = futamura.specialize(made.run, program, f=None)
    assert [residual(x) for x in (0, 5, -3)] == [9, 19, 3]
    assert not any(table in residual.source for table in ("OPS", "_k"))
    made.OPS["double"] = lambda x: x * 10
    assert residual(5) == made.run(program, 5) == 83


ADD = "    def add(x): return x + 3\n    unary('add', add)\n"
LATER = {
    "a function that is called": """
        def later(f): unary("add", f)
    """,
    "a function that one calls": """
        def middle(f): unary("add", f)
        def later(f): middle(f)
    """,
    "a lambda": """
        later = lambda f: unary("add", f)
    """,
    "another name": """
        again = unary
        def later(f): again("add", f)
    """,
    "an item": """
        HOW = {"unary": unary}
        def later(f): HOW["unary"]("add", f)
    """,
    "an argument": """
        def call(g, *args): g(*args)
        def later(f): call(unary, "add", f)
    """,
    "a callback": """
        def later(f): list(map(unary, ["add"], [f]))
    """,
    "a default": """
        def later(f, how=unary): how("add", f)
    """,
    "a loop over it": """
        def later(f):
            for how in (unary,): how("add", f)
    """,
    "a name that a comprehension has, too": """
        def later(f):
            [unary for unary in ()]
            unary("add", f)
    """,
    "a name that is local around it": """
        def around():
            unary = None
            def later(f):
                global unary
                unary("add", f)
            return later
        later = around()
    """,
    "the table is another": """
        def later(f):
            global OPS
            OPS = {"add": f}
    """,
    "a generator": """
        KEEP = []
        waiting = (unary("add", KEEP[0]) for _ in [0])
        def later(f):
            KEEP.append(f)
            next(waiting)
    """,
    "a function inside of a helper": """
        KEEP = []
        def put(n, f):
            unary(n, f)
            KEEP.append(lambda g: unary(n, g))
        put("add", add)
        def later(f): KEEP[0](f)
    """,
    "a helper in itself": """
        KEEP = []
        def put(n, f):
            OPS[n] = f
            def again(g): put(n, g)
            KEEP.append(again)
        put("add", add)
        def later(f): KEEP[0](f)
    """,
    "a decorator that is called by what is kept": """
        KEEP = []
        def on(n):
            def deco(f): OPS[n] = f
            KEEP.append(lambda g: deco(g))
            return deco
        @on("add")
        def plus(x): return x + 3
        def later(f): KEEP[0](f)
    """,
    "a decorator that is kept": """
        def put(n):
            def deco(f): OPS[n] = f
            return deco
        def named(n): return put(n)
        keep = named("add")
        def later(f): keep(f)
    """,
    "a decorator that a helper keeps": """
        KEEP = []
        def put(n):
            def deco(f): OPS[n] = f
            return deco
        def named(n): KEEP.append(put(n))
        named("add")
        def later(f): KEEP[0](f)
    """,
    "a partial that is kept": """
        from functools import partial
        def put(f, n="add"):
            OPS[n] = f
            return partial(put, n=n)
        @put
        def later(x): return x + 3
    """,
    "variables of a helper": """
        KEEP = []
        def set_up():
            def put(f): OPS["add"] = f
            put(add)
            KEEP.append(locals()["put"])
        set_up()
        def later(f): KEEP[0](f)
    """,
    "they call each other, and one is called": """
        def one(n, f): two(n[1:], f)
        def two(n, f):
            if n[0] == "x": one(n, f)
            else: OPS[n] = f
        one("xxadd", add)
        def later(f): two("add", f)
    """,
    "nothing here starts it": """
        def later(f): put("add", f)
        def put(n, f):
            if n is None: later(f)
            OPS[n] = f
    """,
    "a method": """
        class Kit:
            def put(self, n, f): OPS[n] = f
        KIT = Kit()
        KIT.put("add", add)
        def later(f): KIT.put("add", f)
    """,
    "a method by its name": """
        class Kit:
            @staticmethod
            def put(n, f): OPS[n] = f
        Kit.put("add", add)
        def later(f): getattr(Kit, "put")("add", f)
    """,
    "an operator": """
        class Kit:
            def __setitem__(self, n, f): OPS[n] = f
        KIT = Kit()
        KIT.__setitem__("add", add)
        def later(f): KIT["add"] = f
    """,
    "the class of an object": """
        class Put:
            def __init__(self, f): OPS["add"] = f
        PUT = Put(add)
        def later(f): type(PUT)(f)
    """,
    "a copy with a change": """
        from dataclasses import dataclass, replace
        @dataclass
        class Put:
            f: object
            def __post_init__(self): OPS["add"] = self.f
        PUT = Put(add)
        def later(f): replace(PUT, f=f)
    """,
    "a class that a function calls": """
        class Put:
            def __init__(self, f): OPS["add"] = f
        def put(f): return Put(f)
        put(add)
        def later(f): put(f)
    """,
    "a metaclass that is called": """
        class Meta(type):
            def __init__(cls, name, bases, body): OPS[name] = body["of"]
        Meta("add", (), {"of": add})
        def later(f): Meta("add", (), {"of": f})
    """,
    "the target of a comprehension": """
        HOLD = {}
        def later(f): [0 for HOLD[unary("add", f)] in [1]]
    """,
    "a class method of a base": """
        class Base:
            @classmethod
            def make(cls, f): return cls(f)
        class Put(Base):
            def __init__(self, f): OPS["add"] = f
        PUT = Put(add)
        def later(f): Put.make(f)
    """,
    "a class method whose class has another name": """
        class Put:
            def __init__(self, f): OPS["add"] = f
            @classmethod
            def make(klass, f): return klass(f)
        PUT = Put(add)
        def later(f): Put.make(f)
    """,
    "replace of a module under another name": """
        import dataclasses as dc
        @dc.dataclass
        class Put:
            f: object
            def __post_init__(self): OPS["add"] = self.f
        PUT = Put(add)
        def later(f): dc.replace(PUT, f=f)
    """,
    "a method whose name is put together": """
        class Kit:
            def do_put(self, f): OPS["add"] = f
            def handle(self, what, *a): getattr(self, "do_" + what)(*a)
        KIT = Kit()
        KIT.do_put(add)
        def later(f): KIT.handle("put", f)
    """,
    "subclasses": """
        class Base: pass
        class Put(Base):
            def __init__(self, f): OPS["add"] = f
        PUT = Put(add)
        def later(f):
            for c in Base.__subclasses__(): c(f)
    """,
    "a call of the class by its method": """
        class Put:
            def __init__(self, f): OPS["add"] = f
        PUT = Put(add)
        def later(f): type.__call__(Put.__mro__[0], f)
    """,
    "a class pattern": """
        class Kit:
            def put(self, name, f): OPS[name] = f
        KIT = Kit()
        KIT.put("add", add)
        def later(f):
            match KIT:
                case Kit(put=p): p("add", f)
    """,
    "an annotation": """
        def later(f):
            def g(x: unary("add", f)): pass
    """,
    "an annotation of what is given back": """
        def later(f):
            def g(x) -> unary("add", f): pass
    """,
    "an annotation in a class": """
        def later(f):
            class A:
                x: unary("add", f)
    """,
    "a hook that is called": """
        class Field:
            def __init__(self, f): self.f = f
            def __set_name__(self, owner, name): OPS[name] = self.f
        class Holder:
            add = Field(add)
        def later(f): Field(f).__set_name__(Holder, "add")
    """,
    "the hook of subclasses that is called": """
        class Base:
            def __init_subclass__(cls, f): OPS["add"] = f
        class One(Base, f=add): pass
        def later(f): Base.__init_subclass__(f=f)
    """,
}


@pytest.mark.parametrize("at", range(len(LATER)), ids=LATER)
def test_what_may_call_a_helper_in_the_middle_of_a_call(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "OPS = {}" + textwrap.dedent(UNARY + ADD) + textwrap.dedent(list(LATER.values())[at]) + textwrap.dedent(RUN)
    made = module(f"helped_later_{at}", text, tmp_path, monkeypatch)
    residual = futamura.specialize(made.run, ("add", "add"))
    assert residual(5, lambda: made.later(lambda x: -x)) == -8


OWN = {
    "nobody can read it": """
        def patch(x):
            op("add")(lambda x: -x)
            return locals()
        def run(program, x, kit):
            for name in program:
                x = OPS[name](x)
                if x == 8: patch(x)
            return x
    """,
    "it is a method of an open object": """
        class Kit:
            def patch(self): op("add")(lambda x: -x)
        KIT = Kit()
        def run(program, x, kit):
            for name in program:
                x = OPS[name](x)
                if x == 8: kit.patch()
            return x
    """,
    "a function between them": """
        class Kit:
            def patch(self): op("add")(lambda x: -x)
        KIT = Kit()
        def check(x, kit):
            if x == 8: kit.patch()
        def run(program, x, kit):
            for name in program:
                x = OPS[name](x)
                check(x, kit)
            return x
    """,
}


@pytest.mark.parametrize("at", range(len(OWN)), ids=OWN)
@pytest.mark.parametrize("demo", ["run(('add',), 1, KIT)", "def main(): run(('add',), 1, KIT)\nmain()"])
def test_what_the_specialized_function_fills_itself(
    demo: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module calls it at its own level only, for a demonstration."""
    text = textwrap.dedent(OP + HANDLERS) + "KIT = None\nop('add')(add)\n"
    made = module(f"own_{at}_{len(demo)}", text + textwrap.dedent(list(OWN.values())[at]) + demo, tmp_path, monkeypatch)
    residual = futamura.specialize(made.run, ("add", "add"))
    assert residual(5, made.KIT) == -8
    made.OPS["add"] = made.add
    assert made.run(("add", "add"), 5, made.KIT) == -8


def test_demonstrations_leave_tables_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TABLE + UNARY + DIRECTLY + RUN + "    def main(): print(run(('add',), 1))\n    main()\n"
    made = module("own_known", text, tmp_path, monkeypatch)
    residual = futamura.specialize(made.run, ("add", "double"), f=None)
    assert residual(1) == 8
    assert "OPS" not in residual.source


FIELDS = """
    class Field:
        def __init__(self, kind): self.kind = kind
    {making}
    {base}
    class User{of}:
        name = Field("str")
        age = Field("int")
    def check(cls, data):
        return [data[k] if f.kind == "str" else int(data[k]) for k, f in cls.fields.items()]
"""
FILLING = """
            for key, value in list(body.items()):
                if isinstance(value, Field):
                    cls.fields[key] = value
"""
NEW = """class Meta(type):
        def __new__(mcs, name, bases, body):
            cls = super().__new__(mcs, name, bases, body)
            cls.fields = {}"""
INIT = """class Meta(type):
        def __init__(cls, name, bases, body):
            cls.fields = {}"""
DECORATOR = """def model(cls):
            body = vars(cls)
            cls.fields = {}"""
COLLECT = """
            cls.collect(body)
            return cls
        def collect(cls, body):"""
FUNCTION = """
    def model(cls):
        cls.fields = {}
        collect(cls, vars(cls))
        return cls"""
END = "            return cls"
MAKING = {
    "__new__": NEW + FILLING + END,
    "a method of the metaclass": NEW + COLLECT + FILLING,
    "the old super": NEW.replace("super()", "super(Meta, mcs)") + FILLING + END,
    "__init__": INIT + FILLING,
    "a decorator": DECORATOR + FILLING + END,
    "a decorator that calls a function": "def collect(cls, body):" + FILLING + FUNCTION,
}


def of_fields(making: str) -> str:
    if "def model" in making:
        return FIELDS.format(making=making, base="@model", of="")
    return FIELDS.format(making=making, base="class Model(metaclass=Meta): pass", of="(Model)")


@pytest.mark.parametrize("at", range(len(MAKING)), ids=MAKING)
def test_what_the_making_of_a_class_fills_is_known(at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = module(f"described_{at}", of_fields(list(MAKING.values())[at]), tmp_path, monkeypatch)
    residual = futamura.specialize(made.check, made.User)
    data = {"name": "Ann", "age": "7", "more": "x"}
    assert residual(data) == ["Ann", 7]
    assert not any(table in residual.source for table in ("fields", "_k", "for "))
    made.User.fields["more"] = made.Field("str")
    assert residual(data) == made.check(made.User, data) == ["Ann", 7, "x"]


FILLED_LATER = {
    "a function": "    def later(cls): cls.fields['more'] = Field('str')\n",
    "a method": "    def later(cls): cls.collect({'more': Field('str')})\n",
    "another name": "    fill = Meta.collect\n    def later(cls): fill(cls, {'more': Field('str')})\n",
}


@pytest.mark.parametrize("at", range(len(FILLED_LATER)), ids=FILLED_LATER)
def test_what_fills_a_class_in_the_middle_of_a_call(at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = of_fields(MAKING["a method of the metaclass"]) + list(FILLED_LATER.values())[at]
    text += "    def run(cls, f):\n        f()\n        return [*cls.fields]\n"
    made = module(f"described_later_{at}", text, tmp_path, monkeypatch)
    residual = futamura.specialize(made.run, made.User)
    assert residual(lambda: made.later(made.User)) == ["name", "age", "more"]
