"""Questions whose answer is known: patterns for known dicts, comparisons of containers, methods that fail.

    case {"op": "add", "value": v}        step known        ->    v, and no test
    try: at = spec.index(":")             spec without it   ->    what the handler does

Invariant: what stays is asked at run time, and what is raised is what the builtin raises.
"""

from __future__ import annotations

import bisect
import cmath
import functools
import heapq
import sys
from collections.abc import Callable
from typing import Any

import pytest

from .specializing import fallbacks, source_of, specialize


def patched(steps: list[dict[str, Any]], doc: dict[str, Any]) -> dict[str, Any]:
    for step in steps:
        match step:
            case {"op": "add", "path": str(path), "value": value}:
                doc[path] = value
            case {"op": "remove", "path": path, **rest} if not rest:
                del doc[path]
            case {"op": other}:
                raise ValueError(f"unknown op {other}")
            case _:
                doc["odd"] = len(step)
    return doc


def test_patterns_for_known_dicts_leave_no_test() -> None:
    steps = [{"op": "add", "path": "a", "value": 1}, {"op": "remove", "path": "b"}, {"path": "c"}]
    residual = specialize(patched, steps)
    assert not fallbacks(residual)
    assert "if" not in source_of(residual) and "object" not in source_of(residual)
    for doc in ({"b": 1}, {"b": 2, "c": 3}):
        assert residual(dict(doc)) == patched(steps, dict(doc))
    with pytest.raises(KeyError):
        residual({})
    failing = specialize(patched, [{"op": "copy"}])
    assert "raise" in source_of(failing) and "if" not in source_of(failing)
    with pytest.raises(ValueError, match="unknown op copy"):
        failing({})


PAIRS: list[tuple[Any, Any]] = [
    ({"m": 1}, {"m": 1}), ({"m": 1}, {"m": 2}), ({"m": 1}, {"s": 1}), ({"m": 1}, {"m": 1, "s": -1}), ({}, {}),
    ({1: "a", 2: "b"}, {2: "b", True: "a"}), ({"m": [1, {"k": ()}]}, {"m": [1, {"k": ()}]}), ({"m": 1}, [("m", 1)]),
    ([1, [2]], [1, [2]]), ([1, [2]], [1, [3]]), ([1], (1,)), ({"m": float("nan")}, {"m": float("nan")}),
    ({"m": {1}}, {"m": {1}}),
]  # fmt: skip


def compared(left: Any, right: Any, x: int) -> tuple[bool, bool, int]:
    return left == right, left != right, x


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_known_containers_are_compared(left: Any, right: Any) -> None:
    residual = specialize(compared, left, right)
    assert residual(1) == compared(left, right, 1)
    decided = "nan" not in repr(left) and "{1}" not in repr(left)
    assert ("==" in source_of(residual)) == (not decided)


def made_here(x: Any) -> Any:
    one = {"a": x, "b": x}
    two = {"b": x, "a": x}
    return one == two, one == {**two, "more": 1}, one == {"a": (x, 1), "b": (x, 1)}


def test_dicts_of_the_call_are_compared_by_their_items() -> None:
    residual = specialize(made_here)
    assert residual(3)[:2] == (True, False)
    assert ", False," in source_of(residual)
    for x in (0, "a", float("nan"), [1]):
        assert residual(x) == made_here(x)


def index_of(spec: Any, x: int) -> Any:
    try:
        at = spec.index(":")
    except ValueError:
        at = -1
    return at, x


def message_of(spec: Any, x: int) -> Any:
    try:
        return spec.index("z"), x
    except ValueError as error:
        return str(error), x


def uncaught(spec: Any, x: int) -> Any:
    x += 1
    return spec.index("q") + x


@pytest.mark.parametrize("spec", ["ab", "a:b", ("a", "b"), ("a", ":"), ["a"], [":"], b"a"])
@pytest.mark.parametrize("function", [index_of, message_of, uncaught])
def test_methods_that_fail(function: Callable[..., Any], spec: Any) -> None:
    residual = specialize(function, spec)

    def outcome(*args: Any) -> Any:
        called = residual if len(args) == 1 else function
        try:
            return called(*args)
        except Exception as error:
            return type(error), str(error), error.__cause__, error.__context__

    assert outcome(3) == outcome(spec, 3)
    if type(spec) is not bytes:
        assert "try" not in source_of(residual)
        assert function is uncaught or ".index(" not in source_of(residual).replace("tuple.index(x)", "")


def coded(counts: dict[str, int], text: str) -> list[str]:
    heap = [(count, name) for name, count in counts.items()]
    heapq.heapify(heap)
    codes = dict.fromkeys(counts, "")
    while len(heap) > 1:
        low, left = heapq.heappop(heap)
        _, right = heapq.heapreplace(heap, (low + heap[0][0], left + heap[0][1]))
        for name in left:
            codes[name] = "0" + codes[name]
        for name in right:
            codes[name] = "1" + codes[name]
    return [codes[name] for name in text]


def ordered(names: tuple[str, ...], x: str) -> Any:
    ready: list[str] = []
    for name in names:
        bisect.insort(ready, name)
    return [name + x for name in ready], bisect.bisect_left(ready, "b"), heapq.heappop([]) if x == "" else None


def turned(size: int, x: complex) -> list[complex]:
    return [cmath.exp(2j * cmath.pi * at / size) * x for at in range(size)]


def test_heaps_and_sorted_lists_of_known_items() -> None:
    counts = {"a": 5, "b": 2, "c": 1, "d": 1}
    residual = specialize(coded, counts)
    assert "heap" not in source_of(residual) and "while" not in source_of(residual)
    assert residual("abcd") == coded(counts, "abcd")
    residual = specialize(ordered, ("c", "a", "b"))
    assert "insort" not in source_of(residual) and "bisect" not in source_of(residual)
    assert residual("x") == ordered(("c", "a", "b"), "x")
    with pytest.raises(IndexError, match="index out of range"):
        residual("")
    assert "exp" not in source_of(specialize(turned, 4))
    assert specialize(turned, 4)(1j) == turned(4, 1j)


def mixed(x: Any) -> Any:
    heap = [3, 1]
    heapq.heappush(heap, x)
    heapq.heappush(heap, 2)
    try:
        heapq.heappush(heap, "a")  # type: ignore[misc]
    except TypeError as error:
        return str(error), heap
    return heap


def test_what_is_not_known_is_compared_at_run_time() -> None:
    residual = specialize(mixed)
    for x in (0, 5, 2.5, "b"):
        try:
            expected = mixed(x)
        except TypeError as error:
            expected = str(error)
        try:
            found = residual(x)
        except TypeError as error:
            found = str(error)
        assert found == expected


def due(spec: str, x: Any) -> Any:
    found: set[int] = set()
    for part in spec.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return x in frozenset(found), [*frozenset(found)]


def test_sets_of_numbers_that_are_filled_step_by_step_are_constants() -> None:
    for spec in ("1-3,7", "40,8,0,16,24", "5"):
        residual = specialize(due, spec)
        assert "set(" not in source_of(residual)
        for x in (7, 8, "a", 2.0):
            assert residual(x) == due(spec, x)


def headed(columns: list[tuple[str, int]], row: dict[str, Any]) -> str:
    head = " ".join(["%-*s" % (width, name) for name, width in columns])  # noqa: UP031
    return head + "\n" + " ".join([str(row[name]).rjust(width) for name, width in columns])


def test_widths_of_templates_are_known() -> None:
    columns = [("id", 4), ("name", 6)]
    residual = specialize(headed, columns)
    assert "id   name  " in source_of(residual) and "%" not in source_of(residual)
    assert residual({"id": 1, "name": "a"}) == headed(columns, {"id": 1, "name": "a"})


def test_formats_that_ask_the_locale_stay() -> None:
    def show(amount: float) -> tuple[str, ...]:
        plain, nested = "{:n}", "{0:{1}}"
        return format(amount, "n"), f"{amount:n}", f"{amount:>6n}", plain.format(amount), nested.format(amount, "n")

    residual = specialize(show, amount=1234.5)
    assert residual() == show(1234.5)
    assert "1234.5'" not in residual.source


def test_a_format_of_many_characters_stays() -> None:
    def show(amount: int, x: int) -> tuple[int, int]:
        template = "{:>9999999}"
        return len(template.format(amount)) + len(format(amount, ">9999999")), x

    residual = specialize(show, amount=5)
    assert "9999999" in residual.source and residual(1) == (2 * 9_999_999, 1)


@pytest.mark.parametrize("number", [10**639, 10**700], ids=["few digits", "many digits"])
def test_what_the_limit_of_digits_may_forbid_stays(number: int) -> None:
    def show(n: int) -> list[int]:
        template, old = "{}", "%d"
        return [*map(len, (str(n), repr(n), f"{n}", old % n, format(n, ","), template.format(n), str((n,)), hex(n)))]

    residual = specialize(show, n=number)
    assert residual() == show(number)
    assert len(source_of(residual)) < 200 if number < 10**640 else "str(" in source_of(residual)
    limit = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        if number < 10**640:
            assert residual() == show(number)
        else:
            with pytest.raises(ValueError, match="640 digits"):
                residual()
    finally:
        sys.set_int_max_str_digits(limit)


def by_unpacking(x: object, given: list[object]) -> object:
    made = {x} if x else set()
    parts = [frozenset(part) for part in given]  # type: ignore[call-overload]
    whole = set().union(*(part for part in parts))
    more = {1, 2}.union(*(part for part in parts[:1]))
    return sorted(whole), len(made), more, [*{"a": x}.keys(*(y for y in parts[:0]))]


def by_partial(x: int) -> object:
    seen, table = {1, 2}, {"a": x}
    functools.partial(seen.discard, 7)()
    union, items = functools.partial(seen.union, {3}), functools.partial(table.items)
    functools.partial(seen.remove, 1)()
    return sorted(union()), [*items()], seen, list(map({4, 5}.difference, [[5], [x]]))


@pytest.mark.parametrize("given", [[[3], [1, 3]], [], [[2, 1], [2]]])
def test_methods_of_known_sets_and_dicts_are_told_by_their_names(given: list[object]) -> None:
    residual = specialize(by_unpacking)
    assert residual(1, given) == by_unpacking(1, given)
    assert specialize(by_unpacking, given=given)(1) == by_unpacking(1, given)
    assert specialize(by_partial)(4) == by_partial(4)
    assert not [event for event in residual.events if event.code == "FT901"]
