"""Containers in variables of closures: known where they are built before the closure is there, and only read then.

    def record(**fields): def check(value): ... fields.items() ...        unrolled
    def registry(): table = {}; def add(k, v): table[k] = v ...           read when the residual runs

Invariant: whatever is done to such a container, the residual does what the closure does.
"""

from __future__ import annotations

import linecache
import types

import pytest

import futamura

SOURCE = """
def text(value):
    return isinstance(value, str)

def number(value):
    return type(value) is int

def record(**fields):
    def check(value):
        return [name for name, test in fields.items() if not test(value[name])]
    return check

def filled(names):
    tests = []
    for name in names:
        if name:
            tests.append((name, number))
    limits = dict(low=3)
    if not tests:
        return None
    def check(value):
        return [name for name, test in tests if not test(value[name]) or value[name] < limits["low"]]
    return check

def registry():
    table = {"a": 1}
    def add(key, value):
        table[key] = value
    def total(x):
        return sum(table.values()) + x
    return add, total

def given(table):
    def total(x):
        return sum(table.values()) + x
    return total

def returned():
    table = {"a": 1}
    def total(x):
        return sum(table.values()) + x
    return table, total

def stored():
    table = {"a": 1}
    def total(x):
        return sum(table.values()) + x
    total.table = table
    return total

def bound_method():
    table = [1]
    add = table.append
    def total(x):
        return sum(table) + x
    return add, total

def replaced():
    table = [1]
    def renew(x):
        nonlocal table
        table = [x]
    def total(x):
        return sum(table) + x
    return renew, total

def lazily():
    table = [1]
    later = (table.append(x) for x in (2, 3))
    def total(x):
        return sum(table) + x
    return later, total

def items_change():
    table = {"a": [1]}
    def total(x):
        return sum(table["a"]) + x
    return table["a"], total

def inside(use):
    table = [1]
    def total(x):
        return sum(table) + x
    made = use(total)
    table.append(5)
    return made, total

def summed():
    table = [1]
    def total(x):
        return sum(table) + x
    return sum([], table), total

def least():
    table = [1]
    def total(x):
        return sum(table) + x
    return min(table, [2]), total

def spied():
    table = [1]
    def total(x):
        return sum(table) + x
    return total.__closure__[0].cell_contents, total

def defaulted():
    table = [1]
    def total(x, other=table):
        return sum(table) + x
    return total.__defaults__[0], total

def shifted(table):
    def total(x):
        return table["a"] + x
    return total

def every(tests, x):
    return [test(x) for test in tests]

def keeping(given):
    tests = list(given)
    def check(x):
        return [test(x) for test in tests]
    return check

def counting():
    seen = []
    def count(x):
        seen.append(x)
        return x + len(seen)
    return count

def own_list(use):
    list = use
    table = list()
    def total(x):
        return sum(table) + x
    return total
"""


@pytest.fixture
def space() -> types.ModuleType:
    module = types.ModuleType("closures_program")
    file = "<closures program>"
    linecache.cache[file] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), file)
    exec(compile(SOURCE, file, "exec", dont_inherit=True), module.__dict__)
    return module


def test_keywords_are_known(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.record(a=space.text, b=space.number))
    assert "items" not in residual.source and "'b'" in residual.source
    assert residual({"a": "x", "b": 1}) == [] and residual({"a": 1, "b": "x"}) == ["a", "b"]


def test_what_the_outer_function_fills_is_known(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.filled(["a", "", "b"]))
    assert "for" not in residual.source and "low" not in residual.source
    assert residual({"a": 7, "b": 2}) == ["b"]


def test_what_a_function_beside_it_writes_is_not_known(space: types.ModuleType) -> None:
    add, total = space.registry()
    residual = futamura.specialize(total)
    add("b", 5)
    assert residual(1) == 7


@pytest.mark.parametrize(
    "name",
    ["returned", "bound_method", "replaced", "lazily", "items_change", "summed", "least", "spied", "defaulted"],
)
def test_what_others_get_is_not_known(space: types.ModuleType, name: str) -> None:
    other, total = getattr(space, name)()
    residual = futamura.specialize(total)
    assert residual(1) == 2
    match name:
        case "returned":
            other["b"] = 5
        case "bound_method":
            other(5)
        case "replaced":
            other(6)
        case "lazily":
            list(other)
        case _:
            other.append(5)
    assert residual(1) == total(1) == 7


def test_what_the_caller_gave_is_not_known(space: types.ModuleType) -> None:
    table = {"a": 1}
    residual = futamura.specialize(space.given(table))
    table["b"] = 5
    assert residual(1) == 7


def test_what_is_stored_on_the_function_is_not_known(space: types.ModuleType) -> None:
    total = space.stored()
    residual = futamura.specialize(total)
    total.table["b"] = 5
    assert residual(1) == 7


def test_what_is_still_being_filled_is_not_known(space: types.ModuleType) -> None:
    residual, total = space.inside(futamura.specialize)
    assert residual(1) == total(1) == 7


def test_a_builtin_that_the_module_binds_makes_nothing_known(space: types.ModuleType) -> None:
    shared = [1]
    residual = futamura.specialize(space.own_list(lambda: shared))
    shared.append(5)
    assert residual(1) == 7


def test_closures_in_static_inputs_are_static_inputs(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.every, [space.shifted({"a": 1}), space.shifted({"a": 5})])
    assert "'a'" not in residual.source
    assert residual(2) == [3, 7]


def test_functions_that_a_closure_keeps_are_no_static_inputs(space: types.ModuleType) -> None:
    table = {"a": 1}
    residual = futamura.specialize(space.keeping([space.given(table)]))
    assert residual(2) == [3]
    table["b"] = 5
    assert residual(2) == [8]


def test_a_closure_in_a_static_input_that_writes_is_state(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.every, [space.counting()])
    assert [residual(1), residual(1), residual(1)] == [[2], [3], [4]]
