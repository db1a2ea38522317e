"""`sorted` of pairs whose first parts are known and all different: what is behind them is never compared.

    for name, (function, doc) in sorted(COMMANDS.items()): ...        unrolled

Invariant: where two pairs begin with the same, the order is left to run time.
"""

from __future__ import annotations

import pytest

import futamura

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def up(x):
    return x + 1


def down(x):
    return x - 1


class Loud:
    def __lt__(self, other):
        raise ValueError("compared")


def helped(table, y):
    return [(name, value is up, y) for name, value in sorted(table.items())]


def backwards(pairs, y):
    return [first for first, *_ in sorted(pairs, reverse=True)], y


def mixed(a, b, y):
    return sorted([("b", y), ("a", a), ("c", b)])


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("table", [{"x": up, "a": down}, {"b": Loud(), "a": Loud()}, {2: up, 1.5: down}, {}, {"a": up}])
def test_tables_of_functions(table) -> None:
    residual = futamura.specialize(helped, table)
    assert "sorted" not in residual.source
    assert residual(3) == helped(table, 3)


PAIRS = [
    [("a", up), ("b", down)], [("a", up), ("a", down)], [(1, up), (True, down)], [(1, up), ("a", down)],
    [("a",), ("b", up, 3)], [("a", up), ["b", up]], [(float("nan"), up), (1.0, up)], [((1, 2), up), ((1, 3), up)],
    [(), ("a", up)], [(None, up), ("a", up)], [("b", Loud()), ("a", Loud()), ("b", 1)],
]  # fmt: skip


@pytest.mark.parametrize("pairs", PAIRS)
def test_other_pairs_are_right(pairs) -> None:
    assert outcome(futamura.specialize(backwards, pairs), 1) == outcome(backwards, pairs, 1)


def test_open_values_behind_known_names() -> None:
    residual = futamura.specialize(mixed, Loud(), up)
    assert "sorted" not in residual.source
    for y in (1, "y", Loud()):
        assert [pair[0] for pair in residual(y)] == ["a", "b", "c"]
