"""Options that are passed on: `f(x, **options)` is entered where there are none, and stays a call where there are.

Invariant: the residual gives and raises what the function does, whatever options are given.
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura


def power(x: Any, n: int = 2, *, scale: Any = 1, **rest: Any) -> Any:
    made = 1
    for _ in range(n):
        made *= x
    rest["n"] = n
    return made * scale, rest


class Machine:
    def __init__(self, program: tuple[tuple[str, int], ...]) -> None:
        self.program = program

    def __getattr__(self, name: str) -> Any:
        if name.startswith("op_"):
            return lambda x, n: (name, x, n)
        raise AttributeError(name)

    def run(self, x: Any, **options: Any) -> Any:
        return self.steps(x, **options)

    def steps(self, x: Any, /, verbose: bool = False, **options: Any) -> Any:
        for name, n in self.program:
            x = getattr(self, "op_" + name)(x, n) if name == "odd" else x + n
        return x, verbose, options


def passes(n: int, x: Any, **options: Any) -> Any:
    return power(x, n, **options)


def passes_twice(n: int, x: Any, **options: Any) -> Any:
    first = power(x, n, **options)
    options["more"] = n
    return first, power(x, n, **options), options


def passes_changed(n: int, x: Any, **options: Any) -> Any:
    def adds() -> int:
        options["late"] = n
        return n

    return power(x, adds(), **options), power(x, n, **options)


def knows_nothing(x: Any, n: Any, **options: Any) -> Any:
    return power(x, n, **options)


OPTIONS: list[dict[str, Any]] = [{}, {"scale": 3}, {"n": 4}, {"other": 1, "scale": 2}, {"x": 1}, {"verbose": True}]


def outcome(function: Any, *args: Any, **options: Any) -> Any:
    try:
        return function(*args, **options)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("function", [passes, passes_twice, passes_changed])
def test_with_and_without(function: Any) -> None:
    residual = futamura.specialize(function, 3)
    assert not residual.stats["fallbacks"]
    for options in OPTIONS:
        if not {"n", "x"} & options.keys():
            assert outcome(residual, 2, **options) == outcome(function, 3, 2, **options), residual.source
    assert outcome(residual, 2, x=1) == outcome(function, 3, 2, x=1)


def test_the_body_is_entered_where_there_are_none() -> None:
    source = futamura.specialize(passes, 3).source
    assert "if not options:" in source and "power(x, 3, **options)" in source and "for " not in source


def test_nothing_is_doubled_where_nothing_would_be_known() -> None:
    assert "if " not in futamura.specialize(knows_nothing).source


def test_methods_of_classes_that_answer_for_what_is_missing() -> None:
    machine = Machine((("add", 1), ("odd", 2)))
    residual = futamura.specialize(machine.run)
    for options in OPTIONS:
        assert outcome(residual, 5, **options) == outcome(machine.run, 5, **options), residual.source
    assert "if " not in residual.source  # the call might change the machine


def test_methods_are_found_where_others_are_made_up() -> None:
    machine = Machine((("add", 1), ("odd", 2)))
    residual = futamura.specialize(machine.steps)
    assert residual(5) == machine.steps(5) and "for " not in residual.source and "_self.program" not in residual.source


class Runner:
    def __init__(self, steps: list[int]) -> None:
        self.steps = steps

    def run(self, x: Any, **options: Any) -> Any:
        return self.go(x, **options)

    def go(self, x: Any, **given: Any) -> Any:
        for step in self.steps:
            x += step
        given["steps"] = len(self.steps)
        return x, given

    def both(self, *xs: Any, **options: Any) -> Any:
        options["first"] = 1
        return self.go(*xs, **options), options


def through_two(runner: Runner, x: Any, **options: Any) -> Any:
    return runner.run(x, **options), options.get("a"), "b" in options, {**options}, [*options.items()]


def called_like(runner: Runner, x: Any, /, **options: Any) -> Any:
    try:
        return runner.run(x, **options)
    except TypeError as error:
        return str(error)


GIVEN: list[dict[str, Any]] = [{}, {"a": 1}, {"steps": 9, "b": 2}, {"self": 3}, {"x": 4}, {"b": 1, "x": 1, "self": 2}]


@pytest.mark.parametrize("function", [through_two, called_like])
def test_functions_that_collect_are_entered_with_any_options(function: Any) -> None:
    mine, its = Runner([*range(12)]), Runner([*range(12)])
    residual, trusting = futamura.specialize(function, its), futamura.Specializer(assume="trust")(function, its)
    assert "for step" not in trusting.source and "runner" not in trusting.source
    for given in GIVEN:
        if function is called_like or "x" not in given:
            expected = outcome(function, mine, 5, **given)
            assert outcome(residual, 5, **given) == expected, (given, residual.source)
            assert outcome(trusting, 5, **given) == expected, (given, trusting.source)


def no_names(runner: Runner, x: Any, options: Any) -> Any:
    return runner.run(x, **options)


def other_names(runner: Runner, x: Any, key: Any, **options: Any) -> Any:
    options[key] = 1
    return runner.run(x, **options)


@futamura.opaque
def risky(x: Any) -> None:
    if x == "risky":
        raise ValueError(x)


def changed_by_a_handler(runner: Runner, x: Any, **options: Any) -> Any:
    alias: Any = None
    try:
        alias = options
        risky(x)
        alias = {}
    except ValueError:
        alias[1] = 2
    return runner.run(x, **options)


def test_options_that_a_handler_changes() -> None:
    residual = futamura.specialize(changed_by_a_handler, Runner([1]))
    for x in ("risky", 5):
        assert outcome(residual, x, a=1) == outcome(changed_by_a_handler, Runner([1]), x, a=1)


def test_what_is_no_name_is_an_error() -> None:
    residual = futamura.specialize(no_names, Runner([1]))
    for options in ({}, {"a": 1}, {1: 2}, {"self": 1}, 3):
        assert outcome(residual, 5, options) == outcome(no_names, Runner([1]), 5, options)
    residual = futamura.specialize(other_names, Runner([1]))
    for key in ("a", 1, "self", "x", ()):
        assert outcome(residual, 5, key) == outcome(other_names, Runner([1]), 5, key)


def test_collected_positions_and_options() -> None:
    runner = Runner([1, 2])
    residual = futamura.specialize(runner.both)
    for given in GIVEN[:3]:
        for count in range(3):
            xs = tuple(range(count))
            assert outcome(residual, *xs, **given) == outcome(runner.both, *xs, **given)


def noted(more: Any, make: Any) -> Any:
    return options(**more, z=make())


def options(**given: Any) -> Any:
    return given


@pytest.mark.parametrize("more", [3, (), {"a": 1}, {"z": 1}, {1: 2}, None])
def test_options_in_front_of_others(more: Any) -> None:
    """They are expanded first, and the error says what the call is."""
    residual = futamura.specialize(noted)
    assert "**more, z=make()" in residual.source
    assert attempt(residual, more, dict) == attempt(noted, more, dict)


def attempt(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def gathered(*given: Any, **options: Any) -> Any:
    return given, options


def _two(first: Any, second: Any, third: Any = None) -> Any:
    return first, second, third


two: Any = _two


STARRED: dict[str, Any] = {
    "dict": lambda table, x: (gathered(x, *table), two(*table), two(x, *table)),
    "values": lambda table, x: (gathered(*table.values(), x), max(*table.values(), x)),
    "items": lambda table, x: gathered(*table.items(), k=x),
    "keys": lambda table, x: two(*table.keys(), *(x,)),
    "made": lambda table, x: gathered(*{**table, "c": x}, *{**table, "c": x}.values()),
    "range": lambda table, x: gathered(*range(2, 5), x),
    "text": lambda table, x: two(*"ab", x),
    "enumerate": lambda table, x: gathered(*enumerate(table)),
    "zip": lambda table, x: gathered(*zip(table, (x, 2, 3))),
    "reversed": lambda table, x: gathered(*reversed([*table, x])),
    "too many": lambda table, x: two(*table, *table.values()),
    "too few": lambda table, x: two(*range(1)),
    "beside an open one": lambda table, x: gathered(*table, *x),
    "an iterator beside an open one": lambda table, x: gathered(*iter([*table]), *x),
    "no items": lambda table, x: gathered(*table, *5),  # type: ignore[misc]
    "with options": lambda table, x: gathered(*table, k=x),
}


@pytest.mark.parametrize("name", STARRED)
@pytest.mark.parametrize("x", [7, 2.5, "pq", None, [1, 2]])
def test_starred_operands_whose_items_are_known(name: str, x: Any) -> None:
    function = STARRED[name]
    residual = futamura.specialize(function, table={"a": 1, "b": 2})
    assert not residual.stats["fallbacks"]
    assert outcome(residual, x) == outcome(function, {"a": 1, "b": 2}, x)
    if "beside" not in name and name != "no items":
        assert "gathered" not in residual.source, residual.source


def used_up(table: dict[str, int], x: Any) -> Any:
    keys, pairs = iter(table), iter(table.items())
    first = gathered(next(keys), *keys, x), gathered(*keys)
    try:
        second = two(*pairs, *pairs, x, x)
    except TypeError as error:
        second = str(error), next(pairs, "none left")
    return first, second, [*keys, *pairs]


def test_starred_iterators_are_used_up() -> None:
    table = dict.fromkeys("abcd", 1)
    residual = futamura.specialize(used_up, table=table)
    assert residual(3) == used_up(table, 3)
    assert "('a', 'b', 'c', 'd', x)" in residual.source, residual.source


class Chain:
    def __init__(self) -> None:
        self.parts: list[Any] = []

    def add(self, *parts: Any) -> Chain:
        self.parts += parts
        return self


def chained(fields: dict[str, int], row: dict[str, Any]) -> Any:
    made = Chain().add("id", *fields)
    for name, least in fields.items():
        if row[name] > least:
            made.add(name, row[name])
    return made.parts


def test_what_is_handed_a_starred_dict_stays_known() -> None:
    fields = {"a": 1, "b": 5}
    residual = futamura.specialize(chained, fields=fields)
    for row in ({"a": 2, "b": 3}, {"a": 0, "b": 9}, {"a": 0, "b": 0}, {"a": 1}):
        try:
            wanted = chained(fields, row)
        except KeyError:
            with pytest.raises(KeyError):
                residual(row)
            continue
        assert residual(row) == wanted
    assert "fields" not in residual.source
