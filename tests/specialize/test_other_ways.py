"""Static objects, classes and globals that the specialized code changes by other ways than their names.

Invariant: what is read after such a change is what the change left.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

import futamura
from tests.specialize.modules import written

HEAD = """
class Machine:
    def __init__(self):
        self.out, self.n = [], 0

class Store:
    rows = None
    box = ()

class Sub(Store):
    pass

def other(x): pass
CURRENT = None
PAIR = ()

def use(machine):
    global CURRENT, PAIR
    CURRENT = machine
    PAIR = (1, machine)
    Store.rows = machine
    Store.box = (machine,)
    other.held = machine

def single():
    if Store.rows is None:
        Store.rows = LAST
    return Store.rows
"""
WAYS = [
    "CURRENT", "PAIR[1]", "Store.rows", "Sub.rows", "Store().rows", "type(Store()).rows", "Store.box[0]", "other.held",
    "getattr(Store, 'rows')", "single()",
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_static_object_has_other_names(tmp_path: Path, way: str) -> None:
    body = f"    c = {way}\n    c.n += 1\n    c.out.append(x)\n    return m.n, len(m.out)\n"
    text = f"{HEAD}\nLAST = None\ndef run(m, x):\n{body}"
    found = []
    for name in ("by_name", "by_name_again"):
        module = written(tmp_path, name, text)
        machine = module.Machine()
        module.use(machine)
        run = futamura.specialize(module.run, machine) if found else functools.partial(module.run, machine)
        found.append([run(3), run(4), vars(machine)])
    assert found[0] == found[1]


def test_a_singleton_that_is_made_by_the_call(tmp_path: Path) -> None:
    text = f"{HEAD}\ndef run(m, x):\n    single().n += x\n    return m.n\n"
    module = written(tmp_path, "made_single", text)
    machine = module.LAST = module.Machine()
    residual = futamura.specialize(module.run, machine)
    assert [residual(3), residual(4)] == [3, 7]


GLOBALS = """
import sys
RATE = 1
def helper(): return "helper"
def f(k, mod, n, v):
    {}
    return RATE, helper(), k
"""


@pytest.mark.parametrize(
    "store",
    [
        "globals()[n] = v", "globals()['RATE'] = v", "globals().update({n: v})", "vars(mod)[n] = v",
        "mod.__dict__[n] = v", "d = globals(); d[n] = v", "globals().pop(n)", "globals().__setitem__(n, v)",
    ],
)
@pytest.mark.parametrize(("name", "value"), [("RATE", 7), ("helper", lambda: "new")])
def test_globals_are_bound_by_the_dict_of_the_module(tmp_path: Path, store: str, name: str, value: Any) -> None:
    outcomes = []
    for number in range(2):
        module = written(tmp_path, f"bound_{number}", GLOBALS.format(store))
        function = module.f if not number else futamura.specialize(module.f, 2, module)
        try:
            outcomes.append(function(*(() if number else (2, module)), name, value))
        except NameError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_globals_that_are_only_read_stay_known(tmp_path: Path) -> None:
    text = "RATE = 3\ndef one(x): return x + RATE\ndef f(n, x):\n    return globals()[n](x) * RATE\n"
    residual = futamura.specialize(written(tmp_path, "read_only", text).f, "one")
    assert "* 3" in residual.source
    assert residual(2) == 15


CONF = """
class Conf:
    rate = 1
    size = 2

    @classmethod
    def setall(cls, options):
        for name, value in options.items():
            setattr(cls, name, value)

class Sub(Conf):
    pass

def f(k, options):
    {}
    return Conf.rate * k, Conf().size, Sub.rate, Sub().size
"""


@pytest.mark.parametrize(
    "store",
    [
        "for n, v in options.items(): setattr(Conf, n, v)", "Conf.setall(options)", "Sub.setall(options)",
        "for n, v in options.items(): setattr(type(Conf()), n, v)", "for n in options: delattr(Sub, n)",
    ],
)
def test_attributes_of_classes_with_open_names(tmp_path: Path, store: str) -> None:
    for options in ({}, {"rate": 5}, {"size": 8, "rate": 9}):
        found = []
        for number in range(2):
            module = written(tmp_path, f"conf_{number}", CONF.format(store))
            function = module.f if not number else futamura.specialize(module.f, 2)
            try:
                found.append(function(*(() if number else (2,)), options))
            except AttributeError as error:
                found.append(str(error))
        assert found[0] == found[1]


class Key:
    def __init__(self) -> None:
        self.hits = 0


class Any_:
    def __eq__(self, other: Any) -> bool:
        other.hits += 1
        return True

    __hash__ = object.__hash__


def in_a_list(key: Any, x: Any) -> Any:
    return key in [1, x], key.hits


def in_a_tuple(key: Any, x: Any) -> Any:
    return key not in (x,), key.hits


def in_values(key: Any, x: Any) -> Any:
    return key in {1: x}.values(), key.hits


def in_items(key: Any, x: Any) -> Any:
    return key in tuple(x), key.hits


@pytest.mark.parametrize("function", [in_a_list, in_a_tuple, in_values, in_items])
def test_what_is_looked_for_is_seen_by_the_items(function: Any) -> None:
    static, other = Key(), Key()
    residual = futamura.specialize(function, static)
    for _ in range(3):
        given = [Any_()] if function is in_items else Any_()
        assert residual(given) == function(other, given)


class Plain:
    x = 1


def made(k: Any, y: Any) -> Any:
    return Plain().x * k + y


def test_a_class_gets_an_initializer_later() -> None:
    residual = futamura.specialize(made, 3)
    assert residual(1) == 4
    try:
        Plain.__init__ = lambda self: vars(self).update(x=5)  # type: ignore[assignment, method-assign]
        assert residual(1) == made(3, 1) == 16
    finally:
        del Plain.__init__
    assert residual(1) == 4


class Counted:
    def __init__(self) -> None:
        self.n = 0

    def pairs(self, rows: Any) -> Any:
        self.n = 0
        out = []
        for a, b in rows:
            self.n += 1
            out.append((a, b))
        return out


def test_an_item_that_cannot_be_unpacked_in_a_loop() -> None:
    static, other = Counted(), Counted()
    residual = futamura.specialize(static.pairs, futamura.Dyn(list[tuple]))
    for rows in ([(1, 2), (3, 4)], [(1, 2), (3,)], [(1, 2), (3, 4), (5, 6, 7)], []):
        found = []
        for run in (residual, other.pairs):
            try:
                found.append(run(rows))
            except ValueError as error:
                found.append(str(error))
        assert found[0] == found[1]
        assert static.n == other.n


LOG: list[Any] = []


def logged(k: Any, o: Any, x: Any) -> Any:
    o.n = k
    items = [x, k]
    LOG.append(items)
    table = {"a": x}
    o.rows["t"] = k
    LOG.append(table)
    return o.n


def test_a_store_in_front_of_what_is_logged() -> None:
    class Row:
        def __init__(self) -> None:
            self.rows: dict[str, Any] = {}

    residual = futamura.specialize(logged, 2)
    LOG.clear()
    first, second = Row(), Row()
    assert residual(first, 5) == logged(2, second, 5)
    assert vars(first) == vars(second)
    assert LOG[:2] == LOG[2:]
    assert not residual.stats["fallbacks"]


HANDLERS = """
from typing import Callable, NamedTuple

TABLE = {}

class Entry(NamedTuple):
    name: str
    function: Callable
    notes: object = None

def op(code, name):
    def register(function):
        TABLE[code] = Entry(name, function)
        return function
    return register

@op(1, "inc")
def increase(cpu, name): cpu.x += 1

@op(2, "dbl")
def double(cpu, name): cpu.x *= 2

class CPU:
    def __init__(self, code, x):
        self.pc, self.code, self.x = 0, code, x

    def go(self):
        while self.pc < len(self.code):
            entry = TABLE[self.code[self.pc]]
            self.pc += 1
            entry.function(self, entry.%s)
        return self.x

def run(code, x):
    return CPU(code, x).go()
"""


def test_texts_of_named_tuples_are_handed_on(tmp_path: Path) -> None:
    module = written(tmp_path, "handlers_by_name", HANDLERS % "name")
    residual = futamura.specialize(module.run, bytes([1, 2, 1]))
    assert "while" not in residual.source
    assert residual(3) == module.run(bytes([1, 2, 1]), 3) == 9


def test_lists_of_named_tuples_are_handed_on(tmp_path: Path) -> None:
    text = HANDLERS.replace("cpu.x += 1", "name.append(cpu.x); cpu.x += len(name)")
    text = text.replace("Entry(name, function)", "Entry(name, function, [])")
    outcomes = []
    for number in range(2):
        module = written(tmp_path, f"handlers_{number}", text % "notes")
        code = bytes([1, 2, 1])
        run = futamura.specialize(module.run, code) if number else functools.partial(module.run, code)
        outcomes.append([run(3), run(4), module.TABLE[1].notes])
    assert outcomes[0] == outcomes[1]
