"""Explanations: a mark before each line of the source, and reasons that end at an input or an effect.

    power, n = 3    ->    S while n > 0:    D result *= x    because: `x` is left open

Invariant: every line that left something says why.
"""

from __future__ import annotations

import pickle
import re

import pytest

import futamura

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def power(x, n):
    result = 1
    while n > 0:
        result *= x
        n -= 1
    return result


def partly(x, n):
    return x + (n * 2)


def asks(n):
    found = input("?")
    return found * n


def looped(xs, start):
    total = start
    for x in xs:
        total = total + x
    return total


def caught(d, n):
    try:
        return d[n]
    except KeyError:
        return n


def never(x, n):
    if n > 3:
        return x * 5
    return x


def marks(text: str) -> dict[str, str]:
    """The mark of each source line of the explanation."""
    found = {}
    for line in text.splitlines():
        head, bar, source = line.partition(" | ")
        if bar and not line.lstrip().startswith("|"):
            found[source.strip()] = head[2:3].strip()
    return found


def reasons(text: str) -> list[str]:
    return [line.partition("because: ")[2] for line in text.splitlines() if "because: " in line]


def test_marks_of_power() -> None:
    text = futamura.specialize(power, n=3).explain()
    found = marks(text)
    assert found["while n > 0:"] == found["n -= 1"] == found["result = 1"] == "S"
    assert found["result *= x"] == "D" and found["return result"] == "D"
    assert "`x` is left open" in reasons(text)[0]
    assert text.startswith("power   static: n = 3   open: x\n")


def test_a_line_that_is_partly_done() -> None:
    assert marks(futamura.specialize(partly, n=3).explain())["return x + (n * 2)"] == "M"


def test_an_effect_is_a_reason() -> None:
    text = futamura.specialize(asks, n=3).explain()
    assert any("what a call gives is known at run time" in reason for reason in reasons(text))


def test_a_value_that_differs_around_a_loop_is_named() -> None:
    text = futamura.specialize(looped, start=0).explain()
    assert any("`total` has several known values here" in reason or "`xs` is left open" in reason
               for reason in reasons(text))  # fmt: skip


def test_what_is_not_executed_has_no_mark() -> None:
    assert marks(futamura.specialize(never, n=3).explain())["return x * 5"] == ""


CASES = [
    (power, {"n": 2}), (power, {"x": 2}), (looped, {"start": 1}), (caught, {"n": 1}), (caught, {"d": {1: 2}}),
    (partly, {}), (asks, {}),
]  # fmt: skip


@pytest.mark.parametrize(("function", "static"), CASES)
def test_every_line_that_left_something_says_why(function, static) -> None:
    residual = futamura.specialize(function, **static)
    trace = residual._recipe.trace
    assert not isinstance(trace, str | None)
    assert trace.left and all(left.because for left in trace.left.values())
    ends = [left.because[-1].text for left in trace.left.values()]
    assert all(re.search("left open|known values|run time|residual runs|caught", text) for text in ends), ends
    text = residual.explain()
    assert reasons(text)
    assert pickle.loads(pickle.dumps(residual)).explain() == text


def test_the_same_text_each_time() -> None:
    assert futamura.specialize(looped, start=0).explain() == futamura.specialize(looped, start=0).explain()


def test_a_fallback_explains_itself() -> None:
    text = futamura.specialize(evaluates, n=1).explain()
    assert "error[FT103] test_explaining.py:" in text and "uses `eval`" in text


def evaluates(x, n):
    return eval("x + n")
