"""Programs in the styles that people write: each is specialized, compared on all inputs, and faster than it was.

    registers(PROGRAM, n)    specialize(registers, PROGRAM)(n) gives the same for each n, in less time

Invariant: results and messages are equal; NOT_YET names the programs that still fall back, SLOW those without a gain.
"""

from __future__ import annotations

import copy
import functools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.cases.measuring import race
from futamura import Residual, Specializer, specialize
from tests.styles import (
    authors,
    charts,
    chips,
    composed,
    data,
    engines,
    frames,
    languages,
    lispy,
    machines,
    objects,
    parsing,
    texts,
    trees,
)

PERSONS = [
    {"name": "Ann", "age": 30, "home": {"street": "Long Lane", "floor": 2}}, {"name": "Bob"},
    {"name": "Ann", "age": 200}, {"name": 3, "age": 30},
    {"name": "Ann", "age": 30, "home": {"street": "x", "floor": 10}},
]  # fmt: skip
KINDS = (("word", "abcdefghijklmnopqrstuvwxyz"), ("number", "0123456789"), ("space", " "))
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], list[tuple[Any, ...]]]] = {
    "register machine": (machines.registers, (machines.PROGRAM,), [(1,), (5,), (20,)]),
    "calculator": (
        machines.calculator,
        ((("push", 3), ("mul", 0), ("push", 4), ("add", 0)), machines.HANDLERS),
        [(1,), (10**30,), (2.5,)],
    ),
    "emulator": (machines.emulate, (machines.ROM, 0), [([3, 5, 0],), ([200, 9, 0],), ([0, 1, 7],)]),
    "scanner": (machines.scan, (KINDS,), [("abc 12 d4",), ("",), ("?a",), ("12  x" * 20,)]),
    "automaton": (
        machines.automaton,
        (machines.NUMBER, "start", frozenset({"whole", "fraction"})),
        [("12.5",), ("+7",), ("1.",), ("x",), ("",), ("-123456789.123456789",)],
    ),
    "node classes": (trees.total, (trees.SUM,), [({"x": 3},), ({"x": -1},), ({},)]),
    "query": (
        trees.fits,
        (trees.QUERY,),
        [({"kind": "book", "year": 1999},), ({"kind": "book", "language": "nl"},), ({"kind": "film"},), ({},)],
    ),
    "lisp": (trees.lisp, (trees.POLYNOMIAL,), [(0,), (7,), (10,), (-3,)]),
    "validators of closures": (trees.problem, (trees.PERSON,), [(person,) for person in PERSONS]),
    "template of classes": (
        texts.letter,
        (texts.LETTER,),
        [(data,) for data in ({"name": "A", "items": [{"title": "A"}, {"title": 2}], "note": "x"}, {"name": "B"}, {})],
    ),
    "format string": (texts.shown, (texts.FORMAT,), [({"name": "Ann", "sum": 3.5},), ({"name": "", "sum": 1},), ({},)]),
    "calculator that reads": (
        parsing.calculate,
        ("3*(x+2)^2 - max(y, 4, x*x)/2",),
        [({"x": 1, "y": 2},), ({"x": 1.5},), ({"x": 0, "y": 10**3},)],
    ),
    "forms of fields": (
        parsing.loaded,
        (parsing.USER,),
        [
            (data,)
            for data in (
                {"name": "a", "age": 3, "tags": ["x", "y"], "home": {"street": "s", "code": 5}},
                {"name": 1, "age": 200, "home": {"street": "s"}, "tags": ["x", 1]},
                {"name": "a", "home": {"street": "x", "code": 1}, "more": 1},
                3,
            )
        ],
    ),
    "options": (
        parsing.options_of,
        (parsing.OPTIONS,),
        [
            (words.split(),)
            for words in ("-n 3 --name=x f", "--name q -v --mode slow z y", "--bad", "-n x", "--mode", "--mode no")
        ],
    ),
    "template engine": (
        languages.render,
        (languages.PAGE,),
        [
            ({"user": {"name": "bob"}, "items": [{"title": "a<b"}, {"title": "c"}]},),
            ({"user": {}, "items": []},),
            ({},),
            ({"user": {"name": 3}},),
        ],
    ),
    "trees of Python": (
        languages.evaluated,
        (languages.FORMULA,),
        [(values,) for values in ({"a": 3, "b": 4, "s": "x"}, {"a": 30, "s": "x"}, {"a": 1}, {"a": "1"}, {})],
    ),
    "parser combinators": (
        languages.parsed,
        (languages.LIST,),
        [(text,) for text in ("[1, 2, ab,3]", "[1]", "[ a", "", "[1,]", "[x , y ]")],
    ),
    "processor of words": (languages.MULTIPLY.run, (), [(3, 4, 99), (7, 9, 99), (255, 1, 99), (2, 30, 9)]),
    "functions and scopes": (languages.shown, (languages.FIBONACCI,), [(8,), (0,), (3.5,), ("a",)]),
    "columns": (texts.parse_row, (texts.COLUMNS,), [("1;a;2.5;yes",), ("1;a;;no",), ("x;a;;no",), ("1;2",)]),
    "rules of access": (
        texts.allowed,
        (texts.RULES,),
        [("admin", "drop", False), ("author", "write", True), ("author", "write", False), ("guest", "write", True)],
    ),
    "imperative": (
        objects.imperative,
        (objects.GCD,),
        [({"a": 48, "b": 18},), ({"a": 17, "b": 0},), ({"a": 5000, "b": 4999},), ({"a": 3},)],
    ),
    "opcodes in a registry": (objects.execute, (objects.COUNTDOWN,), [(1,), (5,), (20,), ("a",)]),
    "processor": (
        objects.process,
        (objects.SUM_OF_BYTES,),
        [(bytearray([3, 0, 5, 250, 9]),), (bytearray([1, 0]),), (bytearray([9]),)],
    ),
    "forth": (objects.forth, (objects.WORDS, "norm clip dup"), [([3, 4],), ([1],), ([2.5, -1],)]),
    "query of generators": (
        data.query,
        (data.SALES,),
        [
            ([{"kind": kind, "count": 2, "price": 3} for kind in ("a", "gift", "b")],),
            ([{"kind": "a", "count": 0, "price": 3}] * 3,),
            ([],),
            ([{"kind": 1}],),
        ],
    ),
    "combinators": (
        data.complaints,
        (data.FORM,),
        [
            ({"name": "Ann", "age": 30, "tag": 3},),
            ({"name": "A" * 11, "age": 3, "tag": "abcd"},),
            ({},),
            ({"name": 3, "age": "x", "tag": None},),
        ],
    ),
    "packer": (
        data.pack,
        (data.SHAPE,),
        [({"name": "abc", "points": [{"x": 1, "y": 300}, {"x": 5}], "closed": 1},), ({},), ({"name": 3},)],
    ),
    "cron line": (
        data.is_due,
        ("*/15 8-17 1,15 * 1-5",),
        [(0, 8, 1, 1, 1), (15, 9, 15, 3, 2), (7, 9, 15, 3, 2), (30, 18, 15, 3, 2), ("a", 9, 15, 3, 2)],
    ),
    "format of dates": (
        data.formatted,
        ("%4y-%2m-%2d: %n!",),
        [({"year": 2020, "month": 2, "day": 9, "name": "x"},), ({},)],
    ),
    "sheet": (data.sheet_of, (data.BILL,), [(3, 4), (1.5, 2), ("a", 1), ("a", "b")]),
    "tree of routes": (
        data.resolve,
        (data.TREE,),
        [(path,) for path in ("/users/7/posts/", "/about/team", "/", "/users//", "/users/7/posts/9", "/x/y")],
    ),
    "continuations": (
        data.fullmatch,
        ("a[bc]*d.*",),
        [(text,) for text in ("abcbd", "ad", "a", "abx", "abcbcbcbcdxyz")],
    ),
    "chip of two bytes": (chips.play, (chips.PLAYED,), [([5, 0],), ([250, 1],), ([],)]),
    "processor with modes": (chips.computed, (chips.MULTIPLIED,), [([3, 5, 0],), ([1, 0, 7],), ([9, 100, 0],)]),
    "instructions that are objects": (chips.performed, (chips.FACTORIAL,), [(5,), (1,), (20,), ("a",)]),
    "chart of handlers": (
        charts.reached,
        ("closed",),
        [
            (events.split() * 8,)
            for events in ("open close lock open unlock", "lock open unlock", "", "lock open open open ring close")
        ],
    ),
    "chart of dicts": (
        charts.turned,
        (charts.TURNSTILE,),
        [(events.split() * 8,) for events in ("coin push push", "push kick", "coin coin")],
    ),
    "pipeline of coroutines": (charts.piped, (charts.PIPELINE,), [(list(range(20)),), ([],), ([1, "a"],)]),
    "arguments added one by one": (
        charts.TOOL.parse,
        (),
        [(words.split(),) for words in ("-n 3 file", "--output=x -v f", "-n x f", "-q", "a b", "--number=7 -o y -v z")],
    ),
    "sections": (
        charts.configured,
        (charts.SECTIONS,),
        [
            (text,)
            for text in (
                "[server]\nhost = a.b\nport=8080\n\n# text\n[paths]\nparts = a, b ,c\n",
                "[server]\nport = x\n", "[other]\n", "host=a", "[server]\nname\n", "[server]\ndebug = yes",
            )
        ],
    ),
    "checks with operators": (
        composed.form_problems,
        (composed.FORM,),
        [
            (one,)
            for one in ({"name": "Ann", "amount": 5}, {"name": "admin"}, {"name": "x", "amount": 200.5}, {"name": 3})
        ],
    ),
    "matrices": (
        composed.moved, ([composed.ROTATED, composed.SHEARED], 0.25), [([1.0, 2.0, 3.0],), ([1, 2, 3],), ([1, "a", 2],)]
    ),
    "fields that know their names": (
        composed.unpacked,
        (composed.Packet,),
        [(b"\x01\x03abc\x02\x00\x05\xff\xfe",), (b"\x01",), (b"\x01\x00\x00\x07",), (b"\x01\x01\xff\x00",)],
    ),
    "columns of text": (
        composed.listed,
        (composed.BOOKS,),
        [([{"title": "A long title of a book", "year": 1999, "price": 3}, {"title": "B", "price": 2.5}],), ([],)],
    ),
    "closures and frames": (
        frames.executed,
        (frames.POLYNOMIAL, frames.CONSTANTS),
        [(3,), (0,), (-7,), ("a",), (2.5,)],
    ),
    "a Lisp with functions": (lispy.evaluated, (lispy.FACTORIAL,), [(5,), (0,), (20,), ("a",), (2.5,)]),
    "a Lisp with closures": (lispy.evaluated, (lispy.COUNTER,), [(5,), (0,), (2.5,), ("a",)]),
    "documents by single dispatch": (
        composed.page,
        (composed.PAGE,),
        [({"owner": "A <b>", "books": ["x & y", 3]},), ({"owner": 1, "books": []},), ({},)],
    ),
    "rules in each other": (
        authors.allowed,
        (authors.RULE,),
        [
            (one,)
            for one in (
                {"age": 20, "country": "DE"}, {"age": 17, "country": "DE"}, {"age": 30, "country": "US", "plan": "pro"},
                {"age": 30, "country": "US", "plan": "pro", "card": 1}, {"age": 30}, {"age": "x"}, {},
            )
        ],
    ),
    "wiring by name": (authors.handled, (authors.wired(), "page"), [("ann", "x"), (None, 3)]),
    "plural forms": (authors.plural, ("ru",), [(1,), (3,), (11,), (25,), (1.5,), (-22,), ("x",)]),
    "statements of a dialect": (
        authors.sql,
        (authors.Dialect(), authors.ORDERS),
        [({"u": 1, "s": ["a", "b"]},), ({"u": 1, "s": []},), ({"u": 1},), ({"u": 1, "s": 3},)],
    ),
    "records by annotations": (
        authors.loaded, (authors.Person,), [({"name": "Ann", "age": "3"},), ({"name": "Ann", "age": "x"},), ({},)]
    ),
    "calculator of global parts": (
        engines.computed,
        ("(x + 2) * -y ^ 2 / 4 - x * (3 + 1)",),
        [({"x": 1, "y": 2},), ({"x": 1.5},), ({"x": "a", "y": 2},), ({},)],
    ),
    "stages of a global bus": (
        engines.sent,
        ({"round", "mark"},),
        [
            ([{"kind": kind, "value": value} for kind in ("price", "rate", "login", "other") * 8],)
            for value in (3.14159, 2)
        ],
    ),
    "program and data in one memory": (
        chips.shown,
        (chips.SUMS,),
        [(cycles, [a, b]) for cycles in (0, 3, 40, 90) for a, b in ((1, 2), (9, 0), (250, 255))] + [(40, [2.5])],
    ),
    "requests over a graph": (
        authors.resolved,
        (authors.TYPES, authors.REQUEST, "Query"),
        [(None, authors.BASE, {"uid": 1}), (None, authors.BASE, {"uid": 9}), (None, authors.BASE, {}), (None, {}, {})],
    ),
}  # fmt: skip
NOT_YET: set[str] = set()
SLOW = {"fields that know their names"}


@pytest.mark.parametrize("declared", [False, True])
def test_a_registry_is_known(declared: bool) -> None:
    """What a decorator fills on import is tested at entry, what is declared is not."""
    function, static, inputs = CASES["opcodes in a registry"]
    residual = Specializer(frozen=["tests.styles.objects.HANDLERS"] if declared else [])(function, *static)
    assert not residual.stats["fallbacks"] and "step" not in residual.source and "pc" not in residual.source
    assert any(one.kind == "contents" for one in residual.assumptions) is not declared
    for given in inputs:
        assert outcome(residual, given) == outcome(lambda *rest: function(*static, *rest), given)


CHANGING = {"processor with modes", "forth"}
"""Programs that change what they are given: a race gives them copies."""


def made(name: str) -> Residual:
    function, static, _ = CASES[name]
    return specialize(function, *static)


def outcome(function: Callable[..., Any], inputs: tuple[Any, ...]) -> tuple[str, Any]:
    given = copy.deepcopy(inputs)
    try:
        return repr(function(*given)), given
    except Exception as error:
        return f"{type(error).__name__}: {error}", given


@pytest.mark.parametrize("name", CASES)
def test_residuals_do_what_the_programs_do(name: str) -> None:
    function, static, inputs = CASES[name]
    residual = made(name)
    for given in inputs:
        assert outcome(residual, given) == outcome(lambda *rest: function(*static, *rest), given)


@pytest.mark.parametrize("name", CASES)
def test_nothing_falls_back(name: str) -> None:
    if name in NOT_YET:
        pytest.xfail("falls back")
    residual = made(name)
    assert residual.stats["specialized"] and not residual.stats["fallbacks"], residual.events


@pytest.mark.parametrize("name", CASES)
def test_residuals_are_faster(name: str) -> None:
    if name in NOT_YET | SLOW:
        pytest.xfail("no gain yet")
    if not is_faster(name):  # other tests of this process watch what code does, for good: again without them
        program = f"import sys, tests.test_styles as t; sys.exit(not t.is_faster({name!r}))"
        assert subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parent.parent).returncode == 0


def is_faster(name: str) -> bool:
    function, static, inputs = CASES[name]
    # Without entry tests: other tests of this process watch what reads code objects, which makes the tests slow.
    residual = Specializer(assume="trust")(function, *static)

    def generic(*rest: Any) -> Any:
        return function(*static, *rest)

    sides: dict[str, Callable[..., Any]] = {"generic": generic, "residual": residual}
    if name in CHANGING:
        sides = {
            side: functools.partial(lambda run, *rest: run(*map(copy.copy, rest)), run) for side, run in sides.items()
        }
    for _ in range(16):  # a loaded machine may disturb a race, or several one after the other
        best = race(sides, inputs, 2)
        if best["residual"] < best["generic"]:
            return True
    return False
