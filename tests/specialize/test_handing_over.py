"""Static objects that only rare ways hand to code that is not known: elsewhere what they hold stays known.

Invariant: whatever that code does to them, at once or later, every call does what the original would do.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import futamura
from futamura import Specializer
from tests.specialize.specializing import source_of, specialize


def codes(residual: Any) -> set[str]:
    return {event.code for event in residual.events}


class Name:
    def __init__(self, name: str) -> None:
        self.name = name


class Sum:
    def __init__(self, *parts: Any) -> None:
        self.parts = list(parts)


class Evaluator:
    """Names come from a mapping, or from a function that gets the node."""

    def __init__(self) -> None:
        self.calls = 0

    def run(self, node: Any, names: Any) -> Any:
        if type(node) is Sum:
            total = 0
            for part in node.parts:
                total += self.run(part, names)
            return total
        try:
            return names[node.name]
        except TypeError:
            pass
        if callable(names):
            return names(node)
        raise LookupError(node.name)


def tree() -> Any:
    return Sum(Name("a"), Sum(Name("b"), Name("a")))


def test_a_rare_way_leaves_the_others_what_they_know() -> None:
    residual = specialize(Evaluator().run, tree())
    assert not residual.stats["fallbacks"]
    assert codes(residual) == {"FT413"}
    text = source_of(residual)
    assert "names['a']" in text
    assert "names['b']" in text
    assert ".parts" not in text.partition("_handed_over.now = True")[0]
    assert residual({"a": 1, "b": 10}) == 12
    with pytest.raises(LookupError, match="a"):
        residual(None)


def both(make: Callable[[], Any], run: Callable[[Any], Callable[..., Any]], history: Callable[[Any, Any], Any]) -> None:
    """The same calls with the same changes: with the original, and with a residual of an object of its own."""
    one, other = make(), make()
    expected = history(run(one), one)
    residual = specialize(run(other))
    assert not residual.stats["fallbacks"]
    assert history(residual, other) == expected


def test_the_node_that_was_handed_over_is_changed_later() -> None:
    def history(run: Any, node: Any) -> Any:
        kept: list[Any] = []

        def names(found: Any) -> Any:
            kept.append(found)
            return len(found.name)

        shown = [run({"a": 1, "b": 10}), run(names)]
        kept[0].name = "long"
        shown += [run(names), run({"long": 5, "b": 1, "a": 2})]
        kept[1].name = "z"
        return [*shown, run({"long": 5, "b": 1, "a": 2, "z": 100})]

    both(tree, lambda node: lambda names: Evaluator().run(node, names), history)
    evaluator = Evaluator()
    first, second = tree(), tree()
    residual = specialize(evaluator.run, second)
    assert history(residual, second) == history(lambda names: evaluator.run(first, names), first)


class Machine:
    """Runs over steps while a hook may change them."""

    def __init__(self) -> None:
        self.steps = [1, 2, 3, 4]
        self.table = {"a": 1, "b": 2}
        self.at = 0

    def run(self, x: Any, hook: Any) -> list[Any]:
        seen: list[Any] = []
        self.at = 0
        for step in self.steps:
            self.at += 1
            if x == step:
                hook(self)
            seen.append((step, self.at, x))
        return [seen, self.at, len(self.steps)]

    def guarded(self, x: Any, hook: Any) -> list[Any]:
        seen: list[Any] = []
        for step in self.steps:
            try:
                seen.append(10 // (x - step))
            except ZeroDivisionError:
                seen.append("zero")
                try:
                    hook(self)
                    seen.append(self.at)
                except KeyError as error:
                    seen.append(("failed", error.args, self.at))
                finally:
                    seen.append(self.at)
        return [seen, self.steps]

    def keys(self, x: Any, hook: Any) -> list[Any]:
        seen: list[Any] = []
        for key, value in self.table.items():
            if x == value:
                hook(self)
            seen.append((key, value, self.at))
        return [seen, self.table]

    def zipped(self, x: Any, hook: Any) -> list[Any]:
        seen: list[Any] = []
        for at, step in enumerate(self.steps):
            if x == at:
                hook(self)
            seen.append((at, step, self.at))
        return [seen, self.steps]


def insert(machine: Machine) -> None:
    if len(machine.steps) < 8:
        machine.steps.insert(0, 9)
    machine.at += 100


def drop(machine: Machine) -> None:
    del machine.steps[2:]
    machine.at = -1


def rename(machine: Machine) -> None:
    machine.table["b"] = 7


def fail(machine: Machine) -> None:
    machine.steps = [5]
    machine.at += 50
    raise KeyError("hook")


@pytest.mark.parametrize("method", ["run", "guarded", "keys", "zipped"])
@pytest.mark.parametrize("hook", [insert, drop, rename, fail])
def test_what_runs_over_a_static_list_sees_how_it_changes(method: str, hook: Any) -> None:
    def history(run: Any, machine: Any) -> Any:
        shown: list[Any] = []
        for x in (0, 2, 0, 3, 1, 2, 0):
            try:
                shown.append(repr(run(x, hook)))
            except KeyError as error:
                shown.append(repr(error))
            shown.append(repr(vars(machine)))
            if len(shown) > 8:
                machine.steps = machine.steps[:5]
        return shown

    both(Machine, lambda machine: getattr(machine, method), history)


def test_a_call_in_the_middle_of_a_call() -> None:
    def history(run: Any, node: Any) -> Any:
        def names(found: Any) -> Any:
            found.name += "!"
            return run({"a": 1, "b": 2, "a!": 10, "b!": 20, "a!!": 100})

        return [run(names), run({"a!": 1, "b!": 5, "a": 3, "b": 4})]

    evaluator = Evaluator()
    first, second = Name("a"), Name("a")
    residual = specialize(evaluator.run, second)
    assert history(residual, second) == history(lambda names: evaluator.run(first, names), first)


def test_what_is_trusted_is_no_object_that_was_handed_over() -> None:
    evaluator, node = Evaluator(), Name("a")
    residual = Specializer(assume="trust")(evaluator.run, node)
    assert residual({"a": 1}) == 1

    def names(found: Any) -> str:
        found.name = "b"
        return "called"

    assert residual(names) == "called"
    assert residual({"a": 1, "b": 2}) == 2


def test_a_module_and_another_process_get_a_residual_that_believes_nothing_of_it(tmp_path: Path) -> None:
    residual = specialize(lookup, TABLE)
    assert codes(residual) == {"FT413"}
    assert residual(1, None) == 4
    text = residual.save(tmp_path / "saved.py").read_text(encoding="utf-8")
    assert "handed_over" not in text
    there = pickle.loads(pickle.dumps(residual))
    assert there(1, None) == 4
    assert there("z", lambda table, key: (table["a"], key)) == (1, "z")
    assert there(2, None) == 6


TABLE = {"a": 1, "b": 2}


def lookup(table: Any, key: Any, missing: Any) -> Any:
    try:
        found = key + table["a"]
    except TypeError:
        return missing(table, key)
    return found * table["b"]


def always(table: Any, key: Any, hook: Any) -> Any:
    found = table["a"]
    hook(table)
    return found + key


def mostly(table: Any, key: Any, hook: Any) -> Any:
    found = table["a"] + table["b"]
    if key:
        hook(table)
    return found


@pytest.mark.parametrize("function", [always, mostly])
def test_what_most_calls_hand_over_is_known_nowhere(function: Any) -> None:
    residual = specialize(function, dict(TABLE))
    assert "handed_over" not in source_of(residual)
    assert "FT413" not in codes(residual)


def generated(table: Any, key: Any, hook: Any) -> Any:
    yield table["a"]
    if key == 12345:
        hook(table)
        raise ValueError(key)
    yield table["b"]


def test_a_generator_believes_nothing_of_what_it_hands_over() -> None:
    table = dict(TABLE)
    residual = specialize(generated, table)
    steps = residual(1, None)
    assert next(steps) == 1
    with pytest.raises(ValueError, match="12345"):
        list(residual(12345, lambda table: table.update(b=7)))
    assert next(steps) == 7


def test_frozen_objects_may_be_handed_to_anybody() -> None:
    table = dict(TABLE)
    residual = Specializer(frozen=[table])(lookup, table)
    assert not codes(residual)
    assert "handed_over" not in source_of(residual)
    assert residual("z", lambda table, key: len(table)) == 2


def test_it_says_where() -> None:
    residual = futamura.specialize(lookup, TABLE)
    (event,) = [event for event in residual.events if event.code == "FT413"]
    assert event.span is not None
    assert event.line == event.span.line
    assert "FT413" in residual.explain()


RATE = 2


def rated(names: Any, key: Any, call: Any) -> Any:
    rate = RATE
    try:
        found = names["tab"][key]
    except TypeError:
        found = call(names)
    return rate, found, names["base"]


def optional(names: Any, key: Any, call: Any, many: Any = None) -> Any:
    try:
        found = names["tab"][key]
    except TypeError:
        found = call(names)
    if many is None:
        many = names["base"]
    return found, many


def backwards(names: Any, key: Any, call: Any) -> Any:
    out = []
    for at, rule in enumerate(reversed(names["rules"])):
        try:
            found = names["tab"][key]
        except TypeError:
            found = call(names)
        out.append((at, rule, found))
    return out


def closing(names: Any, key: Any, call: Any) -> Any:
    if names["open"]:
        try:
            return names["tab"][key], names["base"]
        except TypeError:
            return call(names), names["base"]
    return None, names["base"]


KEPT: list[Any] = []


def meddle(names: Any) -> str:
    names["base"] += 10
    names["rules"][0] = 70
    names["open"] = False
    KEPT.append(names)
    return "changed"


@pytest.mark.parametrize("function", [rated, optional, backwards, closing])
def test_whoever_hands_it_over_says_so(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def history(run: Any) -> list[Any]:
        KEPT.clear()
        found = []
        for at, (key, more) in enumerate([("a", ()), ([], (1,)), ("a", ()), ([], ()), ("a", ())]):
            monkeypatch.setitem(globals(), "RATE", 3 if at == 1 else 2)
            found.append(run(key, meddle, *(more if function is optional else ())))
            for names in KEPT:
                names["base"] += 1
        return found

    one, other = ({"base": 1, "tab": {"a": 1}, "rules": [1, 2, 3], "open": True} for _ in range(2))
    residual = specialize(function, one)
    assert ("FT413" in codes(residual)) is (function is not backwards)
    assert history(residual) == history(lambda *args: function(other, *args))


def apart(a: Any, b: Any, key: Any, call: Any) -> Any:
    before = b["n"]
    try:
        found = a["tab"][key]
    except TypeError:
        found = call(a)
    return before, found, b["n"]


def test_what_was_taken_out_of_it_is_not_believed_either() -> None:
    def history(run: Any) -> Any:
        kept: list[Any] = []
        found = [run([], lambda a: kept.append(a.pop("b"))), run("x", None)]
        kept[0]["n"] = 5
        return [*found, run("x", None)]

    shared, other = {"n": 1}, {"n": 1}
    residual = specialize(apart, {"tab": {"x": 1}, "b": shared}, shared)
    again = {"tab": {"x": 1}, "b": other}
    assert history(residual) == history(lambda key, call: apart(again, other, key, call))
