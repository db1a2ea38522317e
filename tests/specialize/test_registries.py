"""Tables that decorators fill on import are known; what is registered later is seen by the next call.

    OPS = {}; @op("add") def add(stack): ...        run(program, x) has no look-up left
    op("add")(other)                                the next call runs the original, with the other one

Invariant: each module is made anew, and registers after its residual was made.
"""

from __future__ import annotations

import importlib
import pickle
import textwrap
from pathlib import Path
from typing import Any

import pytest

import futamura

RUN = """
    def run(program, x):
        for name in program:
            x = {table}[name](x)
        return x
"""
DICT = """
    OPS = {}
    def op(name):
        def deco(function):
            OPS[name] = function
            return function
        return deco
    @op("add")
    def add(x): return x + 3
    @op("double")
    def double(x): return x * 2
"""
OF_CLASS = """
    class Machine:
        ops = {}
        @classmethod
        def op(cls, name):
            def deco(function):
                cls.ops[name] = function
                return function
            return deco
    op = Machine.op
    @Machine.op("add")
    def add(x): return x + 3
    @Machine.op("double")
    def double(x): return x * 2
"""
OF_HOOK = """
    class Step:
        known = {}
        def __init_subclass__(cls): Step.known[cls.__name__] = cls
        def __new__(cls, x): return cls.of(x)
    class add(Step):
        @staticmethod
        def of(x): return x + 3
    class double(Step):
        @staticmethod
        def of(x): return x * 2
    def op(name):
        return lambda function: type(name, (Step,), {"of": staticmethod(function)})
"""
OF_LISTS = """
    HOOKS = {}
    def on(event, function=None):
        def deco(function):
            HOOKS.setdefault(event, []).append(function)
            return function
        return deco
    op = on
    @on("add")
    def add(x): return x + 3
    @on("double")
    def double(x): return x * 2
    @on("double")
    def same(x): return x
    def run(program, x):
        for event in program:
            for function in HOOKS.get(event, []):
                x = function(x)
        return x
"""
BOTH_WAYS = """
    OPS = {}
    def op(function=None, *, name=None):
        def deco(function):
            OPS[name or function.__name__] = function
            return function
        return deco if function is None else deco(function)
    @op
    def add(x): return x + 3
    @op(name="double")
    def twice(x): return x * 2
"""
BY_PARTIAL = """
    from functools import partial
    OPS = {}
    def op(function=None, name=None):
        if function is None:
            return partial(op, name=name)
        OPS[name or function.__name__] = function
        return function
    @op
    def add(x): return x + 3
    @op(name="double")
    def twice(x): return x * 2
"""
OF_OBJECTS = """
    class Step:
        known = {}
        def __init__(self, name, times, more):
            self.name, self.times, self.more = name, times, more
            self.known[name] = self
    Step("add", 1, 3), Step("double", 2, 0)
    def run(program, x):
        for name in program:
            step = Step.known[name]
            x = x * step.times + step.more
        return x
"""
PROGRAMS = {
    "a name that is a variable elsewhere": "    def shown(op): return f'bad {op}'\n" + DICT + RUN.format(table="OPS"),
    "with and without arguments": BOTH_WAYS + RUN.format(table="OPS"),
    "by a partial": BY_PARTIAL + RUN.format(table="OPS"),
    "objects that announce themselves": OF_OBJECTS,
    "a dict filled under a name that is an attribute, too": DICT
    + "    class Command:\n        op = None\n        def __init__(self, op): self.op = op\n"
    + RUN.format(table="OPS").replace("for name in program:", "for name in [Command(name).op for name in program]:"),
    "a global dict": DICT + RUN.format(table="OPS"),
    "a dict of a class": OF_CLASS.replace("    op = Machine.op\n", "") + RUN.format(table="Machine.ops"),
    "lists in a dict": OF_LISTS.replace("    op = on\n", ""),
    "classes that announce themselves": OF_HOOK.partition("    def op")[0] + RUN.format(table="Step.known"),
}


def module(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (folder / f"{name}.py").write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(folder)
    return importlib.import_module(name)


def register(made: Any, name: str, function: Any) -> None:
    """What another module does when it is imported later."""
    if hasattr(made, "Step") and not hasattr(made.Step, "of") and "__init__" in vars(made.Step):
        made.Step(name, function(7) - function(6), function(0))
    elif hasattr(made, "partial") or "twice" in vars(made):
        made.op(name=name)(function)
    elif hasattr(made, "Step"):
        type(name, (made.Step,), {"of": staticmethod(function)})
    else:
        decorator = made.Machine.op if hasattr(made, "Machine") else made.op if hasattr(made, "op") else made.on
        decorator(name)(function)


@pytest.mark.parametrize("at", range(len(PROGRAMS)), ids=PROGRAMS)
def test_what_decorators_filled_is_known(at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = module(f"filled_{at}", list(PROGRAMS.values())[at], tmp_path, monkeypatch)
    program = ("add", "double", "add") * 3  # as long as the tests at entry are worth it
    residual = futamura.specialize(made.run, program)
    assert [residual(x) for x in (0, 5, -3)] == [made.run(program, x) for x in (0, 5, -3)] == [63, 103, 39]
    assert not any(table in residual.source for table in ("OPS", "ops", "HOOKS", "known", "_k"))
    register(made, "double", lambda x: x * 10)
    assert made.run(program, 5) != 103
    assert residual(5) == made.run(program, 5)
    register(made, "more", lambda x: x)
    assert residual(6) == made.run(program, 6)


def test_a_handler_that_goes_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = module("filled_gone", PROGRAMS["a global dict"], tmp_path, monkeypatch)
    residual = futamura.specialize(made.run, ("add", "double"))
    assert residual(1) == 8
    del made.OPS["double"]
    with pytest.raises(KeyError, match="double"):
        residual(1)
    made.OPS["double"] = made.double
    assert residual(1) == 8
    assert not residual.holds() or residual(2) == 10


def test_order_counts_where_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = DICT + "    def names(x): return [*OPS, x]\n"
    made = module("filled_order", text, tmp_path, monkeypatch)
    residual = futamura.specialize(made.names)
    assert residual(1) == ["add", "double", 1]
    made.OPS["add"] = made.OPS.pop("add")
    assert residual(1) == ["double", "add", 1]


LATER = [
    "    def later(f): op('add')(f)\n",
    "    def later(f): OPS['add'] = f\n",
    "    def later(f): HOW[0]('add')(f)\n    HOW = [op]\n",
    "    table = OPS\n    def later(f): table['add'] = f\n",
    "    def later(f):\n        for how in (op,): how('add')(f)\n",
    "    keep = op('add')\n    def later(f): keep(f)\n",
    "    keep = [op('add')]\n    def later(f): keep[0](f)\n",
    "    def setter():\n        def later(f): OPS['add'] = f\n        return later\n    later = setter()\n",
    "    def wrapped(g):\n        def run(f):\n            OPS['add'] = f\n            return g(f)\n"
    "        return run\n"
    "    @wrapped\n    def later(f): return f\n",
    "    def late():\n        f = yield\n        OPS['add'] = f\n        yield\n"
    "    made = late()\n    next(made)\n"
    "    def later(f): made.send(f)\n",
]


@pytest.mark.parametrize("at", range(len(LATER)))
def test_what_functions_change_at_any_time_is_not_believed(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        DICT
        + LATER[at]
        + """
    def run(program, x, f):
        for name in program:
            x = OPS[name](x)
            if x == 8: f()
        return x
"""
    )
    made = module(f"filled_later_{at}", text, tmp_path, monkeypatch)
    residual = futamura.specialize(made.run, ("add", "add"))
    assert residual(5, lambda: made.later(lambda x: -x)) == -8


LATER_BOTH_WAYS = [
    "    keep = op(name='add')\n    def later(f): keep(f)\n",
    "    def later(f): op(name='add')(f)\n",
    "    def other(op): return op\n    def later(f): other(op)(f, name='add')\n",
    "    def noted(g):\n        def run(f):\n            OPS['add'] = f\n            return g(f)\n        return run\n"
    "    @noted\n    def later(f): return f\n",
    "    def noted(g=None, *, name=None):\n        def deco(g):\n            def run(f):\n"
    "                OPS['add'] = f\n"
    "            return run\n        return deco if g is None else deco(g)\n    @noted\n    def later(f): return f\n",
    "    def noted(g=None):\n        def run(f): OPS['add'] = f\n        return run if g is not None else g\n"
    "    @noted\n    def later(f): return f\n",
    "    class Put:\n        def __init__(self, f): OPS['add'] = f\n    def later(f): Put(f)\n",
    "    class Put:\n        def __init__(self, f): OPS['add'] = f\n        @classmethod\n"
    "        def made(cls, f): return cls(f)\n"
    "    def later(f): Put.made(f)\n",
    "    class Put:\n        def __init__(self, f): OPS['add'] = f\n        def again(self, f): return type(self)(f)\n"
    "    PUT = Put(add)\n    def later(f): PUT.again(f)\n",
    "    class Put:\n        def __init__(self, f): OPS['add'] = f\n    class Other(Put): pass\n"
    "    def later(f): Other(f)\n",
    "    class Put:\n        def __init__(self, f): OPS['add'] = f\n    PUT = Put(add)\n"
    "    def later(f): PUT.__init__(f)\n",
]


@pytest.mark.parametrize("form", [BOTH_WAYS, BY_PARTIAL])
@pytest.mark.parametrize("at", range(len(LATER_BOTH_WAYS)))
def test_what_is_registered_in_the_middle_of_a_call(
    at: int, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = form + LATER_BOTH_WAYS[at] + "    def run(program, x, f):\n        for name in program:\n"
    text += "            x = OPS[name](x)\n            if x == 8: f()\n        return x\n"
    made = module(f"filled_both_{at}_{len(form)}", text, tmp_path, monkeypatch)
    made.OPS["add"] = made.add
    residual = futamura.specialize(made.run, ("add", "add"))
    assert residual(5, lambda: made.later(lambda x: -x)) == -8


COLLECTED = [
    "    def put(f, *tables): tables[0]['add'] = f\n    def fill(f): put(f, OPS)\n",
    "    def put(f, **tables): tables['ops']['add'] = f\n    def fill(f): put(f, ops=OPS)\n",
    "    def put(f, *tables):\n        for table in tables: table['add'] = f\n    def fill(f): put(f, *[OPS])\n",
    "    class Filler:\n        def put(self, *tables): tables[0]['add'] = self.f\n"
    "    def fill(f):\n        filler = Filler()\n        filler.f = f\n        filler.put(OPS)\n",
]


@pytest.mark.parametrize("at", range(len(COLLECTED)))
def test_tables_that_are_passed_behind_stars_are_compared(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "    OPS = {}\n" + COLLECTED[at] + "    fill(lambda x: x + 3)\n" + RUN.format(table="OPS")
    made = module(f"filled_behind_stars_{at}", text, tmp_path, monkeypatch)
    residual = futamura.specialize(made.run, ("add",))
    assert residual(5) == 8
    made.fill(lambda x: -x)
    assert residual(5) == -5


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_the_contents_are_named_and_do_not_travel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = module("filled_named", PROGRAMS["a global dict"], tmp_path, monkeypatch)
    residual = futamura.specialize(made.run, ("add",))
    assert "filled_named.OPS holds what it held" in residual.explain()
    assert residual.holds()
    with pytest.raises(pickle.PicklingError, match=r"what filled_named\.OPS holds"):
        pickle.dumps(residual)
    made.OPS.clear()
    assert not residual.holds()
