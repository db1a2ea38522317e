"""Names of values that are used once are dropped, so that residuals of unrolled loops are expressions.

    horner over three coefficients    ->    return ((c2 * x + c1) * x) + c0, in one expression

Invariant: only hints change; the program stays verified and means the same.
"""

from __future__ import annotations

import dataclasses

from futamura import specialize
from futamura.frontend.python import lower
from futamura.ir.verify import verify_program
from futamura.optimize.forwarding import forward


def horner(coefficients, x):  # type: ignore[no-untyped-def]
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def twice(x):  # type: ignore[no-untyped-def]
    once = x + 1
    again = once * once
    if again:
        again += 2
    return again


def polynomial(coefficients, xs):  # type: ignore[no-untyped-def]
    return [horner(coefficients, x) for x in xs]


def test_steps_of_an_unrolled_loop_are_one_expression() -> None:
    residual = specialize(horner, coefficients=[2.0, 3.0, 4.0])
    assert residual.source.count("=") == 0, residual.source
    assert residual(5.0) == horner([2.0, 3.0, 4.0], 5.0)


def test_a_comprehension_around_them_stays_one() -> None:
    residual = specialize(polynomial, coefficients=[2.0, 3.0])
    assert "append" not in residual.source and "for x in xs" in residual.source
    assert residual([1.0, 2.0]) == polynomial([2.0, 3.0], [1.0, 2.0])


def test_only_names_change() -> None:
    program = lower(twice).program
    changed = forward(program)
    assert dataclasses.replace(changed.main, hints=program.main.hints) == program.main
    verify_program(changed)


def test_nothing_to_do_gives_the_same_program() -> None:
    program = forward(lower(twice).program)
    assert forward(program) is program
