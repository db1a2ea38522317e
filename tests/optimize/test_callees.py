"""What is called is read before its arguments, where nobody can tell: the residual needs no variable for an argument.

    m = "bad " + repr(x); Error("p", m)     ->     Error("p", "bad " + repr(x))

Invariant: operations that run code of the program, raise or read what changes stay in their order.
"""

from __future__ import annotations

import pytest

import futamura
from futamura import Dyn
from tests.outcomes import outcome

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Refused(Exception):
    def __init__(self, path, message):
        super().__init__(path, message)


def fail(path, message):
    raise Refused(path, message)


def check(path, x):
    if x != 1:
        fail(path, "bad " + repr(x))
    return x


class Tool:
    """Logs when its method is looked up and when it is called."""

    def __init__(self, log):
        self.log = log

    def __getattr__(self, name):
        self.log.append(name)
        return self.log.append


class Shown:
    def __init__(self, log):
        self.log = log

    def __repr__(self):
        self.log.append("repr")
        return "shown"


def told(tool, text):
    tool.tell(text)


def tell(n, tool, x):
    told(tool, f"{x!r} and {n}")


def swap(n, rows):
    """The method comes from what the argument's computation changes."""
    put(rows, rows.pop() + n)


def put(rows, value):
    rows[0].append(value)


def test_a_message_stands_where_it_is_handed_over() -> None:
    residual = futamura.specialize(check, ("p",))
    assert "raise Refused(('p',), 'bad ' + repr(x))" in residual.source, residual.source
    for x in (1, 2, "x"):
        try:
            expected = check(("p",), x)
        except Refused as error:
            with pytest.raises(Refused) as caught:
                residual(x)
            assert caught.value.args == error.args
        else:
            assert residual(x) == expected


def test_a_lookup_that_somebody_sees_stays_where_it_was() -> None:
    residual = futamura.specialize(tell, n=3)
    logs: list[list[str]] = [[], []]
    for function, log in ((residual, logs[0]), (lambda tool, x: tell(3, tool, x), logs[1])):
        function(Tool(log), Shown(log))
    assert logs[0] == logs[1] == ["repr", "tell", "shown and 3"]


@pytest.mark.parametrize("promise", [futamura.DYN, Dyn(list)])
def test_what_is_read_of_memory_stays_behind_what_writes_it(promise) -> None:
    residual = futamura.specialize(swap, 1, promise)
    one, other = [[], 5, 6], [[], 5, 6]
    residual(one)
    swap(1, other)
    assert one == other == [[7], 5]
    single = [2]
    with pytest.raises(IndexError):
        residual(single)
    assert single == []


def converted(spec, args):
    it = iter(args)
    out = []
    for kind in spec:
        value = next(it)
        if kind == "d":
            value = int(value)
        out.append(str(value))
    return out


def walked(path, data):
    value = data
    for part in path:
        value = value[part]
    return [str(value)]


def test_what_loses_its_name_is_part_of_the_expression():
    assert "[str(int(next(it))), str(next(it))]" in futamura.specialize(converted, "ds").source
    assert "return [str(data['a']['b'])]" in futamura.specialize(walked, "ab").source
    for args in ((), (1,), ("7", "8"), ("x", 1)):
        residual = futamura.specialize(converted, "ds")
        assert outcome(residual, args) == outcome(lambda args: converted("ds", args), args)
