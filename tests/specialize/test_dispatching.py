"""A function taken out of a static table at a place that is not known: a way for each, which meet behind the call.

    HANDLERS[op](x)     ->     f = HANDLERS[op]; if f is add: ...; else: ...

Invariant: the residual does what the original does, also for keys that the table does not have or cannot hash, for
handlers that raise, return different things, call each other, or are called with the wrong arguments.
"""

from __future__ import annotations

import pytest

import futamura
from futamura import Dyn

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    if a == 0:
        return 0
    return a * b


def div(a, b):
    if b == 0:
        raise ZeroDivisionError("nothing to share")
    return a / b


def one(a):
    return a


OPS = {"+": add, "-": sub, "*": mul, "/": div, 1: max}
WRONG = {"+": add, "one": one}


def calculated(ops, first, a, b, second):
    x = ops[first](a, b)
    y = ops[second](x, b)
    return x, y, ops[first] is ops[second]


def folded(ops, code, x):
    for name, n in code:
        try:
            x = ops[name](x, n)
        except ZeroDivisionError as error:
            x = str(error)
    return x


def push(machine, n):
    machine.append(n)


def plus(machine, n):
    machine.append(machine.pop() + machine.pop())


def jump(machine, n):
    return n


def back(machine, n):
    if machine.pop():
        return n
    return None


def interpreted(table, code):
    machine = []
    pc = 0
    for _ in range(40):
        if pc >= len(code):
            break
        op, n = code[pc]
        target = table[op](machine, n)
        pc = pc + 1 if target is None else target
    return machine, pc


def leaf(node, table):
    return node[1]


def both(node, table):
    return table[node[1][0]](node[1], table) + table[node[2][0]](node[2], table)


def negated(node, table):
    return -table[node[1][0]](node[1], table)


TREE = {"leaf": leaf, "both": both, "neg": negated}


def evaluated(table, node):
    return table[node[0]](node, table)


def used_again(ops, name, a):
    function = ops[name]
    first = function(a, 2)
    if a:
        first += 1
    return first, function(first, a), function.__name__


def looked_up(ops, name, a):
    function = ops.get(name)
    if function is None:
        return "no", name
    return function(a, 2), ops.get(name, add)(a, 3)


def unguarded(ops, name, a):
    return ops.get(name)(a, 2)


def written(name, a):
    table = dict(OPS)
    table["+"] = sub
    return table[name](a, 1)


def outcome(function, *arguments):
    try:
        return repr(function(*arguments))
    except Exception as error:
        return type(error).__name__, str(error)


KEYS = ["+", "-", "*", "/", 1, True, 1.0, "?", None, [], "one"]


@pytest.mark.parametrize("ops", [OPS, WRONG])
def test_calls_through_a_dict(ops) -> None:
    residual = futamura.specialize(calculated, ops)
    again = futamura.specialize(used_again, ops)
    for first in KEYS:
        for a, b in ((1, 2), (0, 0), ("a", 2), (2.5, 0), (None, 1)):
            assert outcome(again, first, a) == outcome(used_again, ops, first, a)
            for second in KEYS:
                assert outcome(residual, first, a, b, second) == outcome(calculated, ops, first, a, b, second)
    assert residual.stats["fallbacks"] == {}


def test_calls_through_get() -> None:
    for function in (looked_up, unguarded):
        for ops in (OPS, WRONG):
            residual = futamura.specialize(function, ops)
            for name in KEYS:
                for a in (0, 3, "a", None):
                    assert outcome(residual, name, a) == outcome(function, ops, name, a), (name, a)


def test_bodies_are_in_line_and_ways_meet() -> None:
    residual = futamura.specialize(calculated, OPS, futamura.DYN, Dyn(int), Dyn(int))
    assert "a - b" in residual.source and "nothing to share" in residual.source
    assert residual.source.count("max") <= 6  # the second call is not there once for each way of the first
    loop = futamura.specialize(folded, OPS)
    for code in ([], [("+", 1), ("*", 3)], [("/", 0), ("+", "!")], [("-", 1), ("?", 2)], [(1, 7), ("*", 0), ("/", 2)]):
        assert outcome(loop, code, 4) == outcome(folded, OPS, code, 4)


def test_an_interpreter_whose_program_is_open() -> None:
    for table in ([push, plus, jump, back], (push, plus, jump, back)):
        residual = futamura.specialize(interpreted, table)
        assert residual.stats["fallbacks"] == {} and "append" in residual.source
        for code in (
            [(0, 1), (0, 2), (1, 0)], [(0, 1), (3, 0)], [(2, 7)], [(0, 0), (3, 0), (0, 5)], [(9, 1)], [("x", 1)],
            [(-1, 1)], [(0, 3), (-2, 4)], [(1, 1)], [(True, 1)],
        ):  # fmt: skip
            assert outcome(residual, code) == outcome(interpreted, table, code), code


def test_handlers_that_dispatch_again() -> None:
    residual = futamura.specialize(evaluated, TREE)
    for node in (
        ("leaf", 3), ("neg", ("leaf", 3)), ("both", ("leaf", 1), ("neg", ("leaf", 5))), ("other", 1), ("neg", 3),
        ("both", ("both", ("leaf", 1), ("leaf", 2)), ("neg", ("both", ("leaf", "a"), ("leaf", "b")))),
        ("both", ("both", ("leaf", 1), ("leaf", 2)), ("neg", ("both", ("leaf", 4), ("leaf", 8)))),
    ):  # fmt: skip
        assert outcome(residual, node) == outcome(evaluated, TREE, node), node


def test_a_table_that_is_written() -> None:
    residual = futamura.specialize(written)
    for name in KEYS:
        assert outcome(residual, name, 4) == outcome(written, name, 4)
    own = {"+": add, "-": sub}

    def replacing(table, name, a):
        first = table[name](a, 1)
        table["-"] = add
        return first, table[name](a, 1)

    residual = futamura.specialize(replacing, own)
    fresh = {"+": add, "-": sub}
    for name in ("-", "+", "-", "?"):
        assert outcome(residual, name, 4) == outcome(replacing, fresh, name, 4)


NAN = float("nan")


class Same:
    """Equal to everything, under the hash of a text."""

    def __init__(self, text):
        self.text = text

    def __hash__(self):
        return hash(self.text)

    def __eq__(self, other):
        return True


CHART = {
    ("off", "push"): add, ("on", "push"): sub, ("on", "turn"): mul, (1, "push"): div, (NAN, "push"): one, "on": max,
    ("on", "push", 3): min,
}  # fmt: skip


def charted(chart, state, event, a, b):
    handler = chart.get((state, event))
    if handler is None:
        return "none", state
    return handler(a, b)


def taken(chart, state, event, a, b):
    return chart[state, event](a, b)


@pytest.mark.parametrize("function", [charted, taken])
@pytest.mark.parametrize("state", ["on", "off", "broken", 1, True, 1.0, NAN, float("nan"), None])
def test_of_a_key_some_parts_are_known(function, state) -> None:
    residual = futamura.specialize(function, CHART, state)
    for event in ("push", "turn", "", 3, Same("push"), Same("turn"), [], None):
        for a, b in ((6, 3), (0, 0), ("x", 2)):
            found = expected = None
            try:
                expected = function(CHART, state, event, a, b)
            except Exception as error:
                expected = repr(error)
            try:
                found = residual(event, a, b)
            except Exception as error:
                found = repr(error)
            assert found == expected, (event, a, b)


def test_handlers_of_other_states_are_no_ways() -> None:
    residual = futamura.specialize(charted, CHART, "on")
    assert "div" not in residual.source and "add" not in residual.source
    assert futamura.specialize(charted, CHART, "broken").source.count("if") == 0
