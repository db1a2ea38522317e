"""Loops that are made sums: random ones, those that must stay, and proofs that the rounds are counted rightly.

    count_rounds(counter steps by -3 until <= limit)     (counter - limit + 2) // 3       for all integers, by z3

Invariant: what is proved is computed by the functions that run (`count_rounds`), from the data that they give.
"""

from __future__ import annotations

import collections
import itertools
import linecache
import math
from collections.abc import Sequence
from typing import Any

import pytest

from futamura.frontend.python import lower
from futamura.ir.graph import Edge
from futamura.ir.interp import OutOfFuel, run
from futamura.optimize.closedforms import RULES, Count, count_rounds
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.pipeline import PIPELINE, optimize
from futamura.optimize.places import Places
from futamura.optimize.rounds import Ending, Form, Round, read_round
from futamura.optimize.shapes import NOTHING, Shape
from tests.optimize.counted import KNOWN, TYPES, arguments_of, counted_program

FUEL = 6_000
ENDLESS = "did not end"


def shown(program: Any, given: tuple[Any, ...]) -> object:
    try:
        result = run(program, given, globals={"__name__": "counted"}, fuel=FUEL)
        return repr(result), [type(part).__name__ for part in result]
    except OutOfFuel:
        return ENDLESS
    except Exception as error:
        return f"{type(error).__name__}: {error}"


SEEDS: list[Sequence[int]] = [range(part * 1000, part * 1000 + 150) for part in range(4)]


@pytest.mark.parametrize("seeds", [*SEEDS, (3281, 300, 14458, 16837)])
def test_random_loops_mean_the_same(seeds: Sequence[int]) -> None:
    """The last four: a use that a sum adds is renamed with the others (3281), a block that no way leads to is not asked
    for its places (300, 14458), what adds nothing is what was there (16837)."""
    fired: collections.Counter[str] = collections.Counter()
    compared = 0
    for seed in seeds:
        program = counted_program(seed)
        typed = bool(seed % 4)
        given = TYPES if typed else {"data": Shape("bytes")}
        changed, report = optimize(program, PIPELINE, known=KNOWN, given=given)
        fired.update(report.fired)
        if not report.changed["closed-forms"]:
            continue
        for at in range(8):
            inputs = arguments_of(seed * 100 + at)
            if typed and not type(inputs[0]) is type(inputs[1]) is int:
                continue
            expected = shown(program, inputs)
            if expected != ENDLESS:  # what takes long may take no time now
                assert shown(changed, inputs) == expected, (seed, inputs)
                compared += 1
    assert compared > 25 or len(seeds) < 10
    assert all(fired[f"closed-forms: {rule}"] for rule in RULES[:2])


def test_a_step_of_the_algebra_that_is_undone_leaves_nothing_behind() -> None:
    """`x + 1 - 1` under a mask: the constant of the sum that is none was used without being there."""
    program = counted_program(135)
    changed, _ = optimize(program, ("typefold", "cse", "algebra"), known=KNOWN, given=TYPES, watch=lambda *_: None)
    assert shown(changed, (3, 4, 1, b"abc")) == shown(program, (3, 4, 1, b"abc"))


# -------------------------------------------------------------------- what is read of a round


def of_text(body: str) -> Round | None:
    """What is read of the only loop of a function of integers `a` and `b`."""
    lines = "\n".join("    " + line for line in body.splitlines())
    source = f"def f(a: int, b: int):\n    xs = [0] * 9\n{lines}\n    return a, b, xs[0], xs[1]\n"
    file = f"<round {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"__name__": "counted"}
    exec(compile(source, file, "exec"), namespace)
    program, _ = optimize(lower(namespace["f"]).program, PIPELINE[: PIPELINE.index("closed-forms")], given=TYPES)
    graph = FlowGraph(program.main)
    shapes = {param: TYPES[name] for name, param in zip(("a", "b"), graph.node(0).params)}
    inference = Inference(graph, shapes, KNOWN)
    (loop,) = inference.layout.loops()
    return read_round(graph, inference, Places(inference), loop)


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        ("while a > 0:\n    b += 3\n    a -= 1", [-1, 3]),
        ("while a != 7:\n    xs[0] = xs[0] + 4 & 255\n    a = a + 1 & 15", [1, 4]),
        ("while True:\n    xs[1] = xs[1] - 2 & 255\n    xs[0] = xs[0] + 1 & 255\n    if not xs[0]: break", [-2, 1]),
    ],
)
def test_rounds_are_read(body: str, steps: list[int]) -> None:
    found = of_text(body)
    assert found is not None
    assert sorted(filter(None, [form.step for form in found.after.values()])) == sorted(steps)


@pytest.mark.parametrize(
    "body",
    [
        "while a > 0:\n    b += a\n    a -= 1",  # not the same in each round
        "while a > 0:\n    b = b * 2\n    a -= 1",
        "while a > 0:\n    xs[a] = 1\n    a -= 1",
        "while a > 0:\n    a, b = a - 1, a",
        "while a > 0:\n    xs[b] = xs[b] + 1\n    xs[0] = xs[0] + 1\n    a -= 1",  # maybe one place
        "while a > 0:\n    xs[0] = xs[0] + 1\n    if xs[0] > 5: b += 1\n    a -= 1",
        "while a > 0:\n    print(a)\n    a -= 1",
        "while a > 0:\n    b += 1 // a\n    a -= 1",
        "while a > 0:\n    b = (b + 3 & 15) + 1\n    a -= 1",  # a sum under a mask and one behind it
        "while a > 0:\n    xs.append(b)\n    a -= 1",
    ],
)
def test_other_loops_are_left(body: str) -> None:
    assert of_text(body) is None


# -------------------------------------------------------------------- the number of rounds


def counting(step: int, leaves: str, limit: int, modulus: int, first: bool, exact: bool) -> Round:
    """A loop over a counter (slot 0), and something else (slot 1) that needs the exact number of rounds or not."""
    other = 0 if exact else modulus
    after = {0: Form(0, (), step, modulus, "mod"), 1: Form(1, (), 3, other, "mod" if other else "")}
    body, test = int(first), Ending(0, leaves, Form(None, (), limit))
    return Round(0, body, frozenset({0, body}), Edge(2), (), test, after=dict(after))


def number_of(z3: Any, count: Count, counter: Any) -> Any:
    """The number of rounds that the data says, as the writer of operations reads it."""
    value = count.sign * (counter - count.limit.constant) * count.factor
    if count.by > 1:
        value = (value + count.more) / count.by  # z3 divides integers as Python does where the divisor is positive
    return (value - 1) % count.whole + 1 if count.whole else value


def leaves_at(z3: Any, value: Any, leaves: str, limit: int) -> Any:
    compared = {"eq": value == limit, "le": value <= limit, "lt": value < limit}
    return {**compared, "ge": value >= limit, "gt": value > limit}[leaves]


def holds(z3: Any, claim: Any) -> bool:
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(z3.Not(claim))
    return bool(solver.check() == z3.unsat)


LIMITED = [
    (step, leaves)
    for step in (-1, -2, -7, 1, 3)
    for leaves in (("le", "lt") if step < 0 else ("ge", "gt"))
]  # fmt: skip


@pytest.mark.parametrize(("step", "leaves"), LIMITED)
def test_rounds_to_a_limit_are_counted(step: int, leaves: str) -> None:
    z3 = pytest.importorskip("z3")
    limit = 5
    count = count_rounds(counting(step, leaves, limit, 0, True, True), NOTHING)
    assert count is not None
    x, j = z3.Int("x"), z3.Int("j")
    number = number_of(z3, count, x)
    entered = z3.Not(leaves_at(z3, x, leaves, limit))
    last = leaves_at(z3, x + step * number, leaves, limit)
    earlier = z3.Implies(z3.And(j >= 0, j < number), z3.Not(leaves_at(z3, x + step * j, leaves, limit)))
    assert holds(z3, z3.Implies(entered, z3.And(number >= 1, last, earlier)))
    if count.last is not None:
        assert holds(z3, z3.Implies(entered, x + step * number == count.last.constant))


@pytest.mark.parametrize(("step", "modulus"), [(-1, 256), (1, 256), (-1, 10), (3, 16), (-3, 10), (5, 7)])
@pytest.mark.parametrize("exact", [True, False])
def test_rounds_until_a_counter_wraps_are_counted(step: int, modulus: int, exact: bool) -> None:
    z3 = pytest.importorskip("z3")
    x, j = z3.Int("x"), z3.Int("j")
    for limit in (0, 3):
        count = count_rounds(counting(step, "eq", limit, modulus, False, exact), NOTHING)
        assert count is not None and bool(count.whole) is exact
        number = number_of(z3, count, x)
        assert holds(z3, (x + step * number) % modulus == limit)
        if exact:
            earlier = z3.Implies(z3.And(j >= 1, j < number), (x + step * j) % modulus != limit)
            assert holds(z3, z3.And(number >= 1, number <= modulus)) and (modulus > 20 or holds(z3, earlier))


def test_a_wrong_number_is_refused() -> None:
    z3 = pytest.importorskip("z3")
    count = count_rounds(counting(-3, "le", 5, 0, True, True), NOTHING)
    assert count is not None
    x = z3.Int("x")
    wrong = number_of(z3, count._replace(more=count.more - 1), x)
    assert not holds(z3, z3.Implies(x > 5, x - 3 * wrong <= 5))


def test_rounds_agree_with_counting_them() -> None:
    """The same by trying: small counters, steps and moduli, all limits."""
    for step, modulus, start in itertools.product((-3, -1, 1, 5), (4, 7, 16), range(-5, 40)):
        for limit in range(modulus):
            count = count_rounds(counting(step, "eq", limit, modulus, False, True), NOTHING)
            value, rounds = (start + step) % modulus, 1
            while value != limit and rounds <= modulus:
                value, rounds = (value + step) % modulus, rounds + 1
            assert (count is None) == (math.gcd(step, modulus) != 1)
            if count is not None:
                assert number_of(None, count, start) == rounds, (step, modulus, start, limit)


@pytest.mark.parametrize(
    ("step", "leaves", "modulus"),
    [(2, "eq", 256), (-1, "eq", 0), (-1, "ge", 0), (1, "le", 0), (-1, "ne", 256), (-1, "le", 256), (-1, "le", 0)],
)
def test_loops_that_may_never_end_or_go_once_are_not_counted(step: int, leaves: str, modulus: int) -> None:
    assert count_rounds(counting(step, leaves, 0, modulus, False, True), NOTHING) is None


def test_what_is_known_of_the_counter_counts() -> None:
    once = counting(-1, "le", 0, 0, False, True)
    assert count_rounds(once, Shape("int", 1, None)) is not None
    assert count_rounds(once, Shape("int", 0, None)) is None
    towards = counting(-1, "eq", 0, 0, True, True)
    assert count_rounds(towards, Shape("int", 0, None)) is not None
    assert count_rounds(towards, Shape("int", -1, None)) is None
