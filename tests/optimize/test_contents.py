"""Promises about the items of input lists: what they change in the residual, and that nothing else changes.

    specialize(weigh, [0.5, 2.0], Dyn(list[float], length=2))    ->    x0, x1 = x; return 0.0 + 0.5 * x0 + 2.0 * x1

Invariant: inputs that break the promise run the code without it; a list that is written is not unpacked.
"""

from __future__ import annotations

from typing import Any

import pytest

from futamura import Dyn, Specializer, specialize
from tests.outcomes import outcome

FLOATS = Dyn(list[float], length=2)


def weigh(weights: Any, x: Any) -> Any:
    total = 0.0
    for place in range(len(weights)):
        total += weights[place] * x[place]
    return total


def shifted(weights: Any, x: Any) -> Any:
    total = 0.0
    for place in range(len(weights)):
        total += weights[place] * x[place]
        x[place] = total
    return total


def shown(weights: Any, x: Any) -> Any:
    total = 0.0
    for place in range(len(weights)):
        total += weights[place] * x[place]
        log(x)
    return total + x[0]


def last(weights: Any, x: Any) -> Any:
    total = 0.0
    total += x[-1]
    total += x[-2] * weights[0]
    total += x[1]
    return total


def beyond(weights: Any, x: Any) -> Any:
    return x[0] + x[1] + x[len(weights)]


def rows(weights: Any, b: Any) -> Any:
    found = []
    for row in range(len(weights) // 2):
        total = 0.0
        for place in range(2):
            total += weights[2 * row + place] * b[place]
        found.append(total)
    return found


def log(x: Any) -> None:
    x[0] = 100.0


class Loud(float):
    def __rmul__(self, other: Any) -> Any:
        return 7.0


@pytest.mark.parametrize("function", [weigh, last])
def test_loads_are_one_unpacking_and_sums_one_expression(function: Any) -> None:
    residual = specialize(function, [0.5, 2.0], FLOATS)
    assert "+=" not in residual.source and "[" not in residual.source, residual.source
    assert residual([3.0, 4.0]) == function([0.5, 2.0], [3.0, 4.0])


@pytest.mark.parametrize("function", [shifted, shown, beyond])
def test_a_list_that_may_be_written_stays(function: Any) -> None:
    residual = specialize(function, [0.5, 2.0], FLOATS)
    assert "x0" not in residual.source or function is beyond
    for items in ([3.0, 4.0], [1.0, -0.0]):
        mine, theirs = list(items), list(items)
        assert outcome(residual, mine) == outcome(lambda x: function([0.5, 2.0], x), theirs)
        assert mine == theirs


BROKEN = [[1, 2], [1.0, True], [1.0], [1.0, 2.0, 3.0], (1.0, 2.0), ["a", "b"], [Loud(1.0)] * 2]


@pytest.mark.parametrize("items", BROKEN)
def test_a_broken_promise_runs_the_code_without_it(items: Any) -> None:
    residual = specialize(weigh, [0.5, 2.0], FLOATS)
    assert outcome(residual, items) == outcome(lambda x: weigh([0.5, 2.0], x), items)


def test_messages_of_errors_keep_the_operator() -> None:
    residual = specialize(weigh, [1, 1])
    with pytest.raises(TypeError, match=r"\+=: 'float' and 'str'"):
        residual(["a", "b"])


def test_trust_takes_the_items_on_trust_but_not_the_length() -> None:
    residual = Specializer(assume="trust")(weigh, [0.5, 2.0], FLOATS)
    assert residual([1.0, 2.0, 3.0]) == weigh([0.5, 2.0], [1.0, 2.0, 3.0])
    assert residual((1.0, 2.0)) == weigh([0.5, 2.0], (1.0, 2.0))



def test_products_of_unpacked_items_are_shared() -> None:
    made = specialize(rows, [2.0, 1.0, 2.0, 0.5], FLOATS)
    assert made.source.count("2.0 * b0") == 1, "the same product in two rows"
    assert "1.0 *" not in made.source, "an exact float times one is itself"
    for b in ([1.5, -2.0], [-0.0, 0.0], [0.0, -0.0], [True, 2.0], [1.5], [float("inf"), -0.0], [Loud(1.0), 2.0]):
        assert outcome(made, b) == outcome(lambda b: rows([2.0, 1.0, 2.0, 0.5], b), b)


def scattered(weights: Any, b: Any) -> Any:
    return [weights[0] * b[0] + b[1] * weights[1], weights[2] * b[3] - weights[1] * b[1]]


def test_one_item_that_nobody_reads_is_unpacked_with_the_others() -> None:
    static = [2.0, -1.0, 0.0]
    made = specialize(scattered, static, Dyn(list[float], length=4))
    assert "b0, b1, b2, b3 = b" in made.source and "[0]" not in made.source, made.source
    for b in ([1.5, -2.0, 3.0, 0.0], [-0.0, 0.0, 0.0, -0.0], [1, 2.0, 3, 4], [1.0, 2.0, 3.0], [Loud(2.0)] * 4):
        assert outcome(made, b) == outcome(lambda b: scattered(static, b), b)


def test_a_product_with_minus_one_is_subtracted() -> None:
    made = specialize(rows, [2.0, -1.0, 0.5, -1.0], FLOATS)
    assert "-1.0" not in made.source and made.source.count("- b1") == 2, made.source
    zeros = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.5]
    for b in ([left, right] for left in zeros for right in zeros):
        assert outcome(made, b) == outcome(lambda b: rows([2.0, -1.0, 0.5, -1.0], b), b)


def test_what_is_not_shared_stands_where_it_is_used() -> None:
    made = specialize(rows, [2.0, 3.0, 2.0, 0.5, 0.25, 3.0], FLOATS)
    statements = made.source.split("\n    ")[1:]
    assert len(statements) == 4, made.source  # the unpacking, the two products that are shared, and the result
    assert made([1.5, 2.5]) == rows([2.0, 3.0, 2.0, 0.5, 0.25, 3.0], [1.5, 2.5])
