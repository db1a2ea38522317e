"""Values that were just tested are not tested again; what every `__bool__` is asked, and when, stays as it is.

    (a and b) and c, in an `if`     ->     a that is False leads past both joins; one that is false otherwise does not

Invariant: with operands whose truth changes each time it is asked, residual and original ask the same in the same
order.
"""

from __future__ import annotations

import itertools
import random

import pytest

from futamura import specialize
from futamura.driver import residual_text, roundtrip
from futamura.frontend.python import lower
from futamura.ir.verify import verify_program
from futamura.optimize.pipeline import optimize
from futamura.optimize.shortcuts import take_shortcuts

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Moody:
    """What a comparison gives: its truth is what its script says, one answer after the other."""

    def __init__(self, name, script, log):
        self.name, self.script, self.log = name, iter(script), log

    def __bool__(self):
        answer = next(self.script, False)
        self.log.append((self.name, answer))
        if answer is None:
            raise ArithmeticError(self.name)
        return answer


class Asked:
    """An operand: comparisons and membership say that they were asked, and give what they are told."""

    def __init__(self, name, result, log):
        self.name, self.result, self.log = name, result, log

    def __eq__(self, other):
        self.log.append((self.name, "eq"))
        return self.result

    __hash__ = None

    def __lt__(self, other):
        self.log.append((self.name, "lt"))
        return self.result

    def __contains__(self, item):
        self.log.append((self.name, "contains"))
        return self.result


def evaluate(node, row):
    kind = node[0]
    if kind == "and":
        return evaluate(node[1], row) and evaluate(node[2], row)
    if kind == "or":
        return evaluate(node[1], row) or evaluate(node[2], row)
    if kind == "not":
        return not evaluate(node[1], row)
    if kind == "in":
        return 1 in row[node[1]]
    if kind == "lt":
        return row[node[1]] < 5
    return row[node[1]] == 5


def chosen(node, rows):
    return [at for at, row in enumerate(rows) if evaluate(node, row)]


def judged(node, row):
    if evaluate(node, row):
        return "yes"
    return "no"


def given(node, row):
    return evaluate(node, row)


def branching(node, row, log):
    if evaluate(node, row) or evaluate(("eq", "z"), row):
        log.append("first")
    elif evaluate(("and", node, node), row):
        log.append("second")
    return log


TREES = [
    ("and", ("and", ("eq", "a"), ("lt", "b")), ("eq", "c")),
    ("and", ("and", ("and", ("lt", "a"), ("or", ("in", "b"), ("eq", "c"))), ("not", ("eq", "d"))), ("lt", "e")),
    ("or", ("or", ("eq", "a"), ("lt", "b")), ("eq", "c")),
    ("or", ("and", ("eq", "a"), ("in", "b")), ("and", ("not", ("lt", "c")), ("eq", "d"))),
    ("and", ("or", ("eq", "a"), ("eq", "b")), ("or", ("lt", "c"), ("eq", "d"))),
    ("not", ("and", ("and", ("eq", "a"), ("eq", "b")), ("eq", "c"))),
    ("and", ("eq", "a"), ("in", "b")),
]
NAMES = "abcdez"


def scripted(choose, log):
    """A row whose comparisons give bools, other builtin values, or objects with moods."""
    results = {}
    for name in NAMES:
        script = [choose.choice([True, False, False, None]) for _ in range(5)]
        plain = choose.choice([True, False, 0, 1, "", "x", None, 0.0, []])
        results[name] = choose.choice([plain, bool(plain), Moody(name, script, log)])
    return {name: Asked(name, result, log) for name, result in results.items()}


def outcome(function, seed, count=1):
    choose, log = random.Random(seed), []
    rows = [scripted(choose, log) for _ in range(count)]
    try:
        found = function(*([rows] if count > 1 else rows))
    except ArithmeticError as error:
        found = f"raised {error}"
    except StopIteration:
        found = "stopped"
    return getattr(found, "name", found), log


@pytest.mark.parametrize("tree", TREES)
def test_every_object_is_asked_the_same(tree) -> None:
    filtering, deciding, giving = (specialize(function, tree) for function in (chosen, judged, given))
    for seed in range(400):
        for residual, function in ((deciding, judged), (giving, given)):
            assert outcome(residual, seed) == outcome(lambda row, f=function: f(tree, row), seed), (function, seed)
        assert outcome(filtering, seed, 3) == outcome(lambda rows: chosen(tree, rows), seed, 3), seed


def test_code_on_both_sides_of_a_join() -> None:
    for tree in TREES:
        residual = specialize(branching, tree)
        for seed in range(200):
            log: list[object] = []
            again: list[object] = []
            assert outcome(lambda row, r=residual, at=log: r(row, at), seed) == outcome(
                lambda row, t=tree, at=again: branching(t, row, at), seed
            ), (tree, seed)
            assert log == again


def test_the_program_stays_verified() -> None:
    def chained(a, b, c, d):
        found = []
        for x in d:
            t = x == a
            if t:
                t = x in b
            if t:
                t = x < c
            if t:
                found.append(x)
            elif x:
                break
        return found

    program = lower(chained).program
    changed = take_shortcuts(program)
    assert changed is not program
    verify_program(changed)
    assert take_shortcuts(lower(outcome).program).entry == "outcome"


def test_a_false_comparison_leads_past_the_rest() -> None:
    source = specialize(chosen, TREES[1]).source
    assert source.count("is not False") + source.count("is False") >= 2
    assert "while True" not in source  # no control flow had to be encoded
    for row in itertools.islice(iter(lambda: dict.fromkeys(NAMES, 5), 0), 1):
        assert judged(TREES[0][1], row) == "no" == specialize(judged, TREES[0][1])(row)


def test_nothing_to_do_gives_the_same_program() -> None:
    program = lower(given).program
    assert take_shortcuts(program) is program
    assert "is False" not in residual_text(program).text


@pytest.mark.parametrize("tree", TREES)
def test_merging_asks_every_object_the_same(tree) -> None:
    def merged(program):
        return optimize(program, ("merge", "paste", "parameters", "dce"))[0]

    for function in (chosen, judged, given):
        residual = roundtrip(specialize(function, tree).function, change=merged)
        for seed in range(100):
            count = 3 if function is chosen else 1
            expected = outcome(lambda row, f=function: f(tree, row), seed, count)
            assert outcome(residual, seed, count) == expected, (function, seed)
