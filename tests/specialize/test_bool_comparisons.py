"""Comparisons that are promised to give True or False: what combines them does not ask for their truth again.

    both(a, x):  x >= a and x != 3    ->   x >= 5 and x != 3       also where its result is asked: `if both(5, x)`

Invariant: without the promise, and where the class of each operand is known, a comparison gives what it gives.
"""

from __future__ import annotations

import pickle
import sys

import pytest

import futamura
from futamura import Dyn

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

PROMISED = futamura.Specializer(bool_comparisons=True)
SENTENCE = "`==`, `!=`, `<`, `<=`, `>` and `>=` of values of unknown class give True or False"


def holds(node, row):
    if node[0] == "and":
        return holds(node[1], row) and holds(node[2], row)
    if node[0] == "or":
        return holds(node[1], row) or holds(node[2], row)
    return row[node[1]] >= node[2]


TREE = ("and", ("or", ("at", "a", 1), ("at", "b", 2)), ("at", "c", 3))


def chosen(node, rows):
    return [row for row in rows if holds(node, row)]


class Answer:
    """What a comparison may give: its truth is told, and it is no bool."""

    def __init__(self, value):
        self.value = value
        self.asked = 0

    def __bool__(self):
        self.asked += 1
        return self.value

    def __repr__(self):
        return f"Answer({self.value})"


class Odd:
    """Compares to an `Answer`."""

    def __init__(self, value):
        self.value = value
        self.given = []

    def __ge__(self, other):
        self.given.append(Answer(self.value >= other))
        return self.given[-1]

    def __eq__(self, other):
        return "equal" if self.value == other else ""

    __hash__ = None  # type: ignore[assignment]


def test_a_promised_comparison_is_asked_once() -> None:
    plain, promised = futamura.specialize(chosen, node=TREE), PROMISED(chosen, node=TREE)
    assert " if _2 else " in plain.source  # the truth of what the first comparison gave is asked again
    for row in ("a", "b", "c"):
        assert f"row['{row}'] >= " in promised.source
    assert "    return [row for row in rows if (row['a'] >= 1 or row['b'] >= 2) and row['c'] >= 3]\n" in promised.source
    assert " else " not in promised.source and " is " not in promised.source and promised.source.count("row['b']") == 1
    rows = [{"a": a, "b": b, "c": c} for a in (0, 1.0) for b in (1, 2) for c in (2, True, 3)]
    assert plain(rows) == promised(rows) == chosen(TREE, rows)


def test_without_the_promise_objects_that_answer_oddly_are_right() -> None:
    def rows():
        return [{"a": Odd(a), "b": Odd(b), "c": Odd(c)} for a in (0, 1) for b in (1, 2) for c in (2, 3)]

    residual = futamura.specialize(chosen, node=TREE)
    one, other = rows(), rows()
    kept, expected = residual(one), chosen(TREE, other)
    assert [one.index(row) for row in kept] == [other.index(row) for row in expected]

    def asked(all_rows):
        return [[answer.asked for odd in row.values() for answer in odd.given] for row in all_rows]

    if sys.version_info >= (3, 12):  # before, `return x and y` asked once where it stood behind another `and`
        assert asked(one) == asked(other)
    single = futamura.specialize(holds, node=("at", "a", 1))
    assert repr(single({"a": Odd(2)})) == repr(holds(("at", "a", 1), {"a": Odd(2)})) == "Answer(True)"


def least(box, x):
    return box >= x, box == x, not (box >= x)


def equal(box, x, y):
    return (box == x) or y


def test_a_known_class_gives_what_its_method_returns() -> None:
    residual = PROMISED(least, box=Odd(3))
    for x in (2, 3, 4):
        assert repr(residual(x)) == repr(least(Odd(3), x))
    opened = PROMISED(equal, Dyn(Odd), x=3)
    assert opened(Odd(3), "y") == "equal" and opened(Odd(4), "y") == "y"
    dynamic = PROMISED(equal, Dyn(Odd))
    assert dynamic(Odd(3), 3, "y") == "equal" and dynamic(Odd(4), 3, "y") == "y"


def test_the_classes_that_are_known_decide_also_against_the_promise() -> None:
    def both(x, y):
        return (x == y) is True

    residual = PROMISED(both, Dyn(int), Dyn(int))
    assert residual(1, 1) is True and residual(1, 2) is False
    assert PROMISED(both)(1, 1) is True


def test_a_promise_that_was_used_is_told(tmp_path) -> None:
    used, unused = PROMISED(chosen, node=TREE), PROMISED(chosen, ("at", "a", 1), DYN_ROWS)
    sums = PROMISED(lambda n, x: x + n, n=1)
    assert f"promised, never tested: {SENTENCE}" in used.explain()
    assert f"# promised, never tested: {SENTENCE}\n" in used.module_text()
    assert SENTENCE in unused.explain() and SENTENCE not in sums.explain()
    assert SENTENCE not in futamura.specialize(chosen, node=TREE).module_text()
    again = pickle.loads(pickle.dumps(used))
    assert again.source == used.source and SENTENCE in again.explain() and SENTENCE in again.module_text()


DYN_ROWS = Dyn(list)


def test_a_call_with_a_broken_promise_about_an_input_keeps_the_option() -> None:
    residual = PROMISED(chosen, TREE, DYN_ROWS)
    rows = [{"a": 1, "b": 1, "c": 3}]
    assert residual(iter(rows)) == residual(tuple(rows)) == rows


def belongs(item, box, other):
    found = item in box
    return (found and other, type(found) is bool, not found)


class Contains:
    def __contains__(self, item):
        return Answer(item == 1)


@pytest.mark.parametrize("item", [1, 2])
def test_membership_gives_a_bool_whatever_is_asked(item) -> None:
    residual = futamura.specialize(belongs, other="o")
    assert residual(item, Contains()) == belongs(item, Contains(), "o")
    assert residual(item, [1]) == belongs(item, [1], "o")
    assert residual.source.count(" in ") == 1 and "type(" not in residual.source and "not " not in residual.source
