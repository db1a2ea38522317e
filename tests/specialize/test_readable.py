"""What residual source looks like where its meaning leaves a choice.

    x[:n] with n = 3    ->    x[:3], not a constant slice with a made-up name

Invariant: each text is also run against the generic function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

import futamura


def parts(x: str, n: int, m: int) -> tuple[object, ...]:
    return x[:n], x[n:], x[1:n:2], x[::-1], x[m:n]


def test_constant_slices_are_written_as_slices() -> None:
    residual = futamura.specialize(parts, n=3, m=-2)
    assert "x[:3], x[3:], x[1:3:2], x[::-1], x[-2:3]" in residual.source
    assert residual("abcdef") == parts("abcdef", 3, -2)


def handed_on(show: Callable[[object], object]) -> object:
    def named(x: int = 3) -> None:
        pass

    return show(named)


def test_a_definition_that_is_used_once_keeps_its_name() -> None:
    residual = futamura.specialize(handed_on)
    assert residual(lambda found: found.__qualname__) == "handed_on.<locals>.named"


def same(y: object) -> tuple[bool, ...]:
    pair = (1, 2)
    return pair == (1, 2), 0.5 == 0.5, y == "a b", "a b" == y is not None


def test_equal_constants_of_a_function_are_one_object() -> None:
    residual = futamura.specialize(same)
    mine = same.__code__.co_consts[-1] if "a b" not in same.__code__.co_consts else "a b"
    for value in (*same.__code__.co_consts, "".join(["a", " b"]), mine):
        assert residual(value) == same(value)


def splat(function: Callable[..., object], y: object) -> object:
    return function(**{"b": y, "1": 2, "class": 3})


def test_keywords_that_no_call_can_write() -> None:
    residual = futamura.specialize(splat)
    assert residual(dict, 1) == splat(dict, 1)
    assert not residual.stats["fallbacks"]


class Slotted:
    __slots__ = ("n",)


def store(y: object) -> object:
    found = Slotted()
    found.n = y
    found.other = y  # type: ignore[attr-defined]
    return found


def test_an_attribute_without_a_slot() -> None:
    residual = futamura.specialize(store)
    with pytest.raises(AttributeError) as wanted:
        store(1)
    with pytest.raises(AttributeError) as found:
        residual(1)
    assert str(found.value) == str(wanted.value)


def beyond(n: int, y: object) -> object:
    items = [y, y]
    return items[n]


@pytest.mark.parametrize("n", [2, -3, 10**30])
def test_an_index_that_is_out_of_range(n: int) -> None:
    residual = futamura.specialize(beyond, n)
    with pytest.raises(IndexError) as wanted:
        beyond(n, 1)
    with pytest.raises(IndexError) as found:
        residual(1)
    assert str(found.value) == str(wanted.value)


def wide(n: int, x: object) -> object:
    return len("%1000000000d" % n) if x is None else x  # noqa: UP031


def test_a_text_of_great_width_is_not_made() -> None:
    assert futamura.specialize(wide, 1)(2) == 2


class Compare:
    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value

    def test(self, row: dict[str, object]) -> bool:
        return row[self.name] == self.value


class Both:
    def __init__(self, *parts: Compare | Both | Not) -> None:
        self.parts = parts

    def test(self, row: dict[str, object]) -> bool:
        return all(part.test(row) for part in self.parts)


class Either(Both):
    def test(self, row: dict[str, object]) -> bool:
        return any(part.test(row) for part in self.parts)


class Not:
    def __init__(self, part: Compare) -> None:
        self.part = part

    def test(self, row: dict[str, object]) -> bool:
        return not self.part.test(row)


def chosen(rows: list[dict[str, object]], where: Both) -> list[dict[str, object]]:
    return [row for row in rows if where.test(row)]


def test_conditions_that_were_objects_are_one_condition() -> None:
    where = Either(Both(Compare("a", 1), Not(Compare("b", 2))), Compare("c", 3))
    residual = futamura.specialize(chosen, where=where)
    assert "[row for row in rows if row['a'] == 1 and not row['b'] == 2 or row['c'] == 3]" in residual.source
    rows: list[dict[str, object]] = [{"a": a, "b": b, "c": c} for a in (1, 4) for b in (2, 5) for c in (3, 6)]
    assert residual(rows) == chosen(rows, where)


def doubled(n: int, x: int) -> int:
    pair: tuple[object, ...] = (1,)
    for _ in range(n):
        pair = (pair, pair)
    return len(pair) + x


def test_a_tuple_of_few_objects_that_is_very_large() -> None:
    assert futamura.specialize(doubled, n=60)(3) == 5


def split_and_extended(text: str, n: object) -> list[object]:
    parts: list[object] = [*text.split(","), *text.rsplit("b", 1), *"c\nd".splitlines()]
    parts.append(n)
    return parts


def test_a_known_text_is_split_into_a_list_of_the_call() -> None:
    residual = futamura.specialize(split_and_extended, text="a,b")
    assert "return ['a', 'b', 'a,', '', 'c', 'd', n]" in residual.source
    assert residual(1) == split_and_extended("a,b", 1)
    assert residual(2) == split_and_extended("a,b", 2)


def looking_twice(rows: list[object], call: Callable[..., object]) -> object:
    call(lambda: (rows, rows))
    return call(lambda q=1: [q, rows, rows])


def handing_over(rows: list[object], call: Callable[..., object]) -> object:
    call(lambda: (yield rows))
    found = call(call(lambda: (yield rows)))
    return found, found


def called(function: object) -> object:
    if not callable(function):
        return function
    made = function()
    return made if isinstance(made, (list, tuple)) else next(made)


def test_a_lambda_that_reads_a_variable_twice_stays_one() -> None:
    residual = futamura.specialize(looking_twice)
    assert residual.source.count("lambda") == 2 and "def _" not in residual.source
    assert not residual.stats["fallbacks"]
    assert residual([5], called) == looking_twice([5], called)


def test_a_lambda_that_is_no_expression_is_handed_to_a_call_as_a_function() -> None:
    residual = futamura.specialize(handing_over)
    assert not residual.stats["fallbacks"]
    assert residual([5], called) == handing_over([5], called)


def asking(limit: int, x: object) -> object:
    found = "few" if limit > 3 else None
    return found or (None if x < limit else None)  # type: ignore[operator]  # noqa: RUF034


def test_what_is_asked_for_what_asking_does_is_a_test() -> None:
    asked: list[object] = []

    class Noted:
        def __lt__(self, other: object) -> object:
            asked.append(other)
            return self

        def __bool__(self) -> bool:
            asked.append("truth")
            return True

    residual = futamura.specialize(asking, 3)
    assert "if x < 3:" in residual.source and "True" not in residual.source
    assert residual(Noted()) is None and asked == [3, "truth"]


def finding(bounds: list[int], x: int) -> tuple[int, list[int], str]:
    import bisect
    import os.path
    from itertools import chain as chained
    from itertools import islice

    return bisect.bisect(bounds, x), list(islice(chained(bounds, [x]), 3)), os.path.join("a", str(x))


def test_imports_in_functions_are_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        for name in ("bisect", "os.path", "itertools"):
            patch.delitem(sys.modules, name)  # what is loaded already needs no statement
        residual = futamura.specialize(finding, [1, 5])
    lines = [line.strip() for line in residual.source.splitlines()]
    assert {"import bisect", "import os.path", "from itertools import islice"} < {*lines}
    assert "__import__" not in residual.source
    assert residual(3) == finding([1, 5], 3)


def blurred(kernel: list[int], rows: list[list[int]]) -> list[list[int]]:
    found = []
    for y in range(len(rows)):
        line = []
        for x in range(1, len(rows[y]) - 1):
            total = 0
            for at, weight in enumerate(kernel):
                total += weight * rows[y][x + at - 1]
            line.append(total)
        found.append(line)
    return found


def test_one_step_forth_and_one_back_is_no_variable() -> None:
    residual = futamura.specialize(blurred, [1, 2, 1])
    assert [place in residual.source for place in ("[x - 1]", "[x]", "[x + 1]")] == [True] * 3
    assert not [line for line in residual.source.splitlines() if line.strip().endswith((" = x", " = y"))]
    rows = [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert residual(rows) == blurred([1, 2, 1], rows)


def around(offsets: tuple[int, ...], size: int) -> list[int]:
    return [(at + offset) % size for at in range(size) for offset in offsets]


def test_constants_are_written_without_a_sign() -> None:
    residual = futamura.specialize(around, (-1, 2))
    assert "(at - 1)" in residual.source
    assert "+ -" not in residual.source
    assert residual(5) == around((-1, 2), 5)


def last_error(keys: list[str], found: dict[str, int]) -> int:
    last: Exception | None = None
    for key in keys:
        try:
            return found[key]
        except KeyError as error:
            last = error
    raise LookupError("none") from last


def test_a_kept_exception_is_named_by_its_clause() -> None:
    residual = futamura.specialize(last_error, ["a", "b"])
    assert residual.source.count("except KeyError") == 2
    assert "BaseException" not in residual.source
    assert residual({"b": 1}) == 1
    with pytest.raises(LookupError) as caught:
        residual({})
    assert isinstance(caught.value.__cause__, KeyError) and caught.value.__cause__.args == ("b",)
