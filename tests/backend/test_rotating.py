"""Loops with one test: found where the two tests are the same, and left alone where a `continue` goes around one.

    if c: while True: ...; if not c: break    ->    while c: ...

Invariant: a residual with such a loop does what the original does.
"""

from __future__ import annotations

import pytest

import futamura
from futamura.backend.python.rotating import rotated
from futamura.backend.structure.tree import Break, Continue, For, If, Plain, Statement, Suite, While

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def text(condition: object, negated: bool) -> str:
    return f"not {condition}" if negated else f"{condition}"


def loop(*body: Statement, first: str = "c", last: str = "c", negated: bool = True) -> If:
    inside: Suite = [*body, If(last, [Break()], negated=negated)]
    return If(first, [While(None, inside)])


def test_the_same_test_before_and_at_the_end() -> None:
    step = Plain("step")
    assert rotated(loop(step), text) == [step]
    assert rotated(loop(), text) == []
    assert rotated(loop(For("x", "y", [Continue()])), text) is not None  # that of the inner loop


@pytest.mark.parametrize("found", [
    loop(last="d"), loop(negated=False), loop(If("x", [Continue()])), loop(For("x", "y", [], [Continue()])),
    If("c", [While("d", [If("c", [Break()], negated=True)])]),
    If("c", [While(None, [If("c", [Break()], negated=True)])], [Plain("otherwise")]),
    If("c", [While(None, [If("c", [Break()], negated=True)]), Plain("behind")]),
    If("c", [While(None, [If("c", [Break()], [Plain("else")], negated=True)])]),
])  # fmt: skip
def test_anything_else_is_left_alone(found: If) -> None:
    assert rotated(found, text) is None


def accumulated(program, x):
    pc, total = 0, 0
    while program[pc] != "stop":
        if program[pc] == "add":
            total += x
        elif program[pc] == "again" and total < 100:
            pc = -1
        pc += 1
    return total


def test_a_residual_loop() -> None:
    residual = futamura.specialize(accumulated, ["add", "again", "stop"])
    assert "while total < 100:" in residual.source and "True" not in residual.source
    for x in (1, 7, 100, 2.5):
        assert residual(x) == accumulated(["add", "again", "stop"], x)
