"""Numeric programs as people write them: what is left reads as they would have written it for these shapes.

    iir(b, a, xs)       the windows are variables          mlp(layers, x)     one line a neuron, no path for each sign

Invariant: each residual is compared with its original, on inputs of other types and lengths than those promised, too.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from futamura import Dyn, specialize
from tests.outcomes import outcome


def dot(ws: Any, vs: Any) -> Any:
    """`sum` of floats is compensated from Python 3.12 on, and stays a call there."""
    total = 0.0
    for w, v in zip(ws, vs):
        total += w * v
    return total


def iir(b: Any, a: Any, xs: Any) -> Any:
    before = [0.0] * len(b)
    after = [0.0] * (len(a) - 1)
    out = []
    for x in xs:
        before = [x] + before[:-1]  # noqa: RUF005
        y = dot(b, before) - dot(a[1:], after)
        after = [y] + after[:-1]  # noqa: RUF005
        out.append(y)
    return out


IIR = """\
def iir(xs):
    out = []
    _1 = 0.0
    x = 0.0
    _2 = 0.0
    y = 0.0
    for x_1 in xs:
        total = 0.0
        total += 0.2 * x_1
        total += 0.3 * x
        total += 0.2 * _1
        total_1 = 0.0
        total_1 += -0.5 * y
        total_1 += 0.1 * _2
        y_1 = total - total_1
        out.append(y_1)
        _1 = x
        x = x_1
        _2 = y
        y = y_1
    return out
"""


def test_sliding_windows_are_variables() -> None:
    """Where another list takes the place of the first one, nothing grows, though a list beside it does."""
    static = ([0.2, 0.3, 0.2], [1.0, -0.5, 0.1])
    residual = specialize(iir, *static)
    assert residual.source == IIR, residual.source
    for xs in ([], [1.0], [1, 2, 3, 4], [-0.0, float("inf"), 2.5], ["a"], range(6)):
        assert outcome(residual, xs) == outcome(lambda xs: iir(*static, xs), xs)


def relu(x: Any) -> Any:
    return x if x > 0 else 0.0


def mlp(layers: Any, x: Any) -> Any:
    for weights, bias in layers:
        x = [relu(dot(row, x) + b) for row, b in zip(weights, bias)]
    return x


def test_a_float_that_one_way_brings_does_not_double_what_follows() -> None:
    width = 12
    hidden = [[math.sin(3 * row + at) for at in range(3)] for row in range(width)]
    layers = [(hidden, [0.5] * width), ([[1.0] * width, [-1.0] * width], [0.1, 0.2])]
    residual = specialize(mlp, layers, Dyn(list[float], length=3))
    assert residual.source.count("else 0.0") == width + 2, residual.source
    assert len(residual.source.splitlines()) < 3 * width and not residual.stats["notes"]
    for x in ([1.0, 2.0, 3.0], [-1.0, -0.0, 0.25], [1, 2, 3], [1.0, 2.0], [float("nan")] * 3, ["a", 1, 2]):
        assert outcome(residual, x) == outcome(lambda x: mlp(layers, x), x)


def steps(limits: Any, t: Any) -> Any:
    """Known floats that decide: a static loop runs on them."""
    x = 0.0
    while x < 1.0:
        x += 0.25
        t = t * x
    if t > limits[0]:
        y = limits[0]
    else:
        y = t
    return y * 2.0


def test_floats_that_decide_still_do() -> None:
    residual = specialize(steps, (10.0,))
    assert "while" not in residual.source, residual.source
    for t in (1.0, 1e9, -2, True, "a"):
        assert outcome(residual, t) == outcome(lambda t: steps((10.0,), t), t)


def checksum(poly: Any, data: Any) -> Any:
    table = []
    for n in range(16):
        for _ in range(4):
            n = poly ^ (n >> 1) if n & 1 else n >> 1
        table.append(n)
    c = 0xFFFF
    for b in data:
        c = table[(c ^ b) & 15] ^ (c >> 4)
        c = table[(c ^ (b >> 4)) & 15] ^ (c >> 4)
    return c


def test_a_table_and_a_start_value_stand_before_the_loop() -> None:
    residual = specialize(checksum, 0xA001)
    assert residual.source.count("for ") == 1 and "break" not in residual.source, residual.source
    for data in (b"", b"a", b"hello, world", [1, 300], [-1], ["a"], [2.0]):
        assert outcome(residual, data) == outcome(lambda data: checksum(0xA001, data), data)


def vote(trees: Any, row: Any) -> Any:
    votes: dict[Any, int] = {}
    for at, limit, low, high in trees:
        name = low if row[at] <= limit else high
        votes[name] = votes.get(name, 0) + 1
    return max(votes, key=votes.get)  # type: ignore[arg-type]


def test_votes_of_known_names_are_counted() -> None:
    trees = [(0, 1.5, "a", "b"), (1, 0.5, "a", "c")]
    residual = specialize(vote, trees)
    assert "max" not in residual.source and "votes" not in residual.source, residual.source
    for row in ([1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0], ["a", 1]):
        assert outcome(residual, row) == outcome(lambda row: vote(trees, row), row)


def most(places: Any, row: Any) -> Any:
    votes: dict[Any, int] = {}
    for at in places:
        votes[row[at]] = votes.get(row[at], 0) + 1
    return max(votes, key=votes.get)  # type: ignore[arg-type]


def test_what_is_called_is_read_where_it_is_called() -> None:
    residual = specialize(most, (0, 1, 2))
    assert "= max" not in residual.source and "max(votes, key=votes.get)" in residual.source, residual.source
    for row in ("aab", "aba", "abc", "a", [1, [], 2]):
        assert outcome(residual, row) == outcome(lambda row: most((0, 1, 2), row), row)


@pytest.mark.parametrize("size", [2, 4])
def test_a_smoothing_window_of_any_length(size: int) -> None:
    def smoothed(weights: Any, xs: Any) -> Any:
        window = [xs[0]] * len(weights)
        total = 0.0
        for x in xs:
            window = window[1:] + [x]  # noqa: RUF005
            total += dot(weights, window)
        return total

    static = [0.5 + at for at in range(size)]
    residual = specialize(smoothed, static)
    assert "window" not in residual.source, residual.source
    for xs in ([1.0], [1, 2.5, -3], [True, False, 2], [], "ab"):
        assert outcome(residual, xs) == outcome(lambda xs: smoothed(static, xs), xs)


def stencil(kernel: Any, xs: Any) -> Any:
    out = [0.0] * len(xs)
    r = len(kernel) // 2
    for i in range(r, len(xs) - r):
        acc = 0.0
        for k, w in enumerate(kernel, -r):
            acc += w * xs[i + k]
        out[i] = acc
    return out


def convolved(kernel: Any, image: Any) -> Any:
    r = len(kernel) // 2
    out = []
    for y in range(r, len(image) - r):
        row = []
        for x in range(r, len(image[0]) - r):
            acc = 0.0
            for dy, weights in enumerate(kernel, -r):
                for dx, w in enumerate(weights, -r):
                    acc += w * image[y + dy][x + dx]
            row.append(acc)
        out.append(row)
    return out


def test_a_kernel_counted_from_its_middle_is_unrolled() -> None:
    """What an `enumerate` starts with was computed in front of the loops, or in them: that makes no trip old."""
    kernel, other = [0.25, 0.5, 0.25], [[1, 2, 1], [2, 4, 2], [0.5, 0, -1]]
    one, two = specialize(stencil, kernel), specialize(convolved, other)
    assert one.source.count("for ") == 1 and one.source.count("acc +=") == 3, one.source
    assert two.source.count("for ") == 2 and two.source.count("acc +=") == 9, two.source
    for xs in ([], [1.0], [1, 2], [1, 2, 3.5, -4, True], "abc", [0.5, None, 1]):
        assert outcome(one, xs) == outcome(lambda xs: stencil(kernel, xs), xs)
        assert outcome(two, [xs] * 4) == outcome(lambda image: convolved(other, image), [xs] * 4)


def numbered(kernel: Any, xs: Any) -> Any:
    total, first = 0, 0
    for x in xs:
        first += 1
        for at, w in enumerate(kernel, first):
            total += w * x + at
    return total, first


def test_a_start_that_grows_with_an_open_loop_is_open() -> None:
    residual = specialize(numbered, (1, 2, 3))
    assert residual.source.count("for ") == 2 and "FT401" not in residual.stats["notes"], residual.source
    for xs in ([], [1], [4, -2, 0.5] * 3, "ab", [None]):
        assert outcome(residual, xs) == outcome(lambda xs: numbered((1, 2, 3), xs), xs)
