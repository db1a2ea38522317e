"""The scope analysis against CPython's own: free variables and cells of the code objects."""

from __future__ import annotations

import argparse
import ast
import collections
import dataclasses
import functools
import inspect
import sys
import types
from collections.abc import Iterator

import pytest

from futamura.frontend.locate import locate
from futamura.frontend.scopes import Scope, analyze, mangle

MODULES = (argparse, ast, collections, dataclasses, functools, inspect)


def codes_of(module: types.ModuleType) -> Iterator[types.FunctionType]:
    for value in vars(module).values():
        members = vars(value).values() if isinstance(value, type) else (value,)
        for member in members:
            if isinstance(member, types.FunctionType) and member.__code__.co_filename == module.__file__:
                yield member


def compare(scope: Scope, code: types.CodeType) -> None:
    """Names captured and free, here and in all nested functions that can be told apart."""
    inlined = {
        name
        for child in scope.children.values()
        if child.kind == "comprehension"
        for name in child.captured | child.free
    }
    assert scope.captured - inlined <= set(code.co_cellvars) <= scope.captured | inlined | {"__class__"}
    assert scope.free - inlined <= set(code.co_freevars)
    nested = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    for node, child in scope.children.items():
        name = getattr(node, "name", None)
        found = [inner for inner in nested if inner.co_name == name and inner.co_freevars is not None]
        if isinstance(node, ast.FunctionDef) and child.kind == "function" and len(found) == 1:
            compare(child, found[0])


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_cells_and_free_variables_of_real_code(module: types.ModuleType) -> None:
    count = 0
    for function in codes_of(module):
        located = locate(function)
        if located.function is not function:
            continue
        scope = analyze(located.node, located.private, function.__code__.co_freevars, stringized=located.stringized)
        compare(scope, function.__code__)
        count += 1
    assert count > 5


def scope_of(source: str) -> Scope:
    return analyze(ast.parse(source).body[0], None, (), stringized=False)


def test_walrus_in_a_comprehension_binds_outside() -> None:
    scope = scope_of("def f(xs):\n    return [y := x for x in xs], (lambda: y)\n")
    assert scope.captured == {"y"}
    assert scope.locals == ("xs", "y")


def test_captured_comprehension_variables_are_the_comprehensions() -> None:
    scope = scope_of("def f(xs):\n    return [lambda: (x, xs) for x in xs]\n")
    (inner,) = scope.children.values()
    assert scope.captured == {"xs"}
    assert inner.captured == {"x"}


def test_class_bodies_hide_their_names_from_methods() -> None:
    method = "        def m(self): return b, __class__\n"
    scope = scope_of("def f(a, b):\n    class C(a):\n        b = b\n" + method + "    return C\n")
    assert scope.captured == {"a", "b"}


def test_mangling() -> None:
    assert mangle("_Shop", "__x") == "_Shop__x"
    assert mangle("__", "__x") == "__x"
    assert mangle("Shop", "__x__") == "__x__"
    assert mangle(None, "__x") == "__x"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with 3.12")
def test_generic_definitions() -> None:
    generic = "    def g[T](x: T, y=a) -> T: return a\n    type X[U] = list[U] | a\n"
    scope = scope_of("def f(a):\n" + generic + "    return g, X\n")
    assert scope.captured == {"a"}
    assert scope.locals == ("a", "g", "X")
