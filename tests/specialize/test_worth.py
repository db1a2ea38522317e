"""Calls of functions with open values, in which next to nothing folds, stay calls of these functions as they are.

Invariant: a call from which more follows than from its text (what is known of its result, a constant that decides
something, a loop around it) is unfolded as ever.
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura
from tests.specialize.specializing import fallbacks, source_of, specialize

SEEN: list[Any] = []


def shown(value: Any, width: Any) -> Any:
    """A function of its own, of which nothing folds for open values."""
    text = repr(value)
    if len(text) > width:
        text = text[: width - 3] + "..."
    if "\n" in text:
        text = text.replace("\n", " ")
    parts = text.split(",")
    if len(parts) > 1:
        text = parts[0] + parts[-1].strip().title()
    SEEN.append(text)
    return text.rjust(width) + text[-1].upper()


def report(names: Any, value: Any) -> Any:
    for name in names:
        if name in value:
            return shown(value[name], value["width"])
    return None


def aligned(value: Any, how: Any) -> Any:
    """Of the same size, but the constant that it is given decides most of it."""
    if how == "left":
        return value.ljust(9) + "|"
    if how == "right":
        return "|" + value.rjust(9)
    if how == "upper":
        return value.upper().ljust(9).replace(" ", "_")
    if how == "lower":
        return value.lower().rjust(9).replace(" ", "_")
    return value.center(9).replace(" ", ".")


def lined(hows: Any, value: Any) -> Any:
    return [aligned(value, how) for how in hows]


def divided(text: Any) -> Any:
    """Of the same size, but the parts of its result are known one by one."""
    head, _, tail = text.partition("=")
    head = head.strip().lower()
    tail = tail.strip()
    if tail.startswith('"'):
        tail = tail[1:-1].replace("''", '"')
    if head.startswith("#"):
        head = head[1:].strip() + head[-1]
    return head, tail


def looked_up(table: Any, line: Any) -> Any:
    key, value = divided(line)
    return table.get(key, value)


def closer(x: Any, y: Any) -> Any:
    distance = x * x + y * y - 2 * x * y
    if distance < 0:
        distance = -distance
    return distance // 3 + distance % 3 - (x - y) * (x + y)


def nearest(table: Any, xs: Any) -> Any:
    best = 0
    for x in xs:
        best = max(best, closer(x, best)) + len(table)
    return best


@futamura.inline
def unfolded(value: Any, width: Any) -> Any:
    text = repr(value)
    if len(text) > width:
        text = text[: width - 3] + "..."
    if "\n" in text:
        text = text.replace("\n", " ")
    parts = text.split(",")
    return text.rjust(width) + text[-1].upper() + parts[0]


def marked(names: Any, value: Any) -> Any:
    return [unfolded(value[name], value["width"]) for name in names]


ROWS = [{"width": 5, "a": "abcdef"}, {"width": 9, "b": [1, 2]}, {"width": "x", "a": 1}, {"width": 3}, {"a": 1}, None]


def outcome(call: Any, *args: Any) -> Any:
    SEEN.clear()
    try:
        return call(*args), [*SEEN]
    except Exception as error:
        return type(error), str(error), [*SEEN]


def test_a_function_in_which_nothing_folds_is_called() -> None:
    residual = specialize(report, ("a", "b"))
    assert source_of(residual).count("shown(") == 2 and "rjust" not in source_of(residual), source_of(residual)
    assert not fallbacks(residual) and residual.stats["notes"]["FT408"] >= 1
    assert not any(one.name == "__code__" for one in residual.assumptions)
    for row in ROWS:
        assert outcome(residual, row) == outcome(report, ("a", "b"), row)


def test_its_code_may_change() -> None:
    residual = specialize(report, ("a", "b"))
    kept = shown.__code__
    try:
        shown.__code__ = (lambda value, width: (width, value)).__code__
        assert residual(ROWS[0]) == (5, "abcdef") and residual.holds()
    finally:
        shown.__code__ = kept
    assert residual(ROWS[0]) == report(("a", "b"), ROWS[0])


@pytest.mark.parametrize(
    ("function", "static", "name", "inputs"),
    [
        (lined, ("left", "upper", "none", "right"), "aligned", ["ab", "Abc def ghi jkl", "", None, b"ab"]),
        (looked_up, {"a": 1, "b": 2}, "divided", ["a=5", " B = 7", '#a="x"', "c=''", "", None, "d"]),
        (nearest, (1, 2, 3), "closer", [[], [3, 5, 1], [2.5, 1], [True, 7, -3], [None], 5]),
        (marked, ("a",), "unfolded", ROWS),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_function_from_which_more_follows_is_unfolded(function: Any, static: Any, name: Any, inputs: Any) -> None:
    residual = specialize(function, static)
    assert f"{name}(" not in source_of(residual), source_of(residual)
    assert "FT408" not in residual.stats["notes"]
    for given in inputs:
        assert outcome(residual, given) == outcome(function, static, given)


LIMITS = {"low": 3, "high": 8}


def adjusted(text: Any, limits: Any) -> Any:
    """Code that stays may change what the caller believes: it is asked for after the call."""
    parts = text.split(":")
    first = parts[0].strip().lower()
    last = parts[-1].strip().upper()
    if first != last.lower():
        first = first.replace(last, "") + last.replace(first, "")
    if first.isdigit():
        limits["high"] = int(first)
    return first + last.title() + text.swapcase()


def between(names: Any, text: Any, limits: Any) -> Any:
    found = []
    for name in names:
        found.append(limits[name])
        found.append(adjusted(text, limits))
        found.append(LIMITS[name])
    return found


@pytest.mark.parametrize("text", ["a:b", "5", "9:9", "", None])
def test_what_it_changes_is_seen(text: Any) -> None:
    residual = specialize(between, ("low", "high"))
    mine = outcome(residual, text, LIMITS), dict(LIMITS)
    LIMITS.update(low=3, high=8)
    assert mine == (outcome(between, ("low", "high"), text, LIMITS), LIMITS)
    LIMITS.update(low=3, high=8)


def walked(tree: Any) -> Any:
    """It is the target, and calls itself with open values: the residual goes on in itself."""
    if tree is None:
        return 0
    left, value, right = tree
    total = walked(left) + walked(right)
    if value in LIMITS:
        total += LIMITS[value]
    elif value == "twice":
        total *= 2
    else:
        total += len(value)
    return total - total // 7 + total % 3


TREE = ((None, "low", None), "twice", ((None, "abc", None), "high", None))


def test_recursion_stays_in_the_residual() -> None:
    residual = specialize(walked)
    assert "FT408" not in residual.stats["notes"]
    for tree in (None, TREE, (TREE, "x", TREE), (None, 5, None), 3):
        assert outcome(residual, tree) == outcome(walked, tree)


def plural(n: Any) -> Any:
    if n % 10 == 1 and n % 100 != 11:
        return 0
    if 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14:
        return 1
    return 2


def rule_of(n: Any) -> Any:
    return plural(n)


def counted_in(forms: Any, n: Any) -> Any:
    return forms[plural(n)].replace("%d", str(n))


def named_by(forms: Any, n: Any) -> Any:
    """The constant comes from two calls deep, and what it selects is returned to a third."""
    return forms.get(rule_of(n), "?")


def both(forms: Any, n: Any) -> Any:
    text = named_by(forms, n)
    return [text, counted_in(forms, n)]


def late(forms: Any, n: Any) -> Any:
    """What stands between the call and the look-up would be there three times."""
    rule = plural(n)
    total = 0
    for x in range(n):
        if x % 3 == 0:
            total += 5 * x
        elif x % 5 == 0:
            total -= 7 * x
        elif x % 7 == 0:
            total += 2 * x - 9
        elif x % 11 == 0:
            total += 3 * x - 4
        else:
            total += 1 - x * x
    return forms[rule], total


def unselecting(forms: Any, n: Any) -> Any:
    return plural(n), len(forms)


def sometimes(n: Any) -> Any:
    """One way gives what is open."""
    if n % 10 == 1 and n % 100 != 11:
        return 0
    if 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14:
        return 1
    return n // 1000


def looked_at(forms: Any, n: Any) -> Any:
    return forms[sometimes(n)]


FORMS = {0: "%d день", 1: "%d дня", 2: "%d дней"}
NUMBERS = [0, 1, 2, 5, 11, 12, 21, 24, 112, 2000, -1, 1.0, 2.5, True, "a", "%d", None, float("nan")]


@pytest.mark.parametrize("program", [counted_in, named_by, both])
def test_constants_that_select_something_are_worth_the_copy(program: Any) -> None:
    residual = specialize(program, FORMS)
    assert "plural(" not in source_of(residual) and "get" not in source_of(residual), source_of(residual)
    for n in NUMBERS:
        assert outcome(residual, n) == outcome(program, FORMS, n)


@pytest.mark.parametrize("program", [late, unselecting, looked_at])
def test_constants_that_select_nothing_or_too_late_are_not(program: Any) -> None:
    residual = specialize(program, FORMS)
    assert source_of(residual).count("plural(") + source_of(residual).count("sometimes(") == 1, source_of(residual)
    for n in NUMBERS:
        assert outcome(residual, n) == outcome(program, FORMS, n)
