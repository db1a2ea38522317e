"""The measuring tools themselves: what they count, and that they notice planted faults.

    a test that passed and now is missing    ->    a new failure

Invariant: no standard module is measured here; the subjects are a few lines each.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from bench import throughput
from bench.cases.elsewhere import seconds_elsewhere
from tools import standard_modules, stdlib_coverage, stdlib_meaning

SUBJECT = """
import functools

def plain(x):
    return x + 1

alias = plain

def logged(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)
    return wrapper

@logged
def decorated(x):
    return x * 2

@functools.lru_cache
def cached(x):
    return x * 3

class A:
    class Inner:
        def deep(self):
            return "deep"

    @staticmethod
    def s(x):
        return x

    @classmethod
    def c(cls):
        return cls.__name__

    @property
    def p(self):
        return 1

    @p.setter
    def p(self, value):
        pass

    def __init__(self):
        self.made = True

    def __new__(cls):
        return object.__new__(cls)

    def method(self):
        return self.made

    again = method
"""


@pytest.fixture
def subject(tmp_path: Path) -> Any:
    file = tmp_path / "measured_subject.py"
    file.write_text(SUBJECT)
    spec = importlib.util.spec_from_file_location("measured_subject", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["measured_subject"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["measured_subject"]


def test_every_kind_of_function_is_found(subject: Any) -> None:
    found = [(member.path, member.function.__code__.co_name) for member in standard_modules.members(subject)]
    assert [name for _, name in found] == [
        "plain", "logged", "wrapper", "decorated", "cached", "deep", "s", "c", "p", "p",
        "__init__", "__new__", "method",
    ]  # fmt: skip


def test_every_name_of_a_function_is_replaced(subject: Any) -> None:
    for member in standard_modules.members(subject):
        if member.function.__closure__ is None and member.path not in ("decorated", "cached"):
            code = member.function.__code__.replace(co_name="copied")
            member.replace(types.FunctionType(code, vars(subject), member.path))
    assert subject.alias is subject.plain and subject.plain.__code__.co_name == "copied"
    assert subject.A.again is subject.A.method and subject.A.method.__code__.co_name == "copied"
    assert (subject.A.s(1), subject.A.c(), subject.A().p, subject.A().method()) == (1, "A", 1, True)
    assert subject.A.p.fset.__code__.co_name == subject.A.p.fget.__code__.co_name == "copied"


def test_functions_behind_accelerators_are_seen() -> None:
    names = {member.path for member in standard_modules.own_functions("bisect")}
    assert {"bisect_left", "bisect_right", "insort_left", "insort_right"} <= names
    assert sys.modules["bisect"] is standard_modules.load("bisect")
    assert sys.modules["_bisect"] is not None


def report(**outcomes: str) -> dict[str, Any]:
    return {"outcomes": outcomes, "details": {}, "replaced": None}


@pytest.mark.parametrize(
    ("now", "new"), [("pass", 0), ("fail", 1), ("error", 1), ("skip", 1), ("missing", 1), ("expected failure", 1)]
)
def test_new_failures_are_noticed(now: str, new: int) -> None:
    verdict = stdlib_meaning.Verdict()
    after = {} if now == "missing" else {"a": now}
    stdlib_meaning.compare(report(a="pass", b="fail", c="skip"), report(b="fail", **after), {}, verdict)
    assert (verdict.tests, verdict.passed, len(verdict.new)) == (1, 1 - new, new)


def test_accepted_failures_carry_their_reason() -> None:
    verdict = stdlib_meaning.Verdict()
    stdlib_meaning.compare(report(a="pass"), report(a="fail"), {"[ab]": "because"}, verdict)
    assert (verdict.new, verdict.accepted) == ([], [("a", "because")])


def test_a_failure_outside_of_any_test_is_noticed() -> None:
    verdict = stdlib_meaning.Verdict()
    stdlib_meaning.compare(report(a="pass"), report(a="pass", setUpClass="error"), {}, verdict)
    assert len(verdict.new) == 1


def function(text: str) -> ast.AST:
    return ast.parse(text).body[0]


def test_switches_are_noticed() -> None:
    original = function("def f(a):\n    done = False\n    while not done:\n        done = a()\n")
    flagged = function("def f(a):\n    done = t = False\n    while not t:\n        done = a()\n        t = True\n")
    states = function(
        "def f(a):\n    s = 0\n    while a():\n        if s:\n            s = 1\n        else:\n            s = 2\n"
    )
    assert stdlib_coverage.new_switches(original, original) == (set(), set())
    assert stdlib_coverage.new_switches(flagged, original) == ({"t"}, set())
    assert stdlib_coverage.new_switches(states, original) == (set(), {"s"})


def test_lines_leave_out_what_has_no_meaning() -> None:
    bare = function("def f(a):\n    return a\n")
    dressed = function("@decorate\ndef f(a) -> int:\n    'Words.'\n    return a\n")
    assert stdlib_coverage.printed_lines(bare) == stdlib_coverage.printed_lines(dressed) == 2
    assert stdlib_coverage.printed_lines(function("def f():\n    'Words.'\n")) == 2


@pytest.mark.parametrize("lines", [50, 500])
def test_synthetic_functions_run(lines: int) -> None:
    made, count = throughput.subject(lines, 3)
    assert lines <= count < lines + 10
    assert made([]) == made([])


def test_a_generic_program_under_another_interpreter() -> None:
    taken = seconds_elsewhere(sys.executable, "power", None)
    assert taken is not None and 0 < taken < 1
    assert seconds_elsewhere("no-such-interpreter", "power", None) is None
    assert seconds_elsewhere(sys.executable, "no such case", None) is None
