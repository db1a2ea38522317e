"""Parameters with defaults that nobody mentioned: the residual is one for the calls that leave them out.

Invariant: calls that give them do what the original does.
"""

from __future__ import annotations

import inspect
import itertools
import pickle
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from futamura import DYN, Dyn, Specializer
from futamura.another import Snapshot
from tests.outcomes import outcome
from tests.specialize.specializing import fallbacks, source_of, specialize

MISSING = object()


def codes(residual: Any) -> set[str]:
    return {event.code for event in residual.events}


class Schema:
    """Fields by name; what most calls do is what its attributes say."""

    def __init__(self, *names: str, many: bool = False) -> None:
        self.names = list(names)
        self.many = many
        self.scale = 3

    def dump(
        self, value: Any, *, many: Any = None, strict: Any = True, default: Any = MISSING, prefix: str = ""
    ) -> Any:
        many = self.many if many is None else many
        if many:
            return [self.dump(item, many=False, strict=strict, default=default) for item in value]
        found = {}
        for name in self.names:
            if strict and name not in value:
                raise KeyError(name)
            if name in value:
                found[prefix + name] = value[name] * self.scale
            elif default is not MISSING:
                found[prefix + name] = default
        return found

    def check(self, value: Any, schema: Any = None, deep: Any = False) -> Any:
        schema = schema or self
        if not deep:
            return [name for name in schema.names if name not in value]
        return [schema.check(item) for item in value]


OPTIONS: list[dict[str, Any]] = [
    dict(one for one in chosen if one)
    for chosen in itertools.product(
        [(), ("many", None), ("many", True), ("many", 0)],
        [(), ("strict", True), ("strict", 1), ("strict", False)],
        [(), ("default", None), ("default", MISSING)],
    )
]
VALUES: list[Any] = [{"a": 1, "b": 2}, {"a": 1}, [{"a": 1, "b": 2}, {"b": 3}], [], "ab", None]


@pytest.mark.parametrize("many", [False, True])
def test_all_ways_to_call(many: bool) -> None:
    schema = Schema("a", "b", many=many)
    residual = specialize(schema.dump)
    assert not fallbacks(residual)
    assert "FT414" in codes(residual)
    assert inspect.signature(residual) == inspect.signature(schema.dump)
    for value in VALUES:
        for options in OPTIONS:
            expected = outcome(partial(schema.dump, value, **options))
            assert outcome(partial(residual, value, **options)) == expected, (value, options)


def test_what_is_left_out_is_known() -> None:
    residual = specialize(Schema("a", "b").dump)
    text = source_of(residual)
    assert "many" not in text.partition("\n")[2]
    assert "strict" not in text.partition("\n")[2]
    assert "MISSING" not in text
    assert "prefix" in text.partition("\n")[2]  # a text decides nothing


def test_what_is_named_stays_open() -> None:
    schema = Schema("a", "b")
    text = source_of(specialize(schema.dump, strict=DYN))
    assert "if strict" in text
    assert "many" not in text.partition("\n")[2]
    text = source_of(specialize(schema.check, DYN, DYN))
    assert "if not schema" in text or "schema or" in text or "if schema" in text
    residual = specialize(schema.dump, strict=Dyn(bool), many=DYN, default=DYN)
    assert "FT414" not in codes(residual)
    given = partial(residual, {"a": 1}, strict=False, many=None, default=MISSING)
    assert outcome(given) == outcome(partial(schema.dump, {"a": 1}, strict=False))


def test_truth_of_a_parameter() -> None:
    schema, other = Schema("a", "b"), Schema("c")
    residual = specialize(schema.check)
    assert "names" not in source_of(residual)
    for args in ([{"a": 1}], [{"a": 1}, other], [{}, None, 1], [[{}, {"a": 1}], None, True], [[{}], other, True], [5]):
        assert outcome(residual, *args) == outcome(schema.check, *args)


def plain(x: Any, n: Any = None, loud: Any = False) -> Any:
    if n is None:
        n = 3
    return [x] * n if loud else x * n


def test_nothing_is_left_out_where_nothing_is_static() -> None:
    residual = specialize(plain)
    assert "FT414" not in codes(residual)
    assert "loud" in source_of(residual)


def branches(rows: Any, x: Any, flag: Any = False, tail: Any = None) -> Any:
    total = 0
    for row in rows:
        total += row * x
        if flag:
            total -= 1
    while flag and total > 3:
        total -= 2
    return total if tail is None else total + tail


@pytest.mark.parametrize("assume", ["check", "trust"])
def test_where_nothing_is_tested_calls_are_told_apart_all_the_same(assume: str) -> None:
    residual = Specializer(assume=assume)(branches, [1, 2, 3])
    assert "FT414" in codes(residual)
    for args in ((2,), (2, True), (2, False, 5), (2, 1, None), (2, [], 1.5)):
        assert residual(*args) == branches([1, 2, 3], *args)
    assert residual(x=2, tail=4, flag=True) == branches([1, 2, 3], 2, True, 4)


def test_a_module_and_another_process_get_a_residual_for_all_calls(tmp_path: Path) -> None:
    residual = specialize(branches, [1, 2, 3])
    space: dict[str, Any] = {}
    exec(residual.save(tmp_path / "saved.py").read_text(encoding="utf-8"), space)
    there = pickle.loads(pickle.dumps(residual))
    for args in ((2,), (2, True), (2, False, 5), (2, True, 1)):
        assert space["branches"](*args) == there(*args) == branches([1, 2, 3], *args)


def generated(rows: Any, reverse: Any = False) -> Any:
    if reverse:
        yield from reversed(rows)
        return
    yield from rows


def recursive(rows: Any, depth: Any, flag: Any = None) -> Any:
    if flag is None:
        return [*recursive(rows, depth, True), "outer"]
    if depth > 0:
        return [rows[0], *recursive(rows, depth - 1, not flag)]
    return [flag]


@pytest.mark.parametrize("function", [generated, recursive])
def test_generators_and_recursion(function: Callable[..., Any]) -> None:
    residual = specialize(function, [1, 2, 3])
    assert not fallbacks(residual)
    calls: list[tuple[Any, ...]] = [(), (True,), (False,)] if function is generated else [(3,), (3, True), (0, None)]
    for args in calls:
        assert list(residual(*args)) == list(function([1, 2, 3], *args))


def test_a_given_parameter_is_asked_for_as_an_object() -> None:
    class Loud:
        def __bool__(self) -> bool:
            raise SystemExit("asked")

        def __eq__(self, other: object) -> bool:
            raise SystemExit("compared")

        __hash__ = None  # type: ignore[assignment]

    residual = specialize(branches, [1, 2])
    for args in ((2, False, 7), (2, False, Loud())):
        assert outcome(residual, *args) == outcome(branches, [1, 2], *args)
    with pytest.raises(SystemExit, match="asked"):
        residual(2, Loud())


class Counter:
    def __init__(self) -> None:
        self.k = 4
        self.seen: list[Any] = []

    def scaled(self, x: Any, force: Any = None) -> Any:
        if force is not None:
            self.k = force
        return self.k * x

    def noted(self, x: Any, note: Any = None) -> Any:
        if note is not None:
            self.seen.append(note)
        return [x, *self.seen]

    def given(self, x: Any, to: Any = None) -> Any:
        if to is not None:
            to(self)
        return self.k * x

    def stepwise(self, x: Any, force: Any = None) -> Any:
        if force is not None:
            self.k = force
        yield self.k
        yield x


def change(counter: Any) -> None:
    counter.k += 100


@pytest.mark.parametrize("name", ["scaled", "noted", "given", "stepwise"])
def test_what_other_calls_write_is_seen(name: str) -> None:
    option = {"given": change}.get(name, 10)
    mine, theirs = Counter(), Counter()
    residual = specialize(getattr(mine, name))
    assert "FT414" in codes(residual)
    for args in ((3,), (3, option), (3,), (4, None), (5, option), (5,)):
        found, expected = residual(*args), getattr(theirs, name)(*args)
        if name == "stepwise":
            found, expected = list(found), list(expected)
        assert found == expected, args


class Index:
    def __init__(self) -> None:
        self.rows = [[1, 2], [3, 4], [5, 6]]

    def between(self, low: Any, high: Any = None) -> Any:
        if high is None:
            return self.rows[0][0] + self.rows[1][1] + low
        return itertools.chain.from_iterable(map(self.rows.__getitem__, range(low, high)))


def test_looks_at_static_objects_get_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that give the parameter, and hand something over, follow each other: not each one looks at all there is."""
    looks = 0

    def holds(snapshot: Snapshot) -> bool:
        nonlocal looks
        looks += 1
        return looked(snapshot)

    looked = Snapshot.holds
    monkeypatch.setattr(Snapshot, "holds", holds)
    index = Index()
    residual = specialize(index.between)
    for count in range(200):
        assert list(residual(0, 2)) == [1, 2, 3, 4]
        if count == 150:
            index.rows[1][1] = 7
            residual(0, 1)
            assert residual(1) == 9
            index.rows[1][1] = 4
    assert 1 < looks < 20
    assert [residual(1) for _ in range(300)] == [6] * 300
    assert looks < 30
    found = looks
    assert [residual(1) for _ in range(300)] == [6] * 300
    assert looks <= found + 1, "nothing is doubted any more"


def total(rates: Any, x: Any, many: Any = None) -> Any:
    if many is None:
        many = rates[0]
    return sum(rate * many * x for rate in rates)


def watched(text: Any, watch: Any, many: Any = None) -> Any:
    watch()
    return f"{text} {many}" if many is not None else text


def test_a_call_that_gives_the_parameter_costs_one_call_more() -> None:
    """Once the other residual is there, and nothing can change what is believed, the entry calls its function."""
    files: list[str] = []

    def watch() -> None:
        files[:] = [frame.f_code.co_filename for frame, _ in traceback.walk_stack(None)]

    residual = specialize(watched, "tea")
    assert "FT414" in codes(residual)
    for _ in range(3):
        assert residual(watch, 3) == "tea 3"
    assert not any(file.endswith("another.py") for file in files)
    assert residual(watch) == "tea"


def test_nothing_is_specialized_in_a_call_where_there_is_no_room() -> None:
    def at(depth: int, function: Any, *args: Any) -> Any:
        return function(*args) if depth == 0 else at(depth - 1, function, *args)

    residual = specialize(total, [1, 2, 3])
    here = sum(1 for _ in traceback.walk_stack(None))
    depth = sys.getrecursionlimit() - here - 40
    assert at(depth, residual, 3, 4) == at(depth, total, [1, 2, 3], 3, 4)
    assert residual(3, 4) == total([1, 2, 3], 3, 4)


def test_strict_leaves_nothing_for_later() -> None:
    residual = Specializer(strict=True)(total, [1, 2])
    assert "FT414" not in codes(residual)
    assert residual(1, 5) == total([1, 2], 1, 5)


def test_generators_that_run_later() -> None:
    mine, theirs = Counter(), Counter()
    residual = specialize(mine.stepwise)
    found = []
    for machine, run in ((mine, residual), (theirs, theirs.stepwise)):
        first, second = run(1, 10), run(2)
        found.append(([*first], [*second], [*run(3)], machine.k))
    assert found[0] == found[1]
